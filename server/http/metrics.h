/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_HTTP_METRICS_H
#define SKR_SERVER_HTTP_METRICS_H
/*
 * Metrics for Prometheus. A family has a name, a type and label names. A metric is one series of a
 * family: it is found or made once, and then changed without a lock. Values are integers: counts, or
 * nanoseconds that are written as seconds. A label has a bounded set of values: no names of objects.
 *
 * Thread safe. Metrics live as long as the registry. Every function allows NULL for a family or a
 * metric: nothing happens, and NULL is returned. Modules therefore also run without a registry.
 */
#include <stddef.h>
#include <stdint.h>

#include "topology/base/strbuf.h"

enum {
    SKR_METRIC_LABELS_MAX = 4,
    SKR_METRIC_BUCKETS_MAX = 32,
    SKR_METRIC_SERIES_MAX = 1024, /* series of one family; further ones share one that says "other"
                                     in every label */
};

enum skr_metric_type { SKR_COUNTER, SKR_GAUGE, SKR_HISTOGRAM, SKR_METRIC_TYPE_COUNT };
enum skr_metric_unit { SKR_UNIT_NONE, SKR_UNIT_NANOSECONDS, SKR_METRIC_UNIT_COUNT };

/* Strings are borrowed for good: literals. */
struct skr_metric_spec {
    const char *name; /* sakkara_..._total, sakkara_..._seconds */
    const char *help; /* one sentence */
    enum skr_metric_type type;
    enum skr_metric_unit unit;                /* HISTOGRAM: NANOSECONDS */
    const char *label[SKR_METRIC_LABELS_MAX]; /* label names; NULL from the first unused one */
    int64_t first_bucket; /* HISTOGRAM: bounds are first_bucket * factor^k, ns */
    size_t n_buckets;     /* without +Inf */
    int64_t factor;       /* 0: 2 */
};

struct skr_metrics;
struct skr_metric_family;
struct skr_metric;

struct skr_metrics *skr_metrics_create(void);
void skr_metrics_destroy(struct skr_metrics *metrics); /* NULL allowed */

/* Makes the family, or finds the one of that name (whose spec must be the same). */
struct skr_metric_family *skr_metrics_family(struct skr_metrics *metrics,
                                             const struct skr_metric_spec *spec);

/* The series with these label values, one for each label of the family; values are copied. NULL
 * for a family without labels. */
struct skr_metric *skr_metric_get(struct skr_metric_family *family, const char *const *value);

/* That series if it was made before, else NULL. */
struct skr_metric *skr_metric_find(struct skr_metric_family *family, const char *const *value);

void skr_metric_add(struct skr_metric *metric, int64_t n);      /* COUNTER (n >= 0), GAUGE */
void skr_metric_set(struct skr_metric *metric, int64_t value);  /* GAUGE */
void skr_metric_observe(struct skr_metric *metric, int64_t ns); /* HISTOGRAM */
/* A HISTOGRAM that is counted elsewhere: all observations so far, n_buckets + 1 numbers, not
 * cumulative. */
void skr_metric_load(struct skr_metric *metric, const uint64_t *bucket, int64_t sum_ns);
/* GAUGE: leaves the series of the family out of the text until they are set again. */
void skr_metric_family_hide(struct skr_metric_family *family);
int64_t skr_metric_value(const struct skr_metric *metric); /* of a histogram: observations */

/* fn is called at the beginning of every skr_metrics_write(), to copy figures into metrics. It must
 * not register collectors. */
void skr_metrics_on_collect(struct skr_metrics *metrics, void (*fn)(void *context), void *context);

/* The text format 0.0.4: families sorted by name, series by label values. */
void skr_metrics_write(struct skr_metrics *metrics, struct skr_strbuf *out);

#define SKR_METRICS_CONTENT_TYPE "text/plain; version=0.0.4; charset=utf-8"

#endif
