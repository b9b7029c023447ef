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

// reservation is what is written of that of a group.
type reservation struct{ Start, Since time.Time }

// promise is the reservation of a group; false: none was told yet.
func (r *run) promise(group string) (stored reservation, told bool) {
	r.Helper()
	r.rec.Look(func(v *cluster.View) { stored, told = r.promised(v, group) })
	return stored, told
}

// promised is the same in a view.
func (r *run) promised(v *cluster.View, group string) (stored reservation, told bool) {
	r.Helper()
	text := v.Map(r.ns, group).Annotations["sakkara.reservation"]
	if text != "" {
		r.must(json.Unmarshal([]byte(text), &stored))
	}
	return stored, text != ""
}

// TestReservations_AStreamOfSmallGroupsDoesNotKeepALargeOneWaiting: Gangs of one arrive without end, each for at most 12 s,
// and fill all four nodes. A gang of four is promised a start within that limit. Until then no gang starts that ends
// later, nor a single pod of any profile of kube-scheduler, also if the daemon is killed meanwhile; and the gang of four is
// bound while the stream goes on. /v1/timeline has the reservation.
func TestReservations_AStreamOfSmallGroupsDoesNotKeepALargeOneWaiting(t *testing.T) {
	const limit, every, most = 12, 3 * time.Second, 40
	r := startRacks(t, options{}, []int{1, 1, 1, 1})
	r.anyEvents("which gangs of the stream wait, and for how long, is chance; some die with the daemon")
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
	var first reservation
	bound, drawn := false, false
	for !bound {
		if n == most {
			r.Fatalf("big is not bound beside %d gangs, promised %v", n, first)
		}
		more()
		now, told := r.promise("big")
		_, page := r.daemon.AdminGet("/v1/timeline?hours=1")
		drawn = drawn || contains(page, `"name":"big"`)
		if told && first.Start.IsZero() {
			first = now
			r.create(r.pod("single"), r.pod("plain", scheduledBy("plain")))
			r.daemon.Kill()
			r.must(r.daemon.Start())
		} else if told && now.Start.After(first.Start.Add(30*time.Second)) {
			t.Errorf("promised %v first, then %v", first, now)
		}
		r.rec.Look(func(v *cluster.View) { bound = r.podsBound("big", 4)(v) == nil })
	}
	if first.Start.IsZero() || first.Start.Sub(first.Since) > (limit+1)*time.Second {
		t.Errorf("promised for %v at %v", first.Start, first.Since)
	}
	if !drawn {
		t.Error("/v1/timeline never had the reservation of big")
	}
	r.rec.Look(func(v *cluster.View) {
		for i := range n {
			pod := v.Pod(r.ns, fmt.Sprintf("s-%d-0", i))
			if start := pod.Status.StartTime; start.After(first.Since.Add(every)) && start.Before(first.Start) &&
				start.Add(limit*time.Second).After(first.Start) {
				t.Errorf("%s started at %v, in front of %v", pod.Name, start, first.Start)
			}
		}
		for _, name := range []string{"single", "plain"} {
			if on := v.Pod(r.ns, name).Spec.NodeName; on != "" {
				t.Errorf("%s started on %s", name, on)
			}
		}
	})
	r.must(r.plane.Admin.Delete(r.podPath("single")))
	r.must(r.plane.Admin.Delete(r.podPath("plain")))
	for i := range n {
		r.removeGroup(fmt.Sprintf("s-%d", i))
	}
	r.removeGroup("big")
}

// TestReservations_AJobIsHeldToItsWord: A Job with a deadline of 30 s runs on two of four nodes, and a gang of four is
// promised a start at its end. The Job is patched to 20 days, and the daemon is killed. The pods of the Job are evicted at
// the end that they were let in with, with an Event that says so; the gang is bound then, and its promise never moves.
func TestReservations_AJobIsHeldToItsWord(t *testing.T) {
	const limit = 30
	r := startRacks(t, options{}, []int{1, 1, 1, 1})
	r.anyEvents("how often the gang waits, and for what, is chance; some die with the daemon")
	r.groupMap("liar", map[string]string{"size": "2"})
	deadline := int64(limit)
	r.jobOf("liar", "liar", cluster.JobSpec{Parallelism: 2, Completions: 2, Deadline: &deadline}, gated)
	r.wait(time.Minute, "the Job runs", r.podsRunning("liar", 2))
	var liars []*cluster.Pod
	r.rec.Look(func(v *cluster.View) { liars = v.Pods(r.ns, of("liar")) })
	r.groupMap("big", map[string]string{"size": "4", "run-limit": "600s"})
	r.members("big", 4, gate(true))
	var first reservation
	r.poll("big is promised a start", func() (told bool) {
		first, told = r.promise("big")
		return told
	})
	r.must(r.plane.Admin.MergePatch("/apis/batch/v1/namespaces/"+r.ns+"/jobs/liar",
		fmt.Sprintf(`{"spec":{"activeDeadlineSeconds":%d}}`, 20*24*3600)))
	r.daemon.Kill()
	r.must(r.daemon.Start())
	r.wait(2*time.Minute, "big is bound", func(v *cluster.View) error {
		if now, told := r.promised(v, "big"); told && now.Start.After(first.Start.Add(30*time.Second)) {
			t.Errorf("promised %v first, then %v", first, now)
		}
		return r.podsBound("big", 4)(v)
	})
	if late := time.Since(first.Start); late > 30*time.Second {
		t.Errorf("big is bound %v after its start", late)
	}
	r.rec.Look(func(v *cluster.View) {
		for _, pod := range liars {
			if now := v.Pod(r.ns, pod.Name); now.UID == pod.UID && now.Live() {
				t.Errorf("%s still runs", pod.Name)
			}
		}
	})
	r.poll("an Event says whose word was broken", func() (told bool) {
		r.rec.Look(func(v *cluster.View) {
			for _, pod := range liars {
				for _, event := range v.Events("Pod", r.ns, pod.Name) {
					told = told || event.Reason == "PodBeyondLimit"
				}
			}
		})
		return told
	})
	r.must(r.plane.Admin.Do("DELETE", "/apis/batch/v1/namespaces/"+r.ns+"/jobs/liar", "application/json",
		map[string]string{"propagationPolicy": "Background"}, nil))
	r.removeGroup("liar")
	r.removeGroup("big")
}

// TestReservations_AJobThatIsOverGivesNoEnd: A gang of four is promised a start when two pods with a deadline end. Two pods of a
// gang without a limit name a Job as their controller that had a deadline and is complete, so that nothing ends them. They do not
// start in front of the promise, which is kept.
func TestReservations_AJobThatIsOverGivesNoEnd(t *testing.T) {
	const limit = 30
	r := startRacks(t, options{}, []int{1, 1, 1, 1})
	r.anyEvents("how often the gangs wait, and for what, is chance")
	r.anyNode("big-", "which nodes it gets first is chance")
	r.anyNode("ghost-", "which nodes it gets first is chance")
	deadline := int64(limit)
	r.groupMap("done", map[string]string{"size": "1"})
	r.jobOf("done", "done", cluster.JobSpec{Parallelism: 1, Completions: 1, Deadline: &deadline}, gated)
	r.wait(time.Minute, "the Job runs", r.podsRunning("done", 1))
	r.endWell("done")
	job := cluster.Job{}
	r.poll("the Job is over", func() bool {
		job = cluster.Job{}
		r.must(r.plane.Admin.Get("/apis/batch/v1/namespaces/"+r.ns+"/jobs/done", &job))
		for _, c := range job.Status.Condition {
			if c.Type == "Complete" && c.Status == "True" {
				return true
			}
		}
		return false
	})
	own := int64(limit)
	r.groupMap("run", map[string]string{"size": "2"})
	r.members("run", 2, gate(true), func(pod *cluster.Pod) { pod.Spec.ActiveDeadline = &own })
	r.wait(time.Minute, "run runs", r.podsRunning("run", 2))
	r.groupMap("big", map[string]string{"size": "4", "run-limit": "600s"})
	r.members("big", 4, gate(true))
	var first reservation
	r.poll("big is promised a start", func() (told bool) {
		first, told = r.promise("big")
		return told
	})
	r.groupMap("ghost", map[string]string{"size": "2"})
	r.members("ghost", 2, gate(true), label("batch.kubernetes.io/controller-uid", job.UID), label("controller-uid", job.UID),
		label("batch.kubernetes.io/job-name", "done"), label("job-name", "done"), func(pod *cluster.Pod) {
			pod.OwnerReferences = []cluster.Owner{{APIVersion: "batch/v1", Kind: "Job", Name: "done", UID: job.UID, Controller: true}}
		})
	r.wait(2*time.Minute, "big is bound", func(v *cluster.View) error {
		if now, told := r.promised(v, "big"); told && now.Start.After(first.Start.Add(30*time.Second)) {
			t.Errorf("promised %v first, then %v", first, now)
		}
		for _, pod := range v.Pods(r.ns, of("ghost")) {
			if pod.Bound() {
				t.Errorf("%s is bound to %s", pod.Name, pod.Spec.NodeName)
			}
		}
		return r.podsBound("big", 4)(v)
	})
	if late := time.Since(first.Start); late > 30*time.Second {
		t.Errorf("big is bound %v after its start", late)
	}
	r.removeGroup("ghost")
	r.removeGroup("big")
	r.removeGroup("run")
	r.must(r.plane.Admin.Do("DELETE", "/apis/batch/v1/namespaces/"+r.ns+"/jobs/done", "application/json",
		map[string]string{"propagationPolicy": "Background"}, nil))
	r.removeGroup("done")
}

// TestReservations_AWeekOfGraceMovesNoPromise: Two pods of a Job with a deadline are deleted with a grace period of a week, so that
// the Job controller leaves them alone. They are evicted at the end by that deadline, for a gang that was promised it.
func TestReservations_AWeekOfGraceMovesNoPromise(t *testing.T) {
	r := startRacks(t, options{}, []int{1, 1, 1, 1})
	r.anyEvents("how often the gangs wait, and for what, is chance")
	r.anyNode("big-", "which nodes it gets first is chance")
	deadline := int64(30)
	r.groupMap("run", map[string]string{"size": "2"})
	r.jobOf("run", "run", cluster.JobSpec{Parallelism: 2, Completions: 2, Deadline: &deadline}, gated)
	r.wait(time.Minute, "run runs", r.podsRunning("run", 2))
	r.groupMap("big", map[string]string{"size": "4", "run-limit": "600s"})
	r.members("big", 4, gate(true))
	var first reservation
	r.poll("big is promised a start", func() (told bool) {
		first, told = r.promise("big")
		return told
	})
	var pods []*cluster.Pod
	r.rec.Look(func(v *cluster.View) { pods = v.Pods(r.ns, of("run")) })
	for _, pod := range pods {
		r.must(r.plane.Admin.Do("DELETE", r.podPath(pod.Name), "application/json", map[string]any{"gracePeriodSeconds": 604800}, nil))
	}
	r.wait(3*time.Minute, "big is bound", func(v *cluster.View) error {
		if now, told := r.promised(v, "big"); told && now.Start.After(first.Start.Add(30*time.Second)) {
			t.Errorf("promised %v first, then %v", first, now)
		}
		return r.podsBound("big", 4)(v)
	})
	if late := time.Since(first.Start); late > 30*time.Second {
		t.Errorf("big is bound %v after its start", late)
	}
	r.must(r.plane.Admin.Do("DELETE", "/apis/batch/v1/namespaces/"+r.ns+"/jobs/run", "application/json",
		map[string]string{"propagationPolicy": "Background"}, nil))
	r.removeGroup("run")
	r.removeGroup("big")
}
