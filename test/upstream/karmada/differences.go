// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"slices"
	"strings"

	clusterv1alpha1 "github.com/karmada-io/karmada/pkg/apis/cluster/v1alpha1"
	policyv1alpha1 "github.com/karmada-io/karmada/pkg/apis/policy/v1alpha1"
)

// Where ours differs on purpose: the rows of the table in docs/bindings.md, with the problems that they are about. A row
// for all profiles is about what karmada-scheduler gets wrong in numbers; the others are about the default profile, since
// the profile upstream does what karmada-scheduler does.
var differences = []struct {
	name string
	all  bool // profiles
	of   func(p problem) bool
}{
	{"no replicas, rescheduled", true, func(p problem) bool {
		return p.binding.Spec.Replicas == 0 && rescheduled(p.binding) && strings.Contains(p.theirs.Text, "available replicas -")
	}},
	{"sets that run", true, func(p problem) bool {
		return p.sets && len(p.binding.Spec.Components) > 0 && p.toOneCluster() && len(p.binding.Spec.Clusters) > 0
	}},
	{"one component with replicas", true, func(p problem) bool {
		return p.sets && len(p.binding.Spec.Components) == 1 && p.toOneCluster() && p.hasReplicas()
	}},
	{"no division preference", true, func(p problem) bool {
		s := p.binding.Spec.Placement.ReplicaScheduling
		return s != nil && s.ReplicaSchedulingType == policyv1alpha1.ReplicaSchedulingTypeDivided && s.ReplicaDivisionPreference == ""
	}},
	{"provider and zone constraints", false, func(p problem) bool {
		return p.spreads(policyv1alpha1.SpreadByFieldProvider) || p.spreads(policyv1alpha1.SpreadByFieldZone)
	}},
	{"region without cluster", false, func(p problem) bool {
		return p.spreads(policyv1alpha1.SpreadByFieldRegion) && !p.spreads(policyv1alpha1.SpreadByFieldCluster)
	}},
	{"regions without room", false, func(p problem) bool {
		placesSets := p.sets && len(p.binding.Spec.Components) > 0 && p.toOneCluster()
		return p.spreads(policyv1alpha1.SpreadByFieldRegion) && (p.theirs.Reason != "Success" ||
			placesSets && (p.ours.Reason == "Unschedulable" || p.regions(p.theirs) != p.regions(p.ours)))
	}},
	{"omitted maxGroups", false, func(p problem) bool {
		return p.constrains(func(c policyv1alpha1.SpreadConstraint) bool { return c.MaxGroups == 0 })
	}},
	{"empty weightPreference", false, func(p problem) bool {
		s := p.binding.Spec.Placement.ReplicaScheduling
		return s != nil && s.WeightPreference != nil && len(s.WeightPreference.StaticWeightList) == 0 &&
			s.WeightPreference.DynamicWeight == "" && len(p.binding.Spec.Placement.SpreadConstraints) > 0
	}},
}

func (p problem) hasReplicas() bool {
	return p.binding.Spec.Replicas > 0 || p.binding.Spec.ReplicaRequirements != nil
}

func (p problem) constrains(how func(policyv1alpha1.SpreadConstraint) bool) bool {
	return slices.ContainsFunc(p.binding.Spec.Placement.SpreadConstraints, how)
}

func (p problem) toOneCluster() bool {
	return p.constrains(func(c policyv1alpha1.SpreadConstraint) bool {
		return c.SpreadByField == policyv1alpha1.SpreadByFieldCluster && c.MinGroups == 1 && c.MaxGroups == 1
	})
}

func (p problem) spreads(field policyv1alpha1.SpreadFieldValue) bool {
	return p.constrains(func(c policyv1alpha1.SpreadConstraint) bool { return c.SpreadByField == field })
}

// regions are those of an answer's clusters, in the order of these.
func (p problem) regions(a answer) (all string) {
	for _, target := range a.Clusters {
		at := slices.IndexFunc(p.clusters, func(c *clusterv1alpha1.Cluster) bool { return c.Name == target.Name })
		all += p.clusters[at].Spec.Region + " "
	}
	return all
}

// difference names the row that a problem belongs to; "": none.
func difference(p problem) string {
	for _, d := range differences {
		if (d.all || p.profile == "default") && d.of(p) {
			return d.name
		}
	}
	return ""
}

// names are the rows of the table in docs.
func names() (all []string) {
	for _, d := range differences {
		all = append(all, d.name)
	}
	return all
}

// checkDocs ends the program if the table in docs has other rows than the one here.
func checkDocs(page string) {
	text, err := os.ReadFile(page)
	must(err)
	_, table, found := strings.Cut(string(text), "| difference |")
	if !found {
		must(fmt.Errorf("%s: no table of differences", page))
	}
	table, _, _ = strings.Cut(table, "\n\n")
	rows := strings.Split(table, "\n")[2:]
	if len(rows) != len(differences) {
		must(fmt.Errorf("%s: %d rows of differences, not %d", page, len(rows), len(differences)))
	}
	for i, row := range rows {
		if !strings.HasPrefix(row, "| "+differences[i].name+" |") {
			must(fmt.Errorf("%s: row %d of differences has to be about %q", page, i+1, differences[i].name))
		}
	}
}
