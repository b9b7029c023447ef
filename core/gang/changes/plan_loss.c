/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ends plans early, and handles members that leave.
 *
 * - Before Binding is persisted: abort. Parked calls are answered, removal of the text is
 *   requested, and the room is released once the object is known to be without it.
 * - After it: the lost member's seat and room stay as a vacancy for its replacement. With
 *   onPartialBind: rollback, the bound members are deleted instead (rollback.c).
 */
#include "core/gang/changes/plan_loss.h"

#include "core/gang/cache/dirty.h"
#include "core/gang/cache/pods.h"
#include "core/gang/cache/shapes.h"
#include "core/gang/group/attempt.h"
#include "core/gang/group/generation.h"
#include "core/gang/group/group_state.h"
#include "core/gang/group/member_order.h"
#include "core/gang/group/membership.h"
#include "core/gang/group/solve_share.h"
#include "core/gang/group/vain.h"
#include "core/gang/plan/bind_calls.h"
#include "core/gang/plan/plan.h"
#include "core/gang/plan/plan_roles.h"
#include "core/gang/plan/plan_storage.h"
#include "core/gang/report/outputs.h"
#include "core/gang/state/output.h"

#include <string.h>
#include <utlist.h>

/* ---- giving up ---- */

/* Its own pods or objects end the plan, not nodes or other groups. */
static bool is_own(enum skr_reason reason)
{
    return reason == SKR_REASON_MEMBERS_MISSING || reason == SKR_REASON_FILTERED_BY_OTHERS ||
           reason == SKR_REASON_PLAN_TIMEOUT;
}

/* own: it counts against the namespace. */
static void give_up(struct skr_gang *e, struct group *g, enum skr_reason reason,
                    const char *message, bool backoff, bool own)
{
    struct plan *plan = g->plan;
    if (!plan || plan->aborting || plan->binding_persisted) {
        return;
    }
    if (own) {
        skr_solve_share_reserved(e, g, skr_frame_now(e->frame) - plan->created_at);
    }
    plan->aborting = true;
    skr_plan_want_binding(e, plan, false);
    plan->abort.reason = reason;
    plan->abort.message = skr_strdup(message);
    plan->abort.backoff = backoff;
    e->stats.aborts++;
    skr_out_decision(e, g->key, "", "Plan aborted", skr_reason_name(reason), message, false);
    struct pod_entry *p;
    DL_FOREACH(g->members, p)
    {
        if (p->plan != plan) {
            continue;
        }
        if (p->work->vote.request) {
            skr_bind_calls_answer(e, p, SKR_ANSWER_ERROR, SKR_TEXT_ABORTED);
        }
        skr_bind_calls_withdraw(p);
        skr_bind_calls_unqueue(e, p);
        skr_dirty_pod(e, p);
    }
    skr_membership_changed(g);
    skr_dirty_input(g);
    skr_plan_storage_hurry(g);
    skr_dirty_group(e, g);
}

void skr_plan_loss_abort(struct skr_gang *e, struct group *g, enum skr_reason reason,
                         const char *message, bool backoff)
{
    give_up(e, g, reason, message, backoff, is_own(reason));
}

void skr_plan_loss_changed(struct skr_gang *e, struct group *g)
{
    const char *text = g->spec ? "the group was changed" : "the group's definition is gone";
    give_up(e, g, SKR_REASON_NONE, text, false, true);
}

/* The object carries nothing of the plan, and no write of ours can restore it. */
static bool abort_is_done(const struct skr_gang *e, const struct group *g)
{
    const struct plan *plan = g->plan;
    if (!skr_plan_storage_is_quiet(e, g)) {
        return false;
    }
    if (plan->anchor) {
        const struct pod_entry *p = skr_pods_find(e, plan->anchor);
        if (!p || p->plan != plan) { /* records on a lost member do not count */
            return true;
        }
        const char *have = skr_labels_get(&p->pod->meta.annotations, SKR_ANNOTATION_PLAN);
        return !have || !*have || !strstr(have, "\"members\"");
    }
    const char *have = skr_plan_storage_text(g);
    return !have || !*have;
}

static void abort_finish(struct skr_gang *e, struct group *g)
{
    struct plan *plan = g->plan;
    enum skr_reason reason = plan->abort.reason;
    char *message = skr_strdup(plan->abort.message);
    bool backoff = plan->abort.backoff;
    skr_vain_note(e, g);
    skr_plan_destroy(e, plan);
    skr_group_state_reason(g, reason, message);
    free(message);
    skr_outputs_forget(g);
    if (backoff) {
        skr_attempt_backoff(e, g);
    } else {
        skr_group_state_enter(e, g, GROUP_PENDING);
    }
    skr_dirty_group(e, g);
}

void skr_plan_loss_step(struct skr_gang *e, struct group *g)
{
    if (abort_is_done(e, g)) {
        abort_finish(e, g);
    } else {
        skr_plan_storage_hurry(g);
    }
}

/* ---- loss of members ---- */

void skr_plan_loss_keep_seat(struct skr_gang *e, struct plan *plan, struct pod_entry *p)
{
    size_t n = strlen(p->uid) + sizeof "vacancy:";
    struct vacancy v = {
        .node = p->place.node, .rank = p->place.rank, .shape = skr_shapes_ref(p->shape)};
    v.uid = skr_alloc(n);
    snprintf(v.uid, n, "vacancy:%s", p->uid);
    skr_plan_roles_note(plan->group, p, &v);
    skr_ledger_release(e->ledger, p->uid);
    skr_plan_add_vacancy(e, plan, v);
}

/* The member that carried the text of a group from labels is gone: chooses another carrier. */
static void move_anchor(struct plan *plan, const struct pod_entry *lost)
{
    if (!plan->anchor || strcmp(plan->anchor, lost->uid) != 0) {
        return;
    }
    skr_plan_set_anchor(plan, skr_plan_oldest_member(plan));
}

void skr_plan_loss_pod(struct skr_gang *e, struct pod_entry *p)
{
    struct plan *plan = p->plan;
    if (p->work->vote.request) {
        skr_bind_calls_answer(e, p, SKR_ANSWER_ERROR, plan ? SKR_TEXT_ABORTED : SKR_TEXT_REPLACED);
    }
    if (!plan) {
        return;
    }
    struct group *g = plan->group;
    bool bound = skr_pods_is_bound(p);
    if (plan->binding && !plan->aborting && plan->binding_persisted && !bound) {
        skr_plan_loss_keep_seat(e, plan, p);
        skr_plan_remove_member(e, p);
        move_anchor(plan, p);
        skr_out_decision(e, g->key, p->key, "Member lost while binding", "", "its seat is kept",
                         false);
        plan->rollback = e->settings.rollback_partial;
        skr_plan_text_changed(e, plan);
    } else {
        skr_plan_remove_member(e, p);
        if (!bound) {
            char text[400];
            snprintf(text, sizeof text, "member %s is gone", p->pod->meta.name);
            skr_plan_loss_abort(e, g, SKR_REASON_MEMBERS_MISSING, text, false);
        } else {
            move_anchor(plan, p);
            skr_plan_text_changed(e, plan);
        }
    }
    skr_dirty_group(e, g);
}

static bool may_take_vacancy(const struct skr_gang *e, const struct group *g,
                             const struct pod_entry *p)
{
    return !p->plan && !skr_pods_is_bound(p) && skr_pod_is_live(p->pod) && !p->pod->foreign_gate &&
           skr_generation_may_replace(e, g, p);
}

static int by_rank(const void *a, const void *b)
{
    const struct vacancy *left = a, *right = b;
    return (left->rank > right->rank) - (left->rank < right->rank);
}

/* A candidate for the vacancy that fits there: the one whose index is its rank, else the first in member
 * order. */
static struct pod_entry *candidate_for(const struct skr_gang *e, const struct group *g,
                                       const struct vacancy *v, struct pod_entry *const *list,
                                       size_t n, enum skr_pod_index_key key, bool *ret_own)
{
    struct pod_entry *best = NULL;
    *ret_own = false;
    for (size_t i = 0; i < n && !*ret_own; i++) {
        if (!may_take_vacancy(e, g, list[i]) || !skr_plan_roles_match(g, v, list[i]) ||
            !skr_ledger_fits(e->ledger, v->node, &list[i]->shape->amounts, v->uid)) {
            continue;
        }
        *ret_own = !v->of_role && v->rank >= 0 && v->rank == skr_member_order_index(list[i], key);
        if (*ret_own || !best || skr_member_order_compare(list[i], best, key) < 0) {
            best = list[i];
        }
    }
    return best;
}

/* The vacancy of the lowest rank that has a candidate of its role, and that candidate. A candidate
 * whose index is the rank of a vacancy comes first. NULL: no candidate. */
static struct pod_entry *replacement_for(const struct skr_gang *e, const struct group *g,
                                         struct plan *plan, size_t *ret_vacancy)
{
    SKR_AUTO_FREE struct pod_entry **list = skr_alloc_array(g->n_members + 1, sizeof *list);
    struct pod_entry *p, *best = NULL;
    size_t n = 0;
    DL_FOREACH(g->members, p)
    {
        if (may_take_vacancy(e, g, p) || p->plan == plan ||
            (skr_pods_is_bound(p) && skr_pod_is_live(p->pod))) {
            list[n++] = p;
        }
    }
    enum skr_pod_index_key key = skr_member_order_key(list, n);
    bool own = false;
    qsort(plan->vacancy, plan->n_vacancies, sizeof *plan->vacancy, by_rank);
    for (size_t k = 0; k < plan->n_vacancies && !own; k++) {
        struct pod_entry *here = candidate_for(e, g, &plan->vacancy[k], list, n, key, &own);
        if (here && (own || !best)) {
            best = here;
            *ret_vacancy = k;
        }
    }
    return best;
}

bool skr_plan_loss_seat_replacement(struct skr_gang *e, struct plan *plan)
{
    struct group *g = plan->group;
    if (plan->n_vacancies == 0) {
        return false;
    }
    if (plan->home != SOURCE_LABELS && !skr_plan_storage_text(g)) {
        return false; /* no object could show that the newcomer belongs to the plan */
    }
    size_t at;
    struct pod_entry *best = replacement_for(e, g, plan, &at);
    if (!best) {
        return false;
    }
    struct vacancy v = plan->vacancy[at];
    plan->vacancy[at] = plan->vacancy[--plan->n_vacancies];
    if (v.of_role) { /* it counts as one of the role before seats are dealt */
        best->role = v.role;
        best->set = v.set;
    }
    skr_ledger_release(e->ledger, v.uid);
    skr_membership_seat(best);
    skr_plan_add_member(e, plan, best, v.node, v.rank);
    skr_plan_set_retries(best, 1);
    if (plan->home == SOURCE_LABELS && !plan->anchor) {
        skr_plan_set_anchor(plan, best);
    }
    skr_shapes_unref(e, v.shape);
    free(v.uid);
    free(v.role_name);
    return true;
}

void skr_plan_loss_end_rollback(struct skr_gang *e, struct plan *plan)
{
    plan->binding_persisted = false;
    skr_plan_loss_abort(e, plan->group, SKR_REASON_BIND_FAILED,
                        "a Binding failed; bound members are deleted", true);
}
