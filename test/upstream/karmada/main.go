// SPDX-License-Identifier: Apache-2.0

// Karmada gives random clusters and bindings to the code of karmada-scheduler and to `sakkara simulate binding`. Both have
// to decide the same. Where ours differs on purpose, differences.go has a row; its names are those of docs/bindings.md.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"

	clusterv1alpha1 "github.com/karmada-io/karmada/pkg/apis/cluster/v1alpha1"
	"github.com/karmada-io/karmada/pkg/util/grpcconnection"
	"k8s.io/klog/v2"

	"sakkara/test/upstream/record"
)

// Bindings on the same clusters, which are read at once.
const bindingsOfWorld = 25

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "karmada:", err)
		os.Exit(1)
	}
}

func byName(targets []targetCluster) []targetCluster {
	return slices.SortedFunc(slices.Values(targets), func(a, b targetCluster) int { return strings.Compare(a.Name, b.Name) })
}

// problem is one binding on clusters, decided by both.
type problem struct {
	profile  string
	sets     bool
	clusters []*clusterv1alpha1.Cluster
	binding  *resourceBinding
	theirs   answer
	ours     answer
}

// list writes objects as kubectl does.
func list(clusters []*clusterv1alpha1.Cluster, bindings []*resourceBinding) []byte {
	items := []any{}
	for _, c := range clusters {
		items = append(items, c)
	}
	for _, b := range bindings {
		items = append(items, b)
	}
	text, err := json.MarshalIndent(map[string]any{"apiVersion": "v1", "kind": "List", "items": items}, "", " ")
	must(err)
	return text
}

// asked are the runs of sakkara, for -record.
var asked []record.Case

// ask has sakkara decide all bindings.
func ask(sakkara, profile string, sets, empty bool, clusters []*clusterv1alpha1.Cluster, bindings []*resourceBinding) []answer {
	arguments := []string{"simulate", "binding", "-f", "-", "-o", "json", "--profile", profile}
	if sets {
		arguments = append(arguments, "--option", "componentSets=on")
	}
	if empty {
		arguments = append(arguments, "--option", "emptyWorkloadPropagation=on")
	}
	command := exec.Command(sakkara, arguments...)
	input := list(clusters, bindings)
	command.Stdin = bytes.NewReader(input)
	var complaints bytes.Buffer
	command.Stderr = &complaints
	text, err := command.Output()
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 4) {
		must(fmt.Errorf("%v: %w: %s", command.Args, err, complaints.String()))
	}
	var printed struct {
		Bindings []struct {
			Clusters []targetCluster `json:"clusters"`
			Error    *struct {
				Code   string `json:"code"`
				Reason string `json:"reason"`
			} `json:"error"`
		} `json:"bindings"`
	}
	must(json.Unmarshal(text, &printed))
	if len(printed.Bindings) != len(bindings) {
		must(fmt.Errorf("%d answers for %d bindings", len(printed.Bindings), len(bindings)))
	}
	asked = append(asked, record.Case{Arguments: arguments, Input: string(input), Problems: len(bindings), Answer: printed})
	var answers []answer
	for _, b := range printed.Bindings {
		if b.Error != nil {
			answers = append(answers, answer{Reason: b.Error.Reason, Text: b.Error.Code})
		} else {
			answers = append(answers, answer{Reason: "Success", Clusters: byName(b.Clusters)})
		}
	}
	return answers
}

func (p problem) agree() bool {
	if p.theirs.Reason == "Success" || p.ours.Reason == "Success" {
		return p.theirs.Reason == p.ours.Reason && slices.Equal(p.theirs.Clusters, p.ours.Clusters)
	}
	return p.profile != "upstream" || p.theirs.Reason == p.ours.Reason
}

func (a answer) String() string {
	text := a.Reason
	for _, t := range a.Clusters {
		text += fmt.Sprintf(" %s:%d", t.Name, t.Replicas)
	}
	return text + " " + a.Text
}

// worldOf decides the bindings of one seed under both profiles.
func worldOf(sakkara string, seed uint64) []problem {
	w := world{random: rand.New(rand.NewPCG(seed, 1))}
	sets, empty := w.one(3), w.one(4)
	var clusters []*clusterv1alpha1.Cluster
	var bindings []*resourceBinding
	for i := range 1 + w.below(clustersMax) {
		clusters = append(clusters, w.cluster(i))
	}
	for i := range bindingsOfWorld {
		bindings = append(bindings, w.binding(i, len(clusters)))
	}
	setComponentSets(sets)
	algorithm := karmadaScheduler(clusters)
	flags.EnableEmptyWorkloadPropagation = empty
	var problems []problem
	for _, profile := range []string{"upstream", "default"} {
		answers := ask(sakkara, profile, sets, empty, clusters, bindings)
		for i, b := range bindings {
			problems = append(problems, problem{profile, sets, clusters, b, decide(algorithm, b), answers[i]})
		}
	}
	return problems
}

// report says what differs, and keeps the objects for `sakkara simulate binding`.
func report(p problem, seed uint64, keep string) {
	fmt.Printf("differ: seed %d, %s, profile %s, componentSets %v\n  karmada-scheduler: %s\n  sakkara:           %s\n",
		seed, p.binding.Name, p.profile, p.sets, p.theirs, p.ours)
	if keep != "" {
		must(os.WriteFile(fmt.Sprintf("%s/%d-%s.json", keep, seed, p.binding.Name),
			list(p.clusters, []*resourceBinding{p.binding}), 0o644))
	}
}

func main() {
	n := flag.Int("n", 500, "bindings, each under two profiles")
	seed := flag.Uint64("seed", 1, "of the first clusters")
	sakkara := flag.String("sakkara", "build/sakkara", "the program")
	keep := flag.String("keep", "", "folder for the objects of problems that differ")
	docs := flag.String("docs", "", "page whose table of differences has to be the one here")
	most := flag.Int("most", 5, "differences that are printed")
	file := flag.String("record", "", "file that keeps the problems if all are decided the same")
	sources := flag.String("sources", "", "sum of the sources, for -record")
	hub := flag.String("serve", "", "kubeconfig: run karmada-scheduler there, and nothing else")
	port := flag.Int("estimator-port", 0, "with -serve: the port of the estimators of clusters, 0: none are asked")
	cert := flag.String("cert", "", "certificate, with -serve that of a client")
	key := flag.String("key", "", "its key")
	ca := flag.String("ca", "", "authority of the other side's certificate")
	member := flag.String("estimate", "", "kubeconfig: run estimators of -clusters there on 127.0.0.1:-estimator-port, and nothing else")
	clusters := flag.String("clusters", "", "names, separated by commas")
	flag.Parse()
	if *hub != "" {
		must(serve(*hub, *port, estimatorTLS{*cert, *key, *ca}))
		return
	}
	if *member != "" {
		must(estimate(*member, *clusters, strconv.Itoa(*port), grpcconnection.ServerConfig{CertFile: *cert, KeyFile: *key, ClientAuthCAFile: *ca}))
		return
	}
	klog.LogToStderr(false)
	klog.SetOutput(io.Discard)
	if *docs != "" {
		checkDocs(*docs)
	}
	passed, failed := 0, 0
	excused := map[string]int{}
	for done := 0; done < *n; done += bindingsOfWorld {
		for _, p := range worldOf(*sakkara, *seed) {
			if p.agree() {
				passed++
			} else if name := difference(p); name != "" {
				passed++
				excused[p.profile+": "+name]++
			} else if failed++; failed <= *most {
				report(p, *seed, *keep)
			}
		}
		*seed++
	}
	for _, name := range slices.Sorted(maps.Keys(excused)) {
		fmt.Printf("on purpose, %s: %d\n", name, excused[name])
	}
	fmt.Printf("%d passed, %d failed\n", passed, failed)
	if failed > 0 {
		os.Exit(1)
	}
	if *file != "" {
		must((&record.Record{Sources: *sources, Rows: names(), Cases: asked}).Write(*file))
	}
}
