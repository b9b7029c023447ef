// SPDX-License-Identifier: Apache-2.0

//go:build soak

package suite

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"time"

	"sakkara/test/e2e/suite/cluster"
)

// How the hostile namespace holds room, and the check of what is held: no reservation outlives its deadline.

const (
	soakHolds = 20              // sets of pods that hold room, before the oldest one goes
	soakTurn  = 2 * time.Second // between two sets

	soakNever      = "soak-never" // a storage class, and a PriorityClass
	soakPushedFrom = "node-99"
	soakLate       = 5 * time.Second // tolerance after a deadline, for the engine and the answer
)

// holdRoom creates sets of pods for which room is reserved in vain. After soakHolds more sets it deletes each again.
func (s *soak) holdRoom(ctx context.Context) {
	kinds := []func(name string){s.missingClaims, s.gangOfMissingClaims, s.seatsForADay, s.ghosts, s.stayers,
		s.lateClaims, s.pushed, s.crowd, s.vacancies}
	tick := time.NewTicker(soakTurn)
	defer tick.Stop()
	for i := 0; ctx.Err() == nil; i++ {
		<-tick.C
		kinds[i%len(kinds)](fmt.Sprintf("hold-%d", i))
		if i >= soakHolds {
			s.release(fmt.Sprintf("hold-%d", i-soakHolds))
		}
	}
}

func soakOwn(name string) change { return label("hostile.example.com/set", name) }

func (s *soak) release(name string) {
	pods := "/api/v1/namespaces/" + soakHostile + "/pods"
	selected := pods + "?labelSelector=hostile.example.com/set=" + name
	var list cluster.List[cluster.Pod]
	s.attempt(s.plane.Admin.Get(selected, &list))
	for _, pod := range list.Items {
		if len(pod.Finalizers) > 0 {
			s.attempt(s.plane.Admin.MergePatch(pods+"/"+pod.Name, `{"metadata":{"finalizers":null}}`))
		}
	}
	s.attempt(s.plane.Admin.Delete(selected))
	s.attempt(s.plane.Admin.Delete(s.hostile.mapPath(name)))
	s.attempt(s.plane.Admin.Delete(s.hostile.mapPath(name + "-above")))
	s.attempt(s.plane.Admin.Delete("/api/v1/namespaces/" + soakHostile + "/persistentvolumeclaims?labelSelector=hostile.example.com/set=" + name))
}

// missingClaims are single pods with claims that do not exist.
func (s *soak) missingClaims(name string) {
	for i := range 8 {
		s.hostilePod(fmt.Sprintf("%s-%d", name, i), cpu("8"), claim("missing"), soakOwn(name))
	}
}

func (s *soak) gangOfMissingClaims(name string) {
	s.hostileGroup(name, 8, 0, cpu("8"), claim("missing"), soakOwn(name))
}

// seatsForADay is a gang that loses most members and asks for their seats to be held.
func (s *soak) seatsForADay(name string) {
	gang := soakMap(name, 8, 0)
	gang.Data["seat-hold"] = "24h"
	s.attempt(s.plane.Admin.Create("/api/v1/namespaces/"+soakHostile+"/configmaps", gang, nil))
	for i := range 8 {
		s.hostilePod(fmt.Sprintf("%s-%d", name, i), cpu("8"), gated, label("sakkara.group.name", name), soakOwn(name))
	}
	time.Sleep(soakTurn)
	for i := 1; i < 8; i++ {
		s.attempt(s.plane.Admin.Delete(s.hostile.podPath(fmt.Sprintf("%s-%d", name, i))))
	}
}

// ghosts is a gang whose members go while they are bound.
func (s *soak) ghosts(name string) {
	s.hostileGroup(name, 8, 0, cpu("8"), soakOwn(name))
	time.Sleep(soakTurn / 20)
	for i := range 8 {
		s.attempt(s.plane.Admin.Delete(s.hostile.podPath(fmt.Sprintf("%s-%d", name, i))))
	}
}

// vacancies is a gang of more members than have their Bindings at once. Half of it goes when the Bindings begin.
func (s *soak) vacancies(name string) {
	const size = 60
	s.hostileGroup(name, size, 0, cpu("1m"), soakOwn(name))
	for until := time.Now().Add(5 * soakTurn); time.Now().Before(until); time.Sleep(soakTurn / 200) {
		var gang cluster.ConfigMap
		s.attempt(s.plane.Admin.Get(s.hostile.mapPath(name), &gang))
		if status := gang.Data["status"]; status == "Permitted" || status == "Bound" {
			break
		}
	}
	var all sync.WaitGroup
	for i := size / 2; i < size; i++ {
		all.Add(1)
		go func() {
			defer all.Done()
			s.attempt(s.plane.Admin.Delete(s.hostile.podPath(fmt.Sprintf("%s-%d", name, i))))
		}()
	}
	all.Wait()
}

// stayers is a gang whose members are deleted and stay.
func (s *soak) stayers(name string) {
	s.hostileGroup(name, 4, 0, cpu("8"), finalizer, soakOwn(name))
	for i := range 4 {
		s.attempt(s.plane.Admin.Delete(s.hostile.podPath(fmt.Sprintf("%s-%d", name, i))))
	}
}

// lateClaims are single pods whose claims are never provisioned, and which kube-scheduler keeps on their nodes.
func (s *soak) lateClaims(name string) {
	const claims = "/api/v1/namespaces/" + soakHostile + "/persistentvolumeclaims"
	for i := range 2 {
		pod := fmt.Sprintf("%s-%d", name, i)
		s.attempt(s.plane.Admin.Create(claims, map[string]any{
			"metadata": map[string]any{"name": pod, "labels": map[string]string{"hostile.example.com/set": name}},
			"spec": map[string]any{"accessModes": []string{"ReadWriteOnce"}, "storageClassName": soakNever,
				"resources": map[string]any{"requests": map[string]string{"storage": "1Gi"}}}}, nil))
		s.hostilePod(pod, cpu("1"), claim(pod), soakOwn(name))
	}
}

// pushed is a gang on one node that a gang of higher priority evicts, and that leaves late.
func (s *soak) pushed(name string) {
	grace := int64(20)
	there := func(pod *cluster.Pod) {
		pod.Spec.NodeSelector = map[string]string{"kubernetes.io/hostname": soakPushedFrom}
		pod.Spec.GracePeriod = &grace
	}
	s.hostileGroup(name, 1, 0, cpu("8"), soakOwn(name), finalizer, there)
	time.Sleep(soakTurn)
	s.hostileGroup(name+"-above", 1, 1, cpu("8"), soakOwn(name), there)
}

// crowd are single pods of a class above the other namespace's gangs: they go first, and each has a bind call.
func (s *soak) crowd(name string) {
	for i := range 60 {
		s.hostilePod(fmt.Sprintf("%s-%d", name, i), cpu("1m"), soakOwn(name), func(pod *cluster.Pod) { pod.Spec.PriorityClass = soakNever })
	}
}

// held is what the daemon said about reservations.
type held struct {
	answers, most int
	reasons       map[string]*heldFor
	late          []string
}

// heldFor is what was held for one reason.
type heldFor struct {
	answers, most int           // in which it was, and at a time
	beyond        time.Duration // a deadline, at most
}

type soakReservation struct {
	Reason, Group, Member, Pod, Node string
	Until                            *time.Time
}

// watchReservations asks every second, until ctx ends.
func (s *soak) watchReservations(ctx context.Context) <-chan held {
	all := make(chan held, 1)
	go func() {
		seen := held{reasons: map[string]*heldFor{}}
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for ctx.Err() == nil {
			<-tick.C
			asked := time.Now()
			status, body := s.daemon.AdminGet("/v1/reservations")
			var list struct{ Items []soakReservation }
			if status != http.StatusOK || json.Unmarshal([]byte(body), &list) != nil {
				continue
			}
			seen.add(list.Items, asked)
		}
		all <- seen
	}()
	return all
}

func (h *held) add(items []soakReservation, asked time.Time) {
	h.answers++
	h.most = max(h.most, len(items))
	now := map[string]int{}
	for _, r := range items {
		now[r.Reason]++
		if h.reasons[r.Reason] == nil {
			h.reasons[r.Reason] = &heldFor{}
		}
		if of := h.reasons[r.Reason]; r.Until != nil {
			of.beyond = max(of.beyond, asked.Sub(*r.Until))
		}
		if r.Until == nil || asked.Sub(*r.Until) > soakLate {
			h.late = append(h.late, fmt.Sprintf("at %v: %+v until %v", asked, r, r.Until))
		}
	}
	for reason, n := range now {
		h.reasons[reason].answers++
		h.reasons[reason].most = max(h.reasons[reason].most, n)
	}
}

// judgeReservations fails the test if no reservation was seen, or if one was seen after its deadline.
func (s *soak) judgeReservations(seen held, duration time.Duration) {
	fmt.Printf("reservations: %d answers, at most %d reservations at a time, %d after their deadline\n",
		seen.answers, seen.most, len(seen.late))
	for reason, of := range seen.reasons {
		fmt.Printf("  %-8s in %d answers, at most %d at a time, %v beyond a deadline\n", reason, of.answers, of.most, of.beyond)
	}
	for _, reason := range []string{"plan", "victims", "vacancy", "seat", "claims"} { // others end within less than a second
		if seen.reasons[reason] == nil && duration >= 4*time.Minute && !onSandbox {
			s.Errorf("no reservation with reason %s was seen", reason)
		}
	}
	if seen.answers < int(duration.Seconds())/2 || seen.most == 0 {
		s.Errorf("too few answers about reservations, or none was seen")
	}
	if len(seen.late) > 0 {
		s.Errorf("%d reservations are there after their deadline, the first one %s", len(seen.late), seen.late[0])
	}
}
