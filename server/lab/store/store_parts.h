/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_LAB_STORE_STORE_PARTS_H
#define SKR_SERVER_LAB_STORE_STORE_PARTS_H
/*
 * Shared by the store*.c files. A request becomes a call; each step of a call either continues or
 * fills the reply and returns false.
 */
#include "server/lab/store/patch.h"
#include "server/lab/store/shelf.h"
#include "server/lab/store/status.h"
#include "server/lab/store/store.h"
#include "server/object/path.h"
#include "server/object/selector.h"
#include "topology/base/json_field.h"

/* A ring of the last changes; revisions have no gaps, so the index of a change follows from its
 * revision. */
struct skr_store_history {
    struct skr_store_change *item;
    size_t cap; /* a power of two */
    size_t first, n;
    size_t max;
};

/* Shared defaults of created pods. References; NULL: none yet. */
struct skr_born {
    json_t *tolerations; /* of pods without any */
    skr_time second;
    json_t *containers; /* of the spec */
    bool gated;
    json_t *status; /* of pods created in that second, with these containers */
};

struct skr_store {
    uint64_t seed;
    uint64_t made; /* number of uids and random names made */
    uint64_t revision;
    size_t n_objects;
    struct skr_shelf *shelf; /* [skr_store_resource_count()] */
    json_t **last;           /* the same: last put in force, for sharing; NULL: none */
    struct skr_store_history history;
    struct skr_born born;
    void (*admit)(void *context, const char *namespace_, json_t *pod, skr_time now); /* or NULL */
    void *admit_context;
};

struct skr_store_call {
    struct skr_store *store;
    const struct skr_store_request *request;
    const struct skr_store_resource *asked;    /* as in the request */
    const struct skr_store_resource *resource; /* the storing resource */
    skr_time now;
    struct skr_store_reply *reply;
    bool loading; /* skr_store_put() */
    /* CREATE: an object of the same kind in force; equal parts are shared with it and need no
     * checks. NULL: none. */
    const json_t *known;
};

/* ---- store_objects.c ---- */

struct skr_shelf *skr_store_shelf(const struct skr_store *store,
                                  const struct skr_store_resource *resource);
/* NULL if it is absent. */
struct skr_shelf_item *skr_store_find(const struct skr_store *store,
                                      const struct skr_store_resource *resource,
                                      const char *namespace_, const char *name);
/* Puts the object in force: next revision, history. Shares values with the object last put in
 * force; the caller has shared those of item. object: taken, top and metadata own; sets
 * resourceVersion. item NULL: a new object. Returns the object, borrowed. */
const json_t *skr_store_commit(struct skr_store *store, const struct skr_store_resource *resource,
                               struct skr_shelf_item *item, json_t *object);
/* Removes the object. last: its last state (taken, top and metadata own; NULL: unchanged), which
 * gets the deletion's revision. Returns it, borrowed from the history. */
const json_t *skr_store_remove(struct skr_store *store, const struct skr_store_resource *resource,
                               struct skr_shelf_item *item, json_t *last);
/* The object of the kind last put in force; NULL: none. */
const json_t *skr_store_last(const struct skr_store *store,
                             const struct skr_store_resource *resource);
void skr_store_free_history(struct skr_store *store); /* with the store */
/* A version 4 UUID; five letters as generateName appends. */
void skr_store_make_uid(struct skr_store *store, char uid[37]);
void skr_store_make_suffix(struct skr_store *store, char suffix[6]);

/* ---- store_call.c ---- */

/* The object that the call names; NULL: there is none, and the reply says so. */
struct skr_shelf_item *skr_store_find_asked(struct skr_store_call *call);
/* Whether the body is a JSON object of bounded depth; false: the reply has the error. known: an
 * object in force, whose depth is bounded; NULL: none. */
bool skr_store_check_body(struct skr_store_call *call, const json_t *known);
/* Whether the object's JSON is at most SKR_STORE_OBJECT_BYTES_MAX long; false: the reply has the
 * error. */
bool skr_store_check_size(struct skr_store_call *call, const json_t *object);
/* The reply of a write: the object in the requested shape. */
void skr_store_reply_object(struct skr_store_call *call, int status, const json_t *object);
/* Compiles both selectors of the request; false: the reply has the error. NULL: selects all. */
bool skr_store_selectors(struct skr_store_call *call, struct skr_selector **ret_labels,
                         struct skr_selector **ret_fields);
/* Checks the preconditions of the options (NULL: none); false: the reply names the failed one. */
bool skr_store_preconditions(struct skr_store_call *call, const json_t *object,
                             const json_t *options);

/* ---- store_read.c ---- */

void skr_store_do_get(struct skr_store_call *call);
void skr_store_do_list(struct skr_store_call *call);

/* ---- store_write.c ---- */

void skr_store_do_create(struct skr_store_call *call);
void skr_store_do_update(struct skr_store_call *call); /* PUT and the patches */
void skr_store_do_put(struct skr_store_call *call);    /* loading */

/* ---- store_delete.c ---- */

void skr_store_do_delete(struct skr_store_call *call);
void skr_store_do_delete_collection(struct skr_store_call *call);
/* Deletes the object of item: at once, or by a deletionTimestamp; fills the reply. options:
 * DeleteOptions or NULL. */
void skr_store_delete_item(struct skr_store_call *call, struct skr_shelf_item *item,
                           const json_t *options);
/* Whether a deleted object has no hold left. */
bool skr_store_is_gone(const json_t *object);

/* ---- store_pods.c ---- */

void skr_store_do_bind(struct skr_store_call *call);
void skr_store_do_evict(struct skr_store_call *call);

/* ---- store_scale.c ---- */

void skr_store_do_scale(struct skr_store_call *call);

/* ---- store_defaults.c ---- */

/* Sets kube-apiserver's defaults. object: own, except parts that have their defaults. born: shared
 * defaults for a new pod, or NULL. */
void skr_defaults_set(const struct skr_store_resource *resource, json_t *object,
                      struct skr_born *born);
void skr_born_fini(struct skr_born *born);
/* The admission plugin Priority, for created pods. False: the reply has the error. */
bool skr_defaults_priority(struct skr_store_call *call, json_t *pod);
/* Sets the status of a new pod, which has defaults and no status. */
void skr_defaults_pod_status(json_t *pod, skr_time now, struct skr_born *born);

/* ---- store_validate*.c ---- */

/* before: the object in force; NULL: a new one. known: a valid object of the kind in force; equal
 * parts are valid too. NULL: none. */
void skr_validate_meta(const struct skr_store_resource *resource, const json_t *object,
                       const json_t *before, const json_t *known, struct skr_causes *causes);
void skr_validate_meta_update(const json_t *object, const json_t *before,
                              struct skr_causes *causes);
/* The rest of the object; before NULL on creation. */
void skr_validate_object(const struct skr_store_resource *resource, const json_t *object,
                         const json_t *before, struct skr_causes *causes);
/* Shared lists are those of an object in force, and valid. */
void skr_validate_pod(const json_t *pod, struct skr_causes *causes);
void skr_validate_pod_update(const json_t *pod, const json_t *before, struct skr_causes *causes);
/* Also for a template; path of the spec, for the texts. */
void skr_validate_pod_spec(const json_t *spec, const char *path, struct skr_causes *causes);

/* ---- store_events.c ---- */

/* events.k8s.io/v1 to core/v1 and back; new references. */
json_t *skr_event_to_core(const json_t *event);
json_t *skr_event_from_core(const json_t *event);
/* An object in the shape of the request, in the stored shape. Takes object. */
json_t *skr_store_kept(const struct skr_store_call *call, json_t *object);
void skr_validate_event(const json_t *event, bool new_api, struct skr_causes *causes);

#endif
