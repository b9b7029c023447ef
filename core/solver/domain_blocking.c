/* SPDX-License-Identifier: Apache-2.0 */
/* Why rules over domains make a problem infeasible: which of them, and the class. */
#include "core/solver/domain_blocking.h"

#include <string.h>

#include "core/solver/role_domains.h"

/* A least set of rules that cannot be obeyed together, in the order of the problem: the first rule
 * that cannot be obeyed alone; else what is left after every rule that is not needed was dropped.
 * Returns their number. */
static size_t find_blocking(const struct skr_problem *problem, const struct skr_domain_rule *rule,
                            size_t n_rules, size_t *at, skr_domain_fits_fn *fits,
                            struct skr_domain_outcome *outcome)
{
    struct skr_domain_rule rest[SKR_DOMAIN_RULES_MAX];
    at[0] = 0;
    for (size_t r = 0; r < n_rules && n_rules > 1; r++) {
        at[0] = r;
        if (!fits(problem, &rule[r], 1, outcome)) {
            return 1;
        }
    }
    size_t n = n_rules;
    for (size_t r = 0; r < n; r++) {
        at[r] = r;
    }
    for (size_t r = 0; r < n && n > 2;) { /* two are needed: none fails alone */
        size_t k = 0;
        for (size_t i = 0; i < n; i++) {
            if (i != r) {
                rest[k++] = rule[at[i]];
            }
        }
        if (fits(problem, rest, k, outcome)) {
            r++;
        } else {
            memmove(at + r, at + r + 1, (n - r - 1) * sizeof *at);
            n--;
        }
    }
    return n;
}

/* The greatest n that fits with the rules, between the claims and the problem's n, of one role; -1: not
 * even the claims fit. Sizes with factors have gaps: the greatest below the first gap that is met. */
static int32_t find_largest(const struct skr_problem *problem, const struct skr_domain_rule *rule,
                            size_t n_rules, skr_domain_fits_fn *fits,
                            struct skr_domain_outcome *outcome)
{
    struct skr_role_variant smaller;
    int32_t low = skr_role_claims(problem->roles->role, 0, problem->tree->n_leaves);
    int32_t high = problem->n;
    int32_t found = -1;
    skr_role_variant_init(&smaller, problem);
    while (low < high) {
        const int32_t n = low + (high - low) / 2;
        smaller.problem.n = smaller.role[0].n = smaller.role[0].minimum = n;
        if (n == 0 || fits(&smaller.problem, rule, n_rules, outcome)) {
            found = n;
            low = n + 1;
        } else {
            high = n;
        }
    }
    return found;
}

/* Fewer members lack some of those that the domains must take. */
static bool needs_all(const struct skr_domain_rule *rule, size_t n)
{
    bool needs = false;
    for (size_t r = 0; r < n; r++) {
        needs = needs || rule[r].kind == SKR_DOMAIN_LEAST;
    }
    return needs;
}

static int32_t count_usable(const struct skr_domain_search *s, size_t r)
{
    int32_t n = 0;
    for (int32_t d = 0; d < s->rule[r].n_domains && s->room[r]; d++) {
        n += s->room[r][d] > 0 ? 1 : 0;
    }
    return n;
}

/* Whether the group fits anew in an empty cluster; emptied: on the leaves that are eligible then, and beside
 * no other pods. False without memory, too. */
static bool fits_empty(const struct skr_domain_search *s, const struct skr_problem *problem,
                       bool emptied, skr_domain_fits_fn *fits, struct skr_domain_outcome *outcome)
{
    struct skr_domain_rule rule[SKR_DOMAIN_RULES_MAX];
    struct skr_role_variant v;
    skr_role_domains_empty(&v, problem, emptied);
    memcpy(rule, s->rule, s->n_rules * sizeof *rule);
    for (size_t r = 0; r < s->n_rules && emptied; r++) {
        rule[r].others = NULL;
    }
    return fits(&v.problem, rule, s->n_rules, outcome);
}

void skr_domain_report_blocking(const struct skr_domain_search *s,
                                const struct skr_problem *problem, struct skr_solution *solution,
                                skr_domain_fits_fn *fits, struct skr_domain_outcome *outcome)
{
    const bool lone = problem->roles->n_roles == 1;
    const struct skr_role *first = problem->roles->role;
    size_t at[SKR_DOMAIN_RULES_MAX] = {0};
    struct skr_domain_rule rule[SKR_DOMAIN_RULES_MAX];
    size_t n = find_blocking(problem, s->rule, s->n_rules, at, fits, outcome);
    struct skr_domain_rule_name *name = skr_arena_array(solution->arena, n, sizeof *name);
    for (size_t i = 0; i < n; i++) {
        rule[i] = s->rule[at[i]];
        if (name) {
            const char *text = skr_arena_strdup(solution->arena, rule[i].name ? rule[i].name : "");
            name[i] = (struct skr_domain_rule_name){rule[i].kind, text ? text : ""};
        }
    }
    outcome->rule = name;
    outcome->n_rules = name ? n : 0;
    outcome->blocking = (int32_t)at[0];
    outcome->domains = count_usable(s, at[0]);
    outcome->largest =
        !lone || needs_all(rule, n) ? -1 : find_largest(problem, rule, n, fits, outcome);
    const bool never = problem->capacity && !fits_empty(s, problem, false, fits, outcome);
    const bool closed = never && fits_empty(s, problem, true, fits, outcome);
    struct skr_explanation *x = &solution->explanation;
    *x = (struct skr_explanation){
        .class = never ? SKR_CLASS_NEVER_FITS : SKR_CLASS_PLACEMENT_FAILED,
        .closed = closed,
        .largest = outcome->largest > 0 ? outcome->largest : 0,
    };
    for (int32_t leaf = 0; leaf < problem->tree->n_leaves && lone; leaf++) {
        const int32_t claimed = skr_role_claimed(first, leaf);
        x->sum_fits += claimed + skr_role_room(problem, first, leaf, problem->n - claimed);
    }
}
