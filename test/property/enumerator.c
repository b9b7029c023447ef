/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Oracle 1: every vector of leaf counts with the right sum is made, checked against the rules and
 * compared with the best so far, word by word as the objective is defined. Small trees only.
 */
#include <stdlib.h>
#include <string.h>

#include "test/property/oracle.h"

struct search {
    const struct instance *in;
    int32_t total[INSTANCE_UNITS_MAX]; /* of the vector looked at */
    bool found;
    int32_t best[INSTANCE_UNITS_MAX];
    int32_t fit[INSTANCE_LEAVES_MAX];
    int32_t rest[INSTANCE_LEAVES_MAX + 1]; /* most that leaves from here on can hold */
    int64_t room[INSTANCE_UNITS_MAX];
    int32_t only_level; /* 0: all levels and ties */
};

static bool count_allowed(const struct skr_rule *rule, int32_t x)
{
    if (rule->hard) {
        return rule->type == SKR_RULE_PACK || x == 1;
    }
    bool min = rule->min > 0;
    bool max = rule->max > 0;
    if (min && max && rule->min > rule->max) {
        min = false;
        max = false;
    }
    if ((min && x < rule->min) || (max && x > rule->max)) {
        return false;
    }
    return rule->factor <= 1 || x % rule->factor == 0;
}

static bool is_valid(const struct search *s)
{
    const struct skr_tree *tree = &s->in->tree;
    for (int32_t u = 1; u < tree->n_units && s->in->problem.bounds; u++) {
        if (s->total[u] < s->in->bounds[u].least || s->total[u] > s->in->bounds[u].most) {
            return false;
        }
    }
    for (int32_t level = 1; level <= tree->n_levels; level++) {
        const struct skr_rule *rule = &s->in->rule[level - 1];
        for (int32_t p = tree->level_first[level - 1]; p < tree->level_first[level]; p++) {
            int32_t used = 0;
            for (int32_t c = 0; c < tree->child_count[p]; c++) {
                int32_t x = s->total[tree->child_first[p] + c];
                if (x > 0 && !count_allowed(rule, x)) {
                    return false;
                }
                used += x > 0;
            }
            if (s->total[p] == 0) {
                continue;
            }
            if (rule->hard && rule->type == SKR_RULE_PACK && used != 1) {
                return false;
            }
            if (!rule->hard && rule->partitions > 0 && used != rule->partitions) {
                return false;
            }
        }
    }
    return true;
}

static int descending(const void *a, const void *b)
{
    return *(const int32_t *)b - *(const int32_t *)a;
}

/* Counts of used units of a level, greatest first, rest 0; returns how many are used. */
static int32_t sorted_level(const struct skr_tree *tree, int32_t level, const int32_t *total,
                            int32_t *ret)
{
    int32_t n = tree->level_first[level + 1] - tree->level_first[level];
    memcpy(ret, total + tree->level_first[level], (size_t)n * sizeof *ret);
    qsort(ret, (size_t)n, sizeof *ret, descending);
    int32_t used = 0;
    while (used < n && ret[used] > 0) {
        used++;
    }
    return used;
}

/* < 0: a is better. */
static int compare_level(const struct search *s, int32_t level, const int32_t *a, const int32_t *b)
{
    const struct skr_tree *tree = &s->in->tree;
    int32_t list_a[INSTANCE_UNITS_MAX];
    int32_t list_b[INSTANCE_UNITS_MAX];
    int32_t used_a = sorted_level(tree, level, a, list_a);
    int32_t used_b = sorted_level(tree, level, b, list_b);
    bool pack = s->in->rule[level - 1].type == SKR_RULE_PACK;
    if (pack && used_a != used_b) {
        return used_a - used_b;
    }
    for (int32_t i = 0; i < used_a && i < used_b; i++) {
        if (list_a[i] != list_b[i]) {
            return pack ? list_b[i] - list_a[i] : list_a[i] - list_b[i];
        }
    }
    return 0;
}

static int64_t used_room(const struct search *s, int32_t level, const int32_t *total)
{
    const struct skr_tree *tree = &s->in->tree;
    int64_t room = 0;
    for (int32_t u = tree->level_first[level]; u < tree->level_first[level + 1]; u++) {
        room += total[u] > 0 ? s->room[u] : 0;
    }
    return room;
}

/* > 0: the child counts of a are lexicographically greater, this set first, then its children. */
static int32_t compare_vectors(const struct skr_tree *tree, int32_t unit, const int32_t *a,
                               const int32_t *b)
{
    int32_t first = tree->child_first[unit];
    for (int32_t c = first; c < first + tree->child_count[unit]; c++) {
        if (a[c] != b[c]) {
            return a[c] - b[c];
        }
    }
    for (int32_t c = first; c < first + tree->child_count[unit]; c++) {
        int32_t order = c < tree->first_leaf ? compare_vectors(tree, c, a, b) : 0;
        if (order != 0) {
            return order;
        }
    }
    return 0;
}

static bool is_better(const struct search *s, const int32_t *a, const int32_t *b)
{
    const struct skr_tree *tree = &s->in->tree;
    if (s->only_level > 0) {
        return compare_level(s, s->only_level, a, b) < 0;
    }
    for (int32_t level = 1; level <= tree->n_levels; level++) {
        int order = s->in->rule[level - 1].silent ? 0 : compare_level(s, level, a, b);
        if (order != 0) {
            return order < 0;
        }
    }
    for (int32_t level = 1; level <= tree->n_levels; level++) {
        if (s->in->problem.tie_break != SKR_TIE_TIGHT ||
            s->in->rule[level - 1].type != SKR_RULE_PACK || s->in->rule[level - 1].silent) {
            continue;
        }
        int64_t room_a = used_room(s, level, a);
        int64_t room_b = used_room(s, level, b);
        if (room_a != room_b) {
            return room_a < room_b;
        }
    }
    return compare_vectors(tree, 0, a, b) > 0;
}

static void look_at(struct search *s)
{
    const struct skr_tree *tree = &s->in->tree;
    for (int32_t u = 0; u < tree->first_leaf; u++) {
        s->total[u] = 0;
    }
    for (int32_t u = tree->n_units - 1; u > 0; u--) {
        s->total[tree->parent[u]] += s->total[u];
    }
    if (is_valid(s) && (!s->found || is_better(s, s->total, s->best))) {
        s->found = true;
        memcpy(s->best, s->total, sizeof s->best);
    }
}

static void try_leaf(struct search *s, int32_t leaf, int32_t left)
{
    const struct skr_tree *tree = &s->in->tree;
    if (leaf == tree->n_leaves) {
        look_at(s);
        return;
    }
    for (int32_t x = s->in->claimed[leaf]; x <= s->fit[leaf] && x <= left; x++) {
        if (left - x <= s->rest[leaf + 1]) {
            s->total[tree->first_leaf + leaf] = x;
            try_leaf(s, leaf + 1, left - x);
        }
    }
}

static void search_all(struct search *s)
{
    const struct instance *instance = s->in;
    const struct skr_tree *tree = &instance->tree;
    for (int32_t leaf = tree->n_leaves - 1; leaf >= 0; leaf--) {
        s->fit[leaf] = instance_fit(instance, leaf);
        s->rest[leaf] = s->rest[leaf + 1] + s->fit[leaf];
        s->room[tree->first_leaf + leaf] = instance_room(instance, leaf);
    }
    for (int32_t u = tree->n_units - 1; u > 0; u--) {
        s->room[tree->parent[u]] += s->room[u];
    }
    if (instance->problem.n <= s->rest[0]) {
        try_leaf(s, 0, instance->problem.n);
    }
}

void enumerator_solve(const struct instance *instance, struct oracle_answer *ret)
{
    const struct skr_tree *tree = &instance->tree;
    struct search s = {.in = instance};
    search_all(&s);
    ret->feasible = s.found;
    memset(ret->count, 0, sizeof ret->count);
    for (int32_t leaf = 0; leaf < tree->n_leaves; leaf++) {
        ret->count[leaf] = s.found ? s.best[tree->first_leaf + leaf] : 0;
    }
}

int32_t enumerator_best_level(const struct instance *instance, int32_t level, int32_t *ret)
{
    struct search s = {.in = instance, .only_level = level};
    search_all(&s);
    return s.found ? sorted_level(&instance->tree, level, s.best, ret) : 0;
}
