// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"fmt"
	"os"
	"time"
)

const leasePath = "/apis/coordination.k8s.io/v1/namespaces/" + SystemNamespace + "/leases/sakkara-scheduler"

// SchedulerOptions choose how kube-scheduler runs. The configuration written from them is the shipped
// one but for ports, file names and profile plain, of which the daemon knows nothing.
type SchedulerOptions struct {
	FilterURL  string // prefix of filter and prioritize; empty: a bare kube-scheduler without extenders
	BindURL    string // prefix of bind
	Percentage int    // percentageOfNodesToScore; 0: as shipped, ByItself
	MaxBackoff int    // podMaxBackoffSeconds; 0: 10
	HTTPLimit  string // httpTimeout of bind; empty: 330s
	Flags      []string
	GangPlugin bool   // the plugins for PodGroups are on, which the shipped configuration switches off
	Host       string // on which it believes itself; empty: this one
	StandsBy   bool   // beside another one that leads: it is not waited for
	Alone      bool   // without an election, so that a busy machine costs it no Lease; it is not waited for
}

// ByItself leaves it to kube-scheduler how many nodes it looks at.
const ByItself = -1

// Configuration is the KubeSchedulerConfiguration for these options.
func (o *SchedulerOptions) Configuration(kubeconfig string) string {
	backoff, limit := o.MaxBackoff, o.HTTPLimit
	if backoff == 0 {
		backoff = 10
	}
	if limit == "" {
		limit = "330s"
	}
	disabled := "{name: DefaultPreemption}"
	if !o.GangPlugin {
		disabled += ", {name: GangScheduling}, {name: TopologyPlacementGenerator}, {name: PodGroupPodsCount}"
	}
	text := fmt.Sprintf(`apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
clientConnection: {kubeconfig: %[1]q, qps: 1000, burst: 2000}
leaderElection: {leaderElect: %[2]v, resourceNamespace: sakkara, resourceName: sakkara-scheduler}
podInitialBackoffSeconds: 1
podMaxBackoffSeconds: %[3]d
profiles:
- schedulerName: sakkara
  plugins: {multiPoint: {disabled: [%[4]s]}}
- schedulerName: sakkara-scheduler
  plugins: {multiPoint: {disabled: [%[4]s]}}
- schedulerName: plain
  plugins: {multiPoint: {disabled: [%[4]s]}}
`, kubeconfig, !o.Alone, backoff, disabled)
	percentage := o.Percentage
	if percentage == 0 {
		percentage = 100
	}
	if percentage != ByItself {
		text += fmt.Sprintf("percentageOfNodesToScore: %d\n", percentage)
	}
	if o.FilterURL != "" {
		text += fmt.Sprintf(`extenders:
- {urlPrefix: %q, filterVerb: filter, prioritizeVerb: prioritize, weight: 20, httpTimeout: 3s, nodeCacheCapable: true, ignorable: false}
- {urlPrefix: %q, bindVerb: bind, httpTimeout: %s, nodeCacheCapable: true, ignorable: false}
`, o.FilterURL, o.BindURL, limit)
	}
	return text
}

// Scheduler is a running kube-scheduler, or the sandbox's model of one.
type Scheduler struct {
	plane   *Plane
	process *Process // of kube-scheduler; nil: the model
}

// StartScheduler starts kube-scheduler and returns once it has listed everything and schedules.
func (p *Plane) StartScheduler(name string, options SchedulerOptions) (*Scheduler, error) {
	if p.IsSandbox() {
		return p.startModel(options)
	}
	process, err := p.startKubeScheduler(name, options)
	if err != nil {
		return nil, err
	}
	return &Scheduler{plane: p, process: process}, nil
}

// Kill ends it as kill -9 does: calls that are under way break off, what it had in mind is lost. A nil or
// dead one is fine.
func (s *Scheduler) Kill() error {
	if s == nil {
		return nil
	}
	if s.process == nil {
		return s.plane.stopModel()
	}
	s.process.Kill()
	return nil
}

// Process is that of kube-scheduler; the model has none.
func (s *Scheduler) Process() *Process { return s.process }

// Freeze stops kube-scheduler for a while, as SIGSTOP does; the model goes on.
func (s *Scheduler) Freeze(d time.Duration) { s.process.Freeze(d) }

// CPU is the processor time kube-scheduler has used; the model's cannot be told from the sandbox's.
func (s *Scheduler) CPU() time.Duration { return s.process.CPU() }

// startKubeScheduler starts it as the scheduler's service account and returns once it leads.
func (p *Plane) startKubeScheduler(name string, options SchedulerOptions) (*Process, error) {
	kubeconfig, err := p.Kubeconfig("scheduler", p.Server, p.CA, schedulerToken)
	if err != nil {
		return nil, err
	}
	config := p.file(name + ".yaml")
	if err := os.WriteFile(config, []byte(options.Configuration(kubeconfig)), 0o600); err != nil {
		return nil, err
	}
	// The lease of a killed predecessor would be waited for.
	if !options.StandsBy {
		if err := p.Admin.Delete(leasePath); err != nil {
			return nil, err
		}
	}
	argv := append([]string{p.Binary, "kube-scheduler", "--config=" + config, "--secure-port=0"}, append(p.gates(), options.Flags...)...)
	scheduler, err := Start(p.Dir, name, nil, OnHost(options.Host, argv...)...)
	if err != nil || options.StandsBy || options.Alone {
		return scheduler, err
	}
	var lease struct {
		Spec struct{ HolderIdentity string }
	}
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if !scheduler.Running() {
			break
		}
		if p.Admin.Get(leasePath, &lease) == nil && lease.Spec.HolderIdentity != "" {
			return scheduler, nil
		}
	}
	tail := scheduler.Tail(20)
	scheduler.Kill()
	return nil, fmt.Errorf("kube-scheduler does not lead:\n%s", tail)
}
