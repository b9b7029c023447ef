/* SPDX-License-Identifier: Apache-2.0 */
/* Answers GET /v1/modules, and refuses the pages of modules that are off. */
#include "server/http/modules.h"

#include <microhttpd.h>
#include <string.h>

#include "core/gang/state/pages.h"
#include "server/http/json_reply.h"
#include "topology/base/json_writer.h"

static void write_item(const struct skr_module *module, struct skr_json_writer *w)
{
    skr_json_open(w, NULL, '{');
    skr_json_string(w, "name", module->name);
    skr_json_bool(w, "enabled", module->enabled);
    skr_json_string(w, "setting", module->setting);
    if (module->n_decides_by > 0) {
        skr_json_open(w, "decidesBy", '{');
        for (size_t i = 0; i < module->n_decides_by; i++) {
            skr_json_string(w, module->decides_by[i].name, module->decides_by[i].value);
        }
        skr_json_close(w, '}');
    }
    skr_json_close(w, '}');
}

static void write_page(const struct skr_modules *modules, struct skr_strbuf *out)
{
    struct skr_json_writer w = {.out = out};
    char now[48];
    skr_time_write(skr_clock_now(modules->clock), 0, now, sizeof now);
    skr_json_open(&w, NULL, '{');
    skr_json_string(&w, "apiVersion", "sakkara/v1");
    skr_json_string(&w, "kind", "ModuleList");
    skr_json_string(&w, "time", now);
    skr_json_open(&w, "items", '[');
    for (size_t i = 0; i < modules->n; i++) {
        write_item(&modules->item[i], &w);
    }
    skr_json_close(&w, ']');
    skr_json_close(&w, '}');
}

static void handle_page(void *context, struct skr_http_request *request)
{
    const struct skr_modules *modules = context;
    SKR_STRBUF(out);
    if (!skr_http_allows(request, "GET, HEAD")) {
        return;
    }
    if (strcmp(request->path, "/v1/modules") == 0) {
        write_page(modules, &out);
        skr_http_reply_json(request, MHD_HTTP_OK, &out);
    } else {
        skr_http_refuse_json(request, MHD_HTTP_NOT_FOUND,
                             "sakkara: no such path; it is /v1/modules");
    }
}

static void handle_off(void *context, struct skr_http_request *request)
{
    const struct skr_module *module = context;
    SKR_STRBUF(out);
    char message[160];
    if (!skr_http_allows(request, "GET, HEAD")) {
        return;
    }
    snprintf(message, sizeof message,
             "sakkara: the daemon's module %s is off; %s: true in its configuration switches it on",
             module->name, module->setting);
    skr_view_write_refusal(&out, MHD_HTTP_NOT_FOUND, message, "ModuleOff", module->setting);
    skr_http_reply_json(request, MHD_HTTP_NOT_FOUND, &out);
}

size_t skr_modules_routes(struct skr_modules *modules, struct skr_admin_route *route)
{
    size_t n = 0;
    route[n++] = (struct skr_admin_route){
        .prefix = "/v1/modules", .handle = handle_page, .context = modules};
    for (size_t i = 0; i < modules->n; i++) {
        struct skr_module *module = &modules->item[i];
        if (!module->enabled && module->pages) {
            route[n++] = (struct skr_admin_route){
                .prefix = module->pages, .handle = handle_off, .context = module};
        }
    }
    return n;
}
