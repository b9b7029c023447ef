// SPDX-License-Identifier: Apache-2.0

//go:build soak

package suite

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand"
	"net"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"sakkara/test/e2e/suite/cluster"
)

// One namespace does what it can to be in the way of another one, whose gangs come and go all the time. The other
// one's times to bound are compared with those of the same cluster before: quiet, and with an API server that is as
// busy with pods that are nothing to the daemon. On a machine with processors to spare these two are the same.

const mebi = 1 << 20

const (
	soakVictim, soakHostile = "soak-victim", "soak-hostile"
	soakGang                = 4 // members
	soakWorkers             = 5 // gangs of the victim at a time
	soakQuiet               = 50
	soakBusy                = 100
	soakNeverFit            = 2000
	soakWrongOrder          = 100
	soakCostly              = 500 // costly objects of each kind at a time
	soakConnections         = 50  // a second, to each port
	soakProbe               = 50 * time.Millisecond
	soakLimit               = 2 * time.Minute
	soakSamples             = 120 // of the memory of the daemon
)

// soak is one cluster under load.
type soak struct {
	*run
	pace    <-chan time.Time // one gang of the victim may come at each tick; nil: as soon as another one has gone
	hostile *run
	mu      sync.Mutex
	bound   map[string]chan struct{} // of the victim's pods, by name
	made    atomic.Int64             // hostile pods
	refused atomic.Int64             // by the API server, the hostile namespace's own business
}

// TestBenchSoak: One namespace does what it can against another one, whose gangs come and go: all of them are bound, memory
// is flat, no error is theirs, and their times are compared with those before (make soak).
func TestBenchSoak(t *testing.T) {
	duration, err := time.ParseDuration(fromEnvironment("SAKKARA_SOAK", "2m"))
	if err != nil {
		t.Fatal(err)
	}
	rate, err := strconv.Atoi(fromEnvironment("SAKKARA_SOAK_RATE", "200"))
	if err != nil {
		t.Fatal(err)
	}
	gangs, err := strconv.Atoi(fromEnvironment("SAKKARA_SOAK_GANGS", "0"))
	if err != nil || gangs < 0 {
		t.Fatalf("SAKKARA_SOAK_GANGS: %d, %v", gangs, err)
	}
	s := startSoak(t)
	if gangs > 0 {
		ticker := time.NewTicker(time.Second / time.Duration(gangs))
		defer ticker.Stop()
		s.pace = ticker.C
	}
	s.gangs(context.Background(), soakWorkers, "first") // kube-scheduler and daemon have begun
	stop := s.probe("quiet")
	quiet := s.gangs(context.Background(), soakQuiet, "quiet")
	stop()
	stop = s.probe("beside strangers")
	busy := s.besideStrangers(rate)
	stop()
	stop = s.probe("under attack")
	ctx, cancel := context.WithTimeout(context.Background(), duration)
	defer cancel()
	var load sync.WaitGroup
	for _, attack := range []func(context.Context){
		s.neverFit, s.wrongOrder, s.randomBytes, s.holdRoom, s.costly, func(ctx context.Context) { s.churn(ctx, rate, "churn") },
	} {
		load.Add(1)
		go func() {
			defer load.Done()
			attack(ctx)
		}()
	}
	memory, reservations := s.watchMemory(ctx, duration), s.watchReservations(ctx)
	loaded := s.gangs(ctx, 1<<30, "loaded")
	stop()
	load.Wait()
	s.judge(quiet, busy, loaded, <-memory, duration)
	s.judgeReservations(<-reservations, duration)
}

func startSoak(t *testing.T) *soak {
	t.Helper()
	plane := planeFor(t)
	r := &run{T: t, plane: plane, ns: soakVictim}
	s := &soak{run: r, hostile: &run{T: t, plane: plane, ns: soakHostile}, bound: map[string]chan struct{}{}}
	r.must(plane.CreateNamespace(soakVictim))
	r.must(plane.CreateNamespace(soakHostile))
	var slots [][]int
	for range 10 {
		slots = append(slots, slices.Repeat([]int{8}, 10))
	}
	nodes, tree := racks(slots...)
	r.must(plane.CreateNodes(nodes...))
	daemon, err := plane.NewDaemon("soak-daemon", cluster.DaemonOptions{Binary: sakkaraBinary, Server: plane.Server, CA: plane.CA,
		Settings: map[string]string{"groups": fromEnvironment("SAKKARA_SOAK_GROUPS", `{maxPriority: "soak-hostile=1, *=0"}`)}})
	r.must(err)
	r.daemon = daemon
	r.schedulerOptions = cluster.SchedulerOptions{
		FilterURL: "http://" + daemon.Extender + "/v1", BindURL: "http://" + daemon.Bind + "/v1", Alone: true,
	}
	r.begin()
	r.topology(tree)
	if !onSandbox {
		s.createStorageClass(soakNever)
	}
	s.createClass(soakNever, 1)
	s.deviceClass(gpu)
	for i := range 10 {
		s.devices(fmt.Sprintf("node-%d", i), 8)
	}
	t.Cleanup(func() {
		if err := r.scheduler.Kill(); err != nil {
			t.Error(err)
		}
		if err := daemon.Stop(); err != nil {
			t.Error(err)
		}
	})
	s.watchBound(t)
	return s
}

// watchBound closes the channel of each pod of the victim that gets a node.
func (s *soak) watchBound(t *testing.T) {
	path := "/api/v1/namespaces/" + soakVictim + "/pods?fieldSelector=spec.nodeName!="
	var list cluster.List[json.RawMessage]
	s.must(s.plane.Admin.Get(path, &list))
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	go func() {
		_ = s.plane.Admin.Watch(ctx, path, list.ResourceVersion, func(event cluster.Event) {
			var pod cluster.Pod
			if event.Type != "ADDED" || json.Unmarshal(event.Object, &pod) != nil {
				return
			}
			s.mu.Lock()
			defer s.mu.Unlock()
			if bound, known := s.bound[pod.Name]; known {
				close(bound)
				delete(s.bound, pod.Name)
			}
		})
	}()
}

// gangs lets at most n gangs of the victim come and go, some at a time, until ctx ends. It returns their times from
// when all members are there to the last one bound.
func (s *soak) gangs(ctx context.Context, n int, prefix string) (times []time.Duration) {
	var next atomic.Int64
	var all sync.WaitGroup
	var mu sync.Mutex
	for range soakWorkers {
		all.Add(1)
		go func() {
			defer all.Done()
			for ctx.Err() == nil {
				i := int(next.Add(1))
				if i > n {
					return
				}
				if s.pace != nil {
					<-s.pace
				}
				took, err := s.gang(fmt.Sprintf("%s-%d", prefix, i))
				if err != nil {
					s.Errorf("the victim's gang %s-%d: %v", prefix, i, err)
					return
				}
				mu.Lock()
				times = append(times, took)
				mu.Unlock()
			}
		}()
	}
	all.Wait()
	slices.Sort(times)
	return times
}

func (s *soak) gang(name string) (time.Duration, error) {
	admin := s.plane.Admin
	waits := make([]chan struct{}, soakGang)
	err := admin.Create("/api/v1/namespaces/"+s.ns+"/configmaps", soakMap(name, soakGang, 0), nil)
	for i := range waits {
		if err != nil {
			return 0, err
		}
		pod := s.pod(fmt.Sprintf("%s-%d", name, i), gated, label("sakkara.group.name", name))
		waits[i] = make(chan struct{})
		s.mu.Lock()
		s.bound[pod.Name] = waits[i]
		s.mu.Unlock()
		err = admin.Create("/api/v1/namespaces/"+s.ns+"/pods", pod, nil)
	}
	if err != nil {
		return 0, err
	}
	begin := time.Now()
	limit := time.After(soakLimit)
	for _, bound := range waits {
		select {
		case <-bound:
		case <-limit:
			return 0, fmt.Errorf("not bound within %v", soakLimit)
		}
	}
	took := time.Since(begin)
	for i := range waits {
		if err := admin.Delete(s.podPath(fmt.Sprintf("%s-%d", name, i))); err != nil {
			return 0, err
		}
	}
	return took, admin.Delete(s.mapPath(name))
}

func soakMap(name string, size, priority int) *cluster.ConfigMap {
	return &cluster.ConfigMap{Meta: cluster.Meta{Name: name, Labels: map[string]string{"sakkara.group": ""}},
		Data: map[string]string{"name": name, "size": fmt.Sprint(size), "priority": fmt.Sprint(priority)}}
}

// probe watches the machine until stop, and prints what it sees: how long the API server takes to change a map that is
// no group, and how long a plain pod of the other namespace takes to its node. A gang's way has four such requests in
// a row, and as many cycles of kube-scheduler as members. The plain pod needs no decision of the daemon.
func (s *soak) probe(when string) (stop func()) {
	name := "probe-" + when[:5]
	s.must(s.plane.Admin.Create("/api/v1/namespaces/"+s.ns+"/configmaps", &cluster.ConfigMap{Meta: cluster.Meta{Name: name}}, nil))
	endRequests := s.repeat("one request to the API server, "+when, func(i int) error {
		return s.plane.Admin.MergePatch(s.mapPath(name), fmt.Sprintf(`{"data":{"i":"%d"}}`, i))
	})
	endPods := s.repeat("a plain pod to its node, "+when, func(i int) error {
		pod := s.pod(fmt.Sprintf("%s-%d", name, i))
		bound := make(chan struct{})
		s.mu.Lock()
		s.bound[pod.Name] = bound
		s.mu.Unlock()
		if err := s.plane.Admin.Create("/api/v1/namespaces/"+s.ns+"/pods", pod, nil); err != nil {
			return err
		}
		defer func() { s.attempt(s.plane.Admin.Delete(s.podPath(pod.Name))) }()
		select {
		case <-bound:
			return nil
		case <-time.After(soakLimit):
			return fmt.Errorf("pod %s is not bound within %v", pod.Name, soakLimit)
		}
	})
	return func() {
		endRequests()
		endPods()
	}
}

// repeat does it again and again until end, and prints how long it takes.
func (s *soak) repeat(what string, do func(i int) error) (end func()) {
	stop, ended := make(chan struct{}), make(chan struct{})
	var times []time.Duration
	go func() {
		defer close(ended)
		tick := time.NewTicker(soakProbe)
		defer tick.Stop()
		for i := 0; ; i++ {
			select {
			case <-tick.C:
			case <-stop:
				return
			}
			begin := time.Now()
			if do(i) == nil {
				times = append(times, time.Since(begin))
			}
		}
	}()
	return func() {
		close(stop)
		<-ended
		slices.Sort(times)
		fmt.Printf("%s: %d, p50 %v, p99 %v\n", what, len(times), percentile(times, 50), percentile(times, 99))
	}
}

// ---- the load ----

// attempt is a request of the hostile namespace; what the API server thinks of it is its own business.
func (s *soak) attempt(err error) {
	if err != nil {
		s.refused.Add(1)
	}
}

func (s *soak) hostileGroup(name string, size, priority int, changes ...change) {
	s.attempt(s.plane.Admin.Create("/api/v1/namespaces/"+soakHostile+"/configmaps", soakMap(name, size, priority), nil))
	for i := range size {
		s.hostilePod(fmt.Sprintf("%s-%d", name, i), append(changes, gated, label("sakkara.group.name", name))...)
	}
}

func (s *soak) hostilePod(name string, changes ...change) {
	s.attempt(s.plane.Admin.Create("/api/v1/namespaces/"+soakHostile+"/pods", s.hostile.pod(name, changes...), nil))
	s.made.Add(1)
}

// outbid is the priority of a hostile group. By default the bound of the hostile namespace is 1, which only sets of
// holdRoom use: the others do not go before the other namespace.
func outbid(priority int) int {
	if os.Getenv("SAKKARA_SOAK_GROUPS") == "" {
		return 0
	}
	return priority
}

// neverFit makes groups of the highest priority that no node has room for.
func (s *soak) neverFit(ctx context.Context) {
	for i := 0; i < soakNeverFit && ctx.Err() == nil; i++ {
		s.hostileGroup(fmt.Sprintf("never-%d", i), 1, outbid(1<<30), cpu("1000"))
	}
}

// costly makes the costliest object of each kind that a tenant may make and the daemon reads, and changes each once. The
// oldest go when there are many. Pods name one claim of ten. A kind that the API server does not serve is left out.
func (s *soak) costly(ctx context.Context) {
	kinds := slices.Clone(costlyKinds)
	for i := 0; ctx.Err() == nil; i++ {
		name := fmt.Sprintf("costly-%d", i)
		kinds = slices.DeleteFunc(kinds, func(kind costlyKind) bool {
			path := kind.path + "/namespaces/" + soakHostile + "/" + kind.plural
			err := s.plane.Admin.Create(path, kind.object(name, i), nil)
			if cluster.IsStatus(err, http.StatusNotFound) {
				return true
			}
			s.attempt(err)
			s.attempt(s.plane.Admin.MergePatch(path+"/"+name, `{"metadata":{"annotations":{"beat":"1"}}}`))
			if i >= soakCostly {
				s.attempt(s.plane.Admin.Delete(fmt.Sprintf("%s/costly-%d", path, i-soakCostly)))
			}
			return false
		})
		if i%10 == 0 {
			s.hostilePod(name, gated, label("sakkara.group.name", name), byClaim(name))
		}
		if i >= soakCostly {
			s.attempt(s.plane.Admin.Delete(s.hostile.podPath(fmt.Sprintf("costly-%d", i-soakCostly))))
		}
		time.Sleep(20 * time.Millisecond)
	}
	fmt.Printf("kinds of costly objects that the API server serves: %d of %d\n", len(kinds), len(costlyKinds))
}

type costlyKind struct {
	path, plural string
	object       func(name string, i int) any
}

// costlyKinds has a row for each kind that skr_gang_watch lists and a tenant may make, and for pods' templates and
// Deployments.
var costlyKinds = []costlyKind{
	{"/apis/resource.k8s.io/v1", "resourceclaims", func(name string, i int) any { return costlyClaim(name, i) }},
	{"/apis/resource.k8s.io/v1", "resourceclaimtemplates", func(name string, i int) any {
		return costlyObject("resource.k8s.io/v1", "ResourceClaimTemplate", name, map[string]any{"spec": costlySpec(100000 + i)})
	}},
	{"/api/v1", "persistentvolumeclaims", func(name string, _ int) any {
		return costlyObject("v1", "PersistentVolumeClaim", name, map[string]any{"accessModes": []string{"ReadWriteOnce"},
			"storageClassName": soakNever, "resources": map[string]any{"requests": map[string]any{"storage": "1Gi"}}})
	}},
	{"/api/v1", "configmaps", func(name string, _ int) any {
		rules := soakMap(name, 1, 0)
		rules.Data["constraints"] = "{" + strings.Repeat(`"level-of-none":{"type":"pack"},`, 400) + `"rack":{"type":"pack"}}`
		return rules
	}},
	{"/api/v1", "podtemplates", func(name string, _ int) any {
		object := costlyObject("v1", "PodTemplate", name, nil)
		object["template"] = costlyPods("Always")
		return object
	}},
	{"/apis/batch/v1", "jobs", func(name string, i int) any {
		return costlyObject("batch/v1", "Job", name, map[string]any{"suspend": true, "activeDeadlineSeconds": 1000 + i,
			"template": costlyPods("Never")})
	}},
	{"/apis/apps/v1", "statefulsets", costlySet("StatefulSet")},
	{"/apis/apps/v1", "deployments", costlySet("Deployment")},
	{"/apis/policy/v1", "poddisruptionbudgets", func(name string, i int) any {
		var terms []any
		for k := range 100 {
			terms = append(terms, map[string]any{"key": fmt.Sprintf("k%d-%d", i, k), "operator": "DoesNotExist"})
		}
		return costlyObject("policy/v1", "PodDisruptionBudget", name, map[string]any{"maxUnavailable": 0,
			"selector": map[string]any{"matchExpressions": terms}})
	}},
	{"/apis/scheduling.x-k8s.io/v1alpha1", "podgroups", func(name string, i int) any {
		return costlyObject("scheduling.x-k8s.io/v1alpha1", "PodGroup", name, map[string]any{"minMember": 2 + i})
	}},
	{"/apis/scheduling.k8s.io/v1alpha2", "podgroups", costlyNative("v1alpha2")},
	{"/apis/scheduling.k8s.io/v1alpha3", "podgroups", costlyNative("v1alpha3")},
	{"/apis/scheduling.k8s.io/v1beta1", "podgroups", costlyNative("v1beta1")},
	{"/apis/jobset.x-k8s.io/v1alpha2", "jobsets", func(name string, _ int) any {
		return costlyObject("jobset.x-k8s.io/v1alpha2", "JobSet", name, map[string]any{"suspend": true,
			"replicatedJobs": []any{map[string]any{"name": "w", "replicas": 4, "template": map[string]any{
				"spec": map[string]any{"parallelism": 4, "completions": 4, "template": costlyPods("Never")}}}}})
	}},
	{"/apis/leaderworkerset.x-k8s.io/v1", "leaderworkersets", func(name string, _ int) any {
		return costlyObject("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", name, map[string]any{"replicas": 0,
			"leaderWorkerTemplate": map[string]any{"size": 4, "workerTemplate": costlyPods("Always")}})
	}},
	{"/apis/kubeflow.org/v2beta1", "mpijobs", costlyReplicas("v2beta1", "MPIJob", "mpiReplicaSpecs")},
	{"/apis/kubeflow.org/v1", "mpijobs", costlyReplicas("v1", "MPIJob", "mpiReplicaSpecs")},
	{"/apis/kubeflow.org/v1", "pytorchjobs", costlyReplicas("v1", "PyTorchJob", "pytorchReplicaSpecs")},
	{"/apis/kubeflow.org/v1", "tfjobs", costlyReplicas("v1", "TFJob", "tfReplicaSpecs")},
	{"/apis/kubeflow.org/v1", "xgboostjobs", costlyReplicas("v1", "XGBoostJob", "xgbReplicaSpecs")},
	{"/apis/kubeflow.org/v1", "paddlejobs", costlyReplicas("v1", "PaddleJob", "paddleReplicaSpecs")},
	{"/apis/kubeflow.org/v1", "jaxjobs", costlyReplicas("v1", "JAXJob", "jaxReplicaSpecs")},
	{"/apis/ray.io/v1", "rayclusters", func(name string, _ int) any {
		return costlyObject("ray.io/v1", "RayCluster", name, map[string]any{"suspend": true,
			"headGroupSpec": map[string]any{"rayStartParams": map[string]any{}, "template": costlyPods("Always")}})
	}},
	{"/apis/sparkoperator.k8s.io/v1beta2", "sparkapplications", func(name string, _ int) any {
		return costlyObject("sparkoperator.k8s.io/v1beta2", "SparkApplication", name, map[string]any{"type": "Scala", "mode": "cluster",
			"sparkVersion": "4.0.0", "driver": map[string]any{}, "executor": map[string]any{"instances": 4}})
	}},
	{"/apis/kueue.x-k8s.io/v1beta2", "workloads", func(name string, _ int) any {
		return costlyObject("kueue.x-k8s.io/v1beta2", "Workload", name, map[string]any{"podSets": []any{
			map[string]any{"name": "main", "count": 4, "template": costlyPods("Never")}}})
	}},
}

func costlyObject(apiVersion, kind, name string, spec any) map[string]any {
	return map[string]any{"apiVersion": apiVersion, "kind": kind, "spec": spec,
		"metadata": map[string]any{"name": name, "annotations": map[string]any{"sakkara.gang": "auto"}}}
}

func costlyPods(restart string) map[string]any {
	return map[string]any{"metadata": map[string]any{"labels": map[string]any{"costly": "pods"}}, "spec": map[string]any{
		"restartPolicy": restart, "containers": []any{map[string]any{"name": "c", "image": "none"}}}}
}

func costlySet(kind string) func(string, int) any {
	return func(name string, _ int) any {
		return costlyObject("apps/v1", kind, name, map[string]any{"replicas": 0, "template": costlyPods("Always"),
			"selector": map[string]any{"matchLabels": map[string]any{"costly": "pods"}}})
	}
}

func costlyNative(version string) func(string, int) any {
	return func(name string, i int) any {
		return costlyObject("scheduling.k8s.io/"+version, "PodGroup", name, map[string]any{
			"schedulingPolicy": map[string]any{"gang": map[string]any{"minCount": 2 + i}}})
	}
}

func costlyReplicas(version, kind, field string) func(string, int) any {
	return func(name string, i int) any {
		part := map[string]any{"replicas": 4, "restartPolicy": "Never", "template": costlyPods("Never")}
		return costlyObject("kubeflow.org/"+version, kind, name, map[string]any{field: map[string]any{"Worker": part},
			"runPolicy": map[string]any{"suspend": true}})
	}
}

// wrongOrder makes groups that fit, the last member first and the map at the end, again and again.
func (s *soak) wrongOrder(ctx context.Context) {
	for i := 0; ctx.Err() == nil; i++ {
		name := fmt.Sprintf("wrong-%d", i%soakWrongOrder)
		for k := soakGang - 1; k >= 0; k-- {
			s.hostilePod(fmt.Sprintf("%s-%d", name, k), gated, label("sakkara.group.name", name))
		}
		s.attempt(s.plane.Admin.Create("/api/v1/namespaces/"+soakHostile+"/configmaps", soakMap(name, soakGang, outbid(i)), nil))
		old := fmt.Sprintf("wrong-%d", (i+soakWrongOrder/2)%soakWrongOrder)
		for k := range soakGang {
			s.attempt(s.plane.Admin.Delete(s.hostile.podPath(fmt.Sprintf("%s-%d", old, k))))
		}
		s.attempt(s.plane.Admin.Delete(s.hostile.mapPath(old)))
		time.Sleep(100 * time.Millisecond)
	}
}

// besideStrangers is the same number of pods a second, and as large, of another scheduler and in no group.
func (s *soak) besideStrangers(rate int) []time.Duration {
	ctx, cancel := context.WithCancel(context.Background())
	var load sync.WaitGroup
	load.Add(1)
	go func() {
		defer load.Done()
		s.churn(ctx, rate, "stranger", func(pod *cluster.Pod) {
			pod.Spec.SchedulerName = "another"
			pod.Labels["sakkara.group.name"] = ""
		})
	}()
	times := s.gangs(ctx, soakBusy, "busy")
	cancel()
	load.Wait()
	return times
}

// churn creates and deletes so many pods a second: invented resources, huge labels and annotations, members of
// groups that do not exist.
func (s *soak) churn(ctx context.Context, rate int, prefix string, changes ...change) {
	const lanes = 8
	var all sync.WaitGroup
	for lane := range lanes {
		all.Add(1)
		go func() {
			defer all.Done()
			tick := time.NewTicker(time.Second * lanes / time.Duration(rate))
			defer tick.Stop()
			for i := 0; ctx.Err() == nil; i++ {
				<-tick.C
				name := fmt.Sprintf("%s-%d-%d", prefix, lane, i)
				s.hostilePod(name, append([]change{gated, label("sakkara.group.name", fmt.Sprintf("nobody-%d", i%1000)), odd(i)}, changes...)...)
				s.attempt(s.plane.Admin.Delete(s.hostile.podPath(name)))
			}
		}()
	}
	all.Wait()
}

// odd makes a pod unlike all others.
func odd(i int) change {
	return func(pod *cluster.Pod) {
		switch i % 4 {
		case 0:
			requests := pod.Spec.Containers[0].Resources.Requests
			for k := range 60 {
				requests[fmt.Sprintf("invented-%d.example/r%d", i, k)] = "1"
			}
			pod.Spec.Containers[0].Resources.Limits = requests
		case 1:
			for k := range 500 {
				pod.Labels[fmt.Sprintf("huge.example/%d-%d", i, k)] = strings.Repeat("x", 63)
			}
		case 2:
			pod.Annotations = map[string]string{"sakkara.plan": strings.Repeat("{", 100000)}
		}
	}
}

// randomBytes fills every port of the daemon with noise.
func (s *soak) randomBytes(ctx context.Context) {
	noise := rand.New(rand.NewSource(1))
	tick := time.NewTicker(time.Second / soakConnections)
	defer tick.Stop()
	for ctx.Err() == nil {
		<-tick.C
		for _, address := range []string{s.daemon.Extender, s.daemon.Bind, s.daemon.Admin} {
			conn, err := net.DialTimeout("tcp", address, time.Second)
			if err != nil {
				continue
			}
			bytes := make([]byte, noise.Intn(4096))
			noise.Read(bytes)
			_, _ = conn.Write(bytes)
			_ = conn.Close()
		}
	}
}

// ---- the judgement ----

// watchMemory sends the daemon's memory at equal distances of time, all of it when ctx ends, and logs it as it goes.
func (s *soak) watchMemory(ctx context.Context, duration time.Duration) <-chan []int64 {
	all := make(chan []int64, 1)
	begin := time.Now()
	go func() {
		var samples []int64
		tick := time.NewTicker(duration / soakSamples)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				samples = append(samples, s.daemon.Process().Resident())
				s.Logf("after %4.0f s: %6.2f MiB", time.Since(begin).Seconds(), float64(samples[len(samples)-1])/mebi)
			case <-ctx.Done():
				all <- append(samples, s.daemon.Process().Resident())
				return
			}
		}
	}()
	return all
}

// judgeMemory compares the most memory in the last third of the time with that in the second one: a tenth more is no
// growth, and neither are the few MiB by which the allocator's rest differs from one moment to the next.
func (s *soak) judgeMemory(samples []int64) {
	var most [3]int64
	for i := range most {
		part := samples[i*len(samples)/3 : (i+1)*len(samples)/3]
		if len(part) == 0 {
			s.Errorf("too few samples of memory: %v", samples)
			return
		}
		most[i] = slices.Max(part)
	}
	fmt.Printf("memory of the daemon: at most %.1f, %.1f and %.1f MiB in the first, second and last third; processor %v\n",
		float64(most[0])/mebi, float64(most[1])/mebi, float64(most[2])/mebi, s.daemon.Process().CPU())
	if most[2] > most[1]+most[1]/10+4*mebi {
		s.Errorf("memory grows: %v", samples)
	}
}

func percentile(times []time.Duration, percent int) time.Duration {
	if len(times) == 0 {
		return 0
	}
	return times[(len(times)*percent+99)/100-1]
}

// The parts of a gang's way, by what the daemon's log says about it. The first is the daemon's alone, from the last
// member's arrival there to the plan, planDelay among it; the second is writes, kube-scheduler's cycles and its votes; the
// third writes.
var soakParts = []struct{ name, from, to string }{
	{"seen whole to planned (the daemon's own)", "Ready", "Assigned"},
	{"planned to voted", "Assigned", "Permitted"},
	{"voted to bound", "Permitted", "Bound"},
}

var soakStatus = regexp.MustCompile(`^.\d{4} (\S+) .*"Group status changed" group="` + soakVictim + `/([a-z]+)-(\d+)" status="(\w+)"`)

// parts are the victim's gangs' times in each part of their way, by the beginning of their names.
func (s *soak) parts() map[string][][]time.Duration {
	text, err := os.ReadFile(s.daemon.Process().Log)
	s.must(err)
	since := map[string]time.Time{}
	times := map[string][][]time.Duration{}
	for line := range bytes.Lines(text) {
		match := soakStatus.FindSubmatch(line)
		if match == nil {
			continue
		}
		when, err := time.Parse("15:04:05.000000", string(match[1]))
		if err != nil {
			continue
		}
		prefix, gang, status := string(match[2]), string(match[2])+string(match[3]), string(match[4])
		since[gang+status] = when
		if times[prefix] == nil {
			times[prefix] = make([][]time.Duration, len(soakParts))
		}
		for i, part := range soakParts {
			begin, known := since[gang+part.from]
			if took := when.Sub(begin); part.to == status && known && took >= 0 { // else: midnight
				times[prefix][i] = append(times[prefix][i], took)
			}
		}
	}
	for _, parts := range times {
		for _, part := range parts {
			slices.Sort(part)
		}
	}
	return times
}

// judgeParts prints where the time goes, and holds the daemon to its own part of it: whatever the machine, the API
// server and kube-scheduler do, an attack doubles that at most.
func (s *soak) judgeParts() {
	times := s.parts()
	for _, prefix := range []string{"quiet", "busy", "loaded"} {
		for i, part := range soakParts {
			if len(times[prefix]) == 0 || len(times[prefix][i]) == 0 {
				s.Errorf("the log of the daemon tells no times of %s", prefix)
				return
			}
			fmt.Printf("%-7s %-42s p50 %v, p99 %v\n", prefix, part.name, percentile(times[prefix][i], 50), percentile(times[prefix][i], 99))
		}
	}
	own := func(prefix string) time.Duration { return percentile(times[prefix][0], 99) }
	if own("loaded") > 2*max(own("quiet"), own("busy")) {
		s.Errorf("p99 of the daemon's own part is more than twice that without the attack")
	}
}

// judgeTimes holds the daemon to its times while gangs come as fast as they can. At a pace it has next to nothing to do,
// and its times are those of whatever else runs on the machine.
func (s *soak) judgeTimes(quiet, busy, loaded []time.Duration) {
	s.judgeParts()
	if percentile(loaded, 99) > 2*max(percentile(quiet, 99), percentile(busy, 99)) {
		s.Errorf("p99 of the other namespace is more than twice that without the attack")
	}
}

func (s *soak) judge(quiet, busy, loaded []time.Duration, memory []int64, duration time.Duration) {
	if s.pace == nil {
		s.judgeTimes(quiet, busy, loaded)
	}
	_, page := s.daemon.AdminGet("/metrics")
	for _, line := range strings.Split(page, "\n") {
		if strings.HasPrefix(line, "sakkara_api_writes_total") || strings.HasPrefix(line, "sakkara_api_write_seconds_total") {
			fmt.Println(line)
		}
	}
	fmt.Printf("soak of %v: %d hostile pods made, %d of their requests refused\n", duration, s.made.Load(), s.refused.Load())
	for name, times := range map[string][]time.Duration{"quiet": quiet, "beside strangers": busy, "under attack": loaded} {
		fmt.Printf("time to bound of the other namespace, %s: %d gangs, p50 %v, p99 %v\n", name, len(times),
			percentile(times, 50), percentile(times, 99))
	}
	s.judgeMemory(memory)
	if !s.daemon.Process().Running() {
		s.Errorf("the daemon ended:\n%s", s.daemon.Process().Tail(40))
	}
	if len(loaded) < soakQuiet {
		s.Errorf("only %d gangs of the other namespace were bound under the load", len(loaded))
	}
	text, err := os.ReadFile(s.daemon.Process().Log)
	s.must(err)
	for line := range bytes.Lines(text) {
		if line[0] == 'E' && bytes.Contains(line, []byte(soakVictim)) {
			s.Errorf("an error about the other namespace: %s", line)
		}
	}
}
