/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of kinds: each leads to the cache that has the objects of its type. */
#include "core/gang/kinds.h"

#include "core/gang/admission/admission.h"
#include "core/gang/admission/admission_checks.h"
#include "core/gang/cache/claim_objects.h"
#include "core/gang/cache/csi.h"
#include "core/gang/cache/device_classes.h"
#include "core/gang/cache/devices.h"
#include "core/gang/cache/vetoes.h"
#include "core/gang/cache/volumes.h"
#include "core/gang/changes/entries.h"
#include "core/gang/changes/maps.h"
#include "core/gang/changes/node_changes.h"
#include "core/gang/changes/pod_changes.h"
#include "core/gang/group/device_holds.h"
#include "core/gang/preempt/disruptions.h"
#include "core/gang/preempt/evictions.h"
#include "core/gang/state/types.h"
#include "topology/device_classes.h"
#include "topology/fields.h"

/* The parameters of put and gone. */
#define PUT  struct skr_gang *e, const struct skr_object_type *type, void *object
#define GONE struct skr_gang *e, const struct skr_event *ev

/* ---- nodes, pods, maps, budgets, namespaces ---- */

static void put_node(PUT)
{
    (void)type;
    skr_node_changes_upsert(e, object);
}

static void node_gone(GONE)
{
    skr_node_changes_delete(e, ev->deleted.name);
}

static void put_pod(PUT)
{
    (void)type;
    skr_pod_changes_seen(e, object);
}

static void pod_gone(GONE)
{
    skr_evictions_overtaken(e, ev->deleted.namespace_, ev->deleted.name, ev->deleted.uid);
    skr_pod_changes_delete(e, ev->deleted.namespace_, ev->deleted.name, ev->deleted.uid);
}

static void put_map(PUT)
{
    (void)type;
    skr_maps_upsert(e, object);
}

static void map_gone(GONE)
{
    skr_maps_delete(e, ev->deleted.namespace_, ev->deleted.name);
}

static void put_budget(PUT)
{
    (void)type;
    skr_disruptions_upsert(e, object);
}

static void budget_gone(GONE)
{
    skr_disruptions_delete(e, ev->deleted.namespace_, ev->deleted.name);
}

static void put_namespace(PUT)
{
    skr_entries_namespace_upsert(e, type->meta(object)->name);
    type->destroy(object);
}

static void namespace_gone(GONE)
{
    skr_entries_namespace_delete(e, ev->deleted.name);
}

/* ---- PodGroups and workloads ---- */

static void put_podgroup(PUT)
{
    (void)type;
    skr_maps_podgroup_upsert(e, object);
}

static void podgroup_gone(GONE)
{
    skr_maps_podgroup_delete(e, ev->deleted.type, ev->deleted.namespace_, ev->deleted.name);
}

static void native_forbidden(struct skr_gang *e, const struct skr_object_type *type, bool is)
{
    (void)type;
    skr_entries_native_forbidden(e, is);
}

static void put_owner(PUT)
{
    (void)type;
    skr_entries_owner_upsert(e, object);
}

static void owner_gone(GONE)
{
    skr_entries_owner_delete(e, skr_gang_owner_kind(ev->deleted.type), ev->deleted.namespace_,
                             ev->deleted.name);
}

static void put_workload(PUT)
{
    (void)type;
    skr_admission_workload_upsert(e, object);
}

static void put_check(PUT)
{
    (void)type;
    skr_admission_check_upsert(e, object);
}

static void put_flavor(PUT)
{
    (void)type;
    skr_admission_flavor_upsert(e, object);
}

static void kueue_gone(GONE)
{
    skr_admission_delete(e, ev->deleted.type, ev->deleted.namespace_, ev->deleted.name);
}

/* ---- devices ---- */

/* If a slice, a class or a rule of taints comes or changes, kube-scheduler may find devices where it refused a node
 * before. A slice that is gone leaves fewer. */
static void put_slice(PUT)
{
    const struct skr_device_slice *slice = object;
    (void)type;
    if (*slice->reach.node) {
        skr_vetoes_end(e, slice->reach.node);
    } else {
        skr_vetoes_end_all(e);
    }
    skr_devices_slice_upsert(e, object);
}

static void slice_gone(GONE)
{
    skr_devices_slice_delete(e, ev->deleted.name);
}

static void slices_forbidden(struct skr_gang *e, const struct skr_object_type *type, bool is)
{
    (void)type;
    e->devices.forbidden = is;
    skr_devices_judge(e);
}

static void put_class(PUT)
{
    (void)type;
    skr_vetoes_end_all(e);
    skr_device_classes_upsert(e, object);
}

static void class_gone(GONE)
{
    skr_vetoes_end_all(e);
    skr_device_classes_delete(e, ev->deleted.name);
}

static void classes_forbidden(struct skr_gang *e, const struct skr_object_type *type, bool is)
{
    (void)type;
    e->classes_forbidden = is;
    skr_device_classes_judge(e);
}

static void put_taint_rule(PUT)
{
    (void)type;
    skr_vetoes_end_all(e);
    skr_devices_stock_put_rule(e->devices.stock, object);
}

static void taint_rule_gone(GONE)
{
    skr_vetoes_end_all(e);
    skr_devices_stock_remove_rule(e->devices.stock, ev->deleted.name);
}

/* ---- claims ---- */

static void put_device_claim(PUT)
{
    const bool differs =
        skr_claim_objects_upsert(e, skr_gang_claim_kind(type), type->meta(object), object);
    skr_devices_claim_upsert(e, object, type == &skr_gang_claim_template, differs);
    if (type == &skr_gang_device_claim) {
        skr_device_holds_upsert(e, object);
    }
    type->destroy(object);
}

static void device_claim_gone(GONE)
{
    const char *namespace_ = ev->deleted.namespace_, *name = ev->deleted.name;
    if (ev->deleted.type == &skr_gang_device_claim) {
        skr_device_holds_delete(e, namespace_, name);
        skr_devices_claim_delete(e, namespace_, name);
    }
    skr_claim_objects_delete(e, skr_gang_claim_kind(ev->deleted.type), namespace_, name);
}

static void put_volume_claim(PUT)
{
    skr_claim_objects_upsert(e, SKR_POD_CLAIM_VOLUME, type->meta(object), NULL);
    skr_volumes_claim_upsert(e, object);
    type->destroy(object);
}

static void volume_claim_gone(GONE)
{
    skr_volumes_claim_delete(e, ev->deleted.namespace_, ev->deleted.name);
    skr_claim_objects_delete(e, SKR_POD_CLAIM_VOLUME, ev->deleted.namespace_, ev->deleted.name);
}

static void claims_forbidden(struct skr_gang *e, const struct skr_object_type *type, bool is)
{
    skr_claim_objects_forbidden(e, skr_gang_claim_kind(type), is);
}

/* ---- volumes ---- */

static void put_volume(PUT)
{
    (void)type;
    skr_volumes_upsert(e, object);
}

static void volume_gone(GONE)
{
    skr_volumes_delete(e, ev->deleted.name);
}

static void put_storage_class(PUT)
{
    skr_volumes_class_upsert(e, object);
    type->destroy(object);
}

static void storage_class_gone(GONE)
{
    skr_volumes_class_delete(e, ev->deleted.name);
}

static void put_csi_node(PUT)
{
    skr_csi_node_upsert(e, object);
    type->destroy(object);
}

static void csi_node_gone(GONE)
{
    skr_csi_node_delete(e, ev->deleted.name);
}

static void put_csi_driver(PUT)
{
    skr_csi_driver_upsert(e, object);
    type->destroy(object);
}

static void csi_driver_gone(GONE)
{
    skr_csi_driver_delete(e, ev->deleted.name);
}

static void put_csi_capacity(PUT)
{
    skr_csi_capacity_upsert(e, object);
    type->destroy(object);
}

static void csi_capacity_gone(GONE)
{
    skr_csi_capacity_delete(e, ev->deleted.namespace_, ev->deleted.name);
}

static void put_attachment(PUT)
{
    skr_csi_attachment_upsert(e, object);
    type->destroy(object);
}

static void attachment_gone(GONE)
{
    skr_csi_attachment_delete(e, ev->deleted.name);
}

/* ---- the table ---- */

#define OWNER(name)                                                           \
    {                                                                         \
        .type = &skr_gang_owner_##name, .put = put_owner, .gone = owner_gone, \
        .forbidden = skr_entries_owner_forbidden                              \
    }

static const struct skr_gang_kind kinds[] = {
    {.type = &skr_gang_pod, .put = put_pod, .gone = pod_gone},
    {.type = &skr_gang_node, .put = put_node, .gone = node_gone},
    {.type = &skr_gang_configmap, .put = put_map, .gone = map_gone},
    {.type = &skr_gang_podgroup, .put = put_podgroup, .gone = podgroup_gone},
    {.type = &skr_gang_native_v1beta1,
     .put = put_podgroup,
     .gone = podgroup_gone,
     .forbidden = native_forbidden},
    {.type = &skr_gang_native_v1alpha3,
     .put = put_podgroup,
     .gone = podgroup_gone,
     .forbidden = native_forbidden},
    {.type = &skr_gang_native_v1alpha2,
     .put = put_podgroup,
     .gone = podgroup_gone,
     .forbidden = native_forbidden},
    OWNER(job),
    OWNER(statefulset),
    OWNER(jobset),
    OWNER(lws),
    OWNER(mpijob),
    OWNER(mpijob_v1),
    OWNER(pytorchjob),
    OWNER(tfjob),
    OWNER(xgboostjob),
    OWNER(paddlejob),
    OWNER(jaxjob),
    OWNER(raycluster),
    OWNER(spark),
    OWNER(deployment),
    {.type = &skr_gang_budget, .put = put_budget, .gone = budget_gone},
    {.type = &skr_gang_namespace, .put = put_namespace, .gone = namespace_gone},
    {.type = &skr_gang_class,
     .put = put_class,
     .gone = class_gone,
     .forbidden = classes_forbidden,
     .of_devices = true},
    {.type = &skr_gang_slice,
     .put = put_slice,
     .gone = slice_gone,
     .forbidden = slices_forbidden,
     .of_devices = true},
    {.type = &skr_gang_taint_rule_v1,
     .put = put_taint_rule,
     .gone = taint_rule_gone,
     .of_devices = true},
    {.type = &skr_gang_taint_rule_v1beta2,
     .put = put_taint_rule,
     .gone = taint_rule_gone,
     .of_devices = true},
    {.type = &skr_gang_device_claim,
     .put = put_device_claim,
     .gone = device_claim_gone,
     .forbidden = claims_forbidden,
     .of_devices = true},
    {.type = &skr_gang_claim_template,
     .put = put_device_claim,
     .gone = device_claim_gone,
     .forbidden = claims_forbidden,
     .of_devices = true},
    {.type = &skr_gang_volume_claim,
     .put = put_volume_claim,
     .gone = volume_claim_gone,
     .forbidden = claims_forbidden},
    {.type = &skr_gang_volume, .put = put_volume, .gone = volume_gone},
    {.type = &skr_gang_storage_class, .put = put_storage_class, .gone = storage_class_gone},
    {.type = &skr_gang_csi_node,
     .put = put_csi_node,
     .gone = csi_node_gone,
     .forbidden = skr_csi_forbidden},
    {.type = &skr_gang_csi_driver, .put = put_csi_driver, .gone = csi_driver_gone},
    {.type = &skr_gang_csi_capacity,
     .put = put_csi_capacity,
     .gone = csi_capacity_gone,
     .forbidden = skr_csi_forbidden},
    {.type = &skr_gang_attachment, .put = put_attachment, .gone = attachment_gone},
    {.type = &skr_gang_kueue_workload, .put = put_workload, .gone = kueue_gone},
    {.type = &skr_gang_admission_check, .put = put_check, .gone = kueue_gone},
    {.type = &skr_gang_kueue_flavor, .put = put_flavor, .gone = kueue_gone},
};

const struct skr_gang_kind *skr_gang_kind_of(const struct skr_object_type *type)
{
    size_t i = 0;
    while (kinds[i].type != type) {
        i++;
        skr_bug_on(i == sizeof kinds / sizeof kinds[0]);
    }
    return &kinds[i];
}
