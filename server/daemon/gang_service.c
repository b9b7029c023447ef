/* SPDX-License-Identifier: Apache-2.0 */
#include "server/daemon/gang_service.h"

#include <jansson.h>
#include <stdlib.h>

#include "core/gang/state/requests.h"
#include "core/gang/state/solve_request.h"
#include "core/gang/state/types.h"
#include "server/daemon/gang_metrics.h"
#include "server/http/api.h"
#include "server/http/explanations.h"
#include "server/http/gate.h"
#include "server/http/verbs.h"
#include "server/render/explain_text.h"
#include "topology/base/arena.h"

struct service {
    struct skr_service_host host;
    struct skr_settings settings;
    struct skr_engine_thread *engine;
    struct skr_gang_metrics *metrics;
    struct skr_verbs *verbs;
    struct skr_gate *gate;
    struct skr_api *api;
    struct skr_explanations *explanations;
};

static bool enabled(const struct skr_config *config)
{
    (void)config;
    return true;
}

static void *create(const struct skr_service_host *host)
{
    struct service *s = skr_alloc(sizeof *s);
    s->host = *host;
    s->settings = host->config->settings;
    s->settings.hash_seed = host->hash_seed;
    s->settings.utc_offset_s = skr_clock_utc_offset_s(host->clock);
    s->metrics = skr_gang_metrics_create(host->registry, host->clock);
    s->settings.stopwatch = skr_gang_metrics_stopwatch(s->metrics);
    return s;
}

static const void *settings(const void *service)
{
    return &((const struct service *)service)->settings;
}

/* ---- what goes to the engine ---- */

static int write_page(void *self, const struct skr_view_query *query, skr_time now,
                      struct skr_strbuf *out)
{
    return skr_gang_view(self, query, now, out);
}

static int draw(void *self, const struct skr_view_query *query, skr_time now,
                struct skr_picture *picture, enum skr_picture_news *ret_news,
                struct skr_strbuf *out)
{
    return skr_gang_draw(self, query, now, picture, ret_news, out);
}

/* As the command explain prints it. */
static void write_explanation(const char *json, size_t n, struct skr_strbuf *out)
{
    const struct skr_explain_look look = {.verbose = false};
    json_auto_t *explanation = json_loadb(json, n, 0, NULL);
    if (explanation) {
        skr_explain_write_text(explanation, &look, out);
    }
}

/* Any event makes what pages wait for. */
static void nudge(void *context)
{
    const struct skr_event event = {.kind = SKR_EVENT_TIMER};
    skr_engine_thread_post(context, &event);
}

static void server_is(void *service, int minor)
{
    const struct service *s = service;
    int32_t *body = skr_alloc(sizeof *body);
    const struct skr_event event = {.kind = SKR_EVENT_REQUEST,
                                    .request = {.verb = SKR_GANG_SERVER_IS, .body = body}};
    *body = minor;
    skr_engine_thread_post_kept(s->engine, &event, free, body);
}

/* ---- what comes from the engine ---- */

static void answer(void *service, uint64_t request, const void *body)
{
    struct service *s = service;
    const struct skr_answer *a = body;
    if (a->kind == SKR_ANSWER_EXPLANATION) {
        skr_explanations_answer(s->explanations, request, &a->explanation);
    } else {
        skr_verbs_answer(s->verbs, a);
    }
}

static void handled(void *service, const struct skr_engine *engine)
{
    struct service *s = service;
    skr_gang_metrics_publish(s->metrics, engine);
    skr_api_handled(s->api, skr_engine_thread_handled(s->engine));
}

static void worked(void *service, const struct skr_work *work)
{
    struct service *s = service;
    if (!work->aside) {
        const struct skr_solve_request *request = (const struct skr_solve_request *)work;
        if (!request->preemption) {
            skr_gang_metrics_solved(s->metrics, request->solution, request->problem.roles,
                                    work->took_ns);
        }
    }
}

/* ---- listeners ---- */

static struct skr_tls_files tls_of(const struct skr_config_tls *files)
{
    return (struct skr_tls_files){
        .cert = files->cert_file, .key = files->key_file, .client_ca = files->client_ca_file};
}

static int start_verbs(struct service *s, struct skr_error *error)
{
    const struct skr_config *config = s->host.config;
    struct skr_verbs_options options = {
        .listen = config->extender_listen,
        .bind_listen = config->bind_listen,
        .tls = tls_of(&config->tls),
        .post = skr_engine_thread_post_kept,
        .post_context = s->engine,
        .log = s->host.log,
        .metrics = s->host.registry,
    };
    return skr_verbs_create(&options, &s->verbs, error);
}

static int start_gate(struct service *s, struct skr_error *error)
{
    const struct skr_config *config = s->host.config;
    if (config->gate_listen[0] == '\0') {
        return 0;
    }
    struct skr_gate_options options = {
        .listen = config->gate_listen,
        .tls = tls_of(&config->gate_tls),
        .n_scheduler_names = s->settings.n_scheduler_names,
        .log = s->host.log,
        .metrics = s->host.registry,
    };
    for (size_t i = 0; i < s->settings.n_scheduler_names; i++) {
        options.scheduler_name[i] = s->settings.scheduler_name[i];
    }
    return skr_gate_create(&options, &s->gate, error);
}

static int start(void *service, struct skr_engine_thread *engine, struct skr_error *error)
{
    struct service *s = service;
    const struct skr_api_options api = {.prefix = "/v1",
                                        .write = write_page,
                                        .look = skr_engine_thread_look,
                                        .busy = skr_engine_thread_has_requests,
                                        .nudge = nudge,
                                        .context = engine};
    const struct skr_explanations_options explanations = {
        .post = skr_engine_thread_post_kept, .text = write_explanation, .context = engine};
    s->engine = engine;
    s->api = skr_api_create(&api);
    s->explanations = skr_explanations_create(&explanations);
    skr_gang_metrics_set_engine(s->metrics, engine);
    int rc = start_verbs(s, error);
    return rc < 0 ? rc : start_gate(s, error);
}

static size_t routes(void *service, struct skr_admin_route *route)
{
    struct service *s = service;
    const size_t n = skr_explanations_routes(s->explanations, route);
    route[n] = skr_api_route(s->api);
    return n + 1;
}

static size_t ports(const void *service, struct skr_service_port port[SKR_SERVICE_PORTS_MAX])
{
    const struct service *s = service;
    port[0] = (struct skr_service_port){"extender", skr_verbs_port(s->verbs)};
    port[1] = (struct skr_service_port){"bind", skr_verbs_bind_port(s->verbs)};
    port[2] = (struct skr_service_port){"gate", skr_listener_port(skr_gate_listener(s->gate))};
    return 3;
}

/* ---- the end ---- */

static void begin_stop(void *service)
{
    struct service *s = service;
    skr_gang_metrics_set_engine(s->metrics, NULL);
    skr_listener_begin_stop(skr_gate_listener(s->gate));
}

/* Every request in flight is answered; later ones find the listeners closed. */
static void stop(void *service)
{
    struct service *s = service;
    if (s->verbs) {
        skr_verbs_stop(s->verbs);
    }
}

static void destroy(void *service)
{
    struct service *s = service;
    skr_api_destroy(s->api);
    skr_explanations_destroy(s->explanations);
    skr_gate_destroy(s->gate);
    skr_verbs_destroy(s->verbs);
    skr_gang_metrics_destroy(s->metrics);
    free(s);
}

static size_t watches(const struct skr_config *config)
{
    return config->settings.admission_check ? SKR_GANG_WATCHES
                                            : SKR_GANG_WATCHES - SKR_GANG_WATCHES_KUEUE;
}

const struct skr_scheduler_row skr_gang_service = {
    .enabled = enabled,
    .watches = watches,
    .create = create,
    .settings = settings,
    .start = start,
    .routes = routes,
    .ports = ports,
    .view = "gangs",
    .draw = draw,
    .answer = answer,
    .handled = handled,
    .worked = worked,
    .server_is = server_is,
    .begin_stop = begin_stop,
    .stop = stop,
    .destroy = destroy,
};
