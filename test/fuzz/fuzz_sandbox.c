/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests to the simulated API server, one part each, as they stand on the wire:
 *
 *   PATCH /api/v1/namespaces/default/pods/p?dryRun=All
 *   Content-Type: application/merge-patch+json
 *   (an empty line)
 *   {"metadata":{"labels":{"a":"b"}}}
 *
 * The listener's part (headers, arguments) is played here. A line "STEP 5" lets controllers and
 * kubelets work for five seconds. Every request is answered, by a Status where it failed; refused
 * and dry ones change nothing; what was created is there; watches show what the list shows.
 */
#include <strings.h>

#include "server/lab/cluster/cluster.h"
#include "server/lab/sandbox/discovery.h"
#include "server/lab/sandbox/http_request.h"
#include "test/fuzz/fuzz.h"

enum { REQUESTS_MAX = 16, HEADERS_MAX = 4, ARGUMENTS_MAX = 12, STEPS_MAX = 200, MORE_MAX = 64 };

#define BEGIN (INT64_C(1700000000) * SKR_SECOND)

struct wire {
    struct skr_http_request request;
    struct {
        const char *name, *value;
    } header[HEADERS_MAX], argument[ARGUMENTS_MAX];
    size_t n_headers, n_arguments;
};

/* ---- the listener's part ---- */

const char *skr_http_argument(struct skr_http_request *request, const char *name)
{
    const struct wire *wire = request->user;
    for (size_t i = 0; i < wire->n_arguments; i++) {
        if (strcmp(wire->argument[i].name, name) == 0) {
            return wire->argument[i].value;
        }
    }
    return NULL;
}

const char *skr_http_header(struct skr_http_request *request, const char *name)
{
    const struct wire *wire = request->user;
    for (size_t i = 0; i < wire->n_headers; i++) {
        if (strcasecmp(wire->header[i].name, name) == 0) {
            return wire->header[i].value;
        }
    }
    return NULL;
}

static void cut_arguments(char *query, struct wire *wire)
{
    while (query && *query && wire->n_arguments < ARGUMENTS_MAX) {
        char *name = strsep(&query, "&");
        char *value = strchr(name, '=');
        if (value) {
            *value++ = '\0';
        }
        wire->argument[wire->n_arguments].name = name;
        wire->argument[wire->n_arguments++].value = value ? value : "";
    }
}

static void cut_headers(char **text, struct wire *wire)
{
    char *line;
    while (*text && (line = strsep(text, "\n"), *line != '\0')) {
        char *value = strstr(line, ": ");
        if (!value || wire->n_headers == HEADERS_MAX) {
            continue;
        }
        *value = '\0';
        wire->header[wire->n_headers].name = line;
        wire->header[wire->n_headers++].value = value + 2;
    }
}

/* false: no request. */
static bool cut_request(char *text, struct wire *wire)
{
    *wire = (struct wire){.n_headers = 0};
    char *line = strsep(&text, "\n");
    wire->request.method = strsep(&line, " ");
    char *path = strsep(&line, "?");
    if (!path || *path != '/') {
        return false;
    }
    wire->request.path = path;
    cut_arguments(line, wire);
    cut_headers(&text, wire);
    wire->request.body = text;
    wire->request.body_len = text ? strlen(text) : 0;
    wire->request.user = wire;
    return true;
}

/* ---- checks ---- */

static void check_reply(const struct skr_store_reply *reply)
{
    fuzz_check(reply->status >= 200 && reply->status < 600 && json_is_object(reply->body));
    const char *kind = json_string_value(json_object_get(reply->body, "kind"));
    fuzz_check(kind);
    if (reply->status >= 400) {
        fuzz_check(strcmp(kind, "Status") == 0);
        fuzz_check(json_integer_value(json_object_get(reply->body, "code")) == reply->status);
        fuzz_check(json_string_length(json_object_get(reply->body, "message")) > 0);
    }
    SKR_AUTO_FREE char *text = json_dumps(reply->body, 0);
    fuzz_check(text);
}

static const char *meta_text(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(json_object_get(object, "metadata"), key));
    return text ? text : "";
}

/* What a creation answered is there. */
static void check_created(struct skr_store *store, const struct skr_api_request *api,
                          const struct skr_store_reply *reply)
{
    const struct skr_store_request *request = &api->store;
    if (request->verb != SKR_STORE_CREATE || reply->status != 201 || request->dry_run ||
        *request->subresource != '\0' || request->resource->kept_by) {
        return;
    }
    const json_t *there = skr_store_get(store, request->resource->kind, request->namespace_,
                                        meta_text(reply->body, "name"));
    fuzz_check(there && strcmp(meta_text(there, "uid"), meta_text(reply->body, "uid")) == 0);
    fuzz_check(meta_text(there, "uid")[0] != '\0');
    fuzz_check(strcmp(meta_text(there, "namespace"), request->namespace_) == 0);
}

static void check_shapes(const struct skr_api_request *api, const json_t *body, skr_time now)
{
    const char *kind = json_string_value(json_object_get(body, "kind"));
    const size_t n = strlen(api->route.resource->kind);
    if (strncmp(kind, api->route.resource->kind, n) != 0 ||
        (kind[n] != '\0' && strcmp(kind + n, "List") != 0)) {
        return;
    }
    json_auto_t *table = skr_table_of(api->route.resource, body, api->include, now);
    const size_t columns = json_array_size(json_object_get(table, "columnDefinitions"));
    const json_t *rows = json_object_get(table, "rows");
    fuzz_check(columns > 0);
    for (size_t i = 0; i < json_array_size(rows); i++) {
        fuzz_check(json_array_size(json_object_get(json_array_get(rows, i), "cells")) == columns);
    }
    json_decref(skr_table_metadata_of(body));
}

static void watch(struct skr_store *store, const struct skr_api_request *api, skr_time now)
{
    struct skr_stream *stream = NULL;
    struct skr_error error;
    SKR_STRBUF(out);
    const struct skr_stream_options options = {.resource = api->route.resource,
                                               .namespace_ = api->route.namespace_,
                                               .label_selector = api->store.label_selector,
                                               .field_selector = api->store.field_selector,
                                               .from_now = api->from_now,
                                               .revision = api->revision,
                                               .shape = api->shape,
                                               .include = api->include,
                                               .bookmarks = api->bookmarks,
                                               .end = now + SKR_SECOND};
    int rc = skr_stream_create(store, &options, now, &stream, &error);
    fuzz_check_rc(rc, &error);
    for (int i = 0; rc == 0 && i < MORE_MAX && skr_stream_more(stream, now, &out); i++) {
    }
    /* Whole lines of JSON. */
    for (char *line = out.s, *end; line && (end = strchr(line, '\n')); line = end + 1) {
        json_decref(fuzz_json(line, (size_t)(end - line)));
    }
    fuzz_check(out.len == 0 || out.s[out.len - 1] == '\n');
    skr_stream_destroy(stream);
}

static void handle(struct skr_store *store, struct wire *wire, skr_time now)
{
    struct skr_api_request api;
    struct skr_store_reply reply;
    const uint64_t before = skr_store_revision(store);
    json_decref(skr_discovery_get(wire->request.path));
    if (!skr_api_request_parse(&wire->request, &api, &reply)) {
        check_reply(&reply);
        fuzz_check(reply.status >= 400);
    } else if (api.watch) {
        watch(store, &api, now);
        reply.body = NULL;
    } else {
        skr_store_handle(store, &api.store, now, &reply);
        check_reply(&reply);
        check_created(store, &api, &reply);
        if (reply.status < 300) {
            check_shapes(&api, reply.body, now);
        }
        fuzz_check((reply.status < 400 && !api.store.dry_run) ||
                   skr_store_revision(store) == before);
    }
    fuzz_check(skr_store_revision(store) >= before);
    json_decref(reply.body);
    skr_api_request_fini(&api);
}

/* Controllers and kubelets, for some seconds. */
static void step(struct skr_cluster *cluster, skr_time *now, const char *text)
{
    const skr_time end = *now + (strtol(text, NULL, 10) % 100 + 1) * SKR_SECOND;
    for (int i = 0; i < STEPS_MAX; i++) {
        skr_time next = skr_cluster_next(cluster);
        if (next > end) {
            break;
        }
        *now = next > *now ? next : *now;
        skr_cluster_step(cluster, *now);
    }
    *now = end;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *part[REQUESTS_MAX];
    struct skr_cluster_options options;
    skr_time now = BEGIN;
    SKR_AUTO_FREE char *text = fuzz_text(data, size);
    const size_t n = fuzz_split(text, part, REQUESTS_MAX);
    skr_cluster_options_default(&options);
    struct skr_cluster *cluster = skr_cluster_create(&options, now);
    for (size_t i = 0; i < n; i++) {
        struct wire wire;
        if (strncmp(part[i], "STEP ", 5) == 0) {
            step(cluster, &now, part[i] + 5);
        } else if (cut_request(part[i], &wire)) {
            handle(skr_cluster_store(cluster), &wire, now);
        }
    }
    skr_cluster_destroy(cluster);
    return 0;
}
