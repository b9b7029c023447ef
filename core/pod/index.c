/* SPDX-License-Identifier: Apache-2.0 */
/* Indices of pods, as their controllers write them, and the natural order of names. */
#include "core/pod/index.h"

#include <stdbool.h>
#include <string.h>

#include "topology/base/decimal.h"

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

void skr_pod_index_read(const struct skr_labels *labels, const struct skr_json *annotations,
                        int32_t index[SKR_POD_INDEX_COUNT])
{
    const struct skr_json *annotation[SKR_POD_INDEX_COUNT];
    skr_json_members(annotations, key_name, SKR_POD_INDEX_COUNT, annotation);
    for (size_t i = 0; i < SKR_POD_INDEX_COUNT; i++) {
        const char *label = skr_labels_get(labels, key_name[i]);
        const struct skr_json *text = annotation[i];
        index[i] = label ? number_of(label, strlen(label)) : -1;
        if (index[i] < 0 && text && text->type == SKR_JSON_STRING) {
            index[i] = number_of(text->text, text->n);
        }
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
