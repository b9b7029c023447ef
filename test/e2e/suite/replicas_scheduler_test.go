// SPDX-License-Identifier: Apache-2.0

//go:build replicas

package suite

import (
	"fmt"
	"testing"
	"time"

	"sakkara/test/e2e/suite/cluster"
)

// Two pods of the recommended kind, each a kube-scheduler and a daemon on a host of its own: the schedulers elect one, and
// with mode `scheduler` its daemon leads. The pod that leads goes as a whole, while seven of eight members of a gang have
// voted and the eighth is held back.

// The scheduler's lease runs out (15 s) or was given back, the other one asks every two seconds, its daemon looks every
// second and takes its own Lease, which runs out beside the scheduler's.
const (
	takeoverOfPod        = 22 * time.Second
	takeoverOfPodInOrder = 7 * time.Second
)

// pod is a scheduler with its sidecar, what stands between them, and what stands before the API server.
type pod struct {
	follower
	tap       *cluster.Tap
	scheduler *cluster.Process
}

type pods struct {
	*run
	leader, standby pod
	n               int
}

func sidecarOptions(host string) cluster.DaemonOptions {
	return cluster.DaemonOptions{LeaderElection: "{mode: scheduler, namespace: sakkara}", Host: host}
}

// launch starts one more pod, which stands by. What is left of it ends with the test binary; only schedulers end before,
// which would seek the lease of the next scenario.
func (p *pods) launch() pod {
	p.Helper()
	p.n++
	name := fmt.Sprintf("%s-pod-%d", p.ns, p.n)
	proxy, err := p.plane.StartProxy(name + "-proxy")
	p.must(err)
	p.proxies = append(p.proxies, proxy)
	options := sidecarOptions(name)
	options.Binary, options.Server, options.CA = sakkaraBinary, proxy.Server, proxy.CA
	daemon, err := p.plane.NewDaemon(name+"-daemon", options)
	p.must(err)
	_, err = daemon.Launch()
	p.must(err)
	tap, err := cluster.NewTap(daemon)
	p.must(err)
	p.taps = append(p.taps, tap)
	beside := p.schedulerOptions
	beside.FilterURL, beside.BindURL, beside.Host, beside.StandsBy = tap.FilterURL, tap.BindURL, name, true
	scheduler, err := p.plane.StartScheduler(name+"-scheduler", beside)
	p.must(err)
	p.Cleanup(func() { p.must(scheduler.Kill()) })
	p.poll("another pod stands by with all its lists", func() bool { return says(daemon, "sakkara_synced 1") })
	if !says(daemon, "sakkara_leader 0") {
		p.Errorf("%s leads beside a scheduler that stands by", name)
	}
	return pod{follower{daemon, proxy}, tap, scheduler.Process()}
}

// leave lets the pod that leads go, and waits until the other one has bound the gang that was under way. returns, if any, is
// called once the other one leads.
func (p *pods) leave(group string, goes, returns func(old pod), within time.Duration) {
	p.Helper()
	p.hold(group, 7)
	p.group(group, 8, `{"rack":{"hard":true}}`)
	p.members(group, 8, gate(true))
	p.waitVotes(group, 8)
	old := p.leader
	p.leader, p.standby = p.standby, pod{}
	began := time.Now()
	goes(old)
	p.poll("the other daemon leads", func() bool { return says(p.leader.daemon, "sakkara_leader 1") })
	p.expectTakeover("pod of the scheduler "+group, time.Since(began), within)
	p.taps = append(p.taps, p.tap) // calls of all are verified
	p.daemon, p.tap = p.leader.daemon, p.leader.tap
	p.taps = deleteTap(p.taps, p.tap)
	if returns != nil {
		returns(old)
	}
	p.wait(2*usual, "all bound by the next leader", p.allBound(group, 8))
	p.removeGroup(group)
}

func deleteTap(taps []*cluster.Tap, tap *cluster.Tap) (others []*cluster.Tap) {
	for _, other := range taps {
		if other != tap {
			others = append(others, other)
		}
	}
	return others
}

// TestReplicas_TheSidecarFollowsItsScheduler: Two kube-schedulers with a daemon beside each, mode `scheduler`: the pod that
// leads is stopped in order, killed, paused past its leases and resumed; the daemon beside the scheduler that follows leads
// and finishes the gang that was under way, and what was paused writes nothing when it wakes.
func TestReplicas_TheSidecarFollowsItsScheduler(t *testing.T) {
	if onSandbox {
		t.Skip("the model of kube-scheduler has no Lease")
	}
	if !cluster.HasHosts() {
		t.Skip("processes cannot be given a host name here")
	}
	const host = "sakkara-first-pod"
	nodes, tree := racks([]int{8, 8}, []int{8, 8})
	base := start(t, nodes, options{daemon: sidecarOptions(host), scheduler: cluster.SchedulerOptions{Host: host}})
	base.anyEvents("some die with a daemon")
	p := &pods{run: base, leader: pod{follower{base.daemon, base.proxy}, base.tap, base.scheduler.Process()}}
	p.topology(tree)
	p.poll("the daemon beside the scheduler leads", func() bool { return says(p.leader.daemon, "sakkara_leader 1") })

	p.standby = p.launch()
	p.leave("stopped", func(old pod) {
		_ = old.scheduler.Stop(30 * time.Second) // it ends with an error when it has lost its lease
		p.must(old.daemon.Stop())
	}, nil, takeoverOfPodInOrder)

	p.standby = p.launch()
	p.leave("killed", func(old pod) {
		old.scheduler.Kill()
		old.daemon.Kill()
	}, nil, takeoverOfPod)

	p.standby = p.launch()
	before := 0
	var paused pod
	p.leave("paused", func(old pod) {
		paused = old
		p.must(old.scheduler.Pause())
		p.must(old.daemon.Process().Pause())
	}, func(old pod) {
		before = len(old.decided())
		p.must(old.daemon.Process().Resume())
		p.must(old.scheduler.Resume())
		p.poll("it knows that it does not lead", func() bool { return says(old.daemon, "sakkara_leader 0") })
	}, takeoverOfPod)
	p.group("later", 4, "") // and what comes after is not its business either
	p.members("later", 4, gate(true))
	p.wait(usual, "all bound", p.allBound("later", 4))
	if writes := paused.decided()[before:]; len(writes) > 0 {
		t.Errorf("the daemon of before wrote when it woke: %+v", writes)
	}
	paused.daemon.Kill()
}
