// SPDX-License-Identifier: Apache-2.0

package suite

import (
	"fmt"
	"strings"
	"testing"

	"sakkara/test/e2e/suite/cluster"
)

// Where members go, and that kube-scheduler's own ideas do not change it.

// TestD1_PlanIsEnforcedNotJustScored: Members go to the planned node although the scheduler's own scores
// prefer another one.
func TestD1_PlanIsEnforcedNotJustScored(t *testing.T) {
	bothWays(t, func(t *testing.T, withGate bool) {
		// One member fits node-0, both fit node-1 and node-2. The plan packs, first node in tree order;
		// the default scorers prefer the emptier node-2 by far.
		r := startRacks(t, options{}, []int{1, 2, 50})
		r.gang("g", 2, "", gate(withGate))
		r.wait(usual, "bound", r.allBound("g", 2))
		r.expectPlaced("g", "node-1:2")
	})
}

// TestD2_SingleFeasibleNodeIsNoDeadEnd: One feasible node for all members, where the scheduler skips scoring,
// is enough.
func TestD2_SingleFeasibleNodeIsNoDeadEnd(t *testing.T) {
	nodes, tree := racks([]int{4, 4, 4})
	r := start(t, nodes, options{paused: true})
	r.fill("node-0", 4)
	r.fill("node-1", 2)
	r.fill("node-2", 4)
	r.begin()
	r.topology(tree)
	r.gang("g", 2, "")
	r.wait(usual, "bound", r.allBound("g", 2))
	r.expectPlaced("g", "node-1:2")
}

// TestD3_NoNodeIsHiddenBySampling: The one rack of 300 nodes that holds the gang is used although the
// scheduler looks at a sample.
func TestD3_NoNodeIsHiddenBySampling(t *testing.T) {
	sideBySide(t)
	for name, percentage := range map[string]int{"percentage-0": cluster.ByItself, "percentage-100": 100} {
		t.Run(name, func(t *testing.T) {
			bothWays(t, func(t *testing.T, withGate bool) { sampling(t, percentage, withGate) })
		})
	}
}

// 300 nodes with room for a member each; only the last rack holds the whole gang.
func sampling(t *testing.T, percentage int, withGate bool) {
	var slots [][]int
	for rack := range 30 {
		slots = append(slots, []int{1, 1, 1, 1, 1, 1, 1, 1, 1, 1})
		if rack == 29 {
			slots[rack] = []int{2, 2, 2, 2, 2, 2, 2, 2, 2, 2}
		}
	}
	r := startRacks(t, options{scheduler: cluster.SchedulerOptions{Percentage: percentage}}, slots...)
	r.gang("g", 20, `{"rack":{"hard":true}}`, gate(withGate))
	r.wait(usual, "bound", r.allBound("g", 20))
	for i := range 10 {
		name := fmt.Sprintf("node-%d", 290+i)
		if !strings.Contains(r.placed("g"), name+":2") {
			t.Errorf("placed %s", r.placed("g"))
			break
		}
	}
}

// nomination matches the status patch that names a member's node.
func nomination(write *cluster.Write) bool {
	return write.Is("PATCH", "/status") && strings.Contains(write.Path, "/pods/") &&
		strings.Contains(strings.ReplaceAll(write.Body, " ", ""), `"nominatedNodeName":"`)
}

// TestD4_EligibilityIsThatOfEachMember: One member that does not tolerate a taint is not placed behind it, and the
// whole gang stays together on the other rack.
func TestD4_EligibilityIsThatOfEachMember(t *testing.T) {
	bothWays(t, func(t *testing.T, withGate bool) {
		// Three members tolerate the taint of the roomy rack, the fourth does not.
		nodes, tree := racks([]int{9, 9}, []int{2, 2})
		for _, node := range nodes[:2] {
			node.Spec.Taints = []cluster.Taint{{Key: "special", Effect: "NoSchedule"}}
		}
		r := start(t, nodes, options{})
		r.topology(tree)
		r.group("g", 4, "")
		r.create(r.pod("g-0", label("sakkara.group.name", "g"), gate(withGate)))
		for i := 1; i < 4; i++ {
			r.create(r.pod(fmt.Sprintf("g-%d", i), label("sakkara.group.name", "g"), gate(withGate), tolerating))
		}
		r.wait(usual, "bound", r.allBound("g", 4))
		r.expectPlaced("g", "node-2:2 node-3:2")
	})
}

// TestMemberRefusedInTreeAfterThePlanIsPlannedElsewhere: A node that the scheduler's own filters refuse for a
// reason the daemon does not look at is avoided by the next plan.
func TestMemberRefusedInTreeAfterThePlanIsPlannedElsewhere(t *testing.T) {
	bothWays(t, func(t *testing.T, withGate bool) {
		// Nothing the daemon looks at tells that the host port is taken on node-0; kube-scheduler knows.
		hostPort := func(pod *cluster.Pod) {
			pod.Spec.Containers[0].Ports = []cluster.Port{{ContainerPort: 9000, HostPort: 9000}}
		}
		nodes, tree := racks([]int{4, 4, 4})
		r := start(t, nodes, options{paused: true})
		r.create(r.pod("holder", onNode("node-0"), hostPort))
		r.begin()
		r.topology(tree)
		r.gang("g", 2, `{"node":{"type":"spread","hard":true}}`, hostPort, gate(withGate))
		r.wait(usual, "bound", r.allBound("g", 2))
		r.expectPlaced("g", "node-1:1 node-2:1")
	})
}

// TestTwoHundredMembersOnTwoHundredNodes: 200 members on 200 nodes, one each.
func TestTwoHundredMembersOnTwoHundredNodes(t *testing.T) {
	bothWays(t, func(t *testing.T, withGate bool) {
		var slots [][]int
		for range 20 {
			slots = append(slots, []int{1, 1, 1, 1, 1, 1, 1, 1, 1, 1})
		}
		r := startRacks(t, options{}, slots...)
		r.gang("g", 200, `{"node":{"type":"spread","hard":true}}`, gate(withGate))
		r.wait(2*usual, "bound", r.allBound("g", 200))
		r.expectReport("g", 200)
	})
}

// TestTwoGroupsCompeteForRoomOfOne: Of two groups created at once with room for one, one is bound whole and
// the other not at all, twenty times.
func TestTwoGroupsCompeteForRoomOfOne(t *testing.T) {
	bothWays(t, func(t *testing.T, withGate bool) {
		const rounds = 20
		r := startRacks(t, options{}, []int{3, 3}, []int{3, 3})
		r.anyEvents("who of the two is first, and what the other one hears meanwhile, is chance")
		for round := range rounds {
			names := [2]string{fmt.Sprintf("a%d", round), fmt.Sprintf("b%d", round)}
			r.group(names[0], 8, "")
			r.group(names[1], 8, "")
			r.must(cluster.Parallel(16, func(i int) error {
				group := names[i%2]
				pod := r.pod(fmt.Sprintf("%s-%d", group, i/2), label("sakkara.group.name", group), gate(withGate))
				return r.plane.Admin.Create("/api/v1/namespaces/"+r.ns+"/pods", pod, nil)
			}))
			winner := 0
			r.wait(usual, "one bound, one waits for capacity", func(v *cluster.View) error {
				var err error
				for winner = range 2 {
					if err = r.allBound(names[winner], 8)(v); err == nil {
						if err = r.noneBound(names[1-winner])(v); err == nil {
							return r.reason(names[1-winner], "Ready", "WaitingForCapacity")(v)
						}
					}
				}
				return err
			})
			// The loser takes the room as soon as the winner leaves.
			r.removeGroup(names[winner])
			r.wait(usual, "the other is bound", r.allBound(names[1-winner], 8))
			r.removeGroup(names[1-winner])
		}
	})
}

// removeGroup deletes the pods of a group, also those that have ended, and its map, and waits until they are gone.
func (r *run) removeGroup(group string) {
	r.Helper()
	var pods []*cluster.Pod
	all := func(pod *cluster.Pod) bool { return cluster.GroupOf(pod) == group }
	r.rec.Look(func(v *cluster.View) { pods = v.Pods(r.ns, all) })
	r.must(cluster.Parallel(len(pods), func(i int) error { return r.plane.Admin.Delete(r.podPath(pods[i].Name)) }))
	r.must(r.plane.Admin.Delete(r.mapPath(group)))
	r.wait(usual, group+" is gone", func(v *cluster.View) error {
		if left := v.Pods(r.ns, all); len(left) != 0 || v.Map(r.ns, group).UID != "" {
			return fmt.Errorf("%d pods left", len(left))
		}
		return nil
	})
}
