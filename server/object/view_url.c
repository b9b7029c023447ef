/* SPDX-License-Identifier: Apache-2.0 */
/* Percent-encoding as RFC 3986 has it: all but its unreserved characters. */
#include "server/object/view_url.h"

#include <string.h>

static void add_escaped(struct skr_strbuf *b, const char *s, const char *keep)
{
    static const char hex[] = "0123456789ABCDEF";
    for (; *s; s++) {
        const unsigned char c = (unsigned char)*s;
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                           (c >= '0' && c <= '9') || strchr("-._~", c) || strchr(keep, c);
        if (plain) {
            skr_strbuf_addc(b, *s);
        } else {
            skr_strbuf_addc(b, '%');
            skr_strbuf_addc(b, hex[c >> 4]);
            skr_strbuf_addc(b, hex[c & 15]);
        }
    }
}

void skr_view_url_write(const struct skr_view_query *query, struct skr_strbuf *out)
{
    char separator = '?';
    add_escaped(out, query->path, "/");
    for (int i = 0; i < SKR_VIEW_ARGUMENT_COUNT; i++) {
        if (!query->argument[i]) {
            continue;
        }
        skr_strbuf_addc(out, separator);
        skr_strbuf_add(out, skr_view_argument_name((enum skr_view_argument)i));
        skr_strbuf_addc(out, '=');
        add_escaped(out, query->argument[i], "");
        separator = '&';
    }
}

const char *skr_view_url_of_service(const char *path)
{
    static const char prefix[] = "/api/v1/namespaces/" SKR_VIEW_SERVICE_NAMESPACE
                                 "/services/" SKR_VIEW_SERVICE_NAME "/proxy";
    const size_t n = sizeof prefix - 1;
    return strncmp(path, prefix, n) == 0 && path[n] == '/' ? path + n : NULL;
}
