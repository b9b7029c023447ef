/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Levels as partitions of the leaves. A partition refines another one when each of its parts lies
 * within one part of the other. The levels of a tree are a chain of refinements; the domains of a
 * rule find their place in it, or cross it:
 *
 *   i    the topmost level that refines the domains (the leaves always do)
 *        each domain is one unit of i: that level is theirs
 *        the domains refine level i - 1: they are put in between
 *        else they cross
 *
 * What changes for level i when a level comes in above it: its rule holds for the children of every
 * used parent, and parents are domains now. Bounds of a single child do not care; "exactly one" is
 * said of the new level too; "exactly p" cannot be said, so nothing is put in there.
 */
#include "core/solver/domain_tree.h"

#include <string.h>

struct partition {
    int32_t *part;   /* [leaf] */
    int32_t n_parts; /* numbers are below */
    struct skr_rule rule;
};

struct chain {
    const struct skr_problem *problem;
    struct skr_arena *arena;
    int32_t n_leaves;
    struct partition level[SKR_LEVELS_MAX + 1]; /* [1 .. n] */
    int32_t n;
    int32_t *seen; /* [parts of whatever is looked at] */
};

static bool levels_of_tree(struct chain *c)
{
    const struct skr_tree *tree = c->problem->tree;
    for (int32_t level = tree->n_levels; level >= 1; level--) {
        struct partition *p = &c->level[level];
        *p = (struct partition){.rule = c->problem->rule[level - 1]};
        p->part = skr_arena_array(c->arena, (size_t)c->n_leaves, sizeof *p->part);
        p->n_parts = tree->level_first[level + 1] - tree->level_first[level];
        if (!p->part) {
            return false;
        }
        for (int32_t leaf = 0; leaf < c->n_leaves; leaf++) {
            int32_t unit = tree->first_leaf + leaf;
            if (level < tree->n_levels) {
                unit = tree->parent[c->level[level + 1].part[leaf] + tree->level_first[level + 1]];
            }
            p->part[leaf] = unit - tree->level_first[level];
        }
    }
    c->n = tree->n_levels;
    return true;
}

/* The domains as a partition. Leaves in none are parts of their own, or, where they take nothing new
 * anyway, in the domain of the nearest unit that has one: so they break no nest. */
static bool partition_of(struct chain *c, const struct skr_domain_rule *rule, struct partition *ret)
{
    const struct skr_tree *tree = c->problem->tree;
    *ret = (struct partition){.rule = {.silent = true}};
    ret->n_parts = rule->n_domains + c->n_leaves;
    ret->part = skr_arena_array(c->arena, (size_t)c->n_leaves, sizeof *ret->part);
    int32_t *some = skr_arena_array(c->arena, (size_t)tree->n_units, sizeof *some);
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
    for (int32_t leaf = 0; leaf < c->n_leaves; leaf++) {
        int32_t unit = tree->first_leaf + leaf;
        bool stays_alone = rule->kind == SKR_DOMAIN_MOST;
        while (some[unit] < 0 && unit > 0 && !stays_alone) {
            unit = tree->parent[unit];
        }
        ret->part[leaf] = some[unit] >= 0 ? some[unit] : rule->n_domains + leaf;
    }
    return true;
}

static bool refines(struct chain *c, const struct partition *fine, const struct partition *coarse)
{
    memset(c->seen, 0xff, (size_t)fine->n_parts * sizeof *c->seen);
    for (int32_t leaf = 0; leaf < c->n_leaves; leaf++) {
        int32_t *seen = &c->seen[fine->part[leaf]];
        if (*seen >= 0 && *seen != coarse->part[leaf]) {
            return false;
        }
        *seen = coarse->part[leaf];
    }
    return true;
}

/* Whether "exactly one used" is what the rule says already, or may be added to it. */
static bool only_one(const struct skr_rule *rule)
{
    return (rule->hard && rule->type == SKR_RULE_PACK) || (!rule->hard && rule->partitions == 1);
}

/* Puts p in above level at; false when the rule of that level cannot be parted. */
static bool put_in(struct chain *c, int32_t at, const struct partition *p)
{
    const struct skr_rule *below = &c->level[at].rule;
    if (c->n == SKR_LEVELS_MAX || (!below->hard && below->partitions > 1)) {
        return false;
    }
    int32_t used = only_one(below) ? 1 : 0;
    memmove(&c->level[at + 1], &c->level[at], (size_t)(c->n - at + 1) * sizeof *c->level);
    c->n++;
    c->level[at] = *p;
    c->level[at].rule.partitions = used;
    return true;
}

/* The level for the domains; 0: they cross. */
static int32_t place_of(struct chain *c, const struct partition *p)
{
    int32_t at = c->n;
    while (at > 1 && refines(c, &c->level[at - 1], p)) {
        at--;
    }
    if (refines(c, p, &c->level[at])) {
        return at;
    }
    bool nested = at == 1 || refines(c, p, &c->level[at - 1]);
    return nested && put_in(c, at, p) ? at : 0;
}

/* All members in one unit of the level: so they are at all levels above. */
static bool make_one(struct chain *c, int32_t level)
{
    for (int32_t l = 1; l <= level; l++) {
        struct skr_rule *rule = &c->level[l].rule;
        if (only_one(rule)) {
            continue;
        }
        if ((rule->hard && c->problem->n > 1) || (!rule->hard && rule->partitions > 1)) {
            return false;
        }
        if (!rule->hard) {
            rule->partitions = 1;
        }
    }
    return true;
}

/* Leaves in an order in which the parts of every level are runs: level by level from the top, the
 * leaves of a run are sorted by part, the part that comes first in it first. */
static bool order_leaves(struct chain *c, int32_t *order)
{
    int32_t *sorted = skr_arena_array(c->arena, (size_t)c->n_leaves, sizeof *sorted);
    int32_t *place = skr_arena_array(c->arena, (size_t)c->n_leaves, sizeof *place);
    int32_t *run = skr_arena_array(c->arena, (size_t)c->n_leaves + 1, sizeof *run);
    if (!sorted || !place || !run) {
        return false;
    }
    for (int32_t i = 0; i < c->n_leaves; i++) {
        order[i] = i;
    }
    run[0] = c->n_leaves; /* [first leaf of a run] its end */
    for (int32_t level = 1; level <= c->n; level++) {
        const int32_t *part = c->level[level].part;
        for (int32_t first = 0; first < c->n_leaves;) {
            int32_t end = run[first];
            int32_t n = 0;
            for (int32_t i = first; i < end; i++) {
                c->seen[part[order[i]]] = -1;
            }
            for (int32_t i = first; i < end; i++) {
                int32_t *seen = &c->seen[part[order[i]]];
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
                sorted[place[c->seen[part[order[i]]]]++] = order[i];
            }
            memcpy(order + first, sorted + first, (size_t)(end - first) * sizeof *order);
            first = end;
        }
    }
    return true;
}

/* Units of the ordered leaves: arrays of ret->tree. */
static bool make_units(struct chain *c, const struct partition *of,
                       const struct skr_domain_rule *rule, size_t n_rules,
                       struct skr_domain_tree *ret)
{
    struct skr_tree *tree = &ret->tree;
    int32_t units = 1;
    *tree = (struct skr_tree){.n_levels = c->n, .n_leaves = c->n_leaves, .name = ""};
    for (int32_t level = 1; level <= c->n; level++) {
        const int32_t *part = c->level[level].part;
        tree->level_first[level] = units;
        for (int32_t i = 0; i < c->n_leaves; i++) {
            units += i == 0 || part[ret->leaf[i]] != part[ret->leaf[i - 1]] ? 1 : 0;
        }
    }
    tree->level_first[c->n + 1] = units;
    tree->n_units = units;
    tree->first_leaf = units - c->n_leaves;
    int32_t *parent = skr_arena_array(c->arena, (size_t)units, sizeof *parent);
    int32_t *first = skr_arena_array(c->arena, (size_t)units, sizeof *first);
    int32_t *count = skr_arena_array(c->arena, (size_t)units, sizeof *count);
    int32_t *above = skr_arena_array(c->arena, (size_t)c->n_leaves + 1, sizeof *above);
    if (!parent || !first || !count || !above) {
        return false;
    }
    parent[0] = -1;
    for (int32_t level = 1; level <= c->n; level++) {
        const int32_t *part = c->level[level].part;
        int32_t unit = tree->level_first[level] - 1;
        for (int32_t i = 0; i < c->n_leaves; i++) {
            if (i == 0 || part[ret->leaf[i]] != part[ret->leaf[i - 1]]) {
                unit++;
                parent[unit] = above[i];
                first[above[i]] = count[above[i]] == 0 ? unit : first[above[i]];
                count[above[i]]++;
                for (size_t r = 0; r < n_rules; r++) {
                    if (ret->level_of[r] == level) {
                        int32_t domain = of[r].part[ret->leaf[i]];
                        ret->domain_of[r][unit - tree->level_first[level]] =
                            domain < rule[r].n_domains ? domain : -1;
                    }
                }
            }
            above[i] = unit;
        }
    }
    tree->parent = parent;
    tree->child_first = first;
    tree->child_count = count;
    return true;
}

/* A member in no domain uses none, but its unit: "one used" cannot be said of units then. */
static bool claims_outside(const struct skr_problem *problem, const struct skr_domain_rule *rule)
{
    bool found = false;
    for (int32_t leaf = 0; leaf < problem->tree->n_leaves && problem->claimed; leaf++) {
        found = found || (problem->claimed[leaf] > 0 && rule->domain[leaf] < 0);
    }
    return found;
}

bool skr_domain_tree_make(const struct skr_problem *problem, const struct skr_domain_rule *rule,
                          size_t n_rules, struct skr_arena *arena, struct skr_domain_tree *ret)
{
    struct chain c = {.problem = problem, .arena = arena, .n_leaves = problem->tree->n_leaves};
    struct partition p[SKR_DOMAIN_RULES_MAX];
    int32_t most = problem->tree->n_units;
    *ret = (struct skr_domain_tree){0};
    for (size_t r = 0; r < n_rules; r++) {
        int32_t parts = rule[r].n_domains + c.n_leaves;
        most = parts > most ? parts : most;
    }
    c.seen = skr_arena_array(arena, (size_t)most + 1, sizeof *c.seen);
    ret->leaf = skr_arena_array(arena, (size_t)c.n_leaves + 1, sizeof *ret->leaf);
    if (!c.seen || !ret->leaf || !levels_of_tree(&c)) {
        return false;
    }
    int32_t at[SKR_DOMAIN_RULES_MAX];
    for (size_t r = 0; r < n_rules; r++) {
        if (!partition_of(&c, &rule[r], &p[r])) {
            return false;
        }
        int32_t before = c.n;
        bool outside = rule[r].kind == SKR_DOMAIN_ONE && claims_outside(problem, &rule[r]);
        at[r] = outside ? 0 : place_of(&c, &p[r]);
        for (size_t other = 0; other < r && c.n > before; other++) {
            at[other] += at[other] >= at[r] ? 1 : 0;
        }
    }
    for (size_t r = 0; r < n_rules; r++) {
        ret->level_of[r] = at[r];
        ret->domain_of[r] =
            skr_arena_array(arena, (size_t)c.n_leaves + 1, sizeof *ret->domain_of[r]);
        if (!ret->domain_of[r]) {
            return false;
        }
        if (rule[r].kind == SKR_DOMAIN_ONE && at[r] > 0 && !make_one(&c, at[r])) {
            ret->contradiction = true;
        }
    }
    for (int32_t level = 1; level <= c.n; level++) {
        ret->rule[level - 1] = c.level[level].rule;
    }
    return order_leaves(&c, ret->leaf) && make_units(&c, p, rule, n_rules, ret);
}
