// SPDX-License-Identifier: Apache-2.0

//go:build operators

package suite

import (
	"fmt"
	"strings"
	"testing"

	"sakkara/test/e2e/suite/cluster"
)

// The examples of docs/workloads, as a newcomer applies them.

const pages = "../../../docs/workloads/"

// executors are the pods that spark-submit makes, with the settings of the page.
func executors(n int) string {
	var text strings.Builder
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&text, `---
apiVersion: v1
kind: Pod
metadata:
  name: pi-exec-%d
  labels: {spark-role: executor, spark-app-selector: spark-7, spark-exec-id: "%d", spark-app-name: pi}
  annotations: {sakkara.gang: auto, sakkara.group.size: "%d"}
spec: {schedulerName: sakkara, restartPolicy: Never, containers: [{name: main, image: spark, resources: {requests: {cpu: "1"}}}]}
`, i, i, n)
	}
	return text.String()
}

// playPages applies examples, and waits until the groups are bound whole with contiguous ranks.
func playPages(r *run, operator *cluster.Operator, sizes []int, names ...string) {
	r.Helper()
	for _, name := range names {
		applySample(r, operator, pages+name+".yaml")
	}
	r.wait(3*usual, "all groups are bound", func(v *cluster.View) error { return r.groupsAre(v, sizes) })
	r.rec.Look(func(v *cluster.View) { checkRanks(r.T, v, r.ns, sizes) })
}

// TestOperators_ExamplesOfThePagesAreGangs: The example of each page of docs/workloads becomes the groups that the page names,
// with the workload's own operator. So do the executors of Spark, with the settings of their page.
func TestOperators_ExamplesOfThePagesAreGangs(t *testing.T) {
	realOnly(t, "operators need every kind that a real API server has")
	t.Run("Most", func(t *testing.T) {
		r, operators := startOperatorsOn(t, [][]int{{16, 16, 16, 16}, {16, 16, 16, 16}, {16, 16, 16, 16}, {16, 16, 16, 16}},
			"jobset", "lws", "kuberay", "training-operator")
		applyText(r, executors(8))
		playPages(r, operators[0], []int{9, 8, 4, 4, 4, 3, 3, 3}, "job", "jobset", "leaderworkerset", "raycluster", "kubeflow", "statefulset")
		for _, name := range []string{"job/train", "jobset/train", "lws/serve/0", "lws/serve/1", "raycluster/ray", "pytorchjob/bert",
			"statefulset/store", "spark/spark-7"} {
			r.awaitGroup(name, "Bound", "")
		}
	})
	t.Run("MPIJob", func(t *testing.T) {
		r, operators := startOperators(t, "mpi-operator")
		playPages(r, operators[0], []int{3}, "mpijob")
		r.awaitGroup("mpijob/pi", "Bound", "")
	})
}
