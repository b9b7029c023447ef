/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_KUBE_COUNTERS_H
#define SKR_SERVER_KUBE_COUNTERS_H
/* The figures of the client. Only the kube thread writes them; any thread reads them. The order is
 * relaxed, because the figures do not depend on each other. */
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "core/frame/event.h"
#include "core/frame/write.h"

enum {
    SKR_KUBE_RESOURCES_MAX = 64, /* different ones, by resource and selector */
    SKR_WRITE_BUCKETS = 7,       /* bounds of write times: 1 ms, then each four times the last */
};

struct skr_kube_resource_counters {
    const char *name; /* this and the next two: constant, set before the thread runs */
    bool dispensable; /* the kind may be missing or forbidden */
    bool on_demand;
    atomic_uint_fast64_t objects;
    atomic_uint_fast64_t lists;
    atomic_uint_fast64_t watches;
    atomic_uint_fast64_t failures;
    atomic_uint_fast64_t events;
    atomic_uint_fast64_t undecodable;
    atomic_int_fast64_t last_success; /* skr_kube_now() */
    atomic_bool runs;                 /* false: on demand, and nothing has asked for it */
    atomic_bool synced;
};

struct skr_kube_counters {
    struct skr_kube_resource_counters resource[SKR_KUBE_RESOURCES_MAX];
    atomic_uint_fast64_t writes[SKR_WRITE_CLASS_COUNT][SKR_WRITE_OUTCOME_COUNT];
    atomic_uint_fast64_t write_ns[SKR_WRITE_CLASS_COUNT];
    atomic_uint_fast64_t write_bucket[SKR_WRITE_CLASS_COUNT][SKR_WRITE_BUCKETS + 1];
    atomic_uint_fast64_t queued[SKR_WRITE_CLASS_COUNT];
    atomic_uint_fast64_t in_flight;
    atomic_uint_fast64_t credential_reloads;
    atomic_bool synced;
    atomic_int_fast64_t beat; /* skr_kube_now() of the thread's last round */
};

enum { SKR_WRITE_BUCKET_FIRST_MS = 1, SKR_WRITE_BUCKET_FACTOR = 4 };

/* Index of the first bound that is not below ns; SKR_WRITE_BUCKETS: beyond all. */
static inline size_t skr_write_bucket(int64_t ns)
{
    int64_t bound = SKR_WRITE_BUCKET_FIRST_MS * INT64_C(1000000);
    size_t i = 0;
    while (i < SKR_WRITE_BUCKETS && ns > bound) {
        bound *= SKR_WRITE_BUCKET_FACTOR;
        i++;
    }
    return i;
}

static inline void skr_count_add(atomic_uint_fast64_t *counter, uint64_t n)
{
    atomic_fetch_add_explicit(counter, n, memory_order_relaxed);
}

static inline void skr_count_set(atomic_uint_fast64_t *counter, uint64_t n)
{
    atomic_store_explicit(counter, n, memory_order_relaxed);
}

static inline uint64_t skr_count_get(const atomic_uint_fast64_t *counter)
{
    return atomic_load_explicit(counter, memory_order_relaxed);
}

#endif
