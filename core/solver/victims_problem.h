/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_SOLVER_VICTIMS_PROBLEM_H
#define SKR_CORE_SOLVER_VICTIMS_PROBLEM_H
/* Candidates, what has to hold of a choice among them, and the choice: victims.h. */
#include "core/solver/solver.h"
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

/* Pods of a victim in one domain of a need. Those of a surplus member are not its group's, too: they go
 * with either. */
struct skr_victim_gift {
    size_t victim;
    int32_t domain;
    int32_t pods;
};

/* Arrays are borrowed. */
struct skr_victim_need {
    enum skr_domain_rule_kind kind; /* ONE: a new member needs a pod in its domain. SKEW: spread */
    int32_t n_domains;
    const int32_t *domain; /* [leaf] 0 .. n_domains - 1; -1: the leaf is in none */
    uint32_t roles;        /* bit r: those that it binds; 0: all */
    uint32_t counted;      /* those whose members count as such pods themselves */
    /* Which pods count is not known: no pod that may count goes from a domain of a new member. */
    bool strict;
    const int32_t *others; /* [domain] pods that count, without those of `gift` */
    size_t n_gifts;
    const struct skr_victim_gift *gift; /* of candidates */
    int32_t max_skew, min_domains;      /* SKEW */
};

static inline bool skr_victim_need_binds(const struct skr_victim_need *need, size_t role)
{
    return need->roles == 0 || (need->roles >> role & 1) != 0;
}

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

/* Adds what these victims free to free, which is laid out as the problem's. O(shares + tables * n). */
void skr_victims_add_room(const struct skr_victims_problem *problem, const size_t *victim, size_t n,
                          int64_t *free_);

#endif
