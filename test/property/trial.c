/* SPDX-License-Identifier: Apache-2.0 */
#include "test/property/attempt.h"

#include "test/test.h"
struct attempt attempt = {.seed = 1, .n = 10000};

const struct instance_limits attempt_tiny = {.leaves = 9, .slots = 6, .n = 9};
const struct instance_limits attempt_small = {.leaves = 16, .slots = 8, .n = 24};
const struct instance_limits attempt_medium = {.leaves = 24, .slots = 20, .n = 63};
const struct instance_limits attempt_large = {.leaves = 32, .slots = 60, .n = 700};

static uint64_t env_number(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);
    return !text ? otherwise : strtoull(text, NULL, 10);
}

static void keep(const struct instance *in, uint64_t index)
{
    const char *folder = getenv("KEEP");
    char path[512];
    snprintf(path, sizeof path, "%s/failed-%" PRIu64 "-%" PRIu64 ".json", !folder ? "/tmp" : folder,
             attempt.seed, index);
    FILE *file = fopen(path, "w");
    if (file) {
        instance_write(in, file);
        fclose(file);
        printf("  kept as %s\n", path);
    }
}

void attempt_fail(const struct instance *in, uint64_t index, const char *what)
{
    printf("  SEED=%" PRIu64 " FIRST=%" PRIu64 " N=1: %s\n", attempt.seed, index, what);
    instance_print(in);
    struct instance smaller;
    instance_copy(&smaller, in);
    /* The plain DP, which judges what is made smaller, knows no bounds. */
    if (!in->problem.bounds && attempt_is_wrong(&smaller)) {
        int32_t changes = instance_shrink(&smaller, attempt_is_wrong);
        printf("  smaller by %" PRId32 " changes:\n", changes);
        instance_print(&smaller);
    }
    keep(&smaller, index);
    fail_msg("%s", what);
}

static bool differs(const struct instance *in, bool plain, const struct oracle_answer *want)
{
    struct skr_problem problem = in->problem;
    struct skr_solution *got = NULL;
    problem.no_fast_paths = plain;
    problem.step_budget = -1;
    if (skr_solve(&problem, &got, NULL) != 0) {
        return true;
    }
    bool placed = got->status == SKR_SOLVE_PLACED;
    bool differ = placed != want->feasible;
    if (placed && !differ) {
        differ =
            memcmp(got->count, want->count, (size_t)in->tree.n_leaves * sizeof *got->count) != 0 ||
            skr_solution_check(&in->problem, got->count, NULL) != 0;
    }
    skr_solution_destroy(got);
    return differ;
}

static bool oracle_can(const struct instance *in)
{
    for (int32_t unit = 0; unit < in->tree.first_leaf; unit++) {
        if (in->child_count[unit] > PLAIN_FANOUT_MAX) {
            return false;
        }
    }
    return in->problem.n <= attempt_medium.n && in->tree.n_leaves <= attempt_medium.leaves;
}

bool attempt_is_wrong(const struct instance *in)
{
    struct oracle_answer want = {0};
    if (oracle_can(in)) {
        plain_dp_solve(in, &want, NULL);
        return differs(in, false, &want) || differs(in, true, &want);
    }
    struct skr_solution *got = NULL;
    if (skr_solve(&in->problem, &got, NULL) != 0) {
        return true;
    }
    want.feasible = got->status == SKR_SOLVE_PLACED;
    if (want.feasible) {
        memcpy(want.count, got->count, (size_t)in->tree.n_leaves * sizeof *got->count);
    }
    skr_solution_destroy(got);
    return differs(in, true, &want);
}

struct skr_solution *attempt_solve(const struct instance *in, uint64_t index)
{
    struct skr_solution *solution = NULL;
    struct skr_error error = {0};
    if (skr_solve(&in->problem, &solution, &error) != 0) {
        attempt_fail(in, index, error.text);
    }
    return solution;
}

bool attempt_keys_equal(const struct skr_tree *tree, const struct skr_level_key *a,
                        const struct skr_level_key *b)
{
    for (int32_t level = 0; level < tree->n_levels; level++) {
        if (a[level].used != b[level].used || a[level].n_runs != b[level].n_runs) {
            return false;
        }
        for (size_t i = 0; i < a[level].n_runs; i++) {
            if (a[level].run[i].count != b[level].run[i].count ||
                a[level].run[i].mult != b[level].run[i].mult) {
                return false;
            }
        }
    }
    return true;
}

void attempt_print_counts(const char *who, const int32_t *count, int32_t n)
{
    printf("  %s:", who);
    for (int32_t i = 0; i < n; i++) {
        printf(" %" PRId32, count[i]);
    }
    printf("\n");
}

void attempt_check_answer(const struct instance *in, uint64_t index, const struct skr_solution *got)
{
    if (got->status == SKR_SOLVE_TIMEOUT) {
        attempt_fail(in, index, "timeout without a budget");
    }
    if (got->status != SKR_SOLVE_PLACED) {
        return;
    }
    struct skr_error error = {0};
    if (skr_solution_check(&in->problem, got->count, &error) != 0) {
        attempt_fail(in, index, error.text);
    }
    struct skr_level_key *key = skr_placement_key(&in->tree, got->count, got->arena);
    if (!key || !attempt_keys_equal(&in->tree, key, got->key) || !got->optimal) {
        attempt_fail(in, index, "key is not that of the counts");
    }
}

void attempt_check_against(const struct instance *in, uint64_t index,
                           const struct skr_solution *got, const struct oracle_answer *want)
{
    attempt_check_answer(in, index, got);
    if ((got->status == SKR_SOLVE_PLACED) != want->feasible) {
        attempt_fail(in, index,
                     want->feasible ? "refused a feasible problem" : "placed the impossible");
    }
    size_t size = (size_t)in->tree.n_leaves * sizeof(int32_t);
    if (want->feasible && memcmp(got->count, want->count, size) != 0) {
        attempt_print_counts("solver", got->count, in->tree.n_leaves);
        attempt_print_counts("oracle", want->count, in->tree.n_leaves);
        attempt_fail(in, index, "not the optimum of the oracle");
    }
}

void attempt_begin(const char *name)
{
    attempt.seed = env_number("SEED", attempt.seed);
    attempt.first = env_number("FIRST", 0);
    attempt.n = env_number("N", attempt.n);
    printf("%s: SEED=%" PRIu64 " FIRST=%" PRIu64 " N=%" PRIu64 "\n", name, attempt.seed,
           attempt.first, attempt.n);
}
