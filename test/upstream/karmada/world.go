// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"time"

	clusterv1alpha1 "github.com/karmada-io/karmada/pkg/apis/cluster/v1alpha1"
	policyv1alpha1 "github.com/karmada-io/karmada/pkg/apis/policy/v1alpha1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Random clusters and bindings. Numbers and names are few, so that ties and shortages are common. Clusters are at most
// twelve: beyond that, karmada-scheduler sorts with an order of its own among equals.

const clustersMax = 12

type world struct {
	random *rand.Rand
}

func (w world) one(n int) bool            { return w.random.IntN(n) == 0 }
func (w world) below(n int) int           { return w.random.IntN(n) }
func (w world) of(words ...string) string { return words[w.below(len(words))] }

func amount(format string, n int) resource.Quantity {
	return resource.MustParse(fmt.Sprintf(format, n))
}

func (w world) resources(most int) corev1.ResourceList {
	list := corev1.ResourceList{}
	if !w.one(6) {
		list[corev1.ResourceCPU] = amount("%dm", 100*w.below(10*most))
	}
	if !w.one(3) {
		list[corev1.ResourceMemory] = amount("%dMi", 256*w.below(4*most))
	}
	if w.one(6) {
		list["nvidia.com/gpu"] = amount("%d", w.below(most))
	}
	return list
}

func (w world) summary() *clusterv1alpha1.ResourceSummary {
	s := &clusterv1alpha1.ResourceSummary{Allocatable: w.resources(30)}
	s.Allocatable[corev1.ResourcePods] = amount("%d", w.below(40))
	if w.one(2) {
		s.Allocated = w.resources(8)
		s.Allocated[corev1.ResourcePods] = amount("%d", w.below(10))
	}
	if w.one(4) {
		s.Allocating = w.resources(3)
	}
	return s
}

func (w world) models(c *clusterv1alpha1.Cluster) {
	n := 1 + w.below(3)
	for grade := range n {
		model := clusterv1alpha1.ResourceModel{Grade: uint(grade)}
		least := w.resources(1 + 4*grade)
		for _, name := range slices.Sorted(maps.Keys(least)) {
			min := least[name]
			model.Ranges = append(model.Ranges, clusterv1alpha1.ResourceModelRange{Name: name, Min: min, Max: min})
		}
		if !w.one(8) {
			c.Spec.ResourceModels = append(c.Spec.ResourceModels, model)
		}
		if !w.one(8) {
			c.Status.ResourceSummary.AllocatableModelings = append(c.Status.ResourceSummary.AllocatableModelings,
				clusterv1alpha1.AllocatableModeling{Grade: uint(grade), Count: w.below(12) - w.below(8)/7*20})
		}
	}
}

func (w world) cluster(i int) *clusterv1alpha1.Cluster {
	c := &clusterv1alpha1.Cluster{
		TypeMeta:   metav1.TypeMeta{APIVersion: "cluster.karmada.io/v1alpha1", Kind: "Cluster"},
		ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("%c", 'a'+i), Labels: map[string]string{"tier": w.of("x", "y")}},
		Spec:       clusterv1alpha1.ClusterSpec{Provider: w.of("p1", "p1", "p2", ""), Region: w.of("r1", "r2", "r3", "r4", "")},
	}
	for range w.below(3) {
		c.Spec.Zones = append(c.Spec.Zones, w.of("z1", "z2", "z3"))
	}
	if w.one(5) {
		c.Spec.Taints = []corev1.Taint{{Key: w.of("k1", "k2"), Value: w.of("v", ""),
			Effect: corev1.TaintEffect(w.of("NoSchedule", "NoExecute", "PreferNoSchedule"))}}
	}
	if w.one(20) {
		now := metav1.Unix(1e9, 0)
		c.DeletionTimestamp = &now
		c.Finalizers = []string{"karmada.io/cluster-controller"}
	}
	if !w.one(8) {
		c.Status.APIEnablements = []clusterv1alpha1.APIEnablement{{GroupVersion: "apps/v1",
			Resources: []clusterv1alpha1.APIResource{{Name: "deployments", Kind: "Deployment"}}}}
	}
	if !w.one(12) {
		c.Status.ResourceSummary = w.summary()
		if w.one(2) {
			w.models(c)
		}
	}
	return c
}

func (w world) affinity() policyv1alpha1.ClusterAffinity {
	a := policyv1alpha1.ClusterAffinity{}
	if w.one(3) {
		a.LabelSelector = &metav1.LabelSelector{MatchLabels: map[string]string{"tier": w.of("x", "y")}}
	}
	if w.one(5) {
		a.ExcludeClusters = []string{w.of("a", "b", "c")}
	}
	if w.one(6) {
		a.ClusterNames = []string{"a", "b", w.of("c", "d"), w.of("e", "f")}
	}
	if w.one(6) {
		a.FieldSelector = &policyv1alpha1.FieldSelector{MatchExpressions: []corev1.NodeSelectorRequirement{{
			Key:      w.of("provider", "region", "zone"),
			Operator: corev1.NodeSelectorOperator(w.of("In", "NotIn")),
			Values:   []string{w.of("p1", "r1", "z1"), w.of("p2", "r2", "z2")}}}}
	}
	return a
}

func (w world) affinities(b *resourceBinding) {
	p := b.Spec.Placement
	if w.one(2) {
		a := w.affinity()
		p.ClusterAffinity = &a
		return
	}
	for i := range w.below(4) {
		term := policyv1alpha1.ClusterAffinityTerm{AffinityName: fmt.Sprintf("t%d", i), ClusterAffinity: w.affinity()}
		for k := range w.below(3) * w.below(2) {
			term.OverflowAffinities = append(term.OverflowAffinities,
				policyv1alpha1.OverflowClusterAffinity{AffinityName: fmt.Sprintf("o%d", k), ClusterAffinity: w.affinity()})
		}
		p.ClusterAffinities = append(p.ClusterAffinities, term)
		if w.one(4) {
			b.Status.SchedulerObservedAffinityName = term.AffinityName
		}
	}
}

func (w world) constraints() []policyv1alpha1.SpreadConstraint {
	var list []policyv1alpha1.SpreadConstraint
	if w.one(3) {
		return nil
	}
	add := func(field policyv1alpha1.SpreadFieldValue, most int) {
		c := policyv1alpha1.SpreadConstraint{SpreadByField: field, MinGroups: 1 + w.below(most)}
		c.MaxGroups = c.MinGroups + w.below(3)
		if w.one(12) {
			c.MaxGroups = 0
		}
		list = append(list, c)
	}
	if w.one(3) {
		add(policyv1alpha1.SpreadByFieldRegion, 3)
	}
	if w.one(8) {
		add(policyv1alpha1.SpreadByFieldProvider, 2)
	}
	if w.one(8) {
		add(policyv1alpha1.SpreadByFieldZone, 3)
	}
	if !w.one(6) {
		add(policyv1alpha1.SpreadByFieldCluster, 4)
	}
	return list
}

func (w world) scheduling() *policyv1alpha1.ReplicaSchedulingStrategy {
	s := &policyv1alpha1.ReplicaSchedulingStrategy{ReplicaSchedulingType: policyv1alpha1.ReplicaSchedulingTypeDivided,
		ReplicaDivisionPreference: policyv1alpha1.ReplicaDivisionPreferenceWeighted}
	if w.one(40) {
		s.ReplicaDivisionPreference = ""
		return s
	}
	switch w.below(8) {
	case 0:
		return nil
	case 1:
		s.ReplicaSchedulingType = policyv1alpha1.ReplicaSchedulingTypeDuplicated
	case 2, 3:
		s.ReplicaDivisionPreference = policyv1alpha1.ReplicaDivisionPreferenceAggregated
	case 4:
		if w.one(2) {
			s.WeightPreference = &policyv1alpha1.ClusterPreferences{}
		}
	case 5:
		s.WeightPreference = &policyv1alpha1.ClusterPreferences{}
		for range 1 + w.below(4) {
			s.WeightPreference.StaticWeightList = append(s.WeightPreference.StaticWeightList,
				policyv1alpha1.StaticClusterWeight{TargetCluster: w.affinity(), Weight: int64(1 + w.below(4))})
		}
	default:
		s.WeightPreference = &policyv1alpha1.ClusterPreferences{DynamicWeight: policyv1alpha1.DynamicWeightByAvailableReplicas}
	}
	return s
}

// workload: replicas, or components of which each has its own.
func (w world) workload(b *resourceBinding) {
	switch w.below(8) {
	case 0: // no workload
	case 1, 2:
		for i := range 1 + w.below(3) {
			c := component{Name: fmt.Sprintf("c%d", i), Replicas: int32(w.below(4))}
			if !w.one(5) {
				c.ReplicaRequirements = &componentRequires{ResourceRequest: w.resources(2)}
			}
			b.Spec.Components = append(b.Spec.Components, c)
		}
	default:
		b.Spec.Replicas = int32(w.below(25))
		if w.one(20) {
			b.Spec.Components = []component{{Name: "c", Replicas: b.Spec.Replicas}}
		}
		if !w.one(5) {
			b.Spec.ReplicaRequirements = &replicaRequires{ResourceRequest: w.resources(2)}
			if w.one(3) {
				b.Spec.ReplicaRequirements.NodeClaim = &nodeClaim{NodeSelector: map[string]string{"disk": "ssd"}}
			}
		}
	}
}

func (w world) history(b *resourceBinding, n int) {
	if w.one(2) {
		return
	}
	for i := range n {
		if w.one(3) {
			t := targetCluster{Name: fmt.Sprintf("%c", 'a'+i)}
			if b.Spec.Replicas > 0 {
				t.Replicas = int32(w.below(10))
			}
			b.Spec.Clusters = append(b.Spec.Clusters, t)
		}
	}
	if w.one(6) {
		b.Spec.GracefulEvictionTasks = []evictionTask{{FromCluster: w.of("a", "b", "c")}}
	}
	last := metav1.NewTime(time.Unix(1e9, 0).UTC())
	b.Status.LastScheduledTime = &last
	if w.one(4) {
		asked := metav1.NewTime(time.Unix(1e9+5, 0).UTC())
		b.Spec.RescheduleTriggeredAt = &asked
	}
}

func (w world) binding(i, nClusters int) *resourceBinding {
	uid := types.UID("")
	if !w.one(8) {
		uid = types.UID(fmt.Sprintf("0b54a0c7-9c9e-4a3e-8f5d-%012d", w.below(1000)))
	}
	b := &resourceBinding{
		TypeMeta:   metav1.TypeMeta{APIVersion: "work.karmada.io/v1alpha2", Kind: "ResourceBinding"},
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: fmt.Sprintf("b%d", i)},
		Spec: bindingSpec{
			Resource:  objectReference{APIVersion: "apps/v1", Kind: "Deployment", Namespace: "default", Name: "web", UID: uid},
			Placement: &policyv1alpha1.Placement{SpreadConstraints: w.constraints(), ReplicaScheduling: w.scheduling()},
		},
	}
	if w.one(3) {
		b.Spec.Placement.ClusterTolerations = []corev1.Toleration{{Key: w.of("k1", "k2", ""),
			Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffect(w.of("NoSchedule", "NoExecute", ""))}}
	}
	w.affinities(b)
	w.workload(b)
	w.history(b, nClusters)
	return b
}
