/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The answer to a problem of equal members: the two halves of the method, and the explanation.
 *
 *   1. feasible_sets.c   for every unit, the totals it can hold; n in S(root)? else infeasible
 *   2. optimum.c         the graph of all optimal placements, level by level from the top
 *      tie_choice.c      one of them
 *   explain.c            why not, and the other parts that the problem asks for
 *
 * docs/solver.md explains the method with an example. A placement takes no steps, only relaxations
 * do: a step budget of 0 ends the run at once, any other lets it place. Memory of a run is bounded
 * (skr_problem.byte_limit). Time is not; set cancel from another thread.
 */
#include "core/solver/answer.h"

#include <inttypes.h>
#include <string.h>

#include "core/solver/explain.h"
#include "core/solver/open_level.h"
#include "core/solver/optimum.h"
#include "core/solver/roles.h"
#include "core/solver/tie_choice.h"
#include "topology/base/arena.h"

/* Puts counts and key into the solution. False without memory. */
static bool fill_placed(struct skr_solution *solution, const struct skr_tree *tree,
                        const int32_t *count)
{
    size_t n_leaves = (size_t)tree->n_leaves;
    solution->count = skr_arena_array(solution->arena, n_leaves, sizeof *solution->count);
    if (!solution->count) {
        return false;
    }
    if (n_leaves > 0 && count) {
        memcpy(solution->count, count, n_leaves * sizeof *count);
    }
    solution->key = skr_placement_key(tree, solution->count, solution->arena);
    if (!solution->key) {
        return false;
    }
    solution->status = SKR_SOLVE_PLACED;
    solution->optimal = true;
    return true;
}

/* Cheap proof of infeasibility; the explanation does without it, unless there are no leaves. */
static bool too_little_room(const struct skr_run *run, const struct skr_leaf_bounds *leaf)
{
    int64_t sum = 0;
    for (int32_t i = 0; i < run->tree->n_leaves; i++) {
        sum += leaf->most[i];
    }
    return sum < run->n && (run->tree->n_leaves == 0 || (!run->plain && !run->problem->explain));
}

/* The feasible sets of the run: those kept, or new ones. False when the run had to stop. *ret_done:
 * the problem is infeasible, and the sets are not needed. */
static bool find_sets(struct skr_run *run, const struct skr_run *base,
                      const struct skr_feasible *kept, struct skr_feasible *ret, bool *ret_done)
{
    struct skr_leaf_bounds leaf;
    *ret_done = false;
    if (kept) {
        *ret = *kept;
        return skr_spans_init(run, base, true);
    }
    if (!skr_leaf_bounds(run, run->problem, &leaf)) {
        return false;
    }
    *ret_done = too_little_room(run, &leaf);
    return *ret_done || skr_feasible_build(run, &leaf, ret);
}

/* The time since *began belongs to the phase. */
static void end_phase(struct skr_run *run, enum skr_solve_phase phase, int64_t *began)
{
    if (run->problem->clock_us) {
        int64_t now = run->problem->clock_us();
        run->stats.time_us[phase] += now - *began;
        *began = now;
    }
}

static bool place(struct skr_run *run, const struct skr_feasible *feasible, int64_t *began,
                  struct skr_solution *solution)
{
    struct skr_graph graph;
    int32_t *total = skr_run_alloc(run, (size_t)run->tree->n_units, sizeof *total);
    if (!total || !skr_graph_begin(&graph, run, feasible) ||
        !skr_optimum(&graph, run->tree->n_levels)) {
        return false;
    }
    end_phase(run, SKR_PHASE_OPTIMUM, began);
    if (!skr_tie_choose(&graph, total)) {
        return false;
    }
    if (!fill_placed(solution, run->tree, total + run->tree->first_leaf)) {
        run->stop = SKR_RUN_NO_MEMORY;
        return false;
    }
    end_phase(run, SKR_PHASE_CHOICE, began);
    if (run->problem->explain) {
        skr_explain_placed(run, feasible, solution);
        end_phase(run, SKR_PHASE_EXPLANATION, began);
    }
    return true;
}

/* Both halves of the method. True: the solution is filled. */
static bool run_solver(struct skr_run *run, const struct skr_run *base,
                       const struct skr_feasible *kept, struct skr_solution *solution)
{
    struct skr_feasible feasible;
    bool done = false;
    int64_t began = run->problem->clock_us ? run->problem->clock_us() : 0;
    if (!find_sets(run, base, kept, &feasible, &done)) {
        return false;
    }
    end_phase(run, SKR_PHASE_SETS, &began);
    if (done) {
        solution->status = SKR_SOLVE_INFEASIBLE;
        if (run->problem->explain) {
            solution->explanation.class = SKR_CLASS_WAITING_FOR_CAPACITY;
        }
        return true;
    }
    if (skr_feasible_has(run, &feasible, run->sizes)) {
        return place(run, &feasible, &began, solution);
    }
    solution->status = SKR_SOLVE_INFEASIBLE;
    if (!run->problem->explain) {
        return true;
    }
    bool explained = skr_explain_infeasible(run, &feasible, &solution->explanation);
    end_phase(run, SKR_PHASE_EXPLANATION, &began);
    return explained;
}

int skr_answer_error(const struct skr_run *run, struct skr_error *error)
{
    if (run->stop == SKR_RUN_BYTE_LIMIT) {
        return skr_error_set(error, SKR_LIMIT,
                             "solver: %" PRId32 " members on %" PRId32
                             " nodes need more than %zu bytes",
                             run->n, run->tree->n_leaves, run->byte_limit);
    }
    return skr_error_set(error, SKR_NO_MEMORY, "solver: out of memory");
}

static int solve_into(const struct skr_problem *problem, const struct skr_run *base,
                      const struct skr_feasible *feasible, struct skr_solution *solution,
                      struct skr_error *error)
{
    if (problem->step_budget == 0) {
        solution->status = SKR_SOLVE_TIMEOUT;
        return 0;
    }
    if (problem->n == 0) {
        if (!fill_placed(solution, problem->tree, NULL)) {
            return skr_error_set(error, SKR_NO_MEMORY, "solver: out of memory");
        }
        return 0;
    }
    struct skr_run run;
    bool done = skr_run_init(&run, problem) && skr_run_poll(&run) &&
                run_solver(&run, base, feasible, solution);
    skr_spans_end_use(&run);
    skr_run_fini(&run);
    solution->stats = run.stats;
    if (done) {
        return 0;
    }
    if (run.stop == SKR_RUN_CANCELLED) {
        solution->status = SKR_SOLVE_TIMEOUT;
        return 0;
    }
    return skr_answer_error(&run, error);
}

int skr_answer(const struct skr_problem *problem, const struct skr_run *base,
               const struct skr_feasible *feasible, struct skr_solution **ret,
               struct skr_error *error)
{
    struct skr_solution *solution = skr_solution_create(problem->tree, 1);
    if (!solution) {
        return skr_error_set(error, SKR_NO_MEMORY, "solver: out of memory");
    }
    int rc = solve_into(problem, base, feasible, solution, error);
    if (rc != 0) {
        skr_solution_destroy(solution);
        return rc;
    }
    skr_debug_check(solution->status != SKR_SOLVE_PLACED ||
                    skr_roles_check(problem, NULL, solution->count, NULL) == 0);
    *ret = solution;
    return 0;
}
