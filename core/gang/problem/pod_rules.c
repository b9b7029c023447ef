/* SPDX-License-Identifier: Apache-2.0 */
/* Translates rules of pods about other pods for one problem: see pod_rules.h. pod_rules_gather.c
 * finds out what they mean for nodes. */
#include "core/gang/problem/pod_rules.h"

#include "core/gang/cache/pods.h"
#include "core/gang/cache/shapes.h"
#include "core/gang/cache/topology.h"
#include "core/gang/problem/pod_rules_gather.h"

#include <string.h>

bool skr_pod_rules_matter(const struct skr_gang *e, struct pod_entry *const *newcomers, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (newcomers[i]->shape->spec->n_rules > 0) {
            return true;
        }
    }
    const struct shape *s, *tmp;
    HASH_ITER(hh, e->shapes, s, tmp)
    {
        for (size_t i = 0; i < s->spec->n_rules; i++) {
            if (s->spec->rule[i].kind == SKR_POD_RULE_ANTI_AFFINITY) {
                return true;
            }
        }
    }
    return false;
}

bool skr_pod_rules_apply(struct skr_gang *e, struct pod_entry *const *newcomers, size_t n,
                         const struct skr_pod_rules_roles *roles, struct skr_arena *arena,
                         uint8_t *eligible, struct skr_problem *problem)
{
    if (!skr_pod_rules_matter(e, newcomers, n)) {
        return true;
    }
    struct pod_rules_work w = {.e = e,
                               .newcomers = newcomers,
                               .n = n,
                               .arena = arena,
                               .eligible = eligible,
                               .roles = roles,
                               .made = (struct skr_domain_rule *)(uintptr_t)problem->domain_rule,
                               .n_made = problem->n_domain_rules};
    size_t leaves = (size_t)e->topology.tree->n_leaves;
    w.emptied = skr_arena_alloc(arena, leaves + 1);
    if (!w.emptied) {
        return false;
    }
    memcpy(w.emptied, eligible, leaves);
    if (!skr_pod_rules_gather(&w)) {
        return false;
    }
    problem->emptied = w.emptied;
    problem->domain_rule = w.made;
    problem->n_domain_rules = w.n_made;
    return true;
}

/* ---- turns ---- */

/* Whether a pod of another role, which the affinity requires, runs when the turn begins. */
static bool has_partner(const struct pod_rules_work *w, size_t rule, size_t newcomer,
                        const int32_t *ret, int32_t turn)
{
    bool waits =
        w->made[rule].kind == SKR_DOMAIN_ONE && w->part[rule][newcomer] == POD_RULE_FOLLOWS;
    for (size_t i = 0; i < w->n && waits; i++) {
        waits = w->part[rule][i] != POD_RULE_COUNTS || ret[i] < 0 || ret[i] >= turn;
    }
    return !waits;
}

/* The domain in which the rule counts the newcomer; -1: none. */
static int32_t counted_in(const struct pod_rules_work *w, size_t rule, size_t newcomer,
                          int32_t leaf)
{
    return leaf >= 0 && w->part[rule][newcomer] == POD_RULE_COUNTS ? w->made[rule].domain[leaf]
                                                                   : -1;
}

/* Takes into the turn every member that may come in any order: as many as a domain has below least
 * + maxSkew when the turn begins. The least only grows while members come. */
static size_t take_turn(const struct pod_rules_work *w, const int32_t *leaf, int32_t *const *count,
                        int32_t turn, int32_t *ret)
{
    int32_t least[SKR_DOMAIN_RULES_MAX];
    int32_t *room[SKR_DOMAIN_RULES_MAX] = {0};
    size_t n = 0;
    for (size_t r = 0; r < w->n_made; r++) {
        const struct skr_domain_rule *rule = &w->made[r];
        least[r] = INT32_MAX;
        for (int32_t d = 0; d < rule->n_domains; d++) {
            least[r] = count[r][d] < least[r] ? count[r][d] : least[r];
        }
        least[r] = rule->n_domains < rule->min_domains ? 0 : least[r];
        room[r] = skr_alloc_array((size_t)rule->n_domains + 1, sizeof **room);
        for (int32_t d = 0; d < rule->n_domains; d++) {
            room[r][d] =
                rule->kind == SKR_DOMAIN_SKEW ? least[r] + rule->max_skew - count[r][d] : INT32_MAX;
        }
    }
    for (size_t i = 0; i < w->n; i++) {
        bool fits = ret[i] < 0;
        for (size_t r = 0; r < w->n_made && fits; r++) {
            int32_t d = counted_in(w, r, i, leaf[i]);
            fits = (d < 0 || room[r][d] > 0) && has_partner(w, r, i, ret, turn);
        }
        for (size_t r = 0; r < w->n_made && fits; r++) {
            int32_t d = counted_in(w, r, i, leaf[i]);
            if (d >= 0) {
                room[r][d]--;
                count[r][d]++;
            }
        }
        if (fits) {
            ret[i] = turn;
            n++;
        }
    }
    for (size_t r = 0; r < w->n_made; r++) {
        free(room[r]);
    }
    return n;
}

static void find_turns(const struct pod_rules_work *w, const char *const *node, int32_t *ret)
{
    const struct skr_tree *tree = w->e->topology.tree;
    SKR_AUTO_FREE int32_t *leaf = skr_alloc_array(w->n + 1, sizeof *leaf);
    int32_t *count[SKR_DOMAIN_RULES_MAX] = {0};
    for (size_t i = 0; i < w->n; i++) {
        leaf[i] = skr_tree_find_leaf(tree, node[i]);
        ret[i] = -1;
    }
    for (size_t r = 0; r < w->n_made; r++) {
        const struct skr_domain_rule *rule = &w->made[r];
        count[r] = skr_alloc_array((size_t)rule->n_domains + 1, sizeof **count);
        for (int32_t d = 0; d < rule->n_domains && rule->others; d++) {
            count[r][d] = rule->others[d];
        }
        struct pod_walk p = {0};
        while (skr_pod_walk_next(w->e, &p)) {
            bool counts = skr_pod_rules_is_claim(w, &p) &&
                          skr_pod_rules_is_about(w->source[r].spec, w->source[r].rule, p.meta);
            const char *at = counts ? skr_pod_rules_place(w, &p) : NULL;
            int32_t i = at ? skr_tree_find_leaf(tree, at) : -1;
            if (i >= 0 && rule->domain[i] >= 0) {
                count[r][rule->domain[i]]++;
            }
        }
    }
    size_t left = w->n;
    for (int32_t turn = 0; left > 0; turn++) {
        size_t taken = take_turn(w, leaf, count, turn, ret);
        for (size_t i = 0; i < w->n && taken == 0; i++) {
            ret[i] = ret[i] < 0 ? turn : ret[i]; /* kube-scheduler decides */
        }
        left = taken > 0 ? left - taken : 0;
    }
    for (size_t r = 0; r < w->n_made; r++) {
        free(count[r]);
    }
}

void skr_pod_rules_turns(struct skr_gang *e, struct pod_entry *const *newcomers, size_t n,
                         const char *const *node, int32_t *ret)
{
    bool matters = false;
    for (size_t i = 0; i < n; i++) {
        ret[i] = 0;
        for (size_t r = 0; r < newcomers[i]->shape->spec->n_rules; r++) {
            enum skr_pod_rule_kind kind = newcomers[i]->shape->spec->rule[r].kind;
            matters = matters || kind == SKR_POD_RULE_SPREAD || kind == SKR_POD_RULE_AFFINITY;
        }
    }
    size_t leaves = matters ? (size_t)e->topology.tree->n_leaves : 0;
    struct skr_arena *arena = matters ? skr_arena_create((size_t)1 << 30, 0) : NULL;
    struct pod_rules_work w = {
        .e = e, .newcomers = newcomers, .n = n, .arena = arena, .turns = true};
    w.eligible = arena ? skr_arena_alloc(arena, leaves + 1) : NULL;
    if (w.eligible && skr_pod_rules_gather(&w)) {
        find_turns(&w, node, ret);
    }
    skr_arena_destroy(arena);
}

/* ---- words ---- */

void skr_pod_rules_say_closed(struct skr_gang *e, struct pod_entry *const *newcomers, size_t n,
                              struct skr_strbuf *b)
{
    if (n == 0 || !skr_topology_is_usable(e) || !skr_pod_rules_matter(e, newcomers, n)) {
        return;
    }
    size_t leaves = (size_t)e->topology.tree->n_leaves;
    SKR_AUTO(skr_arena_destroy) struct skr_arena *arena = skr_arena_create((size_t)1 << 30, 0);
    uint8_t *eligible = arena ? skr_arena_alloc(arena, leaves + 1) : NULL;
    struct pod_rules_work w = {
        .e = e, .newcomers = newcomers, .n = n, .arena = arena, .eligible = eligible};
    if (eligible) {
        memset(eligible, 1, leaves);
        skr_pod_rules_gather(&w);
    }
    if (w.n_closed > 0) {
        skr_strbuf_addf(b, "; %zu node%s closed to its pods by %s", w.n_closed,
                        w.n_closed == 1 ? " is" : "s are", w.why);
        if (w.n_closed > 1) {
            skr_strbuf_add(b, " and the like");
        }
    }
}

static const char *wish(enum skr_domain_rule_kind kind)
{
    switch (kind) {
    case SKR_DOMAIN_MOST:
        return "exclude each other";
    case SKR_DOMAIN_ONE:
        return "want to be together";
    case SKR_DOMAIN_LEAST:
        return "must be where their volumes are";
    case SKR_DOMAIN_SKEW:
    case SKR_DOMAIN_RULE_KIND_COUNT:
    default:
        return "want to be spread";
    }
}

void skr_pod_rules_say_blocking(const struct skr_domain_outcome *d, bool roles, int32_t n,
                                struct skr_strbuf *b)
{
    skr_strbuf_add(b, "its pods ");
    for (size_t i = 0; i < d->n_rules; i++) {
        skr_strbuf_addf(b, "%s%s (%s)",
                        i == 0               ? ""
                        : i + 1 < d->n_rules ? ", "
                                             : " and ",
                        wish(d->rule[i].kind), d->rule[i].name);
    }
    skr_strbuf_addf(b, ": %d pods, ", n);
    if (d->largest < 0 && (roles || d->rule[0].kind == SKR_DOMAIN_LEAST)) {
        skr_strbuf_add(b, "which do not all fit so");
    } else if (d->n_rules == 1 && d->rule[0].kind == SKR_DOMAIN_MOST && d->domains < n) {
        skr_strbuf_addf(b, "%d domain%s room for one", d->domains,
                        d->domains == 1 ? " has" : "s have");
    } else if (d->largest > 0) {
        skr_strbuf_addf(b, "at most %d fit%s so", d->largest, d->largest == 1 ? "s" : "");
    } else {
        skr_strbuf_add(b, "none fits so");
    }
    if (!d->proven) {
        skr_strbuf_add(b, ", as far as was searched");
    }
}
