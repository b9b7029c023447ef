/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_SOLVER_WEIGHT_WORDS_H
#define SKR_CORE_SOLVER_WEIGHT_WORDS_H
/*
 * The key of a level, cut into words of digits.
 *
 * The key of a level is a vector of digits, most significant first: for pack the number of used
 * units, then for x = n, n - 1, ..., 1 the number of units that hold x. For spread, fewer units
 * with a large x are better, so these digits are minimised. For pack, more are better, so they are
 * negative. The key of a placement is the sum of the keys of its units, digit by digit. At most n /
 * x units can hold x, so a digit needs few bits, and many digits go into one 64-bit integer. Sums
 * and comparisons of such integers are those of the digits. A long key is a sequence of such words,
 * the first deciding first. Counts that no remaining placement uses have no digit.
 *
 * Internal to the solver.
 */
#include "core/solver/choice_graph.h"

/* The digits of one key, put into words from the left. */
struct skr_digits {
    int32_t n; /* members of the key */
    bool pack;
    bool begun;       /* it has a digit already */
    int32_t below;    /* counts below this one have no digit in an earlier word */
    int64_t one_used; /* weight of one used unit, if the last call put that digit; else 0 */
};

static inline struct skr_digits skr_digits_of(const struct skr_law *law, int32_t n)
{
    return (struct skr_digits){.n = n, .pack = law->type == SKR_RULE_PACK, .below = n + 1};
}
/* Puts digits into the word while they fit into its *left free bits: adds their weights to
 * table[n + 1]. counts: bits [n / 64 + 1]. False when the word is full and digits are left. */
bool skr_digits_put(struct skr_digits *digits, const uint64_t *counts, int64_t *table,
                    int32_t *left);

struct skr_words {
    int32_t level;
    struct skr_digits digits;
    int64_t *by_count; /* [n + 1] weights of the counts of one unit, by the word at hand */
};

/* Words of a level; false without memory. */
bool skr_words_init(struct skr_run *run, int32_t level, struct skr_words *ret);
/* Sets by_count to the next word; counts[n / 64 + 1] is the set of counts that units of the level
 * still have. False when there is none: all digits were weighed. A silent level has one word, of
 * zeros. */
bool skr_words_next(const struct skr_run *run, struct skr_words *words, const uint64_t *counts);

#endif
