/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Beyond the exact range, in this order:
 *
 *   1. proof of no (role_refute.h)
 *   2. coarse runs: members of side axes in blocks of 2, 4, 8, ... until the vectors are few enough
 *   3. role by role, in many orders: the roles placed so far stay where they are. If no order is
 *      found, the same with other types of rules and other ties, which leave other room to the rest
 *   4. repair: one role or set kind is free, the others stay; solved exactly, round robin, until
 *      nothing improves
 *   5. if nothing is decided: a placement of a part. In some orders every role or set kind gets as
 *      many members as there is room for; the one that leaves out the fewest counts
 *
 * What 2 to 5 find obeys all rules. Steps are counted, never time.
 */
#include "core/solver/role_beyond.h"

#include <stdlib.h>
#include <string.h>

#include "core/solver/role_keys.h"
#include "core/solver/role_refute.h"
#include "core/solver/role_variant.h"

enum {
    BLOCK_MAX = 1 << 16,
    ORDERS_MAX = 60, /* all of four roles; of five, those of the first three */
    REPAIRS_MAX = 64,
    PARTS_MAX = 12,   /* orders of a placement of a part */
    LEAF_STEPS = 500, /* what a solve takes for each leaf, whatever it finds */
};

struct work {
    const struct skr_problem *problem;
    size_t n_roles, n_leaves;
    struct skr_role_exact *exact;
    int64_t *free;    /* [leaf][resource] without the roles that stay */
    uint8_t *nowhere; /* [leaf] 0 */
    int32_t *count;   /* [role][leaf] of an attempt */
    int32_t *placed;  /* [role][leaf] of the roles that stay, for their variants */
    int64_t steps;
    uint32_t style; /* of the attempts at hand */
    bool of_part;   /* of roles that do not stay, any number is enough */
};

/* A placement of some roles that is worse by its keys may leave more room for the others. */
enum { OTHER_TYPES = 1, OTHER_TIES = 2, STYLE_COUNT = 4 };

static int64_t steps_of(const struct skr_problem *problem)
{
    return problem->roles->steps > 0 ? problem->roles->steps : SKR_ROLE_STEPS_MAX;
}

static bool work_init(struct work *w, const struct skr_problem *problem,
                      struct skr_role_exact *exact)
{
    *w = (struct work){.problem = problem,
                       .exact = exact,
                       .n_roles = problem->roles->n_roles,
                       .n_leaves = (size_t)problem->tree->n_leaves,
                       .steps = steps_of(problem) / 2};
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
    enum skr_role_verdict verdict = skr_role_refute(w->problem, &w->steps);
    if (verdict != SKR_ROLE_BEYOND) {
        w->exact->verdict = verdict;
    }
    return verdict != SKR_ROLE_BEYOND;
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

static void turn_type(struct skr_rule *rule)
{
    if (!rule->hard) {
        rule->type = rule->type == SKR_RULE_PACK ? SKR_RULE_SPREAD : SKR_RULE_PACK;
    }
}

static void set_style(const struct work *w, struct skr_role_variant *v)
{
    if ((w->style & OTHER_TIES) != 0) {
        v->problem.tie_break = v->problem.tie_break == SKR_TIE_TREE ? SKR_TIE_TIGHT : SKR_TIE_TREE;
    }
    for (int32_t l = 0; l < v->problem.tree->n_levels && (w->style & OTHER_TYPES) != 0; l++) {
        turn_type(&v->rule[l]);
        for (size_t r = 0; r < w->n_roles; r++) {
            turn_type(&v->own[r][l]);
        }
    }
}

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
            v.role[r].minimum = w->of_part ? 0 : v.role[r].minimum;
            continue;
        }
        v.role[r].n = size[r];
        v.role[r].minimum = size[r];
        for (size_t leaf = 0; leaf < w->n_leaves; leaf++) {
            int32_t claimed = skr_role_claimed(&v.role[r], (int32_t)leaf);
            for (size_t d = 0; d < problem->n_resources; d++) {
                w->free[leaf * problem->n_resources + d] -=
                    (placed[leaf] - claimed) * v.role[r].demand[d];
            }
        }
        v.role[r].claimed = placed;
        v.role[r].eligible = w->nowhere;
    }
    v.problem.free = w->free;
    set_style(w, &v);
    skr_role_variant_keep_roles(&v, all);
    struct skr_role_exact exact = {.count = w->count, .steps = w->steps / 4};
    int64_t before = exact.steps;
    skr_role_exact_run(&v.problem, &exact);
    w->steps -= before - exact.steps + LEAF_STEPS * (int64_t)w->n_leaves;
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

/* The roles that are freed or placed together with a role: itself, or its set kind. */
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

/* Places role after role, of a part set kind after set kind, those placed so far stay. Counts into
 * exact->count. */
static bool place_in_order(struct work *w, const size_t *order, int32_t *size)
{
    uint32_t placed = 0;
    memset(size, 0, SKR_ROLES_MAX * sizeof *size);
    for (size_t i = 0; i < w->n_roles; i++) {
        uint32_t all =
            placed | (w->of_part ? together(w->problem->roles, order[i]) : UINT32_C(1) << order[i]);
        if (all == placed) {
            continue;
        }
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
    return is_valid(w, w->exact->count, size);
}

/* Order number i of the roles, whose sizes descend in from; order 0 is from. False: there are not so
 * many. */
static bool order_of(const size_t *from, size_t n, size_t i, size_t *ret)
{
    size_t left[SKR_ROLES_MAX];
    memcpy(left, from, n * sizeof *left);
    for (size_t at = 0; at < n; at++) {
        size_t n_left = n - at;
        size_t take = i % n_left;
        i /= n_left;
        ret[at] = left[take];
        memmove(&left[take], &left[take + 1], (n_left - take - 1) * sizeof *left);
    }
    return i == 0;
}

static void sort_by_size(const struct work *w, size_t *ret)
{
    for (size_t r = 0; r < w->n_roles; r++) {
        size_t at = r;
        while (at > 0 && w->problem->roles->role[ret[at - 1]].n < w->problem->roles->role[r].n) {
            ret[at] = ret[at - 1];
            at--;
        }
        ret[at] = r;
    }
}

static bool found_by_role(struct work *w)
{
    size_t by_size[SKR_ROLES_MAX] = {0};
    size_t order[SKR_ROLES_MAX] = {0};
    bool found = false;
    sort_by_size(w, by_size);
    for (w->style = 0; w->style < STYLE_COUNT && !found; w->style++) {
        for (size_t i = 0; i < ORDERS_MAX && order_of(by_size, w->n_roles, i, order) && !found &&
                           w->exact->verdict == SKR_ROLE_BEYOND && w->steps > 0;
             i++) {
            found = place_in_order(w, order, w->exact->size);
        }
    }
    w->style = 0;
    return found;
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

/* ---- 5. a placement of a part ---- */

/* It has steps of its own. Whether all members are placed. */
static bool found_part(struct work *w)
{
    size_t by_size[SKR_ROLES_MAX] = {0};
    size_t order[SKR_ROLES_MAX] = {0};
    int32_t least = INT32_MAX;
    sort_by_size(w, by_size);
    w->of_part = true;
    w->steps = steps_of(w->problem) / 8;
    for (size_t i = 0;
         i < PARTS_MAX && order_of(by_size, w->n_roles, i, order) && w->steps > 0 && least > 0;
         i++) {
        int32_t size[SKR_ROLES_MAX];
        int32_t left = 0;
        if (!place_in_order(w, order, size)) {
            continue;
        }
        for (size_t r = 0; r < w->n_roles; r++) {
            left += w->problem->roles->role[r].n - size[r];
        }
        if (left < least) {
            least = left;
            memcpy(w->exact->size, size, sizeof size);
        }
    }
    w->exact->part = least < INT32_MAX;
    return least == 0;
}

void skr_role_beyond(const struct skr_problem *problem, struct skr_role_exact *exact)
{
    struct work w;
    if (!work_init(&w, problem, exact)) {
        exact->verdict = SKR_ROLE_NO_MEMORY;
    } else if (exact->verdict == SKR_ROLE_PLACED) {
        repair(&w);
    } else if (!is_refuted(&w) &&
               (found_coarsely(&w) || (exact->verdict == SKR_ROLE_BEYOND && found_by_role(&w)) ||
                (exact->verdict == SKR_ROLE_BEYOND && found_part(&w)))) {
        exact->verdict = SKR_ROLE_PLACED;
        exact->optimal = false;
        repair(&w);
    }
    work_fini(&w);
}
