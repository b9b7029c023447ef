/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checker of placements, straight from the definition of validity. It shares nothing with the
 * method that finds them, not even the reading of the rules. Linear in roles, tree and resources.
 * Every placement of roles passes it before it is used. Equal members are one role.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/solver/domains.h"
#include "core/solver/each_role.h"
#include "topology/room.h"

enum { NAME_BYTES = 128 };

struct check {
    const struct skr_problem *problem;
    const struct skr_roles *roles;
    const int32_t *size;  /* [role] */
    const int32_t *count; /* [role * n_leaves + leaf] */
    int32_t *total;       /* [role * n_units + unit] */
    int32_t *group;       /* [unit] of all roles */
    int32_t *added;       /* [role * n_units + unit] of total no claims; NULL: no cap asks */
    char *of; /* [NAME_BYTES] " of ROLE", which a message is about; "" if members are equal */
    struct skr_error *error;
};

static const char *unit_name(const struct check *check, int32_t unit)
{
    const struct skr_tree *tree = check->problem->tree;
    return !tree->unit_name || !tree->unit_name[unit] ? "?" : tree->unit_name[unit];
}

static const char *of_role(const struct check *check, size_t r)
{
    const char *name = check->roles->role[r].name;
    if (check->problem->roles) {
        snprintf(check->of, NAME_BYTES, " of %s", name ? name : "?");
    }
    return check->of;
}

static int32_t count_on(const struct check *check, size_t r, int32_t leaf)
{
    return check->count[r * (size_t)check->problem->tree->n_leaves + (size_t)leaf];
}

static int check_room(const struct check *check, int32_t leaf, size_t d)
{
    const struct skr_problem *problem = check->problem;
    int64_t free = problem->free[(size_t)leaf * problem->n_resources + d];
    int64_t left = free > 0 ? free : 0;
    for (size_t r = 0; r < check->roles->n_roles; r++) {
        int64_t demand = check->roles->role[r].demand[d];
        int64_t added =
            (int64_t)count_on(check, r, leaf) - skr_role_claimed(&check->roles->role[r], leaf);
        if (skr_room_holds(left, demand) < added) {
            return skr_error_set(check->error, SKR_INVALID,
                                 "leaf %" PRId32 " (%s): %" PRId64 " new members%s need %" PRId64
                                 " each of resource %zu, free is %" PRId64,
                                 leaf, unit_name(check, problem->tree->first_leaf + leaf), added,
                                 of_role(check, r), demand, d, left);
        }
        left = skr_room_plus(left, -skr_amount_times(added, demand));
    }
    return 0;
}

static int check_leaf(const struct check *check, int32_t leaf)
{
    const char *name = unit_name(check, check->problem->tree->first_leaf + leaf);
    for (size_t r = 0; r < check->roles->n_roles; r++) {
        const struct skr_role *role = &check->roles->role[r];
        int32_t count = count_on(check, r, leaf);
        int32_t claimed = skr_role_claimed(&check->roles->role[r], leaf);
        if (count < claimed) {
            return skr_error_set(check->error, SKR_INVALID,
                                 "leaf %" PRId32 " (%s): %" PRId32 " members%s, but %" PRId32
                                 " are claimed",
                                 leaf, name, count, of_role(check, r), claimed);
        }
        if (count > claimed && role->eligible && role->eligible[leaf] == 0) {
            return skr_error_set(check->error, SKR_INVALID, "leaf %" PRId32 " (%s): not eligible",
                                 leaf, name);
        }
    }
    int rc = 0;
    for (size_t d = 0; rc == 0 && d < check->problem->n_resources; d++) {
        rc = check_room(check, leaf, d);
    }
    return rc;
}

/* A used child of a used parent, by a rule about the members that `of` names. */
static int check_child(const struct check *check, const struct skr_rule *rule, const char *of,
                       int32_t unit, int32_t x)
{
    const char *name = unit_name(check, unit);
    bool range = !rule->hard && !(rule->min > 0 && rule->max > 0 && rule->min > rule->max);
    if (rule->hard && rule->type == SKR_RULE_SPREAD && x != 1) {
        return skr_error_set(check->error, SKR_INVALID,
                             "unit %" PRId32 " (%s): holds %" PRId32 "%s, hard spread wants 1",
                             unit, name, x, of);
    }
    if (range && rule->min > 0 && x < rule->min) {
        return skr_error_set(check->error, SKR_INVALID,
                             "unit %" PRId32 " (%s): holds %" PRId32 "%s, min is %" PRId32, unit,
                             name, x, of, rule->min);
    }
    if (range && rule->max > 0 && x > rule->max) {
        return skr_error_set(check->error, SKR_INVALID,
                             "unit %" PRId32 " (%s): holds %" PRId32 "%s, max is %" PRId32, unit,
                             name, x, of, rule->max);
    }
    if (!rule->hard && rule->factor > 1 && x % rule->factor != 0) {
        return skr_error_set(check->error, SKR_INVALID,
                             "unit %" PRId32 " (%s): holds %" PRId32 "%s, no multiple of %" PRId32,
                             unit, name, x, of, rule->factor);
    }
    return 0;
}

static int check_rules(const struct check *check, const struct skr_rule *rule, int32_t level,
                       const int32_t *total, const char *of)
{
    const struct skr_tree *tree = check->problem->tree;
    int32_t want = rule->hard ? (rule->type == SKR_RULE_PACK ? 1 : 0) : rule->partitions;
    for (int32_t p = tree->level_first[level - 1]; p < tree->level_first[level]; p++) {
        int32_t used = 0;
        for (int32_t i = 0; i < tree->child_count[p] && total[p] > 0; i++) {
            int32_t unit = tree->child_first[p] + i;
            used += total[unit] > 0 ? 1 : 0;
            int rc = total[unit] > 0 ? check_child(check, rule, of, unit, total[unit]) : 0;
            if (rc != 0) {
                return rc;
            }
        }
        if (total[p] > 0 && want > 0 && used != want) {
            return skr_error_set(check->error, SKR_INVALID,
                                 "unit %" PRId32 " (%s): uses %" PRId32 " children%s, not %" PRId32,
                                 p, unit_name(check, p), used, of, want);
        }
    }
    return 0;
}

static int check_kind(const struct check *check, const struct skr_set_kind *kind)
{
    const struct skr_tree *tree = check->problem->tree;
    for (int32_t unit = tree->level_first[kind->level]; unit < tree->level_first[kind->level + 1];
         unit++) {
        int32_t sets = -1;
        bool whole = true;
        for (size_t r = 0; r < check->roles->n_roles; r++) {
            int32_t each = kind->each[r];
            int32_t x = check->total[r * (size_t)tree->n_units + (size_t)unit];
            if (each > 0) {
                whole = whole && x % each == 0 && (sets < 0 || x / each == sets);
                sets = x / each;
            }
        }
        int32_t alive = kind->alive ? kind->alive[unit] : 0;
        if (!whole || sets < alive || (kind->exclusive && sets > 1)) {
            return skr_error_set(check->error, SKR_INVALID,
                                 "unit %" PRId32 " (%s): holds %" PRId32
                                 " sets, not whole ones as its kind says",
                                 unit, unit_name(check, unit), sets);
        }
    }
    return 0;
}

/* The sum of the roles in a unit: of total or added. */
static int64_t sum_of(const struct check *check, const int32_t *of, uint32_t roles, int32_t unit)
{
    int64_t sum = 0;
    for (size_t r = 0; r < check->roles->n_roles; r++) {
        sum += (roles >> r & 1) != 0 ? of[r * (size_t)check->problem->tree->n_units + (size_t)unit]
                                     : 0;
    }
    return sum;
}

static int check_cap(const struct check *check, const struct skr_role_cap *cap)
{
    const struct skr_tree *tree = check->problem->tree;
    for (int32_t unit = tree->level_first[cap->level]; unit < tree->level_first[cap->level + 1];
         unit++) {
        const int64_t sum = sum_of(check, check->total, cap->roles, unit);
        const int64_t others = sum_of(check, check->total, cap->against, unit);
        if ((cap->against == 0 ? sum > cap->most : sum > 0 && others > 0) &&
            sum_of(check, check->added, cap->roles | cap->against, unit) > 0) {
            return skr_error_set(check->error, SKR_INVALID,
                                 "unit %" PRId32 " (%s): holds %" PRId64
                                 " members of a cap of %" PRId32 ", and %" PRId64
                                 " that are apart from them",
                                 unit, unit_name(check, unit), sum, cap->most, others);
        }
    }
    return 0;
}

static int check_role_bounds(const struct check *check, const struct skr_role_bounds *bounds)
{
    const struct skr_tree *tree = check->problem->tree;
    for (int32_t unit = tree->level_first[bounds->level];
         unit < tree->level_first[bounds->level + 1]; unit++) {
        const int64_t sum = sum_of(check, check->total, bounds->roles, unit);
        if (sum < bounds->of[unit].least || sum > bounds->of[unit].most) {
            return skr_error_set(check->error, SKR_INVALID,
                                 "unit %" PRId32 " (%s): holds %" PRId64
                                 " of some roles, their bounds are %" PRId32 " to %" PRId32,
                                 unit, unit_name(check, unit), sum, bounds->of[unit].least,
                                 bounds->of[unit].most);
        }
    }
    return 0;
}

/* Totals of all roles and units, and their sums at the root. */
static int sum_up(const struct check *check)
{
    const struct skr_tree *tree = check->problem->tree;
    size_t n_units = (size_t)tree->n_units;
    for (size_t r = 0; r < check->roles->n_roles; r++) {
        int32_t *total = check->total + r * n_units;
        int32_t *added = check->added ? check->added + r * n_units : NULL;
        for (int32_t leaf = 0; leaf < tree->n_leaves; leaf++) {
            total[tree->first_leaf + leaf] = count_on(check, r, leaf);
            if (added) {
                added[tree->first_leaf + leaf] = total[tree->first_leaf + leaf];
                added[tree->first_leaf + leaf] -= skr_role_claimed(&check->roles->role[r], leaf);
            }
        }
        for (int32_t unit = tree->n_units - 1; unit >= 0; unit--) {
            if (unit > 0) {
                total[tree->parent[unit]] += total[unit];
            }
            if (unit > 0 && added) {
                added[tree->parent[unit]] += added[unit];
            }
            if (check->group != total) {
                check->group[unit] += total[unit];
            }
        }
        if (total[0] != check->size[r]) {
            return skr_error_set(check->error, SKR_INVALID,
                                 "counts%s add up to %" PRId32 ", not %" PRId32, of_role(check, r),
                                 total[0], check->size[r]);
        }
    }
    return 0;
}

static int check_bounds(const struct check *check)
{
    const struct skr_unit_bounds *bounds = check->problem->bounds;
    for (int32_t unit = 1; unit < check->problem->tree->n_units && bounds; unit++) {
        const int32_t x = check->group[unit];
        if (x < bounds[unit].least || x > bounds[unit].most) {
            return skr_error_set(
                check->error, SKR_INVALID,
                "unit %" PRId32 " (%s): holds %" PRId32 ", its bounds are %" PRId32 " to %" PRId32,
                unit, unit_name(check, unit), x, bounds[unit].least, bounds[unit].most);
        }
    }
    return 0;
}

/* The rules of one level: of the group, then of the roles. */
static int check_level(const struct check *check, int32_t level)
{
    int rc = check_rules(check, &check->problem->rule[level - 1], level, check->group, "");
    for (size_t r = 0; rc == 0 && r < check->roles->n_roles; r++) {
        const struct skr_role *role = &check->roles->role[r];
        if (role->rule && role->has_rule && role->has_rule[level - 1]) {
            rc = check_rules(check, &role->rule[level - 1], level,
                             check->total + r * (size_t)check->problem->tree->n_units,
                             of_role(check, r));
        }
    }
    return rc;
}

static int check_all(const struct check *check)
{
    const struct skr_tree *tree = check->problem->tree;
    int rc = sum_up(check);
    for (int32_t leaf = 0; rc == 0 && leaf < tree->n_leaves; leaf++) {
        rc = check_leaf(check, leaf);
    }
    for (int32_t level = 1; rc == 0 && level <= tree->n_levels && tree->n_leaves > 0; level++) {
        rc = check_level(check, level);
    }
    for (size_t k = 0; rc == 0 && k < check->roles->n_kinds; k++) {
        rc = check_kind(check, &check->roles->kind[k]);
    }
    for (size_t c = 0; rc == 0 && c < check->roles->n_caps; c++) {
        rc = check_cap(check, &check->roles->cap[c]);
    }
    for (size_t i = 0; rc == 0 && i < check->roles->n_bounds; i++) {
        rc = check_role_bounds(check, &check->roles->bounds[i]);
    }
    rc = rc == 0 ? check_bounds(check) : rc;
    return rc == 0 ? skr_domains_check(check->problem, check->count, check->error) : rc;
}

static int check_with(const struct skr_problem *problem, const struct skr_roles *roles,
                      const int32_t *size, const int32_t *count, struct skr_error *error)
{
    char of[NAME_BYTES] = "";
    const size_t n = roles->n_roles * (size_t)problem->tree->n_units + 1;
    const size_t n_added = roles->n_caps > 0 ? n : 0;
    int32_t *total = calloc(2 * n + n_added, sizeof *total);
    if (!total) {
        return skr_error_set(error, SKR_NO_MEMORY, "solution check: out of memory");
    }
    const struct check check = {.problem = problem,
                                .roles = roles,
                                .size = size,
                                .count = count,
                                .total = total,
                                .group = roles->n_roles == 1 ? total : total + n,
                                .added = n_added > 0 ? total + 2 * n : NULL,
                                .of = of,
                                .error = error};
    int rc = check_all(&check);
    free(total);
    return rc;
}

int skr_roles_check(const struct skr_problem *problem, const int32_t *size, const int32_t *count,
                    struct skr_error *error)
{
    int32_t sizes[SKR_ROLES_MAX];
    const struct skr_role equal = skr_problem_role(problem, 0);
    const struct skr_roles one = {.n_roles = 1, .role = &equal};
    const struct skr_roles *roles = problem->roles ? problem->roles : &one;
    for (size_t r = 0; r < roles->n_roles; r++) {
        sizes[r] = size ? size[r] : roles->role[r].n;
    }
    return check_with(problem, roles, sizes, count, error);
}

int skr_solution_check(const struct skr_problem *problem, const int32_t *count,
                       struct skr_error *error)
{
    skr_bug_on(problem->roles); /* skr_roles_check() */
    return skr_roles_check(problem, NULL, count, error);
}
