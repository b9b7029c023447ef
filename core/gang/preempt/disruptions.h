/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_PREEMPT_DISRUPTIONS_H
#define SKR_CORE_GANG_PREEMPT_DISRUPTIONS_H
/*
 * The cached PodDisruptionBudgets, which limit evictions, by name and by namespace. A change of a budget is news
 * only if the budget covered a pod that a search for victims looked at.
 */
#include <uthash.h>

#include "core/gang/state/gang.h"
#include "core/pod/budget.h"

struct disruption_budget {
    UT_hash_handle hh; /* by namespace/name */
    char *key;
    struct skr_budget *budget;
    int32_t number; /* scratch: victim_problem.c, preemption.c, would_move.c */
    bool used;      /* it covered a pod of skr_disruptions_of() since it changed */
    struct disruption_space *space;
    struct disruption_budget *prev, *next; /* of its namespace */
};

void skr_disruptions_upsert(struct skr_gang *e, struct skr_budget *budget); /* taken */
void skr_disruptions_delete(struct skr_gang *e, const char *namespace_, const char *name);
/* The budget that covers the pod, the first by key of several; *ret_n: their number. O(budgets of the
 * namespace). */
struct disruption_budget *skr_disruptions_of(const struct skr_gang *e, const struct skr_meta *pod,
                                             size_t *ret_n);
void skr_disruptions_fini(struct skr_gang *e);

#endif
