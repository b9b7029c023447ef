/* SPDX-License-Identifier: Apache-2.0 */
#include "test/bench/warm.h"

#include "core/solver/answer.h"
#include "core/solver/span.h"

bool warm_open(struct warm *w, const struct skr_problem *problem)
{
    *w = (struct warm){0};
    if (!skr_run_init(&w->run, problem) || !skr_spans_init(&w->run, 0)) {
        return false;
    }
    size_t n_leaves = (size_t)problem->tree->n_leaves;
    w->least = skr_run_alloc(&w->run, n_leaves, sizeof *w->least);
    w->most = skr_run_alloc(&w->run, n_leaves, sizeof *w->most);
    if (!w->least || !w->most) {
        return false;
    }
    skr_leaf_bounds_all(problem, w->least, w->most, NULL);
    const struct skr_leaf_bounds bounds = {.least = w->least, .most = w->most};
    return skr_feasible_build_kept(&w->run, &bounds, &w->sets);
}

bool warm_change(struct warm *w, int32_t leaf)
{
    skr_leaf_bounds_of(w->run.problem, leaf, &w->least[leaf], &w->most[leaf], NULL);
    return skr_feasible_change(&w->run, &w->sets, leaf);
}

bool warm_feasible(const struct warm *w)
{
    return skr_feasible_has(&w->run, &w->sets, w->run.n);
}

int warm_solve(const struct warm *w, struct skr_solution **ret)
{
    return skr_answer(w->run.problem, &w->run, &w->sets, ret, NULL);
}

void warm_close(struct warm *w)
{
    skr_run_fini(&w->run);
}
