// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"strings"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/informers"
	clientset "k8s.io/client-go/kubernetes"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/feature"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/nodevolumelimits"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/volumebinding"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/volumerestrictions"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/volumezone"
	"k8s.io/kubernetes/pkg/scheduler/metrics"
)

// judge is kube-scheduler's plugins for volumes over one world: a cluster, and pods that are assumed on its nodes.
type judge struct {
	fwk.Handle   // nil: the plugins call only what is defined below
	factory      informers.SharedInformerFactory
	node         map[string]fwk.NodeInfo
	used         map[string]int // by claim: pods on nodes
	binding      *volumebinding.VolumeBinding
	limits       *nodevolumelimits.CSILimits
	zone         *volumezone.VolumeZone
	restrictions *volumerestrictions.VolumeRestrictions
}

func (j *judge) ClientSet() clientset.Interface                         { return nil }
func (j *judge) SharedInformerFactory() informers.SharedInformerFactory { return j.factory }
func (j *judge) SnapshotSharedLister() fwk.SharedLister                 { return j }
func (j *judge) SharedCSIManager() fwk.CSIManager {
	return nodevolumelimits.NewCSIManager(j.factory.Storage().V1().CSINodes().Lister())
}
func (j *judge) NodeInfos() fwk.NodeInfoLister           { return nil }
func (j *judge) StorageInfos() fwk.StorageInfoLister     { return j }
func (j *judge) PodGroupStates() fwk.PodGroupStateLister { return nil }

func (j *judge) IsPVCUsedByPods(key string) bool { return j.used[key] > 0 }

func put[T any](indexer interface{ Add(any) error }, objects []T) {
	for _, object := range objects {
		if err := indexer.Add(object); err != nil {
			panic(err)
		}
	}
}

func newJudge(w *world) *judge {
	metrics.Register()
	j := &judge{factory: informers.NewSharedInformerFactory(nil, 0), node: map[string]fwk.NodeInfo{}, used: map[string]int{}}
	features := feature.NewSchedulerFeaturesFromGates(utilfeature.DefaultFeatureGate)
	features.EnableVolumeLimitScaling = true // preventPodSchedulingIfMissing; without the gate the API server drops it
	ctx := context.Background()
	made := func(plugin fwk.Plugin, err error) fwk.Plugin {
		if err != nil {
			panic(err)
		}
		return plugin
	}
	j.binding = made(volumebinding.New(ctx, &config.VolumeBindingArgs{BindTimeoutSeconds: 600}, j, features)).(*volumebinding.VolumeBinding)
	j.limits = made(nodevolumelimits.NewCSI(ctx, nil, j, features)).(*nodevolumelimits.CSILimits)
	j.zone = made(volumezone.New(ctx, nil, j, features)).(*volumezone.VolumeZone)
	j.restrictions = made(volumerestrictions.New(ctx, nil, j, features)).(*volumerestrictions.VolumeRestrictions)
	core, storage := j.factory.Core().V1(), j.factory.Storage().V1()
	put(core.PersistentVolumes().Informer().GetIndexer(), w.Volumes)
	put(core.PersistentVolumeClaims().Informer().GetIndexer(), w.Claims)
	put(storage.StorageClasses().Informer().GetIndexer(), w.Classes)
	put(storage.CSINodes().Informer().GetIndexer(), w.CSINodes)
	put(storage.CSIDrivers().Informer().GetIndexer(), w.CSIDrivers)
	put(storage.CSIStorageCapacities().Informer().GetIndexer(), w.Capacities)
	put(storage.VolumeAttachments().Informer().GetIndexer(), w.Attachments)
	for _, node := range w.Nodes {
		info := framework.NewNodeInfo()
		info.SetNode(node)
		j.node[node.Name] = info
	}
	for _, pod := range w.Pods {
		j.count(pod, pod.Spec.NodeName, 1)
	}
	return j
}

// count adds a pod to a node, or takes it off.
func (j *judge) count(pod *v1.Pod, node string, by int) {
	for _, volume := range pod.Spec.Volumes {
		j.used[types.NamespacedName{Namespace: pod.Namespace, Name: volume.PersistentVolumeClaim.ClaimName}.String()] += by
	}
	if by > 0 {
		info, err := framework.NewPodInfo(pod)
		if err != nil {
			panic(err)
		}
		j.node[node].AddPodInfo(info)
	} else if err := j.node[node].RemovePod(klog.Background(), pod); err != nil {
		panic(err)
	}
}

type filter interface {
	fwk.PreFilterPlugin
	fwk.FilterPlugin
}

// place has the pod filtered on the node and assumes it there. undo takes it away again; why: it is refused.
func (j *judge) place(pod *v1.Pod, node string) (undo func(), why string) {
	ctx, state := context.Background(), framework.NewCycleState()
	if info := j.node[node]; info.GetRequested().GetMilliCPU()+1000 > info.GetAllocatable().GetMilliCPU() {
		return nil, "no cpu"
	}
	for _, plugin := range []filter{j.restrictions, j.limits, j.binding, j.zone} {
		_, status := plugin.PreFilter(ctx, state, pod, nil)
		if status.IsSkip() {
			continue
		}
		if status.IsSuccess() {
			status = plugin.Filter(ctx, state, pod, j.node[node])
		}
		if !status.IsSuccess() {
			return nil, strings.Join(status.Reasons(), ", ")
		}
	}
	if status := j.binding.Reserve(ctx, state, pod, node); !status.IsSuccess() {
		panic(status.AsError())
	}
	j.count(pod, node, 1)
	return func() {
		j.count(pod, node, -1)
		j.binding.Unreserve(ctx, state, pod, node)
	}, ""
}

// play says "" if each pod of the plan is accepted, those of a turn in this order and in the opposite one.
func (j *judge) play(w *world, plan [][]seat) string {
	for _, backwards := range []bool{false, true} {
		undo := []func(){}
		why := ""
		for _, turn := range plan {
			for i := range turn {
				s := turn[i]
				if backwards {
					s = turn[len(turn)-1-i]
				}
				back, refused := j.place(w.member(s.pod), s.node)
				if refused != "" {
					why = fmt.Sprintf("%s on %s: %s", s.pod, s.node, refused)
					break
				}
				undo = append(undo, back)
			}
			if why != "" {
				break
			}
		}
		for i := len(undo) - 1; i >= 0; i-- {
			undo[i]()
		}
		if why != "" {
			return why
		}
	}
	return ""
}

// search finds nodes for these members, in any order; a placement as text, or "".
func (j *judge) search(w *world, members []*v1.Pod) string {
	if len(members) == 0 {
		return "."
	}
	for i, pod := range members {
		rest := append(append([]*v1.Pod{}, members[:i]...), members[i+1:]...)
		for _, node := range w.Nodes {
			if undo, why := j.place(pod, node.Name); why == "" {
				found := j.search(w, rest)
				undo()
				if found != "" {
					return pod.Name + "=" + node.Name + " " + found
				}
			}
		}
	}
	return ""
}
