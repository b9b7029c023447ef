/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TOPOLOGY_FIELDS_H
#define SKR_TOPOLOGY_FIELDS_H
/*
 * Decoders of API objects: the fields of one object, read one after the other. The first error is
 * kept, and whatever is read after it is absent; so a decoder reads all its fields and never asks
 * in between. Absent and null are the same, and the errors are those of topology/base/json_field.h.
 *
 * Every decoded object begins with struct skr_object. It is immutable, lives in one arena of its
 * own, and belongs to its holder.
 */
#include "topology/base/json_field.h"
#include "topology/object.h"

struct skr_object {
    struct skr_arena *arena;
    struct skr_meta meta;
};

struct skr_decoding {
    const char *what; /* "binding": the subject of messages about memory */
    struct skr_arena *arena;
    struct skr_error *error;
    int rc; /* of the first error; 0: none so far */
};

/* An object or an array in the JSON, with its path. Parts of it point to it. */
struct skr_fields {
    struct skr_decoding *decoding;
    json_t *json; /* borrowed; NULL: absent */
    struct skr_field_path path;
    size_t n; /* entries of an array; 0 behind an error */
};

/* Makes an object of size: meta is decoded, and fill() reads the rest. Errors: SKR_INVALID with the
 * path of the field, SKR_LIMIT, SKR_NO_MEMORY. */
typedef void skr_object_fill(void *object, const struct skr_fields *json);
int skr_object_decode(const json_t *json, const char *what, size_t size, skr_object_fill *fill,
                      void **ret, struct skr_error *error);
void skr_object_destroy(void *object); /* of any kind; NULL allowed */
const struct skr_meta *skr_object_meta(const void *object);

/* Defines the decoder of one kind by skr_object_decode(). struct_ begins as struct skr_object. */
#define SKR_OBJECT_DECODER(function, struct_, what, fill)                                \
    int function(const json_t *json, struct struct_ **ret, struct skr_error *error)      \
    {                                                                                    \
        void *object = NULL;                                                             \
        const int rc =                                                                   \
            skr_object_decode(json, what, sizeof(struct struct_), fill, &object, error); \
        if (rc == 0) {                                                                   \
            *ret = object;                                                               \
        }                                                                                \
        return rc;                                                                       \
    }
/* Defines skr_NAME_decode() and skr_NAME_destroy() of struct skr_NAME. */
#define SKR_OBJECT_KIND(name, what, fill)                           \
    SKR_OBJECT_DECODER(skr_##name##_decode, skr_##name, what, fill) \
    void skr_##name##_destroy(struct skr_##name *object)            \
    {                                                               \
        skr_object_destroy(object);                                 \
    }

/* Of qsort over pointers to objects: by name. */
int skr_object_compare_names(const void *a, const void *b);
/* The object of this name among n that are sorted by name: its index, or -1. O(log n). */
int64_t skr_object_search(const void *object, size_t n, const char *name);

/* The fields of json, whose own path is empty. */
struct skr_fields skr_fields_of(struct skr_decoding *decoding, const json_t *json);
struct skr_fields skr_fields_object(const struct skr_fields *in, const char *key);
/* json, which is what was found at key. */
struct skr_fields skr_fields_at(const struct skr_fields *in, const char *key, json_t *json);
/* SKR_LIMIT: more than limit entries. */
struct skr_fields skr_fields_list(const struct skr_fields *in, const char *key, size_t limit);
/* Entry i of a list: an object. */
struct skr_fields skr_fields_entry(const struct skr_fields *list, size_t i);
/* Whether a loop over a list goes on with entry i. */
bool skr_fields_more(const struct skr_fields *list, size_t i);

bool skr_fields_has(const struct skr_fields *in, const char *key);
/* The string at key: copied into the arena; borrowed from the JSON. "" when absent. */
const char *skr_fields_text(const struct skr_fields *in, const char *key);
const char *skr_fields_word(const struct skr_fields *in, const char *key);
/* An array of strings, copied. *ret is as long as the array. */
size_t skr_fields_texts(const struct skr_fields *in, const char *key, size_t limit,
                        const char ***ret);
bool skr_fields_bool(const struct skr_fields *in, const char *key);
int32_t skr_fields_int32(const struct skr_fields *in, const char *key, int32_t absent);
int64_t skr_fields_int64(const struct skr_fields *in, const char *key, int64_t absent);
/* RFC 3339; 0 when absent. *ret_is_set (NULL allowed): whether it is there. */
skr_time skr_fields_time(const struct skr_fields *in, const char *key, bool *ret_is_set);
/* A quantity, or a number that is written as one, in billionths; 0 when absent. */
skr_int128 skr_fields_nano(const struct skr_fields *in, const char *key);
/* The object itself as text in the arena; flags of jansson. */
const char *skr_fields_json(const struct skr_fields *in, size_t flags);

/* Zeroed room for n items of size in the arena; NULL behind an error. */
void *skr_fields_room(const struct skr_fields *in, size_t n, size_t size);
const char *skr_fields_copy(const struct skr_fields *in, const char *text);
/* Set an error unless there is one. _fail: "PATH.KEY: ..."; _refuse: the sentence alone. */
void skr_fields_fail(const struct skr_fields *in, const char *key, enum skr_error_code code,
                     const char *format, ...) SKR_PRINTF(4, 5);
void skr_fields_refuse(const struct skr_fields *in, enum skr_error_code code, const char *format,
                       ...) SKR_PRINTF(3, 4);
/* The result of another decoder with the same error. */
void skr_fields_note(const struct skr_fields *in, int rc);
void skr_fields_fail_type(const struct skr_fields *in, const char *key, const char *what,
                          const json_t *value);

#endif
