/* SPDX-License-Identifier: Apache-2.0 */
#include "test/property/roles_trial.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "test/test.h"

uint64_t roles_share(uint64_t part)
{
    return trial.n / part > 0 ? trial.n / part : 1;
}

struct skr_solution *roles_solve(const struct roles_instance *ri)
{
    struct skr_solution *got = NULL;
    struct skr_error error = {.text = ""};
    if (skr_solve(&ri->in.problem, &got, &error) != 0) {
        roles_instance_print(ri, stdout);
        fail_msg("%s", error.text);
    }
    return got;
}

void roles_to_answer(const struct roles_instance *ri, const struct skr_solution *got,
                     struct roles_answer *ret)
{
    const size_t n = (size_t)ri->in.tree.n_leaves;
    memset(ret, 0, sizeof *ret);
    ret->feasible = got->status == SKR_SOLVE_PLACED;
    for (size_t r = 0; ret->feasible && r < ri->roles.n_roles; r++) {
        memcpy(ret->count[r], &got->roles->count[r * n], n * sizeof(int32_t));
        ret->size[r] = got->roles->size[r];
    }
}

void roles_solve_answer(const struct roles_instance *ri, struct roles_answer *ret)
{
    SKR_AUTO(skr_solution_destroy) struct skr_solution *got = roles_solve(ri);
    roles_to_answer(ri, got, ret);
}

static int descending(const void *a, const void *b)
{
    return *(const int32_t *)b - *(const int32_t *)a;
}

/* Whether the key has the amounts of the used units of the level. */
static bool key_is(const struct roles_instance *ri, const struct skr_level_key *key, int32_t level,
                   const int32_t *leaf_amount)
{
    const struct skr_tree *tree = &ri->in.tree;
    int32_t amount[INSTANCE_UNITS_MAX] = {0};
    const int32_t first = tree->level_first[level];
    const int32_t n = tree->level_first[level + 1] - first;
    int32_t at = 0;
    for (int32_t leaf = 0; leaf < tree->n_leaves; leaf++) {
        int32_t u = tree->first_leaf + leaf;
        while (u >= tree->level_first[level + 1]) {
            u = tree->parent[u];
        }
        amount[u - first] += leaf_amount[leaf];
    }
    qsort(amount, (size_t)n, sizeof *amount, descending);
    for (size_t run = 0; run < key->n_runs; run++) {
        for (int32_t i = 0; i < key->run[run].mult; i++) {
            if (at == n || amount[at++] != key->run[run].count) {
                return false;
            }
        }
    }
    return at == key->used && (at == n || amount[at] == 0);
}

static bool keys_are_right(const struct roles_instance *ri, const struct skr_solution *got,
                           const struct roles_answer *answer)
{
    int32_t sum[INSTANCE_LEAVES_MAX] = {0};
    for (size_t r = 0; r < ri->roles.n_roles; r++) {
        for (int32_t leaf = 0; leaf < ri->in.tree.n_leaves; leaf++) {
            sum[leaf] += answer->count[r][leaf];
        }
    }
    if (memcmp(sum, got->count, (size_t)ri->in.tree.n_leaves * sizeof *sum) != 0) {
        return false;
    }
    for (int32_t level = 1; level <= ri->in.tree.n_levels; level++) {
        if (!key_is(ri, &got->key[level - 1], level, sum)) {
            return false;
        }
        for (size_t r = 0; r < ri->roles.n_roles; r++) {
            const struct skr_level_key *own = got->roles->own_key[r];
            if (ri->role[r].rule && ri->has_rule[r][level - 1] &&
                (!own || !key_is(ri, &own[level - 1], level, answer->count[r]))) {
                return false;
            }
        }
    }
    return true;
}

static bool sets_are_right(const struct roles_instance *ri, const struct skr_solution *got,
                           const struct roles_answer *answer)
{
    const struct skr_tree *tree = &ri->in.tree;
    for (size_t k = 0; k < ri->roles.n_kinds; k++) {
        const struct skr_set_kind *kind = &ri->kind[k];
        size_t r = 0;
        while (kind->each[r] == 0) {
            r++;
        }
        for (int32_t u = tree->level_first[kind->level]; u < tree->level_first[kind->level + 1];
             u++) {
            int32_t members = 0;
            for (int32_t leaf = 0; leaf < tree->n_leaves; leaf++) {
                int32_t above = tree->first_leaf + leaf;
                while (above > u) {
                    above = tree->parent[above];
                }
                members += above == u ? answer->count[r][leaf] : 0;
            }
            if (!got->roles->sets[k] || got->roles->sets[k][u] * kind->each[r] != members) {
                return false;
            }
        }
    }
    return true;
}

const char *roles_difference(const struct roles_instance *ri, const struct skr_solution *got,
                             const struct roles_answer *want)
{
    struct roles_answer answer;
    roles_to_answer(ri, got, &answer);
    if (got->status == SKR_SOLVE_TIMEOUT) {
        return "no answer";
    }
    if (answer.feasible != want->feasible) {
        return answer.feasible ? "placed what is infeasible" : "refused what is feasible";
    }
    if (!answer.feasible) {
        return NULL;
    }
    if (!got->optimal) {
        return "not optimal";
    }
    if (memcmp(answer.size, want->size, ri->roles.n_roles * sizeof *answer.size) != 0) {
        return "other sizes";
    }
    if (!roles_is_valid(ri, &answer, answer.size)) {
        return "not valid";
    }
    if (memcmp(answer.count, want->count, sizeof answer.count) != 0) {
        return roles_compare_keys(ri, &answer, want) == 0 ? "another tie" : "a worse key";
    }
    return !keys_are_right(ri, got, &answer)   ? "keys that are not those of the counts"
           : !sets_are_right(ri, got, &answer) ? "sets that are not those of the counts"
                                               : NULL;
}

static void print_answer(const char *who, const struct roles_instance *ri,
                         const struct roles_answer *a)
{
    printf("  %s: %s", who, a->feasible ? "placed" : "infeasible");
    for (size_t r = 0; a->feasible && r < ri->roles.n_roles; r++) {
        printf(" %s:", ri->role[r].name);
        for (int32_t leaf = 0; leaf < ri->in.tree.n_leaves; leaf++) {
            printf(" %" PRId32, a->count[r][leaf]);
        }
    }
    printf("\n");
}

void roles_fail(const struct roles_instance *ri, enum roles_kind kind, uint64_t index,
                const char *what, const struct roles_answer *want, const struct roles_answer *got)
{
    printf("  SEED=%" PRIu64 " FIRST=%" PRIu64 " N=1, kind %d: %s\n", trial.seed, index, (int)kind,
           what);
    roles_instance_print(ri, stdout);
    if (want) {
        print_answer("wanted", ri, want);
    }
    if (got) {
        print_answer("got", ri, got);
    }
    if (!getenv("GO_ON")) {
        fail_msg("%s", what);
    }
}
