/* SPDX-License-Identifier: Apache-2.0 */
/* The loop over changes and tasks. */
#include <stdlib.h>
#include <string.h>

#include "server/lab/cluster/cluster_parts.h"
#include "topology/base/arena.h"

enum {
    ROUNDS_MAX = 1000000, /* of one step: beyond that models wake each other endlessly */
};
#define BATCH (20 * SKR_MILLISECOND)

void skr_cluster_options_default(struct skr_cluster_options *options)
{
    *options = (struct skr_cluster_options){
        .seed = 1,
        .pod_start = 100 * SKR_MILLISECOND,
        .pod_run = SKR_TIME_NEVER,
        .pod_stop = 100 * SKR_MILLISECOND,
    };
}

static bool collect_names(void *context, const json_t *object)
{
    json_array_append_new(context, json_string(skr_path_text(object, "metadata.name")));
    return true;
}

/* Dates the objects that every cluster has to the start of this one. */
static void date_first_objects(struct skr_cluster *c, const char *kind, const char *api_version)
{
    json_auto_t *names = json_array();
    char time[40];
    skr_time_write(c->now / SKR_SECOND * SKR_SECOND, 0, time, sizeof time);
    skr_store_each(c->store, kind, collect_names, names);
    for (size_t i = 0; i < json_array_size(names); i++) {
        const char *name = json_string_value(json_array_get(names, i));
        const json_t *old = skr_store_get(c->store, kind, "", name);
        json_t *object = json_pack("{s:s, s:s, s:{s:s, s:s}}", "apiVersion", api_version, "kind",
                                   kind, "metadata", "name", name, "creationTimestamp", time);
        if (skr_path_get(old, "value")) {
            json_object_set(object, "value", json_object_get(old, "value"));
        }
        (void)skr_store_put(c->store, object, c->now, NULL);
        json_decref(object);
    }
}

struct skr_cluster *skr_cluster_create(const struct skr_cluster_options *options, skr_time now)
{
    struct skr_cluster *c = skr_alloc(sizeof *c);
    c->options = *options;
    c->now = now;
    skr_cluster_tasks_init(c);
    c->store = skr_store_create(options->seed);
    date_first_objects(c, "Namespace", "v1");
    date_first_objects(c, "PriorityClass", "scheduling.k8s.io/v1");
    c->seen = skr_store_revision(c->store);
    return c;
}

void skr_cluster_destroy(struct skr_cluster *cluster)
{
    if (!cluster) {
        return;
    }
    for (struct skr_task *task; (task = skr_cluster_first_task(cluster));) {
        skr_cluster_take_out(cluster, task);
        skr_task_free(task);
    }
    skr_heap_fini(&cluster->heap);
    skr_workload_fini(cluster);
    skr_kubelet_fini(cluster);
    skr_owners_fini(cluster);
    skr_budgets_fini(cluster);
    json_decref(cluster->said);
    skr_store_destroy(cluster->store);
    free(cluster);
}

struct skr_store *skr_cluster_store(struct skr_cluster *cluster)
{
    return cluster->store;
}

/* ---- the loop ---- */

static const json_t *member(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return json_is_null(value) ? NULL : value;
}

static void look_at(struct skr_shown *shown, const struct skr_store_change *change)
{
    const json_t *meta = json_object_get(change->object, "metadata");
    *shown = (struct skr_shown){
        .namespace_ = skr_path_text(meta, "namespace"),
        .name = skr_path_text(meta, "name"),
        .deleting = member(meta, "deletionTimestamp"),
        .references = member(meta, "ownerReferences"),
        .is_pod = strcmp(change->resource->kind, "Pod") == 0,
        .node = "",
        .node_before = "",
    };
    shown->controller = skr_owners_controller_in(shown->references);
    shown->controller_kind = skr_path_text(shown->controller, "kind");
    if (shown->is_pod) {
        const json_t *spec = json_object_get(change->object, "spec");
        const json_t *before = json_object_get(change->before, "spec");
        shown->node = skr_path_text(spec, "nodeName");
        shown->node_before = spec == before ? shown->node : skr_path_text(before, "nodeName");
    }
}

/* A controller, or a part of the kubelets: a task handles one object. */
static const struct controller {
    const char *kind; /* the object's key: skr_store_resource_key() */
    void (*run)(struct skr_cluster *c, json_t *object);
    const char *members; /* wakes the controlling object for these; NULL: it wakes itself */
    skr_time batch;      /* changes within this time are handled together */
} controllers[SKR_TASK_KIND_COUNT] = {
    [SKR_TASK_JOB] = {"Job", skr_jobs_run, "Pod", SKR_SECOND},
    [SKR_TASK_CRON_JOB] = {"CronJob", skr_cron_jobs_run, "Job", BATCH},
    [SKR_TASK_REPLICA_SET] = {"ReplicaSet", skr_replica_sets_run, "Pod", BATCH},
    [SKR_TASK_DEPLOYMENT] = {"Deployment", skr_deployments_run, "ReplicaSet", BATCH},
    [SKR_TASK_STATEFUL_SET] = {"StatefulSet", skr_stateful_sets_run, "Pod", BATCH},
    [SKR_TASK_DAEMON_SET] = {"DaemonSet", skr_daemon_sets_run, "Pod", 100 * SKR_MILLISECOND},
    [SKR_TASK_JOB_SET] = {"JobSet", skr_job_sets_run, "Job", BATCH},
    [SKR_TASK_LEADER_WORKER_SET] = {"LeaderWorkerSet", skr_leader_worker_sets_run, "StatefulSet",
                                    BATCH},
    [SKR_TASK_MPI_JOB] = {"MPIJob", skr_mpi_jobs_run, "Pod", BATCH},
    [SKR_TASK_MPI_JOB_V1] = {"MPIJob.v1", skr_kubeflow_jobs_run, "Pod", BATCH},
    [SKR_TASK_PYTORCH_JOB] = {"PyTorchJob", skr_kubeflow_jobs_run, "Pod", BATCH},
    [SKR_TASK_TF_JOB] = {"TFJob", skr_kubeflow_jobs_run, "Pod", BATCH},
    [SKR_TASK_XGBOOST_JOB] = {"XGBoostJob", skr_kubeflow_jobs_run, "Pod", BATCH},
    [SKR_TASK_PADDLE_JOB] = {"PaddleJob", skr_kubeflow_jobs_run, "Pod", BATCH},
    [SKR_TASK_JAX_JOB] = {"JAXJob", skr_kubeflow_jobs_run, "Pod", BATCH},
    [SKR_TASK_RAY_CLUSTER] = {"RayCluster", skr_ray_clusters_run, "Pod", BATCH},
    [SKR_TASK_TRAIN_JOB] = {"TrainJob", skr_train_jobs_run, "JobSet", BATCH},
    [SKR_TASK_RAY_JOB] = {"RayJob", skr_ray_jobs_run, "RayCluster", BATCH},
    [SKR_TASK_RAY_SERVICE] = {"RayService", skr_ray_services_run, "RayCluster", BATCH},
    [SKR_TASK_SPARK] = {"SparkApplication", skr_spark_run, "Pod", BATCH},
    [SKR_TASK_BUDGET] = {"PodDisruptionBudget", skr_budgets_run, NULL, 0},
    [SKR_TASK_POD_CLAIMS] = {"Pod", skr_pod_claims_run, NULL, 0},
    [SKR_TASK_RESOURCE_CLAIM] = {"ResourceClaim", skr_resource_claims_run, NULL, 0},
    [SKR_TASK_VOLUME_CLAIM] = {"PersistentVolumeClaim", skr_volume_claims_run, NULL, 0},
    [SKR_TASK_EPHEMERAL_VOLUMES] = {"Pod", skr_ephemeral_volumes_run, NULL, 0},
    [SKR_TASK_NAMESPACE] = {"Namespace", skr_namespaces_run, NULL, 0},
    [SKR_TASK_NODE] = {"Node", skr_kubelet_be_node, NULL, 0},
    [SKR_TASK_POD_START] = {"Pod", skr_kubelet_start, NULL, 0},
    [SKR_TASK_POD_FINISH] = {"Pod", skr_kubelet_end, NULL, 0},
    [SKR_TASK_POD_DEADLINE] = {"Pod", skr_kubelet_end_late, NULL, 0},
    [SKR_TASK_POD_STOP] = {"Pod", skr_kubelet_stop, NULL, 0},
    [SKR_TASK_POD_ORPHAN] = {"Pod", skr_jobs_untrack, NULL, 0},
    [SKR_TASK_POD_LOST] = {"Pod", skr_node_life_lose, NULL, 0},
    [SKR_TASK_POD_TAINT] = {"Pod", skr_node_life_turn_out, NULL, 0},
};

/* Whether a key is of the kind, in any version. */
static bool is_of_kind(const char *key, const char *kind)
{
    const size_t n = strlen(kind);
    return n > 0 && strncmp(key, kind, n) == 0 && (key[n] == '\0' || key[n] == '.');
}

/* An object wakes its own controller, and the controller that owns it. */
static void wake(struct skr_cluster *c, const struct skr_store_change *change)
{
    const struct skr_shown *shown = &c->shown;
    for (int i = 0; i < SKR_TASK_KIND_COUNT && controllers[i].members; i++) {
        const struct controller *row = &controllers[i];
        const char *kind = skr_store_resource_key(change->resource);
        if (strcmp(kind, row->kind) == 0 && change->kind != SKR_STORE_DELETED) {
            skr_cluster_plan(c, (enum skr_task_kind)i, shown->namespace_, shown->name, c->now);
        }
        if (is_of_kind(row->kind, shown->controller_kind) && strcmp(kind, row->members) == 0) {
            skr_cluster_plan(c, (enum skr_task_kind)i, shown->namespace_,
                             skr_path_text(shown->controller, "name"), c->now + row->batch);
        }
    }
}

static void show_change(struct skr_cluster *c, const struct skr_store_change *change)
{
    static void (*const table[])(struct skr_cluster * c, const struct skr_store_change *change) = {
        skr_owners_change,
        wake,
        skr_jobs_change,
        skr_daemon_sets_change,
        skr_budgets_change,
        skr_namespaces_change,
        skr_kubelet_change,
        skr_node_life_change,
        skr_leader_worker_sets_change,
        skr_train_jobs_change,
        skr_spark_change,
        skr_resource_claims_change,
        skr_volumes_change,
        skr_unmodelled_change,
    };
    look_at(&c->shown, change);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        table[i](c, change);
    }
}

static size_t see_changes(struct skr_cluster *c)
{
    struct skr_store_change change;
    bool gone;
    size_t n = 0;
    while (skr_store_next_change(c->store, c->seen, &change, &gone)) {
        c->seen = change.revision;
        show_change(c, &change);
        n++;
    }
    skr_bug_on(gone); /* more changes in one step than the history holds */
    return n;
}

static void run_task(struct skr_cluster *c, const struct skr_task *task)
{
    const struct controller *row = &controllers[task->kind];
    if (task->kind == SKR_TASK_COLLECT) {
        skr_owners_collect(c, task);
        return;
    }
    const json_t *found = skr_store_get(c->store, row->kind, task->namespace_, task->name);
    if (found) {
        json_t *object = skr_path_ref(found);
        row->run(c, object);
        json_decref(object);
    }
}

static size_t run_due(struct skr_cluster *c)
{
    size_t n = 0;
    for (struct skr_task *task; (task = skr_cluster_first_task(c)) && task->at <= c->now;) {
        skr_cluster_take_out(c, task);
        run_task(c, task);
        skr_task_free(task);
        (void)see_changes(c);
        n++;
    }
    return n;
}

uint64_t skr_cluster_seen(const struct skr_cluster *cluster)
{
    return cluster->seen;
}

skr_time skr_cluster_next(const struct skr_cluster *cluster)
{
    const struct skr_task *task = skr_cluster_first_task(cluster);
    if (skr_store_revision(cluster->store) > cluster->seen) {
        return cluster->now;
    }
    return task ? task->at : SKR_TIME_NEVER;
}

size_t skr_cluster_step(struct skr_cluster *cluster, skr_time now)
{
    size_t total = 0;
    cluster->now = now;
    for (size_t round = 0;; round++) {
        size_t n = see_changes(cluster);
        n += run_due(cluster);
        if (n == 0) {
            return total;
        }
        total += n;
        skr_bug_on(round > ROUNDS_MAX);
    }
}
