/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cluster affinities: decoding and matching.
 *
 * As in karmada pkg/util/selector.go: excluded names first, then labels, then fields, then names;
 * empty parts match. A selector that apimachinery refuses (unknown operator, In without values, a
 * value that no label can have) matches nothing. Fields are provider, region and zone; a cluster
 * may be in several zones. Differs from the source in that an unknown field matches nothing, also
 * with NotIn and DoesNotExist.
 */
#include <string.h>

#include "core/propagation/placement.h"

static int no_room(struct skr_error *error)
{
    return skr_error_set(error, SKR_LIMIT, "binding: larger than %d bytes decoded",
                         (int)SKR_OBJECT_BYTES_MAX);
}

/* Strings of an array, sorted: their order means nothing, and every cluster is looked up in them. */
static int names_decode(struct skr_arena *arena, json_t *object, const struct skr_field_path *path,
                        const char *key, size_t limit, const char ***ret, size_t *ret_n,
                        struct skr_error *error)
{
    json_t *list = NULL;
    int rc = skr_field_array(object, path, key, limit, &list, error);
    if (rc < 0) {
        return rc;
    }
    size_t n = json_array_size(list);
    const char **name = skr_arena_array(arena, n, sizeof *name);
    if (!name) {
        return no_room(error);
    }
    for (size_t i = 0; i < n; i++) {
        const json_t *value = json_array_get(list, i);
        if (!json_is_string(value)) {
            struct skr_field_path place = {.up = path, .key = key, .index = i};
            return skr_field_set_type_error(&place, NULL, "a string", value, error);
        }
        name[i] = skr_arena_strdup(arena, json_string_value(value));
        if (!name[i]) {
            return no_room(error);
        }
    }
    skr_names_sort(name, n);
    *ret = name;
    *ret_n = n;
    return 0;
}

/* ---- selectors ---- */

static bool is_zone(const struct skr_selector_requirement *r)
{
    return r->is_field && strcmp(r->key, "zone") == 0;
}

/* Whether apimachinery would build a selector of it. Zones are compared by Karmada itself, which
 * refuses only operators it does not know; Gt and Lt are for fields alone. */
static bool is_buildable(const struct skr_selector_requirement *r)
{
    if (r->op == SKR_SELECTOR_GT || r->op == SKR_SELECTOR_LT) {
        return r->is_field && !is_zone(r) && !skr_selector_requirement_problem(r);
    }
    return is_zone(r) ? r->op != SKR_SELECTOR_OPERATOR_COUNT : !skr_selector_requirement_problem(r);
}

static bool is_known_field(const char *key)
{
    return strcmp(key, "provider") == 0 || strcmp(key, "region") == 0 || strcmp(key, "zone") == 0;
}

static int read_expression(struct skr_arena *arena, json_t *object,
                           const struct skr_field_path *path, bool is_field,
                           struct skr_selector_requirement *ret, struct skr_error *error)
{
    const char *key = "";
    const char *op = "";
    int rc = skr_field_string(object, path, "key", &key, error);
    if (rc < 0 || (rc = skr_field_string(object, path, "operator", &op, error)) < 0) {
        return rc;
    }
    ret->is_field = is_field;
    ret->op = skr_selector_operator_find(op);
    ret->key = skr_arena_strdup(arena, key);
    if (!ret->key) {
        return no_room(error);
    }
    return names_decode(arena, object, path, "values", SKR_BINDING_PLACEMENT_VALUES_MAX,
                        &ret->values, &ret->n_values, error);
}

/* Appends matchExpressions of a selector to list. */
static int read_expressions(struct skr_arena *arena, json_t *selector,
                            const struct skr_field_path *path, bool is_field,
                            struct skr_selector_requirement *list, size_t *n, bool *never,
                            struct skr_error *error)
{
    struct skr_field_path array = {
        .up = path, .key = "matchExpressions", .index = SKR_FIELD_NO_INDEX};
    json_t *expressions = json_object_get(selector, "matchExpressions");
    for (size_t i = 0; i < json_array_size(expressions); i++) {
        struct skr_field_path place = {.up = path, .key = "matchExpressions", .index = i};
        struct skr_selector_requirement *r = &list[*n];
        json_t *entry = NULL;
        int rc = skr_field_entry(expressions, &array, i, &entry, error);
        if (rc < 0 || (rc = read_expression(arena, entry, &place, is_field, r, error)) < 0) {
            return rc;
        }
        *never = *never || !is_buildable(r) || (is_field && !is_known_field(r->key));
        (*n)++;
    }
    return 0;
}

static int read_match_labels(struct skr_arena *arena, json_t *selector,
                             const struct skr_field_path *path, struct skr_cluster_affinity *ret,
                             struct skr_error *error)
{
    json_t *labels = NULL;
    const char *key;
    json_t *value;
    int rc = skr_field_object(selector, path, "matchLabels", &labels, error);
    if (rc < 0) {
        return rc;
    }
    json_object_foreach(labels, key, value)
    {
        struct skr_selector_requirement *r = &ret->label[ret->n_labels];
        if (!json_is_string(value)) {
            struct skr_field_path place = {
                .up = path, .key = "matchLabels", .index = SKR_FIELD_NO_INDEX};
            return skr_field_set_type_error(&place, key, "a string", value, error);
        }
        r->op = SKR_SELECTOR_IN;
        r->key = skr_arena_strdup(arena, key);
        r->values = skr_arena_array(arena, 1, sizeof *r->values);
        if (!r->key || !r->values) {
            return no_room(error);
        }
        r->n_values = 1;
        r->values[0] = skr_arena_strdup(arena, json_string_value(value));
        if (!r->values[0]) {
            return no_room(error);
        }
        ret->never = ret->never || !is_buildable(r);
        ret->n_labels++;
    }
    return 0;
}

/* Room for all requirements of a selector; the arrays are checked on the way. */
static int make_room(struct skr_arena *arena, json_t *selector, const struct skr_field_path *path,
                     struct skr_selector_requirement **ret, struct skr_error *error)
{
    json_t *list = NULL;
    int rc = skr_field_array(selector, path, "matchExpressions",
                             SKR_BINDING_PLACEMENT_REQUIREMENTS_MAX, &list, error);
    if (rc < 0) {
        return rc;
    }
    size_t n = json_array_size(list) + json_object_size(json_object_get(selector, "matchLabels"));
    if (n > SKR_BINDING_PLACEMENT_REQUIREMENTS_MAX) {
        return skr_error_set_key(error, SKR_LIMIT, path->key, "%zu requirements, limit %d", n,
                                 (int)SKR_BINDING_PLACEMENT_REQUIREMENTS_MAX);
    }
    *ret = skr_arena_array(arena, n, sizeof **ret);
    return *ret ? 0 : no_room(error);
}

static int read_selectors(struct skr_arena *arena, json_t *object,
                          const struct skr_field_path *path, struct skr_cluster_affinity *ret,
                          struct skr_error *error)
{
    struct skr_field_path labels = {
        .up = path, .key = "labelSelector", .index = SKR_FIELD_NO_INDEX};
    struct skr_field_path fields = {
        .up = path, .key = "fieldSelector", .index = SKR_FIELD_NO_INDEX};
    json_t *selector = NULL;
    int rc = skr_field_object(object, path, "labelSelector", &selector, error);
    if (rc == 0 && selector) {
        if ((rc = make_room(arena, selector, &labels, &ret->label, error)) < 0 ||
            (rc = read_match_labels(arena, selector, &labels, ret, error)) < 0) {
            return rc;
        }
        rc = read_expressions(arena, selector, &labels, false, ret->label, &ret->n_labels,
                              &ret->never, error);
    }
    if (rc < 0 || (rc = skr_field_object(object, path, "fieldSelector", &selector, error)) < 0 ||
        !selector) {
        return rc;
    }
    rc = make_room(arena, selector, &fields, &ret->field, error);
    return rc < 0 ? rc
                  : read_expressions(arena, selector, &fields, true, ret->field, &ret->n_fields,
                                     &ret->never, error);
}

int skr_cluster_affinity_decode(struct skr_arena *arena, json_t *object,
                                const struct skr_field_path *path, struct skr_cluster_affinity *ret,
                                struct skr_error *error)
{
    *ret = (struct skr_cluster_affinity){.never = false};
    int rc = names_decode(arena, object, path, "exclude", SKR_BINDING_PLACEMENT_NAMES_MAX,
                          &ret->excluded, &ret->n_excluded, error);
    if (rc < 0 ||
        (rc = names_decode(arena, object, path, "clusterNames", SKR_BINDING_PLACEMENT_NAMES_MAX,
                           &ret->name, &ret->n_names, error)) < 0) {
        return rc;
    }
    return read_selectors(arena, object, path, ret, error);
}

/* ---- matching ---- */

static bool meets_zones(const struct skr_selector_requirement *r,
                        const struct skr_member_cluster *cluster)
{
    bool overlap = false;
    for (size_t i = 0; i < cluster->n_zones && !overlap; i++) {
        overlap = skr_names_contain(r->values, r->n_values, cluster->zone[i]);
    }
    switch (r->op) {
    case SKR_SELECTOR_IN:
        return overlap;
    case SKR_SELECTOR_NOT_IN:
        return !overlap;
    case SKR_SELECTOR_EXISTS:
        return cluster->n_zones > 0;
    case SKR_SELECTOR_DOES_NOT_EXIST:
        return cluster->n_zones == 0;
    case SKR_SELECTOR_GT:
    case SKR_SELECTOR_LT:
    case SKR_SELECTOR_OPERATOR_COUNT:
        break;
    }
    return false;
}

static bool meets_field(const struct skr_selector_requirement *r,
                        const struct skr_member_cluster *cluster)
{
    if (is_zone(r)) {
        return meets_zones(r, cluster);
    }
    const char *value = strcmp(r->key, "provider") == 0 ? cluster->provider : cluster->region;
    return skr_selector_value_matches(r, value[0] != '\0' ? value : NULL);
}

bool skr_cluster_affinity_matches(const struct skr_cluster_affinity *affinity,
                                  const struct skr_member_cluster *cluster)
{
    if (affinity->never ||
        skr_names_contain(affinity->excluded, affinity->n_excluded, cluster->meta.name)) {
        return false;
    }
    for (size_t i = 0; i < affinity->n_labels; i++) {
        const struct skr_selector_requirement *r = &affinity->label[i];
        if (!skr_selector_value_matches(r, skr_labels_get(&cluster->meta.labels, r->key))) {
            return false;
        }
    }
    for (size_t i = 0; i < affinity->n_fields; i++) {
        if (!meets_field(&affinity->field[i], cluster)) {
            return false;
        }
    }
    return affinity->n_names == 0 ||
           skr_names_contain(affinity->name, affinity->n_names, cluster->meta.name);
}
