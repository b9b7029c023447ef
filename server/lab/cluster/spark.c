/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SparkApplications: the operator makes the driver; the driver's process makes the executors once
 * it runs, and owns them. Pods request what Spark asks for: memory with its overhead. Sources:
 *
 *   spark-operator internal/controller/sparkapplication, pkg/common/spark.go
 *   spark resource-managers/kubernetes/core (BasicDriverFeatureStep, BasicExecutorFeatureStep)
 *
 * Executors that end are made again under their names. With dynamic allocation there are as many as
 * at the start of an application. Without restarts of the application, volumes and environment.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/lab/cluster/children.h"

#define OPERATOR "sparkoperator.k8s.io/"

enum {
    OVERHEAD_MIN_MI = 384,  /* spark.kubernetes.memoryOverhead: at least, */
    OVERHEAD_PERCENT = 10,  /* of a program for the JVM, */
    OVERHEAD_OTHER = 40,    /* of another one */
    MEMORY_MI = 1024,       /* that a pod has by default */
    MEMORY_MAX_MI = 1 << 30 /* larger values count as this */
};

/* "512m", "2g", "1024" (MiB) in MiB; -1: none. */
static int64_t memory_of(const char *text)
{
    char *end;
    const long long n = strtoll(text, &end, 10);
    const char unit = *end;
    const int64_t bounded = n > MEMORY_MAX_MI ? MEMORY_MAX_MI : (int64_t)n;
    if (end == text || n < 0) {
        return -1;
    }
    return unit == 'g' || unit == 'G'   ? bounded * 1024
           : unit == 't' || unit == 'T' ? bounded * 1024 * 1024
           : unit == 'k' || unit == 'K' ? (bounded + 1023) / 1024
                                        : bounded;
}

static int64_t memory_mi(const json_t *application, const json_t *part)
{
    const char *type = skr_path_text(application, "spec.type");
    const bool other = strcmp(type, "Python") == 0 || strcmp(type, "R") == 0;
    int64_t memory = memory_of(skr_path_text(part, "memory"));
    int64_t over = memory_of(skr_path_text(part, "memoryOverhead"));
    memory = memory < 0 ? MEMORY_MI : memory;
    if (over < 0) {
        over = memory * (other ? OVERHEAD_OTHER : OVERHEAD_PERCENT) / 100;
        over = over < OVERHEAD_MIN_MI ? OVERHEAD_MIN_MI : over;
    }
    return memory + over;
}

static json_t *resources_of(const json_t *application, const json_t *part)
{
    const char *request = skr_path_text(part, "coreRequest"),
               *most = skr_path_text(part, "coreLimit");
    const char *gpu = skr_path_text(part, "gpu.name");
    json_t *memory = json_sprintf("%lldMi", (long long)memory_mi(application, part));
    json_t *cpu =
        *request ? json_string(request) : skr_children_text_of(skr_path_int(part, "cores", 1));
    json_t *resources = json_pack("{s:{s:o, s:O}, s:{s:o}}", "requests", "cpu", cpu, "memory",
                                  memory, "limits", "memory", memory);
    json_t *limits = json_object_get(resources, "limits");
    if (*most) {
        json_object_set_new(limits, "cpu", json_string(most));
    }
    if (*gpu) {
        json_object_set_new(limits, gpu,
                            skr_children_text_of(skr_path_int(part, "gpu.quantity", 0)));
    }
    return resources;
}

/* Fields that the part has, else the application, under the same name. */
static void take(json_t *spec, const json_t *application, const json_t *part, const char *key)
{
    const json_t *own = json_object_get(part, key);
    const json_t *all = json_object_get(json_object_get(application, "spec"), key);
    if (own || all) {
        json_object_set_new(spec, key, skr_path_copy(own ? own : all));
    }
}

/* The pod template of a driver or an executor. */
static json_t *pod_of(const json_t *application, const char *role)
{
    static const char *const keys[] = {"schedulerName", "nodeSelector",      "affinity",
                                       "tolerations",   "priorityClassName", "hostNetwork"};
    const json_t *part = json_object_get(json_object_get(application, "spec"), role);
    json_t *pod = skr_children_template(json_object_get(part, "template"));
    json_t *spec = skr_path_own(pod, "spec");
    const char *image = skr_path_text(part, "image");
    skr_children_add(pod, "labels", skr_path_copy(json_object_get(part, "labels")));
    skr_children_add(pod, "annotations", skr_path_copy(json_object_get(part, "annotations")));
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        take(spec, application, part, keys[i]);
    }
    json_object_set_new(spec, "restartPolicy", json_string("Never"));
    json_object_set_new(spec, "containers",
                        json_pack("[{s:s, s:s, s:o}]", "name",
                                  strcmp(role, "driver") == 0 ? "spark-kubernetes-driver"
                                                              : "spark-kubernetes-executor",
                                  "image",
                                  *image ? image : skr_path_text(application, "spec.image"),
                                  "resources", resources_of(application, part)));
    return pod;
}

static json_t *labels_of(const json_t *application, const char *role)
{
    char hash[11];
    const json_t *uid = skr_path_get(application, "metadata.uid");
    skr_workload_hash(uid, hash);
    return json_pack("{s:s, s:s, s:s, s:s, s:o}", OPERATOR "app-name",
                     skr_path_text(application, "metadata.name"),
                     OPERATOR "launched-by-spark-operator", "true", OPERATOR "submission-id",
                     skr_path_text(application, "metadata.uid"), "spark-role", role,
                     "spark-app-selector", json_sprintf("spark-%s", hash));
}

/* Executors at the start: with dynamic allocation the largest of the numbers that say so. */
static int64_t executors_of(const json_t *application)
{
    static const char *const more[] = {"minExecutors", "initialExecutors"};
    const json_t *dynamic = skr_path_get(application, "spec.dynamicAllocation");
    int64_t n = skr_path_int(application, "spec.executor.instances", 1);
    for (size_t i = 0; skr_path_true(dynamic, "enabled") && i < 2; i++) {
        const int64_t other = skr_path_int(dynamic, more[i], 0);
        n = other > n ? other : n;
    }
    return skr_children_bounded(n);
}

static void have_executors(struct skr_cluster *c, const json_t *application, const json_t *driver)
{
    const int64_t n = executors_of(application);
    json_auto_t *pod = pod_of(application, "executor");
    for (int64_t i = 1; i <= n; i++) {
        char name[300];
        (void)snprintf(name, sizeof name, "%.220s-exec-%lld",
                       skr_path_text(application, "metadata.name"), (long long)i);
        json_t *labels = labels_of(application, "executor");
        json_object_set_new(labels, "spark-exec-id", skr_children_text_of(i));
        skr_children_have_pod(c, driver, pod, name, labels);
    }
}

void skr_spark_run(struct skr_cluster *c, json_t *application)
{
    const char *namespace_ = skr_path_text(application, "metadata.namespace");
    char name[300];
    (void)snprintf(name, sizeof name, "%.220s-driver", skr_path_text(application, "metadata.name"));
    if (skr_children_is_deleted(application) || skr_path_true(application, "spec.suspend")) {
        return;
    }
    json_auto_t *driver = skr_path_ref(skr_store_get(c->store, "Pod", namespace_, name));
    if (!driver) {
        json_t *pod = pod_of(application, "driver");
        skr_children_have_pod(c, application, pod, name, labels_of(application, "driver"));
        json_decref(pod);
    } else if (skr_store_pod_ready(driver)) {
        have_executors(c, application, driver);
    }
}

/* An executor wakes its application, which does not control it. */
void skr_spark_change(struct skr_cluster *c, const struct skr_store_change *change)
{
    const char *name = c->shown.is_pod ? skr_path_label(change->object, OPERATOR "app-name") : NULL;
    if (name) {
        skr_cluster_plan(c, SKR_TASK_SPARK, c->shown.namespace_, name, c->now);
    }
}
