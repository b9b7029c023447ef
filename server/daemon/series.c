/* SPDX-License-Identifier: Apache-2.0 */
/* Sets series of metrics by their labels. */
#include "server/daemon/series.h"

void skr_series_families(struct skr_metrics *registry, const struct skr_metric_spec *specs,
                         size_t n, struct skr_metric_family **ret)
{
    for (size_t i = 0; i < n; i++) {
        ret[i] = skr_metrics_family(registry, &specs[i]);
    }
}

struct skr_metric *skr_series(struct skr_metric_family *family, const char *a, const char *b)
{
    const char *values[SKR_METRIC_LABELS_MAX] = {a, b};
    return skr_metric_get(family, a ? values : NULL);
}

void skr_series_set(struct skr_metric_family *family, const char *a, const char *b, uint64_t value)
{
    skr_metric_set(skr_series(family, a, b), value > INT64_MAX ? INT64_MAX : (int64_t)value);
}

void skr_series_advance(struct skr_metric_family *family, const char *a, const char *b,
                        uint64_t value)
{
    struct skr_metric *metric = skr_series(family, a, b);
    int64_t lacks = (int64_t)value - skr_metric_value(metric);
    skr_metric_add(metric, lacks > 0 ? lacks : 0);
}

bool skr_series_is_boring(struct skr_metric_family *family, const char *a, const char *b,
                          uint64_t value)
{
    const char *values[SKR_METRIC_LABELS_MAX] = {a, b};
    return value == 0 && !skr_metric_find(family, values);
}

void skr_series_set_seen(struct skr_metric_family *family, const char *a, const char *b,
                         uint64_t value)
{
    if (!skr_series_is_boring(family, a, b, value)) {
        skr_series_set(family, a, b, value);
    }
}

void skr_series_advance_seen(struct skr_metric_family *family, const char *a, const char *b,
                             uint64_t value)
{
    if (!skr_series_is_boring(family, a, b, value)) {
        skr_series_advance(family, a, b, value);
    }
}
