/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Solve files: whatever the bytes are, they are refused with a position, or are a problem that the
 * solver answers, with counts that pass the checker and an explanation that contradicts nothing.
 */
#include "core/solver/roles.h"
#include "server/solve/file.h"
#include "test/fuzz/fuzz.h"

enum { MEMBERS_SOLVED = 200, LEAVES_SOLVED = 64 };

static void check_explanation(const struct skr_problem *problem, const struct skr_solution *s)
{
    const struct skr_explanation *x = &s->explanation;
    fuzz_check((s->status == SKR_SOLVE_INFEASIBLE) == (x->class != SKR_CLASS_NONE));
    fuzz_check(x->largest <= problem->n);
    fuzz_check(s->status == SKR_SOLVE_PLACED || x->largest < problem->n);
    fuzz_check(x->n_bottlenecks <= SKR_BOTTLENECKS_MAX && x->n_sizes <= SKR_SIZE_RANGES_MAX);
    for (size_t i = 0; i < x->n_sizes; i++) {
        fuzz_check(x->size[i].first >= 1 && x->size[i].first <= x->size[i].last);
        bool has_n = x->size[i].first <= problem->n && problem->n <= x->size[i].last;
        fuzz_check(!has_n || s->status == SKR_SOLVE_PLACED);
    }
}

static void check_roles(const struct skr_problem *problem, const struct skr_solution *s)
{
    const struct skr_roles_outcome *roles = s->roles;
    if (s->status == SKR_SOLVE_PLACED) {
        fuzz_check(skr_roles_check(problem, roles->size, roles->count, NULL) == 0);
        for (size_t r = 0; r < problem->roles->n_roles; r++) {
            fuzz_check(roles->size[r] >= problem->roles->role[r].minimum &&
                       roles->size[r] <= problem->roles->role[r].n);
        }
    } else if (s->status == SKR_SOLVE_INFEASIBLE && problem->explain) {
        fuzz_check(s->explanation.class != SKR_CLASS_NONE);
    }
}

static void solve(struct skr_problem *problem)
{
    struct skr_solution *solution = NULL;
    struct skr_error error;
    problem->byte_limit = (size_t)64 << 20;
    int rc = skr_solve(problem, &solution, &error);
    if (rc != 0) {
        fuzz_check_rc(rc, &error);
        return;
    }
    if (problem->roles) {
        check_roles(problem, solution);
        skr_solution_destroy(solution);
        return;
    }
    if (solution->status == SKR_SOLVE_PLACED) {
        fuzz_check(skr_solution_check(problem, solution->count, NULL) == 0);
    }
    if (problem->explain && problem->step_budget != 0) {
        check_explanation(problem, solution);
    }
    fuzz_check((solution->status == SKR_SOLVE_TIMEOUT) == (problem->step_budget == 0));
    skr_solution_destroy(solution);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    SKR_AUTO_FREE char *text = fuzz_text(data, size);
    struct skr_solve_file *file = NULL;
    struct skr_error error;
    int rc = skr_solve_file_parse(text, &file, &error);
    if (rc != 0) {
        fuzz_check_rc(rc, &error);
        fuzz_check(fuzz_has_position(error.text) && !file);
    } else {
        for (size_t i = 0; i < file->n_warnings; i++) {
            fuzz_check(fuzz_has_position(file->warning[i]));
            fuzz_check(fuzz_is_utf8(file->warning[i], strlen(file->warning[i])));
        }
        if (file->problem.n <= MEMBERS_SOLVED && file->tree->n_leaves <= LEAVES_SOLVED) {
            solve(&file->problem);
        }
        skr_solve_file_destroy(file);
    }
    return 0;
}
