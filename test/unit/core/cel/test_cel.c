/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions and what they give: a row for every rule of the language that is served. */
#include "core/cel/cel.h"
#include "test/test.h"
#include "test/unit/cel_rows.h"

static const struct row literals[] = {
    {"1", "1"},
    {"-1", "-1"},
    {"0x1F", "31"},
    {"7u", "7u"},
    {"0xFu", "15u"},
    {"1.5", "1.5"},
    {".5", "0.5"},
    {"1e3", "1000"},
    {"1e21", "1e+21"},
    {"123456789.0", "1.23456789e+08"},
    {"-2.5e-7", "-2.5e-07"},
    {"-9223372036854775808", "-9223372036854775808"},
    {"9223372036854775807", "9223372036854775807"},
    {"true && !false", "true"},
    {"null", "null"},
    {"'a\\n\\x41\\101\\u00e9\\U0001F600'", "\"a\nAA\xc3\xa9\xf0\x9f\x98\x80\""},
    {"r'\\d'", "\"\\d\""},
    {"\"\"\"a\"b\nc\"\"\"", "\"a\"b\nc\""},
    {"b'\\x41\\377' == b'A\\xff'", "true"},
    {"[1, 2,]", "[1,2]"},
    {"{'a': 1, 'b': [true]}", "{\"a\":1,\"b\":[true]}"},
    {"1 // a comment\n + 1", "2"},
    {"  ( 1 )  ", "1"},
};
TEST_EACH(row, literals, a_literal_is_its_value)
{
    cel_expect(row);
}

static const struct row operators[] = {
    {"1 + 2 * 3 - 4 / 2 % 3", "5"},
    {"(1 + 2) * 3", "9"},
    {"-7 / 2", "-3"},
    {"-7 % 2", "-1"},
    {"- -1", "1"},
    {"-n", "-7"},
    {"7u / 2u", "3u"},
    {"1.0 / 4.0", "0.25"},
    {"1.0 / 0.0", "+Inf"},
    {"'a' + 'b'", "\"ab\""},
    {"[1] + [2]", "[1,2]"},
    {"9223372036854775807 + 1", "error 1:21: the result does not fit 64 bits"},
    {"-9223372036854775808 - 1", "error 1:22: the result does not fit 64 bits"},
    {"n * 9223372036854775807", "error 1:3: the result does not fit 64 bits"},
    {"18446744073709551615u * 18446744073709551615u",
     "error 1:23: the result does not fit 64 bits"},
    {"-9223372036854775808 / -1", "error 1:22: the result does not fit 64 bits"},
    {"0u - 1u", "error 1:4: the result does not fit 64 bits"},
    {"-(-9223372036854775808)", "error 1:1: the result does not fit 64 bits"},
    {"1 / 0", "error 1:3: division by zero"},
    {"1 % 0", "error 1:3: division by zero"},
    {"1 == 1 && 1 != 2 && 'a' < 'b' && 2 >= 2 && 1 <= 2 && 2 > 1", "true"},
    {"x.real == 1.5 && x.real > 1 && x.real < 2u", "true"},
    {"dyn(1) == 1.0 && dyn(1u) == 1 && dyn(2) > 1.5", "true"},
    {"dyn(1) == 'a'", "false"},
    {"dyn(9007199254740993) == 9007199254740992.0", "true"},
    {"dyn(-1) < 0u && dyn(18446744073709551615u) > 1", "true"},
    {"[1, 2] == [1, 2] && [1] != [1, 2]", "true"},
    {"{'a': 1, 'b': 2} == {'b': 2, 'a': 1}", "true"},
    {"{'a': 1} == {'a': 2}", "false"},
    {"null == null", "true"},
    {"x.none == null && x.name != null", "true"},
    {"dyn(1) < 'a'", "error 1:8: < does not take int and string"},
    {"[1] == [dyn('a')]", "false"},
    {"true ? 1 : 2", "1"},
    {"n > 8 ? 'a' : n > 6 ? 'b' : 'c'", "\"b\""},
    {"x.name ? 1 : 2", "error 1:8: ? does not take string"},
    {"2 in [1, 2] && !('z' in ['a']) && 'env' in x.labels", "true"},
    {"1.0 in x.list", "true"},
    {"'a' in x.name", "error 1:5: in does not take string and string"},
    {"x.list[0] + x.list[1u]", "3"},
    {"x.list[dyn(2.0)]", "3"},
    {"x.list[3]", "error 1:7: there is no item 3 in a list of 3"},
    {"x.list[-1]", "error 1:7: there is no item -1 in a list of 3"},
    {"x.list[dyn(0.5)]", "error 1:7: an index of a list is a whole number"},
    {"{1: 'a'}[1]", "\"a\""},
    {"-x.name", "error 1:1: - does not take string"},
    {"x.list.startsWith('a')", "error 1:8: startsWith() does not take list and string"},
    {"{true: 1}[dyn('true')]", "error 1:10: there is no key \"true\""},
};
TEST_EACH(row, operators, an_operator_gives_what_the_language_says)
{
    cel_expect(row);
}

static const struct row logic[] = {
    {"false && x.no", "false"},
    {"x.no && false", "false"},
    {"true || x.no", "true"},
    {"x.no || true", "true"},
    {"x.no && true", "error 1:3: there is no field \"no\""},
    {"x.no || false", "error 1:3: there is no field \"no\""},
    {"x.no || x.nope || true", "true"},
    {"x.no || x.nope", "error 1:3: there is no field \"no\""},
    {"x.name && true", "error 1:3: && does not take string"},
    {"x.name || true", "true"},
    {"[1, 2].exists(i, i / 0 == 1 || i == 2)", "true"},
    {"x.list.exists(i, x.no || i == 3)", "true"},
    {"x.list.all(i, x.no && i != 3)", "false"},
    {"x.list.exists(i, x.no)", "error 1:20: there is no field \"no\""},
    {"x.list.all(i, i < 3)", "false"},
    {"x.list.all(i, i > 0)", "true"},
    {"[].all(i, false) && ![].exists(i, true)", "true"},
    {"x.list.exists_one(i, i == 2)", "true"},
    {"x.list.exists_one(i, i > 1)", "false"},
    {"x.list.exists_one(i, x.no)", "error 1:24: there is no field \"no\""},
};
TEST_EACH(row, logic, logic_absorbs_errors_as_the_language_says)
{
    cel_expect(row);
}

static const struct row fields[] = {
    {"x.name", "\"one\""},
    {"x['name'] == x.name", "true"},
    {"x.labels['a.b/c']", "\"x\""},
    {"has(x.labels.env) && !has(x.labels.no) && has(x.none) && has(x.labels.empty)", "true"},
    {"has(x.no.no)", "error 1:7: there is no field \"no\""},
    {"x.labels.no", "error 1:10: there is no field \"no\""},
    {"x.labels['no']", "error 1:9: there is no key \"no\""},
    {"x.name.y", "error 1:8: string has no field \"y\""},
    {"x.claims.filter(c, c.name == 'zone')[0].value", "\"a\""},
    {"x.claims.exists(c, c.name == 'version' && c.value.matches('^v1\\\\.30\\\\.\\\\d+$'))",
     "true"},
    {"x.claims.map(c, c.name)", "[\"version\",\"zone\"]"},
    {"x.list.map(i, i > 1, i * 10)", "[20,30]"},
    {"x.labels.filter(k, k.startsWith('e'))", "[\"env\",\"empty\"]"},
    {"x.list.map(i, x.list.map(j, i * j))[2][2]", "9"},
    {"x.list.map(i, x.list.filter(i, i > 2))[0]", "[3]"},
    {"x.name.all(i, true)", "error 1:8: a macro does not take string"},
    {"x.big", "9223372036854775807"},
};
TEST_EACH(row, fields, a_field_of_an_object_is_read)
{
    cel_expect(row);
}

static const struct row functions[] = {
    {"size('h\xc3\xa9llo') + size([1]) + size({'a': 1}) + 'ab'.size()", "9"},
    {"type(1) == int && type('a') == string && type([]) == list && type(null) == null_type",
     "true"},
    {"type(x.real)", "double"},
    {"int('12') + int(1.9) + int(3u)", "16"},
    {"int('x')", "error 1:1: \"x\" is no int"},
    {"int(1e19)", "error 1:1: the value does not fit int"},
    {"uint(-1)", "error 1:1: the value does not fit uint"},
    {"uint('18446744073709551615')", "18446744073709551615u"},
    {"double('1.25') + double(1)", "2.25"},
    {"double('1e')", "error 1:1: \"1e\" is no double"},
    {"string(1) + string(1u) + string(1.5) + string(true) + string(b'a') + string(1e6)",
     "\"111.5truea1e+06\""},
    {"string(b'\\xff')", "error 1:1: the bytes are not UTF-8"},
    {"bool('true') && !bool('0')", "true"},
    {"bytes('a') == b'a'", "true"},
    {"duration('1h30m') > duration('89m') && duration('-1s') < duration('0s')", "true"},
    {"timestamp('2026-01-01T00:00:00Z') + duration('1s') > timestamp('2026-01-01T00:00:00Z')",
     "true"},
    {"int(timestamp('1970-01-01T00:01:00.5Z'))", "60"},
    {"string(timestamp('2000-02-29T23:59:50.100Z'))", "\"2000-02-29T23:59:50.1Z\""},
    {"string(timestamp('2000-02-29T23:59:50-01:30'))", "\"2000-02-29T23:59:50-01:30\""},
    {"string(timestamp('2000-02-29T23:59:50+02:00') + duration('10s'))",
     "\"2000-03-01T00:00:00+02:00\""},
    {"string(duration('10s') + timestamp('2000-02-29T23:59:50+00:00'))",
     "\"2000-03-01T00:00:00Z\""},
    {"string(timestamp('1969-12-31T23:00:00Z') - duration('1h'))", "\"1969-12-31T22:00:00Z\""},
    {"string(duration('1h30m0.25s'))", "\"5400.25s\""},
    {"string(duration('-1us'))", "\"-0.000001s\""},
    {"string(duration('0'))", "\"0s\""},
    {"string(duration('2562047h0.123456789s'))", "\"9223369200.123457s\""},
    {"int(duration('1.5s'))", "1500000000"},
    {"int(-dyn(duration('1.5s')))", "-1500000000"},
    {"-duration('1s')", "refused 1:1: - does not take (duration)"},
    {"[int].exists(x, x == int)",
     "refused 1:17: \"x\" is a type, which variables of macros cannot be"},
    {"timestamp(5)", "5000000000"},
    {"timestamp(9223372037)", "error 1:1: the value does not fit timestamp"},
    {"duration(5)", "error 1:1: the value does not fit duration"},
    {"[1].filter(x, 2u > 0 && x < 1.5 && 1u <= x).size()", "1"},
    {"timestamp('2026-01-01T00:00:00Z\\u0000')",
     "error 1:1: \"2026-01-01T00:00:00Z\" is no timestamp"},
    {"timestamp('yesterday')", "error 1:1: \"yesterday\" is no timestamp"},
    {"x.name.startsWith('o') && x.name.endsWith('ne') && x.name.contains('n')", "true"},
    {"'a'.startsWith('ab') || 'a'.endsWith('ba') || 'a'.contains('ab') || !'a'.contains('')",
     "false"},
    {"'h\xc3\xa9llo'.charAt(1) + 'abc'.charAt(3)", "\"\xc3\xa9\""},
    {"'abc'.charAt(4)", "error 1:7: the index is out of range"},
    {"'hello mellow'.indexOf('ello') + 'hello mellow'.indexOf('ello', 2)", "8"},
    {"'hello'.indexOf('jello') + 'hello'.indexOf('', 2) + 'hello'.indexOf('l', 20)", "0"},
    {"'hello'.indexOf('l', -1)", "error 1:9: the index is out of range"},
    {"'hello mellow'.lastIndexOf('ello') + 'hello mellow'.lastIndexOf('ello', 6)", "8"},
    {"'hello'.lastIndexOf('') + 'hello'.lastIndexOf('hellos') + 'ab'.lastIndexOf('a', 20)", "3"},
    {"'tacocat'.substring(4) + 'tacocat'.substring(0, 4)", "\"cattaco\""},
    {"'tacocat'.substring(2, 1)", "error 1:11: the index is out of range"},
    {"'v1.30'.substring(1)", "\"1.30\""},
    {"'TacoC\xc3\x86t'.lowerAscii() + 'b\xc3\xa9'.upperAscii()", "\"tacoc\xc3\x86tB\xc3\xa9\""},
    {"'ab\xc3\xa9'.reverse()", "\"\xc3\xa9"
                               "ba\""},
    {"' \\t\\u00a0a b\\n'.trim() + '  '.trim()", "\"a b\""},
    {"'hello hello'.replace('he', 'we') + 'aa'.replace('a', 'b', 1) + 'a'.replace('a', '', 0)",
     "\"wello welloba"
     "a\""},
    {"'hi'.replace('', '_')", "\"_h_i_\""},
    {"'hi'.replace('', '_', 2)", "\"_h_i\""},
    {"'a,b,c'.split(',')", "[\"a\",\"b\",\"c\"]"},
    {"'a,b,c'.split(',', 2)", "[\"a\",\"b,c\"]"},
    {"'a,b'.split(',', 0)", "[]"},
    {"'ab'.split('')", "[\"a\",\"b\"]"},
    {"''.split(',')", "[\"\"]"},
    {"''.split('')", "[]"},
    {"['a', 'b'].join('-') + ['c'].join() + [].join('x')", "\"a-bc\""},
    {"x.list.join()", "error 1:8: join() does not take int"},
    {"[1, 2].isSorted() && !['b', 'a'].isSorted() && [].isSorted()", "true"},
    {"[3, 1, 2].min() + [3, 1, 2].max() + [1, 2].sum()", "7"},
    {"[1.5, 2.0].sum()", "3.5"},
    {"x.list.filter(i, i > 9).max()", "error 1:25: max() of an empty list"},
    {"[1, 2, 1].indexOf(1) + [1, 2, 1].lastIndexOf(1) + [1].indexOf(2)", "1"},
    {"'abc 12 d3'.find('[0-9]+') + 'x'.find('y')", "\"12\""},
    {"'12 3 456'.findAll('[0-9]+')", "[\"12\",\"3\",\"456\"]"},
    {"'12 3 456'.findAll('[0-9]+', 2)", "[\"12\",\"3\"]"},
    {"'ab'.findAll('x*')", "[\"\",\"\",\"\"]"},
    {"quantity(x.cpu).isGreaterThan(quantity('4')) && quantity('1Gi').compareTo(quantity('1G')) == "
     "1",
     "true"},
    {"quantity('50k').add(20).sub(quantity('100k')).sub(-50000) == quantity('20')", "true"},
    {"quantity('1Ki').asInteger() + sign(quantity('-3'))", "1023"},
    {"quantity('1.5').isInteger() || quantity('9999999999E').isInteger()", "false"},
    {"quantity('100m').asInteger()", "error 1:18: the quantity is no integer"},
    {"quantity('1500m').asApproximateFloat()", "1.5"},
    {"quantity('1.5.5')", "error 1:1: \"1.5.5\" is no quantity"},
    {"isQuantity('10Mi') && !isQuantity('Three')", "true"},
    {"semver('1.30.2').isGreaterThan(semver('1.29.9')) && semver('1.0.0-rc.1').isLessThan(semver("
     "'1.0.0'))",
     "true"},
    {"semver('1.0.0+a').compareTo(semver('1.0.0+b')) + semver('1.2.3').minor()", "2"},
    {"semver('1.0.0-alpha.9').compareTo(semver('1.0.0-alpha.10'))", "-1"},
    {"semver('v1.30')", "error 1:1: \"v1.30\" is no semantic version"},
    {"semver('v1.30', true).minor()", "30"},
    {"isSemver('1.0') || isSemver('01.0.0') || !isSemver('1.0.0-a.b+c')", "false"},
    {"has(x.name) ? dyn(1) : dyn('a')", "1"},
    {"cel.bind(a, x.list, cel.bind(b, a.size(), b == a.size()))", "true"},
    {"cel.bind(a, x.missing, true || a == 1)", "true"},
    {"cel.bind(a, x.missing, a == 1)", "error 1:15: there is no field \"missing\""},
    {"cel.bind(n, 'a', n + 'b')", "\"ab\""},
    {"cel.bind(1, 2, 3)", "refused 1:10: the first argument of bind() is the name of a variable"},
    {"cel.bind(a, 1)", "refused 1:1: there is no variable \"cel\""},
};
TEST_EACH(row, functions, a_function_gives_what_its_library_says)
{
    cel_expect(row);
}

static const struct row refusals[] = {
    {"", "refused 1:1: the expression ends too early"},
    {"1 +", "refused 1:4: the expression ends too early"},
    {"1 1", "refused 1:3: expected an operator or the end"},
    {"foo", "refused 1:1: there is no variable \"foo\""},
    {"x.list.exists(i, i == 1) && i == 1", "refused 1:29: there is no variable \"i\""},
    {"foo(1)", "refused 1:1: there is no function foo()"},
    {"x.name.foo()", "refused 1:8: there is no function foo()"},
    {"size()", "refused 1:1: size() does not take ()"},
    {"size(1)", "refused 1:1: size() does not take (int)"},
    {"startsWith('a', 'b')",
     "refused 1:1: startsWith() has its value in front: value.startsWith()"},
    {"'a'.quantity()", "refused 1:5: quantity() has no value in front: quantity(value)"},
    {"1 + 'a'", "refused 1:3: + does not take (int, string)"},
    {"1 + 1.0", "refused 1:3: + does not take (int, double)"},
    {"1 == 'a'", "refused 1:3: == does not take (int, string)"},
    {"[1] == ['a']", "refused 1:5: == does not take (list(int), list(string))"},
    {"!1", "refused 1:1: ! does not take (int)"},
    {"1 && true", "refused 1:1: && takes bool, not int"},
    {"1 ? 2 : 3", "refused 1:1: ? takes bool, not int"},
    {"true ? 1 : 'a'", "refused 1:6: both values of ? : have one type, not int and string"},
    {"[1].all(i, i)", "refused 1:12: all() takes bool, not int"},
    {"1.all(i, true)", "refused 1:3: all() is for lists and maps, not int"},
    {"[1].all(x.y, true)", "refused 1:11: the first argument of all() is the name of a variable"},
    {"'a'.y", "refused 1:5: string has no field \"y\""},
    {"{1: 2}.y", "refused 1:8: map(int, int) has no field \"y\""},
    {"has(x)", "refused 1:1: has() takes a field: has(value.field)"},
    {"x.?y", "refused 1:3: optional values (.?) are not served; use has()"},
    {"x[?'y']", "refused 1:3: optional values ([?]) are not served; use `in`"},
    {"x{y: 1}", "refused 1:2: messages (Type{...}) are not served"},
    {"for", "refused 1:1: \"for\" is a reserved word"},
    {"'a", "refused 1:1: the string does not end"},
    {"'\\q'", "refused 1:4: this is no escape sequence"},
    {"'\\ud800'", "refused 1:4: this is no Unicode character"},
    {"9223372036854775808", "refused 1:1: the number does not fit a signed 64 bits integer"},
    {"99999999999999999999", "refused 1:1: the number does not fit 64 bits"},
    {"1e999", "refused 1:1: the number does not fit a double"},
    {"1a", "refused 1:2: a letter behind a number"},
    {"a ~ b", "refused 1:3: unexpected character '~'"},
    {"(1", "refused 1:3: expected ')'"},
    {"f(1,)", "refused 1:5: an argument is missing behind ','"},
    {"1 <\n 'a'", "refused 1:3: < does not take (int, string)"},
    {"x.name.matches('(')", "refused 1:16: regular expression, at 1: ')' is missing"},
    {"x.name ==\n  y", "refused 2:3: there is no variable \"y\""},
};
TEST_EACH(row, refusals, what_is_wrong_is_refused_with_its_position)
{
    cel_expect(row);
}

static const struct row keys[] = {
    {"{'a': 1, 'a': 2}", "{\"a\":2}"},
    {"{1u: 'u', 1: 'i'}[1] + {1u: 'u', 1: 'i'}[1u]", "\"iu\""},
    {"{1u: 'u'}[dyn(1)]", "\"u\""},
    {"{1u: 'u', 1: 'i'} == {1: 'i', 1u: 'u'}", "true"},
    {"{1.5: 1}", "error 1:1: double is no key of a map"},
    {"dyn(x)[null]", "refused 1:7: null is no index"},
};
TEST_EACH(row, keys, the_last_value_of_a_key_counts)
{
    cel_expect(row);
}

/* As in cel-go, where types are known in evaluation only. */
static const struct row mixed[] = {
    {"has(dyn(1).a)", "false"},
    {"has(dyn([1]).a)", "error 1:1: list has no field \"a\""},
    {"dyn(quantity('1')) == 1", "error 1:20: == does not take kubernetes.Quantity and int"},
    {"1 == dyn(quantity('1'))", "false"},
    {"dyn(quantity('1')) != 1", "true"},
    {"([dyn(1)] + ['a']).exists(v, v == 1)", "true"},
    {"[[1], [dyn('a')]][1] == ['a']", "true"},
    {"duration(null)", "error 1:1: duration() does not take null_type"},
    {"type(type)", "type"},
    {"-9223372036854775808 % -1", "error 1:22: the result does not fit 64 bits"},
    {"duration('+3us') == duration('3\u00b5s')", "true"},
    {"br'\\x'", "\"\\x\""},
    {"rb'\\x'", "refused 1:6: this is no escape sequence"},
};
TEST_EACH(row, mixed, values_of_unknown_types_are_as_in_cel_go)
{
    cel_expect(row);
}

/* n times text between head and tail. */
static void expect_repeated(const char *head, const char *text, size_t n, const char *tail,
                            const char *expected)
{
    SKR_STRBUF(all);
    SKR_STRBUF(out);
    skr_strbuf_add(&all, head);
    for (size_t i = 0; i < n; i++) {
        skr_strbuf_add(&all, text);
    }
    skr_strbuf_add(&all, tail);
    cel_evaluate(all.s, SKR_CEL_COST_MAX, &out);
    assert_non_null(strstr(out.s, expected));
}

TEST(every_limit_has_a_message)
{
    expect_repeated("", "(", 200, "1", "nested more than 100 levels deep");
    expect_repeated("1", "+1", 200, "", "nested more than 100 levels deep");
    expect_repeated("x", ".a", 200, "", "nested more than 100 levels deep");
    expect_repeated("[1", ",1", 4200, "]", "more than 4096 names, values and operators");
    expect_repeated("'", "a", 11000, "'", "the expression has 11002 bytes, limit 10240");
    expect_repeated("true", "&&true", 1000, "", "true");
    expect_repeated("-", "-", 2000, "n", "-7");
}

TEST(an_evaluation_ends_at_its_cost)
{
    static const char text[] = "x.list.all(a, x.list.all(b, x.list.all(c, a + b + c > 0)))";
    SKR_STRBUF(out);
    cel_evaluate(text, 100, &out);
    assert_non_null(strstr(out.s, "it costs more than an evaluation may"));
    skr_strbuf_reset(&out);
    cel_evaluate(text, SKR_CEL_COST_MAX, &out);
    assert_string_equal(out.s, "true");
    /* No logic absorbs it. */
    skr_strbuf_reset(&out);
    cel_evaluate("x.list.all(a, x.list.all(b, x.list.all(c, a > 0))) || true", 40, &out);
    assert_non_null(strstr(out.s, "it costs more than an evaluation may"));
    /* Doubling a text does not take all memory. */
    skr_strbuf_reset(&out);
    cel_evaluate(
        "['aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'].map(a, a+a+a+a+a+a+a+a).map(a, a+a+a+a+a+a+a+a)"
        ".map(a, a+a+a+a+a+a+a+a).map(a, a+a+a+a+a+a+a+a).map(a, a+a+a+a+a+a+a+a)"
        ".map(a, a+a+a+a+a+a+a+a).map(a, a+a+a+a+a+a+a+a).map(a, a+a+a+a+a+a+a+a)",
        SKR_CEL_COST_MAX, &out);
    assert_non_null(strstr(out.s, "than an evaluation may"));
}

/* The title is a test of t, m, o, l and p, whose sizes a user chooses. It is made 10,000 times. */
static const struct row heavy[] = {
    {"m == o", NULL},         {"l.indexOf(t) == 0", NULL}, {"l.isSorted()", NULL},
    {"l.min() == t", NULL},   {"m[t] == 1", NULL},         {"t in m", NULL},
    {"p.join() == ''", NULL},
};
TEST_EACH(row, heavy, what_is_looked_at_is_paid_for)
{
    SKR_STRBUF(text);
    SKR_STRBUF(out);
    skr_strbuf_add(&text, "['aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa']");
    for (int i = 0; i < 12; i++) {
        skr_strbuf_add(&text, ".map(a, a + a)");
    }
    skr_strbuf_add(&text, ".all(s, [s + 'b'].all(t, [{t: 1, 'k': s}].all(m, "
                          "[{'k': s, t: 1}].all(o, [[t, t]].all(l, [s.split('a')].all(p, ");
    for (int i = 0; i < 4; i++) {
        skr_strbuf_addf(&text, "[0,1,2,3,4,5,6,7,8,9].all(i%d, ", i);
    }
    skr_strbuf_addf(&text, "%s))))))))))", row->title);
    cel_evaluate(text.s, SKR_CEL_COST_MAX, &out);
    assert_non_null(strstr(out.s, "it costs more than an evaluation may"));
}

TEST(sums_of_quantities_have_a_largest_one)
{
    SKR_STRBUF(text);
    SKR_STRBUF(out);
    skr_strbuf_add(&text, "[quantity('9E')]");
    for (int i = 0; i < 40; i++) {
        skr_strbuf_add(&text, ".map(q, q.add(q))");
    }
    skr_strbuf_add(&text, "[0].isGreaterThan(quantity('9E'))");
    cel_evaluate(text.s, SKR_CEL_COST_MAX, &out);
    assert_string_equal(out.s, "true");
}

#define SIXTEEN "[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15]"

/* "unknown": as much as an evaluation may. */
static const struct row bounds[] = {
    {"device.driver != 'x'", "5"},
    {"device.attributes['d'].model == 'a100' && device.attributes['d'].memory > 40", "21"},
    {"device.attributes['d'].?model.orValue('') == 'a100'", "16"},
    {"device.attributes.all(d, device.attributes[d].size() > 0)", "1478"},
    {"device.attributes['d'].exists(k, k.startsWith('a'))", "1033"},
    {SIXTEEN ".all(a, a >= 0)", "142"},
    {SIXTEEN ".all(a, " SIXTEEN ".all(b, " SIXTEEN ".all(c, a + b + c >= 0)))", "54334"},
    {SIXTEEN ".all(a, " SIXTEEN ".all(b, " SIXTEEN ".all(c, " SIXTEEN
             ".all(d, a + b + c + d >= 0))))",
     "unknown"},
    {"{'a': 1, 'b': 2}.all(k, k != '')", "64"},
    {"[1, 2].all(i, v, v > i)", "34"},
    {"[1, 2].map(x, x).all(x, x > 0)", "unknown"},
    {"[[1, 2]].all(l, l.all(x, x > 0))", "unknown"},
    {"[[1, 2, 3]][0].all(x, x > 0)", "unknown"},
    {"{'a': [1, 2, 3]}.a.all(x, x > 0)", "unknown"},
    {"([1] + [2]).all(x, x > 0)", "unknown"},
    {"lists.range(1000).all(x, x >= 0)", "unknown"},
    {"cel.bind(a, [1, 2], a.all(x, x > 0))", "unknown"},
    {"cel.bind(a, device.attributes['d'], a.x == 1)", "55"},
    {"device.attributes['d'].x.matches('a*b')", "38"},
    {"'aaaaaaaaaaaaaaaaaaaa'.replace('a', 'bbbbbbbbbbbbbbbbbbbb').replace('b', "
     "'cccccccccccccccccccc').replace('c', 'dddddddddddddddddddd').size() > 0",
     "130349"},
    {"device.`a-b` == 1", "unknown"},
    {"'an open string", "unknown"},
    {")", "unknown"},
};
TEST_EACH(row, bounds, what_an_expression_costs_at_most_is_known_from_its_text)
{
    char number[24];
    const uint64_t bound = skr_cel_cost_bound(row->title);
    snprintf(number, sizeof number, "%" PRIu64, bound);
    assert_string_equal(bound == SKR_CEL_COST_MAX ? "unknown" : number, row->expected);
}

TEST(what_deep_brackets_cost_is_not_known)
{
    SKR_STRBUF(text);
    for (int i = 0; i <= SKR_CEL_DEPTH_MAX; i++) {
        skr_strbuf_add(&text, "(");
    }
    assert_int_equal(skr_cel_cost_bound(text.s), SKR_CEL_COST_MAX);
}
