// SPDX-License-Identifier: Apache-2.0

//go:build bench

package suite

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"sakkara/test/e2e/suite/cluster"
)

// TestBenchLatencyBesideWaitingMembers measures what ordinary pods of the same scheduler pay for a
// thousand members that wait: 20 ordinary pods a second for 10 s on 5,000 nodes, time from creation to
// bound.
func TestBenchLatencyBesideWaitingMembers(t *testing.T) {
	plane = planeFor(t)
	must(t, plane.CreateNamespace(benchNamespace))
	benchCluster(t, number("SAKKARA_BENCH_LATENCY_NODES", 5000))
	rows := []struct {
		waiting    string
		percentage int
		backoff    int
	}{
		{"none", cluster.ByItself, 2}, {"gated", cluster.ByItself, 2}, {"not gated", cluster.ByItself, 2}, {"not gated", cluster.ByItself, 10},
		{"not gated", 100, 2}, {"not gated", 100, 10},
	}
	fmt.Printf("\n%-10s %9s %8s %9s %9s %9s %14s\n", "waiting", "sampling", "backoff", "p50", "p99", "unbound", "scheduler CPU")
	for _, row := range rows {
		sampling := "default"
		if row.percentage != cluster.ByItself {
			sampling = fmt.Sprint(row.percentage)
		}
		took, unbound, cpu := latency(t, row.waiting, cluster.SchedulerOptions{Percentage: row.percentage, MaxBackoff: row.backoff})
		p50, p99 := "-", "-"
		if len(took) > 0 {
			p50, p99 = took[len(took)/2].Round(time.Millisecond).String(), took[len(took)*99/100].Round(time.Millisecond).String()
		}
		fmt.Printf("%-10s %9s %8d %9s %9s %9d %13.1fs\n", row.waiting, sampling, row.backoff, p50, p99, unbound, cpu.Seconds())
	}
	must(t, plane.Clear(benchNamespace))
}

// TestBenchLatencyBesideGangs measures what ordinary pods of the same scheduler pay for gangs that are planned and
// bound meanwhile, a gang of 100 ungated members each second: by how many nodes
// kube-scheduler looks at.
func TestBenchLatencyBesideGangs(t *testing.T) {
	plane = planeFor(t)
	must(t, plane.CreateNamespace(benchNamespace))
	nodes := number("SAKKARA_BENCH_LATENCY_NODES", 5000)
	benchCluster(t, nodes)
	rows := []struct {
		beside     string
		percentage int
	}{
		{"none", cluster.ByItself}, {"none", 100}, {"gangs", cluster.ByItself}, {"gangs", 100},
	}
	fmt.Printf("\n%6s %-8s %9s %9s %9s %9s %14s\n", "nodes", "beside", "sampling", "p50", "p99", "unbound", "scheduler CPU")
	for range number("SAKKARA_BENCH_ROUNDS", 1) {
		for _, row := range rows {
			sampling := "default"
			if row.percentage != cluster.ByItself {
				sampling = fmt.Sprint(row.percentage)
			}
			took, unbound, cpu := latency(t, row.beside, cluster.SchedulerOptions{Percentage: row.percentage})
			fmt.Printf("%6d %-8s %9s %9s %9s %9d %13.1fs\n", nodes, row.beside, sampling, took[len(took)/2].Round(time.Millisecond), took[len(took)*99/100].Round(time.Millisecond), unbound, cpu.Seconds())
		}
	}
	must(t, plane.Clear(benchNamespace))
}

const ordinaryPods, ordinaryRate = 200, 20

func latency(t *testing.T, waiting string, scheduler cluster.SchedulerOptions) (took []time.Duration, unbound int, cpu time.Duration) {
	t.Helper()
	r := &run{T: t, plane: plane, ns: benchNamespace, schedulerOptions: scheduler}
	daemon, err := plane.NewDaemon("bench-daemon", cluster.DaemonOptions{Binary: sakkaraBinary, Server: plane.Server, CA: plane.CA})
	must(t, err)
	r.daemon = daemon
	r.schedulerOptions.FilterURL, r.schedulerOptions.BindURL = "http://"+daemon.Extender+"/v1", "http://"+daemon.Bind+"/v1"
	if waiting != "none" && waiting != "gangs" {
		r.group("waiting", 2000, "")
		r.members("waiting", 1000, gate(waiting == "gated"))
	}
	r.begin()
	created, bound := map[string]time.Time{}, make(chan boundPod, 1<<12)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	path := "/api/v1/namespaces/" + r.ns + "/pods?fieldSelector=spec.nodeName!="
	var list cluster.List[json.RawMessage]
	must(t, plane.Admin.Get(path, &list))
	go func() {
		_ = plane.Admin.Watch(ctx, path, list.ResourceVersion, func(event cluster.Event) {
			var pod struct{ Metadata cluster.Meta }
			if event.Type == "ADDED" && json.Unmarshal(event.Object, &pod) == nil {
				bound <- boundPod{pod.Metadata.Name, time.Now()}
			}
		})
	}()
	before := r.scheduler.CPU()
	tick := time.NewTicker(time.Second / ordinaryRate)
	defer tick.Stop()
	for i := range ordinaryPods {
		<-tick.C
		name := fmt.Sprintf("ordinary-%d", i)
		if waiting == "gangs" && i%ordinaryRate == 0 {
			gang := fmt.Sprintf("gang-%d", i/ordinaryRate)
			r.group(gang, benchGang, "")
			go r.members(gang, benchGang)
		}
		created[name] = time.Now()
		r.create(r.pod(name))
	}
	deadline := time.After(15 * time.Second)
	for len(took) < ordinaryPods {
		select {
		case pod := <-bound:
			if at, ordinary := created[pod.name]; ordinary {
				took = append(took, pod.at.Sub(at))
			}
			continue
		case <-deadline:
		}
		break
	}
	cpu = r.scheduler.CPU() - before
	slices.Sort(took)
	r.scheduler.Kill()
	if err := daemon.Stop(); err != nil {
		t.Error(err)
	}
	r.emptyBench(t)
	return took, ordinaryPods - len(took), cpu
}

type boundPod struct {
	name string
	at   time.Time
}
