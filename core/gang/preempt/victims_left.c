/* SPDX-License-Identifier: Apache-2.0 */
/* Counts what is left of a plan's victims, and notices groups that return: see victims_left.h. */
#include "core/gang/preempt/victims_left.h"

#include "core/gang/cache/dirty.h"
#include "core/gang/cache/pods.h"
#include "core/gang/cache/shapes.h"
#include "core/gang/group/claims.h"
#include "core/gang/group/group_table.h"
#include "core/gang/plan/plan_storage.h"
#include "core/gang/preempt/evictions.h"

#include <string.h>
#include <utlist.h>

const char *skr_victims_pod_uid(const struct plan_victim *v)
{
    const char *at = strchr(v->text, '@');
    return at ? at + 1 : NULL;
}

bool skr_victims_is_there(const struct pod_entry *p)
{
    return skr_pods_is_bound(p) && !skr_pods_is_terminal(p->pod);
}

bool skr_victims_leaves_in_time(const struct skr_gang *e, const struct pod_entry *p)
{
    const skr_time now = skr_frame_now(e->frame), most = e->settings.plan_timeout;
    const skr_time at = p->leaves_by;
    if (!p->pod->meta.deleting) {
        return p->pod->grace_s * SKR_SECOND <= most;
    }
    return at + SKR_VICTIM_LATE_S * SKR_SECOND >= now && at <= now + most;
}

const struct pod_entry *skr_victims_staying(const struct skr_gang *e, const struct plan_victim *v,
                                            skr_time *next)
{
    const char *uid = skr_victims_pod_uid(v);
    const struct group *h = uid || v->gone ? NULL : skr_groups_find(e, v->text);
    const struct pod_entry *p = uid ? skr_pods_find(e, uid) : h ? h->members : NULL;
    for (; p; p = h ? p->next : NULL) {
        if (!skr_victims_is_there(p)) {
            continue;
        }
        if (!skr_victims_leaves_in_time(e, p)) {
            return p;
        }
        const skr_time late = p->leaves_by + (SKR_VICTIM_LATE_S + 1) * SKR_SECOND;
        *next = p->pod->meta.deleting && late < *next ? late : *next;
    }
    return NULL;
}

size_t skr_victims_pods_there(const struct group *h)
{
    const struct pod_entry *p;
    size_t n = 0;
    DL_FOREACH(h->members, p)
    {
        n += skr_victims_is_there(p);
    }
    return n;
}

size_t skr_victims_left(const struct skr_gang *e, const struct plan_victim *v, bool *ret_gone)
{
    const char *uid = skr_victims_pod_uid(v);
    const struct pod_entry *p = uid ? skr_pods_find(e, uid) : NULL;
    const struct group *h = uid ? NULL : skr_groups_find(e, v->text);
    if (v->gone) {
        *ret_gone = true;
        return 0;
    }
    size_t n = uid ? p && skr_victims_is_there(p) : h ? skr_victims_pods_there(h) : 0;
    *ret_gone = n == 0 && !(h && h->plan);
    return n;
}

bool skr_victims_only_terminate(const struct skr_gang *e, const struct plan_victim *v)
{
    const char *uid = skr_victims_pod_uid(v);
    const struct pod_entry *p = uid ? skr_pods_find(e, uid) : NULL;
    const struct group *h = uid ? NULL : skr_groups_find(e, v->text);
    if (h && h->plan) {
        return false;
    }
    if (uid) {
        return !p || !skr_victims_is_there(p) || p->pod->meta.deleting;
    }
    for (p = h ? h->members : NULL; p; p = p->next) {
        if (skr_victims_is_there(p) && !p->pod->meta.deleting) {
            return false;
        }
    }
    return true;
}

/* ---- room ---- */

static bool is_victim(const struct plan *plan, const struct pod_entry *p)
{
    for (size_t i = 0; i < plan->n_victims; i++) {
        const struct plan_victim *v = &plan->victim[i];
        const char *uid = skr_victims_pod_uid(v);
        if (!v->gone &&
            (uid ? strcmp(uid, p->uid) == 0 : p->group && strcmp(v->text, p->group->key) == 0)) {
            return true;
        }
    }
    return false;
}

/* It leaves for a victim that will release it. */
static bool is_let_go(const struct plan *plan, const struct pod_entry *p)
{
    for (size_t i = 0; i < plan->n_victims && p->work->evict.by && !p->pod->meta.deleting; i++) {
        if (!plan->victim[i].gone && strcmp(plan->victim[i].text, p->work->evict.by) == 0) {
            return true;
        }
    }
    return false;
}

/* The node it is charged to, if that room will be free. */
static const char *leaves_room_at(const struct skr_gang *e, const struct plan *plan,
                                  const struct pod_entry *p, bool asked)
{
    if (skr_victims_is_there(p)) {
        const bool goes = skr_victims_leaves_in_time(e, p) &&
                          (is_victim(plan, p) || (p->leaving && !is_let_go(plan, p) &&
                                                  (!asked || skr_evictions_is_asked(p))));
        return goes ? p->pod->node_name : "";
    }
    bool planned = p->plan && p->plan != plan && !p->plan->aborting && !skr_pods_is_bound(p) &&
                   !skr_claims_assumed_on(p);
    return planned && is_victim(plan, p) ? p->place.node : "";
}

/* Checks one resource on the nodes of the plan; freed[leaf]: all 0, and again on return. */
static bool has_room_then(const struct skr_gang *e, const struct plan *plan,
                          const struct skr_amount *request, bool asked, int64_t *freed)
{
    const struct skr_tree *tree = e->topology.tree;
    const struct pod_entry *p;
    bool room = true;
    for (size_t at = 0; (p = skr_pods_next(e, &at));) {
        int32_t leaf = skr_tree_find_leaf(tree, leaves_room_at(e, plan, p, asked));
        if (leaf >= 0) {
            freed[leaf] =
                skr_amount_sum(freed[leaf], skr_amounts_get(&p->shape->amounts, request->resource));
        }
    }
    DL_FOREACH(plan->group->members, p)
    {
        const bool placed = p->plan == plan && !skr_pods_is_bound(p);
        int32_t leaf = placed ? skr_tree_find_leaf(tree, p->place.node) : -1;
        if (leaf >= 0 && skr_amounts_get(&p->shape->amounts, request->resource) > 0) {
            const struct skr_ledger_node *node = skr_ledger_get(e->ledger, p->place.node);
            room = room && skr_room_plus(skr_ledger_node_room(node, request), freed[leaf]) >= 0;
        }
    }
    memset(freed, 0, (size_t)tree->n_leaves * sizeof *freed);
    return room;
}

bool skr_victims_make_room(const struct skr_gang *e, const struct plan *plan, bool asked)
{
    const struct pod_entry *p;
    uint16_t *seen = NULL;
    size_t n = 0, cap = 0;
    if (!e->topology.tree) {
        return true; /* room does not limit it */
    }
    SKR_AUTO_FREE int64_t *freed =
        skr_alloc_array((size_t)e->topology.tree->n_leaves + 1, sizeof *freed);
    bool room = true;
    DL_FOREACH(plan->group->members, p)
    {
        for (size_t i = 0; room && i < p->shape->amounts.n; i++) {
            const struct skr_amount *request = &p->shape->amounts.item[i];
            size_t at = 0;
            while (at < n && seen[at] != request->resource) {
                at++;
            }
            if (at == n) {
                skr_grow(&seen, &cap, n + 1, sizeof *seen);
                seen[n++] = request->resource;
                room = has_room_then(e, plan, request, asked, freed);
            }
        }
    }
    free(seen);
    return room;
}

/* ---- groups that return ---- */

static bool comes_again(const struct group *h)
{
    return h && h->victim.leaving && h->seats.n_newcomers > 0 && !h->plan &&
           skr_victims_pods_there(h) == 0;
}

static const struct plan_victim *find(const struct plan *plan, const struct group *h)
{
    for (size_t i = 0; i < plan->n_victims; i++) {
        if (!plan->victim[i].gone && strcmp(plan->victim[i].text, h->key) == 0) {
            return &plan->victim[i];
        }
    }
    return NULL;
}

void skr_victims_tell(struct skr_gang *e, const struct group *h)
{
    struct group *g;
    const bool again = comes_again(h), there = skr_victims_pods_there(h) > 0;
    DL_FOREACH2(e->planned, g, pnext)
    {
        if ((g->plan->preempting ? again : there) && find(g->plan, h)) {
            skr_dirty_group(e, g);
        }
    }
}

bool skr_victims_note_return(const struct skr_gang *e, struct plan *plan)
{
    bool changed = false;
    for (size_t i = 0; i < plan->n_victims; i++) {
        struct plan_victim *v = &plan->victim[i];
        const struct group *h =
            v->gone || skr_victims_pod_uid(v) ? NULL : skr_groups_find(e, v->text);
        if (comes_again(h)) {
            v->gone = changed = true;
        }
    }
    return changed;
}

/* Whether no text of an object names it. */
static bool is_free(const struct skr_gang *e, const struct group *h)
{
    const struct group *g;
    DL_FOREACH2(e->planned, g, pnext)
    {
        struct plan *plan = g->plan;
        for (size_t i = 0; plan->preempting && i < plan->n_victims; i++) {
            const struct plan_victim *v = &plan->victim[i];
            if (strcmp(v->text, h->key) == 0 &&
                !(v->gone && skr_plan_storage_is_written(e, plan))) {
                return false;
            }
        }
    }
    return true;
}

void skr_victims_release(struct skr_gang *e, struct plan *plan)
{
    for (size_t i = 0; i < plan->n_victims; i++) {
        const struct plan_victim *v = &plan->victim[i];
        struct group *h = v->gone ? skr_groups_find(e, v->text) : NULL;
        if (h && h->victim.leaving && is_free(e, h)) {
            h->victim.leaving = false;
            skr_dirty_group(e, h);
            skr_dirty_plan(e);
        }
    }
}
