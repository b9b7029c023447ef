// SPDX-License-Identifier: Apache-2.0

package suite

import (
	"fmt"
	"strings"
	"testing"

	"sakkara/test/e2e/suite/cluster"
)

// Extended resources that a DeviceClass serves: kube-scheduler gives devices of the class on nodes that do not list
// the resource (KEP-5004, on by default from 1.36 on). The daemon counts the devices of slices.

const (
	gpu        = "example.com/gpu"
	classOfGPU = "gpu.example.com"
	byClass    = "deviceclass.resource.kubernetes.io/" + classOfGPU
)

var (
	deviceClasses  = cluster.Resource{Path: "/apis/resource.k8s.io/v1/deviceclasses"}
	resourceSlices = cluster.Resource{Path: "/apis/resource.k8s.io/v1/resourceslices"}
	resourceClaims = cluster.Resource{Path: "/apis/resource.k8s.io/v1/resourceclaims", Namespaced: true}
)

// from136 skips a test where a class serves no extended resource by itself.
func from136(t *testing.T) {
	if minor() < 36 {
		t.Skip("extended resources by a DeviceClass are off by default before 1.36")
	}
}

// deviceClass makes a class that serves the resource; at the end it goes, and all devices and claims with it.
func (r *run) deviceClass(resource string) {
	r.Helper()
	r.deviceClassOf(resource, fmt.Sprintf("device.driver == %q", classOfGPU))
}

// deviceClassOf is the same with another selector.
func (r *run) deviceClassOf(resource, selector string) {
	r.Helper()
	r.Cleanup(func() {
		r.must(r.plane.ClearResource(deviceClasses))
		r.must(r.plane.ClearResource(resourceSlices))
		r.must(r.plane.ClearResource(resourceClaims))
	})
	r.must(r.plane.Admin.Create(deviceClasses.Path, map[string]any{
		"apiVersion": "resource.k8s.io/v1", "kind": "DeviceClass", "metadata": map[string]any{"name": classOfGPU},
		"spec": map[string]any{"extendedResourceName": resource, "selectors": []any{
			map[string]any{"cel": map[string]any{"expression": selector}}}},
	}, nil))
}

// devices are so many of the class on a node; kube-scheduler sees those at once that are there when it starts.
func (r *run) devices(node string, n int) {
	r.Helper()
	var list []any
	for i := range n {
		list = append(list, map[string]any{"name": fmt.Sprintf("gpu-%d", i)})
	}
	r.must(r.plane.Admin.Create(resourceSlices.Path, map[string]any{
		"apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "metadata": map[string]any{"name": node},
		"spec": map[string]any{"driver": classOfGPU, "nodeName": node, "devices": list,
			"pool": map[string]any{"name": node, "generation": 1, "resourceSliceCount": 1}},
	}, nil))
}

// asking is a pod that wants one of a resource.
func asking(resource string) change {
	return func(pod *cluster.Pod) {
		resources := &pod.Spec.Containers[0].Resources
		if resources.Limits == nil {
			resources.Limits = map[string]string{}
		}
		resources.Limits[resource], resources.Requests[resource] = "1", "1"
	}
}

func scheduledBy(name string) change {
	return func(pod *cluster.Pod) { pod.Spec.SchedulerName = name }
}

// explained is the page of a group that says why it waits.
func (r *run) explained(group string) string {
	_, page := r.daemon.AdminGet("/v1/explain/" + r.ns + "/" + group)
	return page
}

// notRefused fails the test when the daemon refused an ordinary pod on some node.
func (r *run) notRefused(names ...string) {
	r.Helper()
	for _, call := range r.tap.Calls() {
		for _, name := range names {
			if call.Pod == name && call.Verb == "filter" && len(call.Allowed) < len(call.Asked) {
				r.Errorf("%s was offered %v, and refused with %q on all but %v", name, call.Asked, call.Reason, call.Allowed)
			}
		}
	}
}

// TestDevices_OfAClassAreLeftToKubeScheduler: A group that asks for an extended resource which no node lists and a
// DeviceClass serves is bound, by the name of the resource and by that of the class. While its plan stands, ordinary pods
// that ask for it, pods that ask for a resource that is nowhere, and those of another profile that ask for nothing of the
// kind are not refused.
func TestDevices_OfAClassAreLeftToKubeScheduler(t *testing.T) {
	from136(t)
	nodes, tree := racks([]int{4, 4}, []int{4})
	r := start(t, nodes, options{paused: true})
	r.anyNode("ordinary", "kube-scheduler picks one of the best by chance")
	r.deviceClass(gpu)
	for _, node := range []string{"node-0", "node-1", "node-2"} {
		r.devices(node, 4)
	}
	r.begin()
	r.topology(tree)
	release := r.tap.HoldBind(func(call *cluster.Call) bool { return call.Pod == "named-1" })
	r.gang("named", 2, "", asking(gpu))
	r.waitCalls("the plan stands", func(calls []cluster.Call) bool {
		for _, call := range calls {
			if call.Verb == "bind" && call.Pod == "named-0" {
				return true
			}
		}
		return false
	})
	r.create(r.pod("ordinary-gpu", asking(gpu)), r.pod("ordinary-class", asking(byClass)), r.pod("nowhere", asking("example.com/none")),
		r.pod("ordinary-other", scheduledBy("sakkara-scheduler")))
	for _, name := range []string{"ordinary-gpu", "ordinary-class", "ordinary-other"} {
		r.wait(usual, name+" bound", func(v *cluster.View) error {
			if !v.Pod(r.ns, name).Bound() {
				return fmt.Errorf("not bound")
			}
			return nil
		})
	}
	r.wait(usual, "what is nowhere is refused by kube-scheduler", func(v *cluster.View) error {
		condition := v.Pod(r.ns, "nowhere").Condition("PodScheduled")
		if condition == nil || !strings.Contains(condition.Message, "Insufficient example.com/none") {
			return fmt.Errorf("%+v", condition)
		}
		return nil
	})
	release()
	r.wait(usual, "bound by the name of the resource", r.allBound("named", 2))
	r.gang("classed", 4, "", asking(byClass))
	r.wait(usual, "bound by the name of the class", r.allBound("classed", 4))
	r.notRefused("ordinary-gpu", "ordinary-class", "ordinary-other", "nowhere")
	if _, page := r.daemon.AdminGet("/metrics"); !contains(page, `sakkara_plans_total{result="aborted"} 0`) {
		t.Error("a plan was given up")
	}
}

// TestDevices_NodesThatListTheResourceCountIt: Where one node lists the resource and others have devices of the class, a
// group uses both, the first for no more than it has.
func TestDevices_NodesThatListTheResourceCountIt(t *testing.T) {
	from136(t)
	nodes, tree := racks([]int{4, 4})
	nodes[0].Status.Allocatable[gpu] = "1"
	r := start(t, nodes, options{paused: true})
	r.deviceClass(gpu)
	r.devices("node-1", 4)
	r.begin()
	r.topology(tree)
	r.gang("mixed", 5, "", asking(gpu))
	r.wait(usual, "bound", r.allBound("mixed", 5))
	r.expectPlaced("mixed", "node-0:1 node-1:4")
}

// TestDevices_ThatNoSliceListsAreNamed: Without slices there are no devices: two groups, one by claims, are not planned, and say so.
// Ordinary pods run beside them. Both groups are bound as soon as a slice lists devices.
func TestDevices_ThatNoSliceListsAreNamed(t *testing.T) {
	from136(t)
	r := startRacks(t, options{}, []int{8, 8})
	r.deviceClass(gpu)
	r.createTemplate("one", 1)
	r.gang("starved", 2, "", asking(gpu))
	r.gang("claims", 2, "", byTemplate("one"))
	for _, name := range []string{"starved", "claims"} {
		r.wait(usual, name+" is too large", r.reason(name, "Ready", "NeverFits"))
		r.waitForDevices(name)
	}
	r.anyNode("ordinary", "kube-scheduler picks one of the best by chance")
	r.create(r.pod("ordinary"))
	r.wait(usual, "an ordinary pod bound", r.bound("ordinary"))
	r.notRefused("ordinary")
	r.devices("node-0", 4)
	r.wait(usual, "bound", r.allBound("starved", 2))
	r.wait(usual, "bound", r.allBound("claims", 2))
	r.noneAborted()
}

// TestDevices_AreCountedInPlans: Sixteen members want four devices each; nodes have eight devices, and cpu for all members.
// The first plan has two members on each node, and kube-scheduler refuses none of them. A gang that wants devices by an
// extended resource of the class gets those that are left, at once as well.
func TestDevices_AreCountedInPlans(t *testing.T) {
	from136(t)
	nodes, tree := racks([]int{64, 64, 64, 64, 64, 64, 64, 64, 64, 64})
	r := start(t, nodes, options{paused: true})
	r.deviceClass(gpu)
	for i := range 10 {
		r.devices(fmt.Sprintf("node-%d", i), 8)
	}
	r.begin()
	r.topology(tree)
	r.createTemplate("four", 4)
	r.gang("claims", 16, "", byTemplate("four"))
	r.wait(usual, "bound by claims", r.allBound("claims", 16))
	r.expectPlaced("claims", "node-0:2 node-1:2 node-2:2 node-3:2 node-4:2 node-5:2 node-6:2 node-7:2")
	r.gang("extended", 16, "", asking(gpu))
	r.wait(usual, "bound by the resource", r.allBound("extended", 16))
	r.expectPlaced("extended", "node-8:8 node-9:8")
	if n := r.aborted(); n > 0 {
		t.Errorf("%d plans were given up", n)
	}
}

// TestDevices_ARefusalTeachesHowManyANodeTakes: The class has a selector that the daemon does not model. Each node has devices for two members of a gang, and cpu for all of them.
// kube-scheduler refuses the third member on the first node. The devices that the parked members hold are freed, the next
// plans have two members on each node, and the gang is bound. It is so for claims of a template, and then for an extended
// resource of a class. A gang without devices takes the cpu that is left on all nodes at once.
func TestDevices_ARefusalTeachesHowManyANodeTakes(t *testing.T) {
	realOnly(t, "the model of kube-scheduler runs no selector that the daemon does not")
	from136(t)
	nodes, tree := racks([]int{16, 16, 16, 16})
	r := start(t, nodes, options{paused: true})
	r.deviceClassOf(gpu, fmt.Sprintf("device.driver == %q && device.driver in [device.driver]", classOfGPU))
	for i := range 4 {
		r.devices(fmt.Sprintf("node-%d", i), 10)
	}
	r.begin()
	r.topology(tree)
	r.createTemplate("four", 4)
	r.gang("claims", 8, "", byTemplate("four"))
	r.wait(usual, "bound by claims", r.allBound("claims", 8))
	r.expectPlaced("claims", "node-0:2 node-1:2 node-2:2 node-3:2")
	r.gang("extended", 8, "", asking(gpu))
	r.wait(usual, "bound by the resource", r.allBound("extended", 8))
	r.expectPlaced("extended", "node-0:2 node-1:2 node-2:2 node-3:2")
	r.gang("plain", 48, "")
	r.wait(usual, "bound without devices", r.allBound("plain", 48))
	n := r.aborted()
	t.Logf("%d plans were given up", n)
	if n < 2 || n > 8 {
		t.Errorf("%d plans were given up", n)
	}
}

// aborted is the number of plans that the daemon has given up.
func (r *run) aborted() (n int) {
	_, page := r.daemon.AdminGet("/metrics")
	_, line, _ := strings.Cut(page, `sakkara_plans_total{result="aborted"} `)
	if _, err := fmt.Sscan(line, &n); err != nil {
		r.Error(err)
	}
	return n
}

// TestDevices_ClassesThatMayNotBeReadAreAssumed: A daemon whose roles are older than itself is ready, binds groups that
// ask for what no node lists, and says which right it lacks.
func TestDevices_ClassesThatMayNotBeReadAreAssumed(t *testing.T) {
	realOnly(t, "the sandbox asks nobody for rights")
	from136(t)
	nodes, tree := racks([]int{4, 4})
	r := start(t, nodes, options{paused: true})
	r.forbid("deviceclasses")
	r.deviceClass(gpu)
	r.devices("node-0", 2)
	r.devices("node-1", 2)
	r.begin()
	r.topology(tree)
	r.gang("g", 2, "", asking(gpu))
	r.wait(usual, "bound", r.allBound("g", 2))
	r.gang("large", 9, "", asking(gpu))
	r.wait(usual, "more than there is", r.reason("large", "Ready", "NeverFits"))
	if page := r.explained("large"); !contains(page, "it needs list and watch on deviceclasses.resource.k8s.io") {
		t.Errorf("the right is not named in %s", page)
	}
}

// forbid takes a resource from the daemon's role until the end, and returns when that is in force.
func (r *run) forbid(resource string) {
	r.Helper()
	const path = "/apis/rbac.authorization.k8s.io/v1/clusterroles/sakkara"
	type rule struct {
		APIGroups []string `json:"apiGroups"`
		Resources []string `json:"resources"`
		Verbs     []string `json:"verbs"`
	}
	var role struct{ Rules []rule }
	r.must(r.plane.Admin.Get(path, &role))
	var rules []rule
	for _, one := range role.Rules {
		if one.Resources[0] != resource {
			rules = append(rules, one)
		}
	}
	r.Cleanup(func() { r.must(r.plane.Admin.MergePatch(path, map[string]any{"rules": role.Rules})) })
	r.must(r.plane.Admin.MergePatch(path, map[string]any{"rules": rules}))
	review := map[string]any{"apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview", "spec": map[string]any{
		"user": cluster.DaemonUser, "resourceAttributes": map[string]any{"group": "resource.k8s.io", "resource": resource, "verb": "list"}}}
	r.poll("the right is gone", func() bool {
		var answer struct{ Status struct{ Allowed bool } }
		r.must(r.plane.Admin.Create("/apis/authorization.k8s.io/v1/subjectaccessreviews", review, &answer))
		return !answer.Status.Allowed
	})
}

// TestDevices_AClaimThatIsFreedEndsThePlan: The allocation of a member's claim is removed while the member waits at its
// bind call. Nothing is bound; the plan ends as a whole, and the next one binds the group.
func TestDevices_AClaimThatIsFreedEndsThePlan(t *testing.T) {
	from136(t)
	r := startTwoDevices(t)
	release := r.parked("g", byTemplate("one"))
	r.waitFree(0) // both claims have devices, for the daemon too
	r.freeClaimOf("g-0")
	r.waitFree(1) // before the last member asks
	release()
	r.poll("the plan ends", func() bool { return r.aborted() > 0 })
	r.wait(2*usual, "bound by another plan", r.allBound("g", 2))
}

// TestDevices_AClaimThatIsDeletedKeepsThePlan: The claim of a member is deleted while the member waits at its bind call, and its
// device gets a taint that evicts. The claim stays until the pod is gone, and the group is bound by its first plan.
func TestDevices_AClaimThatIsDeletedKeepsThePlan(t *testing.T) {
	from136(t)
	r := startTwoDevices(t)
	release := r.parked("g", byTemplate("one"))
	r.must(r.plane.Admin.Delete(r.claimOf("g-0")))
	for _, node := range []string{"node-0", "node-1"} {
		r.must(r.plane.Admin.MergePatch(resourceSlices.Path+"/"+node,
			`{"spec":{"devices":[{"name":"gpu-0","taints":[{"key":"example.com/broken","effect":"NoExecute"}]}]}}`))
	}
	release()
	r.wait(usual, "bound beside a claim that is being deleted", r.allBound("g", 2))
	if n := r.aborted(); n > 0 {
		t.Errorf("%d plans were given up", n)
	}
}

// startTwoDevices has two nodes with a device each, and template "one" of claims.
func startTwoDevices(t *testing.T) *run {
	t.Helper()
	nodes, tree := racks([]int{4, 4})
	r := start(t, nodes, options{paused: true})
	r.deviceClass(gpu)
	r.devices("node-0", 1)
	r.devices("node-1", 1)
	r.begin()
	r.topology(tree)
	r.createTemplate("one", 1)
	return r
}

// waitFree waits until so many devices are free in the daemon's view.
func (r *run) waitFree(n int) {
	r.Helper()
	r.poll(fmt.Sprintf("%d devices are free for the daemon", n), func() bool {
		return says(r.daemon, fmt.Sprintf("sakkara_devices{class=%q,state=\"free\"} %d", classOfGPU, n))
	})
}

// parked makes a gang of two whose members both wait at their bind calls until the result is called.
func (r *run) parked(group string, changes ...change) (release func()) {
	r.Helper()
	release = r.tap.HoldBind(func(call *cluster.Call) bool { return call.Pod == group+"-1" })
	r.gang(group, 2, "", changes...)
	r.waitCalls("both members wait to be bound", func(calls []cluster.Call) bool {
		asked := map[string]bool{}
		for _, call := range calls {
			if call.Verb == "bind" && strings.HasPrefix(call.Pod, group+"-") {
				asked[call.Pod] = true
			}
		}
		return len(asked) == 2
	})
	return release
}

// freeClaimOf removes the allocation of the claim that was made for a pod.
func (r *run) freeClaimOf(pod string) {
	r.Helper()
	r.must(r.plane.Admin.MergePatch(r.claimOf(pod)+"/status", `{"status":{"allocation":null,"reservedFor":null}}`))
}

// claimOf is the path of that claim.
func (r *run) claimOf(pod string) string {
	r.Helper()
	path := "/apis/resource.k8s.io/v1/namespaces/" + r.ns + "/resourceclaims"
	var list struct {
		Items []struct {
			Metadata struct {
				Name            string
				OwnerReferences []struct{ Name string }
			}
		}
	}
	r.must(r.plane.Admin.Get(path, &list))
	for _, claim := range list.Items {
		if owners := claim.Metadata.OwnerReferences; len(owners) == 1 && owners[0].Name == pod {
			return path + "/" + claim.Metadata.Name
		}
	}
	r.Fatalf("pod %s has no claim", pod)
	return ""
}
