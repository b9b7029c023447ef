/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_BIND_CLAIMS_HOLD_H
#define SKR_CORE_GANG_BIND_CLAIMS_HOLD_H
/*
 * Before a plan binds: each ResourceClaim of its members has devices of the planned node. kube-scheduler
 * allocates them before it asks to bind, but a claim may be deleted or freed while its pod waits for the
 * others. A claim that the watch has not shown yet is awaited for SKR_CLAIMS_SEEN_S. Claims that the account may
 * not read are not looked at.
 */
#include "core/gang/state/plan_entry.h"

enum { SKR_CLAIMS_SEEN_S = 5 };

/* Before that: false if a claim of users got devices that the planned node of a member does not reach, as another
 * pod used it first. The plan was aborted, and counts as refused (refusal.h). O(claims of its members). */
bool skr_claims_reach(struct skr_gang *e, struct group *g);
/* False: it waits for a watch, or the plan was aborted. O(claims of its members). */
bool skr_claims_hold(struct skr_gang *e, struct group *g);

#endif
