/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of strings: the standard ones, and those of cel-go's extension. Places are code points. */
#include <string.h>

#include "core/cel/function.h"

static const char out_of_range[] = "the index is out of range";

/* The byte where b begins in a, from a byte on; SIZE_MAX: it does not. */
static size_t find(const struct skr_cel_value *a, const struct skr_cel_value *b, size_t from)
{
    const char *at = from > a->n ? NULL : memmem(a->text + from, a->n - from, b->text, b->n);
    return at ? (size_t)(at - a->text) : SIZE_MAX;
}

static size_t points(const struct skr_cel_value *v)
{
    return skr_cel_points(v->text, v->n);
}

static size_t byte_of(const struct skr_cel_value *v, int64_t point)
{
    return skr_cel_point_at(v->text, v->n, (size_t)point);
}

/* Part of a string, borrowed. */
static struct skr_cel_value part(const struct skr_cel_value *v, size_t begin, size_t end)
{
    return skr_cel_string(v->text + begin, end - begin);
}

/* ---- standard ---- */

static struct skr_cel_value contains(struct skr_cel_run *run, const struct skr_cel_value *arg)
{
    (void)run;
    return skr_cel_bool(find(&arg[0], &arg[1], 0) != SIZE_MAX);
}

/* way 1: at the end. */
static struct skr_cel_value starts_with(struct skr_cel_run *run, const struct skr_cel_value *arg)
{
    if (arg[1].n > arg[0].n) {
        return skr_cel_bool(false);
    }
    const size_t at = run->row->way == 1 ? arg[0].n - arg[1].n : 0;
    return skr_cel_bool(memcmp(arg[0].text + at, arg[1].text, arg[1].n) == 0);
}

/* ---- places ---- */

static struct skr_cel_value char_at(struct skr_cel_run *run, const struct skr_cel_value *arg)
{
    (void)run;
    const int64_t i = arg[1].integer; /* the end is a place, too */
    return i < 0 || i > (int64_t)points(&arg[0])
               ? skr_cel_error(out_of_range)
               : part(&arg[0], byte_of(&arg[0], i), byte_of(&arg[0], i + 1));
}

static struct skr_cel_value index_of(struct skr_cel_run *run, const struct skr_cel_value *arg)
{
    const int64_t from = run->n > 2 ? arg[2].integer : 0;
    if (arg[1].n == 0) {
        return skr_cel_int(from);
    }
    if (from < 0) {
        return skr_cel_error(out_of_range);
    }
    if (from >= (int64_t)points(&arg[0])) {
        return skr_cel_int(-1);
    }
    const size_t at = find(&arg[0], &arg[1], byte_of(&arg[0], from));
    return skr_cel_int(at == SIZE_MAX ? -1 : (int64_t)skr_cel_points(arg[0].text, at));
}

static struct skr_cel_value last_index_of(struct skr_cel_run *run, const struct skr_cel_value *arg)
{
    const int64_t length = (int64_t)points(&arg[0]);
    const int64_t last = run->n > 2 ? arg[2].integer : length - 1;
    if (arg[1].n == 0) {
        return skr_cel_int(run->n > 2 ? last : length);
    }
    if (last < 0 || last >= length || arg[1].n > arg[0].n) {
        return last < 0 ? skr_cel_error(out_of_range) : skr_cel_int(-1);
    }
    size_t at = byte_of(&arg[0], last);
    at = at > arg[0].n - arg[1].n ? arg[0].n - arg[1].n : at;
    for (size_t i = at + 1; i-- > 0;) {
        if (memcmp(arg[0].text + i, arg[1].text, arg[1].n) == 0) {
            return skr_cel_int((int64_t)skr_cel_points(arg[0].text, i));
        }
    }
    return skr_cel_int(-1);
}

static struct skr_cel_value substring(struct skr_cel_run *run, const struct skr_cel_value *arg)
{
    const int64_t length = (int64_t)points(&arg[0]);
    const int64_t begin = arg[1].integer, end = run->n > 2 ? arg[2].integer : length;
    if (begin < 0 || begin > end || end > length) {
        return skr_cel_error(out_of_range);
    }
    return part(&arg[0], byte_of(&arg[0], begin), byte_of(&arg[0], end));
}

/* ---- changed copies ---- */

/* way: the first letter that is changed. */
static struct skr_cel_value change_case(struct skr_cel_run *run, const struct skr_cel_value *arg)
{
    const struct skr_cel_value copy = skr_cel_copy(run, arg[0].text, arg[0].n);
    char *text = copy.kind == SKR_CEL_ERROR ? NULL : (char *)(uintptr_t)copy.text;
    for (size_t i = 0; text && i < arg[0].n; i++) {
        if (text[i] >= run->row->way && text[i] <= run->row->way + 25) {
            text[i] ^= 0x20;
        }
    }
    return copy;
}

static struct skr_cel_value reverse(struct skr_cel_run *run, const struct skr_cel_value *arg)
{
    char *text = skr_cel_room(run, arg[0].n, 1);
    size_t at = arg[0].n;
    uint32_t point;
    if (!text) {
        return skr_cel_over(run);
    }
    for (size_t i = 0; i < arg[0].n;) {
        const size_t length = skr_cel_point_read(arg[0].text + i, arg[0].n - i, &point);
        at -= length;
        memcpy(text + at, arg[0].text + i, length);
        i += length;
    }
    return skr_cel_string(text, arg[0].n);
}

/* White space of Unicode. */
static bool is_blank(uint32_t c)
{
    return (c >= 9 && c <= 13) || c == ' ' || c == 0x85 || c == 0xa0 || c == 0x1680 ||
           (c >= 0x2000 && c <= 0x200a) || c == 0x2028 || c == 0x2029 || c == 0x202f ||
           c == 0x205f || c == 0x3000;
}

static struct skr_cel_value trim(struct skr_cel_run *run, const struct skr_cel_value *arg)
{
    size_t begin = SIZE_MAX, end = 0;
    uint32_t point;
    (void)run;
    for (size_t i = 0; i < arg[0].n;) {
        const size_t length = skr_cel_point_read(arg[0].text + i, arg[0].n - i, &point);
        if (!is_blank(point)) {
            begin = begin == SIZE_MAX ? i : begin;
            end = i + length;
        }
        i += length;
    }
    return begin == SIZE_MAX ? part(&arg[0], 0, 0) : part(&arg[0], begin, end);
}

/* ---- replace, split, join ---- */

/* Where the next piece ends: at b, or, if b is empty, behind one code point. SIZE_MAX: nowhere. */
static size_t next_end(const struct skr_cel_value *a, const struct skr_cel_value *b, size_t from)
{
    uint32_t point;
    if (b->n > 0) {
        return find(a, b, from);
    }
    return from < a->n ? from + skr_cel_point_read(a->text + from, a->n - from, &point) : SIZE_MAX;
}

/* An empty text to be replaced is in front of each code point and at the end. */
static struct skr_cel_value replace(struct skr_cel_run *run, const struct skr_cel_value *arg)
{
    const int64_t limit = run->n > 3 ? arg[3].integer : -1;
    size_t at = 0;
    int64_t done = 0;
    SKR_STRBUF(out);
    for (; limit < 0 || done < limit; done++) {
        const size_t end = arg[1].n == 0 && done == 0 ? 0 : next_end(&arg[0], &arg[1], at);
        if (end == SIZE_MAX) {
            break;
        }
        if (!skr_cel_charge_text(run, end - at + arg[2].n)) {
            return skr_cel_over(run);
        }
        skr_strbuf_addn(&out, arg[0].text + at, end - at);
        skr_strbuf_addn(&out, arg[2].text, arg[2].n);
        at = end + arg[1].n;
    }
    skr_strbuf_addn(&out, arg[0].text + at, arg[0].n - at);
    return skr_cel_copy(run, out.s, out.len);
}

static struct skr_cel_value split(struct skr_cel_run *run, const struct skr_cel_value *arg)
{
    const int64_t limit = run->n > 2 ? arg[2].integer : -1;
    const size_t most = (size_t)arg[0].n + 1;
    if (!skr_cel_charge_text(run, most)) {
        return skr_cel_over(run);
    }
    size_t pieces = 0;
    for (size_t at = 0; at != SIZE_MAX; pieces++) {
        at = next_end(&arg[0], &arg[1], at);
        at = at == SIZE_MAX || (arg[1].n == 0 && at == arg[0].n) ? SIZE_MAX : at + arg[1].n;
    }
    pieces = arg[0].n == 0 && arg[1].n == 0 ? 0 : pieces;
    pieces = limit >= 0 && (uint64_t)limit < pieces ? (size_t)limit : pieces;
    struct skr_cel_value *item = skr_cel_room(run, pieces, sizeof *item);
    size_t at = 0;
    for (size_t i = 0; item && i < pieces; i++) {
        const size_t end = i + 1 == pieces ? arg[0].n : next_end(&arg[0], &arg[1], at);
        item[i] = part(&arg[0], at, end);
        at = end + arg[1].n;
    }
    return item ? (struct skr_cel_value){.kind = SKR_CEL_LIST, .n = (uint32_t)pieces, .item = item}
                : skr_cel_over(run);
}

static struct skr_cel_value join(struct skr_cel_run *run, const struct skr_cel_value *arg)
{
    const struct skr_cel_value between = run->n > 1 ? arg[1] : skr_cel_string("", 0);
    size_t length = 0;
    for (size_t i = 0; i < arg[0].n; i++) {
        if (arg[0].item[i].kind != SKR_CEL_STRING) {
            return skr_cel_no_overload(run, &arg[0].item[i], 1);
        }
        length += arg[0].item[i].n + (i > 0 ? between.n : 0);
    }
    const bool paid = skr_cel_charge(run, arg[0].n) && skr_cel_charge_text(run, length);
    char *text = paid ? skr_cel_room(run, length, 1) : NULL;
    size_t at = 0;
    for (size_t i = 0; text && i < arg[0].n; i++) {
        if (i > 0) {
            memcpy(text + at, between.text, between.n);
            at += between.n;
        }
        memcpy(text + at, arg[0].item[i].text, arg[0].item[i].n);
        at += arg[0].item[i].n;
    }
    return text ? skr_cel_string(text, length) : skr_cel_over(run);
}

const struct skr_cel_function skr_cel_string_functions[] = {
    {"contains", SKR_CEL_MEMBER, "ss:b", contains, SKR_CEL_SEARCH, 0},
    {"startsWith", SKR_CEL_MEMBER, "ss:b", starts_with, SKR_CEL_PART, 0},
    {"endsWith", SKR_CEL_MEMBER, "ss:b", starts_with, SKR_CEL_PART, 1},
    {"charAt", SKR_CEL_MEMBER, "si:s", char_at, SKR_CEL_TEXT, 0},
    {"indexOf", SKR_CEL_MEMBER, "ss:i|ssi:i", index_of, SKR_CEL_SEARCH, 0},
    {"lastIndexOf", SKR_CEL_MEMBER, "ss:i|ssi:i", last_index_of, SKR_CEL_SEARCH, 0},
    {"substring", SKR_CEL_MEMBER, "si:s|sii:s", substring, SKR_CEL_TEXT, 0},
    {"lowerAscii", SKR_CEL_MEMBER, "s:s", change_case, SKR_CEL_TEXT, 'A'},
    {"upperAscii", SKR_CEL_MEMBER, "s:s", change_case, SKR_CEL_TEXT, 'a'},
    {"reverse", SKR_CEL_MEMBER, "s:s", reverse, SKR_CEL_TEXT, 0},
    {"trim", SKR_CEL_MEMBER, "s:s", trim, SKR_CEL_TEXT, 0},
    {"replace", SKR_CEL_MEMBER, "sss:s|sssi:s", replace, SKR_CEL_SEARCH, 0},
    {"split", SKR_CEL_MEMBER, "ss:Ls|ssi:Ls", split, SKR_CEL_SEARCH, 0},
    {"join", SKR_CEL_MEMBER, "Ls:s|Lss:s", join, SKR_CEL_FREE, 0},
    {0},
};
