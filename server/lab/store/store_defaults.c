/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sets the defaults of kube-apiserver (kubernetes pkg/apis/NAME/v1/defaults.go) and of the
 * admission plugins Priority and DefaultTolerationSeconds, as far as they are visible in a cluster
 * whose containers do not run.
 */
#include <limits.h>
#include <string.h>

#include "server/lab/store/store_parts.h"

static void text(json_t *object, const char *key, const char *value)
{
    if (!json_object_get(object, key)) {
        json_object_set_new_nocheck(object, key, json_string(value));
    }
}

static void number(json_t *object, const char *key, int64_t value)
{
    if (!json_object_get(object, key)) {
        json_object_set_new_nocheck(object, key, json_integer(value));
    }
}

static void flag(json_t *object, const char *key, bool value)
{
    if (!json_object_get(object, key)) {
        json_object_set_new_nocheck(object, key, json_boolean(value));
    }
}

static json_t *object_in(json_t *object, const char *key)
{
    if (!json_is_object(json_object_get(object, key))) {
        json_object_set_new_nocheck(object, key, json_object());
    }
    return json_object_get(object, key);
}

/* ---- pods and templates ---- */

/* Amounts that the list at key does not have. It may be shared with an object that has others. */
static void default_amounts(json_t *object, const char *key, json_t *amounts)
{
    const char *name;
    json_t *amount;
    json_object_foreach(amounts, name, amount)
    {
        if (!json_object_get(json_object_get(object, key), name)) {
            json_object_set_nocheck(skr_path_own(object, key), name, amount);
        }
    }
}

/* Limits imply requests. */
static void default_requests(json_t *resources)
{
    default_amounts(resources, "requests", json_object_get(resources, "limits"));
}

static bool has_tag(const char *image)
{
    const char *slash = strrchr(image, '/');
    const char *rest = slash ? slash : image;
    const char *colon = strchr(rest, ':');
    return strchr(rest, '@') || (colon && strcmp(colon, ":latest") != 0);
}

static void default_containers(json_t *list)
{
    size_t i, j;
    json_t *container, *port;
    if (list && list->refcount > 1) { /* of an object or template in force: has its defaults */
        return;
    }
    json_array_foreach(list, i, container)
    {
        if (container->refcount > 1) { /* the same */
            continue;
        }
        default_requests(object_in(container, "resources"));
        text(container, "terminationMessagePath", "/dev/termination-log");
        text(container, "terminationMessagePolicy", "File");
        text(container, "imagePullPolicy",
             has_tag(skr_path_text(container, "image")) ? "IfNotPresent" : "Always");
        json_array_foreach(json_object_get(container, "ports"), j, port)
        {
            text(port, "protocol", "TCP");
        }
    }
}

void skr_store_default_pod_spec(json_t *spec)
{
    default_containers(json_object_get(spec, "containers"));
    default_containers(json_object_get(spec, "initContainers"));
    text(spec, "restartPolicy", "Always");
    number(spec, "terminationGracePeriodSeconds", 30);
    text(spec, "dnsPolicy", "ClusterFirst");
    (void)object_in(spec, "securityContext");
    text(spec, "schedulerName", "default-scheduler");
    if (*skr_path_text(spec, "serviceAccountName") != '\0') {
        text(spec, "serviceAccount", skr_path_text(spec, "serviceAccountName"));
    }
    json_t *pod_level = json_object_get(spec, "resources");
    if (json_is_object(pod_level)) {
        default_requests(pod_level);
    }
}

/* Admission plugin DefaultTolerationSeconds. */
static void default_toleration(json_t *spec, const char *taint)
{
    json_t *list = json_object_get(spec, "tolerations");
    size_t i;
    json_t *t;
    json_array_foreach(list, i, t)
    {
        const char *key = skr_path_text(t, "key");
        const char *effect = skr_path_text(t, "effect");
        if ((strcmp(key, taint) == 0 || *key == '\0') &&
            (strcmp(effect, "NoExecute") == 0 || *effect == '\0')) {
            return;
        }
    }
    list = skr_path_own_array(spec, "tolerations");
    json_t *toleration = json_object();
    text(toleration, "key", taint);
    text(toleration, "operator", "Exists");
    text(toleration, "effect", "NoExecute");
    number(toleration, "tolerationSeconds", 300);
    json_array_append_new(list, toleration);
}

void skr_born_fini(struct skr_born *born)
{
    json_decref(born->tolerations);
    json_decref(born->containers);
    json_decref(born->status);
    *born = (struct skr_born){.second = 0};
}

static void default_tolerations(json_t *spec, struct skr_born *born)
{
    const bool says_none = born && !json_object_get(spec, "tolerations");
    if (says_none && born->tolerations) {
        json_object_set_nocheck(spec, "tolerations", born->tolerations);
        return;
    }
    default_toleration(spec, "node.kubernetes.io/not-ready");
    default_toleration(spec, "node.kubernetes.io/unreachable");
    if (says_none) {
        born->tolerations = json_incref(json_object_get(spec, "tolerations"));
    }
}

/* Ports of a pod in its node's network are ports of the node; templates do not state them. */
static void default_host_ports(json_t *spec, const char *key)
{
    json_t *list = skr_path_copy(json_object_get(spec, key)); /* it may be shared with a template */
    size_t i, j;
    json_t *container, *port;
    json_array_foreach(list, i, container)
    {
        json_array_foreach(json_object_get(container, "ports"), j, port)
        {
            if (skr_path_int(port, "hostPort", 0) == 0) {
                json_object_set_nocheck(port, "hostPort", json_object_get(port, "containerPort"));
            }
        }
    }
    if (list) {
        json_object_set_new_nocheck(spec, key, list);
    }
}

static void default_pod(json_t *pod, struct skr_born *born)
{
    json_t *spec = object_in(pod, "spec");
    skr_store_default_pod_spec(spec);
    if (skr_path_true(spec, "hostNetwork")) {
        default_host_ports(spec, "containers");
        default_host_ports(spec, "initContainers");
    }
    default_tolerations(spec, born);
    flag(spec, "enableServiceLinks", true);
}

static bool is_zero(const char *quantity)
{
    return strspn(quantity, "0.") == strlen(quantity);
}

/* core/v1/helper/qos: Guaranteed if every container has limits of cpu and memory equal to its
 * requests, BestEffort if none requests either. */
static const char *qos_class(const json_t *spec)
{
    static const char *const names[] = {"cpu", "memory"};
    const json_t *containers = json_object_get(spec, "containers");
    bool guaranteed = json_array_size(containers) > 0;
    bool any = false;
    for (size_t i = 0; i < json_array_size(containers); i++) {
        const json_t *resources = json_object_get(json_array_get(containers, i), "resources");
        for (size_t r = 0; r < 2; r++) {
            const json_t *limit = json_object_get(json_object_get(resources, "limits"), names[r]);
            const json_t *request =
                json_object_get(json_object_get(resources, "requests"), names[r]);
            const char *amount = json_string_value(request);
            any = any || limit || (request && (!amount || !is_zero(amount)));
            guaranteed = guaranteed && limit && json_equal(limit, request) == 1;
        }
    }
    return guaranteed ? "Guaranteed" : (any ? "Burstable" : "BestEffort");
}

static json_t *new_status(const json_t *spec, bool gated, skr_time now)
{
    json_t *status = json_object();
    json_object_set_new_nocheck(status, "phase", json_string("Pending"));
    json_object_set_new_nocheck(status, "qosClass", json_string(qos_class(spec)));
    if (gated) {
        skr_store_set_condition(status, "PodScheduled", "False", "SchedulingGated",
                                "Scheduling is blocked due to non-empty scheduling gates", now);
    }
    return status;
}

void skr_defaults_pod_status(json_t *pod, skr_time now, struct skr_born *born)
{
    const json_t *spec = json_object_get(pod, "spec");
    json_t *containers = json_object_get(spec, "containers");
    const bool gated = json_array_size(json_object_get(spec, "schedulingGates")) > 0;
    if (!containers || containers->refcount == 1) { /* unshared */
        json_object_set_new_nocheck(pod, "status", new_status(spec, gated, now));
        return;
    }
    if (!born->status || born->second != now / SKR_SECOND || born->containers != containers ||
        born->gated != gated) {
        json_decref(born->containers);
        json_decref(born->status);
        born->second = now / SKR_SECOND;
        born->containers = json_incref(containers);
        born->gated = gated;
        born->status = new_status(spec, gated, now);
    }
    json_object_set_nocheck(pod, "status", born->status);
}

static void default_template(json_t *spec)
{
    json_t *template = json_object_get(spec, "template");
    if (json_is_object(template)) {
        (void)object_in(template, "metadata");
        skr_store_default_pod_spec(object_in(template, "spec"));
    }
}

/* ---- workloads ---- */

/* The labels by which a Job finds its pods (batch/job/strategy.go, generateSelector). */
static void label_job(json_t *job, json_t *spec)
{
    const char *uid = skr_path_text(job, "metadata.uid");
    const char *name = skr_path_text(job, "metadata.name");
    json_t *labels = object_in(object_in(object_in(spec, "template"), "metadata"), "labels");
    if (skr_path_true(spec, "manualSelector")) {
        return;
    }
    text(labels, "batch.kubernetes.io/controller-uid", uid);
    text(labels, "batch.kubernetes.io/job-name", name);
    text(labels, "controller-uid", uid);
    text(labels, "job-name", name);
    if (!json_object_get(spec, "selector")) {
        json_object_set_new_nocheck(
            spec, "selector",
            json_pack("{s:{s:s}}", "matchLabels", "batch.kubernetes.io/controller-uid", uid));
    }
}

static void default_job(json_t *job)
{
    json_t *spec = object_in(job, "spec");
    if (!json_object_get(spec, "completions") && !json_object_get(spec, "parallelism")) {
        number(spec, "completions", 1);
    }
    number(spec, "parallelism", 1);
    number(spec, "backoffLimit", json_object_get(spec, "backoffLimitPerIndex") ? INT_MAX : 6);
    text(spec, "completionMode", "NonIndexed");
    flag(spec, "suspend", false);
    flag(spec, "manualSelector", false);
    text(spec, "podReplacementPolicy",
         json_object_get(spec, "podFailurePolicy") ? "Failed" : "TerminatingOrFailed");
    if (json_is_object(skr_path_get(spec, "template.spec")) &&
        *skr_path_text(spec, "template.spec.restartPolicy") == '\0') {
        /* A Job must set Never or OnFailure: the default of pods would hide an omission. */
        json_t *pod = json_object_get(json_object_get(spec, "template"), "spec");
        skr_store_default_pod_spec(pod);
        json_object_del(pod, "restartPolicy");
    } else {
        default_template(spec);
    }
    if (json_is_object(json_object_get(spec, "template"))) {
        label_job(job, spec);
    }
    json_t *own = skr_path_own(object_in(job, "metadata"), "labels");
    json_object_update_missing(own,
                               skr_object_unconst(skr_path_get(spec, "template.metadata.labels")));
}

static void default_replica_set(json_t *object)
{
    json_t *spec = object_in(object, "spec");
    number(spec, "replicas", 1);
    default_template(spec);
    (void)object_in(object, "status");
    number(json_object_get(object, "status"), "replicas", 0);
}

static void default_deployment(json_t *object)
{
    json_t *spec = object_in(object, "spec");
    json_t *strategy = object_in(spec, "strategy");
    number(spec, "replicas", 1);
    number(spec, "revisionHistoryLimit", 10);
    number(spec, "progressDeadlineSeconds", 600);
    text(strategy, "type", "RollingUpdate");
    if (strcmp(skr_path_text(strategy, "type"), "RollingUpdate") == 0) {
        text(object_in(strategy, "rollingUpdate"), "maxUnavailable", "25%");
        text(object_in(strategy, "rollingUpdate"), "maxSurge", "25%");
    }
    default_template(spec);
}

static void default_stateful_set(json_t *object)
{
    json_t *spec = object_in(object, "spec");
    json_t *strategy = object_in(spec, "updateStrategy");
    number(spec, "replicas", 1);
    number(spec, "revisionHistoryLimit", 10);
    text(spec, "podManagementPolicy", "OrderedReady");
    text(strategy, "type", "RollingUpdate");
    if (strcmp(skr_path_text(strategy, "type"), "RollingUpdate") == 0) {
        number(object_in(strategy, "rollingUpdate"), "partition", 0);
    }
    text(object_in(spec, "persistentVolumeClaimRetentionPolicy"), "whenDeleted", "Retain");
    text(object_in(spec, "persistentVolumeClaimRetentionPolicy"), "whenScaled", "Retain");
    default_template(spec);
}

static void default_daemon_set(json_t *object)
{
    json_t *spec = object_in(object, "spec");
    json_t *strategy = object_in(spec, "updateStrategy");
    number(spec, "revisionHistoryLimit", 10);
    text(strategy, "type", "RollingUpdate");
    if (strcmp(skr_path_text(strategy, "type"), "RollingUpdate") == 0) {
        number(object_in(strategy, "rollingUpdate"), "maxUnavailable", 1);
        number(object_in(strategy, "rollingUpdate"), "maxSurge", 0);
    }
    default_template(spec);
}

/* ---- the rest ---- */

static void default_namespace(json_t *object)
{
    json_t *labels = object_in(object_in(object, "metadata"), "labels");
    text(labels, "kubernetes.io/metadata.name", skr_path_text(object, "metadata.name"));
    if (!json_object_get(object, "spec")) {
        json_object_set_new_nocheck(object, "spec",
                                    json_pack("{s:[s]}", "finalizers", "kubernetes"));
    }
    text(object_in(object, "status"), "phase", "Active");
}

static void default_node(json_t *node)
{
    json_t *status = json_object_get(node, "status");
    (void)object_in(node, "spec");
    if (json_object_get(status, "capacity")) {
        default_amounts(skr_path_own(node, "status"), "allocatable",
                        json_object_get(status, "capacity"));
    }
}

static void default_service(json_t *service)
{
    json_t *spec = object_in(service, "spec");
    size_t i;
    json_t *port;
    text(spec, "type", "ClusterIP");
    text(spec, "sessionAffinity", "None");
    json_array_foreach(json_object_get(spec, "ports"), i, port)
    {
        text(port, "protocol", "TCP");
        if (!json_object_get(port, "targetPort")) {
            json_object_set_nocheck(port, "targetPort", json_object_get(port, "port"));
        }
    }
}

static void default_priority_class(json_t *object)
{
    text(object, "preemptionPolicy", "PreemptLowerPriority");
}

static void default_secret(json_t *object)
{
    text(object, "type", "Opaque");
}

static void default_budget(json_t *object)
{
    (void)object_in(object, "spec");
}

void skr_defaults_set(const struct skr_store_resource *resource, json_t *object,
                      struct skr_born *born)
{
    static const struct {
        const char *kind;
        void (*set)(json_t *object);
    } table[] = {
        {"DaemonSet", default_daemon_set},
        {"Deployment", default_deployment},
        {"Job", default_job},
        {"Namespace", default_namespace},
        {"Node", default_node},
        {"PodDisruptionBudget", default_budget},
        {"PriorityClass", default_priority_class},
        {"ReplicaSet", default_replica_set},
        {"Secret", default_secret},
        {"Service", default_service},
        {"StatefulSet", default_stateful_set},
    };
    if (strcmp(resource->kind, "Pod") == 0) {
        default_pod(object, born);
        return;
    }
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (strcmp(table[i].kind, resource->kind) == 0) {
            table[i].set(object);
        }
    }
}

/* ---- priority ---- */

/* The class for pods that name none: the global default with the lowest value. */
static const json_t *default_class(const struct skr_store *store)
{
    const struct skr_store_resource *classes =
        skr_store_resource_of_kind("scheduling.k8s.io/v1", "PriorityClass");
    const json_t *found = NULL;
    for (const struct skr_shelf_item *item = skr_store_shelf(store, classes)->first[0]; item;
         item = item->next[0]) {
        if (skr_path_true(item->object, "globalDefault") &&
            (!found || skr_path_int(item->object, "value", 0) < skr_path_int(found, "value", 0))) {
            found = item->object;
        }
    }
    return found;
}

bool skr_defaults_priority(struct skr_store_call *call, json_t *pod)
{
    json_t *spec = json_object_get(pod, "spec");
    const char *name = skr_path_text(spec, "priorityClassName");
    const char *pod_name = skr_path_text(pod, "metadata.name");
    const bool said = json_object_get(spec, "priority");
    const json_t *class = *name != '\0' ? skr_store_get(call->store, "PriorityClass", "", name)
                                        : default_class(call->store);
    if (call->loading && said) { /* of a dump: decided before */
        text(spec, "preemptionPolicy", "PreemptLowerPriority");
        return true;
    }
    if (*name != '\0' && !class) {
        skr_status_fail(call->reply, 403, call->asked, pod_name,
                        "pods \"%s\" is forbidden: no PriorityClass with name %s was found",
                        pod_name, name);
        return false;
    }
    if (*name == '\0' && class) {
        json_object_set_new_nocheck(spec, "priorityClassName",
                                    json_string(skr_path_text(class, "metadata.name")));
    }
    const int64_t value = skr_path_int(class, "value", 0);
    if (said && skr_path_int(spec, "priority", 0) != value) {
        skr_status_fail(
            call->reply, 403, call->asked, pod_name,
            "pods \"%s\" is forbidden: the integer value of priority (%lld) must not be "
            "provided in pod spec; priority admission controller computed %lld from the "
            "given PriorityClass name",
            pod_name, (long long)skr_path_int(spec, "priority", 0), (long long)value);
        return false;
    }
    json_object_set_new_nocheck(spec, "priority", json_integer(value));
    const char *policy = skr_path_text(class, "preemptionPolicy");
    text(spec, "preemptionPolicy", *policy != '\0' ? policy : "PreemptLowerPriority");
    return true;
}

/* ---- conditions ---- */

void skr_store_set_condition(json_t *status, const char *type, const char *value,
                             const char *reason, const char *message, skr_time now)
{
    json_t *list = skr_path_own_array(status, "conditions");
    const json_t *old = skr_path_find(list, "type", type);
    json_t *since = old && strcmp(skr_path_text(old, "status"), value) == 0
                        ? json_string(skr_path_text(old, "lastTransitionTime"))
                        : skr_store_time(now);
    json_t *condition = json_object();
    json_object_set_new_nocheck(condition, "type", json_string_nocheck(type));
    json_object_set_new_nocheck(condition, "status", json_string_nocheck(value));
    json_object_set_new_nocheck(condition, "lastTransitionTime", since);

    if (*reason != '\0') {
        json_object_set_new_nocheck(condition, "reason", json_string(reason));
    }
    if (*message != '\0') {
        json_object_set_new_nocheck(condition, "message", json_string(message));
    }
    for (size_t i = 0; i < json_array_size(list); i++) {
        if (json_array_get(list, i) == old) {
            json_array_set_new(list, i, condition);
            return;
        }
    }
    json_array_append_new(list, condition);
}

bool skr_store_pod_ready(const json_t *pod)
{
    const json_t *ready = skr_path_find(skr_path_get(pod, "status.conditions"), "type", "Ready");
    return strcmp(skr_path_text(ready, "status"), "True") == 0;
}
