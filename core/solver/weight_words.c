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

bool skr_words_init(const struct skr_graph *graph, int32_t level, struct skr_words *ret)
{
    const struct skr_graph_level *at = &graph->level[level];
    *ret = (struct skr_words){.level = level, .axes = at->axes};
    for (int32_t scope = 0; scope < graph->run->n_scopes; scope++) {
        size_t n = (size_t)graph->run->sizes[scope];
        if (at->law[scope].silent || n == 0) {
            continue;
        }
        ret->scope[ret->n_keys] = scope;
        ret->digits[ret->n_keys++] = skr_digits_of(&at->law[scope], graph->run->sizes[scope]);
        ret->table[scope] = skr_run_alloc(graph->run, n + 1, sizeof(int64_t));
        ret->counts[scope] = skr_run_alloc(graph->run, n / 64 + 1, sizeof(uint64_t));
        if (!ret->table[scope] || !ret->counts[scope]) {
            return false;
        }
    }
    return true;
}

bool skr_words_next(struct skr_words *words)
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
        full = !skr_digits_put(digits, words->counts[scope], words->table[scope], &left);
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
    for (int32_t k = 0; k < words->n_keys; k++) {
        memset(words->counts[words->scope[k]], 0,
               ((size_t)words->digits[k].n / 64 + 1) * sizeof(uint64_t));
    }
    return left < WORD_BITS;
}

int64_t skr_words_weight(const struct skr_words *words, uint64_t key, int32_t main)
{
    int64_t weight = 0;
    for (int32_t k = 0; k < words->n_keys; k++) {
        int32_t scope = words->scope[k];
        int32_t amount = skr_axes_amount(words->axes, key, main, scope);
        weight += words->table[scope][amount];
    }
    return weight;
}
