/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_SPOTMIX_SCHEDULER_H
#define SKR_CORE_SPOTMIX_SCHEDULER_H
/*
 * The spot mix on the frame. Reviews are requests, watches fill the caches, and repairs are patches
 * and evictions. It serves and repairs from two seconds after it leads with all lists read, and
 * evicts from the first review that reaches it, or thirty seconds later. Earlier, and on a standby,
 * the answer to a review is status 503.
 */
#include "core/frame/scheduler.h"
#include "core/spotmix/view.h"

extern const struct skr_scheduler skr_spotmix_scheduler;

extern const struct skr_resource skr_spotmix_pods, skr_spotmix_nodes, skr_spotmix_deployments,
    skr_spotmix_replica_sets, skr_spotmix_stateful_sets;

enum skr_spotmix_verb { SKR_SPOTMIX_REVIEW };

/* Body of a REVIEW request. */
struct skr_spotmix_request {
    struct skr_spotmix_body *body; /* read on another thread; references go to the engine */
    unsigned char random[16];
};

/* Body of its answer, in the action list's memory. */
struct skr_spotmix_reply {
    unsigned status;
    enum skr_spotmix_result result;
    const char *body;
    size_t len;
};

#define SKR_SPOTMIX_SETTLING_TIME (2 * SKR_SECOND) /* from begin() to the first answer */
/* From then on API servers take this time at most to reach a new leader, by the Service's endpoints. */
#define SKR_SPOTMIX_REACH_TIME     (30 * SKR_SECOND)
#define SKR_SPOTMIX_LOOKUP_TIME    (500 * SKR_MILLISECOND)
#define SKR_SPOTMIX_EVICT_PATIENCE (600 * SKR_SECOND) /* without progress: a rebuild is given up */

enum {
    SKR_SPOTMIX_LOOKUPS_MAX = 20, /* GETs a second for reviews, and at most so many under way */
    /* of these for one namespace, and for all namespaces together of which no workload is known */
    SKR_SPOTMIX_NAMESPACE_LOOKUPS_MAX = 5,
    SKR_SPOTMIX_IN_VAIN_MAX = 3, /* evictions without progress: a rebuild is given up */
};

enum skr_spotmix_eviction_result {
    SKR_SPOTMIX_EVICTED,
    SKR_SPOTMIX_EVICT_BLOCKED, /* 429: a disruption budget */
    SKR_SPOTMIX_EVICT_FAILED,
    SKR_SPOTMIX_EVICTION_RESULT_COUNT
};
extern const char *const skr_spotmix_eviction_result_name[];

/* For pages and metrics; self: of skr_engine_self(). */
const struct skr_spotmix *skr_spotmix_scheduler_mix(const void *self);
uint64_t skr_spotmix_scheduler_evictions(const void *self, enum skr_spotmix_eviction_result result);
/* Whether it leads with all lists read: it hands out indices, or will within two seconds. */
bool skr_spotmix_scheduler_leads(const void *self);

#endif
