/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TOPOLOGY_RESOURCES_H
#define SKR_TOPOLOGY_RESOURCES_H
/*
 * Resource names and amounts. Amounts are int64: cpu in millicores, everything else in base units,
 * "pods" is one per pod (docs/reference.md). A decoded object carries names (struct skr_quantities);
 * the table of names turns them into small ids (struct skr_amounts), so that vectors are arrays.
 *
 * The names in the table are those that nodes offer, counted: a name comes with the first node that
 * offers it and goes with the last, and its id may then be another's. So what a pod asks for cannot
 * fill the table: a request that no node offers becomes one of SKR_RESOURCE_ABSENT, of which there
 * is none anywhere. Whoever keeps amounts of pods resolves them anew when the version changes.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "topology/base/arena.h"
#include "topology/base/error.h"

enum {
    SKR_RESOURCE_CPU = 0,
    SKR_RESOURCE_MEMORY = 1,
    SKR_RESOURCE_PODS = 2,
    SKR_RESOURCE_ABSENT = 3,     /* stands for every name that no node offers */
    SKR_RESOURCES_MAX = 256,     /* ids: the four above, and other names that nodes offer */
    SKR_NODE_RESOURCES_MAX = 64, /* names that one node offers */
};

/* As decoded: names borrowed from the object's arena, sorted by name, no name twice. */
struct skr_quantity_item {
    const char *name;
    int64_t amount;
};
struct skr_quantities {
    size_t n;
    struct skr_quantity_item *item;
};

/* The first resource, in byte order, of which a and b have different amounts (absent: 0). false:
 * they are the same. name is borrowed. */
bool skr_quantities_differ(const struct skr_quantities *a, const struct skr_quantities *b,
                           const char **ret_name, int64_t *ret_a, int64_t *ret_b);

/* The same names with the same amounts. */
bool skr_quantities_equal(const struct skr_quantities *a, const struct skr_quantities *b);

/* As used: sorted by resource id, amounts never 0. */
struct skr_amount {
    uint16_t resource;
    bool by_class; /* of a request: no limit on nodes that do not list the resource */
    int64_t amount;
};
struct skr_amounts {
    size_t n;
    struct skr_amount *item;
};

struct skr_device_classes;
struct skr_resource_names;
struct skr_resource_names *skr_resource_names_create(void); /* cpu, memory, pods are there */
void skr_resource_names_destroy(struct skr_resource_names *names);
/* The classes that serve names; the caller keeps them up to date. */
struct skr_device_classes *skr_resource_names_classes(struct skr_resource_names *names);
/* The classes are not known: every extended resource that no node lists counts as served. false. */
void skr_resource_names_assume_classes(struct skr_resource_names *names, bool assume);
/* Whether a request for the name is none of ours on nodes that do not list it. *ret_class (NULL
 * allowed): the class that serves it, borrowed until a change; NULL: one is assumed, or none does. */
bool skr_resource_names_is_served(const struct skr_resource_names *names, const char *name,
                                  const char **ret_class);
/* Whether that holds for a name of which q has more than 0. O(q). */
bool skr_quantities_are_served(const struct skr_resource_names *names,
                               const struct skr_quantities *q);
/* Grows when a name comes or goes, or when it is served by another class or by none. */
uint64_t skr_resource_names_version(const struct skr_resource_names *names);
/* Id, or -1: no node offers it. */
int skr_resource_names_find(const struct skr_resource_names *names, const char *name);
/* NULL for an id that has no name (now), as SKR_RESOURCE_ABSENT. */
const char *skr_resource_names_get(const struct skr_resource_names *names, uint16_t id);
/* What a node offers becomes q; *offer is what it offered before (all zero: nothing) and becomes
 * the ids, heap memory for skr_amounts_fini(). Zero amounts are left out. -SKR_LIMIT when q has more
 * than SKR_NODE_RESOURCES_MAX names, or the table is full: then the node offers nothing. */
int skr_resource_names_offer(struct skr_resource_names *names, const struct skr_quantities *q,
                             struct skr_amounts *offer, struct skr_error *error);
/* The same as an offer of nothing, which cannot fail. */
void skr_resource_names_withdraw(struct skr_resource_names *names, struct skr_amounts *offer);
/* What a pod asks for. One of SKR_RESOURCE_ABSENT when a name of an amount is neither offered nor
 * served. ret: heap memory for skr_amounts_fini(). Zero amounts are left out. */
void skr_amounts_resolve(const struct skr_resource_names *names, const struct skr_quantities *q,
                         struct skr_amounts *ret);
/* The first name of q, in byte order, that no node offers and no class serves; NULL: there is none. */
const struct skr_quantity_item *skr_quantities_absent(const struct skr_resource_names *names,
                                                      const struct skr_quantities *q);
/* What people call one of it, in the units above: a core, a GiB of memory or storage, a device. */
int64_t skr_resource_one(const char *name);

/* Parses one resource of a resource list: cpu in milli, others in whole units; negative amounts are
 * SKR_INVALID. */
int skr_resource_parse(const char *name, const char *quantity, int64_t *ret,
                       struct skr_error *error);

void skr_amounts_fini(struct skr_amounts *a);
bool skr_amounts_equal(const struct skr_amounts *a, const struct skr_amounts *b);
int64_t skr_amounts_get(const struct skr_amounts *a, uint16_t resource); /* 0 when absent */

#endif
