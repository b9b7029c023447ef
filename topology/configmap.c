/* SPDX-License-Identifier: Apache-2.0 */
/* ConfigMaps: metadata and data. binaryData is not read: none of our keys is binary. */
#include "topology/object.h"

#include <string.h>

#include "topology/base/json_field.h"

static int decode(struct skr_arena *arena, const json_t *json, struct skr_configmap **ret,
                  struct skr_error *error)
{
    struct skr_configmap *map = skr_arena_alloc(arena, sizeof *map);
    if (!map) {
        return skr_object_too_large(error, "configmap");
    }
    map->arena = arena;
    int rc = skr_meta_decode(arena, json, NULL, &map->meta, error);
    if (rc != 0) {
        return rc;
    }
    if (map->meta.name[0] == '\0') {
        return skr_error_set_key(error, SKR_INVALID, "metadata.name", "missing");
    }
    map->immutable = json_is_true(json_object_get(json, "immutable"));
    rc = skr_labels_decode(arena, json_object_get(json, "data"), NULL, "data", &map->data, error);
    if (rc == 0) {
        *ret = map;
    }
    return rc;
}

/* Bytes that members of an object of strings take. */
static size_t strings_size(const json_t *object)
{
    const char *key;
    json_t *value;
    size_t size = 0;
    json_object_foreach(skr_object_unconst(object), key, value)
    {
        size += sizeof(struct skr_label) + strlen(key) + json_string_length(value) + 2;
    }
    return size;
}

/* Bytes that an ordinary map takes, so that its arena is one block of that size. */
static size_t size_of(const json_t *json)
{
    enum { TEXTS = 64 + 64 + 48 }; /* namespace, name, UID */
    const json_t *meta = json_object_get(json, "metadata");
    const size_t size = sizeof(struct skr_configmap) + TEXTS +
                        strings_size(json_object_get(meta, "labels")) +
                        strings_size(json_object_get(meta, "annotations")) +
                        strings_size(json_object_get(json, "data"));
    return size < SKR_OBJECT_BYTES_MAX ? size : SKR_OBJECT_BYTES_MAX;
}

int skr_configmap_decode(const json_t *json, struct skr_configmap **ret, struct skr_error *error)
{
    struct skr_arena *arena = skr_arena_create(SKR_OBJECT_BYTES_MAX, size_of(json));
    if (!arena) {
        return skr_error_set(error, SKR_NO_MEMORY, "configmap: out of memory");
    }
    int rc = decode(arena, json, ret, error);
    if (rc != 0) {
        skr_arena_destroy(arena);
    }
    return rc;
}

void skr_configmap_destroy(struct skr_configmap *map)
{
    if (map) {
        skr_arena_destroy(map->arena);
    }
}
