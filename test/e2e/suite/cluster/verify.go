// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	gangGate  = "sakkara.gang"
	rankLabel = "sakkara.member.rank"
)

// IsMember tells whether a pod belongs to a group of ours: by its labels, by the annotation of a workload, or by a PodGroup of
// Kubernetes with policy gang, whose keys are gangs.
func IsMember(pod *Pod, gangs map[string]bool) bool {
	if pod.Labels["ray.io/node-type"] == "redis-cleanup" { // with the labels and annotations of a head that is gone
		return false
	}
	if pod.Spec.SchedulerName != "sakkara" || GroupOf(pod) != "" {
		return pod.Spec.SchedulerName == "sakkara"
	}
	switch annotation := pod.Annotations["sakkara.gang"]; annotation {
	case "off":
		return false
	case "":
		group := pod.Spec.SchedulingGroup
		return group != nil && gangs[pod.Namespace+"/"+group.PodGroupName]
	default:
		return pod.Labels["spark-role"] != "driver"
	}
}

// GroupOf is the group a pod names, or "".
func GroupOf(pod *Pod) string {
	return cmp.Or(pod.Labels["sakkara.group.name"], pod.Labels["scheduling.x-k8s.io/pod-group"])
}

// Verify judges the whole history of a scenario and returns what was wrong:
//   - a member was bound before state Binding of its plan was on the API server, or before every member
//     of the plan had asked to be bound (calls; nil leaves that out);
//   - a member was nominated, or lost its gate, before its plan was on the API server (from 1.37 on, those without a place
//     lose it for the others of their PodGroup);
//   - the first event with a node lacks the rank label, or shows another node than the planned one;
//   - a pod was bound more than once (writes);
//   - a node held more than it has, unless it is one of Overfull;
//   - a plan past Binding left a live member behind;
//   - a member still carries traces of a plan that is gone (waited for).
func (r *Recorder) Verify(calls []Call, writes []Write) []string {
	var wrong []string
	err := r.Wait(patience, "clean end", cleanEnd)
	if err != nil {
		wrong = append(wrong, err.Error())
	}
	if err := r.CatchUp(); err != nil {
		return append(wrong, err.Error())
	}
	history := r.History()
	slices.SortStableFunc(history, func(a, b Change) int { return cmp.Compare(a.Version, b.Version) })
	v := verifier{history: history, planned: map[string]Change{}, binding: map[string]Change{}, seen: map[string]*Pod{},
		gangs: map[string]bool{}, whole: r.plane.Minor() >= 37, used: map[string]map[string]int64{}, nodes: map[string]*Node{}, bound: map[string]int64{}, overfull: r.Overfull}
	v.run()
	if calls != nil {
		v.votes(calls)
	}
	v.bindings(writes)
	return append(wrong, v.wrong...)
}

// cleanEnd: every plan past Binding is complete, and no member shows traces of a plan that is gone.
func cleanEnd(v *View) error {
	alive := map[string]bool{} // ids of plans that sources or bound members prove
	for _, object := range v.maps {
		if plan := PlanOf(&object.Meta); plan != nil {
			alive[plan.ID] = true
		}
	}
	for _, object := range v.groups {
		if plan := PlanOf(&object.Meta); plan != nil {
			alive[plan.ID] = true
		}
	}
	gangs := map[string]bool{}
	for path, objects := range v.others {
		for _, object := range objects {
			gangs[gangOf(path, object)] = true
			if plan := PlanOf(&object.Meta); plan != nil {
				alive[plan.ID] = true
			}
		}
	}
	bound := map[string]bool{}
	for _, pod := range v.pods {
		if plan := PlanOf(&pod.Meta); plan != nil && plan.State != "" {
			alive[plan.ID] = true
		}
		if id, _ := MemberPlan(pod); id != "" && pod.Bound() {
			bound[id] = true
		}
	}
	for _, pod := range sorted(v.pods) {
		if !IsMember(pod, gangs) || pod.Bound() || !pod.Live() {
			continue
		}
		id, _ := MemberPlan(pod)
		switch {
		case id != "" && bound[id]:
			return fmt.Errorf("pod %s is not bound, others of its plan %s are", pod.Key(), id)
		case id != "" && !alive[id]:
			return fmt.Errorf("pod %s carries plan %s, which is gone", pod.Key(), id)
		case id == "" && pod.Status.NominatedNodeName != "":
			return fmt.Errorf("pod %s is nominated to %s without a plan", pod.Key(), pod.Status.NominatedNodeName)
		}
	}
	return nil
}

type verifier struct {
	history          []Change
	planned, binding map[string]Change // plan id -> first change that shows it, and shows it in Binding
	seen             map[string]*Pod   // uid -> last state
	bound            map[string]int64  // uid -> version of the first event with a node
	gangs            map[string]bool   // PodGroups of Kubernetes with policy gang, by namespace/name
	whole            bool              // kube-scheduler tries no pod of a PodGroup of which one has a gate
	used             map[string]map[string]int64
	nodes            map[string]*Node
	overfull         []string
	wrong            []string
}

func (v *verifier) complain(format string, arguments ...any) {
	v.wrong = append(v.wrong, fmt.Sprintf(format, arguments...))
}

func (v *verifier) run() {
	for _, change := range v.history {
		if change.Gang != "" {
			v.gangs[change.Gang] = true
		}
		if change.Plan != nil && !change.Deleted {
			if _, known := v.planned[change.Plan.ID]; !known {
				v.planned[change.Plan.ID] = change
			}
			if _, known := v.binding[change.Plan.ID]; !known && change.Plan.State == "Binding" {
				v.binding[change.Plan.ID] = change
			}
		}
		if change.Node != nil && !change.Deleted {
			v.nodes[change.Node.Name] = change.Node
		} else if change.Pod != nil {
			v.pod(&change)
		}
	}
}

func (v *verifier) pod(change *Change) {
	pod, before := change.Pod, v.seen[change.Pod.UID]
	v.seen[pod.UID] = pod
	scheduled := before != nil // else created with its node: adopted, not bound by us
	if !scheduled {
		before = &Pod{Spec: PodSpec{SchedulingGates: pod.Spec.SchedulingGates}}
	}
	holds := pod.Bound() && !change.Deleted && pod.Status.Phase != "Succeeded" && pod.Status.Phase != "Failed"
	held := before.Bound() && before.Status.Phase != "Succeeded" && before.Status.Phase != "Failed"
	if holds != held {
		v.charge(pod, map[bool]int64{true: 1, false: -1}[holds])
	}
	if !IsMember(pod, v.gangs) || change.Deleted {
		return
	}
	id, node := MemberPlan(pod)
	if beforeID, _ := MemberPlan(before); id != "" && id != beforeID {
		if _, known := v.planned[id]; !known {
			v.complain("pod %s carries plan %s before it is on the API server", pod.Key(), id)
		}
	}
	// kube-scheduler has to see a pod with claims before it is planned.
	if before.HasGate(gangGate) && !pod.HasGate(gangGate) && id == "" && !pod.HasClaims() && !(v.whole && pod.Spec.SchedulingGroup != nil) {
		v.complain("pod %s lost its gate without a plan", pod.Key())
	}
	if !pod.Bound() || before.Bound() || !scheduled {
		return
	}
	v.bound[pod.UID] = change.Version
	if pod.Labels[rankLabel] == "" {
		v.complain("pod %s: the first event with a node has no rank", pod.Key())
	}
	if node != pod.Spec.NodeName {
		v.complain("pod %s is bound to %s, planned was %q", pod.Key(), pod.Spec.NodeName, node)
	}
	if _, committed := v.binding[id]; !committed {
		v.complain("pod %s is bound before state Binding of plan %q is on the API server", pod.Key(), id)
	}
}

// charge books a pod's requests on its node and complains when the node does not have them. An extended resource that the
// node does not list is one of a DeviceClass: kube-scheduler's to count.
func (v *verifier) charge(pod *Pod, sign int64) {
	node := v.nodes[pod.Spec.NodeName]
	if node == nil {
		return
	}
	used := v.used[node.Name]
	if used == nil {
		used = map[string]int64{}
		v.used[node.Name] = used
	}
	requests := Requests(pod)
	requests["pods"] = 1000
	for resource, amount := range requests {
		used[resource] += sign * amount
		has := Milli(node.Status.Allocatable[resource])
		counts := has > 0 || !strings.Contains(resource, "/")
		if counts && sign > 0 && !slices.Contains(v.overfull, node.Name) && used[resource] > has {
			v.complain("node %s is overcommitted by pod %s: %s %dm of %dm", node.Name, pod.Key(), resource, used[resource], has)
		}
	}
}

// votes: when a plan shows state Binding for the first time, each of its members has asked to be bound,
// or is bound already.
func (v *verifier) votes(calls []Call) {
	first := map[string]time.Time{} // uid -> start of its first bind call
	for _, call := range calls {
		if _, known := first[call.UID]; !known && call.Verb == "bind" {
			first[call.UID] = call.Start
		}
	}
	for _, id := range slices.Sorted(maps.Keys(v.binding)) {
		commit := v.binding[id]
		for uid := range commit.Plan.Members {
			voted, known := first[uid]
			if version := v.bound[uid]; version != 0 && version < commit.Version {
				continue
			}
			if !known || voted.After(commit.At) {
				name := uid
				if pod := v.seen[uid]; pod != nil {
					name = pod.Key()
				}
				v.complain("plan %s of %s entered Binding before member %s voted", id, commit.Source, name)
			}
		}
	}
}

// bindings: at most one successful Binding for each pod.
func (v *verifier) bindings(writes []Write) {
	count := map[string]int{}
	for _, write := range writes {
		var binding struct{ Metadata Meta }
		if write.Is("POST", "/binding") && write.Status/100 == 2 && json.Unmarshal([]byte(write.Body), &binding) == nil {
			uid := binding.Metadata.UID
			if uid == "" {
				v.complain("Binding %s carries no uid", write.Path)
			}
			if count[uid]++; count[uid] == 2 {
				v.complain("pod of Binding %s was bound twice", write.Path)
			}
		}
	}
}

// Requests are the summed requests of a pod's containers in thousandths.
func Requests(pod *Pod) map[string]int64 {
	requests := map[string]int64{}
	for _, container := range pod.Spec.Containers {
		for resource, quantity := range container.Resources.Requests {
			requests[resource] += Milli(quantity)
		}
	}
	return requests
}

// Milli reads the quantities that the tests use, in thousandths.
func Milli(quantity string) int64 {
	suffixes := []struct {
		text   string
		factor int64
	}{{"m", 1}, {"Ki", 1000 << 10}, {"Mi", 1000 << 20}, {"Gi", 1000 << 30}, {"", 1000}}
	for _, suffix := range suffixes {
		if digits, ok := strings.CutSuffix(quantity, suffix.text); ok {
			value, _ := strconv.ParseInt(digits, 10, 64)
			return value * suffix.factor
		}
	}
	return 0
}

func sorted[T any](objects map[string]*T) []*T {
	values := make([]*T, 0, len(objects))
	for _, key := range slices.Sorted(maps.Keys(objects)) {
		values = append(values, objects[key])
	}
	return values
}
