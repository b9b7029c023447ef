/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TOPOLOGY_BASE_JSON_SCAN_H
#define SKR_TOPOLOGY_BASE_JSON_SCAN_H
/*
 * A cursor over a JSON text in memory: for bodies with thousands of strings and for lists of objects
 * of which a few fields count, where a tree of values would cost more than the work. Each byte is looked at once; strings are unescaped where they
 * stand, so the text is consumed: what a cursor has taken must not be scanned again.
 *
 * Accepts what libjansson accepts (RFC 8259, UTF-8 checked, no U+0000 in strings), but for numbers,
 * whose grammar is checked and whose range is not, and for depth (SKR_JSON_DEPTH_MAX). Not thread
 * safe; allocates nothing.
 */
#include <stdbool.h>
#include <stddef.h>

#include "topology/base/error.h"

enum {
    SKR_JSON_DEPTH_MAX = 512, /* levels of arrays and objects of one text */
};

struct skr_json_scan {
    char *s;
    size_t len;
    size_t pos;       /* next byte */
    const char *what; /* what is wrong at pos; NULL: nothing so far */
};

/* A piece of the text; not NUL-terminated. */
struct skr_json_span {
    char *s;
    size_t len;
};

void skr_json_scan_init(struct skr_json_scan *scan, char *s, size_t len);

/* First byte of the next token, blanks skipped, nothing consumed; 0 at the end of the text. */
char skr_json_scan_peek(struct skr_json_scan *scan);

/* Consumes one value of any type, checked; ret (may be NULL) is its text. */
bool skr_json_scan_value(struct skr_json_scan *scan, struct skr_json_span *ret);

/* Consumes a string and unescapes it in place; *ret is NUL-terminated and lives in the text. */
bool skr_json_scan_string(struct skr_json_scan *scan, char **ret);

/* Consumes the literal null if it is next; false when something else is. */
bool skr_json_scan_null(struct skr_json_scan *scan);

/* Consumes the bracket that opens an object or an array. */
bool skr_json_scan_enter(struct skr_json_scan *scan, char bracket);

/* Goes to the next entry: true with the cursor before its value. False at the closing bracket
 * (consumed) and on error (scan->what is set). *first is true before the first call and is changed
 * by it. The key is unescaped in place. */
bool skr_json_scan_member(struct skr_json_scan *scan, bool *first, char **key);
bool skr_json_scan_element(struct skr_json_scan *scan, bool *first);
/* As skr_json_scan_member, but the text stays as it is: key is the string with its quotes. */
bool skr_json_scan_raw_member(struct skr_json_scan *scan, bool *first, struct skr_json_span *key);

/* True when nothing but blanks is left; otherwise sets what. */
bool skr_json_scan_end(struct skr_json_scan *scan);

/* SKR_INVALID "byte N: WHAT". */
int skr_json_scan_error(const struct skr_json_scan *scan, struct skr_error *error);

#endif
