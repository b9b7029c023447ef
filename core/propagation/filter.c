/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Applies all filters to every cluster, so that explain can list every reason, then scores and
 * sorts the clusters that pass. A cluster in which the object runs passes whatever its taints and
 * kinds are (karmada framework/plugins/tainttoleration, apienablement).
 */
#include <stdlib.h>
#include <string.h>

#include "core/propagation/steps.h"

enum { LOCALITY_SCORE = 100 };

const char *const skr_propagation_filter_name[] = {
    [SKR_FILTER_DELETING] = "Deleting",
    [SKR_FILTER_CLUSTER_AFFINITY] = "ClusterAffinity",
    [SKR_FILTER_API_ENABLEMENT] = "APIEnablement",
    [SKR_FILTER_TAINT_TOLERATION] = "TaintToleration",
    [SKR_FILTER_CLUSTER_EVICTION] = "ClusterEviction",
    [SKR_FILTER_SPREAD_CONSTRAINT] = "SpreadConstraint",
    [SKR_FILTER_CLUSTER_RESOURCE] = "ClusterResource",
};
_Static_assert(sizeof skr_propagation_filter_name / sizeof skr_propagation_filter_name[0] ==
                   SKR_FILTER_COUNT,
               "a name per filter");

int32_t skr_binding_tier(const struct skr_binding *binding, int32_t index,
                         const struct skr_member_cluster *cluster)
{
    const struct skr_binding_placement *placement = &binding->placement;
    const struct skr_affinity_term *term = index >= 0 ? &placement->term[index] : NULL;
    if (placement->has_affinity) {
        return skr_cluster_affinity_matches(&placement->affinity, cluster) ? 0 : -1;
    }
    if (!term || skr_cluster_affinity_matches(&term->affinity, cluster)) {
        return 0;
    }
    const bool is_workload = skr_binding_has_replicas(binding) || binding->n_components > 0;
    const size_t n = is_workload ? term->n_overflow : 0;
    for (size_t i = 0; i < n; i++) {
        if (skr_cluster_affinity_matches(&term->overflow[i], cluster)) {
            return (int32_t)i + 1;
        }
    }
    return -1;
}

bool skr_binding_lacks_place(const struct skr_binding_placement *placement,
                             const struct skr_member_cluster *cluster, enum skr_spread_field field)
{
    bool asked = false;
    for (size_t i = 0; i < placement->n_constraints; i++) {
        asked = asked || placement->constraint[i].field == field;
    }
    return asked && field < SKR_SPREAD_CLUSTER && skr_spread_place_of(cluster, field, 0)[0] == '\0';
}

static bool lacks_any_place(const struct skr_binding_placement *placement,
                            const struct skr_member_cluster *cluster)
{
    return skr_binding_lacks_place(placement, cluster, SKR_SPREAD_PROVIDER) ||
           skr_binding_lacks_place(placement, cluster, SKR_SPREAD_REGION) ||
           skr_binding_lacks_place(placement, cluster, SKR_SPREAD_ZONE);
}

static uint32_t bit(enum skr_propagation_filter filter, bool refuses)
{
    return refuses ? UINT32_C(1) << filter : 0;
}

static uint32_t filter_one(const struct skr_binding_decision *decision, size_t i)
{
    const struct skr_binding *binding = decision->binding;
    const struct skr_propagation_options *options = decision->options;
    const struct skr_member_cluster *cluster = decision->cluster[i];
    const struct skr_target *target = skr_binding_target(binding, cluster->meta.name);
    bool bypass = options->resident_bypass && target;
    uint32_t bits =
        bit(SKR_FILTER_DELETING, cluster->meta.deleting) |
        bit(SKR_FILTER_CLUSTER_AFFINITY,
            skr_binding_tier(decision->binding, decision->term, cluster) < 0) |
        bit(SKR_FILTER_CLUSTER_EVICTION, skr_binding_is_evicting(binding, cluster->meta.name));
    if (!bypass) {
        bits |= bit(SKR_FILTER_API_ENABLEMENT,
                    !skr_member_cluster_serves(cluster, binding->resource.api_version,
                                               binding->resource.kind)) |
                bit(SKR_FILTER_TAINT_TOLERATION,
                    !skr_binding_placement_tolerates(&binding->placement, cluster));
    }
    if (!options->default_group) {
        bits |= bit(SKR_FILTER_SPREAD_CONSTRAINT, lacks_any_place(&binding->placement, cluster));
    }
    if (options->resource_filter && binding->placement.kind == SKR_DIVISION_DUPLICATED &&
        skr_binding_has_replicas(binding)) {
        int64_t available = decision->estimate[i] + (target ? target->replicas : 0);
        bits |= bit(SKR_FILTER_CLUSTER_RESOURCE, available < binding->replicas);
    }
    return bits;
}

void skr_binding_filter_clusters(struct skr_binding_decision *decision)
{
    for (size_t i = 0; i < decision->n_clusters; i++) {
        decision->rejected[i] = filter_one(decision, i);
    }
}

static int by_order(const void *a, const void *b)
{
    const struct skr_candidate *x = a;
    const struct skr_candidate *y = b;
    if (x->tier != y->tier) {
        return x->tier < y->tier ? -1 : 1;
    }
    if (x->score != y->score) {
        return x->score > y->score ? -1 : 1;
    }
    if (x->available != y->available) {
        return x->available > y->available ? -1 : 1;
    }
    return strcmp(x->cluster->meta.name, y->cluster->meta.name);
}

bool skr_binding_make_candidates(struct skr_binding_decision *decision)
{
    decision->candidate =
        skr_binding_decision_array(decision, decision->n_clusters, sizeof *decision->candidate);
    decision->n_candidates = 0;
    for (size_t i = 0; i < decision->n_clusters; i++) {
        if (decision->rejected[i] != 0) {
            continue;
        }
        const struct skr_member_cluster *cluster = decision->cluster[i];
        const struct skr_target *target = skr_binding_target(decision->binding, cluster->meta.name);
        struct skr_candidate *candidate = &decision->candidate[decision->n_candidates++];
        int64_t score = cluster->has_score ? cluster->score : target ? LOCALITY_SCORE : 0;
        *candidate = (struct skr_candidate){
            .cluster = cluster,
            .tier = skr_binding_tier(decision->binding, decision->term, cluster),
            .score = score > SKR_SCORE_MAX ? SKR_SCORE_MAX : score,
            .allocatable = decision->estimate[i],
            .running = !target          ? 0
                       : decision->sets ? 1
                                        : target->replicas,
        };
        candidate->available = candidate->allocatable + candidate->running;
    }
    if (decision->n_candidates == 0) {
        return skr_binding_decision_fail(decision, SKR_PROPAGATION_NO_CLUSTER_FIT,
                                         "0 of %zu clusters pass the filters",
                                         decision->n_clusters);
    }
    qsort(decision->candidate, decision->n_candidates, sizeof *decision->candidate, by_order);
    return true;
}
