// SPDX-License-Identifier: Apache-2.0

package suite

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"sakkara/test/e2e/suite/cluster"
)

// The costliest claims that the API server admits in numbers: requests of one claim, selectors of one request.
const costlyRequests, costlySelectors = 8, 32

// costlySpec is a spec of a claim with distinct selectors, no two specs with equal ones.
func costlySpec(number int) map[string]any {
	var requests []any
	for i := range costlyRequests {
		var selectors []any
		for k := range costlySelectors {
			selectors = append(selectors, map[string]any{"cel": map[string]any{
				"expression": fmt.Sprintf(`device.driver != "%d-%d-%d"`, number, i, k)}})
		}
		requests = append(requests, map[string]any{"name": fmt.Sprintf("r%d", i), "exactly": map[string]any{
			"deviceClassName": classOfGPU, "allocationMode": "ExactCount", "count": 1, "selectors": selectors}})
	}
	return map[string]any{"devices": map[string]any{"requests": requests}}
}

// costlyClaim is a claim of that spec.
func costlyClaim(name string, number int) map[string]any {
	return map[string]any{"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim",
		"metadata": map[string]any{"name": name}, "spec": costlySpec(number)}
}

// hostilePods is how many pods a hostile namespace has: h-0 .., each in a group of its own.
const hostilePods = 16

// startBesideHostile starts a scenario on 40 nodes of 8 devices, beside a hostile namespace that is still empty.
func startBesideHostile(t *testing.T) (r, hostile *run) {
	t.Helper()
	var slots [][]int
	for range 10 {
		slots = append(slots, []int{8, 8, 8, 8})
	}
	nodes, tree := racks(slots...)
	r = start(t, nodes, options{paused: true})
	r.deviceClass(gpu)
	for _, node := range nodes {
		r.devices(node.Name, 8)
	}
	r.begin()
	r.topology(tree)
	return r, &run{T: t, plane: r.plane, ns: r.namespace("hostile")}
}

func (r *run) claims() string {
	return "/apis/resource.k8s.io/v1/namespaces/" + r.ns + "/resourceclaims"
}

// removeHostile removes the hostile pods and their groups.
func (r *run) removeHostile(hostile *run) {
	r.Helper()
	for p := range hostilePods {
		r.must(r.plane.Admin.Delete(hostile.podPath(fmt.Sprintf("h-%d", p))))
		r.must(r.plane.Admin.Delete(hostile.mapPath(fmt.Sprintf("h-%d", p))))
	}
	r.wait(usual, "the hostile pods are gone", func(v *cluster.View) error {
		for p := range hostilePods {
			if v.Pod(hostile.ns, fmt.Sprintf("h-%d", p)).Name != "" {
				return fmt.Errorf("h-%d is there", p)
			}
		}
		return nil
	})
}

// TestClaims_OfAnotherNamespaceDelayNoGang: 16 gated pods of another namespace name two claims each, of 8 requests with 32
// selectors, and as many claims have no pods. Meanwhile a gang that needs no devices is bound, another one with
// devices is, too, and /livez never fails.
func TestClaims_OfAnotherNamespaceDelayNoGang(t *testing.T) {
	from136(t)
	const claims = 2
	r, hostile := startBesideHostile(t)
	r.anyRetries("kube-scheduler tries the hostile pods at its own pace")
	failures := 0
	livez := func() {
		if status, _ := r.daemon.AdminGet("/livez"); status != http.StatusOK {
			failures++
		}
	}
	for p := range hostilePods {
		name := fmt.Sprintf("h-%d", p)
		changes := []change{gated, label("sakkara.group.name", name)}
		for c := range claims {
			claim := fmt.Sprintf("c-%d-%d", p, c)
			r.must(r.plane.Admin.Create(hostile.claims(), costlyClaim(claim, p*claims+c), nil))
			r.must(r.plane.Admin.Create(hostile.claims(), costlyClaim("unused-"+claim, 1000+p*claims+c), nil))
			changes = append(changes, byClaim(claim))
		}
		hostile.group(name, 1, "")
		hostile.create(hostile.pod(name, changes...))
		livez()
	}
	began := time.Now()
	r.gang("cpu", 4, "")
	r.wait(usual, "the gang without devices is bound", r.allBound("cpu", 4))
	t.Logf("the gang without devices is bound after %v", time.Since(began))
	livez()
	r.createDeviceClaim("one", 1)
	r.gang("gpu", 1, "", gated, byClaim("one"))
	r.wait(usual, "the gang with devices is bound", r.allBound("gpu", 1))
	livez()
	t.Logf("both are bound after %v", time.Since(began))
	if failures > 0 {
		t.Errorf("/livez failed %d times", failures)
	}
	r.removeHostile(hostile)
}

// uncountedSpec asks for a device that none is, by a selector that the daemon does not count; rounds: so many in each of
// three nested loops.
func uncountedSpec(number, rounds int) map[string]any {
	list := "[0"
	for i := 1; i < rounds; i++ {
		list += fmt.Sprintf(",%d", i)
	}
	list += "]"
	expression := fmt.Sprintf(`%s.all(a, %s.all(b, %s.all(c, a + b + c >= 0))) && device.attributes.size() >= 0 && device.driver == "none-%d"`,
		list, list, list, number)
	return map[string]any{"devices": map[string]any{"requests": []any{map[string]any{"name": "r",
		"exactly": map[string]any{"deviceClassName": classOfGPU, "allocationMode": "ExactCount", "count": 1,
			"selectors": []any{map[string]any{"cel": map[string]any{"expression": expression}}}}}}}}
}

// createUncounted creates hostile pods h-0 .., each with a gate and such a claim; of every second one, a template.
func (r *run) createUncounted(hostile *run, rounds int) {
	r.Helper()
	for p := range hostilePods {
		name, claim := fmt.Sprintf("h-%d", p), fmt.Sprintf("c-%d", p)
		spec := uncountedSpec(p, rounds)
		hostile.group(name, 1, "")
		if p%2 == 0 {
			r.must(r.plane.Admin.Create(hostile.claims(), map[string]any{"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim",
				"metadata": map[string]any{"name": claim}, "spec": spec}, nil))
			hostile.create(hostile.pod(name, gated, label("sakkara.group.name", name), byClaim(claim)))
			continue
		}
		hostile.createTemplateOf(claim, spec)
		hostile.create(hostile.pod(name, gated, label("sakkara.group.name", name), byTemplate(claim)))
	}
}

// openHostile is how many hostile pods have no gate.
func (r *run) openHostile(v *cluster.View, hostile *run) (n int) {
	for p := range hostilePods {
		if pod := v.Pod(hostile.ns, fmt.Sprintf("h-%d", p)); pod.Name != "" && len(pod.Spec.SchedulingGates) == 0 {
			n++
		}
	}
	return n
}

// TestClaims_ThatOnlyKubeSchedulerEvaluatesGoToItOneByOne: 16 gated pods of another namespace name claims that the daemon
// does not count and no device serves. Few of them lose their gates, and a gang without devices is bound
// meanwhile.
func TestClaims_ThatOnlyKubeSchedulerEvaluatesGoToItOneByOne(t *testing.T) {
	from136(t)
	const most = 4
	r, hostile := startBesideHostile(t)
	r.anyRetries("kube-scheduler tries the hostile pods at its own pace")
	r.createUncounted(hostile, 2)
	began := time.Now()
	r.gang("cpu", 4, "")
	r.wait(usual, "the gang without devices is bound, and most hostile pods have their gates", func(v *cluster.View) error {
		if n := r.openHostile(v, hostile); n > most {
			t.Fatalf("%d of %d pods have no gate", n, hostilePods)
		}
		return r.allBound("cpu", 4)(v)
	})
	t.Logf("the gang without devices is bound after %v", time.Since(began))
	r.wait(usual, "one of them is tried, and others wait for it", func(v *cluster.View) error {
		if r.openHostile(v, hostile) == 0 {
			return fmt.Errorf("no pod is tried")
		}
		return nil
	})
	r.removeHostile(hostile)
}

// TestClaims_ThatKubeSchedulerWouldEvaluateForLongKeepTheirGates: 16 gated pods of another namespace name claims of which
// one keeps kube-scheduler busy for seconds. None of them loses its gate, and each group says why. A gang without
// devices is bound. Once few devices are
// left, one of them is tried.
func TestClaims_ThatKubeSchedulerWouldEvaluateForLongKeepTheirGates(t *testing.T) {
	from136(t)
	r, hostile := startBesideHostile(t)
	r.anyRetries("kube-scheduler tries the hostile pods at its own pace")
	r.createUncounted(hostile, 16)
	gates := func(v *cluster.View) {
		if n := r.openHostile(v, hostile); n > 0 {
			t.Fatalf("%d of %d pods have no gate", n, hostilePods)
		}
	}
	r.wait(usual, "all groups wait and say why", func(v *cluster.View) error {
		gates(v)
		for p := range hostilePods {
			if data := v.Map(hostile.ns, fmt.Sprintf("h-%d", p)).Data; data["reason"] != "EvaluationBudget" ||
				!contains(data["message"], "kube-scheduler is not asked") {
				return fmt.Errorf("h-%d: %v", p, data)
			}
		}
		return nil
	})
	began := time.Now()
	r.gang("cpu", 4, "")
	r.wait(usual, "the gang without devices is bound", func(v *cluster.View) error {
		gates(v)
		return r.allBound("cpu", 4)(v)
	})
	t.Logf("the gang without devices is bound after %v", time.Since(began))
	for i := 4; i < 40; i++ {
		r.must(r.plane.Admin.Delete(fmt.Sprintf("/apis/resource.k8s.io/v1/resourceslices/node-%d", i)))
	}
	r.wait(usual, "one is tried, with 32 devices left", func(v *cluster.View) error {
		if r.openHostile(v, hostile) == 0 {
			return fmt.Errorf("no pod is tried")
		}
		return nil
	})
	r.removeHostile(hostile)
}
