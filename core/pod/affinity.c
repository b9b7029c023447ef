/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Required node affinity from JSON. A requirement that kube-scheduler cannot parse makes its term
 * match nothing, as do terms without requirements; such terms are left out, while has_affinity
 * tells that there were some.
 *
 * Rules: component-helpers scheduling/corev1/nodeaffinity (nodeSelectorRequirementsAsSelector,
 * ...AsFieldSelector). Limits: SKR_POD_TERMS_MAX, SKR_POD_REQUIREMENTS_MAX, SKR_POD_VALUES_MAX.
 */
#include <string.h>

#include "core/pod/parts.h"
#include "topology/base/json_field.h"

static const struct skr_field_path spec_path = {
    .up = NULL, .key = "spec", .index = SKR_FIELD_NO_INDEX};

struct affinity_reader {
    struct skr_arena *arena;
    size_t n_requirements; /* of all terms so far, against the limits */
    size_t n_values;
};

/* Whether kube-scheduler can parse it; a term with one that it cannot matches nothing. */
static bool is_parsable(const struct skr_selector_requirement *r)
{
    if (r->is_field) {
        return strcmp(r->key, "metadata.name") == 0 && r->n_values == 1 &&
               (r->op == SKR_SELECTOR_IN || r->op == SKR_SELECTOR_NOT_IN);
    }
    return !skr_selector_requirement_problem(r);
}

static int read_values(struct affinity_reader *reader, json_t *list,
                       const struct skr_field_path *up, struct skr_selector_requirement *r,
                       struct skr_error *error)
{
    size_t n = json_array_size(list);
    reader->n_values += n;
    if (reader->n_values > SKR_POD_VALUES_MAX) {
        return skr_error_set_key(error, SKR_LIMIT, "spec.affinity",
                                 "more than %d values in required node affinity",
                                 (int)SKR_POD_VALUES_MAX);
    }
    r->values = skr_arena_array(reader->arena, n, sizeof r->values[0]);
    if (!r->values) {
        return skr_pod_no_room(error);
    }
    for (size_t i = 0; i < n; i++) {
        const json_t *value = json_array_get(list, i);
        struct skr_field_path path = {.up = up, .key = "values", .index = i};
        if (!json_is_string(value)) {
            return skr_field_set_type_error(&path, NULL, "a string", value, error);
        }
        r->values[i] = skr_arena_strdup(reader->arena, json_string_value(value));
        if (!r->values[i]) {
            return skr_pod_no_room(error);
        }
    }
    r->n_values = n;
    return 0;
}

static void sort_values(struct skr_selector_requirement *r)
{
    size_t kept = 0;
    if (r->n_values < 2) {
        return;
    }
    skr_names_sort(r->values, r->n_values);
    for (size_t i = 0; i < r->n_values; i++) {
        if (kept == 0 || strcmp(r->values[kept - 1], r->values[i]) != 0) {
            r->values[kept++] = r->values[i];
        }
    }
    r->n_values = kept;
}

static int read_requirement(struct affinity_reader *reader, json_t *object,
                            const struct skr_field_path *path, bool is_field,
                            struct skr_selector_requirement *ret, bool *ret_parsable,
                            struct skr_error *error)
{
    const char *key;
    const char *op;
    json_t *values;
    int rc = skr_field_string(object, path, "key", &key, error);
    if (rc == 0) {
        rc = skr_field_string(object, path, "operator", &op, error);
    }
    if (rc == 0) {
        rc = skr_field_array(object, path, "values", SKR_POD_VALUES_MAX, &values, error);
    }
    if (rc < 0) {
        return rc;
    }
    *ret = (struct skr_selector_requirement){.op = skr_selector_operator_find(op)};
    ret->is_field = is_field;
    ret->key = skr_arena_strdup(reader->arena, key);
    if (!ret->key) {
        return skr_pod_no_room(error);
    }
    rc = read_values(reader, values, path, ret, error);
    if (rc < 0) {
        return rc;
    }
    *ret_parsable = is_parsable(ret);
    sort_values(ret);
    return 0;
}

/* Appends the requirements of one list of a term; *parsable becomes false at the first bad one. */
static int read_requirements(struct affinity_reader *reader, json_t *list,
                             const struct skr_field_path *term, const char *key, bool is_field,
                             struct skr_selector_term *ret, bool *parsable, struct skr_error *error)
{
    struct skr_field_path array = {.up = term, .key = key, .index = SKR_FIELD_NO_INDEX};
    for (size_t i = 0; i < json_array_size(list); i++) {
        struct skr_field_path path = {.up = term, .key = key, .index = i};
        json_t *entry;
        bool good = true;
        int rc = skr_field_entry(list, &array, i, &entry, error);
        if (rc == 0) {
            rc = read_requirement(reader, entry, &path, is_field, &ret->requirement[ret->n], &good,
                                  error);
        }
        if (rc < 0) {
            return rc;
        }
        ret->n++;
        *parsable = *parsable && good;
    }
    return 0;
}

int skr_pod_requirements_decode(struct skr_arena *arena, json_t *list,
                                const struct skr_field_path *up,
                                struct skr_selector_requirement *ret, size_t *n, bool *parsable,
                                struct skr_error *error)
{
    struct affinity_reader reader = {.arena = arena};
    struct skr_selector_term term = {.n = *n, .requirement = ret};
    int rc =
        read_requirements(&reader, list, up, "matchExpressions", false, &term, parsable, error);
    *n = term.n;
    return rc;
}

/* ret->n stays 0 for a term that matches nothing. */
static int read_term(struct affinity_reader *reader, json_t *object,
                     const struct skr_field_path *path, struct skr_selector_term *ret,
                     struct skr_error *error)
{
    json_t *labels;
    json_t *fields;
    bool parsable = true;
    *ret = (struct skr_selector_term){.n = 0};
    int rc =
        skr_field_array(object, path, "matchExpressions", SKR_POD_REQUIREMENTS_MAX, &labels, error);
    if (rc == 0) {
        rc = skr_field_array(object, path, "matchFields", SKR_POD_REQUIREMENTS_MAX, &fields, error);
    }
    if (rc < 0) {
        return rc;
    }
    size_t n = json_array_size(labels) + json_array_size(fields);
    reader->n_requirements += n;
    if (reader->n_requirements > SKR_POD_REQUIREMENTS_MAX) {
        return skr_error_set_key(error, SKR_LIMIT, "spec.affinity",
                                 "more than %d requirements in required node affinity",
                                 (int)SKR_POD_REQUIREMENTS_MAX);
    }
    ret->requirement = skr_arena_array(reader->arena, n, sizeof ret->requirement[0]);
    if (!ret->requirement) {
        return skr_pod_no_room(error);
    }
    rc = read_requirements(reader, labels, path, "matchExpressions", false, ret, &parsable, error);
    if (rc == 0) {
        rc = read_requirements(reader, fields, path, "matchFields", true, ret, &parsable, error);
    }
    if (rc == 0 && !parsable) {
        ret->n = 0;
    }
    return rc;
}

static int read_terms(struct affinity_reader *reader, json_t *list, const struct skr_field_path *up,
                      struct skr_pod_shape *ret, struct skr_error *error)
{
    struct skr_field_path array = {
        .up = up, .key = "nodeSelectorTerms", .index = SKR_FIELD_NO_INDEX};
    ret->term = skr_arena_array(reader->arena, json_array_size(list), sizeof ret->term[0]);
    if (!ret->term) {
        return skr_pod_no_room(error);
    }
    for (size_t i = 0; i < json_array_size(list); i++) {
        struct skr_field_path path = {.up = up, .key = "nodeSelectorTerms", .index = i};
        json_t *entry;
        int rc = skr_field_entry(list, &array, i, &entry, error);
        if (rc == 0) {
            rc = read_term(reader, entry, &path, &ret->term[ret->n_terms], error);
        }
        if (rc < 0) {
            return rc;
        }
        if (ret->term[ret->n_terms].n > 0) {
            ret->n_terms++;
        }
    }
    return 0;
}

int skr_pod_node_selector_decode(struct skr_arena *arena, const json_t *selector,
                                 const struct skr_field_path *path, struct skr_pod_shape *ret,
                                 struct skr_error *error)
{
    struct affinity_reader reader = {.arena = arena};
    json_t *terms;
    ret->has_affinity = true;
    int rc = skr_field_array(selector, path, "nodeSelectorTerms", SKR_POD_TERMS_MAX, &terms, error);
    return rc < 0 ? rc : read_terms(&reader, terms, path, ret, error);
}

int skr_pod_affinity_decode(struct skr_arena *arena, json_t *spec, struct skr_pod_shape *ret,
                            struct skr_error *error)
{
    static const char required[] = "requiredDuringSchedulingIgnoredDuringExecution";
    struct skr_field_path affinity_path = {
        .up = &spec_path, .key = "affinity", .index = SKR_FIELD_NO_INDEX};
    struct skr_field_path node_path = {
        .up = &affinity_path, .key = "nodeAffinity", .index = SKR_FIELD_NO_INDEX};
    struct skr_field_path required_path = {
        .up = &node_path, .key = required, .index = SKR_FIELD_NO_INDEX};
    json_t *affinity;
    json_t *node = NULL;
    json_t *selector = NULL;
    int rc = skr_field_object(spec, &spec_path, "affinity", &affinity, error);
    if (rc == 0 && affinity) {
        rc = skr_field_object(affinity, &affinity_path, "nodeAffinity", &node, error);
    }
    if (rc == 0 && node) {
        rc = skr_field_object(node, &node_path, required, &selector, error);
    }
    return rc < 0 || !selector
               ? rc
               : skr_pod_node_selector_decode(arena, selector, &required_path, ret, error);
}
