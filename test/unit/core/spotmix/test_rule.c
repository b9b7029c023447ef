/* SPDX-License-Identifier: Apache-2.0 */
/* Labels to numbers, numbers to classes. */
#include "test/test.h"

#include "core/spotmix/rule.h"

static const struct row {
    const char *title, *on, *max;
    bool is_on, invalid, all;
    int32_t value;
} rows[] = {
    {"on with a maximum", "true", "3", true, false, false, 3},
    {"nothing at all", NULL, NULL, false, false, true, 0},
    {"another value is off", "True", "3", false, false, false, 3},
    {"false is off", "false", NULL, false, false, true, 0},
    {"without a maximum all are on-demand", "true", NULL, true, false, true, 0},
    {"a word", "true", "three", true, true, true, 0},
    {"a sign", "true", "+3", true, true, true, 0},
    {"negative", "true", "-1", true, true, true, 0},
    {"empty", "true", "", true, true, true, 0},
    {"a blank", "true", "3 ", true, true, true, 0},
    {"leading zeros", "true", "007", true, false, false, 7},
    {"2^31-1", "true", "2147483647", true, false, false, INT32_MAX},
    {"beyond 2^31-1", "true", "2147483648", true, false, false, INT32_MAX},
    {"beyond every integer", "true", "99999999999999999999999999", true, false, false, INT32_MAX},
};

TEST_EACH(row, rows, labels_are_read_to_the_letter)
{
    struct skr_spotmix_rule rule;
    skr_spotmix_rule_parse(row->on, row->max, &rule);
    assert_int_equal(rule.on, row->is_on);
    assert_int_equal(rule.invalid, row->invalid);
    assert_int_equal(rule.all, row->all);
    if (!row->all) {
        assert_int_equal(rule.max, row->value);
    }
}

TEST(an_index_below_the_maximum_is_on_demand)
{
    struct skr_spotmix_rule rule;
    skr_spotmix_rule_parse("true", "2", &rule);
    assert_int_equal(skr_spotmix_rule_class(&rule, 0), SKR_SPOTMIX_ON_DEMAND);
    assert_int_equal(skr_spotmix_rule_class(&rule, 1), SKR_SPOTMIX_ON_DEMAND);
    assert_int_equal(skr_spotmix_rule_class(&rule, 2), SKR_SPOTMIX_SPOT);
    assert_int_equal(skr_spotmix_rule_class(&rule, -3), SKR_SPOTMIX_ON_DEMAND);
    skr_spotmix_rule_parse("true", "0", &rule);
    assert_int_equal(skr_spotmix_rule_class(&rule, 0), SKR_SPOTMIX_SPOT);
    assert_int_equal(skr_spotmix_rule_class(&rule, -1), SKR_SPOTMIX_ON_DEMAND);
    skr_spotmix_rule_parse("true", "x", &rule);
    assert_int_equal(skr_spotmix_rule_class(&rule, 99), SKR_SPOTMIX_ON_DEMAND);
}

static const struct index {
    const char *title, *text;
    int32_t value;
} indices[] = {
    {"zero", "0", 0},
    {"ten", "10", 10},
    {"leading zero", "01", -1},
    {"a sign", "-1", -1},
    {"empty", "", -1},
    {"absent", NULL, -1},
    {"a word", "one", -1},
    {"the largest", "2147483647", INT32_MAX},
    {"one more", "2147483648", -1},
};

TEST_EACH(index, indices, an_index_is_what_would_be_written)
{
    assert_int_equal(skr_spotmix_index_parse(index->text), index->value);
}

TEST(an_ordinal_follows_the_sets_name)
{
    assert_int_equal(skr_spotmix_ordinal_parse("db-10", "db"), 10);
    assert_int_equal(skr_spotmix_ordinal_parse("db-1-2", "db-1"), 2);
    assert_int_equal(skr_spotmix_ordinal_parse("db-x", "db"), -1);
    assert_int_equal(skr_spotmix_ordinal_parse("db", "db"), -1);
    assert_int_equal(skr_spotmix_ordinal_parse("web-1", "db"), -1);
    assert_int_equal(skr_spotmix_ordinal_parse("", "db"), -1);
}

TEST(keys_are_spelled_from_the_prefix)
{
    struct skr_spotmix_keys keys;
    struct skr_error error;
    char longest[80];
    assert_int_equal(skr_spotmix_keys_init(&keys, SKR_SPOTMIX_KEY_PREFIX, &error), 0);
    assert_string_equal(keys.class_, "cloudpilot.ai/webhook-scheduler-class");
    assert_string_equal(keys.max, "cloudpilot.ai/webhook-scheduler-max-on-demand-count");
    memset(longest, 'a', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    assert_int_equal(skr_spotmix_keys_init(&keys, longest, &error), -SKR_INVALID);
    assert_non_null(strstr(error.text, "keyPrefix"));
}
