/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Puts the parts of the sandbox together and takes them apart again. The main thread waits for
 * signals, and between them plays the steps of a Scenario when their time has come.
 */
#include "server/cli/sandbox_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/cli/cli.h"
#include "server/daemon/daemon.h"
#include "server/daemon/signals.h"
#include "server/exit_code.h"
#include "server/lab/sandbox/control.h"
#include "server/lab/sandbox/kubeconfig.h"
#include "server/lab/simulate/example.h"
#include "server/lab/simulate/input.h"
#include "server/lab/simulate/topology.h"
#include "server/log.h"

#define READY_TIME  (10 * SKR_SECOND)      /* for the daemon to take in the first lists */
#define READY_EVERY (10 * SKR_MILLISECOND) /* how often that is looked at */
#define BIND_TIME   (330 * SKR_SECOND)     /* httpTimeout of the bind entry, as shipped */
#define FILTER_TIME (3 * SKR_SECOND)       /* of the other one */

enum { WEIGHT = 20 }; /* of the daemon's scores, as shipped */

struct sandbox {
    const struct skr_sandbox_options *options;
    struct skr_clock clock;
    struct skr_simulate_input input;
    size_t next_step;
    skr_time began; /* of the Scenario */
    struct skr_config *config;
    struct skr_scheduler_config *scheduler; /* until it is started */
    bool has_scheduler;
    struct skr_cluster *cluster;
    struct skr_control *control;
    struct skr_sandbox_http *http;
    struct skr_sandbox_kubeconfig kubeconfig;
    struct skr_daemon *daemon;
    struct skr_daemon_ports ports;
    struct skr_strbuf messages; /* to stderr */
};

static void say(struct skr_strbuf *messages)
{
    if (messages->len > 0) {
        (void)fwrite(messages->s, 1, messages->len, stderr);
    }
    skr_strbuf_reset(messages);
}

static int fail(const struct skr_error *error)
{
    (void)fprintf(stderr, "sakkara sandbox: %s\n", error->text);
    return SKR_EXIT_ERROR;
}

static const char *kubeconfig_path(const struct sandbox *s)
{
    return s->options->kubeconfig ? s->options->kubeconfig : SKR_SANDBOX_KUBECONFIG;
}

static const struct skr_control_example examples[] = {
    {"cluster.yaml", skr_example_write_last_cluster},
    {"gang.yaml", skr_example_write_gang},
    {"second.yaml", skr_example_write_second},
    {NULL, NULL},
};

/* ---- input ---- */

static int read_objects(struct sandbox *s)
{
    SKR_STRBUF(text);
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < s->options->n_files; i++) {
        rc = skr_simulate_input_read(&s->input, s->options->file[i], &s->messages);
    }
    if (s->options->n_files == 0) {
        skr_example_write_last_cluster(&text);
        rc = skr_simulate_input_parse(&s->input, "example", text.s, text.len, &s->messages);
    }
    if (rc == 0) {
        skr_simulate_input_finish(&s->input, &s->messages);
    }
    struct skr_settings *settings = &s->config->settings;
    s->input.label_levels = settings->label_levels;
    if (rc == 0 && s->options->config) {
        skr_simulate_topology_warn(&s->input, settings->topology_namespace, &s->messages);
    } else if (rc == 0) {
        settings->topology_namespace =
            skr_simulate_topology_namespace(&s->input, settings->topology_namespace, &s->messages);
    }
    say(&s->messages);
    return skr_exit_code_of(rc);
}

static int read_config(struct sandbox *s)
{
    const int code = skr_cli_load_config(s->options->config, NULL, &s->config, &s->messages);
    say(&s->messages);
    if (code != SKR_EXIT_OK) {
        return code;
    }
    s->config->extender_listen = s->config->bind_listen = s->config->admin_listen = "127.0.0.1:0";
    s->config->gate_listen = "";
    s->config->tls = (struct skr_config_tls){"", "", ""};
    return SKR_EXIT_OK;
}

/* A scheduler for the daemon's names, and for pods that name none. */
static void write_scheduler_config(const struct sandbox *s, struct skr_strbuf *out)
{
    const struct skr_settings *settings = &s->config->settings;
    skr_strbuf_add(out, "apiVersion: kubescheduler.config.k8s.io/v1\n"
                        "kind: KubeSchedulerConfiguration\n"
                        "profiles:\n");
    for (size_t i = 0; i < settings->n_scheduler_names; i++) {
        if (strcmp(settings->scheduler_name[i], "default-scheduler") != 0) {
            skr_strbuf_addf(out, "- schedulerName: \"%s\"\n", settings->scheduler_name[i]);
        }
    }
    skr_strbuf_add(out, "- schedulerName: default-scheduler\n");
    skr_strbuf_addf(out, "percentageOfNodesToScore: %d\n", s->input.percentage);
}

static int read_scheduler_config(struct sandbox *s)
{
    const char *path = s->options->scheduler_config;
    struct skr_findings findings;
    SKR_STRBUF(text);
    int rc = 0;
    if (s->options->no_scheduler || (s->options->no_daemon && !path)) {
        return SKR_EXIT_OK;
    }
    skr_findings_init(&findings);
    if (path) {
        rc = skr_scheduler_config_load(path, &s->scheduler, &findings);
    } else {
        write_scheduler_config(s, &text);
        rc = skr_scheduler_config_parse(text.s, text.len, &s->scheduler, &findings);
    }
    skr_findings_write(&findings, path ? path : "scheduler", &s->messages);
    say(&s->messages);
    return skr_exit_code_of(rc);
}

/* ---- the cluster ---- */

static void step_cluster(void *context)
{
    struct sandbox *s = context;
    (void)skr_cluster_step(s->cluster, skr_clock_now(&s->clock));
}

static void log_line(void *context, enum skr_trace_kind kind, skr_time now, const char *text)
{
    (void)context;
    (void)now;
    skr_log_info(kind == SKR_TRACE_QUEUE ? 2 : 4, "Scheduler", SKR_LOG_S("what", text),
                 SKR_LOG_END);
}

static void log_http(void *context, int level, const char *text)
{
    (void)context;
    const enum skr_log_severity severity = level <= SKR_HTTP_LOG_ERROR     ? SKR_LOG_ERROR
                                           : level <= SKR_HTTP_LOG_WARNING ? SKR_LOG_WARNING
                                                                           : SKR_LOG_INFO;
    skr_log_emit(severity, severity == SKR_LOG_INFO ? level : 0, __FILE__, __LINE__, text,
                 (const struct skr_log_pair[]){SKR_LOG_END});
}

static void warn_unmodelled(void *context, const char *text)
{
    (void)context;
    skr_log_emit(SKR_LOG_WARNING, 0, __FILE__, __LINE__, text,
                 (const struct skr_log_pair[]){SKR_LOG_END});
}

static int start_cluster(struct sandbox *s)
{
    struct skr_cluster_options options;
    struct skr_error error = {.code = SKR_OK};
    const struct skr_trace trace = {.line = log_line};
    skr_cluster_options_default(&options);
    options.seed = (uint64_t)skr_clock_now(&s->clock);
    options.node_status = true;
    options.unmodelled = warn_unmodelled;
    s->cluster = skr_cluster_create(&options, skr_clock_now(&s->clock));
    struct skr_store *store = skr_cluster_store(s->cluster);
    const int rc = skr_simulate_input_load(&s->input, store, skr_clock_now(&s->clock), step_cluster,
                                           s, &s->messages);
    say(&s->messages);
    if (rc < 0) {
        return SKR_EXIT_ERROR;
    }
    step_cluster(s);
    s->control = skr_control_create(store, &s->clock, &trace, examples);
    const struct skr_sandbox_http_options http = {.listen = s->options->listen,
                                                  .cluster = s->cluster,
                                                  .clock = &s->clock,
                                                  .log = {log_http, NULL},
                                                  .other = skr_control_handle,
                                                  .other_context = s->control};
    if (skr_sandbox_http_create(&http, &s->http, &error) < 0) {
        return fail(&error);
    }
    skr_control_set_http(s->control, s->http);
    return SKR_EXIT_OK;
}

/* ---- daemon and scheduler ---- */

static int start_daemon(struct sandbox *s)
{
    struct skr_findings findings;
    struct skr_error error = {.code = SKR_OK};
    if (s->options->no_daemon) {
        return SKR_EXIT_OK;
    }
    skr_findings_init(&findings);
    const int rc = skr_daemon_create(s->config, kubeconfig_path(s), &s->daemon, &findings, &error);
    skr_findings_write(&findings, kubeconfig_path(s), &s->messages);
    say(&s->messages);
    if (rc < 0) {
        return fail(&error);
    }
    skr_daemon_get_ports(s->daemon, &s->ports);
    char url[64];
    (void)snprintf(url, sizeof url, "http://127.0.0.1:%u", (unsigned)s->ports.admin);
    skr_control_set_daemon(s->control, url);
    return SKR_EXIT_OK;
}

/* As in configs/scheduler.yaml, at the ports it got. */
static int point_to_daemon(struct sandbox *s, struct skr_error *error)
{
    char url[64];
    struct skr_scheduler_extender entry = {.url = url,
                                           .filter_verb = "filter",
                                           .prioritize_verb = "prioritize",
                                           .bind_verb = "",
                                           .weight = WEIGHT,
                                           .timeout = FILTER_TIME,
                                           .node_cache_capable = true};
    (void)snprintf(url, sizeof url, "http://127.0.0.1:%u/v1", (unsigned)s->ports.extender);
    int rc = skr_scheduler_config_add(s->scheduler, &entry, error);
    (void)snprintf(url, sizeof url, "http://127.0.0.1:%u/v1", (unsigned)s->ports.bind);
    entry.filter_verb = entry.prioritize_verb = "";
    entry.bind_verb = "bind";
    entry.weight = 0;
    entry.timeout = BIND_TIME;
    return rc < 0 ? rc : skr_scheduler_config_add(s->scheduler, &entry, error);
}

static int start_scheduler(struct sandbox *s)
{
    struct skr_error error = {.code = SKR_OK};
    int rc = 0;
    if (!s->scheduler) {
        return SKR_EXIT_OK;
    }
    if (s->daemon && s->scheduler->n_extenders == 0) {
        rc = point_to_daemon(s, &error);
    }
    rc = rc < 0 ? rc : skr_control_start_scheduler(s->control, s->scheduler, &error);
    if (rc < 0) {
        return fail(&error);
    }
    s->scheduler = NULL;
    s->has_scheduler = true;
    return SKR_EXIT_OK;
}

/* Returns the signal that came meanwhile, or 0. */
static int wait_for_daemon(struct sandbox *s, const sigset_t *set)
{
    const skr_time end = skr_clock_now(&s->clock) + READY_TIME;
    int signal = 0;
    while (s->daemon && signal == 0 && !skr_daemon_is_synced(s->daemon) &&
           skr_clock_now(&s->clock) < end) {
        signal = skr_signals_wait(set, READY_EVERY);
    }
    return signal;
}

/* ---- life ---- */

/* Before any thread, and before signals are blocked: standard input may take its time. */
static int read_input(struct sandbox *s)
{
    int code = read_config(s);
    code = code ? code : read_objects(s);
    return code ? code : read_scheduler_config(s);
}

static int start(struct sandbox *s)
{
    struct skr_error error = {.code = SKR_OK};
    int code = start_cluster(s);
    if (code == SKR_EXIT_OK &&
        skr_sandbox_kubeconfig_write(&s->kubeconfig, kubeconfig_path(s), s->options->listen,
                                     skr_sandbox_http_port(s->http), &error) < 0) {
        return fail(&error);
    }
    return code ? code : start_daemon(s);
}

static void stop(struct sandbox *s)
{
    if (s->control) {
        skr_control_stop(s->control);
    }
    skr_daemon_destroy(s->daemon);
    skr_sandbox_http_destroy(s->http);
    skr_control_destroy(s->control);
    skr_cluster_destroy(s->cluster);
    skr_scheduler_config_destroy(s->scheduler);
    skr_sandbox_kubeconfig_remove(&s->kubeconfig);
    skr_config_destroy(s->config);
    skr_simulate_input_fini(&s->input);
    skr_strbuf_fini(&s->messages);
}

static void play_step(struct sandbox *s)
{
    skr_sandbox_http_lock(s->http);
    (void)skr_simulate_step_apply(&s->input.step[s->next_step++], skr_cluster_store(s->cluster),
                                  skr_clock_now(&s->clock), &s->messages);
    skr_sandbox_http_unlock(s->http);
    say(&s->messages);
}

/* Until a signal comes. */
static void live(struct sandbox *s, const sigset_t *set)
{
    s->began = skr_clock_now(&s->clock);
    for (;;) {
        skr_time wait = SKR_TIME_NEVER;
        if (s->next_step < s->input.n_steps) {
            const skr_time due = s->began + s->input.step[s->next_step].at;
            const skr_time now = skr_clock_now(&s->clock);
            wait = due > now ? due - now : 0;
        }
        const int signal = wait > 0 ? skr_signals_wait(set, wait) : 0;
        if (signal > 0) {
            return;
        }
        if (s->next_step < s->input.n_steps) {
            play_step(s);
        }
    }
}

/* Lines that scripts read. */
static void write_addresses(const struct sandbox *s, struct skr_strbuf *out)
{
    skr_strbuf_addf(out, "sandbox: %s\nkubeconfig: %s\n", s->kubeconfig.server, kubeconfig_path(s));
    if (s->daemon) {
        skr_strbuf_addf(out,
                        "extender: http://127.0.0.1:%u/v1\n"
                        "bind: http://127.0.0.1:%u/v1\n"
                        "admin: http://127.0.0.1:%u\n"
                        "page: http://127.0.0.1:%u/ui/\n",
                        (unsigned)s->ports.extender, (unsigned)s->ports.bind,
                        (unsigned)s->ports.admin, (unsigned)s->ports.admin);
    }
}

static bool is_plain(char c)
{
    return strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._/-+,@%", c);
}

/* The path as a shell takes it, from the root. */
static void write_path(const char *path, struct skr_strbuf *out)
{
    SKR_AUTO_FREE char *full = realpath(path, NULL);
    const char *text = full ? full : path;
    size_t plain = 0;
    while (text[plain] && is_plain(text[plain])) {
        plain++;
    }
    if (text[plain] == '\0') {
        skr_strbuf_add(out, text);
    } else {
        skr_strbuf_addc(out, '\'');
        for (const char *at = text; *at; at++) {
            skr_strbuf_add(out, *at == '\'' ? "'\\'" : "");
            skr_strbuf_addc(out, *at);
        }
        skr_strbuf_addc(out, '\'');
    }
}

static void write_example(const struct sandbox *s, const char *name, struct skr_strbuf *out)
{
    skr_strbuf_addf(out, "  kubectl apply -f %s/sandbox/v1/examples/%s\n", s->kubeconfig.server,
                    name);
}

/* They find the daemon through kubectl, as on a real cluster. */
static void write_command(const char *words, struct skr_strbuf *out)
{
    skr_strbuf_add(out, "  ");
    write_path("/proc/self/exe", out);
    skr_strbuf_addf(out, " %s\n", words);
}

/* How to bring what was left out. */
static void write_missing(const struct sandbox *s, struct skr_strbuf *out)
{
    if (!s->daemon) {
        skr_strbuf_add(out, "\n  # a daemon\n  ");
        write_path("/proc/self/exe", out);
        skr_strbuf_add(out, " serve --kubeconfig ");
        write_path(kubeconfig_path(s), out);
        skr_strbuf_addc(out, '\n');
    }
    if (!s->has_scheduler) {
        skr_strbuf_addf(out,
                        "\n  # a scheduler; FILE: KubeSchedulerConfiguration\n"
                        "  curl --data-binary @FILE %s/sandbox/v1/scheduler\n",
                        s->kubeconfig.server);
    }
}

/* What a newcomer types next. */
static void write_tour(const struct sandbox *s, struct skr_strbuf *out)
{
    skr_strbuf_add(out, "\nIn another terminal:\n\n  export KUBECONFIG=");
    write_path(kubeconfig_path(s), out);
    skr_strbuf_add(out, "\n  kubectl get nodes\n");
    if (s->options->n_files == 0 && s->daemon && s->has_scheduler) {
        skr_strbuf_addf(out, "\n  # a Job of %d pods, all of them or none\n", SKR_EXAMPLE_SIZE);
        write_example(s, "gang.yaml", out);
        skr_strbuf_add(out, "  kubectl get pods -o wide -L sakkara.member.rank\n");
        write_command("tree", out);
        skr_strbuf_addf(out, "\n  # one of %d that does not fit, and why\n",
                        SKR_EXAMPLE_SECOND_SIZE);
        write_example(s, "second.yaml", out);
        write_command("explain " SKR_EXAMPLE_SECOND, out);
        skr_strbuf_add(out, "  kubectl get configmap " SKR_EXAMPLE_SECOND " -o yaml\n");
        skr_strbuf_add(out, "\n  # make room for one more: now all of them run\n"
                            "  kubectl delete pod " SKR_EXAMPLE_OTHER "\n"
                            "  kubectl get pods -w\n");
    } else if (s->daemon) {
        skr_strbuf_add(out, "  kubectl get pods -A -o wide -L sakkara.member.rank\n");
        write_command("tree", out);
    }
    write_missing(s, out);
    skr_strbuf_add(out, "\nCtrl-C ends it. Nothing is kept.\n");
}

static void announce(const struct sandbox *s)
{
    SKR_STRBUF(text);
    write_addresses(s, &text);
    write_tour(s, &text);
    (void)fwrite(text.s, 1, text.len, stdout);
    (void)fflush(stdout);
}

int skr_sandbox_run(const struct skr_sandbox_options *options)
{
    struct sandbox s = {.options = options};
    sigset_t set;
    skr_log_set_level(options->level);
    skr_clock_init(&s.clock);
    skr_simulate_input_init(&s.input);
    skr_strbuf_init(&s.messages);
    int code = read_input(&s);
    skr_signals_block(&set);
    code = code ? code : start(&s);
    int signal = code == SKR_EXIT_OK ? wait_for_daemon(&s, &set) : 0;
    code = code ? code : start_scheduler(&s);
    if (code == SKR_EXIT_OK && signal == 0) {
        announce(&s);
        live(&s, &set);
    }
    skr_signals_arm_end(&set, SKR_SANDBOX_STOP_S);
    stop(&s);
    return code;
}
