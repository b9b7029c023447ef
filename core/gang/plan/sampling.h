/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_PLAN_SAMPLING_H
#define SKR_CORE_GANG_PLAN_SAMPLING_H
/*
 * Whether kube-scheduler looks at every node for a pod, or stops when it has found enough that will do
 * (percentageOfNodesToScore; numFeasibleNodesToFind in pkg/scheduler/schedule_one.go). Where it looks at
 * all of them, the planned node is among the names whether it is nominated or not, and up to some number
 * of nodes that costs it less than a nomination costs the API server.
 *
 * Below SKR_SAMPLING_NODES_MIN nodes it looks at all of them. From there on it is learned of each
 * profile (schedulerName), from the names that filter calls of its pods bring:
 *
 *   - more of them than the default percentage can give, and none left out to which the pod could go by
 *     what we know: it looks at every node
 *   - one left out to which the pod could go: it takes a sample. Of a profile that is believed to look
 *     at every node that is asked only when a planned node is not among the names
 *
 * Nothing is known at the start, nor SKR_SAMPLES_S after a sample was seen: nominated members bring no
 * names from which another percentage could be told. Then kube-scheduler comes to ungated members by
 * itself, and of a gated gang the first member is let go without a nomination, for which the others
 * wait a moment: the first call tells.
 *
 * A wrong belief costs a member whose node is not among the names a cycle and the nomination that it was
 * spared, nothing else: it is no ground to call a node refused.
 */
#include "core/gang/cache/pods.h"

enum {
    /* With fewer, kube-scheduler looks at every node whatever its percentage (minFeasibleNodesToFind). */
    SKR_SAMPLING_NODES_MIN = 100,
    /* From so many on a member is nominated whatever is believed: then kube-scheduler looks at one
     * node for it, while filters of all cost 2.0 ms a pod for each 1,000 nodes. CPU of all processes a
     * pod, not nominated (100 percent) and nominated (default percentage), cold: 6.9 and 7.6 ms at
     * 1,000 nodes, 9.0 and 8.0 ms at 2,000; in a burst 8.4 and 9.2, 10.5 and 9.9 ms. */
    SKR_SAMPLING_NODES_MAX = 1500,
    SKR_FIRST_CALL_MS = 500,     /* so long a first call is waited for */
    SKR_SAMPLES_S = 600,         /* that it takes a sample is forgotten after so long */
    SKR_SAMPLING_LOOK_S = 1,     /* names that say nothing certain are looked at so often */
    SKR_SAMPLING_MISSES_MAX = 3, /* planned nodes that are not among the names: it takes one */
};

/* SKR_SAMPLING_NODES_MIN, or what stands for it. */
size_t skr_sampling_nodes_min(const struct skr_gang *e);
/* Whether it looks at every node, by the number of nodes that there are now. */
bool skr_sampling_is_off(const struct skr_gang *e);
/* Whether the planned member is better not nominated, by what is known of its profile. */
bool skr_sampling_spares(const struct skr_gang *e, const struct pod_entry *p);

/* Of one that it does not spare: until when a call may tell that it is to be spared; 0: nothing to wait for. */
skr_time skr_sampling_awaits_call(struct skr_gang *e, const struct pod_entry *p);

/* A filter call has brought names; of the pod there may be no entry yet. O(1) where nothing can be learned from them, else
 * O(nodes), once in SKR_SAMPLING_LOOK_S. */
void skr_sampling_note_names(struct skr_gang *e, const struct skr_pod *pod, const char *const *node,
                             size_t n);
/* The planned node is not among them, and was not nominated. O(nodes). */
void skr_sampling_note_missing(struct skr_gang *e, const struct pod_entry *p,
                               const char *const *node, size_t n);
/* Whether the pod could go to the node, by what we know. */
bool skr_sampling_could_go(const struct skr_gang *e, const struct group *g, const struct shape *s,
                           const char *uid, const struct node_entry *n);

#endif
