/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requirements on one label key. Whether several can hold together is decided exactly: a label has
 * one value or is absent, so the values of any In are all there is to try; without an In there is
 * "absent", and else the values are free but for NotIn, which excludes finitely many, and Gt and
 * Lt, which leave an integer between them or not (every integer can be written in many ways: 7, 07).
 */
#include "core/spotmix/affinity.h"

#include <string.h>

#include "core/spotmix/json.h"
#include "topology/base/arena.h"
#include "topology/base/decimal.h"
#include "topology/base/json_field.h"

/* ---- the classes ---- */

static json_t *expression_of(const char *key, const struct skr_spotmix_expression *expression)
{
    json_t *object = json_object();
    json_t *values = json_array();

    for (size_t i = 0; i < expression->n; i++) {
        json_array_append_new(values, json_string(expression->value[i]));
    }
    json_object_set_new(object, "key", json_string(key));
    json_object_set_new(object, "operator", json_string(expression->op));
    if (expression->n > 0) {
        json_object_set(object, "values", values);
    }
    json_decref(values);
    skr_bug_on(json_object_size(object) < 2);
    return object;
}

void skr_spotmix_classes_init(struct skr_spotmix_classes *classes,
                              const struct skr_spotmix_settings *settings)
{
    const struct skr_spotmix_expression *spot = &settings->expression[SKR_SPOTMIX_SPOT];

    *classes = (struct skr_spotmix_classes){.node_key = settings->node_key};
    for (int i = 0; i < SKR_SPOTMIX_CLASS_COUNT; i++) {
        classes->expression[i] = expression_of(settings->node_key, &settings->expression[i]);
    }
    if (settings->tolerate_spot && spot->n > 0) {
        json_t *toleration = json_object();
        json_object_set_new(toleration, "key", json_string(settings->node_key));
        json_object_set_new(toleration, "operator", json_string("Equal"));
        json_object_set_new(toleration, "value", json_string(spot->value[0]));
        json_object_set_new(toleration, "effect", json_string("NoSchedule"));
        classes->toleration[SKR_SPOTMIX_SPOT] = toleration;
        classes->tainted[SKR_SPOTMIX_SPOT] = spot->value[0];
    }
}

void skr_spotmix_classes_fini(struct skr_spotmix_classes *classes)
{
    for (int i = 0; i < SKR_SPOTMIX_CLASS_COUNT; i++) {
        json_decref(classes->expression[i]);
        json_decref(classes->toleration[i]);
    }
}

/* ---- one requirement ---- */

static bool is_op(const json_t *expression, const char *op)
{
    return strcmp(skr_spotmix_text(expression, "operator"), op) == 0;
}

static bool is_on(const json_t *expression, const char *key)
{
    return strcmp(skr_spotmix_text(expression, "key"), key) == 0;
}

static bool holds(const json_t *values, const char *text)
{
    for (size_t i = 0; i < json_array_size(values); i++) {
        const char *value = json_string_value(json_array_get(values, i));
        if (value && strcmp(value, text) == 0) {
            return true;
        }
    }
    return false;
}

/* The one operand of Gt and Lt; false: the requirement matches nothing. */
static bool bound_of(const json_t *expression, int64_t *ret)
{
    const json_t *values = json_object_get(expression, "values");
    const char *text = json_string_value(json_array_get(values, 0));

    return json_array_size(values) == 1 && text && skr_decimal_parse(text, strlen(text), ret);
}

/* value NULL: the label is absent. Operators that do not exist say nothing. */
static bool is_met(const json_t *expression, const char *value)
{
    const json_t *values = json_object_get(expression, "values");
    int64_t bound = 0, number = 0;

    if (is_op(expression, "In")) {
        return value && holds(values, value);
    }
    if (is_op(expression, "NotIn")) {
        return !value || !holds(values, value);
    }
    if (is_op(expression, "Exists")) {
        return value;
    }
    if (is_op(expression, "DoesNotExist")) {
        return !value;
    }
    if (is_op(expression, "Gt") || is_op(expression, "Lt")) {
        return value && bound_of(expression, &bound) &&
               skr_decimal_parse(value, strlen(value), &number) &&
               (is_op(expression, "Gt") ? number > bound : number < bound);
    }
    return true;
}

/* ---- several together ---- */

/* What a node's label of the class has to meet: a nodeSelector's value (NULL: none), expressions of
 * a term (NULL: none; those on other keys are passed over), one expression of ours. */
struct demand {
    const char *key;
    const char *selected;
    const json_t *expressions;
    const json_t *ours;
};

/* The i-th expression on the key, ours first; NULL at the end. */
static const json_t *expression_at(const struct demand *demand, size_t *i)
{
    if (*i == 0) {
        ++*i;
        return demand->ours;
    }
    while (*i <= json_array_size(demand->expressions)) {
        const json_t *expression = json_array_get(demand->expressions, *i - 1);
        ++*i;
        if (is_on(expression, demand->key)) {
            return expression;
        }
    }
    return NULL;
}

static bool all_met(const struct demand *demand, const char *value)
{
    const json_t *expression;

    if (demand->selected && (!value || strcmp(value, demand->selected) != 0)) {
        return false;
    }
    for (size_t i = 0; (expression = expression_at(demand, &i));) {
        if (!is_met(expression, value)) {
            return false;
        }
    }
    return true;
}

/* Neither nodeSelector nor In: some value that is not the label's absence. */
static bool some_value_meets(const struct demand *demand)
{
    int64_t above = INT64_MIN, below = INT64_MAX, bound = 0;
    const json_t *expression;
    bool bounded = false;

    for (size_t i = 0; (expression = expression_at(demand, &i));) {
        if (is_op(expression, "DoesNotExist")) {
            return false;
        }
        if (is_op(expression, "Gt") || is_op(expression, "Lt")) {
            if (!bound_of(expression, &bound)) {
                return false;
            }
            bounded = true;
            above = is_op(expression, "Gt") && bound > above ? bound : above;
            below = is_op(expression, "Lt") && bound < below ? bound : below;
        }
    }
    return !bounded || (above < INT64_MAX && above + 1 < below);
}

static bool can_be_met(const struct demand *demand)
{
    const json_t *expression;

    if (demand->selected) {
        return all_met(demand, demand->selected);
    }
    for (size_t i = 0; (expression = expression_at(demand, &i));) {
        if (is_op(expression, "In")) {
            const json_t *values = json_object_get(expression, "values");
            for (size_t k = 0; k < json_array_size(values); k++) {
                const char *value = json_string_value(json_array_get(values, k));
                if (value && all_met(demand, value)) {
                    return true;
                }
            }
            return false;
        }
    }
    return all_met(demand, NULL) || some_value_meets(demand);
}

enum skr_spotmix_class skr_spotmix_class_of_node(const struct skr_spotmix_classes *classes,
                                                 const json_t *labels)
{
    const char *value = json_string_value(json_object_get(labels, classes->node_key));

    for (int i = 0; i < SKR_SPOTMIX_CLASS_COUNT; i++) {
        if (is_met(classes->expression[i], value)) {
            return (enum skr_spotmix_class)i;
        }
    }
    return SKR_SPOTMIX_NO_CLASS;
}

const json_t *skr_spotmix_terms_of(const json_t *spec)
{
    static const char *const way[] = {"affinity", "nodeAffinity",
                                      "requiredDuringSchedulingIgnoredDuringExecution",
                                      "nodeSelectorTerms"};

    for (size_t i = 0; i < sizeof way / sizeof way[0]; i++) {
        spec = json_object_get(spec, way[i]);
    }
    return json_is_array(spec) ? spec : NULL;
}

bool skr_spotmix_term_is_empty(const json_t *term)
{
    return json_array_size(json_object_get(term, "matchExpressions")) == 0 &&
           json_array_size(json_object_get(term, "matchFields")) == 0;
}

bool skr_spotmix_class_is_possible(const struct skr_spotmix_classes *classes, const json_t *spec,
                                   enum skr_spotmix_class class_)
{
    const json_t *terms = skr_spotmix_terms_of(spec);
    struct demand demand = {.key = classes->node_key,
                            .selected = json_string_value(json_object_get(
                                json_object_get(spec, "nodeSelector"), classes->node_key)),
                            .ours = classes->expression[class_]};
    bool any = false;

    for (size_t i = 0; i < json_array_size(terms); i++) {
        const json_t *term = json_array_get(terms, i);
        if (skr_spotmix_term_is_empty(term)) {
            continue;
        }
        any = true;
        demand.expressions = json_object_get(term, "matchExpressions");
        if (can_be_met(&demand)) {
            return true;
        }
    }
    demand.expressions = NULL;
    return !any && can_be_met(&demand);
}

/* ---- what is there already ---- */

static bool same_values(const json_t *a, const json_t *b)
{
    for (int turn = 0; turn < 2; turn++) {
        for (size_t i = 0; i < json_array_size(a); i++) {
            const char *value = json_string_value(json_array_get(a, i));
            if (!value || !holds(b, value)) {
                return false;
            }
        }
        const json_t *swap = a;
        a = b;
        b = swap;
    }
    return true;
}

bool skr_spotmix_term_has(const json_t *term, const json_t *expression)
{
    const json_t *there = json_object_get(term, "matchExpressions");

    for (size_t i = 0; i < json_array_size(there); i++) {
        const json_t *one = json_array_get(there, i);
        if (is_on(one, skr_spotmix_text(expression, "key")) &&
            is_op(one, skr_spotmix_text(expression, "operator")) &&
            same_values(json_object_get(one, "values"), json_object_get(expression, "values"))) {
            return true;
        }
    }
    return false;
}

/* Whether the toleration tolerates KEY=VALUE:NoSchedule (k8s.io/api core/v1
 * Toleration.ToleratesTaint). */
static bool tolerates(const json_t *toleration, const char *key, const char *value)
{
    const char *effect = skr_spotmix_text(toleration, "effect");
    const char *its_key = skr_spotmix_text(toleration, "key");
    const char *op = skr_spotmix_text(toleration, "operator");

    if ((*effect != '\0' && strcmp(effect, "NoSchedule") != 0) ||
        (*its_key != '\0' && strcmp(its_key, key) != 0)) {
        return false;
    }
    return strcmp(op, "Exists") == 0 ||
           ((*op == '\0' || strcmp(op, "Equal") == 0) && *its_key != '\0' &&
            strcmp(skr_spotmix_text(toleration, "value"), value) == 0);
}

bool skr_spotmix_is_tolerated(const struct skr_spotmix_classes *classes, const json_t *spec,
                              enum skr_spotmix_class class_)
{
    const json_t *tolerations = json_object_get(spec, "tolerations");

    if (!classes->toleration[class_]) {
        return true;
    }
    for (size_t i = 0; i < json_array_size(tolerations); i++) {
        if (tolerates(json_array_get(tolerations, i), classes->node_key,
                      classes->tainted[class_])) {
            return true;
        }
    }
    return false;
}
