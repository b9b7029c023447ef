/* SPDX-License-Identifier: Apache-2.0 */
/* Executes PUT and the patches of one object, see store_write.c. */
#include <stdio.h>
#include <string.h>

#include "server/lab/store/schema.h"
#include "server/lab/store/store_parts.h"
#include "server/object/nulls.h"
#include "server/object/pairs.h"

static bool is_status(const struct skr_store_call *call)
{
    return strcmp(call->request->subresource, "status") == 0;
}

static bool is_kind(const struct skr_store_call *call, const char *kind)
{
    return strcmp(call->resource->kind, kind) == 0;
}

/* ---- the requested object ---- */

/* The body of a PUT. Values it already shares with the object stay shared (controllers put back
 * what they read). */
static json_t *body_as_own(const json_t *body, const json_t *before)
{
    json_t *object = json_object();
    const char *key;
    json_t *value;
    json_object_foreach(skr_object_unconst(body), key, value)
    {
        const bool same = value == json_object_get(before, key);
        json_object_set_new_nocheck(object, key, same ? skr_path_ref(value) : skr_path_copy(value));
    }
    skr_store_share(object, before, NULL);
    return object;
}

static json_t *patched(struct skr_store_call *call, const json_t *target)
{
    const json_t *body = call->request->body;
    struct skr_error error = {.code = SKR_OK};
    json_t *result = NULL;
    switch (call->request->verb) {
    case SKR_STORE_PATCH_STRATEGIC:
        if (call->resource->custom) {
            skr_status_fail(call->reply, 415, NULL, NULL,
                            "the body of the request was in an unknown format - accepted media "
                            "types include: application/json-patch+json, "
                            "application/merge-patch+json");
            return NULL;
        }
        result = skr_patch_strategic(target, body, call->resource->kind, &error);
        break;
    case SKR_STORE_PATCH_JSON:
        result = skr_patch_json(target, body, &error);
        break;
    case SKR_STORE_UPDATE:
        return call->request->given ? skr_path_ref(body) : body_as_own(body, target);
    case SKR_STORE_PATCH_MERGE:
    case SKR_STORE_GET:
    case SKR_STORE_LIST:
    case SKR_STORE_CREATE:
    case SKR_STORE_DELETE:
    case SKR_STORE_DELETE_COLLECTION:
    case SKR_STORE_VERB_COUNT:
    default:
        return skr_patch_merge(target, body);
    }
    if (!result && error.code == SKR_CONFLICT) {
        skr_status_fail(call->reply, 422, NULL, NULL, "%s", error.text);
    } else if (!result) {
        skr_status_fail(call->reply, 400, NULL, NULL, "%s", error.text);
    }
    return result;
}

static bool check_patch_body(struct skr_store_call *call, const json_t *before)
{
    if (call->request->verb != SKR_STORE_PATCH_JSON) {
        /* Patches share no value with the object. */
        return skr_store_check_body(call, call->request->verb == SKR_STORE_UPDATE ? before : NULL);
    }
    if (!json_is_array(call->request->body) || skr_path_too_deep(call->request->body)) {
        skr_status_fail(call->reply, 400, NULL, NULL,
                        "a JSON patch is an array of operations, nested at most %d levels deep",
                        SKR_PATH_DEPTH_MAX);
        return false;
    }
    return true;
}

static bool has_same(const json_t *object, const json_t *before, const char *key)
{
    return json_object_get(object, key) == json_object_get(before, key);
}

/* A new object in the stored shape; top and metadata own, except an untouched metadata. NULL: the
 * reply has the error. */
static json_t *wanted_object(struct skr_store_call *call, const json_t *before)
{
    if (!check_patch_body(call, before)) {
        return NULL;
    }
    json_t *shown = skr_store_present(call->asked, before);
    json_t *object = patched(call, shown);
    json_decref(shown);
    /* A merge is at most as deep as the deeper of the two, and a new object is the body. It has no
     * nulls except those of the body. */
    const bool moves = call->request->verb == SKR_STORE_PATCH_JSON;
    if (object &&
        (!json_is_object(object) || (moves && skr_path_too_deep_beside(object, before)))) {
        skr_status_fail(call->reply, 400, NULL, NULL, "the patched object is no valid object");
        json_decref(object);
        return NULL;
    }
    if (object) {
        object = skr_store_kept(call, object);
        if (moves || (!call->request->given && skr_nulls_any(call->request->body))) {
            json_t *clean =
                skr_nulls_resolved(object, call->resource->custom, call->resource->kind, before);
            json_decref(object);
            object = clean;
        }
        if (!has_same(object, before, "metadata")) {
            (void)skr_path_own(object, "metadata");
        }
    }
    return object;
}

/* ---- identity ---- */

/* Omitted members keep their value. */
static void keep_if_absent(json_t *object, const json_t *before, const char *key)
{
    json_t *value = json_object_get(before, key);
    if (!json_object_get(object, key) && value) {
        json_object_set_nocheck(object, key, value);
    }
}

static bool check_same(struct skr_store_call *call, json_t *meta, const char *key,
                       const char *expected)
{
    const char *said = skr_path_text(meta, key);
    if (*said == '\0') {
        if (*expected != '\0') {
            json_object_set_new_nocheck(meta, key, json_string(expected));
        }
        return true;
    }
    if (strcmp(said, expected) == 0) {
        return true;
    }
    skr_status_fail(call->reply, 400, NULL, NULL,
                    "the %s of the object (%.256s) does not match the %s on the URL (%.256s)", key,
                    said, key, expected);
    return false;
}

/* Whether the metadata differ, and only in labels and annotations. Members given as preconditions
 * that hold are shared again. */
static bool texts_alone_differ(json_t *object, const json_t *before)
{
    json_t *meta = json_object_get(object, "metadata");
    const json_t *old = json_object_get(before, "metadata");
    size_t n = json_object_size(old);
    if (meta == old) {
        return false;
    }
    struct skr_pairs p = skr_pairs_of(meta, old);
    while (skr_pairs_next(&p)) {
        if (json_is_object(p.value)) {
            const bool text = strcmp(p.key, "labels") == 0 || strcmp(p.key, "annotations") == 0;
            if (p.value != p.other && (!text || json_object_size(p.value) == 0)) {
                return false;
            }
            n += p.other ? 0 : 1;
        } else if (!skr_pairs_equal(p.value, p.other)) {
            return false;
        } else if (p.value != p.other) {
            skr_pairs_set(&p, json_incref(p.other));
        }
    }
    return json_object_size(meta) == n;
}

static bool check_identity(struct skr_store_call *call, json_t *object, const json_t *before,
                           bool meta_is_same)
{
    json_t *meta = json_object_get(object, "metadata");
    const json_t *old = json_object_get(before, "metadata");
    char why[512];
    keep_if_absent(object, before, "apiVersion");
    keep_if_absent(object, before, "kind");
    if (!skr_pairs_equal(json_object_get(object, "kind"), json_object_get(before, "kind")) ||
        !skr_pairs_equal(json_object_get(object, "apiVersion"),
                         json_object_get(before, "apiVersion"))) {
        skr_status_fail(
            call->reply, 400, NULL, NULL, "%.80s in version \"%.80s\" cannot be handled as a %s",
            skr_path_text(object, "kind"), skr_path_text(object, "apiVersion"), call->asked->kind);
        return false;
    }
    if (meta_is_same) {
        return true;
    }
    const char *uid = skr_path_text(meta, "uid");
    const char *revision = skr_path_text(meta, "resourceVersion");
    if (!check_same(call, meta, "name", call->request->name) ||
        !check_same(call, meta, "namespace", call->request->namespace_)) {
        return false;
    }
    if (call->request->verb == SKR_STORE_UPDATE && *uid != '\0' &&
        strcmp(uid, skr_path_text(old, "uid")) != 0) {
        (void)snprintf(why, sizeof why,
                       "StorageError: invalid object, Code: 4, Key: /registry/%s/%s/%s, "
                       "ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in "
                       "precondition: %.80s, UID in object meta: %s",
                       call->resource->plural, call->request->namespace_, call->request->name, uid,
                       skr_path_text(old, "uid"));
        skr_status_conflict(call->reply, call->asked, call->request->name, why);
        return false;
    }
    if (*revision != '\0' && strcmp(revision, skr_path_text(old, "resourceVersion")) != 0) {
        skr_status_conflict(call->reply, call->asked, call->request->name,
                            "the object has been modified; please apply your changes to the latest "
                            "version and try again");
        return false;
    }
    if (*revision == '\0' && call->request->verb == SKR_STORE_UPDATE &&
        (is_kind(call, "Lease") || call->resource->custom)) {
        struct skr_causes causes = {.list = NULL};
        skr_causes_add(&causes, "FieldValueInvalid", "metadata.resourceVersion",
                       "Invalid value: 0: must be specified for an update");
        return !skr_causes_fail(&causes, call->reply, call->asked, call->request->name);
    }
    return true;
}

/* ---- what the request may change ---- */

static void restore(json_t *object, const json_t *before, const char *key)
{
    json_t *value = json_object_get(before, key);
    const json_t *now = json_object_get(object, key);
    if (value && value != now) {
        json_object_set_nocheck(object, key, value);
    } else if (!value && now) {
        json_object_del(object, key);
    }
}

/* Sets ObjectMeta as the registry does before validation. */
static void settle_meta(json_t *meta, const json_t *old)
{
    json_object_del(meta, "managedFields");
    json_object_del(meta, "selfLink");
    keep_if_absent(meta, old, "uid");
    keep_if_absent(meta, old, "creationTimestamp");
    keep_if_absent(meta, old, "deletionTimestamp");
    keep_if_absent(meta, old, "deletionGracePeriodSeconds");
    restore(meta, old, "generation");
    restore(meta, old, "resourceVersion");
    if (json_object_size(json_object_get(meta, "labels")) == 0) {
        json_object_del(meta, "labels");
    }
    if (json_object_size(json_object_get(meta, "annotations")) == 0) {
        json_object_del(meta, "annotations");
    }
    if (json_array_size(json_object_get(meta, "finalizers")) == 0) {
        json_object_del(meta, "finalizers");
    }
}

/* The status subresource changes the status, and the metadata that the kind's strategy permits. */
static void limit_to_status(const struct skr_store_call *call, json_t *object, const json_t *before)
{
    struct skr_pairs p = skr_pairs_of(object, before);
    while (skr_pairs_next(&p)) {
        if (strcmp(p.key, "status") == 0 || strcmp(p.key, "metadata") == 0) {
            continue;
        }
        if (!p.other) {
            json_object_del(object, p.key);
        } else if (p.value != p.other) {
            skr_pairs_set(&p, json_incref(p.other));
        }
    }
    p = skr_pairs_of(before, object);
    while (skr_pairs_next(&p)) {
        if (!p.other && strcmp(p.key, "status") != 0) {
            json_object_set_nocheck(object, p.key, p.value);
        }
    }
    json_t *meta = json_object_get(object, "metadata");
    const json_t *old = json_object_get(before, "metadata");
    if (meta == old) {
        return;
    }
    restore(meta, old, "ownerReferences");
    if (is_kind(call, "Deployment") || call->resource->custom) {
        restore(meta, old, "labels");
    }
    if (call->resource->custom) {
        restore(meta, old, "annotations");
        restore(meta, old, "finalizers");
    }
}

static bool has_status_subresource(const struct skr_store_resource *resource)
{
    for (size_t i = 0; resource->subresources[i]; i++) {
        if (strcmp(resource->subresources[i], "status") == 0) {
            return true;
        }
    }
    return false;
}

/* Whether anything but metadata and status differs. Shares equal members again. */
static bool share_equals(json_t *object, const json_t *before)
{
    struct skr_pairs p = skr_pairs_of(object, before);
    bool changed = false;
    while (skr_pairs_next(&p)) {
        if (p.value != p.other && skr_pairs_equal(p.value, p.other)) {
            skr_pairs_set(&p, json_incref(p.other));
        }
        changed = changed || (p.value != p.other && strcmp(p.key, "metadata") != 0 &&
                              strcmp(p.key, "status") != 0);
    }
    p = skr_pairs_of(before, object);
    while (!changed && skr_pairs_next(&p)) {
        changed = !p.other && strcmp(p.key, "status") != 0;
    }
    return changed;
}

/* Untouched parts are valid already. */
static bool check_schema(struct skr_store_call *call, const json_t *object, const json_t *before)
{
    struct skr_error error = {.code = SKR_OK};
    const int rc = skr_schema_check(skr_store_resource_key(call->resource), object, before,
                                    call->request->strict, &error);
    if (rc != 0) {
        skr_status_fail(call->reply, 400, NULL, NULL,
                        "%s in version \"%s\" cannot be handled as a %s: %s", call->asked->kind,
                        call->asked->version, call->asked->kind, error.text);
    }
    return rc == 0;
}

static bool validate(struct skr_store_call *call, const json_t *object, const json_t *before,
                     bool texts_alone, bool rest)
{
    struct skr_causes causes = {.list = NULL};
    if (!has_same(object, before, "metadata")) {
        skr_validate_meta(call->resource, object, before, before, &causes);
        if (!texts_alone) {
            skr_validate_meta_update(object, before, &causes);
        }
    }
    if (rest) {
        skr_validate_object(call->resource, object, before, &causes);
    }
    return !skr_causes_fail(&causes, call->reply, call->asked, call->request->name);
}

static void count_generation(const struct skr_store_call *call, json_t *object)
{
    json_t *meta;
    if (call->resource->generation) {
        meta = skr_path_own(object, "metadata");
        json_object_set_new_nocheck(meta, "generation",
                                    json_integer(skr_path_int(meta, "generation", 0) + 1));
    }
}

/* Sets defaults in the changed parts, which must be own. Defaults of a pod's part depend only on
 * the part, so unchanged parts have them already. */
static json_t *with_defaults(const struct skr_store_call *call, json_t *object,
                             const json_t *before, bool *changed)
{
    json_t *own = skr_path_copy_beside(object, is_kind(call, "Pod") ? before : NULL);
    json_decref(object);
    skr_defaults_set(call->resource, own, NULL);
    if (is_kind(call, "Pod")) { /* admission plugin Priority */
        json_t *spec = json_object_get(own, "spec");
        keep_if_absent(spec, json_object_get(before, "spec"), "priority");
        keep_if_absent(spec, json_object_get(before, "spec"), "preemptionPolicy");
    }
    skr_store_share(own, before, NULL);
    *changed = share_equals(own, before);
    (void)skr_path_own(own, "metadata");
    return own;
}

/* Whether a pod's spec differs only in its gates, which have no defaults. */
static bool opens_gates(const struct skr_store_call *call, const json_t *object,
                        const json_t *before)
{
    static const char gates[] = "schedulingGates";
    const json_t *spec = json_object_get(object, "spec");
    const json_t *old = json_object_get(before, "spec");
    if (!is_kind(call, "Pod") || json_object_size(object) != json_object_size(before) ||
        (json_object_get(spec, gates) ? 0 : 1) + json_object_size(spec) != json_object_size(old)) {
        return false;
    }
    struct skr_pairs p = skr_pairs_of(spec, old);
    while (skr_pairs_next(&p)) {
        if (p.value != p.other && strcmp(p.key, gates) != 0) {
            return false;
        }
    }
    return json_object_get(old, gates);
}

/* All steps between the requested object and the commit. *object: own, may be replaced. */
static bool settle(struct skr_store_call *call, json_t **object, const json_t *before)
{
    const bool texts_alone = texts_alone_differ(*object, before);
    if (!check_identity(call, *object, before,
                        texts_alone || has_same(*object, before, "metadata"))) {
        return false;
    }
    if (is_status(call)) {
        limit_to_status(call, *object, before);
    } else if (strcmp(call->request->subresource, "finalize") == 0) {
        restore(*object, before, "status");
    } else if (is_kind(call, "Namespace")) {
        restore(*object, before, "spec");
        restore(*object, before, "status");
    } else if (has_status_subresource(call->resource)) {
        restore(*object, before, "status");
    }
    if (!texts_alone && !has_same(*object, before, "metadata")) {
        settle_meta(json_object_get(*object, "metadata"), json_object_get(before, "metadata"));
    }
    bool changed = share_equals(*object, before);
    const bool same =
        !changed && has_same(*object, before, "status") && has_same(*object, before, "metadata");
    if (same) {
        return true;
    }
    if (!check_schema(call, *object, before)) {
        return false;
    }
    const bool grown = changed && !opens_gates(call, *object, before);
    if (grown) {
        *object = with_defaults(call, *object, before, &changed);
    }
    if (!validate(call, *object, before, texts_alone, changed)) {
        return false;
    }
    if (changed) {
        count_generation(call, *object);
    }
    return !grown || skr_store_check_size(call, *object);
}

static void put_in_force(struct skr_store_call *call, struct skr_shelf_item *item, json_t *object)
{
    if (skr_pairs_equal(object, item->object)) { /* no change: no new revision */
        skr_store_reply_object(call, 200, item->object);
        json_decref(object);
        return;
    }
    if (call->request->dry_run) {
        skr_store_reply_object(call, 200, object);
        json_decref(object);
        return;
    }
    (void)skr_path_own(object, "metadata");
    const json_t *result = skr_store_is_gone(object)
                               ? skr_store_remove(call->store, call->resource, item, object)
                               : skr_store_commit(call->store, call->resource, item, object);
    skr_store_reply_object(call, 200, result);
}

void skr_store_do_update(struct skr_store_call *call)
{
    struct skr_shelf_item *item = skr_store_find_asked(call);
    json_t *object = item ? wanted_object(call, item->object) : NULL;
    if (!object) {
        return;
    }
    if (!settle(call, &object, item->object)) {
        json_decref(object);
        return;
    }
    put_in_force(call, item, object);
}
