/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The general estimator: how many more replicas of this size a cluster has room for, by its status
 * alone (karmada pkg/estimator/client/general.go). The room in pods bounds all. Below it, resource
 * models count where a cluster has them, else the sums of its resources.
 */
#include "core/propagation/steps.h"

static int64_t capped(int64_t room)
{
    return room < 0 ? 0 : room > SKR_ROOM_MAX ? SKR_ROOM_MAX : room;
}

/* By sums, at most most. */
static int64_t room_by_sums(const struct skr_quantities *wanted,
                            const struct skr_member_cluster *cluster, int64_t most)
{
    int64_t room = most;
    for (size_t i = 0; i < wanted->n; i++) {
        const struct skr_quantity_item *want = &wanted->item[i];
        if (want->amount <= 0) {
            continue;
        }
        const struct skr_free_resource *free = skr_member_cluster_free(cluster, want->name);
        if (!free || free->amount <= 0) {
            return 0;
        }
        const int64_t fits = free->amount / want->amount;
        room = fits < room ? fits : room;
    }
    return room;
}

/* Sets of components that fit by pods and sums, and then on nodes. */
static int64_t room_in_sets(const struct skr_component_set *set,
                            const struct skr_member_cluster *cluster, bool with_models,
                            uint64_t *work)
{
    const int64_t most = cluster->free_pods / (set->pods > 0 ? set->pods : 1);
    const int64_t sets = room_by_sums(&set->sum, cluster, most);
    return with_models ? skr_component_sets_on_nodes(set, &cluster->models, sets, work) : sets;
}

bool skr_binding_counts_models(const struct skr_binding *binding,
                               const struct skr_member_cluster *cluster,
                               const struct skr_propagation_options *options)
{
    return options->resource_models && cluster->models.count && !cluster->has_room &&
           ((options->component_sets && skr_binding_is_set(binding)) ||
            (binding->has_requirements && (binding->replicas > 0 || binding->n_components > 0)));
}

bool skr_binding_is_set(const struct skr_binding *binding)
{
    bool to_one = false;
    for (size_t i = 0; i < binding->placement.n_constraints; i++) {
        const struct skr_group_constraint *constraint = &binding->placement.constraint[i];
        to_one = to_one || (constraint->field == SKR_SPREAD_CLUSTER &&
                            constraint->min_groups == 1 && constraint->max_groups == 1);
    }
    return binding->n_components > 0 && !skr_binding_assigns_replicas(binding) && to_one;
}

int64_t skr_binding_estimate(const struct skr_binding *binding,
                             const struct skr_member_cluster *cluster,
                             const struct skr_propagation_options *options, uint64_t *work)
{
    const bool with_models = skr_binding_counts_models(binding, cluster, options);
    if (cluster->has_room) {
        return capped(cluster->room);
    }
    if (binding->replicas == 0 && binding->n_components == 0) {
        return SKR_ROOM_UNBOUNDED;
    }
    if (!cluster->has_summary || cluster->free_pods <= 0) {
        return 0;
    }
    if (options->component_sets && skr_binding_is_set(binding)) {
        return capped(room_in_sets(&binding->set, cluster, with_models, work));
    }
    if (!with_models) {
        return capped(room_by_sums(&binding->request, cluster, cluster->free_pods));
    }
    const int64_t on_nodes = skr_node_models_room(&cluster->models, &binding->request);
    return capped(on_nodes < cluster->free_pods ? on_nodes : cluster->free_pods);
}
