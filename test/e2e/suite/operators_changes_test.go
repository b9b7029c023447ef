// SPDX-License-Identifier: Apache-2.0

//go:build operators

package suite

import (
	"fmt"
	"os"
	"testing"

	"sakkara/test/e2e/suite/cluster"
)

// What operators do to their workloads after these have been placed: restart, replace, scale.

// applyText applies the text of objects in the scenario's namespace, once the operator's webhooks take them.
func applyText(r *run, text string) {
	r.Helper()
	file := r.TempDir() + "/objects.yaml"
	r.must(os.WriteFile(file, []byte(text), 0o600))
	var err error
	defer func() {
		if err != nil {
			r.Log(err)
		}
	}()
	r.poll("kubectl apply", func() bool {
		_, err = r.plane.Kubectl("apply", "-n", r.ns, "-f", file)
		return err == nil
	})
}

func labelled(key, value string) func(*cluster.Pod) bool {
	return func(pod *cluster.Pod) bool { return pod.Live() && pod.Labels[key] == value }
}

// uidsOf are those of the pods that match.
func (r *run) uidsOf(which func(*cluster.Pod) bool) map[string]bool {
	uids := map[string]bool{}
	r.rec.Look(func(v *cluster.View) {
		for _, pod := range v.Pods(r.ns, which) {
			uids[pod.UID] = true
		}
	})
	return uids
}

// replaced: n pods match, all are bound, and none of them is one of the old ones.
func (r *run) replaced(which func(*cluster.Pod) bool, n int, old map[string]bool) func(*cluster.View) error {
	return func(v *cluster.View) error {
		for _, pod := range v.Pods(r.ns, which) {
			if old[pod.UID] {
				return fmt.Errorf("pod %s is the old one", pod.Name)
			}
		}
		return r.boundAre(which, n, n)(v)
	}
}

const jobSets = `
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: restarted}
spec:
  failurePolicy: {maxRestarts: 3}
  replicatedJobs:
  - {name: driver, replicas: 1, template: {spec: {parallelism: 1, completions: 1, backoffLimit: 0, template: &pod {spec: {
      schedulerName: sakkara, restartPolicy: Never, containers: [{name: main, image: busybox, resources: {requests: {cpu: "1"}}}]}}}}}
  - {name: workers, replicas: 2, template: {spec: {parallelism: 3, completions: 3, backoffLimit: 0, template: *pod}}}
---
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: ordered}
spec:
  replicatedJobs:
  - {name: first, replicas: 1, template: {spec: {parallelism: 2, completions: 2, template: &pod {spec: {
      schedulerName: sakkara, restartPolicy: Never, containers: [{name: main, image: busybox, resources: {requests: {cpu: "1"}}}]}}}}}
  - {name: second, replicas: 1, dependsOn: [{name: first, status: Complete}], template: {spec: {parallelism: 3, completions: 3, template: *pod}}}
---
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: exclusive, annotations: {alpha.jobset.sigs.k8s.io/exclusive-topology: kubernetes.io/hostname}}
spec:
  replicatedJobs:
  - {name: workers, replicas: 2, template: {spec: {parallelism: 2, completions: 2, template: {spec: {
      schedulerName: sakkara, restartPolicy: Never, containers: [{name: main, image: busybox, resources: {requests: {cpu: "1"}}}]}}}}}
`

// TestOperators_AJobSetChanges: A JobSet whose pod fails is restarted: all its new pods are bound as one gang once the old ones
// are gone. Of a JobSet with dependsOn each replicated job is a gang, one after the other. exclusive-topology is refused.
func TestOperators_AJobSetChanges(t *testing.T) {
	realOnly(t, "operators need every kind that a real API server has")
	r, _ := startOperators(t, "jobset")
	applyText(r, jobSets)
	const name = "jobset.sigs.k8s.io/jobset-name"
	all := labelled(name, "restarted")
	r.wait(3*usual, "the JobSet is bound", r.boundAre(all, 7, 7))
	old := r.uidsOf(all)
	var victim *cluster.Pod
	r.wait(usual, "a worker runs", func(v *cluster.View) error {
		for _, pod := range v.Pods(r.ns, all) {
			if pod.Labels["jobset.sigs.k8s.io/replicatedjob-name"] == "workers" && pod.Status.Phase == "Running" {
				victim = pod
				return nil
			}
		}
		return fmt.Errorf("none")
	})
	r.must(r.kubelet.Finish(victim, 1))
	r.wait(3*usual, "all pods are new and bound", r.replaced(all, 7, old))
	r.awaitGroup("jobset/restarted", "Bound", "")

	first, second := "jobset.sigs.k8s.io/replicatedjob-name", "second"
	r.wait(usual, "the first job is bound", r.boundAre(labelled(first, "first"), 2, 2))
	r.wait(usual, "it runs", func(v *cluster.View) error {
		for _, pod := range v.Pods(r.ns, labelled(first, "first")) {
			if pod.Status.Phase != "Running" {
				return fmt.Errorf("pod %s is %s", pod.Name, pod.Status.Phase)
			}
		}
		return nil
	})
	var running []*cluster.Pod
	r.rec.Look(func(v *cluster.View) { running = v.Pods(r.ns, labelled(first, "first")) })
	for _, pod := range running {
		r.must(r.kubelet.Finish(pod, 0))
	}
	r.wait(usual, "the second job is bound", r.boundAre(labelled(first, second), 3, 3))
	if row := r.awaitGroup("jobset/ordered/second", "Bound", ""); row.Size != 3 {
		t.Errorf("size %d, wanted 3", row.Size)
	}
	row := r.awaitGroup("jobset/exclusive", "Waiting", "EntryConflict")
	if !contains(row.Message, "exclusive-topology") {
		t.Errorf("the message does not say what to take away: %s", row.Message)
	}
}

func leaderWorkerSet(name, policy string) string {
	return `
apiVersion: leaderworkerset.x-k8s.io/v1
kind: LeaderWorkerSet
metadata: {name: ` + name + `}
spec:
  replicas: 3
  startupPolicy: ` + policy + `
  leaderWorkerTemplate:
    size: 4
    restartPolicy: RecreateGroupOnPodRestart
    workerTemplate: {spec: {schedulerName: sakkara, containers: [{name: main, image: busybox, resources: {requests: {cpu: "1"}}}]}}
`
}

// TestOperators_ALeaderWorkerSetChanges: Three groups of four are three gangs, whose leaders come first or not. A leader that is
// deleted takes its own group along, which is placed again as a whole; the others stay.
func TestOperators_ALeaderWorkerSetChanges(t *testing.T) {
	realOnly(t, "operators need every kind that a real API server has")
	r, _ := startOperators(t, "lws")
	const set, group = "leaderworkerset.sigs.k8s.io/name", "leaderworkerset.sigs.k8s.io/group-index"
	for _, policy := range []string{"LeaderCreated", "LeaderReady"} {
		name := map[string]string{"LeaderCreated": "together", "LeaderReady": "ready"}[policy]
		applyText(r, leaderWorkerSet(name, policy))
		r.wait(3*usual, policy+": all are bound", r.boundAre(labelled(set, name), 12, 12))
	}
	ofGroup := func(index string) func(*cluster.Pod) bool {
		return func(pod *cluster.Pod) bool { return labelled(set, "together")(pod) && pod.Labels[group] == index }
	}
	old, others := r.uidsOf(ofGroup("1")), r.uidsOf(ofGroup("0"))
	r.must(r.plane.Admin.Delete(r.podPath("together-1")))
	r.wait(3*usual, "the group is new and bound", r.replaced(ofGroup("1"), 4, old))
	r.awaitGroup("lws/together/1", "Bound", "")
	for uid := range r.uidsOf(ofGroup("0")) {
		if !others[uid] {
			t.Errorf("a pod of another group was replaced")
		}
	}
}

// TestOperators_ARayClusterGrows: Workers that come when a RayCluster is scaled up are bound beside the others, which stay.
func TestOperators_ARayClusterGrows(t *testing.T) {
	realOnly(t, "operators need every kind that a real API server has")
	r, operators := startOperators(t, "kuberay")
	applySample(r, operators[0], "config/samples/ray-cluster.sample.yaml")
	const cluster = "ray.io/cluster"
	all := labelled(cluster, "raycluster-kuberay")
	r.wait(3*usual, "the cluster is bound", r.boundAre(all, 2, 2))
	old := r.uidsOf(all)
	_, err := r.plane.Kubectl("patch", "-n", r.ns, "raycluster", "raycluster-kuberay", "--type=json",
		`-p=[{"op":"replace","path":"/spec/workerGroupSpecs/0/replicas","value":4}]`)
	r.must(err)
	r.wait(3*usual, "the workers that came later are bound", r.boundAre(all, 5, 5))
	now := r.uidsOf(all)
	for uid := range old {
		if !now[uid] {
			t.Errorf("a pod that ran is gone")
		}
	}
	r.awaitGroup("raycluster/raycluster-kuberay", "Bound", "")
}
