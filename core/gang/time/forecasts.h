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
#include "core/time/end.h"

/* Call after every event: makes those that are asked for. O(1) if none are. True: there is nothing to
 * wait for any more. */
bool skr_forecasts_review(struct skr_gang *e);
/* False: the work was not for forecasts. */
bool skr_forecasts_done(struct skr_gang *e, const struct skr_solve_request *solved);
/* Asks when a group that is in no table would start, behind those that go before it. It may be freed
 * meanwhile. Returns the id of the work; 0: none is made, as when one was in SKR_FORECASTS_PAUSE_S. */
uint64_t skr_forecasts_ask_paper(struct skr_gang *e, struct group *paper);
/* The instant that this work found; SKR_INSTANT_NEVER: it is not known, or room is no obstacle. */
int64_t skr_forecasts_paper(const struct skr_solve_request *solved);
/* This process decides no more: there are none. */
void skr_forecasts_end(struct skr_gang *e);

#endif
