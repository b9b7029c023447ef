/* SPDX-License-Identifier: Apache-2.0 */
/* A list of reservations, and a table by node that is made anew when they change. */
#include "core/gang/cache/bookings.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#include "core/gang/cache/booked.h"
#include "core/gang/cache/dirty.h"
#include "core/gang/cache/fit_cache.h"
#include "topology/base/table.h"

static void forget_nodes(struct skr_gang *e)
{
    struct booked_node *node, *tmp;
    memset(e->bookings.seen, 0, sizeof e->bookings.seen);
    free(e->bookings.left);
    e->bookings.left = NULL;
    e->bookings.n_left = 0;
    HASH_ITER(hh, e->bookings.nodes, node, tmp)
    {
        skr_fit_cache_touch_room(e, node->name);
        HASH_DEL(e->bookings.nodes, node);
        free(node->use);
        free(node);
    }
}

static void add_use(struct skr_gang *e, struct booking *b, const struct booking_use *use)
{
    const char *name = b->node[use->node].name;
    struct booked_node *node = (struct booked_node *)(uintptr_t)skr_booked_find(e, name);
    if (!node) {
        node = skr_alloc(sizeof *node);
        node->name = name;
        node->first = b->start;
        const uint32_t bit = skr_booked_bit(name);
        e->bookings.seen[bit / 64] |= UINT64_C(1) << bit % 64;
        SKR_TABLE_ADD(&e->settings.hash_seed, hh, e->bookings.nodes, node->name, strlen(name),
                      node);
        skr_fit_cache_touch_room(e, name);
    }
    node->first = b->start < node->first ? b->start : node->first;
    skr_grow(&node->use, &node->cap, node->n + 1, sizeof *node->use);
    node->use[node->n++] = (struct booked_use){
        .booking = b, .resource = b->resource[use->resource], .amount = use->amount};
}

static void make_nodes(struct skr_gang *e)
{
    struct booking *b;
    DL_FOREACH(e->bookings.list, b)
    {
        for (size_t i = 0; i < b->n_uses; i++) {
            add_use(e, b, &b->use[i]);
        }
    }
}

void skr_booking_destroy(struct booking *b)
{
    if (!b) {
        return;
    }
    for (size_t i = 0; i < b->n; i++) {
        free(b->node[i].name);
    }
    for (size_t i = 0; i < b->n_resources; i++) {
        free(b->resource[i]);
    }
    free(b->node);
    free(b->resource);
    free(b->use);
    free(b->because);
    for (size_t i = 0; i < BOOKING_PASSED; i++) {
        free(b->passed[i]);
    }
    free(b);
}

static bool same_use(const struct booking *a, const struct booking *b)
{
    bool same = a->n_uses == b->n_uses;
    for (size_t i = 0; same && i < a->n_uses; i++) {
        const struct booking_use *x = &a->use[i], *y = &b->use[i];
        same = x->amount == y->amount &&
               strcmp(a->resource[x->resource], b->resource[y->resource]) == 0 &&
               strcmp(a->node[x->node].name, b->node[y->node].name) == 0;
    }
    return same;
}

/* Whether it leaves at every instant at least what the other one leaves. */
static bool takes_no_more(const struct booking *old, const struct booking *now)
{
    return now && same_use(old, now) && now->start <= old->start && old->until <= now->until;
}

void skr_booked_set(struct skr_gang *e, struct group *g, struct booking *b)
{
    struct booking *old = g->booking;
    const bool gives = old && !takes_no_more(old, b);
    if (!old && !b) {
        return;
    }
    forget_nodes(e);
    if (old) {
        DL_DELETE(e->bookings.list, old);
        e->bookings.n--;
    }
    if (b) {
        b->group = g;
        DL_APPEND(e->bookings.list, b);
        e->bookings.n++;
    }
    g->booking = b;
    make_nodes(e);
    if (old && !b) {
        skr_fit_cache_group_shares(e, g);
    }
    skr_booking_destroy(old);
    skr_dirty_facts(e);
    skr_dirty_group(e, g);
    if (gives) {
        skr_dirty_capacity(e);
    }
}

void skr_booked_fini(struct skr_gang *e)
{
    forget_nodes(e); /* their names are the bookings' */
    while (e->bookings.list) {
        struct booking *b = e->bookings.list;
        DL_DELETE(e->bookings.list, b);
        b->group->booking = NULL;
        skr_booking_destroy(b);
    }
    e->bookings.n = 0;
}
