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
#include "core/frame/durations.h"
#include "core/frame/picture.h"
#include "core/frame/scheduler.h"
#include "core/propagation/options.h"
#include "core/propagation/outcome.h"
#include "topology/base/hash.h"

struct skr_member_cluster;

struct skr_propagation_settings {
    struct skr_hash_seed hash_seed; /* of names that users choose */
    const char *scheduler_name;     /* "sakkara" */
    struct skr_propagation_options options;
    skr_time estimator_timeout; /* of estimators of clusters; 0: none is asked */
    bool estimators_push_only;  /* those of clusters in pull mode are not asked */
    size_t workers;             /* decisions at a time, until each is in its main resource; 1.. */
    const struct skr_stopwatch *stopwatch; /* of what decisions cost; NULL: not measured */
};

extern const struct skr_scheduler skr_propagation_scheduler;

/* Parts of a binding's cycle: of a decision by the stopwatch (zero without one); by the engine's
 * time the wait for estimators, from the first patch to the last answer, and from the binding's turn
 * to its end. */
enum skr_propagation_step {
    SKR_PROPAGATION_STEP_FILTER,
    SKR_PROPAGATION_STEP_SCORE,
    SKR_PROPAGATION_STEP_SELECT,
    SKR_PROPAGATION_STEP_ASSIGN,
    SKR_PROPAGATION_STEP_ESTIMATE,
    SKR_PROPAGATION_STEP_WRITE,
    SKR_PROPAGATION_STEP_TOTAL,
    SKR_PROPAGATION_STEP_COUNT
};
extern const char *const skr_propagation_step_name[];
/* 10 us to 42 s by 4. */
extern const struct skr_duration_scale skr_propagation_scale;

/* What became of the question to one estimator for one decision. */
enum skr_estimator_result {
    SKR_ESTIMATOR_ANSWERED,
    SKR_ESTIMATOR_UNKNOWN, /* it answered that it cannot say (-1) */
    SKR_ESTIMATOR_FAILED,  /* no answer in time, or none that can be read */
    SKR_ESTIMATOR_RESTED,  /* not asked, since it failed a moment ago */
    SKR_ESTIMATOR_RESULT_COUNT
};
extern const char *const skr_estimator_result_name[];

/* The methods of an estimator that queries name (karmada pkg/estimator/service/service.proto). */
extern const char skr_estimator_replicas[];
extern const char skr_estimator_sets[];

/* Counters since the start, and what there is now. */
struct skr_propagation_counts {
    uint64_t attempts[SKR_PROPAGATION_CODE_COUNT]; /* by code */
    uint64_t fallbacks;
    uint64_t estimators[SKR_ESTIMATOR_RESULT_COUNT];
    struct skr_durations time[SKR_PROPAGATION_STEP_COUNT];
    size_t queued;
    size_t placed, unplaced, waiting; /* ours: Scheduled True, False, neither */
};
/* self: skr_engine_self() of an engine with this scheduler. O(bindings). */
void skr_propagation_count(const void *self, struct skr_propagation_counts *ret);

/* Brings the picture of bindings up to date; a change is appended. self: as above. Errors: SKR_RETRY
 * (not synced, not leader), SKR_NOT_FOUND (no cluster). O(clusters + bindings and their targets). */
int skr_propagation_draw(void *self, skr_time now, struct skr_picture *picture,
                         enum skr_picture_news *ret_news, struct skr_strbuf *change);

/* All clusters in the caches, sorted by name; borrowed until the next object. self: as above. */
const struct skr_member_cluster *const *skr_propagation_clusters(void *self, size_t *ret_n);

#endif
