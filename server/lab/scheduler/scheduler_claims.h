/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_LAB_SCHEDULER_SCHEDULER_CLAIMS_H
#define SKR_SERVER_LAB_SCHEDULER_SCHEDULER_CLAIMS_H
/* Shared by scheduler_devices.c, which chooses, and scheduler_claims.c, which writes. */
#include "server/lab/scheduler/scheduler_devices.h"

/* A ResourceClaim as the scheduler knows it. */
struct skr_sched_claim {
    UT_hash_handle hh;                 /* by key */
    const struct skr_claim_spec *spec; /* a reference; NULL: it is allocated, or asks for nothing */
    struct skr_device_claim *is;       /* as it was last seen */
    struct skr_volume *reach;          /* of its allocation; NULL: none, or all nodes reach it */
    bool assumed;                      /* in memory; until a change shows the allocation */
    char key[];                        /* NAMESPACE/NAME */
};
struct skr_sched_claim *skr_sched_claim_find(const struct skr_sched_devices *devices,
                                             const char *namespace_, const char *name);

/* claim: with its allocation; in memory it has that from now on. */
void skr_sched_devices_assume(struct skr_sched_devices *devices, const json_t *claim);
/* It has not. current: as it is; NULL: it is not there. */
void skr_sched_devices_forget(struct skr_sched_devices *devices, const json_t *claim,
                              const json_t *current);

/* What a pod needs on a node. */
struct skr_sched_asked {
    size_t n;
    struct skr_sched_claim *claim[SKR_POD_CLAIMS_MAX + 1]; /* NULL: of the extended resource */
    const struct skr_claim_spec *spec[SKR_POD_CLAIMS_MAX + 1];
    const struct skr_claim_spec *extended; /* the last of them, a reference; NULL: none */
};
/* Why the node is not for the pod; NULL: devices decide. skr_sched_asked_fini() it in both cases. */
const char *skr_sched_asked_make(const struct skr_sched_cache *cache, const struct skr_sched_pod *p,
                                 const struct skr_sched_node *node, struct skr_sched_asked *ret);
void skr_sched_asked_fini(struct skr_sched_devices *devices, struct skr_sched_asked *asked);

#endif
