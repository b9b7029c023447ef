// SPDX-License-Identifier: Apache-2.0

// Command controlplane is a Kubernetes control plane in one multi-call binary: etcd, kube-apiserver,
// kube-scheduler, kube-controller-manager and kubectl, all built from module dependencies. The part to run
// is argv[0] (a link) or argv[1]; each runs as a process of its own, because configuration registration,
// feature gates and os.Exit on a lost lease of one part would hit the others.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"k8s.io/component-base/cli"
	"k8s.io/component-base/version"
	kubectl "k8s.io/kubectl/pkg/cmd"
	kubectlutil "k8s.io/kubectl/pkg/cmd/util"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllermanager "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"

	// Client and controller metrics, as the upstream main packages register them.
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
)

// parts maps the name a part is called by to the function that runs it with os.Args[1:] as its arguments.
var parts = map[string]func() int{
	"etcd":                    runEtcd,
	"kube-apiserver":          func() int { return cli.Run(apiserver.NewAPIServerCommand()) },
	"kube-scheduler":          func() int { return cli.Run(scheduler.NewSchedulerCommand()) },
	"kube-controller-manager": func() int { return cli.Run(controllermanager.NewControllerManagerCommand()) },
	"kubectl":                 func() int { return runKubectl(kubectl.NewDefaultKubectlCommand()) },
	"version":                 printVersion,
}

func main() {
	run, ok := parts[filepath.Base(os.Args[0])]
	if !ok && len(os.Args) > 1 {
		run, ok = parts[os.Args[1]]
		os.Args = os.Args[1:]
	}
	if !ok {
		fmt.Fprintln(os.Stderr, "usage: controlplane etcd|kube-apiserver|kube-scheduler|kube-controller-manager|kubectl|version [ARG...]")
		os.Exit(2)
	}
	os.Exit(run())
}

func runKubectl(cmd *cobra.Command) int {
	if err := cli.RunNoErrOutput(cmd); err != nil {
		kubectlutil.CheckErr(err)
		return 1
	}
	return 0
}

func printVersion() int {
	fmt.Println(version.Get().GitVersion)
	return 0
}
