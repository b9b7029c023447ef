/* SPDX-License-Identifier: Apache-2.0 */
/* Labels to numbers, numbers to classes. */
#include "core/spotmix/rule.h"

#include <string.h>

/* Digits only; false for any other text. A number above limit is limit. */
static bool digits(const char *text, int64_t limit, int64_t *ret)
{
    int64_t value = 0;
    if (*text == '\0') {
        return false;
    }
    for (; *text != '\0'; text++) {
        if (*text < '0' || *text > '9') {
            return false;
        }
        value = value * 10 + (*text - '0');
        value = value < limit ? value : limit;
    }
    *ret = value;
    return true;
}

void skr_spotmix_rule_parse(const char *on, const char *max, struct skr_spotmix_rule *ret)
{
    int64_t value = 0;
    *ret = (struct skr_spotmix_rule){.on = on && strcmp(on, "true") == 0};
    ret->invalid = max && !digits(max, INT32_MAX, &value);
    ret->all = !max || ret->invalid;
    ret->max = (int32_t)value;
}

bool skr_spotmix_rule_equal(const struct skr_spotmix_rule *a, const struct skr_spotmix_rule *b)
{
    return a->on == b->on && a->invalid == b->invalid && a->all == b->all && a->max == b->max;
}

enum skr_spotmix_class skr_spotmix_rule_class(const struct skr_spotmix_rule *rule, int64_t index)
{
    return rule->all || index < rule->max ? SKR_SPOTMIX_ON_DEMAND
           : index < 0                    ? SKR_SPOTMIX_ON_DEMAND
                                          : SKR_SPOTMIX_SPOT;
}

void skr_spotmix_rule_share(const struct skr_spotmix_rule *rule, int64_t replicas, int64_t *ret)
{
    const int64_t all = replicas > 0 ? replicas : 0;
    ret[SKR_SPOTMIX_ON_DEMAND] = rule->all || all < rule->max ? all : rule->max;
    ret[SKR_SPOTMIX_SPOT] = all - ret[SKR_SPOTMIX_ON_DEMAND];
}

int32_t skr_spotmix_index_parse(const char *text)
{
    int64_t value = 0;
    if (!text || (text[0] == '0' && text[1] != '\0') ||
        !digits(text, (int64_t)SKR_SPOTMIX_INDEX_MAX + 1, &value) ||
        value > SKR_SPOTMIX_INDEX_MAX) {
        return -1;
    }
    return (int32_t)value;
}

int64_t skr_spotmix_ordinal_parse(const char *pod_name, const char *set_name)
{
    const size_t n = strlen(set_name);
    if (strncmp(pod_name, set_name, n) != 0 || pod_name[n] != '-') {
        return -1;
    }
    return skr_spotmix_index_parse(pod_name + n + 1);
}
