// SPDX-License-Identifier: Apache-2.0

package suite

import (
	"testing"

	"sakkara/test/e2e/suite/cluster"
)

// TestEntry_AMinimumIsEnoughForAPodGroup: Of five gated members of a PodGroup of Kubernetes with minCount 3 four have room: they are
// bound, and the fifth waits. A lost member that is made anew is bound meanwhile, and the fifth when room comes; no other
// member moves. A Job has two pods more than its group map: eight are bound.
func TestEntry_AMinimumIsEnoughForAPodGroup(t *testing.T) {
	plane := workloadPlane(t)
	r := startRacks(t, options{plane: plane}, []int{2, 2}, []int{9})
	r.fill("node-2", 9)
	r.nativeGroup("some", 3, "")
	r.podsOf("some", 5, inGroup("some"), gated)
	r.wait(usual, "four are bound", r.boundAre(ofPrefix("some-"), 5, 4))
	r.awaitGroup("podgroup/some", "Bound", "")
	var lost, waits *cluster.Pod
	r.rec.Look(func(v *cluster.View) {
		for _, pod := range v.Pods(r.ns, ofPrefix("some-")) {
			if pod.Bound() {
				lost = pod
			} else {
				waits = pod
			}
		}
	})
	r.must(r.plane.Admin.Delete(r.podPath(lost.Name)))
	r.wait(usual, "one is gone", func(v *cluster.View) error { return r.boundAre(ofPrefix("some-"), 4, 4)(v) })
	r.wait(usual, "the fifth takes its room", r.bound(waits.Name))
	r.create(r.pod("some-anew", inGroup("some"), gated))
	for i := range 9 {
		r.must(r.plane.Admin.Delete(r.podPath("load-node-2-" + string(rune('0'+i)))))
	}
	r.wait(usual, "all are bound", r.boundAre(ofPrefix("some-"), 5, 5))
	r.removePods("some")

	r.group("eight", 8, "")
	r.job("train", "eight", 10, gated)
	r.wait(usual, "eight of ten are bound", r.boundAre(ofJob("train"), 10, 8))
}
