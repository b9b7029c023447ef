/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_POD_INDEX_H
#define SKR_CORE_POD_INDEX_H
/*
 * The number that a controller gives each of its pods, and the order of pods that have none. Every
 * controller writes it under a key of its own, as a label, an annotation or both.
 */
#include <stdint.h>

#include "topology/base/json.h"
#include "topology/labels.h"

#define SKR_ANNOTATION_INDEX "sakkara.group.index"

/* In the order in which they are asked: a pod of a LeaderWorkerSet has a worker index, and the ordinal
 * of its StatefulSet, which is the number of the group for a leader. */
enum skr_pod_index_key {
    SKR_POD_INDEX_USER,     /* the label that annotation sakkara.group.index names; else Kueue's
                               kueue.x-k8s.io/pod-group-pod-index */
    SKR_POD_INDEX_WORKLOAD, /* several numbers of one operator in one: JobSet, MPIJob, Kubeflow, Ray,
                               Spark */
    SKR_POD_INDEX_JOB,      /* batch.kubernetes.io/job-completion-index */
    SKR_POD_INDEX_LWS,      /* leaderworkerset.sigs.k8s.io/worker-index */
    SKR_POD_INDEX_STATEFULSET, /* apps.kubernetes.io/pod-index */
    SKR_POD_INDEX_TRAINING,    /* training.kubeflow.org/replica-index */
    SKR_POD_INDEX_COUNT
};

/* Of the numbers that SKR_POD_INDEX_WORKLOAD joins, the low one has at least so many bits. */
enum { SKR_POD_INDEX_SHIFT_MIN = 10 };

/* index[key]: the number, or -1 when neither a label nor an annotation has it as digits alone, up to
 * INT32_MAX. The label counts when both are there. annotations: of the pod, NULL allowed; borrowed. */
void skr_pod_index_read(const struct skr_labels *labels, const struct skr_json *annotations,
                        int32_t index[SKR_POD_INDEX_COUNT]);

/* Natural order of names: runs of digits compare as numbers of any length ("j-2" before "j-10"), the
 * rest as bytes; names that are equal so compare as bytes in all. < 0, 0, > 0. */
int skr_pod_compare_names(const char *left, const char *right);

#endif
