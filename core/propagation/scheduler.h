/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_PROPAGATION_SCHEDULER_H
#define SKR_CORE_PROPAGATION_SCHEDULER_H
/*
 * The scheduler of Karmada's ResourceBindings and ClusterResourceBindings, out of tree: bindings
 * whose spec.schedulerName is ours are decided, all others are left alone.
 *
 * A binding has one cycle at a time: decided, then spec.clusters and the annotation of the applied
 * placement in one patch with the resourceVersion as precondition, then its status in another one.
 * What would not change is not written. Everything is in the objects: a process that dies between
 * the two patches finishes after its restart.
 */
#include "core/frame/scheduler.h"
#include "core/propagation/options.h"
#include "core/propagation/outcome.h"

struct skr_propagation_settings {
    const char *scheduler_name; /* "sakkara" */
    struct skr_propagation_options options;
    size_t workers; /* cycles at a time, 1.. */
};

extern const struct skr_scheduler skr_propagation_scheduler;

/* Parts of a binding's cycle as the engine sees them: from the first patch to the last answer, and
 * from the binding's turn to its end. A decision itself takes no time under the engine's clock. */
enum skr_propagation_step {
    SKR_PROPAGATION_STEP_WRITE,
    SKR_PROPAGATION_STEP_TOTAL,
    SKR_PROPAGATION_STEP_COUNT
};
const char *skr_propagation_step_name(enum skr_propagation_step step);
enum { SKR_PROPAGATION_BUCKETS = 16, SKR_PROPAGATION_BUCKET_FIRST = 1000000 /* ns, doubling */ };
struct skr_propagation_times {
    uint64_t n[SKR_PROPAGATION_BUCKETS + 1]; /* not cumulative; the last is beyond all bounds */
    int64_t sum;                             /* ns */
};

/* Counters since the start, and what there is now. */
struct skr_propagation_counts {
    uint64_t attempts[SKR_PROPAGATION_CODE_COUNT]; /* by code */
    uint64_t fallbacks;
    struct skr_propagation_times time[SKR_PROPAGATION_STEP_COUNT];
    size_t queued;
    size_t placed, unplaced, waiting; /* ours: Scheduled True, False, neither */
};
/* self: skr_engine_self() of an engine with this scheduler. O(bindings). */
void skr_propagation_count(const void *self, struct skr_propagation_counts *ret);

#endif
