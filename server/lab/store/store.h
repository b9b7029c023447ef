/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_LAB_STORE_STORE_H
#define SKR_SERVER_LAB_STORE_STORE_H
/*
 * The API server of the simulated cluster: objects with resource versions, and the operations of a
 * Kubernetes API, as one pure function over requests. No sockets, no threads, no clock: time is an
 * argument. server/lab/sandbox/http.h serves it on a socket; the models of the scheduler, the
 * controllers and the kubelet, and the engine's driver call it directly.
 *
 * One revision counter for the whole store. Every change takes the next revision and goes into a
 * history that watches read. The history is cut at SKR_STORE_HISTORY_MAX changes; a watch from
 * before that gets 410 Gone, as from etcd. Semantics are those of kube-apiserver 1.36. What is not
 * supported is refused with a Status, never ignored.
 *
 * Objects are jansson trees. What a caller gets is borrowed and must not be changed; what it passes
 * is copied.
 */
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "topology/base/error.h"
#include "topology/object.h"

enum {
    /* changes in the history; a change shares unchanged parts with the object, and owns 1 to 4
     * KB */
    SKR_STORE_HISTORY_MAX = 1 << 20,
    SKR_STORE_OBJECTS_MAX = 4000000,
    SKR_STORE_OBJECT_BYTES_MAX = 1536 * 1024, /* of one object's JSON, as etcd's request limit */
};

/* One row per resource: group, version, plural, kind, namespaced, verbs. The table is in
 * resources.c; discovery is derived from it. */
struct skr_store_resource {
    const char *group;      /* "" core */
    const char *version;    /* v1 */
    const char *plural;     /* pods */
    const char *kind;       /* Pod */
    const char *short_name; /* po; NULL none */
    bool namespaced;
    const char *const *subresources; /* NULL-terminated: status, binding, eviction */
    bool in_all;                     /* kubectl get all lists it */
    bool generation;                 /* metadata.generation counts changes of the spec */
    /* of a CustomResourceDefinition: no strategic merge patch; its only schema is that of
     * schema_tables.c */
    bool custom;
    /* apiVersion of the resource that stores these objects: events.k8s.io events are core events in
     * another shape; versions of PodGroups differ in apiVersion alone. NULL: itself. Changes
     * (skr_store_next_change) name the storing resource and have its shape; skr_store_present()
     * converts. */
    const char *kept_by;
    /* By which name the shortcuts find it; NULL: the kind, which then no other row has. */
    const char *key;
};
const char *skr_store_resource_key(const struct skr_store_resource *resource);
size_t skr_store_resource_count(void);
const struct skr_store_resource *skr_store_resource_get(size_t i);
const struct skr_store_resource *skr_store_resource_find(const char *group, const char *version,
                                                         const char *plural);
const struct skr_store_resource *skr_store_resource_of_kind(const char *api_version,
                                                            const char *kind);
/* The resource that stores objects of this key; it must exist. */
const struct skr_store_resource *skr_store_resource_keeping(const char *key);
/* The one that stores objects of this one: itself, or kept_by. */
const struct skr_store_resource *skr_store_resource_keeper(
    const struct skr_store_resource *resource);

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
    /* The store takes over the body; the caller must not read it again. It is made of values in
     * force, so it has no nulls and a bounded depth. Its top is unshared. For CREATE, which is for
     * pods only, metadata and spec are unshared too, and shared parts of the spec are those of a
     * template in force. */
    bool given;
    const char *label_selector; /* "" none */
    const char *field_selector; /* "" none; metadata.name, metadata.namespace, spec.nodeName,
                                   status.phase, spec.schedulerName, involvedObject.* */
    int64_t limit;              /* 0 none */
    const char *continue_;      /* "" none */
    bool dry_run;
    bool strict; /* fields unknown to the schema are refused (fieldValidation=Strict) */
};

struct skr_store_reply {
    int status;   /* HTTP */
    json_t *body; /* new reference, owned by the caller: object, list or Status */
};

struct skr_store;
struct skr_store *skr_store_create(
    uint64_t uid_seed); /* uids are derived from the seed and a counter: same input, same uids */
void skr_store_destroy(struct skr_store *store); /* NULL allowed */

/* Mutating admission: fn gets every created pod (not those of skr_store_put()), after defaults and
 * before validation, and may change it. fn NULL: none. */
void skr_store_set_admission(struct skr_store *store,
                             void (*fn)(void *context, const char *namespace_, json_t *pod,
                                        skr_time now),
                             void *context);

/* Executes the request at time now. Always fills reply (errors are Status objects with
 * kube-apiserver's code, reason and message). O(log n) for one object, O(n) for lists. */
void skr_store_handle(struct skr_store *store, const struct skr_store_request *request,
                      skr_time now, struct skr_store_reply *reply);

/* The object in the shape of this resource: a new reference. */
json_t *skr_store_present(const struct skr_store_resource *resource, const json_t *object);

/* Shortcuts for the models; kind is the key of the storing resource ("Event" is the core one). Gets
 * return a borrowed object or NULL, valid until it is changed. Changes return the HTTP status, and
 * from 400 on set error (NULL allowed) to the Status' message. */
const json_t *skr_store_get(const struct skr_store *store, const char *kind, const char *namespace_,
                            const char *name);
/* Creates or replaces like `kubectl create`, but with status, for loading manifests and dumps. Kept
 * as given: uid, creationTimestamp, ownerReferences, status, nodeName. A missing namespace is
 * created; immutable fields may change. Sets defaults, looks up priority classes, validates names
 * and specs. */
int skr_store_put(struct skr_store *store, const json_t *object, skr_time now,
                  struct skr_error *error);
int skr_store_merge(struct skr_store *store, const char *kind, const char *namespace_,
                    const char *name, const char *subresource, const json_t *patch, skr_time now,
                    struct skr_error *error);
/* Binds the pod, which must have this uid (NULL: any). */
int skr_store_bind(struct skr_store *store, const char *namespace_, const char *name,
                   const char *uid, const char *node, skr_time now, struct skr_error *error);
/* An Event of events.k8s.io/v1; the note is cut at 1024 bytes. */
struct skr_store_event {
    const char *api_version, *kind, *namespace_, *name, *uid; /* regarding */
    const char *type, *reason, *action, *note;
    const char *controller, *instance;
};
json_t *skr_store_event_write(const struct skr_store_event *event, skr_time now);
/* Creates the Event. */
void skr_store_note(struct skr_store *store, const json_t *event, skr_time now);
/* With the kind's default grace period. */
int skr_store_delete(struct skr_store *store, const char *kind, const char *namespace_,
                     const char *name, skr_time now);
uint64_t skr_store_revision(const struct skr_store *store);
/* Limits the history to fewer changes than SKR_STORE_HISTORY_MAX, at least one: for a store that
 * lives long and has fast readers. */
void skr_store_limit_history(struct skr_store *store, size_t changes);
/* All readers have read changes up to the revision: drops them. O(dropped changes). */
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
/* The first change after revision, of any resource; false: none yet. *gone is set if the history
 * does not reach back that far. The watcher filters by selector; it must treat an object that stops
 * matching as DELETED. O(log n). */
bool skr_store_next_change(const struct skr_store *store, uint64_t revision,
                           struct skr_store_change *ret, bool *gone);

/* ---- parts of objects, as the store and the models write them ---- */

/* Replaces values in object, which is not yet shared, by equal ones of with. with: borrowed, same
 * kind; NULL: no effect. before: the object it replaces, whose values stay (already shared); NULL:
 * none. */
void skr_store_share(json_t *object, const json_t *with, const json_t *before);
/* RFC 3339 in whole seconds, as metav1.Time. */
json_t *skr_store_time(skr_time now);
/* Sets one condition by its type in status (own). lastTransitionTime changes only with the
 * status. */
void skr_store_set_condition(json_t *status, const char *type, const char *value,
                             const char *reason, const char *message, skr_time now);
/* Sets kube-apiserver's defaults in the spec of pods to come; own. A template of a custom resource
 * has none: the API server sets them in each pod. */
void skr_store_default_pod_spec(json_t *spec);
/* Whether its condition Ready is true. */
bool skr_store_pod_ready(const json_t *pod);

#endif
