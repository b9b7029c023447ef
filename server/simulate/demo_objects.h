/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_SIMULATE_DEMO_OBJECTS_H
#define SKR_SERVER_SIMULATE_DEMO_OBJECTS_H
/*
 * A table of API objects as JSON, with the part of an API server's manners that the daemon relies
 * on: resource versions, UIDs, merge patches (RFC 7396) with preconditions, Bindings. Answers are
 * HTTP status codes, as the API server gives them. One thread; no clock: times come in.
 */
#include <jansson.h>

#include "topology/object.h"

enum skr_demo_kind {
    SKR_DEMO_NODE,
    SKR_DEMO_POD,
    SKR_DEMO_CONFIGMAP,
    SKR_DEMO_PODGROUP,
    SKR_DEMO_KIND_COUNT
};

enum {
    SKR_DEMO_OBJECTS_MAX = 100000,
    SKR_DEMO_PATCH_DEPTH_MAX = 64, /* nesting of a merge patch; deeper is answered 400 */
};

struct skr_demo_objects;

struct skr_demo_objects *skr_demo_objects_create(void);
void skr_demo_objects_destroy(struct skr_demo_objects *objects); /* NULL allowed */

/* Takes object. kind, metadata.namespace (but for nodes) and metadata.name must be there; uid,
 * creationTimestamp and resourceVersion are filled in. Errors: SKR_INVALID (kind, name), SKR_LIMIT,
 * SKR_CONFLICT (exists). ret_kind may be NULL. */
int skr_demo_objects_add(struct skr_demo_objects *objects, json_t *object, skr_time now,
                         enum skr_demo_kind *ret_kind, struct skr_error *error);
/* Borrowed, valid until the next change; NULL when there is none. namespace_ "" for nodes. */
json_t *skr_demo_objects_get(const struct skr_demo_objects *objects, enum skr_demo_kind kind,
                             const char *namespace_, const char *name);
/* The i-th of a kind in order of creation, or NULL. O(n). */
json_t *skr_demo_objects_at(const struct skr_demo_objects *objects, enum skr_demo_kind kind,
                            size_t i);

/* 200, 404, 409 (resourceVersion), 422 (uid), 400. */
int skr_demo_objects_patch(struct skr_demo_objects *objects, enum skr_demo_kind kind,
                           const char *namespace_, const char *name, const json_t *patch);
/* The same for a strategic merge patch of a pod, as far as ours go: spec.schedulingGates is merged
 * by name ("$patch":"delete" removes one), everything else is replaced. */
int skr_demo_objects_patch_gates(struct skr_demo_objects *objects, const char *namespace_,
                                 const char *name, const json_t *patch);
/* 201, 404, 409 (bound already, gated, another uid), 400. Labels and annotations of the Binding are
 * merged into the pod. */
int skr_demo_objects_bind(struct skr_demo_objects *objects, const char *namespace_,
                          const char *name, const json_t *binding);
/* Whether it was there. */
bool skr_demo_objects_remove(struct skr_demo_objects *objects, enum skr_demo_kind kind,
                             const char *namespace_, const char *name);

/* "a.b.c" below object: the string, "" when absent or no string. Keys with dots: use jansson. */
const char *skr_demo_text(const json_t *object, const char *path);
/* metadata.labels[key]; "" when absent. */
const char *skr_demo_label(const json_t *object, const char *key);

#endif
