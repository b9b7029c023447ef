/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TOPOLOGY_BASE_SHORT_TEXT_H
#define SKR_TOPOLOGY_BASE_SHORT_TEXT_H
/*
 * Texts that are mostly short, in 16 bytes: up to 15 bytes stand in place, a longer one is on the heap.
 * And names in two parts: what a controller makes has the stem of its template and a few bytes of its
 * own ("web-5d8f7c9b6-" and "x7k2p", "node-" and "17"), so tables of many names hold stems once.
 */
#include <stddef.h>

enum { SKR_SHORT_TEXT_INLINE = 15 };

/* All zero is "". */
struct skr_short_text {
    char bytes[SKR_SHORT_TEXT_INLINE + 1]; /* the last is 0 as long as the text stands in place */
};

/* A copy of n bytes and a NUL, instead of what it was before. No NUL among them. Aborts without memory. */
void skr_short_text_set(struct skr_short_text *text, const char *s, size_t n);
/* Borrowed until the next set or fini, and as long as text stays where it is. */
const char *skr_short_text_get(const struct skr_short_text *text);
void skr_short_text_fini(struct skr_short_text *text); /* it is "" then */

/* Bytes of the name that are its stem: up to a '-', which is in it; 0 without one. It is the last '-',
 * or, where numbers stand before that ("train-7-x7k2p" of an Indexed Job), one before them as long as
 * the rest stands in place. O(length). */
size_t skr_name_stem(const char *name);

#endif
