/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A Cluster of Karmada from JSON. What is free is computed here, once an object: amounts are
 * subtracted in thousandths, so that fractions are rounded after the subtraction and not before
 * (karmada pkg/estimator/client/general.go subtracts quantities likewise). Limits: see the header.
 */
#include "core/propagation/cluster.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "topology/base/decimal.h"
#include "topology/base/json_field.h"
#include "topology/quantity.h"

static const struct skr_field_path spec_path = {
    .up = NULL, .key = "spec", .index = SKR_FIELD_NO_INDEX};
static const struct skr_field_path status_path = {
    .up = NULL, .key = "status", .index = SKR_FIELD_NO_INDEX};

static int no_room(struct skr_error *error)
{
    return skr_error_set(error, SKR_LIMIT, "cluster: larger than %d bytes decoded",
                         (int)SKR_OBJECT_BYTES_MAX);
}

static int copy_text(struct skr_arena *arena, const char *text, const char **ret,
                     struct skr_error *error)
{
    *ret = skr_arena_strdup(arena, text);
    return *ret ? 0 : no_room(error);
}

/* A name of a place: blank is absent, as no group can be called that. */
static int copy_place(struct skr_arena *arena, const char *text, const char *what, const char **ret,
                      struct skr_error *error)
{
    bool blank = text[strspn(text, " \t\n\v\f\r")] == '\0';
    if (strlen(text) > 253) {
        return skr_error_set_key(error, SKR_LIMIT, what, "%zu bytes, limit 253", strlen(text));
    }
    return copy_text(arena, blank ? "" : text, ret, error);
}

static int read_zones(struct skr_member_cluster *cluster, const json_t *spec,
                      struct skr_error *error)
{
    json_t *list = NULL;
    int rc = skr_field_array(spec, &spec_path, "zones", SKR_CLUSTER_ZONES_MAX, &list, error);
    if (rc < 0) {
        return rc;
    }
    size_t n = json_array_size(list);
    cluster->zone = skr_arena_array(cluster->arena, n, sizeof *cluster->zone);
    if (!cluster->zone) {
        return no_room(error);
    }
    for (size_t i = 0; i < n; i++) {
        const json_t *value = json_array_get(list, i);
        struct skr_field_path path = {.up = &spec_path, .key = "zones", .index = i};
        const char *zone = "";
        if (!json_is_string(value)) {
            return skr_field_set_type_error(&path, NULL, "a string", value, error);
        }
        rc = copy_place(cluster->arena, json_string_value(value), "spec.zones", &zone, error);
        if (rc < 0) {
            return rc;
        }
        if (zone[0] != '\0') {
            cluster->zone[cluster->n_zones++] = zone;
        }
    }
    return 0;
}

static enum skr_taint_effect effect_of(const char *text)
{
    static const char *const name[] = {
        [SKR_TAINT_NO_SCHEDULE] = "NoSchedule",
        [SKR_TAINT_NO_EXECUTE] = "NoExecute",
        [SKR_TAINT_PREFER_NO_SCHEDULE] = "PreferNoSchedule",
    };
    for (size_t i = 0; i < sizeof name / sizeof name[0]; i++) {
        if (strcmp(text, name[i]) == 0) {
            return (enum skr_taint_effect)i;
        }
    }
    return SKR_TAINT_OTHER;
}

static int read_taints(struct skr_member_cluster *cluster, const json_t *spec,
                       struct skr_error *error)
{
    static const struct skr_field_path array = {
        .up = &spec_path, .key = "taints", .index = SKR_FIELD_NO_INDEX};
    json_t *list = NULL;
    int rc = skr_field_array(spec, &spec_path, "taints", SKR_CLUSTER_TAINTS_MAX, &list, error);
    if (rc < 0) {
        return rc;
    }
    cluster->taint = skr_arena_array(cluster->arena, json_array_size(list), sizeof *cluster->taint);
    if (!cluster->taint) {
        return no_room(error);
    }
    for (size_t i = 0; i < json_array_size(list); i++) {
        struct skr_field_path path = {.up = &spec_path, .key = "taints", .index = i};
        struct skr_taint *taint = &cluster->taint[i];
        json_t *entry = NULL;
        const char *key = "";
        const char *value = "";
        const char *effect = "";
        if ((rc = skr_field_entry(list, &array, i, &entry, error)) < 0 ||
            (rc = skr_field_string(entry, &path, "key", &key, error)) < 0 ||
            (rc = skr_field_string(entry, &path, "value", &value, error)) < 0 ||
            (rc = skr_field_string(entry, &path, "effect", &effect, error)) < 0 ||
            (rc = copy_text(cluster->arena, key, &taint->key, error)) < 0 ||
            (rc = copy_text(cluster->arena, value, &taint->value, error)) < 0) {
            return rc;
        }
        taint->effect = effect_of(effect);
        cluster->n_taints++;
    }
    return 0;
}

static int by_kind(const void *a, const void *b)
{
    const struct skr_served_kind *x = a;
    const struct skr_served_kind *y = b;
    int order = strcmp(x->kind, y->kind);
    return order != 0 ? order : strcmp(x->group_version, y->group_version);
}

static int count_kinds(json_t *groups, size_t *ret, struct skr_error *error)
{
    static const struct skr_field_path array = {
        .up = &status_path, .key = "apiEnablements", .index = SKR_FIELD_NO_INDEX};
    size_t n = 0;
    for (size_t i = 0; i < json_array_size(groups); i++) {
        struct skr_field_path path = {.up = &status_path, .key = "apiEnablements", .index = i};
        json_t *group = NULL;
        json_t *list = NULL;
        int rc = skr_field_entry(groups, &array, i, &group, error);
        if (rc < 0 || (rc = skr_field_array(group, &path, "resources", SKR_CLUSTER_APIS_MAX, &list,
                                            error)) < 0) {
            return rc;
        }
        n += json_array_size(list);
    }
    if (n > SKR_CLUSTER_APIS_MAX) {
        return skr_error_set_key(error, SKR_LIMIT, "status.apiEnablements", "%zu kinds, limit %d",
                                 n, (int)SKR_CLUSTER_APIS_MAX);
    }
    *ret = n;
    return 0;
}

static int read_group_kinds(struct skr_member_cluster *cluster, const json_t *group,
                            const struct skr_field_path *path, struct skr_error *error)
{
    struct skr_field_path array = {.up = path, .key = "resources", .index = SKR_FIELD_NO_INDEX};
    json_t *list = json_object_get(group, "resources");
    const char *text = "";
    const char *version = "";
    int rc = skr_field_string(group, path, "groupVersion", &text, error);
    if (rc < 0 || (rc = copy_text(cluster->arena, text, &version, error)) < 0) {
        return rc;
    }
    for (size_t i = 0; i < json_array_size(list); i++) {
        struct skr_field_path place = {.up = path, .key = "resources", .index = i};
        struct skr_served_kind *kind = &cluster->kind[cluster->n_kinds];
        json_t *entry = NULL;
        if ((rc = skr_field_entry(list, &array, i, &entry, error)) < 0 ||
            (rc = skr_field_string(entry, &place, "kind", &text, error)) < 0 ||
            (rc = copy_text(cluster->arena, text, &kind->kind, error)) < 0) {
            return rc;
        }
        kind->group_version = version;
        cluster->n_kinds++;
    }
    return 0;
}

static int read_kinds(struct skr_member_cluster *cluster, const json_t *status,
                      struct skr_error *error)
{
    json_t *groups = NULL;
    size_t n = 0;
    int rc = skr_field_array(status, &status_path, "apiEnablements", SKR_CLUSTER_APIS_MAX, &groups,
                             error);
    if (rc < 0 || (rc = count_kinds(groups, &n, error)) < 0) {
        return rc;
    }
    cluster->kind = skr_arena_array(cluster->arena, n, sizeof *cluster->kind);
    if (!cluster->kind) {
        return no_room(error);
    }
    for (size_t i = 0; i < json_array_size(groups); i++) {
        struct skr_field_path path = {.up = &status_path, .key = "apiEnablements", .index = i};
        rc = read_group_kinds(cluster, json_array_get(groups, i), &path, error);
        if (rc < 0) {
            return rc;
        }
    }
    if (cluster->n_kinds > 1) {
        qsort(cluster->kind, cluster->n_kinds, sizeof *cluster->kind, by_kind);
    }
    return 0;
}

/* ---- resources ---- */

enum { NANO_PER_MILLI = 1000000 };

/* A quantity in thousandths, rounded away from zero. */
static int read_milli(const json_t *list, const struct skr_field_path *path, const char *name,
                      skr_int128 *ret, struct skr_error *error)
{
    const json_t *value = json_object_get(list, name);
    skr_int128 nano = 0;
    *ret = 0;
    if (!value || json_is_null(value)) {
        return 0;
    }
    if (!json_is_string(value) && !json_is_number(value)) {
        return skr_field_set_type_error(path, name, "a quantity", value, error);
    }
    /* A number as its shortest text: 17 digits would show 0.1 as 0.10000000000000001. */
    char *number =
        json_is_number(value) ? json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(15)) : NULL;
    if (json_is_number(value) && !number) {
        return skr_error_set_key(error, SKR_NO_MEMORY, name, "out of memory");
    }
    const char *text = number ? number : json_string_value(value);
    int rc = skr_quantity_parse_nano(text, &nano, error);
    *ret = (nano + (nano > 0 ? NANO_PER_MILLI - 1 : 1 - NANO_PER_MILLI)) / NANO_PER_MILLI;
    free(number);
    return rc < 0 ? skr_field_prefix(path, name, error) : 0;
}

static int64_t whole_units(skr_int128 milli)
{
    skr_int128 whole = milli > 0 ? (milli + 999) / 1000 : milli / 1000;
    return whole > INT64_MAX ? INT64_MAX : whole < INT64_MIN ? INT64_MIN : (int64_t)whole;
}

static int by_resource_name(const void *a, const void *b)
{
    const struct skr_free_resource *x = a;
    const struct skr_free_resource *y = b;
    return strcmp(x->name, y->name);
}

static int read_free(json_t *const list[3], const struct skr_field_path path[3], const char *name,
                     int64_t *ret, struct skr_error *error)
{
    skr_int128 milli = 0;
    for (size_t i = 0; i < 3; i++) {
        skr_int128 amount = 0;
        int rc = read_milli(list[i], &path[i], name, &amount, error);
        if (rc < 0) {
            return rc;
        }
        milli = i == 0 ? amount : milli - amount;
    }
    *ret = strcmp(name, "cpu") == 0
               ? (milli > INT64_MAX ? INT64_MAX : (milli < INT64_MIN ? INT64_MIN : (int64_t)milli))
               : whole_units(milli);
    return 0;
}

static int read_summary(struct skr_member_cluster *cluster, const json_t *status,
                        struct skr_error *error)
{
    static const struct skr_field_path summary_path = {
        .up = &status_path, .key = "resourceSummary", .index = SKR_FIELD_NO_INDEX};
    static const struct skr_field_path path[3] = {
        {.up = &summary_path, .key = "allocatable", .index = SKR_FIELD_NO_INDEX},
        {.up = &summary_path, .key = "allocated", .index = SKR_FIELD_NO_INDEX},
        {.up = &summary_path, .key = "allocating", .index = SKR_FIELD_NO_INDEX}};
    json_t *list[3] = {NULL, NULL, NULL};
    json_t *summary = NULL;
    const char *name;
    json_t *value;
    int rc = skr_field_object(status, &status_path, "resourceSummary", &summary, error);
    if (rc < 0 || !summary) {
        return rc;
    }
    cluster->has_summary = true;
    cluster->has_models = json_array_size(json_object_get(summary, "allocatableModelings")) > 0;
    for (size_t i = 0; i < 3; i++) {
        rc = skr_field_object(summary, &summary_path, path[i].key, &list[i], error);
        if (rc < 0) {
            return rc;
        }
        if (json_object_size(list[i]) > SKR_CLUSTER_RESOURCES_MAX) {
            return skr_field_set_error(&summary_path, path[i].key, error, SKR_LIMIT,
                                       "%zu resources, limit %d", json_object_size(list[i]),
                                       (int)SKR_CLUSTER_RESOURCES_MAX);
        }
    }
    cluster->free =
        skr_arena_array(cluster->arena, json_object_size(list[0]), sizeof *cluster->free);
    if (!cluster->free) {
        return no_room(error);
    }
    json_object_foreach(list[0], name, value)
    {
        struct skr_free_resource *one = &cluster->free[cluster->n_free++];
        (void)value;
        if ((rc = read_free(list, path, name, &one->amount, error)) < 0 ||
            (rc = copy_text(cluster->arena, name, &one->name, error)) < 0) {
            return rc;
        }
    }
    if (cluster->n_free > 1) {
        qsort(cluster->free, cluster->n_free, sizeof *cluster->free, by_resource_name);
    }
    return read_free(list, path, "pods", &cluster->free_pods, error);
}

/* ---- the object ---- */

static int read_number(const struct skr_meta *meta, const char *key, bool *ret_there, int64_t *ret,
                       struct skr_error *error)
{
    const char *text = skr_labels_get(&meta->annotations, key);
    *ret_there = text;
    if (!text) {
        return 0;
    }
    if (!skr_decimal_parse(text, strlen(text), ret) || *ret < 0) {
        (void)skr_error_set_key(error, SKR_INVALID, key,
                                "must be an integer of 0 or more, got \"%.40s\"", text);
        return skr_error_under(error, "metadata.annotations");
    }
    return 0;
}

static int read_spec(struct skr_member_cluster *cluster, const json_t *json,
                     struct skr_error *error)
{
    json_t *spec = NULL;
    const char *text = "";
    int rc = skr_field_object(json, NULL, "spec", &spec, error);
    if (rc < 0) {
        return rc;
    }
    if ((rc = skr_field_string(spec, &spec_path, "provider", &text, error)) < 0 ||
        (rc = copy_place(cluster->arena, text, "spec.provider", &cluster->provider, error)) < 0 ||
        (rc = skr_field_string(spec, &spec_path, "region", &text, error)) < 0 ||
        (rc = copy_place(cluster->arena, text, "spec.region", &cluster->region, error)) < 0 ||
        (rc = read_zones(cluster, spec, error)) < 0) {
        return rc;
    }
    return read_taints(cluster, spec, error);
}

static int read_all(struct skr_member_cluster *cluster, const json_t *json, struct skr_error *error)
{
    json_t *status = NULL;
    int rc = skr_meta_decode(cluster->arena, json, NULL, &cluster->meta, error);
    if (rc < 0) {
        return rc;
    }
    if (cluster->meta.name[0] == '\0') {
        return skr_error_set_key(error, SKR_INVALID, "metadata.name", "missing");
    }
    cluster->generation =
        json_integer_value(json_object_get(json_object_get(json, "metadata"), "generation"));
    if ((rc = read_number(&cluster->meta, SKR_ANNOTATION_SCORE, &cluster->has_score,
                          &cluster->score, error)) < 0 ||
        (rc = read_number(&cluster->meta, SKR_ANNOTATION_ROOM, &cluster->has_room, &cluster->room,
                          error)) < 0 ||
        (rc = read_spec(cluster, json, error)) < 0 ||
        (rc = skr_field_object(json, NULL, "status", &status, error)) < 0 ||
        (rc = read_kinds(cluster, status, error)) < 0) {
        return rc;
    }
    return read_summary(cluster, status, error);
}

int skr_member_cluster_decode(const json_t *json, struct skr_member_cluster **ret,
                              struct skr_error *error)
{
    struct skr_arena *arena = skr_arena_create(SKR_OBJECT_BYTES_MAX, 0);
    struct skr_member_cluster *cluster = arena ? skr_arena_alloc(arena, sizeof *cluster) : NULL;
    if (!cluster) {
        skr_arena_destroy(arena);
        return skr_error_set(error, SKR_NO_MEMORY, "cluster: out of memory");
    }
    cluster->arena = arena;
    int rc = read_all(cluster, json, error);
    if (rc < 0) {
        skr_arena_destroy(arena);
        return rc;
    }
    *ret = cluster;
    return 0;
}

void skr_member_cluster_destroy(struct skr_member_cluster *cluster)
{
    if (cluster) {
        skr_arena_destroy(cluster->arena);
    }
}

bool skr_member_cluster_serves(const struct skr_member_cluster *cluster, const char *group_version,
                               const char *kind)
{
    const struct skr_served_kind key = {group_version, kind};
    return cluster->n_kinds > 0 &&
           bsearch(&key, cluster->kind, cluster->n_kinds, sizeof key, by_kind);
}

const struct skr_free_resource *skr_member_cluster_free(const struct skr_member_cluster *cluster,
                                                        const char *resource)
{
    const struct skr_free_resource key = {.name = resource};
    return cluster->n_free == 0
               ? NULL
               : bsearch(&key, cluster->free, cluster->n_free, sizeof key, by_resource_name);
}
