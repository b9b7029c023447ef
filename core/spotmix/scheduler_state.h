/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_SPOTMIX_SCHEDULER_STATE_H
#define SKR_CORE_SPOTMIX_SCHEDULER_STATE_H
/* The state of the spot mix's scheduler, for scheduler.c, reviews.c and rebuild.c only. */
#include <uthash.h>
#include <utlist.h>

#include "core/spotmix/object.h"
#include "core/spotmix/scheduler.h"

enum skr_spotmix_purpose { PURPOSE_LOOKUP, PURPOSE_FIX, PURPOSE_EVICT, PURPOSE_ROLL_OUT };
enum skr_spotmix_wake {
    WAKE_SERVE,
    WAKE_EXPIRE,
    WAKE_LOOKUP,
    WAKE_FIX,
    WAKE_WORKLOAD,
    WAKE_SETTLE
};

enum { SKR_SPOTMIX_LOOKUP_KEY_MAX = 2 * 254 + 4 };

/* A GET that is under way, for reviews. */
struct skr_spotmix_asking {
    UT_hash_handle hh; /* by key */
    enum skr_spotmix_kind kind;
    struct skr_spotmix_held_review *held; /* reviews that wait for it */
    char key[];
};

/* How many GETs the reviews of a namespace have caused in this second. */
struct skr_spotmix_asker {
    UT_hash_handle hh; /* by namespace */
    size_t n;
    char namespace_[];
};

/* A review that waits for its owner to be looked up. */
struct skr_spotmix_held_review {
    UT_hash_handle hh; /* by key */
    struct skr_spotmix_asking *asking;
    struct skr_spotmix_held_review *prev, *next; /* reviews that wait for the same GET */
    char key[24];                                /* the request's id */
    uint64_t request;
    bool tried[SKR_SPOTMIX_KIND_COUNT];
    struct skr_spotmix_request asked; /* with a reference to the body */
};

/* A workload: what Events have reported, so that they report changes only; and its rebuild. */
struct skr_spotmix_memory {
    UT_hash_handle hh; /* by key */
    struct skr_spotmix_rule rule;
    bool drifting, lacking, uncalled; /* reported */
    bool rebuilding, given_up;
    size_t wrong;         /* fewest wrong pods since the rebuild began, while no pod was missing */
    unsigned in_vain;     /* pods evicted since then */
    bool evicted;         /* a pod was evicted since the rebuild began */
    skr_time progress;    /* when wrong last fell, or the rebuild began */
    skr_time looks_at;    /* a wake is set: has the rebuild ended? 0: none */
    skr_time evict_after; /* back-off */
    skr_time backoff;
    char *leaving; /* uid of an evicted pod that the watch still shows; NULL: none */
    skr_time leaving_until;
    bool evicting; /* the write is under way */
    bool due;      /* settle() looks at it */
    struct skr_spotmix_memory *due_next;
    char key[]; /* of the workload */
};

struct skr_spotmix_scheduler_state {
    struct skr_frame *frame;
    const struct skr_spotmix_settings *settings;
    struct skr_spotmix *mix;
    struct skr_spotmix_held_review *held;
    struct skr_spotmix_asking *asking;
    struct skr_spotmix_asker *askers;
    size_t asked; /* by all of them */
    skr_time askers_since;
    struct skr_spotmix_memory *memory;
    bool begun, serving;
    bool reached;        /* an API server has called since it serves, or could have */
    bool silent;         /* the first look after begin(): it shows no changes */
    skr_time expiry;     /* a wake is set for it */
    skr_time settles_at; /* a wake is set for it */
    uint64_t begins;     /* wakes of an earlier begin() are ignored */
    struct skr_spotmix_memory *due;
    uint64_t evictions[SKR_SPOTMIX_EVICTION_RESULT_COUNT];
};

/* ---- reviews.c ---- */

/* A review, or the hang-up of its caller. */
void skr_spotmix_requested(struct skr_spotmix_scheduler_state *self, const struct skr_event *event);
/* A GET has ended: the mix has the object now, or there is none. */
void skr_spotmix_looked_up(struct skr_spotmix_scheduler_state *self, const char *key);
/* SKR_SPOTMIX_LOOKUP_TIME is over. */
void skr_spotmix_review_is_due(struct skr_spotmix_scheduler_state *self, const char *key);
void skr_spotmix_answer_all_held(struct skr_spotmix_scheduler_state *self);
/* Asks to be woken when the next reservation expires. */
void skr_spotmix_set_expiry(struct skr_spotmix_scheduler_state *self);
void skr_spotmix_reviews_fini(struct skr_spotmix_scheduler_state *self);

/* ---- rebuild.c ---- */

/* API servers reach this leader: evictions begin, and pods without a review are counted. */
void skr_spotmix_reached(struct skr_spotmix_scheduler_state *self);

/* Looks at the workload in the next round. It has an entry in the table from then on. */
void skr_spotmix_mark_due(void *scheduler, const char *workload_key);
/* Looks at all workloads that are due. */
void skr_spotmix_look_at_due(struct skr_spotmix_scheduler_state *self);
/* An eviction for this workload has its outcome. */
void skr_spotmix_evicted(struct skr_spotmix_scheduler_state *self, const char *workload_key,
                         const struct skr_event *event);
/* The patch that rolls this workload out has its outcome. */
void skr_spotmix_rolled_out(struct skr_spotmix_scheduler_state *self, const char *workload_key,
                            const struct skr_event *event);
void skr_spotmix_forget_all(struct skr_spotmix_scheduler_state *self);

#endif
