// SPDX-License-Identifier: Apache-2.0

package suite

import (
	"fmt"
	"testing"
)

// Volumes of members that only some nodes can use. The daemon does not read them: a refusal of kube-scheduler teaches it how many
// members a node takes.

// boundVolume creates a PersistentVolume with this source and a claim of the same name that is bound to it.
func (r *run) boundVolume(name string, spec map[string]any) {
	r.Helper()
	const volumes = "/api/v1/persistentvolumes"
	spec["capacity"], spec["accessModes"] = map[string]string{"storage": "1Gi"}, []string{"ReadWriteOnce"}
	spec["storageClassName"], spec["claimRef"] = "static", map[string]string{"namespace": r.ns, "name": name}
	r.must(r.plane.Admin.Create(volumes, map[string]any{"apiVersion": "v1", "kind": "PersistentVolume",
		"metadata": map[string]any{"name": name}, "spec": spec}, nil))
	r.Cleanup(func() {
		r.must(r.plane.Admin.MergePatch(volumes+"/"+name, `{"metadata":{"finalizers":null}}`))
		r.must(r.plane.Admin.Delete(volumes + "/" + name))
	})
	r.createClaim(name, "static", name, "")
	r.must(r.plane.Admin.MergePatch("/api/v1/namespaces/"+r.ns+"/persistentvolumeclaims/"+name,
		`{"metadata":{"annotations":{"pv.kubernetes.io/bind-completed":"yes"}}}`)) // no controller binds it here
}

// diskOf is a local volume of the node.
func diskOf(node string) map[string]any {
	return map[string]any{"local": map[string]string{"path": "/disk"}, "nodeAffinity": map[string]any{"required": map[string]any{
		"nodeSelectorTerms": []any{map[string]any{"matchExpressions": []any{map[string]any{
			"key": "kubernetes.io/hostname", "operator": "In", "values": []string{node}}}}}}}}
}

// attached is a volume of a CSI driver, which attaches a limited number of them to a node.
func attached(name string) map[string]any {
	return map[string]any{"csi": map[string]string{"driver": "disk.example.com", "volumeHandle": name}}
}

// attachLimit: so many volumes of the driver fit on the node.
func (r *run) attachLimit(node string, n int) {
	r.Helper()
	const path = "/apis/storage.k8s.io/v1/csinodes"
	r.must(r.plane.Admin.Create(path, map[string]any{"apiVersion": "storage.k8s.io/v1", "kind": "CSINode",
		"metadata": map[string]any{"name": node}, "spec": map[string]any{"drivers": []any{map[string]any{
			"name": "disk.example.com", "nodeID": node, "topologyKeys": []string{}, "allocatable": map[string]any{"count": n}}}}}, nil))
	r.Cleanup(func() { r.must(r.plane.Admin.Delete(path + "/" + node)) })
}

// TestVolumes_AnAttachLimitIsLearned: Each node attaches one volume of a CSI driver, and has cpu for all members of a gang with a
// volume each. kube-scheduler refuses the second member on a node; the next plans have one on each, and the gang is bound.
func TestVolumes_AnAttachLimitIsLearned(t *testing.T) {
	realOnly(t, "the model of kube-scheduler does not know volumes")
	nodes, tree := racks([]int{16, 16, 16, 16})
	r := start(t, nodes, options{paused: true})
	for i := range 4 {
		r.attachLimit(fmt.Sprintf("node-%d", i), 1)
		r.boundVolume(fmt.Sprintf("disk-%d", i), attached(fmt.Sprintf("disk-%d", i)))
	}
	r.begin()
	r.topology(tree)
	r.group("g", 4, "")
	for i := range 4 {
		r.create(r.pod(fmt.Sprintf("g-%d", i), label("sakkara.group.name", "g"), claim(fmt.Sprintf("disk-%d", i))))
	}
	r.wait(2*usual, "bound", r.allBound("g", 4))
	r.expectPlaced("g", "node-0:1 node-1:1 node-2:1 node-3:1")
	t.Logf("%d plans were given up", r.aborted())
}

// TestVolumes_OnDisksOfNodesAreLearned: The members of a gang have local volumes, two on each of two nodes; each node has cpu for
// all. The gang is bound where its disks are.
func TestVolumes_OnDisksOfNodesAreLearned(t *testing.T) {
	realOnly(t, "the model of kube-scheduler does not know volumes")
	nodes, tree := racks([]int{16, 16})
	for _, n := range nodes {
		n.Labels["kubernetes.io/hostname"] = n.Name
	}
	r := start(t, nodes, options{paused: true})
	for i := range 4 {
		r.boundVolume(fmt.Sprintf("disk-%d", i), diskOf(fmt.Sprintf("node-%d", i/2)))
	}
	r.begin()
	r.topology(tree)
	r.group("g", 4, "")
	for i := range 4 {
		r.create(r.pod(fmt.Sprintf("g-%d", i), label("sakkara.group.name", "g"), claim(fmt.Sprintf("disk-%d", i))))
	}
	r.wait(2*usual, "bound", r.allBound("g", 4))
	r.expectPlaced("g", "node-0:2 node-1:2")
	t.Logf("%d plans were given up", r.aborted())
}
