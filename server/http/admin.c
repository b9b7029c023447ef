/* SPDX-License-Identifier: Apache-2.0 */
/* Health, readiness and metrics. Verbose texts are those of Kubernetes' components, which people and
 * scripts can read: "[+]synced ok", "[-]leader failed: ...". */
#include "server/http/admin.h"

#include <microhttpd.h>
#include <string.h>

#include "server/http/ui.h"
#include "topology/base/arena.h"

struct skr_admin {
    struct skr_admin_options options;
    struct skr_listener *listener;
};

/* name is "livez" or "readyz"; verbose and failures say which check. */
static void reply_checks(struct skr_http_request *request, const char *name,
                         const struct skr_admin_check *check, size_t n)
{
    const bool verbose = skr_http_argument(request, "verbose");
    const char *exclude = skr_http_argument(request, "exclude");
    bool all = true;
    SKR_STRBUF(out);
    for (size_t i = 0; i < n; i++) {
        struct skr_error error = {0};
        if (exclude && strcmp(exclude, check[i].name) == 0) {
            skr_strbuf_addf(&out, "[+]%s excluded: ok\n", check[i].name);
        } else if (check[i].ok(check[i].context, &error)) {
            skr_strbuf_addf(&out, "[+]%s ok\n", check[i].name);
        } else {
            all = false;
            skr_strbuf_addf(&out, "[-]%s failed: %s\n", check[i].name,
                            error.text[0] != 0 ? error.text : "no reason given");
        }
    }
    if (all && !verbose) {
        skr_strbuf_reset(&out);
        skr_strbuf_add(&out, "ok");
    } else {
        skr_strbuf_addf(&out, "%s check %s\n", name, all ? "passed" : "failed");
    }
    skr_http_reply_buffer(request, all ? MHD_HTTP_OK : MHD_HTTP_SERVICE_UNAVAILABLE, SKR_HTTP_TEXT,
                          &out);
}

static bool ping(void *context, struct skr_error *error)
{
    (void)context;
    (void)error;
    return true;
}

static void reply_live(struct skr_admin *admin, struct skr_http_request *request)
{
    struct skr_admin_check check[SKR_ADMIN_CHECKS_MAX + 1] = {{.name = "ping", .ok = ping}};
    memcpy(check + 1, admin->options.live, admin->options.n_lives * sizeof *check);
    reply_checks(request, "livez", check, admin->options.n_lives + 1);
}

static void reply_ready(struct skr_admin *admin, struct skr_http_request *request)
{
    reply_checks(request, "readyz", admin->options.check, admin->options.n_checks);
}

static void reply_metrics(struct skr_admin *admin, struct skr_http_request *request)
{
    SKR_STRBUF(out);
    if (!admin->options.metrics) {
        skr_http_reply_not_found(request);
        return;
    }
    skr_metrics_write(admin->options.metrics, &out);
    skr_http_reply_buffer(request, MHD_HTTP_OK, SKR_METRICS_CONTENT_TYPE, &out);
}

static bool below(const char *path, const char *prefix)
{
    const size_t n = strlen(prefix);
    return strncmp(path, prefix, n) == 0 && (path[n] == 0 || path[n] == '/');
}

static const struct skr_admin_route *route_of(const struct skr_admin *admin,
                                              const struct skr_http_request *request)
{
    const struct skr_admin_route *found = NULL;
    for (size_t i = 0; i < admin->options.n_routes; i++) {
        const struct skr_admin_route *route = &admin->options.route[i];
        if (below(request->path, route->prefix) &&
            (!found || strlen(route->prefix) > strlen(found->prefix))) {
            found = route;
        }
    }
    return found;
}

static void on_handle(void *context, struct skr_http_request *request)
{
    static const struct {
        const char *path;
        const char *name;
        enum skr_admin_pages pages; /* of the other listener that has it */
        void (*reply)(struct skr_admin *admin, struct skr_http_request *request);
    } own[] = {
        {"/livez", "livez", SKR_ADMIN_PROBES, reply_live},
        {"/readyz", "readyz", SKR_ADMIN_PROBES, reply_ready},
        {"/metrics", "metrics", SKR_ADMIN_METRICS, reply_metrics},
    };
    struct skr_admin *admin = context;

    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++) {
        const enum skr_admin_pages pages = admin->options.pages;
        if (strcmp(request->path, own[i].path) != 0 ||
            (pages != SKR_ADMIN_EVERYTHING && pages != own[i].pages)) {
            continue;
        }
        request->handler = own[i].name;
        if (skr_http_allows(request, "GET, HEAD")) {
            own[i].reply(admin, request);
        }
        return;
    }
    const struct skr_admin_route *route = route_of(admin, request);
    if (route) {
        request->handler = route->prefix + 1;
    }
    if (!skr_ui_admits(request)) {
        return;
    }
    if (!route) {
        skr_http_reply_not_found(request);
        return;
    }
    route->handle(route->context, request);
}

static void on_resume(void *context, struct skr_http_request *request)
{
    const struct skr_admin_route *route = route_of(context, request);
    skr_bug_on(!route || !route->resume);
    route->resume(route->context, request);
}

static bool on_hangup(void *context, struct skr_http_request *request)
{
    const struct skr_admin_route *route = route_of(context, request);
    return !route || !route->hangup || route->hangup(route->context, request);
}

static bool on_more(void *context, struct skr_http_request *request, struct skr_strbuf *out)
{
    const struct skr_admin_route *route = route_of(context, request);
    skr_bug_on(!route || !route->more);
    return route->more(route->context, request, out);
}

static void on_done(void *context, struct skr_http_request *request)
{
    const struct skr_admin_route *route = route_of(context, request);
    if (route && route->done) {
        route->done(route->context, request);
    }
}

static const struct skr_http_header headers[] = {
    {"X-Content-Type-Options", "nosniff"},
    {"Referrer-Policy", "no-referrer"},
    {"Cache-Control", "no-store"},
};

int skr_admin_create(const struct skr_admin_options *options, struct skr_admin **ret,
                     struct skr_error *error)
{
    struct skr_admin *admin = skr_alloc(sizeof *admin);
    struct skr_listener_options listener;
    skr_bug_on(options->n_checks > SKR_ADMIN_CHECKS_MAX);
    skr_bug_on(options->n_lives > SKR_ADMIN_CHECKS_MAX);
    skr_bug_on(options->n_routes > SKR_ADMIN_ROUTES_MAX);
    admin->options = *options;
    skr_listener_options_default(&listener);
    static const char *const names[] = {[SKR_ADMIN_EVERYTHING] = "admin",
                                        [SKR_ADMIN_PROBES] = "probes",
                                        [SKR_ADMIN_METRICS] = "metrics"};
    const bool open = options->pages != SKR_ADMIN_EVERYTHING; /* to other machines */
    listener.name = names[options->pages];
    listener.address = options->listen;
    listener.tls = options->tls;
    listener.headers = headers;
    listener.n_headers = sizeof headers / sizeof *headers;
    listener.log = options->log;
    listener.metrics = options->metrics;
    listener.connections_max =
        open ? SKR_PROBES_CONNECTIONS_MAX : SKR_ADMIN_CONNECTIONS_MAX + options->streams;
    listener.per_address_max =
        open ? SKR_PROBES_PER_ADDRESS_MAX : SKR_ADMIN_PER_ADDRESS_MAX + options->streams;
    if (open) {
        listener.connection_memory = 4096;
        listener.first_request_ms = SKR_PROBES_FIRST_REQUEST_MS;
        listener.idle_timeout_ms = 2 * SKR_PROBES_FIRST_REQUEST_MS;
    }
    listener.body_max = open ? 1 : SKR_ADMIN_BODY_MAX;
    listener.stop_timeout_ms = 1000;
    listener.handler = (struct skr_http_handler){.context = admin,
                                                 .handle = on_handle,
                                                 .resume = on_resume,
                                                 .hangup = on_hangup,
                                                 .more = on_more,
                                                 .done = on_done};
    const int rc = skr_listener_create(&listener, &admin->listener, error);
    if (rc != 0) {
        free(admin);
        return rc;
    }
    *ret = admin;
    return 0;
}

uint16_t skr_admin_port(const struct skr_admin *admin)
{
    return skr_listener_port(admin->listener);
}

void skr_admin_begin_stop(struct skr_admin *admin)
{
    if (admin) {
        skr_listener_begin_stop(admin->listener);
    }
}

void skr_admin_destroy(struct skr_admin *admin)
{
    if (!admin) {
        return;
    }
    skr_listener_destroy(admin->listener);
    free(admin);
}
