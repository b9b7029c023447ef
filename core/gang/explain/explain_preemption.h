/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_EXPLAIN_EXPLAIN_PREEMPTION_H
#define SKR_CORE_GANG_EXPLAIN_EXPLAIN_PREEMPTION_H
/*
 * The victims of a group before any eviction: the member "preemption" of an explanation
 * (docs/reference.md, "Explanations"). The search is the planner's (victim_search.h), run for a
 * request: it evicts no pod and makes no plan.
 */
#include "core/gang/state/groups.h"
#include "core/gang/state/solve_request.h"

/* Whether the answer needs a search for victims: the group waits for room and may preempt. */
bool skr_explain_preemption_needs_search(const struct skr_gang *e, const struct group *g);
/* The search, marked as an explanation. *spared: JSON members for skr_explain_preemption_found():
 * the candidates, and the pods in the way that are none. O(groups, pods). NULL with error. */
struct skr_solve_request *skr_explain_preemption_search(struct skr_gang *e, struct group *g,
                                                        struct skr_strbuf *spared,
                                                        struct skr_error *error);
/* The value of "preemption" from the result. enabled: the daemon would preempt. */
void skr_explain_preemption_found(const struct group *g, const struct skr_solve_request *request,
                                  bool enabled, const char *spared, struct skr_strbuf *b);
/* The same if no search could be made. */
void skr_explain_preemption_failed(const char *text, struct skr_strbuf *b);
/* The same without a search: the group waits for its victims, is placed, or would evict no pod in
 * any case. */
void skr_explain_preemption_plain(const struct skr_gang *e, const struct group *g,
                                  struct skr_strbuf *b);

#endif
