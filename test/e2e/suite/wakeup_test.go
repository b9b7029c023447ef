// SPDX-License-Identifier: Apache-2.0

package suite

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"sakkara/test/e2e/suite/cluster"
)

// When kube-scheduler asks again, and when it leaves waiting pods in peace. These rules differ between
// versions and are run on all of them.

// promptly is how long a wake-up may take: before 1.33 a pod sits out its backoff.
func promptly() time.Duration {
	if minor() < 33 {
		return 15 * time.Second
	}
	return 10 * time.Second
}

// TestWakeup_TurnedAwayMembersAreLeftInPeace: Members that were turned away cause no calls until something
// changes.
func TestWakeup_TurnedAwayMembersAreLeftInPeace(t *testing.T) {
	r := startRacks(t, options{}, []int{4, 4})
	r.group("g", 4, "")
	r.members("g", 3)
	r.wait(usual, "they wait for the fourth", r.reason("g", "Waiting", "MembersMissing"))
	if n := r.calmFilters(4 * time.Second); n > 3*6 {
		t.Errorf("%d filter calls for 3 waiting members", n)
	}
}

// calmFilters waits until there was no filter call for a while, and returns how many there have been:
// attempts caused by each other's creation and by kube-scheduler's own status patches come to an end.
func (r *run) calmFilters(while time.Duration) int {
	r.Helper()
	deadline := time.Now().Add(usual)
	for before, since := r.filters(), time.Now(); time.Since(since) < while; time.Sleep(20 * time.Millisecond) {
		if now := r.filters(); now != before {
			before, since = now, time.Now()
		}
		if time.Now().After(deadline) {
			r.Fatalf("%d filter calls for waiting members, and no end", before)
		}
	}
	return r.filters()
}

// filters counts the filter calls so far.
func (r *run) filters() (n int) {
	for _, call := range r.tap.Calls() {
		if call.Verb == "filter" {
			n++
		}
	}
	return n
}

// TestWakeup_NominationBringsMembersBack: The last member's arrival brings the others back at once, with one patch and
// one Binding each: a nomination, and kube-scheduler asks about that node alone; or the removal of a gate, since with so
// few nodes kube-scheduler asks about all of them.
func TestWakeup_NominationBringsMembersBack(t *testing.T) {
	bothWays(t, func(t *testing.T, withGate bool) {
		r := startRacks(t, options{}, []int{4, 4}, []int{9, 9})
		r.group("g", 4, "")
		r.members("g", 3, gate(withGate))
		r.wait(usual, "they wait for the fourth", r.reason("g", "Waiting", "MembersMissing"))
		r.calmFilters(500 * time.Millisecond)
		r.create(r.pod("g-last", label("sakkara.group.name", "g"), gate(withGate)))
		r.wait(promptly(), "bound soon after the last member came", r.podsBound("g", 4))
		passed := map[string]cluster.Call{}
		for _, call := range r.tap.Calls() {
			if call.Verb == "filter" && len(call.Allowed) > 0 {
				passed[call.Pod] = call
			}
		}
		for name, call := range passed {
			if (withGate || name == "g-last") && call.Nominated == "" && len(call.Allowed) == 1 {
				continue // the last one's first attempt may come when the plan is there and the nomination is not
			}
			if len(call.Asked) != 1 || call.Asked[0] != call.Nominated || !slices.Equal(call.Allowed, call.Asked) {
				t.Errorf("%s passed with nomination %q, asked about %q, allowed %q", name, call.Nominated, call.Asked, call.Allowed)
			}
		}
		if len(passed) != 4 {
			t.Errorf("%d members passed filter", len(passed))
		}
		if minor() >= 35 {
			r.wait(usual, "all writes are answered", r.allBound("g", 4))
			want := map[string]int{"nominations": 4, "bindings": 4, "other patches of pods": 0}
			if withGate {
				want = map[string]int{"nominations": 0, "bindings": 4, "other patches of pods": 4}
			} else if r.writes()["nominations"] == 3 {
				want["nominations"] = 3 // kube-scheduler came to the last one when the plan was there
			}
			r.expectWrites(want)
		}
	})
}

// expectWrites counts the successful writes to pods; gated members may have been labelled Waiting before.
func (r *run) expectWrites(want map[string]int) {
	r.Helper()
	if got := r.writes(); fmt.Sprint(got) != fmt.Sprint(want) {
		r.Errorf("writes %v, want %v", got, want)
	}
}

func (r *run) writes() map[string]int {
	got := map[string]int{"nominations": 0, "bindings": 0, "other patches of pods": 0}
	for _, write := range r.proxy.Writes() {
		switch {
		case write.Status/100 != 2:
		case nomination(&write):
			got["nominations"]++
		case write.Is("POST", "/binding"):
			got["bindings"]++
		case write.Method == "PATCH" && contains(write.Path, "/pods/") && !contains(write.Body, `"Waiting"`) && !contains(write.Body, `"Ready"`):
			got["other patches of pods"]++
		}
	}
	return got
}

// labelsTravel waits until the daemon knows that labels of Bindings reach pods, as from 1.35 on.
func (r *run) labelsTravel() {
	r.Helper()
	r.wait(usual, "the API server's version is known", func(*cluster.View) error {
		if _, page := r.daemon.AdminGet("/metrics"); !contains(page, "\nsakkara_binding_labels 1\n") {
			return fmt.Errorf("it is not")
		}
		return nil
	})
}

// planStands waits until the daemon knows that the group's plan was written: who is tried before is nominated.
func (r *run) planStands(group string) {
	r.Helper()
	r.planOf(group)
	r.wait(usual, "all writes are answered", func(*cluster.View) error {
		if _, idle := r.written(); !idle {
			return fmt.Errorf("some are not")
		}
		return nil
	})
}

// boundByBindingsAlone makes a group of eight, lets kube-scheduler come when its plan stands, and expects one write a
// member where labels travel in Bindings.
func boundByBindingsAlone(r *run, group string) {
	r.Helper()
	if minor() >= 35 {
		r.labelsTravel()
	}
	r.gang(group, 8, "")
	r.planStands(group)
	r.startScheduler()
	r.wait(usual, "bound", r.allBound(group, 8))
	if minor() >= 35 {
		r.expectWrites(map[string]int{"nominations": 0, "bindings": 8, "other patches of pods": 0})
	}
}

// TestWakeup_WhoNeedsNoWakingIsBoundInOneWrite: Members without gates that kube-scheduler comes to when their plan stands
// are not patched: their Bindings bring labels and annotation, and the first ones the plan of all.
func TestWakeup_WhoNeedsNoWakingIsBoundInOneWrite(t *testing.T) {
	nodes, tree := racks([]int{4, 4}, []int{4, 4})
	r := start(t, nodes, options{paused: true})
	r.must(r.daemon.Start())
	r.topology(tree)
	boundByBindingsAlone(r, "g")
}

// TestWakeup_WhereAllNodesAreLookedAtNobodyIsNominated: Of a kube-scheduler that looks at each of 120 nodes that is learned
// from its first call, and its members need no nomination; one that takes a sample has all of them nominated.
func TestWakeup_WhereAllNodesAreLookedAtNobodyIsNominated(t *testing.T) {
	sideBySide(t)
	t.Run("all", func(t *testing.T) {
		r := spared(t, 100)
		boundByBindingsAlone(r, "u")
		before := r.writes()["nominations"]
		r.gang("g", 4, "", gated)
		r.wait(usual, "bound", r.allBound("g", 4))
		if nominations := r.writes()["nominations"]; nominations != before {
			t.Errorf("%d nominations for 4 gated members", nominations-before)
		}
	})
	t.Run("sample", func(t *testing.T) {
		r := spared(t, cluster.ByItself)
		r.startScheduler()
		r.create(r.pod("first"))
		r.wait(usual, "an ordinary pod is bound", r.bound("first"))
		r.must(r.plane.Admin.Delete(r.podPath("first")))
		r.gang("g", 4, "", gated)
		r.wait(usual, "bound", r.allBound("g", 4))
		r.expectWrites(map[string]int{"nominations": 4, "bindings": 5, "other patches of pods": 4})
	})
}

// spared has 120 nodes with room for a member each, and a kube-scheduler that does not run yet.
func spared(t *testing.T, percentage int) *run {
	var slots [][]int
	for range 12 {
		slots = append(slots, []int{1, 1, 1, 1, 1, 1, 1, 1, 1, 1})
	}
	nodes, tree := racks(slots...)
	r := start(t, nodes, options{paused: true, scheduler: cluster.SchedulerOptions{Percentage: percentage}})
	r.must(r.daemon.Start())
	r.topology(tree)
	return r
}

// TestWakeup_FreedCapacity: Room that becomes free wakes the group that waits for it.
func TestWakeup_FreedCapacity(t *testing.T) {
	bothWays(t, func(t *testing.T, withGate bool) {
		nodes, tree := racks([]int{4, 4})
		r := start(t, nodes, options{paused: true})
		r.fill("node-0", 2)
		r.begin()
		r.topology(tree)
		r.gang("g", 8, "", gate(withGate))
		r.wait(usual, "too little room", r.reason("g", "Ready", "WaitingForCapacity"))
		r.must(r.plane.Admin.Delete(r.podPath("load-node-0-0")))
		r.must(r.plane.Admin.Delete(r.podPath("load-node-0-1")))
		r.wait(promptly(), "bound when the load is gone", r.podsBound("g", 8))
	})
}

// TestWakeup_ConstraintsRelaxed: Weaker constraints wake the group they held up.
func TestWakeup_ConstraintsRelaxed(t *testing.T) {
	bothWays(t, func(t *testing.T, withGate bool) {
		r := startRacks(t, options{}, []int{4, 3}, []int{4, 3})
		r.gang("g", 8, `{"rack":{"hard":true}}`, gate(withGate))
		r.wait(usual, "no rack holds eight", func(v *cluster.View) error {
			if status := r.statusOf(v, "g"); status != "Ready" || v.Map(r.ns, "g").Data["reason"] == "" {
				return fmt.Errorf("%v", v.Map(r.ns, "g").Data)
			}
			return nil
		})
		r.must(r.plane.Admin.MergePatch(r.mapPath("g"), `{"data":{"constraints":"{}"}}`))
		r.wait(promptly(), "bound over two racks", r.podsBound("g", 8))
	})
}
