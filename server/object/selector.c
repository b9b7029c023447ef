/* SPDX-License-Identifier: Apache-2.0 */
/* A selector is a list of requirements, all of which must hold. */
#include "server/object/selector.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/object/names.h"
#include "server/object/path.h"
#include "server/object/selector_state.h"
#include "topology/base/arena.h"
#include "topology/base/json_field.h"

char *skr_selector_copy(const char *s, size_t n)
{
    char *text = skr_alloc(n + 1);
    memcpy(text, s, n);
    return text;
}

struct requirement *skr_selector_add(struct skr_selector *s, char *key, enum operator op)
{
    skr_grow(&s->item, &s->cap, s->n + 1, sizeof *s->item);
    s->item[s->n] = (struct requirement){.key = key, .op = op};
    return &s->item[s->n++];
}

void skr_selector_add_value(struct requirement *r, char *value)
{
    skr_grow(&r->value, &r->cap, r->n + 1, sizeof *r->value);
    r->value[r->n++] = value;
}

void skr_selector_destroy(struct skr_selector *selector)
{
    if (!selector) {
        return;
    }
    for (size_t i = 0; i < selector->n; i++) {
        for (size_t j = 0; j < selector->item[i].n; j++) {
            free(selector->item[i].value[j]);
        }
        free(selector->item[i].value);
        free(selector->item[i].key);
    }
    free(selector->item);
    free(selector);
}

int skr_selector_finish(struct skr_selector *s, int r, struct skr_selector **ret)
{
    if (r != 0) {
        skr_selector_destroy(s);
        return r;
    }
    *ret = s;
    return 0;
}

int skr_selector_check_length(const char *text, struct skr_error *error)
{
    if (strlen(text) <= SKR_SELECTOR_BYTES_MAX) {
        return 0;
    }
    return skr_error_set(error, SKR_LIMIT, "selector: more than %d bytes", SKR_SELECTOR_BYTES_MAX);
}

/* ---- metav1.LabelSelector ---- */

/* problem: what names.h says about text; NULL: nothing. */
static int check_json_name(const char *field, const char *text, const char *problem,
                           struct skr_error *error)
{
    return !problem ? 0
                    : skr_error_set_key(error, SKR_INVALID, field,
                                        "Invalid value: \"%.60s\": %.100s", text, problem);
}

static int of_match_labels(struct skr_selector *s, json_t *labels, const char *path,
                           struct skr_error *error)
{
    const char *key;
    json_t *value;
    char field[64];
    (void)snprintf(field, sizeof field, "%.40s.matchLabels", path);
    if (labels && !json_is_object(labels)) {
        return skr_error_set_key(error, SKR_INVALID, field, "must be an object");
    }
    if (json_object_size(labels) > SKR_SELECTOR_PARTS_MAX) {
        return skr_error_set_key(error, SKR_LIMIT, field, "more than %d", SKR_SELECTOR_PARTS_MAX);
    }
    json_object_foreach(labels, key, value)
    {
        const char *text = json_is_string(value) ? json_string_value(value) : "";
        if (check_json_name(field, key, skr_name_qualified(key), error) < 0 ||
            check_json_name(field, text, skr_name_label_value(text), error) < 0) {
            return -SKR_INVALID;
        }
        if (!json_is_string(value)) {
            return skr_error_set(error, SKR_INVALID, "%s.matchLabels.%s: must be a string", path,
                                 key);
        }
        skr_selector_add_value(skr_selector_add(s, skr_strdup(key), IN),
                               skr_strdup(json_string_value(value)));
    }
    return 0;
}

static int of_expression(struct skr_selector *s, const json_t *json, const char *path, size_t i,
                         struct skr_error *error)
{
    static const struct {
        const char *name;
        enum operator op;
        bool values;
    } table[] = {{"In", IN, true},
                 {"NotIn", NOT_IN, true},
                 {"Exists", EXISTS, false},
                 {"DoesNotExist", NOT_EXISTS, false}};
    const char *key = skr_path_text(json, "key");
    const char *name = skr_path_text(json, "operator");
    const json_t *values = json_object_get(json, "values");
    size_t t = 0;

    while (t < sizeof table / sizeof *table && strcmp(table[t].name, name) != 0) {
        t++;
    }
    if (t == sizeof table / sizeof *table) {
        return skr_error_set(error, SKR_INVALID,
                             "%s.matchExpressions[%zu].operator: Invalid value: \"%.60s\": not a "
                             "valid selector operator",
                             path, i, name);
    }
    if (*key == '\0') {
        return skr_error_set(error, SKR_INVALID, "%s.matchExpressions[%zu].key: Required value",
                             path, i);
    }
    if (table[t].values != (json_array_size(values) > 0)) {
        return skr_error_set(error, SKR_INVALID, "%s.matchExpressions[%zu].values: %s", path, i,
                             table[t].values ? "Required value: must be specified when `operator` "
                                               "is 'In' or 'NotIn'"
                                             : "Forbidden: may not be specified when `operator` is "
                                               "'Exists' or 'DoesNotExist'");
    }
    char field[64];
    (void)snprintf(field, sizeof field, "%.30s.matchExpressions[%zu]", path, i);
    if (check_json_name(field, key, skr_name_qualified(key), error) < 0) {
        return -SKR_INVALID;
    }
    if (json_array_size(values) > SKR_SELECTOR_PART_VALUES_MAX) {
        return skr_error_set(error, SKR_LIMIT, "%s.values: more than %d", field,
                             SKR_SELECTOR_PART_VALUES_MAX);
    }
    struct requirement *r = skr_selector_add(s, skr_strdup(key), table[t].op);
    for (size_t j = 0; j < json_array_size(values); j++) {
        const char *value = json_string_value(json_array_get(values, j));
        if (!value) {
            return skr_error_set(error, SKR_INVALID,
                                 "%s.matchExpressions[%zu].values[%zu]: must be a string", path, i,
                                 j);
        }
        if (check_json_name(field, value, skr_name_label_value(value), error) < 0) {
            return -SKR_INVALID;
        }
        skr_selector_add_value(r, skr_strdup(value));
    }
    return 0;
}

int skr_selector_of_json(const json_t *json, const char *path, struct skr_selector **ret,
                         struct skr_error *error)
{
    struct skr_selector *s = skr_alloc(sizeof *s);
    const json_t *expressions = json_object_get(json, "matchExpressions");
    s->nothing = skr_object_is_absent(json);
    if (!s->nothing && !json_is_object(json)) {
        return skr_selector_finish(
            s, skr_error_set_key(error, SKR_INVALID, path, "must be an object"), ret);
    }
    if (!s->nothing && !skr_object_is_absent(expressions) && !json_is_array(expressions)) {
        return skr_selector_finish(
            s, skr_error_set(error, SKR_INVALID, "%s.matchExpressions: must be an array", path),
            ret);
    }
    int rc = of_match_labels(s, json_object_get(json, "matchLabels"), path, error);
    for (size_t i = 0; rc == 0 && i < json_array_size(expressions); i++) {
        rc = i < SKR_SELECTOR_PARTS_MAX
                 ? of_expression(s, json_array_get(expressions, i), path, i, error)
                 : skr_error_set(error, SKR_LIMIT, "%s.matchExpressions: more than %d", path,
                                 SKR_SELECTOR_PARTS_MAX);
    }
    return skr_selector_finish(s, rc, ret);
}

/* ---- matching ---- */

static bool has_value(const struct requirement *r, const char *value)
{
    for (size_t i = 0; i < r->n; i++) {
        if (strcmp(r->value[i], value) == 0) {
            return true;
        }
    }
    return false;
}

static bool holds(const struct requirement *r, const char *value)
{
    char *end;
    switch (r->op) {
    case IN:
        return value && has_value(r, value);
    case NOT_IN:
        return !value || !has_value(r, value);
    case EXISTS:
        return value;
    case NOT_EXISTS:
        return !value;
    case GREATER:
    case LESS:
    default:
        break;
    }
    if (!value) {
        return false;
    }
    const int64_t number = strtoll(value, &end, 10);
    if (end == value || *end != '\0') {
        return false;
    }
    return r->op == GREATER ? number > r->bound : number < r->bound;
}

bool skr_selector_matches_list(const struct skr_selector *selector, const struct skr_labels *labels)
{
    for (size_t i = 0; selector && i < selector->n; i++) {
        const struct requirement *r = &selector->item[i];
        if (!holds(r, skr_labels_get(labels, r->key))) {
            return false;
        }
    }
    return !selector || !selector->nothing;
}

bool skr_selector_matches_labels(const struct skr_selector *selector, const json_t *labels)
{
    if (!selector) {
        return true;
    }
    for (size_t i = 0; i < selector->n; i++) {
        const struct requirement *r = &selector->item[i];
        if (!holds(r, json_string_value(json_object_get(labels, r->key)))) {
            return false;
        }
    }
    return !selector->nothing;
}

bool skr_selector_matches(const struct skr_selector *selector, const json_t *object)
{
    if (!selector) {
        return true;
    }
    if (!selector->fields) {
        return skr_selector_matches_labels(selector, skr_path_get(object, "metadata.labels"));
    }
    for (size_t i = 0; i < selector->n; i++) {
        char number[24];
        const char *value = skr_selector_field_value(&selector->item[i], object, number);
        if (!value || !holds(&selector->item[i], value)) {
            return false;
        }
    }
    return true;
}
