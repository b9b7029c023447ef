/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_PROPAGATION_OPTIONS_H
#define SKR_CORE_PROPAGATION_OPTIONS_H
/*
 * What a decision does where karmada-scheduler and the 2022 refactor design differ: a profile sets
 * every option, each can be set alone.
 */
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
    int resource_models;  /* 1 room by resource models where a cluster has them, 0 by its sums */
    int component_sets;   /* 1 workloads of several components need room for a whole set */
    int matching_weights; /* Static: 1 only clusters that a rule matches, 0 all */
    int empty_workloads;  /* 1 selected clusters without a replica are targets, too */
    int overcommit_gate; /* 1 karmada-scheduler keeps room for what it placed just now; we do not */
    int told_by_objects; /* gates that change nothing here: objects show what they are about */
};

extern const char *const skr_propagation_profile_name[];
void skr_propagation_options_init(struct skr_propagation_options *options,
                                  enum skr_propagation_profile profile);
/* Sets what the text names, "ranges=strict, shortage=SchedulerError"; "" sets nothing. SKR_INVALID:
 * no such option or value; those before it are set. */
int skr_propagation_options_set(struct skr_propagation_options *options, const char *text,
                                struct skr_error *error);

#endif
