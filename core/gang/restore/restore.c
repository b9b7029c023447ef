/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Restores a group from the API objects when the engine starts or takes over. Order of arrival does
 * not matter: it runs after all first lists, for every group, before any decision.
 *
 * Plans are restored then (restore_plan.c). If an object appears later with a plan, the text is not
 * ours and is removed.
 *
 * After a takeover, news may be late. For a minute, a newer version of an object may bring an
 * earlier leader's plan, or show that a plan is past the point of no return. It replaces what was
 * decided here. This ends with the first patch of the object: its precondition, the version, proves
 * that no other process wrote it.
 */
#include "core/gang/restore/restore.h"

#include "core/gang/cache/dirty.h"
#include "core/gang/cache/pods.h"
#include "core/gang/changes/derived.h"
#include "core/gang/changes/group_source.h"
#include "core/gang/changes/status_map.h"
#include "core/gang/group/attempt.h"
#include "core/gang/group/generation.h"
#include "core/gang/group/group_state.h"
#include "core/gang/group/membership.h"
#include "core/gang/group/roles_restore.h"
#include "core/gang/plan/plan.h"
#include "core/gang/plan/plan_storage.h"
#include "core/gang/preempt/arranged.h"
#include "core/gang/preempt/preemption.h"
#include "core/gang/report/outputs.h"
#include "core/gang/report/pauses.h"
#include "core/gang/report/status.h"
#include "core/gang/restore/restore_plan.h"
#include "core/gang/state/group_keys.h"
#include "core/gang/state/map_entry.h"
#include "core/gang/state/output.h"
#include "core/gang/state/plan_text.h"

#include <string.h>
#include <utlist.h>

static struct group_keys object_keys(const struct skr_gang *e, const struct group *g)
{
    const struct map_entry *shown = skr_status_map_of(e, g);
    if (shown) {
        return skr_group_keys_of_map(shown->map);
    }
    if (g->source.kind == SOURCE_PODGROUP && g->source.podgroup) {
        return skr_group_keys_of_podgroup(g->source.podgroup->pg);
    }
    return g->source.map ? skr_group_keys_of_map(g->source.map->map) : (struct group_keys){0};
}

const char *skr_restore_object_key(const struct skr_gang *e, const struct group *g, const char *key)
{
    struct group_keys keys = object_keys(e, g);
    return skr_group_keys_get(&keys, key);
}

static skr_time time_key(const struct skr_gang *e, const struct group *g, const char *key)
{
    const char *text = skr_restore_object_key(e, g, key);
    skr_time t = 0;
    return text && skr_time_parse(text, &t, NULL) == 0 ? t : 0;
}

static void restore_conditions(const struct skr_gang *e, struct group *g)
{
    const char *text = skr_restore_object_key(e, g, "conditions");
    json_auto_t *list = text ? json_loads(text, 0, NULL) : NULL;
    size_t i;
    json_t *item;
    json_array_foreach(list, i, item)
    {
        const char *type = json_string_value(json_object_get(item, "type"));
        const char *status = json_string_value(json_object_get(item, "status"));
        const char *since = json_string_value(json_object_get(item, "lastTransitionTime"));
        skr_time at;
        if (type && status && since && skr_time_parse(since, &at, NULL) == 0) {
            skr_status_restore_condition(g, type, strcmp(status, "True") == 0,
                                         json_string_value(json_object_get(item, "reason")),
                                         json_string_value(json_object_get(item, "message")), at);
        }
    }
}

/* The longest wait is planned first, and users may write the object that stores it. So a group's
 * wait begins at the earliest with its oldest pod. If it appeared after the start, it has no
 * earlier wait. */
static void restore_times(struct skr_gang *e, struct group *g, bool late)
{
    skr_time begin = time_key(e, g, "schedBeginTime"), now = skr_frame_now(e->frame);
    const struct pod_entry *oldest = skr_membership_oldest(g);
    if (begin > now || (late && g->seats.n_bound == 0)) {
        begin = 0;
    } else if (begin > 0 && oldest && begin < oldest->pod->meta.created) {
        begin = oldest->pod->meta.created;
    }
    skr_group_state_set_times(g, begin, time_key(e, g, "schedEndTime"));
}

/* No object of a group from labels alone names the members that ran. Those are it that say a rank, the newest of
 * each, of the controller of the newest. Returns whether all of the size have Succeeded. */
static bool add_ranks(const struct group *g, struct skr_strbuf *b)
{
    const size_t n = g->n_members;
    SKR_AUTO_FREE struct pod_entry **ran = skr_alloc_array(n + 1, sizeof(struct pod_entry *));
    struct pod_entry *p, *last = NULL;
    int32_t done = 0;
    DL_FOREACH(g->members, p)
    {
        const int32_t rank = skr_pods_is_bound(p) ? skr_pods_rank_label(p) : -1;
        struct pod_entry **of = &ran[rank >= 0 && (size_t)rank < n ? (size_t)rank : n];
        *of = *of && skr_meta_is_older(&p->pod->meta, &(*of)->pod->meta) ? *of : p;
        last =
            rank >= 0 && (!last || skr_meta_is_older(&last->pod->meta, &p->pod->meta)) ? p : last;
    }
    DL_FOREACH(last ? g->members : NULL, p)
    {
        const int32_t rank = skr_pods_is_bound(p) ? skr_pods_rank_label(p) : -1;
        if (rank >= 0 && ((size_t)rank >= n || ran[rank] == p) &&
            strcmp(p->pod->controller_uid, last->pod->controller_uid) == 0) {
            skr_strbuf_addf(b, "%s(%s,%d)", b->len > 0 ? " " : "", p->pod->meta.name, rank);
            done += p->pod->phase == SKR_POD_SUCCEEDED;
        }
    }
    return g->spec && done >= g->spec->size;
}

/* Earlier reports are not repeated. */
static void restore_keys(struct skr_gang *e, struct group *g, bool late)
{
    const char *solver = skr_restore_object_key(e, g, "schedSolverTimeMilli");
    restore_times(e, g, late);
    skr_attempt_restore(g, solver ? strtoll(solver, NULL, 10) : 0);
    skr_status_restore(g, skr_restore_object_key(e, g, "status"),
                       skr_restore_object_key(e, g, "reason"));
    skr_status_restore_ways(g, skr_restore_object_key(e, g, "ways"));
    const size_t cleared =
        skr_pauses_restore(e, g, skr_status_map_note(e, g, SKR_ANNOTATION_PAUSES, NULL));
    const bool alone = g->source.kind == SOURCE_LABELS && !skr_derived_is(g);
    SKR_STRBUF(ranks);
    const bool finished = alone ? add_ranks(g, &ranks) : g->reported.status == SKR_STATUS_FINISHED;
    const char *rank = alone ? ranks.s : skr_restore_object_key(e, g, "rank");
    skr_generation_restore_end(e, g, finished, cleared, rank);
    if (finished || g->reported.status == SKR_STATUS_BOUND || g->generation.n_succeeded > 0) {
        const char *placement = skr_restore_object_key(e, g, "placement");
        skr_group_state_restore(g, GROUP_BOUND); /* the pods may be gone */
        skr_outputs_restore(g, placement, rank, skr_restore_object_key(e, g, "sets"));
        skr_roles_restore(e, g, placement, rank);
    }
    skr_preemption_restore_victim(g, skr_restore_object_key(e, g, "preemptor"));
    restore_conditions(e, g);
}

static void read_object(struct skr_gang *e, struct group *g, bool late)
{
    if (g->restored) {
        return;
    }
    skr_group_source_resolve(e, g);
    skr_membership_update(e, g);
    if (!late || !skr_derived_is(g)) { /* the map may be of earlier pods of the workload */
        restore_keys(e, g, late);
        skr_membership_update(e, g); /* what has Succeeded counts for the plan */
    }
}

void skr_restore_object(struct skr_gang *e, struct group *g)
{
    read_object(e, g, false);
}

/* Where the version of the group's object is cached, and its newest version; NULL: no object
 * defines it. */
static uint64_t *read_version(const struct group *g, uint64_t *ret_newest)
{
    if (g->source.kind == SOURCE_PODGROUP && g->source.podgroup) {
        *ret_newest = g->source.podgroup->pg->meta.resource_version;
        return &g->source.podgroup->read_at;
    }
    if (g->source.kind == SOURCE_MAP && g->source.map) {
        *ret_newest = g->source.map->map->meta.resource_version;
        return &g->source.map->read_at;
    }
    return NULL;
}

void skr_restore_group(struct skr_gang *e, struct group *g)
{
    uint64_t newest, *read_at = read_version(g, &newest);
    if (g->restored) {
        return;
    }
    g->restored = true;
    if (read_at) {
        *read_at = newest;
    }
    skr_restore_plan(e, g);
    skr_arranged_restore(e, g);
    skr_membership_changed(g);
    skr_dirty_group(e, g);
}

void skr_restore_late(struct skr_gang *e, struct group *g)
{
    if (g->restored) {
        return;
    }
    read_object(e, g, true);
    g->restored = true;
    skr_membership_changed(g);
    skr_dirty_group(e, g);
}

void skr_restore_begins(struct skr_gang *e)
{
    e->news_until = skr_frame_now(e->frame) + SKR_RESTORE_NEWS_S * SKR_SECOND;
}

/* The text says Binding, but this process's plan does not yet: members may be bound by it. */
static bool is_past_return(const struct group *g, const char *text)
{
    struct skr_plan_record *r = NULL;
    if (g->plan->binding_persisted || !text || !*text ||
        (g->plan->text && strcmp(text, g->plan->text) == 0) || skr_plan_parse(text, &r, NULL) < 0) {
        return false;
    }
    bool past = r->state == SKR_PLAN_BINDING;
    skr_plan_record_destroy(r);
    return past;
}

void skr_restore_newer(struct skr_gang *e, struct group *g)
{
    uint64_t newest, *read_at = read_version(g, &newest);
    if (!read_at || *read_at == 0 || *read_at == newest ||
        skr_frame_now(e->frame) >= e->news_until) {
        return;
    }
    *read_at = newest;
    skr_arranged_restore(e, g);
    const char *text = skr_plan_storage_text(g);
    bool later = g->plan && is_past_return(g, text);
    if (later) {
        skr_out_decision(e, g->key, "", "Plan overtaken", "",
                         "the previous leader had gone on with it", false);
        skr_plan_destroy(e, g->plan);
    }
    if (!g->plan && text && *text) {
        skr_restore_plan(e, g);
        skr_membership_changed(g);
        skr_dirty_input(g);
    }
}

void skr_restore_again(struct group *g)
{
    g->restored = false;
}
