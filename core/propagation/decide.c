/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The main flow: filter, score, group, select, assign. It runs for each affinity term until one
 * succeeds. All terms share the estimates.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/propagation/steps.h"

static void took(struct skr_binding_decision *decision, const struct skr_stopwatch *stopwatch,
                 enum skr_decision_part part, int64_t *began)
{
    const int64_t now = skr_stopwatch_now(stopwatch);
    decision->took[part] += now - *began;
    *began = now;
}

/* One attempt, with one affinity term. */
static bool attempt(struct skr_binding_decision *decision, const struct skr_stopwatch *stopwatch)
{
    int64_t began = skr_stopwatch_now(stopwatch);
    skr_binding_filter_clusters(decision);
    took(decision, stopwatch, SKR_DECISION_FILTER, &began);
    bool goes_on = skr_binding_make_candidates(decision);
    took(decision, stopwatch, SKR_DECISION_SCORE, &began);
    goes_on = goes_on && skr_binding_read_constraints(decision) &&
              skr_binding_make_groups(decision) && skr_binding_select_clusters(decision);
    took(decision, stopwatch, SKR_DECISION_SELECT, &began);
    goes_on = goes_on && skr_binding_assign_replicas(decision);
    took(decision, stopwatch, SKR_DECISION_ASSIGN, &began);
    return goes_on;
}

/* A decision before its first step. */
static struct skr_binding_decision *begin(const struct skr_binding *binding,
                                          const struct skr_member_cluster *const *cluster,
                                          size_t n_clusters,
                                          const struct skr_propagation_options *options,
                                          int32_t term)
{
    struct skr_arena *arena = skr_arena_create(SKR_BINDING_DECISION_BYTES_MAX, 0);
    struct skr_binding_decision *decision = arena ? skr_arena_alloc(arena, sizeof *decision) : NULL;
    skr_bug_on(!decision);
    *decision = (struct skr_binding_decision){.arena = arena,
                                              .binding = binding,
                                              .options = options,
                                              .n_clusters = n_clusters,
                                              .cluster = cluster,
                                              .term = term};
    decision->rejected =
        skr_binding_decision_array(decision, n_clusters, sizeof *decision->rejected);
    decision->estimate =
        skr_binding_decision_array(decision, n_clusters, sizeof *decision->estimate);
    decision->warnings = skr_binding_omissions(binding, options);
    decision->sets = options->component_sets && skr_binding_is_set(binding);
    decision->need = decision->sets ? binding->placement.kind != SKR_DIVISION_DUPLICATED
                     : skr_binding_decision_divides(decision) ? binding->replicas
                                                              : 0;
    return decision;
}

static struct skr_binding_decision *decide_with_terms(struct skr_binding_decision *first,
                                                      const struct skr_stopwatch *stopwatch)
{
    const struct skr_binding *binding = first->binding;
    const struct skr_binding_placement *placement = &binding->placement;
    struct skr_binding_decision *answer = first;
    bool placed = attempt(first, stopwatch);
    for (size_t term = (size_t)first->term + 1; !placed && term < placement->n_terms; term++) {
        struct skr_binding_decision *next =
            begin(binding, first->cluster, first->n_clusters, first->options, (int32_t)term);
        memcpy(next->estimate, first->estimate, first->n_clusters * sizeof *next->estimate);
        next->table_work = first->table_work;
        placed = attempt(next, stopwatch);
        first->table_work = next->table_work;
        for (int part = 0; part < SKR_DECISION_PART_COUNT; part++) {
            next->took[part] += first->took[part];
            first->took[part] = next->took[part];
        }
        if (placed) {
            answer = next;
        } else {
            skr_binding_decision_destroy(next);
        }
    }
    if (answer != first) {
        skr_binding_decision_destroy(first);
    }
    return answer;
}

/* The term that a decision begins with; -1: it has none. */
static int32_t first_term(const struct skr_binding *binding)
{
    const struct skr_binding_placement *placement = &binding->placement;
    if (placement->has_affinity || placement->n_terms == 0) {
        return -1;
    }
    return skr_binding_is_fresh(binding)
               ? 0
               : (int32_t)skr_binding_placement_find_term(placement, binding->observed_affinity);
}

void skr_binding_list_possible(const struct skr_binding *binding,
                               const struct skr_member_cluster *const *cluster, size_t n_clusters,
                               const struct skr_propagation_options *options, bool *may)
{
    const int32_t first = first_term(binding);
    const int32_t end = first < 0 ? 0 : (int32_t)binding->placement.n_terms;
    for (int32_t term = first; term < end; term++) {
        struct skr_binding_decision *decision = begin(binding, cluster, n_clusters, options, term);
        for (size_t i = 0; i < n_clusters; i++) {
            decision->estimate[i] = SKR_ROOM_MAX;
        }
        skr_binding_filter_clusters(decision);
        for (size_t i = 0; i < n_clusters; i++) {
            may[i] = may[i] || decision->rejected[i] == 0;
        }
        skr_binding_decision_destroy(decision);
    }
}

/* Room by all estimators. */
static void estimate(struct skr_binding_decision *decision, const int32_t *answers)
{
    const size_t n = decision->n_clusters;
    const uint64_t share = SKR_SETS_WORK_MAX / (n + 1);
    for (size_t i = 0; i < n; i++) {
        uint64_t work = share < SKR_SETS_WORK_CLUSTER_MAX ? share : SKR_SETS_WORK_CLUSTER_MAX;
        int64_t *room = &decision->estimate[i];
        *room =
            skr_binding_estimate(decision->binding, decision->cluster[i], decision->options, &work);
        *room = answers && answers[i] >= 0 && answers[i] < *room ? answers[i] : *room;
        decision->warnings |= (uint32_t)(work == 0) << SKR_WARNING_SETS_COUNT_ENDED;
    }
    if (answers) { /* estimators look at nodes */
        decision->warnings &= ~(UINT32_C(1) << SKR_WARNING_NODE_CLAIM_IGNORED);
    }
}

int skr_binding_decide(const struct skr_binding *binding,
                       const struct skr_member_cluster *const *cluster, size_t n_clusters,
                       const int32_t *answers, const struct skr_propagation_options *options,
                       const struct skr_stopwatch *stopwatch, struct skr_binding_decision **ret,
                       struct skr_error *error)
{
    const int32_t term = first_term(binding);
    if (n_clusters > SKR_BINDING_DECISION_CLUSTERS_MAX) {
        return skr_error_set(error, SKR_LIMIT, "%zu clusters, at most %d are supported", n_clusters,
                             (int)SKR_BINDING_DECISION_CLUSTERS_MAX);
    }
    struct skr_binding_decision *decision = begin(binding, cluster, n_clusters, options, term);
    int64_t began = skr_stopwatch_now(stopwatch);
    estimate(decision, answers);
    took(decision, stopwatch, SKR_DECISION_FILTER, &began);
    if (binding->refusal) {
        skr_binding_decision_fail(decision, SKR_PROPAGATION_INVALID_POLICY, "%s", binding->refusal);
    } else if (!binding->has_placement) {
        skr_binding_decision_fail(decision, SKR_PROPAGATION_INVALID_POLICY,
                                  "spec.placement is missing");
    } else if (term >= 0) {
        decision = decide_with_terms(decision, stopwatch);
    } else {
        attempt(decision, stopwatch);
    }
    *ret = decision;
    return 0;
}
