/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kubelets of all nodes: a bound pod runs after a while, ends after its run time, and stops
 * when it is deleted. No image is pulled, nothing is mounted or probed; a running pod is ready. A
 * kubelet does not check again whether a pod fits: its node is never full.
 */
#include <stdio.h>
#include <string.h>

#include "server/lab/cluster/cluster_parts.h"
#include "topology/duration.h"

static bool is_phase(const json_t *pod, const char *phase)
{
    return strcmp(skr_path_text(pod, "status.phase"), phase) == 0;
}

static bool is_deleting(const json_t *pod)
{
    return skr_path_get(pod, "metadata.deletionTimestamp");
}

/* An annotation's duration in nanoseconds; `otherwise` if absent or malformed. */
static skr_time annotated(const json_t *pod, const char *key, skr_time otherwise)
{
    const char *text = skr_path_annotation(pod, key);
    skr_time t;
    if (!text) {
        return otherwise;
    }
    if (strcmp(text, "never") == 0) {
        return SKR_TIME_NEVER;
    }
    return skr_duration_parse(text, &t, NULL) == 0 ? t : otherwise;
}

static skr_time after(const struct skr_cluster *c, skr_time delay)
{
    return delay >= SKR_TIME_NEVER - c->now ? SKR_TIME_NEVER : c->now + delay;
}

/* ---- changes ---- */

static void plan_finish(struct skr_cluster *c, const json_t *pod)
{
    const skr_time usual =
        strcmp(c->shown.controller_kind, "Job") == 0 ? c->options.pod_run : SKR_TIME_NEVER;
    skr_cluster_plan(c, SKR_TASK_POD_FINISH, c->shown.namespace_, c->shown.name,
                     after(c, annotated(pod, SKR_CLUSTER_RUN_FOR, usual)));
}

/* SKR_TIME_NEVER: the pod has no deadline, or has not started. */
static skr_time deadline_of(const json_t *pod)
{
    const int64_t seconds = skr_path_int(pod, "spec.activeDeadlineSeconds", 0);
    const skr_time start = skr_cluster_time(pod, "status.startTime");
    return seconds <= 0 || start == 0 ? SKR_TIME_NEVER : start + seconds * SKR_SECOND;
}

static void plan_stop(struct skr_cluster *c, const json_t *pod)
{
    const skr_time grace = skr_path_int(pod, "metadata.deletionGracePeriodSeconds", 0) * SKR_SECOND;
    skr_time stop = annotated(pod, SKR_CLUSTER_STOP_AFTER, c->options.pod_stop);
    stop = stop < grace ? stop : grace;
    skr_cluster_plan(c, SKR_TASK_POD_STOP, c->shown.namespace_, c->shown.name, after(c, stop));
}

static void pod_changed(struct skr_cluster *c, const struct skr_store_change *change)
{
    const json_t *pod = change->object;
    const json_t *before = change->before;
    const char *namespace_ = c->shown.namespace_;
    const char *name = c->shown.name;
    if (change->kind != SKR_STORE_DELETED && *c->shown.node == '\0') {
        return;
    }
    if (change->kind == SKR_STORE_DELETED) {
        skr_cluster_unplan(c, SKR_TASK_POD_START, namespace_, name);
        skr_cluster_unplan(c, SKR_TASK_POD_FINISH, namespace_, name);
        skr_cluster_unplan(c, SKR_TASK_POD_DEADLINE, namespace_, name);
        skr_cluster_unplan(c, SKR_TASK_POD_STOP, namespace_, name);
        return;
    }
    if (c->shown.deleting) {
        if (!is_deleting(before) || skr_path_get(before, "metadata.deletionGracePeriodSeconds") !=
                                        skr_path_get(pod, "metadata.deletionGracePeriodSeconds")) {
            plan_stop(c, pod);
        }
    } else if (*c->shown.node_before == '\0' && is_phase(pod, "Pending")) {
        skr_cluster_plan(c, SKR_TASK_POD_START, namespace_, name, after(c, c->options.pod_start));
    } else if (is_phase(pod, "Running")) {
        if (!is_phase(before, "Running")) {
            plan_finish(c, pod);
        }
        skr_cluster_plan(c, SKR_TASK_POD_DEADLINE, namespace_, name, deadline_of(pod));
    }
}

static bool has_ready(const json_t *node)
{
    return skr_path_find(skr_path_get(node, "status.conditions"), "type", "Ready");
}

void skr_kubelet_change(struct skr_cluster *c, const struct skr_store_change *change)
{
    if (c->shown.is_pod) {
        pod_changed(c, change);
    } else if (strcmp(change->resource->kind, "Node") == 0 && c->options.node_status &&
               change->kind == SKR_STORE_ADDED && !has_ready(change->object)) {
        skr_cluster_plan(c, SKR_TASK_NODE, "", skr_path_text(change->object, "metadata.name"),
                         c->now);
    }
}

/* ---- statuses ---- */

static json_t *running_state(const struct skr_cluster *c)
{
    return json_pack("{s:{s:o}}", "running", "startedAt", skr_store_time(c->now));
}

static json_t *ended_state(const struct skr_cluster *c, const json_t *pod, int exit_code)
{
    const skr_time start = skr_cluster_time(pod, "status.startTime");
    return json_pack("{s:{s:i, s:s, s:o, s:o}}", "terminated", "exitCode", exit_code, "reason",
                     exit_code == 0 ? "Completed" : "Error", "startedAt",
                     skr_store_time(start != 0 ? start : c->now), "finishedAt",
                     skr_store_time(c->now));
}

/* One status for every container of the list, with a copy of the state (taken). */
static json_t *container_statuses(const json_t *pod, const char *list, json_t *state, bool ready)
{
    const json_t *containers = json_object_get(skr_path_get(pod, "spec"), list);
    json_t *statuses = json_array();
    for (size_t i = 0; i < json_array_size(containers); i++) {
        const json_t *container = json_array_get(containers, i);
        json_t *image = json_string(skr_path_text(container, "image"));
        json_t *status = json_object();
        json_object_set_new_nocheck(status, "name", json_string(skr_path_text(container, "name")));
        json_object_set_nocheck(status, "image", image);
        json_object_set_new_nocheck(status, "imageID", image);
        json_object_set_new_nocheck(status, "ready", json_boolean(ready));
        json_object_set_new_nocheck(status, "started", json_boolean(ready));
        json_object_set_new_nocheck(status, "restartCount", json_integer(0));
        json_object_set_new_nocheck(status, "lastState", json_object());
        json_object_set_nocheck(status, "state", state);
        json_array_append_new(statuses, status);
    }
    json_decref(state);
    return statuses;
}

static json_t *pod_status(const json_t *pod, const char *phase)
{
    json_t *status = json_copy(json_object_get(pod, "status"));
    status = status ? status : json_object();
    json_object_set_new_nocheck(status, "phase", json_string(phase));
    json_object_set_new_nocheck(status, "observedGeneration",
                                json_integer(skr_path_int(pod, "metadata.generation", 1)));
    return status;
}

void skr_kubelet_fini(struct skr_cluster *c)
{
    struct skr_started *last = &c->started;
    json_decref(last->before);
    json_decref(last->conditions);
    json_decref(last->containers);
    json_decref(last->statuses);
    *last = (struct skr_started){.second = 0};
}

/* Shared parts of pods that start in this second. */
static struct skr_started *started_now(struct skr_cluster *c)
{
    if (c->started.second != c->now / SKR_SECOND) {
        skr_kubelet_fini(c);
        c->started.second = c->now / SKR_SECOND;
    }
    return &c->started;
}

/* Sets the conditions of a running pod, from its present ones and the time. */
static void set_conditions(struct skr_cluster *c, json_t *status)
{
    static const char *const conditions[] = {"PodReadyToStartContainers", "Initialized", "Ready",
                                             "ContainersReady"};
    struct skr_started *last = started_now(c);
    json_t *before = json_object_get(status, "conditions");
    if (before && before == last->before) {
        json_object_set_nocheck(status, "conditions", last->conditions);
        return;
    }
    json_decref(last->before);
    last->before = json_incref(before);
    for (size_t i = 0; i < sizeof conditions / sizeof *conditions; i++) {
        skr_store_set_condition(status, conditions[i], "True", "", "", c->now);
    }
    if (!skr_path_find(json_object_get(status, "conditions"), "type", "PodScheduled")) {
        skr_store_set_condition(status, "PodScheduled", "True", "", "", c->now);
    }
    json_decref(last->conditions);
    last->conditions = json_incref(json_object_get(status, "conditions"));
}

/* Borrowed from the shared parts. */
static json_t *running_containers(struct skr_cluster *c, const json_t *pod)
{
    struct skr_started *last = started_now(c);
    json_t *containers = json_object_get(json_object_get(pod, "spec"), "containers");
    if (!last->statuses || containers != last->containers) {
        json_decref(last->containers);
        json_decref(last->statuses);
        last->containers = json_incref(containers);
        last->statuses = container_statuses(pod, "containers", running_state(c), true);
    }
    return last->statuses;
}

void skr_kubelet_start(struct skr_cluster *c, json_t *pod)
{
    if (!is_phase(pod, "Pending") || is_deleting(pod) ||
        !skr_store_get(c->store, "Node", "", skr_path_text(pod, "spec.nodeName"))) {
        return;
    }
    json_t *status = pod_status(pod, "Running");
    set_conditions(c, status);
    const uint32_t address = ++c->addresses;
    json_t *ip =
        json_sprintf("10.%u.%u.%u", 128 + (address >> 16 & 127), address >> 8 & 255, address & 255);
    json_object_set_new_nocheck(status, "podIPs", json_pack("[{s:O}]", "ip", ip));
    json_object_set_new_nocheck(status, "podIP", ip);
    json_object_set_new_nocheck(status, "startTime", skr_store_time(c->now));
    json_object_set_nocheck(status, "containerStatuses", running_containers(c, pod));
    if (json_array_size(skr_path_get(pod, "spec.initContainers")) > 0) {
        json_object_set_new_nocheck(
            status, "initContainerStatuses",
            container_statuses(pod, "initContainers", ended_state(c, pod, 0), true));
    }
    skr_cluster_set_status(c, "Pod", pod, status);
}

/* why: the reason of a pod that ran beyond its deadline; NULL: it ended by itself. */
static void end(struct skr_cluster *c, json_t *pod, int exit_code, const char *why)
{
    const char *reason = exit_code == 0 ? "PodCompleted" : "PodFailed";
    if (!is_phase(pod, "Running") || is_deleting(pod)) {
        return;
    }
    json_t *status = pod_status(pod, exit_code == 0 ? "Succeeded" : "Failed");
    if (why) {
        json_object_set_new_nocheck(status, "reason", json_string(why));
        json_object_set_new_nocheck(
            status, "message",
            json_string("Pod was active on the node longer than the specified deadline"));
    }
    skr_store_set_condition(status, "PodReadyToStartContainers", "False", "", "", c->now);
    skr_store_set_condition(status, "Ready", "False", reason, "", c->now);
    skr_store_set_condition(status, "ContainersReady", "False", reason, "", c->now);
    json_object_set_new_nocheck(
        status, "containerStatuses",
        container_statuses(pod, "containers", ended_state(c, pod, exit_code), false));
    skr_cluster_set_status(c, "Pod", pod, status);
}

void skr_kubelet_end(struct skr_cluster *c, json_t *pod)
{
    const char *text = skr_path_annotation(pod, SKR_CLUSTER_EXIT_CODE);
    end(c, pod, !text || strcmp(text, "0") == 0 ? 0 : 1, NULL);
}

void skr_kubelet_end_late(struct skr_cluster *c, json_t *pod)
{
    if (deadline_of(pod) <= c->now) {
        end(c, pod, 137, "DeadlineExceeded");
    }
}

void skr_kubelet_be_node(struct skr_cluster *c, json_t *node)
{
    json_t *status = json_copy(json_object_get(node, "status"));
    status = status ? status : json_object();
    skr_store_set_condition(status, "Ready", "True", "KubeletReady",
                            "the simulated kubelet is posting ready status", c->now);
    if (*skr_path_text(status, "nodeInfo.kubeletVersion") == '\0') {
        json_object_set_new_nocheck(status, "nodeInfo",
                                    json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s}",
                                              "kubeletVersion", "v1.36.3", "kubeProxyVersion", "",
                                              "osImage", "simulated", "kernelVersion", "none",
                                              "operatingSystem", "linux", "architecture", "amd64",
                                              "containerRuntimeVersion", "simulated://1",
                                              "machineID", "", "systemUUID", "", "bootID", ""));
    }
    skr_cluster_set_status(c, "Node", node, status);
}

void skr_kubelet_stop(struct skr_cluster *c, json_t *pod)
{
    if (is_deleting(pod)) {
        skr_cluster_delete(c, "Pod", skr_path_text(pod, "metadata.namespace"),
                           skr_path_text(pod, "metadata.name"), skr_path_text(pod, "metadata.uid"),
                           0);
    }
}
