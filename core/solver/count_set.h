/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_SOLVER_COUNT_SET_H
#define SKR_CORE_SOLVER_COUNT_SET_H
/*
 * Sets of counts in little memory: the totals that neighbouring units can hold together, without
 * the ways to reach them. For problems that are kept for long (sizes.h); the spans of a run
 * (span.h) have the ways, too.
 *
 * A set has rows: one; or, where a level limits the number of used units, row u holds the totals
 * that u used units can reach. 0 is always in row 0: nothing is claimed here. One row of the form
 * 0, step, 2 step, ... hi is written as these two numbers; all others are bits.
 *
 * Equal sets are stored once, in a pool that counts their references. One thread.
 */
#include "core/solver/solve_run.h"
#include "topology/base/hash.h"

struct skr_counts {
    int32_t rows;         /* >= 1 */
    int32_t hi;           /* greatest count of all rows */
    int32_t step;         /* > 0: one row, 0, step, ..., hi; 0: see bits */
    const uint64_t *bits; /* [rows * skr_bits_words(hi)]; borrowed */
};

/* {0 .. hi} */
struct skr_counts skr_counts_up_to(int32_t hi);
/* Whether row holds count >= 0. */
bool skr_counts_has(const struct skr_counts *counts, int32_t row, int32_t count);

/* Working memory. Results of the functions below are valid until the call after the next. */
struct skr_counts_space {
    int32_t n;           /* counts above are left out */
    int32_t rows;        /* most rows of a set */
    uint64_t *result[2]; /* [rows * words of n] each, used in turn */
    int32_t turn;
    uint64_t *child; /* [2 * words of n] */
    uint64_t *flat;  /* [2 * words of n] runs as bits */
    uint64_t *tmp;   /* [words of n] */
};
/* Bytes of such a space; 0 if they exceed SIZE_MAX. */
size_t skr_counts_space_bytes(int32_t n, int32_t rows);
void skr_counts_space_init(struct skr_counts_space *space, int32_t n, int32_t rows);
void skr_counts_space_fini(struct skr_counts_space *space);

/* Totals of a and b side by side; used: most used units that count, 0: they are not counted. */
struct skr_counts skr_counts_sum(struct skr_counts_space *space, const struct skr_counts *a,
                                 const struct skr_counts *b, int32_t used);
/* A unit as a child in its level: 0, and what the law allows of row `row` of inside. allowed: the
 * counts that the law allows as bits [words of n]; NULL: all. Valid until the next call of this
 * function. */
struct skr_counts skr_counts_child(struct skr_counts_space *space, const struct skr_counts *inside,
                                   int32_t row, const struct skr_law *law, const uint64_t *allowed);

struct skr_count_set {
    uint32_t refs;
    uint32_t hash;
    struct skr_counts counts; /* its bits follow */
};
struct skr_count_pool {
    struct skr_count_set **item; /* by number; NULL: unused */
    size_t n, cap;
    uint32_t *unused;
    size_t n_unused, unused_cap;
    struct skr_hash_index index;
    size_t bytes; /* of all that is stored */
};
void skr_count_pool_fini(struct skr_count_pool *pool);
/* Adds a reference to the set and returns its number. */
uint32_t skr_count_pool_take(struct skr_count_pool *pool, const struct skr_counts *counts);
void skr_count_pool_release(struct skr_count_pool *pool, uint32_t number);
static inline const struct skr_counts *skr_count_pool_get(const struct skr_count_pool *pool,
                                                          uint32_t number)
{
    return &pool->item[number]->counts;
}

#endif
