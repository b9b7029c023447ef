/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TEXT.format([VALUE, ...]) and strings.quote(TEXT), as cel-go's extension of strings has them in the
 * locale en_US. Served are "%s" of single values, "%d", "%f" with a precision, "%b", "%o", "%x", "%X".
 * Not served: "%e", and lists, maps and times.
 */
#include "core/cel/format.h"

#include <string.h>

#include "core/cel/function.h"
#include "core/cel/type.h"

enum { PRECISION = 6, NUMBER_TEXT = 400 + SKR_CEL_PRECISION_MAX };

/* ---- clauses ---- */

/* ".DIGITS" at s. Returns what is behind it; NULL: it is malformed. */
static const char *read_precision(const char *s, const char *end, int *ret)
{
    skr_int128 value;
    const size_t digits = skr_cel_digits(s + 1, (size_t)(end - s - 1), 10, &value);
    *ret = value <= SKR_CEL_PRECISION_MAX ? (int)value : 0;
    return digits > 0 && value <= SKR_CEL_PRECISION_MAX ? s + 1 + digits : NULL;
}

const char *skr_cel_clause_next(const struct skr_cel_value *format, size_t *at,
                                struct skr_cel_clause *ret)
{
    const char *const text = format->text, *const end = text + format->n;
    const char *s = text + *at;
    *ret = (struct skr_cel_clause){.begin = *at, .precision = PRECISION};
    while (s < end && (*s != '%' || (s + 1 < end && s[1] == '%'))) {
        s += *s == '%' ? 2 : 1;
    }
    ret->end = (size_t)(s - text);
    *at = ret->end;
    if (s == end) {
        return NULL;
    }
    s++;
    if (s < end && *s == '.') {
        s = read_precision(s, end, &ret->precision);
    }
    if (!s || s == end) {
        return !s ? "the precision of a clause is a number up to 255" : "a clause has no end";
    }
    ret->verb = *s;
    *at = (size_t)(s + 1 - text);
    return strchr("sdfbxXo", *s) ? NULL : "a clause is one of %s, %d, %f, %b, %x, %X and %o";
}

bool skr_cel_clause_takes(char verb, char type)
{
    const char *const types = verb == 's'                  ? "iudbsyTn"
                              : verb == 'f'                ? "ds"
                              : verb == 'b'                ? "iub"
                              : verb == 'x' || verb == 'X' ? "iusy"
                                                           : "iu";
    return type == '?' || strchr(types, type);
}

/* ---- values as texts ---- */

static size_t write_base(uint64_t value, unsigned bits, bool upper, char to[64])
{
    const char *const digit = upper ? "0123456789ABCDEF" : "0123456789abcdef";
    size_t n = 1;
    while (n * bits < 64 && value >> (n * bits) != 0) {
        n++;
    }
    for (size_t i = 0; i < n; i++) {
        to[n - 1 - i] = digit[value >> (i * bits) & ((1U << bits) - 1)];
    }
    return n;
}

static void put_base(struct skr_strbuf *out, const struct skr_cel_value *v, char verb)
{
    char text[64];
    const bool negative = v->kind == SKR_CEL_INT && v->integer < 0;
    const uint64_t value = v->kind == SKR_CEL_BOOL ? (v->boolean ? 1 : 0)
                           : negative              ? -v->natural
                                                   : v->natural;
    const unsigned bits = verb == 'b' ? 1 : verb == 'o' ? 3 : 4;
    const size_t n = write_base(value, bits, verb == 'X', text);
    skr_strbuf_add(out, negative ? "-" : "");
    skr_strbuf_addn(out, text, n);
}

static void put_bytes(struct skr_strbuf *out, const struct skr_cel_value *v, bool upper)
{
    for (size_t i = 0; i < v->n; i++) {
        skr_strbuf_addf(out, upper ? "%02X" : "%02x", (unsigned char)v->text[i]);
    }
}

/* With a comma between groups of three digits. */
static void put_fixed(struct skr_strbuf *out, double value, int precision)
{
    char text[NUMBER_TEXT];
    (void)snprintf(text, sizeof text, "%.*f", precision, value < 0 ? -value : value);
    const char *point = strchr(text, '.');
    const size_t whole = point ? (size_t)(point - text) : strlen(text);
    skr_strbuf_add(out, value < 0 ? "-" : "");
    for (size_t i = 0; i < whole; i++) {
        skr_strbuf_add(out, i > 0 && (whole - i) % 3 == 0 ? "," : "");
        skr_strbuf_addc(out, text[i]);
    }
    skr_strbuf_add(out, text + whole);
}

/* "%f": a double, or the name of one that is no number. */
static bool put_real(struct skr_strbuf *out, const struct skr_cel_value *v, int precision)
{
    static const char *const name[][2] = {
        {"NaN", "NaN"}, {"Infinity", "\u221e"}, {"-Infinity", "-\u221e"}};
    if (v->kind == SKR_CEL_DOUBLE && v->real - v->real == 0) {
        put_fixed(out, v->real, precision);
        return true;
    }
    for (size_t i = 0; i < 3; i++) {
        const struct skr_cel_value text = skr_cel_text(name[i][0]);
        const bool is = v->kind == SKR_CEL_STRING ? skr_cel_equal(v, &text)
                        : skr_cel_is_nan(v->real) ? i == 0
                                                  : i == (v->real > 0 ? 1 : 2);
        if (is) {
            skr_strbuf_add(out, name[i][1]);
            return true;
        }
    }
    return false;
}

/* "%s" and "%d". False: the bytes are no text. */
static bool put_plain(struct skr_cel_run *run, struct skr_strbuf *out,
                      const struct skr_cel_value *v)
{
    if (v->kind == SKR_CEL_NULL || v->kind == SKR_CEL_TYPE) {
        skr_strbuf_add(out, v->kind == SKR_CEL_NULL ? "null" : v->text);
        return true;
    }
    const struct skr_cel_value text = skr_cel_to_string(run, v);
    if (text.kind == SKR_CEL_STRING) {
        skr_strbuf_addn(out, text.text, text.n);
    }
    return text.kind == SKR_CEL_STRING;
}

static bool put_value(struct skr_cel_run *run, struct skr_strbuf *out,
                      const struct skr_cel_value *v, const struct skr_cel_clause *clause)
{
    const bool text = v->kind == SKR_CEL_STRING || v->kind == SKR_CEL_BYTES;
    if (clause->verb == 'f') {
        return put_real(out, v, clause->precision);
    }
    if (clause->verb == 's' || clause->verb == 'd') {
        return put_plain(run, out, v);
    }
    if (text) {
        put_bytes(out, v, clause->verb == 'X');
    } else {
        put_base(out, v, clause->verb);
    }
    return true;
}

static void put_text(struct skr_strbuf *out, const char *text, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        skr_strbuf_addc(out, text[i]);
        i += text[i] == '%' ? 1 : 0;
    }
}

static struct skr_cel_value format(struct skr_cel_run *run, const struct skr_cel_value *arg)
{
    struct skr_cel_clause clause;
    size_t at = 0, paid = 0;
    SKR_STRBUF(out);
    for (size_t i = 0; true; i++) {
        const char *wrong = skr_cel_clause_next(&arg[0], &at, &clause);
        if (wrong) {
            return skr_cel_error(wrong);
        }
        put_text(&out, arg[0].text + clause.begin, clause.end - clause.begin);
        if (clause.verb == '\0') {
            return skr_cel_copy(run, out.s, out.len);
        }
        if (i >= arg[1].n) {
            return skr_cel_error("format() has more clauses than values");
        }
        const struct skr_cel_value *value = &arg[1].item[i];
        const char type = skr_cel_type_of(value->kind);
        if (!skr_cel_clause_takes(clause.verb, type) || !put_value(run, &out, value, &clause)) {
            return skr_cel_errorf(run, "%%%c of format() does not take this %s", clause.verb,
                                  skr_cel_type_name(type));
        }
        if (!skr_cel_charge_text(run, out.len - paid)) {
            return skr_cel_over(run);
        }
        paid = out.len;
    }
}

static struct skr_cel_value quote(struct skr_cel_run *run, const struct skr_cel_value *arg)
{
    static const char code[] = "\a\b\f\n\r\t\v\\\"", name[] = "abfnrtv\\\"";
    SKR_STRBUF(out);
    skr_strbuf_addc(&out, '"');
    for (size_t i = 0; i < arg[0].n; i++) {
        const char c = arg[0].text[i];
        const char *escape = c != '\0' ? strchr(code, c) : NULL;
        skr_strbuf_add(&out, escape ? "\\" : "");
        skr_strbuf_addc(&out, escape ? name[escape - code] : c);
    }
    skr_strbuf_addc(&out, '"');
    return skr_cel_charge_text(run, out.len) ? skr_cel_copy(run, out.s, out.len)
                                             : skr_cel_over(run);
}

const struct skr_cel_function skr_cel_format_functions[] = {
    {"format", SKR_CEL_MEMBER, "sL?:s", format, SKR_CEL_TEXT, 0},
    {"strings.quote", SKR_CEL_GLOBAL, "s:s", quote, SKR_CEL_TEXT, 0},
    {0},
};
