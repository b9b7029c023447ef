/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_PLAN_PLAN_ROLES_H
#define SKR_CORE_GANG_PLAN_PLAN_ROLES_H
/* Roles of the places of a plan: what its text says of them, and which vacancy a newcomer may take. */
#include "core/gang/state/plan_entry.h"

/* Members and vacancies of each role on each node, in the order of the text; free() it. Names are
 * those of the group's roles, borrowed. NULL: the members are equal. */
struct skr_plan_role *skr_plan_roles_count(const struct plan *plan, size_t *ret_n);
/* Fills role and set of the vacancy of a member that is lost. */
void skr_plan_roles_note(const struct group *g, const struct pod_entry *p, struct vacancy *v);
/* Whether the pod is of the role, and may be of the set, of the vacancy. */
bool skr_plan_roles_match(const struct group *g, const struct vacancy *v,
                          const struct pod_entry *p);

#endif
