/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_SOLVER_SIZES_H
#define SKR_CORE_SOLVER_SIZES_H
/*
 * The sizes of a group that have a valid placement, kept while leaves change. For every unit of the
 * tree the set of totals that it can hold under the rules is kept (docs/solver.md). A changed leaf
 * costs a few merges on its way to the root, and whether n fits is one bit. No rule refers to the
 * size of the group, so one structure answers for all n up to `most`.
 *
 * The answer is yes or no; skr_solve() has the placement. Claims are not supported.
 *
 * The structure is small enough for every kind of group that waits: one number for 16 siblings, and
 * equal sets stored once for all problems of a pool. One thread at a time.
 */
#include <stddef.h>

#include "core/solver/solver.h"

enum {
    /* Words of 64 counts that one merge may touch. Rules that count many used units in large groups
     * exceed it and are not kept: a change would take too long. */
    SKR_SIZES_MERGE_WORDS_MAX = 1 << 16,
};

struct skr_sizes_pool;
struct skr_sizes; /* one tree, one set of rules */

struct skr_sizes_pool *skr_sizes_pool_create(void);
/* Destroy its problems first. NULL allowed. */
void skr_sizes_pool_destroy(struct skr_sizes_pool *pool);
/* Bytes of all problems of the pool. O(1). */
size_t skr_sizes_pool_bytes(const struct skr_sizes_pool *pool);

/* Whether create() would take it. rule: [tree->n_levels], level 1 first. */
bool skr_sizes_can_keep(const struct skr_tree *tree, const struct skr_rule *rule, int32_t most);
/*
 * Answers for 1 .. most. tree: borrowed until destroy. slots: [leaf] members that a leaf can hold,
 * >= 0; borrowed until the end of the call. Aborts without memory. NULL: see can_keep(). Cost: a
 * merge for every leaf.
 */
struct skr_sizes *skr_sizes_create(struct skr_sizes_pool *pool, const struct skr_tree *tree,
                                   const struct skr_rule *rule, int32_t most, const int32_t *slots);
void skr_sizes_destroy(struct skr_sizes *sizes); /* NULL allowed */
/* These leaves, ascending and without repetition, now have slots[leaf]; all others are unchanged.
 * Cost: for each at most 15 merges of leaves and depth x log(siblings) of sets. */
void skr_sizes_change(struct skr_sizes *sizes, const int32_t *slots, const int32_t *leaf, size_t n);
/* 0 <= n <= most. O(1). */
bool skr_sizes_has(const struct skr_sizes *sizes, int32_t n);
int32_t skr_sizes_most(const struct skr_sizes *sizes);

#endif
