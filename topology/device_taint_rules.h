/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TOPOLOGY_DEVICE_TAINT_RULES_H
#define SKR_TOPOLOGY_DEVICE_TAINT_RULES_H
/*
 * DeviceTaintRules (resource.k8s.io, v1beta2 or v1): a taint of all devices that the rule selects
 * (KEP-5055). A rule without a selector is about all devices in Kubernetes 1.36, and about none from 1.37
 * on (k8s.io/dynamic-resource-allocation, resourceslice/tracker).
 */
#include "topology/device_slices.h"

struct skr_device_taint_rule {
    struct skr_arena *arena;
    struct skr_meta meta;
    bool selects;                       /* it has a selector */
    const char *driver, *pool, *device; /* that it selects; "": any */
    struct skr_device_taint taint;
};

/* Borrows json. *ret is owned by the caller. Errors: SKR_INVALID (path of the field), SKR_LIMIT. */
int skr_device_taint_rule_decode(const json_t *json, struct skr_device_taint_rule **ret,
                                 struct skr_error *error);
void skr_device_taint_rule_destroy(struct skr_device_taint_rule *rule); /* NULL allowed */

#endif
