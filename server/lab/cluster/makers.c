/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kinds whose operator makes one workload of another kind: a TrainJob makes a JobSet of its
 * runtime; a RayJob and a RayService make a RayCluster, a CronJob a Job. Sources:
 *
 *   trainer pkg/runtime/core/trainingruntime.go and pkg/runtime/framework/plugins
 *   kuberay ray-operator/controllers/ray/rayjob_controller.go, rayservice_controller.go
 *
 * Without retries, upgrades of a RayService, and what the runtimes add to environment and volumes.
 */
#include <stdio.h>
#include <string.h>

#include "server/lab/cluster/children.h"
#include "server/lab/store/patch.h"

#define STEP "trainer.kubeflow.org/trainjob-ancestor-step"
#define RAY  "ray.io/"

static const char *namespace_of(const json_t *object)
{
    return skr_path_text(object, "metadata.namespace");
}

static const char *name_of(const json_t *object)
{
    return skr_path_text(object, "metadata.name");
}

/* ---- TrainJob ---- */

/* The runtime that the job names; NULL: there is none, and that is reported. */
static const json_t *runtime_of(struct skr_cluster *c, const json_t *job)
{
    const char *kind = skr_path_text(job, "spec.runtimeRef.kind");
    const char *name = skr_path_text(job, "spec.runtimeRef.name");
    const bool own = strcmp(kind, "TrainingRuntime") == 0;
    const json_t *runtime = own || *kind == '\0' || strcmp(kind, "ClusterTrainingRuntime") == 0
                                ? skr_store_get(c->store, own ? kind : "ClusterTrainingRuntime",
                                                own ? namespace_of(job) : "", name)
                                : NULL;
    if (!runtime) {
        char why[400];
        (void)snprintf(why, sizeof why, "%.64s \"%.200s\" does not exist: create it first",
                       *kind ? kind : "ClusterTrainingRuntime", name);
        skr_workload_refuse(c, job, why);
    }
    return runtime;
}

/* Merges one override into the pod template of a replicated Job. */
static void override(json_t *row, const json_t *metadata, const json_t *spec)
{
    json_t *job = skr_path_own(skr_path_own(row, "template"), "spec");
    json_auto_t *patch = json_pack("{s:O*, s:O*}", "metadata", metadata, "spec", spec);
    json_t *merged = skr_patch_strategic(json_object_get(job, "template"), patch, "Pod", NULL);
    if (merged) {
        json_object_set_new(job, "template", merged);
    }
}

/* podTemplateOverrides of Trainer 2.0 and 2.1, runtimePatches since. */
static void add_overrides(const json_t *job, json_t *row)
{
    const char *name = skr_path_text(row, "name");
    const json_t *overrides = skr_path_get(job, "spec.podTemplateOverrides");
    const json_t *patches = skr_path_get(job, "spec.runtimePatches");
    for (size_t i = 0; i < json_array_size(overrides); i++) {
        const json_t *one = json_array_get(overrides, i);
        if (skr_path_find(json_object_get(one, "targetJobs"), "name", name)) {
            override(row, json_object_get(one, "metadata"), json_object_get(one, "spec"));
        }
    }
    for (size_t i = 0; i < json_array_size(patches); i++) {
        const json_t *rows = skr_path_get(json_array_get(patches, i),
                                          "trainingRuntimeSpec.template.spec.replicatedJobs");
        const json_t *one = skr_path_find(rows, "name", name);
        const json_t *template = skr_path_get(one, "template.spec.template");
        if (template) {
            override(row, json_object_get(template, "metadata"), json_object_get(template, "spec"));
        }
    }
}

/* What the job asks of each node goes to the container of that name. */
static void set_resources(const json_t *job, json_t *row)
{
    json_auto_t *asked = skr_path_copy(skr_path_get(job, "spec.trainer.resourcesPerNode"));
    const json_t *containers = skr_path_get(row, "template.spec.template.spec.containers");
    for (size_t i = 0; asked && i < json_array_size(containers); i++) {
        json_t *container = json_array_get(containers, i);
        if (strcmp(skr_path_text(container, "name"), "node") == 0) {
            json_object_set(container, "resources", asked);
        }
    }
}

/* The pods of one replicated Job. A launcher that is a node counts as one of the nodes. */
static int64_t count_of(const json_t *job, const json_t *runtime, const json_t *row, bool trainer)
{
    const int64_t wanted = skr_path_int(job, "spec.trainer.numNodes", -1);
    const json_t *policy = skr_path_get(runtime, "spec.mlPolicy");
    const bool mpi = json_object_get(policy, "mpi");
    if (wanted > 0 && mpi && strcmp(skr_path_text(row, "name"), "node") == 0) {
        return wanted > 1 && skr_path_true(policy, "mpi.runLauncherAsNode") ? wanted - 1 : wanted;
    }
    if (trainer && policy) {
        return wanted > 0 && !mpi ? wanted : skr_path_int(policy, "numNodes", 1);
    }
    return wanted > 0 && trainer ? wanted : skr_path_int(row, "template.spec.parallelism", 1);
}

static void fill_row(const json_t *job, const json_t *runtime, json_t *row)
{
    const char *step = skr_path_label(json_object_get(row, "template"), STEP);
    const bool trainer = step && strcmp(step, "trainer") == 0;
    const bool node = skr_path_true(runtime, "spec.mlPolicy.mpi.runLauncherAsNode") &&
                      strcmp(skr_path_text(row, "name"), "node") == 0;
    const int64_t count = skr_children_bounded(count_of(job, runtime, row, trainer));
    add_overrides(job, row);
    if (trainer || node) {
        set_resources(job, row);
    }
    json_t *spec = skr_path_own(skr_path_own(row, "template"), "spec");
    json_object_set_new(spec, "parallelism", json_integer((json_int_t)count));
    json_object_set_new(spec, "completions", json_integer((json_int_t)count));
    if (step) {
        json_object_set_new(row, "replicas", json_integer(1));
    }
}

void skr_train_jobs_run(struct skr_cluster *c, json_t *job)
{
    static const char *const followed[] = {"suspend", NULL};
    const json_t *runtime = skr_children_is_deleted(job) ? NULL : runtime_of(c, job);
    if (!runtime) {
        return;
    }
    json_t *set = skr_children_template(skr_path_get(runtime, "spec.template"));
    const json_t *rows = skr_path_get(set, "spec.replicatedJobs");
    for (size_t i = 0; i < json_array_size(rows); i++) {
        json_t *row = json_array_get(rows, i);
        if (json_is_object(row)) {
            fill_row(job, runtime, row);
        }
    }
    skr_children_add(set, "labels", skr_path_copy(skr_path_get(job, "spec.labels")));
    skr_children_add(set, "annotations", skr_path_copy(skr_path_get(job, "spec.annotations")));
    json_object_set_new(skr_path_own(set, "spec"), "suspend",
                        json_boolean(skr_path_true(job, "spec.suspend")));
    (void)skr_children_follow(c, job, "JobSet", name_of(job), set, followed);
}

struct looking {
    struct skr_cluster *cluster;
    const char *runtime;
};

static bool wake_job(void *context, const json_t *job)
{
    const struct looking *l = context;
    if (strcmp(skr_path_text(job, "spec.runtimeRef.name"), l->runtime) == 0) {
        skr_cluster_plan(l->cluster, SKR_TASK_TRAIN_JOB, namespace_of(job), name_of(job),
                         l->cluster->now);
    }
    return true;
}

/* A runtime wakes the jobs that wait for it. */
void skr_train_jobs_change(struct skr_cluster *c, const struct skr_store_change *change)
{
    const char *kind = change->resource->kind;
    struct looking l = {.cluster = c, .runtime = c->shown.name};
    if (strcmp(kind, "TrainingRuntime") == 0 || strcmp(kind, "ClusterTrainingRuntime") == 0) {
        skr_store_each(c->store, "TrainJob", wake_job, &l);
    }
}

/* ---- RayJob, RayService ---- */

/* The RayCluster of the object: NAME- and five letters, random ones at KubeRay. */
static void cluster_name(const json_t *object, char name[300])
{
    char letters[11];
    json_auto_t *of = json_string(name_of(object));
    skr_workload_hash(of, letters);
    (void)snprintf(name, 300, "%.200s-%.5s", name_of(object), letters);
}

static bool have_cluster(struct skr_cluster *c, const json_t *object, const char *member)
{
    char name[300];
    cluster_name(object, name);
    json_t *spec = skr_children_template(json_object_get(json_object_get(object, "spec"), member));
    json_t *body = json_pack(
        "{s:{s:{s:s, s:s}}, s:o}", "metadata", "labels", RAY "originated-from-cr-name",
        name_of(object), RAY "originated-from-crd", skr_path_text(object, "kind"), "spec", spec);
    skr_children_add(body, "labels", skr_path_copy(skr_path_get(object, "metadata.labels")));
    skr_children_add(body, "annotations",
                     skr_path_copy(skr_path_get(object, "metadata.annotations")));
    return skr_children_have(c, object, "RayCluster", name, body);
}

/* The pod that submits the program, unless the files say which. */
static json_t *submitter(const json_t *job)
{
    const json_t *own = skr_path_get(job, "spec.submitterPodTemplate");
    const json_t *head = json_array_get(
        skr_path_get(job, "spec.rayClusterSpec.headGroupSpec.template.spec.containers"), 0);
    return own ? skr_path_copy(own)
               : json_pack("{s:{s:s, s:[{s:s, s:s, s:{s:{s:s, s:s}, s:{s:s, s:s}}}]}}", "spec",
                           "restartPolicy", "Never", "containers", "name", "ray-job-submitter",
                           "image", skr_path_text(head, "image"), "resources", "requests", "cpu",
                           "500m", "memory", "200Mi", "limits", "cpu", "1", "memory", "1Gi");
}

/* The Job that submits, once the cluster is ready. */
void skr_ray_jobs_run(struct skr_cluster *c, json_t *job)
{
    char name[300];
    const char *mode = skr_path_text(job, "spec.submissionMode");
    const json_t *selector = skr_path_get(job, "spec.clusterSelector");
    if (skr_children_is_deleted(job) || skr_path_true(job, "spec.suspend") ||
        json_object_size(selector) > 0 || !have_cluster(c, job, "rayClusterSpec")) {
        return;
    }
    cluster_name(job, name);
    const json_t *cluster = skr_store_get(c->store, "RayCluster", namespace_of(job), name);
    if ((*mode == '\0' || strcmp(mode, "K8sJobMode") == 0) &&
        strcmp(skr_path_text(cluster, "status.state"), "ready") == 0) {
        json_t *body =
            json_pack("{s:{s:I, s:o}}", "spec", "backoffLimit",
                      (json_int_t)skr_path_int(job, "spec.submitterConfig.backoffLimit", 2),
                      "template", submitter(job));
        (void)skr_children_have(c, job, "Job", name_of(job), body);
    }
}

void skr_ray_services_run(struct skr_cluster *c, json_t *service)
{
    if (!skr_children_is_deleted(service)) {
        (void)have_cluster(c, service, "rayClusterConfig");
    }
}

/* ---- CronJob ---- */

void skr_cron_jobs_run(struct skr_cluster *c, json_t *cron)
{
    char name[300];
    if (skr_children_is_deleted(cron) || skr_path_true(cron, "spec.suspend") ||
        skr_path_get(cron, "status.lastScheduleTime")) {
        return;
    }
    (void)snprintf(name, sizeof name, "%.240s-1", name_of(cron));
    (void)skr_children_have(c, cron, "Job", name,
                            skr_children_template(skr_path_get(cron, "spec.jobTemplate")));
    if (skr_store_get(c->store, "Job", namespace_of(cron), name)) {
        skr_cluster_set_status(c, "CronJob", cron,
                               json_pack("{s:o}", "lastScheduleTime", skr_store_time(c->now)));
    }
}
