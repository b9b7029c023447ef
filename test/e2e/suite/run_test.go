// SPDX-License-Identifier: Apache-2.0

package suite

import (
	"fmt"
	"os"
	"path"
	"strings"
	"testing"
	"time"

	"sakkara/test/e2e/suite/cluster"
)

// run is one scenario: a namespace of its own, a fake kubelet, a recorder, and, unless bare, the daemon
// between two proxies, one to the API server and one from kube-scheduler.
type run struct {
	*testing.T
	plane      *cluster.Plane
	ns         string
	namespaces []string // further ones
	kubelet    *cluster.Kubelet
	rec        *cluster.Recorder
	proxy      *cluster.Proxy
	proxies    []*cluster.Proxy // of further daemons
	daemon     *cluster.Daemon
	tap        *cluster.Tap
	taps       []*cluster.Tap // of further daemons
	scheduler  *cluster.Scheduler

	resources        map[string]cluster.Resource // of options.resources, by plural
	schedulerOptions cluster.SchedulerOptions
	schedulers       int
	anywhere         []string // beginnings of names of pods whose node is left to chance
	waiting          []string // groups whose texts are left out
	eventsFree       bool     // the daemon's Events are left out
	retriesFree      bool     // the members' counts of trials are left out
	labelsFree       bool     // the status labels of members that wait are left out
	toldCounts       bool     // Events that tell members why they wait are not left out
	free             []string // all these for people
	transcript       string   // of kubectl
}

// options choose what differs from the usual scenario.
type options struct {
	plane     *cluster.Plane // one that planeFor chooses when nil
	daemon    cluster.DaemonOptions
	scheduler cluster.SchedulerOptions
	// Files with CustomResourceDefinitions, from this folder: the resources are served, followed by the recorder
	// (run.resource) and empty at the end.
	resources []string
	// Manifests, from this folder, with roles and bindings that the daemon needs besides those of install.yaml.
	roles  []string
	bare   bool // kube-scheduler without extenders and without daemon
	paused bool // daemon and scheduler are started by the test (begin)
	// The kind PodGroup is not installed when the daemon starts. The next scenario finds it installed.
	withoutPodGroups bool
}

// usual is how long anything that ought to happen at once may take on a busy machine.
const usual = 60 * time.Second

// start prepares a scenario on nodes and starts it. At the end of the test the history is verified and
// the cluster emptied.
func start(t *testing.T, nodes []*cluster.Node, wanted options) *run {
	t.Helper()
	r := &run{T: t, plane: wanted.plane, ns: namespaceOf(t), schedulerOptions: wanted.scheduler}
	r.forgetState()
	if r.plane == nil {
		r.plane = planeFor(t)
	}
	if !wanted.bare {
		if _, err := os.Stat(sakkaraBinary); err != nil {
			t.Fatalf("no daemon to test: %v", err)
		}
	}
	r.must(r.plane.CreateNamespace(r.ns))
	if (wanted.plane == nil || wanted.plane == workload.plane) && !onSandbox { // it goes on to the next scenario
		r.Cleanup(func() {
			for _, namespace := range append(r.namespaces, r.ns) {
				r.must(r.plane.Clear(namespace))
			}
		})
	}
	r.must(r.plane.CreateNodes(nodes...))
	r.install(wanted.resources, wanted.roles)
	if wanted.withoutPodGroups {
		r.Cleanup(func() { r.must(r.plane.InstallPodGroups()) })
		r.must(r.plane.RemovePodGroups())
	}
	var err error
	r.rec, err = r.plane.StartRecorder()
	r.must(err)
	r.Cleanup(r.rec.Stop)
	for _, resource := range r.resources {
		r.must(r.rec.Follow(resource.Path))
	}
	if wanted.plane != nil && wanted.plane == workload.plane {
		r.must(r.rec.Follow(nativeGroups() + "podgroups"))
	}
	r.kubelet, err = r.plane.StartKubelet()
	r.must(err)
	r.Cleanup(func() {
		if err := r.kubelet.Stop(); err != nil {
			t.Error(err)
		}
	})
	if !wanted.bare {
		r.prepareDaemon(wanted.daemon)
	}
	r.Cleanup(r.finish)
	if !wanted.paused {
		r.begin()
	}
	return r
}

// install prepares the plane for what the usual scenario does not have.
func (r *run) install(resources, roles []string) {
	r.Helper()
	r.resources = map[string]cluster.Resource{}
	for _, file := range resources {
		text, err := os.ReadFile(file)
		r.must(err)
		installed, err := r.plane.InstallResources(text)
		if err != nil {
			r.Fatalf("%s: %v", file, err)
		}
		for _, resource := range installed {
			r.resources[path.Base(resource.Path)] = resource
			r.Cleanup(func() { r.must(r.plane.ClearResource(resource)) })
		}
	}
	for _, file := range roles {
		if onSandbox { // no rights are asked for there
			break
		}
		_, err := r.plane.Grant(file)
		r.must(err)
	}
}

// apply is kubectl's for a file that is in force while the scenario lasts.
func (r *run) apply(path string) {
	r.Helper()
	_, err := r.plane.Kubectl("apply", "--server-side", "--validate=strict", "-f", path)
	r.must(err)
	r.Cleanup(func() {
		_, err := r.plane.Kubectl("delete", "-f", path)
		r.must(err)
	})
}

// resource is one of the scenario's own, by its plural.
func (r *run) resource(plural string) cluster.Resource {
	r.Helper()
	resource, known := r.resources[plural]
	if !known {
		r.Fatalf("no file of options.resources defines %s", plural)
	}
	return resource
}

// namespace makes a further namespace, which is emptied like the scenario's own.
func (r *run) namespace(suffix string) string {
	r.Helper()
	name := r.ns + "-" + suffix
	r.must(r.plane.CreateNamespace(name))
	r.namespaces = append(r.namespaces, name)
	return name
}

func (r *run) prepareDaemon(wanted cluster.DaemonOptions) {
	var err error
	r.proxy, err = r.plane.StartProxy(r.ns + "-proxy")
	r.must(err)
	r.Cleanup(r.proxy.Stop)
	wanted.Binary, wanted.Server, wanted.CA = sakkaraBinary, r.proxy.Server, r.proxy.CA
	r.daemon, err = r.plane.NewDaemon(r.ns+"-daemon", wanted)
	r.must(err)
	r.tap, err = cluster.NewTap(r.daemon)
	r.must(err)
	r.Cleanup(r.tap.Stop)
	r.schedulerOptions.FilterURL, r.schedulerOptions.BindURL = r.tap.FilterURL, r.tap.BindURL
}

// replica starts another daemon beside the first one, behind the same proxy.
func (r *run) replica(wanted cluster.DaemonOptions) *cluster.Daemon {
	r.Helper()
	return r.replicaBehind(r.proxy, wanted)
}

func (r *run) replicaBehind(proxy *cluster.Proxy, wanted cluster.DaemonOptions) *cluster.Daemon {
	r.Helper()
	wanted.Binary, wanted.Server, wanted.CA = sakkaraBinary, proxy.Server, proxy.CA
	second, err := r.plane.NewDaemon(r.ns+"-replica", wanted)
	r.must(err)
	process, err := second.Launch()
	r.must(err)
	r.Cleanup(func() {
		if err := process.Stop(30 * time.Second); err != nil {
			r.Errorf("the second daemon: %v", err)
		}
	})
	return second
}

// says tells whether the metrics of a daemon have this line.
func says(daemon *cluster.Daemon, line string) bool {
	_, page := daemon.AdminGet("/metrics")
	return strings.Contains(page, "\n"+line+"\n")
}

// expectLeader fails the test when this daemon does not lead.
func (r *run) expectLeader(daemon *cluster.Daemon) {
	r.Helper()
	if !says(daemon, "sakkara_leader 1") {
		r.Errorf("%s does not lead", daemon.Admin)
	}
}

// begin starts the daemon and kube-scheduler.
func (r *run) begin() {
	r.Helper()
	if r.daemon != nil {
		r.must(r.daemon.Start())
	}
	r.startScheduler()
}

func (r *run) startScheduler() {
	r.Helper()
	var err error
	r.schedulers++
	r.scheduler, err = r.plane.StartScheduler(fmt.Sprintf("%s-scheduler-%d", r.ns, r.schedulers), r.schedulerOptions)
	r.must(err)
}

// finish verifies the history, keeps the state and ends the scenario's processes; the daemon has to end
// cleanly.
func (r *run) finish() {
	if r.daemon == nil {
		r.keepState()
		r.must(r.scheduler.Kill())
		return
	}
	running := r.daemon.Process() != nil && r.daemon.Process().Running()
	if !running {
		r.Errorf("the daemon is not running at the end of the scenario")
	} else {
		writes := r.proxy.Writes()
		for _, proxy := range r.proxies {
			writes = append(writes, proxy.Writes()...)
		}
		calls := r.tap.Calls()
		for _, tap := range r.taps {
			calls = append(calls, tap.Calls()...)
		}
		for _, wrong := range r.rec.Verify(calls, writes) {
			r.Error(wrong)
		}
		r.keepState()
	}
	if err := r.scheduler.Kill(); err != nil {
		r.Error(err)
	}
	if running {
		if err := r.daemon.Stop(); err != nil {
			r.Error(err)
		}
	}
	if r.Failed() && r.daemon.Process() != nil {
		r.Logf("%s\nlast lines of the daemon:\n%s", r.describe(), r.daemon.Process().Tail(40))
	}
}

// numbered are the names PREFIX-FROM and so on, before PREFIX-TO.
func numbered(prefix string, from, to int) (names []string) {
	for i := from; i < to; i++ {
		names = append(names, fmt.Sprintf("%s-%d", prefix, i))
	}
	return names
}

// told: the condition PodScheduled of each of these pods has the text in "REASON: MESSAGE".
func (r *run) told(text string, names ...string) func(*cluster.View) error {
	return func(v *cluster.View) error {
		for _, name := range names {
			condition := v.Pod(r.ns, name).Condition("PodScheduled")
			if condition == nil || !strings.Contains(condition.Reason+": "+condition.Message, text) {
				return fmt.Errorf("%s: %+v", name, condition)
			}
		}
		return nil
	}
}

// bound: each of these pods is.
func (r *run) bound(names ...string) func(*cluster.View) error {
	return func(v *cluster.View) error {
		for _, name := range names {
			if !v.Pod(r.ns, name).Bound() {
				return fmt.Errorf("%s is not", name)
			}
		}
		return nil
	}
}

// describe shows pods and sources as they are, for the log of a failed test.
func (r *run) describe() string {
	var text strings.Builder
	r.rec.Look(func(v *cluster.View) {
		for _, pod := range v.Pods(r.ns, nil) {
			condition := ""
			if scheduled := pod.Condition("PodScheduled"); scheduled != nil {
				condition = scheduled.Reason + ": " + scheduled.Message
			}
			fmt.Fprintf(&text, "pod %s node=%q nominated=%q gates=%d status=%s rank=%s plan=%s %s\n", pod.Name, pod.Spec.NodeName,
				pod.Status.NominatedNodeName, len(pod.Spec.SchedulingGates), pod.Labels["sakkara.member.status"],
				pod.Labels["sakkara.member.rank"], pod.Annotations["sakkara.plan"], condition)
			if text.Len() > 8000 {
				text.WriteString("…\n")
				break
			}
		}
		for _, object := range v.Maps(r.ns) {
			if object.Name != "kube-root-ca.crt" {
				fmt.Fprintf(&text, "map %s %v plan=%.400s\n", object.Name, object.Data, object.Annotations["sakkara.plan"])
			}
		}
	})
	r.rec.Look(func(v *cluster.View) {
		for _, object := range v.Maps(r.ns) {
			for _, event := range v.Events("ConfigMap", r.ns, object.Name) {
				fmt.Fprintf(&text, "event on %s: %s %s %s\n", object.Name, event.Type, event.Reason, event.Message)
			}
		}
	})
	return text.String()
}

func (r *run) must(err error) {
	r.Helper()
	if err != nil {
		r.Fatal(err)
	}
}

// wait fails the test unless the condition holds in time.
func (r *run) wait(deadline time.Duration, what string, condition func(v *cluster.View) error) {
	r.Helper()
	r.must(r.rec.Wait(deadline, what, condition))
}

// waitCalls fails the test unless the calls of kube-scheduler satisfy the condition in time.
func (r *run) waitCalls(what string, condition func(calls []cluster.Call) bool) {
	r.Helper()
	timeout := time.After(usual)
	for {
		changed := r.tap.Changed()
		if condition(r.tap.Calls()) {
			return
		}
		select {
		case <-changed:
		case <-timeout:
			r.Fatalf("%s: not within %v", what, usual)
		}
	}
}

// quiet watches for a while that the condition keeps holding.
func (r *run) quiet(d time.Duration, what string, condition func(v *cluster.View) error) {
	r.Helper()
	var broken error
	err := r.rec.Wait(d, what, func(v *cluster.View) error {
		if broken = condition(v); broken != nil {
			return nil
		}
		return fmt.Errorf("holds")
	})
	if broken != nil {
		r.Fatalf("%s: %v", what, broken)
	}
	_ = err // the deadline passed, as it should
}

// poll asks a condition that cannot be watched until it holds.
func (r *run) poll(what string, condition func() bool) {
	r.Helper()
	for deadline := time.Now().Add(usual); !condition(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			r.Fatalf("%s: not within %v", what, usual)
		}
	}
}

// namespaceOf makes a namespace name of a test name, short enough to be part of other names.
func namespaceOf(t *testing.T) string {
	name := strings.Map(func(c rune) rune {
		switch {
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9':
			return c
		case c >= 'A' && c <= 'Z':
			return c - 'A' + 'a'
		}
		return '-'
	}, strings.TrimPrefix(t.Name(), "Test"))
	return strings.Trim(name[:min(len(name), 50)], "-")
}
