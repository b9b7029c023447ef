// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"strings"
)

// Kubectl is a kubectl of some version, as the administrator of a plane.
type Kubectl struct {
	Command []string // the program and what comes before the arguments
	Plane   *Plane
}

// Version is the version kubectl gives itself, v1.36.3.
func (k *Kubectl) Version() (string, error) {
	output, err := exec.Command(k.Command[0], append(k.Command[1:], "version", "--client", "-o", "json")...).Output()
	var version struct {
		ClientVersion struct{ GitVersion string }
	}
	if err == nil {
		err = json.Unmarshal(output, &version)
	}
	return version.ClientVersion.GitVersion, err
}

func (k *Kubectl) command(ctx context.Context, arguments []string) (*exec.Cmd, error) {
	kubeconfig, err := k.Plane.AdminKubeconfig()
	if err != nil {
		return nil, err
	}
	argv := append(k.Command[1:len(k.Command):len(k.Command)], "--kubeconfig="+kubeconfig, "--cache-dir="+k.Plane.file("kubectl-cache"))
	command := exec.CommandContext(ctx, k.Command[0], append(argv, arguments...)...)
	command.Dir = k.Plane.Dir
	return command, nil
}

// Run gives stdin to kubectl and returns all it says.
func (k *Kubectl) Run(stdin string, arguments ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	command, err := k.command(ctx, arguments)
	if err != nil {
		return "", err
	}
	command.Stdin = strings.NewReader(stdin)
	output, err := command.CombinedOutput()
	if err != nil {
		return string(output), fmt.Errorf("kubectl %s: %w\n%s", strings.Join(arguments, " "), err, output)
	}
	return string(output), nil
}

// Follow starts kubectl and hands out its lines as they come. Stopping it is the caller's.
func (k *Kubectl) Follow(arguments ...string) (lines <-chan string, stop func(), err error) {
	ctx, cancel := context.WithCancel(context.Background())
	command, err := k.command(ctx, arguments)
	var output io.ReadCloser
	if err == nil {
		output, err = command.StdoutPipe()
	}
	if err == nil {
		err = command.Start()
	}
	if err != nil {
		cancel()
		return nil, nil, err
	}
	out := make(chan string, 1000)
	go func() {
		defer close(out)
		for scanner := bufio.NewScanner(output); scanner.Scan(); {
			out <- scanner.Text()
		}
	}()
	return out, func() {
		cancel()
		_ = command.Wait()
	}, nil
}
