/* SPDX-License-Identifier: Apache-2.0 */
/* docs/threats.md promises nothing that no test holds up. */
#include <ctype.h>
#include <ftw.h>

#include "test/golden.h"
#include "test/test.h"
#include "topology/base/strbuf.h"

enum { NAME_MAX_BYTES = 160 };

/* All sources of tests, joined. */
static struct skr_strbuf sources;

static void add_file(const char *path, struct skr_strbuf *out)
{
    SKR_AUTO_FREE char *text = golden_read(path);
    skr_strbuf_add(out, text);
}

static int visit(const char *path, const struct stat *info, int kind, struct FTW *ftw)
{
    (void)info;
    (void)ftw;
    const char *dot = strrchr(path, '.');
    if (kind == FTW_F && dot && (strcmp(dot, ".c") == 0 || strcmp(dot, ".go") == 0)) {
        add_file(path, &sources);
    }
    return 0;
}

BEFORE_ALL
{
    skr_strbuf_init(&sources);
    assert_int_equal(nftw("test", visit, 16, FTW_PHYS), 0);
}

AFTER_ALL
{
    skr_strbuf_fini(&sources);
}

/* Whether a test of this name is defined: TEST(name), TEST_WITH(x, name), func name(. */
static bool is_defined(const char *name)
{
    const size_t n = strlen(name);
    for (const char *at = sources.s; (at = strstr(at, name)); at += n) {
        const bool ends = at[n] == ')' || at[n] == '(';
        const bool begins = at > sources.s && (at[-1] == '(' || at[-1] == ' ' || at[-1] == '\n');
        if (ends && begins) {
            return true;
        }
    }
    return false;
}

/* The last column of a row: "| … | `a`, `b` |" or "| … | no test: why |". */
static void check_row(const char *row, size_t n)
{
    char text[4096];
    assert_true(n < sizeof text);
    memcpy(text, row, n);
    text[n] = '\0';
    char *end = strrchr(text, '|');
    *end = '\0';
    char *last = strrchr(text, '|') + 1;
    if (strncmp(last, " no test: ", 10) == 0) {
        return;
    }
    size_t names = 0;
    for (char *quote = strchr(last, '`'); quote; quote = strchr(quote, '`')) {
        char name[NAME_MAX_BYTES];
        size_t length = strcspn(quote + 1, "`");
        assert_true(length > 0 && length < sizeof name);
        memcpy(name, quote + 1, length);
        name[length] = '\0';
        if (!is_defined(name)) {
            fail_msg("docs/threats.md: there is no test %s", name);
        }
        names++;
        quote += length + 2;
    }
    if (names == 0) {
        fail_msg("docs/threats.md: a line without a test: %s", text);
    }
}

TEST(every_threat_has_a_test_that_exists)
{
    SKR_STRBUF(page);
    bool in_table = false;
    size_t rows = 0;
    add_file("docs/threats.md", &page);
    for (char *line = page.s; *line;) {
        size_t n = strcspn(line, "\n");
        if (n > 8 && strncmp(line + n - 8, "| test |", 8) == 0) {
            in_table = true;
        } else if (line[0] != '|') {
            in_table = false;
        } else if (in_table && line[1] != '-') {
            check_row(line, n);
            rows++;
        }
        line += n + (line[n] == '\n');
    }
    assert_true(rows >= 35);
}
