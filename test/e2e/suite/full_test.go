// SPDX-License-Identifier: Apache-2.0

//go:build full

package suite

import (
	"slices"
	"testing"
	"time"

	"sakkara/test/e2e/suite/cluster"
)

// Groups of full size, with the work that they cost kube-scheduler. They take minutes.

// large is how long a thousand members may take on a busy machine.
const large = 5 * time.Minute

// TestFull_AThousandMembersOfAPodGroup: A native PodGroup of 1,000 gated members on 600 nodes, and one of 256, are bound with one
// filter call a member, as fast as groups of maps, and kube-scheduler works as for pods without a group.
func TestFull_AThousandMembersOfAPodGroup(t *testing.T) {
	plane := workloadPlane(t)
	nodes, tree := racks(slices.Repeat([]int{2}, 200), slices.Repeat([]int{2}, 200), slices.Repeat([]int{2}, 200))
	r := start(t, nodes, options{plane: plane})
	r.topology(tree)
	r.expectNativeCost(256, 3, large, 0)
	r.expectNativeCost(1000, 1, large, 0)
}

// TestFull_APodGroupWithoutRoom: A PodGroup of 64 that does not fit. With gates kube-scheduler asks ten times at most and works
// for less than a second, and there is no patch of a pod after the first minute. Without gates it tries a member 40 times at
// most.
func TestFull_APodGroupWithoutRoom(t *testing.T) {
	plane := workloadPlane(t)
	nodes, tree := racks([]int{16, 16}, []int{16, 16})
	r := start(t, nodes, options{plane: plane, scheduler: cluster.SchedulerOptions{Flags: fromBackoff()}})
	r.topology(tree)
	cost, _, patches := r.hopeless("gated", 64, time.Minute, true)
	if cost.calls > 10 || cost.cpu > time.Second || patches > 0 {
		t.Errorf("gated members: %v, %d patches of pods", cost, patches)
	}
	if _, most, _ := r.hopeless("open", 64, time.Minute, false); most > 40 {
		t.Errorf("without gates a member was tried %d times", most)
	}
}

// TestFull_APodGroupIsWholeThroughAnyCrash: As the scenario of eight members, with 32, and kube-scheduler dies each time.
func TestFull_APodGroupIsWholeThroughAnyCrash(t *testing.T) { killedOnTheWay(t, 32, 1) }

// TestFull_AThousandIndexesInThreeLevels: As the scenario of 48 members, with a thousand on 250 nodes.
func TestFull_AThousandIndexesInThreeLevels(t *testing.T) {
	indexesInThreeLevels(t, threeLevels{zones: 5, racks: 5, nodes: 10}, large)
}
