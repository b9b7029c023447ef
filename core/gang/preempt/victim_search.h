/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_PREEMPT_VICTIM_SEARCH_H
#define SKR_CORE_GANG_PREEMPT_VICTIM_SEARCH_H
/* When a search for victims of a group (victim_problem.h) is allowed, and worth it. */
#include "core/gang/state/groups.h"

/* Whether its priority is positive and no member has preemptionPolicy: Never, or groups move for it. */
bool skr_victim_search_may_preempt(const struct group *g);
/* Whether the group does not fit, may preempt, and something changed since the last failed
 * search. */
bool skr_victim_search_is_due(const struct skr_gang *e, struct group *g);
/* The same, even if a pause forbids a search now. */
bool skr_victim_search_has_news(const struct skr_gang *e, const struct group *g);
/* Whether seats or plans yield to the group. Then the first search is for these only. */
bool skr_victim_search_has_yielding(const struct skr_gang *e, const struct group *g);
/* Whether its reason is that room lacks, which others may leave. */
bool skr_victim_search_short_of_room(const struct group *g);
/* Whether a search for victims is allowed now. */
bool skr_victim_search_may_evict(const struct skr_gang *e, const struct group *g);
/* No victims were found at this stamp and input_epoch. took: duration of the search, which determines the
 * pause. */
void skr_victim_search_failed(struct skr_gang *e, struct group *g, uint64_t seen, uint64_t input,
                              skr_time took);
void skr_victim_search_done(struct group *g); /* removes the pause */

#endif
