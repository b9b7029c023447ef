/* SPDX-License-Identifier: Apache-2.0 */
/* Limits of YAML files, and that what is within them is let through. */
#include "server/config/config.h"
#include "server/kube/kubeconfig.h"
#include "server/manifest/document.h"
#include "test/test.h"

/* begin, n times part with its number instead of '%', end: what reading it comes to. */
static int read_small(const char *begin, const char *part, int n, const char *end,
                      struct skr_document_error *error)
{
    SKR_STRBUF(b);
    const struct skr_value *root;
    skr_strbuf_add(&b, begin);
    for (int i = 0; i < n; i++) {
        size_t at = strcspn(part, "%");
        skr_strbuf_addn(&b, part, at);
        if (part[at] == '%') {
            skr_strbuf_addf(&b, "%d%s", i, part + at + 1);
        }
    }
    skr_strbuf_add(&b, end);
    struct skr_document *document =
        skr_document_create(b.s, b.len, SKR_YAML_DEPTH_MAX, SKR_YAML_ANCHORS_MAX);
    int rc = skr_document_next(document, &root, error);
    skr_document_destroy(document);
    return rc;
}

TEST(ordinary_files_are_let_through)
{
    struct skr_document_error error;
    assert_int_equal(read_small("# nothing\n", "", 0, "", &error), 0);
    assert_int_equal(read_small("a: &x {b: [1, 2]}\n", "k%: *x\n", 5000, "", &error), 1);
    assert_int_equal(read_small("a:\n", "- {b: c%}\n", 5000, "", &error), 1);
    assert_int_equal(read_small("", "a%: [[b]]\n", 5000, "", &error), 1);
}

TEST(what_is_no_yaml_has_a_position)
{
    struct skr_document_error error;
    assert_int_equal(read_small("a: [}\n\t- x", "", 0, "", &error), -SKR_INVALID);
    assert_int_equal(error.at.column, 5);
    assert_int_equal(read_small("\"", "", 0, "", &error), -SKR_INVALID);
    assert_int_equal(read_small("%", "", 0, "\xff", &error), -SKR_INVALID);
}

TEST(nesting_has_a_limit_with_a_position)
{
    struct skr_document_error error;
    assert_int_equal(read_small("", "[", SKR_YAML_DEPTH_MAX, "", &error), -SKR_INVALID);
    assert_int_equal(read_small("", "[", SKR_YAML_DEPTH_MAX + 1, "", &error), -SKR_LIMIT);
    assert_string_equal(error.problem, "nested deeper than 64 levels");
    assert_int_equal(error.at.line, 1);
    assert_int_equal(error.at.column, SKR_YAML_DEPTH_MAX + 1);
    assert_int_equal(read_small("", "- ", 1000, "a", &error), -SKR_LIMIT);
    assert_int_equal(read_small("x: ", "{a%: ", 100000, "", &error), -SKR_LIMIT);
    /* Aliases count as what they stand for. */
    assert_int_equal(read_small("k: &a0 [x]\nl: &b [[[[[[[[[[[[[[[[*a0]]]]]]]]]]]]]]]]\n"
                                "m: &c [[[[[[[[[[[[[[[[*b]]]]]]]]]]]]]]]]\n"
                                "n: &d [[[[[[[[[[[[[[[[*c]]]]]]]]]]]]]]]]\n",
                                "", 0, "o: [[[[[[[[[[[[[[[[*d]]]]]]]]]]]]]]]]\n", &error),
                     -SKR_LIMIT);
    assert_int_equal(error.at.line, 5);
}

TEST(anchors_have_a_limit_with_a_position)
{
    struct skr_document_error error;
    assert_int_equal(read_small("", "k%: &a b\n", SKR_YAML_ANCHORS_MAX, "", &error), 1);
    assert_int_equal(read_small("", "k%: &a b\n", 100000, "", &error), -SKR_LIMIT);
    assert_string_equal(error.problem, "more than 256 anchors");
    assert_int_equal(error.at.line, SKR_YAML_ANCHORS_MAX + 1);
    assert_int_equal(error.at.column, 7);
}

/* Both took minutes for such files. */
TEST(configurations_and_kubeconfigs_are_guarded)
{
    enum { N = 500000 };
    static char text[N];
    struct skr_findings findings;
    struct skr_config *config = NULL;
    struct skr_kube_access access;
    memset(text, '{', sizeof text);
    skr_findings_init(&findings);
    assert_int_equal(skr_config_parse(text, N, &config, &findings), -SKR_INVALID);
    assert_int_equal(findings.n_errors, 1);
    skr_findings_init(&findings);
    skr_kube_access_init(&access);
    assert_int_equal(skr_kubeconfig_parse(text, N, "file", &access, &findings), -SKR_INVALID);
    assert_int_equal(findings.n_errors, 1);
    skr_kube_access_fini(&access);
}
