/* SPDX-License-Identifier: Apache-2.0 */
/* Levels of labels as users write them, and the table of presets. */
#include "test/test.h"
#include "topology/label_levels.h"

static struct skr_arena *arena;

static int parse(const char *text, struct skr_label_levels *ret, struct skr_error *error)
{
    skr_arena_destroy(arena);
    arena = skr_arena_create(64 * 1024, 0);
    return skr_label_levels_parse("levels", text, NULL, arena, ret, error);
}

static void done(void)
{
    skr_arena_destroy(arena);
    arena = NULL;
}

TEST(a_list_of_levels_is_read_top_to_bottom)
{
    struct skr_label_levels l;
    struct skr_error error;
    assert_int_equal(parse("[{\"name\":\"zone\",\"label\":\"topology.kubernetes.io/zone\"},\n"
                           " {\"name\":\"rack\",\"labels\":[\"a/rack\",\"b/rack\"],"
                           "\"until\":\".\"}]",
                           &l, &error),
                     0);
    assert_int_equal(l.n, 2);
    assert_string_equal(l.level[0].name, "zone");
    assert_int_equal(l.level[0].n_labels, 1);
    assert_null(l.level[0].until);
    assert_int_equal(l.level[1].n_labels, 2);
    assert_string_equal(l.level[1].label[1], "b/rack");
    assert_string_equal(l.level[1].until, ".");
    assert_false(l.pad);
    done();
}

TEST(an_object_has_a_preset_or_levels_and_what_to_do_about_missing_labels)
{
    struct skr_label_levels l;
    struct skr_error error;
    assert_int_equal(parse("{\"preset\":\"eks\"}", &l, &error), 0);
    assert_int_equal(l.n, 5);
    assert_true(l.pad);
    assert_int_equal(parse("{\"preset\":\"eks\",\"missing\":\"exclude\"}", &l, &error), 0);
    assert_false(l.pad);
    assert_int_equal(
        parse("{\"levels\":[{\"name\":\"r\",\"label\":\"r\"}],\"missing\":\"pad\"}", &l, &error),
        0);
    assert_int_equal(l.n, 1);
    assert_true(l.pad);
    done();
}

TEST(a_defect_is_named_with_its_position)
{
    static const struct {
        const char *text, *error;
    } row[] = {
        {"", "levels: 1:1: invalid JSON: unexpected token near end of file"},
        {"3", "levels: 1:1: must be a list of levels, or an object with a preset, got a number"},
        {"[]", "levels: 1:1: is empty"},
        {"{}", "levels: 1:1: needs either \"preset\" or \"levels\""},
        {"[3]", "levels: 1:2: must be an object, got a number"},
        {"[{\"label\":\"a\"}]", "levels: 1:2: a level needs \"name\""},
        {"[{\"name\":3,\"label\":\"a\"}]", "levels: 1:10: must be a string, got a number"},
        {"[{\"name\":\"\",\"label\":\"a\"}]",
         "levels: 1:10: the name of a level has 1 to 253 bytes, not only blanks"},
        {"[{\"name\":\"node\",\"label\":\"a\"}]",
         "levels: 1:10: level \"node\" is always there: leave it out"},
        {"[{\"name\":\"sets\",\"label\":\"a\"}]",
         "levels: 1:10: level \"sets\" could have no rules: constraints reads this name otherwise"},
        {"[{\"name\":\"r\",\"label\":\"a\"},\n{\"name\":\"r\",\"label\":\"b\"}]",
         "levels: 2:9: level \"r\" twice"},
        {"[{\"name\":\"r\",\"attribute\":\"clique\"}]",
         "levels: 1:26: \"clique\" is no attribute: it is DOMAIN/NAME, the domain is often the "
         "driver"},
        {"[{\"name\":\"r\",\"attribute\":\"d.io/x\",\"label\":\"l\"}]",
         "levels: 1:43: a level needs either \"label\", \"labels\" or \"attribute\""},
        {"[{\"name\":\"r\",\"attribute\":7}]", "levels: 1:26: must be a string, got a number"},
        {"[{\"name\":\"r\"}]",
         "levels: 1:2: a level needs either \"label\", \"labels\" or \"attribute\""},
        {"[{\"name\":\"r\",\"label\":\"a\",\"labels\":[\"b\"]}]",
         "levels: 1:35: a level needs either \"label\", \"labels\" or \"attribute\""},
        {"[{\"name\":\"r\",\"labels\":[]}]",
         "levels: 1:23: a level needs either \"label\", \"labels\" or \"attribute\""},
        {"[{\"name\":\"r\",\"labels\":\"a\"}]",
         "levels: 1:23: must be a list of strings, got a string"},
        {"[{\"name\":\"r\",\"labels\":[\"a\",\"b\",\"c\",\"d\",\"e\"]}]",
         "levels: 1:23: a level has at most 4 labels"},
        {"[{\"name\":\"r\",\"label\":\"a b\"}]", "levels: 1:22: \"a b\" is no key of a label"},
        {"[{\"name\":\"r\",\"label\":\"a\",\"until\":\"\"}]",
         "levels: 1:34: must have 1 to 63 bytes, got 0"},
        {"[{\"name\":\"r\",\"lable\":\"a\"}]",
         "levels: 1:2: unknown member \"lable\" (did you mean \"label\"?)"},
        {"{\"preset\":\"ek\"}",
         "levels: 1:11: \"ek\" is no preset; there are zones, eks, gke, oke, coreweave, nebius, "
         "topograph, topograph0, nvlink"},
        {"{\"preset\":\"eks\",\"missing\":\"skip\"}",
         "levels: 1:27: must be \"exclude\" or \"pad\""},
        {"{\"preset\":\"eks\",\"levels\":[]}",
         "levels: 1:1: needs either \"preset\" or \"levels\""},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct skr_label_levels l;
        struct skr_error error = {.text = ""};
        assert_true(parse(row[i].text, &l, &error) < 0);
        assert_string_equal(error.text, row[i].error);
    }
    done();
}

TEST(fifteen_levels_are_read_and_sixteen_are_refused_with_the_limit)
{
    for (int n = 15; n <= 16; n++) {
        struct skr_label_levels l;
        struct skr_error error = {.text = ""};
        SKR_STRBUF(text);
        for (int i = 0; i < n; i++) {
            skr_strbuf_addf(&text, "%s{\"name\":\"l%d\",\"label\":\"l%d\"}", i ? "," : "[", i, i);
        }
        skr_strbuf_addc(&text, ']');
        assert_int_equal(parse(text.s, &l, &error), n == 15 ? 0 : -SKR_LIMIT);
        assert_string_equal(
            error.text, n == 15 ? "" : "levels: 1:1: 16 levels, limit 15, and \"node\" below them");
    }
    done();
}

TEST(a_text_beyond_the_limit_is_not_read)
{
    struct skr_label_levels l;
    struct skr_error error;
    SKR_STRBUF(text);
    while (text.len <= SKR_LABEL_LEVELS_TEXT_MAX) {
        skr_strbuf_addc(&text, ' ');
    }
    assert_int_equal(parse(text.s, &l, &error), -SKR_LIMIT);
    assert_string_equal(error.text, "levels: 16385 bytes, at most 16384 are read");
    done();
}

static void count(void *context, const struct skr_defect *defect)
{
    int *n = context;
    *n += defect->is_warning ? 0 : 1;
}

TEST(lint_hears_of_every_defect)
{
    int n = 0;
    const struct skr_defects defects = {count, &n};
    struct skr_label_levels l;
    struct skr_error error;
    struct skr_arena *texts = skr_arena_create(64 * 1024, 0);
    assert_true(skr_label_levels_parse("levels",
                                       "[{\"name\":\"\",\"label\":\"\"},{\"name\":\"node\","
                                       "\"labels\":3,\"until\":\"\",\"x\":1}]",
                                       &defects, texts, &l, &error) < 0);
    assert_int_equal(n, 6);
    skr_arena_destroy(texts);
}

TEST(a_value_ends_before_until_and_comes_from_the_first_label_that_is_there)
{
    const struct skr_label_level level = {
        .name = "domain", .n_labels = 2, .label = {"a", "b"}, .until = "."};
    static const struct {
        const char *a, *b, *value; /* NULL: no such label; no value */
    } row[] = {{"x.1", "y", "x"}, {NULL, "y.2.3", "y"}, {"", "y", "y"},
               {".1", "y", "y"},  {"x", NULL, "x"},     {NULL, NULL, NULL}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct skr_label item[2];
        struct skr_labels labels = {0, item};
        size_t length = 0;
        if (row[i].a) {
            item[labels.n++] = (struct skr_label){"a", row[i].a};
        }
        if (row[i].b) {
            item[labels.n++] = (struct skr_label){"b", row[i].b};
        }
        const char *value = skr_label_level_value(&level, &labels, &length);
        assert_int_equal(!value, !row[i].value);
        if (value) {
            assert_int_equal(length, strlen(row[i].value));
            assert_memory_equal(value, row[i].value, length);
        }
    }
}

TEST(every_preset_has_a_name_and_distinct_levels)
{
    size_t n = 0;
    for (; skr_label_levels_preset_name(n); n++) {
        const struct skr_label_levels *l = skr_label_levels_preset(skr_label_levels_preset_name(n));
        assert_non_null(l);
        assert_in_range(l->n, 1, SKR_LABEL_LEVELS_MAX);
        for (size_t i = 0; i < l->n; i++) {
            assert_true(l->level[i].n_labels > 0);
            for (size_t k = 0; k < i; k++) {
                assert_string_not_equal(l->level[i].name, l->level[k].name);
            }
        }
    }
    assert_int_equal(n, 9);
    assert_null(skr_label_levels_preset("EKS"));
}
