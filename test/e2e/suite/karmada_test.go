// SPDX-License-Identifier: Apache-2.0

package suite

import (
	"fmt"
	"sort"
	"strings"
	"testing"

	"sakkara/test/e2e/suite/cluster"
)

// Bindings of Karmada on a real API server, with structural schemas of their resources.

type karmada struct {
	*run
	clusters, bindings cluster.Resource
}

func startKarmada(t *testing.T) karmada {
	return startKarmadaWith(t, "{enabled: true}")
}

// startKarmadaWith starts the daemon with these settings of its section karmada.
func startKarmadaWith(t *testing.T, settings string) karmada {
	nodes, _ := racks([]int{1})
	return startKarmadaOn(t, nodes, settings)
}

func startKarmadaOn(t *testing.T, nodes []*cluster.Node, settings string) karmada {
	realOnly(t, "the sandbox does not serve these resources")
	r := start(t, nodes, options{
		resources: []string{"testdata/karmada.yaml"},
		roles:     []string{"../../../manifests/karmada/rbac.yaml"},
		daemon:    cluster.DaemonOptions{Settings: map[string]string{"karmada": settings}},
	})
	return karmada{run: r, clusters: r.resource("clusters"), bindings: r.resource("resourcebindings")}
}

func (k karmada) cluster(name, provider, region, zone string, pods int) {
	k.Helper()
	k.must(k.plane.Admin.Create(k.clusters.At("", ""), map[string]any{
		"apiVersion": "cluster.karmada.io/v1alpha1", "kind": "Cluster", "metadata": map[string]any{"name": name},
		"spec": map[string]any{"provider": provider, "region": region, "zones": []string{zone}},
	}, nil))
	k.room(name, pods)
}

func (k karmada) room(name string, pods int) {
	k.Helper()
	k.roomOf(name, map[string]string{"pods": fmt.Sprint(pods)})
}

func (k karmada) roomOf(name string, allocatable map[string]string) {
	k.Helper()
	k.must(k.plane.Admin.MergePatch(k.clusters.At("", name)+"/status", map[string]any{"status": map[string]any{
		"apiEnablements":  []map[string]any{{"groupVersion": "apps/v1", "resources": []map[string]any{{"kind": "Deployment"}}}},
		"resourceSummary": map[string]any{"allocatable": allocatable}}}))
}

func (k karmada) binding(name, scheduler string, replicas int, constraints ...string) {
	k.Helper()
	k.bindingOf(name, scheduler, replicas, nil, constraints...)
}

// bindingOf makes a binding whose replicas have these requirements.
func (k karmada) bindingOf(name, scheduler string, replicas int, requirements map[string]any, constraints ...string) {
	k.Helper()
	var spread []map[string]any
	for _, constraint := range constraints {
		var field string
		var low, high int
		if _, err := fmt.Sscanf(constraint, "%s %d %d", &field, &low, &high); err != nil {
			k.Fatal(err)
		}
		spread = append(spread, map[string]any{"spreadByField": field, "minGroups": low, "maxGroups": high})
	}
	spec := map[string]any{
		"schedulerName": scheduler, "replicas": replicas,
		"resource": map[string]any{"apiVersion": "apps/v1", "kind": "Deployment", "namespace": k.ns, "name": name, "uid": "u"},
		"placement": map[string]any{"spreadConstraints": spread, "replicaScheduling": map[string]any{
			"replicaSchedulingType": "Divided", "replicaDivisionPreference": "Weighted",
			"weightPreference": map[string]any{"dynamicWeight": "AvailableReplicas"}}},
	}
	if requirements != nil {
		spec["replicaRequirements"] = requirements
	}
	k.must(k.plane.Admin.Create(k.bindings.At(k.ns, ""), map[string]any{
		"apiVersion": "work.karmada.io/v1alpha2", "kind": "ResourceBinding",
		"metadata": map[string]any{"name": name, "labels": map[string]string{"propagationpolicy.karmada.io/permanent-id": "p"}},
		"spec":     spec,
	}, nil))
}

type bindingState struct {
	Metadata struct{ Generation int64 }
	Spec     struct {
		Clusters []struct {
			Name     string
			Replicas int
		}
	}
	Status struct {
		LastScheduledTime           string
		SchedulerObservedGeneration int64
		Conditions                  []struct{ Type, Status, Reason, Message string }
	}
}

func (b bindingState) places() string {
	var words []string
	for _, c := range b.Spec.Clusters {
		words = append(words, fmt.Sprintf("%s%d", c.Name, c.Replicas))
	}
	sort.Strings(words)
	return strings.Join(words, " ")
}

// expect waits until a binding is where it should be and says why.
func (k karmada) expect(name, reason, places string) {
	k.Helper()
	k.wait(usual, name+" is "+reason, func(v *cluster.View) error {
		var b bindingState
		if err := v.Object(k.bindings.Path, k.ns, name).Decode(&b); err != nil {
			return err
		}
		if len(b.Status.Conditions) != 1 || b.Status.Conditions[0].Reason != reason || b.places() != places {
			return fmt.Errorf("%+v", b)
		}
		if reason == "Success" && (b.Status.SchedulerObservedGeneration != b.Metadata.Generation || b.Status.LastScheduledTime == "") {
			return fmt.Errorf("not observed: %+v", b)
		}
		return nil
	})
}

func (k karmada) five() {
	k.cluster("a", "p1", "r1", "z1", 3)
	k.cluster("b", "p1", "r1", "z1", 5)
	k.cluster("c", "p1", "r2", "z2", 2)
	k.cluster("d", "p1", "r2", "z2", 4)
	k.cluster("e", "p2", "r3", "z3", 9)
}

// TestKarmada_ZonesAndProvidersHold: Bindings with zone and provider constraints are placed where they hold, follow
// their replicas, and say what is missing when nothing fits.
func TestKarmada_ZonesAndProvidersHold(t *testing.T) {
	k := startKarmada(t)
	k.five()
	k.binding("zones", "sakkara", 9, "zone 2 2", "cluster 2 3")
	k.binding("providers", "sakkara", 12, "provider 2 2", "cluster 2 2")
	k.binding("impossible", "sakkara", 40, "zone 2 2")
	k.binding("foreign", "default-scheduler", 2)
	k.expect("providers", "Success", "b4 e8")
	k.expect("impossible", "Unschedulable", "")
	k.wait(usual, "zones are placed", func(v *cluster.View) error {
		var b bindingState
		if err := v.Object(k.bindings.Path, k.ns, "zones").Decode(&b); err != nil {
			return err
		}
		if len(b.Status.Conditions) != 1 || b.Status.Conditions[0].Reason != "Success" || len(b.Spec.Clusters) < 2 {
			return fmt.Errorf("%+v", b)
		}
		return nil
	})
	k.room("e", 60)
	k.expect("impossible", "Success", "b3 e37")
	var foreign bindingState
	k.must(k.plane.Admin.Get(k.bindings.At(k.ns, "foreign"), &foreign))
	if foreign.Metadata.Generation != 1 || len(foreign.Status.Conditions) != 0 {
		t.Errorf("a foreign binding was touched: %+v", foreign)
	}
}

// TestKarmada_ResourceModelsBoundReplicas: Where a cluster has resource models, replicas are divided by what fits on its
// nodes and not by its sums; a binding that is too large is placed once the models have the nodes.
func TestKarmada_ResourceModelsBoundReplicas(t *testing.T) {
	k := startKarmada(t)
	for _, name := range []string{"a", "b"} {
		k.cluster(name, "p1", "r1", "z1", 0)
		k.must(k.plane.Admin.MergePatch(k.clusters.At("", name)+"/status",
			`{"status":{"resourceSummary":{"allocatable":{"pods":"200","cpu":"8"}}}}`))
	}
	nodes := func(n int) {
		k.Helper()
		k.must(k.plane.Admin.MergePatch(k.clusters.At("", "a")+"/status", fmt.Sprintf(`{"status":{"resourceSummary":{
			"allocatable":{"pods":"200","cpu":"40"},
			"allocatableModelings":[{"grade":0,"count":5},{"grade":1,"count":%d}]}}}`, n)))
	}
	k.must(k.plane.Admin.MergePatch(k.clusters.At("", "a"), `{"spec":{"resourceModels":[
		{"grade":0,"ranges":[{"name":"cpu","min":"0","max":"2"}]},
		{"grade":1,"ranges":[{"name":"cpu","min":"2","max":"1000"}]}]}}`))
	nodes(3)
	k.must(k.plane.Admin.Create(k.bindings.At(k.ns, ""), map[string]any{
		"apiVersion": "work.karmada.io/v1alpha2", "kind": "ResourceBinding",
		"metadata": map[string]any{"name": "web", "labels": map[string]string{"propagationpolicy.karmada.io/permanent-id": "p"}},
		"spec": map[string]any{
			"schedulerName": "sakkara", "replicas": 4,
			"replicaRequirements": map[string]any{"resourceRequest": map[string]string{"cpu": "2"}},
			"resource":            map[string]any{"apiVersion": "apps/v1", "kind": "Deployment", "namespace": k.ns, "name": "web", "uid": "u"},
			"placement": map[string]any{"replicaScheduling": map[string]any{
				"replicaSchedulingType": "Divided", "replicaDivisionPreference": "Weighted",
				"weightPreference": map[string]any{"dynamicWeight": "AvailableReplicas"}}},
		},
	}, nil))
	k.expect("web", "Success", "a2 b2")
	k.must(k.plane.Admin.MergePatch(k.bindings.At(k.ns, "web"), `{"spec":{"replicas":24}}`))
	k.expect("web", "Unschedulable", "a2 b2")
	nodes(16)
	k.expect("web", "Success", "a18 b6")
}

// TestKarmada_WhatIsIgnoredIsSaid: A binding of a group of workload affinity, which is not supported, is a success whose
// condition says so, and one Event does; when it grows no further Event comes.
func TestKarmada_WhatIsIgnoredIsSaid(t *testing.T) {
	k := startKarmada(t)
	k.cluster("a", "p1", "r1", "z1", 9)
	k.cluster("b", "p1", "r1", "z1", 9)
	k.binding("web", "sakkara", 4)
	k.must(k.plane.Admin.MergePatch(k.bindings.At(k.ns, "web"), `{"spec":{"workloadAffinityGroups":{"antiAffinityGroup":"g"}}}`))
	said := func(places string) {
		k.Helper()
		k.expect("web", "Success", places)
		k.wait(usual, "the condition and one Event say it", func(v *cluster.View) error {
			var b bindingState
			if err := v.Object(k.bindings.Path, k.ns, "web").Decode(&b); err != nil {
				return err
			}
			if c := b.Status.Conditions[0]; c.Status != "True" || !strings.Contains(c.Message, "Warning: WorkloadAffinityIgnored: ") {
				return fmt.Errorf("%+v", c)
			}
			n := 0
			for _, event := range v.Events("ResourceBinding", k.ns, "web") {
				if event.Reason == "ScheduleBindingWarning" && event.Type == "Warning" {
					n++
				}
			}
			if n != 1 {
				return fmt.Errorf("%d Events", n)
			}
			return nil
		})
	}
	said("a2 b2")
	k.must(k.plane.Admin.MergePatch(k.bindings.At(k.ns, "web"), `{"spec":{"replicas":6}}`))
	said("a3 b3")
}

// TestKarmada_ComponentsGoAsAWhole: With componentSets=on, a workload of several components goes to the cluster that has
// room for all of them and not to the one with the most pods; its entry has the components, which follow the binding.
func TestKarmada_ComponentsGoAsAWhole(t *testing.T) {
	k := startKarmadaWith(t, "{enabled: true, options: componentSets=on}")
	for name, room := range map[string]string{"a": `{"pods":"90","cpu":"4"}`, "b": `{"pods":"40","cpu":"8"}`} {
		k.cluster(name, "p1", "r1", "z1", 0)
		k.must(k.plane.Admin.MergePatch(k.clusters.At("", name)+"/status",
			`{"status":{"resourceSummary":{"allocatable":`+room+`}}}`))
	}
	components := func(workers int) []map[string]any {
		return []map[string]any{
			{"name": "manager", "replicas": 1, "replicaRequirements": map[string]any{"resourceRequest": map[string]string{"cpu": "1"}}},
			{"name": "worker", "replicas": workers, "replicaRequirements": map[string]any{"resourceRequest": map[string]string{"cpu": "2"}}},
		}
	}
	k.must(k.plane.Admin.Create(k.bindings.At(k.ns, ""), map[string]any{
		"apiVersion": "work.karmada.io/v1alpha2", "kind": "ResourceBinding",
		"metadata": map[string]any{"name": "job", "labels": map[string]string{"propagationpolicy.karmada.io/permanent-id": "p"}},
		"spec": map[string]any{
			"schedulerName": "sakkara", "components": components(3),
			"resource": map[string]any{"apiVersion": "apps/v1", "kind": "Deployment", "namespace": k.ns, "name": "job", "uid": "u"},
			"placement": map[string]any{
				"spreadConstraints": []map[string]any{{"spreadByField": "cluster", "minGroups": 1, "maxGroups": 1}},
				"replicaScheduling": map[string]any{"replicaSchedulingType": "Divided", "replicaDivisionPreference": "Aggregated"}},
		},
	}, nil))
	has := func(want string) {
		k.Helper()
		k.wait(usual, "components are "+want, func(v *cluster.View) error {
			var b struct {
				Spec struct {
					Clusters []struct {
						Name       string
						Components []struct {
							Name     string
							Replicas int
						}
					}
				}
			}
			if err := v.Object(k.bindings.Path, k.ns, "job").Decode(&b); err != nil {
				return err
			}
			if got := fmt.Sprint(b.Spec.Clusters); got != want {
				return fmt.Errorf("%s", got)
			}
			return nil
		})
	}
	has("[{b [{manager 1} {worker 3}]}]")
	k.must(k.plane.Admin.MergePatch(k.bindings.At(k.ns, "job"), map[string]any{"spec": map[string]any{"components": components(2)}}))
	has("[{b [{manager 1} {worker 2}]}]")
}

// TestKarmada_KilledAndStartedAgain: A daemon that is killed while bindings come finishes all of them after its
// restart, and an eviction meanwhile is not overwritten.
func TestKarmada_KilledAndStartedAgain(t *testing.T) {
	k := startKarmada(t)
	k.five()
	for i := 0; i < 40; i++ {
		k.binding(fmt.Sprintf("b-%d", i), "sakkara", 7)
		if i%10 == 5 {
			k.daemon.Kill()
			k.must(k.daemon.Start())
		}
	}
	for i := 0; i < 40; i++ {
		k.wait(usual, "placed", func(v *cluster.View) error {
			var b bindingState
			if err := v.Object(k.bindings.Path, k.ns, fmt.Sprintf("b-%d", i)).Decode(&b); err != nil {
				return err
			}
			sum := 0
			for _, c := range b.Spec.Clusters {
				sum += c.Replicas
			}
			if sum != 7 || len(b.Status.Conditions) != 1 || b.Status.SchedulerObservedGeneration != b.Metadata.Generation {
				return fmt.Errorf("%+v", b)
			}
			return nil
		})
	}
	k.must(k.plane.Admin.MergePatch(k.bindings.At(k.ns, "b-0"), `{"spec":{"clusters":[{"name":"a","replicas":1}],
		"gracefulEvictionTasks":[{"fromCluster":"e"},{"fromCluster":"b"}]}}`))
	k.wait(usual, "evicted", func(v *cluster.View) error {
		var b bindingState
		if err := v.Object(k.bindings.Path, k.ns, "b-0").Decode(&b); err != nil {
			return err
		}
		if p := b.places(); strings.Contains(p, "e") || strings.Contains(p, "b") || len(b.Spec.Clusters) < 2 {
			return fmt.Errorf("%s", p)
		}
		return nil
	})
}
