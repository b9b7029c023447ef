// SPDX-License-Identifier: Apache-2.0

package suite

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"sakkara/test/e2e/suite/cluster"
)

// What the release before wrote, in the words of this one.

// statesWanted is the least number of states that are compared.
const statesWanted = 50

// groupState is what both versions have to say of a group.
type groupState struct {
	Namespace, Name, Status string
	Size                    int
	Pods                    struct{ Present, Bound, Succeeded int }
	Domains                 []string
}

// TestDowngrade_StatesOfTheReleaseBeforeAreReadTheSame: The release before plays the cases of the simulator in its sandbox. What
// it leaves in the API is a dump for this version, which says the same of every group: status, size, pods, and the domains of
// those that are bound.
func TestDowngrade_StatesOfTheReleaseBeforeAreReadTheSame(t *testing.T) {
	realOnly(t, "one run is enough, it has no control plane")
	sideBySide(t)
	older := releaseBinary(t, lastRelease)
	cases, err := filepath.Glob("../../simulate/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var compared atomic.Int32
	slots := make(chan struct{}, 4)
	t.Run("states", func(t *testing.T) {
		for _, path := range cases {
			t.Run(strings.TrimSuffix(filepath.Base(path), ".yaml"), func(t *testing.T) {
				t.Parallel()
				slots <- struct{}{}
				defer func() { <-slots }()
				if compareState(t, older, path) {
					compared.Add(1)
				}
			})
		}
	})
	t.Logf("%d states", compared.Load())
	if compared.Load() < statesWanted {
		t.Errorf("only %d states were compared, want %d", compared.Load(), statesWanted)
	}
}

// compareState is false where the release before does not know what is in the case, or has nothing at rest to show.
func compareState(t *testing.T, older, path string) bool {
	dir := t.TempDir()
	objects, err := exec.Command("awk", "-f", "../../simulate/expand.awk", path).Output()
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "case.yaml"), objects, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	sandbox, err := cluster.Start(dir, "sandbox", nil, older, "sandbox", "-f", "case.yaml", "--kubeconfig-out", "kubeconfig")
	if err != nil {
		t.Fatal(err)
	}
	defer sandbox.Kill()
	address := func(name string) string {
		pattern := regexp.MustCompile("(?m)^" + name + `: (\S+)$`)
		for deadline := time.Now().Add(usual); sandbox.Running() && time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
			said, _ := os.ReadFile(sandbox.Log)
			if found := pattern.FindSubmatch(said); found != nil {
				return string(found[1])
			}
		}
		return ""
	}
	api, admin := address("sandbox"), address("admin")
	if admin == "" {
		return false
	}
	var dump strings.Builder
	was := map[string]groupState{}
	for rest, deadline := 0, time.Now().Add(10*time.Second); rest < 3; time.Sleep(300 * time.Millisecond) {
		if time.Now().After(deadline) {
			return false // steps of the case go on
		}
		dump.Reset()
		for _, kind := range []string{"api/v1/nodes", "api/v1/pods", "api/v1/configmaps", "apis/scheduling.x-k8s.io/v1alpha1/podgroups"} {
			text, err := fetch(api + "/" + kind)
			if err != nil {
				t.Fatal(err)
			}
			dump.WriteString(text)
		}
		page, _ := fetch(admin + "/v1/groups")
		now := groupStates(t, page)
		if rest++; !reflect.DeepEqual(now, was) || moves(now) {
			rest = 0
		}
		was = now
	}
	if len(was) == 0 {
		return false
	}
	file := filepath.Join(dir, "dump.json")
	if err := os.WriteFile(file, []byte(dump.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	read := exec.Command(sakkaraBinary, "get", "groups", "-A", "-o", "json", "--file", file)
	page, err := read.Output()
	if err != nil {
		t.Fatalf("%v: %v", read.Args, err)
	}
	if now := groupStates(t, string(page)); !reflect.DeepEqual(now, was) {
		t.Errorf("this version says %v, the release before %v", now, was)
	}
	return true
}

// moves: a group has a plan that is being carried out.
func moves(all map[string]groupState) bool {
	for _, group := range all {
		if group.Status == "Assigned" || group.Status == "Permitted" {
			return true
		}
	}
	return false
}

func groupStates(t *testing.T, page string) map[string]groupState {
	var list struct{ Items []groupState }
	if err := json.Unmarshal([]byte(page), &list); err != nil {
		t.Fatalf("%v: %.200s", err, page)
	}
	all := map[string]groupState{}
	for _, group := range list.Items {
		all[fmt.Sprint(group.Namespace, "/", group.Name)] = group
	}
	return all
}
