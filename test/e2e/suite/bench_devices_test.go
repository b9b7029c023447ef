// SPDX-License-Identifier: Apache-2.0

//go:build bench

package suite

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"sakkara/test/e2e/suite/cluster"
)

// deviceLoad is one way to ask for all eight devices of a node: as a plain resource, or by a claim.
type deviceLoad struct {
	contender
	claims bool
}

// TestBenchDevices binds gangs of 32 whose members want eight devices each, on nodes with eight: once as the plain resource
// nvidia.com/gpu, once by claims of a template; with the daemon, and as ordinary pods of the bare kube-scheduler. All gangs wait from
// the start on. When all pods of a gang are bound, they are deleted. The bare kube-scheduler's ratio is what devices cost it and the
// controllers; the daemon's ratio has that in it. SAKKARA_BENCH_DEVICE_NODES=100,
// SAKKARA_BENCH_GANGS=12 and SAKKARA_BENCH_ROUNDS=1 choose the sizes.
func TestBenchDevices(t *testing.T) {
	nodes, gangs := number("SAKKARA_BENCH_DEVICE_NODES", 100), number("SAKKARA_BENCH_GANGS", 12)
	plane = planeFor(t)
	must(t, plane.CreateNamespace(benchNamespace))
	benchCluster(t, nodes)
	r := &run{T: t, plane: plane, ns: benchNamespace}
	r.deviceClass(gpu)
	for i := range nodes {
		node := fmt.Sprintf("node-%d", i)
		must(t, plane.Admin.MergePatch("/api/v1/nodes/"+node+"/status", `{"status":{"capacity":{"nvidia.com/gpu":"8"},"allocatable":{"nvidia.com/gpu":"8"}}}`))
		r.devices(node, 8)
	}
	r.createTemplate("eight", 8)
	loads := []deviceLoad{{contender{name: "bare kube-scheduler", bare: true}, false}, {contender{name: "bare kube-scheduler", bare: true}, true},
		{contender{name: "sakkara"}, false}, {contender{name: "sakkara"}, true}}
	fmt.Printf("\n| %d gangs of 32 x 8 on %d nodes | s | pods/s | of plain | scheduler CPU s | daemon CPU s | API server CPU s | aborted |\n|---|---|---|---|---|---|---|---|\n",
		gangs, nodes)
	for range number("SAKKARA_BENCH_ROUNDS", 1) {
		var plain time.Duration
		for _, load := range loads {
			s, aborted := measureDevices(t, load, gangs)
			if !load.claims {
				plain = s.total
			}
			kind := map[bool]string{false: "plain", true: "claims"}[load.claims]
			fmt.Printf("| %s, %s | %.1f | %.0f | %.0f %% | %.1f | %.1f | %.1f | %d |\n", load.name, kind, s.total.Seconds(), float64(32*gangs)/s.total.Seconds(),
				100*plain.Seconds()/s.total.Seconds(), s.schedulerCPU.Seconds(), s.daemonCPU.Seconds(), s.serverCPU.Seconds(), aborted)
		}
	}
}

// measureDevices binds all gangs once, each of which makes room for another one.
func measureDevices(t *testing.T, load deviceLoad, gangs int) (s sample, aborted int) {
	t.Helper()
	r := &run{T: t, plane: plane, ns: benchNamespace, schedulerOptions: cluster.SchedulerOptions{Percentage: 100}}
	if load.bare {
		r.schedulerOptions.Percentage = cluster.ByItself
	} else {
		daemon, err := plane.NewDaemon("bench-daemon", cluster.DaemonOptions{Binary: sakkaraBinary, Server: plane.Server, CA: plane.CA})
		must(t, err)
		r.daemon = daemon
		r.schedulerOptions.FilterURL, r.schedulerOptions.BindURL = "http://"+daemon.Extender+"/v1", "http://"+daemon.Bind+"/v1"
	}
	var pods []*cluster.Pod
	for i := range gangs {
		name := fmt.Sprintf("gang-%d", i)
		if !load.bare {
			r.group(name, 32, "")
		}
		for k := range 32 {
			pod := r.pod(fmt.Sprintf("%s-%d", name, k), label("sakkara.group.name", name), gate(!load.bare))
			if load.claims {
				byTemplate("eight")(pod)
			} else {
				limits := pod.Spec.Containers[0].Resources.Requests
				limits["nvidia.com/gpu"] = "8"
				pod.Spec.Containers[0].Resources.Limits = map[string]string{"nvidia.com/gpu": "8"}
			}
			pods = append(pods, pod)
		}
	}
	r.begin()
	if s.schedulerCPU = -r.scheduler.CPU(); r.daemon != nil {
		s.daemonCPU = -r.daemon.Process().CPU()
	}
	before, _ := plane.CPU()
	begin := time.Now()
	bound := boundNames(t)
	go func() { _ = plane.CreatePods(pods...) }()
	members := map[string]int{}
	for n := range pods {
		select {
		case name := <-bound:
			gang := name[:strings.LastIndex(name, "-")]
			if members[gang]++; load.bare {
				must(t, plane.Admin.Delete(r.podPath(name)))
			} else if members[gang] == 32 {
				must(t, plane.Admin.Delete("/api/v1/namespaces/"+benchNamespace+"/pods?labelSelector=sakkara.group.name%3D"+gang))
			}
		case <-time.After(2 * time.Minute):
			t.Fatalf("%d of %d pods are bound", n, len(pods))
		}
	}
	s.total = time.Since(begin)
	s.schedulerCPU += r.scheduler.CPU()
	if s.serverCPU, _ = plane.CPU(); r.daemon != nil {
		s.daemonCPU += r.daemon.Process().CPU()
		aborted = r.aborted()
		must(t, r.daemon.Stop())
	}
	s.serverCPU -= before
	r.scheduler.Kill()
	r.emptyBench(t)
	r.poll("no claim is left", func() bool { return len(r.deviceClaims()) == 0 })
	return s, aborted
}

// boundNames has the names of pods of the bench namespace as they get a node.
func boundNames(t *testing.T) <-chan string {
	t.Helper()
	path := "/api/v1/namespaces/" + benchNamespace + "/pods?fieldSelector=spec.nodeName!="
	var list cluster.List[json.RawMessage]
	must(t, plane.Admin.Get(path, &list))
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	names := make(chan string, 1<<16)
	go func() {
		_ = plane.Admin.Watch(ctx, path, list.ResourceVersion, func(event cluster.Event) {
			var pod struct{ Metadata struct{ Name string } }
			if event.Type == "ADDED" && json.Unmarshal(event.Object, &pod) == nil {
				names <- pod.Metadata.Name
			}
		})
	}()
	return names
}
