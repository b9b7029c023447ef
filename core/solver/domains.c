/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rules over domains, by solves of a tree that has the domains as levels (domain_tree.h) and bounds
 * of its units.
 *
 * Some rules leave a choice that bounds cannot express (domain_choices.c): SKEW its least count m
 * (every domain ends with m or more, none that takes a member with more than m + maxSkew), ONE over
 * crossing domains the domain. All possible choices are tried, and the best answer is taken.
 *
 * Crossing rules are obeyed by branching. Without them the answer is a bound. If it breaks a rule,
 * some leaf of the domain that is too full holds at most v, or more than v (and likewise of a
 * domain that is too empty). Both branches are solved anew, until no rule is broken or no branch is
 * left. The search is complete unless SKR_DOMAIN_SOLVES_MAX ends it.
 *
 * Roles that exclude others are a cap of the made tree if the domains nest. Otherwise the two branches of
 * a domain that has both are: no new member of the ones, no new member of the others.
 */
#include "core/solver/domains.h"

#include <string.h>

#include "core/solver/answer.h"
#include "core/solver/domain_blocking.h"
#include "core/solver/domain_choices.h"
#include "core/solver/each_role.h"
#include "core/solver/role_domains.h"
#include "core/solver/role_explain.h"
#include "core/solver/solver.h"
#include "topology/base/arena.h"

/* Steps of one solve in a problem with roles: one choice that is hard to refuse must not take all. */
#define SOLVE_STEPS_MAX (SKR_ROLE_STEPS_MAX / 4)
/* Steps for a better placement than the first that was found. */
#define BETTER_STEPS_MAX (SKR_ROLE_STEPS_MAX / 512)

static void *get(struct skr_domain_search *s, size_t n, size_t size)
{
    void *memory = s->rc == 0 ? skr_arena_array(s->arena, n + 1, size) : NULL;
    if (!memory && s->rc == 0) {
        s->rc = skr_error_set(s->error, SKR_NO_MEMORY, "solver: out of memory");
    }
    return memory;
}

/* ---- the inner problem ---- */

static bool permute(struct skr_domain_search *s)
{
    const struct skr_problem *from = s->problem;
    const bool lone = from->roles->n_roles == 1;
    size_t n = (size_t)from->tree->n_leaves;
    size_t width = from->n_resources;
    s->inner = *from;
    s->inner.tree = &s->made.tree;
    s->inner.rule = s->made.rule;
    s->inner.explain = false;
    s->inner.domain_rule = NULL;
    s->inner.n_domain_rules = 0;
    s->free = get(s, n * width, sizeof *s->free);
    for (size_t r = 0; r < s->n_rules; r++) {
        s->bounds[r] =
            r > 0 && lone ? s->bounds[0] : get(s, (size_t)s->made.tree.n_units, sizeof **s->bounds);
    }
    s->outside = get(s, (size_t)s->made.tree.n_units, sizeof *s->outside);
    if (s->rc != 0 || !s->free) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        int32_t leaf = s->made.leaf[i];
        memcpy(s->free + i * width, from->free + (size_t)leaf * width, width * sizeof *s->free);
    }
    s->inner.free = s->free;
    s->inner.capacity = NULL;
    s->inner.bounds = lone ? s->bounds[0] : NULL;
    if (!skr_role_domains_permute(s)) {
        s->rc = skr_error_set(s->error, SKR_NO_MEMORY, "solver: out of memory");
    }
    return s->rc == 0;
}

static bool count_domains(struct skr_domain_search *s)
{
    int32_t most = 0;
    for (size_t r = 0; r < s->n_rules; r++) {
        const struct skr_domain_rule *rule = &s->rule[r];
        most = rule->n_domains > most ? rule->n_domains : most;
        s->claims[r] = get(s, (size_t)rule->n_domains, sizeof **s->claims);
        s->room[r] = get(s, (size_t)rule->n_domains, sizeof **s->room);
        for (int32_t i = 0; i < s->made.tree.n_leaves && s->rc == 0; i++) {
            int32_t domain = rule->domain[s->made.leaf[i]];
            if (domain >= 0) {
                s->claims[r][domain] += s->claims_of[r][i];
                s->room[r][domain] += skr_role_domains_room(s, r, i);
            }
        }
    }
    s->sum = get(s, (size_t)most, sizeof *s->sum);
    s->count = get(s, (size_t)s->made.tree.n_leaves, sizeof *s->count);
    return s->rc == 0;
}

/* ---- crossing rules ---- */

struct breach {
    size_t rule;
    int32_t domain;
    int64_t by; /* > 0: too many, < 0: too few */
};

static void sum_domains(const struct skr_domain_search *s, size_t r)
{
    memset(s->sum, 0, (size_t)s->rule[r].n_domains * sizeof *s->sum);
    for (int32_t i = 0; i < s->made.tree.n_leaves; i++) {
        int32_t domain = s->rule[r].domain[s->made.leaf[i]];
        if (domain >= 0) {
            s->sum[domain] += s->count[i];
        }
    }
}

static bool find_breach(const struct skr_domain_search *s, const struct skr_solution *solution,
                        struct breach *ret)
{
    for (size_t r = 0; r < s->n_rules; r++) {
        if (s->made.level_of[r] != 0 || s->rule[r].against != 0) {
            continue;
        }
        skr_role_domains_count(s, r, solution);
        sum_domains(s, r);
        for (int32_t d = 0; d < s->rule[r].n_domains; d++) {
            struct skr_unit_bounds a = skr_domain_allowed(s, r, d);
            if (s->sum[d] > a.most || s->sum[d] < a.least) {
                *ret = (struct breach){r, d,
                                       s->sum[d] > a.most ? (int64_t)s->sum[d] - a.most
                                                          : (int64_t)s->sum[d] - a.least};
                return true;
            }
        }
    }
    return false;
}

/* The leaf of the domain to branch on: the one with the most new members if the domain is too full,
 * with the most room if it is too empty; -1: none can change. */
static int32_t branch_leaf(const struct skr_domain_search *s, const struct breach *b)
{
    const struct skr_tree *tree = &s->made.tree;
    int32_t best = -1;
    int32_t best_value = 0;
    for (int32_t i = 0; i < tree->n_leaves; i++) {
        if (s->rule[b->rule].domain[s->made.leaf[i]] != b->domain) {
            continue;
        }
        const struct skr_unit_bounds *bounds = &s->bounds[b->rule][tree->first_leaf + i];
        int32_t claims = s->claims_of[b->rule][i];
        int32_t least = claims > bounds->least ? claims : bounds->least;
        int32_t value = s->count[i] - least;
        if (b->by < 0) {
            int32_t fit = claims + (int32_t)skr_role_domains_room(s, b->rule, i);
            fit = fit < s->n[b->rule] || claims > fit ? fit : s->n[b->rule];
            value = (fit < bounds->most ? fit : bounds->most) - s->count[i];
        }
        if (value > best_value) {
            best = i;
            best_value = value;
        }
    }
    return best;
}

static void take(struct skr_domain_search *s, const struct skr_solution *solution)
{
    s->limited = s->limited || !solution->optimal;
    if (!s->best && s->steps > BETTER_STEPS_MAX) {
        s->steps = BETTER_STEPS_MAX;
    }
    if (!skr_role_domains_take(s, solution)) {
        s->rc = skr_error_set(s->error, SKR_NO_MEMORY, "solver: out of memory");
    }
}

/* Depth: at most SKR_DOMAIN_SOLVES_MAX, one solve each. */
static void branch(struct skr_domain_search *s);

static void branch_with(struct skr_domain_search *s, size_t rule, int32_t leaf,
                        struct skr_unit_bounds bounds)
{
    struct skr_unit_bounds *at = &s->bounds[rule][s->made.tree.first_leaf + leaf];
    struct skr_unit_bounds before = *at;
    *at = bounds;
    if (bounds.least <= bounds.most) {
        branch(s);
    }
    *at = before;
}

/* One of the sides of the rule leaves the domain. If members of it stay there, the other side does; if
 * members of both stay, both take no new ones. */
static void branch_apart(struct skr_domain_search *s, const struct skr_domain_rule *rule,
                         int32_t domain)
{
    const bool stays = skr_role_domains_claim(s, rule, domain, rule->roles);
    const bool others = skr_role_domains_claim(s, rule, domain, rule->against);
    const int32_t id = s->solves;
    for (int side = 0; side < 2; side++) {
        const uint32_t roles = stays && others ? rule->roles | rule->against
                               : side == 0     ? rule->against
                                               : rule->roles;
        if (side == 0 ? others && !stays : stays) {
            continue;
        }
        skr_role_domains_close(s, rule, domain, roles, id);
        branch(s);
        skr_role_domains_open(s, roles, id);
    }
}

static void branch(struct skr_domain_search *s)
{
    if (s->rc != 0) {
        return;
    }
    if (s->solves >= s->solves_end || s->steps <= 0) {
        s->limited = true;
        return;
    }
    struct skr_solution *solution = NULL;
    s->solves++;
    s->roles->roles.steps = s->steps < SOLVE_STEPS_MAX ? s->steps : SOLVE_STEPS_MAX;
    s->rc = skr_solve(&s->inner, &solution, s->error);
    if (s->rc != 0) {
        return;
    }
    s->steps -= solution->roles->steps;
    struct breach b;
    if (solution->status == SKR_SOLVE_TIMEOUT) {
        s->limited = true;
    } else if (solution->status == SKR_SOLVE_PLACED) {
        size_t rule = 0;
        int32_t domain = -1;
        while (rule < s->n_rules &&
               (domain = skr_role_domains_clash(s, &s->rule[rule], solution)) < 0) {
            rule++;
        }
        if (domain >= 0) {
            skr_solution_destroy(solution);
            branch_apart(s, &s->rule[rule], domain);
            return;
        }
        if (!find_breach(s, solution, &b)) {
            take(s, solution);
        } else {
            int32_t leaf = branch_leaf(s, &b);
            if (leaf >= 0) {
                int32_t x = s->count[leaf];
                int32_t claims = s->claims_of[b.rule][leaf];
                struct skr_unit_bounds now = s->bounds[b.rule][s->made.tree.first_leaf + leaf];
                int64_t to = x - b.by;
                int32_t least = claims > now.least ? claims : now.least;
                to = to < least ? least : to > now.most ? now.most : to;
                int32_t half = b.by > 0 ? (int32_t)to : (int32_t)to - 1;
                struct skr_unit_bounds low = {now.least, half};
                struct skr_unit_bounds high = {half + 1, now.most};
                skr_solution_destroy(solution);
                branch_with(s, b.rule, leaf, b.by > 0 ? low : high);
                branch_with(s, b.rule, leaf, b.by > 0 ? high : low);
                return;
            }
        }
    }
    skr_solution_destroy(solution);
}

/* ---- the answer ---- */

static void run(struct skr_domain_search *s)
{
    if (!skr_domain_tree_make(s->problem, s->rule, s->n_rules, s->arena, &s->made)) {
        s->rc = skr_error_set(s->error, SKR_NO_MEMORY, "solver: out of memory");
        return;
    }
    if (!permute(s) || !count_domains(s) || !skr_domain_first_choices(s)) {
        return;
    }
    /* Every choice gets its share of the solves: one that is hard to refuse must not hide the
     * others. */
    int32_t choices = 1;
    while (choices < SKR_DOMAIN_SOLVES_MAX && skr_domain_next_choices(s)) {
        choices++;
    }
    skr_domain_first_choices(s);
    do {
        s->solves_end = s->solves + SKR_DOMAIN_SOLVES_MAX / choices;
        skr_domain_set_bounds(s);
        branch(s);
        if (s->solves >= SKR_DOMAIN_SOLVES_MAX && skr_domain_next_choices(s)) {
            s->limited = true;
            return;
        }
    } while (s->rc == 0 && s->solves < SKR_DOMAIN_SOLVES_MAX && skr_domain_next_choices(s));
}

/* Whether there is a placement under n_rules rules; -1 with s->rc set. */
static int search(struct skr_domain_search *s, const struct skr_problem *problem,
                  const struct skr_domain_rule *rule, size_t n_rules, struct skr_error *error)
{
    size_t limit = problem->byte_limit != 0 ? problem->byte_limit : SKR_SOLVER_BYTES_MAX;
    *s = (struct skr_domain_search){
        .problem = problem, .rule = rule, .n_rules = n_rules, .error = error};
    s->steps = SKR_ROLE_STEPS_MAX;
    s->arena = skr_arena_create(limit, (size_t)64 * 1024);
    if (!s->arena) {
        s->rc = skr_error_set(error, SKR_NO_MEMORY, "solver: out of memory");
        return -1;
    }
    run(s);
    return s->rc != 0 ? -1 : s->best ? 1 : 0;
}

/* With several roles a choice that is not decided counts as fitting. */
static bool fits_with(const struct skr_problem *problem, const struct skr_domain_rule *rule,
                      size_t n_rules, struct skr_domain_outcome *outcome)
{
    struct skr_domain_search s;
    bool fits =
        search(&s, problem, rule, n_rules, NULL) > 0 || (s.limited && problem->roles->n_roles > 1);
    outcome->solves += s.solves;
    skr_arena_destroy(s.arena);
    return fits;
}

/* The answer of a problem whose best placement without the rules breaks them. */
static int solve(const struct skr_problem *problem, bool single, struct skr_domain_outcome *outcome,
                 struct skr_solution **ret, struct skr_error *error)
{
    struct skr_domain_search s;
    int rc =
        search(&s, problem, problem->domain_rule, problem->n_domain_rules, error) < 0 ? s.rc : 0;
    if (rc == 0) {
        const bool said = !s.limited || (single && !s.best);
        rc = skr_roles_answer(problem, s.best, s.best_size, said, ret, error);
    }
    if (rc == 0) {
        outcome->solves += s.solves;
        outcome->proven = !s.limited;
        if ((*ret)->status == SKR_SOLVE_INFEASIBLE) {
            skr_role_explain_nothing(&(*ret)->roles->explanation);
            skr_domain_report_blocking(&s, problem, *ret, fits_with, outcome);
        }
        (*ret)->domains = *outcome;
    }
    skr_arena_destroy(s.arena);
    return rc;
}

int skr_solve_domains(const struct skr_problem *problem, bool single, struct skr_solution **ret,
                      struct skr_error *error)
{
    struct skr_domain_outcome outcome = {.blocking = -1, .largest = -1, .solves = 1};
    struct skr_problem plain = *problem;
    plain.domain_rule = NULL;
    plain.n_domain_rules = 0;
    if (problem->n_domain_rules > SKR_DOMAIN_RULES_MAX) {
        return skr_error_set(error, SKR_LIMIT,
                             "solver: %zu rules over domains, at most %d (SKR_DOMAIN_RULES_MAX)",
                             problem->n_domain_rules, SKR_DOMAIN_RULES_MAX);
    }
    int rc = single ? skr_answer(&plain, NULL, NULL, ret, error) : skr_solve(&plain, ret, error);
    if (rc != 0) {
        return rc;
    }
    bool placed = (*ret)->status == SKR_SOLVE_PLACED;
    const int32_t *count = placed ? skr_solution_of_role(*ret, problem->tree, 0) : NULL;
    if (!placed || problem->n == 0 || skr_domains_check(problem, count, NULL) == 0) {
        outcome.proven = placed ? (*ret)->optimal : (*ret)->status == SKR_SOLVE_INFEASIBLE;
        if (placed) { /* sizes and keys are those without the rules */
            (*ret)->explanation = (struct skr_explanation){.largest = problem->n};
            (*ret)->best_alone = (*ret)->best_empty = NULL;
        }
        (*ret)->domains = outcome;
        return 0;
    }
    skr_solution_destroy(*ret);
    *ret = NULL;
    rc = solve(problem, single, &outcome, ret, error);
    if (rc == 0 && single) {
        (*ret)->roles = NULL;
    }
    return rc;
}
