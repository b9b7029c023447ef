/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_DAEMON_METRICS_H
#define SKR_SERVER_DAEMON_METRICS_H
/* Metrics of watches and writes. They are copied from the kube client at each request for /metrics. */
#include "server/http/metrics.h"
#include "server/kube/client.h"

struct skr_daemon_metrics;

/* All borrowed. kube may be set later. The registry calls back until it is destroyed, so it is
 * destroyed first. */
struct skr_daemon_metrics *skr_daemon_metrics_create(struct skr_metrics *registry);
void skr_daemon_metrics_set_kube(struct skr_daemon_metrics *metrics, const struct skr_kube *kube);
void skr_daemon_metrics_destroy(struct skr_daemon_metrics *metrics); /* NULL allowed */

#endif
