// SPDX-License-Identifier: Apache-2.0

package suite

import (
	"fmt"
	"sort"
	"strings"
	"testing"

	"sakkara/test/e2e/suite/cluster"
)

// Placements of Open Cluster Management, on a real API server with structural schemas of its resources.

const ocmGroup = "cluster.open-cluster-management.io"

type ocm struct {
	*run
	clusters, placements, decisions cluster.Resource
}

// startOCMWith has a bound set without clusters.
func startOCMWith(t *testing.T, daemon cluster.DaemonOptions) ocm {
	nodes, _ := racks([]int{1})
	r := start(t, nodes, options{
		resources: []string{"testdata/ocm.yaml"},
		roles:     []string{"../../../manifests/ocm/rbac.yaml"},
		daemon:    daemon,
	})
	o := ocm{r, r.resource("managedclusters"), r.resource("placements"), r.resource("placementdecisions")}
	o.must(o.plane.Admin.Create(o.resource("managedclustersets").At("", ""), map[string]any{
		"apiVersion": ocmGroup + "/v1beta2", "kind": "ManagedClusterSet", "metadata": map[string]any{"name": "prod"},
		"spec": map[string]any{"clusterSelector": map[string]any{"selectorType": "ExclusiveClusterSetLabel"}},
	}, nil))
	o.must(o.plane.Admin.Create(o.resource("managedclustersetbindings").At(o.ns, ""), map[string]any{
		"apiVersion": ocmGroup + "/v1beta2", "kind": "ManagedClusterSetBinding", "metadata": map[string]any{"name": "prod"},
		"spec": map[string]any{"clusterSet": "prod"},
	}, nil))
	return o
}

// startOCM has a bound set of five clusters in three zones: a1, a2, a3; b1; c1.
func startOCM(t *testing.T) ocm {
	o := startOCMWith(t, cluster.DaemonOptions{Settings: map[string]string{"ocm": "{enabled: true}"}})
	for _, name := range []string{"a1", "a2", "a3", "b1", "c1"} {
		o.must(o.plane.Admin.Create(o.clusters.At("", ""), map[string]any{
			"apiVersion": ocmGroup + "/v1", "kind": "ManagedCluster",
			"metadata": map[string]any{"name": name, "labels": map[string]string{ocmGroup + "/clusterset": "prod", "zone": name[:1]}},
			"spec":     map[string]any{"hubAcceptsClient": true},
		}, nil))
	}
	return o
}

func (o ocm) placement(name, scheduler string, number int) {
	o.Helper()
	o.must(o.plane.Admin.Create(o.placements.At(o.ns, ""), map[string]any{
		"apiVersion": ocmGroup + "/v1beta1", "kind": "Placement",
		"metadata": map[string]any{"name": name, "annotations": map[string]string{
			ocmGroup + "/experimental-scheduling-disable": "true", "sakkara.placement.scheduler": scheduler}},
		"spec": map[string]any{"numberOfClusters": number, "spreadPolicy": map[string]any{"spreadConstraints": []map[string]any{
			{"topologyKey": "zone", "topologyKeyType": "Label", "maxSkew": 1, "whenUnsatisfiable": "DoNotSchedule"}}}},
	}, nil))
}

type placementState struct {
	Metadata struct {
		UID        string
		Generation int64
	}
	Status struct {
		NumberOfSelectedClusters int
		DecisionGroups           []struct {
			Decisions    []string
			ClusterCount int
		}
		Conditions []struct {
			Type, Status, Reason, Message string
			ObservedGeneration            int64
		}
	}
}

type decisionState struct {
	Metadata struct {
		Name, ResourceVersion string
		Labels                map[string]string
		OwnerReferences       []struct {
			Kind, Name, UID string
			Controller      bool
		}
	}
	Status struct {
		Decisions []struct{ ClusterName string }
	}
}

// decision checks the only PlacementDecision of a Placement.
func (o ocm) decision(v *cluster.View, name, uid, clusters string) (decisionState, error) {
	var d decisionState
	if err := v.Object(o.decisions.Path, o.ns, name+"-decision-1").Decode(&d); err != nil {
		return d, err
	}
	var names []string
	for _, c := range d.Status.Decisions {
		names = append(names, c.ClusterName)
	}
	sort.Strings(names)
	labels, owners := d.Metadata.Labels, d.Metadata.OwnerReferences
	index, indexed := labels[ocmGroup+"/decision-group-index"]
	group, grouped := labels[ocmGroup+"/decision-group-name"]
	if strings.Join(names, " ") != clusters || labels[ocmGroup+"/placement"] != name || !indexed || index != "0" || !grouped || group != "" ||
		len(owners) != 1 || owners[0].Kind != "Placement" || owners[0].Name != name || owners[0].UID != uid || !owners[0].Controller {
		return d, fmt.Errorf("%+v", d)
	}
	return d, nil
}

// expect waits until a Placement has these clusters and says why; it returns its decision.
func (o ocm) expect(name, reason, clusters string) decisionState {
	o.Helper()
	var d decisionState
	o.wait(usual, name+" is "+reason, func(v *cluster.View) error {
		var p placementState
		err := v.Object(o.placements.Path, o.ns, name).Decode(&p)
		if err == nil {
			d, err = o.decision(v, name, p.Metadata.UID, clusters)
		}
		if err != nil {
			return err
		}
		n, groups := len(strings.Fields(clusters)), p.Status.DecisionGroups
		if p.Status.NumberOfSelectedClusters != n || len(groups) != 1 || groups[0].ClusterCount != n ||
			strings.Join(groups[0].Decisions, " ") != name+"-decision-1" {
			return fmt.Errorf("%+v", p)
		}
		status := map[bool]string{true: "True", false: "False"}[reason == "AllDecisionsScheduled"]
		for _, c := range p.Status.Conditions {
			if c.Type == "PlacementSatisfied" && c.Status == status && c.Reason == reason && c.ObservedGeneration == p.Metadata.Generation {
				return nil
			}
		}
		return fmt.Errorf("%+v", p)
	})
	return d
}

// selected are the clusters in all decisions of a Placement.
func (o ocm) selected(v *cluster.View, name string) (string, error) {
	var names []string
	for _, object := range v.Objects(o.decisions.Path, o.ns) {
		var d decisionState
		if err := object.Decode(&d); err != nil {
			return "", err
		}
		for _, c := range d.Status.Decisions {
			if d.Metadata.Labels[ocmGroup+"/placement"] == name {
				names = append(names, c.ClusterName)
			}
		}
	}
	sort.Strings(names)
	return strings.Join(names, " "), nil
}

// selectedNow are those that the API server has.
func (o ocm) selectedNow(name string) (clusters string, err error) {
	o.rec.Look(func(v *cluster.View) { clusters, err = o.selected(v, name) })
	return clusters, err
}

// expectEvents waits for Events about a Placement.
func (o ocm) expectEvents(name string, reasons ...string) {
	o.Helper()
	o.wait(usual, fmt.Sprintf("%s has Events %s", name, reasons), func(v *cluster.View) error {
		seen := map[string]bool{}
		for _, event := range v.Events("Placement", o.ns, name) {
			seen[event.Reason] = true
		}
		for _, reason := range reasons {
			if !seen[reason] {
				return fmt.Errorf("%v", seen)
			}
		}
		return nil
	})
}

func (o ocm) change(name, patch string) {
	o.Helper()
	o.must(o.plane.Admin.MergePatch(o.placements.At(o.ns, name), patch))
}

func (o ocm) taint(name string) {
	o.Helper()
	o.must(o.plane.Admin.MergePatch(o.clusters.At("", name), `{"spec":{"taints":[
		{"key":"maintenance","effect":"NoSelect","timeAdded":"2026-01-01T00:00:00Z"}]}}`))
}

// TestOCM_HardSpreadHolds: Placements with a hard spread constraint get decisions with labels and a status, say how
// many clusters are missing, and leave a cluster that is tainted; a Placement of another scheduler is left alone.
func TestOCM_HardSpreadHolds(t *testing.T) {
	o := startOCM(t)
	o.placement("foreign", "other", 2)
	o.placement("three", "sakkara", 3)
	o.expect("three", "AllDecisionsScheduled", "a1 b1 c1")
	o.placement("five", "sakkara", 5)
	o.wait(usual, "five has four clusters", func(v *cluster.View) error {
		var p placementState
		if err := v.Object(o.placements.Path, o.ns, "five").Decode(&p); err != nil {
			return err
		}
		for _, c := range p.Status.Conditions {
			if c.Type == "PlacementSatisfied" && c.Reason == "NotAllDecisionsScheduled" && c.Message == "1 cluster decisions unscheduled" {
				return nil
			}
		}
		return fmt.Errorf("%+v", p)
	})
	o.taint("a1")
	o.expect("five", "NotAllDecisionsScheduled", "a2 a3 b1 c1")
	o.wait(usual, "three left the tainted cluster", func(v *cluster.View) error {
		clusters, err := o.selected(v, "three")
		if err != nil || clusters != "a2 b1 c1" && clusters != "a3 b1 c1" {
			return fmt.Errorf("%s: %v", clusters, err)
		}
		return nil
	})
	var foreign placementState
	o.must(o.plane.Admin.Get(o.placements.At(o.ns, "foreign"), &foreign))
	if len(foreign.Status.Conditions) != 0 || len(foreign.Status.DecisionGroups) != 0 {
		t.Errorf("a foreign Placement was touched: %+v", foreign)
	}
	var decisions cluster.List[decisionState]
	o.must(o.plane.Admin.Get(o.decisions.At(o.ns, ""), &decisions))
	if len(decisions.Items) != 2 {
		t.Errorf("decisions: %+v", decisions.Items)
	}
}

// TestOCM_KilledAndStartedAgain: A daemon that is killed leaves the decisions of Placements as they are when it is
// back, and finishes a Placement that came meanwhile.
func TestOCM_KilledAndStartedAgain(t *testing.T) {
	o := startOCM(t)
	o.placement("before", "sakkara", 3)
	before := o.expect("before", "AllDecisionsScheduled", "a1 b1 c1")
	o.daemon.Kill()
	o.placement("meanwhile", "sakkara", 3)
	o.must(o.daemon.Start())
	o.expect("meanwhile", "AllDecisionsScheduled", "a2 b1 c1") // a1 is in use
	after := o.expect("before", "AllDecisionsScheduled", "a1 b1 c1")
	if after.Metadata.ResourceVersion != before.Metadata.ResourceVersion {
		t.Errorf("the decision was written again: %+v, then %+v", before, after)
	}
}

// TestOCM_GroupsComeAndGo: Decision groups get an object each, which goes with its group; a Placement that is given
// away keeps its decisions, and an Event says so.
func TestOCM_GroupsComeAndGo(t *testing.T) {
	o := startOCM(t)
	o.placement("groups", "sakkara", 3)
	o.expect("groups", "AllDecisionsScheduled", "a1 b1 c1")
	o.change("groups", `{"spec":{"decisionStrategy":{"groupStrategy":{"clustersPerDecisionGroup":1}}}}`)
	o.wait(usual, "three groups", func(v *cluster.View) error {
		var p placementState
		if err := v.Object(o.placements.Path, o.ns, "groups").Decode(&p); err != nil {
			return err
		}
		clusters, err := o.selected(v, "groups")
		if err != nil || len(p.Status.DecisionGroups) != 3 || len(v.Objects(o.decisions.Path, o.ns)) != 3 || clusters != "a1 b1 c1" {
			return fmt.Errorf("%+v, %s: %v", p, clusters, err)
		}
		return nil
	})
	o.change("groups", `{"spec":{"decisionStrategy":null}}`)
	o.expect("groups", "AllDecisionsScheduled", "a1 b1 c1")
	o.wait(usual, "one object is left", func(v *cluster.View) error {
		if n := len(v.Objects(o.decisions.Path, o.ns)); n != 1 {
			return fmt.Errorf("%d", n)
		}
		return nil
	})
	o.expectEvents("groups", "DecisionCreate", "DecisionUpdate", "DecisionDelete", "ScoreUpdate")
	o.change("groups", `{"metadata":{"annotations":{"sakkara.placement.scheduler":null}}}`)
	o.expectEvents("groups", "OwnershipLost")
	o.taint("a1")
	o.placement("ours", "sakkara", 3)
	o.expect("ours", "AllDecisionsScheduled", "a2 b1 c1")
	o.wait(usual, "groups is as it was", func(v *cluster.View) error {
		if clusters, err := o.selected(v, "groups"); err != nil || clusters != "a1 b1 c1" {
			return fmt.Errorf("%s: %v", clusters, err)
		}
		return nil
	})
}

// TestOCM_ExpressionsSelect: CEL selectors select by the version, the allocatable resources and the scores of clusters; a
// cluster is looked at again when one of these changes. An expression that has an error on a cluster does not match it.
// A wrong expression leaves the decisions as they are, and the condition has its position.
func TestOCM_ExpressionsSelect(t *testing.T) {
	o := startOCM(t)
	report := func(name, version, cpu string) {
		o.Helper()
		o.must(o.plane.Admin.MergePatch(o.clusters.At("", name)+"/status",
			fmt.Sprintf(`{"status":{"version":{"kubernetes":"%s"},"allocatable":{"cpu":"%s"},"capacity":{"cpu":"64"}}}`, version, cpu)))
	}
	report("a1", "v1.31.2", "8")
	report("a2", "v1.29.9", "8")
	report("a3", "v1.30.0", "3500m")
	report("b1", "v1.31.0", "2")
	selects := func(expressions ...string) map[string]any {
		return map[string]any{"predicates": []map[string]any{
			{"requiredClusterSelector": map[string]any{"celSelector": map[string]any{"celExpressions": expressions}}}}}
	}
	create := func(name string, spec map[string]any) {
		o.Helper()
		o.must(o.plane.Admin.Create(o.placements.At(o.ns, ""), map[string]any{"apiVersion": ocmGroup + "/v1beta1", "kind": "Placement",
			"metadata": map[string]any{"name": name, "annotations": ours}, "spec": spec}, nil))
	}
	create("recent", selects(`semver(managedCluster.status.version.kubernetes.substring(1)).compareTo(semver("1.30.0")) >= 0`,
		`quantity(managedCluster.status.allocatable.cpu).isGreaterThan(quantity("3"))`))
	create("scored", selects(`managedCluster.scores("load").exists(s, s.name == "cpu" && s.value > 50)`))
	o.expect("recent", "AllDecisionsScheduled", "a1 a3") // c1 has no version: an error
	o.expect("scored", "NoManagedClusterMatched", "")
	report("b1", "v1.31.0", "4")
	report("a3", "v1.30.0", "3")
	o.expect("recent", "AllDecisionsScheduled", "a1 b1")
	scores := o.resource("addonplacementscores")
	o.must(o.plane.CreateNamespace("c1"))
	o.must(o.plane.Admin.Create(scores.At("c1", ""), map[string]any{
		"apiVersion": ocmGroup + "/v1alpha1", "kind": "AddOnPlacementScore", "metadata": map[string]any{"name": "load"}}, nil))
	o.must(o.plane.Admin.MergePatch(scores.At("c1", "load")+"/status", `{"status":{"scores":[{"name":"cpu","value":70}]}}`))
	o.expect("scored", "AllDecisionsScheduled", "c1")
	o.change("recent", `{"spec":{"predicates":[{"requiredClusterSelector":{"celSelector":{"celExpressions":["true","1 + cluster.x == 2"]}}}]}}`)
	o.wait(usual, "recent is misconfigured", func(v *cluster.View) error {
		var p placementState
		if err := v.Object(o.placements.Path, o.ns, "recent").Decode(&p); err != nil {
			return err
		}
		for _, c := range p.Status.Conditions {
			if c.Type == "PlacementMisconfigured" && c.Status == "True" && strings.Contains(c.Message,
				`predicates[0].celExpressions[1]: 1:5: there is no variable "cluster"`) {
				return nil
			}
		}
		return fmt.Errorf("%+v", p)
	})
	o.taint("a1")
	o.change("scored", `{"spec":{"predicates":null}}`)
	o.expect("scored", "AllDecisionsScheduled", "a2 a3 b1 c1")
	if clusters, err := o.selectedNow("recent"); err != nil || clusters != "a1 b1" {
		t.Errorf("a misconfigured Placement has %s: %v", clusters, err)
	}
}
