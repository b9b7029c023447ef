/* SPDX-License-Identifier: Apache-2.0 */
/* Rules over domains beside the tree, of equal members and of roles, against the enumeration of all
 * placements. Domains nest with the levels or cross them; claims; pods of others; a rule counts some of
 * the roles. */
#include "test/property/trial.h"
#include "test/test.h"

enum { RULES = 2 * SKR_ROLES_MAX };

struct world {
    struct instance in;
    struct skr_domain_rule rule[RULES];
    int32_t domain[RULES][INSTANCE_LEAVES_MAX];
    int32_t others[RULES][INSTANCE_LEAVES_MAX];
    int32_t most_of[RULES][INSTANCE_LEAVES_MAX];
    bool nests; /* all of them, by construction */
};

/* Domains of the rule: units of a level, unions of neighbours, or anything. */
static void draw_domains(struct world *w, size_t i, struct random *random)
{
    const struct skr_tree *tree = &w->in.tree;
    struct skr_domain_rule *rule = &w->rule[i];
    const int32_t way = random_below(random, 3);
    const int32_t level = 1 + random_below(random, tree->n_levels);
    const int32_t width = 1 + random_below(random, 3);
    const int32_t n = 1 + random_below(random, 4);
    for (int32_t leaf = 0; leaf < tree->n_leaves; leaf++) {
        const int32_t at = instance_unit(&w->in, leaf, level) - tree->level_first[level];
        const int32_t domain = way == 0 ? at : way == 1 ? at / width : random_below(random, n);
        rule->n_domains = domain >= rule->n_domains ? domain + 1 : rule->n_domains;
        w->domain[i][leaf] = random_percent(random, 7) ? -1 : domain;
    }
    rule->domain = w->domain[i];
    w->nests = w->nests && way == 0;
}

/* Subgroups: every role is in a domain of its own. */
static size_t draw_subgroups(struct world *w, struct random *random, bool of_one_size)
{
    const size_t n = w->in.roles.n_roles;
    int32_t least = INT32_MAX;
    draw_domains(w, 0, random);
    for (size_t r = 0; r < n; r++) {
        least = w->in.role[r].n < least ? w->in.role[r].n : least;
    }
    for (size_t r = 0; r < n && of_one_size; r++) {
        const int32_t claims = instance_claims(&w->in, (int32_t)r, 0);
        w->in.role[r].n = w->in.role[r].minimum = least > claims ? least : claims;
    }
    instance_link(&w->in);
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

static size_t draw_rules(struct world *w, struct random *random, int32_t most)
{
    const int32_t roles = w->in.problem.roles ? 1 << w->in.roles.n_roles : 1;
    const size_t n = 1 + (size_t)random_below(random, most);
    for (size_t i = 0; i < n; i++) {
        struct skr_domain_rule *rule = &w->rule[i];
        rule->kind = (enum skr_domain_rule_kind)random_below(random, SKR_DOMAIN_RULE_KIND_COUNT);
        draw_domains(w, i, random);
        rule->most = 1 + random_below(random, 4);
        rule->most_of = random_percent(random, roles > 1 ? 10 : 30) ? w->most_of[i] : NULL;
        rule->max_skew = 1 + random_below(random, 2);
        rule->min_domains = random_percent(random, 20) ? 1 + random_below(random, 4) : 0;
        rule->roles = (uint32_t)random_below(random, roles);
        if (rule->kind == SKR_DOMAIN_MOST && rule->roles != 0 && random_percent(random, 50)) {
            rule->against = (uint32_t)random_below(random, roles) & ~rule->roles;
        }
        for (int32_t d = 0; d < rule->n_domains; d++) {
            w->others[i][d] = random_percent(random, 20) ? random_below(random, 3) : 0;
            w->most_of[i][d] = random_below(random, 4);
        }
        rule->least = w->others[i];
        rule->others = random_percent(random, 50) ? w->others[i] : NULL;
    }
    return n;
}

static void draw_equal(struct world *w)
{
    struct random random = {trial.seed * 7919 + trial.at};
    *w = (struct world){.nests = true};
    instance_make(&w->in, trial.seed + 900001, trial.at, &trial_tiny);
    w->in.problem.explain = random_percent(&random, 30);
    w->in.problem.domain_rule = w->rule;
    w->in.problem.n_domain_rules = draw_rules(w, &random, 3);
}

static void draw_roles(struct world *w)
{
    static const enum roles_kind kinds[] = {ROLES_SMALL,  ROLES_SOFT,    ROLES_SETS, ROLES_CAPS,
                                            ROLES_CLAIMS, ROLES_MINIMUM, ROLES_TWINS};
    const enum roles_kind kind = kinds[trial.at % 7];
    struct random random = {trial.seed * 104729 + trial.at};
    *w = (struct world){.nests = true};
    instance_make(&w->in, trial.seed + 7000003, trial.at, &roles_shape[kind]);
    w->in.problem.domain_rule = w->rule;
    w->in.problem.n_domain_rules = random_percent(&random, 20)
                                       ? draw_subgroups(w, &random, kind == ROLES_TWINS)
                                       : draw_rules(w, &random, 2);
}

static void wrong(const struct world *w, const char *what, const struct oracle_answer *want,
                  const struct oracle_answer *got)
{
    for (size_t i = 0; i < w->in.problem.n_domain_rules; i++) {
        const struct skr_domain_rule *rule = &w->rule[i];
        printf("  rule %zu kind %d roles %" PRIx32 " against %" PRIx32 " most %" PRId32
               " skew %" PRId32 " min %" PRId32 ":",
               i, (int)rule->kind, rule->roles, rule->against, rule->most, rule->max_skew,
               rule->min_domains);
        for (int32_t leaf = 0; leaf < w->in.tree.n_leaves; leaf++) {
            printf(" %" PRId32, rule->domain[leaf]);
        }
        for (int32_t d = 0; d < rule->n_domains && rule->others; d++) {
            printf("%s%" PRId32, d == 0 ? "; others " : " ", rule->others[d]);
        }
        for (int32_t d = 0; d < rule->n_domains && rule->most_of; d++) {
            printf("%s%" PRId32, d == 0 ? "; most of " : " ", rule->most_of[d]);
        }
        printf("\n");
    }
    trial_differ(&w->in, what, want, got);
}

struct tally {
    uint64_t feasible, undecided;
};

/* proven: of what the solver says that nothing is left out. */
static void check(const struct world *w, const struct oracle_answer *want,
                  const struct skr_solution *got, bool proven)
{
    const struct skr_problem *problem = &w->in.problem;
    struct oracle_answer answer;
    trial_answer(&w->in, got, &answer);
    const char *what = NULL;
    if (answer.feasible) {
        const int rc = problem->roles
                           ? skr_roles_check(problem, got->roles->size, got->roles->count, NULL)
                           : skr_solution_check(problem, got->count, NULL);
        what = rc != 0                                              ? "the checker refuses it"
               : !want->feasible                                    ? "placed where nothing is"
               : !enumerator_is_valid(&w->in, &answer, answer.size) ? "not valid"
               : proven && (memcmp(answer.size, want->size, sizeof answer.size) != 0 ||
                            enumerator_compare(&w->in, &answer, want) != 0)
                   ? "not the best"
                   : NULL;
    } else if (want->feasible && (proven || w->nests) &&
               (!problem->roles || got->status == SKR_SOLVE_INFEASIBLE)) {
        what = "a placement was missed";
    } else if (got->domains.blocking < -1 ||
               got->domains.blocking >= (int32_t)problem->n_domain_rules) {
        what = "no such rule";
    }
    if (what) {
        wrong(w, what, want, &answer);
    }
}

TEST(rules_over_domains_are_obeyed_whenever_they_can_be)
{
    struct tally tally = {.feasible = 0};
    EACH_TRIAL(trial.n)
    {
        struct world w;
        struct oracle_answer want;
        draw_equal(&w);
        if (w.in.problem.n == 0) {
            continue; /* placed, empty: no rule applies */
        }
        assert_true(enumerator_solve(&w.in, &want));
        SKR_AUTO(skr_solution_destroy) struct skr_solution *got = trial_solve(&w.in);
        check(&w, &want, got, got->domains.proven);
        tally.feasible += got->status == SKR_SOLVE_PLACED ? 1 : 0;
        tally.undecided += got->status == SKR_SOLVE_PLACED || got->domains.proven ? 0 : 1;
    }
    assert_true(trial.n < 100 || tally.feasible > trial.n / 20);
    assert_true(tally.undecided <= trial.n / 100);
}

/* What is not decided is a timeout. */
TEST(rules_over_domains_hold_beside_roles_whenever_they_can)
{
    struct tally tally = {.feasible = 0};
    EACH_TRIAL(trial_share(4))
    {
        struct world w;
        struct oracle_answer want;
        draw_roles(&w);
        if (!enumerator_solve(&w.in, &want)) {
            continue;
        }
        SKR_AUTO(skr_solution_destroy) struct skr_solution *got = trial_solve(&w.in);
        check(&w, &want, got, got->status != SKR_SOLVE_PLACED || got->optimal);
        tally.feasible += want.feasible ? 1 : 0;
        tally.undecided += got->status == SKR_SOLVE_TIMEOUT ? 1 : 0;
    }
    printf("  %" PRIu64 " feasible, %" PRIu64 " undecided\n", tally.feasible, tally.undecided);
    assert_true(trial.n < 1000 || tally.feasible > trial_share(20));
    assert_true(tally.undecided <= trial_share(400));
}

BEFORE_ALL
{
    trial_begin("rules over domains");
}
