/* SPDX-License-Identifier: Apache-2.0 */
/* Names, makes and finds the maps of derived groups. The name has a hash of the owner's uid, so that a
 * workload that is made again under its name never meets the map of the one before. */
#include "core/gang/changes/status_map.h"

#include "core/gang/cache/dirty.h"
#include "core/gang/cache/workload_owners.h"
#include "core/gang/changes/derived.h"
#include "core/gang/changes/maps.h"
#include "core/gang/group/group_table.h"
#include "core/gang/report/status.h"
#include "core/gang/state/output.h"
#include "core/gang/state/types.h"
#include "topology/base/json_writer.h"

#include <stdio.h>
#include <string.h>

enum { OWNER_CHARS = 40, AFTER_S = 1, AGAIN_S = 30, REFUSED_S = 300 };

static const struct skr_owner *owner_of(const struct skr_gang *e, const struct group *g)
{
    const bool shown =
        !e->settings.derive_no_maps && g->source.kind == SOURCE_LABELS && skr_derived_is(g);
    return shown ? skr_workload_owners_of_group(g) : NULL;
}

static void add_name(struct skr_strbuf *b, const struct group *g, const struct skr_owner *owner)
{
    const char *name = owner->meta.name;
    size_t n = strnlen(name, OWNER_CHARS);
    while (n > 0 && (name[n - 1] == '.' || name[n - 1] == '-')) {
        n--;
    }
    uint64_t hash = skr_hash_bytes(SKR_HASH_BEGIN, owner->meta.uid, strlen(owner->meta.uid));
    hash = skr_hash_bytes(hash, g->name, strlen(g->name));
    skr_strbuf_addf(b, "sakkara-%.*s-%08x", (int)n, name, (unsigned)(hash ^ hash >> 32));
}

struct map_entry *skr_status_map_of(const struct skr_gang *e, const struct group *g)
{
    const struct skr_owner *owner = owner_of(e, g);
    SKR_STRBUF(key);
    if (!owner) {
        return NULL;
    }
    skr_strbuf_addf(&key, "%s/", g->namespace_);
    add_name(&key, g, owner);
    struct map_entry *m = skr_maps_find(e, key.s);
    return m && m->shows && strcmp(m->shows, g->key) == 0 ? m : NULL;
}

/* ---- making it ---- */

static void write_data(struct skr_json_writer *w, struct skr_gang *e, const struct group *g,
                       const struct skr_owner *owner)
{
    struct desired_keys keys = {0};
    SKR_STRBUF(text);
    skr_strbuf_addf(&text, "%s/%s", owner->kind, owner->meta.name);
    skr_status_desired_keys(e, g, &keys);
    skr_json_open(w, "data", '{');
    skr_json_string(w, "name", g->name);
    skr_json_string(w, "owner", text.s);
    for (size_t i = 0; i < keys.n; i++) {
        if (keys.item[i].value) {
            skr_json_string(w, keys.item[i].key, keys.item[i].value);
        }
    }
    skr_json_close(w, '}');
    skr_desired_keys_fini(&keys);
}

static void make(struct skr_gang *e, struct group *g, const struct skr_owner *owner)
{
    SKR_STRBUF(name);
    SKR_STRBUF(body);
    struct skr_json_writer w = {.out = &body};
    add_name(&name, g, owner);
    skr_json_open(&w, NULL, '{');
    skr_json_string(&w, "apiVersion", "v1");
    skr_json_string(&w, "kind", "ConfigMap");
    skr_json_open(&w, "metadata", '{');
    skr_json_string(&w, "namespace", g->namespace_);
    skr_json_string(&w, "name", name.s);
    skr_json_open(&w, "labels", '{');
    skr_json_string(&w, SKR_LABEL_DERIVED, "");
    skr_json_close(&w, '}');
    skr_out_owner(&w, skr_gang_type_of(owner->api_version, owner->kind)->resource, &owner->meta);
    skr_json_close(&w, '}');
    write_data(&w, e, g, owner);
    skr_json_close(&w, '}');
    const struct skr_meta meta = {.namespace_ = g->namespace_, .name = name.s};
    (void)skr_out_write(e, SKR_WRITE_CREATE_CONFIGMAP, SKR_WRITE_CLASS_STATUS, 0, &meta, &body,
                        WRITE_FOR_STATUS_MAP, g->key);
    g->derived.map_at = skr_frame_now(e->frame) + AGAIN_S * SKR_SECOND;
    e->status_maps.n_asked++;
}

/* Once in a process: all groups beyond meet the same. */
static void tell(struct skr_gang *e, const char *key, bool *told, const char *message)
{
    if (!*told) {
        *told = true;
        skr_out_decision(e, key, "", "Maps of derived groups not made", "", message, true);
    }
}

skr_time skr_status_map_make(struct skr_gang *e, struct group *g)
{
    const struct skr_owner *owner = owner_of(e, g);
    const skr_time now = skr_frame_now(e->frame);
    if (!owner || owner->meta.deleting || g->seats.n_live == 0) {
        return SKR_TIME_NEVER;
    }
    if (e->status_maps.n + e->status_maps.n_asked >= SKR_STATUS_MAPS_MAX) {
        char message[128];
        snprintf(message, sizeof message,
                 "%d maps show derived groups, as many as there may be; explain shows the others",
                 SKR_STATUS_MAPS_MAX);
        tell(e, g->key, &e->status_maps.told_full, message);
        return SKR_TIME_NEVER;
    }
    if (g->derived.map_at == 0) {
        g->derived.map_at = now + AFTER_S * SKR_SECOND;
    }
    const skr_time refused = e->status_maps.refused_until;
    const skr_time at = g->derived.map_at > refused ? g->derived.map_at : refused;
    if (now >= at) {
        make(e, g, owner);
        return g->derived.map_at;
    }
    return at;
}

const char *skr_status_map_note(const struct skr_gang *e, const struct group *g,
                                const char *annotation, bool *ret_none)
{
    const struct map_entry *shown = skr_status_map_of(e, g);
    const struct skr_meta *meta = NULL;
    if (shown) {
        meta = &shown->map->meta;
    } else if (g->source.kind == SOURCE_MAP && g->source.map) {
        meta = &g->source.map->map->meta;
    } else if (g->source.kind == SOURCE_PODGROUP && g->source.podgroup) {
        meta = &g->source.podgroup->pg->meta;
    }
    if (ret_none) {
        *ret_none = !meta;
    }
    return meta ? skr_labels_get(&meta->annotations, annotation) : NULL;
}

void skr_status_map_count(struct skr_gang *e, struct map_entry *m)
{
    e->status_maps.n += !m->counted;
    m->counted = true;
}

void skr_status_map_done(struct skr_gang *e, const struct skr_pending_write *w,
                         struct skr_event *ev)
{
    struct group *g = skr_groups_find(e, w->key);
    const skr_time then = skr_frame_now(e->frame) + REFUSED_S * SKR_SECOND;
    const enum skr_write_outcome outcome = ev->written.outcome;
    e->status_maps.n_asked--;
    if (g && (outcome == SKR_WRITE_DENIED || outcome == SKR_WRITE_INVALID ||
              outcome == SKR_WRITE_CONFLICT)) {
        g->derived.map_at = then;
    }
    /* A quota of one namespace, or its end, says nothing about others (words of the authorizer of
     * kube-apiserver, pkg/endpoints/handlers/responsewriters/errors.go). */
    if (outcome == SKR_WRITE_DENIED && strstr(ev->written.message, "cannot create resource")) {
        e->status_maps.refused_until = then;
        tell(e, w->key, &e->status_maps.told_refused, ev->written.message);
    }
    if (g) {
        skr_dirty_group(e, g);
    }
}

void skr_status_map_seen(struct skr_gang *e, const struct map_entry *m)
{
    struct group *g = m->shows ? skr_groups_find(e, m->shows) : NULL;
    if (g) {
        skr_dirty_group(e, g);
    }
}
