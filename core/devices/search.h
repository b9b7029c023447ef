/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_DEVICES_SEARCH_H
#define SKR_CORE_DEVICES_SEARCH_H
/*
 * Which devices one pod gets on one node: the search of kube-scheduler's allocator
 * (k8s.io/dynamic-resource-allocation/structured, its variant "incubating"), on numbers.
 *
 * The search is depth-first, and its first solution counts. It goes over claims and requests in order,
 * and for each device of a request over the devices of the node in order. Devices of one request are
 * ascending. It is complete for one pod; between pods it is greedy. Counting rooms for equal pods is a
 * matter of calling it again (sequence.h).
 *
 * Two shortcuts keep the first solution: a request for more devices than are eligible fails at once, and
 * a device that equals one that just failed at the same place is left out. They are not taken if a request for all
 * devices is under a constraint: whether that is an error depends on the device that is in use.
 *
 * Versions differ. 1.36 keeps counters by the name of the pool alone, and of a distinct attribute the
 * last value of each request; 1.37 corrects both.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "topology/base/attr.h"

enum {
    SKR_DEVICES_A_CLAIM = 32,        /* results of a claim, as Kubernetes permits */
    SKR_DEVICES_CLAIMS_MAX = 64,     /* of a pod */
    SKR_DEVICES_A_POD = 512,         /* devices that a pod asks for: the depth of the search */
    SKR_DEVICES_STEPS = 100000,      /* of the search for one pod, by default */
    SKR_DEVICES_PODS_STEPS = 5,      /* times as many: of the searches for all pods of a node */
    SKR_DEVICES_REQUESTS_MAX = 256,  /* of a pod, alternatives among them */
    SKR_DEVICES_SELECTORS_MAX = 512, /* of a pod, without those of classes */
    /* That kube-scheduler may take to evaluate claims that are not counted of one pod on all devices: some 0.3 us
     * each (docs/threats.md). */
    SKR_DEVICES_ATTEMPT_STEPS = 4000000,
};

enum skr_devices_version { SKR_DEVICES_1_36 = 36, SKR_DEVICES_1_37 = 37 };

/* What selectors, and what does not change, say about a device and a request. */
enum skr_devices_match {
    SKR_DEVICES_NO,
    SKR_DEVICES_YES,
    SKR_DEVICES_FAILS, /* the pod fails if the search comes to the device */
};

/* An amount of a counter, in billionths. */
struct skr_devices_amount {
    uint32_t counter;
    skr_int128 value;
};

/* A pool whose devices use counters. */
struct skr_devices_pool {
    uint32_t bank; /* counters are kept by it */
    size_t n;
    const struct skr_devices_amount *has;
};

struct skr_devices_row {
    uint32_t pool; /* of its counters */
    size_t n_uses;
    const struct skr_devices_amount *uses;
    bool shared; /* several claims may have shares */
    size_t first_capacity, n_capacities;
};

/* The devices of a node, in the order of the search. */
struct skr_devices_node {
    enum skr_devices_version version;
    size_t n, n_pools, n_banks, n_counters, n_capacities;
    const struct skr_devices_row *row;
    const struct skr_devices_pool *pool;
    const skr_int128 *capacity; /* of all rows, one after the other; in billionths */
    bool collides;              /* pools share a bank */
    bool partial; /* a pool is incomplete or invalid: no request for all devices succeeds */
};

/* What is taken of them. */
struct skr_devices_taken {
    uint8_t *whole;   /* [row] */
    uint32_t *shares; /* [row] */
    uint8_t *counted; /* [row] a share consumes capacity */
    skr_int128 *used; /* [capacity] */
};

/* A request, or one alternative of it. */
struct skr_devices_request {
    bool all, admin;
    int64_t count;
    const uint8_t *match;   /* [row] enum skr_devices_match */
    const uint8_t *tainted; /* [row] a taint keeps it off */
    const skr_int128 *need; /* [capacity] that it consumes; NULL: no device is shared */
};

struct skr_devices_ask {
    uint16_t claim;
    bool alternatives;
    size_t first, n; /* requests; without alternatives one */
};

/* Of the values of an attribute, or what else devices are compared by. */
#define SKR_DEVICES_ABSENT  0u         /* no such attribute */
#define SKR_DEVICES_UNKNOWN UINT32_MAX /* of a type that is never equal */

struct skr_devices_constraint {
    uint16_t claim;
    bool distinct;
    const uint8_t *applies; /* [request] */
    const uint32_t *value;  /* [row] equal numbers are equal values */
};

/* Why kube-scheduler is left to decide about devices. */
enum skr_uncounted {
    SKR_COUNTED,            /* it is not */
    SKR_UNCOUNTED_SELECTOR, /* a selector is outside core/devices/selector.h */
    SKR_UNCOUNTED_VERSION,  /* its version has no order of devices */
    SKR_UNCOUNTED_FEATURE,  /* anything else that is not modelled, or not known */
    SKR_UNCOUNTED_BUDGET,   /* a limit, of steps or of sizes */
    SKR_UNCOUNTED_COUNT
};

struct skr_devices_problem {
    const struct skr_devices_node *node;
    size_t n_asks, n_requests, n_constraints;
    const struct skr_devices_ask *ask; /* by claim */
    const struct skr_devices_request *request;
    const struct skr_devices_constraint *constraint;
    const uint32_t *before; /* [row] the last row before it that equals it for all requests and
                             * constraints; UINT32_MAX: none */
    uint64_t steps;         /* the most that the search may take */
    uint64_t *work;         /* grows with what it took; NULL allowed */
    bool fails; /* a class is missing, or the like: kube-scheduler reports an error for any node */
    enum skr_uncounted uncounted; /* of a pod that is unmodelled: pod_problem.c */
};

enum skr_search_outcome {
    SKR_SEARCH_PLACED,
    SKR_SEARCH_NONE,   /* the pod does not fit */
    SKR_SEARCH_ERROR,  /* kube-scheduler ends with an error */
    SKR_SEARCH_BEYOND, /* beyond problem.steps, or SKR_DEVICES_A_POD */
};

struct skr_devices_result {
    uint32_t row;
    size_t request;
};

/* Chooses devices for one pod. PLACED: taken has them, too, and ret (NULL allowed, else room for
 * SKR_DEVICES_A_POD) has *ret_n of them, by claim. O(steps). Aborts without memory. */
enum skr_search_outcome skr_devices_search(const struct skr_devices_problem *problem,
                                           struct skr_devices_taken *taken,
                                           struct skr_devices_result *ret, size_t *ret_n);

#endif
