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

/* An item: "- **what is tried.** What happens. Shown by: `a`, `b`." or "... No test: why." */
static void check_item(const char *item, size_t n)
{
    char text[4096];
    assert_true(n < sizeof text);
    memcpy(text, item, n);
    text[n] = '\0';
    for (char *blank = text; (blank = strchr(blank, '\n'));) {
        *blank = ' ';
        const size_t indent = strspn(blank + 1, " ");
        memmove(blank + 1, blank + 1 + indent, strlen(blank + 1 + indent) + 1);
    }
    if (strstr(text, " No test: ")) {
        return;
    }
    const char *shown = strstr(text, " Shown by: ");
    if (!shown) {
        fail_msg("docs/threats.md: an item without a test: %s", text);
    }
    size_t names = 0;
    for (const char *quote = strchr(shown, '`'); quote; quote = strchr(quote, '`')) {
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
    assert_true(names > 0);
}

/* Bytes up to the next item, blank line or heading. */
static size_t item_length(const char *item)
{
    const char *at = strchr(item, '\n');
    while (at && at[1] == ' ') {
        at = strchr(at + 1, '\n');
    }
    return at ? (size_t)(at - item) : strlen(item);
}

TEST(every_threat_has_a_test_that_exists)
{
    SKR_STRBUF(page);
    size_t items = 0;
    add_file("docs/threats.md", &page);
    for (char *item = page.s; (item = strstr(item, "\n- "));) {
        item++;
        check_item(item, item_length(item));
        items++;
    }
    assert_true(items >= 75);
}
