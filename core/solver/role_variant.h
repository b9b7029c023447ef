/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_SOLVER_ROLE_VARIANT_H
#define SKR_CORE_SOLVER_ROLE_VARIANT_H
/*
 * A problem with roles that differs from another one in some respects: fewer rules, fewer roles,
 * other room. Arrays of leaves are borrowed from the other problem. Internal to the solver.
 */
#include "core/solver/role_exact.h"

struct skr_role_variant {
    struct skr_problem problem;
    struct skr_roles roles;
    struct skr_role role[SKR_ROLES_MAX];
    struct skr_set_kind kind[SKR_SET_KINDS_MAX];
    struct skr_role_cap cap[SKR_ROLE_CAPS_MAX];
    struct skr_role_bounds bounds[SKR_DOMAIN_RULES_MAX];
    struct skr_rule rule[SKR_LEVELS_MAX];
    struct skr_rule own[SKR_ROLES_MAX][SKR_LEVELS_MAX];
    uint8_t has_own[SKR_ROLES_MAX][SKR_LEVELS_MAX];
};

/* A copy; equal members are one role. It must not move afterwards: its parts point to each other. */
void skr_role_variant_init(struct skr_role_variant *variant, const struct skr_problem *problem);
/* Drops all rules, sets and caps of levels 1 .. deepest. Types of rules stay. */
void skr_role_variant_free_levels(struct skr_role_variant *variant, int32_t deepest);
/* Drops all roles but those of the mask, at least one, from sets, caps and bounds, too. */
void skr_role_variant_drop_roles(struct skr_role_variant *variant, uint32_t mask);
/* Keeps only the roles of the mask, at least one. Of the group's rules it keeps those that bind a part
 * of the group. */
void skr_role_variant_keep_roles(struct skr_role_variant *variant, uint32_t mask);

/* Whether the problem is feasible, without a placement. Takes steps from *steps. */
enum skr_role_verdict skr_role_feasible(const struct skr_problem *problem, int64_t *steps);

/* Whether the members are equal: one role whose rules are those of a group, without sets and caps.
 * Then it becomes a problem whose role has no rules of its own. */
bool skr_role_variant_single(struct skr_role_variant *variant);

#endif
