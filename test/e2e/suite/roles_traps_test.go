// SPDX-License-Identifier: Apache-2.0

package suite

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"sakkara/test/e2e/suite/cluster"
)

// Problems for which all roles have to be placed at once, and gangs with roles that evict or are evicted.

// gpus are an extended resource: its request and its limit are equal.
func gpus(n int) change {
	return func(pod *cluster.Pod) {
		resources := &pod.Spec.Containers[0].Resources
		resources.Requests[gpu] = fmt.Sprint(n)
		resources.Limits = map[string]string{gpu: fmt.Sprint(n)}
	}
}

// unequal makes nodes PREFIX-0, PREFIX-1, ... of "CPUs/GPUs", racks in parentheses, and the racks of their tree.
func unequal(prefix, text string) (nodes []*cluster.Node, racks []string) {
	for i, rack := range strings.Split(strings.Trim(text, "()"), ") (") {
		var leaves []string
		for _, shape := range strings.Fields(rack) {
			cpus, count, _ := strings.Cut(shape, "/")
			name := fmt.Sprintf("%s-%d", prefix, len(nodes))
			node := cluster.FakeNode(name, map[string]string{"cpu": cpus, "memory": "64Gi", "pods": "110", gpu: count})
			node.Labels["pool"] = prefix
			nodes = append(nodes, node)
			leaves = append(leaves, fmt.Sprintf("%q:{}", name))
		}
		racks = append(racks, fmt.Sprintf("\"%s-rack-%d\":{%s}", prefix, i, strings.Join(leaves, ",")))
	}
	return nodes, racks
}

// team creates the pods of a group that has a leader of each set, or one, and n workers. Workers come first.
func (r *run) team(group string, leaders, workers int, cpus string, with ...change) {
	r.Helper()
	var pods []*cluster.Pod
	worker := append([]change{cpu("4"), gpus(1)}, with...)
	for _, name := range numbered(group+"-worker", 0, workers) {
		pods = append(pods, r.pod(name, roleOf(group, "worker", -1, worker...)...))
	}
	for _, name := range numbered(group+"-leader", 0, leaders) {
		pods = append(pods, r.pod(name, roleOf(group, "leader", -1, append([]change{cpu(cpus)}, with...)...)...))
	}
	r.must(r.plane.CreatePods(pods...))
}

// seatsText is the members of a group by node, each with its rank: "r1-2:L0 w1 r1-3:w2".
func (r *run) seatsText(group string) string {
	seats := map[string][]*cluster.Pod{}
	rank := func(pod *cluster.Pod) (n int) {
		fmt.Sscan(pod.Labels["sakkara.member.rank"], &n)
		return n
	}
	r.rec.Look(func(v *cluster.View) {
		for _, pod := range v.Pods(r.ns, of(group)) {
			seats[pod.Spec.NodeName] = append(seats[pod.Spec.NodeName], pod)
		}
	})
	var text []string
	for _, node := range slices.Sorted(maps.Keys(seats)) {
		slices.SortFunc(seats[node], func(a, b *cluster.Pod) int { return cmp.Compare(rank(a), rank(b)) })
		for i, pod := range seats[node] {
			letter := map[string]string{"leader": "L", "worker": "w"}[pod.Labels["sakkara.member.role"]]
			if i == 0 {
				letter = node + ":" + letter
			}
			text = append(text, fmt.Sprintf("%s%d", letter, rank(pod)))
		}
	}
	return strings.Join(text, " ")
}

// TestRoles_TheTrapsThroughMapsAndPods: The problems of the page about roles, as groups of a cluster. An order of the roles
// refuses some of them or places them worse; the gang takes the best placement, ranks and keys included, or says what is missing.
func TestRoles_TheTrapsThroughMapsAndPods(t *testing.T) {
	const hard = `{"rack":{"type":"pack","hard":true}}`
	const sets = `{"sets":[{"level":"rack","roles":{"leader":1,"worker":%d},"exclusive":%v}]}`
	traps := []struct {
		name, racks      string
		leaders, workers int
		constraints      string
		seats, sets      string // seats "": the group waits
		message          string
	}{
		{"r1", "(16/8 16/8) (24/4 24/6)", 1, 8, hard, "r1-2:L0 w1 w2 r1-3:w3 w4 w5 w6 w7 w8", "", ""},
		{"r2", "(16/4 20/4) (12/8 12/8)", 1, 8, hard, "", "",
			"group r2 needs 1 leader and 8 workers in one rack, r2-rack-0 has 7 workers beside 1 leader"},
		{"r3", "(16/4 4/1) (24/3 12/3)", 1, 4, hard, "r3-2:L0 w1 w2 w3 r3-3:w4", "", ""},
		{"r4", "(8/2) (24/4 8/2)", 1, 6, hard, "r4-1:L0 w1 w2 w3 w4 r4-2:w5 w6", "", ""},
		{"r5", "(24/4 12/1) (16/2 12/1)", 2, 8, fmt.Sprintf(sets, 4, false), "", "",
			"group r5 needs 2 sets of 1 leader and 4 workers, each in one rack, 1 fits"},
		{"r6", "(24/4 12/1) (32/4 32/4)", 2, 6, fmt.Sprintf(sets, 3, false), "r6-2:L0 w1 w2 w3 L4 w5 r6-3:w6 w7",
			`{"0":"r6-rack-1","1":"r6-rack-1"}`, ""},
		{"r6x", "(24/4 12/1) (32/4 32/4)", 2, 6, fmt.Sprintf(sets, 3, true), "r6x-0:L0 w1 w2 w3 r6x-2:L4 w5 w6 w7",
			`{"0":"r6x-rack-0","1":"r6x-rack-1"}`, ""},
		{"r7", "(40/8 40/8) (40/8 40/8)", 1, 4, `{"rack":{"type":"pack"},"roles":{"worker":{"rack":{"type":"spread"}}}}`,
			"r7-0:L0 w1 w2 r7-2:w3 w4", "", ""},
	}
	bothWays(t, func(t *testing.T, withGate bool) {
		var nodes []*cluster.Node
		var tree []string
		for _, trap := range traps {
			more, racks := unequal(trap.name, trap.racks)
			nodes, tree = append(nodes, more...), append(tree, racks...)
		}
		r := start(t, nodes, options{})
		r.anyRetries("they count from the creation of a pod")
		if !withGate {
			r.anyLabels("whether a member without a gate was asked before it was known that nothing fits is chance")
		}
		r.topology("{" + strings.Join(tree, ",") + "}")
		for _, trap := range traps {
			r.groupMap(trap.name, map[string]string{"name": trap.name, "constraints": trap.constraints,
				"roles": fmt.Sprintf(`{"leader":{"size":%d},"worker":{"size":%d}}`, trap.leaders, trap.workers)})
			r.team(trap.name, trap.leaders, trap.workers, "8", gate(withGate), func(pod *cluster.Pod) {
				pod.Spec.NodeSelector = map[string]string{"pool": trap.name}
			})
		}
		for _, trap := range traps {
			n := trap.leaders + trap.workers
			if trap.seats == "" {
				r.wait(usual, trap.name+" says why it waits", func(v *cluster.View) error {
					if data := v.Map(r.ns, trap.name).Data; data["reason"] != "NeverFits" || data["message"] != trap.message {
						return fmt.Errorf("%v", data)
					}
					return nil
				})
				if withGate {
					r.wait(usual, trap.name+" waits", r.labelled(trap.name, n, "Ready"))
				}
				continue
			}
			r.wait(usual, trap.name+" is bound", r.allBound(trap.name, n))
			if got := r.seatsText(trap.name); got != trap.seats {
				t.Errorf("%s is placed %q, want %q", trap.name, got, trap.seats)
			}
			r.wait(usual, "the map of "+trap.name+" has its places", func(v *cluster.View) error {
				data := v.Map(r.ns, trap.name).Data
				var got, want any
				_ = json.Unmarshal([]byte(data["sets"]), &got)
				_ = json.Unmarshal([]byte(trap.sets), &want)
				if fmt.Sprint(got) != fmt.Sprint(want) || strings.Count(data["placement"], `{"role":"leader"}`) != trap.leaders {
					return fmt.Errorf("%v", data)
				}
				return nil
			})
		}
	})
}

// TestRoles_GangsOfRolesEvictAndAreEvictedWhole: A gang of a leader and workers lacks room for its workers only. Of two running gangs
// with roles the one of lower priority goes, its leader too, whose node the other gang does not need; the second one stays.
func TestRoles_GangsOfRolesEvictAndAreEvictedWhole(t *testing.T) {
	bothWays(t, func(t *testing.T, withGate bool) {
		nodes, racks := unequal("n", "(8/0 13/3) (8/0 13/3)")
		r := start(t, nodes, options{})
		r.anyRetries("they count from the creation of a pod")
		r.anyMoment("low", "its numbers are those of the moment at which it was looked at")
		r.topology("{" + strings.Join(racks, ",") + "}")
		grow := func(name, priority string) {
			r.groupMap(name, map[string]string{"name": name, "priority": priority,
				"roles": `{"leader":{"size":1},"worker":{"size":3}}`})
		}
		for i, name := range []string{"low", "mid"} {
			grow(name, fmt.Sprint(i+1))
			r.team(name, 1, 3, "8", gate(withGate))
			r.wait(usual, name+" runs", r.podsRunning(name, 4))
		}
		mid := r.uids("mid")
		grow("top", "10")
		r.team("top", 1, 3, "1", gate(withGate))
		r.wait(usual, "top is bound", r.allBound("top", 4))
		if got := r.seatsText("top"); got != "n-1:L0 w1 w2 w3" {
			t.Errorf("top is placed %q", got)
		}
		r.wait(usual, "mid was left alone", r.untouched("mid", mid))
		r.wait(usual, "low has gone whole", func(v *cluster.View) error {
			data := v.Map(r.ns, "low").Data
			want := "group low gives way to group " + r.ns + "/top, 0 of its pods are left"
			if n := len(v.Pods(r.ns, of("low"))); n != 0 || data["status"] != "Preempted" || data["message"] != want {
				return fmt.Errorf("%d pods: %v", n, data)
			}
			return nil
		})
		if n := r.evictions(); n != 4 {
			t.Errorf("%d evictions", n)
		}
	})
}
