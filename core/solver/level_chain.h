/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_SOLVER_LEVEL_CHAIN_H
#define SKR_CORE_SOLVER_LEVEL_CHAIN_H
/*
 * Levels as partitions of the leaves, and the tree that a chain of them makes: for variants of a
 * problem whose tree has more levels (domain_tree.h) or fewer (best_key.c). Internal to the solver;
 * memory of an arena.
 */
#include "core/solver/problem.h"
#include "topology/base/arena.h"

struct skr_partition {
    int32_t *part;   /* [leaf] */
    int32_t n_parts; /* numbers of parts are below it */
    struct skr_rule rule;
};

struct skr_level_chain {
    struct skr_arena *arena;
    int32_t n_leaves;
    struct skr_partition level[SKR_LEVELS_MAX + 1]; /* [1 .. n], each refines the one above it */
    int32_t n;
};

/* The levels of the problem's tree. False without memory. O(leaves x levels). */
bool skr_level_chain_of(const struct skr_problem *problem, struct skr_arena *arena,
                        struct skr_level_chain *ret);
/* The tree of the chain, without names. order: NULL, or [n_leaves] the leaf at each place; in that
 * order the leaves of every part are neighbours. rule: [chain->n] gets the rules. False without
 * memory. O(leaves x levels). */
bool skr_level_chain_tree(const struct skr_level_chain *chain, const int32_t *order,
                          struct skr_tree *ret, struct skr_rule *rule);

#endif
