/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_SOLVER_COUNT_BITS_H
#define SKR_CORE_SOLVER_COUNT_BITS_H
/*
 * Sets of counts as bits: bit x of the array is set when x is in the set. Caller's memory, words of
 * 64 bits, bits above the greatest count are 0. Internal to the solver.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Words that hold the counts 0..hi. */
static inline int32_t skr_bits_words(int32_t hi)
{
    return hi / 64 + 1;
}

static inline bool skr_bits_get(const uint64_t *bits, int32_t x)
{
    return (bits[x / 64] >> (x % 64) & 1) != 0;
}

static inline void skr_bits_set(uint64_t *bits, int32_t x)
{
    bits[x / 64] |= UINT64_C(1) << (x % 64);
}

/* Least member >= from, or -1. */
int32_t skr_bits_next(const uint64_t *bits, int32_t words, int32_t from);
/* Greatest member <= from, or -1. from must be below 64 * words. */
int32_t skr_bits_previous(const uint64_t *bits, int32_t from);
void skr_bits_set_range(uint64_t *bits, int32_t lo, int32_t hi);
/* lo, lo + step, ... as far as hi. */
void skr_bits_set_progression(uint64_t *bits, int32_t lo, int32_t hi, int32_t step);
/* Whether the members are lo, lo + step, ..., hi, these being the least and the greatest. */
bool skr_bits_is_progression(const uint64_t *bits, int32_t words, int32_t lo, int32_t hi,
                             int32_t step);
void skr_bits_clear_above(uint64_t *bits, int32_t words, int32_t hi);

/*
 * out |= { x + y : x in a, y in b, x + y < 64 * out_words }. tmp: out_words words. Cost: per run of
 * neighbouring counts in the operand with fewer runs, log2(length of the run) * out_words.
 */
void skr_bits_add_sums(uint64_t *out, int32_t out_words, const uint64_t *a, int32_t a_words,
                       const uint64_t *b, int32_t b_words, uint64_t *tmp);
/* gather: counts 0, step, 2 step, ... become 0, 1, 2, ...; the set has no others. scatter is the
 * way back: out |= those below 64 * words. words: of the set with holes. */
static inline int32_t skr_bits_gathered_words(int32_t words, int32_t step)
{
    return (words * 64 - 1) / step / 64 + 1;
}
void skr_bits_gather(uint64_t *out, const uint64_t *in, int32_t words, int32_t step);
void skr_bits_scatter(uint64_t *out, int32_t words, const uint64_t *in, int32_t step);

#endif
