/* SPDX-License-Identifier: Apache-2.0 */
/* How replicas are divided: hashes, ties, sums, and the strategies that are registered. */
#include "core/propagation/divide.h"
#include "core/propagation/strategy.h"
#include "test/test.h"

TEST(hashes_are_those_of_fnv_1a)
{
    assert_int_equal(skr_fnv1a(""), 0x811c9dc5);
    assert_int_equal(skr_fnv1a("a"), 0xe40c292c);
    assert_int_equal(skr_fnv1a("0b54a0c7-9c9e-4a3e-8f5d-2f1f6f6c0a11"), 0x7729972c);
    assert_int_equal(skr_fnv1a("0b54a0c7-9c9e-4a3e-8f5d-2f1f6f6c0a12"), 0x7a299be5);
}

TEST(ties_go_by_the_hash_of_the_uid_and_up_without_one)
{
    assert_false(skr_divide_descends(""));
    assert_false(skr_divide_descends("0b54a0c7-9c9e-4a3e-8f5d-2f1f6f6c0a11"));
    assert_true(skr_divide_descends("0b54a0c7-9c9e-4a3e-8f5d-2f1f6f6c0a12"));
}

TEST(a_tie_goes_by_name_up_or_down)
{
    struct skr_share share[] = {{.name = "a", .weight = 1}, {.name = "b", .weight = 1}};
    skr_divide(share, 2, 3, false);
    assert_int_equal(share[0].given, 2);
    skr_divide(share, 2, 3, true);
    assert_int_equal(share[0].given, 1);
}

TEST(ten_million_replicas_are_divided)
{
    enum { SHARES = 100 };
    static char name[SHARES][8];
    struct skr_share share[SHARES];
    int64_t sum = 0;
    for (size_t i = 0; i < SHARES; i++) {
        snprintf(name[i], sizeof name[i], "c%zu", i);
        share[i] = (struct skr_share){.name = name[i], .weight = (int64_t)(i * i + 1)};
    }
    skr_divide(share, SHARES, 10000000, false);
    for (size_t i = 0; i < SHARES; i++) {
        sum += share[i].given;
    }
    assert_int_equal(sum, 10000000);
}

static enum skr_propagation_code assign_nothing(struct skr_assign_call *call)
{
    (void)call;
    return SKR_PROPAGATION_NO_CANDIDATES;
}

TEST(a_strategy_is_registered_once)
{
    static const struct skr_strategy same_name = {"Duplicated", SKR_DIVISION_UNSUPPORTED,
                                                  assign_nothing};
    static const struct skr_strategy another = {"Another", SKR_DIVISION_UNSUPPORTED,
                                                assign_nothing};
    struct skr_strategies strategies = {.n = 0};
    skr_strategies_register_built_in(&strategies);
    assert_int_equal(strategies.n, 4);
    assert_int_equal(skr_strategies_register(&strategies, &same_name, NULL), -SKR_CONFLICT);
    assert_int_equal(skr_strategies_register(&strategies, &another, NULL), 0);
    assert_ptr_equal(skr_strategies_get(&strategies, SKR_DIVISION_UNSUPPORTED), &another);
}
