/* SPDX-License-Identifier: Apache-2.0 */
#include "core/gang/time/chart.h"

#include "topology/ledger.h"

/* Amounts of one unit, by what holds them. */
struct held {
    int64_t by[SKR_CHART_HOLD_COUNT];
};

/* Adds what holds the leaf at each instant of the picture. */
static void add_leaf(const struct gathering *in, int32_t leaf, struct held *held,
                     struct skr_timeline_chart_row *row)
{
    const struct skr_chart_request *asked = in->asked->chart;
    const struct skr_tree *tree = in->e->topology.tree;
    const struct skr_ledger_node *node =
        skr_ledger_get(in->e->ledger, tree->unit_name[tree->first_leaf + leaf]);
    const int64_t all = node ? skr_ledger_node_allocatable(node, asked->resource) : 0;
    const int64_t used = node ? all - skr_ledger_node_free(node, asked->resource) : 0;
    size_t n;
    const struct skr_room_change *change = skr_timeline_of(in->timeline, leaf, &n);
    row->total += all;
    row->used += used;
    for (size_t cell = 0; cell < SKR_CHART_CELLS; cell++) {
        const int64_t t = in->now + (int64_t)cell * asked->cell_s;
        int64_t limited = 0, ended = 0, reserved = 0;
        for (size_t i = 0; i < n; i++) {
            const struct skr_room_change *c = &change[i];
            if (c->resource == asked->resource && c->kind == SKR_CHANGE_END) {
                *(c->at > t ? &limited : &ended) += c->amount;
            } else if (c->resource == asked->resource && c->kind == SKR_CHANGE_HELD && c->at <= t) {
                reserved -= c->amount;
            }
        }
        const int64_t unlimited = used - limited - ended;
        held[cell].by[SKR_CHART_LIMIT] += limited;
        held[cell].by[SKR_CHART_UNLIMITED] += unlimited > 0 ? unlimited : 0;
        held[cell].by[SKR_CHART_RESERVED] += reserved;
        held[cell].by[SKR_CHART_FREE] += all - limited - unlimited - reserved;
    }
}

static void fill_cells(const struct held *held, struct skr_timeline_chart_row *row)
{
    for (size_t cell = 0; cell < SKR_CHART_CELLS; cell++) {
        size_t most = 0;
        for (size_t by = 1; by < SKR_CHART_HOLD_COUNT; by++) {
            most = held[cell].by[by] > held[cell].by[most] ? by : most;
        }
        row->cell[cell] = (uint8_t)(row->total > 0 ? most : SKR_CHART_FREE);
    }
}

bool skr_timeline_chart_make(const struct gathering *in, struct skr_timeline_chart *ret)
{
    const struct skr_tree *tree = in->e->topology.tree;
    const int32_t unit = in->asked->chart->unit;
    const bool is_leaf = unit >= tree->first_leaf;
    const int32_t first = is_leaf ? unit : tree->child_first[unit];
    const int32_t n = is_leaf ? 1 : tree->child_count[unit], level = skr_tree_level_of(tree, first);
    ret->row = skr_arena_array(in->arena, (size_t)n + 1, sizeof *ret->row);
    if (!ret->row) {
        return false;
    }
    SKR_AUTO_FREE struct held *held =
        skr_alloc_array((size_t)n * SKR_CHART_CELLS + 1, sizeof *held);
    for (int32_t leaf = 0; leaf < tree->n_leaves; leaf++) {
        const int32_t i = skr_tree_unit_at(tree, leaf, level) - first;
        if (i >= 0 && i < n) {
            add_leaf(in, leaf, &held[i * SKR_CHART_CELLS], &ret->row[i]);
        }
    }
    for (int32_t i = 0; i < n; i++) {
        ret->row[i].name = tree->unit_name[first + i];
        fill_cells(&held[i * SKR_CHART_CELLS], &ret->row[i]);
    }
    ret->n = (size_t)n;
    return true;
}
