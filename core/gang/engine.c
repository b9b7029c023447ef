/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The engine's front: one event in, the caches change, then settle() compares what should be with
 * what is until nothing is dirty, and the actions say what the shell has to do.
 *
 * Limits: settle() does not write before the first lists are complete, without leadership, or after
 * shutdown; the caches are kept up to date all the same.
 */
#include "core/gang/engine.h"

#include "core/gang/bind_calls.h"
#include "core/gang/binding.h"
#include "core/gang/dirty.h"
#include "core/gang/explain_request.h"
#include "core/gang/fit_cache.h"
#include "core/gang/group_end.h"
#include "core/gang/group_state.h"
#include "core/gang/groups.h"
#include "core/gang/lifecycle.h"
#include "core/gang/maps.h"
#include "core/gang/members.h"
#include "core/gang/membership.h"
#include "core/gang/names.h"
#include "core/gang/names_sweep.h"
#include "core/gang/node_changes.h"
#include "core/gang/object_writer.h"
#include "core/gang/output.h"
#include "core/gang/plan.h"
#include "core/gang/planner.h"
#include "core/gang/pod_changes.h"
#include "core/gang/pods.h"
#include "core/gang/reason.h"
#include "core/gang/restore.h"
#include "core/gang/topology.h"
#include "core/gang/verbs.h"
#include "core/gang/wakes.h"

#include <string.h>
#include <utlist.h>

/* ---- wakes ---- */

static void wakes_due(struct skr_gang *e)
{
    while (e->n_wakes > 0 && e->wake[0].at <= e->now) {
        struct wake w = wakes_pop(e);
        struct group *g;
        struct pod_entry *p;
        struct map_entry *m;
        switch (w.kind) {
        case WAKE_GROUP:
            g = groups_find(e, w.key);
            if (g) {
                dirty_group(e, g);
            }
            break;
        case WAKE_POD:
            p = pods_find(e, w.key);
            if (p) {
                bind_calls_expire(e, p);
                dirty_pod(e, p);
            }
            break;
        case WAKE_MAP:
            m = maps_find(e, w.key);
            if (m) {
                dirty_map(e, m);
            }
            break;
        case WAKE_NODES:
            dirty_nodes(e);
            break;
        case WAKE_CHANGED:
            dirty_capacity(e);
            break;
        case WAKE_REPORT:
            dirty_plan(e);
            break;
        case WAKE_ASKERS: /* explain_request_settle() looks after every event */
        case WAKE_KIND_COUNT:
        default:
            break;
        }
        free(w.key);
    }
}

/* ---- what is dirty ---- */

static void settle_one_round(struct skr_gang *e)
{
    struct group *g = dirty_take_group(e);
    if (g) {
        lifecycle_evaluate(e, g);
        group_end_if_empty(e, g);
        return;
    }
    if (dirty_take_plan(e)) {
        planner_run(e);
        return;
    }
    struct map_entry *m = dirty_take_map(e);
    if (m) {
        object_writer_settle_map(e, m);
        return;
    }
    struct pod_entry *p = dirty_take_pod(e);
    if (p) {
        members_settle(e, p);
    }
}

static void settle(struct skr_gang *e)
{
    fit_cache_see_changes(e);
    if (!e->synced || !e->leader || e->stopped) {
        return;
    }
    for (;;) {
        topology_settle(e);
        dirty_see_freed(e);
        if (!dirty_any(e)) {
            break;
        }
        settle_one_round(e);
    }
    binding_pump(e);
}

static void ask_timer(struct skr_gang *e)
{
    skr_time at = e->n_wakes > 0 && !e->stopped ? e->wake[0].at : SKR_TIME_NEVER;
    if (at == e->timer) {
        return;
    }
    e->timer = at;
    out_timer(e, at);
}

/* ---- leadership, start, stop ---- */

static void touch_everything(struct skr_gang *e)
{
    struct group *g, *gtmp;
    HASH_ITER(hh, e->groups, g, gtmp)
    {
        membership_changed(g);
        dirty_group(e, g);
    }
    struct pod_entry *p, *ptmp;
    HASH_ITER(hh, e->pods, p, ptmp)
    {
        dirty_pod(e, p);
    }
    struct map_entry *m, *mtmp;
    HASH_ITER(hh, e->maps, m, mtmp)
    {
        dirty_map(e, m);
    }
    dirty_tree(e);
    dirty_nodes(e);
    dirty_plan(e);
}

/* Plans are restored before anything is decided: their room must be taken before others plan. */
static void start_deciding(struct skr_gang *e)
{
    struct group *g, *gtmp;
    topology_settle(e);
    HASH_ITER(hh, e->groups, g, gtmp)
    {
        restore_group(e, g);
    }
    touch_everything(e);
}

static void leader_lost(struct skr_gang *e)
{
    e->leader = false;
    bind_calls_answer_all(e, SKR_TEXT_NOT_LEADER);
    struct group *g, *gtmp;
    HASH_ITER(hh, e->groups, g, gtmp)
    {
        if (g->plan) {
            plan_destroy(e, g->plan);
        }
        restore_again(g);
        group_state_restore(g, GROUP_PENDING);
    }
}

/* ---- events ---- */

static void handle_object(struct skr_gang *e, struct skr_event *ev)
{
    switch (ev->kind) {
    case SKR_EVENT_NODE_UPSERT:
        node_changes_upsert(e, ev->node);
        break;
    case SKR_EVENT_NODE_DELETE:
        node_changes_delete(e, ev->name);
        break;
    case SKR_EVENT_POD_UPSERT:
        pod_changes_upsert(e, ev->pod);
        break;
    case SKR_EVENT_POD_DELETE:
        pod_changes_delete(e, ev->namespace_, ev->name, ev->uid);
        break;
    case SKR_EVENT_CONFIGMAP_UPSERT:
        maps_upsert(e, ev->configmap);
        break;
    case SKR_EVENT_CONFIGMAP_DELETE:
        maps_delete(e, ev->namespace_, ev->name);
        break;
    case SKR_EVENT_PODGROUP_UPSERT:
        maps_podgroup_upsert(e, ev->podgroup);
        break;
    case SKR_EVENT_PODGROUP_DELETE:
        maps_podgroup_delete(e, ev->namespace_, ev->name);
        break;
    case SKR_EVENT_SYNCED:
    case SKR_EVENT_FILTER:
    case SKR_EVENT_PRIORITIZE:
    case SKR_EVENT_PREEMPT:
    case SKR_EVENT_BIND:
    case SKR_EVENT_HANGUP:
    case SKR_EVENT_SOLVED:
    case SKR_EVENT_WRITE_DONE:
    case SKR_EVENT_TIMER:
    case SKR_EVENT_EXPLAIN:
    case SKR_EVENT_LEADER_WON:
    case SKR_EVENT_LEADER_LOST:
    case SKR_EVENT_SHUTDOWN:
    case SKR_EVENT_KIND_COUNT:
    default:
        skr_bug_on(true);
    }
}

static void write_done(struct skr_gang *e, struct skr_event *ev)
{
    struct pending_write *w = out_take_write(e, ev->write_done.write);
    switch (w->purpose) {
    case WRITE_FOR_MAP:
    case WRITE_FOR_PODGROUP:
        object_writer_done(e, w, ev);
        break;
    case WRITE_FOR_MEMBER:
    case WRITE_FOR_MEMBER_READ:
        members_write_done(e, w, ev);
        break;
    case WRITE_FOR_BINDING:
    case WRITE_FOR_BINDING_READ:
    case WRITE_FOR_ROLLBACK:
        binding_write_done(e, w, ev);
        break;
    case WRITE_FOR_EVENT:
    case WRITE_PURPOSE_COUNT:
    default:
        break;
    }
    skr_pod_destroy(ev->write_done.pod);
    skr_configmap_destroy(ev->write_done.configmap);
    skr_podgroup_destroy(ev->write_done.podgroup);
    pending_write_destroy(w);
}

static void dispatch(struct skr_gang *e, struct skr_event *ev)
{
    switch (ev->kind) {
    case SKR_EVENT_FILTER:
        verbs_filter(e, ev);
        break;
    case SKR_EVENT_PRIORITIZE:
        verbs_prioritize(e, ev);
        break;
    case SKR_EVENT_PREEMPT:
        verbs_preempt(e, ev);
        break;
    case SKR_EVENT_BIND:
        binding_asked(e, ev);
        break;
    case SKR_EVENT_HANGUP:
        bind_calls_hangup(e, ev->hangup.request);
        break;
    case SKR_EVENT_SOLVED:
        if (explain_request_solved(e, ev)) {
            break;
        }
        dirty_facts(e);
        planner_solved(e, ev);
        break;
    case SKR_EVENT_WRITE_DONE:
        dirty_facts(e);
        write_done(e, ev);
        break;
    case SKR_EVENT_EXPLAIN:
        explain_request_ask(e, ev);
        break;
    case SKR_EVENT_SYNCED:
        e->synced = true;
        if (e->leader) {
            start_deciding(e);
        }
        break;
    case SKR_EVENT_LEADER_WON:
        e->leader = true;
        if (e->synced) {
            start_deciding(e);
        }
        break;
    case SKR_EVENT_LEADER_LOST:
        leader_lost(e);
        break;
    case SKR_EVENT_SHUTDOWN:
        bind_calls_answer_all(e, SKR_TEXT_NOT_READY);
        e->stopped = true;
        break;
    case SKR_EVENT_TIMER:
        e->timer = SKR_TIME_NEVER;
        break;
    case SKR_EVENT_NODE_UPSERT:
    case SKR_EVENT_NODE_DELETE:
    case SKR_EVENT_POD_UPSERT:
    case SKR_EVENT_POD_DELETE:
    case SKR_EVENT_CONFIGMAP_UPSERT:
    case SKR_EVENT_CONFIGMAP_DELETE:
    case SKR_EVENT_PODGROUP_UPSERT:
    case SKR_EVENT_PODGROUP_DELETE:
        dirty_facts(e);
        handle_object(e, ev);
        break;
    case SKR_EVENT_KIND_COUNT:
    default:
        skr_bug_on(true);
    }
}

int skr_engine_handle(struct skr_gang *e, struct skr_event *event, skr_time now,
                      struct skr_actions *out)
{
    if (now > e->now) {
        e->now = now;
    }
    e->out = out;
    dispatch(e, event);
    if (!e->stopped) {
        wakes_due(e);
    }
    settle(e);
    explain_request_settle(e);
    ask_timer(e);
    names_sweep(e);
    e->out = NULL;
#ifdef SKR_DEBUG
    struct skr_error error;
    if (skr_engine_check(e, &error) < 0 || fit_cache_check(e, &error) < 0) {
        fprintf(stderr, "%s\n", error.text);
        skr_bug_on(true);
    }
#endif
    return 0;
}

/* ---- life ---- */

struct skr_gang *skr_engine_create(const struct skr_settings *settings)
{
    struct skr_gang *e = skr_alloc(sizeof *e);
    e->settings = *settings;
    e->leader = true;
    e->resources = skr_resource_names_create();
    skr_bug_on(!e->resources);
    e->ledger = skr_ledger_create(e->resources);
    planner_init(e);
    dirty_tree(e);
    e->timer = SKR_TIME_NEVER;
    e->next_id = 1;
    return e;
}

void skr_engine_destroy(struct skr_gang *e)
{
    if (!e) {
        return;
    }
    struct skr_actions unused; /* what taking the state apart would still want to be done */
    skr_actions_init(&unused);
    e->out = &unused;
    planner_fini(e);
    explain_request_fini(e);
    struct group *g, *gtmp;
    HASH_ITER(hh, e->groups, g, gtmp)
    {
        if (g->plan) {
            plan_destroy(e, g->plan);
        }
    }
    pod_changes_fini(e);
    maps_fini(e);
    fit_cache_fini(e);
    node_changes_fini(e);
    out_forget_writes(e);
    wakes_fini(e);
    topology_fini(e);
    skr_ledger_destroy(e->ledger);
    skr_resource_names_destroy(e->resources);
    names_fini(e);
    skr_actions_fini(&unused);
    free(e);
}
