/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checker of placements, straight from the definition of validity. It shares nothing with the
 * method that finds them, not even the reading of the rules. Linear in tree and resources.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "core/solver/domains.h"

static const char *name_of(const struct skr_tree *tree, int32_t unit)
{
    return !tree->unit_name || !tree->unit_name[unit] ? "?" : tree->unit_name[unit];
}

static int check_leaf(const struct skr_problem *problem, int32_t leaf, int32_t count,
                      struct skr_error *error)
{
    const struct skr_tree *tree = problem->tree;
    const char *name = name_of(tree, tree->first_leaf + leaf);
    int32_t claimed = !problem->claimed ? 0 : problem->claimed[leaf];
    if (count < claimed) {
        return skr_error_set(error, SKR_INVALID,
                             "leaf %" PRId32 " (%s): %" PRId32 " members, but %" PRId32
                             " are claimed",
                             leaf, name, count, claimed);
    }
    int64_t added = (int64_t)count - claimed;
    if (added == 0) {
        return 0;
    }
    if (problem->eligible && problem->eligible[leaf] == 0) {
        return skr_error_set(error, SKR_INVALID, "leaf %" PRId32 " (%s): not eligible", leaf, name);
    }
    for (size_t r = 0; r < problem->n_resources; r++) {
        int64_t demand = problem->demand[r];
        int64_t amount = problem->free[(size_t)leaf * problem->n_resources + r];
        if (demand > 0 && (amount < 0 || amount / demand < added)) {
            return skr_error_set(error, SKR_INVALID,
                                 "leaf %" PRId32 " (%s): %" PRId64 " new members need %" PRId64
                                 " each of resource %zu, free is %" PRId64,
                                 leaf, name, added, demand, r, amount);
        }
    }
    return 0;
}

/* One used child of a used parent. */
static int check_child(const struct skr_problem *problem, const struct skr_rule *rule, int32_t unit,
                       int32_t x, struct skr_error *error)
{
    const char *name = name_of(problem->tree, unit);
    if (rule->hard) {
        if (rule->type == SKR_RULE_SPREAD && x != 1) {
            return skr_error_set(error, SKR_INVALID,
                                 "unit %" PRId32 " (%s): holds %" PRId32 ", hard spread wants 1",
                                 unit, name, x);
        }
        return 0;
    }
    bool contradiction = rule->min > 0 && rule->max > 0 && rule->min > rule->max;
    if (!contradiction && rule->min > 0 && x < rule->min) {
        return skr_error_set(error, SKR_INVALID,
                             "unit %" PRId32 " (%s): holds %" PRId32 ", min is %" PRId32, unit,
                             name, x, rule->min);
    }
    if (!contradiction && rule->max > 0 && x > rule->max) {
        return skr_error_set(error, SKR_INVALID,
                             "unit %" PRId32 " (%s): holds %" PRId32 ", max is %" PRId32, unit,
                             name, x, rule->max);
    }
    if (rule->factor > 1 && x % rule->factor != 0) {
        return skr_error_set(error, SKR_INVALID,
                             "unit %" PRId32 " (%s): holds %" PRId32 ", no multiple of %" PRId32,
                             unit, name, x, rule->factor);
    }
    return 0;
}

static int check_siblings(const struct skr_problem *problem, const struct skr_rule *rule,
                          int32_t parent, const int32_t *total, struct skr_error *error)
{
    const struct skr_tree *tree = problem->tree;
    int32_t used = 0;
    int32_t first = tree->child_first[parent];
    for (int32_t unit = first; unit < first + tree->child_count[parent]; unit++) {
        if (total[unit] > 0) {
            used++;
            int rc = check_child(problem, rule, unit, total[unit], error);
            if (rc != 0) {
                return rc;
            }
        }
    }
    int32_t want = 0;
    if (rule->hard) {
        want = rule->type == SKR_RULE_PACK ? 1 : 0;
    } else if (rule->partitions > 0) {
        want = rule->partitions;
    }
    if (want > 0 && used != want) {
        return skr_error_set(error, SKR_INVALID,
                             "unit %" PRId32 " (%s): uses %" PRId32 " children, not %" PRId32,
                             parent, name_of(tree, parent), used, want);
    }
    return 0;
}

static int check_bounds(const struct skr_problem *problem, int32_t unit, int32_t x,
                        struct skr_error *error)
{
    const struct skr_unit_bounds *bounds = problem->bounds ? &problem->bounds[unit] : NULL;
    if (!bounds || (x >= bounds->least && x <= bounds->most)) {
        return 0;
    }
    return skr_error_set(error, SKR_INVALID,
                         "unit %" PRId32 " (%s): holds %" PRId32 ", its bounds are %" PRId32
                         " to %" PRId32,
                         unit, name_of(problem->tree, unit), x, bounds->least, bounds->most);
}

static int check_with(const struct skr_problem *problem, const int32_t *count, int32_t *total,
                      struct skr_error *error)
{
    const struct skr_tree *tree = problem->tree;
    int64_t sum = 0;
    for (int32_t leaf = 0; leaf < tree->n_leaves; leaf++) {
        int rc = check_leaf(problem, leaf, count[leaf], error);
        if (rc != 0) {
            return rc;
        }
        sum += count[leaf];
        total[tree->first_leaf + leaf] = count[leaf];
    }
    if (sum != problem->n) {
        return skr_error_set(error, SKR_INVALID, "counts add up to %" PRId64 ", not %" PRId32, sum,
                             problem->n);
    }
    for (int32_t unit = tree->n_units - 1; unit > 0; unit--) {
        total[tree->parent[unit]] += total[unit];
        int rc = check_bounds(problem, unit, total[unit], error);
        if (rc != 0) {
            return rc;
        }
    }
    for (int32_t level = 1; level <= tree->n_levels && tree->n_leaves > 0; level++) {
        for (int32_t p = tree->level_first[level - 1]; p < tree->level_first[level]; p++) {
            int rc = 0;
            if (total[p] > 0) {
                rc = check_siblings(problem, &problem->rule[level - 1], p, total, error);
            }
            if (rc != 0) {
                return rc;
            }
        }
    }
    return 0;
}

int skr_solution_check(const struct skr_problem *problem, const int32_t *count,
                       struct skr_error *error)
{
    skr_bug_on(problem->roles); /* skr_roles_check() */
    int32_t *total = calloc((size_t)problem->tree->n_units + 1, sizeof *total);
    if (!total) {
        return skr_error_set(error, SKR_NO_MEMORY, "solution check: out of memory");
    }
    int rc = check_with(problem, count, total, error);
    free(total);
    return rc == 0 && problem->n_domain_rules > 0 ? skr_domains_check(problem, count, error) : rc;
}
