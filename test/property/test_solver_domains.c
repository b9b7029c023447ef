/* SPDX-License-Identifier: Apache-2.0 */
/* Rules over domains beside the tree, against an enumeration of all placements. Domains that nest
 * with the levels and domains that cross them; claims; pods of others. */
#include "test/property/trial.h"
#include "test/test.h"
#include "topology/base/arena.h"

enum { RULES = 3 };

struct world {
    struct instance in;
    struct skr_domain_rule rule[RULES];
    size_t n_rules;
    int32_t domain[RULES][INSTANCE_LEAVES_MAX];
    int32_t others[RULES][INSTANCE_LEAVES_MAX];
    int32_t most_of[RULES][INSTANCE_LEAVES_MAX];
    bool nests; /* all of them, by construction */
};

/* Domains of the rule: units of a level, unions of neighbours, or anything. */
static void draw_domains(struct world *w, size_t r, struct random *random)
{
    const struct skr_tree *tree = &w->in.tree;
    struct skr_domain_rule *rule = &w->rule[r];
    int32_t way = random_below(random, 3);
    int32_t level = 1 + random_below(random, tree->n_levels);
    int32_t width = 1 + random_below(random, 3);
    int32_t n = 1 + random_below(random, 4);
    rule->n_domains = 0;
    for (int32_t leaf = 0; leaf < tree->n_leaves; leaf++) {
        int32_t unit = tree->first_leaf + leaf;
        for (int32_t l = tree->n_levels; l > level; l--) {
            unit = tree->parent[unit];
        }
        int32_t at = unit - tree->level_first[level];
        int32_t domain = way == 0 ? at : way == 1 ? at / width : random_below(random, n);
        rule->n_domains = domain >= rule->n_domains ? domain + 1 : rule->n_domains;
        w->domain[r][leaf] = domain;
    }
    for (int32_t leaf = 0; leaf < tree->n_leaves; leaf++) {
        if (random_percent(random, 8)) {
            w->domain[r][leaf] = -1;
        }
    }
    rule->domain = w->domain[r];
    w->nests = w->nests && way == 0;
}

static void draw(struct world *w, uint64_t index)
{
    struct random random = {trial.seed * 7919 + index};
    memset(w, 0, sizeof *w);
    instance_make(&w->in, trial.seed + 900001, index, &trial_tiny);
    w->in.problem.explain = random_percent(&random, 30);
    w->nests = true;
    w->n_rules = 1 + (size_t)random_below(&random, RULES);
    for (size_t r = 0; r < w->n_rules; r++) {
        struct skr_domain_rule *rule = &w->rule[r];
        rule->kind = (enum skr_domain_rule_kind)random_below(&random, SKR_DOMAIN_RULE_KIND_COUNT);
        draw_domains(w, r, &random);
        rule->most = 1 + random_below(&random, 3);
        rule->most_of = random_percent(&random, 30) ? w->most_of[r] : NULL;
        rule->max_skew = 1 + random_below(&random, 2);
        rule->min_domains = random_percent(&random, 20) ? 1 + random_below(&random, 4) : 0;
        for (int32_t d = 0; d < rule->n_domains; d++) {
            w->others[r][d] = random_percent(&random, 20) ? random_below(&random, 3) : 0;
            w->most_of[r][d] = random_below(&random, 4);
        }
        rule->least = w->others[r];
        rule->others = random_percent(&random, 50) ? w->others[r] : NULL;
    }
}

/* Straight from the definitions in domains.h; shares nothing with the code. */
static bool obeys(const struct world *w, size_t r, const int32_t *count)
{
    const struct skr_domain_rule *rule = &w->rule[r];
    int32_t total[INSTANCE_LEAVES_MAX] = {0};
    int32_t added[INSTANCE_LEAVES_MAX] = {0};
    for (int32_t leaf = 0; leaf < w->in.tree.n_leaves; leaf++) {
        int32_t d = w->domain[r][leaf];
        int32_t new = count[leaf] - w->in.claimed[leaf];
        if (d < 0) {
            if (new > 0 && (rule->kind == SKR_DOMAIN_ONE || rule->kind == SKR_DOMAIN_SKEW)) {
                return false;
            }
            continue;
        }
        total[d] += count[leaf];
        added[d] += new;
    }
    int32_t used = 0;
    int32_t least = INT32_MAX;
    for (int32_t d = 0; d < rule->n_domains; d++) {
        used += total[d] > 0 ? 1 : 0;
        if (rule->kind == SKR_DOMAIN_SKEW && rule->others) {
            total[d] += rule->others[d];
        }
        least = total[d] < least ? total[d] : least;
    }
    if (rule->n_domains < rule->min_domains) {
        least = 0;
    }
    for (int32_t d = 0; d < rule->n_domains; d++) {
        if (added[d] > 0 &&
            ((rule->kind == SKR_DOMAIN_MOST &&
              total[d] > (rule->most_of ? rule->most_of[d] : rule->most)) ||
             (rule->kind == SKR_DOMAIN_SKEW && total[d] > least + rule->max_skew))) {
            return false;
        }
        if (rule->kind == SKR_DOMAIN_LEAST && added[d] < rule->least[d]) {
            return false;
        }
    }
    return rule->kind != SKR_DOMAIN_ONE || used <= 1;
}

struct look {
    const struct world *w;
    int32_t count[INSTANCE_LEAVES_MAX];
    bool found;
    struct skr_level_key *best;
    struct skr_arena *arena;
};

static void look_at(struct look *l)
{
    if (skr_solution_check(&l->w->in.problem, l->count, NULL) != 0) {
        return;
    }
    for (size_t r = 0; r < l->w->n_rules; r++) {
        if (!obeys(l->w, r, l->count)) {
            return;
        }
    }
    struct skr_level_key *key = skr_placement_key(&l->w->in.tree, l->count, l->arena);
    if (!l->found ||
        skr_placement_compare(&l->w->in.tree, l->w->in.problem.rule, key, l->best) < 0) {
        l->best = key;
    }
    l->found = true;
}

static void look_from(struct look *l, int32_t leaf, int32_t left)
{
    if (leaf == l->w->in.tree.n_leaves) {
        if (left == 0) {
            look_at(l);
        }
        return;
    }
    int32_t fit = instance_fit(&l->w->in, leaf);
    for (int32_t x = l->w->in.claimed[leaf]; x <= fit && x <= left; x++) {
        l->count[leaf] = x;
        look_from(l, leaf + 1, left - x);
    }
}

static void wrong(const struct world *w, uint64_t index, const char *what)
{
    printf("  SEED=%" PRIu64 " FIRST=%" PRIu64 " N=1: %s\n", trial.seed, index, what);
    instance_print(&w->in);
    for (size_t r = 0; r < w->n_rules; r++) {
        const struct skr_domain_rule *rule = &w->rule[r];
        printf("  rule %zu kind %d most %" PRId32 " skew %" PRId32 " min %" PRId32 ":", r,
               rule->kind, rule->most, rule->max_skew, rule->min_domains);
        for (int32_t leaf = 0; leaf < w->in.tree.n_leaves; leaf++) {
            printf(" %" PRId32, w->domain[r][leaf]);
        }
        for (int32_t d = 0; d < rule->n_domains && rule->others; d++) {
            printf("%s%" PRId32, d == 0 ? "; others " : " ", rule->others[d]);
        }
        printf("\n");
    }
    fail_msg("%s", what);
}

TEST(rules_over_domains_are_obeyed_whenever_they_can_be)
{
    uint64_t placed = 0;
    uint64_t unproven = 0;
    for (uint64_t i = trial.first; i < trial.first + trial.n; i++) {
        struct world w;
        draw(&w, i);
        struct look l = {.w = &w, .arena = skr_arena_create((size_t)1 << 30, 0)};
        if (w.in.problem.n > 0) {
            look_from(&l, 0, w.in.problem.n);
        }
        struct skr_solution *got = NULL;
        struct skr_error error;
        w.in.problem.domain_rule = w.rule;
        w.in.problem.n_domain_rules = w.n_rules;
        if (w.in.problem.n > 0 && skr_solve(&w.in.problem, &got, &error) != 0) {
            wrong(&w, i, error.text);
        }
        if (got && got->status == SKR_SOLVE_PLACED) {
            placed++;
            for (size_t r = 0; r < w.n_rules; r++) {
                if (!obeys(&w, r, got->count)) {
                    wrong(&w, i, "a rule is broken");
                }
            }
            if (skr_solution_check(&w.in.problem, got->count, &error) != 0) {
                wrong(&w, i, error.text);
            }
            if (!l.found) {
                wrong(&w, i, "placed where nothing is");
            }
            if (got->domains.proven &&
                skr_placement_compare(&w.in.tree, w.in.problem.rule, got->key, l.best) != 0) {
                wrong(&w, i, "not the best");
            }
        } else if (got) {
            unproven += got->domains.proven ? 0 : 1;
            if (l.found && (got->domains.proven || w.nests)) {
                wrong(&w, i, "a placement was missed");
            }
            if (got->domains.blocking < -1 || got->domains.blocking >= (int32_t)w.n_rules) {
                wrong(&w, i, "no such rule");
            }
        }
        skr_solution_destroy(got);
        skr_arena_destroy(l.arena);
    }
    assert_true(trial.n < 100 || placed > trial.n / 20);
    assert_true(unproven <= trial.n / 100);
}

BEFORE_ALL
{
    trial_begin("rules over domains");
}
