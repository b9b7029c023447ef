// SPDX-License-Identifier: Apache-2.0

package suite

import (
	"errors"
	"fmt"
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
	clusterBindings cluster.Resource
	clusterN        int
	names           []string // of bindings
	barriers        int
	zone            map[string]string
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

// at is the path of a binding; one without a namespace is a ClusterResourceBinding.
func (f *fleet) at(b *fleetBinding) string {
	if b.Metadata.Namespace == "" {
		return f.clusterBindings.At("", b.Metadata.Name)
	}
	return f.bindings.At(b.Metadata.Namespace, b.Metadata.Name)
}

// isForeign: every eleventh binding is another scheduler's.
func isForeign(i int) bool { return i%11 == 10 }

// addBinding makes a ResourceBinding, or every fourth time a ClusterResourceBinding.
func (f *fleet) addBinding(i int) error {
	kind := bindingKinds[i%len(bindingKinds)]
	scheduler, replicas := "sakkara", 3+i%20
	if isForeign(i) {
		scheduler = "default-scheduler"
	}
	if kind.name == "config" {
		replicas = 0
	}
	return f.create(f.names[i], scheduler, replicas, kind.placement, i%4 == 1)
}

func (f *fleet) create(name, scheduler string, replicas int, placement string, clusterScoped bool) error {
	what, path, ns := "ResourceBinding", f.bindings.At(f.ns, ""), `,"namespace":"`+f.ns+`"`
	if clusterScoped {
		what, path, ns = "ClusterResourceBinding", f.clusterBindings.At("", ""), ""
	}
	body := fmt.Sprintf(`{"apiVersion":"work.karmada.io/v1alpha2","kind":"%s","metadata":{"name":"%s","labels":{
		"propagationpolicy.karmada.io/permanent-id":"p"}},"spec":{"schedulerName":"%s","replicas":%d,"resource":{"apiVersion":"apps/v1",
		"kind":"Deployment"%s,"name":"%s","uid":"u-%s"},"placement":{%s}}}`, what, name, scheduler, replicas, ns, name, name, placement)
	return f.plane.Admin.Create(path, body, nil)
}

func (f *fleet) list() ([]fleetBinding, map[string]bool, error) {
	var bindings, wide cluster.List[fleetBinding]
	var members cluster.List[struct{ Metadata struct{ Name string } }]
	err := errors.Join(f.plane.Admin.Get(f.bindings.At(f.ns, ""), &bindings), f.plane.Admin.Get(f.clusterBindings.At("", ""), &wide),
		f.plane.Admin.Get(f.clusters.At("", ""), &members))
	there := map[string]bool{}
	for _, c := range members.Items {
		there[c.Metadata.Name] = true
	}
	return append(bindings.Items, wide.Items...), there, err
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
	return f.untilRight(what, 4*usual, f.judge)
}

// stir changes replicas, placements, taints, summaries, evicts and asks for rescheduling.
func (f *fleet) stir(round int) {
	f.Helper()
	bindings, _, err := f.list()
	f.must(err)
	f.must(cluster.Parallel(len(bindings), func(i int) error {
		b := &bindings[i]
		at := f.at(b)
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
	return f.plane.Admin.MergePatch(f.at(b), fmt.Sprintf(
		`{"spec":{"clusters":[%s],"gracefulEvictionTasks":[{"fromCluster":"%s"}]}}`, strings.Join(rest, ","), b.Spec.Clusters[0].Name))
}

// writesOf counts patches of bindings and of their status by path, refused ones too; those of barriers are left out.
func (f *fleet) writesOf(proxy *cluster.Proxy) (count map[string]int, first, last time.Time) {
	count = map[string]int{}
	for _, write := range proxy.Writes() {
		if !strings.Contains(write.Path, "resourcebindings/") || strings.Contains(write.Path, "-barrier-") {
			continue
		}
		if last = write.Start; first.IsZero() {
			first = write.Start
		}
		count[write.Path]++
	}
	return count, first, last
}

var fleetSettings = map[string]string{"karmada": "{enabled: true, qps: 5000, burst: 10000}"}

func startFleet(t *testing.T, daemon cluster.DaemonOptions) *fleet {
	realOnly(t, "the sandbox does not serve these resources")
	nodes, _ := racks([]int{1})
	r := start(t, nodes, options{resources: []string{"testdata/karmada.yaml"}, roles: []string{"../../../manifests/karmada/rbac.yaml"},
		daemon: daemon, paused: true})
	f := &fleet{karmada: karmada{run: r, clusters: r.resource("clusters"), bindings: r.resource("resourcebindings")},
		clusterBindings: r.resource("clusterresourcebindings"), clusterN: fleetSize("MEMBERS", 60), zone: map[string]string{}}
	for i := range f.clusterN {
		f.zone[f.member(i)] = fmt.Sprintf("z%d", i%60)
	}
	f.must(cluster.Parallel(f.clusterN, f.addMember))
	for i := range fleetSize("BINDINGS", 90) {
		f.names = append(f.names, fmt.Sprintf("%s-%d", bindingKinds[i%len(bindingKinds)].name, i))
	}
	return f
}

// barrier makes a binding of either kind and waits until they are placed: what the daemon was told before, it knows by then.
func (f *fleet) barrier() {
	f.Helper()
	f.barriers++
	name := fmt.Sprintf("dynamic-barrier-%d", f.barriers)
	for _, clusterScoped := range []bool{false, true} {
		f.must(f.create(name, "sakkara", 2, divided, clusterScoped))
	}
	f.poll(name+" is placed", func() bool {
		placed := 0
		bindings, there, err := f.list()
		f.must(err)
		for i := range bindings {
			if bindings[i].Metadata.Name == name && f.judgeOne(&bindings[i], there) == nil {
				placed++
			}
		}
		return placed == 2
	})
}

// leaveAlone makes changes that concern no binding: none is written.
func (f *fleet) leaveAlone(what string, change func()) {
	f.Helper()
	before, _, _ := f.writesOf(f.proxy)
	change()
	f.barrier()
	after, _, _ := f.writesOf(f.proxy)
	for path, n := range after {
		if n != before[path] {
			f.Errorf("%s: %d writes of %s", what, n-before[path], path)
		}
	}
}

// nothingNew touches bindings that are all placed in ways that change nothing for them.
func (f *fleet) nothingNew() {
	f.Helper()
	bindings, _, err := f.list()
	f.must(err)
	for i := range bindings {
		if b := &bindings[i]; b.Spec.SchedulerName == "sakkara" && b.Status.Conditions[0].Status != "True" {
			f.Fatalf("%s has no place: %+v", b.Metadata.Name, b.Status)
		}
	}
	f.leaveAlone("annotations and labels", func() {
		f.must(cluster.Parallel(len(bindings), func(i int) error {
			return f.plane.Admin.MergePatch(f.at(&bindings[i]), `{"metadata":{"annotations":{"note":"x"},"labels":{"note":"x"}}}`)
		}))
	})
	f.leaveAlone("more and less room", func() {
		f.must(cluster.Parallel(f.clusterN, func(i int) error { return f.setRoom(i, 30+i%40) }))
	})
	f.leaveAlone("killed and started again", func() {
		f.daemon.Kill()
		f.must(f.daemon.Start())
	})
}

// disturb makes a round's fault: writes that fail, or a kill: at any write, or between the two patches of a binding. The
// channel says when the daemon is back.
func (f *fleet) disturb(round int) <-chan error {
	kill, revived := f.rebirth()
	switch round % 4 {
	case 0:
		f.proxy.KillAt(2+round*7%30, cluster.Moment(round/4%2), kill)
	case 1:
		f.proxy.Disturb(0.05, uint64(round))
		revived <- nil
	default:
		plural, main := []string{"/resourcebindings/", "/clusterresourcebindings/"}[round%2], map[string]bool{}
		f.proxy.KillBefore(func(w *cluster.Write) bool {
			path, isStatus := strings.CutSuffix(w.Path, "/status")
			main[path] = main[path] || !isStatus
			return isStatus && main[path] && strings.Contains(path, plural)
		}, kill)
	}
	return revived
}

// TestKarmada_AFleetInMotion: ResourceBindings and ClusterResourceBindings of all kinds are placed with two writes each by
// an API server that takes 8 ms, and then left alone, whatever happens that does not concern them; they follow changes of
// replicas, placements, taints, room, evictions and wishes to be rescheduled while writes fail and the daemon is killed in
// the middle of some, between the two patches of a binding too. An eviction that comes between a decision and its write
// stands, a quota that refuses is reported, and foreign bindings are left alone.
func TestKarmada_AFleetInMotion(t *testing.T) {
	f := startFleet(t, cluster.DaemonOptions{Settings: fleetSettings, QPS: 10000})
	f.must(cluster.Parallel(len(f.names), f.addBinding))
	f.place()
	f.nothingNew()
	for round := range fleetSize("ROUNDS", 4) {
		revived := f.disturb(round)
		f.stir(round)
		select {
		case err := <-revived:
			f.must(err)
		case <-time.After(usual):
			f.Fatalf("round %d: too few writes for the kill", round)
		}
		t.Logf("round %d settled after %v", round, f.settle(fmt.Sprintf("round %d", round)))
		f.proxy.Disturb(0, 0)
	}
	f.interfere()
}

// TestKarmada_TwoReplicas: Of two daemons one writes. When it freezes in the middle of its work the other one goes on, and
// it writes nothing any more when it wakes; when the other one ends in the middle of its work it takes over again. Both
// end with every binding where it should be.
func TestKarmada_TwoReplicas(t *testing.T) {
	options := cluster.DaemonOptions{LeaderElection: "{mode: lease, namespace: sakkara}", Settings: fleetSettings, QPS: 10000}
	f := startFleet(t, options)
	f.begin()
	other, err := f.plane.StartProxy(f.ns + "-other") // whose writes are told apart
	f.must(err)
	f.Cleanup(other.Stop)
	second := f.replicaBehind(other, options)
	half := len(f.names) / 2
	f.proxy.Delay(8 * time.Millisecond)
	paused := make(chan struct{})
	f.proxy.Before(func(w *cluster.Write) bool { return w.Is("PATCH", f.names[half/4]+"/status") }, func() {
		_ = f.daemon.Process().Pause()
		close(paused)
	})
	f.must(cluster.Parallel(half, f.addBinding))
	select {
	case <-paused:
	case <-time.After(usual):
		f.Fatal("the first wrote too little")
	}
	since := time.Now()
	f.settle("by the second")
	_, _, last := f.writesOf(f.proxy)
	_, first, _ := f.writesOf(other)
	t.Logf("the second wrote %v after the first froze", first.Sub(since))
	if !last.Before(first) {
		t.Errorf("the first wrote at %v, the second at %v", last, first)
	}
	f.must(f.daemon.Process().Resume())
	f.expectLeader(second)
	f.proxy.Delay(0)
	ended := make(chan error, 1)
	f.must(cluster.Parallel(len(f.names)-half, func(i int) error {
		if i == half/4 {
			go func() { ended <- second.Process().Stop(usual) }()
		}
		return f.addBinding(half + i)
	}))
	f.must(<-ended)
	_, _, last = f.writesOf(other)
	f.settle("by the first again")
	var again time.Time
	for _, write := range f.proxy.Writes() {
		if strings.Contains(write.Path, "resourcebindings/") && write.Start.After(first) && again.IsZero() {
			again = write.Start
		}
	}
	if again.IsZero() || !last.Before(again) {
		t.Errorf("the second wrote at %v, the first again at %v", last, again)
	}
}

// interfere puts an eviction between a decision and its write, and refuses another one's as a quota does.
func (f *fleet) interfere() {
	f.Helper()
	f.must(cluster.Parallel(f.clusterN, func(i int) error {
		return errors.Join(f.plane.Admin.MergePatch(f.clusters.At("", f.member(i)), `{"spec":{"taints":null}}`), f.setRoom(i, 200))
	}))
	f.settle("with room for all")
	for _, clusterScoped := range []bool{false, true} {
		f.evictMeanwhile(clusterScoped)
	}
	quota := "dynamic-quota"
	f.names = append(f.names, quota)
	f.proxy.Refuse(403, func(w *cluster.Write) bool { return w.Is("PATCH", "/"+quota) })
	f.binding(quota, "sakkara", 2)
	f.poll("the quota is reported", func() bool {
		var b fleetBinding
		f.must(f.plane.Admin.Get(f.bindings.At(f.ns, quota), &b))
		return len(b.Status.Conditions) == 1 && b.Status.Conditions[0].Reason == "QuotaExceeded"
	})
	f.settle("after the quota")
}

func (f *fleet) evictMeanwhile(clusterScoped bool) {
	f.Helper()
	bindings, _, err := f.list()
	f.must(err)
	at := slices.IndexFunc(bindings, func(b fleetBinding) bool {
		return strings.HasPrefix(b.Metadata.Name, "dynamic-") && b.Spec.SchedulerName == "sakkara" && len(b.Spec.Clusters) > 1 &&
			len(b.Spec.GracefulEvictionTasks) == 0 && (b.Metadata.Namespace == "") == clusterScoped
	})
	if at < 0 {
		f.Fatal("no binding to interfere with")
	}
	b := bindings[at]
	conflicts := f.conflicts()
	f.proxy.Before(func(w *cluster.Write) bool { return w.Is("PATCH", f.at(&b)) }, func() { f.must(f.evict(&b)) })
	f.must(f.plane.Admin.MergePatch(f.at(&b), fmt.Sprintf(`{"spec":{"replicas":%d}}`, b.Spec.Replicas+1)))
	f.poll("the decision met the eviction", func() bool { return f.conflicts() > conflicts })
	f.settle("after the eviction")
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
