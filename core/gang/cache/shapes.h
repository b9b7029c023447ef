/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_CACHE_SHAPES_H
#define SKR_CORE_GANG_CACHE_SHAPES_H
/*
 * Shapes: what pods of one template have in common (requests, node selection, tolerations), held
 * once, by reference count.
 */
#include <uthash.h>

#include "core/gang/state/gang.h"
#include "core/pod/pod.h"

struct shape {
    UT_hash_handle hh;      /* by key */
    size_t refs;            /* pods in the cache, and vetoes */
    struct skr_pod *holder; /* a copy that keeps the shape's memory alive */
    const struct skr_pod_shape *spec;
    struct skr_amounts amounts;
};

enum { SHAPES_MAX = 64 }; /* distinct ones of a group that are looked at */
struct shapes {
    struct shape *item[SHAPES_MAX];
    size_t n;
};

struct shape *skr_shapes_get(struct skr_gang *e, const struct skr_pod *pod); /* a reference */
struct shape *skr_shapes_ref(struct shape *s);
void skr_shapes_unref(struct skr_gang *e, struct shape *s); /* NULL allowed */

/* Distinct shapes of the newcomers; beyond SHAPES_MAX the first ones decide eligibility and vetoes
 * find the rest. */
struct shapes skr_shapes_of(struct pod_entry *const *newcomers, size_t n);
/* The most of each resource that any of them asks for; skr_amounts_fini(). */
void skr_shapes_demand(const struct shapes *shapes, struct skr_amounts *ret);
/* Of what they ask for and no node offers the first name, with the most of it; name NULL: all of it
 * is offered. */
struct skr_quantity_item skr_shapes_absent(const struct skr_gang *e, const struct shapes *shapes);
/* Names of resources came or went: amounts of all shapes, and what is charged for them, follow. */
void skr_shapes_resolve(struct skr_gang *e);

#endif
