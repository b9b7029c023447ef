// SPDX-License-Identifier: Apache-2.0

package suite

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"sakkara/test/e2e/suite/cluster"
)

// First contact with a real cluster: the commands of README.md, as they stand there.

var (
	installBlock = regexp.MustCompile("(?s)\n## Install it on a cluster\n.*?```sh\n(.*?)```")
	pageLine     = regexp.MustCompile(`(?m)^http://127\.0\.0\.1:\d+/ui/$`)
)

// readmeCommands are those that install, with a place where the image is.
func readmeCommands(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile("../../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	block := installBlock.FindStringSubmatch(string(text))
	if block == nil || !contains(string(text), "`kubectl apply -f docs/workloads/job.yaml`") || !contains(string(text), "`kubectl sakkara group job/train`") {
		t.Fatal("README.md does not say how to install, or how to start a gang")
	}
	whole := strings.NewReplacer("\\\n", " ", "REGISTRY", "registry.example", "TAG", "1.0").Replace(strings.TrimSpace(block[1]))
	return strings.Split(whole, "\n")
}

// TestInstall_ANewcomerFollowsTheReadme: On a cluster without anything of ours the commands of README.md install the chart and
// label racks; its Job is then bound as a gang, and `kubectl sakkara ui` opens the page through a port-forward of the API
// server. It takes five commands and less than a minute. The daemon runs with the installed configuration and account.
func TestInstall_ANewcomerFollowsTheReadme(t *testing.T) {
	realOnly(t, "helm, Deployments and port-forward need an API server")
	plane := ownPlane(t, cluster.PlaneOptions{Controllers: []string{"deployment-controller"}})
	nodes, _ := racks([]int{4, 4}, []int{4, 4})
	config := filepath.Join(t.TempDir(), "sakkara.yaml")
	ports := map[string]string{}
	kubelet := cluster.NewPortForwards(ports)
	t.Cleanup(kubelet.Stop)
	for _, node := range nodes {
		kubelet.Kubelet(node)
	}
	i := &installed{run: start(t, nodes, options{plane: plane, paused: true, daemon: cluster.DaemonOptions{Config: config}}), helm: builtHelm(t)}
	i.anyEvents("some come before the daemon")
	i.kubectl("delete", "-f", manifest(t, "install.yaml"), "--ignore-not-found") // the roles that the harness grants
	i.bindOthers()
	ports["9662"] = i.daemon.Admin
	user := i.newcomer()

	began, commands := time.Now(), 0
	types := func(command string) time.Duration {
		t.Helper()
		began := time.Now()
		shell := exec.Command("sh", "-c", command)
		shell.Dir, shell.Env = "../../..", user
		if said, err := shell.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", command, err, said)
		}
		commands++
		return time.Since(began)
	}
	for _, command := range readmeCommands(t) {
		i.Logf("%.1f s: %s", types(command).Seconds(), command)
	}
	i.kubectl("label", "nodes", "node-2", "node-3", "sakkara.topology.rack=rack-1") // "every node"
	var source cluster.ConfigMap
	i.must(plane.Admin.Get("/api/v1/namespaces/sakkara/configmaps/sakkara-config", &source))
	i.must(os.WriteFile(config, []byte(source.Data["sakkara.yaml"]), 0o600))
	i.begin() // what the pods do
	types("kubectl apply -f docs/workloads/job.yaml")
	i.wait(usual, "the Job is bound", i.boundAre(ofJob("train"), 4, 4))
	bound := time.Since(began)
	i.rec.Look(func(v *cluster.View) {
		rack := map[bool]bool{}
		for _, pod := range v.Pods(i.ns, ofJob("train")) {
			rack[pod.Spec.NodeName < "node-2"] = true
		}
		if len(rack) != 1 {
			t.Error("the gang is not in one rack")
		}
	})

	way, err := cluster.Start(plane.Dir, "ui", user, filepath.Join(i.bin, "kubectl"), "sakkara", "ui")
	i.must(err)
	commands++
	address := ""
	i.poll("the address of the page", func() bool {
		said, err := os.ReadFile(way.Log)
		address = pageLine.FindString(string(said))
		return err == nil && address != "" || !way.Running()
	})
	page, err := fetch(address)
	i.must(err)
	picture, err := fetch(strings.TrimSuffix(address, "ui/") + "v1/picture?view=gangs")
	i.must(err)
	if !contains(page, "<title>sakkara</title>") || !contains(picture, `"name":"job/train"`) {
		t.Errorf("the page has %d bytes, its picture is\n%.2000s", len(page), picture)
	}
	i.must(way.Stop(10 * time.Second))
	i.Logf("%d commands: the first gang is bound after %.1f s, the page is there after %.1f s", commands, bound.Seconds(), time.Since(began).Seconds())
	if commands > 5 || time.Since(began) > time.Minute {
		t.Error("more than five commands, or more than a minute")
	}
}

// newcomer is the environment of a user whose PATH has kubectl, helm and the plugin, and whose context has the scenario's
// namespace.
func (i *installed) newcomer() []string {
	i.Helper()
	admin, err := i.plane.AdminKubeconfig()
	i.must(err)
	text, err := os.ReadFile(admin)
	i.must(err)
	i.bin = i.TempDir()
	for name, program := range map[string]string{"kubectl": i.plane.Binary, "helm": i.helm, "kubectl-sakkara": sakkaraBinary} {
		i.must(os.Symlink(program, filepath.Join(i.bin, name)))
	}
	kubeconfig := filepath.Join(i.bin, "kubeconfig")
	i.must(os.WriteFile(kubeconfig, []byte(strings.Replace(string(text), "user: e2e}", "user: e2e, namespace: "+i.ns+"}", 1)), 0o600))
	return append(os.Environ(), "PATH="+i.bin+":"+os.Getenv("PATH"), "KUBECONFIG="+kubeconfig, "HELM_CACHE_HOME="+i.bin, "HELM_CONFIG_HOME="+i.bin, "HELM_DATA_HOME="+i.bin)
}

func fetch(url string) (string, error) {
	response, err := http.Get(url)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %d\n%s", url, response.StatusCode, text)
	}
	return string(text), err
}
