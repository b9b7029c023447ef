// SPDX-License-Identifier: Apache-2.0

package suite

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"sakkara/test/e2e/suite/cluster"
)

// One tenant holds room for something that never happens. The gangs of another tenant are bound all the same, in at
// most twice the time that they need without it (docs/threats.md).

const (
	isolationRounds = 3           // gangs whose median counts
	isolationFloor  = time.Second // times below it are not told apart
)

// honest is the tenant whose gangs are measured: size members, each as large as a node.
type honest struct {
	*run
	size     int
	priority int
	rules    string
	class    string        // PriorityClass of its pods; empty: none
	quiet    time.Duration // median without the attack
	made     int
}

// tenants starts two racks of four nodes with 8 CPUs each, and measures the honest tenant's gangs on the empty cluster.
func tenants(t *testing.T, size, priority int, rules string) (*honest, *run) {
	t.Helper()
	return tenantsOf(t, options{}, size, priority, rules)
}

func tenantsOf(t *testing.T, wanted options, size, priority int, rules string) (*honest, *run) {
	t.Helper()
	realOnly(t, "the sandbox has no times of a real API server")
	r := startRacks(t, wanted, slices.Repeat([]int{8}, 4), slices.Repeat([]int{8}, 4))
	r.anyMoment("", "its groups wait for each other")
	r.anyNode("", "room frees in any order")
	r.anyEvents("as above")
	h := &honest{run: r, size: size, priority: priority, rules: rules}
	hostile := *r
	hostile.ns = r.namespace("hostile")
	h.quiet = h.median()
	return h, &hostile
}

// median is that of the times of some gangs, each gone before the next one comes.
func (h *honest) median() time.Duration {
	h.Helper()
	return medianOf(isolationRounds, h.gang)
}

func medianOf(n int, one func() time.Duration) time.Duration {
	var times []time.Duration
	for range n {
		times = append(times, one())
	}
	slices.Sort(times)
	return times[n/2]
}

// gang lets one gang come and go. It returns the time from the first object to the last member bound.
func (h *honest) gang() time.Duration {
	h.Helper()
	name := fmt.Sprintf("honest-%d", h.made)
	h.made++
	began := time.Now()
	h.come(name)
	h.wait(usual, name+" is bound", h.podsBound(name, h.size))
	took := time.Since(began)
	h.must(h.plane.Admin.Delete(h.mapPath(name)))
	h.must(h.plane.Admin.Delete("/api/v1/namespaces/" + h.ns + "/pods"))
	h.wait(usual, name+" is gone", func(v *cluster.View) error {
		if n := len(v.Pods(h.ns, nil)); n > 0 {
			return fmt.Errorf("%d pods", n)
		}
		return nil
	})
	return took
}

func (h *honest) come(name string) {
	h.Helper()
	data := map[string]string{"name": name, "size": fmt.Sprint(h.size), "priority": fmt.Sprint(h.priority)}
	if h.rules != "" {
		data["constraints"] = h.rules
	}
	h.groupMap(name, data)
	h.members(name, h.size, gated, cpu("8"), func(pod *cluster.Pod) { pod.Spec.PriorityClass = h.class })
}

// createClass creates a PriorityClass of the cluster. When it returns, the API server lets pods in with it.
func (r *run) createClass(name string, value int) string {
	r.Helper()
	const classes = "/apis/scheduling.k8s.io/v1/priorityclasses"
	r.must(r.plane.Admin.Create(classes, map[string]any{"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass",
		"metadata": map[string]any{"name": name}, "value": value}, nil))
	r.Cleanup(func() { r.must(r.plane.Admin.Delete(classes + "/" + name)) })
	probe := r.pod("probe-of-"+name, func(pod *cluster.Pod) { pod.Spec.PriorityClass = name })
	for end := time.Now().Add(usual); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		err := r.plane.Admin.Create("/api/v1/namespaces/"+r.ns+"/pods?dryRun=All", probe, nil)
		if err == nil || !strings.Contains(err.Error(), "no PriorityClass") {
			break
		}
	}
	return name
}

// expectFast fails the test if a time under the attack is more than twice the quiet one.
func (h *honest) expectFast(took time.Duration) {
	h.Helper()
	expectAtMostTwice(h.T, "a gang", h.quiet, took)
}

func expectAtMostTwice(t *testing.T, what string, quiet, took time.Duration) {
	t.Helper()
	t.Logf("%s: %v without the attack, %v with it", what, quiet, took)
	if took > max(2*quiet, isolationFloor) {
		t.Errorf("%s took %v under the attack, %v without it", what, took, quiet)
	}
}

func (h *honest) expectIsolated() {
	h.Helper()
	h.expectFast(h.median())
}

// claim lets the pod use a claim that the cluster may have or not.
func claim(name string) change {
	return func(pod *cluster.Pod) {
		pod.Spec.Volumes = append(pod.Spec.Volumes, cluster.Volume{Name: name, Claim: &cluster.ClaimName{Name: name}})
	}
}

// createClaim creates a claim of the class; volume: the PersistentVolume that it is bound to, or empty. node: what a user
// writes as the node that kube-scheduler selected, or empty.
func (r *run) createClaim(name, class, volume, node string) {
	r.Helper()
	spec := map[string]any{"accessModes": []string{"ReadWriteOnce"}, "storageClassName": class,
		"resources": map[string]any{"requests": map[string]string{"storage": "1Gi"}}}
	if volume != "" {
		spec["volumeName"] = volume
	}
	metadata := map[string]any{"name": name}
	if node != "" {
		metadata["annotations"] = map[string]string{"volume.kubernetes.io/selected-node": node}
	}
	path := "/api/v1/namespaces/" + r.ns + "/persistentvolumeclaims"
	r.must(r.plane.Admin.Create(path, map[string]any{"apiVersion": "v1", "kind": "PersistentVolumeClaim",
		"metadata": metadata, "spec": spec}, nil))
	r.Cleanup(func() {
		r.must(r.plane.Admin.MergePatch(path+"/"+name, `{"metadata":{"finalizers":null}}`))
		r.must(r.plane.Admin.Delete(path + "/" + name))
	})
}

// createStorageClass creates a class whose claims are never provisioned.
func (r *run) createStorageClass(name string) {
	r.Helper()
	const classes = "/apis/storage.k8s.io/v1/storageclasses"
	r.must(r.plane.Admin.Create(classes, map[string]any{"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass",
		"metadata": map[string]any{"name": name}, "provisioner": name + ".example.com", "volumeBindingMode": "WaitForFirstConsumer"}, nil))
	r.Cleanup(func() { r.must(r.plane.Admin.Delete(classes + "/" + name)) })
}

// TestIsolation_AClaimThatNobodyProvisionsHoldsOneNodeAtMost: A pod waits for a volume that is never provisioned, and may
// use every node. A gang that needs all nodes but one is bound as fast as without it.
func TestIsolation_AClaimThatNobodyProvisionsHoldsOneNodeAtMost(t *testing.T) {
	h, hostile := tenants(t, 7, 1000, "")
	h.createStorageClass("never")
	hostile.createClaim("disk", "never", "", "")
	hostile.create(hostile.pod("late", claim("disk"), func(pod *cluster.Pod) {
		pod.Spec.SchedulingGates = append(pod.Spec.SchedulingGates, cluster.Named{Name: "hostile.example.com/later"})
	}))
	hostile.wait(usual, "the daemon sees the pod behind its gate", hostile.told("SchedulingGated", "late"))
	h.must(h.plane.Admin.MergePatch(hostile.podPath("late"), `{"spec":{"schedulingGates":null}}`))
	hostile.waitCalls("kube-scheduler has asked for the pod", func(calls []cluster.Call) bool {
		return slices.ContainsFunc(calls, func(call cluster.Call) bool { return call.Pod == "late" && call.Verb == "filter" })
	})
	h.expectIsolated()
}

// TestIsolation_PodsThatKubeSchedulerRefusesHoldNothing: Single pods of a PriorityClass wait for claims that do not exist.
// A gang whose map has a higher priority takes all the nodes at once.
func TestIsolation_PodsThatKubeSchedulerRefusesHoldNothing(t *testing.T) {
	h, hostile := tenants(t, 8, 1000, "")
	h.createClass("hostile", 1)
	for _, name := range numbered("single", 0, 8) {
		hostile.create(hostile.pod(name, cpu("8"), claim("missing"), func(pod *cluster.Pod) { pod.Spec.PriorityClass = "hostile" }))
	}
	hostile.wait(usual, "kube-scheduler has refused them", hostile.told("missing", numbered("single", 0, 8)...))
	h.expectIsolated()
}

// TestIsolation_DisksOfOneTenantAreNoVetoForAnother: The volumes of a tenant's gang are of a zone without nodes,
// which closes every node to it. A gang of another tenant with the same requests and no volumes is bound at once.
func TestIsolation_DisksOfOneTenantAreNoVetoForAnother(t *testing.T) {
	h, hostile := tenants(t, 8, 0, "")
	hostile.groupMap("disks", map[string]string{"name": "disks", "size": "4", "priority": "0"})
	const volumes = "/api/v1/persistentvolumes"
	for i, name := range numbered("disk", 0, 4) {
		h.must(h.plane.Admin.Create(volumes, map[string]any{"apiVersion": "v1", "kind": "PersistentVolume",
			"metadata": map[string]any{"name": name},
			"spec": map[string]any{"capacity": map[string]string{"storage": "1Gi"}, "accessModes": []string{"ReadWriteOnce"},
				"storageClassName": "static", "hostPath": map[string]string{"path": "/disk"},
				"claimRef": map[string]string{"namespace": hostile.ns, "name": name},
				"nodeAffinity": map[string]any{"required": map[string]any{"nodeSelectorTerms": []any{map[string]any{
					"matchExpressions": []any{map[string]any{"key": "zone", "operator": "In", "values": []string{"elsewhere"}}}}}}}}}, nil))
		h.Cleanup(func() {
			h.must(h.plane.Admin.MergePatch(volumes+"/"+name, `{"metadata":{"finalizers":null}}`))
			h.must(h.plane.Admin.Delete(volumes + "/" + name))
		})
		hostile.createClaim(name, "static", name, "")
		hostile.create(hostile.pod(fmt.Sprintf("disks-%d", i), label("sakkara.group.name", "disks"), cpu("8"), claim(name)))
	}
	hostile.wait(usual, "the gang has no node", func(v *cluster.View) error {
		data := v.Map(hostile.ns, "disks").Data
		if data["reason"] != "NeverFits" || !contains(data["message"], "8 out of reach of volumes of its pods") {
			return fmt.Errorf("%v", data)
		}
		return nil
	})
	h.expectIsolated()
}

// overwrite edits status and plan of n maps of the tenant in turn, 250 times a second, until the test ends.
func (r *run) overwrite(n int) {
	r.Helper()
	for i := range n {
		name := fmt.Sprintf("mine-%d", i)
		r.groupMap(name, map[string]string{"name": name, "size": "2"})
	}
	const writers, perSecond = 10, 250
	done := make(chan struct{})
	var running sync.WaitGroup
	r.Cleanup(func() { close(done); running.Wait() })
	for w := range writers {
		running.Add(1)
		go func() {
			defer running.Done()
			tick := time.NewTicker(time.Second * writers / perSecond)
			defer tick.Stop()
			for i := w; ; i += writers {
				select {
				case <-done:
					return
				case <-tick.C:
				}
				_ = r.plane.Admin.MergePatch(r.mapPath(fmt.Sprintf("mine-%d", i%n)), map[string]any{
					"metadata": map[string]any{"annotations": map[string]string{"sakkara.plan": fmt.Sprintf("{%d}", i)}},
					"data":     map[string]string{"status": fmt.Sprintf("mine %d", i)}})
			}
		}()
	}
}

// TestIsolation_EditsOfWhatTheDaemonWritesDelayNoOther: A tenant edits status and plan of its maps 250 times a second. The
// daemon may write 100 times a second. It writes them again at growing pauses, and says so; gangs of another tenant are bound
// in twice the usual time at most.
func TestIsolation_EditsOfWhatTheDaemonWritesDelayNoOther(t *testing.T) {
	limited := options{daemon: cluster.DaemonOptions{QPS: 100}}
	h, hostile := tenantsOf(t, limited, 8, 0, "")
	hostile.overwrite(40)
	hostile.wait(usual, "the tenant is told", func(v *cluster.View) error {
		for _, event := range v.Events("ConfigMap", hostile.ns, "mine-0") {
			if event.Reason == "ObjectOverwritten" {
				return nil
			}
		}
		return fmt.Errorf("no Event says that the map is overwritten")
	})
	h.expectIsolated()
}

// shrink lets a gang of the tenant run on every node, then deletes all members but the first.
func (r *run) shrink(name string) {
	r.Helper()
	r.groupMap(name, map[string]string{"name": name, "size": "8", "priority": "0", "seat-hold": "24h"})
	r.members(name, 8, cpu("8"))
	r.wait(usual, name+" runs", r.podsRunning(name, 8))
	for _, pod := range numbered(name, 1, 8) {
		r.must(r.plane.Admin.Delete(r.podPath(pod)))
	}
	r.wait(usual, "one member is left", r.podsRunning(name, 1))
}

// TestIsolation_SeatsHeldForADayYieldToAHigherPriority: A tenant deletes most members of its gang and asks for their seats
// to be held for a day. A gang of a higher priority takes the room at once.
func TestIsolation_SeatsHeldForADayYieldToAHigherPriority(t *testing.T) {
	h, hostile := tenants(t, 7, 10, "")
	hostile.shrink("holder")
	h.expectFast(h.gang())
}

// TestIsolation_SeatsHeldBeyondANamespacesShareAreNotHeld: The same attack against a gang of equal priority. The tenant
// runs one pod: it cannot hold half of the cluster beside it.
func TestIsolation_SeatsHeldBeyondANamespacesShareAreNotHeld(t *testing.T) {
	h, hostile := tenants(t, 4, 0, "")
	hostile.shrink("holder")
	h.expectIsolated()
}

// fillRack lets a group of four run on whole nodes of one rack.
func (r *run) fillRack(name string, priority int, changes ...change) {
	r.Helper()
	r.groupMap(name, map[string]string{"name": name, "size": "4", "priority": fmt.Sprint(priority), "constraints": `{"rack":{"hard":true}}`})
	r.members(name, 4, append([]change{cpu("8")}, changes...)...)
	r.wait(usual, name+" runs", r.podsRunning(name, 4))
}

func finalizer(pod *cluster.Pod) { pod.Finalizers = append(pod.Finalizers, "hostile.example.com/stay") }

// TestIsolation_VictimsThatDoNotLeaveAreNotWaitedFor: The victims of a gang have a finalizer and never leave. Another
// rack becomes empty. The gang is planned anew there.
func TestIsolation_VictimsThatDoNotLeaveAreNotWaitedFor(t *testing.T) {
	h, hostile := tenants(t, 4, 10, `{"rack":{"hard":true}}`)
	h.class = h.createClass("honest", 10)
	hostile.fillRack("stays", 0, finalizer)
	middle := h.createClass("middle", 5)
	hostile.fillRack("leaves", 1, func(pod *cluster.Pod) { pod.Spec.PriorityClass = middle })
	h.come("waits")
	h.wait(usual, "the victims are asked to leave", func(v *cluster.View) error {
		for _, pod := range v.Pods(hostile.ns, func(pod *cluster.Pod) bool { return cluster.GroupOf(pod) == "stays" }) {
			if pod.DeletionTimestamp == nil {
				return fmt.Errorf("%s is not", pod.Name)
			}
		}
		return nil
	})
	h.run.quiet(3*time.Second, "the victims stay", h.noneBound("waits"))
	began := time.Now()
	for _, pod := range numbered("leaves", 0, 4) {
		h.must(h.plane.Admin.Delete(hostile.podPath(pod)))
	}
	h.wait(usual, "the gang is bound in the other rack", h.podsBound("waits", 4))
	h.expectFast(time.Since(began))
}

// TestIsolation_AGracePeriodWithoutEndMakesNoVictim: The pods of a gang have the longest grace period that there is. A
// gang of a higher priority evicts another group instead, although that one has a higher priority than the first.
func TestIsolation_AGracePeriodWithoutEndMakesNoVictim(t *testing.T) {
	h, hostile := tenants(t, 4, 10, `{"rack":{"hard":true}}`)
	h.class = h.createClass("honest", 10)
	forever := int64(math.MaxInt64)
	hostile.fillRack("stays", 0, finalizer, func(pod *cluster.Pod) { pod.Spec.GracePeriod = &forever })
	hostile.fillRack("leaves", 1)
	before := hostile.uids("stays")
	began := time.Now()
	h.come("waits")
	h.wait(usual, "the gang is bound", h.podsBound("waits", 4))
	h.expectFast(time.Since(began))
	if err := h.rec.Wait(usual, "the first group is untouched", hostile.untouched("stays", before)); err != nil {
		t.Error(err)
	}
}

// TestIsolation_AGroupWithoutPodsKeepsNoSeats: All members of a gang are deleted after the point of no return and before
// their Bindings. Their seats are free at once.
func TestIsolation_AGroupWithoutPodsKeepsNoSeats(t *testing.T) {
	h, hostile := tenants(t, 8, 0, "")
	h.proxy.DelayOnly("/binding", 3*time.Second)
	hostile.groupMap("ghosts", map[string]string{"name": "ghosts", "size": "8", "priority": "0"})
	hostile.members("ghosts", 8, cpu("8"))
	hostile.wait(usual, "the point of no return", func(v *cluster.View) error {
		if plan := cluster.PlanOf(&v.Map(hostile.ns, "ghosts").Meta); plan == nil || plan.State != "Binding" {
			return fmt.Errorf("%+v", plan)
		}
		return nil
	})
	h.must(h.plane.Admin.Delete("/api/v1/namespaces/" + hostile.ns + "/pods"))
	hostile.wait(usual, "all members are gone", func(v *cluster.View) error {
		if n := len(v.Pods(hostile.ns, nil)); n > 0 {
			return fmt.Errorf("%d pods", n)
		}
		return nil
	})
	h.proxy.DelayOnly("/binding", 0)
	h.expectIsolated()
}

// TestIsolation_GangsWhoseClaimsDoNotExistReserveNothing: The members of 24 gangs use claims that do not exist. The gangs
// of another tenant are bound as fast as without them.
func TestIsolation_GangsWhoseClaimsDoNotExistReserveNothing(t *testing.T) {
	h, hostile := tenants(t, 8, 0, "")
	for i := range 24 {
		name := fmt.Sprintf("claims-%d", i)
		hostile.groupMap(name, map[string]string{"name": name, "size": "4", "priority": "0"})
		hostile.members(name, 4, gated, cpu("8"), claim("missing"))
	}
	h.expectIsolated()
}
