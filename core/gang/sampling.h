/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_SAMPLING_H
#define SKR_CORE_GANG_SAMPLING_H
/*
 * Whether kube-scheduler looks at every node for a pod, or stops when it has found enough that will do
 * (percentageOfNodesToScore; numFeasibleNodesToFind in pkg/scheduler/schedule_one.go). Where it looks at
 * all of them, the planned node is among the names whether it is nominated or not, and with so few nodes
 * that costs it less than a nomination costs the API server. A wrong guess costs a cycle and the
 * nomination that was spared, nothing else.
 */
#include "core/gang/gang.h"

/* With fewer, kube-scheduler looks at every node whatever its percentage (minFeasibleNodesToFind). */
enum { SKR_SAMPLING_NODES_MIN = 100 };

/* Whether it looks at every node, by the number of nodes that there are now. */
bool sampling_is_off(const struct skr_gang *e);

#endif
