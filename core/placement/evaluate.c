/* SPDX-License-Identifier: Apache-2.0 */
/* The steps of a cycle. A misconfigured Placement keeps its decisions. */
#include "core/placement/evaluate.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/placement/cycle.h"

enum { MESSAGE_MAX = 300 };

const char *const skr_placement_reason_name[] = {
    [SKR_PLACEMENT_NO_BINDINGS] = "NoManagedClusterSetBindings",
    [SKR_PLACEMENT_NO_INTERSECTION] = "NoIntersection",
    [SKR_PLACEMENT_SETS_EMPTY] = "AllManagedClusterSetsEmpty",
    [SKR_PLACEMENT_FAILED] = "NotAllDecisionsScheduled",
    [SKR_PLACEMENT_NONE_MATCHED] = "NoManagedClusterMatched",
    [SKR_PLACEMENT_ALL_SCHEDULED] = "AllDecisionsScheduled",
    [SKR_PLACEMENT_NOT_ALL_SCHEDULED] = "NotAllDecisionsScheduled",
};
_Static_assert(sizeof skr_placement_reason_name / sizeof *skr_placement_reason_name ==
                   SKR_PLACEMENT_REASON_COUNT,
               "all named");

const char *const skr_placement_reason_message[] = {
    [SKR_PLACEMENT_NO_BINDINGS] = "No valid ManagedClusterSetBinding in the namespace",
    [SKR_PLACEMENT_NO_INTERSECTION] = "None of spec.clusterSets is bound to the namespace",
    [SKR_PLACEMENT_SETS_EMPTY] = "No cluster in the bound ManagedClusterSets",
    [SKR_PLACEMENT_FAILED] = "",
    [SKR_PLACEMENT_NONE_MATCHED] = "No cluster was selected",
    [SKR_PLACEMENT_ALL_SCHEDULED] = "All cluster decisions scheduled",
    [SKR_PLACEMENT_NOT_ALL_SCHEDULED] = "",
};
_Static_assert(sizeof skr_placement_reason_message / sizeof *skr_placement_reason_message ==
                   SKR_PLACEMENT_REASON_COUNT,
               "all there");

/* ---- what it costs ---- */

const char *const skr_placement_plugin_name[] = {
    [SKR_PLACEMENT_PLUGIN_FILTER] = "Filter",
    [SKR_PLACEMENT_PLUGIN_BALANCE] = "Balance",
    [SKR_PLACEMENT_PLUGIN_STEADY] = "Steady",
    [SKR_PLACEMENT_PLUGIN_RATIO] = "ResourceRatio",
    [SKR_PLACEMENT_PLUGIN_ALLOCATABLE] = "ResourceAllocatable",
    [SKR_PLACEMENT_PLUGIN_ADDON] = "AddOn",
    [SKR_PLACEMENT_PLUGIN_SPREAD] = "Spread",
    [SKR_PLACEMENT_PLUGIN_GROUPS] = "Groups",
};
_Static_assert(sizeof skr_placement_plugin_name / sizeof *skr_placement_plugin_name ==
                   SKR_PLACEMENT_PLUGIN_COUNT,
               "all named");

/* ---- selection ---- */

static int fill_problem(struct skr_cycle *cycle)
{
    const struct skr_placement *placement = cycle->placement;
    struct skr_placement_result *result = cycle->result;
    const size_t n = result->n_candidates, levels = placement->n_constraints;
    const char **name = skr_arena_array(cycle->arena, n + 1, sizeof *name);
    const char **value = skr_arena_array(cycle->arena, n * levels + 1, sizeof *value);
    if (!name || !value) {
        return skr_error_set(cycle->error, SKR_LIMIT, "too many clusters for one cycle");
    }
    for (size_t i = 0; i < n; i++) {
        const struct skr_managed_cluster *c = cycle->hub->cluster[result->candidate[i]];
        name[i] = c->meta.name;
        for (size_t l = 0; l < levels; l++) {
            const struct skr_spread_constraint *constraint = &placement->constraint[l];
            value[i * levels + l] = skr_labels_get(
                constraint->of_claim ? &c->claims : &c->meta.labels, constraint->key);
        }
    }
    const struct skr_prioritizer *spread = skr_placement_prioritizer(placement, "Spread");
    const enum skr_spread_mode mode =
        placement->spread_mode ? placement->spread_mode : cycle->hub->spread_mode;
    result->problem = (struct skr_spread_problem){
        .n = n,
        .name = name,
        .total = result->total,
        .value = value,
        .n_levels = levels,
        .constraint = placement->constraint,
        .weight = spread ? spread->weight : 0,
        .lexicographic = mode == SKR_SPREAD_LEXICOGRAPHIC,
        .want = placement->has_number ? (size_t)placement->number : n,
    };
    return 0;
}

/* ---- what stands ---- */

/* Whether the scores depend on earlier decisions in a way that can change the next one. */
static bool is_history(const struct skr_prioritizer *p)
{
    return (p->kind == SKR_PRIORITIZER_BALANCE && p->weight != 0) ||
           (p->kind == SKR_PRIORITIZER_STEADY && p->weight < 0);
}

/*
 * Whether the decisions may stand as they are. Decisions of other Placements are no reason to
 * decide again. Without news (after a start, a takeover or a resync) the decisions of this
 * generation stand, although Balance, or Steady with a negative weight, would score differently
 * now.
 */
static bool may_stand(const struct skr_cycle *cycle)
{
    const struct skr_placement *p = cycle->placement;
    bool history = false;
    for (size_t i = 0; i < p->n_prioritizers; i++) {
        history = history || is_history(&p->prioritizer[i]);
    }
    return history && cycle->hub->no_news && !cycle->lost && p->satisfied.is_set &&
           p->satisfied.generation == p->generation && p->misconfiguration.is_set &&
           strcmp(p->misconfiguration.status, "False") == 0;
}

/* Totals in which the decided clusters have the largest advantage that these prioritizers can give.
 * With constraints the order of selection matters too: the decided clusters come first, whatever
 * their scores are. */
static void favour_decided(const struct skr_cycle *cycle, int64_t *total)
{
    const struct skr_placement_result *result = cycle->result;
    for (size_t i = 0; i < result->n_candidates; i++) {
        const bool decided = cycle->decided[result->candidate[i]];
        total[i] = cycle->placement->n_constraints > 0 ? decided : result->total[i];
        for (size_t s = 0; s < result->n_scores && cycle->placement->n_constraints == 0; s++) {
            const struct skr_prioritizer *p = result->scores[s].prioritizer;
            const int64_t range = p->kind == SKR_PRIORITIZER_BALANCE ? 200 : 100;
            const int64_t weight = is_history(p) ? p->weight : 0;
            total[i] -= weight * result->scores[s].value[i];
            total[i] += decided ? range * (weight < 0 ? -weight : weight) : 0;
        }
    }
}

/* The decided clusters stay if the totals of favour_decided() select exactly them. */
static int select_decided(struct skr_cycle *cycle, bool *ret_stands)
{
    struct skr_placement_result *result = cycle->result;
    struct skr_spread_problem problem = result->problem;
    struct skr_spread_result spread;
    int64_t *total = skr_arena_array(cycle->arena, problem.n + 1, sizeof *total);
    if (!total) {
        return skr_error_set(cycle->error, SKR_LIMIT, "too many clusters for one cycle");
    }
    favour_decided(cycle, total);
    problem.total = total;
    problem.weight = 0;
    problem.lexicographic = false;
    int rc = skr_spread_select(&problem, cycle->arena, &spread, cycle->error);
    *ret_stands = rc == 0 && spread.n == cycle->n_decided;
    for (size_t i = 0; *ret_stands && i < spread.n; i++) {
        *ret_stands = cycle->decided[result->candidate[spread.order[i]]];
    }
    if (*ret_stands) {
        result->spread = spread;
    }
    return rc;
}

static int select_clusters(struct skr_cycle *cycle)
{
    bool stands = false;
    int rc = fill_problem(cycle);
    if (rc == 0 && may_stand(cycle)) {
        rc = select_decided(cycle, &stands);
    }
    return rc < 0 || stands ? rc
                            : skr_spread_select(&cycle->result->problem, cycle->arena,
                                                &cycle->result->spread, cycle->error);
}

static int compare_numbers(const void *a, const void *b)
{
    const uint32_t s = *(const uint32_t *)a, t = *(const uint32_t *)b;
    return (s > t) - (s < t);
}

static int plan_slices(struct skr_cycle *cycle)
{
    struct skr_placement_result *result = cycle->result;
    const size_t n = result->spread.n;
    uint32_t *chosen = skr_arena_array(cycle->arena, n + 1, sizeof *chosen);
    const struct skr_managed_cluster **cluster =
        skr_arena_array(cycle->arena, n + 1, sizeof *cluster);
    if (!chosen || !cluster) {
        return skr_error_set(cycle->error, SKR_LIMIT, "too many clusters for one cycle");
    }
    for (size_t i = 0; i < n; i++) {
        chosen[i] = result->candidate[result->spread.order[i]];
    }
    qsort(chosen, n, sizeof *chosen, compare_numbers);
    for (size_t i = 0; i < n; i++) {
        cluster[i] = cycle->hub->cluster[chosen[i]];
    }
    return skr_slices_plan(cycle->placement, cluster, n, cycle->hub->decision,
                           cycle->hub->n_decisions, cycle->arena, &result->slices, cycle->error);
}

/* ---- the answer ---- */

static const char *keep_text(struct skr_cycle *cycle, const char *text)
{
    const char *copy = skr_arena_strdup(cycle->arena, text);
    return copy ? copy : "out of memory";
}

static void conclude(struct skr_cycle *cycle, bool members)
{
    struct skr_placement_result *result = cycle->result;
    char text[MESSAGE_MAX];
    const int64_t selected = (int64_t)result->spread.n;
    const int64_t wanted =
        cycle->placement->has_number ? cycle->placement->number : (int64_t)result->n_candidates;
    result->unscheduled = wanted - selected;
    if (!members) {
        result->message = skr_placement_reason_message[result->reason];
        return;
    }
    result->reason = selected == 0 ? SKR_PLACEMENT_NONE_MATCHED
                     : result->unscheduled == 0 || !cycle->placement->has_number
                         ? SKR_PLACEMENT_ALL_SCHEDULED
                         : SKR_PLACEMENT_NOT_ALL_SCHEDULED;
    result->satisfied = result->reason == SKR_PLACEMENT_ALL_SCHEDULED;
    result->message = skr_placement_reason_message[result->reason];
    if (result->reason == SKR_PLACEMENT_NOT_ALL_SCHEDULED) {
        snprintf(text, sizeof text, "%" PRId64 " cluster decisions unscheduled",
                 result->unscheduled);
        result->message = keep_text(cycle, text);
    }
}

/* The cheap check before a cycle: "", or why the Placement cannot be evaluated. The cause may be a
 * set that it is bound to. */
static const char *defect_of(const struct skr_placement *placement,
                             const struct skr_placement_hub *hub, struct skr_arena *arena)
{
    struct skr_cycle cycle = {.placement = placement, .hub = hub, .arena = arena};
    const struct skr_cluster_set **set;
    size_t n, bound;
    if (placement->misconfigured[0] || skr_cycle_find_sets(&cycle, &set, &n, &bound) < 0) {
        return placement->misconfigured;
    }
    for (size_t i = 0; i < n; i++) {
        if (set[i]->misconfigured[0]) {
            char text[MESSAGE_MAX];
            snprintf(text, sizeof text, "ClusterSets:ManagedClusterSet %.100s: %.150s",
                     set[i]->meta.name, set[i]->misconfigured);
            return keep_text(&cycle, text);
        }
    }
    return "";
}

static int run(struct skr_cycle *cycle)
{
    const struct skr_stopwatch *watch = cycle->hub->stopwatch;
    bool members = false;
    int64_t began = skr_stopwatch_now(watch);
    int rc = skr_cycle_find_candidates(cycle, &members);
    skr_cycle_took(cycle, SKR_PLACEMENT_PLUGIN_FILTER, began);
    if (rc < 0 || (rc = skr_cycle_score(cycle)) < 0) {
        return rc;
    }
    began = skr_stopwatch_now(watch);
    rc = select_clusters(cycle);
    skr_cycle_took(cycle, SKR_PLACEMENT_PLUGIN_SPREAD, began);
    if (rc < 0) {
        return rc;
    }
    began = skr_stopwatch_now(watch);
    rc = plan_slices(cycle);
    skr_cycle_took(cycle, SKR_PLACEMENT_PLUGIN_GROUPS, began);
    if (rc < 0) {
        return rc;
    }
    conclude(cycle, members);
    skr_cycle_find_requeue(cycle);
    return 0;
}

void skr_placement_evaluate(const struct skr_placement *placement,
                            const struct skr_placement_hub *hub, struct skr_arena *arena,
                            struct skr_placement_result *ret)
{
    struct skr_error error = {0};
    struct skr_cycle cycle = {
        .placement = placement, .hub = hub, .arena = arena, .result = ret, .error = &error};
    cycle.cel = (struct skr_cluster_cel){
        .score = hub->score, .context = hub->context, .texts = hub->explain ? arena : NULL};
    *ret = (struct skr_placement_result){
        .failure = "", .warning = "", .message = "", .requeue_at = SKR_TIME_NEVER};
    ret->misconfigured = defect_of(placement, hub, arena);
    if (!ret->misconfigured[0] && run(&cycle) < 0) {
        const char *why = keep_text(&cycle, error.text);
        *ret = (struct skr_placement_result){.misconfigured = "",
                                             .cel_cost = cycle.cel.cost,
                                             .failure = why,
                                             .warning = "",
                                             .message = why,
                                             .reason = SKR_PLACEMENT_FAILED,
                                             .requeue_at = SKR_TIME_NEVER};
    }
}
