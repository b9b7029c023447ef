/* SPDX-License-Identifier: Apache-2.0 */
#include "test/property/engine_world_restarts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#include "test/property/engine_world_derived.h"
#include "test/property/engine_world_tenants.h"
#include "test/property/engine_world_users.h"
#include "test/property/engine_world_waiter.h"

enum { MEMBERS_MAX = 5, STRANGERS_MAX = 6, LONG_S = 90, LWS = 4 };

/* -1: none. */
static int node_of(const struct rig_object *pod)
{
    const char *name = pod->pod->node_name;
    return *name ? atoi(name + strlen("node-")) : -1;
}

/* Pods that live; bound: on nodes. */
static int count(const struct world *w, int which, bool bound)
{
    const struct rig_object *o;
    int n = 0;
    DL_FOREACH(w->rig->list, o)
    {
        n += derived_is_of(o, which) && skr_pod_is_live(o->pod) && (!bound || node_of(o) >= 0);
    }
    return n;
}

/* ---- strangers: namespace other ---- */

static bool is_stranger(const struct rig_object *o)
{
    return strncmp(o->key, "other/", 6) == 0;
}

static void strangers_come(struct world *w)
{
    static const char *const map[] = {"other/ga", "other/gb"};
    const char *group = world_pick(w, 3) == 0 ? map[world_pick(w, 2)] : NULL;
    const int n = 1 + (int)world_pick(w, STRANGERS_MAX);
    const int big = world_pick(w, 6) ? 0 : RIG_BIG, gated = world_pick(w, 2) ? RIG_GATED : 0;
    if (group && rig_find(w->rig, RIG_MAP, group)) {
        return;
    }
    if (group) {
        rig_group(w->rig, group, n, 0, NULL);
    }
    for (int i = 0; i < n && HASH_COUNT(w->rig->objects) < WORLD_PODS_MAX; i++) {
        char name[32];
        snprintf(name, sizeof name, "other/p-%02d", w->pods++);
        rig_pod(w->rig, name, group ? group + strlen("other/") : NULL, big | (group ? gated : 0));
    }
}

static void strangers_go(struct world *w, bool all)
{
    struct rig_object *o, *next;
    DL_FOREACH_SAFE(w->rig->list, o, next)
    {
        if (is_stranger(o) && (all || world_pick(w, 2))) {
            rig_delete(w->rig, o->kind, o->key);
        }
    }
}

/* ---- whether the law says something ---- */

static bool is_kept(const struct world *w, int which)
{
    return w->work[which].kept_until > w->rig->now && count(w, which, true) == 0;
}

/* A namespace holds no more seats than it ran with when one of its workloads lost its first one, which counts for
 * seatHold, also when that workload is back: core/gang/group/namespace_bound.h. */
static bool is_beyond_bound(const struct world *w)
{
    int held = 0, ran = 0;
    for (int i = 0; i < WORLD_DERIVED; i++) {
        const bool is = w->work[i].held_until >= w->rig->now && count(w, i, true) < w->work[i].size;
        for (int node = 0; is && node < WORLD_NODES; node++) {
            held += w->work[i].seats[node];
        }
        ran = w->work[i].kept_until > w->rig->now && w->work[i].ran > ran ? w->work[i].ran : ran;
    }
    return held > ran;
}

/* The law is silent about all that are kept now. A daemon that starts holds no seats. */
static void forget(struct world *w)
{
    for (int i = 0; i < WORLD_DERIVED; i++) {
        w->work[i].kept_until = 0;
    }
    w->fits_life = w->rig->n_lives;
}

/* ---- restarts ---- */

static struct rig_object *next_to_go(const struct world *w, int which)
{
    struct rig_object *o;
    DL_FOREACH(w->rig->list, o)
    {
        if (derived_is_of(o, which)) {
            return o;
        }
    }
    return NULL;
}

/* The daemon may start anew before they leave: it holds no other seats then. */
static void terminate_all(struct world *w, int which)
{
    const uint32_t seconds = world_pick(w, 5);
    struct rig_object *o, *next;
    DL_FOREACH_SAFE(w->rig->list, o, next)
    {
        if (derived_is_of(o, which)) {
            rig_terminate(w->rig, o->key);
        }
    }
    world_run(w, seconds * SKR_SECOND);
    if (seconds == 0) {
        rig_restart(w->rig);
        world_run(w, SKR_SECOND);
        forget(w);
    }
}

static void end(struct world *w, int which)
{
    const bool slowly = world_pick(w, 3) == 0;
    struct rig_object *o;
    w->work[which].kept_until = 0;
    w->work[which].ran = 0;
    for (int i = 0; i < WORLD_DERIVED; i++) {
        w->work[which].ran += count(w, i, true);
    }
    if (world_pick(w, 2)) {
        terminate_all(w, which);
    }
    memset(w->work[which].seats, 0, sizeof w->work[which].seats);
    w->work[which].whole_since = 0;
    w->work[which].kept_until = w->rig->now + w->rig->settings.seat_hold;
    while ((o = next_to_go(w, which))) {
        w->work[which].seats[node_of(o)]++;
        w->work[which].held_until = w->rig->now + w->rig->settings.seat_hold;
        rig_delete(w->rig, RIG_POD, o->key);
        if (is_beyond_bound(w)) { /* seats are cut at once, and another group may be back at once */
            forget(w);
        }
        if (slowly) {
            world_run(w, world_pick(w, 4) * SKR_SECOND);
        }
    }
}

static void restart(struct world *w, int which)
{
    if (count(w, which, true) < w->work[which].size) {
        return;
    }
    end(w, which);
    derived_begin_again(w, which);
}

/* Pods of the next attempt come, of a workload that has none. */
static void come_again(struct world *w, int which)
{
    if (!next_to_go(w, which)) {
        derived_make_pods(w, which);
        w->work[which].whole_since = w->rig->now;
    }
}

static void come(struct world *w, int which)
{
    const int size = 1 + (int)world_pick(w, MEMBERS_MAX);
    if (w->work[which].attempt > 0) {
        come_again(w, which);
        return;
    }
    derived_begin(w, which, size);
    if (which == LWS) {
        rig_create_json(w->rig, RIG_LWS, "de",
                        "{'spec':{'replicas':1,'leaderWorkerTemplate':{'size':%d}}}", size);
    }
    derived_make_pods(w, which);
}

static void begin(struct world *w)
{
    memset(w->work, 0, sizeof w->work);
    w->restarting = true;
    tenants_clear(w);
    w->rig->grace = 0;
    world_run(w, SKR_SECOND);
}

void restarts_end(struct world *w)
{
    strangers_go(w, true);
    w->restarts = w->restarting = false;
}

void restarts_step(struct world *w)
{
    static const int which_of[] = {0, 1, 2, LWS}; /* that have an owner, and are annotated */
    if (!w->restarting) {
        begin(w);
    }
    const int which = which_of[world_pick(w, 4)];
    const uint32_t x = world_pick(w, 10);
    if (x < 3) {
        strangers_come(w);
    } else if (x < 4) {
        strangers_go(w, false);
    } else if (x < 7) {
        come(w, which);
    } else if (w->work[which].attempt > 0) {
        restart(w, which);
    }
    world_run(w, world_pick(w, 16) == 0 ? LONG_S * SKR_SECOND : world_pick(w, 8) * SKR_SECOND);
}

/* ---- the law ---- */

static void check_room(const struct world *w, int node)
{
    char name[32];
    const struct rig_object *o;
    int64_t room, seats = 0;
    snprintf(name, sizeof name, "node-%d", node);
    room = waiter_cpu_of(&rig_find(w->rig, RIG_NODE, name)->node->allocatable);
    for (int i = 0; i < WORLD_DERIVED; i++) {
        seats += is_kept(w, i) ? w->work[i].seats[node] * 1000 : 0;
    }
    DL_FOREACH(seats > 0 ? w->rig->list : NULL, o)
    {
        const bool ended = o->kind != RIG_POD || o->pod->phase == SKR_POD_SUCCEEDED ||
                           o->pod->phase == SKR_POD_FAILED;
        if (!ended && node_of(o) == node) {
            room -= waiter_cpu_of(&o->pod->shape->requests);
        }
    }
    if (room < seats) {
        rig_fail(w->rig, "%lld m are left on %s, where ended attempts left seats of %lld m",
                 (long long)room, name, (long long)seats);
    }
}

void restarts_check(struct world *w)
{
    if (!w->restarting || w->rig->watches || w->rig->writes || w->rig->solves || !w->rig->synced) {
        return;
    }
    if (w->fits_life != w->rig->n_lives || is_beyond_bound(w)) {
        forget(w);
    }
    for (int i = 0; i < WORLD_NODES; i++) {
        check_room(w, i);
    }
    for (int i = 0; i < WORLD_DERIVED; i++) {
        const skr_time since = w->work[i].whole_since;
        if (since && since + WORLD_AGAIN_S * SKR_SECOND < w->rig->now && is_kept(w, i) &&
            count(w, i, false) == w->work[i].size) {
            rig_fail(w->rig, "the next attempt of workload %d is there, and is not bound", i);
        }
    }
}
