/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_LAB_STORE_STORE_H
#define SKR_SERVER_LAB_STORE_STORE_H
/*
 * The API server of the simulated cluster: objects with resource versions, and what a Kubernetes
 * API does to them, as one pure function over requests. No sockets, no threads, no clock: time is
 * passed in. server/lab/sandbox/http.h puts it on a socket, the models of the scheduler, the
 * controllers and the kubelet call it directly, and so does the engine's driver.
 *
 * One revision counter for the whole store; every change takes the next one and is kept in a
 * history that watches read. Histories are cut at SKR_STORE_HISTORY_MAX changes: a watch from
 * before that gets 410 Gone, as from etcd. Semantics are those of kube-apiserver 1.36 for what is
 * supported; what is not supported is refused with a Status, never ignored.
 *
 * Objects are jansson trees. What a caller gets is borrowed and must not be changed; what it gives
 * is copied.
 */
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "topology/base/error.h"
#include "topology/object.h"

enum {
    SKR_STORE_HISTORY_MAX = 1 << 20, /* changes kept for watches; a change shares what it did not
                                        touch with the object, 1 to 4 KB are its own */
    SKR_STORE_OBJECTS_MAX = 4000000,
    SKR_STORE_OBJECT_BYTES_MAX = 1536 * 1024, /* of one object's JSON, as etcd's request limit */
};

/* One row a resource: group, version, plural, kind, namespaced, verbs. The table is in resources.c;
 * discovery is written from it. */
struct skr_store_resource {
    const char *group;   /* "" core */
    const char *version; /* v1 */
    const char *plural;  /* pods */
    const char *singular;
    const char *kind;       /* Pod */
    const char *short_name; /* po; NULL none */
    bool namespaced;
    const char *const *subresources; /* NULL-terminated: status, binding, eviction */
    bool in_all;                     /* kubectl get all lists it */
    bool generation;                 /* metadata.generation counts changes of the spec */
    bool custom; /* of a CustomResourceDefinition: no strategic merge patch; there is no schema but
                    that of schema_tables.c */
    /* Whose objects these are, in another shape: events.k8s.io events are core events. NULL: its
     * own. Changes (skr_store_next_change) name the resource that keeps the objects, and carry
     * its shape; skr_store_present() gives the other one. */
    const char *kept_by;
};
size_t skr_store_resource_count(void);
const struct skr_store_resource *skr_store_resource_get(size_t i);
const struct skr_store_resource *skr_store_resource_find(const char *group, const char *version,
                                                         const char *plural);
const struct skr_store_resource *skr_store_resource_of_kind(const char *api_version,
                                                            const char *kind);
/* The one that keeps objects of this kind, which there must be. */
const struct skr_store_resource *skr_store_resource_keeping(const char *kind);

enum skr_store_verb {
    SKR_STORE_GET,
    SKR_STORE_LIST,
    SKR_STORE_CREATE,
    SKR_STORE_UPDATE,
    SKR_STORE_PATCH_MERGE,
    SKR_STORE_PATCH_STRATEGIC,
    SKR_STORE_PATCH_JSON,
    SKR_STORE_DELETE,
    SKR_STORE_DELETE_COLLECTION,
    SKR_STORE_VERB_COUNT
};

struct skr_store_request {
    enum skr_store_verb verb;
    const struct skr_store_resource *resource;
    const char *namespace_;  /* "" for cluster scope or all namespaces (LIST) */
    const char *name;        /* "" for LIST, CREATE */
    const char *subresource; /* "" none */
    const json_t *body;      /* CREATE, UPDATE, PATCH, DELETE (DeleteOptions or NULL) */
    /* The body is the store's from now on: nobody reads it after. It is made of what is in force, so it has
     * no nulls and is not too deep. Its top is nobody else's; for CREATE, which is of pods, its metadata and
     * spec are not either, and parts of the spec that others have, too, are those of a template in force. */
    bool given;
    const char *label_selector; /* "" none */
    const char *field_selector; /* "" none; metadata.name, metadata.namespace, spec.nodeName,
                                   status.phase, spec.schedulerName, involvedObject.* */
    int64_t limit;              /* 0 none */
    const char *continue_;      /* "" none */
    bool dry_run;
    bool strict; /* fields that the schema does not know are refused (fieldValidation=Strict) */
};

struct skr_store_reply {
    int status;   /* HTTP */
    json_t *body; /* new reference, owned by the caller: object, list or Status */
};

struct skr_store;
struct skr_store *skr_store_create(
    uint64_t uid_seed); /* uids are derived from the seed and a counter: same input, same uids */
void skr_store_destroy(struct skr_store *store); /* NULL allowed */

/* Mutating admission: pods that are created (not those that are put) come by, with their defaults
 * and before they are validated; it may change them. fn NULL: none. */
void skr_store_set_admission(struct skr_store *store,
                             void (*fn)(void *context, const char *namespace_, json_t *pod,
                                        skr_time now),
                             void *context);

/* Carries the request out at time now. Always fills reply (errors are Status objects with the code,
 * reason and message kube-apiserver would give). O(log n) for one object, O(n) for lists. */
void skr_store_handle(struct skr_store *store, const struct skr_store_request *request,
                      skr_time now, struct skr_store_reply *reply);

/* The object in the shape of this resource: a new reference. */
json_t *skr_store_present(const struct skr_store_resource *resource, const json_t *object);

/* Shortcuts for the models: kinds are those of the resource that keeps the objects ("Event" is the
 * core one); borrowed object or NULL, valid until it is changed; status of a change (HTTP), with
 * the message of the Status in error (NULL allowed) when it is 400 or more. */
const json_t *skr_store_get(const struct skr_store *store, const char *kind, const char *namespace_,
                            const char *name);
/* Creates or replaces, as `kubectl create` would but status included, and without what only time
 * and controllers can have done right: uid, creationTimestamp, ownerReferences, status and a
 * nodeName are taken as they are when they are there, the namespace is made when it is missing,
 * immutable fields may change. For loading manifests and dumps. Defaults are filled in, priority
 * classes are looked up, names and specs are validated. */
int skr_store_put(struct skr_store *store, const json_t *object, skr_time now,
                  struct skr_error *error);
int skr_store_merge(struct skr_store *store, const char *kind, const char *namespace_,
                    const char *name, const char *subresource, const json_t *patch, skr_time now,
                    struct skr_error *error);
/* A Binding of the pod, which must have this uid (NULL: any). */
int skr_store_bind(struct skr_store *store, const char *namespace_, const char *name,
                   const char *uid, const char *node, skr_time now, struct skr_error *error);
/* An Event of events.k8s.io/v1; the note is cut at 1024 bytes. */
struct skr_store_event {
    const char *api_version, *kind, *namespace_, *name, *uid; /* regarding */
    const char *type, *reason, *action, *note;
    const char *controller, *instance;
};
json_t *skr_store_event_write(const struct skr_store_event *event, skr_time now);
/* Creates it. */
void skr_store_note(struct skr_store *store, const json_t *event, skr_time now);
/* With the kind's own grace. */
int skr_store_delete(struct skr_store *store, const char *kind, const char *namespace_,
                     const char *name, skr_time now);
uint64_t skr_store_revision(const struct skr_store *store);
/* Keeps fewer changes than SKR_STORE_HISTORY_MAX from now on, at least one: a store that lives long
 * and whose readers are quick. */
void skr_store_limit_history(struct skr_store *store, size_t changes);
/* Changes up to the revision have been read by everybody who reads. O(changes that go). */
void skr_store_forget_history(struct skr_store *store, uint64_t revision);
/* Objects of a kind in (namespace, name) order; visit returns false to stop. */
void skr_store_each(const struct skr_store *store, const char *kind,
                    bool (*visit)(void *context, const json_t *object), void *context);

/* ---- watches ---- */
enum skr_store_change_kind {
    SKR_STORE_ADDED,
    SKR_STORE_MODIFIED,
    SKR_STORE_DELETED,
    SKR_STORE_CHANGE_KIND_COUNT
};
struct skr_store_change {
    enum skr_store_change_kind kind;
    uint64_t revision;
    const struct skr_store_resource *resource;
    const json_t *object; /* after the change; for DELETED the last state with the revision of the
                             deletion; borrowed */
    const json_t *before; /* NULL for ADDED; borrowed */
};
/* The first change after revision, of any resource; false: none yet. *gone is set when the history
 * does not reach back that far. Filtering by selector, and what a change means to a selecting watch
 * (an object that stops matching is DELETED), are the watcher's affair. O(log n). */
bool skr_store_next_change(const struct skr_store *store, uint64_t revision,
                           struct skr_store_change *ret, bool *gone);

#endif
