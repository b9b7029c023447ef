/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_TIME_EARLIEST_H
#define SKR_CORE_TIME_EARLIEST_H
/*
 * The earliest start of a group: the least instant t >= now at which the solver places it in the
 * room of the window [t, t + holds). The place is the solver's answer there, ties included.
 *
 * t is now, or an instant at which room grows. Two bisections bound it, because more room never
 * makes a feasible group infeasible:
 *
 *   upper bound  as if it held its room for ever: the least room of such a window never falls with t
 *   lower bound  as if nothing were planned for others: room only grows
 *
 * Between them all instants are tried in order: room comes, is given away, and comes again. Each
 * probe is one feasibility of the solver; leaves whose window did not change are not looked at.
 */
#include "core/solver/cache.h"
#include "core/time/timeline.h"

struct skr_start_question {
    const struct skr_problem *problem; /* free: as it is now. Nothing is explained */
    const uint16_t *resource;          /* [n_resources] ids of the timeline */
    int64_t holds;                     /* seconds, >= 1; SKR_INSTANT_NEVER: for ever */
    int64_t cut;          /* no window ends later, whatever it holds; SKR_INSTANT_NEVER: unset */
    int64_t from;         /* it is known that no start is earlier; 0: nothing is known */
    uint32_t kinds;       /* of changes that count; 0: SKR_CHANGES_KNOWN */
    const uint64_t *firm; /* bits of leaves: there SKR_CHANGES_KNOWN count; NULL: none */
    /* Another placement of as many members that fit in a window, into count, which has the solver's;
     * NULL: the solver's. For members that are equal. */
    void (*choose)(const struct skr_problem *window, int32_t *count);
};

struct skr_start {
    int64_t at;                    /* SKR_INSTANT_NEVER: there is none */
    bool exact;                    /* false: the solver ran into a timeout, which counts as no */
    struct skr_solution *solution; /* there; NULL: none. For skr_solution_destroy() */
};

/* The end of the window that starts at t; later than t. */
int64_t skr_window_end(const struct skr_start_question *question, int64_t t);
/* Errors: those of skr_solve(). Cost: O(leaves) and a probe per step of the bisections, then what
 * changes per instant between the bounds. */
int skr_earliest_start(struct skr_timeline *timeline, const struct skr_start_question *question,
                       struct skr_solver_cache *cache, struct skr_start *ret,
                       struct skr_error *error);
/* The same at one instant alone: there or never. leaf: [leaf] bounds of its members, those that run
 * already included; NULL: none. */
int skr_start_at(struct skr_timeline *timeline, const struct skr_start_question *question,
                 struct skr_solver_cache *cache, int64_t at, const struct skr_unit_bounds *leaf,
                 struct skr_start *ret, struct skr_error *error);

#endif
