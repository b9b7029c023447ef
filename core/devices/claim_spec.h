/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_DEVICES_CLAIM_SPEC_H
#define SKR_CORE_DEVICES_CLAIM_SPEC_H
/*
 * What a ResourceClaim or a template asks for: its spec.devices, read from the text that
 * topology/device_claims.h keeps. Until it is read it asks for nothing. What is not modelled makes the whole spec unmodelled, with the reason;
 * such a claim is left to kube-scheduler.
 */
#include <uthash.h>

#include "topology/base/arena.h"
#include "topology/device_slices.h"

enum {
    SKR_CLAIM_SPEC_BYTES_MAX = 4 * 1024 * 1024, /* decoded */
    SKR_CLAIM_LIST_MAX = 256,                   /* requests, selectors, tolerations: each */
};

struct skr_claim_toleration {
    const char *key, *operator_, *value, *effect;
};

struct skr_claim_amount {
    const char *name; /* of a capacity */
    skr_int128 value; /* in billionths */
};

struct skr_device_selector;
struct skr_stock_share;

/* A request, or one alternative of it. */
struct skr_claim_request {
    const char *name;
    const char *class_;
    bool all, admin;
    int64_t count;
    size_t n_selectors, n_tolerations, n_amounts;
    const char **selector_text;
    struct skr_device_selector *
        *selector; /* the owner's, NULL until it sets them, or beyond its limit */
    const struct skr_claim_toleration *toleration;
    const struct skr_claim_amount *amount;
};

struct skr_claim_ask {
    const char *name;
    bool alternatives;
    size_t first, n; /* requests */
};

struct skr_claim_constraint {
    bool distinct;
    const char *attribute; /* "DOMAIN/ID" */
    size_t n_requests;     /* 0: all */
    const char **request;  /* "NAME", or "NAME/ALTERNATIVE" */
};

/* Where devices are that may serve a claim. */
enum skr_claim_reach {
    SKR_CLAIM_OF_ONE_NODE,  /* each is of one node */
    SKR_CLAIM_OF_ALL_NODES, /* all nodes reach each of them */
    SKR_CLAIM_OF_REGIONS,   /* nodes that match a selector reach each of them */
    SKR_CLAIM_OF_SEVERAL,   /* there are two of these kinds, or it is not known */
};

struct skr_claim_spec {
    UT_hash_handle hh;                  /* the owner's, as the next twelve */
    size_t refs;                        /* of pods that need it */
    size_t kept;                        /* objects that ask for it */
    struct skr_claim_spec *prev, *next; /* among those that are read */
    struct skr_stock_share *payer,
        *writer; /* namespaces that it is counted for, while pods need it, and while it exists */
    /* Requests and selectors, known since it was read first, also while it is not. */
    bool sized;
    size_t size_requests, size_selectors;
    uint64_t size_steps;        /* skr_devices_stock_steps(), without the selectors of classes */
    enum skr_claim_reach reach; /* at reach_epoch */
    uint64_t reach_epoch;
    size_t
        n_regions; /* of REGIONS: the selectors as text, sorted; names of struct skr_stock_region */
    const char **region;
    struct skr_arena *arena; /* of what was read; NULL: it is not read */
    char *text;
    const char *why; /* it is unmodelled; "": it is modelled */
    size_t n_asks, n_requests, n_constraints;
    struct skr_claim_ask *ask;
    struct skr_claim_request *request;
    struct skr_claim_constraint *constraint;
};

/* Never NULL. Aborts without memory. It is not read. O(bytes of text). */
struct skr_claim_spec *skr_claim_spec_create(const char *text);
void skr_claim_spec_read(struct skr_claim_spec *spec); /* O(size) */
void skr_claim_spec_unread(struct skr_claim_spec *spec);
void skr_claim_spec_destroy(struct skr_claim_spec *spec); /* NULL allowed */
/* Whether the constraint is about the request. */
bool skr_claim_constraint_is_about(const struct skr_claim_constraint *constraint,
                                   const struct skr_claim_ask *ask,
                                   const struct skr_claim_request *request);
bool skr_claim_tolerates(const struct skr_claim_request *request,
                         const struct skr_device_taint *taint);

#endif
