/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Both halves of the method, and the sizes of roles with a minimum.
 *
 * S(root) has every vector of members up to the sizes. If the full sizes are not in it, it shows the
 * lexicographically greatest vector in role order that is, and the problem of these sizes is solved.
 * If a limit is met after the first half, the answer is some placement that the sets show.
 */
#include "core/solver/role_exact.h"

#include <string.h>

#include "core/solver/open_level.h"
#include "core/solver/optimum.h"
#include "core/solver/role_twins.h"
#include "core/solver/tie_choice.h"

static void stop(const struct skr_role_run *rr, struct skr_role_exact *ret)
{
    if (rr->run.stop == SKR_RUN_CANCELLED) {
        ret->verdict = SKR_ROLE_CANCELLED;
    } else if (rr->run.stop == SKR_RUN_NO_MEMORY) {
        ret->verdict = SKR_ROLE_NO_MEMORY;
    } else {
        ret->verdict = SKR_ROLE_BEYOND;
    }
}

static bool is_greater(const struct skr_role_run *rr, const int32_t *a, const int32_t *b)
{
    for (int32_t r = 0; r < rr->run.n_roles; r++) {
        if (a[r] != b[r]) {
            return a[r] > b[r];
        }
    }
    return false;
}

/* The greatest vector of S(root) with at least the minimum of every role. */
static bool greatest_sizes(struct skr_role_run *rr, const struct skr_feasible *sets, bool *found,
                           int32_t *ret)
{
    struct skr_rows rows;
    if (!skr_role_sets_root(rr, sets, &rows)) {
        return false;
    }
    for (int32_t i = 0; i < rows.n; i++) {
        const struct skr_row *row = &rows.row[i];
        for (int32_t main = skr_row_next(row, 0); main <= row->hi;
             main = skr_row_next(row, main + 1)) {
            int32_t members[SKR_ROLES_MAX];
            bool enough = true;
            skr_axes_members(&rr->axes[1], rr->run.n_roles, row->key, main, members);
            for (int32_t r = 0; r < rr->run.n_roles; r++) {
                enough = enough && members[r] >= rr->roles->role[r].minimum;
            }
            if (enough && (!*found || is_greater(rr, members, ret))) {
                memcpy(ret, members, (size_t)rr->run.n_roles * sizeof *ret);
                *found = true;
            }
        }
    }
    return true;
}

static void put_counts(const struct skr_role_run *rr, const int32_t *members, int32_t *count)
{
    const struct skr_tree *tree = rr->run.tree;
    for (int32_t r = 0; r < rr->run.n_roles; r++) {
        for (int32_t leaf = 0; leaf < tree->n_leaves; leaf++) {
            size_t unit = (size_t)(tree->first_leaf + leaf);
            count[(size_t)r * (size_t)tree->n_leaves + (size_t)leaf] =
                members[unit * (size_t)rr->run.n_roles + (size_t)r];
        }
    }
}

/* The sizes of rr are in S(root). False: nothing was placed. */
static bool place(struct skr_role_run *rr, const struct skr_feasible *sets,
                  struct skr_role_exact *ret)
{
    const struct skr_tree *tree = rr->run.tree;
    struct skr_graph graph;
    int32_t *members =
        skr_run_alloc(&rr->run, (size_t)tree->n_units * (size_t)rr->run.n_roles, sizeof *members);
    if (!members) {
        return false;
    }
    ret->optimal = skr_graph_begin(&graph, &rr->run, sets) &&
                   skr_optimum(&graph, rr->run.tree->n_levels) && skr_tie_choose(&graph, members);
    ret->ports += graph.n_ports;
    if (!ret->optimal && (rr->run.stop == SKR_RUN_CANCELLED || rr->run.stop == SKR_RUN_NO_MEMORY)) {
        return false;
    }
    if (!ret->optimal) {
        rr->run.stop = SKR_RUN_GOES_ON;
        if (!skr_role_any(rr, sets, rr->n, members)) {
            return false;
        }
    }
    put_counts(rr, members, ret->count);
    return true;
}

/* One run for the sizes (NULL: those of the problem). *ret_smaller: they are too large, and
 * ret->size has those that are to be placed. */
static void run_sizes(const struct skr_problem *problem, const int32_t *sizes,
                      struct skr_role_exact *ret, bool *ret_smaller)
{
    struct skr_role_run rr;
    struct skr_feasible sets;
    bool done = skr_role_run_init(&rr, problem, sizes, ret->block > 1 ? ret->block : 1);
    rr.run.steps_left = ret->steps;
    done = done && skr_run_poll(&rr.run) && skr_role_sets_build(&rr, &sets);
    if (!done) {
        stop(&rr, ret);
    } else if (skr_feasible_has(&rr.run, &sets, rr.n)) {
        memcpy(ret->size, rr.n, (size_t)rr.run.n_roles * sizeof *ret->size);
        ret->verdict = SKR_ROLE_PLACED;
        if (ret->count && !place(&rr, &sets, ret)) {
            stop(&rr, ret);
        }
    } else {
        bool found = false;
        ret->verdict = SKR_ROLE_INFEASIBLE;
        if (!greatest_sizes(&rr, &sets, &found, ret->size)) {
            stop(&rr, ret);
        }
        *ret_smaller = found && ret->verdict == SKR_ROLE_INFEASIBLE;
    }
    ret->steps = rr.run.steps_left > 0 ? rr.run.steps_left : 0;
    ret->rows += rr.rows;
    skr_role_run_fini(&rr);
    ret->stats.units_visited += rr.run.stats.units_visited;
    ret->stats.merges += rr.run.stats.merges;
    ret->stats.states_kept += rr.run.stats.states_kept;
    if (rr.run.stats.peak_bytes > ret->stats.peak_bytes) {
        ret->stats.peak_bytes = rr.run.stats.peak_bytes;
    }
}

static void run(const struct skr_problem *problem, struct skr_role_exact *ret)
{
    bool smaller = false;
    run_sizes(problem, NULL, ret, &smaller);
    if (smaller) {
        int32_t sizes[SKR_ROLES_MAX];
        memcpy(sizes, ret->size, sizeof sizes);
        run_sizes(problem, sizes, ret, &smaller);
    }
}

void skr_role_exact_run(const struct skr_problem *problem, struct skr_role_exact *ret)
{
    struct skr_role_twins twins;
    if (problem->no_fast_paths || !skr_role_twins_merge(problem, &twins)) {
        run(problem, ret);
        return;
    }
    run(&twins.merged.problem, ret);
    if (ret->verdict == SKR_ROLE_PLACED) {
        skr_role_twins_split(&twins, problem, ret->size, ret->count);
    }
}
