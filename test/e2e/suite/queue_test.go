// SPDX-License-Identifier: Apache-2.0

package suite

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"sakkara/test/e2e/suite/cluster"
)

// Which group comes first, what it counts with, and that it does so the same way each time.

// TestD26_TheOrderOfGroupsIsTotal: Four groups of one name in four namespaces wait for room of one: they come by priority, and
// of equal ones by namespace, whatever the order in which they were created.
func TestD26_TheOrderOfGroupsIsTotal(t *testing.T) {
	r := startRacks(t, options{paused: true}, []int{1})
	r.anyRetries("a group is tried each time that room gets free")
	first, second, third := r.namespace("z"), r.namespace("a"), r.namespace("b")
	for _, group := range []struct {
		namespace string
		priority  int
	}{{r.ns, -3}, {third, 1}, {first, 7}, {second, 1}} {
		path := "/api/v1/namespaces/" + group.namespace
		r.must(r.plane.Admin.Create(path+"/configmaps", soloMap("g", group.priority), nil))
		pod := r.pod("g-0", label("sakkara.group.name", "g"), gated)
		pod.Namespace = group.namespace
		r.must(r.plane.Admin.Create(path+"/pods", pod, nil))
	}
	r.begin()
	for i, turn := range []string{first, second, third, r.ns} {
		r.wait(usual, "the next one is bound", func(v *cluster.View) error {
			if !v.Pod(turn, "g-0").Bound() {
				return fmt.Errorf("the one in %s is not", turn)
			}
			return nil
		})
		if i < 3 {
			r.must(r.plane.Admin.Delete("/api/v1/namespaces/" + turn + "/pods/g-0"))
		}
	}
	var order []string
	for _, change := range r.rec.History() {
		if pod := change.Pod; pod != nil && pod.Bound() && !change.Deleted {
			if n := len(order); n == 0 || order[n-1] != pod.Namespace {
				order = append(order, pod.Namespace)
			}
		}
	}
	if got, want := strings.Join(order, " "), strings.Join([]string{first, second, third, r.ns}, " "); got != want {
		t.Errorf("bound in the order %s, want %s", got, want)
	}
	r.wait(usual, "the last one says so", r.allBound("g", 1))
}

func soloMap(name string, priority int) *cluster.ConfigMap {
	return &cluster.ConfigMap{Meta: cluster.Meta{Name: name, Labels: map[string]string{"sakkara.group": ""}},
		Data: map[string]string{"name": name, "size": "1", "priority": fmt.Sprint(priority)}}
}

// TestD27_PodGroupsAreOrderedLikeOtherGroups: Of two PodGroups with room for one, that whose pods have the higher
// priority class is bound, although the other one came first.
func TestD27_PodGroupsAreOrderedLikeOtherGroups(t *testing.T) {
	r := startRacks(t, options{paused: true}, []int{3})
	r.anyRetries("a group is tried each time that room gets free")
	r.anyMoment("low", "its numbers are those of the moment at which it was looked at")
	for i, name := range []string{"low", "high"} {
		class := r.createClass(r.ns+"-"+name, 1+4*i)
		r.podGroup(name, 3)
		r.podGroupMembers(name, 3, gated, func(pod *cluster.Pod) { pod.Spec.PriorityClass = class })
	}
	r.begin()
	r.wait(usual, "the higher priority is bound", r.allBound("high", 3))
	r.wait(usual, "the lower one waits for room", func(v *cluster.View) error {
		if reason := v.PodGroup(r.ns, "low").Annotations["sakkara.reason"]; reason != "WaitingForCapacity" {
			return fmt.Errorf("reason %q", reason)
		}
		return r.noneBound("low")(v)
	})
}

// TestD43_AnOvercommittedNodeCountsAsFull: Eight pods of one CPU that somebody put on a node of five take nothing from its
// neighbour: a gang of five has all of that one.
func TestD43_AnOvercommittedNodeCountsAsFull(t *testing.T) {
	nodes, tree := racks([]int{5, 5})
	r := start(t, nodes, options{paused: true})
	r.rec.Overfull = []string{"node-0"}
	r.fill("node-0", 8)
	r.begin()
	r.topology(tree)
	r.gang("g", 5, "", gated)
	r.wait(usual, "bound", r.allBound("g", 5))
	r.expectPlaced("g", "node-1:5")
}

// TestD44_UnlikeRequestsAreNoticed: Two members share a role that rules name. The one that asks for twice as much is what both
// are taken for: two nodes of three CPUs take one member each. The map's conditions name the pod and the resource.
func TestD44_UnlikeRequestsAreNoticed(t *testing.T) {
	r := startRacks(t, options{}, []int{3, 3})
	r.group("g", 2, `{"roles":{"worker":{"node":{}}}}`)
	in, worker := label("sakkara.group.name", "g"), annotation("sakkara.group.role", "worker")
	r.create(r.pod("g-0", in, worker, gated), r.pod("g-1", in, worker, gated, cpu("2")))
	r.wait(usual, "bound", r.allBound("g", 2))
	r.expectPlaced("g", "node-0:1 node-1:1")
	r.wait(usual, "the odd one is named", func(v *cluster.View) error {
		conditions := v.Map(r.ns, "g").Data["conditions"]
		for _, part := range []string{"PodsNotHomogeneous", "g-1", "CPU"} {
			if !contains(conditions, part) {
				return fmt.Errorf("%s is not in %s", part, conditions)
			}
		}
		return nil
	})
}

// TestD45_OurOwnWritesCauseNoPlanning: From its first pod to its end a gang is planned once: what the daemon writes about it is
// no reason to look again.
func TestD45_OurOwnWritesCauseNoPlanning(t *testing.T) {
	r := startRacks(t, options{}, []int{4, 4})
	r.gang("g", 8, "", gated)
	r.wait(usual, "bound", r.allBound("g", 8))
	r.rec.Settle(300*time.Millisecond, usual)
	_, page := r.daemon.AdminGet("/metrics")
	for result, want := range map[string]int{"planned": 1, "infeasible": 0, "stale": 0, "error": 0} {
		if line := fmt.Sprintf("sakkara_group_attempts_total{result=%q} %d\n", result, want); !contains(page, line) {
			t.Errorf("the metrics do not say %s", line)
		}
	}
}

// TestD46_StrictPatchesWork: The first thing that the daemon writes into a map that has no status yet is a merge patch with the
// version that it has seen, and the API server takes it.
func TestD46_StrictPatchesWork(t *testing.T) {
	r := startRacks(t, options{}, []int{4, 4})
	r.gang("g", 2, "", gated)
	r.wait(usual, "bound", r.allBound("g", 2))
	for _, write := range r.proxy.Writes() {
		if write.Is("PATCH", "/configmaps/g") {
			body := strings.ReplaceAll(write.Body, " ", "")
			if write.Type != "application/merge-patch+json" || write.Status != 200 || !contains(body, `"resourceVersion":"`) || !contains(body, `"status":"`) {
				t.Errorf("the first write: %s %d %s", write.Type, write.Status, write.Body)
			}
			return
		}
	}
	t.Error("the map was never written")
}

// TestD48_PlacementIsDeterministic: On nodes of several sizes, some of them loaded, a gang that goes and comes again is placed and ranked as
// it was, by the same daemon and by one that has just started.
func TestD48_PlacementIsDeterministic(t *testing.T) {
	nodes, tree := racks([]int{3, 1, 2}, []int{2, 3, 1}, []int{1, 2, 3})
	r := start(t, nodes, options{paused: true})
	r.fill("node-0", 1)
	r.fill("node-4", 1)
	r.begin()
	r.topology(tree)
	var before string
	for round := range 3 {
		r.gang("g", 8, `{"rack":{"type":"spread"}}`, gated)
		r.wait(usual, "bound", r.allBound("g", 8))
		now := ""
		r.rec.Look(func(v *cluster.View) { now = v.Map(r.ns, "g").Data["placement"] + " " + v.Map(r.ns, "g").Data["rank"] })
		if round > 0 && now != before {
			t.Errorf("round %d: %s, before %s", round, now, before)
		}
		before = now
		switch round {
		case 0:
			r.removeGroup("g")
		case 1:
			r.removeGroup("g")
			r.daemon.Kill()
			r.must(r.daemon.Start())
		}
	}
}

// TestD50_FailedGroupsHoldNoCapacity: A gang of eight with room for seven holds none of it: a gang of seven that comes after it is bound
// at once.
func TestD50_FailedGroupsHoldNoCapacity(t *testing.T) {
	nodes, tree := racks([]int{4, 4})
	r := start(t, nodes, options{paused: true})
	r.fill("node-0", 1)
	r.begin()
	r.anyRetries("a group is tried each time that room gets free")
	r.anyMoment("eight", "its numbers are those of the moment at which it was looked at")
	r.topology(tree)
	r.gang("eight", 8, "", gated)
	r.wait(usual, "it waits for room", r.reason("eight", "Ready", "WaitingForCapacity"))
	r.gang("seven", 7, "", gated)
	r.wait(usual, "the other one has all of it", r.allBound("seven", 7))
	r.wait(usual, "nobody of the first is bound", r.noneBound("eight"))
	r.wait(usual, "it waits for room still", r.reason("eight", "Ready", "WaitingForCapacity"))
}

// TestQueue_APlanWaitsForItsTurnInALongQueue: Some hundred members without a gate, which fit on no node together, stand in
// kube-scheduler's queue before a gang of four. That is planned once, keeps its plan until kube-scheduler comes to its members,
// and is bound then. Nothing says meanwhile that kube-scheduler refuses a node or ignores a pod.
func TestQueue_APlanWaitsForItsTurnInALongQueue(t *testing.T) {
	const hopeless, each = 500, 80 * time.Millisecond
	nodes, tree := racks([]int{4, 4}, []int{4, 4})
	r := start(t, nodes, options{paused: true})
	r.anyRetries("kube-scheduler tries members without a gate")
	r.anyMoment("before", "kube-scheduler still goes through its members")
	r.topology(tree)
	r.gang("before", hopeless, "")
	r.tap.Slow(each)
	r.begin()
	r.gang("late", 4, "")
	r.wait(2*usual, "the gang is bound", r.bound(numbered("late", 0, 4)...))
	calls := r.tap.Calls()
	before := map[string]bool{}
	for _, call := range calls {
		if call.Verb == "filter" && strings.HasPrefix(call.Pod, "late-") {
			break
		}
		before[call.Pod] = true
	}
	t.Logf("%d pods were asked about before the gang, %d calls in all", len(before), len(calls))
	if len(before) < hopeless/2 {
		t.Errorf("only %d pods were asked about before the gang", len(before))
	}
	r.tap.Slow(0)
	plans := map[string]bool{}
	for _, change := range r.rec.History() {
		if change.Plan != nil && strings.HasSuffix(change.Source, "/late") {
			plans[change.Plan.ID] = true
		}
	}
	if len(plans) != 1 {
		t.Errorf("the gang was planned %d times", len(plans))
	}
	r.neverRefused("late")
}

// TestQueue_APlanOutlivesARestartOfKubeScheduler: kube-scheduler starts again while a gang waits for its turn in a long queue. It
// tries all pods anew, in another order: pods that came later go first. Nothing says that it passed the gang, whose plan stays.
func TestQueue_APlanOutlivesARestartOfKubeScheduler(t *testing.T) {
	const hopeless, each, waits = 300, 80 * time.Millisecond, 8 * time.Second
	nodes, tree := racks([]int{4, 4}, []int{4, 4})
	r := start(t, nodes, options{paused: true})
	r.anyRetries("kube-scheduler tries members without a gate")
	r.anyMoment("before", "kube-scheduler still goes through its members")
	r.topology(tree)
	r.gang("before", hopeless, "")
	r.tap.Slow(each)
	r.begin()
	r.gang("late", 4, "")
	time.Sleep(waits)
	r.create(r.pod("after"))
	time.Sleep(waits)
	r.must(r.scheduler.Kill())
	r.startScheduler()
	r.wait(2*usual, "the gang is bound", r.bound(numbered("late", 0, 4)...))
	r.tap.Slow(0)
	r.wait(usual, "the pod that came later is bound", r.bound("after"))
	r.neverRefused("late")
}

// neverRefused: no Event says that the group is not placed.
func (r *run) neverRefused(group string) {
	r.Helper()
	var events cluster.List[struct{ Reason, Note, Message string }]
	r.must(r.plane.Admin.Get("/api/v1/namespaces/"+r.ns+"/events", &events))
	for _, event := range events.Items {
		if strings.Contains(event.Message, "group "+group+" is not placed") {
			r.Errorf("an Event says: %s", event.Message)
		}
	}
}
