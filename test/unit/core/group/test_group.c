/* SPDX-License-Identifier: Apache-2.0 */
/* Groups from maps, PodGroups and labels: name, size, priority; comparison; rules on a tree. */
#include "core/group/group.h"
#include "core/group/lint.h"
#include "core/pod/pod.h"
#include "test/test.h"
#include "test/unit/json_text.h"

#define MAX_LABELS 8

/* Sorted keys and values, NULL-terminated. */
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

TEST(d14_a_map_with_name_and_size_only_packs_everywhere)
{
    const char *pairs[] = {"name", "group-a", "size", "8", NULL};
    SKR_AUTO(skr_group_spec_destroy) struct skr_group_spec *spec = parse_good(pairs);
    assert_string_equal(spec->name, "group-a");
    assert_int_equal(spec->size, 8);
    assert_int_equal(spec->priority, 0);
    assert_int_equal(spec->n_rules, 0);
    assert_int_equal(spec->n_warnings, 0);
}

TEST(an_empty_map_is_a_group_of_one)
{
    const char *pairs[] = {NULL};
    SKR_AUTO(skr_group_spec_destroy) struct skr_group_spec *spec = parse_good(pairs);
    assert_string_equal(spec->name, "");
    assert_int_equal(spec->size, 1);
    skr_group_spec_destroy(NULL);
}

TEST(blanks_around_numbers_are_tolerated)
{
    static const struct {
        const char *text;
        int32_t size;
    } row[] = {
        {"8", 8},   {" 8 ", 8}, {"\t8\n", 8}, {"8\r\n", 8},
        {"008", 8}, {"+8", 8},  {"1", 1},     {"100000", 100000},
    };
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        const char *pairs[] = {"priority", " -3\n", "size", row[i].text, NULL};
        SKR_AUTO(skr_group_spec_destroy) struct skr_group_spec *spec = parse_good(pairs);
        assert_int_equal(spec->size, row[i].size);
        assert_int_equal(spec->priority, -3);
    }
}

TEST(a_duration_of_a_map_is_one_of_the_configuration_up_to_a_day)
{
    static const struct {
        const char *text;
        int64_t seconds; /* -1: refused */
    } cases[] = {{"0", 0},         {"90s", 90},
                 {"1m30s", 90},    {"1.5m", 90},
                 {"24h", 86400},   {"24h1s", -1},
                 {"86401s", -1},   {"1d", -1},
                 {"90", -1},       {"-1s", -1},
                 {"", -1},         {" 5s", -1},
                 {"1000000h", -1}, {"9999999999999999999h", -1}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        skr_time value = -1;
        struct skr_error error;
        int rc = skr_group_duration_parse("seat-hold", cases[i].text, &value, &error);
        assert_int_equal(rc, cases[i].seconds < 0 ? -SKR_INVALID : 0);
        assert_int_equal(value, cases[i].seconds < 0 ? -1 : cases[i].seconds * SKR_SECOND);
    }
}

TEST(a_map_says_how_long_its_group_runs)
{
    const char *both[] = {"run-estimate", "1s", "run-limit", "720h", NULL}, *none[] = {NULL};
    SKR_AUTO(skr_group_spec_destroy) struct skr_group_spec *spec = parse_good(both);
    SKR_AUTO(skr_group_spec_destroy) struct skr_group_spec *without = parse_good(none);
    assert_int_equal(spec->run_limit, 30 * 86400 * SKR_SECOND);
    assert_int_equal(spec->run_estimate, SKR_SECOND);
    assert_int_equal(without->run_limit, SKR_TIME_NEVER);
    assert_int_equal(without->run_estimate, SKR_TIME_NEVER);
    assert_false(skr_group_spec_equal(spec, without));
}

TEST(a_map_with_a_minimum_is_elastic)
{
    const char *eight[] = {"minimum", "2", "size", "8", "step", "3", NULL};
    const char *uneven[] = {"minimum", "4", "size", "8", "step", "3", NULL};
    const char *whole[] = {"minimum", "8", "size", "8", "step", "3", NULL};
    SKR_AUTO(skr_group_spec_destroy) struct skr_group_spec *spec = parse_good(eight);
    SKR_AUTO(skr_group_spec_destroy) struct skr_group_spec *odd = parse_good(uneven);
    SKR_AUTO(skr_group_spec_destroy) struct skr_group_spec *same = parse_good(whole);
    assert_true(spec->open);
    assert_int_equal(spec->size, 2);
    assert_int_equal(spec->most, 8);
    assert_int_equal(spec->step, 3);
    assert_int_equal(spec->n_warnings, 0);
    assert_int_equal(odd->n_warnings, 1);
    assert_string_equal(odd->warning[0],
                        "step: 1:1: from a minimum of 4, steps of 3 do not reach size 8: at most 7 "
                        "members are placed");
    assert_false(same->open); /* all of them are the minimum */
    assert_int_equal(same->size, 8);
    assert_false(skr_group_spec_equal(spec, odd));
}

TEST(roles_have_a_minimum_each)
{
    static const char *const keys[] = {"minimum", "step"};
    for (size_t i = 0; i < 2; i++) {
        const char *first[] = {"minimum", "1", "roles", "{\"a\":{\"size\":2}}", NULL};
        const char *last[] = {"roles", "{\"a\":{\"size\":2}}", "step", "1", NULL};
        struct skr_label item[MAX_LABELS];
        const struct skr_labels data = labels_of(item, i == 0 ? first : last);
        SKR_AUTO(skr_group_spec_destroy) struct skr_group_spec *spec = NULL;
        struct skr_error error;
        SKR_STRBUF(text);
        skr_strbuf_addf(&text, "%s: 1:1: cannot be combined with roles, which have a minimum each",
                        keys[i]);
        assert_int_equal(skr_group_spec_parse(&data, &spec, &error), -SKR_INVALID);
        assert_string_equal(error.text, text.s);
    }
}

TEST(d15_a_malformed_map_names_key_and_defect)
{
    static const struct {
        const char *key, *value;
        int rc;
        const char *text;
    } row[] = {
        {"movable", "yes", -SKR_INVALID, "movable: 1:1: must be true or false, got \"yes\""},
        {"replace", "late", -SKR_INVALID, "replace: 1:1: must be early or whole, got \"late\""},
        {"minimum", "0", -SKR_INVALID, "minimum: 1:1: must be at least 1, got \"0\""},
        {"minimum", "two", -SKR_INVALID, "minimum: 1:1: must be a decimal integer, got \"two\""},
        {"minimum", "2", -SKR_INVALID, "minimum: 1:1: must be at most 1, got \"2\""},
        {"step", "2", -SKR_INVALID, "step: 1:1: must be at most 1, got \"2\""},
        {"step", "-1", -SKR_INVALID, "step: 1:1: must be at least 1, got \"-1\""},
        {"run-limit", "0", -SKR_INVALID,
         "run-limit: 1:1: must be a duration such as 90s, 45m or 36h, from 1s to 720h, got \"0\""},
        {"run-estimate", "721h", -SKR_INVALID,
         "run-estimate: 1:1: must be a duration such as 90s, 45m or 36h, from 1s to 720h, got "
         "\"721h\""},
        {"size", "", -SKR_INVALID, "size: 1:1: must be a decimal integer, got \"\""},
        {"size", "  ", -SKR_INVALID, "size: 1:3: must be a decimal integer, got \"  \""},
        {"size", "eight", -SKR_INVALID, "size: 1:1: must be a decimal integer, got \"eight\""},
        {"size", "8x", -SKR_INVALID, "size: 1:2: must be a decimal integer, got \"8x\""},
        {"size", "8 8", -SKR_INVALID, "size: 1:2: must be a decimal integer, got \"8 8\""},
        {"size", "\n 8.0", -SKR_INVALID, "size: 2:3: must be a decimal integer, got \"? 8.0\""},
        {"size", "0x8", -SKR_INVALID, "size: 1:2: must be a decimal integer, got \"0x8\""},
        {"size", "1e3", -SKR_INVALID, "size: 1:2: must be a decimal integer, got \"1e3\""},
        {"size", "-", -SKR_INVALID, "size: 1:2: must be a decimal integer, got \"-\""},
        {"size", "0", -SKR_INVALID, "size: 1:1: must be at least 1, got \"0\""},
        {"size", " -1", -SKR_INVALID, "size: 1:2: must be at least 1, got \" -1\""},
        {"size", "99999999999999999999", -SKR_INVALID,
         "size: 1:1: must be at most 2147483647, got \"99999999999999999999\""},
        {"size", "100001", -SKR_LIMIT, "size: 100001 members, a group has at most 100000"},
        {"priority", "", -SKR_INVALID, "priority: 1:1: must be a decimal integer, got \"\""},
        {"priority", "high", -SKR_INVALID,
         "priority: 1:1: must be a decimal integer, got \"high\""},
        {"priority", "2147483648", -SKR_INVALID,
         "priority: 1:1: must be at most 2147483647, got \"2147483648\""},
        {"priority", "-99999999999999999999", -SKR_INVALID,
         "priority: 1:1: must be at least -2147483648, got \"-99999999999999999999\""},
        {"name", "", -SKR_INVALID,
         "name: 1:1: must be usable as a label value (1 to 63 letters, digits, '-', '_', '.', a "
         "letter or digit at both ends), got \"\""},
        {"name", "a b", -SKR_INVALID,
         "name: 1:1: must be usable as a label value (1 to 63 letters, digits, '-', '_', '.', a "
         "letter or digit at both ends), got \"a b\""},
    };
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        struct skr_label item = {row[i].key, row[i].value};
        struct skr_labels data = {.n = 1, .item = &item};
        struct skr_group_spec *spec = NULL;
        struct skr_error error = {.text = ""};
        assert_int_equal(skr_group_spec_parse(&data, &spec, &error), row[i].rc);
        assert_string_equal(error.text, row[i].text);
        assert_int_equal(skr_group_spec_parse(&data, &spec, NULL), row[i].rc);
        assert_null(spec);
    }
}

TEST(a_user_s_text_is_cut_in_messages)
{
    char text[301];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    struct skr_label item = {"size", text};
    struct skr_labels data = {.n = 1, .item = &item};
    struct skr_group_spec *spec = NULL;
    struct skr_error error;
    assert_int_equal(skr_group_spec_parse(&data, &spec, &error), -SKR_INVALID);
    assert_non_null(strstr(error.text, "xxx...\""));
    assert_true(strlen(error.text) < 120);
}

TEST(the_name_of_a_map_is_known_before_it_is_parsed)
{
    static const struct {
        const char *name, *want;
    } row[] = {
        {"group-a", "group-a"},
        {"A.b_c-1", "A.b_c-1"},
        {"", NULL},
        {"-a", NULL},
        {"a-", NULL},
        {"a/b", NULL},
        {"\xC3\xA4", NULL},
        {"a123456789b123456789c123456789d123456789e123456789f123456789g12",
         "a123456789b123456789c123456789d123456789e123456789f123456789g12"},
        {"a123456789b123456789c123456789d123456789e123456789f123456789g123", NULL},
    };
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        struct skr_label item = {"name", row[i].name};
        struct skr_labels data = {.n = 1, .item = &item};
        const char *got = skr_group_map_name(&data, "map", NULL);
        if (!row[i].want) {
            assert_null(got);
        } else {
            assert_string_equal(got, row[i].want);
        }
    }
    struct skr_labels none = {.n = 0};
    struct skr_error error = {.text = ""};
    char long_name[65];
    memset(long_name, 'm', sizeof long_name - 1);
    long_name[sizeof long_name - 1] = '\0';
    assert_string_equal(skr_group_map_name(&none, "train-1", &error), "train-1");
    assert_null(skr_group_map_name(&none, long_name, &error));
    assert_string_equal(error.text, "name: missing, and metadata.name cannot stand for it: a label "
                                    "value has 1 to 63 letters, digits, '-', '_', '.'");
}

TEST(a_podgroup_gives_size_and_no_rules)
{
    static const struct {
        const char *json;
        int32_t size;
        const char *text; /* of the error */
    } row[] = {
        {"{'metadata':{'name':'pg'},'spec':{'minMember':4,'scheduleTimeoutSeconds':10}}", 4, ""},
        {"{'metadata':{'name':'pg'}}", 1, ""},
        {"{'metadata':{'name':'pg'},'spec':{'minMember':null}}", 1, ""},
        {"{'metadata':{'name':'pg'},'spec':{'minMember':0}}", 0,
         "spec.minMember: must be at least 1, got 0"},
        {"{'metadata':{'name':'pg'},'spec':{'minMember':-1}}", 0,
         "spec.minMember: must be at least 1, got -1"},
        {"{'metadata':{'name':'pg'},'spec':{'minMember':100001}}", 0,
         "spec.minMember: 100001 members, a group has at most 100000"},
    };
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        struct skr_podgroup *pg = NULL;
        SKR_AUTO(skr_group_spec_destroy) struct skr_group_spec *spec = NULL;
        struct skr_error error = {.text = ""};
        json_t *json = json_text_load(row[i].json);
        assert_int_equal(skr_podgroup_decode(json, &pg, &error), 0);
        json_decref(json);
        int rc = skr_group_spec_from_podgroup(pg, 5, NULL, &spec, &error);
        assert_string_equal(error.text, row[i].text);
        skr_podgroup_destroy(pg);
        assert_int_equal(rc == 0, row[i].text[0] == '\0');
        if (rc == 0) {
            assert_string_equal(spec->name, "pg");
            assert_int_equal(spec->size, row[i].size);
            assert_int_equal(spec->priority, 5);
            assert_int_equal(spec->n_rules, 0);
        }
    }
}

TEST(labels_make_soft_rules_in_order_of_levels)
{
    static const char *const pairs[] = {SKR_LABEL_CONSTRAINT "factor.rack",
                                        "2",
                                        SKR_LABEL_CONSTRAINT "max.node",
                                        "4",
                                        SKR_LABEL_CONSTRAINT "min.rack",
                                        "2",
                                        SKR_LABEL_CONSTRAINT "partitions.a.b",
                                        "1",
                                        SKR_LABEL_CONSTRAINT "type.rack",
                                        "spread",
                                        SKR_LABEL_GROUP,
                                        "g",
                                        SKR_LABEL_GROUP_SIZE,
                                        "8",
                                        NULL};
    struct skr_label item[MAX_LABELS];
    struct skr_labels labels = labels_of(item, pairs);
    SKR_AUTO(skr_group_spec_destroy) struct skr_group_spec *spec = NULL;
    struct skr_error error = {.text = ""};
    assert_int_equal(skr_group_spec_from_labels("g", &labels, -1, &spec, &error), 0);
    assert_string_equal(spec->name, "g");
    assert_int_equal(spec->size, 8);
    assert_int_equal(spec->priority, -1);
    assert_int_equal(spec->n_rules, 3);
    assert_string_equal(spec->rule[0].level, "a.b");
    assert_int_equal(spec->rule[0].rule.partitions, 1);
    assert_string_equal(spec->rule[1].level, "node");
    assert_int_equal(spec->rule[1].rule.max, 4);
    assert_string_equal(spec->rule[2].level, "rack");
    assert_int_equal(spec->rule[2].rule.type, SKR_RULE_SPREAD);
    assert_int_equal(spec->rule[2].rule.min, 2);
    assert_int_equal(spec->rule[2].rule.factor, 2);
    assert_false(spec->rule[2].rule.hard);
    assert_int_equal(spec->n_warnings, 0);
}

TEST(odd_labels_are_warned_about_and_bad_ones_refused)
{
    static const struct {
        const char *key, *value, *warning, *error;
    } row[] = {
        {"hard.rack", "true", "label sakkara.group.constraint.hard.rack: unknown, ignored", ""},
        {"min", "1", "label sakkara.group.constraint.min: unknown, ignored", ""},
        {"min.", "1", "label sakkara.group.constraint.min.: unknown, ignored", ""},
        {"a-very-long-member-name.rack", "1",
         "label sakkara.group.constraint.a-very-long-member-name.rack: unknown, ignored", ""},
        {"min.rack", "-1",
         "sakkara.group.constraint.min.rack: \"min\" of level \"rack\" is -1: negative numbers are "
         "ignored",
         ""},
        {"type.rack", "wide",
         "sakkara.group.constraint.type.rack: \"type\" of level \"rack\" is \"wide\", neither pack "
         "nor spread: taken as pack",
         ""},
        {"factor.rack", "3",
         "labels: size 8 is no multiple of \"factor\" 3 of level \"rack\": no cluster can hold the "
         "group",
         ""},
        {"min.rack", "x", "",
         "sakkara.group.constraint.min.rack: 1:1: must be a decimal integer, got \"x\""},
        {"max.rack", "", "",
         "sakkara.group.constraint.max.rack: 1:1: must be a decimal integer, got \"\""},
    };
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        char key[128];
        snprintf(key, sizeof key, "%s%s", SKR_LABEL_CONSTRAINT, row[i].key);
        struct skr_label item[] = {{key, row[i].value}, {SKR_LABEL_GROUP_SIZE, "8"}};
        struct skr_labels labels = {.n = 2, .item = item};
        SKR_AUTO(skr_group_spec_destroy) struct skr_group_spec *spec = NULL;
        struct skr_error error = {.text = ""};
        int rc = skr_group_spec_from_labels("g", &labels, 0, &spec, &error);
        assert_string_equal(error.text, row[i].error);
        assert_int_equal(rc, row[i].error[0] == '\0' ? 0 : -SKR_INVALID);
        if (rc == 0) {
            assert_int_equal(spec->n_warnings, 1);
            assert_string_equal(spec->warning[0], row[i].warning);
        }
    }
}

TEST(labels_without_a_good_size_are_no_group)
{
    struct skr_group_spec *spec = NULL;
    struct skr_error error;
    struct skr_labels none = {.n = 0};
    assert_int_equal(skr_group_spec_from_labels("g", &none, 0, &spec, &error), -SKR_INVALID);
    assert_string_equal(error.text, "label sakkara.group.size: missing");
    struct skr_label item = {SKR_LABEL_GROUP_SIZE, "0"};
    struct skr_labels zero = {.n = 1, .item = &item};
    assert_int_equal(skr_group_spec_from_labels("g", &zero, 0, &spec, &error), -SKR_INVALID);
    assert_string_equal(error.text, "label sakkara.group.size: 1:1: must be at least 1, got \"0\"");
    assert_null(spec);
}

TEST(groups_are_equal_when_they_mean_the_same)
{
    static const char *const map[][3] = {
        /* size, priority, constraints */
        {"8", "0", "{\"rack\":{\"type\":\"pack\"},\"node\":{\"min\":1}}"},
        {" 8", "+0", "{\"node\":{\"MIN\":1},\"rack\":{\"type\":\"Pack\",\"x\":1}}"},
        {"9", "0", "{\"rack\":{\"type\":\"pack\"},\"node\":{\"min\":1}}"},
        {"8", "1", "{\"rack\":{\"type\":\"pack\"},\"node\":{\"min\":1}}"},
        {"8", "0", "{\"rack\":{\"type\":\"spread\"},\"node\":{\"min\":1}}"},
        {"8", "0", "{\"rack\":{\"type\":\"pack\"},\"node\":{\"max\":1}}"},
        {"8", "0", "{\"rack\":{\"type\":\"pack\"},\"disk\":{\"min\":1}}"},
        {"8", "0", "{\"rack\":{\"type\":\"pack\"}}"},
    };
    size_t n = sizeof map / sizeof map[0];
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < n; k++) {
            const char *a[] = {"constraints", map[i][2], "priority", map[i][1],
                               "size",        map[i][0], NULL};
            const char *b[] = {"constraints", map[k][2], "priority", map[k][1],
                               "size",        map[k][0], NULL};
            SKR_AUTO(skr_group_spec_destroy) struct skr_group_spec *left = parse_good(a);
            SKR_AUTO(skr_group_spec_destroy) struct skr_group_spec *right = parse_good(b);
            assert_int_equal(skr_group_spec_equal(left, right), i == k || (i < 2 && k < 2));
        }
    }
}

static struct skr_tree *make_tree(void)
{
    static const char *const levels[] = {"rack", "node"};
    struct skr_tree *tree = NULL;
    SKR_AUTO(skr_tree_builder_destroy) struct skr_tree_builder *b = skr_tree_builder_create("t");
    assert_int_equal(skr_tree_builder_add(b, 1, "rack-0", NULL), 0);
    assert_int_equal(skr_tree_builder_add(b, 2, "node-0", NULL), 0);
    assert_int_equal(skr_tree_builder_finish(b, levels, 2, NULL, 0, &tree, NULL, NULL), 0);
    return tree;
}

TEST(rules_find_their_levels_in_the_tree)
{
    SKR_AUTO(skr_tree_unref) struct skr_tree *tree = make_tree();
    struct skr_rule rules[2];
    SKR_STRBUF(unknown);
    const char *pairs[] = {"constraints",
                           "{\"node\":{\"type\":\"spread\",\"max\":3},\"zone\":{},\"root\":{}}",
                           "size", "8", NULL};
    SKR_AUTO(skr_group_spec_destroy) struct skr_group_spec *spec = parse_good(pairs);
    assert_int_equal(skr_group_rules(spec, NULL, tree, rules, NULL, &unknown), 2);
    assert_string_equal(unknown.s, "zone, root");
    assert_int_equal(rules[0].type, SKR_RULE_PACK);
    assert_int_equal(rules[0].max, 0);
    assert_int_equal(rules[1].type, SKR_RULE_SPREAD);
    assert_int_equal(rules[1].max, 3);
    assert_int_equal(skr_group_rules(spec, NULL, tree, rules, NULL, NULL), 2);
}
