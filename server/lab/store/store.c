/* SPDX-License-Identifier: Apache-2.0 */
/* Creates stores, and dispatches requests to their steps. */
#include <stdlib.h>
#include <string.h>

#include "server/lab/store/store_parts.h"
#include "topology/base/arena.h"

static void add_namespace(struct skr_store *store, const char *name)
{
    json_auto_t *object = json_pack("{s:s, s:s, s:{s:s}}", "apiVersion", "v1", "kind", "Namespace",
                                    "metadata", "name", name);
    (void)skr_store_put(store, object, 0, NULL);
}

static void add_priority_class(struct skr_store *store, const char *name, int value)
{
    json_auto_t *object =
        json_pack("{s:s, s:s, s:{s:s}, s:i}", "apiVersion", "scheduling.k8s.io/v1", "kind",
                  "PriorityClass", "metadata", "name", name, "value", value);
    (void)skr_store_put(store, object, 0, NULL);
}

struct skr_store *skr_store_create(uint64_t uid_seed)
{
    static const char *const namespaces[] = {"default", "kube-node-lease", "kube-public",
                                             "kube-system"};
    struct skr_store *store = skr_alloc(sizeof *store);
    store->seed = uid_seed;
    store->history.max = SKR_STORE_HISTORY_MAX;
    store->shelf = skr_alloc_array(skr_store_resource_count(), sizeof *store->shelf);
    store->last = skr_alloc_array(skr_store_resource_count(), sizeof(json_t *));
    for (size_t i = 0; i < sizeof namespaces / sizeof *namespaces; i++) {
        add_namespace(store, namespaces[i]);
    }
    add_priority_class(store, "system-cluster-critical", 2000000000);
    add_priority_class(store, "system-node-critical", 2000001000);
    return store;
}

void skr_store_destroy(struct skr_store *store)
{
    if (!store) {
        return;
    }
    skr_born_fini(&store->born);
    skr_store_free_history(store);
    for (size_t i = 0; i < skr_store_resource_count(); i++) {
        skr_shelf_fini(&store->shelf[i]);
        json_decref(store->last[i]);
    }
    free(store->shelf);
    free(store->last);
    free(store);
}

/* ---- requests ---- */

static bool has_subresource(const struct skr_store_resource *resource, const char *name)
{
    for (size_t i = 0; resource->subresources[i]; i++) {
        if (strcmp(resource->subresources[i], name) == 0) {
            return true;
        }
    }
    return *name == '\0';
}

static void refuse_subresource(struct skr_store_call *call)
{
    const char *name = call->request->subresource;
    if (strcmp(name, "log") == 0 || strcmp(name, "exec") == 0 || strcmp(name, "attach") == 0 ||
        strcmp(name, "portforward") == 0 || strcmp(name, "proxy") == 0) {
        skr_status_fail(call->reply, 501, NULL, NULL,
                        "the containers of a simulated cluster do not really run: there is no %s",
                        name);
    } else {
        skr_status_fail(call->reply, 404, NULL, NULL,
                        "the server could not find the requested resource");
    }
}

static void do_post(struct skr_store_call *call)
{
    const char *subresource = call->request->subresource;
    if (*subresource == '\0') {
        skr_store_do_create(call);
    } else if (strcmp(subresource, "binding") == 0) {
        skr_store_do_bind(call);
    } else if (strcmp(subresource, "eviction") == 0) {
        skr_store_do_evict(call);
    } else {
        skr_status_fail(call->reply, 405, NULL, NULL,
                        "the server does not allow this method on the requested resource");
    }
}

/* Whether the subresource is a part of the object. */
static bool is_part(const char *subresource)
{
    return *subresource == '\0' || strcmp(subresource, "status") == 0 ||
           strcmp(subresource, "finalize") == 0;
}

static void dispatch(struct skr_store_call *call)
{
    const struct skr_store_request *request = call->request;
    const enum skr_store_verb verb = request->verb;
    if (!has_subresource(call->asked, request->subresource)) {
        refuse_subresource(call);
    } else if (strcmp(request->subresource, "scale") == 0) {
        skr_store_do_scale(call);
    } else if (verb == SKR_STORE_CREATE) {
        do_post(call);
    } else if (!is_part(request->subresource)) {
        skr_status_fail(call->reply, 405, NULL, NULL,
                        "the server does not allow this method on the requested resource");
    } else if (verb == SKR_STORE_GET) {
        skr_store_do_get(call);
    } else if (verb == SKR_STORE_LIST) {
        skr_store_do_list(call);
    } else if (verb == SKR_STORE_DELETE && *request->subresource == '\0') {
        skr_store_do_delete(call);
    } else if (verb == SKR_STORE_DELETE_COLLECTION) {
        skr_store_do_delete_collection(call);
    } else if (verb == SKR_STORE_UPDATE || verb == SKR_STORE_PATCH_MERGE ||
               verb == SKR_STORE_PATCH_STRATEGIC || verb == SKR_STORE_PATCH_JSON) {
        skr_store_do_update(call);
    } else {
        skr_status_fail(call->reply, 405, NULL, NULL,
                        "the server does not allow this method on the requested resource");
    }
}

static const char *or_empty(const char *text)
{
    return text ? text : "";
}

void skr_store_handle(struct skr_store *store, const struct skr_store_request *request,
                      skr_time now, struct skr_store_reply *reply)
{
    struct skr_store_request whole = *request; /* omitted texts are empty */
    whole.namespace_ = or_empty(request->namespace_);
    whole.name = or_empty(request->name);
    whole.subresource = or_empty(request->subresource);
    whole.label_selector = or_empty(request->label_selector);
    whole.field_selector = or_empty(request->field_selector);
    whole.continue_ = or_empty(request->continue_);
    struct skr_store_call call = {.store = store,
                                  .request = &whole,
                                  .asked = request->resource,
                                  .resource = skr_store_resource_keeper(request->resource),
                                  .now = now,
                                  .reply = reply};
    *reply = (struct skr_store_reply){.status = 0};
    if (!call.asked->namespaced) {
        whole.namespace_ = "";
    }
    dispatch(&call);
    skr_bug_on(reply->status == 0 || !reply->body);
}
