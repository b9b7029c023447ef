/* SPDX-License-Identifier: Apache-2.0 */
/* Regular expressions: the leftmost match of each, as RE2 finds it. */
#include "core/cel/regex.h"
#include "test/test.h"

/* expected: "BEGIN-END", "none", or a part of the error. */
struct row {
    const char *title, *text, *expected; /* the title is the pattern */
};

static void expect(const struct row *row)
{
    SKR_AUTO(skr_arena_destroy) struct skr_arena *arena = skr_arena_create(1 << 24, 0);
    const struct skr_cel_regex *regex;
    struct skr_cel_match match;
    struct skr_error error;
    char found[400];
    int rc = skr_cel_regex_compile(row->title, strlen(row->title), arena, &regex, &error);
    if (rc < 0) {
        snprintf(found, sizeof found, "%s", error.text);
    } else if (skr_cel_regex_find(regex, row->text, strlen(row->text), 0, arena, &match) == 1) {
        snprintf(found, sizeof found, "%zu-%zu", match.begin, match.end);
    } else {
        snprintf(found, sizeof found, "none");
    }
    if (strcmp(found, row->expected) != 0) {
        fail_msg("%s on %s is %s, not %s", row->title, row->text, found, row->expected);
    }
}

static const struct row rows[] = {
    {"", "abc", "0-0"},
    {"b", "abc", "1-2"},
    {"x", "abc", "none"},
    {"^b", "abc", "none"},
    {"c$", "abc", "2-3"},
    {"a|ab", "ab", "0-1"},
    {"(?:ab|a)(bc)?", "abc", "0-2"},
    {"a*", "aaa", "0-3"},
    {"a*?", "aaa", "0-0"},
    {"a+?", "aaa", "0-1"},
    {"(?U)a+", "aaa", "0-1"},
    {"(?U)a+?", "aaa", "0-3"},
    {"a{2}", "aaa", "0-2"},
    {"a{2,}", "aaa", "0-3"},
    {"a{1,2}?", "aaa", "0-1"},
    {"a{,2}", "a{,2}", "0-5"},
    {"a{", "a{", "0-2"},
    {"(a|b)*c", "ababc", "0-5"},
    {"(a*)*", "b", "0-0"},
    {"(|a)*", "aa", "0-0"},
    {".", "\n", "none"},
    {"(?s).", "\n", "0-1"},
    {"(?i)AbC", "aBc", "0-3"},
    {"(?i:a)b", "Ab", "0-2"},
    {"(?i:a)b", "AB", "none"},
    {"(?m)^b$", "a\nb\nc", "2-3"},
    {"(?i)[a-c]+", "ABC", "0-3"},
    {"[^a-c]+", "abcxyz", "3-6"},
    {"[]a]+", "]a", "0-2"},
    {"[a-]+", "a-", "0-2"},
    {"[\\d-]+", "1-2", "0-3"},
    {"\\d+\\.\\d+", "v1.30", "1-5"},
    {"\\w+", "-ab_1-", "1-5"},
    {"\\W", "ab c", "2-3"},
    {"[\\W]", "ab c", "2-3"},
    {"\\s\\S", "a b", "1-3"},
    {"[[:alpha:]]+[[:digit:]]", "ab1", "0-3"},
    {"[[:^alpha:]]+", "ab12", "2-4"},
    {"\\bb", "ab b", "3-4"},
    {"\\Bb", "ab b", "1-2"},
    {"\\Aa\\z", "a", "0-1"},
    {"\\x41\\x{e9}", "A\xc3\xa9", "0-3"},
    {"\\Qa.b\\E+", "a.b", "0-3"},
    {"\\101\\t", "A\t", "0-2"},
    {".", "\xc3\xa9", "0-2"},
    {"[\xc3\xa0-\xc3\xaf]", "\xc3\xa9", "0-2"},
    {"(?P<name>a)(?<other>b)", "ab", "0-2"},
    {"v1\\.(29|30|31)\\.", "v1.30.2", "0-6"},
    {"(", "", "at 1: ')' is missing"},
    {")", "", "at 1: unexpected ')'"},
    {"[a", "", "at 1: ']' is missing"},
    {"[b-a]", "", "at 2: the range is empty"},
    {"*a", "", "at 1: nothing to repeat"},
    {"a**", "", "at 3: a repetition of a repetition"},
    {"a{2,1}", "", "at 2: invalid number of repetitions"},
    {"a{1001}", "", "at 2: invalid number of repetitions"},
    {"(?=a)", "", "at 3: invalid group: RE2 has (?:), (?P<name>) and flags i m s U"},
    {"(a)\\1", "", "at 5: no back references"},
    {"\\pL", "", "at 2: Unicode classes (\\p) are not served"},
    {"\\q", "", "at 2: invalid escape"},
    {"a\\", "", "at 3: nothing behind the backslash"},
    {"[[:foo:]]", "", "at 2: invalid class"},
    {"(?i)\xc3\xa9", "", "at 7: flag i is served for ASCII letters only, and this is beyond them"},
    {"((a{100}){100}){100}", "", "its automaton has more than 4096 steps"},
    {"(((){1000}){1000}){1000}", "", "its automaton has more than 4096 steps"},
};
TEST_EACH(row, rows, a_pattern_matches_as_in_re2)
{
    expect(row);
}

TEST(groups_are_nested_to_a_limit)
{
    char pattern[403] = "";
    memset(pattern, '(', 200);
    memset(pattern + 200, ')', 200);
    expect(&(struct row){pattern, "", "at 101: groups nested more than 100 deep"});
}

TEST(time_is_linear_where_backtracking_is_exponential)
{
    SKR_AUTO(skr_arena_destroy) struct skr_arena *arena = skr_arena_create(1 << 24, 0);
    static char text[50001];
    const struct skr_cel_regex *regex;
    struct skr_cel_match match;
    memset(text, 'a', 50000);
    assert_int_equal(skr_cel_regex_compile("(a|a)*(a|aa)*b", 14, arena, &regex, NULL), 0);
    assert_int_equal(skr_cel_regex_find(regex, text, 50000, 0, arena, &match), 0);
}

TEST(every_range_of_a_class_has_its_weight)
{
    SKR_AUTO(skr_arena_destroy) struct skr_arena *arena = skr_arena_create(1 << 20, 0);
    const struct skr_cel_regex *one, *four;
    struct skr_error error;
    assert_int_equal(skr_cel_regex_compile("a+", 2, arena, &one, &error), 0);
    assert_int_equal(skr_cel_regex_compile("[adgj]+", 7, arena, &four, &error), 0);
    assert_int_equal(skr_cel_regex_weight(four), skr_cel_regex_weight(one) + 3);
}
