/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The loop: the model's next due time, or the scenario's next step, whichever is earlier; then
 * changes are recorded.
 */
#include "server/lab/simulate/simulate.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/gang/state/pages.h"
#include "server/config/config.h"
#include "server/config/spotmix_settings.h"
#include "server/exit_code.h"
#include "server/lab/driver/lab.h"
#include "server/lab/driver/mix_webhook.h"
#include "server/lab/report/mix_picture.h"
#include "server/lab/report/progress.h"
#include "server/lab/report/report.h"
#include "server/lab/simulate/input.h"
#include "server/lab/simulate/set.h"
#include "server/lab/simulate/topology.h"
#include "server/object/path.h"
#include "server/render/page.h"
#include "server/ui/page.h"

/* Longer than any wait whose end changes something: held binds (bindTimeout), plans (planTimeout),
 * the scheduler's own retry (5 minutes and a half). */
#define QUIET_MIN (400 * SKR_SECOND)
#define QUIET_PAD (60 * SKR_SECOND)
/* A run that never rests ends this long after its last step. */
#define RESTLESS_MAX (24 * 3600 * SKR_SECOND)

struct simulation {
    const struct skr_simulate_options *options;
    struct skr_strbuf *out, *messages;
    struct skr_config *config;
    struct skr_settings settings;
    char *topology_namespace; /* named by the objects; NULL: the configuration's */
    struct skr_simulate_input input;
    struct skr_lab *lab;
    struct skr_spotmix_settings mix_settings;
    struct skr_mix_webhook *mix; /* NULL: no workload uses the mix */
    struct skr_record record;
    struct skr_progress progress;
    struct skr_strbuf trace;
    size_t next_step;
    skr_time stepped_at; /* time of the last step, since the beginning */
    struct timespec began, loaded;
};

/* ---- input ---- */

static int read_config(struct simulation *s)
{
    s->config = skr_simulate_config(s->options->config, s->messages);
    if (!s->config) {
        return SKR_EXIT_ERROR;
    }
    s->settings = s->config->settings;
    s->settings.instance = "simulate";
    s->settings.explain_waiting = false; /* the report explains every group itself */
    return SKR_EXIT_OK;
}

/* ---- the model ---- */

static void add_trace(void *context, enum skr_trace_kind kind, skr_time now, const char *text)
{
    struct simulation *s = context;
    if (kind == SKR_TRACE_QUEUE && s->options->verbosity < 2) {
        return;
    }
    skr_time since = now - s->input.start;
    skr_strbuf_addf(&s->trace, "%3lld.%04llds  %s%s\n", (long long)(since / SKR_SECOND),
                    (long long)(since % SKR_SECOND / (SKR_SECOND / 10000)),
                    kind == SKR_TRACE_DECISION ? "" : "      ", text);
}

static void take_event(void *context, skr_time now, const json_t *event)
{
    struct simulation *s = context;
    skr_record_event(&s->record, now, event);
}

/* A controller's pods are refused. Without this message a group waits for members for no visible
 * reason. */
static void take_refusal(void *context, skr_time now, const json_t *event)
{
    struct simulation *s = context;
    skr_record_event(&s->record, now, event);
    skr_strbuf_addf(s->messages, "warning: %s %s/%s: ", skr_path_text(event, "regarding.kind"),
                    skr_path_text(event, "regarding.namespace"),
                    skr_path_text(event, "regarding.name"));
    skr_page_add_clean(s->messages, skr_path_text(event, "note"), false);
    skr_strbuf_addc(s->messages, '\n');
}

static void take_unmodelled(void *context, const char *text)
{
    struct simulation *s = context;
    skr_strbuf_add(s->messages, "warning: ");
    skr_page_add_clean(s->messages, text, false);
    skr_strbuf_addc(s->messages, '\n');
}

/* Shows changes to the record, and drops history that all have read. */
static void see(struct simulation *s, skr_time now)
{
    uint64_t seen = skr_lab_seen(s->lab);
    skr_record_step(&s->record, now);
    seen = s->record.watcher.seen < seen ? s->record.watcher.seen : seen;
    skr_store_forget_history(skr_lab_store(s->lab), seen);
}

/* Lets watchers keep up while objects are created. */
static void keep_up(void *context)
{
    struct simulation *s = context;
    skr_lab_run(s->lab, s->input.start);
    see(s, s->input.start);
}

static bool is_mixed(const struct simulation *s, const json_t *object)
{
    return skr_mix_webhook_is_wanted(&s->mix_settings, object);
}

static bool is_daemon_set(const struct simulation *s, const json_t *object)
{
    (void)s;
    return strcmp(skr_path_text(object, "kind"), "DaemonSet") == 0;
}

/* Kinds of which one pod has to run before others are made: whatever scheduler it names. */
static bool is_driven(const struct simulation *s, const json_t *object)
{
    const char *kind = skr_path_text(object, "kind");
    (void)s;
    return strcmp(kind, "SparkApplication") == 0 || strcmp(kind, "RayJob") == 0;
}

/* Whether the files or the steps have such an object. */
static bool has(const struct simulation *s,
                bool (*is_one)(const struct simulation *s, const json_t *object))
{
    for (size_t i = 0; i < s->input.manifests.n; i++) {
        if (is_one(s, s->input.manifests.item[i].object)) {
            return true;
        }
    }
    for (size_t i = 0; i < s->input.n_steps; i++) {
        if (is_one(s, s->input.step[i].body)) {
            return true;
        }
    }
    return false;
}

static int build(struct simulation *s)
{
    skr_config_spotmix_settings(s->config, &s->mix_settings);
    const bool mixed = has(s, is_mixed);
    struct skr_lab_options options = {.settings = s->settings,
                                      .percentage = s->input.percentage,
                                      .start = s->input.start,
                                      .daemons = has(s, is_daemon_set),
                                      .every_pod = mixed || has(s, is_driven),
                                      .event = take_event,
                                      .context = s};
    skr_cluster_options_default(&options.cluster);
    options.cluster.seed = s->options->seed;
    options.cluster.ordinal_names = true;
    options.cluster.node_status = false;
    options.cluster.refused = take_refusal;
    options.cluster.unmodelled = take_unmodelled;
    options.cluster.context = s;
    if (s->options->verbosity > 0) {
        options.trace = (struct skr_trace){.line = add_trace, .context = s};
    }
    s->lab = skr_lab_create(&options);
    if (mixed) {
        s->mix = skr_mix_webhook_create(&s->mix_settings, skr_lab_store(s->lab), s->input.start);
        skr_lab_join(s->lab, skr_mix_webhook_driver(s->mix));
    }
    skr_record_init(&s->record, skr_lab_store(s->lab), s->settings.topology_namespace,
                    s->options->picture, s->input.start);
    s->record.engine = skr_engine_self(skr_lab_engine(s->lab));
    s->record.label_levels = s->settings.label_levels;
    int rc = skr_simulate_input_load(&s->input, skr_lab_store(s->lab), s->input.start, keep_up, s,
                                     s->messages);
    skr_simulate_input_drop(&s->input);
    keep_up(s);
    return rc;
}

/* ---- the run ---- */

static skr_time next_step_at(const struct simulation *s)
{
    return s->next_step < s->input.n_steps ? s->input.start + s->input.step[s->next_step].at
                                           : SKR_TIME_NEVER;
}

/* Whether no wait can change anything any more. */
static bool is_over(const struct simulation *s, skr_time next)
{
    skr_time quiet = QUIET_MIN;
    const skr_time waits[] = {s->settings.bind_timeout, s->settings.plan_timeout,
                              s->settings.release_gate_after, s->settings.preempt_force_after};
    for (size_t i = 0; i < sizeof waits / sizeof waits[0]; i++) {
        if (waits[i] != SKR_TIME_NEVER && waits[i] + QUIET_PAD > quiet) {
            quiet = waits[i] + QUIET_PAD;
        }
    }
    if (next == SKR_TIME_NEVER) {
        return true;
    }
    return next - s->record.changed_at > quiet && skr_lab_cluster_is_idle(s->lab);
}

static int take_step(struct simulation *s)
{
    const struct skr_simulate_step *step = &s->input.step[s->next_step++];
    skr_lab_skip(s->lab, s->input.start + step->at);
    s->stepped_at = s->input.start + step->at;
    return skr_simulate_step_apply(step, skr_lab_store(s->lab), skr_lab_now(s->lab), s->messages);
}

static int run(struct simulation *s)
{
    skr_time end =
        s->options->until == SKR_TIME_NEVER ? SKR_TIME_NEVER : s->input.start + s->options->until;
    for (;;) {
        skr_time next = skr_lab_next(s->lab), step = next_step_at(s);
        bool is_step = step <= next && step != SKR_TIME_NEVER;
        if ((is_step ? step : next) > end || (step == SKR_TIME_NEVER && is_over(s, next))) {
            break;
        }
        if (step == SKR_TIME_NEVER && next - s->stepped_at > RESTLESS_MAX &&
            skr_lab_cluster_is_idle(s->lab)) {
            skr_strbuf_add(s->messages, "warning: still changing after 24 hours, stopped\n");
            break;
        }
        if (is_step && take_step(s) < 0) {
            return -SKR_INVALID;
        }
        if (!is_step) {
            skr_lab_step(s->lab);
        }
        see(s, skr_lab_now(s->lab));
        skr_progress_update(&s->progress, s->record.n_placed, s->record.n_pods);
    }
    return 0;
}

/* ---- the result ---- */

static double seconds_between(const struct timespec *a, const struct timespec *b)
{
    return (double)(b->tv_sec - a->tv_sec) + (double)(b->tv_nsec - a->tv_nsec) / 1e9;
}

static void write_timings(const struct simulation *s)
{
    struct timespec now;
    struct skr_scheduler_stats stats;
    struct skr_gang_stats engine;
    clock_gettime(CLOCK_MONOTONIC, &now);
    skr_lab_get_scheduler_stats(s->lab, &stats);
    skr_gang_get_stats(skr_engine_self(skr_lab_engine(s->lab)), &engine);
    skr_strbuf_addf(s->messages,
                    "timings: input %.2f s, run %.2f s; %llu cycles, %llu filter calls, "
                    "%llu solves, %llu bindings\n",
                    seconds_between(&s->began, &s->loaded), seconds_between(&s->loaded, &now),
                    (unsigned long long)stats.cycles, (unsigned long long)stats.filter_calls,
                    (unsigned long long)engine.solves, (unsigned long long)engine.bindings);
}

/* The next hours, as the picture of a page that is saved has them. */
static void add_hours(const struct simulation *s, skr_time now, struct skr_strbuf *picture)
{
    const struct skr_view_query query = {.path = "/v1/timeline"};
    picture->len -= strlen("}");
    skr_strbuf_add(picture, ",\"timeline\":");
    (void)skr_gang_view(skr_engine_self(skr_lab_engine(s->lab)), &query, now, picture);
    skr_strbuf_add(picture, "}");
}

/* The page with the picture of the end; without a tree the refusal is a message. */
static void write_page(struct simulation *s, skr_time now)
{
    static const struct skr_hash_seed seed;
    const struct skr_view_query query = {.path = "/v1/picture"};
    enum skr_picture_news news;
    struct skr_picture *picture = skr_picture_create("gangs", &seed);
    SKR_STRBUF(text);
    if (skr_gang_draw(skr_engine_self(skr_lab_engine(s->lab)), &query, now, picture, &news,
                      &text) == 200) {
        skr_strbuf_reset(&text);
        skr_picture_write(picture, &text);
        add_hours(s, now, &text);
        skr_ui_page_write(text.s, text.len, s->out);
    } else {
        skr_strbuf_addf(s->messages, "picture: %s\n", text.s);
    }
    skr_picture_destroy(picture);
}

static int report(struct simulation *s)
{
    const struct skr_gang *engine = skr_engine_self(skr_lab_engine(s->lab));
    json_t *groups = skr_simulate_groups(engine, s->options->json);
    struct skr_simulate_report r = {
        .record = &s->record,
        .store = skr_lab_store(s->lab),
        .engine = engine,
        .lab = s->lab,
        .groups = groups,
        .start = s->input.start,
        .end = s->record.changed_at,
        .class_label = s->mix ? skr_spotmix_keys(skr_mix_webhook_mix(s->mix))->class_ : NULL,
        .ascii = s->options->ascii,
        .lacks_pods = s->input.n_unplayed > 0 || skr_lab_is_refused(s->lab)};
    if (s->options->until != SKR_TIME_NEVER) {
        r.end = s->input.start + s->options->until;
    }
    skr_strbuf_addn(s->options->json || s->options->html ? s->messages : s->out,
                    s->trace.s ? s->trace.s : "", s->trace.len);
    if (s->options->json) {
        skr_simulate_write_json(&r, s->out);
    } else {
        struct skr_strbuf *text = s->options->html ? s->messages : s->out;
        if (s->trace.len > 0) {
            skr_strbuf_addc(text, '\n');
        }
        if (s->options->picture) {
            skr_simulate_write_pictures(&r, text);
        }
        if (s->mix) {
            skr_mix_picture_draw(skr_mix_webhook_mix(s->mix), s->options->ascii, text);
        }
        skr_simulate_write_text(&r, text);
    }
    if (s->options->html) {
        write_page(s, r.end);
    }
    if (s->options->timings) {
        write_timings(s);
    }
    const bool placed = skr_simulate_is_placed(&r);
    json_decref(groups);
    return placed ? SKR_EXIT_OK : SKR_EXIT_NOT_PLACED;
}

/* ---- the command ---- */

static void init(struct simulation *s, const struct skr_simulate_options *options,
                 struct skr_strbuf *out, struct skr_strbuf *messages)
{
    *s = (struct simulation){.options = options, .out = out, .messages = messages};
    clock_gettime(CLOCK_MONOTONIC, &s->began);
    skr_simulate_input_init(&s->input);
    skr_strbuf_init(&s->trace);
}

static void fini(struct simulation *s)
{
    if (s->options->last) {
        return;
    }
    if (s->lab) {
        skr_record_fini(&s->record);
    }
    skr_mix_webhook_destroy(s->mix);
    skr_lab_destroy(s->lab);
    skr_simulate_input_fini(&s->input);
    free(s->topology_namespace);
    skr_strbuf_fini(&s->trace);
    skr_config_destroy(s->config);
}

/* Whether all changes are readable. */
static bool check_sets(struct simulation *s)
{
    bool good = true;
    for (size_t i = 0; i < s->options->n_sets; i++) {
        good = skr_simulate_set_is_read(s->options->set[i], s->messages) && good;
    }
    return good;
}

/* Runs the simulation after the input is read. */
static int simulate(struct simulation *s)
{
    s->input.label_levels = s->settings.label_levels;
    int rc = skr_simulate_set(&s->input, s->options->set, s->options->n_sets, s->messages);
    if (rc < 0) {
        return skr_exit_code_of(rc);
    }
    skr_simulate_input_finish(&s->input, s->messages);
    skr_simulate_input_kinds(&s->input, &s->settings, s->messages);
    s->stepped_at = s->input.start;
    if (s->options->config) {
        skr_simulate_topology_warn(&s->input, s->settings.topology_namespace, s->messages);
    } else {
        /* The manifests are freed before the settings. */
        s->topology_namespace = skr_strdup(skr_simulate_topology_namespace(
            &s->input, s->settings.topology_namespace, s->messages));
        s->settings.topology_namespace = s->topology_namespace;
    }
    if (build(s) < 0) {
        return SKR_EXIT_ERROR;
    }
    clock_gettime(CLOCK_MONOTONIC, &s->loaded);
    skr_progress_begin(&s->progress, s->options->progress, "simulate", "pods");
    skr_lab_start(s->lab);
    rc = run(s);
    skr_progress_end(&s->progress);
    return rc < 0 ? SKR_EXIT_ERROR : report(s);
}

int skr_simulate_run(const struct skr_simulate_options *options, struct skr_strbuf *out,
                     struct skr_strbuf *messages)
{
    struct simulation s;
    init(&s, options, out, messages);
    int code = check_sets(&s) ? read_config(&s) : SKR_EXIT_USAGE;
    if (code == SKR_EXIT_OK) {
        code = skr_simulate_input_read_all(&s.input, options->file, options->n_files, messages);
    }
    code = code == SKR_EXIT_OK ? simulate(&s) : code;
    fini(&s);
    return code;
}
