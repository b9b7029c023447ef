// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"errors"
	"fmt"
	"sync"
	"time"
)

// clients is the number of requests sent side by side where thousands of objects are made.
const clients = 8

// Parallel calls f(0) .. f(n-1) from several client threads and joins the errors.
func Parallel(n int, f func(i int) error) error {
	next := make(chan int)
	errs := make([]error, clients)
	var workers sync.WaitGroup
	for w := range clients {
		workers.Go(func() {
			for i := range next {
				if err := f(i); err != nil {
					errs[w] = errors.Join(errs[w], err)
				}
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	workers.Wait()
	return errors.Join(errs...)
}

// FakeNode is a Ready node without a kubelet.
func FakeNode(name string, allocatable map[string]string) *Node {
	node := &Node{Meta: Meta{Name: name, Labels: map[string]string{"kubernetes.io/hostname": name}}}
	node.Status = NodeStatus{
		Capacity:    allocatable,
		Allocatable: allocatable,
		Conditions:  []Condition{{Type: "Ready", Status: "True", Reason: "KubeletReady"}},
	}
	return node
}

// CreateNodes creates nodes side by side.
func (p *Plane) CreateNodes(nodes ...*Node) error {
	return Parallel(len(nodes), func(i int) error { return p.Admin.Create("/api/v1/nodes", nodes[i], nil) })
}

// CreatePods creates pods side by side.
func (p *Plane) CreatePods(pods ...*Pod) error {
	return Parallel(len(pods), func(i int) error {
		return p.Admin.Create("/api/v1/namespaces/"+pods[i].Namespace+"/pods", pods[i], nil)
	})
}

// Clear removes all nodes, and all workload and configuration of a namespace and of the system
// namespace. Scheduler, daemon and kubelet must have been stopped.
func (p *Plane) Clear(namespace string) error {
	var errs []error
	errs = append(errs, p.Admin.Delete("/apis/batch/v1/namespaces/"+namespace+"/jobs"),
		p.Admin.Delete("/apis/apps/v1/namespaces/"+namespace+"/replicasets"))
	for _, space := range []string{namespace, SystemNamespace} {
		errs = append(errs, p.Admin.Delete("/api/v1/namespaces/"+space+"/configmaps"),
			p.Admin.Delete("/apis/scheduling.x-k8s.io/v1alpha1/namespaces/"+space+"/podgroups"))
	}
	errs = append(errs, p.clearPods(namespace), p.Admin.Delete("/api/v1/nodes"))
	return errors.Join(errs...)
}

// clearPods removes the pods of a namespace, those too that a Job's finalizer would keep. The API server gives up a request
// after a minute, in which a busy one does not remove thousands: it is asked again.
func (p *Plane) clearPods(namespace string) error {
	path := "/api/v1/namespaces/" + namespace + "/pods"
	for deadline := time.Now().Add(patience); ; {
		failed := p.Admin.Delete(path)
		var left List[Pod]
		if err := p.Admin.Get(path, &left); err != nil {
			return errors.Join(failed, err)
		}
		if len(left.Items) == 0 {
			return nil
		}
		if time.Now().After(deadline) {
			return errors.Join(failed, fmt.Errorf("%s: %d are left", path, len(left.Items)))
		}
		err := Parallel(len(left.Items), func(i int) error {
			one := path + "/" + left.Items[i].Name
			err := p.Admin.MergePatch(one, `{"metadata":{"finalizers":null}}`)
			if err == nil {
				err = p.Admin.Delete(one)
			}
			if IsStatus(err, 404) {
				return nil
			}
			return err
		})
		if err != nil {
			return errors.Join(failed, err)
		}
	}
}

// Empty tells which nodes or pods are left, as an error.
func (p *Plane) Empty() error {
	for _, path := range []string{"/api/v1/nodes", "/api/v1/pods"} {
		var left List[struct{ Metadata Meta }]
		if err := p.Admin.Get(path+"?limit=1", &left); err != nil {
			return err
		}
		if len(left.Items) > 0 {
			return fmt.Errorf("%s: %s is left", path, left.Items[0].Metadata.Name)
		}
	}
	return nil
}
