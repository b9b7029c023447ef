// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// SystemNamespace holds the topology map, the service accounts and the scheduler's lease.
const SystemNamespace = "sakkara"

// Tokens of the API server's users. The last two are service accounts by name, so that the roles which
// the manifests bind to those accounts apply to them. On the sandbox nobody is authenticated.
const (
	adminToken      = "e2e-admin"
	controllerToken = "e2e-controllers"
	kubeletToken    = "e2e-kubelet"
	daemonToken     = "e2e-daemon"
	schedulerToken  = "e2e-scheduler"
)

// DaemonUser is who the daemon is to the API server.
const DaemonUser = "system:serviceaccount:sakkara:sakkara"

// PlaneOptions choose how a control plane is started.
type PlaneOptions struct {
	Sandbox string // the sakkara program, whose sandbox is the control plane; empty: a real one
	Binary  string // the multi-call binary of a real one
	Version string // its Kubernetes version, 1.36.3
	Dir     string // folder for data, keys and logs; must exist
	// DisableAdmission are admission plugins of a real one to leave out besides those a cluster without
	// kubelets and service account controllers must leave out.
	DisableAdmission []string
	// FeatureGates are switched on in every part of a real one, RuntimeConfig in its API server:
	// "GenericWorkload=true", "scheduling.k8s.io/v1alpha2=true".
	FeatureGates, RuntimeConfig []string
	Audit                       bool // write one audit line for each write request to Dir/audit.log
	AuditReads                  bool // and for each read of the daemon
	// Controllers run besides the usual ones, and ServerFlags are added to the API server's.
	Controllers []string
	ServerFlags []string
}

// Plane is a running control plane without a scheduler: etcd, kube-apiserver, kube-controller-manager; or
// the sandbox, which is all of them, and has kubelets of its own.
type Plane struct {
	PlaneOptions
	Server string // https://127.0.0.1:port
	CA     string // file with the API server's certificate; empty: plain HTTP
	Admin  *Client

	server         *Process   // that answers for the API
	serverArgs     []string   // of a real one
	others         []*Process // that stand behind it
	etcdArgs       []string   // of a real one
	controllerArgs []string   // of a real one
}

// StartPlane starts a control plane and returns once the API server is ready and holds the system
// namespace. The controller manager may still be starting.
func StartPlane(options PlaneOptions) (*Plane, error) {
	p := &Plane{PlaneOptions: options}
	start := p.startReal
	if p.IsSandbox() {
		start = p.startSandbox
	}
	err := start()
	if err == nil {
		err = p.CreateNamespace(SystemNamespace)
	}
	if err != nil {
		p.Stop()
		return nil, err
	}
	return p, nil
}

// IsSandbox tells the model of a control plane from a real one.
func (p *Plane) IsSandbox() bool { return p.Sandbox != "" }

// Minor is the Kubernetes minor version: 36 for 1.36.3.
func (p *Plane) Minor() int {
	minor, _ := strconv.Atoi(strings.Split(p.Version, ".")[1])
	return minor
}

func (p *Plane) file(name string) string { return filepath.Join(p.Dir, name) }

// DaemonClient asks with the daemon's account.
func (p *Plane) DaemonClient() (*Client, error) { return NewClient(p.Server, p.CA, daemonToken) }

// AdminBehind asks as the cluster's administrator, through a proxy.
func (p *Plane) AdminBehind(proxy *Proxy) (*Client, error) {
	return NewClient(proxy.Server, proxy.CA, adminToken)
}

// CPU is the processor time that the API server and etcd have used.
func (p *Plane) CPU() (apiserver, etcd time.Duration) {
	for _, process := range p.others {
		if process.Name == "etcd" {
			etcd = process.CPU()
		}
	}
	return p.server.CPU(), etcd
}

// AuditLog is the file of audit lines.
func (p *Plane) AuditLog() string { return p.file("audit.log") }

// waitReady polls, because nothing can be watched before the server listens.
func (p *Plane) waitReady() error {
	var err error
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if !p.server.Running() {
			return fmt.Errorf("%s ended:\n%s", p.server.Name, p.server.Tail(20))
		}
		if p.Admin == nil {
			if p.Admin, err = NewClient(p.Server, p.CA, adminToken); err != nil {
				continue
			}
		}
		if err = p.Admin.Do("GET", "/readyz", "", nil, nil); err == nil {
			return nil
		}
	}
	return fmt.Errorf("%s is not ready: %w\n%s", p.server.Name, err, p.server.Tail(20))
}

// Stop ends all processes of the plane at once; the data is worthless.
func (p *Plane) Stop() {
	for _, process := range p.others {
		process.Kill()
	}
	p.server.Kill()
}

// CreateNamespace makes sure that the namespace exists.
func (p *Plane) CreateNamespace(name string) error {
	err := p.Admin.Create("/api/v1/namespaces", map[string]any{"metadata": Meta{Name: name}}, nil)
	if IsStatus(err, http.StatusConflict) {
		return nil
	}
	return err
}

// Kubeconfig writes Dir/name.kubeconfig for a server, the file with its CA (empty: plain HTTP), and a token.
func (p *Plane) Kubeconfig(name, server, ca, token string) (string, error) {
	path := p.file(name + ".kubeconfig")
	trust := ""
	if ca != "" {
		trust = fmt.Sprintf(", certificate-authority: %q", ca)
	}
	text := fmt.Sprintf(`apiVersion: v1
kind: Config
current-context: e2e
contexts: [{name: e2e, context: {cluster: e2e, user: e2e}}]
clusters: [{name: e2e, cluster: {server: %q%s}}]
users: [{name: e2e, user: {token: %q}}]
`, server, trust, token)
	return path, os.WriteFile(path, []byte(text), 0o600)
}

// AdminKubeconfig writes the file that makes kubectl the cluster's administrator.
func (p *Plane) AdminKubeconfig() (string, error) {
	return p.Kubeconfig("admin", p.Server, p.CA, adminToken)
}

// Kubectl runs the plane's own kubectl as the cluster's administrator and returns its output.
func (p *Plane) Kubectl(arguments ...string) (string, error) {
	return (&Kubectl{Command: []string{p.Binary, "kubectl"}, Plane: p}).Run("", arguments...)
}
