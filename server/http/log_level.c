/* SPDX-License-Identifier: Apache-2.0 */
/* The level is one number as text. A request with an Origin comes from a web page and is refused. */
#include "server/http/log_level.h"

#include <microhttpd.h>
#include <string.h>

#include "server/log.h"

static void reply_level(struct skr_http_request *request)
{
    SKR_STRBUF(out);
    skr_strbuf_addf(&out, "%d\n", skr_log_get_level());
    skr_http_reply_buffer(request, MHD_HTTP_OK, SKR_HTTP_TEXT, &out);
}

/* -1: no number from 0 to SKR_LOG_LEVEL_MAX. White space around it is fine. */
static int level_of(const struct skr_http_request *request)
{
    static const char space[] = " \t\r\n";
    const char *text = request->body ? request->body : "";
    int level = 0;
    text += strspn(text, space);
    const size_t n = strspn(text, "0123456789");
    if (n == 0 || n > 2 || text[n + strspn(text + n, space)] != 0) {
        return -1;
    }
    for (size_t i = 0; i < n; i++) {
        level = level * 10 + (text[i] - '0');
    }
    return level <= SKR_LOG_LEVEL_MAX ? level : -1;
}

static void put(struct skr_http_request *request)
{
    if (!skr_http_is_local(request) || skr_http_header(request, MHD_HTTP_HEADER_ORIGIN)) {
        skr_http_reply_text(request, MHD_HTTP_FORBIDDEN, SKR_HTTP_TEXT,
                            "the log level is changed from this machine only\n");
        return;
    }
    const int level = level_of(request);
    if (level < 0) {
        skr_http_reply_text(request, MHD_HTTP_BAD_REQUEST, SKR_HTTP_TEXT,
                            "the log level is a number from 0 to 10\n");
        return;
    }
    skr_log_set_level(level);
    skr_log_info(0, "Log level changed", SKR_LOG_I("v", level), SKR_LOG_END);
    reply_level(request);
}

static void handle(void *context, struct skr_http_request *request)
{
    (void)context;
    if (strcmp(request->path, "/v1/loglevel") != 0) {
        skr_http_reply_not_found(request);
    } else if (!skr_http_allows(request, "GET, HEAD, PUT")) {
        return;
    } else if (strcmp(request->method, MHD_HTTP_METHOD_PUT) == 0) {
        put(request);
    } else {
        reply_level(request);
    }
}

struct skr_admin_route skr_log_level_route(void)
{
    return (struct skr_admin_route){.prefix = "/v1/loglevel", .handle = handle};
}
