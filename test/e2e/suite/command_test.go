// SPDX-License-Identifier: Apache-2.0

package suite

import (
	"errors"
	"os/exec"
	"strings"
)

// command runs a command of the program for people against the scenario's daemon, in the scenario's namespace, and
// returns what it prints and its exit code.
func (r *run) command(arguments ...string) (output string, code int) {
	r.Helper()
	all := append(arguments, "-n", r.ns, "--server", "http://"+r.daemon.Admin)
	text, err := exec.Command(sakkaraBinary, all...).CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		r.Fatalf("sakkara %s: %v", strings.Join(all, " "), err)
	}
	if exit != nil {
		code = exit.ExitCode()
	}
	return string(text), code
}

// expectCommand fails the test unless the command ends with the code and prints all these parts.
func (r *run) expectCommand(arguments []string, code int, parts ...string) {
	r.Helper()
	output, got := r.command(arguments...)
	if got != code {
		r.Errorf("sakkara %s: exit code %d, want %d\n%s", strings.Join(arguments, " "), got, code, output)
	}
	for _, part := range parts {
		if !strings.Contains(output, part) {
			r.Errorf("sakkara %s does not say %q:\n%s", strings.Join(arguments, " "), part, output)
		}
	}
}
