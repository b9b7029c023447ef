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

static int32_t bits_of(int32_t x)
{
    int32_t bits = 0;
    while (x > 0) {
        x /= 2;
        bits++;
    }
    return bits;
}

bool skr_words_init(struct skr_run *run, int32_t level, struct skr_words *ret)
{
    *ret = (struct skr_words){.level = level, .below = run->n + 1};
    ret->by_count = skr_run_alloc(run, (size_t)run->n + 1, sizeof *ret->by_count);
    return ret->by_count;
}

bool skr_words_next(const struct skr_run *run, struct skr_words *words, const uint64_t *counts,
                    struct skr_weights *ret)
{
    bool pack = run->law[words->level].type == SKR_RULE_PACK;
    int32_t left = WORD_BITS;
    int64_t used = 0;
    memset(words->by_count, 0, ((size_t)run->n + 1) * sizeof *words->by_count);
    if (run->law[words->level].silent) {
        bool first = !words->begun;
        words->begun = true;
        *ret = (struct skr_weights){.by_count = words->by_count};
        return first;
    }
    if (!words->begun && pack) {
        left -= bits_of(run->n);
        used = INT64_C(1) << left;
        for (int32_t x = 1; x <= run->n; x++) {
            words->by_count[x] = used;
        }
    }
    words->begun = true;
    bool any = used != 0;
    while (words->below > 1) {
        int32_t x = skr_bits_previous(counts, words->below - 1);
        if (x <= 0) {
            words->below = 1;
            break;
        }
        int32_t width = bits_of(run->n / x);
        if (width > left) {
            break;
        }
        left -= width;
        words->by_count[x] += (pack ? -1 : 1) * (INT64_C(1) << left);
        words->below = x;
        any = true;
    }
    *ret = (struct skr_weights){.by_count = words->by_count};
    return any;
}
