/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_RENDER_PAGE_H
#define SKR_SERVER_RENDER_PAGE_H
/*
 * Reads an answer without trusting it. A field that is missing or of another type reads as 0, false,
 * "" or NULL. Text for a terminal has no control characters. Results borrow from the JSON.
 */
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "topology/base/strbuf.h"
#include "topology/object.h"

enum { SKR_PAGE_WIDTH = 80 }; /* columns of a line of text */

int64_t skr_page_int(const json_t *object, const char *key);        /* 0 */
bool skr_page_bool(const json_t *object, const char *key);          /* false */
const json_t *skr_page_list(const json_t *object, const char *key); /* NULL: no list; sizes are 0 */
skr_time skr_page_time(const json_t *object, const char *key);      /* 0 */

/* s without control characters ("?"); word: blanks become "_" too, so that columns stay columns. */
void skr_page_add_clean(struct skr_strbuf *out, const char *s, bool word);
/* The same as a string of its own, "" becomes "<none>". free() */
char *skr_page_word(const char *s);
/* Columns that UTF-8 text takes on a terminal: its code points. */
size_t skr_page_width(const char *s);
void skr_page_pad(struct skr_strbuf *out, size_t n); /* n blanks */
/* The words of s, clean, in lines of SKR_PAGE_WIDTH columns. The line has `at` columns already;
 * further ones begin behind `hang` blanks. A word that is longer stays whole; the last line is not ended. */
void skr_page_add_words(struct skr_strbuf *out, size_t at, size_t hang, const char *s);
/* Ends the line, without the blanks before its end. */
void skr_page_end_line(struct skr_strbuf *out);

/* "3m51s", as kubectl writes ages; "<unknown>" for a time that is not known. */
void skr_page_age(skr_time now, skr_time then, char text[32]);

/* An answer as -o json and -o yaml print it, with a line end. */
void skr_page_write_json(const json_t *json, struct skr_strbuf *out);
void skr_page_write_yaml(const json_t *json, struct skr_strbuf *out);

#endif
