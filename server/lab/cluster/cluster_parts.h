/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_LAB_CLUSTER_CLUSTER_PARTS_H
#define SKR_SERVER_LAB_CLUSTER_CLUSTER_PARTS_H
/*
 * Shared by the controllers and kubelets. Each sees every change of the store in order, and puts
 * tasks into one list. A task is one kind of work on one object. Tasks are level-triggered: they
 * read the store when they run, so a superfluous one does no harm.
 *
 * Ownership has one index (owners.c): an owner is a uid in the ownerReferences of objects; these
 * objects are its members.
 */
#include <uthash.h>

#include "core/frame/heap.h"
#include "server/lab/cluster/cluster.h"
#include "server/object/path.h"
#include "server/object/selector.h"

enum skr_task_kind {
    SKR_TASK_JOB,
    SKR_TASK_CRON_JOB, /* makers.c */
    SKR_TASK_REPLICA_SET,
    SKR_TASK_DEPLOYMENT,
    SKR_TASK_STATEFUL_SET,
    SKR_TASK_DAEMON_SET,
    SKR_TASK_JOB_SET, /* these are of operators.c */
    SKR_TASK_LEADER_WORKER_SET,
    SKR_TASK_MPI_JOB,
    SKR_TASK_MPI_JOB_V1, /* of the training operator */
    SKR_TASK_PYTORCH_JOB,
    SKR_TASK_TF_JOB,
    SKR_TASK_XGBOOST_JOB,
    SKR_TASK_PADDLE_JOB,
    SKR_TASK_JAX_JOB,
    SKR_TASK_RAY_CLUSTER,
    SKR_TASK_TRAIN_JOB, /* these are of makers.c */
    SKR_TASK_RAY_JOB,
    SKR_TASK_RAY_SERVICE,
    SKR_TASK_SPARK, /* spark.c */
    SKR_TASK_BUDGET,
    SKR_TASK_POD_CLAIMS,        /* a pod whose claims are made of templates */
    SKR_TASK_RESOURCE_CLAIM,    /* one whose pod is done or gone */
    SKR_TASK_VOLUME_CLAIM,      /* volumes.c */
    SKR_TASK_EPHEMERAL_VOLUMES, /* of a pod */
    SKR_TASK_COLLECT,           /* dependents, of any kind, of a deleted owner */
    SKR_TASK_NAMESPACE,         /* one that is being deleted */
    SKR_TASK_NODE,              /* status of a new node */
    SKR_TASK_POD_START,
    SKR_TASK_POD_FINISH,
    SKR_TASK_POD_DEADLINE, /* its activeDeadlineSeconds are over */
    SKR_TASK_POD_STOP,
    SKR_TASK_POD_LOST,   /* its node is deleted */
    SKR_TASK_POD_ORPHAN, /* its Job is deleted and does not track it any more */
    SKR_TASK_POD_TAINT,  /* its node has a taint that it does not tolerate forever */
    SKR_TASK_KIND_COUNT
};

struct skr_task {
    struct skr_heap_item waits;
    enum skr_task_kind kind;
    skr_time at;
    uint64_t order;
    UT_hash_handle hh;
    /* The object: namespace and name, and "KIND/" before them for COLLECT. */
    char *namespace_;
    char *name;
    char key[]; /* all of that as one key, for the table */
};

/* An object that names owners. */
struct skr_member {
    const struct skr_store_resource *resource;
    const char *namespace_; /* this and the next two: behind the key */
    const char *name;
    const char *uid;
    uint64_t order; /* of creation */
    UT_hash_handle hh;
    struct skr_link *links; /* one per owner */
    char key[];
};

struct skr_link {
    struct skr_member *member;
    struct skr_owner *owner;
    bool controller;
    struct skr_link *next_of_member;
    struct skr_link *prev, *next; /* of the owner, oldest first */
};

struct skr_owner {
    UT_hash_handle hh;
    struct skr_link *links;
    size_t n;
    size_t next_ordinal; /* of its pods, if they are numbered */
    bool refused;        /* the last pod for it was refused, and that is reported */
    /* For Jobs: determines how long a failed pod waits for its successor. */
    int64_t failures;
    skr_time last_failure;
    char uid[];
};

struct skr_budget; /* budgets.c */

/* Facts about a changed object, looked up once for all models. Borrowed from it. */
struct skr_shown {
    const char *namespace_, *name;
    bool deleting;
    const json_t *references; /* metadata.ownerReferences; NULL none */
    const json_t *controller; /* skr_owners_controller(); NULL none */
    const char *controller_kind;
    /* Of a pod; for others "". */
    bool is_pod;
    const char *node, *node_before; /* "": none, also if there was no pod before */
};

/* Shared parts of pods of one template, since many pods are created at once. */
struct skr_prepared {
    json_t *owner, *template, *env; /* of the prepared pod; references, NULL: none */
    json_t *spec;                   /* with the variable of env; NULL: nothing is prepared */
    json_t *references;
    bool is_shared; /* with existing pods */
};

/* Shared parts of pods that start in one second. References; NULL: none yet. */
struct skr_started {
    skr_time second;
    json_t *before, *conditions; /* of the status: before and after the start */
    json_t *containers, *statuses;
};

struct skr_cluster {
    struct skr_cluster_options options;
    struct skr_store *store;
    skr_time now;
    uint64_t seen; /* revision up to which changes were looked at */
    uint64_t order;
    uint32_t addresses;     /* number of pod addresses assigned so far */
    struct skr_task *tasks; /* by key */
    struct skr_heap heap;   /* of tasks, by time and order of making */
    struct skr_owner *owners;
    bool any_refused; /* an owner may have `refused` set */
    struct skr_member *members;
    struct skr_budget *budgets;
    struct skr_prepared prepared; /* for the pods that were made last */
    struct skr_started started;
    json_t *said;           /* what is not modelled and was reported; NULL: nothing */
    struct skr_shown shown; /* the present change, as the models see it */
};

/* ---- cluster_tasks.c ---- */

/* "KIND NAMESPACE NAME", cut at size. */
void skr_cluster_key(char *key, size_t size, const char *kind, const char *namespace_,
                     const char *name);

/* A task of this kind for the object, at a time or earlier: an existing task is moved forward if
 * this is earlier. */
void skr_cluster_plan(struct skr_cluster *c, enum skr_task_kind kind, const char *namespace_,
                      const char *name, skr_time at);
/* Cancels a planned task. */
void skr_cluster_unplan(struct skr_cluster *c, enum skr_task_kind kind, const char *namespace_,
                        const char *name);
void skr_cluster_tasks_init(struct skr_cluster *c);
struct skr_task *skr_cluster_first_task(const struct skr_cluster *c); /* NULL: none */
/* The task is no longer planned; the caller frees it. */
void skr_cluster_take_out(struct skr_cluster *c, struct skr_task *task);
void skr_task_free(struct skr_task *task);
/* A request to the store; status. body: taken, NULL allowed. ret: NULL, or the answer
 * (json_decref()). */
int skr_cluster_request(struct skr_cluster *c, enum skr_store_verb verb, const char *kind,
                        const char *namespace_, const char *name, const char *subresource,
                        json_t *body, json_t **ret);
/* Replaces the object's status. status: taken. */
void skr_cluster_set_status(struct skr_cluster *c, const char *kind, const json_t *object,
                            json_t *status);
/* Deletes one object by name and uid (NULL: any). grace: seconds, -1 its own. */
void skr_cluster_delete(struct skr_cluster *c, const char *kind, const char *namespace_,
                        const char *name, const char *uid, int64_t grace);
/* The RFC 3339 text at path as a time; 0 if absent. */
skr_time skr_cluster_time(const json_t *object, const char *path);

/* ---- owners.c ---- */

void skr_owners_change(struct skr_cluster *c, const struct skr_store_change *change);
void skr_owners_collect(struct skr_cluster *c, const struct skr_task *task);
struct skr_owner *skr_owners_find(struct skr_cluster *c, const char *uid); /* NULL: no members */
struct skr_owner *skr_owners_get(struct skr_cluster *c, const char *uid);  /* created if absent */
void skr_owners_fini(struct skr_cluster *c);
/* The ownerReference of a controller. */
json_t *skr_owners_reference(const json_t *owner);
/* {apiVersion, kind, name, uid} of the controller of an object, NULL if it has none. */
const json_t *skr_owners_controller(const json_t *object);
/* The same of its ownerReferences; NULL allowed. */
const json_t *skr_owners_controller_in(const json_t *references);

/* ---- workload.c ---- */

/* A pod as a controller sees it. */
struct skr_worker {
    json_t *object; /* a reference */
    const char *namespace_, *name;
    bool deleting, bound, ready, succeeded, failed;
    bool active; /* not finished, not deleting */
    uint64_t order;
};

/* The pods that the object controls, oldest first. *ret: skr_workload_let_go(). */
size_t skr_workload_pods(struct skr_cluster *c, const json_t *owner, struct skr_worker **ret);
void skr_workload_let_go(struct skr_worker *worker, size_t n);
/* Orders those first whose loss matters least (ActivePodsWithRanks): unbound, pending, not ready,
 * youngest. */
void skr_workload_rank_for_deletion(struct skr_worker *worker, size_t n);
/* A pod of the template. name NULL: by the options, from the owner's name. extra: members of
 * metadata to add or merge (labels, annotations, finalizers), taken, NULL allowed. hostname, env:
 * NULL allowed; env taken. Returns the HTTP status. */
struct skr_pod_plan {
    const char *name;
    const char *base; /* of generated names, without the dash; NULL: the owner's name */
    json_t *metadata;
    const char *hostname;
    json_t *env; /* one variable for every container */
};
int skr_workload_create_pod(struct skr_cluster *c, const json_t *owner, const json_t *template,
                            const struct skr_pod_plan *plan);
/* Reports once why nothing can be created for the owner, until something was. */
void skr_workload_refuse(struct skr_cluster *c, const json_t *owner, const char *why);
void skr_workload_accept(struct skr_cluster *c, const json_t *owner);
void skr_workload_fini(struct skr_cluster *c); /* frees what is prepared */
/* The number of an IntOrString share of total, rounded up or down. */
int64_t skr_workload_share(const json_t *value, int64_t total, bool up);
/* A hash of JSON as ten letters, as in names of ReplicaSets and revisions. */
void skr_workload_hash(const json_t *json, char text[11]);

/* ---- the controllers: rows of cluster.c. change() handles changes that wake a controller besides
 * those of its own objects and their members; run() does the work on an object, which outlives its
 * own writes ---- */

void skr_jobs_change(struct skr_cluster *c, const struct skr_store_change *change);
void skr_jobs_run(struct skr_cluster *c, json_t *job);
void skr_jobs_untrack(struct skr_cluster *c, json_t *pod);
void skr_replica_sets_run(struct skr_cluster *c, json_t *set);
void skr_deployments_run(struct skr_cluster *c, json_t *deployment);
void skr_stateful_sets_run(struct skr_cluster *c, json_t *set);
void skr_daemon_sets_change(struct skr_cluster *c, const struct skr_store_change *change);
void skr_daemon_sets_run(struct skr_cluster *c, json_t *set);
void skr_job_sets_run(struct skr_cluster *c, json_t *set);
void skr_leader_worker_sets_change(struct skr_cluster *c, const struct skr_store_change *change);
void skr_leader_worker_sets_run(struct skr_cluster *c, json_t *lws);
/* Adds the labels of a StatefulSet's pod to its metadata, if the set is of a LeaderWorkerSet. */
void skr_leader_worker_sets_label(const json_t *set, int64_t ordinal, json_t *metadata);
void skr_mpi_jobs_run(struct skr_cluster *c, json_t *job);
void skr_kubeflow_jobs_run(struct skr_cluster *c, json_t *job);
void skr_ray_clusters_run(struct skr_cluster *c, json_t *cluster);
void skr_train_jobs_change(struct skr_cluster *c, const struct skr_store_change *change);
void skr_train_jobs_run(struct skr_cluster *c, json_t *job);
void skr_ray_jobs_run(struct skr_cluster *c, json_t *job);
/* One run, at once: the schedule does not count. */
void skr_cron_jobs_run(struct skr_cluster *c, json_t *cron);
void skr_ray_services_run(struct skr_cluster *c, json_t *service);
void skr_spark_change(struct skr_cluster *c, const struct skr_store_change *change);
void skr_spark_run(struct skr_cluster *c, json_t *application);
void skr_unmodelled_change(struct skr_cluster *c, const struct skr_store_change *change);
void skr_budgets_change(struct skr_cluster *c, const struct skr_store_change *change);
void skr_budgets_run(struct skr_cluster *c, json_t *budget);
void skr_budgets_fini(struct skr_cluster *c);
void skr_resource_claims_change(struct skr_cluster *c, const struct skr_store_change *change);
void skr_pod_claims_run(struct skr_cluster *c, json_t *pod);
void skr_resource_claims_run(struct skr_cluster *c, json_t *claim);
void skr_volumes_change(struct skr_cluster *c, const struct skr_store_change *change);
void skr_volume_claims_run(struct skr_cluster *c, json_t *claim);
void skr_ephemeral_volumes_run(struct skr_cluster *c, json_t *pod);
void skr_namespaces_change(struct skr_cluster *c, const struct skr_store_change *change);
void skr_namespaces_run(struct skr_cluster *c, json_t *namespace_);
void skr_kubelet_change(struct skr_cluster *c, const struct skr_store_change *change);
void skr_kubelet_be_node(struct skr_cluster *c, json_t *node);
void skr_kubelet_start(struct skr_cluster *c, json_t *pod);
void skr_kubelet_end(struct skr_cluster *c, json_t *pod);
void skr_kubelet_end_late(struct skr_cluster *c, json_t *pod);
void skr_kubelet_stop(struct skr_cluster *c, json_t *pod);
void skr_kubelet_fini(struct skr_cluster *c);
void skr_node_life_change(struct skr_cluster *c, const struct skr_store_change *change);
void skr_node_life_lose(struct skr_cluster *c, json_t *pod);
void skr_node_life_turn_out(struct skr_cluster *c, json_t *pod);

#endif
