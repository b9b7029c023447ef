/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The row: what the gang scheduler does with each event, and the order in which what is dirty is
 * settled. lifecycle.h is the spine of what is decided.
 */
#include "core/gang/scheduler.h"

#include "core/gang/bind_calls.h"
#include "core/gang/binding.h"
#include "core/gang/candidates.h"
#include "core/gang/device_classes.h"
#include "core/gang/dirty.h"
#include "core/gang/disruptions.h"
#include "core/gang/evictions.h"
#include "core/gang/explain_request.h"
#include "core/gang/fit_cache.h"
#include "core/gang/group_end.h"
#include "core/gang/group_objects.h"
#include "core/gang/group_state.h"
#include "core/gang/group_table.h"
#include "core/gang/inspect.h"
#include "core/gang/lifecycle.h"
#include "core/gang/maps.h"
#include "core/gang/members.h"
#include "core/gang/membership.h"
#include "core/gang/names.h"
#include "core/gang/names_sweep.h"
#include "core/gang/node_changes.h"
#include "core/gang/output.h"
#include "core/gang/plan.h"
#include "core/gang/planner.h"
#include "core/gang/pod_changes.h"
#include "core/gang/pods.h"
#include "core/gang/queue.h"
#include "core/gang/reason.h"
#include "core/gang/restore.h"
#include "core/gang/rollback.h"
#include "core/gang/seat_holds.h"
#include "core/gang/solve_share.h"
#include "core/gang/topology.h"
#include "core/gang/types.h"
#include "core/gang/verbs.h"
#include "core/gang/wakes.h"

/* ---- wakes ---- */

static void wake(void *self, int kind, const char *key)
{
    struct skr_gang *e = self;
    struct group *g;
    struct pod_entry *p;
    struct map_entry *m;
    switch ((enum wake_kind)kind) {
    case WAKE_GROUP:
        g = groups_find(e, key);
        if (g) {
            dirty_group(e, g);
        }
        break;
    case WAKE_POD:
        p = pods_find(e, key);
        if (p) {
            bind_calls_expire(e, p);
            dirty_pod(e, p);
        }
        break;
    case WAKE_MAP:
        m = maps_find(e, key);
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
        candidates_wake(e);
        dirty_plan(e);
        break;
    case WAKE_ASKERS:  /* explain_request_settle() looks after every event */
    case WAKE_MEMBERS: /* settle() goes on */
    case WAKE_KIND_COUNT:
    default:
        break;
    }
}

/* ---- what is dirty ---- */

/* Members that one event looks at, each for some microseconds, which calls of kube-scheduler wait for: those of a
 * large group are nominated over several. */
enum { MEMBERS_AT_ONCE = 1000 };

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
        group_objects_settle_map(e, m);
        return;
    }
    struct pod_entry *p = dirty_take_pod(e);
    if (p) {
        members_settle(e, p);
        pods_rest(e, p);
        e->n_settled++;
    }
}

static bool settle(void *self)
{
    struct skr_gang *e = self;
    topology_settle(e);
    dirty_see_freed(e);
    if (!dirty_any(e)) {
        binding_pump(e);
        return false;
    }
    if (e->n_settled >= MEMBERS_AT_ONCE && dirty_only_pods(e)) {
        wakes_add(e, skr_frame_now(e->frame), WAKE_MEMBERS, NULL);
        return false;
    }
    settle_one_round(e);
    return true;
}

static void before(void *self)
{
    struct skr_gang *e = self;
    e->n_settled = 0;
    fit_cache_see_changes(e);
}

static void after(void *self)
{
    queue_see_less_room(self);
    explain_request_settle(self);
    names_sweep(self);
}

/* ---- its turn ---- */

static void touch_everything(struct skr_gang *e)
{
    struct group *g, *gtmp;
    HASH_ITER(hh, e->groups, g, gtmp)
    {
        membership_changed(g);
        dirty_group(e, g);
    }
    struct pod_entry *p;
    for (size_t at = 0; (p = pods_next(e, &at));) {
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
static void begin(void *self)
{
    struct skr_gang *e = self;
    struct group *g, *gtmp;
    topology_settle(e);
    restore_begins(e);
    HASH_ITER(hh, e->groups, g, gtmp)
    {
        restore_object(e, g);
    }
    HASH_ITER(hh, e->groups, g, gtmp)
    {
        restore_group(e, g);
    }
    touch_everything(e);
}

static void lost(struct skr_gang *e)
{
    bind_calls_answer_all(e, SKR_TEXT_NOT_LEADER);
    struct group *g, *gtmp;
    HASH_ITER(hh, e->groups, g, gtmp)
    {
        if (g->plan) {
            plan_destroy(e, g->plan);
        }
        seat_holds_end(e, g);
        restore_again(g);
        group_state_restore(g, GROUP_PENDING);
    }
}

static void end(void *self, enum skr_end why)
{
    if (why == SKR_END_LEADER_LOST) {
        lost(self);
    } else {
        bind_calls_answer_all(self, SKR_TEXT_NOT_READY);
    }
}

/* ---- events ---- */

static void gone(struct skr_gang *e, const struct skr_event *ev)
{
    const struct skr_object_type *type = ev->deleted.type;
    if (type == &skr_gang_node) {
        node_changes_delete(e, ev->deleted.name);
    } else if (type == &skr_gang_pod) {
        pod_changes_delete(e, ev->deleted.namespace_, ev->deleted.name, ev->deleted.uid);
    } else if (type == &skr_gang_configmap) {
        maps_delete(e, ev->deleted.namespace_, ev->deleted.name);
    } else if (type == &skr_gang_budget) {
        disruptions_delete(e, ev->deleted.namespace_, ev->deleted.name);
    } else if (type == &skr_gang_class) {
        device_classes_delete(e, ev->deleted.name);
    } else {
        maps_podgroup_delete(e, ev->deleted.namespace_, ev->deleted.name);
    }
}

static void object(void *self, struct skr_event *ev)
{
    struct skr_gang *e = self;
    dirty_facts(e);
    if (ev->kind == SKR_EVENT_DELETE) {
        gone(e, ev);
        return;
    }
    const struct skr_object_type *type = ev->upsert.type;
    void *taken = skr_event_take_object(ev);
    if (type == &skr_gang_node) {
        node_changes_upsert(e, taken);
    } else if (type == &skr_gang_pod) {
        pod_changes_seen(e, taken);
    } else if (type == &skr_gang_configmap) {
        maps_upsert(e, taken);
    } else if (type == &skr_gang_budget) {
        disruptions_upsert(e, taken);
    } else if (type == &skr_gang_class) {
        device_classes_upsert(e, taken);
    } else {
        maps_podgroup_upsert(e, taken);
    }
}

static void forbidden(void *self, const struct skr_object_type *type, bool is)
{
    struct skr_gang *e = self;
    skr_bug_on(type != &skr_gang_class);
    e->classes_forbidden = is;
    device_classes_judge(e);
}

static void request(void *self, const struct skr_event *ev)
{
    struct skr_gang *e = self;
    if (ev->kind == SKR_EVENT_HANGUP) {
        bind_calls_hangup(e, ev->request.id);
        return;
    }
    switch ((enum skr_gang_verb)ev->request.verb) {
    case SKR_GANG_FILTER:
        verbs_filter(e, ev);
        break;
    case SKR_GANG_PRIORITIZE:
        verbs_prioritize(e, ev);
        break;
    case SKR_GANG_PREEMPT:
        verbs_preempt(e, ev);
        break;
    case SKR_GANG_BIND:
        binding_asked(e, ev->request.id, ev->request.body);
        break;
    case SKR_GANG_EXPLAIN:
        explain_request_ask(e, ev->request.id, ev->request.body);
        break;
    case SKR_GANG_SERVER_IS:
        e->settings.server_minor = *(const int32_t *)ev->request.body;
        device_classes_judge(e);
        break;
    case SKR_GANG_VERB_COUNT:
    default:
        skr_bug_on(true);
    }
}

static void written(void *self, const struct skr_pending_write *w, struct skr_event *ev)
{
    struct skr_gang *e = self;
    dirty_facts(e);
    switch ((enum write_purpose)w->purpose) {
    case WRITE_FOR_MAP:
    case WRITE_FOR_PODGROUP:
        group_objects_done(e, w, ev);
        break;
    case WRITE_FOR_MEMBER:
    case WRITE_FOR_MEMBER_READ:
        members_write_done(e, w, ev);
        break;
    case WRITE_FOR_EVICTION:
        evictions_done(e, w, ev);
        break;
    case WRITE_FOR_BINDING:
    case WRITE_FOR_BINDING_READ:
        binding_write_done(e, w, ev);
        break;
    case WRITE_FOR_ROLLBACK:
        rollback_write_done(e, w, ev);
        break;
    case WRITE_PURPOSE_COUNT:
    default:
        skr_bug_on(true);
    }
}

static void worked(void *self, struct skr_work *work)
{
    struct skr_gang *e = self;
    const struct skr_solve_request *solved = skr_solve_request_of(work);
    if (!explain_request_solved(e, solved)) {
        dirty_facts(e);
        planner_solved(e, solved);
    }
}

/* ---- life ---- */

static void *create(struct skr_frame *frame, const void *settings)
{
    struct skr_gang *e = skr_alloc(sizeof *e);
    e->frame = frame;
    e->settings = *(const struct skr_settings *)settings;
    e->resources = skr_resource_names_create();
    skr_bug_on(!e->resources);
    e->ledger = skr_ledger_create(e->resources);
    planner_init(e);
    dirty_tree(e);
    return e;
}

static void destroy(void *self)
{
    struct skr_gang *e = self;
    planner_fini(e);
    solve_share_fini(e);
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
    disruptions_fini(e);
    fit_cache_fini(e);
    node_changes_fini(e);
    topology_fini(e);
    skr_ledger_destroy(e->ledger);
    skr_resource_names_destroy(e->resources);
    names_fini(e);
    free(e);
}

static int check(const void *self, struct skr_error *error)
{
    const struct skr_gang *e = self;
    int rc = gang_check(e, error);
#ifdef SKR_DEBUG
    /* The caches are compared, and may be brought up to date for that. */
    rc = rc < 0 ? rc : fit_cache_check((struct skr_gang *)(uintptr_t)e, error);
    rc = rc < 0 ? rc : queue_check((struct skr_gang *)(uintptr_t)e, error);
#endif
    return rc;
}

const struct skr_scheduler skr_gang_scheduler = {
    .name = "gang",
    .watch = skr_gang_watch,
    .n_watches = SKR_GANG_WATCHES,
    .work = &skr_solve_work,
    .create = create,
    .destroy = destroy,
    .object = object,
    .forbidden = forbidden,
    .request = request,
    .written = written,
    .worked = worked,
    .wake = wake,
    .begin = begin,
    .end = end,
    .before = before,
    .after = after,
    .settle = settle,
    .check = check,
};
