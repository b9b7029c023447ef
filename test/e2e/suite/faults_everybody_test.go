// SPDX-License-Identifier: Apache-2.0

package suite

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"sakkara/test/e2e/suite/cluster"
)

// Everybody dies: the daemon, kube-scheduler, the API server and etcd are killed and stopped at random moments while gangs of
// mixed size and priority come and go behind a slow and faulty API. What is judged is the end, when all of them run again.

const (
	siegeRacks, siegeNodes, siegeSlots = 3, 4, 4          // 48 slots
	siegeSettles                       = 3 * usual        // without anything that moves
	siegeEnds                          = 10 * time.Minute // at most, also of a cluster that never comes to rest
)

// siege is one run of it.
type siege struct {
	*run
	chance *rand.Rand
	begin  time.Time
	gangs  []*siegeGang
	made   int
	short  bool // nothing dies that takes long to come back
}

type siegeGang struct {
	name           string
	size, priority int
}

// TestFaults_EverybodyDiesAndEveryGangIsWhole: The daemon, kube-scheduler, the API server and etcd are killed (SIGKILL) and stopped
// (SIGSTOP) at random moments while gangs come and go, with 5 % of the writes spoilt and a slow API at times (make faults). In the end
// every gang is bound as a whole or not at all and says why, truly; no node holds more than it has; nobody waits for victims or gave
// way to a gang that did not come. Without make faults daemon and scheduler of the sandbox alone die, for a few seconds.
func TestFaults_EverybodyDiesAndEveryGangIsWhole(t *testing.T) {
	wanted := fromEnvironment("SAKKARA_FAULTS", "")
	short := wanted == ""
	if short && !onSandbox {
		t.Skip("takes as long as one wants: make faults")
	}
	if short {
		wanted = "5s"
	}
	duration, err := time.ParseDuration(wanted)
	if err != nil {
		t.Fatal(err)
	}
	seed, err := strconv.ParseUint(fromEnvironment("SAKKARA_FAULTS_SEED", "1"), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	alive, err := strconv.Atoi(fromEnvironment("SAKKARA_FAULTS_GANGS", "10"))
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("SAKKARA_FAULTS_SEED=%d", seed)
	s := startSiege(t, seed, max(1, alive/10))
	s.short = short
	end := time.Now().Add(duration)
	var load sync.WaitGroup
	load.Go(func() { s.comeAndGo(end, alive, rand.New(rand.NewPCG(seed, 1))) })
	s.strike(end)
	load.Wait()
	s.proxy.Disturb(0, 0)
	s.proxy.Delay(0)
	s.recoverControllers()
	s.settle()
}

// startSiege prepares a cluster with room for so many times 48 pods.
func startSiege(t *testing.T, seed uint64, times int) *siege {
	t.Helper()
	r := &run{T: t, plane: planeFor(t), ns: namespaceOf(t)}
	s := &siege{run: r, chance: rand.New(rand.NewPCG(seed, 2)), begin: time.Now()}
	r.must(r.plane.CreateNamespace(r.ns))
	if !onSandbox {
		r.Cleanup(func() { r.must(r.plane.Clear(r.ns)) })
	}
	var slots [][]int
	for range siegeRacks * times {
		rack := make([]int, siegeNodes)
		for i := range rack {
			rack[i] = siegeSlots
		}
		slots = append(slots, rack)
	}
	nodes, tree := racks(slots...)
	r.must(r.plane.CreateNodes(nodes...))
	r.prepareDaemon(cluster.DaemonOptions{})
	r.topology(tree)
	r.begin()
	stop := make(chan struct{})
	var kubelet sync.WaitGroup
	if !onSandbox {
		kubelet.Go(func() { s.playKubelet(stop) })
	}
	r.Cleanup(func() {
		close(stop)
		kubelet.Wait()
		if err := r.scheduler.Kill(); err != nil {
			t.Error(err)
		}
		if err := r.daemon.Stop(); err != nil {
			t.Error(err)
		}
		if t.Failed() {
			t.Logf("last lines of the daemon:\n%s", r.daemon.Process().Tail(40))
		}
	})
	return s
}

// playKubelet starts and ends pods as it finds them, whatever happens to the API server. It plays the pod garbage collector of
// kube-controller-manager (gc_controller.go, gcUnscheduledTerminating), too: to delete a pod that is not bound is two writes to
// etcd, and an API server that is killed between them leaves a pod that terminates for ever.
func (s *siege) playKubelet(stop chan struct{}) {
	for {
		select {
		case <-stop:
			return
		case <-time.After(100 * time.Millisecond):
		}
		var pods cluster.List[cluster.Pod]
		if s.plane.Admin.Get("/api/v1/namespaces/"+s.ns+"/pods", &pods) != nil {
			continue
		}
		for i := range pods.Items {
			pod := &pods.Items[i]
			switch {
			case pod.DeletionTimestamp != nil:
				_ = s.plane.Admin.Do("DELETE", s.podPath(pod.Name), "application/json",
					map[string]any{"gracePeriodSeconds": 0, "preconditions": map[string]string{"uid": pod.UID}}, nil)
			case pod.Bound() && pod.Status.Phase == "Pending":
				_ = s.plane.Admin.MergePatch(s.podPath(pod.Name)+"/status", `{"status":{"phase":"Running"}}`)
			}
		}
	}
}

// again tries until it succeeds: the API server may be dead. What is there, or gone, already is fine.
func (s *siege) again(what string, request func() error) {
	var err error
	for deadline := time.Now().Add(siegeSettles); time.Now().Before(deadline); time.Sleep(100 * time.Millisecond) {
		if err = request(); err == nil || cluster.IsStatus(err, 409) || cluster.IsStatus(err, 404) {
			return
		}
	}
	s.Errorf("%s: %v", what, err)
}

// comeAndGo keeps so many gangs, each a ReplicaSet, and lets one of them go now and then.
func (s *siege) comeAndGo(end time.Time, alive int, chance *rand.Rand) {
	for time.Now().Before(end) {
		if len(s.gangs) >= alive {
			i := chance.IntN(len(s.gangs))
			s.remove(s.gangs[i])
			s.gangs = append(s.gangs[:i], s.gangs[i+1:]...)
		}
		sizes := []int{1, 2, 3, 4, 6, 8, 12, 16}
		g := &siegeGang{name: fmt.Sprintf("g%d", s.made), size: sizes[chance.IntN(len(sizes))], priority: chance.IntN(4)}
		s.made++
		s.create(g, chance.IntN(2) == 0)
		s.gangs = append(s.gangs, g)
		time.Sleep(time.Duration(50+chance.IntN(300)) * time.Millisecond)
	}
}

func (s *siege) create(g *siegeGang, withGate bool) {
	pod := s.pod("", label("sakkara.group.name", g.name), gate(withGate))
	pod.Spec.RestartPolicy = "Always"
	s.again("map "+g.name, func() error {
		return s.plane.Admin.Create("/api/v1/namespaces/"+s.ns+"/configmaps", &cluster.ConfigMap{
			Meta: cluster.Meta{Name: g.name, Labels: map[string]string{"sakkara.group": ""}},
			Data: map[string]string{"name": g.name, "size": fmt.Sprint(g.size), "priority": fmt.Sprint(g.priority)}}, nil)
	})
	s.again("ReplicaSet "+g.name, func() error {
		return s.plane.Admin.Create("/apis/apps/v1/namespaces/"+s.ns+"/replicasets", map[string]any{
			"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": map[string]any{"name": g.name},
			"spec": map[string]any{"replicas": g.size, "selector": map[string]any{"matchLabels": pod.Labels},
				"template": map[string]any{"metadata": map[string]any{"labels": pod.Labels, "annotations": pod.Annotations}, "spec": pod.Spec}}}, nil)
	})
}

func (s *siege) remove(g *siegeGang) {
	for _, path := range []string{"/apis/apps/v1/namespaces/" + s.ns + "/replicasets/" + g.name, s.mapPath(g.name)} {
		s.again("removal of "+g.name, func() error { return s.plane.Admin.Delete(path) })
	}
}

// strike lets parts of the control plane die, one after the other.
func (s *siege) strike(end time.Time) {
	frozen := func() time.Duration { return time.Duration(200+s.chance.IntN(2500)) * time.Millisecond }
	faults := []struct {
		name string
		do   func()
	}{
		{"SIGKILL daemon", func() {
			s.daemon.Kill()
			s.must(s.daemon.Start())
		}},
		{"SIGSTOP daemon", func() { s.daemon.Process().Freeze(frozen()) }},
		{"SIGKILL kube-scheduler", func() {
			s.must(s.scheduler.Kill())
			s.startScheduler()
		}},
		{"API latency of 2 s", func() {
			s.proxy.Delay(2 * time.Second)
			time.Sleep(frozen())
			s.proxy.Delay(0)
		}},
	}
	if s.short {
		faults = faults[:3]
	} else {
		s.proxy.Disturb(0.05, s.chance.Uint64())
	}
	if !onSandbox {
		faults = append(faults, []struct {
			name string
			do   func()
		}{
			{"SIGSTOP kube-scheduler", func() { s.scheduler.Freeze(frozen()) }},
			{"SIGKILL kube-apiserver", func() { s.must(s.plane.RestartAPIServer()) }},
			{"SIGSTOP kube-apiserver", func() { s.plane.Freeze("kube-apiserver", frozen()) }},
			{"SIGKILL etcd", func() { s.must(s.plane.RestartEtcd()) }},
			{"SIGSTOP etcd", func() { s.plane.Freeze("etcd", frozen()) }},
		}...)
	}
	order := s.chance.Perm(len(faults)) // each comes before one comes again
	for i := 0; time.Now().Before(end); i++ {
		fault := faults[order[i%len(order)]]
		s.Logf("%6.2f s: %s", time.Since(s.begin).Seconds(), fault.name)
		fault.do()
		time.Sleep(time.Duration(s.chance.IntN(1500)) * time.Millisecond)
	}
}

// recoverControllers starts the controllers anew. Those that ran wait for minutes: for pods that they have created and, while their
// watch was interrupted, never seen (controller_utils.go, ExpectationsTimeout: 5 min), and between two attempts to watch.
func (s *siege) recoverControllers() {
	if !onSandbox {
		s.must(s.plane.RestartControllers())
	}
}

// settle waits until what is there is judged to be right, and says what is not: it waits on while pods are bound or go, for each gang
// that is bound may make another one wait, and how fast they are is the machine's affair.
func (s *siege) settle() {
	var wrong []string
	begin, moved, before := time.Now(), time.Now(), ""
	for time.Since(moved) < siegeSettles && time.Since(begin) < siegeEnds {
		var bound string
		if wrong, bound = s.judge(); len(wrong) == 0 {
			s.Logf("%d gangs came, %d are left; all is as it should be after %.0f s", s.made, len(s.gangs), time.Since(begin).Seconds())
			return
		}
		if bound != before {
			moved, before = time.Now(), bound
		}
		time.Sleep(250 * time.Millisecond)
	}
	s.Errorf("after %v, %v without a change:\n%s", time.Since(begin), time.Since(moved), strings.Join(wrong, "\n"))
	for _, g := range s.gangs { // what the daemon makes of those that are not bound
		if _, page := s.daemon.AdminGet("/v1/groups/" + s.ns + "/" + g.name); !contains(page, `"status":"Bound"`) {
			s.Logf("%s", page)
		}
	}
}

// judge compares the objects with what may be; who is bound, as a text to be compared.
func (s *siege) judge() (wrong []string, who string) {
	var pods cluster.List[cluster.Pod]
	var maps cluster.List[cluster.ConfigMap]
	var nodes cluster.List[cluster.Node]
	for path, list := range map[string]any{"/api/v1/pods": &pods, "/api/v1/namespaces/" + s.ns + "/configmaps": &maps, "/api/v1/nodes": &nodes} {
		if err := s.plane.Admin.Get(path, list); err != nil {
			return []string{err.Error()}, ""
		}
	}
	complain := func(format string, arguments ...any) { wrong = append(wrong, fmt.Sprintf(format, arguments...)) }
	var uids []string
	used, bound, waiting := map[string]int64{}, map[string]int{}, map[string]int{}
	for i := range pods.Items {
		pod := &pods.Items[i]
		if pod.Namespace == s.ns && pod.DeletionTimestamp != nil {
			complain("%s terminates", pod.Name)
		}
		if pod.Bound() && pod.Live() {
			used[pod.Spec.NodeName] += cluster.Requests(pod)["cpu"]
			uids = append(uids, pod.UID)
		}
		if group := cluster.GroupOf(pod); pod.Namespace == s.ns && pod.Bound() {
			bound[group]++
		} else if pod.Namespace == s.ns {
			waiting[group]++
		}
	}
	free := int64(0)
	for i := range nodes.Items {
		has := cluster.Milli(nodes.Items[i].Status.Allocatable["cpu"])
		if used[nodes.Items[i].Name] > has {
			complain("%s holds %d of %d", nodes.Items[i].Name, used[nodes.Items[i].Name], has)
		}
		free += (has - used[nodes.Items[i].Name]) / 1000
	}
	data := map[string]*cluster.ConfigMap{}
	for i := range maps.Items {
		data[maps.Items[i].Name] = &maps.Items[i]
	}
	known := map[string]bool{}
	for _, g := range s.gangs {
		known[g.name] = true
		s.judgeGang(g, data[g.name], bound, waiting, free, complain)
	}
	for group, n := range bound {
		if !known[group] {
			complain("%d pods of %s, which is gone, are bound", n, group)
		}
	}
	slices.Sort(uids)
	return wrong, strings.Join(uids, " ")
}

// judgeGang: It is bound as a whole and says so, or nobody of it is, and neither free room nor that of lower priorities would do.
func (s *siege) judgeGang(g *siegeGang, source *cluster.ConfigMap, bound, waiting map[string]int, free int64, complain func(string, ...any)) {
	if source == nil {
		complain("%s has no map", g.name)
		return
	}
	status, reason := source.Data["status"], source.Data["reason"]
	if n := bound[g.name] + waiting[g.name]; n != g.size {
		complain("%s has %d pods of %d", g.name, n, g.size)
		return
	}
	if source.Data["preemptor"] != "" {
		complain("%s still gives way to %s", g.name, source.Data["preemptor"])
	}
	if plan := cluster.PlanOf(&source.Meta); plan != nil {
		complain("%s has a plan in state %s", g.name, plan.State)
	}
	switch bound[g.name] {
	case g.size:
		if status != "Bound" || reason != "" {
			complain("%s is bound and says %s %s", g.name, status, reason)
		}
	case 0:
		room := free
		for _, other := range s.gangs {
			if g.priority > 0 && other.priority < g.priority && bound[other.name] == other.size {
				room += int64(other.size)
			}
		}
		if room >= int64(g.size) || status != "Ready" || reason != "WaitingForCapacity" {
			complain("%s (size %d, priority %d) waits as %s %s with room for %d, %d free", g.name, g.size, g.priority, status, reason, room, free)
		}
	default:
		complain("%s: %d of %d are bound, status %s %s", g.name, bound[g.name], g.size, status, reason)
	}
}
