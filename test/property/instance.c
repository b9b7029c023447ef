/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Generator: 1-4 levels, 1-5 children, tight loads, every rule with a probability of its own per
 * instance, claims in a fifth, ineligible leaves in a tenth; a third of the trees are structured
 * (equal racks, one odd rack, one full rack, single-child chains).
 */
#include "test/property/instance.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

uint64_t random_next(struct random *random)
{
    /* splitmix64 */
    random->state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t z = random->state;
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

int32_t random_below(struct random *random, int32_t n)
{
    return (int32_t)(random_next(random) % (uint64_t)n);
}

bool random_percent(struct random *random, int32_t percent)
{
    return random_below(random, 100) < percent;
}

static int32_t between(struct random *random, int32_t lo, int32_t hi)
{
    return lo + random_below(random, hi - lo + 1);
}

void instance_link(struct instance *instance, int32_t n_levels)
{
    struct skr_tree *tree = &instance->tree;
    tree->n_levels = n_levels;
    instance->parent[0] = -1;
    tree->level_first[0] = 0;
    tree->level_first[1] = 1;
    int32_t next = 1;
    for (int32_t level = 0; level < n_levels; level++) {
        for (int32_t u = tree->level_first[level]; u < tree->level_first[level + 1]; u++) {
            instance->child_first[u] = next;
            for (int32_t c = 0; c < instance->child_count[u]; c++) {
                instance->parent[next++] = u;
            }
        }
        tree->level_first[level + 2] = next;
    }
    tree->n_units = next;
    tree->first_leaf = tree->level_first[n_levels];
    tree->n_leaves = next - tree->first_leaf;
    for (int32_t u = tree->first_leaf; u < next; u++) {
        instance->child_count[u] = 0;
    }
    for (int32_t u = 0; u < next; u++) {
        instance->unit_name[u] = "unit";
    }
    for (int32_t level = 0; level <= n_levels; level++) {
        tree->level_name[level] = "level";
    }
    tree->parent = instance->parent;
    tree->child_first = instance->child_first;
    tree->child_count = instance->child_count;
    tree->unit_name = instance->unit_name;
    tree->name = "random";
    instance->problem.tree = tree;
}

/* Children per unit, level by level, until the leaves are used up. */
static void make_tree(struct instance *instance, struct random *random, int32_t most_leaves)
{
    int32_t levels = between(random, 1, 4);
    bool equal = random_percent(random, 20);
    bool chains = random_percent(random, 10);
    int32_t width = 1; /* units of the level above */
    int32_t unit = 0;
    for (int32_t level = 1; level <= levels; level++) {
        int32_t each = between(random, 1, 5);
        int32_t next = 0;
        for (int32_t u = 0; u < width; u++) {
            int32_t n = equal ? each : between(random, 1, 5);
            if (chains && random_percent(random, 70)) {
                n = 1;
            }
            /* One child at least for everybody still to come. */
            int32_t left = most_leaves - next - (width - u - 1);
            n = n < left ? n : left;
            n = n > 1 ? n : 1;
            instance->child_count[unit++] = n;
            next += n;
        }
        width = next;
    }
    instance_link(instance, levels);
}

static void make_demand(struct instance *instance, struct random *random)
{
    for (int32_t r = 0; r < INSTANCE_RESOURCES; r++) {
        instance->demand[r] = random_percent(random, 30) ? 0 : between(random, 1, 1000);
    }
    instance->demand[random_below(random, INSTANCE_RESOURCES)] = between(random, 1, 3);
}

/* Free amounts of a leaf with exactly slots room. */
static void make_leaf(struct instance *instance, struct random *random, int32_t leaf, int32_t slots)
{
    int32_t tightest = 0;
    do {
        tightest = random_below(random, INSTANCE_RESOURCES);
    } while (instance->demand[tightest] == 0);
    for (int32_t r = 0; r < INSTANCE_RESOURCES; r++) {
        int64_t demand = instance->demand[r];
        int64_t *amount = &instance->free[leaf * INSTANCE_RESOURCES + r];
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

static void make_loads(struct instance *instance, struct random *random, int32_t slots)
{
    const struct skr_tree *tree = &instance->tree;
    int32_t n_racks = tree->first_leaf - tree->level_first[tree->n_levels - 1];
    bool equal = random_percent(random, 25);
    int32_t odd = random_percent(random, 30) ? random_below(random, n_racks) : -1;
    int32_t full = random_percent(random, 20) ? random_below(random, n_racks) : -1;
    int32_t same = between(random, 0, slots);
    for (int32_t leaf = 0; leaf < tree->n_leaves; leaf++) {
        int32_t rack =
            tree->parent[tree->first_leaf + leaf] - tree->level_first[tree->n_levels - 1];
        int32_t room = equal && rack != odd ? same : between(random, 0, slots);
        make_leaf(instance, random, leaf, rack == full ? 0 : room);
    }
}

static void make_rules(struct instance *instance, struct random *random, int32_t n)
{
    int32_t likely = between(random, 15, 35);
    for (int32_t level = 0; level < instance->tree.n_levels; level++) {
        struct skr_rule *rule = &instance->rule[level];
        *rule = (struct skr_rule){0};
        rule->type = random_percent(random, 50) ? SKR_RULE_PACK : SKR_RULE_SPREAD;
        rule->hard = random_percent(random, likely / 2);
        if (random_percent(random, likely)) {
            rule->partitions = between(random, -1, 4);
        }
        if (random_percent(random, likely)) {
            rule->min = between(random, -1, 5);
        }
        if (random_percent(random, likely)) {
            rule->max = between(random, 0, n < 2 ? 2 : n);
        }
        if (random_percent(random, likely)) {
            rule->factor = between(random, 0, 4);
        }
    }
}

/* What is free, what is claimed, and a few members of others. */
static void make_capacity(struct instance *instance, struct random *random)
{
    for (int32_t leaf = 0; leaf < instance->tree.n_leaves; leaf++) {
        int32_t others = random_percent(random, 50) ? 0 : between(random, 0, 6);
        for (int32_t r = 0; r < INSTANCE_RESOURCES; r++) {
            int64_t free = instance->free[leaf * INSTANCE_RESOURCES + r];
            instance->capacity[leaf * INSTANCE_RESOURCES + r] =
                (free > 0 ? free : 0) + (instance->claimed[leaf] + others) * instance->demand[r];
        }
    }
    instance->problem.capacity = instance->capacity;
}

void instance_make(struct instance *ret, uint64_t seed, uint64_t index,
                   const struct instance_limits *limits)
{
    memset(ret, 0, sizeof *ret);
    struct random random = {.state = seed * UINT64_C(0x2545f4914f6cdd1d) + index};
    random_next(&random);
    make_tree(ret, &random, limits->leaves);
    make_demand(ret, &random);
    make_loads(ret, &random, limits->slots);
    struct skr_problem *problem = &ret->problem;
    bool with_claims = random_percent(&random, 20);
    bool with_ineligible = random_percent(&random, 10);
    int32_t claims = 0;
    for (int32_t leaf = 0; leaf < ret->tree.n_leaves; leaf++) {
        ret->eligible[leaf] = !(with_ineligible && random_percent(&random, 25));
        if (with_claims && random_percent(&random, 25) && claims + 3 <= limits->n) {
            ret->claimed[leaf] = between(&random, 1, 3);
            claims += ret->claimed[leaf];
        }
    }
    problem->n_resources = INSTANCE_RESOURCES;
    problem->demand = ret->demand;
    problem->free = ret->free;
    problem->eligible = ret->eligible;
    problem->claimed = ret->claimed;
    problem->rule = ret->rule;
    problem->step_budget = -1;
    problem->tie_break = random_percent(&random, 25) ? SKR_TIE_TIGHT : SKR_TIE_TREE;
    problem->n = limits->n;
    int32_t sum = 0;
    for (int32_t leaf = 0; leaf < ret->tree.n_leaves; leaf++) {
        sum += instance_fit(ret, leaf);
    }
    int32_t n = sum * between(&random, 50, 110) / 100;
    n = n < limits->n ? n : between(&random, limits->n / 2, limits->n);
    problem->n = n > claims ? n : claims;
    make_rules(ret, &random, problem->n);
    if (random_percent(&random, 33)) {
        make_capacity(ret, &random);
    }
}

void instance_copy(struct instance *ret, const struct instance *from)
{
    *ret = *from;
    ret->tree.parent = ret->parent;
    ret->tree.child_first = ret->child_first;
    ret->tree.child_count = ret->child_count;
    ret->tree.unit_name = ret->unit_name;
    ret->problem.tree = &ret->tree;
    ret->problem.rule = ret->rule;
    ret->problem.demand = ret->demand;
    ret->problem.free = ret->free;
    ret->problem.capacity = !from->problem.capacity ? NULL : ret->capacity;
    ret->problem.eligible = ret->eligible;
    ret->problem.claimed = ret->claimed;
    ret->problem.bounds = !from->problem.bounds ? NULL : ret->bounds;
}

void instance_bound(struct instance *instance, struct random *random)
{
    const struct skr_tree *tree = &instance->tree;
    int32_t n = instance->problem.n;
    for (int32_t u = 0; u < tree->n_units; u++) {
        instance->bounds[u] = (struct skr_unit_bounds){0, random_percent(random, 50) ? n : n + 7};
        if (random_percent(random, 40)) {
            instance->bounds[u].most = 1 + random_below(random, n > 0 ? n : 1);
        }
        if (random_percent(random, 10)) {
            instance->bounds[u].least = random_below(random, 3);
        }
    }
    for (int32_t level = 1; level <= tree->n_levels; level++) {
        instance->rule[level - 1].silent = random_percent(random, 25);
    }
    instance->problem.bounds = instance->bounds;
}

void instance_empty(struct instance *ret, const struct instance *from)
{
    instance_copy(ret, from);
    for (int32_t leaf = 0; leaf < from->tree.n_leaves; leaf++) {
        for (int32_t r = 0; r < INSTANCE_RESOURCES; r++) {
            int32_t at = leaf * INSTANCE_RESOURCES + r;
            ret->free[at] = from->capacity[at] - from->claimed[leaf] * from->demand[r];
        }
    }
}

int64_t instance_room(const struct instance *instance, int32_t leaf)
{
    int64_t room = INT32_MAX;
    if (!instance->eligible[leaf]) {
        return 0;
    }
    for (size_t r = 0; r < INSTANCE_RESOURCES; r++) {
        int64_t amount = instance->free[(size_t)leaf * INSTANCE_RESOURCES + r];
        if (instance->demand[r] > 0) {
            int64_t slots = amount > 0 ? amount / instance->demand[r] : 0;
            room = slots < room ? slots : room;
        }
    }
    return room;
}

int32_t instance_fit(const struct instance *instance, int32_t leaf)
{
    int64_t room = instance_room(instance, leaf);
    int64_t fit = instance->claimed[leaf] + room;
    return fit < instance->problem.n ? (int32_t)fit : instance->problem.n;
}

void instance_print(const struct instance *instance)
{
    const struct skr_tree *tree = &instance->tree;
    printf("  n=%" PRId32 " tie=%s children", instance->problem.n,
           instance->problem.tie_break == SKR_TIE_TIGHT ? "tight" : "tree");
    for (int32_t u = 0; u < tree->first_leaf; u++) {
        printf(" %" PRId32, instance->child_count[u]);
    }
    printf(" leaves fit[claimed]");
    for (int32_t leaf = 0; leaf < tree->n_leaves; leaf++) {
        printf(" %" PRId32 "[%" PRId32 "]", instance_fit(instance, leaf), instance->claimed[leaf]);
    }
    for (int32_t level = 0; level < tree->n_levels; level++) {
        const struct skr_rule *rule = &instance->rule[level];
        printf(" L%" PRId32 " %s%s", level + 1, rule->hard ? "hard " : "",
               rule->type == SKR_RULE_PACK ? "pack" : "spread");
        printf(" partitions %" PRId32 " min %" PRId32 " max %" PRId32 " factor %" PRId32,
               rule->partitions, rule->min, rule->max, rule->factor);
        printf("%s", rule->silent ? " silent" : "");
    }
    for (int32_t u = 1; u < tree->n_units && instance->problem.bounds; u++) {
        printf("%s%" PRId32 "-%" PRId32, u == 1 ? " bounds " : " ", instance->bounds[u].least,
               instance->bounds[u].most);
    }
    printf("\n");
}
