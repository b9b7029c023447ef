/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_GROUP_ASSIGN_ROLES_H
#define SKR_CORE_GANG_GROUP_ASSIGN_ROLES_H
/*
 * Assigns nodes and ranks to members of several roles, or to members whose nodes are given. With
 * one role and no given node the result is that of skr_assign().
 *
 * Ranks are positions in the rank order (rank_layout.h); a member whose name contains "master" goes
 * first of all.
 *
 * Anchor: the first leaf in tree order with a member of the role, or of the kind, that is first in
 * rank order. Leaves and units are taken by (distance from the anchor, tree order). Sets go to the
 * units of their level in that order. In a unit (without sets: in the tree) the members of a role
 * fill its places in that order of leaves.
 *
 * Beside members that run, a newcomer whose index had a place on a leaf takes a new place of its role
 * there; the others take places in tree order. A set with a running member stays in its unit. A
 * newcomer gets the rank of its index (known_ranks.h), else a freed rank of its role and set. If none
 * is free, it gets the rank that equals its index, else the lowest free one.
 */
#include "core/gang/group/assign.h"
#include "core/gang/group/rank_layout.h"
#include "core/gang/group/role_counts.h"

/* As skr_assign(), for seats with role, set and pinned. */
int skr_assign_roles(const struct skr_tree *tree, const struct skr_rank_layout *layout,
                     const struct skr_role_counts *counts, struct skr_seat *seat, size_t n_seats,
                     struct skr_error *error);

#endif
