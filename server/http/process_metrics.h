/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_HTTP_PROCESS_METRICS_H
#define SKR_SERVER_HTTP_PROCESS_METRICS_H
/* The process_* metrics of every Prometheus client: CPU time, memory, open files, start time. Read
 * from /proc at each request for metrics. */
#include "server/http/metrics.h"

/* Call once a registry. */
void skr_process_metrics_register(struct skr_metrics *metrics);

#endif
