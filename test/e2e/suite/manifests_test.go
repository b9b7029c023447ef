// SPDX-License-Identifier: Apache-2.0

package suite

import (
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"sakkara/test/e2e/suite/cluster"
)

// The shipped manifests against the API server: every field is known to it, and the gate is added.

// manifest is the path of a shipped file; the test is skipped where the tree does not hold it.
func manifest(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join(manifests, name))
	if err == nil {
		_, err = os.Stat(path)
	}
	if err != nil {
		t.Skip(err)
	}
	return path
}

// TestManifests_PassStrictValidation: Every field of the shipped manifests is known to the API server, but for those of kinds that
// others install.
func TestManifests_PassStrictValidation(t *testing.T) {
	realOnly(t, "server-side apply and the schemas of all kinds are the API server's")
	files := []string{"namespace.yaml", "install.yaml", "gate-webhook.yaml", "account-policy.yaml", "group-policy.yaml", "spotmix-webhook.yaml",
		"karmada/rbac.yaml", "ocm/rbac.yaml", "kueue.yaml", "provisioning.yaml"}
	if minor() >= 36 {
		files = append(files, "gate-policy.yaml")
	}
	plane := planeFor(t)
	for _, file := range files {
		t.Run(file, func(t *testing.T) {
			_, err := plane.Kubectl("apply", "--server-side", "--force-conflicts", "--dry-run=server", "--validate=strict", "-f", manifest(t, file))
			if err != nil {
				t.Error(err)
			}
		})
	}
}

// shipped is an object of a shipped manifest.
func shipped(t *testing.T, file, kind string) map[string]any {
	t.Helper()
	text, err := os.ReadFile(manifest(t, file))
	if err != nil {
		t.Fatal(err)
	}
	for _, document := range cluster.Documents(text) {
		var object map[string]any
		if err := yaml.Unmarshal(document, &object); err != nil {
			t.Fatal(err)
		}
		if object["kind"] == kind {
			return object
		}
	}
	t.Fatalf("%s has no %s", file, kind)
	return nil
}

// TestManifests_PodsAreAdmittedWhereSecurityIsRestricted: A namespace with the labels of namespace.yaml admits the pods of
// install.yaml. It refuses them if one of their containers may gain privileges.
func TestManifests_PodsAreAdmittedWhereSecurityIsRestricted(t *testing.T) {
	realOnly(t, "admission of pods is the API server's")
	plane, name := planeFor(t), namespaceOf(t)
	labels := shipped(t, "namespace.yaml", "Namespace")["metadata"].(map[string]any)["labels"]
	if labels.(map[string]any)["pod-security.kubernetes.io/enforce"] != "restricted" {
		t.Errorf("namespace.yaml has the labels %v", labels)
	}
	err := plane.Admin.Create("/api/v1/namespaces", map[string]any{"metadata": map[string]any{"name": name, "labels": labels}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := plane.Clear(name); err != nil {
			t.Error(err)
		}
	})
	template := shipped(t, "install.yaml", "Deployment")["spec"].(map[string]any)["template"].(map[string]any)
	spec := template["spec"].(map[string]any)
	create := func() error {
		return plane.Admin.Create("/api/v1/namespaces/"+name+"/pods?dryRun=All",
			map[string]any{"apiVersion": "v1", "kind": "Pod", "metadata": map[string]any{"name": "sakkara"}, "spec": spec}, nil)
	}
	if err := create(); err != nil {
		t.Error(err)
	}
	for _, container := range spec["containers"].([]any) {
		context := container.(map[string]any)["securityContext"].(map[string]any)
		context["allowPrivilegeEscalation"] = true
		if err := create(); !cluster.IsStatus(err, 403) || !contains(err.Error(), `violates PodSecurity "restricted:latest"`) {
			t.Errorf("a container may gain privileges: %v", err)
		}
		context["allowPrivilegeEscalation"] = false
	}
}

// TestManifests_ComponentsAddToTheInstallation: A kustomization with the components for Karmada and Open Cluster
// Management renders what they add beside install.yaml, and the API server knows every field of it.
func TestManifests_ComponentsAddToTheInstallation(t *testing.T) {
	realOnly(t, "server-side apply and the schemas of all kinds are the API server's")
	folder := t.TempDir()
	for _, file := range []string{"kustomize/base/kustomization.yaml", "kustomize/base/objects.yaml", "kustomize/karmada/kustomization.yaml", "kustomize/karmada/objects.yaml", "kustomize/ocm/kustomization.yaml", "kustomize/ocm/objects.yaml"} {
		text, err := os.ReadFile(manifest(t, file))
		if err == nil {
			err = os.MkdirAll(filepath.Dir(filepath.Join(folder, file)), 0o755)
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(folder, file), text, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	text := "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [kustomize/base]\ncomponents: [kustomize/karmada, kustomize/ocm]\n"
	if err := os.WriteFile(filepath.Join(folder, "kustomization.yaml"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	output, err := planeFor(t).Kubectl("apply", "--server-side", "--force-conflicts", "--dry-run=server", "--validate=strict", "-o", "name", "-k", folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"clusterrole.rbac.authorization.k8s.io/sakkara-karmada", "clusterrolebinding.rbac.authorization.k8s.io/sakkara-ocm"} {
		if !strings.Contains(output, name) {
			t.Errorf("lacks %s:\n%s", name, output)
		}
	}
}

// TestManifests_SchedulerConfigurationIsTheOneTested: The shipped configuration of kube-scheduler is the one
// that all tests run with, beside one profile of which the daemon knows nothing.
func TestManifests_SchedulerConfigurationIsTheOneTested(t *testing.T) {
	tested := cluster.SchedulerOptions{FilterURL: "http://127.0.0.1:9660/v1", BindURL: "http://127.0.0.1:9661/v1"}
	want := withoutKubeconfig(t, tested.Configuration("any"))
	profiles, _ := want["profiles"].([]any)
	if n := len(profiles); n != 3 || profiles[n-1].(map[string]any)["schedulerName"] != "plain" {
		t.Fatalf("profiles are %v", profiles)
	}
	want["profiles"] = profiles[:2]
	shipped := map[string]string{}
	if text, err := os.ReadFile(manifest(t, "../configs/scheduler.yaml")); err != nil {
		t.Error(err)
	} else {
		shipped["configs/scheduler.yaml"] = string(text)
	}
	text, err := os.ReadFile(manifest(t, "install.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, document := range cluster.Documents(text) {
		var object struct {
			Kind string
			Data map[string]string
		}
		if yaml.Unmarshal(document, &object) != nil || object.Kind != "ConfigMap" {
			continue
		}
		for key, value := range object.Data {
			if strings.Contains(value, "KubeSchedulerConfiguration") {
				shipped["install.yaml, "+key] = value
			}
		}
	}
	for name, text := range shipped {
		if got := withoutKubeconfig(t, text); !reflect.DeepEqual(got, want) {
			t.Errorf("%s is\n%v, tested is\n%v", name, got, want)
		}
	}
	if len(shipped) != 2 {
		t.Errorf("%d shipped configurations of kube-scheduler", len(shipped))
	}
}

func withoutKubeconfig(t *testing.T, text string) map[string]any {
	t.Helper()
	var object map[string]any
	if err := yaml.UnmarshalStrict([]byte(text), &object); err != nil {
		t.Fatal(err)
	}
	connection, _ := object["clientConnection"].(map[string]any)
	delete(connection, "kubeconfig")
	return object
}

// TestGatePolicy_AddsTheGate: The shipped admission policy adds the gate to members and leaves other pods
// alone.
func TestGatePolicy_AddsTheGate(t *testing.T) {
	realOnly(t, "admission policies are the API server's")
	if minor() < 36 {
		t.Skip("the policy needs 1.36")
	}
	nodes, tree := racks([]int{9, 9})
	r := start(t, nodes, options{})
	r.apply(manifest(t, "gate-policy.yaml"))
	r.expectGates(tree)
}

// TestGateWebhook_AddsTheGate: The daemon's webhook adds the gate to members and leaves other pods alone.
func TestGateWebhook_AddsTheGate(t *testing.T) {
	realOnly(t, "admission webhooks are called by the API server")
	path := manifest(t, "gate-webhook.yaml")
	dir := t.TempDir()
	_, certificate, key, err := cluster.SelfSigned("127.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	address := fmt.Sprintf("127.0.0.1:%d", cluster.FreePort())
	settings := [3]string{address, filepath.Join(dir, "gate.crt"), filepath.Join(dir, "gate.key")}
	if os.WriteFile(settings[1], certificate, 0o600) != nil || os.WriteFile(settings[2], key, 0o600) != nil {
		t.Fatal("cannot write the certificate")
	}
	nodes, tree := racks([]int{9, 9})
	r := start(t, nodes, options{daemon: cluster.DaemonOptions{Gate: settings}})
	for _, name := range r.installWebhooks(path, "https://"+address, certificate) {
		r.Cleanup(func() { r.must(r.plane.Admin.Delete(webhooks + name)) })
	}
	r.expectGates(tree)
}

const webhooks = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/"

// installWebhooks applies the webhook configurations of a manifest with the daemon's address in the place
// of its service.
func (r *run) installWebhooks(path, address string, certificate []byte) (names []string) {
	r.Helper()
	text, err := os.ReadFile(path)
	r.must(err)
	for _, document := range cluster.Documents(text) {
		var object map[string]any
		r.must(yaml.Unmarshal(document, &object))
		if object["kind"] != "MutatingWebhookConfiguration" {
			continue
		}
		for _, webhook := range object["webhooks"].([]any) {
			config := webhook.(map[string]any)["clientConfig"].(map[string]any)
			verb := "/v1/gate"
			if service, ok := config["service"].(map[string]any); ok && service["path"] != nil {
				verb = service["path"].(string)
			}
			delete(config, "service")
			config["url"], config["caBundle"] = address+verb, base64.StdEncoding.EncodeToString(certificate)
		}
		name := object["metadata"].(map[string]any)["name"].(string)
		changed, err := yaml.Marshal(object)
		r.must(err)
		r.must(r.plane.Admin.Apply(webhooks+name, changed))
		names = append(names, name)
	}
	if len(names) == 0 {
		r.Fatalf("%s holds no webhook", path)
	}
	return names
}

// expectGates waits until the gate is added to a member, looks at the pods that must be left alone, and
// runs a gang whose template carries no gate.
func (r *run) expectGates(tree string) {
	r.Helper()
	gates := func(pod *cluster.Pod) string {
		var created cluster.Pod
		r.must(r.plane.Admin.Create("/api/v1/namespaces/"+r.ns+"/pods?dryRun=All", pod, &created))
		var names []string
		for _, gate := range created.Spec.SchedulingGates {
			names = append(names, gate.Name)
		}
		return strings.Join(names, " ")
	}
	member := label("sakkara.group.name", "g")
	r.poll("the gate is added to a member", func() bool { return gates(r.pod("m", member)) == "sakkara.gang" })
	foreign := func(pod *cluster.Pod) {
		pod.Spec.SchedulingGates = append(pod.Spec.SchedulingGates, cluster.Named{Name: "example.com/quota"})
	}
	elsewhere := func(pod *cluster.Pod) { pod.Spec.SchedulerName = "default-scheduler" }
	cases := []struct {
		what string
		pod  *cluster.Pod
		want string
	}{
		{"a member of a PodGroup", r.pod("c", label("scheduling.x-k8s.io/pod-group", "g")), "sakkara.gang"},
		{"a member that has the gate", r.pod("c", member, gated), "sakkara.gang"},
		{"an ordinary pod", r.pod("c"), ""},
		{"a pod of another scheduler", r.pod("c", member, elsewhere), ""},
		{"a pod with a node", r.pod("c", member, onNode("node-0")), ""},
	}
	for _, one := range cases {
		if got := gates(one.pod); got != one.want {
			r.Errorf("%s has gates %q, want %q", one.what, got, one.want)
		}
	}
	owned := func(pod *cluster.Pod) {
		pod.OwnerReferences = []cluster.Owner{{APIVersion: "batch/v1", Kind: "Job", Name: "j", UID: "u", Controller: true}}
	}
	entered := func(want string) func() bool {
		return func() bool { return gates(r.pod("c", owned)) == want && gates(r.pod("c")) == "" }
	}
	r.poll("a pod of a controller is ordinary", entered(""))
	path := "/api/v1/namespaces/" + r.ns
	r.must(r.plane.Admin.MergePatch(path, `{"metadata":{"labels":{"sakkara.gang":"auto"}}}`))
	r.poll("in a namespace with the label it has the gate", entered("sakkara.gang"))
	r.must(r.plane.Admin.MergePatch(path, `{"metadata":{"labels":{"sakkara.gang":null}}}`))
	r.poll("without the label it is ordinary again", entered(""))
	if got := gates(r.pod("c", member, foreign)); !contains(got, "sakkara.gang") || !contains(got, "example.com/quota") {
		r.Errorf("beside a foreign gate: %q", got)
	}
	r.topology(tree)
	r.group("g", 8, "")
	r.job("g", "g", 8)
	r.wait(usual, "a Job without gates in its template is bound", r.allBound("g", 8))
	for _, change := range r.rec.History() {
		if pod := change.Pod; pod != nil && pod.Namespace == r.ns && !pod.Bound() && pod.Annotations["sakkara.plan"] == "" && !pod.HasGate("sakkara.gang") {
			r.Errorf("pod %s was without a gate before its plan", pod.Name)
		}
	}
}
