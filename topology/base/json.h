/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TOPOLOGY_BASE_JSON_H
#define SKR_TOPOLOGY_BASE_JSON_H
/*
 * JSON as a flat array of values ("tape"), read in one pass over the text.
 *
 * A value has 16 bytes. What is in an array or object follows it on the tape, so a value together with
 * its content is one run of the array. A member is two values: its key, a string, and its value. Only
 * iteration is offered: skr_json_next() jumps over content. Strings are not copied: they lie in the
 * text, or in the reader's memory if they have escapes. They are not NUL-terminated and hold no NUL.
 *
 * The reader accepts what libjansson accepts (RFC 8259, UTF-8 and the range of numbers checked), with
 * three differences, all for objects of API servers:
 *
 * - U+0000 becomes U+FFFD, unless refuse_nul is set, because API servers admit NUL in keys and values of
 *   maps;
 * - an array in a member managedFields is checked and left empty: it is often the larger half of an
 *   object, and no part of the program reads it;
 * - at most SKR_JSON_DEPTH_MAX levels of arrays and objects.
 *
 * Of members with the same key the last one counts. The text is never changed.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "topology/base/attr.h"
#include "topology/base/error.h"

enum {
    SKR_JSON_DEPTH_MAX = 512,         /* levels of arrays and objects of one value */
    SKR_JSON_KEEP_BYTES = 256 * 1024, /* memory of a reader that stays for the next text */
};

enum skr_json_type {
    SKR_JSON_NULL,
    SKR_JSON_BOOLEAN,
    SKR_JSON_NUMBER,
    SKR_JSON_STRING,
    SKR_JSON_ARRAY, /* this and what follows has content on the tape */
    SKR_JSON_OBJECT,
};

struct skr_json {
    const char *text; /* STRING: its bytes; NUMBER: as it is written */
    uint32_t n;   /* STRING, NUMBER: bytes; BOOLEAN: 1 for true; else values in it, at any depth */
    uint8_t type; /* enum skr_json_type */
};

/* The value behind value and its content. */
static inline const struct skr_json *skr_json_next(const struct skr_json *value)
{
    return value + 1 + (value->type >= SKR_JSON_ARRAY ? value->n : 0);
}

/* The first value in container, and the end of its content; both NULL for NULL. */
static inline const struct skr_json *skr_json_first(const struct skr_json *container)
{
    return container ? container + 1 : NULL;
}
static inline const struct skr_json *skr_json_end(const struct skr_json *container)
{
    return container ? container + 1 + container->n : NULL;
}

/* clang-format off */
/* For each item of an array, or NULL. */
#define SKR_JSON_EACH(array, item) for (const struct skr_json *item = skr_json_first(array); \
    item != skr_json_end(array); item = skr_json_next(item))
/* For each member of an object, or NULL: its value is key + 1. */
#define SKR_JSON_EACH_MEMBER(object, key) for (const struct skr_json *key = skr_json_first(object); \
    key != skr_json_end(object); key = skr_json_next(key + 1))
/* clang-format on */

/* A string with these bytes; false for NULL. */
static inline bool skr_json_is(const struct skr_json *value, const char *text)
{
    return value && value->type == SKR_JSON_STRING && strncmp(text, value->text, value->n) == 0 &&
           text[value->n] == '\0';
}
/* Items of an array; members of an object; 0 for NULL. O(that). */
size_t skr_json_count(const struct skr_json *container);
/* ret[i]: the value of the member at key[i], NULL if there is none. object: any value, or NULL. */
void skr_json_members(const struct skr_json *object, const char *const key[], size_t n,
                      const struct skr_json *ret[]);
/* One of them. */
const struct skr_json *skr_json_get(const struct skr_json *object, const char *key);

/* ---- the reader ---- */

/* All zero is empty. One thread. */
struct skr_json_reader {
    const char *text;
    size_t len;
    size_t pos;       /* the next byte */
    const char *what; /* what is wrong at pos; NULL: nothing so far */
    bool refuse_nul;  /* U+0000 is an error: for texts that no API server has admitted */
    struct skr_json *tape;
    size_t n_values, max_values;
    char *unescaped; /* strings of the tape that have escapes */
    size_t n_unescaped, max_unescaped;
};

/* Begins a text, which is borrowed. Memory up to SKR_JSON_KEEP_BYTES is used again, and refuse_nul stays. */
void skr_json_begin(struct skr_json_reader *reader, const char *text, size_t len);
void skr_json_reader_fini(struct skr_json_reader *reader);
#define SKR_JSON_READER(name) \
    SKR_CLEANUP(skr_json_reader_fini) struct skr_json_reader name = {.text = NULL}

/* Reads the value at the cursor. It is valid until the next call with the reader. false: what and pos say
 * why, and *ret is no value. O(its text), no recursion. */
bool skr_json_read(struct skr_json_reader *reader, const struct skr_json **ret);
/* Reads a text that is one value. SKR_INVALID "byte N: WHAT". */
int skr_json_read_text(struct skr_json_reader *reader, const char *text, size_t len,
                       const struct skr_json **ret, struct skr_error *error);

/* Steps for texts with thousands of values that are looked at one by one. */

/* The first byte of the next token; 0 at the end of the text. */
char skr_json_peek(struct skr_json_reader *reader);
/* Consumes the bracket that opens an object or an array. */
bool skr_json_enter(struct skr_json_reader *reader, char bracket);
/* Goes to the next entry: true with the cursor before its value. False at the closing bracket, which is
 * consumed, and on error (what is set). *first is true before the first call. *ret_key: as skr_json_read(). */
bool skr_json_member(struct skr_json_reader *reader, bool *first, struct skr_json *ret_key);
bool skr_json_element(struct skr_json_reader *reader, bool *first);
/* Adds a value to the tape, for json_tree.c. */
struct skr_json *skr_json_add(struct skr_json_reader *reader);
/* Consumes the value at the cursor by its quotes and brackets alone, whatever is wrong in it; clears what.
 * false: it does not end. */
bool skr_json_skip_broken(struct skr_json_reader *reader);
/* True if only blanks are left; otherwise sets what. */
bool skr_json_finish(struct skr_json_reader *reader);
/* SKR_INVALID "byte N: WHAT". */
int skr_json_error(const struct skr_json_reader *reader, struct skr_error *error);

#endif
