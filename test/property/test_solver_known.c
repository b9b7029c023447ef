/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Known problems: the worked examples of docs/solver.md, and every problem that failed once (FILES:
 * another folder). Each agrees with the oracles, with and without fast paths.
 */
#include <dirent.h>

#include "server/solve/file.h"
#include "test/golden.h"
#include "test/property/trial.h"
#include "test/test.h"

enum { FILES_PATH_MAX = 512 };

/* The problem of a file, of equal members, as an instance. False when it is too large. */
static bool take(const struct skr_solve_file *file, struct instance *ret)
{
    const struct skr_tree *tree = file->tree;
    const struct skr_problem *problem = &file->problem;
    if (problem->roles || tree->n_levels > INSTANCE_LEVELS_MAX ||
        tree->n_leaves > INSTANCE_LEAVES_MAX || tree->n_units > INSTANCE_UNITS_MAX ||
        problem->n_resources > INSTANCE_RESOURCES) {
        return false;
    }
    memset(ret, 0, sizeof *ret);
    memcpy(ret->child_count, tree->child_count, (size_t)tree->n_units * sizeof(int32_t));
    instance_grow(ret, tree->n_levels);
    memcpy(ret->rule, problem->rule, (size_t)tree->n_levels * sizeof ret->rule[0]);
    memcpy(ret->demand[0], problem->demand, problem->n_resources * sizeof(int64_t));
    for (int32_t leaf = 0; leaf < tree->n_leaves; leaf++) {
        ret->eligible[0][leaf] = problem->eligible[leaf];
        ret->claimed[0][leaf] = problem->claimed[leaf];
        for (size_t r = 0; r < problem->n_resources; r++) {
            size_t at = (size_t)leaf * problem->n_resources + r;
            size_t to = (size_t)leaf * INSTANCE_RESOURCES + r;
            ret->free[to] = problem->free[at];
            ret->capacity[to] = !problem->capacity ? 0 : problem->capacity[at];
        }
    }
    ret->problem = *problem;
    instance_link(ret);
    return true;
}

static void check_file(const char *path)
{
    struct skr_error error;
    struct skr_solve_file *file = NULL;
    struct instance in;
    SKR_AUTO_FREE char *text = golden_read(path);
    if (skr_solve_file_parse(text, &file, &error) != 0) {
        fail_msg("%s:%s", path, error.text);
    }
    if (!take(file, &in) || trial_is_wrong(&in)) {
        instance_print(&in);
        fail_msg("%s: wrong, or too large for the oracles", path);
    }
    skr_solve_file_destroy(file);
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

TEST(known_problems_agree_with_the_oracles)
{
    const char *folder = !getenv("FILES") ? "test/solve/known" : getenv("FILES");
    struct dirent **entry = NULL;
    int played = 0;
    int n = scandir(folder, &entry, NULL, by_name);
    assert_true(n > 0);
    for (int i = 0; i < n; i++) {
        char path[FILES_PATH_MAX];
        size_t len = strlen(entry[i]->d_name);
        if (len > 5 && strcmp(entry[i]->d_name + len - 5, ".json") == 0) {
            snprintf(path, sizeof path, "%s/%.200s", folder, entry[i]->d_name);
            check_file(path);
            played++;
        }
        free(entry[i]);
    }
    free(entry);
    assert_true(played > 0);
}

static bool has_two_full_leaves(const struct instance *in)
{
    int32_t full = 0;
    for (int32_t leaf = 0; leaf < in->tree.n_leaves; leaf++) {
        full += instance_fit(in, leaf) >= 3;
    }
    return full >= 2 && in->rule[in->tree.n_levels - 1].max > 1;
}

/* Shrinking keeps the failure and removes the rest. */
TEST(shrinking_leaves_what_matters)
{
    uint64_t shrunk = 0;
    for (uint64_t i = 0; i < 50; i++) {
        struct instance in;
        instance_make(&in, 77, i, &trial_small);
        if (!has_two_full_leaves(&in)) {
            continue;
        }
        instance_shrink(&in, has_two_full_leaves);
        assert_int_equal(in.tree.n_leaves, 2);
        assert_int_equal(in.rule[in.tree.n_levels - 1].max, 2);
        assert_int_equal(in.problem.n, 3);
        assert_int_equal(instance_fit(&in, 0), 3);
        struct skr_solution *got = trial_solve(&in);
        trial_check_answer(&in, got);
        skr_solution_destroy(got);
        shrunk++;
    }
    assert_true(shrunk > 3);
}
