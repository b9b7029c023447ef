/* SPDX-License-Identifier: Apache-2.0 */
/* ConfigMaps: metadata and data. binaryData is not read: none of our keys is binary. */
#include "topology/object.h"

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

int skr_configmap_decode(const json_t *json, struct skr_configmap **ret, struct skr_error *error)
{
    struct skr_arena *arena = skr_arena_create(SKR_OBJECT_BYTES_MAX, 0);
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
