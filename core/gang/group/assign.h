/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_GROUP_ASSIGN_H
#define SKR_CORE_GANG_GROUP_ASSIGN_H
/*
 * Who goes where and with which rank, once the solver has said how many. Deterministic: the same
 * members and counts give the same result.
 *
 * Member order: by index where members have one, else by name in natural order.
 *
 * Fresh gang: the master is the first, in member order, of the members whose name contains
 * "master", else the first of all. It goes to the first used leaf in tree order; the others in member
 * order fill that leaf, then the used leaves by (distance from the master's leaf, tree order).
 * Ranks: by (distance from the master, leaf position, member order); rank 0 is the master. So indices
 * 0 .. n - 1 without a master are the ranks.
 *
 * Replacements: freed ranks, ascending, are matched to the new places in tree order of leaf. A newcomer
 * whose index is one of these ranks takes that place, the others take what is left in member order.
 * Claimed members without a rank (adopted) are ranked as if dealt, after those that have one. Members on nodes outside the tree (leaf -1) rank last, by node
 * name, then member order.
 *
 * Ranks given here are below n_seats. Adopted members take the free ranks above those that are
 * held, in the order (distance from the member with rank 0, else from the master among them; leaf;
 * member order), and lower ones when there are not enough. Of claimed members with one and the same
 * rank the first in member order keeps it, the others count as adopted.
 */
#include "topology/tree.h"

struct skr_seat {
    const char *name; /* of the pod, borrowed */
    int32_t index;    /* that its controller gave it, different for all seats; -1: none has one */
    const char *node; /* claimed members: where it is; NULL: newcomer. Out: name of the node
                         (borrowed from the tree) */
    int32_t leaf;     /* claimed: leaf or -1 when outside the tree; newcomer: out */
    int32_t rank;     /* claimed: its rank or -1 when it has none; newcomer: out */
    bool claimed;
};

/* count[leaf]: members to end with, claims included; sum of count - claims in the tree = number of
 * newcomers. Fills leaf, node, rank of newcomers and rank of claimed members that have none. Order
 * of seats is kept. Two seats never get one rank; ranks that claimed members hold stay. Errors:
 * SKR_BUG when the sums do not match, SKR_NO_MEMORY. O(n log n + leaves). */
int skr_assign(const struct skr_tree *tree, const int32_t *count, struct skr_seat *seat,
               size_t n_seats, struct skr_error *error);

#endif
