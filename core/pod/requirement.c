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

static bool is_greater(const char *a, const char *b)
{
    int64_t left;
    int64_t right;
    return skr_decimal_parse(a, strlen(a), &left) && skr_decimal_parse(b, strlen(b), &right) &&
           left > right;
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
        return value && r->n_values == 1 && is_greater(value, r->values[0]);
    case SKR_SELECTOR_LT:
        return value && r->n_values == 1 && is_greater(r->values[0], value);
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
