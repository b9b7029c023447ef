/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_PROPAGATION_SPREAD_TABLE_H
#define SKR_CORE_PROPAGATION_SPREAD_TABLE_H
/*
 * What groups can contribute to a selection: for every number of groups per level and of clusters,
 * the most room. Tables of parts of the tree that do not overlap are merged into the table of both.
 * That answers "is there a selection with these counts and that room" without enumeration.
 *
 * A dimension that need not be counted has one place. One without an upper bound stops counting at
 * its lower bound. One with an upper bound counts exactly, and what is beyond is left out.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    SKR_SPREAD_DIMENSIONS = 4, /* the declared ones of provider, region, zone; and */
    SKR_SPREAD_CLUSTERS = 3,   /* clusters, the last one */
};

struct skr_spread_dimension {
    int64_t cap;    /* highest place; 0: not counted */
    bool saturates; /* the highest place means "that many or more" */
    int64_t min;    /* places below do not satisfy the constraint */
};

struct skr_spread_space {
    struct skr_spread_dimension dimension[SKR_SPREAD_DIMENSIONS];
    size_t stride[SKR_SPREAD_DIMENSIONS];
    size_t size; /* places of a table */
    size_t row;  /* places of a row: all numbers of clusters for the same groups */
    /* Places looked at and rows added, of all tables; beyond SKR_SPREAD_WORK_MAX nothing is merged
     * any more, and what the tables say means nothing. NULL: work is not counted. */
    uint64_t *work;
};

/* About a quarter of a second, of all affinity terms of a binding together. */
#define SKR_SPREAD_WORK_MAX UINT64_C(200000000)
static inline bool skr_spread_space_is_spent(const struct skr_spread_space *space)
{
    return space->work && *space->work > SKR_SPREAD_WORK_MAX;
}

/* Room by place, negative: there is no such selection. row: the rows that have any. */
struct skr_spread_table {
    int64_t *room;
    uint32_t *row;
    bool *has_row;
    size_t n_rows;
};

/* Computes strides; false when a table would have more than limit places. */
bool skr_spread_space_init(struct skr_spread_space *space, size_t limit);
/* Place of these counts; SIZE_MAX when one is beyond its upper bound. */
size_t skr_spread_place(const struct skr_spread_space *space,
                        const int64_t count[SKR_SPREAD_DIMENSIONS]);

void skr_spread_table_init(const struct skr_spread_space *space, struct skr_spread_table *table);
void skr_spread_table_fini(struct skr_spread_table *table); /* all zero allowed */
void skr_spread_table_raise(const struct skr_spread_space *space, struct skr_spread_table *table,
                            size_t place, int64_t room);
/* to: selections from both a and b; with either: also those from a alone and from b alone. Nothing
 * is aliased. */
void skr_spread_table_merge(const struct skr_spread_space *space, const struct skr_spread_table *a,
                            const struct skr_spread_table *b, bool a_alone, bool b_alone,
                            struct skr_spread_table *to);
/* The fewest groups in the first dimension, which counts exactly, that satisfy all constraints with
 * this room; 0: none do. */
int64_t skr_spread_table_fewest(const struct skr_spread_space *space,
                                const struct skr_spread_table *table, int64_t room);
/* The most room of a selection from a, one from b, together satisfying all constraints; -1: none.
 * As skr_spread_table_best() of their merge, without making it. */
int64_t skr_spread_table_best_of_both(const struct skr_spread_space *space,
                                      const struct skr_spread_table *a,
                                      const struct skr_spread_table *b);
/* The same selections with one more group of a level. */
void skr_spread_table_shift(const struct skr_spread_space *space,
                            const struct skr_spread_table *from, size_t dimension,
                            struct skr_spread_table *to);
/* The most room of a selection that satisfies all constraints; -1: none does. */
int64_t skr_spread_table_best(const struct skr_spread_space *space,
                              const struct skr_spread_table *table);

#endif
