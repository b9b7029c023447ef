/* SPDX-License-Identifier: Apache-2.0 */
/* Label and claim selectors (metav1.LabelSelector; OCM's ClusterSelector). */
#include <string.h>

#include "core/placement/decode.h"

static const char *const operators[] = {
    [SKR_REQUIRE_IN] = "In",
    [SKR_REQUIRE_NOT_IN] = "NotIn",
    [SKR_REQUIRE_EXISTS] = "Exists",
    [SKR_REQUIRE_DOES_NOT_EXIST] = "DoesNotExist",
};
_Static_assert(sizeof operators / sizeof *operators == SKR_REQUIREMENT_OPERATOR_COUNT, "all named");

static bool holds(const struct skr_requirement *r, const struct skr_managed_cluster *cluster)
{
    const char *value =
        skr_labels_get(r->of_claim ? &cluster->claims : &cluster->meta.labels, r->key);
    if (r->operator== SKR_REQUIRE_EXISTS || r->operator== SKR_REQUIRE_DOES_NOT_EXIST) {
        return (r->operator== SKR_REQUIRE_EXISTS) == !!value;
    }
    bool found = value && skr_names_contain(r->value, r->n_values, value);
    return found == (r->operator== SKR_REQUIRE_IN);
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

static int decode_operator(const json_t *entry, const struct skr_field_path *path,
                           enum skr_requirement_operator *ret, struct skr_error *error)
{
    const char *text;
    int rc = skr_field_string(entry, path, "operator", &text, error);
    for (size_t i = 0; rc == 0 && i < SKR_REQUIREMENT_OPERATOR_COUNT; i++) {
        if (strcmp(text, operators[i]) == 0) {
            *ret = (enum skr_requirement_operator)i;
            return 0;
        }
    }
    return rc < 0 ? rc
                  : skr_error_set(error, SKR_INVALID, "unknown selector operator \"%.64s\"", text);
}

static int decode_expressions(struct skr_arena *arena, json_t *list,
                              const struct skr_field_path *up, bool of_claim,
                              struct skr_cluster_selector *out, struct skr_error *error)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        SKR_FIELD_AT(at, up, "matchExpressions", i);
        SKR_FIELD(all, up, "matchExpressions");
        struct skr_requirement *r = &out->item[out->n];
        json_t *entry;
        int rc = skr_field_entry(list, &all, i, &entry, error);
        if (rc < 0 || (rc = skr_ocm_string(arena, entry, &at, "key", &r->key, error)) < 0 ||
            (rc = decode_operator(entry, &at, &r->operator, error)) < 0 ||
            (rc = skr_ocm_strings(arena, entry, &at, "values", SKR_OCM_VALUES_MAX, &r->n_values,
                                  &r->value, error)) < 0) {
            return rc;
        }
        skr_names_sort(r->value, r->n_values);
        r->of_claim = of_claim;
        out->n++;
    }
    return 0;
}

static int decode_match_labels(struct skr_arena *arena, json_t *labels,
                               struct skr_cluster_selector *out, struct skr_error *error)
{
    struct skr_labels list = {0};
    int rc = skr_labels_decode(arena, labels, NULL, "matchLabels", &list, error);
    for (size_t i = 0; rc == 0 && i < list.n; i++) {
        const char **value = skr_arena_array(arena, 1, sizeof *value);
        if (!value) {
            return skr_ocm_no_room(error);
        }
        value[0] = list.item[i].value;
        out->item[out->n++] = (struct skr_requirement){
            .key = list.item[i].key, .operator= SKR_REQUIRE_IN, .n_values = 1, .value = value};
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
    struct skr_requirement *item = skr_arena_array(arena, n + 1, sizeof *item);
    if (!item) {
        return skr_ocm_no_room(error);
    }
    for (size_t i = 0; i < out->n; i++) {
        item[i] = out->item[i];
    }
    out->item = item;
    rc = decode_match_labels(arena, labels, out, error);
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
