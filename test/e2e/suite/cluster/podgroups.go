// SPDX-License-Identifier: Apache-2.0

package cluster

// podGroupResource is the part of the PodGroup resource of the scheduler-plugins project that groups need.
const podGroupResource = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: podgroups.scheduling.x-k8s.io
  annotations: {api-approved.kubernetes.io: "unapproved, for tests"}
spec:
  group: scheduling.x-k8s.io
  scope: Namespaced
  names: {kind: PodGroup, listKind: PodGroupList, plural: podgroups, singular: podgroup}
  versions:
  - name: v1alpha1
    served: true
    storage: true
    subresources: {status: {}}
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              minMember: {type: integer, minimum: 1}
              scheduleTimeoutSeconds: {type: integer}
          status: {type: object, x-kubernetes-preserve-unknown-fields: true}
`

// RemovePodGroups deletes the PodGroup resource with all PodGroups and returns once it is not served any more.
func (p *Plane) RemovePodGroups() error {
	if err := p.Admin.Delete("/apis/apiextensions.k8s.io/v1/customresourcedefinitions/podgroups.scheduling.x-k8s.io"); err != nil {
		return err
	}
	return p.waitPath(podGroups, func(err error) bool { return IsStatus(err, 404) })
}

// InstallPodGroups adds the PodGroup resource and waits until it is served.
func (p *Plane) InstallPodGroups() error {
	_, err := p.InstallResources([]byte(podGroupResource))
	return err
}
