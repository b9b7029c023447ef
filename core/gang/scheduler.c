/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The gang scheduler's row: how it handles each event, and the order in which dirty marks are
 * settled. The decisions are in lifecycle.h.
 */

#include "core/gang/scheduler.h"

#include "core/gang/admission/admission.h"
#include "core/gang/bind/binding.h"
#include "core/gang/bind/members.h"
#include "core/gang/bind/verbs.h"
#include "core/gang/cache/bookings.h"
#include "core/gang/cache/claim_objects.h"
#include "core/gang/cache/claim_users.h"
#include "core/gang/cache/device_classes.h"
#include "core/gang/cache/devices.h"
#include "core/gang/cache/dirty.h"
#include "core/gang/cache/ends.h"
#include "core/gang/cache/entry.h"
#include "core/gang/cache/fit_cache.h"
#include "core/gang/cache/names.h"
#include "core/gang/cache/names_sweep.h"
#include "core/gang/cache/ordinary.h"
#include "core/gang/cache/pods.h"
#include "core/gang/cache/spare.h"
#include "core/gang/cache/topology.h"
#include "core/gang/cache/vetoes.h"
#include "core/gang/cache/volume_uses.h"
#include "core/gang/cache/volumes.h"
#include "core/gang/cache/workload_owners.h"
#include "core/gang/changes/entries.h"
#include "core/gang/changes/group_end.h"
#include "core/gang/changes/group_objects.h"
#include "core/gang/changes/maps.h"
#include "core/gang/changes/native_conditions.h"
#include "core/gang/changes/node_changes.h"
#include "core/gang/changes/pod_changes.h"
#include "core/gang/changes/provisioning.h"
#include "core/gang/changes/rollback.h"
#include "core/gang/changes/status_map.h"
#include "core/gang/explain/explain_request.h"
#include "core/gang/explain/ways_out.h"
#include "core/gang/group/claims.h"
#include "core/gang/group/device_holds.h"
#include "core/gang/group/group_state.h"
#include "core/gang/group/group_table.h"
#include "core/gang/group/membership.h"
#include "core/gang/group/seat_holds.h"
#include "core/gang/group/solve_share.h"
#include "core/gang/kinds.h"
#include "core/gang/lifecycle.h"
#include "core/gang/plan/bind_calls.h"
#include "core/gang/plan/plan.h"
#include "core/gang/plan/scheduler_progress.h"
#include "core/gang/planning/planner.h"
#include "core/gang/planning/queue.h"
#include "core/gang/planning/replacing.h"
#include "core/gang/preempt/disruptions.h"
#include "core/gang/preempt/evictions.h"
#include "core/gang/problem/candidates.h"
#include "core/gang/problem/device_turns.h"
#include "core/gang/restore/restore.h"
#include "core/gang/state/output.h"
#include "core/gang/state/reason.h"
#include "core/gang/state/types.h"
#include "core/gang/state/wakes.h"
#include "core/gang/time/forecasts.h"
#include "core/gang/time/held.h"
#include "core/gang/time/moving.h"
#include "core/gang/time/rounds.h"
#include "core/gang/view/inspect.h"

/* ---- wakes ---- */

/* Other kinds wake what settle() and after() do after every event. */
static void wake(void *self, int kind, const char *key)
{
    struct skr_gang *e = self;
    const bool of_group = kind == WAKE_GROUP || kind == WAKE_WAYS;
    struct group *g = of_group ? skr_groups_find(e, key) : NULL;
    struct pod_entry *p = kind == WAKE_POD ? skr_pods_find(e, key) : NULL;
    struct map_entry *m = kind == WAKE_MAP ? skr_maps_find(e, key) : NULL;
    if (g && kind == WAKE_GROUP) {
        skr_dirty_group(e, g);
    } else if (g) {
        skr_ways_out_due(e, g);
    } else if (p) {
        skr_bind_calls_expire(e, p);
        skr_ordinary_expire(e, p);
        skr_claims_expire(e, p);
        skr_dirty_pod(e, p);
    } else if (m) {
        skr_dirty_map(e, m);
    } else if (kind == WAKE_NODES) {
        skr_dirty_nodes(e);
    } else if (kind == WAKE_CHANGED) {
        skr_vetoes_expire(e);
        skr_dirty_capacity(e);
    } else if (kind == WAKE_REPORT) {
        skr_candidates_wake(e);
        skr_dirty_plan(e);
    }
}

/* ---- what is dirty ---- */

/* Members that one event settles, some microseconds each, during which calls of kube-scheduler
 * wait. Members of a large group are nominated over several events. */
enum { MEMBERS_AT_ONCE = 1000 };

static void settle_one_round(struct skr_gang *e)
{
    struct group *g = skr_dirty_take_group(e);
    if (g) {
        skr_lifecycle_evaluate(e, g);
        skr_group_end_if_empty(e, g);
        return;
    }
    if (skr_dirty_take_plan(e)) {
        skr_planner_run(e);
        return;
    }
    struct map_entry *m = skr_dirty_take_map(e);
    if (m) {
        skr_group_objects_settle_map(e, m);
        return;
    }
    struct pod_entry *p = skr_dirty_take_pod(e);
    if (p) {
        skr_members_settle(e, p);
        skr_pods_rest(e, p);
        e->n_settled++;
    }
}

static bool settle(void *self)
{
    struct skr_gang *e = self;
    skr_topology_settle(e);
    skr_fit_cache_see_changes(e);
    skr_dirty_see_freed(e);
    if (!skr_dirty_any(e) && !skr_device_turns_run(e)) {
        skr_binding_pump(e);
        return false;
    }
    if (e->n_settled >= MEMBERS_AT_ONCE && skr_dirty_only_pods(e)) {
        skr_wakes_add(e, skr_frame_now(e->frame), WAKE_MEMBERS, NULL);
        return false;
    }
    settle_one_round(e);
    return true;
}

static void before(void *self)
{
    struct skr_gang *e = self;
    e->n_settled = 0;
    skr_device_turns_begin(e);
    skr_fit_cache_see_changes(e);
}

static void after(void *self)
{
    skr_queue_see_less_room(self);
    skr_explain_request_settle(self);
    skr_admission_run(self);
    skr_names_sweep(self);
    skr_rounds_review(self);
    skr_moving_review(self);
    if (skr_forecasts_review(self)) {
        skr_explain_request_settle(self);
    }
}

/* ---- its turn ---- */

static void touch_everything(struct skr_gang *e)
{
    struct group *g, *gtmp;
    HASH_ITER(hh, e->groups, g, gtmp)
    {
        skr_membership_changed(g);
        skr_dirty_group(e, g);
    }
    struct pod_entry *p;
    for (size_t at = 0; (p = skr_pods_next(e, &at));) {
        skr_dirty_pod(e, p);
    }
    struct map_entry *m, *mtmp;
    HASH_ITER(hh, e->maps, m, mtmp)
    {
        skr_dirty_map(e, m);
    }
    skr_dirty_tree(e);
    skr_dirty_nodes(e);
    skr_dirty_plan(e);
}

/* Plans are restored before any decision: their room must be charged before others plan. */
static void begin(void *self)
{
    struct skr_gang *e = self;
    struct group *g, *gtmp;
    skr_topology_settle(e);
    skr_device_holds_begin(e);
    skr_restore_begins(e);
    HASH_ITER(hh, e->groups, g, gtmp)
    {
        skr_restore_object(e, g);
    }
    HASH_ITER(hh, e->groups, g, gtmp)
    {
        skr_restore_group(e, g);
    }
    touch_everything(e);
    skr_rounds_begin(e);
}

static void lost(struct skr_gang *e)
{
    skr_bind_calls_answer_all(e, SKR_TEXT_NOT_LEADER);
    struct group *g, *gtmp;
    HASH_ITER(hh, e->groups, g, gtmp)
    {
        if (g->plan) {
            skr_plan_destroy(e, g->plan);
        }
        skr_seat_holds_end(e, g);
        skr_provisioning_forget(e, g);
        skr_restore_again(g);
        skr_group_state_restore(g, GROUP_PENDING);
    }
    skr_replacing_end(e);
    skr_moving_end(e);
    skr_claims_let_go_of_all(e);
    skr_admission_stop(e);
    skr_rounds_end(e);
    skr_forecasts_end(e);
}

static void end(void *self, enum skr_end why)
{
    if (why == SKR_END_LEADER_LOST) {
        lost(self);
    } else {
        skr_bind_calls_answer_all(self, SKR_TEXT_NOT_READY);
    }
}

/* ---- events ---- */

static void object(void *self, struct skr_event *ev)
{
    struct skr_gang *e = self;
    const bool deleted = ev->kind == SKR_EVENT_DELETE;
    const struct skr_gang_kind *kind =
        skr_gang_kind_of(deleted ? ev->deleted.type : ev->upsert.type);
    skr_dirty_facts(e);
    if (deleted) {
        kind->gone(e, ev);
    } else if (!kind->of_devices ||
               !e->settings.devices_off) { /* else the event keeps the object */
        kind->put(e, kind->type, skr_event_take_object(ev));
    }
}

static void listed(void *self, const struct skr_object_type *type)
{
    skr_dirty_facts(self);
    skr_entries_owner_listed(self, type);
}

static void forbidden(void *self, const struct skr_object_type *type, bool is)
{
    const struct skr_gang_kind *kind = skr_gang_kind_of(type);
    if (kind->forbidden) {
        kind->forbidden(self, type, is);
    }
}

static void request(void *self, const struct skr_event *ev)
{
    struct skr_gang *e = self;
    if (ev->kind == SKR_EVENT_HANGUP && ev->request.id == 0) {
        skr_scheduler_progress_restarted(e);
        return;
    }
    if (ev->kind == SKR_EVENT_HANGUP) {
        skr_bind_calls_hangup(e, ev->request.id);
        return;
    }
    switch ((enum skr_gang_verb)ev->request.verb) {
    case SKR_GANG_FILTER:
        skr_verbs_filter(e, ev);
        break;
    case SKR_GANG_PRIORITIZE:
        skr_verbs_prioritize(e, ev);
        break;
    case SKR_GANG_PREEMPT:
        skr_verbs_preempt(e, ev);
        break;
    case SKR_GANG_BIND:
        skr_binding_asked(e, ev->request.id, ev->request.body);
        break;
    case SKR_GANG_EXPLAIN:
        skr_explain_request_ask(e, ev->request.id, ev->request.body);
        break;
    case SKR_GANG_SERVER_IS:
        e->settings.server_minor = *(const int32_t *)ev->request.body;
        skr_device_classes_judge(e);
        skr_devices_judge(e);
        break;
    case SKR_GANG_VERB_COUNT:
    default:
        skr_bug_on(true);
    }
}

static void (*const done[])(struct skr_gang *, const struct skr_pending_write *,
                            struct skr_event *) = {
    [WRITE_FOR_MAP] = skr_group_objects_done,
    [WRITE_FOR_PODGROUP] = skr_group_objects_done,
    [WRITE_FOR_CONDITIONS] = skr_native_conditions_done,
    [WRITE_FOR_MEMBER] = skr_members_write_done,
    [WRITE_FOR_MEMBER_READ] = skr_members_write_done,
    [WRITE_FOR_EVICTION] = skr_evictions_done,
    [WRITE_FOR_WORD] = skr_held_done,
    [WRITE_FOR_BINDING] = skr_binding_write_done,
    [WRITE_FOR_BINDING_READ] = skr_binding_write_done,
    [WRITE_FOR_STATUS_MAP] = skr_status_map_done,
    [WRITE_FOR_PROVISIONING] = skr_provisioning_done,
    [WRITE_FOR_CLAIM] = skr_device_holds_written,
    [WRITE_FOR_ADMISSION] = skr_admission_written,
    [WRITE_FOR_ROLLBACK] = skr_rollback_write_done,
};
_Static_assert(sizeof done / sizeof done[0] == WRITE_PURPOSE_COUNT, "one a purpose");

static void written(void *self, const struct skr_pending_write *w, struct skr_event *ev)
{
    skr_dirty_facts(self);
    done[w->purpose](self, w, ev);
}

static void worked(void *self, struct skr_work *work)
{
    struct skr_gang *e = self;
    const struct skr_solve_request *solved = skr_solve_request_of(work);
    if (!skr_explain_request_solved(e, solved) && !skr_admission_solved(e, solved) &&
        !skr_forecasts_done(e, solved) && !skr_moving_done(e, solved) &&
        !skr_rounds_done(e, solved) && !skr_replacing_done(e, solved)) {
        skr_dirty_facts(e);
        skr_planner_solved(e, solved);
    }
}

/* ---- create and destroy ---- */

static void *create(struct skr_frame *frame, const void *settings)
{
    struct skr_gang *e = skr_alloc(sizeof *e);
    e->frame = frame;
    skr_seen_init(&e->seen);
    e->settings = *(const struct skr_settings *)settings;
    e->settings.ends_of_all = e->settings.on_paper || (e->settings.reservations > 0 &&
                                                       e->settings.patience != SKR_TIME_NEVER);
    e->resources = skr_resource_names_create();
    skr_bug_on(!e->resources);
    e->ledger = skr_ledger_create(e->resources);
    skr_devices_init(e);
    skr_planner_init(e);
    skr_dirty_tree(e);
    return e;
}

static void destroy(void *self)
{
    struct skr_gang *e = self;
    skr_planner_fini(e);
    skr_replacing_end(e);
    skr_moving_end(e);
    skr_solve_share_fini(e);
    skr_explain_request_fini(e);
    skr_admission_fini(e);
    skr_device_holds_fini(e);
    struct group *g, *gtmp;
    HASH_ITER(hh, e->groups, g, gtmp)
    {
        if (g->plan) {
            skr_plan_destroy(e, g->plan);
        }
    }
    skr_booked_fini(e);
    skr_pod_changes_fini(e);
    skr_maps_fini(e);
    skr_workload_owners_fini(e);
    skr_entry_fini(e);
    skr_disruptions_fini(e);
    skr_claim_objects_fini(e);
    skr_claim_users_fini(e);
    skr_volumes_fini(e);
    skr_volume_uses_fini(e);
    skr_fit_cache_fini(e);
    skr_spare_fini(e);
    skr_devices_fini(e);
    skr_ends_fini(e);
    skr_node_changes_fini(e);
    skr_topology_fini(e);
    skr_ledger_destroy(e->ledger);
    skr_resource_names_destroy(e->resources);
    skr_names_fini(e);
    free(e->releases);
    free(e);
}

static int check(const void *self, struct skr_error *error)
{
    const struct skr_gang *e = self;
    int rc = skr_gang_check(e, error);
#ifdef SKR_DEBUG
    /* Comparing may refresh the caches. */
    rc = rc < 0 ? rc : skr_fit_cache_check((struct skr_gang *)(uintptr_t)e, error);
    rc = rc < 0 ? rc : skr_queue_check((struct skr_gang *)(uintptr_t)e, error);
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
    .listed = listed,
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
