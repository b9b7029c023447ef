// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"strings"
)

// An expression is a bool over the ManagedCluster; one in ten is damaged, so that both have to refuse
// it or to read the same from it. Patterns and functions are those that both serve.
func (w *world) expression() string {
	e := w.boolean(3)
	if w.chance(10) {
		e = w.damage(e)
	}
	return e
}

func (w *world) damage(e string) string {
	words := strings.Fields(e)
	at := w.random.Intn(len(words))
	switch w.random.Intn(4) {
	case 0:
		words = append(words[:at:at], words[at+1:]...)
	case 1:
		words = append(words[:at:at], append([]string{w.pick("&&", "(", "1", "'a'", "!", "==", ")", ".x", "[0]", ", 1")}, words[at:]...)...)
	case 2:
		words[at] = w.pick("1", "'a'", "1.5", "true", "nothing", "null", "[]", "{}", "nothing()", "2u", "in")
	default:
		at = w.random.Intn(len(e))
		return e[:at] + e[at+1:]
	}
	return strings.Join(words, " ")
}

const cluster = "managedCluster"

func (w *world) label() string { return w.pick("env", "zone", "n", "none") }

func (w *world) boolean(depth int) string {
	if depth > 0 && w.chance(50) {
		a, b := w.boolean(depth-1), w.boolean(depth-1)
		switch w.random.Intn(5) {
		case 0:
			return fmt.Sprintf("( %s && %s )", a, b)
		case 1:
			return fmt.Sprintf("( %s || %s )", a, b)
		case 2:
			return fmt.Sprintf("!( %s )", a)
		case 3:
			return fmt.Sprintf("( %s ? %s : %s )", a, b, w.boolean(depth-1))
		default:
			return fmt.Sprintf("( %s || %s ) && %s", a, b, w.boolean(depth-1))
		}
	}
	switch w.random.Intn(17) {
	case 0:
		return fmt.Sprintf("%s.metadata.labels[ '%s' ] == %s", cluster, w.label(), w.text(1))
	case 1:
		return fmt.Sprintf("%s.metadata.labels.%s != %s", cluster, w.label(), w.text(1))
	case 2:
		return fmt.Sprintf("'%s' in %s.metadata.labels", w.label(), cluster)
	case 3:
		return fmt.Sprintf("has( %s.metadata.labels.%s )", cluster, w.label())
	case 4:
		return fmt.Sprintf("%s.metadata.name.%s( %s )", cluster, w.pick("startsWith", "endsWith", "contains"), w.pick("'c0'", "'3'", "''", "'c01'"))
	case 5:
		return fmt.Sprintf("%s.matches( %s )", w.text(1), w.pattern())
	case 6:
		return fmt.Sprintf("%s %s %s", w.integer(2), w.pick("==", "!=", "<", "<=", ">", ">="), w.integer(2))
	case 7:
		return fmt.Sprintf("%s %s %s", w.text(2), w.pick("==", "!=", "<", "<=", ">", ">="), w.text(2))
	case 8:
		return fmt.Sprintf("%s.status.clusterClaims.%s( c, c.name == '%s' && c.value %s )", cluster,
			w.pick("exists", "all", "exists_one"), w.pick("region", "size", "info"), w.pick("!= ''", "== 'r1'", "> '1'", ".size() > 2"))
	case 9:
		return fmt.Sprintf("quantity( %s.status.allocatable[ '%s' ] ).%s", cluster, w.pick("cpu", "memory", "gpu"),
			w.pick("isGreaterThan( quantity( '4' ) )", "isLessThan( quantity( '20Gi' ) )", "compareTo( quantity( '4500m' ) ) == 0",
				"add( 1 ).sub( quantity( '500m' ) ).isGreaterThan( quantity( '8' ) )", "sub( quantity( '4' ) ).compareTo( quantity( '0' ) ) >= 0"))
	case 10:
		return fmt.Sprintf("%s.spec.hubAcceptsClient", cluster)
	case 11:
		return fmt.Sprintf("%s.scores( '%s' ).exists( s, s.name == '%s' && s.value > %d )", cluster, w.pick("load", "cost", "none"), w.pick("cpu", "gpu"), w.random.Intn(100)-50)
	case 12:
		return fmt.Sprintf("%s.status.conditions.exists( c, c.status == '%s' && c.reason.lowerAscii() == 'ok' )", cluster, w.pick("True", "False"))
	case 13:
		return fmt.Sprintf("%s.status.clusterClaims.filter( c, c.value.startsWith( '{' ) )[ 0 ].value.parseJSON().a.b[ %d ] == %s", cluster, w.random.Intn(3), w.pick("1", "1.0", "'x'"))
	case 14:
		version := fmt.Sprintf("%s( %s.status.version.kubernetes%s )", w.pick("semver", "semver", "isSemver"), cluster, w.pick(".substring( 1 )", ".substring( 1 )", ""))
		return version + w.pick(".isGreaterThan( semver( '1.30.0' ) )", ".isLessThan( semver( '1.30.2' ) )", ".compareTo( semver( '1.30.2-rc.2' ) ) < 0", ".minor() >= 30", ".major() + "+"semver( '2.3.4' ).patch() == 5", "")
	case 15:
		return fmt.Sprintf("%s %s %s", w.real(2), w.pick("==", "<", ">="), w.real(2))
	default:
		return fmt.Sprintf("%s in [ %s, %s ]", w.text(1), w.text(1), w.text(0))
	}
}

func (w *world) pattern() string {
	return w.pick("'^c0[0-4]$'", "'(prod|dev)'", "'^.$'", "'^$'", "'[a-c]{1,2}[^x]?'", "r'^v?1\\.(29|30)\\.\\d+'", "'(?i)PROD'", "r'\\bdev\\b'",
		"'p.*d$'", "'^(v|)1'", "'a*?b+'", "'[[:digit:]]+'", "r'\\w\\W|\\s'", "'(?s).'", "'x{0}'", "'(a|b)*c'")
}

func (w *world) integer(depth int) string {
	if depth > 0 && w.chance(60) {
		a, b := w.integer(depth-1), w.integer(depth-1)
		switch w.random.Intn(8) {
		case 0, 1, 2:
			return fmt.Sprintf("( %s %s %s )", a, w.pick("+", "-", "*", "/", "%"), b)
		case 3:
			return fmt.Sprintf("size( %s )", w.text(depth-1))
		case 4:
			return fmt.Sprintf("%s.%s( %s )", w.text(depth-1), w.pick("indexOf", "lastIndexOf"), w.text(depth-1))
		case 5:
			return fmt.Sprintf("int( %s )", w.pick(w.real(depth-1), w.text(depth-1), a))
		case 6:
			return fmt.Sprintf("[ %s, %s, 1 ].%s()", a, b, w.pick("size", "sum", "min", "max"))
		default:
			return fmt.Sprintf("[ %s, %s ][ %s ]", a, b, w.pick("0", "1", "2", "-1"))
		}
	}
	return w.pick("0", "1", "2", "-1", "7", "9223372036854775807", "-9223372036854775808", "0x10", cluster+".spec.leaseDurationSeconds",
		cluster+".status.clusterClaims.size()", "int( "+cluster+".metadata.labels.n )")
}

func (w *world) real(depth int) string {
	if depth > 0 && w.chance(50) {
		switch w.random.Intn(3) {
		case 0:
			return fmt.Sprintf("double( %s )", w.pick(w.integer(depth-1), w.text(depth-1)))
		default:
			return fmt.Sprintf("( %s %s %s )", w.real(depth-1), w.pick("+", "-", "*", "/"), w.real(depth-1))
		}
	}
	return w.pick("0.5", "1.0", "-2.25", "1e3", "1e-7", ".1", "1e300", "0.0")
}

func (w *world) text(depth int) string {
	if depth > 0 && w.chance(60) {
		a := w.text(depth - 1)
		switch w.random.Intn(11) {
		case 0:
			return fmt.Sprintf("( %s + %s )", a, w.text(depth-1))
		case 1:
			return fmt.Sprintf("%s.substring( %s )", a, w.pick("0", "1", "2", "0, 1", "1, 3"))
		case 2:
			return fmt.Sprintf("%s.replace( %s, %s )", a, w.text(0), w.text(0))
		case 3:
			return fmt.Sprintf("%s.%s()", a, w.pick("trim", "upperAscii", "lowerAscii", "reverse"))
		case 4:
			return fmt.Sprintf("%s.charAt( %d )", a, w.random.Intn(4))
		case 5:
			return fmt.Sprintf("string( %s )", w.pick(w.integer(depth-1), w.real(depth-1), a))
		case 6:
			return fmt.Sprintf("%s.split( %s ).join( %s )", a, w.text(0), w.text(0))
		case 7:
			return fmt.Sprintf("%s.split( '.' )[ %d ]", a, w.random.Intn(3))
		case 8:
			return fmt.Sprintf("%s.find( %s )", a, w.pattern())
		case 9:
			return fmt.Sprintf("%s.findAll( %s, %d ).join( ',' )", a, w.pattern(), w.random.Intn(4)-1)
		default:
			return fmt.Sprintf("%s.status.clusterClaims.map( c, c.%s ).filter( s, s > 'a' ).join( '-' )", cluster, w.pick("name", "value"))
		}
	}
	return w.pick("''", "'prod'", "'dev'", "'1'", "'a\\u00e9b'", "\" x y \"", "r'\\d'", "'ccc'", cluster+".metadata.name",
		cluster+".metadata.labels.env", cluster+".status.version.kubernetes", "string( "+cluster+".metadata.labels.n )")
}
