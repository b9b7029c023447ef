/* SPDX-License-Identifier: Apache-2.0 */
#include "test/unit/solver_rig.h"

#include "core/solver/roles.h"
#include "test/test.h"
static void add_unit(struct skr_tree_builder *builder, int32_t depth, int32_t *n)
{
    char name[16];
    snprintf(name, sizeof name, "u%" PRId32, (*n)++);
    assert_int_equal(skr_tree_builder_add(builder, depth, name, NULL), 0);
}

/* One leaf at text; returns what follows. */
static const char *read_leaf(struct solver_rig *f, int32_t leaf, const char *text)
{
    char *end = NULL;
    long fit = strtol(text, &end, 10);
    assert_ptr_not_equal(text, end);
    f->eligible[leaf] = 1;
    if (*end == '/') {
        f->problem.n_resources = 2;
        f->free[2 * leaf + 1] = strtol(end + 1, &end, 10);
    }
    if (*end == '[') {
        f->claimed[leaf] = (int32_t)strtol(end + 1, &end, 10);
        end++;
    }
    if (*end == '!') {
        f->eligible[leaf] = 0;
        end++;
    }
    f->free[leaf * (int32_t)f->problem.n_resources] = fit - f->claimed[leaf];
    return end;
}

void solver_rig_init(struct solver_rig *f, const char *text, int32_t n)
{
    static const char *const level_names[] = {"zone", "rack", "node", "socket"};
    memset(f, 0, sizeof *f);
    f->problem.n_resources = 1;
    struct skr_tree_builder *builder = skr_tree_builder_create("test");
    assert_non_null(builder);
    int32_t depth = 1;
    int32_t deepest = 1;
    int32_t units = 0;
    int32_t leaves = 0;
    while (*text != '\0') {
        if (*text == '(') {
            add_unit(builder, depth++, &units);
            deepest = depth > deepest ? depth : deepest;
        } else if (*text == ')') {
            depth--;
        } else if (*text != ' ' && *text != ',') {
            add_unit(builder, depth, &units);
            text = read_leaf(f, leaves++, text);
            continue;
        }
        text++;
    }
    assert_int_equal(skr_tree_builder_finish(builder, level_names, (size_t)deepest, NULL, 0,
                                             &f->tree, NULL, NULL),
                     0);
    skr_tree_builder_destroy(builder);
    f->demand[0] = 1;
    f->problem = (struct skr_problem){.tree = f->tree,
                                      .n = n,
                                      .rule = f->rule,
                                      .n_resources = f->problem.n_resources,
                                      .demand = f->demand,
                                      .free = f->free,
                                      .eligible = f->eligible,
                                      .claimed = f->claimed,
                                      .explain = true,
                                      .step_budget = -1};
}

struct skr_solution *solver_rig_solve(const struct solver_rig *f)
{
    struct skr_solution *solution = NULL;
    struct skr_error error = {0};
    if (skr_solve(&f->problem, &solution, &error) != 0) {
        fail_msg("%s", error.text);
    }
    const struct skr_roles_outcome *roles = solution->roles;
    if (solution->status == SKR_SOLVE_PLACED &&
        (f->problem.roles ? skr_roles_check(&f->problem, roles->size, roles->count, &error)
                          : skr_solution_check(&f->problem, solution->count, &error)) != 0) {
        fail_msg("%s", error.text);
    }
    return solution;
}

void solver_rig_fini(struct solver_rig *f, struct skr_solution *solution)
{
    skr_solution_destroy(solution);
    skr_tree_unref(f->tree);
}

void solver_rig_set_capacity(struct solver_rig *f, const char *text)
{
    for (int32_t leaf = 0; leaf < f->tree->n_leaves; leaf++) {
        char *end = NULL;
        f->capacity[leaf] = strtol(text, &end, 10);
        assert_ptr_not_equal(text, end);
        text = end + (*end != '\0');
    }
    f->problem.capacity = f->capacity;
}
