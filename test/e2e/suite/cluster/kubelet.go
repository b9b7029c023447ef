// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Kubelet plays the kubelet of every node: a pod that gets a node is started at once, ends on demand or at its
// deadline, and is removed when its deletion is asked for. On the sandbox, which has kubelets, it only
// looks on, and ends pods on demand.
type Kubelet struct {
	client *Client
	aside  bool
	cancel context.CancelFunc
	work   sync.WaitGroup
	slots  chan struct{} // bounds the requests in flight

	mu      sync.Mutex
	env     map[string]map[string]string // pod uid -> environment of its first container at its start
	started map[string]bool
	ends    map[string]time.Time // pod uid -> end by its deadline
	err     error
}

// StartKubelet begins to play kubelet for all pods, those that exist included.
func (p *Plane) StartKubelet() (*Kubelet, error) {
	client, err := NewClient(p.Server, p.CA, kubeletToken)
	if err != nil {
		return nil, err
	}
	var pods List[Pod]
	if err := client.Get("/api/v1/pods", &pods); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	k := &Kubelet{client: client, aside: p.IsSandbox(), cancel: cancel, slots: make(chan struct{}, 16),
		env: map[string]map[string]string{}, started: map[string]bool{}, ends: map[string]time.Time{}}
	for i := range pods.Items {
		k.see(ctx, &pods.Items[i])
	}
	k.work.Go(func() {
		err := client.Watch(ctx, "/api/v1/pods", pods.ResourceVersion, func(event Event) {
			var pod Pod
			if event.Type != "DELETED" && json.Unmarshal(event.Object, &pod) == nil {
				k.see(ctx, &pod)
			}
		})
		k.fail(err)
	})
	return k, nil
}

// Stop ends the kubelet. The error is the first request that failed for a reason of its own.
func (k *Kubelet) Stop() error {
	k.cancel()
	k.work.Wait()
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.err
}

// Env is the environment a pod's first container was started with; ok tells whether it was started.
func (k *Kubelet) Env(uid string) (env map[string]string, ok bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	env, ok = k.env[uid]
	return env, ok
}

// Finish ends a running pod with an exit code: 0 makes it Succeeded, others Failed.
func (k *Kubelet) Finish(pod *Pod, code int) error {
	return ignoreGone(k.client.StrategicPatch(podPath(pod)+"/status", finished(pod, code, "")))
}

func (k *Kubelet) see(ctx context.Context, pod *Pod) {
	if !pod.Bound() {
		return
	}
	switch {
	case pod.DeletionTimestamp != nil && (k.aside || time.Until(*pod.DeletionTimestamp) > time.Minute): // it uses its grace period
	case pod.DeletionTimestamp != nil:
		k.do(ctx, func() error {
			options := map[string]any{"gracePeriodSeconds": 0, "preconditions": map[string]string{"uid": pod.UID}}
			return k.client.Do("DELETE", podPath(pod), jsonType, options, nil)
		})
	case pod.Status.Phase == "Pending" || pod.Status.Phase == "":
		k.mu.Lock()
		again := k.started[pod.UID]
		k.started[pod.UID] = true
		k.mu.Unlock()
		if !again {
			k.startPod(ctx, pod)
		}
	case pod.Status.Phase == "Running" && pod.Spec.ActiveDeadline != nil && !k.aside:
		k.limit(ctx, pod)
	}
}

// limit ends the pod at its deadline, which may be lowered while it runs.
func (k *Kubelet) limit(ctx context.Context, pod *Pod) {
	end := pod.Status.StartTime.Add(time.Duration(*pod.Spec.ActiveDeadline) * time.Second)
	k.mu.Lock()
	before, known := k.ends[pod.UID]
	k.ends[pod.UID] = end
	k.mu.Unlock()
	if known && !end.Before(before) {
		return
	}
	k.work.Go(func() {
		select {
		case <-time.After(time.Until(end)):
			k.do(ctx, func() error {
				return ignoreGone(k.client.StrategicPatch(podPath(pod)+"/status", finished(pod, 137, "DeadlineExceeded")))
			})
		case <-ctx.Done():
		}
	})
}

func (k *Kubelet) startPod(ctx context.Context, pod *Pod) {
	env := environment(pod)
	k.mu.Lock()
	k.env[pod.UID] = env
	k.mu.Unlock()
	if k.aside {
		return
	}
	k.do(ctx, func() error {
		return k.client.StrategicPatch(podPath(pod)+"/status", running(pod))
	})
}

// do sends one request in the background.
func (k *Kubelet) do(ctx context.Context, request func() error) {
	k.work.Go(func() {
		select {
		case k.slots <- struct{}{}:
			defer func() { <-k.slots }()
			k.fail(ignoreGone(request()))
		case <-ctx.Done():
		}
	})
}

func (k *Kubelet) fail(err error) {
	if err == nil {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.err == nil {
		k.err = fmt.Errorf("kubelet: %w", err)
	}
}

// ignoreGone drops the answers of a pod that vanished, or was replaced, in the meantime.
func ignoreGone(err error) error {
	if IsStatus(err, http.StatusNotFound) || IsStatus(err, http.StatusConflict) {
		return nil
	}
	return err
}

func podPath(pod *Pod) string { return "/api/v1/namespaces/" + pod.Namespace + "/pods/" + pod.Name }

// environment resolves the first container's variables as a kubelet does when it starts the container:
// literal values and references to labels. A label that does not exist gives an empty value.
func environment(pod *Pod) map[string]string {
	env := map[string]string{}
	for _, variable := range pod.Spec.Containers[0].Env {
		value := variable.Value
		var from struct {
			FieldRef struct{ FieldPath string }
		}
		if json.Unmarshal(variable.ValueFrom, &from) == nil {
			if label, ok := strings.CutPrefix(from.FieldRef.FieldPath, "metadata.labels['"); ok {
				value = pod.Labels[strings.TrimSuffix(label, "']")]
			}
		}
		env[variable.Name] = value
	}
	return env
}

func running(pod *Pod) map[string]any {
	now := time.Now().UTC().Format(time.RFC3339)
	return map[string]any{
		"metadata": map[string]any{"uid": pod.UID},
		"status": map[string]any{
			"phase": "Running", "startTime": now, "podIP": "10.1.0.1", "hostIP": "127.0.0.1",
			"conditions": conditions("True"),
			"containerStatuses": containerStatuses(pod, true, map[string]any{
				"running": map[string]any{"startedAt": now}}),
		},
	}
}

func finished(pod *Pod, code int, why string) map[string]any {
	now := time.Now().UTC().Format(time.RFC3339)
	phase, reason := "Succeeded", "Completed"
	if code != 0 {
		phase, reason = "Failed", "Error"
	}
	return map[string]any{
		"metadata": map[string]any{"uid": pod.UID},
		"status": map[string]any{
			"phase":      phase,
			"reason":     why,
			"conditions": conditions("False"),
			"containerStatuses": containerStatuses(pod, false, map[string]any{
				"running":    nil,
				"terminated": map[string]any{"exitCode": code, "reason": reason, "startedAt": now, "finishedAt": now}}),
		},
	}
}

func conditions(ready string) []Condition {
	return []Condition{{Type: "Initialized", Status: "True"}, {Type: "ContainersReady", Status: ready}, {Type: "Ready", Status: ready}}
}

func containerStatuses(pod *Pod, ready bool, state map[string]any) []map[string]any {
	var statuses []map[string]any
	for _, container := range pod.Spec.Containers {
		statuses = append(statuses, map[string]any{
			"name": container.Name, "image": container.Image, "imageID": "fake", "ready": ready, "started": ready,
			"restartCount": 0, "containerID": "fake://" + pod.UID, "state": state})
	}
	return statuses
}
