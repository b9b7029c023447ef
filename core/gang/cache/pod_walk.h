/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_CACHE_POD_WALK_H
#define SKR_CORE_GANG_CACHE_POD_WALK_H
/*
 * Iterates over all pods, entries and residents, by what both have. Entries come first. The order
 * is that of arrival, as long as no resident was removed. No pod may be added or removed meanwhile.
 *
 *   struct pod_walk p = {0}; while (skr_pod_walk_next(e, &p)) { ... }
 */
#include "core/gang/cache/pods.h"
#include "core/gang/cache/residents.h"
#include "topology/base/strbuf.h"

/* Either an entry or a resident. */
struct pod_ref {
    const struct pod_entry *entry;
    const struct resident *resident; /* on its node, live and in no group */
};

struct pod_walk {
    const struct pod_entry *entry; /* NULL: a resident */
    const struct resident *resident;
    size_t at;                   /* in the table of entries or of residents */
    const struct skr_meta *meta; /* namespace and labels; a name only for entries */
    const struct shape *shape;
    const char *node; /* "" while unbound */
    int32_t priority;
    bool deleting;
};

bool skr_pod_walk_next(const struct skr_gang *e, struct pod_walk *p);
/* The uid, written into buffer or borrowed. */
const char *skr_pod_walk_uid(const struct skr_gang *e, const struct pod_walk *p,
                             char buffer[SKR_UUID_TEXT]);
struct pod_ref skr_pod_walk_ref(const struct pod_walk *p);
/* Add the pod's name, or namespace/name, to b. */
void skr_pod_ref_add_name(const struct skr_gang *e, struct pod_ref p, struct skr_strbuf *b);
void skr_pod_ref_add_key(const struct skr_gang *e, struct pod_ref p, struct skr_strbuf *b);

#endif
