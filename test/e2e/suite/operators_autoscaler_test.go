// SPDX-License-Identifier: Apache-2.0

//go:build operators

package suite

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"testing"
	"time"

	"sakkara/test/e2e/suite/cluster"
)

// Karpenter itself, with the cloud of its own tests, which makes Node objects. The test plays their kubelets.

// bootNodes makes every node of a pool Ready as it comes, until the test ends.
func bootNodes(r *run) {
	r.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	ready := map[string]any{"status": map[string]any{"conditions": []any{map[string]any{
		"type": "Ready", "status": "True", "reason": "KubeletReady"}}}}
	go func() {
		defer close(done)
		_ = r.plane.Admin.Watch(ctx, "/api/v1/nodes", "0", func(event cluster.Event) {
			var node cluster.Node
			if event.Type == "ADDED" && json.Unmarshal(event.Object, &node) == nil && node.Labels["karpenter.sh/nodepool"] != "" {
				if err := r.plane.Admin.StrategicPatch("/api/v1/nodes/"+node.Name+"/status", ready); err != nil {
					r.Logf("node %s: %v", node.Name, err)
				}
			}
		})
	}()
	r.Cleanup(func() {
		cancel()
		<-done
	})
}

// bought is the number of nodes that Karpenter has asked its cloud for.
func bought(r *run) int {
	r.Helper()
	var claims cluster.List[cluster.Meta]
	r.must(r.plane.Admin.Get("/apis/karpenter.sh/v1/nodeclaims", &claims))
	return len(claims.Items)
}

func (r *run) expectBought(n int) func(*cluster.View) error {
	return func(*cluster.View) error {
		if got := bought(r); got != n {
			return fmt.Errorf("%d nodes were bought, wanted %d", got, n)
		}
		return nil
	}
}

func threeProcessors(pod *cluster.Pod) {
	pod.Spec.Containers[0].Resources.Requests["cpu"] = "3"
}

// TestOperators_KarpenterMakesRoomForAGang: Karpenter buys nothing for gated pods, nor for a gang whose rules do not hold.
// Once a gang has waited for capacity for releaseGateAfter, Karpenter buys the nodes that are missing for the whole of it, and
// no more. While its pool is too small for the gang, no member is bound.
func TestOperators_KarpenterMakesRoomForAGang(t *testing.T) {
	realOnly(t, "operators need every kind that a real API server has")
	plane, err := startPlane(t.TempDir(), &cluster.PlaneOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(plane.Stop)
	r := start(t, []*cluster.Node{node("node-0", 4)}, options{plane: plane,
		daemon: cluster.DaemonOptions{Settings: map[string]string{"releaseGateAfter": "8s"}}})
	launchOperator(r, "karpenter")
	bootNodes(r)
	text, err := os.ReadFile("testdata/karpenter.yaml")
	r.must(err)
	applyText(r, string(text))

	r.gang("odd", 3, `{"node":{"partitions":2,"max":1}}`, gated)
	r.wait(usual, "its rules do not hold", r.reason("odd", "Ready", "ConstraintConflict"))
	r.indexedJob("train", "", 4, ungrouped, annotated, gated, threeProcessors)
	r.awaitGroup("job/train", "Ready", "NeverFits")
	if n := bought(r); n > 0 {
		t.Errorf("%d nodes were bought for pods with a gate", n)
	}
	r.wait(usual, "Karpenter buys as many nodes as its pool may have", r.expectBought(2))
	r.quiet(15*time.Second, "the gang waits as a whole, and the nodes stay", func(v *cluster.View) error {
		if err := r.expectBought(2)(v); err != nil {
			return err
		}
		return r.boundAre(ofJob("train"), 4, 0)(v)
	})
	asked := time.Now()
	r.must(r.plane.Admin.MergePatch("/apis/karpenter.sh/v1/nodepools/default", `{"spec":{"limits":{"cpu":"100"}}}`))
	r.wait(usual, "the gang is bound", r.boundAre(ofJob("train"), 4, 4))
	t.Logf("bound %.1f s after the pool had room for it", time.Since(asked).Seconds())
	r.quiet(5*time.Second, "one node was missing, and one was bought", r.expectBought(3))
}
