// SPDX-License-Identifier: Apache-2.0

//go:build full

package suite

import (
	"fmt"
	"slices"
	"strings"
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

// TestFull_AThousandIndexesInThreeLevels: The indexes of an Indexed Job of 1,000 are contiguous on nodes, in racks and in zones,
// and each is the rank of its pod.
func TestFull_AThousandIndexesInThreeLevels(t *testing.T) {
	const zones, perZone, perRack, slots, n = 5, 5, 10, 4, 1000
	var nodes []*cluster.Node
	var tree []string
	for z := range zones {
		var branches []string
		for k := range perZone {
			var leaves []string
			for range perRack {
				name := fmt.Sprintf("node-%d", len(nodes))
				nodes = append(nodes, node(name, slots))
				leaves = append(leaves, fmt.Sprintf("%q:{}", name))
			}
			branches = append(branches, fmt.Sprintf("\"rack-%d-%d\":{%s}", z, k, strings.Join(leaves, ",")))
		}
		tree = append(tree, fmt.Sprintf("\"zone-%d\":{%s}", z, strings.Join(branches, ",")))
	}
	r := start(t, nodes, options{})
	r.topology("{"+strings.Join(tree, ",")+"}", "zone", "rack", "node")
	began := time.Now()
	r.group("g", n, "")
	r.indexedJob("train", "g", n, gated)
	r.wait(large, "bound", r.allBound("g", n))
	t.Logf("1,000 indexes on 250 nodes: %.1f s", time.Since(began).Seconds())
	at := make([]int, n)
	r.rec.Look(func(v *cluster.View) {
		for _, pod := range v.Pods(r.ns, of("g")) {
			var index int
			fmt.Sscan(pod.Labels[indexLabel], &index)
			fmt.Sscanf(pod.Spec.NodeName, "node-%d", &at[index])
			if rank := pod.Labels["sakkara.member.rank"]; rank != pod.Labels[indexLabel] {
				t.Errorf("index %d has rank %s", index, rank)
			}
		}
	})
	for _, unit := range []struct {
		name string
		of   int
	}{{"node", 1}, {"rack", perRack}, {"zone", perRack * perZone}} {
		seen := map[int]bool{}
		for i, place := range at {
			if now := place / unit.of; i == 0 || now != at[i-1]/unit.of {
				if seen[now] {
					t.Errorf("the indexes of %s %d are not in one piece: index %d", unit.name, now, i)
				}
				seen[now] = true
			}
		}
	}
}
