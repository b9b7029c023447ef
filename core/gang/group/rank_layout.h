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

/* Role and set at each position of the rank order: ret_role and ret_set of layout size entries, set
 * -1 without a kind. Without a master. Returns the number of positions. */
size_t skr_rank_layout_positions(const struct skr_rank_layout *layout, uint8_t *ret_role,
                                 int32_t *ret_set);
size_t skr_rank_layout_size(const struct skr_rank_layout *layout);

#endif
