/* SPDX-License-Identifier: Apache-2.0 */
/* Shortcuts for the models, which know kinds and pass valid texts. */
#include <stdio.h>
#include <string.h>

#include "server/lab/store/store_parts.h"

static int finish(struct skr_store_reply *reply, struct skr_error *error)
{
    const int status = reply->status;
    if (status >= 400) {
        const enum skr_error_code code = status == 404   ? SKR_NOT_FOUND
                                         : status == 409 ? SKR_CONFLICT
                                         : status == 410 ? SKR_GONE
                                         : status == 429 ? SKR_RETRY
                                         : status == 403 ? SKR_DENIED
                                                         : SKR_INVALID;
        (void)skr_error_set(error, code, "%s", skr_path_text(reply->body, "message"));
    }
    json_decref(reply->body);
    return status;
}

static int ask(struct skr_store *store, const struct skr_store_request *request, skr_time now,
               struct skr_error *error)
{
    struct skr_store_reply reply;
    skr_store_handle(store, request, now, &reply);
    return finish(&reply, error);
}

int skr_store_merge(struct skr_store *store, const char *kind, const char *namespace_,
                    const char *name, const char *subresource, const json_t *patch, skr_time now,
                    struct skr_error *error)
{
    const struct skr_store_request request = {.verb = SKR_STORE_PATCH_MERGE,
                                              .resource = skr_store_resource_keeping(kind),
                                              .namespace_ = namespace_,
                                              .name = name,
                                              .subresource = subresource,
                                              .body = patch};
    return ask(store, &request, now, error);
}

int skr_store_delete(struct skr_store *store, const char *kind, const char *namespace_,
                     const char *name, skr_time now)
{
    const struct skr_store_request request = {.verb = SKR_STORE_DELETE,
                                              .resource = skr_store_resource_keeping(kind),
                                              .namespace_ = namespace_,
                                              .name = name};
    return ask(store, &request, now, NULL);
}

int skr_store_bind(struct skr_store *store, const char *namespace_, const char *name,
                   const char *uid, const char *node, skr_time now, struct skr_error *error)
{
    json_auto_t *body =
        json_pack("{s:s, s:s, s:{s:s, s:s*}, s:{s:s, s:s}}", "apiVersion", "v1", "kind", "Binding",
                  "metadata", "name", name, "uid", uid, "target", "kind", "Node", "name", node);
    const struct skr_store_request request = {.verb = SKR_STORE_CREATE,
                                              .resource = skr_store_resource_keeping("Pod"),
                                              .namespace_ = namespace_,
                                              .name = name,
                                              .subresource = "binding",
                                              .body = body};
    return ask(store, &request, now, error);
}

json_t *skr_store_event_write(const struct skr_store_event *e, skr_time now)
{
    enum { NOTE_MAX = 1024 }; /* the rest is cut, as by truncateMessage() */
    char when[64], time[64], name[320], note[NOTE_MAX + 1];
    skr_time_write(now / SKR_SECOND * SKR_SECOND, 0, when, sizeof when);
    (void)snprintf(time, sizeof time, "%.19s.%06lldZ", when,
                   (long long)(now % SKR_SECOND / (SKR_SECOND / 1000000)));
    (void)snprintf(name, sizeof name, "%.230s.%llx", e->name, (unsigned long long)now);
    (void)snprintf(note, sizeof note, "%s", e->note);
    if (strlen(e->note) > NOTE_MAX) {
        memcpy(note + NOTE_MAX - 3, "...", 4);
    }
    return json_pack("{s:s, s:s, s:{s:s, s:s}, s:{s:s, s:s, s:s, s:s, s:s}, s:s, s:s, s:s, s:s, "
                     "s:s, s:s, s:s}",
                     "apiVersion", "events.k8s.io/v1", "kind", "Event", "metadata", "name", name,
                     "namespace", e->namespace_, "regarding", "apiVersion", e->api_version, "kind",
                     e->kind, "namespace", e->namespace_, "name", e->name, "uid", e->uid, "type",
                     e->type, "reason", e->reason, "action", e->action, "note", note, "eventTime",
                     time, "reportingController", e->controller, "reportingInstance", e->instance);
}

void skr_store_note(struct skr_store *store, const json_t *event, skr_time now)
{
    const struct skr_store_request request = {
        .verb = SKR_STORE_CREATE,
        .resource = skr_store_resource_of_kind("events.k8s.io/v1", "Event"),
        .namespace_ = skr_path_text(event, "metadata.namespace"),
        .body = event};
    (void)ask(store, &request, now, NULL);
}

int skr_store_put(struct skr_store *store, const json_t *object, skr_time now,
                  struct skr_error *error)
{
    const struct skr_store_resource *resource = skr_store_resource_of_kind(
        skr_path_text(object, "apiVersion"), skr_path_text(object, "kind"));
    struct skr_store_reply reply = {.status = 0};
    if (!resource) {
        (void)skr_error_set(error, SKR_NOT_FOUND,
                            "no matches for kind \"%.80s\" in version \"%.80s\"",
                            skr_path_text(object, "kind"), skr_path_text(object, "apiVersion"));
        return 404;
    }
    const char *namespace_ = skr_path_text(object, "metadata.namespace");
    const struct skr_store_request request = {
        .verb = SKR_STORE_CREATE,
        .resource = resource,
        .namespace_ = resource->namespaced ? (*namespace_ ? namespace_ : "default") : "",
        .name = "",
        .subresource = "",
        .body = object};
    struct skr_store_call call = {.store = store,
                                  .request = &request,
                                  .asked = resource,
                                  .resource = skr_store_resource_keeper(resource),
                                  .now = now,
                                  .reply = &reply,
                                  .loading = true};
    skr_store_do_put(&call);
    return finish(&reply, error);
}
