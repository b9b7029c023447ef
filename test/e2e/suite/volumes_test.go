// SPDX-License-Identifier: Apache-2.0

package suite

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"sakkara/test/e2e/suite/cluster"
)

// Volumes of members that only some nodes can use, or attach.

// volume creates a PersistentVolume with this source for the claim of the same name.
func (r *run) volume(name string, spec map[string]any) {
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
}

// boundVolume is volume with a claim that is bound to it.
func (r *run) boundVolume(name string, spec map[string]any) {
	r.Helper()
	r.volume(name, spec)
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

// inZone is a volume of the driver that one zone reaches.
func inZone(name, zone string) map[string]any {
	v := attached(name)
	v["nodeAffinity"] = map[string]any{"required": map[string]any{"nodeSelectorTerms": []any{map[string]any{"matchExpressions": []any{
		map[string]any{"key": "topology.kubernetes.io/zone", "operator": "In", "values": []string{zone}}}}}}}
	return v
}

// member creates a pod of group g with this claim.
func (r *run) member(i int, claimName string) {
	r.Helper()
	r.create(r.pod(fmt.Sprintf("g-%d", i), label("sakkara.group.name", "g"), claim(claimName)))
}

// onePlan waits until all n members of g are bound, and expects that no plan was given up.
func (r *run) onePlan(n int, want string) {
	r.Helper()
	r.wait(usual, "bound", r.allBound("g", n))
	r.expectPlaced("g", want)
	if aborted := r.aborted(); aborted > 0 {
		r.Errorf("%d plans were given up", aborted)
	}
}

// TestVolumes_AttachLimitsArePlanned: Each node attaches one volume of a CSI driver, and has cpu for all members of a gang with a
// volume each. The first plan has one member on each node. A member of a second gang waits for a node with a free attachment: a volume
// that is attached there and that no pod uses counts until it is detached.
func TestVolumes_AttachLimitsArePlanned(t *testing.T) {
	nodes, tree := racks([]int{16, 16, 16, 16})
	r := start(t, nodes, options{paused: true})
	for i := range 5 {
		if i < 4 {
			r.attachLimit(fmt.Sprintf("node-%d", i), 1)
		}
		r.boundVolume(fmt.Sprintf("disk-%d", i), attached(fmt.Sprintf("disk-%d", i)))
	}
	r.boundVolume("left", attached("left"))
	r.begin()
	r.topology(tree)
	r.group("g", 4, "")
	for i := range 4 {
		r.member(i, fmt.Sprintf("disk-%d", i))
	}
	r.onePlan(4, "node-0:1 node-1:1 node-2:1 node-3:1")
	r.group("late", 1, "")
	r.create(r.pod("late-0", label("sakkara.group.name", "late"), claim("disk-4")))
	r.wait(usual, "waiting", func(v *cluster.View) error {
		if m := v.Map(r.ns, "late"); !strings.Contains(m.Data["message"], "4 nodes attach no more volumes of disk.example.com") {
			return fmt.Errorf("%s", m.Data["message"])
		}
		return nil
	})
	const attachments = "/apis/storage.k8s.io/v1/volumeattachments"
	r.must(r.plane.Admin.Create(attachments, map[string]any{"apiVersion": "storage.k8s.io/v1", "kind": "VolumeAttachment", "metadata": map[string]any{"name": r.ns},
		"spec": map[string]any{"attacher": "disk.example.com", "nodeName": "node-2", "source": map[string]any{"persistentVolumeName": "left"}}}, nil))
	r.Cleanup(func() { _ = r.plane.Admin.Delete(attachments + "/" + r.ns) })
	r.must(r.plane.Admin.MergePatch("/apis/storage.k8s.io/v1/csinodes/node-2",
		`{"spec":{"drivers":[{"name":"disk.example.com","nodeID":"node-2","topologyKeys":[],"allocatable":{"count":2}}]}}`))
	r.quiet(time.Second, "waiting", func(v *cluster.View) error {
		if node := v.Pod(r.ns, "late-0").Spec.NodeName; node != "" {
			return fmt.Errorf("bound to %s", node)
		}
		return nil
	})
	if aborted := r.aborted(); aborted > 0 {
		r.Errorf("%d plans were given up", aborted)
	}
	r.must(r.plane.Admin.Delete(attachments + "/" + r.ns))
	r.wait(usual, "bound", r.allBound("late", 1))
	r.expectPlaced("late", "node-2:1")
}

// TestVolumes_DisksOfNodesArePlanned: The members of a gang have local volumes, one on the first node and three on the second; each
// node has cpu for all. The first plan has them where their disks are.
func TestVolumes_DisksOfNodesArePlanned(t *testing.T) {
	nodes, tree := racks([]int{16, 16, 16})
	for _, n := range nodes {
		n.Labels["kubernetes.io/hostname"] = n.Name
	}
	r := start(t, nodes, options{paused: true})
	for i := range 4 {
		r.boundVolume(fmt.Sprintf("disk-%d", i), diskOf(fmt.Sprintf("node-%d", (i+2)/3)))
	}
	r.begin()
	r.topology(tree)
	r.group("g", 4, "")
	for i := range 4 {
		r.member(i, fmt.Sprintf("disk-%d", i))
	}
	r.onePlan(4, "node-0:1 node-1:3")
}

// TestVolumes_ZonesNestAroundDisks: Two members have volumes of zone a, one has a disk of a node there, and one has a volume that
// all nodes reach. Members may not share a node. The first plan serves all.
func TestVolumes_ZonesNestAroundDisks(t *testing.T) {
	nodes, tree := racks([]int{16, 16, 16}, []int{16, 16, 16})
	for i, n := range nodes {
		n.Labels["kubernetes.io/hostname"] = n.Name
		n.Labels["topology.kubernetes.io/zone"] = []string{"a", "b"}[i/3]
	}
	r := start(t, nodes, options{paused: true})
	for i := range 6 {
		r.attachLimit(fmt.Sprintf("node-%d", i), 1)
	}
	r.boundVolume("disk-0", inZone("disk-0", "a"))
	r.boundVolume("disk-1", inZone("disk-1", "a"))
	r.boundVolume("disk-2", diskOf("node-1"))
	r.boundVolume("disk-3", attached("disk-3"))
	r.begin()
	r.topology(tree)
	r.group("g", 4, "")
	for i := range 4 {
		r.member(i, fmt.Sprintf("disk-%d", i))
	}
	r.wait(usual, "bound", r.allBound("g", 4))
	if aborted := r.aborted(); aborted > 0 {
		t.Errorf("%d plans were given up", aborted)
	}
}

// TestVolumes_AnAbortedPlanBindsNoClaim: One member has a claim that is bound late. A database on each node keeps another member off it
// by a rule that the planner does not know. No plan binds the late claim. When the databases are gone, the gang is bound.
func TestVolumes_AnAbortedPlanBindsNoClaim(t *testing.T) {
	realOnly(t, "the model of kube-scheduler does not know rules between pods")
	nodes, tree := racks([]int{16, 16})
	for _, n := range nodes {
		n.Labels["kubernetes.io/hostname"] = n.Name
	}
	r := start(t, nodes, options{paused: true})
	const classes, volumes = "/apis/storage.k8s.io/v1/storageclasses", "/api/v1/persistentvolumes"
	r.must(r.plane.Admin.Create(classes, map[string]any{"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": map[string]any{"name": r.ns},
		"provisioner": "kubernetes.io/no-provisioner", "volumeBindingMode": "WaitForFirstConsumer"}, nil))
	r.Cleanup(func() { r.must(r.plane.Admin.Delete(classes + "/" + r.ns)) })
	for i, n := range nodes {
		name := r.ns + "-" + n.Name
		r.create(r.pod(fmt.Sprintf("db-%d", i), label("app", "db"), onNode(n.Name)))
		disk := diskOf(n.Name)
		disk["capacity"], disk["accessModes"], disk["storageClassName"] = map[string]string{"storage": "1Gi"}, []string{"ReadWriteOnce"}, r.ns
		r.must(r.plane.Admin.Create(volumes, map[string]any{"apiVersion": "v1", "kind": "PersistentVolume", "metadata": map[string]any{"name": name}, "spec": disk}, nil))
		r.must(r.plane.Admin.MergePatch(volumes+"/"+name+"/status", `{"status":{"phase":"Available"}}`))
		r.Cleanup(func() {
			r.must(r.plane.Admin.MergePatch(volumes+"/"+name, `{"metadata":{"finalizers":null}}`))
			r.must(r.plane.Admin.Delete(volumes + "/" + name))
		})
	}
	r.createClaim("late", r.ns, "", "")
	r.begin()
	r.topology(tree)
	r.group("g", 2, "")
	r.member(0, "late")
	r.create(r.pod("g-1", label("sakkara.group.name", "g"), func(pod *cluster.Pod) {
		pod.Spec.Affinity = json.RawMessage(`{"podAntiAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[` +
			`{"topologyKey":"kubernetes.io/hostname","labelSelector":{"matchLabels":{"app":"db"}},` +
			`"namespaceSelector":{"matchExpressions":[{"key":"team","operator":"DoesNotExist"}]}}]}}`)
	}))
	r.wait(3*usual, "refused or waiting", func(v *cluster.View) error {
		if m := v.Map(r.ns, "g"); m.Data["reason"] != "FilteredByOthers" && m.Data["reason"] != "WaitingForClaims" {
			return fmt.Errorf("%s: %s", m.Data["reason"], m.Data["message"])
		}
		return nil
	})
	// chosen is the volume that kube-scheduler has bound to the claim.
	chosen := func() string {
		for _, n := range nodes {
			var volume struct {
				Spec struct{ ClaimRef *struct{ Name string } }
			}
			r.must(r.plane.Admin.Get(volumes+"/"+r.ns+"-"+n.Name, &volume))
			if volume.Spec.ClaimRef != nil {
				return r.ns + "-" + n.Name
			}
		}
		return ""
	}
	if volume := chosen(); volume != "" {
		t.Errorf("the late claim is bound to %s", volume)
	}
	for i := range nodes {
		r.must(r.plane.Admin.Delete(r.podPath(fmt.Sprintf("db-%d", i))))
	}
	r.wait(2*usual, "the late claim is bound", func(*cluster.View) error {
		if chosen() == "" {
			return fmt.Errorf("to no volume")
		}
		return nil
	})
	r.must(r.plane.Admin.MergePatch("/api/v1/namespaces/"+r.ns+"/persistentvolumeclaims/late", // no controller completes that here
		fmt.Sprintf(`{"metadata":{"annotations":{"pv.kubernetes.io/bind-completed":"yes"}},"spec":{"volumeName":%q}}`, chosen())))
	r.wait(2*usual, "bound", r.allBound("g", 2))
}

// TestVolumes_AClaimForOnePodIsAwaited: A pod runs with a ReadWriteOncePod claim that a member names. The gang says so, and is bound
// when that pod is gone.
func TestVolumes_AClaimForOnePodIsAwaited(t *testing.T) {
	nodes, tree := racks([]int{16, 16})
	r := start(t, nodes, options{paused: true})
	claims := "/api/v1/namespaces/" + r.ns + "/persistentvolumeclaims"
	r.volume("alone", attached("alone"))
	r.must(r.plane.Admin.Create(claims, map[string]any{"apiVersion": "v1", "kind": "PersistentVolumeClaim",
		"metadata": map[string]any{"name": "alone", "annotations": map[string]any{"pv.kubernetes.io/bind-completed": "yes"}},
		"spec": map[string]any{"accessModes": []string{"ReadWriteOncePod"}, "storageClassName": "static", "volumeName": "alone",
			"resources": map[string]any{"requests": map[string]string{"storage": "1Gi"}}}}, nil))
	r.Cleanup(func() {
		r.must(r.plane.Admin.MergePatch(claims+"/alone", `{"metadata":{"finalizers":null}}`))
		r.must(r.plane.Admin.Delete(claims + "/alone"))
	})
	r.begin()
	r.topology(tree)
	r.create(r.pod("old", claim("alone")))
	r.wait(usual, "old runs", func(v *cluster.View) error {
		if v.Pod(r.ns, "old").Spec.NodeName == "" {
			return fmt.Errorf("old is not bound")
		}
		return nil
	})
	r.group("g", 1, "")
	r.member(0, "alone")
	r.wait(usual, "in use", func(v *cluster.View) error {
		if m := v.Map(r.ns, "g"); m.Data["reason"] != "ClaimInUse" {
			return fmt.Errorf("%s: %s", m.Data["reason"], m.Data["message"])
		}
		return nil
	})
	r.must(r.plane.Admin.Delete("/api/v1/namespaces/" + r.ns + "/pods/old?gracePeriodSeconds=0"))
	r.wait(usual, "bound", r.allBound("g", 1))
}

// TestVolumes_LateDisksArePlanned: Four members have claims that are bound late, and each of four nodes has one free disk of their
// class, and cpu for all. The first plan has one member on each node.
func TestVolumes_LateDisksArePlanned(t *testing.T) {
	nodes, tree := racks([]int{16, 16, 16, 16})
	for _, n := range nodes {
		n.Labels["kubernetes.io/hostname"] = n.Name
	}
	r := start(t, nodes, options{paused: true})
	const classes, volumes = "/apis/storage.k8s.io/v1/storageclasses", "/api/v1/persistentvolumes"
	r.must(r.plane.Admin.Create(classes, map[string]any{"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": map[string]any{"name": r.ns},
		"provisioner": "kubernetes.io/no-provisioner", "volumeBindingMode": "WaitForFirstConsumer"}, nil))
	r.Cleanup(func() { r.must(r.plane.Admin.Delete(classes + "/" + r.ns)) })
	for i, n := range nodes {
		name, disk := r.ns+"-"+n.Name, diskOf(n.Name)
		disk["capacity"], disk["accessModes"], disk["storageClassName"] = map[string]string{"storage": "1Gi"}, []string{"ReadWriteOnce"}, r.ns
		r.must(r.plane.Admin.Create(volumes, map[string]any{"apiVersion": "v1", "kind": "PersistentVolume", "metadata": map[string]any{"name": name}, "spec": disk}, nil))
		r.must(r.plane.Admin.MergePatch(volumes+"/"+name+"/status", `{"status":{"phase":"Available"}}`))
		r.Cleanup(func() {
			r.must(r.plane.Admin.MergePatch(volumes+"/"+name, `{"metadata":{"finalizers":null}}`))
			r.must(r.plane.Admin.Delete(volumes + "/" + name))
		})
		r.createClaim(fmt.Sprintf("late-%d", i), r.ns, "", "")
	}
	r.begin()
	r.topology(tree)
	r.group("g", 4, "")
	for i := range 4 {
		r.member(i, fmt.Sprintf("late-%d", i))
	}
	r.wait(usual, "bound", func(v *cluster.View) error {
		for _, n := range nodes { // no controller completes what kube-scheduler has chosen
			var volume struct {
				Spec struct{ ClaimRef *struct{ Name string } }
			}
			r.must(r.plane.Admin.Get(volumes+"/"+r.ns+"-"+n.Name, &volume))
			if volume.Spec.ClaimRef != nil {
				r.must(r.plane.Admin.MergePatch("/api/v1/namespaces/"+r.ns+"/persistentvolumeclaims/"+volume.Spec.ClaimRef.Name,
					fmt.Sprintf(`{"metadata":{"annotations":{"pv.kubernetes.io/bind-completed":"yes"}},"spec":{"volumeName":%q}}`, r.ns+"-"+n.Name)))
			}
		}
		return r.allBound("g", 4)(v)
	})
	r.expectPlaced("g", "node-0:1 node-1:1 node-2:1 node-3:1")
	if aborted := r.aborted(); aborted > 0 {
		t.Errorf("%d plans were given up", aborted)
	}
}

// TestVolumes_RoomOfTheirDriverIsPlanned: The volumes of two members are made late, one of them by an ephemeral template. Their class
// permits zone a, where one node has no room at its driver, one too little, and one enough. The first plan has both members on the
// last one, since kube-scheduler compares room with each claim by itself.
func TestVolumes_RoomOfTheirDriverIsPlanned(t *testing.T) {
	nodes, tree := racks([]int{16, 16, 16, 16})
	for i, n := range nodes {
		n.Labels["kubernetes.io/hostname"] = n.Name
		n.Labels["topology.kubernetes.io/zone"] = []string{"a", "b"}[i/3]
	}
	r := start(t, nodes, options{paused: true})
	const storage = "/apis/storage.k8s.io/v1/"
	object := func(plural, kind, path, name string, fields map[string]any) {
		fields["apiVersion"], fields["kind"], fields["metadata"] = "storage.k8s.io/v1", kind, map[string]any{"name": name}
		r.must(r.plane.Admin.Create(storage+path+plural, fields, nil))
		r.Cleanup(func() { r.must(r.plane.Admin.Delete(storage + path + plural + "/" + name)) })
	}
	object("csidrivers", "CSIDriver", "", r.ns+".example.com", map[string]any{"spec": map[string]any{"storageCapacity": true}})
	object("storageclasses", "StorageClass", "", r.ns, map[string]any{"provisioner": r.ns + ".example.com", "volumeBindingMode": "WaitForFirstConsumer",
		"allowedTopologies": []any{map[string]any{"matchLabelExpressions": []any{map[string]any{"key": "topology.kubernetes.io/zone", "values": []string{"a"}}}}}})
	for node, room := range map[string]string{"node-1": "900Mi", "node-2": "1Gi", "node-3": "9Gi"} {
		object("csistoragecapacities", "CSIStorageCapacity", "namespaces/"+r.ns+"/", node, map[string]any{"storageClassName": r.ns, "capacity": room,
			"nodeTopology": map[string]any{"matchLabels": map[string]string{"kubernetes.io/hostname": node}}})
	}
	r.createClaim("late", r.ns, "", "")
	r.begin()
	r.topology(tree)
	r.group("g", 2, "")
	r.member(0, "late")
	r.create(r.pod("g-1", label("sakkara.group.name", "g"), func(pod *cluster.Pod) {
		pod.Spec.Volumes = []cluster.Volume{{Name: "scratch", Ephemeral: json.RawMessage(fmt.Sprintf(`{"volumeClaimTemplate":{"spec":{"accessModes":`+
			`["ReadWriteOnce"],"storageClassName":%q,"resources":{"requests":{"storage":"1Gi"}}}}}`, r.ns))}}
	}))
	var pod cluster.Pod
	r.must(r.plane.Admin.Get(r.podPath("g-1"), &pod))
	const claims = "/api/v1/namespaces/%s/persistentvolumeclaims/%s"
	if !onSandbox { // no controller makes it here, nor the volumes
		r.createClaim("g-1-scratch", r.ns, "", "")
		r.must(r.plane.Admin.MergePatch(fmt.Sprintf(claims, r.ns, "g-1-scratch"), fmt.Sprintf(`{"metadata":{"ownerReferences":[{"apiVersion":"v1","kind":"Pod",`+
			`"name":"g-1","uid":%q,"controller":true,"blockOwnerDeletion":true}]}}`, pod.UID)))
	}
	began := time.Now()
	for _, name := range []string{"late", "g-1-scratch"} {
		r.poll("kube-scheduler chooses the node of claim "+name, func() bool {
			var object struct {
				Metadata struct{ Annotations map[string]string }
			}
			_ = r.plane.Admin.Get(fmt.Sprintf(claims, r.ns, name), &object) // the sandbox makes one of them
			return object.Metadata.Annotations["volume.kubernetes.io/selected-node"] == "node-2"
		})
		if onSandbox {
			continue // its controllers do the rest
		}
		r.volume(name, diskOf("node-2"))
		r.must(r.plane.Admin.MergePatch(fmt.Sprintf(claims, r.ns, name),
			fmt.Sprintf(`{"metadata":{"annotations":{"pv.kubernetes.io/bind-completed":"yes"}},"spec":{"volumeName":%q}}`, name)))
	}
	r.onePlan(2, "node-2:2")
	t.Logf("bound %v after the last object", time.Since(began).Round(time.Millisecond))
}
