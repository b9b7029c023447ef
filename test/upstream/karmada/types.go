// SPDX-License-Identifier: Apache-2.0

package main

import workv1alpha2 "github.com/karmada-io/karmada/pkg/apis/work/v1alpha2"

// The types of bindings. The other files name them by these names.
type (
	resourceBinding   = workv1alpha2.ResourceBinding
	bindingSpec       = workv1alpha2.ResourceBindingSpec
	objectReference   = workv1alpha2.ObjectReference
	targetCluster     = workv1alpha2.TargetCluster
	component         = workv1alpha2.Component
	componentRequires = workv1alpha2.ComponentReplicaRequirements
	replicaRequires   = workv1alpha2.ReplicaRequirements
	nodeClaim         = workv1alpha2.NodeClaim
	evictionTask      = workv1alpha2.GracefulEvictionTask
)
