/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The general estimator: how many more replicas of this size a cluster has room for, by the sums in
 * its status (karmada pkg/estimator/client/general.go). If a cluster reports resource models,
 * karmada-scheduler uses them instead of the sums. They are not counted here, and a warning says
 * so.
 */
#include <string.h>

#include "core/propagation/steps.h"

static int64_t capped(int64_t room)
{
    return room < 0 ? 0 : room > SKR_ROOM_MAX ? SKR_ROOM_MAX : room;
}

int64_t skr_binding_estimate(const struct skr_binding *binding,
                             const struct skr_member_cluster *cluster)
{
    if (cluster->has_room) {
        return capped(cluster->room);
    }
    if (binding->replicas == 0) {
        return SKR_ROOM_UNBOUNDED;
    }
    if (!cluster->has_summary || cluster->free_pods <= 0) {
        return 0;
    }
    int64_t room = cluster->free_pods;
    for (size_t i = 0; i < binding->request.n; i++) {
        const struct skr_quantity_item *request = &binding->request.item[i];
        if (request->amount <= 0) {
            continue;
        }
        const struct skr_free_resource *free = skr_member_cluster_free(cluster, request->name);
        if (!free || free->amount <= 0) {
            return 0;
        }
        int64_t fits = free->amount / request->amount;
        room = fits < room ? fits : room;
    }
    return capped(room);
}

/* ---- what is not counted ---- */

/* Models bound resources, not pods: without a request they change nothing. */
static bool asks_for_resources(const struct skr_binding *binding)
{
    bool asks = false;
    for (size_t i = 0; i < binding->request.n; i++) {
        asks = asks || binding->request.item[i].amount > 0;
    }
    return asks && binding->replicas > 0;
}

/* Whether clusters, or numbers, were chosen by room, or failed for want of it. */
static bool uses_room(const struct skr_binding_decision *decision)
{
    const struct skr_binding *binding = decision->binding;
    const struct skr_binding_placement *placement = &binding->placement;
    const bool constrained = decision->n_levels > 0 || decision->range[SKR_SPREAD_CLUSTER].declared;
    const bool divided_by_room =
        placement->kind == SKR_DIVISION_DYNAMIC || placement->kind == SKR_DIVISION_AGGREGATED;
    const bool overflows = decision->term >= 0 && placement->term[decision->term].n_overflow > 0;
    const bool filtered =
        decision->options->resource_filter && placement->kind == SKR_DIVISION_DUPLICATED;
    if (decision->code == SKR_PROPAGATION_PLACED) {
        return divided_by_room || overflows || filtered ||
               (constrained && decision->n_selected < decision->n_candidates);
    }
    return decision->code == SKR_PROPAGATION_SELECT_CAPACITY ||
           decision->code == SKR_PROPAGATION_ASSIGN_CAPACITY ||
           (decision->code == SKR_PROPAGATION_NO_FEASIBLE_COMBINATION && decision->need > 0);
}

void skr_binding_note_models(struct skr_binding_decision *decision)
{
    if (!asks_for_resources(decision->binding) || !uses_room(decision)) {
        return;
    }
    for (size_t i = 0; i < decision->n_candidates; i++) {
        const struct skr_member_cluster *cluster = decision->candidate[i].cluster;
        decision->n_modelled += cluster->has_models && !cluster->has_room ? 1 : 0;
    }
    if (decision->n_modelled > 0) {
        decision->warnings |= UINT32_C(1) << SKR_WARNING_RESOURCE_MODELS_IGNORED;
    }
}
