// SPDX-License-Identifier: Apache-2.0

package suite

import (
	"fmt"
	"slices"
	"strconv"
	"testing"

	"sakkara/test/e2e/suite/cluster"
)

// Groups that never become whole, by what their pods, workloads and PodGroups say.

// neverWhole creates pods that each would fill a node, in groups of which the rest never comes.
func (r *run) neverWhole(n int) {
	r.Helper()
	huge := strconv.Itoa(1<<31 - 1)
	r.Cleanup(func() {
		path := nativeGroups() + "namespaces/" + r.ns + "/podgroups"
		r.must(r.plane.Admin.Delete(path))
		for i := range n { // protected as long as they have pods
			err := r.plane.Admin.MergePatch(fmt.Sprintf("%s/native-%d", path, i), `{"metadata":{"finalizers":null}}`)
			if err != nil && !cluster.IsStatus(err, 404) {
				r.must(err)
			}
		}
	})
	four := func(name string, changes ...change) {
		r.podsOf(name, 4, append([]change{gated, cpu("8"), ungrouped}, changes...)...)
	}
	for i := range n {
		id := strconv.Itoa(i)
		r.groupMap("leaders-"+id, map[string]string{"name": "leaders-" + id, "priority": "0",
			"roles": `{"leader":{"size":4},"worker":{"size":4}}`})
		four("leaders-"+id, label("sakkara.group.name", "leaders-"+id), annotation("sakkara.group.role", "leader"))

		r.nativeGroup("native-"+id, 1<<31-1, "")
		four("native-"+id, inGroup("native-"+id))

		var job cluster.Pod // only its metadata counts
		r.must(r.plane.Admin.Create("/apis/batch/v1/namespaces/"+r.ns+"/jobs", map[string]any{
			"metadata": map[string]any{"name": "job-" + id},
			"spec": map[string]any{"parallelism": 1<<31 - 1, "managedBy": "hostile.example.com/none", "template": map[string]any{"spec": map[string]any{
				"restartPolicy": "Never", "containers": []any{map[string]any{"name": "main", "image": "main"}}}}}}, &job))
		four("job-"+id, annotated, func(pod *cluster.Pod) {
			pod.OwnerReferences = []cluster.Owner{{APIVersion: "batch/v1", Kind: "Job", Name: job.Name, UID: job.UID, Controller: true}}
		})

		four("claimed-"+id, annotated, annotation("sakkara.group.size", "100000"), func(pod *cluster.Pod) {
			pod.OwnerReferences = []cluster.Owner{{APIVersion: "batch/v1", Kind: "Job", Name: job.Name, UID: "of-no-job-" + id}}
		})

		four("lws-"+id, annotated, annotation(lws+"size", huge), annotation(lws+"leader-name", "honest-0"),
			label(lws+"name", "honest"), label(lws+"group-index", id), label(lws+"worker-index", "0"), label(lws+"group-key", "honest"))
	}
}

// TestIsolation_GroupsThatNeverComeWholeHoldNothing: A tenant creates leaders whose workers never come, PodGroups of Kubernetes
// with 2^31-1 members, pods of Jobs with as many, pods that claim 100,000 others, and forged pods of LeaderWorkerSets. A
// gang of another tenant takes all nodes as fast as without them.
func TestIsolation_GroupsThatNeverComeWholeHoldNothing(t *testing.T) {
	h, hostile := tenantsOf(t, options{plane: workloadPlane(t)}, 8, 0, "")
	hostile.neverWhole(8)
	// The garbage collector may have deleted those of claimed-7: their owner does not exist.
	for _, name := range []string{"native-7", "job-7", "lws-7", "leaders-7"} {
		hostile.wait(usual, "the pods of "+name+" are there", hostile.boundAre(ofPrefix(name+"-"), 4, 0))
	}
	hostile.awaitGroup("podgroup/native-7", "Failed", "GroupInvalid")
	hostile.awaitGroup("job/job-7", "Failed", "GroupInvalid")
	h.expectIsolated()
	hostile.rec.Look(func(v *cluster.View) {
		if bound := v.Pods(hostile.ns, (*cluster.Pod).Bound); len(bound) > 0 {
			t.Errorf("%d hostile pods are bound, the first is %s", len(bound), bound[0].Name)
		}
	})
}

// TestIsolation_AClaimThatNamesItsNodeHoldsThatNodeAlone: A user may write the annotation selected-node on its claims. Eight
// pods, each as large as a node, have claims that name one node and are never provisioned. A gang that needs all nodes but
// that one is bound as fast as without them.
func TestIsolation_AClaimThatNamesItsNodeHoldsThatNodeAlone(t *testing.T) {
	h, hostile := tenants(t, 7, 0, "")
	h.createStorageClass("never")
	for i := range 8 {
		name := fmt.Sprintf("disk-%d", i)
		hostile.createClaim(name, "never", "", "node-3")
		hostile.create(hostile.pod("late-"+strconv.Itoa(i), cpu("8"), claim(name)))
	}
	hostile.waitCalls("kube-scheduler has asked for one of the pods", func(calls []cluster.Call) bool {
		return slices.ContainsFunc(calls, func(call cluster.Call) bool { return call.Verb == "filter" && call.Pod[:4] == "late" })
	})
	h.expectIsolated()
}
