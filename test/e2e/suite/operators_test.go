// SPDX-License-Identifier: Apache-2.0

//go:build operators

package suite

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"sigs.k8s.io/yaml"

	"sakkara/test/e2e/suite/cluster"
)

// The operators of workloads themselves, built from their Go modules, beside the daemon on a real control plane. A user
// takes the operator's own sample, changes schedulerName, and nothing else: the namespace has the label sakkara.gang=auto.

// operatorSample is one sample of an operator.
type operatorSample struct {
	operators []string // that it needs; the last one has the file
	files     []string // of its module; with "testdata/" of ours
	groups    []int    // sizes of the gangs that come of the sample, descending
}

var operatorSamples = map[string]operatorSample{
	"LeaderWorkerSet": {[]string{"lws"}, []string{"config/samples/leaderworkerset_v1_leaderworkerset.yaml"}, []int{4, 4, 4}},
	"JobSet":          {[]string{"jobset"}, []string{"testdata/jobset.yaml"}, []int{9}},
	"MPIJob":          {[]string{"mpi-operator"}, []string{"examples/v2beta1/pi/pi.yaml"}, []int{3}},
	"RayCluster":      {[]string{"kuberay"}, []string{"config/samples/ray-cluster.sample.yaml"}, []int{2}},
	"KubeflowJob": {[]string{"training-operator"}, []string{"examples/pytorch/simple.yaml", "examples/tensorflow/simple.yaml",
		"examples/xgboost/xgboostjob.yaml", "examples/paddlepaddle/simple-cpu.yaml", "examples/jax/cpu-demo/demo.yaml"},
		[]int{3, 2, 2, 2, 2}},
	"TrainJob": {[]string{"jobset", "trainer"}, []string{"manifests/base/runtimes/torch_distributed.yaml", "testdata/trainjob.yaml"},
		[]int{4}},
	"Kueue":                     {[]string{"kueue"}, []string{"testdata/kueue.yaml"}, []int{3}},
	"KueueWithAJobSet":          {[]string{"jobset", "kueue"}, []string{"testdata/kueue-jobset.yaml"}, []int{5}},
	"KueueWithALeaderWorkerSet": {[]string{"lws", "kueue"}, []string{"testdata/kueue-lws.yaml"}, []int{3, 3}},
	"KueueWithATopology":        {[]string{"kueue"}, []string{"testdata/kueue-topology.yaml"}, []int{6}},
}

// TestOperators_SamplesOfOperatorsAreGangs: The sample of each operator, with our schedulerName and nothing else changed,
// becomes gangs of the expected sizes, which are bound whole and have contiguous ranks.
func TestOperators_SamplesOfOperatorsAreGangs(t *testing.T) {
	realOnly(t, "operators need every kind that a real API server has")
	for kind, sample := range operatorSamples {
		t.Run(kind, func(t *testing.T) { playSample(t, &sample) })
	}
}

// startOperators starts a control plane with these operators, and with nodes on which their samples have room. A control plane
// each: two operators may define one kind in two ways.
func startOperators(t *testing.T, names ...string) (r *run, operators []*cluster.Operator) {
	return startOperatorsOn(t, [][]int{{16, 16}, {16, 16}}, names...)
}

func startOperatorsOn(t *testing.T, slots [][]int, names ...string) (r *run, operators []*cluster.Operator) {
	return startOperatorsWith(t, slots, options{}, names...)
}

func startOperatorsWith(t *testing.T, slots [][]int, wanted options, names ...string) (r *run, operators []*cluster.Operator) {
	plane, err := startPlane(t.TempDir(), &cluster.PlaneOptions{Controllers: []string{"statefulset-controller",
		"endpoints-controller", "endpointslice-controller"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(plane.Stop)
	nodes, tree := racks(slots...)
	for _, node := range nodes {
		node.Status.Allocatable["memory"], node.Status.Allocatable["nvidia.com/gpu"] = "64Gi", "4"
		node.Status.Capacity, node.Labels["kubernetes.io/os"] = node.Status.Allocatable, "linux"
	}
	wanted.plane = plane
	r = start(t, nodes, wanted)
	r.topology(tree)
	r.must(plane.Admin.MergePatch("/api/v1/namespaces/"+r.ns, `{"metadata":{"labels":{"sakkara.gang":"auto"}}}`))
	for _, name := range names {
		operators = append(operators, launchOperator(r, name))
	}
	return r, operators
}

func playSample(t *testing.T, sample *operatorSample) {
	r, operators := startOperators(t, sample.operators...)
	operator := operators[len(operators)-1]
	applied := time.Now()
	for _, file := range sample.files {
		applySample(r, operator, file)
	}
	r.wait(3*usual, "all groups are bound", func(v *cluster.View) error { return r.groupsAre(v, sample.groups) })
	t.Logf("gangs of %v bound %.1f s after their samples were applied", sample.groups, time.Since(applied).Seconds())
	r.rec.Look(func(v *cluster.View) { checkRanks(t, v, r.ns, sample.groups) })
}

// applySample sends a sample until the operator's webhooks take it.
func applySample(r *run, operator *cluster.Operator, name string) {
	r.Helper()
	documents, err := operator.Sample(name, "sakkara")
	r.must(err)
	file := r.TempDir() + "/sample.yaml"
	var text []byte
	for _, document := range documents {
		var object map[string]any
		r.must(yaml.Unmarshal(document, &object))
		if meta, ok := object["metadata"].(map[string]any); ok {
			delete(meta, "namespace")
		}
		inNamespace, err := yaml.Marshal(object)
		r.must(err)
		text = append(append(text, "---\n"...), inNamespace...)
	}
	r.must(os.WriteFile(file, text, 0o600))
	r.poll("kubectl apply of the sample", func() bool {
		if _, err = r.plane.Kubectl("apply", "-n", r.ns, "-f", file); err != nil {
			time.Sleep(time.Second)
		}
		return err == nil
	})
}

// groupsAre: the groups of the namespace have these sizes and are Bound, and no pod waits.
func (r *run) groupsAre(v *cluster.View, sizes []int) error {
	rows, err := r.groupRows()
	if err != nil {
		return err
	}
	var found []int
	for _, group := range rows {
		if group.Status != "Bound" {
			return fmt.Errorf("group %s is %q: %s %s", group.Name, group.Status, group.Reason, group.Message)
		}
		found = append(found, group.Size)
	}
	slices.Sort(found)
	slices.Reverse(found)
	if !slices.Equal(found, sizes) {
		return fmt.Errorf("groups of %v, wanted %v", found, sizes)
	}
	total := 0
	for _, size := range sizes {
		total += size
	}
	pods := v.Pods(r.ns, nil)
	if len(pods) != total {
		return fmt.Errorf("%d pods, wanted %d", len(pods), total)
	}
	for _, pod := range pods {
		if !pod.Bound() {
			return fmt.Errorf("pod %s waits", pod.Name)
		}
	}
	return nil
}

// checkRanks: each rank below a group's size is there once for every group that is so large.
func checkRanks(t *testing.T, v *cluster.View, namespace string, sizes []int) {
	t.Helper()
	wanted, found := map[string]int{}, map[string]int{}
	for _, size := range sizes {
		for rank := range size {
			wanted[strconv.Itoa(rank)]++
		}
	}
	for _, pod := range v.Pods(namespace, nil) {
		found[pod.Labels["sakkara.member.rank"]]++
	}
	if !maps.Equal(wanted, found) {
		t.Errorf("ranks %v, wanted %v", found, wanted)
	}
}
