/* SPDX-License-Identifier: Apache-2.0 */
#include "core/gang/cache/shapes.h"

#include "core/gang/cache/dirty.h"
#include "core/gang/cache/fit_cache.h"
#include "core/gang/cache/pods.h"
#include "topology/base/table.h"

#include <string.h>

struct shape *skr_shapes_get(struct skr_gang *e, const struct skr_pod *pod)
{
    struct shape *s;
    SKR_TABLE_FIND_STR(&e->settings.hash_seed, e->shapes, pod->shape->key, s);
    if (!s) {
        struct skr_pod_overlay nothing = {0};
        s = skr_alloc(sizeof *s);
        s->holder = skr_pod_overlay(pod, &nothing);
        skr_bug_on(!s->holder);
        s->spec = s->holder->shape;
        skr_amounts_resolve(e->resources, &s->spec->requests, &s->amounts);
        SKR_TABLE_ADD(&e->settings.hash_seed, hh, e->shapes, s->spec->key, strlen(s->spec->key), s);
    }
    s->refs++;
    return s;
}

struct shape *skr_shapes_ref(struct shape *s)
{
    s->refs++;
    return s;
}

void skr_shapes_unref(struct skr_gang *e, struct shape *s)
{
    if (!s || --s->refs > 0) {
        return;
    }
    skr_fit_cache_shape_gone(e, s);
    HASH_DEL(e->shapes, s);
    skr_amounts_fini(&s->amounts);
    skr_pod_destroy(s->holder);
    free(s);
}

/* ---- shapes of several pods ---- */

struct shapes skr_shapes_of(struct pod_entry *const *newcomers, size_t n)
{
    struct shapes s = {.n = 0};
    for (size_t i = 0; i < n; i++) {
        size_t j = 0;
        while (j < s.n && s.item[j] != newcomers[i]->shape) {
            j++;
        }
        if (j == s.n && s.n < SHAPES_MAX) {
            s.item[s.n++] = newcomers[i]->shape;
        }
    }
    return s;
}

/* Merges two lists sorted by resource. */
static void add_most(struct skr_amounts *most, const struct skr_amounts *a)
{
    struct skr_amount *item = skr_alloc_array(most->n + a->n, sizeof *item);
    size_t i = 0, j = 0, n = 0;
    while (i < most->n || j < a->n) {
        bool left = j == a->n || (i < most->n && most->item[i].resource <= a->item[j].resource);
        item[n] = left ? most->item[i] : a->item[j];
        bool both = left && j < a->n && a->item[j].resource == item[n].resource;
        if (both && a->item[j].amount > item[n].amount) {
            item[n].amount = a->item[j].amount;
        }
        i += left;
        j += !left || both;
        n++;
    }
    free(most->item);
    *most = (struct skr_amounts){.n = n, .item = item};
}

void skr_shapes_demand(const struct shapes *shapes, struct skr_amounts *ret)
{
    *ret = (struct skr_amounts){0};
    for (size_t i = 0; i < shapes->n; i++) {
        add_most(ret, &shapes->item[i]->amounts);
    }
}

struct skr_quantity_item skr_shapes_absent(const struct skr_gang *e, const struct shapes *shapes)
{
    struct skr_quantity_item first = {NULL, 0};
    for (size_t i = 0; i < shapes->n; i++) {
        const struct skr_quantity_item *item =
            skr_quantities_absent(e->resources, &shapes->item[i]->spec->requests);
        int c = !item ? 1 : !first.name ? -1 : strcmp(item->name, first.name);
        if (c < 0 || (c == 0 && item->amount > first.amount)) {
            first = *item;
        }
    }
    return first;
}

/* ---- names that come and go ---- */

struct resolved {
    struct shape *shape;
    struct skr_amounts amounts;
};

struct resolving {
    struct resolved *item;
    size_t n, cap;
};

static void take_amounts(void *context)
{
    struct resolving *all = context;
    for (size_t i = 0; i < all->n; i++) {
        skr_amounts_fini(&all->item[i].shape->amounts);
        all->item[i].shape->amounts = all->item[i].amounts;
    }
}

void skr_shapes_resolve(struct skr_gang *e)
{
    struct resolving all = {0};
    struct shape *s, *tmp;
    HASH_ITER(hh, e->shapes, s, tmp)
    {
        struct skr_amounts now;
        skr_amounts_resolve(e->resources, &s->spec->requests, &now);
        if (skr_amounts_equal(&now, &s->amounts)) {
            skr_amounts_fini(&now);
            continue;
        }
        skr_fit_cache_shape_gone(e, s);
        skr_grow(&all.item, &all.cap, all.n + 1, sizeof *all.item);
        all.item[all.n++] = (struct resolved){s, now};
    }
    if (all.n > 0) {
        skr_ledger_revalue(e->ledger, take_amounts, &all);
        skr_dirty_facts(e);
    }
    free(all.item);
}

bool skr_shapes_are_late(const struct skr_gang *e, const struct skr_pod_shape *s)
{
    return s->late_capacity || skr_quantities_are_served(e->resources, &s->requests);
}
