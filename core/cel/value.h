/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_CEL_VALUE_H
#define SKR_CORE_CEL_VALUE_H
/*
 * Values of CEL. A value is a small struct; what it points to is immutable and belongs to an arena:
 * that of an object, of a program, or of an evaluation. An error is a value, too, because `&&`, `||`,
 * `all` and `exists` may absorb it.
 *
 * Doubles are the one place of core/ with floating point. The language has them, and only the
 * operations that IEEE 754 rounds exactly are used (+ - * / and comparison), so results are the same
 * on every machine.
 */
#include <jansson.h>

#include "topology/base/arena.h"
#include "topology/base/strbuf.h"

enum skr_cel_kind {
    SKR_CEL_ERROR,
    SKR_CEL_NULL,
    SKR_CEL_BOOL,
    SKR_CEL_INT,
    SKR_CEL_UINT,
    SKR_CEL_DOUBLE,
    SKR_CEL_STRING, /* UTF-8 */
    SKR_CEL_BYTES,
    SKR_CEL_LIST,
    SKR_CEL_MAP,
    SKR_CEL_TYPE,
    SKR_CEL_TIMESTAMP, /* ns since 1970 */
    SKR_CEL_DURATION,  /* ns */
    SKR_CEL_QUANTITY,  /* from here on what Kubernetes adds */
    SKR_CEL_SEMVER,
    SKR_CEL_IP,
    SKR_CEL_CIDR,
    SKR_CEL_URL,
    SKR_CEL_KIND_COUNT
};

enum { SKR_CEL_JSON_DEPTH_MAX = 64 };

struct skr_cel_value;
struct skr_cel_entry;
struct skr_cel_net;
struct skr_cel_url;

/* A version of semver.org. */
struct skr_cel_semver {
    uint64_t part[3]; /* major, minor, patch */
    const char *pre;  /* "rc.1"; "" none. Build metadata does not count. */
};

struct skr_cel_value {
    enum skr_cel_kind kind;
    /* Bytes of STRING and BYTES, items of LIST, entries of MAP, position of ERROR; minutes, as int32_t,
     * that the zone of TIMESTAMP is ahead of UTC. */
    uint32_t n;
    union {
        bool boolean;
        int64_t integer; /* INT, TIMESTAMP, DURATION */
        uint64_t natural;
        double real;
        const char *text; /* STRING, BYTES; message of ERROR; TYPE: type.h */
        const struct skr_cel_value *item;
        const struct skr_cel_entry *entry; /* keys are unique; in no order that counts */
        const skr_int128 *nano;            /* QUANTITY, in billionths */
        const struct skr_cel_semver *semver;
        const struct skr_cel_net *net; /* IP, CIDR */
        const struct skr_cel_url *url;
    };
};
struct skr_cel_entry {
    struct skr_cel_value key, value;
};

/* -1, 0, 1 */
#define SKR_CEL_ORDER(a, b) (((a) > (b)) - ((a) < (b)))

static inline bool skr_cel_is_nan(double value)
{
    return value != value;
}

struct skr_cel_value skr_cel_error(const char *text); /* borrowed */
struct skr_cel_value skr_cel_null(void);
struct skr_cel_value skr_cel_bool(bool value);
struct skr_cel_value skr_cel_int(int64_t value);
struct skr_cel_value skr_cel_uint(uint64_t value);
struct skr_cel_value skr_cel_double(double value);
struct skr_cel_value skr_cel_string(const char *text, size_t n); /* borrowed */
struct skr_cel_value skr_cel_text(const char *text);             /* borrowed, up to its NUL */

/* Numbers of different kinds are equal if their values are. NaN equals nothing. */
bool skr_cel_equal(const struct skr_cel_value *a, const struct skr_cel_value *b);
/* Order of bool, numbers of any kinds, string, bytes, timestamp, duration. False: there is none. */
bool skr_cel_compare(const struct skr_cel_value *a, const struct skr_cel_value *b, int *ret);
/* The value of a key, first of one of the same kind (1 before 1u); NULL: there is none, or it is no
 * map. O(entries). */
const struct skr_cel_value *skr_cel_get(const struct skr_cel_value *map,
                                        const struct skr_cel_value *key);
const struct skr_cel_value *skr_cel_get_text(const struct skr_cel_value *map, const char *key);

/* Strings are copied. Integers become doubles if reals is set. ERROR: the arena is full, or the
 * value is deeper than SKR_CEL_JSON_DEPTH_MAX. */
struct skr_cel_value skr_cel_of_json(const json_t *json, bool reals, struct skr_arena *arena);

/* Code points of UTF-8; the byte where code point i begins (i may be their number). */
size_t skr_cel_points(const char *text, size_t n);
size_t skr_cel_point_at(const char *text, size_t n, size_t i);
/* Bytes of the code point at text, which has n > 0 bytes; *ret is the code point. */
size_t skr_cel_point_read(const char *text, size_t n, uint32_t *ret);
bool skr_cel_is_utf8(const char *text, size_t n);
/* Returns the bytes written, 1..4. */
size_t skr_cel_point_write(uint32_t point, char to[4]);

/* What a digit of base 16 or less means; 16: it is none. */
int skr_cel_digit(char c);
/* Digits that text begins with, at most n. *ret: their value, at most 2^64, which says "too large". */
size_t skr_cel_digits(const char *text, size_t n, int base, skr_int128 *ret);

/* As Go's strconv: the shortest decimal that reads back as the same double. */
enum { SKR_CEL_DOUBLE_TEXT = 40 };
size_t skr_cel_double_write(double value, char to[SKR_CEL_DOUBLE_TEXT]);
/* All n bytes are one decimal number, with or without point and exponent. */
bool skr_cel_double_read(const char *text, size_t n, double *ret);

/* Room for one item more behind n items that came one by one: the same array, or a copy of twice the
 * size in the arena. NULL: the arena is full. O(1) on average. */
void *skr_cel_grow(const void *array, size_t n, size_t size, struct skr_arena *arena);

#endif
