// SPDX-License-Identifier: Apache-2.0

package suite

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"sakkara/test/e2e/suite/cluster"
)

// The chart, by the real helm, on a cluster where gangs run. Daemon and scheduler of these scenarios run beside the
// cluster; the pods of the chart are marked Ready by the suite's kubelet.

// installed is a scenario with helm.
type installed struct {
	*run
	helm   string
	bin    string            // folder with the programs of a newcomer
	before map[string]string // what was said of the gang when it was bound
}

var chart = manifests + "/chart/sakkara"

// startInstalled has a gang of four bound and running. The roles that daemon and scheduler have are those of install.yaml.
func startInstalled(t *testing.T) *installed {
	t.Helper()
	realOnly(t, "helm, Deployments and roles need an API server")
	plane := ownPlane(t, cluster.PlaneOptions{Controllers: []string{"deployment-controller"}})
	nodes, tree := racks([]int{20, 20}, []int{20, 20})
	i := &installed{run: start(t, nodes, options{plane: plane}), helm: builtHelm(t)}
	i.anyEvents("some die with the daemon")
	i.topology(tree)
	i.bindOthers()
	i.gang("g", 4, `{"rack":{"hard":true}}`, gated)
	i.wait(usual, "the gang runs", i.podsRunning("g", 4))
	i.rec.Settle(2500*time.Millisecond, usual) // what is not urgent is written up to two seconds after the last write
	i.before = i.said("g", 4)
	return i
}

// builtHelm is the program, from the user's cache.
func builtHelm(t *testing.T) string {
	t.Helper()
	build := exec.Command("../../ship/tools/build.sh", "helm")
	build.Stderr = os.Stderr
	path, err := build.Output()
	if err != nil {
		t.Fatalf("helm cannot be built: %v", err)
	}
	return strings.TrimSpace(string(path))
}

// bindOthers is the cluster's default scheduler: it puts the pods of the chart anywhere.
func (i *installed) bindOthers() {
	ctx, cancel := context.WithCancel(context.Background())
	i.Cleanup(cancel)
	go func() {
		for ; ctx.Err() == nil; time.Sleep(50 * time.Millisecond) {
			var pods cluster.List[cluster.Pod]
			if i.plane.Admin.Get("/api/v1/namespaces/sakkara/pods?fieldSelector=spec.nodeName=", &pods) != nil {
				continue
			}
			for _, pod := range pods.Items {
				_ = i.plane.Admin.Create("/api/v1/namespaces/sakkara/pods/"+pod.Name+"/binding", map[string]any{
					"metadata": cluster.Meta{Name: pod.Name}, "target": map[string]string{"kind": "Node", "name": "node-3"}}, nil)
			}
		}
	}()
}

// said is uid, resourceVersion, node and rank of every member, and the resourceVersion of the map. The gang has to be at
// rest.
func (r *run) said(group string, size int) map[string]string {
	r.Helper()
	all := map[string]string{}
	for attempt := 0; ; attempt++ {
		now := map[string]string{}
		for _, name := range numbered(group, 0, size) {
			var pod cluster.Pod
			r.must(r.plane.Admin.Get(r.podPath(name), &pod))
			now[name] = fmt.Sprint(pod.UID, " ", pod.ResourceVersion, " ", pod.Spec.NodeName, " ", pod.Labels["sakkara.member.rank"])
		}
		var source cluster.ConfigMap
		r.must(r.plane.Admin.Get(r.mapPath(group), &source))
		now["map"] = source.ResourceVersion + " " + source.Data["status"]
		if maps.Equal(all, now) {
			return now
		}
		if all = now; attempt > 30 {
			r.Fatalf("%s does not come to rest: %v", group, now)
		}
		time.Sleep(300 * time.Millisecond)
	}
}

// untouchedSince the beginning: nothing of the gang was written.
func (i *installed) untouched(what string) {
	i.Helper()
	if now := i.said("g", 4); !maps.Equal(now, i.before) {
		i.Errorf("after %s the gang is\n%v, it was\n%v", what, now, i.before)
	}
}

// try runs helm as the cluster's administrator.
func (i *installed) try(arguments ...string) (string, error) {
	i.Helper()
	kubeconfig, err := i.plane.AdminKubeconfig()
	i.must(err)
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	command := exec.CommandContext(ctx, i.helm, append([]string{"--kubeconfig", kubeconfig, "-n", "sakkara"}, arguments...)...)
	command.Env = append(os.Environ(), "HELM_CACHE_HOME="+i.plane.Dir, "HELM_CONFIG_HOME="+i.plane.Dir, "HELM_DATA_HOME="+i.plane.Dir)
	var out bytes.Buffer
	command.Stdout, command.Stderr = &out, &out
	began := time.Now()
	if err := command.Run(); err != nil {
		return out.String(), fmt.Errorf("helm %s: %w\n%s", strings.Join(arguments, " "), err, out.String())
	}
	i.Logf("helm %s: %.1f s", strings.Join(arguments, " "), time.Since(began).Seconds())
	return out.String(), nil
}

func (i *installed) runHelm(arguments ...string) string {
	i.Helper()
	output, err := i.try(arguments...)
	i.must(err)
	return output
}

func (i *installed) kubectl(arguments ...string) string {
	i.Helper()
	output, err := i.plane.Kubectl(arguments...)
	i.must(err)
	return output
}

// restart is what the Deployment does with the daemon: it ends in order, and the next one starts.
func (i *installed) restart() {
	i.Helper()
	i.must(i.daemon.Stop())
	i.must(i.daemon.Start())
}

// deployed is image and configuration of the installation, and the pods that are ready.
func (i *installed) deployed() (image, config string, ready int) {
	i.Helper()
	var deployment struct {
		Spec struct {
			Template struct {
				Spec struct {
					Containers []struct{ Name, Image string }
				}
			}
		}
		Status struct{ ReadyReplicas, UpdatedReplicas int }
	}
	i.must(i.plane.Admin.Get("/apis/apps/v1/namespaces/sakkara/deployments/sakkara", &deployment))
	var source cluster.ConfigMap
	i.must(i.plane.Admin.Get("/api/v1/namespaces/sakkara/configmaps/sakkara-config", &source))
	return deployment.Spec.Template.Spec.Containers[1].Image, source.Data["sakkara.yaml"], deployment.Status.ReadyReplicas
}

// ours are the cluster-wide objects that carry our label, and those of our namespace.
func (i *installed) ours() (names []string) {
	i.Helper()
	said := i.kubectl("get", "clusterroles,clusterrolebindings,validatingadmissionpolicies,validatingadmissionpolicybindings,"+
		"mutatingwebhookconfigurations", "-l", "app.kubernetes.io/name=sakkara", "-o", "name")
	said += i.kubectl("-n", "sakkara", "get", "deployments,services,configmaps,secrets,serviceaccounts,roles,rolebindings,networkpolicies,pods",
		"-l", "app.kubernetes.io/name=sakkara", "-o", "name")
	return strings.Fields(said)
}

// versions are the resourceVersions of all that is ours, but what controllers write.
func (i *installed) versions() map[string]string {
	i.Helper()
	said := i.kubectl("-n", "sakkara", "get", "deployments,services,configmaps,serviceaccounts,roles,rolebindings,networkpolicies,clusterroles,clusterrolebindings",
		"-l", "app.kubernetes.io/name=sakkara", "-o", "json")
	var list struct {
		Items []struct {
			Kind     string
			Metadata cluster.Meta
		}
	}
	i.must(json.Unmarshal([]byte(said), &list))
	all := map[string]string{}
	for _, item := range list.Items {
		all[item.Kind+" "+item.Metadata.Name] = item.Metadata.ResourceVersion
	}
	return all
}

// values of the next version.
var next = []string{"--set", "image.repository=r.example/sakkara,image.tag=next,config.planTimeout=60s,config.extender.bindTimeout=90s"}

// TestInstall_HelmLeavesARunningGangAlone: An installation of install.yaml is adopted by the chart only when asked, and takes
// install.yaml again; the chart is upgraded, rolled back, left and installed anew. The running gang is not touched by any of
// that, and pods that are still gated at the end are freed by the command of the guide.
func TestInstall_HelmLeavesARunningGangAlone(t *testing.T) {
	i := startInstalled(t)
	file := manifest(t, "install.yaml")

	// Over install.yaml.
	i.kubectl("apply", "--server-side", "-f", file)
	if _, err := i.try("install", "sakkara", chart); err == nil || !contains(err.Error(), "exists and cannot be imported") {
		t.Errorf("helm install over install.yaml: %v", err)
	}
	i.runHelm("install", "sakkara", chart, "--take-ownership", "--wait", "--timeout", "4m")
	i.untouched("the adoption of install.yaml")
	i.kubectl("apply", "--server-side", "--force-conflicts", "-f", file) // the chart chose the cluster's kube-scheduler
	i.untouched("install.yaml over the chart")

	// From nothing, and on.
	i.runHelm("uninstall", "sakkara", "--wait")
	i.untouched("helm uninstall")
	if left := i.ours(); len(left) > 0 {
		t.Errorf("helm uninstall leaves %v", left)
	}
	var own cluster.ConfigMap
	i.must(i.plane.Admin.Get("/api/v1/namespaces/sakkara/configmaps/cluster-topology", &own))
	notes := i.runHelm("install", "sakkara", chart, "--wait", "--timeout", "4m")
	for _, line := range strings.Split(notes, "\n") {
		if len(line) > 80 {
			t.Errorf("helm says more than 80 columns: %q", line)
		}
	}
	if !contains(notes, "kubectl sakkara tree") || !contains(notes, "a topology") || !contains(notes, "sakkara:latest") {
		t.Errorf("helm install says\n%s", notes)
	}
	image, config, ready := i.deployed()
	if ready != 2 || contains(config, "planTimeout") {
		t.Errorf("%d pods are ready, configuration\n%s", ready, config)
	}
	i.untouched("helm install")
	i.runHelm(append([]string{"upgrade", "sakkara", chart, "--wait", "--timeout", "4m"}, next...)...)
	i.restart()
	i.untouched("helm upgrade")
	if to, options, _ := i.deployed(); to != "r.example/sakkara:next" || !contains(options, "planTimeout: 60s") {
		t.Errorf("after the upgrade the image is %s, the configuration\n%s", to, options)
	}
	versions := i.versions()
	i.runHelm(append([]string{"upgrade", "sakkara", chart, "--wait", "--timeout", "4m"}, next...)...)
	if again := i.versions(); !maps.Equal(versions, again) {
		t.Errorf("an upgrade without changes wrote: %v, before %v", again, versions)
	}
	i.runHelm("rollback", "sakkara", "1", "--wait", "--timeout", "4m")
	i.restart()
	i.untouched("helm rollback")
	if to, options, _ := i.deployed(); to != image || options != config {
		t.Errorf("after the rollback the image is %s, the configuration\n%s", to, options)
	}

	// Left while pods are gated.
	i.group("late", 3, "")
	// The other name of our scheduler: the judge of the history would take them for members whose gate the daemon removed.
	i.members("late", 2, gated, func(pod *cluster.Pod) { pod.Spec.SchedulerName = "sakkara-scheduler" })
	i.runHelm("uninstall", "sakkara", "--wait")
	i.untouched("the last uninstall")
	i.must(i.plane.Admin.Get("/api/v1/namespaces/sakkara/configmaps/cluster-topology", &own))
	if said := i.checked(); !contains(said, "2 pods wait behind the gate sakkara.gang") {
		t.Errorf("sakkara check says\n%s", said)
	}
	for _, name := range numbered("late", 0, 2) {
		i.kubectl("-n", i.ns, "patch", "pod", name, "--type=json", "-p", `[{"op":"remove","path":"/spec/schedulingGates"}]`)
		var pod cluster.Pod
		i.must(i.plane.Admin.Get(i.podPath(name), &pod))
		if pod.HasGate("sakkara.gang") {
			t.Errorf("%s is still gated", name)
		}
	}
	i.kubectl("-n", i.ns, "delete", "pods", "late-0", "late-1", "--wait")
	i.runHelm("install", "sakkara", chart) // the daemon of this scenario ends with the rights that it began with
}

// checked is what sakkara check says to the administrator: the account of the daemon has no rights any more.
func (i *installed) checked() string {
	i.Helper()
	kubeconfig, err := i.plane.AdminKubeconfig()
	i.must(err)
	said, _ := exec.Command(sakkaraBinary, "check", "--kubeconfig", kubeconfig, "--set", "topologyConfigMapNameSpace=sakkara").CombinedOutput()
	return string(said)
}

// TestInstall_UpgradeWhileAGangIsBeingBound: helm upgrades or rolls back while a second gang is between its plan and its last
// Binding, at eight of the daemon's writes; the daemon dies there and the next one goes on. The second gang is bound whole, on
// the nodes of its plan, and the first is untouched.
func TestInstall_UpgradeWhileAGangIsBeingBound(t *testing.T) {
	i := startInstalled(t)
	i.runHelm("install", "sakkara", chart, "--take-ownership", "--wait", "--timeout", "4m")
	for k := 1; k <= 8; k++ {
		group := fmt.Sprint("s", k)
		died := make(chan struct{})
		write := 2 * k // of the group's: the plan, gates, Bindings
		i.proxy.KillAt(write, cluster.AfterForwarding, func() {
			i.daemon.Kill()
			close(died)
		})
		i.gang(group, 8, `{"rack":{"hard":true}}`, gated)
		select {
		case <-died:
		case <-time.After(usual):
			i.Fatalf("no write %d of %s", write, group)
		}
		planned := i.planned(group)
		if k%2 == 1 {
			i.runHelm(append([]string{"upgrade", "sakkara", chart, "--wait", "--timeout", "4m"}, next...)...)
		} else {
			i.runHelm("rollback", "sakkara", "1", "--wait", "--timeout", "4m")
		}
		i.must(i.daemon.Start())
		i.wait(usual, "the gang is bound whole", i.allBound(group, 8))
		if len(planned) > 0 {
			i.expectNodes(group, planned)
		}
		i.untouched("an upgrade at write " + fmt.Sprint(write))
		i.removeGroup(group)
	}
}

// planned is the node of every member by uid, as the plan on the group's map has it; empty without a plan.
func (r *run) planned(group string) map[string]string {
	r.Helper()
	var source cluster.ConfigMap
	r.must(r.plane.Admin.Get(r.mapPath(group), &source))
	var plan struct{ Members map[string]string }
	if text := source.Annotations["sakkara.plan"]; text != "" {
		r.must(json.Unmarshal([]byte(text), &plan))
	}
	return plan.Members
}

// TestInstall_FromEveryReleaseAndBack: The objects of each release are upgraded to those of this one, and brought back, by
// server-side apply and without force: no conflict, no field that cannot change, and the gang is untouched.
func TestInstall_FromEveryReleaseAndBack(t *testing.T) {
	i := startInstalled(t)
	older, err := filepath.Glob("testdata/install/*.yaml")
	i.must(err)
	slices.Sort(older)
	if len(older) == 0 {
		t.Fatal("no release in testdata/install")
	}
	now := manifest(t, "install.yaml")
	for n, file := range older {
		file, err := filepath.Abs(file)
		i.must(err)
		if n == 0 { // the roles that the harness granted become kubectl's where releases differ
			i.kubectl("apply", "--server-side", "--force-conflicts", "-f", file)
		}
		for _, one := range []string{file, now, file, now} {
			i.kubectl("apply", "--server-side", "--validate=strict", "-f", one)
			i.restart()
			i.untouched(filepath.Base(one))
		}
	}
}
