// SPDX-License-Identifier: Apache-2.0

package cluster

import "time"

// RestartAPIServer kills the API server of a real plane and starts it again on the same port. Watches of
// recorders and kubelets break off.
func (p *Plane) RestartAPIServer() error {
	p.server.Kill()
	server, err := Start(p.Dir, "kube-apiserver", nil, p.serverArgs...)
	if err != nil {
		return err
	}
	p.server = server
	return p.waitReady()
}

// RestartEtcd kills etcd of a real plane and starts it again on the same port and data. The API server looks for it again.
func (p *Plane) RestartEtcd() error {
	if err := p.restartOther("etcd", p.etcdArgs); err != nil {
		return err
	}
	return p.waitReady()
}

// RestartControllers kills kube-controller-manager of a real plane and starts it again, with nothing remembered.
func (p *Plane) RestartControllers() error {
	return p.restartOther("kube-controller-manager", p.controllerArgs)
}

func (p *Plane) restartOther(name string, argv []string) error {
	for i, process := range p.others {
		if process.Name != name {
			continue
		}
		process.Kill()
		again, err := Start(p.Dir, name, nil, argv...)
		if err != nil {
			return err
		}
		p.others[i] = again
	}
	return nil
}

// Freeze stops a part of a real plane for a while, "etcd" or "kube-apiserver", as SIGSTOP does.
func (p *Plane) Freeze(name string, d time.Duration) {
	for _, process := range append([]*Process{p.server}, p.others...) {
		if process.Name == name {
			process.Freeze(d)
		}
	}
}
