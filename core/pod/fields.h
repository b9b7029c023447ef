/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_POD_FIELDS_H
#define SKR_CORE_POD_FIELDS_H
/*
 * The fields of a pod that the program reads, found in its JSON and checked for their types and limits.
 * Nothing is copied: core/pod/pod.c copies what differs between pods of one template, and the rest is the
 * pod's shape (core/pod/shapes.c).
 */
#include "core/pod/pod.h"
#include "topology/base/json.h"

/* What decides about the shape, as it is in the JSON. */
enum skr_pod_shape_part {
    SKR_POD_PART_CONTAINERS,
    SKR_POD_PART_INIT_CONTAINERS,
    SKR_POD_PART_STATUSES,
    SKR_POD_PART_INIT_STATUSES,
    SKR_POD_PART_LISTS, /* how many of these there are: of their items a few members count */
    SKR_POD_PART_OVERHEAD = SKR_POD_PART_LISTS,
    SKR_POD_PART_RESOURCES,
    SKR_POD_PART_NODE_SELECTOR,
    SKR_POD_PART_TOLERATIONS,
    SKR_POD_PART_CLAIMS,
    SKR_POD_PART_STATUS_RESOURCES,
    SKR_POD_PART_STATUS_ALLOCATED,
    SKR_POD_PART_RESIZE, /* reason of the condition PodResizePending */
    SKR_POD_PART_AFFINITY,
    SKR_POD_PART_SPREAD,
    SKR_POD_PART_COUNT
};

/* Everything is borrowed. Strings, objects and arrays are NULL if they are absent or null. */
struct skr_pod_fields {
    struct skr_meta_members meta;
    const struct skr_json *spec, *status;
    /* of the owner that is the controller */
    const struct skr_json *controller_uid, *controller_version, *controller_kind, *controller_name;
    const struct skr_json *foreign_gate_name;
    const struct skr_json *scheduling_group; /* the name of its PodGroup of scheduling.k8s.io */
    const struct skr_json *scheduler, *node, *nominated, *failed_reason;
    const struct skr_json *scheduled_reason, *scheduled_message; /* of PodScheduled=False */
    const struct skr_json *bound_at; /* when that became True; any value */
    enum skr_pod_phase phase;
    int32_t priority, grace_s, deadline_s;
    skr_time started;
    bool has_priority, preempts_never, gate, foreign_gate, has_controller, of_job, rooted;
    bool is_unscheduled, is_resizing;
    bool late_capacity;                              /* volumes or devices that are bound late */
    const struct skr_json *part[SKR_POD_PART_COUNT]; /* any values; lists are arrays or NULL */
};

/* json: any value. SKR_INVALID with the path of the field, SKR_LIMIT. What metadata says is not checked. */
int skr_pod_fields_find(const struct skr_json *json, struct skr_pod_fields *ret,
                        struct skr_error *error);

#endif
