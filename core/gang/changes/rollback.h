/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_CHANGES_ROLLBACK_H
#define SKR_CORE_GANG_CHANGES_ROLLBACK_H
/* onPartialBind: rollback: a group that lost a member in Binding is taken back as a whole. */
#include "core/gang/state/plan_entry.h"

/* Bindings in flight come to their end first. Then everybody bound is deleted, by UID, until the API
 * server has confirmed it for each; only then the plan ends, so that a process that dies in between
 * finds it as Binding and finishes it. A refusal for good ends the roll-back: the plan goes forward
 * and keeps the seat of who is lost. */
void skr_rollback_step(struct skr_gang *e, struct plan *plan);
void skr_rollback_write_done(struct skr_gang *e, const struct skr_pending_write *w,
                             const struct skr_event *ev);

#endif
