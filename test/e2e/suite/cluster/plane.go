// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
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

// Users of the API server. The last two are service accounts by name, so that the roles which the
// manifests bind to those accounts apply to them.
const (
	adminToken      = "e2e-admin"
	controllerToken = "e2e-controllers"
	kubeletToken    = "e2e-kubelet"
	daemonToken     = "e2e-daemon"
	schedulerToken  = "e2e-scheduler"

	tokens = adminToken + ",admin,1,\"system:masters\"\n" +
		controllerToken + ",controllers,2,\"system:masters\"\n" +
		kubeletToken + ",kubelet,3,\"system:masters\"\n" +
		daemonToken + ",system:serviceaccount:sakkara:sakkara,4,\"system:serviceaccounts,system:serviceaccounts:sakkara\"\n" +
		schedulerToken + ",system:serviceaccount:sakkara:sakkara-scheduler,5,\"system:serviceaccounts,system:serviceaccounts:sakkara\"\n"
)

// PlaneOptions choose how a control plane is started.
type PlaneOptions struct {
	Binary  string // the multi-call binary
	Version string // its Kubernetes version, 1.36.3
	Dir     string // folder for data, keys and logs; must exist
	// DisableAdmission are admission plugins to leave out besides those a cluster without kubelets
	// and service account controllers must leave out.
	DisableAdmission []string
	Audit            bool // write one audit line for each write request to Dir/audit.log
}

// Plane is a running control plane without a scheduler: etcd, kube-apiserver, kube-controller-manager.
type Plane struct {
	PlaneOptions
	Server string // https://127.0.0.1:port
	CA     string // file with the API server's certificate
	Admin  *Client

	etcd, apiserver, controllers *Process
}

// StartPlane starts a control plane and returns once the API server is ready and holds the system
// namespace. The controller manager may still be starting.
func StartPlane(options PlaneOptions) (*Plane, error) {
	p := &Plane{PlaneOptions: options}
	if err := p.start(); err != nil {
		p.Stop()
		return nil, err
	}
	return p, nil
}

// Minor is the Kubernetes minor version: 36 for 1.36.3.
func (p *Plane) Minor() int {
	minor, _ := strconv.Atoi(strings.Split(p.Version, ".")[1])
	return minor
}

func (p *Plane) start() error {
	if err := p.writeFiles(); err != nil {
		return err
	}
	var err error
	etcdURL := fmt.Sprintf("http://127.0.0.1:%d", FreePort())
	p.etcd, err = Start(p.Dir, "etcd", nil, p.Binary, "etcd", "--data-dir="+p.file("etcd"),
		"--listen-client-url="+etcdURL, fmt.Sprintf("--listen-peer-url=http://127.0.0.1:%d", FreePort()))
	if err != nil {
		return err
	}
	port := FreePort()
	p.Server = fmt.Sprintf("https://127.0.0.1:%d", port)
	p.CA = p.file("apiserver/apiserver.crt")
	disabled := append([]string{"ServiceAccount", "TaintNodesByCondition"}, p.DisableAdmission...)
	args := []string{p.Binary, "kube-apiserver",
		"--etcd-servers=" + etcdURL,
		fmt.Sprintf("--secure-port=%d", port), "--bind-address=127.0.0.1",
		"--cert-dir=" + p.file("apiserver"),
		"--service-cluster-ip-range=10.0.0.0/24",
		"--service-account-issuer=https://kubernetes.default.svc",
		"--service-account-key-file=" + p.file("accounts.key"),
		"--service-account-signing-key-file=" + p.file("accounts.key"),
		"--token-auth-file=" + p.file("tokens.csv"),
		"--authorization-mode=RBAC",
		"--disable-admission-plugins=" + strings.Join(disabled, ","),
		"--endpoint-reconciler-type=none",
		"--max-requests-inflight=3000", "--max-mutating-requests-inflight=2000",
	}
	if p.Audit {
		args = append(args, "--audit-policy-file="+p.file("audit.yaml"), "--audit-log-path="+p.AuditLog())
	}
	if p.apiserver, err = Start(p.Dir, "kube-apiserver", nil, args...); err != nil {
		return err
	}
	if err := p.waitReady(60 * time.Second); err != nil {
		return err
	}
	kubeconfig, err := p.Kubeconfig("controllers", p.Server, p.CA, controllerToken)
	if err != nil {
		return err
	}
	p.controllers, err = Start(p.Dir, "kube-controller-manager", nil, p.Binary, "kube-controller-manager",
		"--kubeconfig="+kubeconfig, "--leader-elect=false", "--secure-port=0", "--use-service-account-credentials=false",
		"--kube-api-qps=500", "--kube-api-burst=1000", "--concurrent-gc-syncs=2",
		"--controllers=job-controller,replicaset-controller,garbage-collector-controller,disruption-controller,namespace-controller")
	if err != nil {
		return err
	}
	return p.CreateNamespace(SystemNamespace)
}

func (p *Plane) file(name string) string { return filepath.Join(p.Dir, name) }

// AuditLog is the file of audit lines.
func (p *Plane) AuditLog() string { return p.file("audit.log") }

func (p *Plane) writeFiles() error {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return err
	}
	keyPEM := pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)})
	audit := "apiVersion: audit.k8s.io/v1\nkind: Policy\nomitStages: [RequestReceived, ResponseStarted]\nrules:\n" +
		"- {level: Metadata, verbs: [create, update, patch, delete]}\n- {level: None}\n"
	return errors.Join(
		os.WriteFile(p.file("accounts.key"), keyPEM, 0o600),
		os.WriteFile(p.file("tokens.csv"), []byte(tokens), 0o600),
		os.WriteFile(p.file("audit.yaml"), []byte(audit), 0o600),
	)
}

// waitReady polls, because nothing can be watched before the server listens.
func (p *Plane) waitReady(limit time.Duration) error {
	var err error
	for deadline := time.Now().Add(limit); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		if !p.apiserver.Running() {
			return fmt.Errorf("kube-apiserver ended:\n%s", p.apiserver.Tail(20))
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
	return fmt.Errorf("kube-apiserver is not ready: %w\n%s", err, p.apiserver.Tail(20))
}

// Stop ends all processes of the plane at once; the data is worthless.
func (p *Plane) Stop() {
	p.controllers.Kill()
	p.apiserver.Kill()
	p.etcd.Kill()
}

// CreateNamespace makes sure that the namespace exists.
func (p *Plane) CreateNamespace(name string) error {
	err := p.Admin.Create("/api/v1/namespaces", map[string]any{"metadata": Meta{Name: name}}, nil)
	if IsStatus(err, http.StatusConflict) {
		return nil
	}
	return err
}

// Kubeconfig writes Dir/name.kubeconfig for a server, the file with its CA, and a token.
func (p *Plane) Kubeconfig(name, server, ca, token string) (string, error) {
	path := p.file(name + ".kubeconfig")
	text := fmt.Sprintf(`apiVersion: v1
kind: Config
current-context: e2e
contexts: [{name: e2e, context: {cluster: e2e, user: e2e}}]
clusters: [{name: e2e, cluster: {server: %q, certificate-authority: %q}}]
users: [{name: e2e, user: {token: %q}}]
`, server, ca, token)
	return path, os.WriteFile(path, []byte(text), 0o600)
}

// Kubectl runs the plane's kubectl as the cluster's administrator and returns its output.
func (p *Plane) Kubectl(arguments ...string) (string, error) {
	kubeconfig, err := p.Kubeconfig("admin", p.Server, p.CA, adminToken)
	if err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp(p.Dir, "kubectl")
	if err != nil {
		return "", err
	}
	argv := append([]string{p.Binary, "kubectl", "--kubeconfig=" + kubeconfig, "--cache-dir=" + p.file("kubectl-cache")}, arguments...)
	process, err := Start(dir, "kubectl", nil, argv...)
	if err != nil {
		return "", err
	}
	<-process.Done()
	output := process.Tail(1000)
	if process.err != nil {
		return output, fmt.Errorf("kubectl %s: %w\n%s", strings.Join(arguments, " "), process.err, output)
	}
	return output, nil
}
