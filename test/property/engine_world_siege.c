/* SPDX-License-Identifier: Apache-2.0 */
/* The law of tenants (engine_world_tenants.h), judged whenever a siege comes to rest. */
#include <stdio.h>
#include <string.h>
#include <utlist.h>

#include "core/gang/cache/pods.h"
#include "core/gang/group/group_table.h"
#include "core/gang/group/namespace_bound.h"
#include "core/gang/group/reservation.h"
#include "test/property/engine_world_tenants.h"
#include "test/property/engine_world_waiter.h"
#include "test/unit/engine_rig_parts.h"

/* ---- room that counts as taken ---- */

static void take(struct waiter *g, const char *node, const struct skr_quantities *requests)
{
    struct node_room *room = node ? waiter_room_at(g, node) : NULL;
    if (room) {
        room->used += waiter_cpu_of(requests);
    }
}

static void look_at_pods(const struct world *w, struct waiter *g)
{
    const struct rig_object *o;
    DL_FOREACH(w->rig->list, o)
    {
        if (o->kind != RIG_POD || o->pod->phase == SKR_POD_SUCCEEDED ||
            o->pod->phase == SKR_POD_FAILED) {
            continue;
        }
        const char *node = o->volumes_until ? o->assumed_node : o->pod->node_name;
        take(g, node, &o->pod->shape->requests);
    }
}

struct look {
    const struct world *w;
    struct waiter *g;
    const struct group *self;
};

static bool is_of_namespace(const char *key, const char *namespace_)
{
    const size_t n = strlen(namespace_);
    return strncmp(key, namespace_, n) == 0 && key[n] == '/';
}

static int64_t cpu_of(const struct world *w, const struct skr_amounts *a)
{
    const int cpu = skr_resource_names_find(w->rig->gang->resources, "cpu");
    for (size_t i = 0; i < a->n; i++) {
        if (a->item[i].resource == cpu) {
            return a->item[i].amount;
        }
    }
    return 0;
}

static bool counts(const struct look *look, const struct reservation *r)
{
    const int32_t own = look->self->spec->priority;
    if (r->single || strcmp(r->owner, look->self->key) == 0) {
        return false;
    }
    return is_of_namespace(r->owner, "default") || r->priority > own ||
           (r->reason == SKR_RESERVED_SEAT && r->priority == own);
}

static void look_at_reservation(void *context, const struct reservation *r)
{
    const struct look *look = context;
    struct node_room *room = waiter_room_at(look->g, r->node);
    if (room && counts(look, r)) {
        room->planned += cpu_of(look->w, r->amounts);
    }
}

/* ---- held seats ---- */

struct seats {
    const struct world *w;
    int64_t cpu;
};

static void add_seat(void *context, const struct reservation *r)
{
    struct seats *seats = context;
    const bool hostile = is_of_namespace(r->owner, "hostile");
    seats->cpu += hostile && r->reason == SKR_RESERVED_SEAT ? cpu_of(seats->w, r->amounts) : 0;
}

/* What it ran with when a group lost its first seat counts while the group's workload makes its pods again, for
 * seatHoldMax in all. */
static int64_t ran_with(const struct world *w)
{
    const struct group *g, *tmp;
    const int cpu = skr_resource_names_find(w->rig->gang->resources, "cpu");
    int64_t most = 0;
    HASH_ITER(hh, w->rig->gang->groups, g, tmp)
    {
        const struct seats_ran *ran =
            cpu >= 0 && is_of_namespace(g->key, "hostile") ? g->holds.ran : NULL;
        for (; ran; ran = ran->earlier) {
            const skr_time last =
                ran->since ? ran->since + w->rig->settings.seat_hold_max : ran->until;
            most = last >= w->rig->now && ran->amount[cpu] > most ? ran->amount[cpu] : most;
        }
    }
    return most;
}

/* A namespace holds at most as much as its members use that run, or as it ran with, and a share of the cluster. */
static void judge_seats(struct world *w)
{
    struct seats seats = {.w = w};
    const struct rig_object *o;
    int64_t runs = 0, all = 0;
    skr_reservations_each(w->rig->gang, add_seat, &seats);
    DL_FOREACH(seats.cpu > 0 ? w->rig->list : NULL, o)
    {
        if (o->kind == RIG_NODE) {
            all += waiter_cpu_of(&o->node->allocatable);
        } else if (o->kind == RIG_POD && is_of_namespace(o->key, "hostile") && *o->pod->node_name &&
                   skr_pod_is_live(o->pod) && *world_group_of(w, o)) {
            runs += waiter_cpu_of(&o->pod->shape->requests);
        }
    }
    const int64_t was = ran_with(w), ran = was > runs ? was : runs;
    if (seats.cpu > ran + all / SKR_NAMESPACE_SHARE) {
        rig_fail(w->rig,
                 "the hostile namespace holds %lld m for lost members, runs %lld m, and ran %lld m",
                 (long long)seats.cpu, (long long)runs, (long long)ran);
    }
}

/* ---- silence ---- */

static const struct group *honest(const struct world *w, int which)
{
    char key[64];
    snprintf(key, sizeof key, "default/%s", world_group[which]);
    return skr_groups_find(w->rig->gang, key);
}

/* kube-scheduler asks about no pod for a while. What it said before may still come to an end in its patience. From
 * then on no group has another refused node: nothing is made of silence. The time does not count for the law. */
void siege_silence(struct world *w, skr_time duration)
{
    const skr_time first = (SKR_ACTIVATION_PATIENCE_S + 1) * SKR_SECOND;
    size_t refused[WORLD_HONEST_GROUPS];
    w->rig->hold_scheduler = true;
    words_run(w, duration < first ? duration : first);
    for (int i = 0; i < WORLD_HONEST_GROUPS; i++) {
        const struct group *g = honest(w, i);
        refused[i] = g ? g->vetoes.n : 0;
    }
    words_run(w, duration < first ? 0 : duration - first);
    w->rig->hold_scheduler = false;
    for (int i = 0; i < WORLD_HONEST_GROUPS; i++) {
        const struct group *g = honest(w, i);
        if (g && g->vetoes.n > refused[i]) {
            rig_fail(w->rig, "%s has a refused node more, and kube-scheduler was silent", g->key);
        }
    }
    memset(w->fits_since, 0, sizeof w->fits_since);
}

/* ---- judgement ---- */

/* For people. */
static void print_reservation(void *context, const struct reservation *r)
{
    const struct world *w = context;
    fprintf(stderr, "  reserved by %s of priority %d: %lld m on %s, %s\n", r->owner,
            (int)r->priority, (long long)cpu_of(w, r->amounts), r->node,
            skr_reservation_name(r->reason));
}

static bool fits(struct world *w, struct waiter *g, const struct group *self, const json_t *tree)
{
    waiter_look(w, g, tree);
    const int least = g->held == 0 ? g->size : g->waiting;
    if (!g->plain || g->waiting == 0 || g->waiting < least || g->gated > 0) {
        return false;
    }
    look_at_pods(w, g);
    waiter_look_at_spares(w->rig, g, self);
    waiter_look_at_refused_nodes(w->rig, g, self);
    skr_reservations_each(w->rig->gang, look_at_reservation, &(struct look){w, g, self});
    waiter_look_at_promises(w, g, self);
    return waiter_fits(g, WAITER_NOW, least);
}

static void judge(struct world *w, int which, const json_t *tree)
{
    struct waiter g = {.name = world_group[which]};
    const struct group *self = honest(w, which);
    if (!waiter_home(w, &g, which) || !self || !self->spec || !fits(w, &g, self, tree)) {
        w->fits_since[which] = 0;
        return;
    }
    if (!w->fits_since[which]) {
        w->fits_since[which] = w->rig->now;
    }
    const bool late = w->rig->now - w->fits_since[which] > WORLD_BOUND_S * SKR_SECOND;
    if (late) {
        skr_reservations_each(w->rig->gang, print_reservation, w);
    }
    waiter_expect(w, &g, !late, "it fits beside what runs, and is not bound in time");
}

void tenants_check(struct world *w)
{
    if (!w->siege || w->rig->hold_scheduler || w->rig->watches || w->rig->writes ||
        w->rig->solves || !w->rig->synced) {
        return;
    }
    judge_seats(w);
    words_check(w);
    if (w->fits_life != w->rig->n_lives) {
        memset(w->fits_since, 0, sizeof w->fits_since);
        w->fits_life = w->rig->n_lives;
    }
    json_auto_t *tree = waiter_tree(w);
    for (int i = 0; tree && i < WORLD_HONEST_GROUPS; i++) {
        judge(w, i, tree);
    }
}
