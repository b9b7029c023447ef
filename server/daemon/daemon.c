/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Connects the parts: for each enabled scheduler an engine on its thread with its service and its
 * workers, and one kube client for all.
 */
#include "server/daemon/daemon.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "server/clock.h"
#include "server/daemon/health.h"
#include "server/daemon/leader.h"
#include "server/daemon/memory.h"
#include "server/daemon/metrics.h"
#include "server/daemon/preflight.h"
#include "server/daemon/seat.h"
#include "server/daemon/signals.h"
#include "server/exit_code.h"
#include "server/http/admin.h"
#include "server/http/log_level.h"
#include "server/http/modules.h"
#include "server/http/pictures.h"
#include "server/http/process_metrics.h"
#include "server/http/ui.h"
#include "server/http/verbs.h"
#include "server/kube/client.h"
#include "server/kube/kubeconfig.h"
#include "server/log.h"
#include "server/version.h"
#include "topology/base/arena.h"

/* The limits of the steps of the end. All of them together are less than SKR_DAEMON_STOP_S. */
#define STOP_ENGINE_TIME (SKR_SECOND)     /* for the engine to answer what it holds */
#define STOP_KUBE_TIME   (SKR_SECOND)     /* for requests in flight to be answered */
#define UNFIT_TIME       (5 * SKR_SECOND) /* at one event: another process should lead */
#define RESIGN_TIME      (SKR_SECOND)     /* for the Lease to be given back */
_Static_assert(SKR_SCHEDULER_COUNT *STOP_ENGINE_TIME + SKR_VERBS_STOP_MS * SKR_MILLISECOND +
                       STOP_KUBE_TIME + RESIGN_TIME <
                   SKR_DAEMON_STOP_S * SKR_SECOND / 2,
               "each step may take its time, and a busy machine as much again");

struct skr_daemon {
    const struct skr_config *config;
    const char *kubeconfig;
    struct skr_findings *findings; /* of the start */
    char instance[256];
    struct skr_hash_seed hash_seed;
    struct skr_clock clock;
    struct skr_metrics *registry;
    struct skr_daemon_metrics *metrics;
    struct skr_seat seat[SKR_SCHEDULER_COUNT];
    size_t n_seats;
    struct skr_kube *kube;
    struct skr_leader *leader;             /* NULL: this process is the only one */
    _Atomic(struct skr_kube *) fresh_kube; /* of the elector, which starts first; NULL: not yet */
    uint64_t fresh_ticket;                 /* of its thread */
    struct skr_preflight *preflight;
    struct skr_modules modules;
    struct skr_pictures *pictures;
    struct skr_ui *ui;
    struct skr_admin *admin;
    struct skr_admin *probes;  /* NULL: off */
    struct skr_admin *scraped; /* for metrics; the same */
    struct skr_health health;
};

static void log_http(void *context, int level, const char *text)
{
    (void)context;
    const struct skr_log_pair none[] = {SKR_LOG_END};
    enum skr_log_severity severity = level <= SKR_HTTP_LOG_ERROR     ? SKR_LOG_ERROR
                                     : level <= SKR_HTTP_LOG_WARNING ? SKR_LOG_WARNING
                                                                     : SKR_LOG_INFO;
    skr_log_emit_limited(severity, severity == SKR_LOG_INFO ? level : 0, __FILE__, __LINE__, text,
                         "", none);
}

/* ---- leadership ---- */

static void report_leadership(void *context, bool leads)
{
    struct skr_daemon *d = context;
    const struct skr_event event = {.kind = leads ? SKR_EVENT_LEADER_WON : SKR_EVENT_LEADER_LOST};
    for (size_t i = 0; i < d->n_seats; i++) {
        skr_engine_thread_post(d->seat[i].engine, &event);
    }
}

static bool may_write(void *context)
{
    const struct skr_daemon *d = context;
    return !d->leader || skr_leader_may_write(d->leader);
}

/* Without a client there is nothing that could be old. */
static void freshen(void *context)
{
    struct skr_daemon *d = context;
    struct skr_kube *kube = atomic_load(&d->fresh_kube);
    d->fresh_ticket = kube ? skr_kube_freshen(kube) : 0;
}

static bool is_fresh(void *context)
{
    struct skr_daemon *d = context;
    struct skr_kube *kube = atomic_load(&d->fresh_kube);
    return !kube || skr_kube_is_fresh(kube, d->fresh_ticket);
}

/* A process that cannot decide must not keep the Lease. */
static bool is_fit(void *context)
{
    const struct skr_daemon *d = context;
    return skr_health_busy(&d->health) < UNFIT_TIME;
}

/* ---- parts ---- */

/* Also for services, while they start. ret owns nothing on errors. */
static int load_access(void *context, struct skr_kube_access *ret, struct skr_error *error)
{
    const struct skr_daemon *d = context;
    const char *file = d->kubeconfig && d->kubeconfig[0] ? d->kubeconfig : d->config->kubeconfig;
    skr_kube_access_init(ret);
    const int rc = skr_kube_access_load(&file, file[0] ? 1 : 0, ret, d->findings, error);
    if (rc < 0) {
        skr_kube_access_fini(ret);
    }
    return rc;
}

static int start_kube(struct skr_daemon *d, struct skr_error *error)
{
    struct skr_kube_access access;
    struct skr_kube_options options;
    char agent[128];
    skr_kube_options_default(&options);
    snprintf(agent, sizeof agent, "sakkara/%s", skr_version);
    for (size_t i = 0; i < d->n_seats; i++) {
        struct skr_seat *s = &d->seat[i];
        const struct skr_service_rate rate =
            s->row->rate ? s->row->rate(d->config) : (struct skr_service_rate){0};
        const size_t watches =
            s->row->watches ? s->row->watches(d->config) : s->scheduler->n_watches;
        s->subscriber = options.n_subscribers++;
        options.subscriber[s->subscriber] =
            (struct skr_kube_subscriber){.watch = s->scheduler->watch,
                                         .n_watches = watches,
                                         .deliver = skr_seat_deliver,
                                         .context = s,
                                         .qps = (int32_t)rate.qps,
                                         .burst = (int32_t)rate.burst};
    }
    options.user_agent = agent;
    options.hash_seed = d->hash_seed;
    options.system_groups = d->config->system_groups;
    options.topology_namespace = d->config->settings.topology_namespace;
    options.may_write = may_write;
    options.may_write_context = d;
    options.qps = (int32_t)d->config->client_qps;
    options.burst = (int32_t)d->config->client_burst;
    options.stop_grace = STOP_KUBE_TIME;
    int rc = load_access(d, &access, error);
    rc = rc < 0 ? rc : skr_kube_create(&options, &access, &d->kube, error);
    skr_kube_access_fini(&access);
    return rc;
}

/* Before anything else may decide: engines start as leaders. */
static int start_leader(struct skr_daemon *d, struct skr_error *error)
{
    struct skr_kube_access access;
    char namespace_[SKR_LEADER_NAME_MAX];
    char agent[128];
    report_leadership(d, false);
    skr_lease_namespace(d->config, namespace_, sizeof namespace_);
    (void)snprintf(agent, sizeof agent, "sakkara/%s leader-election", skr_version);
    const struct skr_leader_options options = {
        .namespace_ = namespace_,
        .name = d->config->leader_name,
        .host = d->instance,
        .scheduler_namespace = namespace_,
        .scheduler_name =
            d->config->leader_mode == SKR_LEADER_SCHEDULER ? d->config->scheduler_lease : "",
        .alone = d->config->leader_mode == SKR_LEADER_NONE,
        .beside = true,
        .trusted = d->config->leader_trusted,
        .user_agent = agent,
        .report = report_leadership,
        .fit = is_fit,
        .freshen = freshen,
        .is_fresh = is_fresh,
        .context = d,
    };
    const int rc = load_access(d, &access, error);
    return rc < 0 ? rc : skr_leader_create(&options, &access, &d->leader, error);
}

static void server_is(void *context, int minor)
{
    const struct skr_daemon *d = context;
    for (size_t i = 0; i < d->n_seats; i++) {
        if (d->seat[i].row->server_is) {
            d->seat[i].row->server_is(d->seat[i].service, minor);
        }
    }
}

/* Missing permissions are found now, not when a group is half bound. */
static int start_preflight(struct skr_daemon *d, struct skr_error *error)
{
    struct skr_kube_access access;
    const int rc = load_access(d, &access, error);
    return rc < 0 ? rc
                  : skr_preflight_start(d->config, &access, server_is, d, &d->preflight, error);
}

static void list_modules(struct skr_daemon *d)
{
    d->modules.clock = &d->clock;
    for (size_t i = 0; i < SKR_SCHEDULER_COUNT; i++) {
        const struct skr_scheduler_row *row = skr_scheduler_rows[i];
        if (row->module) {
            skr_bug_on(d->modules.n == SKR_MODULES_MAX);
            struct skr_module *module = &d->modules.item[d->modules.n++];
            *module = (struct skr_module){.name = row->module,
                                          .setting = row->setting,
                                          .pages = row->pages,
                                          .enabled = row->enabled(d->config)};
            module->n_decides_by =
                row->decides_by ? row->decides_by(d->config, module->decides_by) : 0;
        }
    }
}

/* A view for each scheduler that has one. */
static int start_pictures(struct skr_daemon *d, struct skr_error *error)
{
    struct skr_pictures_options options = {.hash_seed = d->hash_seed,
                                           .boot = skr_hash_keyed(&d->hash_seed, "pictures", 8),
                                           .streams_max = (size_t)d->config->ui_streams,
                                           .metrics = d->registry};
    _Static_assert((int)SKR_SCHEDULER_COUNT <= (int)SKR_PICTURES_VIEWS_MAX, "a view each");
    for (size_t i = 0; i < d->n_seats; i++) {
        const struct skr_seat *s = &d->seat[i];
        if (s->row->draw) {
            options.view[options.n_views++] =
                (struct skr_picture_view){.name = s->row->view,
                                          .draw = s->row->draw,
                                          .look = skr_engine_thread_look,
                                          .busy = skr_engine_thread_has_requests,
                                          .handled = skr_engine_thread_handled,
                                          .engine = s->engine};
        }
    }
    d->ui = skr_ui_create();
    return skr_pictures_create(&options, &d->pictures, error);
}

static int start_admin(struct skr_daemon *d, struct skr_error *error)
{
    struct skr_admin_options options = {
        .listen = d->config->admin_listen,
        .tls = {.cert = d->config->admin_tls.cert_file,
                .key = d->config->admin_tls.key_file,
                .client_ca = d->config->admin_tls.client_ca_file},
        .log = {log_http, d},
        .metrics = d->registry,
        .streams = (unsigned)d->config->ui_streams,
        .n_routes = 2,
        .route = {skr_log_level_route(), skr_ui_route(d->ui)},
    };
    list_modules(d);
    options.n_routes += skr_pictures_routes(d->pictures, &options.route[options.n_routes]);
    options.n_routes += skr_modules_routes(&d->modules, &options.route[options.n_routes]);
    for (size_t i = 0; i < d->n_seats; i++) {
        const struct skr_seat *s = &d->seat[i];
        skr_bug_on(options.n_routes + SKR_SERVICE_ROUTES_MAX > SKR_ADMIN_ROUTES_MAX);
        if (s->row->routes) {
            options.n_routes += s->row->routes(s->service, &options.route[options.n_routes]);
        }
    }
    /* In a sidecar readiness is about the process: its pod has to become ready to stand by. With
     * the spot mix, Services select the leader's role, and rollouts have to complete. A daemon that
     * should be alone and is not is never ready. */
    d->health.alone = d->config->leader_mode == SKR_LEADER_NONE;
    d->health.leader = d->health.alone || (d->config->leader_mode == SKR_LEADER_LEASE &&
                                           !d->config->spotmix.enabled)
                           ? d->leader
                           : NULL;
    d->health.kube = d->kube;
    d->health.wedged_after = SKR_HEALTH_WEDGED;
    options.n_checks = skr_health_ready(&d->health, options.check);
    options.n_lives = skr_health_live(&d->health, options.live);
    int rc = skr_admin_create(&options, &d->admin, error);
    options.tls = (struct skr_tls_files){.cert = "", .key = "", .client_ca = ""};
    options.n_routes = 0;
    if (rc == 0 && d->config->probes_listen[0] != '\0') {
        options.listen = d->config->probes_listen;
        options.pages = SKR_ADMIN_PROBES;
        rc = skr_admin_create(&options, &d->probes, error);
    }
    if (rc == 0 && d->config->metrics_listen[0] != '\0') {
        options.listen = d->config->metrics_listen;
        options.pages = SKR_ADMIN_METRICS;
        rc = skr_admin_create(&options, &d->scraped, error);
    }
    return rc;
}

/* The service and the engine of every enabled scheduler. The engines do not run yet. */
static void make_seats(struct skr_daemon *d)
{
    const struct skr_service_host host = {.config = d->config,
                                          .clock = &d->clock,
                                          .instance = d->instance,
                                          .hash_seed = d->hash_seed,
                                          .registry = d->registry,
                                          .log = {log_http, d},
                                          .access = load_access,
                                          .context = d};
    for (size_t i = 0; i < SKR_SCHEDULER_COUNT; i++) {
        if (!skr_scheduler_rows[i]->enabled(d->config)) {
            continue;
        }
        struct skr_seat *s = &d->seat[d->n_seats++];
        s->scheduler = skr_schedulers[i];
        s->row = skr_scheduler_rows[i];
        s->service = s->row->create(&host);
        s->engine = skr_engine_thread_create(
            skr_engine_create(s->scheduler, s->row->settings(s->service), d->instance), &d->clock);
        d->health.engine[d->health.n_engines++] = s->engine;
    }
}

static int start_parts(struct skr_daemon *d, struct skr_error *error)
{
    int rc = 0;
    for (size_t i = 0; i < d->n_seats && rc == 0; i++) {
        rc = skr_seat_start(&d->seat[i], error);
    }
    rc = rc < 0 ? rc : start_leader(d, error);
    rc = rc < 0 ? rc : start_preflight(d, error);
    rc = rc < 0 ? rc : start_kube(d, error);
    if (rc < 0) {
        return rc;
    }
    atomic_store(&d->fresh_kube, d->kube);
    skr_daemon_metrics_set_kube(d->metrics, d->kube);
    rc = start_pictures(d, error);
    rc = rc < 0 ? rc : start_admin(d, error);
    for (size_t i = 0; i < d->n_seats && rc == 0; i++) {
        d->seat[i].kube = d->kube;
        rc = skr_seat_start_engine(&d->seat[i], error);
    }
    return rc;
}

/* Of a service's listener; 0: there is none. */
static uint16_t port_of(const struct skr_daemon *d, const char *name)
{
    for (size_t i = 0; i < d->n_seats; i++) {
        struct skr_service_port port[SKR_SERVICE_PORTS_MAX];
        const struct skr_seat *s = &d->seat[i];
        size_t n = s->row->ports ? s->row->ports(s->service, port) : 0;
        for (size_t k = 0; k < n; k++) {
            if (strcmp(port[k].name, name) == 0) {
                return port[k].port;
            }
        }
    }
    return 0;
}

static void log_start(const struct skr_daemon *d)
{
    skr_log_info(
        0, "Daemon started", SKR_LOG_S("version", skr_version),
        SKR_LOG_S("extender", d->config->extender_listen),
        SKR_LOG_I("extenderPort", port_of(d, "extender")),
        SKR_LOG_S("bind", d->config->bind_listen), SKR_LOG_I("bindPort", port_of(d, "bind")),
        SKR_LOG_S("admin", d->config->admin_listen),
        SKR_LOG_I("adminPort", skr_admin_port(d->admin)), SKR_LOG_S("gate", d->config->gate_listen),
        SKR_LOG_I("gatePort", port_of(d, "gate")), SKR_LOG_END);
}

int skr_daemon_create(const struct skr_config *config, const char *kubeconfig,
                      struct skr_daemon **ret, struct skr_findings *findings,
                      struct skr_error *error)
{
    struct skr_daemon *d = skr_alloc(sizeof *d);
    d->config = config;
    d->kubeconfig = kubeconfig;
    d->findings = findings;
    skr_clock_init(&d->clock);
    if (gethostname(d->instance, sizeof d->instance - 1) != 0) {
        snprintf(d->instance, sizeof d->instance, "sakkara");
    }
    skr_http_raise_open_files();
    d->registry = skr_metrics_create();
    skr_process_metrics_register(d->registry);
    d->metrics = skr_daemon_metrics_create(d->registry);
    skr_bug_on(getrandom(&d->hash_seed, sizeof d->hash_seed, 0) != (ssize_t)sizeof d->hash_seed);
    make_seats(d);
    int rc = start_parts(d, error);
    if (rc < 0) {
        skr_daemon_destroy(d);
        return rc;
    }
    log_start(d);
    *ret = d;
    return 0;
}

static void stop_requests(struct skr_daemon *d)
{
    const struct skr_event event = {.kind = SKR_EVENT_SHUTDOWN};
    atomic_store(&d->health.stopping, true);
    for (size_t i = 0; i < d->n_seats; i++) {
        skr_engine_thread_post(d->seat[i].engine, &event);
    }
    for (size_t i = 0; i < d->n_seats; i++) {
        if (d->admin && !skr_engine_thread_wait(d->seat[i].engine, STOP_ENGINE_TIME)) {
            skr_log_warning("Engine did not answer its held requests in time",
                            SKR_LOG_S("what", d->seat[i].scheduler->name), SKR_LOG_END);
        }
    }
    for (size_t i = 0; i < d->n_seats; i++) {
        if (d->seat[i].row->begin_stop) {
            d->seat[i].row->begin_stop(d->seat[i].service);
        }
    }
    skr_admin_begin_stop(d->admin);
    skr_admin_begin_stop(d->probes);
    skr_admin_begin_stop(d->scraped);
    for (size_t i = 0; i < d->n_seats; i++) {
        if (d->seat[i].row->stop) {
            d->seat[i].row->stop(d->seat[i].service);
        }
    }
}

static void stop_engines(struct skr_daemon *d)
{
    for (size_t i = 0; i < d->n_seats; i++) {
        skr_engine_thread_stop(d->seat[i].engine);
    }
    skr_pictures_destroy(d->pictures); /* the engines do not draw any more, and still exist */
    skr_ui_destroy(d->ui);
    for (size_t i = 0; i < d->n_seats; i++) {
        skr_worker_destroy(d->seat[i].worker);
        skr_worker_destroy(d->seat[i].beside);
        skr_engine_thread_destroy(d->seat[i].engine);
    }
}

void skr_daemon_destroy(struct skr_daemon *daemon)
{
    struct skr_daemon *d = daemon;
    if (!d) {
        return;
    }
    stop_requests(d);
    skr_preflight_destroy(d->preflight);
    if (d->kube) {
        skr_kube_stop(d->kube);
    }
    /* Nothing is under way any more: the next one may begin. */
    skr_leader_resign(d->leader, RESIGN_TIME);
    skr_admin_destroy(d->admin);
    skr_admin_destroy(d->probes);
    skr_admin_destroy(d->scraped);
    skr_leader_destroy(d->leader);
    d->leader = NULL;
    stop_engines(d);
    skr_kube_destroy(d->kube);
    for (size_t i = 0; i < d->n_seats; i++) {
        d->seat[i].row->destroy(d->seat[i].service);
    }
    skr_metrics_destroy(d->registry);
    skr_daemon_metrics_destroy(d->metrics);
    free(d);
}

/* ---- looking in ---- */

void skr_daemon_get_ports(const struct skr_daemon *daemon, struct skr_daemon_ports *ret)
{
    *ret = (struct skr_daemon_ports){.extender = port_of(daemon, "extender"),
                                     .bind = port_of(daemon, "bind"),
                                     .admin = skr_admin_port(daemon->admin)};
}

bool skr_daemon_is_synced(struct skr_daemon *daemon)
{
    return skr_health_is_synced(&daemon->health);
}

/* ---- signals ---- */

static void raise_level(int first)
{
    int level = skr_log_get_level() + 2;
    skr_log_set_level(level > 6 ? first : level);
    skr_log_info(0, "Log level changed", SKR_LOG_I("v", skr_log_get_level()), SKR_LOG_END);
}

static int wait_for_end(const sigset_t *set)
{
    int first_level = skr_log_get_level();
    struct skr_memory memory = {0};
    for (;;) {
        int signal = skr_signals_wait(set, SKR_MEMORY_TEND_S * SKR_SECOND);
        if (signal == SIGHUP) {
            raise_level(first_level);
        } else if (signal != 0) {
            return signal;
        } else {
            skr_memory_tend(&memory);
        }
    }
}

static void print_findings(struct skr_findings *findings, const char *file)
{
    SKR_STRBUF(out);
    skr_findings_write(findings, file, &out);
    if (out.len > 0) {
        fputs(out.s, stderr);
    }
}

int skr_daemon_run(const struct skr_config *config, const char *kubeconfig)
{
    sigset_t set;
    struct skr_error error = {.code = SKR_OK};
    struct skr_findings findings;
    struct skr_daemon *daemon = NULL;
    skr_findings_init(&findings);
    skr_signals_block(&set);
    int rc = skr_daemon_create(config, kubeconfig, &daemon, &findings, &error);
    print_findings(&findings, kubeconfig && kubeconfig[0] ? kubeconfig : config->kubeconfig);
    if (rc < 0) {
        fprintf(stderr, "sakkara serve: %s\n", error.text);
        return SKR_EXIT_ERROR;
    }
    int signal = wait_for_end(&set);
    skr_signals_arm_end(&set, SKR_DAEMON_STOP_S);
    skr_log_info(0, "Daemon was told to stop", SKR_LOG_I("signal", signal), SKR_LOG_END);
    skr_daemon_destroy(daemon);
    skr_log_say_held(true);
    skr_log_info(0, "Daemon stopped", SKR_LOG_END);
    return SKR_EXIT_OK;
}
