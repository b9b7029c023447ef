/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_PLANNING_COMMIT_H
#define SKR_CORE_GANG_PLANNING_COMMIT_H
/* Makes a plan from the solver's answer, or moves stranded members of a plan. Sets nodes, ranks,
 * charges, and the state of the group. */
#include "core/gang/state/plan_entry.h"
#include "core/gang/state/solve_request.h"

/* The answer holds on the present ledger. newcomers: those of the solve, in its order; the array is
 * changed. preemption: NULL, or the victims that make the room. false: the seats cannot be dealt, which
 * is logged; nothing has changed, so the group must not ask again at once. */
bool skr_commit_answer(struct skr_gang *e, struct group *g, struct pod_entry **newcomers, size_t n,
                       const struct skr_solve_request *solved, const struct skr_solution *s,
                       const struct skr_solve_request *preemption);

#endif
