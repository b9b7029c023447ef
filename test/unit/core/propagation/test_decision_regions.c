/* SPDX-License-Identifier: Apache-2.0 */
/* Decisions among hundreds of regions: a search that would be too large is answered exactly. */
#include "test/test.h"
#include "test/unit/decision_world.h"

/* So many regions, of one cluster each, that the table of the search by regions would be too large:
 * (701 positions) * (701 numbers of regions) * (21 numbers of clusters). */
static void check_many_regions(const char *profile)
{
    enum { REGIONS = CLUSTERS_MAX };
    struct decision_world world = {.n = 0};
    struct skr_propagation_options settings;
    skr_strbuf_init(&world.targets);
    for (int i = 0; i < REGIONS; i++) {
        char name[16];
        char place[16];
        const char *word[3] = {name, place, "0/1"};
        snprintf(name, sizeof name, "c%03d", i);
        snprintf(place, sizeof place, "-/r%03d", i);
        decision_read_cluster(&world, word);
    }
    decision_set_options(profile, &settings);
    struct skr_binding *binding = decision_read_binding(
        &world, 5, DYNAMIC "," SPREAD(BY("region", 2, 700) "," BY("cluster", 20, 30)), NULL);
    struct skr_binding_decision *decision = decision_decide(&world, binding, &settings);
    assert_int_equal(decision->code, SKR_PROPAGATION_PLACED);
    assert_true(decision->fell_back);
    assert_int_equal(decision->n_selected, 20);
    skr_binding_decision_destroy(decision);
    skr_object_destroy(binding);
    decision_world_fini(&world);
}

TEST(a_search_by_regions_that_gives_up_is_answered_exactly)
{
    check_many_regions(NULL);
}

TEST(ninety_of_a_hundred_regions_are_found)
{
    enum { REGIONS = 100 };
    struct decision_world world = {.n = 0};
    struct skr_propagation_options settings;
    skr_strbuf_init(&world.targets);
    for (int i = 0; i < REGIONS; i++) {
        char name[16];
        char place[16];
        const char *word[3] = {name, place, i % 2 == 0 ? "0/1" : "0/2"};
        snprintf(name, sizeof name, "c%03d", i);
        snprintf(place, sizeof place, "p%d/r%03d", i % 3, i);
        decision_read_cluster(&world, word);
    }
    decision_set_options(NULL, &settings);
    struct skr_binding *binding = decision_read_binding(
        &world, 140,
        DYNAMIC "," SPREAD(BY("provider", 1, 3) "," BY("region", 2, 99) "," BY("cluster", 80, 99)),
        NULL);
    struct skr_binding_decision *decision = decision_decide(&world, binding, &settings);
    /* 50 of room 2 and 40 of room 1. */
    assert_int_equal(decision->code, SKR_PROPAGATION_PLACED);
    assert_int_equal(decision->n_selected, 90);
    skr_binding_decision_destroy(decision);
    skr_object_destroy(binding);
    decision_world_fini(&world);
}

/* Regions of room 2 + 1 and of 1 + 1: with 300 clusters all 190 regions have their first, the rest is
 * filled with the second of the better ones: 100 * 2 + 90 + 110. */
TEST(a_hundred_and_ninety_of_two_hundred_regions_are_found)
{
    enum { REGIONS = 200 };
    static const struct {
        int replicas;
        enum skr_propagation_code code;
    } cases[] = {{400, SKR_PROPAGATION_PLACED}, {401, SKR_PROPAGATION_NO_FEASIBLE_COMBINATION}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct decision_world world = {.n = 0};
        struct skr_propagation_options settings;
        skr_strbuf_init(&world.targets);
        for (int r = 0; r < REGIONS; r++) {
            for (int c = 0; c < 2; c++) {
                char name[16], place[16];
                const char *word[3] = {name, place, r % 2 == 0 && c == 0 ? "0/2" : "0/1"};
                snprintf(name, sizeof name, "c%03d-%d", r, c);
                snprintf(place, sizeof place, "-/r%03d", r);
                decision_read_cluster(&world, word);
            }
        }
        decision_set_options(NULL, &settings);
        struct skr_binding *binding = decision_read_binding(
            &world, cases[i].replicas,
            DYNAMIC "," SPREAD(BY("region", 150, 190) "," BY("cluster", 250, 300)), NULL);
        struct skr_binding_decision *decision = decision_decide(&world, binding, &settings);
        assert_int_equal(decision->code, cases[i].code);
        assert_null(strstr(decision->message, "too many"));
        skr_binding_decision_destroy(decision);
        skr_object_destroy(binding);
        decision_world_fini(&world);
    }
}

TEST(karmada_schedulers_search_that_gives_up_is_answered_exactly)
{
    check_many_regions("upstream");
}
