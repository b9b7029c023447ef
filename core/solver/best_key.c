/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The best key of one level if no other level is compared. It is an optimum whose upper levels are
 * silent (their rules hold, their keys do not count) and whose lower levels are not opened (their
 * rules are in the feasible sets already).
 *
 * A silent level keeps every choice, which takes memory. If it has no rules, and the level below does
 * not count used siblings, it makes no difference and is left out of the tree. In most problems no
 * silent level is left. KEY_BYTES_MAX bounds the rest.
 */
#include "core/solver/explain.h"

#include "core/solver/level_chain.h"
#include "core/solver/open_level.h"
#include "core/solver/optimum.h"
#include "core/solver/placement_key.h"
#include "core/solver/tie_choice.h"

#define KEY_BYTES_MAX ((size_t)256 << 20)

/* The problem with the levels above `level` silent, or left out where they make no difference;
 * *ret_at: the level in its tree. The tree and the rules are in the arena of the run. */
static bool leave_out(struct skr_run *run, int32_t level, struct skr_problem *ret, int32_t *ret_at)
{
    struct skr_level_chain chain;
    struct skr_tree *tree = skr_run_alloc(run, 1, sizeof *tree);
    struct skr_rule *rule = skr_run_alloc(run, SKR_LEVELS_MAX, sizeof *rule);
    if (!tree || !rule || !skr_level_chain_of(ret, run->arena, &chain)) {
        return false;
    }
    int32_t n = 0;
    for (int32_t old = 1; old <= chain.n; old++) {
        const struct skr_law *law = &run->law[old];
        bool counted = old < chain.n && run->law[old + 1].used > 0;
        bool free = law->used == 0 && skr_law_allows_all(law, run->n);
        if (old < level && free && !counted) {
            continue;
        }
        chain.level[++n] = chain.level[old];
        chain.level[n].rule.silent = old < level;
        *ret_at = old <= level ? n : *ret_at;
    }
    chain.n = n;
    ret->tree = tree;
    ret->rule = rule;
    return skr_level_chain_tree(&chain, NULL, tree, rule);
}

/* Key of the level (of the reduced tree); inner is a run over that. */
static bool find_key(struct skr_run *inner, int32_t level, struct skr_arena *arena,
                     struct skr_level_key *ret)
{
    const struct skr_tree *tree = inner->tree;
    struct skr_leaf_bounds leaf;
    struct skr_feasible feasible;
    struct skr_graph graph;
    int32_t *total = skr_run_alloc(inner, (size_t)tree->n_units, sizeof *total);
    int32_t *list = skr_run_alloc(inner, (size_t)tree->n_units, sizeof *list);
    if (!total || !list || !skr_leaf_bounds(inner, inner->problem, &leaf) ||
        !skr_feasible_build(inner, &leaf, &feasible) ||
        !skr_feasible_has(inner, &feasible, inner->sizes) ||
        !skr_graph_begin(&graph, inner, &feasible) || !skr_optimum(&graph, level) ||
        !skr_tie_choose(&graph, total)) {
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
    struct skr_problem smaller = *problem;
    int32_t at = 0;
    bool found = false;
    smaller.tie_break = SKR_TIE_TREE;
    if (skr_run_begin_inner(run, problem, &holder) && leave_out(&holder, level, &smaller, &at)) {
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
