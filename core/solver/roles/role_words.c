/* SPDX-License-Identifier: Apache-2.0 */
/* The keys of a level: the own keys of the roles in role order, then the key of the group. */
#include "core/solver/roles/role_graph.h"

bool skr_role_words_init(struct skr_role_run *rr, int32_t level, struct skr_words *ret)
{
    *ret = (struct skr_words){.level = level};
    for (int32_t scope = 0; scope < rr->n_scopes; scope++) {
        if (rr->keyed[level][scope] && rr->n[scope] >= 1 &&
            !skr_words_add(&rr->run, ret, scope, &rr->law[level][scope], rr->n[scope])) {
            return false;
        }
    }
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

int64_t skr_role_words_weight(const struct skr_role_run *rr, const struct skr_words *words,
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
