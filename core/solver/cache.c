/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A kept problem is a run whose spans and feasible sets stay, with the leaf bounds of these sets.
 *
 * A changed leaf makes new spans on its way to the root. Spans that nothing refers to any more stay
 * in the run's arena. When the arena has grown to GROWTH times its first size, all sets are made
 * anew. Spread over the changes in between, that costs a few merges each.
 *
 * A search for the optimum writes notes into spans, so a kept problem serves one thread at a time.
 * The spans of the search itself are in the arena of the search.
 */
#include "core/solver/cache.h"

#include <string.h>

#include "core/solver/answer.h"
#include "core/solver/role_variant.h"

enum { GROWTH = 2, CHANGES_PART = 32 };
#define GROWTH_BYTES ((size_t)256 * 1024) /* that an arena may grow in any case */

/* One problem. */
struct skr_solver_kept {
    struct skr_solver_kept *newer, *older;
    struct skr_solver_cache *cache;
    struct skr_problem problem; /* tree, n, rule, demand and tie break only */
    struct skr_rule rule[SKR_LEVELS_MAX];
    int64_t *demand;
    struct skr_run run;
    struct skr_feasible feasible;
    size_t bytes_when_made;
};

struct skr_solver_cache {
    size_t byte_limit;
    struct skr_solver_kept *newest, *oldest;
};

struct skr_solver_cache *skr_solver_cache_create(size_t byte_limit)
{
    struct skr_solver_cache *cache = calloc(1, sizeof *cache);
    if (cache) {
        cache->byte_limit = byte_limit;
    }
    return cache;
}

/* ---- list of kept problems ---- */

static size_t bytes_of(const struct skr_solver_kept *kept)
{
    return sizeof *kept + skr_arena_used(kept->run.arena);
}

static void unlink_kept(struct skr_solver_kept *kept)
{
    struct skr_solver_cache *cache = kept->cache;
    *(kept->newer ? &kept->newer->older : &cache->newest) = kept->older;
    *(kept->older ? &kept->older->newer : &cache->oldest) = kept->newer;
    kept->newer = NULL;
    kept->older = NULL;
}

static void put_newest(struct skr_solver_cache *cache, struct skr_solver_kept *kept)
{
    kept->older = cache->newest;
    *(cache->newest ? &cache->newest->newer : &cache->oldest) = kept;
    cache->newest = kept;
}

static void drop(struct skr_solver_kept *kept)
{
    unlink_kept(kept);
    skr_run_fini(&kept->run);
    free(kept->demand);
    free(kept);
}

void skr_solver_cache_destroy(struct skr_solver_cache *cache)
{
    if (cache) {
        while (cache->newest) {
            drop(cache->newest);
        }
        free(cache);
    }
}

void skr_solver_cache_forget(struct skr_solver_cache *cache, const struct skr_tree *tree)
{
    struct skr_solver_kept *next = NULL;
    for (struct skr_solver_kept *kept = cache->newest; kept; kept = next) {
        next = kept->older;
        if (kept->problem.tree == tree) {
            drop(kept);
        }
    }
}

size_t skr_solver_cache_bytes(const struct skr_solver_cache *cache)
{
    size_t bytes = 0;
    for (const struct skr_solver_kept *kept = cache->newest; kept; kept = kept->older) {
        bytes += bytes_of(kept);
    }
    return bytes;
}

/* Drops the oldest problems until the rest is within the limit; `kept` stays. */
static void make_room(struct skr_solver_cache *cache, const struct skr_solver_kept *kept)
{
    size_t bytes = skr_solver_cache_bytes(cache);
    while (bytes > cache->byte_limit && cache->oldest && cache->oldest != kept) {
        bytes -= bytes_of(cache->oldest);
        drop(cache->oldest);
    }
}

/* ---- one problem ---- */

static bool same_problem(const struct skr_problem *a, const struct skr_problem *b)
{
    return a->tree == b->tree && a->n == b->n && a->tie_break == b->tie_break &&
           a->n_resources == b->n_resources &&
           (a->n_resources == 0 ||
            memcmp(a->demand, b->demand, a->n_resources * sizeof *a->demand) == 0) &&
           skr_rules_equal(a->rule, b->rule, a->tree->n_levels);
}

/* Makes the run and its sets for the bounds of problem's leaves. False: see run.stop. */
static bool build(struct skr_solver_kept *kept, const struct skr_problem *problem)
{
    const struct skr_problem *own = &kept->problem;
    skr_run_fini(&kept->run); /* of the sets before, if any */
    kept->problem.byte_limit = kept->cache->byte_limit > 0 ? kept->cache->byte_limit : 1;
    kept->problem.cancel = problem->cancel;
    struct skr_run *run = &kept->run;
    struct skr_leaf_bounds leaf;
    if (!skr_run_init(run, own) || !skr_run_poll(run) || !skr_leaf_bounds(run, problem, &leaf) ||
        !skr_feasible_build_kept(run, &leaf, &kept->feasible)) {
        return false;
    }
    kept->bytes_when_made = skr_arena_used(run->arena);
    kept->problem.cancel = NULL;
    return true;
}

static struct skr_solver_kept *kept_new(struct skr_solver_cache *cache,
                                        const struct skr_problem *problem)
{
    struct skr_solver_kept *kept = calloc(1, sizeof *kept);
    size_t n = problem->n_resources;
    int64_t *demand = calloc(n + 1, sizeof *demand);
    if (!kept || !demand) {
        free(kept);
        free(demand);
        return NULL;
    }
    if (n > 0) {
        memcpy(demand, problem->demand, n * sizeof *demand);
    }
    memcpy(kept->rule, problem->rule, (size_t)problem->tree->n_levels * sizeof *kept->rule);
    kept->cache = cache;
    kept->demand = demand;
    kept->problem = (struct skr_problem){.tree = problem->tree,
                                         .n = problem->n,
                                         .rule = kept->rule,
                                         .n_resources = n,
                                         .demand = demand,
                                         .tie_break = problem->tie_break,
                                         .step_budget = -1};
    put_newest(cache, kept);
    return kept;
}

static struct skr_solver_kept *find(const struct skr_solver_cache *cache,
                                    const struct skr_problem *problem)
{
    struct skr_solver_kept *kept = cache->newest;
    while (kept && !same_problem(&kept->problem, problem)) {
        kept = kept->older;
    }
    return kept;
}

/* The run had to stop: drops the problem and returns the error of the run. */
static int give_up(struct skr_solver_kept *kept, struct skr_error *error)
{
    int rc = kept->run.stop == SKR_RUN_CANCELLED
                 ? skr_error_set(error, SKR_RETRY, "solver: cancelled")
                 : skr_answer_error(&kept->run, error);
    drop(kept);
    return rc;
}

/* Whether the leaf differs from what is kept; its bounds now into *ret. */
static bool differs(const struct skr_solver_kept *kept, const struct skr_problem *problem,
                    int32_t leaf, struct skr_leaf *ret)
{
    const struct skr_leaf_bounds *known = &kept->feasible.leaf;
    *ret = skr_leaf_of(problem, leaf);
    return ret->least != known->least[leaf] || ret->most != known->most[leaf] ||
           (known->room && ret->room != known->room[leaf]);
}

/* Brings one leaf up to date. False: see run.stop. */
static bool change_leaf(struct skr_solver_kept *kept, const struct skr_problem *problem,
                        int32_t leaf)
{
    struct skr_leaf now;
    return !differs(kept, problem, leaf, &now) ||
           skr_feasible_change(&kept->run, &kept->feasible, leaf, &now);
}

/* Whether so many leaves differ that making all sets anew is less work than changing each leaf. */
static bool differs_much(const struct skr_solver_kept *kept, const struct skr_problem *problem)
{
    int32_t n_leaves = problem->tree->n_leaves;
    int32_t changed = 0;
    for (int32_t leaf = 0; leaf < n_leaves && changed <= n_leaves / CHANGES_PART; leaf++) {
        struct skr_leaf now;
        changed += differs(kept, problem, leaf, &now) ? 1 : 0;
    }
    return changed > n_leaves / CHANGES_PART && n_leaves > CHANGES_PART;
}

static bool has_grown(const struct skr_solver_kept *kept)
{
    return skr_arena_used(kept->run.arena) > GROWTH * kept->bytes_when_made + GROWTH_BYTES;
}

/* Brings some leaves, or all if changed is NULL, up to date. False: see run.stop. */
static bool change_leaves(struct skr_solver_kept *kept, const struct skr_problem *problem,
                          const int32_t *changed, size_t n_changed)
{
    const bool anew = !changed && differs_much(kept, problem);
    const size_t n = changed ? n_changed : (size_t)problem->tree->n_leaves;
    bool done = true;
    for (size_t i = 0; i < n && done && !anew; i++) {
        done = change_leaf(kept, problem, changed ? changed[i] : (int32_t)i);
    }
    return done && ((!anew && !has_grown(kept)) || build(kept, problem));
}

/* The kept problem with the leaves of `problem`; made if it is not there. *ret is valid until the
 * next problem is opened. changed: those that may differ, if the problem was opened last; NULL:
 * all. */
static int open_kept(struct skr_solver_cache *cache, const struct skr_problem *problem,
                     const int32_t *changed, size_t n_changed, struct skr_solver_kept **ret,
                     struct skr_error *error)
{
    int rc = skr_problem_check(problem, error);
    if (rc != 0) {
        return rc;
    }
    struct skr_solver_kept *kept = find(cache, problem);
    bool done = true;
    if (!kept) {
        kept = kept_new(cache, problem);
        if (!kept) {
            return skr_error_set(error, SKR_NO_MEMORY, "solver: out of memory");
        }
        done = build(kept, problem);
    } else {
        changed = cache->newest == kept ? changed : NULL;
        unlink_kept(kept);
        put_newest(cache, kept);
        done = change_leaves(kept, problem, changed, n_changed);
    }
    if (!done) {
        return give_up(kept, error);
    }
    make_room(cache, kept);
    *ret = kept;
    return 0;
}

static bool is_worth_keeping(const struct skr_problem *problem)
{
    return problem->n > 0 && problem->step_budget != 0 && !problem->no_fast_paths &&
           problem->tree->n_leaves > 0 && !problem->bounds && problem->n_domain_rules == 0 &&
           !problem->roles;
}

int skr_solver_cache_solve(struct skr_solver_cache *cache, const struct skr_problem *problem,
                           struct skr_solution **ret, struct skr_error *error)
{
    struct skr_solver_kept *kept = NULL;
    struct skr_role_variant single;
    if (!is_worth_keeping(problem) || open_kept(cache, problem, NULL, 0, &kept, error) != 0) {
        return skr_solve(problem, ret, error);
    }
    skr_role_variant_init(&single, problem);
    single.problem.explain = problem->explain;
    single.problem.explain_parts = problem->explain_parts;
    return skr_answer(&single.problem, &kept->run, &kept->feasible, ret, error);
}

int skr_solver_cache_feasible(struct skr_solver_cache *cache, const struct skr_problem *problem,
                              const int32_t *changed, size_t n_changed, enum skr_solve_status *ret,
                              struct skr_error *error)
{
    struct skr_solver_kept *kept = NULL;
    struct skr_solution *solution = NULL;
    if (is_worth_keeping(problem) &&
        open_kept(cache, problem, changed, n_changed, &kept, error) == 0) {
        *ret = skr_feasible_has(&kept->run, &kept->feasible, &problem->n) ? SKR_SOLVE_PLACED
                                                                          : SKR_SOLVE_INFEASIBLE;
        return 0;
    }
    int rc = skr_solve(problem, &solution, error);
    if (rc == 0) {
        *ret = solution->status;
        skr_solution_destroy(solution);
    }
    return rc;
}
