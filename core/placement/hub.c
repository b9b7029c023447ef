/* SPDX-License-Identifier: Apache-2.0 */
#include "core/placement/hub.h"

#include <string.h>

int64_t skr_placement_hub_find(const struct skr_placement_hub *hub, const char *cluster)
{
    size_t low = 0, high = hub->n_clusters;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(hub->cluster[middle]->meta.name, cluster);
        if (order == 0) {
            return (int64_t)middle;
        }
        low = order < 0 ? middle + 1 : low;
        high = order > 0 ? middle : high;
    }
    return -1;
}
