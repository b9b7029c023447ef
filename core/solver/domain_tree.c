/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The levels of a tree are a chain of refinements (level_chain.h). The domains of a rule find their
 * place in it, or cross it:
 *
 *   i    the topmost level that refines the domains (the leaves always do)
 *        each domain is one unit of i: that level is theirs
 *        the domains refine level i - 1: they are put in between
 *        else they cross
 *
 * A level that is put in above level i changes the meaning of i's rule, which holds for the
 * children of every used parent: the parents are domains now. Bounds of a single child mean the
 * same. "Exactly one" becomes a rule of the new level, too. "Exactly p" cannot be expressed, so no
 * level is put in there. The same holds for the own rules of roles.
 */
#include "core/solver/domain_tree.h"

#include <string.h>

struct maker {
    const struct skr_problem *problem;
    struct skr_level_chain chain;
    struct skr_domain_tree *made; /* its own rules and levels grow with the chain */
    size_t n_roles;
    int32_t *seen; /* [parts of whatever is looked at] */
};

/* The domains as a partition. A leaf in no domain is a part of its own. If it takes no new members
 * anyway, it joins the domain of the nearest unit that has one, so that domains still nest. */
static bool partition_of(struct maker *m, const struct skr_domain_rule *rule,
                         struct skr_partition *ret)
{
    const struct skr_tree *tree = m->problem->tree;
    *ret = (struct skr_partition){.rule = {.silent = true}};
    ret->n_parts = rule->n_domains + m->chain.n_leaves;
    ret->part = skr_arena_array(m->chain.arena, (size_t)m->chain.n_leaves, sizeof *ret->part);
    int32_t *some = skr_arena_array(m->chain.arena, (size_t)tree->n_units, sizeof *some);
    if (!ret->part || !some) {
        return false;
    }
    for (int32_t unit = tree->n_units - 1; unit >= 0; unit--) {
        bool leaf = unit >= tree->first_leaf;
        some[unit] = leaf ? rule->domain[unit - tree->first_leaf] : -1;
        for (int32_t child = 0; !leaf && child < tree->child_count[unit] && some[unit] < 0;
             child++) {
            some[unit] = some[tree->child_first[unit] + child];
        }
    }
    for (int32_t leaf = 0; leaf < m->chain.n_leaves; leaf++) {
        int32_t unit = tree->first_leaf + leaf;
        bool stays_alone = !skr_domain_rule_closes(rule);
        while (some[unit] < 0 && unit > 0 && !stays_alone) {
            unit = tree->parent[unit];
        }
        ret->part[leaf] = some[unit] >= 0 ? some[unit] : rule->n_domains + leaf;
    }
    return true;
}

static bool refines(struct maker *m, const struct skr_partition *fine,
                    const struct skr_partition *coarse)
{
    memset(m->seen, 0xff, (size_t)fine->n_parts * sizeof *m->seen);
    for (int32_t leaf = 0; leaf < m->chain.n_leaves; leaf++) {
        int32_t *seen = &m->seen[fine->part[leaf]];
        if (*seen >= 0 && *seen != coarse->part[leaf]) {
            return false;
        }
        *seen = coarse->part[leaf];
    }
    return true;
}

/* Whether the rule is "exactly one used". */
static bool only_one(const struct skr_rule *rule)
{
    return (rule->hard && rule->type == SKR_RULE_PACK) || (!rule->hard && rule->partitions == 1);
}

static bool can_be_parted(const struct skr_rule *rule)
{
    return rule->hard || rule->partitions <= 1;
}

/* Puts a level without keys into the own rules of a role. */
static void put_in_own(struct maker *m, size_t r, int32_t at)
{
    struct skr_rule *own = &m->made->own[r][at - 1];
    uint8_t *has = &m->made->has_own[r][at - 1];
    bool one = *has && only_one(own);
    size_t after = (size_t)(m->chain.n - at + 1);
    memmove(own + 1, own, after * sizeof *own);
    memmove(has + 1, has, after * sizeof *has);
    *own = (struct skr_rule){.silent = true, .partitions = one ? 1 : 0};
    *has = one ? 1 : 0;
}

/* Puts p in above level at; false when the rule of that level cannot be parted. */
static bool put_in(struct maker *m, int32_t at, const struct skr_partition *p)
{
    const struct skr_rule *below = &m->chain.level[at].rule;
    bool can = m->chain.n < SKR_LEVELS_MAX && can_be_parted(below);
    for (size_t r = 0; r < m->n_roles && can; r++) {
        can = !m->made->has_own[r][at - 1] || can_be_parted(&m->made->own[r][at - 1]);
    }
    if (!can) {
        return false;
    }
    for (size_t r = 0; r < m->n_roles; r++) {
        put_in_own(m, r, at);
    }
    for (int32_t l = 1; l <= m->problem->tree->n_levels; l++) {
        m->made->level[l] += m->made->level[l] >= at ? 1 : 0;
    }
    int32_t used = only_one(below) ? 1 : 0;
    memmove(&m->chain.level[at + 1], &m->chain.level[at],
            (size_t)(m->chain.n - at + 1) * sizeof *m->chain.level);
    m->chain.n++;
    m->chain.level[at] = *p;
    m->chain.level[at].rule.partitions = used;
    return true;
}

/* The level for the domains; 0: they cross. */
static int32_t place_of(struct maker *m, const struct skr_partition *p)
{
    int32_t at = m->chain.n;
    while (at > 1 && refines(m, &m->chain.level[at - 1], p)) {
        at--;
    }
    if (refines(m, p, &m->chain.level[at])) {
        return at;
    }
    bool nested = at == 1 || refines(m, p, &m->chain.level[at - 1]);
    return nested && put_in(m, at, p) ? at : 0;
}

/* "Exactly one" for n members; false if the rule excludes that. */
static bool make_rule_one(struct skr_rule *rule, int32_t n)
{
    if (only_one(rule)) {
        return true;
    }
    if ((rule->hard && n > 1) || (!rule->hard && rule->partitions > 1)) {
        return false;
    }
    if (!rule->hard) {
        rule->partitions = 1;
    }
    return true;
}

/* Puts all members into one unit of the level, and so of all levels above. */
static bool make_one(struct maker *m, int32_t level)
{
    for (int32_t l = 1; l <= level; l++) {
        if (!make_rule_one(&m->chain.level[l].rule, m->problem->n)) {
            return false;
        }
    }
    return true;
}

/* The same for the roles that the rule binds. False if rules of levels cannot express it. */
static bool make_one_of_roles(struct maker *m, uint32_t roles, int32_t level)
{
    uint32_t all = (UINT32_C(1) << m->n_roles) - 1;
    roles = roles == 0 ? all : roles & all;
    if (roles == all) {
        return make_one(m, level);
    }
    size_t r = 0;
    while (r < m->n_roles && roles != UINT32_C(1) << r) {
        r++;
    }
    for (int32_t l = 0; l < level && r < m->n_roles; l++) {
        if (!m->made->has_own[r][l]) {
            m->made->own[r][l] = (struct skr_rule){.silent = true};
            m->made->has_own[r][l] = 1;
        }
        if (!make_rule_one(&m->made->own[r][l], m->problem->roles->role[r].n)) {
            return false;
        }
    }
    return r < m->n_roles;
}

/* Leaves in an order in which the parts of every level are runs: level by level from the top, the
 * leaves of a run are sorted by part, the part that comes first in it first. */
static bool order_leaves(struct maker *m, int32_t *order)
{
    int32_t *sorted = skr_arena_array(m->chain.arena, (size_t)m->chain.n_leaves, sizeof *sorted);
    int32_t *place = skr_arena_array(m->chain.arena, (size_t)m->chain.n_leaves, sizeof *place);
    int32_t *run = skr_arena_array(m->chain.arena, (size_t)m->chain.n_leaves + 1, sizeof *run);
    if (!sorted || !place || !run) {
        return false;
    }
    for (int32_t i = 0; i < m->chain.n_leaves; i++) {
        order[i] = i;
    }
    run[0] = m->chain.n_leaves; /* [first leaf of a run] its end */
    for (int32_t level = 1; level <= m->chain.n; level++) {
        const int32_t *part = m->chain.level[level].part;
        for (int32_t first = 0; first < m->chain.n_leaves;) {
            int32_t end = run[first];
            int32_t n = 0;
            for (int32_t i = first; i < end; i++) {
                m->seen[part[order[i]]] = -1;
            }
            for (int32_t i = first; i < end; i++) {
                int32_t *seen = &m->seen[part[order[i]]];
                if (*seen < 0) {
                    *seen = n;
                    place[n++] = 0;
                }
                place[*seen]++;
            }
            int32_t at = first;
            for (int32_t i = 0; i < n; i++) {
                int32_t size = place[i];
                place[i] = at;
                run[at] = at + size;
                at += size;
            }
            for (int32_t i = first; i < end; i++) {
                sorted[place[m->seen[part[order[i]]]]++] = order[i];
            }
            memcpy(order + first, sorted + first, (size_t)(end - first) * sizeof *order);
            first = end;
        }
    }
    return true;
}

/* The domain of every unit of the rule's level. */
static void name_domains(const struct skr_partition *of, const struct skr_domain_rule *rule,
                         int32_t level, const struct skr_domain_tree *made, int32_t *ret)
{
    const struct skr_tree *tree = &made->tree;
    for (int32_t i = 0; i < tree->n_leaves && level > 0; i++) {
        int32_t unit = skr_tree_unit_at(tree, i, level);
        int32_t domain = of->part[made->leaf[i]];
        ret[unit - tree->level_first[level]] = domain < rule->n_domains ? domain : -1;
    }
}

/* A claim in no domain uses no domain, but it uses a unit. "One used" of units is then too
 * strict. */
static bool claims_outside(const struct skr_problem *problem, const struct skr_domain_rule *rule)
{
    bool found = false;
    for (size_t r = 0; r < problem->roles->n_roles; r++) {
        const int32_t *claimed = problem->roles->role[r].claimed;
        for (int32_t leaf = 0; leaf < problem->tree->n_leaves && claimed; leaf++) {
            found = found || (claimed[leaf] > 0 && rule->domain[leaf] < 0);
        }
    }
    return found;
}

static void own_rules(struct maker *m)
{
    const struct skr_roles *roles = m->problem->roles;
    m->n_roles = roles->n_roles;
    for (int32_t l = 1; l <= m->problem->tree->n_levels; l++) {
        m->made->level[l] = l;
        for (size_t r = 0; r < m->n_roles; r++) {
            const struct skr_role *role = &roles->role[r];
            if (role->rule && role->has_rule && role->has_rule[l - 1]) {
                m->made->own[r][l - 1] = role->rule[l - 1];
                m->made->has_own[r][l - 1] = 1;
            }
        }
    }
}

bool skr_domain_tree_make(const struct skr_problem *problem, const struct skr_domain_rule *rule,
                          size_t n_rules, struct skr_arena *arena, struct skr_domain_tree *ret)
{
    struct maker m = {.problem = problem, .made = ret};
    struct skr_partition p[SKR_DOMAIN_RULES_MAX];
    int32_t n_leaves = problem->tree->n_leaves;
    int32_t most = problem->tree->n_units;
    *ret = (struct skr_domain_tree){0};
    for (size_t r = 0; r < n_rules; r++) {
        int32_t parts = rule[r].n_domains + n_leaves;
        most = parts > most ? parts : most;
    }
    m.seen = skr_arena_array(arena, (size_t)most + 1, sizeof *m.seen);
    ret->leaf = skr_arena_array(arena, (size_t)n_leaves + 1, sizeof *ret->leaf);
    if (!m.seen || !ret->leaf || !skr_level_chain_of(problem, arena, &m.chain)) {
        return false;
    }
    own_rules(&m);
    int32_t *at = ret->level_of;
    for (size_t r = 0; r < n_rules; r++) {
        ret->domain_of[r] = skr_arena_array(arena, (size_t)n_leaves + 1, sizeof **ret->domain_of);
        if (!ret->domain_of[r] || !partition_of(&m, &rule[r], &p[r])) {
            return false;
        }
        int32_t before = m.chain.n;
        bool outside = rule[r].kind == SKR_DOMAIN_ONE && claims_outside(problem, &rule[r]);
        at[r] = outside ? 0 : place_of(&m, &p[r]);
        for (size_t other = 0; other < r && m.chain.n > before; other++) {
            at[other] += at[other] >= at[r] ? 1 : 0;
        }
    }
    for (size_t r = 0; r < n_rules; r++) {
        ret->chosen[r] = rule[r].kind == SKR_DOMAIN_ONE &&
                         (at[r] == 0 || !make_one_of_roles(&m, rule[r].roles, at[r]));
    }
    if (!order_leaves(&m, ret->leaf) ||
        !skr_level_chain_tree(&m.chain, ret->leaf, &ret->tree, ret->rule)) {
        return false;
    }
    for (size_t r = 0; r < n_rules; r++) {
        name_domains(&p[r], &rule[r], at[r], ret, ret->domain_of[r]);
    }
    return true;
}
