// SPDX-License-Identifier: Apache-2.0

// Package suite proves the promises of sakkara on a real control plane. One control plane serves all
// tests; each test has its own nodes, daemon and kube-scheduler.
package suite

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"sakkara/test/e2e/suite/cluster"
)

// plane is the control plane of this run.
var plane *cluster.Plane

// Paths, from this folder unless the environment says otherwise.
var (
	sakkaraBinary = fromEnvironment("SAKKARA_BIN", "../../../build/sakkara")
	manifests     = fromEnvironment("SAKKARA_MANIFESTS", "../../../manifests")
	version       = fromEnvironment("SAKKARA_E2E_VERSION", "1.36.3")
)

func fromEnvironment(name, otherwise string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return otherwise
}

func TestMain(m *testing.M) { os.Exit(runAll(m)) }

func runAll(m *testing.M) (code int) {
	dir, err := os.MkdirTemp("", "sakkara-e2e-")
	if err == nil {
		sakkaraBinary, err = filepath.Abs(sakkaraBinary)
	}
	if err == nil {
		plane, err = startPlane(dir, nil)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "e2e:", err)
		return 1
	}
	defer func() {
		plane.Stop()
		if code == 0 && os.Getenv("SAKKARA_E2E_KEEP") == "" {
			os.RemoveAll(dir)
		} else {
			fmt.Fprintln(os.Stderr, "e2e: logs and configurations are in", dir)
		}
	}()
	return m.Run()
}

// startPlane starts a control plane of the chosen version with the shipped permissions and the PodGroup
// resource.
func startPlane(dir string, options *cluster.PlaneOptions) (*cluster.Plane, error) {
	build := exec.Command("../build-controlplane.sh", version)
	build.Stderr = os.Stderr
	path, err := build.Output()
	if err != nil {
		return nil, fmt.Errorf("build-controlplane.sh: %w", err)
	}
	if options == nil {
		options = &cluster.PlaneOptions{Audit: os.Getenv("SAKKARA_E2E_AUDIT") != ""}
	}
	options.Binary, options.Version, options.Dir = strings.TrimSpace(string(path)), version, dir
	started, err := cluster.StartPlane(*options)
	if err != nil {
		return nil, err
	}
	roles, err := started.Grant(filepath.Join(manifests, "install.yaml"))
	if err == nil {
		err = started.InstallPodGroups()
	}
	if err != nil {
		started.Stop()
		return nil, err
	}
	fmt.Fprintf(os.Stderr, "e2e: Kubernetes %s, %d roles from the manifests\n", version, roles)
	return started, nil
}
