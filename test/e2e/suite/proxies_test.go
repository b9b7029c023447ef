// SPDX-License-Identifier: Apache-2.0

package suite

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"sakkara/test/e2e/suite/cluster"
)

// The two proxies the scenarios rely on, against the API server and a stand-in for the daemon.

// TestHarness_ProxyRecordsRefusesAndKills: The proxy in front of the API server records, refuses, delays and
// kills as asked.
func TestHarness_ProxyRecordsRefusesAndKills(t *testing.T) {
	nodes, _ := racks([]int{1})
	r := start(t, nodes, options{bare: true})
	proxy, err := r.plane.StartProxy("self-test")
	r.must(err)
	defer proxy.Stop()
	client, err := cluster.NewClient(proxy.Server, proxy.CA, "e2e-admin")
	r.must(err)
	path := "/api/v1/namespaces/" + r.ns + "/configmaps"
	create := func(name string) error {
		return client.Create(path, &cluster.ConfigMap{Meta: cluster.Meta{Name: name}}, nil)
	}
	exists := func(name string) bool { return r.plane.Admin.Get(path+"/"+name, nil) == nil }

	r.must(client.Get(path, nil))
	r.must(create("plain"))
	proxy.Refuse(500, func(write *cluster.Write) bool { return strings.Contains(write.Body, "refused") })
	if err := create("refused"); !cluster.IsStatus(err, 500) || exists("refused") {
		t.Errorf("refused write: %v", err)
	}
	r.must(create("refused")) // once only
	called := false
	proxy.Before(func(write *cluster.Write) bool { return write.Is("POST", "/configmaps") }, func() { called = !exists("before") })
	if r.must(create("before")); !called {
		t.Error("the action came after the write")
	}

	killed := make(chan struct{}, 1)
	kill := func() { killed <- struct{}{} }
	proxy.KillAt(2, cluster.BeforeForwarding, kill)
	r.must(create("one"))
	if err := create("two"); err == nil || exists("two") {
		t.Errorf("write at the kill: %v", err)
	}
	<-killed
	proxy.KillAt(1, cluster.AfterForwarding, kill)
	if err := create("three"); err == nil || !exists("three") {
		t.Errorf("write before the kill: %v", err)
	}
	<-killed
	if pending := proxy.KillAt(0, 0, nil); pending {
		t.Error("a kill is still pending")
	}
	proxy.Delay(100 * time.Millisecond)
	begin := time.Now()
	if r.must(create("late")); time.Since(begin) < 100*time.Millisecond {
		t.Error("the write was not delayed")
	}
	statuses := ""
	for _, write := range proxy.Writes() {
		statuses += fmt.Sprint(write.Status, " ")
	}
	if want := "201 500 201 201 201 0 201 201 "; statuses != want {
		t.Errorf("recorded answers %s, want %s", statuses, want)
	}
}

// TestHarness_ProxyPassesWatches: The proxy passes watches on as they come.
func TestHarness_ProxyPassesWatches(t *testing.T) {
	nodes, _ := racks([]int{1})
	r := start(t, nodes, options{bare: true})
	proxy, err := r.plane.StartProxy("self-test-watch")
	r.must(err)
	defer proxy.Stop()
	client, err := cluster.NewClient(proxy.Server, proxy.CA, "e2e-admin")
	r.must(err)
	path := "/api/v1/namespaces/" + r.ns + "/configmaps"
	var list cluster.List[cluster.ConfigMap]
	r.must(client.Get(path, &list))
	ctx, cancel := context.WithTimeout(context.Background(), usual)
	defer cancel()
	seen := make(chan string, 10)
	go func() {
		_ = client.Watch(ctx, path, list.ResourceVersion, func(event cluster.Event) { seen <- event.Type })
	}()
	r.must(client.Create(path, &cluster.ConfigMap{Meta: cluster.Meta{Name: "watched"}}, nil))
	select {
	case <-seen:
	case <-ctx.Done():
		t.Error("the event did not arrive")
	}
}

// TestHarness_TapRecordsAndHolds: The tap in front of the daemon records calls and holds binds back.
func TestHarness_TapRecordsAndHolds(t *testing.T) {
	var mu sync.Mutex
	var arrived []string
	daemon := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		arrived = append(arrived, r.URL.Path)
		mu.Unlock()
		if strings.HasSuffix(r.URL.Path, "/filter") {
			var request struct{ NodeNames []string }
			_ = json.Unmarshal(body, &request)
			_ = json.NewEncoder(w).Encode(map[string]any{"NodeNames": request.NodeNames[:1],
				"FailedAndUnresolvableNodes": map[string]string{"n2": "full", "n3": "full"}})
			return
		}
		_, _ = io.WriteString(w, `{"Error":"plan aborted"}`)
	}))
	defer daemon.Close()
	address := strings.TrimPrefix(daemon.URL, "http://")
	tap, err := cluster.NewTap(&cluster.Daemon{Extender: address, Bind: address})
	if err != nil {
		t.Fatal(err)
	}
	defer tap.Stop()
	post := func(ctx context.Context, url, body string) (string, error) {
		request, _ := http.NewRequestWithContext(ctx, "POST", url, strings.NewReader(body))
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			return "", err
		}
		defer response.Body.Close()
		text, err := io.ReadAll(response.Body)
		return string(text), err
	}
	_, err = post(t.Context(), tap.FilterURL+"/filter", `{"Pod":{"metadata":{"name":"p","namespace":"ns","uid":"u"},`+
		`"spec":{"containers":[]},"status":{"nominatedNodeName":"n1"}},"Nodes":null,"NodeNames":["n1","n2","n3"]}`)
	call := tap.Calls()[0]
	if err != nil || call.Verb != "filter" || call.Pod != "p" || call.Nominated != "n1" || len(call.Asked) != 3 ||
		len(call.Allowed) != 1 || call.Reason != "full" || call.Status != 200 {
		t.Errorf("%v: %+v", err, call)
	}

	release := tap.HoldBind(func(call *cluster.Call) bool { return call.Pod == "held" })
	bind := func(pod string) string {
		return fmt.Sprintf(`{"PodName":%q,"PodNamespace":"ns","PodUID":"u","Node":"n1"}`, pod)
	}
	answer, err := post(t.Context(), tap.BindURL+"/bind", bind("free"))
	if err != nil || !strings.Contains(answer, "plan aborted") || tap.Calls()[1].Error != "plan aborted" {
		t.Errorf("%v %s", err, answer)
	}
	gone, hangUp := context.WithCancel(t.Context())
	answered := make(chan error, 2)
	go func() {
		_, err := post(gone, tap.BindURL+"/bind", bind("held"))
		answered <- err
	}()
	calls := func(n int) {
		for changed := tap.Changed(); len(tap.Calls()) < n; changed = tap.Changed() {
			<-changed
		}
	}
	calls(3)
	hangUp()
	if err := <-answered; err == nil {
		t.Error("a call was answered that hung up while it was held")
	}
	go func() {
		_, err := post(t.Context(), tap.BindURL+"/bind", bind("held"))
		answered <- err
	}()
	calls(4)
	mu.Lock()
	if n := len(arrived); n != 2 {
		t.Errorf("%d calls arrived while one was held", n)
	}
	mu.Unlock()
	release()
	if err := <-answered; err != nil {
		t.Error(err)
	}
}
