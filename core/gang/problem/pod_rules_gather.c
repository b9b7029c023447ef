/* SPDX-License-Identifier: Apache-2.0 */
/* Evaluates rules of pods about other pods over the cache: see pod_rules_gather.h. */
#include "core/gang/problem/pod_rules_gather.h"

#include "core/gang/cache/nodes.h"
#include "core/gang/cache/pods.h"
#include "core/gang/cache/shapes.h"
#include "core/gang/cache/topology.h"
#include "core/gang/group/pins.h"
#include "core/gang/problem/key_domains.h"
#include "core/gang/problem/problem_caps.h"
#include "core/pod/rules.h"

#include <string.h>

/* ---- other pods ---- */

const char *skr_pod_rules_place(const struct pod_rules_work *w, const struct pod_walk *p)
{
    const struct pod_entry *entry = p->entry;
    if (!entry) {
        return p->node;
    }
    if (skr_pods_is_terminal(entry->pod)) {
        return NULL;
    }
    struct pod_entry *const *comers = w->roles ? w->roles->all : w->newcomers;
    for (size_t i = 0; i < (w->roles ? w->roles->n_all : w->n); i++) {
        if (comers[i] == entry) {
            return NULL;
        }
    }
    return *p->node ? p->node : entry->plan ? entry->place.node : NULL;
}

bool skr_pod_rules_is_claim(const struct pod_rules_work *w, const struct pod_walk *p)
{
    return w->n > 0 && p->entry && p->entry->group && p->entry->group == w->newcomers[0]->group;
}

/* by: a pod, or NULL. */
static void close_leaf(struct pod_rules_work *w, int32_t leaf, const struct skr_pod_rule *rule,
                       const struct pod_ref *by)
{
    if (leaf < 0 || !w->eligible[leaf]) {
        return;
    }
    if (w->n_closed == 0) {
        char name[POD_RULE_NAME_MAX];
        skr_pod_rule_name(rule, name, sizeof name);
        if (by) {
            SKR_STRBUF(key);
            skr_pod_ref_add_key(w->e, *by, &key);
            snprintf(w->why, sizeof w->why, "%s (%s)", name, key.s);
        } else {
            snprintf(w->why, sizeof w->why, "%s", name);
        }
    }
    w->eligible[leaf] = 0;
    w->n_closed++;
}

/* The node lacks the rule's key: it is closed, whatever pods it has. */
static void close_without_key(struct pod_rules_work *w, int32_t leaf,
                              const struct skr_pod_rule *rule)
{
    close_leaf(w, leaf, rule, NULL);
    if (w->emptied) {
        w->emptied[leaf] = 0;
    }
}

/* Closes the leaves with this value of the key; "" and NULL: none. */
static void close_value(struct pod_rules_work *w, const char *key, const char *value,
                        const struct skr_pod_rule *rule, const struct pod_ref *by)
{
    struct node_entry *const *leaf = skr_topology_leaf_nodes(w->e);
    for (int32_t i = 0; i < w->e->topology.tree->n_leaves && value; i++) {
        const char *here = skr_key_value_on(leaf[i], key);
        if (here && strcmp(here, value) == 0) {
            close_leaf(w, i, rule, by);
        }
    }
}

static void close_taken_ports(struct pod_rules_work *w, const struct skr_pod_rule *rule)
{
    struct pod_walk p = {0};
    while (skr_pod_walk_next(w->e, &p)) {
        const char *node = p.shape->spec->n_rules > 0 ? skr_pod_rules_place(w, &p) : NULL;
        for (size_t i = 0; i < p.shape->spec->n_rules && node && !skr_pod_rules_is_claim(w, &p);
             i++) {
            const struct skr_pod_rule *theirs = &p.shape->spec->rule[i];
            if (theirs->kind == SKR_POD_RULE_HOST_PORT && skr_pod_ports_clash(rule, theirs)) {
                const struct pod_ref by = skr_pod_walk_ref(&p);
                close_leaf(w, skr_tree_find_leaf(w->e->topology.tree, node), rule, &by);
            }
        }
    }
}

/* Whether the solver counts the pod's rules with those of the newcomers. */
static bool is_counted(const struct pod_rules_work *w, const struct pod_walk *p)
{
    size_t k = 0;
    while (!w->roles && k < w->n && w->newcomers[k]->shape != p->shape) {
        k++;
    }
    return !w->roles && k < w->n && skr_pod_rules_is_claim(w, p);
}

/* The node of a pod that keeps newcomers away; also of a member that comes with them, if its node is given. */
static const char *stands_on(const struct pod_rules_work *w, const struct pod_walk *p)
{
    const char *node = skr_pod_rules_place(w, p);
    size_t k = 0;
    while (k < w->n && w->newcomers[k] != p->entry) {
        k++;
    }
    const bool comes = !node && k >= w->n && skr_pod_rules_is_claim(w, p) && p->entry->seated &&
                       skr_pod_is_live(p->entry->pod);
    return comes ? skr_pins_node(w->e, p->shape->spec) : node;
}

/* Whether the rule keeps a newcomer away. */
static bool is_against(const struct pod_rules_work *w, const struct skr_pod_rule *rule)
{
    bool against = false;
    for (size_t k = 0; k < w->n && !against; k++) {
        against = rule->kind == SKR_POD_RULE_ANTI_AFFINITY &&
                  skr_pod_rule_selects(rule, &w->newcomers[k]->pod->meta);
    }
    return against;
}

/* Applies other pods' anti-affinity to the newcomers, also that of members that run, of other roles. Pods of one
 * template, which share a shape, come one after the other. */
static void close_by_others(struct pod_rules_work *w)
{
    struct pod_walk p = {0};
    const struct skr_pod_shape *of = NULL;
    bool against[SKR_POD_RULES_MAX];
    while (skr_pod_walk_next(w->e, &p)) {
        const struct skr_pod_shape *spec = p.shape->spec;
        const char *node = spec->n_rules > 0 && !is_counted(w, &p) ? stands_on(w, &p) : NULL;
        for (size_t i = 0; i < spec->n_rules && node && spec != of; i++) {
            against[i] = is_against(w, &spec->rule[i]);
        }
        of = node ? spec : of;
        for (size_t i = 0; i < spec->n_rules && node; i++) {
            const struct skr_pod_rule *rule = &spec->rule[i];
            if (against[i]) {
                const struct pod_ref by = skr_pod_walk_ref(&p);
                close_value(w, rule->topology_key,
                            skr_key_value_on(skr_nodes_find(w->e, node), rule->topology_key), rule,
                            &by);
            }
        }
    }
}

bool skr_pod_rules_counts_for_spread(const struct node_entry *n, const void *context)
{
    const struct pod_rules_source *s = context;
    for (size_t i = 0; i < s->spec->n_rules; i++) {
        const struct skr_pod_rule *other = &s->spec->rule[i];
        if (other->kind == SKR_POD_RULE_SPREAD && !skr_key_value_on(n, other->topology_key)) {
            return false;
        }
    }
    return (s->rule->ignores_affinity || skr_pod_shape_selects_node(s->spec, n->node)) &&
           (!s->rule->honors_taints || skr_pod_shape_tolerates_node(s->spec, n->node));
}

bool skr_pod_rules_is_about(const struct skr_pod_shape *spec, const struct skr_pod_rule *rule,
                            const struct skr_meta *pod)
{
    bool about = skr_pod_rule_selects(rule, pod);
    for (size_t i = 0; i < spec->n_rules && rule->kind == SKR_POD_RULE_AFFINITY && about; i++) {
        about = spec->rule[i].kind != SKR_POD_RULE_AFFINITY ||
                skr_pod_rule_selects(&spec->rule[i], pod);
    }
    return about;
}

/* The same of the pod with this number in the walk: all affinities of a shape are about the same pods. */
static bool concerns(struct pod_rules_work *w, const struct skr_pod_shape *spec,
                     const struct skr_pod_rule *rule, const struct pod_walk *p, size_t number)
{
    enum { NOT_KNOWN, NO, YES };
    if (rule->kind == SKR_POD_RULE_AFFINITY && w->affinity_of != spec) {
        w->affinity_of = spec;
        const size_t n = skr_pods_count(w->e) + skr_residents_count(w->e);
        w->affinity = skr_arena_array(w->arena, n + 1, sizeof *w->affinity);
    }
    if (rule->kind != SKR_POD_RULE_AFFINITY || !w->affinity) {
        return skr_pod_rules_is_about(spec, rule, p->meta);
    }
    if (w->affinity[number] == NOT_KNOWN) {
        w->affinity[number] = skr_pod_rules_is_about(spec, rule, p->meta) ? YES : NO;
    }
    return w->affinity[number] == YES;
}

/* Pods the rule concerns, by domain, on nodes that count for it, without the group's (claims).
 * Returns their number including the group's. */
static size_t count_others(struct pod_rules_work *w, const struct pod_rules_source *nodes,
                           const struct key_domains *d, int32_t *ret, struct pod_ref *some)
{
    size_t n = 0, number = 0;
    const struct skr_pod_rule *rule = nodes->rule;
    const bool spread = rule->kind == SKR_POD_RULE_SPREAD;
    struct pod_walk p = {0};
    while (skr_pod_walk_next(w->e, &p)) {
        if (!concerns(w, nodes->spec, rule, &p, number++) || (spread && p.deleting)) {
            continue;
        }
        const char *place = skr_pod_rules_place(w, &p);
        const struct node_entry *node = place ? skr_nodes_find(w->e, place) : NULL;
        int32_t domain = skr_key_domain_of(d, skr_key_value_on(node, rule->topology_key));
        if (domain < 0 || (spread && !skr_pod_rules_counts_for_spread(node, nodes))) {
            continue;
        }
        n++;
        if (rule->kind == SKR_POD_RULE_AFFINITY || !skr_pod_rules_is_claim(w, &p)) {
            ret[domain]++;
            some[domain] = skr_pod_walk_ref(&p);
        }
    }
    return n;
}

/* ---- roles ---- */

static enum pod_rule_part part_of(const struct skr_pod_shape *spec, const struct skr_pod_rule *rule,
                                  const struct pod_entry *p)
{
    return skr_pod_rules_is_about(spec, rule, &p->pod->meta) ? POD_RULE_COUNTS
           : p->shape->spec == spec                          ? POD_RULE_FOLLOWS
                                                             : POD_RULE_IGNORES;
}

/* The roles of the problem that have members and whose members all count for the rule. */
static uint32_t roles_of(const struct pod_rules_work *w, const struct skr_pod_shape *spec,
                         const struct skr_pod_rule *rule)
{
    uint32_t roles = 0;
    for (size_t r = 0; w->roles && r < w->roles->n; r++) {
        const struct skr_cap_members *role = &w->roles->member[r];
        bool all = role->n > 0;
        for (size_t i = 0; i < role->n && all; i++) {
            all = part_of(spec, rule, role->item[i]) == POD_RULE_COUNTS;
        }
        roles |= all ? UINT32_C(1) << r : 0;
    }
    return roles;
}

/* Whether an anti-affinity of the role's members over the key selects all members of the roles. */
static bool excludes(const struct pod_rules_work *w, size_t role, const char *key, uint32_t roles)
{
    const struct skr_cap_members *of = &w->roles->member[role];
    const struct shapes shapes = skr_shapes_of(of->item, of->n);
    for (size_t s = 0; s < shapes.n; s++) {
        const struct skr_pod_shape *spec = shapes.item[s]->spec;
        for (size_t i = 0; i < spec->n_rules; i++) {
            if (spec->rule[i].kind == SKR_POD_RULE_ANTI_AFFINITY &&
                strcmp(spec->rule[i].topology_key, key) == 0 &&
                (roles & ~roles_of(w, spec, &spec->rule[i])) == 0) {
                return true;
            }
        }
    }
    return false;
}

/* The roles of which no two members are in one domain, of an anti-affinity of role self that selects
 * these roles: self, and those that exclude the same roles in their turn. 0: self may repeat. */
static uint32_t alike_of(const struct pod_rules_work *w, const struct skr_pod_rule *rule,
                         uint32_t roles)
{
    const uint32_t self = UINT32_C(1) << w->roles->self;
    uint32_t alike = roles & self;
    for (size_t r = 0; r < w->roles->n && alike != 0; r++) {
        const bool selected = (roles >> r & 1) != 0 && r != w->roles->self;
        alike |= selected && excludes(w, r, rule->topology_key, roles) ? UINT32_C(1) << r : 0;
    }
    return alike;
}

/* The name of the rule, followed by the names of its roles; NULL without memory. */
static const char *name_roles(const struct pod_rules_work *w, const struct skr_domain_rule *made)
{
    const struct group *g = w->newcomers[0]->group;
    SKR_STRBUF(name);
    skr_strbuf_add(&name, made->name);
    bool some = false;
    for (size_t r = 0; r < w->roles->n; r++) {
        if (((made->roles | made->against) >> r & 1) != 0) {
            const struct pod_entry *p = w->roles->member[r].item[0];
            skr_strbuf_addf(&name, "%s%s", some ? ", " : ", role ", g->roles.item[p->role].name);
            some = true;
        }
    }
    return skr_arena_strdup(w->arena, name.s);
}

static bool are_same(const struct pod_rules_work *w, size_t a, size_t b)
{
    const struct skr_domain_rule *x = &w->made[a], *y = &w->made[b];
    size_t leaves = (size_t)w->e->topology.tree->n_leaves, n = (size_t)x->n_domains;
    bool same = x->kind == y->kind && x->n_domains == y->n_domains && x->roles == y->roles &&
                x->against == y->against && x->max_skew == y->max_skew &&
                x->min_domains == y->min_domains && !x->others == !y->others;
    same = same && memcmp(x->domain, y->domain, leaves * sizeof *x->domain) == 0;
    same = same && (!x->others || memcmp(x->others, y->others, n * sizeof *x->others) == 0);
    return same && (!w->turns || memcmp(w->part[a], w->part[b], w->n) == 0);
}

/* Completes the last rule: its roles, unless it has them, its name and what it is to each newcomer.
 * Drops the rule if an earlier one is the same. */
static void finish(struct pod_rules_work *w, const struct skr_pod_shape *spec,
                   const struct skr_pod_rule *rule)
{
    size_t last = w->n_made - 1;
    struct skr_domain_rule *made = &w->made[last];
    if (w->roles) {
        made->roles = made->roles != 0 ? made->roles
                                       : roles_of(w, spec, rule) | UINT32_C(1) << w->roles->self;
        made->name = name_roles(w, made);
    }
    w->source[last] = (struct pod_rules_source){spec, rule};
    w->part[last] = w->turns ? skr_arena_alloc(w->arena, w->n + 1) : NULL;
    if (!made->name || (w->turns && !w->part[last])) {
        w->no_room = true;
        return;
    }
    for (size_t i = 0; i < w->n && w->turns; i++) {
        w->part[last][i] = (uint8_t)part_of(spec, rule, w->newcomers[i]);
    }
    for (size_t r = 0; r < last; r++) {
        if (are_same(w, r, last)) {
            w->n_made = last;
            return;
        }
    }
}

/* ---- rules ---- */

/* *ret_domain: of each leaf, for the caller to fill; NULL allowed. */
static struct skr_domain_rule *make(struct pod_rules_work *w, enum skr_domain_rule_kind kind,
                                    const struct skr_pod_rule *rule, const struct key_domains *d,
                                    int32_t **ret_domain)
{
    struct node_entry *const *leaf = skr_topology_leaf_nodes(w->e);
    int32_t leaves = w->e->topology.tree->n_leaves;
    int32_t *domain = skr_arena_array(w->arena, (size_t)leaves + 1, sizeof *domain);
    char name[POD_RULE_NAME_MAX];
    skr_pod_rule_name(rule, name, sizeof name);
    struct skr_domain_rule *made = &w->made[w->n_made];
    *made = (struct skr_domain_rule){
        .kind = kind, .name = skr_arena_strdup(w->arena, name), .domain = domain, .most = 1};
    if (!domain || !made->name) {
        w->no_room = true;
        return NULL;
    }
    for (int32_t i = 0; i < leaves; i++) {
        domain[i] = d ? skr_key_domain_of(d, skr_key_value_on(leaf[i], rule->topology_key)) : i;
    }
    made->n_domains = d ? d->n : leaves;
    if (ret_domain) {
        *ret_domain = domain;
    }
    w->n_made++;
    return made;
}

static size_t selected(const struct pod_rules_work *w, const struct skr_pod_shape *spec,
                       const struct skr_pod_rule *rule)
{
    size_t n = 0;
    for (size_t i = 0; i < w->n; i++) {
        n += skr_pod_rules_is_about(spec, rule, &w->newcomers[i]->pod->meta) ? 1 : 0;
    }
    return n;
}

/* Whether a pod that the affinities concern runs in a domain of any of them. */
static bool any_runs(struct pod_rules_work *w, const struct skr_pod_shape *spec,
                     const struct skr_pod_rule *affinity)
{
    struct pod_walk p = {0};
    size_t number = 0;
    while (skr_pod_walk_next(w->e, &p)) {
        const char *place =
            concerns(w, spec, affinity, &p, number++) ? skr_pod_rules_place(w, &p) : NULL;
        const struct node_entry *node = place ? skr_nodes_find(w->e, place) : NULL;
        for (size_t i = 0; i < spec->n_rules && node; i++) {
            if (spec->rule[i].kind == SKR_POD_RULE_AFFINITY &&
                skr_key_value_on(node, spec->rule[i].topology_key)) {
                return true;
            }
        }
    }
    return false;
}

bool skr_pod_rules_is_unknown(const struct skr_pod_shape *spec, const struct skr_pod_rule *rule)
{
    bool unknown = rule->unknown_namespaces;
    for (size_t i = 0; i < spec->n_rules && rule->kind == SKR_POD_RULE_AFFINITY; i++) {
        unknown = unknown ||
                  (spec->rule[i].kind == SKR_POD_RULE_AFFINITY && spec->rule[i].unknown_namespaces);
    }
    return unknown;
}

static void close_excluded(struct pod_rules_work *w, const struct skr_pod_rule *rule,
                           const struct key_domains *d, const int32_t *others,
                           const struct pod_ref *some)
{
    struct node_entry *const *leaf = skr_topology_leaf_nodes(w->e);
    for (int32_t i = 0; i < w->e->topology.tree->n_leaves; i++) {
        int32_t domain = skr_key_domain_of(d, skr_key_value_on(leaf[i], rule->topology_key));
        if (domain >= 0 && others[domain] > 0) {
            close_leaf(w, i, rule, &some[domain]);
        }
    }
}

/* Members that exclude each other. With roles one rule is for those of which a domain has one, and one
 * keeps the others that are selected away from them. The caller finishes the last rule. */
static void exclude_members(struct pod_rules_work *w, const struct skr_pod_shape *spec,
                            const struct skr_pod_rule *rule, bool own, const struct key_domains *d)
{
    const uint32_t self = w->roles ? UINT32_C(1) << w->roles->self : 0;
    const uint32_t roles = roles_of(w, spec, rule) | (own ? self : 0);
    const uint32_t alike = w->roles ? alike_of(w, rule, roles) : 0;
    struct skr_domain_rule *made = own ? make(w, SKR_DOMAIN_MOST, rule, d, NULL) : NULL;
    if (made) {
        made->roles = alike;
    }
    if ((roles & ~alike) == 0) {
        return;
    }
    if (made) {
        finish(w, spec, rule);
    }
    made = w->n_made < SKR_DOMAIN_RULES_MAX && !w->no_room ? make(w, SKR_DOMAIN_MOST, rule, d, NULL)
                                                           : NULL;
    if (made) {
        made->roles = alike | self;
        made->against = roles & ~alike;
    }
}

/* The first pod of a kind with affinity to itself may go anywhere; the others follow it. */
static void apply_affinity(struct pod_rules_work *w, const struct skr_pod_rule *rule, bool first,
                           const struct key_domains *d, const int32_t *others)
{
    struct node_entry *const *leaf = skr_topology_leaf_nodes(w->e);
    for (int32_t i = 0; i < w->e->topology.tree->n_leaves; i++) {
        int32_t domain = skr_key_domain_of(d, skr_key_value_on(leaf[i], rule->topology_key));
        if (!skr_key_value_on(leaf[i], rule->topology_key)) {
            close_without_key(w, i, rule);
        } else if (domain < 0 || (!first && others[domain] == 0)) {
            close_leaf(w, i, rule, NULL);
        }
    }
    if (first) {
        make(w, SKR_DOMAIN_ONE, rule, d, NULL);
    }
}

static void apply_spread(struct pod_rules_work *w, const struct pod_rules_source *nodes, bool own,
                         const struct key_domains *d, int32_t *others)
{
    const struct skr_pod_rule *rule = nodes->rule;
    struct node_entry *const *leaf = skr_topology_leaf_nodes(w->e);
    int32_t least = INT32_MAX;
    for (int32_t i = 0; i < d->n; i++) {
        least = others[i] < least ? others[i] : least;
    }
    least = d->n < rule->min_domains || d->n == 0 ? 0 : least;
    for (int32_t i = 0; i < w->e->topology.tree->n_leaves; i++) {
        int32_t domain = skr_key_domain_of(d, skr_key_value_on(leaf[i], rule->topology_key));
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
            domain[i] =
                domain[i] >= 0 && skr_pod_rules_counts_for_spread(leaf[i], nodes) ? domain[i] : -1;
        }
        made->max_skew = rule->max_skew;
        made->min_domains = rule->min_domains;
        made->others = others;
    }
}

static void apply(struct pod_rules_work *w, const struct skr_pod_shape *spec,
                  const struct skr_pod_rule *rule)
{
    size_t own = selected(w, spec, rule);
    if (skr_pod_rules_is_unknown(spec, rule) || (own > 0 && own < w->n && !w->turns) ||
        w->n_made == SKR_DOMAIN_RULES_MAX) {
        return; /* kube-scheduler decides */
    }
    const size_t before = w->n_made;
    struct key_domains d;
    struct pod_rules_source nodes = {spec, rule};
    skr_key_domains_init(w->e, rule->topology_key, &d,
                         rule->kind == SKR_POD_RULE_SPREAD ? skr_pod_rules_counts_for_spread : NULL,
                         &nodes);
    int32_t *others = skr_arena_array(w->arena, (size_t)d.n + 1, sizeof *others);
    struct pod_ref *some = skr_arena_array(w->arena, (size_t)d.n + 1, sizeof *some);
    bool capped;
    w->no_room = w->no_room || !others || !some;
    if (!w->no_room) {
        size_t n = count_others(w, &nodes, &d, others, some);
        switch (rule->kind) {
        case SKR_POD_RULE_ANTI_AFFINITY:
            capped = w->roles && skr_problem_caps_level(w->e, rule->topology_key) > 0;
            close_excluded(w, rule, &d, others, some);
            if (!capped) {
                exclude_members(w, spec, rule, own > 0, &d);
            }
            break;
        case SKR_POD_RULE_AFFINITY:
            apply_affinity(w, rule,
                           (own > 0 || roles_of(w, spec, rule) != 0) && n == 0 &&
                               !any_runs(w, spec, rule),
                           &d, others);
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
    if (w->n_made > before && !w->no_room) {
        finish(w, spec, rule);
    }
    skr_key_domains_fini(&d);
}

static size_t count_of(const struct pod_rules_work *w, const struct shape *shape)
{
    size_t n = 0;
    for (size_t i = 0; i < w->n; i++) {
        n += w->newcomers[i]->shape == shape ? 1 : 0;
    }
    return n;
}

/* A port that a newcomer and another member both request; NULL: none. */
static const struct skr_pod_rule *shared_port(const struct pod_rules_work *w,
                                              const struct shapes *shapes)
{
    const struct skr_pod_rule *rule = NULL;
    for (size_t a = 0; a < shapes->n && !rule; a++) {
        const struct skr_pod_shape *spec = shapes->item[a]->spec;
        for (size_t b = a; b < shapes->n && !rule; b++) {
            bool two = a != b || count_of(w, shapes->item[a]) > 1;
            rule = two ? skr_pod_port_clash(spec, shapes->item[b]->spec) : NULL;
        }
        struct pod_walk p = {0};
        while (!rule && spec->n_rules > 0 && skr_pod_walk_next(w->e, &p)) {
            bool seated = skr_pod_rules_is_claim(w, &p) && skr_pod_rules_place(w, &p);
            rule = seated ? skr_pod_port_clash(spec, p.shape->spec) : NULL;
        }
    }
    return rule;
}

/* If two members request one port, every member gets a node of its own: the solver's members are
 * equal. */
static void apply_ports(struct pod_rules_work *w, const struct shapes *shapes)
{
    const struct skr_pod_rule *shared = shared_port(w, shapes);
    if (shared && !w->roles && !w->turns) { /* in a problem with roles it is a cap */
        make(w, SKR_DOMAIN_MOST, shared, NULL, NULL);
    }
    for (size_t s = 0; s < shapes->n; s++) {
        const struct skr_pod_shape *spec = shapes->item[s]->spec;
        for (size_t i = 0; i < spec->n_rules; i++) {
            if (spec->rule[i].kind == SKR_POD_RULE_HOST_PORT) {
                close_taken_ports(w, &spec->rule[i]);
            }
        }
    }
}

bool skr_pod_rules_gather(struct pod_rules_work *w)
{
    struct shapes shapes = skr_shapes_of(w->newcomers, w->n);
    w->affinity_of = NULL;
    if (!w->made) {
        w->made = skr_arena_array(w->arena, SKR_DOMAIN_RULES_MAX, sizeof *w->made);
    }
    if (!w->made) {
        return false;
    }
    apply_ports(w, &shapes);
    for (size_t s = 0; s < shapes.n; s++) {
        const struct skr_pod_shape *spec = shapes.item[s]->spec;
        for (size_t i = 0; i < spec->n_rules && !w->no_room; i++) {
            if (spec->rule[i].kind != SKR_POD_RULE_HOST_PORT) {
                apply(w, spec, &spec->rule[i]);
            }
        }
    }
    close_by_others(w);
    return !w->no_room;
}
