/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_KUBE_LINES_H
#define SKR_SERVER_KUBE_LINES_H
/*
 * Cuts a byte stream into lines. A line that is whole in one chunk is handed out without a copy.
 * Bytes behind the last line end stay until the next chunk. An incomplete line is never handed out.
 */
#include <stdbool.h>
#include <stddef.h>

#include "topology/base/strbuf.h"

enum {
    /* Of one line. The API server stores objects of at most 1.5 MiB; JSON may grow them. */
    SKR_KUBE_LINE_MAX = 16 * 1024 * 1024,
    SKR_KUBE_LINE_KEEP = 256 * 1024 /* bytes of buffer kept between lines */
};

struct skr_lines {
    struct skr_strbuf rest;
    size_t max;
};

void skr_lines_init(struct skr_lines *lines, size_t max);
void skr_lines_fini(struct skr_lines *lines);
void skr_lines_reset(struct skr_lines *lines); /* a new stream begins */

/* Calls line for every complete line, without its end ("\n" or "\r\n"); empty lines are left out.
 * The text is borrowed, not NUL-terminated, for the call. line returns false to stop. Returns 0,
 * -SKR_GONE when line stopped, -SKR_LIMIT when a line is longer than max. O(n). */
int skr_lines_feed(struct skr_lines *lines, const char *data, size_t n,
                   bool (*line)(void *context, const char *text, size_t n), void *context);

#endif
