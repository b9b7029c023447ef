/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_POD_REQUESTS_H
#define SKR_CORE_POD_REQUESTS_H
/*
 * What a pod asks for, as kube-scheduler counts it (k8s.io/component-helpers, resource.PodRequests,
 * with the options of NodeInfo.AddPod):
 *
 *   containers + sidecars, at least what the init containers need one after another, each beside
 *   the sidecars started before it; pod-level requests of cpu, memory and hugepages replace these
 *   sums; overhead comes on top.
 *
 * A container whose status reports resources (in-place resize) counts the largest of what is
 * wanted, allocated and in use; a resize that is infeasible does not count as wanted. Limits imply
 * nothing: the API server has filled in the requests that they default.
 */
#include <jansson.h>

#include "topology/base/arena.h"
#include "topology/base/error.h"
#include "topology/resources.h"

/* spec of the pod, NULL: an empty one. status: NULL allowed. Both borrowed, unchanged. *ret: in
 * arena, sorted by name, zero amounts left out, "pods" 1 added. Amounts are rounded up per
 * container (kube-scheduler rounds the sum up: ours is never less). Errors: SKR_INVALID with the
 * path of the field, SKR_LIMIT. O(size log resources). */
int skr_pod_requests_decode(struct skr_arena *arena, json_t *spec, json_t *status,
                            struct skr_quantities *ret, struct skr_error *error);

#endif
