/* SPDX-License-Identifier: Apache-2.0 */
#include "core/gang/preempt/victim_needs.h"

#include "core/gang/cache/nodes.h"
#include "core/gang/cache/pods.h"
#include "core/gang/cache/shapes.h"
#include "core/gang/cache/topology.h"
#include "core/gang/problem/key_domains.h"
#include "core/gang/problem/pod_rules_gather.h"
#include "core/pod/rules.h"

#include <stdlib.h>
#include <string.h>

struct work {
    struct skr_gang *e;
    struct pod_rules_work rules; /* for places of pods */
    struct pod_entry *const *newcomers;
    size_t n;
    const struct victim_givers *givers;
    const struct skr_solve_request *request;
    struct skr_victim_need *need;
    size_t n_needs;
    struct skr_victim_gift *gift; /* of the current rule */
    size_t n_gifts, cap_gifts;
    bool full; /* the arena has no room left */
};

static void *take(struct work *w, size_t n, size_t size)
{
    void *memory = skr_arena_array(w->request->arena, n, size);
    w->full = w->full || !memory;
    return memory;
}

/* ---- which pods ---- */

/* With several required affinities only pods that all of them select count. */
static bool may_be_about(const struct pod_rules_source *s, const struct skr_meta *pod)
{
    bool about = skr_pod_rule_may_select(s->rule, pod);
    for (size_t i = 0; i < s->spec->n_rules && s->rule->kind == SKR_POD_RULE_AFFINITY && about;
         i++) {
        about = s->spec->rule[i].kind != SKR_POD_RULE_AFFINITY ||
                skr_pod_rule_may_select(&s->spec->rule[i], pod);
    }
    return about;
}

static void add_gift(struct work *w, size_t victim, int32_t domain)
{
    for (size_t i = 0; i < w->n_gifts; i++) {
        if (w->gift[i].victim == victim && w->gift[i].domain == domain) {
            w->gift[i].pods++;
            return;
        }
    }
    skr_grow(&w->gift, &w->cap_gifts, w->n_gifts + 1, sizeof *w->gift);
    w->gift[w->n_gifts++] = (struct skr_victim_gift){victim, domain, 1};
}

/* The pod counts in the domain. True: it leaves anyway. */
static bool count_pod(struct work *w, const struct pod_walk *p, int32_t domain, int32_t *others)
{
    const struct victim_giver *giver = skr_victim_givers_of(w->givers, p->entry);
    const struct victim_giver *end = w->givers->item + w->givers->n;
    if (p->deleting || (p->entry && p->entry->leaving)) {
        return true;
    }
    if (!giver) {
        others[domain]++;
        return false;
    }
    /* The last one: a surplus member counts once, whether it goes alone or with its group. */
    while (giver + 1 < end && giver[1].pod == p->entry) {
        giver++;
    }
    add_gift(w, giver->victim, domain);
    return false;
}

/* Members that run are claims of the problem: a spread counts them there. */
static bool count_others(struct work *w, const struct pod_rules_source *s,
                         const struct key_domains *d, int32_t *others)
{
    const bool spread = s->rule->kind == SKR_POD_RULE_SPREAD;
    bool leaves = false;
    struct pod_walk p = {0};
    w->n_gifts = 0;
    while (skr_pod_walk_next(w->e, &p)) {
        const char *place = may_be_about(s, p.meta) ? skr_pod_rules_place(&w->rules, &p) : NULL;
        const struct node_entry *node = place ? skr_nodes_find(w->e, place) : NULL;
        const int32_t domain = skr_key_domain_of(d, skr_key_value_on(node, s->rule->topology_key));
        const bool counts = domain >= 0 && !(spread && (skr_pod_rules_is_claim(&w->rules, &p) ||
                                                        !skr_pod_rules_counts_for_spread(node, s)));
        leaves = (counts && count_pod(w, &p, domain, others)) || leaves;
    }
    return leaves || w->n_gifts > 0;
}

/* ---- which members ---- */

/* Which members have the rule, and which count for it. */
static void add_members(const struct work *w, const struct pod_rules_source *s,
                        struct skr_victim_need *need)
{
    uint32_t others = 0; /* roles with a member that does not count */
    for (size_t i = 0; i < w->n; i++) {
        const bool counts = skr_pod_rules_is_about(s->spec, s->rule, &w->newcomers[i]->pod->meta);
        const int32_t r = skr_request_role_of(w->request, w->newcomers[i]->role);
        const uint32_t role = r >= 0 ? UINT32_C(1) << r : 0;
        need->roles |= w->newcomers[i]->shape->spec == s->spec ? role : 0;
        need->counted |= counts ? role : 0;
        others |= counts ? 0 : role;
    }
    need->strict = skr_pod_rules_is_unknown(s->spec, s->rule) || (need->counted & others) != 0;
}

/* ---- needs ---- */

static const int32_t *domains_of(struct work *w, const struct pod_rules_source *s,
                                 const struct key_domains *d)
{
    const int32_t leaves = w->request->tree->n_leaves;
    struct node_entry *const *leaf = skr_topology_leaf_nodes(w->e);
    int32_t *domain = take(w, (size_t)leaves + 1, sizeof *domain);
    for (int32_t i = 0; domain && i < leaves; i++) {
        domain[i] = skr_key_domain_of(d, skr_key_value_on(leaf[i], s->rule->topology_key));
    }
    return domain;
}

static void add_need(struct work *w, const struct pod_rules_source *s)
{
    struct key_domains d;
    skr_key_domains_init(
        w->e, s->rule->topology_key, &d,
        s->rule->kind == SKR_POD_RULE_SPREAD ? skr_pod_rules_counts_for_spread : NULL, s);
    int32_t *others = take(w, (size_t)d.n + 1, sizeof *others);
    if (others && count_others(w, s, &d, others)) {
        struct skr_victim_gift *gift = take(w, w->n_gifts + 1, sizeof *gift);
        struct skr_victim_need need = {
            .kind = s->rule->kind == SKR_POD_RULE_SPREAD ? SKR_DOMAIN_SKEW : SKR_DOMAIN_ONE,
            .n_domains = d.n,
            .domain = domains_of(w, s, &d),
            .others = others,
            .n_gifts = w->n_gifts,
            .gift = gift,
            .max_skew = s->rule->max_skew,
            .min_domains = s->rule->min_domains};
        if (gift && w->n_gifts > 0) {
            memcpy(gift, w->gift, w->n_gifts * sizeof *gift);
        }
        add_members(w, s, &need);
        w->need[w->n_needs++] = need;
    }
    skr_key_domains_fini(&d);
}

bool skr_victim_needs_add(struct skr_gang *e, struct pod_entry *const *newcomers, size_t n,
                          const struct victim_givers *givers,
                          const struct skr_solve_request *request, struct skr_victims_problem *in)
{
    const struct shapes shapes = skr_shapes_of(newcomers, n);
    struct work w = {.e = e,
                     .rules = {.e = e, .newcomers = newcomers, .n = n},
                     .newcomers = newcomers,
                     .n = n,
                     .givers = givers,
                     .request = request};
    size_t most = 0;
    for (size_t s = 0; s < shapes.n; s++) {
        most += shapes.item[s]->spec->n_rules;
    }
    if (most == 0) {
        return true;
    }
    w.need = take(&w, most, sizeof *w.need);
    for (size_t s = 0; s < shapes.n; s++) {
        const struct skr_pod_shape *spec = shapes.item[s]->spec;
        for (size_t i = 0; i < spec->n_rules && !w.full; i++) {
            const struct pod_rules_source source = {spec, &spec->rule[i]};
            if (source.rule->kind == SKR_POD_RULE_AFFINITY ||
                source.rule->kind == SKR_POD_RULE_SPREAD) {
                add_need(&w, &source);
            }
        }
    }
    free(w.gift);
    in->need = w.need;
    in->n_needs = w.n_needs;
    return !w.full;
}
