/* SPDX-License-Identifier: Apache-2.0 */
/* Rules over domains beside roles, against the enumeration of all placements. A rule counts some of
 * the roles; its domains nest with the levels or cross them. */
#include <inttypes.h>

#include "test/property/roles_trial.h"
#include "test/test.h"

enum { RULES = 2 * SKR_ROLES_MAX };

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

/* Subgroups: every role is in a domain of its own. */
static size_t draw_subgroups(struct world *w, struct random *random)
{
    const size_t n = w->ri.roles.n_roles;
    int32_t least = INT32_MAX;
    draw_domains(w, 0, random);
    for (size_t r = 0; r < n; r++) {
        least = w->ri.role[r].n < least ? w->ri.role[r].n : least;
    }
    for (size_t r = 0; r < n && w->kind == ROLES_TWINS; r++) {
        const int32_t claims = roles_instance_claims(&w->ri, (int32_t)r, 0);
        w->ri.role[r].n = w->ri.role[r].minimum = least > claims ? least : claims;
    }
    roles_instance_link(&w->ri);
    for (size_t r = 0; r < 2 * n; r++) {
        struct skr_domain_rule *rule = &w->rule[r];
        rule->domain = w->domain[0];
        rule->n_domains = w->rule[0].n_domains;
        rule->kind = r < n ? SKR_DOMAIN_ONE : SKR_DOMAIN_MOST;
        rule->roles = UINT32_C(1) << r % n;
        rule->most = 1;
        rule->against = r < n ? 0 : ((UINT32_C(1) << n) - 1) & ~rule->roles;
    }
    return n > 1 ? 2 * n : 1;
}

static size_t draw_rules(struct world *w, struct random *random)
{
    const size_t n = 1 + (size_t)random_below(random, 2);
    for (size_t i = 0; i < n; i++) {
        struct skr_domain_rule *rule = &w->rule[i];
        rule->kind = (enum skr_domain_rule_kind)random_below(random, SKR_DOMAIN_RULE_KIND_COUNT);
        draw_domains(w, i, random);
        rule->most = 1 + random_below(random, 4);
        rule->max_skew = 1 + random_below(random, 2);
        rule->min_domains = random_percent(random, 20) ? 1 + random_below(random, 4) : 0;
        rule->roles = (uint32_t)random_below(random, 1 << w->ri.roles.n_roles);
        if (rule->kind == SKR_DOMAIN_MOST && rule->roles != 0 && random_percent(random, 50)) {
            rule->against = (uint32_t)random_below(random, 1 << w->ri.roles.n_roles) & ~rule->roles;
        }
        for (int32_t d = 0; d < rule->n_domains; d++) {
            w->others[i][d] = random_percent(random, 20) ? random_below(random, 3) : 0;
        }
        rule->least = w->others[i];
        rule->others = random_percent(random, 40) ? w->others[i] : NULL;
    }
    return n;
}

static void draw(struct world *w, uint64_t index)
{
    static const enum roles_kind kinds[] = {ROLES_SMALL,  ROLES_SOFT,    ROLES_SETS, ROLES_CAPS,
                                            ROLES_CLAIMS, ROLES_MINIMUM, ROLES_TWINS};
    struct random random = {trial.seed * 104729 + index};
    memset(w, 0, sizeof *w);
    w->kind = kinds[index % 7];
    roles_instance_make(&w->ri, trial.seed + 7000003, w->kind, index / 7);
    const size_t n =
        random_percent(&random, 20) ? draw_subgroups(w, &random) : draw_rules(w, &random);
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
