// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"bytes"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"path"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Call is one request of kube-scheduler to the daemon.
type Call struct {
	Verb      string // filter, prioritize, bind
	Namespace string
	Pod       string
	UID       string
	Asked     []string // nodes: the names offered to filter, the one node of bind
	Nominated string   // filter: status.nominatedNodeName of the pod in the request
	Start     time.Time

	// Set with the answer.
	Took    time.Duration
	Status  int      // HTTP; 0: not answered
	Allowed []string // filter: the names that passed
	Reason  string   // filter: the text for the refused nodes, if they all have the same
	Error   string   // Error of the answer
}

// Tap stands between kube-scheduler and the daemon: it keeps a record of every call and can hold bind
// calls back, which keeps a group in Holding for as long as a test likes.
type Tap struct {
	FilterURL, BindURL string // the extender's prefixes as kube-scheduler has to be told them

	daemon  *Daemon
	servers []*http.Server
	http    *http.Transport

	mu      sync.Mutex
	changed chan struct{} // closed and replaced at every change
	calls   []*Call
	holds   []*hold
	slow    time.Duration
}

type hold struct {
	match   func(*Call) bool
	release chan struct{}
}

// NewTap starts a tap in front of a daemon.
func NewTap(daemon *Daemon) (*Tap, error) {
	t := &Tap{daemon: daemon, http: &http.Transport{MaxIdleConnsPerHost: 16}, changed: make(chan struct{})}
	for _, prefix := range []*string{&t.FilterURL, &t.BindURL} {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		*prefix = "http://" + listener.Addr().String() + "/v1"
		server := &http.Server{Handler: t, ConnState: t.connections()}
		t.servers = append(t.servers, server)
		go func() { _ = server.Serve(listener) }()
	}
	return t, nil
}

// connections closes the tap's own connections when its last caller is gone: so the daemon sees that kube-scheduler has ended.
func (t *Tap) connections() func(net.Conn, http.ConnState) {
	var open atomic.Int64
	return func(_ net.Conn, state http.ConnState) {
		switch state {
		case http.StateNew:
			open.Add(1)
		case http.StateClosed, http.StateHijacked:
			if open.Add(-1) == 0 {
				t.http.CloseIdleConnections()
			}
		}
	}
}

// Point sends calls from now on to another daemon, as a Service does whose ready pod has changed.
func (t *Tap) Point(daemon *Daemon) { t.update(func() { t.daemon = daemon }) }

// Stop closes the tap with all calls that are under way.
func (t *Tap) Stop() {
	for _, server := range t.servers {
		_ = server.Close()
	}
	t.http.CloseIdleConnections()
}

// HoldBind keeps every bind call that matches from reaching the daemon until release is called, or its
// caller hangs up.
func (t *Tap) HoldBind(match func(*Call) bool) (release func()) {
	h := &hold{match: match, release: make(chan struct{})}
	t.mu.Lock()
	t.holds = append(t.holds, h)
	t.mu.Unlock()
	return sync.OnceFunc(func() {
		t.mu.Lock()
		t.holds = slices.DeleteFunc(t.holds, func(other *hold) bool { return other == h })
		t.mu.Unlock()
		close(h.release)
	})
}

// Slow makes every filter call take this much longer: kube-scheduler gets through its queue as slowly as through a long one.
func (t *Tap) Slow(d time.Duration) { t.update(func() { t.slow = d }) }

// Calls are the calls so far, in the order of their arrival.
func (t *Tap) Calls() []Call {
	t.mu.Lock()
	defer t.mu.Unlock()
	calls := make([]Call, len(t.calls))
	for i, call := range t.calls {
		calls[i] = *call
	}
	return calls
}

// Changed is closed at the next call or answer.
func (t *Tap) Changed() <-chan struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.changed
}

func (t *Tap) update(change func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	change()
	close(t.changed)
	t.changed = make(chan struct{})
}

func (t *Tap) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	call := readCall(path.Base(r.URL.Path), body)
	held, slow := t.arrived(call)
	if held != nil {
		select {
		case <-held.release:
		case <-r.Context().Done():
			return
		}
	}
	select {
	case <-time.After(slow):
	case <-r.Context().Done(): // its caller has ended
		return
	}
	t.mu.Lock()
	address := t.daemon.Extender
	if call.Verb == "bind" {
		address = t.daemon.Bind
	}
	t.mu.Unlock()
	onward, err := http.NewRequestWithContext(r.Context(), r.Method, "http://"+address+r.URL.Path, bytes.NewReader(body))
	if err != nil {
		return
	}
	onward.Header = r.Header.Clone()
	onward.Header.Del("Accept-Encoding") // the answer is read here
	response, err := t.http.RoundTrip(onward)
	if err != nil {
		panic(http.ErrAbortHandler) // what the scheduler would see: the connection breaks
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	t.update(func() { call.readAnswer(response.StatusCode, answer) })
	w.Header().Set("Content-Type", response.Header.Get("Content-Type"))
	w.WriteHeader(response.StatusCode)
	_, _ = w.Write(answer)
}

func (t *Tap) arrived(call *Call) (held *hold, slow time.Duration) {
	t.update(func() {
		t.calls = append(t.calls, call)
		if call.Verb == "filter" {
			slow = t.slow
		}
		for _, h := range t.holds {
			if call.Verb == "bind" && h.match(call) {
				held = h
			}
		}
	})
	return held, slow
}

func readCall(verb string, body []byte) *Call {
	call := &Call{Verb: verb, Start: time.Now()}
	if verb == "bind" {
		var bind struct{ PodName, PodNamespace, PodUID, Node string }
		_ = json.Unmarshal(body, &bind)
		call.Namespace, call.Pod, call.UID, call.Asked = bind.PodNamespace, bind.PodName, bind.PodUID, []string{bind.Node}
		return call
	}
	var filter struct {
		Pod       Pod
		NodeNames []string
	}
	_ = json.Unmarshal(body, &filter)
	call.Namespace, call.Pod, call.UID = filter.Pod.Namespace, filter.Pod.Name, filter.Pod.UID
	call.Asked, call.Nominated = filter.NodeNames, filter.Pod.Status.NominatedNodeName
	return call
}

func (c *Call) readAnswer(status int, body []byte) {
	c.Took = time.Since(c.Start)
	c.Status = status
	if c.Verb == "prioritize" {
		return
	}
	var answer struct {
		NodeNames                  []string
		FailedNodes                map[string]string
		FailedAndUnresolvableNodes map[string]string
		Error                      string
	}
	_ = json.Unmarshal(body, &answer)
	c.Allowed, c.Error = answer.NodeNames, answer.Error
	texts := map[string]bool{}
	for _, refused := range []map[string]string{answer.FailedNodes, answer.FailedAndUnresolvableNodes} {
		for _, text := range refused {
			texts[text] = true
			c.Reason = text
		}
	}
	if len(texts) > 1 {
		c.Reason = ""
	}
}
