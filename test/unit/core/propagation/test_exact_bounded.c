/* SPDX-License-Identifier: Apache-2.0 */
/* Selections that are too large for the exact tables: what is found is legal, and a no says whether it
 * is proven. */
#include "test/test.h"
#include "test/unit/fleet.h"

struct counts {
    int64_t of[SKR_SPREAD_FIELD_COUNT];
    int64_t room;
};

static bool selected_has(const struct skr_binding_decision *decision, size_t first, size_t n,
                         size_t field, const char *text)
{
    bool has = false;
    for (size_t i = first; i < n && !has; i++) {
        const struct skr_member_cluster *cluster =
            decision->candidate[decision->selected[i]].cluster;
        const char *of[] = {cluster->provider, cluster->region, cluster->zone[0]};
        has = strcmp(of[field], text) == 0;
    }
    return has;
}

/* Counted without the tree. */
static struct counts count(const struct skr_binding_decision *decision)
{
    struct counts counts = {.of = {[SKR_SPREAD_CLUSTER] = (int64_t)decision->n_selected}};
    for (size_t i = 0; i < decision->n_selected; i++) {
        const struct skr_candidate *candidate = &decision->candidate[decision->selected[i]];
        const struct skr_member_cluster *cluster = candidate->cluster;
        const char *of[] = {cluster->provider, cluster->region, cluster->zone[0]};
        for (size_t field = 0; field < SKR_SPREAD_LEVELS; field++) {
            counts.of[field] += selected_has(decision, 0, i, field, of[field]) ? 0 : 1;
        }
        counts.room += candidate->available;
    }
    return counts;
}

static void is_legal(const struct skr_binding_decision *decision, const struct fleet *f)
{
    const struct counts counts = count(decision);
    for (size_t i = 0; i < f->binding.placement.n_constraints; i++) {
        assert_in_range(counts.of[f->constraint[i].field], f->constraint[i].min_groups,
                        f->constraint[i].max_groups);
    }
    assert_true(counts.room >= f->binding.replicas);
}

static struct skr_binding_decision *decide(struct fleet *f, int32_t replicas)
{
    struct skr_binding_decision *decision = NULL;
    f->binding.replicas = replicas;
    assert_int_equal(
        skr_binding_decide(&f->binding, f->list, f->n, NULL, &f->options, NULL, &decision, NULL),
        0);
    return decision;
}

/* 12 of 20 providers, 30 of 80 regions, 60 of 400 zones, 120 of 5,000 clusters. */
static void make(struct fleet *f)
{
    fleet_make(f, 5000, 400);
    fleet_constrain(f, SKR_SPREAD_PROVIDER, 3, 12);
    fleet_constrain(f, SKR_SPREAD_REGION, 10, 30);
    fleet_constrain(f, SKR_SPREAD_ZONE, 40, 60);
    fleet_constrain(f, SKR_SPREAD_CLUSTER, 60, 120);
}

TEST(beyond_the_tables_a_legal_set_is_found)
{
    struct fleet f;
    make(&f);
    for (int32_t replicas = 4600; replicas >= 4400; replicas -= 50) {
        struct skr_binding_decision *decision = decide(&f, replicas);
        assert_string_equal(decision->message, "");
        assert_true(decision->fell_back);
        is_legal(decision, &f);
        skr_binding_decision_destroy(decision);
    }
    fleet_free(&f);
}

TEST(beyond_the_tables_a_no_says_whether_it_is_proven)
{
    struct fleet f;
    make(&f);
    bool was_placed = false;
    for (int32_t replicas = 4660; replicas >= 4580; replicas -= 4) {
        struct skr_binding_decision *decision = decide(&f, replicas);
        const bool placed = decision->code == SKR_PROPAGATION_PLACED;
        const bool proven = strstr(decision->message, ", best at most ");
        const bool open = strstr(decision->message, ": too many combinations to prove that ");
        assert_int_equal(placed + proven + open, 1);
        assert_false(proven && was_placed);
        assert_false(proven && replicas < 4600);
        assert_true(proven || replicas < 4640);
        was_placed = was_placed || placed;
        skr_binding_decision_destroy(decision);
    }
    assert_true(was_placed);
    fleet_free(&f);
}

TEST(beyond_the_tables_the_fewest_groups_are_reached_too)
{
    struct fleet f;
    fleet_make(&f, 5000, 400);
    fleet_constrain(&f, SKR_SPREAD_PROVIDER, 2, 3);
    fleet_constrain(&f, SKR_SPREAD_REGION, 12, 70);
    fleet_constrain(&f, SKR_SPREAD_ZONE, 60, 300);
    fleet_constrain(&f, SKR_SPREAD_CLUSTER, 100, 4000);
    struct skr_binding_decision *decision = decide(&f, 14000);
    assert_string_equal(decision->message, "");
    is_legal(decision, &f);
    skr_binding_decision_destroy(decision);
    fleet_free(&f);
}
