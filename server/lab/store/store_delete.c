/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Deletes (apiserver pkg/registry/rest/delete.go, generic registry store.go): preconditions, grace
 * of pods, finalizers, propagation. An object with a hold gets a deletionTimestamp and is removed
 * with its last hold.
 */
#include <string.h>

#include "server/lab/store/store_parts.h"

#define ORPHAN     "orphan"
#define FOREGROUND "foregroundDeletion"

static bool is_pod(const struct skr_store_call *call)
{
    return strcmp(call->resource->kind, "Pod") == 0;
}

bool skr_store_is_gone(const json_t *object)
{
    const char *kind = skr_path_text(object, "kind");
    return skr_path_get(object, "metadata.deletionTimestamp") &&
           json_array_size(skr_path_get(object, "metadata.finalizers")) == 0 &&
           skr_path_int(object, "metadata.deletionGracePeriodSeconds", 0) == 0 &&
           !(strcmp(kind, "Namespace") == 0 &&
             json_array_size(skr_path_get(object, "spec.finalizers")) > 0) &&
           !(strcmp(kind, "ResourceClaim") == 0 && /* resource.kubernetes.io/delete-protection */
             json_is_object(skr_path_get(object, "status.allocation")));
}

/* In seconds. */
static int64_t grace_of(const struct skr_store_call *call, const json_t *object,
                        const json_t *options)
{
    const char *phase = skr_path_text(object, "status.phase");
    if (!is_pod(call) || *skr_path_text(object, "spec.nodeName") == '\0' ||
        strcmp(phase, "Succeeded") == 0 || strcmp(phase, "Failed") == 0) {
        return 0; /* no kubelet has anything to stop */
    }
    const int64_t own = skr_path_int(object, "spec.terminationGracePeriodSeconds", 30);
    const int64_t grace = skr_path_int(options, "gracePeriodSeconds", own);
    return grace < 0 ? 1 : grace;
}

static void set_finalizer(json_t *meta, const char *name, bool wanted)
{
    json_t *list = json_object_get(meta, "finalizers");
    if (skr_path_holds(list, name) == wanted) {
        return;
    }
    list = skr_path_own_array(meta, "finalizers");
    if (wanted) {
        json_array_append_new(list, json_string(name));
        return;
    }
    for (size_t i = json_array_size(list); i-- > 0;) {
        if (strcmp(json_string_value(json_array_get(list, i)), name) == 0) {
            json_array_remove(list, i);
        }
    }
    if (json_array_size(list) == 0) {
        json_object_del(meta, "finalizers");
    }
}

static bool set_propagation(struct skr_store_call *call, json_t *meta, const json_t *options)
{
    const char *policy = skr_path_text(options, "propagationPolicy");
    const bool orphan = skr_path_true(options, "orphanDependents");
    if (*policy != '\0' && strcmp(policy, "Background") != 0 && strcmp(policy, "Orphan") != 0 &&
        strcmp(policy, "Foreground") != 0) {
        skr_status_fail(call->reply, 422, NULL, NULL,
                        "DeleteOptions.meta.k8s.io \"\" is invalid: propagationPolicy: Unsupported "
                        "value: \"%.60s\": supported values: \"Background\", \"Foreground\", "
                        "\"Orphan\"",
                        policy);
        return false;
    }
    set_finalizer(meta, ORPHAN, orphan || strcmp(policy, "Orphan") == 0);
    set_finalizer(meta, FOREGROUND, strcmp(policy, "Foreground") == 0);
    return true;
}

/* The object marked as deleted, top and metadata own; NULL: the reply says why not. */
static json_t *marked(struct skr_store_call *call, const json_t *object, const json_t *options)
{
    json_t *copy = json_copy(skr_object_unconst(object));
    json_t *meta = skr_path_own(copy, "metadata");
    int64_t grace = grace_of(call, object, options);
    const bool again = json_object_get(meta, "deletionTimestamp");
    const int64_t earlier = skr_path_int(meta, "deletionGracePeriodSeconds", 0);
    if (!set_propagation(call, meta, options)) {
        json_decref(copy);
        return NULL;
    }
    if (again && grace >= earlier) {
        return copy; /* a grace period can only become shorter */
    }
    json_object_set_new(meta, "deletionTimestamp", skr_store_time(call->now + grace * SKR_SECOND));
    json_object_set_new(meta, "deletionGracePeriodSeconds", json_integer(grace));
    if (!again && json_object_get(meta, "generation")) {
        json_object_set_new(meta, "generation",
                            json_integer(skr_path_int(meta, "generation", 0) + 1));
    }
    if (strcmp(call->resource->kind, "Namespace") == 0) {
        json_object_set_new(skr_path_own(copy, "status"), "phase", json_string("Terminating"));
    }
    return copy;
}

/* The answer for kinds that are removed at once; for pods and namespaces the answer is the
 * object. */
static void reply_deleted(struct skr_store_call *call, const json_t *last)
{
    const struct skr_store_resource *asked = call->asked;
    if (is_pod(call) || !skr_store_is_gone(last) ||
        strcmp(call->resource->kind, "Namespace") == 0) {
        skr_store_reply_object(call, 200, last);
        return;
    }
    json_t *details = json_pack("{s:s}", "name", skr_path_text(last, "metadata.name"));
    if (*asked->group != '\0') {
        json_object_set_new(details, "group", json_string(asked->group));
    }
    json_object_set_new(details, "kind", json_string(asked->plural));
    json_object_set_new(details, "uid", json_string(skr_path_text(last, "metadata.uid")));
    call->reply->status = 200;
    json_decref(call->reply->body);
    call->reply->body = json_pack("{s:s, s:s, s:{}, s:s, s:o}", "kind", "Status", "apiVersion",
                                  "v1", "metadata", "status", "Success", "details", details);
}

static bool is_dry(const struct skr_store_call *call, const json_t *options)
{
    return call->request->dry_run || skr_path_holds(json_object_get(options, "dryRun"), "All");
}

void skr_store_delete_item(struct skr_store_call *call, struct skr_shelf_item *item,
                           const json_t *options)
{
    json_t *object = marked(call, item->object, options);
    if (!object) {
        return;
    }
    if (is_dry(call, options)) {
        reply_deleted(call, object);
        json_decref(object);
    } else if (skr_store_is_gone(object)) {
        reply_deleted(call, skr_store_remove(call->store, call->resource, item, object));
    } else if (json_equal(object, item->object) == 1) {
        skr_store_reply_object(call, 200, item->object);
        json_decref(object);
    } else {
        reply_deleted(call, skr_store_commit(call->store, call->resource, item, object));
    }
}

static bool is_immortal(struct skr_store_call *call)
{
    const char *name = call->request->name;
    if (strcmp(call->resource->kind, "Namespace") != 0 ||
        (strcmp(name, "default") != 0 && strcmp(name, "kube-system") != 0 &&
         strcmp(name, "kube-public") != 0)) {
        return false;
    }
    skr_status_fail(call->reply, 403, call->asked, name,
                    "namespaces \"%s\" is forbidden: this namespace may not be deleted", name);
    return true;
}

static bool check_options(struct skr_store_call *call)
{
    return !call->request->body || skr_store_check_body(call, NULL);
}

void skr_store_do_delete(struct skr_store_call *call)
{
    if (!check_options(call) || is_immortal(call)) {
        return;
    }
    struct skr_shelf_item *item = skr_store_find_asked(call);
    if (item && skr_store_preconditions(call, item->object, call->request->body)) {
        skr_store_delete_item(call, item, call->request->body);
    }
}

void skr_store_do_delete_collection(struct skr_store_call *call)
{
    struct skr_selector *labels = NULL, *fields = NULL;
    struct skr_store_reply list;
    if (!check_options(call) || !skr_store_selectors(call, &labels, &fields)) {
        return;
    }
    if (!call->resource->namespaced && strcmp(call->resource->kind, "Namespace") == 0) {
        skr_status_fail(call->reply, 405, NULL, NULL,
                        "the server does not allow this method on the requested resource");
    } else {
        skr_store_do_list(call);
        list = *call->reply;
        struct skr_shelf_item *next = skr_shelf_from(skr_store_shelf(call->store, call->resource),
                                                     call->request->namespace_, "");
        for (struct skr_shelf_item *item = next; item; item = next) {
            next = item->next[0];
            const bool in_scope = *call->request->namespace_ == '\0' ||
                                  strcmp(item->namespace_, call->request->namespace_) == 0;
            if (in_scope && skr_selector_matches(labels, item->object) &&
                skr_selector_matches(fields, item->object)) {
                *call->reply = (struct skr_store_reply){.status = 0};
                skr_store_delete_item(call, item, call->request->body);
                json_decref(call->reply->body);
            }
        }
        *call->reply = list;
    }
    skr_selector_destroy(labels);
    skr_selector_destroy(fields);
}
