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

#define ROW(group_, version_, plural_, singular_, kind_, short_, namespaced_, ...)              \
    {                                                                                           \
        .group = (group_), .version = (version_), .plural = (plural_), .singular = (singular_), \
        .kind = (kind_), .short_name = (short_), .namespaced = (namespaced_), __VA_ARGS__       \
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
    ROW("", "v1", "configmaps", "configmap", "ConfigMap", "cm", true, NONE),
    ROW("", "v1", "events", "event", "Event", "ev", true, NONE),
    ROW("", "v1", "namespaces", "namespace", "Namespace", "ns", false,
        .subresources = of_namespaces),
    ROW("", "v1", "nodes", "node", "Node", "no", false, STATUS),
    ROW("", "v1", "persistentvolumeclaims", "persistentvolumeclaim", "PersistentVolumeClaim", "pvc",
        true, STATUS),
    ROW("", "v1", "persistentvolumes", "persistentvolume", "PersistentVolume", "pv", false, STATUS),
    ROW("", "v1", "pods", "pod", "Pod", "po", true, .subresources = of_pods, .in_all = true,
        .generation = true),
    ROW("", "v1", "secrets", "secret", "Secret", NULL, true, NONE),
    ROW("", "v1", "serviceaccounts", "serviceaccount", "ServiceAccount", "sa", true, NONE),
    ROW("", "v1", "services", "service", "Service", "svc", true, STATUS, .in_all = true),
    ROW("apps", "v1", "daemonsets", "daemonset", "DaemonSet", "ds", true, STATUS, .in_all = true,
        .generation = true),
    ROW("apps", "v1", "deployments", "deployment", "Deployment", "deploy", true,
        .subresources = of_workloads, .in_all = true, .generation = true),
    ROW("apps", "v1", "replicasets", "replicaset", "ReplicaSet", "rs", true,
        .subresources = of_workloads, .in_all = true, .generation = true),
    ROW("apps", "v1", "statefulsets", "statefulset", "StatefulSet", "sts", true,
        .subresources = of_workloads, .in_all = true, .generation = true),
    ROW("batch", "v1", "cronjobs", "cronjob", "CronJob", "cj", true, STATUS, .in_all = true,
        .generation = true),
    ROW("batch", "v1", "jobs", "job", "Job", NULL, true, STATUS, .in_all = true,
        .generation = true),
    ROW("cluster.karmada.io", "v1alpha1", "clusters", "cluster", "Cluster", NULL, false, CUSTOM),
    ROW(OCM, "v1", "managedclusters", "managedcluster", "ManagedCluster", "mcl", false, CUSTOM),
    ROW(OCM, "v1alpha1", "addonplacementscores", "addonplacementscore", "AddOnPlacementScore", NULL,
        true, CUSTOM),
    ROW(OCM, "v1beta1", "placementdecisions", "placementdecision", "PlacementDecision", NULL, true,
        CUSTOM),
    ROW(OCM, "v1beta1", "placements", "placement", "Placement", NULL, true, CUSTOM),
    ROW(OCM, "v1beta2", "managedclustersetbindings", "managedclustersetbinding",
        "ManagedClusterSetBinding", NULL, true, CUSTOM),
    ROW(OCM, "v1beta2", "managedclustersets", "managedclusterset", "ManagedClusterSet", NULL, false,
        CUSTOM),
    ROW("coordination.k8s.io", "v1", "leases", "lease", "Lease", NULL, true, NONE),
    ROW("events.k8s.io", "v1", "events", "event", "Event", "ev", true, NONE, .kept_by = "v1"),
    ROW("jobset.x-k8s.io", "v1alpha2", "jobsets", "jobset", "JobSet", NULL, true, CUSTOM),
    ROW(KUBEFLOW, "v1", "jaxjobs", "jaxjob", "JAXJob", NULL, true, CUSTOM),
    ROW(KUBEFLOW, "v1", "mpijobs", "mpijob", "MPIJob", NULL, true, CUSTOM, .key = "MPIJob.v1"),
    ROW(KUBEFLOW, "v1", "paddlejobs", "paddlejob", "PaddleJob", NULL, true, CUSTOM),
    ROW(KUBEFLOW, "v1", "pytorchjobs", "pytorchjob", "PyTorchJob", NULL, true, CUSTOM),
    ROW(KUBEFLOW, "v1", "tfjobs", "tfjob", "TFJob", NULL, true, CUSTOM),
    ROW(KUBEFLOW, "v1", "xgboostjobs", "xgboostjob", "XGBoostJob", NULL, true, CUSTOM),
    ROW(KUBEFLOW, "v2beta1", "mpijobs", "mpijob", "MPIJob", NULL, true, CUSTOM),
    ROW("leaderworkerset.x-k8s.io", "v1", "leaderworkersets", "leaderworkerset", "LeaderWorkerSet",
        "lws", true, CUSTOM),
    ROW("policy", "v1", "poddisruptionbudgets", "poddisruptionbudget", "PodDisruptionBudget", "pdb",
        true, STATUS, .generation = true),
    ROW("ray.io", "v1", "rayclusters", "raycluster", "RayCluster", NULL, true, CUSTOM),
    ROW("ray.io", "v1", "rayjobs", "rayjob", "RayJob", NULL, true, CUSTOM),
    ROW("ray.io", "v1", "rayservices", "rayservice", "RayService", NULL, true, CUSTOM),
    ROW("resource.k8s.io", "v1", "deviceclasses", "deviceclass", "DeviceClass", NULL, false, NONE,
        .generation = true),
    ROW("resource.k8s.io", "v1", "resourceclaims", "resourceclaim", "ResourceClaim", NULL, true,
        STATUS),
    ROW("resource.k8s.io", "v1", "resourceclaimtemplates", "resourceclaimtemplate",
        "ResourceClaimTemplate", NULL, true, NONE),
    ROW("resource.k8s.io", "v1", "resourceslices", "resourceslice", "ResourceSlice", NULL, false,
        NONE, .generation = true),
    /* first: kubectl takes it for a PodGroup without a group */
    ROW("scheduling.x-k8s.io", "v1alpha1", "podgroups", "podgroup", "PodGroup", "pg", true, CUSTOM),
    ROW(SCHEDULING, "v1alpha2", "podgroups", "podgroup", "PodGroup", NULL, true, NATIVE),
    ROW(SCHEDULING, "v1alpha3", "podgroups", "podgroup", "PodGroup", NULL, true, NATIVE,
        .kept_by = SCHEDULING "/v1alpha2"),
    ROW(SCHEDULING, "v1beta1", "podgroups", "podgroup", "PodGroup", NULL, true, NATIVE,
        .kept_by = SCHEDULING "/v1alpha2"),
    ROW(SCHEDULING, "v1", "priorityclasses", "priorityclass", "PriorityClass", "pc", false, NONE,
        .generation = true),
    ROW("sparkoperator.k8s.io", "v1beta2", "sparkapplications", "sparkapplication",
        "SparkApplication", "sparkapp", true, CUSTOM),
    ROW(STORAGE, "v1", "csidrivers", "csidriver", "CSIDriver", NULL, false, NONE),
    ROW(STORAGE, "v1", "csinodes", "csinode", "CSINode", NULL, false, NONE),
    ROW(STORAGE, "v1", "csistoragecapacities", "csistoragecapacity", "CSIStorageCapacity", NULL,
        true, NONE),
    ROW(STORAGE, "v1", "storageclasses", "storageclass", "StorageClass", "sc", false, NONE),
    ROW(STORAGE, "v1", "volumeattachments", "volumeattachment", "VolumeAttachment", NULL, false,
        STATUS),
    ROW(TRAINER, "v1alpha1", "clustertrainingruntimes", "clustertrainingruntime",
        "ClusterTrainingRuntime", NULL, false, CUSTOM),
    ROW(TRAINER, "v1alpha1", "trainingruntimes", "trainingruntime", "TrainingRuntime", NULL, true,
        CUSTOM),
    ROW(TRAINER, "v1alpha1", "trainjobs", "trainjob", "TrainJob", NULL, true, CUSTOM),
    ROW("work.karmada.io", "v1alpha2", "clusterresourcebindings", "clusterresourcebinding",
        "ClusterResourceBinding", "crb", false, CUSTOM),
    ROW("work.karmada.io", "v1alpha2", "resourcebindings", "resourcebinding", "ResourceBinding",
        "rb", true, CUSTOM),
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
