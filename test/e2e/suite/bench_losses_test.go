// SPDX-License-Identifier: Apache-2.0

//go:build bench

package suite

import (
	"fmt"
	"testing"
	"time"

	"sakkara/test/e2e/suite/cluster"
)

// TestBenchLosses prints how long a gang of 96 is without members whose nodes fail, k at once: from the taint of the first node, and from
// the creation of the first replacement, to the last replacement bound. Survivors that were bound again are counted: none.
func TestBenchLosses(t *testing.T) {
	const gang = 96
	var slots [][]int
	for range 4 {
		rack := make([]int, 48)
		for i := range rack {
			rack[i] = 1
		}
		slots = append(slots, rack)
	}
	r := startRacks(t, options{}, slots...)
	fmt.Printf("\n| lost at once | from the failure to the last one bound | from the first replacement | survivors moved |\n|---|---|---|---|\n")
	for k := 1; k <= 64; k *= 2 {
		group := fmt.Sprintf("g%d", k)
		r.gang(group, gang, "", gated)
		r.wait(2*usual, "bound", r.allBound(group, gang))
		before := map[string]string{}
		var lost []*cluster.Pod
		r.rec.Look(func(v *cluster.View) {
			for i, pod := range v.Pods(r.ns, of(group)) {
				if i < k {
					lost = append(lost, pod)
				} else {
					before[pod.UID] = pod.Spec.NodeName
				}
			}
		})
		failed := time.Now()
		for _, pod := range lost {
			r.must(r.plane.Admin.MergePatch("/api/v1/nodes/"+pod.Spec.NodeName, `{"spec":{"taints":[{"key":"failed","effect":"NoExecute"}]}}`))
			r.must(r.plane.Admin.Delete(r.podPath(pod.Name)))
		}
		created := time.Now()
		replacements := make([]*cluster.Pod, k)
		for i := range replacements {
			replacements[i] = r.pod(fmt.Sprintf("%s-new-%d", group, i), label("sakkara.group.name", group), gated)
		}
		r.must(r.plane.CreatePods(replacements...))
		r.wait(2*usual, "bound again", r.podsBound(group, gang))
		end, moved := time.Now(), 0
		r.rec.Look(func(v *cluster.View) {
			for _, pod := range v.Pods(r.ns, of(group)) {
				if node, survived := before[pod.UID]; survived && node == pod.Spec.NodeName {
					delete(before, pod.UID)
				}
			}
			moved = len(before)
		})
		fmt.Printf("| %d | %.2f s | %.2f s | %d |\n", k, end.Sub(failed).Seconds(), end.Sub(created).Seconds(), moved)
		if moved > 0 {
			t.Errorf("%d survivors moved", moved)
		}
		r.removeGroup(group)
		for _, pod := range lost {
			r.must(r.plane.Admin.MergePatch("/api/v1/nodes/"+pod.Spec.NodeName, `{"spec":{"taints":null}}`))
		}
	}
}
