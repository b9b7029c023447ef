// SPDX-License-Identifier: Apache-2.0

package suite

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"sakkara/test/e2e/suite/cluster"
)

// A hub in motion. The sizes are small in the gate and those of make fleet-load otherwise.

// fleetSize is one of SAKKARA_FLEET_CLUSTERS, _PLACEMENTS, _ROUNDS, _BINDINGS.
func fleetSize(name string, otherwise int) int {
	if n, err := strconv.Atoi(os.Getenv("SAKKARA_FLEET_" + name)); err == nil {
		return n
	}
	return otherwise
}

// untilRight waits until judge finds nothing that is not yet as it should be.
func (r *run) untilRight(what string, most time.Duration, judge func() error) time.Duration {
	r.Helper()
	for began := time.Now(); ; time.Sleep(100 * time.Millisecond) {
		err := judge()
		if err == nil {
			return time.Since(began)
		}
		if time.Since(began) > most {
			r.Fatalf("%s: %v", what, err)
		}
	}
}

// rebirth is a kill of the daemon with a start behind it. The channel says when the daemon is back.
func (r *run) rebirth() (kill func(), revived chan error) {
	revived = make(chan error, 1)
	return func() {
		r.daemon.Kill()
		go func() { revived <- r.daemon.Start() }()
	}, revived
}

type hubCluster struct {
	Metadata struct {
		Name   string
		Labels map[string]string
	}
	Spec struct {
		Taints []struct{ Key, Effect string }
	}
}

type hubPlacement struct {
	Metadata struct {
		Name        string
		Generation  int64
		Annotations map[string]string
	}
	Spec struct {
		NumberOfClusters *int
	}
	Status struct {
		NumberOfSelectedClusters int
		Conditions               []struct {
			Type, Status, Reason string
			ObservedGeneration   int64
		}
	}
}

// hub is what the API server says about all of it, and what a test wants of it.
type hub struct {
	ocm
	random     *rand.Rand
	n, made    int               // clusters at first; Placements made so far
	kind       map[string]string // of a Placement that is there
	frozen     map[string]string // Placement to its decisions, which nobody may touch now
	reader     sync.WaitGroup
	stopReader chan struct{}
	missed     []string
}

var placementKinds = []string{"hard", "soft", "calm", "score", "groups", "balance", "hard", "foreign"}

func (h *hub) clusterName(i int) string { return fmt.Sprintf("c%03d", i) }

// calm clusters are never touched: every fourth.
func isCalm(i int) bool { return i%4 == 0 }

func (h *hub) addCluster(i int) error {
	pool := map[bool]string{true: "calm", false: "restless"}[isCalm(i)]
	err := h.plane.Admin.Create(h.clusters.At("", ""), map[string]any{
		"apiVersion": ocmGroup + "/v1", "kind": "ManagedCluster",
		"metadata": map[string]any{"name": h.clusterName(i), "labels": map[string]string{ocmGroup + "/clusterset": "prod", "pool": pool,
			"region": fmt.Sprintf("r%d", i%3), "zone": fmt.Sprintf("z%d", i/3%3)}},
		"spec": map[string]any{"hubAcceptsClient": true},
	}, nil)
	if err == nil {
		err = h.plane.Admin.MergePatch(h.clusters.At("", h.clusterName(i))+"/status",
			fmt.Sprintf(`{"status":{"allocatable":{"cpu":"%d"},"capacity":{"cpu":"64"}}}`, i%60))
	}
	return err
}

// scored are clusters with a namespace and a score of their own.
var scored = []int{4, 8, 12}

func (h *hub) score(round int) error {
	at := h.resource("addonplacementscores")
	for _, i := range scored {
		ns := h.clusterName(i)
		score := map[string]any{"apiVersion": ocmGroup + "/v1alpha1", "kind": "AddOnPlacementScore", "metadata": map[string]any{"name": "load"}}
		if err := h.plane.Admin.Create(at.At(ns, ""), score, nil); err != nil && !cluster.IsStatus(err, 409) {
			return err
		}
		if err := h.plane.Admin.MergePatch(at.At(ns, "load")+"/status",
			fmt.Sprintf(`{"status":{"scores":[{"name":"cpu","value":%d}]}}`, (round*10+i)%100)); err != nil {
			return err
		}
	}
	return nil
}

func spreadOver(when string, keys ...string) map[string]any {
	var constraints []map[string]any
	for _, key := range keys {
		constraints = append(constraints, map[string]any{"topologyKey": key, "topologyKeyType": "Label", "maxSkew": 1, "whenUnsatisfiable": when})
	}
	return map[string]any{"spreadConstraints": constraints}
}

func (h *hub) spec(kind string) map[string]any {
	exact := func(name string, weight int) map[string]any {
		return map[string]any{"mode": "Exact", "configurations": []map[string]any{{"scoreCoordinate": map[string]any{"builtIn": name}, "weight": weight}}}
	}
	switch kind {
	case "every":
		return map[string]any{"decisionStrategy": map[string]any{"groupStrategy": map[string]any{"clustersPerDecisionGroup": "40%"}}}
	case "hard":
		return map[string]any{"numberOfClusters": 6, "spreadPolicy": spreadOver("DoNotSchedule", "region", "zone")}
	case "soft":
		return map[string]any{"numberOfClusters": 5, "spreadPolicy": spreadOver("ScheduleAnyway", "region", "zone")}
	case "calm":
		return map[string]any{"numberOfClusters": 4, "prioritizerPolicy": exact("Steady", 10), "predicates": []map[string]any{
			{"requiredClusterSelector": map[string]any{"labelSelector": map[string]any{"matchLabels": map[string]string{"pool": "calm"}}}}}}
	case "score":
		return map[string]any{"numberOfClusters": 3, "prioritizerPolicy": map[string]any{"configurations": []map[string]any{
			{"scoreCoordinate": map[string]any{"type": "AddOn", "addOn": map[string]any{"resourceName": "load", "scoreName": "cpu"}}}}}}
	case "groups":
		return map[string]any{"numberOfClusters": 8, "decisionStrategy": map[string]any{"groupStrategy": map[string]any{
			"clustersPerDecisionGroup": 3, "decisionGroups": []map[string]any{{"groupName": "canary",
				"groupClusterSelector": map[string]any{"labelSelector": map[string]any{"matchLabels": map[string]string{"region": "r1"}}}}}}}}
	}
	return map[string]any{"numberOfClusters": 3}
}

var ours = map[string]string{ocmGroup + "/experimental-scheduling-disable": "true", "sakkara.placement.scheduler": "sakkara"}

func (h *hub) createPlacement(name string, annotations map[string]string, spec map[string]any) error {
	return h.plane.Admin.Create(h.placements.At(h.ns, ""), map[string]any{
		"apiVersion": ocmGroup + "/v1beta1", "kind": "Placement",
		"metadata": map[string]any{"name": name, "annotations": annotations}, "spec": spec}, nil)
}

// add makes a Placement; a foreign one gets the decisions of somebody else, too.
func (h *hub) add(kind string) error {
	name := fmt.Sprintf("%s-%d", kind, h.made)
	h.made++
	annotations := ours
	if kind == "foreign" {
		annotations = nil
	}
	err := h.createPlacement(name, annotations, h.spec(kind))
	if err != nil {
		return err
	}
	h.kind[name] = kind
	if kind == "foreign" {
		err = h.plane.Admin.Create(h.decisions.At(h.ns, ""), map[string]any{
			"apiVersion": ocmGroup + "/v1beta1", "kind": "PlacementDecision",
			"metadata": map[string]any{"name": name + "-decision-1", "labels": map[string]string{
				ocmGroup + "/placement": name, ocmGroup + "/decision-group-index": "0", ocmGroup + "/decision-group-name": ""}}}, nil)
		if err == nil {
			err = h.plane.Admin.MergePatch(h.decisions.At(h.ns, name+"-decision-1")+"/status", `{"status":{"decisions":[{"clusterName":"c000","reason":""}]}}`)
		}
		if err == nil {
			err = h.freeze(name)
		}
	}
	return err
}

// read is one look at all decisions: Placement to clusters, and to "object@version" of each.
func (h *hub) read() (clusters map[string][]string, versions map[string]string, err error) {
	var list cluster.List[decisionState]
	if err = h.plane.Admin.Get(h.decisions.At(h.ns, ""), &list); err != nil {
		return nil, nil, err
	}
	clusters, versions = map[string][]string{}, map[string]string{}
	slices.SortFunc(list.Items, func(a, b decisionState) int { return strings.Compare(a.Metadata.Name, b.Metadata.Name) })
	for _, d := range list.Items {
		name := d.Metadata.Labels[ocmGroup+"/placement"]
		versions[name] += d.Metadata.Name + "@" + d.Metadata.ResourceVersion + " "
		if len(d.Status.Decisions) > 100 {
			return nil, nil, fmt.Errorf("%s has %d clusters", d.Metadata.Name, len(d.Status.Decisions))
		}
		for _, c := range d.Status.Decisions {
			clusters[name] = append(clusters[name], c.ClusterName)
		}
	}
	return clusters, versions, nil
}

func (h *hub) freeze(name string) error {
	_, versions, err := h.read()
	h.frozen[name] = versions[name]
	return err
}

// startReader polls all slices: a calm cluster that was selected once by "every" or by a calm Placement never lacks.
func (h *hub) startReader() {
	h.stopReader = make(chan struct{})
	h.reader.Go(func() {
		had := map[string]map[string]bool{}
		for polls := 0; ; polls++ {
			select {
			case <-h.stopReader:
				h.Logf("the reader looked %d times", polls)
				return
			case <-time.After(10 * time.Millisecond):
			}
			clusters, _, err := h.read()
			if err != nil {
				h.missed = append(h.missed, err.Error())
				return
			}
			for name, before := range had {
				for c := range before {
					if !slices.Contains(clusters[name], c) {
						h.missed = append(h.missed, name+" lacks "+c)
						delete(before, c)
					}
				}
			}
			for name, all := range clusters {
				if !strings.HasPrefix(name, "calm-") && !strings.HasPrefix(name, "every-") {
					continue
				}
				for _, c := range all {
					var i int
					fmt.Sscanf(c, "c%d", &i)
					if isCalm(i) {
						if had[name] == nil {
							had[name] = map[string]bool{}
						}
						had[name][c] = true
					}
				}
			}
		}
	})
}

func (h *hub) endReader() {
	h.Helper()
	close(h.stopReader)
	h.reader.Wait()
	for _, what := range h.missed {
		h.Error(what)
	}
}

// judge says what is not yet as it should be.
func (h *hub) judge() error {
	var all cluster.List[hubPlacement]
	var clusters cluster.List[hubCluster]
	if err := h.plane.Admin.Get(h.placements.At(h.ns, ""), &all); err != nil {
		return err
	}
	if err := h.plane.Admin.Get(h.clusters.At("", ""), &clusters); err != nil {
		return err
	}
	decided, versions, err := h.read()
	if err != nil {
		return err
	}
	open := map[string]hubCluster{}
	for _, c := range clusters.Items {
		if len(c.Spec.Taints) == 0 {
			open[c.Metadata.Name] = c
		}
	}
	for _, p := range all.Items {
		name := p.Metadata.Name
		if was, is := h.frozen[name]; is {
			if versions[name] != was {
				h.Fatalf("%s was touched: %s, then %s", name, was, versions[name])
			}
			continue
		}
		if err := h.judgeOne(&p, decided[name], open); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

func (h *hub) judgeOne(p *hubPlacement, decided []string, open map[string]hubCluster) error {
	observed := 0
	for _, c := range p.Status.Conditions {
		if c.ObservedGeneration == p.Metadata.Generation {
			observed++
		}
	}
	if observed != 2 || p.Status.NumberOfSelectedClusters != len(decided) {
		return fmt.Errorf("%d decided, status %+v", len(decided), p.Status)
	}
	regions, zones := map[string]int{}, map[string]int{}
	for _, c := range open {
		regions[c.Metadata.Labels["region"]] += 0
		zones[c.Metadata.Labels["region"]+"/"+c.Metadata.Labels["zone"]] += 0
	}
	for i, name := range decided {
		c, is := open[name]
		if !is || slices.Contains(decided[:i], name) {
			return fmt.Errorf("%s is tainted, gone or there twice", name)
		}
		regions[c.Metadata.Labels["region"]]++
		zones[c.Metadata.Labels["region"]+"/"+c.Metadata.Labels["zone"]]++
	}
	kind := h.kind[p.Metadata.Name]
	switch {
	case kind == "hard":
		for a, n := range zones {
			for b, m := range zones {
				if a[:2] == b[:2] && n-m > 1 {
					return fmt.Errorf("zones %v", zones)
				}
			}
		}
		for _, n := range regions {
			for _, m := range regions {
				if n-m > 1 {
					return fmt.Errorf("regions %v", regions)
				}
			}
		}
	case kind == "every":
		if len(decided) != len(open) {
			return fmt.Errorf("%d of %d", len(decided), len(open))
		}
	case p.Spec.NumberOfClusters != nil && len(decided) != *p.Spec.NumberOfClusters:
		return fmt.Errorf("%d, not %d", len(decided), *p.Spec.NumberOfClusters)
	}
	return nil
}

func (h *hub) settle(what string) time.Duration {
	h.Helper()
	return h.untilRight(what, 3*usual, h.judge)
}

// one is a Placement of a kind, by chance; "": there is none that may be used.
func (h *hub) one(kind string) string {
	var names []string
	for name, is := range h.kind {
		if _, frozen := h.frozen[name]; is == kind && !frozen {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	slices.Sort(names)
	return names[h.random.IntN(len(names))]
}

// stir changes clusters and Placements.
func (h *hub) stir(round int) {
	h.Helper()
	h.must(cluster.Parallel(h.n, func(i int) error {
		if isCalm(i) {
			return nil
		}
		at := h.clusters.At("", h.clusterName(i))
		switch (i*7 + round*5) % 23 {
		case 0, 1:
			return ignoreGone(h.plane.Admin.MergePatch(at, `{"spec":{"taints":[{"key":"lost","effect":"NoSelect","timeAdded":"2026-01-01T00:00:00Z"}]}}`))
		case 2, 3:
			return ignoreGone(h.plane.Admin.MergePatch(at, `{"spec":{"taints":null}}`))
		case 4:
			return ignoreGone(h.plane.Admin.MergePatch(at, fmt.Sprintf(`{"metadata":{"labels":{"zone":"z%d"}}}`, round%3)))
		case 5:
			return h.plane.Admin.Delete(at)
		case 6:
			if err := h.addCluster(i); err != nil && !cluster.IsStatus(err, 409) {
				return err
			}
		}
		return nil
	}))
	h.must(h.score(round))
	for _, kind := range []string{"soft", "hard", "score"} {
		if name := h.one(kind); name != "" {
			h.must(h.plane.Admin.Delete(h.placements.At(h.ns, name)))
			h.must(h.plane.Admin.Do("DELETE", h.decisions.At(h.ns, "")+"?labelSelector="+ocmGroup+"/placement="+name, "", nil, nil))
			delete(h.kind, name) // the garbage collector's work, at once
			h.must(h.add(kind))
		}
	}
	if name := h.one("groups"); name != "" {
		h.change(name, fmt.Sprintf(`{"spec":{"numberOfClusters":%d}}`, 5+round%6))
	}
}

// letBe writes one Placement wrongly and gives one away: from now on nobody may touch them. thaw takes it back.
func (h *hub) letBe(round int) (thaw func()) {
	h.Helper()
	wrong, given := h.one("balance"), h.one("calm")
	h.change(wrong, `{"spec":{"prioritizerPolicy":{"mode":"Additive","configurations":[{"scoreCoordinate":{"type":"BuiltIn","builtIn":"Blance"}}]}}}`)
	h.change(given, `{"metadata":{"annotations":{"sakkara.placement.scheduler":"other"}}}`)
	h.waitFor(wrong, "Misconfigured")
	h.must(h.add("soft"))
	h.waitFor(fmt.Sprintf("soft-%d", h.made-1), "AllDecisionsScheduled") // made later, so the daemon has seen the others
	time.Sleep(100 * time.Millisecond)                                   // what was under way by then has ended
	h.must(h.freeze(wrong))
	h.must(h.freeze(given))
	for i := 1; i < h.n; i += 9 {
		if !isCalm(i) {
			h.must(ignoreGone(h.plane.Admin.MergePatch(h.clusters.At("", h.clusterName(i)), `{"spec":{"taints":[{"key":"late","effect":"NoSelect"}]}}`)))
		}
	}
	h.settle(fmt.Sprintf("round %d, two of them frozen", round))
	return func() {
		delete(h.frozen, wrong)
		delete(h.frozen, given)
		h.change(wrong, `{"spec":{"prioritizerPolicy":null}}`)
		h.change(given, `{"metadata":{"annotations":{"sakkara.placement.scheduler":"sakkara"}}}`)
	}
}

func (h *hub) waitFor(name, reason string) {
	h.Helper()
	h.poll(name+" is "+reason, func() bool {
		var p hubPlacement
		h.must(h.plane.Admin.Get(h.placements.At(h.ns, name), &p))
		for _, c := range p.Status.Conditions {
			if c.Reason == reason && c.ObservedGeneration == p.Metadata.Generation {
				return true
			}
		}
		return false
	})
}

func ignoreGone(err error) error {
	if cluster.IsStatus(err, 404) {
		return nil
	}
	return err
}

var hubSettings = map[string]string{"ocm": "{enabled: true, qps: 2000, burst: 4000}"}

func startHub(t *testing.T, daemon cluster.DaemonOptions, clusters int) *hub {
	realOnly(t, "the gate has one run of a hub in motion")
	h := &hub{ocm: startOCMWith(t, daemon), random: rand.New(rand.NewPCG(1, 2)), n: fleetSize("CLUSTERS", clusters),
		kind: map[string]string{}, frozen: map[string]string{}}
	for _, i := range scored {
		h.must(h.plane.CreateNamespace(h.clusterName(i)))
	}
	h.must(cluster.Parallel(h.n, h.addCluster))
	return h
}

// TestOCM_AHubInMotion: Clusters join, leave, are tainted and relabelled while Placements of all kinds come and go; writes
// fail, the daemon is killed in the middle of some. After each round every Placement is right, nobody has touched one
// that is given away, foreign or written wrongly, and a reader that polled all the time never missed a cluster that
// stayed. A daemon that starts anew finds nothing to write.
func TestOCM_AHubInMotion(t *testing.T) {
	h := startHub(t, cluster.DaemonOptions{Settings: hubSettings}, 40)
	h.startReader()
	for i := range fleetSize("PLACEMENTS", 24) {
		kind := placementKinds[i%len(placementKinds)]
		if i%50 == 10 {
			kind = "every"
		}
		h.must(h.add(kind))
	}
	t.Logf("all placed after %v", h.settle("at first"))
	for round := range fleetSize("ROUNDS", 4) {
		kill, revived := h.rebirth()
		if round%2 == 0 {
			h.proxy.KillAt(3+round*7%20, cluster.Moment(round/2%2), kill)
		} else {
			h.proxy.Disturb(0.05, uint64(round))
			revived <- nil
		}
		h.stir(round)
		if h.proxy.KillAt(0, 0, nil) {
			t.Fatal("too few writes for the kill")
		}
		h.must(<-revived)
		h.settle(fmt.Sprintf("round %d", round))
		thaw := h.letBe(round)
		h.proxy.Disturb(0, 0)
		thaw()
		t.Logf("round %d settled after %v", round, h.settle("all are ours again"))
	}
	h.endReader()
	h.later()
	for name := range h.kind {
		h.must(h.freeze(name))
	}
	h.daemon.Kill()
	h.must(h.daemon.Start())
	h.later()
	h.settle("started anew")
}

// statuses counts the status patches of decisions and of Placements so far.
func (h *hub) statuses() (decisions, placements int) {
	of := func(resource string) int {
		return h.proxy.Count(func(w *cluster.Write) bool {
			return w.Is("PATCH", "/status") && strings.Contains(w.Path, "/"+resource+"/")
		})
	}
	return of("placementdecisions"), of("placements")
}

// later decides one more Placement, which stands behind all that the daemon has to do by then.
func (h *hub) later() {
	h.Helper()
	name := fmt.Sprintf("calm-%d", h.made)
	h.must(h.add("calm"))
	h.waitFor(name, "AllDecisionsScheduled")
}

// expectStatuses counts the statuses that decide takes, up to when a later Placement is decided.
func (h *hub) expectStatuses(what string, want int, decide func()) {
	h.Helper()
	decisions, placements := h.statuses()
	decide()
	h.later()
	// The status of the later Placement is seen before the proxy has counted its write.
	var d, p int
	h.poll("the later Placement's writes are counted", func() bool {
		d, p = h.statuses()
		return d > decisions && p > placements
	})
	d, p = d-decisions-1, p-placements-1 // its own
	h.Logf("%s: %d statuses of decisions, %d of Placements", what, d, p)
	if d != want || p != want {
		h.Errorf("%s: %d statuses of decisions and %d of Placements, not %d", what, d, p, want)
	}
}

// TestOCM_DecisionsRest: Placements that come at once and avoid one another by Balance are decided once each and share the
// clusters evenly. A daemon that starts anew writes nothing.
func TestOCM_DecisionsRest(t *testing.T) {
	n := fleetSize("PLACEMENTS", 10)
	h := startHub(t, cluster.DaemonOptions{Settings: hubSettings}, 28)
	h.expectStatuses("at once", n, func() {
		h.must(cluster.Parallel(n, func(i int) error {
			return h.createPlacement(fmt.Sprintf("even-%d", i), ours, map[string]any{"numberOfClusters": 5, "prioritizerPolicy": map[string]any{
				"mode": "Exact", "configurations": []map[string]any{{"scoreCoordinate": map[string]any{"builtIn": "Balance"}, "weight": 1}}}})
		}))
		for i := range n {
			h.waitFor(fmt.Sprintf("even-%d", i), "AllDecisionsScheduled")
		}
	})
	load := map[string]int{}
	decided, _, err := h.read()
	h.must(err)
	for i := range n {
		for _, c := range decided[fmt.Sprintf("even-%d", i)] {
			load[c]++
		}
	}
	least := 5 * n / h.n
	for i := range h.n {
		if c := h.clusterName(i); load[c] < least || load[c] > least+1 {
			t.Errorf("%s is in %d Placements, not in %d or %d", c, load[c], least, least+1)
		}
	}
	h.expectStatuses("started anew", 0, func() {
		h.daemon.Kill()
		h.must(h.daemon.Start())
	})
}

// TestOCM_TwoReplicas: Of two daemons one writes. When it is killed the other one goes on where it was, a reader misses
// nobody, and the first one stands by when it is back.
func TestOCM_TwoReplicas(t *testing.T) {
	options := cluster.DaemonOptions{LeaderElection: "{mode: lease, namespace: sakkara}", Settings: hubSettings}
	h := startHub(t, options, 40)
	second := h.replica(options)
	h.startReader()
	for i := range 12 {
		h.must(h.add(placementKinds[i%len(placementKinds)]))
	}
	h.must(h.add("every"))
	h.settle("by the first")
	h.daemon.Kill()
	h.stir(1)
	h.settle("by the second")
	h.expectLeader(second)
	if _, err := h.daemon.Launch(); err != nil {
		t.Fatal(err)
	}
	h.stir(2)
	h.settle("by the second, the first one beside it")
	h.expectLeader(second)
	h.endReader()
}
