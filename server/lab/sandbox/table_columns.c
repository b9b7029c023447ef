/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One row per column: its name, the function that makes the cell, and the path of its value. Absent
 * values are "<none>" or "<unknown>", as in Kubernetes.
 */
#include "server/lab/sandbox/table_columns.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "server/object/path.h"
#include "topology/base/json_field.h"
#include "topology/base/strbuf.h"
#include "topology/duration.h"

enum { PATH_MAX_BYTES = 64 };

#define CELL(name) static json_t *name(const struct skr_table_cell *cell)

/* ---- cells of any kind ---- */

/* The first non-empty text of the paths, or "". */
static const char *first(const json_t *object, const char *paths)
{
    const char *value = "";
    for (size_t n; *paths && !*value; paths += n + strspn(paths + n, " ")) {
        char path[PATH_MAX_BYTES];
        n = strcspn(paths, " ");
        (void)snprintf(path, sizeof path, "%.*s", (int)n, paths);
        value = skr_path_text(object, path);
    }
    return value;
}

static json_t *or_else(const char *value, const char *otherwise)
{
    return json_string(*value ? value : otherwise);
}

static json_t *string_of(const struct skr_strbuf *b)
{
    return or_else(b->len > 0 ? b->s : "", "<none>");
}

static json_t *since(skr_time t, skr_time now)
{
    char age[32];
    skr_duration_write_age(now - t, age);
    return json_string(t == 0 ? "<unknown>" : age);
}

static skr_time time_at(const json_t *object, const char *paths)
{
    skr_time t = 0;
    return skr_time_parse(first(object, paths), &t, NULL) == 0 ? t : 0;
}

CELL(text)
{
    return json_string(first(cell->object, cell->column->path));
}

CELL(or_none)
{
    return or_else(first(cell->object, cell->column->path), "<none>");
}

CELL(or_unknown)
{
    return or_else(first(cell->object, cell->column->path), "<unknown>");
}

CELL(age)
{
    return since(time_at(cell->object, cell->column->path), cell->now);
}

CELL(number)
{
    return json_integer(skr_path_int(cell->object, cell->column->path, 0));
}

CELL(truth)
{
    return json_boolean(skr_path_true(cell->object, cell->column->path));
}

/* A number or a percentage. */
CELL(limit)
{
    char scratch[24];
    return or_else(skr_path_scalar(cell->object, cell->column->path, scratch), "N/A");
}

static json_t *share(int64_t part, int64_t whole)
{
    return json_sprintf("%lld/%lld", (long long)part, (long long)whole);
}

CELL(ratio)
{
    return share(skr_path_int(cell->object, cell->column->path, 0),
                 skr_path_int(cell->object, cell->column->other, 0));
}

/* Number of members of both objects. */
CELL(size)
{
    return json_integer(
        (json_int_t)(json_object_size(skr_path_get(cell->object, cell->column->path)) +
                     json_object_size(skr_path_get(cell->object, cell->column->other))));
}

/* "a=b,c=d" of an object of strings. */
CELL(pairs)
{
    SKR_STRBUF(b);
    const char *key;
    json_t *value;
    json_object_foreach(skr_object_unconst(skr_path_get(cell->object, cell->column->path)), key,
                        value)
    {
        skr_strbuf_addf(&b, "%s%s=%s", b.len > 0 ? "," : "", key,
                        json_is_string(value) ? json_string_value(value) : "");
    }
    return string_of(&b);
}

/* The values of the other path in each element of a list, joined by commas. */
CELL(joined)
{
    SKR_STRBUF(b);
    const json_t *list = skr_path_get(cell->object, cell->column->path);
    for (size_t i = 0; i < json_array_size(list); i++) {
        skr_strbuf_addf(&b, "%s%s", i > 0 ? "," : "",
                        skr_path_text(json_array_get(list, i), cell->column->other));
    }
    return string_of(&b);
}

/* ---- pods ---- */

CELL(pod_ready)
{
    const json_t *statuses = skr_path_get(cell->object, "status.containerStatuses");
    int64_t ready = 0;
    for (size_t i = 0; i < json_array_size(statuses); i++) {
        ready += skr_path_true(json_array_get(statuses, i), "ready") ? 1 : 0;
    }
    return share(ready, (int64_t)json_array_size(skr_path_get(cell->object, "spec.containers")));
}

CELL(pod_restarts)
{
    const json_t *statuses = skr_path_get(cell->object, "status.containerStatuses");
    int64_t restarts = 0;
    for (size_t i = 0; i < json_array_size(statuses); i++) {
        restarts += skr_path_int(json_array_get(statuses, i), "restartCount", 0);
    }
    return json_sprintf("%lld", (long long)restarts);
}

/* Why a container does not run, if that says more than the phase. */
static const char *container_reason(const json_t *pod)
{
    const json_t *statuses = skr_path_get(pod, "status.containerStatuses");
    const char *reason = "";
    for (size_t i = 0; i < json_array_size(statuses) && !*reason; i++) {
        reason = first(json_array_get(statuses, i), "state.waiting.reason state.terminated.reason");
    }
    return reason;
}

CELL(pod_status)
{
    const json_t *scheduled =
        skr_path_find(skr_path_get(cell->object, "status.conditions"), "type", "PodScheduled");
    const char *reason = skr_path_text(cell->object, "status.reason");
    const char *container = container_reason(cell->object);
    if (skr_path_get(cell->object, "metadata.deletionTimestamp")) {
        return json_string(strcmp(reason, "NodeLost") == 0 ? "Unknown" : "Terminating");
    }
    if (*container || *reason) {
        return or_else(container, reason);
    }
    if (strcmp(skr_path_text(scheduled, "reason"), "SchedulingGated") == 0) {
        return json_string("SchedulingGated");
    }
    return json_string(skr_path_text(cell->object, "status.phase"));
}

/* ---- nodes ---- */

CELL(node_status)
{
    const json_t *ready =
        skr_path_find(skr_path_get(cell->object, "status.conditions"), "type", "Ready");
    const char *is = skr_path_text(ready, "status");
    return json_sprintf("%s%s",
                        !*is                      ? "Unknown"
                        : strcmp(is, "True") == 0 ? "Ready"
                                                  : "NotReady",
                        skr_path_true(cell->object, "spec.unschedulable") ? ",SchedulingDisabled"
                                                                          : "");
}

CELL(node_roles)
{
    static const char prefix[] = "node-role.kubernetes.io/";
    SKR_STRBUF(b);
    const char *key;
    json_t *value;
    json_object_foreach(skr_object_unconst(skr_path_get(cell->object, cell->column->path)), key,
                        value)
    {
        if (strncmp(key, prefix, sizeof prefix - 1) == 0) {
            skr_strbuf_addf(&b, "%s%s", b.len > 0 ? "," : "", key + sizeof prefix - 1);
        }
    }
    return string_of(&b);
}

CELL(node_address)
{
    const json_t *address =
        skr_path_find(skr_path_get(cell->object, "status.addresses"), "type", cell->column->other);
    return or_else(skr_path_text(address, "address"), "<none>");
}

CELL(node_kernel)
{
    const char *architecture = skr_path_text(cell->object, "status.nodeInfo.architecture");
    const char *kernel = skr_path_text(cell->object, "status.nodeInfo.kernelVersion");
    return json_sprintf("%s%s%s%s", *kernel ? kernel : "<unknown>", *architecture ? " (" : "",
                        architecture, *architecture ? ")" : "");
}

/* ---- Jobs ---- */

CELL(job_status)
{
    static const char *const known[] = {"Complete", "Failed", "Suspended", "FailureTarget",
                                        "SuccessCriteriaMet"};
    const json_t *conditions = skr_path_get(cell->object, "status.conditions");
    if (skr_path_get(cell->object, "metadata.deletionTimestamp")) {
        return json_string("Terminating");
    }
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        const json_t *condition = skr_path_find(conditions, "type", known[i]);
        if (strcmp(skr_path_text(condition, "status"), "True") == 0) {
            return json_string(known[i]);
        }
    }
    return json_string("Running");
}

CELL(job_completions)
{
    const int64_t succeeded = skr_path_int(cell->object, "status.succeeded", 0);
    if (skr_path_get(cell->object, "spec.completions")) {
        return share(succeeded, skr_path_int(cell->object, "spec.completions", 0));
    }
    return json_sprintf("%lld/1 of %lld", (long long)succeeded,
                        (long long)skr_path_int(cell->object, "spec.parallelism", 0));
}

CELL(job_duration)
{
    const skr_time start = time_at(cell->object, "status.startTime");
    const skr_time end = time_at(cell->object, "status.completionTime");
    return start == 0 ? json_string("") : since(start, end != 0 ? end : cell->now);
}

/* ---- Events and Services ---- */

CELL(event_object)
{
    const char *name = first(cell->object, "involvedObject.name regarding.name");
    char kind[128];
    (void)snprintf(kind, sizeof kind, "%s",
                   first(cell->object, "involvedObject.kind regarding.kind"));
    for (char *c = kind; *c; c++) {
        *c = (char)tolower((unsigned char)*c);
    }
    return json_sprintf("%s/%s", kind, name);
}

CELL(event_count)
{
    const int64_t series = skr_path_int(cell->object, "series.count", 1);
    const int64_t n =
        skr_path_int(cell->object, "count", skr_path_int(cell->object, "deprecatedCount", series));
    return json_sprintf("%lld", (long long)n);
}

CELL(service_ports)
{
    const json_t *ports = skr_path_get(cell->object, cell->column->path);
    SKR_STRBUF(b);
    for (size_t i = 0; i < json_array_size(ports); i++) {
        const json_t *port = json_array_get(ports, i);
        skr_strbuf_addf(&b, "%s%lld/%s", i > 0 ? "," : "", (long long)skr_path_int(port, "port", 0),
                        skr_path_text(port, "protocol"));
    }
    return string_of(&b);
}

/* ---- the columns ---- */

/* clang-format off */
#define columns static const struct skr_table_column
#define COLUMN(name, ...) {name, 0, __VA_ARGS__}
#define WIDE(name, ...)   {name, 1, __VA_ARGS__}
#define NAME              COLUMN("Name", text, "metadata.name", NULL)
#define AGE               COLUMN("Age", age, "metadata.creationTimestamp", NULL)
#define IMAGES            WIDE("Containers", joined, "spec.template.spec.containers", "name"), \
                          WIDE("Images", joined, "spec.template.spec.containers", "image")
#define SELECTOR          WIDE("Selector", pairs, "spec.selector.matchLabels", NULL)
#define END               {NULL, 0, NULL, NULL, NULL}

columns config_map[] = {NAME, COLUMN("Data", size, "data", "binaryData"), AGE, END};
columns daemon_set[] = {
    NAME,
    COLUMN("Desired", number, "status.desiredNumberScheduled", NULL),
    COLUMN("Current", number, "status.currentNumberScheduled", NULL),
    COLUMN("Ready", number, "status.numberReady", NULL),
    COLUMN("Up-to-date", number, "status.updatedNumberScheduled", NULL),
    COLUMN("Available", number, "status.numberAvailable", NULL),
    COLUMN("Node Selector", pairs, "spec.template.spec.nodeSelector", NULL),
    AGE, IMAGES, SELECTOR, END};
columns deployment[] = {
    NAME,
    COLUMN("Ready", ratio, "status.readyReplicas", "spec.replicas"),
    COLUMN("Up-to-date", number, "status.updatedReplicas", NULL),
    COLUMN("Available", number, "status.availableReplicas", NULL),
    AGE, IMAGES, SELECTOR, END};
/* In either shape, v1 and events.k8s.io. */
#define FIRST_SEEN "firstTimestamp deprecatedFirstTimestamp eventTime"
columns event[] = {
    COLUMN("Last Seen", age,
           "series.lastObservedTime lastTimestamp deprecatedLastTimestamp " FIRST_SEEN, NULL),
    COLUMN("Type", text, "type", NULL),
    COLUMN("Reason", text, "reason", NULL),
    COLUMN("Object", event_object, NULL, NULL),
    WIDE("Subobject", text, "involvedObject.fieldPath regarding.fieldPath", NULL),
    WIDE("Source", text,
         "source.component reportingComponent deprecatedSource.component reportingController", NULL),
    COLUMN("Message", text, "message note", NULL),
    WIDE("First Seen", age, FIRST_SEEN, NULL),
    WIDE("Count", event_count, NULL, NULL),
    WIDE("Name", text, "metadata.name", NULL), END};
columns job[] = {
    NAME,
    COLUMN("Status", job_status, NULL, NULL),
    COLUMN("Completions", job_completions, NULL, NULL),
    COLUMN("Duration", job_duration, NULL, NULL),
    AGE, IMAGES, SELECTOR, END};
columns lease[] = {NAME, COLUMN("Holder", text, "spec.holderIdentity", NULL), AGE, END};
columns namespace_[] = {NAME, COLUMN("Status", text, "status.phase", NULL), AGE, END};
columns node[] = {
    NAME,
    COLUMN("Status", node_status, NULL, NULL),
    COLUMN("Roles", node_roles, "metadata.labels", NULL),
    AGE,
    COLUMN("Version", text, "status.nodeInfo.kubeletVersion", NULL),
    WIDE("Internal-IP", node_address, NULL, "InternalIP"),
    WIDE("External-IP", node_address, NULL, "ExternalIP"),
    WIDE("OS-Image", or_unknown, "status.nodeInfo.osImage", NULL),
    WIDE("Kernel-Version", node_kernel, NULL, NULL),
    WIDE("Container-Runtime", or_unknown, "status.nodeInfo.containerRuntimeVersion", NULL), END};
columns pod[] = {
    NAME,
    COLUMN("Ready", pod_ready, NULL, NULL),
    COLUMN("Status", pod_status, NULL, NULL),
    COLUMN("Restarts", pod_restarts, NULL, NULL),
    AGE,
    WIDE("IP", or_none, "status.podIP", NULL),
    WIDE("Node", or_none, "spec.nodeName", NULL),
    WIDE("Nominated Node", or_none, "status.nominatedNodeName", NULL),
    WIDE("Readiness Gates", or_none, "", NULL), END};
columns budget[] = {
    NAME,
    COLUMN("Min Available", limit, "spec.minAvailable", NULL),
    COLUMN("Max Unavailable", limit, "spec.maxUnavailable", NULL),
    COLUMN("Allowed Disruptions", number, "status.disruptionsAllowed", NULL), AGE, END};
columns group[] = {
    NAME,
    COLUMN("Phase", text, "status.phase", NULL),
    COLUMN("MinMember", number, "spec.minMember", NULL),
    COLUMN("Running", number, "status.running", NULL),
    COLUMN("Succeeded", number, "status.succeeded", NULL),
    COLUMN("Failed", number, "status.failed", NULL), AGE, END};
columns priority_class[] = {
    NAME,
    COLUMN("Value", number, "value", NULL),
    COLUMN("Global-Default", truth, "globalDefault", NULL),
    AGE,
    COLUMN("PreemptionPolicy", text, "preemptionPolicy", NULL), END};
columns replica_set[] = {
    NAME,
    COLUMN("Desired", number, "spec.replicas", NULL),
    COLUMN("Current", number, "status.replicas", NULL),
    COLUMN("Ready", number, "status.readyReplicas", NULL),
    AGE, IMAGES, SELECTOR, END};
columns secret[] = {
    NAME,
    COLUMN("Type", text, "type", NULL),
    COLUMN("Data", size, "data", ""), AGE, END};
columns service[] = {
    NAME,
    COLUMN("Type", text, "spec.type", NULL),
    COLUMN("Cluster-IP", or_none, "spec.clusterIP", NULL),
    COLUMN("External-IP", or_none, "", NULL),
    COLUMN("Port(s)", service_ports, "spec.ports", NULL),
    AGE,
    WIDE("Selector", pairs, "spec.selector", NULL), END};
columns stateful_set[] = {
    NAME,
    COLUMN("Ready", ratio, "status.readyReplicas", "spec.replicas"), AGE, IMAGES, END};
columns plain[] = {NAME, AGE, END};
/* clang-format on */

const struct skr_table_column *skr_table_columns_of(const char *kind)
{
    static const struct {
        const char *kind;
        const struct skr_table_column *column;
    } kinds[] = {
        {"ConfigMap", config_map},
        {"DaemonSet", daemon_set},
        {"Deployment", deployment},
        {"Event", event},
        {"Job", job},
        {"Lease", lease},
        {"Namespace", namespace_},
        {"Node", node},
        {"Pod", pod},
        {"PodDisruptionBudget", budget},
        {"PodGroup", group},
        {"PriorityClass", priority_class},
        {"ReplicaSet", replica_set},
        {"Secret", secret},
        {"Service", service},
        {"StatefulSet", stateful_set},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (strcmp(kinds[i].kind, kind) == 0) {
            return kinds[i].column;
        }
    }
    return plain;
}
