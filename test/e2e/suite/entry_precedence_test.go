// SPDX-License-Identifier: Apache-2.0

package suite

import (
	"fmt"
	"testing"
	"time"

	"sakkara/test/e2e/suite/cluster"
)

// Which of several entries a pod has: by a label, by a PodGroup of Kubernetes, by an annotation.

// entries are what a pod NAME-mixed says of its group.
type entries struct {
	name                          string
	byLabel, native, byAnnotation bool
}

func entriesOf(bits int, suffix string) entries {
	return entries{fmt.Sprintf("mix%d%s", bits, suffix), bits&4 != 0, bits&2 != 0, bits&1 != 0}
}

// group is that of the entry that comes first, and its size; empty: the pod is ordinary.
func (e *entries) group() (group string, size int) {
	switch {
	case e.byLabel:
		return e.name, 2
	case e.native:
		return "podgroup/" + e.name, 2
	case e.byAnnotation:
		return "pod/" + e.name + "-mixed", 1
	}
	return "", 0
}

// mixed is a pod with all entries; first one with that alone which comes first.
func (e *entries) mixed(pod *cluster.Pod) {
	if e.byAnnotation {
		annotated(pod)
		annotation("sakkara.group.size", "1")(pod)
	}
	if e.native {
		inGroup(e.name)(pod)
	}
	if e.byLabel {
		label("sakkara.group.name", e.name)(pod)
	}
}

func (e *entries) first(pod *cluster.Pod) {
	one := entries{name: e.name, byLabel: e.byLabel, native: e.native && !e.byLabel}
	one.mixed(pod)
}

// define creates the objects that the entries name, forward or backward.
func (e *entries) define(r *run, backward bool) {
	r.Helper()
	define := []func(){func() {
		if e.byLabel {
			r.group(e.name, 2, "")
		}
	}, func() {
		if e.native {
			r.nativeGroup(e.name, 2, "")
		}
	}}
	if backward {
		define[0], define[1] = define[1], define[0]
	}
	define[0]()
	define[1]()
}

// expectOf: the group has so many members, and is bound.
func (r *run) expectOf(e *entries) {
	r.Helper()
	group, size := e.group()
	members := size
	if size == 0 {
		members = 1
	}
	r.wait(usual, e.name+" is bound", r.boundAre(ofPrefix(e.name+"-"), members, members))
	if size > 0 {
		if row := r.awaitGroup(group, "Bound", ""); row.Size != size {
			r.Errorf("%s: size %d, wanted %d", group, row.Size, size)
		}
	}
	if e.byLabel && e.native {
		r.poll("PodGroup "+e.name+" shows the group of the label", func() bool {
			return r.nativeStatus(e.name) == "Bound" && r.nativeConditions(e.name)["sakkara.Bound"] == "True MembersBound"
		})
	}
	rows, err := r.groupRows()
	r.must(err)
	for _, row := range rows {
		if row.Name != group && (contains(row.Name, "/"+e.name+"-") || contains(row.Name+".", "/"+e.name+".") || row.Name == e.name) {
			if row.Status != "Waiting" || row.Reason != "MembersMissing" {
				r.Errorf("%s: beside group %s there is %+v", e.name, group, row)
			}
		}
	}
}

// TestEntry_OneOfSeveralEntriesCounts: A pod with each combination of the label of a map, spec.schedulingGroup and the annotation,
// with a partner that has the entry which comes first alone. Objects come before the pods, after them, and in both orders.
// Both are bound as members of that one group, and not before it is there. A PodGroup over which the label wins shows the status
// of that group.
func TestEntry_OneOfSeveralEntriesCounts(t *testing.T) {
	plane := workloadPlane(t)
	r := startRacks(t, options{plane: plane}, []int{16, 16}, []int{16, 16})
	r.anyEvents("some come while objects are missing")
	var late []entries
	for bits := range 8 {
		e := entriesOf(bits, "")
		e.define(r, bits%2 == 1)
		r.create(r.pod(e.name+"-mixed", e.mixed, gated))
		if group, size := e.group(); size == 2 {
			r.awaitGroup(group, "Waiting", "MembersMissing")
			r.create(r.pod(e.name+"-first", e.first, gated))
		}
		r.expectOf(&e)
		if e = entriesOf(bits, "x"); e.byLabel || e.native {
			r.create(r.pod(e.name+"-mixed", e.mixed, gated), r.pod(e.name+"-first", e.first, gated))
			late = append(late, e)
		}
	}
	for i, e := range late {
		r.wait(usual, e.name+" waits for its objects", r.boundAre(ofPrefix(e.name+"-"), 2, 0))
		e.define(r, i%2 == 1)
		r.expectOf(&e)
	}
}

// TestEntry_EditsOfEntries: An annotation or a label of a member is edited. A pod that waits takes its new entry at once: another
// group, or none. A member of a plan on its way, and a bound one, stays in its group, also after a restart of the daemon.
func TestEntry_EditsOfEntries(t *testing.T) {
	plane := workloadPlane(t)
	r := startRacks(t, options{plane: plane}, []int{8, 8}, []int{8, 8})
	r.anyEvents("some come while objects are missing")
	edit := func(pod, metadata string) {
		t.Helper()
		r.must(r.plane.Admin.MergePatch(r.podPath(pod), `{"metadata":{`+metadata+`}}`))
	}
	const off, on = `"annotations":{"sakkara.gang":"off"}`, `"annotations":{"sakkara.gang":null}`

	// Waiting.
	for _, name := range []string{"wait", "late"} {
		r.nativeGroup(name, 3, "")
		r.podsOf(name, 1, inGroup(name), gated)
		r.awaitGroup("podgroup/"+name, "Waiting", "MembersMissing")
	}
	edit("wait-0", off)
	r.wait(usual, "a pod that is switched off is ordinary", r.bound("wait-0"))
	r.group("other", 1, "")
	edit("late-0", `"labels":{"sakkara.group.name":"other"}`)
	r.wait(usual, "a label that comes later goes first", r.bound("late-0"))
	r.awaitGroup("other", "Bound", "")

	// Assigned: the plan is there, and the last bind call is not.
	r.nativeGroup("plan", 3, "")
	release := r.tap.HoldBind(func(call *cluster.Call) bool { return call.Pod == "plan-2" })
	r.podsOf("plan", 3, inGroup("plan"), gated)
	r.awaitGroup("podgroup/plan", "Assigned", "")
	edit("plan-0", off)
	edit("plan-1", `"labels":{"sakkara.group.name":"other"}`)
	r.quiet(time.Second, "none is bound", r.boundAre(ofPrefix("plan-"), 3, 0))
	release()
	r.wait(usual, "all are bound", r.boundAre(ofPrefix("plan-"), 3, 3))

	// Bound.
	row := r.awaitGroup("podgroup/plan", "Bound", "")
	edit("plan-2", off)
	r.quiet(time.Second, "they stay", r.boundAre(ofPrefix("plan-"), 3, 3))
	if row = r.awaitGroup("podgroup/plan", "Bound", ""); row.Reason != "" {
		t.Errorf("after edits of bound members the group is %+v", row)
	}
	edit("plan-0", on)
	r.must(r.daemon.Stop())
	r.must(r.daemon.Start())
	if row = r.awaitGroup("podgroup/plan", "Bound", ""); row.Pods.Bound != 3 || row.Reason != "" {
		t.Errorf("after a restart: %+v", row)
	}
}
