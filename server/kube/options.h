/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_KUBE_OPTIONS_H
#define SKR_SERVER_KUBE_OPTIONS_H
/* Options of the client of the API server: subscribers (one for each scheduler), rates, sizes and
 * times. */
#include <stddef.h>

#include "core/frame/event.h"
#include "core/frame/resource.h"
#include "server/kube/access.h"
#include "topology/base/hash.h"

enum {
    SKR_KUBE_QPS_MAX = 100000,
    SKR_KUBE_BURST_MAX = 1000000,
    SKR_KUBE_IN_FLIGHT_MAX = 256,
    SKR_KUBE_PAGE_MAX = 10000,
    SKR_KUBE_SUBSCRIBERS_MAX = 8,
};

/* Copied, what it points to outlives the client. */
struct skr_kube_subscriber {
    const struct skr_watch *watch;
    size_t n_watches;
    void (*deliver)(void *context, struct skr_event *event);
    void *context;
    int32_t qps, burst; /* of its writes and read-backs alone, ranges as below; qps 0: only the
                           limit of all */
};

struct skr_kube_options {
    struct skr_kube_subscriber subscriber[SKR_KUBE_SUBSCRIBERS_MAX];
    size_t n_subscribers;
    struct skr_hash_seed hash_seed; /* of names of objects */
    const char *user_agent;         /* copied; NULL: "sakkara" */
    const char *topology_namespace; /* of watches that ask for it alone; NULL: all are asked for */
    bool system_groups; /* group maps and PodGroups in the system's namespaces count; false */
    /* Called on the kube thread right before a request that changes something is sent; false: the
     * write is DROPPED. NULL: always true. */
    bool (*may_write)(void *context);
    void *may_write_context;
    /* Writes. */
    int32_t qps;              /* 1..SKR_KUBE_QPS_MAX; 1000 */
    int32_t burst;            /* 1..SKR_KUBE_BURST_MAX; 2000 */
    int32_t max_in_flight;    /* 1..SKR_KUBE_IN_FLIGHT_MAX; 32 */
    size_t max_queued_events; /* class EVENT waiting; more are dropped; 10000 */
    size_t max_queued;        /* all classes; more are dropped; 1000000 */
    skr_time request_timeout; /* of a write; of silence within a list; 30 s */
    skr_time stop_grace;      /* writes in flight may still be answered; 5 s */
    /* Watches. */
    int32_t page;            /* objects of a list page, 1..SKR_KUBE_PAGE_MAX; 500 */
    skr_time watch_for;      /* a watch is asked to last this long up to twice as long; 5 min */
    skr_time silence;        /* a watch without a byte is given up; bookmarks come every minute;
                               150 s */
    skr_time backoff_min;    /* after a failure, or where a kind is not installed; doubled at each,
                               with jitter; 200 ms */
    skr_time backoff_max;    /* 30 s */
    skr_time healthy_after;  /* a watch that lasted so long forgets earlier failures; 10 s */
    skr_time stale_after;    /* without success the cache counts as stale; more than silence and
                               backoff_max together; 5 min */
    skr_time fresh_patience; /* for one object of a kind to be shown, and for the watch to come as
                                far (freshness.h); 200 ms */
    uint64_t seed;           /* of the jitter; 0: random */
};

#endif
