/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The loop of the scheduler's model: changes, answers of binds, due retries, one cycle. A cycle has
 * its effects at its beginning. The scheduler is busy until its end, when the bind call of its pod
 * begins.
 */
#include "server/lab/scheduler/scheduler.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/lab/scheduler/scheduler_cache.h"
#include "server/lab/scheduler/scheduler_devices.h"
#include "server/lab/scheduler/scheduler_queue.h"
#include "server/lab/scheduler/scheduler_volumes.h"

struct lister {
    struct skr_scheduler_model *scheduler;
    struct skr_store_change change;
};

static bool list_object(void *context, const json_t *object)
{
    struct lister *lister = context;
    lister->change.object = object;
    skr_sched_take_change(lister->scheduler, &lister->change);
    return true;
}

static void list(struct skr_scheduler_model *s, const char *api_version, const char *kind)
{
    struct lister lister = {.scheduler = s, .change = {.kind = SKR_STORE_ADDED}};
    lister.change.resource = skr_store_resource_of_kind(api_version, kind);
    skr_store_each(s->store, kind, list_object, &lister);
}

struct skr_scheduler_model *skr_scheduler_create(const struct skr_scheduler_options *options,
                                                 struct skr_store *store, skr_time now)
{
    struct skr_scheduler_model *s = skr_alloc(sizeof *s);
    s->options = *options;
    s->shapes = skr_pod_shapes_create();
    s->store = store;
    s->now = s->busy_until = now;
    s->random = options->seed * 0x9E3779B97F4A7C15U + 1;
    skr_watcher_init(&s->watcher, store, options->watch_delay, skr_store_revision(store));
    skr_sched_cache_init(&s->cache);
    s->cache.devices_needed = options->devices;
    s->cache.volumes = skr_sched_volumes_create(s);
    skr_sched_queue_init(&s->queue,
                         options->initial_backoff ? options->initial_backoff : SKR_SECOND,
                         options->max_backoff ? options->max_backoff : 10 * SKR_SECOND, now);
    list(s, "resource.k8s.io/v1", "DeviceClass");
    list(s, "resource.k8s.io/v1", "ResourceSlice");
    list(s, "resource.k8s.io/v1", "ResourceClaim");
    list(s, "v1", "Node");
    list(s, "v1", "Pod");
    return s;
}

void skr_scheduler_destroy(struct skr_scheduler_model *scheduler)
{
    struct skr_sched_pod *p, *next;
    if (!scheduler) {
        return;
    }
    HASH_ITER(hh, scheduler->pods, p, next)
    {
        skr_sched_pod_destroy(scheduler, p);
    }
    skr_sched_queue_fini(&scheduler->queue);
    skr_sched_volumes_destroy(scheduler->cache.volumes);
    skr_sched_cache_fini(&scheduler->cache);
    skr_watcher_fini(&scheduler->watcher);
    skr_pod_shapes_destroy(scheduler->shapes);
    free(scheduler->answer);
    free(scheduler->names);
    free(scheduler->passes);
    free(scheduler->why);
    free(scheduler->score);
    free(scheduler);
}

static skr_time earlier(skr_time a, skr_time b)
{
    return a < b ? a : b;
}

uint64_t skr_scheduler_seen(const struct skr_scheduler_model *scheduler)
{
    return scheduler->watcher.seen;
}

skr_time skr_scheduler_next(const struct skr_scheduler_model *scheduler, skr_time now)
{
    const struct skr_scheduler_model *s = scheduler;
    if (s->n_answers > 0) {
        return now;
    }
    skr_time next =
        earlier(skr_watcher_next(&s->watcher, now), skr_sched_queue_next_flush(&s->queue));
    if (s->bind_next || !skr_sched_queue_is_empty(&s->queue)) {
        next = earlier(next, s->busy_until);
    }
    const struct skr_sched_pod *p, *after;
    for (p = s->n_volume_waits > 0 ? s->calls : NULL; p; p = after) {
        after = p->hh_call.next;
        next = p->volumes_until ? earlier(next, p->volumes_until) : next;
    }
    return next < now ? now : next;
}

/* ---- bind ---- */

void skr_scheduler_bind_done(struct skr_scheduler_model *scheduler, uint64_t call,
                             const char *error)
{
    struct skr_scheduler_model *s = scheduler;
    skr_grow(&s->answer, &s->cap_answers, s->n_answers + 1, sizeof *s->answer);
    struct skr_sched_answer *answer = &s->answer[s->n_answers++];
    answer->call = call;
    answer->failed = error;
    snprintf(answer->text, sizeof answer->text, "%s", error ? error : "");
}

static void take_answer(struct skr_scheduler_model *s, const struct skr_sched_answer *answer)
{
    struct skr_sched_pod *p;
    HASH_FIND(hh_call, s->calls, &answer->call, sizeof answer->call, p);
    if (!p) {
        return;
    }
    skr_trace_add(&s->options.trace, SKR_TRACE_VERB, s->now, "bind %s/%s answered: %s",
                  p->pod->meta.namespace_, p->pod->meta.name,
                  answer->failed ? answer->text : "bound");
    HASH_DELETE(hh_call, s->calls, p);
    p->call = 0;
    if (answer->failed) {
        skr_sched_bind_failed(s, p, answer->text);
    } else {
        p->rejections = p->errors = p->attempts = 0;
        skr_sched_devices_keep(p);
        skr_sched_report_bound(s, p->pod, p->node ? p->node->name : "");
    }
}

/* Later answers wait for the next round. */
static size_t take_answers(struct skr_scheduler_model *s)
{
    size_t n = s->n_answers;
    for (size_t i = 0; i < n; i++) {
        struct skr_sched_answer answer = s->answer[i];
        take_answer(s, &answer);
    }
    memmove(s->answer, s->answer + n, (s->n_answers - n) * sizeof *s->answer);
    s->n_answers -= n;
    return n;
}

enum { VOLUMES_S = 600 }; /* bindTimeoutSeconds of VolumeBinding */

static void give_up(struct skr_scheduler_model *s, struct skr_sched_pod *p, const char *why)
{
    HASH_DELETE(hh_call, s->calls, p);
    p->call = 0;
    skr_sched_bind_failed(s, p, why);
}

static void call_extender(struct skr_scheduler_model *s, struct skr_sched_pod *p)
{
    s->stats.bind_calls++;
    skr_trace_add(&s->options.trace, SKR_TRACE_VERB, s->now, "bind %s/%s to %s",
                  p->pod->meta.namespace_, p->pod->meta.name, p->node->name);
    s->options.extender.bind(s->options.extender.context, p->call, p->pod, p->node->name, s->now);
}

static void call_bind(struct skr_scheduler_model *s)
{
    struct skr_sched_pod *p = s->bind_next;
    s->bind_next = NULL;
    if (p->place != SKR_SCHED_ASSUMED) {
        return;
    }
    SKR_STRBUF(why);
    if (!skr_sched_volumes_write(s, p, &why) || !skr_sched_devices_write(s, p, &why)) {
        give_up(s, p, why.s);
    } else if (skr_sched_volumes_are_bound(s, p->pod)) {
        call_extender(s, p);
    } else {
        p->volumes_until = s->now + VOLUMES_S * SKR_SECOND;
        s->n_volume_waits++;
    }
}

/* Bind calls whose claims are bound, or were not in time. */
static size_t end_volume_waits(struct skr_scheduler_model *s)
{
    struct skr_sched_pod *p, *next;
    size_t done = 0;
    HASH_ITER(hh_call, s->calls, p, next)
    {
        const bool bound = p->volumes_until && skr_sched_volumes_are_bound(s, p->pod);
        if (!bound && (!p->volumes_until || s->now < p->volumes_until)) {
            continue;
        }
        p->volumes_until = 0;
        s->n_volume_waits--;
        done++;
        if (p->place != SKR_SCHED_ASSUMED) {
            continue;
        }
        if (bound) {
            call_extender(s, p);
        } else {
            give_up(s, p, "binding volumes: context deadline exceeded");
        }
    }
    return done;
}

/* ---- the loop ---- */

size_t skr_scheduler_step(struct skr_scheduler_model *scheduler, skr_time now)
{
    struct skr_scheduler_model *s = scheduler;
    struct skr_store_change change;
    size_t done = 0;
    s->now = now;
    while (skr_watcher_take(&s->watcher, now, &change)) {
        skr_sched_take_change(s, &change);
        done++;
    }
    if (s->n_answers > 0) {
        done += take_answers(s);
    }
    done += skr_sched_queue_flush(&s->queue, now);
    if (s->n_volume_waits > 0) {
        done += end_volume_waits(s);
    }
    if (s->busy_until > now) {
        return done;
    }
    if (s->bind_next) {
        call_bind(s);
        done++;
    }
    if (!skr_sched_queue_is_empty(&s->queue)) {
        skr_sched_cycle(s);
        done++;
    }
    return done;
}

/* ---- numbers ---- */

void skr_scheduler_get_stats(const struct skr_scheduler_model *scheduler,
                             struct skr_scheduler_stats *ret)
{
    const struct skr_scheduler_model *s = scheduler;
    *ret = s->stats;
    ret->active = s->queue.active.n;
    ret->backoff = s->queue.backoff.n + s->queue.error_backoff.n;
    ret->unschedulable = s->queue.n_unschedulable;
    ret->gated = s->queue.n_gated;
    const struct skr_sched_pod *p, *next;
    HASH_ITER(hh, s->pods, p, next)
    {
        ret->assumed += p->place == SKR_SCHED_ASSUMED ? 1 : 0;
    }
}

static const json_t *member(const json_t *object, const char *a, const char *b)
{
    const json_t *inner = json_object_get(object, a);
    return b ? json_object_get(inner, b) : inner;
}

static bool has_hard_spread(const json_t *spec)
{
    const json_t *list = member(spec, "topologySpreadConstraints", NULL);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *when =
            json_string_value(member(json_array_get(list, i), "whenUnsatisfiable", NULL));
        if (!when || strcmp(when, "ScheduleAnyway") != 0) {
            return true;
        }
    }
    return false;
}

const char *skr_scheduler_unmodelled(const json_t *pod)
{
    static const char *const required = "requiredDuringSchedulingIgnoredDuringExecution";
    const json_t *spec = json_object_get(pod, "spec");
    const json_t *affinity = json_object_get(spec, "affinity");
    if (json_array_size(member(affinity, "podAffinity", required)) > 0) {
        return "affinity.podAffinity";
    }
    if (json_array_size(member(affinity, "podAntiAffinity", required)) > 0) {
        return "affinity.podAntiAffinity";
    }
    if (has_hard_spread(spec)) {
        return "topologySpreadConstraints";
    }
    return NULL;
}
