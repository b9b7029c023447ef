/* SPDX-License-Identifier: Apache-2.0 */
/* The table of options and profiles, and setting one by name. */
#include "core/propagation/options.h"

#include <ctype.h>
#include <string.h>

enum { NAME_MAX_BYTES = 64 };

static const char *const switches[] = {"off", "on", NULL};
static const char *const searches[] = {"upstream-then-exact", "upstream", "exact", NULL};
static const char *const counts[] = {"mixed", "max", "smallest", NULL};
static const char *const unconstrained[] = {"all", "prefix", NULL};
static const char *const missing[] = {"rejected", "group", NULL};
static const char *const scores[] = {"room", "highest", NULL};
static const char *const maxima[] = {"unbounded", "0", "min", NULL};
static const char *const ranges[] = {"accepted", "strict", NULL};
static const char *const empties[] = {"Static", "spread", NULL};
static const char *const shortages[] = {"Unschedulable", "SchedulerError", NULL};
static const char *const statics[] = {"all", "matching", NULL};

#define FIELD(name) offsetof(struct skr_propagation_options, name)

const struct skr_propagation_option skr_propagation_option_table[] = {
    {"topologySearch",
     searches,
     "how provider, region and zone constraints are solved",
     FIELD(topology_search),
     {SKR_SEARCH_UPSTREAM_THEN_EXACT, SKR_SEARCH_UPSTREAM, SKR_SEARCH_EXACT}},
    {"clusterCount",
     counts,
     "how many clusters between minGroups and maxGroups",
     FIELD(cluster_count),
     {SKR_COUNT_MIXED, SKR_COUNT_MAX, SKR_COUNT_SMALLEST}},
    {"noConstraint",
     unconstrained,
     "clusters of a divided workload without spread constraints",
     FIELD(prefix),
     {0, 0, 1}},
    {"clusterResourceFilter",
     switches,
     "a Duplicated workload needs room for all its replicas",
     FIELD(resource_filter),
     {0, 0, 1}},
    {"missingTopology",
     missing,
     "clusters without a provider, region or zone that is asked for",
     FIELD(default_group),
     {0, 0, 1}},
    {"groupScore",
     scores,
     "what a group is worth: by room, or its best cluster's score",
     FIELD(highest_score),
     {0, 0, 1}},
    {"residentBypass",
     switches,
     "taints and kinds are not checked where the object runs",
     FIELD(resident_bypass),
     {1, 1, 0}},
    {"omittedMax",
     maxima,
     "what maxGroups is when it is absent or 0",
     FIELD(omitted_max),
     {SKR_OMITTED_UNBOUNDED, SKR_OMITTED_ZERO, SKR_OMITTED_MIN}},
    {"ranges",
     ranges,
     "strict: min = max above clusters, clusters at most 10 apart",
     FIELD(strict_ranges),
     {0, 0, 1}},
    {"emptyWeightPreference",
     empties,
     "what weightPreference {} is; spread: constraints apply",
     FIELD(empty_weights_spread),
     {0, 1, 0}},
    {"shortage",
     shortages,
     "the reason that a shortage in select is reported with",
     FIELD(shortage_is_error),
     {0, 1, 0}},
    {"staticClusters",
     statics,
     "clusters of static weights: all, or those that a rule matches",
     FIELD(matching_weights),
     {0, 0, 1}},
    {"emptyWorkloadPropagation",
     switches,
     "selected clusters without replicas are listed with 0",
     FIELD(empty_propagation),
     {0, 0, 0}},
    {.name = NULL}};

static const char *const profiles[] = {"default", "upstream", "design", NULL};

/* Other ways to say a value, as the documents put it. */
static const struct alias {
    const char *option, *alias, *value;
} aliases[] = {
    {"topologysearch", "53then54", "upstream-then-exact"},
    {"topologysearch", "54", "exact"},
    {"topologysearch", "exact54", "exact"},
    {"clustercount", "max5253smallest54", "mixed"},
    {"noconstraint", "allfeasible", "all"},
    {"noconstraint", "orderprefix", "prefix"},
    {"missingtopology", "reject", "rejected"},
    {"missingtopology", "groupdefault", "group"},
    {"missingtopology", "defaultgroup", "group"},
    {"groupscore", "section4", "room"},
    {"groupscore", "highestmemberscore", "highest"},
    {"groupscore", "highestmember", "highest"},
    {"omittedmax", "zero", "0"},
    {"omittedmax", "mingroups", "min"},
    {"omittedmax", "equaltomingroups", "min"},
    {"ranges", "regioncluster", "accepted"},
    {"emptyweightpreference", "constraints", "spread"},
    {"emptyweightpreference", "constraintsapply", "spread"},
    {"emptyweightpreference", "equal", "spread"},
    {"emptyweightpreference", "equalweights", "spread"},
    {"shortage", "schedulererrorbackoff", "SchedulerError"},
};

/* Lower case, letters and digits alone. */
static void plain(const char *text, char buffer[NAME_MAX_BYTES])
{
    size_t n = 0;
    for (; *text != '\0' && n + 1 < NAME_MAX_BYTES; text++) {
        if (isalnum((unsigned char)*text)) {
            buffer[n++] = (char)tolower((unsigned char)*text);
        }
    }
    buffer[n] = '\0';
}

static bool same(const char *plain_text, const char *text)
{
    char other[NAME_MAX_BYTES];
    plain(text, other);
    return strcmp(plain_text, other) == 0;
}

void skr_propagation_options_init(struct skr_propagation_options *options,
                                  enum skr_propagation_profile profile)
{
    *options = (struct skr_propagation_options){.topology_search = 0};
    for (size_t i = 0; skr_propagation_option_table[i].name; i++) {
        const struct skr_propagation_option *row = &skr_propagation_option_table[i];
        *(int *)((char *)options + row->offset) = row->of_profile[profile];
    }
}

static const struct skr_propagation_option *find_option(const char *name)
{
    char wanted[NAME_MAX_BYTES];
    plain(name, wanted);
    if (strcmp(wanted, "shortageinselect") == 0) {
        memcpy(wanted, "shortage", sizeof "shortage");
    }
    for (size_t i = 0; skr_propagation_option_table[i].name; i++) {
        if (same(wanted, skr_propagation_option_table[i].name)) {
            return &skr_propagation_option_table[i];
        }
    }
    return NULL;
}

static int find_value(const struct skr_propagation_option *row, const char *value)
{
    char option[NAME_MAX_BYTES];
    char wanted[NAME_MAX_BYTES];
    plain(row->name, option);
    plain(value, wanted);
    for (size_t i = 0; i < sizeof aliases / sizeof aliases[0]; i++) {
        if (strcmp(option, aliases[i].option) == 0 && strcmp(wanted, aliases[i].alias) == 0) {
            plain(aliases[i].value, wanted);
        }
    }
    for (int i = 0; row->value[i]; i++) {
        if (same(wanted, row->value[i])) {
            return i;
        }
    }
    if (row->value == switches && (strcmp(wanted, "true") == 0 || strcmp(wanted, "false") == 0)) {
        return strcmp(wanted, "true") == 0;
    }
    for (int i = 0; profiles[i]; i++) {
        if (strcmp(wanted, profiles[i]) == 0) {
            return row->of_profile[i];
        }
    }
    return -1;
}

int skr_propagation_options_set(struct skr_propagation_options *options, const char *name,
                                const char *value, struct skr_error *error)
{
    const struct skr_propagation_option *row = find_option(name);
    if (!row) {
        return skr_error_set(error, SKR_NOT_FOUND, "unknown option \"%.60s\"", name);
    }
    int number = find_value(row, value);
    if (number < 0) {
        return skr_error_set(
            error, SKR_INVALID, "option %s: must be %s%s%s%s%s or a profile, got \"%.60s\"",
            row->name, row->value[0], row->value[1] ? ", " : "", row->value[1] ? row->value[1] : "",
            row->value[1] && row->value[2] ? ", " : "",
            row->value[1] && row->value[2] ? row->value[2] : "", value);
    }
    *(int *)((char *)options + row->offset) = number;
    return 0;
}

int skr_propagation_profile_find(const char *name, enum skr_propagation_profile *ret,
                                 struct skr_error *error)
{
    for (int i = 0; profiles[i]; i++) {
        if (strcmp(name, profiles[i]) == 0) {
            *ret = (enum skr_propagation_profile)i;
            return 0;
        }
    }
    return skr_error_set_key(error, SKR_NOT_FOUND, "profile",
                             "must be default, upstream or design, got \"%.60s\"", name);
}
