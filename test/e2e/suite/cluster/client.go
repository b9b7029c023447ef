// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"
)

// Client speaks JSON to a kube-apiserver as one user.
type Client struct {
	server string
	token  string
	http   *http.Client
}

// StatusError is an answer other than 2xx.
type StatusError struct {
	Code    int
	Message string
}

func (e *StatusError) Error() string { return fmt.Sprintf("%d: %s", e.Code, e.Message) }

// IsStatus tells whether err is an answer with this HTTP code.
func IsStatus(err error, code int) bool {
	var status *StatusError
	return errors.As(err, &status) && status.Code == code
}

const (
	jsonType           = "application/json"
	mergePatchType     = "application/merge-patch+json"
	strategicPatchType = "application/strategic-merge-patch+json"
)

// NewClient returns a client of server (https://host:port) that trusts the certificates in caFile; none is
// needed for plain HTTP.
func NewClient(server, caFile, token string) (*Client, error) {
	transport, err := transportTo(caFile)
	if err != nil {
		return nil, err
	}
	transport.MaxIdleConnsPerHost = 32
	return &Client{server: server, token: token, http: &http.Client{Transport: transport}}, nil
}

// transportTo trusts the certificates in caFile. What comes from the same machine is not compressed.
func transportTo(caFile string) (*http.Transport, error) {
	if caFile == "" {
		return &http.Transport{DisableCompression: true}, nil
	}
	pem, err := os.ReadFile(caFile)
	if err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("%s holds no certificate", caFile)
	}
	return &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}, ForceAttemptHTTP2: true, DisableCompression: true}, nil
}

// Do sends one request. body and out may be nil; a string or []byte body is sent as it is.
func (c *Client) Do(method, path, contentType string, body, out any) error {
	ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
	defer cancel()
	response, err := c.send(ctx, method, path, contentType, body)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if out == nil {
		_, err = io.Copy(io.Discard, response.Body)
		return err
	}
	return json.NewDecoder(response.Body).Decode(out)
}

func (c *Client) send(ctx context.Context, method, path, contentType string, body any) (*http.Response, error) {
	var payload []byte
	switch b := body.(type) {
	case nil:
	case string:
		payload = []byte(b)
	case []byte:
		payload = b
	default:
		var err error
		if payload, err = json.Marshal(body); err != nil {
			return nil, err
		}
	}
	request, err := http.NewRequestWithContext(ctx, method, c.server+path, bytes.NewReader(payload))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+c.token)
	request.Header.Set("Accept", jsonType)
	if payload != nil {
		request.Header.Set("Content-Type", contentType)
	}
	response, err := c.http.Do(request)
	if err != nil {
		return nil, err
	}
	if response.StatusCode/100 != 2 {
		defer response.Body.Close()
		var status struct{ Message string }
		text, _ := io.ReadAll(response.Body)
		if json.Unmarshal(text, &status) != nil || status.Message == "" {
			status.Message = string(text)
		}
		if response.StatusCode == 429 && strings.Contains(status.Message, "(re)initializing") && ctx.Err() == nil {
			time.Sleep(100 * time.Millisecond) // a new resource is not ready for a while, also after it was served once
			return c.send(ctx, method, path, contentType, body)
		}
		return nil, &StatusError{response.StatusCode, fmt.Sprintf("%s %s: %s", method, path, status.Message)}
	}
	return response, nil
}

func (c *Client) Get(path string, out any) error { return c.Do("GET", path, "", nil, out) }

func (c *Client) Create(path string, object, out any) error {
	return c.Do("POST", path, jsonType, object, out)
}

// CreateWarned is Create that returns what the API server warned of, a line each.
func (c *Client) CreateWarned(path string, object any) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
	defer cancel()
	response, err := c.send(ctx, "POST", path, jsonType, object)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	_, err = io.Copy(io.Discard, response.Body)
	return strings.Join(response.Header.Values("Warning"), "\n"), err
}

func (c *Client) MergePatch(path string, patch any) error {
	return c.Do("PATCH", path, mergePatchType, patch, nil)
}

func (c *Client) StrategicPatch(path string, patch any) error {
	return c.Do("PATCH", path, strategicPatchType, patch, nil)
}

// Apply is server-side apply of a document in JSON or YAML, taking ownership of conflicting fields.
// Strict: an unknown or a repeated field is an error.
func (c *Client) Apply(path string, document []byte) error {
	return c.Do("PATCH", path+"?fieldManager=e2e&force=true&fieldValidation=Strict", "application/apply-patch+yaml", document, nil)
}

// Delete removes one object, or with a collection's path all of them; what is gone already is no error.
// Without grace, pods vanish at once, with or without a kubelet.
func (c *Client) Delete(path string) error {
	options := map[string]any{"gracePeriodSeconds": 0, "propagationPolicy": "Background"}
	if err := c.Do("DELETE", path, jsonType, options, nil); err != nil && !IsStatus(err, http.StatusNotFound) {
		return err
	}
	return nil
}

// Event is one line of a watch.
type Event struct {
	Type   string
	Object json.RawMessage
}

// Watch calls handle for every event of a collection after resource version from, until ctx ends (nil)
// or the stream cannot go on without a gap (an error). The API server drops watchers that fall behind;
// the watch then goes on after the last event it saw. path may hold a query.
func (c *Client) Watch(ctx context.Context, path, from string, handle func(Event)) error {
	at, err := url.Parse(path)
	if err != nil {
		return err
	}
	for ctx.Err() == nil {
		query := at.Query()
		query.Set("watch", "true")
		query.Set("resourceVersion", from)
		query.Set("timeoutSeconds", "7200")
		if from, err = c.watchOnce(ctx, at.Path+"?"+query.Encode(), from, handle); err != nil && ctx.Err() == nil {
			return fmt.Errorf("watch %s: %w", path, err)
		}
	}
	return nil
}

// watchOnce reads one stream to its end and returns the resource version of its last event.
func (c *Client) watchOnce(ctx context.Context, path, from string, handle func(Event)) (last string, err error) {
	response, err := c.send(ctx, "GET", path, "", nil)
	if err != nil {
		return from, err
	}
	defer response.Body.Close()
	decoder := json.NewDecoder(bufio.NewReaderSize(response.Body, 1<<16))
	for {
		var event Event
		if err := decoder.Decode(&event); errors.Is(err, io.EOF) {
			return from, nil
		} else if err != nil {
			return from, err
		}
		if event.Type == "ERROR" {
			var status struct{ Code int }
			_ = json.Unmarshal(event.Object, &status)
			return from, &StatusError{status.Code, string(event.Object)}
		}
		var object struct {
			Metadata struct{ ResourceVersion string }
		}
		if err := json.Unmarshal(event.Object, &object); err != nil {
			return from, err
		}
		from = object.Metadata.ResourceVersion
		handle(event)
	}
}
