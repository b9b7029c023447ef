/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TOPOLOGY_DEVICE_CLAIMS_H
#define SKR_TOPOLOGY_DEVICE_CLAIMS_H
/*
 * ResourceClaims (resource.k8s.io/v1), as far as kube-scheduler's hold on devices shows in them. It writes
 * status.allocation and status.reservedFor before it binds the pod. If the pod is not bound, it removes
 * the pod from reservedFor, and the allocation stays. A claim that is not allocated, and a
 * ResourceClaimTemplate, name the device classes of their requests; kube-scheduler takes no pod for which
 * one of these does not exist. What such a claim asks for is kept as text, with sorted keys: claims of one
 * template have equal texts (core/devices/claim_spec.h reads them).
 */
#include "topology/object.h"

enum {
    SKR_CLAIM_CONSUMERS_MAX = 256, /* status.reservedFor, says the API server */
    SKR_CLAIM_RESERVED_MAX = 1024,
    SKR_CLAIM_REQUESTS_MAX = 128,     /* the API server permits 32 */
    SKR_CLAIM_ALTERNATIVES_MAX = 128, /* of one request; the API server permits 8 */
    SKR_CLAIM_TERMS_MAX = 1024,       /* of an allocation's node selector; values of a term */
    SKR_CLAIM_CLASSES_MAX = 32,       /* distinct ones that are kept */
    SKR_CLAIM_RESULTS_MAX = 1024,     /* devices of an allocation; the API server permits 32 */
    SKR_CLAIM_TEXT_MAX = 64 * 1024,   /* bytes of what it asks for; beyond it is not kept */
};

/* In place of what a claim asks for that is not kept. */
#define SKR_CLAIM_NOT_KEPT "not kept"

/* A device that an allocation takes, or a share of it. */
struct skr_claim_device {
    const char *driver, *pool, *device;
    bool shared;       /* others may have shares, too */
    size_t n_consumed; /* capacities of which it consumes some, in billionths */
    const char **capacity;
    const skr_int128 *consumed;
};

struct skr_device_claim {
    struct skr_arena *arena;
    struct skr_meta meta;
    const char
        *pod_uid; /* of the pod that it was made for, its controller; "": it is a claim of users */
    bool allocated;
    bool fabric;               /* allocated, and not to one node: others reach its devices, too */
    size_t n_reserved;         /* entries of status.reservedFor */
    const char **reserved_for; /* [n_reserved] uids of pods */
    size_t n_classes;          /* 0: it is allocated */
    const char *class_[SKR_CLAIM_CLASSES_MAX]; /* names, none twice, in the order of the requests */
    const char *
        devices; /* spec.devices as text, or SKR_CLAIM_NOT_KEPT; "": it is allocated, or asks for none */
    size_t n_taken; /* of the allocation, without admin access */
    const struct skr_claim_device *taken;
    /* Of the allocation of a claim of users: which nodes reach its devices, a node selector as text with sorted
     * keys; "": all do, or it is too large. */
    const char *reach;
};

/* Borrows json. *ret is owned by the caller. Errors: SKR_INVALID (path of the field), SKR_LIMIT. */
int skr_device_claim_decode(const json_t *json, struct skr_device_claim **ret,
                            struct skr_error *error);
/* Of a ResourceClaimTemplate: the classes alone. */
int skr_device_template_decode(const json_t *json, struct skr_device_claim **ret,
                               struct skr_error *error);
void skr_device_claim_destroy(struct skr_device_claim *claim); /* NULL allowed */
SKR_AUTO_DEFINE(struct skr_device_claim, skr_device_claim_destroy)

#endif
