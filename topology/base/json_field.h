/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TOPOLOGY_BASE_JSON_FIELD_H
#define SKR_TOPOLOGY_BASE_JSON_FIELD_H
/*
 * Typed fields of decoded JSON. Absent and null are the same, as in the Go types of Kubernetes; a
 * value of another JSON type is an error that names the path of the field
 * ("spec.containers[3].name: must be a string, got a number").
 *
 * Paths are frames on the callers' stacks, linked upwards, and become text only when something is
 * wrong: decoding a correct object formats nothing. Everything returned is borrowed from the JSON
 * and not to be changed (objects come without const because libjansson iterates over nothing else).
 */
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "topology/base/arena.h"
#include "topology/base/error.h"
#include "topology/base/json.h"

enum {
    SKR_FIELD_PATH_MAX = 160,  /* bytes of a path as text, NUL included; longer ones are cut */
    SKR_FIELD_DEPTH_MAX = 16,  /* frames of a path */
    SKR_JSON_NESTING_MAX = 32, /* brackets and braces within each other in a text that is loaded */
};

#define SKR_FIELD_NO_INDEX SIZE_MAX

/* "up.key[index]". up NULL: the path begins here. key NULL: an index only. */
struct skr_field_path {
    const struct skr_field_path *up;
    const char *key;
    size_t index; /* SKR_FIELD_NO_INDEX: none */
};

/* NULL or JSON null. */
bool skr_object_is_absent(const json_t *value);
/* libjansson iterates over non-const objects only; the iteration changes nothing. */
json_t *skr_object_unconst(const json_t *value);
/* The string at key; "" where there is none, or something else. Borrowed. */
const char *skr_object_text(const json_t *object, const char *key);
/* "a string", "an object", ...; never NULL. */
const char *skr_object_type_name(const json_t *value);

/* Writes path, then "." and key (NULL: none). path NULL is the object itself. */
void skr_field_path_write(const struct skr_field_path *path, const char *key,
                          char buffer[SKR_FIELD_PATH_MAX]);

/* Sets "PATH.KEY: ..."; key NULL: none. */
int skr_field_set_error(const struct skr_field_path *path, const char *key, struct skr_error *error,
                        enum skr_error_code code, const char *format, ...) SKR_PRINTF(5, 6);
/* Puts "PATH.KEY: " in front of an error. Returns -error->code; error may be NULL, as there. */
int skr_field_prefix(const struct skr_field_path *path, const char *key, struct skr_error *error);

/* Sets SKR_INVALID "PATH.KEY: must be WHAT, got TYPE". */
int skr_field_set_type_error(const struct skr_field_path *path, const char *key, const char *what,
                             const json_t *value, struct skr_error *error);

/* The same of values of a tape (json.h), which decoders of objects that come by the thousand read. */

/* *ret is value; NULL if it is NULL or null. SKR_INVALID: it is not of the type. */
int skr_json_expect(const struct skr_json *value, enum skr_json_type type,
                    const struct skr_field_path *path, const char *key, const struct skr_json **ret,
                    struct skr_error *error);
/* Sets SKR_INVALID "PATH.KEY: must be WHAT, got TYPE". */
int skr_json_type_error(const struct skr_field_path *path, const char *key, const char *what,
                        const struct skr_json *value, struct skr_error *error);
/* A copy of a string; "" if it is NULL or null. Errors: also SKR_LIMIT. */
int skr_json_copy_string(struct skr_arena *arena, const struct skr_json *value,
                         const struct skr_field_path *path, const char *key, const char **ret,
                         struct skr_error *error);
/* An array with at most limit items. Errors: also SKR_LIMIT. */
int skr_json_expect_array(const struct skr_json *value, const struct skr_field_path *path,
                          const char *key, size_t limit, const struct skr_json **ret,
                          struct skr_error *error);
/* An integer of 32 bits; absent if it is NULL or null. */
int skr_json_int32(const struct skr_json *value, const struct skr_field_path *path, const char *key,
                   int32_t absent, int32_t *ret, struct skr_error *error);

/* JSON inside a string of an API object; json_decref() *ret. what names it in messages. Errors:
 * SKR_INVALID "WHAT: LINE:COLUMN: invalid JSON: ...", SKR_LIMIT (more than limit bytes, deeper than
 * SKR_JSON_NESTING_MAX), SKR_NO_MEMORY. */
int skr_json_text_parse(const char *what, const char *text, size_t limit, json_t **ret,
                        struct skr_error *error);

/* The same, but an object that has a name twice is SKR_INVALID, with both positions. */
int skr_json_text_parse_unique(const char *what, const char *text, size_t limit, json_t **ret,
                               struct skr_error *error);

/* object must be a JSON object. Absent or null gives "", false, absent, NULL, NULL. Errors:
 * SKR_INVALID, SKR_LIMIT (an array with more than limit entries). */
int skr_field_string(const json_t *object, const struct skr_field_path *path, const char *key,
                     const char **ret, struct skr_error *error);
/* The same as a copy in the arena. Errors: also SKR_LIMIT. */
int skr_field_copy_string(struct skr_arena *arena, const json_t *object,
                          const struct skr_field_path *path, const char *key, const char **ret,
                          struct skr_error *error);
int skr_field_bool(const json_t *object, const struct skr_field_path *path, const char *key,
                   bool *ret, struct skr_error *error);
int skr_field_int32(const json_t *object, const struct skr_field_path *path, const char *key,
                    int32_t absent, int32_t *ret, struct skr_error *error);
int skr_field_object(const json_t *object, const struct skr_field_path *path, const char *key,
                     json_t **ret, struct skr_error *error);
int skr_field_array(const json_t *object, const struct skr_field_path *path, const char *key,
                    size_t limit, json_t **ret, struct skr_error *error);
/* Entry index of an array that path names (frame with the array's key, no index): an object. */
int skr_field_entry(const json_t *array, const struct skr_field_path *path, size_t index,
                    json_t **ret, struct skr_error *error);

#endif
