/* SPDX-License-Identifier: Apache-2.0 */
/* Typed fields of OCM objects, copied into the object's arena. */
#include "core/placement/decode.h"

#include <string.h>

int skr_ocm_no_room(struct skr_error *error)
{
    return skr_error_set(error, SKR_LIMIT, "larger than %d bytes", (int)SKR_OBJECT_BYTES_MAX);
}

int skr_ocm_object_create(size_t size, void **ret, struct skr_error *error)
{
    struct skr_arena *arena = skr_arena_create(SKR_OBJECT_BYTES_MAX, 0);
    void *object = arena ? skr_arena_alloc(arena, size) : NULL;
    if (!object) {
        skr_arena_destroy(arena);
        return skr_error_set(error, SKR_NO_MEMORY, "no memory");
    }
    *(struct skr_arena **)object = arena;
    *ret = object;
    return 0;
}

int skr_ocm_string(struct skr_arena *arena, const json_t *object, const struct skr_field_path *path,
                   const char *key, const char **ret, struct skr_error *error)
{
    const char *text;
    int rc = skr_field_string(object, path, key, &text, error);
    if (rc < 0) {
        return rc;
    }
    *ret = text[0] ? skr_arena_strdup(arena, text) : "";
    return *ret ? 0 : skr_ocm_no_room(error);
}

int skr_ocm_int64(const json_t *object, const struct skr_field_path *path, const char *key,
                  int64_t absent, int64_t *ret, struct skr_error *error)
{
    const json_t *value = json_object_get(object, key);
    if (value && !json_is_null(value) && !json_is_integer(value)) {
        return skr_field_set_type_error(path, key, "an integer", value, error);
    }
    *ret = json_is_integer(value) ? json_integer_value(value) : absent;
    return 0;
}

int skr_ocm_generation(const json_t *json, int64_t *ret, struct skr_error *error)
{
    SKR_FIELD(path, NULL, "metadata");
    return skr_ocm_int64(json_object_get(json, "metadata"), &path, "generation", 0, ret, error);
}

int skr_ocm_time(const json_t *object, const struct skr_field_path *path, const char *key,
                 bool *ret_is_set, skr_time *ret, struct skr_error *error)
{
    const char *text;
    int rc = skr_field_string(object, path, key, &text, error);
    *ret_is_set = rc == 0 && text[0] != '\0';
    if (!*ret_is_set) {
        return rc;
    }
    rc = skr_time_parse(text, ret, error);
    return rc < 0 ? skr_field_prefix(path, key, error) : 0;
}

int skr_ocm_list(struct skr_arena *arena, const json_t *object, const struct skr_field_path *path,
                 const char *key, size_t limit, size_t size, json_t **ret, void **ret_room,
                 struct skr_error *error)
{
    int rc = skr_field_array(object, path, key, limit, ret, error);
    *ret_room = NULL;
    if (rc == 0 && json_array_size(*ret) > 0) {
        *ret_room = skr_arena_array(arena, json_array_size(*ret), size);
        rc = *ret_room ? 0 : skr_ocm_no_room(error);
    }
    return rc;
}

int skr_ocm_strings(struct skr_arena *arena, const json_t *object,
                    const struct skr_field_path *path, const char *key, size_t limit, size_t *ret_n,
                    const char ***ret, struct skr_error *error)
{
    json_t *list;
    void *room;
    int rc = skr_ocm_list(arena, object, path, key, limit, sizeof **ret, &list, &room, error);
    if (rc < 0) {
        return rc;
    }
    *ret = room;
    *ret_n = json_array_size(list);
    for (size_t i = 0; i < *ret_n; i++) {
        const json_t *value = json_array_get(list, i);
        if (!json_is_string(value)) {
            SKR_FIELD_AT(at, path, key, i);
            return skr_field_set_type_error(&at, NULL, "a string", value, error);
        }
        (*ret)[i] = skr_arena_strdup(arena, json_string_value(value));
        if (!(*ret)[i]) {
            return skr_ocm_no_room(error);
        }
    }
    return 0;
}

int skr_ocm_part(const json_t *json, const char *key, json_t **ret, struct skr_error *error)
{
    if (!json_is_object(json)) {
        return skr_field_set_type_error(NULL, "object", "an object", json, error);
    }
    return skr_field_object(json, NULL, key, ret, error);
}

int skr_ocm_compare_strings(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}
