// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"
)

// StartUpstream runs the scheduler of another project against this plane, behind a proxy: NAME of test/upstream, ocm or
// karmada. It is built first if it is not cached, which takes minutes.
func (p *Plane) StartUpstream(name string, proxy *Proxy) (*Process, error) {
	kubeconfig, err := p.Kubeconfig(filepath.Base(proxy.CA)+"-"+name, proxy.Server, proxy.CA, adminToken)
	if err != nil {
		return nil, err
	}
	script, err := filepath.Abs("../../upstream/run.sh")
	if err != nil {
		return nil, err
	}
	process, err := Start(p.Dir, filepath.Base(kubeconfig), nil, script, name, "-serve", kubeconfig)
	if err != nil {
		return nil, err
	}
	for deadline := time.Now().Add(15 * time.Minute); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if strings.Contains(process.Tail(50), "serving") {
			return process, nil
		}
		if !process.Running() {
			break
		}
	}
	return nil, fmt.Errorf("%s does not start:\n%s", name, process.Tail(20))
}
