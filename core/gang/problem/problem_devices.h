/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_PROBLEM_PROBLEM_DEVICES_H
#define SKR_CORE_GANG_PROBLEM_PROBLEM_DEVICES_H
/*
 * ResourceClaims that newcomers share (core/gang/cache/device_shares.h), in a problem. If the devices of such a
 * claim are of one node, all its users are members of one leaf; if they are of regions, of one region: a rule over
 * domains. Claims that devices of other reach may serve are left to kube-scheduler, and so are those that only some
 * members of a role use.
 *
 * How many members a leaf serves then is a matter of core/gang/cache/devices.h. Claims that have devices already
 * close leaves: problem_volumes.h.
 */
#include "core/gang/state/groups.h"
#include "core/gang/state/solve_request.h"

/* Adds rules to problem->domain_rule: for claims that members share, and for devices of several nodes, which
 * serve a number of members together (core/gang/cache/device_pools.h). claimed: members that stay, of all roles;
 * with any, claims and roles have no rules. of: the role of the problem by that of the group; NULL: the problem has
 * no roles. False without memory in the arena. O(n + leaves). */
bool skr_problem_devices_bind(struct skr_gang *e, const struct group *g,
                              struct pod_entry *const *newcomers, size_t n, int32_t claimed,
                              const struct skr_request_roles *of, struct skr_arena *arena,
                              struct skr_problem *problem);

/* If such a rule is one of those that cannot be obeyed: appends what these devices serve; *ret_never: they would
 * not serve the newcomers if all were free. False: there is none. */
bool skr_problem_devices_say(struct skr_gang *e, const struct group *g,
                             struct pod_entry *const *newcomers, size_t n,
                             const struct skr_domain_outcome *domains, struct skr_strbuf *b,
                             bool *ret_never);

#endif
