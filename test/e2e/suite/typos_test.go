// SPDX-License-Identifier: Apache-2.0

package suite

import (
	"fmt"
	"strings"
	"testing"

	"sakkara/test/e2e/suite/cluster"
)

// Group maps with mistakes: refused where they are applied, by the shipped policy, and by the daemon where the policy
// is not installed, in the same words.

var wrongMaps = []struct{ name, size, priority, constraints, message string }{
	{"hard-hrad", "2", "0", `{"rack":{"hrad":true}}`,
		`constraints: 1:17: unknown member "hrad" of level "rack" (did you mean "hard"?)`},
	{"partition", "2", "0", "{\"node\":{\"type\":\"spread\"},\n \"rack\": {\"partition\": 2}}",
		`constraints: 2:24: unknown member "partition" of level "rack" (did you mean "partitions"?)`},
	{"quoted", "2", "0", `{"rack":{"Facter":"4"}}`,
		`constraints: 1:19: unknown member "Facter" of level "rack" (did you mean "factor"?)`},
	{"beside-hard", "2", "0", `{"rack":{"hard":true,"typ":"spread"}}`,
		`constraints: 1:28: unknown member "typ" of level "rack" (did you mean "type"?)`},
	{"foreign", "2", "0", `{"rack":{"colour":null,"hard":true}}`,
		`constraints: 1:19: unknown member "colour" of level "rack"`},
	{"spraed", "2", "0", `{"rack":{"type":"spraed","hard":true}}`,
		`constraints: 1:17: "type" of level "rack", which is hard, is "spraed", neither pack nor spread (did you mean "spread"?)`},
	{"text-number", "2", "0", `{"rack":{"min":"4"}}`, `constraints: 1:16: "min" must be an integer, got a string`},
	{"fraction", "2", "0", `{"rack":{"max":2.5}}`, `constraints: 1:16: "max" must be an integer, got 2.5`},
	{"text-bool", "2", "0", `{"rack":{"hard":"true"}}`, `constraints: 1:17: "hard" must be true or false, got a string`},
	{"list", "2", "0", `{"rack":{"type":["pack"]}}`, `constraints: 1:17: "type" must be a string, got an array`},
	{"size-word", "two", "0", "", `size: 1:1: must be a decimal integer, got "two"`},
	{"size-unit", "2 pods", "0", "", `size: 1:2: must be a decimal integer, got "2 pods"`},
	{"size-zero", "0", "0", "", `size: 1:1: must be at least 1, got "0"`},
	{"priority-word", "2", "high", "", `priority: 1:1: must be a decimal integer, got "high"`},
}

// What only is odd is for lint and warnings, not for the policy.
var oddConstraints = []string{
	``, `{}`, `null`, `{"rack":null}`, `{"rack":{"type":"pack","hard":true},"node":{"type":"spread"}}`,
	`{"rack":{"typ":"spread"}}`, `{"rack":{"hrad":false,"partition":0,"facter":1}}`, `{"rack":{"colour":"hard"}}`,
	`{"rack":{"type":"Pack","hard":true}}`, `{"rack":{"MIN":2,"min":"x","Min":3}}`, `{"no{such":{"hard":true}}`,
	"{\n\"rack\" : { \"PARTITIONS\" : 2 , \"min\":null}}", `{"rak":{"type":"pack","hard":true}}`,
}

// TestGroupPolicy_RefusesWhatTheDaemonWouldRefuse: With the shipped policy a group map with a misspelt rule or a wrong
// value is refused when it is applied; without it the daemon says so in the map, and both say the same.
func TestGroupPolicy_RefusesWhatTheDaemonWouldRefuse(t *testing.T) {
	realOnly(t, "admission policies are the API server's")
	if minor() < 30 {
		t.Skip("the policy needs 1.30")
	}
	r := startRacks(t, options{}, []int{9, 9})
	create := func(name, size, priority, constraints string) error {
		data := map[string]string{"name": name, "size": size, "priority": priority}
		if constraints != "" {
			data["constraints"] = constraints
		}
		return r.plane.Admin.Create("/api/v1/namespaces/"+r.ns+"/configmaps", &cluster.ConfigMap{
			Meta: cluster.Meta{Name: name, Labels: map[string]string{"sakkara.group": ""}}, Data: data}, nil)
	}
	for _, wrong := range wrongMaps {
		r.must(create(wrong.name, wrong.size, wrong.priority, wrong.constraints))
		r.members(wrong.name, 1, gate(true))
	}
	r.wait(usual, "the daemon says what is wrong", func(v *cluster.View) error {
		for _, wrong := range wrongMaps {
			data := v.Map(r.ns, wrong.name).Data
			if data["status"] != "Failed" || data["reason"] != "GroupInvalid" || data["message"] != wrong.message {
				return fmt.Errorf("%s: %v", wrong.name, data)
			}
		}
		return nil
	})
	r.apply(manifest(t, "group-policy.yaml"))
	refused := func(i int) error {
		wrong := wrongMaps[i]
		err := create("again-"+wrong.name, wrong.size, wrong.priority, wrong.constraints)
		if err == nil {
			r.must(r.plane.Admin.Delete(r.mapPath("again-" + wrong.name)))
		} else if strings.Contains(strings.ReplaceAll(err.Error(), `\"`, `"`), wrong.message) {
			return nil
		}
		return fmt.Errorf("%s: %v, not %s", wrong.name, err, wrong.message)
	}
	r.wait(usual, "the policy is in force", func(*cluster.View) error { return refused(0) })
	for i := range wrongMaps {
		if err := refused(i); err != nil {
			t.Error(err)
		}
	}
	for i, constraints := range oddConstraints {
		if err := create(fmt.Sprintf("odd-%d", i), "2", "-1", constraints); err != nil {
			t.Errorf("%s: %v", constraints, err)
		}
	}
	label := map[string]any{"metadata": map[string]any{"labels": map[string]string{"team": "a"}}}
	r.must(r.plane.Admin.MergePatch(r.mapPath(wrongMaps[0].name), label)) // one from before can still be labelled
}

// TestDescribe_SaysWhyAMemberWaits: kubectl describe of a member that waits, gated or not, has the group's sentence, its
// name and the next command; what was asked too early is asked again, so that no condition says that the group is being planned.
func TestDescribe_SaysWhyAMemberWaits(t *testing.T) {
	realOnly(t, "kubectl describe reads Events as the API server keeps them")
	r := startRacks(t, options{}, []int{2, 2})
	for group, gated := range map[string]bool{"gated": true, "open": false} {
		r.gang(group, 5, "", gate(gated))
	}
	for _, group := range []string{"gated", "open"} {
		sentence := ""
		r.wait(usual, group+": never fits", func(v *cluster.View) error {
			data := v.Map(r.ns, group).Data
			if sentence = data["message"]; data["reason"] != "NeverFits" {
				return fmt.Errorf("%v", data)
			}
			return nil
		})
		for i := range 5 {
			pod := fmt.Sprintf("%s-%d", group, i)
			r.wait(usual, "described: "+pod, func(v *cluster.View) error {
				text, err := r.plane.Kubectl("describe", "pod", "-n", r.ns, pod)
				if err != nil || !strings.Contains(text, sentence+"; kubectl sakkara explain "+group+" -n "+r.ns) {
					return fmt.Errorf("%v\n%s", err, text)
				}
				return nil
			})
			r.wait(usual, "its condition is true: "+pod, func(*cluster.View) error {
				text, err := r.plane.Kubectl("get", "pod", "-n", r.ns, pod, "-o", "jsonpath={.status.conditions[*].message}")
				if err != nil || strings.Contains(text, "being planned") || strings.Contains(text, "waits for members") {
					return fmt.Errorf("%v: %s", err, text)
				}
				return nil
			})
		}
	}
}
