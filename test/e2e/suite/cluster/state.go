// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

// State is what a scenario leaves behind, in words that are the same on every control plane: no uid, no
// time, no generated name. Two runs of one scenario are compared by it.
type State struct {
	Pods       []PodState
	Groups     []GroupState
	Topologies []TopologyState
	Events     []string // of the daemon: object, type, reason; each once
}

// PodState is a pod. Members that a controller made are named GROUP.000, GROUP.001, …, see memberNames.
type PodState struct {
	Name      string
	Node      string   `json:",omitempty"` // "*": bound, and where is left to chance
	Nominated string   `json:",omitempty"`
	Gates     []string `json:",omitempty"`
	Rank      string   `json:",omitempty"` // labels
	Status    string   `json:",omitempty"`
	Retries   string   `json:",omitempty"` // see trials
	Phase     string   // Live, Succeeded, Failed
	Reason    string   `json:",omitempty"` // of the condition PodScheduled while it is False
	Message   string   `json:",omitempty"`
}

// GroupState is the source of a group, a map or a PodGroup.
type GroupState struct {
	Source    string
	Size      string
	Status    string
	Reason    string `json:",omitempty"`
	Message   string `json:",omitempty"`
	Rank      string `json:",omitempty"`
	Placement any    `json:",omitempty"`
	Plan      bool   `json:",omitempty"` // it is on its way
}

// TopologyState is what is said about a topology map.
type TopologyState struct{ Name, Reason, Message string }

// fromDaemon tells the daemon's Events from those of kube-scheduler, which reports as the profile's name.
func (e *ClusterEvent) fromDaemon() bool {
	switch e.InvolvedObject.Kind {
	case "ConfigMap", "PodGroup":
		return e.ReportingComponent == "sakkara"
	case "Pod":
		return e.ReportingComponent == "sakkara" && strings.HasPrefix(e.Reason, "Group")
	}
	return false
}

// Settle returns when no watch has shown anything for so long, or after the deadline.
func (r *Recorder) Settle(quiet, deadline time.Duration) {
	end := time.After(deadline)
	for {
		r.mu.Lock()
		changed := r.changed
		r.mu.Unlock()
		select {
		case <-changed:
		case <-time.After(quiet):
			return
		case <-end:
			return
		}
	}
}

// State describes a namespace. anywhere are beginnings of names of pods whose node is left out, and groups of which ranks and
// placement are left out. waiting are groups of which texts and labels of members that are not bound are left out.
func (r *Recorder) State(namespace string, anywhere, waiting []string) *State {
	history := r.History()
	r.mu.Lock()
	defer r.mu.Unlock()
	v := &r.state
	names := memberNames(history, v.Pods(namespace, nil))
	state := &State{Pods: []PodState{}, Groups: []GroupState{}, Topologies: []TopologyState{}, Events: eventStates(v.events, namespace, names)}
	for _, pod := range v.Pods(namespace, nil) {
		one := podState(pod, names, anywhere)
		one.Retries = trials(one.Retries, familyOf(pod), state.Events)
		if !pod.Bound() && slices.Contains(waiting, GroupOf(pod)) {
			one.Status, one.Message = "", ""
		}
		state.Pods = append(state.Pods, one)
	}
	slices.SortFunc(state.Pods, func(a, b PodState) int { return cmp.Compare(a.Name, b.Name) })
	rename := renamer(names)
	for _, object := range v.Maps(namespace) {
		if _, group := object.Labels["sakkara.group"]; group {
			d := object.Data
			state.Groups = append(state.Groups, GroupState{Source: "ConfigMap/" + object.Name, Size: d["size"], Status: d["status"],
				Reason: d["reason"], Message: rename(d["message"]), Rank: rename(d["rank"]), Placement: placement(rename(d["placement"])),
				Plan: PlanOf(&object.Meta) != nil})
		}
	}
	for _, object := range sorted(v.groups) {
		if object.Namespace == namespace {
			a := object.Annotations
			state.Groups = append(state.Groups, GroupState{Source: "PodGroup/" + object.Name, Size: fmt.Sprint(object.Spec.MinMember),
				Status: a["sakkara.status"], Reason: a["sakkara.reason"], Message: rename(a["sakkara.message"]),
				Rank: rename(a["sakkara.rank"]), Placement: placement(rename(a["sakkara.placement"])), Plan: PlanOf(&object.Meta) != nil})
		}
	}
	for i := range state.Groups {
		_, name, _ := strings.Cut(state.Groups[i].Source, "/")
		if slices.Contains(waiting, name) {
			state.Groups[i].Message = ""
		}
		if slices.Contains(anywhere, name) {
			state.Groups[i].Rank, state.Groups[i].Placement = "", nil
		}
	}
	for _, object := range v.Maps(SystemNamespace) {
		if _, topology := object.Labels["sakkara.topology"]; topology {
			state.Topologies = append(state.Topologies, TopologyState{object.Name, object.Data["reason"], object.Data["message"]})
		}
	}
	return state
}

// trials are a member's retries as far as they do not rest on the clock. Each plan that is made, and each that is given up,
// is one trial: exact. A group without a place is tried again whenever something changes that may help, and changes that
// come close together are one trial: of such a group it is only kept whether the first trial was the last one.
func trials(retries, group string, events []string) string {
	waited := slices.ContainsFunc(events, func(event string) bool {
		return strings.Contains(event, "/"+group+" ") && strings.HasSuffix(event, " GroupUnplaced")
	})
	if waited && retries != "" && retries != "1" {
		return "several"
	}
	return retries
}

func podState(pod *Pod, names map[string]string, anywhere []string) PodState {
	state := PodState{Name: cmp.Or(names[pod.Name], pod.Name), Node: pod.Spec.NodeName, Nominated: pod.Status.NominatedNodeName,
		Rank: pod.Labels[rankLabel], Status: pod.Labels["sakkara.member.status"], Retries: pod.Labels["sakkara.member.retries"], Phase: "Live"}
	for _, gate := range pod.Spec.SchedulingGates {
		state.Gates = append(state.Gates, gate.Name)
	}
	for _, prefix := range anywhere {
		if pod.Bound() && strings.HasPrefix(pod.Name, prefix) {
			state.Node = "*"
		}
	}
	if slices.Contains(anywhere, GroupOf(pod)) {
		state.Rank = ""
	}
	if pod.Status.Phase == "Succeeded" || pod.Status.Phase == "Failed" {
		state.Phase = pod.Status.Phase
	}
	if pod.Bound() {
		state.Nominated = "" // cleared at binding or not, depending on the version
	} else if condition := pod.Condition("PodScheduled"); condition != nil && condition.Status == "False" {
		state.Reason, state.Message = condition.Reason, condition.Message
	}
	return state
}

// memberNames maps the names of members that a controller made, which are random, to GROUP.000, GROUP.001,
// …: those that were there before any member was lost come first, then those that came after the first loss,
// and so on; in between they stand by name, as they are dealt out.
func memberNames(history []Change, pods []*Pod) map[string]string {
	losses := map[string]int{} // of a group, so far
	came, lost := map[string]int{}, map[string]bool{}
	for _, change := range history {
		if change.Pod == nil || familyOf(change.Pod) == "" {
			continue
		}
		pod, group := change.Pod, change.Pod.Namespace+"/"+familyOf(change.Pod)
		if _, known := came[pod.UID]; !known {
			came[pod.UID] = losses[group]
		}
		if gone := change.Deleted || !pod.Live(); gone && !lost[pod.UID] {
			lost[pod.UID] = true
			losses[group]++
		}
	}
	pods = slices.Clone(pods)
	slices.SortStableFunc(pods, func(a, b *Pod) int {
		return cmp.Or(cmp.Compare(came[a.UID], came[b.UID]), Naturally(a.Name, b.Name))
	})
	names, next := map[string]string{}, map[string]int{}
	for _, pod := range pods {
		if group := familyOf(pod); group != "" && len(pod.OwnerReferences) > 0 {
			names[pod.Name] = fmt.Sprintf("%s.%03d", group, next[group])
			next[group]++
		}
	}
	return names
}

// familyOf is the group that a pod names, else what made the pod: the group of a workload has that name.
func familyOf(pod *Pod) string {
	if group := GroupOf(pod); group != "" || len(pod.OwnerReferences) == 0 {
		return group
	}
	return pod.OwnerReferences[0].Name
}

// Naturally compares names as the daemon does: numbers in them by their value, so that 2 stands before 10.
func Naturally(a, b string) int {
	digits := func(s string) (number, rest string) {
		n := 0
		for n < len(s) && s[n] >= '0' && s[n] <= '9' {
			n++
		}
		return strings.TrimLeft(s[:n], "0"), s[n:]
	}
	whole := cmp.Compare(a, b)
	for a != "" && b != "" {
		if numeric := func(s string) bool { return s[0] >= '0' && s[0] <= '9' }; numeric(a) && numeric(b) {
			m, restA := digits(a)
			n, restB := digits(b)
			if order := cmp.Or(cmp.Compare(len(m), len(n)), cmp.Compare(m, n)); order != 0 {
				return order
			}
			a, b = restA, restB
			continue
		}
		if a[0] != b[0] {
			return cmp.Compare(a[0], b[0])
		}
		a, b = a[1:], b[1:]
	}
	return cmp.Or(cmp.Compare(len(a), len(b)), whole)
}

// renamer replaces the names in a text, the longest first, so that no name is taken for the beginning of
// another.
func renamer(names map[string]string) func(string) string {
	olds := make([]string, 0, len(names))
	for old := range names {
		olds = append(olds, old)
	}
	slices.SortFunc(olds, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })
	pairs := make([]string, 0, 2*len(olds))
	for _, old := range olds {
		pairs = append(pairs, old, names[old])
	}
	return strings.NewReplacer(pairs...).Replace
}

// placement is the value of the key as a tree; what is none stays the text it is.
func placement(text string) any {
	var tree map[string]any
	if text == "" {
		return nil
	}
	if json.Unmarshal([]byte(text), &tree) != nil {
		return text
	}
	return tree
}

func eventStates(all []*ClusterEvent, namespace string, names map[string]string) []string {
	events := []string{}
	for _, event := range all {
		about := &event.InvolvedObject
		if event.fromDaemon() && (about.Namespace == namespace || about.Namespace == SystemNamespace) {
			events = append(events, fmt.Sprintf("%s/%s %s %s", about.Kind, cmp.Or(names[about.Name], about.Name), event.Type, event.Reason))
		}
	}
	slices.Sort(events)
	return slices.Compact(events)
}
