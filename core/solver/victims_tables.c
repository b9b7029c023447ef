/* SPDX-License-Identifier: Apache-2.0 */
#include "core/solver/victims_tables.h"

#include <stdlib.h>
#include <string.h>

#include "topology/base/arena.h"

static bool has_all_sets(const struct skr_victim_table *table)
{
    return table->n <= SKR_VICTIM_TABLE_SETS;
}

size_t skr_victim_table_at(const struct skr_victim_table *table, const uint8_t *gone)
{
    size_t at = 0;
    if (has_all_sets(table)) {
        for (size_t i = 0; i < table->n; i++) {
            at |= (size_t)(gone[table->victim[i]] != 0) << i;
        }
    } else {
        while (at < table->n && gone[table->victim[at]]) {
            at++;
        }
    }
    return at;
}

static size_t n_sets(const struct skr_victim_table *table)
{
    return has_all_sets(table) ? (size_t)1 << table->n : table->n + 1;
}

/* The set without the i-th of its victims. */
static size_t without(const struct skr_victim_table *table, size_t set, size_t i)
{
    return has_all_sets(table) ? set & ~((size_t)1 << i) : set > i ? i : set;
}

static bool raise_table(struct skr_victim_table *table)
{
    const size_t n = n_sets(table);
    int64_t *room = skr_alloc_array(n, sizeof *room);
    memcpy(room, table->room, n * sizeof *room);
    for (size_t set = 0; set < n; set++) {
        for (size_t i = 0; i < table->n; i++) {
            const int64_t less = room[without(table, set, i)];
            room[set] = less > room[set] ? less : room[set];
        }
    }
    const bool differs = memcmp(room, table->room, n * sizeof *room) != 0;
    table->room = room;
    return differs;
}

struct skr_victim_table *skr_victim_tables_raise(const struct skr_victim_table *of, size_t n)
{
    struct skr_victim_table *table = skr_alloc_array(n + 1, sizeof *table);
    bool differ = false;
    for (size_t t = 0; t < n; t++) {
        table[t] = of[t];
        differ = raise_table(&table[t]) || differ;
    }
    if (!differ) {
        skr_victim_tables_free(table, n);
    }
    return differ ? table : NULL;
}

void skr_victim_tables_free(struct skr_victim_table *table, size_t n)
{
    for (size_t t = 0; table && t < n; t++) {
        free((void *)(uintptr_t)table[t].room);
    }
    free(table);
}

/* Whether a victim of the table stays, without which there is as much room. */
static bool lower_one(const struct skr_victim_table *table, const struct skr_victim_table *raised,
                      uint8_t *gone)
{
    const size_t set = skr_victim_table_at(table, gone);
    for (size_t i = 0; table->room[set] < raised->room[set] && i < table->n; i++) {
        const size_t less = without(table, set, i);
        if (less != set && raised->room[less] == raised->room[set]) {
            gone[table->victim[i]] = 0;
            return true;
        }
    }
    return false;
}

void skr_victim_tables_lower(const struct skr_victim_table *of,
                             const struct skr_victim_table *raised, size_t n, uint8_t *gone)
{
    for (size_t t = 0; t < n; t++) {
        while (lower_one(&of[t], &raised[t], gone)) {
        }
    }
}
