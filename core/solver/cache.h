/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_SOLVER_CACHE_H
#define SKR_CORE_SOLVER_CACHE_H
/*
 * What the solver knows about problems that come again: for each the feasible sets of all units. A
 * leaf that changed costs the merges between it and the root, depth x log(children), instead of a
 * pass over the cluster; feasibility is then known, and an optimum is searched on the same sets.
 * Answers are those of skr_solve(), ties included, whatever is or was kept.
 *
 * A problem is known again by its tree (the pointer), n, rules, demand and tie break; leaves may
 * differ. Least recently used problems are dropped when all of them together exceed the byte limit.
 * One thread at a time. A tree must not go before skr_solver_cache_forget().
 */
#include "core/solver/solver.h"

struct skr_solver_cache;

/* byte_limit: of all that is kept, beside the memory of runs. NULL without memory. */
struct skr_solver_cache *skr_solver_cache_create(size_t byte_limit);
void skr_solver_cache_destroy(struct skr_solver_cache *cache); /* NULL allowed */
/* Drops what belongs to the tree. */
void skr_solver_cache_forget(struct skr_solver_cache *cache, const struct skr_tree *tree);
/* Bytes of all that is kept. O(problems). */
size_t skr_solver_cache_bytes(const struct skr_solver_cache *cache);

/*
 * As skr_solve(). All leaves are compared with what was seen of the problem before: cost O(leaves)
 * and the changes, then that of the answer. A problem too large to be kept is solved all the same,
 * as is one with no_fast_paths.
 */
int skr_solver_cache_solve(struct skr_solver_cache *cache, const struct skr_problem *problem,
                           struct skr_solution **ret, struct skr_error *error);

#endif
