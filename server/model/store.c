/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Objects, revisions and the history. Objects are immutable trees that share what did not change,
 * so a change costs its own size, not the object's, and the history is cheap.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/model/store_parts.h"
#include "topology/base/arena.h"
#include "topology/base/hash.h"

static size_t row_of(const struct skr_store_resource *resource)
{
    return (size_t)(resource - skr_store_resource_get(0));
}

struct skr_shelf *skr_store_shelf(const struct skr_store *store,
                                  const struct skr_store_resource *resource)
{
    return &store->shelf[row_of(resource)];
}

struct skr_shelf_item *skr_store_find(const struct skr_store *store,
                                      const struct skr_store_resource *resource,
                                      const char *namespace_, const char *name)
{
    return skr_shelf_find(skr_store_shelf(store, resource), namespace_, name);
}

uint64_t skr_store_revision(const struct skr_store *store)
{
    return store->revision;
}

/* ---- identities ---- */

static uint64_t next_random(struct skr_store *store)
{
    return skr_hash_pair(store->seed, ++store->made);
}

void skr_store_make_uid(struct skr_store *store, char uid[37])
{
    const uint64_t high = (next_random(store) & ~UINT64_C(0xf000)) | 0x4000;
    const uint64_t low =
        (next_random(store) & ~(UINT64_C(3) << 62)) | (UINT64_C(1) << 63); /* RFC 4122 */

    (void)snprintf(uid, 37, "%08x-%04x-%04x-%04x-%012llx", (unsigned)(high >> 32),
                   (unsigned)(high >> 16 & 0xffff), (unsigned)(high & 0xffff),
                   (unsigned)(low >> 48), (unsigned long long)(low & UINT64_C(0xffffffffffff)));
}

void skr_store_make_suffix(struct skr_store *store, char suffix[6])
{
    static const char letters[] = "bcdfghjklmnpqrstvwxz2456789"; /* util/rand's: no words */
    uint64_t random = next_random(store);

    for (int i = 0; i < 5; i++) {
        suffix[i] = letters[random % (sizeof letters - 1)];
        random /= sizeof letters - 1;
    }
    suffix[5] = '\0';
}

json_t *skr_store_time(skr_time now)
{
    char text[40];

    skr_time_write(now / SKR_SECOND * SKR_SECOND, 0, text, sizeof text);
    return json_string(text);
}

/* ---- the history ---- */

static void forget_oldest(struct skr_store_history *h)
{
    struct skr_store_change *change = &h->item[h->first];

    json_decref(skr_object_unconst(change->object));
    json_decref(skr_object_unconst(change->before));
    h->first = (h->first + 1) & (h->cap - 1);
    h->n--;
}

static void grow_history(struct skr_store_history *h)
{
    const size_t cap = h->cap == 0 ? 1024 : h->cap * 2;
    struct skr_store_change *item = skr_alloc_array(cap, sizeof *item);

    for (size_t i = 0; i < h->n; i++) {
        item[i] = h->item[(h->first + i) & (h->cap - 1)];
    }
    free(h->item);
    *h = (struct skr_store_history){.item = item, .cap = cap, .n = h->n, .max = h->max};
}

/* Takes references of its own. */
static void remember(struct skr_store *store, enum skr_store_change_kind kind,
                     const struct skr_store_resource *resource, const json_t *object,
                     const json_t *before)
{
    struct skr_store_history *h = &store->history;

    if (h->n == h->max) {
        forget_oldest(h);
    } else if (h->n == h->cap) {
        grow_history(h);
    }
    h->item[(h->first + h->n++) & (h->cap - 1)] = (struct skr_store_change){
        .kind = kind,
        .revision = store->revision,
        .resource = resource,
        .object = skr_path_ref(object),
        .before = before ? skr_path_ref(before) : NULL,
    };
}

void skr_store_limit_history(struct skr_store *store, size_t changes)
{
    struct skr_store_history *h = &store->history;

    h->max = changes < 1 ? 1 : (changes < SKR_STORE_HISTORY_MAX ? changes : SKR_STORE_HISTORY_MAX);
    while (h->n > h->max) {
        forget_oldest(h);
    }
}

bool skr_store_next_change(const struct skr_store *store, uint64_t revision,
                           struct skr_store_change *ret, bool *gone)
{
    const struct skr_store_history *h = &store->history;
    const uint64_t oldest = store->revision - h->n + 1; /* that is still there */

    *gone = revision + 1 < oldest;
    if (*gone || revision >= store->revision) {
        return false;
    }
    *ret = h->item[(h->first + (size_t)(revision + 1 - oldest)) & (h->cap - 1)];
    return true;
}

/* ---- objects ---- */

static void set_revision(json_t *object, uint64_t revision)
{
    char text[24];

    (void)snprintf(text, sizeof text, "%llu", (unsigned long long)revision);
    json_object_set_new(json_object_get(object, "metadata"), "resourceVersion", json_string(text));
}

const json_t *skr_store_commit(struct skr_store *store, const struct skr_store_resource *resource,
                               struct skr_shelf_item *item, json_t *object)
{
    store->revision++;
    set_revision(object, store->revision);
    if (!item) {
        skr_shelf_insert(skr_store_shelf(store, resource),
                         skr_path_text(object, "metadata.namespace"),
                         skr_path_text(object, "metadata.name"), object);
        store->n_objects++;
        remember(store, SKR_STORE_ADDED, resource, object, NULL);
        return object;
    }
    remember(store, SKR_STORE_MODIFIED, resource, object, item->object);
    json_decref(item->object);
    item->object = object;
    return object;
}

const json_t *skr_store_remove(struct skr_store *store, const struct skr_store_resource *resource,
                               struct skr_shelf_item *item, json_t *last)
{
    if (!last) {
        last = json_copy(item->object);
        (void)skr_path_own(last, "metadata");
    }
    store->revision++;
    set_revision(last, store->revision);
    remember(store, SKR_STORE_DELETED, resource, last, item->object);
    json_decref(last); /* the history holds it */
    skr_shelf_remove(skr_store_shelf(store, resource), item);
    store->n_objects--;
    return last;
}

/* ---- making and ending ---- */

static void add_namespace(struct skr_store *store, const char *name)
{
    json_t *object = json_pack("{s:s, s:s, s:{s:s}}", "apiVersion", "v1", "kind", "Namespace",
                               "metadata", "name", name);
    (void)skr_store_put(store, object, 0, NULL);
    json_decref(object);
}

static void add_priority_class(struct skr_store *store, const char *name, int value)
{
    json_t *object = json_pack("{s:s, s:s, s:{s:s}, s:i}", "apiVersion", "scheduling.k8s.io/v1",
                               "kind", "PriorityClass", "metadata", "name", name, "value", value);
    (void)skr_store_put(store, object, 0, NULL);
    json_decref(object);
}

struct skr_store *skr_store_create(uint64_t uid_seed)
{
    static const char *const namespaces[] = {"default", "kube-node-lease", "kube-public",
                                             "kube-system"};
    struct skr_store *store = skr_alloc(sizeof *store);

    store->seed = uid_seed;
    store->history.max = SKR_STORE_HISTORY_MAX;
    store->shelf = skr_alloc_array(skr_store_resource_count(), sizeof *store->shelf);
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
    while (store->history.n > 0) {
        forget_oldest(&store->history);
    }
    free(store->history.item);
    for (size_t i = 0; i < skr_store_resource_count(); i++) {
        skr_shelf_fini(&store->shelf[i]);
    }
    free(store->shelf);
    free(store);
}

/* ---- requests ---- */

static const struct skr_store_resource *keeper_of(const struct skr_store_resource *resource)
{
    return resource->kept_by ? skr_store_resource_of_kind(resource->kept_by, resource->kind)
                             : resource;
}

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

    if (strcmp(name, "scale") == 0) {
        skr_status_fail(call->reply, 405, NULL, NULL,
                        "the simulated API server has no scale subresource: patch spec.replicas");
    } else if (strcmp(name, "log") == 0 || strcmp(name, "exec") == 0 ||
               strcmp(name, "attach") == 0 || strcmp(name, "portforward") == 0 ||
               strcmp(name, "proxy") == 0) {
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

/* As a part of the object, that is. */
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
    struct skr_store_request whole = *request; /* texts that were left out are empty */

    whole.namespace_ = or_empty(request->namespace_);
    whole.name = or_empty(request->name);
    whole.subresource = or_empty(request->subresource);
    whole.label_selector = or_empty(request->label_selector);
    whole.field_selector = or_empty(request->field_selector);
    whole.continue_ = or_empty(request->continue_);
    struct skr_store_call call = {.store = store,
                                  .request = &whole,
                                  .asked = request->resource,
                                  .resource = keeper_of(request->resource),
                                  .now = now,
                                  .reply = reply};
    *reply = (struct skr_store_reply){.status = 0};
    if (!call.asked->namespaced) {
        whole.namespace_ = "";
    }
    dispatch(&call);
    skr_bug_on(reply->status == 0 || !reply->body);
}

json_t *skr_store_present(const struct skr_store_resource *resource, const json_t *object)
{
    return resource->kept_by ? skr_event_from_core(object) : skr_path_ref(object);
}
