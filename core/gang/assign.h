/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_ASSIGN_H
#define SKR_CORE_GANG_ASSIGN_H
/*
 * Who goes where and with which rank, once the solver has said how many. Deterministic: the same
 * members and counts give the same result.
 *
 * Fresh gang: the master is the first, in byte order of names, of the members whose name contains
 * "master", else the first of all. It goes to the first used leaf in tree order; the others in name
 * order fill that leaf, then the used leaves by (distance from the master's leaf, tree order).
 * Ranks: by (distance from the master, leaf position, name); rank 0 is the master.
 *
 * Replacements: freed ranks, ascending, are matched to the new places in tree order of leaf,
 * newcomers in byte order of names. Claimed members without a rank (adopted) are ranked as if
 * dealt, after those that have one. Members on nodes outside the tree (leaf -1) rank last, by node
 * name, then pod name.
 *
 * Ranks given here are below n_seats. Adopted members take the free ranks above those that are
 * held, in the order (distance from the member with rank 0, else from the master among them; leaf;
 * name), and lower ones when there are not enough. Of claimed members with one and the same rank
 * the first by name keeps it, the others count as adopted.
 */
#include "topology/tree.h"

struct skr_seat {
    const char *name; /* of the pod, borrowed */
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
