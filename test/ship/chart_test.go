// SPDX-License-Identifier: Apache-2.0

package ship

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// One source: the chart, install.yaml and the folders of kustomize make the same objects.

// TestChart_ManifestsAreWrittenFromIt: `make manifests` changes no byte of what is committed.
func TestChart_ManifestsAreWrittenFromIt(t *testing.T) {
	tool(t, "SAKKARA_HELM")
	folder := t.TempDir()
	run(t, filepath.Join(manifests, "generate.sh"), folder)
	files := 0
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		name, err := filepath.Rel(folder, path)
		files++
		if err == nil && read(t, path) != read(t, filepath.Join(manifests, name)) {
			t.Errorf("manifests/%s is not what the chart makes: run `make manifests`", name)
		}
		return err
	})
	if err != nil || files < 10 {
		t.Errorf("%d files, %v", files, err)
	}
}

// same compares two sets of objects and names what differs.
func same(t *testing.T, aName, bName string, a, b map[string]map[string]any) {
	t.Helper()
	for _, key := range slices.Sorted(maps.Keys(a)) {
		if b[key] == nil {
			t.Errorf("%s has %s, %s has not", aName, key, bName)
		} else if !reflect.DeepEqual(a[key], b[key]) {
			t.Errorf("%s differs: %s", key, difference(a[key], b[key]))
		}
	}
	for key := range b {
		if a[key] == nil {
			t.Errorf("%s has %s, %s has not", bName, key, aName)
		}
	}
}

// difference is the first path where two values differ, with both.
func difference(a, b any) string {
	x, isMap := a.(map[string]any)
	y, _ := b.(map[string]any)
	if isMap && y != nil {
		for _, key := range slices.Sorted(maps.Keys(merged(x, y))) {
			if !reflect.DeepEqual(x[key], y[key]) {
				return "." + key + difference(x[key], y[key])
			}
		}
	}
	if l, isList := a.([]any); isList {
		if m, _ := b.([]any); len(m) == len(l) {
			for i := range l {
				if !reflect.DeepEqual(l[i], m[i]) {
					return fmt.Sprint(".", i, difference(l[i], m[i]))
				}
			}
		}
	}
	return fmt.Sprintf(" is %.300q and %.300q", fmt.Sprint(a), fmt.Sprint(b))
}

func merged(a, b map[string]any) map[string]any {
	both := maps.Clone(a)
	maps.Copy(both, b)
	return both
}

// TestChart_IsInstallYamlIsTheBase: The chart without values, install.yaml and the base of kustomize are the same objects.
func TestChart_IsInstallYamlIsTheBase(t *testing.T) {
	installed := objects(t, read(t, filepath.Join(manifests, "install.yaml")))
	same(t, "the chart", "install.yaml", objects(t, template(t)), installed)
	same(t, "the base", "install.yaml", objects(t, kustomize(t, manifests+"/kustomize/base")), installed)
	if len(installed) < 17 {
		t.Errorf("install.yaml has only %d objects", len(installed))
	}
}

// TestChart_ComponentsAreItsValues: The base with a component is the chart with the component's value, and every folder of
// components is tried.
func TestChart_ComponentsAreItsValues(t *testing.T) {
	values := map[string][]string{
		"ha":             {"--set", "replicas=3,pdb=true"},
		"gate-policy":    {"--set", "gate.mode=policy"},
		"gate-webhook":   {"--set", "gate.mode=webhook"},
		"group-policy":   {"--set", "groupPolicy=true"},
		"account-policy": {"--set", "accountPolicy=true"},
		"spotmix":        {"--set", "spotmix.enabled=true"},
		"ocm":            {"--set", "ocm.enabled=true"},
		"karmada":        {"--set", "karmada.enabled=true"},
		"monitoring":     {"--set", "metrics=true,serviceMonitor=true,prometheusRule=true,dashboard=true"},
		// Components are combined, in the order of the chart's options.
		"spotmix,ocm,karmada,gate-policy": {"--set", "spotmix.enabled=true,ocm.enabled=true,karmada.enabled=true,gate.mode=policy"},
	}
	folders, err := os.ReadDir(manifests + "/kustomize")
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range folders {
		if folder.Name() != "base" && values[folder.Name()] == nil {
			t.Errorf("no value of the chart for the component %s", folder.Name())
		}
	}
	for names, set := range values {
		t.Run(names, func(t *testing.T) {
			text := kustomize(t, overlay(t, strings.Split(names, ","), ""))
			same(t, "the component", "the chart", objects(t, text), objects(t, template(t, set...)))
		})
	}
}

// overlay is a folder with a kustomization over the base.
func overlay(t *testing.T, components []string, more string) string {
	t.Helper()
	folder := t.TempDir()
	to := func(name string) string {
		absolute, err := filepath.Abs(filepath.Join(manifests, "kustomize", name))
		if err != nil {
			t.Fatal(err)
		}
		relative, err := filepath.Rel(folder, absolute)
		if err != nil {
			t.Fatal(err)
		}
		return relative
	}
	text := "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [" + to("base") + "]\n" + more
	if len(components) > 0 {
		text += "components:\n"
	}
	for _, name := range components {
		text += "- " + to(name) + "\n"
	}
	if err := os.WriteFile(filepath.Join(folder, "kustomization.yaml"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return folder
}

// TestChart_AnOverlayIsItsValues: Replicas and images of an overlay are those of the chart's values.
func TestChart_AnOverlayIsItsValues(t *testing.T) {
	text := kustomize(t, overlay(t, nil, "replicas: [{name: sakkara, count: 3}]\nimages: [{name: sakkara, newName: r.example/sakkara, newTag: 1.2.3}]\n"))
	same(t, "the overlay", "the chart", objects(t, text), objects(t, template(t, "--set", "replicas=3,image.repository=r.example/sakkara,image.tag=1.2.3")))
}

// TestChart_PassesLint: helm has nothing to say, with every value that switches something on.
func TestChart_PassesLint(t *testing.T) {
	everything := "gate.mode=webhook,groupPolicy=true,accountPolicy=true,spotmix.enabled=true,ocm.enabled=true,karmada.enabled=true,pdb=true,metrics=true,serviceMonitor=true,prometheusRule=true,dashboard=true"
	for _, set := range []string{"replicas=2", everything} {
		if output, err := try(tool(t, "SAKKARA_HELM"), "lint", "--strict", "--kube-version", version, "--set", set, chart); err != nil {
			t.Errorf("%v\n%s", err, output)
		}
	}
}

// TestChart_RefusesWhatItDoesNotKnow: Of every key a misspelt one and a value of another type are refused, with the key.
func TestChart_RefusesWhatItDoesNotKnow(t *testing.T) {
	var values map[string]any
	if err := yaml.Unmarshal([]byte(read(t, chart+"/values.yaml")), &values); err != nil {
		t.Fatal(err)
	}
	helm, tried := tool(t, "SAKKARA_HELM"), 0
	refused := func(set, word string) {
		tried++
		output, err := try(helm, "template", "x", chart, "--kube-version", version, "--set-json", set)
		if err == nil {
			t.Errorf("--set-json %s is rendered:\n%.200s", set, output)
		} else if !strings.Contains(err.Error(), word) {
			t.Errorf("--set-json %s: no word of %s in\n%v", set, word, err)
		}
	}
	var walk func(prefix string, value map[string]any)
	walk = func(prefix string, value map[string]any) {
		for key, one := range value {
			path := prefix + key
			inner, isMap := one.(map[string]any)
			if _, isText := one.(string); isText {
				refused(path+"=[]", key)
			} else {
				refused(path+`="x"`, key)
			}
			refused(path+"x=1", key+"x")
			if isMap && !free[path] {
				walk(path+".", inner)
			}
		}
	}
	walk("", values)
	refused("config.planTimeou=1", "planTimeou")
	refused("config.extender.listn=1", "listn")
	refused("config.preemption=1", "preemption")
	if tried < 50 {
		t.Errorf("only %d were tried", tried)
	}
}

// free are values whose keys are the user's, or Kubernetes'.
var free = map[string]bool{"podAnnotations": true, "nodeSelector": true, "affinity": true, "config": true,
	"resources.requests": true, "resources.limits": true, "scheduler.resources.requests": true, "scheduler.resources.limits": true}

// TestChart_ValuesAreDescribed: values.yaml is short, and every key of it stands in the reference.
func TestChart_ValuesAreDescribed(t *testing.T) {
	text := read(t, chart+"/values.yaml")
	if n := strings.Count(text, "\n"); n > 150 {
		t.Errorf("values.yaml has %d lines", n)
	}
	var values map[string]any
	if err := yaml.Unmarshal([]byte(text), &values); err != nil {
		t.Fatal(err)
	}
	reference := read(t, root+"/docs/reference.md")
	for key := range values {
		if !strings.Contains(reference, "| `"+key) {
			t.Errorf("docs/reference.md lacks the value %s", key)
		}
	}
}

// TestChart_ConfigReachesTheProgram: Options of the value config stand in the file beside those that are shipped, the sum of
// the file on the pods differs, and the program reads it.
func TestChart_ConfigReachesTheProgram(t *testing.T) {
	sum := func(all map[string]map[string]any) any {
		pod := all["Deployment sakkara/sakkara"]["spec"].(map[string]any)["template"].(map[string]any)["metadata"].(map[string]any)
		return pod["annotations"].(map[string]any)["checksum/config"]
	}
	plain, changed := objects(t, template(t)), objects(t, template(t, "--set", "config.planTimeout=60s", "--set", "config.extender.bindTimeout=90s"))
	if sum(plain) == sum(changed) || sum(plain) == nil {
		t.Errorf("the sums are %v and %v", sum(plain), sum(changed))
	}
	text := changed["ConfigMap sakkara/sakkara-config"]["data"].(map[string]any)["sakkara.yaml"].(string)
	for _, word := range []string{"planTimeout: 60s", "bindTimeout: 90s", "listen: 127.0.0.1:9660", "mode: scheduler"} {
		if !strings.Contains(text, word) {
			t.Errorf("lacks %q:\n%s", word, text)
		}
	}
	file := filepath.Join(t.TempDir(), "sakkara.yaml")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if output, err := try(tool(t, "SAKKARA_BIN"), "lint", file); err != nil {
		t.Errorf("%v\n%s", err, output)
	}
}

// TestChart_TheGatesPolicyNeedsItsKind: Where the cluster has no such policies the chart says so, and what to set.
func TestChart_TheGatesPolicyNeedsItsKind(t *testing.T) {
	for cluster, refused := range map[string]bool{"1.35.9": true, "1.36.0": false, "v1.36.0-gke.1": false} {
		_, err := try(tool(t, "SAKKARA_HELM"), "template", "x", chart, "--kube-version", cluster, "--set", "gate.mode=policy")
		if (err != nil) != refused || refused && !strings.Contains(err.Error(), "Set gate.mode=webhook") {
			t.Errorf("on %s: %v", cluster, err)
		}
	}
}

// TestChart_TheSchedulerIsNotNewerThanTheCluster: Without a tag kube-scheduler has the cluster's version; a newer one is
// refused, an older one is taken.
func TestChart_TheSchedulerIsNotNewerThanTheCluster(t *testing.T) {
	helm := tool(t, "SAKKARA_HELM")
	image := func(cluster, tag string) string {
		output, err := try(helm, "template", "x", chart, "--kube-version", cluster, "--set", "scheduler.image.tag="+tag)
		if err != nil {
			return err.Error()
		}
		_, after, _ := strings.Cut(output, "image: registry.k8s.io/kube-scheduler:")
		line, _, _ := strings.Cut(after, "\n")
		return line
	}
	for _, row := range []struct{ cluster, tag, want string }{
		{"v1.33.5-gke.1080000", "", "v1.33.5"}, {"1.36.3", "", "v1.36.3"}, {"1.36.3", "v1.35.1", "v1.35.1"},
		{"1.33.5", "v1.36.3", "a scheduler must not be newer than its API server"}, {"1.29.9", "", "chart requires kubeVersion"},
	} {
		if got := image(row.cluster, row.tag); !strings.Contains(got, row.want) {
			t.Errorf("on %s with tag %q: %s, want %s", row.cluster, row.tag, got, row.want)
		}
	}
}
