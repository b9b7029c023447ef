/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_GROUP_RANK_LAYOUT_H
#define SKR_CORE_GANG_GROUP_RANK_LAYOUT_H
/*
 * The rank order of a group: roles in role order, in each the members in member order. At the first
 * role of a set kind come all its sets, 0, 1, ..., each with its roles in role order. A rank is a
 * position in this order.
 */
#include "core/solver/roles.h"

/* The rank order of a whole group. */
struct skr_rank_layout {
    bool whole; /* of key roles: it has the roles and sizes of all that belong to the group */
    size_t n_roles;
    struct {
        int32_t size;
        int32_t kind; /* -1: in no set kind */
        int32_t each; /* members in one set */
    } role[SKR_ROLES_MAX];
    size_t n_kinds;
    struct {
        int32_t level; /* of the tree */
        int32_t sets;
    } kind[SKR_SET_KINDS_MAX];
};

struct skr_rank_position {
    uint8_t role;
    int32_t set; /* -1: of no kind */
};

/* The role and set of each position of the rank order, without a master: ret has layout size
 * entries. Returns their number. */
size_t skr_rank_layout_positions(const struct skr_rank_layout *layout,
                                 struct skr_rank_position *ret);
size_t skr_rank_layout_size(const struct skr_rank_layout *layout);

#endif
