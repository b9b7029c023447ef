// SPDX-License-Identifier: Apache-2.0

package suite

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	"sakkara/test/e2e/suite/cluster"
)

// Workloads whose pods all go and are made again, in a cluster without a free slot for the pod that waits.

// stranger is a gang of one that waits for a slot.
func (r *run) stranger() {
	r.Helper()
	r.gang("stranger", 1, "")
	r.wait(usual, "the stranger waits", r.reason("stranger", "Ready", "WaitingForCapacity"))
}

// restarts deletes the pods with the prefix one after the other, lets a moment pass, and makes n again.
func (r *run) restarts(prefix string, n int, again func()) {
	r.Helper()
	var gone []*cluster.Pod
	r.rec.Look(func(v *cluster.View) { gone = v.Pods(r.ns, ofPrefix(prefix)) })
	if len(gone) != n {
		r.Fatalf("%d pods with prefix %s", len(gone), prefix)
	}
	for _, pod := range gone {
		r.must(r.plane.Admin.Delete(r.podPath(pod.Name)))
	}
	r.wait(usual, "the old pods are gone", func(v *cluster.View) error {
		for _, pod := range v.Pods(r.ns, ofPrefix(prefix)) {
			for _, old := range gone {
				if pod.UID == old.UID {
					return fmt.Errorf("%s is there", old.Name)
				}
			}
		}
		return nil
	})
	if again != nil {
		r.quiet(3*time.Second, "the stranger waits", r.noneBound("stranger"))
		again()
	}
	r.wait(usual, "all run again", r.boundAre(ofPrefix(prefix), n, n))
	r.quiet(2*time.Second, "the stranger waits", r.noneBound("stranger"))
}

// TestRestarts_AStatefulSetWhosePodsAllGoKeepsItsRoom: All pods of a StatefulSet are deleted. A gang that waits does not take their
// room. When the StatefulSet is deleted it does.
func TestRestarts_AStatefulSetWhosePodsAllGoKeepsItsRoom(t *testing.T) {
	r := startRacks(t, options{}, []int{2, 2})
	r.anyRetries("they count from the creation of a pod")
	r.anyMoment("stranger", "its numbers are those of the moment at which it was looked at")
	r.anyEvents("how often members were seen missing is left to chance")
	r.anyNode("stranger", "the pods of a StatefulSet that is deleted go in any order")
	sets := "/apis/apps/v1/namespaces/" + r.ns + "/statefulsets"
	pod := r.pod("", annotated, gated, func(pod *cluster.Pod) { pod.Spec.RestartPolicy = "Always" })
	var set cluster.Pod // only its metadata count
	r.must(r.plane.Admin.Create(sets, map[string]any{"metadata": map[string]any{"name": "set"}, "spec": map[string]any{
		"replicas": 4, "podManagementPolicy": "Parallel", "serviceName": "set", "selector": map[string]any{"matchLabels": map[string]string{"app": "set"}},
		"template": map[string]any{"metadata": map[string]any{"labels": map[string]string{"app": "set"},
			"annotations": map[string]string{"sakkara.gang": "auto"}}, "spec": pod.Spec}}}, &set))
	var create func()
	if !onSandbox { // the control plane runs no controller of StatefulSets
		create = func() {
			pods := make([]*cluster.Pod, 4)
			for i := range pods {
				pods[i] = r.pod(fmt.Sprintf("set-%d", i), annotated, gated, label("app", "set"), label("apps.kubernetes.io/pod-index", strconv.Itoa(i)),
					func(pod *cluster.Pod) {
						pod.OwnerReferences = []cluster.Owner{{APIVersion: "apps/v1", Kind: "StatefulSet", Name: "set", UID: set.UID, Controller: true}}
					})
			}
			r.must(r.plane.CreatePods(pods...))
		}
		create()
	}
	r.wait(usual, "all run", r.boundAre(ofPrefix("set-"), 4, 4))
	r.stranger()
	r.restarts("set-", 4, create)
	r.must(r.plane.Admin.Delete(sets + "/set"))
	r.wait(usual, "the stranger has room", r.podsBound("stranger", 1))
}

// TestRestarts_ReplicasAndJobSetsKeepTheirRoom: A LeaderWorkerSet of three replicas makes the pods of one again, as in a rolling
// update, and a JobSet makes all of its pods again. A gang that waits does not take their room, not before the object is deleted.
func TestRestarts_ReplicasAndJobSetsKeepTheirRoom(t *testing.T) {
	realOnly(t, "its operators make the pods themselves")
	for _, workload := range []struct {
		title, plural string
		spec          map[string]any
		groups        int
		labels        func(group, i, generation int) []change
	}{
		{"LeaderWorkerSet", "leaderworkersets", map[string]any{"replicas": 3, "leaderWorkerTemplate": map[string]any{"size": 4}}, 3,
			func(group, i, _ int) []change {
				return []change{label(lws+"name", "w"), label(lws+"group-index", strconv.Itoa(group)), label(lws+"worker-index", strconv.Itoa(i)),
					annotation(lws+"size", "4")}
			}},
		{"JobSet", "jobsets", map[string]any{"replicatedJobs": []any{map[string]any{"name": "r", "replicas": 3, "template": map[string]any{
			"spec": map[string]any{"parallelism": 4, "completions": 4}}}}}, 1,
			func(_, i, generation int) []change {
				return []change{label(jobset+"jobset-name", "w"), label(jobset+"replicatedjob-name", "r"), label(jobset+"job-index", strconv.Itoa(i/4)),
					label(jobset+"job-global-index", strconv.Itoa(i/4)), label(jobset+"restart-attempt", strconv.Itoa(generation)),
					label(indexLabel, strconv.Itoa(i%4))}
			}},
	} {
		t.Run(workload.title, func(t *testing.T) {
			r := startRacks(t, options{resources: []string{"testdata/workloads.yaml"}}, []int{4, 4, 4})
			objects := r.resource(workload.plural)
			version := map[string]string{"leaderworkersets": "leaderworkerset.x-k8s.io/v1", "jobsets": "jobset.x-k8s.io/v1alpha2"}[workload.plural]
			r.must(r.plane.Admin.Create(objects.At(r.ns, ""), map[string]any{"apiVersion": version, "kind": workload.title,
				"metadata": map[string]any{"name": "w"}, "spec": workload.spec}, nil))
			each := 12 / workload.groups
			create := func(group, generation int) {
				pods := make([]*cluster.Pod, each)
				for i := range pods {
					pods[i] = r.pod(fmt.Sprintf("w-%d-%d", group, i), append(workload.labels(group, i, generation), annotated, gated)...)
				}
				r.must(r.plane.CreatePods(pods...))
			}
			for group := range workload.groups {
				create(group, 0)
			}
			r.wait(usual, "all run", r.boundAre(ofPrefix("w-"), 12, 12))
			r.stranger()
			last := workload.groups - 1
			r.restarts(fmt.Sprintf("w-%d-", last), each, func() { create(last, 1) })
			r.must(r.plane.Admin.Delete(objects.At(r.ns, "w")))
			for i := range each {
				r.must(r.plane.Admin.Delete(r.podPath(fmt.Sprintf("w-%d-%d", last, i))))
			}
			r.wait(usual, "the stranger has room", r.podsBound("stranger", 1))
		})
	}
}

// TestRestarts_ADeploymentWithANewTemplateKeepsItsRoom: With strategy Recreate the pods of the old ReplicaSet go before the new
// one makes its own. A gang that waits does not take their room, not before the Deployment is deleted. The group is that of a
// map, or each ReplicaSet is one.
func TestRestarts_ADeploymentWithANewTemplateKeepsItsRoom(t *testing.T) {
	realOnly(t, "its controller of Deployments scales the ReplicaSets itself")
	for title, of := range map[string][]change{
		"map":             {label("sakkara.group.name", "g"), gated},
		"each ReplicaSet": {annotated, annotation("sakkara.group.size", "4"), gated},
	} {
		t.Run(title, func(t *testing.T) {
			r := startRacks(t, options{}, []int{2, 2})
			r.group("g", 4, "")
			apps := "/apis/apps/v1/namespaces/" + r.ns
			object := func(plural, name, hash string) {
				pod := r.pod("", append(of, label("app", "web"), label("pod-template-hash", hash))...)
				pod.Spec.RestartPolicy = "Always"
				r.must(r.plane.Admin.Create(apps+plural, map[string]any{"metadata": map[string]any{"name": name}, "spec": map[string]any{
					"replicas": 4, "selector": map[string]any{"matchLabels": map[string]string{"app": "web", "pod-template-hash": hash}},
					"template": map[string]any{"metadata": map[string]any{"labels": pod.Labels, "annotations": pod.Annotations}, "spec": pod.Spec}}}, nil))
			}
			// The control plane runs the controller of ReplicaSets, and none of Deployments.
			end := func(hash string) {
				r.must(r.plane.Admin.MergePatch(apps+"/replicasets/web-"+hash, map[string]any{"spec": map[string]any{"replicas": 0}}))
				r.wait(usual, "its pods are gone", func(v *cluster.View) error {
					if pods := v.Pods(r.ns, ofPrefix("web-"+hash)); len(pods) > 0 {
						return fmt.Errorf("%d are there", len(pods))
					}
					return nil
				})
			}
			object("/deployments", "web", "old")
			object("/replicasets", "web-old", "old")
			r.wait(usual, "all run", r.boundAre(ofPrefix("web-old-"), 4, 4))
			r.stranger()
			end("old")
			r.quiet(3*time.Second, "the stranger waits", r.noneBound("stranger"))
			object("/replicasets", "web-new", "new")
			r.wait(usual, "all run again", r.boundAre(ofPrefix("web-new-"), 4, 4))
			r.quiet(2*time.Second, "the stranger waits", r.noneBound("stranger"))
			r.must(r.plane.Admin.Delete(apps + "/deployments/web"))
			end("new")
			r.wait(usual, "the stranger has room", r.podsBound("stranger", 1))
		})
	}
}
