/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Digits of the keys of a level, cut into words, as core/solver/weight_words.h has them: the own
 * keys of the roles in role order, then the key of the group. One word may hold digits of several
 * keys.
 */
#include <string.h>

#include "core/solver/roles/role_graph.h"

enum { WORD_BITS = 58 };

static int32_t bits_of(int32_t x)
{
    int32_t bits = 0;
    while (x > 0) {
        x /= 2;
        bits++;
    }
    return bits;
}

bool skr_role_words_init(struct skr_role_run *rr, int32_t level, struct skr_role_words *ret)
{
    *ret = (struct skr_role_words){.level = level};
    for (int32_t scope = 0; scope < rr->n_scopes; scope++) {
        if (!rr->keyed[level][scope] || rr->n[scope] < 1) {
            continue;
        }
        ret->scope[ret->n_keys++] = scope;
        ret->table[scope] = skr_run_alloc(&rr->run, (size_t)rr->n[scope] + 1, sizeof(int64_t));
        if (!ret->table[scope]) {
            return false;
        }
    }
    ret->below = ret->n_keys > 0 ? rr->n[ret->scope[0]] + 1 : 0;
    return true;
}

bool skr_role_words_counts(struct skr_role_run *rr, int32_t level, uint64_t **ret)
{
    for (int32_t scope = 0; scope < rr->n_scopes; scope++) {
        ret[scope] = NULL;
        if (rr->keyed[level][scope]) {
            ret[scope] = skr_run_alloc(&rr->run, (size_t)rr->n[scope] / 64 + 1, sizeof(uint64_t));
            if (!ret[scope]) {
                return false;
            }
        }
    }
    return true;
}

/* Digits of the key at hand into what is left of the word; false when the word is full. */
static bool put_digits(const struct skr_role_run *rr, struct skr_role_words *words,
                       const uint64_t *counts, int32_t *left, bool *any)
{
    int32_t scope = words->scope[words->at];
    int32_t n = rr->n[scope];
    bool pack = rr->law[words->level][scope].type == SKR_RULE_PACK;
    int64_t *table = words->table[scope];
    if (!words->begun && pack) {
        if (bits_of(n) > *left) {
            return false;
        }
        *left -= bits_of(n);
        for (int32_t x = 1; x <= n; x++) {
            table[x] = INT64_C(1) << *left;
        }
        if (words->at == words->lead) {
            words->one_used = INT64_C(1) << *left;
        }
        *any = true;
    }
    words->begun = true;
    while (words->below > 1) {
        int32_t x = skr_bits_previous(counts, words->below - 1);
        if (x <= 0) {
            break;
        }
        int32_t width = bits_of(n / x);
        if (width > *left) {
            return false;
        }
        *left -= width;
        table[x] += (pack ? -1 : 1) * (INT64_C(1) << *left);
        words->below = x;
        *any = true;
    }
    return true;
}

bool skr_role_words_next(const struct skr_role_run *rr, struct skr_role_words *words,
                         uint64_t *const *counts)
{
    int32_t left = WORD_BITS;
    bool any = false;
    for (int32_t k = 0; k < words->n_keys; k++) {
        int32_t scope = words->scope[k];
        memset(words->table[scope], 0, ((size_t)rr->n[scope] + 1) * sizeof(int64_t));
    }
    words->lead = words->at;
    words->one_used = 0;
    words->slack = 0;
    while (words->at < words->n_keys &&
           put_digits(rr, words, counts[words->scope[words->at]], &left, &any)) {
        if (words->at == words->lead && words->at + 1 < words->n_keys) {
            words->slack = (INT64_C(1) << left) - 1;
        }
        words->at++;
        words->begun = false;
        words->below = words->at < words->n_keys ? rr->n[words->scope[words->at]] + 1 : 0;
    }
    return any;
}

int64_t skr_role_words_weight(const struct skr_role_run *rr, const struct skr_role_words *words,
                              uint64_t key, int32_t main)
{
    const struct skr_axes *axes = &rr->axes[words->level];
    int64_t weight = 0;
    for (int32_t k = 0; k < words->n_keys; k++) {
        int32_t scope = words->scope[k];
        int32_t amount = skr_axes_base(axes, key, scope) + main * skr_axes_slope(axes, scope);
        weight += words->table[scope][amount];
    }
    return weight;
}
