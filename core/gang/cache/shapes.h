/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_CACHE_SHAPES_H
#define SKR_CORE_GANG_CACHE_SHAPES_H
/*
 * Shapes: what pods of one template share (requests, node selection, tolerations), stored once, by
 * reference count.
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

enum { SHAPES_MAX = 64 }; /* distinct ones of a group that are considered */
struct shapes {
    struct shape *item[SHAPES_MAX];
    size_t n;
};

struct shape *skr_shapes_get(struct skr_gang *e, const struct skr_pod *pod); /* a reference */
struct shape *skr_shapes_ref(struct shape *s);
void skr_shapes_unref(struct skr_gang *e, struct shape *s); /* NULL allowed */

/* Distinct shapes of the newcomers. Beyond SHAPES_MAX the first ones decide eligibility, and vetoes
 * find the rest. */
struct shapes skr_shapes_of(struct pod_entry *const *newcomers, size_t n);
/* The maximum request of each resource; skr_amounts_fini(). */
void skr_shapes_demand(const struct shapes *shapes, struct skr_amounts *ret);
/* The first requested resource that no node offers, with its maximum request; name NULL: all are
 * offered. */
struct skr_quantity_item skr_shapes_absent(const struct skr_gang *e, const struct shapes *shapes);
/* Whether kube-scheduler may keep such a pod on its node for long before it binds it: it has claims, or
 * a class serves part of the request. */
bool skr_shapes_are_late(const struct skr_gang *e, const struct skr_pod_shape *s);
/* Resource names came or went: recomputes the amounts of all shapes and their charges. */
void skr_shapes_resolve(struct skr_gang *e);

#endif
