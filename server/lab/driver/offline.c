/* SPDX-License-Identifier: Apache-2.0 */
/* Three models stepped in a fixed order at every point of time at which one of them has work. */
#include "server/lab/driver/offline.h"

#include <stdlib.h>
#include <string.h>

#include "topology/base/arena.h"

struct skr_offline {
    struct skr_offline_options options;
    struct skr_cluster *cluster;
    struct skr_store *store;
    struct skr_pod_templates templates; /* driver and scheduler see the same pods */
    struct skr_engine_driver *driver;
    struct skr_scheduler_model *scheduler;
    struct skr_scheduler_model *daemons; /* NULL: not served */
    skr_time now;
    bool started;
};

static void bind_done(void *context, uint64_t call, const char *error)
{
    struct skr_offline *o = context;
    skr_scheduler_bind_done(o->scheduler, call, error);
}

static void pass_event(void *context, skr_time now, const json_t *event)
{
    struct skr_offline *o = context;
    if (o->options.event) {
        o->options.event(o->options.context, now, event);
    }
}

struct skr_offline *skr_offline_create(const struct skr_offline_options *options)
{
    struct skr_offline *o = skr_alloc(sizeof *o);
    o->options = *options;
    o->templates.two_readers = true;
    o->now = options->start;
    o->cluster = skr_cluster_create(&options->cluster, options->start);
    o->store = skr_cluster_store(o->cluster);
    struct skr_engine_driver_options driver = {.settings = options->settings,
                                               .write_time = SKR_OFFLINE_WRITE_TIME,
                                               .solve_time = SKR_OFFLINE_SOLVE_TIME,
                                               .watch_delay = SKR_OFFLINE_WATCH_TIME,
                                               .templates = &o->templates,
                                               .trace = options->trace,
                                               .event = pass_event,
                                               .bind_done = bind_done,
                                               .context = o};
    o->driver = skr_engine_driver_create(&driver, o->store);
    return o;
}

void skr_offline_destroy(struct skr_offline *offline)
{
    if (!offline) {
        return;
    }
    skr_scheduler_destroy(offline->scheduler);
    skr_scheduler_destroy(offline->daemons);
    skr_engine_driver_destroy(offline->driver);
    skr_pod_templates_fini(&offline->templates);
    skr_cluster_destroy(offline->cluster);
    free(offline);
}

struct skr_store *skr_offline_store(struct skr_offline *offline)
{
    return offline->store;
}

/* ---- DaemonSets ---- */

static int let_pass(void *context, const struct skr_pod *pod, const char *const *node, size_t n,
                    skr_time now, uint8_t *passes, const char **why, struct skr_error *error)
{
    (void)context, (void)pod, (void)node, (void)now, (void)why, (void)error;
    memset(passes, 1, n);
    return 0;
}

static void bind_at_once(void *context, uint64_t call, const struct skr_pod *pod, const char *node,
                         skr_time now)
{
    struct skr_offline *o = context;
    json_t *body =
        json_pack("{s:s, s:s, s:{s:s}, s:{s:s, s:s}}", "apiVersion", "v1", "kind", "Binding",
                  "metadata", "name", pod->meta.name, "target", "kind", "Node", "name", node);
    const struct skr_store_request request = {.verb = SKR_STORE_CREATE,
                                              .resource = skr_store_resource_keeping("Pod"),
                                              .namespace_ = pod->meta.namespace_,
                                              .name = pod->meta.name,
                                              .subresource = "binding",
                                              .body = body};
    struct skr_store_reply reply;
    skr_store_handle(o->store, &request, now, &reply);
    skr_scheduler_bind_done(o->daemons, call, reply.status >= 400 ? "refused" : NULL);
    json_decref(reply.body);
    json_decref(body);
}

static void start_daemons(struct skr_offline *o)
{
    const struct skr_scheduler_options options = {
        .daemons = true,
        .extender = {.context = o, .filter = let_pass, .bind = bind_at_once},
        .percentage = 100};
    o->daemons = skr_scheduler_create(&options, o->store, o->now);
}

static void seat_daemons(struct skr_offline *o)
{
    while (o->daemons && skr_scheduler_next(o->daemons, o->now) <= o->now) {
        skr_scheduler_step(o->daemons, o->now);
    }
}

void skr_offline_start(struct skr_offline *offline)
{
    struct skr_offline *o = offline;
    struct skr_settings *settings = &o->options.settings;
    if (o->options.every_pod && settings->n_scheduler_names < SKR_SCHEDULER_NAMES_MAX) {
        settings->scheduler_name[settings->n_scheduler_names++] = "default-scheduler";
    }
    if (o->options.daemons) {
        start_daemons(o);
        seat_daemons(o);
    }
    struct skr_scheduler_options options = {
        .n_names = o->options.settings.n_scheduler_names,
        .name = o->options.settings.scheduler_name,
        .extender = skr_engine_driver_extender(o->driver, SKR_OFFLINE_WEIGHT),
        .percentage = o->options.percentage,
        .cycle_time = SKR_OFFLINE_CYCLE_TIME,
        .watch_delay = SKR_OFFLINE_WATCH_TIME,
        .seed = o->options.cluster.seed,
        .templates = &o->templates,
        .trace = o->options.trace};
    o->scheduler = skr_scheduler_create(&options, o->store, o->now);
    o->started = true;
    skr_engine_driver_start(o->driver, o->now);
}

skr_time skr_offline_now(const struct skr_offline *offline)
{
    return offline->now;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

uint64_t skr_offline_seen(const struct skr_offline *offline)
{
    const struct skr_offline *o = offline;
    uint64_t seen = skr_cluster_seen(o->cluster);
    if (o->started) { /* what starts later lists first */
        seen = least(seen, skr_engine_driver_seen(o->driver));
        seen = least(seen, skr_scheduler_seen(o->scheduler));
    }
    return o->daemons ? least(seen, skr_scheduler_seen(o->daemons)) : seen;
}

skr_time skr_offline_next(const struct skr_offline *offline)
{
    const struct skr_offline *o = offline;
    skr_time next = skr_cluster_next(o->cluster);
    if (o->started) {
        skr_time driver = skr_engine_driver_next(o->driver, o->now);
        skr_time scheduler = skr_scheduler_next(o->scheduler, o->now);
        next = driver < next ? driver : next;
        next = scheduler < next ? scheduler : next;
    }
    if (o->daemons) {
        skr_time daemons = skr_scheduler_next(o->daemons, o->now);
        next = daemons < next ? daemons : next;
    }
    return next < o->now ? o->now : next;
}

void skr_offline_step(struct skr_offline *offline)
{
    struct skr_offline *o = offline;
    skr_time next = skr_offline_next(o);
    if (next == SKR_TIME_NEVER) {
        return;
    }
    o->now = next;
    skr_cluster_step(o->cluster, o->now);
    seat_daemons(o);
    if (o->started) {
        skr_engine_driver_step(o->driver, o->now);
        skr_scheduler_step(o->scheduler, o->now);
    }
}

void skr_offline_skip(struct skr_offline *offline, skr_time at)
{
    offline->now = at > offline->now ? at : offline->now;
}

void skr_offline_run(struct skr_offline *offline, skr_time at)
{
    while (skr_offline_next(offline) <= at) {
        skr_offline_step(offline);
    }
    skr_offline_skip(offline, at);
}

bool skr_offline_cluster_is_idle(const struct skr_offline *offline)
{
    return skr_cluster_next(offline->cluster) == SKR_TIME_NEVER;
}

enum skr_explain_status skr_offline_explain(struct skr_offline *offline, const char *namespace_,
                                            const char *name, struct skr_strbuf *out)
{
    return skr_engine_driver_explain(offline->driver, offline->now, namespace_, name, out);
}

const struct skr_engine_driver *skr_offline_driver(const struct skr_offline *offline)
{
    return offline->driver;
}

void skr_offline_get_scheduler_stats(const struct skr_offline *offline,
                                     struct skr_scheduler_stats *ret)
{
    *ret = (struct skr_scheduler_stats){0};
    if (offline->started) {
        skr_scheduler_get_stats(offline->scheduler, ret);
    }
}
