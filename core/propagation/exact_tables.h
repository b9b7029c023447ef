/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_PROPAGATION_EXACT_TABLES_H
#define SKR_CORE_PROPAGATION_EXACT_TABLES_H
/* The exact search of select_exact.c, and the tables that it looks up. */
#include "core/propagation/spread_table.h"
#include "core/propagation/steps.h"

/* The groups of one level that were decided for, by index into the level. */
struct skr_exact_chosen {
    size_t n;
    int32_t *group;
};

struct skr_exact_search {
    struct skr_binding_decision *decision;
    const struct skr_spread_level *level; /* those of decision->tree */
    size_t n_levels;
    int32_t *index_of_unit; /* [unit] index of its group in its level */
    struct skr_exact_chosen chosen[SKR_SPREAD_LEVELS];
    struct skr_spread_space space;
    struct skr_spread_table *table[SKR_SPREAD_LEVELS]; /* [level][group]; NULL: not made */
    bool too_large;
    uint64_t work;  /* of all tables: spread_table.h */
    int64_t fewest; /* groups of the top level that an answer has at least; 0: not known */
};

/* decision: with its tree and candidates; borrowed until fini. */
void skr_exact_search_init(struct skr_exact_search *search, struct skr_binding_decision *decision);
void skr_exact_search_fini(struct skr_exact_search *search);

/* Constraints and groups of a level, as numbers. */
static inline const struct skr_group_range *skr_exact_range_of(
    const struct skr_exact_search *search, size_t level)
{
    return &search->decision->range[search->level[level].field];
}

static inline int32_t skr_exact_parent_of(const struct skr_exact_search *search, size_t level,
                                          int32_t group)
{
    const struct skr_tree *tree = search->decision->tree;
    return search->index_of_unit[tree->parent[search->level[level].group[group].unit]];
}

static inline int64_t skr_exact_groups_max(const struct skr_exact_search *search, size_t level)
{
    int64_t n = (int64_t)search->level[level].n;
    int64_t max = skr_exact_range_of(search, level)->max;
    return max < n ? max : n;
}

static inline int64_t skr_exact_clusters_min(const struct skr_exact_search *search)
{
    const struct skr_group_range *range = &search->decision->range[SKR_SPREAD_CLUSTER];
    return range->declared ? range->min : 1;
}

static inline int64_t skr_exact_clusters_max(const struct skr_exact_search *search)
{
    const struct skr_group_range *range = &search->decision->range[SKR_SPREAD_CLUSTER];
    int64_t n = (int64_t)search->decision->n_candidates;
    return range->declared && range->max < n ? range->max : n;
}

/* The space of a search at level for exactly k groups; level -1: for any numbers. */
bool skr_exact_set_space(struct skr_exact_search *search, int level, int64_t k);
/* Tables of all groups of the levels from first down. */
void skr_exact_make_tables(struct skr_exact_search *search, size_t first);
void skr_exact_drop_tables(struct skr_exact_search *search);
/* The most room of any selection that satisfies the constraints; -1: there is none. Sets
 * fewest when there is one level. */
int64_t skr_exact_best_of_all(struct skr_exact_search *search);

/* ---- select_exact.c ---- */

/* The most room of clusters that satisfy their constraint and leave no chosen deepest group out;
 * -1: there are none. */
int64_t skr_exact_room_of_chosen(struct skr_exact_search *search);

/* ---- exact_bounded.c ---- */

/* Where the tables would be too large. Chooses groups of which clusters can be picked that satisfy
 * all constraints and have the room; false: met none. *ret_best is the most room it met, -1: none;
 * no selection has more than *ret_bound. */
bool skr_exact_choose_bounded(struct skr_exact_search *search, int64_t *ret_best,
                              int64_t *ret_bound);

#endif
