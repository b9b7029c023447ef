/* SPDX-License-Identifier: Apache-2.0 */
/* What the steps of a decision share: its memory, its end, and names. */
#include "core/propagation/decision.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/propagation/steps.h"

static const char *const warning_name[] = {
    [SKR_WARNING_MAX_GROUPS_UNSET] = "MaxGroupsUnset",
    [SKR_WARNING_CLUSTER_MAX_EXCEEDED] = "ClusterMaxExceeded",
    [SKR_WARNING_WORKLOAD_AFFINITY_IGNORED] = "WorkloadAffinityIgnored",
    [SKR_WARNING_COMPONENT_SETS_OFF] = "ComponentSetsOff",
    [SKR_WARNING_SETS_COUNT_ENDED] = "SetsCountEnded",
    [SKR_WARNING_NODE_CLAIM_IGNORED] = "NodeClaimIgnored",
    [SKR_WARNING_SELECTED_UNUSED] = "SelectedUnused",
};
_Static_assert(sizeof warning_name / sizeof warning_name[0] == SKR_WARNING_COUNT,
               "a name per warning");

const char *skr_propagation_warning_name(enum skr_propagation_warning warning)
{
    return warning_name[warning];
}

void skr_propagation_warning_write(enum skr_propagation_warning warning, struct skr_strbuf *out)
{
    skr_strbuf_add(out, warning_name[warning]);
    if (warning == SKR_WARNING_WORKLOAD_AFFINITY_IGNORED) {
        skr_strbuf_add(out, ": workload affinity (placement.workloadAffinity, "
                            "spec.workloadAffinityGroups) is not supported. Clusters are chosen "
                            "as if it were absent. If it has to hold, leave the policy to "
                            "karmada-scheduler: recreate it without spec.schedulerName.");
    } else if (warning == SKR_WARNING_COMPONENT_SETS_OFF) {
        skr_strbuf_add(out, ": the workload has spec.components and goes to one cluster, but room "
                            "is counted in pods: what components request is ignored. If it has to "
                            "count, set karmada.options componentSets=on.");
    } else if (warning == SKR_WARNING_SETS_COUNT_ENDED) {
        skr_strbuf_add(out, ": sets of components on the nodes of resource models were counted up "
                            "to the limit of work, so a cluster may have room for more than its "
                            "estimate. Fewer components or fewer grades are counted to the end.");
    } else if (warning == SKR_WARNING_NODE_CLAIM_IGNORED) {
        skr_strbuf_add(out, ": replicas ask for certain nodes (nodeClaim), but room is counted on "
                            "all nodes of a cluster, as karmada-scheduler does without its "
                            "estimators. If the nodes have to count, run estimators and set "
                            "karmada.estimators.enabled.");
    }
}

bool skr_binding_asks_estimators(const struct skr_binding *binding,
                                 const struct skr_propagation_options *options)
{
    return skr_binding_uses_room(binding) &&
           (binding->placement.kind != SKR_DIVISION_DUPLICATED ||
            binding->placement.n_constraints > 0 || options->resource_filter);
}

uint32_t skr_binding_omissions(const struct skr_binding *binding,
                               const struct skr_propagation_options *options)
{
    const uint32_t affinity =
        binding->placement.has_workload_affinity || binding->has_affinity_groups;
    const uint32_t nodes = binding->asks_for_nodes && skr_binding_unseen(binding);
    const uint32_t sets = !options->component_sets && skr_binding_is_set(binding);
    return affinity << SKR_WARNING_WORKLOAD_AFFINITY_IGNORED |
           sets << SKR_WARNING_COMPONENT_SETS_OFF | nodes << SKR_WARNING_NODE_CLAIM_IGNORED;
}

const char *skr_binding_unseen(const struct skr_binding *binding)
{
    const enum skr_division_kind kind = binding->placement.kind;
    return kind == SKR_DIVISION_DYNAMIC || kind == SKR_DIVISION_AGGREGATED
               ? "Room is that of Cluster objects: estimators of clusters are not asked here. Gate "
                 "SchedulingOvercommitProtection of karmada-scheduler leaves no trace in objects "
                 "and is not taken into account."
               : NULL;
}

bool skr_binding_decision_fail(struct skr_binding_decision *decision,
                               enum skr_propagation_code code, const char *format, ...)
{
    char text[220];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    decision->code = code;
    snprintf(decision->message, sizeof decision->message, "%.30s: %s",
             skr_propagation_outcome(code, false).code, text);
    return false;
}

void *skr_binding_decision_array(struct skr_binding_decision *decision, size_t n, size_t size)
{
    void *array = skr_arena_array(decision->arena, n, size);
    skr_bug_on(!array);
    return array;
}

bool skr_binding_decision_divides(const struct skr_binding_decision *decision)
{
    return decision->binding->placement.kind != SKR_DIVISION_DUPLICATED &&
           skr_binding_has_replicas(decision->binding);
}

void skr_binding_decision_destroy(struct skr_binding_decision *decision)
{
    if (decision) {
        skr_tree_unref(decision->tree);
        skr_arena_destroy(decision->arena);
    }
}

void skr_selection_fail(struct skr_selection *selection, enum skr_propagation_code code,
                        const char *format, ...)
{
    va_list arguments;
    selection->code = code;
    selection->n = 0;
    va_start(arguments, format);
    vsnprintf(selection->message, sizeof selection->message, format, arguments);
    va_end(arguments);
}
