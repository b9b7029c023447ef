/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What stands in group and topology objects against what should. One patch at a time per object, a
 * JSON merge patch with resourceVersion that carries only the differences. After a conflict or an
 * unknown outcome the object is read before anything else is written, so a user's change is never
 * overwritten and nothing is lost. Changes that nobody waits for are collected for a moment.
 */
#include "core/gang/object_writer.h"

#include "core/gang/dirty.h"
#include "core/gang/groups.h"
#include "core/gang/maps.h"
#include "core/gang/output.h"
#include "core/gang/plan.h"
#include "core/gang/status.h"
#include "core/gang/trial.h"
#include "core/gang/wakes.h"

#include <string.h>
#include <utlist.h>

enum { COLLECT_MS = 300, PAUSE_MS = 2000, RETRY_FIRST_MS = 100, RETRY_LAST_S = 10, REFUSED_S = 30 };

static void sent_reset(struct object_writer *writer)
{
    for (size_t i = 0; i < writer->n_sent; i++) {
        free((void *)(uintptr_t)writer->sent[i].key);
        free((void *)(uintptr_t)writer->sent[i].value);
    }
    free(writer->sent);
    free(writer->sent_annotation);
    writer->sent = NULL;
    writer->n_sent = 0;
    writer->sent_annotation = NULL;
}

void object_writer_fini(struct object_writer *writer)
{
    sent_reset(writer);
}

/* ---- differences ---- */

enum writer_kind { WRITER_MAP, WRITER_PODGROUP };
struct target {
    enum writer_kind kind;
    struct object_writer *writer;
    const struct skr_meta *meta;
    const struct skr_labels *have; /* map data, or annotations of a PodGroup */
    const char *key;
};

static const char *have_key(const struct target *t, const char *key)
{
    if (t->kind == WRITER_MAP) {
        return skr_labels_get(t->have, key);
    }
    char full[128];
    snprintf(full, sizeof full, "sakkara.%s", key);
    return skr_labels_get(t->have, full);
}

/* Moves the keys that differ to the front of w; returns their number. */
static size_t differences(const struct target *t, struct wanted *w)
{
    size_t n = 0;
    for (size_t i = 0; i < w->n; i++) {
        const char *have = have_key(t, w->item[i].key), *want = w->item[i].value;
        if ((!have && !want) || (have && want && strcmp(have, want) == 0)) {
            continue;
        }
        struct skr_label moved = w->item[i];
        w->item[i] = w->item[n];
        w->item[n++] = moved;
    }
    return n;
}

static void add_member(struct skr_strbuf *b, const char *prefix, const char *key, const char *value,
                       bool *first)
{
    char full[160];
    snprintf(full, sizeof full, "%s%s", prefix, key);
    if (!*first) {
        skr_strbuf_addc(b, ',');
    }
    *first = false;
    skr_strbuf_add_json(b, full);
    skr_strbuf_addc(b, ':');
    if (value) {
        skr_strbuf_add_json(b, value);
    } else {
        skr_strbuf_add(b, "null");
    }
}

static void patch_body(const struct target *t, const struct wanted *w, size_t n,
                       const char *annotation, struct skr_strbuf *b)
{
    bool first = true;
    skr_strbuf_add(b, "{\"metadata\":{\"uid\":");
    skr_strbuf_add_json(b, t->meta->uid);
    if (t->meta->resource_version) {
        skr_strbuf_addf(b, ",\"resourceVersion\":\"%llu\"",
                        (unsigned long long)t->meta->resource_version);
    }
    if (annotation || (t->kind == WRITER_PODGROUP && n > 0)) {
        skr_strbuf_add(b, ",\"annotations\":{");
        if (annotation) {
            add_member(b, "", SKR_ANNOTATION_PLAN, *annotation ? annotation : NULL, &first);
        }
        for (size_t i = 0; t->kind == WRITER_PODGROUP && i < n; i++) {
            add_member(b, "sakkara.", w->item[i].key, w->item[i].value, &first);
        }
        skr_strbuf_addc(b, '}');
    }
    skr_strbuf_addc(b, '}');
    if (t->kind == WRITER_MAP && n > 0) {
        first = true;
        skr_strbuf_add(b, ",\"data\":{");
        for (size_t i = 0; i < n; i++) {
            add_member(b, "", w->item[i].key, w->item[i].value, &first);
        }
        skr_strbuf_addc(b, '}');
    }
    skr_strbuf_addc(b, '}');
}

static void remember(struct object_writer *writer, const struct wanted *w, size_t n,
                     const char *annotation)
{
    sent_reset(writer);
    writer->sent = skr_alloc_array(n + 1, sizeof *writer->sent);
    for (size_t i = 0; i < n; i++) {
        writer->sent[i].key = skr_strdup(w->item[i].key);
        writer->sent[i].value = skr_strdup(w->item[i].value);
    }
    writer->n_sent = n;
    writer->sent_annotation = skr_strdup(annotation);
}

static void send_read(struct skr_gang *e, const struct target *t)
{
    bool map = t->kind == WRITER_MAP;
    struct pending_write *w = out_write(e, map ? SKR_WRITE_GET_CONFIGMAP : SKR_WRITE_GET_PODGROUP,
                                        SKR_WRITE_CLASS_COMMIT, t->meta->namespace_, t->meta->name,
                                        NULL, map ? WRITE_FOR_MAP : WRITE_FOR_PODGROUP, t->key);
    t->writer->write = w->id;
    t->writer->reading = true;
}

static void send_patch(struct skr_gang *e, const struct target *t, const struct wanted *w, size_t n,
                       const char *annotation)
{
    struct skr_strbuf b;
    bool map = t->kind == WRITER_MAP;
    skr_strbuf_init(&b);
    patch_body(t, w, n, annotation, &b);
    remember(t->writer, w, n, annotation);
    struct pending_write *p = out_write(
        e, map ? SKR_WRITE_PATCH_CONFIGMAP : SKR_WRITE_PATCH_PODGROUP,
        t->writer->urgent || annotation ? SKR_WRITE_CLASS_COMMIT : SKR_WRITE_CLASS_STATUS,
        t->meta->namespace_, t->meta->name, &b, map ? WRITE_FOR_MAP : WRITE_FOR_PODGROUP, t->key);
    t->writer->write = p->id;
    t->writer->reading = false;
    t->writer->urgent = false;
    t->writer->flush_at = 0;
    t->writer->sent_at = e->now;
    skr_strbuf_fini(&b);
}

/* A change of status is written soon; counts that grow with every pod every now and then. */
static skr_time collected_at(const struct skr_gang *e, const struct target *t,
                             const struct wanted *w, size_t n)
{
    skr_time at = e->now + COLLECT_MS * SKR_MILLISECOND;
    skr_time pause = t->writer->sent_at + PAUSE_MS * SKR_MILLISECOND;
    for (size_t i = 0; i < n; i++) {
        if (strcmp(w->item[i].key, "status") == 0 || strcmp(w->item[i].key, "reason") == 0) {
            return at;
        }
    }
    return t->writer->sent_at && pause > at ? pause : at;
}

/* annotation: as it should stand; "" not at all. Returns when to look again, SKR_TIME_NEVER if
 * nothing is due. */
static skr_time settle_target(struct skr_gang *e, const struct target *t, struct wanted *w,
                              const char *annotation)
{
    struct object_writer *writer = t->writer;
    if (writer->write) {
        return SKR_TIME_NEVER;
    }
    const char *have = skr_labels_get(&t->meta->annotations, SKR_ANNOTATION_PLAN);
    bool plan_differs = strcmp(have ? have : "", annotation) != 0;
    size_t n = differences(t, w);
    if (n == 0 && !plan_differs) {
        writer->urgent = false;
        writer->flush_at = 0;
        return SKR_TIME_NEVER;
    }
    if (e->now < writer->retry_at) {
        return writer->retry_at;
    }
    if (!writer->urgent && !plan_differs) {
        if (writer->flush_at == 0) {
            writer->flush_at = collected_at(e, t, w, n);
        }
        if (e->now < writer->flush_at) {
            return writer->flush_at;
        }
    }
    if (writer->must_read) {
        send_read(e, t);
    } else {
        send_patch(e, t, w, n, plan_differs ? annotation : NULL);
    }
    return SKR_TIME_NEVER;
}

/* ---- groups ---- */

static struct target map_target(struct map_entry *m)
{
    return (struct target){.kind = WRITER_MAP,
                           .writer = &m->writer,
                           .meta = &m->map->meta,
                           .have = &m->map->data,
                           .key = m->key};
}

static struct target podgroup_target(struct podgroup_entry *pg)
{
    return (struct target){.kind = WRITER_PODGROUP,
                           .writer = &pg->writer,
                           .meta = &pg->pg->meta,
                           .have = &pg->pg->meta.annotations,
                           .key = pg->key};
}

static const char *text_for(const struct group *g, enum group_source home)
{
    const struct plan *plan = g->plan;
    return plan && plan->home == home && !plan->aborting && plan->text ? plan->text : "";
}

void object_writer_settle_group(struct skr_gang *e, struct group *g)
{
    struct target t;
    skr_time at = SKR_TIME_NEVER, other;
    if (g->source.map) {
        struct wanted w = {0};
        if (g->source.kind == SOURCE_MAP) {
            status_wanted(e, g, &w);
        }
        t = map_target(g->source.map);
        at = settle_target(e, &t, &w, text_for(g, SOURCE_MAP));
        wanted_fini(&w);
    }
    if (g->source.podgroup) {
        struct wanted w = {0};
        if (g->source.kind == SOURCE_PODGROUP) {
            status_wanted(e, g, &w);
        }
        t = podgroup_target(g->source.podgroup);
        other = settle_target(e, &t, &w, text_for(g, SOURCE_PODGROUP));
        at = other < at ? other : at;
        wanted_fini(&w);
    }
    if (at != SKR_TIME_NEVER) {
        wakes_group(e, g, at);
    }
}

/* Maps that no group writes: topology maps, duplicates, maps whose name is bad. */
void object_writer_settle_map(struct skr_gang *e, struct map_entry *m)
{
    struct group *g = groups_find(e, m->group_key);
    struct wanted w = {0};
    if (m->is_topology) {
        status_wanted_topology(e, m, &w);
    } else if (m->is_group && (!g || g->source.map != m)) {
        status_wanted_loser(e, m, &w);
    } else {
        status_forget_loser(m);
        if (g) {
            dirty_group(e, g);
        }
    }
    if (w.n > 0) {
        struct target t = map_target(m);
        skr_time at = settle_target(e, &t, &w, "");
        if (at != SKR_TIME_NEVER) {
            wakes_add(e, at, WAKE_MAP, m->key);
        }
    }
    wanted_fini(&w);
}

/* ---- answers ---- */

static skr_time retry_delay(struct object_writer *writer)
{
    uint32_t shift = writer->failures > 7 ? 7 : writer->failures;
    skr_time d = RETRY_FIRST_MS * SKR_MILLISECOND << shift;
    writer->failures++;
    return d > RETRY_LAST_S * SKR_SECOND ? RETRY_LAST_S * SKR_SECOND : d;
}

/* data and annotations as they are now that our patch is known to have been applied */
static void merge(struct skr_arena *arena, const struct skr_labels *old,
                  const struct skr_label *sent, size_t n_sent, struct skr_labels *ret)
{
    ret->item = skr_arena_array(arena, old->n + n_sent + 1, sizeof *ret->item);
    skr_bug_on(!ret->item);
    size_t n = 0;
    for (size_t i = 0; i < old->n; i++) {
        bool replaced = false;
        for (size_t j = 0; j < n_sent; j++) {
            replaced = replaced || strcmp(old->item[i].key, sent[j].key) == 0;
        }
        if (!replaced) {
            ret->item[n++] = (struct skr_label){skr_arena_strdup(arena, old->item[i].key),
                                                skr_arena_strdup(arena, old->item[i].value)};
        }
    }
    for (size_t j = 0; j < n_sent; j++) {
        if (!sent[j].value) {
            continue;
        }
        size_t at = n++;
        while (at > 0 && strcmp(ret->item[at - 1].key, sent[j].key) > 0) {
            ret->item[at] = ret->item[at - 1];
            at--;
        }
        ret->item[at] = (struct skr_label){skr_arena_strdup(arena, sent[j].key),
                                           skr_arena_strdup(arena, sent[j].value)};
    }
    ret->n = n;
}

static void merge_meta(struct skr_arena *arena, const struct skr_meta *old,
                       const struct skr_label *annotations, size_t n, uint64_t version,
                       struct skr_meta *ret)
{
    *ret = *old;
    ret->namespace_ = skr_arena_strdup(arena, old->namespace_);
    ret->name = skr_arena_strdup(arena, old->name);
    ret->uid = skr_arena_strdup(arena, old->uid);
    if (version) {
        ret->resource_version = version;
    }
    merge(arena, &old->labels, NULL, 0, &ret->labels);
    merge(arena, &old->annotations, annotations, n, &ret->annotations);
}

static struct skr_label plan_label(const struct object_writer *writer)
{
    const char *text = writer->sent_annotation;
    return (struct skr_label){SKR_ANNOTATION_PLAN, text && *text ? text : NULL};
}

static void apply_to_map(struct skr_gang *e, struct map_entry *m, uint64_t version)
{
    struct skr_arena *arena = skr_arena_create(SKR_OBJECT_BYTES_MAX, 0);
    skr_bug_on(!arena);
    struct skr_configmap *now = skr_arena_alloc(arena, sizeof *now);
    struct skr_label plan = plan_label(&m->writer);
    now->arena = arena;
    merge_meta(arena, &m->map->meta, &plan, m->writer.sent_annotation ? 1 : 0, version, &now->meta);
    merge(arena, &m->map->data, m->writer.sent, m->writer.n_sent, &now->data);
    sent_reset(&m->writer);
    maps_upsert(e, now);
}

static void apply_to_podgroup(struct skr_gang *e, struct podgroup_entry *pg, uint64_t version)
{
    struct skr_arena *arena = skr_arena_create(SKR_OBJECT_BYTES_MAX, 0);
    skr_bug_on(!arena);
    struct skr_podgroup *now = skr_arena_alloc(arena, sizeof *now);
    size_t n = 0;
    struct skr_label *annotation = skr_alloc_array(pg->writer.n_sent + 1, sizeof *annotation);
    char(*key)[128] = skr_alloc_array(pg->writer.n_sent + 1, sizeof *key);
    for (; n < pg->writer.n_sent; n++) {
        snprintf(key[n], sizeof key[n], "sakkara.%s", pg->writer.sent[n].key);
        annotation[n] = (struct skr_label){key[n], pg->writer.sent[n].value};
    }
    if (pg->writer.sent_annotation) {
        annotation[n++] = plan_label(&pg->writer);
    }
    now->arena = arena;
    now->min_member = pg->pg->min_member;
    merge_meta(arena, &pg->pg->meta, annotation, n, version, &now->meta);
    free(annotation);
    free(key);
    sent_reset(&pg->writer);
    maps_podgroup_upsert(e, now);
}

/* True when the answer settles the matter; the writer is ready for its next step. */
static bool take_outcome(struct skr_gang *e, struct object_writer *writer,
                         const struct pending_write *w, const struct skr_event *ev)
{
    writer->write = 0;
    switch (ev->write_done.outcome) {
    case SKR_WRITE_OK:
        writer->failures = 0;
        writer->retry_at = 0;
        writer->refused = false;
        return true;
    case SKR_WRITE_NOT_FOUND:
        return true;
    case SKR_WRITE_CONFLICT:
        writer->must_read = true;
        break;
    case SKR_WRITE_BUSY:
        writer->retry_at = e->now + (ev->write_done.retry_after > 0 ? ev->write_done.retry_after
                                                                    : retry_delay(writer));
        break;
    case SKR_WRITE_UNKNOWN:
    case SKR_WRITE_DROPPED:
        writer->must_read = true;
        writer->retry_at = e->now + retry_delay(writer);
        break;
    case SKR_WRITE_INVALID:
    case SKR_WRITE_DENIED:
    case SKR_WRITE_OUTCOME_COUNT:
    default:
        out_decision(e, w->key, "", "Status not written", "", ev->write_done.message, true);
        writer->refused = !writer->reading;
        writer->must_read = writer->reading; /* a refused patch was not applied */
        writer->retry_at = e->now + REFUSED_S * SKR_SECOND;
        break;
    }
    writer->urgent = true;
    return false;
}

static void look_again(struct skr_gang *e, struct group *g, const struct object_writer *writer,
                       bool was_refused)
{
    dirty_group(e, g);
    if (writer->refused) {
        wakes_group(e, g, writer->retry_at); /* nothing is planned before */
    }
    if (was_refused && !writer->refused) {
        trial_restart_backoff(g);
        trial_again(g);
    }
}

static void map_done(struct skr_gang *e, struct pending_write *w, struct skr_event *ev)
{
    struct map_entry *m = maps_find(e, w->key);
    if (!m || m->writer.write != w->id) {
        if (ev->write_done.configmap) {
            maps_upsert(e, ev->write_done.configmap);
            ev->write_done.configmap = NULL;
        }
        return;
    }
    bool reading = m->writer.reading, refused = m->writer.refused;
    struct group *g = groups_find(e, m->group_key);
    dirty_map(e, m);
    bool settled = take_outcome(e, &m->writer, w, ev);
    if (g) {
        look_again(e, g, &m->writer, refused);
    }
    if (!settled) {
        return;
    }
    if (ev->write_done.outcome == SKR_WRITE_NOT_FOUND) {
        char *namespace_ = skr_strdup(m->map->meta.namespace_);
        char *name = skr_strdup(m->map->meta.name);
        maps_delete(e, namespace_, name);
        free(namespace_);
        free(name);
    } else if (reading) {
        m->writer.must_read = false;
        if (ev->write_done.configmap) {
            maps_upsert(e, ev->write_done.configmap);
        }
        ev->write_done.configmap = NULL;
    } else {
        apply_to_map(e, m, ev->write_done.resource_version);
    }
}

static void podgroup_done(struct skr_gang *e, struct pending_write *w, struct skr_event *ev)
{
    struct podgroup_entry *pg = maps_find_podgroup(e, w->key);
    if (!pg || pg->writer.write != w->id) {
        return;
    }
    bool reading = pg->writer.reading, refused = pg->writer.refused;
    struct group *g = groups_find(e, pg->key);
    bool settled = take_outcome(e, &pg->writer, w, ev);
    if (g) {
        look_again(e, g, &pg->writer, refused);
    }
    if (!settled) {
        return;
    }
    if (ev->write_done.outcome == SKR_WRITE_NOT_FOUND) {
        char *namespace_ = skr_strdup(pg->pg->meta.namespace_),
             *name = skr_strdup(pg->pg->meta.name);
        maps_podgroup_delete(e, namespace_, name);
        free(namespace_);
        free(name);
    } else if (reading) {
        pg->writer.must_read = false;
        if (ev->write_done.podgroup) {
            maps_podgroup_upsert(e, ev->write_done.podgroup);
        }
        ev->write_done.podgroup = NULL;
    } else {
        apply_to_podgroup(e, pg, ev->write_done.resource_version);
    }
}

void object_writer_done(struct skr_gang *e, struct pending_write *w, struct skr_event *ev)
{
    if (w->purpose == WRITE_FOR_MAP) {
        map_done(e, w, ev);
    } else {
        podgroup_done(e, w, ev);
    }
}
