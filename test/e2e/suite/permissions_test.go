// SPDX-License-Identifier: Apache-2.0

package suite

import (
	"bytes"
	"cmp"
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
// asks for is refused. Kinds of workloads are watched from the first pod on that needs them. Reads of single objects are allowed beyond that: they follow writes whose outcome is not
// known. Without the role that reads workloads a pod of each kind says which right lacks, and other groups are bound.
func TestPermissions_AreExactlyThoseUsed(t *testing.T) {
	realOnly(t, "the audit log is the API server's")
	plane := ownPlane(t, cluster.PlaneOptions{Audit: true, AuditReads: true, // 1.36 has DeviceTaintRules only when asked
		FeatureGates: []string{"DRADeviceTaintRules=true"}, RuntimeConfig: []string{"resource.k8s.io/v1beta2=true"}})
	nodes, tree := racks([]int{9, 9}, []int{9, 9})
	lease := cluster.DaemonOptions{LeaderElection: "{mode: lease, namespace: sakkara}"}
	r := start(t, nodes, options{plane: plane, daemon: lease})
	r.topology(tree)
	// Whether this Lease is of an installation is asked for.
	r.must(r.plane.Admin.Create("/apis/coordination.k8s.io/v1/namespaces/"+r.ns+"/leases", map[string]any{
		"metadata": map[string]any{"name": "sakkara"}, "spec": map[string]any{"holderIdentity": "tenant_1",
			"renewTime": time.Now().UTC().Format("2006-01-02T15:04:05.000000Z")}}, nil))
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
	r.watchesWhatPodsNeed(plane.AuditLog())
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
	r.withoutWorkloads()
}

// watchesWhatPodsNeed is about kinds of workloads: none was read so far. The first Job that is a gang is bound, and Jobs alone are watched.
func (r *run) watchesWhatPodsNeed(log string) {
	r.Helper()
	watched := func() (kinds []string) {
		used, _ := usedBy(r.T, log, cluster.DaemonUser)
		for _, kind := range []string{"batch/jobs", "apps/statefulsets", "jobset.x-k8s.io/jobsets",
			"leaderworkerset.x-k8s.io/leaderworkersets", "kubeflow.org/mpijobs", "ray.io/rayclusters"} {
			if used["list "+kind] || used["watch "+kind] {
				kinds = append(kinds, kind)
			}
		}
		return kinds
	}
	if kinds := watched(); len(kinds) > 0 {
		r.Errorf("no pod needs %v", kinds)
	}
	r.job("first", "", 1, ungrouped, annotated, gate(true))
	r.wait(usual, "the Job is bound", r.boundAre(ofJob("first"), 1, 1))
	if kinds := watched(); !slices.Equal(kinds, []string{"batch/jobs"}) {
		r.Errorf("one Job needs Jobs, and %v are watched", kinds)
	}
	r.must(r.plane.Admin.Delete("/apis/batch/v1/namespaces/" + r.ns + "/jobs/first")) // its room is needed
	r.must(r.plane.Admin.Delete("/api/v1/namespaces/" + r.ns + "/pods?labelSelector=job-name%3Dfirst"))
}

// withoutWorkloads takes the role away that reads workloads, and restarts the daemon. A pod of each kind waits with a reason that
// names the right that lacks; a group of labels is bound as before.
func (r *run) withoutWorkloads() {
	r.Helper()
	r.must(r.daemon.Stop())
	r.must(r.plane.Admin.Delete("/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/sakkara-workloads"))
	r.must(r.daemon.Start())
	const kubeflow = "training.kubeflow.org/"
	var job, set cluster.Pod // only their metadata count: pods of objects that are not there would be deleted
	template := map[string]any{"metadata": map[string]any{"labels": map[string]string{"app": "w"}}, "spec": map[string]any{
		"restartPolicy": "Never", "containers": []any{map[string]any{"name": "main", "image": "main"}}}}
	r.must(r.plane.Admin.Create("/apis/batch/v1/namespaces/"+r.ns+"/jobs", map[string]any{"metadata": map[string]any{"name": "w"},
		"spec": map[string]any{"managedBy": "e2e.example.com/none", "template": template}}, &job))
	template["spec"].(map[string]any)["restartPolicy"] = "Always"
	r.must(r.plane.Admin.Create("/apis/apps/v1/namespaces/"+r.ns+"/statefulsets", map[string]any{"metadata": map[string]any{"name": "w"},
		"spec": map[string]any{"replicas": 0, "serviceName": "w", "template": template,
			"selector": map[string]any{"matchLabels": map[string]string{"app": "w"}}}}, &set))
	uids := map[string]string{"Job": job.UID, "StatefulSet": set.UID}
	kinds := []struct {
		group, version, kind, resource string
		labels                         []change
	}{
		{"job/w", "batch/v1", "Job", "jobs.batch", nil},
		{"statefulset/w", "apps/v1", "StatefulSet", "statefulsets.apps", nil},
		{"jobset/w", "batch/v1", "Job", "jobsets.jobset.x-k8s.io",
			[]change{label(jobset+"jobset-name", "w"), label(jobset+"replicatedjob-name", "r"), label(jobset+"job-index", "0")}},
		{"lws/w/0", "apps/v1", "StatefulSet", "leaderworkersets.leaderworkerset.x-k8s.io",
			[]change{label(lws+"name", "w"), label(lws+"group-index", "0"), label(lws+"worker-index", "0")}},
		{"mpijob/w", "kubeflow.org/v2beta1", "MPIJob", "mpijobs.kubeflow.org", []change{label(kubeflow+"operator-name", "mpi-operator"),
			label(kubeflow+"job-name", "w"), label(kubeflow+"job-role", "worker")}},
		{"pytorchjob/w", "kubeflow.org/v1", "PyTorchJob", "pytorchjobs.kubeflow.org",
			[]change{label(kubeflow+"job-name", "w"), label(kubeflow+"replica-type", "worker")}},
		{"raycluster/w", "ray.io/v1", "RayCluster", "rayclusters.ray.io", []change{label("ray.io/cluster", "w"), label("ray.io/node-type", "head")}},
		{"spark/w", "", "", "sparkapplications.sparkoperator.k8s.io", []change{label("spark-role", "executor"),
			label("spark-app-selector", "w"), label("sparkoperator.k8s.io/app-name", "w")}},
	}
	for i, kind := range kinds {
		r.create(r.pod(fmt.Sprintf("w-%d", i), append(kind.labels, annotated, gated, func(pod *cluster.Pod) {
			if kind.kind != "" {
				uid := cmp.Or(uids[kind.kind], "of-"+kind.kind)
				pod.OwnerReferences = []cluster.Owner{{APIVersion: kind.version, Kind: kind.kind, Name: "w", UID: uid, Controller: true}}
			}
		})...))
	}
	r.group("after", 1, "")
	r.members("after", 1, gate(true))
	for _, kind := range kinds {
		want := "the daemon may not list and watch " + kind.resource
		if row := r.awaitGroup(kind.group, "Waiting", "OwnerNotReadable"); !contains(row.Message, want) {
			r.Errorf("%s: %q does not say %q", kind.group, row.Message, want)
		}
	}
	r.wait(usual, "none of them is bound", r.boundAre(ofPrefix("w-"), len(kinds), 0))
	r.wait(usual, "another group is", r.allBound("after", 1))
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
			entry.ObjectRef.Resource == "" || entry.ObjectRef.Resource == "selfsubjectaccessreviews" {
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
