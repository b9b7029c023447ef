/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_EXPLAIN_EXPLAIN_REQUEST_H
#define SKR_CORE_GANG_EXPLAIN_EXPLAIN_REQUEST_H
/* Requests for why a group is not placed. */
#include "core/gang/state/gang.h"
#include "core/gang/state/requests.h"
#include "core/gang/state/solve_request.h"

void skr_explain_request_ask(struct skr_gang *e, uint64_t request,
                             const struct skr_explain_request *asked);
/* Whether the solve was for such a request. */
bool skr_explain_request_solved(struct skr_gang *e, const struct skr_solve_request *solved);
/* Whether the group waits for a placement, so that an explanation of it rests on a solve. */
bool skr_explain_request_needed(const struct skr_gang *e, const struct group *g);
/* Explains it without a request: the account is cached, and skr_ways_out_publish() is called. Left
 * out while many requests wait. */
void skr_explain_request_aside(struct skr_gang *e, const struct group *g);
void skr_explain_request_settle(struct skr_gang *e); /* answers all requests that can be answered */
void skr_explain_request_fini(struct skr_gang *e);

#endif
