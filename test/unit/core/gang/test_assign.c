/* SPDX-License-Identifier: Apache-2.0 */
/* Who goes where and with which rank: dealing of fresh gangs, replacements, adoption; of equal members and of roles. */
#include "core/gang/group/assign.h"
#include "test/test.h"
#include "topology/base/error.h"

#define MAX_SEATS 16

/* Racks of nodes named rack-R and node-N, N counted through; widths: nodes per rack, 0 ends. */
static struct skr_tree *make_tree(const int *widths)
{
    static const char *const levels[] = {"rack", "node"};
    struct skr_tree *tree = NULL;
    SKR_AUTO(skr_tree_builder_destroy) struct skr_tree_builder *b = skr_tree_builder_create("t");
    int node = 0;
    for (int rack = 0; widths[rack] > 0; rack++) {
        assert_int_equal(skr_tree_builder_add(b, 1, test_text("rack-%d", rack), NULL), 0);
        for (int i = 0; i < widths[rack]; i++) {
            assert_int_equal(skr_tree_builder_add(b, 2, test_text("node-%d", node++), NULL), 0);
        }
    }
    assert_int_equal(skr_tree_builder_finish(b, levels, 2, NULL, 0, &tree, NULL, NULL), 0);
    return tree;
}

static const struct skr_rank_layout alike = {.n_roles = 1, .role = {{.kind = -1}}};

/* Deals members that are all alike. */
static int deal(const struct skr_tree *tree, const int32_t *count, struct skr_seat *seats, size_t n,
                struct skr_error *error)
{
    const struct skr_role_counts counts = {.total = count};
    return skr_assign(tree, &alike, &counts, seats, n, error);
}

static struct skr_tree *two_racks(void)
{
    static const int widths[] = {3, 3, 0};
    return make_tree(widths);
}

/* A newcomer when node is NULL. */
static struct skr_seat seat(const struct skr_tree *tree, const char *name, const char *node,
                            int32_t rank)
{
    struct skr_seat s = {.name = name, .index = -1, .node = node, .leaf = -1, .rank = -1};
    if (node) {
        s.claimed = true;
        s.leaf = skr_tree_find_leaf(tree, node);
        s.rank = rank;
    }
    return s;
}

static int by_rank(const void *a, const void *b)
{
    const struct skr_seat *left = a;
    const struct skr_seat *right = b;
    return left->rank < right->rank ? -1 : left->rank > right->rank;
}

/* "0:pod-0@node-0 1:pod-4@node-0", in rank order */
static void write_seats(const struct skr_seat *seats, size_t n, char *buffer, size_t size)
{
    struct skr_seat sorted[MAX_SEATS];
    size_t at = 0;
    memcpy(sorted, seats, n * sizeof seats[0]);
    qsort(sorted, n, sizeof sorted[0], by_rank);
    buffer[0] = '\0';
    for (size_t i = 0; i < n; i++) {
        at += (size_t)snprintf(buffer + at, size - at, "%s%d:%s@%s", i > 0 ? " " : "",
                               (int)sorted[i].rank, sorted[i].name, sorted[i].node);
    }
}

/* Runs on every rotation of the input: order must not matter. */
static void assert_dealt(const struct skr_tree *tree, const struct skr_rank_layout *layout,
                         const struct skr_role_counts *counts, const struct skr_seat *seats,
                         size_t n, const char *want)
{
    struct skr_seat rotated[MAX_SEATS];
    char got[1024];
    struct skr_error error = {.text = ""};
    for (size_t shift = 0; shift < n; shift++) {
        for (size_t i = 0; i < n; i++) {
            rotated[i] = seats[(i + shift) % n];
        }
        if (skr_assign(tree, layout, counts, rotated, n, &error) != 0) {
            fail_msg("%s", error.text);
        }
        for (size_t i = 0; i < n; i++) {
            assert_string_equal(rotated[i].name, seats[(i + shift) % n].name);
            assert_int_equal(rotated[i].leaf, skr_tree_find_leaf(tree, rotated[i].node));
        }
        write_seats(rotated, n, got, sizeof got);
        assert_string_equal(got, want);
    }
}

static void assert_seats(const struct skr_tree *tree, const int32_t *count,
                         const struct skr_seat *seats, size_t n, const char *want)
{
    const struct skr_role_counts counts = {.total = count};
    assert_dealt(tree, &alike, &counts, seats, n, want);
}

TEST(the_worked_example_is_dealt_along_the_rack)
{
    SKR_AUTO(skr_tree_unref) struct skr_tree *tree = two_racks();
    const int32_t count[] = {3, 3, 2, 0, 0, 0};
    struct skr_seat seats[8];
    char name[8][16];
    for (int i = 0; i < 8; i++) {
        snprintf(name[i], sizeof name[i], "pod-%d", i);
        seats[i] = seat(tree, name[i], NULL, -1);
    }
    assert_seats(tree, count, seats, 8,
                 "0:pod-0@node-0 1:pod-1@node-0 2:pod-2@node-0 3:pod-3@node-1 4:pod-4@node-1 "
                 "5:pod-5@node-1 6:pod-6@node-2 7:pod-7@node-2");
}

TEST(the_master_goes_first_and_names_are_in_natural_order)
{
    SKR_AUTO(skr_tree_unref) struct skr_tree *tree = two_racks();
    const int32_t count[] = {0, 2, 0, 2, 0, 1};
    static const struct {
        const char *names[5];
        const char *want;
    } row[] = {
        /* the name that contains "master" */
        {{"w-0", "w-1", "job-master-0", "w-2", "w-10"},
         "0:job-master-0@node-1 1:w-0@node-1 2:w-1@node-3 3:w-2@node-3 4:w-10@node-5"},
        /* the first of several */
        {{"b-master", "a-master", "z", "c", "A"},
         "0:a-master@node-1 1:A@node-1 2:b-master@node-3 3:c@node-3 4:z@node-5"},
        /* none: the first of all; capital letters sort first, shorter names too */
        {{"b", "B", "a", "aa", "a-1"}, "0:B@node-1 1:a@node-1 2:a-1@node-3 3:aa@node-3 4:b@node-5"},
        /* other spellings are no master */
        {{"Master", "mast-er", "c", "d", "e"},
         "0:Master@node-1 1:c@node-1 2:d@node-3 3:e@node-3 4:mast-er@node-5"},
    };
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        struct skr_seat seats[5];
        for (size_t k = 0; k < 5; k++) {
            seats[k] = seat(tree, row[i].names[k], NULL, -1);
        }
        assert_seats(tree, count, seats, 5, row[i].want);
    }
}

static struct skr_seat indexed(struct skr_seat s, int32_t index)
{
    s.index = index;
    return s;
}

TEST(indices_order_members_whatever_their_names)
{
    SKR_AUTO(skr_tree_unref) struct skr_tree *tree = two_racks();
    const int32_t fresh[] = {0, 2, 0, 2, 0, 0};
    const struct skr_seat all[] = {
        indexed(seat(tree, "d", NULL, -1), 0), indexed(seat(tree, "a", NULL, -1), 11),
        indexed(seat(tree, "c", NULL, -1), 2), indexed(seat(tree, "b", NULL, -1), 1)};
    assert_seats(tree, fresh, all, 4, "0:d@node-1 1:b@node-1 2:c@node-3 3:a@node-3");
    /* a master is first, in the order of indices */
    const struct skr_seat masters[] = {
        indexed(seat(tree, "w", NULL, -1), 0), indexed(seat(tree, "a-master", NULL, -1), 3),
        indexed(seat(tree, "b-master", NULL, -1), 2), indexed(seat(tree, "x", NULL, -1), 1)};
    assert_seats(tree, fresh, masters, 4,
                 "0:b-master@node-1 1:w@node-1 2:x@node-3 3:a-master@node-3");
}

TEST(a_replacement_takes_the_seat_of_its_index)
{
    SKR_AUTO(skr_tree_unref) struct skr_tree *tree = two_racks();
    const int32_t count[] = {2, 1, 1, 0, 0, 0};
    /* ranks 0, 2 and 3 are free, on node-0, node-1 and node-2 in that order */
    const struct skr_seat own[] = {
        indexed(seat(tree, "p", "node-0", 1), 1), indexed(seat(tree, "a", NULL, -1), 3),
        indexed(seat(tree, "b", NULL, -1), 2), indexed(seat(tree, "c", NULL, -1), 0)};
    assert_seats(tree, count, own, 4, "0:c@node-0 1:p@node-0 2:b@node-1 3:a@node-2");
    /* indices that are no free rank take what is left, in order */
    const struct skr_seat others[] = {
        indexed(seat(tree, "p", "node-0", 1), 1), indexed(seat(tree, "a", NULL, -1), 9),
        indexed(seat(tree, "b", NULL, -1), 2), indexed(seat(tree, "c", NULL, -1), 7)};
    assert_seats(tree, count, others, 4, "0:c@node-0 1:p@node-0 2:b@node-1 3:a@node-2");
    /* without indices by name */
    const struct skr_seat named[] = {seat(tree, "p", "node-0", 1), seat(tree, "w-10", NULL, -1),
                                     seat(tree, "w-9", NULL, -1), seat(tree, "w-2", NULL, -1)};
    assert_seats(tree, count, named, 4, "0:w-2@node-0 1:p@node-0 2:w-9@node-1 3:w-10@node-2");
}

/* A member that has ended, and where its index was. */
static struct skr_seat gone(const struct skr_tree *tree, const char *node, int32_t index,
                            int32_t rank)
{
    struct skr_seat s = indexed(seat(tree, "gone", node, rank), index);
    s.claimed = false;
    s.gone = true;
    return s;
}

static struct skr_seat counted(struct skr_seat s)
{
    s.counted = true;
    return s;
}

TEST(an_index_has_the_rank_that_it_had_or_that_its_neighbours_show)
{
    SKR_AUTO(skr_tree_unref) struct skr_tree *tree = two_racks();
    const struct skr_seat new3 = indexed(seat(tree, "new", NULL, -1), 3);
    const struct row {
        int32_t rank;
        struct skr_seat seat[4];
    } row[] = {
        {3, {new3, gone(tree, "node-0", 3, 3)}},          /* its own, and it is alone */
        {3, {counted(new3), gone(tree, "node-0", 0, 0)}}, /* its neighbour's, ... */
        {0, {new3, gone(tree, "node-0", 4, 1)}},          /* ... on the other side, ... */
        {2, {new3, gone(tree, "node-0", 2, 1), gone(tree, "node-0", 4, 3)}}, /* ... on both, */
        {0, {new3, gone(tree, "node-0", 2, 1), gone(tree, "node-0", 4, 1)}}, /* ... if they agree */
        {0, {new3, gone(tree, "node-0", 3 << 17, 9)}}, /* an index of another block */
        {0, {new3}},                                   /* alone: as in a fresh gang, ... */
        {3, {counted(new3)}},                          /* ... unless its controller counts */
        {7, {counted(new3), gone(tree, "node-0", 1, 5)}},
        {0, {new3, gone(tree, "node-0", 1, 5)}}, /* as many members were never seen */
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        const int32_t count[6] = {0, 1};
        struct skr_seat own[4];
        size_t n = 0;
        for (; n < 4 && row[i].seat[n].name; n++) {
            own[n] = row[i].seat[n];
        }
        assert_int_equal(deal(tree, count, own, n, NULL), 0);
        if (own[0].rank != row[i].rank || own[0].leaf != 1) {
            fail_msg("row %zu: rank %d on leaf %d", i, (int)own[0].rank, (int)own[0].leaf);
        }
    }
}

TEST(a_replacement_goes_where_its_index_was)
{
    SKR_AUTO(skr_tree_unref) struct skr_tree *tree = two_racks();
    const int32_t count[6] = {1, 1, 1, 1};
    struct skr_seat own[] = {indexed(seat(tree, "a", NULL, -1), 1),
                             indexed(seat(tree, "b", NULL, -1), 2),
                             indexed(seat(tree, "c", NULL, -1), 3),
                             indexed(seat(tree, "p", "node-3", 0), 0),
                             gone(tree, "node-2", 1, 1),
                             gone(tree, "node-0", 3, 3)};
    assert_int_equal(deal(tree, count, own, 6, NULL), 0);
    assert_string_equal(own[0].node, "node-2");
    assert_string_equal(own[1].node, "node-1");
    assert_string_equal(own[2].node, "node-0");
    for (int32_t i = 0; i < 3; i++) {
        assert_int_equal(own[i].rank, i + 1);
    }
}

/* A tree of three levels, two children each: distances 2, 4, 6, 8. */
static struct skr_tree *deep_tree(void)
{
    static const char *const levels[] = {"zone", "rack", "node"};
    struct skr_tree *tree = NULL;
    SKR_AUTO(skr_tree_builder_destroy) struct skr_tree_builder *b = skr_tree_builder_create("t");
    char name[48];
    for (int zone = 0; zone < 2; zone++) {
        snprintf(name, sizeof name, "zone-%d", zone);
        assert_int_equal(skr_tree_builder_add(b, 1, name, NULL), 0);
        for (int rack = 0; rack < 2; rack++) {
            snprintf(name, sizeof name, "rack-%d", rack); /* the same names in both zones */
            assert_int_equal(skr_tree_builder_add(b, 2, name, NULL), 0);
            for (int node = 0; node < 2; node++) {
                snprintf(name, sizeof name, "n%d%d%d", zone, rack, node);
                assert_int_equal(skr_tree_builder_add(b, 3, name, NULL), 0);
            }
        }
    }
    assert_int_equal(skr_tree_builder_finish(b, levels, 3, NULL, 0, &tree, NULL, NULL), 0);
    return tree;
}

TEST(d31_ranks_grow_with_the_distance_and_racks_do_not_interleave)
{
    SKR_AUTO(skr_tree_unref) struct skr_tree *tree = deep_tree();
    const int32_t count[] = {0, 1, 1, 1, 1, 1, 2, 1};
    struct skr_seat seats[8];
    static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h"};
    for (size_t i = 0; i < 8; i++) {
        seats[i] = seat(tree, names[i], NULL, -1);
    }
    assert_seats(tree, count, seats, 8,
                 "0:a@n001 1:b@n010 2:c@n011 3:d@n100 4:e@n101 5:f@n110 6:g@n110 7:h@n111");
}

TEST(a_replacement_inherits_the_freed_rank)
{
    SKR_AUTO(skr_tree_unref) struct skr_tree *tree = two_racks();
    const int32_t count[] = {2, 2, 0, 0, 0, 0};
    const struct skr_seat seats[] = {
        seat(tree, "p-0", "node-0", 0),
        seat(tree, "p-2", "node-1", 2),
        seat(tree, "p-3", "node-1", 3),
        seat(tree, "p-9", NULL, -1),
    };
    assert_seats(tree, count, seats, 4, "0:p-0@node-0 1:p-9@node-0 2:p-2@node-1 3:p-3@node-1");
}

TEST(freed_ranks_meet_places_in_tree_order_and_newcomers_by_name)
{
    SKR_AUTO(skr_tree_unref) struct skr_tree *tree = two_racks();
    const int32_t count[] = {1, 0, 2, 2, 1, 0};
    /* Ranks 0, 2 and 4 are free, even that of the master; places are node-0, node-2, node-4. */
    const struct skr_seat seats[] = {
        seat(tree, "p-1", "node-2", 1),     seat(tree, "p-3", "node-3", 3),
        seat(tree, "p-5", "node-3", 5),     seat(tree, "x", NULL, -1),
        seat(tree, "new-master", NULL, -1), seat(tree, "a", NULL, -1),
    };
    assert_seats(
        tree, count, seats, 6,
        "0:a@node-0 1:p-1@node-2 2:new-master@node-2 3:p-3@node-3 4:x@node-4 5:p-5@node-3");
}

TEST(seats_added_by_a_larger_size_get_the_next_ranks)
{
    SKR_AUTO(skr_tree_unref) struct skr_tree *tree = two_racks();
    const int32_t count[] = {2, 1, 1, 0, 0, 0};
    const struct skr_seat seats[] = {seat(tree, "p-0", "node-0", 0), seat(tree, "p-1", "node-0", 1),
                                     seat(tree, "p-2", NULL, -1), seat(tree, "p-3", NULL, -1)};
    assert_seats(tree, count, seats, 4, "0:p-0@node-0 1:p-1@node-0 2:p-2@node-1 3:p-3@node-2");
}

TEST(adopted_members_are_ranked_as_if_dealt)
{
    SKR_AUTO(skr_tree_unref) struct skr_tree *tree = two_racks();
    const int32_t count[] = {1, 1, 0, 2, 0, 0};
    /* Nobody has a rank: master first, then by distance, leaf, name. */
    const struct skr_seat none[] = {seat(tree, "a", "node-0", -1), seat(tree, "b", "node-3", -1),
                                    seat(tree, "c-master", "node-3", -1),
                                    seat(tree, "d", "node-1", -1)};
    assert_seats(tree, count, none, 4, "0:c-master@node-3 1:b@node-3 2:a@node-0 3:d@node-1");
    /* Some have: those keep theirs, the others follow, measured from rank 0. */
    const struct skr_seat some[] = {seat(tree, "a", "node-0", -1), seat(tree, "b", "node-3", 0),
                                    seat(tree, "c-master", "node-3", -1),
                                    seat(tree, "d", "node-1", 1)};
    assert_seats(tree, count, some, 4, "0:b@node-3 1:d@node-1 2:c-master@node-3 3:a@node-0");
    /* No room above the ranks held: the free ones below. */
    const struct skr_seat high[] = {seat(tree, "a", "node-0", -1), seat(tree, "b", "node-3", 3),
                                    seat(tree, "c", "node-3", -1), seat(tree, "d", "node-1", 1)};
    assert_seats(tree, count, high, 4, "0:a@node-0 1:d@node-1 2:c@node-3 3:b@node-3");
}

TEST(adopted_members_come_before_newcomers)
{
    SKR_AUTO(skr_tree_unref) struct skr_tree *tree = two_racks();
    const int32_t count[] = {2, 1, 1, 0, 0, 0};
    const struct skr_seat seats[] = {seat(tree, "z", "node-0", -1), seat(tree, "y", "node-1", -1),
                                     seat(tree, "a", NULL, -1), seat(tree, "b", NULL, -1)};
    assert_seats(tree, count, seats, 4, "0:y@node-1 1:z@node-0 2:a@node-0 3:b@node-2");
}

TEST(of_two_members_with_one_rank_the_first_by_name_keeps_it)
{
    SKR_AUTO(skr_tree_unref) struct skr_tree *tree = two_racks();
    const int32_t count[] = {3, 0, 0, 0, 0, 0};
    const struct skr_seat seats[] = {seat(tree, "b", "node-0", 1), seat(tree, "a", "node-0", 1),
                                     seat(tree, "c", "node-0", 0)};
    assert_seats(tree, count, seats, 3, "0:c@node-0 1:a@node-0 2:b@node-0");
}

TEST(ranks_beyond_the_size_stay)
{
    SKR_AUTO(skr_tree_unref) struct skr_tree *tree = two_racks();
    const int32_t count[] = {3, 0, 0, 0, 0, 0};
    const struct skr_seat seats[] = {seat(tree, "a", "node-0", 7),
                                     seat(tree, "b", "node-0", INT32_MAX),
                                     seat(tree, "c", NULL, -1)};
    assert_seats(tree, count, seats, 3, "0:c@node-0 7:a@node-0 2147483647:b@node-0");
}

TEST(d23_members_outside_the_tree_rank_last)
{
    SKR_AUTO(skr_tree_unref) struct skr_tree *tree = two_racks();
    const int32_t none[] = {0, 0, 0, 0, 0, 0};
    const struct skr_seat one[] = {seat(tree, "p", "elsewhere", -1)};
    assert_seats(tree, none, one, 1, "0:p@elsewhere");
    const struct skr_seat all[] = {seat(tree, "a", "y", -1), seat(tree, "b-master", "y", -1),
                                   seat(tree, "c", "x", -1)};
    assert_seats(tree, none, all, 3, "0:c@x 1:a@y 2:b-master@y");
    const int32_t count[] = {0, 0, 0, 1, 0, 1};
    const struct skr_seat mixed[] = {seat(tree, "a-master", "y", -1), seat(tree, "b", "node-5", -1),
                                     seat(tree, "c", "node-3", -1)};
    assert_seats(tree, count, mixed, 3, "0:b@node-5 1:c@node-3 2:a-master@y");
    /* one that has a rank keeps it, newcomers fill the others */
    const int32_t two[] = {1, 1, 0, 0, 0, 0};
    const struct skr_seat ranked[] = {seat(tree, "a", "y", 1), seat(tree, "b", NULL, -1),
                                      seat(tree, "c", NULL, -1)};
    assert_seats(tree, two, ranked, 3, "0:b@node-0 1:a@y 2:c@node-1");
}

TEST(nothing_to_assign_is_no_error)
{
    SKR_AUTO(skr_tree_unref) struct skr_tree *tree = two_racks();
    const int32_t count[] = {0, 0, 0, 0, 0, 0};
    assert_int_equal(deal(tree, count, NULL, 0, NULL), 0);
}

TEST(counts_that_do_not_match_the_seats_are_a_bug)
{
    SKR_AUTO(skr_tree_unref) struct skr_tree *tree = two_racks();
    const int32_t count[] = {1, 0, 0, 0, 0, 0};
    struct skr_error error;
    struct skr_seat two[] = {seat(tree, "a", NULL, -1), seat(tree, "b", NULL, -1)};
    assert_int_equal(deal(tree, count, two, 2, &error), -SKR_BUG);
    assert_string_equal(error.text, "1 new places for 2 newcomers");
    struct skr_seat claims[] = {seat(tree, "a", "node-0", 0), seat(tree, "b", "node-0", 1)};
    assert_int_equal(deal(tree, count, claims, 2, &error), -SKR_BUG);
    assert_string_equal(error.text, "node node-0: count 1 is less than 2 claims");
    struct skr_seat wrong[] = {seat(tree, "a", "node-0", 0)};
    wrong[0].leaf = 6;
    assert_int_equal(deal(tree, count, wrong, 1, &error), -SKR_BUG);
    assert_string_equal(error.text, "seat a: leaf 6 of 6");
}

/* Ranks are a permutation of 0 .. n - 1 and counts are met, whatever the mix of seats. */
TEST(ranks_are_a_permutation_for_any_mix)
{
    SKR_AUTO(skr_tree_unref) struct skr_tree *tree = two_racks();
    uint32_t seed = 12345;
    for (int round = 0; round < 2000; round++) {
        struct skr_seat seats[MAX_SEATS];
        char name[MAX_SEATS][32];
        bool taken[MAX_SEATS] = {false};
        int32_t count[6] = {0};
        int32_t got[6] = {0};
        size_t n = (size_t)(round % MAX_SEATS) + 1;
        for (size_t i = 0; i < n; i++) {
            seed = seed * 1664525 + 1013904223;
            uint32_t r = seed >> 8;
            snprintf(name[i], sizeof name[i], "p%u-%zu", (unsigned)(r % 7), i);
            int32_t leaf = (int32_t)(r / 7 % 7) - 1;
            uint32_t kind = r / 49 % 3;
            const char *node = leaf < 0 ? "out" : tree->unit_name[tree->first_leaf + leaf];
            if (kind == 0 && leaf >= 0) {
                seats[i] = seat(tree, name[i], NULL, -1);
            } else {
                seats[i] = seat(tree, name[i], node, kind == 1 ? (int32_t)(r / 147 % (n + 2)) : -1);
            }
            if (leaf >= 0) {
                count[leaf]++;
            }
        }
        assert_int_equal(deal(tree, count, seats, n, NULL), 0);
        for (size_t i = 0; i < n; i++) {
            assert_true(seats[i].rank >= 0);
            if ((size_t)seats[i].rank < n) {
                assert_false(taken[seats[i].rank]);
                taken[seats[i].rank] = true;
            }
            if (seats[i].leaf >= 0) {
                got[seats[i].leaf]++;
            }
        }
        assert_memory_equal(got, count, sizeof count);
    }
}

/* ---- roles ---- */

static struct skr_seat running(const struct skr_tree *tree, const char *name, uint8_t role,
                               int32_t set, const char *node, int32_t rank)
{
    struct skr_seat s = seat(tree, name, node, rank);
    s.role = role;
    s.set = set;
    return s;
}

static struct skr_seat newcomer(const char *name, uint8_t role, int32_t set)
{
    return running(NULL, name, role, set, NULL, -1);
}

static const struct skr_rank_layout leader_and_workers = {
    .n_roles = 2, .role = {{.size = 1, .kind = -1}, {.size = 4, .kind = -1}}};

TEST(roles_come_in_role_order_and_workers_near_the_leader_first)
{
    SKR_AUTO(skr_tree_unref) struct skr_tree *tree = make_tree((int[]){2, 2, 0});
    const int32_t leader[] = {0, 0, 1, 0}, worker[] = {1, 0, 2, 1}, total[] = {1, 0, 3, 1};
    const struct skr_role_counts counts = {.total = total, .of_role = {leader, worker}};
    struct skr_seat seat[] = {newcomer("w-3", 1, 0), newcomer("w-0", 1, 0), newcomer("l", 0, 0),
                              newcomer("w-1", 1, 0), newcomer("w-2", 1, 0)};
    assert_dealt(tree, &leader_and_workers, &counts, seat, 5,
                 "0:l@node-2 1:w-0@node-2 2:w-1@node-2 3:w-2@node-3 4:w-3@node-0");
}

TEST(a_lost_leader_gets_its_rank_back_and_workers_keep_theirs)
{
    SKR_AUTO(skr_tree_unref) struct skr_tree *tree = make_tree((int[]){2, 2, 0});
    const int32_t leader[] = {0, 1, 0, 0}, worker[] = {1, 0, 2, 1}, total[] = {1, 1, 2, 1};
    const struct skr_role_counts counts = {.total = total, .of_role = {leader, worker}};
    struct skr_seat seat[] = {
        newcomer("l-new", 0, 0),
        running(tree, "w-0", 1, 0, "node-2", 1),
        running(tree, "w-1", 1, 0, "node-2", 2),
        newcomer("w-new", 1, 0),
        running(tree, "w-3", 1, 0, "node-0", 4),
    };
    assert_dealt(tree, &leader_and_workers, &counts, seat, 5,
                 "0:l-new@node-1 1:w-0@node-2 2:w-1@node-2 3:w-new@node-3 4:w-3@node-0");
}

TEST(a_worker_does_not_take_the_rank_of_a_lost_leader)
{
    SKR_AUTO(skr_tree_unref) struct skr_tree *tree = make_tree((int[]){2, 2, 0});
    const int32_t leader[] = {0, 0, 0, 0}, worker[] = {1, 0, 2, 1}, total[] = {1, 0, 2, 1};
    const struct skr_role_counts counts = {.total = total, .of_role = {leader, worker}};
    struct skr_seat seat[] = {
        running(tree, "w-0", 1, 0, "node-2", 1),
        running(tree, "w-1", 1, 0, "node-2", 2),
        newcomer("w-new", 1, 0),
        running(tree, "w-3", 1, 0, "node-0", 4),
    };
    assert_dealt(tree, &leader_and_workers, &counts, seat, 4,
                 "1:w-0@node-2 2:w-1@node-2 3:w-new@node-3 4:w-3@node-0");
}

static const struct skr_rank_layout two_sets = {
    .n_roles = 2,
    .role = {{.size = 2, .kind = 0, .each = 1}, {.size = 4, .kind = 0, .each = 2}},
    .n_kinds = 1,
    .kind = {{.level = 1, .sets = 2}}};

TEST(sets_go_to_units_and_ranks_go_set_by_set)
{
    SKR_AUTO(skr_tree_unref) struct skr_tree *tree = make_tree((int[]){2, 2, 2, 0});
    const int32_t leader[] = {0, 0, 0, 1, 1, 0}, worker[] = {0, 0, 1, 1, 0, 2},
                  total[] = {0, 0, 1, 2, 1, 2};
    const struct skr_role_counts counts = {.total = total, .of_role = {leader, worker}};
    struct skr_seat seat[] = {newcomer("l-0", 0, 0), newcomer("l-1", 0, 1), newcomer("w-0", 1, 0),
                              newcomer("w-1", 1, 0), newcomer("w-2", 1, 1), newcomer("w-3", 1, 1)};
    assert_dealt(tree, &two_sets, &counts, seat, 6,
                 "0:l-0@node-3 1:w-0@node-2 2:w-1@node-3 3:l-1@node-4 4:w-2@node-5 5:w-3@node-5");
}

TEST(a_lost_member_of_a_set_is_replaced_in_its_unit)
{
    SKR_AUTO(skr_tree_unref) struct skr_tree *tree = make_tree((int[]){2, 2, 2, 0});
    const int32_t leader[] = {0, 0, 0, 1, 1, 0}, worker[] = {0, 0, 1, 1, 0, 2},
                  total[] = {0, 0, 1, 2, 1, 2};
    const struct skr_role_counts counts = {.total = total, .of_role = {leader, worker}};
    struct skr_seat seat[] = {
        running(tree, "l-0", 0, 0, "node-3", 0), newcomer("w-0b", 1, 0),
        running(tree, "w-1", 1, 0, "node-2", 2), running(tree, "l-1", 0, 1, "node-4", 3),
        running(tree, "w-2", 1, 1, "node-5", 4), newcomer("w-3b", 1, 1),
    };
    assert_dealt(tree, &two_sets, &counts, seat, 6,
                 "0:l-0@node-3 1:w-0b@node-3 2:w-1@node-2 3:l-1@node-4 4:w-2@node-5 5:w-3b@node-5");
}

TEST(a_member_named_master_is_first_whatever_its_role)
{
    SKR_AUTO(skr_tree_unref) struct skr_tree *tree = make_tree((int[]){2, 2, 0});
    const int32_t a[] = {1, 1, 0, 0}, b[] = {0, 0, 1, 1}, total[] = {1, 1, 1, 1};
    const struct skr_role_counts counts = {.total = total, .of_role = {a, b}};
    const struct skr_rank_layout layout = {
        .n_roles = 2, .role = {{.size = 2, .kind = -1}, {.size = 2, .kind = -1}}};
    struct skr_seat seat[] = {newcomer("a-0", 0, 0), newcomer("a-1", 0, 0), newcomer("b-0", 1, 0),
                              newcomer("b-master", 1, 0)};
    assert_dealt(tree, &layout, &counts, seat, 4,
                 "0:b-master@node-2 1:a-0@node-0 2:a-1@node-1 3:b-0@node-3");
}

TEST(a_total_is_split_in_rank_order)
{
    SKR_AUTO(skr_tree_unref) struct skr_tree *tree = make_tree((int[]){2, 2, 0});
    const int32_t total[] = {0, 2, 0, 3};
    const struct skr_role_counts counts = {.total = total};
    struct skr_seat seat[] = {newcomer("w-3", 1, 0), newcomer("w-0", 1, 0), newcomer("l", 0, 0),
                              newcomer("w-1", 1, 0), newcomer("w-2", 1, 0)};
    assert_dealt(tree, &leader_and_workers, &counts, seat, 5,
                 "0:l@node-1 1:w-0@node-1 2:w-1@node-3 3:w-2@node-3 4:w-3@node-3");
}

TEST(a_pinned_member_stays_and_the_others_fill_the_rest)
{
    SKR_AUTO(skr_tree_unref) struct skr_tree *tree = make_tree((int[]){2, 2, 0});
    const int32_t total[] = {1, 1, 1, 0};
    const struct skr_role_counts counts = {.total = total};
    const struct skr_rank_layout layout = {.n_roles = 1, .role = {{.size = 3, .kind = -1}}};
    struct skr_seat seat[] = {newcomer("p-0", 0, 0), newcomer("p-1", 0, 0), newcomer("p-2", 0, 0)};
    seat[0].pinned = true;
    seat[0].leaf = 2;
    assert_dealt(tree, &layout, &counts, seat, 3, "0:p-0@node-2 1:p-1@node-0 2:p-2@node-1");
}

TEST(adopted_workers_are_ranked_by_their_distance_from_the_leader)
{
    SKR_AUTO(skr_tree_unref) struct skr_tree *tree = make_tree((int[]){2, 2, 0});
    const int32_t leader[] = {0, 0, 1, 0}, worker[] = {1, 0, 2, 1}, total[] = {1, 0, 3, 1};
    const struct skr_role_counts counts = {.total = total, .of_role = {leader, worker}};
    struct skr_seat none[] = {
        running(tree, "l", 0, 0, "node-2", -1),
        running(tree, "w-0", 1, 0, "node-0", -1),
        running(tree, "w-1", 1, 0, "node-3", -1),
        running(tree, "w-2", 1, 0, "node-2", -1),
        newcomer("w-3", 1, 0),
    };
    assert_dealt(tree, &leader_and_workers, &counts, none, 5,
                 "0:l@node-2 1:w-2@node-2 2:w-1@node-3 3:w-0@node-0 4:w-3@node-2");
    struct skr_seat some[] = {
        running(tree, "l", 0, 0, "node-2", 0),
        running(tree, "w-0", 1, 0, "node-0", -1),
        running(tree, "w-1", 1, 0, "node-3", 2),
        running(tree, "w-2", 1, 0, "node-2", 2),
        newcomer("w-3", 1, 0),
    };
    assert_dealt(tree, &leader_and_workers, &counts, some, 5,
                 "0:l@node-2 1:w-3@node-2 2:w-1@node-3 3:w-2@node-2 4:w-0@node-0");
}

/* The leader and two workers have ended: the layout has room for the last worker alone. */
TEST(an_index_of_a_role_keeps_its_rank_when_other_roles_have_ended)
{
    SKR_AUTO(skr_tree_unref) struct skr_tree *tree = make_tree((int[]){2, 2, 0});
    struct skr_rank_layout layout = {.n_roles = 2,
                                     .role = {{.size = 1, .kind = -1}, {.size = 1, .kind = -1}}};
    int32_t other[6] = {1}, worker[6] = {0, 0, 1};
    const int32_t total[6] = {1, 0, 1};
    const struct skr_role_counts counts = {.total = total, .of_role = {other, worker}};
    struct skr_seat seat[] = {newcomer("w", 1, -1), newcomer("l", 0, -1), newcomer("gone", 1, -1)};
    seat[0].index = 3;
    seat[0].counted = true;
    seat[1].index = 0;
    seat[2].index = 1;
    seat[2].rank = 2;
    seat[2].gone = true;
    assert_int_equal(skr_assign(tree, &layout, &counts, seat, 3, NULL), 0);
    assert_int_equal(seat[0].rank, 4);
    assert_int_equal(seat[1].rank, 0);
}
