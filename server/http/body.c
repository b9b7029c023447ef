/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies of requests: their memory is limited by request and by listener. */
#include "server/http/body.h"

#include <stdlib.h>
#include <string.h>

enum {
    BODY_FIRST = 4096,              /* first allocation for a body of unknown length */
    BODY_TRUSTED = 1 * 1024 * 1024, /* a Content-Length up to this is allocated at once */
};

void skr_body_drop(struct skr_connection *connection)
{
    connection->listener->bodies -= connection->body_cap;
    connection->body_cap = 0;
    free(connection->request.body);
    connection->request.body = NULL;
    connection->request.body_len = 0;
}

uint64_t skr_body_announced(struct skr_connection *connection)
{
    const char *text = MHD_lookup_connection_value(connection->mhd, MHD_HEADER_KIND,
                                                   MHD_HTTP_HEADER_CONTENT_LENGTH);
    uint64_t n = 0;
    if (!text) {
        return 0;
    }
    for (; *text >= '0' && *text <= '9'; text++) {
        n = n < UINT64_MAX / 16 ? n * 10 + (uint64_t)(*text - '0') : UINT64_MAX / 16;
    }
    return n;
}

bool skr_body_is_absurd(const struct skr_connection *connection, uint64_t n)
{
    return n / SKR_HTTP_ABSURD > connection->listener->options.body_max;
}

/* From here on the body is counted and thrown away. */
static void give_up_body(struct skr_connection *connection)
{
    const size_t len = connection->request.body_len;
    skr_body_drop(connection);
    connection->request.body_len = len;
    connection->request.too_large = true;
}

/* Room for n bytes and a NUL; false beyond the limits. */
static bool reserve_body(struct skr_connection *connection, size_t n)
{
    struct skr_listener *listener = connection->listener;
    size_t cap = connection->body_cap;
    if (n < cap) {
        return true;
    }
    if (n > listener->options.body_max) {
        return false;
    }
    if (cap == 0) {
        const uint64_t announced = skr_body_announced(connection);
        cap = announced > 0 && announced <= BODY_TRUSTED ? (size_t)announced + 1 : BODY_FIRST;
    }
    while (cap <= n) {
        cap *= 2;
    }
    if (listener->bodies - connection->body_cap + cap > listener->options.bodies_max) {
        return false;
    }
    char *body = realloc(connection->request.body, cap);
    if (!body) {
        return false;
    }
    listener->bodies += cap - connection->body_cap;
    connection->request.body = body;
    connection->body_cap = cap;
    return true;
}

bool skr_body_add(struct skr_connection *connection, const char *upload, size_t n)
{
    struct skr_http_request *request = &connection->request;
    if (!request->too_large && !reserve_body(connection, request->body_len + n)) {
        give_up_body(connection);
    }
    if (!request->too_large) {
        memcpy(request->body + request->body_len, upload, n);
        request->body[request->body_len + n] = 0;
    }
    request->body_len += n;
    return !skr_body_is_absurd(connection, request->body_len);
}
