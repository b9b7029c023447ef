/* SPDX-License-Identifier: Apache-2.0 */
/* ManagedCluster: labels, claims, taints, exact resources. */
#include <stdlib.h>
#include <string.h>

#include "core/placement/cluster_cel.h"
#include "topology/base/decimal.h"

static void read_taints(struct skr_managed_cluster *c, const struct skr_fields *spec)
{
    const struct skr_fields list = skr_fields_list(spec, "taints", SKR_OCM_LIST_MAX);
    c->taint = skr_fields_room(&list, list.n, sizeof *c->taint);
    for (size_t i = 0; skr_fields_more(&list, i); i++) {
        const struct skr_fields entry = skr_fields_entry(&list, i);
        struct skr_cluster_taint *t = &c->taint[c->n_taints++];
        t->key = skr_fields_text(&entry, "key");
        t->value = skr_fields_text(&entry, "value");
        t->effect = skr_fields_text(&entry, "effect");
        t->added = skr_fields_time(&entry, "timeAdded", &t->has_time);
    }
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

/* If a name occurs twice, its last entry counts, as in OCM's own controller. */
static void read_claims(struct skr_managed_cluster *c, const struct skr_fields *status)
{
    const struct skr_fields list = skr_fields_list(status, "clusterClaims", SKR_OCM_VALUES_MAX);
    struct numbered *claim = skr_fields_room(&list, list.n, sizeof *claim);
    size_t n = 0;
    for (; skr_fields_more(&list, n); n++) {
        const struct skr_fields entry = skr_fields_entry(&list, n);
        claim[n].number = n;
        claim[n].claim.key = skr_fields_text(&entry, "name");
        claim[n].claim.value = skr_fields_text(&entry, "value");
    }
    if (n > 1) {
        qsort(claim, n, sizeof *claim, by_key);
    }
    c->claims.item = skr_fields_room(&list, n, sizeof *c->claims.item);
    for (size_t i = 0; c->claims.item && i < n; i++) {
        if (i + 1 == n || strcmp(claim[i].claim.key, claim[i + 1].claim.key) != 0) {
            c->claims.item[c->claims.n++] = claim[i].claim;
        }
    }
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct skr_cluster_amount *)a)->name,
                  ((const struct skr_cluster_amount *)b)->name);
}

static void read_amounts(const struct skr_fields *status, const char *key,
                         struct skr_cluster_amounts *ret)
{
    const struct skr_fields map = skr_fields_object(status, key);
    const size_t n = json_object_size(map.json);
    const char *name;
    json_t *value;
    if (n > SKR_OCM_LIST_MAX) {
        skr_fields_fail(status, key, SKR_LIMIT, "%zu resources, limit %d", n, SKR_OCM_LIST_MAX);
    }
    ret->item = skr_fields_room(&map, n, sizeof *ret->item);
    if (!ret->item) {
        return;
    }
    json_object_foreach(map.json, name, value)
    {
        if (!json_is_null(value)) {
            struct skr_cluster_amount *item = &ret->item[ret->n++];
            item->nano = skr_fields_nano(&map, name);
            item->name = skr_fields_copy(&map, name);
        }
    }
    if (ret->n > 1) {
        qsort(ret->item, ret->n, sizeof *ret->item, by_name);
    }
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

static void fill(void *object, const struct skr_fields *json)
{
    struct skr_managed_cluster *c = object;
    const struct skr_fields spec = skr_fields_object(json, "spec");
    const struct skr_fields status = skr_fields_object(json, "status");
    const char *total = skr_labels_get(&c->meta.annotations, SKR_TOTAL_SCORE_KEY);
    c->has_total = total && skr_decimal_parse(total, strlen(total), &c->total);
    read_taints(c, &spec);
    read_claims(c, &status);
    read_amounts(&status, "allocatable", &c->allocatable);
    read_amounts(&status, "capacity", &c->capacity);
    skr_cluster_object_read(c, json);
}

int skr_managed_cluster_decode(const json_t *json, void **ret, struct skr_error *error)
{
    return skr_object_decode(json, "ManagedCluster", sizeof(struct skr_managed_cluster), fill, ret,
                             error);
}
