/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_HTTP_PROCESS_METRICS_H
#define SKR_SERVER_HTTP_PROCESS_METRICS_H
/* The process_* metrics every Prometheus client brings: CPU time, memory, open files, start time.
 * Read from /proc when they are asked for. */
#include "server/http/metrics.h"

/* Call once a registry. */
void skr_process_metrics_register(struct skr_metrics *metrics);

#endif
