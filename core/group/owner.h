/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GROUP_OWNER_H
#define SKR_CORE_GROUP_OWNER_H
/*
 * The object that says how large a derived group is: a Job, a JobSet, a LeaderWorkerSet, ... Only
 * the fields that decide the size are decoded. skr_owner_minimum() gives the number of members
 * under a scope. Immutable; one arena each.
 */
#include "core/group/workload.h"
#include "core/pod/pod.h"

enum { SKR_OWNER_PARTS_MAX = 64 }; /* replicatedJobs, replica types, worker groups of one object */

struct skr_owner_part {
    const char *name;    /* of the replicatedJob; "" else */
    int32_t jobs;        /* replicas of a JobSet's replicatedJob; 1 else */
    int32_t pods;        /* of each job */
    int32_t never;       /* Job: so many more were asked for, and cannot run beside the others */
    int32_t completions; /* of each job; INT32_MAX: any number */
    bool exclusive;      /* JobSet: its workers exist only after their leader is bound */
};

struct skr_owner {
    struct skr_arena *arena;
    struct skr_meta meta;
    const char *kind;        /* as in struct skr_workload; constant */
    const char *api_version; /* as which it was read; constant */
    const char *above;       /* of a Job or a StatefulSet: uid of its controller; "": none */
    const char *defect;      /* why nothing else of it could be read; NULL: it was */
    const char *conflict; /* why no pods of it can be a gang, and what to remove; NULL: they can */
    bool in_order;        /* JobSet: its jobs are created one after the other */
    bool leader_first;    /* LeaderWorkerSet: workers are created once the leader is ready */
    bool stopped;         /* suspended, or a SparkApplication that has ended: no pod is made */
    int32_t minimum;      /* minAvailable; not above 0: the sum of its parts */
    const char *parts;    /* path of the field that has its parts, or their number; constant */
    int64_t deadline_s;   /* Job: spec.activeDeadlineSeconds; 0: none */
    skr_time started;     /* Job: status.startTime; 0: not yet */
    int32_t succeeded;    /* Job: pods that have; the API counts deleted ones too */
    /* Job with a deadline: spec.managedBy names another controller than that of Kubernetes, which alone ends
     * pods at the deadline; and its selector. */
    bool foreign, has_selector;
    struct skr_pod_rule selector;
    bool over; /* it has ended, well or not, and makes no pod more */
    size_t n_parts;
    struct skr_owner_part *part;
};

/* Decoders by kind. Errors: SKR_INVALID with the path of the field, SKR_LIMIT. A Deployment says nothing about sizes: its
 * ReplicaSets are the groups. */
int skr_owner_job_decode(const json_t *json, struct skr_owner **ret, struct skr_error *error);
int skr_owner_statefulset_decode(const json_t *json, struct skr_owner **ret,
                                 struct skr_error *error);
int skr_owner_jobset_decode(const json_t *json, struct skr_owner **ret, struct skr_error *error);
int skr_owner_lws_decode(const json_t *json, struct skr_owner **ret, struct skr_error *error);
int skr_owner_mpijob_decode(const json_t *json, struct skr_owner **ret, struct skr_error *error);
int skr_owner_mpijob_v1_decode(const json_t *json, struct skr_owner **ret, struct skr_error *error);
int skr_owner_pytorchjob_decode(const json_t *json, struct skr_owner **ret,
                                struct skr_error *error);
int skr_owner_tfjob_decode(const json_t *json, struct skr_owner **ret, struct skr_error *error);
int skr_owner_xgboostjob_decode(const json_t *json, struct skr_owner **ret,
                                struct skr_error *error);
int skr_owner_paddlejob_decode(const json_t *json, struct skr_owner **ret, struct skr_error *error);
int skr_owner_jaxjob_decode(const json_t *json, struct skr_owner **ret, struct skr_error *error);
int skr_owner_raycluster_decode(const json_t *json, struct skr_owner **ret,
                                struct skr_error *error);
int skr_owner_spark_decode(const json_t *json, struct skr_owner **ret, struct skr_error *error);
int skr_owner_deployment_decode(const json_t *json, struct skr_owner **ret,
                                struct skr_error *error);
/* For an object whose decoder has failed: its metadata, and the error as defect. Fails if that fails, too:
 * then error stays. */
int skr_owner_broken_decode(const json_t *json, const char *api_version, const char *kind,
                            struct skr_owner **ret, const struct skr_error *error);
void skr_owner_destroy(struct skr_owner *owner); /* NULL allowed */
SKR_AUTO_DEFINE(struct skr_owner, skr_owner_destroy)

/* Why the pods of the group of this pod cannot be a gang, and what to remove; NULL: they can. */
const char *skr_owner_conflict(const struct skr_owner *owner, const struct skr_workload *workload,
                               enum skr_workload_scope scope);
/* The size of the group of this pod, whatever has succeeded: skr_owner_done() counts that. -1: nothing
 * says it; 0: it makes no pods. owner NULL: not known. running: a member runs, so the leader of a
 * LeaderWorkerSet's group exists. */
int64_t skr_owner_minimum(const struct skr_owner *owner, const struct skr_workload *workload,
                          enum skr_workload_scope scope, bool running);
/* The number of its members under the scope, whatever has succeeded; not above INT32_MAX. */
int64_t skr_owner_total(const struct skr_owner *owner, const struct skr_workload *workload,
                        enum skr_workload_scope scope);
/* Members that a job of the named part lacks for good, because pods of it have succeeded: this many,
 * or more by the object's own count. live: its pods that have not ended. With replicas by type each
 * pod that has succeeded is one, and the part is the whole object. */
int64_t skr_owner_done(const struct skr_owner *owner, const char *part, int32_t succeeded,
                       int32_t live);
/* Whether it makes pods that are missing: it is not deleted, suspended, at an end, or scaled down to
 * nothing. number: of the group of a LeaderWorkerSet, below its replicas; -1: none. NULL: no. */
bool skr_owner_makes_pods(const struct skr_owner *owner, int32_t number);
/* Appends the field that says the minimum, or the pods of one role: "spec.parallelism of Job
 * train", "the sum of spec.replicatedJobs of JobSet js". role NULL: all. */
void skr_owner_size_field_add(const struct skr_owner *owner, const char *role,
                              struct skr_strbuf *b);
/* Whether the controller of Kubernetes manages this pod for the Job: no other manager has the Job, the pod is
 * owned by that uid, and the selector takes in its labels. */
bool skr_owner_manages(const struct skr_owner *job, const char *controller_uid,
                       const struct skr_meta *pod);
/* Whether the controller ends its pods at a deadline. It looks at none while the Job is suspended, and leaves a
 * Job alone that is over (Kubernetes pkg/controller/job, pastActiveDeadline and syncJob). */
bool skr_owner_has_deadline(const struct skr_owner *job);
/* Whether both objects give the same size, conflict and end, and both make pods or neither does; false if
 * one could not be read. */
bool skr_owner_equal(const struct skr_owner *a, const struct skr_owner *b);

#endif
