// SPDX-License-Identifier: Apache-2.0

//go:build operators

package suite

import (
	"fmt"
	"strings"
	"testing"

	"sakkara/test/e2e/suite/cluster"
)

// A queue whose workloads are admitted once sakkara can place them.
const checkedQueue = `
apiVersion: kueue.x-k8s.io/v1beta2
kind: AdmissionCheck
metadata: {name: placement}
spec: {controllerName: sakkara/placement}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: linux}
spec: {nodeLabels: {kubernetes.io/os: linux}}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: everyone}
spec:
  namespaceSelector: {}
  admissionChecksStrategy: {admissionChecks: [{name: placement}]}
  resourceGroups:
  - coveredResources: [cpu, memory]
    flavors: [{name: linux, resources: [{name: cpu, nominalQuota: 100}, {name: memory, nominalQuota: 360Gi}]}]
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: team}
spec: {clusterQueue: everyone}
`

// A Job of n pods; its template does not say that it is a gang.
func checkedJob(name string, n, cpu int, annotations string) string {
	return fmt.Sprintf(`
apiVersion: batch/v1
kind: Job
metadata: {name: %s, labels: {kueue.x-k8s.io/queue-name: team}}
spec:
  suspend: true
  parallelism: %d
  completions: %d
  template:
    metadata: {annotations: {%s}}
    spec:
      schedulerName: sakkara
      restartPolicy: Never
      containers: [{name: main, image: busybox, resources: {requests: {cpu: "%d", memory: 100Mi}}}]
`, name, n, n, annotations, cpu)
}

type admissionState struct {
	Name, State, Message string
	RequeueAfterSeconds  int
	RetryCount           int
}

type queuedWorkload struct {
	cluster.Meta `json:"metadata"`
	Spec         struct{ Active *bool }
	Status       struct {
		AdmissionChecks []admissionState
		Conditions      []struct{ Type, Status, Reason, Message string }
	}
}

func (w *queuedWorkload) is(condition string) bool {
	for _, c := range w.Status.Conditions {
		if c.Type == condition {
			return c.Status == "True"
		}
	}
	return false
}

// workloadOf is that of a Job.
func (r *run) workloadOf(job string) *queuedWorkload {
	r.Helper()
	return r.queued("job-" + job + "-")
}

// queued is the Workload whose name begins so.
func (r *run) queued(prefix string) *queuedWorkload {
	r.Helper()
	var list cluster.List[*queuedWorkload]
	r.must(r.plane.Admin.Get("/apis/kueue.x-k8s.io/v1beta2/namespaces/"+r.ns+"/workloads", &list))
	for _, w := range list.Items {
		if strings.HasPrefix(w.Name, prefix) {
			return w
		}
	}
	return &queuedWorkload{}
}

// TestOperators_KueueAdmitsWhatHasRoom: Kueue has quota for gangs for which the nodes have no room. With an AdmissionCheck of the
// daemon such a Job stays suspended and gives its quota back; another one that fits is admitted meanwhile. When room comes, the
// Job is admitted and bound whole. A Job that fits no node is deactivated, with the reason.
func TestOperators_KueueAdmitsWhatHasRoom(t *testing.T) {
	realOnly(t, "operators need every kind that a real API server has")
	r, _ := startOperatorsWith(t, [][]int{{4, 4}, {4}}, options{
		paused: true,
		roles:  []string{"../../../manifests/kueue.yaml"},
		daemon: cluster.DaemonOptions{Settings: map[string]string{"kueue": "{admissionCheck: true}"}},
	})
	launchOperator(r, "kueue")
	r.begin()
	applyText(r, checkedQueue)
	applyText(r, checkedJob("first", 2, 3, ""))
	r.wait(usual, "the first gang is bound", r.boundAre(ofJob("first"), 2, 2))
	r.awaitGroup("job/first", "Bound", "")
	applyText(r, checkedJob("large", 3, 3, ""))
	r.poll("Kueue has the answer Retry", func() bool {
		w := r.workloadOf("large")
		return len(w.Status.AdmissionChecks) == 1 && w.Status.AdmissionChecks[0].RetryCount > 0 && !w.is("QuotaReserved")
	})
	r.rec.Look(func(v *cluster.View) {
		if pods := v.Pods(r.ns, ofJob("large")); len(pods) > 0 {
			t.Errorf("%d pods exist before the workload is admitted", len(pods))
		}
	})
	applyText(r, checkedJob("small", 1, 3, ""))
	r.wait(usual, "the small gang is bound", r.boundAre(ofJob("small"), 1, 1))
	applyText(r, checkedJob("never", 2, 32, ""))
	r.poll("the job that fits no node is deactivated", func() bool {
		w := r.workloadOf("never")
		return w.Spec.Active != nil && !*w.Spec.Active
	})
	_, err := r.plane.Kubectl("delete", "job", "-n", r.ns, "first", "small")
	r.must(err)
	r.wait(4*usual, "the large gang is bound", r.boundAre(ofJob("large"), 3, 3))
	r.awaitGroup("job/large", "Bound", "")
	w := r.workloadOf("large")
	if len(w.Status.AdmissionChecks) != 1 || w.Status.AdmissionChecks[0].State != "Ready" || !w.is("Admitted") {
		t.Errorf("workload %+v, wanted Admitted with a Ready check", w.Status)
	}
}

// A JobSet of a driver and n workers of 3 cores.
func checkedJobSet(name string, n int) string {
	pod := `{spec: {schedulerName: sakkara, restartPolicy: Never, containers: [{name: main, image: busybox, resources: {requests: {cpu: "%d", memory: 100Mi}}}]}}`
	return fmt.Sprintf(`
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: %s, labels: {kueue.x-k8s.io/queue-name: team}}
spec:
  suspend: true
  replicatedJobs:
  - {name: driver, template: {spec: {parallelism: 1, completions: 1, template: %s}}}
  - {name: workers, template: {spec: {parallelism: %d, completions: %d, template: %s}}}
`, name, fmt.Sprintf(pod, 1), n, n, fmt.Sprintf(pod, 3))
}

// A LeaderWorkerSet of one group of n pods of 3 cores.
func checkedLeaders(name string, n int) string {
	return fmt.Sprintf(`
apiVersion: leaderworkerset.x-k8s.io/v1
kind: LeaderWorkerSet
metadata: {name: %s, labels: {kueue.x-k8s.io/queue-name: team}}
spec:
  replicas: 1
  leaderWorkerTemplate:
    size: %d
    workerTemplate:
      spec:
        schedulerName: sakkara
        containers: [{name: main, image: busybox, resources: {requests: {cpu: "3", memory: 100Mi}}}]
`, name, n)
}

// TestOperators_KueueAdmitsJobSetsAndLeaders: The same of a JobSet of two roles and of a LeaderWorkerSet. One that fits is
// admitted and bound as one gang; one that has no room gives its quota back, and one that never fits is deactivated.
func TestOperators_KueueAdmitsJobSetsAndLeaders(t *testing.T) {
	realOnly(t, "operators need every kind that a real API server has")
	r, _ := startOperatorsWith(t, [][]int{{4, 4}, {4}}, options{
		paused: true,
		roles:  []string{"../../../manifests/kueue.yaml"},
		daemon: cluster.DaemonOptions{Settings: map[string]string{"kueue": "{admissionCheck: true}"}},
	}, "jobset", "lws")
	launchOperator(r, "kueue")
	r.begin()
	applyText(r, checkedQueue)
	applyText(r, checkedJobSet("first", 2))
	r.wait(2*usual, "the JobSet is bound", r.boundAre(ofPrefix("first-"), 3, 3))
	r.awaitGroup("jobset/first", "Bound", "")
	applyText(r, checkedLeaders("large", 2))
	r.poll("Kueue has the answer Retry", func() bool {
		w := r.queued("leaderworkerset-large-")
		return len(w.Status.AdmissionChecks) == 1 && w.Status.AdmissionChecks[0].RetryCount > 0
	})
	applyText(r, checkedJobSet("never", 9))
	r.poll("the JobSet that never fits is deactivated", func() bool {
		w := r.queued("jobset-never-")
		return w.Spec.Active != nil && !*w.Spec.Active
	})
	_, err := r.plane.Kubectl("delete", "jobset", "-n", r.ns, "first")
	r.must(err)
	r.wait(4*usual, "the LeaderWorkerSet is bound", r.boundAre(ofPrefix("large-"), 2, 2))
	r.awaitGroup("lws/large/0", "Bound", "")
}
