/* SPDX-License-Identifier: Apache-2.0 */
#include "core/pod/requirement.h"

#include <string.h>

#include "core/group/label_value.h"
#include "topology/base/decimal.h"
#include "topology/labels.h"

static const char *const names[] = {
    [SKR_SELECTOR_IN] = "In",         [SKR_SELECTOR_NOT_IN] = "NotIn",
    [SKR_SELECTOR_EXISTS] = "Exists", [SKR_SELECTOR_DOES_NOT_EXIST] = "DoesNotExist",
    [SKR_SELECTOR_GT] = "Gt",         [SKR_SELECTOR_LT] = "Lt",
};
_Static_assert(sizeof names / sizeof names[0] == SKR_SELECTOR_OPERATOR_COUNT,
               "a name per operator");

enum skr_selector_operator skr_selector_operator_find(const char *text)
{
    size_t i = 0;
    while (i < SKR_SELECTOR_OPERATOR_COUNT && strcmp(text, names[i]) != 0) {
        i++;
    }
    return (enum skr_selector_operator)i;
}

size_t skr_selector_read(const struct skr_fields *selector, bool is_field, size_t values_max,
                         struct skr_selector_requirement **ret)
{
    const struct skr_fields labels = skr_fields_at(
        selector, "matchLabels", is_field ? NULL : skr_fields_object(selector, "matchLabels").json);
    const struct skr_fields list =
        skr_fields_list(selector, "matchExpressions", SKR_SELECTOR_ENTRIES_MAX);
    const size_t n_labels = json_object_size(labels.json);
    const char *key;
    json_t *value;
    size_t n = 0;
    if (n_labels > SKR_SELECTOR_ENTRIES_MAX) {
        skr_fields_fail(&labels, NULL, SKR_LIMIT, "%zu entries, limit %d", n_labels,
                        (int)SKR_SELECTOR_ENTRIES_MAX);
    }
    *ret = skr_fields_room(selector, n_labels + list.n, sizeof **ret);
    if (!*ret) {
        return 0;
    }
    json_object_foreach(labels.json, key, value)
    {
        const char **only = skr_fields_room(selector, 1, sizeof *only);
        if (!only) {
            return 0;
        }
        *only = skr_fields_text(&labels, key);
        (*ret)[n++] = (struct skr_selector_requirement){.key = skr_fields_copy(selector, key),
                                                        .op = SKR_SELECTOR_IN,
                                                        .n_values = 1,
                                                        .values = only};
    }
    for (size_t i = 0; skr_fields_more(&list, i); i++) {
        const struct skr_fields entry = skr_fields_entry(&list, i);
        struct skr_selector_requirement *r = &(*ret)[n++];
        r->is_field = is_field;
        r->key = skr_fields_text(&entry, "key");
        r->op = skr_selector_operator_find(skr_fields_word(&entry, "operator"));
        r->n_values = skr_fields_texts(&entry, "values", values_max, &r->values);
        skr_names_sort(r->values, r->n_values);
    }
    return n;
}

const char *skr_selector_requirement_problem(const struct skr_selector_requirement *r)
{
    int64_t number;
    if (!skr_label_key_is_valid(r->key)) {
        return "its key is no label key";
    }
    for (size_t i = 0; i < r->n_values; i++) {
        if (!skr_label_value_is_valid(r->values[i])) {
            return "one of its values is no label value";
        }
    }
    switch (r->op) {
    case SKR_SELECTOR_IN:
    case SKR_SELECTOR_NOT_IN:
        return r->n_values > 0 ? NULL : "In and NotIn need values";
    case SKR_SELECTOR_EXISTS:
    case SKR_SELECTOR_DOES_NOT_EXIST:
        return r->n_values == 0 ? NULL : "Exists and DoesNotExist take no values";
    case SKR_SELECTOR_GT:
    case SKR_SELECTOR_LT:
        return r->n_values == 1 && skr_decimal_parse(r->values[0], strlen(r->values[0]), &number)
                   ? NULL
                   : "Gt and Lt need one integer";
    case SKR_SELECTOR_OPERATOR_COUNT:
        break;
    }
    return "its operator is unknown";
}

bool skr_selector_value_matches(const struct skr_selector_requirement *r, const char *value)
{
    switch (r->op) {
    case SKR_SELECTOR_IN:
        return value && skr_names_contain(r->values, r->n_values, value);
    case SKR_SELECTOR_NOT_IN:
        return !value || !skr_names_contain(r->values, r->n_values, value);
    case SKR_SELECTOR_EXISTS:
        return value;
    case SKR_SELECTOR_DOES_NOT_EXIST:
        return !value;
    case SKR_SELECTOR_GT:
        return value && r->n_values == 1 && skr_decimal_is_greater(value, r->values[0]);
    case SKR_SELECTOR_LT:
        return value && r->n_values == 1 && skr_decimal_is_greater(r->values[0], value);
    case SKR_SELECTOR_OPERATOR_COUNT:
        break;
    }
    return false;
}

void skr_selector_requirement_write(struct skr_strbuf *b, const struct skr_selector_requirement *r)
{
    skr_strbuf_add(b, r->is_field ? "[\"field\"," : "[\"label\",");
    skr_strbuf_add_json(b, r->key);
    skr_strbuf_addf(b, ",\"%s\"", names[r->op]);
    for (size_t i = 0; i < r->n_values; i++) {
        skr_strbuf_addc(b, ',');
        skr_strbuf_add_json(b, r->values[i]);
    }
    skr_strbuf_addc(b, ']');
}
