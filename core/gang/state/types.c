/* SPDX-License-Identifier: Apache-2.0 */
/* Decoders of topology/, core/pod and core/group by the resource they read. */
#include "core/gang/state/types.h"

#include <string.h>

#include "core/group/kueue.h"
#include "core/group/owner.h"
#include "core/group/podgroup.h"
#include "core/group/provisioning.h"
#include "core/pod/budget.h"
#include "core/pod/pod.h"
#include "core/pod/shapes.h"
#include "core/volume/objects.h"
#include "topology/device_claims.h"
#include "topology/device_classes.h"
#include "topology/device_slices.h"
#include "topology/device_taint_rules.h"
#include "topology/fields.h"

static int pod_read(void *memory, const struct skr_json *json, void **ret, struct skr_error *error)
{
    struct skr_pod *pod = NULL;
    const int rc = skr_pod_read(memory, json, &pod, error);
    if (rc == 0) {
        *ret = pod;
    }
    return rc;
}

static void *shapes_create(void)
{
    return skr_pod_shapes_create();
}

static void shapes_destroy(void *memory)
{
    skr_pod_shapes_destroy(memory);
}

static int node_read(void *memory, const struct skr_json *json, void **ret, struct skr_error *error)
{
    struct skr_node *node = NULL;
    const int rc = skr_node_read(json, &node, error);
    (void)memory;
    if (rc == 0) {
        *ret = node;
    }
    return rc;
}

static int configmap_read(void *memory, const struct skr_json *json, void **ret,
                          struct skr_error *error)
{
    struct skr_configmap *map = NULL;
    const int rc = skr_configmap_read(json, &map, error);
    (void)memory;
    if (rc == 0) {
        *ret = map;
    }
    return rc;
}

/* Only the names of these count. */
struct skr_named {
    struct skr_arena *arena;
    struct skr_meta meta;
};

static void fill_nothing(void *object, const struct skr_fields *json)
{
    (void)object;
    (void)json;
}

#define NAMED(what) static SKR_OBJECT_DECODER(skr_##what##_decode, skr_named, #what, fill_nothing)
NAMED(namespace)

static void skr_named_destroy(struct skr_named *object)
{
    skr_object_destroy(object);
}

static const struct skr_object_reader pod_reader = {
    .read = pod_read, .create_memory = shapes_create, .destroy_memory = shapes_destroy};
static const struct skr_object_reader node_reader = {.read = node_read};
static const struct skr_object_reader configmap_reader = {.read = configmap_read};

#define KIND(name, what, struct_, decoder, destroyer, group_, version_, plural_, kind_, \
             namespaced_, reader_)                                                      \
    static int what##_decode(const json_t *json, void **ret, struct skr_error *error)   \
    {                                                                                   \
        struct struct_ *object = NULL;                                                  \
        int rc = decoder(json, &object, error);                                         \
        if (rc == 0) {                                                                  \
            *ret = object;                                                              \
        }                                                                               \
        return rc;                                                                      \
    }                                                                                   \
    static void what##_destroy(void *object)                                            \
    {                                                                                   \
        destroyer(object);                                                              \
    }                                                                                   \
    static const struct skr_meta *what##_meta(const void *object)                       \
    {                                                                                   \
        return &((const struct struct_ *)object)->meta;                                 \
    }                                                                                   \
    static const struct skr_resource what##_resource = {.group = group_,                \
                                                        .version = version_,            \
                                                        .plural = plural_,              \
                                                        .kind = kind_,                  \
                                                        .namespaced = namespaced_};     \
    const struct skr_object_type name = {.resource = &what##_resource,                  \
                                         .decode = what##_decode,                       \
                                         .destroy = what##_destroy,                     \
                                         .meta = what##_meta,                           \
                                         .reader = reader_}
#define TYPE(name, what, group_, version_, plural_, kind_, namespaced_, reader_)              \
    KIND(name, what, skr_##what, skr_##what##_decode, skr_##what##_destroy, group_, version_, \
         plural_, kind_, namespaced_, reader_)
/* One that cannot be read is kept with its defect, which its groups report. */
#define OWNER(what, group_, version_, plural_, kind_)                                            \
    static int what##_read(const json_t *json, struct skr_owner **ret, struct skr_error *error)  \
    {                                                                                            \
        struct skr_error own = {.text = ""};                                                     \
        const int rc = skr_owner_##what##_decode(json, ret, &own);                               \
        if (rc == 0 ||                                                                           \
            skr_owner_broken_decode(json, group_ "/" version_, kind_, ret, &own) == 0) {         \
            return 0;                                                                            \
        }                                                                                        \
        return skr_error_set(error, own.code, "%s", own.text);                                   \
    }                                                                                            \
    KIND(skr_gang_owner_##what, owner_##what, skr_owner, what##_read, skr_owner_destroy, group_, \
         version_, plural_, kind_, true, NULL)
#define TAINT_RULE(version_)                                                             \
    KIND(skr_gang_taint_rule_##version_, taint_rule_##version_, skr_device_taint_rule,   \
         skr_device_taint_rule_decode, skr_device_taint_rule_destroy, "resource.k8s.io", \
         #version_, "devicetaintrules", "DeviceTaintRule", false, NULL)
#define NATIVE(version_)                                                                         \
    KIND(skr_gang_native_##version_, native_##version_, skr_podgroup,                            \
         skr_podgroup_##version_##_decode, skr_podgroup_destroy, "scheduling.k8s.io", #version_, \
         "podgroups", "PodGroup", true, NULL)
TYPE(skr_gang_node, node, "", "v1", "nodes", "Node", false, &node_reader);
TYPE(skr_gang_pod, pod, "", "v1", "pods", "Pod", true, &pod_reader);
TYPE(skr_gang_configmap, configmap, "", "v1", "configmaps", "ConfigMap", true, &configmap_reader);
TYPE(skr_gang_podgroup, podgroup, "scheduling.x-k8s.io", "v1alpha1", "podgroups", "PodGroup", true,
     NULL);
TYPE(skr_gang_budget, budget, "policy", "v1", "poddisruptionbudgets", "PodDisruptionBudget", true,
     NULL);
TYPE(skr_gang_class, device_class, "resource.k8s.io", "v1", "deviceclasses", "DeviceClass", false,
     NULL);
TYPE(skr_gang_slice, device_slice, "resource.k8s.io", "v1", "resourceslices", "ResourceSlice",
     false, NULL);
TYPE(skr_gang_pod_template, pod_template, "", "v1", "pods", "Pod", true, NULL);
KIND(skr_gang_template, template, skr_pod_template, skr_pod_template_decode,
     skr_pod_template_destroy, "", "v1", "podtemplates", "PodTemplate", true, NULL);
TYPE(skr_gang_provisioning, provisioning, "autoscaling.x-k8s.io", "v1", "provisioningrequests",
     "ProvisioningRequest", true, NULL);

#define KUEUE "kueue.x-k8s.io"
TYPE(skr_gang_kueue_workload, kueue_workload, KUEUE, "v1beta2", "workloads", "Workload", true,
     NULL);
TYPE(skr_gang_admission_check, admission_check, KUEUE, "v1beta2", "admissionchecks",
     "AdmissionCheck", false, NULL);
TYPE(skr_gang_kueue_flavor, kueue_flavor, KUEUE, "v1beta2", "resourceflavors", "ResourceFlavor",
     false, NULL);

#define RESOURCES "resource.k8s.io"
KIND(skr_gang_namespace, namespace, skr_named, skr_namespace_decode, skr_named_destroy, "", "v1",
     "namespaces", "Namespace", false, NULL);
TYPE(skr_gang_volume_claim, volume_claim, "", "v1", "persistentvolumeclaims",
     "PersistentVolumeClaim", true, NULL);
TYPE(skr_gang_volume, volume, "", "v1", "persistentvolumes", "PersistentVolume", false, NULL);
#define STORAGE "storage.k8s.io"
TYPE(skr_gang_storage_class, storage_class, STORAGE, "v1", "storageclasses", "StorageClass", false,
     NULL);
TYPE(skr_gang_csi_node, csi_node, STORAGE, "v1", "csinodes", "CSINode", false, NULL);
TYPE(skr_gang_csi_driver, csi_driver, STORAGE, "v1", "csidrivers", "CSIDriver", false, NULL);
TYPE(skr_gang_csi_capacity, csi_capacity, STORAGE, "v1", "csistoragecapacities",
     "CSIStorageCapacity", true, NULL);
TYPE(skr_gang_attachment, volume_attachment, STORAGE, "v1", "volumeattachments", "VolumeAttachment",
     false, NULL);
TYPE(skr_gang_device_claim, device_claim, RESOURCES, "v1", "resourceclaims", "ResourceClaim", true,
     NULL);
KIND(skr_gang_claim_template, claim_template, skr_device_claim, skr_device_template_decode,
     skr_device_claim_destroy, RESOURCES, "v1", "resourceclaimtemplates", "ResourceClaimTemplate",
     true, NULL);
TAINT_RULE(v1);
TAINT_RULE(v1beta2);
NATIVE(v1alpha2);
NATIVE(v1alpha3);
NATIVE(v1beta1);
OWNER(job, "batch", "v1", "jobs", "Job");
OWNER(statefulset, "apps", "v1", "statefulsets", "StatefulSet");
OWNER(jobset, "jobset.x-k8s.io", "v1alpha2", "jobsets", "JobSet");
OWNER(lws, "leaderworkerset.x-k8s.io", "v1", "leaderworkersets", "LeaderWorkerSet");
OWNER(mpijob, "kubeflow.org", "v2beta1", "mpijobs", "MPIJob");
OWNER(mpijob_v1, "kubeflow.org", "v1", "mpijobs", "MPIJob"); /* of the training operator */
OWNER(pytorchjob, "kubeflow.org", "v1", "pytorchjobs", "PyTorchJob");
OWNER(tfjob, "kubeflow.org", "v1", "tfjobs", "TFJob");
OWNER(xgboostjob, "kubeflow.org", "v1", "xgboostjobs", "XGBoostJob");
OWNER(paddlejob, "kubeflow.org", "v1", "paddlejobs", "PaddleJob");
OWNER(jaxjob, "kubeflow.org", "v1", "jaxjobs", "JAXJob");
OWNER(raycluster, "ray.io", "v1", "rayclusters", "RayCluster");
OWNER(deployment, "apps", "v1", "deployments", "Deployment");
OWNER(spark, "sparkoperator.k8s.io", "v1beta2", "sparkapplications", "SparkApplication");

static const struct skr_object_type *const owner_type[] = {
    &skr_gang_owner_job,       &skr_gang_owner_statefulset, &skr_gang_owner_jobset,
    &skr_gang_owner_lws,       &skr_gang_owner_mpijob,      &skr_gang_owner_pytorchjob,
    &skr_gang_owner_tfjob,     &skr_gang_owner_xgboostjob,  &skr_gang_owner_paddlejob,
    &skr_gang_owner_jaxjob,    &skr_gang_owner_raycluster,  &skr_gang_owner_spark,
    &skr_gang_owner_mpijob_v1, &skr_gang_owner_deployment,
};

const struct skr_object_type *skr_gang_claim_type(enum skr_pod_claim_kind kind)
{
    static const struct skr_object_type *const type[] = {
        [SKR_POD_CLAIM_VOLUME] = &skr_gang_volume_claim,
        [SKR_POD_CLAIM_DEVICES] = &skr_gang_device_claim,
        [SKR_POD_CLAIM_TEMPLATE] = &skr_gang_claim_template,
    };
    _Static_assert(sizeof type / sizeof type[0] == SKR_POD_CLAIM_KIND_COUNT, "a type per kind");
    return type[kind];
}

enum skr_pod_claim_kind skr_gang_claim_kind(const struct skr_object_type *type)
{
    enum skr_pod_claim_kind kind = SKR_POD_CLAIM_VOLUME;
    while (kind < SKR_POD_CLAIM_KIND_COUNT && skr_gang_claim_type(kind) != type) {
        kind++;
    }
    return kind;
}

_Static_assert(sizeof owner_type / sizeof owner_type[0] <= 32, "a bit each");

const struct skr_object_type *skr_gang_owner_type(size_t i)
{
    return i < sizeof owner_type / sizeof owner_type[0] ? owner_type[i] : NULL;
}

int skr_gang_owner_number(const struct skr_object_type *type)
{
    const char *kind = skr_gang_owner_kind(type);
    for (size_t i = 0; kind && i < sizeof owner_type / sizeof owner_type[0]; i++) {
        if (strcmp(owner_type[i]->resource->kind, kind) == 0) {
            return (int)i;
        }
    }
    return -1;
}

const char *skr_gang_owner_kind(const struct skr_object_type *type)
{
    for (size_t i = 0; i < sizeof owner_type / sizeof owner_type[0]; i++) {
        if (owner_type[i] == type) {
            return type->resource->kind;
        }
    }
    return NULL;
}

const struct skr_object_type *skr_gang_podgroup_type(int32_t native)
{
    static const struct skr_object_type *const type[] = {
        &skr_gang_podgroup,       &skr_gang_native_v1alpha2, &skr_gang_native_v1alpha3,
        &skr_gang_native_v1beta1, &skr_gang_native_v1alpha3, &skr_gang_native_v1alpha2};
    return type[native];
}

bool skr_gang_is_kueue(const struct skr_object_type *type)
{
    return strcmp(type->resource->group, KUEUE) == 0;
}

bool skr_gang_is_native(const struct skr_object_type *type)
{
    return strcmp(type->resource->group, "scheduling.k8s.io") == 0;
}

const struct skr_object_type *skr_gang_type_of(const char *api_version, const char *kind)
{
    static const struct skr_object_type *const types[] = {&skr_gang_node,
                                                          &skr_gang_pod,
                                                          &skr_gang_configmap,
                                                          &skr_gang_podgroup,
                                                          &skr_gang_budget,
                                                          &skr_gang_class,
                                                          &skr_gang_slice,
                                                          &skr_gang_taint_rule_v1,
                                                          &skr_gang_taint_rule_v1beta2,
                                                          &skr_gang_device_claim,
                                                          &skr_gang_claim_template,
                                                          &skr_gang_volume_claim,
                                                          &skr_gang_volume,
                                                          &skr_gang_storage_class,
                                                          &skr_gang_csi_node,
                                                          &skr_gang_csi_driver,
                                                          &skr_gang_csi_capacity,
                                                          &skr_gang_attachment,
                                                          &skr_gang_native_v1beta1,
                                                          &skr_gang_native_v1alpha3,
                                                          &skr_gang_native_v1alpha2};
    char text[SKR_API_VERSION_MAX];
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        skr_resource_api_version(types[i]->resource, text, sizeof text);
        if (strcmp(types[i]->resource->kind, kind) == 0 &&
            (!api_version || strcmp(text, api_version) == 0)) {
            return types[i];
        }
    }
    for (size_t i = 0; i < sizeof owner_type / sizeof owner_type[0]; i++) {
        skr_resource_api_version(owner_type[i]->resource, text, sizeof text);
        if (strcmp(owner_type[i]->resource->kind, kind) == 0 &&
            (!api_version || strcmp(text, api_version) == 0)) {
            return owner_type[i];
        }
    }
    return NULL;
}

#define OPTIONAL .optional = true, .may_be_forbidden = true
#define OF_USERS OPTIONAL, .users_only = true
/* workload_owners.h */
#define OF_OWNER(name, plural)                                   \
    .type = &skr_gang_owner_##name, OF_USERS, .on_demand = true, \
    .missing = "sizes of " plural " are not known: their pods need annotation sakkara.group.size"
#define UNSEEN    "missing claims of members are found by kube-scheduler alone"
#define UNPLANNED "plans do not know which nodes reach a volume; kube-scheduler refuses other nodes"
#define NATIVES   "PodGroups of scheduling.k8s.io are not placed"
#define TAINTED   "devices that a rule taints count as free"
#define NO_MAPS   "groups and topology cannot be seen"
#define NO_CHECK  "kueue: no admission check is answered"

const struct skr_watch skr_gang_watch[SKR_GANG_WATCHES] = {
    {.type = &skr_gang_node, .missing = "the cluster cannot be seen"},
    {.type = &skr_gang_pod, .missing = "the cluster cannot be seen"},
    {.type = &skr_gang_configmap,
     .label_selector = "sakkara.group",
     .users_only = true,
     .name = "groups",
     .missing = NO_MAPS},
    {.type = &skr_gang_configmap,
     .label_selector = "sakkara.topology",
     .topology_only = true,
     .name = "topologies",
     .missing = NO_MAPS},
    {.type = &skr_gang_podgroup,
     .optional = true,
     .users_only = true,
     .missing = "PodGroups are not placed"},
    {.type = &skr_gang_budget, .optional = true, .missing = "budgets are met by refusals alone"},
    {.type = &skr_gang_class,
     OPTIONAL,
     .missing = "it is not known which extended resources device classes serve"},
    {.type = &skr_gang_slice, OPTIONAL, .missing = "devices are not counted in plans"},
    /* which claims of members exist; users_only would make those of other namespaces missing */
    {.type = &skr_gang_volume_claim, OPTIONAL, .missing = UNSEEN},
    {.type = &skr_gang_volume, OPTIONAL, .missing = UNPLANNED},
    {.type = &skr_gang_storage_class, OPTIONAL, .missing = UNPLANNED},
    {.type = &skr_gang_csi_node, OPTIONAL, .missing = UNPLANNED},
    {.type = &skr_gang_csi_driver, OPTIONAL, .missing = UNPLANNED},
    {.type = &skr_gang_csi_capacity, OPTIONAL, .missing = UNPLANNED},
    {.type = &skr_gang_attachment, OPTIONAL, .missing = UNPLANNED},
    {.type = &skr_gang_device_claim, OPTIONAL, .missing = UNSEEN},
    {.type = &skr_gang_claim_template, OPTIONAL, .missing = UNSEEN},
    /* both versions may be served, with the same rules */
    {.type = &skr_gang_taint_rule_v1, OPTIONAL, .name = "devicetaintrules.v1", .missing = TAINTED},
    {.type = &skr_gang_taint_rule_v1beta2,
     OPTIONAL,
     .name = "devicetaintrules.v1beta2",
     .missing = TAINTED},
    /* what derived and native groups need; each is there or not */
    {.type = &skr_gang_namespace,
     .label_selector = SKR_LABEL_NAMESPACE_GANG "=auto",
     OPTIONAL,
     .missing = "label sakkara.gang of namespaces does not count"},
    {.type = &skr_gang_native_v1beta1, OF_USERS, .name = "podgroups.v1beta1", .missing = NATIVES},
    {.type = &skr_gang_native_v1alpha3, OF_USERS, .name = "podgroups.v1alpha3", .missing = NATIVES},
    {.type = &skr_gang_native_v1alpha2, OF_USERS, .name = "podgroups.v1alpha2", .missing = NATIVES},
    {OF_OWNER(job, "Jobs")},
    {OF_OWNER(statefulset, "StatefulSets")},
    {OF_OWNER(jobset, "JobSets")},
    {OF_OWNER(lws, "LeaderWorkerSets")},
    {OF_OWNER(mpijob, "MPIJobs")},
    {OF_OWNER(mpijob_v1, "MPIJobs"), .name = "mpijobs.v1"},
    {OF_OWNER(pytorchjob, "PyTorchJobs")},
    {OF_OWNER(tfjob, "TFJobs")},
    {OF_OWNER(xgboostjob, "XGBoostJobs")},
    {OF_OWNER(paddlejob, "PaddleJobs")},
    {OF_OWNER(jaxjob, "JAXJobs")},
    {OF_OWNER(raycluster, "RayClusters")},
    {OF_OWNER(spark, "SparkApplications")},
    {.type = &skr_gang_owner_deployment,
     OF_USERS,
     .on_demand = true,
     .missing = "seats of a Deployment that is rolled out are not held"},
    {.type = &skr_gang_configmap,
     .label_selector = "sakkara.group.derived",
     .users_only = true,
     .seldom = true,
     .name = "derived",
     .missing = NO_MAPS},
    /* SKR_GANG_WATCHES_KUEUE */
    {.type = &skr_gang_admission_check, OPTIONAL, .seldom = true, .missing = NO_CHECK},
    {.type = &skr_gang_kueue_flavor, OPTIONAL, .seldom = true, .missing = NO_CHECK},
    {.type = &skr_gang_kueue_workload, OF_USERS, .seldom = true, .missing = NO_CHECK},
};
