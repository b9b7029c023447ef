/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Moves a plan forward, whenever something about its group changed: is it still valid, did
 * kube-scheduler drop a member, have all voted, are all bound.
 */
#include "core/gang/bind/plan_step.h"

#include "core/gang/bind/claims_hold.h"
#include "core/gang/cache/dirty.h"
#include "core/gang/cache/nodes.h"
#include "core/gang/cache/pods.h"
#include "core/gang/cache/shapes.h"
#include "core/gang/changes/plan_loss.h"
#include "core/gang/changes/rollback.h"
#include "core/gang/group/attempt.h"
#include "core/gang/group/claims.h"
#include "core/gang/group/group_state.h"
#include "core/gang/group/membership.h"
#include "core/gang/group/namespace_bound.h"
#include "core/gang/group/refusal.h"
#include "core/gang/group/rule_check.h"
#include "core/gang/group/set_units.h"
#include "core/gang/group/vain.h"
#include "core/gang/plan/bind_calls.h"
#include "core/gang/plan/member_record.h"
#include "core/gang/plan/nomination.h"
#include "core/gang/plan/plan.h"
#include "core/gang/plan/plan_storage.h"
#include "core/gang/plan/scheduler_progress.h"
#include "core/gang/preempt/preemption.h"
#include "core/gang/report/outputs.h"
#include "core/gang/report/status.h"
#include "core/gang/state/wakes.h"

#include <string.h>
#include <utlist.h>

/* ---- is it still valid? ---- */

static const char *node_problem(struct skr_gang *e, const struct pod_entry *p)
{
    const struct node_entry *n = skr_nodes_find(e, p->place.node);
    if (!n) {
        return "does not exist any more";
    }
    switch (skr_pod_shape_check_node(p->shape->spec, n->node)) {
    case SKR_ELIGIBLE:
        break;
    case SKR_INELIGIBLE_UNSCHEDULABLE:
        return "is cordoned";
    case SKR_INELIGIBLE_TAINT:
        return "has a taint that is not tolerated";
    case SKR_INELIGIBLE_SELECTOR:
        return "does not match the pod's node selection any more";
    case SKR_INELIGIBLE_COUNT:
    default:
        return "is not eligible";
    }
    if (e->topology.tree && skr_tree_find_leaf(e->topology.tree, p->place.node) < 0) {
        return "left the topology tree";
    }
    return NULL;
}

/* Checks the whole gang against its rules and sets on the present tree; the ledger checks room. */
static bool rules_hold(struct skr_gang *e, const struct group *g, struct skr_error *error)
{
    const struct skr_tree *t = e->topology.tree;
    if (!t || !g->spec) {
        return true;
    }
    struct skr_rule_check check;
    struct pod_entry *p;
    skr_rule_check_init(&check, t, g);
    DL_FOREACH(g->members, p)
    {
        if (skr_pod_is_live(p->pod)) {
            skr_rule_check_add(&check, p->role,
                               p->plan == g->plan ? p->place.node : p->pod->node_name, 1);
        }
    }
    bool good = skr_rule_check_keeps(&check, error) && skr_set_units_hold(t, g, error);
    skr_rule_check_fini(&check);
    return good;
}

static bool still_good(struct skr_gang *e, struct group *g)
{
    struct plan *plan = g->plan;
    char text[512];
    struct skr_error error;
    struct pod_entry *p;
    skr_dirty_take_plan_nodes(plan);
    DL_FOREACH(g->members, p)
    {
        const char *problem = p->plan == plan && !skr_pods_is_bound(p) ? node_problem(e, p) : NULL;
        if (!problem) {
            continue;
        }
        snprintf(text, sizeof text, "planned node %s %s", p->place.node, problem);
        skr_plan_loss_abort(e, g, SKR_REASON_NONE, text, false);
        return false;
    }
    if (e->topology.tree && plan->tree != e->topology.tree) {
        if (!rules_hold(e, g, &error)) {
            snprintf(text, sizeof text, "the topology changed: %s", error.text);
            skr_plan_loss_abort(e, g, SKR_REASON_NONE, text, false);
            return false;
        }
        skr_plan_set_tree(plan, e->topology.tree);
    }
    return true;
}

/* Whether its call is open, or is not needed before state Binding. In Binding an ended call must be
 * repeated. */
static bool has_come(const struct plan *plan, const struct pod_entry *p)
{
    return p->work->vote.given && (!plan->binding_persisted || p->work->vote.request ||
                                   p->work->bind.write || p->work->bind.unknown);
}

/* Since when kube-scheduler could have come to the member. */
static skr_time awaited_since(const struct skr_gang *e, const struct plan *plan,
                              const struct pod_entry *p)
{
    skr_time since =
        p->work->activation.at > e->progress.since ? p->work->activation.at : e->progress.since;
    return plan->heard_at > since ? plan->heard_at : since;
}

/* kube-scheduler does not come to an activated member. refused: it has said that its own filters refuse every node;
 * else it has passed the member in its queue, as when another plugin holds that. True: the plan has ended. */
static bool give_up(struct skr_gang *e, struct group *g, struct pod_entry *p, bool refused)
{
    SKR_STRBUF(text);
    if (!refused && g->plan->binding_persisted) {
        return false; /* another node would not help it; until the deadline */
    }
    skr_nomination_tried(p);
    skr_claims_doubt(p);
    if (refused) {
        skr_refusal_note(e, g, p);
    } else {
        skr_refusal_note_absent(e, g, p);
    }
    if (g->plan->binding_persisted) {
        skr_dirty_plan(e); /* stranded now */
        return false;
    }
    skr_refusal_say(e, g, &text);
    skr_plan_loss_abort(e, g, SKR_REASON_FILTERED_BY_OTHERS, text.s, true);
    return true;
}

/* Looks at activated members without a filter call. Silence alone ends no plan: kube-scheduler may still try the
 * pods before the member. Until then the plan is idle at most. True: the plan has ended. */
static bool patience_is_over(struct skr_gang *e, struct group *g)
{
    struct pod_entry *p;
    skr_time next = SKR_TIME_NEVER;
    bool idle = false;
    DL_FOREACH(g->members, p)
    {
        if (p->plan != g->plan || !p->work->activation.at || has_come(g->plan, p) ||
            skr_pods_is_bound(p)) {
            continue;
        }
        if (p->work->activation.asked) {
            const skr_time kept_until = skr_claims_patience(p);
            idle = idle || kept_until <= skr_frame_now(e->frame);
            next = kept_until > skr_frame_now(e->frame) && kept_until < next ? kept_until : next;
            continue;
        }
        const skr_time since = awaited_since(e, g->plan, p), now = skr_frame_now(e->frame);
        const skr_time until = since + SKR_ACTIVATION_PATIENCE_S * SKR_SECOND;
        const skr_time first_look = since + SKR_PLAN_IDLE_S * SKR_SECOND;
        if (first_look > now) { /* too early for a plan to be idle */
            next = first_look < next ? first_look : next;
            continue;
        }
        const skr_time before = skr_scheduler_progress_reached_before(e, p);
        const skr_time idle_at = (before > since ? before : since) + SKR_PLAN_IDLE_S * SKR_SECOND;
        const bool refused = skr_nomination_was_refused(p);
        const bool absent = until <= now && (refused || skr_scheduler_progress_has_passed(e, p));
        const skr_time look_at = until > now ? until : now + SKR_SECOND;
        idle = idle || ((refused || e->progress.last > p->work->activation.at) && idle_at <= now);
        if (absent && give_up(e, g, p, refused)) {
            return true;
        }
        next = idle_at > now && idle_at < next ? idle_at : next;
        next = look_at < next ? look_at : next;
    }
    idle = idle && !g->plan->binding && skr_namespace_bound_is_beyond(e, g->namespace_);
    skr_plan_note_idle(e, g->plan, idle);
    if (next != SKR_TIME_NEVER) { /* members are activated one by one */
        skr_time soonest = skr_frame_now(e->frame) + skr_dirty_pause(g);
        skr_wakes_group(e, g, next > soonest ? next : soonest);
    }
    return false;
}

/* A plan that cannot be stored, as when a user changes its object all the time. */
static void wait_for_storage(struct skr_gang *e, struct group *g)
{
    const skr_time until = g->plan->created_at + SKR_ACTIVATION_PATIENCE_S * SKR_SECOND;
    const bool idle = skr_frame_now(e->frame) >= until;
    skr_plan_storage_hurry(g);
    skr_plan_note_idle(e, g->plan, idle && skr_namespace_bound_is_beyond(e, g->namespace_));
    if (!idle) {
        skr_wakes_group(e, g, until);
    }
}

/* ---- forward ---- */

struct progress {
    size_t unbound, voted, activated, lacking;
};

static struct progress progress_of(const struct skr_gang *e, const struct group *g)
{
    struct progress x = {0};
    struct pod_entry *p;
    DL_FOREACH(g->members, p)
    {
        if (p->plan != g->plan || skr_pods_is_bound(p)) {
            continue;
        }
        x.unbound++;
        x.voted += p->work->vote.given;
        x.activated += p->work->activation.at != 0;
        x.lacking += !skr_member_record_is_provided(e, p);
    }
    return x;
}

static bool is_unasked(const struct plan *plan, const struct pod_entry *p)
{
    return p->plan == plan && p->work->activation.at && !p->work->activation.asked &&
           !p->work->vote.given && !skr_pods_is_bound(p);
}

/* kube-scheduler still tries pods that were in its queue before a member of the plan. Each of them is
 * before it once. */
static bool is_in_the_queue(const struct skr_gang *e, const struct group *g)
{
    const struct pod_entry *p;
    DL_FOREACH(g->members, p)
    {
        if (is_unasked(g->plan, p) && !skr_nomination_was_refused(p) &&
            skr_scheduler_progress_reached_before(e, p) > 0) {
            return true;
        }
    }
    return false;
}

static void say_timeout(const struct skr_gang *e, const struct group *g, char *buffer, size_t size)
{
    static const char late[] = "not all members reached their bind call in time";
    const struct pod_entry *p = g->members;
    while (p && (!is_unasked(g->plan, p) || skr_nomination_was_refused(p))) {
        p = p->next;
    }
    if (!p) {
        snprintf(buffer, size, "%s", late);
        return;
    }
    const skr_time now = skr_frame_now(e->frame), at = p->work->activation.at;
    snprintf(buffer, size,
             "%s: kube-scheduler has not asked about pod %s for %d s, %s; is it running, and does "
             "every resourceClaim of the pod exist?",
             late, p->pod->meta.name, (int)((now - at) / SKR_SECOND),
             e->progress.last > at ? "but about others" : "nor about any other");
}

static bool any_is_bound(const struct group *g)
{
    const struct pod_entry *p = g->members;
    while (p && !skr_pods_is_bound(p)) {
        p = p->next;
    }
    return p;
}

static void say_grown(struct skr_gang *e, struct group *g)
{
    const size_t size = (size_t)skr_membership_size(g);
    const struct pod_entry *p;
    char note[80];
    size_t bound = 0;
    DL_FOREACH(g->members, p)
    {
        bound += skr_pods_is_bound(p) && skr_pod_is_live(p->pod);
    }
    if (g->plan->replacement && g->spec && g->spec->open && bound > size) {
        snprintf(note, sizeof note, "%zu members run, the minimum is %zu", bound, size);
        skr_status_event(e, g, "GroupGrown", "GroupGrown", note);
    }
}

/* The group runs. If no pod of it was ever bound, or all of them are gone, it waits for members. */
static void finish(struct skr_gang *e, struct group *g)
{
    const bool runs = any_is_bound(g), lost = runs && g->plan->gave_up;
    if (runs) {
        say_grown(e, g);
    }
    skr_plan_destroy(e, g->plan);
    if (runs) {
        skr_group_state_end(e, g);
    }
    skr_attempt_restart_backoff(g);
    skr_refusal_forget(g);
    skr_vain_forget(g);
    skr_attempt_doubt(g); /* the members that wait now are not the stranded ones */
    skr_group_state_reason(g, lost ? SKR_REASON_BIND_FAILED : SKR_REASON_NONE,
                           lost ? "a member was lost while binding and not replaced in time"
                                : NULL);
    if (runs) {
        skr_group_state_enter(e, g, GROUP_BOUND);
        skr_outputs_update(e, g);
    } else {
        skr_group_state_enter(e, g, GROUP_PENDING);
        skr_outputs_forget(g);
    }
    skr_plan_storage_hurry(g);
    skr_dirty_group(e, g);
}

/* An earlier leader completed the plan, and its news is late: the plan needs no victims any
 * more. */
static bool all_are_bound(const struct group *g)
{
    const struct pod_entry *p;
    size_t bound = 0;
    DL_FOREACH(g->members, p)
    {
        if (p->plan == g->plan && !skr_pods_is_bound(p)) {
            return false;
        }
        bound += p->plan == g->plan;
    }
    return bound > 0;
}

static void begin_binding(struct skr_gang *e, struct group *g)
{
    skr_plan_want_binding(e, g->plan, true);
    skr_group_state_enter(e, g, GROUP_BINDING);
    skr_outputs_update(e, g);
    skr_plan_text_changed(e, g->plan);
}

static void step_before_binding(struct skr_gang *e, struct group *g)
{
    struct plan *plan = g->plan;
    char text[512];
    if (plan->preempting && all_are_bound(g)) {
        finish(e, g);
        return;
    }
    if ((plan->check_nodes && !still_good(e, g)) || !skr_claims_reach(e, g)) {
        return;
    }
    if (plan->preempting) {
        skr_preemption_step(e, g);
        return;
    }
    if (plan->n_victims > 0 && skr_preemption_waits_again(e, g)) {
        return;
    }
    if (skr_frame_now(e->frame) >= plan->deadline && is_in_the_queue(e, g)) {
        plan->deadline = skr_frame_now(e->frame) + e->settings.plan_timeout;
    }
    if (skr_frame_now(e->frame) >= plan->deadline) {
        say_timeout(e, g, text, sizeof text);
        skr_plan_loss_abort(e, g, SKR_REASON_PLAN_TIMEOUT, text, true);
        return;
    }
    skr_wakes_group(e, g, plan->deadline);
    if (!skr_plan_storage_is_persisted(e, plan)) {
        if (skr_plan_storage_is_quiet(e, g) && skr_plan_storage_is_refused(e, g)) {
            skr_plan_loss_abort(e, g, SKR_REASON_PLAN_TIMEOUT, "the plan cannot be written", true);
        } else {
            wait_for_storage(e, g);
        }
        return;
    }
    if (plan->n_victims > 0) {
        skr_preemption_settle(e, plan);
    }
    if (patience_is_over(e, g)) {
        return;
    }
    struct progress x = progress_of(e, g);
    if (x.unbound == x.voted && x.lacking == 0 && !skr_claims_hold(e, g)) {
        return;
    }
    if (x.unbound == x.voted && x.lacking == 0) {
        begin_binding(e, g);
    } else {
        skr_group_state_enter(e, g,
                              x.voted       ? GROUP_HOLDING
                              : x.activated ? GROUP_ADMITTING
                                            : GROUP_PLANNED);
    }
}

/* Releases members past the point of no return whose node is gone or closed to them: planner.c
 * solves for them alone. (The API server accepts a Binding to a missing node.) */
static void release_stranded(struct skr_gang *e, struct group *g)
{
    struct plan *plan = g->plan;
    struct pod_entry *p;
    skr_dirty_take_plan_nodes(plan);
    DL_FOREACH(g->members, p)
    {
        if (p->plan != plan || !skr_plan_is_stranded(e, p)) {
            continue;
        }
        if (p->work->vote.request) {
            skr_bind_calls_answer(e, p, SKR_ANSWER_ERROR, SKR_TEXT_BIND_FAILED);
        }
        skr_bind_calls_withdraw(p);
        skr_bind_calls_unqueue(e, p);
        skr_dirty_plan(e); /* planner.c solves for these members alone */
    }
}

/* Whether kube-scheduler keeps the member for its claims, or lives and has no bind call for it: its Binding
 * fails again and again. */
static bool has_no_call(const struct skr_gang *e, const struct pod_entry *p)
{
    return skr_claims_assumed_on(p) ||
           (skr_scheduler_progress_is_alive(e) && !p->work->vote.request && !p->work->bind.write &&
            !p->work->bind.unknown);
}

/* At the deadline: members without another node, or without a call. True if no other one is unbound. */
static bool give_up_late(struct skr_gang *e, struct group *g)
{
    struct pod_entry *p;
    bool others = false, changed = false;
    DL_FOREACH(g->members, p)
    {
        if (p->plan != g->plan || skr_pods_is_bound(p)) {
            continue;
        }
        if (skr_plan_is_stranded(e, p) || has_no_call(e, p)) {
            skr_plan_remove_member(e, p);
            changed = true;
        } else {
            others = true;
        }
    }
    if (changed) {
        skr_membership_changed(g);
    }
    if (changed && others) {
        skr_plan_text_changed(e, g->plan);
    }
    return !others;
}

/* State Binding was requested and refused; meanwhile a call ended or a node went: the group is
 * Holding again. */
static bool binding_is_moot(const struct skr_gang *e, const struct group *g)
{
    const struct plan *plan = g->plan;
    if (plan->binding_persisted || !skr_plan_storage_is_quiet(e, g)) {
        return false;
    }
    struct progress x = progress_of(e, g);
    return (x.unbound != x.voted || plan->check_nodes ||
            skr_frame_now(e->frame) >= plan->deadline) &&
           !skr_plan_storage_was_overtaken(e, plan);
}

/* If the plan's object is deleted, a replacement that no text names is no member: its seat is free
 * again. */
static void note_recorded(struct skr_gang *e, struct plan *plan)
{
    bool gone = plan->home != SOURCE_LABELS && !skr_plan_storage_text(plan->group), changed = false;
    struct pod_entry *p;
    DL_FOREACH(plan->group->members, p)
    {
        if (p->plan != plan) {
            continue;
        }
        if (!gone) {
            skr_plan_note_recorded(p);
        } else if (!p->place.recorded && !skr_pods_is_bound(p)) {
            skr_plan_loss_keep_seat(e, plan, p);
            skr_plan_remove_member(e, p);
            changed = true;
        }
    }
    if (changed) {
        skr_plan_text_changed(e, plan);
    }
}

static bool any_is_live(const struct group *g)
{
    const struct pod_entry *p = g->members;
    while (p && !skr_pod_is_live(p->pod)) {
        p = p->next;
    }
    return p;
}

/* Seats of lost members are kept for seconds. True: no pod is left, and the plan has ended. */
static bool end_vacancies(struct skr_gang *e, struct group *g)
{
    const bool deserted = !any_is_live(g);
    skr_time next;
    bool ended = skr_plan_end_vacancies(e, g->plan, deserted, &next);
    if (deserted) {
        finish(e, g);
    } else if (ended) {
        skr_plan_text_changed(e, g->plan);
        skr_dirty_group(e, g);
    }
    if (next != SKR_TIME_NEVER) {
        skr_wakes_group(e, g, next);
    }
    return deserted;
}

static void step_binding(struct skr_gang *e, struct group *g)
{
    struct plan *plan = g->plan;
    if (plan->binding_persisted && !plan->rollback && end_vacancies(e, g)) {
        return;
    }
    if (!skr_plan_storage_is_persisted(e, plan)) {
        if (binding_is_moot(e, g)) {
            skr_plan_want_binding(e, plan, false);
            skr_plan_text_changed(e, plan);
            step_before_binding(e, g);
        }
        skr_plan_storage_hurry(g);
        return;
    }
    skr_plan_note_persisted(plan);
    note_recorded(e, plan);
    if (plan->rollback) {
        skr_rollback_step(e, plan);
        return;
    }
    if (plan->check_nodes) {
        release_stranded(e, g);
    }
    if (skr_plan_loss_seat_replacement(e, plan)) {
        skr_plan_text_changed(e, plan);
        skr_dirty_group(e, g);
        return;
    }
    struct progress x = progress_of(e, g);
    struct pod_entry *p;
    DL_FOREACH(g->members, p)
    {
        if (p->plan == plan && !skr_pods_is_bound(p) && p->work->vote.request &&
            !p->work->bind.write && !p->work->binding_queued &&
            skr_member_record_is_provided(e, p)) {
            skr_bind_calls_queue(e, p);
        }
    }
    if (x.unbound > 0) {
        patience_is_over(e, g);
        skr_wakes_group(e, g,
                        plan->deadline > skr_frame_now(e->frame)
                            ? plan->deadline
                            : skr_frame_now(e->frame) + SKR_SECOND);
        if (skr_frame_now(e->frame) < plan->deadline || !give_up_late(e, g)) {
            return;
        }
    }
    if (plan->n_vacancies == 0) {
        finish(e, g);
    }
}

/* The record says Binding, and another process wrote that, such as a leader that was late. State
 * Planned never replaces it. If a member is bound, the plan goes on in Binding. Without one a user may
 * have written it: the plan ends. */
static void be_overtaken(struct skr_gang *e, struct group *g)
{
    if (any_is_bound(g)) {
        begin_binding(e, g);
    } else if (!g->plan->binding) {
        skr_plan_loss_abort(e, g, SKR_REASON_NONE, "another process wrote the record of the plan",
                            false);
    }
}

void skr_plan_step(struct skr_gang *e, struct group *g)
{
    if (!g->plan->aborting && !g->plan->preempting && skr_plan_storage_was_overtaken(e, g->plan)) {
        be_overtaken(e, g);
    }
    if (g->plan->aborting) {
        skr_plan_loss_step(e, g);
    } else if (g->plan->binding) {
        step_binding(e, g);
    } else {
        step_before_binding(e, g);
    }
}
