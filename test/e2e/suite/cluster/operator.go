// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"sigs.k8s.io/yaml"
)

// Operator is the controller of a kind of workload, of another project, built from its Go module. It runs against a
// control plane as kube-controller-manager does: without kubelets, as an administrator.
type Operator struct {
	Name        string // of its folder below test/e2e/operators
	Folder      string // of its module's files
	Certificate []byte // of its webhooks, for 127.0.0.1: its own authority
	key         []byte
	webhooks    []string // paths of the configurations that are served
	binary      string
}

// BuildOperator builds an operator, or finds it built.
func BuildOperator(name string) (*Operator, error) {
	build := exec.Command("../build-operator.sh", name)
	build.Stderr = os.Stderr
	output, err := build.Output()
	if err != nil {
		return nil, fmt.Errorf("build-operator.sh %s: %w", name, err)
	}
	lines := strings.Split(strings.TrimSpace(string(output)), "\n")
	if len(lines) != 2 {
		return nil, fmt.Errorf("build-operator.sh %s printed %d lines, not 2", name, len(lines))
	}
	return &Operator{Name: name, Folder: lines[1], binary: lines[0]}, nil
}

// Install applies the CustomResourceDefinitions of the files that the patterns find in the module's folder.
func (o *Operator) Install(p *Plane, patterns ...string) ([]Resource, error) {
	var all []Resource
	for _, pattern := range patterns {
		files, err := filepath.Glob(filepath.Join(o.Folder, pattern))
		if err != nil || len(files) == 0 {
			return nil, fmt.Errorf("%s: no file is %s (%w)", o.Name, pattern, err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				return nil, err
			}
			resources, err := p.InstallResources(text)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", file, err)
			}
			all = append(all, resources...)
		}
	}
	return all, nil
}

// Certify makes the certificate of the operator's webhooks, with these names too. secret is that of the namespace default
// from which the operator reads the certificate and its authority; empty: none.
func (o *Operator) Certify(p *Plane, secret string, names ...string) (err error) {
	if _, o.Certificate, o.key, err = SelfSigned("127.0.0.1", names...); err != nil || secret == "" {
		return err
	}
	return p.Admin.Create("/api/v1/namespaces/default/secrets", map[string]any{
		"apiVersion": "v1", "kind": "Secret", "metadata": map[string]any{"name": secret},
		"data": map[string][]byte{"ca.crt": o.Certificate, "ca.key": o.key, "tls.crt": o.Certificate, "tls.key": o.key},
	}, nil)
}

// ConvertBy lets the operator, on a port of this host, convert between versions of a CustomResourceDefinition.
func (o *Operator) ConvertBy(p *Plane, definition string, port int) error {
	return p.Admin.MergePatch("/apis/apiextensions.k8s.io/v1/customresourcedefinitions/"+definition, map[string]any{
		"spec": map[string]any{"conversion": map[string]any{"strategy": "Webhook", "webhook": map[string]any{
			"conversionReviewVersions": []string{"v1"}, "clientConfig": map[string]any{
				"url": fmt.Sprintf("https://127.0.0.1:%d/convert", port), "caBundle": o.Certificate}}}}})
}

// Launch runs the operator with a home of its own, {home} in its arguments, its environment and config, the text of
// {home}/config.yaml. {kubeconfig} is the path of an administrator's kubeconfig. certificates is the folder below {home}
// where its webhooks look for tls.crt and tls.key; empty: it has none.
func (o *Operator) Launch(p *Plane, config string, env []string, certificates string, arguments ...string) (*Process, error) {
	kubeconfig, err := p.AdminKubeconfig()
	if err != nil {
		return nil, err
	}
	home, err := os.MkdirTemp(p.Dir, o.Name+"-")
	if err != nil {
		return nil, err
	}
	if certificates != "" {
		folder := filepath.Join(home, certificates)
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return nil, err
		}
		for name, text := range map[string][]byte{"tls.crt": o.Certificate, "tls.key": o.key} {
			if err := os.WriteFile(filepath.Join(folder, name), text, 0o600); err != nil {
				return nil, err
			}
		}
	}
	fill := func(words []string) []string {
		var filled []string
		for _, word := range words {
			word = strings.ReplaceAll(word, "{kubeconfig}", kubeconfig)
			filled = append(filled, strings.ReplaceAll(word, "{home}", home))
		}
		return filled
	}
	if err := os.WriteFile(filepath.Join(home, "config.yaml"), []byte(fill([]string{config})[0]), 0o600); err != nil {
		return nil, err
	}
	env = append(fill(env), "KUBECONFIG="+kubeconfig, "TMPDIR="+home, "HOME="+home)
	return Start(p.Dir, o.Name, env, append([]string{o.binary}, fill(arguments)...)...)
}

// ServeWebhooks applies the webhook configurations of a file of the module, with the operator on a port of this host.
// Namespaces of the system are left alone.
func (o *Operator) ServeWebhooks(p *Plane, file string, port int) error {
	text, err := os.ReadFile(filepath.Join(o.Folder, file))
	if err != nil {
		return err
	}
	for i, document := range Documents(text) {
		var configuration map[string]any
		if err := yaml.Unmarshal(document, &configuration); err != nil {
			return fmt.Errorf("%s, document %d: %w", file, i+1, err)
		}
		plural := map[any]string{"MutatingWebhookConfiguration": "mutatingwebhookconfigurations",
			"ValidatingWebhookConfiguration": "validatingwebhookconfigurations"}[configuration["kind"]]
		if plural == "" {
			continue
		}
		name := fmt.Sprintf("%s-%d", o.Name, i)
		configuration["metadata"] = map[string]any{"name": name}
		for _, each := range configuration["webhooks"].([]any) {
			webhook := each.(map[string]any)
			service := webhook["clientConfig"].(map[string]any)["service"].(map[string]any)
			webhook["clientConfig"] = map[string]any{
				"url":      fmt.Sprintf("https://127.0.0.1:%d%s", port, service["path"]),
				"caBundle": base64.StdEncoding.EncodeToString(o.Certificate),
			}
			webhook["namespaceSelector"] = map[string]any{"matchExpressions": []any{map[string]any{
				"key": "kubernetes.io/metadata.name", "operator": "NotIn", "values": []string{"kube-system", SystemNamespace}}}}
		}
		changed, err := yaml.Marshal(configuration)
		if err != nil {
			return err
		}
		path := "/apis/admissionregistration.k8s.io/v1/" + plural + "/" + name
		if err := p.Admin.Apply(path, changed); err != nil {
			return fmt.Errorf("%s, document %d: %w", file, i+1, err)
		}
		o.webhooks = append(o.webhooks, path)
	}
	return nil
}

// RemoveWebhooks deletes what ServeWebhooks applied.
func (o *Operator) RemoveWebhooks(p *Plane) error {
	var errs []error
	for _, path := range o.webhooks {
		errs = append(errs, p.Admin.Delete(path))
	}
	return errors.Join(errs...)
}

// Sample reads the documents of a file of the module (of ours, below testdata/ or ../) as a user would apply them: each pod
// template with our schedulerName, and nothing else changed.
func (o *Operator) Sample(file, schedulerName string) ([][]byte, error) {
	ours := strings.HasPrefix(file, "testdata/") || strings.HasPrefix(file, "../")
	if !ours {
		file = filepath.Join(o.Folder, file)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var documents [][]byte
	templates := 0
	for i, document := range Documents(text) {
		var object map[string]any
		if err := yaml.Unmarshal(document, &object); err != nil {
			return nil, fmt.Errorf("%s, document %d: %w", file, i+1, err)
		}
		templates += handOver(object, schedulerName)
		changed, err := yaml.Marshal(object)
		if err != nil {
			return nil, err
		}
		documents = append(documents, changed)
	}
	if templates == 0 && !ours {
		return nil, fmt.Errorf("%s has no pod template", file)
	}
	return documents, nil
}

// handOver gives every pod spec inside the value our scheduler, and counts them.
func handOver(value any, schedulerName string) (n int) {
	switch value := value.(type) {
	case map[string]any:
		if _, isPod := value["containers"].([]any); isPod {
			value["schedulerName"] = schedulerName
			return 1
		}
		for _, each := range value {
			n += handOver(each, schedulerName)
		}
	case []any:
		for _, each := range value {
			n += handOver(each, schedulerName)
		}
	}
	return n
}

// WaitListening waits until something accepts connections on a port of this host. It polls: a port cannot be watched.
func WaitListening(port int, limit time.Duration) error {
	var err error
	for deadline := time.Now().Add(limit); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		var connection net.Conn
		if connection, err = net.DialTimeout("tcp", fmt.Sprintf("127.0.0.1:%d", port), time.Second); err == nil {
			return connection.Close()
		}
	}
	return fmt.Errorf("port %d: %w", port, err)
}
