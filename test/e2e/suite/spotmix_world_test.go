// SPDX-License-Identifier: Apache-2.0

package suite

import (
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"sakkara/test/e2e/suite/cluster"
)

// mix is a control plane whose API server calls the spot mix's webhook through its Service, with two daemons
// behind it that pose as pods, nodes of both classes, and somebody who creates pods all the time.
type mix struct {
	*testing.T
	plane     *cluster.Plane
	ns        string
	kubelet   *cluster.Kubelet
	scheduler *cluster.Scheduler
	daemon    [2]*cluster.Daemon
	port      map[*cluster.Daemon]string // of its webhook

	owner         cluster.Owner // of the pods that are tried
	mayFail       atomic.Bool   // the webhook need not answer
	tried, missed atomic.Int64  // pods that were tried; of these unpatched while it had to answer
	stop          chan struct{}
	work          sync.WaitGroup
}

const (
	mixKey    = "cloudpilot.ai/webhook-scheduler"
	nodeClass = "node.kubernetes.io/capacity"
	rolePath  = "/api/v1/namespaces/sakkara/pods?labelSelector=sakkara.role%3Dleader"
	mixSecret = "/api/v1/namespaces/sakkara/secrets/sakkara-spotmix"
)

// ownAddress is one of this machine that pods may have; loopback addresses are none.
func ownAddress(t *testing.T) string {
	addresses, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	for _, address := range addresses {
		if network, ok := address.(*net.IPNet); ok && network.IP.To4() != nil && network.IP.IsGlobalUnicast() {
			return network.IP.String()
		}
	}
	t.Skip("this machine has no address that a Service could lead to")
	return ""
}

func startMix(t *testing.T, settings string) *mix {
	t.Helper()
	return startMixWith(t, settings, nil)
}

// startMixWith takes further sections of the configuration. Daemons that they keep from being ready have their lists.
func startMixWith(t *testing.T, settings string, sections map[string]string) *mix {
	t.Helper()
	address := ownAddress(t)
	plane := ownPlane(t, cluster.PlaneOptions{Audit: true, AuditReads: true,
		Controllers: []string{"deployment-controller", "statefulset-controller", "endpointslice-controller",
			"endpoints-controller", // API servers up to 1.33 ask Endpoints
			"clusterrole-aggregation-controller"},
		ServerFlags: []string{"--enable-aggregator-routing=true"}})
	m := &mix{T: t, plane: plane, ns: "shop", stop: make(chan struct{}), port: map[*cluster.Daemon]string{}}
	m.must(plane.CreateNamespace(m.ns))
	m.must(plane.Admin.MergePatch("/api/v1/namespaces/"+m.ns, `{"metadata":{"labels":{"sakkara.spotmix":"enabled"}}}`))
	_, err := plane.Kubectl("apply", "--server-side", "--validate=strict", "-f", manifest(t, "spotmix-webhook.yaml"))
	m.must(err)
	control := mixNode("control", "") // for the daemons' pods alone: a pod there is of no class
	control.Spec.Taints = []cluster.Taint{{Key: "node-role.kubernetes.io/control-plane", Effect: "NoSchedule"}}
	m.must(plane.CreateNodes(control))
	m.startKubelet()
	m.startScheduler()
	for i := range m.daemon {
		m.makeDaemon(i, address, settings, sections)
	}
	t.Cleanup(m.finish)
	return m
}

func (m *mix) must(err error) {
	m.Helper()
	if err != nil {
		m.Fatal(err)
	}
}

func (m *mix) startKubelet() {
	var err error
	m.kubelet, err = m.plane.StartKubelet()
	m.must(err)
}

func (m *mix) startScheduler() {
	var err error
	m.scheduler, err = m.plane.StartScheduler("mix-scheduler", cluster.SchedulerOptions{})
	m.must(err)
}

func mixNode(name, class string) *cluster.Node {
	node := cluster.FakeNode(name, map[string]string{"cpu": "64", "memory": "256Gi", "pods": "1000"})
	if class != "" {
		node.Labels[nodeClass] = class
	}
	return node
}

// makeDaemon starts a daemon, and a pod of its name through which the Service leads to it.
func (m *mix) makeDaemon(i int, address, settings string, sections map[string]string) {
	m.Helper()
	name, port := fmt.Sprintf("sakkara-%d", i), cluster.FreePort()
	pod := map[string]any{
		"metadata": map[string]any{"name": name, "namespace": "sakkara", "labels": map[string]string{"app.kubernetes.io/name": "sakkara"}},
		"spec": map[string]any{"nodeName": "control", "terminationGracePeriodSeconds": 0,
			"securityContext": map[string]any{"runAsNonRoot": true, "seccompProfile": map[string]any{"type": "RuntimeDefault"}},
			"containers": []any{map[string]any{
				"name": "sakkara", "image": "sakkara", "ports": []any{map[string]any{"name": "spotmix", "containerPort": port}},
				"securityContext": map[string]any{"allowPrivilegeEscalation": false,
					"capabilities": map[string]any{"drop": []string{"ALL"}}}}}},
	}
	pods := "/api/v1/namespaces/sakkara/pods"
	m.must(m.plane.Admin.Create(pods, pod, nil))
	m.await(usual, name+" has its address", func() error {
		var seen cluster.Pod
		if err := m.plane.Admin.Get(pods+"/"+name, &seen); err != nil || seen.Status.Phase != "Running" {
			return fmt.Errorf("%s %w", seen.Status.Phase, err)
		}
		return m.plane.Admin.MergePatch(pods+"/"+name+"/status", map[string]any{"status": map[string]any{
			"podIP": address, "podIPs": []any{map[string]string{"ip": address}}}})
	})
	all := map[string]string{"spotmix": fmt.Sprintf("{enabled: true, listen: \"0.0.0.0:%d\"%s}", port, settings)}
	maps.Copy(all, sections)
	var err error
	m.daemon[i], err = m.plane.NewDaemon(name, cluster.DaemonOptions{Binary: sakkaraBinary, Server: m.plane.Server, CA: m.plane.CA,
		LeaderElection: "{mode: lease, namespace: sakkara}", Env: []string{"POD_NAME=" + name},
		Settings: all})
	m.must(err)
	m.port[m.daemon[i]] = strconv.Itoa(port)
	if sections == nil {
		m.must(m.daemon[i].Start())
		return
	}
	_, err = m.daemon[i].Launch()
	m.must(err)
}

func (m *mix) finish() {
	close(m.stop)
	m.work.Wait()
	if m.Failed() {
		for _, daemon := range m.daemon {
			if daemon != nil && daemon.Process() != nil {
				m.Logf("last lines of a daemon:\n%s", daemon.Process().Tail(30))
			}
		}
	}
	for _, daemon := range m.daemon {
		if daemon != nil && daemon.Process() != nil && daemon.Process().Running() {
			if err := daemon.Stop(); err != nil {
				m.Error(err)
			}
		}
	}
	m.must(m.scheduler.Kill())
	_ = m.kubelet.Stop() // its watch may have broken off
}

// await asks until there is no error.
func (m *mix) await(limit time.Duration, what string, condition func() error) {
	m.Helper()
	err := condition()
	for deadline := time.Now().Add(limit); err != nil; err = condition() {
		if time.Now().After(deadline) {
			m.Fatalf("%s: %v", what, err)
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// ---- workloads ----

func (m *mix) path(resource, name string) string {
	path := "/apis/apps/v1/namespaces/" + m.ns + "/" + resource
	if name != "" {
		path += "/" + name
	}
	return path
}

func (m *mix) workload(kind, resource, name string, replicas, max int) {
	m.Helper()
	labels := map[string]string{"app": name}
	spec := map[string]any{"replicas": replicas, "selector": map[string]any{"matchLabels": labels},
		"template": map[string]any{"metadata": map[string]any{"labels": labels}, "spec": map[string]any{
			"schedulerName": "sakkara", "terminationGracePeriodSeconds": 0,
			"containers": []any{map[string]any{"name": "main", "image": "main"}}}}}
	if kind == "StatefulSet" {
		spec["serviceName"], spec["podManagementPolicy"] = name, "Parallel"
	} else {
		spec["strategy"] = map[string]any{"rollingUpdate": map[string]any{"maxSurge": "50%", "maxUnavailable": "25%"}}
	}
	m.must(m.plane.Admin.Create(m.path(resource, ""), map[string]any{"apiVersion": "apps/v1", "kind": kind,
		"metadata": map[string]any{"name": name, "labels": map[string]string{
			mixKey: "true", mixKey + "-max-on-demand-count": strconv.Itoa(max)}}, "spec": spec}, nil))
}

func (m *mix) scale(resource, name string, replicas int) {
	m.Helper()
	m.must(m.plane.Admin.MergePatch(m.path(resource, name), map[string]any{"spec": map[string]any{"replicas": replicas}}))
}

func (m *mix) rollOut(name string) {
	m.Helper()
	m.must(m.plane.Admin.MergePatch(m.path("deployments", name), map[string]any{"spec": map[string]any{"template": map[string]any{
		"metadata": map[string]any{"annotations": map[string]string{"rolled-out": time.Now().Format(time.RFC3339Nano)}}}}}))
}

func (m *mix) setMax(resource, name string, max int) {
	m.Helper()
	m.must(m.plane.Admin.MergePatch(m.path(resource, name), map[string]any{"metadata": map[string]any{
		"labels": map[string]string{mixKey + "-max-on-demand-count": strconv.Itoa(max)}}}))
}

func (m *mix) pods(app string) []cluster.Pod {
	var list cluster.List[cluster.Pod]
	m.must(m.plane.Admin.Get("/api/v1/namespaces/"+m.ns+"/pods?labelSelector=app%3D"+app, &list))
	return list.Items
}

// exact waits until a workload is as isExact wants it.
func (m *mix) exact(what, app string, replicas, max int, reviewed bool) {
	m.Helper()
	began := time.Now()
	m.await(4*usual, what, func() error { return m.isExact(what, app, replicas, max, reviewed) })
	m.Logf("%s: exact after %v", what, time.Since(began).Round(100*time.Millisecond))
}

// exactAfterRollOut: a rollout makes the mix exact at once. One whose reviews an API server that is busy with its own
// start gave up on (failurePolicy Ignore) is followed by another one.
func (m *mix) exactAfterRollOut(what string, replicas, max int) {
	m.Helper()
	for range 2 {
		m.rollOut("web")
		for deadline := time.Now().Add(usual); time.Now().Before(deadline); time.Sleep(100 * time.Millisecond) {
			if m.isExact(what, "web", replicas, max, false) == nil {
				m.Logf("%s: exact %v before the deadline", what, time.Until(deadline).Round(100*time.Millisecond))
				return
			}
		}
		m.Logf("%s: rolled out once more: %v", what, m.isExact(what, "web", replicas, max, false))
	}
	m.rollOut("web")
	m.exact(what, "web", replicas, max, false)
}

// isExact tells whether a workload has its pods, all run, and each is where its index says. With reviewed, all of them
// have been through the webhook.
func (m *mix) isExact(what, app string, replicas, max int, reviewed bool) error {
	m.Helper()
	if err := m.controlled(app, replicas); err != nil {
		return err
	}
	classes := map[string]string{}
	var nodes cluster.List[cluster.Node]
	if err := m.plane.Admin.Get("/api/v1/nodes", &nodes); err != nil {
		return err
	}
	for _, node := range nodes.Items {
		classes[node.Name] = node.Labels[nodeClass]
	}
	held, onDemand, owners := map[string]bool{}, 0, map[string]bool{}
	pods := m.pods(app)
	for i := range pods {
		pod := &pods[i]
		index, err := strconv.Atoi(pod.Labels[mixKey+"-index"])
		space := pod.OwnerReferences[0].UID + " " + pod.Labels[mixKey+"-index"]
		want := "spot"
		if index < max {
			want = "on-demand"
			onDemand++
		}
		owners[pod.OwnerReferences[0].UID] = true
		switch {
		case err != nil:
			return fmt.Errorf("%s has index %q", pod.Name, pod.Labels[mixKey+"-index"])
		case held[space]:
			return fmt.Errorf("%s has the index %d of another", pod.Name, index)
		case pod.Labels[mixKey+"-class"] != want || classes[pod.Spec.NodeName] != want:
			return fmt.Errorf("%s with index %d is %q on %q", pod.Name, index, pod.Labels[mixKey+"-class"], classes[pod.Spec.NodeName])
		case pod.Status.Phase != "Running" || pod.DeletionTimestamp != nil:
			return fmt.Errorf("%s is %s", pod.Name, pod.Status.Phase)
		case reviewed && pod.Annotations[mixKey+"-token"] == "":
			m.Fatalf("%s: %s was not reviewed", what, pod.Name)
		}
		held[space] = true
	}
	if len(pods) != replicas || onDemand != min(max, replicas) || len(owners) != 1 {
		return fmt.Errorf("%d pods, %d on-demand, of %d owners", len(pods), onDemand, len(owners))
	}
	return nil
}

// controlled tells whether the controllers have done what they were asked for.
func (m *mix) controlled(app string, replicas int) error {
	resource := "deployments"
	if app == "db" {
		resource = "statefulsets"
	}
	var workload struct {
		Metadata struct{ Generation int64 }
		Status   struct {
			ObservedGeneration                       int64
			Replicas, UpdatedReplicas, ReadyReplicas int
		}
	}
	if err := m.plane.Admin.Get(m.path(resource, app), &workload); err != nil {
		return err
	}
	status := &workload.Status
	if status.ObservedGeneration < workload.Metadata.Generation || status.Replicas != replicas ||
		status.UpdatedReplicas != replicas || status.ReadyReplicas != replicas {
		return fmt.Errorf("generation %d, status %+v", workload.Metadata.Generation, *status)
	}
	return nil
}

// ---- reviews all the time ----

// try creates a pod that is not kept; whether the webhook has seen it.
func (m *mix) try() (bool, error) {
	pod := map[string]any{"metadata": map[string]any{"generateName": "tried-", "namespace": m.ns, "ownerReferences": []cluster.Owner{m.owner}},
		"spec": map[string]any{"containers": []any{map[string]any{"name": "main", "image": "main"}}}}
	var created cluster.Pod
	err := m.plane.Admin.Create("/api/v1/namespaces/"+m.ns+"/pods?dryRun=All", pod, &created)
	return created.Labels[mixKey+"-class"] != "", err
}

// answers waits until reviews are answered, and counts from now on those that are not.
func (m *mix) answers(limit time.Duration) {
	m.Helper()
	began := time.Now()
	row := 0
	m.await(limit, "reviews are answered", func() error {
		if seen, err := m.try(); err != nil || !seen {
			row = 0
			return fmt.Errorf("patched: %v, %w", seen, err)
		}
		if row++; row < 5 { // connections of several workers
			return fmt.Errorf("%d in a row", row)
		}
		return nil
	})
	m.mayFail.Store(false)
	m.Logf("reviews are answered after %v", time.Since(began).Round(100*time.Millisecond))
}

// keepTrying creates pods from several clients until the end, ten a second each however fast the machine is: what
// replicas serve changes once a second at most.
func (m *mix) keepTrying(clients int) {
	for range clients {
		m.work.Go(func() {
			again := time.NewTicker(100 * time.Millisecond)
			defer again.Stop()
			for {
				select {
				case <-m.stop:
					return
				case <-again.C:
				}
				had := !m.mayFail.Load()
				seen, err := m.try()
				m.tried.Add(1)
				if !seen && had && !m.mayFail.Load() {
					m.missed.Add(1)
					m.Logf("not patched at %s: %v", time.Now().Format("15:04:05.000"), err)
				}
			}
		})
	}
}

func (m *mix) ownerOf(app string) {
	m.Helper()
	m.await(usual, "a ReplicaSet of "+app, func() error {
		var sets cluster.List[struct {
			Metadata cluster.Meta `json:"metadata"`
		}]
		if err := m.plane.Admin.Get(m.path("replicasets", "")+"?labelSelector=app%3D"+app, &sets); err != nil {
			return err
		}
		if len(sets.Items) == 0 {
			return fmt.Errorf("none")
		}
		meta := &sets.Items[0].Metadata
		m.owner = cluster.Owner{APIVersion: "apps/v1", Kind: "ReplicaSet", Name: meta.Name, UID: meta.UID, Controller: true}
		return nil
	})
}

// ---- the daemons ----

// leader is the number of the daemon whose pod has the role.
func (m *mix) leader() int {
	m.Helper()
	leader := -1
	m.await(usual, "one pod has the leader's role", func() error {
		var list cluster.List[cluster.Pod]
		if err := m.plane.Admin.Get(rolePath, &list); err != nil || len(list.Items) != 1 {
			return fmt.Errorf("%d pods, %w", len(list.Items), err)
		}
		number, _ := strings.CutPrefix(list.Items[0].Name, "sakkara-")
		leader, _ = strconv.Atoi(number)
		return nil
	})
	return leader
}

// authorities are the texts of the bundle in the Secret.
func (m *mix) authorities() []string {
	var secret struct{ Data map[string][]byte }
	m.must(m.plane.Admin.Get(mixSecret, &secret))
	var all []string
	for _, part := range strings.SplitAfter(string(secret.Data["ca.crt"]), "-----END CERTIFICATE-----\n") {
		if strings.Contains(part, "BEGIN") {
			all = append(all, part)
		}
	}
	return all
}

// grantedBy adds "verb group/resource" of the roles of a manifest to those of install.yaml.
func (m *mix) permissions() {
	m.Helper()
	granted := grantedTo(m.T, "sakkara")
	text, err := os.ReadFile(manifest(m.T, "spotmix-webhook.yaml"))
	m.must(err)
	maps.Copy(granted, grantedIn(text, "sakkara-spotmix"))
	maps.Copy(granted, grantedTo(m.T, "sakkara-workloads"))
	used, refused := usedBy(m.T, filepath.Clean(m.plane.AuditLog()), cluster.DaemonUser)
	for _, what := range refused {
		m.Errorf("%s was refused", what)
	}
	for what := range used {
		if !granted[what] {
			m.Errorf("%s was used, and is not granted", what)
		}
	}
	for what := range grantedIn(text, "sakkara-spotmix") {
		if !used[what] && !strings.HasPrefix(what, "get ") {
			m.Errorf("%s is granted, and was not used", what)
		}
	}
}

// eventsOf are the reasons of Events about an object.
func (m *mix) eventsOf(name string) map[string]bool {
	var list cluster.List[json.RawMessage]
	m.must(m.plane.Admin.Get("/apis/events.k8s.io/v1/namespaces/"+m.ns+"/events", &list))
	reasons := map[string]bool{}
	for _, raw := range list.Items {
		var event struct {
			Reason    string
			Regarding struct{ Name string }
		}
		if json.Unmarshal(raw, &event) == nil && event.Regarding.Name == name {
			reasons[event.Reason] = true
		}
	}
	return reasons
}
