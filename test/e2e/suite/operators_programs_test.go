// SPDX-License-Identifier: Apache-2.0

//go:build operators

package suite

import (
	"fmt"
	"os"
	"strings"

	"sakkara/test/e2e/suite/cluster"
)

// operatorProgram says how one operator is run: the folder of test/e2e/operators with its module is its name.
type operatorProgram struct {
	definitions  []string // files of CustomResourceDefinitions, in its module
	converted    []string // those that need its webhook to convert between versions
	webhooks     string   // file of its webhooks, in its module; empty: none are served
	port         int      // of its webhooks
	certificates string   // folder of the webhooks' certificate, below its home
	secret       string   // of the certificate, in the namespace default, if the operator renews it by itself
	names        []string // that the certificate has to have for that
	mounted      string   // file that it waits for outside its home, as if a kubelet had mounted the secret
	config       string
	env          []string
	arguments    []string
}

const controllerRuntimeCertificates = "k8s-webhook-server/serving-certs"

var operatorPrograms = map[string]operatorProgram{
	"lws": {
		definitions: []string{"config/crd/bases/*.yaml"},
		webhooks:    "config/webhook/manifests.yaml", port: 19443, certificates: controllerRuntimeCertificates,
		config: "apiVersion: config.lws.x-k8s.io/v1alpha1\nkind: Configuration\nleaderElection: {leaderElect: false}\n" +
			"internalCertManagement: {enable: false}\nwebhook: {port: 19443, certDir: \"{home}/" + controllerRuntimeCertificates + "\"}\n" +
			"metrics: {bindAddress: \"0\"}\nhealth: {healthProbeBindAddress: \"0\"}\n",
		arguments: []string{"--config={home}/config.yaml"},
	},
	"jobset": {
		definitions: []string{"config/components/crd/bases/*.yaml"},
		webhooks:    "config/components/webhook/manifests.yaml", port: 19444, certificates: controllerRuntimeCertificates,
		config: "apiVersion: config.jobset.x-k8s.io/v1alpha1\nkind: Configuration\nleaderElection: {leaderElect: false}\n" +
			"internalCertManagement: {enable: false}\nwebhook: {port: 19444, certDir: \"{home}/" + controllerRuntimeCertificates + "\"}\n" +
			"metrics: {bindAddress: \"0\"}\nhealth: {healthProbeBindAddress: \"0\"}\n",
		arguments: []string{"--config={home}/config.yaml"},
	},
	"mpi-operator": {
		definitions: []string{"manifests/base/kubeflow.org_mpijobs.yaml"},
		arguments:   []string{"-kubeConfig={kubeconfig}", "-lock-namespace=default", "-alsologtostderr"},
	},
	// The cloud of Karpenter's own tests: it makes Node objects. bootNodes() makes them Ready.
	"karpenter": {
		definitions: []string{"pkg/apis/crds/*.yaml", "kwok/apis/crds/*.yaml"},
		env: []string{"KUBERNETES_MIN_VERSION=1.19.0-0", "SYSTEM_NAMESPACE=default", "DISABLE_LEADER_ELECTION=true",
			"METRICS_PORT=0", "HEALTH_PROBE_PORT=0"},
	},
	"kuberay": {
		definitions: []string{"config/crd/bases/*.yaml"},
		arguments:   []string{"-enable-leader-election=false", "-metrics-addr=0", "-health-probe-bind-address=0"},
	},
	"training-operator": {
		definitions: []string{"manifests/base/crds/kubeflow.org_*.yaml"},
		webhooks:    "manifests/base/webhook/manifests.yaml", port: 19445, certificates: controllerRuntimeCertificates,
		secret: "training-operator-webhook-cert", names: []string{"training-operator-ca", "training-operator.default.svc"},
		mounted:   "/tmp/k8s-webhook-server/serving-certs/tls.crt",
		env:       []string{"MY_POD_NAMESPACE=default"},
		arguments: []string{"--webhook-server-port=19445", "--metrics-bind-address=0", "--health-probe-bind-address=0"},
	},
	"trainer": {
		definitions: []string{"manifests/base/crds/trainer.kubeflow.org_*.yaml"},
		webhooks:    "manifests/base/webhook/manifests.yaml", port: 19446, certificates: controllerRuntimeCertificates,
		config: "apiVersion: config.trainer.kubeflow.org/v1alpha1\nkind: Configuration\nleaderElection: {leaderElect: false}\n" +
			"certManagement: {enable: false}\nwebhook: {port: 19446, host: \"\"}\n" +
			"metrics: {bindAddress: \"0\"}\nhealth: {healthProbeBindAddress: \"0\"}\n",
		arguments: []string{"--config={home}/config.yaml"},
	},
	"kueue": {
		definitions: []string{"config/components/crd/bases/*.yaml"},
		converted: []string{"localqueues.kueue.x-k8s.io", "clusterqueues.kueue.x-k8s.io", "workloads.kueue.x-k8s.io",
			"cohorts.kueue.x-k8s.io", "multikueueclusters.kueue.x-k8s.io"},
		webhooks: "config/components/webhook/manifests.yaml", port: 19447, certificates: controllerRuntimeCertificates,
		secret: "kueue-webhook-server-cert", names: []string{"kueue-ca", "kueue-webhook-service.default.svc"},
		config: "apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\nnamespace: default\nleaderElection: {leaderElect: false}\n" +
			"webhook: {port: 19447, certDir: \"{home}/" + controllerRuntimeCertificates + "\"}\nfeatureGates: {VisibilityOnDemand: false}\n" +
			"metrics: {bindAddress: \"0\"}\nhealth: {healthProbeBindAddress: \"0\"}\n" +
			"integrations: {frameworks: [batch/job, jobset.x-k8s.io/jobset, pod, leaderworkerset.x-k8s.io/leaderworkerset]}\n",
		arguments: []string{"--config={home}/config.yaml"},
	},
}

// launchOperator builds, installs and runs an operator and serves its webhooks until the test ends. more is added to its config.
func launchOperator(r *run, name string, more ...string) *cluster.Operator {
	r.Helper()
	program, known := operatorPrograms[name]
	if !known {
		r.Fatalf("no operator is called %s", name)
	}
	operator, err := cluster.BuildOperator(name)
	r.must(err)
	_, err = operator.Install(r.plane, program.definitions...)
	r.must(err)
	r.must(operator.Certify(r.plane, program.secret, program.names...))
	if program.mounted != "" {
		r.must(os.MkdirAll(program.mounted[:strings.LastIndexByte(program.mounted, '/')], 0o755))
		r.must(os.WriteFile(program.mounted, operator.Certificate, 0o600))
		r.Cleanup(func() { r.must(os.Remove(program.mounted)) })
	}
	for _, definition := range program.converted {
		r.must(operator.ConvertBy(r.plane, definition, program.port))
	}
	process, err := operator.Launch(r.plane, program.config+strings.Join(more, ""), program.env, program.certificates, program.arguments...)
	r.must(err)
	r.Cleanup(func() {
		if r.Failed() {
			r.Logf("last lines of %s:\n%s", name, process.Tail(40))
		}
		process.Kill()
	})
	if program.webhooks != "" {
		if err := cluster.WaitListening(program.port, usual); err != nil {
			r.Fatal(fmt.Errorf("%s: %w", name, err))
		}
		r.must(operator.ServeWebhooks(r.plane, program.webhooks, program.port))
		r.Cleanup(func() { r.must(operator.RemoveWebhooks(r.plane)) })
	}
	return operator
}
