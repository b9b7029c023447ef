// SPDX-License-Identifier: Apache-2.0

package suite

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"sakkara/test/e2e/suite/cluster"
)

// tenant is a user with the rights of the role edit in the scenario's namespace, and nowhere else.
type tenant struct {
	*run
	kubeconfig, path string
}

func (r *run) tenant() *tenant {
	r.Helper()
	const name = "alice"
	for _, role := range []string{"edit", "view"} { // what the role edit is made of, where no controller adds it up
		r.must(r.plane.Admin.Create("/apis/rbac.authorization.k8s.io/v1/namespaces/"+r.ns+"/rolebindings", map[string]any{
			"metadata": cluster.Meta{Name: "tenant-" + role},
			"roleRef":  map[string]string{"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "system:aggregate-to-" + role},
			"subjects": []map[string]string{{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": name}},
		}, nil))
	}
	admin, err := r.plane.AdminKubeconfig()
	r.must(err)
	text, err := os.ReadFile(admin)
	r.must(err)
	dir := r.TempDir()
	t := &tenant{run: r, kubeconfig: filepath.Join(dir, "kubeconfig"), path: dir + ":" + os.Getenv("PATH")}
	r.must(os.WriteFile(t.kubeconfig, []byte(strings.Replace(string(text), "user: {token:", "user: {as: "+name+", token:", 1)), 0o600))
	r.must(os.Symlink(r.plane.Binary, filepath.Join(dir, "kubectl")))
	return t
}

// says is what a command prints to the tenant, with its exit code.
func (t *tenant) says(arguments ...string) (string, int) {
	t.Helper()
	command := exec.Command(sakkaraBinary, append(arguments, "--kubeconfig", t.kubeconfig)...)
	command.Env = append(os.Environ(), "PATH="+t.path)
	output, err := command.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return string(output), command.ProcessState.ExitCode()
}

// TestOwnNamespace_ItsUserSeesItsGroups: A user with the rights of an ordinary account of a namespace may not reach the daemon,
// and sees its own groups all the same: which there are, why one waits in the daemon's own sentence, what would make it fit,
// its members and Events; also of a Job without a group object, by its name and by that of a pod. Groups of other namespaces stay hidden.
func TestOwnNamespace_ItsUserSeesItsGroups(t *testing.T) {
	realOnly(t, "roles are the API server's")
	r := startRacks(t, options{}, []int{4, 4}, []int{4, 4})
	r.anyEvents("the note of the first member's Event is early or late")
	r.fill("node-0", 3)
	r.fill("node-2", 4)
	r.gang("placed", 2, "", gated)
	r.wait(usual, "one is bound", r.allBound("placed", 2))
	r.gang("stuck", 8, `{"rack":{"hard":true}}`, gated)
	r.wait(usual, "what would help is in the map", func(v *cluster.View) error {
		if source := v.Map(r.ns, "stuck"); source == nil || source.Data["ways"] == "" {
			return fmt.Errorf("no ways in %v", source)
		}
		return nil
	})
	r.indexedJob("late", "", 20, ungrouped, annotated, gated)
	r.awaitGroup("job/late", "Ready", "NeverFits")
	user := r.tenant()
	var source cluster.ConfigMap
	r.must(r.plane.Admin.Get(r.mapPath("stuck"), &source))
	first, _, _ := strings.Cut(source.Data["ways"], "\n")
	expect := func(code int, parts []string, arguments ...string) {
		t.Helper()
		said, got := user.says(arguments...)
		flat := strings.Join(strings.Fields(said), " ")
		if got != code {
			t.Errorf("%v: exit code %d, want %d\n%s", arguments, got, code, said)
		}
		for _, part := range parts {
			if !strings.Contains(flat, strings.Join(strings.Fields(part), " ")) {
				t.Errorf("%v does not say %q:\n%s", arguments, part, said)
			}
		}
	}
	expect(4, []string{"not placed: " + source.Data["reason"], source.Data["message"], "Would fit if: " + first}, "explain", "stuck", "-n", r.ns)
	expect(0, []string{"is placed"}, "explain", "placed", "-n", r.ns)
	expect(0, []string{"stuck Unplaced 0/8", "placed Bound 2/2"}, "get", "groups", "-n", r.ns)
	expect(0, []string{"Name: stuck", source.Data["message"], "GroupUnplaced"}, "group", "stuck", "-n", r.ns)
	expect(0, []string{"Status: Bound (2 of 2 pods bound)", "ranks 0 1"}, "group", "placed", "-n", r.ns)
	member := ""
	r.rec.Look(func(v *cluster.View) { member = v.Pods(r.ns, ofJob("late"))[0].Name })
	expect(4, []string{"Group job/late", "not placed: NeverFits", "group job/late needs 20 slots"}, // what Events of its pods say
		"explain", "job/late", "-n", r.ns)
	expect(0, []string{"Name: job/late", "Source: Job/late", "GroupUnplaced"}, "group", "pod/"+member, "-n", r.ns)
	expect(3, []string{"no group absent"}, "explain", "absent", "-n", r.ns)
	expect(1, []string{"not allowed"}, "get", "groups", "-n", "sakkara")
	expect(1, []string{"not allowed"}, "get", "groups", "-A")
	r.removeGroup("stuck")
	r.must(r.plane.Admin.Delete("/apis/batch/v1/namespaces/" + r.ns + "/jobs/late"))
	r.removePods("late")
}
