/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The operators of workloads that make gangs: JobSet, LeaderWorkerSet, MPIJob, the jobs of Kubeflow,
 * RayCluster. An MPIJob of kubeflow.org/v1 is a job of Kubeflow; v2beta1 has an operator of its own. Each
 * creates the objects that are missing, with the labels and annotations of the real operator. The one of
 * RayClusters also deletes surplus workers. Sources:
 *
 *   jobset pkg/controllers/jobset_controller.go; lws pkg/controllers and pkg/webhooks/pod_webhook.go
 *   mpi-operator pkg/controller/mpi_job_controller.go; training-operator pkg/controller.v1
 *   kuberay ray-operator/controllers/ray/common/pod.go
 *
 * Kinds whose operator makes one of these: makers.c. Without failure policies, restarts, network
 * objects and rolling updates.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/lab/cluster/children.h"
#include "topology/base/arena.h"

#define JOBSET "jobset.sigs.k8s.io/"
#define LWS    "leaderworkerset.sigs.k8s.io/"
#define TRAIN  "training.kubeflow.org/"
#define RAY    "ray.io/"

static const char *name_of(const json_t *object)
{
    return skr_path_text(object, "metadata.name");
}

/* ---- JobSet ---- */

/* One replicated Job. */
struct replicated {
    const json_t *row;
    const char *name;
    int64_t replicas;
    int64_t first; /* global index of its first Job */
};

static json_t *job_labels(const json_t *set, const struct replicated *r, int64_t index,
                          int64_t total)
{
    return json_pack("{s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:s}", JOBSET "jobset-name", name_of(set),
                     JOBSET "jobset-uid", skr_path_text(set, "metadata.uid"),
                     JOBSET "replicatedjob-name", r->name, JOBSET "replicatedjob-replicas",
                     skr_children_text_of(r->replicas), JOBSET "job-index",
                     skr_children_text_of(index), JOBSET "job-global-index",
                     skr_children_text_of(r->first + index), JOBSET "global-replicas",
                     skr_children_text_of(total), JOBSET "restart-attempt", "0");
}

static void have_job(struct skr_cluster *c, const json_t *set, const struct replicated *r,
                     int64_t index, int64_t total)
{
    char name[300];
    (void)snprintf(name, sizeof name, "%.120s-%.60s-%lld", name_of(set), r->name, (long long)index);
    json_t *job = skr_children_template(skr_path_get(r->row, "template"));
    json_t *template = skr_path_own(skr_path_own(job, "spec"), "template");
    static const char *const members[] = {"labels", "annotations"};
    for (size_t i = 0; i < 2; i++) {
        skr_children_add(job, members[i], job_labels(set, r, index, total));
        skr_children_add(template, members[i], job_labels(set, r, index, total));
    }
    if (!skr_path_get(job, "spec.completionMode")) {
        json_object_set_new(json_object_get(job, "spec"), "completionMode", json_string("Indexed"));
    }
    if (!skr_path_get(template, "spec.restartPolicy")) {
        json_object_set_new(skr_path_own(template, "spec"), "restartPolicy",
                            json_string("OnFailure"));
    }
    (void)skr_children_have(c, set, "Job", name, job);
}

/* Whether all Jobs of a replicated Job are Ready, or Complete. */
static bool jobs_are(struct skr_cluster *c, const json_t *set, const struct replicated *r,
                     bool complete)
{
    for (int64_t i = 0; i < r->replicas; i++) {
        char name[300];
        (void)snprintf(name, sizeof name, "%.120s-%.60s-%lld", name_of(set), r->name, (long long)i);
        const json_t *job =
            skr_store_get(c->store, "Job", skr_path_text(set, "metadata.namespace"), name);
        const json_t *done =
            skr_path_find(skr_path_get(job, "status.conditions"), "type", "Complete");
        const bool is_done = done && strcmp(skr_path_text(done, "status"), "True") == 0;
        const int64_t ready =
            skr_path_int(job, "status.ready", 0) + skr_path_int(job, "status.succeeded", 0);
        if (!is_done && (complete || !job || ready < skr_path_int(job, "spec.parallelism", 1))) {
            return false;
        }
    }
    return true;
}

/* Whether what must start before has. r[0 .. i - 1] stand before it. */
static bool may_start(struct skr_cluster *c, const json_t *set, const struct replicated *r,
                      size_t i)
{
    const bool in_order =
        strcmp(skr_path_text(set, "spec.startupPolicy.startupPolicyOrder"), "InOrder") == 0;
    if (in_order && i > 0 && !jobs_are(c, set, &r[i - 1], false)) {
        return false;
    }
    const json_t *needs = json_object_get(r[i].row, "dependsOn");
    for (size_t k = 0; k < json_array_size(needs); k++) {
        const json_t *need = json_array_get(needs, k);
        for (size_t j = 0; j < i; j++) {
            if (strcmp(r[j].name, skr_path_text(need, "name")) == 0 &&
                !jobs_are(c, set, &r[j], strcmp(skr_path_text(need, "status"), "Complete") == 0)) {
                return false;
            }
        }
    }
    return true;
}

void skr_job_sets_run(struct skr_cluster *c, json_t *set)
{
    const json_t *rows = skr_path_get(set, "spec.replicatedJobs");
    const size_t n = json_array_size(rows);
    if (skr_children_is_deleted(set) || skr_path_true(set, "spec.suspend")) {
        return;
    }
    SKR_AUTO_FREE struct replicated *r = skr_alloc_array(n + 1, sizeof *r);
    int64_t total = 0;
    for (size_t i = 0; i < n; i++) {
        const json_t *row = json_array_get(rows, i);
        r[i] = (struct replicated){row, skr_path_text(row, "name"),
                                   skr_children_bounded(skr_path_int(row, "replicas", 1)), total};
        total = skr_children_bounded(total + r[i].replicas);
    }
    for (size_t i = 0; i < n && may_start(c, set, r, i); i++) {
        for (int64_t k = 0; k < r[i].replicas; k++) {
            have_job(c, set, &r[i], k, total);
        }
    }
}

/* ---- LeaderWorkerSet ---- */

/* A StatefulSet of leaders, or of the workers of one leader. */
static json_t *stateful_set(const json_t *lws, const json_t *template, int64_t replicas,
                            int64_t first)
{
    json_auto_t *labels = json_pack("{s:s}", LWS "name", name_of(lws));
    json_auto_t *pods = skr_children_template(template);
    json_t *set =
        json_pack("{s:{s:O}, s:{s:I, s:s, s:{s:I}, s:s, s:{s:O}, s:O}}", "metadata", "labels",
                  labels, "spec", "replicas", (json_int_t)replicas, "serviceName", name_of(lws),
                  "ordinals", "start", (json_int_t)first, "podManagementPolicy", "Parallel",
                  "selector", "matchLabels", labels, "template", pods);
    skr_children_add(pods, "labels", json_copy(labels));
    skr_children_add(
        pods, "annotations",
        json_pack("{s:o}", LWS "size",
                  skr_children_text_of(skr_path_int(lws, "spec.leaderWorkerTemplate.size", 1))));
    return set;
}

static void have_workers(struct skr_cluster *c, const json_t *lws, int64_t group, int64_t size)
{
    char leader_name[300];
    (void)snprintf(leader_name, sizeof leader_name, "%.200s-%lld", name_of(lws), (long long)group);
    const json_t *leader =
        skr_store_get(c->store, "Pod", skr_path_text(lws, "metadata.namespace"), leader_name);
    const bool wait = strcmp(skr_path_text(lws, "spec.startupPolicy"), "LeaderReady") == 0;
    if (!leader || skr_children_is_deleted(leader) || (wait && !skr_store_pod_ready(leader))) {
        return;
    }
    json_t *set = stateful_set(lws, skr_path_get(lws, "spec.leaderWorkerTemplate.workerTemplate"),
                               size - 1, 1);
    json_t *spec = json_object_get(set, "spec");
    json_t *pods = json_object_get(spec, "template");
    skr_children_add(pods, "labels",
                     json_pack("{s:o}", LWS "group-index", skr_children_text_of(group)));
    skr_children_add(pods, "annotations", json_pack("{s:s}", LWS "leader-name", leader_name));
    skr_children_add(set, "labels",
                     json_pack("{s:o}", LWS "group-index", skr_children_text_of(group)));
    json_object_set_new(json_object_get(json_object_get(spec, "selector"), "matchLabels"),
                        LWS "group-index", skr_children_text_of(group));
    json_auto_t *owner = skr_path_ref(leader);
    (void)skr_children_have(c, owner, "StatefulSet", leader_name, set);
}

void skr_leader_worker_sets_run(struct skr_cluster *c, json_t *lws)
{
    const int64_t replicas = skr_children_bounded(skr_path_int(lws, "spec.replicas", 1));
    const int64_t size =
        skr_children_bounded(skr_path_int(lws, "spec.leaderWorkerTemplate.size", 1));
    const json_t *template = skr_path_get(lws, "spec.leaderWorkerTemplate.leaderTemplate");
    if (skr_children_is_deleted(lws)) {
        return;
    }
    template = template ? template : skr_path_get(lws, "spec.leaderWorkerTemplate.workerTemplate");
    json_t *leaders = stateful_set(lws, template, replicas, 0);
    json_t *spec = json_object_get(leaders, "spec");
    skr_children_add(json_object_get(spec, "template"), "labels",
                     json_pack("{s:s}", LWS "worker-index", "0"));
    json_object_set_new(json_object_get(json_object_get(spec, "selector"), "matchLabels"),
                        LWS "worker-index", json_string("0"));
    if (skr_children_have(c, lws, "StatefulSet", name_of(lws), leaders) && size > 1) {
        for (int64_t group = 0; group < replicas; group++) {
            have_workers(c, lws, group, size);
        }
    }
}

/* A leader's end or readiness wakes its LeaderWorkerSet, which does not control it. */
void skr_leader_worker_sets_change(struct skr_cluster *c, const struct skr_store_change *change)
{
    const char *name = c->shown.is_pod ? skr_path_label(change->object, LWS "name") : NULL;
    if (name) {
        skr_cluster_plan(c, SKR_TASK_LEADER_WORKER_SET, c->shown.namespace_, name, c->now);
    }
}

/* What LeaderWorkerSet's webhook adds to each pod: its group, and its index in it. */
void skr_leader_worker_sets_label(const json_t *set, int64_t ordinal, json_t *metadata)
{
    const json_t *template = skr_path_get(set, "spec.template");
    if (skr_path_label(template, LWS "name")) {
        const bool leader = skr_path_label(template, LWS "worker-index");
        json_object_set_new(skr_path_own(metadata, "labels"),
                            leader ? LWS "group-index" : LWS "worker-index",
                            skr_children_text_of(ordinal));
    }
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
}

/* MPIJob of kubeflow.org/v2beta1: the launcher is a Job of its own. */
static void have_launcher(struct skr_cluster *c, const json_t *job, const json_t *spec)
{
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
    (void)skr_children_have(c, job, "Job", name,
                            json_pack("{s:{s:o}}", "spec", "template", template));
}

void skr_mpi_jobs_run(struct skr_cluster *c, json_t *job)
{
    const json_t *workers = skr_path_get(job, "spec.mpiReplicaSpecs.Worker");
    const json_t *launcher = skr_path_get(job, "spec.mpiReplicaSpecs.Launcher");
    const bool wait =
        strcmp(skr_path_text(job, "spec.launcherCreationPolicy"), "WaitForWorkersReady") == 0;
    if (skr_children_is_deleted(job) || skr_path_true(job, "spec.runPolicy.suspend")) {
        return;
    }
    if (workers) {
        have_replicas(c, job, "mpi-operator", "worker", workers);
    }
    if (launcher &&
        (!wait || skr_children_are_ready(
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
    if (skr_children_is_deleted(job) || skr_path_true(job, "spec.runPolicy.suspend")) {
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
    if (skr_children_is_deleted(cluster) || skr_path_true(cluster, "spec.suspend")) {
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
