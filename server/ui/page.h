/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_UI_PAGE_H
#define SKR_SERVER_UI_PAGE_H
/*
 * The page /ui: one HTML file (page.html), a part of the program. It has one style and one script,
 * both inline; the policy names their hashes, so a browser runs nothing else.
 */
#include "topology/base/strbuf.h"

/* The file; *ret_len bytes, not NUL-terminated. */
const char *skr_ui_page(size_t *ret_len);
/* Appends the value of Content-Security-Policy. header false: for a `meta` element, which may not
 * have frame-ancestors. O(page). */
void skr_ui_policy_write(bool header, struct skr_strbuf *out);
/* Appends the strong entity tag, with its quotes. O(page). */
void skr_ui_tag_write(struct skr_strbuf *out);
/* Appends the page with a picture in it, which opens from a file without a daemon. picture: a
 * document of skr_picture_write(). */
void skr_ui_page_write(const char *picture, size_t n, struct skr_strbuf *out);

#endif
