/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TOPOLOGY_BASE_JSON_WRITER_H
#define SKR_TOPOLOGY_BASE_JSON_WRITER_H
/*
 * JSON written from left to right into a string, in one pass and without a tree. The writer knows
 * only whether a comma is due; that what is opened is closed is the caller's business. key NULL:
 * an element of an array, or the document itself. Cost O(bytes).
 */
#include "topology/base/strbuf.h"

struct skr_json_writer {
    struct skr_strbuf *out; /* borrowed */
    bool comma;
};

void skr_json_open(struct skr_json_writer *w, const char *key, char bracket); /* '{' or '[' */
void skr_json_close(struct skr_json_writer *w, char bracket);                 /* '}' or ']' */
void skr_json_string(struct skr_json_writer *w, const char *key,
                     const char *value); /* NULL: null */
void skr_json_int(struct skr_json_writer *w, const char *key, int64_t value);
void skr_json_bool(struct skr_json_writer *w, const char *key, bool value);
/* json: a value that is JSON already; NULL: null. */
void skr_json_raw(struct skr_json_writer *w, const char *key, const char *json);

#endif
