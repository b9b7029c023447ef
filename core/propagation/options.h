/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_PROPAGATION_OPTIONS_H
#define SKR_CORE_PROPAGATION_OPTIONS_H
/*
 * What a decision does where karmada-scheduler and the 2022 refactor design differ: a profile sets
 * every option, each can be set alone. One table feeds parser, help and reference.
 */
#include <stdbool.h>
#include <stddef.h>

#include "topology/base/error.h"

enum skr_propagation_profile {
    SKR_PROFILE_DEFAULT,  /* upstream's answers where they are legal, exact ones elsewhere */
    SKR_PROFILE_UPSTREAM, /* what karmada-scheduler v1.19 does */
    SKR_PROFILE_DESIGN,   /* what the refactor design asks for */
    SKR_PROFILE_COUNT
};

enum skr_topology_search {
    SKR_SEARCH_UPSTREAM_THEN_EXACT,
    SKR_SEARCH_UPSTREAM, /* regions alone, room unchecked; a cluster counts in each of its zones */
    SKR_SEARCH_EXACT,
};
enum skr_cluster_count { SKR_COUNT_MIXED, SKR_COUNT_MAX, SKR_COUNT_SMALLEST };
enum skr_omitted_max { SKR_OMITTED_UNBOUNDED, SKR_OMITTED_ZERO, SKR_OMITTED_MIN };

struct skr_propagation_options {
    int topology_search; /* enum skr_topology_search */
    int cluster_count;   /* enum skr_cluster_count; MIXED: most, but fewest in the exact search */
    int prefix;          /* without constraints: 1 the first clusters that have the room, 0 all */
    int resource_filter; /* Duplicated workloads need room for all replicas */
    int default_group;   /* clusters without a property: 1 group "default", 0 rejected */
    int highest_score;   /* of a group: 1 its best member's, 0 by room */
    int resident_bypass; /* taints and kinds are not checked where the object runs */
    int omitted_max;     /* enum skr_omitted_max */
    int strict_ranges;   /* min = max above clusters, cluster range at most 10 wide */
    int empty_weights_spread; /* weightPreference {}: 1 constraints apply to it */
    int shortage_is_error;    /* a shortage in select is a SchedulerError */
    int matching_weights;     /* Static: 1 only clusters that a rule matches, 0 all */
    int empty_propagation;    /* selected clusters without replicas are listed with 0 */
};

struct skr_propagation_option {
    const char *name;
    const char *const *value; /* names by number; ends with NULL */
    const char *text;         /* one line of help */
    size_t offset;            /* of the int in struct skr_propagation_options */
    int of_profile[SKR_PROFILE_COUNT];
};

/* In the order of the reference; ends with name NULL. */
extern const struct skr_propagation_option skr_propagation_option_table[];

void skr_propagation_options_init(struct skr_propagation_options *options,
                                  enum skr_propagation_profile profile);
/* Sets one option. value: one of its names, or the name of a profile for what that has; case,
 * blanks and punctuation do not matter. Errors: SKR_NOT_FOUND (no such option), SKR_INVALID. */
int skr_propagation_options_set(struct skr_propagation_options *options, const char *name,
                                const char *value, struct skr_error *error);
/* -SKR_NOT_FOUND for a name that is none. */
int skr_propagation_profile_find(const char *name, enum skr_propagation_profile *ret,
                                 struct skr_error *error);

#endif
