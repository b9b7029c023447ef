/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The operators that make pods themselves: MPIJob, the jobs of Kubeflow, RayCluster. An MPIJob of
 * kubeflow.org/v1 is a job of Kubeflow; v2beta1 has an operator of its own. Each creates the objects
 * that are missing, with the labels and annotations of the real operator, and deletes surplus ones.
 * Sources:
 *
 *   mpi-operator pkg/controller/mpi_job_controller.go; training-operator pkg/controller.v1
 *   kuberay ray-operator/controllers/ray/common/pod.go
 *
 * Other operators: job_sets.c, leader_worker_sets.c, spark.c, makers.c.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/lab/cluster/children.h"
#include "topology/base/arena.h"

#define TRAIN "training.kubeflow.org/"
#define RAY   "ray.io/"

static const char *name_of(const json_t *object)
{
    return skr_path_text(object, "metadata.name");
}

/* ---- MPIJob, and the other jobs of Kubeflow ---- */

static void lower(const char *text, char ret[64])
{
    size_t n = 0;
    for (; n < 63 && text[n] != '\0'; n++) {
        ret[n] = text[n] >= 'A' && text[n] <= 'Z' ? (char)(text[n] - 'A' + 'a') : text[n];
    }
    ret[n] = '\0';
}

/* Pods of one type of replicas whose number is beyond them. */
static void drop_surplus(struct skr_cluster *c, const json_t *job, const char *type,
                         int64_t replicas)
{
    struct skr_worker *worker;
    const size_t n = skr_workload_pods(c, job, &worker);
    for (size_t i = 0; i < n; i++) {
        const char *index = skr_path_label(worker[i].object, TRAIN "replica-index");
        const char *own = skr_path_label(worker[i].object, TRAIN "replica-type");
        own = own ? own : skr_path_label(worker[i].object, TRAIN "job-role");
        if (!worker[i].deleting && index && own && strcmp(own, type) == 0 &&
            strtoll(index, NULL, 10) >= replicas) {
            skr_cluster_delete(c, "Pod", worker[i].namespace_, worker[i].name, NULL, -1);
        }
    }
    skr_workload_let_go(worker, n);
}

/* The pods of one type of replicas: NAME-TYPE-0, NAME-TYPE-1, ... The launcher of a Kubeflow job is
 * one, without a number. */
static void have_replicas(struct skr_cluster *c, const json_t *job, const char *operator_,
                          const char *type, const json_t *spec)
{
    const int64_t replicas = skr_children_bounded(skr_path_int(spec, "replicas", 1));
    const bool master = strcmp(type, "master") == 0 || strcmp(type, "chief") == 0;
    const bool mpi = strcmp(operator_, "mpi-operator") == 0;
    const bool one = strcmp(type, "launcher") == 0;
    for (int64_t i = 0; i < replicas && (i == 0 || !one); i++) {
        char name[300];
        (void)snprintf(name, sizeof name, one ? "%.180s-%s" : "%.180s-%s-%lld", name_of(job), type,
                       (long long)i);
        json_t *labels = json_pack("{s:s, s:s}", TRAIN "operator-name", operator_, TRAIN "job-name",
                                   name_of(job));
        if (!one) {
            json_object_set_new(labels, TRAIN "replica-index", skr_children_text_of(i));
        }
        if (mpi) {
            json_object_set_new(labels, TRAIN "job-role", json_string(type));
        } else {
            json_object_set_new(labels, TRAIN "replica-type", json_string(type));
        }
        if (!mpi && (master || one)) {
            json_object_set_new(labels, TRAIN "job-role", json_string("master"));
        }
        skr_children_have_pod(c, job, skr_path_get(spec, "template"), name, labels);
    }
    drop_surplus(c, job, type, replicas);
}

/* MPIJob of kubeflow.org/v2beta1: the launcher is a Job of its own. */
static void have_launcher(struct skr_cluster *c, const json_t *job, const json_t *spec)
{
    static const char *const followed[] = {"suspend", NULL};
    char name[300];
    (void)snprintf(name, sizeof name, "%.200s-launcher", name_of(job));
    json_t *template = skr_children_template(skr_path_get(spec, "template"));
    skr_children_add(template, "labels",
                     json_pack("{s:s, s:s, s:s}", TRAIN "operator-name", "mpi-operator",
                               TRAIN "job-name", name_of(job), TRAIN "job-role", "launcher"));
    json_t *pod = skr_path_own(template, "spec");
    if (!json_object_get(pod, "restartPolicy")) {
        json_object_set_new(pod, "restartPolicy", json_string("OnFailure"));
    }
    (void)skr_children_follow(c, job, "Job", name,
                              json_pack("{s:{s:o, s:b}}", "spec", "template", template, "suspend",
                                        skr_path_true(job, "spec.runPolicy.suspend")),
                              followed);
}

void skr_mpi_jobs_run(struct skr_cluster *c, json_t *job)
{
    const json_t *workers = skr_path_get(job, "spec.mpiReplicaSpecs.Worker");
    const json_t *launcher = skr_path_get(job, "spec.mpiReplicaSpecs.Launcher");
    const bool wait =
        strcmp(skr_path_text(job, "spec.launcherCreationPolicy"), "WaitForWorkersReady") == 0;
    const bool suspended = skr_path_true(job, "spec.runPolicy.suspend");
    if (skr_children_is_deleted(job)) {
        return;
    }
    if (suspended) {
        skr_children_drop_pods(c, job);
    } else if (workers) {
        have_replicas(c, job, "mpi-operator", "worker", workers);
    }
    if (launcher && (suspended || !wait ||
                     skr_children_are_ready(
                         c, job, skr_children_bounded(skr_path_int(workers, "replicas", 1))))) {
        have_launcher(c, job, launcher);
    }
}

void skr_kubeflow_jobs_run(struct skr_cluster *c, json_t *job)
{
    const char *kind = skr_path_text(job, "kind");
    char name[64], operator_[80], member[80];
    lower(kind, name);
    const size_t stem = strlen(name) - strlen("job");
    (void)snprintf(operator_, sizeof operator_, "%s-controller", name);
    (void)snprintf(member, sizeof member, "%.*sReplicaSpecs",
                   strcmp(name, "xgboostjob") == 0 ? (int)strlen("xgb") : (int)stem, name);
    if (skr_children_is_deleted(job)) {
        return;
    }
    if (skr_path_true(job, "spec.runPolicy.suspend")) {
        skr_children_drop_pods(c, job);
        return;
    }
    const char *type;
    json_t *spec;
    json_object_foreach(json_object_get(json_object_get(job, "spec"), member), type, spec)
    {
        char word[64];
        lower(type, word);
        have_replicas(c, job, operator_, word, spec);
    }
}

/* ---- RayCluster ---- */

static json_t *ray_labels(const json_t *cluster, const char *node_type, const char *group)
{
    return json_pack("{s:s, s:s, s:s, s:o, s:s}", RAY "cluster", name_of(cluster), RAY "node-type",
                     node_type, RAY "group", group, RAY "identifier",
                     json_sprintf("%.50s-%s", name_of(cluster), node_type), RAY "is-ray-node",
                     "yes");
}

/* Pods of one group: as many as wanted; surplus ones are deleted, those first whose loss matters
 * least. */
static void have_group(struct skr_cluster *c, const json_t *cluster, const json_t *template,
                       const char *node_type, const char *group, int64_t wanted)
{
    struct skr_worker *worker;
    const size_t n = skr_workload_pods(c, cluster, &worker);
    size_t mine = 0;
    for (size_t i = 0; i < n; i++) {
        const char *label = skr_path_label(worker[i].object, RAY "group");
        if (worker[i].active && label && strcmp(label, group) == 0) {
            const struct skr_worker one = worker[mine];
            worker[mine++] = worker[i];
            worker[i] = one;
        }
    }
    skr_workload_rank_for_deletion(worker, mine);
    for (size_t i = 0; (int64_t)i < (int64_t)mine - wanted; i++) {
        skr_cluster_delete(c, "Pod", worker[i].namespace_, worker[i].name, NULL, -1);
    }
    skr_workload_let_go(worker, n);
    char base[200];
    (void)snprintf(base, sizeof base, "%.100s-%.40s%s", name_of(cluster),
                   strcmp(node_type, "head") == 0 ? "head" : group,
                   strcmp(node_type, "head") == 0 ? "" : "-worker");
    for (int64_t i = (int64_t)mine; i < wanted; i++) {
        const struct skr_pod_plan plan = {
            .base = base,
            .metadata = json_pack("{s:o}", "labels", ray_labels(cluster, node_type, group))};
        if (skr_workload_create_pod(c, cluster, template, &plan) >= 400) {
            break;
        }
    }
}

/* The state once all pods are ready; it stays. */
static void set_state(struct skr_cluster *c, const json_t *cluster, int64_t pods)
{
    if (!skr_path_get(cluster, "status.state") && skr_children_are_ready(c, cluster, pods)) {
        skr_cluster_set_status(c, "RayCluster", cluster, json_pack("{s:s}", "state", "ready"));
    }
}

/* Between minReplicas and maxReplicas (GetWorkerGroupDesiredReplicas). */
static int64_t replicas_of(const json_t *group)
{
    const int64_t least = skr_path_int(group, "minReplicas", 0);
    const int64_t most = skr_path_int(group, "maxReplicas", INT32_MAX);
    const int64_t asked = skr_path_int(group, "replicas", 0);
    const int64_t wanted = asked < least ? least : asked;
    return skr_path_true(group, "suspend") ? 0 : wanted < most ? wanted : most;
}

void skr_ray_clusters_run(struct skr_cluster *c, json_t *cluster)
{
    const json_t *groups = skr_path_get(cluster, "spec.workerGroupSpecs");
    int64_t pods = 1;
    if (skr_children_is_deleted(cluster)) {
        return;
    }
    if (skr_path_true(cluster, "spec.suspend")) {
        skr_children_drop_pods(c, cluster);
        return;
    }
    have_group(c, cluster, skr_path_get(cluster, "spec.headGroupSpec.template"), "head",
               "headgroup", 1);
    for (size_t i = 0; i < json_array_size(groups); i++) {
        const json_t *group = json_array_get(groups, i);
        const int64_t hosts = skr_children_bounded(skr_path_int(group, "numOfHosts", 1));
        const int64_t replicas = skr_children_bounded(replicas_of(group));
        have_group(c, cluster, skr_path_get(group, "template"), "worker",
                   skr_path_text(group, "groupName"), skr_children_bounded(replicas * hosts));
        pods += skr_children_bounded(replicas * hosts);
    }
    set_state(c, cluster, pods);
}
