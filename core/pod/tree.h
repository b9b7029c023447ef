/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_POD_TREE_H
#define SKR_CORE_POD_TREE_H
/* The members of a pod's JSON tree that core/pod/pod.c and core/pod/templates.c look at, looked up once for
 * both. Each is borrowed and as it is in the tree; NULL: absent, or what it would be in is no object. */
#include "topology/object.h"

enum skr_pod_spec_member {
    /* What core/pod/shape.c reads of a pod without rules about other pods. */
    SKR_POD_SPEC_CONTAINERS,
    SKR_POD_SPEC_INIT_CONTAINERS,
    SKR_POD_SPEC_VOLUMES,
    SKR_POD_SPEC_OVERHEAD,
    SKR_POD_SPEC_RESOURCES,
    SKR_POD_SPEC_NODE_SELECTOR,
    SKR_POD_SPEC_TOLERATIONS,
    SKR_POD_SPEC_RESOURCE_CLAIMS,
    SKR_POD_SPEC_PARTS, /* how many these are */
    SKR_POD_SPEC_AFFINITY = SKR_POD_SPEC_PARTS,
    SKR_POD_SPEC_SPREAD,
    SKR_POD_SPEC_SCHEDULER,
    SKR_POD_SPEC_NODE,
    SKR_POD_SPEC_PREEMPTION,
    SKR_POD_SPEC_PRIORITY,
    SKR_POD_SPEC_GRACE,
    SKR_POD_SPEC_GATES,
    SKR_POD_SPEC_COUNT
};

enum skr_pod_status_member {
    SKR_POD_STATUS_PHASE,
    SKR_POD_STATUS_CONDITIONS,
    SKR_POD_STATUS_NOMINATED,
    SKR_POD_STATUS_REASON,
    SKR_POD_STATUS_RESOURCES,
    SKR_POD_STATUS_ALLOCATED,
    SKR_POD_STATUS_CONTAINERS,
    SKR_POD_STATUS_INIT_CONTAINERS,
    SKR_POD_STATUS_COUNT
};

struct skr_pod_tree {
    struct skr_meta_tree meta;
    json_t *spec, *status;
    json_t *of_spec[SKR_POD_SPEC_COUNT];
    json_t *of_status[SKR_POD_STATUS_COUNT];
};

/* json: any. */
void skr_pod_tree_read(const json_t *json, struct skr_pod_tree *ret);
/* The keys, for messages. */
const char *skr_pod_spec_key(enum skr_pod_spec_member which);
const char *skr_pod_status_key(enum skr_pod_status_member which);

#endif
