/* SPDX-License-Identifier: Apache-2.0 */
#include "test/property/trial.h"

#include "test/test.h"
struct trial trial = {.seed = 1, .n = 10000};

const struct instance_shape trial_tiny = {.leaves = 9, .slots = 6, .n = 9};
const struct instance_shape trial_small = {.leaves = 16, .slots = 8, .n = 24};
const struct instance_shape trial_medium = {.leaves = 24, .slots = 20, .n = 63};
const struct instance_shape trial_large = {.leaves = 32, .slots = 60, .n = 700};
const struct instance_shape trial_wide = {.leaves = 30, .slots = 12, .n = 360, .wide = true};

void trial_begin(const char *name)
{
    trial.seed = test_number("SEED", trial.seed);
    trial.first = test_number("FIRST", 0);
    trial.n = test_number("N", trial.n);
    printf("%s: SEED=%" PRIu64 " FIRST=%" PRIu64 " N=%" PRIu64 "\n", name, trial.seed, trial.first,
           trial.n);
}

uint64_t trial_share(uint64_t part)
{
    return trial.n / part > 0 ? trial.n / part : 1;
}

/* ---- failures ---- */

static void keep(const struct instance *in)
{
    const char *folder = getenv("KEEP");
    char path[512];
    snprintf(path, sizeof path, "%s/failed-%" PRIu64 "-%" PRIu64 ".json", !folder ? "/tmp" : folder,
             trial.seed, trial.at);
    FILE *file = in->problem.roles ? NULL : fopen(path, "w");
    if (file) {
        instance_write(in, file);
        fclose(file);
        printf("  kept as %s\n", path);
    }
}

static void print_answer(const char *who, const struct instance *in, const struct oracle_answer *a)
{
    printf("  %s: %s", who, a->feasible ? "placed" : "infeasible");
    for (int32_t r = 0; a->feasible && r < instance_n_roles(in); r++) {
        printf(" %s:", in->problem.roles ? in->role[r].name : "members");
        for (int32_t leaf = 0; leaf < in->tree.n_leaves; leaf++) {
            printf(" %" PRId32, a->count[r][leaf]);
        }
    }
    printf("\n");
}

void trial_differ(const struct instance *in, const char *what, const struct oracle_answer *want,
                  const struct oracle_answer *got)
{
    printf("  SEED=%" PRIu64 " FIRST=%" PRIu64 " N=1: %s\n", trial.seed, trial.at, what);
    instance_print(in);
    if (want) {
        print_answer("wanted", in, want);
    }
    if (got) {
        print_answer("got", in, got);
    }
    struct instance smaller;
    instance_copy(&smaller, in);
    if (in->problem.n_domain_rules == 0 && trial_is_wrong(&smaller)) {
        int32_t changes = instance_shrink(&smaller, trial_is_wrong);
        printf("  smaller by %" PRId32 " changes:\n", changes);
        instance_print(&smaller);
    }
    keep(&smaller);
    fail_msg("%s", what);
}

void trial_fail(const struct instance *in, const char *what)
{
    trial_differ(in, what, NULL, NULL);
}

/* ---- answers ---- */

struct skr_solution *trial_solve(const struct instance *in)
{
    struct skr_solution *solution = NULL;
    struct skr_error error = {0};
    if (skr_solve(&in->problem, &solution, &error) != 0) {
        trial_fail(in, error.text);
    }
    return solution;
}

void trial_answer(const struct instance *in, const struct skr_solution *got,
                  struct oracle_answer *ret)
{
    const size_t n = (size_t)in->tree.n_leaves;
    memset(ret, 0, sizeof *ret);
    ret->feasible = got->status == SKR_SOLVE_PLACED;
    for (size_t r = 0; ret->feasible && r < in->roles.n_roles; r++) {
        const int32_t *count = in->problem.roles ? &got->roles->count[r * n] : got->count;
        memcpy(ret->count[r], count, n * sizeof(int32_t));
        ret->size[r] = in->problem.roles ? got->roles->size[r] : in->problem.n;
    }
}

void trial_solve_answer(const struct instance *in, struct oracle_answer *ret)
{
    SKR_AUTO(skr_solution_destroy) struct skr_solution *got = trial_solve(in);
    trial_answer(in, got, ret);
}

bool trial_answers_equal(const struct oracle_answer *a, const struct oracle_answer *b)
{
    return a->feasible == b->feasible &&
           (!a->feasible || (memcmp(a->size, b->size, sizeof a->size) == 0 &&
                             memcmp(a->count, b->count, sizeof a->count) == 0));
}

bool trial_keys_equal(const struct instance *in, const struct skr_solution *a,
                      const struct skr_solution *b)
{
    if (a->status != b->status || a->status != SKR_SOLVE_PLACED) {
        return a->status == b->status;
    }
    for (int32_t level = 0; level < in->tree.n_levels; level++) {
        const struct skr_level_key *x = &a->key[level], *y = &b->key[level];
        if (x->used != y->used || x->n_runs != y->n_runs ||
            memcmp(x->run, y->run, x->n_runs * sizeof *x->run) != 0) {
            return false;
        }
    }
    return true;
}

/* ---- what an answer has to be ---- */

static int descending(const void *a, const void *b)
{
    return *(const int32_t *)b - *(const int32_t *)a;
}

bool trial_key_is(const struct skr_level_key *key, const int32_t *amount, int32_t used)
{
    int32_t at = 0;
    for (size_t run = 0; run < key->n_runs; run++) {
        for (int32_t i = 0; i < key->run[run].mult; i++) {
            if (at == used || amount[at++] != key->run[run].count) {
                return false;
            }
        }
    }
    return at == used && key->used == used;
}

/* Whether the key has the amounts of the used units of the level. */
static bool key_is(const struct instance *in, const struct skr_level_key *key, int32_t level,
                   const int32_t *leaf_amount)
{
    int32_t amount[INSTANCE_UNITS_MAX] = {0};
    const int32_t first = in->tree.level_first[level];
    const int32_t n = in->tree.level_first[level + 1] - first;
    int32_t used = 0;
    for (int32_t leaf = 0; leaf < in->tree.n_leaves; leaf++) {
        amount[instance_unit(in, leaf, level) - first] += leaf_amount[leaf];
    }
    qsort(amount, (size_t)n, sizeof *amount, descending);
    while (used < n && amount[used] > 0) {
        used++;
    }
    return trial_key_is(key, amount, used);
}

static bool keys_are_right(const struct instance *in, const struct skr_solution *got,
                           const struct oracle_answer *answer)
{
    int32_t sum[INSTANCE_LEAVES_MAX] = {0};
    bool right = true;
    for (size_t r = 0; r < in->roles.n_roles; r++) {
        for (int32_t leaf = 0; leaf < in->tree.n_leaves; leaf++) {
            sum[leaf] += answer->count[r][leaf];
        }
    }
    right = memcmp(sum, got->count, (size_t)in->tree.n_leaves * sizeof *sum) == 0;
    for (int32_t level = 1; right && level <= in->tree.n_levels; level++) {
        right = key_is(in, &got->key[level - 1], level, sum);
        for (int32_t r = 0; right && r < instance_n_roles(in); r++) {
            if (instance_rule(in, r, level)) {
                const struct skr_level_key *own = got->roles->own_key[r];
                right = own && key_is(in, &own[level - 1], level, answer->count[r]);
            }
        }
    }
    return right;
}

static bool sets_are_right(const struct instance *in, const struct skr_solution *got,
                           const struct oracle_answer *answer)
{
    for (size_t k = 0; k < in->roles.n_kinds; k++) {
        const struct skr_set_kind *kind = &in->kind[k];
        int32_t members[INSTANCE_UNITS_MAX] = {0};
        size_t r = 0;
        while (kind->each[r] == 0) {
            r++;
        }
        for (int32_t leaf = 0; leaf < in->tree.n_leaves; leaf++) {
            members[instance_unit(in, leaf, kind->level)] += answer->count[r][leaf];
        }
        for (int32_t u = in->tree.level_first[kind->level];
             u < in->tree.level_first[kind->level + 1]; u++) {
            if (!got->roles->sets[k] || got->roles->sets[k][u] * kind->each[r] != members[u]) {
                return false;
            }
        }
    }
    return true;
}

/* What is wrong with a solution whatever the problem; NULL: nothing. */
static const char *fault(const struct instance *in, const struct skr_solution *got)
{
    struct oracle_answer answer;
    if (got->status != SKR_SOLVE_PLACED) {
        return got->status == SKR_SOLVE_TIMEOUT ? "timeout without a budget" : NULL;
    }
    trial_answer(in, got, &answer);
    const int rc = in->problem.roles
                       ? skr_roles_check(&in->problem, got->roles->size, got->roles->count, NULL)
                       : skr_solution_check(&in->problem, got->count, NULL);
    return rc != 0                                          ? "the checker refuses it"
           : !enumerator_is_valid(in, &answer, answer.size) ? "not valid"
           : !got->optimal                                  ? "not optimal"
           : !keys_are_right(in, got, &answer)              ? "keys are not those of the counts"
           : !sets_are_right(in, got, &answer)              ? "sets are not those of the counts"
                                                            : NULL;
}

/* What the solver says otherwise than the oracle; NULL: nothing. */
static const char *difference(const struct instance *in, const struct skr_solution *got,
                              const struct oracle_answer *want)
{
    struct oracle_answer answer;
    const char *what = fault(in, got);
    trial_answer(in, got, &answer);
    if (what || trial_answers_equal(&answer, want)) {
        return what;
    }
    return answer.feasible != want->feasible
               ? (answer.feasible ? "placed what is infeasible" : "refused what is feasible")
           : memcmp(answer.size, want->size, sizeof answer.size) != 0 ? "other sizes"
           : enumerator_compare(in, &answer, want) == 0               ? "another tie"
                                                                      : "a worse key";
}

void trial_check_answer(const struct instance *in, const struct skr_solution *got)
{
    const char *what = fault(in, got);
    if (what) {
        trial_fail(in, what);
    }
}

void trial_check_against(const struct instance *in, const struct skr_solution *got,
                         const struct oracle_answer *want)
{
    const char *what = difference(in, got, want);
    if (what) {
        struct oracle_answer answer;
        trial_answer(in, got, &answer);
        trial_differ(in, what, want, &answer);
    }
}

void trial_check_same(const struct instance *in, const struct instance *other, const char *what)
{
    struct oracle_answer want, got;
    trial_solve_answer(in, &want);
    trial_solve_answer(other, &got);
    if (!trial_answers_equal(&want, &got)) {
        trial_differ(in, what, &want, &got);
    }
}

/* Whether the solver's answer is another one. */
static bool differs(const struct instance *in, bool plain, const struct oracle_answer *want)
{
    struct skr_problem problem = in->problem;
    SKR_AUTO(skr_solution_destroy) struct skr_solution *got = NULL;
    problem.no_fast_paths = plain;
    problem.step_budget = -1;
    const int rc = skr_solve(&problem, &got, NULL);
    /* What was made smaller may be no problem any more. */
    return rc != 0 ? rc != -SKR_INVALID : !!difference(in, got, want);
}

bool trial_is_wrong(const struct instance *in)
{
    struct oracle_answer want = {.feasible = false};
    SKR_AUTO(skr_solution_destroy) struct skr_solution *got = NULL;
    if (in->problem.n <= trial_medium.n && in->tree.n_leaves <= trial_medium.leaves &&
        dp_solve(in, &want, NULL)) {
        return differs(in, false, &want) || differs(in, true, &want);
    }
    const int rc = skr_solve(&in->problem, &got, NULL);
    if (rc != 0) {
        return rc != -SKR_INVALID;
    }
    trial_answer(in, got, &want);
    return differs(in, true, &want);
}
