// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"slices"

	clusterv1alpha1 "github.com/karmada-io/karmada/pkg/apis/cluster/v1alpha1"
	policyv1alpha1 "github.com/karmada-io/karmada/pkg/apis/policy/v1alpha1"
	"github.com/karmada-io/karmada/pkg/features"
	clusterlister "github.com/karmada-io/karmada/pkg/generated/listers/cluster/v1alpha1"
	schedulercache "github.com/karmada-io/karmada/pkg/scheduler/cache"
	"github.com/karmada-io/karmada/pkg/scheduler/core"
	"github.com/karmada-io/karmada/pkg/scheduler/framework"
	"github.com/karmada-io/karmada/pkg/scheduler/framework/plugins"
	"github.com/karmada-io/karmada/pkg/util"
	"k8s.io/client-go/tools/cache"
)

// answer is how a decision about a binding ends, in words that both programs share.
type answer struct {
	Reason   string          // of condition Scheduled; "Success" when placed
	Clusters []targetCluster // sorted by name, when placed
	Text     string          // of the errors of all terms that were tried; Reason is of the first
}

// flags are those of karmada-scheduler's command that decisions depend on.
var flags core.ScheduleAlgorithmOption

// karmadaScheduler decides as karmada-scheduler does, on these clusters.
func karmadaScheduler(clusters []*clusterv1alpha1.Cluster) core.ScheduleAlgorithm {
	indexer := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{})
	for _, c := range clusters {
		must(indexer.Add(c))
	}
	bindings := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{})
	algorithm, err := core.NewGenericScheduler(
		schedulercache.NewCache(clusterlister.NewClusterLister(indexer), bindings, 0), plugins.NewInTreeRegistry())
	must(err)
	return algorithm
}

// setComponentSets switches the gate of workloads with several pod templates.
func setComponentSets(on bool) {
	must(features.FeatureGate.SetFromMap(map[string]bool{string(features.MultiplePodTemplatesScheduling): on}))
}

func schedule(algorithm core.ScheduleAlgorithm, b *resourceBinding, affinity string) (answer, error) {
	b = b.DeepCopy() // the scheduler writes weights into placements
	if affinity != "" {
		b.Status.SchedulerObservedAffinityName = affinity
	}
	result, err := algorithm.Schedule(context.Background(), &b.Spec, &b.Status, &flags)
	if err == nil {
		return answer{Reason: "Success", Clusters: byName(result.SuggestedClusters)}, nil
	}
	reason := "SchedulerError"
	var fit *framework.FitError
	var short *framework.UnschedulableError
	if errors.As(err, &fit) {
		reason = "NoClusterFit"
	} else if errors.As(err, &short) {
		reason = "Unschedulable"
	}
	return answer{Reason: reason, Text: err.Error()}, err
}

func rescheduled(b *resourceBinding) bool {
	return util.RescheduleRequired(b.Spec.RescheduleTriggeredAt, b.Status.LastScheduledTime)
}

// decide runs the scheduler for each affinity term until one succeeds, as its caller in the same repository does.
func decide(algorithm core.ScheduleAlgorithm, b *resourceBinding) answer {
	terms := b.Spec.Placement.ClusterAffinities
	if b.Spec.Placement.ClusterAffinity != nil || len(terms) == 0 {
		got, _ := schedule(algorithm, b, "")
		return got
	}
	from := 0
	if !rescheduled(b) { // since v1.19
		from = max(0, slices.IndexFunc(terms, func(t policyv1alpha1.ClusterAffinityTerm) bool {
			return t.AffinityName == b.Status.SchedulerObservedAffinityName
		}))
	}
	first, err := schedule(algorithm, b, terms[from].AffinityName)
	for i := from + 1; err != nil && i < len(terms); i++ {
		var next answer
		if next, err = schedule(algorithm, b, terms[i].AffinityName); err == nil {
			return next
		}
		first.Text += "; " + next.Text
	}
	return first
}
