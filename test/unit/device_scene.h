/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TEST_UNIT_DEVICE_SCENE_H
#define SKR_TEST_UNIT_DEVICE_SCENE_H
/* Nodes with devices gpu-0, gpu-1, .. of class gpu, and pods that claim them. */
#include "test/unit/engine_rig.h"

/* n devices of the driver on a node. */
void device_slice(struct rig *rig, const char *node, int n);
/* node-0 .. of 64 cpu with so many devices each, and a class that serves example.com/gpu. */
struct rig *device_cluster_with(int nodes, int each, const struct skr_settings *settings);
struct rig *device_cluster(int nodes, int each); /* of Kubernetes 1.36 */
/* Pods GROUP-0 .. GROUP-(n-1) that are bound to the node. */
int device_pods_on(const struct rig *rig, const char *group, int n, const char *node);
/* A claim of users, for so many devices. */
void device_claim(struct rig *rig, const char *name, int count);
/* A pod of group g that names the claim. */
void device_pod_with(struct rig *rig, const char *name, const char *claim, int cpu);
/* The claim gets gpu-0 of the node, with a consumer; selects: and the node selector that kube-scheduler writes. */
void device_give(struct rig *rig, const char *claim, const char *node, bool selects);

#endif
