/* SPDX-License-Identifier: Apache-2.0 */
/* ConfigMaps: metadata and data. binaryData is not read: none of our keys is binary. */
#include "topology/object.h"

#include "topology/base/json_field.h"
#include "topology/base/json_tree.h"

enum { METADATA, DATA, IMMUTABLE, MEMBERS };
static const char *const member_key[MEMBERS] = {"metadata", "data", "immutable"};

static int decode(struct skr_arena *arena, const struct skr_json *const member[],
                  const struct skr_meta_members *meta, struct skr_configmap **ret,
                  struct skr_error *error)
{
    struct skr_configmap *map = skr_arena_alloc(arena, sizeof *map);
    if (!map) {
        return skr_object_too_large(error, "configmap");
    }
    map->arena = arena;
    int rc = skr_meta_read(arena, meta, NULL, &map->meta, error);
    if (rc != 0) {
        return rc;
    }
    if (map->meta.name[0] == '\0') {
        return skr_error_set_key(error, SKR_INVALID, "metadata.name", "missing");
    }
    map->immutable =
        member[IMMUTABLE] && member[IMMUTABLE]->type == SKR_JSON_BOOLEAN && member[IMMUTABLE]->n;
    rc = skr_labels_read(arena, member[DATA], NULL, NULL, "data", &map->data, error);
    if (rc == 0) {
        *ret = map;
    }
    return rc;
}

/* Bytes that an ordinary map takes, so that its arena is one block of that size. */
static size_t size_of(const struct skr_json *data, const struct skr_meta_members *meta)
{
    enum { TEXTS = 64 + 64 + 48 }; /* namespace, name, UID */
    const size_t size = sizeof(struct skr_configmap) + TEXTS +
                        skr_labels_size(meta->of[SKR_META_LABELS], NULL, NULL) +
                        skr_labels_size(meta->of[SKR_META_ANNOTATIONS], NULL, NULL) +
                        skr_labels_size(data, NULL, NULL);
    return size < SKR_OBJECT_BYTES_MAX ? size : SKR_OBJECT_BYTES_MAX;
}

int skr_configmap_read(const struct skr_json *json, struct skr_configmap **ret,
                       struct skr_error *error)
{
    const struct skr_json *member[MEMBERS];
    struct skr_meta_members meta;
    if (!json || json->type != SKR_JSON_OBJECT) {
        return skr_json_type_error(NULL, "object", "an object", json, error);
    }
    skr_json_members(json, member_key, MEMBERS, member);
    skr_meta_members_read(member[METADATA], &meta);
    struct skr_arena *arena = skr_arena_create(SKR_OBJECT_BYTES_MAX, size_of(member[DATA], &meta));
    if (!arena) {
        return skr_error_set(error, SKR_NO_MEMORY, "configmap: out of memory");
    }
    int rc = decode(arena, member, &meta, ret, error);
    if (rc != 0) {
        skr_arena_destroy(arena);
    }
    return rc;
}

int skr_configmap_decode(const json_t *json, struct skr_configmap **ret, struct skr_error *error)
{
    SKR_JSON_READER(reader);
    const struct skr_json *value = NULL;
    const int rc = skr_json_of_tree(&reader, json, &value, error);
    return rc != 0 ? rc : skr_configmap_read(value, ret, error);
}

void skr_configmap_destroy(struct skr_configmap *map)
{
    if (map) {
        skr_arena_destroy(map->arena);
    }
}
