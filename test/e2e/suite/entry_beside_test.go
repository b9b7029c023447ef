// SPDX-License-Identifier: Apache-2.0

package suite

import "testing"

// TestEntry_SinglePodsAndPodsBesideAWorkload: Single pods with the annotation wait, and the reason names the label that makes
// them a group; pods of a pod group of Kueue are one group of its total count. The pod with which KubeRay cleans up behind a
// deleted RayCluster is an ordinary pod, although it has the annotation and the label of the head.
func TestEntry_SinglePodsAndPodsBesideAWorkload(t *testing.T) {
	r := startRacks(t, options{}, []int{4, 4})
	r.podsOf("bare", 2, annotated, annotation("sakkara.group.size", "2"), gated)
	for _, name := range []string{"pod/bare-0", "pod/bare-1"} {
		row := r.awaitGroup(name, "Waiting", "SizeUnknown")
		if !contains(row.Message, "sakkara.group.name") || !contains(row.Message, "kueue.x-k8s.io/pod-group-name") {
			t.Errorf("the message names no label: %s", row.Message)
		}
	}

	of := []change{label("kueue.x-k8s.io/pod-group-name", "sample"), annotation("kueue.x-k8s.io/pod-group-total-count", "3"), annotated, gated}
	r.podsOf("early", 2, of...)
	r.awaitGroup("kueue/sample", "Waiting", "MembersMissing")
	r.wait(usual, "two wait", r.boundAre(ofPrefix("early-"), 2, 0))
	r.podsOf("late", 1, of...)
	r.wait(usual, "three are bound", r.boundAre(ofPrefix("early-"), 2, 2))
	r.wait(usual, "the third, too", r.boundAre(ofPrefix("late-"), 1, 1))

	r.group("by-hand", 3, "")
	r.podsOf("cleanup", 1, annotated, gated, label("ray.io/cluster", "ray"), label("ray.io/node-type", "redis-cleanup"),
		label("ray.io/group", "headgroup"), label("sakkara.group.name", "by-hand"))
	r.wait(usual, "the clean-up pod is bound", r.boundAre(ofPrefix("cleanup-"), 1, 1))
}
