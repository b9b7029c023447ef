/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_GROUP_ATTEMPT_H
#define SKR_CORE_GANG_GROUP_ATTEMPT_H
/*
 * The search for a placement of one group: number of attempts, the time of the next, the last
 * result. Only these functions write g->attempt.
 */
#include "core/gang/state/groups.h"

/* Earlier results are void. The group is planned after planDelay at the earliest, so that a burst
 * of groups is ordered by priority, not by arrival. */
void skr_attempt_begin(struct skr_gang *e, struct group *g);
/* The same delay for a Bound group: once per change of its input. */
void skr_attempt_delay_replacement(struct skr_gang *e, struct group *g);
/* State Backoff: 1 s doubling to 60 s, times 0.75 .. 1.25 by a hash of group and attempt. */
void skr_attempt_backoff(struct skr_gang *e, struct group *g);
/* The last attempt failed for a reason that no event will end; the next one comes when the back-off
 * ends. */
bool skr_attempt_is_paused(const struct skr_gang *e, const struct group *g);
void skr_attempt_restart_backoff(struct group *g); /* resets the back-off to its first pause */

void skr_attempt_again(struct group *g);  /* a failure does not delay it any more */
void skr_attempt_doubt(struct group *g);  /* not known whether there is a placement */
void skr_attempt_forget(struct group *g); /* both */
/* An event since the last failure may help. */
bool skr_attempt_has_news(const struct skr_gang *e, const struct group *g);

/* An open group: at most n newcomers, at least one, are tried, until skr_attempt_lift(). */
void skr_attempt_limit(struct group *g, size_t n);
/* Even the minimum has no place: the group waits for news. */
void skr_attempt_limit_failed(struct group *g);
/* All newcomers are tried again. False: they already are. */
bool skr_attempt_lift(struct group *g);
void skr_attempt_count(struct group *g);
/* Records that there was no placement, at that stamp (state/seen.h) and input_epoch. */
void skr_attempt_failed(struct group *g, uint64_t seen, uint64_t input);
/* Counts one more failure, found from the cache. */
void skr_attempt_failed_again(struct skr_gang *e, struct group *g);
void skr_attempt_placed(struct group *g, bool optimal);
/* There was a placement, but its room was taken meanwhile: try again at once. True: too often in a
 * row, wait. */
bool skr_attempt_stale(struct group *g);
void skr_attempt_fresh(struct group *g); /* resets the count of stale answers */
void skr_attempt_took(struct group *g, int64_t ns);
void skr_attempt_restore(struct group *g, int64_t solver_ms);

#endif
