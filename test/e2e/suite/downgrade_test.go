// SPDX-License-Identifier: Apache-2.0

package suite

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"strings"
	"testing"

	"sakkara/test/e2e/suite/cluster"
)

// lastRelease is the last commit of 0.1.0.
const lastRelease = "2bf168068b2235f11406040c81043a2c338fae80"

// releaseBinary is the daemon of a release, built from this repository's history. Without that history the test is skipped.
func releaseBinary(t *testing.T, commit string) string {
	t.Helper()
	build := exec.Command("../build-release.sh", commit)
	build.Stderr = os.Stderr
	path, err := build.Output()
	var ended *exec.ExitError
	if errors.As(err, &ended) && ended.ExitCode() == 4 {
		t.Skip("the history here does not have " + commit)
	}
	if err != nil {
		t.Fatalf("the daemon of %s cannot be built: %v", commit, err)
	}
	return strings.TrimSpace(string(path))
}

// TestDowngrade_DaemonsOfTwoReleasesLeadInTurn: The daemon of the release before and this one stand beside each other, and
// each leads in turn. A gang whose last member has not voted is bound by the other one, on the nodes of its plan. No gang that
// is bound is touched: it keeps pods, nodes and ranks, and neither daemon writes to it.
func TestDowngrade_DaemonsOfTwoReleasesLeadInTurn(t *testing.T) {
	before := releaseBinary(t, lastRelease)
	nodes, tree := racks([]int{12, 12}, []int{12, 12})
	election := cluster.DaemonOptions{LeaderElection: "{mode: lease, namespace: sakkara}"}
	r := start(t, nodes, options{daemon: election})
	r.anyEvents("some end with a daemon")
	r.topology(tree)
	r.gang("first", 4, `{"rack":{"hard":true}}`, gated)
	r.wait(usual, "the first gang runs", r.podsRunning("first", 4))
	untouched := map[string]map[string]string{"first": r.said("first", 4)}

	election.Binary, election.Server, election.CA = before, r.proxy.Server, r.proxy.CA
	older, err := r.plane.NewDaemon(r.ns+"-older", election)
	r.must(err)
	leads, other := r.daemon, older
	_, err = other.Launch()
	r.must(err)
	t.Cleanup(func() {
		if older.Process().Running() {
			r.must(older.Stop())
		}
	})
	for turn, to := range []string{"the older one", "this one", "the older one", "this one"} {
		r.poll(to+" has all its lists", func() bool { return says(other, "sakkara_synced 1") })
		group := fmt.Sprintf("turn-%d", turn)
		release := r.hold(group, 3)
		r.gang(group, 4, `{"rack":{"hard":true}}`, gated)
		r.waitVotes(group, 4)
		planned := r.planned(group)
		r.must(leads.Stop())
		r.poll(to+" leads", func() bool { return says(other, "sakkara_leader 1") })
		leads, other = other, leads
		r.tap.Point(leads)
		release()
		r.wait(usual, group+" runs", r.podsRunning(group, 4))
		r.expectNodes(group, planned)
		_, err := other.Launch()
		r.must(err)
		untouched[group] = r.said(group, 4)
		for name, was := range untouched {
			if now := r.said(name, 4); !maps.Equal(now, was) {
				t.Errorf("while %s leads %s is\n%v, it was\n%v", to, name, now, was)
			}
		}
	}
}

// expectNodes fails the test unless every member of the group is on the node that its plan had for it.
func (r *run) expectNodes(group string, planned map[string]string) {
	r.Helper()
	if len(planned) == 0 {
		r.Errorf("%s has no plan", group)
	}
	r.rec.Look(func(v *cluster.View) {
		for _, pod := range v.Pods(r.ns, func(pod *cluster.Pod) bool { return cluster.GroupOf(pod) == group }) {
			if node := planned[string(pod.UID)]; pod.Spec.NodeName != node {
				r.Errorf("%s is on %s, planned was %q", pod.Name, pod.Spec.NodeName, node)
			}
		}
	})
}
