/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shrinking: a problem that fails is made smaller, one change at a time, as long as it still fails.
 * Changes are tried in a fixed order and over again until none helps.
 */
#include <string.h>

#include "test/property/trial.h"

/* The last elements of an array, one place to the left. */
static void close_gap(void *array, int32_t at, int32_t n, size_t size)
{
    memmove((char *)array + (size_t)at * size, (char *)array + (size_t)(at + 1) * size,
            (size_t)(n - at - 1) * size);
}

static bool without_leaf(const struct instance *from, int32_t leaf, struct instance *ret)
{
    const struct skr_tree *tree = &from->tree;
    const int32_t n = tree->n_leaves;
    const size_t row = sizeof(int64_t[INSTANCE_RESOURCES]);
    int32_t kept[INSTANCE_UNITS_MAX] = {0}; /* children left; leaves: 1 */
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
    for (int32_t u = 0; u < tree->n_units; u++) {
        if (kept[u] > 0) {
            for (int32_t k = 0; k < SKR_SET_KINDS_MAX; k++) {
                ret->alive[k][next] = from->alive[k][u];
            }
            ret->child_count[next++] = kept[u];
        }
    }
    instance_grow(ret, tree->n_levels);
    close_gap(ret->free, leaf, n, row);
    close_gap(ret->capacity, leaf, n, row);
    for (int32_t r = 0; r < SKR_ROLES_MAX; r++) {
        close_gap(ret->eligible[r], leaf, n, sizeof ret->eligible[r][0]);
        close_gap(ret->claimed[r], leaf, n, sizeof ret->claimed[r][0]);
    }
    return true;
}

/* One resource, demand 1, free and capacity in slots. */
static bool count_in_slots(struct instance *in)
{
    static const int64_t one[INSTANCE_RESOURCES] = {1};
    if (in->problem.roles || memcmp(in->demand[0], one, sizeof one) == 0) {
        return false;
    }
    struct instance open, empty;
    instance_copy(&open, in);
    memset(open.eligible, 1, sizeof open.eligible);
    instance_copy(&empty, &open);
    memcpy(empty.free, in->capacity, sizeof empty.free);
    memset(in->free, 0, sizeof in->free);
    memset(in->capacity, 0, sizeof in->capacity);
    for (int32_t leaf = 0; leaf < in->tree.n_leaves; leaf++) {
        in->free[leaf * INSTANCE_RESOURCES] = instance_room(&open, 0, leaf);
        in->capacity[leaf * INSTANCE_RESOURCES] = instance_room(&empty, 0, leaf);
    }
    memcpy(in->demand[0], one, sizeof one);
    return true;
}

enum { RULE_CHANGES = 10, LEAF_CHANGES = 4, ROLE_CHANGES = 3 };

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

static bool change_leaf(struct instance *in, int32_t r, int32_t leaf, int32_t what)
{
    int64_t *free = &in->free[leaf * INSTANCE_RESOURCES];
    bool less = false;
    switch (what) {
    case 0:
        return in->claimed[r][leaf] > 0 && in->claimed[r][leaf]-- > 0;
    case 1:
        return !in->eligible[r][leaf] && ++in->eligible[r][leaf] > 0;
    case 2:
        for (int32_t d = 0; d < INSTANCE_RESOURCES; d++) {
            less = less || (free[d] > 0 && in->demand[r][d] > 0);
            free[d] = free[d] > in->demand[r][d] ? free[d] - in->demand[r][d] : 0;
        }
        return less;
    default:
        if (!in->problem.capacity || in->capacity[leaf * INSTANCE_RESOURCES] <= free[0]) {
            return false;
        }
        memcpy(&in->capacity[leaf * INSTANCE_RESOURCES], free, sizeof(int64_t[INSTANCE_RESOURCES]));
        return true;
    }
}

static bool change_role(struct instance *in, int32_t r, int32_t what)
{
    struct skr_role *role = &in->role[r];
    const bool had_rule = role->rule, had_minimum = role->minimum < role->n;
    switch (what) {
    case 0:
        role->rule = NULL;
        return had_rule;
    case 1:
        role->minimum = role->n;
        return had_minimum;
    default:
        role->n--;
        role->minimum -= role->minimum > role->n;
        return role->n > 0;
    }
}

static bool change_all(struct instance *in, int32_t what, bool *ret_end)
{
    const bool tight = in->problem.tie_break == SKR_TIE_TIGHT, empty = in->problem.capacity;
    switch (what) {
    case 0:
        in->problem.n--;
        return !in->problem.roles && in->problem.n > 0;
    case 1:
        in->problem.tie_break = SKR_TIE_TREE;
        return tight;
    case 2:
        in->problem.capacity = NULL;
        return empty;
    case 3:
        return count_in_slots(in);
    case 4:
        return in->roles.n_caps > 0 && in->roles.n_caps-- > 0;
    case 5:
        return in->roles.n_kinds > 0 && in->roles.n_kinds-- > 0;
    case 6:
        return in->roles.n_roles > 1 && in->roles.n_kinds + in->roles.n_caps == 0 &&
               in->roles.n_roles-- > 0;
    default:
        *ret_end = true;
        return false;
    }
}

/* Whether *i is one of the next n; if not, it is counted from there on. */
static bool is_next(int32_t *i, int32_t n)
{
    const bool next = *i < n;
    *i -= next ? 0 : n;
    return next;
}

/* The i-th change; false when it changes nothing. *ret_end: there is none any more. */
static bool change(const struct instance *from, int32_t i, struct instance *ret, bool *ret_end)
{
    const int32_t leaves = from->tree.n_leaves, levels = from->tree.n_levels;
    const int32_t roles = instance_n_roles(from);
    instance_copy(ret, from);
    *ret_end = false;
    if (is_next(&i, leaves)) {
        return leaves > 1 && without_leaf(from, leaves - 1 - i, ret);
    }
    if (is_next(&i, levels * RULE_CHANGES)) {
        return change_rule(&ret->rule[i / RULE_CHANGES], i % RULE_CHANGES);
    }
    if (is_next(&i, roles * levels * RULE_CHANGES)) {
        const int32_t at = i / RULE_CHANGES;
        return instance_rule(ret, at / levels, at % levels + 1) &&
               change_rule(&ret->own[at / levels][at % levels], i % RULE_CHANGES);
    }
    if (is_next(&i, roles * leaves * LEAF_CHANGES)) {
        const int32_t at = i / LEAF_CHANGES;
        return change_leaf(ret, at / leaves, at % leaves, i % LEAF_CHANGES);
    }
    if (is_next(&i, roles * ROLE_CHANGES)) {
        return from->problem.roles && change_role(ret, i / ROLE_CHANGES, i % ROLE_CHANGES);
    }
    return change_all(ret, i, ret_end);
}

static bool claims_fit(const struct instance *in)
{
    bool fit = true;
    for (int32_t r = 0; r < instance_n_roles(in); r++) {
        fit = fit && instance_claims(in, r, 0) <= instance_n(in, r);
    }
    return fit;
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
            instance_link(&smaller);
            if (other && claims_fit(&smaller) && fails(&smaller)) {
                instance_copy(in, &smaller);
                changes++;
                again = true;
                i--;
            }
        }
    }
    return changes;
}
