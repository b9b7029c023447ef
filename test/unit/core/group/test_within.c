/* SPDX-License-Identifier: Apache-2.0 */
/* The shorthand within: what it adds to the rules, and what contradicts it. */
#include "core/group/group.h"
#include "test/test.h"

#define MAX_LABELS 8

static struct skr_labels labels_of(struct skr_label *item, const char *const *pairs)
{
    struct skr_labels labels = {.n = 0, .item = item};
    for (; pairs[2 * labels.n]; labels.n++) {
        item[labels.n] = (struct skr_label){pairs[2 * labels.n], pairs[2 * labels.n + 1]};
    }
    return labels;
}

static struct skr_group_spec *parse_good(const char *const *pairs)
{
    struct skr_label item[MAX_LABELS];
    struct skr_labels data = labels_of(item, pairs);
    struct skr_group_spec *spec = NULL;
    struct skr_error error = {.text = ""};
    if (skr_group_spec_parse(&data, &spec, &error) != 0) {
        fail_msg("%s", error.text);
    }
    return spec;
}

/* zone-0 with two racks of a node each, under the n last of the levels. */
static struct skr_tree *tree_of(const char *const *levels, size_t n)
{
    struct skr_tree *tree = NULL;
    SKR_AUTO(skr_tree_builder_destroy) struct skr_tree_builder *b = skr_tree_builder_create("t");
    for (int32_t l = 1; l <= (int32_t)n; l++) {
        assert_int_equal(skr_tree_builder_add(b, l, "unit", NULL), 0);
    }
    assert_int_equal(skr_tree_builder_finish(b, levels, n, NULL, 0, &tree, NULL, NULL), 0);
    return tree;
}

static const char *const levels[] = {"region", "zone", "rack", "node"};

TEST(within_is_a_hard_pack_on_its_level_and_on_all_above_in_any_tree)
{
    const char *pairs[] = {
        "constraints", "{\"node\":{\"type\":\"spread\",\"max\":2}}", "size", "8", "within", "rack",
        NULL};
    SKR_AUTO(skr_group_spec_destroy) struct skr_group_spec *spec = parse_good(pairs);
    assert_string_equal(spec->within, "rack");
    for (size_t above = 0; above < 3; above++) {
        struct skr_rule rules[SKR_LEVELS_MAX];
        SKR_STRBUF(why);
        SKR_AUTO(skr_tree_unref) struct skr_tree *tree = tree_of(levels + above, 4 - above);
        assert_int_equal(skr_group_rules(spec, NULL, tree, rules, NULL, NULL), 0);
        for (size_t l = 0; l < 3 - above; l++) {
            assert_true(rules[l].hard);
            assert_int_equal(rules[l].type, SKR_RULE_PACK);
        }
        assert_false(rules[3 - above].hard);
        assert_int_equal(rules[3 - above].type, SKR_RULE_SPREAD);
        assert_int_equal(rules[3 - above].max, 2);
        assert_false(skr_group_misfit(spec, tree, &why));
    }
}

TEST(within_a_level_that_the_tree_lacks_makes_the_group_malformed)
{
    const char *pairs[] = {"size", "8", "within", "rak", NULL};
    SKR_STRBUF(why);
    SKR_AUTO(skr_group_spec_destroy) struct skr_group_spec *spec = parse_good(pairs);
    SKR_AUTO(skr_tree_unref) struct skr_tree *tree = tree_of(levels + 2, 2);
    assert_true(skr_group_misfit(spec, tree, &why));
    assert_string_equal(why.s, "within: no level \"rak\" (did you mean \"rack\"?); the tree has "
                               "rack, node");
}

TEST(a_rule_of_its_level_that_one_unit_cannot_meet_is_an_error)
{
    static const struct {
        const char *rule, *what;
    } row[] = {
        {"{\"rack\":{\"partitions\":2}}", "partitions"},
        {"{\"rack\":{\"min\":9}}", "min"},
        {"{\"rack\":{\"max\":7}}", "max"},
        {"{\"rack\":{\"factor\":3}}", "factor"},
        {"{\"rack\":{\"type\":\"spread\",\"hard\":true}}", "hard spread"},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        char want[128];
        const char *pairs[] = {"constraints", row[i].rule, "size", "8", "within", "rack", NULL};
        struct skr_label item[MAX_LABELS];
        struct skr_labels data = labels_of(item, pairs);
        struct skr_group_spec *spec = NULL;
        struct skr_error error = {.text = ""};
        assert_int_equal(skr_group_spec_parse(&data, &spec, &error), -SKR_INVALID);
        snprintf(want, sizeof want,
                 "within: 1:1: one rack for all 8 members contradicts %s of level \"rack\" in "
                 "constraints",
                 row[i].what);
        assert_string_equal(error.text, want);
        assert_null(spec);
    }
}

TEST(a_rule_of_its_level_that_one_unit_meets_is_fine)
{
    const char *pairs[] = {
        "constraints", "{\"rack\":{\"partitions\":1,\"min\":8,\"max\":8,\"factor\":4}}",
        "size",        "8",
        "within",      "rack",
        NULL};
    SKR_AUTO(skr_group_spec_destroy) struct skr_group_spec *spec = parse_good(pairs);
    assert_int_equal(spec->n_warnings, 0);
    const char *spread[] = {"constraints", "{\"rack\":{\"type\":\"spread\"}}", "within", "rack",
                            NULL};
    SKR_AUTO(skr_group_spec_destroy) struct skr_group_spec *wish = parse_good(spread);
    assert_int_equal(wish->n_warnings, 1);
    assert_string_equal(wish->warning[0],
                        "within: 1:1: one rack for all members voids spread of level \"rack\"");
}

TEST(a_rule_above_it_that_one_unit_cannot_meet_is_found_with_the_tree)
{
    const char *pairs[] = {
        "constraints", "{\"zone\":{\"partitions\":2}}", "size", "8", "within", "rack", NULL};
    SKR_STRBUF(why);
    SKR_AUTO(skr_group_spec_destroy) struct skr_group_spec *spec = parse_good(pairs);
    SKR_AUTO(skr_tree_unref) struct skr_tree *tree = tree_of(levels, 4);
    assert_true(skr_group_misfit(spec, tree, &why));
    assert_string_equal(why.s, "within: one rack for all 8 members contradicts partitions of level "
                               "\"zone\", which is above it");
}

TEST(within_takes_part_in_the_comparison_of_groups)
{
    const char *a[] = {"size", "8", "within", "rack", NULL};
    const char *b[] = {"size", "8", "within", "zone", NULL};
    const char *c[] = {"size", "8", NULL};
    SKR_AUTO(skr_group_spec_destroy) struct skr_group_spec *rack = parse_good(a);
    SKR_AUTO(skr_group_spec_destroy) struct skr_group_spec *zone = parse_good(b);
    SKR_AUTO(skr_group_spec_destroy) struct skr_group_spec *none = parse_good(c);
    SKR_AUTO(skr_group_spec_destroy) struct skr_group_spec *same = parse_good(a);
    assert_true(skr_group_spec_equal(rack, same));
    assert_false(skr_group_spec_equal(rack, zone));
    assert_false(skr_group_spec_equal(rack, none));
    assert_false(skr_group_spec_equal(none, rack));
}

TEST(an_empty_or_too_long_level_is_refused_and_what_is_shown_of_it_is_short)
{
    char name[SKR_UNIT_NAME_MAX + 2];
    memset(name, 'r', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    const char *const bad[] = {"", "  ", name};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const char *pairs[] = {"within", bad[i], NULL};
        struct skr_label item[MAX_LABELS];
        struct skr_labels data = labels_of(item, pairs);
        struct skr_group_spec *spec = NULL;
        struct skr_error error = {.text = ""};
        assert_int_equal(skr_group_spec_parse(&data, &spec, &error), -SKR_INVALID);
        assert_non_null(strstr(error.text, "within: 1:1: must be the name of a level, got \""));
        assert_true(strlen(error.text) < 128);
    }
}

TEST(a_podgroup_has_it_in_an_annotation)
{
    struct skr_label item = {SKR_GROUP_WITHIN, "rack"};
    struct skr_podgroup pg = {.meta = {.name = "pg", .annotations = {.n = 1, .item = &item}},
                              .min_member = 4};
    struct skr_error error;
    SKR_AUTO(skr_group_spec_destroy) struct skr_group_spec *spec = NULL;
    assert_int_equal(skr_group_spec_from_podgroup(&pg, 0, NULL, &spec, &error), 0);
    assert_string_equal(spec->within, "rack");
    item.value = "";
    struct skr_group_spec *refused = NULL;
    assert_int_equal(skr_group_spec_from_podgroup(&pg, 0, NULL, &refused, &error), -SKR_INVALID);
    assert_string_equal(error.text,
                        "sakkara.group.within: 1:1: must be the name of a level, got \"\"");
    assert_null(refused);
}

/* zone-0 and zone-1 with a rack and a node each. */
static struct skr_tree *two_zones(void)
{
    static const char *const names[] = {"zone", "rack", "node"};
    struct skr_tree *tree = NULL;
    SKR_AUTO(skr_tree_builder_destroy) struct skr_tree_builder *b = skr_tree_builder_create("t");
    for (int i = 0; i < 2; i++) {
        assert_int_equal(skr_tree_builder_add(b, 1, i ? "zone-1" : "zone-0", NULL), 0);
        assert_int_equal(skr_tree_builder_add(b, 2, "rack", NULL), 0);
        assert_int_equal(skr_tree_builder_add(b, 3, test_text("node-%d", i), NULL), 0);
    }
    assert_int_equal(skr_tree_builder_finish(b, names, 3, NULL, 0, &tree, NULL, NULL), 0);
    return tree;
}

TEST(a_hard_pack_below_a_level_without_a_rule_is_told_what_it_means)
{
    static const struct {
        const char *constraints, *within;
        bool told;
    } row[] = {
        {"{\"rack\":{\"type\":\"pack\",\"hard\":true}}", NULL, true},
        {"{\"zone\":{},\"rack\":{\"type\":\"pack\",\"hard\":true}}", NULL, false},
        {"{\"zone\":{\"partitions\":2},\"rack\":{\"type\":\"pack\",\"hard\":true}}", NULL, false},
        {"{\"zone\":{\"hard\":true},\"rack\":{\"type\":\"pack\",\"hard\":true}}", NULL, false},
        {"{\"rack\":{\"type\":\"pack\"}}", NULL, false},
        {"{\"rack\":{\"type\":\"spread\",\"hard\":true}}", NULL, false},
        {"{\"rack\":{},\"zone\":{},\"node\":{\"type\":\"pack\",\"hard\":true}}", NULL, false},
        {"{\"rack\":{\"type\":\"pack\",\"hard\":true}}", "rack", false},
        {"{\"rack\":{\"type\":\"pack\",\"hard\":true}}", "zone", false},
    };
    SKR_AUTO(skr_tree_unref) struct skr_tree *tree = two_zones();
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        SKR_STRBUF(text);
        const char *pairs[] = {"constraints",
                               row[i].constraints,
                               "size",
                               "4",
                               row[i].within ? "within" : NULL,
                               row[i].within,
                               NULL};
        SKR_AUTO(skr_group_spec_destroy) struct skr_group_spec *spec = parse_good(pairs);
        assert_int_equal(skr_group_say_split(spec, tree, &text), row[i].told);
        assert_string_equal(text.s ? text.s : "",
                            row[i].told ? "constraints: 1:9: hard pack of level \"rack\" is one "
                                          "rack in each zone that is used; write within: rack for "
                                          "one in all, or a rule for zone, {} if this is meant"
                                        : "");
    }
    SKR_AUTO(skr_tree_unref) struct skr_tree *one = tree_of(levels + 1, 3);
    SKR_STRBUF(text);
    const char *pairs[] = {"constraints", row[0].constraints, NULL};
    SKR_AUTO(skr_group_spec_destroy) struct skr_group_spec *spec = parse_good(pairs);
    assert_false(skr_group_say_split(spec, one, &text)); /* one zone: it means one rack */
}
