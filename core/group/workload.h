/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GROUP_WORKLOAD_H
#define SKR_CORE_GROUP_WORKLOAD_H
/*
 * Kinds of workloads whose pods become a group without an object of the group. Each kind is one row,
 * which says how its pods are recognised, what their group is called, and which object has the size.
 * The rows read only labels and owner of the pod. If no row recognises a pod, its kind is "any other
 * controller".
 *
 * Names of derived groups have a slash, which no label value has, so they are never equal to a name
 * from a map or a label:
 *
 *   Job                     job/NAME
 *   JobSet                  jobset/NAME; jobset/NAME/REPLICATEDJOB and
 *                           jobset/NAME/REPLICATEDJOB/INDEX under the narrower scopes
 *   LeaderWorkerSet         lws/NAME/INDEX; lws/NAME for all replicas
 *   pod group of Kueue      kueue/NAME, by its label kueue.x-k8s.io/pod-group-name
 *   other kinds             PREFIX/NAME
 *   any other controller    KIND.GROUP/NAME in lower case
 *   none                    pod/NAME
 *
 * The row also says which role and set of the workload a pod is in. Index: core/pod/index.h.
 */
#include "core/pod/pod.h"
#include "topology/base/strbuf.h"

#define SKR_ANNOTATION_GANG      "sakkara.gang" /* auto, off, or a scope */
#define SKR_LABEL_KUEUE_GROUP    "kueue.x-k8s.io/pod-group-name"
#define SKR_KUEUE_TOTAL          "kueue.x-k8s.io/pod-group-total-count"
#define SKR_LABEL_NAMESPACE_GANG "sakkara.gang" /* of a namespace: auto */

enum skr_workload_kind {
    SKR_WORKLOAD_LWS, /* the kinds in the order in which their rows are tried */
    SKR_WORKLOAD_JOBSET,
    SKR_WORKLOAD_MPIJOB,
    SKR_WORKLOAD_KUBEFLOW, /* PyTorchJob, TFJob, XGBoostJob, PaddleJob, JAXJob, MPIJob v1 */
    SKR_WORKLOAD_RAYCLUSTER,
    SKR_WORKLOAD_SPARK,
    SKR_WORKLOAD_JOB,
    SKR_WORKLOAD_STATEFULSET,
    SKR_WORKLOAD_KUEUE, /* a pod group, of pods that no row before has */
    SKR_WORKLOAD_OTHER,
    SKR_WORKLOAD_COUNT
};

/* How much of a workload is one group. */
enum skr_workload_scope {
    SKR_SCOPE_AUTO,
    SKR_SCOPE_JOBSET,
    SKR_SCOPE_REPLICATEDJOB,
    SKR_SCOPE_JOB,
    SKR_SCOPE_LWS,
    SKR_SCOPE_COUNT
};

/* name: as in derive.kinds, or "other". SKR_WORKLOAD_COUNT: no such kind. TrainJob means JobSet,
 * because its pods have the labels of a JobSet. */
enum skr_workload_kind skr_workload_kind_find(const char *name);
/* text: "JobSet, Job". *ret: bits of enum skr_workload_kind; 0 for "". SKR_INVALID with the part that
 * is no kind. "other" is no kind: nothing says how large such a workload is. */
int skr_workload_kinds_parse(const char *text, uint32_t *ret, struct skr_error *error);
bool skr_workload_scope_find(const char *name, enum skr_workload_scope *ret);

/* What a pod says of its workload. Texts are borrowed from it or constant. */
struct skr_workload {
    enum skr_workload_kind kind;
    const char *owner_kind; /* of the object with the size: "Job"; "": no object is read */
    const char *owner;      /* its name, in the namespace of the pod */
    const char *owner_uid;  /* its uid, where the pod has that; "" else */
    const char *part;       /* JobSet: the replicatedJob; "" else */
    int32_t number;         /* JobSet: job-index; LeaderWorkerSet: group-index; -1 none */
    int32_t size;           /* that the pod itself has; -1: none */
    bool alone; /* no member of the gang: a Spark driver, an initializer of a TrainJob */
    /* The operator makes it beside the workload, from the template of a member: an ordinary pod,
     * whatever it says of a group. */
    bool beside;
};
void skr_workload_of(const struct skr_pod *pod, struct skr_workload *ret);

/* Appends the name of the Deployment of the pod: its ReplicaSet is called NAME-HASH, and the pod has the hash as a
 * label. Appends nothing if it is of none. */
void skr_workload_deployment_add(const struct skr_pod *pod, struct skr_strbuf *b);
/* The kind of controllers of pods whose own controller says the generation; "": none. */
const char *skr_workload_kind_between(enum skr_workload_kind kind);
/* Whether the controller makes another pod in place of one that has Succeeded. */
bool skr_workload_makes_again(enum skr_workload_kind kind);
/* Whether pods of the kind are made from several templates, each for a role. */
bool skr_workload_has_roles(enum skr_workload_kind kind);
/* The role that its controller gives the pod, and the set, by labels that need not be complete. Of a
 * pod without an annotation of its own. NULL, -1: none. Borrowed from the pod, or constant. */
const char *skr_workload_role(const struct skr_pod *pod);
int32_t skr_workload_set(const struct skr_pod *pod);

/* Appends how the names of groups begin whose size an object of this kind gives: "job", "lws". */
void skr_workload_prefix_add(const char *owner_kind, struct skr_strbuf *b);
/* Appends the name of the group. scope AUTO: a whole JobSet is one group. */
void skr_workload_name_add(const struct skr_pod *pod, const struct skr_workload *workload,
                           enum skr_workload_scope scope, struct skr_strbuf *b);
/* Appends the kind and name of the workload, as the API has them, and what of it is the group:
 * "Job/train", "LeaderWorkerSet/serve/0", "Pod/web-0". */
void skr_workload_source_add(const struct skr_pod *pod, const struct skr_workload *workload,
                             enum skr_workload_scope scope, struct skr_strbuf *b);
/* Appends the generation of the workload that made the pod. Pods of two generations never run in
 * one gang. above: uid of what controls the pod's controller (core/group/owner.h), "" if not known:
 * the leader of a LeaderWorkerSet's worker, the MPIJob of a launcher. Appends nothing if unknown. */
void skr_workload_generation_add(const struct skr_pod *pod, const struct skr_workload *workload,
                                 const char *above, struct skr_strbuf *b);

#endif
