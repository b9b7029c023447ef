/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_DEVICES_POD_PROBLEM_H
#define SKR_CORE_DEVICES_POD_PROBLEM_H
/* The claims of a pod on the devices of a node, as numbers for the search. */
#include "core/devices/sequence.h"

/* Numbers live in the arena. False: it is full. *ret_why: the reason why they are unmodelled; NULL: they are
 * modelled. O(devices * requests). */
bool skr_pod_problem_make(const struct skr_devices_stock *stock, const struct skr_node_rows *rows,
                          const struct skr_pod_claims *pod, struct skr_arena *arena,
                          struct skr_devices_problem *ret, const char **ret_why);

/* Where devices are that may serve the claim; taken ones, too. O(devices * requests) after a change of the stock if it
 * has devices of several nodes, else O(1). */
enum skr_claim_reach skr_claim_reach_of(const struct skr_devices_stock *stock,
                                        const struct skr_claim_spec *spec);

/* Whether a taint of the device, or of a rule about it, keeps the request off. O(taints + rules). */
bool skr_device_is_tainted(const struct skr_devices_stock *stock,
                           const struct skr_claim_request *request,
                           const struct skr_device_slice *slice, const struct skr_device *device);

#endif
