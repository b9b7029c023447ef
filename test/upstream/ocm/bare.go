// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"k8s.io/apimachinery/pkg/runtime"
	"open-cluster-management.io/api/client/cluster/clientset/versioned/fake"
	"open-cluster-management.io/api/client/cluster/informers/externalversions"
	"open-cluster-management.io/api/cluster/v1alpha1"
	"open-cluster-management.io/ocm/pkg/placement/helpers"
)

// Bare expressions, of any type: cel-go in OCM's environment is the judge. Each one is evaluated on every
// cluster of a world, and both have to refuse it, or to have an error on the same clusters and the same
// value on the others.
//
// sakkara shows no values, so it is asked about them: the list of expressions below holds for a cluster if
// its value and its type are cel-go's. A second list, which absorbs nothing, holds if there is no error.

const (
	bareOfWorld = 25
	most        = 15 // differences that are printed
)

// A judgement is what cel-go says of one expression.
type judgement struct {
	expression string
	refused    string            // "": it compiles
	failed     map[string]string // cluster: error
	literal    map[string]string // cluster: the value as an expression; "": it cannot be written
}

type judge struct {
	environment *cel.Env
	world       *world
	clusters    map[string]any
}

func newJudge(w *world) (*judge, error) {
	j := &judge{world: w, clusters: map[string]any{}}
	scores := externalversions.NewSharedInformerFactory(fake.NewSimpleClientset(), 0).Cluster().V1alpha1().AddOnPlacementScores()
	for _, object := range w.objects {
		if score, is := object.(*v1alpha1.AddOnPlacementScore); is {
			if err := scores.Informer().GetStore().Add(score); err != nil {
				return nil, err
			}
		}
	}
	for _, c := range w.clusters {
		object, err := runtime.DefaultUnstructuredConverter.ToUnstructured(c)
		if err != nil {
			return nil, err
		}
		j.clusters[c.Name] = object
	}
	var err error
	j.environment, err = helpers.NewEnv(scores.Lister())
	return j, err
}

func (j *judge) of(expression string) judgement {
	verdict := judgement{expression: expression, failed: map[string]string{}, literal: map[string]string{}}
	compiled := helpers.NewCELSelector(j.environment, []string{expression}, nil).Compile()[0]
	if compiled.Error != nil {
		verdict.refused = compiled.Error.Detail
		return verdict
	}
	for name, object := range j.clusters {
		value, _, err := compiled.Program.Eval(map[string]any{"managedCluster": object})
		if err != nil {
			verdict.failed[name] = err.Error()
		} else {
			verdict.literal[name] = literal(value)
		}
	}
	return verdict
}

// literal writes a value as an expression; "": it has none, as NaN.
func literal(value ref.Val) string {
	switch v := value.(type) {
	case types.Bool, types.Int:
		return fmt.Sprint(v.Value())
	case types.Null:
		return "null"
	case types.Uint:
		return fmt.Sprintf("%du", uint64(v))
	case types.Double:
		return double(float64(v))
	case types.String:
		return quoted(string(v))
	case types.Bytes:
		text := ""
		for _, c := range []byte(v) {
			text += fmt.Sprintf("\\x%02x", c)
		}
		return "b'" + text + "'"
	case types.Timestamp:
		return "timestamp('" + v.ConvertToType(types.StringType).Value().(string) + "')"
	case types.Duration:
		return "duration('" + v.Duration.String() + "')"
	case *types.Type:
		return typeLiteral(v.TypeName())
	case traits.Mapper:
		return entries(v)
	case traits.Lister:
		items := []string{}
		for i := types.Int(0); i < v.Size().(types.Int); i++ {
			item := literal(v.Get(i))
			if item == "" {
				return ""
			}
			items = append(items, item)
		}
		return "[" + strings.Join(items, ", ") + "]"
	}
	return opaque(value)
}

func entries(m traits.Mapper) string {
	items := []string{}
	for it := m.Iterator(); it.HasNext() == types.True; {
		key := it.Next()
		name, value := literal(key), literal(m.Get(key))
		if name == "" || value == "" {
			return ""
		}
		items = append(items, name+": "+value)
	}
	slices.Sort(items)
	return "{" + strings.Join(items, ", ") + "}"
}

// What Kubernetes adds is written by its function.
func opaque(value ref.Val) string {
	function := map[string]string{"kubernetes.Quantity": "quantity", "kubernetes.Semver": "semver", "net.IP": "ip",
		"net.CIDR": "cidr", "kubernetes.URL": "url"}[value.Type().TypeName()]
	text, is := value.Value().(fmt.Stringer)
	if function == "" || !is {
		return ""
	}
	return function + "(" + quoted(text.String()) + ")"
}

func typeLiteral(name string) string {
	switch name {
	case "null_type", "bool", "int", "uint", "double", "string", "bytes", "list", "map", "type":
		return name
	case "google.protobuf.Timestamp":
		return "type(timestamp('2026-01-01T00:00:00Z'))"
	case "google.protobuf.Duration":
		return "type(duration('1s'))"
	case "kubernetes.Quantity":
		return "type(quantity('1'))"
	}
	return ""
}

func double(x float64) string {
	switch {
	case math.IsNaN(x):
		return ""
	case math.IsInf(x, 0):
		return map[bool]string{true: "(1.0 / 0.0)", false: "(-1.0 / 0.0)"}[x > 0]
	}
	text := strconv.FormatFloat(x, 'g', -1, 64)
	if !strings.ContainsAny(text, ".e") {
		text += ".0"
	}
	return text
}

func quoted(s string) string {
	text := ""
	for _, c := range s {
		if c >= ' ' && c <= '~' && c != '\'' && c != '\\' {
			text += string(c)
		} else {
			text += fmt.Sprintf("\\U%08x", c)
		}
	}
	return "'" + text + "'"
}

// asExpected is true on the clusters where the expression has these values.
func (v judgement) asExpected() string {
	cases := []string{}
	for _, name := range slices.Sorted(maps.Keys(v.literal)) {
		if text := v.literal[name]; text != "" {
			cases = append(cases, fmt.Sprintf("'%s': [%s]", name, text))
		}
	}
	if len(cases) == 0 {
		return "true"
	}
	is := "managedCluster.metadata.name"
	return fmt.Sprintf("!(%s in {%s}) || [dyn(%s)].exists(v, [dyn({%s}[%s][0])].exists(w, type(v) == type(w) && v == w))",
		is, strings.Join(cases, ", "), v.expression, strings.Join(cases, ", "), is)
}

// withoutError is true on the clusters where the expression has no error.
func (v judgement) withoutError() string { return fmt.Sprintf("[dyn(%s)].size() == 1", v.expression) }

// ask lets sakkara decide with these expressions. It gives the clusters that are not selected, with the
// reason, and the mistake.
func (j *judge) ask(program string, expressions ...string) (filtered map[string]string, misconfigured string, err error) {
	j.world.placement.Spec.Predicates[0].RequiredClusterSelector.CelSelector.CelExpressions = expressions
	report := struct {
		Valid         bool              `json:"valid"`
		Decisions     []string          `json:"decisions"`
		Misconfigured string            `json:"misconfigured,omitempty"`
		Filtered      map[string]string `json:"filtered,omitempty"`
	}{}
	err = simulate(program, j.world, (len(expressions)+1)/2, &report)
	filtered, misconfigured = report.Filtered, report.Misconfigured
	report.Filtered, report.Misconfigured = nil, "" // texts are not recorded
	return filtered, misconfigured, err
}

// compare gives what differs; "": nothing.
func (j *judge) compare(program string, v judgement) (string, error) {
	if v.refused != "" {
		_, misconfigured, err := j.ask(program, v.expression)
		if misconfigured == "" && err == nil && !v.freelyTyped() {
			return "accepted, but cel-go refuses it: " + v.refused, nil
		}
		return "", err
	}
	filtered, misconfigured, err := j.ask(program, v.asExpected(), v.withoutError())
	if err != nil || strings.Contains(misconfigured, "regular expression, ") || strings.Contains(misconfigured, "[] does not take (null, ") {
		return "", err // rows of the table: constant patterns; optional values, whose index cel-go takes null for
	}
	if misconfigured != "" {
		return "refused: " + misconfigured, nil
	}
	for name := range j.clusters {
		why, out := filtered[name]
		failed, fails := v.failed[name]
		switch {
		case strings.Contains(failed, "internal error"): // cel-go has no keys of bytes, and panics
		case !fails && (strings.Contains(why, " is no quantity") || strings.Contains(why, " is no timestamp") || strings.Contains(why, "does not fit timestamp")): // another row
		case strings.Contains(v.expression, "containsCIDR") && !fails && strings.Contains(v.literal[name], "false"): // another row
		case !fails && strings.Contains(v.literal[name], "'resourceVersion': "): // another row
		case v.mixes() && strings.Contains(why, " does not take "): // a row of the table
		case fails && !out:
			return fmt.Sprintf("%s: there is a value, not the error %q", name, failed), nil
		case fails && !strings.Contains(why, "celExpressions[1]"):
			return fmt.Sprintf("%s: %s, not the error %q", name, why, failed), nil
		case !fails && strings.Contains(why, "celExpressions[1]"):
			return fmt.Sprintf("%s: %s, not the value %s", name, why, v.literal[name]), nil
		case !fails && out:
			return fmt.Sprintf("%s: another value than %s (%s)", name, v.literal[name], why), nil
		}
	}
	return "", nil
}

// freelyTyped: a row of the table, types of empty lists and maps.
func (v judgement) freelyTyped() bool {
	empty := strings.Contains(v.expression, "[]") || strings.Contains(v.expression, "{}")
	types := regexp.MustCompile("found no matching overload|expected type|does not support field selection|undefined type")
	return empty && types.MatchString(v.refused)
}

// mixes: a row of the table, min(), max() and isSorted() of mixed kinds.
func (v judgement) mixes() bool {
	return regexp.MustCompile(`\.(min|max|isSorted)\(\)`).MatchString(v.expression)
}

// settled asks about all expressions at once, none of which is refused or has an error.
func (j *judge) settled(program string, all []judgement) (bool, error) {
	expressions := []string{}
	for _, v := range all {
		expressions = append(expressions, v.asExpected(), v.withoutError())
	}
	if len(expressions) == 0 {
		return true, nil
	}
	filtered, misconfigured, err := j.ask(program, expressions...)
	return len(filtered) == 0 && misconfigured == "", err
}

// compareBare compares n random expressions and gives the numbers of those that agree and that do not.
func compareBare(program string, n int, seed int64) (same, wrong int, err error) {
	for done := 0; done < n && wrong < most; done += bareOfWorld {
		w := newBareWorld(seed + int64(done))
		j, err := newJudge(w)
		if err != nil {
			return same, wrong, err
		}
		plain, others := []judgement{}, []judgement{}
		for range bareOfWorld {
			v := j.of(w.bare())
			if v.refused == "" && len(v.failed) == 0 && len(v.asExpected()) < 9000 {
				plain = append(plain, v)
			} else {
				others = append(others, v)
			}
		}
		settled, err := j.settled(program, plain)
		if err != nil {
			return same, wrong, err
		}
		if settled {
			same += len(plain)
		} else {
			others = append(others, plain...)
		}
		for _, v := range others {
			difference, err := j.compare(program, v)
			if err != nil {
				return same, wrong, err
			}
			if difference == "" {
				same++
				continue
			}
			wrong++
			fmt.Printf("seed %d: %s\n  %s\n", w.seed, v.expression, difference)
		}
	}
	return same, wrong, nil
}
