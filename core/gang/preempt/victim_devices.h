/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_PREEMPT_VICTIM_DEVICES_H
#define SKR_CORE_GANG_PREEMPT_VICTIM_DEVICES_H
/*
 * Devices in a search for victims. The number of members that a node serves is not a sum over victims: for each
 * set of victims there the node is searched anew without their claims (tables of core/solver/victims.h).
 *
 * Claims of a victim are those whose pods are all its own: the one that a claim was made for, or its consumers.
 * Planned members of a victim are no pending claimers without it. Claims of pods that leave anyway are free.
 *
 * Limits: victims beyond SKR_VICTIM_TABLE_MAX on a node, more than a kubelet takes pods by default, do not
 * count. Beyond SKR_VICTIM_TABLE_SETS sets, victims count in the order of their priority alone. Beyond
 * SKR_VICTIM_SEQUENCES_MAX searches, the devices of victims on other nodes count as taken.
 */
#include "core/gang/state/groups.h"
#include "core/gang/state/solve_request.h"
#include "core/solver/victims.h"

enum { SKR_VICTIM_SEQUENCES_MAX = 1024 }; /* of one search */

/* A pod that goes with a victim. One that kube-scheduler has assumed for its claims loses its plan: no rule may
 * count on it any more, but its room and its devices are not free yet. */
struct victim_giver {
    struct pod_entry *pod;
    size_t victim; /* SIZE_MAX: it leaves anyway */
};

struct victim_givers {
    struct victim_giver *item; /* free() it */
    size_t n, cap;
};

void skr_victim_devices_add(struct victim_givers *givers, struct pod_entry *p, size_t victim);
void skr_victim_givers_sort(struct victim_givers *givers);
/* The first giver of the pod, in sorted ones: a member may go alone, or with its group. NULL: it stays. */
const struct victim_giver *skr_victim_givers_of(const struct victim_givers *givers,
                                                const struct pod_entry *p);
/* Adds tables to the problem of the search, whose victims and shares are there already. givers: sorted. No effect if the newcomers
 * need no devices. False without memory in the arena. */
bool skr_victim_devices_count(struct skr_gang *e, struct group *g,
                              struct pod_entry *const *newcomers, size_t n,
                              struct victim_givers *givers, struct skr_solve_request *request,
                              struct skr_victims_problem *in);

#endif
