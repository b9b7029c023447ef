// SPDX-License-Identifier: Apache-2.0

package suite

import (
	"fmt"
	"regexp"
	"strconv"
	"testing"
)

var patchedReviews = regexp.MustCompile(`(?m)^sakkara_spotmix_admission_total\{[^}]*result="patched"[^}]*\} (\d+)`)

// patched is the number of reviews that the leader has patched.
func (m *mix) patched() int {
	m.Helper()
	_, body := m.daemon[m.leader()].AdminGet("/metrics")
	found := patchedReviews.FindStringSubmatch(body)
	if found == nil {
		return 0
	}
	n, err := strconv.Atoi(found[1])
	m.must(err)
	return n
}

// aQuota refuses every pod. No controller counts here.
func (m *mix) aQuota() string {
	m.Helper()
	quota := "/api/v1/namespaces/" + m.ns + "/resourcequotas"
	none := map[string]any{"pods": "0"}
	m.must(m.plane.Admin.Create(quota, map[string]any{"metadata": map[string]any{"name": "none"}, "spec": map[string]any{"hard": none}}, nil))
	m.must(m.plane.Admin.MergePatch(quota+"/none/status", map[string]any{"status": map[string]any{"hard": none, "used": none}}))
	return quota + "/none"
}

// aWebhook refuses every pod, since nothing answers at its address.
func (m *mix) aWebhook() string {
	m.Helper()
	hooks, name := "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations", "none-"+m.ns
	m.must(m.plane.Admin.Create(hooks, map[string]any{"metadata": map[string]any{"name": name}, "webhooks": []any{map[string]any{
		"name": "none.example.com", "admissionReviewVersions": []string{"v1"}, "sideEffects": "None", "failurePolicy": "Fail", "timeoutSeconds": 1,
		"clientConfig":      map[string]any{"url": "https://127.0.0.1:1/"},
		"namespaceSelector": map[string]any{"matchLabels": map[string]string{"kubernetes.io/metadata.name": m.ns}},
		"rules":             []any{map[string]any{"apiGroups": []string{""}, "apiVersions": []string{"v1"}, "operations": []string{"CREATE"}, "resources": []string{"pods"}}},
	}}}, nil))
	return hooks + "/" + name
}

// TestSpotMix_CountsHoldWhateverIsRefused: A quota or another webhook refuses pods after their reviews, until the ReplicaSet
// has tried several times. Afterwards the mix is exact: of five replicas three are on-demand, of one replica the one is, and no
// pod is evicted for it.
func TestSpotMix_CountsHoldWhateverIsRefused(t *testing.T) {
	realOnly(t, "admission webhooks are called by the API server")
	m := startMix(t, "")
	m.must(m.plane.CreateNodes(mixNode("on-demand-0", "on-demand"), mixNode("spot-0", "spot")))
	m.mayFail.Store(true)
	m.workload("Deployment", "deployments", "tried", 0, 1)
	m.ownerOf("tried")
	m.leader()
	m.answers(2 * usual)
	for _, c := range []struct {
		name                    string
		replicas, max, refusals int
		refuse                  func() string
	}{
		{"web", 5, 3, 9, m.aQuota},
		{"one", 1, 1, 1, m.aQuota},
		{"two", 8, 4, 3, m.aQuota},
		{"hook", 5, 3, 9, m.aWebhook},
	} {
		refuses := c.refuse()
		m.await(usual, "a pod is refused", func() error {
			if _, err := m.try(); err == nil {
				return fmt.Errorf("it does not")
			}
			return nil
		})
		before := m.patched()
		m.workload("Deployment", "deployments", c.name, c.replicas, c.max)
		m.await(4*usual, "pods are refused", func() error {
			if n := m.patched() - before; n < c.refusals || len(m.pods(c.name)) > 0 {
				return fmt.Errorf("%d reviews, %d pods", n, len(m.pods(c.name)))
			}
			return nil
		})
		m.must(m.plane.Admin.Delete(refuses))
		m.exact("refused "+strconv.Itoa(c.refusals)+" times", c.name, c.replicas, c.max, true)
		if m.eventsOf(c.name)["SpotMixRebuild"] {
			t.Errorf("%s: pods were evicted", c.name)
		}
		pods := m.pods(c.name)
		for i := range pods {
			if index, _ := strconv.Atoi(pods[i].Labels[mixKey+"-index"]); index >= c.replicas {
				t.Errorf("%s has index %d of %d replicas", pods[i].Name, index, c.replicas)
			}
		}
	}
}
