/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The engine's front: one event in, the caches change, then settle() compares what should be with
 * what is until nothing is dirty, and the actions say what the shell has to do.
 *
 * Limits: settle() does not write before the first lists are complete, without leadership, or after
 * shutdown; the caches are kept up to date all the same.
 */
#include "core/gang/state.h"

#include <string.h>
#include <utlist.h>

/* ---- wakes ---- */

static void wakes_due(struct skr_engine *e)
{
    while (e->n_wakes > 0 && e->wake[0].at <= e->now) {
        struct wake w = wakes_pop(e);
        struct group *g;
        struct pod_entry *p;
        struct map_entry *m = NULL;
        switch (w.kind) {
        case WAKE_GROUP:
            g = groups_find(e, w.key);
            if (g) {
                engine_touch_group(e, g);
            }
            break;
        case WAKE_POD:
            p = pods_find(e, w.key);
            if (p) {
                binding_expire(e, p);
                engine_touch_pod(e, p);
            }
            break;
        case WAKE_MAP:
            HASH_FIND_STR(e->maps, w.key, m);
            if (m) {
                engine_touch_map(e, m);
            }
            break;
        case WAKE_NODES:
            e->nodes_dirty = true;
            break;
        case WAKE_CHANGED:
            engine_changed(e);
            break;
        case WAKE_TELL:
            e->plan_wanted = true;
            break;
        case WAKE_ASKERS: /* inquiry_settle() looks after every event */
        case WAKE_KIND_COUNT:
        default:
            break;
        }
        free(w.key);
    }
}

/* ---- what is dirty ---- */

static void settle_one_round(struct skr_engine *e)
{
    if (e->dirty_groups) {
        struct group *g = e->dirty_groups;
        DL_DELETE2(e->dirty_groups, g, dprev, dnext);
        g->dirty = false;
        lifecycle_evaluate(e, g);
        groups_release_if_empty(e, g);
    } else if (e->plan_wanted) {
        e->plan_wanted = false;
        planner_run(e);
    } else if (e->dirty_maps) {
        struct map_entry *m = e->dirty_maps;
        DL_DELETE2(e->dirty_maps, m, dprev, dnext);
        m->dirty = false;
        sink_settle_map(e, m);
    } else if (e->dirty_pods) {
        struct pod_entry *p = e->dirty_pods;
        DL_DELETE2(e->dirty_pods, p, dprev, dnext);
        p->dirty = false;
        members_settle(e, p);
    }
}

static void settle(struct skr_engine *e)
{
    kept_see_changes(e);
    if (!e->synced || !e->leader || e->stopped) {
        return;
    }
    for (;;) {
        if (e->tree_dirty || e->nodes_dirty) {
            topology_settle(e);
        }
        uint64_t freed = skr_ledger_freed_epoch(e->ledger);
        if (freed != e->ledger_epoch_seen) {
            e->ledger_epoch_seen = freed;
            engine_changed(e);
        }
        if (!e->dirty_groups && !e->plan_wanted && !e->dirty_maps && !e->dirty_pods) {
            break;
        }
        settle_one_round(e);
    }
    binding_pump(e);
}

static void ask_timer(struct skr_engine *e)
{
    skr_time at = e->n_wakes > 0 && !e->stopped ? e->wake[0].at : SKR_TIME_NEVER;
    if (at == e->timer) {
        return;
    }
    e->timer = at;
    skr_grow(&e->out->item, &e->out->cap, e->out->n + 1, sizeof *e->out->item);
    e->out->item[e->out->n++] = (struct skr_action){.kind = SKR_ACTION_TIMER, .timer = at};
}

/* ---- leadership, start, stop ---- */

static void answer_all_parked(struct skr_engine *e, const char *text)
{
    struct pod_entry *p, *tmp;
    HASH_ITER(hh, e->pods, p, tmp)
    {
        if (p->parked) {
            binding_answer(e, p, SKR_ANSWER_ERROR, text);
        }
        p->voted = false;
    }
}

static void touch_everything(struct skr_engine *e)
{
    struct group *g, *gtmp;
    HASH_ITER(hh, e->groups, g, gtmp)
    {
        g->seats_dirty = true;
        engine_touch_group(e, g);
    }
    struct pod_entry *p, *ptmp;
    HASH_ITER(hh, e->pods, p, ptmp)
    {
        engine_touch_pod(e, p);
    }
    struct map_entry *m, *mtmp;
    HASH_ITER(hh, e->maps, m, mtmp)
    {
        engine_touch_map(e, m);
    }
    e->tree_dirty = e->nodes_dirty = e->plan_wanted = true;
}

/* Plans are restored before anything is decided: their room must be taken before others plan. */
static void start_deciding(struct skr_engine *e)
{
    struct group *g, *gtmp;
    topology_settle(e);
    HASH_ITER(hh, e->groups, g, gtmp)
    {
        if (!g->restored) {
            restore_group(e, g);
        }
    }
    touch_everything(e);
}

static void leader_lost(struct skr_engine *e)
{
    e->leader = false;
    answer_all_parked(e, SKR_TEXT_NOT_LEADER);
    struct group *g, *gtmp;
    HASH_ITER(hh, e->groups, g, gtmp)
    {
        if (g->plan) {
            plan_destroy(e, g->plan);
        }
        g->restored = false;
        g->state = GROUP_PENDING;
    }
}

/* ---- events ---- */

static void handle_object(struct skr_engine *e, struct skr_event *ev)
{
    switch (ev->kind) {
    case SKR_EVENT_NODE_UPSERT:
        nodes_upsert(e, ev->node);
        break;
    case SKR_EVENT_NODE_DELETE:
        nodes_delete(e, ev->name);
        break;
    case SKR_EVENT_POD_UPSERT:
        pods_upsert(e, ev->pod);
        break;
    case SKR_EVENT_POD_DELETE:
        pods_delete(e, ev->namespace_, ev->name, ev->uid);
        break;
    case SKR_EVENT_CONFIGMAP_UPSERT:
        sources_configmap_upsert(e, ev->configmap);
        break;
    case SKR_EVENT_CONFIGMAP_DELETE:
        sources_configmap_delete(e, ev->namespace_, ev->name);
        break;
    case SKR_EVENT_PODGROUP_UPSERT:
        sources_podgroup_upsert(e, ev->podgroup);
        break;
    case SKR_EVENT_PODGROUP_DELETE:
        sources_podgroup_delete(e, ev->namespace_, ev->name);
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

static void write_done(struct skr_engine *e, struct skr_event *ev)
{
    struct pending_write *w;
    HASH_FIND(hh, e->writes, &ev->write_done.write, sizeof ev->write_done.write, w);
    skr_bug_on(!w);
    HASH_DEL(e->writes, w);
    switch (w->purpose) {
    case WRITE_FOR_SINK_MAP:
    case WRITE_FOR_SINK_PODGROUP:
        sink_write_done(e, w, ev);
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

static void dispatch(struct skr_engine *e, struct skr_event *ev)
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
        binding_hangup(e, ev->hangup.request);
        break;
    case SKR_EVENT_SOLVED:
        if (inquiry_solved(e, ev)) {
            break;
        }
        e->facts++;
        planner_solved(e, ev);
        break;
    case SKR_EVENT_WRITE_DONE:
        e->facts++;
        write_done(e, ev);
        break;
    case SKR_EVENT_EXPLAIN:
        inquiry_ask(e, ev);
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
        answer_all_parked(e, SKR_TEXT_NOT_READY);
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
        e->facts++;
        handle_object(e, ev);
        break;
    case SKR_EVENT_KIND_COUNT:
    default:
        skr_bug_on(true);
    }
}

int skr_engine_handle(struct skr_engine *e, struct skr_event *event, skr_time now,
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
    inquiry_settle(e);
    ask_timer(e);
    e->out = NULL;
#ifdef SKR_DEBUG
    struct skr_error error;
    if (skr_engine_check(e, &error) < 0 || kept_check(e, &error) < 0) {
        fprintf(stderr, "%s\n", error.text);
        skr_bug_on(true);
    }
#endif
    return 0;
}

/* ---- life ---- */

struct skr_engine *skr_engine_create(const struct skr_settings *settings)
{
    struct skr_engine *e = skr_alloc(sizeof *e);
    e->settings = *settings;
    e->leader = true;
    e->resources = skr_resource_names_create();
    skr_bug_on(!e->resources);
    e->ledger = skr_ledger_create(e->resources);
    e->tree_dirty = true;
    e->timer = SKR_TIME_NEVER;
    e->next_id = 1;
    return e;
}

void skr_engine_destroy(struct skr_engine *e)
{
    if (!e) {
        return;
    }
    struct skr_actions unused; /* what taking the state apart would still want to be done */
    skr_actions_init(&unused);
    e->out = &unused;
    planner_fini(e);
    inquiry_fini(e);
    struct group *g, *gtmp;
    HASH_ITER(hh, e->groups, g, gtmp)
    {
        if (g->plan) {
            plan_destroy(e, g->plan);
        }
    }
    pods_fini(e);
    sources_fini(e);
    kept_fini(e);
    nodes_fini(e);
    struct pending_write *w, *wtmp;
    HASH_ITER(hh, e->writes, w, wtmp)
    {
        HASH_DEL(e->writes, w);
        pending_write_destroy(w);
    }
    for (size_t i = 0; i < e->n_wakes; i++) {
        free(e->wake[i].key);
    }
    free(e->wake);
    skr_tree_unref(e->tree);
    free(e->leaf_node);
    free(e->active_key);
    skr_ledger_destroy(e->ledger);
    skr_resource_names_destroy(e->resources);
    struct interned_name *n, *ntmp;
    HASH_ITER(hh, e->names, n, ntmp)
    {
        HASH_DEL(e->names, n);
        free(n);
    }
    skr_actions_fini(&unused);
    free(e);
}
