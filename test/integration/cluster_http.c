/* SPDX-License-Identifier: Apache-2.0 */
/* Requests of the daemon, carried out by the sandbox's store under the eyes of the guard. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/model/status.h"
#include "server/object/path.h"
#include "test/integration/cluster.h"
#include "topology/base/arena.h"

enum { TARGET_MAX = 4096 };

struct request {
    char method[16];
    char target[TARGET_MAX];
    struct cluster_query query;
    const char *headers;
    json_t *body; /* NULL: none, or no JSON */
    bool has_body;
};

/* ---- taking the request apart ---- */

static bool has_header(const struct request *r, const char *line)
{
    const char *end = strstr(r->headers, "\n\n");
    const char *found = strcasestr(r->headers, line);
    return found && (!end || found < end);
}

/* %XX and + of a parameter's value, in place. */
static void unescape(char *text)
{
    char *to = text;
    for (const char *from = text; *from; from++) {
        unsigned code = 0;
        if (*from == '%' && sscanf(from + 1, "%2x", &code) == 1) {
            *to++ = (char)code;
            from += 2;
        } else {
            *to++ = *from == '+' ? ' ' : *from;
        }
    }
    *to = '\0';
}

bool cluster_query_read(struct cluster_query *query, const char *target)
{
    *query = (struct cluster_query){
        .label_selector = "", .field_selector = "", .continue_ = "", .version = ""};
    snprintf(query->text, sizeof query->text, "%s", target);
    char *rest = query->text, *path = strsep(&rest, "?");
    for (char *value; rest && *rest;) {
        char *key = strsep(&rest, "&");
        value = key + strcspn(key, "=");
        if (*value) {
            *value++ = '\0';
        }
        unescape(value);
        if (strcmp(key, "labelSelector") == 0) {
            query->label_selector = value;
        } else if (strcmp(key, "fieldSelector") == 0) {
            query->field_selector = value;
        } else if (strcmp(key, "continue") == 0) {
            query->continue_ = value;
        } else if (strcmp(key, "limit") == 0) {
            query->limit = strtoll(value, NULL, 10);
        } else if (strcmp(key, "watch") == 0) {
            query->watch = strcmp(value, "true") == 0 || strcmp(value, "1") == 0;
        } else if (strcmp(key, "resourceVersion") == 0) {
            query->version = value;
        }
    }
    return skr_route_parse(path, &query->route);
}

static bool read_request(struct request *r, const char *text)
{
    *r = (struct request){.headers = text};
    (void)sscanf(text, "%15s %4095s", r->method, r->target);
    const char *body = strstr(text, "\n\n");
    r->has_body = body && body[2];
    r->body = r->has_body ? json_loads(body + 2, 0, NULL) : NULL;
    return cluster_query_read(&r->query, r->target);
}

/* false: the content type is none that the method takes. */
static bool verb_of(const struct request *r, enum skr_store_verb *ret)
{
    const bool named = r->query.route.name[0];
    if (strcmp(r->method, "GET") == 0) {
        *ret = named ? SKR_STORE_GET : SKR_STORE_LIST;
        return true;
    }
    if (strcmp(r->method, "PATCH") == 0) {
        bool strategic = has_header(r, "\nContent-Type: application/strategic-merge-patch+json");
        *ret = strategic ? SKR_STORE_PATCH_STRATEGIC : SKR_STORE_PATCH_MERGE;
        return strategic || has_header(r, "\nContent-Type: application/merge-patch+json");
    }
    *ret = strcmp(r->method, "POST") == 0  ? SKR_STORE_CREATE
           : strcmp(r->method, "PUT") == 0 ? SKR_STORE_UPDATE
                                           : SKR_STORE_DELETE;
    return !r->has_body || has_header(r, "\nContent-Type: application/json");
}

/* ---- which write of the daemon it is ---- */

static enum skr_write_kind patch_of(const char *kind, const char *sub, enum skr_store_verb verb)
{
    if (strcmp(kind, "Pod") == 0) {
        const bool strategic = verb == SKR_STORE_PATCH_STRATEGIC;
        return strcmp(sub, "status") == 0
                   ? strategic ? SKR_WRITE_MARK_POD : SKR_WRITE_PATCH_POD_STATUS
               : strategic ? SKR_WRITE_UNGATE_POD
                           : SKR_WRITE_PATCH_POD;
    }
    return strcmp(kind, "ConfigMap") == 0  ? SKR_WRITE_PATCH_CONFIGMAP
           : strcmp(kind, "PodGroup") == 0 ? SKR_WRITE_PATCH_PODGROUP
                                           : SKR_WRITE_KIND_COUNT;
}

/* SKR_WRITE_KIND_COUNT: none that is counted. */
static enum skr_write_kind kind_of(const struct skr_route *route, enum skr_store_verb verb)
{
    static const struct {
        enum skr_store_verb verb;
        const char *kind, *sub;
        enum skr_write_kind write;
    } row[] = {
        {SKR_STORE_CREATE, "Pod", "binding", SKR_WRITE_BINDING},
        {SKR_STORE_CREATE, "Pod", "eviction", SKR_WRITE_EVICT},
        {SKR_STORE_CREATE, "Event", "", SKR_WRITE_CREATE_EVENT},
        {SKR_STORE_DELETE, "Pod", "", SKR_WRITE_DELETE_POD},
        {SKR_STORE_GET, "Pod", "", SKR_WRITE_GET_POD},
        {SKR_STORE_GET, "ConfigMap", "", SKR_WRITE_GET_CONFIGMAP},
        {SKR_STORE_GET, "PodGroup", "", SKR_WRITE_GET_PODGROUP},
    };
    const char *kind = route->resource->kind;
    if (verb == SKR_STORE_PATCH_MERGE || verb == SKR_STORE_PATCH_STRATEGIC) {
        return patch_of(kind, route->subresource, verb);
    }
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        if (row[i].verb == verb && strcmp(row[i].kind, kind) == 0 &&
            strcmp(row[i].sub, route->subresource) == 0) {
            return row[i].write;
        }
    }
    return SKR_WRITE_KIND_COUNT;
}

/* ---- carrying it out ---- */

/* Requests that no daemon may ever send: they are answered, and fail the test. */
static void judge_request(struct cluster *c, const struct request *r, enum skr_write_kind write,
                          int status)
{
    const bool patch = write < SKR_WRITE_KIND_COUNT && strcmp(r->method, "PATCH") == 0;
    if ((patch && (status == 400 || status == 415 || status == 422) &&
         !skr_path_get(r->body, "metadata.uid")) ||
        (write == SKR_WRITE_CREATE_EVENT && status == 422)) {
        cluster_violate(c, "%s %s was answered %d: %.150s", r->method, r->target, status,
                        strstr(r->headers, "\n\n"));
    }
}

static void count(struct cluster *c, enum skr_write_kind write, int status, const char *name)
{
    if (write == SKR_WRITE_KIND_COUNT) {
        return;
    }
    if (status >= 300) {
        c->n_refused[write]++;
        return;
    }
    c->n_writes[write]++;
    if (c->on_write && write < SKR_WRITE_GET_POD) {
        c->on_write(c->on_write_context, write, name);
    }
}

/* There are no kubelets: what is asked to stop has stopped. */
static void finish_deletion(struct cluster *c, const struct skr_route *route)
{
    if (cluster_get(c, "Pod", route->namespace_, route->name)) {
        cluster_delete_locked(c, "Pod", route->namespace_, route->name);
    }
}

static void carry_out(struct cluster *c, const struct request *r, enum skr_store_verb verb,
                      struct skr_store_reply *reply)
{
    const struct skr_route *route = &r->query.route;
    const enum skr_write_kind write = kind_of(route, verb);
    const bool is_write = write < SKR_WRITE_GET_POD;
    int64_t limit = r->query.limit;
    if (c->page > 0 && (limit == 0 || (int64_t)c->page < limit)) {
        limit = (int64_t)c->page;
    }
    if (write == SKR_WRITE_BINDING && !c->bindings_carry_labels) {
        (void)json_object_del(json_object_get(r->body, "metadata"), "labels");
    }
    const struct skr_store_request request = {.verb = verb,
                                              .resource = route->resource,
                                              .namespace_ = route->namespace_,
                                              .name = route->name,
                                              .subresource = route->subresource,
                                              .body = r->body,
                                              .label_selector = r->query.label_selector,
                                              .field_selector = r->query.field_selector,
                                              .limit = verb == SKR_STORE_LIST ? limit : 0,
                                              .continue_ = r->query.continue_};
    if (is_write) {
        cluster_guard_before(c, write, route->namespace_, route->name, r->body);
    }
    skr_store_handle(c->store, &request, cluster_now(), reply);
    judge_request(c, r, write, reply->status);
    if (is_write && reply->status < 300) {
        cluster_guard_applied(c, write, route->namespace_, route->name, r->body);
        if (write == SKR_WRITE_DELETE_POD || write == SKR_WRITE_EVICT) {
            finish_deletion(c, route);
        }
        if (write == SKR_WRITE_CREATE_EVENT) {
            json_array_append_new(c->events, json_string(skr_path_text(r->body, "reason")));
        }
    }
    cluster_tell(c);
    count(c, write, reply->status, route->name);
}

/* The object's metadata alone where that is what was asked for. Takes reply's body. */
static struct fake_reply present(const struct request *r, struct skr_store_reply *reply)
{
    if (reply->status < 300 && has_header(r, "as=PartialObjectMetadata")) {
        json_t *metadata =
            json_pack("{s:s,s:s,s:O}", "kind", "PartialObjectMetadata", "apiVersion",
                      "meta.k8s.io/v1", "metadata", json_object_get(reply->body, "metadata"));
        json_decref(reply->body);
        reply->body = metadata;
    }
    struct fake_reply answer = {.status = reply->status,
                                .body = json_dumps(reply->body, JSON_COMPACT)};
    json_decref(reply->body);
    return answer;
}

/* What is asked beside objects: the version, and what the daemon may do. NULL: neither. */
static json_t *answer_beside(const struct cluster *c, const struct request *r)
{
    if (strcmp(r->target, "/version") == 0) {
        return json_pack("{s:s}", "gitVersion", "v1.36.3");
    }
    if (strstr(r->target, "/selfsubjectaccessreviews")) {
        const char *body = strstr(r->headers, "\n\n");
        const bool denied = c->denied[0] && body && strstr(body, c->denied);
        return json_pack("{s:{s:b}}", "status", "allowed", !denied);
    }
    return NULL;
}

struct fake_reply cluster_respond(void *context, const char *text)
{
    struct cluster *c = context;
    SKR_AUTO_FREE struct request *r = skr_alloc(sizeof *r);
    char wanted[256];
    struct skr_store_reply reply = {0};
    struct fake_reply answer = {0};
    enum skr_store_verb verb = SKR_STORE_GET;
    const bool routed = read_request(r, text);
    const char *kind = routed ? r->query.route.resource->kind : "";
    snprintf(wanted, sizeof wanted, "\nAuthorization: Bearer %s\n", c->token);
    if (c->token[0] && !has_header(r, wanted)) {
        c->n_unauthorized++;
        skr_status_fail(&reply, 401, NULL, NULL, "Unauthorized");
    } else if ((reply.body = answer_beside(c, r))) {
        reply.status = strcmp(r->method, "POST") == 0 ? 201 : 200;
    } else if (!routed || (c->no_podgroups && strcmp(kind, "PodGroup") == 0)) {
        if (!routed) {
            cluster_violate(c, "there is no %s %s", r->method, r->target);
        }
        skr_status_fail(&reply, 404, NULL, NULL,
                        "the server could not find the requested resource");
    } else if (!verb_of(r, &verb)) {
        cluster_violate(c, "%s %s has no content type of the API", r->method, r->target);
        skr_status_fail(&reply, 415, NULL, NULL, "the content type is not supported");
    } else if (r->query.watch) {
        answer = cluster_watch(c, r->target, strtoull(r->query.version, NULL, 10));
    } else {
        carry_out(c, r, verb, &reply);
    }
    if (reply.body) {
        answer = present(r, &reply);
    }
    json_decref(r->body);
    return answer;
}
