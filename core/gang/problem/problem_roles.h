/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_PROBLEM_PROBLEM_ROLES_H
#define SKR_CORE_GANG_PROBLEM_PROBLEM_ROLES_H
/*
 * The members of a problem: those that stay, those whose nodes are given, and the roles of newcomers that are not
 * equal. Equal ones are one role, which the problem has itself.
 *
 * A role of the problem is a role of the group with members that run or come. Its demand is the
 * maximum over the shapes of its newcomers, its leaves are those open to all of them. Sets with a
 * running member stay in their units. What such a set lacks without a newcomer for it is claimed
 * beside one of its members: newcomers do not wait for further missing members.
 *
 * Host ports and anti-affinity become caps (problem_caps.h). Affinity, spread and anti-affinity over
 * a label that divides no level become rules over domains, which say which roles they count
 * (pod_rules.h). Rules about pods that are not members close leaves of the role.
 */
#include "core/gang/cache/shapes.h"
#include "core/gang/problem/pod_rules.h"
#include "core/gang/state/solve_request.h"

/* Whether the newcomers must be placed by roles, which is so in any of these cases: rules or sets name
 * roles; a role may be short of its size; shapes differ between roles; a newcomer has a rule about
 * pods that may select only some roles. Pinned newcomers do not count. */
bool skr_problem_by_roles(const struct group *g, struct pod_entry *const *newcomers, size_t n);

/* The newcomers of the problem that is built. */
struct skr_problem_members {
    struct pod_entry *const *all; /* newcomers, pinned ones included */
    size_t n_all;
    struct pod_entry **newcomers; /* those to be placed; the nodes of the others are given */
    size_t n;
    bool probed_only;
};

/* Adds which members are placed, where, and under which rules about pods, volumes and devices: n, claimed and
 * eligible of the problem, the union over its roles; its roles and request->roles, unless the members are one role;
 * request->outside. Demand is set before. Errors: SKR_LIMIT; SKR_CONFLICT: a set runs in two units, which the text
 * names. */
int skr_problem_add_members(struct skr_gang *e, const struct group *g,
                            const struct skr_problem_members *in, int64_t *free_,
                            struct skr_solve_request *request, struct skr_error *error);

/* Amount of resource r of the request that each member of these shapes needs. */
/* For what is no resource of nodes: skr_solve_request.n_learned. */
enum { SKR_RESOURCE_LEARNED = UINT16_MAX };
int64_t skr_problem_demand(const struct skr_gang *e, const struct shapes *shapes,
                           uint16_t resource);

#endif
