/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_SOLVER_DOMAIN_TREE_H
#define SKR_CORE_SOLVER_DOMAIN_TREE_H
/*
 * The tree of a problem with the domains of rules put in as silent levels, wherever they nest. Its
 * leaves are those of the problem in another order. Internal to the solver.
 */
#include "core/solver/level_chain.h"
#include "core/solver/roles.h"

struct skr_domain_tree {
    struct skr_tree tree;
    struct skr_rule rule[SKR_LEVELS_MAX];
    int32_t *leaf; /* [n_leaves] the problem's leaf at each place */
    /* [rule] the level whose units are its domains; 0: they cross the levels. */
    int32_t level_of[SKR_DOMAIN_RULES_MAX];
    int32_t *domain_of[SKR_DOMAIN_RULES_MAX]; /* [units of that level] -1: none */
    /* [rule] ONE that the rules of levels do not express: its domain is chosen. */
    bool chosen[SKR_DOMAIN_RULES_MAX];
    int32_t level[SKR_LEVELS_MAX + 1]; /* [level of the problem] the same level here */
    /* The own rules of roles on the levels of this tree. */
    struct skr_rule own[SKR_ROLES_MAX][SKR_LEVELS_MAX];
    uint8_t has_own[SKR_ROLES_MAX][SKR_LEVELS_MAX];
};

/* Of a problem with roles. All memory is the arena's. False without memory. Cost: O(leaves x (levels + rules)). */
bool skr_domain_tree_make(const struct skr_problem *problem, const struct skr_domain_rule *rule,
                          size_t n_rules, struct skr_arena *arena, struct skr_domain_tree *ret);

#endif
