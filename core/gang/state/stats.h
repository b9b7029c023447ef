/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_STATE_STATS_H
#define SKR_CORE_GANG_STATE_STATS_H
/* How attempts and groups end, how long groups wait, how many objects there are: numbers for
 * metrics, and the state for users and tests. */
#include "core/devices/search.h"
#include "core/frame/durations.h"
#include "core/gang/state/reason.h"
#include "core/time/round.h"
#include "topology/base/strbuf.h"
#include "topology/object.h"

struct skr_gang; /* skr_engine_self() of its engine */

/* Results of a planning attempt of a group. */
enum skr_attempt {
    SKR_ATTEMPT_PLANNED,    /* a plan was committed */
    SKR_ATTEMPT_INFEASIBLE, /* there is no placement */
    SKR_ATTEMPT_STALE,      /* there was one, but the room was taken during the solve */
    SKR_ATTEMPT_ERROR,      /* the problem exceeds a limit */
    SKR_ATTEMPT_COUNT
};

/* How the wait of a complete group ended. */
enum skr_group_outcome {
    SKR_OUTCOME_BOUND,
    SKR_OUTCOME_FAILED, /* members, definition or the group were deleted before it was bound */
    SKR_OUTCOME_COUNT
};

/* Times from the last member's arrival to the outcome. For groups that were complete before this
 * process led, they begin with its start. Bound of bucket k: FIRST * 2^k; the last has none. */
enum { SKR_SCHEDULING_BUCKETS = 20 };
#define SKR_SCHEDULING_FIRST (10 * SKR_MILLISECOND)
struct skr_scheduling_times {
    uint64_t n[SKR_SCHEDULING_BUCKETS + 1]; /* not cumulative */
    int64_t sum;                            /* ns */
};

/* How a preemption ended. */
enum skr_preemption {
    SKR_PREEMPTION_DONE,    /* planned: the victims are gone, or are not needed any more */
    SKR_PREEMPTION_ABORTED, /* the preemptor is gone, or could not use the room */
    SKR_PREEMPTION_COUNT
};

/* The API server's answer to the eviction of one pod. */
enum skr_eviction {
    SKR_EVICTION_EVICTED,
    SKR_EVICTION_BLOCKED, /* 429: a PodDisruptionBudget; retried */
    SKR_EVICTION_FAILED,  /* any other error; retried unless forbidden */
    SKR_EVICTION_COUNT
};

/* What became of a patch that frees leftover devices. */
enum skr_release {
    SKR_RELEASE_DONE,
    SKR_RELEASE_CONFLICT, /* the claim has changed, or is gone */
    SKR_RELEASE_DENIED,   /* no permission, or refused for good */
    SKR_RELEASE_FAILED,   /* any other outcome */
    SKR_RELEASE_COUNT
};

/* What a node has for pods with claims. */
enum skr_device_fit_result {
    SKR_DEVICE_FIT_SOME, /* devices for one at least */
    SKR_DEVICE_FIT_NONE,
    SKR_DEVICE_FIT_UNMODELLED,
    SKR_DEVICE_FIT_ERROR, /* kube-scheduler ends with an error before the next one */
    SKR_DEVICE_FIT_COUNT
};
#define SKR_DEVICE_FIT_SCALE \
    {                        \
        10000, 10, 6         \
    } /* 10 us to 1 s */

/* Plugins of kube-scheduler that refused a planned node though the daemon counts what they count. */
enum skr_mispredicted {
    SKR_MISPREDICTED_DEVICES,
    SKR_MISPREDICTED_BINDING,
    SKR_MISPREDICTED_LIMITS,
    SKR_MISPREDICTED_RESTRICTIONS,
    SKR_MISPREDICTED_ZONE,
    SKR_MISPREDICTED_COUNT
};
extern const char *const skr_mispredicted_name[]; /* of the plugin; refusal.c */

/* A start against the first one that was promised. */
enum skr_promise_end { SKR_PROMISE_EARLY, SKR_PROMISE_LATE, SKR_PROMISE_END_COUNT };
#define SKR_PROMISE_SCALE   \
    {                       \
        1000000000LL, 4, 10 \
    } /* 1 s to 3 days */
#define SKR_ROUND_SCALE \
    {                   \
        100000, 4, 9    \
    } /* 0.1 ms to 6.6 s */

/* Answers to AdmissionChecks of Kueue. */
enum skr_admission_result {
    SKR_ADMISSION_READY,
    SKR_ADMISSION_RETRY,
    SKR_ADMISSION_REJECTED,
    SKR_ADMISSION_NOT_WRITTEN, /* the API server refused the answer; tried again */
    SKR_ADMISSION_RESULT_COUNT
};

/* Why room is reserved that no bound pod uses: core/gang/group/reservation.h. */
enum skr_reservation_reason {
    SKR_RESERVED_PLAN,
    SKR_RESERVED_VICTIMS,
    SKR_RESERVED_BINDING,
    SKR_RESERVED_VACANCY,
    SKR_RESERVED_SEAT,
    SKR_RESERVED_FIRST,
    SKR_RESERVED_CLAIMS,
    SKR_RESERVED_CALL,
    SKR_RESERVED_COUNT
};

/* Each counted at its source. */
struct skr_gang_counters {
    uint64_t plans, aborts, solves, bindings, binding_errors;
    uint64_t looks; /* queue.c */
    uint64_t attempts[SKR_ATTEMPT_COUNT];
    uint64_t topology_loads, topology_refusals;
    uint64_t gang_plugin;                                  /* pod_changes.c */
    uint64_t preemptions[SKR_PREEMPTION_COUNT];            /* preemption.c */
    uint64_t group_moves[SKR_PREEMPTION_COUNT];            /* for others; preemption.c */
    uint64_t evictions[SKR_EVICTION_COUNT];                /* evictions.c */
    uint64_t followers_evicted;                            /* evictions.c */
    uint64_t releases[SKR_RELEASE_COUNT];                  /* device_holds.c */
    struct skr_durations device_fit[SKR_DEVICE_FIT_COUNT]; /* device_needs.c */
    uint64_t mispredictions[SKR_MISPREDICTED_COUNT];       /* refusal.c */
    uint64_t admissions[SKR_ADMISSION_RESULT_COUNT];       /* admission.c */
    uint64_t moves[SKR_MOVE_CAUSE_COUNT];                  /* of starts, to later ones; rounds.c */
    struct skr_durations promise[SKR_PROMISE_END_COUNT];   /* rounds.c */
    struct skr_durations rounds;                           /* rounds.c */
    uint64_t backfilled;                                   /* commit.c */
    struct skr_scheduling_times scheduling[SKR_OUTCOME_COUNT];
};

/* Numbers for metrics and /readyz; O(allocated claims of members that are not bound). */
struct skr_gang_stats {
    size_t nodes, pods, groups, configmaps, parked, writes_in_flight;
    bool labels_travel;                  /* in Bindings; member_record.h */
    size_t resident_bytes, charge_bytes; /* of pods that only take room; of charges */
    size_t groups_by_status[9];          /* order of enum skr_group_status */
    size_t unplaced_by_reason[SKR_REASON_COUNT];
    uint64_t plans, aborts, solves, bindings, binding_errors;
    uint64_t looks; /* examined groups in the search for the next to plan */
    uint64_t attempts[SKR_ATTEMPT_COUNT];
    struct skr_scheduling_times scheduling[SKR_OUTCOME_COUNT];
    uint64_t preemptions[SKR_PREEMPTION_COUNT];
    uint64_t group_moves[SKR_PREEMPTION_COUNT]; /* groups that others moved for */
    uint64_t evictions[SKR_EVICTION_COUNT];
    uint64_t followers_evicted; /* members that their groups did not need, for other groups */
    uint64_t topology_loads;    /* changes of the tree in force */
    uint64_t topology_refusals; /* unreadable topology maps */
    size_t unknown_nodes;       /* leaves of the tree that name no node */
    size_t outside_nodes;       /* Ready nodes that are not in the tree */
    size_t device_signatures;   /* distinct answers about devices of nodes that are kept */
    size_t leftover_claims;     /* device_holds.h */
    uint64_t releases[SKR_RELEASE_COUNT];
    struct skr_durations device_fit[SKR_DEVICE_FIT_COUNT];
    uint64_t mispredictions[SKR_MISPREDICTED_COUNT];
    size_t uncounted[SKR_UNCOUNTED_COUNT]; /* groups that wait, or have a plan */
    uint64_t admissions[SKR_ADMISSION_RESULT_COUNT];
    size_t promised, draining;            /* reservations */
    uint64_t moves[SKR_MOVE_CAUSE_COUNT]; /* of their starts, to later ones */
    struct skr_durations promise[SKR_PROMISE_END_COUNT];
    struct skr_durations rounds; /* on the worker */
    uint64_t backfilled;         /* groups planned in front of one that has a reservation */
    uint64_t gang_plugin;        /* groups that kube-scheduler's gang plugin has held */
    size_t refused_nodes;        /* nodes without room in the table of names */
    bool synced, leader;
};
void skr_gang_get_stats(const struct skr_gang *gang, struct skr_gang_stats *ret);

/* State as JSON for users and tests, sorted:
 *   {"groups":[{"namespace","name","size","priority","status","reason","message","placement",
 *   "members":[{"name","node","rank","status"}]}]} */
void skr_gang_write_json(const struct skr_gang *gang, struct skr_strbuf *out);
/* Each element of "groups" separately; text is borrowed for the call. */
void skr_gang_each_json(const struct skr_gang *gang,
                        void (*visit)(void *context, const char *text, size_t n), void *context);

/* The name of the group of a pod, and the set that the pod is in, -1: none. NULL: the pod is a member of
 * no group. Borrowed until the next event. O(1). */
const char *skr_gang_group_of(const struct skr_gang *gang, const char *namespace_, const char *pod,
                              int32_t *ret_set);

#endif
