/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_STATE_GROUPS_H
#define SKR_CORE_GANG_STATE_GROUPS_H
/* The entry of a group, its fields by the file that writes them. */
#include <uthash.h>

#include "core/gang/state/fit_entry.h"
#include "core/gang/state/gang.h"
#include "core/gang/state/reason.h"
#include "core/gang/state/role_entry.h"
#include "core/gang/state/seat_entry.h"
#include "core/gang/state/told_entry.h"
#include "core/gang/state/vain_entry.h"
#include "core/group/group.h"

enum group_source { SOURCE_NONE, SOURCE_MAP, SOURCE_PODGROUP, SOURCE_LABELS, SOURCE_COUNT };

enum group_state {
    GROUP_PENDING,
    GROUP_READY,
    GROUP_PREEMPTING,
    GROUP_PLANNED, /* commit sent or acknowledged; no member activated yet */
    GROUP_ADMITTING,
    GROUP_HOLDING,
    GROUP_BINDING,
    GROUP_BOUND,
    GROUP_BACKOFF,
    GROUP_EVICTED,
    GROUP_INVALID,
    GROUP_STATE_COUNT
};

enum candidate { CANDIDATE_NOT, CANDIDATE_AWAKE, CANDIDATE_ASLEEP, CANDIDATE_REPORT };

struct group {
    UT_hash_handle hh; /* by namespace/name */
    char *key, *namespace_, *name;

    struct pod_entry *members; /* pods of our schedulers that name the group; pod_changes.c */
    size_t n_members;

    /* group_source.c; the list: maps.c */
    struct {
        enum group_source kind;
        struct map_entry *maps;          /* all group maps of this name, unsorted */
        struct map_entry *map;           /* the one that defines the group */
        struct podgroup_entry *podgroup; /* of this name; NULL: none */
        char *defect;                    /* why the source is malformed */
        char *misplaced; /* why its hard rules cannot hold on the tree in force: an unknown level */
        char *text;      /* the text that spec was parsed from */
        char *roles_changed; /* why the map waits for the next generation: roles_change.h */
        struct skr_group_spec
            *next; /* the last readable one while spec may not change; NULL: spec is */
    } source;
    struct {
        struct owner_entry *owner; /* that says its size; NULL: none is read; workload_owners.c */
        struct group *prev, *next; /* in owner->groups */
        int64_t minimum;           /* as last read; derived.c, as the rest */
        enum skr_reason lack;      /* why there is no spec; NONE: nothing is missing */
        char *lack_text;
        skr_time map_at; /* its map is not made before; 0: not wanted yet; status_map.c */
    } derived;
    struct skr_group_spec *spec; /* in force; NULL without a valid source; group_source.c */
    uint64_t input_epoch;        /* skr_dirty_input() */

    /* budget.c */
    struct {
        bool counts;               /* the group is in the budget of its namespace */
        bool refused;              /* the budget was full: in the list of refused groups */
        struct group *prev, *next; /* in that list */
    } budget;

    /* membership.c */
    struct {
        bool dirty; /* seats must be assigned anew: skr_membership_changed() */
        size_t n_live, n_bound, n_newcomers; /* of live members: bound, not bound */
        size_t n_new, n_ready; /* newcomers with a seat; without a foreign gate among them */
        size_t n_foreign_gate;
        size_t n_claimers, n_unasked, n_unread, n_assumed; /* newcomers with a seat: claims.h */
        char *difference; /* warning text, NULL when members are equal */
        char *uneven;     /* the same about their annotations; uniform.c */
        bool gang_plugin; /* kube-scheduler's own gang plugin holds members; pod_changes.c */
    } seats;
    /* roles.c */
    struct {
        size_t n;          /* 0: the group has no members with a seat */
        struct role *item; /* in role order; NULL: one role, of members that are all alike */
        bool keyed;        /* of the key roles */
        size_t n_merged;   /* roles that were left out because there were too many */
        size_t n_unknown;  /* members without a role of the key; the first by name: */
        char *first_unknown;
        char *first_foreign; /* the first by name of those that run under other roles or sets than
                                spec has; roles_change.c, as: */
        char *earlier;       /* these roles and sets; NULL: its role is not in the key */
        char *defect;        /* why the constraints do not fit the roles */
    } roles;
    struct {
        bool succeeded;     /* a member of it has: skr_generation_note_success() */
        size_t n_succeeded; /* members that this process saw Succeed, or that the object ranks */
        int32_t ended;      /* of its size, members that are not made again */
        bool finished;      /* no member lives and no work is left */
        bool earlier;       /* members of an earlier native PodGroup run */
        char **controller;  /* of the current generation */
        size_t n, cap;
    } generation;
    struct {
        bool read;    /* item is as the members are: skr_membership_changed() */
        bool ignored; /* a member has rules of ours, or Kueue places it itself */
        size_t n;     /* pod sets; of each a member: */
        const struct pod_entry *item[SKR_ROLES_MAX];
    } podsets; /* kueue_rules.c */

    /* group_state.c */
    enum group_state state;
    enum skr_reason reason;
    char *message;

    struct {
        bool waits;           /* a placement was found, and calls of kube-scheduler are awaited */
        bool open;            /* gates of members with claims go without a plan */
        bool kept;            /* kube-scheduler has members assumed that no plan places */
        skr_time holds_until; /* members hold devices; not planned before; 0: device_holds.c */
        skr_time lacks;       /* a claim of a member is missing or in use, since then; 0: none is */
        struct claim_awaited *awaited; /* that claim; NULL: none; claim_objects.c */
        struct group *aprev, *anext;   /* in awaited->groups */
        struct device_turn *turn;      /* NULL: its devices are counted; device_turns.c, as: */
        bool over, beyond, uncounted;  /* no steps are left; it asks for too much; uncounted.c */
        uint64_t steps;                /* of one pod a device; UINT64_MAX: its search is too long */
    } claims;                          /* claims.c */

    struct plan *plan;           /* plan.c */
    struct group *pprev, *pnext; /* in gang->planned */

    struct booking *booking;   /* a reservation; NULL: none; cache/booked.h */
    struct forecast *forecast; /* a start that is not promised; NULL: none; group/start.h */
    int moved;                 /* enum skr_move_cause of its last move that was not told yet */
    struct told told;          /* time/told.c, status.c */
    /* Not sought before, nor without news: its start was unknown, or beyond time.horizon till far_at. */
    skr_time unknown_until, far_at;
    uint64_t unknown_seen; /* time/rounds.c */
    uint64_t rounded;      /* its input_epoch, as the last round that looked at it had it */

    bool dirty; /* dirty.c */
    struct group *dprev, *dnext;
    uint64_t stamp;              /* the last change of what is shown; dirty.c */
    struct group *sprev, *snext; /* in gang->stamped */
    enum candidate candidate;    /* candidates.c, with the list that it is in */
    struct group *cprev, *cnext;
    skr_time wake_at;      /* wakes.c */
    skr_time evaluated_at; /* last time; lifecycle.c */

    /* Search for a placement: attempt.c */
    struct {
        uint64_t n;        /* attempts so far */
        uint32_t attempts; /* failed ones since the last success: determines the back-off */
        skr_time plan_at;  /* not planned before (planDelay) */
        /* nor before this, unless there is more capacity since failed_at */
        skr_time backoff_until;
        bool infeasible;        /* the result of the last solve */
        size_t limit;           /* tried newcomers of an open group; 0: all */
        bool limit_failed;      /* even that number has no place */
        uint64_t failed_at;     /* the stamp when no placement was found; 0: never */
        uint64_t failed_input;  /* input_epoch then */
        uint64_t delayed_input; /* input_epoch that plan_at was set for while Bound */
        uint32_t stale_answers; /* in a row: solved, but the room was taken meanwhile */
        uint32_t device_rounds; /* in a row: solved, but devices do not serve members that differ */
        bool optimal;
        int64_t solver_ms;
        int64_t solver_ns; /* the same in ns, if measured by this process; else 0 */
    } attempt;
    struct {
        char *pod, *node;          /* the last refused: uid, name; NULL: none */
        const char *plugin, *rule; /* literals; NULL: unknown */
        uint32_t n;                /* in a row */
        skr_time until;            /* the group is not planned before */
        uint64_t seen;             /* the stamp then */
        int32_t absent_s; /* kube-scheduler passed the pod after so long; 0: it refused the pod */
        bool counted;     /* in stats.mispredictions, or none */
    } refusal;            /* of planned nodes, by kube-scheduler; refusal.c */
    struct {
        struct veto_set *set;
        size_t n_sets, n;   /* n: vetoes of all sets */
        uint64_t lifted_at; /* the stamp when a change of a node last ended one */
    } vetoes;               /* vetoes.c */
    struct {
        struct seat_hold *item;
        size_t n, cap;
        int32_t priority;          /* of the group, while n > 0 */
        int32_t class_;            /* the highest spec.priority of the lost members, while n > 0 */
        uint64_t running;          /* members; + 1 << 32 for each of ran that counts */
        struct seats_ran *ran;     /* of members that are made again, newest first; NULL: none */
        struct group *prev, *next; /* in gang->holders */
    } holds;                       /* room of lost members; seat_holds.c */
    struct {
        struct group *prev, *next; /* in gang->replacers */
        bool listed;
        char *by;           /* it moves for the group of this key; NULL: it does not */
        bool whole;         /* all members leave, also those that run on other nodes */
        char *text;         /* of arranged seats, for the object; NULL: there are none */
        size_t n;           /* seats that were found together */
        size_t n_lost;      /* running members on lost nodes */
        uint64_t failed_at; /* the stamp of the last search; 0: none yet */
        skr_time at;        /* no search before */
    } replacing;            /* key replace; preempt/arranged.c, planning/replacing.c */
    struct {
        char *text;              /* which groups would have to move for it; NULL: none is known */
        uint64_t seen;           /* the stamp of the last search; 0: again */
        skr_time at, until;      /* no search before; news of running groups then; 0: none */
        skr_time moved_at;       /* it was moved for another one last; 0: not */
    } moving;                    /* time/moving.c */
    struct fit fit;              /* fit.c */
    struct explained *explained; /* the solver's account; NULL: not requested; explain_request.c */
    const struct node_names *without; /* that its members leave, during what_if.c; else NULL */

    /* ways_out.c: what would make it fit, as its object has it */
    struct {
        char *text;           /* one change a line; NULL: none */
        skr_time at;          /* when it is explained next; 0: not at all */
        uint64_t seen, input; /* of the account that the lines are from */
        char *strangers;      /* pods that look like members and are none; NULL: none known */
    } ways;

    skr_time
        gave_at;  /* the last of its members beyond the minimum was evicted; 0: none; evictions.c */
    char *pauses; /* for its object: report/pauses.h; NULL: nothing */
    /* preemption.c: as a victim */
    struct {
        char *by;     /* key of the preemptor; NULL: none */
        bool leaving; /* its pods must leave; until they have, it is not planned */
        bool stays;   /* victim_search.c: it could stay if its preemptor left */
    } victim;
    /* victim_search.c: as a preemptor */
    struct {
        uint64_t seen, input; /* the stamp and input_epoch of the last search */
        skr_time at;          /* no search before */
        bool failed;          /* the last one found no victims */
    } preempt;
    struct vain vain; /* evictions for it that did not help; vain.c */

    struct {
        skr_time begin, end;            /* of the generation; 0: unset; group_state.c */
        skr_time complete, limit, word; /* unbound since; least run-limit; run_limit.h */
    } times;

    /* gate_release.c */
    struct {
        skr_time since, opened_at; /* infeasible for lack of capacity since then; 0: not */
        bool open;                 /* gates are removed without a plan */
    } release;

    struct provisioning *provisioning; /* provisioning.c; NULL: no room is asked for */

    /* outputs.c */
    struct {
        char *placement, *rank, *sets; /* as last written */
        bool too_large;
        size_t bound; /* seats.n_bound and input_epoch at that write */
        uint64_t input;
    } outputs;

    struct {
        bool done;
        enum skr_group_status status;
        enum skr_reason reason; /* SKR_REASON_COUNT: the group is placed */
        enum skr_uncounted uncounted;
    } counted; /* in gang->n_by_status, n_by_reason, n_by_uncounted; group_table.c */
    enum skr_uncounted uncounted; /* its devices, in the last problem: problem.c */

    /* status.c */
    enum skr_group_status status;
    skr_time status_since;
    skr_time reason_since; /* since when the reason holds; 0: start unknown */
    enum skr_reason reason_seen;
    struct condition condition[CONDITION_KIND_COUNT];

    bool restored; /* records of an earlier process were read; restore.c */

    /* What was last shown to users: status.c. */
    struct {
        enum skr_group_status status; /* last Event and decision */
        enum skr_reason reason;
        /* Reasons with an Event since the group was complete: one Event each, however often they
         * alternate. */
        bool placed;
        uint32_t unplaced;                            /* bit set of reasons */
        struct reported_event event[SKR_EVENTS_KEPT]; /* a ring: the n-th at n % SKR_EVENTS_KEPT */
        size_t n_events;
    } reported;
    uint64_t members_hash; /* the last input of skr_members_settle(), hashed; lifecycle.c */
    struct {
        skr_time since; /* reason is unchanged since */
        enum skr_reason reason;
        char *first, *last; /* names of the first waiting and the last announced gated member, */
        skr_time sought_at;
        uint64_t input; /* ... for this input_epoch, */
        size_t bound;   /* ... with this number of bound members */
    } announced;        /* Events of members; waiting.c */
};

#endif
