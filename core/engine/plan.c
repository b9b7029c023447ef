/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A plan: which member goes to which node with which rank, from the solver's answer to the last
 * Binding.
 *
 *   made        members charged in the ledger (RESERVED), text asked to be written to the group's
 * object persisted   the object carries exactly the text: only now may members be nominated,
 * ungated, accepted in filter Binding     wanted once every member has voted; persisted with the
 * ranks; only now may a Binding be posted, and from here there is only forward aborting    the text
 * is wanted away; only when the object is seen without it is the room given back
 *
 * "Persisted" is always read off the cached object, never remembered: a user who wipes the
 * annotation stops the plan until it stands again.
 */
#include "core/engine/state.h"

#include <string.h>
#include <utlist.h>

struct plan *plan_create(struct skr_engine *e, struct group *g)
{
    skr_bug_on(g->plan);
    struct plan *plan = skr_alloc(sizeof *plan);
    plan->group = g;
    plan->order = ++e->n_plans;
    plan->home = g->source;
    plan->replacement = g->n_bound > 0;
    plan->created_at = e->now;
    plan->deadline = e->now + e->settings.plan_timeout;
    plan->tree = e->tree ? skr_tree_ref(e->tree) : NULL;
    g->plan = plan;
    DL_APPEND2(e->planned, g, pprev, pnext);
    return plan;
}

void plan_add_member(struct skr_engine *e, struct plan *plan, struct pod_entry *p, const char *node,
                     int32_t rank)
{
    skr_bug_on(p->plan);
    p->plan = plan;
    p->plan_node = engine_name(e, node);
    p->plan_rank = rank;
    p->stands = STANDS_UNKNOWN;
    p->recorded = false;
    p->kicked_at = 0;
    p->asked = p->kick_again = p->kicked_again = p->voted = false;
    p->told_event = NULL;
    plan->n_members++;
    if (!pods_is_bound(p))
        skr_ledger_charge(e->ledger, p->uid, p->plan_node, &p->shape->amounts, SKR_CHARGE_RESERVED);
    engine_touch_pod(e, p);
}

void plan_remove_member(struct skr_engine *e, struct pod_entry *p)
{
    if (!p->plan)
        return;
    if (!pods_is_bound(p)) {
        struct node_entry *n = nodes_find(e, p->plan_node);
        if (n)
            n->changed_at = e->now;
        skr_ledger_release(e->ledger, p->uid);
    }
    binding_unqueue(e, p);
    p->plan->n_members--;
    p->plan = NULL;
    p->plan_node = NULL;
    p->plan_rank = -1;
    p->voted = p->asked = p->kick_again = false;
    p->kicked_at = 0;
    engine_touch_pod(e, p);
}

static void vacancy_fini(struct skr_engine *e, struct vacancy *v)
{
    skr_ledger_release(e->ledger, v->uid);
    shape_unref(e, v->shape);
    free(v->uid);
}

void plan_destroy(struct skr_engine *e, struct plan *plan)
{
    struct group *g = plan->group;
    struct pod_entry *p;
    DL_FOREACH(g->members, p)
    {
        if (p->plan != plan)
            continue;
        if (p->parked && !pods_is_bound(p))
            binding_answer(e, p, SKR_ANSWER_ERROR, SKR_TEXT_ABORTED);
        plan_remove_member(e, p);
    }
    for (size_t i = 0; i < plan->n_vacancies; i++)
        vacancy_fini(e, &plan->vacancy[i]);
    DL_DELETE2(e->planned, g, pprev, pnext);
    g->plan = NULL;
    g->seats_dirty = true;
    skr_tree_unref(plan->tree);
    free(plan->vacancy);
    free(plan->abort_message);
    free(plan->anchor);
    free(plan->text);
    free(plan);
}

bool plan_uses_node(const struct plan *plan, const char *node)
{
    struct pod_entry *p;
    DL_FOREACH(plan->group->members, p)
    {
        if (p->plan == plan && !pods_is_bound(p) && strcmp(p->plan_node, node) == 0)
            return true;
    }
    return false;
}

/* ---- the text ---- */

static size_t record_members(const struct plan *plan, struct skr_plan_member *member)
{
    struct pod_entry *p;
    size_t n = 0;
    DL_FOREACH(plan->group->members, p)
    {
        if (p->plan == plan)
            member[n++] = (struct skr_plan_member){p->uid, p->plan_node, p->plan_rank};
    }
    for (size_t i = 0; i < plan->n_vacancies; i++)
        member[n++] = (struct skr_plan_member){plan->vacancy[i].uid, plan->vacancy[i].node,
                                               plan->vacancy[i].rank};
    return n;
}

static int by_uid(const void *a, const void *b)
{
    const struct skr_plan_member *m = a, *o = b;
    return strcmp(m->uid, o->uid);
}

void plan_text_changed(struct skr_engine *e, struct plan *plan)
{
    struct skr_plan_record r = {.has_members = true,
                                .state = plan->binding ? SKR_PLAN_BINDING : SKR_PLAN_PLANNED};
    memcpy(r.id, plan->id, sizeof r.id);
    r.member = skr_alloc_array(plan->n_members + plan->n_vacancies + 1, sizeof *r.member);
    r.n_members = record_members(plan, r.member);
    qsort(r.member, r.n_members, sizeof *r.member, by_uid);
    free(plan->text);
    plan->text = skr_plan_write(&r, &plan->dropped_members);
    free(r.member);
    if (plan->anchor) { /* a member's own annotation holds both */
        struct pod_entry *p = pods_find(e, plan->anchor);
        struct skr_strbuf b;
        skr_strbuf_init(&b);
        skr_strbuf_add(&b, "{\"node\":");
        skr_strbuf_add_json(&b, p && p->plan == plan ? p->plan_node : "");
        skr_strbuf_addc(&b, ',');
        skr_strbuf_add(&b, plan->text + 1);
        free(plan->text);
        plan->text = skr_strbuf_take(&b, NULL);
        if (p)
            engine_touch_pod(e, p);
    }
    sink_hurry(e, plan->group);
}

/* Of those that the plan places: the loss of one who runs already must not end it. */
static const struct pod_entry *oldest_member(const struct plan *plan)
{
    const struct pod_entry *p, *best = NULL;
    DL_FOREACH(plan->group->members, p)
    {
        if (p->plan != plan || !skr_pod_is_live(p->pod))
            continue;
        if (!best || p->pod->meta.created < best->pod->meta.created ||
            (p->pod->meta.created == best->pod->meta.created &&
             strcmp(p->pod->meta.name, best->pod->meta.name) < 0))
            best = p;
    }
    return best;
}

void plan_commit(struct skr_engine *e, struct plan *plan)
{
    struct skr_plan_member *member = skr_alloc_array(plan->n_members + 1, sizeof *member);
    size_t n = record_members(plan, member);
    skr_plan_id(plan->group->namespace_, plan->group->name, member, n, plan->id);
    free(member);
    if (plan->home == SOURCE_LABELS) {
        const struct pod_entry *oldest = oldest_member(plan);
        plan->anchor = skr_strdup(oldest->uid);
    }
    plan_text_changed(e, plan);
}

bool plan_is_persisted(const struct skr_engine *e, const struct plan *plan)
{
    const char *have;
    if (plan->anchor) {
        const struct pod_entry *p = pods_find(e, plan->anchor);
        if (!p)
            return plan->binding_persisted;
        have = skr_labels_get(&p->pod->meta.annotations, SKR_ANNOTATION_PLAN);
    } else if (plan->home == SOURCE_LABELS) { /* nobody is left to carry it */
        return plan->binding_persisted;
    } else {
        have = sink_annotation(e, plan->group);
        if (!have) /* the object is gone: a started Binding is finished from the members */
            return plan->binding_persisted;
    }
    return have && plan->text && strcmp(have, plan->text) == 0;
}

void plan_note_binding(struct skr_engine *e, struct group *g)
{
    struct plan *plan = g->plan;
    if (plan && plan->home == SOURCE_NONE) /* its object was gone, and may be there again */
        plan->home = g->maps ? SOURCE_MAP : g->podgroup ? SOURCE_PODGROUP : SOURCE_NONE;
    if (plan && plan->binding && !plan->aborting && plan_is_persisted(e, plan))
        plan->binding_persisted = true;
}

/* ---- giving up ---- */

void plan_abort(struct skr_engine *e, struct group *g, enum skr_reason reason, const char *message,
                bool backoff)
{
    struct plan *plan = g->plan;
    if (!plan || plan->aborting || plan->binding_persisted)
        return;
    plan->aborting = true;
    plan->binding = false;
    plan->abort_reason = reason;
    plan->abort_message = skr_strdup(message);
    plan->abort_backoff = backoff;
    e->n_aborts++;
    out_decision(e, g->key, "", "Plan aborted", skr_reason_name(reason), message, false);
    struct pod_entry *p;
    DL_FOREACH(g->members, p)
    {
        if (p->plan != plan)
            continue;
        if (p->parked)
            binding_answer(e, p, SKR_ANSWER_ERROR, SKR_TEXT_ABORTED);
        p->voted = false;
        binding_unqueue(e, p);
        engine_touch_pod(e, p);
    }
    g->seats_dirty = true;
    g->input_epoch++;
    sink_hurry(e, g);
    engine_touch_group(e, g);
}

static const struct sink *home_sink(const struct group *g)
{
    if (g->plan->home == SOURCE_PODGROUP)
        return g->podgroup ? &g->podgroup->sink : NULL;
    return g->plan->home == SOURCE_MAP && g->map ? &g->map->sink : NULL;
}

bool plan_home_is_quiet(const struct skr_engine *e, const struct group *g)
{
    if (g->plan->anchor) {
        const struct pod_entry *p = pods_find(e, g->plan->anchor);
        return !p || p->plan != g->plan || (!p->write && !p->must_read);
    }
    const struct sink *sink = home_sink(g);
    return !sink || (!sink->write && !sink->must_read);
}

/* The object carries nothing of the plan any more, and no write of ours could bring it back. */
static bool abort_is_done(const struct skr_engine *e, const struct group *g)
{
    const struct plan *plan = g->plan;
    if (!plan_home_is_quiet(e, g))
        return false;
    if (plan->anchor) {
        const struct pod_entry *p = pods_find(e, plan->anchor);
        if (!p || p->plan != plan) /* what a lost member carries counts for nothing */
            return true;
        const char *have = skr_labels_get(&p->pod->meta.annotations, SKR_ANNOTATION_PLAN);
        return !have || !*have || !strstr(have, "\"members\"");
    }
    const char *have = sink_annotation(e, g);
    return !have || !*have;
}

static void abort_finish(struct skr_engine *e, struct group *g)
{
    struct plan *plan = g->plan;
    enum skr_reason reason = plan->abort_reason;
    char *message = skr_strdup(plan->abort_message);
    bool backoff = plan->abort_backoff;
    plan_destroy(e, plan);
    lifecycle_reason(g, reason, message);
    free(message);
    free(g->placement);
    free(g->rank);
    g->placement = g->rank = NULL;
    if (backoff)
        lifecycle_backoff(e, g);
    else
        lifecycle_enter(e, g, GROUP_PENDING);
    engine_touch_group(e, g);
}

/* ---- loss of members ---- */

static void add_vacancy(struct skr_engine *e, struct plan *plan, struct pod_entry *p)
{
    skr_grow(&plan->vacancy, &plan->cap_vacancies, plan->n_vacancies + 1, sizeof *plan->vacancy);
    struct vacancy *v = &plan->vacancy[plan->n_vacancies++];
    size_t n = strlen(p->uid) + sizeof "vacancy:";
    v->uid = skr_alloc(n);
    snprintf(v->uid, n, "vacancy:%s", p->uid);
    v->node = p->plan_node;
    v->rank = p->plan_rank;
    v->shape = p->shape;
    v->shape->refs++;
    skr_ledger_release(e->ledger, p->uid);
    skr_ledger_charge(e->ledger, v->uid, v->node, &v->shape->amounts, SKR_CHARGE_RESERVED);
}

/* The member that carried the text of a group from labels is gone: another one carries it on. */
static void move_anchor(struct plan *plan, const struct pod_entry *lost)
{
    if (!plan->anchor || strcmp(plan->anchor, lost->uid) != 0)
        return;
    const struct pod_entry *next = oldest_member(plan);
    free(plan->anchor);
    plan->anchor = next ? skr_strdup(next->uid) : NULL;
}

void plan_pod_lost(struct skr_engine *e, struct pod_entry *p)
{
    struct plan *plan = p->plan;
    if (p->parked)
        binding_answer(e, p, SKR_ANSWER_ERROR, plan ? SKR_TEXT_ABORTED : SKR_TEXT_REPLACED);
    if (!plan)
        return;
    struct group *g = plan->group;
    bool bound = pods_is_bound(p);
    if (plan->binding && !plan->aborting && plan->binding_persisted && !bound) {
        add_vacancy(e, plan, p);
        plan_remove_member(e, p);
        move_anchor(plan, p);
        out_decision(e, g->key, p->key, "Member lost while binding", "", "its seat is kept", false);
        plan->rollback = e->settings.rollback_partial;
        plan_text_changed(e, plan);
    } else {
        plan_remove_member(e, p);
        if (!bound) {
            char text[400];
            snprintf(text, sizeof text, "member %s is gone", p->pod->meta.name);
            plan_abort(e, g, SKR_REASON_MEMBERS_MISSING, text, false);
        } else {
            move_anchor(plan, p);
            plan_text_changed(e, plan);
        }
    }
    engine_touch_group(e, g);
}

bool plan_seat_replacement(struct skr_engine *e, struct plan *plan)
{
    struct group *g = plan->group;
    if (plan->n_vacancies == 0)
        return false;
    if (plan->home != SOURCE_LABELS && !sink_annotation(e, g))
        return false; /* no object could tell that the newcomer belongs to the plan */
    struct pod_entry *p, *best = NULL;
    DL_FOREACH(g->members, p)
    {
        if (p->plan || pods_is_bound(p) || !skr_pod_is_live(p->pod) || p->pod->foreign_gate ||
            p->pod->other_gang)
            continue;
        if (!best || strcmp(p->pod->meta.name, best->pod->meta.name) < 0)
            best = p;
    }
    if (!best)
        return false;
    size_t at = 0; /* lowest rank first */
    for (size_t i = 1; i < plan->n_vacancies; i++) {
        if (plan->vacancy[i].rank < plan->vacancy[at].rank)
            at = i;
    }
    struct vacancy v = plan->vacancy[at];
    plan->vacancy[at] = plan->vacancy[--plan->n_vacancies];
    skr_ledger_release(e->ledger, v.uid);
    best->seated = true;
    plan_add_member(e, plan, best, v.node, v.rank);
    best->plan_retries = 1;
    if (plan->home == SOURCE_LABELS && !plan->anchor)
        plan->anchor = skr_strdup(best->uid);
    shape_unref(e, v.shape);
    free(v.uid);
    return true;
}

/* onPartialBind: rollback. Bindings in flight come to their end first: who is bound is deleted. */
static void roll_back(struct skr_engine *e, struct plan *plan)
{
    struct pod_entry *p;
    DL_FOREACH(plan->group->members, p)
    {
        if (p->plan == plan && (p->binding || p->binding_unknown))
            return;
    }
    DL_FOREACH(plan->group->members, p)
    {
        if (p->plan != plan || !pods_is_bound(p))
            continue;
        struct skr_strbuf b;
        skr_strbuf_init(&b);
        skr_strbuf_add(&b, "{\"apiVersion\":\"v1\",\"kind\":\"DeleteOptions\",\"preconditions\":{"
                           "\"uid\":");
        skr_strbuf_add_json(&b, p->uid);
        skr_strbuf_add(&b, "}}");
        out_write(e, SKR_WRITE_DELETE_POD, SKR_WRITE_CLASS_EVICT, p->pod->meta.namespace_,
                  p->pod->meta.name, &b, WRITE_FOR_ROLLBACK, p->uid);
        skr_strbuf_fini(&b);
    }
    plan->binding_persisted = false;
    plan_abort(e, plan->group, SKR_REASON_BIND_FAILED,
               "a Binding failed; bound members are deleted", true);
}

/* ---- is it still good? ---- */

static const char *node_problem(struct skr_engine *e, const struct pod_entry *p)
{
    const struct node_entry *n = nodes_find(e, p->plan_node);
    if (!n)
        return "does not exist any more";
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
    if (e->tree && skr_tree_find_leaf(e->tree, p->plan_node) < 0)
        return "left the topology tree";
    return NULL;
}

/* Counts of the whole gang against the rules on the tree of now; room is the ledger's affair. */
static bool rules_hold(struct skr_engine *e, const struct group *g, struct skr_error *error)
{
    const struct skr_tree *t = e->tree;
    if (!t || !g->spec)
        return true;
    size_t leaves = (size_t)t->n_leaves;
    int32_t *count = skr_alloc_array(leaves + 1, sizeof *count), total = 0;
    int64_t *room = skr_alloc_array(leaves + 1, sizeof *room), demand = 1;
    struct pod_entry *p;
    DL_FOREACH(g->members, p)
    {
        const char *node = p->plan == g->plan ? p->plan_node : p->pod->node_name;
        if (!skr_pod_is_live(p->pod) || !*node)
            continue;
        int32_t leaf = skr_tree_find_leaf(t, node);
        if (leaf >= 0) {
            count[leaf]++;
            total++;
        }
    }
    for (size_t i = 0; i < leaves; i++)
        room[i] = INT32_MAX;
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
        if (!problem)
            continue;
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
 * refuse every node, or another plugin keeps it back. */
static bool patience_is_over(struct skr_engine *e, struct group *g)
{
    struct pod_entry *p;
    skr_time next = SKR_TIME_NEVER;
    DL_FOREACH(g->members, p)
    {
        if (p->plan != g->plan || !p->kicked_at || p->asked || p->voted || pods_is_bound(p))
            continue;
        skr_time since = p->kicked_at > e->verbs_since ? p->kicked_at : e->verbs_since;
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
    if (next != SKR_TIME_NEVER)
        engine_wake_group(e, g, next);
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
        if (p->plan != g->plan || pods_is_bound(p))
            continue;
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
    if (plan->check_nodes && !still_good(e, g))
        return;
    if (e->now >= plan->deadline) {
        plan_abort(e, g, SKR_REASON_PLAN_TIMEOUT, "not all members reached their bind call in time",
                   true);
        return;
    }
    engine_wake_group(e, g, plan->deadline);
    if (!plan_is_persisted(e, plan)) {
        if (plan_home_is_quiet(e, g) && sink_is_refused(e, g))
            plan_abort(e, g, SKR_REASON_PLAN_TIMEOUT, "the plan cannot be written", true);
        else
            sink_hurry(e, g);
        return;
    }
    if (patience_is_over(e, g))
        return;
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
        p->binding_unknown)
        return false;
    const struct node_entry *n = nodes_find(e, p->plan_node);
    if (!n)
        return true;
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
        if (p->plan != plan || !plan_is_stranded(e, p))
            continue;
        if (p->parked)
            binding_answer(e, p, SKR_ANSWER_ERROR, SKR_TEXT_BIND_FAILED);
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
        if (p->plan == g->plan && !pods_is_bound(p) && !plan_is_stranded(e, p))
            return false;
    }
    DL_FOREACH(g->members, p)
    {
        if (p->plan == g->plan && !pods_is_bound(p))
            plan_remove_member(e, p);
    }
    g->seats_dirty = true;
    return true;
}

/* State Binding was asked for and refused, and meanwhile a caller hung up or a node went: the group
 * is Holding as before. */
static bool binding_is_moot(const struct skr_engine *e, const struct group *g)
{
    const struct plan *plan = g->plan;
    if (plan->binding_persisted || !plan_home_is_quiet(e, g))
        return false;
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
        if (p->plan != plan)
            continue;
        if (!gone) {
            p->recorded = true;
        } else if (!p->recorded && !pods_is_bound(p)) {
            add_vacancy(e, plan, p);
            plan_remove_member(e, p);
            changed = true;
        }
    }
    if (changed)
        plan_text_changed(e, plan);
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
        roll_back(e, plan);
        return;
    }
    if (plan->check_nodes)
        release_stranded(e, g);
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
            !p->binding_queued && members_nomination_stands(p))
            binding_queue(e, p);
    }
    if (x.unbound > 0) {
        patience_is_over(e, g);
        engine_wake_group(e, g, plan->deadline > e->now ? plan->deadline : e->now + SKR_SECOND);
        if (e->now < plan->deadline || !give_up_stranded(e, g))
            return;
    }
    if (plan->n_vacancies == 0 || e->now >= plan->deadline)
        finish(e, g);
    else
        engine_wake_group(e, g, plan->deadline);
}

void plan_step(struct skr_engine *e, struct group *g)
{
    if (g->plan->aborting) {
        if (abort_is_done(e, g))
            abort_finish(e, g);
        else
            sink_hurry(e, g);
    } else if (g->plan->binding) {
        step_binding(e, g);
    } else {
        step_before_binding(e, g);
    }
}
