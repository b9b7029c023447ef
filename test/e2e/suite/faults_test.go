// SPDX-License-Identifier: Apache-2.0

package suite

import (
	"slices"
	"strings"
	"testing"
	"time"

	"sakkara/test/e2e/suite/cluster"
)

// A slow or failing API server, hopeless groups, slow writes.

// TestD32_FailedPatchLosesNothing: A nomination or the removal of a gate, a plan and a Binding that the API server answers with 500
// are repeated, and nothing is lost.
func TestD32_FailedPatchLosesNothing(t *testing.T) {
	bothWays(t, func(t *testing.T, withGate bool) {
		r := startRacks(t, options{}, []int{4, 4})
		r.proxy.Refuse(500, func(write *cluster.Write) bool {
			return nomination(write) || write.Method == "PATCH" && contains(write.Body, "schedulingGates")
		})
		r.proxy.Refuse(500, func(write *cluster.Write) bool { return write.Is("PATCH", "/configmaps/g") })
		r.proxy.Refuse(500, func(write *cluster.Write) bool { return write.Is("POST", "/binding") })
		r.gang("g", 8, "", gate(withGate))
		r.wait(usual, "bound", r.allBound("g", 8))
		r.expectReport("g", 8)
		refused := 0
		for _, write := range r.proxy.Writes() {
			if write.Status == 500 {
				refused++
			}
		}
		if refused != 3 {
			t.Errorf("%d writes were refused, want 3", refused)
		}
	})
}

// TestD33_HopelessGroupsDoNotSpin: A group that can never fit says so and then costs no write at all.
func TestD33_HopelessGroupsDoNotSpin(t *testing.T) {
	bothWays(t, func(t *testing.T, withGate bool) {
		r := startRacks(t, options{}, []int{20, 20})
		r.gang("g", 100, "", gate(withGate))
		r.wait(usual, "the reason is known", r.reason("g", "Ready", "NeverFits"))
		if !withGate {
			r.wait(usual, "all were turned away", r.told("", numbered("g", 0, 100)...))
		}
		if withGate {
			r.waitTold("g", 100)
		} else {
			r.waitTold("g", 1)
			r.anyLabels("a patch of it wakes members that were asked before it was known that nothing fits; who that is, is chance")
		}
		// What else may still be on its way comes to an end; then nothing moves.
		settled := func() int {
			return r.proxy.Count(func(write *cluster.Write) bool {
				return write.Method != "GET" && !strings.Contains(write.Path, "/leases/") // which is renewed for ever
			})
		}
		before, quietSince := settled(), time.Now()
		deadline := time.Now().Add(usual)
		for time.Since(quietSince) < 8*time.Second {
			if now := settled(); now != before {
				before, quietSince = now, time.Now()
			}
			if time.Now().After(deadline) {
				t.Fatalf("writes for a hopeless group do not end: %d", before)
			}
			time.Sleep(100 * time.Millisecond)
		}
	})
}

// TestD34_SlowAPIServerDoesNotStallScheduling: With an API server that takes two seconds for each request,
// filter still answers in a twentieth of that, and no call takes as long as one request: none waits for the API server.
func TestD34_SlowAPIServerDoesNotStallScheduling(t *testing.T) {
	r := startRacks(t, options{}, []int{9, 9}, []int{9, 9})
	const latency = 2 * time.Second
	r.proxy.Delay(latency)
	r.group("a", 8, "")
	r.group("b", 8, "")
	r.members("a", 8)
	r.members("b", 8)
	r.wait(2*usual, "a bound", r.allBound("a", 8))
	r.wait(2*usual, "b bound", r.allBound("b", 8))
	r.proxy.Delay(0)
	var took []time.Duration
	for _, call := range r.tap.Calls() {
		if call.Verb == "filter" && call.Status != 0 {
			took = append(took, call.Took)
		}
	}
	slices.Sort(took)
	p50, longest := took[len(took)/2], took[len(took)-1]
	t.Logf("filter: %d calls, p50 %v, longest %v", len(took), p50, longest)
	if p50 > latency/20 || longest >= latency {
		t.Errorf("filter takes %v, at most %v, with an API server that takes %v", p50, longest, latency)
	}
}

// TestD35_LargeGangsMeetNoCliff: A gang of 2,000 is bound by a daemon that may write 50 times a second.
func TestD35_LargeGangsMeetNoCliff(t *testing.T) {
	if testing.Short() {
		t.Skip("takes two minutes")
	}
	var slots [][]int
	for range 5 {
		slots = append(slots, []int{100, 100, 100, 100})
	}
	r := startRacks(t, options{daemon: cluster.DaemonOptions{QPS: 50}}, slots...)
	r.anyEvents("members that wait for more than five seconds are told")
	r.gang("g", 2000, "")
	r.wait(6*usual, "bound", r.podsBound("g", 2000))
	r.wait(3*usual, "reported", r.allBound("g", 2000))
}
