/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ends pods whose node is deleted or evicts them. Pods of a deleted node fail and are deleted after
 * a while (kubernetes pkg/controller/podgc). A NoExecute taint evicts pods that do not tolerate it,
 * or tolerate it only for some seconds (pkg/controller/tainteviction).
 */
#include <stdlib.h>
#include <string.h>

#include "server/lab/cluster/cluster_parts.h"

enum { QUARANTINE_S = 40 };

/* ---- taints ---- */

static bool tolerates(const json_t *toleration, const json_t *taint)
{
    const char *key = skr_path_text(toleration, "key");
    const char *op = skr_path_text(toleration, "operator");
    const char *effect = skr_path_text(toleration, "effect");
    if (*effect != '\0' && strcmp(effect, skr_path_text(taint, "effect")) != 0) {
        return false;
    }
    if (*key != '\0' && strcmp(key, skr_path_text(taint, "key")) != 0) {
        return false;
    }
    return strcmp(op, "Exists") == 0 ||
           ((*op == '\0' || strcmp(op, "Equal") == 0) &&
            strcmp(skr_path_text(toleration, "value"), skr_path_text(taint, "value")) == 0);
}

/* How long the pod tolerates the taint: the longest toleration counts. */
static skr_time tolerated_for(const json_t *pod, const json_t *taint)
{
    const json_t *list = skr_path_get(pod, "spec.tolerations");
    skr_time longest = 0;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *toleration = json_array_get(list, i);
        if (!tolerates(toleration, taint)) {
            continue;
        }
        if (!skr_path_get(toleration, "tolerationSeconds")) {
            return SKR_TIME_NEVER;
        }
        const int64_t seconds = skr_path_int(toleration, "tolerationSeconds", 0);
        const skr_time t = seconds > 0 ? seconds * SKR_SECOND : 0;
        longest = t > longest ? t : longest;
    }
    return longest;
}

/* How long the pod may stay on its node; SKR_TIME_NEVER: forever. */
static skr_time may_stay(struct skr_cluster *c, const json_t *pod)
{
    const json_t *node = skr_store_get(c->store, "Node", "", skr_path_text(pod, "spec.nodeName"));
    const json_t *taints = skr_path_get(node, "spec.taints");
    skr_time shortest = SKR_TIME_NEVER;
    for (size_t i = 0; i < json_array_size(taints); i++) {
        const json_t *taint = json_array_get(taints, i);
        if (strcmp(skr_path_text(taint, "effect"), "NoExecute") == 0) {
            const skr_time t = tolerated_for(pod, taint);
            shortest = t < shortest ? t : shortest;
        }
    }
    return shortest;
}

static bool is_live(const json_t *pod)
{
    const char *phase = skr_path_text(pod, "status.phase");
    return !skr_path_get(pod, "metadata.deletionTimestamp") && strcmp(phase, "Succeeded") != 0 &&
           strcmp(phase, "Failed") != 0;
}

static void look_at_taints(struct skr_cluster *c, const json_t *pod)
{
    const skr_time stay = may_stay(c, pod);
    const char *namespace_ = skr_path_text(pod, "metadata.namespace");
    const char *name = skr_path_text(pod, "metadata.name");
    if (stay == SKR_TIME_NEVER || !is_live(pod)) {
        skr_cluster_unplan(c, SKR_TASK_POD_TAINT, namespace_, name);
    } else {
        skr_cluster_plan(c, SKR_TASK_POD_TAINT, namespace_, name, c->now + stay);
    }
}

/* ---- changes ---- */

struct visit {
    struct skr_cluster *c;
    const char *node;
    bool lost;
};

static bool visit_pod(void *context, const json_t *pod)
{
    struct visit *visit = context;
    if (strcmp(skr_path_text(pod, "spec.nodeName"), visit->node) != 0) {
        return true;
    }
    if (visit->lost) {
        skr_cluster_plan(visit->c, SKR_TASK_POD_LOST, skr_path_text(pod, "metadata.namespace"),
                         skr_path_text(pod, "metadata.name"),
                         visit->c->now + QUARANTINE_S * SKR_SECOND);
    } else {
        look_at_taints(visit->c, pod);
    }
    return true;
}

static void node_changed(struct skr_cluster *c, const struct skr_store_change *change)
{
    struct visit visit = {.c = c,
                          .node = skr_path_text(change->object, "metadata.name"),
                          .lost = change->kind == SKR_STORE_DELETED};
    const json_t *taints = skr_path_get(change->object, "spec.taints");
    const json_t *before = skr_path_get(change->before, "spec.taints");
    if (visit.lost ||
        (taints != before && (json_array_size(taints) > 0 || json_array_size(before) > 0))) {
        skr_store_each(c->store, "Pod", visit_pod, &visit);
    }
}

static void pod_changed(struct skr_cluster *c, const struct skr_store_change *change)
{
    const char *namespace_ = c->shown.namespace_;
    const char *name = c->shown.name;
    const char *node = c->shown.node;
    if (change->kind != SKR_STORE_DELETED && (*node == '\0' || *c->shown.node_before != '\0')) {
        return;
    }
    if (change->kind == SKR_STORE_DELETED) {
        skr_cluster_unplan(c, SKR_TASK_POD_LOST, namespace_, name);
        skr_cluster_unplan(c, SKR_TASK_POD_TAINT, namespace_, name);
        return;
    }
    if (!skr_store_get(c->store, "Node", "", node)) {
        if (change->kind == SKR_STORE_MODIFIED) { /* bound to a missing node */
            skr_cluster_plan(c, SKR_TASK_POD_LOST, namespace_, name,
                             c->now + QUARANTINE_S * SKR_SECOND);
        }
    } else {
        look_at_taints(c, change->object);
    }
}

void skr_node_life_change(struct skr_cluster *c, const struct skr_store_change *change)
{
    if (strcmp(change->resource->kind, "Node") == 0) {
        node_changed(c, change);
    } else if (c->shown.is_pod) {
        pod_changed(c, change);
    }
}

/* ---- tasks ---- */

static void mark(struct skr_cluster *c, const json_t *pod, const char *phase, const char *reason,
                 const char *message)
{
    json_t *status = json_copy(json_object_get(pod, "status"));
    status = status ? status : json_object();
    if (phase && is_live(pod)) {
        json_object_set_new(status, "phase", json_string(phase));
    }
    skr_store_set_condition(status, "DisruptionTarget", "True", reason, message, c->now);
    skr_cluster_set_status(c, "Pod", pod, status);
}

void skr_node_life_lose(struct skr_cluster *c, json_t *pod)
{
    if (skr_store_get(c->store, "Node", "", skr_path_text(pod, "spec.nodeName"))) {
        return; /* the node exists again */
    }
    mark(c, pod, "Failed", "DeletionByPodGC", "PodGC: node no longer exists");
    skr_cluster_delete(c, "Pod", skr_path_text(pod, "metadata.namespace"),
                       skr_path_text(pod, "metadata.name"), NULL, 0);
}

void skr_node_life_turn_out(struct skr_cluster *c, json_t *pod)
{
    if (is_live(pod) && may_stay(c, pod) != SKR_TIME_NEVER) {
        mark(c, pod, NULL, "DeletionByTaintManager",
             "Taint manager: deleting due to NoExecute taint");
        skr_cluster_delete(c, "Pod", skr_path_text(pod, "metadata.namespace"),
                           skr_path_text(pod, "metadata.name"), NULL, -1);
    }
}
