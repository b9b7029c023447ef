// SPDX-License-Identifier: Apache-2.0

// Package ship checks what users install: the chart, the manifests made from it, packages and archives.
package ship

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"sigs.k8s.io/yaml"

	"sakkara/test/e2e/suite/cluster"
)

const (
	root      = "../.."
	manifests = root + "/manifests"
	chart     = manifests + "/chart/sakkara"
	version   = "1.36.3" // of the Kubernetes that manifests are written for
)

// tool is a program that the run script built; without it the test is skipped.
func tool(t *testing.T, variable string) string {
	t.Helper()
	path := os.Getenv(variable)
	if path == "" {
		t.Skipf("%s is not set: test/ship/run.sh builds it", variable)
	}
	return path
}

// run is the standard output of a program.
func run(t *testing.T, argv ...string) string {
	t.Helper()
	output, err := try(argv...)
	if err != nil {
		t.Fatal(err)
	}
	return output
}

func try(argv ...string) (string, error) {
	var out, errors bytes.Buffer
	command := exec.Command(argv[0], argv[1:]...)
	command.Stdout, command.Stderr = &out, &errors
	if err := command.Run(); err != nil {
		return out.String(), fmt.Errorf("%s %v: %w\n%s", filepath.Base(argv[0]), argv[1:], err, errors.String())
	}
	return out.String(), nil
}

// template is what helm renders of the chart, without its tests.
func template(t *testing.T, arguments ...string) string {
	t.Helper()
	return run(t, append([]string{tool(t, "SAKKARA_HELM"), "template", "sakkara", chart, "-n", "sakkara", "--kube-version", version, "--no-hooks"}, arguments...)...)
}

// kustomize is what kubectl renders of a folder.
func kustomize(t *testing.T, folder string) string {
	t.Helper()
	return run(t, tool(t, "SAKKARA_CONTROLPLANE"), "kubectl", "kustomize", folder)
}

// objects are those of a text by kind, namespace and name; two of one name are an error.
func objects(t *testing.T, text string) map[string]map[string]any {
	t.Helper()
	all := map[string]map[string]any{}
	for _, document := range cluster.Documents([]byte(text)) {
		var object map[string]any
		if err := yaml.Unmarshal(document, &object); err != nil {
			t.Fatalf("%v in\n%s", err, document)
		}
		if object == nil {
			continue
		}
		meta := object["metadata"].(map[string]any)
		key := fmt.Sprint(object["kind"], " ", meta["namespace"], "/", meta["name"])
		if all[key] != nil {
			t.Errorf("%s twice", key)
		}
		all[key] = object
	}
	return all
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
