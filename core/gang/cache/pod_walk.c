/* SPDX-License-Identifier: Apache-2.0 */
/* Walks over the table of entries, then over residents. */
#include "core/gang/cache/pod_walk.h"

static void see_entry(struct pod_walk *p, const struct pod_entry *entry)
{
    *p = (struct pod_walk){.entry = entry,
                           .at = (size_t)entry->number + 1,
                           .meta = &entry->pod->meta,
                           .shape = entry->shape,
                           .node = entry->pod->node_name,
                           .priority = entry->pod->priority,
                           .deleting = entry->pod->meta.deleting};
}

static void see_resident(const struct skr_gang *e, struct pod_walk *p, const struct resident *r,
                         size_t at)
{
    *p = (struct pod_walk){.resident = r,
                           .at = at,
                           .meta = skr_residents_meta(e, r),
                           .shape = skr_residents_shape(e, r),
                           .node = skr_residents_node(e, r),
                           .priority = skr_residents_priority(e, r)};
}

bool skr_pod_walk_next(const struct skr_gang *e, struct pod_walk *p)
{
    size_t at = p->at;
    const struct pod_entry *entry = p->resident ? NULL : skr_pods_next(e, &at);
    if (entry) {
        see_entry(p, entry);
        return true;
    }
    at = p->resident ? p->at : 0;
    const struct resident *r = skr_residents_next(e, &at);
    if (r) {
        see_resident(e, p, r, at);
    }
    return r;
}

const char *skr_pod_walk_uid(const struct skr_gang *e, const struct pod_walk *p,
                             char buffer[SKR_UUID_TEXT])
{
    return p->entry ? p->entry->uid : skr_residents_uid(e, p->resident, buffer);
}

struct pod_ref skr_pod_walk_ref(const struct pod_walk *p)
{
    return (struct pod_ref){.entry = p->entry, .resident = p->resident};
}

void skr_pod_ref_add_name(const struct skr_gang *e, struct pod_ref p, struct skr_strbuf *b)
{
    if (p.entry) {
        skr_strbuf_add(b, p.entry->pod->meta.name);
    } else {
        skr_residents_add_name(e, p.resident, b);
    }
}

void skr_pod_ref_add_key(const struct skr_gang *e, struct pod_ref p, struct skr_strbuf *b)
{
    const struct skr_meta *meta = p.entry ? &p.entry->pod->meta : skr_residents_meta(e, p.resident);
    skr_strbuf_add(b, meta->namespace_);
    skr_strbuf_add(b, *meta->namespace_ ? "/" : "");
    skr_pod_ref_add_name(e, p, b);
}
