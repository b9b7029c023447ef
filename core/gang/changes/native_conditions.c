/* SPDX-License-Identifier: Apache-2.0 */
/* Compares the conditions of a group with those of its PodGroup. Changes are collected as those of
 * other keys (group_objects.c), with a pause after each write. The writer finds what others undo. */
#include "core/gang/changes/native_conditions.h"

#include "core/gang/cache/dirty.h"
#include "core/gang/changes/group_objects.h"
#include "core/gang/changes/maps.h"
#include "core/gang/report/status.h"
#include "core/gang/state/map_entry.h"
#include "core/gang/state/output.h"
#include "core/gang/state/types.h"
#include "core/gang/state/wakes.h"
#include "topology/base/hash.h"

#include <string.h>

enum { COLLECT_MS = 300, PAUSE_MS = 2000 };

/* The API wants a reason. */
static const char *reason_of(const struct condition *c)
{
    return *c->reason ? c->reason : "Pending";
}

static bool has(const struct skr_podgroup *pg, const char *type, const struct condition *c)
{
    for (size_t i = 0; i < pg->n_conditions; i++) {
        const struct skr_podgroup_condition *have = &pg->condition[i];
        if (strcmp(have->type, type) == 0) {
            return strcmp(have->status, c->status) == 0 &&
                   strcmp(have->reason, reason_of(c)) == 0 &&
                   strcmp(have->message, c->message) == 0;
        }
    }
    return false;
}

/* The conditions that differ, as an array; empty: none. Returns the hash of all of them. */
static uint64_t add_differences(const struct group *g, const struct skr_podgroup *pg,
                                struct skr_strbuf *b)
{
    SKR_STRBUF(all);
    for (int i = 0; i < CONDITION_KIND_COUNT; i++) {
        struct condition c = g->condition[i];
        char type[64];
        snprintf(type, sizeof type, SKR_CONDITION_PREFIX "%s", skr_status_condition_name(i));
        if (c.set) {
            skr_strbuf_addf(&all, "%s %s %s %s\n", type, c.status, reason_of(&c), c.message);
        }
        if (c.set && !has(pg, type, &c)) {
            c.reason = skr_strdup(reason_of(&c));
            skr_strbuf_add(b, b->len > 0 ? "," : "\"status\":{\"conditions\":[");
            skr_status_condition_add(&c, type, b);
            free(c.reason);
        }
    }
    if (b->len > 0) {
        skr_strbuf_add(b, "]}");
    }
    return all.len > 0 ? skr_hash_string(all.s) : 0;
}

void skr_native_conditions_settle(struct skr_gang *e, struct group *g, struct podgroup_entry *pg)
{
    skr_time at = SKR_TIME_NEVER;
    SKR_STRBUF(members);
    /* Every writer of the status has a version of its own: the uid alone is the precondition. */
    struct skr_meta meta = pg->pg->meta;
    meta.resource_version = 0;
    const uint64_t wanted = add_differences(g, pg->pg, &members);
    const struct skr_object_target target = {.type = skr_gang_podgroup_type(pg->pg->native),
                                             .subresource = "status",
                                             .meta = &meta,
                                             .purpose = WRITE_FOR_CONDITIONS,
                                             .key = pg->key,
                                             .wanted = wanted,
                                             .strategic = true};
    const skr_time now = skr_frame_now(e->frame);
    const skr_time pause = pg->marker.sent_at ? pg->marker.sent_at + PAUSE_MS * SKR_MILLISECOND : 0;
    const skr_time soon = now + COLLECT_MS * SKR_MILLISECOND;
    if (members.len == 0 && !pg->marker.must_read) {
        skr_object_writer_rest(&pg->marker, &target);
    } else if (skr_object_writer_step(&pg->marker, e->frame, &target, pause > soon ? pause : soon,
                                      &at) == SKR_OBJECT_PATCH) {
        skr_object_writer_patch(&pg->marker, e->frame, &target, SKR_WRITE_CLASS_STATUS, "",
                                members.len > 0 ? members.s : "");
    }
    skr_group_objects_tell_undone(e, &pg->marker, &target, "conditions");
    if (at != SKR_TIME_NEVER) {
        skr_wakes_group(e, g, at);
    }
}

void skr_native_conditions_done(struct skr_gang *e, const struct skr_pending_write *w,
                                struct skr_event *ev)
{
    struct podgroup_entry *pg = skr_maps_find_podgroup(e, w->key);
    if (!pg || pg->marker.write != w->id) {
        return;
    }
    const bool was_refused = pg->marker.refused;
    struct group *g = skr_maps_podgroup_group(e, pg);
    const enum skr_object_result result = skr_object_writer_done(&pg->marker, e->frame, ev);
    pg->marker.urgent = false; /* no plan depends on it */
    if (result == SKR_OBJECT_REFUSED && !was_refused) {
        skr_out_decision(e, w->key, "", "Conditions not written", "", ev->written.message, true);
    }
    if (g) {
        skr_dirty_group(e, g);
    }
    if (result == SKR_OBJECT_SET && ev->written.object) {
        skr_maps_podgroup_upsert(e, skr_event_take_object(ev));
    }
}
