/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_SOLVER_NARROW_COUNTS_H
#define SKR_CORE_SOLVER_NARROW_COUNTS_H
/*
 * Fast path: where no rule of a level stands in the way, the best counts of a sibling set are known
 * without search, and its units need to be tried with these few counts only. Internal to the
 * solver.
 */
#include "core/solver/span.h"
#include "core/solver/weight_words.h"

/* Takes away from the units of a level what no best placement holds, and makes their spans. Ports that
 * are left without a placement are no longer live. False: the run had to stop. */
bool skr_narrow_level(struct skr_graph *graph, const struct skr_words *words);

/*
 * Takes counts away from the members of the set that no optimal placement can use, for the totals
 * of its ports. NULL members hold 0. *ret_exact: whether a closed form applied; with false nothing
 * was changed. False when the run had to stop.
 */
bool skr_narrow_counts(struct skr_run *run, struct skr_siblings *siblings, bool *ret_exact);

/* The greatest count of each member, greatest first; in the run's arena. NULL when it had to stop.
 * O(members) where counts are smaller than their number. */
int32_t *skr_siblings_by_size(struct skr_run *run, const struct skr_siblings *siblings);

/* Adds the counts that a unit keeps to bits [words of its greatest count]. */
typedef void skr_narrow_add_fn(const struct skr_span *unit, const void *context, uint64_t *bits);
/* Every member of the set keeps the counts that add() names. */
bool skr_narrow_members(struct skr_run *run, struct skr_siblings *siblings, skr_narrow_add_fn *add,
                        const void *context);
/* peel.c: the same for a level that is pack and counts no used units. Changes nothing where a
 * member cannot be empty, or where it does not help. */
bool skr_peel(struct skr_run *run, struct skr_siblings *siblings);

#endif
