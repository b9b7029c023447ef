// SPDX-License-Identifier: Apache-2.0

// Package suite proves the promises of sakkara on a real control plane, or on the sandbox's model of one
// (SAKKARA_E2E_PLANE=sandbox). A few real control planes (SAKKARA_E2E_PLANES) serve all tests: a test has one to
// itself while it runs and hands it on empty, so that as many run side by side; on the sandbox each test has its
// own. Each test has its own namespace, nodes, daemon and kube-scheduler.
package suite

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"sakkara/test/e2e/suite/cluster"
)

// onSandbox: each test starts a sandbox instead.
var onSandbox = fromEnvironment("SAKKARA_E2E_PLANE", "real") == "sandbox"

// base is the folder of all logs and configurations.
var base string

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
	var err error
	base, err = os.MkdirTemp("", "sakkara-e2e-")
	if err == nil {
		sakkaraBinary, err = filepath.Abs(sakkaraBinary)
	}
	if err == nil && stateFolder != "" {
		err = os.MkdirAll(stateFolder, 0o755)
	}
	if err == nil {
		err = startPlanes()
	}
	defer func() {
		if workload.plane != nil {
			workload.plane.Stop()
		}
		for _, plane := range planes.all {
			plane.Stop()
		}
		planes.report()
		if code == 0 && os.Getenv("SAKKARA_E2E_KEEP") == "" {
			os.RemoveAll(base)
		} else {
			fmt.Fprintln(os.Stderr, "e2e: logs and configurations are in", base)
		}
	}()
	if err != nil {
		fmt.Fprintln(os.Stderr, "e2e:", err)
		return 1
	}
	return m.Run()
}

// startPlanes starts all control planes at once; on the sandbox, where each test starts its own, none.
func startPlanes() error {
	n, err := strconv.Atoi(fromEnvironment("SAKKARA_E2E_PLANES", "1"))
	if err != nil || n < 1 {
		return fmt.Errorf("SAKKARA_E2E_PLANES is a number from 1, not %q", os.Getenv("SAKKARA_E2E_PLANES"))
	}
	if onSandbox {
		planes.idle = make([]*cluster.Plane, n)
		return nil
	}
	err = cluster.Parallel(n, func(int) error {
		_, err := planes.start()
		return err
	})
	planes.idle = slices.Clone(planes.all)
	return err
}

// minor is the Kubernetes minor version of this run.
func minor() int {
	var number int
	fmt.Sscanf(version, "1.%d", &number)
	return number
}

// planeFor is a control plane for the test alone: one of the shared ones, which it hands on when it ends, or
// a sandbox of its own. Other tests run meanwhile.
func planeFor(t *testing.T) *cluster.Plane {
	t.Helper()
	sideBySide(t)
	if plane := planes.take(t); plane != nil {
		return plane
	}
	dir, err := os.MkdirTemp(base, strings.ReplaceAll(t.Name(), "/", ".")+".") // with -count a test runs again
	if err != nil {
		t.Fatal(err)
	}
	own, err := cluster.StartPlane(cluster.PlaneOptions{Sandbox: sakkaraBinary, Version: version, Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(own.Stop)
	return own
}

var besideOthers sync.Map

// sideBySide lets the test run beside others.
func sideBySide(t *testing.T) {
	if _, already := besideOthers.LoadOrStore(t.Name(), true); !already {
		t.Parallel()
	}
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
