/* SPDX-License-Identifier: Apache-2.0 */
/* The store's shortcuts for models, which know kinds and trust their own texts. */

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
    struct skr_store_reply reply;

    skr_store_handle(store, &request, now, &reply);
    return finish(&reply, error);
}

int skr_store_delete(struct skr_store *store, const char *kind, const char *namespace_,
                     const char *name, skr_time now)
{
    const struct skr_store_request request = {.verb = SKR_STORE_DELETE,
                                              .resource = skr_store_resource_keeping(kind),
                                              .namespace_ = namespace_,
                                              .name = name};
    struct skr_store_reply reply;

    skr_store_handle(store, &request, now, &reply);
    return finish(&reply, NULL);
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
        .label_selector = "",
        .field_selector = "",
        .continue_ = "",
        .body = object};
    struct skr_store_call call = {
        .store = store,
        .request = &request,
        .asked = resource,
        .resource = resource->kept_by ? skr_store_resource_keeping(resource->kind) : resource,
        .now = now,
        .reply = &reply,
        .loading = true};
    skr_store_do_put(&call);
    return finish(&reply, error);
}
