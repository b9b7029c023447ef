// SPDX-License-Identifier: Apache-2.0

package ship

import (
	"bufio"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/yaml"
)

// alert is a case of `promtool test rules`: series by name, with a value a minute, and whether the alert fires at that time.
// Value is what its texts show.
type alert struct {
	name   string
	series map[string]string
	at     string
	labels map[string]string // beside the rule's own; nil: it does not fire
	value  string
}

type labels = map[string]string

var noLabels = labels{}

const (
	denied     = `sakkara_api_writes_total{class="bind",outcome="denied"}`
	failOpen   = `apiserver_admission_webhook_fail_open_count{name="gate.sakkara.svc.cluster.local"}`
	mixOpen    = `apiserver_admission_webhook_fail_open_count{name="spotmix.sakkara.svc.cluster.local"}`
	expiry     = "sakkara_spotmix_certificate_expiry_timestamp_seconds"
	desired    = `sakkara_spotmix_pods{state="desired",class="spot"}`
	spotNodes  = `sakkara_spotmix_nodes{class="spot"}`
	solver     = "sakkara_solver_duration_seconds_bucket"
	admission  = "sakkara_spotmix_admission_duration_seconds_bucket"
	admissions = `sakkara_spotmix_admission_total{result="internal"}`
	invalid    = `sakkara_unplaced_groups{reason="GroupInvalid",class="config"}`
	noDomain   = `sakkara_unplaced_groups{reason="TopologyPlacementFailed",class="topology"}`
	room       = `sakkara_topology_free_slots{level="root",resource="cpu",size="1"}`
)

// slow has ten requests a minute, which take between one and two seconds; quick the same in less than one.
func slow(name string) map[string]string {
	return map[string]string{name + `{le="1"}`: "0x40", name + `{le="2"}`: "0+10x40", name + `{le="+Inf"}`: "0+10x40"}
}

func quick(name string) map[string]string {
	return map[string]string{name + `{le="1"}`: "0+10x40", name + `{le="2"}`: "0+10x40", name + `{le="+Inf"}`: "0+10x40"}
}

var alerts = []alert{
	{"SakkaraNoLeader", map[string]string{`sakkara_leader{pod="a"}`: "0x10", `sakkara_leader{pod="b"}`: "0x10"}, "5m", noLabels, ""},
	{"SakkaraNoLeader", map[string]string{"up": "0x10"}, "5m", noLabels, ""}, // no daemon at all
	{"SakkaraNoLeader", map[string]string{`sakkara_leader{pod="a"}`: "0x10", `sakkara_leader{pod="b"}`: "1x10"}, "5m", nil, ""},
	{"SakkaraNoLeader", map[string]string{"sakkara_leader": "1 1 1 0 0 1"}, "4m", nil, ""}, // a takeover
	{"SakkaraCacheOld", map[string]string{`sakkara_cache_age_seconds{resource="pods"}`: "200x10"}, "5m", labels{"resource": "pods"}, "200"},
	{"SakkaraCacheOld", map[string]string{`sakkara_cache_age_seconds{resource="pods"}`: "140x10"}, "5m", nil, ""},
	{"SakkaraGroupsNeedRepair", map[string]string{invalid: "2x30"}, "20m", labels{"reason": "GroupInvalid"}, "2"},
	{"SakkaraGroupsNeedRepair", map[string]string{invalid: "2x30"}, "10m", nil, ""},
	{"SakkaraGroupsNeedRepair", map[string]string{noDomain: "2x30"}, "20m", nil, ""},
	{"SakkaraTopologyInTheWay", map[string]string{noDomain: "1x150", room: "5x150"}, "130m", labels{"reason": "TopologyPlacementFailed"}, "1"},
	{"SakkaraTopologyInTheWay", map[string]string{noDomain: "1x150", room: "0x150"}, "130m", nil, ""}, // no room
	{"SakkaraTopologyInTheWay", map[string]string{noDomain: "1x150", room: "5x150"}, "110m", nil, ""},
	{"SakkaraWritesDenied", map[string]string{denied: "0+1x20"}, "10m", labels{"class": "bind"}, ""},
	{"SakkaraWritesDenied", map[string]string{denied: "4x20"}, "10m", nil, ""}, // long ago
	{"SakkaraSolverSlow", slow(solver), "30m", noLabels, ""},
	{"SakkaraSolverSlow", quick(solver), "30m", nil, ""},
	{"SakkaraGateFailedOpen", map[string]string{failOpen: "0+1x20"}, "10m", noLabels, ""},
	{"SakkaraGateFailedOpen", map[string]string{mixOpen: "0+1x20"}, "10m", nil, ""}, // another webhook
	{"SakkaraBindsParked", map[string]string{"sakkara_parked_binds": "3x20"}, "15m", noLabels, "3"},
	{"SakkaraBindsParked", map[string]string{"sakkara_parked_binds": "3x10 0 3x10"}, "15m", nil, ""},
	{"SakkaraSpotMixFailedOpen", map[string]string{mixOpen: "0+1x20"}, "10m", noLabels, ""},
	{"SakkaraSpotMixFailedOpen", map[string]string{failOpen: "0+1x20"}, "10m", nil, ""},
	{"SakkaraSpotMixNoLeader", map[string]string{"sakkara_leader": "0x10"}, "5m", noLabels, ""},
	{"SakkaraSpotMixNoLeader", map[string]string{"sakkara_leader": "1x10"}, "5m", nil, ""},
	{"SakkaraSpotMixDrift", map[string]string{"sakkara_spotmix_drift_pods": "4x40"}, "35m", noLabels, "4"},
	{"SakkaraSpotMixDrift", map[string]string{"sakkara_spotmix_drift_pods": "4x20 0x20"}, "35m", nil, ""},
	{"SakkaraSpotMixNoNodes", map[string]string{desired: "2x20", spotNodes: "0x20"}, "18m", labels{"class": "spot"}, "2"},
	{"SakkaraSpotMixNoNodes", map[string]string{desired: "2x20", spotNodes: "1x20"}, "18m", nil, ""},
	{"SakkaraSpotMixCertificate", map[string]string{expiry: "864000x90"}, "80m", noLabels, ""},
	{"SakkaraSpotMixCertificate", map[string]string{expiry: "2592000x90"}, "80m", nil, ""},
	{"SakkaraSpotMixCertificate", map[string]string{expiry: "0x90"}, "80m", nil, ""}, // it serves no webhook
	{"SakkaraSpotMixSlow", slow(admission), "30m", noLabels, ""},
	{"SakkaraSpotMixSlow", quick(admission), "30m", nil, ""},
	{"SakkaraSpotMixNotUnderstood", map[string]string{admissions: "0+1x20"}, "15m", labels{"result": "internal"}, ""},
	{"SakkaraSpotMixNotUnderstood", map[string]string{`sakkara_spotmix_admission_total{result="mutated"}`: "0+1x20"}, "15m", nil, ""},
}

type rule struct {
	Alert       string
	Expr        string
	Labels      labels
	Annotations labels
}

// spec is what Prometheus reads of a PrometheusRule.
func spec(t *testing.T, path string) (text string, rules []rule) {
	t.Helper()
	_, text, _ = strings.Cut(read(t, path), "\nspec:\n")
	text = strings.ReplaceAll("\n"+text, "\n  ", "\n")
	var file struct{ Groups []struct{ Rules []rule } }
	if err := yaml.Unmarshal([]byte(text), &file); err != nil || len(file.Groups) != 1 {
		t.Fatalf("%s: %v", path, err)
	}
	return text, file.Groups[0].Rules
}

// texts are a rule's annotations, with labels and value in their places.
func (a alert) texts(r rule) labels {
	out := labels{}
	for name, text := range r.Annotations {
		text = strings.ReplaceAll(text, "{{ $value }}", a.value)
		for label, value := range a.labels {
			text = strings.ReplaceAll(text, "{{ $labels."+label+" }}", value)
		}
		out[name] = text
	}
	return out
}

// unitTest is the case as promtool reads it.
func (a alert) unitTest(r rule) map[string]any {
	series, expected := []any{}, []any{}
	for name, values := range a.series {
		series = append(series, map[string]any{"series": name, "values": values})
	}
	if a.labels != nil {
		all := labels{}
		for _, from := range []labels{a.labels, r.Labels} {
			for k, v := range from {
				all[k] = v
			}
		}
		expected = append(expected, map[string]any{"exp_labels": all, "exp_annotations": a.texts(r)})
	}
	return map[string]any{"interval": "1m", "input_series": series,
		"alert_rule_test": []any{map[string]any{"eval_time": a.at, "alertname": a.name, "exp_alerts": expected}}}
}

func TestAlertsFireWhenTheyShould(t *testing.T) {
	promtool := tool(t, "SAKKARA_PROMTOOL")
	folder := t.TempDir()
	for _, path := range []string{"/alerts.yaml", "/spotmix-alerts.yaml"} {
		text, rules := spec(t, manifests+path)
		var tests []any
		for _, r := range rules {
			cases := [2]int{}
			for _, a := range alerts {
				if a.name != r.Alert {
					continue
				}
				tests = append(tests, a.unitTest(r))
				if a.labels != nil {
					cases[0]++
				} else {
					cases[1]++
				}
			}
			if cases[0] == 0 || cases[1] == 0 {
				t.Errorf("%s has %d cases in which it fires and %d in which it does not", r.Alert, cases[0], cases[1])
			}
		}
		file, err := yaml.Marshal(map[string]any{"rule_files": []string{"rules.yaml"}, "evaluation_interval": "1m", "tests": tests})
		if err != nil {
			t.Fatal(err)
		}
		for name, content := range map[string]string{"rules.yaml": text, "tests.yaml": string(file)} {
			if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		run(t, promtool, "check", "rules", "--lint=all", "--lint-fatal", filepath.Join(folder, "rules.yaml"))
		run(t, promtool, "test", "rules", filepath.Join(folder, "tests.yaml"))
	}
}

var variables = strings.NewReplacer("$__rate_interval", "5m", "$__range", "1h", "$job", ".*")

func TestExpressionsOfTheDashboardParse(t *testing.T) {
	promtool := tool(t, "SAKKARA_PROMTOOL")
	var dashboard struct {
		Panels []struct{ Targets []struct{ Expr string } }
	}
	if err := json.Unmarshal([]byte(read(t, chart+"/files/dashboard.json")), &dashboard); err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, panel := range dashboard.Panels {
		for _, target := range panel.Targets {
			run(t, promtool, "promql", "format", "--experimental", variables.Replace(target.Expr))
			n++
		}
	}
	if n == 0 {
		t.Error("the dashboard has no expression")
	}
}

// The page is that of a daemon which has just started; test/integration/test_metrics.c has one that worked.
func TestMetricsAreByConvention(t *testing.T) {
	promtool := tool(t, "SAKKARA_PROMTOOL")
	sandbox := exec.Command(tool(t, "SAKKARA_BIN"), "sandbox", "--kubeconfig-out", filepath.Join(t.TempDir(), "kubeconfig"))
	out, err := sandbox.StdoutPipe()
	if err == nil {
		err = sandbox.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = sandbox.Process.Kill(); _ = sandbox.Wait() }()
	lines, admin := bufio.NewScanner(out), ""
	for lines.Scan() && admin == "" {
		if found := regexp.MustCompile(`^admin: (\S+)$`).FindStringSubmatch(lines.Text()); found != nil {
			admin = found[1]
		}
	}
	client := http.Client{Timeout: time.Minute}
	answer, err := client.Get(admin + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	check := exec.Command(promtool, "check", "metrics")
	check.Stdin = answer.Body
	if said, err := check.CombinedOutput(); err != nil || len(said) > 0 {
		t.Errorf("promtool check metrics: %v\n%s", err, said)
	}
}
