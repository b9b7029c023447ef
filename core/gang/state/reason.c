/* SPDX-License-Identifier: Apache-2.0 */
/* Names of statuses and reasons. Users depend on them: they never change. */
#include "core/gang/state/reason.h"

#include <stddef.h>

static const char *const status_name[] = {
    [SKR_STATUS_WAITING] = "Waiting",     [SKR_STATUS_READY] = "Ready",
    [SKR_STATUS_ASSIGNED] = "Assigned",   [SKR_STATUS_PERMITTED] = "Permitted",
    [SKR_STATUS_BOUND] = "Bound",         [SKR_STATUS_PREEMPTING] = "Preempting",
    [SKR_STATUS_PREEMPTED] = "Preempted", [SKR_STATUS_FAILED] = "Failed",
    [SKR_STATUS_FINISHED] = "Finished",
};
_Static_assert(sizeof status_name / sizeof status_name[0] == SKR_STATUS_COUNT, "a name per status");

static const char *const reason_name[] = {
    [SKR_REASON_NONE] = "",
    [SKR_REASON_GROUP_NOT_FOUND] = "GroupNotFound",
    [SKR_REASON_GROUP_INVALID] = "GroupInvalid",
    [SKR_REASON_ROLE_UNKNOWN] = "RoleUnknown",
    [SKR_REASON_DUPLICATE_GROUP] = "DuplicateGroup",
    [SKR_REASON_ENTRY_CONFLICT] = "EntryConflict",
    [SKR_REASON_OWNER_NOT_READABLE] = "OwnerNotReadable",
    [SKR_REASON_SIZE_UNKNOWN] = "SizeUnknown",
    [SKR_REASON_NO_SUCH_TOPOLOGY_KEY] = "NoSuchTopologyKey",
    [SKR_REASON_PODS_NOT_HOMOGENEOUS] = "PodsNotHomogeneous",
    [SKR_REASON_TOPOLOGY_MISSING] = "TopologyMissing",
    [SKR_REASON_MEMBERS_MISSING] = "MembersMissing",
    [SKR_REASON_CLAIM_NOT_FOUND] = "ClaimNotFound",
    [SKR_REASON_CLAIM_IN_USE] = "ClaimInUse",
    [SKR_REASON_WAITING_FOR_CLAIMS] = "WaitingForClaims",
    [SKR_REASON_EVALUATION_BUDGET] = "EvaluationBudget",
    [SKR_REASON_CONSTRAINT_CONFLICT] = "ConstraintConflict",
    [SKR_REASON_NEVER_FITS] = "NeverFits",
    [SKR_REASON_TOPOLOGY_PLACEMENT_FAILED] = "TopologyPlacementFailed",
    [SKR_REASON_ROLES_NOT_PLACED] = "RolesNotPlaced",
    [SKR_REASON_PINNED_NODE_FULL] = "PinnedNodeFull",
    [SKR_REASON_WAITING_FOR_CAPACITY] = "WaitingForCapacity",
    [SKR_REASON_WAITING_FOR_PREEMPTION] = "WaitingForPreemption",
    [SKR_REASON_MOVED] = "Moved",
    [SKR_REASON_FILTERED_BY_OTHERS] = "FilteredByOthers",
    [SKR_REASON_PLAN_TIMEOUT] = "PlanTimeout",
    [SKR_REASON_BIND_FAILED] = "BindFailed",
};
_Static_assert(sizeof reason_name / sizeof reason_name[0] == SKR_REASON_COUNT, "a name per reason");

static const char *const class_name[] = {
    [SKR_REASON_NONE] = "",
    [SKR_REASON_GROUP_NOT_FOUND] = "config",
    [SKR_REASON_GROUP_INVALID] = "config",
    [SKR_REASON_ROLE_UNKNOWN] = "config",
    [SKR_REASON_DUPLICATE_GROUP] = "config",
    [SKR_REASON_ENTRY_CONFLICT] = "config",
    [SKR_REASON_OWNER_NOT_READABLE] = "config",
    [SKR_REASON_SIZE_UNKNOWN] = "config",
    [SKR_REASON_NO_SUCH_TOPOLOGY_KEY] = "config",
    [SKR_REASON_PODS_NOT_HOMOGENEOUS] = "config",
    [SKR_REASON_TOPOLOGY_MISSING] = "config",
    [SKR_REASON_MEMBERS_MISSING] = "progress",
    [SKR_REASON_CLAIM_NOT_FOUND] = "config",
    [SKR_REASON_CLAIM_IN_USE] = "progress",
    [SKR_REASON_WAITING_FOR_CLAIMS] = "progress",
    [SKR_REASON_EVALUATION_BUDGET] = "config",
    [SKR_REASON_CONSTRAINT_CONFLICT] = "topology",
    [SKR_REASON_NEVER_FITS] = "capacity",
    [SKR_REASON_TOPOLOGY_PLACEMENT_FAILED] = "topology",
    [SKR_REASON_ROLES_NOT_PLACED] = "topology",
    [SKR_REASON_PINNED_NODE_FULL] = "capacity",
    [SKR_REASON_WAITING_FOR_CAPACITY] = "capacity",
    [SKR_REASON_WAITING_FOR_PREEMPTION] = "progress",
    [SKR_REASON_MOVED] = "progress",
    [SKR_REASON_FILTERED_BY_OTHERS] = "topology",
    [SKR_REASON_PLAN_TIMEOUT] = "progress",
    [SKR_REASON_BIND_FAILED] = "progress",
};
_Static_assert(sizeof class_name / sizeof class_name[0] == SKR_REASON_COUNT, "a class per reason");

const char *skr_group_status_name(enum skr_group_status status)
{
    return (size_t)status < SKR_STATUS_COUNT ? status_name[status] : "";
}

const char *skr_reason_name(enum skr_reason reason)
{
    return (size_t)reason < SKR_REASON_COUNT ? reason_name[reason] : "";
}

const char *skr_reason_class(enum skr_reason reason)
{
    return (size_t)reason < SKR_REASON_COUNT ? class_name[reason] : "";
}
