/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The life of a group as a state machine, evaluated whenever something about the group changed.
 *
 *   Pending -> Ready -> Planned -> Admitting -> Holding -> Binding -> Bound
 *                 \-> Backoff (no placement, plan given up)         \-> (no live member, newcomer)
 * Pending Invalid while the source is malformed and nobody runs.
 *
 * Planned to Binding belong to plan.c; who is next to be planned to planner.c. Evaluating twice
 * changes nothing.
 */
#include "core/gang/state.h"

#include <string.h>
#include <utlist.h>

/* ---- states without a plan ---- */

static void missing_members(struct group *g)
{
    char text[300];
    int32_t size = membership_size(g);
    if (g->n_foreign_gate > 0) {
        snprintf(text, sizeof text, "group %s has %zu of %d members ready, %zu held by other gates",
                 g->name, g->n_ready_new, size, g->n_foreign_gate);
    } else {
        snprintf(text, sizeof text, "group %s has %zu of %d members", g->name, g->n_seated_new,
                 size);
    }
    lifecycle_reason(g, SKR_REASON_MEMBERS_MISSING, text);
}

static void not_found(struct group *g)
{
    char text[400];
    snprintf(text, sizeof text, "group %s is named by %zu pod%s, but by no ConfigMap or PodGroup",
             g->name, g->n_live, g->n_live == 1 ? "" : "s");
    lifecycle_reason(g, SKR_REASON_GROUP_NOT_FOUND, text);
}

static void not_homogeneous(struct group *g)
{
    struct skr_strbuf text;
    skr_strbuf_init(&text);
    skr_strbuf_addf(&text, "group %s has members that differ: %s", g->name, g->homogeneity);
    lifecycle_reason(g, SKR_REASON_PODS_NOT_HOMOGENEOUS, text.s);
    skr_strbuf_fini(&text);
}

static bool had_members_before(const struct group *g)
{
    return g->state == GROUP_BOUND;
}

static void start_generation(struct group *g)
{
    g->begin_at = g->end_at = 0;
    g->attempts = 0;
    g->infeasible = false;
    g->failed_epoch = UINT64_MAX;
    free(g->placement);
    free(g->rank);
    g->placement = g->rank = NULL;
    g->seats_dirty = true;
}

static void become_ready(struct skr_engine *e, struct group *g)
{
    if (g->state == GROUP_READY || g->state == GROUP_BACKOFF) {
        return;
    }
    lifecycle_reason(g, SKR_REASON_NONE, NULL);
    g->plan_at = e->now + e->settings.plan_delay;
    engine_wake_group(e, g, g->plan_at);
    g->infeasible = false;
    g->failed_epoch = UINT64_MAX;
    lifecycle_enter(e, g, GROUP_READY);
}

static void evaluate_bound(struct skr_engine *e, struct group *g)
{
    size_t size = (size_t)membership_size(g);
    if (g->state != GROUP_BOUND) { /* adopted: it ran before we came, or its map is new */
        lifecycle_enter(e, g, GROUP_BOUND);
        lifecycle_reason(g, SKR_REASON_NONE, NULL);
        status_outputs(e, g);
    }
    if (g->spec && g->n_ready_new > 0) {
        if (g->delayed_input != g->input_epoch) {
            g->delayed_input = g->input_epoch;
            g->plan_at = e->now + e->settings.plan_delay;
            engine_wake_group(e, g, g->plan_at);
        }
        e->plan_wanted = true;
    }
    if (g->defect) {
        lifecycle_reason(g, SKR_REASON_GROUP_INVALID, g->defect);
    } else if (g->source == SOURCE_NONE) {
        lifecycle_reason(g, SKR_REASON_GROUP_NOT_FOUND, NULL);
    } else if (g->n_bound >= size) {
        lifecycle_reason(g, SKR_REASON_NONE, NULL);
    } else if (!(g->infeasible && g->n_ready_new > 0) && g->reason != SKR_REASON_BIND_FAILED) {
        char text[300];
        snprintf(text, sizeof text, "group %s has %zu of %zu members bound", g->name, g->n_bound,
                 size);
        lifecycle_reason(g, SKR_REASON_MEMBERS_MISSING, text);
    }
}

static void evaluate_waiting(struct skr_engine *e, struct group *g)
{
    if (had_members_before(g)) {
        if (g->n_newcomers == 0) {
            return; /* stays Bound until somebody comes */
        }
        start_generation(g);
        lifecycle_enter(e, g, GROUP_PENDING);
        membership_update(e, g);
    }
    if (g->n_newcomers > 0 && !g->begin_at) {
        g->begin_at = e->now;
    }
    if (g->defect) {
        lifecycle_reason(g, SKR_REASON_GROUP_INVALID, g->defect);
        lifecycle_enter(e, g, GROUP_INVALID);
    } else if (!g->spec) {
        not_found(g);
        lifecycle_enter(e, g, GROUP_PENDING);
    } else if (g->homogeneity && e->settings.heterogeneous_refuse) {
        not_homogeneous(g);
        lifecycle_enter(e, g, GROUP_INVALID);
    } else if (g->n_ready_new < (size_t)membership_size(g)) {
        if (topology_is_usable(e)) {
            missing_members(g);
        } else {
            lifecycle_no_tree(g);
        }
        g->infeasible = false;
        lifecycle_enter(e, g, GROUP_PENDING);
    } else {
        become_ready(e, g);
        e->plan_wanted = true;
    }
}

/* ---- members' business ---- */

/* All that members_settle() reads of its group; when it changes, all members look again. */
static uint64_t members_view(const struct skr_engine *e, const struct group *g)
{
    uint64_t view = (uint64_t)g->state;
    view = view * 31 + (uint64_t)g->reason;
    view = view * 31 + g->infeasible;
    if (g->plan) {
        for (const char *s = g->plan->id; *s; s++) {
            view = view * 31 + (unsigned char)*s;
        }
        view = view * 31 + plan_is_persisted(e, g->plan);
        view = view * 31 + g->plan->aborting;
        view = view * 31 + g->plan->binding;
    }
    return view;
}

static void touch_members(struct skr_engine *e, struct group *g)
{
    uint64_t view = members_view(e, g);
    if (view == g->members_told) {
        return;
    }
    g->members_told = view;
    struct pod_entry *p;
    DL_FOREACH(g->members, p)
    {
        engine_touch_pod(e, p);
    }
}

void lifecycle_evaluate(struct skr_engine *e, struct group *g)
{
    if (!g->restored) {
        restore_group(e, g);
    }
    plan_note_binding(e, g);
    if (sources_resolve(e, g) && g->plan) {
        plan_abort(e, g, SKR_REASON_NONE,
                   g->spec ? "the group was changed" : "the group's definition is gone", false);
    }
    membership_update(e, g);
    if (g->plan) {
        plan_step(e, g);
    }
    if (g->seats_dirty) {
        membership_update(e, g);
    }
    if (!g->plan) {
        if (g->n_bound > 0) {
            evaluate_bound(e, g);
        } else {
            evaluate_waiting(e, g);
        }
    }
    measure_group(e, g);
    release_settle(e, g);
    status_update(e, g);
    touch_members(e, g);
    sink_settle_group(e, g);
}
