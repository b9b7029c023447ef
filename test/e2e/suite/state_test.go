// SPDX-License-Identifier: Apache-2.0

package suite

import (
	"encoding/json"
	"os"
	"path/filepath"
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
	r.rec.Settle(300*time.Millisecond, 10*time.Second)
	result := outcome{Scenario: r.Name(), Free: r.free, State: r.rec.State(r.ns, r.anywhere, r.waiting)}
	if r.eventsFree {
		result.Events = nil
	}
	for i := range result.Pods {
		if r.retriesFree {
			result.Pods[i].Retries = ""
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

// forgetState removes what an earlier run of the scenario left: one that fails leaves nothing.
func (r *run) forgetState() {
	if stateFolder != "" {
		_ = os.Remove(statePath(r.Name()))
	}
}

func statePath(scenario string) string {
	return filepath.Join(stateFolder, strings.ReplaceAll(scenario, "/", ".")+".json")
}

// anyNode declares that the pods with this beginning of a name may sit anywhere, and why.
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
