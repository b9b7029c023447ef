/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_CHANGES_PLAN_LOSS_H
#define SKR_CORE_GANG_CHANGES_PLAN_LOSS_H
/* Ends plans early, and handles members that leave. */
#include "core/gang/state/plan_entry.h"

/* No effect if it is already ending, or past the point of no return. */
void skr_plan_loss_abort(struct skr_gang *e, struct group *g, enum skr_reason reason,
                         const char *message, bool backoff);
/* The same for a group whose user changed it or deleted its definition. */
void skr_plan_loss_changed(struct skr_gang *e, struct group *g);
void skr_plan_loss_step(struct skr_gang *e, struct group *g); /* completes an abort when possible */
/* The pod is about to leave the cache, has ended, or is of another group now. */
void skr_plan_loss_pod(struct skr_gang *e, struct pod_entry *p);
/* Keeps the member's seat for a replacement. */
void skr_plan_loss_keep_seat(struct skr_gang *e, struct plan *plan, struct pod_entry *p);
/* All bound members are deleted (rollback.c): ends the plan, although it is past the point of no
 * return. */
void skr_plan_loss_end_rollback(struct skr_gang *e, struct plan *plan);
/* Seats newcomers in vacancies; true if one was seated. */
bool skr_plan_loss_seat_replacement(struct skr_gang *e, struct plan *plan);

#endif
