/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_CACHE_SHAPES_H
#define SKR_CORE_GANG_CACHE_SHAPES_H
/*
 * Shapes: what pods of one template share (requests, node selection, tolerations), stored once, by
 * reference count. Vetoes: nodes that kube-scheduler refused to a shape although they fit as far as
 * the planner knows, each for SKR_VETO_S.
 */
#include <uthash.h>

#include "core/gang/state/gang.h"
#include "core/pod/pod.h"

enum { SKR_VETO_S = 60 };

struct veto {
    UT_hash_handle hh;
    char *node;
    skr_time until;
    bool refused; /* a planned node: a probe without the rest of the gang proves less */
};

struct probed {
    UT_hash_handle hh;
    char *node;
};

struct shape {
    UT_hash_handle hh;      /* by key */
    size_t refs;            /* pods in the cache */
    struct skr_pod *holder; /* a copy that keeps the shape's memory alive */
    const struct skr_pod_shape *spec;
    struct skr_amounts amounts;
    struct veto *vetoes;
    struct probed *probed; /* nodes that a probe has listed */
    bool vetoed_once;
};

enum { SHAPES_MAX = 64 }; /* distinct ones of a group that are considered */
struct shapes {
    struct shape *item[SHAPES_MAX];
    size_t n;
};

struct shape *skr_shapes_get(struct skr_gang *e, const struct skr_pod *pod); /* a reference */
struct shape *skr_shapes_ref(struct shape *s);
void skr_shapes_unref(struct skr_gang *e, struct shape *s); /* NULL allowed */
bool skr_shapes_is_vetoed(struct skr_gang *e, struct shape *s, const char *node);
void skr_shapes_veto(struct skr_gang *e, struct shape *s, const char *node);
/* A veto for a planned node; no probe ends it. */
void skr_shapes_refuse(struct skr_gang *e, struct shape *s, const char *node);
size_t skr_shapes_refused_nodes(struct skr_gang *e, struct shape *s);
/* A probe lists the node; true if that ended a veto. */
bool skr_shapes_probe_ends_veto(struct skr_gang *e, struct shape *s, const char *node);
/* The node or its pods changed: ends its vetoes for all shapes. O(1) without any veto. */
void skr_shapes_end_vetoes(struct skr_gang *e, const char *node);
/* A probe lists the node: it passes kube-scheduler's own filters. Recorded only for shapes that
 * once had a veto. */
void skr_shapes_note_probed(struct shape *s, const char *node);
bool skr_shapes_was_probed(const struct shape *s, const char *node);

/* Distinct shapes of the newcomers. Beyond SHAPES_MAX the first ones decide eligibility, and vetoes
 * find the rest. */
struct shapes skr_shapes_of(struct pod_entry *const *newcomers, size_t n);
/* The maximum request of each resource; skr_amounts_fini(). */
void skr_shapes_demand(const struct shapes *shapes, struct skr_amounts *ret);
/* The first requested resource that no node offers, with its maximum request; name NULL: all are
 * offered. */
struct skr_quantity_item skr_shapes_absent(const struct skr_gang *e, const struct shapes *shapes);
/* Resource names came or went: recomputes the amounts of all shapes and their charges. */
void skr_shapes_resolve(struct skr_gang *e);

#endif
