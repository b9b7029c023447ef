// SPDX-License-Identifier: Apache-2.0

package suite

import (
	"fmt"
	"testing"

	"sakkara/test/e2e/suite/cluster"
)

// What Kueue does to the pods of its workloads, replayed: gates, pins, evictions.

const kueueGate = "kueue.x-k8s.io/topology"

func queued(pod *cluster.Pod) {
	pod.Spec.SchedulingGates = append(pod.Spec.SchedulingGates, cluster.Named{Name: kueueGate})
}

// admit removes Kueue's gate of a pod, and pins it to a node unless that is empty.
func (r *run) admit(pod, node string) {
	r.Helper()
	pin := ""
	if node != "" {
		pin = fmt.Sprintf(`"nodeSelector":{"kubernetes.io/hostname":%q},`, node)
	}
	r.must(r.plane.Admin.StrategicPatch(r.podPath(pod),
		fmt.Sprintf(`{"spec":{%s"schedulingGates":[{"name":%q,"$patch":"delete"}]}}`, pin, kueueGate)))
}

// TestEntry_PodsThatComePinnedAreBoundAsOne: Pods of one group that another program has released one by one, each pinned to a
// node, are bound there together, once the last foreign gate is gone. A pinned node without room is named with the reason
// PinnedNodeFull; the group is bound when the room is there.
func TestEntry_PodsThatComePinnedAreBoundAsOne(t *testing.T) {
	sideBySide(t)
	r := startRacks(t, options{}, []int{2, 2}, []int{2, 2})
	r.anyRetries("members come one by one")
	pinned := func(node string) change {
		return func(pod *cluster.Pod) {
			pod.Spec.NodeSelector = map[string]string{"kubernetes.io/hostname": node}
		}
	}
	gang := func(name string, nodes ...string) {
		r.groupMap(name, map[string]string{"name": name, "size": fmt.Sprint(len(nodes)), "seat-hold": "0"})
		for i, node := range nodes {
			r.create(r.pod(fmt.Sprintf("%s-%d", name, i), label("sakkara.group.name", name), pinned(node), gated, queued))
		}
	}
	release := func(names ...string) {
		for _, name := range names {
			r.admit(name, "")
		}
	}
	gang("a", "node-0", "node-2", "node-3", "node-0")
	release("a-0", "a-1", "a-2")
	if row := r.awaitGroup("a", "Waiting", "MembersMissing"); !contains(row.Message, kueueGate) {
		t.Errorf("the message does not name the gate: %s", row.Message)
	}
	r.wait(usual, "none is bound before the last gate is gone", r.boundAre(ofPrefix("a-"), 4, 0))
	release("a-3")
	r.wait(usual, "all are bound", r.boundAre(ofPrefix("a-"), 4, 4))
	gang("b", "node-0", "node-1")
	release("b-0", "b-1")
	row := r.awaitGroup("b", "Ready", "PinnedNodeFull")
	if !contains(row.Message, "node-0") {
		t.Errorf("the message does not name the node: %s", row.Message)
	}
	r.wait(usual, "none is bound", r.boundAre(ofPrefix("b-"), 2, 0))
	r.must(r.plane.Admin.Delete(r.podPath("a-0")))
	r.wait(usual, "bound when there is room", r.boundAre(ofPrefix("b-"), 2, 2))
}

// TestEntry_AJobIsEvictedFromItsPinsAndComesAgain: A Job whose pods are pinned one by one is bound on these nodes as one. It is
// suspended while it runs, and again while its plan is on its way: nothing of it stays reserved, and other pods fill the
// cluster. Resumed, it has a new plan. A pin to a node that is gone has the reason PinnedNodeFull until the node is back.
func TestEntry_AJobIsEvictedFromItsPinsAndComesAgain(t *testing.T) {
	sideBySide(t)
	r := startRacks(t, options{}, []int{2, 2}, []int{2, 2})
	r.anyRetries("members come one by one")
	r.anyNode("filler-", "kube-scheduler picks one of the best by chance")
	train := ofJob("train")
	suspend := func(yes bool) {
		t.Helper()
		r.must(r.plane.Admin.MergePatch("/apis/batch/v1/namespaces/"+r.ns+"/jobs/train", fmt.Sprintf(`{"spec":{"suspend":%v}}`, yes)))
	}
	pin := func(nodes ...string) {
		t.Helper()
		var pods []*cluster.Pod
		r.wait(usual, "all pods are there", func(v *cluster.View) error {
			if pods = v.Pods(r.ns, train); len(pods) != len(nodes) {
				return fmt.Errorf("%d pods", len(pods))
			}
			return nil
		})
		for i, pod := range pods {
			r.admit(pod.Name, nodes[i])
		}
	}
	expectNothingReserved := func(prefix string) {
		t.Helper()
		r.wait(usual, "the Job's pods are gone", r.boundAre(train, 0, 0))
		r.poll("nothing is reserved for a Job that is suspended", func() bool {
			_, page := r.daemon.AdminGet("/v1/reservations")
			return !contains(page, "train")
		})
		r.podsOf(prefix, 8)
		r.wait(usual, "other pods fill all nodes", r.boundAre(ofPrefix(prefix+"-"), 8, 8))
		r.removePods(prefix)
	}
	placed := func() string {
		counts := map[string]int{}
		r.rec.Look(func(v *cluster.View) {
			for _, pod := range v.Pods(r.ns, train) {
				counts[pod.Spec.NodeName]++
			}
		})
		return countText(counts)
	}

	r.job("train", "", 4, ungrouped, annotated, gated, queued)
	pin("node-0", "node-1", "node-2", "node-3")
	r.wait(usual, "bound on its pins", r.boundAre(train, 4, 4))
	if got := placed(); got != "node-0:1 node-1:1 node-2:1 node-3:1" {
		t.Errorf("pinned pods are on %s", got)
	}
	suspend(true)
	expectNothingReserved("filler-a")

	// Kueue assigns again: a node goes before its pods are bound.
	r.must(r.plane.Admin.Delete("/api/v1/nodes/node-1"))
	suspend(false)
	pin("node-0", "node-0", "node-1", "node-1")
	if row := r.awaitGroup("job/train", "Ready", "PinnedNodeFull"); !contains(row.Message, "node-1") {
		t.Errorf("the message does not name the node: %s", row.Message)
	}
	r.wait(usual, "none is bound", r.boundAre(train, 4, 0))
	back := node("node-1", 2)
	r.must(r.plane.CreateNodes(back))
	r.wait(usual, "bound once the node is back", r.boundAre(train, 4, 4))
	suspend(true)
	r.wait(usual, "suspended", r.boundAre(train, 0, 0))

	// Evicted while its plan is on its way.
	votes := 0
	release := r.tap.HoldBind(func(*cluster.Call) bool { votes++; return votes == 4 })
	suspend(false)
	pin("node-2", "node-2", "node-3", "node-3")
	r.awaitGroup("job/train", "Assigned", "")
	suspend(true)
	r.wait(usual, "the Job's pods are gone", r.boundAre(train, 0, 0))
	release()
	expectNothingReserved("filler-b")
	suspend(false)
	pin("node-0", "node-0", "node-3", "node-3")
	r.wait(usual, "a new plan is carried out", r.boundAre(train, 4, 4))
	if got := placed(); got != "node-0:2 node-3:2" {
		t.Errorf("pinned pods are on %s", got)
	}
	r.awaitGroup("job/train", "Bound", "")
}
