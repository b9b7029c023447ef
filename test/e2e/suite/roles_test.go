// SPDX-License-Identifier: Apache-2.0

package suite

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"testing"
	"time"

	"sakkara/test/e2e/suite/cluster"
)

// Gangs whose members have roles: rules between their pods, sets, and a leader that is lost.

// roleOf is a member of a role and, unless set is negative, of a set.
func roleOf(group, role string, set int, with ...change) []change {
	with = append(with, label("sakkara.group.name", group), label("app", group+"-"+role), annotation("sakkara.group.role", role))
	if set >= 0 {
		with = append(with, annotation("sakkara.group.set", strconv.Itoa(set)))
	}
	return with
}

// TestRoles_RulesOfWorkersHoldBesideALeader: A rule between the workers' pods is part of the plan of a gang that has a leader
// too: kube-scheduler refuses none of its pods, and no plan is made twice.
func TestRoles_RulesOfWorkersHoldBesideALeader(t *testing.T) {
	realOnly(t, "the model of kube-scheduler does not know rules between pods")
	sideBySide(t)
	for _, row := range []struct {
		name string
		n    int // workers
		rule change
		want string // workers by zone
	}{
		{"spread", 6, spread("spread-worker", "zone"), "z0:2 z1:2 z2:2"},
		{"apart", 3, affine("podAntiAffinity", "apart-worker", "zone"), "z0:1 z1:1 z2:1"},
		{"together", 12, affine("podAffinity", "together-worker", "zone"), "z0:12"},
		{"follow", 4, affine("podAffinity", "follow-leader", "zone"), "z0:4"},
	} {
		t.Run(row.name, func(t *testing.T) {
			bothWays(t, func(t *testing.T, withGate bool) {
				nodes, tree := zonedRacks()
				r := start(t, nodes, options{})
				r.topology(tree)
				r.groupMap(row.name, map[string]string{"name": row.name,
					"roles": fmt.Sprintf(`{"leader":{"size":1},"worker":{"size":%d}}`, row.n)})
				pods := []*cluster.Pod{r.pod(row.name+"-leader", roleOf(row.name, "leader", -1, cpu("2"), gate(withGate))...)}
				for _, name := range numbered(row.name, 0, row.n) {
					pods = append(pods, r.pod(name, roleOf(row.name, "worker", -1, row.rule, gate(withGate))...))
				}
				r.must(r.plane.CreatePods(pods...))
				r.wait(usual, "bound under the rule", r.boundAre(ofPrefix(row.name+"-"), row.n+1, row.n+1))
				zones := map[string]int{}
				r.rec.Look(func(v *cluster.View) {
					for _, pod := range v.Pods(r.ns, ofPrefix(row.name+"-")) {
						var node int
						if pod.Name != row.name+"-leader" {
							fmt.Sscanf(pod.Spec.NodeName, "node-%d", &node)
							zones[fmt.Sprintf("z%d", node/4)]++
						}
					}
				})
				if got := countText(zones); got != row.want {
					t.Errorf("workers by zone %q, want %q", got, row.want)
				}
			})
		})
	}
}

// TestRoles_SetsKeepTheirRackWhenALeaderIsLost: Two sets of a leader and three workers are bound, each in one rack, with ranks
// set by set. A leader that is deleted and made anew gets its rank in the rack of its set; no other member moves.
func TestRoles_SetsKeepTheirRackWhenALeaderIsLost(t *testing.T) {
	bothWays(t, func(t *testing.T, withGate bool) {
		r := startRacks(t, options{}, []int{4, 4}, []int{4, 4}, []int{1, 1})
		r.groupMap("g", map[string]string{"name": "g", "roles": `{"leader":{"size":2},"worker":{"size":6}}`,
			"constraints": `{"sets":[{"level":"rack","roles":{"leader":1,"worker":3},"exclusive":true}]}`})
		leader := func(set int) *cluster.Pod {
			return r.pod(fmt.Sprintf("g-leader-%d", set), roleOf("g", "leader", set, cpu("2"), gate(withGate))...)
		}
		pods := []*cluster.Pod{leader(0), leader(1)}
		for i, name := range numbered("g-worker", 0, 6) {
			pods = append(pods, r.pod(name, roleOf("g", "worker", i/3, gate(withGate))...))
		}
		r.must(r.plane.CreatePods(pods...))
		r.wait(usual, "both sets are bound", r.boundAre(ofPrefix("g-"), 8, 8))
		seats := func() (seats, racks map[string]string) {
			seats, racks = map[string]string{}, map[string]string{}
			r.rec.Look(func(v *cluster.View) {
				for _, pod := range v.Pods(r.ns, ofPrefix("g-")) {
					var node int
					fmt.Sscanf(pod.Spec.NodeName, "node-%d", &node)
					set, rack := pod.Annotations["sakkara.group.set"], fmt.Sprintf("rack-%d", node/2)
					if racks[set] != "" && racks[set] != rack {
						t.Errorf("set %s is in %s and in %s", set, racks[set], rack)
					}
					racks[set] = rack
					seats[pod.Name] = pod.Spec.NodeName + " " + pod.Labels["sakkara.member.rank"]
				}
			})
			return seats, racks
		}
		before, racks := seats()
		if racks["0"] == racks["1"] {
			t.Errorf("both sets are in %s", racks["0"])
		}
		for name, rank := range map[string]string{"g-leader-0": "0", "g-worker-0": "1", "g-leader-1": "4", "g-worker-5": "7"} {
			if got := before[name]; len(got) < 2 || got[len(got)-2:] != " "+rank {
				t.Errorf("%s has seat and rank %q, wanted rank %s", name, got, rank)
			}
		}
		r.must(r.plane.Admin.Delete(r.podPath("g-leader-1")))
		r.wait(usual, "the leader is gone", r.boundAre(ofPrefix("g-"), 7, 7))
		r.create(leader(1))
		r.wait(usual, "the new leader is bound", r.boundAre(ofPrefix("g-"), 8, 8))
		after, now := seats()
		if now["1"] != racks["1"] {
			t.Errorf("set 1 was in %s and is in %s", racks["1"], now["1"])
		}
		for name, seat := range before {
			if name != "g-leader-1" && after[name] != seat {
				t.Errorf("%s had seat and rank %q and has %q", name, seat, after[name])
			}
		}
		if got := after["g-leader-1"]; len(got) < 2 || got[len(got)-2:] != " 4" {
			t.Errorf("the new leader has seat and rank %q, wanted rank 4", got)
		}
	})
}

// TestRoles_AMapChangesWhileItsMembersRun: A second set is bound when it is whole, not before. Roles with other names wait, with a
// warning, until the members that run have gone; a leader that is lost meanwhile is replaced as one.
func TestRoles_AMapChangesWhileItsMembersRun(t *testing.T) {
	bothWays(t, func(t *testing.T, withGate bool) {
		r := startRacks(t, options{}, []int{4}, []int{4})
		r.anyRetries("they count from the creation of a pod")
		edit := func(roles, names string) {
			constraints := `{"sets":[{"level":"rack","roles":{` + names + `},"exclusive":true}]}`
			patch, _ := json.Marshal(map[string]any{"data": map[string]string{"roles": roles, "constraints": constraints}})
			r.must(r.plane.Admin.MergePatch(r.mapPath("g"), string(patch)))
		}
		member := func(name, role string, set int) *cluster.Pod {
			return r.pod(name, roleOf("g", role, set, gate(withGate))...)
		}
		r.groupMap("g", map[string]string{"name": "g"})
		edit(`{"leader":{"size":1},"worker":{"size":2}}`, `"leader":1,"worker":2`)
		r.must(r.plane.CreatePods(member("l-0", "leader", 0), member("w-0", "worker", 0), member("w-1", "worker", 0)))
		r.wait(usual, "the first set is bound", r.boundAre(ofPrefix(""), 3, 3))
		edit(`{"leader":{"size":2},"worker":{"size":4}}`, `"leader":1,"worker":2`)
		r.must(r.plane.CreatePods(member("w-2", "worker", 1), member("w-3", "worker", 1)))
		r.wait(usual, "half a set is there", r.boundAre(ofPrefix(""), 5, 3))
		r.quiet(2*time.Second, "half a set waits", r.boundAre(ofPrefix(""), 5, 3))
		r.create(member("l-1", "leader", 1))
		r.wait(usual, "the second set is bound", r.boundAre(ofPrefix(""), 6, 6))
		r.wait(usual, "each set is in a rack", func(v *cluster.View) error {
			if sets := v.Map(r.ns, "g").Data["sets"]; sets != `{"0":"rack-0","1":"rack-1"}` {
				return errors.New(sets)
			}
			return nil
		})
		edit(`{"head":{"size":1},"worker":{"size":2}}`, `"head":1,"worker":2`)
		warned := func(yes bool) func(*cluster.View) error {
			return func(v *cluster.View) error {
				if data := v.Map(r.ns, "g").Data; contains(data["conditions"], `"RolesChanged"`) != yes {
					return errors.New(data["conditions"])
				}
				return nil
			}
		}
		r.wait(usual, "a warning says that the map waits", warned(true))
		r.must(r.plane.Admin.Delete(r.podPath("l-1")))
		r.wait(usual, "a leader is gone", r.boundAre(ofPrefix(""), 5, 5))
		r.create(member("l-2", "leader", 1))
		r.wait(usual, "it is replaced as a leader", r.boundAre(ofPrefix(""), 6, 6))
		for _, name := range []string{"l-0", "l-2", "w-0", "w-1", "w-2", "w-3"} {
			r.must(r.plane.Admin.Delete(r.podPath(name)))
		}
		r.wait(usual, "all have gone", r.boundAre(ofPrefix(""), 0, 0))
		r.must(r.plane.CreatePods(member("h-0", "head", 0), member("x-0", "worker", 0), member("x-1", "worker", 0)))
		r.wait(usual, "the next generation is bound", r.boundAre(ofPrefix(""), 3, 3))
		r.wait(usual, "the warning is gone", warned(false))
		if got := r.seat("h-0"); got.rank != "0" {
			t.Errorf("the head has rank %q", got.rank)
		}
	})
}

// TestRoles_ALeaderComesBackBeforeAWorker: A leader, whose node has been closed, and a worker are lost. The leader comes back first.
// It does not take the room that is held for the worker, which its rule keeps in this rack; both are bound, and no other
// member moves. Meanwhile the group says which role lacks pods.
func TestRoles_ALeaderComesBackBeforeAWorker(t *testing.T) {
	bothWays(t, func(t *testing.T, withGate bool) {
		r := startRacks(t, options{}, []int{7, 3}, []int{4, 4})
		r.anyRetries("they count from the creation of a pod")
		r.groupMap("g", map[string]string{"name": "g", "roles": `{"leader":{"size":1},"worker":{"size":3}}`,
			"constraints": `{"roles":{"worker":{"rack":{"hard":true}}}}`})
		leader := func(name string) *cluster.Pod { return r.pod(name, roleOf("g", "leader", -1, gate(withGate))...) }
		worker := func(name string) *cluster.Pod {
			return r.pod(name, roleOf("g", "worker", -1, cpu("3"), gate(withGate))...)
		}
		r.must(r.plane.CreatePods(leader("l-0"), worker("w-0"), worker("w-1"), worker("w-2")))
		r.wait(usual, "bound", r.allBound("g", 4))
		r.expectPlaced("g", "node-0:3 node-1:1")
		before := r.seat("w-0")
		var lost string
		r.rec.Look(func(v *cluster.View) {
			for _, pod := range v.Pods(r.ns, of("g")) {
				if pod.Spec.NodeName == "node-1" {
					lost = pod.Name
				}
			}
		})
		r.must(r.plane.Admin.MergePatch("/api/v1/nodes/node-0", `{"spec":{"unschedulable":true}}`))
		r.must(r.plane.Admin.Delete(r.podPath("l-0")))
		r.must(r.plane.Admin.Delete(r.podPath(lost)))
		r.wait(usual, "two are gone", r.boundAre(ofPrefix(""), 2, 2))
		r.create(leader("l-1"))
		r.wait(usual, "the leader is back", r.boundAre(ofPrefix(""), 3, 3))
		if got := r.seat("l-1"); got.node != "node-2" || got.rank != "0" {
			t.Errorf("the leader has %+v", got)
		}
		r.wait(usual, "the group says who is missing", func(v *cluster.View) error {
			want := "group g: 1 of 1 leader pods bound, 2 of 3 worker pods bound"
			if data := v.Map(r.ns, "g").Data; data["reason"] != "MembersMissing" || data["message"] != want {
				return fmt.Errorf("%v", data)
			}
			return nil
		})
		r.create(worker("w-9"))
		r.wait(usual, "the worker is back", r.allBound("g", 4))
		if got := r.seat("w-9"); got.node != "node-1" {
			t.Errorf("the worker has %+v", got)
		}
		if after := r.seat("w-0"); lost != "w-0" && after != before {
			t.Errorf("w-0 had %+v and has %+v", before, after)
		}
	})
}
