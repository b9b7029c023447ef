/* SPDX-License-Identifier: Apache-2.0 */
/* What the steps of a decision share: its memory, its end, and names. */
#include "core/propagation/decision.h"

#include <stdarg.h>
#include <stdio.h>

#include "core/propagation/steps.h"

static const struct {
    const char *name, *text;
} warning[] = {
    [SKR_WARNING_MAX_GROUPS_UNSET] = {"MaxGroupsUnset", ""},
    [SKR_WARNING_CLUSTER_MAX_EXCEEDED] =
        {"ClusterMaxExceeded", ": there are more regions than maxGroups of cluster allows. One "
                               "cluster of each region was selected."},
    [SKR_WARNING_CONSTRAINTS_IGNORED] =
        {"ConstraintsIgnored", ": spreadConstraints do not act, as in karmada-scheduler: with "
                               "static weights none does, and with the profile upstream none on "
                               "provider or zone. If they have to hold, divide by dynamicWeight, "
                               "or use the profile default."},
    [SKR_WARNING_WORKLOAD_AFFINITY_IGNORED] =
        {"WorkloadAffinityIgnored",
         ": workload affinity (placement.workloadAffinity, spec.workloadAffinityGroups) is not "
         "supported. Clusters are chosen as if it were absent. If it has to hold, leave the policy "
         "to karmada-scheduler: recreate it without spec.schedulerName."},
    [SKR_WARNING_COMPONENT_SETS_OFF] =
        {"ComponentSetsOff", ": the workload has spec.components and goes to one cluster, but room "
                             "is counted in pods: what components request is ignored. If it has to "
                             "count, set karmada.options componentSets=on."},
    [SKR_WARNING_SETS_COUNT_ENDED] =
        {"SetsCountEnded", ": sets of components on the nodes of resource models were counted up "
                           "to the limit of work, so a cluster may have room for more than its "
                           "estimate. Fewer components or fewer grades are counted to the end."},
    [SKR_WARNING_NODE_CLAIM_IGNORED] =
        {"NodeClaimIgnored", ": replicas ask for certain nodes (nodeClaim), but room is counted on "
                             "all nodes of a cluster, as karmada-scheduler does without its "
                             "estimators. If the nodes have to count, run estimators and set "
                             "karmada.estimators.enabled."},
    [SKR_WARNING_OVERCOMMIT_GATE_IGNORED] =
        {"OvercommitGateIgnored", ": gate SchedulingOvercommitProtection of karmada-scheduler is "
                                  "on, and not supported. Room does not account for replicas that "
                                  "were placed so recently that no cluster reports them. If they "
                                  "have to count, leave the policy to karmada-scheduler: recreate "
                                  "it without spec.schedulerName."},
    [SKR_WARNING_SELECTED_UNUSED] = {"SelectedUnused", ""},
};
_Static_assert(sizeof warning / sizeof *warning == SKR_WARNING_COUNT, "a row per warning");

const char *skr_propagation_warning_name(enum skr_propagation_warning which)
{
    return warning[which].name;
}

void skr_propagation_warning_write(enum skr_propagation_warning which, struct skr_strbuf *out)
{
    skr_strbuf_addf(out, "%s%s", warning[which].name, warning[which].text);
}

bool skr_binding_ignores_constraints(const struct skr_binding_placement *placement,
                                     const struct skr_propagation_options *options)
{
    return placement->kind == SKR_DIVISION_STATIC &&
           !(placement->empty_preference && options->empty_weights_spread);
}

/* Whether a constraint does not act: all with static weights; in karmada-scheduler's search those on
 * providers and zones beside others. */
static bool ignores_a_constraint(const struct skr_binding_placement *placement,
                                 const struct skr_propagation_options *options)
{
    bool has[2] = {false, false}; /* one that its search knows, one that it does not */
    for (size_t i = 0; i < placement->n_constraints; i++) {
        const enum skr_spread_field field = placement->constraint[i].field;
        has[field == SKR_SPREAD_PROVIDER || field == SKR_SPREAD_ZONE] = true;
    }
    return skr_binding_ignores_constraints(placement, options)
               ? placement->n_constraints > 0
               : options->topology_search == SKR_SEARCH_UPSTREAM && has[0] && has[1];
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
    const bool room = skr_binding_asks_estimators(binding, options);
    const uint32_t affinity =
        binding->placement.has_workload_affinity || binding->has_affinity_groups;
    const uint32_t constraints = ignores_a_constraint(&binding->placement, options);
    const uint32_t nodes = binding->asks_for_nodes && room;
    const uint32_t sets = !options->component_sets && skr_binding_is_set(binding);
    const uint32_t gate = options->overcommit_gate && room;
    return affinity << SKR_WARNING_WORKLOAD_AFFINITY_IGNORED |
           constraints << SKR_WARNING_CONSTRAINTS_IGNORED | sets << SKR_WARNING_COMPONENT_SETS_OFF |
           nodes << SKR_WARNING_NODE_CLAIM_IGNORED | gate << SKR_WARNING_OVERCOMMIT_GATE_IGNORED;
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
