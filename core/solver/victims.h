/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_SOLVER_VICTIMS_H
#define SKR_CORE_SOLVER_VICTIMS_H
/*
 * Victims: the running groups that are evicted so that a group of higher priority fits. Pure and
 * deterministic, as the solver below it (solver.h, docs/solver.md).
 *
 * A set of victims is sufficient if the problem is feasible with the room of all its members added.
 * Of all sufficient sets the answer is the least by, in this order,
 *   1. the highest priority of its whole groups. Without any: single members of groups that do not
 *      need them are above ordinary pods alone, and these go by their highest priority
 *   2. the groups that lose their gang; one that gives up members it does not need is not counted
 *   3. the running members that are evicted
 *   4. the highest priority of the single members; none is best
 *   5. the objective of the placement afterwards (without SKR_TIE_TIGHT)
 *   6. single members of the highest rank first, then the names in byte order, the first difference
 *      deciding, a shorter list first
 * So the set is minimal: without any one of its victims, and those that have to go with it, the group
 * does not fit. Victims are whole. A group may be listed together with single members that it does
 * not need (surplus_of). If these came by steps, they go by steps, and rules of their group hold on what it
 * keeps.
 *
 * Room is monotone: more of it never makes a feasible problem infeasible, whatever the rules. So
 * the priority is found by bisection, and proofs hold for every rule. The search for the rest is
 * exact within a budget of steps. Beyond it the answer is the best set found, with what is proven
 * of it. If a table (victims_tables.h) has less room for more victims, the answer is a sufficient set, but there may
 * be a better one. INSUFFICIENT is wrong at most if what one set leaves on a leaf and what another one leaves
 * on a second leaf are needed together.
 */
#include "core/solver/solver.h"
#include "core/solver/victims_needs.h"
#include "core/solver/victims_tables.h"

/* What a victim frees on one leaf. */
struct skr_victim_share {
    int32_t leaf;          /* no leaf twice in one victim; unsorted */
    const int64_t *amount; /* [n_resources of the problem], >= 0 */
};

/* The members of a victim that count against a disruption budget. */
struct skr_victim_charge {
    int32_t budget; /* index into the problem's budgets */
    int32_t members;
};

enum skr_victim_kind {
    SKR_VICTIM_POD,     /* an ordinary pod; its priority orders it among pods alone */
    SKR_VICTIM_GROUP,   /* a whole group */
    SKR_VICTIM_SURPLUS, /* a member that its group does not need; of the group's priority */
    SKR_VICTIM_KIND_COUNT
};

struct skr_victim {
    const char *name; /* no two alike */
    enum skr_victim_kind kind;
    int32_t priority;
    int32_t shown;      /* priority in explanations; not read by the search */
    int32_t members;    /* running ones; 0: it holds room and runs nothing */
    int32_t surplus_of; /* SURPLUS: its group, which may be chosen instead; -1: the group may not be
                           chosen */
    /* SURPLUS, else 0. */
    int32_t rank;
    int32_t giver;  /* a number of its group, below n_givers */
    int32_t beyond; /* running members that its group does not need, candidates or not */
    int32_t
        step; /* what is left of them is a multiple of it, unless none goes; 0 and 1: any number */
    int32_t role; /* of its group */
    bool ruled;   /* scopes of its giver count it */
    size_t n_shares;
    const struct skr_victim_share *share;
    size_t n_charges;
    const struct skr_victim_charge *charge;
};

/* Rules that must hold on what a giver keeps, if it gives a member. */
struct skr_victim_scope {
    int32_t giver;
    int32_t role;               /* whose members count; -1: all */
    struct skr_problem problem; /* of all running members that count, with room everywhere */
    int32_t *count;             /* [leaf] of these */
};

enum { SKR_VICTIMS_STEPS_MAX = 1 << 16 }; /* of a search without a step budget */

/* All pointers borrowed. Groups whose priority is not below that of the preemptor, and those that
 * exceed a budget by themselves, are not candidates. A priority <= 0 preempts no group. */
struct skr_victims_problem {
    const struct skr_problem *problem; /* free: without what victims use */
    int32_t priority;                  /* of the preemptor */
    size_t n_victims;
    const struct skr_victim *victim;
    size_t n_tables;
    const struct skr_victim_table *table;
    size_t n_givers;
    size_t n_scopes;
    const struct skr_victim_scope *scope;
    size_t n_needs;
    const struct skr_victim_need *need;
    const uint8_t *kept; /* [victim] it is no candidate; NULL: all are */
    size_t n_budgets;
    const int32_t *budget; /* members that may be evicted at once, all victims together */
    int64_t step_budget;   /* < 0: SKR_VICTIMS_STEPS_MAX; 0: a timeout at once */
};

enum skr_victims_status {
    SKR_VICTIMS_NOT_NEEDED,   /* the group fits already */
    SKR_VICTIMS_FOUND,        /* victim, solution */
    SKR_VICTIMS_INSUFFICIENT, /* the group does not fit without any candidate either */
    SKR_VICTIMS_TIMEOUT,      /* nothing was found within the steps, or the problem was cancelled */
    SKR_VICTIMS_STATUS_COUNT
};

struct skr_victims {
    enum skr_victims_status status;
    size_t n;
    size_t *victim;        /* indices of the problem, in the order of 6; 1 is always proven */
    int32_t groups;        /* of them, those that lose their gang */
    int32_t members;       /* running members that are evicted */
    bool cheapest;         /* FOUND: no other set has fewer groups, or as many and fewer members */
    bool optimal;          /* FOUND: no other set of this cost has a better objective or name */
    int32_t groups_proven; /* FOUND: no sufficient set of this priority has fewer groups */
    struct skr_solution *solution; /* FOUND, NOT_NEEDED: the placement afterwards */
    struct skr_victims_stats {
        int64_t steps;
        int64_t tests;  /* sets that were tried */
        int64_t leaves; /* leaves whose room changed from one set to the next */
        int64_t solves; /* placements that were made */
    } stats;
};

/* *ret is owned by the caller. Errors are those of skr_solve(); -SKR_INVALID too when a victim
 * names a leaf, a group or a budget that does not exist. Cost: log(priorities) passes over all
 * leaves, then the changed leaves of each set that is tried. */
int skr_victims_find(const struct skr_victims_problem *problem, struct skr_victims **ret,
                     struct skr_error *error);
/* Adds what these victims free to free, which is laid out as the problem's. O(shares + tables * n). */
void skr_victims_add_room(const struct skr_victims_problem *problem, const size_t *victim, size_t n,
                          int64_t *free_);
void skr_victims_destroy(struct skr_victims *victims); /* NULL allowed */

#endif
