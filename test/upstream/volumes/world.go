// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"math/rand"
	"time"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// world is a small cluster with volumes, pods on its nodes, and the members of a gang.
type world struct {
	seed        int64
	Nodes       []*v1.Node                      `json:"nodes"`
	Volumes     []*v1.PersistentVolume          `json:"volumes"`
	Claims      []*v1.PersistentVolumeClaim     `json:"claims"`
	Classes     []*storagev1.StorageClass       `json:"classes"`
	CSINodes    []*storagev1.CSINode            `json:"csinodes"`
	CSIDrivers  []*storagev1.CSIDriver          `json:"csidrivers"`
	Capacities  []*storagev1.CSIStorageCapacity `json:"capacities"`
	Attachments []*storagev1.VolumeAttachment   `json:"attachments"`
	Pods        []*v1.Pod                       `json:"pods"` // on nodes
	Members     []*v1.Pod                       `json:"members"`
}

func (w *world) member(name string) *v1.Pod {
	for _, pod := range w.Members {
		if pod.Name == name {
			return pod
		}
	}
	return &v1.Pod{}
}

const driver, slow, zoneLabel = "disk.example.com", "slow.example.com", "topology.kubernetes.io/zone"

func pointer[T any](value T) *T { return &value }

type maker struct {
	*rand.Rand
	world *world
	// What this world is about; kinds of claims that are not here do not occur.
	bound, late, made, unlike, modes, attributes, zones, limits, roomy, tight bool
}

func (m *maker) chance(n int) bool { return m.Intn(n) == 0 }

func pick[T any](m *maker, from ...T) T { return from[m.Intn(len(from))] }

func newWorld(seed int64) *world {
	m := &maker{Rand: rand.New(rand.NewSource(seed)), world: &world{seed: seed}}
	m.bound, m.late, m.made = m.chance(2), !m.chance(3), m.chance(3)
	m.unlike, m.modes, m.attributes = m.chance(2), m.chance(3), m.chance(4)
	m.zones, m.limits, m.roomy = m.chance(2), m.chance(3), m.chance(2)
	m.tight = m.chance(3)
	m.nodes()
	m.classes()
	m.drivers()
	m.volumes()
	m.members()
	m.others()
	return m.world
}

func (m *maker) nodes() {
	for i := range 1 + m.Intn(6) {
		name := fmt.Sprintf("n%d", i)
		labels := map[string]string{v1.LabelHostname: name}
		if !m.chance(10) {
			labels[zoneLabel] = pick(m, "a", "b")
		}
		cpu := int64(64)
		if m.tight {
			cpu = int64(1 + m.Intn(3))
		}
		node := &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels}}
		node.Status.Allocatable = v1.ResourceList{v1.ResourceCPU: *resource.NewQuantity(cpu, resource.DecimalSI), v1.ResourcePods: resource.MustParse("110")}
		m.world.Nodes = append(m.world.Nodes, node)
	}
}

func (m *maker) node() string { return pick(m, m.world.Nodes...).Name }

func (m *maker) classes() {
	late, now := storagev1.VolumeBindingWaitForFirstConsumer, storagev1.VolumeBindingImmediate
	class := func(name, provisioner string, mode storagev1.VolumeBindingMode) *storagev1.StorageClass {
		c := &storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: name}, Provisioner: provisioner, VolumeBindingMode: &mode}
		m.world.Classes = append(m.world.Classes, c)
		return c
	}
	class("local", "kubernetes.io/no-provisioner", late)
	class("local-2", "kubernetes.io/no-provisioner", late)
	class("now", driver, now)
	made := class("made", driver, late)
	if m.chance(3) {
		made.AllowedTopologies = []v1.TopologySelectorTerm{{MatchLabelExpressions: []v1.TopologySelectorLabelRequirement{
			{Key: zoneLabel, Values: []string{pick(m, "a", "b")}}}}}
	}
	class("made-2", slow, late)
}

func (m *maker) drivers() {
	w := m.world
	if m.limits || m.made {
		for _, node := range w.Nodes {
			if m.chance(8) {
				continue
			}
			csi := &storagev1.CSINode{ObjectMeta: metav1.ObjectMeta{Name: node.Name}}
			for _, name := range []string{driver, slow} {
				d := storagev1.CSINodeDriver{Name: name, NodeID: node.Name}
				if m.limits && !m.chance(4) {
					d.Allocatable = &storagev1.VolumeNodeResources{Count: pointer(int32(m.Intn(5)))}
				}
				csi.Spec.Drivers = append(csi.Spec.Drivers, d)
			}
			w.CSINodes = append(w.CSINodes, csi)
		}
	}
	if !m.made {
		return
	}
	w.CSIDrivers = append(w.CSIDrivers, &storagev1.CSIDriver{ObjectMeta: metav1.ObjectMeta{Name: driver},
		Spec: storagev1.CSIDriverSpec{StorageCapacity: pointer(!m.chance(3)), PreventPodSchedulingIfMissing: pointer(m.chance(5))}})
	for i := range m.Intn(4) {
		c := &storagev1.CSIStorageCapacity{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: fmt.Sprintf("c%d", i)},
			StorageClassName: pick(m, "made", "made", "made-2"), Capacity: resource.NewQuantity(int64(m.Intn(8))<<30, resource.BinarySI)}
		if m.chance(4) {
			c.MaximumVolumeSize = resource.NewQuantity(int64(m.Intn(8))<<30, resource.BinarySI)
		}
		switch m.Intn(4) {
		case 0:
			c.NodeTopology = &metav1.LabelSelector{}
		case 1:
			c.NodeTopology = &metav1.LabelSelector{MatchLabels: map[string]string{v1.LabelHostname: m.node()}}
		case 2:
			c.NodeTopology = &metav1.LabelSelector{MatchLabels: map[string]string{zoneLabel: pick(m, "a", "b")}}
		}
		w.Capacities = append(w.Capacities, c)
	}
}

func (m *maker) reach() *v1.VolumeNodeAffinity {
	term := func(key string, values ...string) v1.NodeSelectorTerm {
		return v1.NodeSelectorTerm{MatchExpressions: []v1.NodeSelectorRequirement{{Key: key, Operator: v1.NodeSelectorOpIn, Values: values}}}
	}
	terms := []v1.NodeSelectorTerm{term(v1.LabelHostname, m.node())}
	if m.zones {
		switch m.Intn(4) {
		case 0:
			terms = []v1.NodeSelectorTerm{term(zoneLabel, pick(m, "a", "b"))}
		case 1:
			terms = []v1.NodeSelectorTerm{term(v1.LabelHostname, m.node(), m.node())}
		case 2:
			if m.chance(3) {
				return nil
			}
		}
	}
	return &v1.VolumeNodeAffinity{Required: &v1.NodeSelector{NodeSelectorTerms: terms}}
}

// volumes have sizes that differ: of equal ones kube-scheduler takes any.
func (m *maker) volumes() {
	if !m.late {
		return
	}
	n := 1 + m.Intn(8)
	if m.roomy {
		n += 6
	}
	for i := range n {
		v := m.volume(fmt.Sprintf("pv-%d", i), pick(m, "local", "local", "local", "local-2", "made"), int64(1+m.Intn(5))<<30+int64(i)<<20)
		if m.chance(25) {
			v.DeletionTimestamp = &metav1.Time{Time: time.Unix(1700000000, 0)}
		}
		if claim := fmt.Sprintf("late-%d-0", i); m.chance(15) {
			v.Spec.ClaimRef = &v1.ObjectReference{Kind: "PersistentVolumeClaim", Namespace: "default", Name: claim}
			if m.chance(2) {
				v.Spec.ClaimRef.UID = types.UID(pick(m, claim, "gone"))
			}
		}
		v.Status.Phase = v1.VolumeAvailable
		if m.chance(12) {
			v.Status.Phase = v1.VolumeReleased
		}
		v.Spec.NodeAffinity = m.reach()
		v.Labels = map[string]string{"kind": pick(m, "x", "y")}
		if m.attributes && m.chance(3) {
			v.Spec.VolumeAttributesClassName = pointer(pick(m, "gold", "tin"))
		}
		if m.modes {
			v.Spec.AccessModes = pick(m, v.Spec.AccessModes, []v1.PersistentVolumeAccessMode{v1.ReadWriteOnce, v1.ReadWriteMany},
				[]v1.PersistentVolumeAccessMode{v1.ReadWriteMany})
			v.Spec.VolumeMode = pointer(pick(m, v1.PersistentVolumeFilesystem, v1.PersistentVolumeFilesystem, v1.PersistentVolumeBlock))
		}
	}
}

func (m *maker) volume(name, class string, bytes int64) *v1.PersistentVolume {
	v := &v1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID(name)}}
	v.Spec.StorageClassName = class
	v.Spec.Capacity = v1.ResourceList{v1.ResourceStorage: *resource.NewQuantity(bytes, resource.BinarySI)}
	v.Spec.AccessModes = []v1.PersistentVolumeAccessMode{v1.ReadWriteOnce}
	m.world.Volumes = append(m.world.Volumes, v)
	return v
}

func (m *maker) claim(name, class string, gib int) *v1.PersistentVolumeClaim {
	c := &v1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, UID: types.UID(name)}}
	c.Spec.StorageClassName = &class
	c.Spec.AccessModes = []v1.PersistentVolumeAccessMode{v1.ReadWriteOnce}
	c.Spec.Resources.Requests = v1.ResourceList{v1.ResourceStorage: *resource.NewQuantity(int64(gib)<<30, resource.BinarySI)}
	c.Status.Phase = v1.ClaimPending
	m.world.Claims = append(m.world.Claims, c)
	return c
}

// boundClaim is bound to a volume of its own.
func (m *maker) boundClaim(name string) *v1.PersistentVolumeClaim {
	c := m.claim(name, "now", 1)
	v := m.volume("of-"+name, "now", 1<<30)
	v.Status.Phase, c.Status.Phase = v1.VolumeBound, v1.ClaimBound
	v.Spec.ClaimRef = &v1.ObjectReference{Kind: "PersistentVolumeClaim", Namespace: "default", Name: name, UID: c.UID}
	c.Spec.VolumeName = v.Name
	c.Annotations = map[string]string{"pv.kubernetes.io/bind-completed": "yes"}
	switch m.Intn(4) {
	case 0:
		v.Labels = map[string]string{zoneLabel: pick(m, "a", "b", "a__b")}
	case 1:
	default:
		v.Spec.NodeAffinity = m.reach()
	}
	if m.limits {
		v.Spec.CSI = &v1.CSIPersistentVolumeSource{Driver: driver, VolumeHandle: "h-" + name}
	}
	return c
}

// shape is what claims of like members have alike.
type shape struct {
	class, kind, attributes string
	gib                     int
	modes                   []v1.PersistentVolumeAccessMode
	block                   bool
}

func (m *maker) shape() shape {
	s := shape{class: "local", gib: 1 + m.Intn(4), modes: []v1.PersistentVolumeAccessMode{v1.ReadWriteOnce}}
	if m.late && m.chance(6) {
		s.class = "local-2"
	}
	if m.made && (!m.late || m.chance(3)) {
		s.class = pick(m, "made", "made", "made-2")
	}
	if m.chance(8) {
		s.kind = pick(m, "x", "y")
	}
	if m.attributes && m.chance(2) {
		s.attributes = pick(m, "gold", "tin")
	}
	if m.modes {
		s.modes = pick(m, s.modes, s.modes, []v1.PersistentVolumeAccessMode{v1.ReadWriteMany})
		s.block = m.chance(4)
	}
	return s
}

func (m *maker) lateClaim(name string, s shape) *v1.PersistentVolumeClaim {
	c := m.claim(name, s.class, s.gib)
	c.Spec.AccessModes = s.modes
	if s.kind != "" {
		c.Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{"kind": s.kind}}
	}
	if s.attributes != "" {
		c.Spec.VolumeAttributesClassName = &s.attributes
	}
	if s.block {
		c.Spec.VolumeMode = pointer(v1.PersistentVolumeBlock)
	}
	if s.class == "made" && m.chance(10) {
		c.Annotations = map[string]string{"volume.kubernetes.io/selected-node": m.node()}
	}
	return c
}

func (m *maker) pod(name string, claims []string) *v1.Pod {
	p := &v1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, UID: types.UID(name)}}
	p.Spec.Containers = []v1.Container{{Name: "c", Image: "i", Resources: v1.ResourceRequirements{
		Requests: v1.ResourceList{v1.ResourceCPU: resource.MustParse("1")}}}}
	for i, claim := range claims {
		p.Spec.Volumes = append(p.Spec.Volumes, v1.Volume{Name: fmt.Sprintf("v%d", i), VolumeSource: v1.VolumeSource{
			PersistentVolumeClaim: &v1.PersistentVolumeClaimVolumeSource{ClaimName: claim}}})
	}
	return p
}

func (m *maker) members() {
	shapes := []shape{m.shape()}
	if m.chance(3) {
		shapes = append(shapes, m.shape())
	}
	shared := m.bound && m.chance(4)
	if shared {
		m.boundClaim("shared")
	}
	for i := range 1 + m.Intn(5) {
		claims := []string{}
		if (m.late || m.made) && !m.chance(6) {
			for k, s := range shapes {
				if m.unlike {
					s = m.shape()
				}
				claims = append(claims, m.lateClaim(fmt.Sprintf("late-%d-%d", i, k), s).Name)
			}
		}
		if m.bound && !m.chance(4) {
			claims = append(claims, m.boundClaim(fmt.Sprintf("bound-%d", i)).Name)
		}
		if shared && m.chance(2) {
			claims = append(claims, "shared")
		}
		m.world.Members = append(m.world.Members, m.pod(fmt.Sprintf("g-%d", i), claims))
	}
}

// others are pods on nodes, and volumes that are attached.
func (m *maker) others() {
	w := m.world
	if !m.limits {
		return
	}
	for i := range m.Intn(3) {
		name := fmt.Sprintf("other-%d", i)
		c := m.boundClaim(name)
		p := m.pod(name, []string{c.Name})
		p.Spec.NodeName = m.node()
		p.Status.Phase = v1.PodRunning
		w.Pods = append(w.Pods, p)
		if m.chance(2) {
			w.Attachments = append(w.Attachments, &storagev1.VolumeAttachment{ObjectMeta: metav1.ObjectMeta{Name: "va-" + name},
				Spec: storagev1.VolumeAttachmentSpec{Attacher: driver, NodeName: pick(m, p.Spec.NodeName, m.node()),
					Source: storagev1.VolumeAttachmentSource{PersistentVolumeName: &c.Spec.VolumeName}}})
		}
	}
}
