/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_PLANNING_QUEUE_H
#define SKR_CORE_GANG_PLANNING_QUEUE_H
/* Chooses the group to plan next: priority descending, begin time, namespace/name, a total order. A
 * group without a placement blocks those behind it for no longer than until a round of reservations. */
#include "core/gang/problem/fit.h"
#include "core/gang/state/gang.h"

struct choice {
    struct group *plan; /* to solve now; NULL: none */
    enum fit_answer fit;
    struct group *preempt; /* to search victims for, before plan; NULL: none */
    struct group *report;  /* to update the reason of, if none is planned */
    bool round;            /* plan waits for a round of reservations */
    size_t n_waiting;      /* groups without a placement */
};
/* Counts an attempt for groups that are due and do not fit. O(awake groups): candidates.h. */
struct choice skr_queue_next(struct skr_gang *e);
/* Call after every event: reasons also follow less room, 2 s later and at most as often as reports
 * are made. O(changed leaves). */
void skr_queue_see_less_room(struct skr_gang *e);
void skr_queue_report_begins(struct skr_gang *e, size_t n_waiting); /* sets the pause after it */
/* Checks that no due group is missed; for debug builds. O(groups). */
int skr_queue_check(struct skr_gang *e, struct skr_error *error);
bool skr_queue_goes_before(const struct group *a, const struct group *b); /* both have a spec */

#endif
