// SPDX-License-Identifier: Apache-2.0

package suite

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"sakkara/test/e2e/suite/cluster"
)

// Pods that are members of a group without an object of the group: by an annotation, or by the label of their namespace.

// groupRow is what the daemon's page says of a group.
type groupRow struct {
	Name, Namespace, Status, Reason, Message string
	Size                                     int
	Pods                                     struct{ Bound int }
}

// groupRows are the groups of the scenario's namespace.
func (r *run) groupRows() ([]groupRow, error) {
	_, page := r.daemon.AdminGet("/v1/groups?namespace=" + r.ns)
	var list struct{ Items []groupRow }
	if err := json.Unmarshal([]byte(page), &list); err != nil {
		return nil, fmt.Errorf("%w: %s", err, page)
	}
	return list.Items, nil
}

// awaitGroup polls until the group of a name has a status and, unless that is empty, a reason. It returns its row.
func (r *run) awaitGroup(name, status, reason string) (row groupRow) {
	r.Helper()
	var rows []groupRow
	var err error
	for deadline := time.Now().Add(usual); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		rows, err = r.groupRows()
		for _, row = range rows {
			if row.Name == name && row.Status == status && (reason == "" || row.Reason == reason) {
				return row
			}
		}
	}
	r.Fatalf("group %s is not %s %s: %+v %v", name, status, reason, rows, err)
	return row
}

// ungrouped takes the label away that makes a pod the member of a group map.
func ungrouped(pod *cluster.Pod) { delete(pod.Labels, "sakkara.group.name") }

var annotated = annotation("sakkara.gang", "auto")

// ofJob matches the live pods of a Job.
func ofJob(job string) func(*cluster.Pod) bool {
	return func(pod *cluster.Pod) bool { return pod.Live() && pod.Labels["batch.kubernetes.io/job-name"] == job }
}

// ofPrefix matches the live pods whose names begin so.
func ofPrefix(prefix string) func(*cluster.Pod) bool {
	return func(pod *cluster.Pod) bool {
		return pod.Live() && len(pod.Name) > len(prefix) && pod.Name[:len(prefix)] == prefix
	}
}

// boundAre: exactly n pods match, and all or, with wanted, so many of them are bound.
func (r *run) boundAre(which func(*cluster.Pod) bool, n, wanted int) func(*cluster.View) error {
	return func(v *cluster.View) error {
		pods, bound := v.Pods(r.ns, which), 0
		for _, pod := range pods {
			if pod.Bound() {
				bound++
			}
		}
		if len(pods) != n || bound != wanted {
			return fmt.Errorf("%d of %d pods are bound, wanted %d of %d", bound, len(pods), wanted, n)
		}
		return nil
	}
}

// TestEntry_AJobNeedsOneAnnotation: A Job with the annotation sakkara.gang and without a group object is bound as one, Indexed
// or not; the ranks of an Indexed one are its indices, which fill node after node. One that has no room waits as a whole.
func TestEntry_AJobNeedsOneAnnotation(t *testing.T) {
	bothWays(t, func(t *testing.T, withGate bool) {
		r := startRacks(t, options{}, []int{4, 4}, []int{4, 4})
		r.anyRetries("pods of a Job come one by one")
		r.anyNode("late", "the pods of the Job before it go in any order")
		r.indexedJob("indexed", "", 8, ungrouped, annotated, gate(withGate))
		r.wait(usual, "the Indexed Job is bound", r.boundAre(ofJob("indexed"), 8, 8))
		r.rec.Look(func(v *cluster.View) {
			for _, pod := range v.Pods(r.ns, ofJob("indexed")) {
				var index int
				fmt.Sscan(pod.Labels[indexLabel], &index)
				if rank := pod.Labels["sakkara.member.rank"]; rank != pod.Labels[indexLabel] {
					t.Errorf("index %d has rank %s", index, rank)
				}
				if want := fmt.Sprintf("node-%d", index/4); pod.Spec.NodeName != want {
					t.Errorf("index %d is on %s, wanted %s", index, pod.Spec.NodeName, want)
				}
			}
		})
		r.wait(usual, "a map of the Job shows its group", func(*cluster.View) error {
			var maps struct {
				Items []struct {
					Metadata struct{ OwnerReferences []struct{ Kind, Name string } }
					Data     map[string]string
				}
			}
			path := "/api/v1/namespaces/" + r.ns + "/configmaps?labelSelector=sakkara.group.derived"
			if err := r.plane.Admin.Get(path, &maps); err != nil {
				return err
			}
			for _, m := range maps.Items {
				if owners := m.Metadata.OwnerReferences; m.Data["name"] == "job/indexed" && m.Data["status"] == "Bound" &&
					m.Data["owner"] == "Job/indexed" && len(owners) == 1 && owners[0].Name == "indexed" {
					return nil
				}
			}
			return fmt.Errorf("%+v", maps.Items)
		})
		r.job("plain", "", 6, ungrouped, annotated, gate(withGate))
		r.wait(usual, "the other Job is bound", r.boundAre(ofJob("plain"), 6, 6))
		r.job("late", "", 3, ungrouped, annotated, gate(withGate))
		if row := r.awaitGroup("job/late", "Ready", "WaitingForCapacity"); row.Size != 3 {
			t.Errorf("the group has size %d, wanted 3", row.Size)
		}
		r.wait(usual, "none of it is bound", r.boundAre(ofJob("late"), 3, 0))
		r.must(r.plane.Admin.Delete("/apis/batch/v1/namespaces/" + r.ns + "/jobs/plain"))
		r.must(r.plane.Admin.Delete("/api/v1/namespaces/" + r.ns + "/pods?labelSelector=job-name%3Dplain"))
		r.wait(usual, "bound when there is room", r.boundAre(ofJob("late"), 3, 3))
		r.awaitGroup("job/late", "Bound", "")
	})
}

// TestEntry_ALeaderMayDifferFromItsWorkers: A leader for nodes without devices and eight workers, eight to a node, are one
// group: all are bound, each where its selector says. Without a node for the leader the message names its selector.
func TestEntry_ALeaderMayDifferFromItsWorkers(t *testing.T) {
	bothWays(t, func(t *testing.T, withGate bool) {
		nodes, tree := racks([]int{8, 8}, []int{4})
		for i, pool := range []string{"gpu", "gpu", "cpu"} {
			nodes[i].Labels["pool"] = pool
		}
		r := start(t, nodes, options{})
		r.topology(tree)
		r.anyRetries("members come one by one")
		r.anyLabels("whether a member was asked before it was known that nothing fits is chance")
		pool := func(name string) change {
			return func(pod *cluster.Pod) { pod.Spec.NodeSelector = map[string]string{"pool": name} }
		}
		unequal := func(name, leaderPool string) {
			r.group(name, 9, `{"roles":{"worker":{"node":{"factor":8}}}}`)
			of := label("sakkara.group.name", name)
			r.create(r.pod(name+"-lead", of, annotation("sakkara.group.role", "leader"), pool(leaderPool), gate(withGate)))
			for i := range 8 {
				r.create(r.pod(fmt.Sprintf("%s-w%d", name, i), of, annotation("sakkara.group.role", "worker"), pool("gpu"), gate(withGate)))
			}
		}
		unequal("fits", "cpu")
		r.wait(usual, "all are bound", r.allBound("fits", 9))
		if got := r.placed("fits"); got != "node-0:8 node-2:1" && got != "node-1:8 node-2:1" {
			t.Errorf("placed %q", got)
		}
		r.anyNode("fits-w", "two nodes are equal")
		unequal("stuck", "none")
		r.wait(usual, "the message names the selector", func(v *cluster.View) error {
			if object := v.Map(r.ns, "stuck"); !contains(object.Data["message"], "pool=none") {
				return fmt.Errorf("%v", object.Data)
			}
			return nil
		})
		r.wait(usual, "none is bound", r.noneBound("stuck"))
		if withGate {
			return
		}
		r.waitTold("stuck", 9)
	})
}
