/* SPDX-License-Identifier: Apache-2.0 */
/* Writes keys and plan text to objects of groups. Changes are collected for COLLECT_MS. If neither
 * status nor reason changed, writes to one object pause for PAUSE_MS. After a refusal the plan text
 * goes without the keys. */
#include "core/gang/changes/group_objects.h"

#include "core/gang/cache/dirty.h"
#include "core/gang/changes/maps.h"
#include "core/gang/changes/status_map.h"
#include "core/gang/group/attempt.h"
#include "core/gang/group/group_table.h"
#include "core/gang/report/map_status.h"
#include "core/gang/report/status.h"
#include "core/gang/state/group_keys.h"
#include "core/gang/state/output.h"
#include "core/gang/state/plan_entry.h"
#include "core/gang/state/types.h"
#include "core/gang/state/wakes.h"
#include "topology/base/hash.h"

#include <string.h>

enum { COLLECT_MS = 300, PAUSE_MS = 2000 };

void skr_group_objects_forget(struct sent_patch *sent)
{
    for (size_t i = 0; i < sent->n; i++) {
        free((void *)(uintptr_t)sent->item[i].key);
        free((void *)(uintptr_t)sent->item[i].value);
    }
    free(sent->item);
    free(sent->annotation);
    *sent = (struct sent_patch){.n = 0};
}

/* ---- differences ---- */

struct target {
    struct skr_object_target object;
    struct skr_object_writer *writer;
    struct sent_patch *sent;
    struct group_keys have;
};

/* Whether the key is an annotation of every object. */
static bool is_note(const char *key)
{
    return strcmp(key, DESIRED_KEY_RESERVATION) == 0 || strcmp(key, DESIRED_KEY_SEATS) == 0 ||
           strcmp(key, DESIRED_KEY_PAUSES) == 0;
}

static const char *have_of(const struct target *t, const char *key)
{
    const struct group_keys notes = {.labels = &t->object.meta->annotations, .annotations = true};
    return skr_group_keys_get(is_note(key) ? &notes : &t->have, key);
}

/* Moves the keys that differ to the front of w; returns their number. */
static size_t differences(const struct target *t, struct desired_keys *w)
{
    size_t n = 0;
    for (size_t i = 0; i < w->n; i++) {
        const char *have = have_of(t, w->item[i].key), *want = w->item[i].value;
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

/* The fields of a patch besides its preconditions. */
static void add_changes(const struct target *t, const struct desired_keys *w, size_t n,
                        const char *annotation, struct skr_strbuf *metadata,
                        struct skr_strbuf *members)
{
    bool first = true;
    size_t n_notes = 0;
    for (size_t i = 0; i < n; i++) {
        n_notes += t->have.annotations || is_note(w->item[i].key);
    }
    if (annotation || n_notes > 0) {
        skr_strbuf_add(metadata, "\"annotations\":{");
        if (annotation) {
            add_member(metadata, "", SKR_ANNOTATION_PLAN, *annotation ? annotation : NULL, &first);
        }
        for (size_t i = 0; i < n; i++) {
            if (t->have.annotations || is_note(w->item[i].key)) {
                add_member(metadata, GROUP_KEYS_PREFIX, w->item[i].key, w->item[i].value, &first);
            }
        }
        skr_strbuf_addc(metadata, '}');
    }
    if (n > n_notes) {
        first = true;
        skr_strbuf_add(members, "\"data\":{");
        for (size_t i = 0; i < n; i++) {
            if (!is_note(w->item[i].key)) {
                add_member(members, "", w->item[i].key, w->item[i].value, &first);
            }
        }
        skr_strbuf_addc(members, '}');
    }
}

static void remember(struct sent_patch *sent, const struct desired_keys *w, size_t n,
                     const char *annotation)
{
    skr_group_objects_forget(sent);
    sent->item = skr_alloc_array(n + 1, sizeof *sent->item);
    for (; sent->n < n; sent->n++) {
        sent->item[sent->n].key = skr_strdup(w->item[sent->n].key);
        sent->item[sent->n].value = skr_strdup(w->item[sent->n].value);
    }
    sent->annotation = skr_strdup(annotation);
}

static void send_patch(struct skr_gang *e, const struct target *t, const struct desired_keys *w,
                       size_t n, const char *annotation)
{
    SKR_STRBUF(metadata);
    SKR_STRBUF(members);
    add_changes(t, w, n, annotation, &metadata, &members);
    remember(t->sent, w, n, annotation);
    skr_object_writer_patch(t->writer, e->frame, &t->object,
                            t->writer->urgent || annotation ? SKR_WRITE_CLASS_COMMIT
                                                            : SKR_WRITE_CLASS_STATUS,
                            metadata.len > 0 ? metadata.s : "", members.len > 0 ? members.s : "");
}

/* A change of status is written soon; counts that grow with every pod are collected. */
static skr_time collected_at(const struct skr_gang *e, const struct target *t,
                             const struct desired_keys *w, size_t n)
{
    skr_time at = skr_frame_now(e->frame) + COLLECT_MS * SKR_MILLISECOND;
    skr_time pause = t->writer->sent_at + PAUSE_MS * SKR_MILLISECOND;
    for (size_t i = 0; i < n; i++) {
        if (strcmp(w->item[i].key, "status") == 0 || strcmp(w->item[i].key, "reason") == 0) {
            return at;
        }
    }
    return t->writer->sent_at && pause > at ? pause : at;
}

/* A patch was refused, as when the keys make the object too large. The plan goes without keys, and at
 * once: while its text is there, its room is charged. */
static void go_alone(const struct target *t, const char *annotation)
{
    const struct sent_patch *sent = t->sent;
    if (sent->n > 0 || !sent->annotation || strcmp(sent->annotation, annotation) != 0) {
        t->writer->retry_at = 0;
    }
}

/* Of all that the object should have, in any order of the keys. */
static uint64_t hash_wanted(const struct desired_keys *w, const char *annotation)
{
    uint64_t sum = skr_hash_string(annotation);
    for (size_t i = 0; i < w->n; i++) {
        sum += skr_hash_pair(skr_hash_string(w->item[i].key),
                             w->item[i].value ? skr_hash_string(w->item[i].value) : 1);
    }
    return sum ? sum : 1;
}

void skr_group_objects_tell_undone(struct skr_gang *e, struct skr_object_writer *writer,
                                   const struct skr_object_target *object, const char *part)
{
    if (!skr_undone_tell(&writer->undone)) {
        return;
    }
    SKR_STRBUF(what);
    SKR_STRBUF(note);
    skr_strbuf_addf(&what, "%s of %s %s", part, object->type->resource->kind, object->meta->name);
    skr_undone_write_note(&writer->undone, what.s, &note);
    skr_out_event_on(e, object->type->resource, object->meta, true, SKR_UNDONE_REASON,
                     SKR_UNDONE_REASON, note.s);
}

/* annotation: the wanted text; "": none. Returns when to look again, SKR_TIME_NEVER if nothing is
 * due. */
static skr_time settle_target(struct skr_gang *e, struct target *t, struct desired_keys *w,
                              const char *annotation)
{
    const char *have = skr_labels_get(&t->object.meta->annotations, SKR_ANNOTATION_PLAN);
    bool plan_differs = strcmp(have ? have : "", annotation) != 0;
    size_t n = differences(t, w);
    skr_time at = SKR_TIME_NEVER;
    if (skr_object_writer_compares(t->writer, n > 0 || plan_differs)) {
        t->object.wanted = hash_wanted(w, annotation);
    }
    if (plan_differs && t->writer->refused) {
        n = 0;
        go_alone(t, annotation);
    }
    /* If a patch of unknown outcome is open, its result is awaited even without a difference. */
    if (n == 0 && !plan_differs && !t->writer->must_read) {
        skr_object_writer_rest(t->writer, &t->object);
    } else if (skr_object_writer_step(t->writer, e->frame, &t->object,
                                      plan_differs ? 0 : collected_at(e, t, w, n),
                                      &at) == SKR_OBJECT_PATCH) {
        send_patch(e, t, w, n, plan_differs ? annotation : NULL);
    }
    skr_group_objects_tell_undone(e, t->writer, &t->object, "status or plan");
    return at;
}

/* ---- groups ---- */

static struct target map_target(struct map_entry *m)
{
    return (struct target){.object = {.type = &skr_gang_configmap,
                                      .meta = &m->map->meta,
                                      .purpose = WRITE_FOR_MAP,
                                      .key = m->key,
                                      .applies_itself = true},
                           .writer = &m->writer,
                           .sent = &m->sent,
                           .have = skr_group_keys_of_map(m->map)};
}

static struct target podgroup_target(struct podgroup_entry *pg)
{
    return (struct target){.object = {.type = skr_gang_podgroup_type(pg->pg->native),
                                      .meta = &pg->pg->meta,
                                      .purpose = WRITE_FOR_PODGROUP,
                                      .key = pg->key,
                                      .applies_itself = true},
                           .writer = &pg->writer,
                           .sent = &pg->sent,
                           .have = skr_group_keys_of_podgroup(pg->pg)};
}

static const char *text_for(const struct group *g, enum group_source home)
{
    const struct plan *plan = g->plan;
    return plan && plan->home == home && !plan->aborting && plan->text ? plan->text : "";
}

static skr_time settle_status_map(struct skr_gang *e, struct group *g)
{
    struct map_entry *m = skr_status_map_of(e, g);
    struct desired_keys w = {0};
    if (!m) {
        return skr_status_map_make(e, g);
    }
    skr_status_map_count(e, m);
    struct target t = map_target(m);
    skr_status_desired_keys(e, g, &w);
    const skr_time at = settle_target(e, &t, &w, "");
    skr_desired_keys_fini(&w);
    return at;
}

/* A PodGroup shows the status of its group also if a map defines the group. annotation: the wanted
 * text of the plan. */
static skr_time settle_podgroup(struct skr_gang *e, struct group *g, struct podgroup_entry *pg,
                                const char *annotation)
{
    struct desired_keys w = {0};
    struct target t = podgroup_target(pg);
    skr_status_desired_keys(e, g, &w);
    const skr_time at = settle_target(e, &t, &w, annotation);
    skr_desired_keys_fini(&w);
    return at;
}

void skr_group_objects_settle_shown(struct skr_gang *e, struct group *g, struct podgroup_entry *pg)
{
    const skr_time at = settle_podgroup(e, g, pg, "");
    if (at != SKR_TIME_NEVER) {
        skr_wakes_group(e, g, at);
    }
}

void skr_group_objects_settle(struct skr_gang *e, struct group *g)
{
    skr_time at = SKR_TIME_NEVER, other;
    if (g->source.map) {
        struct desired_keys w = {0};
        if (g->source.kind == SOURCE_MAP) {
            skr_status_desired_keys(e, g, &w);
        }
        struct target t = map_target(g->source.map);
        at = settle_target(e, &t, &w, text_for(g, SOURCE_MAP));
        skr_desired_keys_fini(&w);
    }
    if (g->source.podgroup) {
        other = settle_podgroup(e, g, g->source.podgroup, text_for(g, SOURCE_PODGROUP));
        at = other < at ? other : at;
    }
    other = settle_status_map(e, g);
    at = other < at ? other : at;
    if (at != SKR_TIME_NEVER) {
        skr_wakes_group(e, g, at);
    }
}

/* Maps that no group writes: topology maps, duplicates, maps whose name is bad. */
void skr_group_objects_settle_map(struct skr_gang *e, struct map_entry *m)
{
    struct group *g = skr_groups_find(e, m->group_key);
    struct desired_keys w = {0};
    if (m->is_topology) {
        skr_map_status_desired_topology(e, m, &w);
    } else if (m->is_group && (!g || g->source.map != m)) {
        skr_map_status_desired_loser(e, m, &w);
    } else {
        skr_map_status_forget(m);
        if (g) {
            skr_dirty_group(e, g);
        }
    }
    if (w.n > 0) {
        struct target t = map_target(m);
        skr_time at = settle_target(e, &t, &w, "");
        if (at != SKR_TIME_NEVER) {
            skr_wakes_add(e, at, WAKE_MAP, m->key);
        }
    }
    skr_desired_keys_fini(&w);
}

/* ---- answers ---- */

/* Data and annotations after our patch was applied. */
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

/* keys: whether the sent keys are annotations, too; else they are data. */
static void merge_meta(struct skr_arena *arena, const struct skr_meta *old,
                       const struct sent_patch *sent, bool keys, uint64_t version,
                       struct skr_meta *ret)
{
    size_t n = 0;
    SKR_AUTO_FREE struct skr_label *annotation = skr_alloc_array(sent->n + 1, sizeof *annotation);
    char(*full)[128] = skr_alloc_array(sent->n + 1, sizeof *full);
    for (size_t i = 0; i < sent->n; i++) {
        if (keys || is_note(sent->item[i].key)) {
            snprintf(full[n], sizeof full[n], GROUP_KEYS_PREFIX "%s", sent->item[i].key);
            annotation[n] = (struct skr_label){full[n], sent->item[i].value};
            n++;
        }
    }
    if (sent->annotation) {
        const char *text = *sent->annotation ? sent->annotation : NULL;
        annotation[n++] = (struct skr_label){SKR_ANNOTATION_PLAN, text};
    }
    *ret = *old;
    ret->namespace_ = skr_arena_strdup(arena, old->namespace_);
    ret->name = skr_arena_strdup(arena, old->name);
    ret->uid = skr_arena_strdup(arena, old->uid);
    if (version) {
        ret->resource_version = version;
    }
    merge(arena, &old->labels, NULL, 0, &ret->labels);
    merge(arena, &old->annotations, annotation, n, &ret->annotations);
    free(full);
}

/* The most bytes that a map with the patch takes: allocated as one block. */
static size_t patched_size(const struct map_entry *m)
{
    enum { ALIGNMENT = 16, PREFIX = sizeof GROUP_KEYS_PREFIX };
    size_t size = skr_arena_used(m->map->arena) + ALIGNMENT;
    for (size_t i = 0; i < m->sent.n; i++) {
        const struct skr_label *item = &m->sent.item[i];
        size += sizeof(struct skr_label) + PREFIX + strlen(item->key) +
                (item->value ? strlen(item->value) : 0) + 2;
    }
    return size + sizeof(struct skr_label) + sizeof SKR_ANNOTATION_PLAN +
           (m->sent.annotation ? strlen(m->sent.annotation) : 0) + 1;
}

/* Returns the number of the other items. */
static size_t put_notes_last(struct sent_patch *sent)
{
    size_t n = 0;
    for (size_t i = 0; i < sent->n; i++) {
        const struct skr_label item = sent->item[i];
        if (!is_note(item.key)) {
            sent->item[i] = sent->item[n];
            sent->item[n++] = item;
        }
    }
    return n;
}

static void apply_to_map(struct skr_gang *e, struct map_entry *m, uint64_t version)
{
    struct skr_arena *arena = skr_arena_create(SKR_OBJECT_BYTES_MAX, patched_size(m));
    skr_bug_on(!arena);
    struct skr_configmap *now = skr_arena_alloc(arena, sizeof *now);
    now->arena = arena;
    now->immutable = m->map->immutable;
    merge_meta(arena, &m->map->meta, &m->sent, now->immutable, version, &now->meta);
    merge(arena, &m->map->data, m->sent.item, now->immutable ? 0 : put_notes_last(&m->sent),
          &now->data);
    skr_group_objects_forget(&m->sent);
    m->read_at = 0;
    skr_maps_upsert(e, now);
}

static void copy_conditions(struct skr_arena *arena, const struct skr_podgroup *old,
                            struct skr_podgroup *now)
{
    now->condition = skr_arena_array(arena, old->n_conditions + 1, sizeof *now->condition);
    skr_bug_on(!now->condition);
    for (size_t i = 0; i < old->n_conditions; i++) {
        now->condition[i] = (struct skr_podgroup_condition){
            .type = skr_arena_strdup(arena, old->condition[i].type),
            .status = skr_arena_strdup(arena, old->condition[i].status),
            .reason = skr_arena_strdup(arena, old->condition[i].reason),
            .message = skr_arena_strdup(arena, old->condition[i].message)};
    }
}

static void apply_to_podgroup(struct skr_gang *e, struct podgroup_entry *pg, uint64_t version)
{
    struct skr_arena *arena = skr_arena_create(SKR_OBJECT_BYTES_MAX, 0);
    skr_bug_on(!arena);
    struct skr_podgroup *now = skr_arena_alloc(arena, sizeof *now);
    *now = *pg->pg;
    now->arena = arena;
    now->composite = skr_arena_strdup(arena, pg->pg->composite);
    copy_conditions(arena, pg->pg, now);
    now->topology_key = skr_arena_strdup(arena, pg->pg->topology_key);
    merge_meta(arena, &pg->pg->meta, &pg->sent, true, version, &now->meta);
    skr_group_objects_forget(&pg->sent);
    pg->read_at = 0;
    skr_maps_podgroup_upsert(e, now);
}

static void look_again(struct skr_gang *e, struct group *g, const struct skr_object_writer *writer,
                       bool was_refused)
{
    skr_dirty_group(e, g);
    if (writer->refused) {
        skr_wakes_group_then(e, g, writer->retry_at); /* no plan before that */
    }
    if (was_refused && !writer->refused) {
        skr_attempt_restart_backoff(g);
        skr_attempt_again(g);
    }
}

static enum skr_object_result take_outcome(struct skr_gang *e, struct skr_object_writer *writer,
                                           const struct skr_pending_write *w,
                                           const struct skr_event *ev)
{
    enum skr_object_result result = skr_object_writer_done(writer, e->frame, ev);
    if (result == SKR_OBJECT_REFUSED) {
        skr_out_decision(e, w->key, "", "Status not written", "", ev->written.message, true);
    }
    return result;
}

static void map_gone(struct skr_gang *e, const struct map_entry *m)
{
    SKR_AUTO_FREE char *namespace_ = skr_strdup(m->map->meta.namespace_);
    SKR_AUTO_FREE char *name = skr_strdup(m->map->meta.name);
    skr_maps_delete(e, namespace_, name);
}

static void map_done(struct skr_gang *e, const struct skr_pending_write *w, struct skr_event *ev)
{
    struct map_entry *m = skr_maps_find(e, w->key);
    if (!m || m->writer.write != w->id) {
        if (ev->written.object) {
            skr_maps_upsert(e, skr_event_take_object(ev));
        }
        return;
    }
    bool refused = m->writer.refused;
    struct group *g = skr_groups_find(e, m->shows ? m->shows : m->group_key);
    skr_dirty_map(e, m);
    enum skr_object_result result = take_outcome(e, &m->writer, w, ev);
    if (g) {
        look_again(e, g, &m->writer, refused);
    }
    if (result == SKR_OBJECT_GONE) {
        map_gone(e, m);
    } else if (result == SKR_OBJECT_SET && ev->written.object) {
        skr_maps_upsert(e, skr_event_take_object(ev));
    } else if (result == SKR_OBJECT_SET && m->writer.blind) {
        apply_to_map(e, m, ev->written.resource_version);
    }
}

static void podgroup_done(struct skr_gang *e, const struct skr_pending_write *w,
                          struct skr_event *ev)
{
    struct podgroup_entry *pg = skr_maps_find_podgroup(e, w->key);
    if (!pg || pg->writer.write != w->id) {
        return;
    }
    bool refused = pg->writer.refused;
    struct group *g = skr_maps_podgroup_group(e, pg);
    enum skr_object_result result = take_outcome(e, &pg->writer, w, ev);
    if (g) {
        look_again(e, g, &pg->writer, refused);
    }
    if (result == SKR_OBJECT_GONE) {
        skr_maps_podgroup_gone(e, pg);
    } else if (result == SKR_OBJECT_SET && ev->written.object) {
        skr_maps_podgroup_upsert(e, skr_event_take_object(ev));
    } else if (result == SKR_OBJECT_SET && pg->writer.blind) {
        apply_to_podgroup(e, pg, ev->written.resource_version);
    }
}

void skr_group_objects_done(struct skr_gang *e, const struct skr_pending_write *w,
                            struct skr_event *ev)
{
    if (w->purpose == WRITE_FOR_MAP) {
        map_done(e, w, ev);
    } else {
        podgroup_done(e, w, ev);
    }
}
