/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bodies of requests: where one ends, and how much memory they may take, by request and by listener.
 *
 * libmicrohttpd 0.9.75 itself refuses a Content-Length that is no number. It accepts a second one and
 * uses the first, it prefers Transfer-Encoding to Content-Length, and it reads any coding but
 * "chunked" to the end of the connection. Names of fields may have spaces. A line that continues a
 * field is appended to the name of the field, in a copy of the name. A NUL ends a value, and a line that
 * begins with a colon or a NUL ends the headers. All this is found here.
 */
#include "server/http/body.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum {
    BODY_FIRST = 4096,              /* first allocation for a body of unknown length */
    BODY_TRUSTED = 1 * 1024 * 1024, /* a Content-Length up to this is allocated at once */
    CR_LF = 2,                      /* bytes that end a line; NULs in the buffer */
};

void skr_body_drop(struct skr_connection *connection)
{
    connection->listener->bodies -= connection->body_cap;
    connection->body_cap = 0;
    free(connection->request.body);
    connection->request.body = NULL;
    connection->request.body_len = 0;
}

/* ---- where it ends ---- */

struct framing {
    size_t n_hosts, n_lengths, n_codings;
    bool other_coding; /* than "chunked" */
    bool bad_name;
    uintptr_t at;   /* where the next line begins, if CR LF ended the one before */
    bool elsewhere; /* one begins elsewhere, or is not one line */
    bool bare_cr;   /* some parsers end a line there (RFC 9112, section 2.2) */
};

static bool is_field(const char *name, size_t n, const char *field)
{
    return n == strlen(field) && strncasecmp(name, field, n) == 0;
}

/* tchar of RFC 9110, section 5.6.2. */
static bool is_token(const char *s, size_t n)
{
    static const char others[] = "!#$%&'*+-.^_`|~";
    for (size_t i = 0; i < n; i++) {
        const bool letter = (s[i] >= 'a' && s[i] <= 'z') || (s[i] >= 'A' && s[i] <= 'Z');
        if (!letter && (s[i] < '0' || s[i] > '9') && (s[i] == 0 || !strchr(others, s[i]))) {
            return false;
        }
    }
    return n > 0;
}

/* In the buffer of a connection only a colon, replaced by NUL, and blanks are between name and value. */
static bool is_in_one_line(const char *name, size_t n, const char *value)
{
    const uintptr_t end = (uintptr_t)name + n + 1;
    return (uintptr_t)value >= end &&
           strspn(name + n + 1, " \t") >= (size_t)((uintptr_t)value - end);
}

static enum MHD_Result look_at_field(void *cls, enum MHD_ValueKind kind, const char *name,
                                     size_t name_size, const char *value, size_t value_size)
{
    struct framing *framing = cls;
    (void)kind;
    framing->bad_name = framing->bad_name || !is_token(name, name_size);
    framing->elsewhere = framing->elsewhere || (uintptr_t)name != framing->at ||
                         !is_in_one_line(name, name_size, value);
    framing->at = (uintptr_t)value + value_size + CR_LF;
    framing->bare_cr = framing->bare_cr || memchr(value, '\r', value_size);
    if (is_field(name, name_size, MHD_HTTP_HEADER_HOST)) {
        framing->n_hosts++;
    } else if (is_field(name, name_size, MHD_HTTP_HEADER_CONTENT_LENGTH)) {
        framing->n_lengths++;
    } else if (is_field(name, name_size, MHD_HTTP_HEADER_TRANSFER_ENCODING)) {
        framing->n_codings++;
        framing->other_coding = framing->other_coding || !is_field(value, value_size, "chunked");
    }
    return MHD_YES;
}

const char *skr_body_framing_fault(struct skr_connection *connection, const char *version)
{
    struct framing framing = {.at = (uintptr_t)version + strlen(version) + CR_LF};
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection->mhd, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    skr_bug_on(!info);
    (void)MHD_get_connection_values_n(connection->mhd, MHD_HEADER_KIND, look_at_field, &framing);
    if (framing.bad_name) {
        return "the name of a header is not a token\n";
    }
    if (framing.bare_cr) {
        return "a header has a carriage return inside\n";
    }
    if (framing.n_hosts > 1) {
        return "Host is given more than once\n";
    }
    if (framing.n_lengths > 1) {
        return "Content-Length is given more than once\n";
    }
    if (framing.elsewhere ||
        framing.at + CR_LF != (uintptr_t)connection->request.method + info->header_size) {
        return "a header is continued on a second line, has no name, has a NUL inside, or does not "
               "end with CR LF\n";
    }
    if (framing.n_codings > 0 && framing.n_lengths > 0) {
        return "Content-Length is given beside Transfer-Encoding\n";
    }
    if (framing.n_codings > 1 || framing.other_coding) {
        return "Transfer-Encoding is not \"chunked\"\n";
    }
    if (framing.n_codings > 0 && strcmp(version, MHD_HTTP_VERSION_1_0) == 0) {
        return "Transfer-Encoding is given in a request of HTTP/1.0\n";
    }
    return NULL;
}

/* ---- how much memory it takes ---- */

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
