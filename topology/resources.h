/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TOPOLOGY_RESOURCES_H
#define SKR_TOPOLOGY_RESOURCES_H
/*
 * Resource names and amounts. Amounts are int64: cpu in millicores, everything else in base units,
 * "pods" is one per pod (docs/reference.md). Names are interned
 * per engine into small ids so that vectors are arrays; a decoded object carries names (struct
 * skr_quantities), the engine turns them into ids (struct skr_amounts) once.
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
    SKR_RESOURCES_MAX = 256, /* distinct resource names in a cluster */
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

/* As used: sorted by resource id, amounts never 0. */
struct skr_amount {
    uint16_t resource;
    int64_t amount;
};
struct skr_amounts {
    size_t n;
    struct skr_amount *item;
};

struct skr_resource_names;
struct skr_resource_names *skr_resource_names_create(void); /* cpu, memory, pods are there */
void skr_resource_names_destroy(struct skr_resource_names *names);
/* Id of the name, added when new. -SKR_LIMIT beyond SKR_RESOURCES_MAX. */
int skr_resource_names_intern(struct skr_resource_names *names, const char *name, uint16_t *ret,
                              struct skr_error *error);
/* Id or -1. */
int skr_resource_names_find(const struct skr_resource_names *names, const char *name);
const char *skr_resource_names_get(const struct skr_resource_names *names, uint16_t id);
size_t skr_resource_names_count(const struct skr_resource_names *names);
/* What people call one of it, in the units above: a core, a GiB of memory or storage, a device. */
int64_t skr_resource_one(const char *name);

/* Parses one resource of a resource list: cpu in milli, others in whole units; negative amounts are
 * SKR_INVALID. */
int skr_resource_parse(const char *name, const char *quantity, int64_t *ret,
                       struct skr_error *error);

/* Interns all names of q; item array is heap memory, free with skr_amounts_fini. Zero amounts are
 * left out. */
int skr_amounts_intern(struct skr_resource_names *names, const struct skr_quantities *q,
                       struct skr_amounts *ret, struct skr_error *error);
void skr_amounts_fini(struct skr_amounts *a);
int64_t skr_amounts_get(const struct skr_amounts *a, uint16_t resource); /* 0 when absent */

#endif
