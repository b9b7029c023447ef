/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_GROUP_ATTEMPT_H
#define SKR_CORE_GANG_GROUP_ATTEMPT_H
/*
 * Looking for a placement of one group: how often it was tried, when it may be tried again, and
 * what the last attempt said. Only these functions write g->attempt.
 */
#include "core/gang/state/groups.h"

/* What was found out is void, and the group is planned planDelay from now at the earliest, so that
 * a burst of groups is ordered by priority and not by arrival. */
void skr_attempt_begin(struct skr_gang *e, struct group *g);
/* The same delay while the group is Bound: once for every change of its input. */
void skr_attempt_delay_replacement(struct skr_gang *e, struct group *g);
/* State Backoff: 1 s doubling to 60 s, times 0.75 .. 1.25 by a hash of group and attempt. */
void skr_attempt_backoff(struct skr_gang *e, struct group *g);
/* It failed for a reason that no news will tell of, and is tried again when the backoff ends. */
bool skr_attempt_is_paused(const struct skr_gang *e, const struct group *g);
void skr_attempt_restart_backoff(
    struct group *g); /* failures are forgotten: the next pause is the first */

void skr_attempt_again(struct group *g);  /* a failure is no reason to wait any more */
void skr_attempt_doubt(struct group *g);  /* whether there is a placement is not known */
void skr_attempt_forget(struct group *g); /* both */
/* Something that can help came since the last failure. */
bool skr_attempt_has_news(const struct skr_gang *e, const struct group *g);

/* An open group: no more than n newcomers, at least one, are tried; until skr_attempt_lift(). */
void skr_attempt_limit(struct group *g, size_t n);
/* Not even the minimum has a place: it is what waits, until there is news. */
void skr_attempt_limit_failed(struct group *g);
/* All newcomers are tried again. False: they are already. */
bool skr_attempt_lift(struct group *g);
void skr_attempt_count(struct group *g);
/* No placement, at that epoch.capacity and input_epoch. */
void skr_attempt_failed(struct group *g, uint64_t epoch, uint64_t input);
/* Counts: still none, by what is cached. */
void skr_attempt_failed_again(struct skr_gang *e, struct group *g);
void skr_attempt_placed(struct group *g, bool optimal);
/* There was a placement, but the room had gone elsewhere meanwhile: again at once; true: too often
 * in a row, wait. */
bool skr_attempt_stale(struct group *g);
void skr_attempt_fresh(struct group *g); /* ends the row */
void skr_attempt_took(struct group *g, int64_t ns);
void skr_attempt_restore(struct group *g, int64_t solver_ms);

#endif
