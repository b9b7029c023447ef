/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Digits into words. A digit for count x has room for n / x, the most units that can hold x at the
 * same time; the widths of the digits of one word add up to at most WORD_BITS. Digits of both signs
 * in one word are fine: all lower digits together change a word by less than one of the digit
 * above.
 */
#include "core/solver/weight_words.h"

#include <string.h>

#include "core/solver/count_bits.h"

enum { WORD_BITS = 58 }; /* sums, and bounds of them, stay within +-SKR_WEIGHT_MAX */

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

bool skr_words_add(struct skr_run *run, struct skr_words *words, int32_t scope,
                   const struct skr_law *law, int32_t n)
{
    words->scope[words->n_keys] = scope;
    words->digits[words->n_keys++] = skr_digits_of(law, n);
    words->table[scope] = skr_run_alloc(run, (size_t)n + 1, sizeof(int64_t));
    return words->table[scope];
}

bool skr_words_next(struct skr_words *words, uint64_t *const *counts)
{
    int32_t left = WORD_BITS;
    for (int32_t k = 0; k < words->n_keys; k++) {
        memset(words->table[words->scope[k]], 0,
               ((size_t)words->digits[k].n + 1) * sizeof(int64_t));
    }
    words->lead = words->at;
    words->one_used = 0;
    words->slack = 0;
    bool full = false;
    while (words->at < words->n_keys && !full) {
        int32_t scope = words->scope[words->at];
        struct skr_digits *digits = &words->digits[words->at];
        full = !skr_digits_put(digits, counts[scope], words->table[scope], &left);
        if (words->at == words->lead) {
            words->one_used = digits->one_used;
        }
        if (!full) {
            if (words->at == words->lead && words->at + 1 < words->n_keys) {
                words->slack = (INT64_C(1) << left) - 1;
            }
            words->at++;
        }
    }
    return left < WORD_BITS;
}
