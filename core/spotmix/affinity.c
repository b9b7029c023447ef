/* SPDX-License-Identifier: Apache-2.0 */
/* The classes as JSON expressions, and their comparison with a pod's node affinity. */
#include "core/spotmix/affinity.h"

#include <stdlib.h>
#include <string.h>

#include "core/spotmix/requirements.h"
#include "topology/base/json_field.h"
#include "topology/base/json_writer.h"
#include "topology/base/strbuf.h"

/* ---- the classes ---- */

static char *write_expression(const char *key, const struct skr_spotmix_expression *expression)
{
    SKR_STRBUF(out);
    struct skr_json_writer w = {.out = &out};
    skr_json_open(&w, NULL, '{');
    skr_json_string(&w, "key", key);
    skr_json_string(&w, "operator", expression->op);
    if (expression->n > 0) {
        skr_json_open(&w, "values", '[');
        for (size_t i = 0; i < expression->n; i++) {
            skr_json_string(&w, NULL, expression->value[i]);
        }
        skr_json_close(&w, ']');
    }
    skr_json_close(&w, '}');
    return skr_strbuf_take(&out, NULL);
}

static char *write_toleration(const char *key, const char *value)
{
    SKR_STRBUF(out);
    struct skr_json_writer w = {.out = &out};
    skr_json_open(&w, NULL, '{');
    skr_json_string(&w, "key", key);
    skr_json_string(&w, "operator", "Equal");
    skr_json_string(&w, "value", value);
    skr_json_string(&w, "effect", "NoSchedule");
    skr_json_close(&w, '}');
    return skr_strbuf_take(&out, NULL);
}

void skr_spotmix_classes_init(struct skr_spotmix_classes *classes,
                              const struct skr_spotmix_settings *settings)
{
    const struct skr_spotmix_expression *spot = &settings->expression[SKR_SPOTMIX_SPOT];
    *classes = (struct skr_spotmix_classes){.node_key = settings->node_key};
    for (int i = 0; i < SKR_SPOTMIX_CLASS_COUNT; i++) {
        char *text = write_expression(settings->node_key, &settings->expression[i]);
        classes->expression_text[i] = text;
        classes->expression[i] = json_loads(text, 0, NULL);
        skr_bug_on(!classes->expression[i]);
    }
    if (settings->tolerate_spot && spot->n > 0) {
        classes->toleration_text[SKR_SPOTMIX_SPOT] =
            write_toleration(settings->node_key, spot->value[0]);
        classes->tainted[SKR_SPOTMIX_SPOT] = spot->value[0];
    }
}

void skr_spotmix_classes_fini(struct skr_spotmix_classes *classes)
{
    for (int i = 0; i < SKR_SPOTMIX_CLASS_COUNT; i++) {
        json_decref(classes->expression[i]);
        free(classes->expression_text[i]);
        free(classes->toleration_text[i]);
    }
}

/* ---- what is possible ---- */

enum skr_spotmix_class skr_spotmix_class_of_node(const struct skr_spotmix_classes *classes,
                                                 const json_t *labels)
{
    const char *value = json_string_value(json_object_get(labels, classes->node_key));
    for (int i = 0; i < SKR_SPOTMIX_CLASS_COUNT; i++) {
        if (skr_spotmix_requirement_is_met(classes->expression[i], value)) {
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
    struct skr_spotmix_demand demand = {
        .key = classes->node_key,
        .selected = json_string_value(
            json_object_get(json_object_get(spec, "nodeSelector"), classes->node_key)),
        .ours = classes->expression[class_]};
    bool any = false;
    if (json_array_size(terms) > SKR_SPOTMIX_TERMS_MAX) {
        return false;
    }
    for (size_t i = 0; i < json_array_size(terms); i++) {
        const json_t *term = json_array_get(terms, i);
        if (skr_spotmix_term_is_empty(term)) {
            continue;
        }
        any = true;
        demand.expressions = json_object_get(term, "matchExpressions");
        if (skr_spotmix_demand_can_be_met(&demand)) {
            return true;
        }
    }
    demand.expressions = NULL;
    return !any && skr_spotmix_demand_can_be_met(&demand);
}

/* ---- what a pod has already ---- */

bool skr_spotmix_term_has(const json_t *term, const json_t *expression)
{
    const json_t *there = json_object_get(term, "matchExpressions");
    for (size_t i = 0; i < json_array_size(there); i++) {
        if (skr_spotmix_requirement_equals(json_array_get(there, i), expression)) {
            return true;
        }
    }
    return false;
}

/* Whether the toleration tolerates KEY=VALUE:NoSchedule (k8s.io/api core/v1
 * Toleration.ToleratesTaint). */
static bool tolerates(const json_t *toleration, const char *key, const char *value)
{
    const char *effect = skr_object_text(toleration, "effect");
    const char *its_key = skr_object_text(toleration, "key");
    const char *op = skr_object_text(toleration, "operator");
    if ((*effect != '\0' && strcmp(effect, "NoSchedule") != 0) ||
        (*its_key != '\0' && strcmp(its_key, key) != 0)) {
        return false;
    }
    return strcmp(op, "Exists") == 0 ||
           ((*op == '\0' || strcmp(op, "Equal") == 0) && *its_key != '\0' &&
            strcmp(skr_object_text(toleration, "value"), value) == 0);
}

bool skr_spotmix_is_tolerated(const struct skr_spotmix_classes *classes, const json_t *spec,
                              enum skr_spotmix_class class_)
{
    const json_t *tolerations = json_object_get(spec, "tolerations");
    if (!classes->toleration_text[class_]) {
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
