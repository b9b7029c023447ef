/* SPDX-License-Identifier: Apache-2.0 */
/* A service of a fleet scheduler: its settings, and its counts on the way to the metrics. */
#include "server/daemon/fleet_service.h"

#include <stdlib.h>

#include "server/daemon/series.h"
#include "server/daemon/tally.h"
#include "topology/base/arena.h"

struct service {
    const struct skr_fleet_kind *kind;
    void *settings;
    struct skr_metric_family **family;
    struct skr_tally tally;
};

static void collect(void *context)
{
    struct service *s = context;
    SKR_AUTO_FREE void *counts = skr_alloc(s->kind->counts_size);
    skr_tally_get(&s->tally, counts);
    s->kind->collect(s->family, counts);
}

void *skr_fleet_service_create(const struct skr_service_host *host,
                               const struct skr_fleet_kind *kind)
{
    struct service *s = skr_alloc(sizeof *s);
    s->kind = kind;
    s->settings = skr_alloc(kind->settings_size);
    s->family = skr_alloc_array(kind->n_specs, sizeof *s->family);
    skr_tally_init(&s->tally, host->clock, kind->counts_size);
    kind->configure(host, &s->tally.stopwatch, s->settings);
    skr_series_families(host->registry, kind->spec, kind->n_specs, s->family);
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
    if (skr_tally_is_due(&s->tally)) {
        SKR_AUTO_FREE void *counts = skr_alloc(s->kind->counts_size);
        s->kind->count(skr_engine_self(engine), counts);
        skr_tally_put(&s->tally, counts);
    }
}

void skr_fleet_service_destroy(void *service)
{
    struct service *s = service;
    if (s) {
        skr_tally_fini(&s->tally);
        free(s->settings);
        free(s->family);
        free(s);
    }
}

int skr_fleet_service_drawn(int rc, struct skr_strbuf *out)
{
    const int code = rc == 0 ? 200 : rc == -SKR_NOT_FOUND ? 404 : 503;
    if (rc < 0) {
        skr_strbuf_reset(out);
        skr_view_write_status(out, code,
                              code == 404 ? "sakkara: there is no cluster"
                                          : "sakkara: not ready, or not leader");
    }
    return code;
}
