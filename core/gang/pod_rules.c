/* SPDX-License-Identifier: Apache-2.0 */
/* Rules of pods about other pods, made plain for one problem: see pod_rules.h. */
#include "core/gang/pod_rules.h"

#include "core/gang/nodes.h"
#include "core/gang/pods.h"
#include "core/gang/shapes.h"
#include "core/gang/topology.h"
#include "core/pod/rules.h"

#include <string.h>

enum { RULE_NAME_MAX = 320 };

/* A value of the topology key, as a domain. */
struct value {
    UT_hash_handle hh;
    const char *text;
    int32_t domain;
};

/* Domains of one topology key: its values over all nodes, those outside the tree included. */
struct domains {
    struct value *values;
    int32_t n;
};

struct work {
    struct skr_gang *e;
    struct pod_entry *const *newcomers;
    size_t n;
    struct skr_arena *arena;
    uint8_t *eligible;
    uint8_t *emptied; /* [leaf] eligible when all other pods are gone; NULL: not asked */
    struct skr_domain_rule *made;
    size_t n_made;
    size_t n_closed;
    char why[RULE_NAME_MAX * 2]; /* the first leaf was closed by this */
    bool no_room;
};

bool pod_rules_matter(const struct skr_gang *e, struct pod_entry *const *newcomers, size_t n)
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

/* ---- domains ---- */

static const char *value_on(const struct node_entry *n, const char *key)
{
    return n && n->node ? skr_labels_get(&n->node->meta.labels, key) : NULL;
}

static int32_t domain_of(const struct domains *d, const char *text)
{
    const struct value *v = NULL;
    if (text) {
        HASH_FIND_STR(d->values, text, v);
    }
    return v ? v->domain : -1;
}

/* NULL: any node counts. */
static void domains_init(const struct skr_gang *e, const char *key, struct domains *ret,
                         bool (*counts)(const struct node_entry *, const void *),
                         const void *context)
{
    *ret = (struct domains){0};
    struct node_entry *n, *tmp;
    HASH_ITER(hh, e->nodes, n, tmp)
    {
        const char *text = value_on(n, key);
        if (text && domain_of(ret, text) < 0 && (!counts || counts(n, context))) {
            struct value *v = skr_alloc(sizeof *v);
            v->text = text;
            v->domain = ret->n++;
            HASH_ADD_KEYPTR(hh, ret->values, v->text, strlen(v->text), v);
        }
    }
}

static void domains_fini(struct domains *d)
{
    struct value *v, *tmp;
    HASH_ITER(hh, d->values, v, tmp)
    {
        HASH_DEL(d->values, v);
        free(v);
    }
}

/* ---- other pods ---- */

/* Where a pod that is no newcomer is, or is planned to be; NULL: nowhere. */
static const char *place_of(const struct work *w, const struct pod_entry *p)
{
    if (pods_is_terminal(p->pod)) {
        return NULL;
    }
    for (size_t i = 0; i < w->n; i++) {
        if (w->newcomers[i] == p) {
            return NULL;
        }
    }
    return p->pod->node_name[0] != '\0' ? p->pod->node_name : p->plan ? p->place.node : NULL;
}

/* Members of the newcomers' group are the solver's claims. */
static bool is_claim(const struct work *w, const struct pod_entry *p)
{
    return w->n > 0 && p->group && p->group == w->newcomers[0]->group;
}

static void close_leaf(struct work *w, int32_t leaf, const struct skr_pod_rule *rule,
                       const struct pod_entry *by)
{
    if (leaf < 0 || !w->eligible[leaf]) {
        return;
    }
    if (w->n_closed == 0) {
        char name[RULE_NAME_MAX];
        skr_pod_rule_name(rule, name, sizeof name);
        if (by) {
            snprintf(w->why, sizeof w->why, "%s (%s)", name, by->key);
        } else {
            snprintf(w->why, sizeof w->why, "%s", name);
        }
    }
    w->eligible[leaf] = 0;
    w->n_closed++;
}

/* The node has no value of the rule's key: it is closed whoever is there. */
static void close_without_key(struct work *w, int32_t leaf, const struct skr_pod_rule *rule)
{
    close_leaf(w, leaf, rule, NULL);
    if (w->emptied) {
        w->emptied[leaf] = 0;
    }
}

/* Closes the leaves whose value of the key is that; "" and NULL: none. */
static void close_value(struct work *w, const char *key, const char *value,
                        const struct skr_pod_rule *rule, const struct pod_entry *by)
{
    struct node_entry *const *leaf = topology_leaf_nodes(w->e);
    for (int32_t i = 0; i < w->e->topology.tree->n_leaves && value; i++) {
        const char *here = value_on(leaf[i], key);
        if (here && strcmp(here, value) == 0) {
            close_leaf(w, i, rule, by);
        }
    }
}

static void close_taken_ports(struct work *w, const struct skr_pod_rule *rule)
{
    const struct pod_entry *p, *tmp;
    HASH_ITER(hh, w->e->pods, p, tmp)
    {
        const char *node = p->shape->spec->n_rules > 0 ? place_of(w, p) : NULL;
        for (size_t i = 0; i < p->shape->spec->n_rules && node && !is_claim(w, p); i++) {
            const struct skr_pod_rule *theirs = &p->shape->spec->rule[i];
            if (theirs->kind == SKR_POD_RULE_HOST_PORT && skr_pod_ports_clash(rule, theirs)) {
                close_leaf(w, skr_tree_find_leaf(w->e->topology.tree, node), rule, p);
            }
        }
    }
}

/* Their anti-affinity against our pods. */
static void close_by_others(struct work *w)
{
    const struct pod_entry *p, *tmp;
    HASH_ITER(hh, w->e->pods, p, tmp)
    {
        const char *node = p->shape->spec->n_rules > 0 && !is_claim(w, p) ? place_of(w, p) : NULL;
        for (size_t i = 0; i < p->shape->spec->n_rules && node; i++) {
            const struct skr_pod_rule *rule = &p->shape->spec->rule[i];
            bool against = false;
            for (size_t k = 0; k < w->n && !against; k++) {
                against = rule->kind == SKR_POD_RULE_ANTI_AFFINITY &&
                          skr_pod_rule_selects(rule, &w->newcomers[k]->pod->meta);
            }
            if (against) {
                close_value(w, rule->topology_key,
                            value_on(nodes_find(w->e, node), rule->topology_key), rule, p);
            }
        }
    }
}

/* Nodes that count for a spread: those the pod may be on at all, and has all its keys. */
struct spread_nodes {
    const struct skr_pod_shape *spec;
    const struct skr_pod_rule *rule;
};

static bool counts_for_spread(const struct node_entry *n, const void *context)
{
    const struct spread_nodes *s = context;
    for (size_t i = 0; i < s->spec->n_rules; i++) {
        const struct skr_pod_rule *other = &s->spec->rule[i];
        if (other->kind == SKR_POD_RULE_SPREAD && !value_on(n, other->topology_key)) {
            return false;
        }
    }
    return (s->rule->ignores_affinity || skr_pod_shape_selects_node(s->spec, n->node)) &&
           (!s->rule->honors_taints || skr_pod_shape_tolerates_node(s->spec, n->node));
}

/* Whether the rule is about a pod: of several required affinities only pods count that all of them
 * select (updateWithAffinityTerms). */
static bool is_about(const struct skr_pod_shape *spec, const struct skr_pod_rule *rule,
                     const struct skr_meta *pod)
{
    bool about = skr_pod_rule_selects(rule, pod);
    for (size_t i = 0; i < spec->n_rules && rule->kind == SKR_POD_RULE_AFFINITY && about; i++) {
        about = spec->rule[i].kind != SKR_POD_RULE_AFFINITY ||
                skr_pod_rule_selects(&spec->rule[i], pod);
    }
    return about;
}

/* Pods that the rule is about, by domain, on nodes that count for it; those of the group not: they
 * are claims. Returns their number, of the group too. */
static size_t count_others(const struct work *w, const struct spread_nodes *nodes,
                           const struct domains *d, int32_t *ret, const struct pod_entry **some)
{
    size_t n = 0;
    const struct skr_pod_rule *rule = nodes->rule;
    const bool spread = rule->kind == SKR_POD_RULE_SPREAD;
    const struct pod_entry *p, *tmp;
    HASH_ITER(hh, w->e->pods, p, tmp)
    {
        if ((spread && p->pod->meta.deleting) || !is_about(nodes->spec, rule, &p->pod->meta)) {
            continue;
        }
        const char *place = place_of(w, p);
        const struct node_entry *node = place ? nodes_find(w->e, place) : NULL;
        int32_t domain = domain_of(d, value_on(node, rule->topology_key));
        if (domain < 0 || (spread && !counts_for_spread(node, nodes))) {
            continue;
        }
        n++;
        if (rule->kind == SKR_POD_RULE_AFFINITY || !is_claim(w, p)) {
            ret[domain]++;
            some[domain] = p;
        }
    }
    return n;
}

/* ---- rules ---- */

/* *ret_domain: of each leaf, to be changed; NULL allowed. */
static struct skr_domain_rule *make(struct work *w, enum skr_domain_rule_kind kind,
                                    const struct skr_pod_rule *rule, const struct domains *d,
                                    int32_t **ret_domain)
{
    struct node_entry *const *leaf = topology_leaf_nodes(w->e);
    int32_t leaves = w->e->topology.tree->n_leaves;
    int32_t *domain = skr_arena_array(w->arena, (size_t)leaves + 1, sizeof *domain);
    char name[RULE_NAME_MAX];
    skr_pod_rule_name(rule, name, sizeof name);
    struct skr_domain_rule *made = &w->made[w->n_made];
    *made = (struct skr_domain_rule){
        .kind = kind, .name = skr_arena_strdup(w->arena, name), .domain = domain, .most = 1};
    if (!domain || !made->name) {
        w->no_room = true;
        return NULL;
    }
    for (int32_t i = 0; i < leaves; i++) {
        domain[i] = d ? domain_of(d, value_on(leaf[i], rule->topology_key)) : i;
    }
    made->n_domains = d ? d->n : leaves;
    if (ret_domain) {
        *ret_domain = domain;
    }
    w->n_made++;
    return made;
}

static size_t selected(const struct work *w, const struct skr_pod_shape *spec,
                       const struct skr_pod_rule *rule)
{
    size_t n = 0;
    for (size_t i = 0; i < w->n; i++) {
        n += is_about(spec, rule, &w->newcomers[i]->pod->meta) ? 1 : 0;
    }
    return n;
}

/* Whether a pod that the affinities are about is anywhere where one of them counts it. */
static bool any_runs(const struct work *w, const struct skr_pod_shape *spec,
                     const struct skr_pod_rule *affinity)
{
    const struct pod_entry *p, *tmp;
    HASH_ITER(hh, w->e->pods, p, tmp)
    {
        const char *place = is_about(spec, affinity, &p->pod->meta) ? place_of(w, p) : NULL;
        const struct node_entry *node = place ? nodes_find(w->e, place) : NULL;
        for (size_t i = 0; i < spec->n_rules && node; i++) {
            if (spec->rule[i].kind == SKR_POD_RULE_AFFINITY &&
                value_on(node, spec->rule[i].topology_key)) {
                return true;
            }
        }
    }
    return false;
}

/* Namespaces by their labels, of which there is no cache; of several affinities one is enough. */
static bool is_unknown(const struct skr_pod_shape *spec, const struct skr_pod_rule *rule)
{
    bool unknown = rule->by_namespace_labels;
    for (size_t i = 0; i < spec->n_rules && rule->kind == SKR_POD_RULE_AFFINITY; i++) {
        unknown = unknown || (spec->rule[i].kind == SKR_POD_RULE_AFFINITY &&
                              spec->rule[i].by_namespace_labels);
    }
    return unknown;
}

static void apply_anti_affinity(struct work *w, const struct skr_pod_rule *rule, bool own,
                                const struct domains *d, const int32_t *others,
                                const struct pod_entry *const *some)
{
    struct node_entry *const *leaf = topology_leaf_nodes(w->e);
    for (int32_t i = 0; i < w->e->topology.tree->n_leaves; i++) {
        int32_t domain = domain_of(d, value_on(leaf[i], rule->topology_key));
        if (domain >= 0 && others[domain] > 0) {
            close_leaf(w, i, rule, some[domain]);
        }
    }
    if (own) {
        make(w, SKR_DOMAIN_MOST, rule, d, NULL);
    }
}

/* The first of a kind that is affine to itself may go anywhere; the others go where it went. */
static void apply_affinity(struct work *w, const struct skr_pod_rule *rule, bool first,
                           const struct domains *d, const int32_t *others)
{
    struct node_entry *const *leaf = topology_leaf_nodes(w->e);
    for (int32_t i = 0; i < w->e->topology.tree->n_leaves; i++) {
        int32_t domain = domain_of(d, value_on(leaf[i], rule->topology_key));
        if (!value_on(leaf[i], rule->topology_key)) {
            close_without_key(w, i, rule);
        } else if (domain < 0 || (!first && others[domain] == 0)) {
            close_leaf(w, i, rule, NULL);
        }
    }
    if (first) {
        make(w, SKR_DOMAIN_ONE, rule, d, NULL);
    }
}

static void apply_spread(struct work *w, const struct spread_nodes *nodes, bool own,
                         const struct domains *d, int32_t *others)
{
    const struct skr_pod_rule *rule = nodes->rule;
    struct node_entry *const *leaf = topology_leaf_nodes(w->e);
    int32_t least = INT32_MAX;
    for (int32_t i = 0; i < d->n; i++) {
        least = others[i] < least ? others[i] : least;
    }
    least = d->n < rule->min_domains || d->n == 0 ? 0 : least;
    for (int32_t i = 0; i < w->e->topology.tree->n_leaves; i++) {
        int32_t domain = domain_of(d, value_on(leaf[i], rule->topology_key));
        if (domain < 0) {
            close_without_key(w, i, rule);
        } else if (!own && others[domain] - least > rule->max_skew) {
            close_leaf(w, i, rule, NULL);
        }
    }
    int32_t *domain;
    struct skr_domain_rule *made = own ? make(w, SKR_DOMAIN_SKEW, rule, d, &domain) : NULL;
    if (made) {
        for (int32_t i = 0; i < w->e->topology.tree->n_leaves; i++) {
            domain[i] = domain[i] >= 0 && counts_for_spread(leaf[i], nodes) ? domain[i] : -1;
        }
        made->max_skew = rule->max_skew;
        made->min_domains = rule->min_domains;
        made->others = others;
    }
}

static void apply(struct work *w, const struct skr_pod_shape *spec, const struct skr_pod_rule *rule)
{
    size_t own = selected(w, spec, rule);
    if (is_unknown(spec, rule) || (own > 0 && own < w->n) || w->n_made == SKR_DOMAIN_RULES_MAX) {
        return; /* kube-scheduler knows */
    }
    struct domains d;
    struct spread_nodes nodes = {spec, rule};
    domains_init(w->e, rule->topology_key, &d,
                 rule->kind == SKR_POD_RULE_SPREAD ? counts_for_spread : NULL, &nodes);
    int32_t *others = skr_arena_array(w->arena, (size_t)d.n + 1, sizeof *others);
    const struct pod_entry **some = skr_arena_array(w->arena, (size_t)d.n + 1, sizeof *some);
    w->no_room = w->no_room || !others || !some;
    if (!w->no_room) {
        size_t n = count_others(w, &nodes, &d, others, some);
        switch (rule->kind) {
        case SKR_POD_RULE_ANTI_AFFINITY:
            apply_anti_affinity(w, rule, own > 0, &d, others, some);
            break;
        case SKR_POD_RULE_AFFINITY:
            apply_affinity(w, rule, own > 0 && n == 0 && !any_runs(w, spec, rule), &d, others);
            break;
        case SKR_POD_RULE_SPREAD:
            apply_spread(w, &nodes, own > 0, &d, others);
            break;
        case SKR_POD_RULE_HOST_PORT:
        case SKR_POD_RULE_KIND_COUNT:
        default:
            break;
        }
    }
    domains_fini(&d);
}

static void apply_ports(struct work *w, const struct skr_pod_shape *spec)
{
    bool any = false;
    for (size_t i = 0; i < spec->n_rules; i++) {
        const struct skr_pod_rule *rule = &spec->rule[i];
        if (rule->kind != SKR_POD_RULE_HOST_PORT) {
            continue;
        }
        close_taken_ports(w, rule);
        if (!any && w->n_made < SKR_DOMAIN_RULES_MAX) {
            make(w, SKR_DOMAIN_MOST, rule, NULL, NULL);
        }
        any = true;
    }
}

/* Members of one template have one shape; of several, each shape's rules are obeyed by all. */
static bool gather(struct work *w)
{
    struct shapes shapes = shapes_of(w->newcomers, w->n);
    w->made = skr_arena_array(w->arena, SKR_DOMAIN_RULES_MAX, sizeof *w->made);
    if (!w->made) {
        return false;
    }
    for (size_t s = 0; s < shapes.n; s++) {
        const struct skr_pod_shape *spec = shapes.item[s]->spec;
        apply_ports(w, spec);
        for (size_t i = 0; i < spec->n_rules && !w->no_room; i++) {
            if (spec->rule[i].kind != SKR_POD_RULE_HOST_PORT) {
                apply(w, spec, &spec->rule[i]);
            }
        }
    }
    close_by_others(w);
    return !w->no_room;
}

bool pod_rules_apply(struct skr_gang *e, struct pod_entry *const *newcomers, size_t n,
                     struct skr_arena *arena, uint8_t *eligible, struct skr_problem *problem)
{
    if (!pod_rules_matter(e, newcomers, n)) {
        return true;
    }
    struct work w = {.e = e, .newcomers = newcomers, .n = n, .arena = arena, .eligible = eligible};
    size_t leaves = (size_t)e->topology.tree->n_leaves;
    w.emptied = skr_arena_alloc(arena, leaves + 1);
    if (!w.emptied) {
        return false;
    }
    memcpy(w.emptied, eligible, leaves);
    if (!gather(&w)) {
        return false;
    }
    problem->emptied = w.emptied;
    problem->domain_rule = w.made;
    problem->n_domain_rules = w.n_made;
    return true;
}

/* ---- turns ---- */

/* Takes everybody into the turn who may come whatever the others of the turn do: as many as a domain
 * has below least + maxSkew at its beginning. The least only grows while members come. */
static size_t take_turn(const struct work *w, const int32_t *leaf, int32_t *const *count,
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
            int32_t d = leaf[i] >= 0 ? w->made[r].domain[leaf[i]] : -1;
            fits = d < 0 || room[r][d] > 0;
        }
        for (size_t r = 0; r < w->n_made && fits; r++) {
            int32_t d = leaf[i] >= 0 ? w->made[r].domain[leaf[i]] : -1;
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

static void find_turns(const struct work *w, const char *const *node, int32_t *ret)
{
    const struct skr_tree *tree = w->e->topology.tree;
    int32_t *leaf = skr_alloc_array(w->n + 1, sizeof *leaf);
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
        const struct pod_entry *p, *tmp;
        HASH_ITER(hh, w->e->pods, p, tmp)
        {
            const char *at = is_claim(w, p) ? place_of(w, p) : NULL;
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
            ret[i] = ret[i] < 0 ? turn : ret[i]; /* kube-scheduler has the last word */
        }
        left = taken > 0 ? left - taken : 0;
    }
    for (size_t r = 0; r < w->n_made; r++) {
        free(count[r]);
    }
    free(leaf);
}

void pod_rules_turns(struct skr_gang *e, struct pod_entry *const *newcomers, size_t n,
                     const char *const *node, int32_t *ret)
{
    bool spread = false;
    for (size_t i = 0; i < n; i++) {
        ret[i] = 0;
        for (size_t r = 0; r < newcomers[i]->shape->spec->n_rules; r++) {
            spread = spread || newcomers[i]->shape->spec->rule[r].kind == SKR_POD_RULE_SPREAD;
        }
    }
    size_t leaves = spread ? (size_t)e->topology.tree->n_leaves : 0;
    struct skr_arena *arena = spread ? skr_arena_create((size_t)1 << 30, 0) : NULL;
    struct work w = {.e = e, .newcomers = newcomers, .n = n, .arena = arena};
    w.eligible = arena ? skr_arena_alloc(arena, leaves + 1) : NULL;
    if (w.eligible && gather(&w)) {
        find_turns(&w, node, ret);
    }
    skr_arena_destroy(arena);
}

/* ---- words ---- */

void pod_rules_say_closed(struct skr_gang *e, struct pod_entry *const *newcomers, size_t n,
                          struct skr_strbuf *b)
{
    if (n == 0 || !topology_is_usable(e) || !pod_rules_matter(e, newcomers, n)) {
        return;
    }
    size_t leaves = (size_t)e->topology.tree->n_leaves;
    struct skr_arena *arena = skr_arena_create((size_t)1 << 30, 0);
    uint8_t *eligible = arena ? skr_arena_alloc(arena, leaves + 1) : NULL;
    struct work w = {.e = e, .newcomers = newcomers, .n = n, .arena = arena, .eligible = eligible};
    if (eligible) {
        memset(eligible, 1, leaves);
        gather(&w);
    }
    if (w.n_closed > 0) {
        skr_strbuf_addf(b, "; %zu node%s closed to its pods by %s", w.n_closed,
                        w.n_closed == 1 ? " is" : "s are", w.why);
        if (w.n_closed > 1) {
            skr_strbuf_add(b, " and the like");
        }
    }
    skr_arena_destroy(arena);
}

static const char *wish(enum skr_domain_rule_kind kind)
{
    switch (kind) {
    case SKR_DOMAIN_MOST:
        return "exclude each other";
    case SKR_DOMAIN_ONE:
        return "want to be together";
    case SKR_DOMAIN_SKEW:
    case SKR_DOMAIN_RULE_KIND_COUNT:
    default:
        return "want to be spread";
    }
}

void pod_rules_say_blocking(const struct skr_domain_outcome *d, int32_t n, struct skr_strbuf *b)
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
    if (d->n_rules == 1 && d->rule[0].kind == SKR_DOMAIN_MOST && d->domains < n) {
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
