/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TOPOLOGY_DEVICE_CLASSES_H
#define SKR_TOPOLOGY_DEVICE_CLASSES_H
/*
 * Device classes (resource.k8s.io/v1 DeviceClass), as far as they serve requests of containers: a
 * request for an extended resource that a node does not list is a request for devices of a class
 * (KEP-5004). A class serves two names: its spec.extendedResourceName, and SKR_DEVICE_CLASS_PREFIX
 * with its own name behind it.
 */
#include "topology/object.h"

#define SKR_DEVICE_CLASS_PREFIX "deviceclass.resource.kubernetes.io/"

enum { SKR_CLASS_SELECTORS_MAX = 256 }; /* the API server permits 32 */

struct skr_device_class {
    struct skr_arena *arena;
    struct skr_meta meta;
    const char *resource; /* spec.extendedResourceName; "" when absent */
    size_t n_selectors;
    const char **selector; /* expressions of CEL; "": a selector of another kind */
};

/* Borrows json. *ret is owned by the caller. Errors: SKR_INVALID (path of the field), SKR_LIMIT. */
int skr_device_class_decode(const json_t *json, struct skr_device_class **ret,
                            struct skr_error *error);
void skr_device_class_destroy(struct skr_device_class *class); /* NULL allowed */

/* The classes there are, by the names of resources that they serve. */
struct skr_device_classes;
struct skr_device_classes *skr_device_classes_create(void);
void skr_device_classes_destroy(struct skr_device_classes *classes); /* NULL allowed */
/* A class came, or changed; copied. O(classes). */
void skr_device_classes_put(struct skr_device_classes *classes,
                            const struct skr_device_class *class);
/* It went. O(classes). */
void skr_device_classes_remove(struct skr_device_classes *classes, const char *name);
/* Grows when the class of a resource, or whether there is one, may be another. */
uint64_t skr_device_classes_version(const struct skr_device_classes *classes);
/* The class that serves the resource, borrowed until a change; NULL: none. Of several classes the
 * youngest, then the first by name (k8s.io/dynamic-resource-allocation, extendedresourcecache).
 * O(log classes). */
const char *skr_device_classes_find(const struct skr_device_classes *classes, const char *resource);
/* Whether there is a class of this name. O(log classes). */
bool skr_device_classes_has(const struct skr_device_classes *classes, const char *name);

#endif
