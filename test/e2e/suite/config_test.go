// SPDX-License-Identifier: Apache-2.0

package suite

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"sakkara/test/e2e/suite/cluster"
)

// What users and administrators write, right and wrong.

// TestD14_MissingConstraintsMeanPack: A group map without constraints packs its members, as the reference
// says.
func TestD14_MissingConstraintsMeanPack(t *testing.T) {
	r := startRacks(t, options{}, []int{3, 3}, []int{2, 6})
	r.groupMap("g", map[string]string{"name": "g", "size": "6"})
	r.members("g", 6)
	r.wait(usual, "bound", r.allBound("g", 6))
	r.expectPlaced("g", "node-3:6")
}

// TestD15_MalformedGroupMapIsReported: A map whose constraints cannot be read says so in its keys and by an
// Event, and its group is placed once it is repaired.
func TestD15_MalformedGroupMapIsReported(t *testing.T) {
	bothWays(t, func(t *testing.T, withGate bool) {
		r := startRacks(t, options{}, []int{4, 4})
		r.gang("g", 4, "{", gate(withGate))
		r.wait(usual, "reported on the map", r.reason("g", "Failed", "GroupInvalid"))
		r.wait(usual, "with an Event", func(v *cluster.View) error {
			return warned(v, r.ns, "g", "constraints")
		})
		r.rec.Look(func(v *cluster.View) {
			if message := v.Map(r.ns, "g").Data["message"]; !strings.Contains(message, "constraints") {
				t.Errorf("message %q does not name the key", message)
			}
		})
		r.must(r.plane.Admin.MergePatch(r.mapPath("g"), `{"data":{"constraints":"{}"}}`))
		r.wait(usual, "placed once repaired", r.allBound("g", 4))
		r.wait(usual, "nothing is wrong any more", r.reason("g", "Bound", ""))
	})
}

// warned: a Warning Event on the map says something about a key.
func warned(v *cluster.View, namespace, name, key string) error {
	events := v.Events("ConfigMap", namespace, name)
	for _, event := range events {
		if event.Type == "Warning" && strings.Contains(event.Message, key) {
			return nil
		}
	}
	return fmt.Errorf("no Warning about %s among %d Events on %s", key, len(events), name)
}

// TestD16_MalformedTopologyIsReportedAndTheLastGoodKept: A topology that is broken while a gang is under way
// is reported on its map; the last good tree carries the gang, and the next one, through.
func TestD16_MalformedTopologyIsReportedAndTheLastGoodKept(t *testing.T) {
	nodes, tree := racks([]int{4, 4}, []int{4, 4})
	r := start(t, nodes, options{})
	r.topology(tree)
	release := r.hold("g", 7)
	r.gang("g", 8, `{"rack":{"hard":true}}`)
	r.waitVotes("g", 8)
	r.must(r.plane.Admin.MergePatch(topologyPath("cluster-topology"), `{"data":{"tree":"{\"rack-0\":"}}`))
	r.wait(usual, "reported on the map", func(v *cluster.View) error {
		object := v.Map(cluster.SystemNamespace, "cluster-topology")
		if object.Data["reason"] != "TopologyInvalid" || object.Data["message"] == "" {
			return fmt.Errorf("%v", object.Data)
		}
		return warned(v, cluster.SystemNamespace, "cluster-topology", "tree")
	})
	release()
	r.wait(usual, "the running plan goes on", r.allBound("g", 8))
	r.gang("next", 8, `{"rack":{"hard":true}}`)
	r.wait(usual, "the last good tree places the next group", r.allBound("next", 8))
	r.expectPlaced("next", "node-2:4 node-3:4")
	patch := fmt.Sprintf(`{"data":{"tree":%q}}`, tree)
	r.must(r.plane.Admin.MergePatch(topologyPath("cluster-topology"), patch))
	r.wait(usual, "reason and message are removed", func(v *cluster.View) error {
		if data := v.Map(cluster.SystemNamespace, "cluster-topology").Data; data["reason"] != "" || data["message"] != "" {
			return fmt.Errorf("%v", data)
		}
		return nil
	})
}

// TestD17_DuplicateGroupNameIsDeterministic: Of two maps with one group name the older rules, the newer says
// DuplicateGroup, and deleting it changes nothing.
func TestD17_DuplicateGroupNameIsDeterministic(t *testing.T) {
	r := startRacks(t, options{}, []int{4, 4}, []int{4, 4})
	r.groupMap("a-first", map[string]string{"name": "g", "size": "4", "constraints": `{"node":{"type":"spread"}}`})
	r.groupMap("b-second", map[string]string{"name": "g", "size": "2"})
	r.wait(usual, "the newer map is refused", r.reason("b-second", "Failed", "DuplicateGroup"))
	r.members("g", 4)
	r.wait(usual, "the older map rules", func(v *cluster.View) error {
		if err := r.podsBound("g", 4)(v); err != nil {
			return err
		}
		return r.reason("a-first", "Bound", "")(v)
	})
	r.expectPlaced("g", "node-0:2 node-1:2")
	r.must(r.plane.Admin.Delete(r.mapPath("b-second")))
	// Another group goes its whole way, so the deletion has been seen; the first one has not changed.
	r.gang("witness", 2, "")
	r.wait(usual, "another group is bound", r.allBound("witness", 2))
	r.wait(usual, "nothing changed", func(v *cluster.View) error {
		if err := r.podsBound("g", 4)(v); err != nil {
			return err
		}
		return r.reason("a-first", "Bound", "")(v)
	})
}

// TestD18_DeletingASecondTopologyMapIsHarmless: Of two topology maps the older is in force, and the newer may
// come and go.
func TestD18_DeletingASecondTopologyMapIsHarmless(t *testing.T) {
	nodes, tree := racks([]int{2, 2}, []int{9, 9})
	r := start(t, nodes, options{})
	r.topologyNamed("a-first", tree)
	r.topologyNamed("b-second", `{"only":{"node-0":{}}}`)
	r.wait(usual, "the newer map is told", func(v *cluster.View) error {
		if reason := v.Map(cluster.SystemNamespace, "b-second").Data["reason"]; reason != "DuplicateTopology" {
			return fmt.Errorf("reason %q", reason)
		}
		return nil
	})
	r.must(r.plane.Admin.Delete(topologyPath("b-second")))
	r.gang("g", 8, `{"rack":{"hard":true},"node":{"type":"spread"}}`)
	r.wait(usual, "bound", r.allBound("g", 8))
	r.expectPlaced("g", "node-2:4 node-3:4")
}

// TestD19_EqualUnitNamesInDifferentBranchesStayApart: Racks of equal names in two zones are two racks.
func TestD19_EqualUnitNamesInDifferentBranchesStayApart(t *testing.T) {
	var nodes []*cluster.Node
	for i := range 4 {
		nodes = append(nodes, node(fmt.Sprintf("node-%d", i), 3))
	}
	r := start(t, nodes, options{})
	r.topology(`{"zone-a":{"rack-0":{"node-0":{},"node-1":{}}},"zone-b":{"rack-0":{"node-2":{},"node-3":{}}}}`, "zone", "rack", "node")
	// One rack holds six; taken for one, the two would hold seven.
	r.gang("seven", 7, `{"zone":{"type":"pack"},"rack":{"type":"pack"}}`)
	r.wait(usual, "bound", r.allBound("seven", 7))
	r.expectPlaced("seven", "node-0:3 node-1:3 node-2:1")
	r.rec.Look(func(v *cluster.View) {
		placement := v.Map(r.ns, "seven").Data["placement"]
		for _, branch := range []string{`"zone-a":{"rack-0":{"node-0"`, `"zone-b":{"rack-0":{"node-2"`} {
			if !strings.Contains(placement, branch) {
				t.Errorf("placement %s lacks %s", placement, branch)
			}
		}
	})
}

// TestD20_DerivedTreesFollowTheNodes: Without a topology map the tree follows nodes and their labels as they
// come. A node without the label is left out, and a lost member of a rack group gets its replacement beside it.
func TestD20_DerivedTreesFollowTheNodes(t *testing.T) {
	nodes, _ := racks([]int{2})
	r := start(t, nodes, options{})
	r.gang("first", 4, "")
	r.wait(usual, "one node is too small", r.reason("first", "Ready", "NeverFits"))
	r.must(r.plane.CreateNodes(node("node-later", 4)))
	r.wait(usual, "the new node is used", r.allBound("first", 4))
	r.expectPlaced("first", "node-later:4")
	// With a rack label on every node the derived tree has racks.
	for name, rack := range map[string]string{"node-0": "r0", "node-later": "r1"} {
		r.must(r.plane.Admin.MergePatch("/api/v1/nodes/"+name, fmt.Sprintf(`{"metadata":{"labels":{"sakkara.topology.rack":%q}}}`, rack)))
	}
	big := node("node-big", 3)
	big.Labels["sakkara.topology.rack"] = "r0"
	r.must(r.plane.CreateNodes(big))
	r.poll("the tree has two racks and the big node", func() bool {
		output, code := r.command("tree")
		return code == 0 && contains(output, "node-big") && contains(output, "r0") && contains(output, "r1")
	})
	r.gang("second", 5, `{"rack":{"hard":true}}`)
	r.wait(usual, "the rack of node-0 and node-big is used", r.allBound("second", 5))
	r.expectPlaced("second", "node-0:2 node-big:3")
	r.must(r.plane.CreateNodes(node("node-bare", 8)))
	r.poll("the tree names the node that it leaves out", func() bool {
		output, code := r.command("tree")
		return code == 0 && contains(output, "1 node is left out: no label sakkara.topology.rack (level rack), first node-bare")
	})
	r.must(r.plane.Admin.Delete(r.podPath("second-0")))
	r.create(r.pod("second-5", label("sakkara.group.name", "second")))
	r.wait(usual, "the replacement is bound in the rack", r.allBound("second", 5))
	r.expectPlaced("second", "node-0:2 node-big:3")
	r.wait(usual, "the placement of first is told by the new tree", func(v *cluster.View) error {
		if placement := v.Map(r.ns, "first").Data["placement"]; !contains(placement, `{"root":{"r1":{"node-later":`) {
			return fmt.Errorf("%s", placement)
		}
		return nil
	})
}

// TestD21_EmptyResourceNamesAreReported: A topology without resource names is reported and neither ends the
// daemon nor the last good tree.
func TestD21_EmptyResourceNamesAreReported(t *testing.T) {
	r := startRacks(t, options{}, []int{4})
	r.must(r.plane.Admin.MergePatch(topologyPath("cluster-topology"), `{"data":{"resource-names":"[]"}}`))
	r.wait(usual, "reported", func(v *cluster.View) error {
		if reason := v.Map(cluster.SystemNamespace, "cluster-topology").Data["reason"]; reason != "TopologyInvalid" {
			return fmt.Errorf("reason %q", reason)
		}
		return nil
	})
	if status, body := r.daemon.AdminGet("/livez"); status != http.StatusOK {
		t.Errorf("/livez: %d %s", status, body)
	}
	if starts := r.daemon.Starts(); starts != 1 {
		t.Errorf("the daemon was started %d times", starts)
	}
	r.gang("g", 4, "")
	r.wait(usual, "the last good topology serves", r.allBound("g", 4))
}

// TestD23_MemberBoundOutsideTheTreeIsAdopted: A member that was bound before the daemon came, on a node that
// the tree does not name, gets its rank.
func TestD23_MemberBoundOutsideTheTreeIsAdopted(t *testing.T) {
	nodes := []*cluster.Node{node("node-0", 4), node("elsewhere", 4)}
	r := start(t, nodes, options{paused: true})
	r.topology(`{"rack-0":{"node-0":{}}}`)
	r.group("g", 1, "")
	r.create(r.pod("g-0", label("sakkara.group.name", "g"), onNode("elsewhere")))
	r.begin()
	r.wait(usual, "its rank is written", func(v *cluster.View) error {
		if rank := v.Map(r.ns, "g").Data["rank"]; rank != "[(g-0,0)]" {
			return fmt.Errorf("rank %q", rank)
		}
		return r.allBound("g", 1)(v)
	})
}
