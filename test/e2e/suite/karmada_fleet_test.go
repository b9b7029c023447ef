// SPDX-License-Identifier: Apache-2.0

package suite

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"sakkara/test/e2e/suite/cluster"
)

// A Karmada control plane in motion. The sizes are small in the gate and those of make fleet-load otherwise.

type fleetBinding struct {
	Metadata struct {
		Name, Namespace string
		Generation      int64
		ResourceVersion string
	}
	Spec struct {
		SchedulerName         string
		Replicas              int
		RescheduleTriggeredAt string
		Clusters              []struct {
			Name     string
			Replicas int
		}
		GracefulEvictionTasks []struct{ FromCluster string }
	}
	Status struct {
		LastScheduledTime           string
		SchedulerObservedGeneration int64
		Conditions                  []struct{ Type, Status, Reason, Message string }
	}
}

type fleet struct {
	karmada
	random   *rand.Rand
	clusterN int
	names    []string // of bindings
	zone     map[string]string
}

const divided = `"replicaScheduling":{"replicaSchedulingType":"Divided","replicaDivisionPreference":"Weighted",` +
	`"weightPreference":{"dynamicWeight":"AvailableReplicas"}}`

func spreadBy(field string, low, high int) string {
	return fmt.Sprintf(`{"spreadByField":"%s","minGroups":%d,"maxGroups":%d}`, field, low, high)
}

// bindingKinds are placements, by the beginning of a binding's name.
var bindingKinds = []struct{ name, placement string }{
	{"dynamic", divided + `,"spreadConstraints":[` + spreadBy("cluster", 2, 5) + `]`},
	{"zones", divided + `,"spreadConstraints":[` + spreadBy("zone", 2, 2) + "," + spreadBy("cluster", 2, 4) + `]`},
	{"regions", divided + `,"spreadConstraints":[` + spreadBy("region", 2, 3) + "," + spreadBy("cluster", 3, 6) + `]`},
	{"static", `"replicaScheduling":{"replicaSchedulingType":"Divided","replicaDivisionPreference":"Weighted",` +
		`"weightPreference":{"staticWeightList":[{"targetCluster":{"clusterNames":["m000","m001"]},"weight":2}]}}`},
	{"duplicated", `"spreadConstraints":[` + spreadBy("cluster", 1, 3) + `]`},
	{"aggregated", `"replicaScheduling":{"replicaSchedulingType":"Divided","replicaDivisionPreference":"Aggregated"}`},
	{"terms", divided + `,"clusterAffinities":[{"affinityName":"none","clusterNames":["nowhere"]},{"affinityName":"p1",` +
		`"fieldSelector":{"matchExpressions":[{"key":"provider","operator":"In","values":["p1"]}]}}]`},
	{"providers", divided + `,"spreadConstraints":[` + spreadBy("provider", 2, 2) + "," + spreadBy("region", 2, 4) + "," + spreadBy("cluster", 2, 8) + `]`},
	{"config", ``},
}

func (f *fleet) member(i int) string { return fmt.Sprintf("m%03d", i) }

func (f *fleet) addMember(i int) error {
	zone := i % 60
	f.zone[f.member(i)] = fmt.Sprintf("z%d", zone)
	err := f.plane.Admin.Create(f.clusters.At("", ""), map[string]any{
		"apiVersion": "cluster.karmada.io/v1alpha1", "kind": "Cluster", "metadata": map[string]any{"name": f.member(i)},
		"spec": map[string]any{"provider": fmt.Sprintf("p%d", zone%3), "region": fmt.Sprintf("r%d", zone%15), "zones": []string{f.zone[f.member(i)]}},
	}, nil)
	if err == nil {
		err = f.setRoom(i, 20+i%50)
	}
	return err
}

func (f *fleet) setRoom(i, pods int) error {
	return ignoreGone(f.plane.Admin.MergePatch(f.clusters.At("", f.member(i))+"/status", fmt.Sprintf(`{"status":{
		"apiEnablements":[{"groupVersion":"apps/v1","resources":[{"kind":"Deployment"},{"kind":"ConfigMap"}]}],
		"resourceSummary":{"allocatable":{"pods":"%d"}}}}`, pods)))
}

func (f *fleet) addBinding(i int) error {
	kind := bindingKinds[i%len(bindingKinds)]
	scheduler, replicas := "sakkara", 3+i%20
	if i%11 == 10 {
		scheduler = "default-scheduler"
	}
	if kind.name == "config" {
		replicas = 0
	}
	body := fmt.Sprintf(`{"apiVersion":"work.karmada.io/v1alpha2","kind":"ResourceBinding","metadata":{"name":"%s","labels":{
		"propagationpolicy.karmada.io/permanent-id":"p"}},"spec":{"schedulerName":"%s","replicas":%d,"resource":{"apiVersion":"apps/v1",
		"kind":"Deployment","namespace":"%s","name":"w%d","uid":"u%d"},"placement":{%s}}}`, f.names[i], scheduler, replicas, f.ns, i, i, kind.placement)
	return f.plane.Admin.Create(f.bindings.At(f.ns, ""), body, nil)
}

func (f *fleet) list() ([]fleetBinding, map[string]bool, error) {
	var bindings cluster.List[fleetBinding]
	var members cluster.List[struct{ Metadata struct{ Name string } }]
	if err := f.plane.Admin.Get(f.bindings.At(f.ns, ""), &bindings); err != nil {
		return nil, nil, err
	}
	err := f.plane.Admin.Get(f.clusters.At("", ""), &members)
	there := map[string]bool{}
	for _, c := range members.Items {
		there[c.Metadata.Name] = true
	}
	return bindings.Items, there, err
}

// judge says what is not yet as it should be.
func (f *fleet) judge() error {
	bindings, there, err := f.list()
	if err != nil {
		return err
	}
	for i := range bindings {
		if err := f.judgeOne(&bindings[i], there); err != nil {
			return fmt.Errorf("%s: %w: %+v", bindings[i].Metadata.Name, err, bindings[i])
		}
	}
	return nil
}

func (f *fleet) judgeOne(b *fleetBinding, there map[string]bool) error {
	if b.Spec.SchedulerName != "sakkara" {
		if len(b.Spec.Clusters) > 0 || len(b.Status.Conditions) > 0 {
			f.Fatalf("a foreign binding was touched: %+v", b)
		}
		return nil
	}
	if len(b.Status.Conditions) != 1 {
		return fmt.Errorf("no condition")
	}
	if b.Status.Conditions[0].Status != "True" {
		if reason := b.Status.Conditions[0].Reason; reason != "Unschedulable" && reason != "NoClusterFit" {
			return fmt.Errorf("%s", reason)
		}
		return nil
	}
	if b.Status.SchedulerObservedGeneration != b.Metadata.Generation || b.Status.LastScheduledTime < b.Spec.RescheduleTriggeredAt {
		return fmt.Errorf("not observed")
	}
	sum, zones := 0, map[string]bool{}
	for _, c := range b.Spec.Clusters {
		for _, task := range b.Spec.GracefulEvictionTasks {
			if task.FromCluster == c.Name {
				return fmt.Errorf("%s is evicted", c.Name)
			}
		}
		if !there[c.Name] {
			return fmt.Errorf("%s is gone", c.Name)
		}
		sum += c.Replicas
		zones[f.zone[c.Name]] = true
	}
	kind, _, _ := strings.Cut(b.Metadata.Name, "-")
	switch {
	case kind == "config" || kind == "duplicated":
		for _, c := range b.Spec.Clusters {
			if kind == "duplicated" && c.Replicas != b.Spec.Replicas {
				return fmt.Errorf("%s has %d", c.Name, c.Replicas)
			}
		}
	case sum != b.Spec.Replicas:
		return fmt.Errorf("%d of %d replicas", sum, b.Spec.Replicas)
	case kind == "zones" && len(zones) > 2:
		return fmt.Errorf("%d zones", len(zones))
	}
	return nil
}

func (f *fleet) settle(what string) time.Duration {
	f.Helper()
	began := time.Now()
	for {
		err := f.judge()
		if err == nil {
			return time.Since(began)
		}
		if time.Since(began) > 4*usual {
			f.Fatalf("%s: %v", what, err)
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// stir changes replicas, placements, taints, summaries, evicts and asks for rescheduling.
func (f *fleet) stir(round int) {
	f.Helper()
	bindings, _, err := f.list()
	f.must(err)
	f.must(cluster.Parallel(len(bindings), func(i int) error {
		b := &bindings[i]
		at := f.bindings.At(f.ns, b.Metadata.Name)
		if b.Spec.SchedulerName != "sakkara" {
			return nil
		}
		kind, _, _ := strings.Cut(b.Metadata.Name, "-")
		switch (i + round*3) % 12 {
		case 0:
			if kind != "config" {
				return f.plane.Admin.MergePatch(at, fmt.Sprintf(`{"spec":{"replicas":%d}}`, 1+(i+round*7)%25))
			}
		case 1:
			return f.plane.Admin.MergePatch(at, fmt.Sprintf(`{"spec":{"rescheduleTriggeredAt":"%s"}}`, time.Now().UTC().Format(time.RFC3339)))
		case 2:
			if kind == "dynamic" {
				return f.plane.Admin.MergePatch(at, `{"spec":{"placement":{"spreadConstraints":[`+spreadBy("cluster", 3, 4)+`]}}}`)
			}
		case 3:
			if len(b.Spec.Clusters) > 1 {
				return f.evict(b)
			}
		}
		return nil
	}))
	f.must(cluster.Parallel(f.clusterN, func(i int) error {
		switch (i + round*5) % 16 {
		case 0:
			return f.plane.Admin.MergePatch(f.clusters.At("", f.member(i)), `{"spec":{"taints":[{"key":"lost","effect":"NoSchedule"}]}}`)
		case 1:
			return f.plane.Admin.MergePatch(f.clusters.At("", f.member(i)), `{"spec":{"taints":null}}`)
		case 2, 3, 4:
			return f.setRoom(i, 10+(i*7+round*13)%70)
		}
		return nil
	}))
}

// evict does what the taint manager does: a cluster leaves the list, a task says where it goes from.
func (f *fleet) evict(b *fleetBinding) error {
	var rest []string
	for _, c := range b.Spec.Clusters[1:] {
		rest = append(rest, fmt.Sprintf(`{"name":"%s","replicas":%d}`, c.Name, c.Replicas))
	}
	return f.plane.Admin.MergePatch(f.bindings.At(f.ns, b.Metadata.Name), fmt.Sprintf(
		`{"spec":{"clusters":[%s],"gracefulEvictionTasks":[{"fromCluster":"%s"}]}}`, strings.Join(rest, ","), b.Spec.Clusters[0].Name))
}

// bindingWrites counts patches of bindings and of their status, refused ones too.
func (f *fleet) bindingWrites() int {
	n := 0
	for _, write := range f.proxy.Writes() {
		if strings.Contains(write.Path, "resourcebindings/") {
			n++
		}
	}
	return n
}

func startFleet(t *testing.T, daemon cluster.DaemonOptions) *fleet {
	daemon.Settings = map[string]string{"karmada": "{enabled: true, qps: 5000, burst: 10000}"}
	daemon.QPS = 10000
	realOnly(t, "the sandbox does not serve these resources")
	nodes, _ := racks([]int{1})
	r := start(t, nodes, options{resources: []string{"testdata/karmada.yaml"}, roles: []string{"../../../manifests/karmada/rbac.yaml"},
		daemon: daemon, paused: true})
	f := &fleet{karmada: karmada{run: r, clusters: r.resource("clusters"), bindings: r.resource("resourcebindings")},
		random: rand.New(rand.NewPCG(3, 4)), clusterN: fleetSize("MEMBERS", 60), zone: map[string]string{}}
	for i := range f.clusterN { // in order: the map is not shared
		f.zone[f.member(i)] = ""
	}
	for i := range f.clusterN {
		f.must(f.addMember(i))
	}
	for i := range fleetSize("BINDINGS", 90) {
		f.names = append(f.names, fmt.Sprintf("%s-%d", bindingKinds[i%len(bindingKinds)].name, i))
	}
	return f
}

// TestKarmada_AFleetInMotion: Bindings of all kinds are placed with two writes each and then left alone, by an API server
// that takes 8 ms; they follow changes of replicas, placements, taints, room, evictions and wishes to be rescheduled while
// writes fail and the daemon is killed in the middle of some. An eviction that comes between a decision and its write
// stands, a quota that refuses is reported, and foreign bindings are left alone.
func TestKarmada_AFleetInMotion(t *testing.T) {
	f := startFleet(t, cluster.DaemonOptions{})
	f.must(cluster.Parallel(len(f.names), f.addBinding))
	f.proxy.Delay(8 * time.Millisecond)
	f.begin()
	for before := -1; before < f.bindingWrites(); time.Sleep(2 * time.Second) { // looking at all of them would cost more than the work
		before = f.bindingWrites()
	}
	f.proxy.Delay(0)
	f.settle("at first")
	writes := f.bindingWrites()
	var first, last time.Time
	for _, write := range f.proxy.Writes() {
		if strings.Contains(write.Path, "resourcebindings/") {
			if first.IsZero() {
				first = write.Start
			}
			last = write.Start
		}
	}
	t.Logf("%d bindings, %d writes, %.0f bindings/s", len(f.names), writes, float64(len(f.names))/last.Sub(first).Seconds())
	_, page := f.daemon.AdminGet("/metrics")
	for _, line := range strings.Split(page, "\n") {
		if strings.HasPrefix(line, "sakkara_binding_scheduling_duration_seconds_sum") || strings.HasPrefix(line, "process_cpu_seconds_total") {
			t.Log(line)
		}
	}
	if writes > 2*len(f.names) {
		t.Errorf("%d writes for %d bindings", writes, len(f.names))
	}
	f.daemon.Kill()
	f.must(f.daemon.Start())
	time.Sleep(500 * time.Millisecond)
	bindings, _, err := f.list()
	f.must(err)
	unplaced := slices.ContainsFunc(bindings, func(b fleetBinding) bool {
		return len(b.Status.Conditions) > 0 && b.Status.Conditions[0].Status != "True"
	})
	if again := f.bindingWrites() - writes; again > 0 && !unplaced {
		t.Errorf("%d writes for bindings that are placed", again)
	}
	for round := range fleetSize("ROUNDS", 4) {
		killed := make(chan struct{})
		if round%2 == 0 {
			f.proxy.KillAt(2+round*7%30, cluster.Moment(round/2%2), func() {
				f.daemon.Kill()
				close(killed)
			})
		} else {
			f.proxy.Disturb(0.05, uint64(round))
		}
		revived := make(chan error, 1)
		go func() {
			if round%2 == 0 {
				<-killed
				revived <- f.daemon.Start()
			} else {
				revived <- nil
			}
		}()
		f.stir(round)
		f.must(<-revived)
		t.Logf("round %d settled after %v", round, f.settle(fmt.Sprintf("round %d", round)))
		f.proxy.Disturb(0, 0)
	}
	f.interfere()
}

// interfere puts an eviction between a decision and its write, and refuses another one's as a quota does.
func (f *fleet) interfere() {
	f.Helper()
	bindings, _, err := f.list()
	f.must(err)
	at := slices.IndexFunc(bindings, func(b fleetBinding) bool {
		return strings.HasPrefix(b.Metadata.Name, "dynamic-") && b.Spec.SchedulerName == "sakkara" && len(b.Spec.Clusters) > 1 &&
			len(b.Spec.GracefulEvictionTasks) == 0
	})
	if at < 0 {
		f.Fatal("no binding to interfere with")
	}
	b := bindings[at]
	conflicts := f.conflicts()
	f.proxy.Before(func(w *cluster.Write) bool { return w.Is("PATCH", "/"+b.Metadata.Name) }, func() { f.must(f.evict(&b)) })
	f.must(f.plane.Admin.MergePatch(f.bindings.At(f.ns, b.Metadata.Name), fmt.Sprintf(`{"spec":{"replicas":%d}}`, b.Spec.Replicas+1)))
	f.poll("the decision met the eviction", func() bool { return f.conflicts() > conflicts })
	f.settle("after the eviction")
	quota := "dynamic-quota"
	f.names = append(f.names, quota)
	f.proxy.Refuse(403, func(w *cluster.Write) bool { return w.Is("PATCH", "/"+quota) })
	f.binding(quota, "sakkara", 2)
	f.wait(usual, "the quota is reported", func(v *cluster.View) error {
		var b bindingState
		if err := v.Object(f.bindings.Path, f.ns, quota).Decode(&b); err != nil {
			return err
		}
		if len(b.Status.Conditions) != 1 || b.Status.Conditions[0].Reason != "QuotaExceeded" {
			return fmt.Errorf("%+v", b)
		}
		return nil
	})
	f.settle("after the quota")
}

func (f *fleet) conflicts() int {
	n := 0
	for _, write := range f.proxy.Writes() {
		if write.Status == 409 {
			n++
		}
	}
	return n
}
