/* SPDX-License-Identifier: Apache-2.0 */
/* Table of the resources that the simulated API server serves, one row each. Other resources are
 * answered as kube-apiserver answers for one that is not installed. */
#include <string.h>

#include "server/lab/store/store.h"

static const char *const none[] = {NULL};
static const char *const status[] = {"status", NULL};
static const char *const of_namespaces[] = {"finalize", "status", NULL};
static const char *const of_pods[] = {"binding", "eviction", "status", NULL};
static const char *const of_workloads[] = {"scale", "status", NULL};

#define ROW(group_, version_, plural_, kind_, short_, namespaced_, ...)                 \
    {                                                                                   \
        .group = (group_), .version = (version_), .plural = (plural_), .kind = (kind_), \
        .short_name = (short_), .namespaced = (namespaced_), __VA_ARGS__                \
    }
#define NONE       .subresources = none
#define STATUS     .subresources = status
#define CUSTOM     .subresources = status, .generation = true, .custom = true
#define NATIVE     .subresources = status, .generation = true, .key = "PodGroup.scheduling.k8s.io"
#define SCHEDULING "scheduling.k8s.io"
#define KUBEFLOW   "kubeflow.org"
#define STORAGE    "storage.k8s.io"
#define TRAINER    "trainer.kubeflow.org"
#define OCM        "cluster.open-cluster-management.io"

static const struct skr_store_resource resources[] = {
    ROW("", "v1", "configmaps", "ConfigMap", "cm", true, NONE),
    ROW("", "v1", "events", "Event", "ev", true, NONE),
    ROW("", "v1", "namespaces", "Namespace", "ns", false, .subresources = of_namespaces),
    ROW("", "v1", "nodes", "Node", "no", false, STATUS),
    ROW("", "v1", "persistentvolumeclaims", "PersistentVolumeClaim", "pvc", true, STATUS),
    ROW("", "v1", "persistentvolumes", "PersistentVolume", "pv", false, STATUS),
    ROW("", "v1", "pods", "Pod", "po", true, .subresources = of_pods, .in_all = true,
        .generation = true),
    ROW("", "v1", "secrets", "Secret", NULL, true, NONE),
    ROW("", "v1", "serviceaccounts", "ServiceAccount", "sa", true, NONE),
    ROW("", "v1", "services", "Service", "svc", true, STATUS, .in_all = true),
    ROW("apps", "v1", "daemonsets", "DaemonSet", "ds", true, STATUS, .in_all = true,
        .generation = true),
    ROW("apps", "v1", "deployments", "Deployment", "deploy", true, .subresources = of_workloads,
        .in_all = true, .generation = true),
    ROW("apps", "v1", "replicasets", "ReplicaSet", "rs", true, .subresources = of_workloads,
        .in_all = true, .generation = true),
    ROW("apps", "v1", "statefulsets", "StatefulSet", "sts", true, .subresources = of_workloads,
        .in_all = true, .generation = true),
    ROW("batch", "v1", "cronjobs", "CronJob", "cj", true, STATUS, .in_all = true,
        .generation = true),
    ROW("batch", "v1", "jobs", "Job", NULL, true, STATUS, .in_all = true, .generation = true),
    ROW("cluster.karmada.io", "v1alpha1", "clusters", "Cluster", NULL, false, CUSTOM),
    ROW(OCM, "v1", "managedclusters", "ManagedCluster", "mcl", false, CUSTOM),
    ROW(OCM, "v1alpha1", "addonplacementscores", "AddOnPlacementScore", NULL, true, CUSTOM),
    ROW(OCM, "v1beta1", "placementdecisions", "PlacementDecision", NULL, true, CUSTOM),
    ROW(OCM, "v1beta1", "placements", "Placement", NULL, true, CUSTOM),
    ROW(OCM, "v1beta2", "managedclustersetbindings", "ManagedClusterSetBinding", NULL, true,
        CUSTOM),
    ROW(OCM, "v1beta2", "managedclustersets", "ManagedClusterSet", NULL, false, CUSTOM),
    ROW("coordination.k8s.io", "v1", "leases", "Lease", NULL, true, NONE),
    ROW("events.k8s.io", "v1", "events", "Event", "ev", true, NONE, .kept_by = "v1"),
    ROW("jobset.x-k8s.io", "v1alpha2", "jobsets", "JobSet", NULL, true, CUSTOM),
    ROW(KUBEFLOW, "v1", "jaxjobs", "JAXJob", NULL, true, CUSTOM),
    ROW(KUBEFLOW, "v1", "mpijobs", "MPIJob", NULL, true, CUSTOM, .key = "MPIJob.v1"),
    ROW(KUBEFLOW, "v1", "paddlejobs", "PaddleJob", NULL, true, CUSTOM),
    ROW(KUBEFLOW, "v1", "pytorchjobs", "PyTorchJob", NULL, true, CUSTOM),
    ROW(KUBEFLOW, "v1", "tfjobs", "TFJob", NULL, true, CUSTOM),
    ROW(KUBEFLOW, "v1", "xgboostjobs", "XGBoostJob", NULL, true, CUSTOM),
    ROW(KUBEFLOW, "v2beta1", "mpijobs", "MPIJob", NULL, true, CUSTOM),
    ROW("leaderworkerset.x-k8s.io", "v1", "leaderworkersets", "LeaderWorkerSet", "lws", true,
        CUSTOM),
    ROW("policy", "v1", "poddisruptionbudgets", "PodDisruptionBudget", "pdb", true, STATUS,
        .generation = true),
    ROW("ray.io", "v1", "rayclusters", "RayCluster", NULL, true, CUSTOM),
    ROW("ray.io", "v1", "rayjobs", "RayJob", NULL, true, CUSTOM),
    ROW("ray.io", "v1", "rayservices", "RayService", NULL, true, CUSTOM),
    ROW("resource.k8s.io", "v1", "deviceclasses", "DeviceClass", NULL, false, NONE,
        .generation = true),
    ROW("resource.k8s.io", "v1", "resourceclaims", "ResourceClaim", NULL, true, STATUS),
    ROW("resource.k8s.io", "v1", "resourceclaimtemplates", "ResourceClaimTemplate", NULL, true,
        NONE),
    ROW("resource.k8s.io", "v1", "resourceslices", "ResourceSlice", NULL, false, NONE,
        .generation = true),
    /* first: kubectl takes it for a PodGroup without a group */
    ROW("scheduling.x-k8s.io", "v1alpha1", "podgroups", "PodGroup", "pg", true, CUSTOM),
    ROW(SCHEDULING, "v1alpha2", "podgroups", "PodGroup", NULL, true, NATIVE),
    ROW(SCHEDULING, "v1alpha3", "podgroups", "PodGroup", NULL, true, NATIVE,
        .kept_by = SCHEDULING "/v1alpha2"),
    ROW(SCHEDULING, "v1beta1", "podgroups", "PodGroup", NULL, true, NATIVE,
        .kept_by = SCHEDULING "/v1alpha2"),
    ROW(SCHEDULING, "v1", "priorityclasses", "PriorityClass", "pc", false, NONE,
        .generation = true),
    ROW("sparkoperator.k8s.io", "v1beta2", "sparkapplications", "SparkApplication", "sparkapp",
        true, CUSTOM),
    ROW(STORAGE, "v1", "csidrivers", "CSIDriver", NULL, false, NONE),
    ROW(STORAGE, "v1", "csinodes", "CSINode", NULL, false, NONE),
    ROW(STORAGE, "v1", "csistoragecapacities", "CSIStorageCapacity", NULL, true, NONE),
    ROW(STORAGE, "v1", "storageclasses", "StorageClass", "sc", false, NONE),
    ROW(STORAGE, "v1", "volumeattachments", "VolumeAttachment", NULL, false, STATUS),
    ROW(TRAINER, "v1alpha1", "clustertrainingruntimes", "ClusterTrainingRuntime", NULL, false,
        CUSTOM),
    ROW(TRAINER, "v1alpha1", "trainingruntimes", "TrainingRuntime", NULL, true, CUSTOM),
    ROW(TRAINER, "v1alpha1", "trainjobs", "TrainJob", NULL, true, CUSTOM),
    ROW("work.karmada.io", "v1alpha2", "clusterresourcebindings", "ClusterResourceBinding", "crb",
        false, CUSTOM),
    ROW("work.karmada.io", "v1alpha2", "resourcebindings", "ResourceBinding", "rb", true, CUSTOM),
};

enum { N_RESOURCES = sizeof resources / sizeof *resources };

size_t skr_store_resource_count(void)
{
    return N_RESOURCES;
}

const struct skr_store_resource *skr_store_resource_get(size_t i)
{
    return &resources[i];
}

const struct skr_store_resource *skr_store_resource_find(const char *group, const char *version,
                                                         const char *plural)
{
    for (size_t i = 0; i < N_RESOURCES; i++) {
        if (strcmp(resources[i].plural, plural) == 0 && strcmp(resources[i].group, group) == 0 &&
            strcmp(resources[i].version, version) == 0) {
            return &resources[i];
        }
    }
    return NULL;
}

const struct skr_store_resource *skr_store_resource_of_kind(const char *api_version,
                                                            const char *kind)
{
    const char *slash = strchr(api_version, '/');
    const size_t group = slash ? (size_t)(slash - api_version) : 0;
    const char *version = slash ? slash + 1 : api_version;
    for (size_t i = 0; i < N_RESOURCES; i++) {
        if (strcmp(resources[i].kind, kind) == 0 && strlen(resources[i].group) == group &&
            strncmp(resources[i].group, api_version, group) == 0 &&
            strcmp(resources[i].version, version) == 0) {
            return &resources[i];
        }
    }
    return NULL;
}

const char *skr_store_resource_key(const struct skr_store_resource *resource)
{
    return resource->key ? resource->key : resource->kind;
}

const struct skr_store_resource *skr_store_resource_keeper(
    const struct skr_store_resource *resource)
{
    return resource->kept_by ? skr_store_resource_of_kind(resource->kept_by, resource->kind)
                             : resource;
}

const struct skr_store_resource *skr_store_resource_keeping(const char *key)
{
    for (size_t i = 0; i < N_RESOURCES; i++) {
        if (!resources[i].kept_by && strcmp(skr_store_resource_key(&resources[i]), key) == 0) {
            return &resources[i];
        }
    }
    skr_bug_on(true);
    return NULL;
}
