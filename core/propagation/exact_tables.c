/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of groups (spread_table.h): the largest room for each number of groups below and of
 * clusters. They are made from the deepest level upwards. */
#include "core/propagation/exact_tables.h"

#include <stdlib.h>
#include <string.h>

#include "core/solver/solve_run.h"

enum {
    PLACES_MAX = 1 << 20,        /* of one table */
    TABLE_PLACES_MAX = 32 << 20, /* of all tables of a level */
};
/* Places squared, times groups: most rows of the tables are empty, so that this takes about a
 * second, not hours. */
#define MERGES_MAX ((skr_int128)1000 * 1000 * 1000 * 1000)

/* Dimensions below level: those that need not be counted are left out. floor: so many there will be
 * in any case, as every group above has a member. */
static void set_dimension(struct skr_spread_dimension *dimension, int64_t min, int64_t max,
                          int64_t all, int64_t floor)
{
    *dimension = (struct skr_spread_dimension){.cap = 0};
    if (max < all) {
        *dimension = (struct skr_spread_dimension){.cap = max, .min = min};
    } else if (min > floor) {
        *dimension = (struct skr_spread_dimension){.cap = min, .saturates = true, .min = min};
    }
}

static bool close_space(struct skr_exact_search *search, size_t n_groups)
{
    if (!skr_spread_space_init(&search->space, PLACES_MAX)) {
        return false;
    }
    search->space.work = &search->work;
    const size_t size = search->space.size;
    /* With one level each merge has a group on one side: a row with as many places as members. */
    const skr_int128 merges =
        search->n_levels == 1 ? (skr_int128)size * (skr_int128)search->decision->n_candidates * 1000
                              : (skr_int128)size * (skr_int128)size * (skr_int128)n_groups;
    return size <= TABLE_PLACES_MAX / (2 * n_groups + 4) && merges <= MERGES_MAX;
}

bool skr_exact_set_space(struct skr_exact_search *search, int level, int64_t k)
{
    int64_t floor = level >= 0 ? k : 1;
    size_t n_groups = 0;
    memset(&search->space, 0, sizeof search->space);
    for (size_t i = 0; i < search->n_levels; i++) {
        struct skr_spread_dimension *dimension = &search->space.dimension[i];
        if ((int)i == level) {
            *dimension = (struct skr_spread_dimension){.cap = k, .min = k};
        } else if ((int)i > level) {
            set_dimension(dimension, skr_exact_range_of(search, i)->min,
                          skr_exact_range_of(search, i)->max, (int64_t)search->level[i].n, floor);
            floor = skr_exact_range_of(search, i)->min > floor ? skr_exact_range_of(search, i)->min
                                                               : floor;
        }
        n_groups += search->level[i].n;
    }
    set_dimension(&search->space.dimension[SKR_SPREAD_CLUSTERS], skr_exact_clusters_min(search),
                  skr_exact_clusters_max(search), (int64_t)search->decision->n_candidates, floor);
    return close_space(search, n_groups);
}

/* The space of all numbers of groups of the only level, each for itself. */
static bool set_counting_space(struct skr_exact_search *search)
{
    memset(&search->space, 0, sizeof search->space);
    search->space.dimension[0] = (struct skr_spread_dimension){
        .cap = skr_exact_groups_max(search, 0), .min = skr_exact_range_of(search, 0)->min};
    set_dimension(&search->space.dimension[SKR_SPREAD_CLUSTERS], skr_exact_clusters_min(search),
                  skr_exact_clusters_max(search), (int64_t)search->decision->n_candidates,
                  skr_exact_range_of(search, 0)->min);
    return close_space(search, search->level[0].n);
}

/* A deepest group: its roomiest members, one after another. */
static void fill_deepest(struct skr_exact_search *search, const struct skr_spread_group *group,
                         struct skr_spread_table *table)
{
    const struct skr_spread_dimension *clusters = &search->space.dimension[SKR_SPREAD_CLUSTERS];
    int64_t count[SKR_SPREAD_DIMENSIONS] = {0};
    int64_t room = 0;
    bool counts = clusters->cap > 0 && !clusters->saturates;
    SKR_AUTO_FREE int64_t *member = skr_alloc_array(group->n_members, sizeof *member);
    for (size_t i = 0; i < group->n_members; i++) {
        member[i] = search->decision->candidate[group->member[i]].available;
    }
    qsort(member, group->n_members, sizeof *member, skr_greatest_first_64);
    count[search->n_levels - 1] = 1;
    for (size_t i = 0; i < group->n_members; i++) {
        room += member[i];
        count[SKR_SPREAD_CLUSTERS] = (int64_t)i + 1;
        size_t place = skr_spread_place(&search->space, count);
        if (place != SIZE_MAX && (counts || i + 1 == group->n_members)) {
            skr_spread_table_raise(&search->space, table, place, room);
        }
    }
}

void skr_exact_make_tables(struct skr_exact_search *search, size_t first)
{
    struct skr_spread_table some = {.n_rows = 0};
    struct skr_spread_table next = {.n_rows = 0};
    for (size_t level = search->n_levels; level-- > first;) {
        size_t n = search->level[level].n;
        search->table[level] = skr_alloc_array(n, sizeof(struct skr_spread_table));
        for (size_t i = 0; i < n; i++) {
            skr_spread_table_init(&search->space, &search->table[level][i]);
        }
        if (level + 1 == search->n_levels) {
            for (size_t i = 0; i < n; i++) {
                fill_deepest(search, &search->level[level].group[i], &search->table[level][i]);
            }
            continue;
        }
        for (size_t i = 0; i < search->level[level + 1].n; i++) {
            struct skr_spread_table *to =
                &search->table[level][skr_exact_parent_of(search, level + 1, (int32_t)i)];
            skr_spread_table_init(&search->space, &next);
            skr_spread_table_merge(&search->space, to, &search->table[level + 1][i], true, true,
                                   &next);
            skr_spread_table_fini(to);
            *to = next;
        }
        for (size_t i = 0; i < n; i++) {
            skr_spread_table_init(&search->space, &some);
            skr_spread_table_shift(&search->space, &search->table[level][i], level, &some);
            skr_spread_table_fini(&search->table[level][i]);
            search->table[level][i] = some;
        }
    }
}

void skr_exact_drop_tables(struct skr_exact_search *search)
{
    for (size_t level = 0; level < search->n_levels; level++) {
        for (size_t i = 0; search->table[level] && i < search->level[level].n; i++) {
            skr_spread_table_fini(&search->table[level][i]);
        }
        free(search->table[level]);
        search->table[level] = NULL;
    }
}

int64_t skr_exact_best_of_all(struct skr_exact_search *search)
{
    struct skr_spread_table all = {.n_rows = 0};
    struct skr_spread_table next = {.n_rows = 0};
    const bool counts = search->n_levels == 1 && set_counting_space(search);
    if (!counts && !skr_exact_set_space(search, -1, 0)) {
        search->too_large = true;
        return -1;
    }
    skr_exact_make_tables(search, 0);
    skr_spread_table_init(&search->space, &all);
    for (size_t i = 0; i < search->level[0].n; i++) {
        skr_spread_table_init(&search->space, &next);
        skr_spread_table_merge(&search->space, &all, &search->table[0][i], true, true, &next);
        skr_spread_table_fini(&all);
        all = next;
    }
    int64_t best = skr_spread_table_best(&search->space, &all);
    if (counts) {
        search->fewest = skr_spread_table_fewest(&search->space, &all, search->decision->need);
    }
    search->too_large = skr_spread_space_is_spent(&search->space);
    skr_spread_table_fini(&all);
    skr_exact_drop_tables(search);
    return search->too_large ? -1 : best;
}
