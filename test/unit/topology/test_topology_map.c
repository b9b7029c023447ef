/* SPDX-License-Identifier: Apache-2.0 */
/* The topology ConfigMap: what is accepted, and the message of everything that is not. */
#include "test/test.h"
#include "topology/base/strbuf.h"
#include "topology/topology_map.h"

/* NULL: the key is absent. */
static int parse(const char *levels, const char *name, const char *resources, const char *tree,
                 struct skr_tree **ret, struct skr_topology_warnings *warnings,
                 struct skr_error *error)
{
    const struct skr_label all[] = {
        {"level-names", levels}, {"name", name}, {"resource-names", resources}, {"tree", tree}};
    struct skr_label item[4];
    struct skr_labels data = {0, item};
    for (size_t i = 0; i < 4; i++) {
        if (all[i].value) {
            item[data.n++] = all[i];
        }
    }
    return skr_topology_map_parse(&data, ret, warnings, error);
}

static struct skr_tree *must_parse(const char *levels, const char *tree)
{
    struct skr_tree *ret = NULL;
    struct skr_error error = {.code = SKR_OK};
    if (parse(levels, NULL, NULL, tree, &ret, NULL, &error) != 0) {
        fail_msg("%s", error.text);
    }
    return ret;
}

TEST(the_documented_example_is_read)
{
    SKR_AUTO(skr_tree_unref) struct skr_tree *tree = NULL;
    struct skr_topology_warnings warnings;
    assert_int_equal(
        parse("[\"rack\",\"node\"]", "cluster-tree", "[\"cpu\",\"memory\",\"nvidia.com/gpu\"]",
              "{\"rack-0\":{\"node-0\":{},\"node-1\":{}},\"rack-1\":{\"node-2\":{},\"node-3\":{}}}",
              &tree, &warnings, NULL),
        0);
    assert_string_equal(tree->name, "cluster-tree");
    assert_int_equal(tree->n_levels, 2);
    assert_int_equal(tree->n_leaves, 4);
    assert_string_equal(tree->level_name[1], "rack");
    assert_string_equal(tree->level_name[2], "node");
    assert_int_equal(tree->n_resource_names, 3);
    assert_string_equal(tree->resource_name[2], "nvidia.com/gpu");
    assert_int_equal(skr_tree_find_leaf(tree, "node-2"), 2);
    assert_int_equal(warnings.n_uneven, 0);
    assert_string_equal(warnings.first_uneven, "");
}

TEST(absent_keys_have_their_defaults)
{
    struct skr_tree *tree = must_parse(NULL, "{\"n1\":{},\"n0\":{}}");
    assert_string_equal(tree->name, "default-tree");
    assert_int_equal(tree->n_levels, 1);
    assert_string_equal(tree->level_name[1], "node");
    assert_int_equal(tree->n_resource_names, 2);
    assert_string_equal(tree->resource_name[0], "cpu");
    assert_string_equal(tree->resource_name[1], "memory");
    assert_int_equal(skr_tree_find_leaf(tree, "n1"), 0); /* order of the document */
    skr_tree_unref(tree);

    tree = must_parse(NULL, "{\"r\":{\"n0\":{}}}");
    assert_string_equal(tree->level_name[1], "rack");
    assert_string_equal(tree->level_name[2], "node");
    skr_tree_unref(tree);
}

TEST(equal_unit_names_in_different_branches_stay_apart)
{
    struct skr_tree *tree =
        must_parse("[\"zone\",\"rack\",\"node\"]", "{\"zone-a\":{\"rack-0\":{\"n0\":{}}},"
                                                   "\"zone-b\":{\"rack-0\":{\"n1\":{}}}}");
    assert_int_equal(tree->level_first[3] - tree->level_first[2], 2);
    assert_int_equal(skr_tree_distance(tree, 0, 1), 8);
    skr_tree_unref(tree);
}

TEST(an_uneven_tree_is_accepted_with_a_warning)
{
    SKR_AUTO(skr_tree_unref) struct skr_tree *tree = NULL;
    struct skr_topology_warnings warnings;
    assert_int_equal(parse(NULL, NULL, NULL,
                           "{\"rack-0\":{\"node-0\":{}},\"rack-1\":{},\"node-5\":{}}", &tree,
                           &warnings, NULL),
                     0);
    assert_int_equal(warnings.n_uneven, 2);
    assert_string_equal(warnings.first_uneven, "rack-1");
    assert_int_equal(tree->n_leaves, 1);
    assert_int_equal(skr_tree_find_leaf(tree, "node-5"), -1);
}

TEST(malformed_maps_are_refused_with_key_and_position)
{
    static const char *const deep17 =
        "{\"1\":{\"2\":{\"3\":{\"4\":{\"5\":{\"6\":{\"7\":{\"8\":{\"9\":{\"10\":{\"11\":{\"12\":"
        "{\"13\":{\"14\":{\"15\":{\"16\":{\"17\":{}}}}}}}}}}}}}}}}}}";
    static const struct {
        const char *levels, *resources, *tree;
        int rc;
        const char *text;
    } rows[] = {
        /* tree missing or empty */
        {NULL, NULL, NULL, -SKR_INVALID, "tree: missing"},
        {NULL, NULL, "", -SKR_INVALID, "tree: is empty"},
        {NULL, NULL, " \n ", -SKR_INVALID, "tree: is empty"},
        {NULL, NULL, "{}", -SKR_INVALID, "tree: 1:1: is empty"},
        {NULL, NULL, "\n  { }", -SKR_INVALID, "tree: 2:3: is empty"},
        /* invalid JSON */
        {NULL, NULL, "{", -SKR_INVALID,
         "tree: 1:2: invalid JSON: string or '}' expected near end of file"},
        {NULL, NULL, "{\"a\":{},\n \"b\":}", -SKR_INVALID,
         "tree: 2:6: invalid JSON: unexpected token near '}'"},
        {NULL, NULL, "{\"a\":{}} {}", -SKR_INVALID,
         "tree: 1:10: invalid JSON: end of file expected near '{'"},
        {NULL, NULL, "{'a':{}}", -SKR_INVALID,
         "tree: 1:2: invalid JSON: string or '}' expected near '''"},
        {NULL, NULL, "{\"a\\u0000\":{}}", -SKR_INVALID,
         "tree: 1:2: invalid JSON: NUL byte in object key not supported near '\"a\\u0000\"'"},
        {NULL, NULL, "{\"\xFF\":{}}", -SKR_INVALID,
         "tree: 1:2: invalid JSON: unable to decode byte 0xff near '\"'"},
        {NULL, "[\"cpu\"", "{\"a\":{}}", -SKR_INVALID,
         "resource-names: 1:7: invalid JSON: ']' expected near end of file"},
        {"nodes", NULL, "{\"a\":{}}", -SKR_INVALID,
         "level-names: 1:1: invalid JSON: invalid token near 'nodes'"},
        /* wrong JSON type */
        {NULL, NULL, "[]", -SKR_INVALID, "tree: 1:1: must be an object, got an array"},
        {NULL, NULL, "\"x\"", -SKR_INVALID, "tree: 1:1: must be an object, got a string"},
        {NULL, NULL, "null", -SKR_INVALID, "tree: 1:1: must be an object, got null"},
        {NULL, "{}", "{\"a\":{}}", -SKR_INVALID,
         "resource-names: 1:1: must be an array of strings, got an object"},
        {NULL, "[\"cpu\", 5]", "{\"a\":{}}", -SKR_INVALID,
         "resource-names: 1:9: must be a string, got a number"},
        {" null", NULL, "{\"a\":{}}", -SKR_INVALID,
         "level-names: 1:2: must be an array of strings, got null"},
        {"[[\"node\"]]", NULL, "{\"a\":{}}", -SKR_INVALID,
         "level-names: 1:2: must be a string, got an array"},
        /* non-object inside tree */
        {NULL, NULL, "{\"rack-0\":{\"node-0\":{},\"node-1\":null}}", -SKR_INVALID,
         "tree: 1:33: must be an object ({} for a node), got null"},
        {NULL, NULL, "{\"rack-0\":[\"node-0\"]}", -SKR_INVALID,
         "tree: 1:11: must be an object ({} for a node), got an array"},
        {NULL, NULL, "{\"a\":{},\n\"b\":true}", -SKR_INVALID,
         "tree: 2:5: must be an object ({} for a node), got a boolean"},
        /* names */
        {NULL, NULL, "{\"a\":{\"\":{}}}", -SKR_INVALID, "tree: 1:7: unit: name is empty"},
        {NULL, NULL, "{\"a\":{\"b\":{}},\n  \" \":{}}", -SKR_INVALID,
         "tree: 2:3: unit: name is blank"},
        {NULL, "[]", "{\"a\":{}}", -SKR_INVALID, "resource-names: 1:1: is empty"},
        {NULL, "", "{\"a\":{}}", -SKR_INVALID, "resource-names: is empty"},
        {NULL, "[\"cpu\",\"\"]", "{\"a\":{}}", -SKR_INVALID, "resource-names: 1:8: name is empty"},
        {NULL, "[\"cpu\",\n\"\\t\"]", "{\"a\":{}}", -SKR_INVALID,
         "resource-names: 2:1: name is blank"},
        {NULL, "[\"cpu\",\"memory\",\"cpu\"]", "{\"a\":{}}", -SKR_INVALID,
         "resource-names: 1:17: \"cpu\" twice (see 1:2)"},
        {"[\"rack\",\n \"rack\"]", NULL, "{\"a\":{\"b\":{}}}", -SKR_INVALID,
         "level-names: 2:2: \"rack\" twice (see 1:2)"},
        {"[\"\"]", NULL, "{\"a\":{}}", -SKR_INVALID, "level-names: 1:2: name is empty"},
        {"[]", NULL, "{\"a\":{}}", -SKR_INVALID, "level-names: 1:1: is empty"},
        /* number of levels */
        {"[\"node\"]", NULL, "{\"a\":{\"b\":{}}}", -SKR_INVALID,
         "level-names: 1:1: 1 name, but the deepest node is at depth 2"},
        {"[\"zone\",\"rack\",\"node\"]", NULL, "{\"a\":{\"b\":{}}}", -SKR_INVALID,
         "level-names: 1:1: 3 names, but the deepest node is at depth 2"},
        {NULL, NULL, "{\"a\":{\"b\":{\"c\":{}}}}", -SKR_INVALID,
         "level-names: missing, a tree of depth 3 needs them"},
        /* twice */
        {NULL, NULL,
         "{\"rack-0\":{\"node-3\":{}},\n\"rack-1\":{\"node-2\":{},\n             \"node-3\":{}}}",
         -SKR_INVALID, "tree: 3:14: node \"node-3\" twice (see 1:12)"},
        {NULL, NULL, "{\"n\":{},\"r\":{\"n\":{}}}", -SKR_INVALID,
         "tree: 1:14: node \"n\" twice (see 1:2)"},
        {NULL, NULL, "{\"n\":{\"x\":{}},\"r\":{\"n\":{},\"\\u0078\":{}}}", -SKR_INVALID,
         "tree: 1:27: node \"x\" twice (see 1:7)"},
        {NULL, NULL, "{\"rack-0\":{\"a\":{}},\n \"rack-0\":{\"b\":{}}}", -SKR_INVALID,
         "tree: 2:2: \"rack-0\" twice among siblings (see 1:2)"},
        {NULL, NULL, "{\"r\":{\"n\":{}},\"q\":{\"m\":{},\"k\":{},\"m\":{}}}", -SKR_INVALID,
         "tree: 1:34: \"m\" twice among siblings (see 1:20)"},
        /* too deep */
        {NULL, NULL, deep17, -SKR_LIMIT, "tree: 1:94: nested deeper than 16 levels"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct skr_tree *tree = NULL;
        struct skr_topology_warnings warnings;
        struct skr_error error = {.code = SKR_OK};
        int rc =
            parse(rows[i].levels, NULL, rows[i].resources, rows[i].tree, &tree, &warnings, &error);
        if (rc != rows[i].rc || strcmp(error.text, rows[i].text) != 0 || tree) {
            fail_msg("row %zu: got %d, %s\nexpected %s", i, rc, error.text, rows[i].text);
        }
        assert_int_equal(
            parse(rows[i].levels, NULL, rows[i].resources, rows[i].tree, &tree, NULL, NULL), rc);
    }
}

TEST(a_tree_of_the_deepest_kind_is_read)
{
    SKR_AUTO(skr_tree_unref)
    struct skr_tree *tree = must_parse(
        "[\"1\",\"2\",\"3\",\"4\",\"5\",\"6\",\"7\",\"8\",\"9\",\"10\",\"11\",\"12\",\"13\",\"14\","
        "\"15\",\"16\"]",
        "{\"1\":{\"2\":{\"3\":{\"4\":{\"5\":{\"6\":{\"7\":{\"8\":{\"9\":{\"10\":{\"11\":{\"12\":"
        "{\"13\":{\"14\":{\"15\":{\"16\":{}}}}}}}}}}}}}}}}}");
    assert_int_equal(tree->n_levels, SKR_LEVELS_MAX);
    assert_int_equal(tree->n_leaves, 1);
}

TEST(a_nesting_bomb_is_a_limit_and_no_crash)
{
    static const char opener[] = "{\"a\":";
    struct skr_tree *tree = NULL;
    struct skr_error error;
    SKR_STRBUF(text);
    for (int i = 0; i < 200000; i++) {
        skr_strbuf_addn(&text, opener, sizeof opener - 1);
    }
    assert_int_equal(parse(NULL, NULL, NULL, text.s, &tree, NULL, &error), -SKR_LIMIT);
    assert_string_equal(error.text, "tree: 1:86: nested deeper than 16 levels");
    skr_strbuf_reset(&text);
    for (int i = 0; i < 200000; i++) {
        skr_strbuf_addc(&text, '[');
    }
    assert_int_equal(parse(text.s, NULL, NULL, "{\"a\":{}}", &tree, NULL, &error), -SKR_LIMIT);
    assert_string_equal(error.text, "level-names: 1:18: nested deeper than 16 levels");
}

TEST(sizes_have_limits)
{
    struct skr_tree *tree = NULL;
    struct skr_error error;
    SKR_STRBUF(text);
    char name[400];
    memset(name, 'n', sizeof name);

    name[254] = '\0';
    assert_int_equal(parse(NULL, name, NULL, "{\"a\":{}}", &tree, NULL, &error), -SKR_LIMIT);
    assert_string_equal(error.text, "name: 254 bytes, limit 253");
    skr_strbuf_addf(&text, "{\"r\":{\"%s\":{}}}", name);
    assert_int_equal(parse(NULL, NULL, NULL, text.s, &tree, NULL, &error), -SKR_LIMIT);
    assert_string_equal(error.text, "tree: 1:7: unit \"nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn...\": "
                                    "name of 254 bytes, limit 253");
    skr_strbuf_reset(&text);
    skr_strbuf_addf(&text, "[\"%s\"]", name);
    assert_int_equal(parse(text.s, NULL, NULL, "{\"a\":{}}", &tree, NULL, &error), -SKR_LIMIT);
    assert_string_equal(error.text, "level-names: 1:2: name of 254 bytes, limit 253");

    memset(name, 'n', sizeof name);
    name[318] = '\0';
    skr_strbuf_reset(&text);
    skr_strbuf_addf(&text, "[\"cpu\", \"%s\"]", name);
    assert_int_equal(parse(NULL, NULL, text.s, "{\"a\":{}}", &tree, NULL, &error), -SKR_LIMIT);
    assert_string_equal(error.text, "resource-names: 1:9: name of 318 bytes, limit 317");

    skr_strbuf_reset(&text);
    for (int i = 0; i <= SKR_RESOURCES_MAX; i++) {
        skr_strbuf_addf(&text, "%s\"r%03d\"", i == 0 ? "[" : ",", i);
    }
    skr_strbuf_addc(&text, ']');
    assert_int_equal(parse(NULL, NULL, text.s, "{\"a\":{}}", &tree, NULL, &error), -SKR_LIMIT);
    assert_string_equal(error.text, "resource-names: 1:1794: 257 names, limit 256");

    skr_strbuf_reset(&text);
    for (int i = 0; i <= SKR_LEVELS_MAX; i++) {
        skr_strbuf_addf(&text, "%s\"l%d\"", i == 0 ? "[" : ",", i);
    }
    skr_strbuf_addc(&text, ']');
    assert_int_equal(parse(text.s, NULL, NULL, "{\"a\":{}}", &tree, NULL, &error), -SKR_LIMIT);
    assert_memory_equal(error.text, "level-names: 1:", 15);
    assert_non_null(strstr(error.text, "17 names, limit 16"));

    SKR_AUTO_FREE char *large = malloc(SKR_TOPOLOGY_TEXT_MAX + 2);
    assert_non_null(large);
    memset(large, ' ', SKR_TOPOLOGY_TEXT_MAX + 1);
    large[SKR_TOPOLOGY_TEXT_MAX + 1] = '\0';
    assert_int_equal(parse(NULL, NULL, NULL, large, &tree, NULL, &error), -SKR_LIMIT);
    assert_string_equal(error.text, "tree: 33554433 bytes, limit 33554432");
}

TEST(a_hundred_thousand_leaves_are_read_in_order)
{
    SKR_STRBUF(text);
    for (int rack = 0; rack < 2500; rack++) {
        skr_strbuf_addf(&text, "%s\"rack-%d\":{", rack == 0 ? "{" : ",", rack);
        for (int node = 0; node < 40; node++) {
            skr_strbuf_addf(&text, "%s\"node-%d\":{}", node == 0 ? "" : ",", rack * 40 + node);
        }
        skr_strbuf_addc(&text, '}');
    }
    skr_strbuf_addc(&text, '}');
    struct skr_tree *tree = must_parse(NULL, text.s);
    assert_int_equal(tree->n_leaves, 100000);
    assert_int_equal(tree->n_units, 102501);
    for (int32_t leaf = 0; leaf < tree->n_leaves; leaf++) {
        char name[32];
        (void)snprintf(name, sizeof name, "node-%d", leaf);
        assert_int_equal(skr_tree_find_leaf(tree, name), leaf);
    }
    skr_tree_unref(tree);

    /* the same with one node at both ends */
    struct skr_error error;
    memcpy(strstr(text.s, "node-99999\""), "node-99998\"", 11);
    assert_int_equal(parse(NULL, NULL, NULL, text.s, &tree, NULL, &error), -SKR_INVALID);
    assert_non_null(strstr(error.text, "\"node-99998\" twice among siblings"));
    memcpy(strstr(text.s, "rack-2499\":{\"node-99960"), "rack-2499\":{\"node-10000", 23);
    char *twice = strstr(text.s, "\"node-99998\"");
    memcpy(twice, "\"node-99990\"", 12);
    memcpy(strstr(text.s, "\"node-99990\""), "\"node-20001\"", 12);
    assert_int_equal(parse(NULL, NULL, NULL, text.s, &tree, NULL, &error), -SKR_INVALID);
    assert_non_null(strstr(error.text, "node \"node-10000\" twice (see 1:"));
}

/* Whatever the document, a refusal carries a text, and success a tree that can be walked. */
TEST(any_document_is_survived)
{
    static const char *const piece[] = {
        "{",  "}",        "[",        "]",       ":",   ",", "\"a\"", "\"b\"",       "\"\"",
        "{}", "\"a\":{}", "\"b\":{}", "\"c\":{", " \n", "1", "nul",   "\"\\ud800\"", "\x01"};
    uint32_t seed = 17;
    int good = 0;
    for (int round = 0; round < 30000; round++) {
        SKR_STRBUF(text);
        skr_strbuf_addc(&text, '{');
        seed = seed * 1664525U + 1013904223U;
        for (uint32_t n = (seed >> 16) % 8; n > 0; n--) {
            seed = seed * 1664525U + 1013904223U;
            skr_strbuf_add(&text, piece[(seed >> 16) % (sizeof piece / sizeof piece[0])]);
        }
        skr_strbuf_addc(&text, '}');
        SKR_AUTO(skr_tree_unref) struct skr_tree *tree = NULL;
        struct skr_error error = {.code = SKR_OK};
        int rc = parse(NULL, NULL, NULL, text.s, &tree, NULL, &error);
        assert_int_equal(rc, -(int)error.code);
        if (rc == 0) {
            good++;
            assert_true(tree->n_leaves > 0);
        } else {
            assert_memory_equal(error.text, "tree: ", 6);
        }
    }
    assert_true(good > 100);
}
