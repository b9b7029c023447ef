/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a problem contradicts itself: its members, roles, set kinds, caps and bounds. */
#include <inttypes.h>
#include <stdio.h>

#include "core/solver/answer.h"
#include "core/solver/each_role.h"

/* Demand and claims of members that are alike; who: before what is said, "" or "role NAME: ". */
static int check_members(const struct skr_problem *problem, const struct skr_role *members,
                         const char *who, struct skr_error *error)
{
    for (size_t d = 0; d < problem->n_resources; d++) {
        if (members->demand[d] < 0) {
            return skr_error_set(error, SKR_INVALID, "solver: %sdemand of resource %zu is negative",
                                 who, d);
        }
    }
    int64_t claims = 0;
    for (int32_t leaf = 0; leaf < problem->tree->n_leaves && members->claimed; leaf++) {
        if (members->claimed[leaf] < 0) {
            return skr_error_set(error, SKR_INVALID, "solver: %snegative claim on leaf %" PRId32,
                                 who, leaf);
        }
        claims += members->claimed[leaf];
    }
    if (claims > members->n) {
        return skr_error_set(error, SKR_INVALID,
                             "solver: %s%" PRId64
                             " members are claimed already, more than %" PRId32,
                             who, claims, members->n);
    }
    return 0;
}

/* Of equal members. */
static int check_all(const struct skr_problem *problem, struct skr_error *error)
{
    const struct skr_role all = skr_problem_role(problem, 0);
    if (problem->n < 0 || problem->n > SKR_SOLVER_MEMBERS_MAX) {
        return skr_error_set(error, SKR_INVALID,
                             "solver: %" PRId32
                             " members, must be 0 to %d (SKR_SOLVER_MEMBERS_MAX)",
                             problem->n, SKR_SOLVER_MEMBERS_MAX);
    }
    return check_members(problem, &all, "", error);
}

static int check_role(const struct skr_problem *problem, size_t r, struct skr_error *error)
{
    const struct skr_role *role = &problem->roles->role[r];
    const char *name = role->name ? role->name : "?";
    if (role->n < 1 || role->n > SKR_SOLVER_MEMBERS_MAX || role->minimum < 1 ||
        role->minimum > role->n) {
        return skr_error_set(error, SKR_INVALID,
                             "solver: role %s: %" PRId32 " members, at least %" PRId32
                             ", must be 1 to %d (SKR_SOLVER_MEMBERS_MAX)",
                             name, role->n, role->minimum, SKR_SOLVER_MEMBERS_MAX);
    }
    char who[128];
    snprintf(who, sizeof who, "role %s: ", name);
    return check_members(problem, role, who, error);
}

static int check_kind(const struct skr_problem *problem, size_t k, uint32_t *seen,
                      struct skr_error *error)
{
    const struct skr_roles *roles = problem->roles;
    const struct skr_set_kind *kind = &roles->kind[k];
    int64_t sets = 0;
    if (kind->level < 1 || kind->level > problem->tree->n_levels) {
        return skr_error_set(error, SKR_INVALID,
                             "solver: set kind %zu: level %" PRId32 ", must be 1 to %" PRId32, k,
                             kind->level, problem->tree->n_levels);
    }
    for (size_t r = 0; r < roles->n_roles; r++) {
        int32_t each = kind->each[r];
        const struct skr_role *role = &roles->role[r];
        if (each == 0) {
            continue;
        }
        if ((*seen >> r & 1) != 0) {
            return skr_error_set(error, SKR_INVALID, "solver: role %s is in two set kinds",
                                 role->name ? role->name : "?");
        }
        if (each < 1 || role->n % each != 0 || (sets > 0 && role->n / each != sets) ||
            role->minimum != role->n) {
            return skr_error_set(error, SKR_INVALID,
                                 "solver: role %s: %" PRId32 " members, at least %" PRId32
                                 ", are no whole number of sets of %" PRId32
                                 " as the other roles have",
                                 role->name ? role->name : "?", role->n, role->minimum, each);
        }
        sets = role->n / each;
        *seen |= UINT32_C(1) << r;
    }
    return sets > 0 ? 0 : skr_error_set(error, SKR_INVALID, "solver: set kind %zu has no role", k);
}

static int check_limits(const struct skr_problem *problem, struct skr_error *error)
{
    const struct skr_roles *roles = problem->roles;
    if (roles->n_roles < 1 || roles->n_roles > SKR_ROLES_MAX) {
        return skr_error_set(error, SKR_INVALID,
                             "solver: %zu roles, must be 1 to %d (SKR_ROLES_MAX)", roles->n_roles,
                             SKR_ROLES_MAX);
    }
    if (roles->n_kinds > SKR_SET_KINDS_MAX) {
        return skr_error_set(error, SKR_INVALID,
                             "solver: %zu set kinds, at most %d (SKR_SET_KINDS_MAX)",
                             roles->n_kinds, SKR_SET_KINDS_MAX);
    }
    if (roles->n_caps > SKR_ROLE_CAPS_MAX) {
        return skr_error_set(error, SKR_INVALID, "solver: %zu caps, at most %d (SKR_ROLE_CAPS_MAX)",
                             roles->n_caps, SKR_ROLE_CAPS_MAX);
    }
    return 0;
}

int skr_problem_check(const struct skr_problem *problem, struct skr_error *error)
{
    const struct skr_roles *roles = problem->roles;
    if (problem->bounds && problem->n_domain_rules > 0) {
        return skr_error_set(error, SKR_INVALID,
                             "solver: bounds of units beside rules over domains");
    }
    if (!roles) {
        return check_all(problem, error);
    }
    int rc = check_limits(problem, error);
    int64_t sum = 0;
    for (size_t r = 0; rc == 0 && r < roles->n_roles; r++) {
        rc = check_role(problem, r, error);
        sum += roles->role[r].n;
    }
    if (rc == 0 && sum > SKR_SOLVER_MEMBERS_MAX) {
        rc = skr_error_set(error, SKR_INVALID,
                           "solver: %" PRId64 " members, must be 0 to %d (SKR_SOLVER_MEMBERS_MAX)",
                           sum, SKR_SOLVER_MEMBERS_MAX);
    }
    if (rc == 0 && sum != problem->n) {
        rc = skr_error_set(error, SKR_INVALID,
                           "solver: %" PRId32 " members, but the roles have %" PRId64 " in sum",
                           problem->n, sum);
    }
    uint32_t seen = 0;
    for (size_t k = 0; rc == 0 && k < roles->n_kinds; k++) {
        rc = check_kind(problem, k, &seen, error);
    }
    for (size_t c = 0; rc == 0 && c < roles->n_caps; c++) {
        const struct skr_role_cap *cap = &roles->cap[c];
        if ((cap->roles & cap->against) != 0) {
            rc = skr_error_set(error, SKR_INVALID, "solver: cap %zu: a role is apart from itself",
                               c);
        } else if (cap->level < 1 || cap->level > problem->tree->n_levels || cap->most < 0) {
            rc = skr_error_set(error, SKR_INVALID,
                               "solver: cap %zu: at most %" PRId32 " on level %" PRId32
                               ", must be 0 or more on level 1 to %" PRId32,
                               c, cap->most, cap->level, problem->tree->n_levels);
        }
    }
    return rc;
}
