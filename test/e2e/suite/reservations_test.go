// SPDX-License-Identifier: Apache-2.0

package suite

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"sakkara/test/e2e/suite/cluster"
)

// Reservations: room that is kept from a later instant on for a group that waits.

// arrives creates a group of n members that runs for at most so many seconds.
func (r *run) arrives(name string, n int, seconds int) {
	r.Helper()
	r.groupMap(name, map[string]string{"size": fmt.Sprint(n), "run-limit": fmt.Sprintf("%ds", seconds)})
	r.members(name, n, gate(true))
}

// promise is the first start that was told to a group and when its place was taken; false: none was told yet.
func (r *run) promise(group string) (promised, since time.Time, told bool) {
	r.Helper()
	var stored struct{ Promised, Since time.Time }
	r.rec.Look(func(v *cluster.View) {
		text := v.Map(r.ns, group).Annotations["sakkara.reservation"]
		told = text != ""
		if told {
			r.must(json.Unmarshal([]byte(text), &stored))
		}
	})
	return stored.Promised, stored.Since, told
}

// TestReservations_AStreamOfSmallGroupsDoesNotKeepALargeOneWaiting: Gangs of one arrive without end, each for at most 12 s,
// and fill all four nodes. A gang of four is promised a start within that limit. Until then no gang starts that ends
// later, and the gang of four is bound while the stream goes on. /v1/timeline has the reservation.
func TestReservations_AStreamOfSmallGroupsDoesNotKeepALargeOneWaiting(t *testing.T) {
	const limit, every, most = 12, 3 * time.Second, 40
	r := startRacks(t, options{}, []int{1, 1, 1, 1})
	r.anyEvents("which gangs of the stream wait, and for how long, is chance")
	r.anyNode("big-", "which nodes it gets first is chance")
	n := 0
	more := func() {
		r.arrives(fmt.Sprintf("s-%d", n), 1, limit)
		n++
		time.Sleep(every)
	}
	for n < 4 {
		more()
	}
	r.arrives("big", 4, limit)
	var promised, since time.Time
	bound, drawn := false, false
	for !bound {
		if n == most {
			r.Fatalf("big is not bound beside %d gangs, promised %v", n, promised)
		}
		more()
		if first, at, told := r.promise("big"); told && promised.IsZero() {
			promised, since = first, at
		}
		_, page := r.daemon.AdminGet("/v1/timeline?hours=1")
		drawn = drawn || contains(page, `"name":"big"`)
		r.rec.Look(func(v *cluster.View) { bound = r.podsBound("big", 4)(v) == nil })
	}
	if promised.IsZero() || promised.Sub(since) > (limit+1)*time.Second {
		t.Errorf("promised for %v at %v", promised, since)
	}
	if !drawn {
		t.Error("/v1/timeline never had the reservation of big")
	}
	r.rec.Look(func(v *cluster.View) {
		for i := range n {
			pod := v.Pod(r.ns, fmt.Sprintf("s-%d-0", i))
			if start := pod.Status.StartTime; start.After(since.Add(every)) && start.Before(promised) &&
				start.Add(limit*time.Second).After(promised) {
				t.Errorf("%s started at %v, in front of %v", pod.Name, start, promised)
			}
		}
	})
	for i := range n {
		r.removeGroup(fmt.Sprintf("s-%d", i))
	}
	r.removeGroup("big")
}
