// SPDX-License-Identifier: Apache-2.0

package suite

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"sakkara/test/e2e/suite/cluster"
)

// Pods of workloads as their controllers make them, and nodes that move in a tree of labels.

// spark is a pod of a Spark application, as the driver and the operator label it.
func spark(app, role string, with ...change) []change {
	return append(with, label("spark-app-selector", app), label("spark-role", role), label("sparkoperator.k8s.io/launched-by-spark-operator", "true"))
}

// executors are created by the driver, to which they belong. from is the first of their numbers.
func (r *run) executors(app string, driver *cluster.Pod, from, n int, with ...change) {
	r.Helper()
	for i := from; i < from+n; i++ {
		r.create(r.pod(fmt.Sprintf("%s-exec-%d", app, i), append(spark(app, "executor", with...), label("spark-exec-id", strconv.Itoa(i)),
			func(pod *cluster.Pod) {
				pod.OwnerReferences = []cluster.Owner{{APIVersion: "v1", Kind: "Pod", Name: driver.Name, UID: driver.UID, Controller: true}}
			})...))
	}
}

// TestEntry_ADriverRunsAndItsExecutorsAreAGang: The driver of a Spark application is bound alone, annotated or not, and creates its
// executors, which are bound as one with ranks in the order of their numbers; more of them are bound beside the others. The
// PodGroup of the operator's batch scheduler has minMember 1: the driver starts, and executors follow.
func TestEntry_ADriverRunsAndItsExecutorsAreAGang(t *testing.T) {
	bothWays(t, func(t *testing.T, withGate bool) {
		r := startRacks(t, options{}, []int{7, 8}, []int{8}) // the second driver fills the node of the first one's executors
		r.anyRetries("executors come one by one")
		start := func(app string, with ...change) *cluster.Pod {
			name := app + "-driver"
			r.create(r.pod(name, spark(app, "driver", append(with, gate(withGate))...)...))
			var driver *cluster.Pod
			r.wait(usual, "the driver runs", func(v *cluster.View) error {
				if driver = v.Pod(r.ns, name); driver.Status.Phase != "Running" {
					return fmt.Errorf("it is %q", driver.Status.Phase)
				}
				return nil
			})
			return driver
		}
		driver := start("pi", annotated, func(pod *cluster.Pod) { pod.Spec.NodeSelector = map[string]string{"kubernetes.io/hostname": "node-2"} })
		size := annotation("sakkara.group.size", "4")
		r.executors("pi", driver, 1, 3, annotated, size, gate(withGate))
		r.awaitGroup("spark/pi", "Waiting", "MembersMissing")
		r.wait(usual, "three executors wait", r.boundAre(ofPrefix("pi-exec-"), 3, 0))
		r.executors("pi", driver, 4, 1, annotated, size, gate(withGate))
		r.wait(usual, "four are bound", r.boundAre(ofPrefix("pi-exec-"), 4, 4))
		if row := r.awaitGroup("spark/pi", "Bound", ""); row.Size != 4 {
			t.Errorf("size %d, wanted 4", row.Size)
		}
		r.executors("pi", driver, 5, 2, annotated, size, gate(withGate))
		r.wait(usual, "more are bound beside them", r.boundAre(ofPrefix("pi-exec-"), 6, 6))
		r.rec.Look(func(v *cluster.View) {
			for i := range 6 {
				if rank := v.Pod(r.ns, fmt.Sprintf("pi-exec-%d", i+1)).Labels["sakkara.member.rank"]; rank != strconv.Itoa(i) {
					t.Errorf("executor %d has rank %s", i+1, rank)
				}
			}
		})

		r.podGroup("spark-etl-pg", 1)
		inPodGroup := label("scheduling.x-k8s.io/pod-group", "spark-etl-pg")
		driver = start("etl", inPodGroup)
		r.executors("etl", driver, 1, 3, inPodGroup, gate(withGate))
		r.wait(usual, "executors follow the driver", r.boundAre(ofPrefix("etl-"), 4, 4))
	})
}

// TestEntry_PlainJobsAreNotTouched: A hundred Jobs without an annotation, on a control plane that puts pods of Jobs into PodGroups:
// each pod is bound like any other, with a filter call or two.
func TestEntry_PlainJobsAreNotTouched(t *testing.T) {
	plane := workloadPlane(t)
	r := startRacks(t, options{plane: plane}, []int{100, 100})
	began := time.Now()
	r.must(cluster.Parallel(100, func(i int) error {
		pod := r.pod("", gated)
		return r.plane.Admin.Create("/apis/batch/v1/namespaces/"+r.ns+"/jobs", &cluster.Job{Meta: cluster.Meta{Name: fmt.Sprintf("plain-%d", i)},
			Spec: cluster.JobSpec{Parallelism: 1, Completions: 1, Template: cluster.PodTemplate{Spec: pod.Spec}}}, nil)
	}))
	r.wait(usual, "all are bound", r.boundAre((*cluster.Pod).Live, 100, 100))
	t.Logf("100 Jobs: %.1f s, %d filter calls, kube-scheduler %.2f s", time.Since(began).Seconds(), r.filters(), r.scheduler.CPU().Seconds())
	if n := r.filters(); n > 200 {
		t.Errorf("%d filter calls for 100 pods", n)
	}
	if rows, err := r.groupRows(); err != nil || len(rows) > 0 {
		t.Errorf("groups of plain Jobs: %+v %v", rows, err)
	}
}

// TestEntry_ARelabelledNodeMovesAtOnce: A node whose label changes is in its new rack of a tree of labels within a second; a node
// that loses its label is left out. A gang that runs there stays as it is, and the next one follows the new tree.
func TestEntry_ARelabelledNodeMovesAtOnce(t *testing.T) {
	sideBySide(t)
	nodes, _ := racks([]int{4, 4}, []int{4, 4})
	for i, node := range nodes {
		node.Labels["example.com/rack"] = fmt.Sprintf("r%d", i/2)
	}
	r := start(t, nodes, options{})
	r.labelledTree()
	hard := `{"rack":{"hard":true}}`
	r.gang("first", 6, hard)
	r.wait(usual, "bound in a rack", r.allBound("first", 6))
	relabel := func(node, rack, want string) {
		t.Helper()
		r.must(r.plane.Admin.MergePatch("/api/v1/nodes/"+node, `{"metadata":{"labels":{"example.com/rack":`+rack+`}}}`))
		began := time.Now()
		r.poll(node+" moves", func() bool {
			output, code := r.command("tree")
			return code == 0 && contains(strings.Join(strings.Fields(output), " "), want)
		})
		t.Logf("%s has moved after %v", node, time.Since(began).Round(time.Millisecond))
	}
	relabel("node-1", `"r1"`, "r1")
	r.gang("second", 8, hard)
	r.wait(usual, "three nodes are one rack now", r.allBound("second", 8))
	r.expectPlaced("second", "node-2:4 node-3:4")
	relabel("node-3", "null", "1 node is left out: no label example.com/rack")
	r.wait(usual, "gangs that run are not touched", func(v *cluster.View) error {
		if err := r.allBound("first", 6)(v); err != nil {
			return err
		}
		return r.allBound("second", 8)(v)
	})
	r.wait(usual, "the placement has the node without a rack", func(v *cluster.View) error {
		if placement := v.Map(r.ns, "second").Data["placement"]; !strings.HasPrefix(placement, `{"root":{"node-3":`) {
			return fmt.Errorf("placement %s", placement)
		}
		return nil
	})
}
