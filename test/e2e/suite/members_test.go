// SPDX-License-Identifier: Apache-2.0

package suite

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"sakkara/test/e2e/suite/cluster"
)

// Members that come, go, fail, are too many, or belong to nobody.

// TestD8_OneFailingBindingDoesNotStrandTheRest: A member deleted between the commit and its Binding leaves
// the others bound; its replacement gets its seat.
func TestD8_OneFailingBindingDoesNotStrandTheRest(t *testing.T) {
	bothWays(t, func(t *testing.T, withGate bool) {
		r := startRacks(t, options{}, []int{4, 4}, []int{9, 9})
		// g-3 is deleted between the commit of Binding and its own Binding.
		r.proxy.Before(func(write *cluster.Write) bool { return write.Is("POST", "/pods/g-3/binding") }, func() {
			if err := r.plane.Admin.Delete(r.podPath("g-3")); err != nil {
				t.Error(err)
			}
		})
		r.gang("g", 8, "", gate(withGate))
		r.wait(usual, "the other seven bound", r.podsBound("g", 7))
		lost := r.seatOf("g", 8, "g-3")
		r.create(r.pod("g-new", label("sakkara.group.name", "g"), gate(withGate)))
		r.wait(usual, "bound with the replacement", r.allBound("g", 8))
		if got := r.seat("g-new"); got != lost {
			t.Errorf("the replacement has %+v, the lost member had %+v", got, lost)
		}
	})
}

// seat is where a member sits.
type seat struct{ node, rank string }

func (r *run) seat(name string) (s seat) {
	r.rec.Look(func(v *cluster.View) {
		if pod := v.Pod(r.ns, name); pod.UID != "" {
			s = seat{pod.Spec.NodeName, pod.Labels["sakkara.member.rank"]}
		}
	})
	return s
}

// seatOf is the seat that a pod that was never bound was planned for: the node from the recorded plans, for the pod itself
// need not have been told, and of the ranks up to size the one that nobody has.
func (r *run) seatOf(group string, size int, name string) (s seat) {
	uid := ""
	for _, change := range r.rec.History() {
		if change.Pod != nil && change.Pod.Key() == r.ns+"/"+name {
			uid = change.Pod.UID
		}
	}
	for _, change := range r.rec.History() {
		if change.Plan != nil && change.Plan.Members[uid] != "" {
			s.node = change.Plan.Members[uid]
		}
	}
	taken := map[string]bool{}
	r.rec.Look(func(v *cluster.View) {
		for _, pod := range v.Pods(r.ns, of(group)) {
			if pod.Name != name {
				taken[pod.Labels["sakkara.member.rank"]] = true
			}
		}
	})
	for rank := size - 1; rank >= 0; rank-- {
		if !taken[fmt.Sprint(rank)] {
			s.rank = fmt.Sprint(rank)
		}
	}
	return s
}

// TestD9_LostMemberOfABoundGroupIsReplaced: The pod a Job makes for a deleted member of a bound group gets
// the same node and rank.
func TestD9_LostMemberOfABoundGroupIsReplaced(t *testing.T) {
	bothWays(t, func(t *testing.T, withGate bool) {
		r := startRacks(t, options{}, []int{4, 4}, []int{9, 9})
		r.group("g", 8, `{"rack":{"hard":true},"node":{"type":"spread"}}`)
		r.job("g", "g", 8, gate(withGate))
		r.wait(usual, "bound", r.allBound("g", 8))
		r.wait(usual, "running", r.podsRunning("g", 8))
		before := r.uids("g")
		lost := r.ranked("g", 3)
		r.must(r.plane.Admin.Delete(r.podPath(lost.Name)))
		r.wait(usual, "the new pod is bound", func(v *cluster.View) error {
			if v.Pod(r.ns, lost.Name).UID != "" {
				return fmt.Errorf("not gone")
			}
			return r.podsBound("g", 8)(v)
		})
		r.wait(usual, "the group is whole", r.allBound("g", 8))
		r.expectInherited("g", before, seat{lost.Spec.NodeName, lost.Labels["sakkara.member.rank"]})
	})
}

// TestRunLimit_EndsTheMembersAndLeavesAReplacementTheRest: Key run-limit is the deadline of the members.
func TestRunLimit_EndsTheMembersAndLeavesAReplacementTheRest(t *testing.T) {
	bothWays(t, func(t *testing.T, withGate bool) {
		r := startRacks(t, options{}, []int{4}, []int{9})
		r.groupMap("g", map[string]string{"size": "2", "run-limit": "12s"})
		r.members("g", 2, gate(withGate))
		r.wait(usual, "bound with the whole limit", r.deadlines("g", map[string][2]int64{"g-0": {12, 12}, "g-1": {12, 12}}))
		time.Sleep(2 * time.Second)
		r.must(r.plane.Admin.Delete(r.podPath("g-1")))
		r.create(r.pod("g-2", label("sakkara.group.name", "g"), gate(withGate)))
		r.wait(usual, "the replacement has the rest", r.deadlines("g", map[string][2]int64{"g-0": {12, 12}, "g-2": {1, 10}}))
		r.wait(usual, "all are ended", func(v *cluster.View) error {
			for _, name := range []string{"g-0", "g-2"} {
				if pod := v.Pod(r.ns, name); pod.Status.Reason != "DeadlineExceeded" {
					return fmt.Errorf("%s is %s", name, pod.Status.Phase)
				}
			}
			return nil
		})
		r.removeGroup("g") // which of them ended last, and is in the placement, is chance
	})
}

// deadlines are the least and the most of activeDeadlineSeconds of bound pods.
func (r *run) deadlines(group string, want map[string][2]int64) func(*cluster.View) error {
	return func(v *cluster.View) error {
		for name, between := range want {
			pod := v.Pod(r.ns, name)
			if has := pod.Spec.ActiveDeadline; !pod.Bound() || has == nil || *has < between[0] || *has > between[1] {
				return fmt.Errorf("%s of %s is on %q without a deadline in %v", name, group, pod.Spec.NodeName, between)
			}
		}
		return nil
	}
}

// TestD10_TerminalPodsFreeTheirSeats: A member that fails frees its seat for the Job's next pod.
func TestD10_TerminalPodsFreeTheirSeats(t *testing.T) {
	r := startRacks(t, options{}, []int{4, 4})
	r.group("g", 8, "")
	r.job("g", "g", 8)
	r.wait(usual, "bound", r.allBound("g", 8))
	r.wait(usual, "running", r.podsRunning("g", 8))
	before := r.uids("g")
	failed := r.ranked("g", 5)
	r.must(r.kubelet.Finish(failed, 1))
	r.wait(usual, "one member failed", func(v *cluster.View) error {
		if pod := v.Pod(r.ns, failed.Name); pod.Status.Phase != "Failed" {
			return fmt.Errorf("%s", pod.Status.Phase)
		}
		return nil
	})
	r.wait(usual, "the retry pod is bound", r.allBound("g", 8))
	r.expectInherited("g", before, seat{failed.Spec.NodeName, failed.Labels["sakkara.member.rank"]})
}

// ranked is the member of a rank; the names that a Job gives say nothing of it.
func (r *run) ranked(group string, rank int) (member *cluster.Pod) {
	r.Helper()
	r.rec.Look(func(v *cluster.View) {
		for _, pod := range v.Pods(r.ns, of(group)) {
			if pod.Live() && pod.Labels["sakkara.member.rank"] == fmt.Sprint(rank) {
				member = pod
			}
		}
	})
	if member == nil {
		r.Fatalf("group %s has no member of rank %d", group, rank)
	}
	return member
}

func (r *run) uids(group string) map[string]bool {
	uids := map[string]bool{}
	r.rec.Look(func(v *cluster.View) {
		for _, pod := range v.Pods(r.ns, of(group)) {
			uids[pod.UID] = true
		}
	})
	return uids
}

// expectInherited: the one pod that was not there before has this seat.
func (r *run) expectInherited(group string, before map[string]bool, want seat) {
	r.Helper()
	r.rec.Look(func(v *cluster.View) {
		for _, pod := range v.Pods(r.ns, of(group)) {
			if got := (seat{pod.Spec.NodeName, pod.Labels["sakkara.member.rank"]}); !before[pod.UID] && got != want {
				r.Errorf("replacement %s has %+v, the lost member had %+v", pod.Name, got, want)
			}
		}
	})
}

// TestD11_PodBeyondSizeIsPromotedWhenASeatFrees: Pods beyond the size wait, are told why, and take seats in
// order as they become free.
func TestD11_PodBeyondSizeIsPromotedWhenASeatFrees(t *testing.T) {
	bothWays(t, func(t *testing.T, withGate bool) {
		r := startRacks(t, options{}, []int{6, 6})
		r.anyRetries("they count from the creation of a pod, and the last ones may come after the first trial")
		r.group("g", 4, "")
		// Seats go by time of creation, then by name.
		for i := range 6 {
			r.create(r.pod(fmt.Sprintf("g-%d", i), label("sakkara.group.name", "g"), gate(withGate)))
		}
		beyond := func(names ...string) func(v *cluster.View) error {
			return func(v *cluster.View) error {
				var waiting []string
				for _, pod := range v.Pods(r.ns, of("g")) {
					if !pod.Bound() {
						waiting = append(waiting, pod.Name)
					}
				}
				if !slices.Equal(waiting, names) {
					return fmt.Errorf("%v wait, want %v", waiting, names)
				}
				return nil
			}
		}
		r.wait(usual, "four bound, two beyond", beyond("g-4", "g-5"))
		if !withGate {
			r.wait(usual, "they are told why", r.told("sakkara: pod is beyond the size of its group", "g-4", "g-5"))
		}
		r.must(r.plane.Admin.Delete(r.podPath("g-1")))
		r.wait(promptly(), "the fifth pod takes the seat", beyond("g-5"))
		r.must(r.plane.Admin.Delete(r.podPath("g-2")))
		r.wait(promptly(), "the sixth pod takes the seat", beyond())
	})
}

// TestD12_CreatingTheMapWakesItsPods: Pods that come before their map wait for it and are bound soon after.
func TestD12_CreatingTheMapWakesItsPods(t *testing.T) {
	bothWays(t, func(t *testing.T, withGate bool) {
		r := startRacks(t, options{}, []int{6, 6})
		r.members("late", 8, gate(withGate))
		if !withGate {
			r.wait(usual, "all were turned away", r.told("sakkara: group not found", numbered("late", 0, 8)...))
		}
		r.quiet(3*time.Second, "nobody is bound without a map", r.noneBound("late"))
		r.group("late", 8, "")
		r.wait(promptly(), "bound soon after the map", r.podsBound("late", 8))
	})
}

// TestD13_OrdinaryPodsAreScheduled: Pods without a group go through the daemon's scheduler untouched.
func TestD13_OrdinaryPodsAreScheduled(t *testing.T) {
	r := startRacks(t, options{}, []int{2, 2})
	r.anyNode("plain-", "kube-scheduler picks one of the best by chance")
	var pods []*cluster.Pod
	for i := range 4 {
		pods = append(pods, r.pod(fmt.Sprintf("plain-%d", i)))
	}
	r.must(r.plane.CreatePods(pods...))
	r.wait(usual, "four ordinary pods bound", func(v *cluster.View) error {
		bound := v.Pods(r.ns, (*cluster.Pod).Bound)
		if len(bound) != 4 {
			return fmt.Errorf("%d bound", len(bound))
		}
		return nil
	})
}

// TestPodGroupGang: A PodGroup is a source of a group: it is packed and reported in annotations.
func TestPodGroupGang(t *testing.T) {
	bothWays(t, func(t *testing.T, withGate bool) {
		r := startRacks(t, options{}, []int{3, 3}, []int{9, 9})
		r.podGroup("pg", 8)
		r.podGroupMembers("pg", 8, gate(withGate))
		r.wait(usual, "bound", r.allBound("pg", 8))
		r.expectPlaced("pg", "node-2:8")
		r.rec.Look(func(v *cluster.View) {
			group := v.PodGroup(r.ns, "pg")
			for _, key := range []string{"sakkara.status", "sakkara.placement", "sakkara.rank"} {
				if group.Annotations[key] == "" {
					t.Errorf("annotation %s is missing: %v", key, group.Annotations)
				}
			}
		})
	})
}

// TestPodGroupMinimum: minMember is the least that starts, not how many there are: of three pods with minMember 1 all
// are bound; of five with minMember 3 as many as have room, and the rest when there is more.
func TestPodGroupMinimum(t *testing.T) {
	bothWays(t, func(t *testing.T, withGate bool) {
		r := startRacks(t, options{}, []int{3}, []int{4, 1})
		r.anyRetries("pods beyond the minimum come in one plan or in several")
		r.fill("node-2", 1)
		r.podGroup("one", 1)
		r.podGroupMembers("one", 3, gate(withGate))
		r.wait(usual, "all three are bound", r.allBound("one", 3))
		r.podGroup("three", 3)
		r.podGroupMembers("three", 5, gate(withGate))
		r.wait(usual, "four of five have room", func(v *cluster.View) error {
			bound := 0
			for _, pod := range v.Pods(r.ns, of("three")) {
				if pod.Bound() {
					bound++
				}
			}
			if status := r.statusOf(v, "three"); bound != 4 || status != "Bound" {
				return fmt.Errorf("%d bound, status %q", bound, status)
			}
			return nil
		})
		r.must(r.plane.Admin.Delete("/api/v1/namespaces/" + r.ns + "/pods/load-node-2-0"))
		r.wait(usual, "the fifth follows", r.allBound("three", 5))
	})
}

// TestPodGroup_KindMayComeAndGo: The kind PodGroup is installed after the daemon has started and pods wait: they are
// bound. The kind is removed: its pods stay. It is installed again: further PodGroups are placed.
func TestPodGroup_KindMayComeAndGo(t *testing.T) {
	realOnly(t, "the sandbox always serves PodGroups")
	r := startRacks(t, options{withoutPodGroups: true}, []int{3, 3}, []int{9, 9})
	r.anyRetries("kube-scheduler tries the pods while their group is unknown")
	gang := func(name string) {
		for i := range 8 {
			r.create(r.pod(fmt.Sprintf("%s-%d", name, i), label("scheduling.x-k8s.io/pod-group", name)))
		}
		r.wait(usual, name+" is not found", func(v *cluster.View) error {
			for _, pod := range v.Pods(r.ns, of(name)) {
				if told := pod.Condition("PodScheduled"); told == nil || !strings.Contains(told.Message, "group not found") {
					return fmt.Errorf("%s: %v", pod.Name, told)
				}
			}
			return nil
		})
		r.must(r.plane.InstallPodGroups())
		r.podGroup("seen-"+name, 2)
		r.wait(usual, "the recorder has the kind", func(v *cluster.View) error {
			if v.PodGroup(r.ns, "seen-"+name).UID == "" {
				return fmt.Errorf("not yet")
			}
			return nil
		})
		r.podGroup(name, 8)
		r.wait(usual, name+" is bound", r.allBound(name, 8))
	}
	gang("first")
	r.expectPlaced("first", "node-2:8")
	r.must(r.plane.RemovePodGroups())
	r.wait(usual, "the daemon has no PodGroup", func(v *cluster.View) error {
		if _, page := r.daemon.AdminGet("/metrics"); !contains(page, `sakkara_cache_objects{resource="podgroups"} 0`) {
			return fmt.Errorf("it has some")
		}
		return nil
	})
	gang("second")
	r.expectPlaced("second", "node-3:8")
	r.wait(usual, "the pods of the first stay", r.podsBound("first", 8))
}

func (r *run) podGroup(name string, minMember int) {
	r.Helper()
	r.must(r.plane.Admin.Create("/apis/scheduling.x-k8s.io/v1alpha1/namespaces/"+r.ns+"/podgroups", &cluster.PodGroup{
		APIVersion: "scheduling.x-k8s.io/v1alpha1", Kind: "PodGroup",
		Meta: cluster.Meta{Name: name}, Spec: cluster.PodGroupSpec{MinMember: minMember}}, nil))
}

// podGroupMembers are pods NAME-0 and so on that name the PodGroup.
func (r *run) podGroupMembers(name string, n int, with ...change) {
	r.Helper()
	for _, member := range numbered(name, 0, n) {
		r.create(r.pod(member, append(with, label("scheduling.x-k8s.io/pod-group", name))...))
	}
}

// TestD22_MapTakesOverFromAPodGroup: A map takes a group over from a PodGroup of the same name, with its own
// rules.
func TestD22_MapTakesOverFromAPodGroup(t *testing.T) {
	r := startRacks(t, options{}, []int{3, 3}, []int{9, 9})
	r.podGroup("g", 8)
	r.podGroupMembers("g", 4)
	r.wait(usual, "the PodGroup waits for members", func(v *cluster.View) error {
		if reason := v.PodGroup(r.ns, "g").Annotations["sakkara.reason"]; reason != "MembersMissing" {
			return fmt.Errorf("reason %q", reason)
		}
		return nil
	})
	r.group("g", 4, `{"rack":{"type":"spread"}}`)
	r.wait(usual, "bound by the rules of the map", func(v *cluster.View) error {
		if err := r.podsBound("g", 4)(v); err != nil {
			return err
		}
		return r.reason("g", "Bound", "")(v)
	})
	r.expectPlaced("g", "node-0:2 node-2:2")
}

// TestD24_MissingPodPriorityCountsAsZero: Pods without a priority value count as zero.
func TestD24_MissingPodPriorityCountsAsZero(t *testing.T) {
	realOnly(t, "the sandbox always admits pods with a priority")
	other := ownPlane(t, cluster.PlaneOptions{DisableAdmission: []string{"Priority"}})
	nodes, tree := racks([]int{3, 3})
	t.Run("podgroup", func(t *testing.T) {
		r := start(t, nodes, options{plane: other})
		r.topology(tree)
		r.podGroup("pg", 4)
		r.podGroupMembers("pg", 4)
		r.wait(usual, "bound", r.allBound("pg", 4))
		r.rec.Look(func(v *cluster.View) {
			if pod := v.Pod(r.ns, "pg-0"); pod.Spec.Priority != nil {
				t.Errorf("the pod has priority %d", *pod.Spec.Priority)
			}
		})
	})
}

// TestMemberWithAForeignGateIsNotReady: A group waits for the gates of others.
func TestMemberWithAForeignGateIsNotReady(t *testing.T) {
	r := startRacks(t, options{}, []int{9, 9})
	r.group("g", 3, "")
	foreign := func(pod *cluster.Pod) {
		pod.Spec.SchedulingGates = append(pod.Spec.SchedulingGates, cluster.Named{Name: "example.com/quota"})
	}
	r.create(r.pod("g-0", label("sakkara.group.name", "g"), gated), r.pod("g-1", label("sakkara.group.name", "g"), gated),
		r.pod("g-2", label("sakkara.group.name", "g"), gated, foreign))
	r.wait(usual, "the group waits", r.reason("g", "Waiting", "MembersMissing"))
	patch, _ := json.Marshal(map[string]any{"spec": map[string]any{"schedulingGates": []cluster.Named{{Name: "sakkara.gang"}}}})
	r.must(r.plane.Admin.MergePatch(r.podPath("g-2"), patch))
	r.wait(usual, "bound", r.allBound("g", 3))
}
