/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Digits into words. A digit for count x has room for n / x, the most units that can hold x at the
 * same time; the widths of the digits of one word add up to at most WORD_BITS. Digits of both signs
 * in one word are fine: all lower digits together change a word by less than one of the digit
 * above.
 */
#include "core/solver/weight_words.h"

#include <string.h>

enum { WORD_BITS = 60 }; /* sums stay within +-SKR_WEIGHT_MAX */

bool skr_digits_put(struct skr_digits *digits, const uint64_t *counts, int64_t *table,
                    int32_t *left)
{
    digits->one_used = 0;
    if (!digits->begun && digits->pack) {
        int32_t width = skr_bit_width(digits->n);
        if (width > *left) {
            return false;
        }
        *left -= width;
        digits->one_used = INT64_C(1) << *left;
        for (int32_t x = 1; x <= digits->n; x++) {
            table[x] = digits->one_used;
        }
    }
    digits->begun = true;
    while (digits->below > 1) {
        int32_t x = skr_bits_previous(counts, digits->below - 1);
        if (x <= 0) {
            digits->below = 1;
            break;
        }
        int32_t width = skr_bit_width(digits->n / x);
        if (width > *left) {
            return false;
        }
        *left -= width;
        table[x] += (digits->pack ? -1 : 1) * (INT64_C(1) << *left);
        digits->below = x;
    }
    return true;
}

bool skr_words_init(struct skr_run *run, int32_t level, struct skr_words *ret)
{
    *ret = (struct skr_words){.level = level, .digits = skr_digits_of(&run->law[level], run->n)};
    ret->by_count = skr_run_alloc(run, (size_t)run->n + 1, sizeof *ret->by_count);
    return ret->by_count;
}

bool skr_words_next(const struct skr_run *run, struct skr_words *words, const uint64_t *counts)
{
    int32_t left = WORD_BITS;
    memset(words->by_count, 0, ((size_t)run->n + 1) * sizeof *words->by_count);
    if (run->law[words->level].silent) {
        bool first = !words->digits.begun;
        words->digits.begun = true;
        return first;
    }
    skr_digits_put(&words->digits, counts, words->by_count, &left);
    return left < WORD_BITS;
}
