// SPDX-License-Identifier: Apache-2.0

package suite

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"sakkara/test/e2e/suite/cluster"
)

// Members that have indexes, in a cluster of zones, racks and nodes.

const (
	jobset = "jobset.sigs.k8s.io/"
	lws    = "leaderworkerset.sigs.k8s.io/"
)

// threeLevels is a cluster of nodes of four slots: so many zones, racks in a zone, nodes in a rack.
type threeLevels struct{ zones, racks, nodes int }

func (l threeLevels) slots() int { return l.zones * l.racks * l.nodes * 4 }

func (l threeLevels) start(t *testing.T) *run {
	var nodes []*cluster.Node
	var tree []string
	for z := range l.zones {
		var branches []string
		for k := range l.racks {
			var leaves []string
			for range l.nodes {
				name := fmt.Sprintf("node-%d", len(nodes))
				nodes = append(nodes, node(name, 4))
				leaves = append(leaves, fmt.Sprintf("%q:{}", name))
			}
			branches = append(branches, fmt.Sprintf("\"rack-%d-%d\":{%s}", z, k, strings.Join(leaves, ",")))
		}
		tree = append(tree, fmt.Sprintf("\"zone-%d\":{%s}", z, strings.Join(branches, ",")))
	}
	r := start(t, nodes, options{})
	r.topology("{"+strings.Join(tree, ",")+"}", "zone", "rack", "node")
	return r
}

// expectInOnePiece: each index of 0 … n-1 is the rank of its pod, and the indexes of a node, of a rack and of a zone are in one
// piece.
func (l threeLevels) expectInOnePiece(r *run, what string, n int, match func(*cluster.Pod) bool, index func(*cluster.Pod) int) {
	r.Helper()
	at := make([]int, n)
	r.rec.Look(func(v *cluster.View) {
		for _, pod := range v.Pods(r.ns, match) {
			i := index(pod)
			fmt.Sscanf(pod.Spec.NodeName, "node-%d", &at[i])
			if rank := pod.Labels["sakkara.member.rank"]; rank != strconv.Itoa(i) {
				r.Errorf("%s: index %d has rank %s", what, i, rank)
			}
		}
	})
	for _, unit := range []struct {
		name string
		of   int
	}{{"node", 1}, {"rack", l.nodes}, {"zone", l.nodes * l.racks}} {
		seen := map[int]bool{}
		for i, place := range at {
			if now := place / unit.of; i == 0 || now != at[i-1]/unit.of {
				if seen[now] {
					r.Errorf("%s: the indexes of %s %d are not in one piece: index %d", what, unit.name, now, i)
				}
				seen[now] = true
			}
		}
	}
}

func numberOf(pod *cluster.Pod, label string) int {
	n, _ := strconv.Atoi(pod.Labels[label])
	return n
}

// indexed are kinds of workloads: how n pods of one are made, and which index a pod has.
var indexed = []struct {
	kind, group string
	create      func(r *run, n int)
	index       func(pod *cluster.Pod) int
}{
	{"Job", "job/train", func(r *run, n int) { r.indexedJob("train", "", n, ungrouped, annotated, gated) },
		func(pod *cluster.Pod) int { return numberOf(pod, indexLabel) }},
	{"JobSet", "jobset/train", func(r *run, n int) {
		r.indexedPods(n, func(i int) []change {
			return []change{label(jobset+"jobset-name", "train"), label(jobset+"jobset-uid", "u"), label(jobset+"replicatedjob-name", "workers"),
				label(jobset+"job-index", strconv.Itoa(i/4)), label(jobset+"job-global-index", strconv.Itoa(i/4)),
				label(jobset+"global-replicas", strconv.Itoa(n/4)), label(jobset+"restart-attempt", "0"), label(indexLabel, strconv.Itoa(i%4))}
		})
	}, func(pod *cluster.Pod) int {
		return 4*numberOf(pod, jobset+"job-global-index") + numberOf(pod, indexLabel)
	}},
	{"LeaderWorkerSet", "lws/train/0", func(r *run, n int) {
		r.indexedPods(n, func(i int) []change {
			return []change{label(lws+"name", "train"), label(lws+"group-index", "0"), label(lws+"worker-index", strconv.Itoa(i)),
				label(lws+"group-key", "k"), annotation(lws+"size", strconv.Itoa(n))}
		})
	}, func(pod *cluster.Pod) int { return numberOf(pod, lws+"worker-index") }},
}

// indexedPods creates the pods of an operator that is not there: what each has by its index, and their number.
func (r *run) indexedPods(n int, of func(i int) []change) {
	r.Helper()
	pods := make([]*cluster.Pod, n)
	for i := range pods {
		pods[i] = r.pod(fmt.Sprintf("train-%d", i), append(of(i), annotated, annotation("sakkara.group.size", strconv.Itoa(n)), gated)...)
	}
	r.must(r.plane.CreatePods(pods...))
}

// indexesInThreeLevels plays each kind of workload, as large as the cluster.
func indexesInThreeLevels(t *testing.T, l threeLevels, limit time.Duration) {
	r, n := l.start(t), l.slots()
	r.anyEvents("whether a group is looked at before all its pods are there is chance")
	for _, workload := range indexed {
		began := time.Now()
		workload.create(r, n)
		r.wait(limit, workload.kind+": all are bound", r.boundAre(ofPrefix("train-"), n, n))
		t.Logf("%d pods of a %s on %d nodes: %.1f s", n, workload.kind, n/4, time.Since(began).Seconds())
		r.awaitGroup(workload.group, "Bound", "")
		l.expectInOnePiece(r, workload.kind, n, ofPrefix("train-"), workload.index)
		if workload.kind == "Job" {
			r.must(r.plane.Admin.Delete("/apis/batch/v1/namespaces/" + r.ns + "/jobs/train"))
		}
		r.removePods("train")
	}
}

// TestEntry_IndexesAreInOnePieceInThreeLevels: An Indexed Job, a JobSet and a LeaderWorkerSet fill a cluster of zones, racks and
// nodes one after the other. The indexes of each node, rack and zone are in one piece, and each is the rank of its pod.
func TestEntry_IndexesAreInOnePieceInThreeLevels(t *testing.T) {
	indexesInThreeLevels(t, threeLevels{zones: 2, racks: 3, nodes: 2}, usual)
}
