/* SPDX-License-Identifier: Apache-2.0 */
/* Slabs of records, and texts of two parts. */
#include "test/test.h"
#include "topology/base/hash.h"
#include "topology/base/short_text.h"
#include "topology/base/slab.h"

struct record {
    uint64_t value;
    uint32_t check;
};

static struct record *at(const struct skr_slab *slab, uint32_t number)
{
    return skr_slab_at(slab, number);
}

TEST(records_are_zeroed_and_numbers_are_given_again)
{
    struct skr_slab slab = {.size = sizeof(struct record)};
    assert_int_equal(skr_slab_bytes(&slab), 0);
    assert_int_equal(skr_slab_add(&slab), 0);
    assert_int_equal(skr_slab_add(&slab), 1);
    at(&slab, 0)->value = 7;
    skr_slab_remove(&slab, 0);
    assert_int_equal(slab.n, 1);
    assert_int_equal(skr_slab_add(&slab), 0);
    assert_int_equal(at(&slab, 0)->value, 0);
    skr_slab_fini(&slab);
    assert_int_equal(skr_slab_add(&slab), 0);
    skr_slab_fini(&slab);
}

TEST(a_walk_sees_every_record_once_in_order_and_may_remove_it)
{
    enum { N = 1000 };
    struct skr_slab slab = {.size = sizeof(struct record)};
    uint32_t number = 0;
    size_t place = 0;
    assert_false(skr_slab_next(&slab, &place, &number));
    for (uint32_t i = 0; i < N; i++) {
        assert_int_equal(skr_slab_add(&slab), i);
    }
    for (uint32_t i = 0; i < N; i++) {
        if (i % 3 != 0) {
            skr_slab_remove(&slab, i);
        }
    }
    uint32_t expected = 0;
    for (place = 0; skr_slab_next(&slab, &place, &number); expected += 3) {
        assert_int_equal(number, expected);
        skr_slab_remove(&slab, number);
    }
    assert_int_equal(expected, (N + 2) / 3 * 3);
    assert_int_equal(slab.n, 0);
    skr_slab_fini(&slab);
}

TEST(memory_of_records_that_go_is_given_back)
{
    enum { N = 100000 };
    struct skr_slab slab = {.size = sizeof(struct record)};
    for (uint32_t i = 0; i < N; i++) {
        (void)skr_slab_add(&slab);
    }
    const size_t full = skr_slab_bytes(&slab);
    assert_in_range(full, N * sizeof(struct record), N * (sizeof(struct record) + 1));
    for (uint32_t i = 0; i < N; i++) {
        skr_slab_remove(&slab, i);
    }
    assert_in_range(skr_slab_bytes(&slab), 0, full / 20);
    for (uint32_t i = 0; i < N; i++) {
        (void)skr_slab_add(&slab);
    }
    assert_int_equal(skr_slab_bytes(&slab), full);
    skr_slab_fini(&slab);
}

/* Numbers of records that are there, in any order. */
struct model {
    uint32_t number[4096];
    uint64_t value[4096];
    size_t n;
};

static void compare(const struct skr_slab *slab, const struct model *model)
{
    size_t n = 0;
    uint32_t number;
    assert_int_equal(slab->n, model->n);
    for (size_t i = 0; i < model->n; i++) {
        assert_int_equal(at(slab, model->number[i])->value, model->value[i]);
        assert_int_equal(at(slab, model->number[i])->check, (uint32_t)model->value[i]);
    }
    for (size_t place = 0; skr_slab_next(slab, &place, &number);) {
        n++;
    }
    assert_int_equal(n, model->n);
}

TEST(random_comings_and_goings_agree_with_a_plain_list)
{
    for (uint64_t seed = 0; seed < 20; seed++) {
        struct skr_slab slab = {.size = sizeof(struct record)};
        struct model model = {.n = 0};
        size_t most = 0;
        for (uint64_t i = 0; i < 12000; i++) {
            const uint64_t draw = skr_hash_pair(seed, i);
            /* Grows, shrinks, and nearly empties in turns. */
            const uint64_t favour = i / 2000 % 2 == 0 ? 70 : 35;
            if (model.n < 4096 && (model.n == 0 || draw % 100 < favour)) {
                const uint32_t number = skr_slab_add(&slab);
                assert_int_equal(at(&slab, number)->value, 0);
                *at(&slab, number) = (struct record){.value = draw, .check = (uint32_t)draw};
                model.number[model.n] = number;
                model.value[model.n++] = draw;
            } else {
                const size_t which = (draw >> 32) % model.n;
                skr_slab_remove(&slab, model.number[which]);
                model.number[which] = model.number[--model.n];
                model.value[which] = model.value[model.n];
            }
            most = model.n > most ? model.n : most;
            if (i % 1000 == 0) {
                compare(&slab, &model);
            }
        }
        compare(&slab, &model);
        for (size_t i = 0; i < model.n; i++) { /* numbers are as dense as ever there were records */
            assert_in_range(model.number[i], 0, most + 255);
        }
        skr_slab_fini(&slab);
    }
}

/* ---- texts ---- */

TEST(a_text_of_any_length_is_kept)
{
    static const char all[] = "abcdefghijklmnopqrstuvwxyz0123456789";
    struct skr_short_text text = {.bytes = ""};
    assert_string_equal(skr_short_text_get(&text), "");
    for (size_t n = 0; n < sizeof all; n++) {
        char expected[sizeof all] = "";
        memcpy(expected, all, n);
        skr_short_text_set(&text, all, n);
        assert_string_equal(skr_short_text_get(&text), expected);
    }
    skr_short_text_set(&text, skr_short_text_get(&text) + 20, 16); /* of itself */
    assert_string_equal(skr_short_text_get(&text), "uvwxyz0123456789");
    skr_short_text_set(&text, skr_short_text_get(&text) + 1, 3);
    assert_string_equal(skr_short_text_get(&text), "vwx");
    skr_short_text_fini(&text);
    assert_string_equal(skr_short_text_get(&text), "");
}

TEST(a_name_has_a_stem_up_to_its_last_dash)
{
    assert_int_equal(skr_name_stem("web-5d8f7c9b6-x7k2p"), 14);
    assert_int_equal(skr_name_stem("db"), 0);
    assert_int_equal(skr_name_stem(""), 0);
    assert_int_equal(skr_name_stem("odd-"), 4);
    assert_int_equal(skr_name_stem("odd--"), 5);
    assert_int_equal(skr_name_stem("-1"), 1);
    assert_int_equal(skr_name_stem("1-2"), 2);
    assert_int_equal(skr_name_stem("train-7-x7k2p"), 6);
    assert_int_equal(skr_name_stem("train-12-7-x7k2p"), 6);
    assert_int_equal(skr_name_stem("train-123456-789-x7k2p"), 13);
    assert_int_equal(skr_name_stem("train-7-a-very-long-rest"), 20);
    assert_int_equal(skr_name_stem("train-7-averyveryverylongrest"), 8);
}
