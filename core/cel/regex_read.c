/* SPDX-License-Identifier: Apache-2.0 */
/* A regular expression becomes a tree, by recursive descent over groups. */
#include <string.h>

#include "core/cel/regex.h"
#include "core/cel/regex_tree.h"
#include "core/cel/value.h"

enum { FLAG_I = 1, FLAG_M = 2, FLAG_S = 4, FLAG_U = 8, POINT_MAX = 0x10ffff };

struct reader {
    const char *pattern;
    size_t n, pos;
    unsigned flags;
    size_t depth;
    struct skr_arena *arena;
    struct skr_error *error;
};

static int fail_at(struct reader *reader, size_t at, const char *what)
{
    return skr_error_set(reader->error, SKR_INVALID, "at %zu: %s", at + 1, what);
}

static int no_memory(struct reader *reader)
{
    return skr_error_set(reader->error, SKR_NO_MEMORY, "out of memory");
}

static bool at_end(const struct reader *reader)
{
    return reader->pos >= reader->n;
}

static bool sees(const struct reader *reader, const char *text)
{
    const size_t n = strlen(text);
    return reader->n - reader->pos >= n && memcmp(reader->pattern + reader->pos, text, n) == 0;
}

static bool eat(struct reader *reader, const char *text)
{
    const bool there = sees(reader, text);
    reader->pos += there ? strlen(text) : 0;
    return there;
}

static uint32_t take_point(struct reader *reader)
{
    uint32_t point;
    reader->pos +=
        skr_cel_point_read(reader->pattern + reader->pos, reader->n - reader->pos, &point);
    return point;
}

static int new_tree(struct reader *reader, enum skr_cel_tree_kind kind, struct skr_cel_tree **ret)
{
    *ret = skr_arena_alloc(reader->arena, sizeof **ret);
    if (!*ret) {
        return no_memory(reader);
    }
    (*ret)->kind = kind;
    return 0;
}

static void add_tree(struct skr_cel_tree *parent, struct skr_cel_tree *child)
{
    if (parent->last) {
        parent->last->next = child;
    } else {
        parent->first = child;
    }
    parent->last = child;
}

/* ---- sets of code points ---- */

static int add_range(struct reader *reader, struct skr_cel_set *set, uint32_t low, uint32_t high)
{
    struct skr_cel_range *grown = skr_cel_grow(set->range, set->n, sizeof *grown, reader->arena);
    if (!grown) {
        return no_memory(reader);
    }
    set->range = grown;
    set->range[set->n++] = (struct skr_cel_range){low, high};
    return 0;
}

/* Under flag i both cases of ASCII letters. */
static int add_folded(struct reader *reader, struct skr_cel_set *set, uint32_t low, uint32_t high)
{
    int rc = add_range(reader, set, low, high);
    if (rc < 0 || (reader->flags & FLAG_I) == 0) {
        return rc;
    }
    if (high > 127) {
        return fail_at(reader, reader->pos,
                       "flag i is served for ASCII letters only, and this is beyond them");
    }
    for (uint32_t c = low; rc == 0 && c <= high; c++) {
        const bool upper = c >= 'A' && c <= 'Z', lower = c >= 'a' && c <= 'z';
        if (upper || lower) {
            rc = add_range(reader, set, upper ? c + 32 : c - 32, upper ? c + 32 : c - 32);
        }
    }
    return rc;
}

static const struct {
    const char *name;
    const char *ranges; /* pairs of first and last */
} classes[] = {
    {"d", "09"},           {"s", "\t\n\f\r  "},
    {"w", "09AZ__az"},     {"alnum", "09AZaz"},
    {"alpha", "AZaz"},     {"ascii", "\001\177"},
    {"blank", "\t\t  "},   {"cntrl", "\001\037\177\177"},
    {"digit", "09"},       {"graph", "!~"},
    {"lower", "az"},       {"print", " ~"},
    {"punct", "!/:@[`{~"}, {"space", "\t\r  "},
    {"upper", "AZ"},       {"word", "09AZ__az"},
    {"xdigit", "09AFaf"},
};

/* The class of a name, its complement if negated. False: there is no such class. */
static int add_class(struct reader *reader, struct skr_cel_set *set, const char *name, size_t n,
                     bool negated, bool *ret_found)
{
    *ret_found = false;
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
        if (strlen(classes[i].name) != n || memcmp(classes[i].name, name, n) != 0) {
            continue;
        }
        const unsigned char *range = (const unsigned char *)classes[i].ranges;
        const bool zero = strcmp(classes[i].name, "ascii") == 0 || classes[i].name[0] == 'c';
        uint32_t next = 0;
        int rc = 0;
        *ret_found = true;
        for (; rc == 0 && range[0]; range += 2) {
            const uint32_t low = zero && range[0] == 1 ? 0 : range[0];
            if (!negated) {
                rc = add_folded(reader, set, low, range[1]);
            } else if (low > next) {
                rc = add_range(reader, set, next, low - 1);
            }
            next = range[1] + 1U;
        }
        return rc == 0 && negated ? add_range(reader, set, next, POINT_MAX) : rc;
    }
    return 0;
}

/* ---- escapes ---- */

/* Up to n digits of a base; *ret is beyond POINT_MAX if their value is. Returns their number. */
static size_t take_digits(struct reader *reader, size_t n, int base, uint32_t *ret)
{
    const size_t left = reader->n - reader->pos;
    skr_int128 value;
    const size_t digits =
        skr_cel_digits(reader->pattern + reader->pos, n < left ? n : left, base, &value);
    *ret = value > POINT_MAX ? POINT_MAX + 1 : (uint32_t)value;
    reader->pos += digits;
    return digits;
}

/* Behind \x: two digits, or any number in braces. */
static int take_hex(struct reader *reader, uint32_t *ret)
{
    const bool braces = eat(reader, "{");
    const size_t digits = take_digits(reader, braces ? SIZE_MAX : 2, 16, ret);
    const bool good = braces ? digits > 0 && eat(reader, "}") : digits == 2;
    return good && *ret <= POINT_MAX ? 0 : fail_at(reader, reader->pos, "invalid escape \\x");
}

/* One code point behind a backslash. */
static int take_escaped(struct reader *reader, uint32_t *ret)
{
    static const char from[] = "afnrtv", to[] = "\a\f\n\r\t\v";
    const size_t at = reader->pos;
    if (at_end(reader)) {
        return fail_at(reader, at, "nothing behind the backslash");
    }
    const uint32_t point = take_point(reader);
    const char *found = point > 0 && point < 128 ? strchr(from, (int)point) : NULL;
    if (found) {
        *ret = (uint32_t)to[found - from];
    } else if (point == 'x') {
        return take_hex(reader, ret);
    } else if (point >= '0' && point <= '7') {
        reader->pos--;
        const size_t digits = take_digits(reader, 3, 8, ret);
        return point == '0' || digits > 1 ? 0 : fail_at(reader, at, "no back references");
    } else if (point < 128 && strchr("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", (int)point)) {
        *ret = point;
    } else {
        return fail_at(reader, at,
                       point == 'p' || point == 'P' ? "Unicode classes (\\p) are not served"
                                                    : "invalid escape");
    }
    return 0;
}

/* \d and the like; *ret_found says whether it is one. */
static int take_perl_class(struct reader *reader, struct skr_cel_set *set, bool *ret_found)
{
    const char c = reader->n - reader->pos > 1 ? reader->pattern[reader->pos + 1] : '\0';
    const bool upper = c >= 'A' && c <= 'Z';
    const char lower = upper ? (char)(c + 32) : c;
    *ret_found = lower == 'd' || lower == 's' || lower == 'w';
    if (!*ret_found) {
        return 0;
    }
    reader->pos += 2;
    bool found;
    return add_class(reader, set, &lower, 1, upper, &found);
}

/* ---- classes in brackets ---- */

/* [:name:] inside of brackets. */
static int take_named(struct reader *reader, struct skr_cel_set *set)
{
    const size_t at = reader->pos;
    reader->pos += 2;
    const bool negated = eat(reader, "^");
    const char *name = reader->pattern + reader->pos;
    size_t n = 0;
    while (n < reader->n - reader->pos && name[n] >= 'a' && name[n] <= 'z') {
        n++;
    }
    reader->pos += n;
    bool found = false;
    int rc = eat(reader, ":]") ? add_class(reader, set, name, n, negated, &found) : 0;
    return rc == 0 && !found ? fail_at(reader, at, "invalid class") : rc;
}

static int take_class_point(struct reader *reader, uint32_t *ret)
{
    if (at_end(reader)) {
        return fail_at(reader, reader->pos, "']' is missing");
    }
    if (eat(reader, "\\")) {
        return take_escaped(reader, ret);
    }
    *ret = take_point(reader);
    return 0;
}

static int take_class_range(struct reader *reader, struct skr_cel_set *set)
{
    uint32_t low, high;
    const size_t at = reader->pos;
    bool found = false;
    int rc = sees(reader, "\\") ? take_perl_class(reader, set, &found) : 0;
    if (rc < 0 || found) {
        return rc;
    }
    if ((rc = take_class_point(reader, &low)) < 0) {
        return rc;
    }
    high = low;
    if (sees(reader, "-") && reader->n - reader->pos > 1 &&
        reader->pattern[reader->pos + 1] != ']') {
        reader->pos++;
        if ((rc = take_class_point(reader, &high)) < 0) {
            return rc;
        }
    }
    return high < low ? fail_at(reader, at, "the range is empty")
                      : add_folded(reader, set, low, high);
}

static int take_brackets(struct reader *reader, struct skr_cel_tree **ret)
{
    const size_t begin = reader->pos++;
    int rc = new_tree(reader, SKR_CEL_TREE_SET, ret);
    if (rc < 0) {
        return rc;
    }
    struct skr_cel_set *set = &(*ret)->set;
    set->negated = eat(reader, "^");
    for (bool first = true; rc == 0 && (first || !sees(reader, "]")); first = false) {
        if (at_end(reader)) {
            return fail_at(reader, begin, "']' is missing");
        }
        rc = sees(reader, "[:") ? take_named(reader, set) : take_class_range(reader, set);
    }
    reader->pos += rc == 0 ? 1 : 0;
    return rc;
}

/* ---- atoms ---- */

static int take_literal(struct reader *reader, uint32_t point, struct skr_cel_tree **ret)
{
    int rc = new_tree(reader, SKR_CEL_TREE_SET, ret);
    return rc < 0 ? rc : add_folded(reader, &(*ret)->set, point, point);
}

static int take_assertion(struct reader *reader, enum skr_cel_assertion assertion, size_t n,
                          struct skr_cel_tree **ret)
{
    int rc = new_tree(reader, SKR_CEL_TREE_ASSERT, ret);
    if (rc == 0) {
        (*ret)->assertion = assertion;
        reader->pos += n;
    }
    return rc;
}

static int take_dot(struct reader *reader, struct skr_cel_tree **ret)
{
    int rc = new_tree(reader, SKR_CEL_TREE_SET, ret);
    reader->pos++;
    if (rc == 0) {
        (*ret)->set.negated = true;
        rc = reader->flags & FLAG_S ? 0 : add_range(reader, &(*ret)->set, '\n', '\n');
    }
    return rc;
}

/* \Q...\E: a sequence of literals. */
static int take_quoted(struct reader *reader, struct skr_cel_tree **ret)
{
    int rc = new_tree(reader, SKR_CEL_TREE_SEQUENCE, ret);
    reader->pos += 2;
    while (rc == 0 && !at_end(reader) && !eat(reader, "\\E")) {
        struct skr_cel_tree *literal;
        rc = take_literal(reader, take_point(reader), &literal);
        if (rc == 0) {
            add_tree(*ret, literal);
        }
    }
    return rc;
}

static int take_backslash(struct reader *reader, struct skr_cel_tree **ret)
{
    static const struct {
        const char *text;
        enum skr_cel_assertion assertion;
    } assertions[] = {{"\\A", SKR_CEL_ASSERT_BEGIN},
                      {"\\z", SKR_CEL_ASSERT_END},
                      {"\\b", SKR_CEL_ASSERT_WORD},
                      {"\\B", SKR_CEL_ASSERT_NO_WORD}};
    uint32_t point;
    bool found;
    for (size_t i = 0; i < sizeof assertions / sizeof *assertions; i++) {
        if (sees(reader, assertions[i].text)) {
            return take_assertion(reader, assertions[i].assertion, 2, ret);
        }
    }
    if (sees(reader, "\\Q")) {
        return take_quoted(reader, ret);
    }
    int rc = new_tree(reader, SKR_CEL_TREE_SET, ret);
    if (rc < 0 || (rc = take_perl_class(reader, &(*ret)->set, &found)) < 0 || found) {
        return rc;
    }
    reader->pos++;
    rc = take_escaped(reader, &point);
    return rc < 0 ? rc : add_folded(reader, &(*ret)->set, point, point);
}

static int alternatives(struct reader *reader, struct skr_cel_tree **ret);

/* Flags behind "(?": "i-s:" opens a group, "i)" changes the flags of what follows. */
static int take_flags(struct reader *reader, bool *ret_group)
{
    static const char letters[] = "imsU";
    const size_t at = reader->pos;
    unsigned flags = reader->flags;
    bool off = false;
    for (size_t n = 0; !at_end(reader); n++) {
        const char c = reader->pattern[reader->pos++];
        const char *letter = c ? strchr(letters, c) : NULL;
        if (letter) {
            const unsigned bit = 1U << (letter - letters);
            flags = off ? flags & ~bit : flags | bit;
        } else if (c == '-' && !off) {
            off = true;
        } else if (c == ':' || (c == ')' && n > 0)) {
            reader->flags = flags;
            *ret_group = c == ':';
            return 0;
        } else {
            break;
        }
    }
    return fail_at(reader, at, "invalid group: RE2 has (?:), (?P<name>) and flags i m s U");
}

/* Behind "(?P<" or "(?<". */
static int take_group_name(struct reader *reader)
{
    const size_t begin = reader->pos;
    while (!at_end(reader)) {
        const char c = reader->pattern[reader->pos++];
        if (c == '>' && reader->pos > begin + 1) {
            return 0;
        }
        if (!(c == '_' || skr_cel_digit(c) < 10 || (c >= 'a' && c <= 'z') ||
              (c >= 'A' && c <= 'Z'))) {
            break;
        }
    }
    return fail_at(reader, begin, "invalid name of a group");
}

static int take_group(struct reader *reader, struct skr_cel_tree **ret)
{
    const size_t begin = reader->pos++;
    const unsigned flags = reader->flags;
    bool group = true;
    int rc = 0;
    if (eat(reader, "?P<") ||
        (sees(reader, "?<") && !sees(reader, "?<=") && !sees(reader, "?<!") && eat(reader, "?<"))) {
        rc = take_group_name(reader);
    } else if (eat(reader, "?")) {
        rc = take_flags(reader, &group);
    }
    if (rc < 0 || !group) {
        return rc < 0 ? rc : new_tree(reader, SKR_CEL_TREE_EMPTY, ret);
    }
    if (++reader->depth > SKR_CEL_REGEX_DEPTH_MAX) {
        return skr_error_set(reader->error, SKR_LIMIT, "at %zu: groups nested more than %d deep",
                             begin + 1, (int)SKR_CEL_REGEX_DEPTH_MAX);
    }
    rc = alternatives(reader, ret);
    reader->depth--;
    reader->flags = flags;
    return rc < 0 || eat(reader, ")") ? rc : fail_at(reader, begin, "')' is missing");
}

static int take_atom(struct reader *reader, struct skr_cel_tree **ret)
{
    const bool lines = (reader->flags & FLAG_M) != 0;
    switch (reader->pattern[reader->pos]) {
    case '(':
        return take_group(reader, ret);
    case '[':
        return take_brackets(reader, ret);
    case '.':
        return take_dot(reader, ret);
    case '^':
        return take_assertion(reader, lines ? SKR_CEL_ASSERT_LINE_BEGIN : SKR_CEL_ASSERT_BEGIN, 1,
                              ret);
    case '$':
        return take_assertion(reader, lines ? SKR_CEL_ASSERT_LINE_END : SKR_CEL_ASSERT_END, 1, ret);
    case '\\':
        return take_backslash(reader, ret);
    case '*':
    case '+':
    case '?':
        return fail_at(reader, reader->pos, "nothing to repeat");
    default:
        return take_literal(reader, take_point(reader), ret);
    }
}

/* ---- repetition, sequences, alternatives ---- */

/* {n}, {n,}, {n,m}; anything else in braces is literal, as in RE2. */
static bool take_braces(struct reader *reader, uint32_t *ret_min, uint32_t *ret_max)
{
    const size_t begin = reader->pos++;
    bool good = take_digits(reader, SIZE_MAX, 10, ret_min) > 0;
    *ret_max = *ret_min;
    if (good && eat(reader, ",") && take_digits(reader, SIZE_MAX, 10, ret_max) == 0) {
        *ret_max = SKR_CEL_FOREVER;
    }
    good = good && eat(reader, "}");
    reader->pos = good ? reader->pos : begin;
    return good;
}

static bool take_repetition(struct reader *reader, uint32_t *ret_min, uint32_t *ret_max)
{
    *ret_min = sees(reader, "+") ? 1 : 0;
    *ret_max = sees(reader, "?") ? 1 : SKR_CEL_FOREVER;
    if (eat(reader, "*") || eat(reader, "+") || eat(reader, "?")) {
        return true;
    }
    return sees(reader, "{") && take_braces(reader, ret_min, ret_max);
}

static int repetition(struct reader *reader, struct skr_cel_tree **ret)
{
    int rc = take_atom(reader, ret);
    bool repeated = false;
    uint32_t min, max;
    for (size_t at = reader->pos; rc == 0 && take_repetition(reader, &min, &max);
         at = reader->pos) {
        struct skr_cel_tree *atom = *ret;
        if (repeated) {
            return fail_at(reader, at, "a repetition of a repetition");
        }
        if (min > SKR_CEL_REGEX_REPEAT_MAX || max < min ||
            (max > SKR_CEL_REGEX_REPEAT_MAX && max != SKR_CEL_FOREVER)) {
            return fail_at(reader, at, "invalid number of repetitions");
        }
        if ((rc = new_tree(reader, SKR_CEL_TREE_REPEAT, ret)) < 0) {
            return rc;
        }
        (*ret)->min = min;
        (*ret)->max = max;
        (*ret)->lazy = eat(reader, "?") != ((reader->flags & FLAG_U) != 0);
        add_tree(*ret, atom);
        repeated = true;
    }
    return rc;
}

static int sequence(struct reader *reader, struct skr_cel_tree **ret)
{
    int rc = new_tree(reader, SKR_CEL_TREE_SEQUENCE, ret);
    while (rc == 0 && !at_end(reader) && !sees(reader, "|") && !sees(reader, ")")) {
        struct skr_cel_tree *part;
        rc = repetition(reader, &part);
        if (rc == 0) {
            add_tree(*ret, part);
        }
    }
    return rc;
}

static int alternatives(struct reader *reader, struct skr_cel_tree **ret)
{
    int rc = new_tree(reader, SKR_CEL_TREE_ALTERNATIVES, ret);
    do {
        struct skr_cel_tree *part;
        if (rc == 0 && (rc = sequence(reader, &part)) == 0) {
            add_tree(*ret, part);
        }
    } while (rc == 0 && eat(reader, "|"));
    return rc;
}

int skr_cel_regex_read(const char *pattern, size_t n, struct skr_arena *arena,
                       struct skr_cel_tree **ret, struct skr_error *error)
{
    struct reader reader = {.pattern = pattern, .n = n, .arena = arena, .error = error};
    struct skr_cel_tree *tree;
    int rc = alternatives(&reader, &tree);
    if (rc == 0 && !at_end(&reader)) {
        return fail_at(&reader, reader.pos, "unexpected ')'");
    }
    if (rc == 0) {
        *ret = tree;
    }
    return rc;
}
