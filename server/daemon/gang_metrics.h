/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_DAEMON_GANG_METRICS_H
#define SKR_SERVER_DAEMON_GANG_METRICS_H
/*
 * Metrics of the gang scheduler: groups, plans, free slots, solves. Counts are those after the last
 * batch of events. Free slots are counted on the engine's thread when /metrics is read, in pieces,
 * and so seldom that they take at most a hundredth of its time.
 */
#include "core/gang/scheduler.h"
#include "server/daemon/engine_thread.h"
#include "server/http/metrics.h"

struct skr_gang_metrics;

/* All borrowed. The registry calls back when /metrics is read: not after _destroy. */
struct skr_gang_metrics *skr_gang_metrics_create(struct skr_metrics *registry,
                                                 const struct skr_clock *clock);
/* Where free slots are counted. NULL: nowhere, and no reader waits any more. Any thread. */
void skr_gang_metrics_set_engine(struct skr_gang_metrics *metrics,
                                 struct skr_engine_thread *engine);
/* After each batch of messages, on the engine's thread. */
void skr_gang_metrics_publish(struct skr_gang_metrics *metrics, const struct skr_engine *engine);
/* One finished solve; roles: of a problem with roles. Any thread. */
/* For settings.stopwatch; lives as long as the metrics. */
const struct skr_stopwatch *skr_gang_metrics_stopwatch(const struct skr_gang_metrics *metrics);
void skr_gang_metrics_solved(struct skr_gang_metrics *metrics, const struct skr_solution *solution,
                             bool roles, int64_t took_ns);
void skr_gang_metrics_destroy(struct skr_gang_metrics *metrics); /* NULL allowed */

#endif
