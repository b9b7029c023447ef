// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"sort"
	"strings"
	"sync"
	"time"
)

// DaemonOptions choose how sakkara runs.
type DaemonOptions struct {
	Binary string
	// Server and CA of the API server as the daemon sees it: the plane's own, or a proxy's.
	Server, CA string
	// Config is a file whose options take the place of those the harness sets, but for its listeners. It is read when the
	// daemon starts.
	Config string
	// Settings are top-level keys of the configuration file beside those the harness sets.
	Settings map[string]string
	QPS      int // client.qps; burst is twice that; 0: 1000
	// BindTimeout is extender.bindTimeout; empty: 330s.
	BindTimeout string
	// LeaderElection is that section; empty: {mode: none}.
	LeaderElection string
	// Host is on which it believes itself; empty: this one.
	Host string
	// Env is added to the daemon's environment.
	Env []string
	// Gate is the webhook's listener, certificate file and key file; empty: off.
	Gate [3]string
}

// Daemon runs `sakkara serve`. It keeps its ports over restarts, as a sidecar does.
type Daemon struct {
	Extender, Bind, Admin string // listen addresses

	plane  *Plane
	name   string
	argv   []string
	env    []string
	mu     sync.Mutex // guards process and starts: a proxy may kill from its own goroutine
	proc   *Process
	starts int
}

// NewDaemon writes the configuration; Start runs it.
func (p *Plane) NewDaemon(name string, options DaemonOptions) (*Daemon, error) {
	address := func() string { return fmt.Sprintf("127.0.0.1:%d", FreePort()) }
	d := &Daemon{plane: p, name: name, Extender: address(), Bind: address(), Admin: address()}
	kubeconfig, err := p.Kubeconfig(name, options.Server, options.CA, daemonToken)
	if err != nil {
		return nil, err
	}
	config := p.file(name + ".yaml")
	if err := os.WriteFile(config, []byte(d.configuration(&options)), 0o600); err != nil {
		return nil, err
	}
	d.env = options.Env
	argv := []string{options.Binary, "serve", "--config", config, "--kubeconfig", kubeconfig}
	if options.Config != "" {
		argv = []string{options.Binary, "serve", "--config", options.Config, "--kubeconfig", kubeconfig, "--set=extender.listen=" + d.Extender,
			"--set=extender.bindListen=" + d.Bind, "--set=admin.listen=" + d.Admin, "--set=admin.probes="}
	}
	d.argv = OnHost(options.Host, argv...)
	return d, nil
}

func (d *Daemon) configuration(options *DaemonOptions) string {
	qps, bindTimeout := options.QPS, options.BindTimeout
	if qps == 0 {
		qps = 1000
	}
	if bindTimeout == "" {
		bindTimeout = "330s"
	}
	leaderElection := options.LeaderElection
	if leaderElection == "" {
		leaderElection = "{mode: none}"
	}
	var text strings.Builder
	fmt.Fprintf(&text, `apiVersion: sakkara/v1
kind: SakkaraConfiguration
schedulerNames: [sakkara, sakkara-scheduler]
topologyConfigMapNameSpace: %s
extender:
  listen: %s
  bindListen: %s
  bindTimeout: %s
admin:
  listen: %s
gate: {listen: %q, certFile: %q, keyFile: %q}
leaderElection: %s
client: {qps: %d, burst: %d}
`, SystemNamespace, d.Extender, d.Bind, bindTimeout, d.Admin, options.Gate[0], options.Gate[1], options.Gate[2], leaderElection, qps, 2*qps)
	keys := make([]string, 0, len(options.Settings))
	for key := range options.Settings {
		keys = append(keys, key)
	}
	if _, given := options.Settings["releaseGateAfter"]; !given {
		text.WriteString("releaseGateAfter: \"off\"\n") // the clusters have a fixed size
	}
	sort.Strings(keys)
	for _, key := range keys {
		fmt.Fprintf(&text, "%s: %s\n", key, options.Settings[key])
	}
	return text.String()
}

// Launch runs the daemon; one that stands by never gets ready.
func (d *Daemon) Launch() (*Process, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.starts++
	process, err := Start(d.plane.Dir, d.name, d.env, d.argv...)
	d.proc = process
	return process, err
}

// Start runs the daemon and returns once /readyz says so.
func (d *Daemon) Start() error {
	process, err := d.Launch()
	if err != nil {
		return err
	}
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if !process.Running() {
			return fmt.Errorf("sakkara ended:\n%s", process.Tail(20))
		}
		if status, _ := d.AdminGet("/readyz"); status == http.StatusOK {
			return nil
		}
	}
	return fmt.Errorf("sakkara is not ready:\n%s", process.Tail(20))
}

// Check runs "sakkara check" with the daemon's files; what it prints, and its exit code.
func (d *Daemon) Check() (string, int) {
	argv := append([]string(nil), d.argv...)
	for i := range argv {
		if argv[i] == "serve" {
			argv[i] = "check"
		}
	}
	command := exec.Command(argv[0], argv[1:]...)
	out, _ := command.CombinedOutput()
	return string(out), command.ProcessState.ExitCode()
}

// Process is the daemon's present process.
func (d *Daemon) Process() *Process {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.proc
}

// Starts counts how often the daemon was started.
func (d *Daemon) Starts() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.starts
}

// Kill is kill -9.
func (d *Daemon) Kill() { d.Process().Kill() }

// Stop is SIGTERM; the daemon has to end with code 0 in time.
func (d *Daemon) Stop() error { return d.Process().Stop(30 * time.Second) }

// AdminGet asks the admin listener.
func (d *Daemon) AdminGet(path string) (status int, body string) {
	response, err := http.Get("http://" + d.Admin + path)
	if err != nil {
		return 0, err.Error()
	}
	defer response.Body.Close()
	text, _ := io.ReadAll(response.Body)
	return response.StatusCode, string(text)
}
