/* SPDX-License-Identifier: Apache-2.0 */
/* Sums by unit: what is used now, and what changes from one instant to the next. */
#include "core/gang/time/chart.h"

#include <utlist.h>

#include "core/gang/cache/ends.h"
#include "core/gang/cache/nodes.h"
#include "core/gang/group/reservation.h"
#include "core/gang/state/booking.h"
#include "topology/ledger.h"

enum { LOOK_EVERY = 256 }; /* leaves between two looks whether to end */

/* Of one unit. */
struct held {
    int64_t limited, unlimited; /* of what is used now */
    /* From this instant on: what has ended of limited, and what is reserved. */
    int64_t ended[SKR_CHART_CELLS], reserved[SKR_CHART_CELLS];
};

struct chart {
    const struct gathering *in;
    int32_t first, n; /* units */
    int32_t level;
    struct held *held;
    struct skr_timeline_chart_row *row;
};

/* The row of a leaf, -1: it has none. */
static int32_t row_of(const struct chart *c, int32_t leaf)
{
    const struct skr_tree *tree = c->in->e->topology.tree;
    const int32_t i = leaf < 0 ? -1 : skr_tree_unit_at(tree, leaf, c->level) - c->first;
    return i < c->n ? i : -1;
}

/* At the first instant that is not before at, if there is one. */
static void note(const struct chart *c, int64_t *cell, int64_t at, int64_t amount)
{
    const int64_t step = c->in->asked->chart->cell_s, after = at > c->in->now ? at - c->in->now : 0;
    if (after <= (SKR_CHART_CELLS - 1) * step) {
        cell[(after + step - 1) / step] += amount;
    }
}

/* The amount of the pod, if it ends by a limit; else 0. */
static int64_t limited(const struct chart *c, const struct end_row *row, int64_t *ret_at)
{
    const struct skr_gang *e = c->in->e;
    const char *node = "";
    const struct skr_amounts *amounts = skr_ledger_amounts(e->ledger, row->uid, &node);
    if (!amounts || strcmp(node, row->on->name) != 0) {
        return 0;
    }
    const struct skr_pod_times times = skr_ends_times(e, row);
    const struct skr_pod_end end = c->in->live ? skr_end_soon(&times, SKR_INSTANT_NEVER, c->in->now)
                                               : skr_end_of(&times, SKR_INSTANT_NEVER, c->in->now);
    *ret_at = end.at;
    return end.kind == SKR_END_LIMIT ? skr_amounts_get(amounts, c->in->asked->chart->resource) : 0;
}

static void add_leaf(const struct chart *c, int32_t leaf)
{
    const struct skr_gang *e = c->in->e;
    const char *name = e->topology.tree->unit_name[e->topology.tree->first_leaf + leaf];
    const int32_t i = row_of(c, leaf);
    const struct skr_ledger_node *node = i < 0 ? NULL : skr_ledger_get(e->ledger, name);
    if (!node) {
        return;
    }
    const uint16_t resource = c->in->asked->chart->resource;
    const int64_t all = skr_ledger_node_allocatable(node, resource);
    const int64_t used = all - skr_ledger_node_free(node, resource);
    int64_t unlimited = used;
    for (const struct end_row *row = skr_ends_on(e, name); row; row = row->next) {
        int64_t at;
        const int64_t amount = limited(c, row, &at);
        if (amount > 0) {
            unlimited -= amount;
            c->held[i].limited += amount;
            note(c, c->held[i].ended, at, amount);
        }
    }
    c->row[i].total += all;
    c->row[i].used += used;
    c->held[i].unlimited += unlimited > 0 ? unlimited : 0;
}

/* Room of lost members is held until its deadline. */
static void add_seat(void *context, const struct reservation *r)
{
    const struct chart *c = context;
    const int32_t i = row_of(c, skr_tree_find_leaf(c->in->e->topology.tree, r->node));
    if (r->reason == SKR_RESERVED_SEAT && i >= 0) {
        const int64_t amount = skr_amounts_get(r->amounts, c->in->asked->chart->resource);
        const int64_t until = skr_instant_up(r->until);
        c->held[i].unlimited -= amount;
        c->held[i].limited += amount;
        note(c, c->held[i].ended, until > c->in->now ? until : c->in->now + 1, amount);
    }
}

static void add_hold(const struct chart *c, int32_t leaf, int64_t start, int64_t until,
                     int64_t amount)
{
    const int32_t i = row_of(c, leaf);
    if (i >= 0) {
        note(c, c->held[i].reserved, start, amount);
        note(c, c->held[i].reserved, until, -amount);
    }
}

/* What a round on paper plans. */
static void add_planned(const struct chart *c)
{
    for (size_t i = 0; i < c->in->n_complete; i++) {
        const struct skr_round_group *g = &c->in->group[i];
        const bool holds = g->held || g->state == SKR_ROUND_STARTS;
        for (size_t k = 0; holds && k < g->place.n_uses; k++) {
            const struct skr_place_use *use = &g->place.use[k];
            if (use->resource == c->in->asked->chart->resource) {
                add_hold(c, use->leaf, g->start, g->until, use->amount);
            }
        }
    }
}

/* What groups have reserved. */
static void add_booked(const struct chart *c)
{
    const struct skr_gang *e = c->in->e;
    const struct booking *b;
    DL_FOREACH(e->bookings.list, b)
    {
        for (size_t i = 0; i < b->n_uses; i++) {
            const struct booking_use *use = &b->use[i];
            if (skr_resource_names_find(e->resources, b->resource[use->resource]) ==
                c->in->asked->chart->resource) {
                add_hold(c, skr_tree_find_leaf(e->topology.tree, b->node[use->node].name), b->start,
                         b->until, use->amount);
            }
        }
    }
}

static void fill_cells(const struct held *held, struct skr_timeline_chart_row *row)
{
    int64_t ended = 0, reserved = 0;
    for (size_t cell = 0; cell < SKR_CHART_CELLS; cell++) {
        ended += held->ended[cell];
        reserved += held->reserved[cell];
        const int64_t by[SKR_CHART_HOLD_COUNT] = {held->limited - ended, held->unlimited, reserved,
                                                  row->total - row->used + ended - reserved};
        size_t most = 0;
        for (size_t i = 1; i < SKR_CHART_HOLD_COUNT; i++) {
            most = by[i] > by[most] ? i : most;
        }
        row->cell[cell] = (uint8_t)(row->total > 0 ? most : SKR_CHART_FREE);
    }
}

bool skr_timeline_chart_make(const struct gathering *in, struct skr_timeline_chart *ret)
{
    const struct skr_tree *tree = in->e->topology.tree;
    const struct skr_chart_request *asked = in->asked->chart;
    const bool is_leaf = asked->unit >= tree->first_leaf;
    struct chart c = {.in = in,
                      .first = is_leaf ? asked->unit : tree->child_first[asked->unit],
                      .n = is_leaf ? 1 : tree->child_count[asked->unit]};
    c.level = skr_tree_level_of(tree, c.first);
    c.row = ret->row = skr_arena_array(in->arena, (size_t)c.n + 1, sizeof *ret->row);
    if (!ret->row) {
        return false;
    }
    SKR_AUTO_FREE struct held *held = c.held = skr_alloc_array((size_t)c.n + 1, sizeof *held);
    for (int32_t leaf = 0; leaf < tree->n_leaves; leaf++) {
        add_leaf(&c, leaf);
        if (leaf % LOOK_EVERY == 0 && asked->must_end && asked->must_end(asked->context)) {
            return true;
        }
    }
    skr_reservations_each(in->e, add_seat, &c);
    if (in->live) {
        add_booked(&c);
    } else {
        add_planned(&c);
    }
    for (int32_t i = 0; i < c.n; i++) {
        ret->row[i].name = tree->unit_name[c.first + i];
        fill_cells(&held[i], &ret->row[i]);
    }
    ret->n = (size_t)c.n;
    return true;
}
