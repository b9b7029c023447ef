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

// TestFull_AThousandMembersOfAPodGroup: A native PodGroup of 1,000 gated members on 600 nodes is bound with one filter call a
// member. One of 64 that does not fit is left in peace: ten filter calls at most, no second of processor time, and no patch
// of a pod after the first minute.
func TestFull_AThousandMembersOfAPodGroup(t *testing.T) {
	plane := workloadPlane(t)
	nodes, tree := racks(slices.Repeat([]int{2}, 200), slices.Repeat([]int{2}, 200), slices.Repeat([]int{2}, 200))
	r := start(t, nodes, options{plane: plane})
	r.topology(tree)
	used, began := r.scheduler.Process().CPU(), time.Now()
	r.nativeGroup("large", 1000, "")
	r.podsOf("large", 1000, inGroup("large"), gated)
	r.wait(large, "1,000 are bound", r.boundAre(ofPrefix("large-"), 1000, 1000))
	t.Logf("1,000 members on 600 nodes: %.1f s, %d filter calls, scheduler %.2f s", time.Since(began).Seconds(), r.filters(),
		(r.scheduler.Process().CPU() - used).Seconds())
	if calls := r.filters(); calls < 1000 || calls > 1050 {
		t.Errorf("%d filter calls for 1,000 gated members", calls)
	}

	before := r.filters()
	r.nativeGroup("huge", 64, "")
	r.podsOf("huge", 64, inGroup("huge"), gated, func(pod *cluster.Pod) { pod.Spec.Containers[0].Resources.Requests["cpu"] = "3" })
	r.awaitGroup("podgroup/huge", "Ready", "")
	r.quiet(30*time.Second, "none is bound", r.boundAre(ofPrefix("huge-"), 64, 0))
	used = r.scheduler.Process().CPU()
	patches := podPatches(r)
	r.quiet(60*time.Second, "none is bound", r.boundAre(ofPrefix("huge-"), 64, 0))
	if calls := r.filters() - before; calls > 10 {
		t.Errorf("%d filter calls for a gated group that does not fit", calls)
	}
	if cpu := r.scheduler.Process().CPU() - used; cpu > time.Second {
		t.Errorf("kube-scheduler worked %v in a minute for a group that does not fit", cpu)
	}
	if n := podPatches(r) - patches; n > 0 {
		t.Errorf("%d patches of pods of a group that waits", n)
	}
}

// podPatches counts the daemon's patches of pods so far.
func podPatches(r *run) (n int) {
	for _, write := range r.proxy.Writes() {
		if write.Method == "PATCH" && strings.Contains(write.Path, "/pods/") {
			n++
		}
	}
	return n
}

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
