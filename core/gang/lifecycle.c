/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The life of a group as a state machine, evaluated whenever something about the group changed.
 *
 *   Pending -> Ready -> Planned -> Admitting -> Holding -> Binding -> Bound
 *                 \-> Backoff (no placement, plan given up)         \-> Pending (newcomer,
 *                                                                       no live member)
 *   Invalid while the source is malformed and no member runs.
 *
 * Planned to Binding belong to plan_step.c; the choice of the next group to queue.c. A second
 * evaluation changes nothing.
 */
#include "core/gang/lifecycle.h"

#include "core/gang/bind/gate_release.h"
#include "core/gang/bind/plan_step.h"
#include "core/gang/cache/dirty.h"
#include "core/gang/cache/entry.h"
#include "core/gang/cache/pods.h"
#include "core/gang/cache/topology.h"
#include "core/gang/cache/workload_owners.h"
#include "core/gang/changes/group_objects.h"
#include "core/gang/changes/group_source.h"
#include "core/gang/changes/native_conditions.h"
#include "core/gang/changes/overridden.h"
#include "core/gang/changes/plan_loss.h"
#include "core/gang/explain/ways_out.h"
#include "core/gang/group/attempt.h"
#include "core/gang/group/claims.h"
#include "core/gang/group/device_holds.h"
#include "core/gang/group/generation.h"
#include "core/gang/group/group_state.h"
#include "core/gang/group/membership.h"
#include "core/gang/group/refusal.h"
#include "core/gang/group/roles.h"
#include "core/gang/group/run_limit.h"
#include "core/gang/group/seat_holds.h"
#include "core/gang/group/vain.h"
#include "core/gang/plan/plan_storage.h"
#include "core/gang/preempt/arranged.h"
#include "core/gang/preempt/preemption.h"
#include "core/gang/problem/candidates.h"
#include "core/gang/problem/device_turns.h"
#include "core/gang/report/measure.h"
#include "core/gang/report/outputs.h"
#include "core/gang/report/pauses.h"
#include "core/gang/report/size_field.h"
#include "core/gang/report/status.h"
#include "core/gang/restore/restore.h"
#include "core/gang/state/wakes.h"
#include "core/gang/time/rounds.h"
#include "core/gang/time/told.h"
#include "topology/duration.h"

#include <string.h>
#include <utlist.h>

/* ---- states without a plan ---- */

/* ", 2 held by other gates, such as kueue.x-k8s.io/admission on pod a-0" */
static void add_foreign_gates(const struct group *g, struct skr_strbuf *b)
{
    const struct pod_entry *p, *first = NULL;
    if (g->seats.n_foreign_gate == 0) {
        return;
    }
    DL_FOREACH(g->members, p)
    {
        if (p->seated && p->pod->foreign_gate &&
            (!first || strcmp(p->pod->meta.name, first->pod->meta.name) < 0)) {
            first = p;
        }
    }
    skr_bug_on(!first);
    skr_strbuf_addf(b, ", %zu held by other gates, such as %s on pod %s", g->seats.n_foreign_gate,
                    first->pod->foreign_gate_name, first->pod->meta.name);
}

/* "; 1 pod is no member: a-0 has schedulerName other" */
static void add_strangers(const struct group *g, struct skr_strbuf *b)
{
    if (g->ways.strangers) {
        skr_strbuf_addf(b, "; %s", g->ways.strangers);
    }
}

/* "; RayCluster ray is being deleted" */
static void add_end_of_owner(const struct group *g, struct skr_strbuf *b)
{
    const struct skr_owner *owner = g->derived.owner ? g->derived.owner->owner : NULL;
    if (owner && owner->meta.deleting) {
        skr_strbuf_addf(b, "; %s %s is being deleted", owner->kind, owner->meta.name);
    }
}

/* Members without a role of the key. */
static void unknown_roles(struct group *g)
{
    SKR_STRBUF(text);
    skr_strbuf_addf(&text, "group %s: pod %s has no role of key roles", g->name,
                    g->roles.first_unknown);
    if (g->roles.n_unknown > 1) {
        skr_strbuf_addf(&text, ", nor have %zu others", g->roles.n_unknown - 1);
    }
    skr_strbuf_add(&text, "; ");
    skr_roles_say_missing(g, false, &text);
    skr_group_state_reason(g, SKR_REASON_ROLE_UNKNOWN, text.s);
}

static void missing_members(struct group *g)
{
    SKR_STRBUF(text);
    const bool held = g->seats.n_foreign_gate > 0;
    if (g->roles.keyed && g->roles.n_unknown > 0) {
        unknown_roles(g);
        return;
    }
    skr_roles_say_group(g, held ? g->seats.n_ready : g->seats.n_new, skr_membership_needs(g),
                        held ? SKR_ROLE_READY : SKR_ROLE_PRESENT, &text);
    if (skr_entry_is_derived(g->name)) {
        skr_strbuf_add(&text, " (");
        skr_size_field_add(g, NULL, &text);
        skr_strbuf_addc(&text, ')');
    }
    add_foreign_gates(g, &text);
    if (!g->roles.keyed) {
        add_end_of_owner(g, &text);
    }
    add_strangers(g, &text);
    skr_group_state_reason(g, SKR_REASON_MEMBERS_MISSING, text.s);
}

static void not_found(struct group *g)
{
    char text[400];
    snprintf(text, sizeof text, "group %s is named by %zu pod%s, but by no ConfigMap or PodGroup",
             g->name, g->seats.n_live, g->seats.n_live == 1 ? "" : "s");
    skr_group_state_reason(g, SKR_REASON_GROUP_NOT_FOUND, text);
}

static void not_homogeneous(struct group *g)
{
    SKR_STRBUF(text);
    skr_strbuf_addf(&text, "group %s has members that differ: %s", g->name, g->seats.difference);
    skr_group_state_reason(g, SKR_REASON_PODS_NOT_HOMOGENEOUS, text.s);
}

/* Running pods are not affected by the loss of their definition. Newcomers wait for it; no room is
 * held. */
static void bound_without_source(struct group *g)
{
    SKR_STRBUF(text);
    size_t n = g->seats.n_newcomers;
    skr_strbuf_addf(&text, "group %s is bound, %zu member%s, ", g->name, g->seats.n_bound,
                    g->seats.n_bound == 1 ? "" : "s");
    if (n > 0) {
        skr_strbuf_addf(&text, "but %zu pod%s for the ConfigMap or PodGroup that defined it", n,
                        n == 1 ? " waits" : "s wait");
    } else {
        skr_strbuf_add(&text, "but the ConfigMap or PodGroup that defined it is gone");
    }
    skr_group_state_reason(g, SKR_REASON_GROUP_NOT_FOUND, text.s);
}

static bool had_members_before(const struct group *g)
{
    return g->state == GROUP_BOUND || g->state == GROUP_EVICTED;
}

/* The next generation, or replacements of members of the last one, whose results stay. */
static void start_again(struct skr_gang *e, struct group *g)
{
    if (!skr_generation_goes_on(e, g)) {
        skr_generation_start(g);
        skr_run_limit_start(e, g);
        skr_group_state_set_times(g, 0, 0);
        skr_outputs_forget(g);
    }
    skr_refusal_forget(g);
    skr_vain_forget(g);
    skr_attempt_restart_backoff(g);
    skr_attempt_forget(g);
    skr_membership_changed(g);
}

static void become_ready(struct skr_gang *e, struct group *g)
{
    if (g->state == GROUP_READY || g->state == GROUP_BACKOFF) {
        return;
    }
    skr_group_state_reason(g, SKR_REASON_NONE, NULL);
    skr_attempt_begin(e, g);
    skr_group_state_enter(e, g, GROUP_READY);
}

/* A newcomer waits, and the reason is known: no placement, or the end of a plan that is retried
 * later. */
static bool reason_stands(const struct skr_gang *e, const struct group *g)
{
    return g->seats.n_ready > 0 && (g->attempt.infeasible || g->claims.waits || g->claims.lacks ||
                                    (skr_attempt_is_paused(e, g) && g->reason != SKR_REASON_NONE &&
                                     g->reason != SKR_REASON_MEMBERS_MISSING));
}

static void say_limit_over(const struct skr_gang *e, const struct group *g, struct skr_strbuf *b)
{
    char limit[SKR_DURATION_TEXT_MAX];
    if (skr_run_limit_is_over(e, g)) {
        skr_duration_write(skr_run_limit_of(g), limit, sizeof limit);
        skr_strbuf_addf(b, "; its run-limit of %s is over, so no replacement is placed", limit);
    }
}

static void evaluate_bound(struct skr_gang *e, struct group *g)
{
    size_t size = (size_t)skr_membership_size(g);
    /* adopted: it ran before this process started, or its map is new */
    if (g->state != GROUP_BOUND) {
        skr_group_state_enter(e, g, GROUP_BOUND);
        if (!skr_attempt_is_paused(e, g)) {
            skr_group_state_reason(g, SKR_REASON_NONE, NULL);
        }
        skr_outputs_update(e, g);
    }
    if (g->spec && g->seats.n_ready > 0) {
        skr_attempt_delay_replacement(e, g);
        skr_dirty_plan(e);
        if (!skr_run_limit_is_over(e, g)) {
            skr_wakes_group(e, g, skr_run_limit_end(g));
        }
    }
    if (skr_group_state_defect(g)) {
        skr_group_state_reason(g, SKR_REASON_GROUP_INVALID, skr_group_state_defect(g));
    } else if (g->source.kind == SOURCE_NONE) {
        bound_without_source(g);
    } else if (!g->spec && g->derived.lack != SKR_REASON_NONE && g->seats.n_newcomers > 0) {
        skr_group_state_reason(g, g->derived.lack, g->derived.lack_text);
    } else if (g->seats.n_bound + skr_membership_done(g) >= size ||
               skr_roles_have_minimum(g, SKR_ROLE_BOUND)) {
        skr_group_state_reason(g, SKR_REASON_NONE, NULL);
    } else if (skr_run_limit_is_over(e, g) ||
               (!reason_stands(e, g) && g->reason != SKR_REASON_BIND_FAILED)) {
        SKR_STRBUF(text);
        skr_roles_say_group(g, g->seats.n_bound, size, SKR_ROLE_BOUND, &text);
        say_limit_over(e, g, &text);
        skr_group_state_reason(g, SKR_REASON_MEMBERS_MISSING, text.s);
    }
}

static void evaluate_waiting(struct skr_gang *e, struct group *g)
{
    if (had_members_before(g)) {
        if (g->seats.n_newcomers == 0) { /* keeps its state until a newcomer arrives */
            if (skr_generation_is_finished(g)) {
                skr_group_state_reason(g, SKR_REASON_NONE, NULL);
            } else if (g->state == GROUP_BOUND && g->spec && g->seats.n_live == 0) {
                missing_members(g); /* the last text counted members that are gone since */
            }
            return;
        }
        start_again(e, g);
        skr_group_state_enter(e, g, GROUP_PENDING);
        skr_membership_update(e, g);
    }
    if (g->seats.n_newcomers > 0) {
        skr_group_state_begin(e, g);
    }
    if (skr_group_state_defect(g)) {
        skr_group_state_reason(g, SKR_REASON_GROUP_INVALID, skr_group_state_defect(g));
        skr_group_state_enter(e, g, GROUP_INVALID);
    } else if (!g->spec && g->derived.lack != SKR_REASON_NONE) {
        skr_group_state_reason(g, g->derived.lack, g->derived.lack_text);
        skr_group_state_enter(e, g, GROUP_PENDING);
    } else if (!g->spec) {
        not_found(g);
        skr_group_state_enter(e, g, GROUP_PENDING);
    } else if (g->roles.defect && g->seats.n_ready >= (size_t)skr_membership_size(g)) {
        skr_group_state_reason(g, SKR_REASON_GROUP_INVALID, g->roles.defect);
        skr_group_state_enter(e, g, GROUP_INVALID);
    } else if (g->seats.difference && e->settings.heterogeneous_refuse) {
        not_homogeneous(g);
        skr_group_state_enter(e, g, GROUP_INVALID);
    } else if (!skr_membership_may_be_planned(g)) {
        if (skr_topology_is_usable(e)) {
            missing_members(g);
        } else {
            skr_group_state_no_tree(e, g);
        }
        skr_attempt_doubt(g);
        skr_group_state_enter(e, g, GROUP_PENDING);
    } else {
        become_ready(e, g);
        skr_dirty_plan(e);
    }
}

/* ---- members ---- */

/* Hash of all that skr_members_settle() reads of its group; if it changes, all members look
 * again. */
static uint64_t members_view(const struct skr_gang *e, const struct group *g)
{
    uint64_t view = (uint64_t)g->state;
    view = view * 31 + (uint64_t)g->reason;
    view = view * 31 + g->attempt.infeasible;
    if (g->plan) {
        for (const char *s = g->plan->id; *s; s++) {
            view = view * 31 + (unsigned char)*s;
        }
        view = view * 31 + skr_plan_storage_is_persisted(e, g->plan);
        view = view * 31 + g->plan->aborting;
        view = view * 31 + g->plan->binding;
    }
    return view;
}

static void touch_members(struct skr_gang *e, struct group *g)
{
    uint64_t view = members_view(e, g);
    if (view == g->members_hash) {
        return;
    }
    g->members_hash = view;
    struct pod_entry *p;
    DL_FOREACH(g->members, p)
    {
        skr_dirty_pod(e, p);
    }
}

void skr_lifecycle_evaluate(struct skr_gang *e, struct group *g)
{
    g->evaluated_at = skr_frame_now(e->frame);
    skr_dirty_stamp(e, g);
    skr_restore_late(e, g);
    skr_restore_newer(e, g);
    skr_plan_storage_note_binding(e, g);
    if (skr_group_source_resolve(e, g) && g->plan) {
        skr_plan_loss_changed(e, g);
    }
    skr_group_source_judge_levels(e, g);
    skr_membership_update(e, g);
    if (g->plan) {
        skr_plan_step(e, g);
    }
    if (g->seats.dirty) {
        skr_membership_update(e, g);
    }
    skr_run_limit_settle(e, g);
    if (!g->plan && !skr_preemption_rules_state(e, g)) {
        if (g->seats.n_bound > 0) {
            evaluate_bound(e, g);
        } else {
            evaluate_waiting(e, g);
        }
    }
    skr_seat_holds_settle(e, g);
    skr_arranged_settle(e, g);
    skr_refusal_refresh(e, g);
    skr_rounds_watch(e, g);
    skr_told_settle(e, g);
    skr_measure_group(e, g);
    skr_gate_release_settle(e, g);
    skr_claims_settle(e, g);
    skr_device_turns_see(e, g);
    skr_device_holds_settle(e, g);
    skr_ways_out_watch(e, g);
    skr_pauses_settle(e, g);
    skr_status_update(e, g);
    skr_candidates_note(e, g);
    touch_members(e, g);
    skr_group_objects_settle(e, g);
    if (g->source.kind == SOURCE_PODGROUP && g->source.podgroup && g->source.podgroup->pg->native) {
        skr_native_conditions_settle(e, g, g->source.podgroup);
    }
    skr_overridden_settle(e, g);
}
