// SPDX-License-Identifier: Apache-2.0

package suite

import (
	"encoding/json"
	"fmt"
	"testing"

	"sakkara/test/e2e/suite/cluster"
)

// From an older version to this one: a gang on its way.

// TestUpgrade_PlanOfAnOlderDaemonIsFinished: A plan that an older daemon stored, whose members it took in the order of
// bytes (g-10 before g-2) and had nominated in part, is finished by this one: same plan, same nodes, each rank once.
func TestUpgrade_PlanOfAnOlderDaemonIsFinished(t *testing.T) {
	const id = "0123456789abcdef"
	r := startRacks(t, options{paused: true}, []int{6, 6})
	r.anyRetries("the older daemon's trial counts")
	r.gang("g", 12, "", gated)
	order := []string{"g-0", "g-1", "g-10", "g-11", "g-2", "g-3", "g-4", "g-5", "g-6", "g-7", "g-8", "g-9"}
	members := map[string]string{}
	for i, name := range order {
		var pod cluster.Pod
		r.must(r.plane.Admin.Get(r.podPath(name), &pod))
		members[string(pod.UID)] = fmt.Sprintf("node-%d", i/6)
	}
	plan, err := json.Marshal(map[string]any{"v": 1, "id": id, "state": "Planned",
		"nodes": map[string]int{"node-0": 6, "node-1": 6}, "members": members})
	r.must(err)
	r.must(r.plane.Admin.MergePatch(r.mapPath("g"), map[string]any{"data": map[string]any{"status": "Assigned"},
		"metadata": map[string]any{"annotations": map[string]any{"sakkara.plan": string(plan)}}}))
	for i, name := range order[:8] {
		node := fmt.Sprintf("node-%d", i/6)
		r.must(r.plane.Admin.MergePatch(r.podPath(name), map[string]any{"metadata": map[string]any{
			"labels": map[string]any{"sakkara.member.status": "Assigned", "sakkara.member.rank": fmt.Sprint(i),
				"sakkara.member.retries": "1", "sakkara.member.plan": id[:8] + ".1"},
			"annotations": map[string]any{"sakkara.plan": fmt.Sprintf(`{"id":%q,"node":%q}`, id, node)}}}))
		r.must(r.plane.Admin.MergePatch(r.podPath(name)+"/status", map[string]any{"status": map[string]any{"nominatedNodeName": node}}))
	}
	r.begin()
	r.wait(usual, "bound", r.allBound("g", 12))
	r.rec.Look(func(v *cluster.View) {
		ranks := map[string]string{}
		for i, name := range order {
			pod := v.Pod(r.ns, name)
			rank := pod.Labels["sakkara.member.rank"]
			if got, _ := cluster.MemberPlan(pod); got != id || ranks[rank] != "" {
				t.Errorf("%s has plan %q and rank %s, which %q has", name, got, rank, ranks[rank])
			}
			ranks[rank] = name
			if node := fmt.Sprintf("node-%d", i/6); pod.Spec.NodeName != node || (i < 8 && rank != fmt.Sprint(i)) {
				t.Errorf("%s is on %s with rank %s; the older daemon had planned %s and %d", name, pod.Spec.NodeName, rank, node, i)
			}
		}
	})
}
