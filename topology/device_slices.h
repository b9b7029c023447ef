/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TOPOLOGY_DEVICE_SLICES_H
#define SKR_TOPOLOGY_DEVICE_SLICES_H
/*
 * ResourceSlices (resource.k8s.io/v1): the devices that a driver offers, in the order in which
 * kube-scheduler looks at them. A slice is part of a pool. Devices may share a kind: what most of them have
 * alike, beside values of their own. Quantities are in billionths.
 */
#include "topology/object.h"

enum {
    SKR_SLICE_DEVICES_MAX = 1024, /* of a slice; the API server permits 128 */
    SKR_SLICE_USES_MAX = 4096,    /* counters of a slice, or those that one device uses */
    SKR_DEVICE_FIELDS_MAX = 256,  /* attributes, capacities, taints of one device: each */
};

enum skr_device_value {
    SKR_DEVICE_VALUE_OTHER, /* a list, or a type that is not known */
    SKR_DEVICE_VALUE_STRING,
    SKR_DEVICE_VALUE_INT,
    SKR_DEVICE_VALUE_BOOL,
    SKR_DEVICE_VALUE_VERSION,
};

struct skr_device_attribute {
    const char *name; /* "DOMAIN/ID", or "ID" of the driver's own */
    enum skr_device_value kind;
    int64_t integer;  /* INT; BOOL: 0 or 1 */
    const char *text; /* STRING, VERSION; else "" */
};

/* Which amounts of a capacity a request may have. */
struct skr_device_policy {
    bool has_default, has_range, has_max, has_step;
    skr_int128 default_, min, max, step;
    size_t n_values; /* the only ones, ascending; 0: none are named */
    const skr_int128 *value;
};

struct skr_device_capacity {
    const char *name; /* as that of attributes */
    skr_int128 value;
    const struct skr_device_policy *policy; /* NULL: none */
};

/* An amount of a counter of the pool: that there is, or that a device uses. */
struct skr_device_counter {
    const char *set, *name;
    skr_int128 value;
};

struct skr_device_taint {
    const char *key, *value, *effect;
};

/* Which nodes reach what a slice offers. None of them is set: no node does. */
struct skr_device_reach {
    const char *node;     /* the one that does; "": others */
    bool all;             /* all nodes do */
    const char *selector; /* those that match this node selector, as text with sorted keys; "" */
};

/* What devices have alike. */
struct skr_device_kind {
    uint64_t id; /* of kinds of a stock (core/devices/kinds.h), never given again; else 0 */
    size_t n_attributes, n_capacities, n_counters, n_taints;
    const struct skr_device_attribute
        *attribute; /* with the values of those that have none of their own */
    const struct skr_device_capacity *capacity;
    const struct skr_device_counter *counter; /* that each uses */
    const struct skr_device_taint *taint;
    bool shared; /* allowMultipleAllocations */
    bool binds;  /* they have binding conditions: their pool comes last */
    bool groups; /* they have compatibility groups, which are not modelled */
};

enum { SKR_DEVICE_OWN_SET = UINT16_MAX };

/* A value instead of that of the kind. */
struct skr_device_own {
    uint16_t at;   /* the attribute; SKR_DEVICE_OWN_SET: the set of all its counters */
    uint16_t kind; /* enum skr_device_value */
    union {
        int64_t integer;
        const char *text; /* STRING, VERSION */
    } value;
};

struct skr_device {
    const char *name;
    const struct skr_device_kind *kind;
    const struct skr_device_own *own;
    size_t n_own;
};

struct skr_device_slice {
    struct skr_arena *arena;
    struct skr_meta meta;
    const char *driver, *pool;
    int64_t generation, n_slices; /* of the pool; slices of the newest generation count */
    struct skr_device_reach reach;
    const struct skr_device_reach
        *reach_of; /* [device] perDeviceNodeSelection; NULL: all have that of the slice */
    size_t n_devices, n_counters;
    const struct skr_device *device;
    const struct skr_device_counter *counter; /* of the pool */
};

/* Borrows json. *ret is owned by the caller. Errors: SKR_INVALID (path of the field), SKR_LIMIT. */
int skr_device_slice_decode(const json_t *json, struct skr_device_slice **ret,
                            struct skr_error *error);
void skr_device_slice_destroy(struct skr_device_slice *slice); /* NULL allowed */
SKR_AUTO_DEFINE(struct skr_device_slice, skr_device_slice_destroy)

/* An attribute, or a counter that it uses, by its number in the kind. O(values of its own). */
struct skr_device_attribute skr_device_attribute(const struct skr_device *device, size_t i);
struct skr_device_counter skr_device_counter(const struct skr_device *device, size_t i);
/* Whatever their names are. */
bool skr_device_same_value(const struct skr_device_attribute *a,
                           const struct skr_device_attribute *b);

#endif
