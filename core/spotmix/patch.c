/* SPDX-License-Identifier: Apache-2.0 */
/* The patch is written from left to right, without a tree. A parent of the wrong JSON type ends
 * it. */
#include "core/spotmix/patch.h"

#include <stdio.h>

#include "core/spotmix/rule.h"
#include "topology/base/json_field.h"
#include "topology/base/json_writer.h"

#define NODE_AFFINITY "/spec/affinity/nodeAffinity"
#define REQUIRED      "requiredDuringSchedulingIgnoredDuringExecution"

/* value: JSON. */
static void add(struct skr_json_writer *w, const char *path, const char *value)
{
    skr_json_open(w, NULL, '{');
    skr_json_string(w, "op", "add");
    skr_json_string(w, "path", path);
    skr_json_raw(w, "value", value);
    skr_json_close(w, '}');
}

/* A member of a map, its key escaped (RFC 6901). */
static void add_member(struct skr_json_writer *w, const char *map, const char *key,
                       const char *text)
{
    SKR_STRBUF(path);
    SKR_STRBUF(value);
    skr_strbuf_addf(&path, "%s/", map);
    for (; *key != '\0'; key++) {
        if (*key == '~' || *key == '/') {
            skr_strbuf_add(&path, *key == '~' ? "~0" : "~1");
        } else {
            skr_strbuf_addc(&path, *key);
        }
    }
    skr_strbuf_add_json(&value, text);
    add(w, path.s, value.s);
}

/* Makes the object if it is missing or null. false: it is something else. */
static bool make_object(struct skr_json_writer *w, const json_t *value, const char *path)
{
    if (skr_object_is_absent(value)) {
        add(w, path, "{}");
        return true;
    }
    return json_is_object(value);
}

/* There is no required section: one term, with as much around it as is missing. */
static bool add_section(struct skr_json_writer *w, const json_t *affinity, const char *expression)
{
    const json_t *of_nodes = json_object_get(affinity, "nodeAffinity");
    SKR_STRBUF(value);
    skr_strbuf_addf(&value, "{\"nodeSelectorTerms\":[{\"matchExpressions\":[%s]}]}", expression);
    if (json_is_object(of_nodes)) {
        add(w, NODE_AFFINITY "/" REQUIRED, value.s);
        return true;
    }
    SKR_STRBUF(outer);
    skr_strbuf_addf(&outer, "{\"" REQUIRED "\":%s}", value.s);
    if (json_is_object(affinity)) {
        add(w, NODE_AFFINITY, outer.s);
        return skr_object_is_absent(of_nodes);
    }
    skr_strbuf_reset(&value);
    skr_strbuf_addf(&value, "{\"nodeAffinity\":%s}", outer.s);
    add(w, "/spec/affinity", value.s);
    return skr_object_is_absent(affinity);
}

/* Appends to a list, or makes it if it is missing or null. false: it is something else. */
static bool append(struct skr_json_writer *w, const json_t *list, const char *path,
                   const char *value)
{
    const bool absent = skr_object_is_absent(list);
    SKR_STRBUF(end);
    SKR_STRBUF(made);
    skr_strbuf_addf(&end, "%s/-", path);
    skr_strbuf_addf(&made, "[%s]", value);
    add(w, absent ? path : end.s, absent ? made.s : value);
    return absent || json_is_array(list);
}

/* Terms are alternatives, so the expression goes into every one that is not empty. */
static bool add_affinity(struct skr_json_writer *w, const json_t *spec,
                         const struct skr_spotmix_classes *classes, enum skr_spotmix_class class_)
{
    const json_t *affinity = json_object_get(spec, "affinity");
    const json_t *required = json_object_get(json_object_get(affinity, "nodeAffinity"), REQUIRED);
    const json_t *terms = skr_spotmix_terms_of(spec);
    char path[256];
    bool applies = true;
    if (skr_object_is_absent(required)) {
        return add_section(w, affinity, classes->expression_text[class_]);
    }
    for (size_t i = 0; i < json_array_size(terms) && applies; i++) {
        const json_t *term = json_array_get(terms, i);
        if (!skr_spotmix_term_is_empty(term) &&
            !skr_spotmix_term_has(term, classes->expression[class_])) {
            snprintf(path, sizeof path,
                     NODE_AFFINITY "/" REQUIRED "/nodeSelectorTerms/%zu/matchExpressions", i);
            applies = append(w, json_object_get(term, "matchExpressions"), path,
                             classes->expression_text[class_]);
        }
    }
    return applies;
}

static bool add_labels(struct skr_json_writer *w, const struct skr_spotmix_keys *keys,
                       const json_t *meta, const struct skr_spotmix_slot *slot)
{
    char number[16];
    if (!make_object(w, json_object_get(meta, "labels"), "/metadata/labels")) {
        return false;
    }
    add_member(w, "/metadata/labels", keys->class_, skr_spotmix_class_name[slot->class_]);
    if (slot->index >= 0) {
        snprintf(number, sizeof number, "%ld", (long)slot->index);
        add_member(w, "/metadata/labels", keys->index, number);
    }
    return true;
}

static bool add_annotations(struct skr_json_writer *w, const struct skr_spotmix_keys *keys,
                            const json_t *meta, const struct skr_spotmix_slot *slot,
                            bool *ret_cost_kept)
{
    const json_t *annotations = json_object_get(meta, "annotations");
    if (!make_object(w, annotations, "/metadata/annotations")) {
        return false;
    }
    add_member(w, "/metadata/annotations", keys->token, slot->token);
    *ret_cost_kept = !skr_object_is_absent(json_object_get(annotations, SKR_SPOTMIX_COST_KEY));
    if (!*ret_cost_kept) {
        add_member(w, "/metadata/annotations", SKR_SPOTMIX_COST_KEY,
                   skr_spotmix_class_cost[slot->class_]);
    }
    return true;
}

static bool add_spec(struct skr_json_writer *w, const struct skr_spotmix_classes *classes,
                     const json_t *spec, enum skr_spotmix_class class_)
{
    return make_object(w, spec, "/spec") && add_affinity(w, spec, classes, class_) &&
           (skr_spotmix_is_tolerated(classes, spec, class_) ||
            append(w, json_object_get(spec, "tolerations"), "/spec/tolerations",
                   classes->toleration_text[class_]));
}

bool skr_spotmix_patch_write(const struct skr_spotmix_keys *keys,
                             const struct skr_spotmix_classes *classes, const json_t *pod,
                             const struct skr_spotmix_slot *slot, struct skr_strbuf *out,
                             bool *ret_cost_kept)
{
    struct skr_json_writer w = {.out = out};
    const json_t *meta = json_object_get(pod, "metadata"), *spec = json_object_get(pod, "spec");
    skr_json_open(&w, NULL, '[');
    const bool applies = make_object(&w, meta, "/metadata") && add_labels(&w, keys, meta, slot) &&
                         add_annotations(&w, keys, meta, slot, ret_cost_kept) &&
                         add_spec(&w, classes, spec, slot->class_);
    skr_json_close(&w, ']');
    return applies;
}

bool skr_spotmix_patch_is_done(const struct skr_spotmix_keys *keys,
                               const struct skr_spotmix_classes *classes, const json_t *pod,
                               enum skr_spotmix_class class_, int32_t index)
{
    const json_t *meta = json_object_get(pod, "metadata"), *spec = json_object_get(pod, "spec");
    const json_t *labels = json_object_get(meta, "labels");
    const json_t *annotations = json_object_get(meta, "annotations");
    const json_t *affinity = json_object_get(spec, "affinity");
    const json_t *terms = skr_spotmix_terms_of(spec);
    if (skr_spotmix_class_parse(skr_object_text(labels, keys->class_)) != class_ ||
        (index >= 0 && skr_spotmix_index_parse(skr_object_text(labels, keys->index)) != index) ||
        *skr_object_text(annotations, keys->token) == '\0' ||
        skr_object_is_absent(json_object_get(annotations, SKR_SPOTMIX_COST_KEY)) ||
        skr_object_is_absent(
            json_object_get(json_object_get(affinity, "nodeAffinity"), REQUIRED)) ||
        !skr_spotmix_is_tolerated(classes, spec, class_)) {
        return false;
    }
    for (size_t i = 0; i < json_array_size(terms); i++) {
        const json_t *term = json_array_get(terms, i);
        if (!skr_spotmix_term_is_empty(term) &&
            !skr_spotmix_term_has(term, classes->expression[class_])) {
            return false;
        }
    }
    return true;
}
