/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_FRAME_RESOURCE_H
#define SKR_CORE_FRAME_RESOURCE_H
/*
 * Resources of the Kubernetes API, as a scheduler names them: what it watches, how an object of it
 * is decoded, where it is written. All of them are constants of the scheduler that declares them;
 * everything here borrows them for the life of the process.
 *
 * Two schedulers may watch one resource, each with a type of its own: the server watches it once
 * and decodes each object for each of them.
 */
#include <jansson.h>
#include <stdbool.h>

#include "topology/base/json.h"
#include "topology/object.h"

struct skr_resource {
    const char *group; /* "" for the core group */
    const char *version;
    const char *plural; /* in URLs and permissions */
    const char *kind;
    bool namespaced;
};

/* Objects from a tape (topology/base/json.h), which costs a fraction of a tree. */
struct skr_object_reader {
    /* As decode() of the type. memory: of create_memory. */
    int (*read)(void *memory, const struct skr_json *json, void **ret, struct skr_error *error);
    /* What read() remembers of objects, for kinds of which there are many. It belongs to one thread. Both
     * NULL: nothing. */
    void *(*create_memory)(void);
    void (*destroy_memory)(void *memory);
};

/* How objects of a resource become memory of ours. */
struct skr_object_type {
    const struct skr_resource *resource;
    /* Borrows json. *ret is owned by the caller. SKR_INVALID with the path of the field, SKR_LIMIT. */
    int (*decode)(const json_t *json, void **ret, struct skr_error *error);
    void (*destroy)(void *object); /* NULL allowed */
    const struct skr_meta *(*meta)(const void *object);
    const struct skr_object_reader *reader; /* NULL: only from a tree */
};

struct skr_watch {
    const struct skr_object_type *type;
    const char *label_selector; /* NULL: all objects */
    bool optional;              /* the kind may not be installed: then there are none */
    bool may_be_forbidden;      /* the account may not read it: then there are none, and
                                   SKR_EVENT_FORBIDDEN says so; else its first list is waited for */
    const char *name;           /* in metrics and logs; NULL: the plural */
    bool users_only;            /* those in the namespaces of the system are left out by default */
    bool topology_only;         /* those in the namespace of the topology alone are asked for */
    bool seldom;                /* few clusters have any: no metrics before the first one */
    bool on_demand;             /* it does not run before skr_frame_watch(); the one of its type */
    const char *missing; /* what does not work if the account may not read it; NULL: unsaid */
};

enum { SKR_API_VERSION_MAX = 160 }; /* bytes of "group/version" with its NUL */

/* The same group, version and plural. */
bool skr_resource_is(const struct skr_resource *a, const struct skr_resource *b);
/* "group/version", or the version alone in the core group; cut at size. */
void skr_resource_api_version(const struct skr_resource *resource, char *buffer, size_t size);

#endif
