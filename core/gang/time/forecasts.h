/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_TIME_FORECASTS_H
#define SKR_CORE_GANG_TIME_FORECASTS_H
/*
 * Forecasts of the daemon: when the first waiting groups without a reservation will probably start,
 * on paper, each behind those before it. They are made when a page or an explanation asks for them
 * (core/gang/group/start.h), as work that runs beside plans. Nothing is held, written or marked.
 */
#include "core/gang/state/groups.h"
#include "core/gang/state/solve_request.h"

/* Call after every event: makes those that are asked for. O(1) if none are. True: there is nothing to
 * wait for any more. */
bool skr_forecasts_review(struct skr_gang *e);
/* False: the work was not for forecasts. */
bool skr_forecasts_done(struct skr_gang *e, const struct skr_solve_request *solved);
/* This process decides no more: there are none. */
void skr_forecasts_end(struct skr_gang *e);

#endif
