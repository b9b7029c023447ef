/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Generator: 1-4 levels, 1-5 children (a wide shape: many), tight loads, every rule with a probability
 * of its own per instance, claims, ineligible leaves; a third of the trees are structured (equal racks,
 * one odd rack, one full rack, single-child chains).
 *
 * Loads of equal members are exact numbers of slots; those of roles follow what the roles need in sum.
 */
#include <string.h>

#include "test/property/instance.h"

enum { WIDEST = 15 };

const struct instance_shape roles_shape[ROLES_KIND_COUNT] = {
#define SIZES(levels_, leaves_, fanout_, least_, most_, members_, states_, rules_)          \
    .levels = (levels_), .leaves = (leaves_), .fanout = (fanout_), .roles_least = (least_), \
    .roles_most = (most_), .members = (members_), .states = (states_), .rules = (rules_)
#define MOSTLY .caps = 8, .claims = 8
    [ROLES_SMALL] = {SIZES(3, 6, 4, 1, 3, 4, 30, 16), MOSTLY},
    [ROLES_SOFT] = {SIZES(3, 7, 4, 2, 3, 4, 40, 0)},
    [ROLES_SETS] = {SIZES(3, 9, 4, 2, 4, 6, 128, 7), MOSTLY, .sets = 100},
    [ROLES_CAPS] = {SIZES(3, 8, 4, 2, 3, 4, 64, 8), .caps = 100, .claims = 8},
    [ROLES_CLAIMS] = {SIZES(3, 9, 4, 2, 3, 5, 96, 6), .sets = 70, .caps = 30, .claims = 100},
    [ROLES_MINIMUM] = {SIZES(3, 8, 4, 2, 3, 4, 64, 10), MOSTLY, .minimum = true},
    [ROLES_OWN] = {SIZES(3, 8, 4, 3, 3, 4, 80, 8), MOSTLY, .in_turn = true},
    [ROLES_BOUND] = {SIZES(3, 8, 4, 2, 4, 5, 96, 2), .sets = 100, .caps = 100, .claims = 45,
                     .bound = true},
    [ROLES_PRESENT] = {SIZES(3, 8, 4, 2, 4, 4, 80, 8), .caps = 8, .claims = 100, .minimum = true},
    [ROLES_TWINS] = {SIZES(3, 8, 4, 2, 5, 4, 128, 8), MOSTLY, .twins = true},
    [ROLES_LARGER] = {SIZES(3, 12, 5, 2, 3, 7, 120, 12), MOSTLY},
    [ROLES_WIDE] = {SIZES(2, 16, 16, 2, 3, 24, 120, 8), MOSTLY, .pools = true},
    [ROLES_MANY] = {SIZES(2, 8, 4, 4, 5, 3, 128, 8), MOSTLY},
};

static int32_t between(struct random *random, int32_t lo, int32_t hi)
{
    return hi <= lo ? lo : lo + random_below(random, hi - lo + 1);
}

/* Children per unit, level by level, until the leaves are used up. */
static void make_tree(struct instance *in, struct random *random,
                      const struct instance_shape *shape)
{
    const bool equal_members = shape->roles_most == 0;
    const int32_t levels = between(random, 1, shape->wide ? 2 : equal_members ? 4 : shape->levels);
    const int32_t inner = shape->wide ? 2 : equal_members ? 5 : 3;
    const int32_t deepest = shape->wide ? WIDEST : equal_members ? 5 : shape->fanout;
    const int32_t least = shape->wide ? 4 : shape->pools ? 8 : !equal_members; /* leaves, about */
    const bool equal = random_percent(random, shape->wide ? 100 : 20);
    const bool chains = equal_members && !shape->wide && random_percent(random, 10);
    int32_t width = 1, unit = 0; /* width: units of the level above */
    for (int32_t level = 1; level <= levels; level++) {
        const int32_t lo = level == levels ? least / width + 1 : 1;
        const int32_t hi = level == levels ? deepest : inner;
        const int32_t each = between(random, lo, hi);
        int32_t next = 0;
        for (int32_t u = 0; u < width; u++) {
            int32_t n = equal ? each : between(random, lo, hi);
            if (chains && random_percent(random, 70)) {
                n = 1;
            }
            /* One child at least for each unit still to come. */
            const int32_t left = shape->leaves - next - (width - u - 1);
            n = n < left ? n : left;
            n = n > 1 ? n : 1;
            in->child_count[unit++] = n;
            next += n;
        }
        width = next;
    }
    instance_grow(in, levels);
}

static struct skr_rule make_rule(struct random *random, int32_t likely, int32_t number, int32_t n)
{
    struct skr_rule rule = {.type = random_percent(random, 50) ? SKR_RULE_PACK : SKR_RULE_SPREAD};
    rule.hard = random_percent(random, likely / 2);
    if (random_percent(random, likely)) {
        rule.partitions = between(random, -1, number);
    }
    if (random_percent(random, likely)) {
        rule.min = between(random, -1, number);
    }
    if (random_percent(random, likely)) {
        rule.max = between(random, 0, n < 2 ? 2 : n);
    }
    if (random_percent(random, likely)) {
        rule.factor = between(random, 0, number);
    }
    return rule;
}

/* ---- equal members ---- */

static void make_demand(struct instance *in, struct random *random)
{
    for (int32_t r = 0; r < INSTANCE_RESOURCES; r++) {
        in->demand[0][r] = random_percent(random, 30) ? 0 : between(random, 1, 1000);
    }
    in->demand[0][random_below(random, INSTANCE_RESOURCES)] = between(random, 1, 3);
}

/* Free amounts of a leaf with exactly slots room. */
static void make_leaf(struct instance *in, struct random *random, int32_t leaf, int32_t slots)
{
    int32_t tightest = 0;
    do {
        tightest = random_below(random, INSTANCE_RESOURCES);
    } while (in->demand[0][tightest] == 0);
    for (int32_t r = 0; r < INSTANCE_RESOURCES; r++) {
        int64_t demand = in->demand[0][r];
        int64_t *amount = &in->free[leaf * INSTANCE_RESOURCES + r];
        if (demand == 0) {
            *amount = between(random, -5, 5);
        } else if (r == tightest) {
            *amount = slots * demand + random_below(random, (int32_t)demand);
            if (slots == 0 && random_percent(random, 30)) {
                *amount = -between(random, 1, 5000);
            }
        } else {
            *amount = (slots + random_below(random, 4)) * demand;
        }
    }
}

static void make_slots(struct instance *in, struct random *random, int32_t slots)
{
    const struct skr_tree *tree = &in->tree;
    const int32_t first_rack = tree->level_first[tree->n_levels - 1];
    const int32_t n_racks = tree->first_leaf - first_rack;
    bool equal = random_percent(random, 25);
    int32_t odd = random_percent(random, 30) ? random_below(random, n_racks) : -1;
    int32_t full = random_percent(random, 20) ? random_below(random, n_racks) : -1;
    int32_t same = between(random, 0, slots);
    for (int32_t leaf = 0; leaf < tree->n_leaves; leaf++) {
        int32_t rack = in->parent[tree->first_leaf + leaf] - first_rack;
        int32_t room = equal && rack != odd ? same : between(random, 0, slots);
        make_leaf(in, random, leaf, rack == full ? 0 : room);
    }
}

/* What is free, what is claimed, and a few members of others. */
static void make_capacity(struct instance *in, struct random *random)
{
    for (int32_t leaf = 0; leaf < in->tree.n_leaves; leaf++) {
        int32_t others = random_percent(random, 50) ? 0 : between(random, 0, 6);
        for (int32_t r = 0; r < INSTANCE_RESOURCES; r++) {
            int64_t free = in->free[leaf * INSTANCE_RESOURCES + r];
            in->capacity[leaf * INSTANCE_RESOURCES + r] =
                (free > 0 ? free : 0) + (in->claimed[0][leaf] + others) * in->demand[0][r];
        }
    }
    in->problem.capacity = in->capacity;
}

static void make_equal(struct instance *in, struct random *random,
                       const struct instance_shape *shape)
{
    const int32_t last = in->tree.n_levels - 1;
    int32_t claims = 0, sum = 0;
    make_demand(in, random);
    make_slots(in, random, shape->slots);
    const bool with_claims = !shape->wide && random_percent(random, 20);
    const bool with_ineligible = !shape->wide && random_percent(random, 10);
    for (int32_t leaf = 0; leaf < in->tree.n_leaves; leaf++) {
        in->eligible[0][leaf] = !(with_ineligible && random_percent(random, 25));
        if (with_claims && random_percent(random, 25) && claims + 3 <= shape->n) {
            in->claimed[0][leaf] = between(random, 1, 3);
            claims += in->claimed[0][leaf];
        }
    }
    in->problem.n = shape->n;
    for (int32_t leaf = 0; leaf < in->tree.n_leaves; leaf++) {
        sum += instance_fit(in, leaf);
    }
    int32_t n = sum * between(random, 50, 110) / 100;
    n = n < shape->n ? n : between(random, shape->n / 2, shape->n);
    in->problem.n = n > claims ? n : claims;
    const int32_t likely = between(random, 15, 35);
    for (int32_t level = 0; level <= last; level++) {
        in->rule[level] = make_rule(random, likely, 5, in->problem.n);
    }
    if (shape->wide) { /* rarely more than the used units can hold */
        const int32_t children = in->child_count[in->tree.first_leaf - 1];
        in->rule[0].hard = in->rule[last].hard = false;
        in->rule[last].min = 0;
        in->rule[last].partitions = between(random, 1, children);
        in->problem.n = between(random, 1, 1 + sum * in->rule[last].partitions / children);
    }
    if (random_percent(random, 33)) {
        make_capacity(in, random);
    }
}

/* ---- roles ---- */

static void make_roles(struct instance *in, struct random *random,
                       const struct instance_shape *shape)
{
    static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h"};
    const int32_t n = between(random, shape->roles_least, shape->roles_most);
    const int32_t big = shape->pools ? random_below(random, n) : -1;
    int64_t states = 1;
    in->problem.roles = &in->roles;
    in->roles.n_roles = (size_t)n;
    for (int32_t r = 0; r < n; r++) {
        struct skr_role *role = &in->role[r];
        const int32_t room = (int32_t)(shape->states / states) - 1;
        int32_t most = room >> (n - 1 - r) > 1 ? room >> (n - 1 - r) : 1;
        most = most < shape->members ? most : shape->members;
        const bool side = big >= 0 && r != big;
        role->name = names[r];
        role->n =
            r == big ? between(random, 4, 12) : between(random, 1, side && most > 2 ? 2 : most);
        role->minimum = role->n;
        states *= role->n + 1;
        in->demand[r][0] = between(random, 1, 4);
        in->demand[r][1] = random_percent(random, 50) ? 0 : between(random, 1, 2);
        in->demand[r][2] = random_percent(random, 70) ? 0 : between(random, 1, 3);
    }
    for (int32_t r = 1; r < n; r++) {
        if (random_percent(random, shape->twins ? 70 : r == 1 ? 15 : 0)) {
            memcpy(in->demand[r], in->demand[r - 1], sizeof in->demand[r]);
        }
    }
}

static void make_sets(struct instance *in, struct random *random,
                      const struct instance_shape *shape)
{
    const int32_t n = instance_n_roles(in);
    const int32_t kinds = n > 2 && random_percent(random, 30) ? 2 : 1;
    int32_t next = 0;
    for (int32_t k = 0; k < kinds; k++) {
        struct skr_set_kind *kind = &in->kind[k];
        const int32_t last = kinds == 1 && random_percent(random, 60)
                                 ? n
                                 : between(random, next + 1, n - (kinds - 1 - k));
        const int32_t sets = between(random, 1, 3);
        *kind = (struct skr_set_kind){.level = between(random, 1, in->tree.n_levels),
                                      .exclusive = random_percent(random, 30)};
        for (; next < last; next++) {
            kind->each[next] = between(random, 1, 2);
            in->role[next].n = in->role[next].minimum = kind->each[next] * sets;
        }
        in->roles.n_kinds++;
    }
    int64_t states = 1;
    for (int32_t r = 0; r < n; r++) {
        states *= in->role[r].n + 1;
    }
    if (states > 4 * shape->states) { /* one set of everything is small enough */
        in->roles.n_kinds = 1;
        in->kind[0].level = 1;
        for (int32_t r = 0; r < n; r++) {
            in->kind[0].each[r] = in->role[r].n = in->role[r].minimum = 1 + r % 2;
        }
    }
}

/* Amounts of a node that has room for about the share-th part of all. */
static void make_node(const struct instance *in, struct random *random, int32_t share,
                      int64_t *free_)
{
    for (int32_t d = 0; d < INSTANCE_RESOURCES; d++) {
        int64_t need = 0;
        for (size_t r = 0; r < in->roles.n_roles; r++) {
            need += in->demand[r][d] * in->role[r].n;
        }
        free_[d] = between(random, 0, 2 * ((int32_t)(need / share) + 1) + 2);
        if (random_percent(random, 4)) {
            free_[d] = -between(random, 1, 9);
        }
    }
}

static void make_nodes(struct instance *in, struct random *random,
                       const struct instance_shape *shape)
{
    const int32_t n = in->tree.n_leaves;
    const int32_t share = between(random, n / 4 + 1, 3 * n / 4 + 1);
    const bool few = shape->pools || random_percent(random, 20);
    int64_t node[4][INSTANCE_RESOURCES];
    for (int32_t i = 0; i < 4; i++) {
        make_node(in, random, share, node[i]);
    }
    for (int32_t leaf = 0; leaf < n; leaf++) {
        int64_t *free_ = &in->free[leaf * INSTANCE_RESOURCES];
        if (few) {
            memcpy(free_, node[random_below(random, 4)], sizeof node[0]);
        } else {
            make_node(in, random, share, free_);
        }
    }
}

static void make_eligible(struct instance *in, struct random *random,
                          const struct instance_shape *shape)
{
    const int32_t odd = random_percent(random, 30) ? 25 : 0;
    const bool pools = shape->pools && random_percent(random, 50);
    uint8_t pool[INSTANCE_LEAVES_MAX];
    for (int32_t leaf = 0; leaf < in->tree.n_leaves; leaf++) {
        pool[leaf] = (uint8_t)random_below(random, 2);
    }
    for (size_t r = 0; r < in->roles.n_roles; r++) {
        const bool in_pool = pools && random_percent(random, 50);
        for (int32_t leaf = 0; leaf < in->tree.n_leaves; leaf++) {
            in->eligible[r][leaf] = in_pool ? pool[leaf] : !random_percent(random, odd);
        }
    }
    for (size_t r = 1; r < in->roles.n_roles; r++) {
        const bool alike =
            r == 1 && memcmp(in->demand[0], in->demand[1], sizeof in->demand[0]) == 0;
        if (alike || (shape->twins && random_percent(random, 80))) {
            memcpy(in->eligible[r], in->eligible[r - 1], sizeof in->eligible[r]);
        }
    }
}

static void make_rules(struct instance *in, struct random *random,
                       const struct instance_shape *shape)
{
    const int32_t own = random_percent(random, 50) ? 40 : 0; /* percent of own rules */
    const int32_t first = random_below(random, in->tree.n_levels);
    int32_t n = 0;
    for (size_t r = 0; r < in->roles.n_roles; r++) {
        n += in->role[r].n;
    }
    for (int32_t level = 0; level < in->tree.n_levels; level++) {
        in->rule[level] = make_rule(random, shape->rules, 3, n);
        for (size_t r = 0; r < in->roles.n_roles; r++) {
            const bool turn = (first + (int32_t)r) % in->tree.n_levels == level;
            if (shape->in_turn ? turn : random_percent(random, own)) {
                in->own[r][level] = make_rule(random, shape->rules, 3, in->role[r].n);
                in->has_rule[r][level] = 1;
                in->role[r].rule = in->own[r];
            }
        }
    }
}

static void make_caps(struct instance *in, struct random *random,
                      const struct instance_shape *shape)
{
    const int32_t all = 1 << in->roles.n_roles;
    in->roles.n_caps = (size_t)between(random, 1, shape->bound ? 1 : 3);
    for (size_t i = 0; i < in->roles.n_caps; i++) {
        in->cap[i] = (struct skr_role_cap){
            .roles = (uint32_t)between(random, 1, all - 1),
            .level = between(random, 1, in->tree.n_levels),
            .most = between(random, random_percent(random, 10) ? 0 : 1, shape->bound ? 7 : 4)};
        if (random_percent(random, 40)) {
            in->cap[i].against = (uint32_t)random_below(random, all) & ~in->cap[i].roles;
        }
    }
}

/* A part of a set that is alive: up to its members on leaves below one unit. */
static void claim_set(struct instance *in, struct random *random, int32_t k)
{
    const struct skr_tree *tree = &in->tree;
    const int32_t level = in->kind[k].level;
    const int32_t width = tree->level_first[level + 1] - tree->level_first[level];
    /* Often the first one, which then has several sets. */
    const int32_t unit =
        tree->level_first[level] + (random_percent(random, 50) ? 0 : random_below(random, width));
    bool any = false;
    for (size_t r = 0; r < in->roles.n_roles; r++) {
        for (int32_t i = 0; i < in->kind[k].each[r]; i++) {
            int32_t u = unit;
            while (u < tree->first_leaf) {
                u = in->child_first[u] + random_below(random, in->child_count[u]);
            }
            if (random_percent(random, 50)) {
                in->claimed[r][u - tree->first_leaf]++;
                any = true;
            }
        }
    }
    in->alive[k][unit] += any;
    in->kind[k].alive = in->alive[k];
}

static void make_claims(struct instance *in, struct random *random)
{
    bool in_set[SKR_ROLES_MAX] = {false};
    for (int32_t k = 0; k < (int32_t)in->roles.n_kinds; k++) {
        int32_t sets = 0;
        for (size_t r = 0; r < in->roles.n_roles; r++) {
            in_set[r] = in_set[r] || in->kind[k].each[r] > 0;
            sets = in->kind[k].each[r] > 0 ? in->role[r].n / in->kind[k].each[r] : sets;
        }
        for (int32_t i = 0; i < sets; i++) {
            if (random_percent(random, 35)) {
                claim_set(in, random, k);
            }
        }
    }
    for (size_t r = 0; r < in->roles.n_roles; r++) {
        for (int32_t i = 0; !in_set[r] && i < in->role[r].n; i++) {
            if (random_percent(random, 30)) {
                in->claimed[r][random_below(random, in->tree.n_leaves)]++;
            }
        }
    }
}

static void make_minimum(struct instance *in, struct random *random)
{
    for (int32_t r = 0; r < instance_n_roles(in); r++) {
        const int32_t claims = instance_claims(in, r, 0);
        if (random_percent(random, 60)) {
            in->role[r].minimum = between(random, claims > 1 ? claims : 1, in->role[r].n);
        }
    }
}

static void make_unequal(struct instance *in, struct random *random,
                         const struct instance_shape *shape)
{
    make_roles(in, random, shape);
    if (random_percent(random, shape->sets)) {
        make_sets(in, random, shape);
    }
    make_nodes(in, random, shape);
    make_eligible(in, random, shape);
    make_rules(in, random, shape);
    if (random_percent(random, shape->caps)) {
        make_caps(in, random, shape);
    }
    if (random_percent(random, shape->claims)) {
        make_claims(in, random);
    }
    if (shape->minimum) {
        make_minimum(in, random);
    }
}

/* ---- both ---- */

void instance_make(struct instance *ret, uint64_t seed, uint64_t index,
                   const struct instance_shape *shape)
{
    struct random random = {.state = seed * UINT64_C(0x2545f4914f6cdd1d) + index};
    random_next(&random);
    memset(ret, 0, sizeof *ret);
    make_tree(ret, &random, shape);
    if (shape->roles_most > 0) {
        make_unequal(ret, &random, shape);
    } else {
        make_equal(ret, &random, shape);
    }
    const bool tight = !shape->minimum && random_percent(&random, 25);
    ret->problem.tie_break = tight ? SKR_TIE_TIGHT : SKR_TIE_TREE;
    instance_link(ret);
}

void instance_make_roles(struct instance *ret, uint64_t seed, uint64_t index)
{
    instance_make(ret, seed, index, &roles_shape[index % ROLES_KIND_COUNT]);
}
