/* SPDX-License-Identifier: Apache-2.0 */
/* Objects in an array in order of creation, found by a hash of kind, namespace and name. */
#include "server/simulate/demo_objects.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "topology/base/strbuf.h"

struct object {
    enum skr_demo_kind kind;
    json_t *json; /* NULL: removed */
    char *key;    /* "kind/namespace/name" */
    UT_hash_handle hh;
};

struct skr_demo_objects {
    struct object **item; /* order of creation */
    size_t n, cap;
    struct object *by_key;
    uint64_t version;
};

static const char *const kind_names[] = {"Node", "Pod", "ConfigMap", "PodGroup"};
_Static_assert(sizeof kind_names / sizeof kind_names[0] == SKR_DEMO_KIND_COUNT, "one name a kind");

/* ---- reading ---- */

const char *skr_demo_text(const json_t *object, const char *path)
{
    char part[64];
    const json_t *at = object;
    while (at && *path) {
        size_t n = strcspn(path, ".");
        snprintf(part, sizeof part, "%.*s", (int)n, path);
        at = json_object_get(at, part);
        path += path[n] ? n + 1 : n;
    }
    const char *text = json_string_value(at);
    return text ? text : "";
}

const char *skr_demo_label(const json_t *object, const char *key)
{
    const json_t *labels = json_object_get(json_object_get(object, "metadata"), "labels");
    const char *text = json_string_value(json_object_get(labels, key));
    return text ? text : "";
}

static struct object *find(const struct skr_demo_objects *objects, enum skr_demo_kind kind,
                           const char *namespace_, const char *name)
{
    struct skr_strbuf key;
    struct object *found;
    skr_strbuf_init(&key);
    skr_strbuf_addf(&key, "%d/%s/%s", (int)kind, namespace_, name);
    HASH_FIND(hh, objects->by_key, key.s, key.len, found);
    skr_strbuf_fini(&key);
    return found;
}

json_t *skr_demo_objects_get(const struct skr_demo_objects *objects, enum skr_demo_kind kind,
                             const char *namespace_, const char *name)
{
    struct object *object = find(objects, kind, namespace_, name);
    return object ? object->json : NULL;
}

json_t *skr_demo_objects_at(const struct skr_demo_objects *objects, enum skr_demo_kind kind,
                            size_t i)
{
    for (size_t j = 0; j < objects->n; j++) {
        const struct object *object = objects->item[j];
        if (object->json && object->kind == kind && i-- == 0) {
            return object->json;
        }
    }
    return NULL;
}

/* ---- life ---- */

struct skr_demo_objects *skr_demo_objects_create(void)
{
    return skr_alloc(sizeof(struct skr_demo_objects));
}

void skr_demo_objects_destroy(struct skr_demo_objects *objects)
{
    if (!objects) {
        return;
    }
    HASH_CLEAR(hh, objects->by_key);
    for (size_t i = 0; i < objects->n; i++) {
        json_decref(objects->item[i]->json);
        free(objects->item[i]->key);
        free(objects->item[i]);
    }
    free(objects->item);
    free(objects);
}

static void set_version(struct skr_demo_objects *objects, json_t *object)
{
    char text[24];
    snprintf(text, sizeof text, "%llu", (unsigned long long)++objects->version);
    json_object_set_new(json_object_get(object, "metadata"), "resourceVersion", json_string(text));
}

static int read_kind(const json_t *object, enum skr_demo_kind *ret, struct skr_error *error)
{
    const char *kind = skr_demo_text(object, "kind");
    for (int i = 0; i < SKR_DEMO_KIND_COUNT; i++) {
        if (strcmp(kind, kind_names[i]) == 0) {
            *ret = (enum skr_demo_kind)i;
            return 0;
        }
    }
    return skr_error_set(error, SKR_INVALID,
                         "kind: \"%.64s\" is not Node, Pod, ConfigMap or "
                         "PodGroup",
                         kind);
}

static void fill_metadata(const struct skr_demo_objects *objects, json_t *object, skr_time now)
{
    char text[64];
    json_t *meta = json_object_get(object, "metadata");
    if (!json_object_get(meta, "uid")) {
        snprintf(text, sizeof text, "00000000-0000-4000-8000-%012zx", objects->n + 1);
        json_object_set_new(meta, "uid", json_string(text));
    }
    if (!json_object_get(meta, "creationTimestamp")) {
        skr_time_write(now / SKR_SECOND * SKR_SECOND, 0, text, sizeof text);
        json_object_set_new(meta, "creationTimestamp", json_string(text));
    }
}

static int check_new(const struct skr_demo_objects *objects, const json_t *object,
                     enum skr_demo_kind *ret, struct skr_error *error)
{
    int rc = read_kind(object, ret, error);
    if (rc < 0) {
        return rc;
    }
    const char *name = skr_demo_text(object, "metadata.name");
    if (name[0] == '\0') {
        return skr_error_set(error, SKR_INVALID, "%s: metadata.name is missing", kind_names[*ret]);
    }
    if (find(objects, *ret, skr_demo_text(object, "metadata.namespace"), name)) {
        return skr_error_set(error, SKR_CONFLICT, "%s %.128s exists", kind_names[*ret], name);
    }
    if (objects->n == SKR_DEMO_OBJECTS_MAX) {
        return skr_error_set(error, SKR_LIMIT, "more than %d objects", SKR_DEMO_OBJECTS_MAX);
    }
    return 0;
}

int skr_demo_objects_add(struct skr_demo_objects *objects, json_t *object, skr_time now,
                         enum skr_demo_kind *ret_kind, struct skr_error *error)
{
    enum skr_demo_kind kind = SKR_DEMO_NODE;
    int rc = check_new(objects, object, &kind, error);
    if (rc < 0) {
        json_decref(object);
        return rc;
    }
    fill_metadata(objects, object, now);
    set_version(objects, object);
    struct object *added = skr_alloc(sizeof *added);
    struct skr_strbuf key;
    skr_strbuf_init(&key);
    skr_strbuf_addf(&key, "%d/%s/%s", (int)kind, skr_demo_text(object, "metadata.namespace"),
                    skr_demo_text(object, "metadata.name"));
    added->kind = kind;
    added->json = object;
    size_t length;
    added->key = skr_strbuf_take(&key, &length);
    HASH_ADD_KEYPTR(hh, objects->by_key, added->key, length, added);
    skr_grow(&objects->item, &objects->cap, objects->n + 1, sizeof(struct object *));
    objects->item[objects->n++] = added;
    if (ret_kind) {
        *ret_kind = kind;
    }
    return 0;
}

bool skr_demo_objects_remove(struct skr_demo_objects *objects, enum skr_demo_kind kind,
                             const char *namespace_, const char *name)
{
    struct object *object = find(objects, kind, namespace_, name);
    if (!object) {
        return false;
    }
    HASH_DEL(objects->by_key, object);
    json_decref(object->json);
    object->json = NULL;
    return true;
}

/* ---- writes ---- */

/* RFC 7396 of two objects. depth bounds the recursion. false: nested too deep. */
static bool merge(json_t *target, const json_t *patch, int depth)
{
    const char *key;
    json_t *value;
    if (depth == 0) {
        return false;
    }
    /* jansson's iteration does not change the object it walks over. */
    json_object_foreach((json_t *)(uintptr_t)patch, key, value)
    {
        if (json_is_null(value)) {
            json_object_del(target, key);
            continue;
        }
        if (!json_is_object(value)) {
            json_object_set_new(target, key, json_deep_copy(value));
            continue;
        }
        if (!json_is_object(json_object_get(target, key))) {
            json_object_set_new(target, key, json_object());
        }
        if (!merge(json_object_get(target, key), value, depth - 1)) {
            return false;
        }
    }
    return true;
}

static bool differs(const json_t *object, const json_t *patch, const char *path)
{
    const char *wanted = skr_demo_text(patch, path);
    return wanted[0] && strcmp(wanted, skr_demo_text(object, path)) != 0;
}

int skr_demo_objects_patch(struct skr_demo_objects *objects, enum skr_demo_kind kind,
                           const char *namespace_, const char *name, const json_t *patch)
{
    struct object *object = find(objects, kind, namespace_, name);
    if (!json_is_object(patch)) {
        return 400;
    }
    if (!object) {
        return 404;
    }
    if (differs(object->json, patch, "metadata.uid")) {
        return 422;
    }
    if (differs(object->json, patch, "metadata.resourceVersion")) {
        return 409;
    }
    json_t *changed = json_deep_copy(object->json);
    if (!merge(changed, patch, SKR_DEMO_PATCH_DEPTH_MAX)) {
        json_decref(changed);
        return 400;
    }
    set_version(objects, changed);
    json_decref(object->json);
    object->json = changed;
    return 200;
}

static void merge_gate(json_t *gates, const json_t *wanted)
{
    const char *name = skr_demo_text(wanted, "name");
    bool remove = strcmp(skr_demo_text(wanted, "$patch"), "delete") == 0;
    for (size_t i = json_array_size(gates); i-- > 0;) {
        if (strcmp(skr_demo_text(json_array_get(gates, i), "name"), name) == 0) {
            json_array_remove(gates, i);
        }
    }
    if (!remove) {
        json_array_append_new(gates, json_deep_copy(wanted));
    }
}

int skr_demo_objects_patch_gates(struct skr_demo_objects *objects, const char *namespace_,
                                 const char *name, const json_t *patch)
{
    const json_t *pod = skr_demo_objects_get(objects, SKR_DEMO_POD, namespace_, name);
    const json_t *wanted = json_object_get(json_object_get(patch, "spec"), "schedulingGates");
    if (!pod || !wanted) {
        return skr_demo_objects_patch(objects, SKR_DEMO_POD, namespace_, name, patch);
    }
    json_t *gates =
        json_deep_copy(json_object_get(json_object_get(pod, "spec"), "schedulingGates"));
    json_t *plain = json_deep_copy(patch);
    gates = gates ? gates : json_array();
    for (size_t i = 0; i < json_array_size(wanted); i++) {
        merge_gate(gates, json_array_get(wanted, i));
    }
    json_object_set_new(json_object_get(plain, "spec"), "schedulingGates", gates);
    int status = skr_demo_objects_patch(objects, SKR_DEMO_POD, namespace_, name, plain);
    json_decref(plain);
    return status;
}

static void merge_strings(json_t *pod, const json_t *binding, const char *field)
{
    json_t *meta = json_object_get(pod, "metadata");
    const json_t *added = json_object_get(json_object_get(binding, "metadata"), field);
    if (!json_is_object(added)) {
        return;
    }
    if (!json_object_get(meta, field)) {
        json_object_set_new(meta, field, json_object());
    }
    merge(json_object_get(meta, field), added, 1);
}

int skr_demo_objects_bind(struct skr_demo_objects *objects, const char *namespace_,
                          const char *name, const json_t *binding)
{
    struct object *object = find(objects, SKR_DEMO_POD, namespace_, name);
    const char *node = skr_demo_text(binding, "target.name");
    if (!node[0]) {
        return 400;
    }
    if (!object) {
        return 404;
    }
    json_t *spec = json_object_get(object->json, "spec");
    bool gated = json_array_size(json_object_get(spec, "schedulingGates")) > 0;
    if (gated || skr_demo_text(spec, "nodeName")[0] ||
        differs(object->json, binding, "metadata.uid")) {
        return 409;
    }
    merge_strings(object->json, binding, "labels");
    merge_strings(object->json, binding, "annotations");
    json_object_set_new(spec, "nodeName", json_string(node));
    json_t *status = json_object_get(object->json, "status");
    json_object_del(status, "nominatedNodeName");
    set_version(objects, object->json);
    return 201;
}
