/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Max-plus products of small dense tables. Rows of numbers of clusters are contiguous, and merged
 * in a loop without branches. Cost of a merge: the product of both numbers of rows that are used,
 * times half a row squared.
 */
#include "core/propagation/spread_table.h"

#include <stdlib.h>

#include "topology/base/arena.h"

/* No selection; stays negative with any room added. */
#define NONE (-((int64_t)1 << 62))

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
    space->row = (size_t)space->dimension[SKR_SPREAD_CLUSTERS].cap + 1;
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

static void spend(const struct skr_spread_space *space, size_t n)
{
    if (space->work) {
        *space->work += n;
    }
}

/* Merges tables of one or two rows place by place. */
enum { ROW_WORK = 16 };

void skr_spread_table_init(const struct skr_spread_space *space, struct skr_spread_table *table)
{
    size_t rows = space->size / space->row;
    table->n_rows = 0;
    table->row = skr_alloc_array(rows, sizeof *table->row);
    table->has_row = skr_alloc_array(rows, sizeof *table->has_row);
    table->room = skr_alloc_array(space->size, sizeof *table->room);
    spend(space, space->size);
    const size_t n = skr_spread_space_is_spent(space) ? 0 : space->size;
    for (size_t i = 0; i < n; i++) {
        table->room[i] = NONE;
    }
}

void skr_spread_table_fini(struct skr_spread_table *table)
{
    free(table->row);
    free(table->has_row);
    free(table->room);
    *table = (struct skr_spread_table){.n_rows = 0};
}

static int64_t *use_row(const struct skr_spread_space *space, struct skr_spread_table *table,
                        size_t row)
{
    if (!table->has_row[row]) {
        table->has_row[row] = true;
        table->row[table->n_rows++] = (uint32_t)row;
    }
    return &table->room[row * space->row];
}

void skr_spread_table_raise(const struct skr_spread_space *space, struct skr_spread_table *table,
                            size_t place, int64_t room)
{
    int64_t *to = &use_row(space, table, place / space->row)[place % space->row];
    *to = room > *to ? room : *to;
}

static void clear(const struct skr_spread_space *space, struct skr_spread_table *table)
{
    for (size_t i = 0; i < table->n_rows; i++) {
        int64_t *row = &table->room[table->row[i] * space->row];
        for (size_t k = 0; k < space->row; k++) {
            row[k] = NONE;
        }
        table->has_row[table->row[i]] = false;
    }
    table->n_rows = 0;
}

static void copy(const struct skr_spread_space *space, const struct skr_spread_table *from,
                 struct skr_spread_table *to)
{
    for (size_t i = 0; i < from->n_rows; i++) {
        const int64_t *row = &from->room[from->row[i] * space->row];
        int64_t *target = use_row(space, to, from->row[i]);
        spend(space, space->row + ROW_WORK);
        for (size_t k = 0; k < space->row; k++) {
            target[k] = row[k] > target[k] ? row[k] : target[k];
        }
    }
}

/* All numbers of clusters of both. */
static void merge_rows(const struct skr_spread_space *space, const int64_t *restrict a,
                       const int64_t *restrict b, int64_t *restrict to)
{
    size_t n = space->row;
    bool saturates = n == 1 || space->dimension[SKR_SPREAD_CLUSTERS].saturates;
    for (size_t i = 0; i < n; i++) {
        int64_t room = a[i];
        if (room < 0) {
            continue;
        }
        spend(space, saturates ? n : n - i);
        for (size_t k = 0; k < n - i; k++) {
            int64_t sum = room + b[k];
            to[i + k] = sum > to[i + k] ? sum : to[i + k];
        }
        for (size_t k = n - i; saturates && k < n; k++) {
            int64_t sum = room + b[k];
            to[n - 1] = sum > to[n - 1] ? sum : to[n - 1];
        }
    }
}

/* The row of both rows' groups; SIZE_MAX beyond a bound. */
static size_t add_rows(const struct skr_spread_space *space, size_t a, size_t b)
{
    int64_t count[SKR_SPREAD_DIMENSIONS] = {0};
    for (size_t d = 0; d < SKR_SPREAD_CLUSTERS; d++) {
        count[d] = count_at(space, a * space->row, d) + count_at(space, b * space->row, d);
    }
    size_t place = skr_spread_place(space, count);
    return place == SIZE_MAX ? SIZE_MAX : place / space->row;
}

void skr_spread_table_merge(const struct skr_spread_space *space, const struct skr_spread_table *a,
                            const struct skr_spread_table *b, bool a_alone, bool b_alone,
                            struct skr_spread_table *to)
{
    clear(space, to);
    if (a_alone) {
        copy(space, a, to);
    }
    if (b_alone) {
        copy(space, b, to);
    }
    /* Places of the first without a selection cost nothing: that is the one with fewer rows. */
    const struct skr_spread_table *first = a->n_rows <= b->n_rows ? a : b;
    const struct skr_spread_table *second = first == a ? b : a;
    for (size_t i = 0; i < first->n_rows && !skr_spread_space_is_spent(space); i++) {
        spend(space, second->n_rows * ROW_WORK);
        for (size_t k = 0; k < second->n_rows; k++) {
            size_t row = add_rows(space, first->row[i], second->row[k]);
            if (row != SIZE_MAX) {
                merge_rows(space, &first->room[first->row[i] * space->row],
                           &second->room[second->row[k] * space->row], use_row(space, to, row));
            }
        }
    }
}

/* The best of one row of each, as many clusters as are allowed. */
static int64_t best_of_rows(const struct skr_spread_space *space, const int64_t *a,
                            const int64_t *b)
{
    const struct skr_spread_dimension *clusters = &space->dimension[SKR_SPREAD_CLUSTERS];
    const size_t n = space->row, min = (size_t)clusters->min;
    const bool saturates = n == 1 || clusters->saturates;
    int64_t best = -1;
    for (size_t i = 0; i < n; i++) {
        if (a[i] < 0) {
            continue;
        }
        spend(space, n);
        for (size_t k = min > i ? min - i : 0; k < (saturates ? n : n - i); k++) {
            best = b[k] >= 0 && a[i] + b[k] > best ? a[i] + b[k] : best;
        }
    }
    return best;
}

static bool row_satisfies(const struct skr_spread_space *space, size_t row)
{
    bool satisfies = true;
    for (size_t d = 0; d < SKR_SPREAD_CLUSTERS; d++) {
        satisfies = satisfies && count_at(space, row * space->row, d) >= space->dimension[d].min;
    }
    return satisfies;
}

int64_t skr_spread_table_best_of_both(const struct skr_spread_space *space,
                                      const struct skr_spread_table *a,
                                      const struct skr_spread_table *b)
{
    int64_t best = -1;
    for (size_t i = 0; i < a->n_rows && !skr_spread_space_is_spent(space); i++) {
        spend(space, b->n_rows * ROW_WORK);
        for (size_t k = 0; k < b->n_rows; k++) {
            size_t row = add_rows(space, a->row[i], b->row[k]);
            if (row != SIZE_MAX && row_satisfies(space, row)) {
                int64_t room = best_of_rows(space, &a->room[a->row[i] * space->row],
                                            &b->room[b->row[k] * space->row]);
                best = room > best ? room : best;
            }
        }
    }
    return best;
}

void skr_spread_table_shift(const struct skr_spread_space *space,
                            const struct skr_spread_table *from, size_t dimension,
                            struct skr_spread_table *to)
{
    clear(space, to);
    spend(space, from->n_rows * (space->row + ROW_WORK));
    for (size_t i = 0; i < from->n_rows; i++) {
        size_t first = from->row[i] * space->row;
        int64_t count[SKR_SPREAD_DIMENSIONS];
        for (size_t d = 0; d < SKR_SPREAD_DIMENSIONS; d++) {
            count[d] = count_at(space, first, d) + (d == dimension ? 1 : 0);
        }
        size_t place = skr_spread_place(space, count);
        for (size_t k = 0; place != SIZE_MAX && k < space->row; k++) {
            if (from->room[first + k] >= 0) {
                skr_spread_table_raise(space, to, place + k, from->room[first + k]);
            }
        }
    }
}

int64_t skr_spread_table_fewest(const struct skr_spread_space *space,
                                const struct skr_spread_table *table, int64_t room)
{
    int64_t fewest = 0;
    for (size_t i = 0; i < table->n_rows; i++) {
        const size_t first = table->row[i] * space->row;
        const int64_t groups = count_at(space, first, 0);
        for (size_t k = (size_t)space->dimension[SKR_SPREAD_CLUSTERS].min;
             row_satisfies(space, table->row[i]) && k < space->row; k++) {
            if (table->room[first + k] >= room && (fewest == 0 || groups < fewest)) {
                fewest = groups;
            }
        }
    }
    return fewest;
}

int64_t skr_spread_table_best(const struct skr_spread_space *space,
                              const struct skr_spread_table *table)
{
    int64_t best = -1;
    spend(space, table->n_rows * (space->row + ROW_WORK));
    for (size_t i = 0; i < table->n_rows; i++) {
        size_t first = table->row[i] * space->row;
        const bool satisfies = row_satisfies(space, table->row[i]);
        for (size_t k = (size_t)space->dimension[SKR_SPREAD_CLUSTERS].min;
             satisfies && k < space->row; k++) {
            best = table->room[first + k] > best ? table->room[first + k] : best;
        }
    }
    return best;
}
