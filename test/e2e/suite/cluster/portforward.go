// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"

	"github.com/moby/spdystream"
)

// PortForwards is the part of a kubelet behind `kubectl port-forward`: the API server upgrades a request to SPDY, and each
// connection is a pair of streams, data and error, with the pod's port in their headers (protocol portforward.k8s.io). A port
// of any pod leads to an address of this machine.
type PortForwards struct {
	server *httptest.Server
	to     map[string]string // address by port
}

const portForwardProtocol = "portforward.k8s.io"

// NewPortForwards listens until Stop.
func NewPortForwards(to map[string]string) *PortForwards {
	f := &PortForwards{to: to}
	f.server = httptest.NewTLSServer(http.HandlerFunc(f.serve))
	return f
}

// Stop ends it; connections that are forwarded end with their clients.
func (f *PortForwards) Stop() { f.server.Close() }

// Kubelet makes it the kubelet of a node, before that is created.
func (f *PortForwards) Kubelet(node *Node) {
	host, port, _ := net.SplitHostPort(f.server.Listener.Addr().String())
	node.Status.Addresses = []NodeAddress{{Type: "InternalIP", Address: host}}
	node.Status.DaemonEndpoints.Kubelet.Port, _ = strconv.Atoi(port)
}

func (f *PortForwards) serve(w http.ResponseWriter, request *http.Request) {
	if !strings.HasPrefix(request.URL.Path, "/portForward/") || request.Header.Get("Upgrade") != "SPDY/3.1" {
		http.NotFound(w, request)
		return
	}
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	fmt.Fprintf(conn, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\nX-Stream-Protocol-Version: %s\r\n\r\n", portForwardProtocol)
	spdy, err := spdystream.NewConnection(conn, true)
	if err != nil {
		conn.Close()
		return
	}
	spdy.Serve(func(stream *spdystream.Stream) {
		_ = stream.SendReply(http.Header{}, false)
		if stream.Headers().Get("streamType") == "data" {
			go f.forward(stream)
		} else {
			_ = stream.Close() // no error
		}
	})
}

func (f *PortForwards) forward(stream *spdystream.Stream) {
	defer stream.Close()
	to, err := net.Dial("tcp", f.to[stream.Headers().Get("port")])
	if err != nil {
		_ = stream.Reset()
		return
	}
	defer to.Close()
	go func() {
		_, _ = io.Copy(to, stream)
		_ = to.(*net.TCPConn).CloseWrite()
	}()
	_, _ = io.Copy(stream, to)
}
