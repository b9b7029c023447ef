/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_DAEMON_METRICS_H
#define SKR_SERVER_DAEMON_METRICS_H
/* Metrics of the daemon beyond those of the listeners and of the schedulers' services: watches and
 * writes. They are read from where the truth is when somebody asks for /metrics. */
#include "server/http/metrics.h"
#include "server/kube/client.h"

struct skr_daemon_metrics;

/* All borrowed; kube may be set later, before anybody asks. The registry calls back until it is
 * destroyed, so that is done first. */
struct skr_daemon_metrics *skr_daemon_metrics_create(struct skr_metrics *registry);
void skr_daemon_metrics_set_kube(struct skr_daemon_metrics *metrics, const struct skr_kube *kube);
void skr_daemon_metrics_destroy(struct skr_daemon_metrics *metrics); /* NULL allowed */

#endif
