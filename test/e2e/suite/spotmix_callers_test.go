// SPDX-License-Identifier: Apache-2.0

package suite

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"sakkara/test/e2e/suite/cluster"
)

const (
	mixHook = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/sakkara-spotmix"
	mixPath = "/spotmix/mutate"
)

// webhookPath is the path that API servers send, with the token.
func (m *mix) webhookPath() string {
	m.Helper()
	var hook struct {
		Webhooks []struct {
			ClientConfig struct{ Service struct{ Path string } }
		}
	}
	m.must(m.plane.Admin.Get(mixHook, &hook))
	return hook.Webhooks[0].ClientConfig.Service.Path
}

// directly is a client of the webhook's own port, which trusts the authority in the Secret, and its URL without a path.
func (m *mix) directly(daemon *cluster.Daemon, connections int) (*http.Client, string) {
	m.Helper()
	pool := x509.NewCertPool()
	for _, authority := range m.authorities() {
		if !pool.AppendCertsFromPEM([]byte(authority)) {
			m.Fatal("the Secret holds no authority")
		}
	}
	transport := &http.Transport{MaxIdleConnsPerHost: connections, MaxConnsPerHost: connections,
		TLSClientConfig: &tls.Config{RootCAs: pool, ServerName: "sakkara-spotmix.sakkara.svc"}}
	return &http.Client{Transport: transport, Timeout: 10 * time.Second},
		"https://" + net.JoinHostPort("127.0.0.1", m.port[daemon])
}

// forge posts a review to a path; the status, 0 without an answer.
func forge(client *http.Client, url string, body []byte) int {
	response, err := client.Post(url, "application/json", bytes.NewReader(body))
	if err != nil {
		return 0
	}
	defer response.Body.Close()
	_, _ = io.Copy(io.Discard, response.Body)
	return response.StatusCode
}

// webBeside makes two nodes and the workload "web", whose pods are reviewed, and returns the daemon that leads.
func (m *mix) webBeside() *cluster.Daemon {
	m.Helper()
	m.must(m.plane.CreateNodes(mixNode("on-demand", "on-demand"), mixNode("spot", "spot")))
	m.mayFail.Store(true)
	m.workload("Deployment", "deployments", "web", 0, 2)
	m.ownerOf("web")
	leader := m.daemon[m.leader()]
	m.answers(2 * usual)
	return leader
}

// TestSpotMix_OnlyAPIServersAreHeard: The leader writes a token into the path of the webhook configuration, and the API
// server sends it. A pod that calls the webhook without it is refused, takes no index, and causes no read of the API
// server. While it sends reviews of three megabytes and of invented namespaces all the time, and while the token is
// rotated, no honest review is missed. A path without a token, of an older manifest, gets one. Accounts with the roles
// view, edit and admin can read neither the configuration nor the Secret.
func TestSpotMix_OnlyAPIServersAreHeard(t *testing.T) {
	realOnly(t, "admission webhooks are called by the API server")
	m := startMix(t, ", certificateLifetime: 30s, authorityLifetime: 900s") // a token is replaced after 20 s
	text, err := os.ReadFile(manifest(t, "spotmix-webhook.yaml"))
	m.must(err)
	patient := filepath.Join(t.TempDir(), "spotmix-webhook.yaml") // what is late on a busy machine is heard all the same
	m.must(os.WriteFile(patient, bytes.ReplaceAll(text, []byte("timeoutSeconds: 3\n"), []byte("timeoutSeconds: 30\n")), 0o600))
	apply := []string{"apply", "--server-side", "--validate=strict", "-f", patient}
	_, err = m.plane.Kubectl(append(apply, "--force-conflicts")...)
	m.must(err)
	leader := m.webBeside()

	first := m.webhookPath()
	if !regexp.MustCompile("^" + mixPath + "/[0-9a-f]{64}$").MatchString(first) {
		t.Fatalf("path %q", first)
	}
	m.refusedWithoutToken(leader, first)
	m.hiddenFromUsers()
	m.checked(leader, 0, "ok   webhook sakkara-spotmix: reviews need the token of its path")

	stop := m.attack(leader)
	m.keepTrying(2)
	m.scale("deployments", "web", 8)
	m.exact("created under attack", "web", 8, 2, true)
	rotated := time.Now()
	m.await(4*usual, "the first token is not accepted any more", func() error {
		client, url := m.directly(leader, 1)
		if status := forge(client, url+first, nil); status != http.StatusForbidden || m.webhookPath() == first {
			return fmt.Errorf("status %d", status)
		}
		return nil
	})
	refused := stop()
	t.Logf("the token was rotated after %v, %d forged reviews refused, %d pods tried",
		time.Since(rotated).Round(time.Second), refused, m.tried.Load())
	if m.missed.Load() > 0 || refused == 0 {
		t.Errorf("%d of %d pods missed the webhook, %d forged reviews were refused", m.missed.Load(), m.tried.Load(), refused)
	}
	if text, err := os.ReadFile(m.plane.AuditLog()); err != nil || strings.Contains(string(text), "invented-") {
		t.Errorf("the API server was asked for what forged reviews name: %v", err)
	}

	m.mayFail.Store(true)
	_, err = m.plane.Kubectl("patch", "mutatingwebhookconfiguration", "sakkara-spotmix", "--type=json",
		`-p=[{"op":"replace","path":"/webhooks/0/clientConfig/service/path","value":"`+mixPath+`"}]`)
	m.must(err)
	m.answers(2 * usual)
	_, err = m.plane.Kubectl(apply...)
	m.must(err) // no conflict: the path is not of the manifest
	m.answers(usual)
}

// honestBeside measures gangs of a namespace that has no part in the mix. kube-scheduler asks the leader for them.
func (m *mix) honestBeside(leader *cluster.Daemon) *honest {
	m.Helper()
	r := &run{T: m.T, plane: m.plane, ns: "gangs", daemon: leader}
	m.must(m.plane.CreateNamespace(r.ns))
	nodes, tree := racks(slices.Repeat([]int{8}, 4), slices.Repeat([]int{8}, 4))
	m.must(m.plane.CreateNodes(nodes...))
	var err error
	r.rec, err = m.plane.StartRecorder()
	m.must(err)
	m.Cleanup(r.rec.Stop)
	m.must(m.scheduler.Kill())
	m.scheduler, err = m.plane.StartScheduler("mix-scheduler-of-gangs", cluster.SchedulerOptions{
		FilterURL: "http://" + leader.Extender + "/v1", BindURL: "http://" + leader.Bind + "/v1"})
	m.must(err)
	r.topology(tree)
	h := &honest{run: r, size: 8}
	h.gang() // kube-scheduler and daemon have begun
	h.quiet = h.median()
	return h
}

// reviewed is the time of a pod's creation, with its review.
func (m *mix) reviewed() time.Duration {
	began := time.Now()
	if seen, err := m.try(); err != nil || !seen {
		m.Errorf("not patched: %v", err)
	}
	return time.Since(began)
}

// TestIsolation_ForgedReviewsDelayNeitherGangsNorReviews: A pod sends reviews to the webhook's port all the time, of three
// megabytes and of invented namespaces. Another tenant creates pods that name ReplicaSets that do not exist, so that the API
// server itself sends reviews of invented owners. Gangs of a third namespace and reviews of honest pods take at most twice
// their time.
func TestIsolation_ForgedReviewsDelayNeitherGangsNorReviews(t *testing.T) {
	realOnly(t, "admission webhooks are called by the API server")
	const rounds = 20
	m := startMix(t, "")
	leader := m.webBeside()
	h := m.honestBeside(leader)
	quiet := medianOf(rounds, m.reviewed)

	stop := m.attack(leader)
	m.invent(2)
	h.expectIsolated()
	expectAtMostTwice(t, "a review", quiet, medianOf(rounds, m.reviewed))
	if refused := stop(); refused == 0 {
		t.Error("no forged review was refused")
	} else {
		t.Logf("%d forged reviews were refused", refused)
	}
}

// invent creates pods of owners that do not exist, in a namespace of its own, until the end.
func (m *mix) invent(clients int) {
	m.Helper()
	const namespace = "inventors"
	m.must(m.plane.CreateNamespace(namespace))
	m.must(m.plane.Admin.MergePatch("/api/v1/namespaces/"+namespace, `{"metadata":{"labels":{"sakkara.spotmix":"enabled"}}}`))
	for client := range clients {
		m.work.Go(func() {
			again := time.NewTicker(20 * time.Millisecond)
			defer again.Stop()
			for i := 0; ; i++ {
				select {
				case <-m.stop:
					return
				case <-again.C:
				}
				name := fmt.Sprintf("nothing-%d-%d", client, i)
				pod := map[string]any{"metadata": map[string]any{"generateName": "odd-", "namespace": namespace,
					"ownerReferences": []cluster.Owner{{APIVersion: "apps/v1", Kind: "ReplicaSet", Name: name, UID: name, Controller: true}}},
					"spec": map[string]any{"containers": []any{map[string]any{"name": "main", "image": "main"}}}}
				_ = m.plane.Admin.Create("/api/v1/namespaces/"+namespace+"/pods?dryRun=All", pod, nil)
			}
		})
	}
}

// TestSpotMix_ServesWhileAnotherSchedulerWaitsForItsKinds: With OCM enabled and its kinds missing, the daemon is not ready
// and says why. kubelet takes the readiness from its pod. API servers still reach the webhook, because its Service
// selects the leader by its label alone.
func TestSpotMix_ServesWhileAnotherSchedulerWaitsForItsKinds(t *testing.T) {
	realOnly(t, "admission webhooks are called by the API server")
	m := startMixWith(t, "", map[string]string{"ocm": "{enabled: true}"})
	m.must(m.plane.CreateNodes(mixNode("on-demand", "on-demand"), mixNode("spot", "spot")))
	m.mayFail.Store(true)
	m.workload("Deployment", "deployments", "web", 0, 2)
	m.ownerOf("web")
	leader := m.leader()
	status, text := m.daemon[leader].AdminGet("/readyz?verbose")
	if status != http.StatusServiceUnavailable || !strings.Contains(text, "managedclusters") {
		t.Fatalf("readyz is %d: %s", status, text)
	}
	m.must(m.plane.Admin.StrategicPatch(fmt.Sprintf("/api/v1/namespaces/sakkara/pods/sakkara-%d/status", leader),
		`{"status":{"conditions":[{"type":"Ready","status":"False"},{"type":"ContainersReady","status":"False"}]}}`))
	m.await(usual, "the pod is not ready and the Service leads to it", func() error {
		var slices cluster.List[struct {
			Endpoints []struct {
				Conditions struct{ Ready, Serving bool }
			}
		}]
		path := "/apis/discovery.k8s.io/v1/namespaces/sakkara/endpointslices?labelSelector=kubernetes.io%2Fservice-name%3Dsakkara-spotmix"
		if err := m.plane.Admin.Get(path, &slices); err != nil {
			return err
		}
		for _, slice := range slices.Items {
			for _, endpoint := range slice.Endpoints {
				if endpoint.Conditions.Ready && !endpoint.Conditions.Serving {
					return nil
				}
			}
		}
		return fmt.Errorf("%+v", slices.Items)
	})
	m.answers(2 * usual)
	m.scale("deployments", "web", 4)
	m.exact("created", "web", 4, 2, true)
}

func (m *mix) refusedWithoutToken(leader *cluster.Daemon, path string) {
	m.Helper()
	client, url := m.directly(leader, 1)
	body := review(m.ns, m.owner)
	wrong := strings.Map(func(r rune) rune {
		if r >= '0' && r <= '8' {
			return r + 1
		}
		return r
	}, path)
	for _, path := range []string{mixPath, mixPath + "/", wrong, "/", mixPath + "?" + path} {
		status := 0
		m.await(usual, path+" is answered: a certificate that is replaced closes connections", func() error {
			if status = forge(client, url+path, body); status == 0 {
				return errors.New("it is not")
			}
			return nil
		})
		if status != http.StatusForbidden {
			m.Errorf("%s: status %d", path, status)
		}
	}
}

// attack sends reviews without a token until it is stopped, which returns how many were refused.
func (m *mix) attack(leader *cluster.Daemon) func() int64 {
	var refused atomic.Int64
	ended, done := make(chan struct{}), make(chan struct{}, 4)
	large := []byte(`{"kind":"AdmissionReview","request":[` + strings.Repeat("{},", 1<<20) + `{}]}`)
	client, url := m.directly(leader, 4)
	for worker := range 4 {
		go func() {
			defer func() { done <- struct{}{} }()
			for i := 0; ; i++ {
				select {
				case <-ended:
					return
				default:
				}
				body := review(fmt.Sprintf("invented-%d-%d", worker, i), m.owner)
				if i%8 == 0 {
					body = large
				}
				if forge(client, url+mixPath, body) == http.StatusForbidden {
					refused.Add(1)
				}
			}
		}()
	}
	return func() int64 {
		close(ended)
		for range 4 {
			<-done
		}
		return refused.Load()
	}
}

// hiddenFromUsers asks for the default roles of users whether they read where the token is.
func (m *mix) hiddenFromUsers() {
	m.Helper()
	for _, role := range []string{"view", "edit", "admin"} {
		_, err := m.plane.Kubectl("create", "clusterrolebinding", "all-"+role, "--clusterrole="+role, "--user=user-"+role)
		m.must(err)
		m.await(usual, role+" is granted", func() error {
			_, err := m.plane.Kubectl("auth", "can-i", "list", "pods", "--as=user-"+role)
			return err
		})
		out, _ := m.plane.Kubectl("auth", "can-i", "get", "mutatingwebhookconfigurations", "--as=user-"+role)
		if !strings.Contains(out, "no") {
			m.Errorf("%s reads webhook configurations: %q", role, out)
		}
	}
	out, _ := m.plane.Kubectl("auth", "can-i", "get", "secrets", "-n", "sakkara", "--as=user-view")
	if !strings.Contains(out, "no") {
		m.Errorf("view reads Secrets: %q", out)
	}
}

// checked runs `sakkara check` with the daemon's configuration.
func (m *mix) checked(daemon *cluster.Daemon, want int, line string) {
	m.Helper()
	out, code := daemon.Check()
	if !strings.Contains(out, line) || code != want {
		m.Errorf("check ended with %d and no line %q:\n%s", code, line, out)
	}
}

// review is what the API server sends for a pod of that owner.
func review(namespace string, owner cluster.Owner) []byte {
	env := []map[string]string{{"name": "FILLING", "value": strings.Repeat("x", 4500)}}
	body, _ := json.Marshal(map[string]any{"kind": "AdmissionReview", "apiVersion": "admission.k8s.io/v1",
		"request": map[string]any{"uid": "7d9c3a52-4a4e-4dd1-8a39-52f0b1b6a6f1", "namespace": namespace, "operation": "CREATE",
			"kind":     map[string]string{"group": "", "version": "v1", "kind": "Pod"},
			"resource": map[string]string{"group": "", "version": "v1", "resource": "pods"},
			"object": map[string]any{"apiVersion": "v1", "kind": "Pod",
				"metadata": map[string]any{"generateName": owner.Name + "-", "namespace": namespace,
					"labels": map[string]string{"app": "web"}, "ownerReferences": []cluster.Owner{owner}},
				"spec": map[string]any{"containers": []any{map[string]any{"name": "main", "image": "main", "env": env}}}}}})
	return body
}
