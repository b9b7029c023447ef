/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_SPOTMIX_MIX_H
#define SKR_CORE_SPOTMIX_MIX_H
/*
 * The mix: which index every pod of a workload holds, and with it its class. One index space per
 * ReplicaSet and per StatefulSet, by uid; a Deployment has as many spaces as it has ReplicaSets, so
 * that the revisions of a rollout are each mixed by the rule. In a ReplicaSet's space a pod takes
 * the first vacant index; in a StatefulSet's the index follows from the name.
 *
 * An index is held by a live pod that carries it, or is reserved: handed out in a review and not
 * seen yet. Everything but the reservations rebuilds from the objects of the API server; a lost
 * reservation is found again as a pod, or was never to become one.
 *
 * Objects come in as the API server writes them. Not thread safe; the time comes in as an argument
 * and never goes back.
 */
#include "core/spotmix/patch.h"
#include "core/spotmix/rule.h"
#include "topology/base/strbuf.h"

struct skr_spotmix;

enum skr_spotmix_kind {
    SKR_SPOTMIX_DEPLOYMENT,
    SKR_SPOTMIX_REPLICA_SET,
    SKR_SPOTMIX_STATEFUL_SET,
    SKR_SPOTMIX_NODE,
    SKR_SPOTMIX_POD,
    SKR_SPOTMIX_KIND_COUNT
};

enum {
    SKR_SPOTMIX_RESERVATIONS_MAX = 65536,   /* of one space at a time */
    SKR_SPOTMIX_BODY_MAX = 3 * 1024 * 1024, /* bytes of a review */
    SKR_SPOTMIX_SETTLED_AT_ONCE = 1000,     /* pods and ReplicaSets of a workload */
    SKR_SPOTMIX_WARNING_MAX = 120,          /* bytes of a warning; longer ones are cut by
                                                     the API server */
    SKR_SPOTMIX_UNREVIEWED_MAX = 2,         /* pods in a row, then the webhook is not called */
};

/* Borrows settings. Errors: SKR_INVALID (keyPrefix). */
int skr_spotmix_create(const struct skr_spotmix_settings *settings, struct skr_spotmix **ret,
                       struct skr_error *error);
void skr_spotmix_destroy(struct skr_spotmix *mix); /* NULL allowed */
SKR_AUTO_DEFINE(struct skr_spotmix, skr_spotmix_destroy)
const struct skr_spotmix_keys *skr_spotmix_keys(const struct skr_spotmix *mix);

/* ---- what there is ---- */

/* An object as it is now, new or changed; borrowed. A pod that is older than what is known of it
 * (resourceVersion) is passed over. What is not understood in it counts as absent.
 * O(1) but for the settling it makes due. */
void skr_spotmix_put(struct skr_spotmix *mix, enum skr_spotmix_kind kind, const json_t *object);
/* It is gone. id: of a node its name, of all others the uid; namespace_ "" for a node. */
void skr_spotmix_drop(struct skr_spotmix *mix, enum skr_spotmix_kind kind, const char *namespace_,
                      const char *id);
/* A pod is being evicted: whoever comes next may have its index. Its controller may replace it before
 * anybody here sees that it goes, and a replacement behind the highest index would leave a gap. Not
 * yielding: it stays after all. O(1); nothing happens when there is no such pod. */
void skr_spotmix_yield(struct skr_spotmix *mix, const char *pod_uid, bool yields);

/* Whether reviews are answered from now on. Meanwhile pods that come without a review are counted.
 * After SKR_SPOTMIX_UNREVIEWED_MAX pods of a workload in a row its row says that the webhook is not
 * called, until a reviewed pod of the workload comes. */
void skr_spotmix_serve(struct skr_spotmix *mix, bool serving);
/* What explanations say of the workload's rebuild: that it has ended without success. */
void skr_spotmix_set_stalled(struct skr_spotmix *mix, const char *workload_key, bool stalled);

/* ---- reviews ---- */

enum skr_spotmix_result {
    SKR_SPOTMIX_PATCHED,
    SKR_SPOTMIX_NOOP,
    SKR_SPOTMIX_OFF,
    SKR_SPOTMIX_EXCLUDED,
    SKR_SPOTMIX_PINNED,
    SKR_SPOTMIX_OWNER_UNKNOWN,
    SKR_SPOTMIX_NOT_LEADER,
    SKR_SPOTMIX_BAD_REQUEST,
    SKR_SPOTMIX_INTERNAL,
    SKR_SPOTMIX_RESULT_COUNT
};
/* As the metric's label: "patched", "owner_unknown". */
const char *skr_spotmix_result_name(enum skr_spotmix_result result);

/* One object that a review needs and the mix does not have. */
struct skr_spotmix_lookup {
    enum skr_spotmix_kind kind;
    char namespace_[254];
    char name[254];
};

struct skr_spotmix_review {
    const char *body; /* an AdmissionReview (admission.k8s.io/v1), borrowed */
    size_t len;
    bool serving; /* leader, and all caches complete */
    skr_time now;
    unsigned char random[16];           /* of the token */
    bool tried[SKR_SPOTMIX_KIND_COUNT]; /* kinds that a lookup was made for, in vain or not */
};

struct skr_spotmix_answer {
    unsigned status; /* HTTP: 200, 400, 503; 0: lookup first, then the same review again */
    enum skr_spotmix_result result;
    struct skr_strbuf body; /* JSON with status 200, else one line of text; skr_strbuf_fini() */
    struct skr_spotmix_lookup lookup;
};

/* The answer to a review; the index it hands out is reserved unless it is a dry run. Never refuses
 * a pod. O(size of the body + pods of the owner). */
void skr_spotmix_review(struct skr_spotmix *mix, const struct skr_spotmix_review *review,
                        struct skr_spotmix_answer *ret);

/* When the next reservation expires; SKR_TIME_NEVER: there is none. */
skr_time skr_spotmix_expiry(const struct skr_spotmix *mix);
/* Drops reservations that have expired. */
void skr_spotmix_expire(struct skr_spotmix *mix, skr_time now);

/* ---- repairs ---- */

/* What is to be patched on one pod. Borrowed until the mix is touched again. */
struct skr_spotmix_fix {
    const char *namespace_, *name, *uid;
    enum skr_spotmix_class class_; /* NO_CLASS: the label stays */
    int32_t index;                 /* -1: the label stays */
    const char *cost;              /* NULL: stays */
};

struct skr_spotmix_settling {
    skr_time now; /* SKR_TIME_NEVER: no workload waits */
    void (*emit)(void *context, const struct skr_spotmix_fix *fix);
    /* A workload whose switch is on has been settled; NULL: nobody asks. */
    void (*settled)(void *context, const char *workload_key); /* as of struct skr_spotmix_row */
    void *context;
};
/* Settles everything that has changed: pods without labels are adopted, the later of two pods with
 * one index moves to another, costs follow a rollout. Each fix is emitted once; report what became
 * of it with skr_spotmix_fixed(). The mix counts on fixes that are under way. The callbacks must
 * not touch the mix. Returns whether anything has been settled.
 *
 * A workload of n pods costs O(n log n), also when one of them has changed. One of more than
 * SKR_SPOTMIX_SETTLED_AT_ONCE is therefore settled so seldom that it takes a hundredth of the time;
 * reviews know its pods all the same. */
bool skr_spotmix_settle(struct skr_spotmix *mix, const struct skr_spotmix_settling *settling);
/* When something that has changed is to be settled; SKR_TIME_NEVER: nothing waits. */
skr_time skr_spotmix_settles_at(const struct skr_spotmix *mix);
/* The write has ended; with success the pod as it is now has been put before. Without, the fix is
 * emitted again if it is still due. */
void skr_spotmix_fixed(struct skr_spotmix *mix, const char *pod_uid, bool done);
/* How long to wait before that is reported: 0, until the pod has been fixed more often than any
 * needs to be; then 2 s, 4 s, ... 64 s. */
skr_time skr_spotmix_fix_pause(const struct skr_spotmix *mix, const char *pod_uid);

#endif
