// SPDX-License-Identifier: Apache-2.0

package suite

import (
	"fmt"
	"strings"
	"testing"

	"sakkara/test/e2e/suite/cluster"
)

// provisioning is a ProvisioningRequest as the daemon makes it.
type provisioning struct {
	Spec struct {
		PodSets []struct {
			Count          int
			PodTemplateRef struct{ Name string }
		}
		ProvisioningClassName string
	}
}

// answer plays cluster-autoscaler: it sets a condition of a request.
func (r *run) answer(requests cluster.Resource, name, condition, message string) {
	r.Helper()
	r.must(r.plane.Admin.MergePatch(requests.At(r.ns, name)+"/status", map[string]any{"status": map[string]any{
		"conditions": []any{map[string]any{"type": condition, "status": "True", "reason": "Test", "message": message,
			"lastTransitionTime": "2026-01-01T00:00:00Z"}}}}))
}

// requested: there are n requests in the namespace; the only one is decoded.
func (r *run) requested(requests cluster.Resource, n int, name *string, into *provisioning) func(*cluster.View) error {
	return func(v *cluster.View) error {
		objects := v.Objects(requests.Path, r.ns)
		if len(objects) != n {
			return fmt.Errorf("%d requests, wanted %d", len(objects), n)
		}
		if n == 1 {
			*name = objects[0].Name
			return objects[0].Decode(into)
		}
		return nil
	}
}

// TestProvisioning_AWaitingGroupAsksForItsRoom: A group that waits for capacity keeps its gates and makes one request with a
// PodTemplate for each kind of its pods. A request that failed is removed. When the nodes have come the group is bound, and the
// request and its templates are gone.
func TestProvisioning_AWaitingGroupAsksForItsRoom(t *testing.T) {
	realOnly(t, "the sandbox does not serve these resources")
	r := start(t, []*cluster.Node{node("node-0", 4)}, options{
		resources: []string{"testdata/provisioningrequests.yaml"},
		roles:     []string{"../../../manifests/provisioning.yaml"},
		daemon: cluster.DaemonOptions{Settings: map[string]string{"releaseGateAfter": "2s",
			"provisioningClass": "best-effort-atomic-scale-up.autoscaling.x-k8s.io"}},
	})
	requests := r.resource("provisioningrequests")
	var name string
	var made provisioning
	r.gang("train", 6, "", gated)
	r.wait(usual, "a request is made", r.requested(requests, 1, &name, &made))
	if len(made.Spec.PodSets) != 1 || made.Spec.PodSets[0].Count != 6 {
		t.Fatalf("request %+v, wanted one set of 6 pods", made)
	}
	var template struct {
		Template struct{ Spec cluster.PodSpec }
	}
	r.must(r.plane.Admin.Get("/api/v1/namespaces/"+r.ns+"/podtemplates/"+made.Spec.PodSets[0].PodTemplateRef.Name, &template))
	if cpu := template.Template.Spec.Containers[0].Resources.Requests["cpu"]; cpu != "1" {
		t.Errorf("the template requests %s CPU, wanted 1", cpu)
	}
	r.answer(requests, name, "Accepted", "in the queue")
	r.poll("explain says what the autoscaler said", func() bool {
		output, _ := r.command("explain", "train")
		return contains(strings.Join(strings.Fields(output), " "), "is accepted: in the queue")
	})
	r.answer(requests, name, "Provisioned", "two nodes")
	r.must(r.plane.CreateNodes(node("node-1", 4)))
	r.wait(usual, "the group is bound", r.allBound("train", 6))
	r.wait(usual, "the request is gone", r.requested(requests, 0, nil, nil))
	r.poll("the templates are gone", func() bool {
		var list cluster.List[cluster.Meta]
		return r.plane.Admin.Get("/api/v1/namespaces/"+r.ns+"/podtemplates", &list) == nil && len(list.Items) == 0
	})
}
