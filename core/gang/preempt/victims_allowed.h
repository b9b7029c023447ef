/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_PREEMPT_VICTIMS_ALLOWED_H
#define SKR_CORE_GANG_PREEMPT_VICTIMS_ALLOWED_H
/*
 * Which victims of a plan may be evicted: priorities, PodDisruptionBudgets, sizes, and pods that would
 * not leave in time. All of these may have changed since the victims were chosen.
 */
#include "core/gang/state/groups.h"

struct plan;
struct plan_victim;

/* Whether an earlier process had begun with the group: pods of it are missing or leaving. pods: that
 * ran when it was chosen, which may be more than its size. */
bool skr_victims_was_begun(const struct skr_gang *e, const char *text, int32_t pods);
/* Whether g may evict the victim at all. h: the victim's group; NULL: a single pod. Users may write
 * the record that names it. */
bool skr_victims_may_be(const struct skr_gang *e, const struct group *g,
                        const struct plan_victim *v, const struct group *h);
/* Whether budgets permit the victim besides those asked about since skr_victims_reset_budgets(). */
bool skr_victims_budget_allows(const struct skr_gang *e, const struct plan_victim *v);
void skr_victims_reset_budgets(struct skr_gang *e);
/* Whether a plan of g that evicts the preemptor of this victim takes the victim over: part of it is
 * gone, or its budgets permit it. *ret_begun: part of it is gone. */
bool skr_victims_may_take(const struct skr_gang *e, const struct group *g,
                          const struct plan_victim *v, bool *ret_begun);
bool skr_victims_has(const struct plan *plan, const char *text);
bool skr_victims_any_begun(const struct plan *plan);
/* An untouched victim that may not be evicted any more. Then none is evicted. NULL: all may be. */
const struct plan_victim *skr_victims_find_exempt(struct skr_gang *e, const struct group *g);

#endif
