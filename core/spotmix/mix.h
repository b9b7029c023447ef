/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_SPOTMIX_MIX_H
#define SKR_CORE_SPOTMIX_MIX_H
/*
 * The mix: the index of every pod of a workload, and with it the pod's class. Each ReplicaSet and
 * each StatefulSet, by uid, has one space of indices. A Deployment has one space for each of its
 * ReplicaSets, so that the rule mixes each revision of a rollout. A new pod of a ReplicaSet takes
 * the first vacant index. The index of a StatefulSet's pod follows from its name.
 *
 * An index is held by a live pod that carries it, or it is reserved: a review has handed it out,
 * and its pod has not been seen yet. All other state is rebuilt from the objects of the API server.
 * If a reservation is lost, its pod shows the index, or the pod was never created.
 *
 * Objects come in as the API server writes them. Not thread safe. The time is an argument and never
 * decreases.
 */
#include "core/spotmix/patch.h"
#include "core/spotmix/review_body.h"
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
    SKR_SPOTMIX_RESERVATIONS_MAX = 65536, /* of one space at a time */
    SKR_SPOTMIX_SETTLED_AT_ONCE = 1000,   /* pods and ReplicaSets of a workload */
    SKR_SPOTMIX_WARNING_MAX = 120,        /* bytes of a warning; longer ones are cut by
                                                     the API server */
    SKR_SPOTMIX_UNREVIEWED_MAX = 2,       /* pods in a row, then the webhook is not called */
};

/* Borrows settings. Errors: SKR_INVALID (keyPrefix). */
int skr_spotmix_create(const struct skr_spotmix_settings *settings, struct skr_spotmix **ret,
                       struct skr_error *error);
void skr_spotmix_destroy(struct skr_spotmix *mix); /* NULL allowed */
SKR_AUTO_DEFINE(struct skr_spotmix, skr_spotmix_destroy)
const struct skr_spotmix_keys *skr_spotmix_keys(const struct skr_spotmix *mix);

/* ---- objects ---- */

/* An object as it is now, new or changed; borrowed. A pod with an older resourceVersion than the
 * cached one is ignored. A field of the wrong JSON type counts as absent. O(1), without the
 * settling that becomes due. */
void skr_spotmix_put(struct skr_spotmix *mix, enum skr_spotmix_kind kind, const json_t *object);
/* The object is gone. id: the name of a node, the uid of any other object. namespace_: "" for a
 * node. */
void skr_spotmix_drop(struct skr_spotmix *mix, enum skr_spotmix_kind kind, const char *namespace_,
                      const char *id);
/* A pod is being evicted, so the next pod may take its index. The controller may create the
 * replacement before the watch shows the end of the pod. A replacement behind the highest index
 * would leave a gap. yields false: the pod stays after all. O(1). An unknown uid is ignored. */
void skr_spotmix_yield(struct skr_spotmix *mix, const char *pod_uid, bool yields);

/* Whether API servers reach this process with their reviews. While they do, pods that come without a
 * review are counted. After SKR_SPOTMIX_UNREVIEWED_MAX such pods of a workload in a row, its row says that the
 * webhook is not called. The next reviewed pod of the workload ends that. */
void skr_spotmix_serve(struct skr_spotmix *mix, bool serving);
/* Whether explanations say that the rebuild of the workload has ended without success. */
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
extern const char *const skr_spotmix_result_name[];

/* An object that a review needs and that the mix lacks. */
struct skr_spotmix_lookup {
    enum skr_spotmix_kind kind;
    char namespace_[254];
    char name[254];
};

struct skr_spotmix_review {
    const struct skr_spotmix_body *body; /* borrowed */
    bool serving;                        /* leader, and all caches complete */
    skr_time now;
    unsigned char random[16];           /* of the token */
    bool tried[SKR_SPOTMIX_KIND_COUNT]; /* kinds that have been looked up, found or not */
};

struct skr_spotmix_answer {
    unsigned status; /* HTTP: 200, 400, 503; 0: look up first, then review again */
    enum skr_spotmix_result result;
    struct skr_strbuf body; /* JSON with status 200, else one line of text; skr_strbuf_fini() */
    struct skr_spotmix_lookup lookup;
};

/* Whether a workload of the namespace has been put. */
bool skr_spotmix_knows_namespace(const struct skr_spotmix *mix, const char *namespace_);

/* The answer to a review. It never refuses a pod. The index that it hands out is reserved,
 * unless the review is a dry run. O(values of the body + pods of the owner). */
void skr_spotmix_review(struct skr_spotmix *mix, const struct skr_spotmix_review *review,
                        struct skr_spotmix_answer *ret);

/* When the next reservation expires; SKR_TIME_NEVER: there is no reservation. */
skr_time skr_spotmix_expiry(const struct skr_spotmix *mix);
/* Drops reservations that have expired. */
void skr_spotmix_expire(struct skr_spotmix *mix, skr_time now);

/* ---- repairs ---- */

/* A patch of one pod. Borrowed until the next call that changes the mix. */
struct skr_spotmix_fix {
    const char *namespace_, *name, *uid;
    enum skr_spotmix_class class_; /* NO_CLASS: the label stays */
    int32_t index;                 /* -1: the label stays */
    const char *cost;              /* NULL: stays */
};

struct skr_spotmix_settling {
    skr_time now; /* SKR_TIME_NEVER: no workload waits */
    void (*emit)(void *context, const struct skr_spotmix_fix *fix);
    /* A workload whose switch is on has been settled. NULL: it is not called. */
    void (*settled)(void *context, const char *workload_key); /* as of struct skr_spotmix_row */
    void *context;
};
/* Settles all that has changed: pods without labels are adopted, the later of two pods with one
 * index moves to another index, costs follow a rollout. Each fix is emitted once; report its
 * outcome with skr_spotmix_fixed(). The mix assumes that fixes under way succeed. The callbacks
 * must not change the mix. Returns whether anything has been settled.
 *
 * A workload of n pods costs O(n log n), even if only one pod has changed. A workload of more
 * than SKR_SPOTMIX_SETTLED_AT_ONCE pods is therefore settled so seldom that it takes a hundredth
 * of the time. Reviews see its pods at once. */
bool skr_spotmix_settle(struct skr_spotmix *mix, const struct skr_spotmix_settling *settling);
/* When the next change is settled; SKR_TIME_NEVER: no change waits. */
skr_time skr_spotmix_settles_at(const struct skr_spotmix *mix);
/* The write has ended. done: it succeeded, and the pod as it is now has been put before.
 * Otherwise the fix is emitted again if it is still due. */
void skr_spotmix_fixed(struct skr_spotmix *mix, const char *pod_uid, bool done);
/* How long to wait before skr_spotmix_fixed(): 0 for the first fixes of a pod, then 2 s, 4 s, ...
 * 64 s. No pod needs more than a few fixes. */
skr_time skr_spotmix_fix_pause(const struct skr_spotmix *mix, const char *pod_uid);

#endif
