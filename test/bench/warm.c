/* SPDX-License-Identifier: Apache-2.0 */
#include "test/bench/warm.h"

#include "core/solver/answer.h"
#include "core/solver/span.h"

bool warm_open(struct warm *w, const struct skr_problem *problem)
{
    *w = (struct warm){0};
    struct skr_leaf_bounds leaf;
    return skr_run_init(&w->run, problem) && skr_leaf_bounds(&w->run, problem, &leaf) &&
           skr_feasible_build_kept(&w->run, &leaf, &w->sets);
}

bool warm_change(struct warm *w, int32_t leaf)
{
    struct skr_leaf now = skr_leaf_of(w->run.problem, leaf);
    return skr_feasible_change(&w->run, &w->sets, leaf, &now);
}

bool warm_feasible(const struct warm *w)
{
    return skr_feasible_has(&w->run, &w->sets, w->run.sizes);
}

int warm_solve(const struct warm *w, struct skr_solution **ret)
{
    return skr_answer(w->run.problem, &w->run, &w->sets, ret, NULL);
}

void warm_close(struct warm *w)
{
    skr_run_fini(&w->run);
}
