// SPDX-License-Identifier: Apache-2.0

package suite

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"sakkara/test/e2e/suite/cluster"
)

// On-demand and spot by strict count, with the API server, the controllers and the scheduler of Kubernetes.

// TestSpotMix_IsExactAfterEverything: A Deployment is scaled up, rolled out and scaled down, spot nodes go with their
// pods, leaders are killed and ended, certificates and authorities are rotated under load, the API server is
// restarted, the maximum changes: after each the mix is exact, and no pod that was created while the webhook was up
// has missed it. The daemon is refused nothing, and uses all that the manifest grants. SAKKARA_E2E_SPOTMIX=500/100
// are the replicas and the maximum.
func TestSpotMix_IsExactAfterEverything(t *testing.T) {
	realOnly(t, "admission webhooks are called by the API server")
	n, max := 60, 12
	if wanted := os.Getenv("SAKKARA_E2E_SPOTMIX"); wanted != "" {
		if _, err := fmt.Sscanf(wanted, "%d/%d", &n, &max); err != nil {
			t.Fatal(err)
		}
	}
	// A certificate is renewed after 20 s, and the authority replaced after 60 s: all the time.
	m := startMix(t, ", certificateLifetime: 30s, authorityLifetime: 90s")
	for i := range 2 {
		m.must(m.plane.CreateNodes(mixNode("on-demand-"+strconv.Itoa(i), "on-demand")))
	}
	for i := range 4 {
		m.must(m.plane.CreateNodes(mixNode("spot-"+strconv.Itoa(i), "spot")))
	}
	m.policyWarns()
	m.mayFail.Store(true)
	m.workload("Deployment", "deployments", "tried", 0, 1)
	m.ownerOf("tried")
	m.leader()
	m.answers(2 * usual)
	if minor() >= 36 {
		m.gatedToo()
	}
	first := m.authorities()[0]
	rotated := time.Now()
	m.keepTrying(4)

	m.workload("Deployment", "deployments", "web", n, max)
	m.exact("created", "web", n, max, true)
	m.explained(n, max)
	m.scale("deployments", "web", n+n/5)
	m.exact("scaled up", "web", n+n/5, max, true)
	m.workload("StatefulSet", "statefulsets", "db", 6, 2)
	m.exact("a StatefulSet", "db", 6, 2, true)
	m.rollOut("web")
	m.exact("rolled out", "web", n+n/5, max, true)
	for _, name := range []string{"spot-0", "spot-1"} {
		m.loseNode(name)
	}
	m.exact("two spot nodes lost", "web", n+n/5, max, true)
	m.scale("deployments", "web", n/2)
	m.exact("scaled down", "web", n/2, max, true)
	m.setMax("deployments", "web", max-2)
	m.exact("the maximum lowered", "web", n/2, max-2, true)
	m.setMax("deployments", "web", max)
	m.exact("the maximum raised again", "web", n/2, max, true)
	m.setMax("statefulsets", "db", 3)
	m.exact("the maximum of the StatefulSet raised", "db", 6, 3, true)
	for reasons := m.eventsOf("web"); !reasons["SpotMixApplied"] || !reasons["SpotMixRebuild"]; {
		t.Fatalf("Events: %v", reasons)
	}

	m.await(3*usual, "the authority is replaced", func() error {
		if now := m.authorities(); len(now) != 1 || now[0] == first {
			return fmt.Errorf("%d authorities, the first one is among them: %v", len(now), now[0] == first)
		}
		return nil
	})
	t.Logf("the authority was replaced after %v, %d pods tried", time.Since(rotated).Round(time.Second), m.tried.Load())

	// The leader dies while pods are created; the other one takes over.
	m.mayFail.Store(true)
	leader := m.leader()
	m.scale("deployments", "web", n)
	m.daemon[leader].Kill()
	m.await(2*usual, "the other one leads", func() error {
		if now := m.leader(); now == leader {
			return fmt.Errorf("still %d", now)
		}
		return nil
	})
	m.must(m.daemon[leader].Start())
	m.answers(2 * usual)
	m.exactAfterRollOut("the leader killed", n, max)

	// One ends in order, and gives its Lease away.
	m.mayFail.Store(true)
	leader = m.leader()
	m.scale("deployments", "web", n+n/10)
	m.must(m.daemon[leader].Stop())
	m.await(usual, "the other one leads", func() error {
		if now := m.leader(); now == leader {
			return fmt.Errorf("still %d", now)
		}
		return nil
	})
	m.must(m.daemon[leader].Start())
	m.answers(2 * usual)
	m.exactAfterRollOut("the leader ended", n+n/10, max)

	m.permissions() // an API server that has just begun refuses everything for a while

	m.mayFail.Store(true)
	m.must(m.plane.RestartAPIServer())
	m.led(time.Now())
	m.must(m.scheduler.Kill())
	_ = m.kubelet.Stop()
	m.startKubelet()
	m.startScheduler()
	m.answers(2 * usual)
	m.scale("deployments", "web", n)
	m.exactAfterRollOut("the API server restarted", n, max)

	if m.missed.Load() > 0 {
		t.Errorf("%d of %d pods missed the webhook while it was up", m.missed.Load(), m.tried.Load())
	}
	t.Logf("%d pods tried", m.tried.Load())
}

// led waits until the Lease has been renewed after some time: a leader that could not reach the API server for ten
// seconds gives up, and that is not the webhook's being up.
func (m *mix) led(since time.Time) {
	m.Helper()
	m.await(2*usual, "the Lease is renewed", func() error {
		var lease struct{ Spec struct{ RenewTime time.Time } }
		if err := m.plane.Admin.Get("/apis/coordination.k8s.io/v1/namespaces/sakkara/leases/sakkara", &lease); err != nil {
			return err
		}
		if !lease.Spec.RenewTime.After(since) {
			return fmt.Errorf("at %v", lease.Spec.RenewTime)
		}
		return nil
	})
}

// loseNode deletes a node and its pods, as a cloud that takes a spot node back.
func (m *mix) loseNode(name string) {
	m.Helper()
	m.must(m.plane.Admin.Delete("/api/v1/nodes/" + name))
	for _, app := range []string{"web", "db"} {
		for _, pod := range m.pods(app) {
			if pod.Spec.NodeName == name {
				m.must(m.plane.Admin.Delete("/api/v1/namespaces/" + m.ns + "/pods/" + pod.Name))
			}
		}
	}
}

// gatedToo creates a member of a gang with and without the gate's policy, which the API server evaluates before it
// calls webhooks: the mix does the same to both.
func (m *mix) gatedToo() {
	m.Helper()
	member := map[string]any{"metadata": map[string]any{"generateName": "member-", "namespace": m.ns,
		"labels": map[string]string{"sakkara.group.name": "g"}, "ownerReferences": []cluster.Owner{m.owner}},
		"spec": map[string]any{"schedulerName": "sakkara", "containers": []any{map[string]any{"name": "main", "image": "main"}}}}
	create := func() (created cluster.Pod) {
		m.must(m.plane.Admin.Create("/api/v1/namespaces/"+m.ns+"/pods?dryRun=All", member, &created))
		return created
	}
	alone := create()
	policy := manifest(m.T, "gate-policy.yaml")
	_, err := m.plane.Kubectl("apply", "--server-side", "--validate=strict", "-f", policy)
	m.must(err)
	m.await(usual, "the policy adds the gate", func() error {
		if both := create(); !both.HasGate("sakkara.gang") {
			return fmt.Errorf("no gate")
		}
		return nil
	})
	both := create()
	if string(both.Spec.Affinity) != string(alone.Spec.Affinity) || both.Labels[mixKey+"-class"] != "on-demand" ||
		both.Labels[mixKey+"-index"] != alone.Labels[mixKey+"-index"] || len(both.Spec.SchedulingGates) != 1 {
		m.Errorf("alone %+v\nand with the gate's policy %+v", alone, both)
	}
	_, err = m.plane.Kubectl("delete", "-f", policy)
	m.must(err)
}

// policyWarns creates pods that carry a class beside an affinity: the policy says where the two disagree, of every
// preset, and refuses none.
func (m *mix) policyWarns() {
	m.Helper()
	const disagrees = "the class is not in the required node affinity"
	for _, c := range []struct {
		class, index, key, operator string
		values                      []string
		warning                     string // "": none
	}{
		{"spot", "4", nodeClass, "In", []string{"spot"}, ""},
		{"on-demand", "0", nodeClass, "In", []string{"on-demand"}, ""},
		{"spot", "4", nodeClass, "In", []string{"on-demand"}, disagrees},
		{"on-demand", "0", nodeClass, "In", []string{"spot"}, disagrees},
		{"on-demand", "first", nodeClass, "In", []string{"on-demand"}, "the index is not a number"},
		{"on-demand", "0", "karpenter.sh/capacity-type", "NotIn", []string{"spot"}, ""},
		{"spot", "4", "karpenter.sh/capacity-type", "NotIn", []string{"spot"}, disagrees},
		{"on-demand", "0", "eks.amazonaws.com/capacityType", "In", []string{"ON_DEMAND"}, ""},
		{"spot", "4", "eks.amazonaws.com/capacityType", "In", []string{"SPOT"}, ""},
		{"on-demand", "0", "cloud.google.com/gke-provisioning", "In", []string{"standard"}, ""},
		{"on-demand", "0", "kubernetes.azure.com/scalesetpriority", "DoesNotExist", nil, ""},
		{"spot", "4", "kubernetes.azure.com/scalesetpriority", "DoesNotExist", nil, disagrees},
		{"spot", "4", "", "", nil, disagrees},
	} {
		pod := map[string]any{"apiVersion": "v1", "kind": "Pod", "metadata": map[string]any{"name": "judged", "labels": map[string]string{
			mixKey + "-class": c.class, mixKey + "-index": c.index}},
			"spec": map[string]any{"containers": []any{map[string]any{"name": "main", "image": "main"}}}}
		if c.key != "" {
			expression := map[string]any{"key": c.key, "operator": c.operator, "values": c.values}
			pod["spec"].(map[string]any)["affinity"] = map[string]any{"nodeAffinity": map[string]any{
				"requiredDuringSchedulingIgnoredDuringExecution": map[string]any{"nodeSelectorTerms": []any{
					map[string]any{"matchExpressions": []any{expression}}}}}}
		}
		what := fmt.Sprintf("%s %s with %s %s %v", c.class, c.index, c.key, c.operator, c.values)
		m.await(usual, what, func() error { // the policy is in force a moment after it was applied
			warnings, err := m.plane.Admin.CreateWarned("/api/v1/namespaces/default/pods?dryRun=All", pod)
			if err != nil || (c.warning == "") != (warnings == "") || !strings.Contains(warnings, c.warning) {
				return fmt.Errorf("%q, want %q, %w", warnings, c.warning, err)
			}
			return nil
		})
	}
}

// explained looks at the workload with the command for people.
func (m *mix) explained(n, max int) {
	m.Helper()
	server := "--server=http://" + m.daemon[m.leader()].Admin
	list, err := exec.Command(sakkaraBinary, "spotmix", server, "--no-headers").CombinedOutput()
	want := fmt.Sprintf("deploy/web %d %d/%d %d/%d 0 <none>", max, max, max, n-max, n-max)
	if !strings.Contains(strings.Join(strings.Fields(string(list)), " "), want) || err != nil {
		m.Errorf("%q is not in\n%s%v", want, list, err)
	}
	root := fmt.Sprintf(" on-demand:%d,spot:%d ", max, n-max)
	m.await(usual, "tree has the classes of nodes", func() error { // its pods come by a watch
		tree, err := exec.Command(sakkaraBinary, "tree", server, "--resource=cpu").CombinedOutput()
		if !strings.Contains(string(tree), root) || !strings.Contains(string(tree), " CLASS ") {
			return fmt.Errorf("%q is not in\n%s%w", root, tree, err)
		}
		return nil
	})
	one, err := exec.Command(sakkaraBinary, "spotmix", "explain", m.ns+"/web", server).CombinedOutput()
	want = fmt.Sprintf("the next pod gets index %d: spot", n)
	if !strings.Contains(string(one), want) || err != nil {
		m.Errorf("%q is not in\n%.600s%v", want, one, err)
	}
}
