/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_STATE_GROUPS_H
#define SKR_CORE_GANG_STATE_GROUPS_H
/* The entry of a group, its fields by the file that writes them. */
#include <uthash.h>

#include "core/gang/state/gang.h"
#include "core/gang/state/reason.h"
#include "core/group/group.h"

enum group_source { SOURCE_NONE, SOURCE_MAP, SOURCE_PODGROUP, SOURCE_LABELS, SOURCE_COUNT };

enum group_state {
    GROUP_PENDING,
    GROUP_READY,
    GROUP_PREEMPTING,
    GROUP_PLANNED, /* commit sent or acknowledged; nobody activated yet */
    GROUP_ADMITTING,
    GROUP_HOLDING,
    GROUP_BINDING,
    GROUP_BOUND,
    GROUP_BACKOFF,
    GROUP_EVICTED,
    GROUP_INVALID,
    GROUP_STATE_COUNT
};

struct condition {
    bool set;
    const char *status;
    char *reason;
    char *message;
    skr_time since;
};
enum {
    CONDITION_COMPLETE,
    CONDITION_PLACED,
    CONDITION_BOUND,
    CONDITION_VALID,
    CONDITION_KIND_COUNT
};

/* An Event about a group, kept for those who look. */
struct reported_event {
    skr_time at;
    bool warning;
    const char *reason; /* literal */
    char *note;
};
enum { SKR_EVENTS_KEPT = 8 }; /* a group */

enum candidate { CANDIDATE_NOT, CANDIDATE_AWAKE, CANDIDATE_ASLEEP };

struct kind;
struct kind_sizes;
struct pod_watch;

/* What the planner knows of a group without asking the solver. Written by fit.c alone, but for
 * report_at: skr_fit_report_at(). */
struct fit {
    bool made;                /* for this */
    uint64_t input;           /* group->input_epoch */
    struct kind *kind;        /* a reference; NULL: the group is not one that is answered for */
    struct kind_sizes *sizes; /* of the kind, under the group's rules */
    struct watched *watched;
    int32_t n;               /* members to place */
    uint64_t solved_changes; /* plain_planning: fits was found at these changes of the kind */
    bool fits;
    /* Of the kind and the nodes when the group's reason was reported last. */
    uint64_t reported_changes, reported_nodes, reported_room, reported_late_room;
    bool reported_short;
    skr_time report_at; /* it is old, and reported anew then; 0: it stands */
};

struct group {
    UT_hash_handle hh; /* by namespace/name */
    char *key, *namespace_, *name;

    struct pod_entry *members; /* pods of ours that name the group; pod_changes.c */
    size_t n_members;

    /* group_source.c; the list: maps.c */
    struct {
        enum group_source kind;
        struct map_entry *maps;          /* all group maps of this name, unsorted */
        struct map_entry *map;           /* the one that defines the group */
        struct podgroup_entry *podgroup; /* of this name, if any */
        char *defect;                    /* why the source is malformed */
        char *
            misplaced; /* why its hard rules cannot hold on the tree in force: a level is unknown */
        char *text;    /* what spec was made from */
        struct skr_group_spec
            *next; /* the last that could be read while spec may not change; NULL: spec is */
    } source;
    struct skr_group_spec *spec; /* in force; NULL without a valid source; group_source.c */
    uint64_t input_epoch;        /* skr_dirty_input() */

    /* budget.c */
    struct {
        bool counts;               /* in the budget of its namespace */
        bool refused;              /* there was no place: in the list of those */
        struct group *prev, *next; /* in that list */
    } budget;

    /* membership.c */
    struct {
        bool dirty;                          /* to be dealt anew: skr_membership_changed() */
        size_t n_live, n_bound, n_newcomers; /* of live members: bound, not bound */
        size_t n_new, n_ready; /* newcomers with a seat; those of them without a foreign gate */
        size_t n_foreign_gate;
        char *difference; /* warning text, NULL when members are equal */
    } seats;
    struct {
        bool succeeded;     /* a member of this generation has: skr_membership_note_success() */
        size_t n_succeeded; /* that this process saw end so, or that the object ranks */
        bool finished;      /* nobody lives, and what was to be done is done */
        char **controller;  /* of the current generation */
        size_t n, cap;
    } generation;

    /* group_state.c */
    enum group_state state;
    enum skr_reason reason;
    char *message;

    struct plan *plan;           /* plan.c */
    struct group *pprev, *pnext; /* in gang->planned */

    bool dirty; /* dirty.c */
    struct group *dprev, *dnext;
    enum candidate candidate; /* candidates.c, with the list that it is in */
    struct group *cprev, *cnext;
    skr_time wake_at;      /* wakes.c */
    skr_time evaluated_at; /* last; lifecycle.c */

    /* Looking for a placement: attempt.c */
    struct {
        uint64_t n;             /* attempts so far */
        uint32_t attempts;      /* failed ones since the last success: back-off */
        skr_time plan_at;       /* not planned before (planDelay) */
        skr_time backoff_until; /* nor before, unless epoch.capacity has left failed_epoch */
        bool infeasible;        /* the last solve said so */
        size_t limit;           /* newcomers of an open group that are tried; 0: all */
        bool limit_failed;      /* not even so many have a place */
        uint64_t failed_epoch;  /* epoch.capacity when no placement was found; UINT64_MAX: never */
        uint64_t failed_input;  /* input_epoch then */
        uint64_t delayed_input; /* input_epoch that plan_at was set for while Bound */
        uint32_t stale_answers; /* in a row: solved, but the room had gone elsewhere */
        bool optimal;
        int64_t solver_ms;
        int64_t solver_ns; /* the same, as long as this process remembers it; 0 */
    } attempt;
    struct {
        char *pod, *node;          /* the last: uid, name; NULL: none */
        const char *plugin, *rule; /* literals; NULL: not known */
        uint32_t n;                /* in a row */
        skr_time until;            /* the group is not planned before */
        uint64_t lifted;           /* epoch.lifted and vetoes.lifted then, added */
        bool silent;               /* it does not come to the pod at all */
    } refusal;                     /* of planned nodes, by kube-scheduler; refusal.c */
    struct {
        struct veto_set *set;
        size_t n_sets, n; /* n: vetoes of all sets */
        uint64_t lifted;  /* grows when a change of a node ends one */
    } vetoes;             /* vetoes.c */
    struct {
        struct seat_hold *item;
        size_t n, cap;
    } holds;                     /* room of lost members; seat_holds.c */
    struct fit fit;              /* fit.c */
    struct explained *explained; /* the solver's account; NULL: nobody asked; explain_request.c */

    /* preemption.c: as a victim */
    struct {
        char *by;     /* key of the group it gives way to; NULL: none */
        bool leaving; /* its pods have to go, and until that is settled it is not planned */
        bool stays;   /* victim_search.c: it would, if who pushes it out gave way itself */
    } victim;
    /* victim_search.c: as a preemptor */
    struct {
        uint64_t epoch, input; /* epoch.victims and input_epoch of the last search */
        skr_time at;           /* no search before */
        bool failed;           /* the last one has found nobody */
    } preempt;

    struct {
        skr_time begin, end; /* of the generation; 0 unset; group_state.c */
        skr_time complete;   /* all members are there since, and not bound; 0 not; measure.c */
    } times;

    /* gate_release.c */
    struct {
        skr_time since; /* infeasible for want of capacity since; 0 not */
        bool open;      /* gates go without a plan */
    } release;

    /* outputs.c */
    struct {
        char *placement, *rank; /* as written */
        bool too_large;
        size_t bound; /* seats.n_bound and input_epoch that they were made at */
        uint64_t input;
    } outputs;

    struct {
        bool done;
        enum skr_group_status status;
        enum skr_reason reason; /* SKR_REASON_COUNT: it is placed */
    } counted;                  /* in gang->n_by_status, n_by_reason; group_table.c */

    /* status.c */
    enum skr_group_status status;
    skr_time status_since;
    skr_time reason_since; /* the reason is this one; 0: not seen to begin */
    enum skr_reason reason_seen;
    struct condition condition[CONDITION_KIND_COUNT];

    bool restored; /* records of an earlier life were looked at; restore.c */

    /* What people were shown last: status.c. */
    struct {
        enum skr_group_status status; /* last Event and decision */
        enum skr_reason reason;
        /* Events of attempts since the group was complete: each once, however often it is tried and
         * whatever reasons take turns. */
        bool placed;
        uint32_t unplaced;                            /* bits: reasons */
        struct reported_event event[SKR_EVENTS_KEPT]; /* a ring: the n-th at n % SKR_EVENTS_KEPT */
        size_t n_events;
    } reported;
    uint64_t members_hash; /* what skr_members_settle() last depended on; lifecycle.c */
    struct {
        skr_time since; /* reason is unchanged since */
        enum skr_reason reason;
        char *first,
            *last; /* names: of the first that waits, and of the last that is announced while gated, */
        skr_time sought_at;
        uint64_t input; /* ... of the members then, */
        size_t bound;   /* ... when so many were bound */
    } announced;        /* Events of members; waiting.c */
};

#endif
