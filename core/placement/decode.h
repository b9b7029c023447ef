/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_PLACEMENT_DECODE_H
#define SKR_CORE_PLACEMENT_DECODE_H
/* What the decoders of this folder share. JSON is borrowed, results are copies in the arena. */
#include "core/placement/objects.h"
#include "topology/base/json_field.h"

#define SKR_FIELD(name, up_, key_) \
    const struct skr_field_path name = {.up = (up_), .key = (key_), .index = SKR_FIELD_NO_INDEX}
#define SKR_FIELD_AT(name, up_, key_, index_) \
    const struct skr_field_path name = {.up = (up_), .key = (key_), .index = (index_)}

/* A zeroed object of size whose first member is the arena it lives in. */
int skr_ocm_object_create(size_t size, void **ret, struct skr_error *error);
int skr_ocm_no_room(struct skr_error *error); /* the arena is full */
/* As skr_field_string(), copied. */
int skr_ocm_string(struct skr_arena *arena, const json_t *object, const struct skr_field_path *path,
                   const char *key, const char **ret, struct skr_error *error);
/* Of metadata; 0 when absent. */
int skr_ocm_generation(const json_t *json, int64_t *ret, struct skr_error *error);
int skr_ocm_int64(const json_t *object, const struct skr_field_path *path, const char *key,
                  int64_t absent, int64_t *ret, struct skr_error *error);
/* RFC 3339; *ret_is_set false when absent. */
int skr_ocm_time(const json_t *object, const struct skr_field_path *path, const char *key,
                 bool *ret_is_set, skr_time *ret, struct skr_error *error);
/* An array of strings. */
int skr_ocm_strings(struct skr_arena *arena, const json_t *object,
                    const struct skr_field_path *path, const char *key, size_t limit, size_t *ret_n,
                    const char ***ret, struct skr_error *error);
/* The array key of object and room for its entries of size; *ret NULL when there is none. */
int skr_ocm_list(struct skr_arena *arena, const json_t *object, const struct skr_field_path *path,
                 const char *key, size_t limit, size_t size, json_t **ret, void **ret_room,
                 struct skr_error *error);
/* Member key of the object's spec or status (an object, empty when absent). */
int skr_ocm_part(const json_t *json, const char *key, json_t **ret, struct skr_error *error);
int skr_ocm_compare_strings(const void *a, const void *b); /* of qsort over const char * */

#endif
