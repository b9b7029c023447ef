/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The best key of one level, when no other level is compared: an optimum whose upper levels are
 * mute (their rules hold, their keys do not count) and whose lower levels are not opened (their
 * rules are in the feasible sets already).
 *
 * A mute level keeps every choice, which takes memory. Where it has no rules, and the level below
 * does not count used siblings, it makes no difference at all and is taken out of the tree; in most
 * problems nothing mute is left. KEY_BYTES_MAX bounds the rest.
 */
#include "core/solver/explain.h"

#include "core/solver/optimum.h"
#include "core/solver/placement_key.h"
#include "core/solver/tie_choice.h"

#define KEY_BYTES_MAX ((size_t)256 << 20)

/* A tree with fewer levels, and where its levels come from. */
struct reduced {
    struct skr_tree tree;
    struct skr_rule rule[SKR_LEVELS_MAX];
    int32_t kept[SKR_LEVELS_MAX + 2]; /* old level of each new one */
};

static void keep_levels(const struct skr_problem *problem, int32_t level, struct reduced *ret)
{
    const struct skr_tree *tree = problem->tree;
    int32_t n = 0;
    for (int32_t old = 1; old <= tree->n_levels; old++) {
        struct skr_law law = skr_law_of(&problem->rule[old - 1], problem->n);
        bool last = old == tree->n_levels;
        bool counted = !last && skr_law_of(&problem->rule[old], problem->n).used > 0;
        if (old < level && !counted && law.used == 0 && skr_law_allows_all(&law, problem->n)) {
            continue;
        }
        ret->kept[++n] = old;
        ret->rule[n - 1] = problem->rule[old - 1];
    }
    ret->tree.n_levels = n;
    ret->tree.n_leaves = tree->n_leaves;
    ret->tree.level_first[1] = 1;
    for (int32_t i = 1; i <= n; i++) {
        int32_t old = ret->kept[i];
        ret->tree.level_first[i + 1] =
            ret->tree.level_first[i] + tree->level_first[old + 1] - tree->level_first[old];
    }
    ret->tree.first_leaf = ret->tree.level_first[n];
    ret->tree.n_units = ret->tree.level_first[n + 1];
}

static bool reduce_tree(struct skr_run *run, const struct skr_problem *problem, int32_t level,
                        struct reduced *ret)
{
    const struct skr_tree *tree = problem->tree;
    *ret = (struct reduced){0};
    keep_levels(problem, level, ret);
    size_t n_units = (size_t)ret->tree.n_units;
    int32_t *parent = skr_run_alloc(run, n_units, sizeof *parent);
    int32_t *first = skr_run_alloc(run, n_units, sizeof *first);
    int32_t *count = skr_run_alloc(run, n_units, sizeof *count);
    if (!parent || !first || !count) {
        return false;
    }
    parent[0] = -1;
    for (int32_t i = 0; i < ret->tree.n_levels; i++) {
        int32_t old = ret->kept[i];
        for (int32_t u = ret->tree.level_first[i]; u < ret->tree.level_first[i + 1]; u++) {
            int32_t from = u - ret->tree.level_first[i] + tree->level_first[old];
            int32_t to = from;
            for (int32_t below = old; below < ret->kept[i + 1]; below++) {
                from = tree->child_first[from];
                to = tree->child_first[to] + tree->child_count[to] - 1;
            }
            first[u] = from - tree->level_first[ret->kept[i + 1]] + ret->tree.level_first[i + 1];
            count[u] = to - from + 1;
            for (int32_t c = 0; c < count[u]; c++) {
                parent[first[u] + c] = u;
            }
        }
    }
    ret->tree.parent = parent;
    ret->tree.child_first = first;
    ret->tree.child_count = count;
    return true;
}

/* Key of the level (of the reduced tree); inner is a run over that. */
static bool find_key(struct skr_run *inner, int32_t level, struct skr_arena *arena,
                     struct skr_level_key *ret)
{
    const struct skr_tree *tree = inner->tree;
    struct skr_leaf_bounds leaf;
    struct skr_feasible feasible;
    struct skr_graph graph;
    for (int32_t above = 1; above < level; above++) {
        inner->law[above].mute = true;
    }
    int32_t *total = skr_run_alloc(inner, (size_t)tree->n_units, sizeof *total);
    int32_t *list = skr_run_alloc(inner, (size_t)tree->n_units, sizeof *list);
    if (!total || !list || !skr_leaf_bounds(inner, inner->problem, &leaf) ||
        !skr_feasible_build(inner, &leaf, &feasible) ||
        !skr_feasible_has(inner, &feasible, inner->n) ||
        !skr_optimum(inner, &feasible, level, &graph) ||
        !skr_tie_choose(&graph, &feasible, total)) {
        return false;
    }
    int32_t first = tree->level_first[level];
    return skr_key_of_counts(total + first, tree->level_first[level + 1] - first, list, arena, ret);
}

/* Whether the key is known. */
static bool best_key(struct skr_run *run, const struct skr_problem *problem, int32_t level,
                     struct skr_arena *arena, struct skr_level_key *ret)
{
    struct skr_run holder;
    struct reduced reduced;
    bool found = false;
    if (skr_run_begin_inner(run, problem, &holder) &&
        reduce_tree(&holder, problem, level, &reduced)) {
        struct skr_problem smaller = *problem;
        smaller.tree = &reduced.tree;
        smaller.rule = reduced.rule;
        smaller.tie_break = SKR_TIE_TREE;
        int32_t at = 1;
        while (reduced.kept[at] != level) {
            at++;
        }
        struct skr_run inner;
        bool begun = skr_run_begin_inner(&holder, &smaller, &inner);
        inner.byte_limit = inner.byte_limit < KEY_BYTES_MAX ? inner.byte_limit : KEY_BYTES_MAX;
        found = begun && find_key(&inner, at, arena, ret);
        skr_run_end_inner(&holder, &inner);
    }
    skr_run_end_inner(run, &holder);
    if (!found) {
        *ret = (struct skr_level_key){0};
    }
    return found;
}

void skr_best_keys_find(struct skr_run *run, struct skr_solution *solution)
{
    const struct skr_problem *problem = run->problem;
    size_t n_levels = (size_t)run->tree->n_levels;
    bool all = true;
    struct skr_level_key *alone = skr_arena_array(solution->arena, n_levels, sizeof *alone);
    struct skr_level_key *empty = skr_arena_array(solution->arena, n_levels, sizeof *empty);
    if (!alone || !empty) {
        return;
    }
    struct skr_problem cleared = *problem;
    cleared.free = problem->capacity;
    cleared.claimed = NULL;
    for (int32_t level = 1; level <= run->tree->n_levels; level++) {
        all = best_key(run, problem, level, solution->arena, &alone[level - 1]) && all;
        if (problem->capacity) {
            all = best_key(run, &cleared, level, solution->arena, &empty[level - 1]) && all;
        }
    }
    solution->best_alone = alone;
    solution->best_empty = problem->capacity ? empty : NULL;
    if (all) {
        solution->explanation.parts |= SKR_EXPLAIN_KEYS;
    }
}
