/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_TIME_ROUND_H
#define SKR_CORE_TIME_ROUND_H
/*
 * One round: which of the waiting groups start now, which get a reservation, and when the others may
 * start. Groups are in their order, the first goes first.
 *
 * A reservation is a start, a place and a window. The first groups of every pool hold one: a group
 * before which fewer than `reservations` groups hold one that share an eligible leaf with it. Every
 * other group starts if it can do so now without taking room that a reservation needs at any later
 * instant. It may go before groups that wait: it backfills.
 *
 * Promises are kept. When the turn of a group comes, all other reservations stand, later ones too,
 * so its own place is still free. It moves earlier if it can, and never later without a cause
 * (enum skr_move_cause).
 *
 * A reservation begins within the horizon: room that is free now is not kept for a start that is far
 * away. A group whose start is farther gets a forecast, and a reservation when the start is near.
 *
 * Two ranks let a group take room from reservations. A group of a higher priority takes it from those
 * behind it in the order, if it holds none yet. A group whose members have a higher PriorityClass takes
 * it from all whose members have a lower one. Between equals no reservation gives way, whichever of
 * them came first, unless it is read from an object. Namespaces may have a bound for all their reservations but the first.
 *
 * A drain is for a group whose start is not known because pods have no limit: the ends are guessed,
 * and the place is held from the guess on. There is one at a time.
 *
 * After the round the next groups get forecasts, on paper: nothing is held for them.
 */
#include "core/time/earliest.h"
#include "core/time/place.h"

enum { SKR_RESERVATIONS_MAX = 64, SKR_FORECASTS_MAX = 1000, SKR_ROUND_FAILED_MAX = 64 };

enum skr_round_state {
    SKR_ROUND_UNKNOWN,
    SKR_ROUND_STARTS,
    SKR_ROUND_RESERVED,
    SKR_ROUND_DRAIN,
    SKR_ROUND_FORECAST,
    SKR_ROUND_STATE_COUNT
};
const char *skr_round_state_name(enum skr_round_state state); /* "reserved" */

enum skr_move_cause {
    SKR_MOVED_NOT,
    SKR_MOVED_NODE_LOST,       /* a node of the place is gone, closed or smaller */
    SKR_MOVED_HIGHER_PRIORITY, /* a group of a higher priority or class took the place */
    SKR_MOVED_OVERRUN,         /* a pod on the place is there beyond its limit */
    SKR_MOVED_ROOM_TAKEN,      /* anything else is on the place */
    SKR_MOVED_VETOED,          /* kube-scheduler refuses planned nodes */
    SKR_MOVED_TOPOLOGY,        /* the rules do not allow the place any more */
    SKR_MOVED_USER,            /* the group itself has changed */
    SKR_MOVED_SETTING,         /* fewer reservations, or no drains, are allowed */
    SKR_MOVE_CAUSE_COUNT
};
const char *skr_move_cause_name(enum skr_move_cause cause); /* "NodeLost"; NULL for NOT */

enum { SKR_MOVE_S = 30 }; /* a start that is later by no more is no move */

/* A reservation that was written down. */
struct skr_stored_reservation {
    int64_t start, promised, since; /* promised: the first start that was told; a guess is none */
    bool guess;
    bool written; /* read from an object, which users may write: it gives way to equals before it */
    bool anywhere;  /* its nodes were too many to be written */
    bool node_gone; /* one of its nodes is not in the tree */
    bool outranked; /* a pod of a higher class, which was let pass, is on its place */
    size_t n;
    const struct skr_place_leaf *at; /* in tree order */
};

struct skr_round_group {
    uint32_t owner; /* its number in the timeline; among groups it is unique */
    /* The least members that may start; problem NULL: there is none, and the start is not known. */
    struct skr_start_question question;
    int32_t all_n; /* of an open group that starts now: up to so many members; else problem->n */
    int32_t step;  /* so many fewer are tried next, >= 1 */
    const int32_t *running;        /* [leaf] members that are there already; NULL: none */
    int64_t begin;                 /* it waits since then */
    int32_t priority;              /* by which the order is made first */
    int32_t class_low, class_high; /* the lowest and the highest PriorityClass of its members */
    /* A number of its namespace, and by resource id what all reservations of the namespace but the first
     * may hold together, [SKR_RESOURCES_MAX]; NULL: there is no bound. */
    uint32_t space;
    const int64_t *bound;
    bool grows; /* it runs, and starts more now or not: nothing is reserved for it */
    const struct skr_stored_reservation *stored; /* NULL: none */
    /* Room that others may take first, for this group alone, until it lapses; no uses: none. */
    struct skr_place first;
    int64_t first_until;
    uint32_t first_owner;
    /* Held seats of the group, which its problem counts as free. From seats_until on the timeline counts
     * them as well, so that they are taken again, for this group alone; no uses: none. */
    struct skr_place seats;
    int64_t seats_until;

    /* The answer. */
    enum skr_round_state state;
    int64_t start, until;    /* SKR_INSTANT_NEVER: not known */
    int64_t promised, since; /* of a reservation, or of one that starts */
    bool exact;
    bool backfills;
    enum skr_move_cause moved;
    int64_t
        far; /* UNKNOWN: the start, which is beyond the horizon; SKR_INSTANT_NEVER: it is not known */
    uint32_t because;   /* an owner; UINT32_MAX: none */
    uint32_t unlimited; /* UNKNOWN: a pod, or a group before it, without an end; UINT32_MAX: none */
    /* Of skr_round_forecast(): it would start now but for what that owner holds from kept_start on;
     * UINT32_MAX: none. */
    uint32_t kept_by;
    int64_t kept_start;
    struct skr_place place;

    /* Of the round. */
    bool held;                /* the place is in the timeline, as a reservation */
    enum skr_move_cause lost; /* why the stored reservation does not stand */
    uint64_t *leaves;         /* bits: where it may ever have a member */
};

struct skr_round {
    struct skr_timeline *timeline; /* with the ends of all pods, and guesses for drains */
    struct skr_solver_cache *cache;
    struct skr_round_group *group; /* [n] in their order */
    size_t n;
    const uint8_t *overrun; /* [leaf] a pod is there beyond its limit; NULL: none */
    int32_t reservations;   /* 0: off */
    int32_t forecasts;
    int64_t patience; /* seconds before a drain; SKR_INSTANT_NEVER: off */
    int64_t
        horizon; /* seconds from now on within which a reservation begins, drains aside; 0: any */
    /* Of the round: groups that could not start, while no room has come since; then those that have a
     * forecast. */
    const struct skr_round_group *failed[SKR_ROUND_FAILED_MAX];
    size_t n_failed;
};

/* Fills the answers. Afterwards the timeline has what starts now and what is reserved. Errors: those
 * of skr_solve(); SKR_LIMIT: the timeline is full. */
int skr_round_run(struct skr_round *round, struct skr_error *error);
/* Forecasts alone, beside what the timeline has, and what keeps groups from starting now. Errors as
 * above. */
int skr_round_forecast(struct skr_round *round, struct skr_error *error);
void skr_round_group_fini(struct skr_round_group *group);
/* While a group looks for its start: room is used that others may take first, and no seat counts twice. */
int skr_round_set_aside(struct skr_timeline *timeline, const struct skr_round_group *g,
                        struct skr_error *error);
void skr_round_give_back(struct skr_timeline *timeline, const struct skr_round_group *g);

#endif
