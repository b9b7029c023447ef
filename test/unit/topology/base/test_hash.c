/* SPDX-License-Identifier: Apache-2.0 */
/* Hash values and the index over them. */
#include "test/test.h"
#include "topology/base/hash.h"

static bool has(const struct skr_hash_index *index, uint32_t hash, uint32_t number)
{
    uint32_t found = 0;
    size_t hits = 0;
    for (size_t at = 0; skr_hash_index_next(index, hash, &at, &found);) {
        hits += found == number ? 1 : 0;
    }
    assert_true(hits <= 1);
    return hits == 1;
}

TEST(an_empty_index_has_nothing)
{
    struct skr_hash_index index = {NULL, 0, 0};
    assert_false(has(&index, 0, 0));
    skr_hash_index_add(&index, 7, 0);
    skr_hash_index_remove(&index, 7, 0);
    assert_false(has(&index, 7, 0));
    skr_hash_index_fini(&index);
    skr_hash_index_fini(&index);
}

TEST(numbers_with_one_hash_are_all_found)
{
    struct skr_hash_index index = {NULL, 0, 0};
    for (uint32_t i = 0; i < 100; i++) {
        skr_hash_index_add(&index, UINT32_MAX, i);
    }
    for (uint32_t i = 0; i < 100; i += 2) {
        skr_hash_index_remove(&index, UINT32_MAX, i);
    }
    skr_hash_index_remove(&index, UINT32_MAX, 99);
    skr_hash_index_add(&index, UINT32_MAX, 1000);
    for (uint32_t i = 0; i < 99; i++) {
        assert_int_equal(has(&index, UINT32_MAX, i), i % 2 == 1);
    }
    assert_false(has(&index, UINT32_MAX, 99));
    assert_true(has(&index, UINT32_MAX, 1000));
    skr_hash_index_fini(&index);
}

/* Few different hashes, many of them at both ends, so that runs are long and wrap around the end of the
 * table, which grows and shrinks meanwhile. */
TEST(a_random_walk_agrees_with_a_plain_array)
{
    enum { NUMBERS = 400 };
    static const uint32_t hashes[] = {0,          1,          2,          0x10000000,
                                      0x10000001, 0x40000000, 0x7fffffff, 0x80000000,
                                      0xfffffff0, 0xfffffffe, UINT32_MAX};
    static uint32_t hash[NUMBERS];
    static bool there[NUMBERS];
    struct skr_hash_index index = {NULL, 0, 0};
    uint32_t seed = 9;
    for (int step = 0; step < 20000; step++) {
        seed = seed * 1664525U + 1013904223U;
        uint32_t number = (seed >> 8) % (step < 10000 ? NUMBERS : 20);
        if (there[number]) {
            skr_hash_index_remove(&index, hash[number], number);
        } else {
            hash[number] = hashes[(seed >> 20) % 11];
            skr_hash_index_add(&index, hash[number], number);
        }
        there[number] = !there[number];
        for (uint32_t i = 0; step % 32 == 0 && i < NUMBERS; i++) {
            assert_int_equal(has(&index, hash[i], i), there[i]);
        }
    }
    size_t n = 0;
    for (uint32_t i = 0; i < NUMBERS; i++) {
        n += there[i] ? 1 : 0;
    }
    assert_int_equal(index.n, n);
    skr_hash_index_fini(&index);
}

/* Names that differ in a counter, as nodes do, must not crowd: with 2^17 slots and 2^16 names the
 * fullest slot of a good hash holds some eight. */
TEST(names_that_count_spread_over_the_low_bits)
{
    static unsigned char load[1 << 17];
    unsigned worst = 0;
    char name[32];
    for (int i = 0; i < 1 << 16; i++) {
        (void)snprintf(name, sizeof name, "node-%d", i);
        size_t at = skr_hash_string(name) & (sizeof load - 1);
        load[at]++;
        worst = load[at] > worst ? load[at] : worst;
    }
    assert_in_range(worst, 1, 12);
    memset(load, 0, sizeof load);
    worst = 0;
    for (uint64_t i = 0; i < 1 << 16; i++) {
        size_t at = skr_hash_pair(i << 32, UINT64_C(1) << 63) & (sizeof load - 1);
        load[at]++;
        worst = load[at] > worst ? load[at] : worst;
    }
    assert_in_range(worst, 1, 12);
}

TEST(an_index_takes_as_much_memory_as_its_entries_need)
{
    enum { N = 200000 };
    struct skr_hash_index index = {NULL, 0, 0};
    for (uint32_t round = 0; round < 3; round++) {
        for (uint32_t i = 0; i < N; i++) {
            skr_hash_index_add(&index, (uint32_t)skr_hash_pair(i, 0), i);
            if (i > 1000) {
                assert_in_range(index.n_slots, index.n * 4 / 3, index.n * 5 / 3 + 16);
            }
        }
        for (uint32_t i = 0; i < N; i++) {
            assert_true(has(&index, (uint32_t)skr_hash_pair(i, 0), i));
            skr_hash_index_remove(&index, (uint32_t)skr_hash_pair(i, 0), i);
            assert_in_range(index.n_slots, 0, index.n * 4 + 16);
        }
    }
    skr_hash_index_fini(&index);
}

/* The vectors of the SipHash-1-3 that Rust and others use: key 00 01 ... 0f, text 00 01 02 ... */
TEST(keyed_hashes_are_those_of_siphash_1_3)
{
    static const struct {
        size_t n;
        uint64_t hash;
    } vectors[] = {{0, UINT64_C(0xabac0158050fc4dc)},
                   {1, UINT64_C(0xc9f49bf37d57ca93)},
                   {2, UINT64_C(0x82cb9b024dc7d44d)},
                   {3, UINT64_C(0x8bf80ab8e7ddf7fb)}};
    const struct skr_hash_seed seed = {
        {UINT64_C(0x0706050403020100), UINT64_C(0x0f0e0d0c0b0a0908)}};
    static const unsigned char text[] = {0, 1, 2};
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
        assert_int_equal(skr_hash_keyed(&seed, text, vectors[i].n), vectors[i].hash);
    }
}

TEST(texts_that_are_joined_have_the_hash_of_the_whole)
{
    const struct skr_hash_seed seed = {{1, 2}};
    const uint64_t whole = skr_hash_keyed(&seed, "ns/web-1", 8);
    assert_int_equal(skr_hash_keyed_joined(&seed, "ns/", "web-", "1"), whole);
    assert_int_equal(skr_hash_keyed_joined(&seed, "ns/web-1", "", ""), whole);
    assert_int_not_equal(skr_hash_keyed_joined(&(struct skr_hash_seed){{1, 3}}, "ns/web-1", "", ""),
                         whole);
}
