/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_PREEMPT_EVICTIONS_H
#define SKR_CORE_GANG_PREEMPT_EVICTIONS_H
/* Evictions of single pods for a group: requests, retries, and the API server's answers. */
#include "core/gang/state/groups.h"
#include "core/gang/state/output.h"

/* The pod will leave for the group, once a record says so: its room counts as leaving from now on, for
 * all groups. Idempotent; no effect if it leaves already. */
void skr_evictions_earmark(struct skr_gang *e, struct pod_entry *p, const struct group *preemptor);
/* Whether it leaves, or its eviction was asked for. */
bool skr_evictions_is_asked(const struct pod_entry *p);
/* The pod must leave for the group; idempotent. Requests its eviction when that is due, else wakes
 * the group when it will be. */
void skr_evictions_want(struct skr_gang *e, struct pod_entry *p, struct group *preemptor);
void skr_evictions_done(struct skr_gang *e, const struct skr_pending_write *w,
                        struct skr_event *ev);
/* The pod is gone, with this uid; NULL or "": with any. While the answer to its eviction is on its
 * way, what that would tell is told now, before the pod leaves its group. */
void skr_evictions_overtaken(struct skr_gang *e, const char *namespace_, const char *name,
                             const char *uid);

#endif
