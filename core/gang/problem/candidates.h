/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_PROBLEM_CANDIDATES_H
#define SKR_CORE_GANG_PROBLEM_CANDIDATES_H
/*
 * The groups that skr_queue_next() looks at, so that a change costs what it concerns and not what waits.
 *
 *   awake    may be due: looked at every time
 *   asleep   known not to fit, with nothing new since: looked at again when the group itself was
 *            evaluated, one of the counters of epoch has grown, or a report is due (WAKE_REPORT)
 *   neither  nothing to be planned: Pending, Bound and whole, Invalid, Evicted
 */
#include "core/gang/state/groups.h"

/* After every evaluation of a group: it may be due, or can not be. O(1). */
void skr_candidates_note(struct skr_gang *e, struct group *g);
/* Looked at, without a placement, nothing new: g is awake. O(1). */
void skr_candidates_sleep(struct skr_gang *e, struct group *g);
/* All of them are looked at next time. O(1). */
void skr_candidates_wake(struct skr_gang *e);
/* The first that is awake, in cnext; those asleep are too if something has changed. */
struct group *skr_candidates_awake(struct skr_gang *e);
/* Something has changed that those asleep have not been looked at for. */
bool skr_candidates_are_stale(const struct skr_gang *e);
void skr_candidates_forget(struct skr_gang *e, struct group *g);

#endif
