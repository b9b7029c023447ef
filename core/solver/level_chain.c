/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A partition refines another one when each of its parts lies within one part of the other. The
 * levels of a tree are a chain of refinements whose last partition has one part for each leaf. Read
 * along the leaves, a unit of a level begins wherever the part of that level changes.
 */
#include "core/solver/level_chain.h"

bool skr_level_chain_of(const struct skr_problem *problem, struct skr_arena *arena,
                        struct skr_level_chain *ret)
{
    const struct skr_tree *tree = problem->tree;
    *ret =
        (struct skr_level_chain){.arena = arena, .n_leaves = tree->n_leaves, .n = tree->n_levels};
    for (int32_t level = tree->n_levels; level >= 1; level--) {
        struct skr_partition *p = &ret->level[level];
        p->rule = problem->rule[level - 1];
        p->part = skr_arena_array(arena, (size_t)tree->n_leaves, sizeof *p->part);
        p->n_parts = tree->level_first[level + 1] - tree->level_first[level];
        if (!p->part) {
            return false;
        }
        for (int32_t leaf = 0; leaf < tree->n_leaves; leaf++) {
            int32_t unit = tree->first_leaf + leaf;
            if (level < tree->n_levels) {
                unit = tree->parent[p[1].part[leaf] + tree->level_first[level + 1]];
            }
            p->part[leaf] = unit - tree->level_first[level];
        }
    }
    return true;
}

/* Whether a part begins at place i of the order. */
static bool begins(const int32_t *part, const int32_t *order, int32_t i)
{
    return i == 0 || part[order ? order[i] : i] != part[order ? order[i - 1] : i - 1];
}

bool skr_level_chain_tree(const struct skr_level_chain *chain, const int32_t *order,
                          struct skr_tree *ret, struct skr_rule *rule)
{
    int32_t n_leaves = chain->n_leaves;
    int32_t units = 1;
    *ret = (struct skr_tree){.n_levels = chain->n, .n_leaves = n_leaves, .name = ""};
    for (int32_t level = 1; level <= chain->n; level++) {
        rule[level - 1] = chain->level[level].rule;
        ret->level_first[level] = units;
        for (int32_t i = 0; i < n_leaves; i++) {
            units += begins(chain->level[level].part, order, i) ? 1 : 0;
        }
    }
    ret->level_first[chain->n + 1] = units;
    ret->n_units = units;
    ret->first_leaf = units - n_leaves;
    int32_t *parent = skr_arena_array(chain->arena, (size_t)units, sizeof *parent);
    int32_t *first = skr_arena_array(chain->arena, (size_t)units, sizeof *first);
    int32_t *count = skr_arena_array(chain->arena, (size_t)units, sizeof *count);
    int32_t *above = skr_arena_array(chain->arena, (size_t)n_leaves + 1, sizeof *above);
    if (!parent || !first || !count || !above) {
        return false;
    }
    parent[0] = -1;
    for (int32_t level = 1; level <= chain->n; level++) {
        int32_t unit = ret->level_first[level] - 1;
        for (int32_t i = 0; i < n_leaves; i++) {
            if (begins(chain->level[level].part, order, i)) {
                unit++;
                parent[unit] = above[i];
                first[above[i]] = count[above[i]] == 0 ? unit : first[above[i]];
                count[above[i]]++;
            }
            above[i] = unit;
        }
    }
    ret->parent = parent;
    ret->child_first = first;
    ret->child_count = count;
    return true;
}
