/* SPDX-License-Identifier: Apache-2.0 */
/* Objects are checked by the decoders that read them from a cluster, while their text is at hand. */
#include "server/manifest/kinds.h"

#include <stdio.h>
#include <string.h>

#include "core/gang/state/types.h"
#include "core/pod/pod.h"
#include "server/manifest/scenario.h"
#include "server/object/path.h"

#define NATIVE "scheduling.k8s.io/"

const struct skr_manifest_kind skr_manifest_kinds[SKR_MANIFEST_KINDS] = {
    {"v1", "Namespace", NULL},
    {"scheduling.k8s.io/v1", "PriorityClass", NULL},
    {"resource.k8s.io/v1", "DeviceClass", NULL},
    {"v1", "Node", NULL},
    {"resource.k8s.io/v1", "ResourceSlice", NULL},
    {"resource.k8s.io/v1", "ResourceClaimTemplate", NULL},
    {"resource.k8s.io/v1", "ResourceClaim", NULL},
    {"storage.k8s.io/v1", "StorageClass", NULL},
    {"storage.k8s.io/v1", "CSIDriver", NULL},
    {"storage.k8s.io/v1", "CSINode", NULL},
    {"storage.k8s.io/v1", "CSIStorageCapacity", NULL},
    {"storage.k8s.io/v1", "VolumeAttachment", NULL},
    {"v1", "PersistentVolume", NULL},
    {"v1", "PersistentVolumeClaim", NULL},
    {"v1", "ConfigMap", NULL},
    {"scheduling.x-k8s.io/v1alpha1", "PodGroup", NULL},
    {NATIVE "v1alpha2", "PodGroup", NULL},
    {NATIVE "v1alpha3", "PodGroup", NULL},
    {NATIVE "v1beta1", "PodGroup", NULL},
    {"policy/v1", "PodDisruptionBudget", NULL},
    {"v1", "Pod", NULL},
    {"apps/v1", "DaemonSet", "spec.template"},
    {"batch/v1", "Job", "spec.template"},
    {"apps/v1", "StatefulSet", "spec.template"},
    {"apps/v1", "Deployment", "spec.template"},
    {"apps/v1", "ReplicaSet", "spec.template"},
    {"jobset.x-k8s.io/v1alpha2", "JobSet", NULL},
    {"kubeflow.org/v1", "JAXJob", NULL},
    {"kubeflow.org/v1", "PaddleJob", NULL},
    {"kubeflow.org/v1", "PyTorchJob", NULL},
    {"kubeflow.org/v1", "TFJob", NULL},
    {"kubeflow.org/v1", "XGBoostJob", NULL},
    {"kubeflow.org/v2beta1", "MPIJob", NULL},
    {"kubeflow.org/v1", "MPIJob", NULL},
    {"leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", "spec.leaderWorkerTemplate.workerTemplate"},
    {"ray.io/v1", "RayCluster", NULL},
    {"ray.io/v1", "RayJob", NULL},
    {"ray.io/v1", "RayService", NULL},
    {"sparkoperator.k8s.io/v1beta2", "SparkApplication", NULL},
    {"trainer.kubeflow.org/v1alpha1", "ClusterTrainingRuntime", NULL},
    {"trainer.kubeflow.org/v1alpha1", "TrainingRuntime", NULL},
    {"trainer.kubeflow.org/v1alpha1", "TrainJob", NULL},
};

const struct skr_manifest_kind *skr_manifest_kind_find(const char *kind, const char *version)
{
    for (size_t i = 0; i < SKR_MANIFEST_KINDS; i++) {
        if (strcmp(skr_manifest_kinds[i].kind, kind) == 0 &&
            strncmp(skr_manifest_kinds[i].api_version, version, strlen(version)) == 0) {
            return &skr_manifest_kinds[i];
        }
    }
    return NULL;
}

const struct skr_manifest_kind *skr_manifest_kind_of(const json_t *object)
{
    const char *version = skr_path_text(object, "apiVersion");
    const struct skr_manifest_kind *kind =
        skr_manifest_kind_find(skr_path_text(object, "kind"), version);
    return kind && strcmp(kind->api_version, version) == 0 ? kind : NULL;
}

static int check_pod(const json_t *pod, struct skr_error *error)
{
    struct skr_pod *decoded;
    if (skr_pod_decode(pod, &decoded, error) < 0) {
        return -(int)error->code;
    }
    skr_pod_destroy(decoded);
    return 0;
}

static int check_template(const json_t *object, const char *path, struct skr_error *error)
{
    const json_t *template = skr_path_get(object, path);
    if (!json_is_object(template)) {
        return skr_error_set_key(error, SKR_INVALID, path, "missing");
    }
    json_auto_t *pod = json_pack("{s:O?, s:{s:s}}", "spec", json_object_get(template, "spec"),
                                 "metadata", "name", "template");
    int rc = check_pod(pod, error);
    return rc < 0 ? skr_error_under(error, path) : 0;
}

static int check_decodes(const json_t *object, const struct skr_manifest_kind *of,
                         struct skr_error *error)
{
    const struct skr_object_type *type = skr_gang_type_of(of->api_version, of->kind);
    void *decoded = NULL;
    if (!type || skr_gang_owner_kind(type)) {
        return 0;
    }
    const int rc = type->decode(object, &decoded, error);
    if (rc == 0) {
        type->destroy(decoded);
    }
    return rc;
}

int skr_manifest_check_object(void *context, const json_t *object, struct skr_error *error)
{
    if (skr_scenario_is(object)) {
        return skr_scenario_check(object, skr_manifest_check_object, context, error);
    }
    const struct skr_manifest_kind *kind = skr_manifest_kind_of(object);
    if (!kind) {
        return 0;
    }
    const json_t *meta = json_object_get(object, "metadata");
    if (!json_is_object(meta)) {
        return skr_error_set_key(error, SKR_INVALID, "metadata", "missing");
    }
    /* YAML reads an unquoted y, n, on, 1 as something else than a string. */
    const json_t *name = json_object_get(meta, "name");
    if (name && !json_is_string(name)) {
        return skr_error_set_key(error, SKR_INVALID, "metadata.name",
                                 "a string is expected, in quotes");
    }
    if (!skr_path_text(meta, "name")[0] && !skr_path_text(meta, "generateName")[0]) {
        return skr_error_set_key(error, SKR_INVALID, "metadata.name", "missing");
    }
    return kind->template_path ? check_template(object, kind->template_path, error)
                               : check_decodes(object, kind, error);
}

const char *skr_manifest_template_path(const json_t *object)
{
    const struct skr_manifest_kind *kind = skr_manifest_kind_of(object);
    if (kind && kind->template_path) {
        return kind->template_path;
    }
    return kind && strcmp(kind->kind, "Pod") == 0 ? "" : NULL;
}
