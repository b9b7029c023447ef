// SPDX-License-Identifier: Apache-2.0

package suite

import (
	"fmt"
	"testing"

	"sakkara/test/e2e/suite/cluster"
)

// Claims of members that do not exist: the daemon looks up their names, and plans nothing before they exist.

// createVolume creates a PersistentVolume for the claim of that name, which any node may use.
func (r *run) createVolume(name string) {
	r.Helper()
	const volumes = "/api/v1/persistentvolumes"
	r.must(r.plane.Admin.Create(volumes, map[string]any{"apiVersion": "v1", "kind": "PersistentVolume",
		"metadata": map[string]any{"name": name},
		"spec": map[string]any{"capacity": map[string]string{"storage": "1Gi"}, "accessModes": []string{"ReadWriteOnce"},
			"storageClassName": "static", "hostPath": map[string]string{"path": "/disk"},
			"claimRef": map[string]string{"namespace": r.ns, "name": name}}}, nil))
	r.Cleanup(func() {
		r.must(r.plane.Admin.MergePatch(volumes+"/"+name, `{"metadata":{"finalizers":null}}`))
		r.must(r.plane.Admin.Delete(volumes + "/" + name))
	})
}

// notFound: the group waits for the object, and its members are gated.
func (r *run) notFound(group, object string) func(*cluster.View) error {
	return func(v *cluster.View) error {
		data := v.Map(r.ns, group).Data
		if data["reason"] != "ClaimNotFound" || !contains(data["message"], "create "+object+" in namespace "+r.ns) {
			return fmt.Errorf("%v", data)
		}
		if len(v.Pod(r.ns, group+"-0").Spec.SchedulingGates) == 0 {
			return fmt.Errorf("its gate is open")
		}
		return nil
	}
}

// TestClaims_OfVolumesThatDoNotExistAreNamed: The members of a gang name a PersistentVolumeClaim that does not exist. The
// gang says which one, keeps its gates and has no plan; another gang takes all nodes meanwhile. Once that gang has gone
// and the claim exists, the first gang is bound. No plan was given up.
func TestClaims_OfVolumesThatDoNotExistAreNamed(t *testing.T) {
	r := startRacks(t, options{}, []int{4, 4})
	r.gang("disks", 4, "", gated, cpu("2"), claim("data"))
	r.wait(usual, "the claim is named", r.notFound("disks", "PersistentVolumeClaim data"))
	r.gang("other", 4, "", cpu("2"))
	r.wait(usual, "another gang bound", r.allBound("other", 4))
	for i := range 4 {
		r.must(r.plane.Admin.Delete(r.podPath(fmt.Sprintf("other-%d", i))))
	}
	r.wait(usual, "still named", r.notFound("disks", "PersistentVolumeClaim data"))
	r.createVolume("data")
	r.createClaim("data", "static", "data", "")
	r.must(r.plane.Admin.MergePatch("/api/v1/namespaces/"+r.ns+"/persistentvolumeclaims/data",
		`{"metadata":{"annotations":{"pv.kubernetes.io/bind-completed":"yes"}}}`)) // no controller binds it here
	r.wait(usual, "bound", r.allBound("disks", 4))
	if _, page := r.daemon.AdminGet("/metrics"); !contains(page, `sakkara_plans_total{result="aborted"} 0`) {
		t.Error("a plan was given up")
	}
}

// TestClaims_OfDevicesThatDoNotExistAreNamed: The members of a gang name a ResourceClaimTemplate that does not exist, and
// one of them names a ResourceClaim that does not exist. The gang says so, one after the other, and is bound when both exist.
func TestClaims_OfDevicesThatDoNotExistAreNamed(t *testing.T) {
	from136(t)
	nodes, tree := racks([]int{4, 4})
	r := start(t, nodes, options{paused: true})
	r.deviceClass(gpu)
	r.devices("node-0", 4)
	r.devices("node-1", 4)
	r.begin()
	r.topology(tree)
	r.gang("gpus", 4, "", gated, byTemplate("gpu"))
	r.wait(usual, "the template is named", r.notFound("gpus", "ResourceClaimTemplate gpu"))
	r.createTemplate("gpu", 1)
	r.wait(usual, "bound", r.allBound("gpus", 4))
	r.gang("shared", 2, "", gated, byClaim("one"))
	r.wait(usual, "the claim is named", r.notFound("shared", "ResourceClaim one"))
	r.createDeviceClaim("one", 1)
	r.wait(usual, "bound", r.allBound("shared", 2))
}

// ---- device claims ----

// byTemplate lets the pod use a claim of a template; byClaim one that others may share.
func byTemplate(template string) change {
	return func(pod *cluster.Pod) {
		pod.Spec.ResourceClaims = append(pod.Spec.ResourceClaims, cluster.PodClaim{Name: template, Template: template})
		pod.Spec.Containers[0].Resources.Claims = append(pod.Spec.Containers[0].Resources.Claims, cluster.Named{Name: template})
	}
}

func byClaim(name string) change {
	return func(pod *cluster.Pod) {
		pod.Spec.ResourceClaims = append(pod.Spec.ResourceClaims, cluster.PodClaim{Name: name, Claim: name})
		pod.Spec.Containers[0].Resources.Claims = append(pod.Spec.Containers[0].Resources.Claims, cluster.Named{Name: name})
	}
}

// devicesOfClass is the spec of a claim for so many devices of the class.
func devicesOfClass(n int) map[string]any {
	return map[string]any{"devices": map[string]any{"requests": []any{map[string]any{"name": "gpus",
		"exactly": map[string]any{"deviceClassName": classOfGPU, "allocationMode": "ExactCount", "count": n}}}}}
}

func (r *run) createTemplate(name string, n int) {
	r.Helper()
	r.createTemplateOf(name, devicesOfClass(n))
}

func (r *run) createTemplateOf(name string, spec map[string]any) {
	r.Helper()
	path := "/apis/resource.k8s.io/v1/namespaces/" + r.ns + "/resourceclaimtemplates"
	r.must(r.plane.Admin.Create(path, map[string]any{"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaimTemplate",
		"metadata": map[string]any{"name": name}, "spec": map[string]any{"spec": spec}}, nil))
	r.Cleanup(func() { r.must(r.plane.Admin.Delete(path + "/" + name)) })
}

func (r *run) createDeviceClaim(name string, n int) {
	r.Helper()
	r.must(r.plane.Admin.Create("/apis/resource.k8s.io/v1/namespaces/"+r.ns+"/resourceclaims", map[string]any{
		"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim", "metadata": map[string]any{"name": name},
		"spec": devicesOfClass(n)}, nil))
}
