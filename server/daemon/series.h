/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_DAEMON_SERIES_H
#define SKR_SERVER_DAEMON_SERIES_H
/* Series of metrics that are copied from other counters at each request for /metrics. Labels are a
 * and b, NULL if the family has fewer. A counter is advanced by the difference, so it never falls. */
#include <stdbool.h>
#include <stdint.h>

#include "server/http/metrics.h"

struct skr_metric *skr_series(struct skr_metric_family *family, const char *a, const char *b);
void skr_series_set(struct skr_metric_family *family, const char *a, const char *b, uint64_t value);
void skr_series_advance(struct skr_metric_family *family, const char *a, const char *b,
                        uint64_t value);
/* _seen: no series before the number is more than 0, for numbers that are 0 in most clusters. */
bool skr_series_is_boring(struct skr_metric_family *family, const char *a, const char *b,
                          uint64_t value);
void skr_series_set_seen(struct skr_metric_family *family, const char *a, const char *b,
                         uint64_t value);
void skr_series_advance_seen(struct skr_metric_family *family, const char *a, const char *b,
                             uint64_t value);

#endif
