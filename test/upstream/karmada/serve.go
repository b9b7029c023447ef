// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	karmadaclientset "github.com/karmada-io/karmada/pkg/generated/clientset/versioned"
	"github.com/karmada-io/karmada/pkg/scheduler"
	karmadanames "github.com/karmada-io/karmada/pkg/util/names"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
)

// estimatorTLS are the files of a client of estimators; none: no TLS.
type estimatorTLS struct{ cert, key, ca string }

// serve runs karmada-scheduler on an API server until a signal: what its own command runs once it leads. With a port it asks
// the estimators of clusters.
func serve(kubeconfig string, estimatorPort int, tls estimatorTLS) error {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return err
	}
	config.QPS, config.Burst = 40, 60 // the defaults of karmada-scheduler
	karmada, err := karmadaclientset.NewForConfig(config)
	if err != nil {
		return err
	}
	options := []scheduler.Option{scheduler.WithSchedulerName(scheduler.DefaultScheduler)}
	if estimatorPort != 0 {
		options = append(options, scheduler.WithEnableSchedulerEstimator(true),
			scheduler.WithSchedulerEstimatorTimeout(metav1.Duration{Duration: 3 * time.Second}),
			scheduler.WithSchedulerEstimatorServiceNamespace(karmadanames.NamespaceKarmadaSystem),
			scheduler.WithSchedulerEstimatorServicePrefix(karmadanames.KarmadaSchedulerEstimatorComponentName),
			scheduler.WithSchedulerEstimatorConnection(estimatorPort, tls.cert, tls.key, tls.ca, false))
	}
	one, err := scheduler.NewScheduler(dynamic.NewForConfigOrDie(config), karmada, kubernetes.NewForConfigOrDie(config), options...)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	fmt.Println("serving")
	one.Run(ctx)
	return nil
}
