/* SPDX-License-Identifier: Apache-2.0 */
#include "server/daemon/fleet_service.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "topology/base/arena.h"

#define COPY_EVERY (500 * SKR_MILLISECOND)

struct service {
    const struct skr_fleet_kind *kind;
    const struct skr_clock *clock;
    struct skr_stopwatch stopwatch;
    void *settings;
    struct skr_metric_family **family;
    skr_time copied_at; /* engine's thread alone */
    pthread_mutex_t lock;
    void *counts;
};

static int64_t read_clock(void *context)
{
    return skr_clock_now(((const struct service *)context)->clock);
}

static void collect(void *context)
{
    struct service *s = context;
    SKR_AUTO_FREE void *counts = skr_alloc(s->kind->counts_size);
    pthread_mutex_lock(&s->lock);
    memcpy(counts, s->counts, s->kind->counts_size);
    pthread_mutex_unlock(&s->lock);
    s->kind->collect(s->family, counts);
}

void *skr_fleet_service_create(const struct skr_service_host *host,
                               const struct skr_fleet_kind *kind)
{
    struct service *s = skr_alloc(sizeof *s);
    *s = (struct service){.kind = kind,
                          .clock = host->clock,
                          .stopwatch = {read_clock, s},
                          .settings = skr_alloc(kind->settings_size),
                          .family = skr_alloc_array(kind->n_specs, sizeof *s->family),
                          .counts = skr_alloc(kind->counts_size)};
    pthread_mutex_init(&s->lock, NULL);
    kind->configure(host->config, &s->stopwatch, s->settings);
    for (size_t i = 0; i < kind->n_specs; i++) {
        s->family[i] = skr_metrics_family(host->registry, &kind->spec[i]);
    }
    skr_metrics_on_collect(host->registry, collect, s);
    return s;
}

const void *skr_fleet_service_settings(const void *service)
{
    return ((const struct service *)service)->settings;
}

void skr_fleet_service_handled(void *service, const struct skr_engine *engine)
{
    struct service *s = service;
    const skr_time now = skr_clock_now(s->clock);
    if (now - s->copied_at >= COPY_EVERY) {
        s->copied_at = now;
        pthread_mutex_lock(&s->lock);
        s->kind->count(skr_engine_self(engine), s->counts);
        pthread_mutex_unlock(&s->lock);
    }
}

void skr_fleet_service_destroy(void *service)
{
    struct service *s = service;
    if (s) {
        pthread_mutex_destroy(&s->lock);
        free(s->settings);
        free(s->family);
        free(s->counts);
        free(s);
    }
}
