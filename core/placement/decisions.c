/* SPDX-License-Identifier: Apache-2.0 */
/* PlacementDecision and AddOnPlacementScore. */
#include <stdlib.h>
#include <string.h>

#include "core/placement/objects.h"

/* ---- decisions ---- */

static const char *read_owner(const struct skr_fields *metadata)
{
    const struct skr_fields list = skr_fields_list(metadata, "ownerReferences", SKR_OCM_LIST_MAX);
    const char *uid = "";
    for (size_t i = 0; skr_fields_more(&list, i); i++) {
        const json_t *owner = json_array_get(list.json, i);
        if (json_is_object(owner) && json_is_true(json_object_get(owner, "controller"))) {
            const struct skr_fields entry = skr_fields_entry(&list, i);
            uid = skr_fields_text(&entry, "uid");
        }
    }
    return uid;
}

static void read_clusters(struct skr_placement_decision *d, const struct skr_fields *status)
{
    const struct skr_fields list = skr_fields_list(status, "decisions", SKR_OCM_DECISIONS_MAX);
    size_t n = 0;
    d->cluster = skr_fields_room(&list, list.n, sizeof *d->cluster);
    for (; skr_fields_more(&list, n); n++) {
        const struct skr_fields entry = skr_fields_entry(&list, n);
        d->cluster[n] = skr_fields_text(&entry, "clusterName");
    }
    skr_names_sort(d->cluster, n);
    for (size_t i = 0; i < n; i++) {
        if (d->n == 0 || strcmp(d->cluster[i], d->cluster[d->n - 1]) != 0) {
            d->cluster[d->n++] = d->cluster[i];
        }
    }
}

static void fill_decision(void *object, const struct skr_fields *json)
{
    struct skr_placement_decision *d = object;
    const struct skr_fields metadata = skr_fields_object(json, "metadata");
    const struct skr_fields status = skr_fields_object(json, "status");
    d->placement = skr_labels_get(&d->meta.labels, SKR_OCM "placement");
    d->owner_uid = read_owner(&metadata);
    read_clusters(d, &status);
}

int skr_placement_decision_decode(const json_t *json, void **ret, struct skr_error *error)
{
    return skr_object_decode(json, "PlacementDecision", sizeof(struct skr_placement_decision),
                             fill_decision, ret, error);
}

bool skr_placement_decision_has(const struct skr_placement_decision *decision, const char *cluster)
{
    return skr_names_contain(decision->cluster, decision->n, cluster);
}

/* ---- scores ---- */

struct numbered {
    struct skr_addon_score_item item;
    size_t number;
};

static int by_name(const void *a, const void *b)
{
    const struct numbered *x = a, *y = b;
    int order = strcmp(x->item.name, y->item.name);
    return order != 0 ? order : (x->number > y->number) - (x->number < y->number);
}

static int item_by_name(const void *a, const void *b)
{
    return strcmp(((const struct skr_addon_score_item *)a)->name,
                  ((const struct skr_addon_score_item *)b)->name);
}

/* If a name occurs twice, its first entry counts. */
static void read_items(struct skr_addon_score *s, const struct skr_fields *status)
{
    const struct skr_fields list = skr_fields_list(status, "scores", SKR_OCM_DECISIONS_MAX);
    struct numbered *items = skr_fields_room(&list, list.n, sizeof *items);
    size_t n = 0;
    for (; skr_fields_more(&list, n); n++) {
        const struct skr_fields entry = skr_fields_entry(&list, n);
        items[n].number = n;
        items[n].item.name = skr_fields_text(&entry, "name");
        items[n].item.value = skr_fields_int32(&entry, "value", 0);
    }
    if (n > 1) {
        qsort(items, n, sizeof *items, by_name);
    }
    s->item = skr_fields_room(&list, n, sizeof *s->item);
    for (size_t i = 0; s->item && i < n; i++) {
        if (s->n == 0 || strcmp(items[i].item.name, s->item[s->n - 1].name) != 0) {
            s->item[s->n++] = items[i].item;
        }
    }
}

static void fill_score(void *object, const struct skr_fields *json)
{
    struct skr_addon_score *s = object;
    const struct skr_fields status = skr_fields_object(json, "status");
    s->valid_until = skr_fields_time(&status, "validUntil", &s->expires);
    read_items(s, &status);
}

int skr_addon_score_decode(const json_t *json, void **ret, struct skr_error *error)
{
    return skr_object_decode(json, "AddOnPlacementScore", sizeof(struct skr_addon_score),
                             fill_score, ret, error);
}

bool skr_addon_score_get(const struct skr_addon_score *score, const char *name, int32_t *ret)
{
    const struct skr_addon_score_item wanted = {.name = name};
    const struct skr_addon_score_item *found =
        score->n > 0 ? bsearch(&wanted, score->item, score->n, sizeof *score->item, item_by_name)
                     : NULL;
    if (found) {
        *ret = found->value;
    }
    return found;
}
