/* SPDX-License-Identifier: Apache-2.0 */
/* Indices of pods, as their controllers write them, and the natural order of names. */
#include "core/pod/index.h"

#include <stdbool.h>
#include <string.h>

#include "topology/base/decimal.h"

/* Keys whose value is the number; the keys before them are made of several values. */
enum { FIRST_PLAIN = SKR_POD_INDEX_JOB };
static const char *const key_name[] = {
    [SKR_POD_INDEX_JOB] = "batch.kubernetes.io/job-completion-index",
    [SKR_POD_INDEX_STATEFULSET] = "apps.kubernetes.io/pod-index",
    [SKR_POD_INDEX_LWS] = "leaderworkerset.sigs.k8s.io/worker-index",
    [SKR_POD_INDEX_TRAINING] = "training.kubeflow.org/replica-index",
};
_Static_assert(sizeof key_name / sizeof key_name[0] == SKR_POD_INDEX_COUNT, "a name per key");

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static int32_t number_of(const char *text, size_t n)
{
    int64_t value;
    if (n == 0 || !is_digit(text[0]) || !skr_decimal_parse(text, n, &value) || value > INT32_MAX) {
        return -1;
    }
    return (int32_t)value;
}

static int32_t label_number(const struct skr_labels *labels, const char *key)
{
    const char *text = skr_labels_get(labels, key);
    return text ? number_of(text, strlen(text)) : -1;
}

static bool label_is(const struct skr_labels *labels, const char *key, const char *value)
{
    const char *text = skr_labels_get(labels, key);
    return text && strcmp(text, value) == 0;
}

/* high before low in one number; -1 if one is absent or too large. */
static int32_t join(int32_t high, int32_t low, int32_t shift)
{
    const bool fits =
        high >= 0 && low >= 0 && low < (int32_t)1 << shift && high < (int32_t)1 << (31 - shift);
    return fits ? (int32_t)((uint32_t)high << shift | (uint32_t)low) : -1;
}

static int32_t after(int32_t index)
{
    return index < 0 || index == INT32_MAX ? -1 : index + 1;
}

static int32_t replica_index(const struct skr_labels *labels)
{
    static const char type[] = "training.kubeflow.org/replica-type";
    const int32_t index = label_number(labels, "training.kubeflow.org/replica-index");
    const bool first = label_is(labels, type, "master") || label_is(labels, type, "chief");
    const bool launcher = label_is(labels, "training.kubeflow.org/job-role", "launcher");
    if (!skr_labels_get(labels, type)) { /* MPIJob v2 */
        return launcher                                                   ? 0
               : skr_labels_get(labels, "training.kubeflow.org/job-role") ? after(index)
                                                                          : -1;
    }
    return join(first || launcher ? 0 : 1, index, 24);
}

static int32_t ray_index(const struct skr_labels *labels)
{
    if (label_is(labels, "ray.io/node-type", "head")) {
        return 0;
    }
    return after(join(label_number(labels, "ray.io/worker-group-replica-index"),
                      label_number(labels, "ray.io/replica-host-index"), 10));
}

static int32_t workload_index(const struct skr_labels *labels, int32_t completion)
{
    const int32_t job = label_number(labels, "jobset.sigs.k8s.io/job-global-index");
    if (job >= 0) {
        return join(job, completion < 0 ? 0 : completion, 17);
    }
    if (skr_labels_get(labels, "training.kubeflow.org/operator-name")) {
        return replica_index(labels);
    }
    if (skr_labels_get(labels, "ray.io/node-type")) {
        return ray_index(labels);
    }
    const int32_t id = label_number(labels, "spark-exec-id");
    return id > 0 ? id - 1 : -1; /* Spark counts from 1; a replacement's index may be its rank */
}

static int32_t user_index(const struct skr_labels *labels, const struct skr_json *annotations)
{
    const struct skr_json *key = skr_json_get(annotations, SKR_ANNOTATION_INDEX);
    if (!key || key->type != SKR_JSON_STRING) {
        return label_number(labels, "kueue.x-k8s.io/pod-group-pod-index");
    }
    for (size_t i = 0; i < labels->n; i++) {
        if (skr_json_is(key, labels->item[i].key)) {
            return number_of(labels->item[i].value, strlen(labels->item[i].value));
        }
    }
    return -1;
}

void skr_pod_index_read(const struct skr_labels *labels, const struct skr_json *annotations,
                        int32_t index[SKR_POD_INDEX_COUNT])
{
    enum { N = SKR_POD_INDEX_COUNT - FIRST_PLAIN };
    const struct skr_json *annotation[N];
    skr_json_members(annotations, key_name + FIRST_PLAIN, N, annotation);
    for (size_t i = FIRST_PLAIN; i < SKR_POD_INDEX_COUNT; i++) {
        const struct skr_json *text = annotation[i - FIRST_PLAIN];
        index[i] = label_number(labels, key_name[i]);
        if (index[i] < 0 && text && text->type == SKR_JSON_STRING) {
            index[i] = number_of(text->text, text->n);
        }
    }
    index[SKR_POD_INDEX_USER] = user_index(labels, annotations);
    index[SKR_POD_INDEX_WORKLOAD] = workload_index(labels, index[SKR_POD_INDEX_JOB]);
}

/* Behind the digits at s. */
static const char *skip_digits(const char *s)
{
    while (is_digit(*s)) {
        s++;
    }
    return s;
}

static const char *skip_zeros(const char *s)
{
    while (*s == '0') {
        s++;
    }
    return s;
}

/* Two runs of digits; both pointers move behind them. */
static int compare_numbers(const char **left, const char **right)
{
    const char *l = skip_zeros(*left), *r = skip_zeros(*right);
    *left = skip_digits(l);
    *right = skip_digits(r);
    if (*left - l != *right - r) {
        return *left - l < *right - r ? -1 : 1;
    }
    return memcmp(l, r, (size_t)(*left - l));
}

int skr_pod_compare_names(const char *left, const char *right)
{
    const char *l = left, *r = right;
    while (*l && *l == *r) {
        l++;
        r++;
    }
    while (l > left && is_digit(l[-1])) { /* a number is compared as a whole */
        l--;
        r--;
    }
    while (*l && *r) {
        if (is_digit(*l) && is_digit(*r)) {
            int order = compare_numbers(&l, &r);
            if (order != 0) {
                return order;
            }
        } else if (*l != *r) {
            break;
        } else {
            l++;
            r++;
        }
    }
    if (*l != *r) {
        return (unsigned char)*l < (unsigned char)*r ? -1 : 1;
    }
    return strcmp(left, right);
}
