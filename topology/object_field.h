/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TOPOLOGY_OBJECT_FIELD_H
#define SKR_TOPOLOGY_OBJECT_FIELD_H
/*
 * Fields of decoded JSON, for the decoders of this folder. path is the text of the field's parent
 * ("metadata", "" for the object itself); absent and null are the same. JSON is borrowed.
 */
#include <jansson.h>
#include <stdbool.h>

#include "topology/base/arena.h"
#include "topology/base/error.h"

/* NULL or JSON null. */
bool skr_object_is_absent(const json_t *value);
/* libjansson iterates over non-const objects only; the iteration changes nothing. */
json_t *skr_object_unconst(const json_t *value);
/* "a string", "an object", ...; never NULL. */
const char *skr_object_type_name(const json_t *value);

/* Sets SKR_INVALID "PATH.KEY: must be WHAT, got TYPE"; key may be NULL. Returns -SKR_INVALID. */
int skr_object_type_error(struct skr_error *error, const char *path, const char *key,
                          const char *what, const json_t *value);
/* Sets SKR_LIMIT "PATH: larger than ..."; the arena is full or there is no memory. */
int skr_object_too_large(struct skr_error *error, const char *path);

/* "" when absent; borrowed from object. Errors: SKR_INVALID. */
int skr_object_string(const json_t *object, const char *path, const char *key, const char **ret,
                      struct skr_error *error);
/* The same as a copy in the arena. Errors: also SKR_LIMIT. */
int skr_object_copy_string(struct skr_arena *arena, const json_t *object, const char *path,
                           const char *key, const char **ret, struct skr_error *error);
/* false when absent. */
int skr_object_bool(const json_t *object, const char *path, const char *key, bool *ret,
                    struct skr_error *error);
/* NULL when absent. */
int skr_object_object(const json_t *object, const char *path, const char *key, const json_t **ret,
                      struct skr_error *error);
int skr_object_array(const json_t *object, const char *path, const char *key, const json_t **ret,
                     struct skr_error *error);

#endif
