/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_PLAN_SAMPLING_H
#define SKR_CORE_GANG_PLAN_SAMPLING_H
/*
 * Whether kube-scheduler looks at every node for a pod, or stops after enough feasible ones
 * (percentageOfNodesToScore; numFeasibleNodesToFind in pkg/scheduler/schedule_one.go). If it looks
 * at all, the planned node is among the names without a nomination. Up to some number of nodes that
 * costs less than a nomination.
 *
 * Below SKR_SAMPLING_NODES_MIN nodes it looks at all of them. From there on the engine learns it
 * per profile (schedulerName), from the names in filter calls:
 *
 * - More names than the default percentage can give, and none omitted that the pod could use: it
 *   looks at every node.
 * - A node omitted that the pod could use: it samples. For a profile that looks at every node this
 *   is checked only if a planned node is missing.
 *
 * Nothing is known at the start, nor SKR_SAMPLES_S after a sample was seen: the calls for nominated
 * members do not show the percentage. Then ungated members are not nominated. The first member of a
 * gated gang is ungated without a nomination; the others wait briefly for its first call.
 *
 * A wrong belief costs a member one cycle and the spared nomination. It never makes a node count as
 * refused.
 */
#include "core/gang/cache/pods.h"

enum {
    /* With fewer, kube-scheduler looks at every node whatever its percentage (minFeasibleNodesToFind). */
    SKR_SAMPLING_NODES_MIN = 100,
    /* From this number on every member is nominated. Then kube-scheduler looks at one node for it,
     * while filters of all cost 2.0 ms a pod for each 1,000 nodes. CPU of all processes a pod, not
     * nominated (100 percent) and nominated (default percentage), cold: 6.9 and 7.6 ms at 1,000
     * nodes, 9.0 and 8.0 ms at 2,000; in a burst 8.4 and 9.2, 10.5 and 9.9 ms. */
    SKR_SAMPLING_NODES_MAX = 1500,
    SKR_FIRST_CALL_MS = 500,     /* longest wait for a first call */
    SKR_SAMPLES_S = 600,         /* after it, a sample seen is forgotten */
    SKR_SAMPLING_LOOK_S = 1,     /* period between looks at unclear names */
    SKR_SAMPLING_MISSES_MAX = 3, /* planned nodes missing from names: it samples */
};

/* SKR_SAMPLING_NODES_MIN, or the setting that replaces it. */
size_t skr_sampling_nodes_min(const struct skr_gang *e);
/* Whether it looks at every node, given the present number of nodes. */
bool skr_sampling_is_off(const struct skr_gang *e);
/* Whether the planned member should not be nominated, by what is known of its profile. */
bool skr_sampling_spares(const struct skr_gang *e, const struct pod_entry *p);

/* For a member that is not spared: until when a call may change that; 0: no wait. */
skr_time skr_sampling_awaits_call(struct skr_gang *e, const struct pod_entry *p);

/* A filter call brought names; the pod may have no entry yet. O(1) if nothing can be learned, else
 * O(nodes), once in SKR_SAMPLING_LOOK_S. */
void skr_sampling_note_names(struct skr_gang *e, const struct skr_pod *pod, const char *const *node,
                             size_t n);
/* The planned node is missing and was not nominated. O(nodes). */
void skr_sampling_note_missing(struct skr_gang *e, const struct pod_entry *p,
                               const char *const *node, size_t n);
/* Whether the pod could use the node, as far as the cache shows. g: its group, or NULL. */
bool skr_sampling_could_go(const struct skr_gang *e, const struct group *g, const struct shape *s,
                           const char *uid, const struct node_entry *n);

#endif
