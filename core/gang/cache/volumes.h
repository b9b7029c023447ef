/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_CACHE_VOLUMES_H
#define SKR_CORE_GANG_CACHE_VOLUMES_H
/*
 * Claims of volumes, volumes, their classes; csi.h has what drivers say. What is not known limits nothing:
 * kube-scheduler decides about it.
 *
 * Memory: some 70 bytes a claim, a volume or a use, 16 more with indexes. Equal rules about nodes are
 * stored once, up to SKR_VOLUME_RULES_MAX. With more than SKR_VOLUME_ROWS_MAX rows, more rules or more
 * than SKR_VOLUME_DRIVERS_MAX drivers at a time, nothing is known until the next start; the log says so. Names are
 * hashed with the secret of the process, 64 bits, as in claim_objects.h.
 */
#include "core/gang/state/gang.h"
#include "core/pod/pod.h"
#include "core/volume/objects.h"

enum {
    SKR_VOLUME_ROWS_MAX = 2000000, /* claims, volumes, classes, and what drivers say, together */
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
/* Groups with claims that wait are looked at again. O(groups). */
void skr_volumes_touch(struct skr_gang *e);
void skr_volumes_fini(struct skr_gang *e);

struct volume_rule;

struct volume_facts {
    bool known; /* the claim exists */
    bool late;  /* it has no volume, and its class waits for the first consumer */
    bool one_pod;
    /* That attaches it: 1 ..; 0: none. Of a late claim whose class has no provisioner: its pool, the free
     * volumes of the class. */
    uint16_t driver;
    uint32_t modes; /* of a late claim, as bytes; struct skr_volume_claim */
    int64_t bytes;
    uint64_t volume;               /* equal for claims of one volume */
    const struct skr_volume *rule; /* which nodes reach it; NULL: all */
    const char *host;              /* only the node of this host name; NULL */
    const char *node; /* only this node, which kube-scheduler has chosen for good; NULL */
    uint64_t
        class_; /* of a late claim whose driver makes the volume, and which no free one serves; 0 */
};
uint64_t skr_volumes_id(const struct skr_gang *e, const char *namespace_, const char *claim);
struct volume_facts skr_volumes_facts(const struct skr_gang *e, uint64_t claim);
/* Which nodes reach devices of an allocation: a node selector as text. A reference; NULL: all do, or there are too
 * many rules. */
struct volume_rule *skr_volumes_reach_get(struct skr_gang *e, const char *selector);
void skr_volumes_reach_forget(struct skr_gang *e, struct volume_rule *rule); /* NULL allowed */
const struct skr_volume *skr_volumes_reach(const struct volume_rule *rule);  /* NULL allowed */
/* Numbers of drivers hold until the next change of an object. */
const char *skr_volumes_driver(const struct skr_gang *e, uint16_t driver);
bool skr_volumes_names_pool(const char *driver);
bool skr_volumes_is_pool(const struct skr_gang *e, uint16_t driver);
/* Iterates over the free volumes of a pool that serve one of n such claims: *at begins as 0. *ret_host or
 * *ret_rule says which nodes reach it, as in struct volume_facts. */
bool skr_volumes_next_free(const struct skr_gang *e, size_t *at, uint16_t pool,
                           const struct volume_facts *claim, size_t n, const char **ret_host,
                           const struct skr_volume **ret_rule);

#endif
