// SPDX-License-Identifier: Apache-2.0

package suite

import (
	"errors"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"sakkara/test/e2e/suite/cluster"
)

// How fast the fleet of karmada_fleet_test.go is placed, and what each process does for it.

// processorTime is what each process has used; the proxy runs in this one.
func (f *fleet) processorTime() map[string]time.Duration {
	var usage syscall.Rusage
	f.must(syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	server, etcd := f.plane.CPU()
	return map[string]time.Duration{"kube-apiserver": server, "etcd": etcd,
		"proxy, test": time.Duration(usage.Utime.Nano() + usage.Stime.Nano())}
}

// place starts the daemon behind an API server that takes 8 ms, waits until every binding has a status, and says what
// that took: two writes each.
func (f *fleet) place() {
	f.Helper()
	ours := 0
	for i := range f.names {
		if !isForeign(i) {
			ours++
		}
	}
	before := f.processorTime()
	f.proxy.Delay(8 * time.Millisecond)
	f.begin()
	var count map[string]int
	var first, last time.Time
	for deadline := time.Now().Add(10 * usual); ; time.Sleep(200 * time.Millisecond) {
		statuses := 0
		count, first, last = f.writesOf(f.proxy)
		for path := range count {
			if strings.HasSuffix(path, "/status") {
				statuses++
			}
		}
		if statuses == ours {
			break
		}
		if time.Now().After(deadline) {
			f.Fatalf("%d of %d bindings have a status", statuses, ours)
		}
	}
	after := f.processorTime()
	f.proxy.Delay(0)
	f.settle("at first")
	count, _, _ = f.writesOf(f.proxy)
	for path, n := range count {
		if n > 1 {
			f.Errorf("%d writes of %s", n, path)
		}
	}
	took := last.Sub(first).Seconds()
	f.Logf("%d bindings in %.2f s: %.0f bindings/s, %d writes", ours, took, float64(ours)/took, len(count))
	for process := range after {
		used := (after[process] - before[process]).Seconds()
		f.Logf("%-14s %6.2f s of processor time, %.2f ms a binding", process, used, used*1e3/float64(ours))
	}
	used := f.daemon.Process().CPU().Seconds()
	f.Logf("%-14s %6.2f s of processor time, %.2f ms a binding, its start included", "sakkara", used, used*1e3/float64(ours))
}

// replay sends the same patches again, of as many foreign bindings, by a client that decides nothing and keeps as many
// requests under way as the daemon does: what the API server can take.
func (f *fleet) replay() {
	f.Helper()
	f.daemon.Kill()
	client, err := f.plane.AdminBehind(f.proxy)
	f.must(err)
	version := regexp.MustCompile(`"resourceVersion":"[0-9]+",?`)
	patches := map[string][]string{} // path of a binding to its patches
	var paths []string
	for _, write := range f.proxy.Writes() {
		if path, _ := strings.CutSuffix(write.Path, "/status"); write.Status == 200 && strings.Contains(path, "resourcebindings/") {
			if len(patches[path]) == 0 {
				paths = append(paths, path)
			}
			patches[path] = append(patches[path], version.ReplaceAllString(write.Body, ""))
		}
	}
	f.must(cluster.Parallel(len(paths), func(i int) error {
		return f.create("replay-"+paths[i][strings.LastIndexByte(paths[i], '/')+1:], "default-scheduler", 1, "", strings.Contains(paths[i], "/clusterresource"))
	}))
	f.proxy.Delay(8 * time.Millisecond)
	server, _ := f.plane.CPU()
	began := time.Now()
	next, done := make(chan string), make(chan error)
	const atOnce = 16
	for range atOnce {
		go func() {
			var failed error
			for path := range next {
				at := strings.LastIndexByte(path, '/') + 1
				target := path[:at] + "replay-" + path[at:]
				failed = errors.Join(failed, client.MergePatch(target, patches[path][0]), client.MergePatch(target+"/status", patches[path][1]))
			}
			done <- failed
		}()
	}
	for _, path := range paths {
		next <- path
	}
	close(next)
	for range atOnce {
		f.must(<-done)
	}
	took := time.Since(began).Seconds()
	used, _ := f.plane.CPU()
	f.Logf("the same patches by a client that decides nothing: %.0f bindings/s; kube-apiserver %.2f ms a binding", float64(len(paths))/took,
		(used-server).Seconds()*1e3/float64(len(paths)))
	f.proxy.Delay(0)
	f.must(f.plane.Admin.Do("DELETE", f.bindings.At(f.ns, ""), "", nil, nil))
	f.must(f.plane.Admin.Do("DELETE", f.clusterBindings.At("", ""), "", nil, nil))
}

// TestFleetLoad_PlacingBindings places the fleet and then has its patches sent by a client that decides nothing: which
// process bounds the bindings placed a second. For make fleet-load.
func TestFleetLoad_PlacingBindings(t *testing.T) {
	if fleetSize("BINDINGS", 0) == 0 {
		t.Skip("make fleet-load ONLY=PlacingBindings")
	}
	f := startFleet(t, cluster.DaemonOptions{Settings: fleetSettings, QPS: 10000})
	f.must(cluster.Parallel(len(f.names), f.addBinding))
	f.place()
	f.replay()
	f.must(f.daemon.Start())
}
