// SPDX-License-Identifier: Apache-2.0

package suite

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"sakkara/test/e2e/suite/cluster"
)

// What pods say about other pods: planned with, so that kube-scheduler has nothing to refuse.

// zonedRacks is six racks of two nodes, two racks a zone; the zone is a label, not a level of the tree.
func zonedRacks() (nodes []*cluster.Node, tree string) {
	nodes, tree = racks([]int{8, 8}, []int{8, 8}, []int{8, 8}, []int{8, 8}, []int{8, 8}, []int{8, 8})
	for i, node := range nodes {
		node.Labels["zone"] = fmt.Sprintf("z%d", i/4)
	}
	return nodes, tree
}

func hostPort(port int) change {
	return func(pod *cluster.Pod) {
		pod.Spec.Containers[0].Ports = []cluster.Port{{ContainerPort: 80, HostPort: port}}
	}
}

// affine is a required term about pods of a label app.
func affine(kind, app, key string) change {
	return func(pod *cluster.Pod) {
		pod.Spec.Affinity = json.RawMessage(fmt.Sprintf(`{%q:{"requiredDuringSchedulingIgnoredDuringExecution":[`+
			`{"topologyKey":%q,"labelSelector":{"matchLabels":{"app":%q}}}]}}`, kind, key, app))
	}
}

func spread(app, key string) change {
	return func(pod *cluster.Pod) {
		pod.Spec.Spread = json.RawMessage(fmt.Sprintf(`[{"maxSkew":1,"whenUnsatisfiable":"DoNotSchedule",`+
			`"topologyKey":%q,"labelSelector":{"matchLabels":{"app":%q}}}]`, key, app))
	}
}

// TestPodRules_OfAGangsOwnKindAreObeyedAtOnce: Host ports, anti-affinity, affinity and spread of a gang's own
// pods are part of its plan; nothing is planned twice.
func TestPodRules_OfAGangsOwnKindAreObeyedAtOnce(t *testing.T) {
	realOnly(t, "the model of kube-scheduler does not know rules between pods")
	sideBySide(t)
	for _, row := range []struct {
		name string
		n    int
		rule change
		want string // pods by zone
	}{
		{"ports", 4, hostPort(8080), "z0:4"},
		{"apart", 4, affine("podAntiAffinity", "apart", "kubernetes.io/hostname"), "z0:4"},
		{"zones", 3, affine("podAntiAffinity", "zones", "zone"), "z0:1 z1:1 z2:1"},
		{"together", 20, affine("podAffinity", "together", "zone"), "z0:20"},
		{"spread", 7, spread("spread", "zone"), "z0:3 z1:2 z2:2"},
		{"nodes", 10, spread("nodes", "kubernetes.io/hostname"), "z0:4 z1:4 z2:2"},
	} {
		t.Run(row.name, func(t *testing.T) {
			bothWays(t, func(t *testing.T, withGate bool) {
				nodes, tree := zonedRacks()
				r := start(t, nodes, options{})
				r.topology(tree)
				r.group(row.name, row.n, "")
				r.members(row.name, row.n, label("app", row.name), row.rule, gate(withGate))
				r.wait(usual, "bound under the rule", r.podsBound(row.name, row.n))
				zones := map[string]int{}
				r.rec.Look(func(v *cluster.View) {
					for _, pod := range v.Pods(r.ns, of(row.name)) {
						var node int
						fmt.Sscanf(pod.Spec.NodeName, "node-%d", &node)
						zones[fmt.Sprintf("z%d", node/4)]++
					}
				})
				if got := countText(zones); got != row.want {
					t.Errorf("by zone %q, want %q", got, row.want)
				}
			})
		})
	}
}

// TestPodRules_OfUnlikeMembersAreObeyedAtOnce: Members whose host ports do not clash share nodes, and a gang that wants
// to be apart from itself in all namespaces of a name is apart; nothing is planned twice.
func TestPodRules_OfUnlikeMembersAreObeyedAtOnce(t *testing.T) {
	realOnly(t, "the model of kube-scheduler does not know rules between pods")
	r := startRacks(t, options{}, []int{5, 5})
	r.group("ports", 4, "")
	ports := []change{hostPort(8080), hostPort(8081), func(*cluster.Pod) {}, func(*cluster.Pod) {}}
	var pods []*cluster.Pod
	for i, port := range ports {
		pods = append(pods, r.pod(fmt.Sprintf("ports-%d", i), label("sakkara.group.name", "ports"), gated, port))
	}
	r.must(r.plane.CreatePods(pods...))
	r.wait(usual, "bound beside each other", r.allBound("ports", 4))
	r.expectPlaced("ports", "node-0:4")
	r.group("apart", 2, "")
	r.members("apart", 2, gated, label("app", "apart"), func(pod *cluster.Pod) {
		pod.Spec.Affinity = json.RawMessage(fmt.Sprintf(`{"podAntiAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[`+
			`{"topologyKey":"kubernetes.io/hostname","labelSelector":{"matchLabels":{"app":"apart"}},`+
			`"namespaceSelector":{"matchLabels":{"kubernetes.io/metadata.name":%q}}}]}}`, r.ns))
	})
	r.wait(usual, "bound apart", r.allBound("apart", 2))
	r.expectPlaced("apart", "node-0:1 node-1:1")
	if _, page := r.daemon.AdminGet("/metrics"); !contains(page, `sakkara_plans_total{result="aborted"} 0`) {
		t.Error("a plan was given up")
	}
}

// TestPodRules_ThatCannotBeMetAreNamed: Four pods that want a zone each do not fit into three zones: the reason
// names the rule, and kube-scheduler is left in peace.
func TestPodRules_ThatCannotBeMetAreNamed(t *testing.T) {
	realOnly(t, "the model of kube-scheduler does not know rules between pods")
	nodes, tree := zonedRacks()
	r := start(t, nodes, options{})
	r.topology(tree)
	r.gang("g", 4, "", label("app", "g"), affine("podAntiAffinity", "g", "zone"))
	r.wait(usual, "the rule is named", func(v *cluster.View) error {
		message := v.Map(r.ns, "g").Data["message"]
		if !contains(message, "podAntiAffinity on zone") || !contains(message, "3 domains have room for one") {
			return fmt.Errorf("message %q", message)
		}
		return nil
	})
	if n := r.calmFilters(4 * time.Second); n > 4*6 {
		t.Errorf("%d filter calls for 4 waiting members", n)
	}
}

// TestPodRules_ThatThePlannerDoesNotKnowAreNamed: Two databases keep a gang off both nodes by a rule that the planner does
// not know: reason, message, explain and Event name plugin and rule, and kube-scheduler is left in peace. It refuses the
// second node in the same words, and that shows, too. When the databases go, the gang is bound at once.
func TestPodRules_ThatThePlannerDoesNotKnowAreNamed(t *testing.T) {
	realOnly(t, "the model of kube-scheduler does not know rules between pods")
	r := startRacks(t, options{}, []int{6, 6})
	r.anyRetries("they count plans until all nodes are refused")
	r.anyEvents("how many plans are tried depends on the moment")
	r.create(r.pod("db-0", label("app", "db"), onNode("node-0")), r.pod("db-1", label("app", "db"), onNode("node-1")))
	r.group("g", 4, "")
	r.members("g", 4, gated, func(pod *cluster.Pod) {
		pod.Spec.Affinity = json.RawMessage(`{"podAntiAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[` +
			`{"topologyKey":"kubernetes.io/hostname","labelSelector":{"matchLabels":{"app":"db"}},` +
			`"namespaceSelector":{"matchExpressions":[{"key":"team","operator":"DoesNotExist"}]}}]}}`)
	})
	// kube-scheduler, which finds no node at all, does not ask about the gang: each plan is given up after 15 s.
	refused := map[string]bool{}
	r.wait(3*usual, "plugin and rule are named, for both nodes", func(v *cluster.View) error {
		object := v.Map(r.ns, "g")
		message := object.Data["message"]
		if _, after, found := strings.Cut(message, "kube-scheduler refuses node "); found {
			refused[strings.Fields(after)[0]] = true
		}
		if object.Data["reason"] != "FilteredByOthers" || !contains(message, "InterPodAffinity, because of podAntiAffinity") ||
			len(refused) < 2 {
			return fmt.Errorf("%v", object.Data)
		}
		return nil
	})
	r.expectCommand([]string{"explain", "g"}, 4, "FilteredByOthers", "InterPodAffinity")
	if n := r.calmFilters(5 * time.Second); n > 4*8 {
		t.Errorf("%d filter calls for 4 members that are refused, in five seconds", n)
	}
	r.must(r.plane.Admin.Delete(r.podPath("db-0")))
	r.must(r.plane.Admin.Delete(r.podPath("db-1")))
	r.wait(usual, "bound when they are gone", r.allBound("g", 4))
}
