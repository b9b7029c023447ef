/* SPDX-License-Identifier: Apache-2.0 */
#include "core/gang/group/rule_check.h"

#include "core/gang/cache/rules.h"

#include "core/solver/solution.h"

#include <stdlib.h>

static void add_scope(struct skr_rule_check *check, const struct group *g, int role)
{
    const struct skr_tree *tree = check->tree;
    struct skr_rule_scope *scope = &check->scope[check->n_scopes++];
    *scope = (struct skr_rule_scope){
        .role = role,
        .count = skr_alloc_array((size_t)tree->n_leaves + 1, sizeof *scope->count),
        .rule = skr_alloc_array((size_t)tree->n_levels + 1, sizeof *scope->rule)};
    skr_rules_of(g, role < 0 ? NULL : g->roles.item[role].name, tree, scope->rule, NULL);
    scope->problem = (struct skr_problem){.tree = tree,
                                          .rule = scope->rule,
                                          .n_resources = 1,
                                          .demand = &check->demand,
                                          .free = check->room,
                                          .step_budget = -1};
}

void skr_rule_check_init(struct skr_rule_check *check, const struct skr_tree *tree,
                         const struct group *g)
{
    *check = (struct skr_rule_check){
        .tree = tree,
        .demand = 1,
        .room = skr_alloc_array((size_t)tree->n_leaves + 1, sizeof *check->room)};
    for (int32_t i = 0; i < tree->n_leaves; i++) {
        check->room[i] = INT32_MAX;
    }
    add_scope(check, g, -1);
    for (size_t r = 0; r < g->roles.n; r++) {
        if (skr_group_role_rules(g->spec, g->roles.item[r].name)) {
            add_scope(check, g, (int)r);
        }
    }
}

void skr_rule_check_add(struct skr_rule_check *check, uint8_t role, const char *node, int32_t n)
{
    const int32_t leaf = skr_tree_find_leaf(check->tree, node);
    for (size_t i = 0; leaf >= 0 && i < check->n_scopes; i++) {
        struct skr_rule_scope *scope = &check->scope[i];
        if (scope->role < 0 || scope->role == role) {
            scope->count[leaf] += n;
            scope->problem.n += n;
        }
    }
}

bool skr_rule_check_keeps(const struct skr_rule_check *check, struct skr_error *error)
{
    bool keeps = true;
    for (size_t i = 0; keeps && i < check->n_scopes; i++) {
        const struct skr_rule_scope *scope = &check->scope[i];
        keeps =
            scope->problem.n == 0 || skr_solution_check(&scope->problem, scope->count, error) == 0;
    }
    return keeps;
}

void skr_rule_check_fini(struct skr_rule_check *check)
{
    for (size_t i = 0; i < check->n_scopes; i++) {
        free(check->scope[i].count);
        free(check->scope[i].rule);
    }
    free(check->room);
}
