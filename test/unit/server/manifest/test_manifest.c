/* SPDX-License-Identifier: Apache-2.0 */
/* Manifests: values as kubectl reads them, positions of what is wrong. */
#include <sys/resource.h>

#include "server/manifest/manifest.h"
#include "server/manifest/yaml.h"
#include "test/test.h"

#define HEAD "apiVersion: v1\nkind: X\n"

/* The objects of a text, one compact JSON a line. */
static char *read_text(const char *text, struct skr_strbuf *errors)
{
    struct skr_manifests m;
    struct skr_strbuf out;
    skr_manifests_init(&m);
    skr_strbuf_init(&out);
    skr_manifests_parse(&m, "f", text, strlen(text), NULL, NULL, errors);
    for (size_t i = 0; i < m.n; i++) {
        SKR_AUTO_FREE char *json = json_dumps(m.item[i].object, JSON_COMPACT);
        skr_strbuf_addf(&out, "%zu:%zu %s\n", m.item[i].line, m.item[i].column, json);
    }
    skr_manifests_fini(&m);
    return skr_strbuf_take(&out, NULL);
}

static void assert_reads(const char *text, const char *expected, const char *expected_errors)
{
    SKR_STRBUF(errors);
    SKR_AUTO_FREE char *got = read_text(text, &errors);
    assert_string_equal(errors.s ? errors.s : "", expected_errors);
    assert_string_equal(got ? got : "", expected);
}

TEST(plain_scalars_are_typed_as_kubectl_types_them)
{
    static const struct {
        const char *yaml, *json;
    } rows[] = {
        {"a: 1", "{\"a\":1}"},
        {"a: -7", "{\"a\":-7}"},
        {"a: +7", "{\"a\":7}"},
        {"a: 0x1F", "{\"a\":31}"},
        {"a: 010", "{\"a\":8}"},
        {"a: 0b101", "{\"a\":5}"},
        {"a: 1_000", "{\"a\":1000}"},
        {"a: 1.5", "{\"a\":1.5}"},
        {"a: 1e3", "{\"a\":1000.0}"},
        {"a: '1'", "{\"a\":\"1\"}"},
        {"a: \"yes\"", "{\"a\":\"yes\"}"},
        {"a: yes", "{\"a\":true}"},
        {"a: Off", "{\"a\":false}"},
        {"a: ~", "{\"a\":null}"},
        {"a:", "{\"a\":null}"},
        {"a: null", "{\"a\":null}"},
        {"a: 100m", "{\"a\":\"100m\"}"},
        {"a: 1Gi", "{\"a\":\"1Gi\"}"},
        {"a: 08", "{\"a\":8.0}"},
        {"a: .inf", "{\"a\":\".inf\"}"},
        {"a: 2025-01-01", "{\"a\":\"2025-01-01\"}"},
        {"a: 1.2.3", "{\"a\":\"1.2.3\"}"},
        {"a: !!str 5", "{\"a\":\"5\"}"},
        {"a: 99999999999999999999", "{\"a\":1e20}"},
        {"a: |\n  two\n  lines\n", "{\"a\":\"two\\nlines\\n\"}"},
        {"a: {b: [1, x], c: {}}", "{\"a\":{\"b\":[1,\"x\"],\"c\":{}}}"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct skr_document *yaml = skr_yaml_create(rows[i].yaml, strlen(rows[i].yaml));
        const struct skr_value *root;
        struct skr_document_error error;
        json_auto_t *json = NULL;
        assert_int_equal(skr_yaml_next(yaml, &json, &root, &error), 0);
        SKR_AUTO_FREE char *text = json_dumps(json, JSON_COMPACT);
        assert_string_equal(text, rows[i].json);
        skr_document_destroy(yaml);
    }
}

TEST(documents_are_read_one_after_the_other_and_empty_ones_skipped)
{
    assert_reads("---\n" HEAD "---\n---\n# nothing\n---\n" HEAD "n: 2\n",
                 "2:1 {\"apiVersion\":\"v1\",\"kind\":\"X\"}\n"
                 "8:1 {\"apiVersion\":\"v1\",\"kind\":\"X\",\"n\":2}\n",
                 "");
    assert_reads("", "", "");
    assert_reads("# only words\n", "", "");
}

TEST(anchors_aliases_and_merge_keys_are_resolved)
{
    assert_reads(HEAD "a: &x {p: 1, q: 2}\nb: *x\nc:\n  <<: *x\n  q: 3\n",
                 "1:1 {\"apiVersion\":\"v1\",\"kind\":\"X\",\"a\":{\"p\":1,\"q\":2},"
                 "\"b\":{\"p\":1,\"q\":2},\"c\":{\"q\":3,\"p\":1}}\n",
                 "");
}

TEST(json_values_may_follow_each_other)
{
    assert_reads("{\"apiVersion\":\"v1\",\"kind\":\"A\"}\n {\"apiVersion\":\"v1\",\"kind\":\"B\"}",
                 "1:1 {\"apiVersion\":\"v1\",\"kind\":\"A\"}\n"
                 "2:2 {\"apiVersion\":\"v1\",\"kind\":\"B\"}\n",
                 "");
}

TEST(lists_are_flattened_and_their_items_inherit_what_they_leave_out)
{
    assert_reads("apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: A}\n"
                 "- {apiVersion: v2, kind: B}\n",
                 "4:3 {\"apiVersion\":\"v1\",\"kind\":\"A\"}\n"
                 "5:3 {\"apiVersion\":\"v2\",\"kind\":\"B\"}\n",
                 "");
    assert_reads("{\"apiVersion\":\"v1\",\"kind\":\"NodeList\",\"items\":[{\"n\":1}]}",
                 "1:47 {\"n\":1,\"kind\":\"Node\",\"apiVersion\":\"v1\"}\n", "");
}

TEST(items_of_a_list_stand_where_they_begin)
{
    assert_reads("{\"apiVersion\":\"v1\",\"kind\":\"X\"}\n"
                 "  {\"kind\":\"NodeList\",\"a\":{\"items\":[1]},\"items\":[{\"n\":[{}]},\n"
                 "  {\"n\":2}], \"apiVersion\":\"v1\"}",
                 "1:1 {\"apiVersion\":\"v1\",\"kind\":\"X\"}\n"
                 "2:49 {\"n\":[{}],\"kind\":\"Node\",\"apiVersion\":\"v1\"}\n"
                 "3:3 {\"n\":2,\"kind\":\"Node\",\"apiVersion\":\"v1\"}\n",
                 "");
    assert_reads("kind: NodeList\napiVersion: v1\na: {items: [1]}\nitems:\n- &x\n  n: 1\n- *x\n"
                 "---\n" HEAD,
                 "5:3 {\"n\":1,\"kind\":\"Node\",\"apiVersion\":\"v1\"}\n"
                 "7:3 {\"n\":1,\"kind\":\"Node\",\"apiVersion\":\"v1\"}\n"
                 "9:1 {\"apiVersion\":\"v1\",\"kind\":\"X\"}\n",
                 "");
    /* Not written out there: where the list begins. */
    assert_reads("kind: NodeList\napiVersion: v1\na: &x {items: [{n: 1}]}\n<<: *x\n",
                 "1:1 {\"n\":1,\"kind\":\"Node\",\"apiVersion\":\"v1\"}\n", "");
}

TEST(what_is_wrong_is_told_with_its_position)
{
    static const struct {
        const char *text, *errors;
    } rows[] = {
        {HEAD "a: [1, 2\nb: 3\n", "f:4:2: while parsing a flow sequence: did not find expected "
                                  "',' or ']'\n"},
        {HEAD "a: 1\nb: 2\na: 3\n", "f:5:1: key \"a\" twice\n"},
        {HEAD "a: @x\n", "f:3:4: while scanning for the next token: found character that cannot "
                         "start any token\n"},
        {HEAD "a: *nobody\n", "f:3:4: unknown anchor \"nobody\"\n"},
        {"kind: X\n", "f:1:1: apiVersion is missing\n"},
        {"apiVersion: v1\n", "f:1:1: kind is missing\n"},
        {"- 1\n", "f:1:1: an API object is expected, with apiVersion and kind\n"},
        {HEAD "---\njust words\n", "f:4:1: an API object is expected, with apiVersion and kind\n"},
        {"{\"apiVersion\":\"v1\",\n \"kind\":}", "f:2:9: unexpected token near '}'\n"},
        {"{\"apiVersion\":\"v1\",\"kind\":\"X\"", "f:1:27: '}' expected near end of file\n"},
        {"apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: A}\n- {kind: B}\n",
         "f:5:3: apiVersion is missing\n"},
        {"{\"apiVersion\":\"v1\",\"a\\u\n\":1}", "f:1:20: invalid escape near '\"a\\u?'\n"},
        {HEAD "a: \"x\\0y\"\n", "f:3:4: a text with a NUL byte\n"},
        {HEAD "? [a]\n: b\n", "f:3:3: a key must be a single value\n"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        SKR_STRBUF(errors);
        free(read_text(rows[i].text, &errors));
        assert_string_equal(errors.s ? errors.s : "", rows[i].errors);
    }
}

static int refuse(void *context, const json_t *object, struct skr_error *error)
{
    (void)object;
    return skr_error_set_key(error, SKR_INVALID, context, "is wrong");
}

TEST(a_refused_field_is_found_in_yaml_and_json)
{
    static const struct {
        const char *path, *yaml, *json;
    } rows[] = {
        {"spec.a[1].b", "f:5:9: ", "f:3:16: "},
        {"spec.a[1].c", "f:5:5: ", "f:3:10: "}, /* as deep as it goes */
        {"spec.x.y/z", "f:6:10: ", "f:4:10: "},
        {"elsewhere", "f:1:1: ", "f:1:1: "},
    };
    static const char yaml[] = HEAD "spec:\n  a: [1,\n    {b: 2}]\n  x.y/z: 3\n";
    static const char json[] = "{\"apiVersion\":\"v1\",\"kind\":\"X\",\n\"spec\":{\n"
                               "  \"a\":[1,{\"b\": 2}],\n \"x.y/z\":3}}";
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        for (int k = 0; k < 2; k++) {
            const char *text = k == 0 ? yaml : json, *want = k == 0 ? rows[i].yaml : rows[i].json;
            struct skr_manifests m;
            SKR_STRBUF(errors);
            char path[64];
            snprintf(path, sizeof path, "%s", rows[i].path);
            skr_manifests_init(&m);
            assert_int_equal(
                skr_manifests_parse(&m, "f", text, strlen(text), refuse, path, &errors),
                -SKR_INVALID);
            assert_memory_equal(errors.s, want, strlen(want));
            skr_manifests_fini(&m);
        }
    }
}

/* "a0: &a0 [1, ...]", then lines of ten aliases of the line before. */
static void write_laughs(struct skr_strbuf *text, int lines)
{
    skr_strbuf_add(text, HEAD "a0: &a0 [1,1,1,1,1,1,1,1,1,1]\n");
    for (int i = 1; i < lines; i++) {
        skr_strbuf_addf(text, "a%d: &a%d [", i, i);
        for (int k = 0; k < 10; k++) {
            skr_strbuf_addf(text, "%s*a%d", k ? "," : "", i - 1);
        }
        skr_strbuf_add(text, "]\n");
    }
}

static void assert_aliases(const char *text, const char *expected_errors)
{
    SKR_STRBUF(errors);
    free(read_text(text, &errors));
    assert_string_equal(errors.s ? errors.s : "", expected_errors);
}

/* Nine lines that would be a billion values, and the same through merge keys. */
TEST(a_small_text_cannot_become_a_large_tree)
{
    struct skr_strbuf text;
    struct rusage before, after;
    getrusage(RUSAGE_SELF, &before);
    skr_strbuf_init(&text);
    write_laughs(&text, 9);
    assert_aliases(text.s, "f:7:38: aliases of one file copy more than 100000 values\n");
    skr_strbuf_reset(&text);
    skr_strbuf_add(&text, HEAD "a: &a {");
    for (int i = 0; i < 1000; i++) {
        skr_strbuf_addf(&text, "%sk%d: 1", i ? ", " : "", i);
    }
    skr_strbuf_add(&text, "}\nb:\n  <<: [*a");
    for (int i = 0; i < 1000; i++) {
        skr_strbuf_add(&text, ", *a");
    }
    skr_strbuf_add(&text, "]\n");
    assert_aliases(text.s, "f:5:404: aliases of one file copy more than 100000 values\n");
    skr_strbuf_fini(&text);
    getrusage(RUSAGE_SELF, &after);
    /* Kilobytes. Sanitizers keep what is freed. */
    assert_true(after.ru_maxrss - before.ru_maxrss < 256 * 1024);
}

TEST(aliases_within_the_limit_are_copied)
{
    SKR_STRBUF(text);
    write_laughs(&text, 4);
    assert_aliases(text.s, "");
}

TEST(deep_nesting_is_refused)
{
    for (int k = 0; k < 2; k++) {
        SKR_STRBUF(text);
        SKR_STRBUF(errors);
        skr_strbuf_add(&text, k == 0 ? HEAD "a: " : "{\"a\":");
        for (int i = 0; i < 200; i++) {
            skr_strbuf_addc(&text, '[');
        }
        free(read_text(text.s, &errors));
        assert_non_null(strstr(errors.s, "nested"));
    }
}

TEST(a_missing_file_is_not_found)
{
    struct skr_manifests m;
    SKR_STRBUF(errors);
    skr_manifests_init(&m);
    assert_int_equal(skr_manifests_read(&m, "no/such/file.yaml", NULL, NULL, &errors),
                     -SKR_NOT_FOUND);
    assert_string_equal(errors.s, "no/such/file.yaml: No such file or directory\n");
    skr_manifests_fini(&m);
}

TEST(a_folder_is_read_in_order_of_names)
{
    struct skr_manifests m;
    SKR_STRBUF(errors);
    skr_manifests_init(&m);
    assert_int_equal(skr_manifests_read(&m, "manifests", NULL, NULL, &errors), 0);
    assert_true(m.n > 3);
    for (size_t i = 1; i < m.n; i++) {
        assert_true(strcmp(m.item[i - 1].file, m.item[i].file) <= 0);
    }
    skr_manifests_fini(&m);
}
