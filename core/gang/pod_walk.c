/* SPDX-License-Identifier: Apache-2.0 */
/* The table of entries, then the list of residents. */
#include "core/gang/pod_walk.h"

static void see_entry(struct pod_walk *p, const struct pod_entry *entry)
{
    *p = (struct pod_walk){.entry = entry,
                           .key = entry->key,
                           .meta = &entry->pod->meta,
                           .shape = entry->shape,
                           .node = entry->pod->node_name,
                           .priority = entry->pod->priority,
                           .deleting = entry->pod->meta.deleting};
}

static void see_resident(struct pod_walk *p, const struct resident *r)
{
    *p = (struct pod_walk){.resident = r,
                           .key = r->key,
                           .meta = residents_meta(r),
                           .shape = residents_shape(r),
                           .node = r->node,
                           .priority = residents_priority(r)};
}

bool pod_walk_next(const struct skr_gang *e, struct pod_walk *p)
{
    const struct pod_entry *entry = p->entry ? p->entry->hh.next : p->resident ? NULL : e->pods;
    if (entry) {
        see_entry(p, entry);
        return true;
    }
    const struct resident *r = p->resident ? p->resident->next : residents_first(e);
    if (r) {
        see_resident(p, r);
    }
    return r;
}

const char *pod_walk_uid(const struct pod_walk *p, char buffer[SKR_UUID_TEXT])
{
    return p->entry ? p->entry->uid : residents_uid(p->resident, buffer);
}
