// SPDX-License-Identifier: Apache-2.0

package suite

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/yaml"

	"sakkara/test/e2e/suite/cluster"
)

// What the daemon's account is allowed, against what it does: the API server's audit log is the judge.

// TestPermissions_AreExactlyThoseUsed: What the shipped roles allow the daemon is what it does, and nothing it
// asks for is refused. Reads of single objects are allowed beyond that: they follow writes whose outcome is not
// known.
func TestPermissions_AreExactlyThoseUsed(t *testing.T) {
	realOnly(t, "the audit log is the API server's")
	plane := ownPlane(t, cluster.PlaneOptions{Audit: true, AuditReads: true, // 1.36 has DeviceTaintRules only when asked
		FeatureGates: []string{"DRADeviceTaintRules=true"}, RuntimeConfig: []string{"resource.k8s.io/v1beta2=true"}})
	nodes, tree := racks([]int{9, 9}, []int{9, 9})
	lease := cluster.DaemonOptions{LeaderElection: "{mode: lease, namespace: sakkara}"}
	r := start(t, nodes, options{plane: plane, daemon: lease})
	r.topology(tree)
	r.group("g", 4, "")
	r.members("g", 4, gate(false)) // these are nominated, those with gates need it not on so few nodes
	r.wait(usual, "all bound", r.allBound("g", 4))
	r.podGroup("pg", 2)
	for _, name := range []string{"p-0", "p-1"} {
		r.create(r.pod(name, label("scheduling.x-k8s.io/pod-group", "pg"), gate(true)))
	}
	r.wait(usual, "the PodGroup bound and told", func(v *cluster.View) error {
		if status := v.PodGroup(r.ns, "pg").Annotations["sakkara.status"]; status != "Bound" {
			return fmt.Errorf("it is %q", status)
		}
		return nil
	})

	// One more than there is room for: somebody has to go.
	r.groupMap("top", map[string]string{"name": "top", "size": "31", "priority": "10"})
	r.members("top", 31, gate(true))
	r.wait(usual, "bound in the place of others", r.allBound("top", 31))

	granted, also := grantedTo(t, "sakkara"), grantedTo(t, "sakkara-workloads") // of kinds that may be missing
	used, refused := usedBy(t, plane.AuditLog(), cluster.DaemonUser)
	for _, what := range refused {
		t.Errorf("%s was refused", what)
	}
	for _, what := range slices.Sorted(maps.Keys(used)) {
		if !granted[what] && !also[what] {
			t.Errorf("%s was used, install.yaml does not grant it", what)
		}
	}
	for _, what := range slices.Sorted(maps.Keys(granted)) {
		if !used[what] && !usedForDevices[what] && !strings.HasPrefix(what, "get ") {
			t.Errorf("%s is granted, and was not used", what)
		}
	}
}

// usedForDevices are rights for devices that a given-up plan left to a claim: scenarios of devices bind nothing without
// them. The second one is what the API server asks the authorizer while it serves the first, and is in no audit log.
var usedForDevices = map[string]bool{
	"patch resource.k8s.io/resourceclaims/status":  true,
	"patch resource.k8s.io/resourceclaims/binding": true,
}

// grantedTo is "verb group/resource" of all rules of the roles of a name in install.yaml.
func grantedTo(t *testing.T, name string) map[string]bool {
	t.Helper()
	text, err := os.ReadFile(manifest(t, "install.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	return grantedIn(text, name)
}

// grantedIn is the same of any manifest.
func grantedIn(text []byte, name string) map[string]bool {
	granted := map[string]bool{}
	for _, document := range cluster.Documents(text) {
		var role struct {
			Kind     string
			Metadata cluster.Meta
			Rules    []struct{ APIGroups, Resources, Verbs []string }
		}
		if yaml.Unmarshal(document, &role) != nil || role.Metadata.Name != name ||
			(role.Kind != "Role" && role.Kind != "ClusterRole") {
			continue
		}
		for _, rule := range role.Rules {
			for _, group := range rule.APIGroups {
				for _, resource := range rule.Resources {
					for _, verb := range rule.Verbs {
						granted[verb+" "+group+"/"+resource] = true
					}
				}
			}
		}
	}
	return granted
}

// usedBy is what a user asked for with success, and what was refused to it. What every account may ask is
// left out.
func usedBy(t *testing.T, log, user string) (used map[string]bool, refused []string) {
	t.Helper()
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	used = map[string]bool{}
	for line := range bytes.Lines(text) {
		var entry struct {
			Verb           string
			User           struct{ Username string }
			ObjectRef      struct{ APIGroup, Resource, Subresource string }
			ResponseStatus struct{ Code int }
		}
		if json.Unmarshal(line, &entry) != nil || entry.User.Username != user ||
			entry.ObjectRef.Resource == "" || entry.ObjectRef.APIGroup == "authorization.k8s.io" {
			continue
		}
		what := strings.TrimSuffix(entry.Verb+" "+entry.ObjectRef.APIGroup+"/"+entry.ObjectRef.Resource+
			"/"+entry.ObjectRef.Subresource, "/")
		if entry.ResponseStatus.Code == 403 {
			refused = append(refused, what)
		} else if entry.ResponseStatus.Code < 300 {
			used[what] = true
		}
	}
	return used, refused
}

// TestAccountPolicy_KeepsTheAccountFromWhatIsNotItsOwn: With the shipped policy the daemon's account writes its own
// keys of labelled maps and nothing else of any map, and of pods no image and no place to run; gangs are bound all
// the same.
func TestAccountPolicy_KeepsTheAccountFromWhatIsNotItsOwn(t *testing.T) {
	realOnly(t, "admission policies are the API server's")
	if minor() < 30 {
		t.Skip("the policy needs 1.30")
	}
	path := manifest(t, "account-policy.yaml")
	nodes, tree := racks([]int{9, 9})
	r := start(t, nodes, options{})
	r.apply(path)
	labelled := map[string]string{"sakkara.group": ""}
	r.mapIn(r.ns, "plain", nil)
	r.mapIn("kube-system", "labelled", labelled)
	r.Cleanup(func() { r.must(r.plane.Admin.Delete("/api/v1/namespaces/kube-system/configmaps/labelled")) })
	r.topology(tree)
	r.group("g", 2, "")
	daemon, err := r.plane.DaemonClient()
	r.must(err)
	refusals := []struct{ namespace, name, key string }{
		{r.ns, "plain", "status"}, {"kube-system", "labelled", "status"}, {r.ns, "g", "size"}, {r.ns, "g", "other"},
	}
	for _, refusal := range refusals {
		path := "/api/v1/namespaces/" + refusal.namespace + "/configmaps/" + refusal.name
		r.wait(usual, "refused: "+refusal.name+" "+refusal.key, func(*cluster.View) error {
			patch := map[string]any{"data": map[string]any{refusal.key: fmt.Sprint(time.Now().UnixNano())}}
			if err := daemon.MergePatch(path, patch); !cluster.IsStatus(err, 422) && !cluster.IsStatus(err, 403) {
				return fmt.Errorf("not refused: %v", err)
			}
			return nil
		})
	}
	r.create(r.pod("victim"))
	for what, patch := range map[string]map[string]any{
		"image":      {"spec": map[string]any{"containers": []any{map[string]any{"name": "main", "image": "evil"}}}},
		"toleration": {"spec": map[string]any{"tolerations": []any{map[string]any{"operator": "Exists"}}}},
		"finalizer":  {"metadata": map[string]any{"finalizers": []any{"a.b/c"}}},
	} {
		// In force a moment after it is there; until then nothing may come of the attempt.
		r.wait(usual, "refused: "+what, func(*cluster.View) error {
			if err := daemon.StrategicPatch(r.podPath("victim")+"?dryRun=All", patch); !cluster.IsStatus(err, 422) && !cluster.IsStatus(err, 403) {
				return fmt.Errorf("not refused: %v", err)
			}
			return nil
		})
		if err := daemon.StrategicPatch(r.podPath("victim"), patch); !cluster.IsStatus(err, 422) && !cluster.IsStatus(err, 403) {
			t.Errorf("%s is not refused: %v", what, err)
		}
	}
	r.members("g", 2, gate(true))
	r.wait(usual, "all bound", r.allBound("g", 2))
}

// mapIn makes a ConfigMap of a group in any namespace.
func (r *run) mapIn(namespace, name string, labels map[string]string) {
	r.Helper()
	r.must(r.plane.Admin.Create("/api/v1/namespaces/"+namespace+"/configmaps", &cluster.ConfigMap{
		Meta: cluster.Meta{Name: name, Labels: labels},
		Data: map[string]string{"name": "x", "size": "1"}}, nil))
}
