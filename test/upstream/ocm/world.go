// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	clusterv1 "open-cluster-management.io/api/cluster/v1"
	"open-cluster-management.io/api/cluster/v1alpha1"
	"open-cluster-management.io/api/cluster/v1beta1"
	"open-cluster-management.io/api/cluster/v1beta2"
)

const (
	namespace     = "shop"
	placementName = "web"
	group         = "cluster.open-cluster-management.io/"
)

// The hours of taints and scores are far from this moment: the controller asks the clock.
var now = time.Now().UTC().Truncate(time.Second)

// A world is a hub: clusters, sets, bindings, scores, decisions, and the Placement.
type world struct {
	seed      int64
	random    *rand.Rand
	objects   []runtime.Object
	clusters  []*clusterv1.ManagedCluster
	placement *v1beta1.Placement
	others    []*v1beta1.PlacementDecision // of other Placements
	own       []*v1beta1.PlacementDecision
	scores    map[string]map[string]int32 // cluster, "RESOURCE/ITEM"
}

func newWorld(seed int64) *world {
	w := &world{seed: seed, random: rand.New(rand.NewSource(seed)), scores: map[string]map[string]int32{}}
	w.addSets()
	for i, n := 0, w.random.Intn(11); i < n; i++ {
		w.addCluster(fmt.Sprintf("c%02d", i))
	}
	w.addDecisions()
	w.addPlacement()
	return w
}

func (w *world) chance(percent int) bool     { return w.random.Intn(100) < percent }
func (w *world) pick(words ...string) string { return words[w.random.Intn(len(words))] }
func (w *world) quantity(words ...string) resource.Quantity {
	return resource.MustParse(w.pick(words...))
}

func (w *world) meta(name string, in string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: name, Namespace: in, UID: types.UID("u-" + in + "-" + name), ResourceVersion: "7", Generation: 1}
}

func (w *world) add(kind, version string, object runtime.Object) {
	object.GetObjectKind().SetGroupVersionKind(schema.FromAPIVersionAndKind(group+version, kind))
	w.objects = append(w.objects, object)
}

func (w *world) addSets() {
	for _, name := range []string{"east", "west", "all"} {
		if w.chance(85) {
			set := &v1beta2.ManagedClusterSet{ObjectMeta: w.meta(name, "")}
			if name == "all" {
				set.Spec.ClusterSelector.SelectorType = v1beta2.LabelSelector
				set.Spec.ClusterSelector.LabelSelector = w.selector()
			} else {
				set.Spec.ClusterSelector.SelectorType = v1beta2.ExclusiveClusterSetLabel
			}
			w.add("ManagedClusterSet", "v1beta2", set)
		}
		if w.chance(80) {
			binding := &v1beta2.ManagedClusterSetBinding{ObjectMeta: w.meta(name, namespace)}
			binding.Spec.ClusterSet = name
			w.add("ManagedClusterSetBinding", "v1beta2", binding)
		}
	}
	if len(w.objects) == 0 { // files without any are read as a hub whose clusters are all bound
		w.add("ManagedClusterSet", "v1beta2", &v1beta2.ManagedClusterSet{ObjectMeta: w.meta("east", "")})
	}
}

func (w *world) addCluster(name string) {
	c := &clusterv1.ManagedCluster{ObjectMeta: w.meta(name, "")}
	c.Labels = map[string]string{}
	c.CreationTimestamp = metav1.NewTime(now.Add(-time.Hour))
	for _, key := range []string{"env", "zone", "n"} {
		if w.chance(75) {
			c.Labels[key] = w.pick("prod", "dev", "1", "2", "")
		}
	}
	c.Labels[v1beta2.ClusterSetLabel] = w.pick("east", "west", "east", "none")
	c.Spec.HubAcceptsClient = w.chance(70)
	c.Spec.LeaseDurationSeconds = int32(w.random.Intn(3) * 60)
	for i, n := 0, w.random.Intn(3); i < n && w.chance(40); i++ {
		c.Spec.Taints = append(c.Spec.Taints, clusterv1.Taint{Key: w.pick("a", "b"), Value: w.pick("", "v"),
			Effect:    clusterv1.TaintEffect(w.pick("NoSelect", "PreferNoSelect", "NoSelectIfNew")),
			TimeAdded: metav1.NewTime(now.Add(-time.Duration(w.random.Intn(2)) * 10 * time.Hour))})
	}
	if w.chance(80) {
		c.Status.Version.Kubernetes = w.pick("v1.29.3", "v1.30.0", "v1.31.1", "1.30.2-rc.1")
	}
	for i, n := 0, w.random.Intn(4); i < n; i++ {
		c.Status.ClusterClaims = append(c.Status.ClusterClaims, clusterv1.ManagedClusterClaim{
			Name: w.pick("region", "size", "info"), Value: w.pick("r1", "r2", "10", `{"a": {"b": [1, "x"]}}`, "")})
	}
	if w.chance(80) {
		c.Status.Allocatable = clusterv1.ResourceList{"cpu": w.quantity("4", "4500m", "8", "31"), "memory": w.quantity("16Gi", "64Gi", "1500M")}
		c.Status.Capacity = clusterv1.ResourceList{"cpu": w.quantity("8", "32"), "memory": w.quantity("64Gi", "128Gi")}
		if w.chance(10) {
			delete(c.Status.Capacity, "cpu")
		}
	}
	if w.chance(60) {
		c.Status.Conditions = []metav1.Condition{{Type: "ManagedClusterConditionAvailable", Status: metav1.ConditionStatus(w.pick("True", "False", "Unknown")),
			LastTransitionTime: metav1.NewTime(now.Add(-time.Hour)), Reason: w.pick("Ok", "Lost")}}
	}
	w.clusters = append(w.clusters, c)
	w.add("ManagedCluster", "v1", c)
	w.addScores(name)
}

func (w *world) addScores(cluster string) {
	w.scores[cluster] = map[string]int32{}
	for _, name := range []string{"load", "cost"} {
		if !w.chance(60) {
			continue
		}
		score := &v1alpha1.AddOnPlacementScore{ObjectMeta: w.meta(name, cluster)}
		until := metav1.NewTime(now.Add(time.Duration(w.random.Intn(4)*20-10) * time.Hour))
		if w.chance(50) {
			score.Status.ValidUntil = &until
		}
		for _, item := range []string{"cpu", "gpu"} {
			value := int32(w.random.Intn(201) - 100)
			score.Status.Scores = append(score.Status.Scores, v1alpha1.AddOnPlacementScoreItem{Name: item, Value: value})
			if score.Status.ValidUntil == nil || until.After(now) {
				w.scores[cluster][name+"/"+item] = value
			}
		}
		w.add("AddOnPlacementScore", "v1alpha1", score)
	}
}

func (w *world) decision(placement string, number int) *v1beta1.PlacementDecision {
	d := &v1beta1.PlacementDecision{ObjectMeta: w.meta(fmt.Sprintf("%s-decision-%d", placement, number), namespace)}
	d.Labels = map[string]string{v1beta1.PlacementLabel: placement, v1beta1.DecisionGroupIndexLabel: "0", v1beta1.DecisionGroupNameLabel: ""}
	for _, c := range w.clusters {
		if w.chance(35) {
			d.Status.Decisions = append(d.Status.Decisions, v1beta1.ClusterDecision{ClusterName: c.Name})
		}
	}
	w.add("PlacementDecision", "v1beta1", d)
	return d
}

func (w *world) addDecisions() {
	for i, n := 0, w.random.Intn(4); i < n; i++ {
		w.others = append(w.others, w.decision(fmt.Sprintf("other%d", i), 1))
	}
	if w.chance(30) {
		w.own = append(w.own, w.decision(placementName, 1))
	}
}

// ---- the Placement ----

func (w *world) expressions(keys ...string) []metav1.LabelSelectorRequirement {
	requirements := []metav1.LabelSelectorRequirement{}
	for i, n := 0, w.random.Intn(3); i < n; i++ {
		r := metav1.LabelSelectorRequirement{Key: w.pick(keys...), Operator: metav1.LabelSelectorOperator(w.pick("In", "NotIn", "Exists", "DoesNotExist"))}
		valued := r.Operator == "In" || r.Operator == "NotIn"
		if valued != w.chance(2) { // 2 %: values where there may be none, none where there must be some
			r.Values = []string{w.pick("prod", "1", "r1"), w.pick("dev", "2", "r2")}
		}
		requirements = append(requirements, r)
	}
	return requirements
}

func (w *world) selector() *metav1.LabelSelector {
	s := &metav1.LabelSelector{}
	if w.chance(30) {
		s.MatchLabels = map[string]string{w.pick("env", "zone"): w.pick("prod", "dev", "1")}
	} else {
		s.MatchExpressions = w.expressions("env", "zone", "n")
	}
	return s
}

func (w *world) clusterSelector() v1beta1.ClusterSelector {
	s := v1beta1.ClusterSelector{}
	if w.chance(40) {
		s.LabelSelector = *w.selector()
	}
	if w.chance(25) {
		s.ClaimSelector.MatchExpressions = w.expressions("region", "size")
	}
	if w.chance(70) {
		for i, n := 0, 1+w.random.Intn(2); i < n; i++ {
			s.CelSelector.CelExpressions = append(s.CelSelector.CelExpressions, w.expression())
		}
	}
	return s
}

func (w *world) addPlacement() {
	p := &v1beta1.Placement{ObjectMeta: w.meta(placementName, namespace)}
	w.placement = p
	w.add("Placement", "v1beta1", p)
	if w.chance(35) { // about one expression alone
		p.Spec.Predicates = make([]v1beta1.ClusterPredicate, 1)
		p.Spec.Predicates[0].RequiredClusterSelector.CelSelector.CelExpressions = []string{w.expression()}
		p.Spec.Tolerations = []v1beta1.Toleration{{Operator: v1beta1.TolerationOpExists}}
		return
	}
	if w.chance(60) {
		n := int32(w.random.Intn(9))
		p.Spec.NumberOfClusters = &n
	}
	if w.chance(20) {
		p.Spec.ClusterSets = []string{w.pick("east", "west", "gone")}
	}
	for i, n := 0, w.random.Intn(3); i < n; i++ {
		p.Spec.Predicates = append(p.Spec.Predicates, v1beta1.ClusterPredicate{RequiredClusterSelector: w.clusterSelector()})
	}
	for i, n := 0, w.random.Intn(3); i < n; i++ {
		t := v1beta1.Toleration{Key: w.pick("a", "b", "a", "b", ""), Operator: v1beta1.TolerationOperator(w.pick("Exists", "Equal", ""))}
		if w.chance(30) && t.Operator != "Exists" {
			t.Value = "v"
		}
		t.Effect = clusterv1.TaintEffect(w.pick("", "", "NoSelect", "NoSelectIfNew"))
		if w.chance(30) {
			seconds := int64(5 * 3600)
			t.TolerationSeconds = &seconds
		}
		p.Spec.Tolerations = append(p.Spec.Tolerations, t)
	}
	w.addPolicy(p)
	w.addGroups(p)
}

// No coordinate comes twice: upstream adds up the weights of a repeated add-on.
func (w *world) addPolicy(p *v1beta1.Placement) {
	p.Spec.PrioritizerPolicy.Mode = v1beta1.PrioritizerPolicyModeType(w.pick("", "Additive", "Exact", "Exact"))
	for _, name := range []string{"Balance", "Steady", "ResourceAllocatableCPU", "ResourceAllocatableMemory"} {
		if w.chance(25) {
			p.Spec.PrioritizerPolicy.Configurations = append(p.Spec.PrioritizerPolicy.Configurations, v1beta1.PrioritizerConfig{
				ScoreCoordinate: &v1beta1.ScoreCoordinate{Type: v1beta1.ScoreCoordinateTypeBuiltIn, BuiltIn: name}, Weight: int32(w.random.Intn(21) - 10)})
		}
	}
	for _, item := range []string{"cpu", "gpu"} {
		if w.chance(25) {
			p.Spec.PrioritizerPolicy.Configurations = append(p.Spec.PrioritizerPolicy.Configurations, v1beta1.PrioritizerConfig{
				ScoreCoordinate: &v1beta1.ScoreCoordinate{Type: v1beta1.ScoreCoordinateTypeAddOn, AddOn: &v1beta1.AddOnScore{
					ResourceName: w.pick("load", "cost"), ScoreName: item}}, Weight: int32(w.random.Intn(21) - 10)})
		}
	}
	// A typed client cannot write a weight of 0: `omitempty` leaves it out, and the API server's
	// default is 1. So there is none.
	for i := range p.Spec.PrioritizerPolicy.Configurations {
		if p.Spec.PrioritizerPolicy.Configurations[i].Weight == 0 {
			p.Spec.PrioritizerPolicy.Configurations[i].Weight = 1
		}
	}
}

func (w *world) addGroups(p *v1beta1.Placement) {
	strategy := &p.Spec.DecisionStrategy.GroupStrategy
	if w.chance(30) {
		// Percentages whose product with few clusters has no error as a double.
		strategy.ClustersPerDecisionGroup = intstr.Parse(w.pick("1", "2", "3", "50%", "25%", "100%"))
	}
	for i, n := 0, w.random.Intn(3); i < n && w.chance(50); i++ {
		strategy.DecisionGroups = append(strategy.DecisionGroups, v1beta1.DecisionGroup{GroupName: fmt.Sprintf("g%d", i),
			ClusterSelector: v1beta1.GroupClusterSelector{LabelSelector: *w.selector()}})
	}
}

// The objects as Go writes them, in one List.
func (w *world) manifest() string {
	documents := []string{}
	for _, object := range w.objects {
		text, err := json.Marshal(object)
		if err != nil {
			panic(err)
		}
		documents = append(documents, string(text))
	}
	return `{"apiVersion":"v1","kind":"List","items":[` + strings.Join(documents, ",\n") + "]}\n"
}
