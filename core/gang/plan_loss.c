/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The end of a plan before its time, and members that go.
 *
 * - before Binding is persisted, abort: parked calls are answered, the text is wanted away, the
 *   room is given back when the object is known to be without it
 * - after it the lost member's seat and room are kept as a vacancy for its replacement, or, with
 *   onPartialBind: rollback, those that are bound are deleted
 */
#include "core/gang/state.h"

#include <string.h>
#include <utlist.h>

/* ---- giving up ---- */

void plan_abort(struct skr_engine *e, struct group *g, enum skr_reason reason, const char *message,
                bool backoff)
{
    struct plan *plan = g->plan;
    if (!plan || plan->aborting || plan->binding_persisted) {
        return;
    }
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
        if (p->plan != plan) {
            continue;
        }
        if (p->parked) {
            binding_answer(e, p, SKR_ANSWER_ERROR, SKR_TEXT_ABORTED);
        }
        p->voted = false;
        binding_unqueue(e, p);
        engine_touch_pod(e, p);
    }
    g->seats_dirty = true;
    g->input_epoch++;
    sink_hurry(e, g);
    engine_touch_group(e, g);
}

/* The object carries nothing of the plan any more, and no write of ours could bring it back. */
static bool abort_is_done(const struct skr_engine *e, const struct group *g)
{
    const struct plan *plan = g->plan;
    if (!plan_home_is_quiet(e, g)) {
        return false;
    }
    if (plan->anchor) {
        const struct pod_entry *p = pods_find(e, plan->anchor);
        if (!p || p->plan != plan) { /* what a lost member carries counts for nothing */
            return true;
        }
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
    if (backoff) {
        lifecycle_backoff(e, g);
    } else {
        lifecycle_enter(e, g, GROUP_PENDING);
    }
    engine_touch_group(e, g);
}

void plan_step_abort(struct skr_engine *e, struct group *g)
{
    if (abort_is_done(e, g)) {
        abort_finish(e, g);
    } else {
        sink_hurry(e, g);
    }
}

/* ---- loss of members ---- */

void plan_add_vacancy(struct skr_engine *e, struct plan *plan, struct pod_entry *p)
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
    if (!plan->anchor || strcmp(plan->anchor, lost->uid) != 0) {
        return;
    }
    const struct pod_entry *next = plan_oldest_member(plan);
    free(plan->anchor);
    plan->anchor = next ? skr_strdup(next->uid) : NULL;
}

void plan_pod_lost(struct skr_engine *e, struct pod_entry *p)
{
    struct plan *plan = p->plan;
    if (p->parked) {
        binding_answer(e, p, SKR_ANSWER_ERROR, plan ? SKR_TEXT_ABORTED : SKR_TEXT_REPLACED);
    }
    if (!plan) {
        return;
    }
    struct group *g = plan->group;
    bool bound = pods_is_bound(p);
    if (plan->binding && !plan->aborting && plan->binding_persisted && !bound) {
        plan_add_vacancy(e, plan, p);
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
    if (plan->n_vacancies == 0) {
        return false;
    }
    if (plan->home != SOURCE_LABELS && !sink_annotation(e, g)) {
        return false; /* no object could tell that the newcomer belongs to the plan */
    }
    struct pod_entry *p, *best = NULL;
    DL_FOREACH(g->members, p)
    {
        if (p->plan || pods_is_bound(p) || !skr_pod_is_live(p->pod) || p->pod->foreign_gate ||
            p->pod->other_gang) {
            continue;
        }
        if (!best || strcmp(p->pod->meta.name, best->pod->meta.name) < 0) {
            best = p;
        }
    }
    if (!best) {
        return false;
    }
    size_t at = 0; /* lowest rank first */
    for (size_t i = 1; i < plan->n_vacancies; i++) {
        if (plan->vacancy[i].rank < plan->vacancy[at].rank) {
            at = i;
        }
    }
    struct vacancy v = plan->vacancy[at];
    plan->vacancy[at] = plan->vacancy[--plan->n_vacancies];
    skr_ledger_release(e->ledger, v.uid);
    best->seated = true;
    plan_add_member(e, plan, best, v.node, v.rank);
    best->plan_retries = 1;
    if (plan->home == SOURCE_LABELS && !plan->anchor) {
        plan->anchor = skr_strdup(best->uid);
    }
    shape_unref(e, v.shape);
    free(v.uid);
    return true;
}

void plan_roll_back(struct skr_engine *e, struct plan *plan)
{
    struct pod_entry *p;
    DL_FOREACH(plan->group->members, p)
    {
        if (p->plan == plan && (p->binding || p->binding_unknown)) {
            return;
        }
    }
    DL_FOREACH(plan->group->members, p)
    {
        if (p->plan != plan || !pods_is_bound(p)) {
            continue;
        }
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
