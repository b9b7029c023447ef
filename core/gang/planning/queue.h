/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_PLANNING_QUEUE_H
#define SKR_CORE_GANG_PLANNING_QUEUE_H
/* Who is planned next: priority descending, begin time, namespace/name, a total order. A group
 * without a placement never blocks the groups behind it. */
#include "core/gang/problem/fit.h"
#include "core/gang/state/gang.h"

struct choice {
    struct group *plan; /* to be solved now; NULL: none */
    enum fit_answer fit;
    struct group *preempt; /* for whom victims are to be looked for, before plan; NULL: none */
    struct group *report;  /* whose reason is to be reported anew, when none is planned */
    size_t n_waiting;      /* groups without a placement */
};
/* Groups that are due and do not fit have had their attempt afterwards. O(groups that
 * are awake): candidates.h. */
struct choice skr_queue_next(struct skr_gang *e);
/* After every event: groups that do not fit are told of less room, too, 2 s later and no more often than reports
 * are made. O(leaves that changed). */
void skr_queue_see_less_room(struct skr_gang *e);
void skr_queue_report_begins(struct skr_gang *e, size_t n_waiting); /* sets the pause behind it */
/* Nobody is left out who is due; for debug builds. O(groups). */
int skr_queue_check(struct skr_gang *e, struct skr_error *error);
bool skr_queue_goes_before(const struct group *a, const struct group *b); /* both have a spec */

#endif
