/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_GROUP_ASSIGN_ROLES_H
#define SKR_CORE_GANG_GROUP_ASSIGN_ROLES_H
/*
 * Assigns nodes and ranks to members of several roles, or to members whose nodes are given. With
 * one role and no given node the result is that of skr_assign().
 *
 * Rank order: roles in role order, in each the members in member order. At the first role of a set
 * kind come all its sets, 0, 1, ..., each with its roles in role order. A member whose name contains
 * "master" goes first of all. A rank is a position in this order.
 *
 * Anchor: the first leaf in tree order with a member of the role, or of the kind, that is first in
 * rank order. Leaves and units are taken by (distance from the anchor, tree order). Sets go to the
 * units of their level in that order. In a unit (without sets: in the tree) the members of a role
 * fill its places in that order of leaves.
 *
 * Beside members that run, places are taken in tree order. A set with a running member stays in its
 * unit. A newcomer gets a freed rank of its role and set: the one that its index belongs to, else
 * the next. If none is free, it gets the rank that equals its index, else the lowest free one.
 */
#include "core/gang/group/assign.h"
#include "core/solver/roles.h"

/* The rank order of a whole group. */
struct skr_rank_layout {
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

struct skr_role_counts {
    const int32_t *total; /* [leaf] final members of all roles, claims included */
    /* [role][leaf] the same of one role; all NULL: any split of the total is good. */
    const int32_t *of_role[SKR_ROLES_MAX];
    const int32_t *sets[SKR_SET_KINDS_MAX]; /* [unit] sets of the kind; NULL: not known */
};

/* As skr_assign(), for seats with role, set and pinned. */
int skr_assign_roles(const struct skr_tree *tree, const struct skr_rank_layout *layout,
                     const struct skr_role_counts *counts, struct skr_seat *seat, size_t n_seats,
                     struct skr_error *error);

/* Role and set at each position of the rank order: ret_role and ret_set of layout size entries, set
 * -1 without a kind. Without a master. Returns the number of positions. */
size_t skr_rank_layout_positions(const struct skr_rank_layout *layout, uint8_t *ret_role,
                                 int32_t *ret_set);
size_t skr_rank_layout_size(const struct skr_rank_layout *layout);

#endif
