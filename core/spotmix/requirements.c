/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The decision is exact. A label has one value or is absent. With an In, only its values are tried.
 * Without an In, absence is tried first. Any other value is free: NotIn excludes finitely many, and
 * Gt and Lt leave an integer between them or not (every integer has many spellings: 7, 07).
 *
 * The values of the first In are sorted once. Every other In and NotIn looks its own values up
 * among them, and Gt and Lt are two bounds. So no value is compared with all expressions.
 */
#include "core/spotmix/requirements.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "topology/base/arena.h"
#include "topology/base/decimal.h"
#include "topology/base/json_field.h"

static bool is_op(const json_t *expression, const char *op)
{
    return strcmp(skr_object_text(expression, "operator"), op) == 0;
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

static bool holds_all(const json_t *values, const json_t *of)
{
    for (size_t i = 0; i < json_array_size(of); i++) {
        const char *value = json_string_value(json_array_get(of, i));
        if (!value || !holds(values, value)) {
            return false;
        }
    }
    return true;
}

bool skr_spotmix_requirement_equals(const json_t *a, const json_t *b)
{
    const json_t *of_a = json_object_get(a, "values"), *of_b = json_object_get(b, "values");
    return strcmp(skr_object_text(a, "key"), skr_object_text(b, "key")) == 0 &&
           is_op(a, skr_object_text(b, "operator")) && holds_all(of_b, of_a) &&
           holds_all(of_a, of_b);
}

/* The one operand of Gt and Lt; false: the requirement matches nothing. */
static bool bound_of(const json_t *expression, int64_t *ret)
{
    const json_t *values = json_object_get(expression, "values");
    const char *text = json_string_value(json_array_get(values, 0));
    return json_array_size(values) == 1 && text && skr_decimal_parse(text, strlen(text), ret);
}

bool skr_spotmix_requirement_is_met(const json_t *expression, const char *value)
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

/* The i-th expression on the key, ours first; NULL at the end. */
static const json_t *expression_at(const struct skr_spotmix_demand *demand, size_t *i)
{
    if (*i == 0) {
        ++*i;
        return demand->ours;
    }
    while (*i <= json_array_size(demand->expressions)) {
        const json_t *expression = json_array_get(demand->expressions, *i - 1);
        ++*i;
        if (strcmp(skr_object_text(expression, "key"), demand->key) == 0) {
            return expression;
        }
    }
    return NULL;
}

static bool all_met(const struct skr_spotmix_demand *demand, const char *value)
{
    const json_t *expression;
    if (demand->selected && (!value || strcmp(value, demand->selected) != 0)) {
        return false;
    }
    for (size_t i = 0; (expression = expression_at(demand, &i));) {
        if (!skr_spotmix_requirement_is_met(expression, value)) {
            return false;
        }
    }
    return true;
}

struct bounds {
    int64_t above, below;
    bool bounded;
};

/* false: no value that is there meets all of them. */
static bool bounds_of(const struct skr_spotmix_demand *demand, struct bounds *ret)
{
    const json_t *expression;
    int64_t bound = 0;
    *ret = (struct bounds){.above = INT64_MIN, .below = INT64_MAX};
    for (size_t i = 0; (expression = expression_at(demand, &i));) {
        if (is_op(expression, "DoesNotExist")) {
            return false;
        }
        if (is_op(expression, "Gt") || is_op(expression, "Lt")) {
            if (!bound_of(expression, &bound)) {
                return false;
            }
            ret->bounded = true;
            ret->above = is_op(expression, "Gt") && bound > ret->above ? bound : ret->above;
            ret->below = is_op(expression, "Lt") && bound < ret->below ? bound : ret->below;
        }
    }
    return true;
}

/* A value of the first In. */
struct choice {
    const char *value;
    size_t n_in; /* how many In, one after the other, have it */
    bool excluded;
};

static int by_value(const void *a, const void *b)
{
    return strcmp(((const struct choice *)a)->value, ((const struct choice *)b)->value);
}

/* Sorted, each once; free(). */
static struct choice *choices_of(const json_t *values, size_t *ret_n)
{
    struct choice *choice = skr_alloc_array(json_array_size(values) + 1, sizeof *choice);
    size_t n = 0, kept = 0;
    for (size_t i = 0; i < json_array_size(values); i++) {
        const char *value = json_string_value(json_array_get(values, i));
        if (value) {
            choice[n++] = (struct choice){.value = value};
        }
    }
    qsort(choice, n, sizeof *choice, by_value);
    for (size_t i = 0; i < n; i++) {
        if (kept == 0 || strcmp(choice[i].value, choice[kept - 1].value) != 0) {
            choice[kept++] = choice[i];
        }
    }
    *ret_n = kept;
    return choice;
}

/* The number-th In of all, from 0, or a NotIn. */
static void look_up(struct choice *choice, size_t n, const json_t *expression, size_t number)
{
    const json_t *values = json_object_get(expression, "values");
    const bool in = is_op(expression, "In");
    for (size_t i = 0; i < json_array_size(values); i++) {
        const struct choice wanted = {.value = json_string_value(json_array_get(values, i))};
        struct choice *found =
            wanted.value && n > 0 ? bsearch(&wanted, choice, n, sizeof *choice, by_value) : NULL;
        if (found && !in) {
            found->excluded = true;
        } else if (found && found->n_in == number) {
            found->n_in++;
        }
    }
}

static bool is_within(const struct bounds *bounds, const char *value)
{
    int64_t number = 0;
    return !bounds->bounded || (skr_decimal_parse(value, strlen(value), &number) &&
                                number > bounds->above && number < bounds->below);
}

/* One of the values of this In meets all. */
static bool some_choice_meets(const struct skr_spotmix_demand *demand, const json_t *in,
                              const struct bounds *bounds)
{
    size_t n, n_in = 0;
    SKR_AUTO_FREE struct choice *choice = choices_of(json_object_get(in, "values"), &n);
    const json_t *expression;
    bool met = false;
    for (size_t i = 0; (expression = expression_at(demand, &i));) {
        if (is_op(expression, "In")) {
            look_up(choice, n, expression, n_in++);
        } else if (is_op(expression, "NotIn")) {
            look_up(choice, n, expression, 0);
        }
    }
    for (size_t i = 0; i < n && !met; i++) {
        met = choice[i].n_in == n_in && !choice[i].excluded && is_within(bounds, choice[i].value);
    }
    return met;
}

bool skr_spotmix_demand_can_be_met(const struct skr_spotmix_demand *demand)
{
    const json_t *expression;
    struct bounds bounds;
    if (demand->selected) {
        return all_met(demand, demand->selected);
    }
    const bool possible = bounds_of(demand, &bounds);
    for (size_t i = 0; (expression = expression_at(demand, &i));) {
        if (is_op(expression, "In")) {
            return possible && some_choice_meets(demand, expression, &bounds);
        }
    }
    return all_met(demand, NULL) ||
           (possible &&
            (!bounds.bounded || (bounds.above < INT64_MAX && bounds.above + 1 < bounds.below)));
}
