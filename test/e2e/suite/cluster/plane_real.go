// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"os"
	"strings"
)

// userLines is the API server's file of tokens: everyone is who he is by his token.
const userLines = adminToken + ",admin,1,\"system:masters\"\n" +
	controllerToken + ",controllers,2,\"system:masters\"\n" +
	kubeletToken + ",kubelet,3,\"system:masters\"\n" +
	daemonToken + "," + DaemonUser + ",4,\"system:serviceaccounts,system:serviceaccounts:sakkara\"\n" +
	schedulerToken + ",system:serviceaccount:sakkara:sakkara-scheduler,5,\"system:serviceaccounts,system:serviceaccounts:sakkara\"\n"

// startReal starts etcd, kube-apiserver and kube-controller-manager.
func (p *Plane) startReal() error {
	if err := p.writeFiles(); err != nil {
		return err
	}
	etcdURL := fmt.Sprintf("http://127.0.0.1:%d", FreePort())
	p.etcdArgs = []string{p.Binary, "etcd", "--data-dir=" + p.file("etcd"),
		"--listen-client-url=" + etcdURL, fmt.Sprintf("--listen-peer-url=http://127.0.0.1:%d", FreePort())}
	etcd, err := Start(p.Dir, "etcd", nil, p.etcdArgs...)
	if err != nil {
		return err
	}
	p.others = append(p.others, etcd)
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
		args = append(args, "--audit-policy-file="+p.file("audit.yaml"), "--audit-log-path="+p.AuditLog(), "--audit-log-maxsize=100000")
	}
	if len(p.RuntimeConfig) > 0 {
		args = append(args, "--runtime-config="+strings.Join(p.RuntimeConfig, ","))
	}
	args = append(args, p.gates()...)
	p.serverArgs = append(args, p.ServerFlags...)
	if p.server, err = Start(p.Dir, "kube-apiserver", nil, p.serverArgs...); err != nil {
		return err
	}
	if err := p.waitReady(); err != nil {
		return err
	}
	kubeconfig, err := p.Kubeconfig("controllers", p.Server, p.CA, controllerToken)
	if err != nil {
		return err
	}
	p.controllerArgs = append([]string{p.Binary, "kube-controller-manager",
		"--kubeconfig=" + kubeconfig, "--leader-elect=false", "--secure-port=0", "--use-service-account-credentials=false",
		"--kube-api-qps=500", "--kube-api-burst=1000", "--concurrent-gc-syncs=2",
		"--controllers=" + strings.Join(append([]string{"job-controller", "replicaset-controller",
			"garbage-collector-controller", "disruption-controller", "namespace-controller", "resourceclaim-controller"}, p.Controllers...), ",")}, p.gates()...)
	controllers, err := Start(p.Dir, "kube-controller-manager", nil, p.controllerArgs...)
	if err != nil {
		return err
	}
	p.others = append(p.others, controllers)
	return nil
}

// gates is the flag of every part of the control plane; nothing while all gates are as they come.
func (p *Plane) gates() []string {
	if len(p.FeatureGates) == 0 {
		return nil
	}
	return []string{"--feature-gates=" + strings.Join(p.FeatureGates, ",")}
}

func (p *Plane) writeFiles() error {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return err
	}
	keyPEM := pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)})
	audit := "apiVersion: audit.k8s.io/v1\nkind: Policy\nomitStages: [RequestReceived]\nrules:\n" +
		"- {level: Metadata, omitStages: [ResponseStarted], verbs: [create, update, patch, delete]}\n"
	if p.AuditReads {
		audit += "- {level: Metadata, users: [\"" + DaemonUser + "\"]}\n"
	}
	audit += "- {level: None}\n"
	return errors.Join(
		os.WriteFile(p.file("accounts.key"), keyPEM, 0o600),
		os.WriteFile(p.file("tokens.csv"), []byte(userLines), 0o600),
		os.WriteFile(p.file("audit.yaml"), []byte(audit), 0o600),
	)
}
