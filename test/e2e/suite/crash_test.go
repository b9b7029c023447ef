// SPDX-License-Identifier: Apache-2.0

package suite

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"sakkara/test/e2e/suite/cluster"
)

// TestDaemonKilledAtEveryWrite kills the daemon before or after its k-th write to the API server for every k
// until a gang of eight goes its whole way with fewer. After the restart all members end bound, each exactly
// once, and never a part of them before the point of no return.
func TestDaemonKilledAtEveryWrite(t *testing.T) {
	sideBySide(t)
	moments := map[string]cluster.Moment{"before": cluster.BeforeForwarding, "after": cluster.AfterForwarding}
	for name, moment := range moments {
		t.Run(name, func(t *testing.T) {
			sideBySide(t)
			if moment == cluster.BeforeForwarding && testing.Short() {
				t.Skip("the API server's state is that of the write before")
			}
			bothWays(t, func(t *testing.T, withGate bool) {
				r := startRacks(t, options{}, []int{4, 4}, []int{4, 4})
				r.anyEvents("some die with the daemon")
				k := 1
				for r.killedAt(k, moment, withGate, nil) {
					k++
				}
				least := 11 // 8 Bindings and the group's own, when kube-scheduler comes to everybody late enough
				if withGate || minor() < 35 {
					least = 18
				}
				if k < least {
					t.Errorf("a gang of 8 took %d writes: the kill did not see them all", k-1)
				}
				t.Logf("killed at each of %d writes", k-1)
			})
		})
	}
}

// TestDaemonKilledInsideAnAbort kills the daemon at its k-th write for every k while a plan is given up: a
// planned node is tainted when all but one member are parked. All members end bound elsewhere.
func TestDaemonKilledInsideAnAbort(t *testing.T) {
	bothWays(t, func(t *testing.T, withGate bool) {
		r := startRacks(t, options{}, []int{4, 4}, []int{4, 4})
		r.anyEvents("some die with the daemon")
		k := 1
		for r.killedAt(k, cluster.AfterForwarding, withGate, func(group string, arm func()) {
			release := r.hold(group, 7)
			r.gang(group, 8, `{"rack":{"hard":true}}`, gate(withGate))
			r.waitVotes(group, 8)
			plan := r.planOf(group)
			arm()
			r.must(r.plane.Admin.MergePatch("/api/v1/nodes/node-0", `{"spec":{"taints":[{"key":"broken","effect":"NoSchedule"}]}}`))
			// The last vote may not come before the abort: the plan would be carried out.
			r.wait(usual, "the plan is given up", func(v *cluster.View) error {
				if now := cluster.PlanOf(&v.Map(r.ns, group).Meta); now != nil && now.ID == plan {
					return fmt.Errorf("still in force")
				}
				return nil
			})
			release()
		}) {
			r.must(r.plane.Admin.MergePatch("/api/v1/nodes/node-0", `{"spec":{"taints":null}}`))
			k++
		}
		t.Logf("killed at each of %d writes", k-1)
	})
}

// TestDaemonKilledInItsFirstBindings: A daemon dies when the first members of a gang are bound, none of which was patched
// before, and the group's map is deleted while it is down: what the Bindings brought tells who else belongs to it.
func TestDaemonKilledInItsFirstBindings(t *testing.T) {
	const members = 24 // more than are bound at a time
	nodes, tree := racks([]int{8, 8}, []int{8, 8})
	r := start(t, nodes, options{paused: true})
	r.anyEvents("some die with the daemon")
	r.must(r.daemon.Start())
	r.topology(tree)
	if minor() >= 35 {
		r.labelsTravel()
	}
	r.gang("g", members, "")
	r.planOf("g")
	dead := make(chan struct{})
	bindings := 0
	r.proxy.KillBefore(func(write *cluster.Write) bool {
		if write.Is("POST", "/binding") {
			bindings++
		}
		return bindings == 2
	}, func() {
		for !r.somebodyIsBound() { // the first one arrives
			time.Sleep(10 * time.Millisecond)
		}
		r.daemon.Kill()
		close(dead)
	})
	r.startScheduler()
	select {
	case <-dead:
	case <-time.After(usual):
		r.Fatal("there were no two Bindings, or the first one did not arrive")
	}
	r.must(r.plane.Admin.Delete(r.mapPath("g")))
	r.must(r.daemon.Start())
	r.wait(usual, "the gang is whole without its map", r.podsBound("g", members))
	r.wait(usual, "each has a rank of its own", func(v *cluster.View) error {
		ranks := map[string]bool{}
		for _, pod := range v.Pods(r.ns, of("g")) {
			ranks[pod.Labels["sakkara.member.rank"]] = true
		}
		if len(ranks) != members || ranks[""] {
			return fmt.Errorf("%d ranks", len(ranks))
		}
		return nil
	})
}

func (r *run) somebodyIsBound() bool {
	var list cluster.List[cluster.Pod]
	if r.plane.Admin.Get("/api/v1/namespaces/"+r.ns+"/pods", &list) != nil {
		return false
	}
	return slices.ContainsFunc(list.Items, func(pod cluster.Pod) bool { return pod.Bound() })
}

// killedAt plays one gang with the daemon killed at its k-th write, and tells whether it made that many.
// The scenario creates the group and arms the kill; nil is the plain happy path.
func (r *run) killedAt(k int, moment cluster.Moment, withGate bool, scenario func(group string, arm func())) (killed bool) {
	r.Helper()
	group := fmt.Sprintf("k%d", k)
	dead := make(chan struct{})
	arm := func() {
		r.proxy.KillAt(k, moment, func() {
			r.daemon.Kill()
			close(dead)
		})
	}
	if scenario == nil {
		scenario = func(group string, arm func()) {
			arm()
			r.gang(group, 8, "", gate(withGate))
		}
	}
	restarted := make(chan error, 1)
	over := make(chan struct{})
	go func() {
		select {
		case <-dead:
			restarted <- r.daemon.Start()
		case <-over:
			restarted <- nil
		}
	}()
	scenario(group, arm)
	err := r.rec.Wait(usual, fmt.Sprintf("bound after a kill at write %d", k), r.allBound(group, 8))
	killed = !r.proxy.KillAt(0, moment, nil)
	if !killed {
		close(over)
	}
	r.must(<-restarted)
	r.must(err)
	r.removeGroup(group)
	return killed
}
