/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_SPOTMIX_RULE_H
#define SKR_CORE_SPOTMIX_RULE_H
/*
 * The one rule and the labels of a workload that give it: class(index) is on-demand if index < max,
 * else spot. Nothing else changes a class.
 */
#include "core/spotmix/settings.h"

#define SKR_SPOTMIX_INDEX_MAX INT32_MAX

/* The rule of one workload. */
struct skr_spotmix_rule {
    bool on;
    bool invalid; /* the label of the maximum is not a number: every pod is on-demand */
    bool all;     /* every pod is on-demand */
    int32_t max;  /* on-demand pods; unused with all */
};

/* The maximum's label: digits only, above 2^31-1 is 2^31-1. text NULL: absent. */
void skr_spotmix_rule_parse(const char *on, const char *max, struct skr_spotmix_rule *ret);
bool skr_spotmix_rule_equal(const struct skr_spotmix_rule *a, const struct skr_spotmix_rule *b);
/* A negative index (an ordinal below the first one) is on-demand. */
enum skr_spotmix_class skr_spotmix_rule_class(const struct skr_spotmix_rule *rule, int64_t index);

/* How many of `replicas` pods the rule wants in each class: ret[SKR_SPOTMIX_CLASS_COUNT]. */
void skr_spotmix_rule_share(const struct skr_spotmix_rule *rule, int64_t replicas, int64_t *ret);

/* The index in a label value: decimal, no sign, no leading zero, at most 2^31-1. -1 for any other
 * text. text NULL allowed. */
int32_t skr_spotmix_index_parse(const char *text);
/* The number behind "SET-" in the name of a StatefulSet's pod; -1: none. */
int64_t skr_spotmix_ordinal_parse(const char *pod_name, const char *set_name);

#endif
