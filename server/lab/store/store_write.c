/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Creates, updates and patches, in the order of kube-apiserver's generic registry: body, identity,
 * defaults, admission, validation, conflict, commit (apiserver
 * pkg/registry/generic/registry/store.go, pkg/registry/rest/create.go and update.go).
 *
 * A patch makes a tree that shares untouched parts with the object in force. Equal pointers mean
 * equal values, so a patch of the status or of a label needs no defaults or validation of the spec.
 */
#include <string.h>

#include "server/lab/store/schema.h"
#include "server/lab/store/store_parts.h"
#include "server/object/nulls.h"

/* ---- the body ---- */

static void api_version_of(const struct skr_store_resource *resource, char text[128])
{
    const size_t group = strlen(resource->group), slash = group > 0 ? 1 : 0;
    memcpy(text, resource->group, group);
    text[group] = '/';
    memcpy(text + group + slash, resource->version, strlen(resource->version) + 1);
}

/* Checks apiVersion and kind of the body; both may be absent. */
static bool check_kind(struct skr_store_call *call, const json_t *object)
{
    const struct skr_store_resource *asked = call->asked;
    const char *kind = skr_path_text(object, "kind");
    const char *version = skr_path_text(object, "apiVersion");
    char expected[128];
    api_version_of(asked, expected);
    if ((*kind == '\0' || strcmp(kind, asked->kind) == 0) &&
        (*version == '\0' || strcmp(version, expected) == 0)) {
        return true;
    }
    if (*kind != '\0' && strcmp(kind, asked->kind) != 0) {
        skr_status_fail(call->reply, 400, NULL, NULL,
                        "%.80s in version \"%.80s\" cannot be handled as a %s", kind, version,
                        asked->kind);
    } else {
        skr_status_fail(
            call->reply, 400, NULL, NULL,
            "the API version in the data (%.80s) does not match the expected API version "
            "(%s)",
            version, expected);
    }
    return false;
}

static bool check_schema(struct skr_store_call *call, const json_t *object)
{
    struct skr_error error = {.code = SKR_OK};
    const int rc = skr_schema_check(skr_store_resource_key(call->resource), object, call->known,
                                    call->request->strict, &error);
    if (rc == 0) {
        return true;
    }
    skr_status_fail(call->reply, 400, NULL, NULL,
                    "%s in version \"%s\" cannot be handled as a %s: %s", call->asked->kind,
                    call->asked->version, call->asked->kind, error.text);
    return false;
}

/* An own object in the stored shape, with apiVersion, kind and its own metadata. Takes object. */
static json_t *to_kept(const struct skr_store_call *call, json_t *object)
{
    char version[128];
    object = skr_store_kept(call, object);
    api_version_of(call->resource, version);
    if (strcmp(skr_path_text(object, "apiVersion"), version) != 0) {
        json_object_set_new_nocheck(object, "apiVersion", json_string(version));
    }
    if (strcmp(skr_path_text(object, "kind"), call->resource->kind) != 0) {
        json_object_set_new_nocheck(object, "kind", json_string(call->resource->kind));
    }
    (void)skr_path_own(object, "metadata");
    return object;
}

/* Many pods come from one template: a new pod shares parts with the last from the start. Such a
 * part has its defaults already, since they depend only on the part. Not if an admission changes
 * new pods, or if a strict request must check fields that were ignored in the last. */
static void know_last(struct skr_store_call *call, const json_t *object)
{
    static const char *const parts[] = {"metadata", "spec"};
    const json_t *last = skr_store_last(call->store, call->resource);
    if (!last || call->request->strict || strcmp(call->resource->kind, "Pod") != 0 ||
        (call->store->admit && !call->loading)) {
        return;
    }
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        json_t *own = json_object_get(object, parts[i]);
        if (json_is_object(own) && own->refcount == 1) {
            skr_store_share(own, json_object_get(last, parts[i]), NULL);
        }
    }
    call->known = last;
}

/* The body as an own object, deep except for parts of call->known; NULL: the reply has the
 * error. */
static json_t *take_body(struct skr_store_call *call)
{
    if (!skr_store_check_body(call, NULL) || !check_kind(call, call->request->body)) {
        return NULL;
    }
    json_t *object;
    if (call->request->given) {
        object = to_kept(call, skr_path_ref(call->request->body));
    } else {
        json_t *clean = skr_nulls_resolved(call->request->body, call->resource->custom,
                                           call->resource->kind, NULL);
        object = to_kept(call, skr_path_copy(clean));
        json_decref(clean);
    }
    know_last(call, object);
    if (!check_schema(call, object)) {
        json_decref(object);
        return NULL;
    }
    return object;
}

/* Checks that the object's namespace is that of the request, or absent. */
static bool check_namespace(struct skr_store_call *call, json_t *object)
{
    json_t *meta = json_object_get(object, "metadata");
    const char *wanted = call->request->namespace_;
    const char *said = skr_path_text(meta, "namespace");
    if (!call->resource->namespaced) {
        json_object_del(meta, "namespace");
        return true;
    }
    if (*said != '\0' && strcmp(said, wanted) != 0) {
        skr_status_fail(call->reply, 400, NULL, NULL,
                        "the namespace of the provided object does not match the namespace sent on "
                        "the request");
        return false;
    }
    json_object_set_new_nocheck(meta, "namespace", json_string(wanted));
    return true;
}

/* ---- create ---- */

static bool namespace_is_open(struct skr_store_call *call)
{
    const char *name = call->request->namespace_;
    const struct skr_store_resource *namespaces = skr_store_resource_of_kind("v1", "Namespace");
    if (!call->resource->namespaced) {
        return true;
    }
    const struct skr_shelf_item *item = skr_store_find(call->store, namespaces, "", name);
    if (!item) {
        skr_status_not_found(call->reply, namespaces, name);
        return false;
    }
    if (skr_path_get(item->object, "metadata.deletionTimestamp")) {
        char plural[128];
        skr_status_fail(call->reply, 403, call->asked, NULL,
                        "%s is forbidden: unable to create new content in namespace %s because it "
                        "is being terminated",
                        skr_status_plural(call->asked, plural), name);
        return false;
    }
    return true;
}

static void set_if_absent(json_t *object, const char *key, json_t *value)
{
    if (!json_object_get(object, key)) {
        json_object_set_new_nocheck(object, key, value);
    } else {
        json_decref(value);
    }
}

static void generate_name(struct skr_store_call *call, json_t *meta)
{
    const char *prefix = skr_path_text(meta, "generateName");
    char suffix[6];
    if (*skr_path_text(meta, "name") != '\0' || *prefix == '\0') {
        return;
    }
    skr_store_make_suffix(call->store, suffix);
    json_object_set_new_nocheck(meta, "name", json_sprintf("%.248s%s", prefix, suffix));
}

/* Sets uid, creationTimestamp and other fields of the API server. */
static bool begin_meta(struct skr_store_call *call, json_t *object)
{
    static const char *const ours[] = {"selfLink",
                                       "managedFields",
                                       "resourceVersion",
                                       "generation",
                                       "creationTimestamp",
                                       "deletionTimestamp",
                                       "uid",
                                       "deletionGracePeriodSeconds"};
    json_t *meta = json_object_get(object, "metadata");
    char uid[37];
    if (!call->loading && *skr_path_text(meta, "resourceVersion") != '\0') {
        skr_status_fail_reason(call->reply, 500, "", NULL, NULL,
                               "resourceVersion should not be set on objects to be created");
        return false;
    }
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++) {
        if (!call->loading || i < 3) {
            json_object_del(meta, ours[i]);
        }
    }
    skr_store_make_uid(call->store, uid);
    set_if_absent(meta, "uid", json_string(uid));
    set_if_absent(meta, "creationTimestamp", skr_store_time(call->now));
    /* A status that is loaded without a generation is that of the spec, not of an older one. */
    if (call->resource->generation && !(call->loading && json_object_get(object, "status"))) {
        set_if_absent(meta, "generation", json_integer(1));
    }
    generate_name(call, meta);
    return true;
}

/* Controllers own a status; a node's kubelet owns its status from the beginning. */
static void set_defaults(struct skr_store_call *call, json_t *object)
{
    if (!call->loading && strcmp(call->resource->kind, "Node") != 0) {
        json_object_del(object, "status");
    }
    skr_defaults_set(call->resource, object, &call->store->born);
    if (strcmp(call->resource->kind, "Pod") == 0 && !json_object_get(object, "status")) {
        skr_defaults_pod_status(object, call->now, &call->store->born);
    }
}

static bool validate(struct skr_store_call *call, const json_t *object, const json_t *before,
                     bool meta, bool rest)
{
    struct skr_causes causes = {.list = NULL};
    if (meta) {
        skr_validate_meta(call->resource, object, before, call->known, &causes);
        if (before) {
            skr_validate_meta_update(object, before, &causes);
        }
    }
    if (rest) {
        skr_validate_object(call->resource, object, before, &causes);
        if (strcmp(call->resource->kind, "Event") == 0) {
            skr_validate_event(object, call->asked != call->resource, &causes);
        }
    }
    return !skr_causes_fail(&causes, call->reply, call->asked,
                            skr_path_text(object, "metadata.name"));
}

static void admit(struct skr_store_call *call, json_t *object)
{
    if (call->store->admit && !call->loading && strcmp(call->resource->kind, "Pod") == 0) {
        call->store->admit(call->store->admit_context, call->request->namespace_, object,
                           call->now);
    }
}

void skr_store_set_admission(struct skr_store *store,
                             void (*fn)(void *context, const char *namespace_, json_t *pod,
                                        skr_time now),
                             void *context)
{
    store->admit = fn;
    store->admit_context = context;
}

static bool prepare_new(struct skr_store_call *call, json_t *object)
{
    if (!begin_meta(call, object)) {
        return false;
    }
    set_defaults(call, object);
    admit(call, object);
    return (strcmp(call->resource->kind, "Pod") != 0 || skr_defaults_priority(call, object)) &&
           validate(call, object, NULL, true, true) && skr_store_check_size(call, object);
}

static bool has_room(struct skr_store_call *call)
{
    if (call->store->n_objects < SKR_STORE_OBJECTS_MAX) {
        return true;
    }
    skr_status_fail(call->reply, 500, NULL, NULL,
                    "the simulated cluster is full: it holds %d objects", SKR_STORE_OBJECTS_MAX);
    return false;
}

void skr_store_do_create(struct skr_store_call *call)
{
    json_t *object = take_body(call);
    if (!object) {
        return;
    }
    if (!check_namespace(call, object) || !namespace_is_open(call) || !prepare_new(call, object) ||
        !has_room(call)) {
        json_decref(object);
        return;
    }
    const char *name = skr_path_text(object, "metadata.name");
    if (skr_store_find(call->store, call->resource, call->request->namespace_, name)) {
        char plural[128];
        skr_status_fail_reason(call->reply, 409, "AlreadyExists", call->asked, name,
                               "%s \"%s\" already exists", skr_status_plural(call->asked, plural),
                               name);
        json_decref(object);
        return;
    }
    if (call->request->dry_run) {
        skr_store_reply_object(call, 201, object);
        json_decref(object);
        return;
    }
    skr_store_reply_object(call, 201, skr_store_commit(call->store, call->resource, NULL, object));
}

/* ---- loading ---- */

static void make_namespace(struct skr_store_call *call)
{
    const struct skr_store_resource *namespaces = skr_store_resource_of_kind("v1", "Namespace");
    const char *name = call->request->namespace_;
    if (!call->resource->namespaced || *name == 0 ||
        skr_store_find(call->store, namespaces, "", name)) {
        return;
    }
    json_auto_t *object = json_pack("{s:s, s:s, s:{s:s}}", "apiVersion", "v1", "kind", "Namespace",
                                    "metadata", "name", name);
    (void)skr_store_put(call->store, object, call->now, NULL);
}

/* An existing object keeps members that the new one omits. */
static void inherit(json_t *object, const json_t *before)
{
    json_t *meta = json_object_get(object, "metadata");
    const json_t *old = json_object_get(before, "metadata");
    static const char *const kept[] = {"uid", "creationTimestamp", "generation"};
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
        if (!json_object_get(meta, kept[i]) && json_object_get(old, kept[i])) {
            json_object_set_nocheck(meta, kept[i], json_object_get(old, kept[i]));
        }
    }
    if (!json_object_get(object, "status") && json_object_get(before, "status")) {
        json_object_set_nocheck(object, "status", json_object_get(before, "status"));
    }
}

void skr_store_do_put(struct skr_store_call *call)
{
    json_t *object = take_body(call);
    if (!object) {
        return;
    }
    struct skr_shelf_item *item =
        skr_store_find(call->store, call->resource, call->request->namespace_,
                       skr_path_text(object, "metadata.name"));
    if (item) {
        inherit(object, item->object);
    }
    if (!check_namespace(call, object) || !prepare_new(call, object) || !has_room(call)) {
        json_decref(object);
        return;
    }
    make_namespace(call);
    skr_store_share(object, item ? item->object : NULL, NULL);
    (void)skr_path_own(object, "metadata");
    const int status = item ? 200 : 201;
    skr_store_reply_object(call, status,
                           skr_store_commit(call->store, call->resource, item, object));
}
