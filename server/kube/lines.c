/* SPDX-License-Identifier: Apache-2.0 */
/* Line framing for watch streams: one newline-terminated JSON document a line. */
#include "server/kube/lines.h"

#include <string.h>

#include "topology/base/error.h"

void skr_lines_init(struct skr_lines *lines, size_t max)
{
    skr_strbuf_init(&lines->rest);
    lines->max = max;
}

void skr_lines_fini(struct skr_lines *lines)
{
    skr_strbuf_fini(&lines->rest);
}

void skr_lines_reset(struct skr_lines *lines)
{
    skr_strbuf_reset(&lines->rest);
    if (lines->rest.cap > SKR_KUBE_LINE_KEEP) {
        skr_strbuf_fini(&lines->rest);
        skr_strbuf_init(&lines->rest);
    }
}

static bool hand_out(const char *text, size_t n, bool (*line)(void *, const char *, size_t),
                     void *context)
{
    if (n > 0 && text[n - 1] == '\r') {
        n--;
    }
    return n == 0 || line(context, text, n);
}

int skr_lines_feed(struct skr_lines *lines, const char *data, size_t n,
                   bool (*line)(void *context, const char *text, size_t n), void *context)
{
    while (n > 0) {
        const char *end = memchr(data, '\n', n);
        size_t part = end ? (size_t)(end - data) : n;
        if (part > lines->max - lines->rest.len) {
            return -SKR_LIMIT;
        }
        if (!end) {
            skr_strbuf_addn(&lines->rest, data, part);
            return 0;
        }
        bool more;
        if (lines->rest.len > 0) {
            skr_strbuf_addn(&lines->rest, data, part);
            more = hand_out(lines->rest.s, lines->rest.len, line, context);
            skr_lines_reset(lines);
        } else {
            more = hand_out(data, part, line, context);
        }
        if (!more) {
            return -SKR_GONE;
        }
        data += part + 1;
        n -= part + 1;
    }
    return 0;
}
