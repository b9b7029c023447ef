// SPDX-License-Identifier: Apache-2.0

//go:build bench

package suite

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"sakkara/test/e2e/suite/cluster"
)

var filterCount = regexp.MustCompile(`(?m)^sakkara_extender_requests_total\{verb="filter",[^}]*\} (\d+)`)

// filterCalls is the daemon's own count of kube-scheduler's filter calls.
func filterCalls(daemon *cluster.Daemon) (n int) {
	_, text := daemon.AdminGet("/metrics")
	for _, match := range filterCount.FindAllStringSubmatch(text, -1) {
		count, _ := strconv.Atoi(match[1])
		n += count
	}
	return n
}

// moments are when something happened to the members of one gang.
type moments []time.Time

func (m moments) text(begin time.Time) string {
	if len(m) == 0 {
		return "-"
	}
	slices.SortFunc(m, time.Time.Compare)
	return fmt.Sprintf("%.2f-%.2f", m[0].Sub(begin).Seconds(), m[len(m)-1].Sub(begin).Seconds())
}

// printTimeline plays one more run, with a tap between kube-scheduler and the daemon and a watch of every pod
// (which cost time of their own, so it is no sample), and prints when each gang was nominated (or let through its gate
// with its part of the plan), filtered, voted and bound, and what that cost each process.
func printTimeline(t *testing.T, count int, cold bool, of contender) {
	t.Helper()
	r := &run{T: t, plane: plane, ns: benchNamespace}
	daemon, err := plane.NewDaemon("bench-daemon", cluster.DaemonOptions{Binary: sakkaraBinary, Server: plane.Server, CA: plane.CA})
	must(t, err)
	r.daemon = daemon
	r.tap, err = cluster.NewTap(daemon)
	must(t, err)
	defer r.tap.Stop()
	r.schedulerOptions.FilterURL, r.schedulerOptions.BindURL = r.tap.FilterURL, r.tap.BindURL
	const gangs = benchPods / benchGang
	for i := range gangs {
		r.group(fmt.Sprintf("gang-%d", i), benchGang, "")
	}
	var nominated, filtered, refused, voted, bound [gangs]moments
	gangOf := func(name string) int {
		gang, _ := strconv.Atoi(strings.Split(name, "-")[1])
		return gang
	}
	type seen struct {
		pod  cluster.Pod
		when time.Time
	}
	changes := make(chan seen, 1<<14)
	path := "/api/v1/namespaces/" + r.ns + "/pods"
	var list cluster.List[json.RawMessage]
	must(t, plane.Admin.Get(path, &list))
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		_ = plane.Admin.Watch(ctx, path, list.ResourceVersion, func(event cluster.Event) {
			var pod cluster.Pod
			if json.Unmarshal(event.Object, &pod) == nil {
				changes <- seen{pod, time.Now()}
			}
		})
	}()
	var begin time.Time
	var serverBefore, etcdBefore, schedulerBefore, daemonBefore time.Duration
	if cold {
		must(t, plane.CreatePods(r.benchPods(of)...))
		serverBefore, etcdBefore = plane.CPU()
		begin = time.Now()
		r.beginTogether()
	} else {
		r.begin()
		serverBefore, etcdBefore = plane.CPU()
		schedulerBefore, daemonBefore = r.scheduler.CPU(), daemon.Process().CPU()
		begin = time.Now()
		must(t, plane.CreatePods(r.benchPods(of)...))
	}
	was := map[string]bool{}
	deadline := time.After(time.Minute)
	for left := benchPods; left > 0; {
		select {
		case c := <-changes:
			gang := gangOf(c.pod.Name)
			if c.pod.Annotations["sakkara.plan"] != "" && !was["nominated "+c.pod.Name] {
				was["nominated "+c.pod.Name] = true
				nominated[gang] = append(nominated[gang], c.when)
			}
			if c.pod.Bound() && !was["bound "+c.pod.Name] {
				was["bound "+c.pod.Name] = true
				bound[gang] = append(bound[gang], c.when)
				left--
			}
		case <-deadline:
			t.Fatal("not all bound within a minute")
		}
	}
	server, etcd := plane.CPU()
	scheduler, own := r.scheduler.CPU(), daemon.Process().CPU()
	for _, call := range r.tap.Calls() {
		gang := gangOf(call.Pod)
		switch {
		case call.Verb == "bind":
			voted[gang] = append(voted[gang], call.Start)
		case call.Verb == "filter" && len(call.Allowed) > 0:
			filtered[gang] = append(filtered[gang], call.Start)
		case call.Verb == "filter":
			refused[gang] = append(refused[gang], call.Start)
		}
	}
	mode := map[bool]string{true: "cold", false: "burst"}[cold]
	fmt.Printf("\ntimeline, %d nodes, %s, %s, seconds from the start\n%-8s %12s %12s %8s %12s %12s\n", count, mode, of.name, "gang", "nominated", "accepted", "refused", "voted", "bound")
	for i := range gangs {
		fmt.Printf("%-8s %12s %12s %8d %12s %12s\n", fmt.Sprintf("gang-%d", i), nominated[i].text(begin), filtered[i].text(begin), len(refused[i]), voted[i].text(begin), bound[i].text(begin))
	}
	fmt.Printf("CPU s: scheduler %.2f, daemon %.2f, API server %.2f, etcd %.2f\n", (scheduler - schedulerBefore).Seconds(), (own - daemonBefore).Seconds(),
		(server - serverBefore).Seconds(), (etcd - etcdBefore).Seconds())
	r.scheduler.Kill()
	if err := daemon.Stop(); err != nil {
		t.Error(err)
	}
	r.emptyBench(t)
}
