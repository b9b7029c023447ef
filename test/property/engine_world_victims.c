/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The law of victims: no group evicts pods while it has a place beside what stays when those are gone that leave
 * anyway. It is judged when a search for victims begins, and fails when the search names one that runs (engine_rig.c).
 *
 * What leaves, if it goes in time: pods that terminate, and victims of plans that stand, written or not. Not counted are
 * victims of a plan that the group itself may push out, or that gives way already: they stay when it ends. So do pods
 * that move, as their new places come first, nor what leaves where others have reserved room.
 */
#include <stdio.h>
#include <string.h>
#include <utlist.h>

#include "core/gang/group/group_table.h"
#include "core/gang/planning/planner.h"
#include "core/gang/preempt/outranks.h"
#include "core/gang/preempt/victims_left.h"
#include "core/gang/state/plan_entry.h"
#include "test/property/engine_world_waiter.h"
#include "test/unit/engine_rig_parts.h"

static bool is_victim(const struct plan *plan, const struct rig_object *pod)
{
    char group[600];
    rig_group_of(pod->json, group, sizeof group);
    for (size_t i = 0; i < plan->n_victims; i++) {
        const struct plan_victim *v = &plan->victim[i];
        const char *uid = skr_victims_pod_uid(v);
        if (!v->gone && !v->moved &&
            strcmp(uid ? uid : v->text, uid ? pod->pod->meta.uid : group) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_evicted(const struct world *w, const struct group *self,
                       const struct rig_object *pod)
{
    const struct skr_outranks rank = skr_outranks_of(w->rig->gang, self);
    const struct group *h, *tmp;
    HASH_ITER(hh, w->rig->gang->groups, h, tmp)
    {
        const bool stands = h != self && h->spec && h->plan && h->plan->preempting &&
                            !h->plan->aborting && !h->victim.leaving && !skr_outranks(&rank, h);
        if (stands && is_victim(h->plan, pod)) {
            return true;
        }
    }
    return false;
}

static bool leaves(const struct world *w, const struct group *self, const struct rig_object *pod)
{
    const skr_time most = w->rig->settings.plan_timeout, at = pod->pod->meta.deleted_at;
    return pod->pod->meta.deleting
               ? at >= w->rig->now && at <= w->rig->now + most
               : pod->pod->grace_s * SKR_SECOND <= most && is_evicted(w, self, pod);
}

static void look_at_leaving(const struct world *w, struct waiter *g, const struct group *self)
{
    const struct rig_object *o;
    DL_FOREACH(w->rig->list, o)
    {
        const bool there = o->kind == RIG_POD && o->pod->phase != SKR_POD_SUCCEEDED &&
                           o->pod->phase != SKR_POD_FAILED;
        struct node_room *room = there ? waiter_room_at(g, o->pod->node_name) : NULL;
        if (room && leaves(w, self, o) && !waiter_is_promised(w->rig, self, o->pod->node_name)) {
            room->used -= waiter_cpu_of(&o->pod->shape->requests);
        }
    }
}

/* Members of the problem that have no node yet. */
static int searched(const struct waiter *g, const struct skr_solve_request *search)
{
    int n = search->problem.n;
    for (int i = 0; i < g->n_nodes; i++) {
        n -= g->node[i].rack >= 0 ? g->node[i].held : 0;
    }
    return n;
}

static bool fits(const struct world *w, struct waiter *g, const struct group *self,
                 const struct skr_solve_request *search)
{
    json_auto_t *tree = waiter_tree(w);
    if (!tree) {
        return false;
    }
    waiter_look(w, g, tree);
    const int n = searched(g, search);
    if (!g->plain || n <= 0 || n > g->waiting) {
        return false;
    }
    waiter_look_at_spares(w->rig, g, self);
    waiter_look_at_others(w, g);
    waiter_look_at_reserved(w->rig, g, self);
    waiter_look_at_promises(w, g, self);
    waiter_look_at_refused_nodes(w->rig, g, self);
    look_at_leaving(w, g, self);
    return waiter_fits(g, WAITER_NOW, n);
}

bool world_has_room_then(void *context, const struct skr_solve_request *search)
{
    const struct world *w = context;
    if (w->rig->watches || search->pinned || search->roles) {
        return false; /* what the engine does not know yet */
    }
    for (int i = 0; i <= WORLD_PODGROUP; i++) {
        struct waiter g = {.name = world_group[i]};
        char key[64];
        snprintf(key, sizeof key, "default/%s", g.name);
        const struct group *self = skr_groups_find(w->rig->gang, key);
        if (self && self->spec && skr_planner_is_solving(w->rig->gang, self)) {
            return waiter_home(w, &g, i) && !waiter_a_pod_goes_first(w->rig, self) &&
                   fits(w, &g, self, search);
        }
    }
    return false;
}
