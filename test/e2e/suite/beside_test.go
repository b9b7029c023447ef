// SPDX-License-Identifier: Apache-2.0

package suite

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"sakkara/test/e2e/suite/cluster"
)

// The daemon and OCM's placement controller, or karmada-scheduler, decide on one hub side by side. Each is behind a proxy
// of its own, which counts its writes. `make upstream` builds the other programs and runs these scenarios; without it
// they are skipped.

// beside starts the scheduler of another project on the scenario's plane.
func (r *run) beside(name string, flags ...string) (*cluster.Proxy, *cluster.Process) {
	r.Helper()
	proxy, err := r.plane.StartProxy(r.ns + "-" + name)
	r.must(err)
	r.Cleanup(proxy.Stop)
	process, err := r.plane.StartUpstream(name, proxy, flags...)
	if errors.Is(err, cluster.ErrNotBuilt) {
		r.Skip(err)
	}
	r.must(err)
	r.Cleanup(func() { process.Kill() })
	return proxy, process
}

// about are the writes so far whose path has this part, without Events.
func about(proxy *cluster.Proxy, part string) int {
	return proxy.Count(func(w *cluster.Write) bool {
		return strings.Contains(w.Path, part) && !strings.Contains(w.Path, "/events")
	})
}

// atRest waits until neither side has written anything about these paths for a while.
func (r *run) atRest(what, part string, proxies ...*cluster.Proxy) {
	r.Helper()
	count := func() (n int) {
		for _, proxy := range proxies {
			n += about(proxy, part)
		}
		return n
	}
	for deadline, n, since := time.Now().Add(3*usual), count(), time.Now(); time.Since(since) < 1500*time.Millisecond; time.Sleep(50 * time.Millisecond) {
		if now := count(); now != n {
			n, since = now, time.Now()
		}
		if time.Now().After(deadline) {
			r.Fatalf("%s: still writing", what)
		}
	}
}

const ocmPath = "/apis/" + ocmGroup + "/"

// give makes a Placement ours, or OCM's.
func (h *hub) give(name string, toUs bool) {
	h.Helper()
	annotations := map[string]any{}
	for key, value := range ours {
		annotations[key] = map[bool]any{true: value}[toUs] // nil removes it
	}
	h.must(h.plane.Admin.MergePatch(h.placements.At(h.ns, name), map[string]any{"metadata": map[string]any{"annotations": annotations}}))
}

// mix is a policy. Without steady its answer is the same for both: scores of this hub need no rounding, and neither other
// Placements nor the present decisions count. steady is the weight of Steady beside Balance. Where it is small or negative
// OCM's controller never comes to rest: its decisions change the scores of the next ones.
func (h *hub) mix(steady int) map[string]any {
	configurations := []map[string]any{}
	add := func(coordinate map[string]any, weight int) {
		configurations = append(configurations, map[string]any{"scoreCoordinate": coordinate, "weight": weight})
	}
	sign := [...]int{-1, 1}
	add(map[string]any{"type": "BuiltIn", "builtIn": "ResourceAllocatableCPU"}, sign[h.random.IntN(2)]*(1+h.random.IntN(10)))
	add(map[string]any{"type": "AddOn", "addOn": map[string]any{"resourceName": "load", "scoreName": "cpu"}}, sign[h.random.IntN(2)]*(1+h.random.IntN(10)))
	if steady != 0 {
		add(map[string]any{"type": "BuiltIn", "builtIn": "Balance"}, sign[h.random.IntN(2)]*(1+h.random.IntN(2)))
		add(map[string]any{"type": "BuiltIn", "builtIn": "Steady"}, steady)
	}
	return map[string]any{"mode": "Exact", "configurations": configurations}
}

// TestBeside_OCMPlacementsGoOverAndBack: Placements of all mixes of weights are handed from OCM's controller to the daemon
// and back, twice, with both restarted in between. No object disappears, each has as many clusters as it wants, and where
// the answer cannot depend on the moment it is the same before and after, and no decision is written. Neither writes about
// what the other one owns.
func TestBeside_OCMPlacementsGoOverAndBack(t *testing.T) {
	h := startHub(t, cluster.DaemonOptions{Settings: hubSettings}, 21)
	proxy, process := h.beside("ocm")
	h.must(h.score(1))
	names, free := []string{}, map[string]bool{}
	for i := range fleetSize("PLACEMENTS", 12) {
		name := fmt.Sprintf("p%02d", i)
		free[name] = i%2 == 1
		h.must(h.createPlacement(name, nil, map[string]any{"numberOfClusters": 1 + i%7, "prioritizerPolicy": h.mix(i % 2 * 10)}))
		names = append(names, name)
	}
	for i := range 3 { // ours all the time
		h.must(h.createPlacement(fmt.Sprintf("restless-%d", i), ours, map[string]any{"numberOfClusters": 4, "prioritizerPolicy": h.mix(-10)}))
		h.waitFor(fmt.Sprintf("restless-%d", i), "AllDecisionsScheduled")
	}
	mine := about(h.proxy, ocmPath)
	h.atRest("OCM's", ocmPath, proxy, h.proxy)
	if n := about(h.proxy, ocmPath); n != mine {
		t.Errorf("the daemon wrote %d times about Placements of OCM's", n-mine)
	}
	for turn := range 4 {
		before, versions, err := h.read()
		h.must(err)
		toUs := turn%2 == 0
		wrote, other := about(h.proxy, ocmPath), about(proxy, ocmPath)
		for _, name := range names {
			h.give(name, toUs)
		}
		h.atRest(fmt.Sprintf("turn %d", turn), ocmPath, proxy, h.proxy)
		after, now, err := h.read()
		h.must(err)
		for i, name := range names {
			slices.Sort(before[name])
			slices.Sort(after[name])
			if len(after[name]) != 1+i%7 {
				t.Errorf("turn %d: %s has %v, before %v", turn, name, after[name], before[name])
			}
			if !free[name] && (!slices.Equal(before[name], after[name]) || versions[name] != now[name]) {
				t.Errorf("turn %d: %s has %v (%s), before %v (%s)", turn, name, after[name], now[name], before[name], versions[name])
			}
		}
		// What was on its way when the owner changed may still arrive, so only the side that never owned them since is judged.
		if wrote, other = about(h.proxy, ocmPath)-wrote, about(proxy, ocmPath)-other; toUs && other != 0 || !toUs && wrote != 0 {
			t.Errorf("turn %d: the daemon wrote %d times, OCM's controller %d times", turn, wrote, other)
		}
		if turn == 1 {
			h.daemon.Kill()
			process.Kill()
			h.must(h.daemon.Start())
			process, err = h.plane.StartUpstream("ocm", proxy)
			h.must(err)
			h.Cleanup(process.Kill)
			h.atRest("started anew", ocmPath, proxy, h.proxy)
			again, _, err := h.read()
			h.must(err)
			for _, name := range names {
				slices.Sort(again[name])
				if !slices.Equal(again[name], after[name]) {
					t.Errorf("after a restart %s has %v, before %v", name, again[name], after[name])
				}
			}
		}
	}
}

// TestBeside_OCMAHundredPlacementsSettle: A hundred Placements that weigh CPU and Balance on as many clusters come at once,
// first for OCM's controller, then for the daemon. The daemon writes no more than OCM's controller does until all is at
// rest.
func TestBeside_OCMAHundredPlacementsSettle(t *testing.T) {
	n := fleetSize("PLACEMENTS", 100)
	h := startHub(t, cluster.DaemonOptions{Settings: hubSettings}, n)
	proxy, _ := h.beside("ocm")
	settle := func(writer *cluster.Proxy, who string, annotations map[string]string) (writes int) {
		t.Helper()
		began, before := time.Now(), about(writer, ocmPath)
		h.must(cluster.Parallel(n, func(i int) error {
			return h.createPlacement(fmt.Sprintf("%s-%03d", who, i), annotations, map[string]any{"numberOfClusters": 5, "prioritizerPolicy": map[string]any{
				"mode": "Exact", "configurations": []map[string]any{
					{"scoreCoordinate": map[string]any{"type": "BuiltIn", "builtIn": "ResourceAllocatableCPU"}, "weight": 1},
					{"scoreCoordinate": map[string]any{"type": "BuiltIn", "builtIn": "Balance"}, "weight": 1}}}})
		}))
		h.atRest(who, ocmPath, proxy, h.proxy)
		took := time.Since(began)
		writes = about(writer, ocmPath) - before
		decided, _, err := h.read()
		h.must(err)
		for i := range n {
			if name := fmt.Sprintf("%s-%03d", who, i); len(decided[name]) != 5 {
				t.Errorf("%s has %v", name, decided[name])
			}
		}
		t.Logf("%s: %d Placements on %d clusters at rest after %.1f s and %d writes (%d status patches)", who, n, h.n, took.Seconds(), writes,
			writer.Count(func(w *cluster.Write) bool { return w.Is("PATCH", "/status") && strings.Contains(w.Path, ocmPath) }))
		return writes
	}
	upstream := settle(proxy, "theirs", nil)
	h.must(h.plane.ClearResource(h.placements))
	h.must(h.plane.ClearResource(h.decisions))
	h.atRest("cleared", ocmPath, proxy, h.proxy)
	if mine := settle(h.proxy, "ours", ours); mine > upstream {
		t.Errorf("%d writes, but OCM's controller has %d", mine, upstream)
	}
}

// TestBeside_KarmadaBindingsGoOverAndBack: Bindings of many strategies are handed from karmada-scheduler to the daemon, with
// its profile upstream, and back: by their schedulerName alone, or as when a policy is deleted and created again, which
// takes its label off the bindings and gives them that of the new one with the name. They keep their clusters; when they
// grow, each replica stays and the new ones are where karmada-scheduler would put them. Neither writes about bindings of
// the other one.
func TestBeside_KarmadaBindingsGoOverAndBack(t *testing.T) {
	k := startKarmadaWith(t, "{enabled: true, profile: upstream}")
	k.five()
	proxy, _ := k.beside("karmada")
	random := rand.New(rand.NewPCG(3, 4))
	names := []string{}
	for i := range 12 {
		name := fmt.Sprintf("b%02d", i)
		constraints := [][]string{nil, {"cluster 1 3"}, {"region 2 3", "cluster 2 4"}}[i%3]
		k.binding(name, "default-scheduler", 1+random.IntN(12), constraints...)
		names = append(names, name)
	}
	read := func() map[string]bindingState {
		all := map[string]bindingState{}
		for _, name := range names {
			var b bindingState
			k.must(k.plane.Admin.Get(k.bindings.At(k.ns, name), &b))
			all[name] = b
		}
		return all
	}
	const path = "resourcebindings/"
	k.atRest("karmada-scheduler's", path, proxy, k.proxy)
	if n := about(k.proxy, path); n != 0 {
		t.Errorf("the daemon wrote %d times about bindings of karmada-scheduler", n)
	}
	for turn := range 4 {
		scheduler, grow := [...]string{"sakkara", "default-scheduler"}[turn%2], turn >= 2
		before, wrote, other := read(), about(k.proxy, path), about(proxy, path)
		label := func(name string, policy any, spec map[string]any) {
			k.must(k.plane.Admin.MergePatch(k.bindings.At(k.ns, name), map[string]any{"spec": spec,
				"metadata": map[string]any{"labels": map[string]any{"propagationpolicy.karmada.io/permanent-id": policy}}}))
		}
		for i, name := range names {
			spec := map[string]any{"schedulerName": scheduler}
			if grow {
				spec["replicas"] = before[name].replicas() + 2
			}
			if i%2 == 1 {
				label(name, nil, map[string]any{})
			}
			label(name, fmt.Sprintf("p%d", turn), spec)
		}
		k.atRest(fmt.Sprintf("turn %d", turn), path, proxy, k.proxy)
		for name, after := range read() {
			if after.Status.SchedulerObservedGeneration != after.Metadata.Generation || after.Status.Conditions[0].Reason != "Success" {
				t.Errorf("turn %d: %s: %+v", turn, name, after)
			}
			if was := before[name]; !grow && was.places() != after.places() || grow && after.replicas() != was.replicas()+2 || !after.covers(was) {
				t.Errorf("turn %d: %s has %s, before %s", turn, name, after.places(), was.places())
			}
		}
		if wrote, other = about(k.proxy, path)-wrote, about(proxy, path)-other; scheduler == "sakkara" && other != 0 || scheduler != "sakkara" && wrote != 0 {
			t.Errorf("turn %d: the daemon wrote %d times, karmada-scheduler %d times", turn, wrote, other)
		}
	}
}

// external makes the Services by which both find the estimators of clusters, and lets the daemon read them: all estimators
// are on this machine.
func (k karmada) external(port int, clusters ...string) {
	k.Helper()
	const namespace = "karmada-system"
	if err := k.plane.CreateNamespace(namespace); !cluster.IsStatus(err, 409) {
		k.must(err)
	}
	k.apply(manifest(k.T, "karmada/estimators.yaml"))
	for _, name := range clusters {
		path, service := "/api/v1/namespaces/"+namespace+"/services", "karmada-scheduler-estimator-"+name
		k.must(k.plane.Admin.Create(path, map[string]any{"metadata": map[string]any{"name": service}, "spec": map[string]any{
			"type": "ExternalName", "externalName": "localhost", "ports": []map[string]any{{"port": port, "targetPort": port}}}}, nil))
		k.Cleanup(func() { k.must(k.plane.Admin.Delete(path + "/" + service)) })
	}
}

// TestBeside_KarmadaEstimatorsCount: karmada-scheduler-estimator looks at the nodes and pods of the plane, for three clusters
// whose Cluster objects promise more, over TLS with certificates of both sides. Both schedulers find it by Services of type
// ExternalName. With the profile upstream the daemon places the same bindings as karmada-scheduler
// does with --enable-scheduler-estimator, whatever their replicas request of nodes. When the estimators end, bindings are
// placed by the Cluster objects, and the condition names the estimators that are silent.
func TestBeside_KarmadaEstimatorsCount(t *testing.T) {
	port, folder := cluster.FreePort(), t.TempDir()
	_, certificate, key, err := cluster.SelfSigned("127.0.0.1", "localhost")
	if err := errors.Join(err, os.WriteFile(folder+"/tls.crt", certificate, 0o600), os.WriteFile(folder+"/tls.key", key, 0o600)); err != nil {
		t.Fatal(err)
	}
	flags := []string{"-estimator-port", strconv.Itoa(port), "-cert", folder + "/tls.crt", "-key", folder + "/tls.key", "-ca", folder + "/tls.crt"}
	k := startKarmadaOn(t, []*cluster.Node{node("node-0", 4), node("node-1", 8)}, fmt.Sprintf(
		"{enabled: true, profile: upstream, estimators: {enabled: true, port: %d, caFile: %[2]s/tls.crt, "+
			"certFile: %[2]s/tls.crt, keyFile: %[2]s/tls.key}}", port, folder))
	names := []string{"a", "b", "c"}
	for i, name := range names {
		k.cluster(name, "p1", "r1", "z1", 0)
		k.roomOf(name, map[string]string{"pods": "110", "cpu": []string{"100", "5", "40"}[i], "memory": "1Ti"})
	}
	k.external(port, names...)
	proxy, err := k.plane.StartProxy(k.ns + "-estimators")
	k.must(err)
	k.Cleanup(proxy.Stop)
	estimators, err := k.plane.StartEstimators(proxy, names, flags...)
	if errors.Is(err, cluster.ErrNotBuilt) {
		t.Skip(err)
	}
	k.must(err)
	k.Cleanup(func() { estimators.Kill() })
	theirs, _ := k.beside("karmada", flags...)
	cpu := func(amount string) map[string]any { return map[string]any{"cpu": amount} }
	to := func(claim map[string]any) map[string]any {
		return map[string]any{"resourceRequest": cpu("1"), "nodeClaim": claim}
	}
	expression := func(operator string) map[string]any {
		return map[string]any{"hardNodeAffinity": map[string]any{"nodeSelectorTerms": []map[string]any{{"matchExpressions": []map[string]any{
			{"key": "kubernetes.io/hostname", "operator": operator, "values": []string{"node-1"}}}}}}}
	}
	requests := []map[string]any{
		{"resourceRequest": cpu("1")}, {"resourceRequest": cpu("1500m")}, {"resourceRequest": cpu("3")}, {"resourceRequest": cpu("9")},
		to(map[string]any{"nodeSelector": map[string]any{"kubernetes.io/hostname": "node-0"}}), to(expression("In")), to(expression("NotIn")),
		to(map[string]any{"tolerations": []map[string]any{{"key": "lost", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 0}}}),
		nil,
	}
	for i, request := range requests {
		for _, scheduler := range []string{"default-scheduler", "sakkara"} {
			k.bindingOf(fmt.Sprintf("%s-%d", scheduler, i), scheduler, 13, request)
		}
	}
	const path = "resourcebindings/"
	k.atRest("both", path, theirs, k.proxy)
	read := func(name string) (b bindingState) {
		t.Helper()
		k.must(k.plane.Admin.Get(k.bindings.At(k.ns, name), &b))
		return b
	}
	placed := map[string]bool{}
	for i, request := range requests {
		their, our := read(fmt.Sprintf("default-scheduler-%d", i)), read(fmt.Sprintf("sakkara-%d", i))
		placed[our.places()] = true
		if our.places() != their.places() || our.Status.Conditions[0].Reason != their.Status.Conditions[0].Reason {
			t.Errorf("%v: %q by sakkara, %q by karmada-scheduler\n%+v\n%+v", request, our.places(), their.places(), our.Status, their.Status)
		}
		if strings.Contains(our.Status.Conditions[0].Message, "Warning") {
			t.Errorf("%v: %s", request, our.Status.Conditions[0].Message)
		}
	}
	if len(placed) < 4 {
		t.Errorf("the requests make no difference: %v", placed)
	}
	estimators.Kill()
	k.bindingOf("alone", "sakkara", 13, requests[0])
	k.wait(usual, "alone is placed", func(*cluster.View) error {
		if b := read("alone"); len(b.Status.Conditions) == 0 || b.places() == "" || !strings.Contains(b.Status.Conditions[0].Message,
			"Warning: EstimatorsSilent: no answer from the estimator of a, b, c: ") {
			return fmt.Errorf("%+v", b)
		}
		return nil
	})
}

func (b bindingState) replicas() (n int) {
	for _, c := range b.Spec.Clusters {
		n += c.Replicas
	}
	return n
}

// covers tells whether no cluster has fewer replicas than before.
func (b bindingState) covers(before bindingState) bool {
	has := map[string]int{}
	for _, c := range b.Spec.Clusters {
		has[c.Name] = c.Replicas
	}
	for _, c := range before.Spec.Clusters {
		if has[c.Name] < c.Replicas {
			return false
		}
	}
	return true
}
