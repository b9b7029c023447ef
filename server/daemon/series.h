/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_DAEMON_SERIES_H
#define SKR_SERVER_DAEMON_SERIES_H
/* Series of metrics whose truth is elsewhere, set when somebody asks for /metrics. Labels are a and
 * b, NULL where the family has fewer. A counter is advanced by what it lacks, so it never goes back.
 */
#include <stdbool.h>
#include <stdint.h>

#include "server/http/metrics.h"

struct skr_metric *skr_series(struct skr_metric_family *family, const char *a, const char *b);
void skr_series_set(struct skr_metric_family *family, const char *a, const char *b, uint64_t value);
void skr_series_advance(struct skr_metric_family *family, const char *a, const char *b,
                        uint64_t value);
/* Numbers that are 0 in most clusters have no series before they are not. */
bool skr_series_is_boring(struct skr_metric_family *family, const char *a, const char *b,
                          uint64_t value);
void skr_series_set_seen(struct skr_metric_family *family, const char *a, const char *b,
                         uint64_t value);
void skr_series_advance_seen(struct skr_metric_family *family, const char *a, const char *b,
                             uint64_t value);

#endif
