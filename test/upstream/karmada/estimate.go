// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/karmada-io/karmada/cmd/scheduler-estimator/app/options"
	"github.com/karmada-io/karmada/pkg/estimator/pb"
	"github.com/karmada-io/karmada/pkg/estimator/server"
	"github.com/karmada-io/karmada/pkg/estimator/service"
	"github.com/karmada-io/karmada/pkg/util/grpcconnection"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
)

// estimators are the estimators of several clusters behind one address: each request goes to that of its cluster.
type estimators struct {
	service.UnimplementedEstimatorServer
	of map[string]*server.AccurateSchedulerEstimatorServer
}

func (e estimators) MaxAvailableReplicas(ctx context.Context, r *pb.MaxAvailableReplicasRequest) (*pb.MaxAvailableReplicasResponse, error) {
	if one := e.of[r.Cluster]; one != nil {
		return one.MaxAvailableReplicas(ctx, r)
	}
	return nil, fmt.Errorf("no estimator of cluster %q", r.Cluster)
}

func (e estimators) MaxAvailableComponentSets(ctx context.Context, r *pb.MaxAvailableComponentSetsRequest) (*pb.MaxAvailableComponentSetsResponse, error) {
	if one := e.of[r.Cluster]; one != nil {
		return one.MaxAvailableComponentSets(ctx, r)
	}
	return nil, fmt.Errorf("no estimator of cluster %q", r.Cluster)
}

// estimate runs karmada-scheduler-estimator for clusters, which all are the one behind the kubeconfig, until a signal. Each
// has a port of its own as well, which is of no use here: its server wants one.
func estimate(kubeconfig, clusters, port string, tls grpcconnection.ServerConfig) error {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	all := estimators{of: map[string]*server.AccurateSchedulerEstimatorServer{}}
	for name := range strings.SplitSeq(clusters, ",") {
		opts := options.NewOptions()
		opts.ClusterName, opts.Parallelism = name, 4
		one, err := server.NewEstimatorServer(ctx, kubernetes.NewForConfigOrDie(config), dynamic.NewForConfigOrDie(config),
			discovery.NewDiscoveryClientForConfigOrDie(config), opts)
		if err != nil {
			return err
		}
		all.of[name] = one
		go func() { must(one.Start(ctx)) }()
	}
	listener, err := net.Listen("tcp", "127.0.0.1:"+port)
	if err != nil {
		return err
	}
	grpc, err := tls.NewServer()
	if err != nil {
		return err
	}
	service.RegisterEstimatorServer(grpc, all)
	go func() {
		<-ctx.Done()
		grpc.Stop()
	}()
	time.Sleep(time.Second) // until the caches have the nodes
	fmt.Println("serving", listener.Addr())
	return grpc.Serve(listener)
}
