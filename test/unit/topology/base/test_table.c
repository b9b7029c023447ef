/* SPDX-License-Identifier: Apache-2.0 */
/* Names that a user computes so that they share a bucket. */
#include "test/test.h"

#include <stdlib.h>

#include "topology/base/arena.h"
#include "topology/base/table.h"

enum { CRAFTED = 400, HONEST = 20000, LOW_BITS = 0x3ff, CHAIN_MAX = 64 };

struct item {
    UT_hash_handle hh;
    char name[32];
};

struct world {
    struct item *table;
    struct item item[CRAFTED + HONEST];
    struct skr_hash_seed seed;
};

static void world_set_up(struct world *world)
{
    world->seed = (struct skr_hash_seed){{0x5eed, 0xfeed}};
}

static void world_tear_down(struct world *world)
{
    HASH_CLEAR(hh, world->table);
}

/* The i-th of names that uthash puts into one bucket of any table of up to 1,024. */
static void craft(struct world *world)
{
    unsigned long tried = 0;
    for (size_t i = 0; i < CRAFTED; i++) {
        char *name = world->item[i].name;
        unsigned hash;
        do {
            snprintf(name, sizeof world->item[i].name, "tenant/pod-%lu", tried++);
            HASH_VALUE(name, strlen(name), hash);
        } while ((hash & LOW_BITS) != 0x155);
    }
}

static unsigned longest_chain(const struct world *world)
{
    const UT_hash_table *table = world->table->hh.tbl;
    unsigned longest = 0;
    for (unsigned i = 0; i < table->num_buckets; i++) {
        longest = table->buckets[i].count > longest ? table->buckets[i].count : longest;
    }
    return longest;
}

static void name_honestly(struct world *world)
{
    for (size_t i = CRAFTED; i < CRAFTED + HONEST; i++) {
        snprintf(world->item[i].name, sizeof world->item[i].name, "honest/web-%zu", i);
    }
}

/* Why there are seeds: 400 names stop the table from growing, and 20,000 others pay for it. */
TEST_WITH(world, names_that_anyone_can_compute_make_chains_in_a_table_without_a_seed)
{
    craft(world);
    name_honestly(world);
    for (size_t i = 0; i < CRAFTED + HONEST; i++) {
        struct item *item = &world->item[i];
        HASH_ADD_STR(world->table, name, item);
        assert_true(i + 1 != CRAFTED || longest_chain(world) == CRAFTED);
    }
    assert_true(longest_chain(world) > CHAIN_MAX);
    assert_true(world->table->hh.tbl->noexpand);
}

TEST_WITH(world, the_same_names_are_spread_by_a_seed_and_the_table_grows)
{
    craft(world);
    name_honestly(world);
    for (size_t i = 0; i < CRAFTED + HONEST; i++) {
        struct item *item = &world->item[i], *found;
        SKR_TABLE_ADD(&world->seed, hh, world->table, item->name, strlen(item->name), item);
        SKR_TABLE_FIND_STR(&world->seed, world->table, item->name, found);
        assert_ptr_equal(found, item);
    }
    assert_true(longest_chain(world) < CHAIN_MAX);
    assert_false(world->table->hh.tbl->noexpand);
}

TEST_WITH(world, the_order_of_a_table_is_that_of_insertion_whatever_the_seed)
{
    craft(world);
    for (uint64_t seed = 0; seed < 3; seed++) {
        struct item *item, *next;
        size_t n = 0;
        world->seed.k[1] = seed;
        for (size_t i = 0; i < CRAFTED; i++) {
            item = &world->item[i];
            SKR_TABLE_ADD(&world->seed, hh, world->table, item->name, strlen(item->name), item);
        }
        HASH_ITER(hh, world->table, item, next)
        {
            assert_ptr_equal(item, &world->item[n++]);
        }
        HASH_CLEAR(hh, world->table);
    }
}
