/* SPDX-License-Identifier: Apache-2.0 */
/* ManagedCluster: labels, claims, taints, exact resources. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/placement/decode.h"
#include "topology/base/decimal.h"
#include "topology/quantity.h"

static int decode_taints(struct skr_managed_cluster *c, const json_t *spec, struct skr_error *error)
{
    json_t *list = NULL;
    void *room;
    SKR_FIELD(path, NULL, "spec");
    SKR_FIELD(all, &path, "taints");
    int rc = spec ? skr_ocm_list(c->arena, spec, &path, "taints", SKR_OCM_LIST_MAX,
                                 sizeof *c->taint, &list, &room, error)
                  : 0;
    if (rc < 0 || !list) {
        return rc;
    }
    c->taint = room;
    for (size_t i = 0; i < json_array_size(list); i++) {
        SKR_FIELD_AT(at, &path, "taints", i);
        struct skr_cluster_taint *t = &c->taint[c->n_taints++];
        json_t *entry;
        if ((rc = skr_field_entry(list, &all, i, &entry, error)) < 0 ||
            (rc = skr_ocm_string(c->arena, entry, &at, "key", &t->key, error)) < 0 ||
            (rc = skr_ocm_string(c->arena, entry, &at, "value", &t->value, error)) < 0 ||
            (rc = skr_ocm_string(c->arena, entry, &at, "effect", &t->effect, error)) < 0 ||
            (rc = skr_ocm_time(entry, &at, "timeAdded", &t->has_time, &t->added, error)) < 0) {
            return rc;
        }
    }
    return 0;
}

struct numbered {
    struct skr_label claim;
    size_t number;
};

static int by_key(const void *a, const void *b)
{
    const struct numbered *x = a, *y = b;
    int order = strcmp(x->claim.key, y->claim.key);
    return order != 0 ? order : (x->number > y->number) - (x->number < y->number);
}

/* Of a name that comes twice, the last counts, as in OCM's own controller. */
static int decode_claims(struct skr_managed_cluster *c, const json_t *status,
                         struct skr_error *error)
{
    json_t *list;
    void *room;
    SKR_FIELD(path, NULL, "status");
    SKR_FIELD(all, &path, "clusterClaims");
    int rc = skr_ocm_list(c->arena, status, &path, "clusterClaims", SKR_OCM_VALUES_MAX,
                          sizeof(struct numbered), &list, &room, error);
    struct numbered *claim = room;
    const size_t n = rc == 0 ? json_array_size(list) : 0;
    for (size_t i = 0; rc == 0 && i < n; i++) {
        SKR_FIELD_AT(at, &path, "clusterClaims", i);
        json_t *entry;
        claim[i].number = i;
        if ((rc = skr_field_entry(list, &all, i, &entry, error)) == 0 &&
            (rc = skr_ocm_string(c->arena, entry, &at, "name", &claim[i].claim.key, error)) == 0) {
            rc = skr_ocm_string(c->arena, entry, &at, "value", &claim[i].claim.value, error);
        }
    }
    if (rc < 0 || n == 0) {
        return rc;
    }
    qsort(claim, n, sizeof *claim, by_key);
    c->claims.item = skr_arena_array(c->arena, n, sizeof *c->claims.item);
    if (!c->claims.item) {
        return skr_ocm_no_room(error);
    }
    for (size_t i = 0; i < n; i++) {
        if (i + 1 == n || strcmp(claim[i].claim.key, claim[i + 1].claim.key) != 0) {
            c->claims.item[c->claims.n++] = claim[i].claim;
        }
    }
    return 0;
}

/* A JSON number is taken as its shortest text, as the API server's int-or-string does. */
static int decode_amount(const json_t *value, const struct skr_field_path *path, const char *key,
                         skr_int128 *ret, struct skr_error *error)
{
    int rc;
    if (json_is_string(value)) {
        rc = skr_quantity_parse_nano(json_string_value(value), ret, error);
    } else if (json_is_number(value)) {
        char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(15));
        rc = text ? skr_quantity_parse_nano(text, ret, error)
                  : skr_error_set(error, SKR_NO_MEMORY, "no memory");
        free(text);
    } else {
        return skr_field_set_type_error(path, key, "a quantity", value, error);
    }
    return rc < 0 ? skr_field_prefix(path, key, error) : 0;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct skr_cluster_amount *)a)->name,
                  ((const struct skr_cluster_amount *)b)->name);
}

static int decode_amounts(struct skr_managed_cluster *c, const json_t *status, const char *key,
                          struct skr_cluster_amounts *ret, struct skr_error *error)
{
    json_t *map, *value;
    const char *name;
    SKR_FIELD(up, NULL, "status");
    SKR_FIELD(path, &up, key);
    int rc = skr_field_object(status, &up, key, &map, error);
    if (rc < 0 || json_object_size(map) == 0) {
        return rc;
    }
    if (json_object_size(map) > SKR_OCM_LIST_MAX) {
        return skr_field_set_error(&up, key, error, SKR_LIMIT, "%zu resources, limit %d",
                                   json_object_size(map), SKR_OCM_LIST_MAX);
    }
    ret->item = skr_arena_array(c->arena, json_object_size(map), sizeof *ret->item);
    if (!ret->item) {
        return skr_ocm_no_room(error);
    }
    json_object_foreach(map, name, value)
    {
        if (json_is_null(value)) {
            continue;
        }
        struct skr_cluster_amount *item = &ret->item[ret->n++];
        if ((rc = decode_amount(value, &path, name, &item->nano, error)) < 0) {
            return rc;
        }
        item->name = skr_arena_strdup(c->arena, name);
        if (!item->name) {
            return skr_ocm_no_room(error);
        }
    }
    qsort(ret->item, ret->n, sizeof *ret->item, by_name);
    return 0;
}

const skr_int128 *skr_cluster_amount_get(const struct skr_cluster_amounts *amounts,
                                         const char *name)
{
    const struct skr_cluster_amount wanted = {.name = name};
    const struct skr_cluster_amount *found =
        amounts->n > 0 ? bsearch(&wanted, amounts->item, amounts->n, sizeof *amounts->item, by_name)
                       : NULL;
    return found ? &found->nano : NULL;
}

static int decode(struct skr_managed_cluster *c, const json_t *json, struct skr_error *error)
{
    json_t *spec = NULL, *status = NULL;
    int rc;
    if ((rc = skr_meta_decode(c->arena, json, NULL, &c->meta, error)) < 0 ||
        (rc = skr_ocm_part(json, "spec", &spec, error)) < 0 ||
        (rc = skr_ocm_part(json, "status", &status, error)) < 0 ||
        (rc = decode_taints(c, spec, error)) < 0) {
        return rc;
    }
    const char *total = skr_labels_get(&c->meta.annotations, SKR_TOTAL_SCORE_KEY);
    c->has_total = total && skr_decimal_parse(total, strlen(total), &c->total);
    if (!status || (rc = decode_claims(c, status, error)) < 0 ||
        (rc = decode_amounts(c, status, "allocatable", &c->allocatable, error)) < 0) {
        return rc;
    }
    return decode_amounts(c, status, "capacity", &c->capacity, error);
}

int skr_managed_cluster_decode(const json_t *json, struct skr_managed_cluster **ret,
                               struct skr_error *error)
{
    void *cluster;
    int rc = skr_ocm_object_create(sizeof **ret, &cluster, error);
    if (rc == 0 && (rc = decode(cluster, json, error)) < 0) {
        skr_managed_cluster_destroy(cluster);
    } else if (rc == 0) {
        *ret = cluster;
    }
    return rc;
}

void skr_managed_cluster_destroy(struct skr_managed_cluster *cluster)
{
    skr_arena_destroy(cluster ? cluster->arena : NULL);
}
