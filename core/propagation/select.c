/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Selection: completes the constraints, finds the rule that applies, and selects by clusters alone.
 *
 * - Without constraints, or with static weights, all candidates take part.
 * - With a cluster constraint alone, the first candidates in order take part. While room is short,
 *   they are exchanged for roomier ones, beginning with the last (karmada
 *   spreadconstraint/select_clusters_by_cluster.go).
 * - With region and cluster constraints, the search by regions runs, then the exact search.
 * - In all other cases the exact search runs.
 */
#include <stdarg.h>
#include <stdio.h>

#include "core/propagation/steps.h"
#include "core/propagation/weights.h"

enum { STRICT_CLUSTER_RANGE = 10 };

/* ---- constraints ---- */

static bool complete_range(struct skr_binding_decision *decision,
                           const struct skr_group_constraint *constraint)
{
    const char *name = skr_spread_field_name[constraint->field];
    struct skr_group_range *range = &decision->range[constraint->field];
    if (constraint->min_groups < 0 || constraint->max_groups < 0) {
        return skr_binding_decision_fail(decision, SKR_PROPAGATION_INVALID_POLICY,
                                         "%s: minGroups %lld, maxGroups %lld, must not be below 0",
                                         name, (long long)constraint->min_groups,
                                         (long long)constraint->max_groups);
    }
    *range =
        (struct skr_group_range){.declared = true,
                                 .unset = constraint->max_groups == 0,
                                 .min = constraint->min_groups > 0 ? constraint->min_groups : 1,
                                 .max = constraint->max_groups};
    if (range->unset) {
        range->max = decision->options->omitted_max == SKR_OMITTED_MIN    ? range->min
                     : decision->options->omitted_max == SKR_OMITTED_ZERO ? 0
                                                                          : INT32_MAX;
    }
    return true;
}

static bool check_ranges(struct skr_binding_decision *decision)
{
    const struct skr_group_range *clusters = &decision->range[SKR_SPREAD_CLUSTER];
    for (size_t i = 0; i < SKR_SPREAD_LEVELS; i++) {
        const struct skr_group_range *range = &decision->range[i];
        if (range->declared && range->min != range->max) {
            return skr_binding_decision_fail(decision, SKR_PROPAGATION_INVALID_POLICY,
                                             "%s: minGroups %lld and maxGroups %lld must be equal",
                                             skr_spread_field_name[i], (long long)range->min,
                                             (long long)range->max);
        }
    }
    if (clusters->declared && clusters->max - clusters->min > STRICT_CLUSTER_RANGE) {
        return skr_binding_decision_fail(
            decision, SKR_PROPAGATION_INVALID_POLICY,
            "cluster: minGroups %lld and maxGroups %lld are more than %d apart",
            (long long)clusters->min, (long long)clusters->max, STRICT_CLUSTER_RANGE);
    }
    return true;
}

/* Constraints that cannot be served: by labels, and in karmada-scheduler's search, where what is
 * beside region or cluster does not count, those without either. */
static bool check_supported(struct skr_binding_decision *decision)
{
    const struct skr_binding_placement *placement = &decision->binding->placement;
    bool upstream = decision->options->topology_search == SKR_SEARCH_UPSTREAM;
    for (size_t i = 0; i < placement->n_constraints && !upstream; i++) {
        if (placement->constraint[i].field == SKR_SPREAD_FIELD_COUNT) {
            return skr_binding_decision_fail(decision, SKR_PROPAGATION_UNSUPPORTED_CONSTRAINT,
                                             "spread by \"%.60s\"", placement->constraint[i].other);
        }
    }
    if (upstream && !decision->range[SKR_SPREAD_REGION].declared &&
        !decision->range[SKR_SPREAD_CLUSTER].declared) {
        return skr_binding_decision_fail(decision, SKR_PROPAGATION_UNSUPPORTED_CONSTRAINT,
                                         "neither region nor cluster is constrained");
    }
    return true;
}

static bool constraints_apply(const struct skr_binding_decision *decision)
{
    const struct skr_binding_placement *placement = &decision->binding->placement;
    return placement->n_constraints > 0 &&
           !skr_binding_ignores_constraints(placement, decision->options);
}

bool skr_binding_read_constraints(struct skr_binding_decision *decision)
{
    const struct skr_binding_placement *placement = &decision->binding->placement;
    if (!constraints_apply(decision)) {
        return true;
    }
    for (size_t i = 0; i < placement->n_constraints; i++) {
        const struct skr_group_constraint *constraint = &placement->constraint[i];
        if (constraint->field != SKR_SPREAD_FIELD_COUNT && !complete_range(decision, constraint)) {
            return false;
        }
    }
    for (size_t i = 0; i < SKR_SPREAD_FIELD_COUNT; i++) {
        const struct skr_group_range *range = &decision->range[i];
        if (range->declared && range->unset && range->max == INT32_MAX) {
            decision->warnings |= UINT32_C(1) << SKR_WARNING_MAX_GROUPS_UNSET;
        }
        if (range->declared && i < SKR_SPREAD_LEVELS) {
            decision->level[decision->n_levels++].field = (enum skr_spread_field)i;
        }
    }
    return true;
}

/* After the groups are made, so that they are shown beside what is wrong. */
static bool check_constraints(struct skr_binding_decision *decision)
{
    return !constraints_apply(decision) ||
           (check_supported(decision) &&
            (!decision->options->strict_ranges || check_ranges(decision)));
}

/* ---- by clusters alone ---- */

/* The roomiest candidate that is not picked and has more than room; the first such in order. */
static int32_t roomiest(const struct skr_binding_decision *decision, const bool *picked,
                        int64_t room)
{
    int32_t best = -1;
    for (size_t i = 0; i < decision->n_candidates; i++) {
        if (!picked[i] && decision->candidate[i].available > room) {
            best = (int32_t)i;
            room = decision->candidate[i].available;
        }
    }
    return best;
}

/* The first count candidates, exchanged until they have the room; whether they have. */
static bool pick_count(struct skr_binding_decision *decision, size_t count,
                       struct skr_selection *ret, int64_t *ret_room)
{
    bool *picked = skr_binding_decision_array(decision, decision->n_candidates, sizeof *picked);
    int64_t room = 0;
    ret->n = count;
    for (size_t i = 0; i < count; i++) {
        ret->pick[i] = (int32_t)i;
        picked[i] = true;
        room += decision->candidate[i].available;
    }
    for (size_t slot = count; slot-- > 0 && room < decision->need;) {
        int64_t had = decision->candidate[ret->pick[slot]].available;
        int32_t better = roomiest(decision, picked, had);
        if (better >= 0) {
            picked[ret->pick[slot]] = false;
            picked[better] = true;
            ret->pick[slot] = better;
            room += decision->candidate[better].available - had;
        }
    }
    *ret_room = room;
    return room >= decision->need;
}

static void select_by_cluster(struct skr_binding_decision *decision, struct skr_selection *ret)
{
    const struct skr_group_range *range = &decision->range[SKR_SPREAD_CLUSTER];
    int64_t n = (int64_t)decision->n_candidates;
    int64_t most = n < range->max ? n : range->max;
    int64_t room = 0;
    if (n < range->min) {
        skr_selection_fail(ret, SKR_PROPAGATION_TOO_FEW_CLUSTERS,
                           "%lld clusters pass the filters, minGroups is %lld", (long long)n,
                           (long long)range->min);
        return;
    }
    ret->pick = skr_binding_decision_array(decision, (size_t)n, sizeof *ret->pick);
    int64_t count = decision->options->cluster_count == SKR_COUNT_SMALLEST && range->min < most
                        ? range->min
                        : most;
    bool enough = pick_count(decision, (size_t)count, ret, &room);
    while (!enough && count < most) {
        enough = pick_count(decision, (size_t)++count, ret, &room);
    }
    /* Without a single place nothing is divided, as in karmada-scheduler. */
    if (!enough || (count == 0 && decision->binding->placement.kind != SKR_DIVISION_DUPLICATED)) {
        skr_selection_fail(ret, SKR_PROPAGATION_SELECT_CAPACITY,
                           "cluster %lld..%lld needs room %lld, best %lld", (long long)range->min,
                           (long long)most, (long long)decision->need, (long long)room);
    }
}

/* ---- without constraints ---- */

static void select_all(struct skr_binding_decision *decision, struct skr_selection *ret)
{
    const struct skr_binding_placement *placement = &decision->binding->placement;
    bool matching = decision->options->matching_weights && placement->kind == SKR_DIVISION_STATIC;
    bool prefix =
        decision->options->prefix && placement->kind != SKR_DIVISION_STATIC && decision->need > 0;
    int64_t room = 0;
    int64_t weight = 0;
    struct skr_weight_index index;
    skr_weight_index_init(&index, placement);
    ret->pick = skr_binding_decision_array(decision, decision->n_candidates, sizeof *ret->pick);
    for (size_t i = 0; i < decision->n_candidates && !(prefix && room >= decision->need); i++) {
        if (!matching || skr_weight_index_find(&index, decision->candidate[i].cluster, &weight)) {
            ret->pick[ret->n++] = (int32_t)i;
            room += decision->candidate[i].available;
        }
    }
    skr_weight_index_fini(&index);
    for (size_t i = 0; i < decision->n_candidates && matching && ret->n == 0; i++) {
        ret->pick[i] = (int32_t)i;
    }
    ret->n = ret->n == 0 ? decision->n_candidates : ret->n;
}

/* ---- the rule ---- */

static bool has_room(const struct skr_binding_decision *decision,
                     const struct skr_selection *selection)
{
    int64_t room = 0;
    for (size_t i = 0; i < selection->n; i++) {
        room += decision->candidate[selection->pick[i]].available;
    }
    return room >= decision->need;
}

/* The exact search where the one by regions has no legal answer; that one's failure is reported. */
static void select_by_region_or_exactly(struct skr_binding_decision *decision,
                                        struct skr_selection *ret)
{
    struct skr_selection exact = {.n = 0};
    bool gave_up = false;
    skr_select_by_region(decision, ret, &gave_up);
    if (gave_up) {
        decision->fell_back = true;
        skr_select_exactly(decision, ret);
        return;
    }
    if (decision->options->topology_search == SKR_SEARCH_UPSTREAM ||
        (ret->code == SKR_PROPAGATION_PLACED && has_room(decision, ret))) {
        return;
    }
    uint32_t warnings = decision->warnings;
    decision->warnings &= ~(UINT32_C(1) << SKR_WARNING_CLUSTER_MAX_EXCEEDED);
    skr_select_exactly(decision, &exact);
    if (exact.code == SKR_PROPAGATION_PLACED) {
        *ret = exact;
        return;
    }
    decision->warnings = warnings;
    if (ret->code == SKR_PROPAGATION_PLACED) {
        skr_selection_fail(ret, SKR_PROPAGATION_ASSIGN_CAPACITY, "%s", exact.message);
    }
}

static void select_by_rule(struct skr_binding_decision *decision, struct skr_selection *ret)
{
    const struct skr_group_range *range = decision->range;
    bool region = range[SKR_SPREAD_REGION].declared;
    bool cluster = range[SKR_SPREAD_CLUSTER].declared;
    bool others = range[SKR_SPREAD_PROVIDER].declared || range[SKR_SPREAD_ZONE].declared;
    if (!region && !cluster && !others) {
        select_all(decision, ret);
    } else if (decision->options->topology_search == SKR_SEARCH_UPSTREAM) {
        if (region) {
            select_by_region_or_exactly(decision, ret);
        } else {
            select_by_cluster(decision, ret);
        }
    } else if (!region && !others) {
        select_by_cluster(decision, ret);
    } else if (region && cluster && !others &&
               decision->options->topology_search == SKR_SEARCH_UPSTREAM_THEN_EXACT) {
        select_by_region_or_exactly(decision, ret);
    } else {
        skr_select_exactly(decision, ret);
    }
}

static void mark_selected(struct skr_binding_decision *decision)
{
    for (size_t i = 0; i < decision->n_selected; i++) {
        decision->candidate[decision->selected[i]].selected = true;
    }
    for (size_t i = 0; i < decision->n_levels; i++) {
        for (size_t k = 0; k < decision->level[i].n; k++) {
            struct skr_spread_group *group = &decision->level[i].group[k];
            for (size_t m = 0; m < group->n_members && !group->selected; m++) {
                group->selected = decision->candidate[group->member[m]].selected;
            }
        }
    }
}

bool skr_binding_select_clusters(struct skr_binding_decision *decision)
{
    struct skr_selection selection = {.n = 0};
    if (!check_constraints(decision)) {
        return false;
    }
    select_by_rule(decision, &selection);
    if (selection.code != SKR_PROPAGATION_PLACED) {
        const bool of_sets = decision->sets && decision->need > 0 &&
                             selection.code >= SKR_PROPAGATION_SELECT_CAPACITY;
        return skr_binding_decision_fail(decision, selection.code, "%s%s", selection.message,
                                         of_sets ? " (in sets of components)" : "");
    }
    decision->selected = selection.pick;
    decision->n_selected = selection.n;
    mark_selected(decision);
    return true;
}
