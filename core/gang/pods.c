/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pod cache. Every pod of the cluster is in it (all of them use capacity); pods of our
 * schedulers that name a group are also members of that group.
 *
 * A pod is charged to its node from the moment the cache shows it bound until it is terminal or
 * gone; a member of a plan is charged by plan.c before that. The newest resourceVersion wins,
 * whether it came by watch or as the acknowledgement of our own write.
 */
#include "core/gang/state.h"

#include <string.h>
#include <utlist.h>

struct pod_entry *pods_find(const struct skr_engine *e, const char *uid)
{
    struct pod_entry *p = NULL;
    if (uid && *uid) {
        HASH_FIND_STR(e->pods, uid, p);
    }
    return p;
}

static char *key_of(const char *namespace_, const char *name)
{
    size_t n = strlen(namespace_) + strlen(name) + 2;
    char *key = skr_alloc(n);
    snprintf(key, n, "%s/%s", namespace_, name);
    return key;
}

struct pod_entry *pods_find_name(const struct skr_engine *e, const char *namespace_,
                                 const char *name)
{
    struct pod_entry *p;
    char *key = key_of(namespace_, name);
    HASH_FIND(hh_name, e->pods_by_name, key, strlen(key), p);
    free(key);
    return p;
}

bool pods_is_bound(const struct pod_entry *p)
{
    return p->pod->node_name[0] != '\0';
}

bool pods_is_ours(const struct skr_engine *e, const struct skr_pod *pod)
{
    for (size_t i = 0; i < e->settings.n_scheduler_names; i++) {
        if (strcmp(pod->scheduler_name, e->settings.scheduler_name[i]) == 0) {
            return true;
        }
    }
    return false;
}

const char *pods_group_name(const struct skr_pod *pod)
{
    const char *name = skr_labels_get(&pod->meta.labels, SKR_LABEL_GROUP);
    if (!name || !*name) {
        name = skr_labels_get(&pod->meta.labels, SKR_LABEL_POD_GROUP);
    }
    return name && *name ? name : NULL;
}

/* ---- shapes ---- */

struct shape *shape_get(struct skr_engine *e, const struct skr_pod *pod)
{
    struct shape *s;
    HASH_FIND_STR(e->shapes, pod->shape.key, s);
    if (!s) {
        struct skr_error error;
        struct skr_pod_overlay nothing = {0};
        s = skr_alloc(sizeof *s);
        s->holder = skr_pod_overlay(pod, &nothing);
        skr_bug_on(!s->holder);
        s->spec = &s->holder->shape;
        if (skr_amounts_intern(e->resources, &s->spec->requests, &s->amounts, &error) < 0) {
            out_decision(e, "", pod->meta.name, "Requests ignored", "", error.text, true);
        }
        HASH_ADD_KEYPTR(hh, e->shapes, s->spec->key, strlen(s->spec->key), s);
    }
    s->refs++;
    return s;
}

static void drop_vetoes(struct shape *s)
{
    struct veto *v, *vtmp;
    HASH_ITER(hh, s->vetoes, v, vtmp)
    {
        HASH_DEL(s->vetoes, v);
        free(v->node);
        free(v);
    }
    struct probed *q, *qtmp;
    HASH_ITER(hh, s->probed, q, qtmp)
    {
        HASH_DEL(s->probed, q);
        free(q->node);
        free(q);
    }
}

void shape_unref(struct skr_engine *e, struct shape *s)
{
    if (!s || --s->refs > 0) {
        return;
    }
    kept_shape_gone(e, s);
    HASH_DEL(e->shapes, s);
    drop_vetoes(s);
    skr_amounts_fini(&s->amounts);
    skr_pod_destroy(s->holder);
    free(s);
}

bool shape_is_vetoed(struct skr_engine *e, struct shape *s, const char *node)
{
    struct veto *v;
    HASH_FIND_STR(s->vetoes, node, v);
    if (v && v->until <= e->now) {
        shape_unveto(e, s, node);
        v = NULL;
    }
    return v;
}

void shape_veto(struct skr_engine *e, struct shape *s, const char *node)
{
    struct veto *v;
    HASH_FIND_STR(s->vetoes, node, v);
    if (!v) {
        v = skr_alloc(sizeof *v);
        v->node = skr_strdup(node);
        HASH_ADD_KEYPTR(hh, s->vetoes, v->node, strlen(v->node), v);
    }
    v->until = e->now + SKR_VETO_S * SKR_SECOND;
    s->vetoed_once = true;
    e->facts++;
    e->nodes_epoch++;
    kept_touch_node(e, node);
    engine_wake(e, v->until, WAKE_CHANGED, NULL);
}

void shape_unveto(struct skr_engine *e, struct shape *s, const char *node)
{
    struct veto *v;
    HASH_FIND_STR(s->vetoes, node, v);
    if (!v) {
        return;
    }
    e->nodes_epoch++;
    kept_touch_node(e, node);
    HASH_DEL(s->vetoes, v);
    free(v->node);
    free(v);
}

/* ---- ordinary pods ---- */

bool pods_is_waiting(const struct pod_entry *p)
{
    return p->ours && !p->group && !pods_is_bound(p) && skr_pod_is_live(p->pod) && !p->pod->gate &&
           !p->pod->foreign_gate;
}

/* Pods that problems may charge on paper are in a list of their own: those that wait, and those
 * that the scheduler may be binding. In the order in which they became such. */
void pods_note_ordinary(struct skr_engine *e, struct pod_entry *p)
{
    bool is = !p->group && (p->n_accepted > 0 || pods_is_waiting(p));
    if (is == p->ordinary) {
        return;
    }
    p->ordinary = is;
    if (is) {
        DL_APPEND(e->ordinary, p);
    } else {
        DL_DELETE(e->ordinary, p);
    }
}

static void forget_accepted(struct pod_entry *p)
{
    for (size_t i = 0; i < p->n_accepted; i++) {
        free(p->accepted[i]);
    }
    free(p->accepted);
    p->accepted = NULL;
    p->n_accepted = 0;
}

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
    forget_accepted(p);
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
        forget_accepted(p);
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
    forget_accepted(p);
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
    p->key = key_of(pod->meta.namespace_, pod->meta.name);
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
