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
	return p.waitReady(60 * time.Second)
}
