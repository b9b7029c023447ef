/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GROUP_WORKLOAD_H
#define SKR_CORE_GROUP_WORKLOAD_H
/*
 * Kinds of workloads whose pods become a group without an object of the group: one row a kind, which
 * says how a pod of it is recognised, what its group is called, and which object has its size. The
 * rows read labels and owner of the pod alone. A layout of labels that no row recognises is "any
 * other controller".
 *
 * Names of derived groups have a slash, which no label value has: they never meet a group of a map or
 * a label. Job: "job/NAME". JobSet: "jobset/NAME", and "/REPLICATEDJOB" or "/REPLICATEDJOB/INDEX" under
 * the narrower scopes. LeaderWorkerSet: "lws/NAME/INDEX", "lws/NAME" for all. Other kinds:
 * "PREFIX/NAME"; any other controller: "KIND.GROUP/NAME" in lower case; a pod without one: "pod/NAME".
 *
 * Role and set of a member: core/gang/group/role_column.h. Index: core/pod/index.h.
 */
#include "core/pod/pod.h"
#include "topology/base/strbuf.h"

#define SKR_ANNOTATION_GANG      "sakkara.gang" /* auto, off, or a scope */
#define SKR_LABEL_NAMESPACE_GANG "sakkara.gang" /* of a namespace: auto */

enum skr_workload_kind {
    SKR_WORKLOAD_LWS, /* in the order in which a pod is asked */
    SKR_WORKLOAD_JOBSET,
    SKR_WORKLOAD_MPIJOB,
    SKR_WORKLOAD_KUBEFLOW, /* PyTorchJob, TFJob, XGBoostJob, PaddleJob, JAXJob, MPIJob v1 */
    SKR_WORKLOAD_RAYCLUSTER,
    SKR_WORKLOAD_SPARK,
    SKR_WORKLOAD_JOB,
    SKR_WORKLOAD_STATEFULSET,
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

/* "LeaderWorkerSet", ..., "any other": of derive.kinds and messages. */
const char *skr_workload_kind_name(enum skr_workload_kind kind);
/* SKR_WORKLOAD_COUNT: none. TrainJob is JobSet, whose labels its pods have. */
enum skr_workload_kind skr_workload_kind_find(const char *name);
/* "JobSet, Job": bits of enum skr_workload_kind; "" none. SKR_INVALID with the part that is no kind.
 * "other" is none: nothing says how large such a workload is. */
int skr_workload_kinds_parse(const char *text, uint32_t *ret, struct skr_error *error);
bool skr_workload_scope_find(const char *name, enum skr_workload_scope *ret);

/* What a pod says of its workload. Texts are borrowed from it or constant. */
struct skr_workload {
    enum skr_workload_kind kind;
    const char *owner_kind; /* of the object with the size: "Job"; "" there is none to read */
    const char *owner;      /* its name, in the namespace of the pod */
    const char *owner_uid;  /* its uid, where the pod has that; "" else */
    const char *part;       /* JobSet: the replicatedJob; "" else */
    int32_t number;         /* JobSet: job-index; LeaderWorkerSet: group-index; -1 none */
    int32_t size;           /* that the pod itself says; -1: nothing */
    bool alone; /* it is no member of the gang: a Spark driver, an initializer of a TrainJob */
};
void skr_workload_of(const struct skr_pod *pod, struct skr_workload *ret);

/* The name of its group, appended. scope AUTO: of a JobSet all of it. */
void skr_workload_name_add(const struct skr_pod *pod, const struct skr_workload *workload,
                           enum skr_workload_scope scope, struct skr_strbuf *b);
/* Pods of two generations never run in one gang: the value differs between them. "" : it is not known
 * from the pod (LeaderWorkerSet: the uid of the leader). Borrowed. */
const char *skr_workload_generation(const struct skr_pod *pod, const struct skr_workload *workload);

#endif
