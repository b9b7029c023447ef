// SPDX-License-Identifier: Apache-2.0

package suite

import (
	"net/http"
	"strings"
	"testing"
	"time"

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
		if !strings.Contains(write.Path, "subjectaccessreviews") {
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
		if !strings.Contains(write.Path, "subjectaccessreviews") {
			t.Errorf("the second one wrote: %+v", write)
		}
	}
	for _, name := range []string{"one", "two"} { // room for the next one
		r.removeGroup(name)
	}

	r.daemon.Kill()
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
		if !strings.Contains(write.Path, "subjectaccessreviews") {
			t.Errorf("the second one wrote: %+v", write)
		}
	}
}

// TestAlone_ATenantsLeaseDecidesNothing: A tenant renews a Lease of the daemon's name in its own namespace. An operator
// deletes the Lease of the installation, so that the tenant's is the older one. The tenant's account may not bind pods: its
// Lease counts nothing, gangs are bound, and the daemon decides.
func TestAlone_ATenantsLeaseDecidesNothing(t *testing.T) {
	realOnly(t, "the sandbox permits every account everything")
	nodes, tree := racks([]int{8, 8})
	r := start(t, nodes, options{daemon: cluster.DaemonOptions{LeaderElection: "{mode: lease, namespace: sakkara}"}})
	r.topology(tree)
	r.anyEvents("leadership may end for a moment")
	tenant := r.namespace("tenant")
	leases := "/apis/coordination.k8s.io/v1/namespaces/" + tenant + "/leases"
	stamp := func() string { return time.Now().UTC().Format("2006-01-02T15:04:05.000000Z") }
	r.must(r.plane.Admin.Create(leases, map[string]any{"metadata": map[string]any{"name": "sakkara"},
		"spec": map[string]any{"holderIdentity": "tenant_1", "leaseDurationSeconds": 13, "renewTime": stamp()}}, nil))
	done := make(chan struct{})
	t.Cleanup(func() {
		close(done)
		_ = r.plane.Admin.Delete(leases + "/sakkara")
	})
	go func() { // as a daemon does it
		for tick := time.NewTicker(time.Second); ; {
			select {
			case <-done:
				tick.Stop()
				return
			case <-tick.C:
				_ = r.plane.Admin.MergePatch(leases+"/sakkara", map[string]any{"spec": map[string]any{"renewTime": stamp()}})
			}
		}
	}()
	r.gang("one", 8, `{"rack":{"hard":true}}`, gate(true))
	r.wait(usual, "all bound beside the tenant's Lease", r.allBound("one", 8))
	r.must(r.plane.Admin.Delete("/apis/coordination.k8s.io/v1/namespaces/sakkara/leases/sakkara"))
	r.poll("the daemon has made its Lease again", func() bool {
		return r.plane.Admin.Get("/apis/coordination.k8s.io/v1/namespaces/sakkara/leases/sakkara", nil) == nil
	})
	r.gang("two", 8, `{"rack":{"hard":true}}`, gate(true))
	r.wait(usual, "all bound although the tenant's Lease is older", r.allBound("two", 8))
	r.poll("the daemon decides", func() bool { return says(r.daemon, "sakkara_leader 1") })
	if status, text := r.daemon.AdminGet("/readyz?verbose"); status != http.StatusOK {
		t.Errorf("readyz is %d: %s", status, text)
	}
}
