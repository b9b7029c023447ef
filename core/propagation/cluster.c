/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A Cluster of Karmada from JSON. Free resources are computed once per object. Amounts are
 * subtracted in thousandths, so fractions are rounded after the subtraction, as in karmada
 * pkg/estimator/client/general.go. Limits: see the header.
 */
#include "core/propagation/cluster.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "topology/base/decimal.h"

enum { PLACE_BYTES_MAX = 253, NANO_PER_MILLI = 1000000 };

/* A name of a place: blank is absent, as no group can be called that. */
static const char *check_place(const struct skr_fields *spec, const char *text, const char *key)
{
    const bool blank = text[strspn(text, " \t\n\v\f\r")] == '\0';
    if (strlen(text) > PLACE_BYTES_MAX) {
        skr_fields_fail(spec, key, SKR_LIMIT, "%zu bytes, limit %d", strlen(text),
                        (int)PLACE_BYTES_MAX);
    }
    return blank ? "" : text;
}

static void read_zones(struct skr_member_cluster *cluster, const struct skr_fields *spec)
{
    const size_t n = skr_fields_texts(spec, "zones", SKR_CLUSTER_ZONES_MAX, &cluster->zone);
    for (size_t i = 0; i < n; i++) {
        const char *zone = check_place(spec, cluster->zone[i], "zones");
        if (zone[0] != '\0') {
            cluster->zone[cluster->n_zones++] = zone;
        }
    }
}

static void read_taints(struct skr_member_cluster *cluster, const struct skr_fields *spec)
{
    const struct skr_fields list = skr_fields_list(spec, "taints", SKR_CLUSTER_TAINTS_MAX);
    cluster->taint = skr_fields_room(&list, list.n, sizeof *cluster->taint);
    for (size_t i = 0; skr_fields_more(&list, i); i++) {
        const struct skr_fields entry = skr_fields_entry(&list, i);
        struct skr_taint *taint = &cluster->taint[cluster->n_taints++];
        taint->key = skr_fields_text(&entry, "key");
        taint->value = skr_fields_text(&entry, "value");
        taint->effect = skr_taint_effect_find(skr_fields_word(&entry, "effect"));
    }
}

static int by_kind(const void *a, const void *b)
{
    const struct skr_served_kind *x = a;
    const struct skr_served_kind *y = b;
    int order = strcmp(x->kind, y->kind);
    return order != 0 ? order : strcmp(x->group_version, y->group_version);
}

static size_t count_kinds(const struct skr_fields *status, const struct skr_fields *groups)
{
    size_t n = 0;
    for (size_t i = 0; skr_fields_more(groups, i); i++) {
        const struct skr_fields group = skr_fields_entry(groups, i);
        n += skr_fields_list(&group, "resources", SKR_CLUSTER_APIS_MAX).n;
    }
    if (n > SKR_CLUSTER_APIS_MAX) {
        skr_fields_fail(status, "apiEnablements", SKR_LIMIT, "%zu kinds, limit %d", n,
                        (int)SKR_CLUSTER_APIS_MAX);
    }
    return n;
}

static void read_group_kinds(struct skr_member_cluster *cluster, const struct skr_fields *group)
{
    const struct skr_fields list = skr_fields_list(group, "resources", SKR_CLUSTER_APIS_MAX);
    const char *version = skr_fields_text(group, "groupVersion");
    for (size_t i = 0; skr_fields_more(&list, i); i++) {
        const struct skr_fields entry = skr_fields_entry(&list, i);
        cluster->kind[cluster->n_kinds++] = (struct skr_served_kind){
            .group_version = version, .kind = skr_fields_text(&entry, "kind")};
    }
}

static void read_kinds(struct skr_member_cluster *cluster, const struct skr_fields *status)
{
    const struct skr_fields groups =
        skr_fields_list(status, "apiEnablements", SKR_CLUSTER_APIS_MAX);
    const size_t n = count_kinds(status, &groups);
    cluster->kind = skr_fields_room(&groups, n, sizeof *cluster->kind);
    for (size_t i = 0; skr_fields_more(&groups, i); i++) {
        const struct skr_fields group = skr_fields_entry(&groups, i);
        read_group_kinds(cluster, &group);
    }
    if (cluster->n_kinds > 1) {
        qsort(cluster->kind, cluster->n_kinds, sizeof *cluster->kind, by_kind);
    }
}

/* ---- resources ---- */

/* Thousandths of what there is nano of, rounded away from zero. */
static skr_int128 milli_of(skr_int128 nano)
{
    return (nano + (nano > 0 ? NANO_PER_MILLI - 1 : 1 - NANO_PER_MILLI)) / NANO_PER_MILLI;
}

static int64_t clamp(skr_int128 amount)
{
    return amount > INT64_MAX ? INT64_MAX : amount < INT64_MIN ? INT64_MIN : (int64_t)amount;
}

static int by_resource_name(const void *a, const void *b)
{
    const struct skr_free_resource *x = a;
    const struct skr_free_resource *y = b;
    return strcmp(x->name, y->name);
}

enum { ALLOCATABLE, ALLOCATED, ALLOCATING, LISTS };
static const char *const list_key[LISTS] = {"allocatable", "allocated", "allocating"};

static int64_t read_free(const struct skr_fields list[LISTS], const char *name)
{
    skr_int128 milli = milli_of(skr_fields_nano(&list[ALLOCATABLE], name));
    for (size_t i = ALLOCATED; i < LISTS; i++) {
        milli -= milli_of(skr_fields_nano(&list[i], name));
    }
    return clamp(strcmp(name, "cpu") == 0 ? milli
                 : milli > 0              ? (milli + 999) / 1000
                                          : milli / 1000);
}

static void read_summary(struct skr_member_cluster *cluster, const struct skr_fields *spec,
                         const struct skr_fields *status)
{
    const struct skr_fields summary = skr_fields_object(status, "resourceSummary");
    struct skr_fields list[LISTS];
    const char *name;
    json_t *value;
    skr_node_models_decode(spec, &summary, &cluster->models);
    if (!summary.json) {
        return;
    }
    cluster->has_summary = true;
    for (size_t i = 0; i < LISTS; i++) {
        list[i] = skr_fields_object(&summary, list_key[i]);
        const size_t n = json_object_size(list[i].json);
        if (n > SKR_CLUSTER_RESOURCES_MAX) {
            skr_fields_fail(&summary, list_key[i], SKR_LIMIT, "%zu resources, limit %d", n,
                            (int)SKR_CLUSTER_RESOURCES_MAX);
        }
    }
    cluster->free =
        skr_fields_room(&summary, json_object_size(list[ALLOCATABLE].json), sizeof *cluster->free);
    if (!cluster->free) {
        return;
    }
    json_object_foreach(list[ALLOCATABLE].json, name, value)
    {
        (void)value;
        cluster->free[cluster->n_free++] = (struct skr_free_resource){
            .name = skr_fields_copy(&summary, name), .amount = read_free(list, name)};
    }
    if (cluster->n_free > 1) {
        qsort(cluster->free, cluster->n_free, sizeof *cluster->free, by_resource_name);
    }
    cluster->free_pods = read_free(list, "pods");
}

/* ---- the object ---- */

static bool read_number(const struct skr_fields *metadata, const struct skr_meta *meta,
                        const char *key, int64_t *ret)
{
    const struct skr_fields annotations = skr_fields_at(metadata, "annotations", NULL);
    const char *text = skr_labels_get(&meta->annotations, key);
    if (text && (!skr_decimal_parse(text, strlen(text), ret) || *ret < 0)) {
        skr_fields_fail(&annotations, key, SKR_INVALID,
                        "must be an integer of 0 or more, got \"%.40s\"", text);
    }
    return text;
}

static void fill(void *object, const struct skr_fields *json)
{
    struct skr_member_cluster *cluster = object;
    const struct skr_fields metadata = skr_fields_object(json, "metadata");
    const struct skr_fields spec = skr_fields_object(json, "spec");
    const struct skr_fields status = skr_fields_object(json, "status");
    if (cluster->meta.name[0] == '\0') {
        skr_fields_fail(&metadata, "name", SKR_INVALID, "missing");
    }
    cluster->generation = json_integer_value(json_object_get(metadata.json, "generation"));
    cluster->has_score =
        read_number(&metadata, &cluster->meta, SKR_ANNOTATION_SCORE, &cluster->score);
    cluster->has_room = read_number(&metadata, &cluster->meta, SKR_ANNOTATION_ROOM, &cluster->room);
    cluster->provider = check_place(&spec, skr_fields_text(&spec, "provider"), "provider");
    cluster->region = check_place(&spec, skr_fields_text(&spec, "region"), "region");
    cluster->pulls = strcmp(skr_fields_word(&spec, "syncMode"), "Pull") == 0;
    read_zones(cluster, &spec);
    read_taints(cluster, &spec);
    read_kinds(cluster, &status);
    read_summary(cluster, &spec, &status);
}

int skr_member_cluster_decode(const json_t *json, void **ret, struct skr_error *error)
{
    return skr_object_decode(json, "cluster", sizeof(struct skr_member_cluster), fill, ret, error);
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
