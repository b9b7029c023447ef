/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a change of a pod means: for its group and its seats, its plan, its charge, its open bind
 * call, and whoever waits for the node that it was nominated to.
 *
 * A pod is charged to its node from the moment the cache shows it bound until it is terminal or
 * gone; a member of a plan is charged by plan.c before that. The newest resourceVersion wins,
 * whether it came by watch or as the acknowledgement of our own write.
 */
#include "core/gang/state.h"

#include <string.h>
#include <utlist.h>

/* ---- membership of groups and nodes' nominations ---- */

static void leave_group(struct skr_engine *e, struct pod_entry *p)
{
    struct group *g = p->group;
    if (!g) {
        return;
    }
    DL_DELETE(g->members, p);
    g->n_members--;
    g->seats_dirty = true;
    g->input_epoch++;
    p->group = NULL;
    p->seated = false;
    engine_touch_group(e, g);
}

static void join_group(struct skr_engine *e, struct pod_entry *p, struct group *g)
{
    pods_forget_accepted(p);
    p->group = g;
    if (p->ordinary) {
        DL_DELETE(e->ordinary, p);
    }
    p->ordinary = false;
    DL_APPEND(g->members, p);
    g->n_members++;
    g->seats_dirty = true;
    g->input_epoch++;
    const char *retries = skr_labels_get(&p->pod->meta.labels, SKR_LABEL_RETRIES);
    long long had = retries ? strtoll(retries, NULL, 10) : 0;
    p->trials_base = g->trials - (had > 0 ? (uint64_t)had : 0);
    engine_touch_group(e, g);
}

static void update_group(struct skr_engine *e, struct pod_entry *p)
{
    const char *name = p->ours ? pods_group_name(p->pod) : NULL;
    struct group *g = name ? groups_get(e, p->pod->meta.namespace_, name) : NULL;
    if (g == p->group) {
        return;
    }
    if (p->plan) {
        plan_pod_lost(e, p);
    }
    leave_group(e, p);
    if (g) {
        join_group(e, p, g);
    }
}

/* Whoever waited for a trace on the node to vanish before being kicked there looks again. */
static void wake_awaiting(struct skr_engine *e, struct node_entry *n)
{
    struct group *g;
    struct pod_entry *p;
    if (!n->awaited) {
        return;
    }
    n->awaited = false;
    DL_FOREACH2(e->planned, g, pnext)
    {
        DL_FOREACH(g->members, p)
        {
            if (p->plan && strcmp(p->plan_node, n->name) == 0) {
                engine_touch_pod(e, p);
            }
        }
    }
}

static void update_nomination(struct skr_engine *e, struct pod_entry *p, bool gone)
{
    const char *node = p->pod->nominated_node;
    bool counts = !gone && p->ours && *node && !pods_is_bound(p) && skr_pod_is_live(p->pod);
    struct node_entry *want = counts ? nodes_get(e, node) : NULL;
    if (want == p->nominated_on) {
        return;
    }
    if (p->nominated_on) {
        struct node_entry *was = p->nominated_on;
        DL_DELETE2(was->nominated, p, nprev, nnext);
        wake_awaiting(e, was);
    }
    p->nominated_on = want;
    if (want) {
        DL_APPEND2(want->nominated, p, nprev, nnext);
    }
}

static void node_freed(struct skr_engine *e, const char *node)
{
    struct node_entry *n = node && *node ? nodes_find(e, node) : NULL;
    if (n) {
        n->changed_at = e->now;
    }
}

static bool is_terminal(const struct skr_pod *pod)
{
    return pod->phase == SKR_POD_SUCCEEDED || pod->phase == SKR_POD_FAILED;
}

/* Bound pods that still use their node are charged to it; others only by plan.c and binding.c. */
static void update_charge(struct skr_engine *e, struct pod_entry *p)
{
    if (pods_is_bound(p) && !is_terminal(p->pod)) {
        enum skr_charge_kind kind;
        const char *on = skr_ledger_find(e->ledger, p->uid, &kind);
        if (!on || kind != SKR_CHARGE_BOUND || strcmp(on, p->pod->node_name) != 0) {
            skr_ledger_charge(e->ledger, p->uid, engine_name(e, p->pod->node_name),
                              &p->shape->amounts, SKR_CHARGE_BOUND);
        }
    } else if (is_terminal(p->pod) && skr_ledger_find(e->ledger, p->uid, NULL)) {
        node_freed(e, p->pod->node_name);
        skr_ledger_release(e->ledger, p->uid);
    }
}

static void note_success(struct group *g, const struct pod_entry *p)
{
    if (p->pod->phase == SKR_POD_SUCCEEDED && pods_is_bound(p)) {
        g->gen_succeeded = true;
    }
}

static void update_shape(struct skr_engine *e, struct pod_entry *p)
{
    if (p->shape && strcmp(p->shape->spec->key, p->pod->shape.key) == 0) {
        return;
    }
    struct shape *old = p->shape;
    p->shape = shape_get(e, p->pod);
    enum skr_charge_kind kind;
    const char *on = skr_ledger_find(e->ledger, p->uid, &kind);
    if (on) {
        skr_ledger_charge(e->ledger, p->uid, on, &p->shape->amounts, kind);
    }
    if (p->group) {
        p->group->seats_dirty = true;
        p->group->input_epoch++;
    }
    shape_unref(e, old);
}

/* What of a member's change concerns seats and the solver's input. */
static void compare(struct skr_engine *e, struct pod_entry *p, const struct skr_pod *old)
{
    struct group *g = p->group;
    bool was = old && skr_pod_is_live(old), is = skr_pod_is_live(p->pod);
    if (was && !is) {
        plan_pod_lost(e, p);
    }
    if (!g) {
        return;
    }
    if (!old || was != is || (*old->node_name != '\0') != pods_is_bound(p) ||
        old->foreign_gate != p->pod->foreign_gate || old->other_gang != p->pod->other_gang) {
        g->seats_dirty = true;
        if (!p->plan) {
            g->input_epoch++;
        }
    }
    note_success(g, p);
    engine_touch_group(e, g);
}

void pods_replace(struct skr_engine *e, struct pod_entry *p, struct skr_pod *pod)
{
    struct skr_pod *old = p->pod;
    p->pod = pod;
    p->stands = STANDS_UNKNOWN;
    p->ours = pods_is_ours(e, pod);
    update_shape(e, p);
    update_group(e, p);
    update_nomination(e, p, false);
    compare(e, p, old);
    update_charge(e, p);
    if (pods_is_bound(p) && !p->binding) {
        binding_is_seen(e, p);
    }
    if (p->accepted && (pods_is_bound(p) || *pod->scheduled_reason)) {
        pods_forget_accepted(p);
    }
    pods_note_ordinary(e, p);
    engine_touch_pod(e, p);
    skr_pod_destroy(old);
}

static void entry_remove(struct skr_engine *e, struct pod_entry *p)
{
    plan_pod_lost(e, p);
    if (p->parked) {
        binding_answer(e, p, SKR_ANSWER_ERROR, SKR_TEXT_REPLACED);
    }
    binding_unqueue(e, p);
    leave_group(e, p);
    update_nomination(e, p, true);
    if (skr_ledger_find(e->ledger, p->uid, NULL)) {
        node_freed(e, skr_ledger_find(e->ledger, p->uid, NULL));
        skr_ledger_release(e->ledger, p->uid);
    }
    if (p->dirty) {
        DL_DELETE2(e->dirty_pods, p, dprev, dnext);
    }
    if (p->ordinary) {
        DL_DELETE(e->ordinary, p);
    }
    HASH_DEL(e->pods, p);
    HASH_DELETE(hh_name, e->pods_by_name, p);
    pods_forget_accepted(p);
    skr_pod_destroy(p->pod);
    shape_unref(e, p->shape);
    free(p->uid);
    free(p->key);
    free(p);
}

static struct pod_entry *entry_create(struct skr_engine *e, const struct skr_pod *pod)
{
    struct pod_entry *p = pods_find_name(e, pod->meta.namespace_, pod->meta.name);
    if (p) { /* its deletion was missed: names are unique at any time */
        entry_remove(e, p);
    }
    p = skr_alloc(sizeof *p);
    p->uid = skr_strdup(pod->meta.uid);
    p->key = object_key(pod->meta.namespace_, pod->meta.name);
    p->seen_at = e->now;
    p->plan_rank = -1;
    p->told_status = -1;
    HASH_ADD_KEYPTR(hh, e->pods, p->uid, strlen(p->uid), p);
    HASH_ADD_KEYPTR(hh_name, e->pods_by_name, p->key, strlen(p->key), p);
    return p;
}

void pods_upsert(struct skr_engine *e, struct skr_pod *pod)
{
    if (!*pod->meta.uid) {
        skr_pod_destroy(pod);
        return;
    }
    struct pod_entry *p = pods_find(e, pod->meta.uid);
    /* Answers to Bindings carry no version: what shows a bound pod unbound is older than they. */
    bool old = p && pod->meta.resource_version &&
               pod->meta.resource_version < p->pod->meta.resource_version;
    if (old || (p && pods_is_bound(p) && !*pod->node_name)) {
        skr_pod_destroy(pod);
        return;
    }
    if (!p) {
        p = entry_create(e, pod);
    }
    if (*pod->node_name) {
        p->await_watch = false;
    }
    pods_replace(e, p, pod);
}

void pods_delete(struct skr_engine *e, const char *namespace_, const char *name, const char *uid)
{
    struct pod_entry *p = uid && *uid ? pods_find(e, uid) : pods_find_name(e, namespace_, name);
    if (!p) {
        return;
    }
    struct group *g = p->group;
    entry_remove(e, p);
    if (g) {
        groups_release_if_empty(e, g);
    }
}

void pods_fini(struct skr_engine *e)
{
    struct pod_entry *p, *tmp;
    HASH_ITER(hh, e->pods, p, tmp)
    {
        if (p->parked) {
            HASH_DELETE(hh_parked, e->parked, p);
        }
        p->parked = 0;
        entry_remove(e, p);
    }
}
