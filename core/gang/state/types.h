/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_STATE_TYPES_H
#define SKR_CORE_GANG_STATE_TYPES_H
/* The kinds of objects that the gang scheduler reads and writes, and what it watches of them. */
#include "core/frame/resource.h"
#include "core/pod/pod.h"

extern const struct skr_object_type skr_gang_node;      /* struct skr_node */
extern const struct skr_object_type skr_gang_pod;       /* struct skr_pod */
extern const struct skr_object_type skr_gang_configmap; /* struct skr_configmap */
extern const struct skr_object_type skr_gang_podgroup;  /* struct skr_podgroup */
extern const struct skr_object_type skr_gang_budget;    /* struct skr_budget */
extern const struct skr_object_type skr_gang_class;     /* struct skr_device_class */
extern const struct skr_object_type skr_gang_slice;     /* struct skr_device_slice */
/* struct skr_pod_template: of a pod; of PodTemplates, which are written alone */
extern const struct skr_object_type skr_gang_pod_template, skr_gang_template;
extern const struct skr_object_type skr_gang_provisioning; /* struct skr_provisioning */
/* struct skr_kueue_workload, skr_admission_check, skr_kueue_flavor */
extern const struct skr_object_type skr_gang_kueue_workload, skr_gang_admission_check,
    skr_gang_kueue_flavor;

/* what skr_object_meta() reads */
extern const struct skr_object_type skr_gang_namespace;
/* struct skr_volume_claim, skr_volume, skr_storage_class, skr_csi_node, skr_csi_driver, skr_csi_capacity,
 * skr_volume_attachment */
extern const struct skr_object_type skr_gang_volume_claim, skr_gang_volume, skr_gang_storage_class,
    skr_gang_csi_node, skr_gang_csi_driver, skr_gang_csi_capacity, skr_gang_attachment;
/* struct skr_device_claim */
extern const struct skr_object_type skr_gang_device_claim, skr_gang_claim_template;
/* struct skr_device_taint_rule, by version */
extern const struct skr_object_type skr_gang_taint_rule_v1, skr_gang_taint_rule_v1beta2;
/* struct skr_podgroup of scheduling.k8s.io, by version */
extern const struct skr_object_type skr_gang_native_v1alpha2, skr_gang_native_v1alpha3,
    skr_gang_native_v1beta1;
/* struct skr_owner */
extern const struct skr_object_type skr_gang_owner_job, skr_gang_owner_statefulset,
    skr_gang_owner_jobset, skr_gang_owner_lws, skr_gang_owner_mpijob, skr_gang_owner_mpijob_v1,
    skr_gang_owner_pytorchjob, skr_gang_owner_tfjob, skr_gang_owner_xgboostjob,
    skr_gang_owner_paddlejob, skr_gang_owner_jaxjob, skr_gang_owner_raycluster,
    skr_gang_owner_spark, skr_gang_owner_deployment;

const struct skr_object_type *skr_gang_claim_type(enum skr_pod_claim_kind kind);
/* SKR_POD_CLAIM_KIND_COUNT: it is another type. */
enum skr_pod_claim_kind skr_gang_claim_kind(const struct skr_object_type *type);
/* Types of owners, from 0 on; NULL: there are no more. Two may be versions of one kind. */
const struct skr_object_type *skr_gang_owner_type(size_t i);
/* The kind of owners of this type; NULL: it is another type. */
const char *skr_gang_owner_kind(const struct skr_object_type *type);
/* Of the kind, from 0, whatever its version; -1: of no workload. */
int skr_gang_owner_number(const struct skr_object_type *type);
bool skr_gang_is_kueue(const struct skr_object_type *type);
bool skr_gang_is_native(const struct skr_object_type *type);
/* native: as in struct skr_podgroup. */
const struct skr_object_type *skr_gang_podgroup_type(int32_t native);

/* The type of this kind and "group/version" (NULL: any); NULL if there is none. */
const struct skr_object_type *skr_gang_type_of(const char *api_version, const char *kind);

/* The last ones are for option kueue.admissionCheck alone. */
enum { SKR_GANG_WATCHES_KUEUE = 3, SKR_GANG_WATCHES = 41 };
extern const struct skr_watch skr_gang_watch[SKR_GANG_WATCHES];

#endif
