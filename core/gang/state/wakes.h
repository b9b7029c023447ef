/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_STATE_WAKES_H
#define SKR_CORE_GANG_STATE_WAKES_H
/* Times at which something becomes due. */
#include "core/gang/state/gang.h"

enum wake_kind {
    WAKE_GROUP,     /* key of the group */
    WAKE_POD,       /* uid */
    WAKE_MAP,       /* key of the map */
    WAKE_NODES,     /* warnings about nodes are due */
    WAKE_CHANGED,   /* vetoes end */
    WAKE_REPORT,    /* reasons of waiting groups are updated */
    WAKE_ASKERS,    /* a request for an explanation has waited long enough */
    WAKE_WAYS,      /* key of the group; it is explained for its object */
    WAKE_ADMISSION, /* a Workload, or an AdmissionCheck, has its turn */
    WAKE_MEMBERS,   /* members are left that one event could not settle */
    WAKE_ROUND,     /* a reservation begins, or a round was put off */
    WAKE_MOVES,     /* moves may be sought */
    WAKE_DEVICES,   /* devices are to be counted for groups that wait */
    WAKE_KIND_COUNT
};

/* No wake at SKR_TIME_NEVER; key is copied, NULL allowed. O(log n). */
void skr_wakes_add(struct skr_gang *e, skr_time at, enum wake_kind kind, const char *key);
/* The group is evaluated at that time or earlier. An earlier evaluation cancels the wake, so that
 * the caller must set it at every evaluation. */
void skr_wakes_group(struct skr_gang *e, struct group *g, skr_time at);
/* The group is evaluated at that time in any case: for requests made once. */
void skr_wakes_group_then(struct skr_gang *e, const struct group *g, skr_time at);

#endif
