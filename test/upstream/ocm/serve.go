// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/openshift/library-go/pkg/operator/events"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/utils/clock"
	"open-cluster-management.io/api/client/cluster/clientset/versioned"
	clusterscheme "open-cluster-management.io/api/client/cluster/clientset/versioned/scheme"
	"open-cluster-management.io/api/client/cluster/informers/externalversions"
	"open-cluster-management.io/ocm/pkg/common/helpers"
	"open-cluster-management.io/ocm/pkg/placement/controllers/metrics"
	"open-cluster-management.io/ocm/pkg/placement/controllers/scheduling"
)

// serve runs OCM's placement controller on a hub until a signal. It has the parts that OCM's own manager
// has, without the manager's election of a leader and its pages.
func serve(kubeconfig string) error {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return err
	}
	config.QPS, config.Burst = 50, 100 // OCM's defaults for this controller
	client, err := versioned.NewForConfig(config)
	if err != nil {
		return err
	}
	kube, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	recorder, err := helpers.NewEventRecorder(ctx, clusterscheme.Scheme, kube.EventsV1(), "placement-controller")
	if err != nil {
		return err
	}
	factory := externalversions.NewSharedInformerFactory(client, 10*time.Minute)
	cluster := factory.Cluster()
	measured := metrics.NewScheduleMetrics(clock.RealClock{})
	scheduler := scheduling.NewPluginScheduler(scheduling.NewSchedulerHandler(client, cluster.V1beta1().PlacementDecisions().Lister(),
		cluster.V1alpha1().AddOnPlacementScores().Lister(), cluster.V1().ManagedClusters().Lister(), recorder, measured))
	controller := scheduling.NewSchedulingController(ctx, client, cluster.V1().ManagedClusters(), cluster.V1beta2().ManagedClusterSets(),
		cluster.V1beta2().ManagedClusterSetBindings(), cluster.V1beta1().Placements(), cluster.V1beta1().PlacementDecisions(),
		cluster.V1alpha1().AddOnPlacementScores(), scheduler, events.NewInMemoryRecorder("ocm", clock.RealClock{}), recorder, measured)
	factory.Start(ctx.Done())
	fmt.Println("serving")
	controller.Run(ctx, 1)
	return nil
}
