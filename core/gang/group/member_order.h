/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_GROUP_MEMBER_ORDER_H
#define SKR_CORE_GANG_GROUP_MEMBER_ORDER_H
/*
 * The order of a group's members, which their ranks follow: by the index of their controller if all
 * have one under the same key and all differ, else by name in natural order (core/pod/index.h).
 */
#include "core/gang/cache/pods.h"
#include "core/gang/group/assign.h"

/* The key that orders these pods; SKR_POD_INDEX_COUNT: by name. O(n log n). */
enum skr_pod_index_key skr_member_order_key(struct pod_entry *const *pod, size_t n);
int32_t skr_member_order_index(const struct pod_entry *p,
                               enum skr_pod_index_key key); /* -1 by name */
/* < 0: left comes first; 0 only for the same pod. key: of a set of pods with both in it. */
int skr_member_order_compare(const struct pod_entry *left, const struct pod_entry *right,
                             enum skr_pod_index_key key);
/* Sorts pods of one role. */
void skr_member_order_sort(struct pod_entry **pod, size_t n);
/* Sorts pods by role, those of each role in its order. */
void skr_member_order_sort_roles(struct pod_entry **pod, size_t n);
/* Fills seat[i] for pod[i]: name, index, role and set. Each role has an order of its own, with the key
 * ret_key[role] if that is not NULL. */
void skr_member_order_seats(struct pod_entry *const *pod, struct skr_seat *seat, size_t n,
                            enum skr_pod_index_key *ret_key);

#endif
