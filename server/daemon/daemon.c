/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Assembles the daemon. Everything below is wiring: the outlets of the engine thread on one side,
 * the posts of listeners, kube client and solver on the other. Decisions are logged here and
 * nowhere else.
 */
#include "server/daemon/daemon.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "server/clock.h"
#include "server/daemon/engine_thread.h"
#include "server/daemon/health.h"
#include "server/daemon/leader.h"
#include "server/daemon/metrics.h"
#include "server/daemon/preflight.h"
#include "server/daemon/signals.h"
#include "server/daemon/solver_thread.h"
#include "server/exit_code.h"
#include "server/http/admin.h"
#include "server/http/api.h"
#include "server/http/explanations.h"
#include "server/http/gate.h"
#include "server/http/log_level.h"
#include "server/http/process_metrics.h"
#include "server/http/verbs.h"
#include "server/kube/client.h"
#include "server/kube/kubeconfig.h"
#include "server/log.h"
#include "server/version.h"
#include "topology/base/arena.h"

/* Together with SKR_VERBS_STOP_MS less than SKR_DAEMON_STOP_S. */
#define STOP_ENGINE_TIME (SKR_SECOND)     /* for the engine to answer what it holds */
#define STOP_KUBE_TIME   (SKR_SECOND)     /* for requests in flight to be answered */
#define UNFIT_TIME       (5 * SKR_SECOND) /* at one thing: another one had better lead */
#define RESIGN_TIME      (SKR_SECOND)     /* for the Lease to be given back */

struct skr_daemon {
    const struct skr_config *config;
    struct skr_settings settings;
    char instance[256];
    struct skr_clock clock;
    struct skr_metrics *registry;
    struct skr_daemon_metrics *metrics;
    struct skr_engine_thread *engine;
    struct skr_solver_thread *solver;
    struct skr_solver_thread *explainer; /* of its own: explanations never delay plans */
    struct skr_kube *kube;
    struct skr_leader *leader; /* NULL: this process is the only one */
    struct skr_preflight *preflight;
    struct skr_verbs *verbs;
    struct skr_gate *gate;
    struct skr_admin *admin;
    struct skr_admin *probes; /* NULL: off */
    struct skr_api *api;
    struct skr_explanations *explanations;
    struct skr_health health;
};

/* ---- what goes to the engine ---- */

static void deliver_from_kube(void *context, struct skr_event *event)
{
    struct skr_daemon *d = context;
    skr_engine_thread_post(d->engine, event);
}

static void post_from_verbs(void *context, const struct skr_event *event,
                            void (*release)(void *keep), void *keep)
{
    struct skr_daemon *d = context;
    skr_engine_thread_post_kept(d->engine, event, release, keep);
}

static void post_question(void *context, const struct skr_event *event)
{
    struct skr_daemon *d = context;
    skr_engine_thread_post(d->engine, event);
}

static void look_at_engine(void *context,
                           void (*look)(void *context, struct skr_gang *engine, skr_time now),
                           void *argument)
{
    struct skr_daemon *d = context;
    skr_engine_thread_look(d->engine, look, argument);
}

static void release_solve_request(void *keep)
{
    skr_solve_request_destroy(keep);
}

static void report_solved(void *context, struct skr_solve_request *request,
                          struct skr_solution *solution, const struct skr_error *error,
                          int64_t took_ns)
{
    struct skr_daemon *d = context;
    struct skr_event event = {.kind = SKR_EVENT_SOLVED};
    if (!request->is_explanation) {
        skr_daemon_metrics_solved(d->metrics, solution, took_ns);
    }
    event.solved.solve = request->id;
    event.solved.solution = solution;
    event.solved.error = *error;
    event.solved.took_ns = took_ns;
    skr_engine_thread_post_kept(d->engine, &event, release_solve_request, request);
}

/* ---- what comes from the engine ---- */

static void give_answer(void *context, const struct skr_answer *answer)
{
    struct skr_daemon *d = context;
    skr_verbs_answer(d->verbs, answer);
}

static void give_hold(void *context, uint64_t request, skr_time deadline)
{
    struct skr_daemon *d = context;
    skr_verbs_hold(d->verbs, request, deadline);
}

static void give_write(void *context, const struct skr_write *write)
{
    struct skr_daemon *d = context;
    if (skr_log_enabled(4)) {
        skr_log_info(4, "Write was asked for", SKR_LOG_S("write", skr_write_kind_name(write->kind)),
                     SKR_LOG_S("namespace", write->namespace_), SKR_LOG_S("name", write->name),
                     SKR_LOG_I("id", write->id), SKR_LOG_END);
    }
    if (skr_kube_submit(d->kube, write) < 0) {
        struct skr_event event = {.kind = SKR_EVENT_WRITE_DONE};
        event.write_done.write = write->id;
        event.write_done.outcome = SKR_WRITE_DROPPED;
        event.write_done.message = "shutting down";
        skr_engine_thread_post(d->engine, &event);
    }
}

static void give_solve(void *context, struct skr_solve_request *request)
{
    struct skr_daemon *d = context;
    skr_solver_thread_post(request->is_explanation ? d->explainer : d->solver, request);
}

static void give_cancel(void *context, uint64_t id)
{
    struct skr_daemon *d = context;
    skr_solver_thread_cancel(d->solver, id);
}

static void give_explanation(void *context, const struct skr_explain_answer *answer)
{
    struct skr_daemon *d = context;
    skr_explanations_answer(d->explanations, answer);
}

/* The pairs that say something, in a fixed order. */
static void log_decision(void *context, const struct skr_decision *decision)
{
    (void)context;
    struct skr_log_pair pair[5] = {SKR_LOG_END, SKR_LOG_END, SKR_LOG_END, SKR_LOG_END, SKR_LOG_END};
    const char *const key[] = {"group", "pod", "reason", "message"};
    const char *const value[] = {decision->group, decision->pod, decision->reason,
                                 decision->message};
    size_t n = 0;
    for (size_t i = 0; i < 4; i++) {
        if (value[i] && value[i][0]) {
            pair[n++] = SKR_LOG_S(key[i], value[i]);
        }
    }
    skr_log_emit(decision->is_error ? SKR_LOG_ERROR : SKR_LOG_INFO, decision->is_error ? 0 : 2,
                 __FILE__, __LINE__, decision->what, pair);
}

static void log_http(void *context, int level, const char *text)
{
    (void)context;
    const struct skr_log_pair none[] = {SKR_LOG_END};
    enum skr_log_severity severity = level <= SKR_HTTP_LOG_ERROR     ? SKR_LOG_ERROR
                                     : level <= SKR_HTTP_LOG_WARNING ? SKR_LOG_WARNING
                                                                     : SKR_LOG_INFO;
    skr_log_emit(severity, severity == SKR_LOG_INFO ? level : 0, __FILE__, __LINE__, text, none);
}

static skr_time now_of_engine(void *context)
{
    const struct skr_daemon *d = context;
    return skr_clock_now(&d->clock);
}

/* ---- leadership ---- */

static void report_leadership(void *context, bool leads)
{
    struct skr_daemon *d = context;
    struct skr_event event = {.kind = leads ? SKR_EVENT_LEADER_WON : SKR_EVENT_LEADER_LOST};
    skr_engine_thread_post(d->engine, &event);
}

static bool may_write(void *context)
{
    const struct skr_daemon *d = context;
    return !d->leader || skr_leader_may_write(d->leader);
}

/* Who cannot decide does not keep others from it. */
static bool is_fit(void *context)
{
    const struct skr_daemon *d = context;
    return skr_engine_thread_busy(d->engine) < UNFIT_TIME;
}

/* ---- parts ---- */

static int load_access(const struct skr_config *config, const char *kubeconfig,
                       struct skr_kube_access *access, struct skr_findings *findings,
                       struct skr_error *error)
{
    return skr_kube_access_load(kubeconfig && kubeconfig[0] ? kubeconfig : config->kubeconfig,
                                access, findings, error);
}

static int start_kube(struct skr_daemon *d, const char *kubeconfig, struct skr_findings *findings,
                      struct skr_error *error)
{
    struct skr_kube_access access;
    struct skr_kube_options options;
    char agent[128];
    skr_kube_access_init(&access);
    skr_kube_options_default(&options);
    snprintf(agent, sizeof agent, "sakkara/%s", skr_version);
    options.deliver = deliver_from_kube;
    options.deliver_context = d;
    options.user_agent = agent;
    options.system_groups = d->config->system_groups;
    options.may_write = may_write;
    options.may_write_context = d;
    options.qps = (int32_t)d->config->client_qps;
    options.burst = (int32_t)d->config->client_burst;
    options.stop_grace = STOP_KUBE_TIME;
    int rc = load_access(d->config, kubeconfig, &access, findings, error);
    if (rc == 0) {
        rc = skr_kube_create(&options, &access, &d->kube, error);
    }
    skr_kube_access_fini(&access);
    return rc;
}

/* Before anything else may decide: the engine starts as leader. */
static int start_leader(struct skr_daemon *d, const char *kubeconfig, struct skr_findings *findings,
                        struct skr_error *error)
{
    struct skr_kube_access access;
    char namespace_[SKR_LEADER_NAME_MAX];
    char agent[128];
    if (d->config->leader_mode == SKR_LEADER_NONE) {
        return 0;
    }
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
        .user_agent = agent,
        .report = report_leadership,
        .fit = is_fit,
        .context = d,
    };
    skr_kube_access_init(&access);
    int rc = load_access(d->config, kubeconfig, &access, findings, error);
    if (rc == 0) {
        rc = skr_leader_create(&options, &access, &d->leader, error);
    }
    skr_kube_access_fini(&access);
    return rc;
}

/* What is missing is found now, not when a group is half bound. */
static int start_preflight(struct skr_daemon *d, const char *kubeconfig,
                           struct skr_findings *findings, struct skr_error *error)
{
    struct skr_kube_access access;
    skr_kube_access_init(&access);
    int rc = load_access(d->config, kubeconfig, &access, findings, error);
    if (rc == 0) {
        rc = skr_preflight_start(d->config, &access, &d->preflight, error);
    }
    skr_kube_access_fini(&access);
    return rc;
}

static struct skr_tls_files tls_of(const struct skr_config_tls *files)
{
    return (struct skr_tls_files){
        .cert = files->cert_file, .key = files->key_file, .client_ca = files->client_ca_file};
}

static int start_verbs(struct skr_daemon *d, struct skr_error *error)
{
    struct skr_verbs_options options = {
        .listen = d->config->extender_listen,
        .bind_listen = d->config->bind_listen,
        .tls = tls_of(&d->config->tls),
        .post = post_from_verbs,
        .post_context = d,
        .now = now_of_engine,
        .now_context = d,
        .log = {log_http, d},
        .metrics = d->registry,
    };
    return skr_verbs_create(&options, &d->verbs, error);
}

static int start_gate(struct skr_daemon *d, struct skr_error *error)
{
    if (d->config->gate_listen[0] == '\0') {
        return 0;
    }
    struct skr_gate_options options = {
        .listen = d->config->gate_listen,
        .tls = tls_of(&d->config->gate_tls),
        .n_scheduler_names = d->settings.n_scheduler_names,
        .log = {log_http, d},
        .metrics = d->registry,
    };
    for (size_t i = 0; i < d->settings.n_scheduler_names; i++) {
        options.scheduler_name[i] = d->settings.scheduler_name[i];
    }
    return skr_gate_create(&options, &d->gate, error);
}

static int start_admin(struct skr_daemon *d, struct skr_error *error)
{
    const struct skr_api_options api = {.look = look_at_engine, .context = d};
    const struct skr_explanations_options explanations = {.post = post_question, .context = d};
    d->api = skr_api_create(&api);
    d->explanations = skr_explanations_create(&explanations);
    struct skr_admin_options options = {
        .listen = d->config->admin_listen,
        .log = {log_http, d},
        .metrics = d->registry,
        .n_routes = 3,
        .route = {skr_log_level_route(), skr_explanations_route(d->explanations),
                  skr_api_route(d->api)},
    };
    d->health.engine = d->engine;
    d->health.kube = d->kube;
    /* In a sidecar readiness is about the process: its pod has to become ready to stand by. */
    d->health.leader = d->config->leader_mode == SKR_LEADER_LEASE ? d->leader : NULL;
    options.n_checks = skr_health_ready(&d->health, options.check);
    options.n_lives = skr_health_live(&d->health, options.live);
    int rc = skr_admin_create(&options, &d->admin, error);
    if (rc == 0 && d->config->probes_listen[0] != '\0') {
        options.listen = d->config->probes_listen;
        options.probes = true;
        options.n_routes = 0;
        rc = skr_admin_create(&options, &d->probes, error);
    }
    return rc;
}

static int start_engine(struct skr_daemon *d, struct skr_error *error)
{
    const struct skr_engine_outlets outlets = {
        .context = d,
        .answer = give_answer,
        .hold = give_hold,
        .write = give_write,
        .solve = give_solve,
        .cancel_solve = give_cancel,
        .decide = log_decision,
        .explain = give_explanation,
    };
    return skr_engine_thread_start(d->engine, &outlets, error);
}

static int start_parts(struct skr_daemon *d, const char *kubeconfig, struct skr_findings *findings,
                       struct skr_error *error)
{
    d->solver = skr_solver_thread_create(report_solved, d, error);
    d->explainer = d->solver ? skr_solver_thread_create(report_solved, d, error) : NULL;
    if (!d->explainer) {
        return -SKR_LIMIT;
    }
    int rc = start_verbs(d, error);
    rc = rc < 0 ? rc : start_gate(d, error);
    rc = rc < 0 ? rc : start_leader(d, kubeconfig, findings, error);
    rc = rc < 0 ? rc : start_preflight(d, kubeconfig, findings, error);
    rc = rc < 0 ? rc : start_kube(d, kubeconfig, findings, error);
    if (rc < 0) {
        return rc;
    }
    skr_daemon_metrics_set_kube(d->metrics, d->kube);
    rc = start_admin(d, error);
    return rc < 0 ? rc : start_engine(d, error);
}

static void log_start(const struct skr_daemon *d)
{
    skr_log_info(0, "Daemon started", SKR_LOG_S("version", skr_version),
                 SKR_LOG_S("extender", d->config->extender_listen),
                 SKR_LOG_I("extenderPort", skr_verbs_port(d->verbs)),
                 SKR_LOG_S("bind", d->config->bind_listen),
                 SKR_LOG_I("bindPort", skr_verbs_bind_port(d->verbs)),
                 SKR_LOG_S("admin", d->config->admin_listen),
                 SKR_LOG_I("adminPort", skr_admin_port(d->admin)),
                 SKR_LOG_S("gate", d->config->gate_listen),
                 SKR_LOG_I("gatePort", d->gate ? skr_gate_port(d->gate) : 0), SKR_LOG_END);
}

int skr_daemon_create(const struct skr_config *config, const char *kubeconfig,
                      struct skr_daemon **ret, struct skr_findings *findings,
                      struct skr_error *error)
{
    struct skr_daemon *d = skr_alloc(sizeof *d);
    d->config = config;
    d->settings = config->settings;
    skr_clock_init(&d->clock);
    if (gethostname(d->instance, sizeof d->instance - 1) != 0) {
        snprintf(d->instance, sizeof d->instance, "sakkara");
    }
    d->settings.instance = d->instance;
    d->settings.utc_offset_s = skr_clock_utc_offset_s(&d->clock);
    skr_http_raise_open_files();
    d->registry = skr_metrics_create();
    skr_process_metrics_register(d->registry);
    d->engine = skr_engine_thread_create(&d->settings, &d->clock);
    d->metrics = skr_daemon_metrics_create(d->registry, d->engine);
    int rc = start_parts(d, kubeconfig, findings, error);
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
    struct skr_event event = {.kind = SKR_EVENT_SHUTDOWN};
    atomic_store(&d->health.stopping, true);
    skr_engine_thread_post(d->engine, &event);
    if (d->admin && !skr_engine_thread_wait(d->engine, STOP_ENGINE_TIME)) {
        skr_log_warning("Engine did not answer its held requests in time", SKR_LOG_END);
    }
    skr_gate_begin_stop(d->gate);
    skr_admin_begin_stop(d->admin);
    skr_admin_begin_stop(d->probes);
    if (d->verbs) {
        skr_verbs_stop(d->verbs);
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
    skr_gate_destroy(d->gate);
    skr_admin_destroy(d->admin);
    skr_admin_destroy(d->probes);
    skr_leader_destroy(d->leader);
    d->leader = NULL;
    skr_engine_thread_stop(d->engine);
    skr_solver_thread_destroy(d->solver);
    skr_solver_thread_destroy(d->explainer);
    skr_engine_thread_destroy(d->engine);
    skr_api_destroy(d->api);
    skr_explanations_destroy(d->explanations);
    skr_kube_destroy(d->kube);
    skr_verbs_destroy(d->verbs);
    skr_metrics_destroy(d->registry);
    skr_daemon_metrics_destroy(d->metrics);
    free(d);
}

/* ---- looking in ---- */

void skr_daemon_get_ports(const struct skr_daemon *daemon, struct skr_daemon_ports *ret)
{
    *ret = (struct skr_daemon_ports){.extender = skr_verbs_port(daemon->verbs),
                                     .bind = skr_verbs_bind_port(daemon->verbs),
                                     .admin = skr_admin_port(daemon->admin)};
}

bool skr_daemon_is_synced(struct skr_daemon *daemon)
{
    struct skr_gang_stats stats;
    skr_engine_thread_get_stats(daemon->engine, &stats);
    return stats.synced;
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
    int signal;
    while ((signal = skr_signals_wait(set, SKR_TIME_NEVER)) == SIGHUP) {
        raise_level(first_level);
    }
    return signal;
}

static void print_findings(struct skr_findings *findings, const char *file)
{
    struct skr_strbuf out;
    skr_strbuf_init(&out);
    skr_findings_write(findings, file, &out);
    if (out.len > 0) {
        fputs(out.s, stderr);
    }
    skr_strbuf_fini(&out);
}

int skr_daemon_run(const struct skr_config *config, const char *kubeconfig)
{
    sigset_t set;
    struct skr_error error = {SKR_OK, ""};
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
    skr_log_info(0, "Daemon stopped", SKR_LOG_END);
    return SKR_EXIT_OK;
}
