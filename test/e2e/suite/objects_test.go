// SPDX-License-Identifier: Apache-2.0

package suite

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"sakkara/test/e2e/suite/cluster"
)

// node is a fake node with room for so many members of one CPU each.
func node(name string, slots int) *cluster.Node {
	return cluster.FakeNode(name, map[string]string{"cpu": fmt.Sprint(slots), "memory": "64Gi", "pods": "110"})
}

// racks makes nodes node-0, node-1, … with the given slots, rack by rack, and the tree of them.
func racks(slots ...[]int) (nodes []*cluster.Node, tree string) {
	var branches []string
	for rack, counts := range slots {
		var leaves []string
		for _, count := range counts {
			name := fmt.Sprintf("node-%d", len(nodes))
			nodes = append(nodes, node(name, count))
			leaves = append(leaves, fmt.Sprintf("%q:{}", name))
		}
		branches = append(branches, fmt.Sprintf("\"rack-%d\":{%s}", rack, strings.Join(leaves, ",")))
	}
	return nodes, "{" + strings.Join(branches, ",") + "}"
}

// startRacks is start on racks(), of which there is a topology map.
func startRacks(t *testing.T, wanted options, slots ...[]int) *run {
	t.Helper()
	nodes, tree := racks(slots...)
	r := start(t, nodes, wanted)
	r.topology(tree)
	return r
}

// topology creates the topology map.
func (r *run) topology(tree string, levels ...string) {
	r.Helper()
	r.topologyNamed("cluster-topology", tree, levels...)
}

func (r *run) topologyNamed(name, tree string, levels ...string) {
	r.Helper()
	if len(levels) == 0 {
		levels = []string{"rack", "node"}
	}
	names, _ := json.Marshal(levels)
	r.must(r.plane.Admin.Create("/api/v1/namespaces/"+cluster.SystemNamespace+"/configmaps", &cluster.ConfigMap{
		Meta: cluster.Meta{Name: name, Labels: map[string]string{"sakkara.topology": ""}},
		Data: map[string]string{"name": "cluster-tree", "resource-names": `["cpu","memory"]`, "level-names": string(names), "tree": tree},
	}, nil))
	if r.daemon != nil {
		r.waitForTree(name)
	}
}

// waitForTree waits until the daemon has the map's tree in force, or says on the map why not: groups have a watch of their
// own and may be seen before it.
func (r *run) waitForTree(name string) {
	r.Helper()
	if r.daemon.Process() == nil || !r.daemon.Process().Running() {
		return
	}
	r.poll("the tree of "+name+" is in force", func() bool {
		var object cluster.ConfigMap // asked for: not every test has a recorder
		if r.plane.Admin.Get(topologyPath(name), &object) == nil && object.Data["reason"] != "" {
			return true
		}
		_, page := r.daemon.AdminGet("/v1/tree")
		return contains(page, `"`+cluster.SystemNamespace+"/"+name+`"`)
	})
}

func topologyPath(name string) string {
	return "/api/v1/namespaces/" + cluster.SystemNamespace + "/configmaps/" + name
}

// group creates the map of a group. Empty constraints leave the key out.
func (r *run) group(name string, size int, constraints string) {
	r.Helper()
	data := map[string]string{"name": name, "size": fmt.Sprint(size), "priority": "0"}
	if constraints != "" {
		data["constraints"] = constraints
	}
	r.groupMap(name, data)
}

func (r *run) groupMap(name string, data map[string]string) {
	r.Helper()
	r.must(r.plane.Admin.Create("/api/v1/namespaces/"+r.ns+"/configmaps",
		&cluster.ConfigMap{Meta: cluster.Meta{Name: name, Labels: map[string]string{"sakkara.group": ""}}, Data: data}, nil))
}

func (r *run) mapPath(name string) string {
	return "/api/v1/namespaces/" + r.ns + "/configmaps/" + name
}

func (r *run) podPath(name string) string { return "/api/v1/namespaces/" + r.ns + "/pods/" + name }

// change is a difference from the usual pod.
type change func(*cluster.Pod)

// gated adds the gate that the shipped admission policy adds.
func gated(pod *cluster.Pod) {
	pod.Spec.SchedulingGates = append(pod.Spec.SchedulingGates, cluster.Named{Name: "sakkara.gang"})
}

// gate is gated or nothing.
func gate(yes bool) change {
	if yes {
		return gated
	}
	return func(*cluster.Pod) {}
}

func label(key, value string) change {
	return func(pod *cluster.Pod) { pod.Labels[key] = value }
}

func annotation(key, value string) change {
	return func(pod *cluster.Pod) {
		if pod.Annotations == nil {
			pod.Annotations = map[string]string{}
		}
		pod.Annotations[key] = value
	}
}

func cpu(quantity string) change {
	return func(pod *cluster.Pod) { pod.Spec.Containers[0].Resources.Requests["cpu"] = quantity }
}

func tolerating(pod *cluster.Pod) {
	pod.Spec.Tolerations = append(pod.Spec.Tolerations, cluster.Toleration{Key: "special", Operator: "Exists"})
}

func onNode(name string) change {
	return func(pod *cluster.Pod) { pod.Spec.NodeName = name }
}

// pod is an ordinary pod of one CPU.
func (r *run) pod(name string, changes ...change) *cluster.Pod {
	var noGrace int64
	pod := &cluster.Pod{Meta: cluster.Meta{Name: name, Namespace: r.ns, Labels: map[string]string{}}}
	pod.Spec = cluster.PodSpec{
		SchedulerName: "sakkara", RestartPolicy: "Never", GracePeriod: &noGrace,
		Containers: []cluster.Container{{
			Name: "main", Image: "busybox",
			Env: []cluster.EnvVar{{Name: "RANK",
				ValueFrom: json.RawMessage(`{"fieldRef":{"fieldPath":"metadata.labels['sakkara.member.rank']"}}`)}},
			Resources: cluster.Resources{Requests: map[string]string{"cpu": "1", "memory": "64Mi"}},
		}},
	}
	for _, change := range changes {
		change(pod)
	}
	return pod
}

// members creates n pods GROUP-0 … of a group, side by side.
func (r *run) members(group string, n int, changes ...change) {
	r.Helper()
	pods := make([]*cluster.Pod, n)
	for i := range pods {
		pods[i] = r.pod(fmt.Sprintf("%s-%d", group, i), append([]change{label("sakkara.group.name", group)}, changes...)...)
	}
	r.must(r.plane.CreatePods(pods...))
}

// gang creates a group and all its members.
func (r *run) gang(name string, size int, constraints string, changes ...change) {
	r.Helper()
	r.group(name, size, constraints)
	r.members(name, size, changes...)
}

// create creates pods one after the other.
func (r *run) create(pods ...*cluster.Pod) {
	r.Helper()
	for _, pod := range pods {
		r.must(r.plane.Admin.Create("/api/v1/namespaces/"+r.ns+"/pods", pod, nil))
	}
}

// fill puts n running ordinary pods of one CPU each on a node.
func (r *run) fill(node string, n int) {
	r.Helper()
	for i := range n {
		r.create(r.pod(fmt.Sprintf("load-%s-%d", node, i), onNode(node)))
	}
}

// job creates a Job whose pods are the members of a group.
func (r *run) job(name, group string, n int, changes ...change) {
	r.Helper()
	r.jobOf(name, group, cluster.JobSpec{Parallelism: n, Completions: n}, changes...)
}

// indexedJob is a job that numbers its pods.
func (r *run) indexedJob(name, group string, n int, changes ...change) {
	r.Helper()
	r.jobOf(name, group, cluster.JobSpec{Parallelism: n, Completions: n, Mode: "Indexed"}, changes...)
}

func (r *run) jobOf(name, group string, spec cluster.JobSpec, changes ...change) {
	r.Helper()
	pod := r.pod("", append([]change{label("sakkara.group.name", group)}, changes...)...)
	six := 6
	spec.BackoffLimit = &six
	spec.Template = cluster.PodTemplate{Meta: cluster.Meta{Labels: pod.Labels, Annotations: pod.Annotations}, Spec: pod.Spec}
	r.must(r.plane.Admin.Create("/apis/batch/v1/namespaces/"+r.ns+"/jobs",
		&cluster.Job{Meta: cluster.Meta{Name: name}, Spec: spec}, nil))
}

// of matches the live pods of a group.
func of(group string) func(*cluster.Pod) bool {
	return func(pod *cluster.Pod) bool { return pod.Live() && cluster.GroupOf(pod) == group }
}

// allBound: exactly n live pods of the group are bound and none waits; the map says Bound.
func (r *run) allBound(group string, n int) func(*cluster.View) error {
	return func(v *cluster.View) error {
		if err := r.podsBound(group, n)(v); err != nil {
			return err
		}
		if status := r.statusOf(v, group); status != "Bound" {
			return fmt.Errorf("status of %s is %q", group, status)
		}
		return nil
	}
}

func (r *run) podsBound(group string, n int) func(*cluster.View) error {
	return func(v *cluster.View) error {
		pods, bound := v.Pods(r.ns, of(group)), 0
		for _, pod := range pods {
			if pod.Bound() {
				bound++
			}
		}
		if bound != n || len(pods) != n {
			return fmt.Errorf("%s: %d of %d pods bound, want %d", group, bound, len(pods), n)
		}
		return nil
	}
}

// podsRunning: exactly n live pods of the group are running and none waits.
func (r *run) podsRunning(group string, n int) func(*cluster.View) error {
	return func(v *cluster.View) error {
		pods := v.Pods(r.ns, of(group))
		for _, pod := range pods {
			if pod.Status.Phase != "Running" {
				return fmt.Errorf("pod %s is %s", pod.Name, pod.Status.Phase)
			}
		}
		if len(pods) != n {
			return fmt.Errorf("%s: %d pods run, want %d", group, len(pods), n)
		}
		return nil
	}
}

// noneBound: no pod of the group is bound.
func (r *run) noneBound(group string) func(*cluster.View) error {
	return func(v *cluster.View) error {
		for _, pod := range v.Pods(r.ns, of(group)) {
			if pod.Bound() {
				return fmt.Errorf("pod %s is bound to %s", pod.Name, pod.Spec.NodeName)
			}
		}
		return nil
	}
}

// reason: the group's map shows a status and a reason.
func (r *run) reason(group, status, reason string) func(*cluster.View) error {
	return func(v *cluster.View) error {
		object := v.Map(r.ns, group)
		if object.Data["status"] != status || object.Data["reason"] != reason {
			return fmt.Errorf("map of %s: %v", group, object.Data)
		}
		return nil
	}
}

// labelled: so many live pods of the group have this status label, and no other pod of it lives.
func (r *run) labelled(group string, n int, status string) func(*cluster.View) error {
	return func(v *cluster.View) error {
		pods := v.Pods(r.ns, of(group))
		for _, pod := range pods {
			if word := pod.Labels["sakkara.member.status"]; word != status {
				return fmt.Errorf("pod %s is labelled %q", pod.Name, word)
			}
		}
		if len(pods) != n {
			return fmt.Errorf("%d pods", len(pods))
		}
		return nil
	}
}

func (r *run) statusOf(v *cluster.View, group string) string {
	if object := v.Map(r.ns, group); object.UID != "" {
		return object.Data["status"]
	}
	return v.PodGroup(r.ns, group).Annotations["sakkara.status"]
}

// placed is the number of live pods of a group on each node: "node-0:3 node-2:1".
func (r *run) placed(group string) string {
	counts := map[string]int{}
	r.rec.Look(func(v *cluster.View) {
		for _, pod := range v.Pods(r.ns, of(group)) {
			counts[pod.Spec.NodeName]++
		}
	})
	return countText(counts)
}

func countText(counts map[string]int) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		parts = append(parts, fmt.Sprintf("%s:%d", name, counts[name]))
	}
	return strings.Join(parts, " ")
}

// expectPlaced fails the test unless the group's pods stand like this.
func (r *run) expectPlaced(group, want string) {
	r.Helper()
	if got := r.placed(group); got != want {
		r.Errorf("%s is placed %q, want %q", group, got, want)
	}
}

func contains(text, part string) bool { return strings.Contains(text, part) }
