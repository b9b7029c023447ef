// SPDX-License-Identifier: Apache-2.0

package suite

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"sakkara/test/e2e/suite/cluster"
)

// stateFolder takes the end states of all scenarios, a file each; empty: they are not kept.
var stateFolder = os.Getenv("SAKKARA_E2E_STATE")

// outcome is the file of one scenario.
type outcome struct {
	Scenario string
	// Free is what the two planes need not agree in, with the reason.
	Free []string `json:",omitempty"`
	*cluster.State
	Transcript []string `json:",omitempty"` // of kubectl
}

// keepState writes what the scenario left behind, once nothing moves any more.
func (r *run) keepState() {
	if _, alone := realOnes.Load(topName(r.T)); alone || stateFolder == "" || r.Failed() {
		return
	}
	r.awaitRetries()
	r.settle()
	result := outcome{Scenario: r.Name(), Free: r.free, State: r.rec.State(r.ns, r.anywhere, r.waiting)}
	if r.eventsFree {
		result.Events = nil
	}
	result.Events = slices.DeleteFunc(result.Events, func(event string) bool {
		return isTold(event) && !r.toldCounts || isOfAMoment(event)
	})
	for i := range result.Pods {
		if r.retriesFree {
			result.Pods[i].Retries = ""
		}
		if r.labelsFree && result.Pods[i].Node == "" {
			result.Pods[i].Status = ""
		}
	}
	if r.transcript != "" { // whichever versions there are
		result.Scenario = topName(r.T)
		result.Transcript = strings.Split(r.transcript, "\n")
	}
	text, err := json.MarshalIndent(&result, "", " ")
	r.must(err)
	r.must(os.WriteFile(statePath(result.Scenario), append(text, '\n'), 0o644))
}

// settle waits until the daemon has written all that it wants to write, the watches have shown it, and nothing else moves
// for a moment. However busy the machine is: who is asked has dealt with what came before the question.
func (r *run) settle() {
	for deadline := time.Now().Add(usual); time.Now().Before(deadline); {
		before, idle := r.written()
		_ = r.rec.CatchUp()
		r.rec.Settle(300*time.Millisecond, 10*time.Second)
		if after, still := r.written(); idle && still && before == after {
			return
		}
	}
}

var (
	idlePage = regexp.MustCompile(`(?m)^sakkara_api_writes_in_flight 0$`)
	busyPage = regexp.MustCompile(`(?m)^sakkara_api_writes_queued\{.*\} [1-9]`)
)

// written counts the daemon's writes so far, and tells whether none is queued or on its way.
func (r *run) written() (n int, idle bool) {
	if r.daemon == nil {
		return 0, true
	}
	r.daemon.AdminGet("/v1/groups") // answered by the thread that decides
	_, page := r.daemon.AdminGet("/metrics")
	return r.proxy.Count(func(*cluster.Write) bool { return true }), idlePage.MatchString(page) && !busyPage.MatchString(page)
}

// awaitRetries waits while a condition says SchedulerError: kube-scheduler tries such a pod again by itself, and how soon
// after the scenario's last step is chance.
func (r *run) awaitRetries() {
	_ = r.rec.Wait(usual, "kube-scheduler tries again", func(v *cluster.View) error {
		for _, pod := range v.Pods(r.ns, nil) {
			condition := pod.Condition("PodScheduled")
			if !pod.Bound() && pod.Live() && condition != nil && condition.Reason == "SchedulerError" {
				return fmt.Errorf("%s: %s", pod.Name, condition.Message)
			}
		}
		return nil
	})
}

// isTold: the Event of a member that has waited for five seconds. Whether a scenario that waits takes as long is chance:
// they count in scenarios that wait for them (waitTold).
func isTold(event string) bool {
	return strings.HasPrefix(event, "Pod/") && strings.HasSuffix(event, " GroupWaiting")
}

// isOfAMoment: a pod that is deleted has an end while its kubelet takes its time, and a group with a minimum grows by what
// came after its plan. Whether a group is looked at within that time is chance.
func isOfAMoment(event string) bool {
	_, reason, _ := strings.Cut(event, " Normal ")
	return slices.Contains([]string{"GroupReserved", "GroupStartMoved", "GroupGrown"}, reason)
}

// waitTold waits until so many members of a group were told why they wait, and keeps that.
func (r *run) waitTold(group string, n int) {
	r.Helper()
	r.toldCounts = true
	r.wait(usual, "members are told why they wait", func(v *cluster.View) error {
		told := 0
		for _, pod := range v.Pods(r.ns, of(group)) {
			if slices.ContainsFunc(v.Events("Pod", r.ns, pod.Name), func(e *cluster.ClusterEvent) bool { return e.Reason == "GroupWaiting" }) {
				told++
			}
		}
		if told != n {
			return fmt.Errorf("%d are", told)
		}
		return nil
	})
}

// forgetState removes what an earlier run of the scenario left: one that fails leaves nothing.
func (r *run) forgetState() {
	if stateFolder != "" {
		_ = os.Remove(statePath(r.Name()))
	}
}

func statePath(scenario string) string {
	return filepath.Join(stateFolder, strings.ReplaceAll(scenario, "/", ".")+".json")
}

// anyNode declares that the pods with this beginning of a name may sit anywhere, the members of a group of this name, too,
// and why.
func (r *run) anyNode(prefix, why string) {
	r.anywhere = append(r.anywhere, prefix)
	r.free = append(r.free, "nodes of "+prefix+"*: "+why)
}

// anyMoment declares that what is said about a group that waits, and about its members, is of any moment, and
// why.
func (r *run) anyMoment(group, why string) {
	r.waiting = append(r.waiting, group)
	r.free = append(r.free, "texts of "+group+": "+why)
}

// anyRetries declares that the members' counts of trials may be any, and why.
func (r *run) anyRetries(why string) {
	r.retriesFree = true
	r.free = append(r.free, "retries: "+why)
}

// anyLabels declares that the status labels of members that wait may be any, and why.
func (r *run) anyLabels(why string) {
	r.labelsFree = true
	r.free = append(r.free, "labels: "+why)
}

// anyEvents declares that the daemon's Events may be any, and why.
func (r *run) anyEvents(why string) {
	r.eventsFree = true
	r.free = append(r.free, "Events: "+why)
}

// realOnes are the tests that only a real control plane can prove.
var realOnes sync.Map

// realOnly skips the test on the sandbox.
func realOnly(t *testing.T, why string) {
	t.Helper()
	if onSandbox {
		t.Skip("needs a real control plane: " + why)
	}
	realOnes.Store(topName(t), true)
}

func topName(t *testing.T) string {
	name, _, _ := strings.Cut(t.Name(), "/")
	return name
}
