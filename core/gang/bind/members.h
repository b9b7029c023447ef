/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_BIND_MEMBERS_H
#define SKR_CORE_GANG_BIND_MEMBERS_H
/* Writes what members carry: nomination, labels, plan annotation, gate. */
#include "core/gang/state/gang.h"

void skr_members_settle(struct skr_gang *e, struct pod_entry *p);
void skr_members_write_done(struct skr_gang *e, const struct skr_pending_write *w,
                            struct skr_event *event);

#endif
