/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The general estimator: how many more replicas of this size a cluster has room for, by the sums in
 * its status (karmada pkg/estimator/client/general.go). Other estimators would be asked besides,
 * the smallest known answer counting.
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
