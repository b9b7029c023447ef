/* SPDX-License-Identifier: Apache-2.0 */
/* Indices of pods, as their controllers write them, and the natural order of names. */
#include "core/pod/index.h"

#include <stdbool.h>
#include <string.h>

#include "topology/base/decimal.h"
#include "topology/base/json_field.h"

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

static int32_t number_of(const char *text)
{
    int64_t value;
    if (!text || !is_digit(text[0]) || !skr_decimal_parse(text, strlen(text), &value) ||
        value > INT32_MAX) {
        return -1;
    }
    return (int32_t)value;
}

static int32_t choose(const char *label, const char *annotation)
{
    int32_t number = number_of(label);
    return number >= 0 ? number : number_of(annotation);
}

const char *skr_pod_index_key_name(enum skr_pod_index_key key)
{
    return key_name[key];
}

void skr_pod_index_read(const struct skr_labels *labels, const json_t *annotations,
                        int32_t index[SKR_POD_INDEX_COUNT])
{
    json_t *annotation[SKR_POD_INDEX_COUNT];
    skr_object_members(annotations, key_name, SKR_POD_INDEX_COUNT, annotation);
    for (size_t i = 0; i < SKR_POD_INDEX_COUNT; i++) {
        index[i] = choose(skr_labels_get(labels, key_name[i]), json_string_value(annotation[i]));
    }
}

void skr_pod_index_find(const struct skr_labels *labels, const struct skr_labels *annotations,
                        int32_t index[SKR_POD_INDEX_COUNT])
{
    for (size_t i = 0; i < SKR_POD_INDEX_COUNT; i++) {
        index[i] =
            choose(skr_labels_get(labels, key_name[i]), skr_labels_get(annotations, key_name[i]));
    }
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
