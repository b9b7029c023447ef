/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_CHANGES_ROLLBACK_H
#define SKR_CORE_GANG_CHANGES_ROLLBACK_H
/* onPartialBind: rollback: undoes a group that lost a member in Binding. */
#include "core/gang/state/plan_entry.h"

/* First the Bindings in flight are completed. Then all bound members are deleted, by UID. The plan
 * ends after the API server has confirmed every deletion, so that a later process finds it as
 * Binding and completes the rollback. A permanent refusal ends the rollback: the plan goes forward
 * and keeps the seats of lost members. */
void skr_rollback_step(struct skr_gang *e, struct plan *plan);
void skr_rollback_write_done(struct skr_gang *e, const struct skr_pending_write *w,
                             struct skr_event *ev);

#endif
