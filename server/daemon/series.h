/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_DAEMON_SERIES_H
#define SKR_SERVER_DAEMON_SERIES_H
/*
 * How the daemon writes metrics whose truth is elsewhere: a table of specs, one family each, and a
 * collector that sets the series when /metrics is read. Label values are a and b; NULL where the
 * family has fewer labels. A counter is advanced by what it lacks, so it never decreases.
 */
#include <stdbool.h>
#include <stdint.h>

#include "server/http/metrics.h"

/* Rows of a table of specs. Labels follow the help; none: NULL. */
#define SKR_COUNTS(n, h, ...)                                               \
    {                                                                       \
        .name = n, .help = h, .type = SKR_COUNTER, .label = { __VA_ARGS__ } \
    }
#define SKR_GAUGES(n, h, ...)                                             \
    {                                                                     \
        .name = n, .help = h, .type = SKR_GAUGE, .label = { __VA_ARGS__ } \
    }
/* Bounds: first nanoseconds, then `buckets` in all, each `times` the one before. */
#define SKR_TIMES(n, h, first, buckets, times, ...)                                                \
    {                                                                                              \
        .name = n, .help = h, .type = SKR_HISTOGRAM, .unit = SKR_UNIT_NANOSECONDS,                 \
        .label = {__VA_ARGS__}, .first_bucket = (first), .n_buckets = (buckets), .factor = (times) \
    }

/* ret: n families. registry NULL: all are NULL. */
void skr_series_families(struct skr_metrics *registry, const struct skr_metric_spec *specs,
                         size_t n, struct skr_metric_family **ret);
struct skr_metric *skr_series(struct skr_metric_family *family, const char *a, const char *b);
void skr_series_set(struct skr_metric_family *family, const char *a, const char *b, uint64_t value);
void skr_series_advance(struct skr_metric_family *family, const char *a, const char *b,
                        uint64_t value);
/* A number that is 0 in most clusters has no series until it is above 0 for the first time. */
bool skr_series_is_boring(struct skr_metric_family *family, const char *a, const char *b,
                          uint64_t value);
void skr_series_set_seen(struct skr_metric_family *family, const char *a, const char *b,
                         uint64_t value);
void skr_series_advance_seen(struct skr_metric_family *family, const char *a, const char *b,
                             uint64_t value);

#endif
