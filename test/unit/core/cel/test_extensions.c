/* SPDX-License-Identifier: Apache-2.0 */
/* What extensions add: formats, quotes, addresses, networks, URLs. */
#include "test/test.h"
#include "test/unit/cel_rows.h"

static const struct row formats[] = {
    {"'%s is %d, %%'.format(['a', n])", "\"a is 7, %\""},
    {"'%s %s %s %s %s'.format([true, 1.5, null, b'x', int])", "\"true 1.5 null x int\""},
    {"'%f %.2f %.0f'.format([1234567.891, -0.005, 2.5])", "\"1,234,567.891000 -0.01 2\""},
    {"'%f %f %f'.format(['NaN', 1.0 / 0.0, '-Infinity'])", "\"NaN \u221e -\u221e\""},
    {"'%b %o %x %X'.format([-5, 8u, 255, 'aZ'])", "\"-101 10 ff 615A\""},
    {"'%b %x'.format([true, -9223372036854775808])", "\"1 -8000000000000000\""},
    {"'%d'.format([])", "refused 1:1: format() has more clauses than values: 0"},
    {"'a'.format([1])", "refused 1:12: format() has 1 values for 0 clauses"},
    {"'%d'.format(['a'])", "refused 1:14: %d of format() does not take string"},
    {"'%s'.format([[1]])", "refused 1:14: %s of format() does not take list(int)"},
    {"'%d'.format([dyn('a')])", "error 1:6: %d of format() does not take this string"},
    {"'%s'.format([b'\\xff'])", "error 1:6: %s of format() does not take this bytes"},
    {"'%f'.format(['x'])", "error 1:6: %f of format() does not take this string"},
    {"'%e'.format([1.0])",
     "refused 1:1: format(): a clause is one of %s, %d, %f, %b, %x, %X and %o"},
    {"'%'.format([1.0])", "refused 1:1: format(): a clause has no end"},
    {"'%.256f'.format([1.0])",
     "refused 1:1: format(): the precision of a clause is a number up to 255"},
    {"x.name.format([])", "\"one\""},
    {"strings.quote('a\"\\n\\t\\\\\u00e9')", "\"\"a\\\"\\n\\t\\\\\u00e9\"\""},
    {"strings.unquote('a')", "refused 1:1: there is no variable \"strings\""},
};
TEST_EACH(row, formats, values_are_formatted_and_quoted)
{
    cel_expect(row);
}

static const struct row addresses[] = {
    {"ip('10.1.2.3')", "10.1.2.3"},
    {"ip('2001:DB8:0:0:1::1')", "2001:db8::1:0:0:1"},
    {"string(ip('::1.2.3.4'))", "\"::102:304\""},
    {"ip('1:0:2:0:0:3:0:0')", "1:0:2::3:0:0"},
    {"ip.isCanonical('2001:db8::1')", "true"},
    {"ip.isCanonical('2001:DB8::1')", "false"},
    {"[ip('::1').family(), ip('::1').family()]", "[6,6]"},
    {"['1.2.3', '1.2.3.04', '1.2.3.256', '1.2.3.4.', '::1%eth0', '::ffff:1.2.3.4', '1::2::3', "
     "'1::2:3:4:5:6:7:8', ':1', '12345::', ''].exists(a, isIP(a))",
     "false"},
    {"ip('1.2.3')", "error 1:1: \"1.2.3\" is no IP address"},
    {"['127.9.9.9', '::1'].all(a, ip(a).isLoopback())", "true"},
    {"['0.0.0.0', '::'].all(a, ip(a).isUnspecified())", "true"},
    {"['224.0.0.9', 'ff32::1'].all(a, ip(a).isLinkLocalMulticast())", "true"},
    {"['169.254.0.1', 'febf::1'].all(a, ip(a).isLinkLocalUnicast())", "true"},
    {"['10.0.0.1', 'fd00::1', '2001::'].all(a, ip(a).isGlobalUnicast())", "true"},
    {"['255.255.255.255', '224.1.1.1', 'ff00::1', '::'].exists(a, ip(a).isGlobalUnicast())",
     "false"},
    {"cidr('10.1.2.3/12').masked()", "10.0.0.0/12"},
    {"cidr('2001:db8:ffff::/33').masked()", "2001:db8:8000::/33"},
    {"cidr('10.1.2.3/16').ip()", "10.1.2.3"},
    {"string(cidr('::/0')) + string(cidr('::/0').prefixLength())", "\"::/00\""},
    {"['10.0.0.0/33', '10.0.0.0/08', '10.0.0.0', '10.0.0.0/', '1.2.3.4/+8'].exists(c, isCIDR(c))",
     "false"},
    {"cidr('10.0.0.0/8').containsIP('10.255.0.1') && !cidr('10.0.0.0/8').containsIP(ip('::1'))",
     "true"},
    {"cidr('10.0.0.0/8').containsCIDR('10.9.0.0/16')", "true"},
    {"cidr('10.9.0.0/16').containsCIDR(cidr('10.0.0.0/8'))", "false"},
    {"cidr('10.0.0.0/8').containsIP('x')", "error 1:20: \"x\" is no IP address"},
};
TEST_EACH(row, addresses, addresses_and_networks_are_read_and_compared)
{
    cel_expect(row);
}

static const struct row links[] = {
    {"url('HTTPS://u:p@Api.A.b:6443/x%2fy/ z?q=1&q=2&r=%20+#f').getScheme()", "\"https\""},
    {"url('https://u:p@a.b:6443/x').getHost()", "\"a.b:6443\""},
    {"url('https://a.b:6443/x').getHostname()", "\"a.b\""},
    {"url('https://[::1]:6443/x').getHostname()", "\"::1\""},
    {"url('https://a.b:6443/x').getPort()", "\"6443\""},
    {"url('https://[::1]/x').getHostname()", "\"::1\""},
    {"url('https://a.b/x').getPort()", "\"\""},
    {"url('/a%2fb').getEscapedPath()", "\"/a%2fb\""},
    {"url('/a%2fb c').getEscapedPath()", "\"/a/b%20c\""},
    {"url('/?q=1&r=%20+&q=2&;&=x&%zz').getQuery()",
     "{\"q\":[\"1\",\"2\"],\"r\":[\"  \"],\"\":[\"x\"]}"},
    {"url('mailto:a@b').getHost() + url('*').getEscapedPath()", "\"*\""},
    {"url('http://a/x') == url('HTTP://a/x')", "true"},
    {"url('http://a/x') == url('http://a/x?')", "false"},
    {"['a b', '', '?', 'http://h:x/', 'http://a%20b/', 'http://[1.2.3.4]/', 'http://u u@h/', "
     "'http://a:b:1/', ':a', '/%', 'http://[::1'].exists(u, isURL(u))",
     "false"},
    {"['/', '/x?y', 'http:', 'x://a:1:2/', 'http://[fe80::1%25e]/', 'http://h/#%zz'].all(u, "
     "isURL(u))",
     "false"},
    {"['/', '/x?y', 'http:', 'x://a:1:2/', 'http://[fe80::1%25e]/', 'http://h/#a'].all(u, "
     "isURL(u))",
     "true"},
    {"url('http://%ff/').getHost()", "error 1:20: a part of the URL is not UTF-8"},
    {"url('/?a=%ff').getQuery()", "error 1:16: a part of the URL is not UTF-8"},
    {"url('http://h/#%zz')", "error 1:1: \"http://h/#%zz\" is no URL"},
};
TEST_EACH(row, links, urls_have_parts)
{
    cel_expect(row);
}

TEST(extensions_are_paid_for)
{
    SKR_STRBUF(text);
    SKR_STRBUF(out);
    skr_strbuf_add(&text, "['aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa']");
    for (int i = 0; i < 14; i++) {
        skr_strbuf_add(&text, ".map(a, a + a)");
    }
    for (int i = 0; i < 4; i++) {
        skr_strbuf_addf(&text, ".all(a%d, [0,1,2,3,4,5,6,7,8,9]", i);
    }
    skr_strbuf_add(&text, ".all(a, '%s%s'.format([a0, strings.quote(a0)]) != '' && "
                          "!isURL(a0) && !isIP(a0))))))");
    cel_evaluate(text.s, 1000000, &out);
    assert_non_null(strstr(out.s, "it costs more than an evaluation may"));
}
