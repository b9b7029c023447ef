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
#include "core/solver/axes.h"
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

/* The words of a level: the digits of its keys, one key after the other: the own keys of the roles in
 * role order, then the key of the group. Equal members have one key, whose scope is 0. The weight of a
 * unit is the sum over the scopes of table[scope][amount of the scope]. */
struct skr_words {
    int32_t level;
    const struct skr_axes *axes;
    int32_t n_keys;                           /* 0: there is one word, of zeros */
    int32_t scope[SKR_SCOPES_MAX];            /* of each key, in their order */
    struct skr_digits digits[SKR_SCOPES_MAX]; /* of each key */
    int64_t *table[SKR_SCOPES_MAX];           /* [scope][n of the scope + 1]; NULL: no key */
    uint64_t *counts[SKR_SCOPES_MAX];         /* [scope] as table: bits, see skr_words_next() */
    int32_t at;                               /* the key whose digits come next */
    /* The first key of the word at hand; the weight of one used unit, if that is a digit of the word;
     * a bound of what the digits of later keys add or take. */
    int32_t lead;
    int64_t one_used, slack;
};

/* The keys of a level. False: the run had to stop. */
bool skr_words_init(const struct skr_graph *graph, int32_t level, struct skr_words *ret);
/* Sets the tables to the next word; counts[scope] are the amounts that units of the level may still
 * have, and become empty. False when there is none: all digits were weighed. */
bool skr_words_next(struct skr_words *words);
/* The weight of a unit with this vector. */
int64_t skr_words_weight(const struct skr_words *words, uint64_t key, int32_t main);

#endif
