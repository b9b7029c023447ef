// SPDX-License-Identifier: Apache-2.0

//go:build operators

package suite

import (
	"encoding/json"
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

// operatorCase is one operator with a sample of its.
type operatorCase struct {
	name         string   // of its folder in test/e2e/operators
	definitions  []string // files of CustomResourceDefinitions, in its module
	webhooks     string   // file of its webhooks, in its module; empty: none are served
	port         int      // of its webhooks
	certificates string   // folder of the webhooks' certificate, below its home
	config       string
	env          []string
	arguments    []string
	sample       string // a file of its module; with "testdata/" of ours
	groups       []int  // sizes of the gangs that come of the sample, descending
}

const controllerRuntimeCertificates = "k8s-webhook-server/serving-certs"

var operatorCases = map[string]operatorCase{
	"LeaderWorkerSet": {
		name: "lws", definitions: []string{"config/crd/bases/*.yaml"},
		webhooks: "config/webhook/manifests.yaml", port: 19443, certificates: controllerRuntimeCertificates,
		config: "apiVersion: config.lws.x-k8s.io/v1alpha1\nkind: Configuration\nleaderElection: {leaderElect: false}\n" +
			"internalCertManagement: {enable: false}\nwebhook: {port: 19443, certDir: \"{home}/" + controllerRuntimeCertificates + "\"}\n" +
			"metrics: {bindAddress: \"0\"}\nhealth: {healthProbeBindAddress: \"0\"}\n",
		arguments: []string{"--config={home}/config.yaml"},
		sample:    "config/samples/leaderworkerset_v1_leaderworkerset.yaml", groups: []int{4, 4, 4},
	},
	"JobSet": {
		name: "jobset", definitions: []string{"config/components/crd/bases/*.yaml"},
		webhooks: "config/components/webhook/manifests.yaml", port: 19444, certificates: controllerRuntimeCertificates,
		config: "apiVersion: config.jobset.x-k8s.io/v1alpha1\nkind: Configuration\nleaderElection: {leaderElect: false}\n" +
			"internalCertManagement: {enable: false}\nwebhook: {port: 19444, certDir: \"{home}/" + controllerRuntimeCertificates + "\"}\n" +
			"metrics: {bindAddress: \"0\"}\nhealth: {healthProbeBindAddress: \"0\"}\n",
		arguments: []string{"--config={home}/config.yaml"},
		sample:    "testdata/jobset.yaml", groups: []int{9},
	},
	"MPIJob": {
		name: "mpi-operator", definitions: []string{"manifests/base/kubeflow.org_mpijobs.yaml"},
		arguments: []string{"-kubeConfig={kubeconfig}", "-lock-namespace=default", "-alsologtostderr"},
		sample:    "examples/v2beta1/pi/pi.yaml", groups: []int{3},
	},
}

// TestOperators_SamplesOfOperatorsAreGangs: The sample of each operator, with our schedulerName and nothing else changed,
// becomes gangs of the expected sizes, which are bound whole and have contiguous ranks.
func TestOperators_SamplesOfOperatorsAreGangs(t *testing.T) {
	realOnly(t, "operators need every kind that a real API server has")
	plane, err := startPlane(t.TempDir(), &cluster.PlaneOptions{Controllers: []string{"statefulset-controller",
		"endpoints-controller", "endpointslice-controller"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(plane.Stop)
	for kind, one := range operatorCases {
		t.Run(kind, func(t *testing.T) { playSample(t, plane, &one) })
	}
}

func playSample(t *testing.T, plane *cluster.Plane, one *operatorCase) {
	operator, err := cluster.BuildOperator(one.name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := operator.Install(plane, one.definitions...); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := plane.Clear(namespaceOf(t)); err != nil {
			t.Error(err)
		}
	})
	nodes, tree := racks([]int{16, 16}, []int{16, 16})
	for _, node := range nodes {
		node.Status.Allocatable["memory"], node.Status.Allocatable["nvidia.com/gpu"] = "64Gi", "4"
		node.Status.Capacity = node.Status.Allocatable
	}
	r := start(t, nodes, options{plane: plane})
	r.topology(tree)
	r.must(plane.Admin.MergePatch("/api/v1/namespaces/"+r.ns, `{"metadata":{"labels":{"sakkara.gang":"auto"}}}`))
	launchOperator(r, operator, one)
	applySample(r, operator, one)
	r.wait(3*usual, "all groups are bound", func(v *cluster.View) error { return r.groupsAre(v, one.groups) })
	r.rec.Look(func(v *cluster.View) { checkRanks(t, v, r.ns, one.groups) })
}

func launchOperator(r *run, operator *cluster.Operator, one *operatorCase) {
	r.Helper()
	process, certificate, err := operator.Launch(r.plane, one.config, one.env, one.certificates, one.arguments...)
	r.must(err)
	r.Cleanup(func() {
		if r.Failed() {
			r.Logf("last lines of the operator:\n%s", process.Tail(40))
		}
		process.Kill()
	})
	if one.webhooks == "" {
		return
	}
	r.must(cluster.WaitListening(one.port, usual))
	r.must(operator.ServeWebhooks(r.plane, one.webhooks, one.port, certificate))
	r.Cleanup(func() { r.must(operator.RemoveWebhooks(r.plane, one.webhooks)) })
}

// applySample sends the sample until the operator's webhooks take it, and deletes it when the test ends.
func applySample(r *run, operator *cluster.Operator, one *operatorCase) {
	r.Helper()
	documents, err := operator.Sample(one.sample, "sakkara")
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
	r.Cleanup(func() {
		if _, err := r.plane.Kubectl("delete", "-n", r.ns, "--wait=false", "-f", file); err != nil {
			r.Error(err)
		}
	})
}

// groupsAre: the groups of the namespace have these sizes and are Bound, and no pod waits.
func (r *run) groupsAre(v *cluster.View, sizes []int) error {
	_, page := r.daemon.AdminGet("/v1/groups?namespace=" + r.ns)
	var list struct {
		Items []struct {
			Name, Status, Reason, Message string
			Size                          int
		}
	}
	if err := json.Unmarshal([]byte(page), &list); err != nil {
		return fmt.Errorf("%w: %s", err, page)
	}
	var found []int
	for _, group := range list.Items {
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
