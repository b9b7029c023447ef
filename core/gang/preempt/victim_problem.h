/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_PREEMPT_VICTIM_PROBLEM_H
#define SKR_CORE_GANG_PREEMPT_VICTIM_PROBLEM_H
/*
 * Possible victims of a group: the problem for core/solver/victims.h.
 *
 * A candidate never exceeds a PodDisruptionBudget. Candidates are:
 *
 * - groups of lower rank (outranks.h) that run or hold a plan before the point of no return
 * - single members beyond a group's size
 * - with nonGroupVictims: labelled, ordinary pods that permit it
 *
 * Room of leaving pods counts as free. Terminating pods count if the end of their grace period is at
 * most planTimeout ahead and not long past. Victims of other groups, whose plans already hold that
 * room, count unless they would stay if their preemptor left (skr_victims_may_take()).
 */
#include "core/gang/preempt/outranks.h"
#include "core/gang/state/solve_request.h"

/* As skr_problem_build(), with request->preemption. yielding: the candidates are held seats that
 * yield to g, by the uid of their charge, and idle plans that do (yielding.h), by the key of
 * their group. Otherwise the room of these seats is free. */
struct skr_solve_request *skr_victim_problem_build(struct skr_gang *e, struct group *g,
                                                   struct pod_entry *const *newcomers, size_t n,
                                                   bool yielding, struct skr_error *error);
/* Whether h may be a victim: outranked, before the point of no return, not a victim yet. */
bool skr_victim_problem_may_go(const struct skr_outranks *o, const struct group *h);
/* A pod on a node that has neither ended nor is being evicted. */
bool skr_victim_problem_runs(const struct pod_entry *p);
/* The candidate of this name; NULL: none. */
const struct skr_victim *skr_victim_problem_find(const struct skr_victims_problem *in,
                                                 const char *name);
/* Whether these victims still make room for these counts, and may still be chosen. yielding: as in
 * the search. */
bool skr_victim_problem_still_valid(struct skr_gang *e, struct group *g,
                                    struct pod_entry *const *newcomers, size_t n, bool yielding,
                                    const struct skr_solve_request *solved);

#endif
