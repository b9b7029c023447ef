// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"fmt"
	"os"
	"regexp"
	"time"
)

// modelPath starts the sandbox's model of kube-scheduler (POST of a KubeSchedulerConfiguration) and ends it
// (DELETE).
const modelPath = "/sandbox/v1/scheduler"

// startSandbox starts `sakkara sandbox` without a daemon, a scheduler and nodes.
func (p *Plane) startSandbox() error {
	empty := p.file("empty.yaml")
	namespace := "apiVersion: v1\nkind: Namespace\nmetadata: {name: " + SystemNamespace + "}\n"
	if err := os.WriteFile(empty, []byte(namespace), 0o600); err != nil {
		return err
	}
	var err error
	p.server, err = Start(p.Dir, "sandbox", nil, p.Sandbox, "sandbox", "--no-daemon", "--no-scheduler", "-f", empty,
		"--listen", "127.0.0.1:0", "--kubeconfig-out", p.file("sandbox.kubeconfig"))
	if err != nil {
		return err
	}
	if err := p.waitKubeconfig(); err != nil {
		return err
	}
	return p.waitReady()
}

var serverLine = regexp.MustCompile(`server: "(http://[0-9.:]+)"`)

// waitKubeconfig waits for the file that the sandbox writes when all of it is there, and reads its address.
func (p *Plane) waitKubeconfig() error {
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		text, err := os.ReadFile(p.file("sandbox.kubeconfig"))
		if found := serverLine.FindSubmatch(text); err == nil && found != nil {
			p.Server = string(found[1])
			return nil
		}
		if !p.server.Running() {
			break
		}
	}
	return fmt.Errorf("the sandbox does not start:\n%s", p.server.Tail(20))
}

// startModel returns once the model has listed everything and schedules.
func (p *Plane) startModel(options SchedulerOptions) (*Scheduler, error) {
	configuration := options.Configuration("")
	if err := p.Admin.Do("POST", modelPath, "application/yaml", configuration, nil); err != nil {
		return nil, err
	}
	return &Scheduler{plane: p}, nil
}

func (p *Plane) stopModel() error {
	if err := p.Admin.Do("DELETE", modelPath, "", nil, nil); err != nil && !IsStatus(err, 404) {
		return err
	}
	return nil
}
