/* SPDX-License-Identifier: Apache-2.0 */
#include "test/property/engine_world_users.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#include "test/property/engine_world_derived.h"
#include "test/property/engine_world_restarts.h"
#include "test/property/engine_world_roles.h"
#include "test/property/engine_world_tenants.h"
#include "test/unit/engine_rig_failover.h"
#include "test/unit/engine_rig_parts.h"

enum {
    SAMPLE = 4, /* nodes that kube-scheduler looks at, where it takes a sample */
};

uint32_t world_pick(struct world *w, uint32_t n)
{
    w->random ^= w->random >> 12;
    w->random ^= w->random << 25;
    w->random ^= w->random >> 27;
    return (uint32_t)((w->random * 2685821657736338717u) >> 33) % n;
}

/* A rule that the planner does not know: a shy pod runs beside no other shy one. */
static bool may_join(const struct world *w, const struct skr_pod *pod, const char *node)
{
    const struct rig_object *o;
    if (w->mended || !skr_labels_get(&pod->meta.labels, "shy")) {
        return true;
    }
    DL_FOREACH(w->rig->list, o)
    {
        bool other = o->kind == RIG_POD && o->pod != pod && skr_pod_is_live(o->pod) &&
                     skr_labels_get(&o->pod->meta.labels, "shy");
        if (other && (strcmp(o->pod->node_name, node) == 0 ||
                      (o->place == RIG_ASSUMED && strcmp(o->assumed_node, node) == 0))) {
            return false;
        }
    }
    return true;
}

static const char *half_of(const struct world *w, const char *node)
{
    const struct rig_object *o = rig_find(w->rig, RIG_NODE, node);
    return o ? rig_meta_text(o->json, "labels", "half") : "";
}

/* Halves of the cluster are the domains of the rule. */
static bool has_partner(const struct world *w, const struct skr_pod *pod, const char *node)
{
    const char *group = skr_labels_get(&pod->meta.labels, "sakkara.group.name");
    const char *half = half_of(w, node);
    const struct rig_object *o;
    bool found = !w->partners || pod->shape->n_rules == 0 || !group || strcmp(group, "gb") != 0;
    DL_FOREACH(w->rig->list, o)
    {
        found = found ||
                (o->kind == RIG_POD && *half && o->pod->phase != SKR_POD_SUCCEEDED &&
                 o->pod->phase != SKR_POD_FAILED && strcmp(world_group_of(w, o), "ga") == 0 &&
                 (strcmp(half_of(w, o->pod->node_name), half) == 0 ||
                  (o->place == RIG_ASSUMED && strcmp(half_of(w, o->assumed_node), half) == 0)));
    }
    return found;
}

static bool in_tree(void *context, const struct skr_pod *pod, const char *node)
{
    const struct world *w = context;
    return strcmp(w->veto, node) != 0 && may_join(w, pod, node) && has_partner(w, pod, node);
}

const char *const world_group[WORLD_GROUPS] = {"ga", "gb", "gc", "gd", "ge", "podgroup", "labels"};

/* ---- what happens by itself ---- */

static void answer_some_write(struct world *w)
{
    static const enum rig_outcome bad[] = {RIG_409,          RIG_429,          RIG_LOST, RIG_403,
                                           RIG_LOST_APPLIED, RIG_LOST_APPLIED, RIG_TWICE};
    struct rig_write *one, *chosen = NULL;
    uint32_t n = 0;
    DL_FOREACH(w->rig->writes, one)
    {
        if (world_pick(w, ++n) == 0) {
            chosen = one;
        }
    }
    if (!chosen) {
        return;
    }
    bool fails = w->faults && world_pick(w, 6) == 0;
    enum rig_outcome outcome = fails ? bad[world_pick(w, sizeof bad / sizeof *bad)] : RIG_OK;
    if (outcome == RIG_403 &&
        (chosen->kind == SKR_WRITE_PATCH_POD_STATUS || chosen->kind == SKR_WRITE_MARK_POD)) {
        outcome = RIG_LOST; /* that is remembered for good */
    }
    w->rig->disturbances += outcome == RIG_403; /* as who may do what was changed */
    rig_answer_write(w->rig, chosen, outcome);
}

static void some_call_hangs_up(struct world *w)
{
    const struct rig_call *call;
    DL_FOREACH(rig_first_open(w->rig), call)
    {
        if (call->state == RIG_OPEN && world_pick(w, 3) == 0) {
            rig_hang_up(w->rig, call);
            return;
        }
    }
}

/* What is still on its way from the paused daemon arrives, and at some time it goes on. */
static void other_daemon(struct world *w)
{
    if (!w->rig->is_paused) {
        rig_step_standby(w->rig);
    } else if (world_pick(w, 12) == 0) {
        rig_resume(w->rig, world_pick(w, 8), world_pick(w, 2));
    } else if (world_pick(w, 3) == 0) {
        rig_step_late(w->rig, world_pick(w, 4));
    }
}

static void change_leader(struct world *w)
{
    uint32_t how = world_pick(w, 8);
    if (w->rig->other && !w->rig->is_paused && how > 1) {
        if (how > 5) {
            rig_fail_over_behind(w->rig);
        } else {
            rig_fail_over(w->rig);
        }
        return;
    }
    rig_event(w->rig, SKR_EVENT_LEADER_LOST);
    rig_settle(w->rig);
    rig_event(w->rig, SKR_EVENT_LEADER_WON);
}

void world_run(struct world *w, skr_time duration)
{
    rig_run(w->rig, duration);
    while (w->rig->crashed) {
        rig_restart(w->rig);
        rig_run(w->rig, duration);
    }
}

static void restart(struct world *w)
{
    w->rig->reverse_lists = world_pick(w, 2);
    w->rig->list_rotation = (int)world_pick(w, 4);
    w->rig->late_lists = world_pick(w, 2);
    rig_restart(w->rig);
}

static void disaster(struct world *w)
{
    switch (world_pick(w, 12)) {
    case 0:
        if (w->rig->settings.sampling_nodes_min) { /* with another percentage */
            w->rig->sample = w->rig->sample ? 0 : SAMPLE;
        }
        rig_restart_scheduler(w->rig);
        break;
    case 1:
        restart(w);
        break;
    case 2:
    case 3:
        change_leader(w);
        break;
    case 4:
        w->rig->bindings_carry_labels = !w->rig->bindings_carry_labels;
        break;
    case 5:
    case 6: /* killed after a request to come, before or after its answer */
        w->rig->crash_at = w->rig->n_applied + 1 + world_pick(w, 8);
        w->rig->crash_before_answer = world_pick(w, 2);
        break;
    case 7:
    case 8:
        rig_relist(w->rig, (enum rig_kind)world_pick(w, RIG_KIND_COUNT));
        break;
    default:
        some_call_hangs_up(w);
        break;
    }
}

/* A pod that somebody deleted terminates for longer than a plan waits for its room. */
static bool somebody_never_goes(const struct world *w)
{
    const struct rig_object *o;
    DL_FOREACH(w->rig->list, o)
    {
        if (o->kind == RIG_POD && o->pod->meta.deleting &&
            o->pod->meta.deleted_at > w->rig->now + w->rig->settings.plan_timeout) {
            return true;
        }
    }
    return false;
}

bool world_is_odd(const struct world *w)
{
    return w->veto[0] || (w->shy && !w->mended) || w->no_tree || w->tenants || w->restarting ||
           w->rig->settings.plan_timeout < 300 * SKR_SECOND || somebody_never_goes(w);
}

/* kube-scheduler's next pod belongs to a group whose plan stands. */
static bool somebody_is_planned(const struct world *w)
{
    const struct rig_object *o, *next = NULL;
    DL_FOREACH(w->rig->list, o)
    {
        if (o->kind == RIG_POD && o->place == RIG_QUEUED &&
            (!next || rig_scheduler_prefers(o, next))) {
            next = o;
        }
    }
    json_auto_t *plan = next ? rig_plan_with(w->rig, next) : NULL;
    return plan || (next && !*world_group_of(w, next));
}

static void anything(struct world *w)
{
    uint32_t x = world_pick(w, 1000);
    w->rig->users_act = x >= 910 && x < 990;
    w->rig->disturbances += w->rig->users_act;
    if (w->tenants && x >= 910 && x < 935) {
        tenants_attack(w);
    } else if (w->derived && x >= 910 && x < 930) {
        derived_happens(w);
    } else if (x < 300) {
        rig_step_watch(w->rig, world_pick(w, 3));
    } else if (x < 600) {
        answer_some_write(w);
    } else if (x < 680) {
        rig_step_solve(w->rig);
    } else if (x < 800) {
        if (!w->busy || world_pick(w, 40) == 0 || somebody_is_planned(w)) {
            rig_step_scheduler(w->rig);
        }
    } else if (x < 890) {
        rig_advance(w->rig, w->rig->now + (1 + world_pick(w, 40)) * 50 * SKR_MILLISECOND);
    } else if (x < 910) {                        /* it comes to rest */
        const bool rests = w->moves && x >= 905; /* until groups may move, again */
        rig_run(w->rig, x < 900 ? 0 : world_pick(w, 20) * (rests ? 300 : 1) * SKR_SECOND);
    } else if (x < 940 && HASH_COUNT(w->rig->objects) < WORLD_PODS_MAX) {
        if (w->busy && world_pick(w, 3) == 0) {
            users_add_gang(w);
        } else if (w->crowded && world_pick(w, w->pushed ? 3 : 12) == 0) {
            users_push(w);
        } else {
            users_add_pod(w);
        }
    } else if (x < 955) {
        users_change_map(w);
    } else if (x < 956) {
        users_change_podgroup(w);
    } else if (x < 957) {
        users_change_budget(w);
    } else if (x < 958) {
        users_change_double(w);
    } else if (x < 960) {
        users_change_topology(w);
    } else if (x < 980) {
        users_change_pod(w);
    } else if (x < 990) {
        users_change_node(w);
    } else {
        disaster(w);
    }
    if (w->rig->other) {
        other_daemon(w);
    }
    if (w->rig->crashed) {
        restart(w);
    }
}

void world_step(struct world *w, uint64_t seed, int step)
{
    /* Each step draws from its own numbers: one left out changes no other. */
    w->random = (seed * 0x9e3779b97f4a7c15u + (uint64_t)step + 1) * 0xd1342543de82ef95u | 1;
    w->rig->is_calm = !world_is_odd(w);
    if (w->tenants && step >= WORLD_SIEGE_FROM) {
        tenants_step(w);
    } else if (w->restarts && step >= WORLD_RESTARTS_FROM) {
        restarts_step(w);
    } else {
        anything(w);
    }
    w->rig->users_act = false;
    w->rig->is_calm = !world_is_odd(w);
}

/* ---- the beginning ---- */

static void choose_settings(struct skr_settings *settings, uint64_t seed, bool plain)
{
    skr_settings_default(settings);
    settings->plain_planning = plain;
    settings->label_fallback = seed % 2;
    settings->rollback_partial = seed % 5 == 0;
    settings->nominate_all = seed % 8 == 1;
    /* It is learned whether it takes a sample. */
    settings->sampling_nodes_min = seed % 8 == 5 || seed % 8 == 2 ? SAMPLE : 0;
    settings->server_minor = seed % 7 != 3 ? 36 : 34;
    if (seed % 7 == 5 && seed % 17 >= 3) { /* not known: it is not looked up which claims exist */
        settings->server_minor = 0;
    }
    settings->copies_max = seed % 11 < 5;
    settings->reservations = seed % 29 >= 20 ? 0 : seed % 29 % 4 == 3 ? 3 : 1;
    settings->horizon = seed % 19 < 5 ? 40 * SKR_SECOND : 4 * 3600 * SKR_SECOND;
    if (seed % 29 < 3) { /* drains */
        settings->patience = 60 * SKR_SECOND;
        settings->ends_of_all = true;
    }
    if (seed % 31 < 8) { /* nodes are lost */
        settings->fail_after = 2 * SKR_SECOND;
    }
    settings->spare = seed % 13 < 4 ? "rack=1" : "";
    settings->moves_mode = seed % 37 < 12 ? SKR_MOVES_MODE_AUTO : SKR_MOVES_MODE_OFF;
    settings->move_after = SKR_SECOND;
    if (seed % 7 == 0) { /* calls expire, plans time out */
        settings->plan_timeout = 30 * SKR_SECOND;
        settings->bind_timeout = 20 * SKR_SECOND;
    }
}

static void at_rest(void *context)
{
    world_check_promptness(context);
    tenants_check(context);
    world_roles_check(context);
    derived_check(context);
    restarts_check(context);
    world_check_picture(context);
}

void world_begin(struct world *w, uint64_t seed, bool plain, uint64_t hash_seed)
{
    struct skr_settings settings;
    *w = (struct world){.random = seed * 0x9e3779b97f4a7c15u + 1, .faults = true};
    choose_settings(&settings, seed, plain);
    settings.hash_seed.k[0] = hash_seed;
    w->rig = rig_create_with(&settings);
    w->rig->sample = seed % 3 == 0 ? SAMPLE : 0;
    w->rig->users_meddle = true;
    w->rig->in_tree = in_tree;
    w->rig->context = w;
    w->rig->at_rest = at_rest;
    w->rig->has_room_then = world_has_room_then;
    w->crowded = seed % 2;
    w->pushed = w->crowded && seed % 16 < 4;
    w->busy = seed % 5 < 3;
    w->tenants = seed % 17 < 3;
    w->pictures = seed % 19 < 3;
    w->timed = seed % 29 < 12;
    w->rig->ends_pods = w->timed || w->tenants;
    w->derived = seed % 23 < 3 && !w->tenants;
    w->restarts = seed % 13 == 12 && seed % 9 < 7 && !w->tenants;
    w->losses = seed % 31 < 8;
    w->elastic = seed % 11 < 4;
    w->moves = seed % 37 < 12;
    rig_racks(w->rig, w->crowded ? 1 : 3, WORLD_NODES / 3, 2);
    rig_group(w->rig, "ga", 3, 0, NULL);
    rig_group(w->rig, "gb", w->pushed ? 3 : 4, !w->pushed, NULL);
    users_begin_time(w);
    w->partners = seed % 41 < 10 && seed % 9 < 7 && !w->derived && !w->timed && !w->moves;
    if (w->partners) {
        users_begin_partners(w);
    }
    if (seed % 9 >= 7 && !w->tenants) {
        world_roles_begin(w);
    }
    if (seed % 4 == 3) {
        users_begin_devices(w);
    }
    if (seed % 3 == 1) {
        users_add_shy_gang(w, seed % 4 < 2);
    }
    rig_claim(w->rig, "c", RIG_CLAIM_BOUND); /* users_add_pod() */
    w->rig->grace = w->crowded && seed % 8 < 4 ? 3 * SKR_SECOND : 0;
    if (seed % 5 < 2) {
        rig_budget(w->rig, "budget", "ga", (int)(seed % 4));
    }
    rig_sync(w->rig);
    if (seed % 11 < 4) {
        rig_start_standby(w->rig);
    }
    if (w->busy && !w->crowded) {
        users_add_members(w, "early", 4, "gb", 0);
    }
    if (w->crowded) { /* ga runs, and gb cannot beside it, unless both are equal and fill the cluster */
        rig_pods(w->rig, "first", 3, "ga", 0);
        rig_run(w->rig, SKR_SECOND);
        users_add_members(w, "second", w->pushed ? 3 : 4, "gb", seed % 13 < 4 ? RIG_GATED : 0);
    }
}

void world_fini(struct world *w)
{
    skr_picture_destroy(w->picture);
    free(w->drawn);
    rig_destroy(w->rig);
}
