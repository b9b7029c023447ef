// SPDX-License-Identifier: Apache-2.0

//go:build bench

package suite

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"
)

// Reviews over TLS as the API server sends them: connections are kept, the bodies are what it would send for pods of
// Deployments, and the daemon has its caches from a real API server. The client is on the same machine.

const (
	benchOwners  = 20 // Deployments, each with its ReplicaSet
	benchClients = 8  // connections
)

// TestBenchSpotMix measures the time of a review at 1,000 a second, and how many go through when nobody waits.
func TestBenchSpotMix(t *testing.T) {
	m := startMix(t, ", reservationTTLSeconds: 1")
	m.must(m.plane.CreateNodes(mixNode("on-demand", "on-demand"), mixNode("spot", "spot")))
	m.mayFail.Store(true)
	var bodies [][]byte
	for i := range benchOwners {
		name := fmt.Sprintf("web-%d", i)
		m.workload("Deployment", "deployments", name, 0, 3)
		m.ownerOf(name)
		bodies = append(bodies, review(m.ns, m.owner))
	}
	m.answers(2 * usual)
	daemon := m.daemon[m.leader()]
	client, url := m.directly(daemon, benchClients)
	url += m.webhookPath()
	for _, rate := range []int{1000, 0} {
		before := daemon.Process().CPU()
		began := time.Now()
		took := hammer(t, client, url, bodies, rate, 10*time.Second)
		elapsed := time.Since(began)
		slices.Sort(took)
		what := "as many as go through"
		if rate > 0 {
			what = fmt.Sprintf("%d a second", rate)
		}
		fmt.Printf("%-22s %7.0f reviews/s  p50 %6.2f ms  p99 %6.2f ms  p99.9 %6.2f ms  daemon %5.2f CPU\n", what,
			float64(len(took))/elapsed.Seconds(), ms(took[len(took)/2]), ms(took[len(took)*99/100]),
			ms(took[len(took)*999/1000]), (daemon.Process().CPU()-before).Seconds()/elapsed.Seconds())
	}
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// hammer posts reviews for a while, rate a second (0: the next when the last is answered), and returns how long each
// took; at a rate, from when it was due where the answer before it came too late for that.
func hammer(t *testing.T, client *http.Client, url string, bodies [][]byte, rate int, length time.Duration) []time.Duration {
	t.Helper()
	var mu sync.Mutex
	var took []time.Duration
	var work sync.WaitGroup
	began := time.Now()
	for worker := range benchClients {
		work.Go(func() {
			var own []time.Duration
			for i := worker; ; i += benchClients {
				due := time.Now()
				if rate > 0 {
					due = began.Add(time.Duration(i) * time.Second / time.Duration(rate))
					if early := time.Until(due); early > 0 { // what the timer is late by is not the daemon's time
						time.Sleep(early)
						due = time.Now()
					}
				}
				if due.Sub(began) > length {
					break
				}
				if err := post(client, url, bodies[i%len(bodies)]); err != nil {
					t.Error(err)
					break
				}
				own = append(own, time.Since(due))
			}
			mu.Lock()
			took = append(took, own...)
			mu.Unlock()
		})
	}
	work.Wait()
	return took
}

func post(client *http.Client, url string, body []byte) error {
	response, err := client.Post(url, "application/json", bytes.NewReader(body))
	if err != nil {
		return err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err == nil && (response.StatusCode != http.StatusOK || !bytes.Contains(answer, []byte("JSONPatch"))) {
		err = fmt.Errorf("%d: %.200s", response.StatusCode, answer)
	}
	return err
}
