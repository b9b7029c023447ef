// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"slices"
	"sort"
	"strings"

	clusterv1 "open-cluster-management.io/api/cluster/v1"
	"open-cluster-management.io/api/cluster/v1beta1"
)

// Where sakkara differs on purpose: rows of the table in docs/placements.md. Worlds have none of its
// other rows.
const (
	validatedAlways = "mistakes without clusters"
	wrongSet        = "mistakes in a ManagedClusterSet"
	exactIntegers   = "rounding of scores"
	wrongPattern    = "constant patterns"
	freeTypes       = "CEL: types of `[]` and `{}`"
	mixedKinds      = "CEL: `min()`, `max()` and `isSorted()` of mixed kinds"
	looseTexts      = "CEL: quantities without digits (`e3`), hours of one digit, years before 1678 and after 2261"
)

var classes = []string{validatedAlways, wrongSet, exactIntegers, wrongPattern, freeTypes, mixedKinds, looseTexts}

// checkDocs exits if a class is no row of the page's table.
func checkDocs(path string) {
	page, err := os.ReadFile(path)
	if err != nil {
		fmt.Fprintln(os.Stderr, "ocm:", err)
		os.Exit(2)
	}
	for _, class := range classes {
		if !strings.Contains(string(page), "\n| "+class+" |") {
			fmt.Fprintf(os.Stderr, "ocm: the table of %s has no row %q\n", path, class)
			os.Exit(2)
		}
	}
}

// compare gives the class of a difference on purpose, or a difference that is none.
func compare(w *world, theirs, ours *answer) (class, difference string) {
	switch {
	case ours.misconfigured != "" && theirs.misconfigured != "":
		return "", same("clusters that are kept", ours.clusters, w.kept())
	case strings.HasPrefix(ours.misconfigured, "ClusterSets:") && theirs.reason == "":
		return wrongSet, same("clusters that are kept", ours.clusters, w.kept())
	case ours.misconfigured != "" && (theirs.offered == 0 ||
		(strings.HasPrefix(ours.misconfigured, "TaintToleration:") && len(theirs.feasible) == 0)):
		return validatedAlways, same("clusters that are kept", ours.clusters, w.kept())
	case strings.Contains(ours.misconfigured, "regular expression, "):
		return wrongPattern, same("clusters that are kept", ours.clusters, w.kept())
	case ours.misconfigured != theirs.misconfigured:
		return "", fmt.Sprintf("misconfigured is %q, not %q", ours.misconfigured, theirs.misconfigured)
	case ours.reason != theirs.reason:
		return "", fmt.Sprintf("the reason is %s, not %s", ours.reason, theirs.reason)
	}
	expected := w.exact(theirs.feasible)
	if d := same("clusters", ours.clusters, expected); d != "" {
		return "", d + fmt.Sprintf(" (upstream: %v)", theirs.clusters)
	}
	if same("", ours.clusters, theirs.clusters) != "" {
		return exactIntegers, ""
	}
	if len(w.own) > 0 { // slices are stable: parts are not cut anew
		return "", same("groups", byName(ours.groups), byName(theirs.groups))
	}
	return "", same("groups", ours.groups, theirs.groups)
}

func same(what string, is, not []string) string {
	if strings.Join(is, ";") == strings.Join(not, ";") {
		return ""
	}
	return fmt.Sprintf("%s: %q, not %q", what, is, not)
}

// The groups of one name as one.
func byName(groups []string) []string {
	members := map[string][]string{}
	for _, group := range groups {
		name, list, _ := strings.Cut(group, ": ")
		members[name] = append(members[name], strings.Fields(list)...)
	}
	joined := []string{}
	for name, list := range members {
		if len(list) > 0 {
			sort.Strings(list)
			joined = append(joined, name+": "+strings.Join(list, " "))
		}
	}
	sort.Strings(joined)
	return joined
}

func (w *world) kept() []string {
	kept := []string{}
	for _, decision := range w.own {
		for _, d := range decision.Status.Decisions {
			kept = append(kept, d.ClusterName)
		}
	}
	sort.Strings(kept)
	return kept
}

// ---- scores as docs/reference.md defines them, in integers ----

func (w *world) exact(feasible []string) []string {
	totals := map[string]int64{}
	for coordinate, weight := range w.weights() {
		for name, score := range w.score(coordinate, feasible) {
			totals[name] += score * weight
		}
	}
	names := append([]string{}, feasible...)
	sort.Slice(names, func(i, j int) bool {
		a, b := totals[names[i]], totals[names[j]]
		return a > b || (a == b && names[i] < names[j])
	})
	if n := w.placement.Spec.NumberOfClusters; n != nil && int(*n) < len(names) {
		names = names[:*n]
	}
	sort.Strings(names)
	return names
}

func (w *world) weights() map[string]int64 {
	policy := w.placement.Spec.PrioritizerPolicy
	weights := map[string]int64{}
	if policy.Mode != v1beta1.PrioritizerPolicyModeExact {
		weights["Balance"], weights["Steady"] = 1, 1
	}
	for _, c := range policy.Configurations {
		name := c.ScoreCoordinate.BuiltIn
		if c.ScoreCoordinate.AddOn != nil {
			name = c.ScoreCoordinate.AddOn.ResourceName + "/" + c.ScoreCoordinate.AddOn.ScoreName
		}
		weights[name] = int64(c.Weight)
	}
	return weights
}

func (w *world) score(coordinate string, feasible []string) map[string]int64 {
	switch coordinate {
	case "Balance":
		return w.balance(feasible)
	case "Steady":
		scores := map[string]int64{}
		for _, name := range w.kept() {
			scores[name] = 100
		}
		return scores
	case "ResourceAllocatableCPU":
		return w.allocatable("cpu", feasible)
	case "ResourceAllocatableMemory":
		return w.allocatable("memory", feasible)
	}
	scores := map[string]int64{}
	for _, name := range feasible {
		scores[name] = int64(w.scores[name][coordinate])
	}
	return scores
}

func (w *world) balance(feasible []string) map[string]int64 {
	n, most := map[string]int64{}, int64(0)
	for _, decision := range w.others {
		for _, d := range decision.Status.Decisions {
			n[d.ClusterName]++
			most = max(most, n[d.ClusterName])
		}
	}
	scores := map[string]int64{}
	for _, name := range feasible {
		scores[name] = 100
		if n[name] > 0 {
			scores[name] = (100*most - 200*n[name]) / most
		}
	}
	return scores
}

func (w *world) allocatable(resource string, feasible []string) map[string]int64 {
	amounts, scores := map[string]int64{}, map[string]int64{}
	low, high := int64(-1), int64(-1)
	for _, c := range w.clusters {
		is, has := c.Status.Allocatable[clusterv1.ResourceName(resource)]
		_, whole := c.Status.Capacity[clusterv1.ResourceName(resource)]
		if !has || !whole || !slices.Contains(feasible, c.Name) {
			continue
		}
		x := is.MilliValue()
		amounts[c.Name] = x
		if low < 0 || x < low {
			low = x
		}
		high = max(high, x)
	}
	for name, x := range amounts {
		scores[name] = 100
		if high > low {
			scores[name] = (200*(x-low) - 100*(high-low)) / (high - low)
		}
	}
	return scores
}
