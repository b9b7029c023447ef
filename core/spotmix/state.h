/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_SPOTMIX_STATE_H
#define SKR_CORE_SPOTMIX_STATE_H
/*
 * The state of the mix, for the files of this folder only. A field whose comment names a file is
 * written by that file alone.
 */
#include <uthash.h>
#include <utlist.h>

#include "core/spotmix/mix.h"

/* The deletion cost of a pod. */
enum skr_spotmix_cost {
    SKR_SPOTMIX_COST_NONE,
    SKR_SPOTMIX_COST_ON_DEMAND, /* "100" */
    SKR_SPOTMIX_COST_SPOT,      /* "1" */
    SKR_SPOTMIX_COST_ROLLOUT,   /* "0": on-demand, its ReplicaSet is being replaced */
    SKR_SPOTMIX_COST_OTHER,     /* the user's */
    SKR_SPOTMIX_COST_COUNT
};

struct skr_spotmix_owner;

/* A live pod of a ReplicaSet or StatefulSet (pods.c). It carries what the API server has, and
 * claims what it will carry when all fixes are written. */
struct skr_spotmix_pod {
    UT_hash_handle hh; /* by uid */
    struct skr_spotmix_owner *owner;
    size_t at; /* in owner->slot */
    skr_time created;
    uint64_t version;    /* resourceVersion; 0: unknown */
    int32_t index;       /* carried; -1: none */
    int32_t index_claim; /* repair.c; -1: none */
    int8_t class_;       /* carried */
    int8_t class_claim;  /* repair.c */
    int8_t cost;         /* carried */
    int8_t cost_claim;   /* repair.c */
    bool ready;
    bool pinned;      /* its own spec rules a class out, and no review wrote that */
    bool reviewed;    /* it has a token */
    bool news;        /* repair.c has not counted it as reviewed or not yet */
    bool writing;     /* a fix is under way */
    uint8_t fixes;    /* fixes emitted so far; saturates */
    int64_t ordinal;  /* StatefulSet: the one in its name; -1: none */
    char *node;       /* owned; NULL: unbound */
    const char *name; /* within text */
    char text[];      /* uid, name */
};

/* The index that a pod claims, outside of the pod: the search for a vacant index reads only
 * these. */
struct skr_spotmix_held {
    struct skr_spotmix_pod *pod;
    int32_t index;
};

/* The key of a reservation; without padding between the members. */
struct skr_spotmix_ticket {
    struct skr_spotmix_owner *owner;
    char token[SKR_SPOTMIX_TOKEN_MAX];
};

/* A reserved index (slots.c). The table has reservations in the order in which they were made,
 * which is the order in which they expire. */
struct skr_spotmix_reservation {
    UT_hash_handle hh; /* by ticket */
    struct skr_spotmix_ticket ticket;
    size_t at; /* in owner->reserved */
    skr_time expires;
    enum skr_spotmix_class class_;
};

/* As struct skr_spotmix_held. */
struct skr_spotmix_reserved {
    struct skr_spotmix_reservation *reservation;
    int32_t index;
};

/* Bytes, NUL included. No object has a longer name or uid. */
enum { SKR_SPOTMIX_NAME_MAX = 254, SKR_SPOTMIX_UID_MAX = 129 };
enum { SKR_SPOTMIX_OWNER_KEY_MAX = SKR_SPOTMIX_NAME_MAX + SKR_SPOTMIX_UID_MAX + 2 };

/* A Deployment, ReplicaSet or StatefulSet; the latter two are index spaces (owners.c). It exists
 * while it is known or referred to. The creator of a pod or ReplicaSet chooses the reference in
 * it. A reference therefore never leaves its namespace: the same uid in another namespace, or of
 * another kind, is another owner. */
struct skr_spotmix_owner {
    UT_hash_handle hh; /* by key */
    char *key;
    UT_hash_handle named; /* of a Deployment that is known, by full_name */
    char *full_name;      /* "namespace/name"; NULL: not in that table */
    enum skr_spotmix_kind kind;
    bool known; /* the object has been seen */
    char *uid, *namespace_, *name;
    struct skr_spotmix_rule rule; /* from its own labels */
    int64_t replicas;
    int64_t first_ordinal;            /* StatefulSet */
    int64_t revision;                 /* ReplicaSet: deployment.kubernetes.io/revision; 0: none */
    bool cost_in_template;            /* ReplicaSet: the user gives its pods a cost */
    bool refused;                     /* ReplicaSet: creates of its last sync have failed */
    struct skr_spotmix_owner *parent; /* the Deployment of a ReplicaSet */
    struct skr_spotmix_owner *child, *prev, *next; /* ReplicaSets of a Deployment */
    struct skr_spotmix_owner *dirty_next;
    bool dirty;
    uint8_t unreviewed;  /* workload: pods in a row that came without a review; saturates */
    bool stalled;        /* workload: its rebuild has ended without success */
    skr_time settles_at; /* a workload of many pods; 0: at once */
    struct skr_spotmix_held *held; /* live pods, in no order */
    size_t n_held, cap_held;
    struct skr_spotmix_reserved *reserved; /* slots.c; in no order */
    size_t n_reserved, cap_reserved;
};

struct skr_spotmix_node {
    UT_hash_handle hh; /* by name */
    enum skr_spotmix_class class_;
    bool ready;
    char name[];
};

/* A namespace with owners. */
struct skr_spotmix_namespace {
    UT_hash_handle hh; /* by name */
    size_t n_owners;
    char name[];
};

struct skr_spotmix {
    const struct skr_spotmix_settings *settings;
    struct skr_spotmix_keys keys;
    struct skr_spotmix_classes classes;
    struct skr_spotmix_owner *owners;
    struct skr_spotmix_owner *deployments; /* by name */
    struct skr_spotmix_namespace *namespaces;
    struct skr_spotmix_reservation *reservations;
    struct skr_spotmix_pod *pods;
    struct skr_spotmix_node *nodes;
    size_t ready_nodes[SKR_SPOTMIX_CLASS_COUNT];
    struct skr_spotmix_owner *dirty;
    skr_time settles_at; /* of the first dirty workload that waits */
    bool nodes_changed;  /* the class of a node may have become known */
    bool serving;
    uint64_t n_expired, n_unmutated;
    uint64_t n_results[SKR_SPOTMIX_RESULT_COUNT];
};

/* ---- owners.c ---- */
struct skr_spotmix_owner *skr_spotmix_owner_find(const struct skr_spotmix *mix,
                                                 enum skr_spotmix_kind kind, const char *namespace_,
                                                 const char *uid);
struct skr_spotmix_owner *skr_spotmix_owner_at(const struct skr_spotmix *mix, const char *key);
/* The Deployment of this name whose object has been seen; NULL: there is none. name: n bytes. */
struct skr_spotmix_owner *skr_spotmix_deployment_named(const struct skr_spotmix *mix,
                                                       const char *namespace_, const char *name,
                                                       size_t n);
/* Made if it is missing. NULL: the uid is empty, or uid or name is too long for any object. */
struct skr_spotmix_owner *skr_spotmix_owner_get(struct skr_spotmix *mix, enum skr_spotmix_kind kind,
                                                const char *uid, const char *namespace_,
                                                const char *name);
void skr_spotmix_owner_put(struct skr_spotmix *mix, enum skr_spotmix_kind kind,
                           const json_t *object);
void skr_spotmix_owner_drop(struct skr_spotmix *mix, enum skr_spotmix_kind kind,
                            const char *namespace_, const char *uid);
void skr_spotmix_owner_set_parent(struct skr_spotmix *mix, struct skr_spotmix_owner *owner,
                                  struct skr_spotmix_owner *parent);
/* Frees the owner if nothing needs it. */
void skr_spotmix_owner_release(struct skr_spotmix *mix, struct skr_spotmix_owner *owner);
void skr_spotmix_owner_touch(struct skr_spotmix *mix, struct skr_spotmix_owner *owner);
void skr_spotmix_owners_fini(struct skr_spotmix *mix);
/* The object that has the switch: the Deployment, or the owner itself. It may not be known yet. */
struct skr_spotmix_owner *skr_spotmix_workload_of(struct skr_spotmix_owner *owner);
/* The highest revision among the ReplicaSets of the workload (that have pods). */
int64_t skr_spotmix_newest(const struct skr_spotmix_owner *workload, bool with_pods);
/* Whether a rebuild evicts its pods: a StatefulSet, a ReplicaSet without a Deployment, or of a
 * Deployment the newest ReplicaSet that has pods. */
bool skr_spotmix_is_current(const struct skr_spotmix_owner *space);
/* The controller in an object's metadata; NULL: none. */
const json_t *skr_spotmix_controller(const json_t *meta);

/* The kind of space that a controller reference gives its pods: REPLICA_SET or STATEFUL_SET;
 * KIND_COUNT for all others and for NULL. */
enum skr_spotmix_kind skr_spotmix_space_kind(const json_t *reference);
bool skr_spotmix_is_excluded(const struct skr_spotmix *mix, const char *namespace_);

/* ---- slots.c ---- */
/* The API server answers a create within this time, as a rule. If it takes longer, two pods may get
 * one index, which repair.c parts. */
#define SKR_SPOTMIX_SILENCE SKR_SECOND
/* No controller tries again sooner (client-go, DefaultTypedControllerRateLimiter), but at an event: a
 * ReplicaSet has said by then, in its status, that a create has failed. */
#define SKR_SPOTMIX_RETRY (5 * SKR_MILLISECOND)
/* Vacant indices from one on. */
struct skr_spotmix_window {
    int32_t from;
    size_t at; /* nothing below it is vacant */
    size_t n;
    uint32_t *holders; /* of from, from + 1, ... */
    bool clash;        /* an index may have had two holders: it had, or is outside of the window */
};
/* O(pods of the space). */
void skr_spotmix_window_init(struct skr_spotmix_window *window,
                             const struct skr_spotmix_owner *owner, int32_t from);
void skr_spotmix_window_fini(struct skr_spotmix_window *window);
/* The lowest index that no pod claims and that is not reserved. As long as indices are only taken,
 * n calls are O(n) together. */
int32_t skr_spotmix_window_vacant(struct skr_spotmix_window *window);
/* A pod has moved from one index to another; -1: none. */
void skr_spotmix_window_move(struct skr_spotmix_window *window, int32_t from, int32_t to);
/* The lowest vacant index of all. O(pods of the space). */
int32_t skr_spotmix_vacant(const struct skr_spotmix_owner *owner);
int32_t skr_spotmix_highest(const struct skr_spotmix_owner *owner); /* -1: none */

/* false: there are SKR_SPOTMIX_RESERVATIONS_MAX. */
bool skr_spotmix_reserve(struct skr_spotmix *mix, struct skr_spotmix_owner *owner,
                         const struct skr_spotmix_slot *slot, skr_time expires);
/* These and skr_spotmix_reserve() are O(1), the last one O(reservations). */
bool skr_spotmix_is_reserved(const struct skr_spotmix *mix, struct skr_spotmix_owner *owner,
                             const char *token);
void skr_spotmix_unreserve(struct skr_spotmix *mix, struct skr_spotmix_owner *owner,
                           const char *token);
/* Called when a pod of the owner is reviewed. Frees reservations whose pods the API server has refused
 * after their reviews. A ReplicaSet never sends more pods than it lacks: if it has a reservation for
 * each of them, the one made first is of a pod that was refused. If no reservation was made for
 * SKR_SPOTMIX_SILENCE, all are. O(n) for n reservations of the owner; if some are freed,
 * O(n log n). */
void skr_spotmix_give_back(struct skr_spotmix *mix, struct skr_spotmix_owner *owner, skr_time now);
void skr_spotmix_unreserve_all(struct skr_spotmix *mix, struct skr_spotmix_owner *owner);

/* ---- pods.c, nodes too ---- */
bool skr_spotmix_has_condition(const json_t *object, const char *type); /* with status True */
void skr_spotmix_node_put(struct skr_spotmix *mix, const json_t *object);
void skr_spotmix_node_drop(struct skr_spotmix *mix, const char *name);
void skr_spotmix_pod_put(struct skr_spotmix *mix, const json_t *object);
void skr_spotmix_pod_drop(struct skr_spotmix *mix, const char *uid);
void skr_spotmix_pods_fini(struct skr_spotmix *mix);
/* Sets the claim in the pod and in owner->held. */
void skr_spotmix_pod_claim(struct skr_spotmix_pod *pod, enum skr_spotmix_class class_,
                           int32_t index);
/* The place in its StatefulSet or ReplicaSet; negative: none, or below the first ordinal. */
int64_t skr_spotmix_pod_place(const struct skr_spotmix_pod *pod);
/* The class of the pod's node. */
enum skr_spotmix_class skr_spotmix_pod_node_class(const struct skr_spotmix *mix,
                                                  const struct skr_spotmix_pod *pod);
/* The class that the pod claims. Before it is adopted, the class of its node, which it will
 * claim. */
enum skr_spotmix_class skr_spotmix_pod_class(const struct skr_spotmix *mix,
                                             const struct skr_spotmix_pod *pod);
/* For qsort() of pointers to pods: by place, then the oldest first. Total. */
int skr_spotmix_by_place(const void *a, const void *b);
/* The deletion cost as it is written; "other" for one of the user's, NULL for none. */
extern const char *const skr_spotmix_cost_text[];

#endif
