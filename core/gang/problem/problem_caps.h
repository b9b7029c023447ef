/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_PROBLEM_PROBLEM_CAPS_H
#define SKR_CORE_GANG_PROBLEM_PROBLEM_CAPS_H
/*
 * Caps between the roles of a problem, from rules of their pods about pods:
 *
 *   host ports            roles whose ports clash are never on one node, and of each one member
 *   pod anti-affinity     a role with the term and the roles that it selects are never in one unit,
 *                         and at most one member if it selects itself; if the topology key divides
 *                         the nodes as a level of the tree does
 *
 * Roles that are apart from the same roles share a cap, so that n roles of one term have one.
 *
 * Left to kube-scheduler: a term that selects only some members of a role, a term that names
 * namespaces by their labels, and caps beyond SKR_ROLE_CAPS_MAX.
 */
#include "core/gang/cache/pods.h"
#include "core/solver/roles.h"

struct skr_cap_members {
    struct pod_entry **item;
    size_t n;
};

/* member[n_roles]: running members and newcomers of each role. Returns the number of caps in
 * ret[SKR_ROLE_CAPS_MAX]. */
size_t skr_problem_caps(struct skr_gang *e, const struct skr_cap_members *member, size_t n_roles,
                        struct skr_role_cap *ret);
/* The deepest level that the values of the key divide as its units do; 0: none. */
int32_t skr_problem_caps_level(struct skr_gang *e, const char *key);

#endif
