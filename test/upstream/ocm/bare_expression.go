// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"math/rand"
	"strings"

	"open-cluster-management.io/api/cluster/v1beta1"
)

// Random expressions of any type, over what both serve.

func newBareWorld(seed int64) *world {
	w := &world{seed: seed, random: rand.New(rand.NewSource(seed)), scores: map[string]map[string]int32{}}
	for i := range 3 {
		w.addCluster(fmt.Sprintf("c%02d", i))
	}
	w.placement = &v1beta1.Placement{ObjectMeta: w.meta(placementName, namespace)}
	w.placement.Spec.Predicates = make([]v1beta1.ClusterPredicate, 1)
	w.placement.Spec.Tolerations = []v1beta1.Toleration{{Operator: v1beta1.TolerationOpExists}}
	w.add("Placement", "v1beta1", w.placement)
	return w
}

// bare is an expression, of which one in six is damaged.
func (w *world) bare() string {
	e := w.anything(3)
	if w.chance(16) {
		e = w.damage(e)
	}
	return e
}

func (w *world) anything(depth int) string {
	kinds := []func(int) string{w.boolean, w.integer, w.real, w.text, w.natural, w.bytes, w.list, w.mapping, w.moment, w.span,
		w.amount, w.version, w.kind, w.mixed, w.logic, w.folded, w.converted,
		w.formatted, w.address, w.network, w.link}
	return kinds[w.random.Intn(len(kinds))](depth)
}

func (w *world) natural(depth int) string {
	if depth > 0 && w.chance(60) {
		a := w.natural(depth - 1)
		switch w.random.Intn(3) {
		case 0:
			return fmt.Sprintf("( %s %s %s )", a, w.pick("+", "-", "*", "/", "%"), w.natural(depth-1))
		case 1:
			return fmt.Sprintf("uint( %s )", w.pick(w.integer(depth-1), w.real(depth-1), w.text(0), a))
		default:
			return fmt.Sprintf("[ %s, %s ].%s()", a, w.natural(depth-1), w.pick("sum", "min", "max"))
		}
	}
	return w.pick("0u", "1u", "2u", "18446744073709551615u", "0xffu", "9223372036854775808u")
}

func (w *world) bytes(depth int) string {
	if depth > 0 && w.chance(50) {
		return w.pick(fmt.Sprintf("( %s + %s )", w.bytes(depth-1), w.bytes(depth-1)), fmt.Sprintf("bytes( %s )", w.text(depth-1)))
	}
	return w.pick("b''", "b'abc'", "b'\\xff\\x00'", "b'\\u00e9'", "b'\\377'", "rb'\\x'", "b'''a\"b'''")
}

func (w *world) list(depth int) string {
	if depth > 0 {
		a := w.list(depth - 1)
		switch w.random.Intn(8) {
		case 0:
			return fmt.Sprintf("( %s + %s )", a, w.list(depth-1))
		case 1:
			return fmt.Sprintf("%s.map( x, [ x ] )", a)
		case 2:
			return fmt.Sprintf("%s.filter( x, x %s %s )", a, w.pick("==", "!="), w.anything(0))
		case 3:
			return fmt.Sprintf("%s.split( %s )", w.text(depth-1), w.text(0))
		case 4:
			return fmt.Sprintf("%s.split( %s, %d )", w.text(depth-1), w.text(0), w.random.Intn(5)-1)
		case 5:
			return fmt.Sprintf("%s.findAll( %s )", w.text(depth-1), w.pattern())
		case 6:
			return fmt.Sprintf("[ %s, %s ]", w.anything(depth-1), w.anything(depth-1))
		default:
			return fmt.Sprintf("%s.map( x, x > 0, x * 2 )", w.pick("[ 1, 2, 3 ]", "[ 0.5, -1.0 ]", "[ 1u ]", "[ dyn(1), 2.0 ]"))
		}
	}
	return w.pick("[]", "[ 1, 2 ]", "[ 'a', 'b' ]", "[ 1.0, 2.5 ]", "[ true ]", "[ null ]", "[ 3, 1, 2 ]", "[ [ 1 ], [] ]", "[ dyn(1), 'a', 2.0 ]",
		cluster+".status.clusterClaims", cluster+".spec.taints")
}

func (w *world) mapping(depth int) string {
	if depth > 0 {
		return fmt.Sprintf("{ %s: %s, %s: %s }", w.pick(w.text(0), w.integer(0), w.natural(0), "true"), w.anything(depth-1),
			w.pick(w.text(0), "'k'", "1", "false"), w.anything(depth-1))
	}
	return w.pick("{}", "{ 'a': 1 }", "{ 1: 'x', 2u: 'y' }", "{ 'a': { 'b': [ 1 ] } }", "{ true: 1 }", cluster+".metadata.labels", cluster+".status.version",
		cluster+".metadata", cluster+".status.allocatable")
}

func (w *world) moment(depth int) string {
	if depth > 0 && w.chance(60) {
		return fmt.Sprintf("( %s %s %s )", w.moment(depth-1), w.pick("+", "-"), w.span(depth-1))
	}
	return w.pick("timestamp( '2026-01-02T03:04:05Z' )", "timestamp( '1969-12-31T23:59:59.5Z' )", "timestamp( '2026-06-01T00:00:00+02:00' )",
		"timestamp( '2026-13-01T00:00:00Z' )", "timestamp( "+w.text(0)+" )", "timestamp( "+cluster+".metadata.creationTimestamp )", "timestamp( '2000-02-29T23:59:60Z' )")
}

func (w *world) span(depth int) string {
	if depth > 0 && w.chance(60) {
		return w.pick(fmt.Sprintf("( %s %s %s )", w.span(depth-1), w.pick("+", "-"), w.span(depth-1)),
			fmt.Sprintf("( %s - %s )", w.moment(depth-1), w.moment(depth-1)))
	}
	return w.pick("duration( '1h' )", "duration( '-1.5s' )", "duration( '100ms' )", "duration( '1h30m0.25s' )", "duration( '1d' )", "duration( '1ns' )",
		"duration( '' )", "duration( '+3us' )", "duration( '0' )")
}

func (w *world) amount(depth int) string {
	if depth > 0 && w.chance(60) {
		return fmt.Sprintf("%s.%s( %s )", w.amount(depth-1), w.pick("add", "sub"), w.pick(w.amount(depth-1), "1", "-3"))
	}
	return fmt.Sprintf("quantity( %s )", w.pick("'1'", "'4500m'", "'2Ki'", "'1e3'", "'-0.5'", "'100n'", "'.5Gi'", "'1 '", "'1K'", "'1E'", w.text(0)))
}

func (w *world) version(depth int) string {
	return fmt.Sprintf("semver( %s )", w.pick("'1.2.3'", "'1.2.3-rc.1'", "'1.2.3-rc.1+b'", "'1.2'", "'v1.2.3'", "'01.2.3'", "'1.2.3-'", "'0.0.18446744073709551615'", w.text(0)))
}

func (w *world) kind(depth int) string {
	if depth > 0 && w.chance(70) {
		return fmt.Sprintf("type( %s )", w.anything(depth-1))
	}
	return w.pick("int", "string", "type", "list", "map", "null_type", "bool", "uint", "double", "bytes", "dyn( int )")
}

// Values whose types are known in evaluation only.
func (w *world) mixed(depth int) string {
	if depth <= 0 {
		return w.pick("dyn( 1 )", "dyn( 'a' )", "dyn( 1.5 )", "null", "dyn( null )", cluster+".none", cluster+".spec", cluster+".status.conditions[ 0 ].status")
	}
	a, b := w.anything(depth-1), w.anything(depth-1)
	switch w.random.Intn(8) {
	case 0:
		return fmt.Sprintf("( dyn( %s ) %s dyn( %s ) )", a, w.pick("==", "!=", "<", "<=", ">", ">=", "+", "-", "*", "/", "%"), b)
	case 1:
		return fmt.Sprintf("dyn( %s )[ %s ]", a, b)
	case 2:
		return fmt.Sprintf("( %s ? dyn( %s ) : %s )", w.boolean(depth-1), a, b)
	case 3:
		return fmt.Sprintf("( dyn( %s ) in %s )", a, w.pick(w.list(depth-1), w.mapping(depth-1)))
	case 4:
		return fmt.Sprintf("dyn( %s ).%s", a, w.pick("size()", "a", "labels", "startsWith( 'a' )", "sum()", "major()", "isInteger()"))
	case 5:
		return fmt.Sprintf("%s( dyn( %s ) )", w.pick("int", "uint", "double", "string", "bool", "bytes", "size", "type", "timestamp", "duration", "!", "-", "sign", "isQuantity", "isSemver"), a)
	case 6:
		return fmt.Sprintf("%s.%s", a, w.pick("size()", "map( x, x ).size()", "exists( x, x == 1 )", "all( x, x != 2 )", "isSorted()", "min()", "trim()", "add( 1 )", "minor()", "parseJSON()"))
	default:
		return fmt.Sprintf("'%s'.parseJSON()", w.pick("[1, 2.5, null, true]", `{"a": {"b": [1]}}`, "1e400", "\"x\"", "nul", "", "[", `{"a": 1, "a": 2}`, "-0", "12345678901234567890"))
	}
}

// Errors that are absorbed, or not.
func (w *world) logic(depth int) string {
	broken := func() string {
		return w.pick("1 / 0 == 1", cluster+".none == 1", "dyn( 1 )", "dyn( 'a' )", "true", "false", "[ 1 ][ 2 ] == 1", "int( 'x' ) > 0", "dyn( null )", w.boolean(1))
	}
	a, b, c := broken(), broken(), broken()
	return w.pick(fmt.Sprintf("( %s && %s || %s )", a, b, c), fmt.Sprintf("( %s || %s && %s )", a, b, c), fmt.Sprintf("!( %s || %s )", a, b),
		fmt.Sprintf("( %s ? %s : %s )", a, b, c), fmt.Sprintf("[ 1, 0, 2 ].%s( x, %s || %s )", w.pick("all", "exists", "exists_one"), "2 / x == 1", a))
}

func (w *world) converted(depth int) string {
	from := w.pick(w.moment(1), w.span(1), w.integer(1), w.real(1), w.natural(1), w.text(1), w.bytes(1), "true")
	return fmt.Sprintf("%s( %s )", w.pick("int", "uint", "double", "string", "bool", "bytes", "timestamp", "duration", "type"), from)
}

func (w *world) folded(depth int) string {
	list := w.list(depth - 1)
	body := w.pick("x == 1", "x > 'a'", "type( x ) == int", "size( string( x ) ) > 1", "[ x ].exists( y, y == x )", w.boolean(1), "x", "has( x.name )", "2u > 1", w.real(1)+" <= "+w.integer(1))
	switch w.random.Intn(4) {
	case 0:
		return fmt.Sprintf("%s.%s( x, %s )", list, w.pick("all", "exists", "exists_one"), body)
	case 1:
		return fmt.Sprintf("%s.filter( x, %s )", list, body)
	case 2:
		return fmt.Sprintf("( %s.%s%s )", w.mapping(depth-1), w.pick("all( x, ", "exists( x, ", "exists_one( x, ")+body+" )", w.pick("", "", " ? 1 : 2"))
	default:
		return strings.Replace(fmt.Sprintf("%s.map( x, %s )", list, body), "x", w.pick("x", "x", "size"), 1)
	}
}

func (w *world) formatted(depth int) string {
	if w.chance(25) {
		return fmt.Sprintf("strings.quote( %s )", w.pick(w.text(depth-1), "'a\\n\\t\\\\\"'", "'\\u0000\\u007f'"))
	}
	format, values := "", []string{}
	for range w.random.Intn(4) {
		clause := w.pick("s", "s", "d", "f", ".2f", ".0f", "b", "x", "X", "o", "%", ".f", ".", "q", "")
		format += w.pick("", "a ", "%% ") + "%" + clause
		values = append(values, w.pick(w.text(0), w.integer(0), w.natural(0), w.real(0), "b'a\\xff'", "true", "-255", "null", "1234567.891", "-0.5", "dyn( 2.5 )", "dyn( 'x' )", "'NaN'", "type( 1 )",
			"1.0 / 0.0", "int"))
	}
	if w.chance(10) {
		values = append(values, "1")
	}
	receiver := "'" + format + "'"
	if w.chance(30) {
		receiver = "string( " + receiver + " )"
	}
	return fmt.Sprintf("%s.format( [ %s ] )", receiver, strings.Join(values, ", "))
}

func (w *world) addressText() string {
	return w.pick("'10.1.2.3'", "'127.0.0.1'", "'0.0.0.0'", "'255.255.255.255'", "'224.0.0.1'", "'169.254.1.1'", "'::'", "'::1'", "'fe80::1'", "'fe80::1%eth0'", "'FF02::1'", "'2001:DB8:0:0:1::1'",
		"'2001:db8::0:1:0:0:1'", "'::ffff:1.2.3.4'", "'1::2:3:4:5:6:7:8'", "'1:2:3:4:5:6:7::'", "'::1.2.3.4'", "'1.2.3'", "'1.2.3.04'", "'1.2.3.256'", "':1'", "'1::2::3'", "'1:2:3:4:5:6:7:8:9'", "'12345::'", "''", "'1.2.3.4.'", w.text(0))
}

func (w *world) address(depth int) string {
	text := w.addressText()
	return w.pick(fmt.Sprintf("ip( %s )", text), fmt.Sprintf("ip( %s ).%s()", text, w.pick("family", "isUnspecified", "isLoopback", "isLinkLocalMulticast", "isLinkLocalUnicast", "isGlobalUnicast")),
		fmt.Sprintf("isIP( %s )", text), fmt.Sprintf("ip.isCanonical( %s )", text), fmt.Sprintf("string( ip( %s ) )", text), fmt.Sprintf("( ip( %s ) == dyn( ip( %s ) ) )", text, w.addressText()))
}

func (w *world) networkText() string {
	return w.pick("'10.0.0.0/8'", "'10.1.2.3/16'", "'0.0.0.0/0'", "'::/0'", "'2001:db8::/33'", "'fe80::1/128'", "'10.0.0.0/33'", "'10.0.0.0/08'", "'10.0.0.0'", "'10.0.0.0/'", "'10.0.0.0/+8'", "'::ffff:1.2.3.4/120'", "'fe80::1%a/64'", "'1.2.3.4/32'", w.text(0))
}

func (w *world) network(depth int) string {
	text := w.networkText()
	net := fmt.Sprintf("cidr( %s )", text)
	return w.pick(net, net+"."+w.pick("ip()", "masked()", "prefixLength()"), fmt.Sprintf("isCIDR( %s )", text), fmt.Sprintf("string( %s )", net),
		fmt.Sprintf("%s.containsIP( %s )", net, w.pick(w.addressText(), "ip( "+w.addressText()+" )")),
		fmt.Sprintf("%s.containsCIDR( cidr( %s ).masked() )", w.pick("cidr( '0.0.0.0/0' )", "cidr( '::/0' )", "cidr( '10.1.0.0/16' )"), text), fmt.Sprintf("( %s == %s )", net, "cidr( "+w.networkText()+" )"))
}

func (w *world) linkText() string {
	return w.pick("'https://a.b:6443/x/y?q=1&q=2&r=%20+#f'", "'HTTP://User:p%40s@Host'", "'/path?x'", "'/a%2fb/ c'", "'mailto:a@b'", "'a b'", "'//h/p'", "'http://[::1]:80/'", "'http://[fe80::1%25en0]/'",
		"'http://[1.2.3.4]'", "'http://a:b:c/'", "'x://a:1:2/'", "'http://h:/'", "'http://h:x/'", "''", "'*'", "'?'", "'/?'", "'/?a=1;b=2&=3&c&%zz=1'", "'http://a%20b/'", "'http://a%25b/'", "'http://\\u00e9/\\u00e9'",
		"'1http://a'", "':a'", "'http:///x'", "'///x'", "'http://h/%'", "'http://h/a|b'", "'http://h/[x]!*()#%2f'", "'http://u:@h'", "'http://u u@h'", "'http://h?'", "'http://h/?a=b=c&a'", "'/a\\u0001'", "'/x#%zz'", "'h:'", w.text(0))
}

func (w *world) link(depth int) string {
	text := w.linkText()
	return w.pick(fmt.Sprintf("isURL( %s )", text), fmt.Sprintf("( url( %s ) == url( %s ) )", text, w.linkText()),
		fmt.Sprintf("url( %s ).%s()", text, w.pick("getScheme", "getHost", "getHostname", "getPort", "getEscapedPath", "getQuery", "getQuery")))
}
