/* SPDX-License-Identifier: Apache-2.0 */
/* Runs requests on a worker, which caches up to CACHE_BYTES of problems of one tree. */
#include "core/gang/state/solve_request.h"

#include <stdlib.h>
#include <string.h>

#include "topology/base/arena.h"

#define CACHE_BYTES ((size_t)32 * 1024 * 1024)

/* A worker's cache of problems. */
struct kept {
    struct skr_solver_cache *cache;
    const struct skr_tree *tree; /* a reference: the cache's problems use it */
};

static void *open_worker(void)
{
    struct skr_solver_cache *cache = skr_solver_cache_create(CACHE_BYTES);
    if (!cache) {
        return NULL;
    }
    struct kept *kept = skr_alloc(sizeof *kept);
    kept->cache = cache;
    return kept;
}

static void close_worker(void *memory)
{
    struct kept *kept = memory;
    if (kept) {
        skr_solver_cache_destroy(kept->cache);
        skr_tree_unref(kept->tree);
        free(kept);
    }
}

static void keep_tree(struct kept *kept, const struct skr_tree *tree)
{
    if (tree != kept->tree) {
        skr_solver_cache_forget(kept->cache, kept->tree);
        skr_tree_unref(kept->tree);
        kept->tree = skr_tree_ref(tree);
    }
}

static int solve(struct kept *kept, struct skr_solve_request *r)
{
    if (!kept) {
        return skr_solve(&r->problem, &r->solution, &r->error);
    }
    keep_tree(kept, r->problem.tree);
    return skr_solver_cache_solve(kept->cache, &r->problem, &r->solution, &r->error);
}

/* Would they fit if none of them had a seat yet? Bypasses the cache, which is for recurring
 * problems. */
static void solve_anew(struct skr_solve_request *r)
{
    struct skr_error error;
    if (!r->anew || !r->solution || r->solution->status != SKR_SOLVE_INFEASIBLE ||
        skr_solve(r->anew, &r->moved, &error) < 0) {
        r->moved = NULL;
        return;
    }
    if (r->moved->status != SKR_SOLVE_PLACED) {
        skr_solution_destroy(r->moved);
        r->moved = NULL;
    }
}

/* No leaf or region of this cluster has room for the users of a claim, or a rule forbids it. */
static void solve_emptied(struct skr_solve_request *r)
{
    const struct skr_solution *s = r->solution;
    const size_t n = s && s->status == SKR_SOLVE_INFEASIBLE ? s->domains.n_rules : 0;
    struct skr_problem emptied = r->problem;
    struct skr_error error;
    SKR_AUTO(skr_solution_destroy) struct skr_solution *other = NULL;
    size_t i = 0;
    while (i < n && (s->domains.rule[i].kind != SKR_DOMAIN_ONE ||
                     strncmp(s->domains.rule[i].name, SKR_RULE_OF_CLAIM,
                             sizeof SKR_RULE_OF_CLAIM - 1) != 0)) {
        i++;
    }
    emptied.free = emptied.capacity;
    emptied.explain = false;
    r->claim_never =
        i < n && skr_solve(&emptied, &other, &error) == 0 && other->status == SKR_SOLVE_INFEASIBLE;
}

static void run(struct skr_work *work, void *kept)
{
    struct skr_solve_request *r = skr_solve_request_of(work);
    if (r->other) {
        struct skr_solver_cache *own = kept ? NULL : skr_solver_cache_create(CACHE_BYTES);
        if (kept) {
            keep_tree(kept, r->tree);
        }
        r->other(r->input, kept ? ((struct kept *)kept)->cache : own);
        skr_solver_cache_destroy(own);
        return;
    }
    if (r->preemption) {
        if (skr_victims_find(r->preemption, &r->victims, &r->error) < 0) {
            r->victims = NULL;
        }
        return;
    }
    if (solve(kept, r) < 0) {
        r->solution = NULL;
    }
    solve_anew(r);
    solve_emptied(r);
}

static void destroy(struct skr_work *work)
{
    skr_solve_request_destroy(skr_solve_request_of(work));
}

const struct skr_work_type skr_solve_work = {
    .open = open_worker, .close = close_worker, .run = run, .destroy = destroy};

struct skr_solve_request *skr_solve_request_of(struct skr_work *work)
{
    return (struct skr_solve_request *)work;
}

struct skr_solve_request *skr_solve_request_create(void)
{
    static const struct skr_request_roles equal = {.n = 1, .role = {SKR_ROLE_OF_ALL}};
    struct skr_solve_request *r = skr_alloc(sizeof *r);
    r->work.type = &skr_solve_work;
    r->roles = &equal;
    return r;
}

void skr_solve_request_destroy(struct skr_solve_request *request)
{
    if (!request) {
        return;
    }
    skr_solution_destroy(request->solution);
    skr_solution_destroy(request->moved);
    skr_victims_destroy(request->victims);
    if (request->destroy_other) {
        request->destroy_other(request->input);
    }
    skr_tree_unref(request->tree);
    skr_arena_destroy(request->arena);
    free(request);
}
