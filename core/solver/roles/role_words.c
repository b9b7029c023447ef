/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Digits of the keys of a level, cut into words, as core/solver/weight_words.h has them: the own
 * keys of the roles in role order, then the key of the group. One word may hold digits of several
 * keys.
 */
#include <string.h>

#include "core/solver/roles/role_graph.h"

enum { WORD_BITS = 58 };

static void begin_key(const struct skr_role_run *rr, struct skr_role_words *words)
{
    if (words->at < words->n_keys) {
        int32_t scope = words->scope[words->at];
        words->digits = skr_digits_of(&rr->law[words->level][scope], rr->n[scope]);
    }
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
    begin_key(rr, ret);
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

bool skr_role_words_next(const struct skr_role_run *rr, struct skr_role_words *words,
                         uint64_t *const *counts)
{
    int32_t left = WORD_BITS;
    for (int32_t k = 0; k < words->n_keys; k++) {
        int32_t scope = words->scope[k];
        memset(words->table[scope], 0, ((size_t)rr->n[scope] + 1) * sizeof(int64_t));
    }
    words->lead = words->at;
    words->one_used = 0;
    words->slack = 0;
    bool full = false;
    while (words->at < words->n_keys && !full) {
        int32_t scope = words->scope[words->at];
        full = !skr_digits_put(&words->digits, counts[scope], words->table[scope], &left);
        if (words->at == words->lead) {
            words->one_used = words->digits.one_used;
        }
        if (!full) {
            if (words->at == words->lead && words->at + 1 < words->n_keys) {
                words->slack = (INT64_C(1) << left) - 1;
            }
            words->at++;
            begin_key(rr, words);
        }
    }
    return left < WORD_BITS;
}

int64_t skr_role_words_weight(const struct skr_role_run *rr, const struct skr_role_words *words,
                              uint64_t key, int32_t main)
{
    const struct skr_axes *axes = &rr->axes[words->level];
    int64_t weight = 0;
    for (int32_t k = 0; k < words->n_keys; k++) {
        int32_t scope = words->scope[k];
        int32_t amount = skr_axes_amount(axes, key, main, scope);
        weight += words->table[scope][amount];
    }
    return weight;
}
