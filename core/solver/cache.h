/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_SOLVER_CACHE_H
#define SKR_CORE_SOLVER_CACHE_H
/*
 * A cache of problems that are solved again and again: for each the feasible sets of all units. A
 * changed leaf then costs the merges between it and the root, depth x log(children), instead of a
 * pass over the cluster. Feasibility is one bit of these sets, and the optimum is searched on them.
 * Answers are those of skr_solve(), ties included, whatever is or was in the cache.
 *
 * The key of a problem is its tree (the pointer), n, rules, demand and tie break; its leaves may
 * differ. If all problems together exceed the byte limit, the least recently used ones are dropped.
 * One thread at a time. Call skr_solver_cache_forget() before a tree is freed.
 */
#include "core/solver/solver.h"

struct skr_solver_cache;

/* byte_limit: of all cached problems, without the memory of runs. NULL without memory. */
struct skr_solver_cache *skr_solver_cache_create(size_t byte_limit);
void skr_solver_cache_destroy(struct skr_solver_cache *cache); /* NULL allowed */
/* Drops the problems of the tree. */
void skr_solver_cache_forget(struct skr_solver_cache *cache, const struct skr_tree *tree);
/* Bytes of all cached problems. O(problems). */
size_t skr_solver_cache_bytes(const struct skr_solver_cache *cache);

/*
 * As skr_solve(). Compares all leaves with those of the problem's last run. Cost: O(leaves), the
 * changes, then the answer. A problem that cannot be cached (too large, bounds, domains, roles,
 * no_fast_paths) is solved without the cache.
 */
int skr_solver_cache_solve(struct skr_solver_cache *cache, const struct skr_problem *problem,
                           struct skr_solution **ret, struct skr_error *error);
/* Whether there is a placement, without one: *ret PLACED, INFEASIBLE or TIMEOUT. changed: all leaves
 * that differ from those of the last call of this function, which was for this problem; NULL: any
 * leaf may differ. With changed: O(changes x depth x log(children)). */
int skr_solver_cache_feasible(struct skr_solver_cache *cache, const struct skr_problem *problem,
                              const int32_t *changed, size_t n_changed, enum skr_solve_status *ret,
                              struct skr_error *error);

#endif
