/* SPDX-License-Identifier: Apache-2.0 */
/* PlacementDecision and AddOnPlacementScore. */
#include <stdlib.h>
#include <string.h>

#include "core/placement/decode.h"

/* ---- decisions ---- */

static int decode_owner(struct skr_placement_decision *d, const json_t *json,
                        struct skr_error *error)
{
    const json_t *metadata = json_object_get(json, "metadata"), *owner;
    json_t *owners;
    size_t i;
    SKR_FIELD(path, NULL, "metadata");
    int rc = skr_field_array(metadata, &path, "ownerReferences", SKR_OCM_LIST_MAX, &owners, error);
    d->owner_uid = "";
    json_array_foreach(owners, i, owner)
    {
        if (rc == 0 && json_is_object(owner) &&
            json_is_true(json_object_get(owner, "controller"))) {
            SKR_FIELD_AT(at, &path, "ownerReferences", i);
            rc = skr_ocm_string(d->arena, owner, &at, "uid", &d->owner_uid, error);
        }
    }
    return rc;
}

static int decode_clusters(struct skr_placement_decision *d, const json_t *status,
                           struct skr_error *error)
{
    json_t *list;
    void *room;
    SKR_FIELD(path, NULL, "status");
    SKR_FIELD(all, &path, "decisions");
    int rc = skr_ocm_list(d->arena, status, &path, "decisions", SKR_OCM_DECISIONS_MAX,
                          sizeof *d->cluster, &list, &room, error);
    d->cluster = room;
    for (size_t i = 0; rc == 0 && i < json_array_size(list); i++) {
        SKR_FIELD_AT(at, &path, "decisions", i);
        json_t *entry;
        if ((rc = skr_field_entry(list, &all, i, &entry, error)) == 0) {
            rc = skr_ocm_string(d->arena, entry, &at, "clusterName", &d->cluster[d->n++], error);
        }
    }
    if (rc < 0 || d->n < 2) {
        return rc;
    }
    qsort(d->cluster, d->n, sizeof *d->cluster, skr_ocm_compare_strings);
    size_t n = 1;
    for (size_t i = 1; i < d->n; i++) {
        if (strcmp(d->cluster[i], d->cluster[n - 1]) != 0) {
            d->cluster[n++] = d->cluster[i];
        }
    }
    d->n = n;
    return 0;
}

int skr_placement_decision_decode(const json_t *json, struct skr_placement_decision **ret,
                                  struct skr_error *error)
{
    void *room;
    json_t *status = NULL;
    int rc = skr_ocm_object_create(sizeof **ret, &room, error);
    if (rc < 0) {
        return rc;
    }
    struct skr_placement_decision *d = room;
    if ((rc = skr_meta_decode(d->arena, json, NULL, &d->meta, error)) < 0 ||
        (rc = decode_owner(d, json, error)) < 0 ||
        (rc = skr_ocm_part(json, "status", &status, error)) < 0 ||
        (rc = status ? decode_clusters(d, status, error) : 0) < 0) {
        skr_placement_decision_destroy(d);
        return rc;
    }
    d->placement = skr_labels_get(&d->meta.labels, SKR_OCM "placement");
    *ret = d;
    return 0;
}

void skr_placement_decision_destroy(struct skr_placement_decision *decision)
{
    skr_arena_destroy(decision ? decision->arena : NULL);
}

bool skr_placement_decision_has(const struct skr_placement_decision *decision, const char *cluster)
{
    return decision->n > 0 && bsearch(&cluster, decision->cluster, decision->n,
                                      sizeof *decision->cluster, skr_ocm_compare_strings);
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

/* Of a name that comes twice, the first counts. */
static int decode_items(struct skr_addon_score *s, const json_t *status, struct skr_error *error)
{
    json_t *list;
    void *room;
    SKR_FIELD(path, NULL, "status");
    SKR_FIELD(all, &path, "scores");
    struct numbered *items;
    int rc = skr_ocm_list(s->arena, status, &path, "scores", SKR_OCM_DECISIONS_MAX, sizeof *items,
                          &list, &room, error);
    size_t n = rc == 0 ? json_array_size(list) : 0;
    items = room;
    for (size_t i = 0; rc == 0 && i < n; i++) {
        SKR_FIELD_AT(at, &path, "scores", i);
        json_t *entry;
        items[i].number = i;
        if ((rc = skr_field_entry(list, &all, i, &entry, error)) == 0 &&
            (rc = skr_ocm_string(s->arena, entry, &at, "name", &items[i].item.name, error)) == 0) {
            rc = skr_field_int32(entry, &at, "value", 0, &items[i].item.value, error);
        }
    }
    if (rc < 0 || n == 0) {
        return rc;
    }
    qsort(items, n, sizeof *items, by_name);
    s->item = skr_arena_array(s->arena, n, sizeof *s->item);
    if (!s->item) {
        return skr_ocm_no_room(error);
    }
    for (size_t i = 0; i < n; i++) {
        if (s->n == 0 || strcmp(items[i].item.name, s->item[s->n - 1].name) != 0) {
            s->item[s->n++] = items[i].item;
        }
    }
    return 0;
}

int skr_addon_score_decode(const json_t *json, struct skr_addon_score **ret,
                           struct skr_error *error)
{
    void *room;
    json_t *status = NULL;
    SKR_FIELD(path, NULL, "status");
    int rc = skr_ocm_object_create(sizeof **ret, &room, error);
    if (rc < 0) {
        return rc;
    }
    struct skr_addon_score *s = room;
    if ((rc = skr_meta_decode(s->arena, json, NULL, &s->meta, error)) < 0 ||
        (rc = skr_ocm_part(json, "status", &status, error)) < 0 ||
        (rc = status
                  ? skr_ocm_time(status, &path, "validUntil", &s->expires, &s->valid_until, error)
                  : 0) < 0 ||
        (rc = status ? decode_items(s, status, error) : 0) < 0) {
        skr_addon_score_destroy(s);
        return rc;
    }
    *ret = s;
    return 0;
}

void skr_addon_score_destroy(struct skr_addon_score *score)
{
    skr_arena_destroy(score ? score->arena : NULL);
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
