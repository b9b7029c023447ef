// SPDX-License-Identifier: Apache-2.0

package suite

import (
	"fmt"
	"testing"
	"time"

	"sakkara/test/e2e/suite/cluster"
)

// What happens to a plan between its commit and the point of no return. The tests stop a group there by
// keeping bind calls of some members from reaching the daemon.

// hold lets the first bind calls of a group through, so many as parked says, and keeps the others back.
func (r *run) hold(group string, parked int) (release func()) {
	r.Helper()
	seen := 0
	release = r.tap.HoldBind(func(call *cluster.Call) bool {
		if call.Namespace != r.ns || !hasPrefix(call.Pod, group) {
			return false
		}
		seen++
		return seen > parked
	})
	r.Cleanup(release)
	return release
}

// waitVotes waits until n different members of a group have asked to be bound.
func (r *run) waitVotes(group string, n int) {
	r.Helper()
	r.waitCalls(fmt.Sprintf("%d members of %s ask to be bound", n, group), func(calls []cluster.Call) bool {
		asked := map[string]bool{}
		for _, call := range calls {
			if call.Verb == "bind" && hasPrefix(call.Pod, group) {
				asked[call.UID] = true
			}
		}
		return len(asked) >= n
	})
}

// planOf is the id of the plan that a group has, once the recorder has seen one.
func (r *run) planOf(group string) (id string) {
	r.Helper()
	r.wait(usual, group+" has a plan", func(v *cluster.View) error {
		plan := cluster.PlanOf(&v.Map(r.ns, group).Meta)
		if plan == nil {
			return fmt.Errorf("none")
		}
		id = plan.ID
		return nil
	})
	return id
}

func hasPrefix(pod, group string) bool {
	return len(pod) > len(group) && pod[:len(group)+1] == group+"-"
}

// TestD5_PlannedNodeTaintedMeansANewPlan: A taint on a planned node while members are held sends the whole
// gang elsewhere.
func TestD5_PlannedNodeTaintedMeansANewPlan(t *testing.T) {
	bothWays(t, func(t *testing.T, withGate bool) {
		r := startRacks(t, options{}, []int{4, 4}, []int{4, 4})
		release := r.hold("g", 3)
		r.gang("g", 8, `{"rack":{"hard":true}}`, gate(withGate))
		r.waitVotes("g", 8)
		r.must(r.plane.Admin.MergePatch("/api/v1/nodes/node-0", `{"spec":{"taints":[{"key":"broken","effect":"NoSchedule"}]}}`))
		r.wait(usual, "the whole gang is planned elsewhere", func(v *cluster.View) error {
			plan := cluster.PlanOf(&v.Map(r.ns, "g").Meta)
			if plan == nil || plan.Nodes["node-2"] != 4 || plan.Nodes["node-3"] != 4 {
				return fmt.Errorf("plan %+v", plan)
			}
			return r.noneBound("g")(v)
		})
		release()
		r.wait(usual, "bound", r.allBound("g", 8))
		r.expectPlaced("g", "node-2:4 node-3:4")
	})
}

// TestD6_MapDeletedMidFlightBindsNobody: Deleting the map while members are held binds nobody and clears
// every trace; a new map places them.
func TestD6_MapDeletedMidFlightBindsNobody(t *testing.T) {
	bothWays(t, func(t *testing.T, withGate bool) {
		r := startRacks(t, options{}, []int{4, 4})
		release := r.hold("g", 5)
		r.gang("g", 8, "", gate(withGate))
		r.waitVotes("g", 8)
		r.must(r.plane.Admin.Delete(r.mapPath("g")))
		r.wait(usual, "no member is nominated or planned any more", func(v *cluster.View) error {
			for _, pod := range v.Pods(r.ns, of("g")) {
				if pod.Status.NominatedNodeName != "" || pod.Annotations["sakkara.plan"] != "" || pod.Bound() {
					return fmt.Errorf("pod %s: %+v", pod.Name, pod)
				}
			}
			return nil
		})
		release()
		r.quiet(3*time.Second, "nobody is bound", r.noneBound("g"))
		// A map created again places them.
		r.group("g", 8, "")
		r.wait(usual, "bound by the new map", r.allBound("g", 8))
	})
}

// TestD7_LoweringSizeMidFlightReleasesNoPartialGang: A smaller size while members are held makes a new plan,
// and exactly that many are bound.
func TestD7_LoweringSizeMidFlightReleasesNoPartialGang(t *testing.T) {
	bothWays(t, func(t *testing.T, withGate bool) {
		r := startRacks(t, options{}, []int{4, 4})
		release := r.hold("g", 4)
		for i := range 8 {
			r.create(r.pod(fmt.Sprintf("g-%d", i), label("sakkara.group.name", "g"), gate(withGate)))
		}
		// Who has been tried is told its seat before its Binding, so that the four that are left show it.
		r.wait(usual, "kube-scheduler has seen all", r.told("", numbered("g", 0, 8)...))
		r.group("g", 8, "")
		r.waitVotes("g", 8)
		old := r.planOf("g")
		r.must(r.plane.Admin.MergePatch(r.mapPath("g"), `{"data":{"size":"4"}}`))
		r.wait(usual, "the old plan is gone", func(v *cluster.View) error {
			if plan := cluster.PlanOf(&v.Map(r.ns, "g").Meta); plan != nil && plan.ID == old {
				return fmt.Errorf("%+v", plan)
			}
			return nil
		})
		release()
		r.wait(usual, "exactly the first four are bound", func(v *cluster.View) error {
			for i := range 8 {
				if pod := v.Pod(r.ns, fmt.Sprintf("g-%d", i)); pod.Bound() != (i < 4) {
					return fmt.Errorf("%s: bound %v", pod.Name, pod.Bound())
				}
			}
			return r.reason("g", "Bound", "")(v)
		})
		r.wait(usual, "the others are asked again now that it is bound",
			r.told("1 Insufficient cpu, 1 sakkara: pod is beyond the size of its group", numbered("g", 4, 8)...))
	})
}

// TestMemberDeletedWhileParkedSendsTheGangBack: A member deleted while the others are held sends them all
// back to waiting.
func TestMemberDeletedWhileParkedSendsTheGangBack(t *testing.T) {
	bothWays(t, func(t *testing.T, withGate bool) {
		r := startRacks(t, options{}, []int{4, 4})
		release := r.hold("g", 7)
		r.gang("g", 8, "", gate(withGate))
		r.waitVotes("g", 8)
		r.must(r.plane.Admin.Delete(r.podPath("g-0")))
		r.wait(usual, "the group waits for members", r.reason("g", "Waiting", "MembersMissing"))
		release()
		r.quiet(2*time.Second, "nobody is bound", r.noneBound("g"))
		r.create(r.pod("g-0", label("sakkara.group.name", "g"), gate(withGate)))
		r.wait(usual, "bound", r.allBound("g", 8))
	})
}

// TestSchedulerKilledWhileHolding: A scheduler killed while members are held binds nobody; the next one
// finishes the same plan.
func TestSchedulerKilledWhileHolding(t *testing.T) {
	bothWays(t, func(t *testing.T, withGate bool) {
		r := startRacks(t, options{}, []int{4, 4}, []int{4, 4})
		release := r.hold("g", 7)
		r.gang("g", 8, "", gate(withGate))
		r.waitVotes("g", 8)
		r.must(r.scheduler.Kill())
		r.rec.Look(func(v *cluster.View) {
			if err := r.noneBound("g")(v); err != nil {
				t.Error(err)
			}
		})
		release()
		r.startScheduler()
		r.wait(usual, "bound", r.allBound("g", 8))
		r.expectPlaced("g", "node-0:4 node-1:4")
	})
}

// TestDaemonKilledWhileHolding: A daemon killed while members are held takes the same plan up again.
func TestDaemonKilledWhileHolding(t *testing.T) {
	bothWays(t, func(t *testing.T, withGate bool) {
		r := startRacks(t, options{}, []int{4, 4}, []int{4, 4})
		release := r.hold("g", 7)
		r.gang("g", 8, "", gate(withGate))
		r.waitVotes("g", 8)
		plan := r.planOf("g")
		r.daemon.Kill()
		r.must(r.daemon.Start())
		release()
		r.wait(usual, "bound", r.allBound("g", 8))
		r.rec.Look(func(v *cluster.View) {
			for _, pod := range v.Pods(r.ns, of("g")) {
				if id, _ := cluster.MemberPlan(pod); id != plan {
					t.Errorf("pod %s has plan %s, before the kill it was %s", pod.Name, id, plan)
				}
			}
		})
	})
}

// TestOrdinaryPodsBesideGangs: Ordinary pods run beside a hopeless and a held gang, kept off its room, and
// take it when the gang leaves.
func TestOrdinaryPodsBesideGangs(t *testing.T) {
	bothWays(t, func(t *testing.T, withGate bool) {
		r := startRacks(t, options{}, []int{4, 4}, []int{2, 2})
		r.anyMoment("hopeless", "it says how much fits when it was last tried, and a member who refused it when it was last asked")
		r.gang("hopeless", 40, "", gate(withGate))
		r.wait(usual, "one group waits for ever", r.reason("hopeless", "Ready", "NeverFits"))
		// A held gang has reserved all of rack 0.
		release := r.hold("g", 7)
		r.gang("g", 8, "", gate(withGate))
		r.waitVotes("g", 8)
		r.anyNode("plain-", "kube-scheduler picks one of the best by chance")
		for i := range 4 {
			r.create(r.pod(fmt.Sprintf("plain-%d", i)))
		}
		r.wait(usual, "four ordinary pods run in the other rack", func(v *cluster.View) error {
			for i := range 4 {
				pod := v.Pod(r.ns, fmt.Sprintf("plain-%d", i))
				if pod.Spec.NodeName != "node-2" && pod.Spec.NodeName != "node-3" {
					return fmt.Errorf("%+v", pod)
				}
			}
			return nil
		})
		r.anyNode("thief", "kube-scheduler picks one of the best by chance")
		r.create(r.pod("thief"))
		r.wait(usual, "the fifth is kept off the reserved room", func(v *cluster.View) error {
			pod := v.Pod(r.ns, "thief")
			if pod.Condition("PodScheduled") == nil || pod.Bound() {
				return fmt.Errorf("%+v", pod)
			}
			return nil
		})
		release()
		r.wait(usual, "the gang is bound", r.allBound("g", 8))
		// When the gang leaves, its room is the fifth's.
		r.removeGroup("g")
		r.wait(usual, "the fifth is bound", r.bound("thief"))
	})
}
