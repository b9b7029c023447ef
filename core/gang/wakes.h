/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_WAKES_H
#define SKR_CORE_GANG_WAKES_H
/* Times at which something becomes due, and the one timer that the shell is asked for. */
#include "core/gang/gang.h"

enum wake_kind {
    WAKE_GROUP,   /* key: of the group */
    WAKE_POD,     /* uid */
    WAKE_MAP,     /* key of the map */
    WAKE_NODES,   /* warnings about nodes are due */
    WAKE_CHANGED, /* a veto ends */
    WAKE_REPORT,  /* reasons of groups that wait are reported anew */
    WAKE_ASKERS,  /* who asks for an explanation has waited long enough */
    WAKE_KIND_COUNT
};

struct wake {
    skr_time at;
    uint64_t seq; /* first come first */
    enum wake_kind kind;
    char *key; /* group key, uid, map key */
};

/* Nothing at SKR_TIME_NEVER; key is copied, NULL allowed. O(log n). */
void wakes_add(struct skr_gang *e, skr_time at, enum wake_kind kind, const char *key);
/* The group is evaluated at that time; nothing when it is earlier anyway. */
void wakes_group(struct skr_gang *e, struct group *g, skr_time at);
/* The earliest, taken out; there must be one. The caller frees key. */
struct wake wakes_pop(struct skr_gang *e);
void wakes_fini(struct skr_gang *e);

#endif
