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

struct ordered {
    struct pod_entry *pod;
    int32_t index;
};

static int by_order(const void *a, const void *b)
{
    const struct ordered *left = a, *right = b;
    if (left->index != right->index) {
        return left->index < right->index ? -1 : 1;
    }
    return skr_pod_compare_names(left->pod->pod->meta.name, right->pod->pod->meta.name);
}

void skr_member_order_sort(struct pod_entry **pod, size_t n)
{
    enum skr_pod_index_key key = skr_member_order_key(pod, n);
    SKR_AUTO_FREE struct ordered *list = skr_alloc_array(n + 1, sizeof *list);
    for (size_t i = 0; i < n; i++) {
        list[i] = (struct ordered){pod[i], skr_member_order_index(pod[i], key)};
    }
    qsort(list, n, sizeof *list, by_order);
    for (size_t i = 0; i < n; i++) {
        pod[i] = list[i].pod;
    }
}

static int by_role(const void *a, const void *b)
{
    const struct pod_entry *left = *(struct pod_entry *const *)a,
                           *right = *(struct pod_entry *const *)b;
    if (left->role != right->role) {
        return left->role < right->role ? -1 : 1;
    }
    return skr_pod_compare_names(left->pod->meta.name, right->pod->meta.name);
}

void skr_member_order_sort_roles(struct pod_entry **pod, size_t n)
{
    qsort(pod, n, sizeof *pod, by_role);
    for (size_t i = 0, next = 0; i < n; i = next) {
        while (next < n && pod[next]->role == pod[i]->role) {
            next++;
        }
        skr_member_order_sort(&pod[i], next - i);
    }
}

/* Jobs and LeaderWorkerSets count their pods from 0, and so do operators in the low part of an index. */
static bool is_counted(enum skr_pod_index_key key, int32_t index)
{
    const bool first = key == SKR_POD_INDEX_WORKLOAD && index < 1 << SKR_POD_INDEX_SHIFT_MIN;
    return index >= 0 && (key == SKR_POD_INDEX_JOB || key == SKR_POD_INDEX_LWS || first);
}

/* The indices of the members of one role. */
static enum skr_pod_index_key index_role(struct pod_entry *const *pod, struct skr_seat *seat,
                                         size_t n, uint8_t role)
{
    SKR_AUTO_FREE struct pod_entry **list = skr_alloc_array(n + 1, sizeof *list);
    size_t k = 0;
    for (size_t i = 0; i < n; i++) {
        if (pod[i]->role == role) {
            list[k++] = pod[i];
        }
    }
    enum skr_pod_index_key key = skr_member_order_key(list, k);
    for (size_t i = 0; i < n; i++) {
        if (pod[i]->role == role) {
            seat[i].index = skr_member_order_index(pod[i], key);
            seat[i].counted = is_counted(key, seat[i].index);
        }
    }
    return key;
}

void skr_member_order_seats(struct pod_entry *const *pod, struct skr_seat *seat, size_t n,
                            enum skr_pod_index_key *ret_key)
{
    uint32_t done = 0;
    for (size_t i = 0; i < n; i++) {
        seat[i].name = pod[i]->pod->meta.name;
        seat[i].role = pod[i]->role;
        seat[i].set = pod[i]->set;
    }
    for (size_t i = 0; i < n; i++) {
        uint8_t role = pod[i]->role < 32 ? pod[i]->role : 31;
        if (!(done >> role & 1)) {
            done |= 1U << role;
            const enum skr_pod_index_key key = index_role(pod, seat, n, pod[i]->role);
            if (ret_key && pod[i]->role < SKR_ROLES_MAX) {
                ret_key[pod[i]->role] = key;
            }
        }
    }
}
