/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Labels of controllers that tell the roles of their pods apart. Sources: LeaderWorkerSet
 * (api/leaderworkerset/v1 labels), JobSet (api/jobset/v1alpha2 labels), training-operator and
 * mpi-operator (replica-type, job-role), KubeRay (ray.io/node-type, ray.io/group).
 */
#include "core/gang/group/role_column.h"

#include <stdlib.h>
#include <string.h>

static const char *label(const struct skr_pod *pod, const char *key)
{
    const char *value = skr_labels_get(&pod->meta.labels, key);
    return value && *value ? value : NULL;
}

const char *skr_role_column_role(const struct skr_pod *pod)
{
    static const char *const keys[] = {"jobset.sigs.k8s.io/replicatedjob-name",
                                       "training.kubeflow.org/replica-type",
                                       "training.kubeflow.org/job-role", "ray.io/group", NULL};
    const char *worker = label(pod, "leaderworkerset.sigs.k8s.io/worker-index");
    const char *node = label(pod, "ray.io/node-type");
    if (worker) {
        return strcmp(worker, "0") == 0 ? "leader" : "worker";
    }
    if (node && strcmp(node, "head") == 0) {
        return node;
    }
    for (size_t i = 0; keys[i]; i++) {
        const char *value = label(pod, keys[i]);
        if (value) {
            return value;
        }
    }
    return NULL;
}

int32_t skr_role_column_set(const struct skr_pod *pod)
{
    const char *value = label(pod, "leaderworkerset.sigs.k8s.io/group-index");
    value = value ? value : label(pod, "jobset.sigs.k8s.io/job-index");
    if (!value || strlen(value) > 9 || strspn(value, "0123456789") != strlen(value)) {
        return -1;
    }
    return (int32_t)strtol(value, NULL, 10);
}
