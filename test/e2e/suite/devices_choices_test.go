// SPDX-License-Identifier: Apache-2.0

package suite

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"sakkara/test/e2e/suite/cluster"
)

// Devices that differ: which pod comes first decides which devices are left, counters are shared, rules taint devices.

var deviceTaintRules = cluster.Resource{Path: "/apis/resource.k8s.io/v1/devicetaintrules"}

// slice has devices, or counters, of the node; it is one of so many of its pool.
func (r *run) slice(name, node string, ofPool int, content map[string]any) {
	r.Helper()
	spec := map[string]any{"driver": classOfGPU, "nodeName": node,
		"pool": map[string]any{"name": node, "generation": 1, "resourceSliceCount": ofPool}}
	for key, value := range content {
		spec[key] = value
	}
	r.must(r.plane.Admin.Create(resourceSlices.Path, map[string]any{"apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice",
		"metadata": map[string]any{"name": name}, "spec": spec}, nil))
}

// ofKind is a device with the attribute kind, which consumes so much of the memory of its GPU; 0: it has no counter.
func ofKind(name, kind string, memory int) map[string]any {
	device := map[string]any{"name": name, "attributes": map[string]any{"kind": map[string]any{"string": kind}}}
	if memory > 0 {
		device["consumesCounters"] = []any{map[string]any{"counterSet": "gpu", "counters": memoryOf(memory)}}
	}
	return device
}

func memoryOf(gi int) map[string]any {
	return map[string]any{"memory": map[string]any{"value": fmt.Sprintf("%dGi", gi)}}
}

// wanted are so many devices of a kind, "": of any.
func wanted(name, kind string, n int) map[string]any {
	request := map[string]any{"name": name, "deviceClassName": classOfGPU, "allocationMode": "ExactCount", "count": n}
	if kind != "" {
		request["selectors"] = []any{map[string]any{"cel": map[string]any{
			"expression": fmt.Sprintf("device.attributes[%q].kind == %q", classOfGPU, kind)}}}
	}
	return request
}

// template wants the first alternative that fits.
func (r *run) template(name string, alternatives ...map[string]any) {
	r.Helper()
	request := map[string]any{"name": "r", "firstAvailable": alternatives}
	if len(alternatives) == 1 {
		delete(alternatives[0], "name")
		request = map[string]any{"name": "r", "exactly": alternatives[0]}
	}
	path := "/apis/resource.k8s.io/v1/namespaces/" + r.ns + "/resourceclaimtemplates"
	r.must(r.plane.Admin.Create(path, map[string]any{"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaimTemplate",
		"metadata": map[string]any{"name": name},
		"spec":     map[string]any{"spec": map[string]any{"devices": map[string]any{"requests": []any{request}}}}}, nil))
	r.Cleanup(func() { r.must(r.plane.Admin.Delete(path + "/" + name)) })
}

// noneAborted fails the test if the daemon gave a plan up.
func (r *run) noneAborted() {
	r.Helper()
	if n := r.aborted(); n > 0 {
		r.Errorf("%d plans were given up", n)
	}
}

// TestDevices_UnlikeMembersTakeTheirTurns: One member wants two devices of any kind, which the driver lists first, the other
// one wants a big one: only if that one is first, both fit. While the first of them is parked, an ordinary pod that wants two
// devices is kept off their node, where it would take one too many. No plan is given up.
func TestDevices_UnlikeMembersTakeTheirTurns(t *testing.T) {
	from136(t)
	nodes, tree := racks([]int{16, 16})
	r := start(t, nodes, options{paused: true})
	r.deviceClassOf(gpu, fmt.Sprintf("device.driver == %q", classOfGPU))
	r.slice("node-0", "node-0", 1, map[string]any{"devices": []any{ofKind("big-0", "big", 0), ofKind("big-1", "big", 0),
		ofKind("small-0", "small", 0), ofKind("small-1", "small", 0)}})
	r.slice("node-1", "node-1", 1, map[string]any{"devices": []any{ofKind("small-0", "small", 0), ofKind("small-1", "small", 0)}})
	r.begin()
	r.topology(tree)
	r.template("two", wanted("r", "", 2))
	r.template("big", wanted("r", "big", 1))
	release := r.tap.HoldBind(func(call *cluster.Call) bool { return call.Pod == "g-1" })
	r.group("g", 2, "")
	member := label("sakkara.group.name", "g")
	r.create(r.pod("g-0", member, byTemplate("two")), r.pod("g-1", member, byTemplate("big")))
	r.waitCalls("the member that wants a big one is first", func(calls []cluster.Call) bool {
		for _, call := range calls {
			if call.Verb == "bind" && strings.HasPrefix(call.Pod, "g-") {
				return call.Pod == "g-1"
			}
		}
		return false
	})
	r.create(r.pod("ordinary", byTemplate("two")))
	r.wait(usual, "an ordinary pod is bound elsewhere", func(v *cluster.View) error {
		if pod := v.Pod(r.ns, "ordinary"); pod.Spec.NodeName != "node-1" {
			return fmt.Errorf("on %q", pod.Spec.NodeName)
		}
		return nil
	})
	release()
	r.wait(usual, "bound", r.allBound("g", 2))
	r.expectPlaced("g", "node-0:2")
	r.noneAborted()
}

// TestDevices_CountersAndAlternativesArePlanned: Each of two nodes has a GPU that is given as a whole or as two halves. Three members
// take halves on both nodes. A pod that prefers a whole one gets the half that is left. A pod that wants nothing but a whole one
// waits until a node is free. A gang of higher priority that wants two whole ones evicts it and that other pod, and is bound when
// their devices are free. No plan is given up.
func TestDevices_CountersAndAlternativesArePlanned(t *testing.T) {
	from136(t)
	nodes, tree := racks([]int{16, 16})
	r := start(t, nodes, options{paused: true})
	r.anyRetries("kube-scheduler tries members again while their victims leave")
	r.deviceClassOf(gpu, fmt.Sprintf("device.driver == %q", classOfGPU))
	for i := range 2 {
		node := fmt.Sprintf("node-%d", i)
		r.slice(node+"-counters", node, 2, map[string]any{"sharedCounters": []any{map[string]any{"name": "gpu", "counters": memoryOf(40)}}})
		r.slice(node+"-devices", node, 2, map[string]any{"devices": []any{ofKind("whole", "whole", 40), ofKind("half-0", "half", 20),
			ofKind("half-1", "half", 20)}})
	}
	r.begin()
	r.topology(tree)
	r.template("half", wanted("r", "half", 1))
	r.template("whole", wanted("r", "whole", 1))
	r.template("either", wanted("whole", "whole", 1), wanted("half", "half", 1))
	r.gang("halves", 3, "", byTemplate("half"))
	r.wait(usual, "bound", r.allBound("halves", 3))
	r.expectPlaced("halves", "node-0:2 node-1:1")
	r.gang("either", 1, "", byTemplate("either"))
	r.wait(usual, "bound", r.allBound("either", 1))
	r.expectPlaced("either", "node-1:1")
	r.gang("whole", 1, "", byTemplate("whole"))
	r.waitForDevices("whole")
	r.removeGroup("halves")
	r.wait(usual, "bound", r.allBound("whole", 1))
	r.expectPlaced("whole", "node-0:1")
	r.groupMap("top", map[string]string{"name": "top", "size": "2", "priority": "10"})
	r.members("top", 2, byTemplate("whole"))
	r.wait(usual, "bound in the place of both", r.allBound("top", 2))
	r.expectPlaced("top", "node-0:1 node-1:1")
	r.noneAborted()
}

// waitForDevices waits until the group says that it lacks devices of the class.
func (r *run) waitForDevices(group string) {
	r.Helper()
	r.wait(usual, group+" waits for devices", func(v *cluster.View) error {
		if m := v.Map(r.ns, group); !contains(m.Data["message"], "devices of class "+classOfGPU) {
			return fmt.Errorf("%v", m.Data)
		}
		return nil
	})
}

// TestDevices_ARuleThatTaintsDevicesCounts: A DeviceTaintRule taints the devices of one node. A gang goes to the other one, and
// a second gang waits until the rule is gone. While a third one is parked on that node, the rule comes again: the members have their
// devices, and are bound. No plan is given up.
func TestDevices_ARuleThatTaintsDevicesCounts(t *testing.T) {
	realOnly(t, "the sandbox has no DeviceTaintRules")
	if minor() < 37 {
		t.Skip("DeviceTaintRules are off by default before 1.37")
	}
	nodes, tree := racks([]int{16, 16})
	r := start(t, nodes, options{paused: true})
	r.Cleanup(func() { r.must(r.plane.ClearResource(deviceTaintRules)) })
	r.deviceClass(gpu)
	r.devices("node-0", 5)
	r.devices("node-1", 4)
	rule := map[string]any{"apiVersion": "resource.k8s.io/v1", "kind": "DeviceTaintRule", "metadata": map[string]any{"name": "broken"},
		"spec": map[string]any{"deviceSelector": map[string]any{"driver": classOfGPU, "pool": "node-0"},
			"taint": map[string]any{"key": "example.com/broken", "effect": "NoSchedule"}}}
	r.must(r.plane.Admin.Create(deviceTaintRules.Path, rule, nil))
	r.begin()
	r.topology(tree)
	r.createTemplate("one", 1)
	r.gang("g", 4, "", byTemplate("one"))
	r.wait(usual, "bound", r.allBound("g", 4))
	r.expectPlaced("g", "node-1:4")
	r.gang("h", 2, "", byTemplate("one"))
	r.waitForDevices("h")
	r.must(r.plane.Admin.Delete(deviceTaintRules.Path + "/broken"))
	r.wait(usual, "bound without the rule", r.allBound("h", 2))
	r.expectPlaced("h", "node-0:2")
	release := r.parked("late", byTemplate("one"))
	r.must(r.plane.Admin.Create(deviceTaintRules.Path, rule, nil))
	r.poll("the daemon's watch shows the rule", func() bool {
		return !says(r.daemon, fmt.Sprintf(`sakkara_devices{class=%q,state="tainted"} 0`, classOfGPU))
	})
	release()
	r.wait(usual, "bound beside the rule", r.allBound("late", 2))
	r.noneAborted()
}

// TestDevices_OfAllNodesStarveNoGang: Three devices are within reach of all nodes. A gang of four that wants one each waits without
// a plan, and a gang of three is bound at once. Of two racks with two and four devices a gang of five takes as many as each has,
// and the members of two roles that share a claim go to the rack with the last one. No plan is given up.
func TestDevices_OfAllNodesStarveNoGang(t *testing.T) {
	realOnly(t, "the model of kube-scheduler has no devices that several nodes reach")
	from136(t)
	nodes, tree := racks([]int{16, 16}, []int{16, 16})
	r := start(t, nodes, options{paused: true})
	r.deviceClass(gpu)
	r.fabric("all", 3)
	r.fabric("rack", 2, "node-0", "node-1")
	r.fabric("rack", 4, "node-2", "node-3")
	r.begin()
	r.topology(tree)
	r.template("one", wanted("", "all", 1))
	r.template("rack", wanted("", "rack", 1))
	r.gang("four", 4, "", byTemplate("one"))
	r.wait(usual, "too large", r.reason("four", "Ready", "NeverFits"))
	r.gang("three", 3, "", byTemplate("one"))
	r.wait(usual, "bound", r.allBound("three", 3))
	r.gang("five", 5, "", byTemplate("rack"))
	r.wait(usual, "bound in both racks", r.allBound("five", 5))
	request := wanted("", "rack", 1)
	delete(request, "name")
	r.must(r.plane.Admin.Create("/apis/resource.k8s.io/v1/namespaces/"+r.ns+"/resourceclaims", map[string]any{
		"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim", "metadata": map[string]any{"name": "last"},
		"spec": map[string]any{"devices": map[string]any{"requests": []any{map[string]any{"name": "r", "exactly": request}}}}}, nil))
	r.groupMap("pair", map[string]string{"name": "pair", "priority": "0", "roles": `{"leader":{"size":1},"worker":{"size":1}}`})
	r.create(r.pod("pair-0", roleOf("pair", "leader", -1, byClaim("last"))...), r.pod("pair-1", roleOf("pair", "worker", -1, byClaim("last"))...))
	r.wait(usual, "bound in one rack", r.allBound("pair", 2))
	r.noneAborted()
	r.noDeviceTwice()
}

// fabric makes devices that these nodes reach; none: all do.
func (r *run) fabric(kind string, n int, nodes ...any) {
	r.Helper()
	var list []any
	for i := range n {
		list = append(list, ofKind(fmt.Sprintf("%s-%d", kind, i), kind, 0))
	}
	name := fmt.Sprintf("fabric-%s-%d", kind, n)
	spec := map[string]any{"driver": classOfGPU, "devices": list, "pool": map[string]any{"name": name, "generation": 1, "resourceSliceCount": 1}}
	if len(nodes) == 0 {
		spec["allNodes"] = true
	} else {
		spec["nodeSelector"] = map[string]any{"nodeSelectorTerms": []any{map[string]any{"matchExpressions": []any{
			map[string]any{"key": "kubernetes.io/hostname", "operator": "In", "values": nodes}}}}}
	}
	r.must(r.plane.Admin.Create(resourceSlices.Path, map[string]any{"apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice",
		"metadata": map[string]any{"name": name}, "spec": spec}, nil))
}

// deviceClaim is what the tests look at in a ResourceClaim.
type deviceClaim struct {
	Metadata struct{ Name string }
	Status   struct {
		ReservedFor []any
		Allocation  *struct {
			Devices struct {
				Results []struct{ Pool, Device string }
			}
		}
	}
}

func (r *run) deviceClaims() []deviceClaim {
	r.Helper()
	var list struct{ Items []deviceClaim }
	r.must(r.plane.Admin.Get("/apis/resource.k8s.io/v1/namespaces/"+r.ns+"/resourceclaims", &list))
	return list.Items
}

// noDeviceTwice fails the test if two claims have one device.
func (r *run) noDeviceTwice() {
	r.Helper()
	owner := map[string]string{}
	for _, claim := range r.deviceClaims() {
		if claim.Status.Allocation == nil {
			continue
		}
		for _, result := range claim.Status.Allocation.Devices.Results {
			device := result.Pool + "/" + result.Device
			if owner[device] != "" {
				r.Errorf("claims %s and %s have device %s", owner[device], claim.Metadata.Name, device)
			}
			owner[device] = claim.Metadata.Name
		}
	}
}

// TestDevices_GangsAndPodsBesideADaemonThatDies: Gangs and ordinary pods of random sizes want devices, more than there are; what
// is bound goes, and the rest follows. The daemon is killed at random. All are bound in the end, each gang as a whole, no device
// is given twice, and at rest no claim has devices without a pod. SAKKARA_E2E_ROUNDS=N plays N rounds instead of one.
func TestDevices_GangsAndPodsBesideADaemonThatDies(t *testing.T) {
	realOnly(t, "what is left to chance is not compared")
	from136(t)
	rounds, err := strconv.Atoi(os.Getenv("SAKKARA_E2E_ROUNDS"))
	if err != nil {
		rounds = 1
	}
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	nodes, tree := racks([]int{16, 16, 16})
	r := start(t, nodes, options{paused: true})
	r.anyEvents("some die with the daemon")
	r.deviceClass(gpu)
	for _, node := range nodes {
		r.devices(node.Name, 4)
	}
	r.begin()
	r.topology(tree)
	r.createTemplate("one", 1)
	r.createTemplate("two", 2)
	templates := []string{"one", "two"}
	for round := range rounds {
		waiting := map[string]int{} // groups; 0: an ordinary pod
		for i := range 5 {
			name := fmt.Sprintf("g%d-%d", round, i)
			waiting[name] = 1 + random.IntN(4)
			r.gang(name, waiting[name], "", byTemplate(templates[random.IntN(2)]))
			if random.IntN(2) == 0 {
				name = fmt.Sprintf("p%d-%d", round, i)
				waiting[name] = 0
				r.create(r.pod(name, byTemplate(templates[random.IntN(2)])))
			}
			if i == 1 || i == 3 {
				time.Sleep(time.Duration(random.IntN(400)) * time.Millisecond)
				r.daemon.Kill()
				r.must(r.daemon.Start())
			}
		}
		for len(waiting) > 0 {
			var bound string
			r.wait(2*usual, fmt.Sprintf("one of %v bound", waiting), func(v *cluster.View) error {
				for name, n := range waiting {
					if n > 0 && r.allBound(name, n)(v) == nil || n == 0 && v.Pod(r.ns, name).Bound() {
						bound = name
						return nil
					}
				}
				return fmt.Errorf("none")
			})
			r.noDeviceTwice()
			if waiting[bound] > 0 {
				r.removeGroup(bound)
			} else {
				r.must(r.plane.Admin.Delete(r.podPath(bound)))
			}
			delete(waiting, bound)
		}
	}
	r.poll("no claim has devices at rest", func() bool {
		for _, claim := range r.deviceClaims() {
			if claim.Status.Allocation != nil {
				return false
			}
		}
		return true
	})
}
