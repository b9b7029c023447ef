/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Max-plus products of small dense tables, gone through by their filled places. Cost of a merge:
 * the product of both numbers of filled places.
 */
#include "core/propagation/spread_table.h"

#include <stdlib.h>

#include "topology/base/arena.h"

bool skr_spread_space_init(struct skr_spread_space *space, size_t limit)
{
    space->size = 1;
    for (size_t i = SKR_SPREAD_DIMENSIONS; i-- > 0;) {
        space->stride[i] = space->size;
        if ((size_t)space->dimension[i].cap + 1 > limit / space->size) {
            return false;
        }
        space->size *= (size_t)space->dimension[i].cap + 1;
    }
    return true;
}

static int64_t count_at(const struct skr_spread_space *space, size_t place, size_t dimension)
{
    return (int64_t)(place / space->stride[dimension]) % (space->dimension[dimension].cap + 1);
}

/* Adds count to what a place has in a dimension; -1 beyond its bound. */
static int64_t bounded(const struct skr_spread_dimension *dimension, int64_t count)
{
    if (count <= dimension->cap) {
        return count;
    }
    return dimension->cap == 0 || dimension->saturates ? dimension->cap : -1;
}

size_t skr_spread_place(const struct skr_spread_space *space,
                        const int64_t count[SKR_SPREAD_DIMENSIONS])
{
    size_t place = 0;
    for (size_t i = 0; i < SKR_SPREAD_DIMENSIONS; i++) {
        int64_t at = bounded(&space->dimension[i], count[i]);
        if (at < 0) {
            return SIZE_MAX;
        }
        place += (size_t)at * space->stride[i];
    }
    return place;
}

void skr_spread_table_init(const struct skr_spread_space *space, struct skr_spread_table *table)
{
    table->n = 0;
    table->at = skr_alloc_array(space->size, sizeof *table->at);
    table->room = skr_alloc_array(space->size, sizeof *table->room);
    for (size_t i = 0; i < space->size; i++) {
        table->room[i] = -1;
    }
}

void skr_spread_table_fini(struct skr_spread_table *table)
{
    free(table->at);
    free(table->room);
    *table = (struct skr_spread_table){.n = 0};
}

void skr_spread_table_raise(struct skr_spread_table *table, size_t place, int64_t room)
{
    if (table->room[place] < 0) {
        table->at[table->n++] = (uint32_t)place;
    }
    table->room[place] = room > table->room[place] ? room : table->room[place];
}

static void clear(struct skr_spread_table *table)
{
    for (size_t i = 0; i < table->n; i++) {
        table->room[table->at[i]] = -1;
    }
    table->n = 0;
}

static void copy(const struct skr_spread_table *from, struct skr_spread_table *to)
{
    for (size_t i = 0; i < from->n; i++) {
        skr_spread_table_raise(to, from->at[i], from->room[from->at[i]]);
    }
}

void skr_spread_table_merge(const struct skr_spread_space *space, const struct skr_spread_table *a,
                            const struct skr_spread_table *b, bool a_alone, bool b_alone,
                            struct skr_spread_table *to)
{
    clear(to);
    if (a_alone) {
        copy(a, to);
    }
    if (b_alone) {
        copy(b, to);
    }
    for (size_t i = 0; i < a->n; i++) {
        int64_t count[SKR_SPREAD_DIMENSIONS];
        for (size_t d = 0; d < SKR_SPREAD_DIMENSIONS; d++) {
            count[d] = count_at(space, a->at[i], d);
        }
        for (size_t k = 0; k < b->n; k++) {
            int64_t sum[SKR_SPREAD_DIMENSIONS];
            size_t rest = b->at[k];
            for (size_t d = 0; d < SKR_SPREAD_DIMENSIONS; d++) {
                sum[d] = count[d] + (int64_t)(rest / space->stride[d]);
                rest %= space->stride[d];
            }
            size_t place = skr_spread_place(space, sum);
            if (place != SIZE_MAX) {
                skr_spread_table_raise(to, place, a->room[a->at[i]] + b->room[b->at[k]]);
            }
        }
    }
}

void skr_spread_table_shift(const struct skr_spread_space *space,
                            const struct skr_spread_table *from, size_t dimension,
                            struct skr_spread_table *to)
{
    clear(to);
    for (size_t i = 0; i < from->n; i++) {
        int64_t count[SKR_SPREAD_DIMENSIONS];
        for (size_t d = 0; d < SKR_SPREAD_DIMENSIONS; d++) {
            count[d] = count_at(space, from->at[i], d) + (d == dimension ? 1 : 0);
        }
        size_t place = skr_spread_place(space, count);
        if (place != SIZE_MAX) {
            skr_spread_table_raise(to, place, from->room[from->at[i]]);
        }
    }
}

int64_t skr_spread_table_best(const struct skr_spread_space *space,
                              const struct skr_spread_table *table)
{
    int64_t best = -1;
    for (size_t i = 0; i < table->n; i++) {
        bool satisfies = true;
        for (size_t d = 0; d < SKR_SPREAD_DIMENSIONS; d++) {
            satisfies = satisfies && count_at(space, table->at[i], d) >= space->dimension[d].min;
        }
        if (satisfies && table->room[table->at[i]] > best) {
            best = table->room[table->at[i]];
        }
    }
    return best;
}
