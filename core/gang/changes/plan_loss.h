/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_CHANGES_PLAN_LOSS_H
#define SKR_CORE_GANG_CHANGES_PLAN_LOSS_H
/* The end of a plan before its time, and members that go. */
#include "core/gang/state/plan_entry.h"

/* Nothing when it is on its way out, or past the point of no return. */
void skr_plan_loss_abort(struct skr_gang *e, struct group *g, enum skr_reason reason,
                         const char *message, bool backoff);
void skr_plan_loss_step(struct skr_gang *e, struct group *g); /* finishes an abort when it can */
/* The pod is about to leave the cache, or dead, or of another group. */
void skr_plan_loss_pod(struct skr_gang *e, struct pod_entry *p);
/* The member's seat is kept for a replacement. */
void skr_plan_loss_keep_seat(struct skr_gang *e, struct plan *plan, struct pod_entry *p);
/* All bound members are deleted (rollback.c): the plan ends, although it was past the point of no
 * return. */
void skr_plan_loss_end_rollback(struct skr_gang *e, struct plan *plan);
/* Newcomers into vacancies; true when one was seated. */
bool skr_plan_loss_seat_replacement(struct skr_gang *e, struct plan *plan);

#endif
