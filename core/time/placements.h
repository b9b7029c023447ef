/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_TIME_PLACEMENTS_H
#define SKR_CORE_TIME_PLACEMENTS_H
/*
 * All placements of a group at one instant, one after the other: the solver's best, then the next by
 * key and ties. For members that are equal; of a group with roles the best alone.
 *
 * After Murty: the placements other than the best one are cut into parts, by leaves. A part has the
 * counts of the best on the first leaves, and less or more than it on the next. The best of each part
 * is one run of the solver with bounds. A next placement takes two runs a leaf.
 */
#include "core/time/earliest.h"

struct skr_placements;

/* The arguments are borrowed. The timeline may change between two calls if it is what it was at each. */
struct skr_placements *skr_placements_create(struct skr_timeline *timeline,
                                             const struct skr_start_question *question,
                                             struct skr_solver_cache *cache, int64_t at);
void skr_placements_destroy(struct skr_placements *placements); /* NULL allowed */
/* *ret: valid until the next call; NULL: there are no more, or the steps are used up. Each run of the
 * solver takes a step for every leaf from *steps, which is < 0 in the latter case. *ret_all: the
 * placements up to this one are all that come before it; false for roles, and after a timeout of the
 * solver. Errors: those of skr_solve(). */
int skr_placements_next(struct skr_placements *placements, int64_t *steps,
                        const struct skr_solution **ret, bool *ret_all, struct skr_error *error);

#endif
