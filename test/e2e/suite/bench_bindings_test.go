// SPDX-License-Identifier: Apache-2.0

//go:build bench

package suite

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"sakkara/test/e2e/suite/cluster"
)

// How fast bindings are placed by an API server that answers in 8 ms, at so little cost of its own that the daemon is
// what is measured. What a real one makes of it: make fleet-load.

// slowServer keeps objects in memory, knows merge patches with a resourceVersion, and has watches.
type slowServer struct {
	latency time.Duration
	mu      sync.Mutex
	version int
	objects map[string]map[string]any // by path
	watches map[string][]chan []byte  // by path of the collection
	patches map[string]int            // by path of what is patched
	last    time.Time                 // status patch
	started time.Time                 // first patch
	events  int
	held    []byte // the Lease
}

func (s *slowServer) put(path string, object map[string]any, event string) {
	s.version++
	object["metadata"].(map[string]any)["resourceVersion"] = fmt.Sprint(s.version)
	s.objects[path] = object
	line, _ := json.Marshal(map[string]any{"type": event, "object": object})
	for _, watch := range s.watches[collectionOf(path)] {
		watch <- append(line, '\n')
	}
}

// collectionOf is the path of all namespaces' objects of the kind.
func collectionOf(path string) string {
	parts := strings.Split(path, "/")
	parts = parts[:len(parts)-1]
	if n := len(parts); n > 3 && parts[n-3] == "namespaces" {
		parts = append(parts[:n-3:n-3], parts[n-1])
	}
	return strings.Join(parts, "/")
}

func mergeInto(object, patch map[string]any) {
	for key, value := range patch {
		inner, isObject := value.(map[string]any)
		had, hadObject := object[key].(map[string]any)
		switch {
		case value == nil:
			delete(object, key)
		case isObject && hadObject:
			mergeInto(had, inner)
		default:
			object[key] = value
		}
	}
}

func (s *slowServer) patch(w http.ResponseWriter, r *http.Request) {
	var patch map[string]any
	if err := json.NewDecoder(r.Body).Decode(&patch); err != nil {
		w.WriteHeader(400)
		return
	}
	path, status := strings.CutSuffix(r.URL.Path, "/status")
	s.mu.Lock()
	defer s.mu.Unlock()
	object := s.objects[path]
	metadata, _ := object["metadata"].(map[string]any)
	asked, _ := patch["metadata"].(map[string]any)
	if version := asked["resourceVersion"]; object == nil || version != nil && version != metadata["resourceVersion"] {
		w.WriteHeader(409)
		return
	}
	s.patches[r.URL.Path]++
	if s.started.IsZero() {
		s.started = time.Now()
	}
	if s.last = time.Now(); !status && patch["spec"] != nil {
		metadata["generation"] = metadata["generation"].(int) + 1
	}
	mergeInto(object, patch)
	s.put(path, object, "MODIFIED")
	_ = json.NewEncoder(w).Encode(object)
}

func (s *slowServer) watch(w http.ResponseWriter, r *http.Request) {
	lines := make(chan []byte, 1<<16)
	s.mu.Lock()
	s.watches[r.URL.Path] = append(s.watches[r.URL.Path], lines)
	s.mu.Unlock()
	w.(http.Flusher).Flush()
	for {
		select {
		case line := <-lines:
			_, _ = w.Write(line)
			w.(http.Flusher).Flush()
		case <-r.Context().Done():
			return
		}
	}
}

func (s *slowServer) list(w http.ResponseWriter, r *http.Request) {
	items := []any{}
	s.mu.Lock()
	defer s.mu.Unlock()
	for path, object := range s.objects {
		if collectionOf(path) == r.URL.Path {
			items = append(items, object)
		}
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"kind": "List", "apiVersion": "v1", "items": items,
		"metadata": map[string]any{"resourceVersion": fmt.Sprint(s.version)}})
}

func (s *slowServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	if r.URL.Query().Get("watch") != "" {
		s.watch(w, r)
		return
	}
	time.Sleep(s.latency)
	switch {
	case r.Method == "PATCH":
		s.patch(w, r)
	case strings.Contains(r.URL.Path, "/leases"):
		s.lease(w, r)
	case r.Method == "POST":
		s.mu.Lock()
		s.events++
		s.mu.Unlock()
		w.WriteHeader(201)
		_, _ = w.Write([]byte(`{"status":{"allowed":true}}`))
	case r.URL.Path == "/version":
		_, _ = w.Write([]byte(`{"major":"1","minor":"36","gitVersion":"v1.36.3"}`))
	default:
		s.list(w, r)
	}
}

// lease keeps the one Lease of the daemon.
func (s *slowServer) lease(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.Method != "GET" {
		s.held, _ = io.ReadAll(r.Body)
	}
	if s.held == nil {
		w.WriteHeader(404)
		return
	}
	_, _ = w.Write(s.held)
}

func (s *slowServer) fill(members, bindings int) {
	for i := range members {
		zone, name := i%60, fmt.Sprintf("m%03d", i)
		s.put("/apis/cluster.karmada.io/v1alpha1/clusters/"+name, map[string]any{
			"apiVersion": "cluster.karmada.io/v1alpha1", "kind": "Cluster",
			"metadata": map[string]any{"name": name, "uid": "c-" + name, "generation": 1},
			"spec":     map[string]any{"provider": fmt.Sprintf("p%d", zone%3), "region": fmt.Sprintf("r%d", zone%15), "zones": []string{fmt.Sprintf("z%d", zone)}},
			"status": map[string]any{"resourceSummary": map[string]any{"allocatable": map[string]any{"pods": fmt.Sprint(20 + i%50)}},
				"apiEnablements": []any{map[string]any{"groupVersion": "apps/v1", "resources": []any{map[string]any{"kind": "Deployment"}, map[string]any{"kind": "ConfigMap"}}}}},
		}, "ADDED")
	}
	for i := range bindings {
		kind, replicas := bindingKinds[i%len(bindingKinds)], 3+i%20
		if kind.name == "config" {
			replicas = 0
		}
		name := fmt.Sprintf("%s-%d", kind.name, i)
		var placement map[string]any
		_ = json.Unmarshal([]byte("{"+kind.placement+"}"), &placement)
		s.put("/apis/work.karmada.io/v1alpha2/namespaces/default/resourcebindings/"+name, map[string]any{
			"apiVersion": "work.karmada.io/v1alpha2", "kind": "ResourceBinding",
			"metadata": map[string]any{"name": name, "namespace": "default", "uid": "b-" + name, "generation": 1,
				"labels": map[string]any{"propagationpolicy.karmada.io/permanent-id": "p"}},
			"spec": map[string]any{"schedulerName": "sakkara", "replicas": replicas, "placement": placement, "resource": map[string]any{
				"apiVersion": "apps/v1", "kind": "Deployment", "namespace": "default", "name": name, "uid": name}},
		}, "ADDED")
	}
}

// placed counts bindings whose status was written.
func (s *slowServer) placed() (statuses, patches int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for path, n := range s.patches {
		patches += n
		if strings.HasSuffix(path, "/status") {
			statuses++
		}
	}
	return statuses, patches
}

// TestBenchBindings places bindings of all kinds on a thousand clusters.
func TestBenchBindings(t *testing.T) {
	members, bindings := number("SAKKARA_FLEET_MEMBERS", 1000), number("SAKKARA_FLEET_BINDINGS", 3000)
	fmt.Printf("\n| workers | bindings/s | writes a binding | CPU ms a binding: sakkara | test's API server |\n|---|---|---|---|---|\n")
	for _, workers := range []int{1, 8, 16} {
		api := &slowServer{latency: 8 * time.Millisecond, objects: map[string]map[string]any{}, watches: map[string][]chan []byte{}, patches: map[string]int{}}
		api.fill(members, bindings)
		server := httptest.NewServer(api)
		d, err := (&cluster.Plane{PlaneOptions: cluster.PlaneOptions{Dir: t.TempDir()}}).NewDaemon("bindings", cluster.DaemonOptions{
			Binary: sakkaraBinary, Server: server.URL, QPS: 10000,
			Settings: map[string]string{"karmada": fmt.Sprintf("{enabled: true, qps: 5000, burst: 10000, workers: %d}", workers)}})
		must(t, err)
		var before, after syscall.Rusage
		must(t, syscall.Getrusage(syscall.RUSAGE_SELF, &before))
		must(t, d.Start())
		deadline := time.Now().Add(5 * time.Minute)
		statuses, patches := 0, 0
		for statuses < bindings && time.Now().Before(deadline) {
			time.Sleep(20 * time.Millisecond)
			statuses, patches = api.placed()
		}
		must(t, syscall.Getrusage(syscall.RUSAGE_SELF, &after))
		took := api.last.Sub(api.started)
		used := d.Process().CPU()
		ours := after.Utime.Nano() + after.Stime.Nano() - before.Utime.Nano() - before.Stime.Nano()
		fmt.Printf("| %d | %.0f | %.2f | %.2f | %.2f |\n", workers, float64(statuses)/took.Seconds(), float64(patches)/float64(statuses),
			used.Seconds()*1e3/float64(statuses), float64(ours)/1e6/float64(statuses))
		d.Kill()
		server.CloseClientConnections()
		server.Close()
		if statuses < bindings || patches > 2*bindings {
			t.Errorf("%d workers: %d of %d bindings, %d patches", workers, statuses, bindings, patches)
		}
	}
}
