/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_EXPLAIN_EXPLAIN_PREEMPTION_H
#define SKR_CORE_GANG_EXPLAIN_EXPLAIN_PREEMPTION_H
/*
 * Who would give way to a group, before anybody does: the member "preemption" of an explanation
 * (docs/reference.md, "Explanations"). The search is that of the planner (victim_search.h), run for who
 * asks; nothing is evicted, and no plan is made of it.
 */
#include "core/gang/state/groups.h"
#include "core/gang/state/solve_request.h"

/* Whether the answer needs a search for victims: the group waits for room, and may preempt. */
bool skr_explain_preemption_needs_search(const struct skr_gang *e, const struct group *g);
/* The search, marked as an explanation. *spared: JSON members for skr_explain_preemption_found(): who is a candidate, and
 * who is in the way and none; cost O(groups, pods). NULL with error. */
struct skr_solve_request *skr_explain_preemption_search(struct skr_gang *e, struct group *g,
                                                        struct skr_strbuf *spared,
                                                        struct skr_error *error);
/* The value of "preemption" from what was found. enabled: it would really be done. */
void skr_explain_preemption_found(const struct group *g, const struct skr_solve_request *request,
                                  bool enabled, const char *spared, struct skr_strbuf *b);
/* The same when no search could be made. */
void skr_explain_preemption_failed(const char *text, struct skr_strbuf *b);
/* The same without a search: it waits for its victims, is placed, or would evict nobody in any case. */
void skr_explain_preemption_plain(const struct skr_gang *e, const struct group *g,
                                  struct skr_strbuf *b);

#endif
