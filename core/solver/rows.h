/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_SOLVER_ROWS_H
#define SKR_CORE_SOLVER_ROWS_H
/*
 * Rows: a set of vectors, written as sets of main counts by key. A row without bits holds every
 * count of lo .. hi, or every step-th. Rows are sorted by key, and none is empty.
 *
 * The key of equal members is the number of used children.
 *
 * A builder collects vectors in any order. There is one a run, which is used by one function at a
 * time: begin(), any number of add...(), finish(). Internal to the solver.
 */
#include "core/solver/axes.h"
#include "core/solver/count_bits.h"

struct skr_row {
    uint64_t key;
    int32_t lo, hi;
    const uint64_t *bits; /* [skr_bits_words(hi)]; NULL: all of lo .. hi, or by step */
    int32_t step; /* > 0, without bits: lo, lo + step, ..., hi, the step being the level's */
};

struct skr_rows {
    int32_t n;
    const struct skr_row *row;
};

static inline bool skr_row_has(const struct skr_row *row, int32_t main)
{
    return main >= row->lo && main <= row->hi &&
           (row->bits ? skr_bits_get(row->bits, main)
                      : row->step == 0 || (main - row->lo) % row->step == 0);
}

/* The next main count of the row >= from; > row->hi: there is none. */
static inline int32_t skr_row_next(const struct skr_row *row, int32_t from)
{
    if (from < row->lo) {
        return row->lo;
    }
    if (from > row->hi || (!row->bits && row->step == 0)) {
        return from;
    }
    if (!row->bits) {
        return from + (row->hi - from) % row->step;
    }
    int32_t next = skr_bits_next(row->bits, skr_bits_words(row->hi), from);
    return next < 0 ? row->hi + 1 : next;
}

/* The greatest main count of the row <= upto; -1: there is none. */
static inline int32_t skr_row_previous(const struct skr_row *row, int32_t upto)
{
    upto = upto < row->hi ? upto : row->hi;
    if (upto < row->lo) {
        return -1;
    }
    return row->bits        ? skr_bits_previous(row->bits, upto)
           : row->step == 0 ? upto
                            : upto - (upto - row->lo) % row->step;
}

/* Adds the counts of the row to bits. */
static inline void skr_row_put(const struct skr_row *row, uint64_t *bits)
{
    if (!row->bits) {
        skr_bits_set_progression(bits, row->lo, row->hi, row->step > 0 ? row->step : 1);
    }
    for (int32_t w = row->lo / 64; row->bits && w <= row->hi / 64; w++) {
        bits[w] |= row->bits[w];
    }
}

/* The row of these bits, words of them, which are borrowed; lo > hi: there are none. */
struct skr_row skr_row_of_bits(const struct skr_run *run, int32_t step, uint64_t key,
                               const uint64_t *bits, int32_t words);
/* Index of the row with this key, or -1. O(log n). */
int32_t skr_rows_find(const struct skr_rows *rows, uint64_t key);
/* The greatest amount of a scope in a vector of the set; 0: it is empty. */
static inline int32_t skr_rows_greatest(const struct skr_axes *axes, const struct skr_rows *rows,
                                        int32_t scope)
{
    int32_t most = 0;
    for (int32_t k = 0; k < rows->n; k++) {
        int32_t amount = skr_axes_amount(axes, rows->row[k].key, rows->row[k].hi, scope);
        most = amount > most ? amount : most;
    }
    return most;
}
/* The greatest count of an axis in a vector of the set; 0: it is empty. */
static inline int32_t skr_rows_greatest_of_axis(const struct skr_axes *axes,
                                                const struct skr_rows *rows, int32_t axis)
{
    int32_t most = 0;
    for (int32_t k = 0; k < rows->n; k++) {
        const struct skr_row *row = &rows->row[k];
        int32_t count = axis == axes->n - 1 ? row->hi : skr_axes_digit(axes, row->key, axis);
        most = count > most ? count : most;
    }
    return most;
}
/* The greatest count of each axis, at most `most` of it, among the vectors that have at least `least`
 * of every other axis; 0: all these have more; -1: there is none. O(rows). */
void skr_rows_most_beside(const struct skr_axes *axes, const struct skr_rows *rows,
                          const int32_t *least, const int32_t *most, int32_t *ret);
/* Whether the set is {0}. */
static inline bool skr_rows_only_zero(const struct skr_rows *rows)
{
    return rows->n == 1 && rows->row[0].key == 0 && rows->row[0].hi == 0;
}
bool skr_rows_equal(const struct skr_rows *a, const struct skr_rows *b);

/* The next pair of rows (*i of x, *j of y) whose keys add up to key. Begin with *i = 0 and
 * *j = y->n - 1; to go on, add 1 to *i. */
static inline bool skr_rows_pair(const struct skr_rows *x, const struct skr_rows *y, uint64_t key,
                                 int32_t *i, int32_t *j)
{
    while (*i < x->n && *j >= 0) {
        uint64_t sum = x->row[*i].key + y->row[*j].key;
        if (sum == key) {
            return true;
        }
        if (sum < key) {
            ++*i;
        } else {
            --*j;
        }
    }
    return false;
}

/* Main counts above `most` are not added. step: all of them are multiples of it; of roles 1. All
 * functions: false when the run had to stop. */
bool skr_rows_begin(struct skr_run *run, int32_t most, int32_t step);
bool skr_rows_add(struct skr_run *run, uint64_t key, int32_t lo, int32_t hi);
bool skr_rows_add_row(struct skr_run *run, uint64_t key, const struct skr_row *row, int32_t lo,
                      int32_t hi);
/* All sums of one count of each row. */
bool skr_rows_add_sums(struct skr_run *run, uint64_t key, const struct skr_row *a,
                       const struct skr_row *b);
/* keep: copied into the memory of the run; else valid until the next begin(). */
bool skr_rows_finish(struct skr_run *run, bool keep, struct skr_rows *ret);
/* A copy in the memory of the run, behind `before` bytes, a multiple of 8, which are 0. NULL: the run
 * had to stop. */
void *skr_rows_copy(struct skr_run *run, const struct skr_rows *rows, size_t before,
                    struct skr_rows *ret);

#endif
