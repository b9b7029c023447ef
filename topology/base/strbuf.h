/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TOPOLOGY_BASE_STRBUF_H
#define SKR_TOPOLOGY_BASE_STRBUF_H
/*
 * A growing byte string for texts and JSON that we write. Invariant: s is NUL-terminated, len does
 * not count that NUL. Growing aborts without memory (see arena.h); what goes in is bounded by the
 * callers.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "topology/base/attr.h"

struct skr_strbuf {
    char *s;
    size_t len;
    size_t cap;
};

void skr_strbuf_init(struct skr_strbuf *b);
void skr_strbuf_fini(struct skr_strbuf *b);
/* Defines `name`, empty; the end of its block is its skr_strbuf_fini(). */
#define SKR_STRBUF(name) SKR_CLEANUP(skr_strbuf_fini) struct skr_strbuf name = {.s = (char[1]){0}}
void skr_strbuf_reset(struct skr_strbuf *b); /* len 0, memory kept */
char *skr_strbuf_take(
    struct skr_strbuf *b,
    size_t *ret_len); /* ret_len may be NULL; no room to spare; free() it; b is empty again */
void skr_strbuf_add(struct skr_strbuf *b, const char *s);
void skr_strbuf_addn(struct skr_strbuf *b, const char *s, size_t n);
void skr_strbuf_addc(struct skr_strbuf *b, char c);
void skr_strbuf_addf(struct skr_strbuf *b, const char *format, ...) SKR_PRINTF(2, 3);
void skr_strbuf_add_int(struct skr_strbuf *b, int64_t v);
/* A JSON string with quotes, RFC 8259 escapes; bytes that are not UTF-8 become U+FFFD. */
void skr_strbuf_add_json(struct skr_strbuf *b, const char *s);

#endif
