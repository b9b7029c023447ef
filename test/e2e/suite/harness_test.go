// SPDX-License-Identifier: Apache-2.0

package suite

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"sakkara/test/e2e/suite/cluster"
)

// The control plane itself, with a bare kube-scheduler: what the other tests stand on.

// TestHarness_OrdinaryPodsRunOnFakeNodes: Ordinary pods run on the fake nodes under a bare scheduler, and go
// when they are deleted.
func TestHarness_OrdinaryPodsRunOnFakeNodes(t *testing.T) {
	nodes, _ := racks([]int{4, 4})
	r := start(t, nodes, options{bare: true})
	r.anyNode("p-", "kube-scheduler picks one of the best by chance")
	var pods []*cluster.Pod
	for i := range 8 {
		pods = append(pods, r.pod(fmt.Sprintf("p-%d", i)))
	}
	r.must(r.plane.CreatePods(pods...))
	r.wait(usual, "8 pods running", func(v *cluster.View) error {
		running := v.Pods(r.ns, func(pod *cluster.Pod) bool { return pod.Status.Phase == "Running" })
		if len(running) != 8 {
			return fmt.Errorf("%d running", len(running))
		}
		return nil
	})
	r.must(r.plane.Admin.Do("DELETE", r.podPath("p-0"), "", nil, nil))
	r.wait(usual, "a pod deleted with grace is gone", func(v *cluster.View) error {
		if v.Pod(r.ns, "p-0").UID != "" {
			return fmt.Errorf("still there")
		}
		return nil
	})
}

// TestHarness_GatedPodWaitsForItsGate: A gated pod shows SchedulingGated and is bound once the gate is gone.
func TestHarness_GatedPodWaitsForItsGate(t *testing.T) {
	nodes, _ := racks([]int{4})
	r := start(t, nodes, options{bare: true})
	r.create(r.pod("gated", gated))
	r.wait(usual, "SchedulingGated", r.told("SchedulingGated", "gated"))
	r.must(r.plane.Admin.MergePatch(r.podPath("gated"), `{"spec":{"schedulingGates":null}}`))
	r.wait(usual, "bound", r.bound("gated"))
}

// TestHarness_JobsCountTheirPods: A Job makes its pods, replaces one that failed and counts the end of all.
func TestHarness_JobsCountTheirPods(t *testing.T) {
	nodes, _ := racks([]int{4})
	r := start(t, nodes, options{bare: true})
	r.job("work", "any", 3)
	var first *cluster.Pod
	r.wait(usual, "3 pods running", func(v *cluster.View) error {
		running := v.Pods(r.ns, func(pod *cluster.Pod) bool { return pod.Status.Phase == "Running" })
		if len(running) != 3 {
			return fmt.Errorf("%d running", len(running))
		}
		first = slices.MinFunc(running, func(a, b *cluster.Pod) int { return cluster.Naturally(a.Name, b.Name) })
		return nil
	})
	r.must(r.kubelet.Finish(first, 1))
	r.wait(usual, "a new pod for the failed one", func(v *cluster.View) error {
		if n := len(v.Pods(r.ns, nil)); n != 4 {
			return fmt.Errorf("%d pods", n)
		}
		return nil
	})
	r.wait(usual, "3 pods running again", r.podsRunning("any", 3))
	var running []*cluster.Pod
	r.rec.Look(func(v *cluster.View) { running = v.Pods(r.ns, of("any")) })
	for _, pod := range running {
		r.must(r.kubelet.Finish(pod, 0))
	}
	deadline := time.Now().Add(usual)
	for job := (cluster.Job{}); job.Status.Succeeded != 3 || job.Status.Failed != 1; {
		if time.Now().After(deadline) {
			t.Fatalf("job: %+v", job.Status)
		}
		r.must(r.plane.Admin.Get("/apis/batch/v1/namespaces/"+r.ns+"/jobs/work", &job))
		time.Sleep(20 * time.Millisecond)
	}
}

// TestHarness_SchedulerTakesSamplingAndRestarts: The scheduler takes a percentage of nodes to score, and can
// be killed and started again.
func TestHarness_SchedulerTakesSamplingAndRestarts(t *testing.T) {
	nodes, _ := racks([]int{4})
	r := start(t, nodes, options{bare: true, scheduler: cluster.SchedulerOptions{Percentage: 50}})
	r.must(r.scheduler.Kill())
	r.startScheduler()
	r.create(r.pod("after"))
	r.wait(usual, "bound", r.bound("after"))
}

// The recorder and its judgement must be able to fail: pods that pose as members and are bound by a bare
// kube-scheduler break most rules.
func TestHarness_RecorderSeesBrokenPromises(t *testing.T) {
	nodes, _ := racks([]int{4})
	r := start(t, nodes, options{bare: true})
	r.members("g", 1)
	r.wait(usual, "bound", r.podsBound("g", 1))
	r.create(r.pod("squeezed", onNode("node-0"), cpu("4")))
	wrong := r.rec.Verify([]cluster.Call{}, nil)
	for _, want := range []string{"has no rank", "planned was", "before state Binding", "overcommitted"} {
		found := false
		for _, complaint := range wrong {
			found = found || strings.Contains(complaint, want)
		}
		if !found {
			t.Errorf("no complaint with %q in %q", want, wrong)
		}
	}
}

// TestHarness_KubectlValidates: The control plane's own kubectl reaches it.
func TestHarness_KubectlValidates(t *testing.T) {
	realOnly(t, "the multi-call binary is not built for the sandbox; kubectl_test.go drives kubectl there")
	if _, err := planeFor(t).Kubectl("get", "namespaces"); err != nil {
		t.Error(err)
	}
}

// TestHarness_OwnResourcesAreFollowedAndCleared: A scenario has resources of its own, sees their objects come and
// change, and leaves none behind, whatever finalizers they have.
func TestHarness_OwnResourcesAreFollowedAndCleared(t *testing.T) {
	realOnly(t, "the sandbox serves no custom resources but PodGroups")
	var plane *cluster.Plane
	notes, boards := cluster.Resource{}, cluster.Resource{}
	t.Run("play", func(t *testing.T) {
		nodes, _ := racks([]int{1})
		r := start(t, nodes, options{resources: []string{"testdata/notes.yaml"}, bare: true})
		plane, notes, boards = r.plane, r.resource("notes"), r.resource("boards")
		other := r.namespace("other")
		object := func(kind, name string) map[string]any {
			return map[string]any{"apiVersion": "e2e.sakkara.dev/v1", "kind": kind,
				"metadata": map[string]any{"name": name, "finalizers": []string{"e2e.sakkara.dev/kept"}}}
		}
		r.must(r.plane.Admin.Create(notes.At(r.ns, ""), object("Note", "one"), nil))
		r.must(r.plane.Admin.Create(notes.At(other, ""), object("Note", "two"), nil))
		r.must(r.plane.Admin.Create(boards.At("", ""), object("Board", "all"), nil))
		r.must(r.plane.Admin.MergePatch(notes.At(r.ns, "one")+"/status", `{"status":{"read":3}}`))
		r.wait(usual, "all are seen", func(v *cluster.View) error {
			var note struct{ Status struct{ Read int } }
			if err := v.Object(notes.Path, r.ns, "one").Decode(&note); err != nil || note.Status.Read != 3 {
				return fmt.Errorf("%+v %w", note, err)
			}
			if len(v.Objects(notes.Path, other)) != 1 || v.Object(boards.Path, "", "all").UID == "" {
				return fmt.Errorf("not all")
			}
			return nil
		})
	})
	t.Cleanup(func() { // after the scenario's own
		for _, resource := range []cluster.Resource{notes, boards} {
			var left cluster.List[cluster.Object]
			if err := plane.Admin.Get(resource.Path, &left); err != nil || len(left.Items) > 0 {
				t.Errorf("%s: %d objects are left, %v", resource.Path, len(left.Items), err)
			}
		}
	})
}
