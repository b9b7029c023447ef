/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_PREEMPT_EVICTIONS_H
#define SKR_CORE_GANG_PREEMPT_EVICTIONS_H
/* Evictions of single pods for a group: requests, retries, and the API server's answers. */
#include "core/gang/state/groups.h"
#include "core/gang/state/output.h"

/* The pod must leave for the group; idempotent. Requests its eviction when that is due, else wakes
 * the group when it will be. */
void skr_evictions_want(struct skr_gang *e, struct pod_entry *p, struct group *preemptor);
void skr_evictions_done(struct skr_gang *e, const struct skr_pending_write *w,
                        struct skr_event *ev);

#endif
