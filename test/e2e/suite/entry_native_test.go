// SPDX-License-Identifier: Apache-2.0

package suite

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"sakkara/test/e2e/suite/cluster"
)

// PodGroups of Kubernetes' own (scheduling.k8s.io), on a control plane that has them.

func nativeGroups() string {
	version := "v1alpha2"
	if minor() >= 37 {
		version = "v1beta1"
	}
	return "/apis/scheduling.k8s.io/" + version + "/"
}

// nativeGroup creates a PodGroup. minCount 0: of policy basic. key: of its topology; empty: none.
func (r *run) nativeGroup(name string, minCount int, key string) {
	r.Helper()
	policy := map[string]any{"basic": map[string]any{}}
	if minCount > 0 {
		policy = map[string]any{"gang": map[string]any{"minCount": minCount}}
	}
	spec := map[string]any{"schedulingPolicy": policy}
	if key != "" {
		spec["schedulingConstraints"] = map[string]any{"topology": []map[string]any{{"key": key}}}
	}
	r.must(r.plane.Admin.Create(nativeGroups()+"namespaces/"+r.ns+"/podgroups",
		map[string]any{"metadata": cluster.Meta{Name: name}, "spec": spec}, nil))
}

// nativeStatus is the status that the daemon has written to a PodGroup.
func (r *run) nativeStatus(name string) string {
	r.Helper()
	var group struct{ Metadata cluster.Meta }
	r.must(r.plane.Admin.Get(nativeGroups()+"namespaces/"+r.ns+"/podgroups/"+name, &group))
	return group.Metadata.Annotations["sakkara.status"]
}

// nativeConditions are the conditions of a PodGroup by type, as "True Reason".
func (r *run) nativeConditions(name string) map[string]string {
	r.Helper()
	var group struct {
		Status struct {
			Conditions []struct{ Type, Status, Reason string }
		}
	}
	r.must(r.plane.Admin.Get(nativeGroups()+"namespaces/"+r.ns+"/podgroups/"+name, &group))
	found := map[string]string{}
	for _, one := range group.Status.Conditions {
		found[one.Type] = one.Status + " " + one.Reason
	}
	return found
}

func inGroup(name string) change {
	return func(pod *cluster.Pod) { pod.Spec.SchedulingGroup = &cluster.SchedulingGroup{PodGroupName: name} }
}

// podsOf creates pods PREFIX-0 … with these changes, side by side.
func (r *run) podsOf(prefix string, n int, changes ...change) {
	r.Helper()
	pods := make([]*cluster.Pod, n)
	for i := range pods {
		pods[i] = r.pod(fmt.Sprintf("%s-%d", prefix, i), changes...)
	}
	r.must(r.plane.CreatePods(pods...))
}

// labelledTree creates a topology map whose racks are the values of the label example.com/rack.
func (r *run) labelledTree() {
	r.Helper()
	r.must(r.plane.Admin.Create("/api/v1/namespaces/"+cluster.SystemNamespace+"/configmaps", &cluster.ConfigMap{
		Meta: cluster.Meta{Name: "cluster-topology", Labels: map[string]string{"sakkara.topology": ""}},
		Data: map[string]string{"name": "cluster-tree", "resource-names": `["cpu","memory"]`,
			"levels": `[{"name":"rack","label":"example.com/rack"}]`},
	}, nil))
	r.waitForTree("cluster-topology")
}

// conditionsStayBeside changes a condition of another writer ten times: it and those of the daemon are both there at the end.
func (r *run) conditionsStayBeside(name string) {
	r.Helper()
	for i := range 10 {
		_, err := r.plane.Kubectl("patch", "podgroups.scheduling.k8s.io", name, "-n", r.ns, "--subresource=status", "--type=strategic", "-p",
			fmt.Sprintf(`{"status":{"conditions":[{"type":"example.com/Other","status":"True","reason":"Turn%d","message":"",`+
				`"lastTransitionTime":"2026-01-01T00:00:00Z"}]}}`, i))
		r.must(err)
	}
	found := r.nativeConditions(name)
	if found["example.com/Other"] != "True Turn9" || found["sakkara.Bound"] != "True MembersBound" {
		r.Errorf("conditions of two writers: %v", found)
	}
}

// TestEntry_PodGroupsOfKubernetes: A PodGroup with policy gang is bound as a whole with one filter call a gated member, within
// one unit of its topology key; a key that no level has is a reason; one that does not fit leaves kube-scheduler in peace.
// Pods of a PodGroup with policy basic are what their annotation says, or ordinary.
func TestEntry_PodGroupsOfKubernetes(t *testing.T) {
	plane := workloadPlane(t)
	nodes, _ := racks(slices.Repeat([]int{8}, 4), slices.Repeat([]int{8}, 4), slices.Repeat([]int{8}, 4))
	for i, node := range nodes {
		node.Labels["example.com/rack"] = fmt.Sprintf("r%d", i/4)
	}
	r := start(t, nodes, options{plane: plane})
	r.labelledTree()
	drop := func(prefix string) {
		r.rec.Look(func(v *cluster.View) {
			for _, pod := range v.Pods(r.ns, ofPrefix(prefix)) {
				r.must(r.plane.Admin.Delete(r.podPath(pod.Name)))
			}
		})
		r.wait(usual, prefix+" is gone", r.boundAre(ofPrefix(prefix), 0, 0))
	}

	before := r.filters()
	r.nativeGroup("large", 64, "")
	r.podsOf("large", 64, inGroup("large"), gated)
	r.wait(usual, "64 are bound", r.boundAre(ofPrefix("large-"), 64, 64))
	r.awaitGroup("podgroup/large", "Bound", "")
	if calls := r.filters() - before; calls > 64+4 {
		t.Errorf("%d filter calls for 64 gated members", calls)
	}
	r.poll("the PodGroup says so", func() bool { return r.nativeStatus("large") == "Bound" })
	r.poll("its conditions say so", func() bool {
		found := r.nativeConditions("large")
		return found["sakkara.Complete"] == "True MembersPresent" && found["sakkara.Placed"] == "True PlacementFound" &&
			found["sakkara.Bound"] == "True MembersBound" && found["sakkara.Valid"] == "True Accepted"
	})
	r.conditionsStayBeside("large")
	drop("large-")

	r.nativeGroup("rack", 24, "example.com/rack")
	r.podsOf("rack", 24, inGroup("rack"), gated)
	r.wait(usual, "24 are bound", r.boundAre(ofPrefix("rack-"), 24, 24))
	units := map[string]bool{}
	r.rec.Look(func(v *cluster.View) {
		for _, pod := range v.Pods(r.ns, ofPrefix("rack-")) {
			var at int
			fmt.Sscanf(pod.Spec.NodeName, "node-%d", &at)
			units[nodes[at].Labels["example.com/rack"]] = true
		}
	})
	if len(units) != 1 {
		t.Errorf("24 members of a topology key are in %v", units)
	}
	drop("rack-")

	r.nativeGroup("lost", 2, "example.com/none")
	r.podsOf("lost", 2, inGroup("lost"), gated)
	if row := r.awaitGroup("podgroup/lost", "Waiting", "NoSuchTopologyKey"); !contains(row.Message, "example.com/rack") {
		t.Errorf("the message does not list the keys that exist: %s", row.Message)
	}
	r.wait(usual, "both are seen", r.boundAre(ofPrefix("lost-"), 2, 0))
	drop("lost-")

	before = r.filters()
	r.nativeGroup("huge", 40, "example.com/rack")
	r.podsOf("huge", 40, inGroup("huge"), gated)
	r.awaitGroup("podgroup/huge", "Ready", "")
	if calls := r.calmFilters(5*time.Second) - before; calls > 10 {
		t.Errorf("%d filter calls for a gated group that does not fit", calls)
	}
	r.wait(usual, "none is bound", r.boundAre(ofPrefix("huge-"), 40, 0))
	drop("huge-")

	r.nativeGroup("basic", 0, "")
	r.podsOf("basic", 5, inGroup("basic"), gated)
	r.wait(usual, "pods of policy basic are ordinary", r.boundAre(ofPrefix("basic-"), 5, 5))
	drop("basic-")

	r.indexedJob("job", "", 6, ungrouped, annotated, gated)
	r.job("plain", "", 6, ungrouped, annotated, gated)
	r.wait(usual, "the Indexed Job is bound", r.boundAre(ofJob("job"), 6, 6))
	r.wait(usual, "the other Job is bound", r.boundAre(ofJob("plain"), 6, 6))
}

// TestEntry_APodGroupMadeAgainIsANewGang: A PodGroup of Kubernetes is deleted while its pods run, and made again under its
// name. Pods that are created after it wait, say so, and are bound as a gang of the new size once the old pods are gone.
// A daemon that starts in between decides the same.
func TestEntry_APodGroupMadeAgainIsANewGang(t *testing.T) {
	plane := workloadPlane(t)
	nodes, _ := racks([]int{8, 8})
	r := start(t, nodes, options{plane: plane})
	r.nativeGroup("pg", 2, "")
	r.podsOf("old", 2, inGroup("pg"), gated)
	r.wait(usual, "the first gang is bound", r.boundAre(ofPrefix("old-"), 2, 2))
	r.awaitGroup("podgroup/pg", "Bound", "")
	group := nativeGroups() + "namespaces/" + r.ns + "/podgroups/pg"
	r.must(r.plane.Admin.Delete(group))
	_, err := r.plane.Kubectl("patch", "podgroups.scheduling.k8s.io", "pg", "-n", r.ns, "--type=merge", "-p",
		`{"metadata":{"finalizers":null}}`) // Kubernetes keeps it while pods name it
	r.must(err)
	gone := time.Now()
	r.poll("what follows is of a later second, which times of objects show", func() bool { return time.Since(gone) > 2*time.Second })
	r.nativeGroup("pg", 3, "")
	r.podsOf("new", 3, inGroup("pg"), gated)
	r.poll("explain says why they wait", func() bool {
		text, _ := r.command("explain", "podgroup/pg", "-n", r.ns)
		return contains(text, "OtherGeneration")
	})
	r.daemon.Kill()
	r.must(r.daemon.Start())
	r.must(r.plane.Admin.Delete(r.podPath("old-0")))
	r.wait(usual, "one of the old pods is gone", r.boundAre(ofPrefix("old-"), 1, 1))
	r.awaitGroup("podgroup/pg", "Bound", "")
	r.wait(usual, "the new pods wait", r.boundAre(ofPrefix("new-"), 3, 0))
	r.must(r.plane.Admin.Delete(r.podPath("old-1")))
	r.wait(usual, "the new gang is bound", r.boundAre(ofPrefix("new-"), 3, 3))
	r.awaitGroup("podgroup/pg", "Bound", "")
}

// TestEntry_APodGroupOfKubernetesIsWholeThroughAnyCrash kills the daemon after its k-th write for every k until a PodGroup of
// eight goes its whole way with fewer, and kube-scheduler with it for every second k: all its members are bound, and none of
// them before the point of no return.
func TestEntry_APodGroupOfKubernetesIsWholeThroughAnyCrash(t *testing.T) {
	killedOnTheWay(t, 8, 2)
}

// killedOnTheWay plays PodGroups of n members. kube-scheduler dies with the daemon for each k that each divides.
func killedOnTheWay(t *testing.T, n, each int) {
	plane := workloadPlane(t)
	r := startRacks(t, options{plane: plane}, slices.Repeat([]int{8}, n/4), slices.Repeat([]int{8}, n/4))
	r.anyEvents("some die with the daemon")
	for k, killed := 1, true; killed; k++ {
		name := fmt.Sprintf("k%d", k)
		dead, over := make(chan struct{}), make(chan struct{})
		r.proxy.KillAt(k, cluster.AfterForwarding, func() {
			r.daemon.Kill()
			close(dead)
		})
		r.nativeGroup(name, n, "")
		r.podsOf(name, n, inGroup(name), gated)
		restarted := make(chan error, 1)
		go func() {
			select {
			case <-dead:
				if k%each == 0 {
					_ = r.scheduler.Kill()
				}
				restarted <- r.daemon.Start()
			case <-over:
				restarted <- nil
			}
		}()
		bound := r.boundAre(ofPrefix(name+"-"), n, n)
		what := fmt.Sprintf("bound after a kill at write %d", k)
		err := r.rec.Wait(usual, what, func(v *cluster.View) error {
			if !r.scheduler.Process().Running() {
				return nil
			}
			return bound(v)
		})
		if killed = !r.proxy.KillAt(0, cluster.AfterForwarding, nil); !killed {
			close(over)
			t.Logf("killed at each of %d writes", k-1)
		}
		r.must(<-restarted)
		r.must(err)
		if !r.scheduler.Process().Running() {
			r.startScheduler()
			r.wait(usual, what, bound)
		}
		r.removePods(name)
	}
}
