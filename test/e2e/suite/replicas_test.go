// SPDX-License-Identifier: Apache-2.0

//go:build replicas

package suite

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"sakkara/test/e2e/suite/cluster"
)

// Two daemons of one Lease, each behind a proxy of its own, which records its writes. The leader goes in every way while
// seven of eight members of a gang have voted and the eighth is held back; the other one takes the plan over and binds all
// of them. Kubernetes' own ways come down to these: a Deployment's surge is an orderly stop beside one that stands by, a
// node without kubelet whose containers live is a leader that is cut off, or paused.

const (
	takeover        = 15 * time.Second // by lease
	takeoverInOrder = 2 * time.Second
)

// follower is a daemon with its proxy.
type follower struct {
	daemon *cluster.Daemon
	proxy  *cluster.Proxy
}

type replicas struct {
	*run
	leader, standby follower
	n               int
}

var leaseOptions = cluster.DaemonOptions{LeaderElection: "{mode: lease, namespace: sakkara}"}

// launch starts one more daemon, which stands by. It and its proxy end with the test binary, if not before.
func (r *replicas) launch() follower {
	r.Helper()
	r.n++
	name := fmt.Sprintf("%s-replica-%d", r.ns, r.n)
	proxy, err := r.plane.StartProxy(name)
	r.must(err)
	r.proxies = append(r.proxies, proxy)
	options := leaseOptions
	options.Binary, options.Server, options.CA = sakkaraBinary, proxy.Server, proxy.CA
	daemon, err := r.plane.NewDaemon(name, options)
	r.must(err)
	_, err = daemon.Launch()
	r.must(err)
	r.poll("another one stands by with all its lists", func() bool { return says(daemon, "sakkara_synced 1") })
	return follower{daemon, proxy}
}

func isLease(write *cluster.Write) bool { return strings.Contains(write.Path, "/leases") }

// decided are the writes of a daemon other than those about the Lease, and Events.
func (f *follower) decided() (writes []cluster.Write) {
	for _, write := range f.proxy.Writes() {
		if !isLease(&write) && !strings.HasSuffix(write.Path, "/events") {
			writes = append(writes, write)
		}
	}
	return writes
}

// expectTakeover prints how long a takeover took, and fails the test when that is too long.
func (r *run) expectTakeover(from string, took, within time.Duration) {
	r.Helper()
	fmt.Printf("takeover, %s: %.2f s\n", from, took.Seconds())
	if took > within+time.Second { // the clock of a busy machine
		r.Errorf("takeover after %v, not within %v", took, within)
	}
}

// leave lets the leader go while a gang waits for its last vote; the other one takes over in time, and binds the gang. old is
// what is left of the leader; returns, if any, is called once the other one leads. The calls that the old one holds are
// answered when it ends, wakes or knows that its lease is over.
func (r *replicas) leave(group string, goes, returns func(old follower), within time.Duration) (old follower) {
	r.Helper()
	release := r.hold(group, 7)
	r.gang(group, 8, `{"rack":{"hard":true}}`, gate(true))
	r.waitVotes(group, 8)
	old = r.leader
	began := time.Now()
	goes(old)
	r.poll("the other one leads", func() bool { return says(r.standby.daemon, "sakkara_leader 1") })
	r.expectTakeover("leader "+group, time.Since(began), within)
	r.leader, r.standby = r.standby, follower{}
	r.daemon = r.leader.daemon
	r.tap.Point(r.daemon)
	release()
	if returns != nil {
		returns(old)
	}
	r.wait(2*usual, "all bound by the next leader", r.allBound(group, 8))
	return old
}

// TestReplicas_TheLeaderGoesInEveryWay: The leader is stopped in order, killed, paused past its lease and resumed, cut off
// from the API server: the standby takes over within 15 s, within 2 s after an orderly stop, finishes the gang that was
// under way, and the old one writes nothing any more.
func TestReplicas_TheLeaderGoesInEveryWay(t *testing.T) {
	nodes, tree := racks([]int{8, 8}, []int{8, 8})
	base := start(t, nodes, options{daemon: leaseOptions})
	base.anyEvents("some die with a daemon")
	r := &replicas{run: base, leader: follower{base.daemon, base.proxy}}
	r.topology(tree)
	r.expectLeader(r.leader.daemon)

	r.standby = r.launch()
	r.leave("stopped", func(old follower) { r.must(old.daemon.Stop()) }, nil, takeoverInOrder)

	r.standby = r.launch()
	r.leave("killed", func(old follower) { old.daemon.Kill() }, nil, takeover)

	r.standby = r.launch()
	before := 0
	paused := r.leave("paused", func(old follower) { r.must(old.daemon.Process().Pause()) }, func(old follower) {
		before = len(old.decided())
		r.must(old.daemon.Process().Resume())
		r.poll("it knows that it does not lead", func() bool { return says(old.daemon, "sakkara_leader 0") })
	}, takeover)
	r.removeGroup("paused")
	r.group("later", 4, "") // and what comes after is not its business either
	r.members("later", 4, gate(true))
	r.wait(usual, "all bound", r.allBound("later", 4))
	if writes := paused.decided()[before:]; len(writes) > 0 {
		t.Errorf("the leader of before wrote when it woke: %+v", writes)
	}
	r.standby = paused

	cut := r.leave("cut", func(old follower) {
		began := time.Now()
		old.proxy.Stop()
		r.poll("it stops by itself", func() bool {
			next := says(r.standby.daemon, "sakkara_leader 1")
			if next && says(old.daemon, "sakkara_leader 1") {
				t.Error("two lead")
			}
			return says(old.daemon, "sakkara_leader 0")
		})
		fmt.Printf("leader cut: it stopped after %.2f s\n", time.Since(began).Seconds())
	}, nil, takeover)
	cut.daemon.Kill()
}
