/* SPDX-License-Identifier: Apache-2.0 */
/* When free memory is given back. */
#include "server/daemon/memory.h"
#include "test/test.h"
#include "topology/base/arena.h"

enum { MB = 1000000 };

TEST(much_that_is_free_is_given_back_once)
{
    struct skr_memory memory = {0};
    assert_true(skr_memory_note(&memory, 300 * (size_t)MB, 60 * MB));
    assert_false(skr_memory_note(&memory, 300 * (size_t)MB, 60 * MB));
    assert_false(skr_memory_note(&memory, 304 * (size_t)MB, 56 * MB));
    assert_true(skr_memory_note(&memory, 200 * (size_t)MB, 160 * MB)); /* many pods went */
    assert_false(skr_memory_note(&memory, 200 * (size_t)MB, 160 * MB));
    assert_true(skr_memory_note(&memory, 200 * (size_t)MB, 90 * MB)); /* it was in use meanwhile */
}

TEST(little_that_is_free_is_let_be)
{
    struct skr_memory memory = {0};
    assert_false(skr_memory_note(&memory, 4 * MB, SKR_MEMORY_FREE_MIN - 1));
    assert_true(skr_memory_note(&memory, 4 * MB, SKR_MEMORY_FREE_MIN));
}

TEST(the_process_may_tend_its_memory_at_any_time)
{
    struct skr_memory memory = {0};
    SKR_AUTO_FREE char *kept = malloc(1000);
    memset(kept, 7, 1000);
    skr_memory_tend(&memory);
    skr_memory_tend(&memory);
    assert_int_equal(kept[999], 7);
}
