// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"sort"
	"strings"

	"github.com/openshift/library-go/pkg/controller/factory"
	"github.com/openshift/library-go/pkg/operator/events"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	kevents "k8s.io/client-go/tools/events"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/utils/clock"
	"open-cluster-management.io/api/client/cluster/clientset/versioned/fake"
	"open-cluster-management.io/api/client/cluster/informers/externalversions"
	clusterv1 "open-cluster-management.io/api/cluster/v1"
	"open-cluster-management.io/api/cluster/v1alpha1"
	"open-cluster-management.io/api/cluster/v1beta1"
	"open-cluster-management.io/api/cluster/v1beta2"
	"open-cluster-management.io/ocm/pkg/placement/controllers/framework"
	"open-cluster-management.io/ocm/pkg/placement/controllers/metrics"
	"open-cluster-management.io/ocm/pkg/placement/controllers/scheduling"

	"sakkara/test/upstream/record"
)

// An answer is what both say of the Placement.
type answer struct {
	misconfigured string // "": not
	reason        string // of PlacementSatisfied
	clusters      []string
	groups        []string // "NAME: a b", in the order of their indexes
	feasible      []string // upstream's: clusters that pass its filters
	offered       int      // upstream's: clusters before its filters
}

func (a *answer) addGroup(name string, decisions []string, of map[string][]string) {
	members := []string{}
	for _, decision := range decisions {
		members = append(members, of[decision]...)
	}
	sort.Strings(members)
	a.groups = append(a.groups, name+": "+strings.Join(members, " "))
}

// A scheduler that remembers which clusters it scored.
type remembering struct {
	scheduling.Scheduler
	feasible []string
	offered  int
}

func (r *remembering) Schedule(ctx context.Context, placement *v1beta1.Placement, clusters []*clusterv1.ManagedCluster,
) (scheduling.ScheduleResult, *framework.Status) {
	result, status := r.Scheduler.Schedule(ctx, placement, clusters)
	r.offered = len(clusters)
	for name := range result.PrioritizerScores() {
		r.feasible = append(r.feasible, name)
	}
	sort.Strings(r.feasible)
	return result, status
}

// A recorder that forgets.
type silent struct{}

func (silent) Eventf(runtime.Object, runtime.Object, string, string, string, string, ...interface{}) {
}

var _ kevents.EventRecorder = silent{}

type syncContext struct {
	queue workqueue.RateLimitingInterface
	key   string
}

func (c syncContext) Queue() workqueue.RateLimitingInterface { return c.queue }
func (c syncContext) QueueKey() string                       { return c.key }
func (c syncContext) Recorder() events.Recorder {
	return events.NewInMemoryRecorder("ocm", clock.RealClock{})
}

var _ factory.SyncContext = syncContext{}

func decideUpstream(w *world) (*answer, error) {
	ctx := context.Background()
	client := fake.NewSimpleClientset(w.objects...)
	informers := externalversions.NewSharedInformerFactory(client, 0)
	cluster := informers.Cluster()
	for _, object := range w.objects {
		var err error
		switch object.(type) {
		case *clusterv1.ManagedCluster:
			err = cluster.V1().ManagedClusters().Informer().GetStore().Add(object)
		case *v1beta2.ManagedClusterSet:
			err = cluster.V1beta2().ManagedClusterSets().Informer().GetStore().Add(object)
		case *v1beta2.ManagedClusterSetBinding:
			err = cluster.V1beta2().ManagedClusterSetBindings().Informer().GetStore().Add(object)
		case *v1beta1.Placement:
			err = cluster.V1beta1().Placements().Informer().GetStore().Add(object)
		case *v1beta1.PlacementDecision:
			err = cluster.V1beta1().PlacementDecisions().Informer().GetStore().Add(object)
		case *v1alpha1.AddOnPlacementScore:
			err = cluster.V1alpha1().AddOnPlacementScores().Informer().GetStore().Add(object)
		}
		if err != nil {
			return nil, err
		}
	}
	recorder := metrics.NewScheduleMetrics(clock.RealClock{})
	handle := scheduling.NewSchedulerHandler(client, cluster.V1beta1().PlacementDecisions().Lister(),
		cluster.V1alpha1().AddOnPlacementScores().Lister(), cluster.V1().ManagedClusters().Lister(), silent{}, recorder)
	scheduler := &remembering{Scheduler: scheduling.NewPluginScheduler(handle)}
	controller := scheduling.NewSchedulingController(ctx, client, cluster.V1().ManagedClusters(),
		cluster.V1beta2().ManagedClusterSets(), cluster.V1beta2().ManagedClusterSetBindings(),
		cluster.V1beta1().Placements(), cluster.V1beta1().PlacementDecisions(),
		cluster.V1alpha1().AddOnPlacementScores(), scheduler,
		events.NewInMemoryRecorder("ocm", clock.RealClock{}), silent{}, recorder)
	queue := workqueue.NewRateLimitingQueue(workqueue.DefaultControllerRateLimiter())
	defer queue.ShutDown()
	// A misconfigured Placement is an error of the cycle, too; the condition says it.
	_ = controller.Sync(ctx, syncContext{queue, namespace + "/" + placementName})
	placement, err := client.ClusterV1beta1().Placements(namespace).Get(ctx, placementName, metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	decisions, err := client.ClusterV1beta1().PlacementDecisions(namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	a := readUpstream(placement, decisions.Items)
	a.feasible, a.offered = scheduler.feasible, scheduler.offered
	return a, nil
}

func readUpstream(placement *v1beta1.Placement, decisions []v1beta1.PlacementDecision) *answer {
	a := &answer{}
	for _, condition := range placement.Status.Conditions {
		if condition.Type == v1beta1.PlacementConditionMisconfigured && condition.Status == metav1.ConditionTrue {
			a.misconfigured = condition.Message
		}
		if condition.Type == v1beta1.PlacementConditionSatisfied {
			a.reason = condition.Reason
		}
	}
	of := map[string][]string{}
	for _, decision := range decisions {
		if decision.Labels[v1beta1.PlacementLabel] != placementName {
			continue
		}
		for _, d := range decision.Status.Decisions {
			a.clusters = append(a.clusters, d.ClusterName)
			of[decision.Name] = append(of[decision.Name], d.ClusterName)
		}
	}
	for _, group := range placement.Status.DecisionGroups {
		a.addGroup(group.DecisionGroupName, group.Decisions, of)
	}
	sort.Strings(a.clusters)
	return a
}

// asked are the runs of sakkara, for -record.
var asked []record.Case

// simulate lets sakkara decide n problems of the world, and reads its answer, which is what is recorded.
func simulate(program string, w *world, n int, answer any) error {
	arguments := []string{"simulate", "placement", "-f", "-", "--placement", namespace + "/" + placementName,
		"-o", "json", "--now", now.Format("2006-01-02T15:04:05Z")}
	command := exec.Command(program, arguments...)
	command.Stdin = strings.NewReader(w.manifest())
	var out, messages bytes.Buffer
	command.Stdout, command.Stderr = &out, &messages
	_ = command.Run() // an unsatisfied Placement has an exit code, too
	if err := json.Unmarshal(out.Bytes(), answer); err != nil {
		return fmt.Errorf("%v: %s%s", err, out.String(), messages.String())
	}
	asked = append(asked, record.Case{Arguments: arguments, Input: w.manifest(), Problems: n, Answer: answer})
	return nil
}

func decideOurs(program string, w *world) (*answer, error) {
	var report struct {
		Misconfigured      string   `json:"misconfigured"`
		SatisfiedReason    string   `json:"satisfiedReason"`
		Decisions          []string `json:"decisions"`
		PlacementDecisions []struct {
			Name      string   `json:"name"`
			Decisions []string `json:"decisions"`
		} `json:"placementDecisions"`
		DecisionGroups []struct {
			DecisionGroupName string   `json:"decisionGroupName"`
			Decisions         []string `json:"decisions"`
		} `json:"decisionGroups"`
	}
	if err := simulate(program, w, 1, &report); err != nil {
		return nil, err
	}
	a := &answer{misconfigured: report.Misconfigured, reason: report.SatisfiedReason, clusters: report.Decisions}
	of := map[string][]string{}
	for _, decision := range report.PlacementDecisions {
		of[decision.Name] = decision.Decisions
	}
	for _, group := range report.DecisionGroups {
		a.addGroup(group.DecisionGroupName, group.Decisions, of)
	}
	sort.Strings(a.clusters)
	return a, nil
}
