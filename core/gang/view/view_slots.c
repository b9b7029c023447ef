/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts slots: how many more pods of a size fit on a node. The minimum of free / size over the
 * resources of the size, "pods" (one each) included; 0 if the node does not exist, is not Ready or
 * is cordoned. Taints are not considered: their effect depends on the pod.
 */
#include "core/gang/cache/nodes.h"
#include "core/gang/view/view.h"

int64_t skr_slots_of_node(const struct skr_gang *e, const struct node_entry *n,
                          const struct slot_size *size)
{
    if (!n || !n->node || !n->node->ready || n->node->unschedulable) {
        return 0;
    }
    uint16_t id[SKR_RESOURCES_MAX];
    int64_t left[SKR_RESOURCES_MAX], least = INT64_MAX;
    for (size_t i = 0; i < size->n; i++) {
        id[i] = size->item[i].resource;
    }
    skr_ledger_free_each(e->ledger, n->name, id, size->n, left);
    for (size_t i = 0; i < size->n; i++) {
        const int64_t fits =
            skr_room_holds(size->item[i].unknown ? 0 : left[i], size->item[i].amount);
        least = fits < least ? fits : least;
    }
    return least == INT64_MAX ? 0 : least;
}
