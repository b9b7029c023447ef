/* SPDX-License-Identifier: Apache-2.0 */
/* Rules over domains beside roles, against the enumeration of all placements. A rule counts some of
 * the roles; its domains nest with the levels or cross them. */
#include <inttypes.h>

#include "test/property/roles_trial.h"
#include "test/test.h"

enum { RULES = 2 };

struct world {
    struct roles_instance ri;
    enum roles_kind kind;
    struct skr_domain_rule rule[RULES];
    int32_t domain[RULES][INSTANCE_LEAVES_MAX];
    int32_t others[RULES][INSTANCE_LEAVES_MAX];
};

/* Units of a level, unions of neighbours, or anything. */
static void draw_domains(struct world *w, size_t i, struct random *random)
{
    const struct skr_tree *tree = &w->ri.in.tree;
    struct skr_domain_rule *rule = &w->rule[i];
    const int32_t way = random_below(random, 3);
    const int32_t level = 1 + random_below(random, tree->n_levels);
    const int32_t width = 1 + random_below(random, 3);
    const int32_t n = 1 + random_below(random, 4);
    for (int32_t leaf = 0; leaf < tree->n_leaves; leaf++) {
        int32_t unit = tree->first_leaf + leaf;
        while (unit >= tree->level_first[level + 1]) {
            unit = tree->parent[unit];
        }
        const int32_t at = unit - tree->level_first[level];
        const int32_t domain = way == 0 ? at : way == 1 ? at / width : random_below(random, n);
        rule->n_domains = domain >= rule->n_domains ? domain + 1 : rule->n_domains;
        w->domain[i][leaf] = random_percent(random, 6) ? -1 : domain;
    }
    rule->domain = w->domain[i];
}

static void draw(struct world *w, uint64_t index)
{
    static const enum roles_kind kinds[] = {ROLES_SMALL, ROLES_SOFT,   ROLES_SETS,
                                            ROLES_CAPS,  ROLES_CLAIMS, ROLES_MINIMUM};
    struct random random = {trial.seed * 104729 + index};
    memset(w, 0, sizeof *w);
    w->kind = kinds[index % 6];
    roles_instance_make(&w->ri, trial.seed + 7000003, w->kind, index / 6);
    const size_t n = 1 + (size_t)random_below(&random, RULES);
    for (size_t i = 0; i < n; i++) {
        struct skr_domain_rule *rule = &w->rule[i];
        rule->kind = (enum skr_domain_rule_kind)random_below(&random, SKR_DOMAIN_RULE_KIND_COUNT);
        draw_domains(w, i, &random);
        rule->most = 1 + random_below(&random, 4);
        rule->max_skew = 1 + random_below(&random, 2);
        rule->min_domains = random_percent(&random, 20) ? 1 + random_below(&random, 4) : 0;
        rule->roles = (uint32_t)random_below(&random, 1 << w->ri.roles.n_roles);
        if (rule->kind == SKR_DOMAIN_MOST && rule->roles != 0 && random_percent(&random, 50)) {
            rule->against =
                (uint32_t)random_below(&random, 1 << w->ri.roles.n_roles) & ~rule->roles;
        }
        for (int32_t d = 0; d < rule->n_domains; d++) {
            w->others[i][d] = random_percent(&random, 20) ? random_below(&random, 3) : 0;
        }
        rule->least = w->others[i];
        rule->others = random_percent(&random, 40) ? w->others[i] : NULL;
    }
    w->ri.in.problem.domain_rule = w->rule;
    w->ri.in.problem.n_domain_rules = n;
}

static void wrong(const struct world *w, uint64_t index, const char *what,
                  const struct roles_answer *want, const struct roles_answer *got)
{
    for (size_t i = 0; i < w->ri.in.problem.n_domain_rules; i++) {
        const struct skr_domain_rule *rule = &w->rule[i];
        printf("  rule %zu kind %d roles %" PRIx32 " against %" PRIx32 " most %" PRId32
               " skew %" PRId32 " min %" PRId32 ":",
               i, (int)rule->kind, rule->roles, rule->against, rule->most, rule->max_skew,
               rule->min_domains);
        for (int32_t leaf = 0; leaf < w->ri.in.tree.n_leaves; leaf++) {
            printf(" %" PRId32, rule->domain[leaf]);
        }
        for (int32_t d = 0; d < rule->n_domains && rule->others; d++) {
            printf("%s%" PRId32, d == 0 ? "; others " : " ", rule->others[d]);
        }
        printf("\n");
    }
    roles_fail(&w->ri, w->kind, index, what, want, got);
}

TEST(rules_over_domains_hold_beside_roles_whenever_they_can)
{
    uint64_t feasible = 0, undecided = 0;
    for (uint64_t i = trial.first; i < trial.first + roles_share(4); i++) {
        struct world w;
        struct roles_answer want, got;
        draw(&w, i);
        if (!roles_enumerator_solve(&w.ri, &want)) {
            continue;
        }
        SKR_AUTO(skr_solution_destroy) struct skr_solution *solution = roles_solve(&w.ri);
        roles_to_answer(&w.ri, solution, &got);
        feasible += want.feasible;
        undecided += solution->status == SKR_SOLVE_TIMEOUT;
        if (got.feasible && (!want.feasible || !roles_is_valid(&w.ri, &got, got.size))) {
            wrong(&w, i, "not valid", &want, &got);
        } else if (want.feasible && solution->status == SKR_SOLVE_INFEASIBLE) {
            wrong(&w, i, "refused what is feasible", &want, &got);
        } else if (got.feasible && solution->optimal &&
                   (memcmp(got.size, want.size, sizeof got.size) != 0 ||
                    roles_compare_keys(&w.ri, &got, &want) != 0)) {
            wrong(&w, i, "not the best", &want, &got);
        }
    }
    printf("  %" PRIu64 " feasible, %" PRIu64 " undecided\n", feasible, undecided);
    assert_true(trial.n < 1000 || feasible > roles_share(20));
    assert_true(undecided <= roles_share(400));
}

BEFORE_ALL
{
    trial_begin("rules over domains beside roles");
}
