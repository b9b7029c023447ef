/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_DEVICES_STOCK_H
#define SKR_CORE_DEVICES_STOCK_H
/*
 * The devices of a cluster: slices by pool and by node, the classes, what allocations take, and the
 * specs of claims, each distinct one once. sequence.h counts with it.
 *
 * Devices are of one node (nodeName), of all nodes (allNodes), or of a *region*: the nodes that match a node
 * selector. The owner says which nodes match (struct skr_stock_selecting). Without it, or if a selector cannot be
 * read, a claim that devices of a region may serve is unmodelled.
 *
 * What devices have alike is held once (kinds.h). What selectors answer about the devices of a slice is cached with
 * the slice. Memory: some 190 bytes a device of a node with 8 GPUs, 90 of one with all MIG profiles
 * (test/bench/bench_devices.c), 48 for each device that is taken, and some 45 for each pod that has any. Owned by one
 * thread. Tables are hashed with the seed of the process.
 */
#include <uthash.h>

#include "core/devices/claim_spec.h"
#include "core/devices/kinds.h"
#include "core/devices/search.h"
#include "core/devices/selector.h"
#include "topology/base/hash.h"
#include "topology/device_claims.h"
#include "topology/device_classes.h"
#include "topology/device_taint_rules.h"

enum {
    SKR_STOCK_SLICES_MAX = 100000,
    SKR_STOCK_DEVICES_MAX = 2000000,
    SKR_STOCK_BYTES_MAX = 512 * 1024 * 1024, /* of slices and kinds of devices */
    SKR_POOL_COUNTERS_MAX = 10000,
    SKR_STOCK_SPECS_MAX = 4096,     /* distinct ones of claims that exist */
    SKR_STOCK_SELECTORS_MAX = 4096, /* distinct ones of classes and specs */
    SKR_STOCK_RULES_MAX = 4096,     /* DeviceTaintRules */
    SKR_STOCK_REGIONS_MAX = 1024,   /* of one claim */
    SKR_SLICE_ANSWERS = 64,         /* selectors whose answers a slice keeps, the newest */
};

struct skr_stock_pool;
struct skr_stock_node;

/* Nodes that match a node selector. */
struct skr_stock_region {
    UT_hash_handle hh; /* by name */
    size_t refs;
    void *nodes; /* of struct skr_stock_selecting; NULL: it cannot be read */
    char name[]; /* the selector as text */
};

/* What the owner knows about nodes. */
struct skr_stock_selecting {
    void *(*parse)(const char *selector); /* NULL: it cannot be read */
    void (*destroy)(void *nodes);
    /* context: that of the stock. False: there is no such node. */
    bool (*selects)(void *context, const void *nodes, const char *node);
};

/* What a selector says about each device of a slice. */
struct skr_stock_answers {
    struct skr_stock_answers *next;
    uint32_t selector; /* its id */
    uint8_t of[];      /* [device] */
};

struct skr_stock_slice {
    UT_hash_handle hh;                      /* by name */
    struct skr_device_slice *slice;         /* its meta has a name and a version alone */
    const struct skr_device_kind *counters; /* whose its counters are; NULL: it has none */
    struct skr_stock_pool *pool;
    struct skr_stock_node *node;     /* NULL: several reach it */
    struct skr_stock_region *region; /* NULL: it says no selector */
    struct skr_stock_region *
        *of_device; /* [device] their own; NULL: they say nothing by themselves */
    struct skr_stock_slice *pprev, *pnext; /* in pool->slices */
    struct skr_stock_slice *nprev,
        *nnext;                        /* in node->slices, stock->everywhere or stock->elsewhere */
    struct skr_stock_answers *answers; /* the newest first */
};

struct skr_stock_amount {
    char *name; /* of a capacity */
    skr_int128 value;
};

/* A device that an allocation takes, or a share of it. */
struct skr_stock_taking {
    struct skr_stock_taking *prev, *next; /* of the same device */
    struct skr_stock_pool *pool;
    struct skr_stock_taken *of;
    const struct skr_stock_claim *claim;
    bool shared;
    size_t n_used; /* 0 unless shared */
    struct skr_stock_amount *used;
};

/* A device of which allocations take something. */
struct skr_stock_taken {
    UT_hash_handle hh; /* by name of the device */
    struct skr_stock_taking *takings;
    char name[];
};

struct skr_stock_pool {
    UT_hash_handle hh; /* by name */
    struct skr_stock_slice *slices;
    struct skr_stock_taken *taken;
    size_t refs;   /* slices, and results of allocations */
    uint64_t said; /* stock.heard when its nodes were last reported */
    char name[];   /* "DRIVER/POOL" */
};

struct skr_stock_node {
    UT_hash_handle hh; /* by name */
    struct skr_stock_slice *slices;
    char name[];
};

struct skr_stock_class {
    UT_hash_handle hh; /* by name */
    size_t n;
    struct skr_device_selector **selector; /* NULL: there was no room for one */
    char name[];
};

struct skr_stock_rule {
    UT_hash_handle hh; /* by name */
    struct skr_device_taint_rule *rule;
};

struct skr_stock_claim;

struct skr_devices_stock {
    struct skr_hash_seed seed;
    enum skr_devices_version version;
    uint64_t steps; /* of the search for one pod; SKR_DEVICES_STEPS */
    struct skr_stock_slice *slices;
    struct skr_stock_slice *everywhere,
        *elsewhere; /* of all nodes; of regions, or as devices say */
    struct skr_stock_region *regions;
    const struct skr_stock_selecting *selecting; /* set once, before the first slice; NULL: none */
    uint64_t epoch;                              /* grows with slices and classes that come or go */
    struct skr_stock_pool *pools;
    struct skr_device_kinds kinds;
    struct skr_stock_node *nodes;
    struct skr_stock_class *classes;
    struct skr_stock_rule *rules;
    struct skr_device_selector *selectors;
    struct skr_claim_spec *specs;
    struct skr_stock_claim *claims;
    size_t n_devices, n_bytes; /* of slices: stock_limits.h */
    size_t n_counters;         /* slices that have counters */
    uint32_t next_selector;
    /* The limit that a slice or a rule was beyond: nothing is modelled until the next start. NULL: none */
    const char *full;
    /* The devices of a node are others, or others are free; NULL: of any node; "": of those that several nodes
     * reach. Nodes of a pool are reported once until the owner sets heard to another number. */
    uint64_t heard;
    void (*changed)(void *context, const char *node);
    void *context;
};

struct skr_devices_stock *skr_devices_stock_create(const struct skr_hash_seed *seed,
                                                   void (*changed)(void *, const char *),
                                                   void *context);
void skr_devices_stock_destroy(struct skr_devices_stock *stock); /* NULL allowed */

/* slice: destroyed. An older resourceVersion never replaces a newer one. */
void skr_devices_stock_put_slice(struct skr_devices_stock *stock, struct skr_device_slice *slice);
void skr_devices_stock_remove_slice(struct skr_devices_stock *stock, const char *name);
void skr_devices_stock_put_class(struct skr_devices_stock *stock,
                                 const struct skr_device_class *class);
void skr_devices_stock_remove_class(struct skr_devices_stock *stock, const char *name);
/* rule: taken. An older resourceVersion never replaces a newer one. */
void skr_devices_stock_put_rule(struct skr_devices_stock *stock,
                                struct skr_device_taint_rule *rule);
void skr_devices_stock_remove_rule(struct skr_devices_stock *stock, const char *name);
/* The claim takes these devices, instead of those before; n 0: none any more. O(n). */
void skr_devices_stock_allocate(struct skr_devices_stock *stock, const char *key,
                                const struct skr_claim_device *device, size_t n);
/* If the claim takes devices: it does so for these pods, and frees them when all are gone. Uids are copied. */
void skr_devices_stock_use(struct skr_devices_stock *stock, const char *key,
                           const char *const *pod_uid, size_t n);

/* Whether what the claim takes counts as taken; it does until this is called. Call it again afterwards: it is for one
 * question, and the callback is not called. O(1). */
void skr_devices_stock_leave_out(struct skr_devices_stock *stock, const char *key, bool out);
/* Whether the node is of the region, or has its name: a place that has devices of the region, and of all nodes, alone. */
bool skr_stock_region_has(const struct skr_devices_stock *stock,
                          const struct skr_stock_region *region, const char *node);
const struct skr_stock_region *skr_devices_stock_region(const struct skr_devices_stock *stock,
                                                        const char *name);
/* Whether a device of the slice is for the node. O(devices) if they say so by themselves. */
bool skr_stock_reaches(const struct skr_devices_stock *stock, const struct skr_stock_slice *s,
                       const char *node);
bool skr_stock_reaches_device(const struct skr_devices_stock *stock,
                              const struct skr_stock_slice *s, size_t device, const char *node);

/* Iterates over claims that take devices for pods: *at begins as NULL. Their keys; NULL: there are no more. */
const char *skr_devices_stock_next_used(const struct skr_devices_stock *stock,
                                        const struct skr_stock_claim **at,
                                        const char *const **ret_pod_uid, size_t *ret_n);

/* The node of a device that the claim takes, if the given node has none of that name in its pool; NULL: there is
 * none, or several nodes may reach it. O(devices of its pools). */
const char *skr_devices_stock_elsewhere(const struct skr_devices_stock *stock, const char *key,
                                        const char *node);

/* A reference; NULL: text is "", or beyond SKR_STOCK_SPECS_MAX. */
const struct skr_claim_spec *skr_devices_stock_spec(struct skr_devices_stock *stock,
                                                    const char *text);
/* The same of the claim that kube-scheduler makes for an extended resource that the class serves. */
const struct skr_claim_spec *skr_devices_stock_extended(struct skr_devices_stock *stock,
                                                        const char *class_, int64_t count);
void skr_devices_stock_forget_spec(struct skr_devices_stock *stock,
                                   const struct skr_claim_spec *spec); /* NULL allowed */

const struct skr_stock_class *skr_devices_stock_class(const struct skr_devices_stock *stock,
                                                      const char *name);
const struct skr_stock_node *skr_devices_stock_node(const struct skr_devices_stock *stock,
                                                    const char *name);
/* Whether it counts: skr_devices_stock_leave_out(). */
bool skr_devices_stock_counts(const struct skr_stock_taking *taking);
/* What allocations take of the device; NULL: nothing. */
const struct skr_stock_taking *skr_devices_stock_takings(const struct skr_devices_stock *stock,
                                                         const struct skr_stock_pool *pool,
                                                         const char *device);
/* [device] enum skr_device_selector_answer; borrowed until the next call for this slice. */
const uint8_t *skr_devices_stock_answers(struct skr_stock_slice *slice,
                                         const struct skr_device_selector *selector);

#endif
