/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A Placement from JSON. Absent and null are the same, but for weightPreference: {} is a preference
 * without content. Limits: see the header.
 */
#include "core/propagation/placement.h"

#include <stdio.h>
#include <string.h>

static const struct skr_field_path spec_path = {
    .up = NULL, .key = "spec", .index = SKR_FIELD_NO_INDEX};
static const struct skr_field_path placement_path = {
    .up = &spec_path, .key = "placement", .index = SKR_FIELD_NO_INDEX};

static const char *const field_name[] = {
    [SKR_SPREAD_PROVIDER] = "provider",
    [SKR_SPREAD_REGION] = "region",
    [SKR_SPREAD_ZONE] = "zone",
    [SKR_SPREAD_CLUSTER] = "cluster",
};
_Static_assert(sizeof field_name / sizeof field_name[0] == SKR_SPREAD_FIELD_COUNT,
               "a name per field");

const char *skr_spread_field_name(enum skr_spread_field field)
{
    return field_name[field];
}

static int no_room(struct skr_error *error)
{
    return skr_error_set(error, SKR_LIMIT, "binding: larger than %d bytes decoded",
                         (int)SKR_OBJECT_BYTES_MAX);
}

static int read_overflow(struct skr_arena *arena, json_t *object, const struct skr_field_path *path,
                         struct skr_affinity_term *ret, struct skr_error *error)
{
    struct skr_field_path array = {
        .up = path, .key = "overflowAffinities", .index = SKR_FIELD_NO_INDEX};
    json_t *list = NULL;
    int rc = skr_field_array(object, path, "overflowAffinities", SKR_BINDING_PLACEMENT_TERMS_MAX,
                             &list, error);
    if (rc < 0) {
        return rc;
    }
    ret->overflow = skr_arena_array(arena, json_array_size(list), sizeof *ret->overflow);
    if (!ret->overflow) {
        return no_room(error);
    }
    for (size_t i = 0; i < json_array_size(list); i++) {
        struct skr_field_path place = {.up = path, .key = "overflowAffinities", .index = i};
        json_t *entry = NULL;
        if ((rc = skr_field_entry(list, &array, i, &entry, error)) < 0 ||
            (rc = skr_cluster_affinity_decode(arena, entry, &place, &ret->overflow[i], error)) <
                0) {
            return rc;
        }
        ret->n_overflow++;
    }
    return 0;
}

static int read_terms(struct skr_arena *arena, json_t *placement, struct skr_binding_placement *ret,
                      struct skr_error *error)
{
    static const struct skr_field_path array = {
        .up = &placement_path, .key = "clusterAffinities", .index = SKR_FIELD_NO_INDEX};
    json_t *list = NULL;
    int rc = skr_field_array(placement, &placement_path, "clusterAffinities",
                             SKR_BINDING_PLACEMENT_TERMS_MAX, &list, error);
    if (rc < 0) {
        return rc;
    }
    ret->term = skr_arena_array(arena, json_array_size(list), sizeof *ret->term);
    if (!ret->term) {
        return no_room(error);
    }
    for (size_t i = 0; i < json_array_size(list); i++) {
        struct skr_field_path path = {
            .up = &placement_path, .key = "clusterAffinities", .index = i};
        struct skr_affinity_term *term = &ret->term[i];
        json_t *entry = NULL;
        const char *name = "";
        if ((rc = skr_field_entry(list, &array, i, &entry, error)) < 0 ||
            (rc = skr_field_string(entry, &path, "affinityName", &name, error)) < 0 ||
            (rc = skr_cluster_affinity_decode(arena, entry, &path, &term->affinity, error)) < 0 ||
            (rc = read_overflow(arena, entry, &path, term, error)) < 0) {
            return rc;
        }
        term->name = skr_arena_strdup(arena, name);
        if (!term->name) {
            return no_room(error);
        }
        ret->n_terms++;
    }
    return 0;
}

static enum skr_taint_effect effect_of(const char *text)
{
    return strcmp(text, "NoSchedule") == 0         ? SKR_TAINT_NO_SCHEDULE
           : strcmp(text, "NoExecute") == 0        ? SKR_TAINT_NO_EXECUTE
           : strcmp(text, "PreferNoSchedule") == 0 ? SKR_TAINT_PREFER_NO_SCHEDULE
                                                   : SKR_TAINT_OTHER;
}

static int read_tolerations(struct skr_arena *arena, json_t *placement,
                            struct skr_binding_placement *ret, struct skr_error *error)
{
    static const struct skr_field_path array = {
        .up = &placement_path, .key = "clusterTolerations", .index = SKR_FIELD_NO_INDEX};
    json_t *list = NULL;
    int rc = skr_field_array(placement, &placement_path, "clusterTolerations",
                             SKR_BINDING_PLACEMENT_TOLERATIONS_MAX, &list, error);
    if (rc < 0) {
        return rc;
    }
    ret->toleration = skr_arena_array(arena, json_array_size(list), sizeof *ret->toleration);
    if (!ret->toleration) {
        return no_room(error);
    }
    for (size_t i = 0; i < json_array_size(list); i++) {
        struct skr_field_path path = {
            .up = &placement_path, .key = "clusterTolerations", .index = i};
        struct skr_toleration *t = &ret->toleration[ret->n_tolerations];
        json_t *entry = NULL;
        const char *text[4] = {"", "", "", ""};
        static const char *const key[4] = {"key", "value", "operator", "effect"};
        rc = skr_field_entry(list, &array, i, &entry, error);
        for (size_t k = 0; rc == 0 && k < 4; k++) {
            rc = skr_field_string(entry, &path, key[k], &text[k], error);
        }
        if (rc < 0) {
            return rc;
        }
        bool equal = text[2][0] == '\0' || strcmp(text[2], "Equal") == 0;
        if (!equal && strcmp(text[2], "Exists") != 0) {
            continue; /* an operator that tolerates nothing here */
        }
        *t = (struct skr_toleration){.key = skr_arena_strdup(arena, text[0]),
                                     .value = skr_arena_strdup(arena, text[1]),
                                     .op = equal ? SKR_TOLERATION_EQUAL : SKR_TOLERATION_EXISTS,
                                     .any_effect = text[3][0] == '\0',
                                     .effect = effect_of(text[3])};
        if (!t->key || !t->value) {
            return no_room(error);
        }
        ret->n_tolerations++;
    }
    return 0;
}

/* Groups as given. The Go type is int, of 64 bits: no more clusters than 32 bits count. */
static int read_groups(json_t *entry, const struct skr_field_path *path, const char *key,
                       int64_t *ret, struct skr_error *error)
{
    const json_t *value = json_object_get(entry, key);
    if (json_is_integer(value)) {
        const json_int_t groups = json_integer_value(value);
        *ret = groups > INT32_MAX ? INT32_MAX : groups < INT32_MIN ? INT32_MIN : groups;
        return 0;
    }
    int32_t number = 0;
    int rc = skr_field_int32(entry, path, key, 0, &number, error); /* absent, or no integer */
    *ret = number;
    return rc;
}

static int read_constraint(struct skr_arena *arena, json_t *entry,
                           const struct skr_field_path *path, struct skr_group_constraint *ret,
                           struct skr_error *error)
{
    const char *field = "";
    const char *label = "";
    int rc = skr_field_string(entry, path, "spreadByField", &field, error);
    if (rc < 0 || (rc = skr_field_string(entry, path, "spreadByLabel", &label, error)) < 0 ||
        (rc = read_groups(entry, path, "minGroups", &ret->min_groups, error)) < 0 ||
        (rc = read_groups(entry, path, "maxGroups", &ret->max_groups, error)) < 0) {
        return rc;
    }
    ret->field = SKR_SPREAD_FIELD_COUNT;
    ret->other = skr_arena_strdup(arena, label[0] != '\0' ? label : field);
    if (!ret->other) {
        return no_room(error);
    }
    if (label[0] != '\0') {
        return 0;
    }
    if (field[0] == '\0') {
        ret->field = SKR_SPREAD_CLUSTER; /* as Karmada's webhook fills it in */
    }
    for (size_t i = 0; i < SKR_SPREAD_FIELD_COUNT; i++) {
        if (strcmp(field, field_name[i]) == 0) {
            ret->field = (enum skr_spread_field)i;
        }
    }
    return 0;
}

static int read_constraints(struct skr_arena *arena, json_t *placement,
                            struct skr_binding_placement *ret, struct skr_error *error)
{
    static const struct skr_field_path array = {
        .up = &placement_path, .key = "spreadConstraints", .index = SKR_FIELD_NO_INDEX};
    json_t *list = NULL;
    int rc = skr_field_array(placement, &placement_path, "spreadConstraints",
                             SKR_BINDING_PLACEMENT_CONSTRAINTS_MAX, &list, error);
    if (rc < 0) {
        return rc;
    }
    ret->constraint = skr_arena_array(arena, json_array_size(list), sizeof *ret->constraint);
    if (!ret->constraint) {
        return no_room(error);
    }
    for (size_t i = 0; i < json_array_size(list); i++) {
        struct skr_field_path path = {
            .up = &placement_path, .key = "spreadConstraints", .index = i};
        json_t *entry = NULL;
        if ((rc = skr_field_entry(list, &array, i, &entry, error)) < 0 ||
            (rc = read_constraint(arena, entry, &path, &ret->constraint[i], error)) < 0) {
            return rc;
        }
        ret->n_constraints++;
    }
    return 0;
}

/* ---- how replicas are divided ---- */

static const struct skr_field_path scheduling_path = {
    .up = &placement_path, .key = "replicaScheduling", .index = SKR_FIELD_NO_INDEX};
static const struct skr_field_path preference_path = {
    .up = &scheduling_path, .key = "weightPreference", .index = SKR_FIELD_NO_INDEX};

static int read_weights(struct skr_arena *arena, json_t *preference,
                        struct skr_binding_placement *ret, struct skr_error *error)
{
    static const struct skr_field_path array = {
        .up = &preference_path, .key = "staticWeightList", .index = SKR_FIELD_NO_INDEX};
    json_t *list = NULL;
    int rc = skr_field_array(preference, &preference_path, "staticWeightList",
                             SKR_BINDING_PLACEMENT_WEIGHTS_MAX, &list, error);
    if (rc < 0) {
        return rc;
    }
    ret->weight = skr_arena_array(arena, json_array_size(list), sizeof *ret->weight);
    if (!ret->weight) {
        return no_room(error);
    }
    for (size_t i = 0; i < json_array_size(list); i++) {
        struct skr_field_path path = {
            .up = &preference_path, .key = "staticWeightList", .index = i};
        struct skr_field_path target = {
            .up = &path, .key = "targetCluster", .index = SKR_FIELD_NO_INDEX};
        struct skr_static_weight *rule = &ret->weight[i];
        json_t *entry = NULL;
        json_t *affinity = NULL;
        if ((rc = skr_field_entry(list, &array, i, &entry, error)) < 0 ||
            (rc = skr_field_object(entry, &path, "targetCluster", &affinity, error)) < 0 ||
            (rc = skr_cluster_affinity_decode(arena, affinity, &target, &rule->affinity, error)) <
                0) {
            return rc;
        }
        json_t *weight = json_object_get(entry, "weight");
        if (weight && !json_is_null(weight) && !json_is_integer(weight)) {
            return skr_field_set_type_error(&path, "weight", "an integer", weight, error);
        }
        rule->weight = json_integer_value(weight);
        ret->n_weights++;
    }
    return 0;
}

static enum skr_division_kind kind_of(const char *type, const char *preference, bool dynamic)
{
    if (strcmp(type, "Duplicated") == 0) {
        return SKR_DIVISION_DUPLICATED;
    }
    if (type[0] != '\0' && strcmp(type, "Divided") != 0) {
        return SKR_DIVISION_UNSUPPORTED;
    }
    if (strcmp(preference, "Aggregated") == 0) {
        return SKR_DIVISION_AGGREGATED;
    }
    if (preference[0] != '\0' && strcmp(preference, "Weighted") != 0) {
        return SKR_DIVISION_UNSUPPORTED;
    }
    return dynamic ? SKR_DIVISION_DYNAMIC : SKR_DIVISION_STATIC;
}

static int read_strategy(struct skr_arena *arena, json_t *placement,
                         struct skr_binding_placement *ret, struct skr_error *error)
{
    json_t *scheduling = NULL;
    json_t *preference = NULL;
    const char *type = "";
    const char *division = "";
    const char *dynamic = "";
    int rc = skr_field_object(placement, &placement_path, "replicaScheduling", &scheduling, error);
    ret->strategy = "Duplicated";
    if (rc < 0 || !scheduling) {
        return rc;
    }
    if ((rc = skr_field_string(scheduling, &scheduling_path, "replicaSchedulingType", &type,
                               error)) < 0 ||
        (rc = skr_field_string(scheduling, &scheduling_path, "replicaDivisionPreference", &division,
                               error)) < 0 ||
        (rc = skr_field_object(scheduling, &scheduling_path, "weightPreference", &preference,
                               error)) < 0 ||
        (rc = skr_field_string(preference, &preference_path, "dynamicWeight", &dynamic, error)) <
            0 ||
        (rc = read_weights(arena, preference, ret, error)) < 0) {
        return rc;
    }
    size_t size = strlen(type) + strlen(division) + 2;
    char *text = skr_arena_array(arena, size, 1);
    if (!text) {
        return no_room(error);
    }
    snprintf(text, size, "%s%s%s", type, division[0] != '\0' ? "/" : "", division);
    ret->strategy = text;
    ret->kind = kind_of(type, division, dynamic[0] != '\0');
    ret->empty_preference = ret->kind == SKR_DIVISION_STATIC && preference && ret->n_weights == 0;
    return 0;
}

/* ---- what every cluster is compared with ---- */

static size_t size_of(const struct skr_cluster_affinity *affinity)
{
    return affinity->n_labels + affinity->n_fields;
}

static int check_size(size_t n, const char *what, struct skr_error *error)
{
    return n <= SKR_BINDING_PLACEMENT_REQUIREMENTS_MAX
               ? 0
               : skr_field_set_error(&placement_path, what, error, SKR_LIMIT,
                                     "%zu requirements together, limit %d", n,
                                     (int)SKR_BINDING_PLACEMENT_REQUIREMENTS_MAX);
}

static int check_sizes(const struct skr_binding_placement *placement, struct skr_error *error)
{
    size_t n = size_of(&placement->affinity);
    size_t n_weights = 0;
    for (size_t i = 0; i < placement->n_terms; i++) {
        const struct skr_affinity_term *term = &placement->term[i];
        n += size_of(&term->affinity);
        for (size_t k = 0; k < term->n_overflow; k++) {
            n += size_of(&term->overflow[k]);
        }
    }
    for (size_t i = 0; i < placement->n_weights; i++) {
        const struct skr_cluster_affinity *affinity = &placement->weight[i].affinity;
        n_weights += affinity->n_names == 0 ? size_of(affinity) + 1 : 0;
    }
    const int rc = check_size(n, "clusterAffinities", error);
    return rc < 0 ? rc : check_size(n_weights, "replicaScheduling", error);
}

int skr_binding_placement_decode(struct skr_arena *arena, json_t *placement,
                                 struct skr_binding_placement *ret, struct skr_error *error)
{
    static const struct skr_field_path affinity_path = {
        .up = &placement_path, .key = "clusterAffinity", .index = SKR_FIELD_NO_INDEX};
    json_t *affinity = NULL;
    json_t *workload = NULL;
    *ret = (struct skr_binding_placement){.kind = SKR_DIVISION_DUPLICATED};
    int rc = skr_field_object(placement, &placement_path, "clusterAffinity", &affinity, error);
    if (rc < 0) {
        return rc;
    }
    ret->has_affinity = affinity;
    if (affinity && (rc = skr_cluster_affinity_decode(arena, affinity, &affinity_path,
                                                      &ret->affinity, error)) < 0) {
        return rc;
    }
    if ((rc = read_terms(arena, placement, ret, error)) < 0 ||
        (rc = read_tolerations(arena, placement, ret, error)) < 0 ||
        (rc = read_constraints(arena, placement, ret, error)) < 0 ||
        (rc = read_strategy(arena, placement, ret, error)) < 0 ||
        (rc = check_sizes(ret, error)) < 0) {
        return rc;
    }
    rc = skr_field_object(placement, &placement_path, "workloadAffinity", &workload, error);
    ret->has_workload_affinity = workload;
    return rc;
}

/* ---- tolerations ---- */

static bool tolerates(const struct skr_toleration *t, const struct skr_taint *taint)
{
    if (!t->any_effect && t->effect != taint->effect) {
        return false;
    }
    if (t->key[0] != '\0' && strcmp(t->key, taint->key) != 0) {
        return false;
    }
    return t->op == SKR_TOLERATION_EXISTS || strcmp(t->value, taint->value) == 0;
}

bool skr_binding_placement_tolerates(const struct skr_binding_placement *placement,
                                     const struct skr_member_cluster *cluster)
{
    for (size_t i = 0; i < cluster->n_taints; i++) {
        const struct skr_taint *taint = &cluster->taint[i];
        bool tolerated =
            taint->effect != SKR_TAINT_NO_SCHEDULE && taint->effect != SKR_TAINT_NO_EXECUTE;
        for (size_t k = 0; k < placement->n_tolerations && !tolerated; k++) {
            tolerated = tolerates(&placement->toleration[k], taint);
        }
        if (!tolerated) {
            return false;
        }
    }
    return true;
}

size_t skr_binding_placement_find_term(const struct skr_binding_placement *placement,
                                       const char *name)
{
    for (size_t i = 0; i < placement->n_terms; i++) {
        if (strcmp(placement->term[i].name, name) == 0) {
            return i;
        }
    }
    return 0;
}
