/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_DEVICES_STOCK_STATE_H
#define SKR_CORE_DEVICES_STOCK_STATE_H
/* The tables of a stock (stock.h), which the files of this folder share. */
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
    SKR_STOCK_SPECS_MAX = 4096,     /* distinct ones that are read: of claims that pods name */
    SKR_STOCK_SELECTORS_MAX = 4096, /* distinct ones of classes and of specs that are read */
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
    uint64_t steps; /* that they cost kube-scheduler for each device, at most */
    char name[];
};

struct skr_stock_rule {
    UT_hash_handle hh; /* by name */
    struct skr_device_taint_rule *rule;
};

struct skr_stock_claim;
struct skr_devices_work;

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
    uint64_t class_epoch;                        /* grows with classes */
    struct skr_stock_pool *pools;
    struct skr_device_kinds kinds;
    struct skr_stock_node *nodes;
    struct skr_stock_class *classes;
    struct skr_stock_rule *rules;
    struct skr_device_selector *selectors;
    struct skr_claim_spec *specs;
    struct skr_claim_spec *read; /* of these: the one that was needed longest ago first */
    size_t n_read;
    struct skr_devices_work *work;  /* answers.h */
    struct skr_stock_share *shares; /* stock_shares.h, as: */
    int64_t share_at;
    int64_t waiting_at; /* when waiting of all shares was counted; 0: count it */
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

#endif
