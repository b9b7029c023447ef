// SPDX-License-Identifier: Apache-2.0

// Package cluster runs a real Kubernetes control plane, fake nodes and the sakkara daemon for tests.
// Everything it starts is a child process that dies with the test binary, on ports of its own, in a
// folder of its own.
package cluster

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// patience is how long a program may take to start, and a server to answer, on a machine that does much else.
const patience = 3 * time.Minute

// Process is a child process with its output in a file.
type Process struct {
	Name string
	Log  string // path of the file that takes stdout and stderr
	cmd  *exec.Cmd
	done chan struct{}
	err  error // valid once done is closed
}

// The kernel sends Pdeathsig when the *thread* that forked goes away, so all children are forked on one
// thread that lives as long as the program.
var forkThread = sync.OnceValue(func() chan func() {
	requests := make(chan func())
	go func() {
		runtime.LockOSThread()
		for request := range requests {
			request()
		}
	}()
	return requests
})

// Start runs argv with its output appended to dir/name.log. extraEnv is added to the environment.
func Start(dir, name string, extraEnv []string, argv ...string) (*Process, error) {
	path := filepath.Join(dir, name+".log")
	out, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, err
	}
	defer out.Close()
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Stdout, cmd.Stderr = out, out
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), extraEnv...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	started := make(chan error)
	forkThread() <- func() { started <- cmd.Start() }
	if err := <-started; err != nil {
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	p := &Process{Name: name, Log: path, cmd: cmd, done: make(chan struct{})}
	go func() {
		p.err = cmd.Wait()
		noteEnd(name, cmd.ProcessState)
		close(p.done)
	}()
	return p, nil
}

// ended sums the processor time of the processes that are over, by the last words of the names that Start was given: daemon,
// scheduler, etcd.
var ended = struct {
	sync.Mutex
	used map[string]time.Duration
}{used: map[string]time.Duration{}}

func noteEnd(name string, state *os.ProcessState) {
	if state == nil {
		return
	}
	name = strings.TrimRight(name, "-0123456789")
	ended.Lock()
	defer ended.Unlock()
	ended.used[name[strings.LastIndexByte(name, '-')+1:]] += state.UserTime() + state.SystemTime()
}

// Ended is the processor time of all processes that are over, by program.
func Ended() map[string]time.Duration {
	ended.Lock()
	defer ended.Unlock()
	return maps.Clone(ended.used)
}

// OnHost is argv as a process that believes itself on a host of this name, as the containers of a pod do; "": as it is. The
// name is given to a UTS namespace of its own, which those who are not root get in a user namespace.
func OnHost(host string, argv ...string) []string {
	if host == "" {
		return argv
	}
	unshare := []string{"unshare", "--uts"}
	if os.Geteuid() != 0 {
		unshare = append(unshare, "--map-root-user")
	}
	return append(append(unshare, "sh", "-c", `hostname "$0" && exec "$@"`, host), argv...)
}

// HasHosts tells whether processes can be started OnHost here.
func HasHosts() bool {
	argv := OnHost("sakkara", "true")
	return exec.Command(argv[0], argv[1:]...).Run() == nil
}

// Running tells whether the process has not ended yet.
func (p *Process) Running() bool {
	select {
	case <-p.done:
		return false
	default:
		return true
	}
}

// Done is closed when the process has ended.
func (p *Process) Done() <-chan struct{} { return p.done }

// Pause sends SIGSTOP: the process is there and does nothing, not even when it is asked to end.
func (p *Process) Pause() error { return p.cmd.Process.Signal(syscall.SIGSTOP) }

// Resume sends SIGCONT.
func (p *Process) Resume() error { return p.cmd.Process.Signal(syscall.SIGCONT) }

// Kill sends SIGKILL and waits. A nil or dead process is fine.
func (p *Process) Kill() {
	if p != nil {
		_ = p.cmd.Process.Signal(syscall.SIGKILL)
		<-p.done
	}
}

// Freeze pauses the process for a while. A nil process is fine.
func (p *Process) Freeze(d time.Duration) {
	if p != nil {
		_ = p.Pause()
		time.Sleep(d)
		_ = p.Resume()
	}
}

// Stop sends SIGTERM and waits; after the deadline it kills and reports that as an error, as it does
// with an exit code other than 0.
func (p *Process) Stop(deadline time.Duration) error {
	if p == nil {
		return nil
	}
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-p.done:
		if p.err != nil {
			return fmt.Errorf("%s after SIGTERM: %w", p.Name, p.err)
		}
		return nil
	case <-time.After(deadline):
		p.Kill()
		return fmt.Errorf("%s did not end within %v of SIGTERM", p.Name, deadline)
	}
}

// CPU is the processor time the process has used, user and system.
func (p *Process) CPU() time.Duration {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.cmd.Process.Pid))
	if err != nil {
		return 0
	}
	// The command name in parentheses may hold blanks; utime and stime are fields 14 and 15.
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	const userHz = 100
	user, _ := strconv.ParseInt(fields[11], 10, 64)
	system, _ := strconv.ParseInt(fields[12], 10, 64)
	return time.Duration(user+system) * (time.Second / userHz)
}

// Resident is the process's resident memory in bytes.
func (p *Process) Resident() int64 {
	statm, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", p.cmd.Process.Pid))
	if err != nil {
		return 0
	}
	pages, _ := strconv.ParseInt(strings.Fields(string(statm))[1], 10, 64)
	return pages * int64(os.Getpagesize())
}

// Tail is the end of the process's log.
func (p *Process) Tail(lines int) string { return Tail(p.Log, lines) }

// Tail is the end of a text file, or the reason why there is none.
func Tail(path string, lines int) string {
	text, err := os.ReadFile(path)
	if err != nil {
		return err.Error()
	}
	all := strings.Split(strings.TrimRight(string(text), "\n"), "\n")
	return strings.Join(all[max(0, len(all)-lines):], "\n")
}
