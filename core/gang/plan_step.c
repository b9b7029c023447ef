/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A plan's way forward, looked at whenever something about its group changed: is it still good, has
 * kube-scheduler lost interest in a member, have all voted, are all bound.
 */
#include "core/gang/state.h"

#include <string.h>
#include <utlist.h>

/* ---- is it still good? ---- */

static const char *node_problem(struct skr_engine *e, const struct pod_entry *p)
{
    const struct node_entry *n = nodes_find(e, p->plan_node);
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
    if (e->tree && skr_tree_find_leaf(e->tree, p->plan_node) < 0) {
        return "left the topology tree";
    }
    return NULL;
}

/* Counts of the whole gang against the rules on the tree of now; room is the ledger's affair. */
static bool rules_hold(struct skr_engine *e, const struct group *g, struct skr_error *error)
{
    const struct skr_tree *t = e->tree;
    if (!t || !g->spec) {
        return true;
    }
    size_t leaves = (size_t)t->n_leaves;
    int32_t *count = skr_alloc_array(leaves + 1, sizeof *count), total = 0;
    int64_t *room = skr_alloc_array(leaves + 1, sizeof *room), demand = 1;
    struct pod_entry *p;
    DL_FOREACH(g->members, p)
    {
        const char *node = p->plan == g->plan ? p->plan_node : p->pod->node_name;
        if (!skr_pod_is_live(p->pod) || !*node) {
            continue;
        }
        int32_t leaf = skr_tree_find_leaf(t, node);
        if (leaf >= 0) {
            count[leaf]++;
            total++;
        }
    }
    for (size_t i = 0; i < leaves; i++) {
        room[i] = INT32_MAX;
    }
    struct skr_rule *rule = skr_alloc_array((size_t)t->n_levels, sizeof *rule);
    skr_group_rules(g->spec, t, rule, NULL);
    struct skr_problem problem = {.tree = t,
                                  .n = total,
                                  .rule = rule,
                                  .n_resources = 1,
                                  .demand = &demand,
                                  .free = room,
                                  .step_budget = -1};
    bool good = skr_solution_check(&problem, count, error) == 0;
    free(count);
    free(room);
    free(rule);
    return good;
}

static bool still_good(struct skr_engine *e, struct group *g)
{
    struct plan *plan = g->plan;
    char text[512];
    struct skr_error error;
    struct pod_entry *p;
    plan->check_nodes = false;
    DL_FOREACH(g->members, p)
    {
        const char *problem = p->plan == plan && !pods_is_bound(p) ? node_problem(e, p) : NULL;
        if (!problem) {
            continue;
        }
        snprintf(text, sizeof text, "planned node %s %s", p->plan_node, problem);
        plan_abort(e, g, SKR_REASON_NONE, text, false);
        return false;
    }
    if (e->tree && plan->tree != e->tree) {
        if (!rules_hold(e, g, &error)) {
            snprintf(text, sizeof text, "the topology changed: %s", error.text);
            plan_abort(e, g, SKR_REASON_NONE, text, false);
            return false;
        }
        skr_tree_unref(plan->tree);
        plan->tree = skr_tree_ref(e->tree);
    }
    return true;
}

/* A member that was kicked and about which a living scheduler has not asked: its in-tree filters
 * refuse every node, or another plugin keeps it back. While it still comes to other members of the
 * plan, this one may stand behind them in its queue. */
static bool patience_is_over(struct skr_engine *e, struct group *g)
{
    struct pod_entry *p;
    skr_time next = SKR_TIME_NEVER;
    DL_FOREACH(g->members, p)
    {
        if (p->plan != g->plan || !p->kicked_at || p->asked || p->voted || pods_is_bound(p)) {
            continue;
        }
        skr_time since = p->kicked_at > e->verbs_since ? p->kicked_at : e->verbs_since;
        since = g->plan->heard_at > since ? g->plan->heard_at : since;
        skr_time until = since + SKR_KICK_PATIENCE_S * SKR_SECOND;
        bool alive = e->last_verb_at > p->kicked_at ||
                     (*p->pod->scheduled_message && !strstr(p->pod->scheduled_message, "sakkara:"));
        if (until > e->now) {
            next = until < next ? until : next;
        } else if (alive) {
            char text[SKR_MESSAGE_MAX];
            snprintf(text, sizeof text, "pod %s is kept off node %s: %.700s", p->pod->meta.name,
                     p->plan_node,
                     *p->pod->scheduled_message ? p->pod->scheduled_message : "no reason given");
            shape_veto(e, p->shape, p->plan_node);
            if (g->plan->binding_persisted) {
                e->plan_wanted = true; /* stranded now */
                continue;
            }
            plan_abort(e, g, SKR_REASON_FILTERED_BY_OTHERS, text, true);
            return true;
        } else {
            skr_time again = e->now + SKR_SECOND;
            next = again < next ? again : next;
        }
    }
    if (next != SKR_TIME_NEVER) {
        engine_wake_group(e, g, next);
    }
    return false;
}

/* ---- forward ---- */

struct progress {
    size_t unbound, voted, kicked, lacking;
};

static struct progress progress_of(const struct group *g)
{
    struct progress x = {0};
    struct pod_entry *p;
    DL_FOREACH(g->members, p)
    {
        if (p->plan != g->plan || pods_is_bound(p)) {
            continue;
        }
        x.unbound++;
        x.voted += p->voted;
        x.kicked += p->kicked_at != 0;
        x.lacking += !members_nomination_stands(p);
    }
    return x;
}

static void step_before_binding(struct skr_engine *e, struct group *g)
{
    struct plan *plan = g->plan;
    if (plan->check_nodes && !still_good(e, g)) {
        return;
    }
    if (e->now >= plan->deadline) {
        plan_abort(e, g, SKR_REASON_PLAN_TIMEOUT, "not all members reached their bind call in time",
                   true);
        return;
    }
    engine_wake_group(e, g, plan->deadline);
    if (!plan_is_persisted(e, plan)) {
        if (plan_home_is_quiet(e, g) && sink_is_refused(e, g)) {
            plan_abort(e, g, SKR_REASON_PLAN_TIMEOUT, "the plan cannot be written", true);
        } else {
            sink_hurry(e, g);
        }
        return;
    }
    if (patience_is_over(e, g)) {
        return;
    }
    struct progress x = progress_of(g);
    if (x.unbound == x.voted && x.lacking == 0) {
        plan->binding = true;
        plan->deadline = e->now + e->settings.plan_timeout;
        lifecycle_enter(e, g, GROUP_BINDING);
        status_outputs(e, g);
        plan_text_changed(e, plan);
    } else {
        lifecycle_enter(e, g, x.voted ? GROUP_HOLDING : x.kicked ? GROUP_ADMITTING : GROUP_PLANNED);
    }
}

static void finish(struct skr_engine *e, struct group *g)
{
    bool complete = g->plan->n_vacancies == 0;
    plan_destroy(e, g->plan);
    g->end_at = e->now;
    g->attempts = 0;
    lifecycle_reason(g, complete ? SKR_REASON_NONE : SKR_REASON_BIND_FAILED,
                     complete ? NULL : "a member was lost while binding and not replaced in time");
    lifecycle_enter(e, g, GROUP_BOUND);
    status_outputs(e, g);
    sink_hurry(e, g);
    engine_touch_group(e, g);
}

bool plan_is_stranded(struct skr_engine *e, struct pod_entry *p)
{
    if (!p->plan || !p->plan->binding_persisted || pods_is_bound(p) || p->binding ||
        p->binding_unknown) {
        return false;
    }
    const struct node_entry *n = nodes_find(e, p->plan_node);
    if (!n) {
        return true;
    }
    return !p->parked && (skr_pod_shape_check_node(p->shape->spec, n->node) != SKR_ELIGIBLE ||
                          shape_is_vetoed(e, p->shape, p->plan_node));
}

/* Members past the point of no return whose node is gone (a Binding would go to nowhere: the API
 * server accepts it) or is not open to them any more: planner.c solves for them alone. */
static void release_stranded(struct skr_engine *e, struct group *g)
{
    struct plan *plan = g->plan;
    struct pod_entry *p;
    plan->check_nodes = false;
    DL_FOREACH(g->members, p)
    {
        if (p->plan != plan || !plan_is_stranded(e, p)) {
            continue;
        }
        if (p->parked) {
            binding_answer(e, p, SKR_ANSWER_ERROR, SKR_TEXT_BIND_FAILED);
        }
        p->voted = false;
        binding_unqueue(e, p);
        e->plan_wanted = true; /* planner.c solves for these members alone */
    }
}

/* After planTimeout nobody found another node for these. True when no other member is unbound. */
static bool give_up_stranded(struct skr_engine *e, struct group *g)
{
    struct pod_entry *p;
    DL_FOREACH(g->members, p)
    {
        if (p->plan == g->plan && !pods_is_bound(p) && !plan_is_stranded(e, p)) {
            return false;
        }
    }
    DL_FOREACH(g->members, p)
    {
        if (p->plan == g->plan && !pods_is_bound(p)) {
            plan_remove_member(e, p);
        }
    }
    g->seats_dirty = true;
    return true;
}

/* State Binding was asked for and refused, and meanwhile a caller hung up or a node went: the group
 * is Holding as before. */
static bool binding_is_moot(const struct skr_engine *e, const struct group *g)
{
    const struct plan *plan = g->plan;
    if (plan->binding_persisted || !plan_home_is_quiet(e, g)) {
        return false;
    }
    struct progress x = progress_of(g);
    return x.unbound != x.voted || plan->check_nodes || e->now >= plan->deadline;
}

/* A replacement that no text names yet is no member when the object of the plan goes: its seat is
 * free again. */
static void note_recorded(struct skr_engine *e, struct plan *plan)
{
    bool gone = plan->home != SOURCE_LABELS && !sink_annotation(e, plan->group), changed = false;
    struct pod_entry *p;
    DL_FOREACH(plan->group->members, p)
    {
        if (p->plan != plan) {
            continue;
        }
        if (!gone) {
            p->recorded = true;
        } else if (!p->recorded && !pods_is_bound(p)) {
            plan_add_vacancy(e, plan, p);
            plan_remove_member(e, p);
            changed = true;
        }
    }
    if (changed) {
        plan_text_changed(e, plan);
    }
}

static void step_binding(struct skr_engine *e, struct group *g)
{
    struct plan *plan = g->plan;
    if (!plan_is_persisted(e, plan)) {
        if (binding_is_moot(e, g)) {
            plan->binding = false;
            plan_text_changed(e, plan);
            step_before_binding(e, g);
        }
        sink_hurry(e, g);
        return;
    }
    plan->binding_persisted = true;
    note_recorded(e, plan);
    if (plan->rollback) {
        plan_roll_back(e, plan);
        return;
    }
    if (plan->check_nodes) {
        release_stranded(e, g);
    }
    if (plan_seat_replacement(e, plan)) {
        plan_text_changed(e, plan);
        engine_touch_group(e, g);
        return;
    }
    struct progress x = progress_of(g);
    struct pod_entry *p;
    DL_FOREACH(g->members, p)
    {
        if (p->plan == plan && !pods_is_bound(p) && p->parked && !p->binding &&
            !p->binding_queued && members_nomination_stands(p)) {
            binding_queue(e, p);
        }
    }
    if (x.unbound > 0) {
        patience_is_over(e, g);
        engine_wake_group(e, g, plan->deadline > e->now ? plan->deadline : e->now + SKR_SECOND);
        if (e->now < plan->deadline || !give_up_stranded(e, g)) {
            return;
        }
    }
    if (plan->n_vacancies == 0 || e->now >= plan->deadline) {
        finish(e, g);
    } else {
        engine_wake_group(e, g, plan->deadline);
    }
}

void plan_step(struct skr_engine *e, struct group *g)
{
    if (g->plan->aborting) {
        plan_step_abort(e, g);
    } else if (g->plan->binding) {
        step_binding(e, g);
    } else {
        step_before_binding(e, g);
    }
}
