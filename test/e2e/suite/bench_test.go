// SPDX-License-Identifier: Apache-2.0

//go:build bench

package suite

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"sakkara/test/e2e/suite/cluster"
)

// Throughput against the bare kube-scheduler, in one run on one control plane: 1,000 pods in gangs of 100
// against as many ordinary pods. Rounds interleave the contenders; the medians are compared.

const (
	benchNamespace = "bench"
	benchPods      = 1000
	benchGang      = 100
)

// plane is the control plane of all benchmarks.
var plane *cluster.Plane

// contender is one way to bind the pods.
type contender struct {
	name       string
	bare       bool
	gated      bool
	percentage int
}

var contenders = []contender{
	{name: "bare kube-scheduler", bare: true},
	{name: "sakkara, ungated"},
	{name: "sakkara, gated", gated: true},
}

// sample is one run's figures.
type sample struct {
	total, binding          time.Duration // from the start, and from the first pod bound, until all are
	schedulerCPU, daemonCPU time.Duration
	serverCPU, etcdCPU      time.Duration
	filters                 int // filter calls
	daemonMemory            int64
	writes                  map[string]int // of the daemon, by kind
}

func TestBenchThroughput(t *testing.T) {
	if without := os.Getenv("SAKKARA_BENCH_WITHOUT"); without != "" {
		contenders = slices.DeleteFunc(contenders, func(c contender) bool { return strings.HasSuffix(c.name, without) })
	}
	rounds := number("SAKKARA_BENCH_ROUNDS", 3)
	plane = planeFor(t)
	must(t, plane.CreateNamespace(benchNamespace))
	for _, text := range strings.Fields(fromEnvironment("SAKKARA_BENCH_NODES", "90 200 1000 5000")) {
		count, err := strconv.Atoi(text)
		must(t, err)
		benchCluster(t, count)
		choosePercentage(count)
		samples := map[string][]sample{}
		for round := range rounds {
			for _, mode := range []string{"cold", "burst"} {
				for _, c := range contenders {
					s := measure(t, c, mode == "cold")
					t.Logf("%d nodes, %s, round %d, %s: %.2f s, binding %.2f s, CPU s: scheduler %.2f, daemon %.2f, API server %.2f, etcd %.2f; %d filter calls, %v",
						count, mode, round+1, c.name, s.total.Seconds(), s.binding.Seconds(), s.schedulerCPU.Seconds(), s.daemonCPU.Seconds(),
						s.serverCPU.Seconds(), s.etcdCPU.Seconds(), s.filters, s.writes)
					samples[mode+c.name] = append(samples[mode+c.name], s)
				}
			}
		}
		if rounds > 0 {
			printTable(count, samples)
		}
		for _, c := range contenders {
			if !c.bare {
				printTimeline(t, count, true, c)
				printTimeline(t, count, false, c)
			}
		}
		must(t, plane.Clear(benchNamespace))
	}
}

// choosePercentage sets percentageOfNodesToScore beside the daemon: as shipped below the size from which on the manual
// advises to leave it out; the bare kube-scheduler has its default.
func choosePercentage(nodes int) {
	const advised = 1500
	percentage := 100
	if nodes >= advised {
		percentage = cluster.ByItself
	}
	for i := range contenders {
		contenders[i].percentage = cluster.ByItself
		if !contenders[i].bare {
			contenders[i].percentage = number("SAKKARA_BENCH_PERCENTAGE", percentage)
		}
	}
}

func number(name string, otherwise int) int {
	if value, err := strconv.Atoi(os.Getenv(name)); err == nil {
		return value
	}
	return otherwise
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// benchCluster makes nodes in racks of 20 with room for 20 pods each.
func benchCluster(t *testing.T, count int) {
	t.Helper()
	var slots [][]int
	for i := range count {
		if i%20 == 0 {
			slots = append(slots, nil)
		}
		slots[len(slots)-1] = append(slots[len(slots)-1], 20)
	}
	nodes, tree := racks(slots...)
	must(t, plane.CreateNodes(nodes...))
	r := &run{T: t, plane: plane, ns: benchNamespace}
	r.topology(tree)
}

// measure binds all pods once and removes them again.
func measure(t *testing.T, c contender, cold bool) (s sample) {
	t.Helper()
	r := &run{T: t, plane: plane, ns: benchNamespace, schedulerOptions: cluster.SchedulerOptions{Percentage: c.percentage}}
	if !c.bare {
		daemon, err := plane.NewDaemon("bench-daemon", cluster.DaemonOptions{Binary: sakkaraBinary, Server: plane.Server, CA: plane.CA})
		must(t, err)
		r.daemon = daemon
		r.schedulerOptions.FilterURL, r.schedulerOptions.BindURL = "http://"+daemon.Extender+"/v1", "http://"+daemon.Bind+"/v1"
		for i := range benchPods / benchGang {
			r.group(fmt.Sprintf("gang-%d", i), benchGang, "")
		}
	}
	audit := auditSize()
	watch := watchBound(t)
	defer watch.stop()
	var begin time.Time
	var cpuBefore [2]time.Duration
	serverBefore, etcdBefore := plane.CPU()
	if cold {
		must(t, plane.CreatePods(r.benchPods(c)...))
		serverBefore, etcdBefore = plane.CPU()
		begin = time.Now()
		r.beginTogether()
	} else {
		r.begin()
		if cpuBefore[0] = r.scheduler.CPU(); r.daemon != nil {
			cpuBefore[1] = r.daemon.Process().CPU()
		}
		begin = time.Now()
		must(t, plane.CreatePods(r.benchPods(c)...))
	}
	first, last := watch.wait(t, benchPods)
	s.total, s.binding = last.Sub(begin), last.Sub(first)
	s.schedulerCPU = r.scheduler.CPU() - cpuBefore[0]
	s.serverCPU, s.etcdCPU = plane.CPU()
	s.serverCPU, s.etcdCPU = s.serverCPU-serverBefore, s.etcdCPU-etcdBefore
	if r.daemon != nil {
		s.daemonCPU = r.daemon.Process().CPU() - cpuBefore[1]
		s.daemonMemory = r.daemon.Process().Resident()
		s.filters = filterCalls(r.daemon)
		r.waitReported(t)
		s.writes = auditWrites(t, audit)
		if err := r.daemon.Stop(); err != nil {
			t.Error(err)
		}
	}
	r.scheduler.Kill()
	r.emptyBench(t)
	return s
}

// beginTogether starts daemon and kube-scheduler side by side, as a pod does with its containers.
func (r *run) beginTogether() {
	r.Helper()
	ready := make(chan error, 1)
	go func() {
		if r.daemon == nil {
			ready <- nil
		} else {
			ready <- r.daemon.Start()
		}
	}()
	r.startScheduler()
	r.must(<-ready)
}

func (r *run) benchPods(c contender) []*cluster.Pod {
	pods := make([]*cluster.Pod, benchPods)
	for i := range pods {
		gang := i / benchGang
		changes := []change{gate(c.gated)}
		if !c.bare {
			changes = append(changes, label("sakkara.group.name", fmt.Sprintf("gang-%d", gang)))
		}
		pods[i] = r.pod(fmt.Sprintf("gang-%d-%d", gang, i%benchGang), changes...)
	}
	return pods
}

// waitReported waits until every group says Bound: the daemon's writes are over.
func (r *run) waitReported(t *testing.T) {
	t.Helper()
	for i := range benchPods / benchGang {
		r.poll("groups report Bound", func() bool {
			var object cluster.ConfigMap
			must(t, plane.Admin.Get(r.mapPath(fmt.Sprintf("gang-%d", i)), &object))
			return object.Data["status"] == "Bound"
		})
	}
}

func (r *run) emptyBench(t *testing.T) {
	t.Helper()
	must(t, plane.Admin.Delete("/api/v1/namespaces/"+r.ns+"/pods"))
	must(t, plane.Admin.Delete("/api/v1/namespaces/"+r.ns+"/configmaps"))
}

// boundWatch counts pods of the bench namespace as they get a node; it decodes next to nothing, because
// its processor time is the contenders'.
type boundWatch struct {
	stop  context.CancelFunc
	bound chan time.Time
}

func watchBound(t *testing.T) *boundWatch {
	t.Helper()
	path := "/api/v1/namespaces/" + benchNamespace + "/pods?fieldSelector=spec.nodeName!="
	var list cluster.List[json.RawMessage]
	must(t, plane.Admin.Get(path, &list))
	ctx, cancel := context.WithCancel(context.Background())
	w := &boundWatch{stop: cancel, bound: make(chan time.Time, 1<<16)}
	go func() {
		_ = plane.Admin.Watch(ctx, path, list.ResourceVersion, func(event cluster.Event) {
			if event.Type == "ADDED" {
				w.bound <- time.Now()
			}
		})
	}()
	return w
}

func (w *boundWatch) wait(t *testing.T, n int) (first, last time.Time) {
	t.Helper()
	deadline := time.After(5 * time.Minute)
	for i := range n {
		select {
		case last = <-w.bound:
			if i == 0 {
				first = last
			}
		case <-deadline:
			t.Fatalf("only %d of %d pods are bound", i, n)
		}
	}
	return first, last
}

func auditSize() int64 {
	info, err := os.Stat(plane.AuditLog())
	if err != nil {
		return 0
	}
	return info.Size()
}

// auditWrites counts the daemon's successful writes from an offset of the audit log, without Events.
func auditWrites(t *testing.T, from int64) map[string]int {
	t.Helper()
	text, err := os.ReadFile(plane.AuditLog())
	must(t, err)
	counts := map[string]int{}
	for line := range bytes.Lines(text[from:]) {
		var entry struct {
			Verb           string
			User           struct{ Username string }
			ObjectRef      struct{ Resource, Subresource string }
			ResponseStatus struct{ Code int }
		}
		if json.Unmarshal(line, &entry) != nil || entry.User.Username != "system:serviceaccount:sakkara:sakkara" ||
			entry.ObjectRef.Resource == "events" || entry.ResponseStatus.Code/100 != 2 {
			continue
		}
		counts[strings.TrimSuffix(entry.Verb+" "+entry.ObjectRef.Resource+"/"+entry.ObjectRef.Subresource, "/")]++
	}
	return counts
}

func median[T int64 | time.Duration](samples []sample, figure func(*sample) T) T {
	values := make([]T, len(samples))
	for i := range samples {
		values[i] = figure(&samples[i])
	}
	slices.Sort(values)
	return values[len(values)/2]
}

func printTable(nodes int, samples map[string][]sample) {
	fmt.Printf("\n%d nodes, %d pods, gangs of %d, median of %d\n", nodes, benchPods, benchGang, len(samples["cold"+contenders[0].name]))
	fmt.Printf("%-6s %-22s %9s %7s %9s %9s %7s %11s %9s %9s %9s %9s %9s\n", "mode", "", "seconds", "ratio", "binding s", "pods/s", "sched", "ms CPU/pod", "daemon s", "API s", "etcd s", "filters", "writes")
	for _, mode := range []string{"cold", "burst"} {
		bare := samples[mode+contenders[0].name]
		for _, c := range contenders {
			mine := samples[mode+c.name]
			total := median(mine, func(s *sample) time.Duration { return s.total })
			binding := median(mine, func(s *sample) time.Duration { return s.binding })
			scheduler := median(mine, func(s *sample) time.Duration { return s.schedulerCPU })
			daemon := median(mine, func(s *sample) time.Duration { return s.daemonCPU })
			written := 0
			for _, n := range mine[len(mine)-1].writes {
				written += n
			}
			ratio := float64(total) / float64(median(bare, func(s *sample) time.Duration { return s.total }))
			cpuRatio := float64(scheduler) / float64(median(bare, func(s *sample) time.Duration { return s.schedulerCPU }))
			filters := median(mine, func(s *sample) int64 { return int64(s.filters) })
			fmt.Printf("%-6s %-22s %9.2f %6.2fx %9.2f %9.0f %6.2fx %11.2f %9.2f %9.2f %9.2f %9d %9.2f\n", mode, c.name, total.Seconds(), ratio,
				binding.Seconds(), benchPods/binding.Seconds(), cpuRatio, scheduler.Seconds()*1000/benchPods, daemon.Seconds(),
				median(mine, func(s *sample) time.Duration { return s.serverCPU }).Seconds(),
				median(mine, func(s *sample) time.Duration { return s.etcdCPU }).Seconds(), filters, float64(written)/benchPods)
		}
	}
	for _, c := range contenders[1:] {
		last := samples["burst"+c.name]
		writes := last[len(last)-1].writes
		fmt.Printf("writes of %s:", c.name)
		for _, kind := range slices.Sorted(maps.Keys(writes)) {
			fmt.Printf(" %s %d;", kind, writes[kind])
		}
		fmt.Printf(" daemon memory %d MB\n", median(last, func(s *sample) int64 { return s.daemonMemory })>>20)
	}
	fmt.Println("others, by figures from elsewhere (5,000 nodes, cold, seconds beside the bare kube-scheduler): coscheduling plugin 1.6x, reference plugin of KEP-4986 7x")
}
