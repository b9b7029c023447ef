/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What best placements look like, if the first key of a level is of type pack and every row is an
 * interval.
 *
 * A unit is *settled* if its main count is the least or the greatest of its row. Take two units that
 * could give a main member away. The one with the greater amount is full: a member that moved to it
 * would make the list of counts better, and change no key. So all units of a set are settled but one,
 * which is the least of those that could give.
 *
 * A *host* has side members, or main members that cannot go. Let f be what another unit can hold.
 * Assume that no rule limits the number of used units, and that the best placements use k units, at
 * most P of them hosts.
 *
 *   - A unit that rests (is empty, or is the one that is not settled) is not roomier than a full one:
 *     it could take all members of the full one, and then one more. At least k - P - 1 units are full
 *     and no hosts. So a unit with fewer other units of its f or more is a host or full.
 *   - A unit that is full, and not the least, has every roomier unit in use. So at most k - 1 are
 *     roomier, and P more if hosts need not be used.
 *
 * Cost: sorting the units of each set.
 */
#include <stdlib.h>

#include "core/solver/role_cells.h"

/* The units of one set. */
struct units {
    const struct skr_axes *axes;
    int32_t slope;
    bool group; /* the key is that of the group: every host is used */
    int32_t n, n_hosts;
    int32_t *room; /* [n] of those that need not be hosts, ascending */
};

/* What a unit can hold without being a host; -1: it always is one. */
static int32_t room_of(const struct units *units, const struct skr_span *span)
{
    const struct skr_row *row = &span->rows.row[0];
    return span->rows.n > 0 && row->key == 0 && row->lo == 0 ? row->hi * units->slope : -1;
}

/* The rooms of the units of a set. */
static void list_rooms(struct units *units, const struct skr_siblings *set)
{
    units->n = 0;
    for (int32_t u = 0; u < set->all->n_units; u++) {
        int32_t room = room_of(units, set->unit[u]);
        if (room >= 0) {
            units->room[units->n++] = room;
        }
    }
    units->n_hosts = set->all->n_units - units->n;
    qsort(units->room, (size_t)units->n, sizeof *units->room, skr_least_first_32);
}

/* How many units have room for this or more. */
static int32_t count_from(const struct units *units, int32_t room)
{
    int32_t lo = 0;
    int32_t hi = units->n;
    while (lo < hi) {
        int32_t mid = lo + (hi - lo) / 2;
        if (units->room[mid] >= room) {
            hi = mid;
        } else {
            lo = mid + 1;
        }
    }
    return units->n - lo;
}

static void mark_unit(const struct units *units, const struct skr_span *unit, int32_t rests,
                      int32_t fills)
{
    int32_t room = room_of(units, unit);
    struct skr_cells *cells = unit->note->node.cells;
    cells->can_rest = cells->can_rest || room < 0 || count_from(units, room) - 1 >= rests;
    cells->can_fill = cells->can_fill || room < 0 || count_from(units, room + 1) <= fills;
}

static int32_t side_members(const struct skr_axes *axes, uint64_t key)
{
    int32_t sum = 0;
    for (int32_t a = 0; a + 1 < axes->n; a++) {
        sum += skr_axes_digit(axes, key, a);
    }
    return sum;
}

static void settle_set(struct units *units, const struct skr_siblings *set)
{
    int32_t rests = INT32_MAX;
    int32_t fills = -1;
    for (int32_t p = 0; p < set->ports.n; p++) {
        const struct skr_port *port = &set->ports.port[p];
        int32_t k = units->axes->n_counters > 0 ? 0 : port->solo ? 1 : port->least_used;
        int32_t hosts = side_members(units->axes, port->key) + units->n_hosts;
        if (port->wanted) {
            int32_t most = k > 0 ? k - 1 + (units->group ? 0 : hosts) : INT32_MAX;
            rests = skr_smaller(rests, k > 0 ? k - hosts - 1 : 0);
            fills = skr_larger(fills, most);
        }
    }
    for (int32_t u = 0; u < set->all->n_units; u++) {
        mark_unit(units, set->unit[u], rests, fills);
    }
}

static bool all_intervals(const struct skr_graph_level *at)
{
    for (int32_t i = 0; i < at->n_nodes; i++) {
        const struct skr_rows *rows = &skr_span_at(at, i)->rows;
        for (int32_t k = 0; k < rows->n && !skr_span_at(at, i)->left; k++) {
            if (rows->row[k].bits) {
                return false;
            }
        }
    }
    return true;
}

bool skr_role_settle(struct skr_graph *graph, int32_t level, const struct skr_words *words,
                     bool *ret)
{
    struct skr_role_run *rr = graph->run->rr;
    const struct skr_graph_level *at = &graph->level[level];
    struct units units = {.axes = &rr->axes[level]};
    *ret = false;
    if (rr->run.plain || words->one_used == 0 || !all_intervals(at)) {
        return true;
    }
    units.slope = skr_axes_slope(units.axes, words->scope[words->lead]);
    units.group = words->scope[words->lead] == rr->run.n_roles;
    if (units.slope == 0) {
        return true;
    }
    int32_t most = 0;
    for (int32_t i = 0; i < at->n_sets; i++) {
        most = skr_larger(most, skr_siblings_at(at, i)->all->n_units);
    }
    units.room = skr_run_scratch_alloc(&rr->run, (size_t)most, sizeof *units.room);
    for (int32_t i = 0; i < at->n_sets && units.room; i++) {
        if (skr_ports_wanted(at->set[i])) {
            list_rooms(&units, skr_siblings_at(at, i));
            settle_set(&units, skr_siblings_at(at, i));
        }
    }
    *ret = true;
    return units.room;
}
