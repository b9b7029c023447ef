/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes that are kept while leaves change are those that the solver places. */
#include "core/solver/sizes.h"
#include "test/property/trial.h"
#include "test/test.h"
#include "test/unit/solver_cluster.h"

enum { CHANGES = 8 };

static void no_claims(struct instance *in)
{
    memset(in->claimed, 0, sizeof in->claimed);
    in->problem.claimed = NULL;
}

static void slots_of(const struct instance *in, int32_t *slots)
{
    for (int32_t leaf = 0; leaf < in->tree.n_leaves; leaf++) {
        int64_t room = instance_room(in, 0, leaf);
        slots[leaf] = room > INT32_MAX ? INT32_MAX : (int32_t)room;
    }
}

static void check_all_sizes(struct instance *in, const struct skr_sizes *sizes)
{
    int32_t n = in->problem.n;
    for (in->problem.n = 1; in->problem.n <= skr_sizes_most(sizes); in->problem.n++) {
        SKR_AUTO(skr_solution_destroy) struct skr_solution *solution = trial_solve(in);
        bool placed = solution->status == SKR_SOLVE_PLACED;
        if (placed != skr_sizes_has(sizes, in->problem.n)) {
            trial_fail(in, placed ? "a size that can be placed is not there"
                                  : "a size that cannot be placed is there");
        }
    }
    in->problem.n = n;
}

/* A few leaves at once; ascending. */
static size_t change_leaves(struct instance *in, struct random *random, int32_t *leaf)
{
    size_t n = 0;
    int32_t step = in->tree.n_leaves / 3 + 1;
    for (int32_t at = random_below(random, step); at < in->tree.n_leaves;
         at += 1 + random_below(random, step)) {
        if (random_below(random, 4) == 0) {
            in->eligible[0][at] = !in->eligible[0][at];
        }
        for (int32_t r = 0; r < INSTANCE_RESOURCES; r++) {
            in->free[at * INSTANCE_RESOURCES + r] +=
                (random_below(random, 9) - 4) * in->demand[0][r];
        }
        leaf[n++] = at;
    }
    return n;
}

TEST(kept_sizes_are_those_that_can_be_placed)
{
    struct skr_sizes_pool *pool = skr_sizes_pool_create();
    size_t empty = skr_sizes_pool_bytes(pool);
    size_t kept = 0;
    EACH_TRIAL(trial_share(32))
    {
        struct random random = {.state = trial.at};
        struct instance in;
        int32_t slots[INSTANCE_LEAVES_MAX];
        int32_t leaf[INSTANCE_LEAVES_MAX];
        instance_make(&in, trial.seed + 60, trial.at,
                      trial.at % 4 == 3 ? &trial_large : &trial_small);
        no_claims(&in);
        slots_of(&in, slots);
        struct skr_sizes *sizes =
            skr_sizes_create(pool, &in.tree, in.rule, in.problem.n + 3, slots);
        for (int32_t c = 0; c < CHANGES && sizes; c++) {
            check_all_sizes(&in, sizes);
            size_t n = change_leaves(&in, &random, leaf);
            slots_of(&in, slots);
            skr_sizes_change(sizes, slots, leaf, n);
        }
        kept += sizes ? 1 : 0;
        skr_sizes_destroy(sizes);
    }
    assert_true(kept > 0);
    assert_true(skr_sizes_pool_bytes(pool) <= empty + ((size_t)1 << 20));
    skr_sizes_pool_destroy(pool);
}

/* More room never removes a size. The engine relies on it when it skips groups. */
TEST(more_room_takes_no_size_away)
{
    struct skr_sizes_pool *pool = skr_sizes_pool_create();
    EACH_TRIAL(trial_share(32))
    {
        struct random random = {.state = trial.at + 7};
        struct instance in;
        int32_t slots[INSTANCE_LEAVES_MAX];
        instance_make(&in, trial.seed + 61, trial.at, &trial_small);
        no_claims(&in);
        slots_of(&in, slots);
        int32_t most = in.problem.n + 3;
        struct skr_sizes *sizes = skr_sizes_create(pool, &in.tree, in.rule, most, slots);
        SKR_AUTO_FREE bool *had = skr_alloc_array((size_t)most + 1, sizeof *had);
        for (int32_t c = 0; c < CHANGES && sizes; c++) {
            for (int32_t n = 1; n <= most; n++) {
                had[n] = skr_sizes_has(sizes, n);
            }
            int32_t leaf = random_below(&random, in.tree.n_leaves);
            slots[leaf] += 1 + random_below(&random, 3);
            skr_sizes_change(sizes, slots, &leaf, 1);
            for (int32_t n = 1; n <= most; n++) {
                if (had[n] && !skr_sizes_has(sizes, n)) {
                    trial_fail(&in, "more room took a size away");
                }
            }
        }
        skr_sizes_destroy(sizes);
    }
    skr_sizes_pool_destroy(pool);
}

/* ---- sibling sets of many chunks ---- */

struct wide {
    struct cluster cluster;
    int32_t slots[1000];
};

static void wide_set(struct wide *w, int32_t leaf, int32_t slots)
{
    w->cluster.free[leaf] = slots;
    w->slots[leaf] = slots;
}

static bool wide_solve(struct wide *w, const struct skr_rule *rule, int32_t n)
{
    const struct skr_problem problem = cluster_problem(&w->cluster, rule, n);
    SKR_AUTO(skr_solution_destroy) struct skr_solution *solution = NULL;
    assert_int_equal(skr_solve(&problem, &solution, NULL), 0);
    return solution->status == SKR_SOLVE_PLACED;
}

static const struct skr_rule wide_rules[][2] = {
    {{.type = SKR_RULE_PACK}, {.type = SKR_RULE_PACK}},
    {{.type = SKR_RULE_PACK, .hard = true}, {.type = SKR_RULE_PACK}},
    {{.type = SKR_RULE_PACK, .hard = true}, {.max = 2}},
    {{.partitions = 3}, {.type = SKR_RULE_SPREAD, .hard = true}},
    {{.min = 7, .max = 20, .factor = 7}, {.min = 2, .max = 5}},
    {{.factor = 6}, {.factor = 2}},
    {{.min = 5, .factor = 3}, {.type = SKR_RULE_PACK, .hard = true}},
    {{.type = SKR_RULE_PACK}, {.factor = 3, .max = 8}},
};

TEST(wide_trees_keep_the_same_sizes)
{
    static const int32_t shape[][2] = {{1, 1}, {1, 17}, {1, 200}, {33, 3}, {50, 20}, {7, 70}};
    for (size_t s = 0; s < sizeof shape / sizeof *shape; s++) {
        for (size_t r = 0; r < sizeof wide_rules / sizeof *wide_rules; r++) {
            struct wide w;
            struct random random = {.state = s * 100 + r};
            struct skr_sizes_pool *pool = skr_sizes_pool_create();
            cluster_init(&w.cluster, shape[s], 2, 0);
            const int32_t n_leaves = w.cluster.tree.n_leaves;
            /* Room for about n members. */
            int32_t full = 100 - 100 * 20 / (20 + n_leaves);
            for (int32_t leaf = 0; leaf < n_leaves; leaf++) {
                wide_set(&w, leaf, random_percent(&random, full) ? 0 : random_below(&random, 7));
            }
            struct skr_sizes *sizes =
                skr_sizes_create(pool, &w.cluster.tree, wide_rules[r], 90, w.slots);
            assert_non_null(sizes);
            for (int32_t c = 0; c < 60; c++) {
                int32_t n = 1 + random_below(&random, 90);
                assert_int_equal(skr_sizes_has(sizes, n), wide_solve(&w, wide_rules[r], n));
                int32_t leaf = random_below(&random, n_leaves);
                wide_set(&w, leaf, random_percent(&random, full) ? 0 : random_below(&random, 7));
                skr_sizes_change(sizes, w.slots, &leaf, 1);
            }
            skr_sizes_destroy(sizes);
            skr_sizes_pool_destroy(pool);
            cluster_fini(&w.cluster);
        }
    }
}

TEST(rules_whose_merges_take_long_are_not_kept)
{
    static const int32_t slots[900], racks[] = {900, 1};
    struct cluster c;
    cluster_init(&c, racks, 2, 0);
    const struct skr_rule many[] = {{.partitions = 800}, {.type = SKR_RULE_PACK}};
    const struct skr_rule few[] = {{.partitions = 8}, {.type = SKR_RULE_PACK}};
    assert_false(skr_sizes_can_keep(&c.tree, many, 1000));
    assert_true(skr_sizes_can_keep(&c.tree, few, 1000));
    assert_false(skr_sizes_can_keep(&c.tree, few, 0));
    assert_false(skr_sizes_can_keep(&c.tree, few, SKR_SOLVER_MEMBERS_MAX + 1));
    struct skr_sizes_pool *pool = skr_sizes_pool_create();
    assert_null(skr_sizes_create(pool, &c.tree, many, 1000, slots));
    skr_sizes_pool_destroy(pool);
    cluster_fini(&c);
}

BEFORE_ALL
{
    trial_begin("solver sizes");
}
