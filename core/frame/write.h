/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_FRAME_WRITE_H
#define SKR_CORE_FRAME_WRITE_H
/*
 * One request that changes or reads one object of the API server, and how it can end. Where it goes
 * follows from resource, namespace, name and subresource; how its body is to be read, from the verb.
 */
#include "core/frame/resource.h"

enum skr_write_verb {
    SKR_VERB_GET,             /* read-backs after an unknown outcome or a conflict */
    SKR_VERB_CREATE,          /* POST: to the collection, or to a subresource of a named object */
    SKR_VERB_UPDATE,          /* PUT */
    SKR_VERB_MERGE_PATCH,     /* RFC 7386 */
    SKR_VERB_STRATEGIC_PATCH, /* lists of built-in kinds are merged by their key */
    SKR_VERB_JSON_PATCH,      /* RFC 6902 */
    SKR_VERB_DELETE,          /* body: DeleteOptions, or "" */
    SKR_WRITE_VERB_COUNT
};

/* Order of the one rate limiter (docs/ARCHITECTURE.md); lower goes first. EVENT may be dropped. */
enum skr_write_class {
    SKR_WRITE_CLASS_COMMIT, /* what a decision waits for: plans, Bindings, decisions, read-backs */
    SKR_WRITE_CLASS_MEMBER, /* gates and nominations, by order of the plans */
    SKR_WRITE_CLASS_LOOKUP, /* reads of objects that users name; what waits for one goes on without it */
    SKR_WRITE_CLASS_EVICT,
    SKR_WRITE_CLASS_STATUS, /* status that people and controllers read */
    SKR_WRITE_CLASS_LABEL,  /* labels that only inform */
    SKR_WRITE_CLASS_EVENT,
    SKR_WRITE_CLASS_COUNT
};

enum skr_write_outcome {
    SKR_WRITE_OK,
    SKR_WRITE_CONFLICT,  /* 409: AlreadyExists of a CREATE too */
    SKR_WRITE_NOT_FOUND, /* 404, 410 */
    SKR_WRITE_INVALID,   /* 400, 413, 422: never going to work as it is */
    SKR_WRITE_DENIED,    /* 403 */
    SKR_WRITE_BUSY,      /* 429, 401 (credentials are read again): not applied */
    SKR_WRITE_UNKNOWN,   /* time-out, reset, 5xx: may or may not have been applied */
    SKR_WRITE_DROPPED,   /* never sent (droppable class, shutting down) */
    SKR_WRITE_OUTCOME_COUNT
};

struct skr_write {
    uint64_t id; /* given by the frame: unique within one engine */
    enum skr_write_verb verb;
    const struct skr_resource *resource;
    const char *subresource; /* "" or "status", "binding", "eviction" */
    enum skr_write_class class;
    uint64_t order;         /* within the class: lower goes first, equal ones as they come */
    const char *namespace_; /* "" for cluster-scoped resources */
    const char *name;       /* "" when a CREATE's body has it */
    const char *body;       /* JSON; "" for none */
    size_t body_len;
    const struct skr_object_type *answer; /* decodes the object of an OK answer; NULL: not wanted */
};

/* "get", "create", "update", "patch", "patch", "patch", "delete": what permissions call it. */
const char *skr_write_verb_name(enum skr_write_verb verb);
const char *skr_write_class_name(enum skr_write_class class);

#endif
