/* SPDX-License-Identifier: Apache-2.0 */
/* Requests of the daemon, answered from the table of objects as kube-apiserver would. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test/integration/cluster.h"
#include "topology/base/arena.h"
#include "topology/base/strbuf.h"

enum { SEGMENTS_MAX = 8, TARGET_MAX = 4096 };

struct request {
    char method[16];
    char target[TARGET_MAX];
    char path[TARGET_MAX];
    char *segment[SEGMENTS_MAX]; /* of path, below the API group and version */
    size_t n_segments;
    bool is_core, is_events, is_groups, is_leases;
    const char *headers;
    const char *body;
};

static struct fake_reply say(int status, const char *reason, const char *message)
{
    json_t *json = json_pack("{s:s,s:s,s:s,s:s,s:s,s:i}", "kind", "Status", "apiVersion", "v1",
                             "status", status < 300 ? "Success" : "Failure", "reason", reason,
                             "message", message, "code", status);
    struct fake_reply reply = {.status = status, .body = json_dumps(json, JSON_COMPACT)};
    json_decref(json);
    return reply;
}

static struct fake_reply say_refused(int status)
{
    static const struct {
        int status;
        const char *reason;
        const char *message;
    } row[] = {
        {400, "BadRequest", "the body is no such object"},
        {404, "NotFound", "the object is not there"},
        {409, "Conflict", "the object has been modified"},
        {415, "UnsupportedMediaType", "the content type is not supported"},
        {422, "Invalid", "a field is invalid"},
    };
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        if (row[i].status == status) {
            return say(status, row[i].reason, row[i].message);
        }
    }
    return say(status, "", "");
}

/* ---- taking the request apart ---- */

static bool has_header(const struct request *r, const char *line)
{
    const char *found = strcasestr(r->headers, line);
    return found && found < r->body;
}

static void split(struct request *r)
{
    static const char *const prefix[] = {"/api/v1/", "/apis/events.k8s.io/v1/",
                                         "/apis/scheduling.x-k8s.io/v1alpha1/",
                                         "/apis/coordination.k8s.io/v1/"};
    char *rest = NULL;
    for (size_t i = 0; i < 4 && !rest; i++) {
        size_t n = strlen(prefix[i]);
        if (strncmp(r->path, prefix[i], n) != 0) {
            continue;
        }
        r->is_core = i == 0;
        r->is_events = i == 1;
        r->is_groups = i == 2;
        r->is_leases = i == 3;
        rest = r->path + n;
    }
    char *save = NULL;
    for (char *s = rest ? strtok_r(rest, "/", &save) : NULL; s && r->n_segments < SEGMENTS_MAX;
         s = strtok_r(NULL, "/", &save)) {
        r->segment[r->n_segments++] = s;
    }
}

static void read_request(struct request *r, const char *text)
{
    *r = (struct request){0};
    (void)sscanf(text, "%15s %4095s", r->method, r->target);
    r->headers = text;
    const char *body = strstr(text, "\n\n");
    r->body = body ? body + 2 : "";
    snprintf(r->path, sizeof r->path, "%.*s", (int)strcspn(r->target, "?"), r->target);
    split(r);
}

static bool kind_of_plural(const struct request *r, const char *plural, enum skr_demo_kind *ret)
{
    static const char *const plurals[] = {"nodes", "pods", "configmaps", "podgroups"};
    for (int i = 0; i < SKR_DEMO_KIND_COUNT; i++) {
        if (strcmp(plurals[i], plural) == 0 && r->is_groups == (i == SKR_DEMO_PODGROUP)) {
            *ret = (enum skr_demo_kind)i;
            return r->is_core || r->is_groups;
        }
    }
    return false;
}

/* ---- reads ---- */

static size_t number_of(const char *target, const char *key)
{
    const char *found = strstr(target, key);
    return found ? strtoul(found + strlen(key), NULL, 10) : 0;
}

static struct fake_reply list(struct cluster *c, const struct request *r, enum skr_demo_kind kind)
{
    size_t limit = number_of(r->target, "limit="), at = number_of(r->target, "continue=");
    char version[24], next[24] = "";
    json_t *items = json_array();
    json_t *object;
    if (c->page > 0 && (limit == 0 || c->page < limit)) {
        limit = c->page;
    }
    for (; (object = skr_demo_objects_at(c->objects, kind, at)); at++) {
        if (limit > 0 && json_array_size(items) == limit) {
            snprintf(next, sizeof next, "%zu", at);
            break;
        }
        const json_t *labels = json_object_get(json_object_get(object, "metadata"), "labels");
        if (cluster_selects(r->target, labels)) {
            json_array_append(items, object);
        }
    }
    snprintf(version, sizeof version, "%llu", (unsigned long long)(c->version ? c->version : 1));
    json_t *json =
        json_pack("{s:s,s:s,s:{s:s,s:s},s:o}", "kind", "List", "apiVersion", "v1", "metadata",
                  "resourceVersion", version, "continue", next, "items", items);
    struct fake_reply reply = {.status = 200, .body = json_dumps(json, JSON_COMPACT)};
    json_decref(json);
    return reply;
}

static struct fake_reply read_all(struct cluster *c, const struct request *r)
{
    enum skr_demo_kind kind;
    if (!kind_of_plural(r, r->segment[0], &kind) ||
        (kind == SKR_DEMO_PODGROUP && c->no_podgroups)) {
        return say(404, "NotFound", "the server could not find the requested resource");
    }
    return strstr(r->target, "watch=true") ? cluster_watch(c, r->target, kind) : list(c, r, kind);
}

/* The object, or its metadata where that is what was asked for. */
static struct fake_reply show(struct cluster *c, const struct request *r, int status,
                              enum skr_demo_kind kind, const char *namespace_, const char *name)
{
    json_t *object = skr_demo_objects_get(c->objects, kind, namespace_, name);
    if (!has_header(r, "as=PartialObjectMetadata")) {
        return (struct fake_reply){.status = status, .body = json_dumps(object, JSON_COMPACT)};
    }
    json_t *json = json_pack("{s:s,s:s,s:O}", "kind", "PartialObjectMetadata", "apiVersion",
                             "meta.k8s.io/v1", "metadata", json_object_get(object, "metadata"));
    struct fake_reply reply = {.status = status, .body = json_dumps(json, JSON_COMPACT)};
    json_decref(json);
    return reply;
}

/* ---- writes ---- */

static void count(struct cluster *c, enum skr_write_kind kind, int status, const char *name)
{
    if (status >= 300) {
        c->n_refused[kind]++;
        return;
    }
    c->n_writes[kind]++;
    if (c->on_write && kind < SKR_WRITE_GET_POD) {
        c->on_write(c->on_write_context, kind, name);
    }
}

/* What a path may change: metadata alone and the status, or all but the status. */
static void keep_what_counts(enum skr_demo_kind kind, bool is_status, json_t *body)
{
    if (kind == SKR_DEMO_POD && is_status) {
        json_object_del(body, "spec");
    } else if (kind == SKR_DEMO_POD) {
        json_object_del(body, "status");
    }
}

/* A pod's spec cannot be changed but for gates, which can only go. */
static bool spec_is_fine(const json_t *body)
{
    const json_t *spec = json_object_get(body, "spec");
    size_t n = json_object_get(spec, "schedulingGates") ? 1 : 0;
    return json_object_size(spec) == n;
}

static struct fake_reply patch(struct cluster *c, const struct request *r, enum skr_demo_kind kind,
                               const char *namespace_, const char *name, const char *sub)
{
    static const enum skr_write_kind plain[] = {SKR_WRITE_KIND_COUNT, SKR_WRITE_PATCH_POD,
                                                SKR_WRITE_PATCH_CONFIGMAP,
                                                SKR_WRITE_PATCH_PODGROUP};
    bool is_status = strcmp(sub, "status") == 0;
    bool strategic = has_header(r, "\nContent-Type: application/strategic-merge-patch+json");
    bool merge = has_header(r, "\nContent-Type: application/merge-patch+json");
    enum skr_write_kind write = strategic ? SKR_WRITE_UNGATE_POD : plain[kind];
    write = is_status ? SKR_WRITE_PATCH_POD_STATUS : write;
    json_t *body = json_loads(r->body, 0, NULL);
    int status = 200;
    if ((sub[0] && !is_status) || (strategic && kind != SKR_DEMO_POD) || (!merge && !strategic)) {
        status = 415;
    } else if (!json_is_object(body)) {
        status = 400;
    } else if (kind == SKR_DEMO_POD && !is_status && !spec_is_fine(body)) {
        status = 422;
    }
    if (status != 200) {
        json_decref(body);
        cluster_violate(c, "%s %s was answered %d: %.100s", r->method, r->target, status, r->body);
        return say_refused(status);
    }
    keep_what_counts(kind, is_status, body);
    json_t *object = skr_demo_objects_get(c->objects, kind, namespace_, name);
    json_t *labels = cluster_labels_of(object);
    if (object) {
        cluster_guard_patch(c, write, namespace_, name, body);
    }
    status = strategic ? skr_demo_objects_patch_gates(c->objects, namespace_, name, body)
                       : skr_demo_objects_patch(c->objects, kind, namespace_, name, body);
    struct fake_reply reply = {0};
    if (status == 200) {
        cluster_guard_applied(c, write, namespace_, name, body);
        cluster_tell(c, kind, namespace_, name, labels);
        reply = show(c, r, 200, kind, namespace_, name);
    } else {
        json_decref(labels);
        reply = say_refused(status);
    }
    count(c, write, status, name);
    json_decref(body);
    return reply;
}

static struct fake_reply bind_pod(struct cluster *c, const struct request *r,
                                  const char *namespace_, const char *name)
{
    json_t *body = json_loads(r->body, 0, NULL);
    json_t *object = skr_demo_objects_get(c->objects, SKR_DEMO_POD, namespace_, name);
    json_t *labels = cluster_labels_of(object);
    if (!c->bindings_carry_labels) {
        json_object_del(json_object_get(body, "metadata"), "labels");
    }
    int status = skr_demo_objects_bind(c->objects, namespace_, name, body);
    if (status == 201) {
        cluster_guard_applied(c, SKR_WRITE_BINDING, namespace_, name, body);
        cluster_tell(c, SKR_DEMO_POD, namespace_, name, labels);
    } else {
        json_decref(labels);
    }
    count(c, SKR_WRITE_BINDING, status, name);
    json_decref(body);
    return status == 201 ? say(201, "", "") : say_refused(status);
}

static bool is_text(const json_t *object, const char *key, size_t max)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text && text[0] && strlen(text) <= max;
}

/* As ValidateEvent of events.k8s.io/v1 (pkg/apis/core/validation/events.go). */
static const char *defect_of_event(const json_t *event, const char *namespace_)
{
    const char *type = skr_demo_text(event, "type");
    const char *of = skr_demo_text(event, "regarding.namespace");
    if (strcmp(skr_demo_text(event, "metadata.namespace"), namespace_) != 0) {
        return "metadata.namespace";
    }
    if (!is_text(json_object_get(event, "metadata"), "name", 253) &&
        !is_text(json_object_get(event, "metadata"), "generateName", 200)) {
        return "metadata.name";
    }
    if (strcmp(of, namespace_) != 0 && (of[0] || strcmp(namespace_, "default") != 0)) {
        return "regarding.namespace";
    }
    if (!is_text(event, "eventTime", 64)) {
        return "eventTime";
    }
    if (!is_text(event, "reportingController", 253)) {
        return "reportingController";
    }
    if (!is_text(event, "reportingInstance", 128)) {
        return "reportingInstance";
    }
    if (!is_text(event, "action", 128) || !is_text(event, "reason", 128)) {
        return "action, reason";
    }
    if (strcmp(type, "Normal") != 0 && strcmp(type, "Warning") != 0) {
        return "type";
    }
    return strlen(skr_demo_text(event, "note")) <= 1024 ? NULL : "note";
}

static struct fake_reply create_event(struct cluster *c, const struct request *r)
{
    json_t *event = json_loads(r->body, 0, NULL);
    const char *defect = defect_of_event(event, r->segment[1]);
    struct fake_reply reply;
    if (defect) {
        cluster_violate(c, "an Event with a bad %s: %.150s", defect, r->body);
        reply = say(422, "Invalid", defect);
    } else {
        json_array_append_new(c->events, json_string(skr_demo_text(event, "reason")));
        reply = (struct fake_reply){.status = 201, .body = json_dumps(event, JSON_COMPACT)};
    }
    count(c, SKR_WRITE_CREATE_EVENT, reply.status, "");
    json_decref(event);
    return reply;
}

static struct fake_reply remove_pod(struct cluster *c, const struct request *r,
                                    enum skr_write_kind kind)
{
    const char *namespace_ = r->segment[1], *name = r->segment[3];
    const json_t *pod = skr_demo_objects_get(c->objects, SKR_DEMO_POD, namespace_, name);
    json_t *body = json_loads(r->body, 0, NULL);
    const json_t *options = kind == SKR_WRITE_EVICT ? json_object_get(body, "deleteOptions") : body;
    const char *uid = skr_demo_text(options, "preconditions.uid");
    int status = !pod ? 404 : strcmp(uid, skr_demo_text(pod, "metadata.uid")) != 0 ? 409 : 200;
    json_decref(body);
    if (status == 200) {
        cluster_delete_locked(c, SKR_DEMO_POD, namespace_, name);
    }
    count(c, kind, status, name);
    return status == 200 ? say(200, "", "") : say_refused(status);
}

/* ---- routes ---- */

/* namespaces/NS/PLURAL/NAME[/SUB] */
static struct fake_reply one(struct cluster *c, const struct request *r)
{
    static const enum skr_write_kind get[] = {SKR_WRITE_KIND_COUNT, SKR_WRITE_GET_POD,
                                              SKR_WRITE_GET_CONFIGMAP, SKR_WRITE_GET_PODGROUP};
    enum skr_demo_kind kind;
    const char *namespace_ = r->segment[1], *name = r->segment[3];
    const char *sub = r->n_segments > 4 ? r->segment[4] : "";
    if (!kind_of_plural(r, r->segment[2], &kind) || kind == SKR_DEMO_NODE) {
        return say_refused(404);
    }
    if (strcmp(r->method, "PATCH") == 0) {
        return patch(c, r, kind, namespace_, name, sub);
    }
    bool pod = kind == SKR_DEMO_POD, post = strcmp(r->method, "POST") == 0;
    if (pod && post && strcmp(sub, "binding") == 0) {
        return bind_pod(c, r, namespace_, name);
    }
    if (pod && post && strcmp(sub, "eviction") == 0) {
        return remove_pod(c, r, SKR_WRITE_EVICT);
    }
    if (pod && strcmp(r->method, "DELETE") == 0) {
        return remove_pod(c, r, SKR_WRITE_DELETE_POD);
    }
    if (strcmp(r->method, "GET") != 0 || sub[0]) {
        return say_refused(404);
    }
    bool there = skr_demo_objects_get(c->objects, kind, namespace_, name);
    count(c, get[kind], there ? 200 : 404, name);
    return there ? show(c, r, 200, kind, namespace_, name) : say_refused(404);
}

/* namespaces/NS/leases[/NAME]; of one namespace. */
static struct fake_reply lease(struct cluster *c, const struct request *r)
{
    json_t *body = json_loads(r->body, 0, NULL);
    const json_t *metadata = json_object_get(body, "metadata");
    const char *name =
        r->n_segments > 3 ? r->segment[3] : json_string_value(json_object_get(metadata, "name"));
    const char *version = json_string_value(json_object_get(metadata, "resourceVersion"));
    json_t *old = json_object_get(c->leases, name ? name : "");
    const char *held =
        json_string_value(json_object_get(json_object_get(old, "metadata"), "resourceVersion"));
    const bool post = strcmp(r->method, "POST") == 0;
    const bool put = strcmp(r->method, "PUT") == 0;
    int status = (post || put) && !body ? 400 : !post && !old ? 404 : post && old ? 409 : 200;
    if (status == 200 && put && version && strcmp(version, held) != 0) {
        status = 409;
    }
    if (status == 200 && (post || put)) {
        char text[24];
        (void)snprintf(text, sizeof text, "%" PRIu64, ++c->version);
        json_object_set_new(json_object_get(body, "metadata"), "resourceVersion",
                            json_string(text));
        json_object_set(c->leases, name, body);
    }
    struct fake_reply reply =
        status == 200 ? (struct fake_reply){.status = 200,
                                            .body = json_dumps(json_object_get(c->leases, name),
                                                               JSON_COMPACT)}
                      : say_refused(status);
    json_decref(body);
    return reply;
}

static struct fake_reply route(struct cluster *c, const struct request *r)
{
    if (strcmp(r->target, "/version") == 0) {
        return (struct fake_reply){.status = 200,
                                   .body = skr_strdup("{\"gitVersion\":\"v1.36.3\"}")};
    }
    if (strstr(r->target, "/selfsubjectaccessreviews")) {
        bool denied = c->denied[0] && strstr(r->body, c->denied);
        return (struct fake_reply){.status = 201,
                                   .body = skr_strdup(denied ? "{\"status\":{\"allowed\":false}}"
                                                             : "{\"status\":{\"allowed\":true}}")};
    }
    bool namespaced = r->n_segments > 2 && strcmp(r->segment[0], "namespaces") == 0;
    if (r->n_segments == 1 && strcmp(r->method, "GET") == 0) {
        return read_all(c, r);
    }
    if (r->is_events && namespaced && r->n_segments == 3 && strcmp(r->method, "POST") == 0) {
        return create_event(c, r);
    }
    if (r->is_leases && namespaced) {
        return lease(c, r);
    }
    if (namespaced && r->n_segments >= 4) {
        return one(c, r);
    }
    cluster_violate(c, "there is no %s %s", r->method, r->target);
    return say_refused(404);
}

struct fake_reply cluster_respond(void *context, const char *text)
{
    struct cluster *c = context;
    struct request *r = skr_alloc(sizeof *r);
    char wanted[256];
    struct fake_reply reply;
    read_request(r, text);
    snprintf(wanted, sizeof wanted, "\nAuthorization: Bearer %s\n", c->token);
    if (c->token[0] && !has_header(r, wanted)) {
        c->n_unauthorized++;
        reply = say(401, "Unauthorized", "Unauthorized");
    } else {
        reply = route(c, r);
    }
    free(r);
    return reply;
}
