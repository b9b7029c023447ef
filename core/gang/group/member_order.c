/* SPDX-License-Identifier: Apache-2.0 */
/* The order of a group's members: indices where all have them, else names. */
#include "core/gang/group/member_order.h"

#include <stdlib.h>

static int by_number(const void *a, const void *b)
{
    const int32_t *left = a, *right = b;
    return *left < *right ? -1 : *left > *right;
}

/* Whether all have an index of that key, all different. scratch: [n]. */
static bool orders(struct pod_entry *const *pod, size_t n, enum skr_pod_index_key key,
                   int32_t *scratch)
{
    for (size_t i = 0; i < n; i++) {
        scratch[i] = pod[i]->pod->index[key];
        if (scratch[i] < 0) {
            return false;
        }
    }
    qsort(scratch, n, sizeof *scratch, by_number);
    for (size_t i = 1; i < n; i++) {
        if (scratch[i] == scratch[i - 1]) {
            return false;
        }
    }
    return true;
}

enum skr_pod_index_key skr_member_order_key(struct pod_entry *const *pod, size_t n)
{
    SKR_AUTO_FREE int32_t *scratch = skr_alloc_array(n + 1, sizeof *scratch);
    int key = 0;
    while (key < SKR_POD_INDEX_COUNT && !orders(pod, n, (enum skr_pod_index_key)key, scratch)) {
        key++;
    }
    return (enum skr_pod_index_key)key;
}

int32_t skr_member_order_index(const struct pod_entry *p, enum skr_pod_index_key key)
{
    return key < SKR_POD_INDEX_COUNT ? p->pod->index[key] : -1;
}

int skr_member_order_compare(const struct pod_entry *left, const struct pod_entry *right,
                             enum skr_pod_index_key key)
{
    int32_t l = skr_member_order_index(left, key), r = skr_member_order_index(right, key);
    if (l != r) {
        return l < r ? -1 : 1;
    }
    return skr_pod_compare_names(left->pod->meta.name, right->pod->meta.name);
}

void skr_member_order_seats(struct pod_entry *const *pod, struct skr_seat *seat, size_t n)
{
    enum skr_pod_index_key key = skr_member_order_key(pod, n);
    for (size_t i = 0; i < n; i++) {
        seat[i].name = pod[i]->pod->meta.name;
        seat[i].index = skr_member_order_index(pod[i], key);
    }
}
