/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_GROUP_RUN_LIMIT_H
#define SKR_CORE_GANG_GROUP_RUN_LIMIT_H
/*
 * Key run-limit: how long the members of a group may run. The kubelet enforces it, also while no daemon
 * runs: each member gets spec.activeDeadlineSeconds. A member of a new start gets the whole limit. A
 * replacement gets what is left of it, counted from the bind of the whole group (schedEndTime), so the
 * right to a seat ends with the limit, whatever is recreated.
 *
 * A smaller value that a pod has stays: the API server lets the field be set and lowered, never raised.
 * So a limit that is edited can only shorten what runs. The same holds for the group: while a member runs,
 * the least limit that it has had since its start is in force, also for replacements. The annotation
 * sakkara.pauses of its object has that limit for the next process.
 *
 * A generation that starts in held seats of the one before has the rest of that one's limit: the seats
 * were let in on its word. times.word has that end until its members are bound. Without held seats, or
 * after that end, the limit is the whole one.
 */
#include "core/gang/state/groups.h"

enum {
    /* A running member may have so many seconds more than it should: the kubelet starts it a little
     * after the bind. */
    SKR_RUN_LIMIT_SLACK_S = 60,
};

/* The limit in force; SKR_TIME_NEVER: none. */
skr_time skr_run_limit_of(const struct group *g);
/* Call at every evaluation: remembers the limit while the group runs. O(members) if none does. */
void skr_run_limit_settle(struct skr_gang *e, struct group *g);
/* The next generation begins. O(members). */
void skr_run_limit_start(struct skr_gang *e, struct group *g);
/* The activeDeadlineSeconds that is to be written to the live member, 1 to INT32_MAX; 0: none. */
int32_t skr_run_limit_owed(const struct skr_gang *e, const struct pod_entry *p);
/* When the limit of a running group, or of its held seats, is over; SKR_TIME_NEVER: it has none, or neither
 * is there. */
skr_time skr_run_limit_end(const struct group *g);
/* The group runs, and its limit is over: no replacement is placed, and no seat is held. Of a generation that
 * is to start in held seats, less than the slack is left: it waits for the whole limit. */
bool skr_run_limit_is_over(const struct skr_gang *e, const struct group *g);

#endif
