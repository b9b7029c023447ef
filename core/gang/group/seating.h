/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_GROUP_SEATING_H
#define SKR_CORE_GANG_GROUP_SEATING_H
/* Nodes and ranks for the members of a group. */
#include "core/gang/group/assign.h"
#include "core/gang/group/member_order.h"
#include "core/gang/state/groups.h"

/* Adds to seat[n], which are those of owner[n], the seats of members that are gone: pods that have ended or
 * are being deleted, and held seats. key: of the index, by role. seat has room for all members and all
 * held seats. Returns the number of all seats. O(members * roles). */
size_t skr_seating_add_gone(const struct skr_gang *e, const struct group *g,
                            struct pod_entry *const *owner, size_t n,
                            const enum skr_pod_index_key *key, const struct skr_tree *tree,
                            struct skr_seat *seat);
/* Seats of owner[n], filled by skr_member_order_seats(). counts->of_role is by role of the group. */
int skr_seating_deal(const struct group *g, const struct skr_tree *tree,
                     const struct skr_role_counts *counts, struct skr_seat *seat, size_t n,
                     struct skr_error *error);
/* The same for members whose nodes are known: node_leaf[i] is the leaf of seat[i], -1 outside the tree. */
int skr_seating_deal_known(const struct group *g, const struct skr_tree *tree,
                           const int32_t *node_leaf, struct skr_seat *seat, size_t n,
                           struct skr_error *error);

#endif
