/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_POD_WALK_H
#define SKR_CORE_GANG_POD_WALK_H
/*
 * Over all pods, those with an entry and residents alike, by what any pod can be asked. The order is
 * that in which they came, entries first. Nothing may come or go meanwhile.
 *
 *   struct pod_walk p = {0};
 *   while (pod_walk_next(e, &p)) { ... }
 */
#include "core/gang/pods.h"
#include "core/gang/residents.h"

struct pod_walk {
    const struct pod_entry
        *entry; /* NULL: a resident, which is on its node, live and in no group */
    const struct resident *resident;
    const char *key;             /* namespace/name */
    const struct skr_meta *meta; /* namespace and labels */
    const struct shape *shape;
    const char *node; /* "" while unbound */
    int32_t priority;
    bool deleting;
};

bool pod_walk_next(const struct skr_gang *e, struct pod_walk *p);
/* Writes it into buffer, or returns the text that there is. */
const char *pod_walk_uid(const struct pod_walk *p, char buffer[SKR_UUID_TEXT]);

#endif
