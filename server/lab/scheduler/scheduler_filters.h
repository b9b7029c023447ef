/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_LAB_SCHEDULER_SCHEDULER_FILTERS_H
#define SKR_SERVER_LAB_SCHEDULER_SCHEDULER_FILTERS_H
/*
 * kube-scheduler's in-tree filters on one node, and the sentence of a FitError: how many nodes were
 * refused for which reason, sorted as text.
 */
#include "server/lab/scheduler/scheduler_state.h"
#include "topology/base/strbuf.h"

enum { SKR_SCHED_REASONS_MAX = 64, SKR_SCHED_REASON_BYTES = 256 };

struct skr_sched_diagnosis {
    unsigned rejected_by; /* SKR_SCHED_BY_* */
    bool deallocated;     /* a claim of the pod, so that it may go elsewhere */
    size_t n;
    struct {
        char text[SKR_SCHED_REASON_BYTES];
        size_t nodes;
    } reason[SKR_SCHED_REASONS_MAX]; /* further reasons are not counted */
};

void skr_sched_diagnosis_add(struct skr_sched_diagnosis *diagnosis, unsigned by, const char *text);
/* "0/6 nodes are available: 4 Insufficient cpu, 2 node(s) were unschedulable. no new claims to
 * deallocate", as kube-scheduler 1.36 without DefaultPreemption. */
void skr_sched_diagnosis_write(const struct skr_sched_diagnosis *diagnosis, size_t n_nodes,
                               struct skr_strbuf *out);

/* Whether the pod may use the node, with pods nominated there of equal or higher priority charged;
 * if not, adds the reasons. diagnosis NULL: no reasons. O(resources + nominated). */
bool skr_sched_filter(const struct skr_sched_cache *cache, const struct skr_sched_pod *p,
                      const struct skr_sched_node *node, struct skr_sched_diagnosis *diagnosis);
/* Whether the requests fit the empty node's allocatable. */
bool skr_sched_fits_empty(const struct skr_sched_pod *p, const struct skr_sched_node *node);

/* LeastAllocated: 0..100 for cpu and memory after the pod, mean, rounded down. */
int32_t skr_sched_least_allocated(const struct skr_sched_pod *p, const struct skr_sched_node *node);
/* The number of feasible nodes that ends the search (numFeasibleNodesToFind). percentage 0: by
 * size. */
size_t skr_sched_enough(size_t n_nodes, int percentage);

#endif
