/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_PROBLEM_FIT_H
#define SKR_CORE_GANG_PROBLEM_FIT_H
/* Whether a group fits, without a solve, and what was reported about it. Slots: fit_cache.h. */
#include "core/gang/state/groups.h"
#include "core/gang/state/solve_request.h"

enum fit_answer {
    FIT_UNKNOWN, /* ask the solver */
    FIT_YES,     /* by slots; ordinary pods and probes may still rule it out */
    FIT_NO,      /* no placement */
};
enum fit_news { NEWS_NONE, NEWS_NUMBERS, NEWS_REASON };

/* Call after skr_fit_cache_refresh(). */
enum fit_answer skr_fit_judge(struct skr_gang *e, struct group *g);
/* Whether the answer is for the group's present input, and has slots. */
bool skr_fit_stands(const struct skr_gang *e, const struct group *g);
/* The problem of the group in slots alone, if that stands: no claims, no explanation. NULL without memory. */
struct skr_solve_request *skr_fit_problem(struct skr_gang *e, const struct group *g);
/* Whether no count exceeds the slots of its leaf. */
bool skr_fit_holds(const struct fit *f, const struct skr_tree *tree, const int32_t *count);
/* The reason is being reported now; notes the counters that make it old. For a group without an
 * answer its numbers are old when room of any leaf changes. */
void skr_fit_reported(const struct skr_gang *e, struct group *g);
enum fit_news skr_fit_news(const struct skr_gang *e, const struct group *g);
/* When a reservation begins to be in the window of the group, so that it has less room; SKR_TIME_NEVER: none does.
 * O(reservations), and O(members) if the answer does not stand. */
skr_time skr_fit_meets(struct skr_gang *e, struct group *g);
void skr_fit_report_at(struct group *g, skr_time at);
void skr_fit_leave(struct skr_gang *e, struct group *g); /* releases what is cached for it */

#endif
