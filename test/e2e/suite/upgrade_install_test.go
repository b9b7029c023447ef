// SPDX-License-Identifier: Apache-2.0

package suite

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"

	"sigs.k8s.io/yaml"

	"sakkara/test/e2e/suite/cluster"
)

// From an older version to this one: the manifests.

// TestUpgrade_ApplyOverAnOlderInstallIsAFreshInstall: install.yaml, applied over an older one by the same kind of apply or
// server-side over client-side, has no conflicts and leaves every object as a fresh install has it, also after controllers
// and the daemon have written to them; deleted, it leaves the namespace and the user's topology map.
func TestUpgrade_ApplyOverAnOlderInstallIsAFreshInstall(t *testing.T) {
	realOnly(t, "server-side apply is the API server's")
	text, err := os.ReadFile(manifest(t, "install.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	plane := planeFor(t)
	fresh := installAs(t, text, "fresh")
	if err := plane.CreateNamespace(fresh.namespace); err != nil {
		t.Fatal(err)
	}
	fresh.apply(plane, fresh.now)
	want := fresh.objects(plane)
	fresh.remove(plane)
	const serverSide = "--server-side"
	ways := []struct {
		name          string
		before, after []string
	}{{"client-side", nil, nil}, {"server-side", []string{serverSide}, []string{serverSide}}, {"from-client-to-server-side", nil, []string{serverSide}}}
	for _, way := range ways {
		t.Run(way.name, func(t *testing.T) {
			one := installAs(t, text, way.name)
			one.apply(plane, one.older, way.before...)
			one.used(plane)
			one.apply(plane, one.now, way.after...)
			got := one.objects(plane)
			for name, object := range want {
				if !reflect.DeepEqual(got[name], object) {
					t.Errorf("%s is\n%v, fresh it is\n%v", name, got[name], object)
				}
			}
			one.remove(plane)
		})
	}
}

// install is install.yaml under names of its own.
type install struct {
	*testing.T
	name       string
	namespace  string
	now, older string           // files
	described  []map[string]any // what is in now
}

// Namespaces go slowly: no two installs have the same one.
var installs atomic.Int32

func installAs(t *testing.T, text []byte, name string) *install {
	t.Helper()
	i := &install{T: t, name: name, namespace: fmt.Sprint("upgrade-", installs.Add(1))}
	dir := t.TempDir()
	var older []map[string]any
	for _, document := range cluster.Documents(text) {
		var object, before map[string]any
		if yaml.Unmarshal(document, &object) != nil || yaml.Unmarshal(document, &before) != nil {
			t.Fatalf("not YAML:\n%s", document)
		}
		i.place(object)
		i.place(before)
		makeOlder(before)
		i.described = append(i.described, object)
		older = append(older, before)
	}
	// The namespace was in the older file, and stays when it is in this one no more.
	older = append([]map[string]any{{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": i.namespace}}}, older...)
	i.now, i.older = filepath.Join(dir, "install.yaml"), filepath.Join(dir, "older.yaml")
	for file, objects := range map[string][]map[string]any{i.now: i.described, i.older: older} {
		text, err := json.Marshal(map[string]any{"apiVersion": "v1", "kind": "List", "items": objects})
		if err != nil || os.WriteFile(file, text, 0o600) != nil {
			t.Fatal("cannot write the manifest", err)
		}
	}
	return i
}

func (i *install) place(object map[string]any) {
	meta := object["metadata"].(map[string]any)
	if meta["namespace"] != nil {
		meta["namespace"] = i.namespace
	} else {
		meta["name"] = i.namespace + "-" + meta["name"].(string)
	}
}

// makeOlder changes an object to what an older version might have said: fields that have gone since, fields that are
// new now, lists that were longer, shorter, or without names.
func makeOlder(object map[string]any) {
	meta := object["metadata"].(map[string]any)
	annotations, _ := meta["annotations"].(map[string]any)
	if annotations == nil {
		annotations = map[string]any{}
		meta["annotations"] = annotations
	}
	annotations["sakkara.example/gone"] = "x"
	spec, _ := object["spec"].(map[string]any)
	switch object["kind"] {
	case "Service": // of the webhook alone
		spec["ports"] = []any{map[string]any{"port": 443, "targetPort": 9443}}
	case "ClusterRole", "Role":
		rules := object["rules"].([]any)
		object["rules"] = append([]any{map[string]any{"apiGroups": []any{""}, "resources": []any{"secrets"}, "verbs": []any{"get"}}}, rules[1:]...)
	case "ConfigMap":
		object["data"].(map[string]any)["gone.yaml"] = "x"
	case "NetworkPolicy":
		spec["ingress"] = []any{map[string]any{"ports": []any{map[string]any{"port": 9662, "protocol": "TCP"}}}}
	case "Deployment":
		spec["replicas"] = 1
		pod := spec["template"].(map[string]any)["spec"].(map[string]any)
		pod["hostAliases"] = []any{map[string]any{"ip": "127.0.0.1", "hostnames": []any{"gone"}}}
		for _, one := range pod["containers"].([]any) {
			container := one.(map[string]any)
			command := container["command"].([]any)
			container["command"] = command[:len(command)-1]
			delete(container["resources"].(map[string]any)["limits"].(map[string]any), "cpu")
			container["image"] = "example.com/older:1"
			container["env"] = []any{map[string]any{"name": "GONE", "value": "x"}}
		}
	}
}

func (i *install) apply(plane *cluster.Plane, file string, flags ...string) {
	i.Helper()
	said, err := plane.Kubectl(append([]string{"apply", "--validate=strict", "-f", file}, flags...)...)
	if err != nil {
		i.Fatalf("%v\n%s", err, said)
	}
}

// used writes to the objects as controllers and the daemon do, and adds the user's topology map.
func (i *install) used(plane *cluster.Plane) {
	i.Helper()
	deployment := "/apis/apps/v1/namespaces/" + i.namespace + "/deployments/sakkara"
	maps := "/api/v1/namespaces/" + i.namespace + "/configmaps"
	var errs []error
	patch := func(path string, patch map[string]any) { errs = append(errs, plane.Admin.MergePatch(path, patch)) }
	patch(deployment, map[string]any{"metadata": map[string]any{"annotations": map[string]any{"deployment.kubernetes.io/revision": "1"}}})
	patch(deployment+"/status", map[string]any{"status": map[string]any{"observedGeneration": 1, "replicas": 1, "readyReplicas": 1}})
	patch("/api/v1/namespaces/"+i.namespace+"/secrets/sakkara-scheduler-token", map[string]any{
		"metadata": map[string]any{"annotations": map[string]any{"kubernetes.io/service-account.uid": "0"}}, "data": map[string]any{"token": "eA=="}})
	patch(maps+"/cluster-topology-example", map[string]any{"metadata": map[string]any{"annotations": map[string]any{"example.com/note": "x"}}, "data": map[string]any{"message": "x"}})
	errs = append(errs, plane.Admin.Create(maps, i.own(), nil))
	if err := errors.Join(errs...); err != nil {
		i.Fatal(err)
	}
}

func (i *install) own() *cluster.ConfigMap {
	return &cluster.ConfigMap{Meta: cluster.Meta{Name: "mine", Labels: map[string]string{"sakkara.topology": ""}}, Data: map[string]string{"tree": "{}"}}
}

// objects are those of the namespace and those that now describes, without what is each one's own.
func (i *install) objects(plane *cluster.Plane) map[string]any {
	i.Helper()
	said, err := plane.Kubectl("get", "-o", "json", "-f", i.now)
	if err != nil {
		i.Fatal(err)
	}
	var list struct{ Items []map[string]any }
	if err := json.Unmarshal([]byte(said), &list); err != nil {
		i.Fatal(err)
	}
	objects := map[string]any{}
	for _, object := range list.Items {
		meta := object["metadata"].(map[string]any)
		name := fmt.Sprint(object["kind"], " ", strings.TrimPrefix(meta["name"].(string), i.namespace+"-"))
		object["metadata"] = map[string]any{"labels": meta["labels"]}
		if annotations, _ := meta["annotations"].(map[string]any); annotations["sakkara.example/gone"] != nil {
			i.Errorf("%s keeps an annotation of the older one", name)
		}
		delete(object, "status")
		if data, _ := object["data"].(map[string]any); i.name != "fresh" && name == "ConfigMap cluster-topology-example" {
			if data["message"] != "x" {
				i.Errorf("what the daemon wrote is gone: %v", data)
			}
			delete(data, "message")
		}
		if object["kind"] == "Secret" {
			delete(object, "data")
		}
		if spec, _ := object["spec"].(map[string]any); spec != nil {
			delete(spec, "clusterIP")
			delete(spec, "clusterIPs")
		}
		objects[name] = object
	}
	if len(objects) != len(i.described) {
		i.Errorf("%d objects of %d", len(objects), len(i.described))
	}
	return objects
}

// remove deletes what the file holds; what is the user's stays.
func (i *install) remove(plane *cluster.Plane) {
	i.Helper()
	if _, err := plane.Kubectl("delete", "--wait=false", "-f", i.now); err != nil {
		i.Error(err)
	}
	var own cluster.ConfigMap
	path := "/api/v1/namespaces/" + i.namespace
	if err := plane.Admin.Get(path+"/configmaps/mine", &own); i.name != "fresh" && (err != nil || !reflect.DeepEqual(own.Data, i.own().Data)) {
		i.Errorf("the user's map is %v: %v", own.Data, err)
	}
	if err := plane.Admin.Delete(path); err != nil {
		i.Error(err)
	}
}
