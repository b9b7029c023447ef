// SPDX-License-Identifier: Apache-2.0

package suite

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"sakkara/test/e2e/suite/cluster"
)

// The documented example: eight members, racks packed, nodes spread, submitted as a Job.
const packSpread = `{"rack":{"type":"pack"},"node":{"type":"spread"}}`

// bothWays runs a scenario with ungated and with gated members.
func bothWays(t *testing.T, scenario func(t *testing.T, gated bool)) {
	sideBySide(t)
	t.Run("ungated", func(t *testing.T) { scenario(t, false) })
	t.Run("gated", func(t *testing.T) { scenario(t, true) })
}

// workedExample places the Job of the example on two racks of three nodes with ten slots, some of which are taken.
func workedExample(t *testing.T, placed string, loads map[string]int) {
	bothWays(t, func(t *testing.T, withGate bool) {
		nodes, tree := racks([]int{10, 10, 10}, []int{10, 10, 10})
		r := start(t, nodes, options{paused: true})
		for node, load := range loads {
			r.fill(node, load)
		}
		r.begin()
		r.topology(tree)
		r.expectJob("group-a", 8, packSpread, placed, withGate)
	})
}

// expectJob creates a group and the Job of its members, which have to be placed so and reported.
func (r *run) expectJob(group string, size int, constraints, placed string, withGate bool) {
	r.Helper()
	r.group(group, size, constraints)
	r.job("job-"+group, group, size, gate(withGate))
	r.wait(usual, group+" bound", r.allBound(group, size))
	r.expectPlaced(group, placed)
	r.expectReport(group, size)
}

// TestWorkedExample_EverythingFree: The worked example on empty nodes: packed in one rack, spread 3, 3, 2;
// labels, keys, ranks, times and the containers' RANK agree.
func TestWorkedExample_EverythingFree(t *testing.T) {
	workedExample(t, "node-0:3 node-1:3 node-2:2", nil)
}

// TestWorkedExample_OneRackTightAndOneNodeFull: The worked example with load: the other rack is too full, one
// node is taken, one takes three.
func TestWorkedExample_OneRackTightAndOneNodeFull(t *testing.T) {
	workedExample(t, "node-0:5 node-1:3", map[string]int{"node-1": 7, "node-2": 10, "node-3": 8, "node-4": 8, "node-5": 8})
}

// TestWorkedExample_NoRackHoldsAll: The worked example with more load: six members in one rack and two in the
// other.
func TestWorkedExample_NoRackHoldsAll(t *testing.T) {
	workedExample(t, "node-0:3 node-2:3 node-3:1 node-5:1",
		map[string]int{"node-0": 7, "node-1": 10, "node-2": 7, "node-3": 8, "node-4": 10, "node-5": 8})
}

// First user story of the proposal: two equal partitions in racks of their own, packed on nodes inside.
func TestUserStoryA_TwoPartitionsInSeparateRacks(t *testing.T) {
	bothWays(t, func(t *testing.T, withGate bool) {
		r := startRacks(t, options{}, []int{4, 4, 4}, []int{1, 1, 1}, []int{2, 4, 2})
		r.expectJob("story", 8, `{"rack":{"type":"spread","partitions":2},"node":{"type":"pack"}}`, "node-0:4 node-7:4", withGate)
	})
}

// Second user story: packed on one server, spread over its nodes with two to four members each.
func TestUserStoryB_OneServerTwoToFourPerNode(t *testing.T) {
	bothWays(t, func(t *testing.T, withGate bool) {
		nodes, tree := racks([]int{2, 2, 1}, []int{4, 3, 1}, []int{1, 1, 1})
		r := start(t, nodes, options{})
		r.topology(tree, "server", "node")
		r.expectJob("story", 6, `{"server":{"type":"pack"},"node":{"type":"spread","min":2,"max":4}}`, "node-3:3 node-4:3", withGate)
	})
}

// expectReport checks everything the daemon has to write about a group that was bound at the first
// attempt: the keys of its map, the labels of its members, and that both agree with where the pods are.
func (r *run) expectReport(group string, size int) {
	r.Helper()
	const memberBound = "members labelled Bound"
	r.wait(usual, memberBound, func(v *cluster.View) error {
		for _, pod := range v.Pods(r.ns, of(group)) {
			if status := pod.Labels["sakkara.member.status"]; status != "Bound" {
				return fmt.Errorf("pod %s: %q", pod.Name, status)
			}
		}
		return nil
	})
	var pods []*cluster.Pod
	var data map[string]string
	var annotations map[string]string
	r.rec.Look(func(v *cluster.View) {
		pods = v.Pods(r.ns, of(group))
		data, annotations = v.Map(r.ns, group).Data, v.Map(r.ns, group).Annotations
	})
	if plan := annotations["sakkara.plan"]; plan != "" {
		r.Errorf("a Bound group keeps its plan: %s", plan)
	}
	if reason := data["reason"]; reason != "" {
		r.Errorf("a Bound group has reason %s", reason)
	}
	byRank := map[int]string{}
	for _, pod := range pods {
		rank, err := strconv.Atoi(pod.Labels["sakkara.member.rank"])
		if err != nil || rank < 0 || rank >= size || byRank[rank] != "" {
			r.Errorf("pod %s has rank %q", pod.Name, pod.Labels["sakkara.member.rank"])
		}
		byRank[rank] = pod.Name
		if retries := pod.Labels["sakkara.member.retries"]; retries != "1" {
			r.Errorf("pod %s has retries %q", pod.Name, retries)
		}
		if env, started := r.kubelet.Env(pod.UID); started && env["RANK"] != pod.Labels["sakkara.member.rank"] {
			r.Errorf("container of %s was started with RANK=%q, rank is %d", pod.Name, env["RANK"], rank)
		}
	}
	var ranks []string
	for rank := range size {
		ranks = append(ranks, fmt.Sprintf("(%s,%d)", byRank[rank], rank))
	}
	if want := "[" + strings.Join(ranks, " ") + "]"; data["rank"] != want {
		r.Errorf("rank is %s, pods say %s", data["rank"], want)
	}
	if want, got := podsByNode(pods), placementByNode(r, data["placement"]); fmt.Sprint(got) != fmt.Sprint(want) {
		r.Errorf("placement is %s, pods stand like %v", data["placement"], want)
	}
	r.expectTimes(data)
}

func podsByNode(pods []*cluster.Pod) map[string]string {
	nodes := map[string]string{}
	for _, pod := range pods {
		nodes[pod.Name] = pod.Spec.NodeName
	}
	return nodes
}

// placementByNode reads the key placement: a tree whose second lowest level are nodes, the lowest pods.
func placementByNode(r *run, text string) map[string]string {
	var tree map[string]any
	if err := json.Unmarshal([]byte(text), &tree); err != nil {
		r.Errorf("placement %q: %v", text, err)
	}
	nodes := map[string]string{}
	var walk func(name string, unit map[string]any)
	walk = func(name string, unit map[string]any) {
		for child, below := range unit {
			inner, _ := below.(map[string]any)
			if _, isPod := inner["role"].(string); len(inner) > 0 && !isPod {
				walk(child, inner)
			} else {
				nodes[child] = name
			}
		}
	}
	walk("", tree)
	return nodes
}

func (r *run) expectTimes(data map[string]string) {
	r.Helper()
	begin, err := time.Parse(time.RFC3339Nano, data["schedBeginTime"])
	if err != nil {
		r.Error(err)
	}
	end, err := time.Parse(time.RFC3339Nano, data["schedEndTime"])
	if err != nil {
		r.Error(err)
	}
	total, err := strconv.ParseInt(data["schedTotalTimeMilli"], 10, 64)
	if difference := end.Sub(begin).Milliseconds() - total; err != nil || difference < -1 || difference > 1 {
		r.Errorf("schedTotalTimeMilli is %q, begin %v, end %v", data["schedTotalTimeMilli"], begin, end)
	}
	if _, err := strconv.ParseUint(data["schedSolverTimeMilli"], 10, 63); err != nil {
		r.Error(err)
	}
}
