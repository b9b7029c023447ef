// SPDX-License-Identifier: Apache-2.0

package suite

import (
	"fmt"
	"testing"
	"time"

	"sakkara/test/e2e/suite/cluster"
)

// twoTenants starts two nodes, which a gang of the first tenant fills. The second tenant's gang waits: its map has the highest
// priority that there is, and its pods have none.
func twoTenants(t *testing.T, settings map[string]string) (*run, *run) {
	t.Helper()
	realOnly(t, "the sandbox has no times of a real API server")
	r := startRacks(t, options{daemon: cluster.DaemonOptions{Settings: settings}}, []int{8}, []int{8})
	r.anyMoment("", "its groups wait for each other")
	r.anyNode("", "room frees in any order")
	r.anyEvents("as above")
	r.groupMap("honest", map[string]string{"name": "honest", "size": "2", "priority": "5"})
	r.members("honest", 2, gated, cpu("8"))
	r.wait(usual, "the first gang runs", r.podsRunning("honest", 2))
	other := *r
	other.ns = r.namespace("other")
	other.groupMap("greedy", map[string]string{"name": "greedy", "size": "2", "priority": "2147483647"})
	other.members("greedy", 2, gated, cpu("8"))
	return r, &other
}

// TestIsolation_TheWordOfAMapEvictsNoOtherTenant: A tenant sets the highest priority in its map. No pod of another tenant is
// evicted, and the explanation names the reason. The same gang with a PriorityClass of a higher value evicts.
func TestIsolation_TheWordOfAMapEvictsNoOtherTenant(t *testing.T) {
	r, other := twoTenants(t, nil)
	before := r.uids("honest")
	other.wait(usual, "the second gang waits", func(v *cluster.View) error {
		if reason := v.Map(other.ns, "greedy").Data["reason"]; reason != "WaitingForCapacity" {
			return fmt.Errorf("%v", v.Map(other.ns, "greedy").Data)
		}
		return nil
	})
	r.quiet(15*time.Second, "no pod of the first tenant is evicted", r.untouched("honest", before))
	other.must(other.plane.Admin.Delete("/api/v1/namespaces/" + other.ns + "/pods"))
	other.wait(usual, "its pods are gone", func(v *cluster.View) error {
		if n := len(v.Pods(other.ns, nil)); n > 0 {
			return fmt.Errorf("%d pods", n)
		}
		return nil
	})
	class := r.createClass("urgent", 1000)
	other.members("greedy", 2, gated, cpu("8"), func(pod *cluster.Pod) { pod.Spec.PriorityClass = class })
	other.wait(usual, "with a PriorityClass it takes the room", other.podsBound("greedy", 2))
}

// TestIsolation_MapsOfTrustedNamespacesEvictOtherTenants: With priority.trustedNamespaces of all, the map alone decides.
func TestIsolation_MapsOfTrustedNamespacesEvictOtherTenants(t *testing.T) {
	_, other := twoTenants(t, map[string]string{"priority": `{trustedNamespaces: ["*"]}`})
	other.wait(usual, "the second gang takes the room", other.podsBound("greedy", 2))
}
