/* SPDX-License-Identifier: Apache-2.0 */
/* The objects of a resource are found by key and walked in order, however many come and go. */
#include <stdio.h>

#include "server/lab/store/shelf.h"
#include "test/test.h"

enum { N = 700 };

/* Numbers in an order of their own. */
static void name_of(unsigned i, char name[16])
{
    (void)snprintf(name, 16, "pod-%u", i * 7919U % N);
}

static struct skr_shelf_item *put(struct skr_shelf *shelf, unsigned i)
{
    char name[16];
    name_of(i, name);
    return skr_shelf_insert(shelf, i % 2 == 0 ? "even" : "odd", name, json_integer(i));
}

static struct skr_shelf_item *find(const struct skr_shelf *shelf, unsigned i)
{
    char name[16];
    name_of(i, name);
    return skr_shelf_find(shelf, i % 2 == 0 ? "even" : "odd", name);
}

static void check_order(const struct skr_shelf *shelf)
{
    size_t n = 0;
    for (const struct skr_shelf_item *item = shelf->first[0]; item; item = item->next[0], n++) {
        const struct skr_shelf_item *next = item->next[0];
        const int order = next ? strcmp(item->namespace_, next->namespace_) : -1;
        assert_true(order < 0 || (order == 0 && strcmp(item->name, next->name) < 0));
        assert_ptr_equal(skr_shelf_find(shelf, item->namespace_, item->name), item);
    }
    assert_int_equal(n, shelf->n);
}

TEST(an_item_is_found_until_it_is_taken_out)
{
    struct skr_shelf shelf = {.n = 0};
    assert_null(find(&shelf, 0));
    for (unsigned i = 0; i < N; i++) {
        assert_null(find(&shelf, i));
        const struct skr_shelf_item *item = put(&shelf, i);
        assert_ptr_equal(find(&shelf, i), item);
    }
    assert_null(skr_shelf_find(&shelf, "odd", "pod-0"));
    check_order(&shelf);
    for (unsigned i = 0; i < N; i += 3) {
        skr_shelf_remove(&shelf, find(&shelf, i));
        assert_null(find(&shelf, i));
    }
    check_order(&shelf);
    for (unsigned i = 0; i < N; i++) {
        const struct skr_shelf_item *item = find(&shelf, i);
        assert_int_equal(!item, i % 3 == 0);
        assert_true(!item || json_integer_value(item->object) == (json_int_t)i);
    }
    for (unsigned i = 0; i < N; i += 3) {
        const struct skr_shelf_item *item = put(&shelf, i);
        assert_ptr_equal(find(&shelf, i), item);
    }
    check_order(&shelf);
    skr_shelf_fini(&shelf);
    assert_null(find(&shelf, 1));
}
