/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_CACHE_POD_WALK_H
#define SKR_CORE_GANG_CACHE_POD_WALK_H
/*
 * Over all pods, those with an entry and residents alike, by what any pod can be asked. The order is
 * that in which they came, entries first, as long as no resident went. Nothing may come or go
 * meanwhile.
 *
 *   struct pod_walk p = {0};
 *   while (skr_pod_walk_next(e, &p)) { ... }
 */
#include "core/gang/cache/pods.h"
#include "core/gang/cache/residents.h"
#include "topology/base/strbuf.h"

/* One of both. */
struct pod_ref {
    const struct pod_entry *entry;
    const struct resident *resident; /* on its node, live and in no group */
};

struct pod_walk {
    const struct pod_entry *entry; /* NULL: a resident */
    const struct resident *resident;
    size_t at;                   /* in the table of either */
    const struct skr_meta *meta; /* namespace and labels; the name of an entry alone */
    const struct shape *shape;
    const char *node; /* "" while unbound */
    int32_t priority;
    bool deleting;
};

bool skr_pod_walk_next(const struct skr_gang *e, struct pod_walk *p);
/* Writes it into buffer, or returns the text that there is. */
const char *skr_pod_walk_uid(const struct skr_gang *e, const struct pod_walk *p,
                             char buffer[SKR_UUID_TEXT]);
struct pod_ref skr_pod_walk_ref(const struct pod_walk *p);
/* Add its name, or namespace/name, to b. */
void skr_pod_ref_add_name(const struct skr_gang *e, struct pod_ref p, struct skr_strbuf *b);
void skr_pod_ref_add_key(const struct skr_gang *e, struct pod_ref p, struct skr_strbuf *b);

#endif
