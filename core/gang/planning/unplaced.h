/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_PLANNING_UNPLACED_H
#define SKR_CORE_GANG_PLANNING_UNPLACED_H
/* Reason and message of a group without a placement, from the solver's explanation in s. s NULL: volumes have none. */
#include "core/gang/state/groups.h"
#include "core/gang/state/solve_request.h"

/* Adds the message to b. */
enum skr_reason skr_unplaced_say(struct skr_gang *e, struct group *g, const struct skr_solution *s,
                                 const struct skr_solve_request *request, struct skr_strbuf *b);
/* Sets both. */
void skr_unplaced_explain(struct skr_gang *e, struct group *g, const struct skr_solution *s,
                          const struct skr_solve_request *request);

#endif
