/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Oracle 2: dynamic programming as plainly as it goes. A table per unit: for every total the best
 * key of the levels below it and the counts that reach it. Children are added one after the other
 * to a table over (used so far, total so far).
 *
 * A key is one long vector of digits, smaller is better: per level the number of used units (pack;
 * 0 for spread), then for every count from n down to 1 the units holding it (negative for pack);
 * after all levels, per level, the room of used units of pack levels (SKR_TIE_TIGHT). Equal keys:
 * the greater vector of child counts so far.
 */
#include <stdlib.h>
#include <string.h>

#include "test/property/oracle.h"

struct cell {
    bool ok;
    int32_t child[PLAIN_FANOUT_MAX]; /* counts of the children so far */
    int64_t *key;
};

struct dp {
    const struct instance *in;
    int32_t n;
    size_t digits;
    int64_t room[INSTANCE_UNITS_MAX];
    struct cell *of_unit[INSTANCE_UNITS_MAX]; /* [n + 1] */
};

static struct cell *cells_new(struct dp *dp, size_t n)
{
    struct cell *cell = calloc(n, sizeof *cell);
    int64_t *keys = calloc(n * dp->digits, sizeof *keys);
    if (!cell || !keys) {
        abort();
    }
    for (size_t i = 0; i < n; i++) {
        cell[i].key = keys + i * dp->digits;
    }
    return cell;
}

static void cells_free(struct cell *cell)
{
    if (cell) {
        free(cell[0].key);
        free(cell);
    }
}

static size_t digit_of_level(const struct dp *dp, int32_t level)
{
    return (size_t)(level - 1) * (size_t)(dp->n + 1);
}

/* Adds what a used unit of the level with x members contributes itself. */
static void add_unit(const struct dp *dp, int32_t level, int32_t unit, int32_t x, int64_t *key)
{
    bool pack = dp->in->rule[level - 1].type == SKR_RULE_PACK;
    size_t at = digit_of_level(dp, level);
    key[at] += pack ? 1 : 0;
    key[at + 1 + (size_t)(dp->n - x)] += pack ? -1 : 1;
    if (pack && dp->in->problem.tie_break == SKR_TIE_TIGHT) {
        key[digit_of_level(dp, dp->in->tree.n_levels + 1) + (size_t)level - 1] += dp->room[unit];
    }
}

static bool allowed(const struct skr_rule *rule, int32_t x)
{
    if (rule->hard) {
        return rule->type == SKR_RULE_PACK ? true : x == 1;
    }
    if (!(rule->min > 0 && rule->max > 0 && rule->min > rule->max)) {
        if (rule->min > 0 && x < rule->min) {
            return false;
        }
        if (rule->max > 0 && x > rule->max) {
            return false;
        }
    }
    if (rule->factor > 1 && x % rule->factor > 0) {
        return false;
    }
    return true;
}

/* Number of used children that the rule asks for; 0: any. */
static int32_t wanted(const struct skr_rule *rule)
{
    if (rule->hard) {
        return rule->type == SKR_RULE_PACK ? 1 : 0;
    }
    return rule->partitions > 0 ? rule->partitions : 0;
}

/* Candidate for a cell: from, then a child with x (its key is the child's own plus add_unit). */
static void offer(const struct dp *dp, struct cell *to, const struct cell *from,
                  const int64_t *child_key, int32_t nth, int32_t x)
{
    bool take = !to->ok;
    for (size_t d = 0; !take && d < dp->digits; d++) {
        int64_t mine = from->key[d] + child_key[d];
        if (mine != to->key[d]) {
            if (mine > to->key[d]) {
                return;
            }
            take = true;
        }
    }
    for (int32_t c = 0; !take && c <= nth; c++) {
        int32_t mine = c == nth ? x : from->child[c];
        if (mine != to->child[c]) {
            if (mine < to->child[c]) {
                return;
            }
            take = true;
        }
    }
    if (!take) {
        return;
    }
    to->ok = true;
    memcpy(to->child, from->child, sizeof to->child);
    to->child[nth] = x;
    for (size_t d = 0; d < dp->digits; d++) {
        to->key[d] = from->key[d] + child_key[d];
    }
}

/* next[used][total] from before[used][total] and one more child. */
static void add_child(const struct dp *dp, int32_t level, int32_t child, int32_t nth, int32_t used,
                      const struct cell *before, struct cell *next)
{
    const struct skr_rule *rule = &dp->in->rule[level - 1];
    SKR_AUTO_FREE int64_t *key = calloc(dp->digits, sizeof *key);
    if (!key) {
        abort();
    }
    for (int32_t x = 0; x <= dp->n; x++) {
        const struct cell *own = &dp->of_unit[child][x];
        if (!own->ok || (x > 0 && !allowed(rule, x))) {
            continue;
        }
        memcpy(key, own->key, dp->digits * sizeof *key);
        if (x > 0) {
            add_unit(dp, level, child, x, key);
        }
        int32_t more = x > 0 && used > 0 ? 1 : 0;
        for (int32_t u = 0; u + more <= used; u++) {
            for (int32_t t = 0; t + x <= dp->n; t++) {
                const struct cell *from = &before[u * (dp->n + 1) + t];
                if (from->ok) {
                    offer(dp, &next[(u + more) * (dp->n + 1) + t + x], from, key, nth, x);
                }
            }
        }
    }
}

static void solve_unit(struct dp *dp, int32_t level, int32_t unit)
{
    const struct skr_tree *tree = &dp->in->tree;
    int32_t used = wanted(&dp->in->rule[level]);
    if (used > tree->child_count[unit]) {
        used = tree->child_count[unit] + 1; /* never reached */
    }
    size_t n = (size_t)(used + 1) * (size_t)(dp->n + 1);
    struct cell *table = cells_new(dp, n);
    table[0].ok = true;
    for (int32_t c = 0; c < tree->child_count[unit]; c++) {
        struct cell *next = cells_new(dp, n);
        add_child(dp, level + 1, tree->child_first[unit] + c, c, used, table, next);
        cells_free(table);
        table = next;
    }
    dp->of_unit[unit] = cells_new(dp, (size_t)dp->n + 1);
    for (int32_t x = 0; x <= dp->n; x++) {
        const struct cell *from = &table[(x == 0 ? 0 : used) * (dp->n + 1) + x];
        struct cell *to = &dp->of_unit[unit][x];
        to->ok = from->ok;
        memcpy(to->child, from->child, sizeof to->child);
        memcpy(to->key, from->key, dp->digits * sizeof *to->key);
    }
    cells_free(table);
}

static void read_counts(const struct dp *dp, int32_t unit, int32_t x, int32_t *count)
{
    const struct skr_tree *tree = &dp->in->tree;
    if (unit >= tree->first_leaf) {
        count[unit - tree->first_leaf] = x;
        return;
    }
    for (int32_t c = 0; c < tree->child_count[unit]; c++) {
        read_counts(dp, tree->child_first[unit] + c, dp->of_unit[unit][x].child[c], count);
    }
}

void plain_dp_solve(const struct instance *instance, struct oracle_answer *ret, bool *sizes)
{
    const struct skr_tree *tree = &instance->tree;
    int32_t n = instance->problem.n;
    struct dp dp = {.in = instance, .n = n};
    dp.digits = digit_of_level(&dp, tree->n_levels + 1) + (size_t)tree->n_levels;
    for (int32_t leaf = 0; leaf < tree->n_leaves; leaf++) {
        int32_t unit = tree->first_leaf + leaf;
        dp.room[unit] = instance_room(instance, leaf);
        dp.of_unit[unit] = cells_new(&dp, (size_t)n + 1);
        for (int32_t x = instance->claimed[leaf]; x <= instance_fit(instance, leaf); x++) {
            dp.of_unit[unit][x].ok = true;
        }
    }
    for (int32_t u = tree->n_units - 1; u > 0; u--) {
        dp.room[tree->parent[u]] += dp.room[u];
    }
    for (int32_t level = tree->n_levels - 1; level >= 0; level--) {
        for (int32_t u = tree->level_first[level]; u < tree->level_first[level + 1]; u++) {
            solve_unit(&dp, level, u);
        }
    }
    ret->feasible = dp.of_unit[0][n].ok;
    memset(ret->count, 0, sizeof ret->count);
    if (ret->feasible) {
        read_counts(&dp, 0, n, ret->count);
    }
    for (int32_t x = 0; x <= n && sizes; x++) {
        sizes[x] = dp.of_unit[0][x].ok;
    }
    for (int32_t u = 0; u < tree->n_units; u++) {
        cells_free(dp.of_unit[u]);
    }
}
