/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Evicts single pods.
 *
 * Uses policy/v1 Eviction with the UID as a precondition. It never hits a new pod of the same name,
 * so a request of unknown outcome is repeated. 429 means that a PodDisruptionBudget has no room:
 * retried after the delay it names, or after 1 s doubling to 30 s. With preemptForceAfter, a pod
 * that a budget has blocked for that long is deleted, with the same precondition. Its condition
 * DisruptionTarget is set first, as an eviction does, so that a Job's podFailurePolicy can tell it
 * from a failure. An eviction that is forbidden ends the preemption.
 */
#include "core/gang/preempt/evictions.h"

#include "core/frame/object_writer.h"
#include "core/gang/cache/dirty.h"
#include "core/gang/cache/pods.h"
#include "core/gang/changes/plan_loss.h"
#include "core/gang/changes/pod_changes.h"
#include "core/gang/group/group_table.h"
#include "core/gang/group/seat_holds.h"
#include "core/gang/report/status.h"
#include "core/gang/state/plan_entry.h"
#include "core/gang/state/wakes.h"

#include <string.h>

#include "topology/base/json_writer.h"

enum {
    RETRY_FIRST_S = 1,
    RETRY_LAST_S = 30,
    SEEN_S = 60,    /* a granted eviction shows in the watch by then */
    REFUSED_S = 30, /* after a forbidden eviction there is no other, and no search for victims */
};

static void write_body(struct skr_strbuf *body, const struct pod_entry *p, bool force)
{
    struct skr_json_writer w = {.out = body};
    skr_json_open(&w, NULL, '{');
    skr_json_string(&w, "apiVersion", force ? "v1" : "policy/v1");
    skr_json_string(&w, "kind", force ? "DeleteOptions" : "Eviction");
    if (!force) {
        skr_json_open(&w, "metadata", '{');
        skr_json_string(&w, "namespace", p->pod->meta.namespace_);
        skr_json_string(&w, "name", p->pod->meta.name);
        skr_json_close(&w, '}');
        skr_json_open(&w, "deleteOptions", '{');
    }
    skr_json_open(&w, "preconditions", '{');
    skr_json_string(&w, "uid", p->uid);
    skr_json_close(&w, '}');
    if (!force) {
        skr_json_close(&w, '}');
    }
    skr_json_close(&w, '}');
}

static void write_mark(struct skr_strbuf *body, const struct pod_entry *p,
                       const struct group *preemptor)
{
    struct skr_json_writer w = {.out = body};
    char text[400];
    snprintf(text, sizeof text, "sakkara: deleted to make room for group %.300s", preemptor->key);
    skr_json_open(&w, NULL, '{');
    skr_json_open(&w, "metadata", '{');
    skr_json_string(&w, "uid", p->uid);
    skr_object_close_patch_with(
        &w, &(struct skr_object_condition){
                .type = "DisruptionTarget", .reason = "PreemptionByScheduler", .message = text});
}

static uint64_t order_of(const struct group *preemptor)
{
    return preemptor->plan ? preemptor->plan->order : 0;
}

static void mark(struct skr_gang *e, struct pod_entry *p, const struct group *preemptor)
{
    SKR_STRBUF(body);
    write_mark(&body, p, preemptor);
    skr_pods_work(p)->evict.write =
        skr_out_write(e, SKR_WRITE_MARK_POD, SKR_WRITE_CLASS_EVICT, order_of(preemptor),
                      &p->pod->meta, &body, WRITE_FOR_EVICTION, p->uid)
            ->id;
    skr_pods_work(p)->evict.force = FORCE_MARKING;
}

/* It leaves for a seat of its own group: core/gang/preempt/arranged.h. */
static bool is_replaced(const struct pod_entry *p)
{
    return p->group && p->work->evict.by && strcmp(p->work->evict.by, p->group->key) == 0;
}

/* The group of the pod stays bound without it. */
static bool is_follower(const struct pod_entry *p)
{
    return p->group && p->group->spec && !p->group->victim.leaving &&
           p->group->state != GROUP_EVICTED && !is_replaced(p);
}

/* A group that gives members does not grow from now on: the pod may be gone before the answer is there. */
static void send(struct skr_gang *e, struct pod_entry *p, const struct group *preemptor, bool force)
{
    SKR_STRBUF(body);
    if (is_follower(p)) {
        p->group->gave_at = skr_frame_now(e->frame);
    }
    write_body(&body, p, force);
    struct skr_pending_write *w =
        skr_out_write(e, force ? SKR_WRITE_DELETE_POD : SKR_WRITE_EVICT, SKR_WRITE_CLASS_EVICT,
                      order_of(preemptor), &p->pod->meta, &body, WRITE_FOR_EVICTION, p->uid);
    skr_pods_work(p)->evict.write = w->id;
}

static void leave_for(struct skr_gang *e, struct pod_entry *p, const struct group *preemptor)
{
    skr_pods_forget_eviction(e, p);
    skr_pods_work(p)->evict.by = skr_strdup(preemptor->key);
    skr_pods_note_leaving(e, p, false);
}

void skr_evictions_earmark(struct skr_gang *e, struct pod_entry *p, const struct group *preemptor)
{
    if (!p->work->evict.by) {
        leave_for(e, p, preemptor);
    }
}

bool skr_evictions_is_asked(const struct pod_entry *p)
{
    return p->pod->meta.deleting || p->work->evict.write || p->work->evict.at > 0;
}

void skr_evictions_want(struct skr_gang *e, struct pod_entry *p, struct group *preemptor)
{
    skr_time now = skr_frame_now(e->frame);
    if (!p->work->evict.by || strcmp(p->work->evict.by, preemptor->key) != 0) {
        leave_for(e, p, preemptor);
    }
    if (p->work->evict.write || p->pod->meta.deleting || skr_pods_is_terminal(p->pod)) {
        return;
    }
    skr_time force_after = e->settings.preempt_force_after;
    const bool never = force_after == SKR_TIME_NEVER || is_replaced(p) || !preemptor->plan ||
                       (p->group && p->group->replacing.by);
    skr_time force_at = never ? SKR_TIME_NEVER : preemptor->plan->created_at + force_after;
    bool force = p->work->evict.force != FORCE_NONE || (p->work->evict.blocked && now >= force_at);
    if (now < p->work->evict.at && (!force || p->work->evict.force != FORCE_NONE)) {
        bool sooner = !force && p->work->evict.blocked && force_at < p->work->evict.at;
        skr_wakes_group(e, preemptor, sooner ? force_at : p->work->evict.at);
        return;
    }
    if (force && p->work->evict.force != FORCE_DELETING) {
        mark(e, p, preemptor);
        return;
    }
    send(e, p, preemptor, force);
}

/* ---- answers ---- */

static void again(struct skr_gang *e, struct pod_entry *p, skr_time after)
{
    uint32_t shift = p->work->evict.failures > 5 ? 5 : p->work->evict.failures;
    skr_time pause = RETRY_FIRST_S * SKR_SECOND << shift;
    pause = pause > RETRY_LAST_S * SKR_SECOND ? RETRY_LAST_S * SKR_SECOND : pause;
    skr_pods_work(p)->evict.failures++;
    skr_pods_work(p)->evict.at = skr_frame_now(e->frame) + (after > pause ? after : pause);
}

static void refused(struct skr_gang *e, struct pod_entry *p, struct group *preemptor,
                    const char *message)
{
    char text[600];
    snprintf(text, sizeof text, "pod %s may not be evicted: %.400s", p->key, message);
    skr_out_decision(e, p->work->evict.by ? p->work->evict.by : "", p->key, "Eviction refused", "",
                     message, true);
    if (is_replaced(p)) {
        again(e, p, REFUSED_S * SKR_SECOND);
    } else if (preemptor && preemptor->plan && preemptor->plan->preempting) {
        preemptor->preempt.at = skr_frame_now(e->frame) + REFUSED_S * SKR_SECOND;
        skr_wakes_add(e, preemptor->preempt.at, WAKE_REPORT, NULL);
        skr_plan_loss_abort(e, preemptor, SKR_REASON_WAITING_FOR_CAPACITY, text, true);
    }
}

/* If the condition cannot be written, the deletion goes ahead. */
static void marked(struct skr_gang *e, struct pod_entry *p, const struct skr_event *ev)
{
    enum skr_write_outcome outcome = ev->written.outcome;
    bool open = outcome == SKR_WRITE_BUSY || outcome == SKR_WRITE_UNKNOWN ||
                outcome == SKR_WRITE_DROPPED || outcome == SKR_WRITE_CONFLICT;
    struct group *preemptor = p->work->evict.by ? skr_groups_find(e, p->work->evict.by) : NULL;
    skr_pods_work(p)->evict.write = 0;
    if (open) {
        again(e, p, ev->written.retry_after);
    } else {
        skr_pods_work(p)->evict.force = FORCE_DELETING;
        skr_pods_work(p)->evict.at = 0;
    }
    if (preemptor) {
        skr_dirty_group(e, preemptor);
    }
}

static void note_replaced(struct skr_gang *e, const struct pod_entry *p)
{
    const struct seat_hold *seat = skr_seat_holds_of(p->group, p->uid);
    char note[600];
    snprintf(note, sizeof note, "pod %.250s leaves node %.150s; a seat on node %.150s is held",
             p->pod->meta.name, p->pod->node_name, seat ? seat->node : "?");
    skr_status_event(e, p->group, "MemberReplacedEarly", "MemberReplacedEarly", note);
}

static void note_follower(struct skr_gang *e, const struct pod_entry *p)
{
    if (is_replaced(p)) {
        note_replaced(e, p);
    }
    if (is_follower(p)) {
        e->stats.followers_evicted++;
        skr_status_event(e, p->group, "GroupShrunk", "GroupShrunk",
                         "members beyond the minimum give way to another group");
        skr_dirty_group(e, p->group);
    }
}

/* NULL: its group is gone. */
static void note_granted(const struct group *preemptor)
{
    if (preemptor && preemptor->plan && preemptor->plan->preempted) {
        preemptor->plan->evicted++;
    }
}

void skr_evictions_overtaken(struct skr_gang *e, const char *namespace_, const char *name,
                             const char *uid)
{
    const struct pod_entry *p = skr_pods_find_name(e, namespace_, name);
    const bool same = p && (!uid || !*uid || strcmp(p->uid, uid) == 0);
    if (same && p->work->evict.write && p->work->evict.force != FORCE_MARKING) {
        note_follower(e, p);
        note_granted(p->work->evict.by ? skr_groups_find(e, p->work->evict.by) : NULL);
    }
}

void skr_evictions_done(struct skr_gang *e, const struct skr_pending_write *w, struct skr_event *ev)
{
    struct pod_entry *p = skr_pods_find(e, w->key);
    enum skr_write_outcome outcome = ev->written.outcome;
    if (p && p->work->evict.write == w->id && p->work->evict.force == FORCE_MARKING) {
        marked(e, p, ev);
        return;
    }
    bool evicted = outcome == SKR_WRITE_OK, blocked = outcome == SKR_WRITE_BUSY;
    e->stats.evictions[evicted   ? SKR_EVICTION_EVICTED
                       : blocked ? SKR_EVICTION_BLOCKED
                                 : SKR_EVICTION_FAILED]++;
    if (!p || p->work->evict.write != w->id) {
        return;
    }
    struct group *preemptor = p->work->evict.by ? skr_groups_find(e, p->work->evict.by) : NULL;
    skr_pods_work(p)->evict.write = 0;
    skr_pods_work(p)->evict.blocked = blocked;
    if (preemptor) {
        skr_dirty_group(e, preemptor);
    }
    switch (outcome) {
    case SKR_WRITE_OK:
        note_follower(e, p);
        note_granted(preemptor);
        skr_pods_work(p)->evict.failures = 0;
        skr_pods_work(p)->evict.at = skr_frame_now(e->frame) + SEEN_S * SKR_SECOND;
        break;
    case SKR_WRITE_NOT_FOUND:
        skr_pod_changes_delete(e, p->pod->meta.namespace_, p->pod->meta.name, p->uid);
        break;
    case SKR_WRITE_INVALID:
    case SKR_WRITE_DENIED:
        refused(e, p, preemptor, ev->written.message);
        break;
    case SKR_WRITE_BUSY:
    case SKR_WRITE_CONFLICT:
    case SKR_WRITE_UNKNOWN:
    case SKR_WRITE_DROPPED:
    case SKR_WRITE_OUTCOME_COUNT:
    default:
        again(e, p, ev->written.retry_after);
        break;
    }
}
