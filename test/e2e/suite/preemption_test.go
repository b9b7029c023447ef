// SPDX-License-Identifier: Apache-2.0

package suite

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

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

// TestElastic_TakesTheStepsThatFitAndGivesThemFirst: A group with minimum 2 and steps of 2 takes the steps that have
// room. A gang of higher priority evicts one step of it, and no gang of a lower priority. The group stays bound.
func TestElastic_TakesTheStepsThatFitAndGivesThemFirst(t *testing.T) {
	bothWays(t, func(t *testing.T, withGate bool) {
		r := startRacks(t, options{}, []int{4, 3}, []int{2})
		r.anyRetries("they count from the creation of a pod")
		for _, name := range []string{"low", "e"} {
			r.anyMoment(name, "its numbers are those of the moment at which it was looked at")
		}
		r.groupMap("low", map[string]string{"size": "2", "priority": "1"})
		r.replicas("low", 2)
		r.wait(usual, "low runs", r.podsRunning("low", 2))
		low := r.uids("low")
		r.members("e", 8, gate(withGate)) // a controller would give its pods other names on each plane
		r.wait(usual, "all pods of e are there, so that the first plan sees them in one order", func(v *cluster.View) error {
			if n := len(v.Pods(r.ns, of("e"))); n != 8 {
				return fmt.Errorf("%d pods", n)
			}
			return nil
		})
		r.groupMap("e", map[string]string{"size": "8", "minimum": "2", "step": "2", "priority": "3"})
		bound := func(want int) func(*cluster.View) error {
			return func(v *cluster.View) error {
				n := 0
				for _, pod := range v.Pods(r.ns, of("e")) {
					if pod.Live() && pod.Bound() {
						n++
					}
				}
				if status := r.statusOf(v, "e"); n != want || status != "Bound" {
					return fmt.Errorf("%d bound, status %q", n, status)
				}
				return nil
			}
		}
		r.wait(usual, "e has three whole steps of seven slots", bound(6))
		r.groupMap("top", map[string]string{"size": "2", "priority": "10"})
		r.members("top", 2, gate(withGate))
		r.wait(usual, "top is bound", r.allBound("top", 2))
		r.wait(usual, "e gave one step", bound(4))
		r.wait(usual, "its ranks are those of four", func(v *cluster.View) error {
			if rank := v.Map(r.ns, "e").Data["rank"]; rank != "[(e-0,0) (e-1,1) (e-2,2) (e-3,3)]" {
				return fmt.Errorf("rank %s", rank)
			}
			return nil
		})
		r.wait(usual, "low was left alone", r.untouched("low", low))
	})
}

// TestD36_TheGangOfTheLeastPriorityGivesWay: A gang that fits nowhere pushes out the running gang of the least
// priority, whole, through the Eviction API, and no other pod; both sides say so. What the victim's controller makes anew waits,
// and is a new start once there is room.
func TestD36_TheGangOfTheLeastPriorityGivesWay(t *testing.T) {
	bothWays(t, func(t *testing.T, withGate bool) {
		r := startRacks(t, options{}, []int{4}, []int{4})
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

// TestD40_BudgetsAreKept: A gang whose PodDisruptionBudget lets nobody go is no victim: the next one
// goes. Once the budget is gone, that one takes the room of the first.
func TestD40_BudgetsAreKept(t *testing.T) {
	r := startRacks(t, options{}, []int{4}, []int{4})
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

// TestD49_PreemptionSurvivesADaemonThatDies: Killed in the middle of its evictions, the daemon goes on with the same
// victims after a restart and evicts nobody else.
func TestD49_PreemptionSurvivesADaemonThatDies(t *testing.T) {
	r := startRacks(t, options{}, []int{4}, []int{4})
	r.anyEvents("some die with the daemon")
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
	r.wait(usual, "low is complete again and waits", r.reason("low", "Ready", "WaitingForCapacity"))
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

// evictions that the API server has granted so far.
func (r *run) evictions() int {
	return r.proxy.Count(func(w *cluster.Write) bool { return w.Is("POST", "/eviction") })
}

// running creates a gang of a priority and waits for it.
func (r *run) running(name string, size, priority int, changes ...change) map[string]bool {
	r.Helper()
	r.groupMap(name, map[string]string{"name": name, "size": fmt.Sprint(size), "priority": fmt.Sprint(priority), "constraints": `{"rack":{"hard":true}}`})
	r.members(name, size, append([]change{gated}, changes...)...)
	r.wait(usual, name+" runs", r.podsRunning(name, size))
	return r.uids(name)
}

// TestD37_NobodyIsEvictedWithoutNeedOrUse: While there is room, and where not even all victims together would make enough, a gang of
// high priority evicts nobody and is never reported as Preempting.
func TestD37_NobodyIsEvictedWithoutNeedOrUse(t *testing.T) {
	r := startRacks(t, options{}, []int{4}, []int{4})
	r.anyRetries("they count from the creation of a pod")
	low := r.running("low", 4, 1)
	top := r.running("top", 4, 10) // there is room: no need
	r.groupMap("wide", map[string]string{"name": "wide", "size": "8", "priority": "5"})
	r.members("wide", 8, gated) // top does not give way, and low is not enough: no use
	r.wait(usual, "it waits for capacity", r.reason("wide", "Ready", "WaitingForCapacity"))
	r.quiet(2*time.Second, "nobody has to go", func(v *cluster.View) error {
		if status := r.statusOf(v, "wide"); status == "Preempting" || r.evictions() > 0 {
			return fmt.Errorf("%s, %d evictions", status, r.evictions())
		}
		return nil
	})
	r.wait(usual, "low was left alone", r.untouched("low", low))
	r.wait(usual, "top was left alone", r.untouched("top", top))
	r.wait(usual, "its members say that they wait", r.labelled("wide", 8, "Ready"))
}

// TestD38_TheComputedNodesAreKept: Victims that terminate for long are waited for: no further ones are chosen, and the gang goes to
// the nodes of the plan that named them.
func TestD38_TheComputedNodesAreKept(t *testing.T) {
	r := startRacks(t, options{}, []int{4}, []int{4})
	r.anyRetries("they count from the creation of a pod")
	r.anyMoment("low", "its numbers are those of the moment at which it was looked at")
	low := r.running("low", 4, 1, func(pod *cluster.Pod) { pod.Finalizers = []string{"example.com/lingers"} })
	mid := r.running("mid", 4, 2)
	r.Cleanup(func() { r.letGo("low", 4) })
	r.groupMap("top", map[string]string{"name": "top", "size": "4", "priority": "10"})
	r.members("top", 4, gated)
	terminating := func(pod *cluster.Pod) bool {
		return cluster.GroupOf(pod) == "low" && pod.DeletionTimestamp != nil
	}
	r.wait(usual, "all victims terminate", func(v *cluster.View) error {
		if n := len(v.Pods(r.ns, terminating)); n != len(low) {
			return fmt.Errorf("%d do", n)
		}
		return nil
	})
	planned := r.nodesOfPlan("top")
	r.quiet(2*time.Second, "they are waited for", func(v *cluster.View) error {
		if n := len(v.Pods(r.ns, terminating)); n != len(low) || r.evictions() > len(low) {
			return fmt.Errorf("%d victims, %d evictions", n, r.evictions())
		}
		return r.noneBound("top")(v)
	})
	r.letGo("low", 4)
	r.wait(usual, "top is bound", r.allBound("top", 4))
	r.wait(usual, "mid was left alone", r.untouched("mid", mid))
	if placed := r.placed("top"); placed != planned {
		t.Errorf("placed on %s, planned on %s", placed, planned)
	}
	if n := r.evictions(); n != len(low) {
		t.Errorf("%d evictions", n)
	}
}

// letGo drops the finalizers of a group's pods.
func (r *run) letGo(group string, n int) {
	for i := range n {
		_ = r.plane.Admin.MergePatch(r.podPath(fmt.Sprintf("%s-%d", group, i)), `{"metadata":{"finalizers":null}}`)
	}
}

// nodesOfPlan waits for the plan: maps are shown by a watch of their own, which may come behind that of the pods.
func (r *run) nodesOfPlan(group string) (text string) {
	r.Helper()
	r.wait(usual, "the plan of "+group+" shows", func(v *cluster.View) error {
		plan := cluster.PlanOf(&v.Map(r.ns, group).Meta)
		if plan == nil {
			return errors.New("it has none")
		}
		text = countText(plan.Nodes)
		return nil
	})
	return text
}

// TestD39_VictimsWithPendingMembersDoEmpty: A victim of which three members run and one waits gives way as a whole, and what is left of
// it is a group that waits for members.
func TestD39_VictimsWithPendingMembersDoEmpty(t *testing.T) {
	r := startRacks(t, options{}, []int{3}, []int{3})
	r.anyRetries("they count from the creation of a pod")
	r.anyMoment("low", "its numbers are those of the moment at which it was looked at")
	r.running("low", 3, 1)
	mid := r.running("mid", 3, 2)
	r.must(r.plane.Admin.MergePatch(r.mapPath("low"), `{"data":{"size":"4"}}`))
	r.create(r.pod("low-3", label("sakkara.group.name", "low"), gated)) // no room for it
	r.wait(usual, "one member waits", r.reason("low", "Bound", "NeverFits"))
	r.groupMap("top", map[string]string{"name": "top", "size": "3", "priority": "10"})
	r.members("top", 3, gated)
	r.wait(usual, "top is bound", r.allBound("top", 3))
	r.wait(usual, "what is left of low waits for members", r.reason("low", "Waiting", "MembersMissing"))
	r.wait(usual, "mid was left alone", r.untouched("mid", mid))
	if n := r.evictions(); n != 3 {
		t.Errorf("%d evictions", n)
	}
}

// TestD41_VictimSearchIgnoresIneligibleNodes: Gangs on nodes that are closed to the one that lacks room are no victims.
func TestD41_VictimSearchIgnoresIneligibleNodes(t *testing.T) {
	nodes, tree := racks([]int{4}, []int{4})
	nodes[0].Spec.Taints = []cluster.Taint{{Key: "special", Effect: "NoSchedule"}}
	r := start(t, nodes, options{})
	r.anyRetries("they count from the creation of a pod")
	r.topology(tree)
	high := r.running("high", 4, 20) // the only node that is open to all
	low := r.running("low", 4, 1, tolerating)
	r.groupMap("top", map[string]string{"name": "top", "size": "4", "priority": "10"})
	r.members("top", 4, gated)
	r.wait(usual, "it waits for capacity", r.reason("top", "Ready", "WaitingForCapacity"))
	r.quiet(2*time.Second, "nobody has to go", func(*cluster.View) error {
		if n := r.evictions(); n > 0 {
			return fmt.Errorf("%d evictions", n)
		}
		return nil
	})
	r.wait(usual, "low was left alone", r.untouched("low", low))
	r.wait(usual, "high was left alone", r.untouched("high", high))
	r.wait(usual, "its members say that they wait", r.labelled("top", 4, "Ready"))
}

// TestD42_ReplacementsOfVictimsDoNotSteal: Pods that a victim's controller makes at once, and that kube-scheduler may ask about at once,
// wait: the room is that of the gang which the victims left for.
func TestD42_ReplacementsOfVictimsDoNotSteal(t *testing.T) {
	r := startRacks(t, options{}, []int{4})
	r.anyRetries("they count from the creation of a pod")
	r.groupMap("low", map[string]string{"name": "low", "size": "4", "priority": "1"})
	r.replicas("low", 4)
	r.wait(usual, "low runs", r.podsRunning("low", 4))
	before := r.uids("low")
	r.groupMap("top", map[string]string{"name": "top", "size": "4", "priority": "10"})
	r.members("top", 4, gated)
	r.wait(usual, "top is bound", r.allBound("top", 4))
	r.wait(usual, "all pods of low are new ones that wait", func(v *cluster.View) error {
		pods := v.Pods(r.ns, of("low"))
		for _, pod := range pods {
			if before[pod.UID] || pod.Bound() {
				return fmt.Errorf("%s is there", pod.Name)
			}
		}
		if len(pods) != 4 {
			return fmt.Errorf("%d pods", len(pods))
		}
		return nil
	})
	for _, change := range r.rec.History() {
		if pod := change.Pod; pod != nil && of("low")(pod) && !before[pod.UID] && pod.Bound() {
			t.Errorf("%s took the room", pod.Name)
		}
	}
	// Which of the new pods is which depends on the order in which the old ones went.
	r.must(r.plane.Admin.Delete("/apis/apps/v1/namespaces/" + r.ns + "/replicasets/low"))
	r.removeGroup("low")
}

// TestPreemption_APartnerOfThePreemptorStays: The only pods that a gang of high priority may run beside fill the room that it
// needs. It evicts no pod, and the gang of these pods runs on.
func TestPreemption_APartnerOfThePreemptorStays(t *testing.T) {
	r := startRacks(t, options{}, []int{4}, []int{4})
	r.anyRetries("they count from the creation of a pod")
	low := r.running("low", 4, 1, label("app", "cache"))
	mid := r.running("mid", 4, 20)
	r.groupMap("top", map[string]string{"name": "top", "size": "2", "priority": "10"})
	r.members("top", 2, gated, affine("podAffinity", "cache", "kubernetes.io/hostname"))
	r.wait(usual, "it waits for capacity", r.reason("top", "Ready", "WaitingForCapacity"))
	r.quiet(3*time.Second, "nobody has to go", func(v *cluster.View) error {
		if status := r.statusOf(v, "top"); status == "Preempting" || r.evictions() > 0 {
			return fmt.Errorf("%s, %d evictions", status, r.evictions())
		}
		return nil
	})
	r.wait(usual, "low was left alone", r.untouched("low", low))
	r.wait(usual, "mid was left alone", r.untouched("mid", mid))
}

// TestPreemption_TwoGangsTakeTheRoomOfOneVictim: The room of one victim of three is enough for two gangs that come together.
// The second one is planned while the first plan is on its way to the API server, and evicts no other pod.
func TestPreemption_TwoGangsTakeTheRoomOfOneVictim(t *testing.T) {
	r := startRacks(t, options{}, []int{4, 4}, []int{4, 4}, []int{4, 4})
	r.anyRetries("they count from the creation of a pod")
	r.anyNode("together", "room frees in any order")
	for i := range 3 {
		r.running(fmt.Sprint("low-", i), 8, 1)
	}
	r.groupMap("apart", map[string]string{"name": "apart", "size": "2", "priority": "10", "constraints": `{"node":{"type":"spread","hard":true}}`})
	r.groupMap("together", map[string]string{"name": "together", "size": "4", "priority": "9"})
	r.members("apart", 2, gated)
	r.members("together", 4, gated)
	r.wait(usual, "the first is bound", r.allBound("apart", 2))
	r.wait(usual, "the second is bound", r.allBound("together", 4))
	r.wait(usual, "the victim has said its last word", func(v *cluster.View) error {
		want := "group low-0 gives way to group " + r.ns + "/apart, 0 of its pods are left"
		if message := v.Map(r.ns, "low-0").Data["message"]; message != want {
			return fmt.Errorf("message %q", message)
		}
		return nil
	})
	if n := r.evictions(); n != 8 {
		t.Errorf("%d evictions", n)
	}
}
