// SPDX-License-Identifier: Apache-2.0

//go:build operators

package suite

import (
	"fmt"
	"testing"

	"sakkara/test/e2e/suite/cluster"
)

const queuedJob = `
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: any}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: everyone}
spec:
  namespaceSelector: {}
  resourceGroups:
  - coveredResources: [cpu, memory]
    flavors: [{name: any, resources: [{name: cpu, nominalQuota: 9}, {name: memory, nominalQuota: 36Gi}]}]
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: team}
spec: {clusterQueue: everyone}
---
apiVersion: batch/v1
kind: Job
metadata: {name: train, labels: {kueue.x-k8s.io/queue-name: team}}
spec:
  suspend: true
  parallelism: 3
  completions: 3
  template:
    metadata: {annotations: {sakkara.gang: auto}}
    spec:
      schedulerName: sakkara
      restartPolicy: Never
      containers: [{name: main, image: busybox, resources: {requests: {cpu: "3", memory: 200Mi}}}]
`

// TestOperators_KueueEvictsAGangThatWaits: Kueue admits a gang by quota for which the nodes have no room, and evicts it after
// waitForPodsReady. Nothing is left of it in the daemon. When a node comes, Kueue admits the gang again, and it is bound whole.
func TestOperators_KueueEvictsAGangThatWaits(t *testing.T) {
	realOnly(t, "operators need every kind that a real API server has")
	r, _ := startOperatorsOn(t, [][]int{{4}, {4}})
	launchOperator(r, "kueue", "waitForPodsReady: {timeout: 12s, requeuingStrategy: {backoffBaseSeconds: 2, backoffLimitCount: 20}}\n")
	applyText(r, queuedJob)
	row := r.awaitGroup("job/train", "Ready", "NeverFits")
	if row.Size != 3 {
		t.Errorf("size %d, wanted 3", row.Size)
	}
	r.expectCommand([]string{"explain", "job/train"}, 4, "KueueEvicts")
	old := r.uidsOf(ofJob("train"))
	r.wait(2*usual, "Kueue has evicted the gang", func(v *cluster.View) error {
		for _, pod := range v.Pods(r.ns, ofJob("train")) {
			if old[pod.UID] {
				return fmt.Errorf("pod %s is there", pod.Name)
			}
		}
		return nil
	})
	if _, page := r.daemon.AdminGet("/v1/reservations"); contains(page, "train") {
		t.Errorf("room is reserved for a gang that is gone: %s", page)
	}
	extra := node("node-2", 4)
	extra.Labels["kubernetes.io/os"] = "linux"
	r.must(r.plane.CreateNodes(extra))
	r.must(r.plane.Admin.MergePatch(topologyPath("cluster-topology"), map[string]any{"data": map[string]string{
		"tree": `{"rack-0":{"node-0":{}},"rack-1":{"node-1":{},"node-2":{}}}`}}))
	r.wait(2*usual, "the gang is bound", r.boundAre(ofJob("train"), 3, 3))
	r.awaitGroup("job/train", "Bound", "")
}
