/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_LAB_STORE_STORE_PARTS_H
#define SKR_SERVER_LAB_STORE_STORE_PARTS_H
/*
 * What the store*.c files share. A request becomes a call; each step of a call either goes on or
 * fills the reply and returns false.
 */
#include "server/lab/store/json_patch.h"
#include "server/lab/store/shelf.h"
#include "server/lab/store/status.h"
#include "server/lab/store/store.h"
#include "server/object/path.h"
#include "server/object/selector.h"
#include "topology/base/json_field.h"

/* A ring of the last changes; revisions have no gaps, so a change is found by counting. */
struct skr_store_history {
    struct skr_store_change *item;
    size_t cap; /* a power of two */
    size_t first, n;
    size_t max;
};

/* What the defaults of pods that are created have in common. References; NULL: nothing yet. */
struct skr_born {
    json_t *tolerations; /* of pods that say none */
    skr_time second;
    json_t *containers; /* of the spec */
    bool gated;
    json_t *status; /* of pods that are created in the second, with these containers */
};

struct skr_store {
    uint64_t seed;
    uint64_t made; /* uids and random names so far */
    uint64_t revision;
    size_t n_objects;
    struct skr_shelf *shelf; /* [skr_store_resource_count()] */
    json_t **last;           /* likewise: put in force last, its values are shared; NULL none */
    struct skr_store_history history;
    struct skr_born born;
    void (*admit)(void *context, const char *namespace_, json_t *pod, skr_time now); /* or NULL */
    void *admit_context;
};

struct skr_store_call {
    struct skr_store *store;
    const struct skr_store_request *request;
    const struct skr_store_resource *asked;    /* as in the request */
    const struct skr_store_resource *resource; /* that keeps the objects */
    skr_time now;
    struct skr_store_reply *reply;
    bool loading; /* skr_store_put() */
    /* CREATE: one of its kind in force, of which parts that are equal are parts of the object already,
     * so they need no look; NULL: none. */
    const json_t *known;
};

/* ---- store_objects.c ---- */

struct skr_shelf *skr_store_shelf(const struct skr_store *store,
                                  const struct skr_store_resource *resource);
/* NULL when it is not there. */
struct skr_shelf_item *skr_store_find(const struct skr_store *store,
                                      const struct skr_store_resource *resource,
                                      const char *namespace_, const char *name);
/* Puts the object in force: next revision, history; values of the one in force last are shared, those
 * of the item's the caller has shared already. object: taken, its top and metadata own;
 * resourceVersion is set here. item NULL: a new object. Returns the object, borrowed. */
const json_t *skr_store_commit(struct skr_store *store, const struct skr_store_resource *resource,
                               struct skr_shelf_item *item, json_t *object);
/* Takes the object out. last: its last state (taken, top and metadata own; NULL: as it is), which
 * gets the deletion's revision. Returns it, borrowed from the history. */
const json_t *skr_store_remove(struct skr_store *store, const struct skr_store_resource *resource,
                               struct skr_shelf_item *item, json_t *last);
/* The one of its kind that was put in force last; NULL: none. */
const json_t *skr_store_last(const struct skr_store *store,
                             const struct skr_store_resource *resource);
void skr_store_free_history(struct skr_store *store); /* with the store */
/* Values in object, which nobody else has yet, that are equal to those in with become the same.
 * with: borrowed, of the same kind; NULL: nothing is done. before: what it replaces, whose values stay as
 * they are (they were shared when that was put in force); NULL: nothing. */
void skr_store_share(json_t *object, const json_t *with, const json_t *before);
/* A version 4 UUID; five letters as generateName appends. */
void skr_store_make_uid(struct skr_store *store, char uid[37]);
void skr_store_make_suffix(struct skr_store *store, char suffix[6]);
/* RFC 3339 in whole seconds, as metav1.Time. */
json_t *skr_store_time(skr_time now);

/* ---- store_call.c ---- */

/* Whether the body is a JSON object of a sane depth; false: the reply says what it is. known: an
 * object in force, whose values are of such a depth; NULL: none. */
bool skr_store_check_body(struct skr_store_call *call, const json_t *known);
/* Whether the object's JSON is at most SKR_STORE_OBJECT_BYTES_MAX long; false: the reply says so. */
bool skr_store_check_size(struct skr_store_call *call, const json_t *object);
/* The reply of a write: object in the shape that was asked for. */
void skr_store_reply_object(struct skr_store_call *call, int status, const json_t *object);
/* Both selectors of the request, compiled; false: the reply says what is wrong. NULL: everything.
 */
bool skr_store_selectors(struct skr_store_call *call, struct skr_selector **ret_labels,
                         struct skr_selector **ret_fields);
/* Whether the preconditions of the options (NULL: none) hold; false: the reply says which does not.
 */
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
/* Lets the object of item go: at once, or by giving it a deletionTimestamp; fills the reply.
 * options: DeleteOptions or NULL. */
void skr_store_delete_item(struct skr_store_call *call, struct skr_shelf_item *item,
                           const json_t *options);
/* Whether nothing holds a deleted object back any more. */
bool skr_store_is_gone(const json_t *object);

/* ---- store_pods.c ---- */

void skr_store_do_bind(struct skr_store_call *call);
void skr_store_do_evict(struct skr_store_call *call);

/* ---- store_scale.c ---- */

void skr_store_do_scale(struct skr_store_call *call);

/* ---- store_patch.c ---- */

/* New references; body is borrowed and copied. NULL: the reply says why. */
json_t *skr_patch_merge(const json_t *target, const json_t *patch);
json_t *skr_patch_strategic(const json_t *target, const json_t *patch, const char *kind,
                            struct skr_error *error);

/* ---- store_defaults.c ---- */

/* Fills in what kube-apiserver fills in. object: own, but for parts that have their defaults. born: NULL, or
 * a new pod may get what others got. */
void skr_defaults_set(const struct skr_store_resource *resource, json_t *object,
                      struct skr_born *born);
void skr_born_fini(struct skr_born *born);
/* The admission plugin Priority, for pods on creation. false: the reply says why. */
bool skr_defaults_priority(struct skr_store_call *call, json_t *pod);
/* The status of a new pod, which has its defaults and none. */
void skr_defaults_pod_status(json_t *pod, skr_time now, struct skr_born *born);

/* Sets one condition by its type in status (own). lastTransitionTime changes with the status. */
void skr_store_set_condition(json_t *status, const char *type, const char *value,
                             const char *reason, const char *message, skr_time now);

/* ---- store_validate*.c ---- */

/* before: the object as it is in force; NULL: a new one. known: one of its kind in force, which is valid, so
 * what the object has of it is; NULL: none. */
void skr_validate_meta(const struct skr_store_resource *resource, const json_t *object,
                       const json_t *before, const json_t *known, struct skr_causes *causes);
void skr_validate_meta_update(const json_t *object, const json_t *before,
                              struct skr_causes *causes);
/* The rest of the object; before NULL on creation. */
void skr_validate_object(const struct skr_store_resource *resource, const json_t *object,
                         const json_t *before, struct skr_causes *causes);
/* Lists that somebody else has too are those of an object in force, and valid. */
void skr_validate_pod(const json_t *pod, struct skr_causes *causes);
void skr_validate_pod_update(const json_t *pod, const json_t *before, struct skr_causes *causes);
/* Of a template too; path of the spec for the texts. */
void skr_validate_pod_spec(const json_t *spec, const char *path, struct skr_causes *causes);

/* ---- store_events.c ---- */

/* events.k8s.io/v1 to core/v1 and back; new references. */
json_t *skr_event_to_core(const json_t *event);
json_t *skr_event_from_core(const json_t *event);
void skr_validate_event(const json_t *event, bool new_api, struct skr_causes *causes);

#endif
