// SPDX-License-Identifier: Apache-2.0

package suite

import (
	"fmt"
	"testing"
	"time"

	"sakkara/test/e2e/suite/cluster"
)

// What the daemon finds when it comes, or comes back.

// TestD28_StaleLinksToPreemptorsVanish: A map that says that its group gave way to one which is gone loses the link, and its gang
// is bound like any other.
func TestD28_StaleLinksToPreemptorsVanish(t *testing.T) {
	r := startRacks(t, options{paused: true}, []int{2, 2})
	r.groupMap("g", map[string]string{"name": "g", "size": "3", "priority": "0", "status": "Preempted", "preemptor": r.ns + "/gone"})
	r.members("g", 3, gated)
	r.begin()
	r.wait(usual, "bound", r.allBound("g", 3))
	r.wait(usual, "the link is gone", func(v *cluster.View) error {
		if link, there := v.Map(r.ns, "g").Data["preemptor"]; there {
			return fmt.Errorf("preemptor is %q", link)
		}
		return nil
	})
}

// TestD29_MissedDeletesAreNoticed: Two bound members go while the daemon sees no API server, and the changes are too old to
// be watched when it does again: the list shows it. A pod of the same name, and one of another, take the seats.
func TestD29_MissedDeletesAreNoticed(t *testing.T) {
	r := startRacks(t, options{}, []int{2, 2})
	r.gang("g", 4, "", gated)
	r.wait(usual, "running", r.podsRunning("g", 4))
	r.wait(usual, "bound", r.allBound("g", 4))
	seats := []seat{r.seat("g-1"), r.seat("g-2")}
	end := r.proxy.Outage()
	for _, name := range []string{"g-1", "g-2"} {
		r.must(r.plane.Admin.Delete(r.podPath(name)))
	}
	r.wait(usual, "two are gone", r.podsBound("g", 2))
	r.create(r.pod("g-1", label("sakkara.group.name", "g"), gated))
	end()
	r.wait(usual, "the name that came back is bound", r.podsBound("g", 3))
	r.create(r.pod("g-new", label("sakkara.group.name", "g"), gated))
	r.wait(usual, "the other seat is taken", r.podsBound("g", 4))
	r.wait(usual, "the group is whole", r.allBound("g", 4))
	if got := []seat{r.seat("g-1"), r.seat("g-new")}; fmt.Sprint(got) != fmt.Sprint(seats) {
		t.Errorf("the replacements have %v, the lost members had %v", got, seats)
	}
}

// TestD47_TheOrderOfRecoveryDoesNotMatter: A daemon that is killed while members are held takes the plan up again, patches nobody who was
// told and plans nothing, whether it sees the pods late, the maps or the nodes.
func TestD47_TheOrderOfRecoveryDoesNotMatter(t *testing.T) {
	r := startRacks(t, options{}, []int{4, 4})
	r.anyEvents("some die with the daemon")
	release := r.hold("g", 0) // calls that break when the daemon dies would cost the members their nominations
	r.gang("g", 6, "", gated)
	r.waitVotes("g", 6)
	plan := r.planOf("g")
	for _, late := range []string{"/pods", "/configmaps", "/nodes"} {
		r.daemon.Kill()
		before := len(r.proxy.Writes())
		r.proxy.DelayOnly(late, 300*time.Millisecond)
		r.must(r.daemon.Start()) // returns when it knows everything
		r.rec.Settle(200*time.Millisecond, usual)
		if now := r.planOf("g"); now != plan {
			t.Errorf("%s late: plan %s, before %s", late, now, plan)
		}
		for _, write := range r.proxy.Writes()[before:] {
			if nomination(&write) || contains(write.Path, "/configmaps/") {
				t.Errorf("%s late: %s %s %s", late, write.Method, write.Path, write.Body)
			}
		}
	}
	r.proxy.DelayOnly("", 0)
	release()
	r.wait(usual, "bound", r.allBound("g", 6))
}
