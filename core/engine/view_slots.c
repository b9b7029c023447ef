/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Slots: how many more pods of a size fit on a node. The least of free / size over what the size
 * asks for, "pods" (one each) among it; none on a node that is not there, not Ready or cordoned.
 * Taints are no part of it: which pods they keep away depends on the pod.
 */
#include "core/engine/view.h"

int64_t slots_of_node(const struct skr_engine *e, const struct node_entry *n,
                      const struct slot_size *size)
{
    if (!n || !n->node || !n->node->ready || n->node->unschedulable)
        return 0;
    int64_t least = INT64_MAX;
    for (size_t i = 0; i < size->n; i++) {
        if (size->item[i].amount <= 0)
            continue;
        int64_t free_ =
            size->item[i].unknown ? 0 : skr_ledger_free(e->ledger, n->name, size->item[i].resource);
        int64_t fits = free_ > 0 ? free_ / size->item[i].amount : 0;
        least = fits < least ? fits : least;
    }
    return least == INT64_MAX ? 0 : least;
}
