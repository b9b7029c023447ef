/* SPDX-License-Identifier: Apache-2.0 */
/* One walk over each of metadata, spec and status, and over the lists in them. */
#include "core/pod/fields.h"

#include <string.h>

#include "topology/base/decimal.h"
#include "topology/base/json_field.h"

#include <string.h>

static const struct skr_field_path metadata_path = {NULL, "metadata", SKR_FIELD_NO_INDEX};
static const struct skr_field_path spec_path = {NULL, "spec", SKR_FIELD_NO_INDEX};
static const struct skr_field_path status_path = {NULL, "status", SKR_FIELD_NO_INDEX};

static int string_of(const struct skr_json *value, const struct skr_field_path *path,
                     const char *key, const struct skr_json **ret, struct skr_error *error)
{
    return skr_json_expect(value, SKR_JSON_STRING, path, key, ret, error);
}

/* Takes one item of a list, an object. */
typedef int take_item(struct skr_pod_fields *f, const struct skr_json *item,
                      const struct skr_field_path *path, struct skr_error *error);

static int each_item(const struct skr_json *value, const struct skr_field_path *up, const char *key,
                     size_t limit, take_item *take, struct skr_pod_fields *f,
                     struct skr_error *error)
{
    const struct skr_json *list = NULL;
    struct skr_field_path path = {.up = up, .key = key, .index = 0};
    int rc = skr_json_expect_array(value, up, key, limit, &list, error);
    SKR_JSON_EACH(rc == 0 ? list : NULL, item)
    {
        rc = item->type == SKR_JSON_OBJECT
                 ? take(f, item, &path, error)
                 : skr_json_type_error(&path, NULL, "an object", item, error);
        if (rc < 0) {
            break;
        }
        path.index++;
    }
    return rc;
}

/* ---- metadata ---- */

/* The first owner that is the controller. */
static int take_owner(struct skr_pod_fields *f, const struct skr_json *owner,
                      const struct skr_field_path *path, struct skr_error *error)
{
    static const char *const key[] = {"controller", "kind", "uid", "apiVersion", "name"};
    enum { CONTROLLER, KIND, UID, VERSION, NAME, N };
    const struct skr_json *member[N], *controller = NULL;
    skr_json_members(owner, key, N, member);
    f->rooted =
        f->rooted || skr_json_is(member[KIND], "DaemonSet") || skr_json_is(member[KIND], "Node");
    int rc = skr_json_expect(member[CONTROLLER], SKR_JSON_BOOLEAN, path, key[CONTROLLER],
                             &controller, error);
    if (rc < 0 || !controller || !controller->n || f->has_controller) {
        return rc;
    }
    f->has_controller = true;
    f->of_job = skr_json_is(member[KIND], "Job");
    rc = string_of(member[UID], path, key[UID], &f->controller_uid, error);
    rc = rc < 0 ? rc : string_of(member[KIND], path, key[KIND], &f->controller_kind, error);
    rc =
        rc < 0 ? rc : string_of(member[VERSION], path, key[VERSION], &f->controller_version, error);
    return rc < 0 ? rc : string_of(member[NAME], path, key[NAME], &f->controller_name, error);
}

/* ---- spec ---- */

static int take_gate(struct skr_pod_fields *f, const struct skr_json *gate,
                     const struct skr_field_path *path, struct skr_error *error)
{
    const struct skr_json *name = NULL;
    const int rc = string_of(skr_json_get(gate, "name"), path, "name", &name, error);
    *(skr_json_is(name, SKR_GATE) ? &f->gate : &f->foreign_gate) = true;
    if (!f->foreign_gate_name && !skr_json_is(name, SKR_GATE)) {
        f->foreign_gate_name = name;
    }
    return rc;
}

/* Volumes that are bound late. */
static int take_volume(struct skr_pod_fields *f, const struct skr_json *volume,
                       const struct skr_field_path *path, struct skr_error *error)
{
    static const char *const key[] = {"persistentVolumeClaim", "ephemeral"};
    const struct skr_json *member[2];
    int rc = 0;
    skr_json_members(volume, key, 2, member);
    for (size_t i = 0; i < 2 && rc == 0; i++) {
        const struct skr_json *claim = NULL;
        rc = skr_json_expect(member[i], SKR_JSON_OBJECT, path, key[i], &claim, error);
        f->late_capacity = f->late_capacity || claim;
    }
    return rc;
}

/* Seconds, 0 to INT32_MAX; absent: no integer. */
static int32_t seconds_of(const struct skr_json *value, int32_t absent)
{
    int64_t seconds;
    if (!value || value->type != SKR_JSON_NUMBER ||
        !skr_decimal_parse(value->text, value->n, &seconds)) {
        return absent;
    }
    return seconds < 0 ? 0 : seconds > INT32_MAX ? INT32_MAX : (int32_t)seconds;
}

static int find_in_spec(const struct skr_json *spec, struct skr_pod_fields *f,
                        struct skr_error *error)
{
    enum { GATES, VOLUMES, SCHEDULER, NODE, PREEMPTION, PRIORITY, GRACE, DEADLINE, GROUP, OWN };
    static const char *const key[] = {
        [GATES] = "schedulingGates",
        [VOLUMES] = "volumes",
        [SCHEDULER] = "schedulerName",
        [NODE] = "nodeName",
        [PREEMPTION] = "preemptionPolicy",
        [PRIORITY] = "priority",
        [GRACE] = "terminationGracePeriodSeconds",
        [DEADLINE] = "activeDeadlineSeconds",
        [GROUP] = "schedulingGroup",
        [OWN + SKR_POD_PART_CONTAINERS] = "containers",
        "initContainers",
        "overhead",
        "resources",
        "nodeSelector",
        "tolerations",
        "resourceClaims",
        "affinity",
        "topologySpreadConstraints",
    };
    static const enum skr_pod_shape_part part[] = {
        SKR_POD_PART_CONTAINERS, SKR_POD_PART_INIT_CONTAINERS, SKR_POD_PART_OVERHEAD,
        SKR_POD_PART_RESOURCES,  SKR_POD_PART_NODE_SELECTOR,   SKR_POD_PART_TOLERATIONS,
        SKR_POD_PART_CLAIMS,     SKR_POD_PART_AFFINITY,        SKR_POD_PART_SPREAD,
    };
    enum { PARTS = sizeof part / sizeof part[0], N = OWN + PARTS };
    _Static_assert(sizeof key / sizeof key[0] == N, "a key per member");
    const struct skr_json *member[N], *claims = NULL, *group = NULL;
    skr_json_members(spec, key, N, member);
    for (size_t i = 0; i < PARTS; i++) {
        f->part[part[i]] = member[OWN + i];
    }
    f->preempts_never = skr_json_is(member[PREEMPTION], "Never");
    f->grace_s = seconds_of(member[GRACE], SKR_POD_GRACE_S);
    f->deadline_s = seconds_of(member[DEADLINE], 0);
    f->has_priority = member[PRIORITY] && member[PRIORITY]->type == SKR_JSON_NUMBER;
    int rc = string_of(member[SCHEDULER], &spec_path, key[SCHEDULER], &f->scheduler, error);
    if (rc == 0) {
        rc = string_of(member[NODE], &spec_path, key[NODE], &f->node, error);
    }
    if (rc == 0) {
        rc = skr_json_expect(member[GROUP], SKR_JSON_OBJECT, &spec_path, key[GROUP], &group, error);
    }
    if (rc == 0 && group) {
        const struct skr_field_path path = {&spec_path, key[GROUP], SKR_FIELD_NO_INDEX};
        rc = string_of(skr_json_get(group, "podGroupName"), &path, "podGroupName",
                       &f->scheduling_group, error);
    }
    if (rc == 0) {
        rc = skr_json_int32(member[PRIORITY], &spec_path, key[PRIORITY], 0, &f->priority, error);
    }
    if (rc == 0) {
        rc = each_item(member[GATES], &spec_path, key[GATES], SKR_POD_LISTS_MAX, take_gate, f,
                       error);
    }
    if (rc == 0) {
        rc = each_item(member[VOLUMES], &spec_path, key[VOLUMES], SKR_POD_VOLUMES_MAX, take_volume,
                       f, error);
    }
    if (rc == 0) {
        rc = skr_json_expect_array(f->part[SKR_POD_PART_CLAIMS], &spec_path, "resourceClaims",
                                   SKR_POD_VOLUMES_MAX, &claims, error);
    }
    f->late_capacity = f->late_capacity || (claims && claims->n > 0);
    return rc;
}

/* ---- status ---- */

/* PodScheduled=False: why kube-scheduler could not place the pod; True: when it was bound.
 * PodResizePending: part of the shape. The first of each counts. */
static int take_condition(struct skr_pod_fields *f, const struct skr_json *condition,
                          const struct skr_field_path *path, struct skr_error *error)
{
    static const char *const key[] = {"type", "status", "reason", "message", "lastTransitionTime"};
    enum { TYPE, STATUS, REASON, MESSAGE, SINCE, N };
    const struct skr_json *member[N], *text[N] = {NULL};
    int rc = 0;
    skr_json_members(condition, key, N, member);
    for (size_t i = 0; i < MESSAGE && rc == 0; i++) {
        rc = string_of(member[i], path, key[i], &text[i], error);
    }
    const bool scheduling = rc == 0 && skr_json_is(text[TYPE], "PodScheduled");
    if (scheduling && !f->is_unscheduled && skr_json_is(text[STATUS], "False")) {
        f->is_unscheduled = true;
        f->scheduled_reason = text[REASON];
        rc = string_of(member[MESSAGE], path, key[MESSAGE], &f->scheduled_message, error);
    } else if (scheduling && !f->bound_at && skr_json_is(text[STATUS], "True")) {
        f->bound_at = member[SINCE];
    }
    if (!f->is_resizing && skr_json_is(text[TYPE], "PodResizePending")) {
        f->is_resizing = true;
        f->part[SKR_POD_PART_RESIZE] = text[REASON];
    }
    return rc;
}

/* 0: there is none, or it is no time. */
static enum skr_pod_phase phase_of(const struct skr_json *text)
{
    static const char *const name[] = {
        [SKR_POD_PENDING] = "Pending",     [SKR_POD_RUNNING] = "Running",
        [SKR_POD_SUCCEEDED] = "Succeeded", [SKR_POD_FAILED] = "Failed",
        [SKR_POD_UNKNOWN] = "Unknown",
    };
    _Static_assert(sizeof name / sizeof name[0] == SKR_POD_PHASE_COUNT, "a name per phase");
    size_t i = 0;
    while (i < SKR_POD_UNKNOWN && !skr_json_is(text, name[i])) {
        i++;
    }
    return !text || text->n == 0 ? SKR_POD_PENDING : (enum skr_pod_phase)i;
}

static int find_in_status(const struct skr_json *status, struct skr_pod_fields *f,
                          struct skr_error *error)
{
    enum { PHASE, CONDITIONS, NOMINATED, REASON, STARTED, OWN };
    static const char *const key[] = {
        [PHASE] = "phase",
        [CONDITIONS] = "conditions",
        [NOMINATED] = "nominatedNodeName",
        [REASON] = "reason",
        [STARTED] = "startTime",
        [OWN] = "containerStatuses",
        "initContainerStatuses",
        "resources",
        "allocatedResources",
    };
    static const enum skr_pod_shape_part part[] = {
        SKR_POD_PART_STATUSES, SKR_POD_PART_INIT_STATUSES, SKR_POD_PART_STATUS_RESOURCES,
        SKR_POD_PART_STATUS_ALLOCATED};
    enum { PARTS = sizeof part / sizeof part[0], N = OWN + PARTS };
    _Static_assert(sizeof key / sizeof key[0] == N, "a key per member");
    const struct skr_json *member[N], *phase = NULL;
    skr_json_members(status, key, N, member);
    for (size_t i = 0; i < PARTS; i++) {
        f->part[part[i]] = member[OWN + i];
    }
    int rc = string_of(member[NOMINATED], &status_path, key[NOMINATED], &f->nominated, error);
    if (rc == 0) {
        rc = string_of(member[REASON], &status_path, key[REASON], &f->failed_reason, error);
    }
    if (rc == 0) {
        rc = string_of(member[PHASE], &status_path, key[PHASE], &phase, error);
    }
    if (rc == 0) {
        rc = each_item(member[CONDITIONS], &status_path, key[CONDITIONS], SKR_POD_LISTS_MAX,
                       take_condition, f, error);
    }
    f->phase = phase_of(phase);
    f->started = skr_object_time(member[STARTED]);
    return rc;
}

/* Of a static pod, which the kubelet runs. */
static bool is_mirror(const struct skr_json *annotations)
{
    return annotations && annotations->type == SKR_JSON_OBJECT &&
           skr_json_get(annotations, "kubernetes.io/config.mirror");
}

int skr_pod_fields_find(const struct skr_json *json, struct skr_pod_fields *ret,
                        struct skr_error *error)
{
    static const char *const key[] = {"metadata", "spec", "status"};
    enum { METADATA, SPEC, STATUS, N };
    const struct skr_json *member[N];
    *ret = (struct skr_pod_fields){.phase = SKR_POD_PENDING};
    if (!json || json->type != SKR_JSON_OBJECT) {
        return skr_json_type_error(NULL, "pod", "an object", json, error);
    }
    skr_json_members(json, key, N, member);
    skr_meta_members_read(member[METADATA], &ret->meta);
    ret->rooted = is_mirror(ret->meta.of[SKR_META_ANNOTATIONS]);
    int rc = skr_json_expect(member[SPEC], SKR_JSON_OBJECT, NULL, key[SPEC], &ret->spec, error);
    if (rc == 0) {
        rc = skr_json_expect(member[STATUS], SKR_JSON_OBJECT, NULL, key[STATUS], &ret->status,
                             error);
    }
    if (rc == 0) {
        rc = find_in_spec(ret->spec, ret, error);
    }
    if (rc == 0) {
        rc = each_item(ret->meta.of[SKR_META_OWNERS], &metadata_path, "ownerReferences",
                       SKR_POD_LISTS_MAX, take_owner, ret, error);
    }
    return rc == 0 ? find_in_status(ret->status, ret, error) : rc;
}
