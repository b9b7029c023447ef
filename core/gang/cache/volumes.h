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
/* Groups with volume claims may fit now. O(1). */
void skr_volumes_touch(struct skr_gang *e);
/* The same for groups whose pods name the claim, which skr_volumes_id() has. O(these pods). */
void skr_volumes_touch_claim(struct skr_gang *e, uint64_t claim);
void skr_volumes_fini(struct skr_gang *e);

struct volume_rule;

struct volume_facts {
    bool known; /* the claim exists */
    bool late;  /* it has no volume, and its class waits for the first consumer */
    bool one_pod;
    /* That attaches it: 1 ..; 0: none. Of a late claim whose class has no provisioner: its pool, the free
     * volumes of the class. */
    uint16_t driver;
    /* Of a late claim, as all up to modes: its driver makes a volume if none that exists serves it. */
    bool made;
    uint64_t class_, attributes, uid;
    const struct skr_volume *selector; /* volumes by their labels; NULL: any */
    int64_t bytes;
    uint32_t modes;  /* struct skr_volume_claim */
    uint64_t volume; /* equal for claims of one volume */
    /* Which nodes reach it, or a volume that is made for it; NULL: all. */
    const struct skr_volume *rule;
    const char *host; /* only the node of this host name; NULL */
    const char *node; /* only this node, which kube-scheduler has chosen for good; NULL */
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

/* A volume that a late claim may take. Borrowed until the next change. */
struct skr_free_volume {
    uint64_t class_, attributes;
    uint64_t claim, claim_uid; /* for which alone it is; 0: for any, of any uid */
    uint32_t modes;
    int64_t bytes;
    const char *host, *labels;     /* host: as in struct volume_facts; labels: "": none */
    const struct skr_volume *rule; /* its node affinity; NULL: all nodes reach it */
};
/* Iterates over them: *at begins as 0. */
bool skr_volumes_next(const struct skr_gang *e, size_t *at, struct skr_free_volume *ret);
/* As FindMatchingVolume() of k8s.io/component-helpers/storage/volume, but for the node and the choice of the
 * smallest. O(1), and O(labels) if the claim selects by them. */
bool skr_volumes_serves(const struct skr_free_volume *volume, const struct volume_facts *claim);

#endif
