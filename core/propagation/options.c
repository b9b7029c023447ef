/* SPDX-License-Identifier: Apache-2.0 */
/* The table of options and profiles, and setting options by name. */
#include "core/propagation/options.h"

#include <stddef.h>
#include <string.h>

#include "topology/base/strbuf.h"

enum { VALUES_MAX = 3 };

#define FIELD(name) offsetof(struct skr_propagation_options, name)

static const struct option {
    const char *name;
    const char *value[VALUES_MAX + 1]; /* names by number */
    size_t offset;                     /* of the int in struct skr_propagation_options */
    int of_profile[SKR_PROFILE_COUNT];
} table[] = {
    {"topologySearch",
     {"upstream-then-exact", "upstream", "exact"},
     FIELD(topology_search),
     {SKR_SEARCH_UPSTREAM_THEN_EXACT, SKR_SEARCH_UPSTREAM, SKR_SEARCH_EXACT}},
    {"clusterCount",
     {"mixed", "max", "smallest"},
     FIELD(cluster_count),
     {SKR_COUNT_MIXED, SKR_COUNT_MAX, SKR_COUNT_SMALLEST}},
    {"noConstraint", {"all", "prefix"}, FIELD(prefix), {0, 0, 1}},
    {"clusterResourceFilter", {"off", "on"}, FIELD(resource_filter), {0, 0, 1}},
    {"missingTopology", {"rejected", "group"}, FIELD(default_group), {0, 0, 1}},
    {"groupScore", {"room", "highest"}, FIELD(highest_score), {0, 0, 1}},
    {"residentBypass", {"off", "on"}, FIELD(resident_bypass), {1, 1, 0}},
    {"omittedMax",
     {"unbounded", "0", "min"},
     FIELD(omitted_max),
     {SKR_OMITTED_UNBOUNDED, SKR_OMITTED_ZERO, SKR_OMITTED_MIN}},
    {"ranges", {"accepted", "strict"}, FIELD(strict_ranges), {0, 0, 1}},
    {"emptyWeightPreference", {"Static", "spread"}, FIELD(empty_weights_spread), {0, 1, 0}},
    {"shortage", {"Unschedulable", "SchedulerError"}, FIELD(shortage_is_error), {0, 1, 0}},
    {"resourceModels", {"off", "on"}, FIELD(resource_models), {1, 1, 1}},
    {"componentSets", {"off", "on"}, FIELD(component_sets), {0, 0, 0}},
    {"staticClusters", {"all", "matching"}, FIELD(matching_weights), {0, 0, 1}},
    {"emptyWorkloadPropagation", {"off", "on"}, FIELD(empty_workloads), {0, 0, 0}},
    /* Gates, as --feature-gates of karmada-scheduler names them (karmada pkg/features). */
    {"CustomizedClusterResourceModeling", {"false", "true"}, FIELD(resource_models), {1, 1, 1}},
    {"MultiplePodTemplatesScheduling", {"false", "true"}, FIELD(component_sets), {0, 0, 0}},
    {"SchedulingOvercommitProtection", {"false", "true"}, FIELD(overcommit_gate), {0, 0, 0}},
    {"PriorityBasedScheduling", {"false", "true"}, FIELD(told_by_objects), {0, 0, 0}},
    {"WorkloadAffinity", {"false", "true"}, FIELD(told_by_objects), {0, 0, 0}},
};

enum { OPTIONS = sizeof table / sizeof table[0] };

const char *const skr_propagation_profile_name[] = {"default", "upstream", "design"};
_Static_assert(sizeof skr_propagation_profile_name / sizeof *skr_propagation_profile_name ==
                   SKR_PROFILE_COUNT,
               "all named");

void skr_propagation_options_init(struct skr_propagation_options *options,
                                  enum skr_propagation_profile profile)
{
    for (size_t i = 0; i < OPTIONS; i++) {
        *(int *)((char *)options + table[i].offset) = table[i].of_profile[profile];
    }
}

static bool is(const char *name, const char *text, size_t n)
{
    return strlen(name) == n && strncmp(name, text, n) == 0;
}

/* text: the n bytes of "name=value". */
static int set_one(struct skr_propagation_options *options, const char *text, size_t n,
                   struct skr_error *error)
{
    const size_t name = strcspn(text, "=");
    if (name >= n) {
        return skr_error_set(error, SKR_INVALID, "option \"%.*s\": must be name=value",
                             n < 80 ? (int)n : 80, text);
    }
    const struct option *row = table;
    while (row < table + OPTIONS && !is(row->name, text, name)) {
        row++;
    }
    if (row == table + OPTIONS) {
        return skr_error_set(error, SKR_INVALID, "unknown option \"%.*s\"",
                             name < 60 ? (int)name : 60, text);
    }
    const char *value = text + name + 1;
    n -= name + 1;
    SKR_STRBUF(values);
    for (int i = 0; row->value[i]; i++) {
        if (is(row->value[i], value, n)) {
            *(int *)((char *)options + row->offset) = i;
            return 0;
        }
        skr_strbuf_addf(&values, "%s%s",
                        i == 0              ? ""
                        : row->value[i + 1] ? ", "
                                            : " or ",
                        row->value[i]);
    }
    return skr_error_set(error, SKR_INVALID, "option %s: must be %s, got \"%.*s\"", row->name,
                         values.s, n < 60 ? (int)n : 60, value);
}

int skr_propagation_options_set(struct skr_propagation_options *options, const char *text,
                                struct skr_error *error)
{
    static const char gap[] = ", ";
    int rc = 0;
    size_t n;
    for (text += strspn(text, gap); *text && rc == 0; text += n + strspn(text + n, gap)) {
        n = strcspn(text, gap);
        rc = set_one(options, text, n, error);
    }
    return rc;
}
