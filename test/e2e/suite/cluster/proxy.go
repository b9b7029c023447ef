// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"bytes"
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"io"
	"log"
	"math/big"
	mathrand "math/rand/v2"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"
)

// Write is a request of the daemon that changes something.
type Write struct {
	Start  time.Time
	Method string
	Path   string
	Type   string // Content-Type
	Body   string
	Status int // of the answer; 0: never answered
}

// Is tells whether the write has this method and a path with this ending.
func (w *Write) Is(method, pathEnd string) bool {
	return w.Method == method && strings.HasSuffix(w.Path, pathEnd)
}

// Moment is the point of a write's way at which the daemon is killed.
type Moment int

const (
	BeforeForwarding Moment = iota // the API server never sees the write
	AfterForwarding                // the write is done, its answer never arrives
)

// Proxy stands between the daemon and the API server: it keeps a record of every write, and plays the
// faults a test asks for.
type Proxy struct {
	Server, CA string

	server *http.Server

	mu      sync.Mutex
	writes  []*Write
	latency time.Duration
	slow    string // end of the paths that latency is for; empty: all
	faults  []fault
	open    map[net.Conn]bool
	out     bool            // Outage
	listed  map[string]bool // since the last outage; nil: there was none
	share   float64         // of writes that Disturb spoils
	chance  *mathrand.Rand
	killAt  int // writes left until the kill; 0: none
	moment  Moment
	kill    func()
}

// fault is a test's wish for one write: an action before it is forwarded, or an answer instead.
type fault struct {
	match  func(*Write) bool
	action func()
	kill   func()
	code   int
}

// StartProxy starts a proxy with a certificate of its own.
func (p *Plane) StartProxy(name string) (*Proxy, error) {
	certificate, certificatePEM, _, err := SelfSigned("127.0.0.1")
	if err != nil {
		return nil, err
	}
	proxy := &Proxy{CA: p.file(name + ".crt"), open: map[net.Conn]bool{}}
	if err := os.WriteFile(proxy.CA, certificatePEM, 0o644); err != nil {
		return nil, err
	}
	transport, err := transportTo(p.CA)
	if err != nil {
		return nil, err
	}
	transport.MaxIdleConnsPerHost = 32
	target, err := url.Parse(p.Server)
	if err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	proxy.Server = "https://" + listener.Addr().String()
	silent := log.New(io.Discard, "", 0)
	reverse := &httputil.ReverseProxy{
		Rewrite:        func(r *httputil.ProxyRequest) { r.SetURL(target) },
		Transport:      transport,
		FlushInterval:  -1, // watches
		ModifyResponse: proxy.answered,
		ErrorLog:       silent,
	}
	proxy.server = &http.Server{Handler: proxy.handler(reverse), ErrorLog: silent, ConnState: proxy.connection,
		TLSConfig: &tls.Config{Certificates: []tls.Certificate{certificate}}}
	go func() { _ = proxy.server.ServeTLS(listener, "", "") }()
	return proxy, nil
}

// Stop closes the proxy with all its connections.
func (x *Proxy) Stop() { _ = x.server.Close() }

// Delay makes every request wait before it is forwarded.
func (x *Proxy) Delay(latency time.Duration) { x.DelayOnly("", latency) }

// DelayOnly makes every request wait whose path ends like this.
func (x *Proxy) DelayOnly(pathEnd string, latency time.Duration) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.latency, x.slow = latency, pathEnd
}

// Outage cuts all connections and takes no requests until end is called. What was watched then is too old: it has to be listed
// again.
func (x *Proxy) Outage() (end func()) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.out, x.listed = true, map[string]bool{}
	for conn := range x.open {
		_ = conn.Close()
	}
	return func() {
		x.mu.Lock()
		defer x.mu.Unlock()
		x.out = false
	}
}

// connection keeps the open connections, for Outage.
func (x *Proxy) connection(conn net.Conn, state http.ConnState) {
	x.mu.Lock()
	defer x.mu.Unlock()
	switch state {
	case http.StateNew:
		x.open[conn] = true
	case http.StateClosed:
		delete(x.open, conn)
	}
}

// tooOld tells whether a request is a watch from before the last outage.
func (x *Proxy) tooOld(r *http.Request) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	query := r.URL.Query()
	what := r.URL.Path + "?" + query.Get("labelSelector")
	if x.listed == nil || x.listed[what] {
		return false
	}
	x.listed[what] = query.Get("watch") == ""
	return !x.listed[what]
}

// Refuse answers the next write that matches with an error code instead of forwarding it.
func (x *Proxy) Refuse(code int, match func(*Write) bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.faults = append(x.faults, fault{match: match, code: code})
}

// Before calls action before the next write that matches is forwarded.
func (x *Proxy) Before(match func(*Write) bool, action func()) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.faults = append(x.faults, fault{match: match, action: action})
}

// KillBefore calls kill at the next write that matches, which the API server never sees.
func (x *Proxy) KillBefore(match func(*Write) bool, kill func()) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.faults = append(x.faults, fault{match: match, kill: kill})
}

// Disturb spoils a share of the writes from now on, Events not counted: 409, 429 or 500 instead of forwarding, or an
// answer that gets lost. A share of 0 ends it.
func (x *Proxy) Disturb(share float64, seed uint64) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.share, x.chance = share, mathrand.New(mathrand.NewPCG(seed, seed))
}

// KillAt calls kill at the k-th write from now, Events not counted. k = 0 forgets the kill; the result
// tells whether one was still to come.
func (x *Proxy) KillAt(k int, moment Moment, kill func()) (pending bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	pending = x.killAt > 0
	x.killAt, x.moment, x.kill = k, moment, kill
	return pending
}

// Writes are the writes so far, in the order of their arrival.
func (x *Proxy) Writes() []Write {
	x.mu.Lock()
	defer x.mu.Unlock()
	writes := make([]Write, len(x.writes))
	for i, write := range x.writes {
		writes[i] = *write
	}
	return writes
}

// Count is the number of writes so far that match and were answered with 2xx.
func (x *Proxy) Count(match func(*Write) bool) int {
	count := 0
	for _, write := range x.Writes() {
		if write.Status/100 == 2 && match(&write) {
			count++
		}
	}
	return count
}

// The write and its kill travel with the request's context from the handler to answered.
type contextKey struct{}

type inFlight struct {
	write *Write
	kill  func()
}

func withWrite(ctx context.Context, write *Write, kill func()) context.Context {
	return context.WithValue(ctx, contextKey{}, inFlight{write, kill})
}

func writeOf(ctx context.Context) (*Write, func()) {
	flight, _ := ctx.Value(contextKey{}).(inFlight)
	return flight.write, flight.kill
}

func (x *Proxy) handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		x.mu.Lock()
		latency, out := x.latency, x.out
		if !strings.HasSuffix(r.URL.Path, x.slow) {
			latency = 0
		}
		x.mu.Unlock()
		if out {
			panic(http.ErrAbortHandler)
		}
		if latency > 0 {
			select {
			case <-time.After(latency):
			case <-r.Context().Done():
				return
			}
		}
		if r.Method == "GET" {
			if x.tooOld(r) {
				refuse(w, http.StatusGone)
				return
			}
			next.ServeHTTP(w, r)
			return
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		write := &Write{Start: time.Now(), Method: r.Method, Path: r.URL.Path,
			Type: r.Header.Get("Content-Type"), Body: string(body)}
		verdict := x.arrived(write)
		if verdict.kill != nil && verdict.moment == BeforeForwarding {
			verdict.kill()
			panic(http.ErrAbortHandler)
		}
		if verdict.code != 0 {
			refuse(w, verdict.code)
			return
		}
		if verdict.action != nil {
			verdict.action()
		}
		next.ServeHTTP(w, r.WithContext(withWrite(r.Context(), write, verdict.kill)))
	})
}

func refuse(w http.ResponseWriter, code int) {
	w.Header().Set("Content-Type", jsonType)
	w.WriteHeader(code)
	_, _ = io.WriteString(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","message":"refused by the test"}`)
}

// verdict is what is to be done with a write.
type verdict struct {
	kill   func()
	moment Moment
	action func()
	code   int
}

func (x *Proxy) arrived(write *Write) verdict {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.writes = append(x.writes, write)
	if strings.HasSuffix(write.Path, "/events") || strings.Contains(write.Path, "/events/") {
		return verdict{}
	}
	if x.killAt > 0 {
		if x.killAt--; x.killAt == 0 {
			return verdict{kill: x.kill, moment: x.moment}
		}
	}
	if x.share > 0 && x.chance.Float64() < x.share {
		codes := []int{409, 429, 500, 0}
		code := codes[x.chance.IntN(len(codes))]
		if code == 0 {
			return verdict{moment: AfterForwarding, kill: func() {}}
		}
		write.Status = code
		return verdict{code: code}
	}
	for i, fault := range x.faults {
		if fault.match(write) {
			x.faults = append(x.faults[:i:i], x.faults[i+1:]...)
			write.Status = fault.code
			return verdict{kill: fault.kill, moment: BeforeForwarding, action: fault.action, code: fault.code}
		}
	}
	return verdict{}
}

// answered sees the API server's answers before the daemon does.
func (x *Proxy) answered(response *http.Response) error {
	write, kill := writeOf(response.Request.Context())
	if write == nil {
		return nil
	}
	x.mu.Lock()
	write.Status = response.StatusCode
	x.mu.Unlock()
	if kill != nil {
		kill()
		return errors.New("the daemon was killed")
	}
	return nil
}

// SelfSigned makes a certificate for one IP address and further names, valid for a year. It is its own authority.
func SelfSigned(address string, names ...string) (pair tls.Certificate, certificatePEM, keyPEM []byte, err error) {
	key, err := newKey(len(names) > 0)
	if err != nil {
		return pair, nil, nil, err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()),
		Subject:      pkix.Name{CommonName: address},
		NotBefore:    time.Now().Add(-time.Hour), NotAfter: time.Now().AddDate(1, 0, 0),
		IPAddresses: []net.IP{net.ParseIP(address)}, DNSNames: names,
		IsCA: true, BasicConstraintsValid: true,
		KeyUsage:    x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return pair, nil, nil, err
	}
	certificatePEM = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	if keyPEM, err = keyText(key); err != nil {
		return pair, nil, nil, err
	}
	pair, err = tls.X509KeyPair(certificatePEM, keyPEM)
	return pair, certificatePEM, keyPEM, err
}

// newKey: operators that renew certificates themselves read RSA keys alone. Elliptic curves cost less.
func newKey(isRSA bool) (crypto.Signer, error) {
	if isRSA {
		return rsa.GenerateKey(rand.Reader, 2048)
	}
	return ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
}

func keyText(key crypto.Signer) ([]byte, error) {
	if key, isRSA := key.(*rsa.PrivateKey); isRSA {
		return pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)}), nil
	}
	der, err := x509.MarshalECPrivateKey(key.(*ecdsa.PrivateKey))
	return pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: der}), err
}
