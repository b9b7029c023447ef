/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_GROUP_ASSIGN_H
#define SKR_CORE_GANG_GROUP_ASSIGN_H
/*
 * Assigns each member a node and a rank, from the solver's counts. Deterministic: the same members
 * and counts give the same result.
 *
 * Member order: by index where members have one, else by name in natural order.
 *
 * Fresh gang: the master is the first member, in member order, whose name contains "master", else
 * the first of all. It goes to the first used leaf in tree order. The others, in member order, fill
 * that leaf, then the used leaves by (distance from the master's leaf, tree order). Ranks: by
 * (distance from the master, leaf position, member order); rank 0 is the master. So indices 0 .. n
 * - 1 without a master are the ranks.
 *
 * Replacements, and pods that start while others have ended: a newcomer gets the rank of its index
 * (known_ranks.h), else the rank that is its index, if those are free. The others get the lowest free
 * ranks, in member order. A newcomer whose index had a place on a leaf takes a new place there. The
 * other new places, in tree order, go to the others in the order of their ranks.
 * Claimed members without a rank (adopted) are ranked as if dealt, after those with a rank. Members
 * on nodes outside the tree (leaf -1) rank last, by node name, then member order.
 *
 * New ranks are below the number of members, but for those of an index. Adopted members take the free ranks above the held ones, in the
 * order (distance from the member with rank 0, else from the master among them; leaf; member
 * order), and lower ranks if those run out. Of claimed members with the same rank the first in
 * member order keeps it; the others count as adopted.
 */
#include "topology/object.h"
#include "topology/tree.h"

struct skr_seat {
    const char *name; /* of the pod, borrowed */
    int32_t index;    /* from its controller, different for all members; -1: no seat has one */
    bool
        counted; /* its controller counts its pods from 0: without other members the index is the rank */
    /* claimed: its node; newcomer: NULL, set to the node (borrowed from the tree) */
    const char *node;
    int32_t leaf; /* claimed: leaf, -1 outside the tree; newcomer: set */
    int32_t rank; /* claimed: its rank, -1 without one; newcomer: set */
    bool claimed;
    bool gone;        /* no member any more: leaf and rank are those that its index had */
    bool held;        /* gone, and its room is held */
    skr_time created; /* gone: of several with one index the youngest counts */
    bool pinned;      /* newcomer: leaf is given (assign_roles.h) */
    uint8_t role;     /* assign_roles.h */
    int32_t set;      /* of the kind of its role; assign_roles.h */
};

/* Member order: by index, then name. < 0: left comes first. */
int skr_seat_compare(const struct skr_seat *left, const struct skr_seat *right);

/* count[leaf]: final members, claims included; sum of count - claims in the tree = number of
 * newcomers. Sets leaf, node, rank of newcomers and rank of claimed members without one. The order
 * of seats is kept. Ranks are unique; ranks of claimed members stay. Errors: SKR_BUG if the sums do
 * not match, SKR_NO_MEMORY. O(n log n + leaves). */
int skr_assign(const struct skr_tree *tree, const int32_t *count, struct skr_seat *seat,
               size_t n_seats, struct skr_error *error);

#endif
