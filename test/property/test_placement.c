/* SPDX-License-Identifier: Apache-2.0 */
/* Spread: the fast selection against its definition, and laws that hold for every input. */
#include "core/placement/spread.h"
#include "test/random.h"
#include "test/test.h"

enum { CLUSTERS_MAX = 14, VALUES = 4, BYTES_MAX = 1 << 20 };

struct instance {
    uint64_t seed;
    char name[CLUSTERS_MAX][24];
    const char *names[CLUSTERS_MAX];
    int64_t total[CLUSTERS_MAX];
    const char *value[CLUSTERS_MAX * SKR_SPREAD_LEVELS_MAX];
    struct skr_spread_constraint constraint[SKR_SPREAD_LEVELS_MAX];
    struct skr_spread_problem problem;
};

static size_t below(struct instance *x, size_t n)
{
    return (size_t)(random_of(&x->seed) % n);
}

static void draw(struct instance *x, uint64_t seed)
{
    static const char *const values[VALUES] = {"a", "b", "", "c"};
    *x = (struct instance){.seed = seed};
    struct skr_spread_problem *p = &x->problem;
    p->n = below(x, CLUSTERS_MAX + 1);
    p->n_levels = below(x, 10) == 0 ? SKR_SPREAD_LEVELS_MAX : below(x, 4);
    const int64_t extreme = below(x, 8) == 0 ? INT64_MAX : (int64_t)below(x, 400) + 1;
    for (size_t i = 0; i < p->n; i++) {
        snprintf(x->name[i], sizeof x->name[i], "c%02zu", i);
        x->names[i] = x->name[i];
        x->total[i] = (int64_t)(random_of(&x->seed) >> 1) % extreme * (below(x, 2) ? 1 : -1);
        for (size_t l = 0; l < p->n_levels; l++) {
            bool missing = below(x, 12) == 0;
            x->value[i * p->n_levels + l] = missing ? NULL : values[below(x, VALUES)];
        }
    }
    for (size_t l = 0; l < p->n_levels; l++) {
        x->constraint[l] = (struct skr_spread_constraint){
            .key = "k", .hard = below(x, 3) == 0, .max_skew = (int32_t)below(x, 3) + 1};
    }
    p->name = x->names;
    p->total = x->total;
    p->value = x->value;
    p->constraint = x->constraint;
    p->weight = (int32_t)below(x, 21) - 10;
    p->lexicographic = below(x, 3) == 0;
    p->want = below(x, CLUSTERS_MAX + 3);
}

static bool ignore(void *context, const struct skr_spread_step *step)
{
    (void)context;
    (void)step;
    return false;
}

TEST(the_fast_selection_equals_its_definition)
{
    for (size_t run = 0; run < test_number("N", 100000); run++) {
        struct instance x;
        struct skr_spread_result fast;
        struct skr_error error = {0};
        uint32_t slow[CLUSTERS_MAX + 1];
        SKR_AUTO(skr_arena_destroy) struct skr_arena *arena = skr_arena_create(BYTES_MAX, 0);
        draw(&x, run + 1);
        assert_int_equal(skr_spread_select(&x.problem, arena, &fast, &error), 0);
        int64_t n = skr_spread_select_slowly(&x.problem, arena, ignore, NULL, slow);
        if (n != (int64_t)fast.n ||
            (n > 0 && memcmp(slow, fast.order, (size_t)n * sizeof *slow) != 0)) {
            fail_msg("seed %zu: the two differ", run + 1);
        }
    }
}

/* min(capacity_t, smallest capacity + maxSkew) per domain, whatever the scores are. */
TEST(a_single_hard_level_ends_where_the_smallest_domain_lets_it)
{
    for (size_t run = 0; run < test_number("N", 20000); run++) {
        struct instance x;
        struct skr_spread_result fast;
        int32_t capacity[VALUES] = {0}, smallest = CLUSTERS_MAX, expected = 0;
        SKR_AUTO(skr_arena_destroy) struct skr_arena *arena = skr_arena_create(BYTES_MAX, 0);
        draw(&x, run + 1);
        x.problem.n_levels = 1;
        x.problem.want = x.problem.n;
        x.constraint[0] = (struct skr_spread_constraint){
            .key = "k", .hard = true, .max_skew = (int32_t)below(&x, 3) + 1};
        for (size_t i = 0; i < x.problem.n; i++) {
            size_t v = below(&x, VALUES);
            static const char *const values[VALUES] = {"a", "b", "c", "d"};
            x.value[i] = values[v];
            capacity[v]++;
        }
        for (size_t v = 0; v < VALUES; v++) {
            smallest = capacity[v] > 0 && capacity[v] < smallest ? capacity[v] : smallest;
        }
        for (size_t v = 0; v < VALUES; v++) {
            int32_t most = smallest + x.constraint[0].max_skew;
            expected += capacity[v] < most ? capacity[v] : most;
        }
        assert_int_equal(skr_spread_select(&x.problem, arena, &fast, NULL), 0);
        assert_int_equal(fast.n, expected);
    }
}

/* P + w * (200 (x - lo) / R - 100), compared as fractions with 128 bits. */
TEST(integer_keys_are_in_the_order_of_the_fractions)
{
    for (size_t run = 0; run < test_number("N", 100000); run++) {
        struct instance x = {.seed = run + 1};
        const uint64_t hi = random_of(&x.seed) >> 16, lo = hi > 0 ? random_of(&x.seed) % hi : 0;
        const struct skr_spread_problem p = {.weight = (int32_t)below(&x, 21) - 10};
        skr_int128 key[2];
        long double value[2];
        for (int i = 0; i < 2; i++) {
            uint64_t at = lo + (hi > lo ? random_of(&x.seed) % (hi - lo + 1) : 0);
            int64_t total = (int64_t)(random_of(&x.seed) % 60001) - 30000;
            key[i] = skr_spread_key(&p, at, lo, hi, total);
            value[i] =
                hi == lo
                    ? (long double)total
                    : (long double)total +
                          (long double)p.weight *
                              (200.0L * (long double)(at - lo) / (long double)(hi - lo) - 100.0L);
        }
        const long double apart = value[0] - value[1];
        if (apart > 1e-6L || apart < -1e-6L) {
            assert_true((key[0] > key[1]) == (apart > 0));
        }
    }
}
