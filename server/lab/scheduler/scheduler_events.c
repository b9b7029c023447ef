/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Applies changes of objects to the cache and to the queue: kube-scheduler's eventhandlers.go and
 * the queueing hints of its plugins (1.36).
 *
 *   rejected by      woken by
 *   the extender     every event of a pod with a node (added, changed, deleted), every change of
 *                    a node but heartbeats, every change of the pod itself
 *   NodeResourcesFit a pod with a node was deleted; a node came or grew that could hold it when
 *                    empty; a DeviceClass came or changed
 *   DynamicResources a ResourceClaim, a ResourceSlice or a DeviceClass came, changed or went; the
 *                    pod itself
 *   volumes          a PersistentVolume, a claim of one, or an object of storage.k8s.io came, changed or went; a
 *                    node did; a pod with a node was deleted; the pod itself
 *   NodePorts        a pod with a node and one of its ports was deleted; a node came
 *   NodeAffinity     a node that matches came or got other labels
 *   TaintToleration, a node that passes came or lost taints or the cordon; new tolerations of the
 *   NodeUnschedulable  pod itself
 *
 * If a waiting pod loses its nomination, or is deleted with one, that counts as a deleted pod, for
 * pods of equal or lower priority: they were charged for it. A pod without its last gate goes
 * straight to the active queue.
 */
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#include "core/pod/rules.h"
#include "server/lab/scheduler/scheduler_cache.h"
#include "server/lab/scheduler/scheduler_devices.h"
#include "server/lab/scheduler/scheduler_filters.h"
#include "server/lab/scheduler/scheduler_queue.h"

enum event_kind {
    EVENT_ASSIGNED_ADD,
    EVENT_ASSIGNED_UPDATE,
    EVENT_ASSIGNED_DELETE,
    EVENT_NODE_ADD,
    EVENT_NODE_UPDATE,
    EVENT_CLASS,
    EVENT_DEVICES,
    EVENT_VOLUMES,
};

struct event {
    enum event_kind kind;
    const struct skr_sched_pod *but; /* except this pod, whose change it is */
    bool limited;                    /* to pods of at most this priority */
    int32_t priority;
    bool shrunk;                       /* ASSIGNED_UPDATE: requests shrank */
    const struct skr_sched_node *node; /* NODE_* */
    bool labels, taints, allocatable;  /* NODE_UPDATE: what changed */
};

/* ---- wake-ups ---- */

static bool passes_affinity(const struct skr_sched_pod *p, const struct skr_sched_node *node)
{
    struct skr_node bare = *node->node;
    bare.n_taints = 0;
    bare.unschedulable = false;
    return skr_pod_shape_check_node(p->pod->shape, &bare) == SKR_ELIGIBLE;
}

static bool passes_taints(const struct skr_sched_pod *p, const struct skr_sched_node *node)
{
    enum skr_ineligible found = skr_pod_shape_check_node(p->pod->shape, node->node);
    return found == SKR_ELIGIBLE || found == SKR_INELIGIBLE_SELECTOR;
}

static bool node_helps(const struct skr_sched_pod *p, const struct event *e)
{
    bool is_new = e->kind == EVENT_NODE_ADD;
    unsigned by_taints = SKR_SCHED_BY_TAINT | SKR_SCHED_BY_UNSCHEDULABLE;
    if (!e->node) {
        return false;
    }
    if ((p->rejected_by & SKR_SCHED_BY_FIT) && (is_new || e->allocatable) &&
        skr_sched_fits_empty(p, e->node)) {
        return true;
    }
    if ((p->rejected_by & SKR_SCHED_BY_AFFINITY) && (is_new || e->labels) &&
        passes_affinity(p, e->node)) {
        return true;
    }
    if ((p->rejected_by & SKR_SCHED_BY_PORTS) && is_new) {
        return true;
    }
    return (p->rejected_by & by_taints) && (is_new || e->taints) && passes_taints(p, e->node);
}

static bool helps(const struct skr_sched_pod *p, const struct event *e)
{
    if (p == e->but || (e->limited && p->pod->priority > e->priority)) {
        return false;
    }
    if (p->rejected_by & SKR_SCHED_BY_EXTENDER) {
        return true;
    }
    switch (e->kind) {
    case EVENT_ASSIGNED_ADD:
        return false;
    case EVENT_ASSIGNED_UPDATE:
        return e->shrunk && (p->rejected_by & SKR_SCHED_BY_FIT);
    case EVENT_ASSIGNED_DELETE:
        return (p->rejected_by & (SKR_SCHED_BY_FIT | SKR_SCHED_BY_VOLUMES)) ||
               ((p->rejected_by & SKR_SCHED_BY_PORTS) &&
                skr_pod_port_clash(p->pod->shape, e->but->pod->shape));
    case EVENT_NODE_ADD:
    case EVENT_NODE_UPDATE:
        return (p->rejected_by & SKR_SCHED_BY_VOLUMES) || node_helps(p, e);
    case EVENT_CLASS:
        return p->rejected_by & (SKR_SCHED_BY_FIT | SKR_SCHED_BY_DEVICES);
    case EVENT_DEVICES:
        return p->rejected_by & SKR_SCHED_BY_DEVICES;
    case EVENT_VOLUMES:
        return p->rejected_by & SKR_SCHED_BY_VOLUMES;
    }
    return false;
}

static void wake(struct skr_scheduler_model *s, const struct event *e)
{
    struct skr_sched_pod *p, *next;
    DL_FOREACH_SAFE(s->queue.unschedulable, p, next)
    {
        if (helps(p, e)) {
            skr_sched_queue_wake(&s->queue, p, s->now);
        }
    }
}

void skr_sched_pod_left(struct skr_scheduler_model *s, const struct skr_sched_pod *gone)
{
    struct event e = {.kind = EVENT_ASSIGNED_DELETE, .but = gone};
    wake(s, &e);
}

static void nomination_left(struct skr_scheduler_model *s, const struct skr_sched_pod *p)
{
    struct event e = {
        .kind = EVENT_ASSIGNED_DELETE, .but = p, .limited = true, .priority = p->pod->priority};
    wake(s, &e);
}

/* ---- nodes ---- */

/* Compares conditions without their times: a heartbeat is no change. */
static bool conditions_equal(const json_t *a, const json_t *b)
{
    const json_t *x = json_object_get(json_object_get(a, "status"), "conditions");
    const json_t *y = json_object_get(json_object_get(b, "status"), "conditions");
    if (json_array_size(x) != json_array_size(y)) {
        return false;
    }
    for (size_t i = 0; i < json_array_size(x); i++) {
        const json_t *p = json_array_get(x, i), *q = json_array_get(y, i);
        if (!json_equal(json_object_get(p, "type"), json_object_get(q, "type")) ||
            !json_equal(json_object_get(p, "status"), json_object_get(q, "status"))) {
            return false;
        }
    }
    return true;
}

static bool annotations_equal(const json_t *a, const json_t *b)
{
    const json_t *x = json_object_get(json_object_get(a, "metadata"), "annotations");
    const json_t *y = json_object_get(json_object_get(b, "metadata"), "annotations");
    return x == y || json_equal(x, y);
}

static void follow_names(struct skr_scheduler_model *s)
{
    struct skr_sched_pod *p, *next;
    if (!skr_sched_cache_names_changed(&s->cache)) {
        return;
    }
    HASH_ITER(hh, s->pods, p, next)
    {
        skr_sched_cache_resolve(&s->cache, p);
    }
}

static void node_changed(struct skr_scheduler_model *s, const struct skr_store_change *change)
{
    struct skr_node *node, *old;
    const char *name =
        json_string_value(json_object_get(json_object_get(change->object, "metadata"), "name"));
    if (change->kind == SKR_STORE_DELETED) {
        skr_sched_cache_remove(&s->cache, name ? name : "");
        follow_names(s);
        return;
    }
    /* An undecodable object stays as it was, as with an informer. */
    if (skr_node_decode(change->object, &node, NULL) < 0) {
        return;
    }
    struct event e = {.kind = EVENT_NODE_UPDATE};
    e.node = skr_sched_cache_upsert(&s->cache, node, &old);
    node = e.node->node;
    follow_names(s);
    if (!old) {
        e.kind = EVENT_NODE_ADD;
        wake(s, &e);
        return;
    }
    e.labels = !skr_labels_equal(&old->meta.labels, &node->meta.labels);
    e.taints = old->unschedulable != node->unschedulable || !skr_node_taints_equal(old, node);
    e.allocatable = !skr_quantities_equal(&old->allocatable, &node->allocatable);
    bool other = change->before && (!conditions_equal(change->before, change->object) ||
                                    !annotations_equal(change->before, change->object));
    skr_node_forget(&s->cache.shared, old);
    if (e.labels || e.taints || e.allocatable || other) {
        wake(s, &e);
    }
}

static void class_changed(struct skr_scheduler_model *s, const struct skr_store_change *change)
{
    struct event e = {.kind = EVENT_CLASS};
    skr_sched_cache_class(&s->cache, change);
    follow_names(s);
    if (change->kind != SKR_STORE_DELETED) {
        wake(s, &e);
    }
}

static void devices_changed(struct skr_scheduler_model *s, const struct skr_store_change *change)
{
    struct event e = {.kind = EVENT_DEVICES};
    skr_sched_devices_change(s->cache.devices, change);
    wake(s, &e);
}

/* ---- pods ---- */

void skr_sched_pod_destroy(struct skr_scheduler_model *s, struct skr_sched_pod *p)
{
    skr_sched_devices_keep(p);
    skr_sched_queue_remove(&s->queue, p);
    skr_sched_cache_nominate(&s->cache, p, "");
    skr_sched_cache_release(&s->cache, p);
    if (p->call) {
        HASH_DELETE(hh_call, s->calls, p);
    }
    if (s->bind_next == p) {
        s->bind_next = NULL;
    }
    s->n_volume_waits -= p->volumes_until != 0;
    HASH_DEL(s->pods, p);
    skr_amounts_fini(&p->amounts);
    skr_pod_destroy(p->pod);
    free(p->uid);
    free(p);
}

static void pod_gone(struct skr_scheduler_model *s, struct skr_sched_pod *p)
{
    bool had_node = p->node;
    bool nominated = p->nominated;
    skr_sched_devices_unreserve(s, p);
    skr_sched_queue_remove(&s->queue, p);
    skr_sched_cache_release(&s->cache, p);
    skr_sched_cache_nominate(&s->cache, p, "");
    if (had_node) {
        skr_sched_pod_left(s, p);
    } else if (nominated) {
        nomination_left(s, p);
    }
    skr_sched_pod_destroy(s, p);
}

/* Whether it names its one node, like pods of DaemonSets. */
static bool is_of_daemon_set(const struct skr_pod *pod)
{
    const struct skr_pod_shape *shape = pod->shape;
    return shape->n_terms == 1 && shape->term[0].n == 1 && shape->term[0].requirement[0].is_field &&
           shape->term[0].requirement[0].op == SKR_SELECTOR_IN &&
           shape->term[0].requirement[0].n_values == 1;
}

static bool is_ours(const struct skr_scheduler_model *s, const struct skr_pod *pod)
{
    if (s->options.daemons) {
        return is_of_daemon_set(pod);
    }
    for (size_t i = 0; i < s->options.n_names; i++) {
        if (strcmp(s->options.name[i], pod->scheduler_name) == 0) {
            return true;
        }
    }
    return false;
}

static bool asks_for_less(const struct skr_amounts *old, const struct skr_amounts *now)
{
    for (size_t i = 0; i < old->n; i++) {
        if (skr_amounts_get(now, old->item[i].resource) < old->item[i].amount) {
            return true;
        }
    }
    return false;
}

/* It has a node: charges it there, whatever its state before. */
static void assigned(struct skr_scheduler_model *s, struct skr_sched_pod *p, bool shrunk)
{
    struct event e = {.but = p, .shrunk = shrunk};
    e.kind = p->place == SKR_SCHED_ASSIGNED ? EVENT_ASSIGNED_UPDATE : EVENT_ASSIGNED_ADD;
    skr_sched_queue_remove(&s->queue, p);
    skr_sched_cache_nominate(&s->cache, p, "");
    if (!p->node || strcmp(p->node->name, p->pod->node_name) != 0) {
        skr_sched_cache_release(&s->cache, p);
        skr_sched_cache_charge(&s->cache, p, p->pod->node_name);
    }
    p->place = SKR_SCHED_ASSIGNED;
    skr_sched_devices_keep(p);
    wake(s, &e);
}

static bool tolerations_equal(const struct skr_pod_shape *a, const struct skr_pod_shape *b)
{
    for (size_t i = 0; a->n_tolerations == b->n_tolerations && i < a->n_tolerations; i++) {
        const struct skr_toleration *x = &a->toleration[i], *y = &b->toleration[i];
        if (strcmp(x->key, y->key) != 0 || strcmp(x->value, y->value) != 0 || x->op != y->op ||
            x->any_effect != y->any_effect || x->effect != y->effect) {
            return false;
        }
    }
    return a->n_tolerations == b->n_tolerations;
}

/* Whether a change of the waiting pod itself may help it. */
static bool own_change_helps(const struct skr_sched_pod *p, const struct skr_pod *old, bool shrunk)
{
    unsigned by_taints = SKR_SCHED_BY_TAINT | SKR_SCHED_BY_UNSCHEDULABLE;
    return (p->rejected_by &
            (SKR_SCHED_BY_EXTENDER | SKR_SCHED_BY_DEVICES | SKR_SCHED_BY_VOLUMES)) ||
           (shrunk && (p->rejected_by & SKR_SCHED_BY_FIT)) ||
           ((p->rejected_by & by_taints) && !tolerations_equal(old->shape, p->pod->shape));
}

static void waiting(struct skr_scheduler_model *s, struct skr_sched_pod *p,
                    const struct skr_pod *old, bool shrunk)
{
    bool gated = p->pod->gate || p->pod->foreign_gate;
    bool had_nomination = old && p->nominated;
    if (p->place == SKR_SCHED_ASSUMED || !is_ours(s, p->pod)) {
        return;
    }
    skr_sched_cache_nominate(&s->cache, p, p->pod->nominated_node);
    if (had_nomination && strcmp(old->nominated_node, p->pod->nominated_node) != 0) {
        nomination_left(s, p);
    }
    if (gated && p->place != SKR_SCHED_GATED) {
        skr_sched_queue_add_gated(&s->queue, p);
    } else if (!gated && (p->place == SKR_SCHED_GATED || p->place == SKR_SCHED_OUT)) {
        skr_sched_queue_add(&s->queue, p, s->now);
    } else if (p->place == SKR_SCHED_UNSCHEDULABLE && old && own_change_helps(p, old, shrunk)) {
        skr_sched_queue_wake(&s->queue, p, s->now);
    }
}

/* Charges follow the requests. Returns whether they shrank. */
static bool set_amounts(struct skr_scheduler_model *s, struct skr_sched_pod *p)
{
    struct skr_amounts amounts;
    skr_amounts_resolve(s->cache.resources, &p->pod->shape->requests, &amounts);
    bool shrunk = asks_for_less(&p->amounts, &amounts);
    skr_amounts_fini(&amounts);
    skr_sched_cache_resolve(&s->cache, p);
    return shrunk;
}

/* Takes pod. */
static void pod_changed(struct skr_scheduler_model *s, struct skr_sched_pod *p, struct skr_pod *pod)
{
    struct skr_pod *old = NULL;
    if (!p) {
        p = skr_alloc(sizeof *p);
        p->uid = skr_strdup(pod->meta.uid);
        HASH_ADD_KEYPTR(hh, s->pods, p->uid, strlen(p->uid), p);
    } else {
        old = p->pod;
    }
    p->pod = pod;
    bool same_shape = old && strcmp(old->shape->key, pod->shape->key) == 0;
    bool shrunk = !same_shape && set_amounts(s, p) && old;
    if (pod->node_name[0]) {
        assigned(s, p, shrunk);
    } else {
        waiting(s, p, old, shrunk);
    }
    skr_pod_destroy(old);
}

void skr_sched_take_change(struct skr_scheduler_model *s, const struct skr_store_change *change)
{
    if (strcmp(change->resource->kind, "Node") == 0) {
        node_changed(s, change);
        return;
    }
    if (strcmp(change->resource->kind, "DeviceClass") == 0) {
        class_changed(s, change);
        return;
    }
    if (strcmp(change->resource->kind, "ResourceClaim") == 0 ||
        strcmp(change->resource->kind, "ResourceSlice") == 0) {
        devices_changed(s, change);
        return;
    }
    if (strcmp(change->resource->group, "storage.k8s.io") == 0 ||
        strncmp(change->resource->kind, "PersistentVolume", strlen("PersistentVolume")) == 0) {
        struct event e = {.kind = EVENT_VOLUMES};
        wake(s, &e);
        return;
    }
    if (strcmp(change->resource->kind, "Pod") != 0) {
        return;
    }
    const char *uid =
        json_string_value(json_object_get(json_object_get(change->object, "metadata"), "uid"));
    struct skr_sched_pod *p = NULL;
    struct skr_pod *pod = NULL;
    HASH_FIND_STR(s->pods, uid ? uid : "", p);
    if (change->kind != SKR_STORE_DELETED &&
        skr_pod_decode_shared(s->shapes, change->object, &pod, NULL) < 0) {
        return;
    }
    bool finished = pod && (pod->phase == SKR_POD_SUCCEEDED || pod->phase == SKR_POD_FAILED);
    if (pod && !finished) {
        pod_changed(s, p, pod);
        return;
    }
    skr_pod_destroy(pod);
    if (p) {
        pod_gone(s, p);
    }
}
