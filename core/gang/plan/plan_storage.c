/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the object that stores a plan's text, and reads its state from the cache: see
 * plan_storage.h.
 */
#include "core/gang/plan/plan_storage.h"

#include "core/gang/cache/pods.h"
#include "core/gang/plan/plan.h"
#include "core/gang/state/map_entry.h"

#include <string.h>

static bool at_podgroup(const struct group *g)
{
    return (g->plan ? g->plan->home : g->source.kind) == SOURCE_PODGROUP;
}

/* NULL: there is no object. */
static const struct skr_meta *meta_of(const struct group *g)
{
    if (at_podgroup(g)) {
        return g->source.podgroup ? &g->source.podgroup->pg->meta : NULL;
    }
    return g->source.map ? &g->source.map->map->meta : NULL;
}

static const char *text_of(const struct skr_meta *meta)
{
    const char *text = skr_labels_get(&meta->annotations, SKR_ANNOTATION_PLAN);
    return text ? text : "";
}

const char *skr_plan_storage_text(const struct group *g)
{
    const struct skr_meta *meta = meta_of(g);
    return meta ? text_of(meta) : NULL;
}

void skr_plan_storage_hurry(struct group *g)
{
    if (g->source.podgroup) {
        g->source.podgroup->writer.urgent = true;
    }
    if (g->source.map) {
        g->source.map->writer.urgent = true;
    }
}

bool skr_plan_storage_is_refused(const struct skr_gang *e, const struct group *g)
{
    const struct skr_object_writer *writer = NULL;
    if (at_podgroup(g)) {
        writer = g->source.podgroup ? &g->source.podgroup->writer : NULL;
    } else if (g->source.kind == SOURCE_MAP && g->source.map) {
        writer = &g->source.map->writer;
    }
    return writer && writer->refused &&
           (writer->write || skr_frame_now(e->frame) < writer->retry_at);
}

/* A patch in flight, or of unknown outcome, writes another text: an earlier leader may have written
 * the same text, which this process was about to remove. */
static bool is_being_changed(const struct group *g, const char *text)
{
    const struct skr_object_writer *writer = NULL;
    const struct sent_patch *sent = NULL;
    if (at_podgroup(g)) {
        writer = g->source.podgroup ? &g->source.podgroup->writer : NULL;
        sent = g->source.podgroup ? &g->source.podgroup->sent : NULL;
    } else if (g->source.map) {
        writer = &g->source.map->writer;
        sent = &g->source.map->sent;
    }
    return writer && (writer->write || writer->must_read) && sent->annotation &&
           strcmp(sent->annotation, text) != 0;
}

bool skr_plan_storage_is_persisted(const struct skr_gang *e, struct plan *plan)
{
    return !plan->preempting && skr_plan_storage_is_written(e, plan);
}

static bool carries(const struct skr_meta *meta, struct plan *plan)
{
    const uint64_t version = meta->resource_version;
    const bool known = version != 0 && plan->carrier == version;
    const bool same = plan->text && (known || strcmp(text_of(meta), plan->text) == 0);
    plan->carrier = same ? version : 0;
    return same;
}

bool skr_plan_storage_is_written(const struct skr_gang *e, struct plan *plan)
{
    const struct pod_entry *p = plan->anchor ? skr_pods_find(e, plan->anchor) : NULL;
    const struct skr_meta *meta = p ? &p->pod->meta
                                  : plan->anchor || plan->home == SOURCE_LABELS
                                      ? NULL
                                      : meta_of(plan->group);
    if (!meta) { /* it is gone: a started Binding is finished from the members */
        return plan->binding_persisted;
    }
    return carries(meta, plan) && (plan->anchor || !is_being_changed(plan->group, plan->text));
}

bool skr_plan_storage_was_overtaken(const struct skr_gang *e, const struct plan *plan)
{
    const struct pod_entry *p = plan->anchor ? skr_pods_find(e, plan->anchor) : NULL;
    const char *have = p ? skr_labels_get(&p->pod->meta.annotations, SKR_ANNOTATION_PLAN)
                       : !plan->anchor ? skr_plan_storage_text(plan->group)
                                       : NULL;
    struct skr_plan_record *r = NULL;
    if (plan->binding_persisted || !have || !strstr(have, plan->id) ||
        (plan->text && strcmp(have, plan->text) == 0) || !strstr(have, "\"Binding\"") ||
        skr_plan_parse(have, &r, NULL) < 0) {
        return false;
    }
    const bool overtaken = r->state == SKR_PLAN_BINDING && strcmp(r->id, plan->id) == 0;
    skr_plan_record_destroy(r);
    return overtaken;
}

void skr_plan_storage_note_binding(struct skr_gang *e, struct group *g)
{
    struct plan *plan = g->plan;
    if (plan && plan->home == SOURCE_NONE) { /* its object was gone, and may exist again */
        plan->home = g->source.maps       ? SOURCE_MAP
                     : g->source.podgroup ? SOURCE_PODGROUP
                                          : SOURCE_NONE;
    }
    if (plan && plan->binding && !plan->aborting && skr_plan_storage_is_persisted(e, plan)) {
        skr_plan_note_persisted(plan);
    }
}

static const struct skr_object_writer *storage_writer(const struct group *g)
{
    if (g->plan->home == SOURCE_PODGROUP) {
        return g->source.podgroup ? &g->source.podgroup->writer : NULL;
    }
    return g->plan->home == SOURCE_MAP && g->source.map ? &g->source.map->writer : NULL;
}

bool skr_plan_storage_is_quiet(const struct skr_gang *e, const struct group *g)
{
    if (g->plan->anchor) {
        const struct pod_entry *p = skr_pods_find(e, g->plan->anchor);
        return !p || p->plan != g->plan || (!p->work->patch.write && !p->work->patch.must_read);
    }
    const struct skr_object_writer *writer = storage_writer(g);
    return !writer || (!writer->write && !writer->must_read);
}
