/* SPDX-License-Identifier: Apache-2.0 */
/* URLs, as Go's net/url reads them (RFC 3986, RFC 6874). */
#include "core/cel/url.h"

#include <string.h>

#include "core/cel/net.h"

enum mode { PATH, FRAGMENT, HOST, ZONE, USER, QUERY };

#define OK(step)                                 \
    do {                                         \
        const enum skr_cel_url_parsed rc = step; \
        if (rc != SKR_CEL_URL_GOOD) {            \
            return rc;                           \
        }                                        \
    } while (0)

/* ---- bytes ---- */

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_one_of(char c, const char *set)
{
    return c != '\0' && strchr(set, c);
}

/* Whether a byte may stand in a text of the mode as it is. */
static bool is_plain(char c, enum mode mode)
{
    if (is_letter(c) || is_digit(c) || is_one_of(c, "-_.~")) {
        return true;
    }
    return is_one_of(c, mode == PATH       ? "$&+,/:;=@"
                        : mode == FRAGMENT ? "$&+,/:;=@?!()*"
                                           : "!$&'()*+,;=:[]<>\"");
}

static struct skr_cel_value part(const struct skr_cel_value *text, size_t from, size_t to)
{
    return skr_cel_string(text->text + from, to - from);
}

/* Where c is; n: nowhere. */
static size_t find(const struct skr_cel_value *text, char c)
{
    const char *at = text->n > 0 ? memchr(text->text, c, text->n) : NULL;
    return at ? (size_t)(at - text->text) : text->n;
}

static size_t find_last(const struct skr_cel_value *text, char c)
{
    const char *at = text->n > 0 ? memrchr(text->text, c, text->n) : NULL;
    return at ? (size_t)(at - text->text) : text->n;
}

/* ---- %XX ---- */

static char decoded(const char *at)
{
    return (char)(skr_cel_digit(at[1]) << 4 | skr_cel_digit(at[2]));
}

/* Whether the escape at `at` may stand there. */
static bool may_escape(const char *at, enum mode mode)
{
    const bool percent = at[1] == '2' && at[2] == '5';
    if (mode == HOST) { /* only bytes beyond ASCII */
        return percent || skr_cel_digit(at[1]) >= 8;
    }
    return mode != ZONE || percent || decoded(at) == ' ' || is_plain(decoded(at), HOST);
}

static enum skr_cel_url_parsed unescape(const struct skr_cel_value *text, enum mode mode,
                                        struct skr_arena *arena, struct skr_cel_value *ret)
{
    char *to = skr_arena_array(arena, (size_t)text->n + 1, 1);
    size_t n = 0;
    for (size_t i = 0; to && i < text->n; i++) {
        const char c = text->text[i];
        if (c == '%') {
            const bool whole = i + 2 < text->n && skr_cel_digit(text->text[i + 1]) < 16 &&
                               skr_cel_digit(text->text[i + 2]) < 16;
            if (!whole || !may_escape(text->text + i, mode)) {
                return SKR_CEL_URL_BAD;
            }
            to[n++] = decoded(text->text + i);
            i += 2;
        } else if ((mode == HOST || mode == ZONE) && (unsigned char)c < 0x80 &&
                   !is_plain(c, HOST)) {
            return SKR_CEL_URL_BAD;
        } else {
            to[n++] = c == '+' && mode == QUERY ? ' ' : c;
        }
    }
    *ret = skr_cel_string(to, n);
    return to ? SKR_CEL_URL_GOOD : SKR_CEL_URL_NO_ROOM;
}

/* A path or fragment as it is if each byte may stand there, or its decoded bytes encoded anew. */
static enum skr_cel_url_parsed normalize(const struct skr_cel_value *text, enum mode mode,
                                         struct skr_arena *arena, struct skr_cel_value *ret)
{
    static const char hex[] = "0123456789ABCDEF";
    struct skr_cel_value plain;
    bool good = true;
    OK(unescape(text, mode, arena, &plain));
    for (size_t i = 0; good && i < text->n; i++) {
        good = is_plain(text->text[i], mode) || is_one_of(text->text[i], "!$&'()*+,;=:@[]%");
    }
    char *to = good ? NULL : skr_arena_array(arena, 3 * (size_t)plain.n + 1, 1);
    size_t n = 0;
    for (size_t i = 0; to && i < plain.n; i++) {
        const unsigned char c = (unsigned char)plain.text[i];
        if (is_plain((char)c, mode)) {
            to[n++] = (char)c;
        } else {
            to[n++] = '%';
            to[n++] = hex[c >> 4];
            to[n++] = hex[c & 15];
        }
    }
    *ret = good ? *text : skr_cel_string(to, n);
    return good || to ? SKR_CEL_URL_GOOD : SKR_CEL_URL_NO_ROOM;
}

/* ---- the authority ---- */

/* ":" and digits, or nothing. */
static bool is_port(const struct skr_cel_value *text)
{
    bool good = text->n == 0 || text->text[0] == ':';
    for (size_t i = 1; good && i < text->n; i++) {
        good = is_digit(text->text[i]);
    }
    return good;
}

/* "[ADDRESS%25ZONE]:PORT" */
static enum skr_cel_url_parsed read_literal(const struct skr_cel_value *text,
                                            struct skr_arena *arena, struct skr_cel_value *ret)
{
    const size_t close = find_last(text, ']');
    struct skr_cel_value address, zone = skr_cel_string("", 0);
    if (close == text->n) {
        return SKR_CEL_URL_BAD;
    }
    const struct skr_cel_value port = part(text, close + 1, text->n);
    const struct skr_cel_value inside = part(text, 1, close);
    const char *mark = memmem(inside.text, inside.n, "%25", 3);
    const size_t before = mark ? (size_t)(mark - inside.text) : inside.n;
    const struct skr_cel_value first = part(&inside, 0, before);
    const struct skr_cel_value rest = part(&inside, before, inside.n);
    if (!is_port(&port)) {
        return SKR_CEL_URL_BAD;
    }
    OK(unescape(&first, HOST, arena, &address));
    OK(unescape(&rest, ZONE, arena, &zone));
    const size_t n = (size_t)address.n + zone.n;
    char *to = skr_arena_array(arena, n + port.n + 3, 1);
    if (!to) {
        return SKR_CEL_URL_NO_ROOM;
    }
    to[0] = '[';
    memcpy(to + 1, address.text, address.n);
    memcpy(to + 1 + address.n, zone.text, zone.n);
    to[n + 1] = ']';
    memcpy(to + n + 2, port.text, port.n);
    *ret = skr_cel_string(to, n + 2 + port.n);
    return skr_cel_is_ip6(to + 1, n) ? SKR_CEL_URL_GOOD : SKR_CEL_URL_BAD;
}

static enum skr_cel_url_parsed read_host(const struct skr_cel_url *url,
                                         const struct skr_cel_value *text, struct skr_arena *arena,
                                         struct skr_cel_value *ret)
{
    const size_t open = find_last(text, '[');
    if (open == 0 && text->n > 0) {
        return read_literal(text, arena, ret);
    }
    const struct skr_cel_value http = skr_cel_text("http"), https = skr_cel_text("https");
    const bool strict = skr_cel_equal(&url->scheme, &http) || skr_cel_equal(&url->scheme, &https);
    const size_t colon = strict ? find(text, ':') : find_last(text, ':');
    const struct skr_cel_value port = part(text, colon, text->n);
    return open == text->n && is_port(&port) ? unescape(text, HOST, arena, ret) : SKR_CEL_URL_BAD;
}

static enum skr_cel_url_parsed read_user(struct skr_cel_url *url, const struct skr_cel_value *text,
                                         struct skr_arena *arena)
{
    const size_t colon = find(text, ':');
    const struct skr_cel_value name = part(text, 0, colon);
    for (size_t i = 0; i < text->n; i++) {
        const char c = text->text[i];
        if (!is_letter(c) && !is_digit(c) && !is_one_of(c, "-._:~!$&'()*+,;=%@")) {
            return SKR_CEL_URL_BAD;
        }
    }
    url->has_user = true;
    url->has_password = colon < text->n;
    OK(unescape(&name, USER, arena, &url->user));
    const struct skr_cel_value password = part(text, colon + (colon < text->n ? 1 : 0), text->n);
    return unescape(&password, USER, arena, &url->password);
}

static enum skr_cel_url_parsed read_authority(struct skr_cel_url *url,
                                              const struct skr_cel_value *text,
                                              struct skr_arena *arena)
{
    const size_t at = find_last(text, '@');
    const struct skr_cel_value host = part(text, at < text->n ? at + 1 : 0, text->n);
    OK(read_host(url, &host, arena, &url->host));
    const struct skr_cel_value user = part(text, 0, at);
    return at < text->n ? read_user(url, &user, arena) : SKR_CEL_URL_GOOD;
}

/* ---- the whole ---- */

/* Returns the bytes of the scheme and its colon; 0: there is none; SIZE_MAX: it is empty. */
static size_t read_scheme(const struct skr_cel_value *text, struct skr_arena *arena,
                          struct skr_cel_value *ret)
{
    size_t n = 0;
    while (n < text->n &&
           (is_letter(text->text[n]) ||
            (n > 0 && (is_digit(text->text[n]) || is_one_of(text->text[n], "+-."))))) {
        n++;
    }
    if (n == text->n || text->text[n] != ':') {
        return 0;
    }
    char *to = skr_arena_array(arena, n + 1, 1);
    for (size_t i = 0; to && i < n; i++) {
        const char c = text->text[i];
        to[i] = c >= 'A' && c <= 'Z' ? (char)(c ^ 0x20) : c;
    }
    *ret = skr_cel_string(to, to ? n : 0);
    return n > 0 && to ? n + 1 : SIZE_MAX;
}

/* request: of a request, which begins with a scheme or "/". */
static enum skr_cel_url_parsed parse(const struct skr_cel_value *text, bool request,
                                     struct skr_arena *arena, struct skr_cel_url *ret)
{
    const struct skr_cel_value none = skr_cel_string("", 0);
    *ret = (struct skr_cel_url){none, none, none, none, none, none, none, none, 0, 0, 0};
    for (size_t i = 0; i < text->n; i++) {
        if ((unsigned char)text->text[i] < ' ' || text->text[i] == 0x7f) {
            return SKR_CEL_URL_BAD;
        }
    }
    if (text->n == 1 && text->text[0] == '*') {
        ret->path = *text;
        return SKR_CEL_URL_GOOD;
    }
    const size_t scheme = read_scheme(text, arena, &ret->scheme);
    if (scheme == SIZE_MAX || (text->n == 0 && request)) {
        return SKR_CEL_URL_BAD;
    }
    const size_t mark = find(text, '?');
    struct skr_cel_value rest = part(text, scheme, mark < scheme ? text->n : mark);
    ret->has_query = mark < text->n;
    ret->query = part(text, mark + (ret->has_query ? 1 : 0), text->n);
    if (rest.n == 0 || rest.text[0] != '/') {
        ret->opaque = scheme > 0 ? rest : none;
        return scheme > 0 ? SKR_CEL_URL_GOOD : SKR_CEL_URL_BAD;
    }
    const bool slashes = rest.n >= 2 && rest.text[1] == '/';
    const bool three = rest.n >= 3 && slashes && rest.text[2] == '/';
    if (slashes && (scheme > 0 || (!request && !three))) {
        const struct skr_cel_value behind = part(&rest, 2, rest.n);
        const size_t end = find(&behind, '/');
        const struct skr_cel_value authority = part(&behind, 0, end);
        rest = part(&behind, end, behind.n);
        OK(read_authority(ret, &authority, arena));
    }
    return normalize(&rest, PATH, arena, &ret->path);
}

enum skr_cel_url_parsed skr_cel_url_check(const struct skr_cel_value *text, struct skr_arena *arena)
{
    struct skr_cel_url url;
    return parse(text, true, arena, &url);
}

enum skr_cel_url_parsed skr_cel_url_parse(const struct skr_cel_value *text, struct skr_arena *arena,
                                          struct skr_cel_url *ret)
{
    const size_t mark = find(text, '#');
    const struct skr_cel_value before = part(text, 0, mark);
    const struct skr_cel_value fragment = part(text, mark + (mark < text->n ? 1 : 0), text->n);
    OK(skr_cel_url_check(text, arena));
    OK(parse(&before, false, arena, ret));
    return normalize(&fragment, FRAGMENT, arena, &ret->fragment);
}

bool skr_cel_url_query_read(const struct skr_cel_value *text, struct skr_arena *arena,
                            struct skr_cel_value *ret)
{
    const enum skr_cel_url_parsed rc = unescape(text, QUERY, arena, ret);
    *ret = rc == SKR_CEL_URL_NO_ROOM ? skr_cel_error("") : *ret;
    return rc == SKR_CEL_URL_GOOD;
}

void skr_cel_url_split_host(const struct skr_cel_value *host, struct skr_cel_value *ret_name,
                            struct skr_cel_value *ret_port)
{
    const size_t colon = find_last(host, ':');
    const struct skr_cel_value port = part(host, colon, host->n);
    const bool has = colon < host->n && is_port(&port);
    const size_t end = has ? colon : host->n;
    const size_t bracket = end >= 2 && host->text[0] == '[' && host->text[end - 1] == ']' ? 1 : 0;
    *ret_port = part(host, end + (has ? 1 : 0), host->n);
    *ret_name = part(host, bracket, end - bracket);
}

bool skr_cel_url_equal(const struct skr_cel_url *a, const struct skr_cel_url *b)
{
    const struct skr_cel_value *const x[] = {&a->scheme, &a->opaque, &a->user,  &a->password,
                                             &a->host,   &a->path,   &a->query, &a->fragment};
    const struct skr_cel_value *const y[] = {&b->scheme, &b->opaque, &b->user,  &b->password,
                                             &b->host,   &b->path,   &b->query, &b->fragment};
    bool equal = a->has_user == b->has_user && a->has_password == b->has_password &&
                 a->has_query == b->has_query;
    for (size_t i = 0; equal && i < sizeof x / sizeof *x; i++) {
        equal = skr_cel_equal(x[i], y[i]);
    }
    return equal;
}
