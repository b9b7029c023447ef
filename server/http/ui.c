/* SPDX-License-Identifier: Apache-2.0 */
#include "server/http/ui.h"

#include <microhttpd.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "server/http/json_reply.h"
#include "server/ui/page.h"
#include "topology/base/arena.h"

enum { NAME_BYTES = 256 };

struct skr_ui {
    struct skr_strbuf policy, tag;
    struct skr_http_header header[2];
};

/* ---- who may ask ---- */

static bool is_below(const char *path, const char *prefix)
{
    const size_t n = strlen(prefix);
    return strncmp(path, prefix, n) == 0 && (path[n] == 0 || path[n] == '/');
}

/* Pages of pictures: they are for browsers. */
static bool is_for_browsers(const char *path)
{
    return is_below(path, "/ui") || is_below(path, "/v1/picture") || is_below(path, "/v1/stream") ||
           is_below(path, "/v1/whatif");
}

/* Host without its port: "[::1]:9662" gives "[::1]". false: it is too long. */
static bool read_host(const char *host, char name[NAME_BYTES])
{
    const size_t n =
        *host == '[' ? strcspn(host, "]") + (strchr(host, ']') ? 1 : 0) : strcspn(host, ":");
    if (n == 0 || n >= NAME_BYTES) {
        return false;
    }
    memcpy(name, host, n);
    name[n] = 0;
    return true;
}

static bool is_our_name(struct skr_http_request *request)
{
    static const char *const own[] = {"127.0.0.1", "localhost", "[::1]"};
    const char *host = skr_http_header(request, "Host");
    char name[NAME_BYTES];
    if (!host || !read_host(host, name)) {
        return false;
    }
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
        if (strcasecmp(name, own[i]) == 0) {
            return true;
        }
    }
    return skr_http_is_certified_for(request, name);
}

bool skr_ui_admits(struct skr_http_request *request)
{
    const bool browsers = is_for_browsers(request->path);
    const char *site = skr_http_header(request, "Sec-Fetch-Site");
    if (!browsers && !is_below(request->path, "/v1")) {
        return true;
    }
    if (site && strcmp(site, "cross-site") == 0) {
        skr_http_refuse_json(request, MHD_HTTP_FORBIDDEN,
                             "sakkara: requests of other sites are not answered");
        return false;
    }
    if ((browsers || skr_http_is_local(request)) && !is_our_name(request)) {
        skr_http_refuse_json(request, MHD_HTTP_MISDIRECTED_REQUEST,
                             "sakkara: this address answers to 127.0.0.1, localhost, [::1] and the "
                             "names of its certificate");
        return false;
    }
    return true;
}

/* ---- the page ---- */

static void handle(void *context, struct skr_http_request *request)
{
    struct skr_ui *ui = context;
    const char *has = skr_http_header(request, "If-None-Match");
    size_t n;
    const char *page = skr_ui_page(&n);
    if (!skr_http_allows(request, "GET, HEAD")) {
        return;
    }
    if (strcmp(request->path, "/ui") == 0) {
        skr_http_reply_elsewhere(request, "/ui/");
        return;
    }
    if (strcmp(request->path, "/ui/") != 0) {
        skr_http_reply_not_found(request);
        return;
    }
    skr_http_add_headers(request, ui->header, 2);
    if (has && strcmp(has, ui->tag.s) == 0) {
        skr_http_reply_text(request, MHD_HTTP_NOT_MODIFIED, "text/html; charset=utf-8", "");
    } else {
        skr_http_reply_constant(request, MHD_HTTP_OK, "text/html; charset=utf-8", page, n);
    }
}

struct skr_ui *skr_ui_create(void)
{
    struct skr_ui *ui = skr_alloc(sizeof *ui);
    skr_strbuf_init(&ui->policy);
    skr_strbuf_init(&ui->tag);
    skr_ui_policy_write(true, &ui->policy);
    skr_ui_tag_write(&ui->tag);
    ui->header[0] = (struct skr_http_header){"Content-Security-Policy", ui->policy.s};
    ui->header[1] = (struct skr_http_header){"ETag", ui->tag.s};
    return ui;
}

struct skr_admin_route skr_ui_route(struct skr_ui *ui)
{
    return (struct skr_admin_route){.prefix = "/ui", .handle = handle, .context = ui};
}

void skr_ui_destroy(struct skr_ui *ui)
{
    if (ui) {
        skr_strbuf_fini(&ui->policy);
        skr_strbuf_fini(&ui->tag);
        free(ui);
    }
}
