// SPDX-License-Identifier: Apache-2.0

package suite

import (
	"net/http"
	"strings"
	"testing"

	"sakkara/test/e2e/suite/cluster"
)

// TestAlone_ASecondDaemonWithoutAnElectionWaits: Two daemons with leaderElection.mode none, as two pods by mistake, or a
// pod and a laptop. The second one is not ready, says why, and writes nothing but its Lease while gangs are bound by the
// first. When the first one ends, the second one decides.
func TestAlone_ASecondDaemonWithoutAnElectionWaits(t *testing.T) {
	if !cluster.HasHosts() {
		t.Skip("no process can get a host name of its own here")
	}
	nodes, tree := racks([]int{8, 8}, []int{8, 8})
	alone := cluster.DaemonOptions{LeaderElection: "{mode: none, namespace: sakkara}", Host: "pod-a"}
	r := start(t, nodes, options{daemon: alone})
	r.topology(tree)
	r.anyEvents("the second daemon goes on with a group of the first")
	proxy, err := r.plane.StartProxy(r.ns + "-laptop")
	r.must(err)
	r.proxies = append(r.proxies, proxy)
	t.Cleanup(proxy.Stop)
	alone.Host = "laptop"
	second := r.replicaBehind(proxy, alone)
	r.poll("the second one has all its lists", func() bool { return says(second, "sakkara_synced 1") })

	for _, group := range []string{"one", "two", "three"} {
		r.gang(group, 8, `{"rack":{"hard":true}}`, gate(true))
		r.wait(usual, "all bound by the first", r.allBound(group, 8))
	}
	r.expectLeader(r.daemon)
	status, text := second.AdminGet("/readyz?verbose")
	if status != http.StatusServiceUnavailable || !strings.Contains(text, `another daemon decides, the Lease is held by "pod-a_`) {
		t.Errorf("readyz of the second one is %d: %s", status, text)
	}
	if !says(second, "sakkara_leader 0") {
		t.Error("the second one decides too")
	}
	for _, write := range proxy.Writes() {
		if !strings.Contains(write.Path, "/selfsubjectaccessreviews") {
			t.Errorf("the second one wrote: %+v", write)
		}
	}
	for _, name := range []string{"one", "two"} { // room for the next one
		r.removeGroup(name)
	}

	r.must(r.daemon.Stop())
	r.poll("the second one decides", func() bool { return says(second, "sakkara_leader 1") })
	r.tap.Point(second)
	r.gang("four", 8, `{"rack":{"hard":true}}`, gate(true))
	r.wait(usual, "all bound by the second", r.allBound("four", 8))

	_, err = r.daemon.Launch() // and now it is the one that waits
	r.must(err)
	r.poll("the first one has all its lists", func() bool { return says(r.daemon, "sakkara_synced 1") })
	if !says(r.daemon, "sakkara_leader 0") || !says(second, "sakkara_leader 1") {
		t.Error("the first one decides again")
	}
}

// TestAlone_OfTwoOnOneHostTheFirstGoesOn: Two daemons with leaderElection.mode none on one host, as on a test bench. The
// second one is no successor while the first one lives: gangs are bound by the first, which kube-scheduler asks. When the
// first one is killed, the second one decides.
func TestAlone_OfTwoOnOneHostTheFirstGoesOn(t *testing.T) {
	nodes, tree := racks([]int{8, 8}, []int{8, 8})
	alone := cluster.DaemonOptions{LeaderElection: "{mode: none, namespace: sakkara}"}
	r := start(t, nodes, options{daemon: alone})
	r.topology(tree)
	r.anyEvents("the second daemon goes on with a group of the first")
	proxy, err := r.plane.StartProxy(r.ns + "-bench")
	r.must(err)
	r.proxies = append(r.proxies, proxy)
	t.Cleanup(proxy.Stop)
	second := r.replicaBehind(proxy, alone)
	r.poll("the second one has all its lists", func() bool { return says(second, "sakkara_synced 1") })
	for _, group := range []string{"one", "two", "three"} {
		r.gang(group, 8, `{"rack":{"hard":true}}`, gate(true))
		r.wait(usual, "all bound by the first", r.allBound(group, 8))
	}
	r.expectLeader(r.daemon)
	if !says(second, "sakkara_leader 0") {
		t.Error("the second one decides too")
	}
	for _, write := range proxy.Writes() {
		if !strings.Contains(write.Path, "/selfsubjectaccessreviews") {
			t.Errorf("the second one wrote: %+v", write)
		}
	}
	for _, name := range []string{"one", "two"} { // room for the next one
		r.removeGroup(name)
	}

	r.must(r.daemon.Kill())
	r.poll("the second one decides", func() bool { return says(second, "sakkara_leader 1") })
	r.tap.Point(second)
	r.gang("four", 8, `{"rack":{"hard":true}}`, gate(true))
	r.wait(usual, "all bound by the second", r.allBound("four", 8))
}

// TestAlone_ASecondInstallationStandsAside: A second installation in another namespace by mistake, with a Lease of its own
// there. It sees the Lease of the first one, is not ready, names it, and writes nothing while gangs are bound by the first.
func TestAlone_ASecondInstallationStandsAside(t *testing.T) {
	nodes, tree := racks([]int{8, 8})
	r := start(t, nodes, options{daemon: cluster.DaemonOptions{LeaderElection: "{mode: lease, namespace: sakkara}"}})
	r.topology(tree)
	proxy, err := r.plane.StartProxy(r.ns + "-second")
	r.must(err)
	r.proxies = append(r.proxies, proxy)
	t.Cleanup(proxy.Stop)
	elsewhere := r.namespace("elsewhere")
	second := r.replicaBehind(proxy, cluster.DaemonOptions{LeaderElection: "{mode: lease, namespace: " + elsewhere + "}"})
	r.poll("the second one has all its lists", func() bool { return says(second, "sakkara_synced 1") })
	r.gang("one", 8, `{"rack":{"hard":true}}`, gate(true))
	r.wait(usual, "all bound by the first", r.allBound("one", 8))
	r.expectLeader(r.daemon)
	status, text := second.AdminGet("/readyz?verbose")
	if status != http.StatusServiceUnavailable || !strings.Contains(text, `another installation decides: Lease sakkara/sakkara, held by`) {
		t.Errorf("readyz of the second one is %d: %s", status, text)
	}
	if !says(second, "sakkara_leader 0") {
		t.Error("the second one decides too")
	}
	for _, write := range proxy.Writes() {
		if !strings.Contains(write.Path, "/selfsubjectaccessreviews") {
			t.Errorf("the second one wrote: %+v", write)
		}
	}
}
