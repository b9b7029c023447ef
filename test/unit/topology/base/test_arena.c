/* SPDX-License-Identifier: Apache-2.0 */
/* Arenas, and the allocation of engine state. */
#include <stdalign.h>

#include "test/test.h"
#include "topology/base/arena.h"

TEST(memory_is_zeroed_and_aligned)
{
    SKR_AUTO(skr_arena_destroy) struct skr_arena *arena = skr_arena_create(1 << 20, 64);
    for (size_t size = 0; size < 300; size++) {
        (void)skr_arena_strdup(arena, "x"); /* leaves the offset odd */
        unsigned char *p = skr_arena_alloc(arena, size);
        assert_non_null(p);
        assert_int_equal((uintptr_t)p % alignof(max_align_t), 0);
        for (size_t i = 0; i < size; i++) {
            assert_int_equal(p[i], 0);
        }
        memset(p, 0xA5, size);
    }
}

TEST(pointers_are_unique_even_of_size_zero)
{
    SKR_AUTO(skr_arena_destroy) struct skr_arena *arena = skr_arena_create(1000, 0);
    void *a = skr_arena_alloc(arena, 0);
    void *b = skr_arena_alloc(arena, 0);
    assert_non_null(a);
    assert_non_null(b);
    assert_ptr_not_equal(a, b);
}

TEST(a_request_larger_than_a_block_is_served)
{
    SKR_AUTO(skr_arena_destroy) struct skr_arena *arena = skr_arena_create(10 << 20, 16);
    char *p = skr_arena_alloc(arena, 3 << 20);
    assert_non_null(p);
    memset(p, 1, 3 << 20);
    assert_non_null(skr_arena_alloc(arena, 10));
}

TEST(the_limit_is_exact_and_does_not_end_the_arena)
{
    SKR_AUTO(skr_arena_destroy) struct skr_arena *arena = skr_arena_create(100, 8);
    assert_non_null(skr_arena_alloc(arena, 64));
    assert_null(skr_arena_alloc(arena, 37));
    assert_non_null(skr_arena_strndup(arena, "0123456789012345678901234567890123456789", 35));
    assert_int_equal(skr_arena_used(arena), 100);
    assert_null(skr_arena_alloc(arena, 0));
    assert_null(skr_arena_strdup(arena, ""));
}

TEST(sizes_that_overflow_are_refused)
{
    SKR_AUTO(skr_arena_destroy) struct skr_arena *arena = skr_arena_create(SIZE_MAX, 0);
    assert_null(skr_arena_array(arena, SIZE_MAX / 2, 3));
    assert_null(skr_arena_alloc(arena, SIZE_MAX - 8));
    assert_null(skr_arena_strndup(arena, "x", SIZE_MAX));
    assert_null(skr_arena_create(1, SIZE_MAX));
}

TEST(strings_are_copied)
{
    SKR_AUTO(skr_arena_destroy) struct skr_arena *arena = skr_arena_create(1000, 0);
    char text[] = "hello";
    char *whole = skr_arena_strdup(arena, text);
    char *part = skr_arena_strndup(arena, text, 4);
    text[0] = 'J';
    assert_string_equal(whole, "hello");
    assert_string_equal(part, "hell");
    assert_null(skr_arena_strdup(arena, NULL));
    skr_arena_destroy(NULL);
}

TEST(growing_doubles_keeps_and_zeroes)
{
    SKR_AUTO_FREE int *array = NULL;
    size_t cap = 0;
    for (size_t n = 1; n <= 1000; n++) {
        skr_grow(&array, &cap, n, sizeof array[0]);
        assert_true(cap >= n && cap <= 2 * n + 4);
        assert_int_equal(array[n - 1], 0);
        array[n - 1] = (int)n;
        assert_int_equal(array[n / 2], n / 2 + 1);
    }
    int *before = array;
    skr_grow(&array, &cap, 3, sizeof array[0]);
    assert_ptr_equal(array, before);
}

TEST(engine_memory_is_zeroed)
{
    char *p = skr_alloc(100);
    char *q = skr_alloc_array(10, 10);
    for (size_t i = 0; i < 100; i++) {
        assert_int_equal(p[i] | q[i], 0);
    }
    free(p);
    free(q);
    p = skr_alloc_array(0, 8);
    assert_non_null(p);
    free(p);
    p = skr_strdup("copy");
    assert_string_equal(p, "copy");
    free(p);
    assert_null(skr_strdup(NULL));
}
