// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"
)

// Recorder watches pods, nodes, the sources of groups and Events over a whole scenario. It keeps the present
// state for tests to wait on, and the whole history for Verify to judge: all-or-nothing is watched, not
// looked up at the end.
type Recorder struct {
	plane   *Plane
	ctx     context.Context // until Stop
	cancel  context.CancelFunc
	watches sync.WaitGroup

	mu      sync.Mutex
	changed chan struct{} // closed and replaced at every change
	state   View
	history []Change
	err     error

	Overfull []string // nodes that the scenario itself fills with more than they have
}

// Change is one watch event. Resource versions order the changes of all kinds.
type Change struct {
	At      time.Time // of its arrival here
	Version int64
	Deleted bool
	Pod     *Pod // or nil
	// For a group's source: its kind/namespace/name and its plan, which may be nil.
	Source string
	Plan   *Plan
	Node   *Node  // or nil
	Gang   string // a PodGroup of Kubernetes with policy gang: its namespace/name
}

// Plan is the value of the annotation sakkara.plan of a group's source.
type Plan struct {
	ID      string            `json:"id"`
	State   string            `json:"state"`
	Nodes   map[string]int    `json:"nodes"`
	Members map[string]string `json:"members"` // uid -> node
}

const planAnnotation = "sakkara.plan"

// PlanOf reads the plan of a group's source, nil if there is none.
func PlanOf(meta *Meta) *Plan {
	var plan Plan
	if json.Unmarshal([]byte(meta.Annotations[planAnnotation]), &plan) != nil || plan.ID == "" {
		return nil
	}
	return &plan
}

// MemberPlan reads the plan id and the planned node a member carries, empty if none.
func MemberPlan(pod *Pod) (id, node string) {
	var plan struct{ ID, Node string }
	_ = json.Unmarshal([]byte(pod.Annotations[planAnnotation]), &plan)
	return plan.ID, plan.Node
}

const (
	podGroups = "/apis/scheduling.x-k8s.io/v1alpha1/podgroups"
	events    = "/api/v1/events"
)

// StartRecorder lists and then watches everything.
func (p *Plane) StartRecorder() (*Recorder, error) {
	ctx, cancel := context.WithCancel(context.Background())
	r := &Recorder{plane: p, ctx: ctx, cancel: cancel, changed: make(chan struct{})}
	r.state = View{pods: map[string]*Pod{}, maps: map[string]*ConfigMap{}, groups: map[string]*PodGroup{}, nodes: map[string]*Node{},
		others: map[string]map[string]*Object{}}
	for _, path := range []string{"/api/v1/nodes", "/api/v1/pods", "/api/v1/configmaps", events, podGroups} {
		if err := r.watch(path); err != nil {
			r.Stop()
			return nil, err
		}
	}
	return r, nil
}

// watch lists a path and then watches it until Stop. The kind PodGroup may be missing when the
// recorder starts, and may be removed: a watch of it then ends with 404, or with 410 if it was installed again.
func (r *Recorder) watch(path string) error {
	missing := func(err error) bool { return path == podGroups && (IsStatus(err, 404) || IsStatus(err, 410)) }
	from, err := r.list(path)
	if err != nil && !missing(err) {
		return err
	}
	r.watches.Go(func() {
		for {
			if err == nil {
				err = r.plane.Admin.Watch(r.ctx, path, from, func(event Event) { r.apply(path, event) })
			}
			if !missing(err) || r.ctx.Err() != nil {
				break
			}
			time.Sleep(20 * time.Millisecond)
			from, err = r.list(path)
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.err == nil {
			r.err = err
		}
	})
	return nil
}

// list applies what is there and returns the version to watch from. Of Events only those to come are of interest:
// thousands of earlier scenarios may be there.
func (r *Recorder) list(path string) (from string, err error) {
	var list List[json.RawMessage]
	query := ""
	if path == events {
		query = "?limit=1"
	}
	if err := r.plane.Admin.Get(path+query, &list); err != nil {
		return "", err
	}
	if path == events {
		list.Items = nil
	}
	for _, item := range list.Items {
		r.apply(path, Event{Type: "ADDED", Object: item})
	}
	return list.ResourceVersion, nil
}

// Stop ends the watches.
func (r *Recorder) Stop() {
	r.cancel()
	r.watches.Wait()
}

func (r *Recorder) apply(path string, event Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	change := Change{At: time.Now(), Deleted: event.Type == "DELETED"}
	switch path {
	case "/api/v1/pods":
		change.Pod = decode[Pod](event)
		change.Version, change.Source = change.Pod.Version(), "Pod/"+change.Pod.Key()
		// The oldest member has the plan of a group that no object defines; others have their own part.
		if change.Plan = PlanOf(&change.Pod.Meta); change.Plan != nil && change.Plan.State == "" {
			change.Plan = nil
		}
		set(r.state.pods, change.Pod.Key(), change.Pod, change.Deleted)
	case "/api/v1/nodes":
		change.Node = decode[Node](event)
		change.Version = change.Node.Version()
		set(r.state.nodes, change.Node.Name, change.Node, change.Deleted)
	case "/api/v1/configmaps":
		object := decode[ConfigMap](event)
		change.Version, change.Source, change.Plan = object.Version(), "ConfigMap/"+object.Key(), PlanOf(&object.Meta)
		set(r.state.maps, object.Key(), object, change.Deleted)
	case podGroups:
		object := decode[PodGroup](event)
		change.Version, change.Source, change.Plan = object.Version(), "PodGroup/"+object.Key(), PlanOf(&object.Meta)
		set(r.state.groups, object.Key(), object, change.Deleted)
	case events:
		if !change.Deleted {
			r.state.events = append(r.state.events, decode[ClusterEvent](event))
		}
	default: // Follow()
		object := decodeObject(event)
		set(r.state.others[path], object.Key(), object, change.Deleted)
		if change.Plan, change.Gang = PlanOf(&object.Meta), gangOf(path, object); change.Plan != nil || change.Gang != "" {
			change.Version, change.Source = object.Version(), path+" "+object.Key()
		}
	}
	if change.Version != 0 {
		r.history = append(r.history, change)
	}
	close(r.changed)
	r.changed = make(chan struct{})
}

// gangOf is the key of a PodGroup of Kubernetes with policy gang, and empty for other objects.
func gangOf(path string, object *Object) string {
	var group struct {
		Spec struct {
			SchedulingPolicy struct{ Gang json.RawMessage }
		}
	}
	if strings.HasPrefix(path, "/apis/scheduling.k8s.io/") && object.Decode(&group) == nil && group.Spec.SchedulingPolicy.Gang != nil {
		return object.Key()
	}
	return ""
}

func decode[T any](event Event) *T {
	object := new(T)
	if err := json.Unmarshal(event.Object, object); err != nil {
		panic(fmt.Sprintf("watch event: %v: %s", err, event.Object))
	}
	return object
}

func set[T any](objects map[string]*T, key string, object *T, deleted bool) {
	if deleted {
		delete(objects, key)
	} else {
		objects[key] = object
	}
}

// View is the state the watches have shown. It is valid inside the function it is handed to only.
type View struct {
	pods   map[string]*Pod
	maps   map[string]*ConfigMap
	groups map[string]*PodGroup
	nodes  map[string]*Node
	events []*ClusterEvent
	others map[string]map[string]*Object // of Follow(), by path
}

// Pod is a pod by namespace and name. Like Map and PodGroup it is never nil: what does not exist, or was
// not seen yet, is an object without UID.
func (v *View) Pod(namespace, name string) *Pod { return get(v.pods, namespace, name) }

// Pods are the pods of a namespace that match, sorted by name.
func (v *View) Pods(namespace string, match func(*Pod) bool) []*Pod {
	var pods []*Pod
	for _, pod := range sorted(v.pods) {
		if pod.Namespace == namespace && (match == nil || match(pod)) {
			pods = append(pods, pod)
		}
	}
	return pods
}

// Map is a ConfigMap by namespace and name.
func (v *View) Map(namespace, name string) *ConfigMap { return get(v.maps, namespace, name) }

// PodGroup is a PodGroup by namespace and name.
func (v *View) PodGroup(namespace, name string) *PodGroup { return get(v.groups, namespace, name) }

func get[T any](objects map[string]*T, namespace, name string) *T {
	if object := objects[namespace+"/"+name]; object != nil {
		return object
	}
	return new(T)
}

// Events are the Events on an object.
func (v *View) Events(kind, namespace, name string) []*ClusterEvent {
	var found []*ClusterEvent
	for _, event := range v.events {
		about := &event.InvolvedObject
		if about.Kind == kind && about.Namespace == namespace && about.Name == name {
			found = append(found, event)
		}
	}
	return found
}

// Look calls f with the present state.
func (r *Recorder) Look(f func(*View)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	f(&r.state)
}

// Wait returns nil as soon as condition does; it is asked after changes. After the deadline, the
// error says what was waited for and the condition's last answer.
func (r *Recorder) Wait(deadline time.Duration, what string, condition func(*View) error) error {
	timeout := time.After(deadline)
	for {
		asked := time.Now()
		err, changed, broken := r.ask(condition)
		if err == nil {
			return nil
		}
		if broken != nil {
			return broken
		}
		pause := min(10*time.Since(asked), 50*time.Millisecond) // thousands of pods, each of which changes
		select {
		case <-changed:
			time.Sleep(pause)
		case <-time.After(500 * time.Millisecond): // what it asks about may be none of ours: a policy in force, a command
		case <-timeout:
			return fmt.Errorf("%s: not within %v: %w", what, deadline, err)
		}
	}
}

func (r *Recorder) ask(condition func(*View) error) (err error, changed <-chan struct{}, broken error) {
	r.mu.Lock()
	defer r.mu.Unlock() // also when the condition panics
	return condition(&r.state), r.changed, r.err
}

// History is everything seen so far, kind by kind in the order of its writing.
func (r *Recorder) History() []Change {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]Change(nil), r.history...)
}

// CatchUp returns when every watch has shown what was written before the call.
func (r *Recorder) CatchUp() error {
	const space, name = "default", "e2e-marker"
	marker := Pod{Meta: Meta{Name: name, Namespace: space}}
	marker.Spec = PodSpec{SchedulerName: "none", Containers: []Container{{Name: "main", Image: "none"}}}
	objects := map[string]any{
		"/api/v1/namespaces/" + space + "/pods":       marker,
		"/api/v1/namespaces/" + space + "/configmaps": ConfigMap{Meta: Meta{Name: name}},
	}
	for path, object := range objects {
		if err := r.plane.Admin.Create(path, object, nil); err != nil {
			return err
		}
	}
	err := r.Wait(patience, "markers seen", func(v *View) error {
		if v.Pod(space, name).UID == "" || v.Map(space, name).UID == "" {
			return fmt.Errorf("not yet")
		}
		return nil
	})
	for path := range objects {
		if deleteErr := r.plane.Admin.Delete(path + "/" + name); err == nil {
			err = deleteErr
		}
	}
	if err != nil {
		return err
	}
	return r.Wait(patience, "markers gone", func(v *View) error {
		if v.Pod(space, name).UID != "" || v.Map(space, name).UID != "" {
			return fmt.Errorf("not yet")
		}
		return nil
	})
}

// Maps are the ConfigMaps of a namespace, sorted by name.
func (v *View) Maps(namespace string) []*ConfigMap {
	var objects []*ConfigMap
	for _, object := range sorted(v.maps) {
		if object.Namespace == namespace {
			objects = append(objects, object)
		}
	}
	return objects
}
