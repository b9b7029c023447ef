/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_PLANNING_REPLACING_H
#define SKR_CORE_GANG_PLANNING_REPLACING_H
/*
 * Looks for places of members that run on lost nodes, for groups with key replace. The members that
 * run elsewhere stay, and the rules hold for all together. With replace: whole, if there is no such
 * place, all members may go, and the room of those that run elsewhere counts as free. What is found is
 * held (core/gang/preempt/arranged.h), and these members leave. If nothing is found, no member leaves,
 * and the next search follows when room was freed.
 *
 * Groups of several roles do not leave as a whole, nor do groups with rules about other pods or with
 * volumes, nor while a PodDisruptionBudget does not let all members go.
 *
 * A search is work for another thread. While it runs, nothing is planned, so its answer holds. Searches
 * take at most a twentieth of the time.
 */
#include "core/gang/state/groups.h"
#include "core/gang/state/solve_request.h"

/* Starts a search that is due; true: one runs. O(groups with key replace). */
bool skr_replacing_begin(struct skr_gang *e);
/* False: the work was no such search. */
bool skr_replacing_done(struct skr_gang *e, const struct skr_solve_request *solved);
/* This process does not decide any more: the answer of the search is void. */
void skr_replacing_end(struct skr_gang *e);

#endif
