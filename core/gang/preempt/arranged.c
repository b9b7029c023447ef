/* SPDX-License-Identifier: Apache-2.0 */
/* Seats for members that are to leave, their text, and the evictions: see arranged.h. */
#include "core/gang/preempt/arranged.h"

#include "core/gang/cache/dirty.h"
#include "core/gang/cache/fit_cache.h"
#include "core/gang/cache/nodes.h"
#include "core/gang/cache/pods.h"
#include "core/gang/cache/shapes.h"
#include "core/gang/changes/status_map.h"
#include "core/gang/group/group_table.h"
#include "core/gang/group/membership.h"
#include "core/gang/group/roles.h"
#include "core/gang/group/seat_holds.h"
#include "core/gang/plan/plan_storage.h"
#include "core/gang/preempt/evictions.h"
#include "core/gang/report/status.h"
#include "core/gang/state/plan_entry.h"
#include "core/gang/state/wakes.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

enum { AGAIN_S = 30 }; /* no search after evictions were not granted in time */

static const char *uid_of(const struct seat_hold *hold)
{
    return hold->uid + sizeof SKR_SEAT_PREFIX - 1;
}

static bool runs(const struct pod_entry *p)
{
    return skr_pod_is_live(p->pod) && skr_pods_is_bound(p);
}

bool skr_arranged_is_lost(const struct skr_gang *e, const struct pod_entry *p)
{
    return runs(p) && skr_nodes_is_lost(e, p->pod->node_name, skr_frame_now(e->frame));
}

bool skr_arranged_waits(const struct group *g)
{
    for (size_t i = 0; i < g->holds.n; i++) {
        if (g->holds.item[i].early) {
            return true;
        }
    }
    return false;
}

void skr_arranged_add(struct skr_gang *e, struct group *g, struct pod_entry *p, const char *node)
{
    const skr_time until = skr_frame_now(e->frame) + e->settings.plan_timeout;
    skr_seat_holds_arrange(
        e, g, p,
        &(struct seat_hold){.uid = (char *)(uintptr_t)p->uid, .node = node, .until = until});
}

/* ---- lost members ---- */

static void find_lost(struct skr_gang *e, struct group *g)
{
    const skr_time now = skr_frame_now(e->frame);
    const struct pod_entry *p;
    size_t n = 0;
    skr_seat_holds_watch(e, g,
                         g->spec && g->spec->replace != SKR_REPLACE_NOT && g->seats.n_bound > 0);
    DL_FOREACH(g->replacing.listed ? g->members : NULL, p)
    {
        const struct node_entry *node = runs(p) ? skr_nodes_find(e, p->pod->node_name) : NULL;
        const skr_time since = node ? node->node->unready_since : 0;
        n += skr_arranged_is_lost(e, p);
        if (since > 0 && since + e->settings.fail_after > now) {
            skr_wakes_group(e, g, since + e->settings.fail_after);
        }
    }
    if (n != g->replacing.n_lost) {
        g->replacing.n_lost = n;
        g->replacing.failed_at = 0;
        skr_dirty_plan(e);
    }
}

/* ---- ends ---- */

static void drop(struct skr_gang *e, struct group *g, size_t at)
{
    skr_seat_holds_drop(e, g, at);
    skr_dirty_plan(e);
}

static bool may_be_granted(const struct pod_entry *p)
{
    return p->work->evict.by && !p->work->evict.blocked &&
           (p->work->evict.write || p->work->evict.failures == 0);
}

/* Whether an eviction was granted, or may have been. */
static bool has_begun(const struct skr_gang *e, const struct group *g)
{
    for (size_t i = 0; i < g->holds.n; i++) {
        const struct seat_hold *hold = &g->holds.item[i];
        const struct pod_entry *p = hold->early ? skr_pods_find(e, uid_of(hold)) : NULL;
        if (hold->arranged && (!hold->early || (p && may_be_granted(p)))) {
            return true;
        }
    }
    return false;
}

/* Whether the plan of the group that it moves for waits for it. */
static bool is_awaited(const struct skr_gang *e, const struct group *g)
{
    const struct group *by = skr_groups_find(e, g->replacing.by);
    const struct plan *plan = by ? by->plan : NULL;
    for (size_t i = 0; plan && plan->preempting && !plan->aborting && i < plan->n_victims; i++) {
        if (plan->victim[i].moved && !plan->victim[i].gone &&
            strcmp(plan->victim[i].text, g->key) == 0) {
            return true;
        }
    }
    return false;
}

/* The seats of a group that moves: a member has left when its pod is gone. */
static void review_move(struct skr_gang *e, struct group *g)
{
    const skr_time now = skr_frame_now(e->frame);
    const bool awaited = is_awaited(e, g);
    for (size_t i = g->holds.n; i-- > 0;) {
        struct seat_hold *hold = &g->holds.item[i];
        const struct pod_entry *p = hold->early ? skr_pods_find(e, uid_of(hold)) : NULL;
        if (hold->early && (!p || p->group != g || skr_pods_is_terminal(p->pod))) {
            skr_seat_holds_note_left(e, g, i);
        } else if (hold->early && !awaited && runs(p)) {
            drop(e, g, i);
        } else if (hold->early) {
            hold->until = now + e->settings.plan_timeout;
            skr_fit_cache_touch_room(e, hold->node);
            skr_wakes_group(e, g, hold->until - e->settings.plan_timeout / 2);
        }
    }
}

/* Members that have left, and seats that are not needed any more. */
static void review(struct skr_gang *e, struct group *g)
{
    const bool key = g->spec && g->spec->replace != SKR_REPLACE_NOT && !g->victim.leaving;
    const bool begun = has_begun(e, g);
    size_t n = 0;
    for (size_t i = 0; i < g->holds.n; i++) {
        n += g->holds.item[i].arranged;
    }
    for (size_t i = g->holds.n; i-- > 0;) {
        const struct seat_hold *hold = &g->holds.item[i];
        const struct pod_entry *p = hold->early ? skr_pods_find(e, uid_of(hold)) : NULL;
        const bool lost =
            p && (g->replacing.whole ? g->replacing.n_lost > 0 : skr_arranged_is_lost(e, p));
        if (!hold->arranged) {
            continue;
        }
        if (g->victim.leaving ||
            (hold->early && p && !begun && (!key || !lost || n < g->replacing.n))) {
            drop(e, g, i);
        } else if (hold->early && (!p || !runs(p) || p->group != g)) {
            skr_seat_holds_note_left(e, g, i);
        } else if (hold->early && hold->until <= skr_frame_now(e->frame)) {
            g->replacing.at = skr_frame_now(e->frame) + AGAIN_S * SKR_SECOND;
            skr_wakes_add(e, g->replacing.at, WAKE_REPORT, NULL);
            drop(e, g, i);
        }
    }
}

/* ---- the text ---- */

static int by_uid(const void *a, const void *b)
{
    return strcmp((*(const struct seat_hold *const *)a)->uid,
                  (*(const struct seat_hold *const *)b)->uid);
}

static const char *role_of(const struct group *g, const struct seat_hold *hold)
{
    const struct role *role = hold->role < g->roles.n ? &g->roles.item[hold->role] : NULL;
    return role && g->roles.keyed ? role->name : NULL;
}

/* Without its pod a seat does not know its role otherwise. */
static void add_roles(const struct group *g, const struct seat_hold *const *list, size_t n,
                      struct skr_strbuf *b)
{
    const char *before = ",\"roles\":{", *role;
    for (size_t i = 0; i < n; i++) {
        if ((role = role_of(g, list[i]))) {
            skr_strbuf_add(b, before);
            skr_strbuf_add_json(b, uid_of(list[i]));
            skr_strbuf_addc(b, ':');
            skr_strbuf_add_json(b, role);
            before = ",";
        }
    }
    skr_strbuf_add(b, *before == ',' && before[1] == '\0' ? "}" : "");
}

static char *text_of(const struct group *g)
{
    SKR_AUTO_FREE const struct seat_hold **list = skr_alloc_array(g->holds.n + 1, sizeof *list);
    struct skr_strbuf b;
    size_t n = 0;
    for (size_t i = 0; i < g->holds.n; i++) {
        if (g->holds.item[i].arranged) {
            list[n++] = &g->holds.item[i];
        }
    }
    if (n == 0) {
        return NULL;
    }
    qsort(list, n, sizeof *list, by_uid);
    skr_strbuf_init(&b);
    skr_strbuf_addf(&b, "{\"v\":1,\"whole\":%s", g->replacing.whole ? "true" : "false");
    if (g->replacing.by) {
        skr_strbuf_add(&b, ",\"by\":");
        skr_strbuf_add_json(&b, g->replacing.by);
    }
    skr_strbuf_add(&b, ",\"seats\":{");
    for (size_t i = 0; i < n; i++) {
        skr_strbuf_add(&b, i > 0 ? "," : "");
        skr_strbuf_add_json(&b, uid_of(list[i]));
        skr_strbuf_addc(&b, ':');
        skr_strbuf_add_json(&b, list[i]->node);
    }
    skr_strbuf_addc(&b, '}');
    add_roles(g, list, n, &b);
    skr_strbuf_addc(&b, '}');
    return skr_strbuf_take(&b, NULL);
}

static void update_text(struct group *g)
{
    char *text = text_of(g);
    free(g->replacing.text);
    g->replacing.text = text;
    if (!text) {
        free(g->replacing.by);
        g->replacing.by = NULL;
    }
}

bool skr_arranged_is_persisted(const struct skr_gang *e, const struct group *g)
{
    const char *have = skr_status_map_note(e, g, SKR_ANNOTATION_SEATS, NULL);
    return have && g->replacing.text && strcmp(have, g->replacing.text) == 0;
}

void skr_arranged_settle(struct skr_gang *e, struct group *g)
{
    find_lost(e, g);
    if (!g->replacing.text && g->holds.n == 0) {
        return;
    }
    if (g->replacing.by) {
        review_move(e, g);
    } else {
        review(e, g);
    }
    update_text(g);
    if (!skr_arranged_waits(g)) {
        return;
    }
    if (!skr_arranged_is_persisted(e, g)) {
        skr_plan_storage_hurry(g);
        return;
    }
    if (g->replacing.by) {
        struct group *by = skr_groups_find(e, g->replacing.by);
        if (by) {
            skr_dirty_group(e, by); /* which evicts it */
        }
        return;
    }
    for (size_t i = 0; i < g->holds.n; i++) {
        struct pod_entry *p =
            g->holds.item[i].early ? skr_pods_find(e, uid_of(&g->holds.item[i])) : NULL;
        if (p) {
            skr_evictions_want(e, p, g);
        }
    }
}

/* ---- moves ---- */

void skr_arranged_move(struct skr_gang *e, struct group *g, const char *by, const char *places)
{
    json_auto_t *json = places ? json_loads(places, JSON_REJECT_DUPLICATES, NULL) : NULL;
    const char *node;
    json_t *count;
    json_int_t sum = 0;
    json_object_foreach(json, node, count)
    {
        const bool good = json_integer_value(count) > 0 && skr_nodes_find(e, node);
        sum += good && sum <= SKR_ARRANGED_MAX ? json_integer_value(count) : SKR_ARRANGED_MAX + 1;
    }
    if (g->replacing.text || !json || sum != (json_int_t)g->seats.n_bound) {
        return;
    }
    struct pod_entry *p = g->members;
    g->replacing.whole = true;
    g->replacing.by = skr_strdup(by);
    json_object_foreach(json, node, count)
    {
        for (json_int_t i = json_integer_value(count); i > 0 && p; p = p->next) {
            if (runs(p)) {
                skr_arranged_add(e, g, p, node);
                i--;
            }
        }
    }
    update_text(g);
    skr_dirty_group(e, g);
}

void skr_arranged_note_moved(struct skr_gang *e, struct group *g, const struct plan_victim *v)
{
    char note[700];
    if (!v->moved || v->begun) {
        return;
    }
    json_auto_t *places = json_loads(v->moved, 0, NULL);
    const size_t nodes = json_object_size(places);
    const char *first = nodes > 0 ? json_object_iter_key(json_object_iter(places)) : "";
    g->moving.moved_at = skr_frame_now(e->frame);
    snprintf(note, sizeof note, "moves for group %.300s to %s%.200s%s", g->victim.by,
             nodes == 1 ? "node " : "nodes ", first, nodes > 1 ? " and others" : "");
    skr_status_event(e, g, "GroupMoved", "GroupMoved", note);
}

/* ---- an earlier process ---- */

/* The member whose shape the seat has: its own, or another one of its role. NULL: there is none, so nothing but
 * the text, which a user may have written, says how large the seat is. role NULL: any. */
static const struct pod_entry *alike(const struct group *g, const struct pod_entry *p,
                                     const char *role)
{
    const struct pod_entry *other = p && p->group == g ? p : g->members;
    while (other && other != p && role) {
        const char *own = skr_roles_name_of(other->pod);
        if (own && strcmp(own, role) == 0) {
            break;
        }
        other = other->next;
    }
    return other;
}

/* Members that leave as a whole may go to nodes that they have now. */
static bool runs_there(const struct group *g, const char *node)
{
    const struct pod_entry *p = g->members;
    while (p && !(skr_pods_is_bound(p) && strcmp(p->pod->node_name, node) == 0)) {
        p = p->next;
    }
    return p;
}

static void restore_seat(struct skr_gang *e, struct group *g, const char *uid, const char *node,
                         const char *role)
{
    const struct pod_entry *p = skr_pods_find(e, uid), *like = alike(g, p, role);
    const bool early = p && p->group == g && runs(p);
    size_t taken = g->seats.n_bound + (g->plan ? g->plan->n_members : 0);
    for (size_t i = 0; i < g->holds.n; i++) {
        taken += !g->holds.item[i].early;
    }
    const bool room = like && (g->replacing.by || (g->replacing.whole && runs_there(g, node)) ||
                               skr_ledger_fits(e->ledger, node, &like->shape->amounts, NULL));
    if (!room || !skr_nodes_find(e, node) || (!early && taken >= (size_t)skr_membership_most(g))) {
        return;
    }
    const skr_time until = skr_frame_now(e->frame) + e->settings.plan_timeout;
    skr_seat_holds_arrange(
        e, g, like,
        &(struct seat_hold){.uid = (char *)(uintptr_t)uid, .node = node, .until = until});
    if (!early) {
        skr_seat_holds_note_left(e, g, g->holds.n - 1);
    }
}

void skr_arranged_restore(struct skr_gang *e, struct group *g)
{
    const char *text = skr_status_map_note(e, g, SKR_ANNOTATION_SEATS, NULL), *uid;
    json_auto_t *json = text ? json_loads(text, JSON_REJECT_DUPLICATES, NULL) : NULL;
    json_t *seats = json_object_get(json, "seats"), *roles = json_object_get(json, "roles"), *node;
    if (!g->spec || g->replacing.text || json_integer_value(json_object_get(json, "v")) != 1 ||
        json_object_size(seats) > SKR_ARRANGED_MAX || !skr_frame_is_leader(e->frame)) {
        return;
    }
    const char *by = json_string_value(json_object_get(json, "by"));
    const bool may = by ? g->spec->movable && e->settings.moves_mode == SKR_MOVES_MODE_AUTO
                        : g->spec->replace != SKR_REPLACE_NOT;
    if (!may) {
        return;
    }
    g->replacing.whole = json_is_true(json_object_get(json, "whole"));
    g->replacing.by = by ? skr_strdup(by) : NULL;
    g->replacing.n = json_object_size(seats);
    json_object_foreach(seats, uid, node)
    {
        if (json_is_string(node) && !skr_seat_holds_of(g, uid)) {
            restore_seat(e, g, uid, json_string_value(node),
                         json_string_value(json_object_get(roles, uid)));
        }
    }
    update_text(g);
    skr_dirty_group(e, g);
}
