/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_CACHE_VOLUME_ROWS_H
#define SKR_CORE_GANG_CACHE_VOLUME_ROWS_H
/* The tables behind volumes.h and csi.h, for these two. */
#include "core/gang/cache/volumes.h"
#include "topology/base/hash.h"
#include "topology/base/slab.h"

#include <uthash.h>

enum {
    SKR_CAPACITY_KEYS_MAX = 32,  /* lists of label keys that are looked up; others become rules */
    SKR_CAPACITY_LABELS_MAX = 8, /* keys of such a list */
};

/* A rule about nodes, shared by volumes with equal texts. */
struct volume_rule {
    UT_hash_handle hh; /* by the text */
    size_t refs;
    struct skr_volume *holder;
};

struct claim_row {
    uint64_t id, volume, class_; /* hashes; 0: none */
    uint64_t uid, attributes;
    char *selected;               /* the only node; NULL */
    struct volume_rule *selector; /* over labels of volumes; NULL: all */
    bool one_pod;
    uint32_t modes;
    int64_t bytes;
};
struct volume_row {
    uint64_t id, unique;
    uint64_t class_, attributes;
    uint64_t claim, claim_uid; /* that it is for; 0: none, any */
    struct volume_rule *rule;
    char *host;
    char *labels; /* of one that is free; NULL: none */
    uint16_t driver;
    bool free, goes;
    uint32_t modes;
    int64_t bytes;
};
struct class_row {
    uint64_t id;
    struct volume_rule *reach; /* where its provisioner makes volumes; NULL: on all nodes */
    uint16_t driver;           /* of its provisioner, or its pool */
    bool late, none;           /* none: it has no provisioner */
};
struct limit_row {
    uint64_t id; /* of the node */
    int32_t most;
    uint16_t driver;
};
struct capacity_row {
    uint64_t id, spot; /* spot: csi.c */
    int64_t bytes;
    struct volume_rule *rule; /* NULL: its spot says all */
};
struct attachment_row {
    uint64_t id, volume;
    const char *node; /* from skr_names_intern() */
    uint16_t driver;
};

/* Every row begins with its id. */
struct table {
    struct skr_slab row;
    struct skr_hash_index by_id;
};

/* Label keys by which CSIStorageCapacities name their nodes. */
struct capacity_keys {
    size_t n;
    char *key[SKR_CAPACITY_LABELS_MAX];
};

struct volumes {
    struct table claim, volume, class_, limit, capacity, attachment;
    struct skr_hash_index by_spot; /* rows of capacity */
    struct capacity_keys keys[SKR_CAPACITY_KEYS_MAX];
    size_t n_keys;
    struct volume_rule *rules;
    size_t n_rules, n_rows;
    char *driver[SKR_VOLUME_DRIVERS_MAX]; /* by their numbers, from 1; NULL: free */
    struct about_driver {
        size_t n_limits; /* nodes that have one */
        bool says_capacity, must_run;
    } about[SKR_VOLUME_DRIVERS_MAX + 1]; /* by the numbers of drivers */
    uint16_t newest;                     /* the number of a driver that was asked for last */
    bool full, no_nodes, no_capacity;    /* no_: they may not be read */
};

enum {
    OF_VOLUME = 'v',
    OF_CLASS = 's',
    OF_NODE = 'n',
    OF_HANDLE = 'h',
    OF_CAPACITY = 'k',
    OF_LABEL = 'l',
    OF_ATTACHMENT = 'a',
    OF_UID = 'u',
    OF_ATTRIBUTES = 't',
};

struct volumes *skr_volume_rows(struct skr_gang *e); /* made if there are none */
/* A hash of two texts; never 0. */
uint64_t skr_volume_rows_id(const struct skr_gang *e, int kind, const char *a, const char *b);
/* The next row of that id: *at begins as 0. NULL: there is no other. */
void *skr_volume_rows_next(const struct table *t, uint64_t id, size_t *at, uint32_t *ret_number);
void *skr_volume_rows_find(const struct table *t, uint64_t id);
/* NULL: there are too many. ret_number: NULL allowed. */
void *skr_volume_rows_add(struct skr_gang *e, struct table *t, uint64_t id, uint32_t *ret_number);
void skr_volume_rows_drop(struct volumes *v, struct table *t, uint64_t id, uint32_t number);
/* Removes a row of that id; false: there is none. */
bool skr_volume_rows_drop_id(struct skr_gang *e, struct table *t, uint64_t id);
/* Nothing is known any more: plans go without, until the next start. */
void skr_volume_rows_give_up(struct skr_gang *e, const char *what);
/* The number of a driver, until no object names it; 0: none, or there are too many. O(drivers), and O(rows) if all
 * numbers are in use. */
uint16_t skr_volume_rows_driver(struct skr_gang *e, const char *name);
/* The same; 0: it has none. */
uint16_t skr_volume_rows_find_driver(const struct volumes *v, const char *name);
void skr_volume_rows_fini(struct table *t);

#endif
