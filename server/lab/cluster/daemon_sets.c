/* SPDX-License-Identifier: Apache-2.0 */
/*
 * DaemonSets (kubernetes pkg/controller/daemon): one pod on every node that the template's
 * selector, affinity and tolerations admit. A pod names its node by a required node affinity on
 * metadata.name and waits for a scheduler like any other pod. It tolerates taints that make a node
 * unusable to others. If a node no longer admits a pod because of NoSchedule, its pod stays.
 *
 * An update replaces at most maxUnavailable pods at a time; with maxSurge that many, each after the
 * old one is gone.
 */
#include <stdlib.h>
#include <string.h>

#include "core/pod/pod.h"
#include "server/lab/cluster/cluster_parts.h"
#include "topology/base/arena.h"

#define REVISION "controller-revision-hash"

/* ---- what wakes ---- */

static bool plan_set(void *context, const json_t *set)
{
    struct skr_cluster *c = context;
    skr_cluster_plan(c, SKR_TASK_DAEMON_SET, skr_path_text(set, "metadata.namespace"),
                     skr_path_text(set, "metadata.name"), c->now);
    return true;
}

static bool differs(const struct skr_store_change *change, const char *path)
{
    const json_t *a = skr_path_get(change->object, path), *b = skr_path_get(change->before, path);
    return a != b && !(a && b && json_equal(a, b));
}

static bool admits_others(const struct skr_store_change *change)
{
    return change->kind != SKR_STORE_MODIFIED || differs(change, "metadata.labels") ||
           differs(change, "spec.taints") || differs(change, "spec.unschedulable");
}

void skr_daemon_sets_change(struct skr_cluster *c, const struct skr_store_change *change)
{
    if (strcmp(change->resource->kind, "Node") == 0 && admits_others(change)) {
        skr_store_each(c->store, "DaemonSet", plan_set, c);
    }
}

/* ---- the template, as a pod of it ---- */

static void tolerate(json_t *list, const char *key, const char *effect)
{
    json_t *toleration =
        json_pack("{s:s, s:s, s:s}", "key", key, "operator", "Exists", "effect", effect);
    for (size_t i = 0; i < json_array_size(list); i++) {
        if (json_equal(json_array_get(list, i), toleration)) {
            json_decref(toleration);
            return;
        }
    }
    json_array_append_new(list, toleration);
}

/* The tolerations that every daemon pod gets (AddOrUpdateDaemonPodTolerations). */
static void add_tolerations(json_t *spec)
{
    json_t *list = skr_path_own_array(spec, "tolerations");
    tolerate(list, "node.kubernetes.io/not-ready", "NoExecute");
    tolerate(list, "node.kubernetes.io/unreachable", "NoExecute");
    tolerate(list, "node.kubernetes.io/disk-pressure", "NoSchedule");
    tolerate(list, "node.kubernetes.io/memory-pressure", "NoSchedule");
    tolerate(list, "node.kubernetes.io/pid-pressure", "NoSchedule");
    tolerate(list, "node.kubernetes.io/unschedulable", "NoSchedule");
    if (skr_path_true(spec, "hostNetwork")) {
        tolerate(list, "node.kubernetes.io/network-unavailable", "NoSchedule");
    }
}

/* Replaces the terms by the pod's one node (ReplaceDaemonSetPodNodeNameNodeAffinity). */
static void pin(json_t *spec, const char *node)
{
    json_t *affinity = skr_path_own(spec, "affinity");
    json_t *of_nodes = skr_path_own(affinity, "nodeAffinity");
    json_object_set_new(of_nodes, "requiredDuringSchedulingIgnoredDuringExecution",
                        json_pack("{s:[{s:[{s:s, s:s, s:[s]}]}]}", "nodeSelectorTerms",
                                  "matchFields", "key", "metadata.name", "operator", "In", "values",
                                  node));
}

/* The node that a pod is on or waits for; "" if none. */
static const char *node_of(const json_t *pod)
{
    const char *name = skr_path_text(pod, "spec.nodeName");
    const json_t *terms = skr_path_get(pod, "spec.affinity.nodeAffinity."
                                            "requiredDuringSchedulingIgnoredDuringExecution."
                                            "nodeSelectorTerms");
    const json_t *field =
        json_array_get(json_object_get(json_array_get(terms, 0), "matchFields"), 0);
    const char *wanted = json_string_value(json_array_get(json_object_get(field, "values"), 0));
    return *name != '\0' || !wanted ? name : wanted;
}

static struct skr_pod *decode(const json_t *template)
{
    struct skr_pod *pod = NULL;
    json_auto_t *object = json_pack("{s:{s:s}, s:O?}", "metadata", "name", "template", "spec",
                                    json_object_get(template, "spec"));
    (void)skr_pod_decode(object, &pod, NULL);
    return pod;
}

/* ---- a look at all nodes ---- */

/* One of the set's pods. */
struct daemon {
    const struct skr_worker *worker;
    const char *node; /* the node it is on or waits for */
    bool kept;        /* it is the pod of an existing node */
    bool unneeded;    /* it will be deleted */
};

struct set {
    struct skr_cluster *cluster;
    const json_t *object;
    json_t *template; /* tolerations added */
    char revision[11];
    struct skr_pod *pod;     /* of the template */
    struct skr_pod *settled; /* the same for a node with a pod: NoSchedule does not count */
    struct skr_worker *worker;
    struct daemon *daemon; /* by node, then oldest first */
    size_t n;
    json_t *missing; /* names of nodes that need a pod */
    int64_t desired, current, misscheduled, ready, updated;
};

static int by_node(const void *a, const void *b)
{
    const struct daemon *x = a, *y = b;
    const int rc = strcmp(x->node, y->node);
    if (rc != 0) {
        return rc;
    }
    return x->worker->order < y->worker->order ? -1 : x->worker->order > y->worker->order;
}

/* The first pod of the node, or where it would be inserted. */
static size_t first_on(const struct set *set, const char *node)
{
    size_t low = 0, high = set->n;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (strcmp(set->daemon[middle].node, node) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static bool is_updated(const struct set *set, const struct daemon *d)
{
    const char *revision = skr_path_label(d->worker->object, REVISION);
    return revision && strcmp(revision, set->revision) == 0;
}

/* Of a node's pods the oldest active one stays if it may; failed ones and the rest are deleted. */
static void look_at_pods(struct set *set, const char *node, bool runs, bool stays)
{
    const size_t start = first_on(set, node);
    const struct daemon *first = NULL;
    size_t i = start;
    for (; i < set->n && strcmp(set->daemon[i].node, node) == 0; i++) {
        struct daemon *d = &set->daemon[i];
        d->kept = d->worker->active && !first && stays;
        d->unneeded = !d->kept;
        first = d->kept ? d : first;
    }
    set->desired += runs ? 1 : 0;
    set->misscheduled += i > start && !runs ? 1 : 0;
    set->current += i > start && runs ? 1 : 0;
    set->ready += first && runs && first->worker->ready ? 1 : 0;
    set->updated += first && runs && is_updated(set, first) ? 1 : 0;
    if (runs && i == start) {
        json_array_append_new(set->missing, json_string(node));
    }
}

static bool look_at_node(void *context, const json_t *object)
{
    struct set *set = context;
    struct skr_node *node;
    if (skr_node_decode(object, &node, NULL) < 0) {
        return true;
    }
    const bool runs = skr_pod_shape_check_node(set->pod->shape, node) == SKR_ELIGIBLE;
    const bool stays = skr_pod_shape_check_node(set->settled->shape, node) == SKR_ELIGIBLE;
    look_at_pods(set, node->meta.name, runs, stays);
    skr_node_destroy(node);
    return true;
}

/* ---- what is done about it ---- */

static void take_away(const struct set *set, const struct daemon *d)
{
    if (!d->worker->deleting) {
        skr_cluster_delete(set->cluster, "Pod", d->worker->namespace_, d->worker->name, NULL, -1);
    }
}

static void make(const struct set *set, const char *node)
{
    const struct skr_pod_plan plan = {
        .metadata = json_pack("{s:{s:s}}", "labels", REVISION, set->revision)};
    json_auto_t *template = skr_path_copy(set->template);
    pin(json_object_get(template, "spec"), node);
    (void)skr_workload_create_pod(set->cluster, set->object, template, &plan);
}

/* Replaces pods of an older template while enough others are ready. */
static void update(const struct set *set)
{
    const json_t *share = skr_path_get(set->object, "spec.updateStrategy.rollingUpdate."
                                                    "maxUnavailable");
    const json_t *surge = skr_path_get(set->object, "spec.updateStrategy.rollingUpdate.maxSurge");
    int64_t may_go = skr_workload_share(share, set->desired, true);
    if (strcmp(skr_path_text(set->object, "spec.updateStrategy.type"), "RollingUpdate") != 0) {
        return;
    }
    if (may_go == 0) {
        may_go = skr_workload_share(surge, set->desired, true);
    }
    may_go = (may_go > 0 ? may_go : 1) - (set->desired - set->ready);
    for (size_t i = 0; i < set->n; i++) {
        const struct daemon *d = &set->daemon[i];
        if (!d->kept || is_updated(set, d)) {
            continue;
        }
        if (!d->worker->ready) { /* it is not available anyway */
            take_away(set, d);
        } else if (may_go > 0) {
            may_go--;
            take_away(set, d);
        }
    }
}

static json_t *status_of(const struct set *set)
{
    json_t *status = json_pack(
        "{s:I, s:I, s:I, s:I, s:I}", "currentNumberScheduled", (json_int_t)set->current,
        "numberMisscheduled", (json_int_t)set->misscheduled, "desiredNumberScheduled",
        (json_int_t)set->desired, "numberReady", (json_int_t)set->ready, "observedGeneration",
        (json_int_t)skr_path_int(set->object, "metadata.generation", 0));
    if (set->updated > 0) {
        json_object_set_new(status, "updatedNumberScheduled", json_integer(set->updated));
    }
    if (set->ready > 0) {
        json_object_set_new(status, "numberAvailable", json_integer(set->ready));
    }
    if (set->desired > set->ready) {
        json_object_set_new(status, "numberUnavailable", json_integer(set->desired - set->ready));
    }
    return status;
}

static void reconcile(struct set *set)
{
    struct skr_cluster *c = set->cluster;
    size_t i;
    json_t *node;
    skr_store_each(c->store, "Node", look_at_node, set);
    for (i = 0; i < set->n; i++) {
        const struct daemon *d = &set->daemon[i];
        /* Pods bound to a deleted node are left to the pod garbage collector. */
        if (d->unneeded || (!d->kept && !d->worker->bound)) {
            take_away(set, d);
        }
    }
    json_array_foreach(set->missing, i, node)
    {
        make(set, json_string_value(node));
    }
    if (json_array_size(set->missing) == 0) {
        update(set);
    }
}

static void begin(struct set *set)
{
    set->n = skr_workload_pods(set->cluster, set->object, &set->worker);
    set->daemon = skr_alloc_array(set->n + 1, sizeof *set->daemon);
    for (size_t i = 0; i < set->n; i++) {
        set->daemon[i] =
            (struct daemon){.worker = &set->worker[i], .node = node_of(set->worker[i].object)};
    }
    qsort(set->daemon, set->n, sizeof *set->daemon, by_node);
    set->missing = json_array();
    skr_workload_hash(skr_path_get(set->object, "spec.template"), set->revision);
    set->template = skr_path_copy(skr_path_get(set->object, "spec.template"));
    json_t *spec = json_object_get(set->template, "spec");
    add_tolerations(spec);
    set->pod = decode(set->template);
    json_auto_t *any = skr_path_copy(set->template);
    json_array_append_new(skr_path_own_array(json_object_get(any, "spec"), "tolerations"),
                          json_pack("{s:s, s:s}", "operator", "Exists", "effect", "NoSchedule"));
    set->settled = decode(any);
}

static void end(struct set *set)
{
    free(set->daemon);
    skr_workload_let_go(set->worker, set->n);
    json_decref(set->missing);
    json_decref(set->template);
    skr_pod_destroy(set->pod);
    skr_pod_destroy(set->settled);
}

void skr_daemon_sets_run(struct skr_cluster *c, json_t *object)
{
    struct set set = {.cluster = c, .object = object};
    if (skr_path_get(object, "metadata.deletionTimestamp")) {
        return;
    }
    begin(&set);
    if (set.pod && set.settled) { /* else the API server would refuse the template */
        reconcile(&set);
        skr_cluster_set_status(c, "DaemonSet", object, status_of(&set));
    }
    end(&set);
}
