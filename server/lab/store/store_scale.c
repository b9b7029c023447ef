/* SPDX-License-Identifier: Apache-2.0 */
/* The subresource scale of workloads (kubernetes pkg/registry/apps/deployment/storage: ScaleREST). */
#include "server/lab/store/store_parts.h"
#include "topology/base/strbuf.h"

/* "a=b,c=d", in order of keys. New reference. */
static json_t *selector_of(const json_t *object)
{
    json_t *labels = skr_object_unconst(skr_path_get(object, "spec.selector.matchLabels"));
    const char *key;
    json_t *value;
    SKR_STRBUF(b);
    json_object_foreach(labels, key, value)
    {
        const char *text = json_string_value(value);
        skr_strbuf_addf(&b, "%s%s=%s", b.len > 0 ? "," : "", key, text ? text : "");
    }
    json_t *selector = json_string(b.s ? b.s : "");
    return selector;
}

static json_t *number_at(const json_t *object, const char *path)
{
    const json_t *number = skr_path_get(object, path);
    return json_integer(json_is_integer(number) ? json_integer_value(number) : 0);
}

/* New reference. */
static json_t *scale_of(const json_t *object)
{
    static const char *const kept[] = {"name", "namespace", "uid", "resourceVersion",
                                       "creationTimestamp"};
    const json_t *from = skr_path_get(object, "metadata");
    json_t *meta = json_object();
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
        json_t *value = json_object_get(from, kept[i]);
        if (value) {
            json_object_set(meta, kept[i], value);
        }
    }
    return json_pack("{s:s, s:s, s:o, s:{s:o}, s:{s:o, s:o}}", "kind", "Scale", "apiVersion",
                     "autoscaling/v1", "metadata", meta, "spec", "replicas",
                     number_at(object, "spec.replicas"), "status", "replicas",
                     number_at(object, "status.replicas"), "selector", selector_of(object));
}

/* The requested scale; NULL: the reply has the error. New reference. */
static json_t *wanted_scale(struct skr_store_call *call, const json_t *scale)
{
    const struct skr_store_request *request = call->request;
    struct skr_error error = {.code = SKR_OK};
    if (request->verb == SKR_STORE_PATCH_JSON) {
        json_t *wanted = skr_patch_json(scale, request->body, &error);
        if (!wanted) {
            skr_status_fail(call->reply, 422, NULL, NULL, "%s", error.text);
        }
        return wanted;
    }
    if (!skr_store_check_body(call, NULL)) {
        return NULL;
    }
    return request->verb == SKR_STORE_UPDATE ? skr_path_copy(request->body)
                                             : skr_patch_merge(scale, request->body);
}

/* Sets replicas of the object itself, checked like any other change. */
static void change(struct skr_store_call *call, const json_t *wanted)
{
    struct skr_store_request request = *call->request;
    struct skr_store_call inner = *call;
    json_t *replicas = skr_object_unconst(skr_path_get(wanted, "spec.replicas"));
    json_t *revision = skr_object_unconst(skr_path_get(wanted, "metadata.resourceVersion"));
    json_auto_t *zero = json_integer(0);
    json_t *patch = json_pack("{s:{s:O}}", "spec", "replicas", replicas ? replicas : zero);
    if (revision) {
        json_object_set_new(patch, "metadata", json_pack("{s:O}", "resourceVersion", revision));
    }
    request.verb = SKR_STORE_PATCH_MERGE;
    request.subresource = "";
    request.body = patch;
    inner.request = &request;
    skr_store_do_update(&inner);
    json_decref(patch);
}

void skr_store_do_scale(struct skr_store_call *call)
{
    const enum skr_store_verb verb = call->request->verb;
    const struct skr_shelf_item *item = skr_store_find_asked(call);
    if (!item) {
        return;
    }
    json_t *scale = scale_of(item->object);
    if (verb == SKR_STORE_GET) {
        call->reply->status = 200;
        call->reply->body = scale;
        return;
    }
    if (verb != SKR_STORE_UPDATE && verb != SKR_STORE_PATCH_MERGE &&
        verb != SKR_STORE_PATCH_STRATEGIC && verb != SKR_STORE_PATCH_JSON) {
        skr_status_fail(call->reply, 405, NULL, NULL,
                        "the server does not allow this method on the requested resource");
        json_decref(scale);
        return;
    }
    json_t *wanted = wanted_scale(call, scale);
    json_decref(scale);
    if (!wanted) {
        return;
    }
    change(call, wanted);
    json_decref(wanted);
    if (call->reply->status == 200) {
        json_t *object = call->reply->body;
        call->reply->body = scale_of(object);
        json_decref(object);
    }
}
