/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_PREEMPT_VICTIM_NEEDS_H
#define SKR_CORE_GANG_PREEMPT_VICTIM_NEEDS_H
/*
 * What a group needs of pods that may be its victims: partners of its required podAffinity, and pods
 * without which its topologySpread is out of balance. Pods that leave anyway count as gone. Each
 * rule becomes a need of core/solver/victims_needs.h.
 *
 * If it is not known which pods a rule selects (labels of namespaces), or only some of the newcomers are
 * such pods, no pod that the rule may select leaves a domain that the group goes to.
 */
#include "core/gang/preempt/victim_devices.h"

/* Adds the needs to the problem of the search, whose victims are there already. givers: the pods that go with
 * them, and those that leave; sorted. O(rules * (nodes + pods)). False without memory in the
 * arena. */
bool skr_victim_needs_add(struct skr_gang *e, struct pod_entry *const *newcomers, size_t n,
                          const struct victim_givers *givers,
                          const struct skr_solve_request *request, struct skr_victims_problem *in);

#endif
