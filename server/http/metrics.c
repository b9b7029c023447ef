/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The metrics registry. Families and series are sorted arrays of pointers behind one mutex, which
 * is taken to find or make them and to write the text; changing a value is one relaxed atomic
 * operation. A histogram's count is the sum of its buckets at the moment of writing, so that the
 * line of +Inf and _count always agree.
 */
#include "server/http/metrics.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "topology/base/arena.h"

enum { COLLECTORS_MAX = 16 };

struct skr_metric {
    struct skr_metric_family *family;
    char *value[SKR_METRIC_LABELS_MAX];
    atomic_bool hidden;       /* not in the text */
    _Atomic int64_t number;   /* COUNTER, GAUGE; HISTOGRAM: the sum, ns */
    _Atomic uint64_t *bucket; /* HISTOGRAM: [n_buckets + 1], not cumulative */
};

struct skr_metric_family {
    struct skr_metrics *metrics;
    struct skr_metric_spec spec;
    size_t n_labels;
    size_t n, cap;
    struct skr_metric **series; /* sorted by values */
};

struct skr_metrics {
    pthread_mutex_t lock;
    size_t n, cap;
    struct skr_metric_family **family; /* sorted by name */
    size_t n_collectors;
    struct {
        void (*fn)(void *context);
        void *context;
    } collector[COLLECTORS_MAX];
};

struct skr_metrics *skr_metrics_create(void)
{
    struct skr_metrics *metrics = skr_alloc(sizeof *metrics);
    skr_bug_on(pthread_mutex_init(&metrics->lock, NULL) != 0);
    return metrics;
}

static void metric_destroy(struct skr_metric *metric)
{
    for (size_t i = 0; i < SKR_METRIC_LABELS_MAX; i++) {
        free(metric->value[i]);
    }
    free(metric->bucket);
    free(metric);
}

void skr_metrics_destroy(struct skr_metrics *metrics)
{
    if (!metrics) {
        return;
    }
    for (size_t f = 0; f < metrics->n; f++) {
        for (size_t i = 0; i < metrics->family[f]->n; i++) {
            metric_destroy(metrics->family[f]->series[i]);
        }
        free(metrics->family[f]->series);
        free(metrics->family[f]);
    }
    free(metrics->family);
    pthread_mutex_destroy(&metrics->lock);
    free(metrics);
}

static struct skr_metric_family *family_create(struct skr_metrics *metrics,
                                               const struct skr_metric_spec *spec)
{
    struct skr_metric_family *family = skr_alloc(sizeof *family);
    skr_bug_on(spec->n_buckets > SKR_METRIC_BUCKETS_MAX);
    skr_bug_on(spec->type == SKR_HISTOGRAM && spec->first_bucket <= 0);
    family->metrics = metrics;
    family->spec = *spec;
    while (family->n_labels < SKR_METRIC_LABELS_MAX && spec->label[family->n_labels]) {
        family->n_labels++;
    }
    return family;
}

struct skr_metric_family *skr_metrics_family(struct skr_metrics *metrics,
                                             const struct skr_metric_spec *spec)
{
    if (!metrics) {
        return NULL;
    }
    pthread_mutex_lock(&metrics->lock);
    size_t at = 0;
    while (at < metrics->n && strcmp(metrics->family[at]->spec.name, spec->name) < 0) {
        at++;
    }
    if (at == metrics->n || strcmp(metrics->family[at]->spec.name, spec->name) != 0) {
        skr_grow(&metrics->family, &metrics->cap, metrics->n + 1, sizeof *metrics->family);
        memmove(metrics->family + at + 1, metrics->family + at,
                (metrics->n - at) * sizeof *metrics->family);
        metrics->family[at] = family_create(metrics, spec);
        metrics->n++;
    }
    struct skr_metric_family *family = metrics->family[at];
    skr_bug_on(family->spec.type != spec->type || family->spec.unit != spec->unit);
    pthread_mutex_unlock(&metrics->lock);
    return family;
}

static int compare(const struct skr_metric *metric, const char *const *value)
{
    for (size_t i = 0; i < metric->family->n_labels; i++) {
        const int c = strcmp(metric->value[i], value[i]);
        if (c != 0) {
            return c;
        }
    }
    return 0;
}

/* First series that is not before value. */
static size_t find(const struct skr_metric_family *family, const char *const *value)
{
    size_t low = 0;
    size_t high = family->n;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (compare(family->series[middle], value) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static struct skr_metric *metric_create(struct skr_metric_family *family, const char *const *value)
{
    struct skr_metric *metric = skr_alloc(sizeof *metric);
    metric->family = family;
    for (size_t i = 0; i < family->n_labels; i++) {
        metric->value[i] = skr_strdup(value[i]);
    }
    if (family->spec.type == SKR_HISTOGRAM) {
        metric->bucket = skr_alloc_array(family->spec.n_buckets + 1, sizeof *metric->bucket);
    }
    return metric;
}

struct skr_metric *skr_metric_get(struct skr_metric_family *family, const char *const *value)
{
    static const char *const other[SKR_METRIC_LABELS_MAX] = {"other", "other", "other", "other"};
    if (!family) {
        return NULL;
    }
    skr_bug_on(!value && family->n_labels != 0);
    pthread_mutex_lock(&family->metrics->lock);
    size_t at = find(family, value);
    if (family->n >= SKR_METRIC_SERIES_MAX &&
        (at == family->n || compare(family->series[at], value) != 0)) {
        value = other;
        at = find(family, value);
    }
    if (at == family->n || compare(family->series[at], value) != 0) {
        skr_grow(&family->series, &family->cap, family->n + 1, sizeof *family->series);
        memmove(family->series + at + 1, family->series + at,
                (family->n - at) * sizeof *family->series);
        family->series[at] = metric_create(family, value);
        family->n++;
    }
    struct skr_metric *metric = family->series[at];
    pthread_mutex_unlock(&family->metrics->lock);
    return metric;
}

struct skr_metric *skr_metric_find(struct skr_metric_family *family, const char *const *value)
{
    struct skr_metric *metric = NULL;
    if (!family) {
        return NULL;
    }
    skr_bug_on(!value && family->n_labels != 0);
    pthread_mutex_lock(&family->metrics->lock);
    const size_t at = find(family, value);
    if (at < family->n && compare(family->series[at], value) == 0) {
        metric = family->series[at];
    }
    pthread_mutex_unlock(&family->metrics->lock);
    return metric;
}

void skr_metric_family_hide(struct skr_metric_family *family)
{
    if (!family) {
        return;
    }
    pthread_mutex_lock(&family->metrics->lock);
    for (size_t i = 0; i < family->n; i++) {
        atomic_store_explicit(&family->series[i]->hidden, true, memory_order_relaxed);
    }
    pthread_mutex_unlock(&family->metrics->lock);
}

void skr_metric_add(struct skr_metric *metric, int64_t n)
{
    if (metric) {
        atomic_fetch_add_explicit(&metric->number, n, memory_order_relaxed);
    }
}

void skr_metric_set(struct skr_metric *metric, int64_t value)
{
    if (!metric) {
        return;
    }
    atomic_store_explicit(&metric->number, value, memory_order_relaxed);
    atomic_store_explicit(&metric->hidden, false, memory_order_relaxed);
}

/* Upper bound of bucket k in ns. */
static int64_t bound(const struct skr_metric_spec *spec, size_t k)
{
    const int64_t factor = spec->factor > 0 ? spec->factor : 2;
    int64_t ns = spec->first_bucket;
    for (size_t i = 0; i < k; i++) {
        ns = ns <= INT64_MAX / factor ? ns * factor : INT64_MAX;
    }
    return ns;
}

void skr_metric_observe(struct skr_metric *metric, int64_t ns)
{
    size_t k = 0;
    if (!metric) {
        return;
    }
    skr_bug_on(!metric->bucket);
    if (ns < 0) {
        ns = 0;
    }
    while (k < metric->family->spec.n_buckets && ns > bound(&metric->family->spec, k)) {
        k++;
    }
    atomic_fetch_add_explicit(&metric->bucket[k], 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&metric->number, ns, memory_order_relaxed);
}

void skr_metric_load(struct skr_metric *metric, const uint64_t *bucket, int64_t sum_ns)
{
    if (!metric) {
        return;
    }
    skr_bug_on(!metric->bucket);
    for (size_t k = 0; k <= metric->family->spec.n_buckets; k++) {
        atomic_store_explicit(&metric->bucket[k], bucket[k], memory_order_relaxed);
    }
    atomic_store_explicit(&metric->number, sum_ns, memory_order_relaxed);
}

int64_t skr_metric_value(const struct skr_metric *metric)
{
    uint64_t sum = 0;
    if (!metric) {
        return 0;
    }
    if (!metric->bucket) {
        return atomic_load_explicit(&metric->number, memory_order_relaxed);
    }
    for (size_t k = 0; k <= metric->family->spec.n_buckets; k++) {
        sum += atomic_load_explicit(&metric->bucket[k], memory_order_relaxed);
    }
    return (int64_t)sum;
}

void skr_metrics_on_collect(struct skr_metrics *metrics, void (*fn)(void *context), void *context)
{
    if (!metrics) {
        return;
    }
    pthread_mutex_lock(&metrics->lock);
    skr_bug_on(metrics->n_collectors == COLLECTORS_MAX);
    metrics->collector[metrics->n_collectors].fn = fn;
    metrics->collector[metrics->n_collectors].context = context;
    metrics->n_collectors++;
    pthread_mutex_unlock(&metrics->lock);
}

/* ---- the text ---- */

static void write_escaped(struct skr_strbuf *out, const char *s, bool quote)
{
    for (; *s != 0; s++) {
        if (*s == '\\') {
            skr_strbuf_add(out, "\\\\");
        } else if (*s == '\n') {
            skr_strbuf_add(out, "\\n");
        } else if (*s == '"' && quote) {
            skr_strbuf_add(out, "\\\"");
        } else {
            skr_strbuf_addc(out, *s);
        }
    }
}

/* Nanoseconds as seconds, without trailing zeros. */
static void write_number(struct skr_strbuf *out, enum skr_metric_unit unit, int64_t v)
{
    char fraction[10];
    if (unit != SKR_UNIT_NANOSECONDS) {
        skr_strbuf_add_int(out, v);
        return;
    }
    uint64_t u = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
    uint64_t rest = u % 1000000000;
    if (v < 0) {
        skr_strbuf_addc(out, '-');
    }
    skr_strbuf_add_int(out, (int64_t)(u / 1000000000));
    if (rest == 0) {
        return;
    }
    size_t n = 9;
    for (size_t i = 9; i > 0; i--, rest /= 10) {
        fraction[i - 1] = (char)('0' + (int)(rest % 10));
    }
    while (fraction[n - 1] == '0') {
        n--;
    }
    skr_strbuf_addc(out, '.');
    skr_strbuf_addn(out, fraction, n);
}

/* name suffix{labels,le="..."} ; le NULL: none. */
static void write_name(struct skr_strbuf *out, const struct skr_metric *metric, const char *suffix,
                       const char *le)
{
    const struct skr_metric_family *family = metric->family;
    skr_strbuf_add(out, family->spec.name);
    skr_strbuf_add(out, suffix);
    if (family->n_labels == 0 && !le) {
        skr_strbuf_addc(out, ' ');
        return;
    }
    skr_strbuf_addc(out, '{');
    for (size_t i = 0; i < family->n_labels; i++) {
        if (i > 0) {
            skr_strbuf_addc(out, ',');
        }
        skr_strbuf_addf(out, "%s=\"", family->spec.label[i]);
        write_escaped(out, metric->value[i], true);
        skr_strbuf_addc(out, '"');
    }
    if (le) {
        skr_strbuf_addf(out, "%sle=\"%s\"", family->n_labels > 0 ? "," : "", le);
    }
    skr_strbuf_add(out, "} ");
}

static void write_histogram(struct skr_strbuf *out, const struct skr_metric *metric)
{
    const struct skr_metric_spec *spec = &metric->family->spec;
    const int64_t sum = atomic_load_explicit(&metric->number, memory_order_relaxed);
    SKR_STRBUF(le);
    uint64_t count = 0;
    for (size_t k = 0; k <= spec->n_buckets; k++) {
        skr_strbuf_reset(&le);
        if (k < spec->n_buckets) {
            write_number(&le, spec->unit, bound(spec, k));
        } else {
            skr_strbuf_add(&le, "+Inf");
        }
        count += atomic_load_explicit(&metric->bucket[k], memory_order_relaxed);
        write_name(out, metric, "_bucket", le.s);
        skr_strbuf_add_int(out, (int64_t)count);
        skr_strbuf_addc(out, '\n');
    }
    write_name(out, metric, "_sum", NULL);
    write_number(out, spec->unit, sum);
    skr_strbuf_addc(out, '\n');
    write_name(out, metric, "_count", NULL);
    skr_strbuf_add_int(out, (int64_t)count);
    skr_strbuf_addc(out, '\n');
}

static bool is_shown(const struct skr_metric *metric)
{
    return !atomic_load_explicit(&metric->hidden, memory_order_relaxed);
}

static size_t count_shown(const struct skr_metric_family *family)
{
    size_t n = 0;
    for (size_t i = 0; i < family->n; i++) {
        n += is_shown(family->series[i]);
    }
    return n;
}

static void write_family(struct skr_strbuf *out, const struct skr_metric_family *family)
{
    static const char *const type[] = {"counter", "gauge", "histogram"};
    _Static_assert(sizeof type / sizeof type[0] == SKR_METRIC_TYPE_COUNT, "one name a type");

    if (count_shown(family) == 0) {
        return;
    }
    skr_strbuf_addf(out, "# HELP %s ", family->spec.name);
    write_escaped(out, family->spec.help, false);
    skr_strbuf_addf(out, "\n# TYPE %s %s\n", family->spec.name, type[family->spec.type]);
    for (size_t i = 0; i < family->n; i++) {
        const struct skr_metric *metric = family->series[i];
        if (!is_shown(metric)) {
            continue;
        }
        if (family->spec.type == SKR_HISTOGRAM) {
            write_histogram(out, metric);
            continue;
        }
        write_name(out, metric, "", NULL);
        write_number(out, family->spec.unit, skr_metric_value(metric));
        skr_strbuf_addc(out, '\n');
    }
}

void skr_metrics_write(struct skr_metrics *metrics, struct skr_strbuf *out)
{
    pthread_mutex_lock(&metrics->lock);
    const size_t n = metrics->n_collectors;
    pthread_mutex_unlock(&metrics->lock);
    /* Without the lock: collectors find and make series. Collectors are never taken away. */
    for (size_t i = 0; i < n; i++) {
        metrics->collector[i].fn(metrics->collector[i].context);
    }
    pthread_mutex_lock(&metrics->lock);
    for (size_t i = 0; i < metrics->n; i++) {
        write_family(out, metrics->family[i]);
    }
    pthread_mutex_unlock(&metrics->lock);
}
