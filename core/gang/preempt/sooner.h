/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_PREEMPT_SOONER_H
#define SKR_CORE_GANG_PREEMPT_SOONER_H
/*
 * What waits for the first round that looks at a group: groups behind it, and its search for victims. Pods
 * leave within their grace period, so a start that is promised by then is waited for.
 */
#include "core/gang/state/groups.h"
#include "core/gang/state/solve_request.h"

enum { SKR_SOONER_S = 1 }; /* how long a round is waited for */

/* When that round is waited for no longer. */
skr_time skr_sooner_until(const struct group *g);
/* Whether such a round may yet promise it a start. O(1). */
bool skr_sooner_is_open(const struct skr_gang *e, const struct group *g);
/* The longest grace period of the running pods that the victim stands for, in seconds. O(its pods). */
int32_t skr_sooner_grace(const struct skr_gang *e, const struct skr_victim *victim);
/* Whether the group is promised a start by the time these victims are gone. */
bool skr_sooner_than(const struct skr_gang *e, const struct group *g,
                     const struct skr_solve_request *found);

#endif
