/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Promptness, judged whenever a world comes to rest: everything is delivered, answered and solved, kube-scheduler has
 * nothing to try, no timer is due. Time alone goes on from there. A group whose members are there and have a place beside
 * all that is bound, planned or held has a plan then, or the engine's timer is set for planDelay from now or sooner.
 *
 * Its turn does not matter: groups before it in the queue have their plans by now, which are room that is taken, or do not
 * fit and hold nobody up (core/gang/planning/queue.c).
 *
 * What may hold a group back, each for as long as its file says; the judge asks the engine whether it does:
 *
 *   a pause after refusals of kube-scheduler            core/gang/group/refusal.c
 *   back-off after a plan that came to nothing          core/gang/group/attempt.c
 *   members that have to leave, or have left            core/gang/preempt/victims_left.c
 *   an object that may not be written                   core/gang/plan/plan_storage.c
 *   calls of kube-scheduler for members with claims     core/gang/group/claims.c
 *   run-limit that is over                              core/gang/group/run_limit.c
 *   members beyond the minimum were evicted             core/gang/planning/queue.c
 *   members that run are to leave for seats             core/gang/preempt/arranged.h
 *   single pods above its class that were not tried     core/gang/cache/ordinary.c
 *
 * and what takes room without being bound: reservations of other groups that do not end in time, nodes that kube-scheduler refused to the group within a minute (vetoes.c),
 * seats that other groups hold for replacements (seat_holds.c), ordinary pods whose volumes decide where they go (ordinary.c),
 * members that kube-scheduler keeps for their volumes after the end of their plan (claims.c), and ordinary pods
 * whose Binding failed and will be tried again (binding.c).
 * Groups are judged that the judge of reasons looks at (engine_world_reasons.c).
 */
#include <stdio.h>
#include <string.h>
#include <utlist.h>

#include "core/gang/cache/ordinary.h"
#include "core/gang/cache/pods.h"
#include "core/gang/cache/vetoes.h"
#include "core/gang/group/claims.h"
#include "core/gang/group/group_table.h"
#include "core/gang/group/refusal.h"
#include "core/gang/group/run_limit.h"
#include "core/gang/group/seat_holds.h"
#include "core/gang/plan/plan.h"
#include "core/gang/plan/plan_storage.h"
#include "core/gang/preempt/arranged.h"
#include "core/gang/preempt/victims_left.h"
#include "core/gang/report/pauses.h"
#include "core/gang/state/plan_entry.h"
#include "test/property/engine_world_waiter.h"

static bool is_at_rest(const struct rig *rig)
{
    return rig->synced && !rig->crashed && !rig->is_paused && !rig->watches && !rig->writes &&
           !rig->solves;
}

/* ---- what the engine keeps free ---- */

static void take(struct waiter *g, const char *node, int64_t cpu)
{
    struct node_room *room = node ? waiter_room_at(g, node) : NULL;
    if (room) {
        room->planned += cpu;
    }
}

/* Seats of lower priority yield, but for the pause after a search that came to nothing, and not to a group that
 * kube-scheduler refuses nodes. */
static void look_at_held_seats(const struct rig *rig, struct waiter *g, const struct group *self,
                               const struct group *other)
{
    const bool yields =
        self->spec && other->holds.n > 0 && other->holds.priority < self->spec->priority &&
        self->preempt.at <= rig->now && self->reason != SKR_REASON_FILTERED_BY_OTHERS;
    for (size_t i = 0; other != self && i < other->holds.n; i++) {
        const struct seat_hold *hold = &other->holds.item[i];
        if (!yields || waiter_is_promised(rig, self, hold->node)) {
            take(g, hold->node, waiter_cpu_of(&hold->shape->spec->requests));
        }
    }
}

/* A plan that is not written yet, too; and room that it keeps for who takes the place of a lost member. */
static void look_at_planned(struct waiter *g, const struct group *self, const struct group *other)
{
    const struct pod_entry *p;
    DL_FOREACH(other != self ? other->members : NULL, p)
    {
        if (p->plan && !skr_pods_is_bound(p)) {
            take(g, p->place.node, waiter_cpu_of(&p->shape->spec->requests));
        }
    }
    for (size_t i = 0; other != self && other->plan && i < other->plan->n_vacancies; i++) {
        take(g, other->plan->vacancy[i].node,
             waiter_cpu_of(&other->plan->vacancy[i].shape->spec->requests));
    }
}

void waiter_look_at_reserved(const struct rig *rig, struct waiter *g, const struct group *self)
{
    const struct group *other, *tmp;
    const struct pod_entry *p;
    HASH_ITER(hh, rig->gang->groups, other, tmp)
    {
        look_at_held_seats(rig, g, self, other);
        look_at_planned(g, self, other);
    }
    DL_FOREACH(rig->gang->ordinary, p)
    {
        if (!skr_pods_is_bound(p) && (p->work->binding_queued || p->work->bind.unknown)) {
            take(g, skr_ledger_find(rig->gang->ledger, p->uid, NULL),
                 waiter_cpu_of(&p->shape->spec->requests));
        }
        take(g, skr_ordinary_late_node(rig->gang, p), waiter_cpu_of(&p->shape->spec->requests));
    }
    DL_FOREACH2(rig->gang->assumed, p, work->assumed.next)
    {
        if (!p->plan) {
            take(g, skr_claims_assumed_on(p), waiter_cpu_of(&p->shape->spec->requests));
        }
    }
}

/* Vetoes of this group alone count: the refusal of another group's pod closes nothing. */
void waiter_look_at_refused_nodes(const struct rig *rig, struct waiter *g, const struct group *self)
{
    const struct veto_set *set;
    DL_FOREACH(self->vetoes.set, set)
    {
        bool waits = false;
        for (int m = 0; m < g->n_members; m++) {
            waits = waits || strcmp(g->member[m]->pod->shape->key, set->shape->spec->key) == 0;
        }
        for (int i = 0; waits && i < g->n_nodes; i++) {
            const struct veto *v;
            HASH_FIND_STR(set->item, g->node[i].name, v);
            if (v && v->until > rig->now) { /* of new members it takes so many */
                struct node_room *room = &g->node[i];
                const int64_t left = room->has - room->used - room->planned;
                const int64_t takes = v->most * g->each;
                room->used += left > takes ? left - takes : 0;
                room->open = room->open && v->most > 0;
            }
        }
    }
}

bool waiter_a_pod_goes_first(const struct rig *rig, const struct group *g)
{
    const struct pod_entry *p = rig->gang->ordinary;
    while (p && !skr_ordinary_goes_first(rig->gang, p, skr_ordinary_class_of(g))) {
        p = p->next;
    }
    return p;
}

static bool is_held_back(const struct rig *rig, const struct group *g)
{
    return g->victim.leaving || g->state == GROUP_EVICTED || g->state == GROUP_INVALID ||
           skr_claims_keep_from_planning(rig->gang, g) || skr_refusal_pause(rig->gang, g) > 0 ||
           skr_plan_storage_is_refused(rig->gang, g) || g->attempt.backoff_until > rig->now ||
           skr_run_limit_is_over(rig->gang, g) || skr_arranged_waits(g) ||
           waiter_a_pod_goes_first(rig, g);
}

/* ---- judgement ---- */

/* Live pods by group, in one look: most groups are not whole, or run. */
static void count(const struct world *w, int *waiting, int *bound)
{
    const struct rig_object *o;
    DL_FOREACH(w->rig->list, o)
    {
        if (o->kind != RIG_POD || !skr_pod_is_live(o->pod)) {
            continue;
        }
        const char *name = world_group_of(w, o);
        for (int i = 0; i <= WORLD_PODGROUP; i++) {
            if (strcmp(name, world_group[i]) == 0) {
                *(*o->pod->node_name ? &bound[i] : &waiting[i]) += 1;
            }
        }
    }
}

/* Its plan waits for victims, all of which were asked to leave; it may have room without them. */
static bool may_go_elsewhere(const struct rig *rig, const struct group *g)
{
    const struct plan *plan = g->plan;
    bool waits = plan->preempting && !plan->aborting && plan->elsewhere.at != 0 &&
                 plan->elsewhere.at <= rig->now && !skr_plan_has_room(rig->gang, plan);
    for (size_t i = 0; waits && i < plan->n_victims; i++) {
        waits = skr_victims_only_terminate(rig->gang, &plan->victim[i]);
    }
    return waits;
}

static bool gave_lately(const struct rig *rig, const struct group *g)
{
    return g->gave_at > 0 && g->gave_at + SKR_GROW_AFTER_S * SKR_SECOND > rig->now;
}

enum { ROUND_PAUSE_MS = 100 }; /* of rounds.c */

static void judge(struct world *w, struct waiter *g, const json_t *tree)
{
    struct rig *rig = w->rig;
    char key[64];
    snprintf(key, sizeof key, "default/%s", g->name);
    const struct group *known = skr_groups_find(rig->gang, key);
    waiter_expect(w, g, known, "the engine does not know it");
    if (!known || (known->plan && !may_go_elsewhere(rig, known)) || is_held_back(rig, known)) {
        return;
    }
    waiter_look(w, g, tree);
    const int n = waiter_least(g), planned = known->plan ? (int)known->plan->n_members : 0;
    const int least = planned > n ? planned : n; /* a plan that waits for victims goes as a whole */
    if (!g->plain || g->waiting < least || g->waiting == 0 || g->gated > 0 ||
        (g->held >= g->size && gave_lately(rig, known))) {
        return;
    }
    waiter_look_at_spares(rig, g, known);
    waiter_look_at_others(w, g);
    waiter_look_at_reserved(rig, g, known);
    waiter_look_at_promises(w, g, known);
    waiter_look_at_refused_nodes(rig, g, known);
    /* Whose room a reservation keeps is decided by the next round. */
    const skr_time pause = rig->gang->rounds.due ? ROUND_PAUSE_MS * SKR_MILLISECOND : 0;
    const skr_time soon = pause > rig->settings.plan_delay ? pause : rig->settings.plan_delay;
    waiter_expect(w, g, rig->timer <= rig->now + soon || !waiter_fits(g, WAITER_NOW, least),
                  "it fits, and nothing is going to happen");
}

enum { SEAT_KEPT_S = 10 };

/* Room that a plan keeps for pods that are gone: seconds, and not without any pod. */
static void judge_seats(struct world *w)
{
    const struct rig *rig = w->rig;
    const struct group *g, *tmp;
    HASH_ITER(hh, rig->gang->groups, g, tmp)
    {
        const struct pod_entry *p = g->members;
        while (p && !skr_pod_is_live(p->pod)) {
            p = p->next;
        }
        for (size_t i = 0; g->plan && !g->plan->rollback && i < g->plan->n_vacancies; i++) {
            const skr_time until = g->plan->vacancy[i].until;
            if (!p || until <= rig->now || until > rig->now + SEAT_KEPT_S * SKR_SECOND) {
                rig_fail(w->rig, "%s: the seat of %s is kept for too long", g->key,
                         g->plan->vacancy[i].uid);
            }
        }
    }
}

void world_check_promptness(struct world *w)
{
    if (!is_at_rest(w->rig) || w->derived) {
        return;
    }
    judge_seats(w);
    int waiting[WORLD_GROUPS] = {0}, bound[WORLD_GROUPS] = {0};
    count(w, waiting, bound);
    json_t *tree = NULL;
    for (int i = 0; i <= WORLD_PODGROUP; i++) {
        struct waiter g = {.name = world_group[i]};
        if (waiting[i] == 0 || !waiter_home(w, &g, i) || waiting[i] + bound[i] < g.size) {
            continue;
        }
        tree = tree ? tree : waiter_tree(w);
        if (!tree) {
            break;
        }
        judge(w, &g, tree);
    }
    json_decref(tree);
}
