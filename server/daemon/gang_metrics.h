/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_DAEMON_GANG_METRICS_H
#define SKR_SERVER_DAEMON_GANG_METRICS_H
/* Metrics of the gang scheduler: groups, plans, room, solves. */
#include "server/daemon/gang_figures.h"
#include "server/http/metrics.h"

struct skr_gang_metrics;

/* All borrowed. The registry calls back when somebody asks for /metrics: not after _destroy. */
struct skr_gang_metrics *skr_gang_metrics_create(struct skr_metrics *registry,
                                                 struct skr_gang_figures *figures);
/* One finished solve. Any thread. */
void skr_gang_metrics_solved(struct skr_gang_metrics *metrics, const struct skr_solution *solution,
                             int64_t took_ns);
void skr_gang_metrics_destroy(struct skr_gang_metrics *metrics); /* NULL allowed */

#endif
