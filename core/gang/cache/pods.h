/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_CACHE_PODS_H
#define SKR_CORE_GANG_CACHE_PODS_H
/*
 * The pod cache. It has every pod of the cluster, since all use capacity; pods of our schedulers
 * that name a group are also members of that group. Most are residents, which need no decision
 * (residents.h); the others have an entry. This header has lookups, and facts about one pod;
 * pod_changes.h has the meaning of a change.
 */
#include "core/frame/object_writer.h"
#include "core/gang/state/gang.h"
#include "core/pod/pod.h"

enum activation_stands { STANDS_UNKNOWN, STANDS_YES, STANDS_NO };

/* The stage of a forced eviction, after a budget blocked it for too long; evictions.c. */
enum eviction_force {
    FORCE_NONE,
    FORCE_MARKING, /* writes the condition that says why the pod will be deleted */
    FORCE_DELETING,
};

/*
 * Work in progress for a pod. Most pods have none and share one value that is all zero; the first
 * change allocates one, skr_pods_work(). It is freed when the pod is bound and no answer or retry
 * is left, skr_pods_rest().
 */
struct pod_work {
    struct node_entry *nominated_on; /* pod_changes.c */
    struct pod_entry *nprev, *nnext; /* in nominated_on->nominated */

    /* nomination.c: the activation of a planned member in kube-scheduler (a nomination, or the
     * removal of its gate), and its result */
    struct {
        uint32_t count; /* k of the plan label */
        skr_time at;    /* acknowledged; 0 none */
        bool asked;     /* filter accepted it since it was sent; its answer may come later */
        /* the activation after which it was rejected: skr_nomination_mark(); never reset */
        uint64_t vain;
        bool was_again; /* skr_nomination_repeat() was done once in this plan */
        uint64_t said;  /* hash of skr_pods_scheduler_says() when the plan was made */
        bool spared;    /* it was not nominated because it needs no nomination */
        bool tried;     /* kube-scheduler tried it in vain: it needs an activation; never reset */
        enum activation_stands stands; /* skr_nomination_stands(), cached */
    } activation;

    /* members.c */
    struct {
        uint64_t write; /* metadata patch in flight; 0 none */
        skr_time at;    /* not before (back-off after a failed patch) */
        uint32_t failures;
        bool must_read; /* not known whether it carries its group's plan: read it first */
        /* a patch that removes its part of a plan may have been applied: the cache may be stale */
        bool clears;
        bool owes; /* its nomination could not be written or cleared while that was forbidden */
        struct skr_undone undone; /* other clients change what it carries of ours */
    } patch;
    /* bit set: reasons with an Event for it since it was last planned; waiting.c */
    uint32_t announced;
    const char *answered; /* constant text of the last rejection in filter; verbs.c */

    /* claims.c */
    bool claims_asked;   /* kube-scheduler has called filter */
    bool claims_doubted; /* it may not, whatever the caches say of the claims */
    /* Filter accepted a member with claims there: kube-scheduler counts it on that node. */
    struct {
        const char *node; /* from names_intern; NULL: nowhere */
        skr_time until;
        struct pod_entry *prev, *next; /* in gang->assumed */
        /* Of its last bind call, until kube-scheduler comes to the member again; NULL: none. */
        const char *bind_on;
    } assumed;

    /* devices.c: a pending claimer of a node, and its place in the list there */
    struct claimers *claims_on;
    struct pod_entry *claims_prev, *claims_next;
    bool claims_left_out; /* while victims are sought: it is no pending claimer; victim_devices.c */
    bool extended_has_devices; /* the claim of its extended resources is allocated */

    struct device_hold *holds; /* allocated claims that were made for it; device_holds.c */

    /* bind_calls.c */
    struct {
        uint64_t request; /* open bind call; 0 none; in gang->parked */
        const char *node; /* the node it names; from names_intern */
        skr_time until;   /* when the engine answers it */
        bool given;       /* the vote counts, also after the call has ended */
    } vote;
    bool binding_queued;
    struct pod_entry *bprev, *bnext; /* in gang->bindings */

    /* binding.c */
    struct {
        uint64_t write; /* Binding or read-back in flight; 0 none */
        skr_time at;    /* not before */
        bool
            unknown; /* skr_bind_calls_set_unknown(): it may have been applied, read the pod first */
        uint32_t failures;
    } bind;

    /* rollback.c: its DELETE */
    struct {
        uint64_t write; /* in flight; 0 none */
        skr_time at;    /* not before */
        uint32_t failures;
        bool confirmed; /* the API server has deleted it, or reported that it is gone */
    } removal;

    /* evictions.c */
    struct {
        char *by;       /* key of the group that needs its room; NULL: none */
        uint64_t write; /* in flight; 0 none */
        skr_time at;    /* not before */
        uint32_t failures;
        bool blocked; /* the last answer was 429 */
        enum eviction_force force;
    } evict;

    /* ordinary.c: pods that are in no group */
    struct {
        skr_time since;    /* it waits since then */
        skr_time asked_at; /* filter's last yes to a pod with claims; 0: none that counts */
        const char *only;  /* the only node of that yes; from names_intern */
        const char *at;    /* where it holds room for its claims; from names_intern */
        bool first;        /* a problem left room for it */
    } single;
};

struct pod_entry {
    const char *uid, *key; /* key: namespace/name; both are in text */
    uint32_t number;       /* in gang->pods; skr_pods_enter() */

    bool dirty; /* dirty.c */

    /* membership.c */
    bool seated; /* holds one of the group's seats */
    bool lost;   /* ran with a seat until it ended, other than by success; pod_changes.c */
    bool done;   /* has Succeeded in the running or the last generation */

    /* what the pod says of its role and set, NULL and -1: nothing; borrowed from pod; pod_changes.c */
    const char *role_name;
    int32_t set_said;

    /* roles.c */
    uint8_t role;       /* of a member with a seat: index into the group's roles */
    bool waits_for_set; /* its set is incomplete, and none of it runs: it is not planned */
    int32_t set;        /* the set of its role's kind that it is in; -1: none */

    /* pod_changes.c */
    bool ours;         /* schedulerName is one of ours */
    bool kept;         /* stays in its group, though it was edited and names another one or none */
    bool unsure;       /* its owner was not listed when it entered: its group may be another one */
    bool await_watch;  /* bound by our own 201; labels are unknown until the watch shows them */
    bool await_labels; /* only its Binding set them */
    bool agreed;       /* once had the label that permits preemption: stays an entry */

    bool ordinary; /* in no group, and in gang->ordinary; ordinary.c */
    bool leaving;  /* skr_pods_note_leaving() */
    /* Terminating: when its grace period ends, by the clock of this process; skr_pods_note_deletion() */
    skr_time leaves_by;

    /* pod_changes.c */
    struct skr_pod *pod;
    struct shape *shape;
    struct group *group;           /* of our pods that name a group */
    struct pod_entry *prev, *next; /* in group->members, or else in gang->ordinary */
    skr_time seen_at;              /* first */
    skr_time asked_at;             /* last filter call; 0: none. scheduler_progress.c */
    uint64_t attempts_base;        /* group->attempt.n when the pod was first seen */

    struct pod_entry *dprev, *dnext; /* dirty.c */

    struct plan *plan; /* the plan it is a member of; plan.c */
    struct {
        const char *node; /* borrowed from names_intern */
        int32_t rank;     /* -1: none; adopted pods have one without a plan */
        int32_t retries;
        int32_t turn;  /* nominated after all earlier turns of the plan have voted; 0 first */
        bool recorded; /* a persisted text named it as a member of the plan */
    } place;           /* in the plan */

    union {
        const struct pod_work *work; /* work in progress; never NULL */
        struct pod_work *own_work;   /* the same, if it has its own: skr_pods_work() */
    };
    char text[];
};

extern const struct pod_work pods_no_work;
/* Its work in progress, for changes. */
struct pod_work *skr_pods_work(struct pod_entry *p);
/* Frees it if the pod is bound and all work is done. */
void skr_pods_rest(const struct skr_gang *e, struct pod_entry *p);
void skr_pods_drop_work(struct pod_entry *p); /* frees it in any case */

/* Adds it to the table by the entry's uid and key; removes it. */
void skr_pods_enter(struct skr_gang *e, struct pod_entry *p);
void skr_pods_leave(struct skr_gang *e, struct pod_entry *p);
size_t skr_pods_count(const struct skr_gang *e);
/* Iterates over entries: *at begins as 0; NULL at the end. The entry returned last may be removed
 * meanwhile. */
struct pod_entry *skr_pods_next(const struct skr_gang *e, size_t *at);
/* NULL: there is no entry. uid NULL or "" allowed. */
struct pod_entry *skr_pods_find(const struct skr_gang *e, const char *uid);
struct pod_entry *skr_pods_find_name(const struct skr_gang *e, const char *namespace_,
                                     const char *name);
/* The node of a resident; NULL if the pod is not a resident. */
const char *skr_pods_resident_node(const struct skr_gang *e, const char *uid);
bool skr_pods_is_bound(const struct pod_entry *p);
/* kube-scheduler has accepted its planned node, or asked to bind it there. */
bool skr_pods_was_accepted(const struct pod_entry *p);
/* A live member with a seat. */
bool skr_pods_has_seat(const struct pod_entry *p);
bool skr_pods_is_terminal(const struct skr_pod *pod); /* Succeeded or Failed */
bool skr_pods_is_our_scheduler(const struct skr_gang *e, const char *name);
bool skr_pods_is_ours(const struct skr_gang *e, const struct skr_pod *pod);
/* The index of its schedulerName in settings.scheduler_name; their number: it is not one of ours. */
size_t skr_pods_profile(const struct skr_gang *e, const struct skr_pod *pod);
bool skr_pods_is_waiting(const struct pod_entry *p); /* ours, without a group, to be scheduled */
const char *skr_pods_group_name(const struct skr_pod *pod);             /* NULL: none */
const char *skr_pods_label(const struct pod_entry *p, const char *key); /* "" absent */
const char *skr_pods_annotation(const struct pod_entry *p); /* sakkara.plan; "" absent */
/* kube-scheduler has refused the pod at least once, by its condition PodScheduled. SchedulingGated, which
 * the API server sets for a gate, stays until the first attempt. */
bool skr_pods_was_tried(const struct skr_pod *pod);
/* The message of that condition; "": kube-scheduler has not tried the pod yet, or not again since a
 * nomination replaced its words by SKR_TEXT_ASKED_AGAIN. */
const char *skr_pods_scheduler_says(const struct skr_pod *pod);
/* The same since the pod's last plan was made, or since skr_nomination_awaited_again(); "": it says
 * what it said before. */
const char *skr_pods_scheduler_answer(const struct pod_entry *p);
/* From its rank label; -1: none. */
int32_t skr_pods_rank_label(const struct pod_entry *p);

/* Counts bound pods that are leaving, on their own or for a group (gang->n_leaving): their room
 * will be free. gone: the entry is about to be freed. */
void skr_pods_note_leaving(struct skr_gang *e, struct pod_entry *p, bool gone);
/* Another version of the pod; old: NULL for a new one. The clocks of the API server and of this process
 * may differ: a grace period is counted from when its deletion is seen first. Without the length of the
 * period, and for a deletion of hours ago, the deletionTimestamp counts. */
void skr_pods_note_deletion(const struct skr_gang *e, struct pod_entry *p,
                            const struct skr_pod *old);
/* Its preemptor does not need it to leave any more. An eviction in flight is not cancelled. */
void skr_pods_forget_eviction(struct skr_gang *e, struct pod_entry *p);

#endif
