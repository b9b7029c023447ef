/* SPDX-License-Identifier: Apache-2.0 */
/* The picture by itself: what differs, numbers of subjects, trees of rows, and its limits. */
#include <stdio.h>
#include <string.h>

#include "core/frame/picture.h"
#include "core/frame/picture_places.h"
#include "test/test.h"
#include "topology/base/arena.h"

struct world {
    struct skr_picture *picture;
    struct skr_tree *tree;
};

static struct skr_tree *make_tree(const char *const *name, size_t n)
{
    static const char *const level[] = {"rack", "node"};
    struct skr_picture_row row[16] = {0};
    struct skr_tree *tree = NULL;
    struct skr_error error;
    for (size_t i = 0; i < n; i++) {
        row[i].part[0] = i % 2 ? "b" : i % 4 ? NULL : "a";
        row[i].name = name[i];
    }
    assert_int_equal(skr_picture_tree_of("t", level, 1, row, n, &tree, &error), 0);
    return tree;
}

static void world_set_up(struct world *w)
{
    static const char *const name[] = {"n3", "n1", "n0", "n2"};
    static const struct skr_hash_seed seed;
    w->tree = make_tree(name, 4);
    w->picture = skr_picture_create("gangs", &seed);
}

static void world_tear_down(struct world *w)
{
    skr_picture_destroy(w->picture);
    skr_tree_unref(w->tree);
}

static uint32_t subject(struct world *w, const char *name, int64_t bound)
{
    const struct skr_picture_subject s = {
        .namespace_ = "ns", .name = name, .status = "Bound", .size = 2, .bound = bound};
    return skr_picture_subject(w->picture, &s);
}

static enum skr_picture_news end(struct world *w, const char *expected)
{
    SKR_STRBUF(change);
    const enum skr_picture_news news = skr_picture_end(w->picture, &change);
    if (expected && !strstr(change.s, expected)) {
        fail_msg("%s is not in %s", expected, change.s);
    }
    return news;
}

static void expect_document(struct world *w, const char *expected)
{
    SKR_STRBUF(text);
    skr_picture_write(w->picture, &text);
    if (!strstr(text.s, expected)) {
        fail_msg("%s is not in %s", expected, text.s);
    }
}

TEST_WITH(world, rows_become_a_tree_in_the_order_of_their_values)
{
    assert_true(skr_picture_begin(world->picture, world->tree, "pods", 1));
    assert_int_equal(end(world, NULL), SKR_PICTURE_ANEW);
    expect_document(world,
                    "\"domains\":[[-1,\"root\",0],[0,\"<none>\",1],[0,\"a\",1],[0,\"b\",1]]");
    expect_document(world, "[1,\"n0\",\"Missing\",0,0,0,[]],[2,\"n3\",\"Missing\",0,0,0,[]],"
                           "[3,\"n1\",\"Missing\",0,0,0,[]]");
}

TEST_WITH(world, only_what_differs_is_a_change)
{
    struct skr_picture *p = world->picture;
    skr_picture_begin(p, world->tree, "pods", 1);
    skr_picture_place(p, 0, SKR_PLACE_READY, 4, 0, 4);
    const uint32_t g = subject(world, "g", 0);
    assert_int_equal(end(world, NULL), SKR_PICTURE_ANEW);
    for (int i = 0; i < 2; i++) { /* the second one says the same */
        assert_false(skr_picture_begin(p, world->tree, "pods", 2));
        skr_picture_place(p, 0, SKR_PLACE_READY, 4, 2, 2);
        assert_int_equal(subject(world, "g", 2), g);
        skr_picture_unseat(p, g);
        skr_picture_seat(p, g, 0, 1, 1, SKR_SEAT_FIRM);
        skr_picture_seat(p, g, 0, 1, 1, SKR_SEAT_FIRM);
        assert_int_equal(end(world, i == 0 ? "\"nodes\":[[0,\"Ready\",2,2,[0,2,2]]],"
                                             "\"groups\":[[0,{\"bound\":2}]]"
                                           : NULL),
                         i == 0 ? SKR_PICTURE_CHANGED : SKR_PICTURE_SAME);
    }
    assert_int_equal(skr_picture_version(p), 2);
    skr_picture_begin(p, world->tree, "pods", 3);
    subject(world, "g", 2);
    skr_picture_seat(p, g, 0, 1, 1, SKR_SEAT_PLANNED);
    skr_picture_place(p, 0, SKR_PLACE_CORDONED, 8, 2, 0);
    assert_int_equal(end(world, "[[0,\"Cordoned\",2,0,[0,2,2,0,-1,1],8]]"), SKR_PICTURE_CHANGED);
    skr_picture_begin(p, world->tree, "pods", 4);
    skr_picture_keep_others(p);
    skr_picture_seat(p, g, 0, 1, 3, SKR_SEAT_RESERVED);
    assert_int_equal(end(world, "[0,2,2,0,-1,1,0,-1,-3]"), SKR_PICTURE_CHANGED);
}

TEST_WITH(world, a_subject_that_is_gone_leaves_its_number_empty)
{
    skr_picture_begin(world->picture, world->tree, "pods", 1);
    const uint32_t a = subject(world, "a", 0), b = subject(world, "b", 0);
    skr_picture_seat(world->picture, a, 1, 1, 1, SKR_SEAT_FIRM);
    end(world, NULL);
    skr_picture_begin(world->picture, world->tree, "pods", 2);
    assert_int_equal(subject(world, "b", 0), b);
    assert_int_equal(end(world, "\"nodes\":[[1,\"Missing\",0,0,[]]],\"groups\":[[0,null]]"),
                     SKR_PICTURE_CHANGED);
    skr_picture_begin(world->picture, world->tree, "pods", 3);
    subject(world, "b", 0);
    assert_int_equal(subject(world, "a", 0), 2);
    end(world, "[2,{\"namespace\":\"ns\",\"name\":\"a\"");
    expect_document(world, "\"groups\":[null,{");
}

TEST_WITH(world, too_many_gone_subjects_begin_a_picture_anew)
{
    enum skr_picture_news news = SKR_PICTURE_SAME;
    int rounds = 0;
    do {
        skr_picture_begin(world->picture, world->tree, "pods", rounds);
        subject(world, test_text("g%d", rounds++), 0);
        news = end(world, NULL);
    } while (rounds < 2 || (news == SKR_PICTURE_CHANGED && rounds < 2 * SKR_PICTURE_GONE_MAX));
    assert_int_equal(news, SKR_PICTURE_ANEW);
    assert_in_range(rounds, SKR_PICTURE_GONE_MAX, SKR_PICTURE_GONE_MAX + 4);
    expect_document(world, "\"groups\":[{");
}

TEST_WITH(world, marks_spare_a_subject_its_description)
{
    uint32_t number = 7;
    skr_picture_begin(world->picture, world->tree, "pods", 1);
    assert_false(skr_picture_keep(world->picture, NULL, "ns", "g", 5, NULL));
    skr_picture_mark(world->picture, subject(world, "g", 0), 5);
    end(world, NULL);
    skr_picture_begin(world->picture, world->tree, "pods", 2);
    assert_false(skr_picture_keep(world->picture, NULL, "ns", "g", 6, NULL));
    assert_true(skr_picture_keep(world->picture, NULL, "ns", "g", 5, &number));
    assert_int_equal(number, 0);
    assert_int_equal(end(world, NULL), SKR_PICTURE_SAME);
}

TEST_WITH(world, the_last_decisions_are_kept)
{
    skr_picture_begin(world->picture, world->tree, "pods", SKR_SECOND);
    const uint32_t g = subject(world, "g", 0);
    for (int i = 0; i < SKR_PICTURE_DECISIONS_MAX + 5; i++) {
        skr_picture_decide(world->picture, i * SKR_SECOND, g, SKR_DECISION_BOUND);
    }
    end(world, NULL);
    expect_document(world, "\"decisions\":[[5000,0,\"bound\"],[6000,0,\"bound\"]");
}

/* More leaves than places: their parents are drawn. */
TEST(a_picture_of_too_many_nodes_has_racks)
{
    static const struct skr_hash_seed seed;
    static const char *const level[] = {"rack", "node"};
    const size_t n = SKR_PICTURE_PLACES_MAX + 1;
    struct skr_picture_row *row = skr_alloc_array(n, sizeof *row);
    char(*name)[16] = skr_alloc_array(n, sizeof *name);
    char rack[2][8] = {"r0", "r1"};
    struct skr_tree *tree = NULL;
    struct skr_error error;
    for (size_t i = 0; i < n; i++) {
        snprintf(name[i], sizeof name[i], "n%zu", i);
        row[i] = (struct skr_picture_row){.part = {rack[i % 2]}, .name = name[i]};
    }
    assert_int_equal(skr_picture_tree_of("t", level, 1, row, n, &tree, &error), 0);
    struct skr_picture *p = skr_picture_create("gangs", &seed);
    assert_true(skr_picture_begin(p, tree, "pods", 1));
    assert_int_equal(skr_picture_place_of(p, 0), 0);
    assert_int_equal(skr_picture_place_of(p, tree->n_leaves - 1), 1);
    assert_int_equal(skr_picture_place_of(p, tree->n_leaves), -1);
    skr_picture_destroy(p);
    skr_tree_unref(tree);
    free(row);
    free(name);
}
