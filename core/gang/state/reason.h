/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_STATE_REASON_H
#define SKR_CORE_GANG_STATE_REASON_H
/* Words that users and scripts see: statuses, reasons, and the texts of rejections. The texts are
 * constant: a changing text would make kube-scheduler requeue a pod forever. */

enum skr_group_status {
    SKR_STATUS_WAITING,
    SKR_STATUS_READY,
    SKR_STATUS_ASSIGNED,
    SKR_STATUS_PERMITTED,
    SKR_STATUS_BOUND,
    SKR_STATUS_PREEMPTING,
    SKR_STATUS_PREEMPTED,
    SKR_STATUS_FAILED,
    SKR_STATUS_FINISHED,
    SKR_STATUS_COUNT
};

/* The order is the precedence: the first that applies is the reason. */
enum skr_reason {
    SKR_REASON_NONE,
    SKR_REASON_GROUP_NOT_FOUND,
    SKR_REASON_GROUP_INVALID,
    SKR_REASON_ROLE_UNKNOWN,
    SKR_REASON_DUPLICATE_GROUP,
    SKR_REASON_ENTRY_CONFLICT,
    SKR_REASON_OWNER_NOT_READABLE,
    SKR_REASON_SIZE_UNKNOWN,
    SKR_REASON_NO_SUCH_TOPOLOGY_KEY,
    SKR_REASON_PODS_NOT_HOMOGENEOUS,
    SKR_REASON_TOPOLOGY_MISSING,
    SKR_REASON_MEMBERS_MISSING,
    SKR_REASON_CLAIM_NOT_FOUND,
    SKR_REASON_CLAIM_IN_USE,
    SKR_REASON_WAITING_FOR_CLAIMS,
    SKR_REASON_EVALUATION_BUDGET,
    SKR_REASON_CONSTRAINT_CONFLICT,
    SKR_REASON_NEVER_FITS,
    SKR_REASON_TOPOLOGY_PLACEMENT_FAILED,
    SKR_REASON_ROLES_NOT_PLACED,
    SKR_REASON_PINNED_NODE_FULL,
    SKR_REASON_WAITING_FOR_CAPACITY,
    SKR_REASON_WAITING_FOR_PREEMPTION,
    SKR_REASON_MOVED,
    SKR_REASON_FILTERED_BY_OTHERS,
    SKR_REASON_PLAN_TIMEOUT,
    SKR_REASON_BIND_FAILED,
    SKR_REASON_COUNT
};

const char *skr_group_status_name(enum skr_group_status status); /* "Waiting" */
const char *skr_reason_name(enum skr_reason reason);             /* "MembersMissing"; "" for NONE */
/* "config", "capacity", "topology" or "progress"; "" for NONE */
const char *skr_reason_class(enum skr_reason reason);

/* Tokens of explanations that are never a group's reason: warnings (class config), devices
 * (capacity or config), and placed groups in progress (progress). */
#define SKR_TOKEN_UNKNOWN_LEVEL     "UnknownLevel"
#define SKR_TOKEN_LINT_WARNINGS     "LintWarnings"
#define SKR_TOKEN_TOO_MANY_ROLES    "TooManyRoles"
#define SKR_TOKEN_ROLES_CHANGED     "RolesChanged"
#define SKR_TOKEN_OVERRIDDEN        "PodGroupOverridden"
#define SKR_TOKEN_NOT_UNIFORM       "EntryNotUniform"
#define SKR_TOKEN_GANG_PLUGIN       "GangPluginActive"
#define SKR_TOKEN_COMPOSITE         "CompositeIgnored"
#define SKR_TOKEN_BEYOND_SIZE       "BeyondSize"
#define SKR_TOKEN_OTHER_GENERATION  "OtherGeneration"
#define SKR_TOKEN_SCHEDULER_NAME    "SchedulerName"
#define SKR_TOKEN_NODES_NOT_IN_TREE "NodesNotInTree"
#define SKR_TOKEN_DEVICES           "DevicesNotCounted"
#define SKR_TOKEN_DEVICES_COUNTED   "DevicesCounted"
#define SKR_TOKEN_DEVICES_KEPT      "DevicesKept"
#define SKR_TOKEN_ASSIGNED          "Assigned"
#define SKR_TOKEN_PERMITTED         "Permitted"
#define SKR_TOKEN_SEAT_HELD         "SeatHeld"
#define SKR_TOKEN_AUTOSCALERS       "SeenByAutoscalers"
#define SKR_TOKEN_RESERVED          "RoomReserved"
#define SKR_TOKEN_KUEUE             "KueueEvicts"
#define SKR_TOKEN_DEADLINE          "DeadlineBeforeStart"
#define SKR_TOKEN_MOVES             "GroupsMayMove"

/* Condition PodScheduled of a member that is nominated after kube-scheduler's own filters refused it.
 * kube-scheduler writes nothing if it refuses a pod again in the words that the pod has; other words it
 * replaces (pkg/scheduler/schedule_one.go, updatePod). It is no text of the extender: it has no colon. */
#define SKR_TEXT_ASKED_AGAIN \
    "sakkara has planned a node for this pod, and kube-scheduler is asked again"
#define SKR_TEXT_NOT_FOUND     "sakkara: group not found"
#define SKR_TEXT_INVALID       "sakkara: group is invalid"
#define SKR_TEXT_MEMBERS       "sakkara: group waits for members"
#define SKR_TEXT_PLANNING      "sakkara: group is being planned"
#define SKR_TEXT_CAPACITY      "sakkara: group waits for capacity"
#define SKR_TEXT_TOPOLOGY      "sakkara: group does not fit its topology constraints"
#define SKR_TEXT_VICTIMS       "sakkara: group waits for victims to leave"
#define SKR_TEXT_BEYOND        "sakkara: pod is beyond the size of its group"
#define SKR_TEXT_GENERATION    "sakkara: pod is of another generation of its group"
#define SKR_TEXT_ROLE          "sakkara: pod has no role of its group"
#define SKR_TEXT_FOLLOWER      "sakkara: pod waits for room beside its group"
#define SKR_TEXT_RESERVED      "sakkara: node is reserved for a group"
#define SKR_TEXT_BOOKED        "sakkara: room is reserved for a group"
#define SKR_TEXT_SPARE         "sakkara: node is kept as a spare"
#define SKR_TEXT_NOT_READY     "sakkara: not ready"
#define SKR_TEXT_NOT_LEADER    "sakkara: not leader"
#define SKR_TEXT_ALREADY_BOUND "sakkara: pod is already bound"
#define SKR_TEXT_MALFORMED     "sakkara: malformed request"
#define SKR_TEXT_WRONG_NODE    "sakkara: node is not the planned one"
#define SKR_TEXT_REPLACED      "sakkara: pod was replaced"
#define SKR_TEXT_SUPERSEDED    "sakkara: superseded"
#define SKR_TEXT_ABORTED       "sakkara: plan aborted"
#define SKR_TEXT_EXPIRED       "sakkara: hold expired"
#define SKR_TEXT_BIND_FAILED   "sakkara: binding failed"

/* A warning of a group, and of the log. */
#define SKR_TEXT_GANG_PLUGIN                                                                \
    "plugin GangScheduling of kube-scheduler holds pods: large groups are bound slowly or " \
    "not at all; disable it in the profile (plugins.multiPoint.disabled)"

#endif
