// SPDX-License-Identifier: Apache-2.0

package suite

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"sakkara/test/e2e/suite/cluster"
)

// Pods that carry spec.schedulingGroup, because the Job controller (feature gate WorkloadWithJob) or a user
// put them into a PodGroup of Kubernetes' own.

// workload is the control plane of workloadPlane, which its tests use one after the other.
var workload struct {
	sync.Mutex
	plane *cluster.Plane // nil before the first test
}

// workloadPlane is a control plane with PodGroups of Kubernetes' own and Jobs that make them, for the test alone while it
// lasts.
func workloadPlane(t *testing.T) *cluster.Plane {
	t.Helper()
	realOnly(t, "the model's Job controller makes no PodGroups")
	wanted := cluster.PlaneOptions{FeatureGates: []string{"GenericWorkload=true", "WorkloadWithJob=true",
		"TopologyAwareWorkloadScheduling=true"}}
	switch {
	case minor() < 36:
		t.Skip("pods of this version have no schedulingGroup")
	case minor() == 36:
		wanted.RuntimeConfig = []string{"scheduling.k8s.io/v1alpha2=true"}
		wanted.FeatureGates = append(wanted.FeatureGates, "GangScheduling=true")
	default:
		wanted.RuntimeConfig = []string{"scheduling.k8s.io/v1beta1=true", "scheduling.k8s.io/v1alpha3=true"}
	}
	sideBySide(t)
	workload.Lock()
	t.Cleanup(workload.Unlock)
	planeFor(t) // its turn
	if workload.plane == nil {
		dir := filepath.Join(base, "workload")
		err := os.Mkdir(dir, 0o755)
		if err == nil {
			workload.plane, err = startPlane(dir, &wanted)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return workload.plane
}

// inPodGroups counts the pods of a group that name a PodGroup of Kubernetes' own.
func (r *run) inPodGroups(group string) (n int) {
	r.rec.Look(func(v *cluster.View) {
		for _, pod := range v.Pods(r.ns, of(group)) {
			if pod.Spec.SchedulingGroup != nil {
				n++
			}
		}
	})
	return n
}

// TestSchedulingGroup_JobsThatMakePodGroupsAreBound: With WorkloadWithJob every Indexed Job (from 1.37 on every Job)
// puts its pods into a PodGroup of Kubernetes' own. Our label goes before it: planned, gated and bound as ever, and
// kube-scheduler asks about each gated member once.
func TestSchedulingGroup_JobsThatMakePodGroupsAreBound(t *testing.T) {
	plane := workloadPlane(t)
	for _, withGate := range []bool{false, true} {
		name := map[bool]string{false: "ungated", true: "gated"}[withGate]
		t.Run(name, func(t *testing.T) {
			r := startRacks(t, options{plane: plane}, []int{10, 10, 10}, []int{10, 10, 10})
			r.group("indexed", 24, "")
			r.indexedJob("indexed", "indexed", 24, gate(withGate))
			r.wait(usual, "the Indexed Job is bound", r.allBound("indexed", 24))
			if n := r.inPodGroups("indexed"); n != 24 {
				t.Errorf("%d of 24 pods of the Indexed Job name a PodGroup", n)
			}
			r.group("plain", 8, packSpread)
			r.job("plain", "plain", 8, gate(withGate))
			r.wait(usual, "the other Job is bound", r.allBound("plain", 8))
			if n := r.inPodGroups("plain"); minor() >= 37 && n != 8 {
				t.Errorf("%d of 8 pods of the Job name a PodGroup", n)
			}
			r.expectReport("plain", 8)
			calls := r.filters()
			t.Logf("%d filter calls for 32 members", calls)
			if withGate && calls > 2*32 {
				t.Errorf("%d filter calls for 32 gated members", calls)
			}
		})
	}
}

// TestSchedulingGroup_AWaitingJobLeavesTheSchedulerInPeace: A gated Job that does not fit waits without a filter call;
// it is bound when there is room.
func TestSchedulingGroup_AWaitingJobLeavesTheSchedulerInPeace(t *testing.T) {
	plane := workloadPlane(t)
	nodes, tree := racks([]int{4, 4})
	r := start(t, nodes, options{plane: plane, paused: true})
	r.fill("node-0", 4)
	r.begin()
	r.topology(tree)
	r.group("g", 8, "")
	r.indexedJob("g", "g", 8, gate(true))
	r.wait(usual, "it waits for capacity", func(v *cluster.View) error {
		if reason := v.Map(r.ns, "g").Data["reason"]; reason != "WaitingForCapacity" {
			return fmt.Errorf("reason %q", reason)
		}
		return nil
	})
	if n := r.calmFilters(5 * time.Second); n != 0 {
		t.Errorf("%d filter calls for a gated group that waits", n)
	}
	for i := range 4 {
		r.must(r.plane.Admin.Delete(fmt.Sprintf("/api/v1/namespaces/%s/pods/load-node-0-%d", r.ns, i)))
	}
	r.wait(usual, "bound when there is room", r.allBound("g", 8))
}
