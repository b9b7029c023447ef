/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shrinking: a problem that fails is made smaller, one change at a time, as long as it still fails.
 * Changes are tried in a fixed order and over again until none helps.
 */
#include <string.h>

#include "test/property/attempt.h"

static bool without_leaf(const struct instance *from, int32_t leaf, struct instance *ret)
{
    const struct skr_tree *tree = &from->tree;
    int32_t kept[INSTANCE_UNITS_MAX] = {0}; /* children left; leaves: 1 */
    instance_copy(ret, from);
    for (int32_t u = tree->n_units - 1; u > 0; u--) {
        if (u >= tree->first_leaf) {
            kept[u] = u != tree->first_leaf + leaf;
        }
        kept[tree->parent[u]] += kept[u] > 0;
    }
    if (kept[0] == 0) {
        return false;
    }
    int32_t next = 0;
    for (int32_t u = 0; u < tree->first_leaf; u++) {
        if (kept[u] > 0) {
            ret->child_count[next++] = kept[u];
        }
    }
    instance_link(ret, tree->n_levels);
    int32_t after = tree->n_leaves - leaf - 1;
    size_t rows = (size_t)after * INSTANCE_RESOURCES * sizeof(int64_t);
    memmove(&ret->eligible[leaf], &from->eligible[leaf + 1], (size_t)after);
    memmove(&ret->claimed[leaf], &from->claimed[leaf + 1], (size_t)after * sizeof(int32_t));
    memmove(&ret->free[leaf * INSTANCE_RESOURCES], &from->free[(leaf + 1) * INSTANCE_RESOURCES],
            rows);
    memmove(&ret->capacity[leaf * INSTANCE_RESOURCES],
            &from->capacity[(leaf + 1) * INSTANCE_RESOURCES], rows);
    return true;
}

static int32_t claims_of(const struct instance *in)
{
    int32_t sum = 0;
    for (int32_t leaf = 0; leaf < in->tree.n_leaves; leaf++) {
        sum += in->claimed[leaf];
    }
    return sum;
}

/* One resource, demand 1, free and capacity in slots. */
static void count_in_slots(struct instance *in)
{
    for (int32_t leaf = 0; leaf < in->tree.n_leaves; leaf++) {
        bool eligible = in->eligible[leaf] != 0;
        struct instance other;
        in->eligible[leaf] = 1;
        int64_t free = instance_room(in, leaf);
        int64_t capacity = 0;
        if (in->problem.capacity) {
            instance_copy(&other, in);
            memcpy(other.free, in->capacity, sizeof other.free);
            capacity = instance_room(&other, leaf);
        }
        in->eligible[leaf] = eligible;
        for (int32_t r = 0; r < INSTANCE_RESOURCES; r++) {
            in->free[leaf * INSTANCE_RESOURCES + r] = r == 0 ? free : 0;
            in->capacity[leaf * INSTANCE_RESOURCES + r] = r == 0 ? capacity : 0;
        }
    }
    memset(in->demand, 0, sizeof in->demand);
    in->demand[0] = 1;
}

static bool change_rule(struct skr_rule *rule, int32_t what)
{
    int32_t *number[] = {&rule->partitions, &rule->min, &rule->max, &rule->factor};
    if (what == 8) {
        bool was = rule->hard;
        rule->hard = false;
        return was;
    }
    if (what == 9) {
        bool was = rule->type == SKR_RULE_SPREAD;
        rule->type = SKR_RULE_PACK;
        return was;
    }
    int32_t *n = number[what / 2];
    int32_t before = *n;
    *n = what % 2 == 0 ? 0 : *n - 1;
    return before > 0 ? *n != before : what % 2 == 0 && before != 0;
}

enum { RULE_CHANGES = 10, LEAF_CHANGES = 4 };

static bool change_leaf(struct instance *in, int32_t leaf, int32_t what)
{
    int64_t *free = &in->free[leaf * INSTANCE_RESOURCES];
    switch (what) {
    case 0:
        if (in->claimed[leaf] == 0) {
            return false;
        }
        in->claimed[leaf]--;
        return true;
    case 1:
        if (in->eligible[leaf]) {
            return false;
        }
        in->eligible[leaf] = 1;
        return true;
    case 2:
        for (int32_t r = 0; r < INSTANCE_RESOURCES; r++) {
            free[r] = free[r] > in->demand[r] ? free[r] - in->demand[r] : 0;
        }
        return true;
    default:
        if (!in->problem.capacity || in->capacity[leaf * INSTANCE_RESOURCES] <= free[0]) {
            return false;
        }
        memcpy(&in->capacity[leaf * INSTANCE_RESOURCES], free, sizeof(int64_t[INSTANCE_RESOURCES]));
        return true;
    }
}

/* The i-th change; false when it changes nothing. *ret_end: there is none any more. */
static bool change(const struct instance *from, int32_t i, struct instance *ret, bool *ret_end)
{
    const struct skr_tree *tree = &from->tree;
    instance_copy(ret, from);
    *ret_end = false;
    if (i < tree->n_leaves) {
        return tree->n_leaves > 1 && without_leaf(from, tree->n_leaves - 1 - i, ret);
    }
    i -= tree->n_leaves;
    if (i < tree->n_levels * RULE_CHANGES) {
        return change_rule(&ret->rule[i / RULE_CHANGES], i % RULE_CHANGES);
    }
    i -= tree->n_levels * RULE_CHANGES;
    if (i < tree->n_leaves * LEAF_CHANGES) {
        return change_leaf(ret, i / LEAF_CHANGES, i % LEAF_CHANGES);
    }
    switch (i - tree->n_leaves * LEAF_CHANGES) {
    case 0:
        ret->problem.n--;
        return from->problem.n > 1;
    case 1:
        ret->problem.tie_break = SKR_TIE_TREE;
        return from->problem.tie_break != SKR_TIE_TREE;
    case 2:
        ret->problem.capacity = NULL;
        return from->problem.capacity;
    case 3:
        count_in_slots(ret);
        return from->demand[0] != 1 || from->demand[1] != 0 || from->demand[2] != 0;
    default:
        *ret_end = true;
        return false;
    }
}

int32_t instance_shrink(struct instance *in, bool (*fails)(const struct instance *))
{
    int32_t changes = 0;
    bool again = true;
    while (again) {
        bool end = false;
        again = false;
        for (int32_t i = 0; !end; i++) {
            struct instance smaller;
            bool other = change(in, i, &smaller, &end);
            if (other && memcmp(&smaller, in, sizeof smaller) != 0 &&
                claims_of(&smaller) <= smaller.problem.n && fails(&smaller)) {
                instance_copy(in, &smaller);
                changes++;
                again = true;
                i--;
            }
        }
    }
    return changes;
}
