/* SPDX-License-Identifier: Apache-2.0 */
/* Parses requests; texts of refusals are kube-apiserver's if it has one. */
#include "server/lab/sandbox/http_request.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "server/lab/sandbox/protobuf.h"
#include "server/lab/store/status.h"

static const char *argument(struct skr_http_request *request, const char *name)
{
    const char *value = skr_http_argument(request, name);
    return value ? value : "";
}

static bool flag(struct skr_http_request *request, const char *name)
{
    const char *value = skr_http_argument(request, name);
    return value && (strcasecmp(value, "true") == 0 || strcmp(value, "1") == 0);
}

/* A number >= 0; absent is 0. */
static bool number(struct skr_http_request *request, const char *name, int64_t *ret,
                   struct skr_store_reply *reply)
{
    const char *text = argument(request, name);
    char *end;
    *ret = 0;
    if (*text == '\0') {
        return true;
    }
    errno = 0;
    *ret = strtoll(text, &end, 10);
    if (*end == '\0' && errno == 0 && *ret >= 0) {
        return true;
    }
    skr_status_fail(reply, 400, NULL, NULL, "strconv.ParseInt: parsing \"%.60s\": invalid syntax",
                    text);
    return false;
}

/* ---- accepted types ---- */

/* Applies one media range of Accept, up to a comma. */
static bool understands(const char *range, size_t n, struct skr_api_request *ret)
{
    char text[256];
    (void)snprintf(text, sizeof text, "%.*s", (int)n, range);
    if (!strstr(text, "application/json") && !strstr(text, "*/*") &&
        !strstr(text, "application/*")) {
        return false;
    }
    ret->shape = strstr(text, "as=Table")                   ? SKR_STREAM_TABLE
                 : strstr(text, "as=PartialObjectMetadata") ? SKR_STREAM_METADATA
                                                            : SKR_STREAM_OBJECT;
    return true;
}

static bool parse_accept(struct skr_http_request *request, struct skr_api_request *ret,
                         struct skr_store_reply *reply)
{
    const char *accept = skr_http_header(request, "Accept");
    const char *include = argument(request, "includeObject");
    ret->include = strcmp(include, "Object") == 0 ? SKR_TABLE_OBJECT
                   : strcmp(include, "None") == 0 ? SKR_TABLE_NONE
                                                  : SKR_TABLE_METADATA;
    if (!accept || *accept == '\0') {
        return true;
    }
    while (*accept != '\0') {
        const size_t n = strcspn(accept, ",");
        if (understands(accept, n, ret)) {
            return true;
        }
        accept += n + (accept[n] == ',' ? 1 : 0);
    }
    skr_status_fail(reply, 406, NULL, NULL,
                    "only the following media types are accepted: application/json");
    return false;
}

/* ---- verbs ---- */

static bool is_type(struct skr_http_request *request, const char *type)
{
    const char *header = skr_http_header(request, "Content-Type");
    const size_t n = strlen(type);
    return header && strncasecmp(header, type, n) == 0 &&
           (header[n] == '\0' || header[n] == ';' || header[n] == ' ');
}

static bool parse_patch_type(struct skr_http_request *request, struct skr_api_request *ret,
                             struct skr_store_reply *reply)
{
    static const struct {
        const char *type;
        enum skr_store_verb verb;
    } table[] = {{"application/merge-patch+json", SKR_STORE_PATCH_MERGE},
                 {"application/strategic-merge-patch+json", SKR_STORE_PATCH_STRATEGIC},
                 {"application/json-patch+json", SKR_STORE_PATCH_JSON}};

    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (is_type(request, table[i].type)) {
            ret->store.verb = table[i].verb;
            return true;
        }
    }
    if (is_type(request, "application/apply-patch+yaml") ||
        is_type(request, "application/apply-patch+cbor")) {
        skr_status_fail(reply, 415, NULL, NULL,
                        "the simulated API server has no server-side apply: use kubectl apply "
                        "without --server-side");
    } else {
        skr_status_fail(reply, 415, NULL, NULL, "415: Unsupported Media Type");
    }
    return false;
}

static bool parse_verb(struct skr_http_request *request, struct skr_api_request *ret,
                       struct skr_store_reply *reply)
{
    const bool named = *ret->route.name != '\0';
    const char *method = request->method;
    if (strcmp(method, "GET") == 0 || strcmp(method, "HEAD") == 0) {
        ret->store.verb = named ? SKR_STORE_GET : SKR_STORE_LIST;
        ret->watch = flag(request, "watch");
    } else if (strcmp(method, "POST") == 0 && (!named || *ret->route.subresource != '\0')) {
        ret->store.verb = SKR_STORE_CREATE;
    } else if (strcmp(method, "PUT") == 0 && named) {
        ret->store.verb = SKR_STORE_UPDATE;
    } else if (strcmp(method, "PATCH") == 0 && named) {
        return parse_patch_type(request, ret, reply);
    } else if (strcmp(method, "DELETE") == 0) {
        ret->store.verb = named ? SKR_STORE_DELETE : SKR_STORE_DELETE_COLLECTION;
    } else {
        skr_status_fail(reply, 405, NULL, NULL,
                        "the server does not allow this method on the requested resource");
        return false;
    }
    return true;
}

/* ---- bodies ---- */

static bool has_body(const struct skr_http_request *request)
{
    return request->body && request->body_len > 0;
}

static bool parse_protobuf(struct skr_http_request *request, struct skr_api_request *ret,
                           struct skr_store_reply *reply)
{
    struct skr_error error = {.code = SKR_OK};
    if (skr_protobuf_parse(request->body, request->body_len, &ret->body, &error) != 0) {
        skr_status_fail(reply, 415, NULL, NULL, "%s", error.text);
        return false;
    }
    ret->store.body = ret->body;
    return true;
}

static bool parse_body(struct skr_http_request *request, struct skr_api_request *ret,
                       struct skr_store_reply *reply)
{
    const bool patch = strcmp(request->method, "PATCH") == 0;
    json_error_t error;
    if (request->too_large) {
        skr_status_fail(reply, 413, NULL, NULL, "Request entity too large: limit is %zu",
                        (size_t)(3 * 1024 * 1024));
        return false;
    }
    if (!has_body(request)) {
        return true;
    }
    if (!patch && is_type(request, "application/vnd.kubernetes.protobuf")) {
        return parse_protobuf(request, ret, reply);
    }
    if (!patch && skr_http_header(request, "Content-Type") &&
        !is_type(request, "application/json")) {
        skr_status_fail(reply, 415, NULL, NULL,
                        "the body of the request was in an unknown format - accepted media types "
                        "include: application/json, application/vnd.kubernetes.protobuf");
        return false;
    }
    ret->body = json_loadb(request->body, request->body_len, JSON_DECODE_ANY, &error);
    if (!ret->body) {
        skr_status_fail(
            reply, 400, NULL, NULL,
            "the object provided is unrecognized (must be of type %s): json parse error: "
            "line %d, column %d: %s",
            ret->route.resource->kind, error.line, error.column, error.text);
        return false;
    }
    ret->store.body = ret->body;
    return true;
}

/* Deletion parameters in the query, from older clients. */
static bool parse_delete_options(struct skr_http_request *request, struct skr_api_request *ret,
                                 struct skr_store_reply *reply)
{
    const char *policy = argument(request, "propagationPolicy");
    int64_t grace;
    if (!number(request, "gracePeriodSeconds", &grace, reply)) {
        return false;
    }
    const bool has_grace = skr_http_argument(request, "gracePeriodSeconds");
    if (!has_grace && *policy == '\0') {
        return true;
    }
    if (!ret->body) {
        ret->body = json_object();
        ret->store.body = ret->body;
    }
    if (has_grace && !json_object_get(ret->body, "gracePeriodSeconds")) {
        json_object_set_new(ret->body, "gracePeriodSeconds", json_integer(grace));
    }
    if (*policy != '\0' && !json_object_get(ret->body, "propagationPolicy")) {
        json_object_set_new(ret->body, "propagationPolicy", json_string(policy));
    }
    return true;
}

/* ---- watches ---- */

static bool parse_watch(struct skr_http_request *request, struct skr_api_request *ret,
                        struct skr_store_reply *reply)
{
    const char *revision = argument(request, "resourceVersion");
    char *end;
    if (!ret->watch) {
        return true;
    }
    if (skr_http_argument(request, "sendInitialEvents")) {
        struct skr_causes causes = {.list = NULL};
        static const struct skr_store_resource options = {
            .kind = "ListOptions", .group = "meta.k8s.io", .plural = "listoptions"};
        skr_causes_forbidden(
            &causes, "sendInitialEvents",
            "sendInitialEvents is forbidden for watch unless the WatchList feature "
            "gate is enabled");
        (void)skr_causes_fail(&causes, reply, &options, "");
        return false;
    }
    ret->bookmarks = flag(request, "allowWatchBookmarks");
    ret->from_now = *revision == '\0' || strcmp(revision, "0") == 0;
    ret->revision = strtoull(revision, &end, 10);
    if (*end != '\0') {
        skr_status_fail(reply, 400, NULL, NULL,
                        "Invalid value: \"%.60s\": strconv.ParseUint: parsing \"%.60s\": invalid "
                        "syntax",
                        revision, revision);
        return false;
    }
    return number(request, "timeoutSeconds", &ret->timeout_s, reply);
}

/* Converts a watch of one object to a watch of the collection that selects it. */
static void watch_by_name(struct skr_api_request *ret)
{
    if (ret->watch && *ret->route.name != '\0') {
        ret->store.field_selector = "";
        ret->store.verb = SKR_STORE_LIST;
    }
}

bool skr_api_request_parse(struct skr_http_request *request, struct skr_api_request *ret,
                           struct skr_store_reply *reply)
{
    *ret = (struct skr_api_request){.body = NULL};
    *reply = (struct skr_store_reply){.status = 0};
    if (!skr_route_parse(request->path, &ret->route)) {
        skr_status_fail(reply, 404, NULL, NULL, "the server could not find the requested resource");
        return false;
    }
    ret->store = (struct skr_store_request){
        .resource = ret->route.resource,
        .namespace_ = ret->route.namespace_,
        .name = ret->route.name,
        .subresource = ret->route.subresource,
        .label_selector = argument(request, "labelSelector"),
        .field_selector = argument(request, "fieldSelector"),
        .continue_ = argument(request, "continue"),
        .dry_run = strcmp(argument(request, "dryRun"), "All") == 0,
        .strict = strcmp(argument(request, "fieldValidation"), "Strict") == 0,
    };
    const bool fine =
        parse_accept(request, ret, reply) && parse_verb(request, ret, reply) &&
        parse_body(request, ret, reply) && parse_watch(request, ret, reply) &&
        number(request, "limit", &ret->store.limit, reply) &&
        (strcmp(request->method, "DELETE") != 0 || parse_delete_options(request, ret, reply));
    watch_by_name(ret);
    return fine;
}

void skr_api_request_fini(struct skr_api_request *request)
{
    json_decref(request->body);
    request->body = NULL;
}
