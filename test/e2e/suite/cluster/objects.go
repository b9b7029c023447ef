// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"encoding/json"
	"strconv"
	"time"
)

// The API objects the tests touch, with the fields they touch.

type Meta struct {
	Name              string            `json:"name,omitempty"`
	GenerateName      string            `json:"generateName,omitempty"`
	Namespace         string            `json:"namespace,omitempty"`
	UID               string            `json:"uid,omitempty"`
	ResourceVersion   string            `json:"resourceVersion,omitempty"`
	CreationTimestamp *time.Time        `json:"creationTimestamp,omitempty"`
	DeletionTimestamp *time.Time        `json:"deletionTimestamp,omitempty"`
	Labels            map[string]string `json:"labels,omitempty"`
	Annotations       map[string]string `json:"annotations,omitempty"`
	OwnerReferences   []Owner           `json:"ownerReferences,omitempty"`
	Finalizers        []string          `json:"finalizers,omitempty"`
}

type Owner struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Name       string `json:"name"`
	UID        string `json:"uid"`
	Controller bool   `json:"controller,omitempty"`
}

// Key is namespace/name.
func (m *Meta) Key() string { return m.Namespace + "/" + m.Name }

// Version is the resource version as the number it is in etcd: one order over all kinds of objects.
func (m *Meta) Version() int64 {
	version, _ := strconv.ParseInt(m.ResourceVersion, 10, 64)
	return version
}

type Pod struct {
	Meta   `json:"metadata"`
	Spec   PodSpec   `json:"spec"`
	Status PodStatus `json:"status,omitzero"`
}

type PodSpec struct {
	NodeName        string            `json:"nodeName,omitempty"`
	SchedulerName   string            `json:"schedulerName,omitempty"`
	SchedulingGates []Named           `json:"schedulingGates,omitempty"`
	SchedulingGroup *SchedulingGroup  `json:"schedulingGroup,omitempty"`
	RestartPolicy   string            `json:"restartPolicy,omitempty"`
	Priority        *int32            `json:"priority,omitempty"`
	PriorityClass   string            `json:"priorityClassName,omitempty"`
	NodeSelector    map[string]string `json:"nodeSelector,omitempty"`
	Tolerations     []Toleration      `json:"tolerations,omitempty"`
	Affinity        json.RawMessage   `json:"affinity,omitempty"`
	Spread          json.RawMessage   `json:"topologySpreadConstraints,omitempty"`
	InitContainers  []Container       `json:"initContainers,omitempty"`
	Containers      []Container       `json:"containers"`
	Volumes         []Volume          `json:"volumes,omitempty"`
	ResourceClaims  []PodClaim        `json:"resourceClaims,omitempty"`
	GracePeriod     *int64            `json:"terminationGracePeriodSeconds,omitempty"`
	ActiveDeadline  *int64            `json:"activeDeadlineSeconds,omitempty"`
}

// Volume is one of a claim.
type Volume struct {
	Name      string          `json:"name"`
	Claim     *ClaimName      `json:"persistentVolumeClaim,omitempty"`
	Ephemeral json.RawMessage `json:"ephemeral,omitempty"`
}

type ClaimName struct {
	Name string `json:"claimName"`
}

// PodClaim is a claim for devices: an object, or one that is made of a template.
type PodClaim struct {
	Name     string `json:"name"`
	Claim    string `json:"resourceClaimName,omitempty"`
	Template string `json:"resourceClaimTemplateName,omitempty"`
}

// SchedulingGroup names a PodGroup of scheduling.k8s.io.
type SchedulingGroup struct {
	PodGroupName string `json:"podGroupName"`
}

type Named struct {
	Name string `json:"name"`
}

type Toleration struct {
	Key      string `json:"key,omitempty"`
	Operator string `json:"operator,omitempty"`
	Value    string `json:"value,omitempty"`
	Effect   string `json:"effect,omitempty"`
}

type Container struct {
	Name      string    `json:"name"`
	Image     string    `json:"image"`
	Command   []string  `json:"command,omitempty"`
	Env       []EnvVar  `json:"env,omitempty"`
	Ports     []Port    `json:"ports,omitempty"`
	Resources Resources `json:"resources,omitzero"`
}

type Port struct {
	ContainerPort int `json:"containerPort"`
	HostPort      int `json:"hostPort,omitempty"`
}

type EnvVar struct {
	Name      string          `json:"name"`
	Value     string          `json:"value,omitempty"`
	ValueFrom json.RawMessage `json:"valueFrom,omitempty"`
}

type Resources struct {
	Requests map[string]string `json:"requests,omitempty"`
	Limits   map[string]string `json:"limits,omitempty"`
	Claims   []Named           `json:"claims,omitempty"`
}

type PodStatus struct {
	Phase             string      `json:"phase,omitempty"`
	Reason            string      `json:"reason,omitempty"`
	StartTime         time.Time   `json:"startTime,omitzero"`
	NominatedNodeName string      `json:"nominatedNodeName,omitempty"`
	Conditions        []Condition `json:"conditions,omitempty"`
}

type Condition struct {
	Type    string `json:"type"`
	Status  string `json:"status"`
	Reason  string `json:"reason,omitempty"`
	Message string `json:"message,omitempty"`
}

// Live is a pod that holds or wants a seat: not terminating, not finished.
func (p *Pod) Live() bool {
	return p.DeletionTimestamp == nil && p.Status.Phase != "Succeeded" && p.Status.Phase != "Failed"
}

func (p *Pod) Bound() bool { return p.Spec.NodeName != "" }

// HasClaims tells whether the pod uses a PersistentVolumeClaim or a ResourceClaim.
func (p *Pod) HasClaims() bool {
	for _, volume := range p.Spec.Volumes {
		if volume.Claim.Name != "" {
			return true
		}
	}
	return len(p.Spec.ResourceClaims) > 0
}

// HasGate tells whether the pod carries the scheduling gate.
func (p *Pod) HasGate(name string) bool {
	for _, gate := range p.Spec.SchedulingGates {
		if gate.Name == name {
			return true
		}
	}
	return false
}

// Condition is the condition of that type, or nil.
func (p *Pod) Condition(kind string) *Condition {
	for i := range p.Status.Conditions {
		if p.Status.Conditions[i].Type == kind {
			return &p.Status.Conditions[i]
		}
	}
	return nil
}

type ConfigMap struct {
	Meta `json:"metadata"`
	Data map[string]string `json:"data,omitempty"`
}

type PodGroup struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Meta       `json:"metadata"`
	Spec       PodGroupSpec `json:"spec"`
}

type PodGroupSpec struct {
	MinMember int `json:"minMember"`
}

type Node struct {
	Meta   `json:"metadata"`
	Spec   NodeSpec   `json:"spec,omitzero"`
	Status NodeStatus `json:"status,omitzero"`
}

type NodeSpec struct {
	Unschedulable bool    `json:"unschedulable,omitempty"`
	Taints        []Taint `json:"taints,omitempty"`
}

type Taint struct {
	Key    string `json:"key"`
	Value  string `json:"value,omitempty"`
	Effect string `json:"effect"`
}

type NodeStatus struct {
	Capacity        map[string]string `json:"capacity,omitempty"`
	Allocatable     map[string]string `json:"allocatable,omitempty"`
	Conditions      []Condition       `json:"conditions,omitempty"`
	NodeInfo        map[string]string `json:"nodeInfo,omitempty"`
	Addresses       []NodeAddress     `json:"addresses,omitempty"`
	DaemonEndpoints struct {
		Kubelet struct{ Port int } `json:"kubeletEndpoint,omitzero"`
	} `json:"daemonEndpoints,omitzero"`
}

type NodeAddress struct {
	Type    string `json:"type"`
	Address string `json:"address"`
}

type ClusterEvent struct {
	Meta    `json:"metadata"`
	Type    string `json:"type"`
	Reason  string `json:"reason"`
	Message string `json:"message"`
	// ReportingComponent is who reports in Events of the newer kind.
	ReportingComponent string `json:"reportingComponent"`
	InvolvedObject     struct {
		Kind      string `json:"kind"`
		Namespace string `json:"namespace"`
		Name      string `json:"name"`
	} `json:"involvedObject"`
}

type Job struct {
	Meta   `json:"metadata"`
	Spec   JobSpec `json:"spec"`
	Status struct {
		Active    int         `json:"active"`
		Succeeded int         `json:"succeeded"`
		Failed    int         `json:"failed"`
		Condition []Condition `json:"conditions"`
	} `json:"status,omitzero"`
}

type JobSpec struct {
	Parallelism  int         `json:"parallelism"`
	Completions  int         `json:"completions"`
	Mode         string      `json:"completionMode,omitempty"`
	BackoffLimit *int        `json:"backoffLimit,omitempty"`
	Deadline     *int64      `json:"activeDeadlineSeconds,omitempty"`
	Template     PodTemplate `json:"template"`
}

type PodTemplate struct {
	Meta Meta    `json:"metadata"`
	Spec PodSpec `json:"spec"`
}

// List is a list of any kind.
type List[T any] struct {
	Meta  `json:"metadata"`
	Items []T `json:"items"`
}
