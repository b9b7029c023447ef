/* SPDX-License-Identifier: Apache-2.0 */
/* Translates rules of members about members of other roles into caps: problem_caps.h. */
#include "core/gang/problem/problem_caps.h"

#include "core/gang/cache/nodes.h"
#include "core/gang/cache/shapes.h"
#include "core/gang/cache/topology.h"
#include "core/pod/rules.h"

#include <string.h>

struct caps {
    struct skr_gang *e;
    const struct skr_cap_members *member;
    size_t n_roles;
    /* [level][role] the roles of which no member is in a unit with a member of the role; with its own
     * bit no two of its members are. */
    uint32_t apart[SKR_LEVELS_MAX + 1][SKR_ROLES_MAX];
    struct skr_role_cap *item;
    size_t n;
};

/* It holds both ways, whichever pod kube-scheduler looks at. */
static void set_apart(struct caps *c, size_t role, uint32_t roles, int32_t level)
{
    c->apart[level][role] |= roles;
    for (size_t r = 0; r < c->n_roles; r++) {
        c->apart[level][r] |= (roles >> r & 1) != 0 ? 1U << role : 0;
    }
}

/* against: 0, or the roles that are apart from these. */
static void add_cap(struct caps *c, uint32_t roles, uint32_t against, int32_t level)
{
    size_t members = 0;
    for (size_t r = 0; r < c->n_roles; r++) {
        members += ((roles | against) >> r & 1) != 0 ? c->member[r].n : 0;
    }
    if (members > 1 && c->n < SKR_ROLE_CAPS_MAX) {
        c->item[c->n++] =
            (struct skr_role_cap){.roles = roles, .against = against, .level = level, .most = 1};
    }
}

/* As few caps as possible: roles that are apart from the same ones share them. */
static void add_caps(struct caps *c, int32_t level)
{
    const uint32_t *apart = c->apart[level];
    uint32_t seen = 0, done[SKR_ROLES_MAX] = {0};
    for (size_t r = 0; r < c->n_roles; r++) {
        uint32_t alike = 0;
        for (size_t k = r; k < c->n_roles; k++) {
            alike |= apart[k] == apart[r] ? 1U << k : 0;
        }
        const bool self = (apart[r] >> r & 1) != 0;
        const uint32_t rest = apart[r] & ~alike & ~done[r];
        if (apart[r] == 0 || (seen >> r & 1) != 0) {
            continue;
        }
        seen |= alike;
        if (self) {
            add_cap(c, alike, 0, level);
        }
        if (rest != 0) {
            add_cap(c, alike, rest, level);
        }
        for (size_t k = 0; k < c->n_roles; k++) {
            done[k] |= (rest >> k & 1) != 0 ? alike : 0;
        }
    }
}

static const char *value_on(const struct node_entry *n, const char *key)
{
    return n && n->node ? skr_labels_get(&n->node->meta.labels, key) : NULL;
}

struct seen_value {
    UT_hash_handle hh;
    const char *text;
    int32_t unit;
};

/* Whether the values of the key divide the nodes as the units of the level do. */
static bool divides(struct skr_gang *e, const char *key, int32_t level)
{
    const struct skr_tree *tree = e->topology.tree;
    struct node_entry *const *leaf = skr_topology_leaf_nodes(e);
    struct seen_value *values = NULL, *v, *tmp;
    SKR_AUTO_FREE const char **of_unit =
        skr_alloc_array((size_t)tree->n_units + 1, sizeof *of_unit);
    bool good = true;
    for (int32_t i = 0; i < tree->n_leaves && good; i++) {
        const char *text = value_on(leaf[i], key);
        int32_t unit = skr_tree_unit_at(tree, i, level);
        if (!leaf[i] || !text) {
            good = !leaf[i]; /* a node without the key has no domain */
            continue;
        }
        HASH_FIND_STR(values, text, v);
        good = (!v || v->unit == unit) && (!of_unit[unit] || strcmp(of_unit[unit], text) == 0);
        of_unit[unit] = text;
        if (!v) {
            v = skr_alloc(sizeof *v);
            v->text = text;
            v->unit = unit;
            HASH_ADD_KEYPTR(hh, values, v->text, strlen(v->text), v);
        }
    }
    HASH_ITER(hh, values, v, tmp)
    {
        HASH_DEL(values, v);
        free(v);
    }
    return good;
}

int32_t skr_problem_caps_level(struct skr_gang *e, const char *key)
{
    int32_t level = e->topology.tree->n_levels;
    while (level > 0 && !divides(e, key, level)) {
        level--;
    }
    return level;
}

/* Whether the rule selects all members of the role. */
static bool selects(const struct skr_pod_rule *rule, const struct skr_cap_members *role)
{
    for (size_t i = 0; i < role->n; i++) {
        if (!skr_pod_rule_selects(rule, &role->item[i]->pod->meta)) {
            return false;
        }
    }
    return role->n > 0;
}

static bool clashes(const struct skr_pod_rule *rule, const struct skr_cap_members *role)
{
    const struct shape *last = NULL;
    for (size_t i = 0; i < role->n; i++) {
        const struct shape *shape = role->item[i]->shape;
        for (size_t k = 0; shape != last && k < shape->spec->n_rules; k++) {
            if (shape->spec->rule[k].kind == SKR_POD_RULE_HOST_PORT &&
                skr_pod_ports_clash(rule, &shape->spec->rule[k])) {
                return true;
            }
        }
        last = shape;
    }
    return false;
}

static void add_rule(struct caps *c, size_t role, const struct skr_pod_rule *rule)
{
    uint32_t roles = 0;
    if (rule->kind == SKR_POD_RULE_HOST_PORT) {
        for (size_t r = 0; r < c->n_roles; r++) {
            roles |= clashes(rule, &c->member[r]) ? 1U << r : 0;
        }
        set_apart(c, role, roles, c->e->topology.tree->n_levels);
    } else if (rule->kind == SKR_POD_RULE_ANTI_AFFINITY && !rule->unknown_namespaces) {
        for (size_t r = 0; r < c->n_roles; r++) {
            roles |= selects(rule, &c->member[r]) ? 1U << r : 0;
        }
        set_apart(c, role, roles, roles ? skr_problem_caps_level(c->e, rule->topology_key) : 0);
    }
}

size_t skr_problem_caps(struct skr_gang *e, const struct skr_cap_members *member, size_t n_roles,
                        struct skr_role_cap *ret)
{
    struct caps c = {.e = e, .member = member, .n_roles = n_roles, .item = ret};
    for (size_t r = 0; r < n_roles; r++) {
        struct shapes shapes = skr_shapes_of(member[r].item, member[r].n);
        for (size_t s = 0; s < shapes.n; s++) {
            for (size_t i = 0; i < shapes.item[s]->spec->n_rules; i++) {
                add_rule(&c, r, &shapes.item[s]->spec->rule[i]);
            }
        }
    }
    for (int32_t level = 1; level <= e->topology.tree->n_levels; level++) {
        add_caps(&c, level);
    }
    return c.n;
}
