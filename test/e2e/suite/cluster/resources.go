// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"sigs.k8s.io/yaml"
)

// Resource is a custom resource as the API server serves it.
type Resource struct {
	Path       string // /apis/GROUP/VERSION/PLURAL
	Namespaced bool
}

// InstallResources applies the CustomResourceDefinitions among the documents of a file and returns once they
// are served. What is installed already stays as it is told here. The sandbox serves what its own table has.
func (p *Plane) InstallResources(text []byte) ([]Resource, error) {
	var resources []Resource
	for i, document := range Documents(text) {
		var definition struct {
			Kind     string
			Metadata Meta
			Spec     struct {
				Group, Scope string
				Names        struct{ Plural string }
				Versions     []struct {
					Name    string
					Storage bool
				}
			}
		}
		if err := yaml.Unmarshal(document, &definition); err != nil {
			return nil, fmt.Errorf("document %d: %w", i+1, err)
		}
		if definition.Kind != "CustomResourceDefinition" {
			continue
		}
		path := "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/" + definition.Metadata.Name
		if !p.IsSandbox() {
			if err := p.Admin.Apply(path, document); err != nil {
				return nil, fmt.Errorf("document %d: %w", i+1, err)
			}
		}
		spec := &definition.Spec
		for _, version := range spec.Versions {
			if version.Storage {
				resources = append(resources, Resource{"/apis/" + spec.Group + "/" + version.Name + "/" + spec.Names.Plural,
					spec.Scope == "Namespaced"})
			}
		}
	}
	for _, resource := range resources {
		if err := p.waitPath(resource.Path, func(err error) bool { return err == nil }); err != nil {
			return nil, err
		}
	}
	return resources, nil
}

// waitPath waits until reading a path ends as it should. It polls: that a path begins to exist cannot be watched.
func (p *Plane) waitPath(path string, done func(err error) bool) error {
	var err error
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if err = p.Admin.Get(path, &List[json.RawMessage]{}); done(err) {
			return nil
		}
	}
	return fmt.Errorf("%s: after %v reading it ends with: %v", path, patience, err)
}

// ClearResource deletes every object of a resource in all namespaces, without waiting for finalizers.
func (p *Plane) ClearResource(resource Resource) error {
	var list List[struct{ Metadata Meta }]
	if err := p.Admin.Get(resource.Path, &list); err != nil {
		return err
	}
	var errs []error
	for i := range list.Items {
		meta := &list.Items[i].Metadata
		path := resource.At(meta.Namespace, meta.Name)
		errs = append(errs, p.Admin.Delete(path))
		if len(meta.Finalizers) == 0 {
			continue
		}
		if err := p.Admin.MergePatch(path, `{"metadata":{"finalizers":null}}`); err != nil && !IsStatus(err, 404) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// At is the path of one object, or with an empty name of all of a namespace. A cluster's object has no
// namespace.
func (r Resource) At(namespace, name string) string {
	path := r.Path
	if r.Namespaced {
		last := len(path) - 1
		for path[last] != '/' {
			last--
		}
		path = path[:last] + "/namespaces/" + namespace + path[last:]
	}
	if name != "" {
		path += "/" + name
	}
	return path
}

// Object is any object, decoded where a test looks.
type Object struct {
	Meta
	Raw json.RawMessage
}

// Decode reads the object into a struct of the test's own: object.Decode(&struct{ Status struct{...} }{}).
func (o *Object) Decode(into any) error {
	if o.Raw == nil {
		return fmt.Errorf("there is no such object")
	}
	return json.Unmarshal(o.Raw, into)
}

// Follow adds the objects of a path, /apis/GROUP/VERSION/PLURAL, to what is watched. They are looked at
// through View.Object and View.Objects.
func (r *Recorder) Follow(path string) error {
	r.mu.Lock()
	_, followed := r.state.others[path]
	if !followed {
		r.state.others[path] = map[string]*Object{}
	}
	r.mu.Unlock()
	if followed {
		return nil
	}
	return r.watch(path)
}

func decodeObject(event Event) *Object {
	var object struct{ Metadata Meta }
	if err := json.Unmarshal(event.Object, &object); err != nil {
		panic(fmt.Sprintf("watch event: %v: %s", err, event.Object))
	}
	return &Object{Meta: object.Metadata, Raw: event.Object}
}

// Object is one of the objects of a followed path; one that does not exist, or was not seen yet, has no UID.
func (v *View) Object(path, namespace, name string) *Object {
	return get(v.others[path], namespace, name)
}

// Objects are those of a followed path in a namespace (empty: of the cluster), sorted by name.
func (v *View) Objects(path, namespace string) []*Object {
	var objects []*Object
	for _, object := range sorted(v.others[path]) {
		if object.Namespace == namespace {
			objects = append(objects, object)
		}
	}
	return objects
}
