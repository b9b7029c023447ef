/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_PLANNING_PLANNER_H
#define SKR_CORE_GANG_PLANNING_PLANNER_H
/* Makes plans: takes the next group in the queue, sends its problem to the solver, and handles the
 * answer. */
#include "core/gang/state/gang.h"
#include "core/gang/state/solve_request.h"

void skr_planner_init(struct skr_gang *e);
void skr_planner_run(struct skr_gang *e);
void skr_planner_solved(struct skr_gang *e, const struct skr_solve_request *solved);
void skr_planner_fini(struct skr_gang *e);
bool skr_planner_is_busy(const struct skr_gang *e); /* a solve runs */
/* Whether a solve for the group runs. */
bool skr_planner_is_solving(const struct skr_gang *e, const struct group *g);

#endif
