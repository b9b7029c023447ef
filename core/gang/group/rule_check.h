/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_GROUP_RULE_CHECK_H
#define SKR_CORE_GANG_GROUP_RULE_CHECK_H
/*
 * Whether members on given leaves keep the rules of their group, and those of their roles. Room is
 * not looked at. Usage: init, add the members, ask, fini.
 */
#include "core/gang/state/groups.h"
#include "core/solver/problem.h"

struct skr_rule_scope {
    int role; /* whose members count; -1: all */
    struct skr_problem problem;
    int32_t *count; /* [leaf] */
    struct skr_rule *rule;
};

struct skr_rule_check {
    const struct skr_tree *tree;
    size_t n_scopes; /* the group, and the roles that have rules */
    struct skr_rule_scope scope[1 + SKR_ROLES_MAX];
    int64_t *room; /* [leaf] */
    int64_t demand;
};

/* The group has a spec. tree: borrowed. */
void skr_rule_check_init(struct skr_rule_check *check, const struct skr_tree *tree,
                         const struct group *g);
/* n members of a role more, or -n less, on the node; one outside the tree does not count. */
void skr_rule_check_add(struct skr_rule_check *check, uint8_t role, const char *node, int32_t n);
/* O(units) a scope. error: which rule is violated where; NULL allowed. */
bool skr_rule_check_keeps(const struct skr_rule_check *check, struct skr_error *error);
void skr_rule_check_fini(struct skr_rule_check *check);

#endif
