/* SPDX-License-Identifier: Apache-2.0 */
/* One printer a kind; what is absent is "<none>" or "<unknown>", as there. */
#include "server/lab/sandbox/table_columns.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/object/path.h"
#include "topology/base/json_field.h"
#include "topology/base/strbuf.h"
#include "topology/duration.h"

/* ---- cells ---- */

static void text(json_t *cells, const char *value)
{
    json_array_append_new(cells, json_string(value));
}

static void or_none(json_t *cells, const char *value)
{
    text(cells, *value != '\0' ? value : "<none>");
}

static void number(json_t *cells, int64_t value)
{
    json_array_append_new(cells, json_integer(value));
}

static void name(json_t *cells, const json_t *object)
{
    text(cells, skr_path_text(object, "metadata.name"));
}

static skr_time time_at(const json_t *object, const char *path)
{
    const char *at = skr_path_text(object, path);
    skr_time t = 0;

    return *at != '\0' && skr_time_parse(at, &t, NULL) == 0 ? t : 0;
}

static void since(json_t *cells, skr_time t, skr_time now)
{
    char age[32];

    if (t == 0) {
        text(cells, "<unknown>");
        return;
    }
    skr_duration_write_age(now - t, age);
    text(cells, age);
}

static void age(json_t *cells, const json_t *object, skr_time now)
{
    since(cells, time_at(object, "metadata.creationTimestamp"), now);
}

static void share(json_t *cells, int64_t part, int64_t whole)
{
    char value[48];

    (void)snprintf(value, sizeof value, "%lld/%lld", (long long)part, (long long)whole);
    text(cells, value);
}

static void take(json_t *cells, struct skr_strbuf *b)
{
    or_none(cells, b->len > 0 ? b->s : "");
    skr_strbuf_fini(b);
}

/* "a=b,c=d" of an object of strings. */
static void pairs(json_t *cells, const json_t *object)
{
    struct skr_strbuf b;
    const char *key;
    json_t *value;

    skr_strbuf_init(&b);
    json_object_foreach(skr_object_unconst(object), key, value)
    {
        skr_strbuf_addf(&b, "%s%s=%s", b.len > 0 ? "," : "", key,
                        json_is_string(value) ? json_string_value(value) : "");
    }
    take(cells, &b);
}

/* The texts of a field of the elements of a list, with commas. */
static void joined(json_t *cells, const json_t *list, const char *field)
{
    struct skr_strbuf b;

    skr_strbuf_init(&b);
    for (size_t i = 0; i < json_array_size(list); i++) {
        skr_strbuf_addf(&b, "%s%s", i > 0 ? "," : "",
                        skr_path_text(json_array_get(list, i), field));
    }
    take(cells, &b);
}

#define COLUMN(n)          \
    {                      \
        n, "string", "", 0 \
    }
#define NUMBER(n)           \
    {                       \
        n, "integer", "", 0 \
    }
#define WIDE(n)            \
    {                      \
        n, "string", "", 1 \
    }
#define NAME                        \
    {                               \
        "Name", "string", "name", 0 \
    }
#define COUNT(a) (sizeof a / sizeof a[0])
#define PRINTER(k, c, f)  \
    {                     \
        k, c, COUNT(c), f \
    }

/* ---- pods ---- */

static const struct skr_table_column pod_columns[] = {
    NAME,       COLUMN("Ready"), COLUMN("Status"),       COLUMN("Restarts"),     COLUMN("Age"),
    WIDE("IP"), WIDE("Node"),    WIDE("Nominated Node"), WIDE("Readiness Gates")};

/* Why a container does not run, when that says more than the phase. */
static const char *container_reason(const json_t *pod)
{
    const json_t *statuses = skr_path_get(pod, "status.containerStatuses");
    const char *reason = "";

    for (size_t i = json_array_size(statuses); i-- > 0;) {
        const json_t *state = json_object_get(json_array_get(statuses, i), "state");
        const char *waiting = skr_path_text(state, "waiting.reason");
        const char *ended = skr_path_text(state, "terminated.reason");
        reason = *waiting != '\0' ? waiting : (*ended != '\0' ? ended : reason);
    }
    return reason;
}

static const char *pod_status(const json_t *pod)
{
    const json_t *scheduled =
        skr_path_find(skr_path_get(pod, "status.conditions"), "type", "PodScheduled");
    const char *reason = skr_path_text(pod, "status.reason");
    const char *container = container_reason(pod);

    if (skr_path_get(pod, "metadata.deletionTimestamp")) {
        return strcmp(reason, "NodeLost") == 0 ? "Unknown" : "Terminating";
    }
    if (*container != '\0') {
        return container;
    }
    if (*reason != '\0') {
        return reason;
    }
    if (strcmp(skr_path_text(scheduled, "reason"), "SchedulingGated") == 0) {
        return "SchedulingGated";
    }
    return skr_path_text(pod, "status.phase");
}

static void print_pod(json_t *cells, const json_t *pod, skr_time now)
{
    const json_t *statuses = skr_path_get(pod, "status.containerStatuses");
    int64_t ready = 0, restarts = 0;

    for (size_t i = 0; i < json_array_size(statuses); i++) {
        const json_t *status = json_array_get(statuses, i);
        ready += skr_path_true(status, "ready") ? 1 : 0;
        restarts += skr_path_int(status, "restartCount", 0);
    }
    name(cells, pod);
    share(cells, ready, (int64_t)json_array_size(skr_path_get(pod, "spec.containers")));
    text(cells, pod_status(pod));
    char count[24];
    (void)snprintf(count, sizeof count, "%lld", (long long)restarts);
    text(cells, count);
    age(cells, pod, now);
    or_none(cells, skr_path_text(pod, "status.podIP"));
    or_none(cells, skr_path_text(pod, "spec.nodeName"));
    or_none(cells, skr_path_text(pod, "status.nominatedNodeName"));
    or_none(cells, "");
}

/* ---- nodes ---- */

static const struct skr_table_column node_columns[] = {NAME,
                                                       COLUMN("Status"),
                                                       COLUMN("Roles"),
                                                       COLUMN("Age"),
                                                       COLUMN("Version"),
                                                       WIDE("Internal-IP"),
                                                       WIDE("External-IP"),
                                                       WIDE("OS-Image"),
                                                       WIDE("Kernel-Version"),
                                                       WIDE("Container-Runtime")};

static void node_roles(json_t *cells, const json_t *node)
{
    static const char prefix[] = "node-role.kubernetes.io/";
    struct skr_strbuf b;
    const char *key;
    json_t *value;

    skr_strbuf_init(&b);
    json_object_foreach(skr_object_unconst(skr_path_get(node, "metadata.labels")), key, value)
    {
        if (strncmp(key, prefix, sizeof prefix - 1) == 0) {
            skr_strbuf_addf(&b, "%s%s", b.len > 0 ? "," : "", key + sizeof prefix - 1);
        }
    }
    take(cells, &b);
}

static const char *address_of(const json_t *node, const char *type)
{
    return skr_path_text(skr_path_find(skr_path_get(node, "status.addresses"), "type", type),
                         "address");
}

static const char *known(const json_t *object, const char *path)
{
    const char *value = skr_path_text(object, path);
    return *value != '\0' ? value : "<unknown>";
}

static void print_node(json_t *cells, const json_t *node, skr_time now)
{
    const json_t *ready = skr_path_find(skr_path_get(node, "status.conditions"), "type", "Ready");
    const char *is = skr_path_text(ready, "status");
    char status[64];

    (void)snprintf(status, sizeof status, "%s%s",
                   *is == '\0' ? "Unknown" : (strcmp(is, "True") == 0 ? "Ready" : "NotReady"),
                   skr_path_true(node, "spec.unschedulable") ? ",SchedulingDisabled" : "");
    name(cells, node);
    text(cells, status);
    node_roles(cells, node);
    age(cells, node, now);
    text(cells, skr_path_text(node, "status.nodeInfo.kubeletVersion"));
    or_none(cells, address_of(node, "InternalIP"));
    or_none(cells, address_of(node, "ExternalIP"));
    const char *architecture = skr_path_text(node, "status.nodeInfo.architecture");
    const char *kernel = known(node, "status.nodeInfo.kernelVersion");
    text(cells, known(node, "status.nodeInfo.osImage"));
    if (*architecture != '\0') {
        json_array_append_new(cells, json_sprintf("%s (%s)", kernel, architecture));
    } else {
        text(cells, kernel);
    }
    text(cells, known(node, "status.nodeInfo.containerRuntimeVersion"));
}

/* ---- workloads ---- */

static void containers(json_t *cells, const json_t *object)
{
    const json_t *list = skr_path_get(object, "spec.template.spec.containers");

    joined(cells, list, "name");
    joined(cells, list, "image");
    pairs(cells, skr_path_get(object, "spec.selector.matchLabels"));
}

static const struct skr_table_column job_columns[] = {
    NAME,          COLUMN("Status"),   COLUMN("Completions"), COLUMN("Duration"),
    COLUMN("Age"), WIDE("Containers"), WIDE("Images"),        WIDE("Selector")};

static bool has_condition(const json_t *object, const char *type)
{
    const json_t *c = skr_path_find(skr_path_get(object, "status.conditions"), "type", type);
    return strcmp(skr_path_text(c, "status"), "True") == 0;
}

static const char *job_status(const json_t *job)
{
    static const struct {
        const char *condition, *status;
    } table[] = {{"Complete", "Complete"},
                 {"Failed", "Failed"},
                 {"Suspended", "Suspended"},
                 {"FailureTarget", "FailureTarget"},
                 {"SuccessCriteriaMet", "SuccessCriteriaMet"}};

    if (skr_path_get(job, "metadata.deletionTimestamp")) {
        return "Terminating";
    }
    for (size_t i = 0; i < COUNT(table); i++) {
        if (has_condition(job, table[i].condition)) {
            return table[i].status;
        }
    }
    return "Running";
}

static void print_job(json_t *cells, const json_t *job, skr_time now)
{
    const int64_t succeeded = skr_path_int(job, "status.succeeded", 0);
    const skr_time start = time_at(job, "status.startTime");
    const skr_time end = time_at(job, "status.completionTime");
    char completions[64];

    name(cells, job);
    text(cells, job_status(job));
    if (skr_path_get(job, "spec.completions")) {
        share(cells, succeeded, skr_path_int(job, "spec.completions", 0));
    } else {
        (void)snprintf(completions, sizeof completions, "%lld/1 of %lld", (long long)succeeded,
                       (long long)skr_path_int(job, "spec.parallelism", 0));
        text(cells, completions);
    }
    if (start == 0) {
        text(cells, "");
    } else {
        since(cells, start, end != 0 ? end : now);
    }
    age(cells, job, now);
    containers(cells, job);
}

static const struct skr_table_column deployment_columns[] = {
    NAME,          COLUMN("Ready"),    NUMBER("Up-to-date"), NUMBER("Available"),
    COLUMN("Age"), WIDE("Containers"), WIDE("Images"),       WIDE("Selector")};

static void print_deployment(json_t *cells, const json_t *d, skr_time now)
{
    name(cells, d);
    share(cells, skr_path_int(d, "status.readyReplicas", 0), skr_path_int(d, "spec.replicas", 0));
    number(cells, skr_path_int(d, "status.updatedReplicas", 0));
    number(cells, skr_path_int(d, "status.availableReplicas", 0));
    age(cells, d, now);
    containers(cells, d);
}

static const struct skr_table_column replica_set_columns[] = {
    NAME,          NUMBER("Desired"),  NUMBER("Current"), NUMBER("Ready"),
    COLUMN("Age"), WIDE("Containers"), WIDE("Images"),    WIDE("Selector")};

static void print_replica_set(json_t *cells, const json_t *r, skr_time now)
{
    name(cells, r);
    number(cells, skr_path_int(r, "spec.replicas", 0));
    number(cells, skr_path_int(r, "status.replicas", 0));
    number(cells, skr_path_int(r, "status.readyReplicas", 0));
    age(cells, r, now);
    containers(cells, r);
}

static const struct skr_table_column stateful_set_columns[] = {NAME, COLUMN("Ready"), COLUMN("Age"),
                                                               WIDE("Containers"), WIDE("Images")};

static void print_stateful_set(json_t *cells, const json_t *s, skr_time now)
{
    const json_t *list = skr_path_get(s, "spec.template.spec.containers");

    name(cells, s);
    share(cells, skr_path_int(s, "status.readyReplicas", 0), skr_path_int(s, "spec.replicas", 0));
    age(cells, s, now);
    joined(cells, list, "name");
    joined(cells, list, "image");
}

static const struct skr_table_column daemon_set_columns[] = {NAME,
                                                             NUMBER("Desired"),
                                                             NUMBER("Current"),
                                                             NUMBER("Ready"),
                                                             NUMBER("Up-to-date"),
                                                             NUMBER("Available"),
                                                             COLUMN("Node Selector"),
                                                             COLUMN("Age"),
                                                             WIDE("Containers"),
                                                             WIDE("Images"),
                                                             WIDE("Selector")};

static void print_daemon_set(json_t *cells, const json_t *d, skr_time now)
{
    name(cells, d);
    number(cells, skr_path_int(d, "status.desiredNumberScheduled", 0));
    number(cells, skr_path_int(d, "status.currentNumberScheduled", 0));
    number(cells, skr_path_int(d, "status.numberReady", 0));
    number(cells, skr_path_int(d, "status.updatedNumberScheduled", 0));
    number(cells, skr_path_int(d, "status.numberAvailable", 0));
    pairs(cells, skr_path_get(d, "spec.template.spec.nodeSelector"));
    age(cells, d, now);
    containers(cells, d);
}

/* ---- events ---- */

static const struct skr_table_column event_columns[] = {
    COLUMN("Last Seen"), COLUMN("Type"),
    COLUMN("Reason"),    COLUMN("Object"),
    WIDE("Subobject"),   WIDE("Source"),
    COLUMN("Message"),   WIDE("First Seen"),
    WIDE("Count"),       {"Name", "string", "name", 1}};

static const char *first_of(const json_t *event, const char *a, const char *b)
{
    const char *value = skr_path_text(event, a);
    return *value != '\0' ? value : skr_path_text(event, b);
}

/* In either shape. */
static void print_event(json_t *cells, const json_t *event, skr_time now)
{
    const bool core = json_object_get(event, "involvedObject");
    const json_t *about = json_object_get(event, core ? "involvedObject" : "regarding");
    skr_time first = time_at(event, core ? "firstTimestamp" : "deprecatedFirstTimestamp");
    skr_time last = time_at(event, "series.lastObservedTime");
    char object[600], count[24], kind[128];

    first = first != 0 ? first : time_at(event, "eventTime");
    last = last != 0 ? last : time_at(event, core ? "lastTimestamp" : "deprecatedLastTimestamp");
    last = last != 0 ? last : first;
    (void)snprintf(kind, sizeof kind, "%s", skr_path_text(about, "kind"));
    for (char *c = kind; *c != '\0'; c++) {
        *c = (char)(*c >= 'A' && *c <= 'Z' ? *c - 'A' + 'a' : *c);
    }
    (void)snprintf(object, sizeof object, "%s/%s", kind, skr_path_text(about, "name"));
    since(cells, last, now);
    text(cells, skr_path_text(event, "type"));
    text(cells, skr_path_text(event, "reason"));
    text(cells, object);
    text(cells, skr_path_text(about, "fieldPath"));
    text(cells, core ? first_of(event, "source.component", "reportingComponent")
                     : first_of(event, "deprecatedSource.component", "reportingController"));
    text(cells, first_of(event, "message", "note"));
    since(cells, first, now);
    const int64_t n = skr_path_int(event, core ? "count" : "deprecatedCount",
                                   skr_path_int(event, "series.count", 1));
    (void)snprintf(count, sizeof count, "%lld", (long long)n);
    text(cells, count);
    name(cells, event);
}

/* ---- the rest ---- */

static const struct skr_table_column map_columns[] = {NAME, NUMBER("Data"), COLUMN("Age")};

static void print_map(json_t *cells, const json_t *map, skr_time now)
{
    name(cells, map);
    number(cells, (int64_t)(json_object_size(json_object_get(map, "data")) +
                            json_object_size(json_object_get(map, "binaryData"))));
    age(cells, map, now);
}

static const struct skr_table_column secret_columns[] = {NAME, COLUMN("Type"), NUMBER("Data"),
                                                         COLUMN("Age")};

static void print_secret(json_t *cells, const json_t *secret, skr_time now)
{
    name(cells, secret);
    text(cells, skr_path_text(secret, "type"));
    number(cells, (int64_t)json_object_size(json_object_get(secret, "data")));
    age(cells, secret, now);
}

static const struct skr_table_column namespace_columns[] = {NAME, COLUMN("Status"), COLUMN("Age")};

static void print_namespace(json_t *cells, const json_t *namespace_, skr_time now)
{
    name(cells, namespace_);
    text(cells, skr_path_text(namespace_, "status.phase"));
    age(cells, namespace_, now);
}

static const struct skr_table_column budget_columns[] = {
    NAME, COLUMN("Min Available"), COLUMN("Max Unavailable"), NUMBER("Allowed Disruptions"),
    COLUMN("Age")};

static void print_budget(json_t *cells, const json_t *budget, skr_time now)
{
    static const char *const limits[] = {"spec.minAvailable", "spec.maxUnavailable"};
    char scratch[24];

    name(cells, budget);
    for (size_t i = 0; i < 2; i++) {
        const char *value = skr_path_scalar(budget, limits[i], scratch);
        text(cells, *value != '\0' ? value : "N/A");
    }
    number(cells, skr_path_int(budget, "status.disruptionsAllowed", 0));
    age(cells, budget, now);
}

static const struct skr_table_column class_columns[] = {
    NAME, NUMBER("Value"), COLUMN("Global-Default"), COLUMN("Age"), COLUMN("PreemptionPolicy")};

static void print_class(json_t *cells, const json_t *class, skr_time now)
{
    name(cells, class);
    number(cells, skr_path_int(class, "value", 0));
    json_array_append_new(cells, json_boolean(skr_path_true(class, "globalDefault")));
    age(cells, class, now);
    text(cells, skr_path_text(class, "preemptionPolicy"));
}

static const struct skr_table_column lease_columns[] = {NAME, COLUMN("Holder"), COLUMN("Age")};

static void print_lease(json_t *cells, const json_t *lease, skr_time now)
{
    name(cells, lease);
    text(cells, skr_path_text(lease, "spec.holderIdentity"));
    age(cells, lease, now);
}

static const struct skr_table_column group_columns[] = {NAME,
                                                        COLUMN("Phase"),
                                                        NUMBER("MinMember"),
                                                        NUMBER("Running"),
                                                        NUMBER("Succeeded"),
                                                        NUMBER("Failed"),
                                                        COLUMN("Age")};

static void print_group(json_t *cells, const json_t *group, skr_time now)
{
    name(cells, group);
    text(cells, skr_path_text(group, "status.phase"));
    number(cells, skr_path_int(group, "spec.minMember", 0));
    number(cells, skr_path_int(group, "status.running", 0));
    number(cells, skr_path_int(group, "status.succeeded", 0));
    number(cells, skr_path_int(group, "status.failed", 0));
    age(cells, group, now);
}

static const struct skr_table_column service_columns[] = {
    NAME,          COLUMN("Type"),  COLUMN("Cluster-IP"), COLUMN("External-IP"), COLUMN("Port(s)"),
    COLUMN("Age"), WIDE("Selector")};

static void print_service(json_t *cells, const json_t *service, skr_time now)
{
    const json_t *ports = skr_path_get(service, "spec.ports");
    struct skr_strbuf b;

    skr_strbuf_init(&b);
    for (size_t i = 0; i < json_array_size(ports); i++) {
        const json_t *port = json_array_get(ports, i);
        skr_strbuf_addf(&b, "%s%lld/%s", i > 0 ? "," : "", (long long)skr_path_int(port, "port", 0),
                        skr_path_text(port, "protocol"));
    }
    name(cells, service);
    text(cells, skr_path_text(service, "spec.type"));
    or_none(cells, skr_path_text(service, "spec.clusterIP"));
    or_none(cells, "");
    take(cells, &b);
    age(cells, service, now);
    pairs(cells, skr_path_get(service, "spec.selector"));
}

static const struct skr_table_column plain_columns[] = {NAME, COLUMN("Age")};

static void print_plain(json_t *cells, const json_t *object, skr_time now)
{
    name(cells, object);
    age(cells, object, now);
}

const struct skr_table_printer *skr_table_printer_of(const char *kind)
{
    static const struct skr_table_printer printers[] = {
        PRINTER("ConfigMap", map_columns, print_map),
        PRINTER("DaemonSet", daemon_set_columns, print_daemon_set),
        PRINTER("Deployment", deployment_columns, print_deployment),
        PRINTER("Event", event_columns, print_event),
        PRINTER("Job", job_columns, print_job),
        PRINTER("Lease", lease_columns, print_lease),
        PRINTER("Namespace", namespace_columns, print_namespace),
        PRINTER("Node", node_columns, print_node),
        PRINTER("Pod", pod_columns, print_pod),
        PRINTER("PodDisruptionBudget", budget_columns, print_budget),
        PRINTER("PodGroup", group_columns, print_group),
        PRINTER("PriorityClass", class_columns, print_class),
        PRINTER("ReplicaSet", replica_set_columns, print_replica_set),
        PRINTER("Secret", secret_columns, print_secret),
        PRINTER("Service", service_columns, print_service),
        PRINTER("StatefulSet", stateful_set_columns, print_stateful_set),
    };
    static const struct skr_table_printer plain = PRINTER(NULL, plain_columns, print_plain);

    for (size_t i = 0; i < COUNT(printers); i++) {
        if (strcmp(printers[i].kind, kind) == 0) {
            return &printers[i];
        }
    }
    return &plain;
}
