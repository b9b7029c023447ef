/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_DAEMON_FLEET_SERVICE_H
#define SKR_SERVER_DAEMON_FLEET_SERVICE_H
/*
 * The services of the fleet schedulers: OCM Placements and Karmada's bindings. Each has options and
 * metrics, and serves no requests.
 */
#include "core/frame/durations.h"
#include "server/daemon/service.h"

extern const struct skr_scheduler_row skr_placement_service;
extern const struct skr_scheduler_row skr_propagation_service;

/* What differs between them. */
struct skr_fleet_kind {
    const struct skr_metric_spec *spec;
    size_t n_specs;
    size_t settings_size, counts_size;
    /* settings: zeroed. The stopwatch lives as long as the service. */
    void (*configure)(const struct skr_service_host *host, const struct skr_stopwatch *stopwatch,
                      void *settings);
    void (*count)(const void *scheduler, void *counts);
    /* counts: all zero before the first copy. family: one per spec. */
    void (*collect)(struct skr_metric_family *const family[], const void *counts);
};

/* The status of a drawing that gave rc, and its refusal in out: for draw() of the row. */
int skr_fleet_service_drawn(int rc, struct skr_strbuf *out);

void *skr_fleet_service_create(const struct skr_service_host *host,
                               const struct skr_fleet_kind *kind);
/* Functions of the rows. */
const void *skr_fleet_service_settings(const void *service);
void skr_fleet_service_handled(void *service, const struct skr_engine *engine);
void skr_fleet_service_destroy(void *service);

#endif
