// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	karmadaclientset "github.com/karmada-io/karmada/pkg/generated/clientset/versioned"
	"github.com/karmada-io/karmada/pkg/scheduler"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
)

// serve runs karmada-scheduler on an API server until a signal: what its own command runs once it leads.
func serve(kubeconfig string) error {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return err
	}
	config.QPS, config.Burst = 40, 60 // the defaults of karmada-scheduler
	karmada, err := karmadaclientset.NewForConfig(config)
	if err != nil {
		return err
	}
	one, err := scheduler.NewScheduler(dynamic.NewForConfigOrDie(config), karmada, kubernetes.NewForConfigOrDie(config),
		scheduler.WithSchedulerName(scheduler.DefaultScheduler))
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	fmt.Println("serving")
	one.Run(ctx)
	return nil
}
