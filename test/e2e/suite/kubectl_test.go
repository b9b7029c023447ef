// SPDX-License-Identifier: Apache-2.0

package suite

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"sigs.k8s.io/yaml"

	"sakkara/test/e2e/suite/cluster"
)

// Stock kubectl of two versions: that of the control plane, where it is built, and the one in PATH; else those
// of other control planes. The texts they print must depend neither on their version nor on what answers them.

// kubectls are the programs by version.
func kubectls(t *testing.T) map[string]cluster.Kubectl {
	t.Helper()
	found := map[string]cluster.Kubectl{}
	add := func(command ...string) {
		kubectl := cluster.Kubectl{Command: command}
		version, err := kubectl.Version()
		if err != nil {
			t.Logf("%v: %v", command, err)
			return
		}
		if _, known := found[version]; known {
			version += "-too" // another build of it
		}
		found[version] = kubectl
	}
	for _, version := range []string{"1.36.3", "", "1.33.13", "1.30.14"} {
		if len(found) == 2 {
			break
		}
		if version == "" {
			if path, err := exec.LookPath("kubectl"); err == nil {
				add(path)
			}
			continue
		}
		path, err := exec.Command("../build-controlplane.sh", "-n", version).Output()
		if err == nil && len(path) > 0 {
			add(strings.TrimSpace(string(path)), "kubectl")
		}
	}
	if want, _ := strconv.Atoi(fromEnvironment("SAKKARA_E2E_KUBECTLS", "0")); len(found) < want {
		t.Fatalf("%d versions of kubectl, want %d", len(found), want)
	}
	if len(found) == 0 {
		t.Skip("no kubectl: neither in PATH nor a control plane that is built")
	}
	return found
}

const kubectlObjects = `
apiVersion: batch/v1
kind: Job
metadata: {name: work}
spec:
  parallelism: 2
  completions: 2
  template:
    metadata: {labels: {app: work}}
    spec:
      schedulerName: sakkara
      restartPolicy: Never
      containers: [{name: main, image: busybox, resources: {requests: {cpu: "1"}}}]
---
apiVersion: v1
kind: ConfigMap
metadata: {name: notes}
data: {colour: COLOUR}
`

const kubectlPod = `
apiVersion: v1
kind: Pod
metadata: {name: single, labels: {app: single}}
spec:
  schedulerName: sakkara
  terminationGracePeriodSeconds: 0
  containers: [{name: main, image: busybox, resources: {requests: {cpu: "1"}}}]
`

// TestKubectl_Verbs: Stock kubectl of at least two versions prints the same for get (columns, wide, name, JSON,
// YAML, watch), describe, apply, create, label, annotate, patch, delete and errors; logs are refused in words.
func TestKubectl_Verbs(t *testing.T) {
	var mu sync.Mutex
	first, firstVersion := "", ""
	for version, kubectl := range kubectls(t) {
		t.Run(version, func(t *testing.T) {
			node := node("node-0", 4)
			node.Status.NodeInfo = map[string]string{"kubeletVersion": "v1.36.3", "osImage": "fake", "kernelVersion": "0", "containerRuntimeVersion": "fake://1",
				"machineID": "", "systemUUID": "", "bootID": "", "kubeProxyVersion": "", "operatingSystem": "linux", "architecture": "amd64"}
			r := start(t, []*cluster.Node{node}, options{bare: true})
			kubectl.Plane = r.plane
			k := &kubectlSession{run: r, kubectl: &kubectl}
			k.play()
			r.transcript = k.text.String()
			mu.Lock()
			defer mu.Unlock()
			if first == "" {
				first, firstVersion = r.transcript, version
			} else if first != r.transcript {
				t.Errorf("kubectl %s and %s: %s", firstVersion, version, firstDifference(first, r.transcript))
			}
		})
	}
}

// firstDifference names the first line that is not the same, and the command it belongs to.
func firstDifference(a, b string) string {
	linesA, linesB := strings.Split(a, "\n"), strings.Split(b, "\n")
	command := ""
	for i := 0; i < len(linesA) && i < len(linesB); i++ {
		if linesA[i] != linesB[i] {
			return fmt.Sprintf("%s prints %q and %q", command, linesA[i], linesB[i])
		}
		if strings.HasPrefix(linesA[i], "$ ") {
			command = linesA[i]
		}
	}
	return "one prints more than the other"
}

// kubectlSession is one version's way through the verbs, and what it printed.
type kubectlSession struct {
	*run
	kubectl *cluster.Kubectl
	text    strings.Builder
}

// do runs kubectl in the scenario's namespace and notes command and output.
func (k *kubectlSession) do(stdin string, arguments ...string) string {
	k.Helper()
	output, err := k.kubectl.Run(stdin, append([]string{"-n", k.ns}, arguments...)...)
	if err != nil {
		k.Error(err)
	}
	k.note(arguments, output)
	return output
}

// fails does the same with a command that must not succeed.
func (k *kubectlSession) fails(arguments ...string) string {
	k.Helper()
	output, err := k.kubectl.Run("", append([]string{"-n", k.ns}, arguments...)...)
	if err == nil {
		k.Errorf("kubectl %v succeeds: %s", arguments, output)
	}
	k.note(arguments, output)
	return output
}

func (k *kubectlSession) note(arguments []string, output string) {
	fmt.Fprintf(&k.text, "$ kubectl %s\n%s\n", strings.Join(arguments, " "), k.common(output))
}

var (
	slow    = regexp.MustCompile(`(?m)^[IW]\d{4} .* client-side throttling.*\n`) // of a machine that is busy
	ages    = regexp.MustCompile(`\b\d+(s|m|m\d+s|h|d)\b`)
	letters = regexp.MustCompile(`\bwork-[a-z0-9]{5}\b`)
	address = regexp.MustCompile(`\b\d+\.\d+\.\d+\.\d+\b`)
	uids    = regexp.MustCompile(`\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b`)
	blanks  = regexp.MustCompile(`  +`)
)

// common is a text without what differs from run to run: times, random letters, addresses, the widths of
// columns that hold them; and as the oldest version prints it, which names no namespace with what it deleted and
// says "labeled" when a label is gone.
func (k *kubectlSession) common(text string) string {
	text = strings.ReplaceAll(text, " from "+k.ns+" namespace", "")
	text = strings.ReplaceAll(text, " unlabeled", " labeled")
	text = slow.ReplaceAllString(text, "")
	text = uids.ReplaceAllString(text, "UID")
	text = letters.ReplaceAllString(text, "work-*****")
	text = address.ReplaceAllString(text, "ADDRESS")
	text = ages.ReplaceAllString(text, "AGE")
	var lines []string
	for _, line := range strings.Split(text, "\n") {
		lines = append(lines, strings.TrimRight(blanks.ReplaceAllString(line, "  "), " "))
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n")
}

func (k *kubectlSession) play() {
	k.do(strings.ReplaceAll(kubectlObjects, "COLOUR", "red"), "apply", "-f", "-")
	k.do(strings.ReplaceAll(kubectlObjects, "COLOUR", "red"), "apply", "-f", "-")
	k.do(strings.ReplaceAll(kubectlObjects, "COLOUR", "blue"), "apply", "-f", "-")
	k.do(kubectlPod, "create", "-f", "-")
	k.do("", "create", "configmap", "typed", "--from-literal=a=1")
	k.wait(usual, "all pods run", func(v *cluster.View) error {
		running := v.Pods(k.ns, func(pod *cluster.Pod) bool { return pod.Status.Phase == "Running" })
		if len(running) != 3 {
			return fmt.Errorf("%d running", len(running))
		}
		return nil
	})
	k.poll("the Job counts its pods", func() bool {
		var job struct{ Status struct{ Ready int } }
		k.must(k.plane.Admin.Get("/apis/batch/v1/namespaces/"+k.ns+"/jobs/work", &job))
		return job.Status.Ready == 2
	})
	k.tables()
	k.machineForms()
	k.watches()
	k.describes()
	k.changes()
	k.refusals()
}

func (k *kubectlSession) tables() {
	k.do("", "get", "nodes")
	k.do("", "get", "nodes", "-o", "wide")
	k.do("", "get", "pods")
	k.do("", "get", "pods", "-o", "wide")
	k.do("", "get", "pods", "--show-labels", "-l", "app=single")
	k.do("", "get", "pods", "--field-selector", "spec.nodeName=node-0", "--sort-by=.metadata.name", "--no-headers")
	k.do("", "get", "jobs")
	k.do("", "get", "jobs", "-o", "wide")
	k.do("", "get", "configmaps", "notes", "typed")
	k.do("", "get", "pods,jobs")
	k.do("", "get", "pods", "-o", "custom-columns=NAME:.metadata.name,NODE:.spec.nodeName")
}

// machineForms: JSON and YAML hold the object, whatever the version writes around it.
func (k *kubectlSession) machineForms() {
	k.do("", "get", "pod", "single", "-o", "name")
	k.do("", "get", "pods", "-o", "name")
	k.do("", "get", "pod", "single", "-o", "jsonpath={.spec.nodeName} {.status.phase}")
	for _, form := range []string{"json", "yaml"} {
		output, err := k.kubectl.Run("", "-n", k.ns, "get", "pod", "single", "-o", form)
		k.must(err)
		if form == "yaml" {
			converted, err := yaml.YAMLToJSON([]byte(output))
			k.must(err)
			output = string(converted)
		}
		var pod cluster.Pod
		k.must(json.Unmarshal([]byte(output), &pod))
		if pod.Name != "single" || pod.UID == "" || pod.Spec.NodeName != "node-0" || pod.Status.Phase != "Running" {
			k.Errorf("-o %s: %+v", form, pod)
		}
	}
}

func (k *kubectlSession) watches() {
	lines, stop, err := k.kubectl.Follow("-n", k.ns, "get", "pods", "-l", "app=single", "-w")
	k.must(err)
	defer stop()
	next := func(want string) {
		k.Helper()
		select {
		case line := <-lines:
			if got := k.common(line); got != want {
				k.Errorf("get -w printed %q, want %q", got, want)
			}
		case <-time.After(usual):
			k.Errorf("get -w does not print %q", want)
		}
	}
	next("NAME  READY  STATUS  RESTARTS  AGE")
	next("single  1/1  Running  0  AGE")
	k.do("", "annotate", "pod", "single", "note=seen")
	next("single  1/1  Running  0  AGE")
}

// describes: the text is the version's, the facts are the pod's.
func (k *kubectlSession) describes() {
	output, err := k.kubectl.Run("", "-n", k.ns, "describe", "pod", "single")
	k.must(err)
	for _, want := range []string{`Name: +single`, `Node: +node-0`, `Labels: +app=single`, `Annotations: +note: seen`, `Status: +Running`,
		`Image: +busybox`, `State: +Running`, `PodScheduled +True`} {
		if !regexp.MustCompile(want).MatchString(output) {
			k.Errorf("describe pod lacks %q:\n%s", want, output)
		}
	}
}

func (k *kubectlSession) changes() {
	k.do("", "label", "pod", "single", "tier=one")
	k.do("", "label", "pod", "single", "tier=two", "--overwrite")
	k.do("", "label", "pod", "single", "tier-")
	k.do("", "patch", "configmap", "notes", "-p", `{"data":{"shape":"round"}}`)
	k.do("", "patch", "configmap", "notes", "--type=merge", "-p", `{"data":{"colour":null}}`)
	k.do("", "patch", "configmap", "notes", "--type=json", "-p", `[{"op":"add","path":"/data/size","value":"big"}]`)
	k.do("", "get", "configmap", "notes", "-o", "jsonpath={.data}")
	k.do("", "patch", "node", "node-0", "-p", `{"spec":{"unschedulable":true}}`)
	k.do("", "get", "nodes")
	k.do("", "delete", "pod", "single", "--wait=true")
	k.do("", "get", "pods")
	k.do("", "delete", "configmap", "typed", "notes")
	k.do("", "delete", "job", "work")
}

func (k *kubectlSession) refusals() {
	k.fails("get", "pod", "nobody")
	k.fails("delete", "pod", "nobody")
	k.fails("get", "unicorns")
	k.fails("label", "pod", "nobody", "a=b")
	k.fails("patch", "configmap", "nothing", "-p", `{"data":{"a":"b"}}`)
	k.do(kubectlPod, "create", "-f", "-")
	output, err := k.kubectl.Run(kubectlPod, "-n", k.ns, "create", "-f", "-")
	if err == nil {
		k.Error("a pod is created twice")
	}
	k.note([]string{"create", "-f", "-"}, output)
	k.wait(usual, "the only node is closed to it", k.told("Unschedulable: ", "single"))
	if k.plane.IsSandbox() {
		output, err := k.kubectl.Run("", "-n", k.ns, "logs", "single")
		if err == nil || !contains(output, "do not really run: there is no log") {
			k.Errorf("logs: %v %s", err, output)
		}
	}
}
