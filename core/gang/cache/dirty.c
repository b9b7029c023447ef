/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Marks for settle(): groups, pods and maps to look at, each once and in the order of marking.
 * Changes that make cached results old.
 */
#include "core/gang/cache/dirty.h"

#include "core/gang/cache/pods.h"
#include "core/gang/state/groups.h"
#include "core/gang/state/map_entry.h"
#include "core/gang/state/plan_entry.h"
#include "core/gang/state/wakes.h"

#include <utlist.h>

/* ---- marks ---- */

static void leave_stamped(struct skr_gang *e, struct group *g)
{
    if (g->stamp > 0) {
        DL_DELETE2(e->stamped, g, sprev, snext);
    }
}

void skr_dirty_stamp(struct skr_gang *e, struct group *g)
{
    leave_stamped(e, g);
    g->stamp = skr_seen_note(&e->seen, 0);
    DL_APPEND2(e->stamped, g, sprev, snext);
}

const struct group *skr_dirty_stamped_since(const struct skr_gang *e, uint64_t stamp)
{
    const struct group *first = NULL, *head = e->stamped;
    for (const struct group *g = head ? head->sprev : NULL; g && g->stamp > stamp;
         g = g == head ? NULL : g->sprev) {
        first = g;
    }
    return first;
}

void skr_dirty_group(struct skr_gang *e, struct group *g)
{
    if (g->dirty) {
        return;
    }
    skr_dirty_stamp(e, g);
    g->dirty = true;
    DL_APPEND2(e->dirty.groups, g, dprev, dnext);
}

/* A look costs O(members). This rate bounds the cost to a few hundredths of the time. */
enum { LARGE_GROUP = 512, PAUSE_NS = 16000 };

skr_time skr_dirty_pause(const struct group *g)
{
    return g->n_members <= LARGE_GROUP ? 0 : (skr_time)g->n_members * PAUSE_NS;
}

void skr_dirty_member(struct skr_gang *e, struct group *g)
{
    skr_time at = g->evaluated_at + skr_dirty_pause(g);
    if (skr_frame_now(e->frame) >= at) {
        skr_dirty_group(e, g);
    } else {
        skr_wakes_group(e, g, at);
    }
}

void skr_dirty_pod(struct skr_gang *e, struct pod_entry *p)
{
    if (p->dirty || !p->ours) {
        return;
    }
    p->dirty = true;
    DL_APPEND2(e->dirty.pods, p, dprev, dnext);
}

void skr_dirty_map(struct skr_gang *e, struct map_entry *m)
{
    if (m->dirty) {
        return;
    }
    m->dirty = true;
    DL_APPEND2(e->dirty.maps, m, dprev, dnext);
}

void skr_dirty_plan(struct skr_gang *e)
{
    e->dirty.plan = true;
}

void skr_dirty_tree(struct skr_gang *e)
{
    e->dirty.tree = true;
}

void skr_dirty_nodes(struct skr_gang *e)
{
    e->dirty.nodes = true;
}

void skr_dirty_plan_nodes(struct plan *plan)
{
    plan->check_nodes = true;
}

/* ---- what is next ---- */

static void unmark(struct skr_gang *e, struct group *g)
{
    if (g->dirty) {
        DL_DELETE2(e->dirty.groups, g, dprev, dnext);
    }
    g->dirty = false;
}

void skr_dirty_forget_group(struct skr_gang *e, struct group *g)
{
    unmark(e, g);
    leave_stamped(e, g);
    g->stamp = 0;
    skr_seen_note(&e->seen, SEEN_CENSUS);
}

void skr_dirty_forget_map(struct skr_gang *e, struct map_entry *m)
{
    if (m->dirty) {
        DL_DELETE2(e->dirty.maps, m, dprev, dnext);
    }
    m->dirty = false;
}

void skr_dirty_forget_pod(struct skr_gang *e, struct pod_entry *p)
{
    if (p->dirty) {
        DL_DELETE2(e->dirty.pods, p, dprev, dnext);
    }
    p->dirty = false;
}

bool skr_dirty_any(const struct skr_gang *e)
{
    return e->dirty.groups || e->dirty.plan || e->dirty.maps || e->dirty.pods;
}

bool skr_dirty_only_pods(const struct skr_gang *e)
{
    return e->dirty.pods && !e->dirty.groups && !e->dirty.plan && !e->dirty.maps;
}

struct group *skr_dirty_take_group(struct skr_gang *e)
{
    struct group *g = e->dirty.groups;
    if (g) {
        unmark(e, g);
    }
    return g;
}

struct map_entry *skr_dirty_take_map(struct skr_gang *e)
{
    struct map_entry *m = e->dirty.maps;
    if (m) {
        skr_dirty_forget_map(e, m);
    }
    return m;
}

struct pod_entry *skr_dirty_take_pod(struct skr_gang *e)
{
    struct pod_entry *p = e->dirty.pods;
    if (p) {
        skr_dirty_forget_pod(e, p);
    }
    return p;
}

static bool take(bool *mark)
{
    bool was = *mark;
    *mark = false;
    return was;
}

bool skr_dirty_take_plan(struct skr_gang *e)
{
    return take(&e->dirty.plan);
}

bool skr_dirty_take_tree(struct skr_gang *e)
{
    return take(&e->dirty.tree);
}

bool skr_dirty_take_nodes(struct skr_gang *e)
{
    return take(&e->dirty.nodes);
}

bool skr_dirty_take_plan_nodes(struct plan *plan)
{
    return take(&plan->check_nodes);
}

/* ---- counters ---- */

void skr_dirty_capacity(struct skr_gang *e)
{
    skr_seen_note(&e->seen, SEEN_CAPACITY | SEEN_VICTIMS | SEEN_FACTS);
    e->dirty.plan = true;
}

void skr_dirty_victims(struct skr_gang *e)
{
    skr_seen_note(&e->seen, SEEN_VICTIMS);
    e->dirty.plan = true;
}

void skr_dirty_late_room(struct skr_gang *e, bool freed)
{
    skr_seen_note(&e->seen, SEEN_LATE_ROOM | SEEN_ROOM);
    if (freed) {
        skr_dirty_capacity(e);
    }
}

void skr_dirty_see_freed(struct skr_gang *e)
{
    uint64_t freed = skr_ledger_freed_epoch(e->ledger);
    if (freed != e->dirty.freed) {
        e->dirty.freed = freed;
        skr_dirty_capacity(e);
    }
}

void skr_dirty_facts(struct skr_gang *e)
{
    skr_seen_note(&e->seen, SEEN_FACTS);
}

void skr_dirty_lifted(struct skr_gang *e)
{
    skr_seen_note(&e->seen, SEEN_LIFTED);
}

void skr_dirty_openings(struct skr_gang *e)
{
    skr_seen_note(&e->seen, SEEN_NODES);
}

void skr_dirty_input(struct group *g)
{
    g->input_epoch++;
}
