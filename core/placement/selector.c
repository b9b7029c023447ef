/* SPDX-License-Identifier: Apache-2.0 */
/* Label and claim selectors (metav1.LabelSelector; OCM's ClusterSelector). */
#include <string.h>

#include "core/placement/decode.h"

static bool holds(const struct skr_selector_requirement *r,
                  const struct skr_managed_cluster *cluster)
{
    const struct skr_labels *labels = r->is_field ? &cluster->claims : &cluster->meta.labels;
    return skr_selector_value_matches(r, skr_labels_get(labels, r->key));
}

bool skr_cluster_selector_matches(const struct skr_cluster_selector *selector,
                                  const struct skr_managed_cluster *cluster)
{
    for (size_t i = 0; i < selector->n; i++) {
        if (!holds(&selector->item[i], cluster)) {
            return false;
        }
    }
    return true;
}

/* ---- decoding ---- */

/* Gt and Lt are for node affinity alone. */
static int decode_operator(const json_t *entry, const struct skr_field_path *path,
                           enum skr_selector_operator *ret, struct skr_error *error)
{
    const char *text;
    int rc = skr_field_string(entry, path, "operator", &text, error);
    if (rc < 0) {
        return rc;
    }
    *ret = skr_selector_operator_find(text);
    return *ret <= SKR_SELECTOR_DOES_NOT_EXIST
               ? 0
               : skr_error_set(error, SKR_INVALID, "unknown selector operator \"%.64s\"", text);
}

/* Appends *r, unless there is something wrong with it. */
static int add(const struct skr_selector_requirement *r, const struct skr_field_path *path,
               struct skr_cluster_selector *out, struct skr_error *error)
{
    const char *problem = skr_selector_requirement_problem(r);
    if (problem) {
        return skr_field_set_error(path, NULL, error, SKR_INVALID, "key \"%.100s\": %s", r->key,
                                   problem);
    }
    out->item[out->n++] = *r;
    return 0;
}

static int decode_expressions(struct skr_arena *arena, json_t *list,
                              const struct skr_field_path *up, bool of_claim,
                              struct skr_cluster_selector *out, struct skr_error *error)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        SKR_FIELD_AT(at, up, "matchExpressions", i);
        SKR_FIELD(all, up, "matchExpressions");
        struct skr_selector_requirement r = {.is_field = of_claim};
        json_t *entry;
        int rc = skr_field_entry(list, &all, i, &entry, error);
        if (rc < 0 || (rc = skr_ocm_string(arena, entry, &at, "key", &r.key, error)) < 0 ||
            (rc = decode_operator(entry, &at, &r.op, error)) < 0 ||
            (rc = skr_ocm_strings(arena, entry, &at, "values", SKR_OCM_VALUES_MAX, &r.n_values,
                                  &r.values, error)) < 0 ||
            (rc = add(&r, &at, out, error)) < 0) {
            return rc;
        }
        skr_names_sort(r.values, r.n_values);
    }
    return 0;
}

static int decode_match_labels(struct skr_arena *arena, json_t *labels,
                               const struct skr_field_path *up, struct skr_cluster_selector *out,
                               struct skr_error *error)
{
    struct skr_labels list = {0};
    SKR_FIELD(path, up, "matchLabels");
    int rc = skr_labels_decode(arena, labels, NULL, "matchLabels", &list, error);
    for (size_t i = 0; rc == 0 && i < list.n; i++) {
        const char **value = skr_arena_array(arena, 1, sizeof *value);
        if (!value) {
            return skr_ocm_no_room(error);
        }
        value[0] = list.item[i].value;
        const struct skr_selector_requirement r = {
            .key = list.item[i].key, .op = SKR_SELECTOR_IN, .n_values = 1, .values = value};
        rc = add(&r, &path, out, error);
    }
    return rc;
}

/* Appends the terms of object (NULL: none). */
static int decode_terms(struct skr_arena *arena, const json_t *object,
                        const struct skr_field_path *path, bool of_claim,
                        struct skr_cluster_selector *out, struct skr_error *error)
{
    json_t *expressions = NULL, *labels = NULL;
    if (!object) {
        return 0;
    }
    int rc =
        skr_field_array(object, path, "matchExpressions", SKR_OCM_LIST_MAX, &expressions, error);
    if (rc == 0 && !of_claim) {
        rc = skr_field_object(object, path, "matchLabels", &labels, error);
    }
    if (rc == 0 && json_object_size(labels) > SKR_OCM_LIST_MAX) {
        rc = skr_error_set_key(error, SKR_LIMIT, "matchLabels", "%zu entries, limit %d",
                               json_object_size(labels), SKR_OCM_LIST_MAX);
    }
    if (rc < 0) {
        return rc;
    }
    size_t n = out->n + json_array_size(expressions) + json_object_size(labels);
    struct skr_selector_requirement *item = skr_arena_array(arena, n + 1, sizeof *item);
    if (!item) {
        return skr_ocm_no_room(error);
    }
    for (size_t i = 0; i < out->n; i++) {
        item[i] = out->item[i];
    }
    out->item = item;
    rc = decode_match_labels(arena, labels, path, out, error);
    return rc < 0 ? rc : decode_expressions(arena, expressions, path, of_claim, out, error);
}

int skr_label_selector_decode(struct skr_arena *arena, const json_t *object,
                              struct skr_cluster_selector *ret, struct skr_error *error)
{
    SKR_FIELD(path, NULL, "labelSelector");
    *ret = (struct skr_cluster_selector){0};
    return decode_terms(arena, object, &path, false, ret, error);
}

int skr_cluster_selector_decode(struct skr_arena *arena, const json_t *object,
                                struct skr_cluster_selector *ret, struct skr_error *error)
{
    json_t *labels = NULL, *claims = NULL, *cel = NULL, *expressions = NULL;
    SKR_FIELD(claim_path, NULL, "claimSelector");
    SKR_FIELD(cel_path, NULL, "celSelector");
    int rc = 0;
    *ret = (struct skr_cluster_selector){0};
    if (!object || json_is_null(object)) {
        return 0;
    }
    if ((rc = skr_field_object(object, NULL, "labelSelector", &labels, error)) < 0 ||
        (rc = skr_field_object(object, NULL, "claimSelector", &claims, error)) < 0 ||
        (rc = skr_field_object(object, NULL, "celSelector", &cel, error)) < 0 ||
        (rc = cel ? skr_field_array(cel, &cel_path, "celExpressions", SKR_OCM_LIST_MAX,
                                    &expressions, error)
                  : 0) < 0) {
        return rc;
    }
    if (json_array_size(expressions) > 0) {
        return skr_error_set(error, SKR_INVALID, "celSelector is not supported");
    }
    rc = skr_label_selector_decode(arena, labels, ret, error);
    return rc < 0 ? rc : decode_terms(arena, claims, &claim_path, true, ret, error);
}
