// SPDX-License-Identifier: Apache-2.0

package suite

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"sakkara/test/e2e/suite/cluster"
)

// loseNode does what the node lifecycle controller does when a kubelet is silent.
func (r *run) loseNode(name string) {
	r.Helper()
	r.must(r.plane.Admin.MergePatch("/api/v1/nodes/"+name+"/status", fmt.Sprintf(
		`{"status":{"conditions":[{"type":"Ready","status":"Unknown","reason":"NodeStatusUnknown","lastTransitionTime":%q}]}}`,
		time.Now().UTC().Format(time.RFC3339))))
	r.must(r.plane.Admin.MergePatch("/api/v1/nodes/"+name,
		`{"spec":{"taints":[{"key":"node.kubernetes.io/unreachable","effect":"NoSchedule"}]}}`))
}

// TestLostNode_MembersHaveAPlaceBeforeTheyAreEvicted: A node is lost. Its two members of a gang of four get seats on the
// node that time.spare keeps, where no single pod may go, and the daemon is killed before the API server sees the first
// eviction. After its start the daemon goes on: the two are evicted, and their replacements are bound there, in front of a
// pod that came before them. Then a group with replace: whole loses a node, and its rack has no room: both members leave,
// and their replacements are bound in another rack.
func TestLostNode_MembersHaveAPlaceBeforeTheyAreEvicted(t *testing.T) {
	r := startRacks(t, options{daemon: cluster.DaemonOptions{Settings: map[string]string{
		"time": `{failAfter: 2s, spare: "rack=1"}`}}}, []int{2, 2, 2}, []int{1, 1, 0}, []int{1, 1, 1})
	r.anyEvents("some die with the daemon")
	r.groupMap("g", map[string]string{"size": "4", "replace": "early"})
	r.members("g", 4, gate(true))
	r.wait(usual, "the gang runs", r.podsRunning("g", 4))
	toTheSpare := func(pod *cluster.Pod) { pod.Spec.NodeSelector = map[string]string{"kubernetes.io/hostname": "node-2"} }
	r.create(r.pod("other", toTheSpare))
	r.wait(usual, "the spare is kept", r.told("sakkara: node is kept as a spare", "other"))
	evictions := func() int { return r.proxy.Count(func(w *cluster.Write) bool { return w.Is("POST", "/eviction") }) }
	dead := make(chan struct{})
	r.proxy.KillBefore(func(w *cluster.Write) bool { return w.Is("POST", "/eviction") }, func() {
		r.daemon.Kill()
		close(dead)
	})
	lost := ""
	r.rec.Look(func(v *cluster.View) { lost = v.Pods(r.ns, of("g"))[3].Spec.NodeName })
	r.loseNode(lost)
	select {
	case <-dead:
	case <-time.After(usual):
		r.Fatal("no member is evicted")
	}
	r.rec.Look(func(v *cluster.View) {
		if text := v.Map(r.ns, "g").Annotations["sakkara.seats"]; strings.Count(text, `:"node-2"`) != 2 {
			t.Errorf("seats before the first eviction: %q", text)
		}
	})
	if n := evictions(); n > 1 {
		t.Errorf("%d evictions before the daemon was killed", n)
	}
	r.must(r.daemon.Start())
	r.wait(usual, "the members on the lost node leave", r.podsBound("g", 2))
	r.create(r.pod("new-0", label("sakkara.group.name", "g"), gate(true)), r.pod("new-1", label("sakkara.group.name", "g"), gate(true)))
	r.wait(usual, "the replacements have the seats", func(v *cluster.View) error {
		for _, name := range []string{"new-0", "new-1"} {
			if on := v.Pod(r.ns, name).Spec.NodeName; on != "node-2" {
				return fmt.Errorf("%s is on %q", name, on)
			}
		}
		return r.allBound("g", 4)(v)
	})
	r.wait(usual, "no seat is left over", func(v *cluster.View) error {
		if text := v.Map(r.ns, "g").Annotations["sakkara.seats"]; text != "" {
			return fmt.Errorf("seats: %s", text)
		}
		return nil
	})

	r.groupMap("h", map[string]string{"size": "2", "replace": "whole", "constraints": `{"rack":{"hard":true}}`})
	r.members("h", 2, gate(true))
	r.wait(usual, "the second gang runs", r.podsRunning("h", 2))
	r.expectPlaced("h", "node-3:1 node-4:1")
	r.loseNode("node-3")
	r.wait(usual, "both members leave", r.podsBound("h", 0))
	r.create(r.pod("again-0", label("sakkara.group.name", "h"), gate(true)), r.pod("again-1", label("sakkara.group.name", "h"), gate(true)))
	r.wait(usual, "they are in the other rack", r.allBound("h", 2))
	r.expectPlaced("h", "node-6:1 node-7:1")
}

// TestMoves_AGroupMovesAndItsPlaceIsKept: One pod of a movable group runs on each of two nodes of two slots, and a gang of
// two wants a node. The groups have run for long, as the daemon reads at its start. One of them moves: the daemon is
// killed before the API server sees the eviction, goes on, and the gang gets the node. A pod that wants the place of the
// group that moved waits until the group is back.
func TestMoves_AGroupMovesAndItsPlaceIsKept(t *testing.T) {
	r := startRacks(t, options{daemon: cluster.DaemonOptions{Settings: map[string]string{
		"time": "{moves: auto, moveAfter: 1s}"}}}, []int{2, 2})
	r.anyEvents("some die with the daemon")
	r.groupMap("m0", map[string]string{"size": "1", "movable": "true"})
	r.members("m0", 1, gate(true))
	r.wait(usual, "the first runs", r.podsRunning("m0", 1))
	r.fill("node-0", 1)
	r.groupMap("m1", map[string]string{"size": "1", "movable": "true"})
	r.members("m1", 1, gate(true))
	r.wait(usual, "the second runs", r.podsRunning("m1", 1))
	r.must(r.plane.Admin.Delete(r.podPath("load-node-0-0")))
	r.gang("w", 2, `{"node":{"hard":true}}`, gate(true))
	r.wait(usual, "it does not fit", r.reason("w", "Ready", "TopologyPlacementFailed"))
	r.daemon.Kill()
	for _, group := range []string{"m0", "m1"} {
		r.must(r.plane.Admin.MergePatch(r.mapPath(group), `{"data":{"schedEndTime":"2020-01-01T00:00:00Z"}}`))
	}
	dead := make(chan struct{})
	r.proxy.KillBefore(func(w *cluster.Write) bool { return w.Is("POST", "/eviction") }, func() {
		r.daemon.Kill()
		close(dead)
	})
	r.must(r.daemon.Start())
	select {
	case <-dead:
	case <-time.After(usual):
		r.Fatal("no group moves")
	}
	r.rec.Look(func(v *cluster.View) {
		if text := v.Map(r.ns, "m0").Annotations["sakkara.seats"]; !strings.Contains(text, `:"node-1"`) {
			t.Errorf("seats of m0 before it is evicted: %q", text)
		}
		if text := v.Map(r.ns, "w").Annotations["sakkara.plan"]; !strings.Contains(text, `"moved":{"`+r.ns+`/m0":{"node-1":1}}`) {
			t.Errorf("plan of w before the eviction: %q", text)
		}
	})
	r.must(r.daemon.Start())
	r.wait(usual, "the gang has the node", r.allBound("w", 2))
	r.create(r.pod("other"))
	r.wait(usual, "the place is held", r.told("sakkara: node is reserved for a group", "other"))
	r.create(r.pod("back", label("sakkara.group.name", "m0"), gate(true)))
	r.wait(usual, "the group is back", r.allBound("m0", 1))
	r.expectPlaced("m0", "node-1:1")
}
