/* SPDX-License-Identifier: Apache-2.0 */
/* Limits of YAML files, and that what is within them is let through. */
#include <stdio.h>
#include <string.h>

#include "server/config/config.h"
#include "server/kube/kubeconfig.h"
#include "server/manifest/guard.h"
#include "test/test.h"

/* begin, n times part with its number instead of '%', end; findings of the guard in *findings. */
static bool guard(const char *begin, const char *part, int n, const char *end,
                  struct skr_findings *findings)
{
    struct skr_strbuf b;
    skr_strbuf_init(&b);
    skr_strbuf_add(&b, begin);
    for (int i = 0; i < n; i++) {
        size_t at = strcspn(part, "%");
        skr_strbuf_addn(&b, part, at);
        if (part[at] == '%') {
            skr_strbuf_addf(&b, "%d%s", i, part + at + 1);
        }
    }
    skr_strbuf_add(&b, end);
    skr_findings_init(findings);
    bool good = skr_yaml_guard(b.s, b.len, findings);
    skr_strbuf_fini(&b);
    return good;
}

TEST(ordinary_files_are_let_through)
{
    struct skr_findings findings;
    assert_true(guard("", "", 0, "", &findings));
    assert_true(guard("a: &x {b: [1, 2]}\n", "k%: *x\n", 5000, "", &findings));
    assert_true(guard("a:\n", "- {b: c%}\n", 5000, "", &findings));
    assert_true(guard("", "a%: [[b]]\n", 5000, "", &findings));
    assert_int_equal(findings.n, 0);
}

TEST(what_is_no_yaml_is_left_to_the_loader)
{
    struct skr_findings findings;
    assert_true(guard("a: [}\n\t- x", "", 0, "", &findings));
    assert_true(guard("\"", "", 0, "", &findings));
    assert_true(guard("%", "", 0, "\xff", &findings));
    assert_int_equal(findings.n, 0);
}

TEST(nesting_has_a_limit_with_a_position)
{
    struct skr_findings findings;
    assert_true(guard("", "[", SKR_YAML_DEPTH_MAX, "", &findings));
    assert_false(guard("", "[", SKR_YAML_DEPTH_MAX + 1, "", &findings));
    assert_string_equal(findings.item[0].text, "nested deeper than 64 levels");
    assert_int_equal(findings.item[0].line, 1);
    assert_int_equal(findings.item[0].column, SKR_YAML_DEPTH_MAX + 1);
    assert_false(guard("", "- ", 1000, "a", &findings));
    assert_false(guard("x: ", "{a%: ", 100000, "", &findings));
}

TEST(anchors_have_a_limit_with_a_position)
{
    struct skr_findings findings;
    assert_true(guard("", "k%: &a b\n", SKR_YAML_ANCHORS_MAX, "", &findings));
    assert_false(guard("", "k%: &a b\n", 100000, "", &findings));
    assert_string_equal(findings.item[0].text, "more than 256 anchors");
    assert_int_equal(findings.item[0].line, SKR_YAML_ANCHORS_MAX + 1);
    assert_int_equal(findings.item[0].column, 7);
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
