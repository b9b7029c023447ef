/* SPDX-License-Identifier: Apache-2.0 */
/* Puts members into buckets, which sorted are the roles: see role_buckets.h. */
#include "core/gang/group/role_buckets.h"

#include "core/gang/cache/pods.h"
#include "core/gang/cache/shapes.h"
#include "core/gang/group/pins.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#include "topology/base/hash.h"

static const char *base_of(const struct pod_entry *p)
{
    return p->role_name ? p->role_name : "";
}

static struct role_bucket *find_bucket(struct role_buckets *all, const char *base,
                                       const struct shape *shape)
{
    for (size_t i = 0; i < all->n; i++) {
        if (all->item[i].shape == shape && strcmp(all->item[i].base, base) == 0) {
            return &all->item[i];
        }
    }
    return NULL;
}

/* Where a pinned member belongs: with members of its name and requests, else of its name. */
static struct role_bucket *bucket_of_pinned(struct role_buckets *all, const struct pod_entry *p)
{
    struct role_bucket *best = NULL;
    const char *base = base_of(p);
    for (size_t i = 0; i < all->n; i++) {
        struct role_bucket *b = &all->item[i];
        if (strcmp(b->base, base) != 0) {
            continue;
        }
        if (!best || (b->shape &&
                      skr_quantities_equal(&b->shape->spec->requests, &p->shape->spec->requests))) {
            best = b;
        }
    }
    return best;
}

static struct role_bucket *add_bucket(struct role_buckets *all, const char *base,
                                      struct shape *shape, struct shape *like)
{
    if (all->n == SKR_ROLE_BUCKETS_MAX) {
        return &all->item[SKR_ROLE_BUCKETS_MAX - 1];
    }
    all->item[all->n] = (struct role_bucket){.base = base, .shape = shape, .like = like};
    return &all->item[all->n++];
}

static bool is_divided(const struct skr_gang *e, const struct group *g, const char *base)
{
    return !e->settings.heterogeneous_refuse && !(g->spec && skr_group_names_role(g->spec, base));
}

struct role_bucket *skr_role_buckets_of(const struct skr_gang *e, const struct group *g,
                                        struct role_buckets *all, const struct pod_entry *p)
{
    const char *base = base_of(p);
    struct shape *shape = is_divided(e, g, base) ? p->shape : NULL;
    struct role_bucket *b = find_bucket(all, base, shape);
    if (!b && shape && skr_pins_is_pinned(shape->spec)) {
        b = bucket_of_pinned(all, p);
    } else if (!b && all->n == SKR_ROLE_BUCKETS_MAX) {
        b = &all->item[SKR_ROLE_BUCKETS_MAX - 1];
    }
    return b;
}

/* All members are alike: one bucket. */
static bool fill_one_bucket(const struct skr_gang *e, const struct group *g,
                            struct role_buckets *all)
{
    const struct pod_entry *p, *first = NULL;
    int32_t n = 0;
    DL_FOREACH(g->members, p)
    {
        if (!skr_pods_has_seat(p)) {
            continue;
        }
        first = first ? first : p;
        if (p->shape != first->shape || strcmp(base_of(p), base_of(first)) != 0) {
            return false;
        }
        n++;
    }
    if (first) {
        const char *base = base_of(first);
        struct role_bucket *b =
            add_bucket(all, base, is_divided(e, g, base) ? first->shape : NULL, first->shape);
        b->n = n;
        b->same_base = 1;
    }
    return true;
}

static void fill_buckets(const struct skr_gang *e, const struct group *g, struct role_buckets *all)
{
    const struct pod_entry *p;
    if (fill_one_bucket(e, g, all)) {
        return;
    }
    DL_FOREACH(g->members, p)
    {
        const char *base = skr_pods_has_seat(p) ? base_of(p) : NULL;
        bool divided = base && is_divided(e, g, base);
        struct shape *shape = divided ? p->shape : NULL;
        if (base && !(divided && skr_pins_is_pinned(p->shape->spec)) &&
            !find_bucket(all, base, shape)) {
            add_bucket(all, base, shape, p->shape);
        }
    }
    DL_FOREACH(g->members, p) /* pinned members of names that have no others */
    {
        if (skr_pods_has_seat(p) && !skr_role_buckets_of(e, g, all, p)) {
            add_bucket(all, base_of(p), NULL, p->shape);
        }
    }
    DL_FOREACH(g->members, p)
    {
        if (skr_pods_has_seat(p)) {
            skr_role_buckets_of(e, g, all, p)->n++;
        }
    }
    for (size_t i = 0; i < all->n; i++) {
        for (size_t k = 0; k < all->n; k++) {
            all->item[i].same_base += strcmp(all->item[i].base, all->item[k].base) == 0;
        }
    }
}

/* ---- role order ---- */

/* The number of a divided role, "-2", does not count. */
static size_t place_of_name(const char *name)
{
    static const char *const first[] = {"master", "chief",       "leader", "launcher",
                                        "head",   "coordinator", "driver", NULL};
    const size_t length = strlen(name);
    const bool numbered =
        length > 2 && name[length - 2] == '-' && name[length - 1] >= '1' && name[length - 1] <= '9';
    size_t i = 0;
    while (
        first[i] && strcmp(first[i], name) != 0 &&
        !(numbered && strlen(first[i]) == length - 2 && strncmp(first[i], name, length - 2) == 0)) {
        i++;
    }
    return i;
}

int skr_role_buckets_compare_names(const char *a, const char *b)
{
    const size_t x = place_of_name(a), y = place_of_name(b);
    return x != y ? (x < y ? -1 : 1) : strcmp(a, b);
}

/* The larger request first: the first resource in byte order whose amounts differ decides. */
static int compare_requests(const struct skr_quantities *a, const struct skr_quantities *b)
{
    size_t i = 0, k = 0;
    while (i < a->n || k < b->n) {
        int c = i == a->n ? 1 : k == b->n ? -1 : strcmp(a->item[i].name, b->item[k].name);
        int64_t left = c <= 0 ? a->item[i].amount : 0, right = c >= 0 ? b->item[k].amount : 0;
        if (left != right) {
            return left > right ? -1 : 1;
        }
        i += c <= 0;
        k += c >= 0;
    }
    return 0;
}

static int by_role(const void *a, const void *b)
{
    const struct role_bucket *left = a, *right = b;
    int c = skr_role_buckets_compare_names(left->base, right->base);
    c = c != 0 ? c : compare_requests(&left->like->spec->requests, &right->like->spec->requests);
    c = c != 0 ? c : strcmp(left->like->spec->key, right->like->spec->key);
    return c != 0 ? c : !!left->shape - !!right->shape;
}

/* The smallest role, the last of several; not those that rules name. */
static struct role_bucket *smallest(struct role_buckets *all, const struct group *g,
                                    const struct role_bucket *except)
{
    struct role_bucket *best = NULL;
    for (size_t i = 0; i < all->n; i++) {
        struct role_bucket *b = &all->item[i];
        bool named = g->spec && skr_group_names_role(g->spec, b->base);
        if (b != except && !b->merged && !named && (!best || b->n <= best->n)) {
            best = b;
        }
    }
    return best;
}

/* Numbers the roles; the smallest beyond SKR_ROLES_MAX become one with the next. */
static size_t number_roles(struct role_buckets *all, struct group *g)
{
    size_t n = all->n;
    const struct role_bucket *into[SKR_ROLE_BUCKETS_MAX] = {0};
    g->roles.n_merged = 0;
    while (n > SKR_ROLES_MAX) {
        struct role_bucket *least = smallest(all, g, NULL);
        struct role_bucket *next = least ? smallest(all, g, least) : NULL;
        if (!next) { /* rules name them all */
            least = &all->item[n - 1];
            next = &all->item[n - 2];
        }
        least->merged = true;
        into[least - all->item] = next;
        next->n += least->n;
        g->roles.n_merged++;
        n--;
    }
    uint8_t role = 0;
    for (size_t i = 0; i < all->n; i++) {
        all->item[i].role = all->item[i].merged ? 0 : role;
        role = (uint8_t)(role + !all->item[i].merged);
    }
    for (size_t i = 0; i < all->n; i++) {
        const struct role_bucket *at = &all->item[i];
        while (at->merged) {
            at = into[at - all->item];
        }
        all->item[i].role = at->role;
    }
    return n;
}

size_t skr_role_buckets_fill(const struct skr_gang *e, struct group *g, struct role_buckets *all)
{
    fill_buckets(e, g, all);
    if (all->n > 1) {
        qsort(all->item, all->n, sizeof *all->item, by_role);
    }
    return number_roles(all, g);
}

char *skr_role_buckets_name(const struct role_buckets *all, size_t at)
{
    const struct role_bucket *b = &all->item[at];
    char text[256];
    size_t number = 1;
    for (size_t i = 0; i < at; i++) {
        number += strcmp(all->item[i].base, b->base) == 0;
    }
    const char *base = *b->base ? b->base : "pod";
    if (b->same_base == 1) {
        return skr_strdup(base);
    }
    snprintf(text, sizeof text, "%.200s-%zu", base, number);
    return skr_strdup(text);
}

uint64_t skr_role_buckets_identity(const struct role_bucket *b)
{
    uint64_t hash = skr_hash_bytes(SKR_HASH_BEGIN, b->base, strlen(b->base) + 1);
    return b->shape ? skr_hash_bytes(hash, b->shape->spec->key, strlen(b->shape->spec->key)) : hash;
}
