/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_GROUP_ASSIGN_H
#define SKR_CORE_GANG_GROUP_ASSIGN_H
/*
 * Assigns each member a node and a rank, from the solver's counts by role. A group of equal members
 * has one role. Deterministic: the same members and counts give the same result.
 *
 * Member order: by index where members have one, else by name in natural order.
 *
 * Ranks are positions in the rank order (rank_layout.h). The first member in that order whose name
 * contains "master" goes first of all.
 *
 * Places: the anchor is the first leaf in tree order with a member of the role, or of the kind, that
 * is first in rank order. Leaves and units are taken by (distance from the anchor, tree order). Sets go
 * to the units of their level in that order. In a unit (without sets: in the tree) the members of a
 * role, in rank order, fill its places in that order of leaves.
 *
 * Replacements, and pods that start while others have ended: a newcomer gets the rank of its index
 * (known_ranks.h), else a freed rank of its role and set, in member order. If none is free, it gets the
 * rank that equals its index, else the lowest free one. Ranks of members that have succeeded are free for
 * their own index alone. If the group has one role without sets, the rank
 * that equals its index goes before other freed ranks. A newcomer whose index had a place on a leaf takes
 * a new place of its role there. The other new places, in tree order, go to the others in the order of
 * their ranks. A set with a running member stays in its unit.
 *
 * Claimed members without a rank (adopted) are ranked as if dealt, before newcomers. They take the free
 * ranks of their role and set above the held ones, in the order (distance from the member with rank 0,
 * else from the master among them; leaf; member order), and lower ranks if those run out. Members on
 * nodes outside the tree (leaf -1) come last, by node name, then member order. Of claimed members with
 * the same rank the first in member order keeps it; the others count as adopted.
 *
 * With one role without sets new ranks are below the number of members, but for those of an index.
 */
#include "core/gang/group/rank_layout.h"
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
    bool gone; /* no member any more: leaf and rank are those that its index had */
    bool held; /* gone, and its room is held */
    bool
        done; /* gone, as it has succeeded in this generation: its rank is free for its index alone */
    bool kept;        /* done, and nothing makes another one in its place: its rank is not free */
    skr_time created; /* gone: of several with one index the youngest counts */
    bool pinned;      /* newcomer: leaf is given */
    uint8_t role;     /* done: SKR_ROLES_MAX if no member is of its role now */
    int32_t set;      /* of the kind of its role */
};

/* How many members of each role a solution places, by leaf and unit of the tree. */
struct skr_role_counts {
    const int32_t *total; /* [leaf] final members of all roles, claims included */
    /* [role][leaf] the same of one role; all NULL: any split of the total is good. */
    const int32_t *of_role[SKR_ROLES_MAX];
    const int32_t *sets[SKR_SET_KINDS_MAX]; /* [unit] sets of the kind; NULL: not known */
};

/* Sets leaf, node, rank of newcomers and rank of claimed members without one. Counts less claims in the
 * tree are the numbers of newcomers. If layout has one role without sets, its size does not matter: the
 * members that are dealt make the rank order. The order of seats is kept. Ranks are unique; ranks of
 * claimed members stay. Errors: SKR_BUG if the sums do not match, SKR_NO_MEMORY. O(n log n + leaves *
 * roles). */
int skr_assign(const struct skr_tree *tree, const struct skr_rank_layout *layout,
               const struct skr_role_counts *counts, struct skr_seat *seat, size_t n_seats,
               struct skr_error *error);

#endif
