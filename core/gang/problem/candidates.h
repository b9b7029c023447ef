/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_PROBLEM_CANDIDATES_H
#define SKR_CORE_GANG_PROBLEM_CANDIDATES_H
/*
 * The groups that skr_queue_next() examines, so that a change costs only the groups it concerns,
 * not all that wait.
 *
 *   awake    may be due: examined every time
 *   asleep   known not to fit, with no news since: examined again if the group itself was
 *            evaluated, a change could make it due, or a report is due (WAKE_REPORT)
 *   report   as asleep, but its report is due: only the first of these is examined
 *   neither  nothing to plan: Pending, Bound and whole, Invalid, Evicted
 */
#include "core/gang/state/groups.h"

/* Call after every evaluation of a group: its class may have changed. O(1). */
void skr_candidates_note(struct skr_gang *e, struct group *g);
/* g was examined: no placement, no news. report: its reason is to be updated. g must be awake. O(1). */
void skr_candidates_sleep(struct skr_gang *e, struct group *g, bool report);
/* Awake again: its report is not due any more. O(1). */
void skr_candidates_get_up(struct skr_gang *e, struct group *g);
/* Wakes all of them at the next examination. O(1). */
void skr_candidates_wake(struct skr_gang *e);
/* The first awake group, linked by cnext; wakes the others if something has changed. */
struct group *skr_candidates_awake(struct skr_gang *e);
/* Whether something changed since the sleeping groups were examined. */
bool skr_candidates_are_stale(const struct skr_gang *e);
void skr_candidates_forget(struct skr_gang *e, struct group *g);

#endif
