/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes what members carry: nomination, labels, plan annotation, gate. Level triggered: compares
 * what the plan wants with the cache and patches differences, one patch at a time per pod. An
 * acknowledged patch is in the cache at once.
 *
 *   planned      one status patch with nomination, labels and annotation (the activation), then the
 *                gate's removal
 *                gated, kube-scheduler looks at every node: one patch with all but the nomination
 *                needs no activation: no patch if its Binding can carry labels and annotation
 *                (member_record.h)
 *   parked       no change, except labels and annotation that crash recovery needs
 *   no plan      records of ended plans are cleared; a label with the state for gated members, and
 *                for others if it must wake them (waiting.c, Events too); the gate goes, too, if
 *                kube-scheduler takes its PodGroup as one and others of it have a plan
 *   leaving      its nomination is cleared once its plan has ended
 *   bound        label Bound if the Binding could not carry it; a rank for adopted members
 */
#include "core/gang/bind/members.h"

#include "core/gang/bind/gate_release.h"
#include "core/gang/bind/member_patch.h"
#include "core/gang/cache/devices.h"
#include "core/gang/cache/dirty.h"
#include "core/gang/cache/entry.h"
#include "core/gang/cache/nodes.h"
#include "core/gang/cache/pods.h"
#include "core/gang/changes/plan_loss.h"
#include "core/gang/changes/pod_changes.h"
#include "core/gang/group/claims.h"
#include "core/gang/group/membership.h"
#include "core/gang/group/refusal.h"
#include "core/gang/group/roles.h"
#include "core/gang/group/run_limit.h"
#include "core/gang/plan/member_record.h"
#include "core/gang/plan/nomination.h"
#include "core/gang/plan/plan.h"
#include "core/gang/plan/plan_storage.h"
#include "core/gang/plan/sampling.h"
#include "core/gang/planning/planner.h"
#include "core/gang/report/waiting.h"
#include "core/gang/state/groups.h"
#include "core/gang/state/output.h"
#include "core/gang/state/reason.h"
#include "core/gang/state/wakes.h"

#include <string.h>
#include <utlist.h>

enum {
    RETRY_FIRST_MS = 100,
    RETRY_LAST_S = 10,
    REFUSED_S = 30,
    AGAIN_MS = 100,
};

/* Keeps gates of others: a merge patch would replace the whole list, a strategic one removes by
 * name. */
static void send_ungate(struct skr_gang *e, struct pod_entry *p)
{
    const int32_t deadline_s = p->group && p->plan ? skr_run_limit_owed(e, p) : 0;
    const struct member_change c = {
        .drop_gate = true, .deadline_s = deadline_s, .is_activation = true};
    skr_member_patch_send(e, p, &c, SKR_WRITE_CLASS_MEMBER);
}

/* ---- planned members ---- */

/* If room still has a nomination of an ended plan, no member is nominated there until that is
 * cleared: in-tree filters would charge it. */
static bool waits_for_stale(struct skr_gang *e, const struct pod_entry *p)
{
    struct node_entry *n = skr_nodes_find(e, p->place.node);
    const struct pod_entry *other;
    if (!n) {
        return false;
    }
    DL_FOREACH2(n->nominated, other, work->nnext)
    {
        if (other != p && other->group &&
            (!other->plan || other->plan->aborting ||
             strcmp(other->place.node, p->place.node) != 0) &&
            *skr_pods_label(other, SKR_LABEL_PLAN)) {
            skr_nodes_set_awaited(n, true);
            return true;
        }
    }
    return false;
}

/* The member waits for the record on its own node while it carries the record of another node: such
 * waits can form a cycle. Clears its nomination; the next patch replaces the labels. */
static void give_way(struct skr_gang *e, struct pod_entry *p)
{
    if (skr_nomination_is_forbidden(e)) {
        skr_wakes_add(e, e->status_forbidden_until, WAKE_POD, p->uid);
    } else if (*p->pod->nominated_node && strcmp(p->pod->nominated_node, p->place.node) != 0) {
        struct member_change c = {.nominated = ""};
        skr_member_patch_send(e, p, &c, SKR_WRITE_CLASS_MEMBER);
    }
}

/* How a planned member is activated: */
enum wake_up {
    WOKEN_NOT,           /* it has been, or needs no activation */
    WOKEN_BY_NOMINATION, /* its gate, if any, is removed afterwards */
    WOKEN_BY_GATE,       /* removed by the same patch, without a nomination */
};

static void equip(struct skr_gang *e, struct pod_entry *p, enum wake_up how)
{
    char rank[16], retries[16], plan[32];
    struct member_change c = {0};
    SKR_AUTO_FREE char *annotation = skr_nomination_annotation(p);
    if (how != WOKEN_NOT) {
        skr_nomination_count(p);
    }
    snprintf(rank, sizeof rank, "%d", p->place.rank);
    snprintf(retries, sizeof retries, "%d", p->place.retries);
    snprintf(plan, sizeof plan, "%.8s.%u", p->plan->id, p->work->activation.count);
    skr_member_change_label(&c, SKR_LABEL_STATUS,
                            skr_group_status_name(p->plan->binding_persisted
                                                      ? SKR_STATUS_PERMITTED
                                                      : SKR_STATUS_ASSIGNED));
    skr_member_change_label(&c, SKR_LABEL_RANK, rank);
    if (skr_roles_label(p)) {
        skr_member_change_label(&c, SKR_LABEL_ROLE, skr_roles_label(p));
    }
    skr_member_change_label(&c, SKR_LABEL_RETRIES, retries);
    if (how != WOKEN_NOT) {
        skr_member_change_label(&c, SKR_LABEL_PLAN, plan);
    }
    if (how == WOKEN_BY_NOMINATION) {
        c.nominated = p->place.node;
        c.is_activation = !p->pod->gate;
    } else if (how == WOKEN_BY_GATE) {
        skr_nomination_spare(p);
        c.drop_gate = c.is_activation = true;
        c.deadline_s = skr_run_limit_owed(e, p);
    }
    c.annotation = annotation;
    skr_member_patch_send(e, p, &c, SKR_WRITE_CLASS_MEMBER);
}

/* The limit of a member that has no gate, by a patch of its own. */
static void limit_run(struct skr_gang *e, struct pod_entry *p)
{
    const struct member_change c = {.deadline_s = p->pod->gate ? 0 : skr_run_limit_owed(e, p)};
    if (c.deadline_s) {
        skr_member_patch_send(e, p, &c, SKR_WRITE_CLASS_MEMBER);
    }
}

static void settle_planned(struct skr_gang *e, struct pod_entry *p)
{
    bool metadata = skr_nomination_stands(p);
    if (p->work->vote.request || p->work->bind.write) {
        if (!metadata && !p->work->bind.write && !skr_member_record_in_binding(e, p)) {
            equip(e, p, WOKEN_NOT);
        } else if (!p->work->bind.write) {
            limit_run(e, p);
        }
        return;
    }
    if (skr_plan_waits_for_turn(p) || skr_devices_wait_for_turn(e, p)) {
        return;
    }
    if (!metadata && skr_member_record_in_binding(e, p)) {
        skr_nomination_spare(p);
        if (!p->work->activation.at && !p->work->activation.asked) {
            skr_nomination_activated(e, p);
        }
        return;
    }
    bool nominated = skr_nomination_is_forbidden(e) || p->work->activation.spared ||
                     strcmp(p->pod->nominated_node, p->place.node) == 0;
    /* The record of an earlier plan may be equal, but it activated no member for this plan. */
    bool never_activated = !p->work->activation.at && !p->work->activation.asked &&
                           !p->work->vote.given && !p->pod->gate;
    if (!metadata || !nominated || never_activated || skr_nomination_was_in_vain(p)) {
        if (waits_for_stale(e, p)) {
            give_way(e, p);
            return;
        }
        skr_time at =
            p->work->activation.at ? p->work->activation.at + AGAIN_MS * SKR_MILLISECOND : 0;
        if (metadata && skr_frame_now(e->frame) < at) {
            skr_wakes_add(e, at, WAKE_POD, p->uid);
            return;
        }
        if (p->pod->gate && !*p->pod->nominated_node && skr_sampling_spares(e, p)) {
            equip(e, p, WOKEN_BY_GATE);
        } else if ((at = skr_sampling_awaits_call(e, p)) != 0) {
            skr_wakes_add(e, at, WAKE_POD, p->uid);
        } else {
            equip(e, p, WOKEN_BY_NOMINATION);
        }
    } else if (p->pod->gate) {
        send_ungate(e, p);
    } else {
        limit_run(e, p);
    }
}

/* ---- members without a plan ---- */

static bool has_records(const struct skr_gang *e, const struct pod_entry *p)
{
    bool owes = p->work->patch.owes && *p->pod->nominated_node && !skr_nomination_is_forbidden(e);
    return owes || *skr_pods_annotation(p) || *skr_pods_label(p, SKR_LABEL_RANK) ||
           *skr_pods_label(p, SKR_LABEL_PLAN);
}

static const char *waiting_word(const struct group *g)
{
    enum skr_group_status s = SKR_STATUS_WAITING;
    if (g->state == GROUP_INVALID) {
        s = SKR_STATUS_FAILED;
    } else if (g->state == GROUP_READY || g->state == GROUP_BACKOFF) {
        s = SKR_STATUS_READY;
    }
    return skr_group_status_name(s);
}

/* The next plan may give the member the same node; its new nomination then overwrites the old
 * one. */
static bool is_about_to_be_planned(const struct skr_gang *e, const struct pod_entry *p)
{
    const struct group *g = p->group;
    bool solving = skr_planner_is_solving(e, g);
    bool due =
        g->state == GROUP_READY && !g->attempt.infeasible && !skr_claims_keep_from_planning(e, g);
    return p->seated && (solving || due);
}

static void clear_records(struct skr_gang *e, struct pod_entry *p)
{
    struct member_change c = {0};
    skr_member_change_label(&c, SKR_LABEL_STATUS, waiting_word(p->group));
    skr_member_change_label(&c, SKR_LABEL_RANK, "");
    if (*skr_pods_label(p, SKR_LABEL_ROLE)) {
        skr_member_change_label(&c, SKR_LABEL_ROLE, "");
    }
    skr_member_change_label(&c, SKR_LABEL_PLAN, "");
    c.annotation = "";
    c.nominated = "";
    skr_member_patch_send(e, p, &c, SKR_WRITE_CLASS_MEMBER);
}

/* The member has no part in the plan of its group, and its gate would keep those that have. */
static bool gate_keeps_others(const struct skr_gang *e, const struct pod_entry *p)
{
    struct plan *plan = p->group->plan;
    return plan && !plan->aborting && skr_plan_storage_is_persisted(e, plan) &&
           !p->pod->foreign_gate && skr_entry_is_queued_whole(e, p->pod);
}

static void settle_waiting(struct skr_gang *e, struct pod_entry *p)
{
    struct group *g = p->group;
    if (g->plan && !g->plan->aborting && p->plan) {
        return; /* its commit is in flight */
    }
    if (g->plan && g->plan->aborting && p->plan) {
        return; /* cleared with the object */
    }
    if (has_records(e, p)) {
        if (!is_about_to_be_planned(e, p)) {
            clear_records(e, p);
        }
        return;
    }
    if (p->pod->gate && (skr_claims_open_gate(e, p) || skr_gate_release_may_open(e, p) ||
                         gate_keeps_others(e, p))) {
        send_ungate(e, p);
        return;
    }
    skr_waiting_tell(e, p);
    bool says_so = p->pod->gate || g->state == GROUP_INVALID || skr_waiting_was_misled(p);
    const char *word = waiting_word(g);
    if (!says_so || strcmp(skr_pods_label(p, SKR_LABEL_STATUS), word) == 0 ||
        skr_membership_is_beyond(g, p)) {
        return;
    }
    skr_time at = skr_waiting_label_at(e, p);
    if (skr_frame_now(e->frame) < at) {
        skr_wakes_add(e, at, WAKE_POD, p->uid);
        return;
    }
    struct member_change c = {0};
    skr_member_change_label(&c, SKR_LABEL_STATUS, word);
    skr_member_patch_send(e, p, &c, SKR_WRITE_CLASS_LABEL);
}

/* ---- bound members ---- */

static void settle_bound(struct skr_gang *e, struct pod_entry *p)
{
    char rank[16];
    struct member_change c = {0};
    if (p->await_watch) {
        return;
    }
    if (strcmp(skr_pods_label(p, SKR_LABEL_STATUS), skr_group_status_name(SKR_STATUS_BOUND)) != 0) {
        skr_member_change_label(&c, SKR_LABEL_STATUS, skr_group_status_name(SKR_STATUS_BOUND));
    }
    if (!*skr_pods_label(p, SKR_LABEL_RANK) && p->place.rank >= 0) {
        snprintf(rank, sizeof rank, "%d", p->place.rank);
        skr_member_change_label(&c, SKR_LABEL_RANK, rank);
        if (skr_roles_label(p)) {
            skr_member_change_label(&c, SKR_LABEL_ROLE, skr_roles_label(p));
        }
    }
    if (!p->plan && strstr(skr_pods_annotation(p), "\"v\":1")) { /* it carried the plan of all */
        c.annotation = "";
    }
    c.deadline_s = skr_run_limit_owed(e, p);
    c.member = p->kept ? p->group->name : NULL;
    if (c.n_labels > 0 || c.annotation || c.member || c.deadline_s) {
        skr_member_patch_send(e, p, &c, SKR_WRITE_CLASS_LABEL);
    }
}

/* ---- members that leave ---- */

/* kube-scheduler counts a nomination until the pod is gone, which a finalizer or a grace period delays. */
static void settle_leaving(struct skr_gang *e, struct pod_entry *p)
{
    const bool is_stale = *p->pod->nominated_node && *skr_pods_label(p, SKR_LABEL_PLAN) &&
                          (!p->plan || p->plan->aborting);
    if (is_stale && !skr_pods_is_bound(p) && !skr_nomination_is_forbidden(e)) {
        const struct member_change c = {.nominated = ""};
        skr_member_patch_send(e, p, &c, SKR_WRITE_CLASS_MEMBER);
    }
}

/* ---- */

/* One member carries the whole plan of a group from labels; it is written before all else, and never
 * over a record that was not seen. */
static bool settle_anchor(struct skr_gang *e, struct pod_entry *p)
{
    if (!skr_nomination_is_anchor(p) || !p->plan->text) {
        return false;
    }
    const char *want = p->plan->aborting ? "" : p->plan->text;
    if (strcmp(skr_pods_annotation(p), want) == 0) {
        return false;
    }
    struct member_change c = {.annotation = want, .exact = true};
    skr_member_patch_send(e, p, &c, SKR_WRITE_CLASS_COMMIT);
    return true;
}

static void read_back(struct skr_gang *e, struct pod_entry *p)
{
    struct skr_pending_write *w = skr_out_write(e, SKR_WRITE_GET_POD, SKR_WRITE_CLASS_COMMIT, 0,
                                                &p->pod->meta, NULL, WRITE_FOR_MEMBER_READ, p->uid);
    skr_pods_work(p)->patch.write = w->id;
}

void skr_members_settle(struct skr_gang *e, struct pod_entry *p)
{
    const bool leaves = !skr_pod_is_live(p->pod);
    if (!p->ours || p->work->patch.write || (leaves && !p->pod->meta.deleting)) {
        return;
    }
    if (skr_frame_now(e->frame) < p->work->patch.at) {
        skr_wakes_add(e, p->work->patch.at, WAKE_POD, p->uid);
        return;
    }
    if (leaves) {
        settle_leaving(e, p);
        return;
    }
    if (!p->group) {
        if (p->pod->gate) { /* a pod of ours without a group: no other program removes its gate */
            send_ungate(e, p);
        }
        return;
    }
    if (p->work->patch.must_read) {
        read_back(e, p);
        return;
    }
    if (settle_anchor(e, p)) {
        return;
    }
    if (skr_pods_is_bound(p)) {
        settle_bound(e, p);
    } else if (p->plan && !p->plan->aborting && skr_plan_storage_is_persisted(e, p->plan)) {
        settle_planned(e, p);
    } else {
        settle_waiting(e, p);
    }
}

/* ---- answers ---- */

static void apply(struct skr_gang *e, struct pod_entry *p, const struct member_sent *w,
                  uint64_t version)
{
    struct skr_pod_overlay o = {.resource_version =
                                    version > p->pod->meta.resource_version ? version : 0,
                                .nominated_node = w->nominated_node,
                                .drop_gate = w->drop_gate,
                                .deadline_s = w->deadline_s,
                                .n_labels = w->n_labels,
                                .label = w->label,
                                .plan_annotation = w->annotation,
                                .member_annotation = w->member};
    /* The watch may have shown a later version, which contains our patch. */
    if (version && version <= p->pod->meta.resource_version) {
        return;
    }
    struct skr_pod *now = skr_pod_overlay(p->pod, &o);
    skr_bug_on(!now);
    skr_pod_changes_replace(e, p, now);
}

static void later(struct skr_gang *e, struct pod_entry *p, skr_time delay)
{
    skr_pods_work(p)->patch.at = skr_frame_now(e->frame) + delay;
    skr_wakes_add(e, p->work->patch.at, WAKE_POD, p->uid);
}

static skr_time retry_delay(struct pod_entry *p)
{
    uint32_t shift = p->work->patch.failures > 7 ? 7 : p->work->patch.failures;
    skr_time d = RETRY_FIRST_MS * SKR_MILLISECOND << shift;
    skr_pods_work(p)->patch.failures++;
    return d > RETRY_LAST_S * SKR_SECOND ? RETRY_LAST_S * SKR_SECOND : d;
}

/* If the patch was applied, the cache has it; if refused, nothing changed. After an unknown outcome
 * the next patch decides. */
static void note_cleared(struct pod_entry *p, const struct member_sent *w,
                         enum skr_write_outcome outcome)
{
    if (outcome != SKR_WRITE_UNKNOWN && w->annotation &&
        (outcome == SKR_WRITE_OK || !*w->annotation)) {
        skr_pods_work(p)->patch.clears = false;
    }
}

static void patch_done(struct skr_gang *e, struct pod_entry *p, const struct member_sent *w,
                       const struct skr_event *ev)
{
    note_cleared(p, w, ev->written.outcome);
    switch (ev->written.outcome) {
    case SKR_WRITE_OK:
        skr_pods_work(p)->patch.failures = 0;
        if (w->is_activation && p->plan) {
            skr_nomination_activated(e, p);
        }
        apply(e, p, w, ev->written.resource_version);
        break;
    case SKR_WRITE_NOT_FOUND:
        skr_pod_changes_delete(e, p->pod->meta.namespace_, p->pod->meta.name, p->uid);
        return;
    case SKR_WRITE_INVALID: /* another pod of that name, or a permanent error */
        read_back(e, p);
        if (!p->plan || p->plan->binding_persisted) { /* else the plan ends */
            later(e, p, REFUSED_S * SKR_SECOND);
        }
        break;
    case SKR_WRITE_DENIED:
        skr_out_decision(e, "", p->key, "Pod patch refused", "", ev->written.message, true);
        if (w->nominated_node) {
            /* then by label, at once */
            e->status_forbidden_until = skr_frame_now(e->frame) + REFUSED_S * SKR_SECOND;
        } else {
            later(e, p, REFUSED_S * SKR_SECOND);
        }
        break;
    case SKR_WRITE_BUSY:
        later(e, p, ev->written.retry_after > 0 ? ev->written.retry_after : retry_delay(p));
        break;
    case SKR_WRITE_CONFLICT:
    case SKR_WRITE_UNKNOWN: /* idempotent: sent again, except the plan of a whole group */
    case SKR_WRITE_DROPPED:
    case SKR_WRITE_OUTCOME_COUNT:
    default:
        skr_pods_work(p)->patch.must_read = skr_nomination_is_anchor(p) && w->annotation;
        later(e, p, retry_delay(p));
        break;
    }
    skr_dirty_pod(e, p);
    if (p->group) {
        skr_dirty_member(e, p->group);
    }
}

/* The API server refuses what the member is to carry, as when its annotations are full. The plan cannot go
 * on, and its room is for others. */
static void give_up_unpatched(struct skr_gang *e, struct pod_entry *p)
{
    char text[400];
    if (!p->plan || p->plan->aborting || p->plan->binding_persisted) {
        return;
    }
    snprintf(
        text, sizeof text,
        "the API server refuses the plan's annotation on pod %.200s; are its annotations full?",
        p->pod->meta.name);
    const bool pauses = skr_refusal_note_unpatched(e, p->group, p);
    skr_plan_loss_abort(e, p->group, SKR_REASON_PLAN_TIMEOUT, text, pauses);
}

void skr_members_write_done(struct skr_gang *e, const struct skr_pending_write *w,
                            struct skr_event *ev)
{
    struct pod_entry *p = skr_pods_find(e, w->key);
    if (!p || p->work->patch.write != w->id) {
        return;
    }
    skr_pods_work(p)->patch.write = 0;
    if (w->purpose == WRITE_FOR_MEMBER) {
        patch_done(e, p, w->more, ev);
        return;
    }
    if (ev->written.outcome == SKR_WRITE_NOT_FOUND) {
        skr_pod_changes_delete(e, p->pod->meta.namespace_, p->pod->meta.name, p->uid);
    } else if (ev->written.object) {
        struct skr_pod *pod = skr_event_take_object(ev);
        bool same = strcmp(pod->meta.uid, p->uid) == 0;
        if (same && !p->work->patch.must_read) {
            skr_out_decision(e, "", p->key, "Pod patch refused", "",
                             "the API server calls it invalid", true);
            give_up_unpatched(e, p);
        }
        skr_pods_work(p)->patch.must_read = false;
        skr_pod_changes_upsert(e, pod);
        if (same) {
            skr_dirty_pod(e, p);
        }
    } else {
        skr_dirty_pod(e, p);
    }
}
