// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// ErrNotBuilt: Building another scheduler takes minutes, which no scenario does.
var ErrNotBuilt = errors.New("the other scheduler is not built: `make upstream` does that")

// StartUpstream runs the scheduler of another project against this plane, behind a proxy: NAME of test/upstream, ocm or
// karmada, with further flags.
func (p *Plane) StartUpstream(name string, proxy *Proxy, flags ...string) (*Process, error) {
	return p.startUpstream(name, "-serve", proxy, flags)
}

// StartEstimators runs karmada-scheduler-estimator of these clusters on 127.0.0.1. Each looks at this plane.
func (p *Plane) StartEstimators(proxy *Proxy, clusters []string, flags ...string) (*Process, error) {
	return p.startUpstream("karmada", "-estimate", proxy, append(flags, "-clusters", strings.Join(clusters, ",")))
}

func (p *Plane) startUpstream(name, role string, proxy *Proxy, flags []string) (*Process, error) {
	kubeconfig, err := p.Kubeconfig(filepath.Base(proxy.CA)+"-"+name+role, proxy.Server, proxy.CA, adminToken)
	if err != nil {
		return nil, err
	}
	const script = "../../upstream/run.sh"
	path, err := exec.Command(script, name, "--path").Output()
	if err != nil {
		return nil, err
	}
	binary := strings.TrimSpace(string(path))
	if _, err := os.Stat(binary); err != nil {
		return nil, ErrNotBuilt
	}
	process, err := Start(p.Dir, filepath.Base(kubeconfig), nil, append([]string{binary, role, kubeconfig}, flags...)...)
	if err != nil {
		return nil, err
	}
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if strings.Contains(process.Tail(50), "serving") {
			return process, nil
		}
		if !process.Running() {
			break
		}
	}
	return nil, fmt.Errorf("%s does not start:\n%s", name, process.Tail(20))
}
