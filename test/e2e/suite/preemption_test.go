// SPDX-License-Identifier: Apache-2.0

package suite

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"sakkara/test/e2e/suite/cluster"
)

// Groups that give way to groups of higher priority.

// crowd fills two racks of four slots with a group of priority 1 and one of priority 2, both of ReplicaSets, and says
// which pods are theirs. (A Job would pause longer with each pod that it loses.)
func crowd(t *testing.T, r *run) (low, mid map[string]bool) {
	t.Helper()
	r.anyRetries("they count from the creation of a pod")
	r.anyMoment("low", "its numbers are those of the moment at which it was looked at")
	for i, name := range []string{"low", "mid"} {
		r.groupMap(name, map[string]string{"name": name, "size": "4", "priority": fmt.Sprint(i + 1), "constraints": `{"rack":{"hard":true}}`})
		r.replicas(name, 4)
		r.wait(usual, name+" runs", r.podsRunning(name, 4))
	}
	return r.uids("low"), r.uids("mid")
}

// replicas creates a ReplicaSet whose pods are the members of a group.
func (r *run) replicas(group string, n int) {
	r.Helper()
	pod := r.pod("", label("sakkara.group.name", group))
	pod.Spec.RestartPolicy = "Always"
	r.must(r.plane.Admin.Create("/apis/apps/v1/namespaces/"+r.ns+"/replicasets", map[string]any{
		"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": map[string]any{"name": group},
		"spec": map[string]any{"replicas": n, "selector": map[string]any{"matchLabels": pod.Labels},
			"template": map[string]any{"metadata": map[string]any{"labels": pod.Labels, "annotations": pod.Annotations}, "spec": pod.Spec}}}, nil))
}

func (r *run) top() {
	r.groupMap("top", map[string]string{"name": "top", "size": "4", "priority": "10", "constraints": `{"rack":{"hard":true}}`})
	r.members("top", 4)
}

// untouched: All pods of before are there.
func (r *run) untouched(group string, before map[string]bool) func(*cluster.View) error {
	return func(v *cluster.View) error {
		n := 0
		for _, pod := range v.Pods(r.ns, of(group)) {
			if before[pod.UID] && pod.Live() && pod.Bound() {
				n++
			}
		}
		if n != len(before) {
			return fmt.Errorf("%d of %d pods of %s are still there", n, len(before), group)
		}
		return nil
	}
}

// TestPreemption_TheGangOfTheLeastPriorityGivesWay: A gang that fits nowhere pushes out the running gang of the least
// priority, whole, through the Eviction API, and no other pod; both sides say so. What the victim's controller makes anew waits,
// and is a new start once there is room.
func TestPreemption_TheGangOfTheLeastPriorityGivesWay(t *testing.T) {
	bothWays(t, func(t *testing.T, withGate bool) {
		nodes, tree := racks([]int{4}, []int{4})
		r := start(t, nodes, options{})
		r.topology(tree)
		low, mid := crowd(t, r)
		r.groupMap("top", map[string]string{"name": "top", "size": "4", "priority": "10", "constraints": `{"rack":{"hard":true}}`})
		r.members("top", 4, gate(withGate))
		r.wait(usual, "top is bound", r.allBound("top", 4))
		r.wait(usual, "mid was left alone", r.untouched("mid", mid))
		r.wait(usual, "the victim waits, all its pods are new", func(v *cluster.View) error {
			pods := v.Pods(r.ns, of("low"))
			for _, pod := range pods {
				if low[pod.UID] || pod.Bound() {
					return fmt.Errorf("%s is there", pod.Name)
				}
			}
			if len(pods) != 4 {
				return fmt.Errorf("%d pods", len(pods))
			}
			return nil
		})
		evictions := r.proxy.Count(func(w *cluster.Write) bool { return w.Is("POST", "/eviction") })
		if evictions != 4 {
			t.Errorf("%d evictions", evictions)
		}
		var said []string
		r.rec.Look(func(v *cluster.View) {
			for _, group := range []string{"low", "top"} {
				for _, event := range v.Events("ConfigMap", r.ns, group) {
					said = append(said, group+" "+event.Reason)
				}
			}
		})
		all := strings.Join(said, ", ")
		if !contains(all, "low GroupPreempted") || !contains(all, "top GroupPreempting") {
			t.Errorf("Events: %s", all)
		}
		r.removeGroup("top")
		r.wait(usual, "low is bound again", r.allBound("low", 4))
		r.wait(usual, "mid was left alone", r.untouched("mid", mid))
		// Which of the new pods is which depends on the order in which the old ones went.
		r.must(r.plane.Admin.Delete("/apis/apps/v1/namespaces/" + r.ns + "/replicasets/low"))
		r.removeGroup("low")
	})
}

func (r *run) budgets() string {
	return "/apis/policy/v1/namespaces/" + r.ns + "/poddisruptionbudgets"
}

// budget creates a PodDisruptionBudget of that name for a group of that name and waits until its pods are counted.
func (r *run) budget(group string, minAvailable int) {
	r.Helper()
	r.must(r.plane.Admin.Create(r.budgets(), map[string]any{"apiVersion": "policy/v1", "kind": "PodDisruptionBudget",
		"metadata": map[string]any{"name": group},
		"spec": map[string]any{"minAvailable": minAvailable,
			"selector": map[string]any{"matchLabels": map[string]string{"sakkara.group.name": group}}}}, nil))
	r.poll("the budget is counted", func() bool {
		var budget struct{ Status struct{ CurrentHealthy int } }
		return r.plane.Admin.Get(r.budgets()+"/"+group, &budget) == nil && budget.Status.CurrentHealthy == minAvailable
	})
}

// TestPreemption_BudgetsAreKept: A gang whose PodDisruptionBudget lets nobody go is no victim: the next one
// goes. Once the budget is gone, that one takes the room of the first.
func TestPreemption_BudgetsAreKept(t *testing.T) {
	nodes, tree := racks([]int{4}, []int{4})
	r := start(t, nodes, options{})
	r.topology(tree)
	low, _ := crowd(t, r)
	r.budget("low", 4)
	r.top()
	r.wait(usual, "top is bound", r.allBound("top", 4))
	r.wait(usual, "low was left alone", r.untouched("low", low))
	r.must(r.plane.Admin.Delete(r.budgets() + "/low"))
	r.wait(usual, "mid is bound again", r.allBound("mid", 4))
	// Which of the new pods is which depends on the order in which the old ones went.
	for _, group := range []string{"mid", "low"} {
		r.must(r.plane.Admin.Delete("/apis/apps/v1/namespaces/" + r.ns + "/replicasets/" + group))
		r.removeGroup(group)
	}
}

// TestPreemption_SurvivesADaemonThatDies: Killed in the middle of its evictions, the daemon goes on with the same
// victims after a restart and evicts nobody else.
func TestPreemption_SurvivesADaemonThatDies(t *testing.T) {
	nodes, tree := racks([]int{4}, []int{4})
	r := start(t, nodes, options{})
	r.anyEvents("some die with the daemon")
	r.topology(tree)
	low, mid := crowd(t, r)
	died := make(chan struct{})
	n := 0
	r.proxy.Before(func(w *cluster.Write) bool {
		if w.Is("POST", "/eviction") {
			n++
		}
		return n == 2
	}, func() {
		r.daemon.Kill()
		close(died)
	})
	r.top()
	<-died
	r.must(r.daemon.Start())
	r.wait(usual, "top is bound", r.allBound("top", 4))
	r.wait(usual, "mid was left alone", r.untouched("mid", mid))
	r.rec.Look(func(v *cluster.View) {
		for _, pod := range v.Pods(r.ns, of("low")) {
			if low[pod.UID] {
				t.Errorf("%s is there still", pod.Name)
			}
		}
	})
}

// TestPreemption_AForcedDeletionIsMarked: With preemptForceAfter, victims that a PodDisruptionBudget keeps from being evicted
// for that long are deleted, each with a condition DisruptionTarget that says why, and not before. The default waits.
func TestPreemption_AForcedDeletionIsMarked(t *testing.T) {
	nodes, tree := racks([]int{4}, []int{4})
	wanted := options{daemon: cluster.DaemonOptions{Settings: map[string]string{"preemptForceAfter": "2s"}}}
	if !onSandbox { // it knows no roles
		wanted.roles = []string{"testdata/delete-pods.yaml"}
	}
	r := start(t, nodes, wanted)
	r.Cleanup(func() {
		for range wanted.roles { // other scenarios go without
			r.must(r.plane.Admin.Delete("/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/sakkara-delete-pods"))
		}
	})
	r.topology(tree)
	low, mid := crowd(t, r)
	var once sync.Once
	for range len(low) { // it gets tighter when the victims are chosen: none of the first evictions comes before it
		r.proxy.Before(func(w *cluster.Write) bool { return w.Is("POST", "/eviction") }, func() {
			once.Do(func() { r.budget("low", 4) })
		})
	}
	r.top()
	r.wait(usual, "top is bound", r.allBound("top", 4))
	r.wait(usual, "mid was left alone", r.untouched("mid", mid))
	evictions := r.proxy.Count(func(w *cluster.Write) bool { return w.Is("POST", "/eviction") })
	deletions := r.proxy.Count(func(w *cluster.Write) bool { return w.Method == "DELETE" && contains(w.Path, "/pods/") })
	if evictions != 0 || deletions != len(low) {
		t.Errorf("%d evictions were granted, %d pods deleted", evictions, deletions)
	}
	marked := map[string]bool{}
	for _, change := range r.rec.History() {
		if change.Pod != nil && low[change.Pod.UID] {
			if target := change.Pod.Condition("DisruptionTarget"); target != nil && target.Reason == "PreemptionByScheduler" {
				marked[change.Pod.UID] = true
			}
		}
	}
	if len(marked) != len(low) {
		t.Errorf("%d of %d victims were marked", len(marked), len(low))
	}
	r.must(r.plane.Admin.Delete(r.budgets() + "/low"))
	// Which of the new pods is which depends on the order in which the old ones went.
	r.must(r.plane.Admin.Delete("/apis/apps/v1/namespaces/" + r.ns + "/replicasets/low"))
	r.removeGroup("low")
}
