/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Answers filter, prioritize and preempt at once, from the caches. An accepted node is not charged,
 * and nothing is written. Filter may be called twice a cycle and is idempotent.
 *
 * The names in a call are evidence about kube-scheduler's own filters. A listed node passes them. A
 * missing node proves something in two cases: kube-scheduler looked at every node, or it had to
 * look at the planned node because that was nominated.
 */
#include "core/gang/bind/verbs.h"

#include "core/gang/cache/booked.h"
#include "core/gang/cache/devices.h"
#include "core/gang/cache/dirty.h"
#include "core/gang/cache/entry.h"
#include "core/gang/cache/fit_cache.h"
#include "core/gang/cache/nodes.h"
#include "core/gang/cache/ordinary.h"
#include "core/gang/cache/pods.h"
#include "core/gang/cache/shapes.h"
#include "core/gang/cache/spare.h"
#include "core/gang/cache/vetoes.h"
#include "core/gang/changes/plan_loss.h"
#include "core/gang/group/claims.h"
#include "core/gang/group/group_state.h"
#include "core/gang/group/group_table.h"
#include "core/gang/group/membership.h"
#include "core/gang/group/refusal.h"
#include "core/gang/group/roles.h"
#include "core/gang/plan/nomination.h"
#include "core/gang/plan/plan.h"
#include "core/gang/plan/plan_storage.h"
#include "core/gang/plan/sampling.h"
#include "core/gang/plan/scheduler_progress.h"
#include "core/gang/state/output.h"
#include "core/gang/state/reason.h"

#include <string.h>
#include <utlist.h>

struct filter_call {
    uint64_t request;
    const struct skr_pod *pod; /* as in the request */
    const char *group;         /* named by a pod of ours; NULL: none */
    size_t n_nodes;
    const char *const *node;
};

static const struct skr_filter_request *filter_of(const struct skr_event *ev)
{
    return ev->request.body;
}

static const struct skr_preempt_request *preempt_of(const struct skr_event *ev)
{
    return ev->request.body;
}

enum {
    NODE_LAG_S = 5, /* kube-scheduler's cache may lag this much behind a change */
};

/* ---- probes and vetoes ---- */

static void note_listed(struct skr_gang *e, const struct pod_entry *p, const char *const *node,
                        size_t n)
{
    bool ended = false;
    for (size_t i = 0; i < n; i++) {
        ended = skr_vetoes_note_listed(e, p->group, p->shape, node[i]) || ended;
    }
    if (ended) {
        skr_dirty_capacity(e);
    }
}

/* kube-scheduler looked at every node. If it left one out that fits as far as we know, a filter we
 * do not have refused it. A node with a recent change or with nominations may be left out for
 * temporary reasons, and one where kube-scheduler still counts a member of the group for that one. */
static void note_left_out(struct skr_gang *e, struct pod_entry *p, const char *const *node,
                          size_t n)
{
    struct node_entry *entry;
    const struct pod_entry *q;
    DL_FOREACH(p->group->members, q)
    {
        const char *counted = q != p ? skr_claims_counted_on(q) : NULL;
        if (counted) {
            skr_nodes_name(e, counted);
        }
    }
    for (size_t at = 0; (entry = skr_nodes_next(e, &at));) {
        if (skr_nodes_take_name(entry) || entry->nominated ||
            entry->changed_at + NODE_LAG_S * SKR_SECOND > skr_frame_now(e->frame) ||
            skr_names_include(node, n, entry->name)) {
            continue;
        }
        if (skr_sampling_could_go(e, p->group, p->shape, p->uid, entry)) {
            skr_vetoes_add(e, p->group, p->shape, entry->name);
        }
    }
}

static void probe(struct skr_gang *e, struct pod_entry *p, const struct filter_call *call)
{
    if (call->n_nodes < 2) {
        return;
    }
    note_listed(e, p, call->node, call->n_nodes);
    if (e->n_nodes < skr_sampling_nodes_min(e)) {
        note_left_out(e, p, call->node, call->n_nodes);
    }
}

/* The planned node was nominated but is not among the names: in-tree filters refused it. */
static void refused(struct skr_gang *e, struct pod_entry *p)
{
    struct group *g = p->group;
    const struct node_entry *n = skr_nodes_find(e, p->place.node);
    if (n && n->changed_at + NODE_LAG_S * SKR_SECOND > skr_frame_now(e->frame) &&
        skr_nomination_repeat(p)) {
        skr_dirty_pod(e, p); /* its cache may be older than ours */
        return;
    }
    bool pauses = skr_refusal_note(e, g, p);
    if (p->plan->binding_persisted) { /* no way back: this member needs another node */
        skr_dirty_plan(e);
        return;
    }
    SKR_STRBUF(text);
    skr_refusal_say(e, g, &text);
    skr_plan_loss_abort(e, g, SKR_REASON_FILTERED_BY_OTHERS, text.s, pauses);
}

/* ---- filter ---- */

static void filter_planned(struct skr_gang *e, struct pod_entry *p, const struct filter_call *call)
{
    /* no nomination has woken it */
    if ((p->pod->n_claims > 0 && skr_plan_waits_for_turn(p)) || skr_devices_wait_for_turn(e, p)) {
        skr_out_answer(e, call->request, SKR_ANSWER_FILTER_NONE, SKR_TEXT_PLANNING);
        skr_nomination_tried(p);
        skr_nomination_turned_away(p, skr_nomination_mark(call->pod));
        return;
    }
    for (size_t i = 0; i < call->n_nodes; i++) {
        if (strcmp(call->node[i], p->place.node) == 0) {
            skr_nomination_heard(e, p);
            skr_claims_assumed(e, p, p->place.node);
            skr_out_answer_one(e, call->request, i);
            return;
        }
    }
    skr_out_answer(e, call->request, SKR_ANSWER_FILTER_NONE, SKR_TEXT_PLANNING);
    skr_nomination_tried(p);
    if (strcmp(call->pod->nominated_node, p->place.node) == 0) {
        refused(e, p);
        return;
    }
    skr_sampling_note_missing(e, p, call->node, call->n_nodes);
    if (skr_nomination_is_missed(p)) {
        skr_dirty_pod(e, p);
    }
}

/* The group that the request's labels name; mostly the one in the cache. */
static const struct group *group_of(const struct skr_gang *e, const struct pod_entry *p,
                                    const struct filter_call *call)
{
    const struct group *known = p ? p->group : NULL;
    const char *namespace_ = call->pod->meta.namespace_;
    if (known && strcmp(known->name, call->group) == 0 &&
        strcmp(known->namespace_, namespace_) == 0) {
        return known;
    }
    SKR_AUTO_FREE char *key = skr_object_key(namespace_, call->group);
    return skr_groups_find(e, key);
}

static void filter_member(struct skr_gang *e, struct pod_entry *p, const struct filter_call *call)
{
    const struct group *g = group_of(e, p, call);
    const char *text = g ? skr_group_state_text(g) : SKR_TEXT_NOT_FOUND;
    if (g && p && p->group == g) {
        skr_claims_note_call(e, p);
        skr_claims_let_go(e, p);
    }
    if (!g || !p || p->group != g) {
        text = g ? SKR_TEXT_MEMBERS : SKR_TEXT_NOT_FOUND; /* the watch will deliver it */
    } else if (p->plan && !p->plan->aborting && skr_plan_storage_is_persisted(e, p->plan)) {
        filter_planned(e, p, call);
        return;
    } else {
        if (skr_membership_is_beyond(g, p)) {
            bool roleless = g->roles.keyed && p->role == SKR_ROLE_UNKNOWN;
            text = roleless                             ? SKR_TEXT_ROLE
                   : skr_membership_is_of_another(g, p) ? SKR_TEXT_GENERATION
                                                        : SKR_TEXT_BEYOND;
        }
        skr_nomination_tried(p);
        if (!p->plan) {
            probe(e, p, call);
            skr_refusal_came(e, p->group, p);
        }
    }
    if (p) {
        skr_nomination_turned_away(p, skr_nomination_mark(call->pod));
    }
    if (p && p->work->answered != text) {
        skr_pods_work(p)->answered = text;
        skr_dirty_pod(e, p);
    }
    skr_out_answer(e, call->request, SKR_ANSWER_FILTER_NONE, text);
}

/* Keeps the pod off the room and the devices of groups. kube-scheduler decides the rest: bound pods, and resources
 * that a node does not list. */
static void filter_ordinary(struct skr_gang *e, struct pod_entry *p, const struct filter_call *call)
{
    size_t n = call->n_nodes, passed = 0;
    struct shape *s = skr_shapes_get(e, call->pod);
    SKR_AUTO_FREE uint8_t *mask = skr_alloc(n / 8 + 1);
    const bool is_late = skr_shapes_are_late(e, call->pod->shape);
    skr_fit_cache_see_changes(e);
    const struct booked_pod single = skr_booked_pod(e, call->pod);
    const bool spares = skr_spare_is_kept_off(e, call->pod);
    const char *const booked = SKR_TEXT_BOOKED;
    const char *text = booked; /* one for all: room of plans is named first, then spares */
    for (size_t i = 0; i < n; i++) {
        const char *node = call->node[i];
        const struct skr_ledger_node *at = skr_ledger_get(e->ledger, node);
        if (skr_ledger_is_kept(e->ledger, at, &s->amounts, call->pod->meta.uid)) {
            text = SKR_TEXT_RESERVED;
        } else if (spares && skr_spare_is_at(e, node)) {
            text = text == booked ? SKR_TEXT_SPARE : text;
        } else if (!skr_booked_keeps(e, &single, &s->amounts, node, at)) {
            mask[i / 8] |= (uint8_t)(1u << (i % 8));
        }
    }
    if (is_late && skr_devices_filter(e, call->pod, p, call->node, n, mask)) {
        text = SKR_TEXT_RESERVED;
    }
    for (size_t i = 0; i < n; i++) {
        passed += (mask[i / 8] & 1u << i % 8) != 0;
    }
    if (passed == n) {
        skr_out_answer(e, call->request, SKR_ANSWER_FILTER_ALL, "");
    } else {
        skr_out_answer_mask(e, call->request, SKR_ANSWER_FILTER_MASK, text, mask, n);
    }
    if (is_late) {
        skr_ordinary_accepted(e, p, call->pod->meta.uid, call->node, n, mask);
    }
    skr_shapes_unref(e, s);
}

void skr_verbs_filter(struct skr_gang *e, const struct skr_event *ev)
{
    const struct skr_pod *pod = filter_of(ev)->pod;
    struct pod_entry *p = skr_pods_find(e, pod->meta.uid);
    SKR_STRBUF(name);
    const bool has = skr_pods_is_ours(e, pod) && skr_entry_name(e, pod, &name);
    const struct filter_call call = {.request = ev->request.id,
                                     .pod = pod,
                                     .group = p && p->group ? p->group->name
                                              : has         ? name.s
                                                            : NULL,
                                     .n_nodes = filter_of(ev)->n_nodes,
                                     .node = filter_of(ev)->node};
    const char *problem = skr_out_not_now(e);
    if (!problem && (p ? skr_pods_is_bound(p) : !!skr_pods_resident_node(e, pod->meta.uid))) {
        problem = SKR_TEXT_ALREADY_BOUND;
    }
    skr_scheduler_progress_heard(e);
    if (problem) {
        skr_out_answer(e, call.request, SKR_ANSWER_ERROR, problem);
        return;
    }
    skr_sampling_note_names(e, pod, call.node, call.n_nodes);
    if (p) {
        skr_scheduler_progress_asked(e, p, call.n_nodes);
    }
    if (call.group) {
        filter_member(e, p, &call);
    } else {
        filter_ordinary(e, p, &call);
    }
}

/* ---- prioritize ---- */

/* Prefers units that are already in use, so that whole units stay free for gangs: 10 if the node
 * itself is in use, less the higher its first used unit is, 0 if nothing below the root is used. */
static void scores_for_ordinary(struct skr_gang *e, const struct skr_event *ev, int8_t *score)
{
    const struct skr_tree *t = e->topology.tree;
    if (!t || t->n_leaves == 0) {
        return;
    }
    SKR_AUTO_FREE uint8_t *used = skr_alloc((size_t)t->n_units);
    for (int32_t i = 0; i < t->n_leaves; i++) {
        const char *node = t->unit_name[t->first_leaf + i];
        used[t->first_leaf + i] = skr_ledger_free(e->ledger, node, SKR_RESOURCE_PODS) <
                                  skr_ledger_allocatable(e->ledger, node, SKR_RESOURCE_PODS);
    }
    for (int32_t u = t->n_units - 1; u > 0; u--) {
        used[t->parent[u]] |= used[u];
    }
    for (size_t i = 0; i < filter_of(ev)->n_nodes; i++) {
        int32_t leaf = skr_tree_find_leaf(t, filter_of(ev)->node[i]);
        int32_t level = t->n_levels, u = leaf < 0 ? 0 : t->first_leaf + leaf;
        for (; leaf >= 0 && u > 0 && !used[u]; u = t->parent[u]) {
            level--;
        }
        score[i] = (int8_t)(leaf < 0 ? 10 : 10 * level / t->n_levels);
    }
}

void skr_verbs_prioritize(struct skr_gang *e, const struct skr_event *ev)
{
    SKR_AUTO_FREE int8_t *score = skr_alloc(filter_of(ev)->n_nodes + 1);
    const struct pod_entry *p = skr_pods_find(e, filter_of(ev)->pod->meta.uid);
    if (!skr_out_not_now(e)) {
        if (p && p->plan && !p->plan->aborting) {
            for (size_t i = 0; i < filter_of(ev)->n_nodes; i++) {
                score[i] = strcmp(filter_of(ev)->node[i], p->place.node) == 0 ? 10 : 0;
            }
        } else if (!skr_entry_has(e, filter_of(ev)->pod)) {
            scores_for_ordinary(e, ev, score);
        }
    }
    skr_out_answer_scores(e, ev->request.id, score, filter_of(ev)->n_nodes);
}

/* ---- preempt ---- */

static bool spares_groups(const struct skr_gang *e, const struct skr_preempt_node *node)
{
    for (size_t i = 0; i < node->n_uids; i++) {
        const struct pod_entry *p = skr_pods_find(e, node->uid[i]);
        if (p && p->group && skr_pod_is_live(p->pod)) {
            return false;
        }
    }
    return true;
}

void skr_verbs_preempt(struct skr_gang *e, const struct skr_event *ev)
{
    size_t n = preempt_of(ev)->n_nodes;
    SKR_AUTO_FREE uint8_t *mask = skr_alloc(n / 8 + 1);
    bool ordinary =
        !(skr_pods_is_ours(e, preempt_of(ev)->pod) && skr_entry_has(e, preempt_of(ev)->pod));
    for (size_t i = 0; ordinary && !skr_out_not_now(e) && i < n; i++) {
        if (spares_groups(e, &preempt_of(ev)->node[i])) {
            mask[i / 8] |= (uint8_t)(1u << (i % 8));
        }
    }
    skr_out_answer_mask(e, ev->request.id, SKR_ANSWER_PREEMPT_MASK, "", mask, n);
}
