/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_CACHE_VOLUMES_H
#define SKR_CORE_GANG_CACHE_VOLUMES_H
/*
 * Claims of volumes, volumes, their classes, how many volumes each node attaches, and which bound pods use
 * which claims. What is not known limits nothing: kube-scheduler decides about it.
 *
 * Memory: some 70 bytes a claim, a volume or a use, 16 more with indexes. Equal rules about nodes are
 * stored once, up to SKR_VOLUME_RULES_MAX. With more than SKR_VOLUME_ROWS_MAX rows, more rules or more
 * than SKR_VOLUME_DRIVERS_MAX drivers, nothing is known until the next start; the log says so. Names are
 * hashed with the secret of the process, 64 bits, as in claim_objects.h.
 */
#include "core/gang/state/gang.h"
#include "core/pod/pod.h"
#include "core/volume/objects.h"

enum {
    SKR_VOLUME_ROWS_MAX = 2000000, /* claims, volumes, classes, limits and uses together */
    SKR_VOLUME_RULES_MAX = 16384,  /* distinct ones of volumes that name more than one host */
    SKR_VOLUME_DRIVERS_MAX = 256,
};

/* What changed wakes groups with claims. Objects stay the caller's. */
void skr_volumes_claim_upsert(struct skr_gang *e, const struct skr_volume_claim *claim);
void skr_volumes_claim_delete(struct skr_gang *e, const char *namespace_, const char *name);
void skr_volumes_upsert(struct skr_gang *e, struct skr_volume *volume); /* takes it */
void skr_volumes_delete(struct skr_gang *e, const char *name);
void skr_volumes_class_upsert(struct skr_gang *e, const struct skr_storage_class *class_);
void skr_volumes_class_delete(struct skr_gang *e, const char *name);
void skr_volumes_node_upsert(struct skr_gang *e, const struct skr_csi_node *node);
void skr_volumes_node_delete(struct skr_gang *e, const char *name);
/* A version of a pod: its claims are in use while it is on a node and has not ended. O(its claims). */
void skr_volumes_note_pod(struct skr_gang *e, const struct skr_pod *pod);
void skr_volumes_forget_pod(struct skr_gang *e, const char *uid);
void skr_volumes_mark_names(const struct skr_gang *e); /* for names_sweep.c */
void skr_volumes_fini(struct skr_gang *e);

struct volume_facts {
    bool known; /* the claim exists */
    bool late;  /* it has no volume, and its class waits for the first consumer */
    bool one_pod;
    uint16_t driver;               /* that attaches it: 1 ..; 0: none */
    uint64_t volume;               /* equal for claims of one volume */
    const struct skr_volume *rule; /* which nodes reach it; NULL: all */
    const char *host;              /* only the node of this host name; NULL */
};
uint64_t skr_volumes_id(const struct skr_gang *e, const char *namespace_, const char *claim);
struct volume_facts skr_volumes_facts(const struct skr_gang *e, uint64_t claim);
const char *skr_volumes_driver(const struct skr_gang *e, uint16_t driver);
/* Volumes of the driver that the node attaches; INT32_MAX: no limit. */
int32_t skr_volumes_limit(const struct skr_gang *e, const char *node, uint16_t driver);
/* Whether any node has a limit for it. O(limits) at worst. */
bool skr_volumes_has_limit(const struct skr_gang *e, uint16_t driver);
/* Iterates over uses by bound pods: *at begins as 0. */
bool skr_volumes_next_use(const struct skr_gang *e, size_t *at, uint64_t *ret_claim,
                          const char **ret_node);
/* The node of a bound pod, other than uid, that uses the claim; NULL: none. */
const char *skr_volumes_user(const struct skr_gang *e, uint64_t claim, const char *uid);

#endif
