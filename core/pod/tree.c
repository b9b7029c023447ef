/* SPDX-License-Identifier: Apache-2.0 */
/* One walk over each of metadata, spec and status. */
#include "core/pod/tree.h"

#include "topology/base/json_field.h"

static const char *const spec_key[] = {
    [SKR_POD_SPEC_CONTAINERS] = "containers",
    [SKR_POD_SPEC_INIT_CONTAINERS] = "initContainers",
    [SKR_POD_SPEC_VOLUMES] = "volumes",
    [SKR_POD_SPEC_OVERHEAD] = "overhead",
    [SKR_POD_SPEC_RESOURCES] = "resources",
    [SKR_POD_SPEC_NODE_SELECTOR] = "nodeSelector",
    [SKR_POD_SPEC_TOLERATIONS] = "tolerations",
    [SKR_POD_SPEC_RESOURCE_CLAIMS] = "resourceClaims",
    [SKR_POD_SPEC_AFFINITY] = "affinity",
    [SKR_POD_SPEC_SPREAD] = "topologySpreadConstraints",
    [SKR_POD_SPEC_SCHEDULER] = "schedulerName",
    [SKR_POD_SPEC_NODE] = "nodeName",
    [SKR_POD_SPEC_PREEMPTION] = "preemptionPolicy",
    [SKR_POD_SPEC_PRIORITY] = "priority",
    [SKR_POD_SPEC_GRACE] = "terminationGracePeriodSeconds",
    [SKR_POD_SPEC_GATES] = "schedulingGates",
};
_Static_assert(sizeof spec_key / sizeof spec_key[0] == SKR_POD_SPEC_COUNT, "a key per member");

static const char *const status_key[] = {
    [SKR_POD_STATUS_PHASE] = "phase",
    [SKR_POD_STATUS_CONDITIONS] = "conditions",
    [SKR_POD_STATUS_NOMINATED] = "nominatedNodeName",
    [SKR_POD_STATUS_REASON] = "reason",
    [SKR_POD_STATUS_RESOURCES] = "resources",
    [SKR_POD_STATUS_ALLOCATED] = "allocatedResources",
    [SKR_POD_STATUS_CONTAINERS] = "containerStatuses",
    [SKR_POD_STATUS_INIT_CONTAINERS] = "initContainerStatuses",
};
_Static_assert(sizeof status_key / sizeof status_key[0] == SKR_POD_STATUS_COUNT,
               "a key per member");

const char *skr_pod_spec_key(enum skr_pod_spec_member which)
{
    return spec_key[which];
}

const char *skr_pod_status_key(enum skr_pod_status_member which)
{
    return status_key[which];
}

void skr_pod_tree_read(const json_t *json, struct skr_pod_tree *ret)
{
    skr_meta_tree_read(json, &ret->meta);
    ret->spec = json_object_get(json, "spec");
    ret->status = json_object_get(json, "status");
    skr_object_members(ret->spec, spec_key, SKR_POD_SPEC_COUNT, ret->of_spec);
    skr_object_members(ret->status, status_key, SKR_POD_STATUS_COUNT, ret->of_status);
}
