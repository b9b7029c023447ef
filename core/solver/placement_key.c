/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keys of placements, and their order. The key of a level is the list of the counts of its used
 * units, greatest first, as runs of equal counts; how two lists compare depends on the type of the
 * level's rule. Cost: units of the tree, plus sorting the used ones.
 */
#include <stdlib.h>

#include "core/solver/placement_key.h"
#include "core/solver/solve_run.h"

bool skr_key_of_counts(const int32_t *count, int32_t n, int32_t *list, struct skr_arena *arena,
                       struct skr_level_key *ret)
{
    *ret = (struct skr_level_key){0};
    for (int32_t i = 0; i < n; i++) {
        if (count[i] > 0) {
            list[ret->used++] = count[i];
        }
    }
    qsort(list, (size_t)ret->used, sizeof *list, skr_greatest_first_32);
    for (int32_t i = 0; i < ret->used; i++) {
        ret->n_runs += i == 0 || list[i] != list[i - 1] ? 1 : 0;
    }
    ret->run = skr_arena_array(arena, ret->n_runs, sizeof *ret->run);
    if (!ret->run) {
        return false;
    }
    size_t run = 0;
    for (int32_t i = 0; i < ret->used; i++) {
        if (i > 0 && list[i] != list[i - 1]) {
            run++;
        }
        ret->run[run].count = list[i];
        ret->run[run].mult++;
    }
    return true;
}

struct skr_level_key *skr_placement_key(const struct skr_tree *tree, const int32_t *count,
                                        struct skr_arena *arena)
{
    size_t n_units = (size_t)tree->n_units;
    struct skr_level_key *key =
        skr_arena_array(arena, (size_t)tree->n_levels, sizeof(struct skr_level_key));
    SKR_AUTO_FREE int32_t *total = calloc(n_units + 1, sizeof *total);
    SKR_AUTO_FREE int32_t *list = calloc(n_units + 1, sizeof *list);
    bool done = key && total && list;
    for (int32_t unit = tree->n_units - 1; done && unit > 0; unit--) {
        if (unit >= tree->first_leaf) {
            total[unit] = count[unit - tree->first_leaf];
        }
        total[tree->parent[unit]] += total[unit];
    }
    for (int32_t level = 1; done && level <= tree->n_levels; level++) {
        int32_t first = tree->level_first[level];
        done = skr_key_of_counts(total + first, tree->level_first[level + 1] - first, list, arena,
                                 &key[level - 1]);
    }
    return done ? key : NULL;
}

/* > 0: a is lexicographically greater. */
static int compare_counts(const struct skr_level_key *a, const struct skr_level_key *b)
{
    size_t both = a->n_runs < b->n_runs ? a->n_runs : b->n_runs;
    for (size_t i = 0; i < both; i++) {
        if (a->run[i].count != b->run[i].count) {
            return a->run[i].count > b->run[i].count ? 1 : -1;
        }
        if (a->run[i].mult != b->run[i].mult) {
            /* The longer run stands against a smaller count, or against nothing. */
            return a->run[i].mult > b->run[i].mult ? 1 : -1;
        }
    }
    return a->n_runs == b->n_runs ? 0 : a->n_runs > b->n_runs ? 1 : -1;
}

int skr_level_key_compare(enum skr_rule_type type, const struct skr_level_key *a,
                          const struct skr_level_key *b)
{
    int order = compare_counts(a, b);
    if (type != SKR_RULE_PACK) {
        return order;
    }
    if (a->used != b->used) {
        return a->used < b->used ? -1 : 1;
    }
    return -order;
}

int skr_placement_compare(const struct skr_tree *tree, const struct skr_rule *rule,
                          const struct skr_level_key *a, const struct skr_level_key *b)
{
    for (int32_t level = 0; level < tree->n_levels; level++) {
        int order =
            rule[level].silent ? 0 : skr_level_key_compare(rule[level].type, &a[level], &b[level]);
        if (order != 0) {
            return order;
        }
    }
    return 0;
}
