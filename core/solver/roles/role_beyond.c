/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Beyond the exact range, in this order:
 *
 *   1. proof of no: each role alone, then each pair. Such a relaxation drops roles and rules and
 *      adds nothing; if it is infeasible, so is the problem
 *   2. coarse runs: members of side axes in blocks of 2, 4, 8, ... until the vectors are few enough
 *   3. role by role, in every order of up to four roles, else by size down and up: the roles
 *      placed so far stay where they are
 *   4. repair: one role or set kind is free, the others stay; solved exactly, round robin, until
 *      nothing improves
 *
 * What 2, 3 and 4 find obeys all rules. Steps are counted, never time.
 */
#include "core/solver/roles/role_beyond.h"

#include <stdlib.h>
#include <string.h>

#include "core/solver/roles/role_keys.h"
#include "core/solver/roles/role_variant.h"

enum { BLOCK_MAX = 1 << 16, ORDERED_ROLES_MAX = 4, REPAIRS_MAX = 64 };

struct work {
    const struct skr_problem *problem;
    size_t n_roles, n_leaves;
    struct skr_role_exact *exact;
    int64_t *free;    /* [leaf][resource] without the roles that stay */
    uint8_t *nowhere; /* [leaf] 0 */
    int32_t *count;   /* [role][leaf] of an attempt */
    int32_t *placed;  /* [role][leaf] of the roles that stay, for their variants */
    int64_t steps;
};

static bool work_init(struct work *w, const struct skr_problem *problem,
                      struct skr_role_exact *exact)
{
    *w = (struct work){.problem = problem,
                       .exact = exact,
                       .n_roles = problem->roles->n_roles,
                       .n_leaves = (size_t)problem->tree->n_leaves,
                       .steps = SKR_ROLE_STEPS_MAX / 2};
    if (problem->roles->steps > 0) {
        w->steps = problem->roles->steps / 2;
    }
    size_t cells = w->n_roles * w->n_leaves + 1;
    w->free = calloc(w->n_leaves * problem->n_resources + 1, sizeof *w->free);
    w->nowhere = calloc(w->n_leaves + 1, sizeof *w->nowhere);
    w->count = calloc(cells, sizeof *w->count);
    w->placed = calloc(cells, sizeof *w->placed);
    return w->free && w->nowhere && w->count && w->placed;
}

static void work_fini(struct work *w)
{
    free(w->free);
    free(w->nowhere);
    free(w->count);
    free(w->placed);
}

/* ---- 1. proof of no ---- */

static bool is_refuted(struct work *w)
{
    for (size_t a = 0; a < w->n_roles; a++) {
        for (size_t b = 0; b <= a; b++) {
            uint32_t mask = UINT32_C(1) << a | UINT32_C(1) << b;
            struct skr_role_variant v;
            if (w->n_roles == 2 && a != b) {
                continue;
            }
            skr_role_variant_init(&v, w->problem);
            skr_role_variant_keep_roles(&v, mask);
            int64_t steps = w->steps / 8;
            int64_t before = steps;
            enum skr_role_verdict verdict = skr_role_feasible(&v.problem, &steps);
            w->steps -= before - steps;
            if (verdict == SKR_ROLE_INFEASIBLE || verdict == SKR_ROLE_CANCELLED) {
                w->exact->verdict = verdict;
                return true;
            }
        }
    }
    return false;
}

/* ---- 2. coarse runs ---- */

static bool found_coarsely(struct work *w)
{
    for (int32_t block = 2; block <= BLOCK_MAX; block *= 2) {
        struct skr_role_exact coarse = {
            .block = block, .count = w->exact->count, .steps = w->steps / 4};
        int64_t before = coarse.steps;
        skr_role_exact_run(w->problem, &coarse);
        w->steps -= before - coarse.steps;
        if (coarse.verdict == SKR_ROLE_PLACED) {
            memcpy(w->exact->size, coarse.size, sizeof coarse.size);
            w->exact->rows += coarse.rows;
            return true;
        }
        if (coarse.verdict == SKR_ROLE_INFEASIBLE) {
            return false; /* larger blocks find less */
        }
        if (coarse.verdict != SKR_ROLE_BEYOND) {
            w->exact->verdict = coarse.verdict;
            return false;
        }
    }
    return false;
}

/* ---- 3. and 4.: some roles stay ---- */

/* Solves for the roles of `all`, of which those of `stay` keep the counts that from[role][leaf]
 * says. Counts of all roles of `all` into w->count on success. */
static enum skr_role_verdict solve_with(struct work *w, uint32_t all, uint32_t stay,
                                        const int32_t *from, int32_t *size)
{
    const struct skr_problem *problem = w->problem;
    struct skr_role_variant v;
    skr_role_variant_init(&v, problem);
    memcpy(w->free, problem->free, w->n_leaves * problem->n_resources * sizeof *w->free);
    memcpy(w->placed, from, w->n_roles * w->n_leaves * sizeof *w->placed);
    for (size_t r = 0; r < w->n_roles; r++) {
        const int32_t *placed = w->placed + r * w->n_leaves;
        if ((stay >> r & 1) == 0) {
            continue;
        }
        v.role[r].n = size[r];
        v.role[r].minimum = size[r];
        for (size_t leaf = 0; leaf < w->n_leaves; leaf++) {
            int32_t claimed = v.role[r].claimed ? v.role[r].claimed[leaf] : 0;
            for (size_t d = 0; d < problem->n_resources; d++) {
                w->free[leaf * problem->n_resources + d] -=
                    (placed[leaf] - claimed) * v.role[r].demand[d];
            }
        }
        v.role[r].claimed = placed;
        v.role[r].eligible = w->nowhere;
    }
    v.problem.free = w->free;
    skr_role_variant_keep_roles(&v, all);
    struct skr_role_exact exact = {.count = w->count, .steps = w->steps / 4};
    int64_t before = exact.steps;
    skr_role_exact_run(&v.problem, &exact);
    w->steps -= before - exact.steps;
    if (exact.verdict == SKR_ROLE_PLACED) {
        /* The variant numbers the roles of `all` from 0. */
        size_t n = v.roles.n_roles;
        for (size_t r = w->n_roles; r-- > 0;) {
            if ((all >> r & 1) != 0) {
                n--;
                memmove(w->count + r * w->n_leaves, w->count + n * w->n_leaves,
                        w->n_leaves * sizeof *w->count);
                size[r] = exact.size[n];
            }
        }
    }
    return exact.verdict;
}

/* Roles that stay count as claims, and claims may exceed a cap. So what was found may exceed one
 * that claims exceed, too. */
static bool is_valid(const struct work *w, const int32_t *count, const int32_t *size)
{
    return skr_roles_check(w->problem, size, count, NULL) == 0;
}

static bool found_in_order(struct work *w, const size_t *order)
{
    uint32_t placed = 0;
    int32_t size[SKR_ROLES_MAX] = {0};
    for (size_t i = 0; i < w->n_roles; i++) {
        uint32_t all = placed | UINT32_C(1) << order[i];
        enum skr_role_verdict verdict = solve_with(w, all, placed, w->exact->count, size);
        if (verdict == SKR_ROLE_CANCELLED || verdict == SKR_ROLE_NO_MEMORY) {
            w->exact->verdict = verdict;
        }
        if (verdict != SKR_ROLE_PLACED) {
            return false;
        }
        memcpy(w->exact->count, w->count, w->n_roles * w->n_leaves * sizeof *w->count);
        placed = all;
    }
    memcpy(w->exact->size, size, sizeof size);
    return is_valid(w, w->exact->count, size);
}

/* The next order in lexicographic order of ranks; false after the last. */
static bool next_order(size_t *rank, size_t n)
{
    size_t i = n - 1;
    while (i > 0 && rank[i - 1] >= rank[i]) {
        i--;
    }
    if (i == 0) {
        return false;
    }
    size_t j = n - 1;
    while (rank[j] <= rank[i - 1]) {
        j--;
    }
    size_t moved = rank[i - 1];
    rank[i - 1] = rank[j];
    rank[j] = moved;
    for (size_t a = i, b = n - 1; a < b; a++, b--) {
        moved = rank[a];
        rank[a] = rank[b];
        rank[b] = moved;
    }
    return true;
}

static bool found_by_role(struct work *w)
{
    size_t by_size[SKR_ROLES_MAX];
    size_t rank[SKR_ROLES_MAX];
    size_t order[SKR_ROLES_MAX];
    for (size_t r = 0; r < w->n_roles; r++) {
        size_t at = r;
        while (at > 0 &&
               w->problem->roles->role[by_size[at - 1]].n < w->problem->roles->role[r].n) {
            by_size[at] = by_size[at - 1];
            at--;
        }
        by_size[at] = r;
        rank[r] = r;
    }
    do {
        for (size_t i = 0; i < w->n_roles; i++) {
            order[i] = by_size[rank[i]];
        }
        if (found_in_order(w, order)) {
            return true;
        }
    } while (w->exact->verdict == SKR_ROLE_BEYOND && w->steps > 0 &&
             w->n_roles <= ORDERED_ROLES_MAX && next_order(rank, w->n_roles));
    for (size_t i = 0; i < w->n_roles; i++) {
        order[i] = by_size[w->n_roles - 1 - i];
    }
    return w->exact->verdict == SKR_ROLE_BEYOND && w->n_roles > ORDERED_ROLES_MAX &&
           found_in_order(w, order);
}

/* The roles that are freed together with a role: itself, or its set kind. */
static uint32_t together(const struct skr_roles *roles, size_t role)
{
    uint32_t mask = UINT32_C(1) << role;
    for (size_t k = 0; k < roles->n_kinds; k++) {
        for (size_t r = 0; r < roles->n_roles && roles->kind[k].each[role] > 0; r++) {
            mask |= roles->kind[k].each[r] > 0 ? UINT32_C(1) << r : 0;
        }
    }
    return mask;
}

/* Whether the attempt in w->count is better. */
static bool is_better(const struct work *w)
{
    size_t bytes = (size_t)64 * 1024 + 256 * (w->n_roles + 1) * (size_t)w->problem->tree->n_units;
    struct skr_arena *arena = skr_arena_create(bytes, 0);
    struct skr_role_keys a;
    struct skr_role_keys b;
    bool better = arena && skr_role_keys_make(w->problem, w->count, arena, &a) &&
                  skr_role_keys_make(w->problem, w->exact->count, arena, &b) &&
                  skr_role_keys_compare(w->problem, &a, &b) < 0;
    skr_arena_destroy(arena);
    return better;
}

static void repair(struct work *w)
{
    uint32_t all = (UINT32_C(1) << w->n_roles) - 1;
    size_t idle = 0;
    size_t r = 0;
    for (int32_t i = 0; i < REPAIRS_MAX && idle < w->n_roles && w->steps > 0; i++) {
        uint32_t mask = together(w->problem->roles, r);
        int32_t size[SKR_ROLES_MAX];
        memcpy(size, w->exact->size, sizeof size);
        enum skr_role_verdict verdict = SKR_ROLE_INFEASIBLE;
        if (mask != all) {
            verdict = solve_with(w, all, all & ~mask, w->exact->count, size);
        }
        if (verdict == SKR_ROLE_CANCELLED) {
            return;
        }
        idle++;
        if (verdict == SKR_ROLE_PLACED &&
            memcmp(size, w->exact->size, w->n_roles * sizeof *size) == 0 && is_better(w) &&
            is_valid(w, w->count, size)) {
            memcpy(w->exact->count, w->count, w->n_roles * w->n_leaves * sizeof *w->count);
            idle = 0;
        }
        r = (r + 1) % w->n_roles;
    }
}

void skr_role_beyond(const struct skr_problem *problem, struct skr_role_exact *exact)
{
    struct work w;
    if (!work_init(&w, problem, exact)) {
        exact->verdict = SKR_ROLE_NO_MEMORY;
    } else if (exact->verdict == SKR_ROLE_PLACED) {
        repair(&w);
    } else if (!is_refuted(&w) &&
               (found_coarsely(&w) || (exact->verdict == SKR_ROLE_BEYOND && found_by_role(&w)))) {
        exact->verdict = SKR_ROLE_PLACED;
        exact->optimal = false;
        repair(&w);
    }
    work_fini(&w);
}
