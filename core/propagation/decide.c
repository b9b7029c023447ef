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

int skr_binding_decide(const struct skr_binding *binding,
                       const struct skr_member_cluster *const *cluster, size_t n_clusters,
                       const struct skr_propagation_options *options,
                       const struct skr_stopwatch *stopwatch, struct skr_binding_decision **ret,
                       struct skr_error *error)
{
    const struct skr_binding_placement *placement = &binding->placement;
    bool has_terms = !placement->has_affinity && placement->n_terms > 0;
    bool restarts = skr_binding_is_fresh(binding);
    if (n_clusters > SKR_BINDING_DECISION_CLUSTERS_MAX) {
        return skr_error_set(error, SKR_LIMIT, "%zu clusters, at most %d are supported", n_clusters,
                             (int)SKR_BINDING_DECISION_CLUSTERS_MAX);
    }
    size_t start = has_terms && !restarts
                       ? skr_binding_placement_find_term(placement, binding->observed_affinity)
                       : 0;
    struct skr_binding_decision *decision =
        begin(binding, cluster, n_clusters, options, has_terms ? (int32_t)start : -1);
    int64_t began = skr_stopwatch_now(stopwatch);
    const uint64_t share = SKR_SETS_WORK_MAX / (n_clusters + 1);
    for (size_t i = 0; i < n_clusters; i++) {
        uint64_t work = share < SKR_SETS_WORK_CLUSTER_MAX ? share : SKR_SETS_WORK_CLUSTER_MAX;
        decision->estimate[i] = skr_binding_estimate(binding, cluster[i], options, &work);
        decision->warnings |= (uint32_t)(work == 0) << SKR_WARNING_SETS_COUNT_ENDED;
    }
    took(decision, stopwatch, SKR_DECISION_FILTER, &began);
    if (binding->refusal) {
        skr_binding_decision_fail(decision, SKR_PROPAGATION_INVALID_POLICY, "%s", binding->refusal);
    } else if (!binding->has_placement) {
        skr_binding_decision_fail(decision, SKR_PROPAGATION_INVALID_POLICY,
                                  "spec.placement is missing");
    } else if (has_terms) {
        decision = decide_with_terms(decision, stopwatch);
    } else {
        attempt(decision, stopwatch);
    }
    *ret = decision;
    return 0;
}
