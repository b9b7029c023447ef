// SPDX-License-Identifier: Apache-2.0

package suite

import (
	"fmt"
	"testing"

	"sakkara/test/e2e/suite/cluster"
)

// TestD30_RanksPrecedeContainers: The rank label is there before a container starts, in 100 of 100.
func TestD30_RanksPrecedeContainers(t *testing.T) {
	bothWays(t, func(t *testing.T, withGate bool) {
		r := startRacks(t, options{}, []int{60, 60})
		for i := range 10 {
			name := fmt.Sprintf("g%d", i)
			r.gang(name, 10, "", gate(withGate))
		}
		for i := range 10 {
			name := fmt.Sprintf("g%d", i)
			r.wait(usual, name+" runs", r.podsRunning(name, 10))
		}
		// The fake kubelet resolves the variable when it sees the pod with a node for the first time.
		set := 0
		r.rec.Look(func(v *cluster.View) {
			for _, pod := range v.Pods(r.ns, nil) {
				env, started := r.kubelet.Env(pod.UID)
				if started && env["RANK"] != "" && env["RANK"] == pod.Labels["sakkara.member.rank"] {
					set++
				} else {
					t.Errorf("%s: RANK=%q, rank %q", pod.Name, env["RANK"], pod.Labels["sakkara.member.rank"])
				}
			}
		})
		if set != 100 {
			t.Errorf("RANK was right in %d of 100 containers", set)
		}
	})
}

// TestD31_RanksAreReproducible: Three rounds of one group give the same ranks and placement, rack after rack.
func TestD31_RanksAreReproducible(t *testing.T) {
	r := startRacks(t, options{}, []int{2, 1}, []int{2, 1}, []int{2, 1})
	var rank, placement [3]string
	for round := range rank {
		r.gang("g", 8, `{"rack":{"type":"spread"},"node":{"type":"pack"}}`)
		r.wait(usual, "bound", r.allBound("g", 8))
		r.rec.Look(func(v *cluster.View) {
			rank[round], placement[round] = v.Map(r.ns, "g").Data["rank"], v.Map(r.ns, "g").Data["placement"]
		})
		r.expectRacksInOnePiece()
		r.removeGroup("g")
	}
	if rank[0] != rank[1] || rank[1] != rank[2] || placement[0] != placement[1] || placement[1] != placement[2] {
		t.Errorf("three rounds gave ranks %q, placements %q", rank, placement)
	}
}

// TestRanksFollowTheIndicesOfAJob: In an Indexed Job of 24 rank i is index i, whatever the pods are called, and a
// replacement of an index has its rank.
func TestRanksFollowTheIndicesOfAJob(t *testing.T) {
	bothWays(t, func(t *testing.T, withGate bool) {
		r := startRacks(t, options{}, []int{4, 4, 4}, []int{4, 4, 4})
		r.group("g", 24, "")
		r.indexedJob("train", "g", 24, gate(withGate))
		r.wait(usual, "bound", r.allBound("g", 24))
		r.expectRanksAreIndices("g", 24)
		var lost *cluster.Pod
		r.rec.Look(func(v *cluster.View) {
			for _, pod := range v.Pods(r.ns, of("g")) {
				if pod.Labels[indexLabel] == "13" {
					lost = pod
				}
			}
		})
		r.must(r.plane.Admin.Delete(r.podPath(lost.Name)))
		r.wait(usual, "index 13 is there again", func(v *cluster.View) error {
			if v.Pod(r.ns, lost.Name).UID == lost.UID {
				return fmt.Errorf("not gone")
			}
			return r.allBound("g", 24)(v)
		})
		r.expectRanksAreIndices("g", 24)
	})
}

const indexLabel = "batch.kubernetes.io/job-completion-index"

// expectRanksAreIndices: each of n members has the rank that is its index, and nodes of four slots are filled in
// order.
func (r *run) expectRanksAreIndices(group string, n int) {
	r.Helper()
	r.rec.Look(func(v *cluster.View) {
		pods := v.Pods(r.ns, of(group))
		if len(pods) != n {
			r.Errorf("%d pods, want %d", len(pods), n)
		}
		for _, pod := range pods {
			var index int
			fmt.Sscan(pod.Labels[indexLabel], &index)
			if rank := pod.Labels["sakkara.member.rank"]; rank != pod.Labels[indexLabel] {
				r.Errorf("%s: index %d has rank %s", pod.Name, index, rank)
			}
			if want := fmt.Sprintf("node-%d", index/4); pod.Spec.NodeName != want {
				r.Errorf("%s: index %d is on %s, want %s", pod.Name, index, pod.Spec.NodeName, want)
			}
		}
	})
}

// expectRacksInOnePiece: along the ranks each rack is visited once; racks at equal distance from the
// master do not interleave. Racks have two nodes each.
func (r *run) expectRacksInOnePiece() {
	r.Helper()
	byRank := make([]int, 8)
	r.rec.Look(func(v *cluster.View) {
		for _, pod := range v.Pods(r.ns, of("g")) {
			var rank, node int
			fmt.Sscan(pod.Labels["sakkara.member.rank"], &rank)
			fmt.Sscanf(pod.Spec.NodeName, "node-%d", &node)
			byRank[rank] = node / 2
		}
	})
	left := map[int]bool{}
	for i := 1; i < len(byRank); i++ {
		if byRank[i] != byRank[i-1] {
			left[byRank[i-1]] = true
		}
		if left[byRank[i]] {
			r.Errorf("racks along the ranks: %v", byRank)
			return
		}
	}
}
