// SPDX-License-Identifier: Apache-2.0

package suite

import (
	"fmt"
	"testing"
	"time"

	"sakkara/test/e2e/suite/cluster"
)

// How gangs end, and what becomes of them when their definition or a member goes.

// endWell lets all running pods of a group end with code 0, one after the other.
func (r *run) endWell(group string) {
	r.Helper()
	var pods []*cluster.Pod
	r.rec.Look(func(v *cluster.View) { pods = v.Pods(r.ns, of(group)) })
	for _, pod := range pods {
		r.must(r.kubelet.Finish(pod, 0))
	}
}

// TestFinishedGangIsFinished: A Job whose pods have all succeeded leaves its group Finished, in the map, in get, in
// explain (exit code 0) and in the metrics; a restart of the daemon changes nothing of it; the Job run again under its
// name is a new start.
func TestFinishedGangIsFinished(t *testing.T) {
	r := startRacks(t, options{}, []int{4, 4})
	r.group("g", 4, "")
	r.job("work", "g", 4)
	r.wait(usual, "running", r.podsRunning("g", 4))
	finished := func(v *cluster.View) error {
		if err := r.reason("g", "Finished", "")(v); err != nil {
			return err
		}
		if v.Map(r.ns, "g").Data["rank"] == "" || v.Map(r.ns, "g").Data["placement"] == "" {
			return fmt.Errorf("no rank or placement: %v", v.Map(r.ns, "g").Data)
		}
		return nil
	}
	look := func() {
		r.Helper()
		r.expectCommand([]string{"explain", "g"}, 0, "is done: Finished", "group g has finished, 4 members have succeeded")
		r.expectCommand([]string{"get", "groups"}, 0, "Finished  4/4")
		r.expectCommand([]string{"group", "g"}, 0, "Finished (4 of 4 pods succeeded)")
		if _, metrics := r.daemon.AdminGet("/metrics"); !contains(metrics, `sakkara_groups{status="Finished"} 1`) {
			t.Error("the metrics do not count it")
		}
	}
	r.endWell("g")
	r.wait(usual, "finished", finished)
	look()
	r.wait(usual, "its Event is written", func(v *cluster.View) error {
		for _, event := range v.Events("ConfigMap", r.ns, "g") {
			if event.Reason == "GroupFinished" {
				return nil
			}
		}
		return fmt.Errorf("no Event")
	})
	r.daemon.Kill()
	r.must(r.daemon.Start())
	r.wait(usual, "still finished", finished)
	look()
	r.must(r.plane.Admin.Do("DELETE", "/apis/batch/v1/namespaces/"+r.ns+"/jobs/work", "application/json", map[string]string{"propagationPolicy": "Background"}, nil))
	r.wait(usual, "the old pods are gone", func(v *cluster.View) error {
		if n := len(v.Pods(r.ns, nil)); n > 0 {
			return fmt.Errorf("%d pods", n)
		}
		return finished(v)
	})
	r.job("work", "g", 4)
	r.wait(usual, "bound again", r.allBound("g", 4))
	r.wait(usual, "running again", r.podsRunning("g", 4))
}

// TestTheRestOfAPartlyCompleteGangRuns: Three of four pods of a Job succeed and the fourth fails: its retry is bound, also by
// a daemon that starts in between. Of a Job of six completions, four at a time, the last two run together.
func TestTheRestOfAPartlyCompleteGangRuns(t *testing.T) {
	r := startRacks(t, options{}, []int{4, 4})
	ended := func(group string, phase string, n int) func(*cluster.View) error {
		return func(v *cluster.View) error {
			have := 0
			for _, pod := range v.Pods(r.ns, func(pod *cluster.Pod) bool { return cluster.GroupOf(pod) == group }) {
				if pod.Status.Phase == phase {
					have++
				}
			}
			if have != n {
				return fmt.Errorf("%d pods are %s", have, phase)
			}
			return nil
		}
	}
	r.group("g", 4, "")
	r.indexedJob("train", "g", 4)
	r.wait(usual, "running", r.podsRunning("g", 4))
	for rank := range 3 {
		r.must(r.kubelet.Finish(r.ranked("g", rank), 0))
	}
	r.wait(usual, "three have succeeded", ended("g", "Succeeded", 3))
	r.must(r.kubelet.Finish(r.ranked("g", 3), 1))
	r.wait(usual, "the last one has failed", ended("g", "Failed", 1))
	r.daemon.Kill()
	r.must(r.daemon.Start())
	r.wait(usual, "the retry runs", r.podsRunning("g", 1))
	r.endWell("g")
	r.wait(usual, "finished", r.reason("g", "Finished", ""))

	r.anyNode("queue", "the Job makes the last two while the first four end")
	r.group("queue", 4, "")
	r.jobOf("queue", "queue", cluster.JobSpec{Parallelism: 4, Completions: 6})
	r.wait(usual, "four run", r.podsRunning("queue", 4))
	r.endWell("queue")
	r.wait(usual, "four have succeeded", ended("queue", "Succeeded", 4))
	r.wait(usual, "the last two run", r.podsRunning("queue", 2))
	r.endWell("queue")
	r.wait(usual, "finished", r.reason("queue", "Finished", ""))
}

// TestMapDeletedWhileBoundThenAMemberLost: The replacement of a lost member waits for the group's map, says so in one story,
// keeps no room from others, and is bound when the map is back and room is free.
func TestMapDeletedWhileBoundThenAMemberLost(t *testing.T) {
	r := startRacks(t, options{}, []int{4, 4})
	r.anyRetries("they count from the creation of a pod")
	r.group("g", 4, "")
	r.groupMap("other", map[string]string{"name": "other", "size": "5", "seat-hold": "0"})
	r.job("g", "g", 4)
	r.wait(usual, "running", r.podsRunning("g", 4))
	r.members("other", 5)
	r.must(r.plane.Admin.Delete(r.mapPath("g")))
	lost := r.ranked("g", 1)
	r.must(r.plane.Admin.Delete(r.podPath(lost.Name)))
	r.wait(usual, "the other gang takes the room", r.allBound("other", 5))
	r.wait(usual, "the replacement is there", func(v *cluster.View) error {
		if n := len(v.Pods(r.ns, of("g"))); n != 4 {
			return fmt.Errorf("%d pods", n)
		}
		return r.podsBound("other", 5)(v)
	})
	r.poll("the daemon has seen the replacement", func() bool {
		output, _ := r.command("explain", "g")
		return contains(output, "but 1 pod waits")
	})
	for range 3 {
		time.Sleep(time.Second)
		r.expectCommand([]string{"explain", "g"}, 4, "GroupNotFound", "group g is bound, 3 members, but 1 pod waits")
	}
	r.group("g", 4, "")
	r.wait(usual, "the map is back, the room is taken", r.reason("g", "Bound", "WaitingForCapacity"))
	r.must(r.plane.Admin.Delete(r.podPath("other-0")))
	r.wait(usual, "bound with the replacement", r.allBound("g", 4))
}

// TestSeatOfALostMemberIsHeld: While a Job waits before it replaces a lost member, a gang that waits for room does not
// take the seat; tree and explain show it. With seat-hold 0 it does.
func TestSeatOfALostMemberIsHeld(t *testing.T) {
	r := startRacks(t, options{}, []int{2, 2, 2})
	r.anyRetries("they count from the creation of a pod")
	r.anyMoment("other", "its numbers are those of the moment at which it was looked at")
	r.group("g", 4, "")
	r.indexedJob("g", "g", 4)
	r.wait(usual, "running", r.podsRunning("g", 4))
	r.gang("other", 3, "")
	r.wait(usual, "the other gang waits for room", r.reason("other", "Ready", "WaitingForCapacity"))
	var lost *cluster.Pod
	r.rec.Look(func(v *cluster.View) {
		for _, pod := range v.Pods(r.ns, of("g")) {
			if pod.Labels[indexLabel] == "2" {
				lost = pod
			}
		}
	})
	r.must(r.kubelet.Finish(lost, 1)) // the Job waits ten seconds before it makes another one
	r.wait(usual, "the member failed", func(v *cluster.View) error {
		if n := len(v.Pods(r.ns, of("g"))); n != 3 {
			return fmt.Errorf("%d live pods", n)
		}
		return nil
	})
	time.Sleep(time.Second)
	r.poll("the daemon has seen it", func() bool {
		output, _ := r.command("explain", "g")
		return contains(output, "SeatHeld")
	})
	r.expectCommand([]string{"explain", "g"}, 4, "SeatHeld", "1 seat is held for a replacement: "+lost.Spec.NodeName)
	r.expectCommand([]string{"tree"}, 0, "g:1+1")
	r.wait(usual, "the replacement has it", r.allBound("g", 4))
	r.waitTold("other", 3)
	r.rec.Look(func(v *cluster.View) {
		for _, pod := range v.Pods(r.ns, of("g")) {
			if pod.Labels[indexLabel] == "2" && (pod.Spec.NodeName != lost.Spec.NodeName || pod.Labels["sakkara.member.rank"] != "2") {
				t.Errorf("index 2 is on %s with rank %s", pod.Spec.NodeName, pod.Labels["sakkara.member.rank"])
			}
		}
	})
	r.must(r.plane.Admin.MergePatch(r.mapPath("g"), `{"data":{"seat-hold":"0"}}`))
	lost = r.ranked("g", 0)
	r.must(r.kubelet.Finish(lost, 1))
	r.wait(usual, "the other gang takes the room", r.podsBound("other", 3))
}

// TestImmutableMapIsAGroupLikeOthers: A map that nobody may change any more defines a group; its keys stand in annotations,
// and a restart of the daemon changes nothing of them.
func TestImmutableMapIsAGroupLikeOthers(t *testing.T) {
	r := startRacks(t, options{}, []int{2, 2})
	frozen := map[string]any{
		"metadata":  map[string]any{"name": "g", "labels": map[string]string{"sakkara.group": ""}},
		"immutable": true,
		"data":      map[string]string{"name": "g", "size": "4"},
	}
	r.must(r.plane.Admin.Create("/api/v1/namespaces/"+r.ns+"/configmaps", frozen, nil))
	r.members("g", 4, gated)
	told := func(v *cluster.View) error {
		object := v.Map(r.ns, "g")
		if status := object.Annotations["sakkara.status"]; status != "Bound" || len(object.Data) != 2 {
			return fmt.Errorf("status %q, data %v", status, object.Data)
		}
		return r.podsBound("g", 4)(v)
	}
	r.wait(usual, "bound, and said in annotations", told)
	r.wait(usual, "labelled", r.labelled("g", 4, "Bound"))
	r.wait(usual, "the Event is written", func(v *cluster.View) error {
		for _, event := range v.Events("ConfigMap", r.ns, "g") {
			if event.Reason == "GroupBound" {
				return nil
			}
		}
		return fmt.Errorf("no GroupBound")
	})
	r.must(r.daemon.Stop())
	before := len(r.proxy.Writes())
	r.must(r.daemon.Start())
	r.expectCommand([]string{"explain", "g"}, 0, "Bound")
	for _, write := range r.proxy.Writes()[before:] {
		if write.Method == "PATCH" {
			t.Errorf("a restart wrote %v", write)
		}
	}
	r.wait(usual, "still said", told)
}
