// SPDX-License-Identifier: Apache-2.0

// Command demo plays the worked example on a real control plane: two racks of three nodes, a group of
// eight that wants to be packed on racks and spread over nodes, submitted as an ordinary Job.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"sakkara/test/e2e/suite/cluster"
)

const topology = `apiVersion: v1
kind: ConfigMap
metadata: {name: cluster-topology, namespace: sakkara, labels: {"sakkara.topology": ""}}
data:
  name: cluster-tree
  resource-names: '["cpu","memory"]'
  level-names: '["rack","node"]'
  tree: '{"rack-0":{"node-0":{},"node-1":{},"node-2":{}},"rack-1":{"node-3":{},"node-4":{},"node-5":{}}}'
`

const group = `apiVersion: v1
kind: ConfigMap
metadata: {name: group-a, namespace: default, labels: {"sakkara.group": ""}}
data: {name: group-a, size: "8", priority: "0", constraints: '{"rack":{"type":"pack"},"node":{"type":"spread"}}'}
`

const job = `apiVersion: batch/v1
kind: Job
metadata: {name: job-a, namespace: default}
spec:
  parallelism: 8
  completions: 8
  template:
    metadata: {labels: {sakkara.group.name: group-a}}
    spec:
      schedulerName: sakkara
      schedulingGates: [{name: sakkara.gang}]
      restartPolicy: Never
      containers:
      - name: main
        image: busybox
        command: ["sh", "-c", "echo rank $RANK; sleep 10"]
        env: [{name: RANK, valueFrom: {fieldRef: {fieldPath: "metadata.labels['sakkara.member.rank']"}}}]
        resources: {requests: {cpu: "1", memory: 128Mi}}
`

func main() {
	binary := flag.String("controlplane", "", "the multi-call binary")
	version := flag.String("version", "1.36.3", "its Kubernetes version")
	sakkara := flag.String("sakkara", "", "the daemon")
	manifest := flag.String("manifest", "", "install.yaml, whose permissions the daemon gets")
	flag.Parse()
	if err := play(*binary, *version, *sakkara, *manifest); err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

func play(binary, version, sakkara, manifest string) (err error) {
	dir, err := os.MkdirTemp("", "sakkara-demo-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	fmt.Printf("Starting etcd, kube-apiserver and kube-controller-manager %s …\n", version)
	plane, err := cluster.StartPlane(cluster.PlaneOptions{Binary: binary, Version: version, Dir: dir})
	if err != nil {
		return err
	}
	defer plane.Stop()
	if _, err := plane.Grant(manifest); err != nil {
		return err
	}
	var nodes []*cluster.Node
	for i := range 6 {
		nodes = append(nodes, cluster.FakeNode(fmt.Sprintf("node-%d", i), map[string]string{"cpu": "10", "memory": "64Gi", "pods": "110"}))
	}
	if err := plane.CreateNodes(nodes...); err != nil {
		return err
	}
	kubelet, err := plane.StartKubelet()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, kubelet.Stop()) }()
	recorder, err := plane.StartRecorder()
	if err != nil {
		return err
	}
	defer recorder.Stop()

	fmt.Println("Starting sakkara serve and kube-scheduler …")
	daemon, err := plane.NewDaemon("sakkara", cluster.DaemonOptions{Binary: sakkara, Server: plane.Server, CA: plane.CA})
	if err != nil {
		return err
	}
	if err := daemon.Start(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, daemon.Stop()) }()
	scheduler, err := plane.StartScheduler("kube-scheduler", cluster.SchedulerOptions{
		FilterURL: "http://" + daemon.Extender + "/v1", BindURL: "http://" + daemon.Bind + "/v1"})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, scheduler.Kill()) }()

	for _, document := range []string{topology, group, job} {
		if err := apply(plane, document); err != nil {
			return err
		}
	}
	err = recorder.Wait(time.Minute, "group-a Bound", func(v *cluster.View) error {
		if object := v.Map("default", "group-a"); object.Data["status"] != "Bound" {
			return fmt.Errorf("%+v", object)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("%w\n%s", err, daemon.Process().Tail(20))
	}
	for _, command := range [][]string{
		{"get", "nodes", "-o", "custom-columns=NODE:.metadata.name,CPU:.status.allocatable.cpu"},
		{"get", "pods", "--sort-by=.spec.nodeName", "-o",
			`custom-columns=POD:.metadata.name,NODE:.spec.nodeName,PHASE:.status.phase,RANK:.metadata.labels.sakkara\.member\.rank,STATUS:.metadata.labels.sakkara\.member\.status`},
		{"get", "configmap", "group-a", "-o", `go-template={{range $key, $value := .data}}{{printf "%-21s %s\n" $key $value}}{{end}}`},
		{"get", "events", "--field-selector", "involvedObject.name=group-a", "-o", "custom-columns=TYPE:.type,REASON:.reason,MESSAGE:.message"},
	} {
		output, err := plane.Kubectl(command...)
		if err != nil {
			return err
		}
		fmt.Printf("\n$ kubectl %s\n%s\n", quoted(command), output)
	}
	return nil
}

// quoted is a command as it would be typed.
func quoted(command []string) string {
	words := make([]string, len(command))
	for i, word := range command {
		if words[i] = word; strings.ContainsAny(word, ` $\`) {
			words[i] = "'" + word + "'"
		}
	}
	return strings.Join(words, " ")
}

func apply(plane *cluster.Plane, document string) error {
	path := filepath.Join(plane.Dir, "object.yaml")
	if err := os.WriteFile(path, []byte(document), 0o600); err != nil {
		return err
	}
	output, err := plane.Kubectl("apply", "-f", path)
	fmt.Printf("\n$ kubectl apply -f - <<EOF\n%sEOF\n%s\n", document, output)
	return err
}
